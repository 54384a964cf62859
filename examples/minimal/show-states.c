/* SPDX-License-Identifier: MIT */
/*
 * The power states of a drive. A dash is a value that the drive does not
 * report: unknown, not zero.
 *
 * The argument is a file with one drive: what "nvme id-ctrl --raw-binary"
 * writes, or ssdpm's JSON.
 */
#include <ssdpm.h>

#include <inttypes.h>
#include <stdio.h>

#define MAX_FILE_BYTES (1 << 20)

static void print_power(uint32_t uw, uint32_t unknown)
{
	if (unknown)
		printf(" %10s", "-");
	else
		printf(" %8.4f W", uw / 1e6);
}

static void print_latency(uint32_t us, uint32_t unknown)
{
	if (unknown)
		printf(" %10s", "-");
	else
		printf(" %7" PRIu32 " us", us);
}

static void print_state(size_t number, const struct ssdpm_power_state *state)
{
	uint32_t unknown = state->unknown;

	printf("PS%-2zu %-15s", number,
	       state->flags & SSDPM_STATE_NON_OPERATIONAL ? "non-operational" :
							    "operational");
	print_power(state->max_power_uw, unknown & SSDPM_FIELD_MAX_POWER);
	print_power(state->idle_power_uw, unknown & SSDPM_FIELD_IDLE_POWER);
	print_latency(state->entry_latency_us,
		      unknown & SSDPM_FIELD_ENTRY_LATENCY);
	print_latency(state->exit_latency_us,
		      unknown & SSDPM_FIELD_EXIT_LATENCY);
	printf("\n");
}

int main(int argc, char **argv)
{
	static char data[MAX_FILE_BYTES];
	const struct ssdpm_power_state *states;
	struct ssdpm_model **models;
	struct ssdpm_error error;
	size_t size, n, n_states;
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;

	if (!file) {
		fprintf(stderr,
			"usage: show-states FILE, one that can be read\n");
		return 2;
	}
	size = fread(data, 1, sizeof(data), file);
	fclose(file);

	if (ssdpm_model_list_from_data(data, size, &models, &n, &error)) {
		fprintf(stderr, "%s: %s\n", argv[1], error.message);
		return 1;
	}
	printf("%s\n", ssdpm_model_get_info(models[0])->product);
	printf("%-20s %10s %10s %10s %10s\n", "state", "max_power",
	       "idle_power", "entry", "exit");
	states = ssdpm_model_get_states(models[0], &n_states);
	for (size_t i = 0; i < n_states; i++)
		print_state(i, &states[i]);
	ssdpm_model_list_free(models, n);
	return 0;
}
