/* SPDX-License-Identifier: MIT */
/* How packed traces are unpacked: a codec for each way of packing. */
#ifndef SSDPM_LIB_WORKLOAD_UNPACK_H
#define SSDPM_LIB_WORKLOAD_UNPACK_H

#include "base/dynamic.h"
#include "workload/internal.h"

/* Bytes to take, and room for bytes to give; each side is moved on. */
struct unpack_step {
	const uint8_t *in;
	size_t n_in;
	uint8_t *out;
	size_t n_out;
};

/*
 * soname: the library that does it, loaded first; NULL: this build has none.
 * missing: what to say without it. open() fills a state of zeros. step() takes
 * and gives what it can; *ret_ended: a member (gzip) or a frame (zstd) ended,
 * and another one may begin with the next byte. close() lets go of what the
 * state has.
 */
struct unpack_codec {
	const char *soname;
	const char *missing;
	size_t state_bytes;
	int (*open)(void *state, void *library, struct ssdpm_error *reterr);
	int (*step)(void *state, struct unpack_step *step, bool *ret_ended,
		    struct ssdpm_error *reterr);
	void (*close)(void *state);
};

extern const struct unpack_codec ssdpm__unpack_gzip;
extern const struct unpack_codec ssdpm__unpack_zstd;

#endif
