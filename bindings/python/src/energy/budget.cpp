/* SPDX-License-Identifier: MIT */
/* <ssdpm/energy/budget.h> */
#include "energy.h"

#include <pybind11/stl.h>

/* What a mix is made of: op, share, io_bytes. */
using MixTuples = std::vector<std::tuple<uint32_t, double, uint32_t>>;
/* Of each device: its name, its model, and what is simulated. */
using DeviceTuples =
	std::vector<std::tuple<OptionalText, const Model *, const SimParams *>>;
using States = py::array_t<struct ssdpm_budget_state, py::array::c_style>;

static std::vector<struct ssdpm_cap_stream> streams_from(const MixTuples &mix)
{
	std::vector<struct ssdpm_cap_stream> streams;

	for (const auto &one : mix) {
		struct ssdpm_cap_stream stream = {};

		std::tie(stream.op, stream.share, stream.io_bytes) = one;
		streams.push_back(stream);
	}
	return streams;
}

/* What drives do: a mix, or, where that is empty, these I/Os. */
static struct ssdpm_budget_work work_of(
	const std::vector<struct ssdpm_cap_stream> &streams,
	const struct ssdpm_io *ios, size_t n_ios)
{
	struct ssdpm_budget_work work = {};

	work.size = sizeof(work);
	work.streams = streams.data();
	work.n_streams = streams.size();
	work.ios = streams.empty() ? ios : nullptr;
	work.n_ios = streams.empty() ? n_ios : 0;
	return work;
}

/* A counted reference to an item. */
class BudgetItem
{
      public:
	/* Takes over the caller's reference. */
	explicit BudgetItem(struct ssdpm_budget_item *item) : item(item)
	{
	}
	~BudgetItem()
	{
		ssdpm_budget_item_unref(item);
	}
	BudgetItem(const BudgetItem &) = delete;
	BudgetItem &operator=(const BudgetItem &) = delete;

	const struct ssdpm_budget_item *get() const
	{
		return item;
	}

	static std::unique_ptr<BudgetItem> of_drives(
		const DeviceTuples &devices, const MixTuples &mix,
		const IoArray &ios, uint32_t power, uint64_t weight_thousandths)
	{
		const std::vector<struct ssdpm_cap_stream> streams =
			streams_from(mix);
		const struct ssdpm_budget_work work =
			work_of(streams, ios.data(), (size_t)ios.size());
		std::vector<struct ssdpm_budget_drive> drives(devices.size());
		std::vector<const struct ssdpm_budget_drive *> pointers;
		struct ssdpm_budget_item *item = nullptr;

		for (size_t i = 0; i < devices.size(); i++) {
			drives[i].size = sizeof(drives[i]);
			drives[i].name = c_str(std::get<0>(devices[i]));
			drives[i].model = std::get<1>(devices[i])->get();
			drives[i].params = std::get<2>(devices[i])->get();
			drives[i].work = &work;
			pointers.push_back(&drives[i]);
		}
		without_gil([&](struct ssdpm_error *error) {
			return ssdpm_budget_item_new(
				pointers.data(), pointers.size(), power,
				weight_thousandths, &item, error);
		});
		return std::make_unique<BudgetItem>(item);
	}

	static std::unique_ptr<BudgetItem> of_states(const std::string &name,
						     const States &states)
	{
		struct ssdpm_budget_item *item = nullptr;
		struct ssdpm_error error = {};

		if (ssdpm_budget_item_from_states(name.c_str(), states.data(),
						  (size_t)states.size(), &item,
						  &error))
			raise_error(error, false);
		return std::make_unique<BudgetItem>(item);
	}

	States states() const
	{
		const struct ssdpm_budget_state *states;
		size_t n;

		states = ssdpm_budget_item_get_states(item, &n);
		return States((py::ssize_t)n, states);
	}

      private:
	struct ssdpm_budget_item *item;
};

class Budget
{
      public:
	Budget(const std::vector<const BudgetItem *> &items, uint64_t budget_uw,
	       uint64_t base_uw)
	{
		std::vector<const struct ssdpm_budget_item *> pointers;
		struct ssdpm_budget_params params = {};

		for (const BudgetItem *item : items)
			pointers.push_back(item->get());
		params.size = sizeof(params);
		params.items = pointers.data();
		params.n_items = pointers.size();
		params.budget_uw = budget_uw;
		params.base_uw = base_uw;
		without_gil([&](struct ssdpm_error *error) {
			return ssdpm_budget_solve(&params, &budget, error);
		});
	}
	~Budget()
	{
		ssdpm_budget_free(budget);
	}
	Budget(const Budget &) = delete;
	Budget &operator=(const Budget &) = delete;

	/* fits, power_uw, loss, bound_loss, n_examined, exact, n_fitting */
	py::tuple answer() const
	{
		const struct ssdpm_budget_answer *answer =
			ssdpm_budget_get_answer(budget);

		return py::make_tuple(answer->fits != 0, answer->power_uw,
				      answer->loss, answer->bound_loss,
				      answer->n_examined, answer->exact != 0,
				      answer->n_fitting);
	}

	py::array_t<uint32_t> choices() const
	{
		const uint32_t *choices;
		size_t n;

		choices = ssdpm_budget_get_choices(budget, &n);
		return py::array_t<uint32_t>((py::ssize_t)n, choices);
	}

	py::array_t<struct ssdpm_budget_point> frontier() const
	{
		const struct ssdpm_budget_point *points;
		size_t n;

		points = ssdpm_budget_get_frontier(budget, &n);
		return py::array_t<struct ssdpm_budget_point>((py::ssize_t)n,
							      points);
	}

	py::str to_json(const MixTuples &mix) const
	{
		const std::vector<struct ssdpm_cap_stream> streams =
			streams_from(mix);
		const struct ssdpm_io any = {};
		const struct ssdpm_budget_work work = work_of(streams, &any, 1);
		struct ssdpm_budget_report report = {};

		report.size = sizeof(report);
		report.budget = budget;
		report.work = &work;
		return written([&](char **text, struct ssdpm_error *error) {
			return ssdpm_budget_report_to_json(&report, text,
							   error);
		});
	}

      private:
	struct ssdpm_budget *budget = nullptr;
};

void add_budget(py::module_ &module)
{
	PYBIND11_NUMPY_DTYPE(ssdpm_budget_state, state, limit, assumed,
			     outranked, power_uw, loss, lost_bytes_per_s,
			     expected_power_uw, bytes_per_s);
	PYBIND11_NUMPY_DTYPE(ssdpm_budget_point, power_uw, loss);
	module.attr("budget_state_dtype") =
		py::dtype::of<struct ssdpm_budget_state>();
	module.attr("BUDGET_MAX") = (uint64_t)SSDPM_BUDGET_MAX;
	module.attr("BUDGET_MAX_ITEMS") = (uint32_t)SSDPM_BUDGET_MAX_ITEMS;
	module.attr("BUDGET_MAX_STATES") = (uint32_t)SSDPM_BUDGET_MAX_STATES;
	module.attr("BUDGET_POWERS") = words(&ssdpm_budget_power_to_string);
	py::class_<BudgetItem>(module, "BudgetItem")
		.def("states", &BudgetItem::states);
	module.def("budget_item_of_drives", &BudgetItem::of_drives);
	module.def("budget_item_of_states", &BudgetItem::of_states);
	py::class_<Budget>(module, "Budget")
		.def(py::init<const std::vector<const BudgetItem *> &, uint64_t,
			      uint64_t>())
		.def("answer", &Budget::answer)
		.def("choices", &Budget::choices)
		.def("frontier", &Budget::frontier)
		.def("to_json", &Budget::to_json);
}
