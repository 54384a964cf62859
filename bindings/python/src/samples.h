/* SPDX-License-Identifier: MIT */
/* What measure.cpp and the files beside it share. */
#ifndef SSDPM_BINDING_SAMPLES_H
#define SSDPM_BINDING_SAMPLES_H

#include "common.h"

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

/* Call the library without the GIL. */
template <typename Call> void without_gil(Call call)
{
	struct ssdpm_error error = {};
	int err;
	{
		py::gil_scoped_release release;

		err = call(&error);
	}
	if (err)
		raise_error(error, false);
}

/* Of the files beside measure.cpp; add_measure() calls them. */
void add_power(py::module_ &module);
void add_calibration(py::module_ &module);
void add_background(py::module_ &module);
void add_consistency(py::module_ &module);

#endif
