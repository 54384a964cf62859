/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a file, as its readers see them: those of traces, and those of
 * samples of power.
 */
#ifndef SSDPM_LIB_COMMON_INPUT_H
#define SSDPM_LIB_COMMON_INPUT_H

#include <ssdpm/base.h>

#include "base/text.h"

/*
 * Where bytes come from: read(2), memory, something that unpacks another one.
 * Fills up to size bytes; 0: the end. A negative errno with words in reterr.
 */
struct source {
	int (*read)(struct source *source, void *data, size_t size,
		    size_t *ret_n, struct ssdpm_error *reterr);
	void (*close)(struct source *source);
};

/*
 * The bytes of a trace that are in memory and not yet read: [at, end). Readers
 * move at. complete: nothing comes after end.
 */
struct input {
	const char *at;
	const char *end;
	bool complete;
	uint32_t line; /* number of the line that was taken last */
	struct source *source;
	char *buffer;
	size_t size;
};

/* Longest line or event. */
#define INPUT_MAX_LINE (1u << 20)

/*
 * What a caller gives, which may be packed: the bytes of a descriptor, or those
 * in memory. Both are borrowed.
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
 * Get more bytes after those not yet read, which may move; at least one, unless
 * input is complete then. -E2BIG: INPUT_MAX_LINE bytes were left unread.
 */
int ssdpm__input_fill(struct input *input, struct ssdpm_error *reterr);

/*
 * Of a text: leave out the byte order mark that programs of Windows begin with.
 * 1; 0: a zero byte near its begin says that it is none; or a negative errno.
 */
int ssdpm__input_text(struct input *input, struct ssdpm_error *reterr);

/* Have so many bytes unread. 1; 0: they end before; or a negative errno. */
int ssdpm__input_need(struct input *input, size_t size,
		      struct ssdpm_error *reterr);

/*
 * Take the next line, without its end, CRLF too. The span holds until the next
 * call. 1; 0: there is none; or a negative errno.
 */
int ssdpm__input_line(struct input *input, struct span *ret_line,
		      struct ssdpm_error *reterr);

/* Nothing more is to be read. */
void ssdpm__input_end(struct input *input);

void ssdpm__input_close(struct input *input);

/*
 * Take a source and give one that owns it, and unpacks it if it is packed with
 * gzip, zstd, xz or bzip2.
 */
int ssdpm__source_unpack(struct source *source, struct source **ret_source,
			 struct ssdpm_error *reterr);

#endif
