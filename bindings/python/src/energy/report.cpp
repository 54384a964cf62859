/* SPDX-License-Identifier: MIT */
/* The best setting of each drive: <ssdpm/energy/report.h>. */
#include "energy.h"

#include <map>
#include <memory>
#include <tuple>

#include <pybind11/stl.h>

/* None, or (max_exit_latency_us or None, lpm or None) */
static py::object setting_or_none(const struct ssdpm_profile_settings *settings)
{
	py::object limit_us = py::none(), lpm = py::none();

	if (!settings)
		return py::none();
	if (settings->set & SSDPM_PROFILE_MAX_EXIT_LATENCY)
		limit_us = py::int_(settings->max_exit_latency_us);
	else
		lpm = py::str(ssdpm_lpm_to_string(settings->lpms[0]));
	return py::make_tuple(limit_us, lpm);
}

/* None, or (pcie_link_today, pcie_link, remedy, [(target, value), ...], likely)
 */
static py::object link_or_none(const struct ssdpm_link_saving *link)
{
	py::list changes;

	if (!link)
		return py::none();
	for (uint32_t i = 0; i < link->finding->n_changes; i++)
		changes.append(py::make_tuple(link->finding->changes[i].target,
					      link->finding->changes[i].value));
	return py::make_tuple(ssdpm_pcie_link_to_string(link->pcie_link_today),
			      ssdpm_pcie_link_to_string(link->pcie_link),
			      ssdpm_remedy_to_string(link->finding->remedy),
			      changes, likely_tuple(link->likely));
}

/*
 * By name of the drive: (n_pairs, duration_ns, saving_w, low_w, high_w,
 * resolvable_w, decision, power_source, meter).
 */
using Trials = std::map<std::string,
			std::tuple<uint64_t, uint64_t, double, double, double,
				   double, uint32_t, uint32_t, std::string>>;

static struct ssdpm_trial_result trial_from(const Trials::mapped_type &row)
{
	struct ssdpm_trial_result trial = {};
	std::string meter;

	trial.size = sizeof(trial);
	std::tie(trial.n_pairs, trial.duration_ns, trial.saving_w, trial.low_w,
		 trial.high_w, trial.resolvable_w, trial.decision,
		 trial.power_source, meter) = row;
	/* A name that is too long keeps its last byte, and C refuses it. */
	meter.copy(trial.meter, sizeof(trial.meter));
	return trial;
}

static void set_trial(struct ssdpm_energy_report *report, size_t index,
		      const Trials::mapped_type &row)
{
	const auto trial = trial_from(row);

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_energy_report_set_trial(report, index, &trial,
						     error);
	});
}

/* A name that no drive has is not looked for. */
static void set_trials(struct ssdpm_energy_report *report, const Trials &trials)
{
	struct ssdpm_energy_report_item item = {};

	item.size = sizeof(item);
	for (size_t i = 0; !ssdpm_energy_report_get_item(report, i, &item);
	     i++) {
		const auto found = trials.find(item.drive->name);

		if (found != trials.end())
			set_trial(report, i, found->second);
	}
}

/* Without a prediction there is nothing to hold a setting against. */
static py::object saving_or_none(const struct ssdpm_energy_report_item &item)
{
	return item.after ? py::object(saving_tuple(item.saving)) : py::none();
}

/* Raises an error if it is gone, or another drive has its name. */
static void check_drive(const struct ssdpm_energy_report *report, size_t index)
{
	struct ssdpm_device *device = nullptr;

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_energy_report_read_device(report, index, &device,
						       error);
	});
	ssdpm_device_unref(device);
}

/*
 * [(name, product, policy, message, error, advice, setting, saving, likely,
 * added_mean_ns, added_p99_ns, route, its likely, its gain, awake, link,
 * verdict, takes_trial, trial_likely_uw, JSON, a call that fails if another
 * drive has its name), ...]
 */
static py::list tune(const Machine &machine, uint32_t patience,
		     const OptionalText &workload,
		     const std::optional<IoArray> &ios, const Trials &trials,
		     uint32_t hours_per_day, double price_per_kwh)
{
	struct ssdpm_energy_report_params params = {};
	struct ssdpm_energy_report_item item = {};
	struct ssdpm_energy_report *made = nullptr;
	py::list result;

	params.size = sizeof(params);
	params.flags = SSDPM_SIM_LIKELY | SSDPM_ENERGY_REPORT_FURTHER;
	params.patience = patience;
	params.hours_per_day = hours_per_day;
	params.price_per_kwh = price_per_kwh;
	params.workload = c_str(workload);
	if (ios) {
		params.ios = ios->data();
		params.n_ios = (size_t)ios->size();
	}
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_energy_report_new(machine.get(), &params, &made,
					       error);
	});
	const std::shared_ptr<struct ssdpm_energy_report> report(
		made, &ssdpm_energy_report_free);
	set_trials(made, trials);
	item.size = sizeof(item);
	for (size_t i = 0; !ssdpm_energy_report_get_item(made, i, &item); i++)
		result.append(py::make_tuple(
			text_from(item.drive->name),
			text_or_none(item.drive->product),
			text_or_none(item.drive->policy),
			text_from(item.message), item.error,
			ssdpm_advice_to_string(item.advice),
			setting_or_none(item.settings), saving_or_none(item),
			likely_tuple(item.likely), item.added_mean_ns,
			item.added_p99_ns,
			item.further ?
				ssdpm_route_to_string(item.further->route) :
				nullptr,
			likely_tuple(item.further ? item.further->likely :
						    nullptr),
			item.further ?
				py::object(py::int_(item.further_gain_uw)) :
				py::object(py::none()),
			likely_tuple(item.awake), link_or_none(item.link),
			ssdpm_diagnosis_code_to_string(item.drive->verdict),
			item.takes_trial != 0, item.trial_likely_uw,
			written([&](char **text, struct ssdpm_error *error) {
				return ssdpm_energy_report_item_to_json(
					made, i, text, error);
			}),
			py::cpp_function([report, i]() {
				check_drive(report.get(), i);
			})));
	return result;
}

/*
 * (advice or None, (verdict, low_uw, median_uw, high_uw) or None, trial or
 * None)
 */
using Uw = std::tuple<std::string, int64_t, int64_t, int64_t>;
using Advised = std::tuple<OptionalText, std::optional<Uw>,
			   std::optional<Trials::mapped_type>>;

static struct ssdpm_likely likely_from(const Uw &uw)
{
	struct ssdpm_likely likely = {};

	likely.size = sizeof(likely);
	likely.verdict =
		ssdpm_saving_verdict_from_string(std::get<0>(uw).c_str());
	likely.low_uw = std::get<1>(uw);
	likely.median_uw = std::get<2>(uw);
	likely.high_uw = std::get<3>(uw);
	return likely;
}

static void add_advised(struct ssdpm_total &total, const Advised &advised)
{
	const auto &[advice, uw, row] = advised;
	struct ssdpm_energy_report_item item = {};
	struct ssdpm_trial_result trial = {};
	struct ssdpm_likely likely = {};

	item.size = sizeof(item);
	item.advice = advice ? ssdpm_advice_from_string(advice->c_str()) : 0;
	if (uw) {
		likely = likely_from(*uw);
		item.likely = &likely;
	}
	if (row) {
		trial = trial_from(*row);
		item.trial = &trial;
	}
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_total_add_item(&total, &item, error);
	});
}

/* (verdict of the drive or None, a negative errno or 0, its awake or None) */
using Asleep = std::tuple<OptionalText, int, std::optional<Uw>>;

static void add_asleep(struct ssdpm_total &total, const Asleep &asleep)
{
	const auto &[verdict, error, uw] = asleep;
	struct ssdpm_energy_report_item item = {};
	struct ssdpm_report_item drive = {};
	struct ssdpm_likely awake = {};

	item.size = sizeof(item);
	drive.size = sizeof(drive);
	drive.verdict =
		verdict ? ssdpm_diagnosis_code_from_string(verdict->c_str()) :
			  0;
	item.drive = &drive;
	item.error = error;
	if (uw) {
		awake = likely_from(*uw);
		item.awake = &awake;
	}
	without_gil([&](struct ssdpm_error *found) {
		return ssdpm_total_add_asleep(&total, &item, found);
	});
}

/*
 * (n, n_decided, n_undecided, verdict, low_uw, median_uw, high_uw, n_unread,
 * n_unestimated)
 */
template <typename One, void (*add)(struct ssdpm_total &, const One &)>
static py::tuple total_of(const std::vector<One> &all)
{
	struct ssdpm_total total = {};
	py::object low = py::none(), high = py::none();

	total.size = sizeof(total);
	for (const One &one : all)
		add(total, one);
	if (total.has_range) {
		low = py::int_(total.saving.low_uw);
		high = py::int_(total.saving.high_uw);
	}
	return py::make_tuple(total.n, total.n_decided, total.n_undecided,
			      ssdpm_saving_verdict_to_string(total.verdict),
			      low, total.saving.nominal_uw, high,
			      total.n_unread, total.n_unestimated);
}

void add_report(py::module_ &module)
{
	module.def("tune", &tune);
	module.def("total", &total_of<Advised, &add_advised>);
	module.def("total_asleep", &total_of<Asleep, &add_asleep>);
	module.def("usual_workload", [](const Machine &machine) {
		const ssdpm_machine *handle = machine.get();

		return py::make_tuple(
			ssdpm_machine_get_workload(handle),
			ssdpm_workload_reason_to_string(
				ssdpm_machine_get_workload_reason(handle)));
	});
	module.attr("PATIENCES") = words(&ssdpm_patience_to_string);
}
