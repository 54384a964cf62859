/* SPDX-License-Identifier: MIT */
/* <ssdpm/energy/compare.h>: policies, and what they cost side by side. */
#include "energy.h"

#include <pybind11/stl.h>

/* Quirks or None, enum ssdpm_lpm or 0, the table of today or None, whether the
 * port is left alone, and whether it takes no other policy; None: it is no
 * device. */
using Settings =
	std::optional<std::tuple<std::optional<uint32_t>, uint32_t,
				 std::optional<const ApstTable *>, bool, bool>>;

static struct ssdpm_device_settings settings_from(const Settings &from)
{
	struct ssdpm_device_settings settings = {};

	settings.size = sizeof(settings);
	if (!from)
		return settings;
	const auto &[quirks, lpm, table, left_alone, refused] = *from;

	if (quirks) {
		settings.known |= SSDPM_SETTING_QUIRKS;
		settings.quirks = *quirks;
	}
	settings.lpm = lpm;
	settings.left_alone = left_alone;
	settings.refused = refused;
	if (lpm)
		settings.known |= SSDPM_SETTING_LPM;
	if (table && *table) {
		settings.known |= SSDPM_SETTING_APST;
		settings.apst = (*table)->table;
	}
	return settings;
}

static std::vector<std::string> common_policies(uint32_t kind)
{
	std::vector<std::string> words;

	while (const char *word = ssdpm_policy_get_common(kind, words.size()))
		words.emplace_back(word);
	return words;
}

/* The policy of a word or of a table; false: there is no such word. */
static bool policy_from(const Model &model, const py::object &from,
			const struct ssdpm_device_settings *settings,
			struct ssdpm_policy *policy)
{
	*policy = {};
	policy->size = sizeof(*policy);
	if (py::isinstance<ApstTable>(from)) {
		policy->kind = SSDPM_POLICY_TABLE;
		policy->table = from.cast<const ApstTable &>().table;
		return true;
	}
	const std::string word = from.cast<std::string>();

	if (word == "auto")
		return !ssdpm_policy_get_reference(model.get(), settings,
						   nullptr, policy, nullptr);
	struct ssdpm_error error = {};

	if (!ssdpm_policy_parse(word.c_str(), nullptr, policy, &error))
		return true;
	/* What is wrong with a parameter says the library best. */
	if (word.find('=') != std::string::npos)
		raise_error(error, false);
	return false;
}

static std::unique_ptr<ApstTable> table_of(const struct ssdpm_apst &from)
{
	std::unique_ptr<ApstTable> table = std::make_unique<ApstTable>();

	table->table = from;
	return table;
}

/* None: it is no word for a table. */
static py::object table_of_word(const Model &model, const std::string &word,
				const SimParams &params, const Settings &from)
{
	const struct ssdpm_device_settings settings = settings_from(from);
	struct ssdpm_resolved_policy resolved;
	struct ssdpm_policy policy = {};
	struct ssdpm_error error = {};

	if (!policy_from(model, py::str(word), &settings, &policy) ||
	    (policy.kind != SSDPM_POLICY_ALGORITHM &&
	     policy.kind != SSDPM_POLICY_TODAY))
		return py::none();
	if (ssdpm_policy_resolve(model.get(), &policy, params.get(), &settings,
				 &resolved, &error))
		raise_error(error, false);
	return py::cast(table_of(resolved.apst));
}

/* In full, as in "windows:balanced:ac"; itself: no word, or one with times. */
static std::string policy_word(const std::string &word)
{
	struct ssdpm_policy policy = {};
	const char *full = nullptr;

	policy.size = sizeof(policy);
	if (word.find('=') != std::string::npos ||
	    ssdpm_policy_parse(word.c_str(), nullptr, &policy, nullptr) ||
	    ssdpm_policy_get_word(&policy, &full, nullptr))
		return word;
	return full;
}

/* The word of the policy that savings are counted from. */
static std::string reference_policy(const Model &model, const Settings &from)
{
	const struct ssdpm_device_settings settings = settings_from(from);
	struct ssdpm_policy policy = {};
	struct ssdpm_error error = {};
	const char *word = nullptr;

	policy.size = sizeof(policy);
	if (ssdpm_policy_get_reference(model.get(), from ? &settings : nullptr,
				       nullptr, &policy, &error) ||
	    ssdpm_policy_get_word(&policy, &word, &error))
		raise_error(error, false);
	return word;
}

/* Of a drive that no machine has. */
static uint32_t usual_pcie_link()
{
	struct ssdpm_error error = {};
	uint32_t link = 0;

	if (ssdpm_device_settings_get_pcie_link(nullptr, &link, &error))
		raise_error(error, false);
	return link;
}

/* One thread has it. */
class Comparison
{
      public:
	Comparison(const Model &model, const SimParams &params,
		   const Settings &from)
	    : model(model), settings(settings_from(from)), is_device(from)
	{
		struct ssdpm_error error = {};

		if (ssdpm_comparison_new(model.get(), params.get(), machine(),
					 &comparison, &error))
			raise_error(error, false);
	}
	~Comparison()
	{
		ssdpm_comparison_free(comparison);
	}
	Comparison(const Comparison &) = delete;
	Comparison &operator=(const Comparison &) = delete;

	/* false: there is no such word */
	bool add(const std::string &name, const py::object &from)
	{
		struct ssdpm_policy policy;
		struct ssdpm_error error = {};

		if (!policy_from(model, from, machine(), &policy))
			return false;
		if (ssdpm_comparison_add(comparison, name.c_str(), &policy,
					 &error))
			raise_error(error, false);
		return true;
	}

	void feed(const IoArray &ios)
	{
		feed_all(ios, [this](const struct ssdpm_io *at, size_t n,
				     struct ssdpm_error *error) {
			return ssdpm_comparison_feed(comparison, at, n, error);
		});
	}

	/* same_as, table, lpm, the outcome of row same_as, saving, likely,
	 * refused, advised */
	py::list finish(uint64_t end_ns)
	{
		struct ssdpm_compared_policy row = {};
		py::list rows;
		without_gil([&](struct ssdpm_error *error) {
			return ssdpm_comparison_finish(comparison, end_ns,
						       error);
		});
		row.size = sizeof(row);
		while (!ssdpm_comparison_get_row(comparison, rows.size(), &row))
			rows.append(py::make_tuple(
				row.same_as, table_of(row.resolved.apst),
				row.resolved.lpm,
				result_tuple(*row.result, row.sim),
				saving_tuple(row.saving),
				likely_tuple(row.likely), row.refused != 0,
				row.advised != 0));
		return rows;
	}

	/* Of one that is finished. */
	py::str to_json(const NamesTuple &names) const
	{
		struct ssdpm_comparison_report report = {};
		const Names told(names);

		told.set(&report);
		report.model = model.get();
		report.comparison = comparison;
		return written([&](char **text, struct ssdpm_error *error) {
			return ssdpm_comparison_report_to_json(&report, text,
							       error);
		});
	}

	/* A row alone. */
	py::str row_to_json(const NamesTuple &names, size_t index,
			    const std::optional<WorkTuple> &background) const
	{
		struct ssdpm_background_work work = {};
		struct ssdpm_estimate_report report = {};
		struct ssdpm_compared_policy row = {};
		const Names told(names);

		row.size = sizeof(row);
		if (ssdpm_comparison_get_row(comparison, index, &row))
			throw py::index_error();
		told.set(&report);
		report.model = model.get();
		report.policy = row.name;
		report.resolved = &row.resolved;
		report.sim = row.sim;
		if (background) {
			work = work_from(*background);
			report.background = &work;
		}
		return written([&](char **text, struct ssdpm_error *error) {
			return ssdpm_estimate_report_to_json(&report, text,
							     error);
		});
	}

      private:
	const struct ssdpm_device_settings *machine() const
	{
		return is_device ? &settings : nullptr;
	}

	const Model &model; /* kept alive with it */
	const struct ssdpm_device_settings settings;
	const bool is_device;
	struct ssdpm_comparison *comparison;
};

void add_compare(py::module_ &module)
{
	module.def("common_policies", &common_policies);
	module.def("table_of_word", &table_of_word);
	module.def("policy_word", &policy_word);
	module.def("reference_policy", &reference_policy);
	module.def("usual_pcie_link", &usual_pcie_link);
	py::class_<Comparison>(module, "Comparison")
		.def(py::init<const Model &, const SimParams &,
			      const Settings &>(),
		     py::keep_alive<1, 2>())
		.def("add", &Comparison::add)
		.def("feed", &Comparison::feed)
		.def("finish", &Comparison::finish)
		.def("to_json", &Comparison::to_json)
		.def("row_to_json", &Comparison::row_to_json);
}
