/* SPDX-License-Identifier: MIT */
/* <ssdpm/energy/compare.h>: the words for policies. */
#include "common.h"
#include "parameters.h"

#include <pybind11/stl.h>

static std::vector<std::string> common_policies(uint32_t kind)
{
	std::vector<std::string> words;

	while (const char *word = ssdpm_policy_get_common(kind, words.size()))
		words.emplace_back(word);
	return words;
}

/* None: it is no word for a table that is made. */
static py::object table_of_word(const Model &model, const std::string &word,
				const SimParams &params, uint32_t quirks)
{
	struct ssdpm_device_settings settings = {};
	struct ssdpm_resolved_policy resolved;
	struct ssdpm_policy policy = {};
	struct ssdpm_error error = {};

	policy.size = sizeof(policy);
	if (ssdpm_policy_parse(word.c_str(), nullptr, &policy, nullptr) ||
	    policy.kind != SSDPM_POLICY_ALGORITHM)
		return py::none();
	settings.size = sizeof(settings);
	settings.known = SSDPM_SETTING_QUIRKS;
	settings.quirks = quirks;
	if (ssdpm_policy_resolve(model.get(), &policy, params.get(), &settings,
				 &resolved, &error))
		raise_error(error, false);
	return py::cast(new ApstTable{ resolved.apst },
			py::return_value_policy::take_ownership);
}

void add_compare(py::module_ &module)
{
	module.def("common_policies", &common_policies);
	module.def("table_of_word", &table_of_word);
}
