/* SPDX-License-Identifier: MIT */
/* Helpers of the unit tests: drives made from numbers, and checks. */
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

/* A pointer that no call may follow; out parameters start with it. */
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

/* The values that APST needs. */
struct latencies {
	uint32_t nops, entry, exit;
};

/* Fill id, SSDPM_NVME_IDENTIFY_BYTES long, for a drive with n states. */
void fixture_identify(uint8_t *id, const struct psd *psds, size_t n);

/* Writes one descriptor into its place. */
void fixture_put_psd(uint8_t *id, size_t state, const struct psd *psd);

/* Decode id; free the model with ssdpm_model_unref(). */
struct ssdpm_model *fixture_decode(const uint8_t *id);

/* Decodes one descriptor. */
struct ssdpm_power_state fixture_decode_psd(const struct psd *psd);

struct ssdpm_model_info fixture_info(void);

struct ssdpm_model *fixture_model(const struct latencies *states, size_t n);

/* A row of a catalogue; all of it is 0 where there is none. */
struct ssdpm_catalogue_row fixture_row(const struct ssdpm_catalogue *catalogue,
				       uint32_t index);
uint32_t fixture_count_rows(const struct ssdpm_catalogue *catalogue);

/*
 * IDENTIFY DEVICE data of "Fixture SATA SSD", firmware "FW 2.0". It has three
 * generations, DIPM supported and enabled, and DevSleep supported. It has no
 * HIPM, no automatic transitions, APM at level 128, and no integrity word.
 */
void fixture_ata_words(uint16_t words[256]);

/* As a drive sends them. */
void fixture_ata_bytes(const uint16_t words[256], uint8_t bytes[512]);

/* A text of n words, its first character high, padded with blanks. */
void fixture_ata_text(uint16_t *words, size_t n, const char *text);

/* 32 states with a different value in every field; some have none. */
struct ssdpm_model *fixture_rich_model(void);

/* An array of their JSON; free() it. */
char *fixture_models_text(struct ssdpm_model *const *models, size_t n);

/* Compares struct for struct. */
void fixture_assert_same(const struct ssdpm_model *a,
			 const struct ssdpm_model *b);

/* Compares every member; fragment must be a part of the message. */
void fixture_assert_error(const struct ssdpm_error *error, int code,
			  uint32_t line, const char *fragment);

/* An error in which any change shows. */
struct ssdpm_error fixture_error(void);

/*
 * The number of random cases: n, or a quarter with SSDPM_FEW_CASES, which is
 * set where all of them have run elsewhere.
 */
uint64_t fixture_cases(uint64_t n);

/* The step from one failing call to the next: 1, or 3 with SSDPM_FEW_CASES. */
int fixture_stride(void);

/*
 * Runs test for each row of an array as a separate test. Its state is the row,
 * and its name the text of the first member.
 */
#define FIXTURE_RUN_ROWS(rows, test)                                    \
	fixture_run_rows(#rows, rows, sizeof(rows) / sizeof((rows)[0]), \
			 sizeof((rows)[0]), test)
int fixture_run_rows(const char *group, const void *rows, size_t n, size_t size,
		     CMUnitTestFunction test);

/*
 * The text, and a line with the checksum that ssdpm_bisect_from_text() wants.
 * free() it.
 */
char *fixture_sealed(const char *text);

/* Reproducible noise: xorshift64*. */
uint64_t fixture_random(uint64_t *seed);

/* Reads one drive from a copy that ends with the text. */
int fixture_read(const char *text, size_t size, struct ssdpm_model **ret_model,
		 struct ssdpm_error *reterr);
struct ssdpm_model *fixture_read_good(const char *text);
void fixture_assert_bad(const char *text, int code, uint32_t line,
			const char *fragment);

/* All records of a trace; free() its ios. */
struct fixture_trace {
	struct ssdpm_io *ios;
	size_t n;
	struct ssdpm_trace_counts counts;
};

/*
 * Reads the rest, max records at a time, and closes it. Return: the failure;
 * records before it are kept.
 */
int fixture_drain_trace(struct ssdpm_trace *trace, size_t max,
			struct fixture_trace *ret_trace,
			struct ssdpm_error *reterr);

/* The same with a copy that ends with the data; params may be NULL. */
int fixture_read_before(const void *data, size_t size,
			const struct ssdpm_trace_params *params, size_t max,
			struct fixture_trace *ret_trace,
			struct ssdpm_error *reterr);

/* The same, but a failure keeps nothing. */
int fixture_read_trace(const void *data, size_t size,
		       const struct ssdpm_trace_params *params, size_t max,
		       struct fixture_trace *ret_trace,
		       struct ssdpm_error *reterr);

/* Whether a transition of the table leads to this state. */
bool fixture_is_entered(const struct ssdpm_apst *table, uint32_t state);

/*
 * Checks that each state has its verdict; used are those that some entry
 * enters. seen counts the verdicts.
 */
void fixture_assert_explained(const struct ssdpm_model *model,
			      const struct ssdpm_apst_params *params,
			      const struct ssdpm_apst *table,
			      unsigned long seen[8]);

/* An entry of a table and a verdict; reason NULL: any. */
struct fixture_made {
	uint32_t target, idle_ms;
	uint32_t verdict;
	const char *reason;
};

/* Checks the valid table and the verdicts of n states; frees the model. */
void fixture_assert_made(struct ssdpm_model *model,
			 const struct ssdpm_apst_params *params,
			 const struct fixture_made *expected, size_t n);

/* How many files a program would get. */
size_t fixture_count_files(const struct ssdpm_persist *persist);

#endif
