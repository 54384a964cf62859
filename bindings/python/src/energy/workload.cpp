/* SPDX-License-Identifier: MIT */
/* <ssdpm/energy/workload.h> */
#include "energy.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>

#include <pybind11/stl.h>

/* The numbers that a reader met, and their names in C. */
static py::dict counts_dict(const struct ssdpm_trace_counts &counts)
{
	py::dict result;

	result["n_ios"] = counts.n_ios;
	result["n_records"] = counts.n_records;
	result["n_lines"] = counts.n_lines;
	result["n_bad"] = counts.n_bad;
	result["n_unmatched"] = counts.n_unmatched;
	result["n_orphans"] = counts.n_orphans;
	result["n_saturated"] = counts.n_saturated;
	result["n_backward"] = counts.n_backward;
	result["n_wrapped"] = counts.n_wrapped;
	result["n_other_device"] = counts.n_other_device;
	result["resolution_ns"] = counts.resolution_ns;
	result["n_cached"] = counts.n_cached;
	result["n_late"] = counts.n_late;
	result["late_max_ns"] = counts.late_max_ns;
	result["n_unsized"] = counts.n_unsized;
	result["n_untyped"] = counts.n_untyped;
	result["format"] = counts.format;
	return result;
}

/* A trace that is read or made. */
class Reader : public FileReader<struct ssdpm_trace, ssdpm_trace_free>
{
      public:
	using FileReader::FileReader;

	py::array read(size_t max)
	{
		py::array_t<struct ssdpm_io> array((py::ssize_t)max);
		size_t n = fill(array.mutable_data(), max, true);

		if (n < max)
			array.resize({ (py::ssize_t)n });
		return array;
	}

	/* All that is left, in an array that owns it. */
	py::array read_all()
	{
		Buffer<struct ssdpm_io> ios;
		const size_t n = fill_all(
			sizeof(struct ssdpm_io), "records",
			[&](size_t max) { ios.grow(max); },
			[&](size_t at, size_t room) {
				return fill(ios.at(at), room, false);
			});

		return ios.take(n);
	}

	py::dict counts()
	{
		return counts_dict(copy(&ssdpm_trace_get_counts));
	}

      private:
	size_t fill(struct ssdpm_io *ios, size_t max, bool some)
	{
		return FileReader::fill(
			max, some,
			[&](struct ssdpm_trace *trace, size_t n, size_t room,
			    size_t *got, struct ssdpm_error *error) {
				return ssdpm_trace_read(trace, ios + n, room,
							got, error);
			});
	}
};

/* From a descriptor, or from bytes. */
static std::unique_ptr<Reader> trace_open(const py::object &source,
					  uint32_t format,
					  const OptionalText &columns,
					  const OptionalText &device,
					  bool skip_bad)
{
	struct ssdpm_trace_params params = {};

	params.size = sizeof(params);
	params.format = format;
	params.flags = skip_bad ? SSDPM_TRACE_SKIP_BAD : 0;
	params.columns = c_str(columns);
	params.device = c_str(device);

	struct ssdpm_trace *trace = opened(
		source, params, &ssdpm_trace_open_data, &ssdpm_trace_open);

	return std::make_unique<Reader>(trace, source);
}

/* What generate() of ssdpm/workload/ was given; None or none: the default. */
template <typename T>
static void set_number(T *member, const py::dict &from, const char *name)
{
	if (from.contains(name) && !from[name].is_none())
		*member = from[name].cast<T>();
}

static struct ssdpm_generator_params generator_params(const std::string &name,
						      const py::dict &from)
{
	struct ssdpm_generator_params params;

	if (ssdpm_generator_params_init(&params, sizeof(params)))
		throw std::runtime_error("ssdpm_generator_params_init");
	params.name = name.c_str();
	set_number(&params.seed, from, "seed");
	set_number(&params.n_ios, from, "n_ios");
	set_number(&params.value, from, "value");
	set_number(&params.mean_idle_ns, from, "mean_idle_ns");
	set_number(&params.area_bytes, from, "area_bytes");
	set_number(&params.op, from, "op");
	set_number(&params.bytes, from, "bytes");
	set_number(&params.service_ns, from, "service_ns");
	set_number(&params.shape_milli, from, "shape_milli");
	return params;
}

static std::unique_ptr<Reader> trace_generate(const std::string &name,
					      const py::dict &from)
{
	struct ssdpm_generator_params params = generator_params(name, from);
	struct ssdpm_error error = {};
	struct ssdpm_trace *trace;

	if (ssdpm_trace_generate(&params, &trace, &error))
		raise_error(error, false);
	return std::make_unique<Reader>(trace, py::none());
}

static std::string fio_job(const std::string &name, const py::dict &from)
{
	struct ssdpm_generator_params params = generator_params(name, from);
	struct ssdpm_error error = {};
	char *text;

	if (ssdpm_generator_to_fio_job(&params, &text, &error))
		raise_error(error, false);

	std::unique_ptr<char, void (*)(void *)> owner(text, free);
	return text;
}

static py::list generators()
{
	py::list result;
	const char *name;

	for (size_t i = 0; (name = ssdpm_generator_get_name(i)); i++)
		result.append(py::make_tuple(
			name, ssdpm_generator_get_description(i)));
	return result;
}

/* The lines of some records in fio's iolog. */
static py::bytes to_fio_iolog(const IoArray &ios, uint64_t origin_ns,
			      const std::string &file)
{
	char line[SSDPM_FIO_IOLOG_LINE];
	struct ssdpm_error error = {};
	std::string result;
	int err = 0;
	{
		py::gil_scoped_release release;

		for (py::ssize_t i = 0; i < ios.size() && !err; i++) {
			err = ssdpm_io_to_fio_iolog(ios.data() + i, origin_ns,
						    file.c_str(), line, &error);
			if (!err)
				result += line;
		}
	}
	if (err)
		raise_error(error, false);
	return result;
}

struct ssdpm_service service_from(const ServiceNumbers &numbers)
{
	struct ssdpm_service service = {};

	for (size_t i = 0; i < SSDPM_N_OPS; i++) {
		service.base_ns[i] = numbers.first[i];
		service.bytes_per_second[i] = numbers.second[i];
	}
	return service;
}

/* Numbers of a trace; ssdpm/workload/ keeps each to itself. */
class Stats
{
      public:
	explicit Stats(const std::optional<ServiceNumbers> &numbers)
	{
		struct ssdpm_error error = {};
		struct ssdpm_service service;

		if (numbers)
			service = service_from(*numbers);
		if (ssdpm_stats_new(numbers ? &service : nullptr, &stats,
				    &error))
			raise_error(error, false);
	}
	~Stats()
	{
		ssdpm_stats_free(stats);
	}
	Stats(const Stats &) = delete;
	Stats &operator=(const Stats &) = delete;

	void feed(const IoArray &ios)
	{
		feed_all(ios, [this](const struct ssdpm_io *at, size_t n,
				     struct ssdpm_error *error) {
			return ssdpm_stats_feed(stats, at, n, error);
		});
	}

	py::array get()
	{
		py::array_t<struct ssdpm_trace_stats> result(1);
		struct ssdpm_trace_stats *to = result.mutable_data();

		to->size = sizeof(*to);
		without_gil([&](struct ssdpm_error *error) {
			return ssdpm_stats_get(stats, to, error);
		});
		return result;
	}

      private:
	struct ssdpm_stats *stats;
};

struct ssdpm_trace_counts trace_counts_from(const CountNumbers &from)
{
	struct ssdpm_trace_counts counts = {};

	counts.n_ios = from[0];
	counts.n_records = from[1];
	counts.n_lines = from[2];
	counts.n_bad = from[3];
	counts.n_unmatched = from[4];
	counts.n_orphans = from[5];
	counts.n_saturated = from[6];
	counts.n_backward = from[7];
	counts.n_wrapped = from[8];
	counts.n_other_device = from[9];
	counts.resolution_ns = from[10];
	counts.n_cached = (uint32_t)from[11];
	counts.n_late = from[12];
	counts.late_max_ns = from[13];
	counts.n_unsized = from[14];
	counts.n_untyped = from[15];
	counts.format = (uint32_t)from[16];
	return counts;
}

/* numbers: what Stats::get() returned */
static py::str workload_json(
	const std::string &name, const CountNumbers &from,
	const py::array_t<struct ssdpm_trace_stats> &numbers)
{
	const struct ssdpm_trace_counts counts = trace_counts_from(from);
	struct ssdpm_workload_report report = {};

	report.size = sizeof(report);
	report.name = name.c_str();
	report.counts = &counts;
	report.stats = numbers.data();
	return written([&](char **text, struct ssdpm_error *error) {
		return ssdpm_workload_report_to_json(&report, text, error);
	});
}

static py::str generator_json(size_t index)
{
	return written([&](char **text, struct ssdpm_error *error) {
		return ssdpm_generator_to_json(index, text, error);
	});
}

static py::list histogram_starts()
{
	py::list result;

	for (uint32_t i = 0; i < SSDPM_HISTOGRAM_BUCKETS; i++)
		result.append(ssdpm_histogram_start_ns(i));
	return result;
}

static void add_classes(py::module_ &module)
{
	py::class_<Reader>(module, "Reader")
		.def("read", &Reader::read)
		.def("read_all", &Reader::read_all)
		.def_property_readonly("counts", &Reader::counts);
	py::class_<Stats>(module, "Stats")
		.def(py::init<const std::optional<ServiceNumbers> &>())
		.def("feed", &Stats::feed)
		.def("get", &Stats::get);
}

void add_workload(py::module_ &module)
{
	PYBIND11_NUMPY_DTYPE(ssdpm_io, start_ns, offset, bytes, service_ns, op,
			     flags);
	PYBIND11_NUMPY_DTYPE(ssdpm_trace_stats, n_ios, bytes, n_unknown_service,
			     n_sequential, start_ns, duration_ns, busy_ns,
			     idle_ns, n_gaps, gap_p50_ns, gap_p90_ns,
			     gap_p99_ns, gap_max_ns, gaps, gaps_ns);
	module.attr("io_dtype") = py::dtype::of<struct ssdpm_io>();
	module.attr("SERVICE_UNKNOWN") = SSDPM_SERVICE_UNKNOWN;
	module.attr("SERVICE_MAX") = SSDPM_SERVICE_MAX;
	module.attr("IO_CONTINUED") = (uint32_t)SSDPM_IO_CONTINUED;
	module.attr("OPS") = words(&ssdpm_op_to_string);
	module.attr("TRACE_FORMATS") = words(&ssdpm_trace_format_to_string);
	module.attr("HISTOGRAM_STARTS") = histogram_starts();
	add_classes(module);
	module.def("trace_open", &trace_open);
	module.def("trace_generate", &trace_generate);
	module.def("fio_job", &fio_job);
	module.def("generators", &generators);
	module.def("to_fio_iolog", &to_fio_iolog);
	module.def("workload_json", &workload_json);
	module.def("generator_json", &generator_json);
}
