/* SPDX-License-Identifier: MIT */
/* What the profile for the battery saves beyond what tune sets. */
#include "tune/tune.h"

#include "options/advised.h"
#include "options/numbers.h"

#include <string.h>

/* The files of this machine may have a power-saver of their own. */
static bool read_saver(struct ssdpm_machine *machine,
		       struct ssdpm_profile_settings *ret_saver)
{
	struct ssdpm_intent *intent;
	bool found;

	if (ssdpm_intent_read(machine, &intent, NULL))
		return false;
	found = !ssdpm_intent_get_settings(intent, "auto", SSDPM_SOURCE_BATTERY,
					   ret_saver, NULL);
	ssdpm_intent_free(intent);
	return found;
}

static bool is_asked(const struct tuning *tuning, const char *name)
{
	for (size_t i = 0; i < tuning->n; i++)
		if (!strcmp(tuning->items[i].drive->name, name))
			return true;
	return false;
}

void find_saver(struct tuning *tuning,
		const struct ssdpm_energy_report_params *params)
{
	struct ssdpm_profile_settings settings = { .size = sizeof(settings) };
	struct ssdpm_energy_report_params profile = *params;
	struct ssdpm_energy_report_item item = { .size = sizeof(item) };
	struct ssdpm_machine *machine = tuning->live->machine;
	struct ssdpm_energy_report *report;
	const struct ssdpm_diagnosis *finding;
	struct ssdpm_meter battery;
	const char *name;

	/* With another table the drive saves that much already. */
	if (tuning->n_changes || count_rebuilds(tuning, &name, &finding) ||
	    ssdpm_machine_find_meter(machine, "battery", &battery, NULL) ||
	    !read_saver(machine, &settings))
		return;
	tuning->saver.size = sizeof(tuning->saver);
	profile.settings = &settings;
	profile.patience = 0;
	profile.flags = SSDPM_SIM_LIKELY;
	if (ssdpm_energy_report_new(machine, &profile, &report, NULL))
		return;
	for (size_t i = 0; !ssdpm_energy_report_get_item(report, i, &item); i++)
		if (item.likely && is_asked(tuning, item.drive->name))
			ssdpm_total_add_likely(&tuning->saver, item.likely,
					       NULL);
	ssdpm_energy_report_free(report);
}

/* What tune sets holds on AC and on battery alike. */
void write_saver(FILE *file, const struct tuning *tuning)
{
	if (!ssdpm_saving_verdict_saves(tuning->saver.verdict) ||
	    tuning->n_changes)
		return;
	fprintf(file,
		"More on battery, beyond these limits: power-saver %s.\n"
		"To see it: ssdpm plan -p auto --both-sources -t",
		total_text(&tuning->saver).text);
	write_word(file, tuning->workload);
	write_root(file, tuning->live->root);
	for (size_t i = 0; tuning->named && i < tuning->n; i++)
		write_word(file, tuning->items[i].drive->name);
	putc('\n', file);
}
