/* SPDX-License-Identifier: MIT */
/* <ssdpm/energy/watch.h> */
#include "observation.h"

#include <ssdpm/energy/watch.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Drives that are watched, and the observation that it feeds; threads take
 * turns. */
class Watch
{
      public:
	Watch(const Machine &machine, Observation &observation)
	    : observation(observation)
	{
		struct ssdpm_error error = {};

		if (closing < 0) {
			error.code = -errno;
			snprintf(error.message, sizeof(error.message),
				 "eventfd: %s", strerror(errno));
			raise_error(error, false);
		}
		if (ssdpm_watch_new(machine.get(), observation.get(), &watch,
				    &error)) {
			::close(closing);
			raise_error(error, false);
		}
	}
	~Watch()
	{
		ssdpm_watch_free(watch);
		::close(closing);
	}
	Watch(const Watch &) = delete;
	Watch &operator=(const Watch &) = delete;

	void add_drive(const Device &device, const Model &model,
		       const SimParams &sim_params)
	{
		struct ssdpm_observed_params params = {};

		params.size = sizeof(params);
		params.model = model.get();
		params.sim_params = sim_params.get();
		feed([&](struct ssdpm_error *error) {
			return ssdpm_watch_add_drive(watch, device.get(),
						     &params, error);
		});
	}

	void begin()
	{
		feed([&](struct ssdpm_error *error) {
			return ssdpm_watch_begin(watch, nullptr, error);
		});
	}

	/* At most, before the next step. */
	uint32_t wait_ms()
	{
		uint32_t ms = 0;

		call([&](struct ssdpm_error *) {
			ms = ssdpm_watch_get_wait_ms(watch);
			return 0;
		});
		return ms;
	}

	/* Until there is text, or for this time; a signal and close() end it,
	 * too. Meanwhile other calls do not wait. */
	void wait(int timeout_ms)
	{
		bool is_closed = false;

		without_gil([&](struct ssdpm_error *) {
			std::lock_guard<std::mutex> waits(waiting);
			struct pollfd fds[] = { { -1, POLLIN, 0 },
						{ closing, POLLIN, 0 } };

			{
				std::lock_guard<std::mutex> lock(mutex);

				is_closed = !watch;
				if (watch)
					fds[0].fd = ssdpm_watch_get_fd(watch);
			}
			if (!is_closed)
				poll(fds, 2, timeout_ms);
			return 0;
		});
		if (is_closed)
			throw py::value_error("the watch is closed");
		if (PyErr_CheckSignals())
			throw py::error_already_set();
	}

	uint64_t step()
	{
		uint64_t now_ns = 0;

		feed([&](struct ssdpm_error *error) {
			return ssdpm_watch_step(watch, &now_ns, error);
		});
		return now_ns;
	}

	void finish()
	{
		feed([&](struct ssdpm_error *error) {
			return ssdpm_watch_finish(watch, error);
		});
	}

	bool is_gone(size_t drive)
	{
		uint32_t flags = 0;

		call([&](struct ssdpm_error *) {
			flags = ssdpm_watch_get_flags(watch, drive);
			return 0;
		});
		return flags & SSDPM_WATCH_GONE;
	}

	uint64_t lost()
	{
		uint64_t n = 0;

		call([&](struct ssdpm_error *error) {
			return ssdpm_watch_read_lost(watch, &n, error);
		});
		return n;
	}

	/* No other call may follow: they raise ValueError. */
	void close()
	{
		without_gil([&](struct ssdpm_error *) {
			eventfd_write(closing, 1);
			/* Nobody may wait for a file that is closed. */
			std::lock_guard<std::mutex> waits(waiting);
			std::lock_guard<std::mutex> lock(mutex);

			watch = ssdpm_watch_free(watch);
			return 0;
		});
	}

      private:
	template <typename Call> void call(Call function)
	{
		bool is_closed = false;

		without_gil([&](struct ssdpm_error *error) {
			std::lock_guard<std::mutex> lock(mutex);

			is_closed = !watch;
			return is_closed ? 0 : function(error);
		});
		if (is_closed)
			throw py::value_error("the watch is closed");
	}

	/* With the observation, too. */
	template <typename Call> void feed(Call function)
	{
		call([&](struct ssdpm_error *error) {
			std::lock_guard<std::mutex> lock(observation.mutex);

			return function(error);
		});
	}

	Observation &observation;
	struct ssdpm_watch *watch = nullptr;
	std::mutex mutex;
	std::mutex waiting; /* taken before the other one */
	const int closing = eventfd(0, EFD_CLOEXEC);
};

void add_watch(py::module_ &module)
{
	py::class_<Watch>(module, "Watch")
		.def(py::init<const Machine &, Observation &>(),
		     py::keep_alive<1, 3>())
		.def("add_drive", &Watch::add_drive)
		.def("begin", &Watch::begin)
		.def("wait_ms", &Watch::wait_ms)
		.def("wait", &Watch::wait)
		.def("step", &Watch::step)
		.def("finish", &Watch::finish)
		.def("is_gone", &Watch::is_gone)
		.def("lost", &Watch::lost)
		.def("close", &Watch::close);
}
