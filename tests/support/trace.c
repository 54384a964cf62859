/* SPDX-License-Identifier: MIT */
/* Traces read in several ways, for the tests of libssdpm-energy. */
#include "fixture.h"

static int read_all(struct ssdpm_trace *trace, size_t max,
		    struct fixture_trace *result, struct ssdpm_error *reterr)
{
	size_t room = 0;

	for (;;) {
		size_t n = SIZE_MAX;

		if (result->n + max > room) {
			room = 2 * room + max;
			result->ios = realloc(result->ios,
					      room * sizeof(result->ios[0]));
			assert_non_null(result->ios);
		}
		struct ssdpm_io *ios = result->ios + result->n;
		int err = ssdpm_trace_read(trace, ios, max, &n, reterr);
		if (err) {
			assert_int_equal(n, SIZE_MAX);
			/* It fails again, in the same way. */
			assert_int_equal(
				ssdpm_trace_read(trace, ios, max, &n, NULL),
				err);
			return err;
		}
		assert_true(n <= max);
		if (n == 0)
			return 0;
		result->n += n;
	}
}

int fixture_drain_trace(struct ssdpm_trace *trace, size_t max,
			struct fixture_trace *ret_trace,
			struct ssdpm_error *reterr)
{
	struct fixture_trace result = { 0 };
	int err = read_all(trace, max, &result, reterr);

	result.counts = *ssdpm_trace_get_counts(trace);
	assert_null(ssdpm_trace_free(trace));
	assert_int_equal(result.counts.n_records, result.n);
	for (size_t i = 1; i < result.n; i++)
		assert_true(result.ios[i - 1].start_ns <=
			    result.ios[i].start_ns);
	*ret_trace = result;
	return err;
}

int fixture_read_before(const void *data, size_t size,
			const struct ssdpm_trace_params *params, size_t max,
			struct fixture_trace *ret_trace,
			struct ssdpm_error *reterr)
{
	struct ssdpm_trace *trace = UNTOUCHED;
	void *copy = malloc(size ? size : 1);
	int err;

	assert_non_null(copy);
	memcpy(copy, data, size);
	*ret_trace = (struct fixture_trace){ 0 };
	err = ssdpm_trace_open_data(copy, size, params, &trace, reterr);
	if (err)
		assert_ptr_equal(trace, UNTOUCHED);
	else
		err = fixture_drain_trace(trace, max, ret_trace, reterr);
	free(copy);
	return err;
}

int fixture_read_trace(const void *data, size_t size,
		       const struct ssdpm_trace_params *params, size_t max,
		       struct fixture_trace *ret_trace,
		       struct ssdpm_error *reterr)
{
	struct fixture_trace result;
	int err = fixture_read_before(data, size, params, max, &result, reterr);

	if (err)
		free(result.ios);
	else
		*ret_trace = result;
	return err;
}
