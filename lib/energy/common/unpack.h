/* SPDX-License-Identifier: MIT */
/* How packed traces are unpacked: a codec for each way of packing. */
#ifndef SSDPM_LIB_COMMON_UNPACK_H
#define SSDPM_LIB_COMMON_UNPACK_H

#include "common/input.h"

/* Bytes to take, and room for bytes to give; each side is moved on. */
struct unpack_step {
	const uint8_t *in;
	size_t n_in; /* 0: the packed bytes have ended */
	uint8_t *out;
	size_t n_out;
};

/*
 * open() fills a state of zeros. step() takes and gives what it can. It sets
 * *ret_ended if a member (gzip), a frame (zstd), a stream (bzip2) or all (xz)
 * ended; another one may begin with the next byte. close() frees what the state
 * holds.
 */
struct unpack_codec {
	size_t state_bytes;
	int (*open)(void *state, struct ssdpm_error *reterr);
	int (*step)(void *state, struct unpack_step *step, bool *ret_ended,
		    struct ssdpm_error *reterr);
	void (*close)(void *state);
};

/* Each has its own file, which is built if its library was found. */
extern const struct unpack_codec ssdpm__unpack_bzip2;
extern const struct unpack_codec ssdpm__unpack_gzip;
extern const struct unpack_codec ssdpm__unpack_xz;
extern const struct unpack_codec ssdpm__unpack_zstd;

#endif
