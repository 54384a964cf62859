/* SPDX-License-Identifier: MIT */
/*
 * Converts text in UTF-16, as Windows programs write it, to UTF-8. It
 * recognises a byte order mark before an ASCII letter.
 */
#include "common/utf16.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "common/peek.h"

/* A letter takes at most this many bytes on either side. */
#define LETTER_BYTES 4

struct utf16_source {
	struct source source;
	struct source *inner;
	bool is_big_endian;
	bool has_begun; /* the mark was skipped */
	bool complete;	/* nothing comes after n */
	size_t at;
	size_t n;
	uint8_t buffer[8192];
	/* A letter, if it may not fit into the remaining room. */
	uint8_t letter[LETTER_BYTES];
	size_t letter_at;
	size_t letter_n;
};

static uint32_t unit_at(const struct utf16_source *self, size_t at)
{
	uint32_t first = self->buffer[at], second = self->buffer[at + 1];

	return self->is_big_endian ? first << 8 | second : second << 8 | first;
}

/* Fills the buffer until it has a whole letter, or the end. */
static int refill(struct utf16_source *self, struct ssdpm_error *reterr)
{
	while (!self->complete && self->n - self->at < LETTER_BYTES) {
		size_t n = 0;

		memmove(self->buffer, self->buffer + self->at,
			self->n - self->at);
		self->n -= self->at;
		self->at = 0;
		int err = self->inner->read(self->inner, self->buffer + self->n,
					    sizeof(self->buffer) - self->n, &n,
					    reterr);
		if (err)
			return err;
		self->n += n;
		self->complete = n == 0;
	}
	if (self->n - self->at == 1)
		return ssdpm__fail(reterr, -EIO, 0,
				   "the text is in UTF-16 and cut off");
	return 0;
}

/* Half a letter becomes the replacement character. */
static uint32_t take_letter(struct utf16_source *self)
{
	uint32_t letter = unit_at(self, self->at);

	self->at += 2;
	if (letter < 0xd800 || letter > 0xdfff)
		return letter;
	if (letter < 0xdc00 && self->n - self->at >= 2) {
		uint32_t low = unit_at(self, self->at);

		if (low >= 0xdc00 && low <= 0xdfff) {
			self->at += 2;
			return 0x10000 + ((letter - 0xd800) << 10) +
			       (low - 0xdc00);
		}
	}
	return 0xfffd;
}

static size_t put_letter(uint32_t letter, uint8_t *to)
{
	static const uint8_t marks[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t n = letter < 0x80    ? 1 :
		   letter < 0x800   ? 2 :
		   letter < 0x10000 ? 3 :
				      4;

	for (size_t i = n - 1; i > 0; i--, letter >>= 6)
		to[i] = (uint8_t)(0x80 | (letter & 0x3f));
	to[0] = (uint8_t)(marks[n == 1 ? 0 : n] | letter);
	return n;
}

static size_t give_letter(struct utf16_source *self, uint8_t *to, size_t room)
{
	size_t n = self->letter_n - self->letter_at;

	if (n > room)
		n = room;
	memcpy(to, self->letter + self->letter_at, n);
	self->letter_at += n;
	return n;
}

static int read_utf16(struct source *source, void *data, size_t size,
		      size_t *ret_n, struct ssdpm_error *reterr)
{
	struct utf16_source *self = (struct utf16_source *)source;
	uint8_t *to = data;
	size_t n = give_letter(self, to, size);

	while (n < size) {
		/* Return what is ready before waiting for more. */
		if (n && self->n - self->at < LETTER_BYTES)
			break;
		int err = refill(self, reterr);
		if (err)
			return err;
		if (!self->has_begun)
			self->at += 2;
		self->has_begun = true;
		if (self->at == self->n)
			break;
		self->letter_at = 0;
		self->letter_n = put_letter(take_letter(self), self->letter);
		n += give_letter(self, to + n, size - n);
	}
	*ret_n = n;
	return 0;
}

static void close_utf16(struct source *source)
{
	struct utf16_source *self = (struct utf16_source *)source;

	self->inner->close(self->inner);
	free(self);
}

static bool begins_with(const struct peek_source *peek, bool is_big_endian)
{
	const uint8_t *head = peek->head;
	uint8_t zero = head[is_big_endian ? 2 : 3];
	uint8_t letter = head[is_big_endian ? 3 : 2];

	return peek->n >= 4 && head[0] == (is_big_endian ? 0xfe : 0xff) &&
	       head[1] == (is_big_endian ? 0xff : 0xfe) && !zero &&
	       letter > 0 && letter < 0x80;
}

int ssdpm__source_from_utf16(struct source *source, struct source **ret_source,
			     struct ssdpm_error *reterr)
{
	struct peek_source *peek = NULL;
	int err = ssdpm__source_peek(source, &peek, reterr);

	if (err)
		return err;
	if (!begins_with(peek, false) && !begins_with(peek, true)) {
		*ret_source = &peek->source;
		return 0;
	}
	struct utf16_source *self = calloc(1, sizeof(*self));
	if (!self) {
		free(peek);
		return ssdpm__no_memory(reterr);
	}
	self->source.read = read_utf16;
	self->source.close = close_utf16;
	self->inner = &peek->source;
	self->is_big_endian = begins_with(peek, true);
	*ret_source = &self->source;
	return 0;
}
