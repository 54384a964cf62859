/* SPDX-License-Identifier: MIT */
/* The program ssdpm-energy: all commands. plan-estimate.c has plan --trace. */
#include "programs.h"

const bool has_energy = true;

const struct subcommand *const subcommands[] = {
	&cmd_list,	&cmd_show,     &cmd_lpm,	 &cmd_plan,
	&cmd_apply,	&cmd_check,    &cmd_revert,	 &cmd_capture,
	&cmd_apst,	&cmd_workload, &cmd_estimate,	 &cmd_compare,
	&cmd_recommend, &cmd_budget,   &cmd_consistency, &cmd_measure,
	NULL,
};

void run_energy_program(char **argv)
{
	(void)argv;
}

bool needs_energy(const char *command)
{
	(void)command;
	return false;
}

int read_meters(const struct live *live, struct ssdpm_meter **ret_meters,
		size_t *ret_n, struct ssdpm_error *reterr)
{
	return ssdpm_machine_read_meters(live->machine, ret_meters, ret_n,
					 reterr);
}

int meters_json(const struct ssdpm_meter *meters, size_t n, char **ret_text,
		struct ssdpm_error *reterr)
{
	return ssdpm_meters_to_json(meters, n, ret_text, reterr);
}

const char *meter_kind_word(uint32_t kind)
{
	return ssdpm_meter_kind_to_string(kind);
}
