/* SPDX-License-Identifier: MIT */
/* <ssdpm/energy/observe.h>, which a watch feeds, too. */
#ifndef SSDPM_PYTHON_OBSERVATION_H
#define SSDPM_PYTHON_OBSERVATION_H

#include "energy.h"

#include <pybind11/stl.h>
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>

/* An observation; threads take turns. */
class Observation
{
      public:
	Observation()
	{
		struct ssdpm_error error = {};

		if (ssdpm_observation_new(&observation, &error))
			raise_error(error, false);
	}
	~Observation()
	{
		ssdpm_observation_free(observation);
	}
	Observation(const Observation &) = delete;
	Observation &operator=(const Observation &) = delete;

	void add_drive(const Model &model, const SimParams &sim_params,
		       uint32_t major, uint32_t minor, uint32_t ctrl_id)
	{
		struct ssdpm_observed_params params = {};

		params.size = sizeof(params);
		params.model = model.get();
		params.sim_params = sim_params.get();
		params.major = major;
		params.minor = minor;
		params.ctrl_id = ctrl_id;
		call([&](struct ssdpm_error *error) {
			return ssdpm_observation_add_drive(observation, &params,
							   error);
		});
	}

	void add_partition(size_t drive, uint32_t major, uint32_t minor)
	{
		call([&](struct ssdpm_error *error) {
			return ssdpm_observation_add_partition(
				observation, drive, major, minor, error);
		});
	}

	void set_format(const py::bytes &format)
	{
		const std::string_view text = format;

		call([&](struct ssdpm_error *error) {
			return ssdpm_observation_set_format(
				observation, text.data(), text.size(), error);
		});
	}

	/* A piece at a time, so that a signal is heard. */
	void feed(const py::bytes &source)
	{
		std::string_view left = source;

		while (!left.empty()) {
			size_t n = std::min(left.size(), (size_t)1 << 20);

			call([&](struct ssdpm_error *error) {
				return ssdpm_observation_feed(
					observation, left.data(), n, error);
			});
			if (PyErr_CheckSignals())
				throw py::error_already_set();
			left.remove_prefix(n);
		}
	}

	void advance(uint64_t now_ns)
	{
		call([&](struct ssdpm_error *error) {
			return ssdpm_observation_advance(observation, now_ns,
							 error);
		});
	}

	void finish(uint64_t end_ns)
	{
		call([&](struct ssdpm_error *error) {
			return ssdpm_observation_finish(observation, end_ns,
							error);
		});
	}

	py::tuple counts()
	{
		struct ssdpm_observation_counts counts = {};

		call([&](struct ssdpm_error *) {
			counts = *ssdpm_observation_get_counts(observation);
			return 0;
		});
		return py::make_tuple(counts.n_lines, counts.n_events,
				      counts.n_bad, counts.n_lost,
				      counts.n_unmatched, counts.n_orphans,
				      counts.unknown_bytes, counts.n_clipped);
	}

	/* None: unknown. */
	static std::optional<uint64_t> admin(uint64_t n)
	{
		return n == SSDPM_ADMIN_UNKNOWN ? std::nullopt :
						  std::optional(n);
	}

	/* The members of struct ssdpm_observed in their order. */
	py::tuple drive(size_t drive)
	{
		struct ssdpm_observed found = {};

		found.size = sizeof(found);
		call([&](struct ssdpm_error *error) {
			return ssdpm_observation_get_drive(observation, drive,
							   &found, error);
		});
		return py::make_tuple(
			found.start_ns, found.now_ns, found.phase, found.state,
			found.busy_ns, found.idle_ns, found.asleep_ns,
			found.transition_ns, found.n_ios, found.bytes,
			found.n_wakes, found.n_delayed, found.delay_sum_ns,
			admin(found.n_admin), found.energy_nj, found.resting_nj,
			found.n_causes, found.uncovered_ns,
			found.n_uncovered_ios);
	}

	/* All of them, as of one time. */
	py::list causes(size_t drive)
	{
		std::vector<struct ssdpm_cause> found;
		py::list result;

		call([&](struct ssdpm_error *error) {
			return read_causes(drive, found, error);
		});
		for (const struct ssdpm_cause &cause : found)
			result.append(py::make_tuple(
				cause.kind, cause.pid, text_from(cause.name),
				cause.n_ios, cause.bytes, cause.n_wakes,
				admin(cause.n_admin), cause.energy_nj));
		return result;
	}

	/* The members of struct ssdpm_without in their order. */
	py::tuple without(size_t drive, size_t cause)
	{
		struct ssdpm_without found = {};

		found.size = sizeof(found);
		call([&](struct ssdpm_error *error) {
			return ssdpm_observation_get_without(
				observation, drive, cause, &found, error);
		});
		return py::make_tuple(
			found.from_ns, found.until_ns, found.energy_nj,
			found.asleep_ns, found.n_wakes, found.without_energy_nj,
			found.without_asleep_ns, found.without_n_wakes,
			found.uncovered_ns);
	}

	std::string policy(size_t drive)
	{
		char *text = nullptr;

		call([&](struct ssdpm_error *error) {
			return ssdpm_observation_get_policy(observation, drive,
							    &text, error);
		});
		const std::unique_ptr<char, decltype(&free)> owned(text, &free);
		return text;
	}

	/* The members of struct ssdpm_help in their order. */
	py::list help(size_t drive)
	{
		struct ssdpm_help *found = nullptr;
		py::list result;
		size_t n = 0;

		call([&](struct ssdpm_error *error) {
			return ssdpm_observation_list_help(observation, drive,
							   &found, &n, error);
		});
		const std::unique_ptr<struct ssdpm_help, decltype(&free)> owned(
			found, &free);
		for (size_t i = 0; i < n; i++)
			result.append(py::make_tuple(
				found[i].kind, found[i].cause,
				found[i].period_ns, found[i].interval_ns,
				found[i].from_ns, found[i].until_ns,
				found[i].saving_low_nj, found[i].saving_high_nj,
				found[i].n_wakes));
		return result;
	}

	/* (start_ns, end_ns, phase, state) of each. */
	py::list intervals(size_t drive)
	{
		struct Told told;
		py::list result;

		call([&](struct ssdpm_error *error) {
			return ssdpm_observation_replay(
				observation, drive, &add_change, &told, error);
		});
		if (told.out_of_memory)
			throw std::bad_alloc();
		for (size_t i = 1; i < told.changes.size(); i++) {
			const struct Change &one = told.changes[i - 1];

			/* A gap follows. */
			if (one.phase == SSDPM_PHASE_END)
				continue;
			result.append(py::make_tuple(one.time_ns,
						     told.changes[i].time_ns,
						     one.phase, one.state));
		}
		return result;
	}

	py::str to_json(size_t drive, const std::string &name)
	{
		return written([&](char **text, struct ssdpm_error *error) {
			std::lock_guard<std::mutex> lock(mutex);

			return ssdpm_observation_to_json(
				observation, drive, name.c_str(), text, error);
		});
	}

	py::str interval_to_json(size_t drive, const std::string &name)
	{
		return written([&](char **text, struct ssdpm_error *error) {
			std::lock_guard<std::mutex> lock(mutex);

			return ssdpm_observation_interval_to_json(
				observation, drive, name.c_str(), text, error);
		});
	}

	/* As prediction_tuple() has it. */
	py::tuple prediction(size_t drive)
	{
		struct ssdpm_prediction found = {};

		found.size = sizeof(found);
		call([&](struct ssdpm_error *error) {
			return ssdpm_observation_get_prediction(
				observation, drive, &found, error);
		});
		return prediction_tuple(found);
	}

	/* The caller has the mutex. */
	struct ssdpm_observation *get()
	{
		return observation;
	}

	std::mutex mutex;

      private:
	struct Change {
		uint64_t time_ns;
		uint32_t phase;
		uint32_t state;
	};
	struct Told {
		std::vector<Change> changes;
		bool out_of_memory = false;
	};

	/* The library calls this without the GIL; it must not throw. */
	static void add_change(void *userdata, uint64_t time_ns, uint32_t phase,
			       uint32_t state)
	{
		Told *told = (Told *)userdata;

		try {
			told->changes.push_back({ time_ns, phase, state });
		} catch (const std::bad_alloc &) {
			told->out_of_memory = true;
		}
	}

	template <typename Call> void call(Call function)
	{
		without_gil([&](struct ssdpm_error *error) {
			std::lock_guard<std::mutex> lock(mutex);

			return function(error);
		});
	}

	int read_causes(size_t drive, std::vector<struct ssdpm_cause> &found,
			struct ssdpm_error *error)
	{
		struct ssdpm_observed all = {};

		all.size = sizeof(all);
		int err = ssdpm_observation_get_drive(observation, drive, &all,
						      error);
		for (size_t i = 0; !err && i < all.n_causes; i++) {
			struct ssdpm_cause cause = {};

			cause.size = sizeof(cause);
			err = ssdpm_observation_get_cause(observation, drive, i,
							  &cause, error);
			found.push_back(cause);
		}
		return err;
	}

	struct ssdpm_observation *observation = nullptr;
};

#endif
