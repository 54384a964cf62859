/* SPDX-License-Identifier: MIT */
/*
 * One run serves many events, in its own process. A port may take seconds to
 * come back, and the bus must not wait for it.
 */
#include "service.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Reports each device that could not be set; waiting callers get the first one.
 */
static void say_failures(const struct ssdpm_plan *plan)
{
	struct ssdpm_step step = { .size = sizeof(step) };

	for (size_t i = 0; !ssdpm_plan_get_step(plan, i, &step); i++)
		if (step.state == SSDPM_STEP_FAILED)
			say("%s: %s", step.device, step.why);
}

/* Adds the settings of the files, for the state of the machine at that time. */
static int fill_intent(struct ssdpm_plan *plan, void *userdata,
		       struct ssdpm_error *reterr)
{
	const struct service *service = userdata;
	struct ssdpm_intent *intent;
	int err = ssdpm_intent_read(service->machine, &intent, reterr);

	if (err)
		return err;
	err = ssdpm_plan_add_intent(plan, NULL, NULL, intent, NULL, reterr);
	ssdpm_intent_free(intent);
	return err;
}

static int fill_revert(struct ssdpm_plan *plan, void *userdata,
		       struct ssdpm_error *reterr)
{
	(void)userdata;
	return ssdpm_plan_add_revert(plan, reterr);
}

/* Allows commands to drives if the settings need them; 0: they do not. */
static uint32_t find_read_flags(const struct service *service)
{
	struct ssdpm_intent *intent;
	uint32_t flags;

	/* The run itself reports a fault in a file. */
	if (ssdpm_intent_read(service->machine, &intent, NULL))
		return 0;
	flags = ssdpm_intent_get_flags(intent);
	ssdpm_intent_free(intent);
	return flags & SSDPM_INTENT_BY_COMMAND ? SSDPM_READ_COMMANDS : 0;
}

static int apply(struct service *service, ssdpm_plan_fill_fn fill,
		 struct ssdpm_error *reterr)
{
	const struct ssdpm_plan_params params = {
		.size = sizeof(params),
		.flags = find_read_flags(service),
	};
	struct ssdpm_plan *plan;
	int err = ssdpm_plan_new(service->machine, &params, &plan, reterr);

	if (err)
		return err;
	err = ssdpm_plan_apply(plan, fill, service, reterr);
	if (err)
		say_failures(plan);
	ssdpm_plan_free(plan);
	return err;
}

uint32_t read_source(const struct service *service)
{
	struct ssdpm_machine_facts facts = { .size = sizeof(facts) };

	return ssdpm_machine_read_facts(service->machine, &facts, NULL) ?
		       0 :
		       facts.power_source;
}

/* The source of the run, if it has not changed meanwhile. */
static int run(void *userdata, struct ssdpm_error *reterr)
{
	struct service *service = userdata;
	const uint32_t source = read_source(service);
	int err = 0;

	service->n_runs++;
	if (service->run_reverts)
		err = apply(service, fill_revert, reterr);
	service->run_reverts = false;
	if (!err)
		err = apply(service, fill_intent, reterr);
	service->run_source = read_source(service) == source ? source : 0;
	return err;
}

/*
 * Another process may have served the requests, and would not know of a revert.
 */
static void be_run(struct service *service, int pipe)
{
	struct ssdpm_error error = { 0 };
	int err;

	service->n_runs = 0;
	err = ssdpm_request_serve(service->machine, NULL, run, service, NULL,
				  &error);
	if (service->run_reverts) {
		error = (struct ssdpm_error){ 0 };
		err = run(service, &error);
	}
	if (err)
		say("%s", error.message);
	dprintf(pipe, "%" PRIu64 " %u %s", service->n_runs, service->run_source,
		error.message);
	_exit(err ? 1 : 0);
}

static int on_end(sd_event_source *source, const siginfo_t *info,
		  void *userdata);

/* A run whose end is missed would be the last one. */
static int await_end(struct service *service)
{
	int err = sd_event_add_child(service->event, NULL, service->run,
				     WEXITED, on_end, service);

	if (err >= 0)
		return 0;
	kill(service->run, SIGKILL);
	waitpid(service->run, NULL, 0);
	return err;
}

/* Callers for the next run now wait for this one. */
static void take_calls(struct service *service)
{
	service->calls = service->next_calls;
	service->n_calls = service->n_next_calls;
	service->next_calls = NULL;
	service->n_next_calls = 0;
}

static int start(struct service *service)
{
	int pipes[2], err;

	if (pipe2(pipes, O_CLOEXEC))
		return -errno;
	service->run_again = false;
	service->retry = sd_event_source_disable_unref(service->retry);
	service->run_reverts = service->reverts;
	service->run = fork();
	if (!service->run)
		be_run(service, pipes[1]);
	err = service->run < 0 ? -errno : 0;
	close(pipes[1]);
	if (!err)
		err = await_end(service);
	if (err) {
		close(pipes[0]);
		service->run = 0;
		return err;
	}
	service->reverts = false;
	service->run_pipe = pipes[0];
	take_calls(service);
	return 0;
}

/* Without memory, there is no text. */
static void set_failure(struct service *service, const char *text)
{
	char *old = service->failure;

	service->failure_is_new = strcmp(old ? old : "", text) != 0;
	service->failure = strdup(text);
	free(old);
}

static void answer_calls(struct service *service)
{
	for (size_t i = 0; i < service->n_calls; i++) {
		answer(service, service->calls[i]);
		sd_bus_message_unref(service->calls[i]);
	}
	free(service->calls);
	service->calls = NULL;
	service->n_calls = 0;
}

static int request_run(struct service *service, struct ssdpm_error *error)
{
	int err = ssdpm_request_add(service->machine, NULL, error);

	if (err)
		return err;
	if (service->run) {
		service->run_again = true;
		return 0;
	}
	err = start(service);
	if (err)
		snprintf(error->message, sizeof(error->message), "%s",
			 ssdpm_strerror(err));
	return err;
}

static int on_retry(sd_event_source *source, uint64_t now_us, void *userdata);

/*
 * A temporary cause may end soon, or within a minute; then only events retry.
 */
static void plan_retry(struct service *service)
{
	static const uint64_t after_s[] = { 5, 60 };
	const size_t n = sizeof(after_s) / sizeof(after_s[0]);

	if (service->n_retries < n && !service->retry)
		sd_event_add_time_relative(
			service->event, &service->retry, CLOCK_MONOTONIC,
			UINT64_C(1000000) * after_s[service->n_retries++], 0,
			on_retry, service);
}

static int try_run(struct service *service)
{
	struct ssdpm_error error;
	int err = request_run(service, &error);

	if (err) {
		say("%s", error.message);
		plan_retry(service);
	}
	return err;
}

static int on_retry(sd_event_source *source, uint64_t now_us, void *userdata)
{
	struct service *service = userdata;

	(void)source;
	(void)now_us;
	service->retry = sd_event_source_disable_unref(service->retry);
	try_run(service);
	return 0;
}

int notice(struct service *service)
{
	if (service->is_leaving)
		return 0;
	service->n_retries = 0;
	return try_run(service);
}

/* Tells waiting callers that there is no run. */
static void start_or_fail(struct service *service)
{
	int err = start(service);

	if (!err)
		return;
	set_failure(service, ssdpm_strerror(err));
	take_calls(service);
	answer_calls(service);
	plan_retry(service);
}

static void take_result(struct service *service, const siginfo_t *info)
{
	char text[48 + sizeof(((struct ssdpm_error *)0)->message)] = "";
	ssize_t n = read(service->run_pipe, text, sizeof(text) - 1);
	const char *failure;
	uint32_t run_source;
	uint64_t n_runs;
	char *end;

	close(service->run_pipe);
	service->run_pipe = -1;
	text[n > 0 ? n : 0] = 0;
	n_runs = strtoull(text, &end, 10);
	run_source = (uint32_t)strtoul(end, &end, 10);
	failure = end + (*end == ' ');
	if (!*failure && (info->si_code != CLD_EXITED || info->si_status))
		failure = "the run ended early";
	/* Another process has served; the failure here may persist. */
	if (!n_runs && !*failure)
		return;
	service->n_runs += n_runs;
	/* After a failure, any source leads to a new run. */
	service->run_source = *failure ? 0 : run_source;
	set_failure(service, failure);
}

static bool has_failure(const struct service *service)
{
	return service->failure && *service->failure;
}

/*
 * The source changed during the run, perhaps without an event, because firmware
 * can miss one.
 */
static bool was_for_other_source(const struct service *service)
{
	return service->failure && !*service->failure &&
	       service->run_source != service->state.power_source;
}

/* A service that leaves still answers waiting callers. */
static void go_on(struct service *service)
{
	if (service->run_again &&
	    (!service->is_leaving || service->n_next_calls))
		start_or_fail(service);
	else if (was_for_other_source(service))
		notice(service);
	else if (has_failure(service) && !*service->state.fault)
		plan_retry(service);
	if (service->is_leaving && !service->run)
		sd_event_exit(service->event, 0);
}

static int on_end(sd_event_source *source, const siginfo_t *info,
		  void *userdata)
{
	struct service *service = userdata;
	struct state state;

	(void)source;
	service->run = 0;
	take_result(service, info);
	if (!read_state(service, &state))
		tell_state(service, &state);
	answer_calls(service);
	go_on(service);
	stay_awake(service);
	return 0;
}

int answer_later(struct service *service, sd_bus_message *call,
		 struct ssdpm_error *error)
{
	sd_bus_message **more =
		realloc(service->next_calls,
			(service->n_next_calls + 1) * sizeof(*more));

	int err;

	*error = (struct ssdpm_error){ .message = "out of memory" };
	if (!more)
		return -ENOMEM;
	more[service->n_next_calls++] = sd_bus_message_ref(call);
	service->next_calls = more;
	service->n_retries = 0;
	err = request_run(service, error);
	if (!err)
		return 0;
	service->n_next_calls--;
	sd_bus_message_unref(call);
	plan_retry(service);
	return err;
}
