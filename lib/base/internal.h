/* SPDX-License-Identifier: MIT */
/* Functions that all stages share and callers do not see. */
#ifndef SSDPM_LIB_BASE_INTERNAL_H
#define SSDPM_LIB_BASE_INTERNAL_H

#include <ssdpm/base.h>

/* Fills reterr (which may be NULL) and returns code. line 0: none. */
int ssdpm__fail(struct ssdpm_error *reterr, int code, uint32_t line,
		const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Fails with -ENOMEM and the words of every failed allocation. */
int ssdpm__no_memory(struct ssdpm_error *reterr);
/* Fails with -EINVAL: a required pointer is NULL. */
int ssdpm__missing(const char *what, struct ssdpm_error *reterr);

/*
 * Ends a call that continues after failures. Copies the error of the failure
 * that it returns; leaves reterr alone if it returns none.
 */
int ssdpm__pass_on(int err, const struct ssdpm_error *error,
		   struct ssdpm_error *reterr);

/*
 * Length of the UTF-8 sequence at text (RFC 3629: no overlong form, no
 * surrogate, nothing above U+10FFFF), or 0.
 */
size_t ssdpm__utf8_length(const unsigned char *text, size_t size);

/*
 * The rule for every sized structure of a caller (DESIGN: three kinds of type).
 * A shorter one is read or filled as far as it goes. A longer one works if all
 * bytes beyond "known" are zero; "known" is the size in this library. Messages
 * call the structure "what".
 */

/* Checks the size. -EINVAL: never set; -E2BIG: a byte beyond "known" is set. */
int ssdpm__sized_check(const void *sized, size_t known, const char *what,
		       struct ssdpm_error *reterr);

/*
 * Checks src and copies it over the defaults in dst; dst->size becomes known.
 * NULL leaves the defaults.
 */
int ssdpm__sized_in(void *dst, size_t known, const void *src, const char *what,
		    struct ssdpm_error *reterr);

/* -EINVAL: the member reserved is set, but must be 0. */
int ssdpm__check_reserved(uint64_t reserved, const char *what,
			  struct ssdpm_error *reterr);

/* Fills dst, which ssdpm__sized_check() has accepted, from src. */
void ssdpm__sized_out(void *dst, const void *src, size_t known);

/*
 * Initialises a structure that has no size yet, so size is an argument. Bytes
 * beyond "known" become zero. 0, or -EINVAL: no room for size.
 */
int ssdpm__sized_init(void *dst, size_t size, const void *src, size_t known);

#endif
