/* SPDX-License-Identifier: MIT */
#include "base/internal.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static_assert(sizeof(struct ssdpm_error) == 256, "frozen");

size_t ssdpm__utf8_length(const unsigned char *text, size_t size)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t length;

	if (text[0] < 0x80)
		return 1;
	if (text[0] < 0xc2 || text[0] > 0xf4)
		return 0;
	length = text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
	if (text[0] == 0xe0)
		low = 0xa0;
	else if (text[0] == 0xed)
		high = 0x9f;
	else if (text[0] == 0xf0)
		low = 0x90;
	else if (text[0] == 0xf4)
		high = 0x8f;
	if (size < length || text[1] < low || text[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

void ssdpm_text_blunt(char *text)
{
	unsigned char *at = (unsigned char *)text;

	while (*at) {
		const size_t n = ssdpm__utf8_length(at, strnlen((char *)at, 4));

		if (!n || *at < ' ' || *at == 0x7f) {
			*at++ = '?';
			continue;
		}
		if (n == 2 && *at == 0xc2 && at[1] < 0xa0)
			at[0] = at[1] = '?'; /* U+0080 to U+009F */
		at += n;
	}
}

int ssdpm__fail(struct ssdpm_error *reterr, int code, uint32_t line,
		const char *format, ...)
{
	va_list args;

	if (!reterr)
		return code;
	memset(reterr, 0, sizeof(*reterr));
	reterr->code = code;
	reterr->line = line;
	va_start(args, format);
	vsnprintf(reterr->message, sizeof(reterr->message), format, args);
	va_end(args);
	ssdpm_text_blunt(reterr->message);
	return code;
}

int ssdpm__no_memory(struct ssdpm_error *reterr)
{
	return ssdpm__fail(reterr, -ENOMEM, 0, "out of memory");
}

int ssdpm__missing(const char *what, struct ssdpm_error *reterr)
{
	return ssdpm__fail(reterr, -EINVAL, 0, "%s is missing", what);
}

int ssdpm__pass_on(int err, const struct ssdpm_error *error,
		   struct ssdpm_error *reterr)
{
	if (err && reterr)
		*reterr = *error;
	return err;
}

static size_t size_of(const void *sized)
{
	size_t size;

	memcpy(&size, sized, sizeof(size));
	return size;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

int ssdpm__sized_check(const void *sized, size_t known, const char *what,
		       struct ssdpm_error *reterr)
{
	const unsigned char *bytes = sized;
	size_t size = size_of(sized);

	if (size < sizeof(size))
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"%s.size is %zu: set it to sizeof(struct %s)", what,
			size, what);
	for (size_t i = known; i < size; i++)
		if (bytes[i])
			return ssdpm__fail(reterr, -E2BIG, 0,
					   "%s: this library knows %zu bytes, "
					   "byte %zu is set",
					   what, known, i);
	return 0;
}

int ssdpm__sized_in(void *dst, size_t known, const void *src, const char *what,
		    struct ssdpm_error *reterr)
{
	int err = src ? ssdpm__sized_check(src, known, what, reterr) : 0;

	if (err || !src)
		return err;
	memcpy(dst, src, least(size_of(src), known));
	memcpy(dst, &known, sizeof(known));
	return 0;
}

int ssdpm__check_reserved(uint64_t reserved, const char *what,
			  struct ssdpm_error *reterr)
{
	if (!reserved)
		return 0;
	return ssdpm__fail(reterr, -EINVAL, 0, "%s: reserved is not 0", what);
}

void ssdpm__sized_out(void *dst, const void *src, size_t known)
{
	size_t size = size_of(dst);

	memcpy(dst, src, least(size, known));
	memcpy(dst, &size, sizeof(size));
}

int ssdpm__sized_init(void *dst, size_t size, const void *src, size_t known)
{
	if (size < sizeof(size))
		return -EINVAL;
	memset(dst, 0, size);
	memcpy(dst, &size, sizeof(size));
	ssdpm__sized_out(dst, src, known);
	return 0;
}

const char *ssdpm_strerror(int code)
{
	switch (code) {
	case 0:
		return "success";
	case -EINVAL:
		return "invalid input";
	case -ERANGE:
		return "number out of range";
	case -E2BIG:
		return "too large";
	case -ENODATA:
		return "a needed value is unknown";
	case -ENOENT:
		return "not found";
	case -ENOMEM:
		return "out of memory";
	case -EIO:
		return "input/output error";
	case -EOPNOTSUPP:
		return "not supported";
	case -EACCES:
		return "permission denied";
	case -EPERM:
		return "not permitted";
	case -ENODEV:
		return "no such device";
	case -ENOTDIR:
		return "not a directory";
	case -EISDIR:
		return "a directory";
	case -EEXIST:
		return "it exists";
	case -EROFS:
		return "read-only";
	case -ENOSPC:
		return "no space left";
	case -EBUSY:
		return "busy";
	case -ETIMEDOUT:
		return "it takes too long";
	case -ESTALE:
		return "no longer so";
	case -EALREADY:
		return "done already";
	case -EMFILE:
	case -ENFILE:
		return "too many files are open";
	case -ELOOP:
		return "too many symbolic links";
	case -ENAMETOOLONG:
		return "the name is too long";
	case -EREMOTEIO:
		return "the drive holds another table";
	default:
		return "unknown error";
	}
}
