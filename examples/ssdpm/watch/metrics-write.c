/* SPDX-License-Identifier: MIT */
/* Metrics as text: the exposition format of Prometheus, version 0.0.4. */
#include "watch/metrics.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NANO UINT64_C(1000000000)

const char metrics_mark[] =
	"# Counters of ssdpm watch: it goes on from them.\n";
const char metrics_checksum[] = "# checksum: ";

const char state_words[N_STATES][11] = {
	[DRIVE_BUSY] = "busy",		 [DRIVE_IDLE] = "idle",
	[DRIVE_ASLEEP] = "asleep",	 [DRIVE_TRANSITION] = "transition",
	[DRIVE_UNCOVERED] = "uncovered",
};

/* Names have base units, and counters end in _total. */
const struct metric metrics[] = {
	{ "ssdpm_drive_info", OF_INFO, 0, false,
	  "Model and firmware of a drive." },
	{ "ssdpm_drive_watched", OF_WATCHED, 0, false,
	  "1 if the drive is watched now, 0 if it is away." },
	{ "ssdpm_drive_verdict", OF_VERDICT, 0, false,
	  "What ssdpm show said of the settings when the watch began." },
	{ "ssdpm_drive_likely_low_watts", OF_LIKELY, LIKELY_LOW, false,
	  "Mean power: 5 of 100 cases have less, for the latest I/Os." },
	{ "ssdpm_drive_likely_median_watts", OF_LIKELY, LIKELY_MEDIAN, false,
	  "Mean power: 50 of 100 cases have less, for the latest I/Os." },
	{ "ssdpm_drive_likely_high_watts", OF_LIKELY, LIKELY_HIGH, false,
	  "Mean power: 95 of 100 cases have less, for the latest I/Os." },
	{ "ssdpm_drive_state_seconds_total", OF_STATE, 0, true,
	  "Simulated time in each state; uncovered is time without a trace." },
	{ "ssdpm_drive_delayed_ios_total", OF_DRIVE, DRIVE_DELAYED, false,
	  "I/Os that waited for the drive to wake, simulated." },
	{ "ssdpm_drive_delay_seconds_total", OF_DRIVE, DRIVE_DELAY, true,
	  "Time for which I/Os waited for the drive to wake, simulated." },
	{ "ssdpm_drive_uncovered_ios_total", OF_DRIVE, DRIVE_UNCOVERED_IOS,
	  false, "I/Os that the kernel counted while the trace was off." },
	{ "ssdpm_cause_wakeups_total", OF_CAUSE, CAUSE_WAKES, false,
	  "How often an I/O of this cause woke the drive, simulated." },
	{ "ssdpm_cause_ios_total", OF_CAUSE, CAUSE_IOS, false,
	  "I/Os of this cause." },
	{ "ssdpm_cause_bytes_total", OF_CAUSE, CAUSE_BYTES, false,
	  "Bytes of these I/Os." },
	{ "ssdpm_cause_admin_commands_total", OF_CAUSE, CAUSE_ADMIN, false,
	  "Admin commands; their energy is unknown and in no metric." },
	{ "ssdpm_cause_energy_joules_total", OF_CAUSE, CAUSE_ENERGY, true,
	  "Share of the energy, nominal; nobody takes what a drive at rest "
	  "does." },
	{ "ssdpm_watch_lost_events_total", OF_ALL, ALL_LOST, false,
	  "Trace events that the kernel lost." },
	{ "ssdpm_watch_bad_lines_total", OF_ALL, ALL_BAD, false,
	  "Lines of trace events that could not be read." },
	{ "ssdpm_watch_unmatched_ios_total", OF_ALL, ALL_UNMATCHED, false,
	  "I/Os not complete within 30 s." },
};
const size_t n_metrics = sizeof(metrics) / sizeof(metrics[0]);

const char *kind_word(uint32_t kind)
{
	return kind ? ssdpm_cause_kind_to_string(kind) : "rest";
}

/* Texts were blunted, and have no line feeds. */
static void put_label(FILE *file, const char *before, const char *key,
		      const char *text)
{
	fprintf(file, "%s%s=\"", before, key);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putc('\\', file);
		putc(*text, file);
	}
	putc('"', file);
}

static void put_value(FILE *file, const struct metric *metric, uint64_t value)
{
	if (metric->is_nano)
		fprintf(file, " %" PRIu64 ".%09" PRIu64 "\n", value / NANO,
			value % NANO);
	else
		fprintf(file, " %" PRIu64 "\n", value);
}

static void begin_sample(FILE *file, const struct metric *metric,
			 const struct told_drive *drive)
{
	fputs(metric->name, file);
	put_label(file, "{", "drive", drive->name);
}

/* The energy of admin commands is unknown, and nobody at rest sends an I/O. */
static bool is_known(const struct metric *metric,
		     const struct told_drive *drive,
		     const struct told_cause *cause)
{
	if (cause->kind == 0)
		return metric->index == CAUSE_ENERGY;
	if (metric->index == CAUSE_ADMIN && drive->lacks_admin)
		return false;
	return metric->index != CAUSE_ENERGY || cause->counts[CAUSE_IOS] ||
	       cause->counts[CAUSE_BYTES] || !cause->counts[CAUSE_ADMIN];
}

static void put_causes(FILE *file, const struct metric *metric,
		       const struct told_drive *drive)
{
	for (size_t i = 0; i < drive->n_causes; i++) {
		const struct told_cause *cause = &drive->causes[i];

		if (!is_known(metric, drive, cause))
			continue;
		begin_sample(file, metric, drive);
		put_label(file, ",", "cause", cause->name);
		put_label(file, ",", "kind", kind_word(cause->kind));
		putc('}', file);
		put_value(file, metric, cause->counts[metric->index]);
	}
}

static void put_states(FILE *file, const struct metric *metric,
		       const struct told_drive *drive)
{
	for (uint32_t i = 0; i < N_STATES; i++) {
		begin_sample(file, metric, drive);
		put_label(file, ",", "state", state_words[i]);
		putc('}', file);
		put_value(file, metric, drive->counts[i]);
	}
}

static void put_info(FILE *file, const struct metric *metric,
		     const struct told_drive *drive)
{
	begin_sample(file, metric, drive);
	put_label(file, ",", "model", drive->model);
	put_label(file, ",", "firmware", drive->firmware);
	fputs("} 1\n", file);
}

static void put_verdict(FILE *file, const struct metric *metric,
			const struct told_drive *drive)
{
	if (!drive->verdict || !drive->is_watched)
		return;
	begin_sample(file, metric, drive);
	put_label(file, ",", "verdict", drive->verdict);
	fputs("} 1\n", file);
}

static void put_likely(FILE *file, const struct metric *metric,
		       const struct told_drive *drive)
{
	const uint64_t uw = drive->likely_uw[metric->index];

	if (!drive->is_likely || !drive->is_watched)
		return;
	begin_sample(file, metric, drive);
	fprintf(file, "} %" PRIu64 ".%06" PRIu64 "\n", uw / 1000000,
		uw % 1000000);
}

static void put_drive(FILE *file, const struct metric *metric,
		      const struct told_drive *drive)
{
	switch (metric->scope) {
	case OF_CAUSE:
		put_causes(file, metric, drive);
		return;
	case OF_STATE:
		put_states(file, metric, drive);
		return;
	case OF_INFO:
		put_info(file, metric, drive);
		return;
	case OF_VERDICT:
		put_verdict(file, metric, drive);
		return;
	case OF_LIKELY:
		put_likely(file, metric, drive);
		return;
	default:
		begin_sample(file, metric, drive);
		putc('}', file);
		put_value(file, metric,
			  metric->scope == OF_WATCHED ?
				  drive->is_watched :
				  drive->counts[metric->index]);
	}
}

static void put_all(FILE *file, const struct told *told)
{
	fputs(metrics_mark, file);
	for (size_t m = 0; m < n_metrics; m++) {
		const struct metric *metric = &metrics[m];

		fprintf(file, "# HELP %s %s\n# TYPE %s %s\n", metric->name,
			metric->help, metric->name,
			metric->scope < OF_INFO ? "counter" : "gauge");
		if (metric->scope == OF_ALL) {
			fputs(metric->name, file);
			put_value(file, metric, told->counts[metric->index]);
			continue;
		}
		for (size_t i = 0; i < told->n; i++)
			put_drive(file, metric, &told->drives[i]);
	}
}

char *write_metrics(const struct told *told, size_t *ret_size)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, ret_size);

	if (!file)
		return NULL;
	put_all(file, told);
	if (!fflush(file))
		fprintf(file, "%s%016" PRIx64 "\n", metrics_checksum,
			checksum_of(text, *ret_size));
	if (ferror(file) | fclose(file)) {
		free(text);
		return NULL;
	}
	return text;
}
