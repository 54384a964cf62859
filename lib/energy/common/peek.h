/* SPDX-License-Identifier: MIT */
/* The first bytes tell what it is: they are read, and then given out again. */
#ifndef SSDPM_LIB_COMMON_PEEK_H
#define SSDPM_LIB_COMMON_PEEK_H

#include "common/input.h"

#define PEEK_BYTES 6

struct peek_source {
	struct source source;
	struct source *inner;
	uint8_t head[PEEK_BYTES];
	size_t n;  /* fewer: there are no more */
	size_t at; /* those before it were given out */
};

/* A source that owns this one; on failure, the caller still does. */
int ssdpm__source_peek(struct source *inner, struct peek_source **ret_peek,
		       struct ssdpm_error *reterr);

#endif
