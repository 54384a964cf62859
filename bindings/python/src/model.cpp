/* SPDX-License-Identifier: MIT */
/* <ssdpm/model.h> */
#include "common.h"

#include <pybind11/stl.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <pybind11/stl.h>

using StateArray = py::array_t<struct ssdpm_power_state, py::array::c_style>;

/* An array of models from the library. */
struct ModelList {
	struct ssdpm_model **models = nullptr;
	size_t n = 0;

	~ModelList()
	{
		ssdpm_model_list_free(models, n);
	}
};

static py::list models_from_data(const py::bytes &data)
{
	const std::string_view text = data;
	ModelList list;
	py::list result;

	without_gil(
		[&](struct ssdpm_error *error) {
			return ssdpm_model_list_from_data(
				text.data(), text.size(), &list.models, &list.n,
				error);
		},
		true);
	for (size_t i = 0; i < list.n; i++)
		result.append(std::make_unique<Model>(
			ssdpm_model_ref(list.models[i])));
	return result;
}

/* Too long a text fills the array without a final NUL: the library objects. */
template <size_t SIZE>
static void copy_text(char (&to)[SIZE], const py::object &text, uint32_t bit,
		      struct ssdpm_model_info *info)
{
	if (text.is_none()) {
		info->unknown |= bit;
		return;
	}
	const std::string bytes = text.cast<std::string>();
	memcpy(to, bytes.data(), bytes.size() < SIZE ? bytes.size() : SIZE);
}

template <typename T>
static void copy_number(T *to, const py::object &number, uint32_t bit,
			struct ssdpm_model_info *info)
{
	if (number.is_none())
		info->unknown |= bit;
	else
		*to = number.cast<T>();
}

/* words_valid, generations, apm_level, rotational, or None; then four masks. */
using SataFacts = std::tuple<py::object, py::object, py::object, py::object,
			     uint32_t, uint32_t, uint32_t, uint32_t>;

static void copy_sata(const SataFacts &sata, struct ssdpm_model_info *info)
{
	copy_number(&info->sata_words_valid, std::get<0>(sata),
		    SSDPM_INFO_SATA_WORDS_VALID, info);
	copy_number(&info->sata_generations, std::get<1>(sata),
		    SSDPM_INFO_SATA_GENERATIONS, info);
	copy_number(&info->apm_level, std::get<2>(sata), SSDPM_INFO_APM_LEVEL,
		    info);
	copy_number(&info->rotational, std::get<3>(sata), SSDPM_INFO_ROTATIONAL,
		    info);
	info->sata_supported = std::get<4>(sata);
	info->sata_supported_unknown = std::get<5>(sata);
	info->sata_enabled = std::get<6>(sata);
	info->sata_enabled_unknown = std::get<7>(sata);
}

static std::unique_ptr<Model> model_new(
	uint32_t kind, const py::object &vendor_id, const py::object &product,
	const py::object &firmware, const py::object &apsta,
	uint32_t provenance, uint32_t format,
	const std::optional<SataFacts> &sata, const StateArray &states)
{
	struct ssdpm_model_info info = {};
	struct ssdpm_error error = {};
	struct ssdpm_model *model;

	info.size = sizeof(info);
	info.kind = kind;
	info.provenance = provenance;
	info.format = format;
	if (sata)
		copy_sata(*sata, &info);
	copy_number(&info.vendor_id, vendor_id, SSDPM_INFO_VENDOR_ID, &info);
	copy_text(info.product, product, SSDPM_INFO_PRODUCT, &info);
	copy_text(info.firmware, firmware, SSDPM_INFO_FIRMWARE, &info);
	copy_number(&info.apsta, apsta, SSDPM_INFO_APSTA, &info);
	if (ssdpm_model_new(&info, states.data(), (size_t)states.size(), &model,
			    &error))
		raise_error(error, false);
	return std::make_unique<Model>(model);
}

static py::str model_to_json(const Model &self)
{
	return written([&](char **text, struct ssdpm_error *error) {
		return ssdpm_model_to_json(self.get(), text, error);
	});
}

static py::list model_lint(const Model &self)
{
	struct ssdpm_finding *findings;
	py::list result;
	size_t n;

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_model_lint(self.get(), &findings, &n, error);
	});
	const std::unique_ptr<struct ssdpm_finding, Free> owner(findings);
	for (size_t i = 0; i < n; i++)
		result.append(py::make_tuple(
			ssdpm_finding_code_to_string(findings[i].code),
			findings[i].state == SSDPM_WHOLE_DRIVE ?
				py::object(py::none()) :
				py::object(py::int_(findings[i].state)),
			findings[i].message));
	return result;
}

static py::array model_states(const py::object &self)
{
	size_t n;
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(self.cast<const Model &>().get(), &n);

	return view(states, n, self);
}

/* None: nothing is known of the power. */
static std::optional<std::tuple<uint32_t, uint32_t>> model_power_range(
	const Model &self, uint32_t state, uint32_t field)
{
	struct ssdpm_error error = {};
	uint32_t low, high;
	int err = ssdpm_model_get_power_range(self.get(), state, field, &low,
					      &high, &error);

	if (err == -ENODATA)
		return std::nullopt;
	if (err)
		raise_error(error, false);
	return std::make_tuple(low, high);
}

static const struct ssdpm_model_info *info_of(const Model &model)
{
	return ssdpm_model_get_info(model.get());
}

static py::object unless_unknown(const Model &model, uint32_t bit,
				 const py::object &value)
{
	return info_of(model)->unknown & bit ? py::none() : value;
}

static std::optional<SataFacts> model_sata(const Model &self)
{
	const struct ssdpm_model_info *info = info_of(self);

	if (info->kind != SSDPM_KIND_SATA)
		return std::nullopt;
	return SataFacts(unless_unknown(self, SSDPM_INFO_SATA_WORDS_VALID,
					py::bool_(info->sata_words_valid != 0)),
			 unless_unknown(self, SSDPM_INFO_SATA_GENERATIONS,
					py::int_(info->sata_generations)),
			 unless_unknown(self, SSDPM_INFO_APM_LEVEL,
					py::int_(info->apm_level)),
			 unless_unknown(self, SSDPM_INFO_ROTATIONAL,
					py::bool_(info->rotational != 0)),
			 info->sata_supported, info->sata_supported_unknown,
			 info->sata_enabled, info->sata_enabled_unknown);
}

static void add_model_class(py::module_ &module)
{
	py::class_<Model>(module, "Model")
		.def_property_readonly("kind",
				       [](const Model &self) {
					       return ssdpm_kind_to_string(
						       info_of(self)->kind);
				       })
		.def_property_readonly(
			"vendor_id",
			[](const Model &self) {
				return unless_unknown(
					self, SSDPM_INFO_VENDOR_ID,
					py::int_(info_of(self)->vendor_id));
			})
		.def_property_readonly(
			"product",
			[](const Model &self) {
				return unless_unknown(
					self, SSDPM_INFO_PRODUCT,
					py::str(info_of(self)->product));
			})
		.def_property_readonly(
			"firmware",
			[](const Model &self) {
				return unless_unknown(
					self, SSDPM_INFO_FIRMWARE,
					py::str(info_of(self)->firmware));
			})
		.def_property_readonly(
			"apsta",
			[](const Model &self) {
				return unless_unknown(
					self, SSDPM_INFO_APSTA,
					py::int_(info_of(self)->apsta));
			})
		/* NULL, for 0, becomes None */
		.def_property_readonly(
			"provenance",
			[](const Model &self) {
				return ssdpm_provenance_to_string(
					info_of(self)->provenance);
			})
		.def_property_readonly("format",
				       [](const Model &self) {
					       return ssdpm_format_to_string(
						       info_of(self)->format);
				       })
		.def_property_readonly("sata", &model_sata)
		.def_property_readonly("states", &model_states)
		.def("power_range", &model_power_range, py::arg("state"),
		     py::arg("field"))
		.def("to_json", &model_to_json)
		.def("lint", &model_lint);
}

static std::unique_ptr<Catalogue> catalogue_new(const py::object &data)
{
	struct ssdpm_catalogue *catalogue;
	std::string_view text;

	if (!data.is_none())
		text = py::reinterpret_borrow<py::bytes>(data);
	without_gil(
		[&](struct ssdpm_error *error) {
			return ssdpm_catalogue_new(text.data(), text.size(),
						   &catalogue, error);
		},
		true);
	return std::make_unique<Catalogue>(catalogue);
}

static py::tuple match_tuple(const struct ssdpm_catalogue_match &match)
{
	return py::make_tuple(match.index, match.exact != 0, match.n_rows,
			      match.n_matches, match.n_tables, match.seen,
			      match.other_capacity != 0);
}

static struct ssdpm_catalogue_match find(const Catalogue &self,
					 const std::string &product,
					 const OptionalText &firmware)
{
	struct ssdpm_catalogue_match match;

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_catalogue_find(self.get(), product.c_str(),
					    c_str(firmware), &match, error);
	});
	return match;
}

static py::list catalogue_alternatives(const Catalogue &self,
				       const std::string &product,
				       const OptionalText &firmware)
{
	std::vector<struct ssdpm_catalogue_match> matches(
		find(self, product, firmware).n_tables - 1);
	size_t n = matches.size();
	py::list result;

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_catalogue_find_alternatives(
			self.get(), product.c_str(), c_str(firmware),
			matches.data(), &n, error);
	});
	for (size_t i = 0; i < n; i++)
		result.append(match_tuple(matches[i]));
	return result;
}

static std::unique_ptr<Model> catalogue_model(const Catalogue &self,
					      uint32_t index)
{
	struct ssdpm_model *model;

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_catalogue_get_model(self.get(), index, &model,
						 error);
	});
	return std::make_unique<Model>(model);
}

static uint32_t count_rows(const Catalogue &self)
{
	struct ssdpm_catalogue_row row = {};
	uint32_t n = 0;

	row.size = sizeof(row);
	while (!ssdpm_catalogue_get_row(self.get(), n, &row))
		n++;
	return n;
}

/* NULL, for a firmware that is not known, becomes None. */
static py::tuple catalogue_row(const Catalogue &self, uint32_t index)
{
	struct ssdpm_catalogue_row row = {};

	row.size = sizeof(row);
	ssdpm_catalogue_get_row(self.get(), index, &row);
	return py::make_tuple(row.product, row.firmware, row.seen, row.table);
}

static void add_catalogue_class(py::module_ &module)
{
	py::class_<Catalogue>(module, "Catalogue")
		.def_property_readonly("n_rows", &count_rows)
		.def("row", &catalogue_row)
		.def("model", &catalogue_model)
		.def("find",
		     [](const Catalogue &self, const std::string &product,
			const OptionalText &firmware) {
			     return match_tuple(find(self, product, firmware));
		     })
		.def("alternatives", &catalogue_alternatives);
	module.def("catalogue_new", &catalogue_new);
}

/* [(mode, power_uw or None), ...] */
static py::list governor_modes(uint32_t form)
{
	size_t n;
	const struct ssdpm_governor_mode *modes =
		ssdpm_governor_get_modes(form, &n);
	py::list result;

	for (size_t i = 0; i < n; i++) {
		py::object power = py::none();

		if (modes[i].is_limited)
			power = py::int_(modes[i].power_uw);
		result.append(py::make_tuple(modes[i].mode, power));
	}
	return result;
}

void add_model(py::module_ &module)
{
	PYBIND11_NUMPY_DTYPE(
		ssdpm_power_state, flags, unknown, not_reported, max_power_uw,
		active_power_uw, idle_power_uw, entry_latency_us,
		exit_latency_us, read_throughput_rank, read_latency_rank,
		write_throughput_rank, write_latency_rank,
		active_power_workload, link_state,
		emergency_power_fail_recovery_time_us,
		forced_quiescence_vault_time_us,
		emergency_power_fail_vault_time_us, shown_active_power_uw);
	module.attr("power_state_dtype") =
		py::dtype::of<struct ssdpm_power_state>();
	module.attr("STATE_NON_OPERATIONAL") =
		(uint32_t)SSDPM_STATE_NON_OPERATIONAL;
	module.attr("STATE_ACTIVE_POWER_SHOWN") =
		(uint32_t)SSDPM_STATE_ACTIVE_POWER_SHOWN;
	module.attr("STATE_IDLE_POWER_OF_FAMILY") =
		(uint32_t)SSDPM_STATE_IDLE_POWER_OF_FAMILY;
	module.attr("KINDS") = words(&ssdpm_kind_to_string);
	module.attr("PROVENANCES") = words(&ssdpm_provenance_to_string);
	module.attr("FORMATS") = words(&ssdpm_format_to_string);
	module.attr("LINK_STATES") = words(&ssdpm_link_state_to_string);
	module.attr("FINDING_CODES") = words(&ssdpm_finding_code_to_string);
	module.attr("SATA_FEATURES") =
		words(&ssdpm_sata_feature_to_string, true);
	module.attr("FIELDS") = words(&ssdpm_field_to_string, true);
	add_model_class(module);
	add_catalogue_class(module);
	module.def("models_from_data", &models_from_data);
	module.def("model_new", &model_new);
	module.attr("GOVERNOR_FORMS") = words(&ssdpm_governor_form_to_string);
	module.def("governor_modes", &governor_modes);
}
