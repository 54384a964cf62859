/* SPDX-License-Identifier: MIT */
/* Each public function that takes a sized structure, and one rule for all. */
#ifndef SSDPM_TESTS_SIZED_H
#define SSDPM_TESTS_SIZED_H

#include "fixture.h"

/* How a function uses a sized structure. */
enum sized_way {
	SIZED_IN,     /* reads it */
	SIZED_OUT,    /* fills it, as far as size says */
	SIZED_VARIES, /* the same, with other values at each call */
	SIZED_INIT,   /* fills it, and its size is an argument */
};

/* One structure of one function; the others of the call are valid. */
struct sized_case {
	const char *function;
	const char *type;
	size_t size;
	enum sized_way way;
	const void *example; /* SIZED_IN: with this the call succeeds */
	/* error: unused by a function without reterr. */
	int (*call)(void *sized, struct ssdpm_error *error);
	/*
	 * If the call takes another structure with a pointer to it: that one.
	 */
	const void *outer;
	size_t outer_size;
	size_t member;
};

#define SIZED(function, type, way, example, call)                          \
	{                                                                  \
#function, #type, sizeof(struct type), way, example, call, \
			NULL, 0, 0                                         \
	}

/* A structure that is a member of the call's argument. */
#define SIZED_MEMBER(function, type, example, call, outer, member)        \
	{                                                                 \
#function, #type, sizeof(struct type), SIZED_IN, example, \
			call, &outer, sizeof(outer),                      \
			offsetof(__typeof__(outer), member)               \
	}

/* A call that makes an object or a text from one structure alone. */
#define SIZED_MAKES(name, function, type, destroy)              \
	static int name(void *sized, struct ssdpm_error *error) \
	{                                                       \
		type *made = NULL;                              \
		int err = function(sized, &made, error);        \
                                                                \
		destroy(made);                                  \
		return err;                                     \
	}

/* The size in a structure. */
size_t sized_size(const void *sized);

/*
 * Calls it with a structure that ends where the memory does. Its sizes: whole,
 * shorter in steps of 8 bytes, longer with and without zeros, none.
 */
void sized_assert(const struct sized_case *sized);

#endif
