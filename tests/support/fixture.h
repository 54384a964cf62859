/* SPDX-License-Identifier: MIT */
/* What the unit tests share: drives made from numbers, and checks. */
#ifndef SSDPM_TESTS_FIXTURE_H
#define SSDPM_TESTS_FIXTURE_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ssdpm-energy.h>

/* A pointer that no call may follow: out parameters start as it. */
#define UNTOUCHED ((void *)(uintptr_t)0x5a5a5a5a)

/* A power state descriptor, in the names of NVMe Base 2.1. */
struct psd {
	uint16_t mp;
	uint8_t mxps, nops;
	uint32_t enlat, exlat;
	uint8_t rrt, rrl, rwt, rwl;
	uint16_t idlp;
	uint8_t ips;
	uint16_t actp;
	uint8_t aps, apw;
	uint8_t epfrt, fqvt, epfvt;
	uint8_t epfrts, fqvts, epfvts;
};

/* All that APST looks at. */
struct latencies {
	uint32_t nops, entry, exit;
};

/* Fill id, SSDPM_NVME_IDENTIFY_BYTES long, for a drive with n states. */
void fixture_identify(uint8_t *id, const struct psd *psds, size_t n);

/* Put one descriptor into its place. */
void fixture_put_psd(uint8_t *id, size_t state, const struct psd *psd);

/* Decode id; free the model with ssdpm_model_unref(). */
struct ssdpm_model *fixture_decode(const uint8_t *id);

/* What becomes of one descriptor. */
struct ssdpm_power_state fixture_decode_psd(const struct psd *psd);

struct ssdpm_model_info fixture_info(void);

struct ssdpm_model *fixture_model(const struct latencies *states, size_t n);

/* A row of a catalogue; all of it is 0 where there is none. */
struct ssdpm_catalogue_row fixture_row(const struct ssdpm_catalogue *catalogue,
				       uint32_t index);
uint32_t fixture_count_rows(const struct ssdpm_catalogue *catalogue);

/*
 * IDENTIFY DEVICE data of "Fixture SATA SSD", firmware "FW 2.0": three
 * generations, DIPM supported and enabled, DevSleep supported, HIPM and
 * automatic transitions not, APM at level 128. Without an integrity word.
 */
void fixture_ata_words(uint16_t words[256]);

/* As a drive sends them. */
void fixture_ata_bytes(const uint16_t words[256], uint8_t bytes[512]);

/* A text of n words, its first character high, padded with blanks. */
void fixture_ata_text(uint16_t *words, size_t n, const char *text);

/* 32 states in which every field has another value, and some have none. */
struct ssdpm_model *fixture_rich_model(void);

/* An array of their JSON; free() it. */
char *fixture_models_text(struct ssdpm_model *const *models, size_t n);

/* Struct for struct. */
void fixture_assert_same(const struct ssdpm_model *a,
			 const struct ssdpm_model *b);

/* Every member, and that fragment is a part of the message. */
void fixture_assert_error(const struct ssdpm_error *error, int code,
			  uint32_t line, const char *fragment);

/* An error in which any change can be seen. */
struct ssdpm_error fixture_error(void);

/*
 * How many random cases to try: n, or, where SSDPM_FEW_CASES is set because
 * all of them have run elsewhere, a quarter.
 */
uint64_t fixture_cases(uint64_t n);

/* How far from one call that fails to the next: 1, or 3 there. */
int fixture_stride(void);

/*
 * Run test for each row of an array, a test by itself: its state is the row,
 * and its name what the first member points to.
 */
#define FIXTURE_RUN_ROWS(rows, test)                                    \
	fixture_run_rows(#rows, rows, sizeof(rows) / sizeof((rows)[0]), \
			 sizeof((rows)[0]), test)
int fixture_run_rows(const char *group, const void *rows, size_t n, size_t size,
		     CMUnitTestFunction test);

/* Reproducible noise: xorshift64*. */
uint64_t fixture_random(uint64_t *seed);

/* Read a copy that ends where the text does: one drive. */
int fixture_read(const char *text, size_t size, struct ssdpm_model **ret_model,
		 struct ssdpm_error *reterr);
struct ssdpm_model *fixture_read_good(const char *text);
void fixture_assert_bad(const char *text, int code, uint32_t line,
			const char *fragment);

/* All records of a trace; let go of ios with free(). */
struct fixture_trace {
	struct ssdpm_io *ios;
	size_t n;
	struct ssdpm_trace_counts counts;
};

/*
 * Read the rest, max records at a time, and close it. Return what failed: the
 * records before that are there too.
 */
int fixture_drain_trace(struct ssdpm_trace *trace, size_t max,
			struct fixture_trace *ret_trace,
			struct ssdpm_error *reterr);

/* The same with a copy that ends where the data do; params may be NULL. */
int fixture_read_before(const void *data, size_t size,
			const struct ssdpm_trace_params *params, size_t max,
			struct fixture_trace *ret_trace,
			struct ssdpm_error *reterr);

/* The same, where a failure leaves nothing. */
int fixture_read_trace(const void *data, size_t size,
		       const struct ssdpm_trace_params *params, size_t max,
		       struct fixture_trace *ret_trace,
		       struct ssdpm_error *reterr);

/* Does a transition of the table lead to this state? */
bool fixture_is_entered(const struct ssdpm_apst *table, uint32_t state);

/*
 * Each state has its verdict: used is what some entry of the table enters. seen
 * counts the verdicts.
 */
void fixture_assert_explained(const struct ssdpm_model *model,
			      const struct ssdpm_apst_params *params,
			      const struct ssdpm_apst *table,
			      unsigned long seen[8]);

/* An entry of a table and a verdict; reason NULL: whatever that is. */
struct fixture_made {
	uint32_t target, idle_ms;
	uint32_t verdict;
	const char *reason;
};

/* The sound table and the verdicts of n states; lets go of the model. */
void fixture_assert_made(struct ssdpm_model *model,
			 const struct ssdpm_apst_params *params,
			 const struct fixture_made *expected, size_t n);

/* How many files a program is to get. */
size_t fixture_count_files(const struct ssdpm_persist *persist);

#endif
