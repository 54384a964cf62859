/* SPDX-License-Identifier: MIT */
/* Whatever somebody saved, recognised by content. */
#include "base/json.h"
#include "model/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int ssdpm__model_list_new(size_t n, struct model_list *ret_list,
			  struct ssdpm_error *reterr)
{
	struct ssdpm_model **models = calloc(n, sizeof(*models));

	if (!models)
		return ssdpm__fail(reterr, -ENOMEM, 0, "out of memory");
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

/* Formats that hold one drive and are no JSON, tried in this order. */
struct format {
	bool (*is)(const char *text, size_t size);
	int (*read)(const char *text, size_t size,
		    struct ssdpm_model **ret_model, struct ssdpm_error *reterr);
};

static const struct format formats[] = {
	{ ssdpm__is_atasmart_blob, ssdpm__model_from_atasmart_blob },
	{ ssdpm__is_ata_identify, ssdpm__model_from_ata_identify },
	{ ssdpm__is_hdparm_text, ssdpm__model_from_hdparm_text },
	{ ssdpm__is_ata_identify_hex, ssdpm__model_from_ata_identify_hex },
};

/* NULL: none of them. */
static const struct format *recognise(const char *text, size_t size)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (formats[i].is(text, size))
			return &formats[i];
	return NULL;
}

/* format NULL: what is binary and none of them. */
static int list_from_one(const struct format *format, const void *data,
			 size_t size, struct model_list *ret_list,
			 struct ssdpm_error *reterr)
{
	struct ssdpm_model *model;
	int err;

	if (format)
		err = format->read(data, size, &model, reterr);
	else
		err = ssdpm_model_from_nvme_identify(data, size, &model,
						     reterr);
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

/* The first character that is not white space, or 0. */
static char first_char(const char *text, size_t size)
{
	ssdpm__json_skip_mark(&text, &size);
	for (size_t i = 0; i < size; i++)
		if (!strchr(" \t\r\n", text[i]))
			return text[i];
	return 0;
}

int ssdpm_model_list_from_data(const void *data, size_t size,
			       struct ssdpm_model ***ret_models, size_t *ret_n,
			       struct ssdpm_error *reterr)
{
	const struct format *format;
	struct model_list list;
	bool binary;
	char first;
	int err;

	if (size == 0)
		return ssdpm__fail(reterr, -EINVAL, 0, "no data");
	/* Reserved areas make sure that a raw structure contains zeros. */
	binary = memchr(data, 0, size);
	first = binary ? 0 : first_char(data, size);
	if (first == '{' || first == '[')
		err = ssdpm__model_list_from_json(data, size, false, &list,
						  reterr);
	else if ((format = recognise(data, size)) ||
		 size == SSDPM_NVME_IDENTIFY_BYTES || binary)
		err = list_from_one(format, data, size, &list, reterr);
	else
		err = ssdpm__fail(reterr, -EINVAL, 1,
				  "not a known format: expected 4096 bytes of "
				  "Identify Controller, 512 of IDENTIFY DEVICE "
				  "or their hexadecimal words, hdparm -I text, "
				  "a libatasmart blob, or ssdpm.model/1 JSON");
	if (err)
		return err;
	*ret_models = list.models;
	*ret_n = list.n;
	return 0;
}

int ssdpm_model_to_json(const struct ssdpm_model *model, char **ret_text,
			struct ssdpm_error *reterr)
{
	struct ssdpm_model *const models[] = { (struct ssdpm_model *)model };

	return ssdpm_model_list_to_json(models, 1, ret_text, reterr);
}

int ssdpm_model_from_json(const char *text, size_t size,
			  struct ssdpm_model **ret_model,
			  struct ssdpm_error *reterr)
{
	struct model_list list;
	int err;

	err = ssdpm__model_list_from_json(text, size, true, &list, reterr);
	if (err)
		return err;
	*ret_model = ssdpm_model_ref(list.models[0]);
	ssdpm_model_list_free(list.models, list.n);
	return 0;
}
