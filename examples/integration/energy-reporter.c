/* SPDX-License-Identifier: MIT */
/* What the profile auto saves on each drive, and delays. argv[1]: a capture. */
#include <ssdpm-energy.h>
#include <stdio.h>
#define KILO(n) ((int)((n) / 1000))

static void print_item(const struct ssdpm_energy_report_item *item)
{
	const struct ssdpm_likely *likely = item->likely;

	if (!likely)
		printf("%s: %s\n", item->drive->name,
		       item->error ? item->message : "stays as it is");
	else
		printf("%s: %s, %d mW (likely %d to %d), %d us\n",
		       item->drive->name,
		       ssdpm_saving_verdict_to_string(likely->verdict),
		       KILO(likely->median_uw), KILO(likely->low_uw),
		       KILO(likely->high_uw), KILO(item->added_mean_ns));
}

int main(int argc, char **argv)
{
	struct ssdpm_energy_report_params wanted = { 0 };
	struct ssdpm_energy_report_item item = { 0 };
	struct ssdpm_energy_report *report = NULL;
	struct ssdpm_machine_params params = { 0 };
	struct ssdpm_machine *machine = NULL;
	struct ssdpm_error error;
	int err, i = 0;

	item.size = sizeof(item);
	wanted.size = sizeof(wanted);
	wanted.flags = SSDPM_SIM_LIKELY;
	params.size = sizeof(params);
	params.root = argc > 1 ? argv[1] : NULL;
	err = ssdpm_machine_new(&params, &machine, &error) ||
	      ssdpm_energy_report_new(machine, &wanted, &report, &error);
	if (err)
		fprintf(stderr, "energy-reporter: %s\n", error.message);
	while (!err && !ssdpm_energy_report_get_item(report, i++, &item))
		print_item(&item);
	ssdpm_energy_report_free(report);
	ssdpm_machine_unref(machine);
	return err;
}
