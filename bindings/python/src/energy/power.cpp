/* SPDX-License-Identifier: MIT */
/* <ssdpm/energy/power.h>: samples of power from files. */
#include "energy.h"

#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <tuple>

#include <pybind11/stl.h>

/* A file of samples. */
class PowerReader : public FileReader<struct ssdpm_power, ssdpm_power_free>
{
      public:
	using FileReader::FileReader;

	/* Up to max samples: their times and powers; none: the end. */
	py::tuple read(size_t max)
	{
		Buffer<int64_t> times;
		Buffer<double> powers;

		times.grow(max);
		powers.grow(max);

		size_t n = fill(times.at(0), powers.at(0), max, true);

		return py::make_tuple(times.take(n), powers.take(n));
	}

	/* All that is left. */
	py::tuple read_all()
	{
		Buffer<int64_t> times;
		Buffer<double> powers;
		const size_t n = fill_all(
			2 * sizeof(double), "samples",
			[&](size_t max) {
				times.grow(max);
				powers.grow(max);
			},
			[&](size_t at, size_t room) {
				return fill(times.at(at), powers.at(at), room,
					    false);
			});

		return py::make_tuple(times.take(n), powers.take(n));
	}

	/* The order is that of struct ssdpm_power_counts. */
	py::tuple counts()
	{
		const auto counts = copy(&ssdpm_power_get_counts);

		return py::make_tuple(counts.n_lines, counts.n_samples,
				      counts.n_wraps, counts.n_resets);
	}

      private:
	size_t fill(int64_t *time_ns, double *power_w, size_t max, bool some)
	{
		return FileReader::fill(
			max, some,
			[&](struct ssdpm_power *power, size_t n, size_t room,
			    size_t *got, struct ssdpm_error *error) {
				return ssdpm_power_read(power, time_ns + n,
							power_w + n, room, got,
							error);
			});
	}
};

/* columns, rate_hz, scale, shunt_ohm, supply_v, counter_j, format */
using PowerTuple = std::tuple<OptionalText, double, double, double, double,
			      double, uint32_t>;

static struct ssdpm_power_params params_from(const PowerTuple &from)
{
	struct ssdpm_power_params to = {};

	to.size = sizeof(to);
	to.columns = c_str(std::get<0>(from));
	to.rate_hz = std::get<1>(from);
	to.scale = std::get<2>(from);
	to.shunt_ohm = std::get<3>(from);
	to.supply_v = std::get<4>(from);
	to.counter_j = std::get<5>(from);
	to.format = std::get<6>(from);
	return to;
}

/* From a descriptor, or from bytes. */
static std::unique_ptr<PowerReader> power_open(const py::object &source,
					       const PowerTuple &from)
{
	struct ssdpm_power *power =
		opened(source, params_from(from), &ssdpm_power_open_data,
		       &ssdpm_power_open);

	return std::make_unique<PowerReader>(power, source);
}

void add_power(py::module_ &module)
{
	module.attr("POWER_FORMATS") = words(&ssdpm_power_format_to_string);
	py::class_<PowerReader>(module, "PowerReader")
		.def("read", &PowerReader::read)
		.def("read_all", &PowerReader::read_all)
		.def_property_readonly("counts", &PowerReader::counts);
	module.def("power_open", &power_open);
}
