/* SPDX-License-Identifier: MIT */
#include "workload/awake.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "common/device-number.h"

/* "sleep AT RESIDENT EXIT", each step after the one before. */
static bool take_step(struct span *text, struct awake *awake)
{
	struct awake_step step;
	uint64_t least = awake->n ? awake->steps[awake->n - 1].resident_ns : 0;

	if (awake->n == AWAKE_MAX_STEPS ||
	    !ssdpm__take_uint(text, UINT64_MAX, &step.at_ns) ||
	    !ssdpm__take_uint(text, UINT64_MAX, &step.resident_ns) ||
	    !ssdpm__take_uint(text, UINT32_MAX, &step.exit_ns) ||
	    step.at_ns < least || step.resident_ns < step.at_ns)
		return false;
	awake->steps[awake->n++] = step;
	return true;
}

bool ssdpm__awake_parse(struct span text, struct awake *ret_awake)
{
	*ret_awake = (struct awake){ 0 };
	if (!ssdpm__take_device(&text, ",", &ret_awake->device) ||
	    !ssdpm__take(&text, "base"))
		return false;
	for (int op = 0; op < SSDPM_N_OPS; op++)
		if (!ssdpm__take_uint(&text, UINT32_MAX,
				      &ret_awake->base_ns[op]))
			return false;
	while (ssdpm__take(&text, "sleep"))
		if (!take_step(&text, ret_awake))
			return false;
	return text.at == text.end;
}

uint32_t ssdpm__awake_service(uint64_t base_ns, uint32_t service_ns,
			      uint64_t wait_ns)
{
	if (service_ns == SSDPM_SERVICE_UNKNOWN || !wait_ns)
		return service_ns;
	if (base_ns > service_ns)
		base_ns = service_ns;
	if (service_ns < wait_ns || service_ns - wait_ns < base_ns)
		return (uint32_t)base_ns;
	return (uint32_t)(service_ns - wait_ns);
}

static uint64_t later(uint64_t time_ns, uint64_t ns)
{
	return time_ns > UINT64_MAX - ns ? UINT64_MAX : time_ns + ns;
}

/* How long the drive takes to wake after an idle time. */
static uint64_t wake_ns(const struct awake *awake, uint64_t idle_ns)
{
	const struct awake_step *step = NULL;

	for (uint32_t i = 0; i < awake->n && idle_ns >= awake->steps[i].at_ns;
	     i++)
		step = &awake->steps[i];
	if (!step)
		return 0;
	if (idle_ns >= step->resident_ns)
		return step->exit_ns;
	return later(step->exit_ns, step->resident_ns - idle_ns);
}

/* A host that waits for an I/O asks for the next one within this time. */
#define ANSWER_NS 10000000
/* More than all waits that make sense; no sum of two overflows. */
#define MOST_LATE_NS (INT64_MAX / 4)

static uint64_t moved(uint64_t time_ns, int64_t ns)
{
	if (ns >= 0)
		return later(time_ns, (uint64_t)ns);
	return time_ns > (uint64_t)-ns ? time_ns - (uint64_t)-ns : 0;
}

/* Moves the start of a record. */
static void answer(struct answers *answers, struct ssdpm_io *io)
{
	const uint64_t start_ns = io->start_ns;

	if (start_ns > later(answers->until_ns, ANSWER_NS)) {
		answers->from_ns = 0;
		answers->late_ns = 0;
	}
	answers->is_answer = start_ns >= answers->from_ns;
	if (answers->is_answer)
		io->start_ns = moved(start_ns, answers->late_ns);
	if (io->start_ns < answers->start_ns)
		io->start_ns = answers->start_ns;
	answers->start_ns = io->start_ns;
	answers->end_ns = start_ns;
	if (io->service_ns != SSDPM_SERVICE_UNKNOWN)
		answers->end_ns = later(start_ns, io->service_ns);
	if (answers->end_ns > answers->until_ns)
		answers->until_ns = answers->end_ns;
}

static void make_late(struct answers *answers, int64_t ns)
{
	if (!answers->is_answer || !ns)
		return;
	answers->from_ns = answers->end_ns;
	answers->late_ns += ns;
	if (answers->late_ns > MOST_LATE_NS)
		answers->late_ns = MOST_LATE_NS;
	if (answers->late_ns < -MOST_LATE_NS)
		answers->late_ns = -MOST_LATE_NS;
}

void ssdpm__awake_delay(struct awake *awake, uint64_t delay_ns)
{
	make_late(&awake->answers,
		  delay_ns < MOST_LATE_NS ? (int64_t)delay_ns : MOST_LATE_NS);
}

/* The wait that a recorded start has; service_ns of the record gets shorter. */
static uint64_t take_wait(struct awake *awake, struct ssdpm_io *io)
{
	const uint64_t base_ns = awake->base_ns[io->op - 1u];
	const uint32_t recorded_ns = io->service_ns;
	uint64_t wait_ns = 0, end_ns;

	if (!awake->begun)
		awake->until_ns = io->start_ns;
	awake->begun = true;
	if (io->start_ns > awake->until_ns) {
		wait_ns = wake_ns(awake, io->start_ns - awake->until_ns);
		awake->ready_ns = later(io->start_ns, wait_ns);
	} else if (awake->ready_ns > io->start_ns) {
		wait_ns = awake->ready_ns - io->start_ns;
	}
	io->service_ns = ssdpm__awake_service(base_ns, recorded_ns, wait_ns);
	end_ns =
		later(later(io->start_ns, wait_ns),
		      io->service_ns == SSDPM_SERVICE_UNKNOWN ? base_ns :
								io->service_ns);
	if (end_ns > awake->until_ns)
		awake->until_ns = end_ns;
	return recorded_ns - io->service_ns;
}

void ssdpm__awake_take(struct awake *awake, struct ssdpm_io *io)
{
	struct ssdpm_io recorded = *io;
	uint64_t waited_ns = 0;

	answer(&awake->answers, io);
	if (!(io->flags & SSDPM_IO_CONTINUED))
		waited_ns = take_wait(awake, &recorded);
	io->service_ns = recorded.service_ns;
	make_late(&awake->answers, -(int64_t)waited_ns);
}

int ssdpm__trace_policy(struct ssdpm_trace *trace, struct span line,
			struct ssdpm_error *reterr)
{
	struct awake awake, *more;

	if (!ssdpm__take(&line, "# policy:"))
		return 0;
	if (!ssdpm__awake_parse(line, &awake))
		return ssdpm__trace_bad(trace, reterr, -EINVAL,
					"the policy cannot be read: expected "
					"DEVICE base and four times, then "
					"sleep and three for each state");
	more = realloc(trace->awakes, (trace->n_awakes + 1) * sizeof(*more));
	if (!more)
		return ssdpm__no_memory(reterr);
	more[trace->n_awakes++] = awake;
	trace->awakes = more;
	trace->awake = NULL;
	return 0;
}

static void find_awake(struct ssdpm_trace *trace)
{
	struct span name = ssdpm__span(trace->device, strlen(trace->device));
	uint64_t device;

	if (!ssdpm__take_device(&name, ",", &device))
		return;
	for (size_t i = 0; i < trace->n_awakes; i++)
		if (trace->awakes[i].device == device)
			trace->awake = &trace->awakes[i];
}

void ssdpm__trace_wake(struct ssdpm_trace *trace, struct ssdpm_io *ios,
		       size_t n)
{
	if (trace->n_awakes && !trace->awake && trace->device)
		find_awake(trace);
	for (size_t i = 0; i < n && trace->awake; i++)
		ssdpm__awake_take(trace->awake, &ios[i]);
}
