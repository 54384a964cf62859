/* SPDX-License-Identifier: MIT */
/* <ssdpm/device.h>; whatever touches the machine does so without the GIL. */
#include "common.h"

#include "text/remedy.h"

#include <pybind11/stl.h>

#include <mutex>

Machine::Machine(const OptionalText &root, const py::object &log,
		 uint32_t log_level)
    : root(root), log(log)
{
	struct ssdpm_machine_params params = {};

	params.size = sizeof(params);
	params.root = c_str(root);
	params.log_fn = log.is_none() ? nullptr : &Machine::tell;
	params.userdata = this;
	params.log_level = log_level;
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_machine_new(&params, &machine, error);
	});
}

Machine::~Machine()
{
	ssdpm_machine_unref(machine);
}

/*
 * What a log raises cannot pass through C: it is told. Ctrl-C is raised again
 * when the call is over.
 */
void Machine::tell(void *userdata, uint32_t level, const char *message)
{
	py::gil_scoped_acquire acquire;

	try {
		((const Machine *)userdata)->log(level, text_from(message));
	} catch (py::error_already_set &error) {
		if (error.matches(PyExc_KeyboardInterrupt))
			PyErr_SetInterrupt();
		else
			error.discard_as_unraisable(
				"the log of an ssdpm.Machine");
	}
}

static py::dict nvme_core_dict(const struct ssdpm_machine_facts &facts)
{
	py::dict result;

	for (uint32_t i = 1; ssdpm_nvme_core_to_string(i); i++)
		result[ssdpm_nvme_core_to_string(i)] =
			facts.nvme_core_known & 1u << i ?
				py::object(py::int_(facts.nvme_core[i])) :
				py::object(py::none());
	return result;
}

struct ssdpm_machine_facts read_facts(struct ssdpm_machine *machine)
{
	struct ssdpm_machine_facts facts = {};

	facts.size = sizeof(facts);
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_machine_read_facts(machine, &facts, error);
	});
	return facts;
}

/* None: there is no such parameter, or it is not known. */
static py::dict machine_facts(const Machine &self)
{
	const struct ssdpm_machine_facts facts = read_facts(self.get());
	py::dict result;

	result["power_source"] =
		ssdpm_power_source_to_string(facts.power_source);
	result["suspend"] = ssdpm_suspend_to_string(facts.suspend);
	result["aspm_policy"] = ssdpm_aspm_policy_to_string(facts.aspm_policy);
	result["nvme_core"] = nvme_core_dict(facts);
	put_names(result, facts);
	result["mask_port_ext"] = text_or_none(facts.mask_port_ext);
	result["mobile_lpm_policy"] =
		facts.mobile_lpm_policy == INT32_MIN ?
			py::object(py::none()) :
			py::object(py::int_(facts.mobile_lpm_policy));
	result["capture"] = facts.capture;
	return result;
}

/* An array of devices from the library. */
struct DeviceList {
	struct ssdpm_device **devices = nullptr;
	size_t n = 0;

	~DeviceList()
	{
		ssdpm_device_list_free(devices, n);
	}
};

static py::list machine_devices(const std::shared_ptr<Machine> &self)
{
	DeviceList list;
	py::list result;

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_device_list_read(self->get(), &list.devices,
					      &list.n, error);
	});
	for (size_t i = 0; i < list.n; i++)
		result.append(std::make_unique<Device>(
			ssdpm_device_ref(list.devices[i]), self));
	return result;
}

static std::unique_ptr<Device> machine_open(
	const std::shared_ptr<Machine> &self, const std::string &name)
{
	struct ssdpm_device *device;

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_device_read(self->get(), name.c_str(), &device,
					 error);
	});
	return std::make_unique<Device>(device, self);
}

static py::list machine_owners(const Machine &self)
{
	struct ssdpm_owner *owners;
	py::list result;
	size_t n;

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_machine_read_owners(self.get(), &owners, &n,
						 error);
	});
	const std::unique_ptr<struct ssdpm_owner, Free> memory(owners);
	for (size_t i = 0; i < n; i++)
		result.append(py::make_tuple(
			ssdpm_owner_kind_to_string(owners[i].kind),
			path_or_none(owners[i].path), owners[i].line,
			text_from(owners[i].setting),
			bit_words(ssdpm_owner_target_to_string,
				  owners[i].sets)));
	return result;
}

/* (kind, name, path, readable) */
static py::tuple meter_tuple(const struct ssdpm_meter &meter)
{
	return py::make_tuple(ssdpm_meter_kind_to_string(meter.kind),
			      text_from(meter.name), path_or_none(meter.path),
			      meter.readable != 0);
}

static py::list machine_meters(const Machine &self)
{
	struct ssdpm_meter *meters;
	py::list result;
	size_t n;

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_machine_read_meters(self.get(), &meters, &n,
						 error);
	});
	const std::unique_ptr<struct ssdpm_meter, Free> memory(meters);
	for (size_t i = 0; i < n; i++)
		result.append(meter_tuple(meters[i]));
	return result;
}

static py::tuple machine_find_meter(const Machine &self,
				    const std::string &text)
{
	struct ssdpm_meter meter;

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_machine_find_meter(self.get(), text.c_str(),
						&meter, error);
	});
	return meter_tuple(meter);
}

/* A meter that is read again and again, by one thread at a time. */
class Sampler
{
      public:
	Sampler(const std::shared_ptr<Machine> &machine, uint32_t kind,
		const std::string &name, const std::string &path)
	    : machine(machine)
	{
		struct ssdpm_meter meter = {};

		meter.kind = kind;
		name.copy(meter.name, sizeof(meter.name) - 1);
		path.copy(meter.path, sizeof(meter.path) - 1);
		without_gil([&](struct ssdpm_error *error) {
			return ssdpm_sampler_new(machine->get(), &meter,
						 &sampler, error);
		});
	}
	~Sampler()
	{
		ssdpm_sampler_free(sampler);
	}
	Sampler(const Sampler &) = delete;
	Sampler &operator=(const Sampler &) = delete;

	/* (time_ns, power_w, energy_j, flags, left_j, update_ns) */
	py::tuple read()
	{
		struct ssdpm_reading reading = {};

		reading.size = sizeof(reading);
		without_gil([&](struct ssdpm_error *error) {
			const std::lock_guard<std::mutex> lock(mutex);

			return ssdpm_sampler_read(sampler, &reading, error);
		});
		return py::make_tuple(reading.time_ns, reading.power_w,
				      reading.energy_j, reading.flags,
				      reading.left_j, reading.update_ns);
	}

      private:
	std::shared_ptr<Machine> machine;
	std::mutex mutex;
	struct ssdpm_sampler *sampler = nullptr;
};

static uint32_t read_flags(bool commands)
{
	return commands ? SSDPM_READ_COMMANDS : 0;
}

static void machine_capture(const Machine &self, const std::string &directory,
			    bool commands)
{
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_machine_capture(self.get(), directory.c_str(),
					     read_flags(commands), error);
	});
}

static void add_machine_class(py::module_ &module)
{
	py::class_<Machine, std::shared_ptr<Machine>>(module, "Machine")
		.def(py::init<const OptionalText &, const py::object &,
			      uint32_t>(),
		     py::arg("root"), py::arg("log"), py::arg("log_level"))
		.def("facts", &machine_facts)
		.def("devices", &machine_devices)
		.def("open", &machine_open)
		.def("owners", &machine_owners)
		.def("meters", &machine_meters)
		.def("find_meter", &machine_find_meter)
		.def("capture", &machine_capture);
}

/* Puts facts into a dict; those that are not known are None. */
class Facts
{
      public:
	explicit Facts(const struct ssdpm_device_facts &facts) : facts(facts)
	{
	}

	void number(const char *name, uint64_t value, bool known = true)
	{
		result[name] = known ? py::object(py::int_(value)) :
				       py::object(py::none());
	}
	void number_of(const char *name, uint64_t value, uint32_t fact)
	{
		number(name, value, facts.known & fact);
	}
	void flag_of(const char *name, bool value, uint32_t fact)
	{
		result[name] = facts.known & fact ?
				       py::object(py::bool_(value)) :
				       py::object(py::none());
	}
	void bits_of(const char *name, const char *(*to_string)(uint32_t),
		     uint32_t bits, uint32_t fact)
	{
		result[name] = facts.known & fact ?
				       py::object(bit_words(to_string, bits)) :
				       py::object(py::none());
	}
	void text(const char *name, const char *value)
	{
		result[name] = text_or_none(value);
	}

	py::dict result;

      private:
	const struct ssdpm_device_facts &facts;
};

static void add_nvme_facts(Facts &to, const struct ssdpm_device_facts &facts)
{
	to.number_of("kernel_quirks", facts.kernel_quirks, SSDPM_FACT_QUIRKS);
	to.number_of("latency_tolerance_us", facts.latency_tolerance_us,
		     SSDPM_FACT_LATENCY_TOLERANCE);
	to.text("transport", facts.transport);
	to.number_of("reset_count", facts.reset_count, SSDPM_FACT_RESET_COUNT);
}

static void add_sata_facts(Facts &to, const struct ssdpm_device_facts &facts)
{
	/* Out of reach, it is on no port of ours. */
	bool is_sata = facts.kind == SSDPM_KIND_SATA && facts.ata_port;

	to.number("host", facts.host, is_sata);
	to.number("ata_port", facts.ata_port, is_sata);
	to.result["lpm"] = facts.known & SSDPM_FACT_LPM ?
				   ssdpm_lpm_to_string(facts.lpm) :
				   nullptr;
	to.text("lpm_word", facts.lpm_word);
	to.flag_of("lpm_supported", facts.lpm_supported != 0,
		   SSDPM_FACT_LPM_SUPPORTED);
	to.number_of("ahci_port_cmd", facts.ahci_port_cmd,
		     SSDPM_FACT_AHCI_PORT_CMD);
	to.number_of("ahci_host_caps", facts.ahci_host_caps,
		     SSDPM_FACT_AHCI_HOST_CAPS);
	to.number_of("ahci_host_cap2", facts.ahci_host_cap2,
		     SSDPM_FACT_AHCI_HOST_CAP2);
	to.number("devices_without_hipm", facts.devices_without_hipm, is_sata);
	to.number("n_devices", facts.n_devices,
		  is_sata || facts.reach == SSDPM_REACH_REMAPPED);
	to.number_of("port", facts.port, SSDPM_FACT_PORT);
}

static py::dict device_facts(const Device &self)
{
	const struct ssdpm_device_facts &facts =
		*ssdpm_device_get_facts(self.get());
	Facts to(facts);

	to.result["kind"] = ssdpm_kind_to_string(facts.kind);
	to.result["reach"] = ssdpm_reach_to_string(facts.reach);
	/* The last one is d3cold_allowed. */
	to.result["flags"] =
		bit_words(&ssdpm_device_flag_to_string,
			  facts.flags & ~SSDPM_DEVICE_D3COLD_ALLOWED);
	to.result["name"] = text_from(facts.name);
	to.text("product", facts.product);
	to.text("firmware", facts.firmware);
	to.text("state", facts.state);
	to.text("address", facts.address);
	to.text("driver", facts.driver);
	to.result["path"] = path_or_none(facts.path);
	to.number("pci_vendor_id", facts.pci_vendor_id, facts.pci_vendor_id);
	to.number("pci_device_id", facts.pci_device_id, facts.pci_vendor_id);
	to.text("pci_power_state", facts.pci_power_state);
	to.text("runtime_pm", facts.runtime_pm);
	to.bits_of("pcie_capable", &ssdpm_pcie_feature_to_string,
		   facts.pcie_capable, SSDPM_FACT_PCIE);
	to.bits_of("pcie_enabled", &ssdpm_pcie_feature_to_string,
		   facts.pcie_enabled, SSDPM_FACT_PCIE);
	to.flag_of("d3cold_allowed", facts.flags & SSDPM_DEVICE_D3COLD_ALLOWED,
		   SSDPM_FACT_D3COLD);
	add_nvme_facts(to, facts);
	add_sata_facts(to, facts);
	return to.result;
}

static std::unique_ptr<Model> device_model(const Device &self, bool commands,
					   const Catalogue *catalogue)
{
	struct ssdpm_model *model;

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_device_read_model(
			self.get(), read_flags(commands),
			catalogue ? catalogue->get() : nullptr, &model, error);
	});
	return std::make_unique<Model>(model);
}

static std::unique_ptr<ApstTable> device_apst(const Device &self)
{
	std::unique_ptr<ApstTable> result = std::make_unique<ApstTable>();

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_device_read_apst(self.get(), &result->table,
					      error);
	});
	return result;
}

static uint32_t device_power_state(const Device &self)
{
	struct ssdpm_device_power power = {};

	power.size = sizeof(power);
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_device_read_power(self.get(), &power, error);
	});
	return power.power_state;
}

static py::object known_number(uint64_t value, bool known)
{
	if (!known)
		return py::none();
	return py::int_(value);
}

static py::dict device_power(const Device &self)
{
	struct ssdpm_device_power power = {};
	py::dict result;

	power.size = sizeof(power);
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_device_read_power(self.get(), &power, error);
	});
	const auto add = [&](const char *name, uint64_t value, bool known) {
		result[name] = known_number(value, known);
	};
	const bool thermal = power.known & SSDPM_POWER_FACT_THERMAL;

	add("power_state", power.power_state, true);
	result["asleep"] = (power.flags & SSDPM_POWER_FLAG_ASLEEP) != 0;
	add("workload_hint", power.workload_hint,
	    power.known & SSDPM_POWER_FACT_WORKLOAD_HINT);
	add("nopp", power.nopp, power.known & SSDPM_POWER_FACT_NOPP);
	add("light_throttle_k", power.light_throttle_k, thermal);
	add("heavy_throttle_k", power.heavy_throttle_k, thermal);
	add("min_throttle_k", power.min_throttle_k, power.min_throttle_k);
	add("max_throttle_k", power.max_throttle_k, power.max_throttle_k);
	add("power_limit_uw", power.power_limit_uw,
	    power.known & SSDPM_POWER_FACT_LIMIT);
	add("power_measurement", power.power_measurement,
	    power.known & SSDPM_POWER_FACT_MEASUREMENT);
	result["supported"] =
		bit_words(&ssdpm_power_fact_to_string, power.supported);
	return result;
}

static py::tuple device_devsleep(const Device &self)
{
	struct ssdpm_devsleep devsleep;

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_device_read_devsleep(self.get(), &devsleep, error);
	});
	return py::make_tuple(devsleep.reported != 0,
			      devsleep.minimum_assertion_ms,
			      devsleep.exit_timeout_ms);
}

static py::dict device_host(const Device &self, const Machine &machine)
{
	const struct ssdpm_machine_facts facts = read_facts(machine.get());
	struct ssdpm_host host = {};
	struct ssdpm_error error = {};

	host.size = sizeof(host);
	if (ssdpm_device_get_host(self.get(), &facts, &host, &error))
		raise_error(error, false);
	return host_dict(host);
}

/* (quirks, from_kernel) */
static py::tuple device_quirks(const Device &self, const Machine &machine,
			       const Model &model)
{
	const struct ssdpm_machine_facts facts = read_facts(machine.get());
	uint32_t quirks, from_kernel;

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_device_get_quirks(self.get(), &facts, model.get(),
					       &quirks, &from_kernel, error);
	});
	return py::make_tuple(quirks, from_kernel != 0);
}

/* (quirks, pcie_link, lpm, table, left_alone, refused): None where it is not
 * known */
static py::tuple device_settings(const Device &self, const Machine &machine,
				 const Model *model)
{
	const struct ssdpm_machine_facts facts = read_facts(machine.get());
	struct ssdpm_device_settings s = {};

	s.size = sizeof(s);
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_device_get_settings(self.get(), &facts,
						 model ? model->get() : nullptr,
						 &s, error);
	});
	py::object table = py::none();
	if (s.known & SSDPM_SETTING_APST) {
		std::unique_ptr<ApstTable> made = std::make_unique<ApstTable>();

		made->table = s.apst;
		table = py::cast(std::move(made));
	}
	return py::make_tuple(
		s.known & SSDPM_SETTING_QUIRKS ?
			py::object(py::int_(s.quirks)) :
			py::object(py::none()),
		s.pcie_link ? py::object(py::str(
				      ssdpm_pcie_link_to_string(s.pcie_link))) :
			      py::object(py::none()),
		s.lpm ? py::object(py::str(ssdpm_lpm_to_string(s.lpm))) :
			py::object(py::none()),
		table, s.left_alone != 0, s.refused != 0);
}

static py::tuple device_apst_params(const Device &self, const Machine &machine,
				    const Model &model)
{
	const struct ssdpm_machine_facts facts = read_facts(machine.get());
	ApstParams params;

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_device_get_apst_params(
			self.get(), &facts, model.get(), &params.params, error);
	});
	return describe(model.get(), params.params);
}

py::list change_list(const struct ssdpm_change *changes, size_t n)
{
	py::list result;

	for (size_t i = 0; i < n; i++)
		result.append(py::make_tuple(path_or_none(changes[i].target),
					     text_from(changes[i].value)));
	return result;
}

char *advice_of(const Machine &machine, const struct ssdpm_device *device,
		const struct ssdpm_diagnosis &diagnosis)
{
	char *advice = remedy_advice(
		machine.get_root(), ssdpm_device_get_facts(device), &diagnosis);

	if (!advice)
		throw std::bad_alloc();
	return advice;
}

/* [(code, severity, message, advice, remedy, changes), ...] */
static py::list device_diagnose(const Device &self, const Machine &machine,
				const Model *model, const ApstTable *table)
{
	const struct ssdpm_machine_facts facts = read_facts(machine.get());
	struct ssdpm_diagnosis_params params = {};
	struct ssdpm_diagnosis *found;
	py::list result;
	size_t n;

	params.size = sizeof(params);
	params.facts = &facts;
	params.model = model ? model->get() : nullptr;
	params.table = table ? &table->table : nullptr;
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_device_diagnose(self.get(), &params, &found, &n,
					     error);
	});
	const std::unique_ptr<struct ssdpm_diagnosis, Free> memory(found);
	for (size_t i = 0; i < n; i++) {
		const std::unique_ptr<char, Free> advice(
			advice_of(machine, self.get(), found[i]));

		result.append(py::make_tuple(
			ssdpm_diagnosis_code_to_string(found[i].code),
			ssdpm_severity_to_string(found[i].severity),
			text_from(found[i].message), text_or_none(advice.get()),
			ssdpm_remedy_to_string(found[i].remedy),
			change_list(found[i].changes, found[i].n_changes)));
	}
	return result;
}

void add_device(py::module_ &module)
{
	module.attr("NVME_CORE") = words(&ssdpm_nvme_core_to_string);
	module.attr("ASPM_POLICIES") = words(&ssdpm_aspm_policy_to_string);
	module.attr("PCIE_FEATURES") =
		words(&ssdpm_pcie_feature_to_string, true);
	module.attr("LOG_WARNING") = (uint32_t)SSDPM_LOG_WARNING;
	module.attr("LOG_INFO") = (uint32_t)SSDPM_LOG_INFO;
	module.attr("LOG_DEBUG") = (uint32_t)SSDPM_LOG_DEBUG;
	module.attr("METER_KINDS") = words(&ssdpm_meter_kind_to_string);
	module.attr("READING_SAME") = (uint32_t)SSDPM_READING_SAME;
	module.attr("READING_WRAP") = (uint32_t)SSDPM_READING_WRAP;
	module.attr("READING_RESET") = (uint32_t)SSDPM_READING_RESET;
	module.attr("READING_CHARGE_COUNTER") =
		(uint32_t)SSDPM_READING_CHARGE_COUNTER;
	add_machine_class(module);
	py::class_<Sampler>(module, "Sampler")
		.def(py::init<const std::shared_ptr<Machine> &, uint32_t,
			      const std::string &, const std::string &>())
		.def("read", &Sampler::read);
	py::class_<Device>(module, "Device")
		.def("facts", &device_facts)
		.def("model", &device_model)
		.def("apst", &device_apst)
		.def("power_state", &device_power_state)
		.def("power", &device_power)
		.def("devsleep", &device_devsleep)
		.def("host", &device_host)
		.def("quirks", &device_quirks)
		.def("settings", &device_settings)
		.def("apst_params", &device_apst_params)
		.def("diagnose", &device_diagnose);
}
