/* SPDX-License-Identifier: MIT */
/* <ssdpm/energy/caps.h>: power budgets. */
#include "samples.h"

#include <cerrno>

/* Pairs of power and loss, of all items one after the other. */
using Options = py::array_t<uint64_t, py::array::c_style>;
using Counts = py::array_t<uint32_t, py::array::c_style>;

static_assert(sizeof(struct ssdpm_budget_option) == 2 * sizeof(uint64_t), "");

static const struct ssdpm_budget_option *options_of(const Options &options)
{
	return reinterpret_cast<const struct ssdpm_budget_option *>(
		options.data());
}

/* None where nothing fits. */
static struct ssdpm_budget_params params_of(const Options &options,
					    const Counts &counts)
{
	struct ssdpm_budget_params params = {};

	params.size = sizeof(params);
	params.options = options_of(options);
	params.n_options = counts.data();
	params.n_items = (size_t)counts.size();
	return params;
}

static py::object budget_solve(const Options &options, const Counts &counts,
			       uint64_t budget_uw)
{
	struct ssdpm_budget_answer answer = {};
	struct ssdpm_error error = {};
	struct ssdpm_budget_params params = params_of(options, counts);
	Counts choices(counts.size());
	uint32_t *to = choices.mutable_data();
	int err;

	params.budget_uw = budget_uw;
	answer.size = sizeof(answer);
	{
		py::gil_scoped_release release;

		err = ssdpm_budget_solve(&params, to, &answer, &error);
	}
	if (err == -ENOSPC)
		return py::none();
	if (err)
		raise_error(error, false);
	return py::make_tuple(choices, answer.power_uw, answer.loss,
			      answer.bound_loss, answer.n_examined,
			      answer.exact != 0);
}

static Options budget_frontier(const Options &options, const Counts &counts)
{
	const struct ssdpm_budget_params params = params_of(options, counts);
	size_t n = 0;

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_budget_get_frontier(&params, nullptr, 0, &n,
						 error);
	});

	Options points({ (py::ssize_t)n, (py::ssize_t)2 });
	struct ssdpm_budget_option *to =
		reinterpret_cast<struct ssdpm_budget_option *>(
			points.mutable_data());

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_budget_get_frontier(&params, to, n, &n, error);
	});
	return points;
}

void add_budget(py::module_ &module)
{
	module.attr("BUDGET_MAX") = (uint64_t)SSDPM_BUDGET_MAX;
	module.attr("BUDGET_MAX_ITEMS") = (uint32_t)SSDPM_BUDGET_MAX_ITEMS;
	module.attr("BUDGET_MAX_OPTIONS") = (uint32_t)SSDPM_BUDGET_MAX_OPTIONS;
	module.def("budget_solve", &budget_solve);
	module.def("budget_frontier", &budget_frontier);
}
