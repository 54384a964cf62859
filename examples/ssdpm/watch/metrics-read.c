/* SPDX-License-Identifier: MIT */
/* Counters of a file that ssdpm watch wrote before. */
#include "watch/metrics.h"

#include <inttypes.h>
#include <string.h>

/* With room for whatever is added. */
#define MAX_COUNT (UINT64_MAX / 4)

struct told_drive new_told_drive(const char *name)
{
	struct told_drive drive = {
		.n_causes = TOLD_OTHER + 1,
		.causes = {
			[TOLD_REST] = { .name = "nobody" },
			[TOLD_OTHER] = { .kind = SSDPM_CAUSE_OTHER,
					 .name = "other" },
		},
	};

	snprintf(drive.name, sizeof(drive.name), "%s", name);
	return drive;
}

struct told_drive *told_drive(struct told *told, const char *name)
{
	for (size_t i = 0; i < told->n; i++)
		if (!strcmp(told->drives[i].name, name))
			return &told->drives[i];
	if (told->n == MAX_TOLD_DRIVES)
		return NULL;
	told->drives[told->n] = new_told_drive(name);
	return &told->drives[told->n++];
}

/* One that has its label; NULL: none. */
static struct told_cause *find_cause(struct told_drive *drive, uint32_t kind,
				     const char *name)
{
	for (size_t i = 0; i < drive->n_causes; i++)
		if (drive->causes[i].kind == kind &&
		    !strcmp(drive->causes[i].name, name))
			return &drive->causes[i];
	return NULL;
}

struct told_cause *told_cause(struct told_drive *drive, uint32_t kind,
			      const char *name)
{
	struct told_cause *cause = find_cause(drive, kind, name);

	if (cause || drive->n_causes == MAX_TOLD_CAUSES)
		return cause;
	cause = &drive->causes[drive->n_causes++];
	*cause = (struct told_cause){ .kind = kind };
	snprintf(cause->name, sizeof(cause->name), "%s", name);
	return cause;
}

static bool skip(const char **at, const char *word)
{
	const size_t n = strlen(word);

	if (strncmp(*at, word, n) != 0)
		return false;
	*at += n;
	return true;
}

/* key="text", unescaped. */
static bool take_label(const char **at, const char *key, char *text,
		       size_t size)
{
	size_t n = 0;

	if (!skip(at, key) || !skip(at, "=\""))
		return false;
	while (**at && **at != '"') {
		if (**at == '\\')
			++*at;
		if (!**at || n + 1 == size)
			return false;
		text[n++] = *(*at)++;
	}
	text[n] = 0;
	return skip(at, "\"");
}

static bool take_digits(const char **at, uint64_t *value)
{
	const char *begin = *at;

	for (; **at >= '0' && **at <= '9'; ++*at) {
		if (*value > MAX_COUNT / 10)
			return false;
		*value = *value * 10 + (uint64_t)(**at - '0');
	}
	return *at > begin;
}

/* To the end of the line. */
static bool take_value(const char *at, bool is_nano, uint64_t *ret_value)
{
	uint64_t value = 0;

	if (!skip(&at, " ") || !take_digits(&at, &value))
		return false;
	if (is_nano) {
		const char *point = at;

		if (!skip(&at, ".") || !take_digits(&at, &value) ||
		    at != point + 10)
			return false;
	}
	*ret_value = value;
	return !*at;
}

static bool read_state(const char *at, struct told_drive *drive)
{
	char word[16];

	if (!skip(&at, ",") || !take_label(&at, "state", word, sizeof(word)) ||
	    !skip(&at, "}"))
		return false;
	for (size_t i = 0; i < N_STATES; i++)
		if (!strcmp(word, state_words[i]))
			return take_value(at, true, &drive->counts[i]);
	return false;
}

static bool read_cause(const char *at, const struct metric *metric,
		       struct told_drive *drive)
{
	char name[SSDPM_CAUSE_NAME], word[16];
	struct told_cause *cause;
	uint32_t kind;

	if (!skip(&at, ",") || !take_label(&at, "cause", name, sizeof(name)) ||
	    !skip(&at, ",") || !take_label(&at, "kind", word, sizeof(word)) ||
	    !skip(&at, "}"))
		return false;
	kind = ssdpm_cause_kind_from_string(word);
	if (!kind && strcmp(word, kind_word(0)) != 0)
		return false;
	ssdpm_text_blunt(name);
	cause = told_cause(drive, kind, name);
	return cause &&
	       take_value(at, metric->is_nano, &cause->counts[metric->index]);
}

static bool read_info(const char *at, struct told_drive *drive)
{
	bool done =
		skip(&at, ",") &&
		take_label(&at, "model", drive->model, sizeof(drive->model)) &&
		skip(&at, ",") &&
		take_label(&at, "firmware", drive->firmware,
			   sizeof(drive->firmware));

	ssdpm_text_blunt(drive->model);
	ssdpm_text_blunt(drive->firmware);
	return done;
}

static bool read_sample(const char *at, const struct metric *metric,
			struct told *told)
{
	struct told_drive *drive;
	char name[sizeof(drive->name)];

	if (metric->scope == OF_ALL)
		return take_value(at, metric->is_nano,
				  &told->counts[metric->index]);
	if (!skip(&at, "{") || !take_label(&at, "drive", name, sizeof(name)))
		return false;
	ssdpm_text_blunt(name);
	drive = told_drive(told, name);
	if (!drive)
		return false;
	switch (metric->scope) {
	case OF_STATE:
		return read_state(at, drive);
	case OF_CAUSE:
		return read_cause(at, metric, drive);
	case OF_INFO:
		return read_info(at, drive);
	case OF_DRIVE:
		return skip(&at, "}") &&
		       take_value(at, metric->is_nano,
				  &drive->counts[metric->index]);
	default:
		return true;
	}
}

/* A metric that is not known would be lost. */
static bool read_line(const char *line, struct told *told)
{
	const size_t n = strcspn(line, "{ ");

	if (*line == '#')
		return true;
	for (size_t m = 0; m < n_metrics; m++)
		if (strlen(metrics[m].name) == n &&
		    !memcmp(metrics[m].name, line, n))
			return read_sample(line + n, &metrics[m], told);
	return false;
}

/* Where the last line begins: the text ends with a line feed. */
static size_t last_line(const char *text, size_t size)
{
	size_t at = size - 1;

	while (at && text[at - 1] != '\n')
		at--;
	return at;
}

static bool is_whole(const char *text, size_t size, size_t last)
{
	char line[48];
	const int n = snprintf(line, sizeof(line), "%s%016" PRIx64 "\n",
			       metrics_checksum, checksum_of(text, last));

	return size - last == (size_t)n &&
	       !memcmp(text + last, line, (size_t)n);
}

enum metrics_state read_metrics(char *text, size_t size, struct told *told)
{
	const size_t n_mark = strlen(metrics_mark);
	const size_t n = size < n_mark ? size : n_mark;
	enum metrics_state state = METRICS_READ;
	size_t last;

	if (memcmp(text, metrics_mark, n) != 0)
		return METRICS_FOREIGN;
	if (size < n_mark)
		return METRICS_DAMAGED;
	last = last_line(text, size);
	if (memchr(text, 0, last) || !is_whole(text, size, last))
		return METRICS_DAMAGED;
	text[last] = 0;
	for (char *at = text, *end; (end = strchr(at, '\n')); at = end + 1) {
		*end = 0;
		if (!read_line(at, told))
			state = METRICS_NEWER;
	}
	return state;
}
