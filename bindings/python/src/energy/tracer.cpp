/* SPDX-License-Identifier: MIT */
/* <ssdpm/energy/tracer.h> */
#include "energy.h"

#include <ssdpm/energy/tracer.h>

#include <pybind11/stl.h>

#include <poll.h>

#include <memory>
#include <mutex>

#define TEXT_BYTES ((size_t)64 << 10)

/* (part, major, minor, name) */
using DiskTuple = std::tuple<uint32_t, uint32_t, uint32_t, std::string>;

/* An instance of tracefs; threads take turns. */
class Tracer
{
      public:
	explicit Tracer(const std::vector<DiskTuple> &tuples)
	{
		std::vector<struct ssdpm_disk> disks;
		std::vector<const char *> events;
		struct ssdpm_tracer_params params = {};

		for (const auto &[part, major, minor, name] : tuples) {
			struct ssdpm_disk disk = {};

			disk.part = part;
			disk.major = major;
			disk.minor = minor;
			name.copy(disk.name, sizeof(disk.name) - 1);
			disks.push_back(disk);
		}
		while (const char *event =
			       ssdpm_observation_get_event(events.size()))
			events.push_back(event);
		params.size = sizeof(params);
		params.disks = disks.data();
		params.n_disks = disks.size();
		params.events = events.data();
		params.n_events = events.size();
		without_gil([&](struct ssdpm_error *error) {
			return ssdpm_tracer_new(&params, &tracer, error);
		});
	}
	~Tracer()
	{
		ssdpm_tracer_free(tracer);
	}
	Tracer(const Tracer &) = delete;
	Tracer &operator=(const Tracer &) = delete;

	py::bytes format(size_t event)
	{
		char *text = nullptr;

		call([&](struct ssdpm_error *error) {
			return ssdpm_tracer_read_format(tracer, event, &text,
							error);
		});
		const std::unique_ptr<char, Free> owner(text);

		return py::bytes(text);
	}

	/* Until there is text, or for this time; a signal ends it, too. */
	void wait(int timeout_ms)
	{
		call([&](struct ssdpm_error *) {
			struct pollfd fd = { ssdpm_tracer_get_fd(tracer),
					     POLLIN, 0 };

			poll(&fd, 1, timeout_ms);
			return 0;
		});
		if (PyErr_CheckSignals())
			throw py::error_already_set();
	}

	/* Nothing: there is none now. */
	py::bytes read()
	{
		std::string text(TEXT_BYTES, '\0');
		size_t n = 0;

		call([&](struct ssdpm_error *error) {
			return ssdpm_tracer_read(tracer, text.data(),
						 text.size(), &n, error);
		});
		return py::bytes(text.data(), n);
	}

	uint64_t lost()
	{
		uint64_t n = 0;

		call([&](struct ssdpm_error *error) {
			return ssdpm_tracer_read_lost(tracer, &n, error);
		});
		return n;
	}

	/* No other call may follow: they raise ValueError. */
	void close()
	{
		without_gil([&](struct ssdpm_error *) {
			std::lock_guard<std::mutex> lock(mutex);

			tracer = ssdpm_tracer_free(tracer);
			return 0;
		});
	}

      private:
	template <typename Call> void call(Call function)
	{
		bool is_closed = false;

		without_gil([&](struct ssdpm_error *error) {
			std::lock_guard<std::mutex> lock(mutex);

			is_closed = !tracer;
			return is_closed ? 0 : function(error);
		});
		if (is_closed)
			throw py::value_error("the watch is closed");
	}

	struct ssdpm_tracer *tracer = nullptr;
	std::mutex mutex;
};

static py::list disks(const Machine &machine, const Device &device)
{
	struct ssdpm_disk *found = nullptr;
	py::list result;
	size_t n = 0;

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_device_read_disks(machine.get(), device.get(),
					       &found, &n, error);
	});
	const std::unique_ptr<struct ssdpm_disk, Free> owner(found);

	for (size_t i = 0; i < n; i++)
		result.append(py::make_tuple(found[i].part, found[i].major,
					     found[i].minor, found[i].name));
	return result;
}

void add_tracer(py::module_ &module)
{
	module.attr("DISK_PARTS") = words(&ssdpm_disk_part_to_string);
	module.def("disks", &disks);
	py::class_<Tracer>(module, "Tracer")
		.def(py::init<const std::vector<DiskTuple> &>())
		.def("format", &Tracer::format)
		.def("wait", &Tracer::wait)
		.def("read", &Tracer::read)
		.def("lost", &Tracer::lost)
		.def("close", &Tracer::close);
}
