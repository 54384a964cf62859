/* SPDX-License-Identifier: MIT */
/* <ssdpm/energy/recommend.h> */
#include "energy.h"

#include <array>
#include <memory>
#include <mutex>
#include <tuple>

#include <pybind11/stl.h>

/* max_delay_mean_ns, max_delay_p99_ns, max_exit_latency_us, max_states, quirks,
 * flags
 */
using BoundsTuple =
	std::tuple<uint64_t, uint64_t, uint64_t, uint32_t, uint32_t, uint32_t>;

static struct ssdpm_bounds bounds_from(const BoundsTuple &from)
{
	struct ssdpm_bounds bounds = {};

	bounds.size = sizeof(bounds);
	bounds.max_delay_mean_ns = std::get<0>(from);
	bounds.max_delay_p99_ns = std::get<1>(from);
	bounds.max_exit_latency_us = std::get<2>(from);
	bounds.max_states = std::get<3>(from);
	bounds.quirks = std::get<4>(from);
	bounds.flags = std::get<5>(from);
	return bounds;
}

/* The idle times of a trace. ssdpm/estimate/ feeds one and finishes it before
 * it lets anybody see it; from then on it never changes. */
class Gaps
{
      public:
	explicit Gaps(const std::optional<ServiceNumbers> &numbers)
	{
		struct ssdpm_error error = {};
		struct ssdpm_service service;

		if (numbers)
			service = service_from(*numbers);
		if (ssdpm_gaps_new(numbers ? &service : nullptr, &gaps, &error))
			raise_error(error, false);
	}
	explicit Gaps(const py::bytes &data)
	{
		const std::string_view bytes = data;

		without_gil(
			[&](struct ssdpm_error *error) {
				return ssdpm_gaps_from_data(bytes.data(),
							    bytes.size(), &gaps,
							    error);
			},
			true);
	}
	~Gaps()
	{
		ssdpm_gaps_unref(gaps);
	}
	Gaps(const Gaps &) = delete;
	Gaps &operator=(const Gaps &) = delete;

	void feed(const IoArray &ios)
	{
		feed_all(ios, [this](const struct ssdpm_io *at, size_t n,
				     struct ssdpm_error *error) {
			return ssdpm_gaps_feed(gaps, at, n, error);
		});
	}

	void finish(uint64_t end_ns)
	{
		without_gil([&](struct ssdpm_error *error) {
			return ssdpm_gaps_finish(gaps, end_ns, error);
		});
	}

	py::bytes to_data() const
	{
		void *data = nullptr;
		size_t size = 0;
		without_gil([&](struct ssdpm_error *error) {
			return ssdpm_gaps_to_data(gaps, &data, &size, error);
		});
		const std::unique_ptr<void, decltype(&std::free)> owner(
			data, &std::free);

		return py::bytes((const char *)data, size);
	}

	const struct ssdpm_gaps *get() const
	{
		return gaps;
	}

      private:
	struct ssdpm_gaps *gaps;
};

static py::array gaps_idle_ns(const py::object &self)
{
	size_t n;
	const uint64_t *idle_ns =
		ssdpm_gaps_get_idle_ns(self.cast<const Gaps &>().get(), &n);

	return view(idle_ns, n, self);
}

static py::array gaps_sweep(const Gaps &self, const Model &model,
			    const SimParams &params,
			    const std::vector<const ApstTable *> &from)
{
	std::vector<struct ssdpm_apst> tables;

	for (const ApstTable *table : from)
		tables.push_back(table->table);

	std::vector<struct ssdpm_run> runs(tables.size(), empty_run());
	struct ssdpm_gaps_runs what = {};

	what.size = sizeof(what);
	what.tables = tables.data();
	what.n_tables = tables.size();
	what.runs = runs.data();
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_gaps_sweep(self.get(), model.get(), params.get(),
					&what, error);
	});
	return run_array(runs.data(), runs.size());
}

static py::array gaps_clairvoyant(const Gaps &self, const Model &model,
				  const SimParams &params)
{
	struct ssdpm_run run = empty_run();
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_gaps_clairvoyant(self.get(), model.get(),
					      params.get(), &run, error);
	});
	return run_array(&run, 1);
}

static py::tuple gaps_best_table(const Gaps &self, const Model &model,
				 const SimParams &params,
				 const BoundsTuple &from)
{
	std::unique_ptr<ApstTable> table = std::make_unique<ApstTable>();
	struct ssdpm_bounds bounds = bounds_from(from);
	struct ssdpm_run run = empty_run();
	struct ssdpm_best_table best = {};

	best.size = sizeof(best);
	best.run = &run;
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_gaps_best_table(self.get(), model.get(),
					     params.get(), &bounds, &best,
					     error);
	});
	table->table = best.table;
	return py::make_tuple(std::move(table), run_array(&run, 1),
			      best.energy_bound_nj);
}

/* What the machine of a device lets it have; it never changes. */
class DeviceBounds
{
      public:
	/* Raises an error if nothing can be set. */
	DeviceBounds(const Device &device, const Machine &machine,
		     const Model &model)
	    : device(device), facts(read_facts(machine.get()))
	{
		bounds.size = sizeof(bounds);
		kernel.size = sizeof(kernel);
		without_gil([&](struct ssdpm_error *error) {
			return ssdpm_bounds_set_device(
				&bounds, machine.get(), device.get(),
				model.get(), &kernel, error);
		});
	}
	DeviceBounds(const DeviceBounds &) = delete;
	DeviceBounds &operator=(const DeviceBounds &) = delete;

	uint32_t flags() const
	{
		return bounds.flags;
	}

	const Device &device;
	const struct ssdpm_machine_facts facts;
	struct ssdpm_bounds bounds = {}; /* points to the kernel, if any */

      private:
	struct ssdpm_apst_params kernel = {};
};

/* What to write for a recommendation. */
class Changes
{
      public:
	/* place: nullptr: that of no device */
	Changes(const struct ssdpm_recommendation &from,
		const DeviceBounds *place)
	{
		struct ssdpm_change *found = nullptr;
		struct ssdpm_error error = {};

		if (ssdpm_recommendation_get_changes(
			    &from, place ? place->device.get() : nullptr,
			    place ? &place->facts : nullptr, &found, &n,
			    &error))
			raise_error(error, false);
		changes.reset(found);
	}

	py::list list() const
	{
		return change_list(changes.get(), n);
	}

	struct ssdpm_recommendation_words words() const
	{
		return { nullptr, nullptr, changes.get(), n };
	}

      private:
	std::unique_ptr<struct ssdpm_change, Free> changes;
	size_t n = 0;
};

static py::tuple describe(const struct ssdpm_recommendation &from,
			  const DeviceBounds *place)
{
	std::unique_ptr<ApstTable> table = std::make_unique<ApstTable>();
	const struct ssdpm_run none = {};

	table->table = from.apst;
	return py::make_tuple(
		from.route, from.possible != 0,
		ssdpm_advice_to_string(from.advice),
		from.today_keeps_bounds != 0, std::move(table),
		ssdpm_lpm_to_string(from.lpm), from.limit_us,
		from.primary_timeout_ms, from.primary_latency_tolerance_us,
		from.secondary_timeout_ms, from.secondary_latency_tolerance_us,
		ssdpm_kept_to_string(from.kept),
		run_array(from.run ? from.run : &none, 1),
		run_array(from.low ? from.low : &none, 1),
		run_array(from.high ? from.high : &none, 1),
		saving_tuple(from.saving), likely_tuple(from.likely),
		Changes(from, place).list());
}

/* Bounds of the caller, each of which replaces one of the patience. */
static constexpr uint32_t OWN_BOUNDS =
	SSDPM_BOUNDS_OWN_MEAN | SSDPM_BOUNDS_OWN_P99 | SSDPM_BOUNDS_OWN_EXIT;

/* What to set for a workload; it never changes. */
class Recommendations
{
      public:
	/* Bounds that the tuple does not have are those of the patience.
	 * place: of a device, or None. */
	Recommendations(const Gaps &gaps, const Model &model,
			const SimParams &params, const BoundsTuple &from,
			uint32_t patience, const ApstTable *today,
			const DeviceBounds *place)
	    : model(model), place(place), bounds(bounds_from(from)),
	      params(*params.get())
	{
		bounds.patience = patience;
		bounds.kernel = place ? place->bounds.kernel : nullptr;

		struct ssdpm_error error = {};
		int err = 0;
		{
			py::gil_scoped_release release;

			err = ssdpm_gaps_get_default_bounds(
				gaps.get(), model.get(), &this->params, &bounds,
				&bounds, &error);
			if (ssdpm_model_get_info(model.get())->kind ==
			    SSDPM_KIND_NVME)
				this->params.apst =
					today ? &today->table : nullptr;
			if (!err)
				err = ssdpm_recommend(gaps.get(), model.get(),
						      &this->params, &bounds,
						      &found, &error);
		}
		if (err)
			raise_error(error, false);
	}
	~Recommendations()
	{
		ssdpm_recommendations_free(found);
	}
	Recommendations(const Recommendations &) = delete;
	Recommendations &operator=(const Recommendations &) = delete;

	py::list answers() const
	{
		py::list result;

		while (const struct ssdpm_recommendation *one =
			       ssdpm_recommendations_get(found, result.size()))
			result.append(describe(*one, place));
		return result;
	}

	/* savings are against what is called so */
	py::str to_json(const NamesTuple &names,
			const OptionalText &today) const
	{
		struct ssdpm_recommendation_report report = {};
		std::vector<struct ssdpm_recommendation_words> words;
		std::vector<Changes> changes;
		const Names told(names);

		while (const struct ssdpm_recommendation *one =
			       ssdpm_recommendations_get(found, changes.size()))
			changes.emplace_back(*one, place);
		for (const Changes &one : changes)
			words.push_back(one.words());
		told.set(&report);
		report.model = model.get();
		report.params = &params;
		report.bounds = &bounds;
		report.from = c_str(today);
		report.recommendations = found;
		report.words = words.data();
		report.n_words = words.size();
		report.by_default = !(bounds.flags & OWN_BOUNDS);
		return written([&](char **text, struct ssdpm_error *error) {
			return ssdpm_recommendation_report_to_json(&report,
								   text, error);
		});
	}

      private:
	/* Kept alive with it, as what params and bounds point to. */
	const Model &model;
	const DeviceBounds *place;
	struct ssdpm_bounds bounds;
	struct ssdpm_sim_params params;
	struct ssdpm_recommendations *found = nullptr;
};

/* Raises an error if nothing says what the device draws. */
static void check_estimable(const Device &device, const Model &model)
{
	struct ssdpm_error error = {};

	if (ssdpm_device_check_estimable(device.get(), model.get(), &error))
		raise_error(error, false);
}

static struct ssdpm_saving saving_from(const std::array<int64_t, 3> &uw)
{
	struct ssdpm_saving saving = {};

	saving.low_uw = uw[0];
	saving.nominal_uw = uw[1];
	saving.high_uw = uw[2];
	return saving;
}

static py::tuple gain_tuple(const struct ssdpm_gain &gain)
{
	return py::make_tuple(gain.low, gain.nominal, gain.high);
}

/* None: the system takes too little. */
static py::object saving_battery_s(const std::array<int64_t, 3> &uw,
				   double battery_mwh, double system_uw)
{
	const struct ssdpm_saving saving = saving_from(uw);
	struct ssdpm_gain gain;

	if (ssdpm_saving_get_battery_s(&saving, battery_mwh, system_uw, &gain,
				       nullptr))
		return py::none();
	return gain_tuple(gain);
}

static py::tuple saving_year_wh(const std::array<int64_t, 3> &uw,
				double hours_per_day)
{
	const struct ssdpm_saving saving = saving_from(uw);
	struct ssdpm_gain gain;

	ssdpm_saving_get_year_wh(&saving, hours_per_day, &gain);
	return gain_tuple(gain);
}

void add_recommend(py::module_ &module)
{
	module.attr("ROUTES") = words(&ssdpm_route_to_string);
	module.attr("BOUNDS_MAY_COST") = +SSDPM_BOUNDS_MAY_COST;
	module.attr("BOUNDS_IN_FORCE") = +SSDPM_BOUNDS_IN_FORCE;
	module.attr("BOUNDS_OWN") =
		py::make_tuple(+SSDPM_BOUNDS_OWN_MEAN, +SSDPM_BOUNDS_OWN_P99,
			       +SSDPM_BOUNDS_OWN_EXIT);
	py::class_<Gaps>(module, "Gaps")
		.def(py::init<const std::optional<ServiceNumbers> &>())
		.def(py::init<const py::bytes &>())
		.def("feed", &Gaps::feed)
		.def("finish", &Gaps::finish)
		.def("to_data", &Gaps::to_data)
		.def_property_readonly("idle_ns", &gaps_idle_ns);
	module.def("gaps_sweep", &gaps_sweep);
	module.def("gaps_clairvoyant", &gaps_clairvoyant);
	module.def("gaps_best_table", &gaps_best_table);
	py::class_<DeviceBounds>(module, "DeviceBounds")
		.def(py::init<const Device &, const Machine &, const Model &>(),
		     py::keep_alive<1, 2>())
		.def_property_readonly("flags", &DeviceBounds::flags);
	py::class_<Recommendations>(module, "Recommendations")
		.def(py::init<const Gaps &, const Model &, const SimParams &,
			      const BoundsTuple &, uint32_t, const ApstTable *,
			      const DeviceBounds *>(),
		     py::keep_alive<1, 3>(), py::keep_alive<1, 4>(),
		     py::keep_alive<1, 7>(), py::keep_alive<1, 8>())
		.def("answers", &Recommendations::answers)
		.def("to_json", &Recommendations::to_json);
	module.def("check_estimable", &check_estimable);
	module.def("saving_battery_s", &saving_battery_s);
	module.def("saving_year_wh", &saving_year_wh);
}
