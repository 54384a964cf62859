/* SPDX-License-Identifier: MIT */
/*
 * Adds what is new since the last time to the counters. Labels must be few and
 * must last. A cause gets one once it did a twentieth of the work of a while,
 * and keeps it. What it did before counts for "other", so that no counter ever
 * goes back.
 */
#include "survey/survey.h"
#include "watch/metrics.h"

#include <stdlib.h>
#include <string.h>

/* The first while, and the others. */
#define FIRST_NS (60 * SECOND_NS)
#define WHILE_NS (600 * SECOND_NS)
#define SMALLEST_SHARE 0.05

struct seen_cause {
	size_t label; /* an index of told_drive.causes */
	struct ssdpm_cause now;
	uint64_t counts[N_CAUSE_COUNTS];
	uint64_t before[N_CAUSE_COUNTS]; /* when the while began */
};

struct seen_drive {
	struct told_drive *told;
	uint64_t counts[N_DRIVE_COUNTS];
	uint64_t resting_nj;
	struct seen_cause *causes;
	size_t n_causes;
};

struct count {
	const struct watch *watch;
	struct told *told;
	uint64_t counts[N_ALL_COUNTS];
	int64_t next_ns; /* the while ends */
	bool has_chosen;
	struct seen_drive drives[MAX_WATCHED];
};

/* A gap that is told late makes a number smaller. It is told when it is as
 * large again. */
static void add_new(uint64_t now, uint64_t *seen, uint64_t *told)
{
	if (now <= *seen)
		return;
	*told += now - *seen;
	*seen = now;
}

static void add_new_ones(const uint64_t *now, uint64_t *seen, uint64_t *told,
			 size_t n)
{
	for (size_t i = 0; i < n; i++)
		add_new(now[i], &seen[i], &told[i]);
}

static void counts_of_cause(const struct ssdpm_cause *cause, uint64_t *counts)
{
	counts[CAUSE_WAKES] = cause->n_wakes;
	counts[CAUSE_IOS] = cause->n_ios;
	counts[CAUSE_BYTES] = cause->bytes;
	counts[CAUSE_ADMIN] =
		cause->n_admin == SSDPM_ADMIN_UNKNOWN ? 0 : cause->n_admin;
	counts[CAUSE_ENERGY] = cause->energy_nj;
}

static void counts_of_drive(const struct ssdpm_observed *drive,
			    uint64_t *counts)
{
	counts[DRIVE_BUSY] = drive->busy_ns;
	counts[DRIVE_IDLE] = drive->idle_ns;
	counts[DRIVE_ASLEEP] = drive->asleep_ns;
	counts[DRIVE_TRANSITION] = drive->transition_ns;
	counts[DRIVE_UNCOVERED] = drive->uncovered_ns;
	counts[DRIVE_DELAYED] = drive->n_delayed;
	counts[DRIVE_DELAY] = drive->delay_sum_ns;
	counts[DRIVE_UNCOVERED_IOS] = drive->n_uncovered_ios;
}

/* Names that look alike have one label. */
static void find_label(const struct told_drive *told, struct seen_cause *cause)
{
	for (size_t i = TOLD_OTHER; i < told->n_causes; i++)
		if (told->causes[i].kind == cause->now.kind &&
		    !strcmp(told->causes[i].name, cause->now.name))
			cause->label = i;
}

static bool make_room(struct seen_drive *seen, size_t n)
{
	struct seen_cause *causes;

	if (n <= seen->n_causes)
		return true;
	causes = realloc(seen->causes, n * sizeof(*causes));
	if (!causes)
		return false;
	seen->causes = causes;
	for (; seen->n_causes < n; seen->n_causes++)
		causes[seen->n_causes] = (struct seen_cause){
			.label = TOLD_OTHER,
			.now.size = sizeof(struct ssdpm_cause),
		};
	return true;
}

/* As they are now. */
static enum exit_status look_at_causes(const struct watch *watch, size_t drive,
				       struct seen_drive *seen)
{
	struct ssdpm_error error;

	for (size_t i = 0; i < seen->n_causes; i++) {
		struct seen_cause *cause = &seen->causes[i];

		if (ssdpm_observation_get_cause(watch->observation, drive, i,
						&cause->now, &error))
			return failure("%s: %s",
				       watch->watched[drive].drive->name,
				       error.message);
		ssdpm_text_blunt(cause->now.name);
		find_label(seen->told, cause);
	}
	return STATUS_DONE;
}

static uint64_t work_of(const struct seen_cause *cause, enum cause_count kind)
{
	uint64_t counts[N_CAUSE_COUNTS];

	counts_of_cause(&cause->now, counts);
	return counts[kind] > cause->before[kind] ?
		       counts[kind] - cause->before[kind] :
		       0;
}

/* Its share of all work of this kind. */
static double share_of(const struct seen_drive *seen,
		       const struct seen_cause *cause, enum cause_count kind)
{
	double all = 0;

	for (size_t i = 0; i < seen->n_causes; i++)
		all += (double)work_of(&seen->causes[i], kind);
	return all > 0 ? (double)work_of(cause, kind) / all : 0;
}

/* The cause without a label that did most; NULL: none did much. */
static struct seen_cause *main_cause(struct seen_drive *seen)
{
	static const enum cause_count kinds[] = { CAUSE_ENERGY, CAUSE_WAKES,
						  CAUSE_ADMIN };
	struct seen_cause *most = NULL;
	double largest = SMALLEST_SHARE;

	for (size_t i = 0; i < seen->n_causes; i++) {
		struct seen_cause *cause = &seen->causes[i];

		if (cause->label != TOLD_OTHER ||
		    cause->now.kind == SSDPM_CAUSE_OTHER)
			continue;
		for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
			double share = share_of(seen, cause, kinds[k]);

			if (share < largest)
				continue;
			largest = share;
			most = cause;
		}
	}
	return most;
}

/* The while is over, and the next one begins. */
static void choose_labels(struct seen_drive *seen)
{
	struct seen_cause *cause;

	while (seen->told->n_causes < MAX_TOLD_CAUSES &&
	       (cause = main_cause(seen))) {
		told_cause(seen->told, cause->now.kind, cause->now.name);
		for (size_t i = 0; i < seen->n_causes; i++)
			find_label(seen->told, &seen->causes[i]);
	}
	for (size_t i = 0; i < seen->n_causes; i++)
		counts_of_cause(&seen->causes[i].now, seen->causes[i].before);
}

/* What has no label waits for the end of the first while. */
static void add_news(struct seen_drive *seen,
		     const struct ssdpm_observed *drive, bool tells_others)
{
	struct told_cause *told = seen->told->causes;
	uint64_t counts[N_DRIVE_COUNTS], of_cause[N_CAUSE_COUNTS];

	seen->told->lacks_admin = drive->n_admin == SSDPM_ADMIN_UNKNOWN;
	counts_of_drive(drive, counts);
	add_new_ones(counts, seen->counts, seen->told->counts, N_DRIVE_COUNTS);
	add_new(drive->resting_nj, &seen->resting_nj,
		&told[TOLD_REST].counts[CAUSE_ENERGY]);
	for (size_t i = 0; i < seen->n_causes; i++) {
		struct seen_cause *cause = &seen->causes[i];

		if (cause->label == TOLD_OTHER && !tells_others)
			continue;
		counts_of_cause(&cause->now, of_cause);
		add_new_ones(of_cause, cause->counts, told[cause->label].counts,
			     N_CAUSE_COUNTS);
	}
}

static enum exit_status count_drive(struct count *count, size_t i, bool chooses)
{
	struct ssdpm_observed drive = { .size = sizeof(drive) };
	const struct watch *watch = count->watch;
	struct seen_drive *seen = &count->drives[i];
	enum exit_status status;
	struct ssdpm_error error;

	if (ssdpm_observation_get_drive(watch->observation, i, &drive, &error))
		return failure("%s: %s", watch->watched[i].drive->name,
			       error.message);
	if (!make_room(seen, (size_t)drive.n_causes))
		return out_of_memory();
	status = look_at_causes(watch, i, seen);
	if (status)
		return status;
	if (chooses)
		choose_labels(seen);
	add_news(seen, &drive, count->has_chosen);
	return STATUS_DONE;
}

static void count_all(struct count *count)
{
	const struct ssdpm_observation_counts *counts =
		ssdpm_observation_get_counts(count->watch->observation);
	const uint64_t now[N_ALL_COUNTS] = {
		[ALL_LOST] = counts->n_lost,
		[ALL_BAD] = counts->n_bad,
		[ALL_UNMATCHED] = counts->n_unmatched,
	};

	add_new_ones(now, count->counts, count->told->counts, N_ALL_COUNTS);
}

enum exit_status count_on(struct count *count, int64_t now_ns, bool is_end)
{
	enum exit_status status = STATUS_DONE;
	bool chooses = is_end ? !count->has_chosen : now_ns >= count->next_ns;

	if (chooses) {
		count->has_chosen = true;
		count->next_ns = now_ns + WHILE_NS;
	}
	count_all(count);
	for (size_t i = 0; i < count->watch->n && !status; i++)
		status = count_drive(count, i, chooses);
	return status;
}

struct count *count_new(const struct watch *watch, struct told_drive **drives,
			struct told *told)
{
	struct count *count = calloc(1, sizeof(*count));

	if (!count)
		return NULL;
	count->watch = watch;
	count->told = told;
	count->next_ns = survey_now_ns() + FIRST_NS;
	for (size_t i = 0; i < watch->n; i++)
		count->drives[i].told = drives[i];
	return count;
}

void count_free(struct count *count)
{
	for (size_t i = 0; count && i < count->watch->n; i++)
		free(count->drives[i].causes);
	free(count);
}
