/* SPDX-License-Identifier: MIT */
/* <ssdpm/energy/suspend.h>; Python keeps a reading as its text. */
#include "energy.h"

#include <pybind11/stl.h>

class SuspendReading
{
      public:
	explicit SuspendReading(const Machine &machine)
	{
		without_gil([&](struct ssdpm_error *error) {
			return ssdpm_machine_read_suspend(machine.get(),
							  &reading, error);
		});
	}
	explicit SuspendReading(const std::string &text)
	{
		without_gil(
			[&](struct ssdpm_error *error) {
				return ssdpm_suspend_reading_from_text(
					text.data(), text.size(), &reading,
					error);
			},
			true);
	}
	~SuspendReading()
	{
		ssdpm_suspend_reading_free(reading);
	}
	SuspendReading(const SuspendReading &) = delete;
	SuspendReading &operator=(const SuspendReading &) = delete;

	void add_log(std::string_view log)
	{
		without_gil([&](struct ssdpm_error *error) {
			return ssdpm_suspend_reading_add_log(
				reading, log.data(), log.size(), error);
		});
	}

	py::str text() const
	{
		return written([&](char **text, struct ssdpm_error *error) {
			return ssdpm_suspend_reading_to_text(reading, text,
							     error);
		});
	}

	const struct ssdpm_suspend_reading *get() const
	{
		return reading;
	}

      private:
	struct ssdpm_suspend_reading *reading = nullptr;
};

/* The drives of a machine, with what is diagnosed of each. */
class SuspendDrives
{
      public:
	SuspendDrives() = default;
	~SuspendDrives()
	{
		for (const struct ssdpm_suspend_drive &drive : drives)
			free((void *)drive.diagnoses);
	}
	SuspendDrives(const SuspendDrives &) = delete;
	SuspendDrives &operator=(const SuspendDrives &) = delete;

	void add(const struct ssdpm_machine_facts &facts, const Device &device,
		 const Model *model, const ApstTable *table)
	{
		struct ssdpm_diagnosis_params params = {};
		struct ssdpm_diagnosis *found = nullptr;
		struct ssdpm_suspend_drive drive = {};

		params.size = sizeof(params);
		params.facts = &facts;
		params.model = model ? model->get() : nullptr;
		params.table = table ? &table->table : nullptr;
		drive.facts = ssdpm_device_get_facts(device.get());
		drives.reserve(drives.size() + 1);
		without_gil([&](struct ssdpm_error *error) {
			return ssdpm_device_diagnose(device.get(), &params,
						     &found, &drive.n_diagnoses,
						     error);
		});
		drive.diagnoses = found;
		drives.push_back(drive);
	}

	std::vector<struct ssdpm_suspend_drive> drives;
};

static py::str read_reading(const Machine &machine)
{
	return SuspendReading(machine).text();
}

/* As the library writes it. */
static py::str check_reading(const std::string &text)
{
	return SuspendReading(text).text();
}

static py::str add_log(const std::string &text, const py::bytes &log)
{
	SuspendReading reading(text);

	reading.add_log(log);
	return reading.text();
}

/* devices: (device, model or None, table or None) of each. */
static py::str judge(const Machine &machine, const py::list &devices,
		     const OptionalText &before, const std::string &after,
		     uint32_t suspend)
{
	struct ssdpm_machine_facts facts = read_facts(machine.get());
	std::optional<SuspendReading> first;
	const SuspendReading second(after);
	struct ssdpm_suspend_params params = {};
	SuspendDrives known;

	if (suspend)
		facts.suspend = suspend;
	if (before)
		first.emplace(*before);
	for (const py::handle one : devices) {
		const py::tuple row = one.cast<py::tuple>();

		known.add(facts, row[0].cast<const Device &>(),
			  row[1].cast<const Model *>(),
			  row[2].cast<const ApstTable *>());
	}
	params.size = sizeof(params);
	params.facts = &facts;
	params.before = first ? first->get() : nullptr;
	params.after = second.get();
	params.drives = known.drives.data();
	params.n_drives = known.drives.size();
	return written([&](char **text, struct ssdpm_error *error) {
		return ssdpm_suspend_to_json(&params, text, error);
	});
}

void add_suspend(py::module_ &module)
{
	module.attr("COUNTERS") = words(&ssdpm_sleep_counter_to_string);
	module.attr("OUTCOMES") = words(&ssdpm_suspend_outcome_to_string);
	module.attr("BEARINGS") = words(&ssdpm_suspend_bearing_to_string);
	module.attr("STATUSES") = words(&ssdpm_remedy_status_to_string);
	module.attr("SUSPENDS") = words(&ssdpm_suspend_to_string);
	module.def("read", &read_reading);
	module.def("check", &check_reading);
	module.def("add_log", &add_log);
	module.def("judge", &judge);
}
