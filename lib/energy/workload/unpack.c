/* SPDX-License-Identifier: MIT */
/*
 * Packed traces: gzip (RFC 1952) and zstd (RFC 8878), known by the bytes that
 * they begin with. Memory is constant: one buffer here, one window there.
 */
#include "workload/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

#define PACKED_BYTES (64u << 10)

/* The first bytes tell what it is: they are read, and then given out again. */
struct head_source {
	struct source source;
	struct source *inner;
	uint8_t head[4];
	size_t n;
	size_t at;
};

static int read_head(struct source *source, void *data, size_t size,
		     size_t *ret_n, struct ssdpm_error *reterr)
{
	struct head_source *self = (struct head_source *)source;
	size_t n = self->n - self->at;

	if (n == 0)
		return self->inner->read(self->inner, data, size, ret_n,
					 reterr);
	if (n > size)
		n = size;
	memcpy(data, self->head + self->at, n);
	self->at += n;
	*ret_n = n;
	return 0;
}

static void close_head(struct source *source)
{
	struct head_source *self = (struct head_source *)source;

	self->inner->close(self->inner);
	free(self);
}

struct unpack_source {
	struct source source;
	struct source *packed;
	const struct unpack_codec *codec;
	void *library;
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
	int r = self->packed->read(self->packed, self->buffer,
				   sizeof(self->buffer), &self->n, reterr);
	self->complete = r == 0 && self->n == 0;
	return r;
}

static int read_unpacked(struct source *source, void *data, size_t size,
			 size_t *ret_n, struct ssdpm_error *reterr)
{
	struct unpack_source *self = (struct unpack_source *)source;
	struct unpack_step step = { .out = data, .n_out = size };

	while (step.n_out == size) {
		int r = refill(self, reterr);
		if (r)
			return r;
		if (self->ended && self->at == self->n)
			break;
		step.in = self->buffer + self->at;
		step.n_in = self->n - self->at;
		r = self->codec->step(self->state, &step, &self->ended, reterr);
		if (r)
			return r;
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
	dlclose(self->library);
	self->packed->close(self->packed);
	free(self);
}

static int new_head(struct source *inner, struct head_source **ret_head,
		    struct ssdpm_error *reterr)
{
	struct head_source *head = calloc(1, sizeof(*head));

	if (!head)
		return ssdpm__no_memory(reterr);
	head->source.read = read_head;
	head->source.close = close_head;
	head->inner = inner;
	while (head->n < sizeof(head->head)) {
		size_t n = 0;
		int r = inner->read(inner, head->head + head->n,
				    sizeof(head->head) - head->n, &n, reterr);
		if (r) {
			free(head);
			return r;
		}
		if (n == 0)
			break;
		head->n += n;
	}
	*ret_head = head;
	return 0;
}

static const struct unpack_codec *find_codec(const struct head_source *head)
{
	static const uint8_t gzip[] = { 0x1f, 0x8b };
	static const uint8_t zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };
	static const uint8_t skippable[] = { 0x50, 0x2a, 0x4d, 0x18 };

	if (head->n >= sizeof(gzip) && !memcmp(head->head, gzip, sizeof(gzip)))
		return &ssdpm__unpack_gzip;
	if (head->n >= sizeof(zstd) && !memcmp(head->head, zstd, sizeof(zstd)))
		return &ssdpm__unpack_zstd;
	/* pzstd begins with a frame of its own, which is to be skipped. */
	if (head->n >= sizeof(skippable) && head->head[0] >> 4 == 5 &&
	    !memcmp(head->head + 1, skippable + 1, sizeof(skippable) - 1))
		return &ssdpm__unpack_zstd;
	return NULL;
}

/* Load the library, and have it begin. */
static int open_codec(struct unpack_source *self,
		      const struct unpack_codec *codec,
		      struct ssdpm_error *reterr)
{
	void *library = NULL;
	int r;

	if (codec->soname)
		library = dlopen(codec->soname, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0, "%s",
				   codec->missing);
	void *state = calloc(1, codec->state_bytes);
	if (state)
		r = codec->open(state, library, reterr);
	else
		r = ssdpm__no_memory(reterr);
	if (r) {
		free(state);
		dlclose(library);
		return r;
	}
	self->codec = codec;
	self->library = library;
	self->state = state;
	return 0;
}

int ssdpm__source_unpack(struct source *source, struct source **ret_source,
			 struct ssdpm_error *reterr)
{
	struct head_source *head = NULL;
	int r = new_head(source, &head, reterr);
	if (r)
		return r;
	const struct unpack_codec *codec = find_codec(head);
	if (!codec) {
		*ret_source = &head->source;
		return 0;
	}
	struct unpack_source *self = malloc(sizeof(*self));
	if (self)
		r = open_codec(self, codec, reterr);
	else
		r = ssdpm__no_memory(reterr);
	if (r) {
		free(self);
		free(head);
		return r;
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
