/* SPDX-License-Identifier: MIT */
/* A report for the authors of the kernel, without a serial number. */
#include "bisect/bisect.h"
#include "text/device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LOG_LINES 40
#define SERIAL_BYTES 48

static void print_found_drive(const struct search *search,
			      const struct drive *drive)
{
	struct insight insight;

	if (look_into(search->common, drive, &insight))
		return;
	print_device_settings(drive, &insight);
	print_power_states(drive);
	free_insight(&insight);
}

/* Reads it again, if it is the drive of the start: ret->n is 0 otherwise. */
static enum exit_status read_now(const struct search *search,
				 const struct searched_drive *searched,
				 struct drives *ret)
{
	struct ssdpm_device *device = read_searched(search, searched);
	char name[sizeof(searched->name)], *operands[] = { name };

	*ret = (struct drives){ 0 };
	if (!device)
		return STATUS_DONE;
	ssdpm_device_unref(device);
	memcpy(name, searched->name, sizeof(name));
	return read_devices(search->common, operands, 1, ret);
}

/* Its settings and tables of now: without a serial number. */
static enum exit_status print_now(const struct search *search,
				  const struct searched_drive *searched)
{
	struct drives drives;
	enum exit_status status = read_now(search, searched, &drives);

	if (!status && drives.n)
		print_found_drive(search, &drives.drives[0]);
	else if (!status)
		printf("%s is gone, or another drive has its name\n",
		       searched->name);
	free_drives(&drives);
	return status;
}

static enum exit_status print_drives_now(const struct search *search)
{
	enum exit_status status = STATUS_DONE;

	puts("Drives as they are now:");
	for (size_t i = 0; i < search->n_drives && !status; i++)
		status = print_now(search, &search->drives[i]);
	return status;
}

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

	table_begin(&table, ">><<", "trial", entries_word(search), "verdict",
		    "settings");
	for (size_t i = 0;
	     !ssdpm_bisect_get_trial(search->bisect, i, &trial, NULL); i++) {
		char settings[SSDPM_BISECT_SUSPECTS * 128] = "";
		size_t at = 0;

		for (size_t j = 0;
		     ssdpm_bisect_get_suspect(search->bisect, j) &&
		     at < sizeof(settings);
		     j++)
			at += (size_t)snprintf(
				settings + at, sizeof(settings) - at, "%s%s %s",
				j ? ", " : "", drive_of(search, j)->name,
				short_step_text(search, j, trial.steps[j])
					.text);
		table_row(&table, cell("%zu", i + 1).text,
			  cell("%llu", (unsigned long long)trial.entries).text,
			  ssdpm_bisect_verdict_to_string(trial.verdict),
			  settings);
	}
	table_print(&table);
}

/* What a report must not tell. */
struct serials {
	size_t n;
	char texts[SSDPM_BISECT_SUSPECTS][SERIAL_BYTES];
};

/* Words 10 to 19 of IDENTIFY DEVICE, as sysfs prints it: two letters each. */
static void decode_ata_serial(const char *text, char *to)
{
	unsigned int words[20];
	size_t n = 0;
	int used;

	while (n < 20 && sscanf(text, "%4x%n", &words[n], &used) == 1) {
		text += used;
		n++;
	}
	for (size_t i = 10; i < n; i++) {
		*to++ = (char)(words[i] >> 8);
		*to++ = (char)words[i];
	}
	*to = 0;
}

static char *trim(char *text)
{
	size_t n;

	text += strspn(text, " ");
	n = strlen(text);
	while (n && text[n - 1] == ' ')
		n--;
	text[n] = 0;
	return text;
}

/* The number of a drive that is here; without a number nothing is added. */
static void add_serial(const struct search *search, const char *name,
		       struct serials *serials)
{
	char path[300], text[2048], word[SERIAL_BYTES] = "";
	struct ssdpm_device *device;

	if (ssdpm_device_read(search->live->machine, name, &device, NULL))
		return;
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	const bool is_nvme = facts->kind == SSDPM_KIND_NVME;

	if (is_nvme)
		snprintf(path, sizeof(path), "%.270s/serial", facts->path + 1);
	else
		snprintf(path, sizeof(path), "sys/class/ata_device/dev%u.0/id",
			 facts->ata_port);
	ssdpm_device_unref(device);
	if (ssdpm_machine_read_attribute(search->live->machine, path, text,
					 sizeof(text), NULL))
		return;
	if (is_nvme)
		snprintf(word, sizeof(word), "%.40s", text);
	else
		decode_ata_serial(text, word);
	if (trim(word)[0])
		strcpy(serials->texts[serials->n++], trim(word));
}

/* A line as it may be sent: no host name, no serial number, no escapes. */
static void quote_line(const struct serials *serials, const char *from,
		       size_t size)
{
	static const char mark[] = " kernel: ";
	char *line = strndup(from, size), *text, *at;

	if (!line)
		return;
	ssdpm_text_blunt(line);
	text = strstr(line, mark);
	text = text ? text + strlen(mark) : line;
	for (size_t i = 0; i < serials->n; i++) {
		const size_t n = strlen(serials->texts[i]);

		for (at = text; (at = strstr(at, serials->texts[i])); at += n)
			memset(at, 'X', n);
	}
	printf("  %s\n", text);
	free(line);
}

/* Lines of a kernel log that are signs of a fault: the latest ones. */
struct signs {
	size_t n;
	char *lines[MAX_LOG_LINES];
};

/* A log of a year may be larger than the memory: line by line. */
static enum exit_status find_signs(FILE *log, struct signs *signs)
{
	char *line = NULL;
	size_t capacity = 0;
	ssize_t n;

	while ((n = getline(&line, &capacity, log)) >= 0) {
		struct ssdpm_fault fault = { .size = sizeof(fault) };
		char **kept = &signs->lines[signs->n % MAX_LOG_LINES];

		n -= n && line[n - 1] == '\n';
		ssdpm_fault_from_line(line, (size_t)n, &fault, NULL);
		if (!fault.kind)
			continue;
		free(*kept);
		*kept = strndup(line, (size_t)n);
		signs->n++;
	}
	free(line);
	return ferror(log) ? STATUS_FAILED : STATUS_DONE;
}

static void print_signs(const struct search *search, const struct signs *signs)
{
	const bool is_full = signs->n > MAX_LOG_LINES;
	struct serials serials = { 0 };

	for (size_t i = 0; i < search->n_drives; i++)
		add_serial(search, search->drives[i].name, &serials);
	printf("Lines of the log with signs of faults: %zu%s\n", signs->n,
	       is_full ? "; the last ones" : "");
	for (size_t i = is_full ? signs->n - MAX_LOG_LINES : 0; i < signs->n;
	     i++) {
		const char *line = signs->lines[i % MAX_LOG_LINES];

		if (line)
			quote_line(&serials, line, strlen(line));
	}
}

static enum exit_status read_log(const char *path, struct signs *signs)
{
	FILE *log = strcmp(path, "-") ? fopen(path, "re") : stdin;
	enum exit_status status;

	if (!log)
		return cannot("read", path, errno);
	status = find_signs(log, signs);
	if (status)
		status = cannot("read", path, errno);
	if (log != stdin)
		fclose(log);
	return status;
}

static enum exit_status print_whole_search(const struct search *search)
{
	const struct ssdpm_bisect_state state = state_of_search(search);

	print_drives_of(search);
	print_trials(search);
	print_signs_of_trials(search);
	if (state.decision == SSDPM_BISECT_SEARCHING)
		puts("The search has not ended.");
	else
		print_end_of_search(search);
	return print_drives_now(search);
}

/* The log is read first, so that a report that fails is not half of one. */
enum exit_status print_bisect_report(const struct search *search,
				     const char *log)
{
	struct signs signs = { 0 };
	enum exit_status status = log ? read_log(log, &signs) : STATUS_DONE;

	if (!status)
		status = print_whole_search(search);
	if (!status && log)
		print_signs(search, &signs);
	for (size_t i = 0; i < MAX_LOG_LINES; i++)
		free(signs.lines[i]);
	return status;
}

static enum exit_status add_now(const struct search *search,
				const struct searched_drive *searched,
				struct items *items)
{
	struct drives drives;
	struct shown shown = { .drive = NULL };
	enum exit_status status = read_now(search, searched, &drives);

	if (!status && drives.n) {
		shown.drive = &drives.drives[0];
		status = look_into(search->common, shown.drive, &shown.insight);
		if (!status)
			add_shown(items, false, &shown);
		free_insight(&shown.insight);
	}
	free_drives(&drives);
	return status;
}

enum exit_status print_bisect_report_json(const struct search *search)
{
	enum exit_status status = add_unrestored(search);
	struct items items = { 0 };
	struct ssdpm_error error;
	char *text = NULL;
	int err;

	for (size_t i = 0; i < search->n_drives && !status; i++)
		status = add_now(search, &search->drives[i], &items);
	if (!status && !items.failed) {
		err = ssdpm_bisect_to_json(search->bisect,
					   (const char *const *)items.texts,
					   items.n, &text, &error);
		status = print_item(search->common, err, text, &error);
	}
	free_items(&items);
	return status;
}
