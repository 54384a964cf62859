/* SPDX-License-Identifier: MIT */
/* What the profile auto saves on each drive, and delays. argv[1]: a capture. */
#include <inttypes.h>
#include <ssdpm-energy.h>
#include <stdio.h>
#define N "%" PRId64

static void print_item(const struct ssdpm_energy_report_item *item)
{
	const struct ssdpm_likely *likely = item->likely;

	if (item->error)
		printf("%s: %s\n", item->drive->name, item->message);
	else if (!likely)
		printf("%s: stays as it is\n", item->drive->name);
	else
		printf("%s: %s, " N " uW (likely " N " to " N "), " N
		       " ns, p99 " N " ns\n",
		       item->drive->name,
		       ssdpm_saving_verdict_to_string(likely->verdict),
		       likely->median_uw, likely->low_uw, likely->high_uw,
		       item->added_mean_ns, item->added_p99_ns);
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
