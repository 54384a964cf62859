/* SPDX-License-Identifier: MIT */
/* The bytes of a file for the readers of traces and of power samples. */
#ifndef SSDPM_LIB_COMMON_INPUT_H
#define SSDPM_LIB_COMMON_INPUT_H

#include <ssdpm/base.h>

#include "base/text.h"

/*
 * A source of bytes: read(2), memory, or one that unpacks another. It fills up
 * to size bytes; 0: the end. It returns a negative errno with words in reterr.
 */
struct source {
	int (*read)(struct source *source, void *data, size_t size,
		    size_t *ret_n, struct ssdpm_error *reterr);
	void (*close)(struct source *source);
};

/*
 * The bytes of a trace in memory that are not yet read: [at, end). Readers move
 * "at". complete: nothing follows end.
 */
struct input {
	const char *at;
	const char *end;
	bool complete;
	uint32_t line; /* number of the last line */
	struct source *source;
	char *buffer;
	size_t size;
};

/* The longest line or event. */
#define INPUT_MAX_LINE (1u << 20)

/*
 * The caller's bytes, perhaps packed: from a descriptor, or in memory. Both are
 * borrowed.
 */
struct given_bytes {
	bool in_memory;
	int fd;
	const char *at;
	size_t left;
};

struct given_bytes ssdpm__of_fd(int fd);
struct given_bytes ssdpm__in_memory(const void *data, size_t size);

int ssdpm__input_open(struct input *input, struct given_bytes given,
		      struct ssdpm_error *reterr);

/*
 * Reads at least one more byte after the unread ones, which may move, unless
 * the input is then complete. -E2BIG: INPUT_MAX_LINE bytes were unread.
 */
int ssdpm__input_fill(struct input *input, struct ssdpm_error *reterr);

/*
 * Starts a text, and skips the byte order mark of Windows programs. Returns 1,
 * 0 (a zero byte near its beginning shows that it is no text) or -errno.
 */
int ssdpm__input_text(struct input *input, struct ssdpm_error *reterr);

/*
 * Reads until this many bytes are unread. 1; 0: fewer exist; or a negative
 * errno.
 */
int ssdpm__input_need(struct input *input, size_t size,
		      struct ssdpm_error *reterr);

/*
 * Takes the next line without its end, LF or CRLF. The span holds until the
 * next call. 1; 0: no more; or a negative errno.
 */
int ssdpm__input_line(struct input *input, struct span *ret_line,
		      struct ssdpm_error *reterr);

/* Ends reading. */
void ssdpm__input_end(struct input *input);

void ssdpm__input_close(struct input *input);

/* Returns a source that owns this one, and unpacks gzip, zstd, xz or bzip2. */
int ssdpm__source_unpack(struct source *source, struct source **ret_source,
			 struct ssdpm_error *reterr);

#endif
