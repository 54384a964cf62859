/* SPDX-License-Identifier: MIT */
/* What makes a drive work as JSON: watch.keys has what is written. */
#include <errno.h>
#include <stdlib.h>

#include "base/internal.h"
#include "base/json.h"
#include "observe/internal.h"

struct told_cause {
	struct ssdpm_cause cause;
	struct ssdpm_without without;
};

struct told_drive {
	const char *name;
	const struct ssdpm_observation *observation;
	size_t index;
	struct ssdpm_observed drive;
	struct ssdpm_help *helps;
	size_t n_helps;
	struct ssdpm_error *error; /* of a cause; code 0: none failed */
};

static bool get_cause(const struct told_drive *d, size_t i,
		      struct told_cause *ret_cause)
{
	ret_cause->cause.size = sizeof(ret_cause->cause);
	ret_cause->without.size = sizeof(ret_cause->without);
	return !ssdpm_observation_get_cause(d->observation, d->index, i,
					    &ret_cause->cause, d->error) &&
	       !ssdpm_observation_get_without(d->observation, d->index, i,
					      &ret_cause->without, d->error);
}

#include "watch-json.h"

int ssdpm_observation_to_json(const struct ssdpm_observation *observation,
			      size_t drive, const char *name, char **ret_text,
			      struct ssdpm_error *reterr)
{
	struct ssdpm_error error = { 0 };
	struct told_drive told = {
		.name = name,
		.observation = observation,
		.index = drive,
		.drive = { .size = sizeof(told.drive) },
		.error = &error,
	};
	struct json_writer w = { 0 };
	int err = name ? ssdpm_observation_get_drive(observation, drive,
						     &told.drive, reterr) :
			 ssdpm__missing("name", reterr);
	char *text;

	if (!err)
		err = ssdpm_observation_list_help(
			observation, drive, &told.helps, &told.n_helps, reterr);
	if (err)
		return err;
	ssdpm__json_begin(&w, NULL, '{');
	write_watch(&w, &told);
	ssdpm__json_end(&w, '}');
	free(told.helps);
	err = ssdpm__json_finish(&w, &text, reterr);
	if (!err && error.code) {
		free(text);
		return ssdpm__pass_on(error.code, &error, reterr);
	}
	if (!err)
		*ret_text = text;
	return err;
}
