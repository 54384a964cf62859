/* SPDX-License-Identifier: MIT */
/* Whatever somebody saved, recognised by content. */
#include "base/json-text.h"
#include "model/internal.h"
#include "base/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int ssdpm__model_list_new(size_t n, struct model_list *ret_list,
			  struct ssdpm_error *reterr)
{
	struct ssdpm_model **models = calloc(n, sizeof(*models));

	if (!models)
		return ssdpm__no_memory(reterr);
	*ret_list = (struct model_list){ .models = models, .n = n };
	return 0;
}

struct ssdpm_model **ssdpm_model_list_free(struct ssdpm_model **models,
					   size_t n)
{
	if (models)
		for (size_t i = 0; i < n; i++)
			ssdpm_model_unref(models[i]);
	free(models);
	return NULL;
}

/* Reserved areas make sure that a raw structure contains zeros. */
static bool is_binary(const char *text, size_t size)
{
	return memchr(text, 0, size);
}

static bool is_nvme_identify(const char *text, size_t size)
{
	return size == SSDPM_NVME_IDENTIFY_BYTES && is_binary(text, size);
}

static int read_nvme_identify(const char *text, size_t size,
			      struct ssdpm_model **ret_model,
			      struct ssdpm_error *reterr)
{
	return ssdpm_model_from_nvme_identify(text, size, ret_model, reterr);
}

/*
 * The formats that are no JSON, in the order of the attempts: binary ones
 * before text. is() looks for what no other format has.
 */
struct model_format {
	bool (*is)(const char *text, size_t size);
	int (*read)(const char *text, size_t size,
		    struct ssdpm_model **ret_model, struct ssdpm_error *reterr);
};

static const struct model_format formats[] = {
	{ is_nvme_identify, read_nvme_identify },
	{ ssdpm__is_atasmart_blob, ssdpm__model_from_atasmart_blob },
	{ ssdpm__is_ata_identify, ssdpm__model_from_ata_identify },
	{ ssdpm__is_hdparm_text, ssdpm__model_from_hdparm_text },
	{ ssdpm__is_ata_identify_hex, ssdpm__model_from_ata_identify_hex },
	{ ssdpm__is_smartctl_text, ssdpm__model_from_smartctl_text },
	{ ssdpm__is_nvme_cli_text, ssdpm__model_from_nvme_cli_text },
};

/* Says why data with zeros is none of the formats. */
static const struct model_format binary = { is_binary, read_nvme_identify };

static const struct model_format *find_format(const char *text, size_t size)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (formats[i].is(text, size))
			return &formats[i];
	if (is_binary(text, size) || size == SSDPM_NVME_IDENTIFY_BYTES)
		return &binary;
	return NULL;
}

static int list_of_one(const struct model_format *format, const char *text,
		       size_t size, struct model_list *ret_list,
		       struct ssdpm_error *reterr)
{
	struct ssdpm_model *model;
	int err;

	err = format->read(text, size, &model, reterr);
	if (err)
		return err;
	err = ssdpm__model_list_new(1, ret_list, reterr);
	if (err) {
		ssdpm_model_unref(model);
		return err;
	}
	ret_list->models[0] = model;
	return 0;
}

/* The first character from *at on that is not white space, or 0. */
static char next_char(const char *text, size_t size, size_t *at)
{
	for (; *at < size; (*at)++)
		if (!strchr(" \t\r\n", text[*at]))
			return text[(*at)++];
	return 0;
}

/*
 * How surely it is JSON. 0: it is not; 1: it may be another format, as in
 * "[root@host ~]# nvme id-ctrl"; 2: it is.
 */
static int json_likeness(const char *text, size_t size)
{
	size_t at = 0;
	char first = is_binary(text, size) ? 0 : next_char(text, size, &at);

	if (first == '[')
		return next_char(text, size, &at) == '{' ? 2 : 1;
	return first == '{' ? 2 : 0;
}

int ssdpm_model_list_from_data(const void *data, size_t size,
			       struct ssdpm_model ***ret_models, size_t *ret_n,
			       struct ssdpm_error *reterr)
{
	const struct model_format *format;
	struct model_list list;
	const char *text = data;
	int json, err;

	if (size == 0)
		return ssdpm__fail(reterr, -EINVAL, 0, "no data");
	if (!is_binary(text, size))
		ssdpm__json_skip_mark(&text, &size);
	json = json_likeness(text, size);
	format = json < 2 ? find_format(text, size) : NULL;
	if (json && (!format || format == &binary))
		err = ssdpm__model_list_from_json(text, size, &list, reterr);
	else if (format)
		err = list_of_one(format, text, size, &list, reterr);
	else
		err = ssdpm__fail(reterr, -EINVAL, 1,
				  "not a known format: expected raw Identify "
				  "data, what nvme id-ctrl, smartctl or hdparm "
				  "print, or ssdpm.model/1 JSON");
	if (err)
		return err;
	*ret_models = list.models;
	*ret_n = list.n;
	return 0;
}
