/* SPDX-License-Identifier: MIT */
/* Writes as JSON what makes a drive work; watch.keys has the keys. */
#include <errno.h>
#include <stdlib.h>

#include <ssdpm/energy/likely.h>

#include "base/internal.h"
#include "base/json-text.h"
#include "observe/observation.h"

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
	const struct ssdpm_prediction *likely; /* NULL: unknown */
	struct ssdpm_error *error; /* of a cause; code 0: none failed */
};

struct told_interval {
	const char *name;
	const struct ssdpm_observation *observation;
	const struct observed_drive *observed;
	const struct drive_view *view;
	struct ssdpm_observed drive;
	struct ssdpm_error *error;
};

static bool is_counted(uint64_t n_admin)
{
	return n_admin != SSDPM_ADMIN_UNKNOWN;
}

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

/* One that did nothing is left out. */
static bool get_new_cause(const struct told_interval *d, size_t i,
			  struct ssdpm_cause *ret_cause)
{
	return !ssdpm__view_cause(d->observation, d->observed, d->view, i,
				  ret_cause, d->error) &&
	       (ret_cause->n_ios || ret_cause->bytes ||
		(ret_cause->n_admin && is_counted(ret_cause->n_admin)) ||
		ret_cause->energy_nj);
}

#include "watch-json.h"

/* NULL of what cannot be simulated: there is no I/O. */
static int get_likely(const struct ssdpm_observation *observation, size_t drive,
		      struct ssdpm_prediction *prediction,
		      const struct ssdpm_prediction **ret_likely,
		      struct ssdpm_error *reterr)
{
	struct ssdpm_error error;
	int err;

	prediction->size = sizeof(*prediction);
	err = ssdpm_observation_get_prediction(observation, drive, prediction,
					       &error);
	*ret_likely = err ? NULL : prediction;
	return ssdpm__pass_on(err == -ENODATA ? 0 : err, &error, reterr);
}

/* error: of a cause; code 0: none failed. */
static int finish(struct json_writer *w, const struct ssdpm_error *error,
		  char **ret_text, struct ssdpm_error *reterr)
{
	char *text;
	int err = ssdpm__json_finish(w, &text, reterr);

	if (err)
		return err;
	if (error->code) {
		free(text);
		return ssdpm__pass_on(error->code, error, reterr);
	}
	*ret_text = text;
	return 0;
}

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
	struct ssdpm_prediction prediction;
	struct json_writer w = { 0 };
	int err = name ? ssdpm_observation_get_drive(observation, drive,
						     &told.drive, reterr) :
			 ssdpm__missing("name", reterr);

	if (!err)
		err = get_likely(observation, drive, &prediction, &told.likely,
				 reterr);
	if (!err)
		err = ssdpm_observation_list_help(
			observation, drive, &told.helps, &told.n_helps, reterr);
	if (err)
		return err;
	ssdpm__json_begin(&w, NULL, '{');
	write_watch(&w, &told);
	ssdpm__json_end(&w, '}');
	free(told.helps);
	return finish(&w, &error, ret_text, reterr);
}

static int tell_interval(const struct told_interval *told, char **ret_text,
			 struct ssdpm_error *reterr)
{
	struct json_writer w = { 0 };

	ssdpm__json_begin(&w, NULL, '{');
	write_watch_interval(&w, told);
	ssdpm__json_end(&w, '}');
	return finish(&w, told->error, ret_text, reterr);
}

/* The view becomes that of the interval. */
static int take_interval(const struct ssdpm_observation *observation,
			 struct observed_drive *drive, struct drive_view *view,
			 const char *name, char **ret_text,
			 struct ssdpm_error *reterr)
{
	struct ssdpm_error error = { 0 };
	struct told_interval told = {
		.name = name,
		.observation = observation,
		.observed = drive,
		.view = view,
		.error = &error,
	};
	struct mark *mark;
	int err = ssdpm__mark_new(view, &mark, reterr);

	if (err)
		return err;
	if (drive->mark)
		ssdpm__view_since(view, drive->mark);
	err = ssdpm__view_drive(drive, view, &told.drive, reterr);
	if (!err)
		err = tell_interval(&told, ret_text, reterr);
	if (err) {
		free(mark);
		return err;
	}
	free(drive->mark);
	drive->mark = mark;
	return 0;
}

int ssdpm_observation_interval_to_json(struct ssdpm_observation *observation,
				       size_t drive, const char *name,
				       char **ret_text,
				       struct ssdpm_error *reterr)
{
	struct drive_view *view;
	int err = name ? ssdpm__view_new(observation, drive, &view, reterr) :
			 ssdpm__missing("name", reterr);

	if (err)
		return err;
	err = take_interval(observation, observation->drives[drive], view, name,
			    ret_text, reterr);
	free(view);
	return err;
}
