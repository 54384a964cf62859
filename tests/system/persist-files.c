/* SPDX-License-Identifier: MIT */
/*
 * Write the files that make a profile last, as a command does.
 *
 * usage: persist-files KIND PROFILE|auto ROOT [COMMAND]
 *        persist-files KIND limit|timeout|links ROOT [COMMAND]
 *        persist-files KIND remove ROOT
 *
 * ROOT is a directory with the marker of a capture.
 */
#include <ssdpm.h>

#include <stdio.h>
#include <string.h>

static int find(const char *name, uint32_t source,
		struct ssdpm_profile_settings *settings,
		struct ssdpm_error *error)
{
	settings->size = sizeof(*settings);
	if (!strcmp(name, "auto"))
		name = source == SSDPM_SOURCE_AC ? "balanced" : "power-saver";
	return ssdpm_profile_find(NULL, 0, name, source, settings, error);
}

/* One setting, without a profile. */
static bool find_setting(const char *name, struct ssdpm_profile_settings *own)
{
	*own = (struct ssdpm_profile_settings){
		.size = sizeof(*own),
		.max_exit_latency_us = 5000,
		.primary_timeout_ms = 50,
		.n_lpms = 1,
		.lpms = { SSDPM_LPM_MEDIUM_POWER },
	};
	own->set = !strcmp(name, "limit")   ? SSDPM_PROFILE_MAX_EXIT_LATENCY :
		   !strcmp(name, "timeout") ? SSDPM_PROFILE_PRIMARY_TIMEOUT :
		   !strcmp(name, "links")   ? SSDPM_PROFILE_LPM :
					      0;
	return own->set;
}

static int write_files(const char *kind, const char *profile,
		       const char *command, struct ssdpm_machine *machine,
		       struct ssdpm_error *error)
{
	struct ssdpm_profile_settings ac, battery, own;
	struct ssdpm_persist_params params = { .size = sizeof(params),
					       .ac = &ac,
					       .battery = &battery,
					       .command = command };
	struct ssdpm_persist *persist = NULL;
	int err;

	for (uint32_t k = 1; ssdpm_persist_kind_to_string(k); k++)
		if (!strcmp(kind, ssdpm_persist_kind_to_string(k)))
			params.kind = k;
	if (!strcmp(profile, "remove"))
		return ssdpm_persist_remove(machine, params.kind, NULL, error);
	if (find_setting(profile, &own)) {
		params.ac = params.battery = NULL;
		params.settings = &own;
		err = 0;
	} else {
		err = find(profile, SSDPM_SOURCE_AC, &ac, error);
		if (!err)
			err = find(profile, SSDPM_SOURCE_BATTERY, &battery,
				   error);
	}
	if (!err)
		err = ssdpm_persist_new(&params, &persist, error);
	if (!err)
		err = ssdpm_persist_write(persist, machine, 0, error);
	ssdpm_persist_free(persist);
	return err;
}

int main(int argc, char **argv)
{
	struct ssdpm_machine_params params = { .size = sizeof(params) };
	struct ssdpm_machine *machine = NULL;
	struct ssdpm_error error;
	int err;

	if (argc < 4) {
		fprintf(stderr, "usage: %s KIND PROFILE ROOT [COMMAND]\n",
			argv[0]);
		return 2;
	}
	params.root = argv[3];
	err = ssdpm_machine_new(&params, &machine, &error);
	if (!err)
		err = write_files(argv[1], argv[2], argv[4], machine, &error);
	if (err)
		fprintf(stderr, "%s: %s\n", argv[0], error.message);
	ssdpm_machine_unref(machine);
	return err ? 1 : 0;
}
