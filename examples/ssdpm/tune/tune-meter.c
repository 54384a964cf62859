/* SPDX-License-Identifier: MIT */
/* Which meter sees the drives, and how often it measures. */
#include "tune/trial.h"

#include "options/numbers.h"
#include "text/progress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A meter is looked at for so many seconds, until it has changed so often. */
enum { LEAST_READINGS = 30, MOST_READINGS = 180, ENOUGH_NEW = 4 };

/* Blocks of 30 s have three updates of a meter that is faster. */
#define SLOW_NS (10 * (uint64_t)SECOND_NS)

static bool is_psys(const struct ssdpm_meter *meter)
{
	return !strcmp(meter->name, "psys");
}

static enum exit_status find_named(struct ssdpm_machine *machine,
				   const char *name,
				   struct ssdpm_meter *ret_meter)
{
	struct ssdpm_sampler *sampler;
	struct ssdpm_error error;

	if (ssdpm_machine_find_meter(machine, name, ret_meter, &error))
		return complain_of_device(NULL, &error);
	if (ret_meter->kind == SSDPM_METER_RAPL && !is_psys(ret_meter)) {
		complain("not supported by %s: this zone of RAPL does not see "
			 "drives",
			 ret_meter->name);
		return STATUS_DEVICE_CANNOT;
	}
	if (ssdpm_sampler_new(machine, ret_meter, &sampler, &error))
		return complain_of_device(NULL, &error);
	ssdpm_sampler_free(sampler);
	return STATUS_DONE;
}

bool has_trial_meter(const struct live *live)
{
	struct ssdpm_meter meter;

	return !ssdpm_machine_find_meter(live->machine, "machine", &meter,
					 NULL);
}

enum exit_status find_trial_meter(const struct live *live, const char *name,
				  struct ssdpm_meter *ret_meter)
{
	struct ssdpm_error error;

	if (name)
		return find_named(live->machine, name, ret_meter);
	if (!ssdpm_machine_find_meter(live->machine, "machine", ret_meter,
				      &error))
		return STATUS_DONE;
	complain("no meter sees the drives: %s",
		 error.code == -EBUSY ? "unplug the adapter, or name a meter "
					"with --meter" :
					"name one with --meter; ssdpm show "
					"lists meters");
	return STATUS_DEVICE_CANNOT;
}

enum exit_status find_update(struct trial_setup *setup)
{
	struct ssdpm_reading reading = { .size = sizeof(reading) };
	const int64_t begin_ns = survey_now_ns();
	uint64_t n = 0, n_same = 0;
	struct progress progress;
	struct ssdpm_error error;

	setup->interval_ns = SECOND_NS;
	progress_begin(&progress, setup->common, setup->meter.name, -1);
	while (n < LEAST_READINGS ||
	       (n < MOST_READINGS && n - n_same < ENOUGH_NEW)) {
		wait_until(begin_ns + (int64_t)n * setup->interval_ns);
		if (caught_signal())
			return STATUS_FAILED;
		if (ssdpm_sampler_read(setup->sampler, &reading, &error)) {
			progress_clear();
			return complain_of_device(NULL, &error);
		}
		n++;
		n_same += reading.flags & SSDPM_READING_SAME ? 1 : 0;
		progress_show(&progress, "how often it measures");
	}
	progress_clear();
	setup->update_ns = reading.update_ns;
	if (setup->update_ns > SLOW_NS && !setup->common->quiet)
		remark("%s has a new value each %s: a trial may take longer",
		       setup->meter.name, time_text(setup->update_ns).text);
	if (setup->update_ns)
		return STATUS_DONE;
	complain("not supported by %s: it read the same %llu times",
		 setup->meter.name, (unsigned long long)n);
	return STATUS_DEVICE_CANNOT;
}
