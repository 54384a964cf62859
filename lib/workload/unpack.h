/* SPDX-License-Identifier: MIT */
/* How packed traces are unpacked: a codec for each way of packing. */
#ifndef SSDPM_LIB_WORKLOAD_UNPACK_H
#define SSDPM_LIB_WORKLOAD_UNPACK_H

#include <dlfcn.h>
#include <string.h>

#include "workload/internal.h"

/* Bytes to take, and room for bytes to give; each side is moved on. */
struct unpack_step {
	const uint8_t *in;
	size_t n_in;
	uint8_t *out;
	size_t n_out;
};

/*
 * open() loads the library that does it. step() takes and gives what it can;
 * *ret_ended: a member (gzip) or a frame (zstd) ended, and another one may
 * begin with the next byte.
 */
struct unpack_codec {
	int (*open)(void **ret_state, struct ssdpm_error *reterr);
	int (*step)(void *state, struct unpack_step *step, bool *ret_ended,
		    struct ssdpm_error *reterr);
	void (*close)(void *state);
};

/* dlsym(3), and whether there was one: ISO C casts no object to a function. */
static inline bool ssdpm__find_function(void *library, const char *name,
					void *ret_function)
{
	void *symbol = dlsym(library, name);

	memcpy(ret_function, &symbol, sizeof(symbol));
	return symbol;
}

extern const struct unpack_codec ssdpm__unpack_gzip;
extern const struct unpack_codec ssdpm__unpack_zstd;

#endif
