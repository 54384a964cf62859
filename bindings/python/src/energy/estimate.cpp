/* SPDX-License-Identifier: MIT */
/* <ssdpm/energy/estimate.h> */
#include "energy.h"

#include <algorithm>
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

struct ssdpm_run empty_run()
{
	struct ssdpm_run run = {};

	run.size = sizeof(run);
	return run;
}

py::array run_array(const struct ssdpm_run *runs, size_t n)
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
	module.def("parameters_from_model", &parameters_from_model);
	module.def("parameters_set", &parameters_set);
	module.def("parameters_get_service", &parameters_get_service);
	module.def("parameters_to_model", &parameters_to_model);
}
