/* SPDX-License-Identifier: MIT */
#include "service.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <systemd/sd-daemon.h>

enum { IDLE_S = 10, FAILED = 1, USAGE = 2 };

void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	/* The journal takes a level; others have no use for it. */
	fputs(getenv("JOURNAL_STREAM") ? SD_WARNING : "ssdpmd: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
}

static void log_warning(void *userdata, uint32_t level, const char *message)
{
	(void)userdata;
	(void)level;
	say("%s", message);
}

/* Busy with a commit, a retry, or a waiting caller. */
static bool is_busy(const struct service *service)
{
	return service->run || service->retry || service->n_calls ||
	       service->n_next_calls || has_questions(service);
}

void leave(struct service *service)
{
	service->is_leaving = true;
	if (!service->run)
		sd_event_exit(service->event, 0);
}

/* The next call starts it again. */
static int on_idle(sd_event_source *source, uint64_t now_us, void *userdata)
{
	struct service *service = userdata;

	(void)source;
	(void)now_us;
	if (is_busy(service)) {
		stay_awake(service);
		return 0;
	}
	sd_notify(0, "STOPPING=1");
	sd_bus_release_name(service->bus, SSDPMD_NAME);
	/* Answer the calls that have arrived. */
	while (sd_bus_process(service->bus, NULL) > 0)
		;
	leave(service);
	return 0;
}

/* Other events than calls only reach a service that stays. */
static bool is_needed(const struct service *service)
{
	return service->stays ||
	       service->state.intent_flags &
		       (SSDPM_INTENT_BY_SOURCE | SSDPM_INTENT_BY_DESKTOP);
}

void stay_awake(struct service *service)
{
	const uint64_t span_us = UINT64_C(1000000) * IDLE_S;

	service->idle = sd_event_source_disable_unref(service->idle);
	if (is_needed(service))
		return;
	sd_event_add_time_relative(service->event, &service->idle,
				   CLOCK_MONOTONIC, span_us, 0, on_idle,
				   service);
}

static int on_signal(sd_event_source *source,
		     const struct signalfd_siginfo *info, void *userdata)
{
	(void)source;
	(void)info;
	leave(userdata);
	return 0;
}

static int watch_signals(struct service *service)
{
	static const int signals[] = { SIGTERM, SIGINT };
	sigset_t mask;
	int err = 0;

	/* A closed pipe must not end it during a commit. */
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&mask);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	for (size_t i = 0; err >= 0 && i < 2; i++)
		err = sd_event_add_signal(service->event, NULL, signals[i],
					  on_signal, service);
	return err < 0 ? err : 0;
}

static int open_machine(struct service *service)
{
	const struct ssdpm_machine_params params = {
		.size = sizeof(params),
		.root = service->root,
		.log_fn = log_warning,
	};
	struct ssdpm_error error;

	if (!ssdpm_machine_new(&params, &service->machine, &error))
		return 0;
	say("%s", error.message);
	return error.code;
}

static int fail(int err, const char *what)
{
	if (err < 0)
		say("%s: %s", what, ssdpm_strerror(err));
	return err < 0 ? err : 0;
}

static int join_bus(struct service *service)
{
	int err = fail(sd_bus_open_system(&service->bus), "the system bus");

	/*
	 * Without the bus the service gets no events; exit, to be started
	 * again.
	 */
	if (!err)
		err = fail(sd_bus_set_exit_on_disconnect(service->bus, true),
			   "the system bus");
	if (!err)
		err = fail(sd_bus_attach_event(service->bus, service->event,
					       SD_EVENT_PRIORITY_NORMAL),
			   "the system bus");
	if (!err)
		err = fail(add_machine_object(service), SSDPMD_PATH);
	if (!err)
		err = fail(add_drive_objects(service), SSDPMD_DRIVES);
	if (!err)
		err = fail(sd_bus_request_name(service->bus, SSDPMD_NAME, 0),
			   SSDPMD_NAME);
	return err;
}

/* If a source of events fails, the service continues with the others. */
static int begin(struct service *service)
{
	struct state state;
	int err = open_machine(service);

	if (!err)
		err = fail(sd_event_default(&service->event), "sd-event");
	if (!err)
		err = fail(watch_signals(service), "signals");
	if (!err)
		err = fail(read_state(service, &state), "the drives");
	if (err)
		return err;
	service->state = state;
	err = join_bus(service);
	if (err)
		return err;
	if (!service->root)
		fail(watch_uevents(service), "uevents of the kernel");
	fail(watch_files(service), "files of ssdpm.conf(5)");
	fail(watch_desktop(service), "services on the bus");
	return fail(begin_runs(service), "the first run");
}

/* A run in progress ends by itself. */
static void end(struct service *service)
{
	if (service->run)
		waitpid(service->run, NULL, 0);
	sd_event_source_disable_unref(service->idle);
	sd_event_source_disable_unref(service->retry);
	free_state(&service->state);
	forget_savings(service);
	forget_desktop(service);
	forget_files(service);
	sd_bus_flush_close_unref(service->bus);
	sd_event_unref(service->event);
	ssdpm_machine_unref(service->machine);
	free(service->failure);
	free(service->calls);
	free(service->next_calls);
}

static void print_help(void)
{
	puts("Usage: ssdpmd [OPTION]...\n\n"
	     "Keep the power policy of the drives as ssdpm.conf(5) asks for, "
	     "and serve\norg.ssdpm1 on the system bus.\n\n"
	     "      --root DIR   a capture in the place of this machine\n"
	     "      --stay       do not end when nobody needs it\n"
	     "  -h, --help       print this help, and end\n"
	     "      --version    print the version, and end\n\n"
	     "Examples:\n"
	     "  ssdpmd --stay\n\n"
	     "See ssdpmd(8).");
}

enum { OPTION_ROOT = 256, OPTION_STAY, OPTION_VERSION };

/* 0: continue; 1: done; -EINVAL: after a message. */
static int parse_options(int argc, char **argv, struct service *service)
{
	static const struct option options[] = {
		{ "root", required_argument, NULL, OPTION_ROOT },
		{ "stay", no_argument, NULL, OPTION_STAY },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, OPTION_VERSION },
		{ 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1)
		switch (option) {
		case OPTION_ROOT:
			service->root = optarg;
			break;
		case OPTION_STAY:
			service->stays = true;
			break;
		case 'h':
			print_help();
			return 1;
		case OPTION_VERSION:
			printf("ssdpmd %s\n", ssdpm_version());
			return 1;
		default:
			return -EINVAL;
		}
	if (optind == argc)
		return 0;
	say("unexpected operand '%s'; see ssdpmd --help", argv[optind]);
	return -EINVAL;
}

int main(int argc, char **argv)
{
	struct service service = { .uevents = -1, .run_pipe = -1 };
	int err = parse_options(argc, argv, &service);

	if (err)
		return err < 0 ? USAGE : 0;
	err = begin(&service);
	if (!err) {
		sd_notify(0, "READY=1");
		stay_awake(&service);
		err = sd_event_loop(service.event);
	}
	end(&service);
	return err ? FAILED : 0;
}
