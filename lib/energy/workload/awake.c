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

uint32_t ssdpm__awake_take(struct awake *awake, const struct ssdpm_io *io)
{
	uint64_t base_ns = awake->base_ns[io->op - 1u], wait_ns = 0, end_ns;
	uint32_t service_ns;

	if (io->flags & SSDPM_IO_CONTINUED)
		return io->service_ns;
	if (!awake->begun)
		awake->until_ns = io->start_ns;
	awake->begun = true;
	if (io->start_ns > awake->until_ns) {
		wait_ns = wake_ns(awake, io->start_ns - awake->until_ns);
		awake->ready_ns = later(io->start_ns, wait_ns);
	} else if (awake->ready_ns > io->start_ns) {
		wait_ns = awake->ready_ns - io->start_ns;
	}
	service_ns = ssdpm__awake_service(base_ns, io->service_ns, wait_ns);
	end_ns = later(later(io->start_ns, wait_ns),
		       service_ns == SSDPM_SERVICE_UNKNOWN ? base_ns :
							     service_ns);
	if (end_ns > awake->until_ns)
		awake->until_ns = end_ns;
	return service_ns;
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
		ios[i].service_ns = ssdpm__awake_take(trace->awake, &ios[i]);
}
