/* SPDX-License-Identifier: MIT */
/* What to tell the authors of the kernel: no serial number is in it. */
#include "bisect/bisect.h"

#include <stdlib.h>
#include <string.h>

#define MAX_LOG_LINES 40

static void print_drives_of(const struct search *search)
{
	puts("Drives:");
	for (size_t i = 0; i < search->n_drives; i++) {
		const struct searched_drive *d = &search->drives[i];

		printf("  %s: %s, firmware %s%s%s\n", d->name, d->product,
		       d->firmware[0] ? d->firmware : "unknown",
		       d->pci[0] ? ", PCI " : "", d->pci);
	}
	printf("Linux %s\n", search->live->facts.linux_release[0] ?
				     search->live->facts.linux_release :
				     "of an unknown release");
}

static void print_trials(const struct search *search)
{
	struct ssdpm_bisect_trial trial = { .size = sizeof(trial) };
	struct table table;

	table_begin(&table, ">><<", "trial", "entries", "verdict", "settings");
	for (size_t i = 0;
	     !ssdpm_bisect_get_trial(search->bisect, i, &trial, NULL); i++) {
		char settings[200] = "";
		size_t at = 0;

		for (size_t j = 0;
		     ssdpm_bisect_get_suspect(search->bisect, j) &&
		     at < sizeof(settings);
		     j++)
			at += (size_t)snprintf(
				settings + at, sizeof(settings) - at, "%s%s %s",
				j ? ", " : "", drive_of(search, j)->name,
				step_text(search, j, trial.steps[j]).text);
		table_row(&table, cell("%zu", i + 1).text,
			  cell("%llu", (unsigned long long)trial.entries).text,
			  ssdpm_bisect_verdict_to_string(trial.verdict),
			  settings);
	}
	table_print(&table);
}

/* Lines of a kernel log that are signs of a fault: the latest ones. */
static enum exit_status print_log(const char *path)
{
	struct buffer buffer = { 0 };
	size_t starts[MAX_LOG_LINES], n = 0;
	char *text;

	if (read_operand(path, &buffer)) {
		free(buffer.data);
		return STATUS_FAILED;
	}
	text = buffer.data;
	for (size_t at = 0; at < buffer.size;) {
		const char *end = memchr(text + at, '\n', buffer.size - at);
		const size_t size =
			end ? (size_t)(end - text) - at : buffer.size - at;
		struct ssdpm_fault fault = { .size = sizeof(fault) };

		ssdpm_fault_from_line(text + at, size, &fault, NULL);
		if (fault.kind)
			starts[n++ % MAX_LOG_LINES] = at;
		at += size + 1;
	}
	printf("Lines of the log with signs of faults: %zu%s\n", n,
	       n > MAX_LOG_LINES ? "; the last ones" : "");
	for (size_t i = n > MAX_LOG_LINES ? n - MAX_LOG_LINES : 0; i < n; i++) {
		const char *line = text + starts[i % MAX_LOG_LINES];
		const size_t left = buffer.size - starts[i % MAX_LOG_LINES];
		const char *end = memchr(line, '\n', left);

		printf("  %.*s\n", (int)(end ? (size_t)(end - line) : left),
		       line);
	}
	free(buffer.data);
	return STATUS_DONE;
}

enum exit_status print_bisect_report(const struct search *search,
				     const char *log)
{
	const struct ssdpm_bisect_state state = state_of_search(search);

	print_drives_of(search);
	print_trials(search);
	if (state.decision == SSDPM_BISECT_SEARCHING)
		puts("The search has not ended.");
	else
		print_end_of_search(search);
	return log ? print_log(log) : STATUS_DONE;
}
