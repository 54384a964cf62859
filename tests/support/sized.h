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
	/* Where the call takes another, in which it is a pointer: that one. */
	const void *outer;
	size_t outer_size;
	size_t member;
};

#define SIZED(function, type, way, example, call)                          \
	{                                                                  \
#function, #type, sizeof(struct type), way, example, call, \
			NULL, 0, 0                                         \
	}

/* One that is a member of what the call takes. */
#define SIZED_MEMBER(function, type, example, call, outer, member)        \
	{                                                                 \
#function, #type, sizeof(struct type), SIZED_IN, example, \
			call, &outer, sizeof(outer),                      \
			offsetof(__typeof__(outer), member)               \
	}

/* A call that makes an object, or a text, of one structure alone. */
#define SIZED_MAKES(name, function, type, destroy)              \
	static int name(void *sized, struct ssdpm_error *error) \
	{                                                       \
		type *made = NULL;                              \
		int err = function(sized, &made, error);        \
                                                                \
		destroy(made);                                  \
		return err;                                     \
	}

/* The size that a structure says. */
size_t sized_size(const void *sized);

/*
 * Call it with a structure that ends where the memory does: as long as it is,
 * shorter in steps of 8 bytes, longer with and without zeros, without a size.
 */
void sized_assert(const struct sized_case *sized);

#endif
