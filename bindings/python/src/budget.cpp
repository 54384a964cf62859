/* SPDX-License-Identifier: MIT */
/* <ssdpm/energy/budget.h> */
#include "samples.h"

/* Pairs of power and loss, of all items one after the other. */
using Options = py::array_t<uint64_t, py::array::c_style>;
using Counts = py::array_t<uint32_t, py::array::c_style>;

static_assert(sizeof(struct ssdpm_budget_point) == 2 * sizeof(uint64_t), "");

struct FreeBudget {
	void operator()(struct ssdpm_budget *budget) const
	{
		ssdpm_budget_free(budget);
	}
};
struct UnrefItem {
	void operator()(struct ssdpm_budget_item *item) const
	{
		ssdpm_budget_item_unref(item);
	}
};
using BudgetPointer = std::unique_ptr<struct ssdpm_budget, FreeBudget>;
using ItemPointer = std::unique_ptr<struct ssdpm_budget_item, UnrefItem>;

static ItemPointer item_of(const uint64_t *pairs, size_t n)
{
	std::vector<struct ssdpm_budget_state> states(n);
	struct ssdpm_budget_item *item = nullptr;
	struct ssdpm_error error = {};

	for (size_t i = 0; i < n; i++) {
		states[i].power_uw = pairs[2 * i];
		states[i].loss = pairs[2 * i + 1];
	}
	if (ssdpm_budget_item_from_states(nullptr, states.data(), n, &item,
					  &error))
		raise_error(error, false);
	return ItemPointer(item);
}

static BudgetPointer share_out(const Options &options, const Counts &counts,
			       uint64_t budget_uw)
{
	std::vector<const struct ssdpm_budget_item *> pointers;
	struct ssdpm_budget_params params = {};
	struct ssdpm_budget *budget = nullptr;
	const uint64_t *at = options.data();
	std::vector<ItemPointer> items;

	for (py::ssize_t i = 0; i < counts.size(); i++) {
		items.push_back(item_of(at, counts.data()[i]));
		pointers.push_back(items.back().get());
		at += 2 * counts.data()[i];
	}
	params.size = sizeof(params);
	params.items = pointers.data();
	params.n_items = pointers.size();
	params.budget_uw = budget_uw;
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_budget_solve(&params, &budget, error);
	});
	return BudgetPointer(budget);
}

/* None where nothing fits. */
static py::object budget_solve(const Options &options, const Counts &counts,
			       uint64_t budget_uw)
{
	const BudgetPointer budget = share_out(options, counts, budget_uw);
	const struct ssdpm_budget_answer *answer =
		ssdpm_budget_get_answer(budget.get());
	const uint32_t *choices;
	size_t n;

	if (!answer->fits)
		return py::none();
	choices = ssdpm_budget_get_choices(budget.get(), &n);
	return py::make_tuple(Counts((py::ssize_t)n, choices), answer->power_uw,
			      answer->loss, answer->bound_loss,
			      answer->n_examined, answer->exact != 0);
}

static Options budget_frontier(const Options &options, const Counts &counts)
{
	const BudgetPointer budget = share_out(options, counts, 0);
	const struct ssdpm_budget_point *points;
	size_t n;

	points = ssdpm_budget_get_frontier(budget.get(), &n);
	return Options({ (py::ssize_t)n, (py::ssize_t)2 },
		       reinterpret_cast<const uint64_t *>(points));
}

void add_budget(py::module_ &module)
{
	module.attr("BUDGET_MAX") = (uint64_t)SSDPM_BUDGET_MAX;
	module.attr("BUDGET_MAX_ITEMS") = (uint32_t)SSDPM_BUDGET_MAX_ITEMS;
	module.attr("BUDGET_MAX_OPTIONS") = (uint32_t)SSDPM_BUDGET_MAX_STATES;
	module.def("budget_solve", &budget_solve);
	module.def("budget_frontier", &budget_frontier);
}
