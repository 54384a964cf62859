/* SPDX-License-Identifier: MIT */
/*
 * Packed traces: gzip (RFC 1952), zstd (RFC 8878), xz and bzip2, known by the
 * bytes that they begin with. Memory is constant: one buffer here, one window
 * there.
 */
#include "common/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "common/peek.h"

#define PACKED_BYTES (64u << 10)

/* NULL: this build was made without the library. */
#define GZIP (HAVE_ZLIB ? &ssdpm__unpack_gzip : NULL)
#define ZSTD (HAVE_ZSTD ? &ssdpm__unpack_zstd : NULL)
#define XZ (HAVE_LZMA ? &ssdpm__unpack_xz : NULL)
#define BZIP2 (HAVE_BZIP2 ? &ssdpm__unpack_bzip2 : NULL)

/* Each way of packing: how it begins, its program, what unpacks it here. */
static const struct packing {
	uint8_t magic[6];
	uint8_t n_magic;
	uint8_t ignored_bits; /* of the first byte */
	char name[6];
	char library[8];
	const struct unpack_codec *codec;
} formats[] = {
	{ { 0x1f, 0x8b }, 2, 0, "gzip", "zlib", GZIP },
	{ { 0x28, 0xb5, 0x2f, 0xfd }, 4, 0, "zstd", "libzstd", ZSTD },
	/* pzstd begins with a frame to be skipped. */
	{ { 0x50, 0x2a, 0x4d, 0x18 }, 4, 15, "zstd", "libzstd", ZSTD },
	{ { 0xfd, '7', 'z', 'X', 'Z', 0 }, 6, 0, "xz", "liblzma", XZ },
	{ { 'B', 'Z', 'h' }, 3, 0, "bzip2", "libbz2", BZIP2 },
};

struct unpack_source {
	struct source source;
	struct source *packed;
	const struct unpack_codec *codec;
	void *state;
	size_t at;
	size_t n;
	bool ended;    /* a member or frame, and no other has begun */
	bool complete; /* nothing comes after n */
	uint8_t buffer[PACKED_BYTES];
};

static int refill(struct unpack_source *self, struct ssdpm_error *reterr)
{
	if (self->at < self->n || self->complete)
		return 0;
	self->at = 0;
	self->n = 0;
	int err = self->packed->read(self->packed, self->buffer,
				     sizeof(self->buffer), &self->n, reterr);
	self->complete = err == 0 && self->n == 0;
	return err;
}

static int read_unpacked(struct source *source, void *data, size_t size,
			 size_t *ret_n, struct ssdpm_error *reterr)
{
	struct unpack_source *self = (struct unpack_source *)source;
	struct unpack_step step = { .out = data, .n_out = size };

	while (step.n_out == size) {
		int err = refill(self, reterr);
		if (err)
			return err;
		if (self->ended && self->at == self->n)
			break;
		step.in = self->buffer + self->at;
		step.n_in = self->n - self->at;
		err = self->codec->step(self->state, &step, &self->ended,
					reterr);
		if (err)
			return err;
		bool stuck = self->at == self->n - step.n_in;
		self->at = self->n - step.n_in;
		if (self->complete && stuck && step.n_out == size &&
		    !self->ended)
			return ssdpm__fail(reterr, -EIO, 0,
					   "the packed trace is cut off");
	}
	*ret_n = size - step.n_out;
	return 0;
}

static void close_unpacked(struct source *source)
{
	struct unpack_source *self = (struct unpack_source *)source;

	self->codec->close(self->state);
	free(self->state);
	self->packed->close(self->packed);
	free(self);
}

static bool begins_like(const struct peek_source *head,
			const struct packing *format)
{
	return head->n >= format->n_magic &&
	       (head->head[0] & ~format->ignored_bits) == format->magic[0] &&
	       !memcmp(head->head + 1, format->magic + 1, format->n_magic - 1u);
}

static const struct packing *find_format(const struct peek_source *head)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (begins_like(head, &formats[i]))
			return &formats[i];
	return NULL;
}

static int open_codec(struct unpack_source *self, const struct packing *format,
		      struct ssdpm_error *reterr)
{
	if (!format->codec)
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "the trace is packed with %s, and this "
				   "libssdpm-energy was built without %s: "
				   "unpack it (%s -d)",
				   format->name, format->library, format->name);
	self->codec = format->codec;
	self->state = calloc(1, format->codec->state_bytes);
	if (!self->state)
		return ssdpm__no_memory(reterr);
	int err = self->codec->open(self->state, reterr);
	if (err)
		free(self->state);
	return err;
}

int ssdpm__source_unpack(struct source *source, struct source **ret_source,
			 struct ssdpm_error *reterr)
{
	struct peek_source *head = NULL;
	int err = ssdpm__source_peek(source, &head, reterr);
	if (err)
		return err;
	const struct packing *format = find_format(head);
	if (!format) {
		*ret_source = &head->source;
		return 0;
	}
	struct unpack_source *self = malloc(sizeof(*self));
	if (self)
		err = open_codec(self, format, reterr);
	else
		err = ssdpm__no_memory(reterr);
	if (err) {
		free(self);
		free(head);
		return err;
	}
	self->source.read = read_unpacked;
	self->source.close = close_unpacked;
	self->packed = &head->source;
	self->at = 0;
	self->n = 0;
	self->ended = false;
	self->complete = false;
	*ret_source = &self->source;
	return 0;
}
