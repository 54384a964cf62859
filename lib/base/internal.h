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

/* Words of the input may be quoted: let none of them steer a terminal. */
void ssdpm__blunt_controls(char *text);

/*
 * Copy sized parameters over defaults: a shorter src leaves the rest of dst as
 * it is, a longer one must end in zeros. what names the structure in messages.
 */
int ssdpm__copy_sized(void *dst, size_t dst_size, const void *src,
		      const char *what, struct ssdpm_error *reterr);

/* Fill sized parameters that have room for size bytes. 0, -EINVAL, -E2BIG. */
int ssdpm__init_sized(void *dst, size_t size, const void *defaults,
		      size_t defaults_size);

/*
 * A sized result is filled as far as the structure of the caller goes. -EINVAL:
 * its size was never set; -E2BIG: it is longer than this library knows. what
 * names the structure in messages.
 */
int ssdpm__check_result_size(size_t size, size_t known, const char *what,
			     struct ssdpm_error *reterr);

#endif
