/* SPDX-License-Identifier: MIT */
/*
 * zstd by libzstd, which is loaded when the first such trace is met: a program
 * that links this library does not load it for nothing.
 */
#include "workload/unpack.h"

#include <errno.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/internal.h"

/* 64 MiB: all levels up to zstd --ultra -21. The file chooses it. */
#define MAX_WINDOW_LOG 26

SSDPM__DLOPEN_NOTE(
	"[{\"feature\":\"zstd\",\"description\":\"Traces packed with zstd\","
	"\"priority\":\"suggested\",\"soname\":[\"libzstd.so.1\"]}]");

struct zstd_state {
	size_t (*decompress)(ZSTD_DCtx *, ZSTD_outBuffer *, ZSTD_inBuffer *);
	unsigned (*is_error)(size_t);
	ZSTD_ErrorCode (*error_code)(size_t);
	const char *(*error_name)(size_t);
	size_t (*free_context)(ZSTD_DCtx *);
	ZSTD_DCtx *context;
};

static int open_zstd(void *state, void *library, struct ssdpm_error *reterr)
{
	struct zstd_state *self = state;
	ZSTD_DCtx *(*create)(void);
	size_t (*set)(ZSTD_DCtx *, ZSTD_dParameter, int);

	if (!ssdpm__find_function(library, "ZSTD_createDCtx", &create) ||
	    !ssdpm__find_function(library, "ZSTD_DCtx_setParameter", &set) ||
	    !ssdpm__find_function(library, "ZSTD_decompressStream",
				  &self->decompress) ||
	    !ssdpm__find_function(library, "ZSTD_isError", &self->is_error) ||
	    !ssdpm__find_function(library, "ZSTD_getErrorCode",
				  &self->error_code) ||
	    !ssdpm__find_function(library, "ZSTD_getErrorName",
				  &self->error_name) ||
	    !ssdpm__find_function(library, "ZSTD_freeDCtx",
				  &self->free_context))
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "libzstd.so.1 is older than 1.4: functions "
				   "are missing");
	self->context = create();
	if (!self->context)
		return ssdpm__no_memory(reterr);
	set(self->context, ZSTD_d_windowLogMax, MAX_WINDOW_LOG);
	return 0;
}

static int fail(const struct zstd_state *self, size_t result,
		struct ssdpm_error *reterr)
{
	ZSTD_ErrorCode code = self->error_code(result);

	if (code == ZSTD_error_memory_allocation)
		return ssdpm__no_memory(reterr);
	if (code == ZSTD_error_frameParameter_windowTooLarge)
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "the trace is packed with a window of more "
				   "than %u MiB: unpack it (zstd -d --long=31)",
				   1u << (MAX_WINDOW_LOG - 20));
	return ssdpm__fail(reterr, -EIO, 0,
			   "the trace is packed with zstd and damaged: %s",
			   self->error_name(result));
}

static int step_zstd(void *state, struct unpack_step *step, bool *ret_ended,
		     struct ssdpm_error *reterr)
{
	struct zstd_state *self = state;
	ZSTD_inBuffer in = { step->in, step->n_in, 0 };
	ZSTD_outBuffer out = { step->out, step->n_out, 0 };
	size_t left = self->decompress(self->context, &out, &in);

	step->in += in.pos;
	step->n_in -= in.pos;
	step->out += out.pos;
	step->n_out -= out.pos;
	if (self->is_error(left))
		return fail(self, left, reterr);
	*ret_ended = left == 0;
	return 0;
}

static void close_zstd(void *state)
{
	struct zstd_state *self = state;

	self->free_context(self->context);
}

const struct unpack_codec ssdpm__unpack_zstd = {
	.soname = "libzstd.so.1",
	.missing = "the trace is packed with zstd, and there is no "
		   "libzstd.so.1: install libzstd (Debian's libzstd1), or "
		   "unpack it",
	.state_bytes = sizeof(struct zstd_state),
	.open = open_zstd,
	.step = step_zstd,
	.close = close_zstd,
};
