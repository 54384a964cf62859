/* SPDX-License-Identifier: MIT */
/* Waiting for a moment, or for somebody who wants it to end. */
#ifndef SSDPM_COMMAND_SURVEY_CLOCK_H
#define SSDPM_COMMAND_SURVEY_CLOCK_H

#include "command.h"

#define SECOND_NS INT64_C(1000000000)

/*
 * SIGINT, SIGTERM, SIGHUP and SIGQUIT are waited for from now on, but for those
 * that nohup(1) and shells have it ignore.
 */
enum exit_status catch_signals(void);

/* They do what they did before. */
void release_signals(void);

/* The first that came; 0: none. */
int caught_signal(void);

/* Of that, if one came: whoever called the command is to know. */
void die_of_signal(void);

/* CLOCK_BOOTTIME, which goes on while the machine is suspended. */
int64_t survey_now_ns(void);

/* How long it has been suspended since it was booted. */
int64_t suspended_ns(void);

/* Until then; returns early where a signal came: caught_signal() has it. */
void wait_until(int64_t boottime_ns);

/* Until there is something to read, or a signal came (false). */
bool wait_for_input(int fd);

#endif
