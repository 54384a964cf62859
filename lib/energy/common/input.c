/* SPDX-License-Identifier: MIT */
/*
 * Reads the bytes of a file through a window over a source. The window grows to
 * the inspected beginning of the file, or to its longest line.
 */
#include "common/input.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/internal.h"
#include "common/utf16.h"

/* The first size; a small trace costs little. */
#define FIRST_BYTES (4u << 10)

/* A zero byte among this many shows that it is no text. */
#define HEAD_BYTES 4096

struct given_bytes ssdpm__of_fd(int fd)
{
	return (struct given_bytes){ .fd = fd };
}

struct given_bytes ssdpm__in_memory(const void *data, size_t size)
{
	return (struct given_bytes){ .in_memory = true,
				     .at = data,
				     .left = size };
}

struct given_source {
	struct source source;
	struct given_bytes given;
};

/*
 * The caller may have made the descriptor non-blocking; no data then is no end.
 */
static bool is_worth_waiting(int fd)
{
	struct pollfd wanted = { .fd = fd, .events = POLLIN };

	if (errno == EINTR)
		return true;
	if (errno != EAGAIN)
		return false;
	return poll(&wanted, 1, -1) > 0 || errno == EINTR;
}

static int read_fd(int fd, void *data, size_t size, size_t *ret_n,
		   struct ssdpm_error *reterr)
{
	ssize_t n;

	do {
		n = read(fd, data, size);
	} while (n < 0 && is_worth_waiting(fd));
	if (n < 0)
		return ssdpm__fail(reterr, -errno, 0, "cannot read it: %s",
				   ssdpm_strerror(-errno));
	*ret_n = (size_t)n;
	return 0;
}

static int read_given(struct source *source, void *data, size_t size,
		      size_t *ret_n, struct ssdpm_error *reterr)
{
	struct given_bytes *given = &((struct given_source *)source)->given;
	size_t n = size < given->left ? size : given->left;

	if (!given->in_memory)
		return read_fd(given->fd, data, size, ret_n, reterr);
	if (n)
		memcpy(data, given->at, n);
	given->at += n;
	given->left -= n;
	*ret_n = n;
	return 0;
}

static void close_given(struct source *source)
{
	free(source);
}

static int new_source(struct given_bytes given, struct source **ret_source,
		      struct ssdpm_error *reterr)
{
	struct given_source *self = malloc(sizeof(*self));

	if (!self)
		return ssdpm__no_memory(reterr);
	self->source.read = read_given;
	self->source.close = close_given;
	self->given = given;
	*ret_source = &self->source;
	return 0;
}

/* Starts with an empty window. */
static int begin(struct input *input, struct source *source,
		 struct ssdpm_error *reterr)
{
	char *buffer = malloc(FIRST_BYTES);

	if (!buffer)
		return ssdpm__no_memory(reterr);
	*input = (struct input){ .at = buffer,
				 .end = buffer,
				 .source = source,
				 .buffer = buffer,
				 .size = FIRST_BYTES };
	return 0;
}

int ssdpm__input_open(struct input *input, struct given_bytes given,
		      struct ssdpm_error *reterr)
{
	struct source *source;
	int err = new_source(given, &source, reterr);

	if (err)
		return err;
	err = ssdpm__source_unpack(source, &source, reterr);
	if (err == 0)
		err = ssdpm__source_from_utf16(source, &source, reterr);
	if (err == 0)
		err = begin(input, source, reterr);
	if (err)
		source->close(source);
	return err;
}

/* Enlarges a full window. */
static int grow(struct input *input, struct ssdpm_error *reterr)
{
	size_t left = (size_t)(input->end - input->at);

	if (input->size > INPUT_MAX_LINE)
		return ssdpm__fail(reterr, -E2BIG, input->line + 1,
				   "a line is longer than %u bytes",
				   INPUT_MAX_LINE);
	char *buffer = realloc(input->buffer, 2 * input->size);
	if (!buffer)
		return ssdpm__no_memory(reterr);
	input->buffer = buffer;
	input->size *= 2;
	input->at = buffer;
	input->end = buffer + left;
	return 0;
}

int ssdpm__input_fill(struct input *input, struct ssdpm_error *reterr)
{
	size_t left = (size_t)(input->end - input->at);
	size_t n = 0;

	if (input->complete)
		return 0;
	memmove(input->buffer, input->at, left);
	input->at = input->buffer;
	input->end = input->buffer + left;
	if (left == input->size) {
		int err = grow(input, reterr);
		if (err)
			return err;
	}
	int err = input->source->read(input->source, input->buffer + left,
				      input->size - left, &n, reterr);
	if (err)
		return err;
	input->end += n;
	input->complete = n == 0;
	return 0;
}

int ssdpm__input_need(struct input *input, size_t size,
		      struct ssdpm_error *reterr)
{
	while ((size_t)(input->end - input->at) < size) {
		if (input->complete)
			return 0;
		int err = ssdpm__input_fill(input, reterr);
		if (err)
			return err;
	}
	return 1;
}

static int take_line(struct input *input, const char *end, size_t skip,
		     struct span *ret_line)
{
	ret_line->at = input->at;
	ret_line->end = end;
	input->at = end + skip;
	input->line++;
	if (ret_line->end > ret_line->at && ret_line->end[-1] == '\r')
		ret_line->end--;
	return 1;
}

int ssdpm__input_text(struct input *input, struct ssdpm_error *reterr)
{
	int err = ssdpm__input_need(input, 3, reterr);

	if (err < 0)
		return err;
	if (err && memcmp(input->at, "\xef\xbb\xbf", 3) == 0)
		input->at += 3;
	size_t size = (size_t)(input->end - input->at);

	return !size ||
	       !memchr(input->at, 0, size < HEAD_BYTES ? size : HEAD_BYTES);
}

int ssdpm__input_line(struct input *input, struct span *ret_line,
		      struct ssdpm_error *reterr)
{
	size_t seen = 0;

	for (;;) {
		size_t left = (size_t)(input->end - input->at);
		const char *newline = left > seen ? memchr(input->at + seen,
							   '\n', left - seen) :
						    NULL;
		if (newline)
			return take_line(input, newline, 1, ret_line);
		if (input->complete && !left)
			return 0;
		if (input->complete)
			return take_line(input, input->end, 0, ret_line);
		seen = left;
		int err = ssdpm__input_fill(input, reterr);
		if (err)
			return err;
	}
}

void ssdpm__input_end(struct input *input)
{
	input->at = input->end;
	input->complete = true;
}

void ssdpm__input_close(struct input *input)
{
	if (input->source)
		input->source->close(input->source);
	free(input->buffer);
	*input = (struct input){ 0 };
}
