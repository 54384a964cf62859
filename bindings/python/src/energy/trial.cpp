/* SPDX-License-Identifier: MIT */
/* <ssdpm/energy/trial.h> */
#include "energy.h"

#include <array>

#include <pybind11/stl.h>

/* A trial; threads take turns. */
class Trial
{
      public:
	/* The members of struct ssdpm_trial_params in their order. */
	explicit Trial(const std::array<uint64_t, 6> &from)
	{
		struct ssdpm_trial_params params = {};
		struct ssdpm_error error = {};

		params.size = sizeof(params);
		params.seed = from[0];
		params.update_ns = from[1];
		params.response_ns = from[2];
		params.block_ns = from[3];
		params.limit_ns = from[4];
		params.likely_uw = from[5];
		if (ssdpm_trial_new(&params, &trial, &error))
			raise_error(error, false);
	}
	~Trial()
	{
		ssdpm_trial_free(trial);
	}
	Trial(const Trial &) = delete;
	Trial &operator=(const Trial &) = delete;

	py::tuple next(int64_t now_ns)
	{
		struct ssdpm_trial_block block = {};

		block.size = sizeof(block);
		call([&](struct ssdpm_error *error) {
			return ssdpm_trial_next(trial, now_ns, &block, error);
		});
		return py::make_tuple(block.index, block.start_ns,
				      block.count_ns, block.end_ns,
				      block.setting);
	}

	void feed(int64_t time_ns, double power_w)
	{
		call([&](struct ssdpm_error *error) {
			return ssdpm_trial_feed(trial, time_ns, power_w, error);
		});
	}

	py::tuple state()
	{
		struct ssdpm_trial_state state = {};

		state.size = sizeof(state);
		call([&](struct ssdpm_error *error) {
			return ssdpm_trial_get_state(trial, &state, error);
		});
		return py::make_tuple(state.n_pairs, state.max_pairs,
				      state.saving_w, state.low_w, state.high_w,
				      state.resolvable_w, state.decision);
	}

      private:
	template <typename Call> void call(Call function)
	{
		without_gil([&](struct ssdpm_error *error) {
			std::lock_guard<std::mutex> lock(mutex);

			return function(error);
		});
	}

	struct ssdpm_trial *trial;
	std::mutex mutex;
};

void add_trial(py::module_ &module)
{
	module.attr("TRIAL_SETTINGS") = words(&ssdpm_trial_setting_to_string);
	module.attr("TRIAL_DECISIONS") = words(&ssdpm_trial_decision_to_string);
	py::class_<Trial>(module, "Trial")
		.def(py::init<const std::array<uint64_t, 6> &>())
		.def("next", &Trial::next)
		.def("feed", &Trial::feed)
		.def("state", &Trial::state);
}
