/* SPDX-License-Identifier: MIT */
/* One suspend to idle now, with a clock that wakes the machine. */
#include "suspend/suspend.h"
#include "survey/survey.h"
#include "tune/tune.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ALARM "sys/class/rtc/rtc0/wakealarm"
#define CLOCK "sys/class/rtc/rtc0/since_epoch"
/* To fall asleep and to wake takes some of it. */
#define MARGIN_S 10

static enum exit_status complain_of_write(const char *path, int err)
{
	complain("cannot write /%s: %s%s", path, strerror(-err),
		 err == -EACCES || err == -EPERM ? "; run ssdpm as root" : "");
	return status_of_error(err);
}

/* In seconds of the clock; 0: none, or unknown. */
static uint64_t read_clock(const struct live *live, const char *path)
{
	char text[32];

	if (ssdpm_machine_read_attribute(live->machine, path, text,
					 sizeof(text), NULL))
		return 0;
	return strtoull(text, NULL, 10);
}

/* An alarm that somebody has set is set again after the test. */
static enum exit_status find_alarm(const struct suspended *suspended,
				   uint64_t *ret_alarm)
{
	const uint64_t alarm = read_clock(suspended->live, ALARM),
		       now = read_clock(suspended->live, CLOCK),
		       test_s = suspended->options->test_ns /
				(uint64_t)SECOND_NS;

	if (alarm > now && now && alarm - now <= test_s + MARGIN_S)
		return failure("cannot set the alarm of the clock: another one "
			       "goes off in %" PRIu64
			       " s: try a shorter --test, or later",
			       alarm - now);
	/* One that has gone off is of no use to anybody. */
	*ret_alarm = alarm > now ? alarm : 0;
	return STATUS_DONE;
}

/* The evidence of the test stays, even if this fails. */
static void put_back_alarm(const struct live *live, uint64_t alarm)
{
	char text[32] = "0";
	int err = write_attribute(live, ALARM, text);

	snprintf(text, sizeof(text), "%" PRIu64, alarm);
	if (!err && alarm)
		err = write_attribute(live, ALARM, text);
	if (alarm && (err || read_clock(live, CLOCK) >= alarm))
		complain("the alarm of the clock, %s s after 1970, is lost: "
			 "set it again",
			 text);
}

/* The clock counts seconds, and may have gone on to the next. */
enum { ALARM_JITTER_S = 2 };

/* It comes before the alarm: whoever finds it can clear that. */
static int record_alarm(const struct suspended *suspended, int record,
			uint64_t alarm_before)
{
	const uint64_t now = read_clock(suspended->live, CLOCK);

	if (!now)
		return 0;
	return dprintf(record, "alarm %" PRIu64 " %" PRIu64 "\n",
		       now + suspended->options->test_ns / (uint64_t)SECOND_NS,
		       alarm_before) < 0 ?
		       -errno :
		       0;
}

bool undo_alarm(const struct live *live, const char *record)
{
	const char *line = strstr(record, "alarm ");
	const uint64_t now = read_clock(live, CLOCK),
		       alarm = read_clock(live, ALARM);
	uint64_t ours, before;

	if (!line ||
	    sscanf(line, "alarm %" SCNu64 " %" SCNu64, &ours, &before) != 2 ||
	    alarm < ours || alarm > ours + ALARM_JITTER_S)
		return false;
	put_back_alarm(live, before > now ? before : 0);
	return true;
}

/* Whether all can be written, before anybody is asked. */
static enum exit_status check_test(const struct suspended *suspended)
{
	const struct live *live = suspended->live;
	enum exit_status status;
	uint64_t alarm;
	static const char *const paths[] = { ALARM, "sys/power/state" };
	char text[64];

	if (ssdpm_machine_read_attribute(live->machine, "sys/power/mem_sleep",
					 text, sizeof(text), NULL) ||
	    !strstr(text, "s2idle")) {
		complain("not supported by this kernel: /sys/power/mem_sleep "
			 "has no s2idle");
		return STATUS_DEVICE_CANNOT;
	}
	for (size_t i = 0; i < 2; i++)
		if (geteuid())
			return complain_of_write(paths[i], -EACCES);
	if (ssdpm_machine_read_attribute(live->machine, ALARM, text,
					 sizeof(text), NULL)) {
		complain("not supported by this machine: no clock can wake it "
			 "(/" ALARM ")");
		return STATUS_DEVICE_CANNOT;
	}
	/* Its alarm is none of somebody else's. */
	status = undo_killed_test(live);
	return status ? status : find_alarm(suspended, &alarm);
}

static enum exit_status ask(const struct suspended *suspended)
{
	if (suspended->options->yes)
		return STATUS_DONE;
	if (suspended->common->form || !isatty(STDIN_FILENO) ||
	    !isatty(STDOUT_FILENO))
		return usage_error(suspended->common,
				   "--test suspends the machine and has no "
				   "terminal to ask on; try: --yes");
	if (agrees("Suspend this machine now? Save your work first."))
		return STATUS_DONE;
	return failure("nothing was done");
}

/* It returns when the machine has woken. */
static enum exit_status sleep_now(const struct suspended *suspended, int record)
{
	const struct live *live = suspended->live;
	enum exit_status status;
	uint64_t alarm_before;
	char alarm[32];
	int err;

	/* Somebody may have set one since the question. */
	status = find_alarm(suspended, &alarm_before);
	if (status)
		return status;
	snprintf(alarm, sizeof(alarm), "+%" PRIu64,
		 suspended->options->test_ns / (uint64_t)SECOND_NS);
	err = record_alarm(suspended, record, alarm_before);
	if (!err)
		err = write_attribute(live, ALARM, "0");
	if (!err)
		err = write_attribute(live, ALARM, alarm);
	if (err) {
		put_back_alarm(live, alarm_before);
		return complain_of_write(ALARM, err);
	}
	if (!caught_signal())
		err = write_attribute(live, "sys/power/state", "freeze");
	put_back_alarm(live, alarm_before);
	/* A suspend that Linux gave up is evidence, too. */
	if (err && err != -EBUSY)
		return complain_of_write("sys/power/state", err);
	return STATUS_DONE;
}

enum exit_status read_counters(const struct live *live,
			       struct ssdpm_suspend_reading **ret_reading)
{
	struct ssdpm_error error;

	if (ssdpm_machine_read_suspend(live->machine, ret_reading, &error))
		return complain_of_device(NULL, &error);
	return STATUS_DONE;
}

static enum exit_status test_with_messages(struct suspended *suspended)
{
	struct messages messages;
	enum exit_status status, off;

	status = switch_on_messages(suspended->live, &messages);
	if (!status)
		status = read_counters(suspended->live, &suspended->before);
	if (!status)
		status = sleep_now(suspended, messages.record);
	if (!status)
		status = read_counters(suspended->live, &suspended->after);
	off = switch_off_messages(&messages, suspended->after);
	return status ? status : off;
}

enum exit_status test_suspend(struct suspended *suspended)
{
	enum exit_status status = check_test(suspended);

	if (!status)
		status = ask(suspended);
	if (!status)
		status = catch_signals();
	if (status)
		return status;
	status = test_with_messages(suspended);
	release_signals();
	/* Whatever mem_sleep says: freeze is s2idle. */
	suspended->facts.suspend = SSDPM_SUSPEND_S2IDLE;
	die_of_signal();
	return status;
}
