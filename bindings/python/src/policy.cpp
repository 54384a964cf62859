/* SPDX-License-Identifier: MIT */
/* <ssdpm/policy.h> */
#include "common.h"
#include "text/table-words.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

ApstParams::ApstParams()
{
	/* fails only where size is not that of the library */
	if (ssdpm_apst_params_init(&params, sizeof(params)))
		throw std::runtime_error("ssdpm_apst_params_init");
}

static std::unique_ptr<ApstTable> apst_generate(const Model &model,
						const ApstParams &params)
{
	std::unique_ptr<ApstTable> result = std::make_unique<ApstTable>();

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_apst_generate(model.get(), &params.params,
					   &result->table, error);
	});
	return result;
}

static py::list apst_explain(const Model &model, const ApstParams &params)
{
	struct ssdpm_apst_verdict verdicts[SSDPM_MAX_STATES];
	py::list result;
	size_t n;

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_apst_explain(model.get(), &params.params, verdicts,
					  SSDPM_MAX_STATES, error);
	});
	ssdpm_model_get_states(model.get(), &n);
	for (size_t i = 0; i < n; i++)
		result.append(py::make_tuple(
			verdicts[i].state,
			ssdpm_verdict_to_string(verdicts[i].verdict),
			verdicts[i].reason));
	return result;
}

static std::unique_ptr<ApstTable> apst_decode(const py::bytes &data,
					      bool enabled)
{
	const std::string_view bytes = data;
	std::unique_ptr<ApstTable> result = std::make_unique<ApstTable>();
	struct ssdpm_error error = {};

	if (bytes.size() != SSDPM_APST_BYTES)
		throw std::length_error("not SSDPM_APST_BYTES");
	if (ssdpm_apst_from_data(bytes.data(), bytes.size(), &result->table,
				 &error))
		raise_error(error, true);
	result->table.enabled = enabled;
	return result;
}

static std::unique_ptr<ApstTable> apst_from_data(const py::bytes &data)
{
	const std::string_view bytes = data;
	std::unique_ptr<ApstTable> result = std::make_unique<ApstTable>();

	without_gil(
		[&](struct ssdpm_error *error) {
			return ssdpm_apst_from_data(bytes.data(), bytes.size(),
						    &result->table, error);
		},
		true);
	return result;
}

static uint64_t apst_keep(const Model &model, const ApstParams &params,
			  uint32_t state)
{
	uint64_t limit = 0;

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_apst_keep(model.get(), &params.params, state,
				       &limit, error);
	});
	return limit;
}

py::tuple describe(const struct ssdpm_model *model,
		   const struct ssdpm_apst_params &params)
{
	struct ssdpm_error error = {};
	uint64_t low, high;
	ApstParams result;

	result.params = params;
	if (ssdpm_apst_limit_range(model, &params, &low, &high, &error))
		raise_error(error, false);
	return py::make_tuple(result, low, high);
}

static py::list apst_infer(const Model &model, const ApstTable &table)
{
	std::vector<struct ssdpm_apst_params> params;
	struct ssdpm_error error = {};
	py::list result;
	size_t n = 16;
	int err;

	do {
		params.resize(n);
		params[0].size = sizeof(params[0]);
		py::gil_scoped_release release;

		err = ssdpm_apst_infer(model.get(), &table.table, params.data(),
				       params.size(), &n, &error);
	} while (!err && n > params.size());
	if (err)
		raise_error(error, false);
	for (size_t i = 0; i < n; i++)
		result.append(describe(model.get(), params[i]));
	return result;
}

static py::tuple apst_reach(const Model &model, const ApstTable &table,
			    uint32_t quirks)
{
	std::unique_ptr<ApstTable> made = std::make_unique<ApstTable>();
	ApstParams params;

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_apst_reach(model.get(), &table.table, quirks,
					&params.params, &made->table, error);
	});
	return py::make_tuple(describe(model.get(), params.params),
			      std::move(made));
}

/* As the command prints it. */
static py::str apst_words(const ApstTable &self, const std::string &policy)
{
	return written([&](char **text, struct ssdpm_error *error) {
		size_t size;
		FILE *file = open_memstream(text, &size);

		if (!file)
			return error->code = -ENOMEM;
		write_policy_to(file, policy.c_str(), &self.table);
		fclose(file);
		return 0;
	});
}

static py::bytes apst_encode(const ApstTable &self)
{
	struct ssdpm_error error = {};
	uint8_t data[SSDPM_APST_BYTES];

	if (ssdpm_apst_encode(&self.table, data, &error))
		raise_error(error, false);
	return py::bytes((const char *)data, sizeof(data));
}

static void apst_validate(const ApstTable &self, const Model &model)
{
	struct ssdpm_error error = {};

	if (ssdpm_apst_validate(model.get(), &self.table, &error))
		raise_error(error, false);
}

/* The members of struct ssdpm_host; None and 0 are unknown. */
static void set_text(const char *&member, const py::dict &host,
		     const char *name)
{
	py::object value = host[name];

	member = value.is_none() ? NULL : PyUnicode_AsUTF8(value.ptr());
	if (!member && !value.is_none())
		throw py::error_already_set();
}

static struct ssdpm_host host_from(const py::dict &from)
{
	struct ssdpm_host host = {};

	host.size = sizeof(host);
	set_text(host.linux_release, from, "linux_release");
	set_text(host.sys_vendor, from, "sys_vendor");
	set_text(host.product_name, from, "product_name");
	set_text(host.product_version, from, "product_version");
	set_text(host.board_vendor, from, "board_vendor");
	set_text(host.board_name, from, "board_name");
	set_text(host.bios_date, from, "bios_date");
	host.pci_vendor_id = from["pci_vendor_id"].cast<uint16_t>();
	host.pci_device_id = from["pci_device_id"].cast<uint16_t>();
	host.adapter_vendor_id = from["adapter_vendor_id"].cast<uint16_t>();
	return host;
}

static py::object unless_zero(uint16_t id)
{
	return id ? py::object(py::int_(id)) : py::none();
}

py::dict host_dict(const struct ssdpm_host &host)
{
	py::dict result;

	put_names(result, host);
	result["pci_vendor_id"] = unless_zero(host.pci_vendor_id);
	result["pci_device_id"] = unless_zero(host.pci_device_id);
	result["adapter_vendor_id"] = unless_zero(host.adapter_vendor_id);
	return result;
}

/* The numbers that a profile may set; what it does not set is None. */
static const struct {
	const char *name;
	uint32_t bit;
	uint64_t ssdpm_profile_settings::*member;
} profile_numbers[] = {
	{ "max_exit_latency_us", SSDPM_PROFILE_MAX_EXIT_LATENCY,
	  &ssdpm_profile_settings::max_exit_latency_us },
	{ "primary_timeout_ms", SSDPM_PROFILE_PRIMARY_TIMEOUT,
	  &ssdpm_profile_settings::primary_timeout_ms },
	{ "primary_latency_tolerance_us",
	  SSDPM_PROFILE_PRIMARY_LATENCY_TOLERANCE,
	  &ssdpm_profile_settings::primary_latency_tolerance_us },
	{ "secondary_timeout_ms", SSDPM_PROFILE_SECONDARY_TIMEOUT,
	  &ssdpm_profile_settings::secondary_timeout_ms },
	{ "secondary_latency_tolerance_us",
	  SSDPM_PROFILE_SECONDARY_LATENCY_TOLERANCE,
	  &ssdpm_profile_settings::secondary_latency_tolerance_us },
};

py::dict settings_dict(const struct ssdpm_profile_settings &settings)
{
	py::dict result;
	py::list lpms;

	result["name"] = text_from(settings.name);
	result["power_source"] =
		ssdpm_power_source_to_string(settings.power_source);
	result["reason"] = text_from(settings.reason);
	for (const auto &number : profile_numbers)
		result[number.name] =
			settings.set & number.bit ?
				py::object(
					py::int_(settings.*(number.member))) :
				py::none();
	for (size_t i = 0; i < settings.n_lpms; i++)
		lpms.append(ssdpm_lpm_to_string(settings.lpms[i]));
	result["lpms"] = settings.set & SSDPM_PROFILE_LPM ? py::object(lpms) :
							    py::none();
	return result;
}

template <size_t SIZE>
static void set_array(char (&to)[SIZE], const py::dict &from, const char *name)
{
	const std::string text = from[name].cast<std::string>();

	if (text.size() >= SIZE)
		throw std::length_error(std::string(name) + ": more than " +
					std::to_string(SIZE - 1) + " bytes");
	memcpy(to, text.c_str(), text.size() + 1);
}

struct ssdpm_profile_settings settings_from(const py::dict &from)
{
	struct ssdpm_profile_settings settings = {};
	py::object lpms = from["lpms"];

	settings.size = sizeof(settings);
	settings.power_source = from["power_source"].cast<uint32_t>();
	set_array(settings.name, from, "name");
	set_array(settings.reason, from, "reason");
	for (const auto &number : profile_numbers) {
		py::object value = from[number.name];

		if (value.is_none())
			continue;
		settings.*(number.member) = value.cast<uint64_t>();
		settings.set |= number.bit;
	}
	if (lpms.is_none())
		return settings;
	settings.set |= SSDPM_PROFILE_LPM;
	for (const py::handle &lpm : lpms) {
		if (settings.n_lpms == SSDPM_MAX_LPMS)
			throw std::length_error(
				"lpms: more than there are policies");
		settings.lpms[settings.n_lpms++] = lpm.cast<uint32_t>();
	}
	return settings;
}

/* text: profiles of a user, "" where there are none. */
static py::dict profile_find(const py::bytes &text, const std::string &name,
			     uint32_t power_source)
{
	const std::string_view bytes = text;
	struct ssdpm_profile_settings settings = {};
	struct ssdpm_error error = {};
	int err;

	settings.size = sizeof(settings);
	{
		py::gil_scoped_release release;
		err = ssdpm_profile_find(bytes.data(), bytes.size(),
					 name.c_str(), power_source, &settings,
					 &error);
	}
	if (err)
		raise_error(error, error.line != 0);
	return settings_dict(settings);
}

static py::list profile_names(const py::bytes &text)
{
	const std::string_view bytes = text;
	struct ssdpm_error error = {};
	py::list result;
	char name[32];
	int err;

	for (size_t i = 0;
	     !(err = ssdpm_profile_get_name(bytes.data(), bytes.size(), i, name,
					    &error));
	     i++)
		result.append(text_from(name));
	if (err != -ERANGE)
		raise_error(error, error.line != 0);
	return result;
}

/* (quirks, unknown, [(quirks, unknown, reason), ...]) */
static py::tuple quirks_find(const Model &model, const py::dict &from,
			     const py::bytes &rules)
{
	const std::string_view text = rules;
	struct ssdpm_quirk_match matches[SSDPM_MAX_QUIRK_MATCHES];
	struct ssdpm_host host = host_from(from);
	struct ssdpm_error error = {};
	uint32_t quirks, unknown;
	py::list list;
	size_t n;
	int err;

	host.rules = text.data();
	host.rules_bytes = text.size();
	{
		py::gil_scoped_release release;
		err = ssdpm_quirks_find(model.get(), &host, &quirks, &unknown,
					&error);
		if (!err)
			err = ssdpm_quirks_explain(model.get(), &host, matches,
						   SSDPM_MAX_QUIRK_MATCHES, &n,
						   &error);
	}
	if (err)
		raise_error(error, error.line != 0);
	for (size_t i = 0; i < n; i++)
		list.append(py::make_tuple(matches[i].quirks,
					   matches[i].unknown,
					   matches[i].reason));
	return py::make_tuple(quirks, unknown, list);
}

static py::array apst_array(const py::object &self)
{
	const ApstTable &table = self.cast<const ApstTable &>();

	return view(table.table.entries, SSDPM_MAX_STATES, self);
}

static bool apst_equal(const ApstTable &self, const ApstTable &other)
{
	/* frozen, without padding */
	return !memcmp(&self.table, &other.table, sizeof(self.table));
}

template <typename T>
static void add_number(py::class_<ApstParams> &params, const char *name,
		       T ssdpm_apst_params::*member)
{
	params.def_property(
		name,
		[member](const ApstParams &self) {
			return self.params.*member;
		},
		[member](ApstParams &self, T value) {
			self.params.*member = value;
		});
}

static void add_params_class(py::module_ &module)
{
	py::class_<ApstParams> params(module, "ApstParams");
	auto number = [&params](const char *name, auto member) {
		add_number(params, name, member);
	};

	params.def(py::init<>());
	number("algorithm", &ssdpm_apst_params::algorithm);
	number("quirks", &ssdpm_apst_params::quirks);
	number("max_exit_latency_us", &ssdpm_apst_params::max_exit_latency_us);
	number("primary_timeout_ms", &ssdpm_apst_params::primary_timeout_ms);
	number("primary_latency_tolerance_us",
	       &ssdpm_apst_params::primary_latency_tolerance_us);
	number("secondary_timeout_ms",
	       &ssdpm_apst_params::secondary_timeout_ms);
	number("secondary_latency_tolerance_us",
	       &ssdpm_apst_params::secondary_latency_tolerance_us);
	number("scheme", &ssdpm_apst_params::scheme);
	number("power_source", &ssdpm_apst_params::power_source);
	number("idle_power_uw", &ssdpm_apst_params::idle_power_uw);
	number("transition_power_uw", &ssdpm_apst_params::transition_power_uw);
}

static void add_table_class(py::module_ &module)
{
	py::class_<ApstTable>(module, "ApstTable")
		.def_property_readonly("array", &apst_array)
		.def_property_readonly("sent",
				       [](const ApstTable &self) {
					       return self.table.sent != 0;
				       })
		.def_property_readonly("enabled",
				       [](const ApstTable &self) {
					       return self.table.enabled != 0;
				       })
		.def("words", &apst_words)
		.def("encode", &apst_encode)
		.def("validate", &apst_validate)
		.def("equals", &apst_equal)
		.def("diff", [](const ApstTable &self, const ApstTable &other) {
			return ssdpm_apst_diff(&self.table, &other.table);
		});
}

void add_policy(py::module_ &module)
{
	PYBIND11_NUMPY_DTYPE(ssdpm_apst_entry, idle_ms, target);
	module.attr("apst_entry_dtype") =
		py::dtype::of<struct ssdpm_apst_entry>();
	module.attr("APST_BYTES") = SSDPM_APST_BYTES;
	module.attr("LATENCY_ANY") = SSDPM_LATENCY_ANY;
	module.attr("LPM") = words(&ssdpm_lpm_to_string);
	module.attr("ALGORITHMS") = words(&ssdpm_apst_algorithm_to_string);
	module.attr("SCHEMES") = words(&ssdpm_power_scheme_to_string);
	module.attr("POWER_SOURCES") = words(&ssdpm_power_source_to_string);
	module.attr("QUIRKS") = words(&ssdpm_quirk_to_string, true);
	module.attr("VERDICTS") = words(&ssdpm_verdict_to_string);
	add_params_class(module);
	add_table_class(module);
	module.def("apst_generate", &apst_generate);
	module.def("apst_explain", &apst_explain);
	module.def("apst_decode", &apst_decode);
	module.def("apst_from_data", &apst_from_data);
	module.def("apst_infer", &apst_infer);
	module.def("apst_keep", &apst_keep);
	module.def("apst_reach", &apst_reach);
	module.def("quirks_find", &quirks_find);
	module.def("profile_find", &profile_find);
	module.def("profile_names", &profile_names);
}
