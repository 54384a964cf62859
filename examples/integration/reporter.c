/* SPDX-License-Identifier: MIT */
/* A line for each drive: policy, verdict, remedy. argv[1]: a capture. */
#include <ssdpm.h>
#include <stdio.h>

static void print_item(const struct ssdpm_report_item *item)
{
	const char *remedy = NULL;

	if (item->reason)
		remedy = ssdpm_remedy_to_string(item->reason->remedy);
	printf("%s: %s, %s, %s%s\n", item->name,
	       *item->policy ? item->policy : "-",
	       item->error ? item->message :
			     ssdpm_diagnosis_code_to_string(item->verdict),
	       remedy ? remedy : "-", item->risk ? ", data at risk" : "");
}

int main(int argc, char **argv)
{
	struct ssdpm_machine_params params = { 0 };
	struct ssdpm_machine *machine = NULL;
	struct ssdpm_report *report = NULL;
	struct ssdpm_report_item item = { 0 };
	struct ssdpm_error error;
	int err;

	params.size = sizeof(params);
	params.root = argc > 1 ? argv[1] : NULL;
	item.size = sizeof(item);
	err = ssdpm_machine_new(&params, &machine, &error) ||
	      ssdpm_report_new(machine, NULL, &report, &error);
	if (err)
		fprintf(stderr, "reporter: %s\n", error.message);
	for (int i = 0; !err && !ssdpm_report_get_item(report, i, &item); i++)
		print_item(&item);
	ssdpm_report_free(report);
	ssdpm_machine_unref(machine);
	return err;
}
