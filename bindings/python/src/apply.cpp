/* SPDX-License-Identifier: MIT */
/* <ssdpm/apply.h>; whatever touches the machine does so without the GIL. */
#include "common.h"

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <pybind11/stl.h>

/* state_timeout_ms and lock_timeout_ms; 0 is the library's. */
using Timeouts = std::pair<uint32_t, uint32_t>;

/* What Python does when the library asks it to, and what that raised. */
struct Work {
	const py::function &function;
	std::exception_ptr raised = nullptr;

	int run(struct ssdpm_error *reterr)
	{
		py::gil_scoped_acquire acquire;

		try {
			function();
			return 0;
		} catch (...) {
			raised = std::current_exception();
		}
		reterr->code = -ECANCELED;
		return -ECANCELED;
	}
};

static struct ssdpm_plan_params plan_params(const OptionalText &directory,
					    const Timeouts &timeouts)
{
	struct ssdpm_plan_params params = {};

	params.size = sizeof(params);
	params.directory = c_str(directory);
	params.state_timeout_ms = timeouts.first;
	params.lock_timeout_ms = timeouts.second;
	return params;
}

static py::object table_or_none(const struct ssdpm_apst &table, bool known)
{
	if (!known)
		return py::none();
	std::unique_ptr<ApstTable> result = std::make_unique<ApstTable>();

	result->table = table;
	return py::cast(std::move(result));
}

/* (state, age_ms, n_undone, n_left_alone, line, reason, stands) */
static py::object journal_or_none(const struct ssdpm_journal &journal)
{
	if (journal.state == SSDPM_JOURNAL_NONE)
		return py::none();
	return py::make_tuple(
		ssdpm_journal_state_to_string(journal.state), journal.age_ms,
		journal.n_undone, journal.n_left_alone,
		journal.line ? py::object(py::int_(journal.line)) :
			       py::object(py::none()),
		text_or_none(journal.reason), journal.stands != 0);
}

static struct ssdpm_intent_params intent_params(
	uint32_t power_source, const OptionalText &desktop_profile)
{
	struct ssdpm_intent_params params = {};

	params.size = sizeof(params);
	params.power_source = power_source;
	params.desktop_profile = c_str(desktop_profile);
	return params;
}

/* A plan, with the machine whose log it calls; threads take turns. */
class Plan
{
      public:
	Plan(const std::shared_ptr<Machine> &machine,
	     const OptionalText &directory, const Timeouts &timeouts,
	     bool strict)
	    : machine(machine), directory(directory)
	{
		struct ssdpm_plan_params params =
			plan_params(directory, timeouts);

		params.flags = strict ? SSDPM_PLAN_STRICT : 0;
		without_gil([&](struct ssdpm_error *error) {
			return ssdpm_plan_new(machine->get(), &params, &plan,
					      error);
		});
	}
	~Plan()
	{
		ssdpm_plan_free(plan);
	}
	Plan(const Plan &) = delete;
	Plan &operator=(const Plan &) = delete;

	void add_latency_tolerance(const Device &device, const Model *model,
				   uint64_t max_exit_latency_us)
	{
		call([&](struct ssdpm_error *error) {
			return ssdpm_plan_add_latency_tolerance(
				plan, device.get(), handle(model),
				max_exit_latency_us, error);
		});
	}

	void add_nvme_core(uint32_t parameter, uint64_t value)
	{
		call([&](struct ssdpm_error *error) {
			return ssdpm_plan_add_nvme_core(plan, parameter, value,
							error);
		});
	}

	void add_apst(const Device &device, const Model *model,
		      const ApstTable &table)
	{
		call([&](struct ssdpm_error *error) {
			return ssdpm_plan_add_apst(plan, device.get(),
						   handle(model), &table.table,
						   error);
		});
	}

	/* No hint: as it is. */
	void add_power_state(const Device &device, const Model *model,
			     uint32_t power_state,
			     const std::optional<uint32_t> &workload_hint)
	{
		call([&](struct ssdpm_error *error) {
			return ssdpm_plan_add_power_state(
				plan, device.get(), handle(model), power_state,
				workload_hint.value_or(
					SSDPM_WORKLOAD_HINT_KEEP),
				error);
		});
	}

	void add_value(const Device &device, const std::string &kind,
		       uint64_t value)
	{
		call([&](struct ssdpm_error *error) {
			return ssdpm_plan_add_value(
				plan, device.get(),
				ssdpm_step_kind_from_string(kind.c_str()),
				value, error);
		});
	}

	void add_link(const Device &device,
		      const std::vector<std::string> &features)
	{
		uint32_t bits = 0;

		for (const std::string &feature : features)
			bits |= ssdpm_pcie_feature_from_string(feature.c_str());
		add_value(device, "pcie-link", bits);
	}

	/* It is the machine's. */
	void add_aspm_policy(uint32_t policy)
	{
		call([&](struct ssdpm_error *error) {
			return ssdpm_plan_add_value(plan, NULL,
						    SSDPM_STEP_ASPM_POLICY,
						    policy, error);
		});
	}

	void add_applied(const Device *device)
	{
		call([&](struct ssdpm_error *error) {
			return ssdpm_plan_add_applied(
				plan, device ? device->get() : NULL, error);
		});
	}

	void add_lpm(const Device &device, const Model *model,
		     const std::vector<uint32_t> &lpms, bool any_port)
	{
		struct ssdpm_lpm_params params = {};

		params.size = sizeof(params);
		params.lpms = lpms.data();
		params.n_lpms = lpms.size();
		params.flags = any_port ? SSDPM_LPM_ANY_PORT : 0;
		call([&](struct ssdpm_error *error) {
			return ssdpm_plan_add_lpm(plan, device.get(),
						  handle(model), &params,
						  error);
		});
	}

	void add_profile(const Device &device, const Model *model,
			 const py::dict &from)
	{
		const struct ssdpm_profile_settings settings =
			settings_from(from);

		call([&](struct ssdpm_error *error) {
			profile = settings;
			return ssdpm_plan_add_profile(plan, device.get(),
						      handle(model), &settings,
						      error);
		});
	}

	void add_profile_all(const py::dict &from)
	{
		const struct ssdpm_profile_settings settings =
			settings_from(from);

		call([&](struct ssdpm_error *error) {
			profile = settings;
			return ssdpm_plan_add_profile(plan, nullptr, nullptr,
						      &settings, error);
		});
	}

	/* Source 0: that of the machine. */
	void add_intent(const Device &device, const Model *model,
			const Intent &intent, uint32_t power_source,
			const OptionalText &desktop_profile)
	{
		const struct ssdpm_intent_params params =
			intent_params(power_source, desktop_profile);

		call([&](struct ssdpm_error *error) {
			return ssdpm_plan_add_intent(
				plan, device.get(), handle(model), intent.get(),
				&params, error);
		});
	}

	void add_intent_all(const Intent &intent, uint32_t power_source,
			    const OptionalText &desktop_profile)
	{
		const struct ssdpm_intent_params params =
			intent_params(power_source, desktop_profile);

		call([&](struct ssdpm_error *error) {
			return ssdpm_plan_add_intent(plan, nullptr, nullptr,
						     intent.get(), &params,
						     error);
		});
	}

	void add_revert()
	{
		call([&](struct ssdpm_error *error) {
			return ssdpm_plan_add_revert(plan, error);
		});
	}

	void lock()
	{
		call([&](struct ssdpm_error *error) {
			return ssdpm_plan_lock(plan, error);
		});
	}

	void unlock()
	{
		call([&](struct ssdpm_error *) {
			ssdpm_plan_unlock(plan);
			return 0;
		});
	}

	py::object journal()
	{
		struct ssdpm_journal journal = {};

		journal.size = sizeof(journal);
		{
			Turn turn(*this);

			if (ssdpm_plan_get_journal(plan, &journal))
				throw std::runtime_error(
					"ssdpm_plan_get_journal");
		}
		return journal_or_none(journal);
	}

	void read()
	{
		call([&](struct ssdpm_error *error) {
			return ssdpm_plan_read(plan, error);
		});
	}

	void commit()
	{
		call([&](struct ssdpm_error *error) {
			int err = ssdpm_plan_read(plan, error);
			bool writes = ssdpm_plan_count(
					      plan, SSDPM_STEPS_PENDING) != 0;

			if (!err)
				err = ssdpm_plan_commit(plan, error);
			if (!err)
				committed = writes;
			return err;
		});
	}

	/* What the caller does to fill it may use the plan. */
	void apply(const py::function &fill)
	{
		struct ssdpm_error error = {};
		Filling filling = { *this, { fill } };
		int err;
		{
			Turn turn(*this);
			py::gil_scoped_release release;

			err = ssdpm_plan_apply(plan, &Plan::fill, &filling,
					       &error);
			/* -ESTALE: it was committed, and then not proven. */
			committed = (!err || err == -ESTALE) &&
				    ssdpm_plan_count(plan, SSDPM_STEPS_WRITTEN);
		}
		if (filling.work.raised)
			std::rethrow_exception(filling.work.raised);
		if (err)
			raise_error(error, false);
	}

	void verify(bool commands)
	{
		call([&](struct ssdpm_error *error) {
			return ssdpm_plan_verify(
				plan, commands ? SSDPM_READ_COMMANDS : 0,
				error);
		});
	}

	void revert()
	{
		call([&](struct ssdpm_error *error) {
			int err = ssdpm_plan_revert(plan, error);

			if (!err)
				committed = false;
			return err;
		});
	}

	bool has_failed(const OptionalText &device)
	{
		Turn turn(*this);

		return ssdpm_plan_has_failed(plan, c_str(device));
	}
	size_t n_planned()
	{
		Turn turn(*this);

		return ssdpm_plan_count(plan, SSDPM_STEPS_PENDING);
	}

	/*
	 * Is there something to revert? Known here, as in Python Ctrl-C may be
	 * raised between a commit and whatever comes next.
	 */
	bool is_committed()
	{
		Turn turn(*this);

		return committed;
	}

	py::list steps();
	py::list tables();
	py::str to_json();

      private:
	/*
	 * The plan is this thread's. It is waited for without the GIL, which
	 * the log of whoever has it may want; that log itself may not wait.
	 */
	class Turn
	{
	      public:
		explicit Turn(Plan &plan) : plan(plan), filling(plan.filling)
		{
			if (plan.owner == std::this_thread::get_id()) {
				if (!filling)
					throw std::runtime_error(
						"a log may not use the plan "
						"that calls it");
				plan.filling = false;
				return;
			}
			filling = false;
			py::gil_scoped_release release;
			plan.mutex.lock();
			plan.owner = std::this_thread::get_id();
		}
		~Turn()
		{
			if (filling) {
				plan.filling = true;
				return;
			}
			plan.owner = std::thread::id();
			plan.mutex.unlock();
		}
		Turn(const Turn &) = delete;
		Turn &operator=(const Turn &) = delete;

	      private:
		Plan &plan;
		bool filling; /* its owner fills it, between two calls */
	};

	struct Filling {
		Plan &plan;
		Work work;
	};

	static int fill(struct ssdpm_plan *, void *userdata,
			struct ssdpm_error *reterr)
	{
		Filling &filling = *(Filling *)userdata;
		int err;

		filling.plan.filling = true;
		err = filling.work.run(reterr);
		filling.plan.filling = false;
		return err;
	}

	template <typename Call> void call(Call what)
	{
		struct ssdpm_error error = {};
		int err;
		{
			Turn turn(*this);
			py::gil_scoped_release release;

			err = what(&error);
		}
		if (err)
			raise_error(error, false);
	}

	static struct ssdpm_model *handle(const Model *model)
	{
		return model ? model->get() : nullptr;
	}

	std::shared_ptr<Machine> machine;
	const OptionalText directory;
	std::optional<struct ssdpm_profile_settings> profile; /* asked for */
	struct ssdpm_plan *plan = nullptr;
	bool committed = false;
	std::atomic<bool> filling{ false };
	std::mutex mutex;
	std::atomic<std::thread::id> owner{};
};

/*
 * (max_exit_latency_us, nvme_core, lpm, power_state, workload_hint, nopp,
 * table, pcie_link, queue_depth, d3cold, aspm_policy): None but those of the
 * kind.
 */
static py::object value_or_none(uint32_t kind,
				const struct ssdpm_step_value *value)
{
	py::list result(11);

	if (!value)
		return py::none();
	for (size_t i = 0; i < result.size(); i++)
		result[i] = py::none();
	switch (kind) {
	case SSDPM_STEP_LATENCY_TOLERANCE:
	case SSDPM_STEP_REBUILD:
		result[0] = value->max_exit_latency_us;
		break;
	case SSDPM_STEP_NVME_CORE:
		result[1] = value->nvme_core;
		break;
	case SSDPM_STEP_LPM:
		result[2] = ssdpm_lpm_to_string(value->lpm);
		break;
	case SSDPM_STEP_POWER_STATE:
		result[3] = value->power_state;
		if (value->workload_hint != SSDPM_WORKLOAD_HINT_KEEP)
			result[4] = value->workload_hint;
		break;
	case SSDPM_STEP_NOPP:
		result[5] = value->nopp != 0;
		break;
	case SSDPM_STEP_PCIE_LINK:
		result[7] = value->pcie_link != 0;
		break;
	case SSDPM_STEP_QUEUE_DEPTH:
		result[8] = value->queue_depth;
		break;
	case SSDPM_STEP_D3COLD:
		result[9] = value->d3cold != 0;
		break;
	case SSDPM_STEP_ASPM_POLICY:
		result[10] = ssdpm_aspm_policy_to_string(value->aspm_policy);
		break;
	default:
		result[6] = table_or_none(value->table, true);
	}
	return py::tuple(result);
}

/*
 * [(kind, state, flags, device, target, before, after, why, warning, parameter,
 * before_value, after_value, origin), ...]
 */
py::list Plan::steps()
{
	Turn turn(*this);
	size_t n = ssdpm_plan_count(plan, SSDPM_STEPS_ALL);
	py::list result;

	for (size_t i = 0; i < n; i++) {
		struct ssdpm_step step = {};

		step.size = sizeof(step);
		if (ssdpm_plan_get_step(plan, i, &step))
			throw std::runtime_error("ssdpm_plan_get_step");
		result.append(py::make_tuple(
			ssdpm_step_kind_to_string(step.kind),
			ssdpm_step_state_to_string(step.state),
			bit_words(&ssdpm_step_flag_to_string, step.flags),
			text_or_none(step.device), path_or_none(step.target),
			text_or_none(step.before), text_or_none(step.after),
			text_or_none(step.why), text_or_none(step.warning),
			step.kind == SSDPM_STEP_NVME_CORE ?
				py::object(py::str(ssdpm_nvme_core_to_string(
					step.parameter))) :
				py::object(py::none()),
			value_or_none(step.kind, step.before_value),
			value_or_none(step.kind, step.after_value),
			text_or_none(step.origin)));
	}
	return result;
}

/* [(device, provenance, before, after, built), ...] */
py::list Plan::tables()
{
	Turn turn(*this);
	struct ssdpm_planned_table table = {};
	py::list result;

	table.size = sizeof(table);
	while (!ssdpm_plan_get_table(plan, result.size(), &table))
		result.append(py::make_tuple(
			text_or_none(table.device),
			ssdpm_provenance_to_string(table.provenance),
			table_or_none(table.before,
				      table.known & SSDPM_TABLE_BEFORE),
			table_or_none(table.after,
				      table.known & SSDPM_TABLE_AFTER),
			table_or_none(table.built,
				      table.known & SSDPM_TABLE_BUILT)));
	return result;
}

/* A journal that the plan has undone, or one that stands. */
py::str Plan::to_json()
{
	const struct ssdpm_plan_params params =
		plan_params(directory, { 0, 0 });
	struct ssdpm_journal journal = {};
	struct ssdpm_object object = {};
	struct ssdpm_error error = {};
	int err = 0;

	Turn turn(*this);

	journal.size = sizeof(journal);
	if (ssdpm_plan_get_journal(plan, &journal) ||
	    journal.state != SSDPM_JOURNAL_UNDONE) {
		py::gil_scoped_release release;

		err = ssdpm_journal_read(machine->get(), &params, &journal,
					 &error);
	}
	if (err)
		raise_error(error, false);
	object.plan = plan;
	object.journal = &journal;
	object.profile = profile ? &*profile : nullptr;
	return object_json(object, SSDPM_OBJECT_PLAN);
}

/* None, or (code, remedy, changes) */
static py::object reason_or_none(const struct ssdpm_diagnosis *reason)
{
	if (!reason)
		return py::none();
	return py::make_tuple(ssdpm_diagnosis_code_to_string(reason->code),
			      ssdpm_remedy_to_string(reason->remedy),
			      change_list(reason->changes, reason->n_changes));
}

/*
 * [(name, product, policy, verdict, message, reason, changes, error, risk),
 * ...]
 */
static py::list report(const Machine &machine, const py::dict &from)
{
	const struct ssdpm_profile_settings settings = settings_from(from);
	struct ssdpm_report_item item = {};
	struct ssdpm_report *made = nullptr;
	py::list result;

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_report_new(machine.get(), &settings, &made, error);
	});
	const std::unique_ptr<struct ssdpm_report, decltype(&ssdpm_report_free)>
		memory(made, &ssdpm_report_free);
	item.size = sizeof(item);
	for (size_t i = 0; !ssdpm_report_get_item(made, i, &item); i++)
		result.append(py::make_tuple(
			text_from(item.name), text_or_none(item.product),
			text_or_none(item.policy),
			ssdpm_diagnosis_code_to_string(item.verdict),
			text_from(item.message), reason_or_none(item.reason),
			change_list(item.changes, item.n_changes), item.error,
			item.risk ? ssdpm_diagnosis_code_to_string(
					    item.risk->code) :
				    nullptr));
	return result;
}

static py::object journal_read(const Machine &machine,
			       const OptionalText &directory)
{
	struct ssdpm_plan_params params = plan_params(directory, { 0, 0 });
	struct ssdpm_journal journal = {};

	journal.size = sizeof(journal);
	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_journal_read(machine.get(), &params, &journal,
					  error);
	});
	return journal_or_none(journal);
}

/* address, product, power_state and workload_hint, nopp */
using State = std::pair<uint32_t, uint32_t>;
using Power = std::tuple<std::string, std::string, std::optional<State>,
			 std::optional<bool>>;

/* A text that is too long has no end, which the library refuses. */
template <size_t size>
static void copy_text(char (&to)[size], const std::string &from)
{
	for (size_t i = 0; i < size && i < from.size(); i++)
		to[i] = from[i];
}

static std::vector<struct ssdpm_persist_power> powers_from(
	const std::vector<Power> &from)
{
	std::vector<struct ssdpm_persist_power> result;

	for (const Power &one : from) {
		struct ssdpm_persist_power power = {};

		copy_text(power.address, std::get<0>(one));
		copy_text(power.product, std::get<1>(one));
		if (std::get<2>(one)) {
			power.set |= SSDPM_PERSIST_POWER_STATE;
			power.power_state = std::get<2>(one)->first;
			power.workload_hint = std::get<2>(one)->second;
		}
		if (std::get<3>(one)) {
			power.set |= SSDPM_PERSIST_NOPP;
			power.nopp = *std::get<3>(one);
		}
		result.push_back(power);
	}
	return result;
}

/* The files of a policy that lasts; they never change. */
class Persist
{
      public:
	Persist(uint32_t kind, const std::optional<py::dict> &ac,
		const std::optional<py::dict> &battery,
		const OptionalText &command, const OptionalText &profiles,
		const std::vector<Power> &powers,
		const std::optional<py::dict> &settings, uint32_t flags)
	{
		const std::vector<struct ssdpm_persist_power> lasting =
			powers_from(powers);
		struct ssdpm_profile_settings ac_settings = {};
		struct ssdpm_profile_settings battery_settings = {};
		struct ssdpm_profile_settings both_settings = {};
		struct ssdpm_persist_params params = {};
		struct ssdpm_error error = {};

		params.size = sizeof(params);
		params.kind = kind;
		params.flags = flags;
		params.powers = lasting.data();
		params.n_powers = lasting.size();
		if (ac) {
			ac_settings = settings_from(*ac);
			params.ac = &ac_settings;
		}
		if (battery) {
			battery_settings = settings_from(*battery);
			params.battery = &battery_settings;
		}
		if (settings) {
			both_settings = settings_from(*settings);
			params.settings = &both_settings;
		}
		params.command = c_str(command);
		params.profiles = c_str(profiles);
		if (ssdpm_persist_new(&params, &persist, &error))
			raise_error(error, false);
	}
	~Persist()
	{
		ssdpm_persist_free(persist);
	}
	Persist(const Persist &) = delete;
	Persist &operator=(const Persist &) = delete;

	/* [(path, contents, mode, note), ...] */
	py::list files() const
	{
		struct ssdpm_persist_file file = {};
		py::list result;

		file.size = sizeof(file);
		for (size_t i = 0; !ssdpm_persist_get_file(persist, i, &file);
		     i++)
			result.append(py::make_tuple(path_or_none(file.path),
						     text_from(file.contents),
						     file.mode,
						     text_or_none(file.note)));
		return result;
	}

	void check(const Machine &machine) const
	{
		write_as(machine, SSDPM_PERSIST_CHECK);
	}

	void write(const Machine &machine) const
	{
		write_as(machine, 0);
	}

      private:
	void write_as(const Machine &machine, uint32_t flags) const
	{
		without_gil([&](struct ssdpm_error *error) {
			return ssdpm_persist_write(persist, machine.get(),
						   flags, error);
		});
	}

	struct ssdpm_persist *persist = nullptr;
};

static size_t persist_remove(const Machine &machine, uint32_t kind)
{
	size_t n;

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_persist_remove(machine.get(), kind, &n, error);
	});
	return n;
}

static void add_request(const Machine &machine, const OptionalText &directory)
{
	const struct ssdpm_plan_params params =
		plan_params(directory, { 0, 0 });

	without_gil([&](struct ssdpm_error *error) {
		return ssdpm_request_add(machine.get(), &params, error);
	});
}

static int run_request(void *userdata, struct ssdpm_error *reterr)
{
	return ((Work *)userdata)->run(reterr);
}

/* How often it was called. */
static size_t serve_requests(const Machine &machine,
			     const OptionalText &directory,
			     const py::function &run)
{
	const struct ssdpm_plan_params params =
		plan_params(directory, { 0, 0 });
	struct ssdpm_error error = {};
	Work work = { run };
	size_t n = 0;
	int err;
	{
		py::gil_scoped_release release;

		err = ssdpm_request_serve(machine.get(), &params, run_request,
					  &work, &n, &error);
	}
	if (work.raised)
		std::rethrow_exception(work.raised);
	if (err)
		raise_error(error, false);
	return n;
}

void add_apply(py::module_ &module)
{
	module.attr("PERSIST_OF_FILES") = SSDPM_PERSIST_OF_FILES;
	module.attr("PERSIST_NAMED_IN_FILES") = SSDPM_PERSIST_NAMED_IN_FILES;
	module.attr("PERSIST_KINDS") = words(&ssdpm_persist_kind_to_string);
	py::class_<Plan>(module, "Plan")
		.def(py::init<const std::shared_ptr<Machine> &,
			      const OptionalText &, const Timeouts &, bool>(),
		     py::arg("machine"), py::arg("directory"),
		     py::arg("timeouts"), py::arg("strict"))
		.def("add_latency_tolerance", &Plan::add_latency_tolerance)
		.def("add_nvme_core", &Plan::add_nvme_core)
		.def("add_apst", &Plan::add_apst)
		.def("add_power_state", &Plan::add_power_state)
		.def("add_value", &Plan::add_value)
		.def("add_link", &Plan::add_link)
		.def("add_aspm_policy", &Plan::add_aspm_policy)
		.def("add_applied", &Plan::add_applied)
		.def("add_lpm", &Plan::add_lpm)
		.def("add_profile", &Plan::add_profile)
		.def("add_profile_all", &Plan::add_profile_all)
		.def("add_intent", &Plan::add_intent)
		.def("add_intent_all", &Plan::add_intent_all)
		.def("add_revert", &Plan::add_revert)
		.def("lock", &Plan::lock)
		.def("unlock", &Plan::unlock)
		.def("journal", &Plan::journal)
		.def("read", &Plan::read)
		.def("commit", &Plan::commit)
		.def("apply", &Plan::apply)
		.def("verify", &Plan::verify)
		.def("revert", &Plan::revert)
		.def("steps", &Plan::steps)
		.def("tables", &Plan::tables)
		.def("to_json", &Plan::to_json)
		.def("has_failed", &Plan::has_failed)
		.def_property_readonly("n_planned", &Plan::n_planned)
		.def_property_readonly("committed", &Plan::is_committed);
	py::class_<Persist>(module, "Persist")
		.def(py::init<uint32_t, const std::optional<py::dict> &,
			      const std::optional<py::dict> &,
			      const OptionalText &, const OptionalText &,
			      const std::vector<Power> &,
			      const std::optional<py::dict> &, uint32_t>(),
		     py::arg("kind"), py::arg("ac"), py::arg("battery"),
		     py::arg("command"), py::arg("profiles"), py::arg("powers"),
		     py::arg("settings"), py::arg("flags"))
		.def("files", &Persist::files)
		.def("check", &Persist::check)
		.def("write", &Persist::write);
	module.def("journal_read", &journal_read);
	module.def("report", &report);
	module.def("add_request", &add_request);
	module.def("serve_requests", &serve_requests);
	module.def("persist_remove", &persist_remove);
}
