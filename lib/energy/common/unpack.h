/* SPDX-License-Identifier: MIT */
/* Codecs for packed traces, one for each kind of packing. */
#ifndef SSDPM_LIB_COMMON_UNPACK_H
#define SSDPM_LIB_COMMON_UNPACK_H

#include "common/input.h"

/* Bytes to read, and room for bytes to write; each side moves on. */
struct unpack_step {
	const uint8_t *in;
	size_t n_in; /* 0: no more packed bytes */
	uint8_t *out;
	size_t n_out;
};

/*
 * Functions of a codec. open() initialises a zeroed state. step() reads and
 * writes what it can. It sets *ret_ended at the end of a member (gzip), a frame
 * (zstd), a stream (bzip2) or all (xz). Another may begin with the next byte.
 * close() frees what the state holds.
 */
struct unpack_codec {
	size_t state_bytes;
	int (*open)(void *state, struct ssdpm_error *reterr);
	int (*step)(void *state, struct unpack_step *step, bool *ret_ended,
		    struct ssdpm_error *reterr);
	void (*close)(void *state);
};

/* Each has its own file, built if its library was found. */
extern const struct unpack_codec ssdpm__unpack_bzip2;
extern const struct unpack_codec ssdpm__unpack_gzip;
extern const struct unpack_codec ssdpm__unpack_xz;
extern const struct unpack_codec ssdpm__unpack_zstd;

#endif
