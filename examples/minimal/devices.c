/* SPDX-License-Identifier: MIT */
/*
 * The drives of this machine: does each save power, and if not, why?
 *
 * Sends no command to any drive, and needs no root. The argument, if there is
 * one, is a capture of another machine.
 */
#include <ssdpm.h>

#include <stdio.h>
#include <stdlib.h>

static void print_diagnoses(const struct ssdpm_diagnosis *found, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		printf("  %s: %s\n",
		       ssdpm_severity_to_string(found[i].severity),
		       found[i].message);
		if (found[i].remedy)
			printf("    do: %s\n",
			       ssdpm_remedy_to_string(found[i].remedy));
		for (uint32_t j = 0; j < found[i].n_changes; j++)
			printf("    %s = %s\n", found[i].changes[j].target,
			       found[i].changes[j].value);
	}
}

static int diagnose(struct ssdpm_device *device,
		    const struct ssdpm_machine_facts *machine,
		    const struct ssdpm_catalogue *catalogue,
		    struct ssdpm_error *error)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	struct ssdpm_diagnosis_params params;
	struct ssdpm_diagnosis *found;
	struct ssdpm_model *model = NULL;
	struct ssdpm_apst table;
	bool has_table;
	size_t n;
	int err;

	printf("%s: %s\n", facts->name, *facts->product ? facts->product : "-");
	/* A drive that is in no catalogue has a diagnosis too. */
	ssdpm_device_read_model(device, 0, catalogue, &model, NULL);
	/* A capture has its table, of a live drive it takes a command. */
	has_table = machine->capture &&
		    !ssdpm_device_read_apst(device, &table, NULL);
	params = (struct ssdpm_diagnosis_params){
		.size = sizeof(params),
		.facts = machine,
		.model = model,
		.table = has_table ? &table : NULL,
	};
	err = ssdpm_device_diagnose(device, &params, &found, &n, error);
	ssdpm_model_unref(model);
	if (err)
		return err;
	print_diagnoses(found, n);
	free(found);
	return 0;
}

static int diagnose_all(struct ssdpm_machine *machine,
			const struct ssdpm_catalogue *catalogue,
			struct ssdpm_error *error)
{
	struct ssdpm_machine_facts facts = { .size = sizeof(facts) };
	struct ssdpm_device **devices;
	size_t n;
	int err;

	err = ssdpm_machine_read_facts(machine, &facts, error);
	if (!err)
		err = ssdpm_device_list_read(machine, &devices, &n, error);
	if (err)
		return err;
	for (size_t i = 0; i < n && !err; i++)
		err = diagnose(devices[i], &facts, catalogue, error);
	ssdpm_device_list_free(devices, n);
	return err;
}

int main(int argc, char **argv)
{
	struct ssdpm_machine_params params = { .size = sizeof(params) };
	struct ssdpm_catalogue *catalogue = NULL;
	struct ssdpm_machine *machine = NULL;
	struct ssdpm_error error;
	int err;

	if (argc > 2) {
		fprintf(stderr, "usage: devices [CAPTURE]\n");
		return 2;
	}
	params.root = argv[1];
	err = ssdpm_catalogue_new(NULL, 0, &catalogue, &error);
	if (!err)
		err = ssdpm_machine_new(&params, &machine, &error);
	if (!err)
		err = diagnose_all(machine, catalogue, &error);
	if (err)
		fprintf(stderr, "devices: %s\n", error.message);
	ssdpm_machine_unref(machine);
	ssdpm_catalogue_free(catalogue);
	return err ? 1 : 0;
}
