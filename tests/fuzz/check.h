/* SPDX-License-Identifier: MIT */
/* Properties of everything that was read. */
#ifndef SSDPM_TESTS_FUZZ_CHECK_H
#define SSDPM_TESTS_FUZZ_CHECK_H

#include <ssdpm-energy.h>

/* One run of a target: libFuzzer's name. target.c makes it FUZZ_TARGET. */
typedef int fuzz_target(const uint8_t *data, size_t size);
fuzz_target LLVMFuzzerTestOneInput;

fuzz_target fuzz_apst_data, fuzz_ata_identify, fuzz_bisect, fuzz_capture,
	fuzz_data, fuzz_faults, fuzz_ftl, fuzz_gaps, fuzz_gaps_data,
	fuzz_identify, fuzz_intent, fuzz_iops_log, fuzz_model_json,
	fuzz_observe, fuzz_overlay, fuzz_power, fuzz_prediction, fuzz_profiles,
	fuzz_quirks, fuzz_sim, fuzz_survey, fuzz_text, fuzz_trace_biosnoop,
	fuzz_trace_blkparse, fuzz_trace_blktrace, fuzz_trace_delimited,
	fuzz_trace_fio, fuzz_trace_npy, fuzz_trace_tools, fuzz_trace_unpack;

/* The rest of an input; zeros after its end. */
struct bytes {
	const uint8_t *at;
	size_t left;
};

/* The next n of them, up to 8, as a number. */
static inline uint64_t take_number(struct bytes *bytes, unsigned n)
{
	uint64_t value = 0;

	while (n--) {
		value = value << 8;
		if (!bytes->left)
			continue;
		value |= *bytes->at++;
		bytes->left--;
	}
	return value;
}

/* Aborts with a text if it does not hold. */
void check(bool holds, const char *what);

/* An NVMe drive with APST, without a name. */
struct ssdpm_model *make_nameless_drive(const struct ssdpm_power_state *states,
					size_t n);

/* A call failed with this error; it must be as the header describes. */
void check_error(int err, const struct ssdpm_error *error);

/*
 * Sends models through JSON and back. Also runs the policy with parameters from
 * the bytes at params, and the search for oddities.
 */
void check_models(struct ssdpm_model **models, size_t n, const uint8_t *params,
		  size_t size);

/* Reads any data, and checks the drives or the error. */
void check_data(const uint8_t *data, size_t size);

/* Find and explain the quirks of a drive; host may be NULL. */
void check_quirks(const struct ssdpm_model *model,
		  const struct ssdpm_host *host);

#endif
