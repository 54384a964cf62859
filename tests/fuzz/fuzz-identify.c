/* SPDX-License-Identifier: MIT */
/*
 * Identify Controller structures. An input of 4096 bytes and more is one, and
 * what follows are parameters of the policy. A shorter one is a sketch, so that
 * few bytes reach far: 16 bytes of parameters, 52 of the head (VID, MN, FR,
 * NPSS, APSTA), then power state descriptors.
 */
#include "check.h"

#include <string.h>

enum { BYTES = SSDPM_NVME_IDENTIFY_BYTES, PARAMS = 16 };

struct piece {
	size_t offset, size;
};

static void take(uint8_t *id, struct piece piece, const uint8_t **data,
		 size_t *size)
{
	size_t n = piece.size < *size ? piece.size : *size;

	memcpy(id + piece.offset, *data, n);
	*data += n;
	*size -= n;
}

static void run(const uint8_t *id, const uint8_t *params, size_t size)
{
	struct ssdpm_model **models, *model = NULL;
	struct ssdpm_error error;
	size_t n;
	int err;

	err = ssdpm_model_from_nvme_identify(id, BYTES, &model, &error);
	if (err) {
		check_error(err, &error);
		check(!model, "failure returns nothing");
		return;
	}
	check_models(&model, 1, params, size);
	/* A structure without a single zero could be our JSON. */
	if (!ssdpm_model_list_from_data(id, BYTES, &models, &n, NULL))
		ssdpm_model_list_free(models, n);
	else
		check(!memchr(id, 0, BYTES), "it is recognised by content");
	ssdpm_model_unref(model);
}

/* As a table that a drive returned. */
static void run_table(const uint8_t *data, size_t size)
{
	uint8_t bytes[SSDPM_APST_BYTES] = { 0 }, again[SSDPM_APST_BYTES];
	struct ssdpm_error error;
	struct ssdpm_apst table;
	int err;

	memcpy(bytes, data, size < sizeof(bytes) ? size : sizeof(bytes));
	err = ssdpm_apst_decode(bytes, true, &table, &error);
	if (err) {
		check_error(err, &error);
		return;
	}
	check(!ssdpm_apst_encode(&table, again, NULL),
	      "what was decoded can be encoded");
	check(!memcmp(bytes, again, sizeof(bytes)), "a table keeps the bytes");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct piece head[] = {
		{ 0, 2 },   { 24, 40 }, { 64, 8 },
		{ 263, 1 }, { 265, 1 }, { 2048, 1024 },
	};
	uint8_t id[BYTES] = { 0 };
	const uint8_t *params = data;
	size_t n_params = size < PARAMS ? size : PARAMS;

	run_table(data, size);
	if (size >= BYTES) {
		run(data, data + BYTES, size - BYTES);
		return 0;
	}
	check(ssdpm_model_from_nvme_identify(data, size, NULL, NULL) < 0,
	      "a structure has 4096 bytes");
	data += n_params;
	size -= n_params;
	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		take(id, head[i], &data, &size);
	run(id, params, n_params);
	return 0;
}
