/* SPDX-License-Identifier: MIT */
#include "input/budget-words.h"

#include <stdlib.h>
#include <string.h>

/* What precedes the next drive. */
struct before {
	uint64_t count; /* 0: none is given */
	bool plus;
	bool any;
	char last[32]; /* the last of these words */
};

void free_budget_words(struct budget_words *words)
{
	for (size_t i = 0; i < words->n; i++)
		free(words->drives[i]);
	free(words->drives);
	free(words->counts);
	free(words->joined);
}

static void keep_last(struct before *before, const char *text, size_t length)
{
	before->any = true;
	snprintf(before->last, sizeof(before->last), "%.*s", (int)length, text);
}

/* The length of "12x" or "12X" at the start; 0: there is none. */
static size_t count_length(const char *text)
{
	const size_t n = strspn(text, "0123456789");

	return n && (text[n] == 'x' || text[n] == 'X') ? n + 1 : 0;
}

static enum exit_status take_count(const struct common *common,
				   const char *text, size_t length,
				   struct before *before)
{
	uint64_t count = 0;

	if (before->count)
		return usage_error(common, "%s %.*s: one count will do",
				   before->last, (int)length, text);
	for (size_t i = 0; i + 1 < length; i++) {
		count = count * 10 + (uint64_t)(text[i] - '0');
		if (count > SSDPM_BUDGET_MAX_ITEMS)
			break;
	}
	if (!count || count > SSDPM_BUDGET_MAX_ITEMS)
		return usage_error(common, "%.*s: 1x to %dx", (int)length, text,
				   SSDPM_BUDGET_MAX_ITEMS);
	before->count = count;
	keep_last(before, text, length);
	return STATUS_DONE;
}

static enum exit_status take_plus(const struct common *common,
				  const struct budget_words *words,
				  struct before *before)
{
	if (!words->n || before->any)
		return usage_error(common, "+ belongs between two drives");
	before->plus = true;
	keep_last(before, "+", 1);
	return STATUS_DONE;
}

static enum exit_status take_drive(const char *text, size_t length,
				   struct before *before,
				   struct budget_words *words)
{
	size_t room = words->n + 1;
	char **drives = realloc(words->drives, room * sizeof(*drives));
	uint64_t *counts;
	bool *joined;

	if (drives)
		words->drives = drives;
	counts = realloc(words->counts, room * sizeof(*counts));
	if (counts)
		words->counts = counts;
	joined = realloc(words->joined, room * sizeof(*joined));
	if (joined)
		words->joined = joined;
	if (!drives || !counts || !joined)
		return out_of_memory();
	drives[words->n] = strndup(text, length);
	if (!drives[words->n])
		return out_of_memory();
	counts[words->n] = before->count ? before->count : 1;
	/* A count begins an item, so that "2x a + 3x b" are five. */
	joined[words->n] = before->plus && !before->count;
	words->n++;
	*before = (struct before){ 0 };
	return STATUS_DONE;
}

/* One operand: "12x", "+", "a.json", "12xSN530", "2x SN530 + 3x PM9A1". */
static enum exit_status take_operand(const struct common *common,
				     const char *text, struct before *before,
				     struct budget_words *words)
{
	enum exit_status status = STATUS_DONE;
	const bool whole = is_file(text) || !*text;
	const char *plus;
	size_t n;

	if (whole)
		return take_drive(text, strlen(text), before, words);
	while (!status && *(text += strspn(text, " "))) {
		n = count_length(text);
		if (n) {
			status = take_count(common, text, n, before);
			text += n;
			continue;
		}
		if (*text == '+' && (!text[1] || text[1] == ' ')) {
			status = take_plus(common, words, before);
			text++;
			continue;
		}
		plus = strstr(text, " + ");
		n = plus ? (size_t)(plus - text) : strlen(text);
		if (!plus && n > 2 && !strcmp(text + n - 2, " +"))
			n -= 2;
		status = take_drive(text, n, before, words);
		text += n;
	}
	return status;
}

enum exit_status read_budget_words(const struct common *common, char **operands,
				   size_t n, struct budget_words *ret_words)
{
	enum exit_status status = STATUS_DONE;
	struct before before = { 0 };

	*ret_words = (struct budget_words){ 0 };
	for (size_t i = 0; i < n && !status; i++)
		status = take_operand(common, operands[i], &before, ret_words);
	if (!status && before.any)
		status = usage_error(common, "%s: no drive follows",
				     before.last);
	return status;
}
