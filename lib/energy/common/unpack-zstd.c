/* SPDX-License-Identifier: MIT */
/* zstd, by libzstd. */
#include "common/unpack.h"

#include <errno.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/internal.h"

/* 64 MiB: all levels up to zstd --ultra -21. The file chooses it. */
#define MAX_WINDOW_LOG 26

struct zstd_state {
	ZSTD_DCtx *context;
};

static int open_zstd(void *state, struct ssdpm_error *reterr)
{
	struct zstd_state *self = state;

	self->context = ZSTD_createDCtx();
	if (!self->context)
		return ssdpm__no_memory(reterr);
	ZSTD_DCtx_setParameter(self->context, ZSTD_d_windowLogMax,
			       MAX_WINDOW_LOG);
	return 0;
}

static int fail(size_t result, struct ssdpm_error *reterr)
{
	ZSTD_ErrorCode code = ZSTD_getErrorCode(result);

	if (code == ZSTD_error_memory_allocation)
		return ssdpm__no_memory(reterr);
	if (code == ZSTD_error_frameParameter_windowTooLarge)
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "the trace is packed with a window of more "
				   "than %u MiB: unpack it (zstd -d --long=31)",
				   1u << (MAX_WINDOW_LOG - 20));
	return ssdpm__fail(reterr, -EIO, 0,
			   "the trace is packed with zstd and damaged: %s",
			   ZSTD_getErrorName(result));
}

static int step_zstd(void *state, struct unpack_step *step, bool *ret_ended,
		     struct ssdpm_error *reterr)
{
	struct zstd_state *self = state;
	ZSTD_inBuffer in = { step->in, step->n_in, 0 };
	ZSTD_outBuffer out = { step->out, step->n_out, 0 };
	size_t left = ZSTD_decompressStream(self->context, &out, &in);

	step->in += in.pos;
	step->n_in -= in.pos;
	step->out += out.pos;
	step->n_out -= out.pos;
	if (ZSTD_isError(left))
		return fail(left, reterr);
	*ret_ended = left == 0;
	return 0;
}

static void close_zstd(void *state)
{
	struct zstd_state *self = state;

	ZSTD_freeDCtx(self->context);
}

const struct unpack_codec ssdpm__unpack_zstd = {
	.state_bytes = sizeof(struct zstd_state),
	.open = open_zstd,
	.step = step_zstd,
	.close = close_zstd,
};
