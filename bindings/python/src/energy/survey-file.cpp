/* SPDX-License-Identifier: MIT */
/* <ssdpm/energy/survey-file.h> and <ssdpm/energy/survey-result.h> */
#include "energy.h"

#include <memory>

#include <pybind11/stl.h>

/* The file of a survey; it never changes. */
class SurveyFile
{
      public:
	/* From a descriptor, or from bytes. */
	explicit SurveyFile(const py::object &source)
	{
		struct ssdpm_error error = {};
		const Input input(source);
		int err;

		{
			py::gil_scoped_release release;

			if (input.data)
				err = ssdpm_survey_file_open_data(
					input.data, input.size, &file, &error);
			else
				err = ssdpm_survey_file_open(input.fd, &file,
							     &error);
		}
		if (err)
			raise_error(error, true);
	}
	~SurveyFile()
	{
		ssdpm_survey_file_free(file);
	}
	SurveyFile(const SurveyFile &) = delete;
	SurveyFile &operator=(const SurveyFile &) = delete;

	const struct ssdpm_survey_file *get() const
	{
		return file;
	}

	py::tuple contents() const;

      private:
	struct ssdpm_survey_file *file = nullptr;
};

static py::list names_list(const struct ssdpm_survey_file *file,
			   const char *(*get)(const struct ssdpm_survey_file *,
					      uint32_t))
{
	py::list result;
	const char *name;

	for (uint32_t i = 0; (name = get(file, i)); i++)
		result.append(text_from(name));
	return result;
}

static py::list facts_list(const struct ssdpm_survey_file *file)
{
	const struct ssdpm_survey_fact *facts;
	py::list result;
	size_t n = 0;

	facts = ssdpm_survey_file_get_facts(file, &n);
	for (size_t i = 0; i < n; i++)
		result.append(py::make_tuple(text_from(facts[i].key),
					     text_from(facts[i].value)));
	return result;
}

static py::object times_of(const struct ssdpm_survey_readings &run)
{
	if (!run.time_ns)
		return py::none();
	return py::array_t<int64_t>((py::ssize_t)run.n, run.time_ns);
}

static py::list readings_list(const struct ssdpm_survey_file *file)
{
	const struct ssdpm_survey_readings *runs;
	py::list result;
	size_t n = 0;

	runs = ssdpm_survey_file_get_readings(file, &n);
	for (size_t i = 0; i < n; i++) {
		const struct ssdpm_survey_readings &run = runs[i];
		const py::ssize_t length = (py::ssize_t)run.n;

		result.append(py::make_tuple(
			run.run, run.policy, run.scenario, run.block,
			run.status, times_of(run),
			py::array_t<double>(length, run.power_w),
			py::array_t<double>(length, run.latency_us)));
	}
	return result;
}

static py::list fio_list(const struct ssdpm_survey_file *file)
{
	const struct ssdpm_survey_fio *runs;
	py::list result;
	size_t n = 0;

	runs = ssdpm_survey_file_get_fio(file, &n);
	for (size_t i = 0; i < n; i++)
		result.append(py::make_tuple(
			runs[i].run, runs[i].policy, runs[i].test,
			runs[i].block, runs[i].status, runs[i].latency_us,
			runs[i].latency_sd_us, runs[i].bytes_per_s));
	return result;
}

py::tuple SurveyFile::contents() const
{
	const struct ssdpm_survey_params *params =
		ssdpm_survey_file_get_params(file);
	const struct ssdpm_survey_counts *counts =
		ssdpm_survey_file_get_counts(file);

	return py::make_tuple(
		names_list(file, &ssdpm_survey_file_get_policy),
		names_list(file, &ssdpm_survey_file_get_scenario),
		names_list(file, &ssdpm_survey_file_get_test),
		py::make_tuple(params->n_blocks, params->settle_ns,
			       params->interval_ns, params->duration_ns),
		py::make_tuple(counts->n_lines, counts->n_rows, counts->n_cut),
		facts_list(file), readings_list(file), fio_list(file));
}

/* What a survey found; it never changes. */
class SurveyResult
{
      public:
	/* 0: the default */
	SurveyResult(const std::shared_ptr<SurveyFile> &file,
		     const std::string &name, double error_rate,
		     double system_power_w)
	    : file(file)
	{
		struct ssdpm_survey_result_params params = {};

		params.size = sizeof(params);
		params.name = name.c_str();
		params.error_rate = error_rate;
		params.system_power_w = system_power_w;
		without_gil([&](struct ssdpm_error *error) {
			return ssdpm_survey_result_new(file->get(), &params,
						       &result, error);
		});
	}
	~SurveyResult()
	{
		ssdpm_survey_result_free(result);
	}
	SurveyResult(const SurveyResult &) = delete;
	SurveyResult &operator=(const SurveyResult &) = delete;

	const struct ssdpm_survey_result *get() const
	{
		return result;
	}

	/* mean_w, in the order of the readings of the file */
	std::vector<double> means() const
	{
		std::vector<double> means;

		while (const struct ssdpm_survey_run_result *run =
			       ssdpm_survey_result_get_run(result,
							   means.size()))
			means.push_back(run->mean_w);
		return means;
	}

	py::list comparisons() const;
	py::tuple recommendation() const;

	double error_rate() const
	{
		return ssdpm_survey_result_get_info(result)->error_rate;
	}

	py::str to_json() const
	{
		return written([&](char **text, struct ssdpm_error *error) {
			return ssdpm_survey_result_to_json(result, nullptr,
							   text, error);
		});
	}

      private:
	std::shared_ptr<SurveyFile> file;
	struct ssdpm_survey_result *result = nullptr;
};

/* policy, scenario or test, block, mean */
static py::list runs_list(const struct ssdpm_survey_comparison &from)
{
	py::list result;

	for (size_t i = 0; i < from.n_runs; i++)
		result.append(py::make_tuple(from.runs[i].policy,
					     from.runs[i].block,
					     from.runs[i].mean_w));
	return result;
}

/* [(of, quantity, fio, reason, runs, analysis or None), ...] */
py::list SurveyResult::comparisons() const
{
	py::list list;

	while (const struct ssdpm_survey_comparison *one =
		       ssdpm_survey_result_get_comparison(result, list.size()))
		list.append(py::make_tuple(
			text_from(one->of),
			ssdpm_survey_quantity_to_string(one->quantity),
			one->fio != 0, text_or_none(one->reason_text),
			runs_list(*one),
			one->analysis ?
				py::object(survey_analysis(*one->analysis,
							   one->n_policies)) :
				py::object(py::none())));
	return list;
}

static py::object number_or_none(uint32_t policy)
{
	if (policy == SSDPM_SURVEY_NO_POLICY)
		return py::none();
	return py::int_(policy);
}

/* kind, of, policy, from, was_found, detectable_w, risks_data */
py::tuple SurveyResult::recommendation() const
{
	const struct ssdpm_survey_recommendation *one =
		ssdpm_survey_result_get_recommendation(result);

	return py::make_tuple(
		ssdpm_survey_advice_to_string(one->kind),
		text_or_none(one->comparison ? one->comparison->of : nullptr),
		number_or_none(one->policy), number_or_none(one->from),
		one->was_found != 0, one->detectable_w, one->risks_data != 0);
}

/* Several surveys as one; it never changes. */
class SurveyMerge
{
      public:
	/* 0: the default */
	SurveyMerge(const std::vector<std::shared_ptr<SurveyResult>> &results,
		    double error_rate)
	    : results(results)
	{
		std::vector<const struct ssdpm_survey_result *> pointers;

		for (const std::shared_ptr<SurveyResult> &one : results)
			pointers.push_back(one->get());
		without_gil([&](struct ssdpm_error *error) {
			return ssdpm_survey_merge_new(
				pointers.data(), pointers.size(), error_rate,
				&merge, error);
		});
	}
	~SurveyMerge()
	{
		ssdpm_survey_merge_free(merge);
	}
	SurveyMerge(const SurveyMerge &) = delete;
	SurveyMerge &operator=(const SurveyMerge &) = delete;

	/* n_surveys, n_drives, n_merged, error_rate, row_error_rate */
	py::tuple info() const
	{
		const struct ssdpm_survey_merge_info *info =
			ssdpm_survey_merge_get_info(merge);

		return py::make_tuple(info->n_surveys, info->n_drives,
				      info->n_merged, info->error_rate,
				      info->row_error_rate);
	}

	/* [(name, drive, number, reason), ...] */
	py::list parts() const
	{
		py::list list;

		while (const struct ssdpm_survey_merge_part *one =
			       ssdpm_survey_merge_get_part(merge, list.size()))
			list.append(py::make_tuple(
				text_from(one->name), text_from(one->drive),
				one->number, text_or_none(one->reason_text)));
		return list;
	}

	/* [(of, quantity, fio, policy, from, reason, merged or None), ...] */
	py::list rows() const
	{
		py::list list;

		while (const struct ssdpm_survey_merge_row *one =
			       ssdpm_survey_merge_get_row(merge, list.size()))
			list.append(py::make_tuple(
				text_from(one->of),
				ssdpm_survey_quantity_to_string(one->quantity),
				one->fio != 0, text_from(one->policy),
				text_from(one->from),
				text_or_none(one->reason_text),
				one->merged ? py::object(survey_merged(
						      *one->merged)) :
					      py::object(py::none())));
		return list;
	}

	py::str to_json() const
	{
		return written([&](char **text, struct ssdpm_error *error) {
			return ssdpm_survey_merge_to_json(merge, text, error);
		});
	}

      private:
	std::vector<std::shared_ptr<SurveyResult>> results;
	struct ssdpm_survey_merge *merge = nullptr;
};

void add_survey_file(py::module_ &module)
{
	module.attr("SURVEY_RUN_STATUSES") =
		words(&ssdpm_survey_run_status_to_string);
	py::class_<SurveyFile, std::shared_ptr<SurveyFile>>(module,
							    "SurveyFile")
		.def(py::init<const py::object &>())
		.def("contents", &SurveyFile::contents);
	py::class_<SurveyResult, std::shared_ptr<SurveyResult>>(module,
								"SurveyResult")
		.def(py::init<const std::shared_ptr<SurveyFile> &,
			      const std::string &, double, double>())
		.def_property_readonly("error_rate", &SurveyResult::error_rate)
		.def("means", &SurveyResult::means)
		.def("comparisons", &SurveyResult::comparisons)
		.def("recommendation", &SurveyResult::recommendation)
		.def("to_json", &SurveyResult::to_json);
	py::class_<SurveyMerge>(module, "SurveyMerge")
		.def(py::init<
			const std::vector<std::shared_ptr<SurveyResult>> &,
			double>())
		.def("info", &SurveyMerge::info)
		.def("parts", &SurveyMerge::parts)
		.def("rows", &SurveyMerge::rows)
		.def("to_json", &SurveyMerge::to_json);
}
