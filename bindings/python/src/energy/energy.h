/* SPDX-License-Identifier: MIT */
/* What the files of _core.energy share. */
#ifndef SSDPM_BINDING_ENERGY_H
#define SSDPM_BINDING_ENERGY_H

#include "../common.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

/* Records or samples at a time: a signal waits no longer than these take. */
constexpr size_t CHUNK = 1 << 16;

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

/* A reader of a file, with what it borrows; threads take turns. */
template <typename Reader, Reader *(*destroy)(Reader *)> class FileReader
{
      public:
	FileReader(Reader *reader, const py::object &source)
	    : reader(reader), source(source)
	{
	}
	~FileReader()
	{
		destroy(reader);
	}
	FileReader(const FileReader &) = delete;
	FileReader &operator=(const FileReader &) = delete;

      protected:
	template <typename Counts>
	Counts copy(const Counts *(*get)(const Reader *))
	{
		py::gil_scoped_release release;
		std::lock_guard<std::mutex> lock(mutex);

		return *get(reader);
	}

	/*
	 * Up to max by read(reader, n so far, room, &got, &error); fewer: the
	 * end, or, if some is enough, a failure that the next call tells.
	 */
	template <typename Read> size_t fill(size_t max, bool some, Read read)
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

				err = read(reader, n, room, &got, &error);
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

	/*
	 * All that is left, by more(n so far, room); grow(n) makes room for n
	 * of these, which have so many bytes.
	 */
	template <typename Grow, typename More>
	static size_t fill_all(size_t bytes, const char *what, Grow grow,
			       More more)
	{
		size_t max = 0, n = 0;

		do {
			max += max / 2 + CHUNK;
			check_memory(max, bytes, what);
			grow(max);
			n += more(n, max - n);
		} while (n == max);
		return n;
	}

      private:
	Reader *reader;
	std::mutex mutex;
	py::object source;
};

/* The members of struct ssdpm_trace_counts, in their order. */
using CountNumbers = std::array<uint64_t, 17>;

struct ssdpm_trace_counts trace_counts_from(const CountNumbers &from);

/* drive and trace by their names, counts of its reader, spare_ppm */
using NamesTuple = std::tuple<OptionalText, OptionalText,
			      std::optional<CountNumbers>, uint64_t>;

/* What JSON says of a simulation beside what was simulated. */
class Names
{
      public:
	explicit Names(const NamesTuple &from) : from(from), counts()
	{
		if (std::get<2>(from))
			counts = trace_counts_from(*std::get<2>(from));
	}
	Names(const Names &) = delete;
	Names &operator=(const Names &) = delete;

	template <typename Report> void set(Report *report) const
	{
		report->size = sizeof(*report);
		report->drive = c_str(std::get<0>(from));
		report->trace = c_str(std::get<1>(from));
		report->counts = std::get<2>(from) ? &counts : nullptr;
		report->spare_ppm = std::get<3>(from);
	}

      private:
	const NamesTuple &from;
	struct ssdpm_trace_counts counts;
};

/* The members of struct ssdpm_background_work, in their order. */
using WorkTuple = std::tuple<double, double, double, uint64_t, uint64_t,
			     uint64_t, uint64_t>;

inline struct ssdpm_background_work work_from(const WorkTuple &from)
{
	struct ssdpm_background_work work = {};

	std::tie(work.low_wa, work.nominal_wa, work.high_wa,
		 work.low_ps_per_byte, work.nominal_ps_per_byte,
		 work.high_ps_per_byte, work.power_uw) = from;
	return work;
}

/* What the library found, kept until its JSON is asked for. */
template <typename T> py::bytes kept(const T *found, size_t n = 1)
{
	static_assert(std::is_trivially_copyable<T>::value,
		      "it is copied byte by byte");
	return py::bytes((const char *)found, n * sizeof(T));
}

/* What kept() made bytes of; none: nothing was found. */
template <typename T> class Kept
{
      public:
	explicit Kept(const std::optional<py::bytes> &from)
	{
		if (!from)
			return;
		const std::string_view bytes = *from;

		found.resize(bytes.size() / sizeof(T));
		if (!found.empty())
			memcpy(found.data(), bytes.data(),
			       found.size() * sizeof(T));
	}

	const T *get() const
	{
		return found.empty() ? nullptr : found.data();
	}

	size_t size() const
	{
		return found.size();
	}

      private:
	std::vector<T> found;
};

/* kind, index, provenance, low, nominal, high, rule */
using ParameterTuple = std::tuple<uint32_t, uint32_t, uint32_t, uint64_t,
				  uint64_t, uint64_t, std::string>;
using ParameterTuples = std::vector<ParameterTuple>;
using Parameters = std::vector<struct ssdpm_parameter>;

Parameters parameters_from(const ParameterTuples &from);
py::list parameter_list(const struct ssdpm_parameter *parameters, size_t n);

/* Runs that are filled, and an array of them. */
struct ssdpm_run empty_run();
py::array run_array(const struct ssdpm_run *runs, size_t n);

/* What Python makes an Estimate and a Saving of. */
py::tuple result_tuple(const struct ssdpm_result &result,
		       const struct ssdpm_sim *sim,
		       const py::object &changes = py::none());
py::tuple saving_tuple(const struct ssdpm_saving &saving);
/* None for NULL. */
py::object likely_tuple(const struct ssdpm_likely *likely);
/* The members of struct ssdpm_prediction in their order. */
py::tuple prediction_tuple(const struct ssdpm_prediction &prediction);

/* struct ssdpm_sim_params with all that it points to. */
class SimParams
{
      public:
	SimParams(const ParameterTuples &from, const ApstTable *apst,
		  uint32_t lpm, uint32_t loop, uint32_t flags,
		  uint32_t operational_state, uint64_t interval_ns,
		  uint32_t pcie_link);
	SimParams(const SimParams &) = delete;
	SimParams &operator=(const SimParams &) = delete;

	const struct ssdpm_sim_params *get() const
	{
		return &params;
	}

      private:
	struct ssdpm_sim_params params;
	Parameters parameters;
	struct ssdpm_apst table;
};

using Times = py::array_t<int64_t, py::array::c_style>;

/* What ssdpm/measure/ has checked: one dimension, no gaps; kept alive. */
class Samples
{
      public:
	Samples(const py::array &power_w, const std::optional<Times> &time_ns,
		int64_t start_ns, double interval_ns)
	    : power_w(power_w), time_ns(time_ns), view()
	{
		view.power_w = power_w.data();
		view.time_ns = time_ns ? time_ns->data() : nullptr;
		view.n = (size_t)power_w.size();
		view.start_ns = start_ns;
		view.interval_ns = interval_ns;
		view.type = power_w.itemsize() == sizeof(float) ?
				    SSDPM_SAMPLE_FLOAT32 :
				    SSDPM_SAMPLE_FLOAT64;
	}

	const struct ssdpm_samples *get() const
	{
		return &view;
	}

      private:
	py::array power_w;
	std::optional<Times> time_ns;
	struct ssdpm_samples view;
};

/* The files beside measure.cpp define these; add_measure() calls them. */
void add_power(py::module_ &module);
void add_calibrate(py::module_ &module);
void add_background(py::module_ &module);
void add_consistency(py::module_ &module);
void add_trial(py::module_ &module);

/* The order is that of the structures; ssdpm/measure/survey/ has the names. */
py::tuple survey_summary(const struct ssdpm_survey_summary &found);
py::tuple survey_merged(const struct ssdpm_survey_merged &found);

/* Of n policies. */
py::tuple survey_analysis(const struct ssdpm_survey_analysis &found, size_t n);

/* Of survey-file.cpp; add_survey() calls it. */
void add_survey_file(py::module_ &module);

#endif
