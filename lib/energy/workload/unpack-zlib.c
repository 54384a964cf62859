/* SPDX-License-Identifier: MIT */
/*
 * gzip by zlib, which is loaded when the first such trace is met: a program
 * that links this library does not load it for nothing.
 */
#include "workload/unpack.h"

#include <errno.h>
#include <limits.h>
#include <zlib.h>

#include "base/internal.h"

SSDPM__DLOPEN_NOTE(
	"[{\"feature\":\"gzip\",\"description\":\"Traces packed with gzip\","
	"\"priority\":\"suggested\",\"soname\":[\"libz.so.1\"]}]");

struct gzip_state {
	int (*inflate)(z_stream *, int);
	int (*reset)(z_stream *);
	int (*end)(z_stream *);
	z_stream stream;
};

static int open_gzip(void *state, void *library, struct ssdpm_error *reterr)
{
	struct gzip_state *self = state;
	int (*init)(z_stream *, int, const char *, int);

	if (!ssdpm__find_function(library, "inflateInit2_", &init) ||
	    !ssdpm__find_function(library, "inflate", &self->inflate) ||
	    !ssdpm__find_function(library, "inflateReset", &self->reset) ||
	    !ssdpm__find_function(library, "inflateEnd", &self->end))
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "libz.so.1 is not zlib: functions are "
				   "missing");
	/* 15 bits of window, which is all that there are; + 16: gzip's head. */
	if (init(&self->stream, 15 + 16, ZLIB_VERSION,
		 (int)sizeof(self->stream)) != Z_OK)
		return ssdpm__no_memory(reterr);
	return 0;
}

static uInt clamp(size_t n)
{
	return n < UINT_MAX ? (uInt)n : UINT_MAX;
}

static int step_gzip(void *state, struct unpack_step *step, bool *ret_ended,
		     struct ssdpm_error *reterr)
{
	struct gzip_state *self = state;
	z_stream *stream = &self->stream;
	uInt n_in = clamp(step->n_in), n_out = clamp(step->n_out);

	if (*ret_ended)
		self->reset(stream);
	*ret_ended = false;
	stream->next_in = (Bytef *)(uintptr_t)step->in;
	stream->avail_in = n_in;
	stream->next_out = step->out;
	stream->avail_out = n_out;
	int r = self->inflate(stream, Z_NO_FLUSH);
	step->in += n_in - stream->avail_in;
	step->n_in -= n_in - stream->avail_in;
	step->out += n_out - stream->avail_out;
	step->n_out -= n_out - stream->avail_out;
	if (r == Z_MEM_ERROR)
		return ssdpm__no_memory(reterr);
	if (r != Z_OK && r != Z_STREAM_END && r != Z_BUF_ERROR)
		return ssdpm__fail(reterr, -EIO, 0,
				   "the trace is packed with gzip and damaged: "
				   "%s",
				   stream->msg ? stream->msg : "not gzip");
	*ret_ended = r == Z_STREAM_END;
	return 0;
}

static void close_gzip(void *state)
{
	struct gzip_state *self = state;

	self->end(&self->stream);
}

const struct unpack_codec ssdpm__unpack_gzip = {
	.soname = "libz.so.1",
	.missing = "the trace is packed with gzip, and there is no libz.so.1: "
		   "install zlib (Debian's zlib1g), or unpack it",
	.state_bytes = sizeof(struct gzip_state),
	.open = open_gzip,
	.step = step_gzip,
	.close = close_gzip,
};
