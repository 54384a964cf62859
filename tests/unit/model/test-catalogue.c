/* SPDX-License-Identifier: MIT */
/* The catalogue: built-in drives, a caller's drives, and searches. */
#include "calls.h"
#include "fixture.h"

#include <stdio.h>
#include <strings.h>

#define MAX_ROWS 4096
#define MAX_MATCHES 512

/* The catalogue that is built in. */
static struct ssdpm_catalogue *built_in;
static uint32_t n_built_in;

static int open_catalogue(void **state)
{
	(void)state;
	if (ssdpm_catalogue_new(NULL, 0, &built_in, NULL))
		return -1;
	n_built_in = fixture_count_rows(built_in);
	return 0;
}

static int close_catalogue(void **state)
{
	(void)state;
	ssdpm_catalogue_free(built_in);
	return 0;
}

static const char *product_of(const struct ssdpm_catalogue *c, uint32_t i)
{
	return fixture_row(c, i).product;
}

static const char *firmware_of(const struct ssdpm_catalogue *c, uint32_t i)
{
	const char *firmware = fixture_row(c, i).firmware;

	return firmware ? firmware : "";
}

/* Adds a caller's drive as our JSON. */
static void add_json(char *text, size_t size, const char *product,
		     const char *firmware, uint32_t exit_us)
{
	size_t length = strlen(text);

	snprintf(text + length, size - length,
		 "%c{\"schema\": \"ssdpm.model/1\", \"kind\": \"nvme\","
		 "\"product\": \"%s\", \"firmware\": %s%s%s, \"states\": ["
		 "{\"operational\": false, \"exit_latency_us\": %u}]}",
		 length ? ',' : '[', product, firmware ? "\"" : "",
		 firmware ? firmware : "null", firmware ? "\"" : "", exit_us);
}

static struct ssdpm_catalogue *from_json(char *text)
{
	struct ssdpm_catalogue *catalogue;
	struct ssdpm_error error = { .message = "" };

	strcat(text, "]");
	if (ssdpm_catalogue_new(text, strlen(text), &catalogue, &error))
		fail_msg("%s", error.message);
	return catalogue;
}

/* A search, and the result of a plain count over all rows. */
struct plain {
	const struct ssdpm_catalogue *catalogue;
	const char *name, *firmware;
	bool exact;
	uint64_t seen[MAX_ROWS]; /* by table */
	uint32_t n_rows, n_tables;
};

static bool plain_match(const struct plain *p, uint32_t i)
{
	const char *product = product_of(p->catalogue, i);

	if (p->firmware &&
	    strcasecmp(firmware_of(p->catalogue, i), p->firmware))
		return false;
	return p->exact ? !strcasecmp(product, p->name) :
			  !strncasecmp(product, p->name, strlen(p->name));
}

static void plain_count(struct plain *p)
{
	memset(p->seen, 0, sizeof(p->seen));
	p->exact = false;
	for (uint32_t i = 0; i < n_built_in; i++)
		p->exact |= !strcasecmp(product_of(p->catalogue, i), p->name);
	p->n_rows = p->n_tables = 0;
	for (uint32_t i = 0; i < n_built_in; i++) {
		uint32_t table = fixture_row(p->catalogue, i).table;

		if (!plain_match(p, i))
			continue;
		p->n_rows++;
		p->n_tables += !p->seen[table];
		p->seen[table] += fixture_row(p->catalogue, i).seen;
	}
}

/* The most-seen table; if equal, the first row's. */
static uint32_t plain_best(const struct plain *p)
{
	uint32_t best = 0;

	for (uint32_t i = 0; i < n_built_in; i++) {
		uint32_t table = fixture_row(p->catalogue, i).table;

		if (plain_match(p, i) && p->seen[table] > p->seen[best])
			best = table;
	}
	return best;
}

/* The next match; removes it from the count. */
static void assert_next(struct plain *p,
			const struct ssdpm_catalogue_match *match)
{
	uint32_t table = plain_best(p);
	uint32_t most = fixture_row(p->catalogue, match->index).seen;
	uint32_t n = 0;

	assert_int_equal(fixture_row(p->catalogue, match->index).table, table);
	assert_int_equal(match->seen, p->seen[table]);
	assert_int_equal(match->exact, p->exact);
	assert_int_equal(match->n_matches, p->n_rows);
	assert_int_equal(match->n_tables, p->n_tables);
	assert_true(plain_match(p, match->index));
	for (uint32_t i = 0; i < n_built_in; i++) {
		uint32_t row_seen = fixture_row(p->catalogue, i).seen;

		if (fixture_row(p->catalogue, i).table != table ||
		    !plain_match(p, i))
			continue;
		n++;
		assert_true(row_seen <= most);
		assert_true(row_seen < most || i >= match->index);
	}
	assert_int_equal(match->n_rows, n);
	p->seen[table] = 0;
}

static void assert_as_plain(const char *name, const char *firmware)
{
	static struct ssdpm_catalogue_match others[MAX_MATCHES];
	static struct plain p;
	struct ssdpm_catalogue_match match;
	struct ssdpm_error error = { .message = "" };
	size_t n;

	p.catalogue = built_in;
	p.name = name;
	p.firmware = firmware;
	plain_count(&p);
	if (ssdpm_catalogue_find(built_in, name, firmware, &match, &error)) {
		assert_int_equal(error.code, -ENOENT);
		assert_int_equal(p.n_rows, 0);
		return;
	}
	assert_next(&p, &match);
	assert_int_equal(find_alternatives(built_in, name, firmware, others,
					   MAX_MATCHES, &n, NULL),
			 0);
	assert_int_equal(n, match.n_tables - 1);
	for (size_t i = 0; i < n; i++)
		assert_next(&p, &others[i]);
}

static void every_lookup_is_what_a_plain_count_gives(void **state)
{
	/* With few cases, every fifth; each is counted over all rows. */
	uint32_t step = fixture_cases(8) < 8 ? 5 : 1;

	(void)state;
	for (uint32_t i = 0; i < n_built_in; i += step) {
		const char *product = product_of(built_in, i);
		char name[64];

		assert_as_plain(product, NULL);
		assert_as_plain(product, firmware_of(built_in, i));
		snprintf(name, sizeof(name), "%.*s",
			 1 + (int)(i % strlen(product)), product);
		/* blanks at the end are no part of a name */
		while (name[strlen(name) - 1] == ' ')
			name[strlen(name) - 1] = 0;
		assert_as_plain(name, i % 3 ? NULL : firmware_of(built_in, i));
	}
}

static void letters_and_blanks_around_do_not_matter(void **state)
{
	static const char *const names[] = {
		"WDC PC SN530 SDBPNPZ-256G-1006",
		"wdc pc sn530 sdbpnpz-256g-1006",
		"  WDC PC SN530 SDBPNPZ-256G-1006   ",
	};
	struct ssdpm_catalogue_match first, match;

	(void)state;
	assert_int_equal(
		ssdpm_catalogue_find(built_in, names[0], NULL, &first, NULL),
		0);
	assert_int_equal(first.exact, 1);
	assert_string_equal(product_of(built_in, first.index), names[0]);
	for (size_t i = 1; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(ssdpm_catalogue_find(built_in, names[i], NULL,
						      &match, NULL),
				 0);
		assert_memory_equal(&match, &first, sizeof(match));
	}
}

static void rows_are_sorted_and_plausible(void **state)
{
	uint32_t n_nvme = 0, n_sata = 0;

	(void)state;
	for (uint32_t i = 0; i < n_built_in; i++) {
		struct ssdpm_model *model;
		int order;

		assert_true(fixture_row(built_in, i).seen >= 1);
		assert_true(fixture_row(built_in, i).table >= 1);
		assert_int_equal(
			ssdpm_catalogue_get_model(built_in, i, &model, NULL),
			0);
		if (ssdpm_model_get_info(model)->kind == SSDPM_KIND_NVME)
			n_nvme++;
		else
			n_sata++;
		ssdpm_model_unref(model);
		if (!i)
			continue;
		order = strcasecmp(product_of(built_in, i - 1),
				   product_of(built_in, i));
		assert_true(order <= 0);
		if (!order)
			assert_true(strcasecmp(firmware_of(built_in, i - 1),
					       firmware_of(built_in, i)) <= 0);
	}
	assert_true(n_nvme > 1000);
	assert_true(n_sata > 50);
}

static void rows_with_the_same_table_have_the_same_states(void **state)
{
	static struct ssdpm_model *models[MAX_ROWS];

	(void)state;
	for (uint32_t i = 0; i < n_built_in; i++) {
		uint32_t t = fixture_row(built_in, i).table;
		struct ssdpm_model *model;
		size_t n, n_other;

		assert_int_equal(
			ssdpm_catalogue_get_model(built_in, i, &model, NULL),
			0);
		if (!models[t]) {
			models[t] = model;
			continue;
		}
		ssdpm_model_get_states(model, &n);
		ssdpm_model_get_states(models[t], &n_other);
		assert_int_equal(n, n_other);
		assert_memory_equal(ssdpm_model_get_states(model, NULL),
				    ssdpm_model_get_states(models[t], NULL),
				    n * sizeof(struct ssdpm_power_state));
		ssdpm_model_unref(model);
	}
	for (uint32_t t = 0; t < MAX_ROWS; t++)
		ssdpm_model_unref(models[t]);
}

static struct ssdpm_model *model_of(const char *product, const char *firmware)
{
	struct ssdpm_catalogue_match match;
	struct ssdpm_model *model;

	assert_int_equal(
		ssdpm_catalogue_find(built_in, product, firmware, &match, NULL),
		0);
	assert_int_equal(
		ssdpm_catalogue_get_model(built_in, match.index, &model, NULL),
		0);
	return model;
}

/* lib/data/nvme-drives.tsv has these numbers. */
static void an_nvme_row_becomes_a_model(void **state)
{
	struct ssdpm_model *model =
		model_of("SAMSUNG MZWLJ7T6HALA-00AU3", "EPK9CR5Q");
	const struct ssdpm_model_info *info = ssdpm_model_get_info(model);
	const struct ssdpm_power_state *s;
	size_t n;

	(void)state;
	s = ssdpm_model_get_states(model, &n);
	assert_int_equal(n, 1);
	assert_int_equal(info->kind, SSDPM_KIND_NVME);
	assert_int_equal(info->vendor_id, 0x144d);
	assert_int_equal(info->provenance, SSDPM_PROVENANCE_CATALOGUE);
	assert_int_equal(info->unknown, SSDPM_INFO_APSTA);
	assert_int_equal(info->format, 0);
	assert_int_equal(s->max_power_uw, 25000000);
	assert_int_equal(s->active_power_uw, 19000000);
	assert_int_equal(s->idle_power_uw, 7000000);
	assert_int_equal(s->active_power_workload, 2);
	assert_int_equal(s->not_reported,
			 SSDPM_FIELD_ENTRY_LATENCY | SSDPM_FIELD_EXIT_LATENCY);
	assert_int_equal(s->unknown,
			 SSDPM_FIELD_EMERGENCY_POWER_FAIL_RECOVERY_TIME |
				 SSDPM_FIELD_FORCED_QUIESCENCE_VAULT_TIME |
				 SSDPM_FIELD_EMERGENCY_POWER_FAIL_VAULT_TIME);
	ssdpm_model_unref(model);
}

static void
what_smartctl_printed_has_no_idle_power_and_active_where_one_scale_fits(
	void **state)
{
	struct ssdpm_model *model =
		model_of("WDC PC SN530 SDBPNPZ-256G-1006", NULL);
	const struct ssdpm_power_state *s;
	size_t n;

	(void)state;
	s = ssdpm_model_get_states(model, &n);
	for (size_t i = 0; i < n; i++) {
		assert_true(s[i].unknown & SSDPM_FIELD_IDLE_POWER);
		assert_int_equal(!(s[i].unknown & SSDPM_FIELD_ACTIVE_POWER),
				 !(s[i].flags & SSDPM_STATE_NON_OPERATIONAL));
		assert_true(s[i].active_power_uw <= s[i].max_power_uw);
		assert_false(s[i].not_reported & SSDPM_FIELD_IDLE_POWER);
		assert_false(s[i].unknown & SSDPM_FIELD_MAX_POWER);
	}
	ssdpm_model_unref(model);
}

static void assert_link(const struct ssdpm_power_state *s, uint32_t link,
			uint32_t exit_us)
{
	uint32_t all = (1u << 13) - 1;

	assert_int_equal(s->link_state, link);
	assert_int_equal(s->exit_latency_us, exit_us);
	assert_int_equal(s->flags, link == SSDPM_LINK_ACTIVE ?
					   0 :
					   SSDPM_STATE_NON_OPERATIONAL);
	assert_int_equal(s->unknown, link == SSDPM_LINK_ACTIVE ?
					     all :
					     all & ~SSDPM_FIELD_EXIT_LATENCY);
}

/* lib/data/sata-drives.tsv has these facts. */
static void a_sata_row_becomes_a_model_with_the_states_of_its_link(void **state)
{
	struct ssdpm_model *model = model_of("INTEL SSDSC2KW512G8", "LHF002C");
	const struct ssdpm_model_info *info = ssdpm_model_get_info(model);
	const struct ssdpm_power_state *s;
	size_t n;

	(void)state;
	s = ssdpm_model_get_states(model, &n);
	assert_int_equal(info->kind, SSDPM_KIND_SATA);
	assert_int_equal(info->unknown,
			 SSDPM_INFO_VENDOR_ID | SSDPM_INFO_APSTA);
	assert_int_equal(info->sata_words_valid, 1);
	assert_int_equal(info->sata_generations, 14);
	assert_int_equal(info->apm_level, 254);
	assert_int_equal(info->sata_supported,
			 SSDPM_SATA_HIPM | SSDPM_SATA_DIPM |
				 SSDPM_SATA_DEVSLEEP | SSDPM_SATA_APM);
	assert_int_equal(info->sata_supported_unknown,
			 SSDPM_SATA_DEVICE_AUTO_PARTIAL_TO_SLUMBER |
				 SSDPM_SATA_HOST_AUTO_PARTIAL_TO_SLUMBER);
	assert_int_equal(info->sata_enabled, SSDPM_SATA_APM);
	assert_int_equal(info->sata_enabled_unknown,
			 SSDPM_SATA_HIPM |
				 SSDPM_SATA_DEVICE_AUTO_PARTIAL_TO_SLUMBER |
				 SSDPM_SATA_HOST_AUTO_PARTIAL_TO_SLUMBER);
	assert_int_equal(n, 4);
	assert_link(&s[0], SSDPM_LINK_ACTIVE, 0);
	assert_link(&s[1], SSDPM_LINK_PARTIAL, 10);
	assert_link(&s[2], SSDPM_LINK_SLUMBER, 10000);
	assert_link(&s[3], SSDPM_LINK_DEVSLEEP, 20000);
	ssdpm_model_unref(model);
}

static void assert_not_found(const struct ssdpm_catalogue *catalogue,
			     const char *name, const char *firmware, int code,
			     const char *fragment)
{
	struct ssdpm_error error = fixture_error();
	struct ssdpm_catalogue_match match = { .index = 77 }, others[1];
	size_t n = 78;

	assert_int_equal(
		ssdpm_catalogue_find(catalogue, name, firmware, &match, &error),
		code);
	fixture_assert_error(&error, code, 0, fragment);
	assert_int_equal(
		ssdpm_catalogue_find(catalogue, name, firmware, &match, NULL),
		code);
	assert_int_equal(match.index, 77);
	assert_int_equal(find_alternatives(catalogue, name, firmware, others, 1,
					   &n, &error),
			 code);
	assert_int_equal(n, 78);
}

static void words_of_a_name_find_it(void **state)
{
	static const struct {
		const char *name, *product;
	} cases[] = {
		{ "sn530", "WDC PC SN530 SDBPNPZ-256G-1006" },
		{ "970 EVO Plus", "Samsung SSD 970 EVO Plus 500GB" },
		{ "samsung 970 plus", "Samsung SSD 970 EVO Plus 500GB" },
		{ "Samsung SSD 970 EVO Plus 4TB",
		  "Samsung SSD 970 EVO Plus 500GB" },
		/* "PCIe SSD" exists: this is another name. */
		{ "PCIe SSD 4TB", "PCIe SSD" },
	};
	struct ssdpm_catalogue_match match;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(ssdpm_catalogue_find(built_in, cases[i].name,
						      NULL, &match, NULL),
				 0);
		assert_int_equal(match.exact, 0);
		assert_string_equal(fixture_row(built_in, match.index).product,
				    cases[i].product);
	}
	/* Words in another order, and short parts, find nothing. */
	assert_int_equal(ssdpm_catalogue_find(built_in, "plus evo 970", NULL,
					      &match, NULL),
			 -ENOENT);
	assert_int_equal(
		ssdpm_catalogue_find(built_in, "30", NULL, &match, NULL),
		-ENOENT);
}

static void a_capacity_that_nobody_has_seen_is_as_the_others(void **state)
{
	static const struct {
		const char *name, *part; /* of the product; NULL: nothing */
	} cases[] = {
		{ "CT8000P3SSD8", "CT500P3SSD8" },
		{ "ct8000p5ssd8", "P5SSD8" },
		{ "KINGSTON SNV2S8000G", "KINGSTON SNV2S" },
		{ "SNV2S8000G", "KINGSTON SNV2S" },
		{ "KINGSTON SA2000M82000G", "KINGSTON SA2000M8" },
		{ "WDC WDS400T2B0C-00PXH0", "T2B0C-00PXH0" },
		{ "WDC PC SN530 SDBPNPZ-2T00-1006", "SDBPNPZ-256G-1006" },
		{ "KXG60ZNV2T04 TOSHIBA", "KXG60ZNV" },
		{ "KXG60ZNV2T04 NVMe TOSHIBA 2048GB", "NVMe TOSHIBA" },
		{ "INTEL SSDPEKNW040T8", "INTEL SSDPEKNW" },
		{ "SKHynix_HFS002TDE9X081N", "DE9X081N" },
		{ "Samsung SSD 970 EVO 4TB", "Samsung SSD 970 EVO " },
		/* Numbers that are no capacities, and other families. */
		{ "CT8000P4SSD8", NULL },
		{ "KINGSTON SNV9S500G", NULL },
		{ "Corsair MP800", NULL },
		{ "ADATA LEGEND 960", NULL },
		{ "8000G", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ssdpm_catalogue_match match = { .index = 0 };
		int err = ssdpm_catalogue_find(built_in, cases[i].name, NULL,
					       &match, NULL);

		assert_int_equal(err, cases[i].part ? 0 : -ENOENT);
		if (err)
			continue;
		assert_int_equal(match.exact, 0);
		assert_int_equal(match.other_capacity, 1);
		assert_non_null(
			strstr(fixture_row(built_in, match.index).product,
			       cases[i].part));
	}
}

static void a_drive_of_another_capacity_is_not_one_of_another_name(void **state)
{
	struct ssdpm_catalogue_match match;

	(void)state;
	/* Not the 970 EVO Plus, whose name has the same beginning. */
	assert_int_equal(ssdpm_catalogue_find(built_in,
					      "Samsung SSD 970 EVO 4TB", NULL,
					      &match, NULL),
			 0);
	assert_null(strstr(fixture_row(built_in, match.index).product, "Plus"));
	assert_int_equal(ssdpm_catalogue_find(built_in, "CT4000P3SSD8", NULL,
					      &match, NULL),
			 0);
	assert_int_equal(match.exact, 1);
	assert_int_equal(match.other_capacity, 0);
}

static void what_is_not_there_is_enoent_and_similar_names_are_named(
	void **state)
{
	(void)state;
	assert_not_found(built_in, "WDC PC SN999", NULL, -ENOENT,
			 "not in the catalogue; did you mean WDC PC SN520");
	/* One wrong letter in the word that matters. */
	assert_not_found(built_in, "WDC PC SM530", NULL, -ENOENT,
			 "; did you mean WDC PC SN530 ");
	assert_not_found(built_in, "Samsng 970", NULL, -ENOENT,
			 "; did you mean Samsung SSD 970 EVO 1TB, ");
	assert_not_found(built_in, "wdc nonsense", NULL, -ENOENT,
			 "did you mean ");
	assert_not_found(built_in, "Frobnicate 3000", NULL, -ENOENT,
			 "not in the catalogue");
	assert_not_found(built_in, "A name of forty-one characters, one more!",
			 NULL, -ENOENT, "more than 40 characters");
	assert_not_found(built_in, "", NULL, -EINVAL, "product: empty");
	assert_not_found(built_in, "   ", NULL, -EINVAL, "product: empty");
	assert_not_found(built_in, "SAMSUNG MZWLJ7T6HALA-00AU3", "X", -ENOENT,
			 "but not with firmware X; it has EPK9CR5Q");
	assert_not_found(built_in, "WDC", "NONE", -ENOENT, " and others");
	assert_not_found(built_in, "\xff\x80", NULL, -ENOENT,
			 "not in the catalogue");
	/* the longest name there can be */
	assert_not_found(built_in, "W234567890123456789012345678901234567890",
			 NULL, -ENOENT, "not in the catalogue");
}

static void two_letters_of_a_word_are_no_similar_name(void **state)
{
	static const char *const names[] = { "nosuch", "xyz", "foo" };
	struct ssdpm_error error;
	struct ssdpm_catalogue_match match;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(ssdpm_catalogue_find(built_in, names[i], NULL,
						      &match, &error),
				 -ENOENT);
		assert_string_equal(error.message, "not in the catalogue");
	}
}

static void names_that_are_too_long_for_a_message_are_left_out(void **state)
{
	struct ssdpm_catalogue *catalogue;
	char text[4096] = "", name[41];

	(void)state;
	for (int i = 0; i < 5; i++) {
		snprintf(name, sizeof(name),
			 "Zzlong a-name-of-forty-characters-in-%d%d%d", i, i,
			 i);
		add_json(text, sizeof(text), name, "1", 1);
	}
	catalogue = from_json(text);
	assert_not_found(catalogue, "Zzlong x", NULL, -ENOENT,
			 "did you mean Zzlong "
			 "a-name-of-forty-characters-in-000, Zzlong "
			 "a-name-of-forty-characters-in-111, Zzlong "
			 "a-name-of-forty-characters-in-222");
	assert_null(ssdpm_catalogue_free(NULL));
	assert_null(ssdpm_catalogue_free(catalogue));
}

static void a_row_that_is_not_there_has_nothing(void **state)
{
	struct ssdpm_error error = fixture_error();
	struct ssdpm_model *model = UNTOUCHED;

	(void)state;
	assert_null(fixture_row(built_in, n_built_in).product);
	assert_null(fixture_row(built_in, UINT32_MAX).firmware);
	assert_int_equal(fixture_row(built_in, n_built_in).seen, 0);
	assert_int_equal(fixture_row(built_in, n_built_in).table, 0);
	assert_int_equal(
		ssdpm_catalogue_get_model(built_in, n_built_in, &model, &error),
		-ERANGE);
	assert_ptr_equal(model, UNTOUCHED);
	fixture_assert_error(&error, -ERANGE, 0, "is no row");
}

static void fewer_alternatives_are_written_where_there_is_less_room(
	void **state)
{
	struct ssdpm_catalogue_match match, all[MAX_MATCHES], two[2];
	size_t n;

	(void)state;
	assert_int_equal(
		ssdpm_catalogue_find(built_in, "Samsung", NULL, &match, NULL),
		0);
	assert_int_equal(match.exact, 0);
	assert_true(match.n_tables > 3);
	assert_int_equal(find_alternatives(built_in, "Samsung", NULL, all,
					   MAX_MATCHES, &n, NULL),
			 0);
	assert_int_equal(
		find_alternatives(built_in, "Samsung", NULL, two, 2, &n, NULL),
		0);
	assert_int_equal(n, 2);
	assert_memory_equal(two, all, sizeof(two));
	assert_int_equal(
		find_alternatives(built_in, "Samsung", NULL, NULL, 0, &n, NULL),
		0);
	assert_int_equal(n, 0);
}

static void drives_of_a_caller_join_the_built_in_ones(void **state)
{
	char text[4096] = "";
	struct ssdpm_catalogue_match match;
	struct ssdpm_catalogue *catalogue;
	struct ssdpm_model *model;
	size_t n;

	(void)state;
	add_json(text, sizeof(text), "zz own drive", "2", 20);
	add_json(text, sizeof(text), "AA Own Drive", NULL, 10);
	add_json(text, sizeof(text), "ZZ Own Drive", "1", 20);
	add_json(text, sizeof(text), "ZZ Own Drive", "0", 10);
	catalogue = from_json(text);
	assert_int_equal(fixture_count_rows(catalogue), n_built_in + 4);
	assert_int_equal(
		ssdpm_catalogue_find(catalogue, "zz own", NULL, &match, NULL),
		0);
	assert_int_equal(match.n_matches, 3);
	assert_int_equal(match.n_tables, 2);
	assert_int_equal(match.n_rows, 2);
	assert_int_equal(match.seen, 2);
	assert_string_equal(firmware_of(catalogue, match.index), "1");
	assert_int_equal(fixture_row(catalogue, match.index).seen, 1);
	assert_int_equal(
		ssdpm_catalogue_get_model(catalogue, match.index, &model, NULL),
		0);
	ssdpm_catalogue_free(catalogue); /* the model stays */
	assert_int_equal(ssdpm_model_get_states(model, &n)->exit_latency_us,
			 20);
	assert_int_equal(ssdpm_model_get_info(model)->provenance,
			 SSDPM_PROVENANCE_CATALOGUE);
	ssdpm_model_unref(model);
}

static void an_own_drive_without_a_firmware_has_none(void **state)
{
	struct ssdpm_catalogue_match match;
	struct ssdpm_catalogue *catalogue;
	char text[1024] = "";

	(void)state;
	add_json(text, sizeof(text), "AA Own Drive", NULL, 10);
	catalogue = from_json(text);
	assert_int_equal(ssdpm_catalogue_find(catalogue, "aa own drive", NULL,
					      &match, NULL),
			 0);
	assert_null(fixture_row(catalogue, match.index).firmware);
	assert_int_equal(ssdpm_catalogue_find(catalogue, "aa own drive", "1",
					      &match, NULL),
			 -ENOENT);
	ssdpm_catalogue_free(catalogue);
}

static void an_own_drive_takes_the_place_of_its_namesakes(void **state)
{
	const char *product = "Patriot M.2 P300 256GB";
	struct ssdpm_catalogue_match before, match;
	struct ssdpm_catalogue *catalogue;
	char text[1024] = "", firmware[16];

	(void)state;
	assert_int_equal(
		ssdpm_catalogue_find(built_in, product, NULL, &before, NULL),
		0);
	assert_true(before.n_matches > 2 && before.seen > 1);
	snprintf(firmware, sizeof(firmware), "%s",
		 firmware_of(built_in, before.index));
	for (char *c = firmware; *c; c++)
		*c |= *c >= 'A' && *c <= 'Z' ? 32 : 0;
	add_json(text, sizeof(text), "PATRIOT m.2 P300 256gb", firmware, 123);
	catalogue = from_json(text);
	assert_int_equal(
		ssdpm_catalogue_find(catalogue, product, NULL, &match, NULL),
		0);
	/* It outweighs all others, however often these were seen. */
	assert_int_equal(match.n_rows, 1);
	assert_int_equal(match.seen, 1);
	assert_string_equal(firmware_of(catalogue, match.index), firmware);
	assert_true(match.n_matches <= before.n_matches);
	assert_int_equal(ssdpm_catalogue_find(catalogue, product, firmware,
					      &match, NULL),
			 0);
	assert_int_equal(match.n_matches, 1);
	ssdpm_catalogue_free(catalogue);
}

static void an_own_drive_with_a_table_that_is_built_in_has_its_number(
	void **state)
{
	const uint32_t rows[] = { 0, n_built_in / 2, n_built_in - 1 };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		const char *product = product_of(built_in, rows[i]);
		struct ssdpm_catalogue_match match;
		struct ssdpm_catalogue *catalogue;
		struct ssdpm_model *model;
		char *text;

		assert_int_equal(ssdpm_catalogue_get_model(built_in, rows[i],
							   &model, NULL),
				 0);
		assert_int_equal(ssdpm_model_to_json(model, &text, NULL), 0);
		assert_int_equal(ssdpm_catalogue_new(text, strlen(text),
						     &catalogue, NULL),
				 0);
		assert_int_equal(
			ssdpm_catalogue_find(catalogue, product,
					     firmware_of(built_in, rows[i]),
					     &match, NULL),
			0);
		assert_int_equal(fixture_row(catalogue, match.index).seen, 1);
		assert_int_equal(fixture_row(catalogue, match.index).table,
				 fixture_row(built_in, rows[i]).table);
		ssdpm_catalogue_free(catalogue);
		ssdpm_model_unref(model);
		free(text);
	}
}

static void measured_and_assumed_numbers_stay_that(void **state)
{
	static const char text[] =
		"{\"schema\": \"ssdpm.model/1\", \"kind\": \"sata\","
		"\"product\": \"AA Mine\", \"provenance\": \"measured\","
		"\"states\": []}";
	struct ssdpm_catalogue_match match;
	struct ssdpm_catalogue *catalogue;
	struct ssdpm_model *model;

	(void)state;
	assert_int_equal(
		ssdpm_catalogue_new(text, strlen(text), &catalogue, NULL), 0);
	assert_int_equal(
		ssdpm_catalogue_find(catalogue, "AA Mine", NULL, &match, NULL),
		0);
	assert_int_equal(
		ssdpm_catalogue_get_model(catalogue, match.index, &model, NULL),
		0);
	assert_int_equal(ssdpm_model_get_info(model)->provenance,
			 SSDPM_PROVENANCE_MEASURED);
	ssdpm_model_unref(model);
	ssdpm_catalogue_free(catalogue);
}

static void assert_refused(const char *text, int code, const char *fragment)
{
	struct ssdpm_catalogue *catalogue = UNTOUCHED;
	struct ssdpm_error error = fixture_error();

	assert_int_equal(
		ssdpm_catalogue_new(text, strlen(text), &catalogue, &error),
		code);
	assert_ptr_equal(catalogue, UNTOUCHED);
	assert_int_equal(error.code, code);
	if (!strstr(error.message, fragment))
		fail_msg("%s", error.message);
}

static void own_drives_that_are_no_drives_are_refused(void **state)
{
	static char text[1 << 20];

	(void)state;
	assert_refused("", -EINVAL, "no data");
	assert_refused("[]", -EINVAL, "empty");
	assert_refused("[{\"schema\": 1}]", -EINVAL, "schema");
	add_json(text, sizeof(text), "a", "1", 1);
	add_json(text, sizeof(text), "", "1", 1);
	strcat(text, "]");
	assert_refused(text, -EINVAL, "drives[1].product");
	text[0] = 0;
	for (uint32_t i = 0; i < 1025; i++)
		add_json(text, sizeof(text), "a", "1", i);
	strcat(text, "]");
	assert_refused(text, -E2BIG, "more than 1024 different tables");
}

static void the_most_tables_of_a_caller_are_counted(void **state)
{
	static struct ssdpm_catalogue_match others[1024];
	static char text[1 << 20];
	struct ssdpm_catalogue_match match;
	struct ssdpm_catalogue *catalogue;
	size_t n;

	(void)state;
	for (uint32_t i = 0; i < 1024; i++)
		add_json(text, sizeof(text), "many", "1", i);
	catalogue = from_json(text);
	assert_int_equal(
		ssdpm_catalogue_find(catalogue, "MANY", NULL, &match, NULL), 0);
	assert_int_equal(match.n_tables, 1024);
	assert_int_equal(find_alternatives(catalogue, "many", NULL, others,
					   1024, &n, NULL),
			 0);
	assert_int_equal(n, 1023);
	/* If equal, the first one, in the caller's order. */
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(others[i].index, match.index + 1 + i);
	ssdpm_catalogue_free(catalogue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_lookup_is_what_a_plain_count_gives),
		cmocka_unit_test(letters_and_blanks_around_do_not_matter),
		cmocka_unit_test(rows_are_sorted_and_plausible),
		cmocka_unit_test(rows_with_the_same_table_have_the_same_states),
		cmocka_unit_test(an_nvme_row_becomes_a_model),
		cmocka_unit_test(
			what_smartctl_printed_has_no_idle_power_and_active_where_one_scale_fits),
		cmocka_unit_test(
			a_sata_row_becomes_a_model_with_the_states_of_its_link),
		cmocka_unit_test(words_of_a_name_find_it),
		cmocka_unit_test(
			a_capacity_that_nobody_has_seen_is_as_the_others),
		cmocka_unit_test(
			a_drive_of_another_capacity_is_not_one_of_another_name),
		cmocka_unit_test(
			what_is_not_there_is_enoent_and_similar_names_are_named),
		cmocka_unit_test(two_letters_of_a_word_are_no_similar_name),
		cmocka_unit_test(
			names_that_are_too_long_for_a_message_are_left_out),
		cmocka_unit_test(a_row_that_is_not_there_has_nothing),
		cmocka_unit_test(
			fewer_alternatives_are_written_where_there_is_less_room),
		cmocka_unit_test(drives_of_a_caller_join_the_built_in_ones),
		cmocka_unit_test(an_own_drive_without_a_firmware_has_none),
		cmocka_unit_test(an_own_drive_takes_the_place_of_its_namesakes),
		cmocka_unit_test(
			an_own_drive_with_a_table_that_is_built_in_has_its_number),
		cmocka_unit_test(measured_and_assumed_numbers_stay_that),
		cmocka_unit_test(own_drives_that_are_no_drives_are_refused),
		cmocka_unit_test(the_most_tables_of_a_caller_are_counted),
	};

	return cmocka_run_group_tests(tests, open_catalogue, close_catalogue);
}
