/* SPDX-License-Identifier: MIT */
/*
 * How long the library's two central calls take for a drive with five power
 * states, and that making a table allocates nothing.
 */
#include <ssdpm.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BATCHES 501
#define CALLS_PER_BATCH 2000
#define N_STATES 5

#define APST_GENERATE_MAX_NS 100
#define IDENTIFY_DECODE_MAX_NS 1000

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

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Median over the batches of the time of one call. */
static double measure_ns(void (*call)(struct subject *),
			 struct subject *subject)
{
	static double batches[BATCHES];

	for (int i = 0; i < BATCHES; i++) {
		double start = now_ns();

		for (int j = 0; j < CALLS_PER_BATCH; j++)
			call(subject);
		batches[i] = (now_ns() - start) / CALLS_PER_BATCH;
	}
	qsort(batches, BATCHES, sizeof(batches[0]), compare);
	return batches[BATCHES / 2];
}

static bool holds(const char *name, double value, double limit)
{
	printf("bench %s %.1f <= %.0f\n", name, value, limit);
	return value <= limit;
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
					   &subject.model, NULL))
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
	ok = holds("apst_generate_ns", ns, APST_GENERATE_MAX_NS);
	ns = measure_ns(decode, &subject);
	ok = holds("identify_decode_ns", ns, IDENTIFY_DECODE_MAX_NS) && ok;
	ssdpm_model_unref(subject.model);
	return ok && subject.checksum ? 0 : 1;
}
