/* SPDX-License-Identifier: MIT */
/*
 * Times the library's two central calls for a drive with five power states, and
 * checks that making a table allocates nothing. Times how long the catalogue
 * takes to find a drive, and to make the tables of all.
 */
#include "bench.h"

#include <string.h>

#define BATCHES 501
#define CALLS_PER_BATCH 2000
#define N_STATES 5

#define APST_GENERATE_MAX_NS 100
#define IDENTIFY_DECODE_MAX_NS 1000
#define CATALOGUE_LOOKUP_MAX_NS 1000
#define CATALOGUE_ALL_MAX_MS 10
#define CATALOGUE_BATCHES 51

/*
 * In the way of libc's allocator: the program's own definitions come first for
 * the library too.
 */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

static unsigned long n_allocations;

void *malloc(size_t size)
{
	n_allocations++;
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	n_allocations++;
	return __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
	n_allocations++;
	return __libc_realloc(old, size);
}

struct subject {
	uint8_t identify[SSDPM_NVME_IDENTIFY_BYTES];
	struct ssdpm_model *model;
	struct ssdpm_catalogue *catalogue;
	uint32_t n_rows;
	uint32_t checksum; /* so that no call can be left out */
};

static void put_state(uint8_t *psd, bool operational, uint8_t power,
		      uint16_t entry_us, uint16_t exit_us)
{
	psd[0] = power; /* 0.01 W */
	psd[3] = operational ? 0 : 2;
	psd[4] = (uint8_t)entry_us;
	psd[5] = (uint8_t)(entry_us >> 8);
	psd[8] = (uint8_t)exit_us;
	psd[9] = (uint8_t)(exit_us >> 8);
	psd[16] = power;
	psd[18] = 2 << 6;
}

/* The latencies of a WD Blue SN550. */
static void make_identify(uint8_t *id)
{
	uint8_t *psd = id + 2048;

	memset(id, 0, SSDPM_NVME_IDENTIFY_BYTES);
	memset(id + 24, ' ', 40);
	memcpy(id + 24, "Bench", 5);
	memset(id + 64, ' ', 8);
	id[263] = N_STATES - 1;
	id[265] = 1;
	put_state(psd, true, 250, 0, 0);
	put_state(psd + 32, true, 240, 0, 0);
	put_state(psd + 64, true, 190, 0, 0);
	put_state(psd + 96, false, 2, 3900, 11000);
	put_state(psd + 128, false, 1, 5000, 39000);
}

static void generate(struct subject *subject)
{
	struct ssdpm_apst table;

	if (ssdpm_apst_generate(subject->model, NULL, &table, NULL))
		abort();
	subject->checksum += table.entries[0].idle_ms;
}

static void decode(struct subject *subject)
{
	struct ssdpm_model *model;

	if (ssdpm_model_from_nvme_identify(
		    subject->identify, sizeof(subject->identify), &model, NULL))
		abort();
	subject->checksum += ssdpm_model_get_info(model)->apsta;
	ssdpm_model_unref(model);
}

/* Median over the batches of the time of one call. */
static double measure_ns(void (*call)(struct subject *),
			 struct subject *subject)
{
	static double batches[BATCHES];

	for (int i = 0; i < BATCHES; i++) {
		double start = wall_ns();

		for (int j = 0; j < CALLS_PER_BATCH; j++)
			call(subject);
		batches[i] = (wall_ns() - start) / CALLS_PER_BATCH;
	}
	return median(batches, BATCHES);
}

/* Each row by its whole name, and by its name without the last two letters. */
static void look_up(struct subject *subject)
{
	struct ssdpm_catalogue_row row = { .size = sizeof(row) };
	struct ssdpm_catalogue_match match;
	char part[64];
	uint32_t n = 0;

	for (; !ssdpm_catalogue_get_row(subject->catalogue, n, &row); n++) {
		const char *name = row.product;

		snprintf(part, sizeof(part), "%.*s", (int)strlen(name) - 2,
			 name);
		if (ssdpm_catalogue_find(subject->catalogue, name, NULL, &match,
					 NULL))
			abort();
		subject->checksum += match.index;
		if (ssdpm_catalogue_find(subject->catalogue, part, NULL, &match,
					 NULL))
			abort();
		subject->checksum += match.n_rows;
	}
	subject->n_rows = n;
}

/* The table and the verdicts of each NVMe drive. */
static void generate_all(struct subject *subject)
{
	struct ssdpm_apst_verdict verdicts[SSDPM_MAX_STATES];
	struct ssdpm_model *model;
	struct ssdpm_apst table;

	for (uint32_t i = 0; i < subject->n_rows; i++) {
		if (ssdpm_catalogue_get_model(subject->catalogue, i, &model,
					      NULL))
			abort();
		if (ssdpm_model_get_info(model)->kind == SSDPM_KIND_NVME) {
			if (ssdpm_apst_generate(model, NULL, &table, NULL) ||
			    ssdpm_apst_explain(model, NULL, verdicts,
					       SSDPM_MAX_STATES, NULL))
				abort();
			subject->checksum += verdicts[0].verdict;
		}
		ssdpm_model_unref(model);
	}
}

/* Median of the time of one call, which takes long. */
static double measure_once_ns(void (*call)(struct subject *),
			      struct subject *subject)
{
	static double runs[CATALOGUE_BATCHES];

	for (int i = 0; i < CATALOGUE_BATCHES; i++) {
		double start = wall_ns();

		call(subject);
		runs[i] = wall_ns() - start;
	}
	return median(runs, CATALOGUE_BATCHES);
}

static bool measure_catalogue(struct subject *subject)
{
	double ns = measure_once_ns(look_up, subject);
	bool ok = keeps("catalogue_lookup_ns", ns / (2 * subject->n_rows),
			CATALOGUE_LOOKUP_MAX_NS);

	ns = measure_once_ns(generate_all, subject);
	return keeps("catalogue_all_ms", ns / 1e6, CATALOGUE_ALL_MAX_MS) && ok;
}

int main(void)
{
	static struct subject subject;
	unsigned long before;
	double ns;
	bool ok;

	make_identify(subject.identify);
	if (ssdpm_model_from_nvme_identify(subject.identify,
					   sizeof(subject.identify),
					   &subject.model, NULL) ||
	    ssdpm_catalogue_new(NULL, 0, &subject.catalogue, NULL))
		return 1;
	/* One call at least must be counted, or nothing is. */
	if (n_allocations == 0) {
		printf("allocations are not seen here\n");
		return 1;
	}
	before = n_allocations;
	for (int i = 0; i < CALLS_PER_BATCH; i++)
		generate(&subject);
	if (n_allocations != before) {
		printf("ssdpm_apst_generate() allocates\n");
		return 1;
	}
	ns = measure_ns(generate, &subject);
	ok = keeps("apst_generate_ns", ns, APST_GENERATE_MAX_NS);
	ns = measure_ns(decode, &subject);
	ok = keeps("identify_decode_ns", ns, IDENTIFY_DECODE_MAX_NS) && ok;
	ok = measure_catalogue(&subject) && ok;
	ssdpm_catalogue_free(subject.catalogue);
	ssdpm_model_unref(subject.model);
	return ok && subject.checksum ? 0 : 1;
}
