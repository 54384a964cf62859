/* SPDX-License-Identifier: MIT */
/* Every public function that takes a sized structure, and one rule for all. */
#ifndef SSDPM_TESTS_SIZED_H
#define SSDPM_TESTS_SIZED_H

#include "fixture.h"

/* What a function does with a sized structure. */
enum sized_way {
	SIZED_IN,     /* reads it */
	SIZED_OUT,    /* fills it, as far as size says */
	SIZED_VARIES, /* the same, with other values at each call */
	SIZED_INIT,   /* fills it, and its size is an argument */
};

/* One structure of one function: the others of the call are good. */
struct sized_case {
	const char *function;
	const char *type;
	size_t size;
	enum sized_way way;
	const void *example; /* SIZED_IN: with this the call succeeds */
	/* error: of a function without reterr, nothing. */
	int (*call)(void *sized, struct ssdpm_error *error);
};

#define SIZED(function, type, way, example, call)                         \
	{                                                                 \
#function, #type, sizeof(struct type), way, example, call \
	}

/*
 * Call it with a structure that ends where the memory does: as long as it is,
 * shorter in steps of 8 bytes, longer with and without zeros, without a size.
 */
void sized_assert(const struct sized_case *sized);

#endif
