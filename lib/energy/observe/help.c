/* SPDX-License-Identifier: MIT */
/*
 * Finds what would let a drive sleep more. It simulates the kept I/Os again,
 * with those of a cause at other times, or without them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "base/words.h"
#include "observe/observation.h"

/* TLP lets a crash take as much on battery: MAX_LOST_WORK_SECS_ON_BAT. */
#define HELP_INTERVAL_NS UINT64_C(60000000000)
/* A journal that writes so soon after data does it because of them. */
#define FOLLOWS_NS 1000000000u
/* I/Os of a cause that are closer than this are one burst. */
#define BURST_NS 100000000u
/* Bursts that show a period. */
#define MIN_BURSTS 5
/* The attempts for a cause. */
#define MAX_HELPS_OF_CAUSE 2

static const char help_kind_words[][19] = {
	[SSDPM_HELP_INTERVAL] = "interval",
	[SSDPM_HELP_BATCH] = "batch",
	[SSDPM_HELP_WRITEBACK_INTERVAL] = "writeback-interval",
	[SSDPM_HELP_LAPTOP_MODE] = "laptop-mode",
	[SSDPM_HELP_COMMIT_INTERVAL] = "commit-interval",
	[SSDPM_HELP_NOATIME] = "noatime",
	[SSDPM_HELP_ADMIN_INTERVAL] = "admin-interval",
};
ENUM_WORDS(help_kind)

/* An I/O or an admin command, and who decides when it comes. */
struct entry {
	uint64_t start_ns;
	uint32_t index; /* of the kept I/O; NOT_KEPT: an admin command */
	uint16_t cause; /* with most of its bytes */
	uint16_t mover;
};

#define NOT_KEPT UINT32_MAX

/* The simulated change. */
struct what_if {
	uint32_t kind; /* enum ssdpm_help_kind; 0: nothing changes */
	uint16_t cause;
	uint64_t window_ns; /* I/Os that begin within it come together */
};

/* I/Os that come together. */
struct group {
	bool begun;
	uint64_t start_ns;
	uint64_t end_ns; /* of the last one */
	size_t other;	 /* laptop mode: whom they wait for */
};

struct help_search {
	const struct causes *causes;
	const struct observed_drive *drive;
	uint64_t from_ns; /* no gap is after it */
	uint64_t until_ns;
	size_t n;
	struct entry *entries; /* in the order of time */
	struct entry *moved;   /* the same of a simulation */
	struct entry *scratch;
	struct account account;
	uint64_t energy_nj; /* as it is now */
	uint64_t n_wakes;
	struct ssdpm_help *helps;
	size_t n_helps;
};

static uint32_t kind_of(const struct help_search *s, uint16_t cause)
{
	return s->causes->entries[cause].kind;
}

/* Does Linux decide when? */
static bool is_written_back(uint32_t kind)
{
	return kind == SSDPM_CAUSE_WRITEBACK || kind == SSDPM_CAUSE_CGROUP;
}

static const struct kept *kept_of(const struct help_search *s,
				  const struct entry *entry)
{
	return ssdpm__drive_kept(s->drive, entry->index);
}

static bool writes(const struct kept *kept)
{
	return kept->op != SSDPM_OP_READ;
}

static void add_ios(struct help_search *s)
{
	for (size_t i = ssdpm__drive_after_gaps(s->drive, &s->from_ns);
	     i < s->drive->n_kept; i++) {
		const struct kept *kept = ssdpm__drive_kept(s->drive, i);
		uint16_t cause =
			kept->parts.causes[ssdpm__parts_most(&kept->parts)];

		s->entries[s->n++] = (struct entry){
			.start_ns = kept->start_ns,
			.index = (uint32_t)i,
			.cause = cause,
			.mover = cause,
		};
	}
}

static void add_admin(struct help_search *s)
{
	uint64_t n = s->drive->account.n_admin;

	for (uint64_t i = n > MAX_ASKED ? n - MAX_ASKED : 0; i < n; i++) {
		const struct asked *asked = &s->drive->asked[i % MAX_ASKED];

		if (asked->time_ns >= s->from_ns &&
		    asked->time_ns <= s->until_ns)
			s->entries[s->n++] = (struct entry){
				.start_ns = asked->time_ns,
				.index = NOT_KEPT,
				.cause = asked->cause,
				.mover = asked->cause,
			};
	}
}

/* Two sorted parts become one; of equal times the first part is first. */
static void merge(const struct entry *a, size_t n_a, const struct entry *b,
		  size_t n_b, struct entry *ret)
{
	size_t i = 0, j = 0;

	while (i < n_a || j < n_b)
		if (j == n_b || (i < n_a && a[i].start_ns <= b[j].start_ns))
			*ret++ = a[i++];
		else
			*ret++ = b[j++];
}

/* By time, and stable. qsort() may allocate. */
static void sort(const struct help_search *s, struct entry *entries, size_t n)
{
	for (size_t part = 1; part < n; part *= 2) {
		for (size_t at = 0; at < n; at += 2 * part) {
			size_t n_a = n - at < part ? n - at : part;
			size_t left = n - at - n_a;

			merge(entries + at, n_a, entries + at + n_a,
			      left < part ? left : part, s->scratch + at);
		}
		memcpy(entries, s->scratch, n * sizeof(*entries));
	}
}

/* What a journal writes at once after data goes where these go. */
static void find_movers(struct help_search *s)
{
	const struct entry *data = NULL;

	for (size_t i = 0; i < s->n; i++) {
		struct entry *entry = &s->entries[i];
		uint32_t kind = kind_of(s, entry->cause);

		if (entry->index == NOT_KEPT)
			continue;
		if (kind == SSDPM_CAUSE_JOURNAL && data &&
		    entry->start_ns - data->start_ns <= FOLLOWS_NS)
			entry->mover = data->cause;
		if ((kind == SSDPM_CAUSE_PROCESS || is_written_back(kind)) &&
		    writes(kept_of(s, entry)))
			data = entry;
	}
}

static bool is_changed(const struct help_search *s,
		       const struct what_if *change, const struct entry *entry)
{
	bool admin = entry->index == NOT_KEPT;

	if (!change->kind || entry->mover != change->cause ||
	    admin != (change->kind == SSDPM_HELP_ADMIN_INTERVAL))
		return false;
	return change->kind != SSDPM_HELP_BATCH || writes(kept_of(s, entry));
}

static uint64_t end_of(const struct help_search *s, const struct entry *entry)
{
	uint32_t service_ns = kept_of(s, entry)->service_ns;

	return entry->start_ns +
	       (service_ns == SSDPM_SERVICE_UNKNOWN ? 0 : service_ns);
}

/* With the first one of its group, one after the other. */
static void join_first(const struct help_search *s,
		       const struct what_if *change, struct group *group,
		       struct entry *entry)
{
	uint64_t end_ns;

	if (!group->begun ||
	    entry->start_ns - group->start_ns >= change->window_ns)
		*group = (struct group){ .begun = true,
					 .start_ns = entry->start_ns };
	else if (entry->start_ns > group->end_ns)
		entry->start_ns = group->end_ns;
	end_ns = end_of(s, entry);
	if (end_ns > group->end_ns)
		group->end_ns = end_ns;
}

/* With the next one that is not written back, if it comes in time. */
static void join_next(const struct help_search *s, const struct what_if *change,
		      size_t i, struct group *group, struct entry *entry)
{
	if (group->other <= i)
		group->other = i + 1;
	while (group->other < s->n &&
	       (s->entries[group->other].index == NOT_KEPT ||
		is_written_back(kind_of(s, s->entries[group->other].mover))))
		group->other++;
	if (group->other == s->n ||
	    s->entries[group->other].start_ns - entry->start_ns >
		    change->window_ns)
		return;
	entry->start_ns = s->entries[group->other].start_ns;
	if (entry->start_ns < group->end_ns)
		entry->start_ns = group->end_ns;
	group->end_ns = end_of(s, entry);
}

/* Those that come when things have changed: how many. */
static size_t arrange(struct help_search *s, const struct what_if *change)
{
	struct group group = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct entry entry = s->entries[i];
		bool changed = is_changed(s, change, &entry);

		if (entry.index == NOT_KEPT && !changed)
			continue;
		if (changed && change->kind == SSDPM_HELP_NOATIME)
			continue;
		if (changed && change->kind == SSDPM_HELP_LAPTOP_MODE)
			join_next(s, change, i, &group, &entry);
		else if (changed && entry.index != NOT_KEPT)
			join_first(s, change, &group, &entry);
		s->moved[n++] = entry;
	}
	sort(s, s->moved, n);
	return n;
}

/* An admin command as if it woke the drive: it takes no time and no data. */
static struct kept wake_of(const struct entry *entry)
{
	return (struct kept){
		.op = SSDPM_OP_FLUSH,
		.flags = SSDPM_IO_CONTINUED,
		.parts = { .n = 1, .causes = { entry->cause } },
	};
}

static int simulate(struct help_search *s, const struct what_if *change,
		    uint64_t *ret_nj, uint64_t *ret_wakes,
		    struct ssdpm_error *reterr)
{
	size_t n = arrange(s, change);
	struct timeline timeline;
	int err = 0;

	ssdpm__drive_begin_replay(s->drive, s->from_ns, &timeline, &s->account);
	for (size_t i = 0; i < n && !err; i++) {
		const struct entry *entry = &s->moved[i];
		struct kept kept = entry->index == NOT_KEPT ?
					   wake_of(entry) :
					   *kept_of(s, entry);

		kept.start_ns = entry->start_ns;
		err = ssdpm__drive_feed(&timeline, &s->account, &kept, reterr);
	}
	if (!err)
		err = ssdpm__timeline_finish(&timeline, s->until_ns, reterr);
	*ret_wakes = s->account.n_wakes;
	return err ? err :
		     ssdpm__observed_nj(s->account.energy_fj, ret_nj, reterr);
}

/*
 * The period of the changed I/Os: the median of the times between their bursts.
 * Three of four must be within an eighth of it; 0: none.
 */
static uint64_t find_period(struct help_search *s, const struct what_if *change)
{
	uint64_t burst_ns = 0, last_ns = 0;
	size_t n_bursts = 0, n_near = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct entry *entry = &s->entries[i];

		if (entry->cause != change->cause ||
		    !is_changed(s, change, entry))
			continue;
		if (!n_bursts || entry->start_ns - last_ns > BURST_NS) {
			/* The first one is before none. */
			s->moved[n_bursts++].start_ns =
				entry->start_ns - burst_ns;
			burst_ns = entry->start_ns;
		}
		last_ns = entry->start_ns;
	}
	if (n_bursts < MIN_BURSTS)
		return 0;
	const struct entry *steps = s->moved + 1;
	size_t n = n_bursts - 1;

	sort(s, s->moved + 1, n);
	uint64_t median = steps[n / 2].start_ns, near = median / 8;

	for (size_t i = 0; i < n; i++)
		n_near += steps[i].start_ns >= median - near &&
			  steps[i].start_ns <= median + near;
	return 4 * n_near >= 3 * n ? median : 0;
}

/* The next multiple of a period that is as long as others wait. */
static uint64_t longer(uint64_t period_ns)
{
	uint64_t n = (HELP_INTERVAL_NS + period_ns - 1) / period_ns;

	return (n < 2 ? 2 : n) * period_ns;
}

static bool is_better(const struct ssdpm_help *one,
		      const struct ssdpm_help *other)
{
	if (one->saving_high_nj != other->saving_high_nj)
		return one->saving_high_nj > other->saving_high_nj;
	if (one->cause != other->cause)
		return one->cause < other->cause;
	return one->kind < other->kind;
}

/* The best one is first. */
static void keep_help(struct help_search *s, const struct ssdpm_help *help)
{
	size_t at = s->n_helps;

	if (!help->saving_high_nj || help->saving_high_nj < s->energy_nj / 100)
		return;
	for (; at && is_better(help, &s->helps[at - 1]); at--)
		s->helps[at] = s->helps[at - 1];
	s->helps[at] = *help;
	s->n_helps++;
}

static int try_change(struct help_search *s, struct what_if *change,
		      uint64_t period_ns, struct ssdpm_error *reterr)
{
	struct ssdpm_help help = {
		.kind = change->kind,
		.cause = s->drive->index_of[change->cause] - 1u,
		.period_ns = period_ns,
		.interval_ns = HELP_INTERVAL_NS,
		.from_ns = s->from_ns,
		.until_ns = s->until_ns,
	};
	uint64_t energy_nj;

	change->window_ns = HELP_INTERVAL_NS;
	if (change->kind == SSDPM_HELP_INTERVAL) {
		help.interval_ns = longer(period_ns);
		/* A burst may come a bit early. */
		change->window_ns = help.interval_ns - period_ns / 2;
	}
	if (change->kind == SSDPM_HELP_NOATIME ||
	    change->kind == SSDPM_HELP_ADMIN_INTERVAL)
		help.interval_ns = 0;
	int err = simulate(s, change, &energy_nj, &help.n_wakes, reterr);
	if (err)
		return err;
	if (change->kind == SSDPM_HELP_ADMIN_INTERVAL) {
		help.n_wakes = s->n_wakes;
		help.saving_high_nj =
			energy_nj > s->energy_nj ? energy_nj - s->energy_nj : 0;
	} else if (energy_nj < s->energy_nj) {
		help.saving_high_nj = s->energy_nj - energy_nj;
		/* How much of it access times cause is unknown. */
		if (change->kind != SSDPM_HELP_NOATIME)
			help.saving_low_nj = help.saving_high_nj;
	}
	keep_help(s, &help);
	return 0;
}

/* A longer interval is for processes that have one. */
static int try_kind(struct help_search *s, uint32_t kind, uint16_t cause,
		    struct ssdpm_error *reterr)
{
	struct what_if change = { .kind = kind, .cause = cause };
	uint64_t period_ns = find_period(s, &change);

	if (kind == SSDPM_HELP_INTERVAL && !period_ns)
		change.kind = SSDPM_HELP_BATCH;
	return try_change(s, &change, period_ns, reterr);
}

/* Reads change access times: does nothing else write? */
static bool reads_alone(const struct help_search *s)
{
	bool reads = false;

	for (size_t i = 0; i < s->n; i++) {
		const struct entry *entry = &s->entries[i];
		uint32_t kind = kind_of(s, entry->cause);

		if (entry->index == NOT_KEPT)
			continue;
		if (!writes(kept_of(s, entry)))
			reads = true;
		else if (kind != SSDPM_CAUSE_JOURNAL &&
			 kind != SSDPM_CAUSE_KERNEL)
			return false;
	}
	return reads;
}

static int try_cause(struct help_search *s, uint16_t cause,
		     struct ssdpm_error *reterr)
{
	static const uint8_t kinds[][MAX_HELPS_OF_CAUSE] = {
		[SSDPM_CAUSE_PROCESS] = { SSDPM_HELP_INTERVAL,
					  SSDPM_HELP_ADMIN_INTERVAL },
		[SSDPM_CAUSE_WRITEBACK] = { SSDPM_HELP_WRITEBACK_INTERVAL,
					    SSDPM_HELP_LAPTOP_MODE },
		[SSDPM_CAUSE_JOURNAL] = { SSDPM_HELP_COMMIT_INTERVAL,
					  SSDPM_HELP_NOATIME },
		[SSDPM_CAUSE_OTHER] = { 0 },
		[SSDPM_CAUSE_CGROUP] = { SSDPM_HELP_WRITEBACK_INTERVAL,
					 SSDPM_HELP_LAPTOP_MODE },
	};
	const uint8_t *of_cause = kinds[kind_of(s, cause)];
	int err = 0;

	for (size_t i = 0; i < MAX_HELPS_OF_CAUSE && of_cause[i] && !err; i++)
		if (of_cause[i] != SSDPM_HELP_NOATIME || reads_alone(s))
			err = try_kind(s, of_cause[i], cause, reterr);
	return err;
}

static int run(struct help_search *s, struct ssdpm_error *reterr)
{
	const struct what_if none = { 0 };

	add_ios(s);
	add_admin(s);
	sort(s, s->entries, s->n);
	find_movers(s);
	int err = simulate(s, &none, &s->energy_nj, &s->n_wakes, reterr);
	for (size_t i = 0; i < s->drive->n_causes && !err; i++)
		err = try_cause(s, s->drive->causes[i], reterr);
	return err;
}

static int search(struct help_search *s, struct ssdpm_error *reterr)
{
	size_t n = s->drive->n_kept + MAX_ASKED;
	int err = 0;

	s->entries = malloc(n * sizeof(*s->entries));
	s->moved = malloc(n * sizeof(*s->moved));
	s->scratch = malloc(n * sizeof(*s->scratch));
	s->helps = malloc((s->drive->n_causes + 1) * MAX_HELPS_OF_CAUSE *
			  sizeof(*s->helps));
	if (!s->entries || !s->moved || !s->scratch || !s->helps)
		err = ssdpm__no_memory(reterr);
	else if (s->drive->n_kept)
		err = run(s, reterr);
	free(s->entries);
	free(s->moved);
	free(s->scratch);
	if (err || !s->n_helps) {
		free(s->helps);
		s->helps = NULL;
	}
	return err;
}

int ssdpm_observation_list_help(const struct ssdpm_observation *observation,
				size_t drive, struct ssdpm_help **ret_helps,
				size_t *ret_n, struct ssdpm_error *reterr)
{
	struct ssdpm_observed known = { .size = sizeof(known) };
	int err =
		ssdpm_observation_get_drive(observation, drive, &known, reterr);
	struct help_search *s;

	if (err)
		return err;
	s = calloc(1, sizeof(*s));
	if (!s)
		return ssdpm__no_memory(reterr);
	s->causes = &observation->causes;
	s->drive = observation->drives[drive];
	s->until_ns = known.now_ns;
	err = search(s, reterr);
	if (!err) {
		*ret_helps = s->helps;
		*ret_n = s->n_helps;
	}
	free(s);
	return err;
}
