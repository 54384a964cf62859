/* SPDX-License-Identifier: MIT */
/* Print all that is said of a machine: print-machine ROOT. */
#include <ssdpm.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ssdpm_error error;

/* What none of these calls may fail with, on any machine. */
static void check(int err, const char *what)
{
	if (!err)
		return;
	printf("%s: %s\n", what, error.message);
	exit(1);
}

static void print_diagnosis(const struct ssdpm_diagnosis *diagnosis)
{
	printf("  %s, %s: %s\n", ssdpm_severity_to_string(diagnosis->severity),
	       ssdpm_diagnosis_code_to_string(diagnosis->code),
	       diagnosis->message);
	if (diagnosis->advice[0])
		printf("    %s\n", diagnosis->advice);
}

static void print_device(struct ssdpm_device *device,
			 const struct ssdpm_machine_facts *machine,
			 const struct ssdpm_catalogue *catalogue)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	struct ssdpm_diagnosis *diagnoses;
	struct ssdpm_model *model = NULL;
	struct ssdpm_apst table;
	size_t n;
	int no_table;

	printf("%s: %s %s\n", facts->name, facts->product, facts->firmware);
	if (ssdpm_device_read_model(device, 0, catalogue, &model, &error))
		printf("  model: %s\n", error.message);
	no_table = ssdpm_device_read_apst(device, &table, &error);
	if (no_table)
		printf("  table: %s\n", error.message);
	check(ssdpm_device_diagnose(device, machine, model,
				    no_table ? NULL : &table, &diagnoses, &n,
				    &error),
	      "diagnosis");
	for (size_t i = 0; i < n; i++)
		print_diagnosis(&diagnoses[i]);
	free(diagnoses);
	ssdpm_model_unref(model);
}

static void print_owners(struct ssdpm_machine *machine)
{
	struct ssdpm_owner *owners;
	size_t n;

	check(ssdpm_machine_read_owners(machine, &owners, &n, &error),
	      "owners");
	for (size_t i = 0; i < n; i++)
		printf("%s: %s:%u: %s\n",
		       ssdpm_owner_kind_to_string(owners[i].kind),
		       owners[i].path, owners[i].line, owners[i].setting);
	free(owners);
}

static void print_meters(struct ssdpm_machine *machine)
{
	struct ssdpm_meter *meters;
	size_t n;

	check(ssdpm_machine_read_meters(machine, &meters, &n, &error),
	      "meters");
	for (size_t i = 0; i < n; i++)
		printf("%s %s: %s%s\n",
		       ssdpm_meter_kind_to_string(meters[i].kind),
		       meters[i].name, meters[i].path,
		       meters[i].readable ? "" : " (not readable)");
	free(meters);
}

int main(int argc, char **argv)
{
	struct ssdpm_machine_params params = { .size = sizeof(params) };
	struct ssdpm_machine_facts facts = { .size = sizeof(facts) };
	struct ssdpm_catalogue *catalogue;
	struct ssdpm_machine *machine;
	struct ssdpm_device **devices;
	size_t n;

	if (argc != 2)
		return 2;
	params.root = argv[1];
	check(ssdpm_machine_new(&params, &machine, &error), argv[1]);
	check(ssdpm_machine_read_facts(machine, &facts, &error), "facts");
	check(ssdpm_catalogue_new(NULL, 0, &catalogue, &error), "catalogue");
	check(ssdpm_device_list_read(machine, &devices, &n, &error), "devices");
	for (size_t i = 0; i < n; i++)
		print_device(devices[i], &facts, catalogue);
	print_owners(machine);
	print_meters(machine);
	ssdpm_device_list_free(devices, n);
	ssdpm_catalogue_unref(catalogue);
	ssdpm_machine_unref(machine);
	return 0;
}
