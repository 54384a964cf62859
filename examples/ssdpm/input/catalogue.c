/* SPDX-License-Identifier: MIT */
/* Drives by their name, out of the catalogue. */
#include "input/input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum exit_status open_catalogue(const struct common *common,
				struct ssdpm_catalogue **ret_catalogue)
{
	const char *path = common->catalogue_path;
	struct buffer buffer = { 0 };
	struct ssdpm_error error;
	int err;

	*ret_catalogue = NULL;
	err = path ? read_operand(path, &buffer) : 0;
	if (err) {
		free(buffer.data);
		return status_of_file(err);
	}
	err = ssdpm_catalogue_new(buffer.data, buffer.size, ret_catalogue,
				  &error);
	if (err) {
		if (path && error.line)
			complain("%s:%u: %s", path, error.line, error.message);
		else
			complain("%s%s%s", path ? path : "", path ? ": " : "",
				 error.message);
	}
	free(buffer.data);
	return err ? STATUS_FAILED : STATUS_DONE;
}

/* One model for each other table; drive is empty as yet. */
static int add_alternatives(const struct ssdpm_catalogue *catalogue,
			    const char *name, const char *firmware, size_t max,
			    struct drive *drive, struct ssdpm_error *reterr)
{
	struct ssdpm_catalogue_match *matches = calloc(max, sizeof(*matches));
	size_t n = max;
	int err = -ENOMEM;

	drive->alternatives = calloc(max, sizeof(*drive->alternatives));
	if (matches && drive->alternatives)
		err = ssdpm_catalogue_find_alternatives(
			catalogue, name, firmware, matches, &n, reterr);
	else
		strcpy(reterr->message, "out of memory");
	for (size_t i = 0; i < n && !err; i++) {
		err = ssdpm_catalogue_get_model(catalogue, matches[i].index,
						&drive->alternatives[i].model,
						reterr);
		drive->alternatives[i].seen = matches[i].seen;
		drive->n_alternatives += !err;
	}
	free(matches);
	return err;
}

static int fill_drive(const struct common *common,
		      const struct ssdpm_catalogue *catalogue, const char *name,
		      const struct ssdpm_catalogue_match *match,
		      struct drive *drive, struct ssdpm_error *reterr)
{
	int err;

	drive->name = strdup(name);
	drive->seen = match->seen;
	if (!drive->name) {
		strcpy(reterr->message, "out of memory");
		return -ENOMEM;
	}
	err = ssdpm_catalogue_get_model(catalogue, match->index, &drive->model,
					reterr);
	if (!err && match->n_tables > 1)
		err = add_alternatives(catalogue, name, common->firmware,
				       match->n_tables - 1, drive, reterr);
	return err;
}

/* Which of several tables it is, and by what right. */
static void say_choice(const struct drive *drive,
		       const struct ssdpm_catalogue_match *match)
{
	const struct ssdpm_model_info *info =
		ssdpm_model_get_info(drive->model);
	uint64_t seen = drive->seen;

	for (size_t i = 0; i < drive->n_alternatives; i++)
		seen += drive->alternatives[i].seen;
	remark("%s: the catalogue has %s%u different tables %s; taken: %s, "
	       "firmware %s, as %" PRIu64 " of %" PRIu64 " drives say",
	       drive->name,
	       match->other_capacity ? "no drive of this capacity, but " : "",
	       match->n_tables,
	       match->other_capacity ? "of others" : "under this name",
	       info->product, info->firmware[0] ? info->firmware : "unknown",
	       drive->seen, seen);
}

int find_drive(const struct common *common,
	       const struct ssdpm_catalogue *catalogue, const char *name,
	       struct drive *ret_drive, struct ssdpm_error *reterr)
{
	struct drive drive = { .name = NULL };
	struct ssdpm_catalogue_match match;
	int err = ssdpm_catalogue_find(catalogue, name, common->firmware,
				       &match, reterr);

	if (err)
		return err;
	err = fill_drive(common, catalogue, name, &match, &drive, reterr);
	if (err) {
		free_drive(&drive);
		return err;
	}
	if (match.n_tables > 1 && !common->quiet)
		say_choice(&drive, &match);
	else if (match.other_capacity && !common->quiet)
		remark("%s: the catalogue has no drive of this capacity; "
		       "taken: %s",
		       name, ssdpm_model_get_info(drive.model)->product);
	else if (common->verbose)
		remark("%s: %u %s in the catalogue", name, match.n_matches,
		       match.n_matches == 1 ? "row" : "rows");
	*ret_drive = drive;
	return 0;
}
