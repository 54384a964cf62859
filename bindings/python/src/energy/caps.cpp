/* SPDX-License-Identifier: MIT */
/* <ssdpm/energy/caps.h>: power caps. */
#include "energy.h"

#include <tuple>

#include <pybind11/stl.h>

using SpanTuple = std::tuple<double, double, double>;

/* op, known, assumed, io_bytes, share, write_amplification, the spans */
using StreamTuple =
	std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, double, double,
		   SpanTuple, SpanTuple, SpanTuple, SpanTuple, SpanTuple>;
using StreamTuples = std::vector<StreamTuple>;

/* The members of struct ssdpm_nand */
using NandTuple = std::tuple<double, double, double, double, double, double>;

/* known, assumed, idle_uw, max_uw, nand */
using CapDriveTuple = std::tuple<uint32_t, uint32_t, SpanTuple, SpanTuple,
				 std::optional<NandTuple>>;

/* The members of struct ssdpm_cap_segment */
using SegmentTuples = std::vector<std::tuple<uint64_t, uint64_t, uint64_t>>;

static struct ssdpm_span span_from(const SpanTuple &from)
{
	return { std::get<0>(from), std::get<1>(from), std::get<2>(from) };
}

static SpanTuple span_tuple(const struct ssdpm_span &span)
{
	return { span.low, span.nominal, span.high };
}

static struct ssdpm_cap_stream stream_from(const StreamTuple &from)
{
	struct ssdpm_cap_stream to = {};

	to.op = std::get<0>(from);
	to.known = std::get<1>(from);
	to.assumed = std::get<2>(from);
	to.io_bytes = std::get<3>(from);
	to.share = std::get<4>(from);
	to.write_amplification = std::get<5>(from);
	to.interface_bytes_per_s = span_from(std::get<6>(from));
	to.nand_bytes_per_s = span_from(std::get<7>(from));
	to.active_uw = span_from(std::get<8>(from));
	to.operation_nj = span_from(std::get<9>(from));
	to.byte_pj = span_from(std::get<10>(from));
	return to;
}

static StreamTuple stream_tuple(const struct ssdpm_cap_stream &stream)
{
	return { stream.op,
		 stream.known,
		 stream.assumed,
		 stream.io_bytes,
		 stream.share,
		 stream.write_amplification,
		 span_tuple(stream.interface_bytes_per_s),
		 span_tuple(stream.nand_bytes_per_s),
		 span_tuple(stream.active_uw),
		 span_tuple(stream.operation_nj),
		 span_tuple(stream.byte_pj) };
}

/* struct ssdpm_cap_params with all that it points to. */
class CapParams
{
      public:
	CapParams(const CapDriveTuple &drive, const StreamTuples &from)
	{
		for (const StreamTuple &one : from)
			streams.push_back(stream_from(one));
		params.size = sizeof(params);
		params.cap_uw = SSDPM_CAP_NONE;
		params.streams = streams.data();
		params.n_streams = streams.size();
		params.known = std::get<0>(drive);
		params.assumed = std::get<1>(drive);
		params.idle_uw = span_from(std::get<2>(drive));
		params.max_uw = span_from(std::get<3>(drive));
		if (!std::get<4>(drive))
			return;
		nand.size = sizeof(nand);
		std::tie(nand.link_pj, nand.program_pj, nand.read_pj,
			 nand.erase_pj, nand.program_bytes_per_s,
			 nand.read_bytes_per_s) = *std::get<4>(drive);
		params.nand = &nand;
	}
	CapParams(const CapParams &) = delete;
	CapParams &operator=(const CapParams &) = delete;

	struct ssdpm_cap_params params = {};

      private:
	std::vector<struct ssdpm_cap_stream> streams;
	struct ssdpm_nand nand = {};
};

static py::tuple cap_calculate(const CapDriveTuple &drive,
			       const StreamTuples &streams, uint64_t cap_uw)
{
	CapParams cap(drive, streams);
	struct ssdpm_cap_result result = {};
	struct ssdpm_error error = {};

	cap.params.cap_uw = cap_uw;
	result.size = sizeof(result);
	if (ssdpm_cap_calculate(&cap.params, &result, &error))
		raise_error(error, false);
	return py::make_tuple(
		span_tuple(result.bytes_per_s),
		span_tuple(result.uncapped_bytes_per_s),
		span_tuple(result.loss_share), span_tuple(result.power_uw),
		span_tuple(result.p99_power_uw),
		span_tuple(result.max_power_uw), result.limit, result.assumed);
}

static py::tuple cap_params_from_model(const Model &model, const SimParams &sim,
				       const StreamTuples &streams)
{
	std::vector<struct ssdpm_cap_stream> filled;
	struct ssdpm_cap_params params = {};
	struct ssdpm_error error = {};
	StreamTuples result;

	for (const StreamTuple &one : streams)
		filled.push_back(stream_from(one));
	params.size = sizeof(params);
	if (ssdpm_cap_params_from_model(model.get(), sim.get(), filled.data(),
					filled.size(), &params, &error))
		raise_error(error, false);
	for (const struct ssdpm_cap_stream &one : filled)
		result.push_back(stream_tuple(one));
	return py::make_tuple(params.cap_uw, params.known, params.assumed,
			      span_tuple(params.idle_uw),
			      span_tuple(params.max_uw), result);
}

static std::vector<struct ssdpm_cap_segment> segments_from(
	const SegmentTuples &from)
{
	std::vector<struct ssdpm_cap_segment> to;

	for (const auto &one : from)
		to.push_back({ std::get<0>(one), std::get<1>(one),
			       std::get<2>(one) });
	return to;
}

/* The cap and the transition of a power state. */
static std::pair<uint64_t, uint64_t> cap_from_state(
	const Model &model, std::optional<uint32_t> before, uint32_t state)
{
	struct ssdpm_cap_segment segment = {};
	struct ssdpm_error error = {};

	if (ssdpm_cap_segment_set_state(&segment, model.get(),
					before.value_or(UINT32_MAX), state,
					&error))
		raise_error(error, false);
	return { segment.cap_uw, segment.transition_ns };
}

static struct ssdpm_cap_schedule schedule_of(
	const std::vector<struct ssdpm_cap_segment> &segments)
{
	struct ssdpm_cap_schedule schedule = {};

	schedule.size = sizeof(schedule);
	schedule.segments = segments.data();
	schedule.n_segments = segments.size();
	return schedule;
}

static py::array cap_timeline(const CapDriveTuple &drive,
			      const StreamTuples &streams,
			      const SegmentTuples &from, uint64_t interval_ns)
{
	CapParams cap(drive, streams);
	const std::vector<struct ssdpm_cap_segment> segments =
		segments_from(from);
	struct ssdpm_cap_schedule schedule = schedule_of(segments);
	std::vector<struct ssdpm_cap_point> points;
	struct ssdpm_error error = {};
	size_t n;

	schedule.interval_ns = interval_ns;
	if (ssdpm_cap_timeline(&cap.params, &schedule, nullptr, 0, &n, &error))
		raise_error(error, false);
	points.resize(n);
	if (ssdpm_cap_timeline(&cap.params, &schedule, points.data(), n, &n,
			       &error))
		raise_error(error, false);
	return py::array_t<struct ssdpm_cap_point>((py::ssize_t)n,
						   points.data());
}

static py::tuple cap_simulate(const Model &model, const SimParams &params,
			      const SegmentTuples &from, const IoArray &ios)
{
	const std::vector<struct ssdpm_cap_segment> segments =
		segments_from(from);
	std::vector<struct ssdpm_cap_point> points(segments.size());
	struct ssdpm_cap_schedule schedule = schedule_of(segments);
	struct ssdpm_cap_run run = {};

	run.size = sizeof(run);
	schedule.ios = ios.data();
	schedule.n_ios = (size_t)ios.size();
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_cap_simulate(model.get(), params.get(), &schedule,
					  &run, points.data(), error);
	});
	return py::make_tuple(
		run.duration_ns, run.uncapped_duration_ns, run.interval_ns,
		run.n_ios, run.n_slowed, run.delay_mean_ns, run.delay_p99_ns,
		run.delay_max_ns, span_tuple(run.loss_share),
		span_tuple(run.power_uw), span_tuple(run.p99_power_uw),
		span_tuple(run.max_power_uw), span_tuple(run.uncapped_power_uw),
		py::array_t<struct ssdpm_cap_point>((py::ssize_t)points.size(),
						    points.data()));
}

using Points = py::array_t<struct ssdpm_cap_point, py::array::c_style>;

static py::str cap_json(const Model &model, const OptionalText &name,
			const StreamTuples &from, const Points &points)
{
	struct ssdpm_cap_report report = {};
	std::vector<struct ssdpm_cap_stream> streams;

	for (const StreamTuple &one : from)
		streams.push_back(stream_from(one));
	report.size = sizeof(report);
	report.drive = c_str(name);
	report.model = model.get();
	report.streams = streams.data();
	report.n_streams = streams.size();
	report.points = points.data();
	report.n_points = (size_t)points.size();
	return written([&](char **text, struct ssdpm_error *error) {
		return ssdpm_cap_report_to_json(&report, text, error);
	});
}

void add_caps(py::module_ &module)
{
	PYBIND11_NUMPY_DTYPE(ssdpm_span, low, nominal, high);
	PYBIND11_NUMPY_DTYPE(ssdpm_cap_point, start_ns, duration_ns, cap_uw,
			     limit, reserved, bytes_per_s, power_uw);
	module.attr("cap_point_dtype") =
		py::dtype::of<struct ssdpm_cap_point>();
	module.attr("CAP_NONE") = (uint64_t)SSDPM_CAP_NONE;
	module.attr("CAP_LIMITS") = words(&ssdpm_cap_limit_to_string);
	module.def("cap_calculate", &cap_calculate);
	module.def("cap_params_from_model", &cap_params_from_model);
	module.def("cap_from_state", &cap_from_state);
	module.def("cap_timeline", &cap_timeline);
	module.def("cap_simulate", &cap_simulate);
	module.def("cap_json", &cap_json);
}
