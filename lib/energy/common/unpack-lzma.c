/* SPDX-License-Identifier: MIT */
/* xz, by liblzma, which reads all streams of a file and the padding of each. */
#include "common/unpack.h"

#include <errno.h>
#include <lzma.h>

#include "base/internal.h"

/* All levels up to xz -9e, which take 65 MiB. The file chooses it. */
#define MAX_MEMORY_MIB 80u

static int open_xz(void *state, struct ssdpm_error *reterr)
{
	if (lzma_stream_decoder((lzma_stream *)state, MAX_MEMORY_MIB << 20,
				LZMA_CONCATENATED) != LZMA_OK)
		return ssdpm__no_memory(reterr);
	return 0;
}

static int fail(lzma_ret err, struct ssdpm_error *reterr)
{
	if (err == LZMA_MEM_ERROR)
		return ssdpm__no_memory(reterr);
	if (err == LZMA_MEMLIMIT_ERROR)
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "the trace is packed with xz and takes more "
				   "than %u MiB to unpack: unpack it (xz -d)",
				   MAX_MEMORY_MIB);
	if (err == LZMA_OPTIONS_ERROR)
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "the trace is packed with xz in a way that "
				   "this liblzma does not know");
	return ssdpm__fail(reterr, -EIO, 0,
			   "the trace is packed with xz and damaged");
}

static int step_xz(void *state, struct unpack_step *step, bool *ret_ended,
		   struct ssdpm_error *reterr)
{
	lzma_stream *stream = state;

	stream->next_in = step->in;
	stream->avail_in = step->n_in;
	stream->next_out = step->out;
	stream->avail_out = step->n_out;
	lzma_ret err = lzma_code(stream, step->n_in ? LZMA_RUN : LZMA_FINISH);
	step->in = stream->next_in;
	step->n_in = stream->avail_in;
	step->out = stream->next_out;
	step->n_out = stream->avail_out;
	if (err != LZMA_OK && err != LZMA_STREAM_END && err != LZMA_BUF_ERROR)
		return fail(err, reterr);
	*ret_ended = err == LZMA_STREAM_END;
	return 0;
}

static void close_xz(void *state)
{
	lzma_end((lzma_stream *)state);
}

const struct unpack_codec ssdpm__unpack_xz = {
	.state_bytes = sizeof(lzma_stream),
	.open = open_xz,
	.step = step_xz,
	.close = close_xz,
};
