/* SPDX-License-Identifier: MIT */
/* Writes samples of power as JSON; samples.keys has the keys. */
#include <ssdpm/energy/json.h>

#include <errno.h>
#include <math.h>

#include "base/json-text.h"
#include "samples-json.h"

/* The report, with copies of the caller's structures in this version's size. */
struct known_report {
	struct ssdpm_power_report report;
	struct ssdpm_energy energy;
	struct ssdpm_sampling sampling;
};

static int take(const struct ssdpm_power_report *report,
		struct known_report *known, struct ssdpm_error *reterr)
{
	struct ssdpm_power_report *r = &known->report;
	int err;

	*known = (struct known_report){ .report.counter_j = NAN };
	err = ssdpm__sized_in(r, sizeof(*r), report, "ssdpm_power_report",
			      reterr);
	if (!err && !r->name)
		err = ssdpm__missing("name", reterr);
	if (!err && !r->sampling)
		err = ssdpm__missing("sampling", reterr);
	if (!err)
		err = ssdpm__sized_in(&known->sampling, sizeof(known->sampling),
				      r->sampling, "ssdpm_sampling", reterr);
	if (!err)
		err = ssdpm__sized_in(&known->energy, sizeof(known->energy),
				      r->energy, "ssdpm_energy", reterr);
	r->sampling = &known->sampling;
	r->energy = r->energy ? &known->energy : NULL;
	return err;
}

static int finish(void (*write)(struct json_writer *w,
				const struct ssdpm_power_report *report),
		  const struct ssdpm_power_report *report, char **ret_text,
		  struct ssdpm_error *reterr)
{
	struct json_writer w = { 0 };

	ssdpm__json_begin(&w, NULL, '{');
	write(&w, report);
	ssdpm__json_end(&w, '}');
	return ssdpm__json_finish(&w, ret_text, reterr);
}

int ssdpm_power_report_energy_to_json(const struct ssdpm_power_report *report,
				      char **ret_text,
				      struct ssdpm_error *reterr)
{
	struct known_report known;
	int err = take(report, &known, reterr);

	if (!err && !known.report.counts)
		err = ssdpm__missing("counts", reterr);
	if (!err && !known.report.energy)
		err = ssdpm__missing("energy", reterr);
	return err ? err :
		     finish(write_energy, &known.report, ret_text, reterr);
}

/* Writes one of the two reports that require a baseline. */
static int write_with_baseline(
	void (*write)(struct json_writer *w,
		      const struct ssdpm_power_report *report),
	const struct ssdpm_power_report *report, char **ret_text,
	struct ssdpm_error *reterr)
{
	struct known_report known;
	int err = take(report, &known, reterr);

	if (!err && !known.report.baseline)
		err = ssdpm__missing("baseline", reterr);
	if (!err && known.report.n_activities && !known.report.activities)
		err = ssdpm__missing("activities", reterr);
	return err ? err : finish(write, &known.report, ret_text, reterr);
}

int ssdpm_power_report_baseline_to_json(const struct ssdpm_power_report *report,
					char **ret_text,
					struct ssdpm_error *reterr)
{
	return write_with_baseline(write_baseline, report, ret_text, reterr);
}

int ssdpm_power_report_background_to_json(
	const struct ssdpm_power_report *report, char **ret_text,
	struct ssdpm_error *reterr)
{
	return write_with_baseline(write_background, report, ret_text, reterr);
}
