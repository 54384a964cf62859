/* SPDX-License-Identifier: MIT */
/* <ssdpm/energy/writes.h>: sustained writes. */
#include "energy.h"

#include <algorithm>
#include <mutex>
#include <tuple>

#include <pybind11/stl.h>

/* Signals are heard after so many. */
static const uint64_t writes_at_once = 1 << 22;

/* address_share, write_share */
using Classes = std::vector<std::pair<double, double>>;
/* order, first_page, n_pages, classes */
using PatternTuple = std::tuple<uint32_t, uint64_t, uint64_t, Classes>;
/* In the order of struct ssdpm_ftl_cost. */
using CostNumbers = std::array<uint64_t, 14>;
/* seed, n_blocks, pages_per_block, collector */
using DriveNumbers = std::tuple<uint64_t, uint32_t, uint32_t, uint32_t>;

static double wa_calculate(uint32_t formula, double spare,
			   uint32_t pages_per_block)
{
	struct ssdpm_error error = {};
	double wa;

	if (ssdpm_wa_calculate(formula, spare, pages_per_block, &wa, &error))
		raise_error(error, false);
	return wa;
}

static std::vector<struct ssdpm_write_class> classes_from(const Classes &from)
{
	std::vector<struct ssdpm_write_class> classes;

	for (const std::pair<double, double> &one : from)
		classes.push_back({ one.first, one.second });
	return classes;
}

static double wa_calculate_classes(double spare, const Classes &from)
{
	std::vector<struct ssdpm_write_class> classes = classes_from(from);
	struct ssdpm_error error = {};
	double wa;

	if (ssdpm_wa_calculate_classes(spare, classes.data(), classes.size(),
				       &wa, &error))
		raise_error(error, false);
	return wa;
}

static double spare_factor_trim(double spare, double trim_share)
{
	struct ssdpm_error error = {};
	double result;

	if (ssdpm_spare_factor_trim(spare, trim_share, &result, &error))
		raise_error(error, false);
	return result;
}

static py::tuple write_cost(const std::array<double, 6> &from, double wa)
{
	struct ssdpm_nand nand = {};
	struct ssdpm_write_cost cost;
	struct ssdpm_error error = {};

	nand.size = sizeof(nand);
	nand.link_pj = from[0];
	nand.program_pj = from[1];
	nand.read_pj = from[2];
	nand.erase_pj = from[3];
	nand.program_bytes_per_s = from[4];
	nand.read_bytes_per_s = from[5];
	if (ssdpm_write_cost_calculate(&nand, wa, &cost, &error))
		raise_error(error, false);
	return py::make_tuple(cost.byte_pj, cost.bytes_per_s);
}

static py::tuple parameters_set_spare(const Model &model,
				      const ParameterTuples &from, double spare,
				      double measured_wa)
{
	Parameters parameters = parameters_from(from);
	struct ssdpm_sustained_writes writes = {};
	struct ssdpm_background_work work;
	struct ssdpm_error error = {};

	writes.size = sizeof(writes);
	writes.spare_factor = spare;
	writes.measured_wa = measured_wa;
	if (ssdpm_parameters_set_spare(model.get(), parameters.data(),
				       parameters.size(), &writes, &work,
				       &error))
		raise_error(error, false);
	return py::make_tuple(
		parameter_list(parameters.data(), parameters.size()),
		py::make_tuple(work.low_wa, work.nominal_wa, work.high_wa,
			       work.low_ps_per_byte, work.nominal_ps_per_byte,
			       work.high_ps_per_byte, work.power_uw));
}

static struct ssdpm_ftl_cost cost_from(const CostNumbers &from)
{
	struct ssdpm_ftl_cost cost = {};

	cost.size = sizeof(cost);
	cost.host_ns = from[0];
	cost.program_ns = from[1];
	cost.read_ns = from[2];
	cost.erase_ns = from[3];
	cost.buffer_ns = from[4];
	cost.host_nj = from[5];
	cost.program_nj = from[6];
	cost.read_nj = from[7];
	cost.erase_nj = from[8];
	cost.idle_uw = from[9];
	cost.cache_pages = from[10];
	cost.cache_ns = from[11];
	cost.cache_nj = from[12];
	cost.background_uw = from[13];
	return cost;
}

static CostNumbers cost_calculate(uint64_t program_bytes_per_s,
				  uint32_t pages_per_block)
{
	struct ssdpm_ftl_cost cost = {};
	struct ssdpm_error error = {};

	cost.size = sizeof(cost);
	if (ssdpm_ftl_cost_calculate(program_bytes_per_s, pages_per_block,
				     &cost, &error))
		raise_error(error, false);
	return { cost.host_ns,	  cost.program_ns,   cost.read_ns,
		 cost.erase_ns,	  cost.buffer_ns,    cost.host_nj,
		 cost.program_nj, cost.read_nj,	     cost.erase_nj,
		 cost.idle_uw,	  cost.cache_pages,  cost.cache_ns,
		 cost.cache_nj,	  cost.background_uw };
}

static py::array simulate(const DriveNumbers &drive, double spare,
			  const std::optional<CostNumbers> &numbers,
			  size_t n_seconds)
{
	const struct ssdpm_ftl_cost cost =
		cost_from(numbers ? *numbers : CostNumbers());
	struct ssdpm_ftl_params params = {};
	py::array_t<struct ssdpm_ftl_second> seconds((py::ssize_t)n_seconds);
	struct ssdpm_ftl_second *at = seconds.mutable_data();

	params.size = sizeof(params);
	params.seed = std::get<0>(drive);
	params.n_blocks = std::get<1>(drive);
	params.pages_per_block = std::get<2>(drive);
	params.collector = std::get<3>(drive);
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_ftl_simulate(&params, spare,
					  numbers ? &cost : nullptr, n_seconds,
					  at, error);
	});
	return seconds;
}

/* struct ssdpm_ftl_pattern with its classes. */
class Pattern
{
      public:
	explicit Pattern(const PatternTuple &from)
	    : classes(classes_from(std::get<3>(from))), pattern()
	{
		pattern.size = sizeof(pattern);
		pattern.order = std::get<0>(from);
		pattern.first_page = std::get<1>(from);
		pattern.n_pages = std::get<2>(from);
		pattern.classes = classes.data();
		pattern.n_classes = (uint32_t)classes.size();
	}
	Pattern(const Pattern &) = delete;
	Pattern &operator=(const Pattern &) = delete;

	const struct ssdpm_ftl_pattern *get() const
	{
		return &pattern;
	}

      private:
	std::vector<struct ssdpm_write_class> classes;
	struct ssdpm_ftl_pattern pattern;
};

/* A simulated drive; threads take turns. */
class Ftl
{
      public:
	Ftl(uint64_t seed, uint64_t n_user_pages, uint32_t n_blocks,
	    uint32_t pages_per_block, uint32_t reserve_blocks,
	    uint32_t collector, uint32_t choices)
	{
		struct ssdpm_ftl_params params = {};
		struct ssdpm_error error = {};

		params.size = sizeof(params);
		params.seed = seed;
		params.n_user_pages = n_user_pages;
		params.n_blocks = n_blocks;
		params.pages_per_block = pages_per_block;
		params.reserve_blocks = reserve_blocks;
		params.collector = collector;
		params.choices = choices;
		if (ssdpm_ftl_new(&params, &ftl, &error))
			raise_error(error, false);
	}
	~Ftl()
	{
		ssdpm_ftl_free(ftl);
	}
	Ftl(const Ftl &) = delete;
	Ftl &operator=(const Ftl &) = delete;

	void write(uint64_t first_page, uint64_t n_pages)
	{
		call([&](struct ssdpm_error *error) {
			return ssdpm_ftl_write(ftl, first_page, n_pages, error);
		});
	}

	void trim(uint64_t first_page, uint64_t n_pages)
	{
		call([&](struct ssdpm_error *error) {
			return ssdpm_ftl_trim(ftl, first_page, n_pages, error);
		});
	}

	void feed(const IoArray &ios, uint32_t page_bytes)
	{
		feed_all(ios, [&](const struct ssdpm_io *at, size_t n,
				  struct ssdpm_error *error) {
			std::lock_guard<std::mutex> lock(mutex);

			return ssdpm_ftl_feed(ftl, at, n, page_bytes, error);
		});
	}

	void write_pattern(const PatternTuple &from, uint64_t n_writes)
	{
		const Pattern pattern(from);

		/* Once at least: a pattern may be refused. */
		do {
			uint64_t n = std::min(n_writes, writes_at_once);

			call([&](struct ssdpm_error *error) {
				return ssdpm_ftl_write_pattern(
					ftl, pattern.get(), n, error);
			});
			if (PyErr_CheckSignals())
				throw py::error_already_set();
			n_writes -= n;
		} while (n_writes);
	}

	py::array run(const PatternTuple &from, const CostNumbers &numbers,
		      size_t n_seconds)
	{
		const Pattern pattern(from);
		const struct ssdpm_ftl_cost cost = cost_from(numbers);
		py::array_t<struct ssdpm_ftl_second> seconds(
			(py::ssize_t)n_seconds);
		struct ssdpm_ftl_second *at = seconds.mutable_data();

		call([&](struct ssdpm_error *error) {
			return ssdpm_ftl_run(ftl, pattern.get(), &cost,
					     n_seconds, at, error);
		});
		return seconds;
	}

	py::tuple counts()
	{
		struct ssdpm_ftl_counts counts = {};

		counts.size = sizeof(counts);
		call([&](struct ssdpm_error *error) {
			return ssdpm_ftl_get_counts(ftl, &counts, error);
		});
		return py::make_tuple(counts.n_written, counts.n_trimmed,
				      counts.n_moved, counts.n_erased,
				      counts.n_mapped, counts.n_free_blocks);
	}

      private:
	template <typename Call> void call(Call function)
	{
		without_gil([&](struct ssdpm_error *error) {
			std::lock_guard<std::mutex> lock(mutex);

			return function(error);
		});
	}

	struct ssdpm_ftl *ftl;
	std::mutex mutex;
};

static py::tuple spare_factors()
{
	size_t n = 0;
	const double *all = ssdpm_ftl_get_spare_factors(&n);
	py::tuple result(n);

	for (size_t i = 0; i < n; i++)
		result[i] = all[i];
	return result;
}

static void add_numbers(py::module_ &module)
{
	module.attr("BLOCKS") = SSDPM_FTL_BLOCKS;
	module.attr("PAGES_PER_BLOCK") = SSDPM_FTL_PAGES_PER_BLOCK;
	module.attr("SPARES") = spare_factors();
	module.attr("COLLECTORS") = words(&ssdpm_ftl_collector_to_string);
	module.attr("ORDERS") = words(&ssdpm_ftl_order_to_string);
	PYBIND11_NUMPY_DTYPE(ssdpm_ftl_second, n_written, n_programmed,
			     n_erased, background_ns, power_w);
	module.attr("second_dtype") = py::dtype::of<struct ssdpm_ftl_second>();
}

void add_writes(py::module_ &module)
{
	module.attr("WA_FORMULAS") = words(&ssdpm_wa_formula_to_string);
	module.def("wa_calculate", &wa_calculate);
	module.def("wa_calculate_classes", &wa_calculate_classes);
	module.def("spare_factor_trim", &spare_factor_trim);
	module.def("write_cost", &write_cost);
	module.def("parameters_set_spare", &parameters_set_spare);
}

void add_ftl(py::module_ &module)
{
	add_numbers(module);
	module.def("cost_calculate", &cost_calculate);
	module.def("simulate", &simulate);
	py::class_<Ftl>(module, "Ftl")
		.def(py::init<uint64_t, uint64_t, uint32_t, uint32_t, uint32_t,
			      uint32_t, uint32_t>())
		.def("write", &Ftl::write)
		.def("trim", &Ftl::trim)
		.def("feed", &Ftl::feed)
		.def("write_pattern", &Ftl::write_pattern)
		.def("run", &Ftl::run)
		.def("counts", &Ftl::counts);
}
