/* SPDX-License-Identifier: MIT */
/* gzip, by zlib. */
#include "common/unpack.h"

#include <errno.h>
#include <limits.h>
#include <zlib.h>

#include "base/internal.h"

static int open_gzip(void *state, struct ssdpm_error *reterr)
{
	/* 15 bits of window, which is all that there are; + 16: gzip's head. */
	if (inflateInit2((z_stream *)state, 15 + 16) != Z_OK)
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
	z_stream *stream = state;
	uInt n_in = clamp(step->n_in), n_out = clamp(step->n_out);

	if (*ret_ended)
		inflateReset(stream);
	*ret_ended = false;
	stream->next_in = (Bytef *)(uintptr_t)step->in;
	stream->avail_in = n_in;
	stream->next_out = step->out;
	stream->avail_out = n_out;
	int err = inflate(stream, Z_NO_FLUSH);
	step->in += n_in - stream->avail_in;
	step->n_in -= n_in - stream->avail_in;
	step->out += n_out - stream->avail_out;
	step->n_out -= n_out - stream->avail_out;
	if (err == Z_MEM_ERROR)
		return ssdpm__no_memory(reterr);
	if (err != Z_OK && err != Z_STREAM_END && err != Z_BUF_ERROR)
		return ssdpm__fail(reterr, -EIO, 0,
				   "the trace is packed with gzip and damaged: "
				   "%s",
				   stream->msg ? stream->msg : "not gzip");
	*ret_ended = err == Z_STREAM_END;
	return 0;
}

static void close_gzip(void *state)
{
	inflateEnd((z_stream *)state);
}

const struct unpack_codec ssdpm__unpack_gzip = {
	.state_bytes = sizeof(z_stream),
	.open = open_gzip,
	.step = step_gzip,
	.close = close_gzip,
};
