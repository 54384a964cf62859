/* SPDX-License-Identifier: MIT */
/* What the profile for the battery saves beyond what tune sets. */
#include "tune/tune.h"

#include "options/advised.h"
#include "options/numbers.h"

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

/* Those of several drives are a sum: see total_of(). */
static void add_gain(struct saver *saver,
		     const struct ssdpm_energy_report_item *item)
{
	const struct ssdpm_likely *likely = item->likely;

	if (!likely)
		return;
	saver->likely.verdict =
		saver->n++ ? SSDPM_SAVING_PROBABLY_SAVES : likely->verdict;
	saver->likely.low_uw += likely->low_uw;
	saver->likely.median_uw += likely->median_uw;
	saver->likely.high_uw += likely->high_uw;
}

void find_saver(struct tuning *tuning,
		const struct ssdpm_energy_report_params *params)
{
	struct ssdpm_profile_settings settings = { .size = sizeof(settings) };
	struct ssdpm_energy_report_params profile = *params;
	struct ssdpm_energy_report_item item = { .size = sizeof(item) };
	struct ssdpm_machine *machine = tuning->live->machine;
	struct ssdpm_energy_report *report;
	struct ssdpm_meter battery;

	if (ssdpm_machine_find_meter(machine, "battery", &battery, NULL) ||
	    !read_saver(machine, &settings))
		return;
	profile.settings = &settings;
	profile.patience = 0;
	profile.flags = SSDPM_SIM_LIKELY;
	if (ssdpm_energy_report_new(machine, &profile, &report, NULL))
		return;
	for (size_t i = 0; !ssdpm_energy_report_get_item(report, i, &item); i++)
		add_gain(&tuning->saver, &item);
	ssdpm_energy_report_free(report);
}

/* What tune sets holds on AC and on battery alike. */
void write_saver(FILE *file, const struct tuning *tuning)
{
	const struct ssdpm_likely *likely = &tuning->saver.likely;
	int64_t gain_uw = likely->median_uw;

	for (size_t i = 0; i < tuning->n; i++)
		if (is_to_set(&tuning->items[i]))
			gain_uw -= best_saving_uw(&tuning->items[i]);
	if (gain_uw <= 0 || !ssdpm_saving_verdict_saves(likely->verdict))
		return;
	fputs("More on battery, beyond these limits: ", file);
	/* It is against today, and not against what tune sets. */
	if (!tuning->n_changes)
		fprintf(file, "power-saver %s.\nTo see it: ",
			saving_text(likely).text);
	fputs("ssdpm plan -p auto --both-sources -t", file);
	write_word(file, tuning->workload);
	write_root(file, tuning->live->root);
	putc('\n', file);
}
