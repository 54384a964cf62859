/* SPDX-License-Identifier: MIT */
/* What all stages of the library share and no caller sees. */
#ifndef SSDPM_LIB_BASE_INTERNAL_H
#define SSDPM_LIB_BASE_INTERNAL_H

#include <ssdpm/base.h>

/* Fill reterr (which may be NULL) and return code. line 0: none. */
int ssdpm__fail(struct ssdpm_error *reterr, int code, uint32_t line,
		const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The same for what every allocation says that fails. */
int ssdpm__no_memory(struct ssdpm_error *reterr);
/* -EINVAL: a pointer that is needed is NULL. */
int ssdpm__missing(const char *what, struct ssdpm_error *reterr);

/*
 * The end of a call that looks past failures on its way: hand on the error of
 * the failure that it returns, and leave reterr alone where it returns none.
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
 * bytes that this library does not know are zero. known is the size that this
 * library knows, and what is its name in messages.
 */

/* Whether the size is good. -EINVAL: never set; -E2BIG: a byte beyond is set.
 */
int ssdpm__sized_check(const void *sized, size_t known, const char *what,
		       struct ssdpm_error *reterr);

/*
 * Check src and copy it over the defaults in dst; dst->size becomes known. NULL
 * leaves the defaults.
 */
int ssdpm__sized_in(void *dst, size_t known, const void *src, const char *what,
		    struct ssdpm_error *reterr);

/* -EINVAL: the member reserved of a structure is set, where 0 is the rule. */
int ssdpm__check_reserved(uint64_t reserved, const char *what,
			  struct ssdpm_error *reterr);

/* Fill dst, which ssdpm__sized_check() found good, from src. */
void ssdpm__sized_out(void *dst, const void *src, size_t known);

/*
 * Fill a structure whose size is an argument, because nothing in it is set yet:
 * what this library does not know becomes zero. 0, or -EINVAL: no room for
 * size.
 */
int ssdpm__sized_init(void *dst, size_t size, const void *src, size_t known);

#endif
