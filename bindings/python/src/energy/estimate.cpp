/* SPDX-License-Identifier: MIT */
/* <ssdpm/energy/estimate.h> */
#include "energy.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <tuple>

#include <pybind11/stl.h>

static struct ssdpm_parameter parameter_from(const ParameterTuple &from)
{
	struct ssdpm_parameter to = {};
	const std::string &rule = std::get<6>(from);

	to.kind = std::get<0>(from);
	to.index = std::get<1>(from);
	to.provenance = std::get<2>(from);
	to.low = std::get<3>(from);
	to.nominal = std::get<4>(from);
	to.high = std::get<5>(from);
	/* the last byte stays 0 */
	memcpy(to.rule, rule.data(),
	       std::min(rule.size(), sizeof(to.rule) - 1));
	return to;
}

Parameters parameters_from(const ParameterTuples &from)
{
	Parameters result;

	for (const ParameterTuple &one : from)
		result.push_back(parameter_from(one));
	return result;
}

py::list parameter_list(const struct ssdpm_parameter *parameters, size_t n)
{
	py::list result;

	for (size_t i = 0; i < n; i++) {
		const struct ssdpm_parameter &one = parameters[i];

		result.append(py::make_tuple(one.kind, one.index,
					     one.provenance, one.low,
					     one.nominal, one.high, one.rule));
	}
	return result;
}

static py::list parameters_from_model(const Model &model, uint32_t pcie_link)
{
	Parameters parameters(SSDPM_MAX_PARAMETERS);
	struct ssdpm_error error = {};
	size_t n;

	if (ssdpm_parameters_from_model(model.get(), pcie_link,
					parameters.data(), parameters.size(),
					&n, &error))
		raise_error(error, false);
	return parameter_list(parameters.data(), n);
}

/* base_ns, bytes_per_second: for each operation. */
static ServiceNumbers parameters_get_service(const ParameterTuples &from)
{
	const Parameters parameters = parameters_from(from);
	struct ssdpm_service service;
	ServiceNumbers numbers;

	ssdpm_parameters_get_service(parameters.data(), parameters.size(),
				     &service);
	for (size_t i = 0; i < SSDPM_N_OPS; i++) {
		numbers.first[i] = service.base_ns[i];
		numbers.second[i] = service.bytes_per_second[i];
	}
	return numbers;
}

static py::list parameters_set(const ParameterTuples &from, uint32_t kind,
			       uint32_t index, uint64_t low, uint64_t nominal,
			       uint64_t high)
{
	Parameters parameters = parameters_from(from);
	struct ssdpm_parameter value = {};
	struct ssdpm_error error = {};

	value.kind = kind;
	value.index = index;
	value.low = low;
	value.nominal = nominal;
	value.high = high;
	if (ssdpm_parameters_set(parameters.data(), parameters.size(), &value,
				 &error))
		raise_error(error, false);
	return parameter_list(parameters.data(), parameters.size());
}

static std::unique_ptr<Model> parameters_to_model(const Model &model,
						  const ParameterTuples &from)
{
	const Parameters parameters = parameters_from(from);
	struct ssdpm_error error = {};
	struct ssdpm_model *made;

	if (ssdpm_parameters_to_model(model.get(), parameters.data(),
				      parameters.size(), &made, &error))
		raise_error(error, false);
	return std::make_unique<Model>(made);
}

SimParams::SimParams(const ParameterTuples &from, const ApstTable *apst,
		     uint32_t lpm, uint32_t loop, uint32_t flags,
		     uint32_t operational_state, uint64_t interval_ns,
		     uint32_t pcie_link)
    : parameters(parameters_from(from)), table()
{
	if (ssdpm_sim_params_init(&params, sizeof(params)))
		throw std::runtime_error("ssdpm_sim_params_init");
	params.parameters = parameters.data();
	params.n_parameters = parameters.size();
	if (apst) {
		table = apst->table;
		params.apst = &table;
	}
	params.lpm = lpm;
	params.loop = loop;
	params.flags = flags;
	params.operational_state = operational_state;
	params.interval_ns = interval_ns;
	params.pcie_link = pcie_link;
}

struct Change {
	uint64_t time_ns;
	uint32_t phase;
	uint32_t state;
};

static struct ssdpm_run empty_run()
{
	struct ssdpm_run run = {};

	run.size = sizeof(run);
	return run;
}

static py::array run_array(const struct ssdpm_run *runs, size_t n)
{
	return py::array_t<struct ssdpm_run>((py::ssize_t)n, runs);
}

py::tuple saving_tuple(const struct ssdpm_saving &saving)
{
	return py::make_tuple(saving.low_nj, saving.nominal_nj, saving.high_nj,
			      saving.low_uw, saving.nominal_uw, saving.high_uw);
}

py::object likely_tuple(const struct ssdpm_likely *likely)
{
	const char *decider;
	std::vector<std::string> ways;

	if (!likely)
		return py::none();
	for (uint32_t bit = 1; const char *word = ssdpm_way_to_string(bit);
	     bit <<= 1)
		if (likely->decider_ways & bit)
			ways.emplace_back(word);
	decider = ssdpm_parameter_kind_to_string(likely->decider_kind);
	return py::make_tuple(
		ssdpm_saving_verdict_to_string(likely->verdict), likely->low_nj,
		likely->median_nj, likely->high_nj, likely->low_uw,
		likely->median_uw, likely->high_uw, likely->saves_ppm / 1e6,
		likely->priors_version,
		likely->decider_kind ? py::object(py::str(decider)) :
				       py::object(py::none()),
		likely->decider_index, likely->decider_ppm / 1e6,
		py::tuple(py::cast(ways)));
}

py::tuple result_tuple(const struct ssdpm_result &result,
		       const struct ssdpm_sim *sim, const py::object &changes)
{
	const struct ssdpm_run runs[] = { *result.nominal, *result.low,
					  *result.high };
	std::vector<uint64_t> delays(SSDPM_HISTOGRAM_BUCKETS);
	const struct ssdpm_interval *intervals;
	const struct ssdpm_parameter *parameters;
	size_t n, n_parameters;

	parameters = ssdpm_sim_get_parameters(sim, &n_parameters);
	ssdpm_sim_get_delays(sim, delays.data(), SSDPM_HISTOGRAM_BUCKETS);
	intervals = ssdpm_sim_get_intervals(sim, &n);
	return py::make_tuple(
		run_array(runs, 3), parameter_list(parameters, n_parameters),
		result.assumed_nj, result.axes, result.own_duration_ns,
		result.loose_states, result.loose_ops, result.widest_axis,
		std::vector<uint64_t>(result.axis_low_nj,
				      result.axis_low_nj + result.n_axes),
		std::vector<uint64_t>(result.axis_high_nj,
				      result.axis_high_nj + result.n_axes),
		py::array_t<uint64_t>((py::ssize_t)delays.size(),
				      delays.data()),
		py::array_t<struct ssdpm_interval>((py::ssize_t)n, intervals),
		changes);
}

/* A simulation; threads take turns. */
class Sim
{
      public:
	Sim(const Model &model, const SimParams &params, bool want_changes)
	    : model(model)
	{
		struct ssdpm_error error = {};

		if (ssdpm_sim_new(model.get(), params.get(), &sim, &error))
			raise_error(error, false);
		if (want_changes)
			ssdpm_sim_set_change_fn(sim, &Sim::add_change, this);
	}
	~Sim()
	{
		ssdpm_sim_free(sim);
	}
	Sim(const Sim &) = delete;
	Sim &operator=(const Sim &) = delete;

	void feed(const IoArray &ios)
	{
		feed_all(ios, [this](const struct ssdpm_io *at, size_t n,
				     struct ssdpm_error *error) {
			std::lock_guard<std::mutex> lock(mutex);

			return ssdpm_sim_feed(sim, at, n, error);
		});
		check_memory();
	}

	py::tuple finish(uint64_t end_ns)
	{
		without_gil([&](struct ssdpm_error *error) {
			std::lock_guard<std::mutex> lock(mutex);

			return ssdpm_sim_finish(sim, end_ns, error);
		});
		check_memory();
		return result_tuple(
			*ssdpm_sim_get_result(sim), sim,
			py::array_t<Change>((py::ssize_t)changes.size(),
					    changes.data()));
	}

	/* Of one that is finished, and of its table or link policy. */
	py::str to_json(const NamesTuple &names, const OptionalText &policy,
			const ApstTable *table, uint32_t lpm,
			const std::optional<WorkTuple> &background)
	{
		struct ssdpm_background_work work = {};
		struct ssdpm_estimate_report report = {};
		struct ssdpm_resolved_policy resolved = {};
		const Names told(names);

		told.set(&report);
		if (table)
			resolved.apst = table->table;
		resolved.lpm = lpm;
		report.model = model.get();
		report.policy = c_str(policy);
		report.resolved = &resolved;
		report.sim = sim;
		if (background) {
			work = work_from(*background);
			report.background = &work;
		}
		return written([&](char **text, struct ssdpm_error *error) {
			std::lock_guard<std::mutex> lock(mutex);

			return ssdpm_estimate_report_to_json(&report, text,
							     error);
		});
	}

	py::tuple saving(Sim &to)
	{
		struct ssdpm_saving saving;
		struct ssdpm_error error = {};
		int err;
		{
			py::gil_scoped_release release;
			std::unique_lock<std::mutex> first(mutex,
							   std::defer_lock);
			std::unique_lock<std::mutex> second(to.mutex,
							    std::defer_lock);

			if (&to == this)
				first.lock();
			else
				std::lock(first, second);
			err = ssdpm_sim_get_saving(sim, to.sim, &saving,
						   &error);
		}
		if (err)
			raise_error(error, false);
		return saving_tuple(saving);
	}

	/* Of one that is finished, and was made to. */
	py::tuple prediction()
	{
		return prediction_tuple(predict());
	}

	py::str prediction_to_json(const IoArray &ios,
				   const OptionalText &policy,
				   const OptionalText &predicted_at)
	{
		const struct ssdpm_prediction prediction = predict();
		struct ssdpm_prediction_report report = {};

		report.size = sizeof(report);
		report.model = model.get();
		report.sim = sim;
		report.prediction = &prediction;
		report.ios = ios.data();
		report.n_ios = (size_t)ios.size();
		report.policy = c_str(policy);
		report.predicted_at = c_str(predicted_at);
		return written([&](char **text, struct ssdpm_error *error) {
			std::lock_guard<std::mutex> lock(mutex);

			return ssdpm_prediction_report_to_json(&report, text,
							       error);
		});
	}

      private:
	struct ssdpm_prediction predict()
	{
		struct ssdpm_prediction found = {};

		found.size = sizeof(found);
		without_gil([&](struct ssdpm_error *error) {
			std::lock_guard<std::mutex> lock(mutex);

			return ssdpm_sim_get_prediction(sim, &found, error);
		});
		return found;
	}

	/* The library calls this without the GIL; it must not throw. */
	static void add_change(void *userdata, uint64_t time_ns, uint32_t phase,
			       uint32_t state)
	{
		Sim *self = (Sim *)userdata;

		try {
			self->changes.push_back({ time_ns, phase, state });
		} catch (const std::bad_alloc &) {
			self->out_of_memory = true;
		}
	}

	void check_memory() const
	{
		if (out_of_memory)
			throw std::bad_alloc();
	}

	const Model &model; /* kept alive with it */
	struct ssdpm_sim *sim;
	std::mutex mutex;
	std::vector<Change> changes;
	bool out_of_memory = false;
};

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

/* What to write for a recommendation. */
class Changes
{
      public:
	explicit Changes(const struct ssdpm_recommendation &from)
	{
		struct ssdpm_change *found = nullptr;
		struct ssdpm_error error = {};

		if (ssdpm_recommendation_get_changes(&from, nullptr, nullptr,
						     &found, &n, &error))
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

static py::tuple describe(const struct ssdpm_recommendation &from)
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
		Changes(from).list());
}

/* What to set for a workload; it never changes. */
class Recommendations
{
      public:
	/* usual: the delays that are allowed are those of the library. */
	Recommendations(const Gaps &gaps, const Model &model,
			const SimParams &params, const BoundsTuple &from,
			bool usual, const ApstTable *today)
	    : model(model), usual(usual), bounds(bounds_from(from)),
	      params(*params.get())
	{
		struct ssdpm_error error = {};
		int err = 0;
		{
			py::gil_scoped_release release;

			if (usual)
				err = allow_usual(gaps, &error);
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
			result.append(describe(*one));
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
			changes.emplace_back(*one);
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
		report.by_default = usual;
		return written([&](char **text, struct ssdpm_error *error) {
			return ssdpm_recommendation_report_to_json(&report,
								   text, error);
		});
	}

      private:
	int allow_usual(const Gaps &gaps, struct ssdpm_error *error)
	{
		struct ssdpm_bounds defaults = {};
		int err;

		defaults.size = sizeof(defaults);
		err = ssdpm_gaps_get_default_bounds(gaps.get(), model.get(),
						    &params, bounds.quirks,
						    &defaults, error);
		if (err)
			return err;
		bounds.max_delay_mean_ns = defaults.max_delay_mean_ns;
		bounds.max_delay_p99_ns = defaults.max_delay_p99_ns;
		bounds.max_exit_latency_us = defaults.max_exit_latency_us;
		return 0;
	}

	/* Kept alive with it, as what params points to. */
	const Model &model;
	const bool usual;
	struct ssdpm_bounds bounds;
	struct ssdpm_sim_params params;
	struct ssdpm_recommendations *found = nullptr;
};

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

static void add_dtypes(py::module_ &module)
{
	PYBIND11_NUMPY_DTYPE(ssdpm_residency, time_ns, entry_ns, exit_ns,
			     energy_nj, n_entries, n_wakes);
	PYBIND11_NUMPY_DTYPE(ssdpm_run, duration_ns, busy_ns, idle_ns, entry_ns,
			     exit_ns, energy_nj, transition_nj, mean_power_uw,
			     busy_ns_by_op, n_ios, bytes, n_gaps, n_wakes,
			     n_deepest, deepest_per_day, n_delayed,
			     delay_sum_ns, delay_mean_ns, delay_mean_delayed_ns,
			     delay_p50_ns, delay_p99_ns, delay_p999_ns,
			     delay_max_ns, background_ns, states);
	PYBIND11_NUMPY_DTYPE(ssdpm_interval, start_ns, energy_nj, busy_ns,
			     idle_ns, asleep_ns, transition_ns, n_ios,
			     delay_sum_ns);
	PYBIND11_NUMPY_DTYPE(Change, time_ns, phase, state);
	module.attr("run_dtype") = py::dtype::of<struct ssdpm_run>();
	module.attr("interval_dtype") = py::dtype::of<struct ssdpm_interval>();
	module.attr("change_dtype") = py::dtype::of<Change>();
}

static void add_words(py::module_ &module)
{
	module.attr("LOOPS") = words(&ssdpm_loop_to_string);
	module.attr("PCIE_LINKS") = words(&ssdpm_pcie_link_to_string);
	module.attr("PARAMETER_KINDS") = words(&ssdpm_parameter_kind_to_string);
	module.attr("AXES") = words(&ssdpm_axis_to_string);
	module.attr("PHASES") = words(&ssdpm_phase_to_string);
	module.attr("ROUTES") = words(&ssdpm_route_to_string);
	module.attr("BOUNDS_MAY_COST") = +SSDPM_BOUNDS_MAY_COST;
	module.attr("SIM_IDLE_FROM_START") =
		(uint32_t)SSDPM_SIM_IDLE_FROM_START;
	module.attr("SIM_LIKELY") = (uint32_t)SSDPM_SIM_LIKELY;
}

void add_estimate(py::module_ &module)
{
	add_dtypes(module);
	add_words(module);
	py::class_<SimParams>(module, "SimParams")
		.def(py::init<const ParameterTuples &, const ApstTable *,
			      uint32_t, uint32_t, uint32_t, uint32_t, uint64_t,
			      uint32_t>());
	py::class_<Sim>(module, "Sim")
		.def(py::init<const Model &, const SimParams &, bool>(),
		     py::keep_alive<1, 2>())
		.def("feed", &Sim::feed)
		.def("finish", &Sim::finish)
		.def("to_json", &Sim::to_json)
		.def("saving", &Sim::saving)
		.def("prediction", &Sim::prediction)
		.def("prediction_to_json", &Sim::prediction_to_json);
	py::class_<Gaps>(module, "Gaps")
		.def(py::init<const std::optional<ServiceNumbers> &>())
		.def(py::init<const py::bytes &>())
		.def("feed", &Gaps::feed)
		.def("finish", &Gaps::finish)
		.def("to_data", &Gaps::to_data)
		.def_property_readonly("idle_ns", &gaps_idle_ns);
	module.def("parameters_from_model", &parameters_from_model);
	module.def("parameters_set", &parameters_set);
	module.def("parameters_get_service", &parameters_get_service);
	module.def("parameters_to_model", &parameters_to_model);
	module.def("gaps_sweep", &gaps_sweep);
	module.def("gaps_clairvoyant", &gaps_clairvoyant);
	module.def("gaps_best_table", &gaps_best_table);
	py::class_<Recommendations>(module, "Recommendations")
		.def(py::init<const Gaps &, const Model &, const SimParams &,
			      const BoundsTuple &, bool, const ApstTable *>(),
		     py::keep_alive<1, 3>(), py::keep_alive<1, 4>(),
		     py::keep_alive<1, 7>())
		.def("answers", &Recommendations::answers)
		.def("to_json", &Recommendations::to_json);
	module.def("saving_battery_s", &saving_battery_s);
	module.def("saving_year_wh", &saving_year_wh);
}
