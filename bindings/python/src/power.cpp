/* SPDX-License-Identifier: MIT */
/* <ssdpm/energy/power.h>: samples of power from files. */
#include "samples.h"

#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <tuple>

#include <pybind11/stl.h>

/* So many samples at a time; a signal waits no longer than these take. */
static const size_t CHUNK = 1 << 16;

/* Numbers that grow without a second copy of all, and become an array. */
template <typename T> class Buffer
{
      public:
	void grow(size_t n)
	{
		void *memory = n > SIZE_MAX / sizeof(T) ?
				       nullptr :
				       realloc(data.get(), n * sizeof(T));

		if (!memory)
			throw std::bad_alloc();
		(void)data.release();
		data.reset((T *)memory);
	}

	T *at(size_t i)
	{
		return data.get() + i;
	}

	/* The array owns them. */
	py::array take(size_t n)
	{
		grow(n ? n : 1);

		py::capsule owner(data.get(),
				  [](void *memory) { free(memory); });

		return py::array(py::dtype::of<T>(), { (py::ssize_t)n },
				 { (py::ssize_t)sizeof(T) }, data.release(),
				 owner);
	}

      private:
	std::unique_ptr<T, Free> data;
};

/* A file of samples, with what it borrows; threads take turns. */
class PowerReader
{
      public:
	PowerReader(struct ssdpm_power *power, const py::object &source)
	    : power(power), source(source)
	{
	}
	~PowerReader()
	{
		ssdpm_power_free(power);
	}
	PowerReader(const PowerReader &) = delete;
	PowerReader &operator=(const PowerReader &) = delete;

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
		size_t max = 0, n = 0;

		do {
			max += max / 2 + CHUNK;
			check_memory(max, 2 * sizeof(double), "samples");
			times.grow(max);
			powers.grow(max);
			n += fill(times.at(n), powers.at(n), max - n, false);
		} while (n == max);
		return py::make_tuple(times.take(n), powers.take(n));
	}

	/* The order is that of struct ssdpm_power_counts. */
	py::tuple counts()
	{
		struct ssdpm_power_counts counts;
		{
			py::gil_scoped_release release;
			std::lock_guard<std::mutex> lock(mutex);

			counts = *ssdpm_power_get_counts(power);
		}
		return py::make_tuple(counts.n_lines, counts.n_samples,
				      counts.n_wraps, counts.n_resets);
	}

      private:
	/*
	 * Up to max samples; fewer: the end, or, if some is enough, a failure
	 * that the next call tells.
	 */
	size_t fill(int64_t *time_ns, double *power_w, size_t max, bool some)
	{
		struct ssdpm_error error = {};
		size_t n = 0;
		size_t got = 0;
		int err = 0;

		do {
			size_t room = max - n < CHUNK ? max - n : CHUNK;
			{
				py::gil_scoped_release release;
				std::lock_guard<std::mutex> lock(mutex);

				err = ssdpm_power_read(power, time_ns + n,
						       power_w + n, room, &got,
						       &error);
			}
			if (err && n && some)
				break;
			if (err)
				raise_error(error, true);
			if (PyErr_CheckSignals())
				throw py::error_already_set();
			n += got;
		} while (got && n < max);
		return n;
	}

	struct ssdpm_power *power;
	std::mutex mutex;
	py::object source;
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
	const struct ssdpm_power_params params = params_from(from);
	struct ssdpm_error error = {};
	struct ssdpm_power *power;
	const Input input(source);
	int err;

	{
		py::gil_scoped_release release;

		if (input.data)
			err = ssdpm_power_open_data(input.data, input.size,
						    &params, &power, &error);
		else
			err = ssdpm_power_open(input.fd, &params, &power,
					       &error);
	}
	if (err)
		raise_error(error, true);
	return std::make_unique<PowerReader>(power, source);
}

void add_power(py::module_ &module)
{
	py::dict formats;

	formats["csv"] = (uint32_t)SSDPM_POWER_CSV;
	formats["float32"] = (uint32_t)SSDPM_POWER_FLOAT32;
	formats["int16"] = (uint32_t)SSDPM_POWER_INT16;
	module.attr("POWER_FORMATS") = formats;
	py::class_<PowerReader>(module, "PowerReader")
		.def("read", &PowerReader::read)
		.def("read_all", &PowerReader::read_all)
		.def_property_readonly("counts", &PowerReader::counts);
	module.def("power_open", &power_open);
}
