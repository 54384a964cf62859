/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <stdio.h>

static void put_le16(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)value;
	at[1] = (uint8_t)(value >> 8);
}

static void put_le32(uint8_t *at, uint32_t value)
{
	put_le16(at, (uint16_t)value);
	put_le16(at + 2, (uint16_t)(value >> 16));
}

void fixture_put_psd(uint8_t *id, size_t state, const struct psd *psd)
{
	uint8_t *at = id + 2048 + state * 32;

	put_le16(at, psd->mp);
	at[3] = (uint8_t)(psd->mxps | psd->nops << 1);
	put_le32(at + 4, psd->enlat);
	put_le32(at + 8, psd->exlat);
	at[12] = psd->rrt;
	at[13] = psd->rrl;
	at[14] = psd->rwt;
	at[15] = psd->rwl;
	put_le16(at + 16, psd->idlp);
	at[18] = (uint8_t)(psd->ips << 6);
	put_le16(at + 20, psd->actp);
	at[22] = (uint8_t)(psd->aps << 6 | psd->apw);
	at[23] = psd->epfrt;
	at[24] = psd->fqvt;
	at[25] = psd->epfvt;
	at[26] = (uint8_t)(psd->epfrts | psd->fqvts << 4);
	at[27] = psd->epfvts;
}

static void put_text(uint8_t *at, size_t size, const char *text)
{
	memset(at, ' ', size);
	memcpy(at, text, strlen(text));
}

void fixture_identify(uint8_t *id, const struct psd *psds, size_t n)
{
	memset(id, 0, SSDPM_NVME_IDENTIFY_BYTES);
	put_le16(id, 0x1234);
	put_le16(id + 2, 0x4321);
	put_text(id + 4, 20, "SECRET-SERIAL");
	put_text(id + 24, 40, "Fixture SSD 256GB");
	put_text(id + 64, 8, "FW 1.0");
	id[263] = (uint8_t)(n - 1);
	id[265] = 1;
	for (size_t i = 0; i < n; i++)
		fixture_put_psd(id, i, &psds[i]);
}

struct ssdpm_model *fixture_decode(const uint8_t *id)
{
	struct ssdpm_error error = fixture_error(), before = error;
	struct ssdpm_model *model = NULL;
	int err;

	err = ssdpm_model_from_nvme_identify(id, SSDPM_NVME_IDENTIFY_BYTES,
					     &model, &error);
	assert_int_equal(err, 0);
	assert_memory_equal(&error, &before, sizeof(error));
	return model;
}

struct ssdpm_power_state fixture_decode_psd(const struct psd *psd)
{
	uint8_t id[SSDPM_NVME_IDENTIFY_BYTES];
	struct ssdpm_power_state state;
	struct ssdpm_model *model;
	size_t n;

	fixture_identify(id, psd, 1);
	model = fixture_decode(id);
	state = ssdpm_model_get_states(model, &n)[0];
	assert_int_equal(n, 1);
	ssdpm_model_unref(model);
	return state;
}

struct ssdpm_model_info fixture_info(void)
{
	struct ssdpm_model_info info = {
		.size = sizeof(info),
		.kind = SSDPM_KIND_NVME,
		.provenance = SSDPM_PROVENANCE_ASSUMED,
		.vendor_id = 0x1234,
		.apsta = 1,
		.product = "Fixture SSD 256GB",
		.firmware = "FW 1.0",
	};

	return info;
}

struct ssdpm_model *fixture_model(const struct latencies *states, size_t n)
{
	struct ssdpm_power_state full[SSDPM_MAX_STATES] = { 0 };
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_model *model = NULL;
	int err;

	for (size_t i = 0; i < n; i++) {
		full[i].flags = states[i].nops;
		full[i].entry_latency_us = states[i].entry;
		full[i].exit_latency_us = states[i].exit;
	}
	err = ssdpm_model_new(&info, full, n, &model, NULL);
	assert_int_equal(err, 0);
	return model;
}

void fixture_ata_text(uint16_t *words, size_t n, const char *text)
{
	uint8_t bytes[80];

	put_text(bytes, 2 * n, text);
	for (size_t i = 0; i < n; i++)
		words[i] = (uint16_t)(bytes[2 * i] << 8 | bytes[2 * i + 1]);
}

struct ssdpm_catalogue_row fixture_row(const struct ssdpm_catalogue *catalogue,
				       uint32_t index)
{
	struct ssdpm_catalogue_row row = { .size = sizeof(row) };

	ssdpm_catalogue_get_row(catalogue, index, &row);
	return row;
}

uint32_t fixture_count_rows(const struct ssdpm_catalogue *catalogue)
{
	uint32_t n = 0;

	while (fixture_row(catalogue, n).product)
		n++;
	return n;
}

void fixture_ata_words(uint16_t words[256])
{
	memset(words, 0, 512);
	words[0] = 0x0040;
	fixture_ata_text(words + 10, 10, "SECRET-SERIAL");
	fixture_ata_text(words + 23, 4, "FW 2.0");
	fixture_ata_text(words + 27, 20, "Fixture SATA SSD");
	words[76] = 0x010e;
	words[78] = 0x0108;
	words[79] = 0x0008;
	words[83] = 0x4008;
	words[86] = 0x0008;
	words[87] = 0x4000;
	words[91] = 128;
}

void fixture_ata_bytes(const uint16_t words[256], uint8_t bytes[512])
{
	for (size_t i = 0; i < 256; i++)
		put_le16(bytes + 2 * i, words[i]);
}

static struct psd rich_psd(uint32_t i)
{
	return (struct psd){
		.mp = (uint16_t)(2047 * i),
		.mxps = i & 1,
		.nops = i > 15,
		.enlat = i * 134217728u,
		.exlat = UINT32_MAX - i * 134217728u,
		.rrt = (uint8_t)i,
		.rrl = (uint8_t)(31 - i),
		.rwt = (uint8_t)(i ^ 5),
		.rwl = (uint8_t)(i ^ 9),
		.idlp = (uint16_t)(65535 - i),
		.ips = i & 3,
		.actp = (uint16_t)(i * 3),
		.aps = i >> 2 & 3,
		.apw = i & 7,
		.epfrt = (uint8_t)(i * 8),
		.fqvt = (uint8_t)(255 - i),
		.epfvt = (uint8_t)(i + 1),
		.epfrts = i & 15,
		.fqvts = (uint8_t)(i >> 1),
		.epfvts = 15 - (i & 15),
	};
}

struct ssdpm_model *fixture_rich_model(void)
{
	uint8_t id[SSDPM_NVME_IDENTIFY_BYTES];
	struct psd psds[SSDPM_MAX_STATES];

	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++)
		psds[i] = rich_psd(i);
	fixture_identify(id, psds, SSDPM_MAX_STATES);
	put_text(id + 24, 40, "Quote \" and backslash \\ / <&>");
	return fixture_decode(id);
}

char *fixture_models_text(struct ssdpm_model *const *models, size_t n)
{
	char *text = NULL, *one;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(ssdpm_model_to_json(models[i], &one, NULL), 0);
		fprintf(file, "%c%s", i ? ',' : '[', one);
		free(one);
	}
	fputs("]", file);
	assert_int_equal(fclose(file), 0);
	return text;
}

void fixture_assert_same(const struct ssdpm_model *a,
			 const struct ssdpm_model *b)
{
	const struct ssdpm_model_info *x = ssdpm_model_get_info(a);
	const struct ssdpm_model_info *y = ssdpm_model_get_info(b);
	const struct ssdpm_power_state *in_a, *in_b;
	size_t n_a, n_b;

	assert_int_equal(x->size, y->size);
	assert_int_equal(x->kind, y->kind);
	assert_int_equal(x->unknown, y->unknown);
	assert_int_equal(x->provenance, y->provenance);
	assert_int_equal(x->vendor_id, y->vendor_id);
	assert_int_equal(x->apsta, y->apsta);
	assert_string_equal(x->product, y->product);
	assert_string_equal(x->firmware, y->firmware);
	assert_memory_equal(&x->format, &y->format,
			    sizeof(*x) -
				    offsetof(struct ssdpm_model_info, format));
	in_a = ssdpm_model_get_states(a, &n_a);
	in_b = ssdpm_model_get_states(b, &n_b);
	assert_int_equal(n_a, n_b);
	/* The structure has no padding: reserved bytes fill it. */
	assert_memory_equal(in_a, in_b, n_a * sizeof(*in_a));
}

void fixture_assert_error(const struct ssdpm_error *error, int code,
			  uint32_t line, const char *fragment)
{
	if (error->code != code || error->line != line ||
	    !strstr(error->message, fragment))
		print_error("got %d, line %u, \"%s\"; "
			    "expected %d, line %u, \"%s\"\n",
			    error->code, error->line, error->message, code,
			    line, fragment);
	assert_int_equal(error->code, code);
	assert_int_equal(error->line, line);
	assert_int_equal(error->nvme_status, 0);
	assert_non_null(strstr(error->message, fragment));
	assert_null(strchr(error->message, '\n'));
	assert_string_not_equal(error->message, "");
}

struct ssdpm_error fixture_error(void)
{
	struct ssdpm_error error;

	memset(&error, 0x5a, sizeof(error));
	return error;
}

uint64_t fixture_cases(uint64_t n)
{
	return getenv("SSDPM_FEW_CASES") ? n / 4 : n;
}

int fixture_stride(void)
{
	return getenv("SSDPM_FEW_CASES") ? 3 : 1;
}

int fixture_run_rows(const char *group, const void *rows, size_t n, size_t size,
		     CMUnitTestFunction test)
{
	struct CMUnitTest *tests = calloc(n, sizeof(*tests));
	const char *row = rows;
	int n_failed;

	for (size_t i = 0; tests && i < n; i++, row += size) {
		memcpy(&tests[i].name, row, sizeof(tests[i].name));
		tests[i].test_func = test;
		tests[i].initial_state = (void *)(uintptr_t)row;
	}
	n_failed =
		tests ? _cmocka_run_group_tests(group, tests, n, NULL, NULL) :
			1;
	free(tests);
	return n_failed;
}

char *fixture_sealed(const char *text)
{
	uint64_t sum = 0xcbf29ce484222325; /* FNV-1a */
	const size_t room = strlen(text) + 32;
	char *sealed = malloc(room);

	assert_non_null(sealed);
	for (const char *at = text; *at; at++)
		sum = (sum ^ (unsigned char)*at) * 0x100000001b3;
	snprintf(sealed, room, "%send %016llx\n", text,
		 (unsigned long long)sum);
	return sealed;
}

uint64_t fixture_random(uint64_t *seed)
{
	*seed ^= *seed >> 12;
	*seed ^= *seed << 25;
	*seed ^= *seed >> 27;
	return *seed * 0x2545f4914f6cdd1dull;
}

int fixture_read(const char *text, size_t size, struct ssdpm_model **ret_model,
		 struct ssdpm_error *reterr)
{
	struct ssdpm_model **models = UNTOUCHED;
	char *copy = malloc(size ? size : 1);
	size_t n = 77;
	int err;

	memcpy(copy, text, size);
	err = ssdpm_model_list_from_data(copy, size, &models, &n, reterr);
	free(copy);
	if (err) {
		assert_ptr_equal(models, UNTOUCHED);
		assert_int_equal(n, 77);
		return err;
	}
	assert_int_equal(n, 1);
	*ret_model = ssdpm_model_ref(models[0]);
	ssdpm_model_list_free(models, n);
	return 0;
}

struct ssdpm_model *fixture_read_good(const char *text)
{
	struct ssdpm_error error = fixture_error(), before = error;
	struct ssdpm_model *model = NULL;

	if (fixture_read(text, strlen(text), &model, &error))
		print_error("%s\n%u: %s\n", text, error.line, error.message);
	assert_non_null(model);
	assert_memory_equal(&error, &before, sizeof(error));
	return model;
}

void fixture_assert_bad(const char *text, int code, uint32_t line,
			const char *fragment)
{
	struct ssdpm_error error = fixture_error();
	struct ssdpm_model *model = UNTOUCHED;

	assert_int_equal(fixture_read(text, strlen(text), &model, &error),
			 code);
	fixture_assert_error(&error, code, line, fragment);
	assert_int_equal(fixture_read(text, strlen(text), &model, NULL), code);
	assert_ptr_equal(model, UNTOUCHED);
}

bool fixture_is_entered(const struct ssdpm_apst *table, uint32_t state)
{
	for (int i = 0; i < SSDPM_MAX_STATES; i++)
		if (table->entries[i].idle_ms &&
		    table->entries[i].target == state)
			return true;
	return false;
}

void fixture_assert_explained(const struct ssdpm_model *model,
			      const struct ssdpm_apst_params *params,
			      const struct ssdpm_apst *table,
			      unsigned long seen[8])
{
	struct ssdpm_apst_verdict v[SSDPM_MAX_STATES];
	size_t n;
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(model, &n);

	assert_int_equal(
		ssdpm_apst_explain(model, params, v, SSDPM_MAX_STATES, NULL),
		0);
	for (uint32_t i = 0; i < n; i++) {
		bool used = v[i].verdict == SSDPM_VERDICT_USED;
		bool asleep = states[i].flags & SSDPM_STATE_NON_OPERATIONAL;

		assert_int_equal(v[i].state, i);
		assert_int_equal(used, fixture_is_entered(table, i));
		assert_int_equal(v[i].verdict == SSDPM_VERDICT_OPERATIONAL,
				 !asleep);
		assert_non_null(ssdpm_verdict_to_string(v[i].verdict));
		assert_in_range(strlen(v[i].reason), 1,
				sizeof(v[i].reason) - 2);
		seen[v[i].verdict]++;
	}
}

static void assert_table(const struct ssdpm_model *model,
			 const struct ssdpm_apst_params *params,
			 const struct fixture_made *expected, size_t n)
{
	struct ssdpm_error error = fixture_error(), before = error;
	struct ssdpm_apst table;

	memset(&table, 0x5a, sizeof(table));
	assert_int_equal(ssdpm_apst_generate(model, params, &table, &error), 0);
	assert_memory_equal(&error, &before, sizeof(error));
	assert_int_equal(ssdpm_apst_validate(model, &table, NULL), 0);
	assert_int_equal(table.sent, 1);
	assert_int_equal(table.enabled, 1);
	for (size_t i = 0; i < SSDPM_MAX_STATES; i++) {
		uint32_t target = i < n ? expected[i].target : 0;
		uint32_t idle_ms = i < n ? expected[i].idle_ms : 0;

		assert_int_equal(table.entries[i].target, target);
		assert_int_equal(table.entries[i].idle_ms, idle_ms);
	}
}

void fixture_assert_made(struct ssdpm_model *model,
			 const struct ssdpm_apst_params *params,
			 const struct fixture_made *expected, size_t n)
{
	struct ssdpm_apst_verdict v[SSDPM_MAX_STATES];

	assert_table(model, params, expected, n);
	assert_int_equal(
		ssdpm_apst_explain(model, params, v, SSDPM_MAX_STATES, NULL),
		0);
	for (size_t i = 0; i < n; i++) {
		if (!expected[i].reason)
			continue;
		assert_int_equal(v[i].state, i);
		assert_string_equal(v[i].reason, expected[i].reason);
		assert_int_equal(v[i].verdict, expected[i].verdict);
	}
	ssdpm_model_unref(model);
}

size_t fixture_count_files(const struct ssdpm_persist *persist)
{
	struct ssdpm_persist_file file = { .size = sizeof(file) };
	size_t n = 0;

	while (!ssdpm_persist_get_file(persist, n, &file))
		n++;
	return n;
}
