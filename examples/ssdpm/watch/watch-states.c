/* SPDX-License-Identifier: MIT */
/* How long a drive was in each state. */
#include "text/device.h"
#include "text/output.h"
#include "watch/watch.h"

#include <stdlib.h>

struct timeline *read_states(const struct watch *watch, size_t index)
{
	struct timeline *timeline = calloc(1, sizeof(*timeline));
	struct ssdpm_error error;

	if (!timeline) {
		out_of_memory();
	} else if (ssdpm_observation_replay(watch->observation, index,
					    timeline_change, timeline,
					    &error)) {
		complain("%s: %s", watch->watched[index].drive->name,
			 error.message);
		free(timeline);
		timeline = NULL;
	}
	return timeline;
}

static void state_row(struct table *table, const char *name, uint64_t ns,
		      uint64_t of_ns)
{
	if (ns)
		table_row(table, name, share_text(ns, of_ns).text,
			  time_text(ns).text);
}

/* Nobody knows the state of a drive in a gap, so it has no share. */
static void print_timeline(const struct timeline *t,
			   const struct ssdpm_model *model, const char *head)
{
	const uint64_t unknown_ns = timeline_ns(t, TIMELINE_UNKNOWN);
	const uint64_t ns = t->last_ns - unknown_ns;
	struct table table;

	table_begin(&table, "<>>", head, "share", "time");
	state_row(&table, "busy", timeline_ns(t, TIMELINE_BUSY), ns);
	state_row(&table, "idle, awake", timeline_ns(t, TIMELINE_IDLE), ns);
	state_row(&table, "entering or leaving",
		  timeline_ns(t, TIMELINE_TRANSITION), ns);
	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++)
		state_row(&table,
			  cell("asleep in %s", state_text(model, i).text).text,
			  timeline_ns(t, TIMELINE_ASLEEP + i), ns);
	if (unknown_ns)
		table_row(&table, "not traced", "unknown",
			  time_text(unknown_ns).text);
	table_print(&table);
}

enum exit_status print_states_of(const struct watch *watch, size_t index,
				 const struct ssdpm_observed *drive)
{
	struct timeline *timeline;
	struct cell head = cell("state");

	if (!drive->n_ios)
		return STATUS_DONE;
	timeline = read_states(watch, index);
	if (!timeline)
		return STATUS_FAILED;
	/* It has the I/Os that are still known. */
	if (timeline->last_ns < drive->now_ns - drive->start_ns)
		head = cell("state in the last %s",
			    time_text(timeline->last_ns).text);
	print_timeline(timeline, watch->watched[index].drive->model, head.text);
	free(timeline);
	return STATUS_DONE;
}
