/* SPDX-License-Identifier: MIT */
/* bzip2, by libbz2. */
#include "common/unpack.h"

#include <bzlib.h>
#include <errno.h>
#include <limits.h>

#include "base/internal.h"

static int open_bzip2(void *state, struct ssdpm_error *reterr)
{
	if (BZ2_bzDecompressInit((bz_stream *)state, 0, 0) != BZ_OK)
		return ssdpm__no_memory(reterr);
	return 0;
}

static void close_bzip2(void *state)
{
	BZ2_bzDecompressEnd((bz_stream *)state);
}

/* The next stream of the file: libbz2 cannot reset the one before it. */
static int reopen(bz_stream *stream, struct ssdpm_error *reterr)
{
	close_bzip2(stream);
	*stream = (bz_stream){ 0 };
	return open_bzip2(stream, reterr);
}

static unsigned int clamp(size_t n)
{
	return n < UINT_MAX ? (unsigned int)n : UINT_MAX;
}

static int step_bzip2(void *state, struct unpack_step *step, bool *ret_ended,
		      struct ssdpm_error *reterr)
{
	bz_stream *stream = state;
	unsigned int n_in = clamp(step->n_in), n_out = clamp(step->n_out);
	int err = *ret_ended ? reopen(stream, reterr) : 0;

	if (err)
		return err;
	*ret_ended = false;
	stream->next_in = (char *)(uintptr_t)step->in;
	stream->avail_in = n_in;
	stream->next_out = (char *)step->out;
	stream->avail_out = n_out;
	err = BZ2_bzDecompress(stream);
	step->in += n_in - stream->avail_in;
	step->n_in -= n_in - stream->avail_in;
	step->out += n_out - stream->avail_out;
	step->n_out -= n_out - stream->avail_out;
	if (err == BZ_MEM_ERROR)
		return ssdpm__no_memory(reterr);
	if (err != BZ_OK && err != BZ_STREAM_END)
		return ssdpm__fail(reterr, -EIO, 0,
				   "the trace is packed with bzip2 and "
				   "damaged");
	*ret_ended = err == BZ_STREAM_END;
	return 0;
}

const struct unpack_codec ssdpm__unpack_bzip2 = {
	.state_bytes = sizeof(bz_stream),
	.open = open_bzip2,
	.step = step_bzip2,
	.close = close_bzip2,
};
