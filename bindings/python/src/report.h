/* SPDX-License-Identifier: MIT */
/* What the files share that ask <ssdpm/energy/json.h> for an object. */
#ifndef SSDPM_BINDING_REPORT_H
#define SSDPM_BINDING_REPORT_H

#include "common.h"

#include <cstring>
#include <tuple>
#include <type_traits>

/* The members of struct ssdpm_trace_counts, in their order. */
using CountNumbers = std::array<uint64_t, 12>;

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

#endif
