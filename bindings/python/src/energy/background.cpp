/* SPDX-License-Identifier: MIT */
/* <ssdpm/energy/background.h> */
#include "energy.h"

#include <deque>
#include <tuple>

#include <pybind11/stl.h>

/* parameter, tail_ns, extra_j, sigma_j */
using RunTuple = std::tuple<double, uint64_t, double, double>;
/* background, n_tails, tail_ns, extra_j, trend, trend_p */
using ClassTuple =
	std::tuple<uint32_t, uint64_t, uint64_t, double, double, double>;
/* micro-benchmark, drive and pattern, if it is of a suite */
using Place = std::optional<std::array<std::string, 3>>;
/* name, place, n_runs, class */
using ExperimentTuple = std::tuple<std::string, Place, size_t, ClassTuple>;

static ClassTuple classify(const std::vector<RunTuple> &from)
{
	std::vector<struct ssdpm_background_run> runs;
	struct ssdpm_background_class found = {};

	for (const RunTuple &one : from)
		runs.push_back({ std::get<0>(one), std::get<1>(one),
				 std::get<2>(one), std::get<3>(one), 0 });
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_background_classify(runs.data(), runs.size(),
						 &found, error);
	});
	return { found.background, found.n_tails, found.tail_ns,
		 found.extra_j,	   found.trend,	  found.trend_p };
}

/* struct ssdpm_experiment with what it points to. */
class Experiment
{
      public:
	explicit Experiment(const ExperimentTuple &from) : from(from)
	{
		const Place &place = std::get<1>(this->from);

		std::tie(found.background, found.n_tails, found.tail_ns,
			 found.extra_j, found.trend, found.trend_p) =
			std::get<3>(from);
		experiment.size = sizeof(experiment);
		experiment.experiment = std::get<0>(this->from).c_str();
		experiment.n_runs = std::get<2>(from);
		experiment.found = &found;
		if (!place)
			return;
		experiment.micro_benchmark = (*place)[0].c_str();
		experiment.drive = (*place)[1].c_str();
		experiment.pattern = (*place)[2].c_str();
	}
	Experiment(const Experiment &) = delete;
	Experiment &operator=(const Experiment &) = delete;

	struct ssdpm_experiment experiment = {};

      private:
	const ExperimentTuple from;
	struct ssdpm_background_class found = {};
};

static py::str experiment_json(const ExperimentTuple &from)
{
	const Experiment one(from);

	return written([&](char **text, struct ssdpm_error *error) {
		return ssdpm_experiment_to_json(&one.experiment, text, error);
	});
}

/* The classes of a suite; they never change. */
class Matrix
{
      public:
	explicit Matrix(const std::vector<ExperimentTuple> &from)
	{
		struct ssdpm_experiment_matrix *made = nullptr;
		struct ssdpm_error error = {};
		int err = ssdpm_experiment_matrix_new(&made, &error);

		matrix.reset(made);
		for (const ExperimentTuple &one : from) {
			if (err)
				break;
			experiments.emplace_back(one);
			err = ssdpm_experiment_matrix_add(
				made, &experiments.back().experiment, &error);
		}
		if (err)
			raise_error(error, false);
	}

	std::vector<std::string> names(uint32_t place) const
	{
		std::vector<std::string> result;

		while (const char *name = ssdpm_experiment_matrix_get_name(
			       matrix.get(), place, result.size()))
			result.emplace_back(name);
		return result;
	}

	std::string text(size_t micro_benchmark, size_t drive) const
	{
		char text[SSDPM_EXPERIMENT_TEXT];
		struct ssdpm_error error = {};

		if (ssdpm_experiment_matrix_get_text(
			    matrix.get(), micro_benchmark, drive, text, &error))
			raise_error(error, false);
		return text;
	}

	py::str to_json() const
	{
		return written([&](char **text, struct ssdpm_error *error) {
			return ssdpm_experiment_matrix_to_json(matrix.get(),
							       text, error);
		});
	}

      private:
	struct FreeMatrix {
		void operator()(struct ssdpm_experiment_matrix *matrix) const
		{
			ssdpm_experiment_matrix_free(matrix);
		}
	};

	std::deque<Experiment> experiments; /* they stay where they are */
	std::unique_ptr<struct ssdpm_experiment_matrix, FreeMatrix> matrix;
};

void add_background(py::module_ &module)
{
	module.attr("BACKGROUNDS") = words(&ssdpm_background_to_string);
	module.attr("EXPERIMENT_PLACES") =
		words(&ssdpm_experiment_place_to_string);
	module.def("measure_classify", &classify);
	module.def("experiment_json", &experiment_json);
	py::class_<Matrix>(module, "Matrix")
		.def(py::init<const std::vector<ExperimentTuple> &>())
		.def("names", &Matrix::names)
		.def("text", &Matrix::text)
		.def("to_json", &Matrix::to_json);
}
