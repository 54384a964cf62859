/* SPDX-License-Identifier: MIT */
/* The causes of a drive, and their numbers in words. */
#include "watch/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static enum exit_status fail(const struct watch *watch, size_t drive,
			     const struct ssdpm_error *error)
{
	return failure("%s: %s", watch->watched[drive].drive->name,
		       error->message);
}

static enum exit_status make_room(struct cause_rows *rows, size_t n)
{
	struct cause_row *more =
		realloc(rows->rows, (n + 1) * sizeof(*rows->rows));

	if (!more)
		return out_of_memory();
	rows->rows = more;
	for (; rows->n < n; rows->n++)
		more[rows->n] = (struct cause_row){ .index = rows->n };
	return STATUS_DONE;
}

enum exit_status read_causes(const struct watch *watch, size_t drive,
			     struct ssdpm_observed *ret_drive,
			     struct cause_rows *rows)
{
	const struct ssdpm_observation *observation = watch->observation;
	struct ssdpm_error error;
	enum exit_status status;

	*ret_drive = (struct ssdpm_observed){ .size = sizeof(*ret_drive) };
	if (ssdpm_observation_get_drive(observation, drive, ret_drive, &error))
		return fail(watch, drive, &error);
	status = make_room(rows, (size_t)ret_drive->n_causes);
	for (size_t i = 0; i < rows->n && !status; i++) {
		struct cause_row *row = &rows->rows[i];

		row->cause.size = sizeof(row->cause);
		if (ssdpm_observation_get_cause(observation, drive, row->index,
						&row->cause, &error))
			return fail(watch, drive, &error);
	}
	return status;
}

enum exit_status read_without(const struct watch *watch, size_t drive,
			      struct cause_row *row)
{
	struct ssdpm_without without = { .size = sizeof(without) };
	struct ssdpm_error error;

	if (ssdpm_observation_get_without(watch->observation, drive, row->index,
					  &without, &error))
		return fail(watch, drive, &error);
	row->without = without;
	return STATUS_DONE;
}

int by_share(const void *a, const void *b)
{
	const struct cause_row *one = a, *other = b;
	const uint64_t nj = one->cause.energy_nj,
		       other_nj = other->cause.energy_nj;
	const int order = (nj < other_nj) - (nj > other_nj);

	return order ? order : strcmp(one->cause.name, other->cause.name);
}

int64_t power_uw(int64_t nj, uint64_t ns)
{
	return ns ? (int64_t)((double)nj * 1e6 / (double)ns) : 0;
}

int64_t change_uw(const struct ssdpm_without *without)
{
	const uint64_t ns =
		without->until_ns - without->from_ns - without->uncovered_ns;

	return power_uw(
		(int64_t)(without->without_energy_nj - without->energy_nj), ns);
}

struct cell cause_text(const struct ssdpm_cause *cause)
{
	switch (cause->kind) {
	case SSDPM_CAUSE_WRITEBACK:
		return cell("%s, written back", cause->name);
	case SSDPM_CAUSE_JOURNAL:
		return cell("%s, journal", cause->name);
	case SSDPM_CAUSE_KERNEL:
		return cell("%s, kernel", cause->name);
	case SSDPM_CAUSE_CGROUP:
		return cell("%s, cgroup", cause->name);
	default:
		return cell("%s", cause->name);
	}
}

static struct number share_power(uint64_t nj,
				 const struct ssdpm_observed *drive)
{
	return power_text(power_uw((int64_t)nj, covered_ns(drive)));
}

struct cause_texts cause_texts(const struct cause_row *row,
			       const struct ssdpm_observed *drive)
{
	const struct ssdpm_cause *cause = &row->cause;
	/* The energy of admin commands is unknown, which is not 0. */
	const bool is_known = cause->n_ios || cause->bytes;
	const struct number takes = share_power(cause->energy_nj, drive),
			    without = power_text(change_uw(&row->without));

	/* From nothing to a full wake-up for each. */
	const struct cell most =
		row->admin_uw ? cell("0..%s", power_text(row->admin_uw).text) :
				cell("unknown");

	return (struct cause_texts){
		.name = cause_text(cause),
		.n_ios = cell("%s", count_text(cause->n_ios).text),
		.n_admin = cell("%s", cause->n_admin == SSDPM_ADMIN_UNKNOWN ?
					      "-" :
					      count_text(cause->n_admin).text),
		.n_wakes = cell("%s", count_text(cause->n_wakes).text),
		.takes = is_known ? cell("%s", takes.text) : most,
		.without = cell("%s", !is_known		? "unknown" :
				      row->without.size ? without.text :
							  "..."),
	};
}

struct number rest_text(const struct cause_rows *rows, size_t from,
			const struct ssdpm_observed *drive)
{
	uint64_t nj = 0;

	for (size_t i = from; i < rows->n; i++)
		nj += rows->rows[i].cause.energy_nj;
	return share_power(nj, drive);
}

/* The simulation begins with the first I/O. */
struct number at_rest_text(const struct ssdpm_observed *drive)
{
	if (!covered_ns(drive))
		return (struct number){ .text = "unknown" };
	return share_power(drive->resting_nj, drive);
}

enum exit_status find_likely(const struct watch *watch, size_t drive,
			     struct ssdpm_prediction *ret_likely)
{
	struct ssdpm_prediction likely = { .size = sizeof(likely) };
	struct ssdpm_error error;
	int err = ssdpm_observation_get_prediction(watch->observation, drive,
						   &likely, &error);

	*ret_likely = err ? (struct ssdpm_prediction){ 0 } : likely;
	return err && err != -ENODATA ? fail(watch, drive, &error) :
					STATUS_DONE;
}

/* Nobody knows more digits. */
struct cell likely_text(const struct ssdpm_prediction *likely)
{
	if (!likely->size)
		return cell("unknown");
	return cell(
		"%s to %s",
		power_text(two_digits((int64_t)likely->likely_low_uw)).text,
		power_text(two_digits((int64_t)likely->likely_high_uw)).text);
}
