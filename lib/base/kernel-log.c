/* SPDX-License-Identifier: MIT */
/* Lines of the kernel's log. */
#include "base/kernel-log.h"

#include <string.h>

/* A line is cut in two at a mark. */
static bool cut(struct span line, const char *mark, struct span *ret_before,
		struct span *ret_after)
{
	struct span at = line;

	for (; at.at < at.end; at.at++) {
		line.end = at.at;
		if (ssdpm__take(&at, mark)) {
			*ret_before = line;
			*ret_after = at;
			return true;
		}
	}
	return false;
}

/* journalctl: "Nov 30 17:43:50 host kernel: "; dmesg -x: "kern  :info  : " */
static bool is_of_kernel(struct span head)
{
	struct span word, last = { 0 };
	struct span rest = head;

	while (ssdpm__take_word(&rest, &word))
		last = word;
	return ssdpm__span_is(last, "kernel") || ssdpm__take(&head, "kern  :");
}

/* "2026-11-30T17:43:50,123456+00:00", as dmesg --time-format iso has it. */
static bool is_time(struct span word)
{
	static const char characters[] = "0123456789-T:,.+Z";

	for (; word.at < word.end; word.at++)
		if (!memchr(characters, *word.at, sizeof(characters) - 1))
			return false;
	return true;
}

/* "<6>", "[   12.345678] ", and "[   T12] " of the caller. */
static void skip_time(struct span *line)
{
	struct span before, rest = *line;
	uint64_t priority;

	if (ssdpm__take(&rest, "<") &&
	    ssdpm__take_uint(&rest, UINT64_MAX, &priority) &&
	    ssdpm__take(&rest, ">"))
		*line = rest;
	while (line->at < line->end && *line->at == '[' &&
	       cut(*line, "]", &before, &rest))
		*line = rest;
	rest = *line;
	if (ssdpm__take_word(&rest, &before) && is_time(before))
		*line = rest;
}

bool ssdpm__log_message(struct span line, struct span *ret_message)
{
	struct span before, after, number = line;
	uint64_t priority;

	/* "6,1234,5678,-;": LOG_KERN is 0, and a program cannot give that. */
	if (ssdpm__take_uint(&number, UINT64_MAX, &priority) &&
	    ssdpm__take(&number, ",") && cut(line, ";", &before, &after)) {
		*ret_message = after;
		return priority < 8;
	}
	if (cut(line, ": ", &before, &after) && is_of_kernel(before))
		line = after;
	skip_time(&line);
	*ret_message = line;
	return true;
}

bool ssdpm__log_split(struct span message, const char *mark,
		      struct span *ret_driver, struct span *ret_device,
		      struct span *ret_rest)
{
	struct span head;

	return cut(message, mark, &head, ret_rest) &&
	       ssdpm__take_word(&head, ret_driver) &&
	       ret_driver->end[-1] != ':' &&
	       ssdpm__take_word(&head, ret_device) && head.at == head.end;
}

bool ssdpm__log_quirk(struct span message, struct span *ret_address)
{
	struct span driver, rest;

	return ssdpm__log_split(message, SSDPM__LOG_QUIRK, &driver, ret_address,
				&rest) &&
	       ssdpm__span_is(driver, "nvme");
}

bool ssdpm__log_probe(struct span message, struct span *ret_drive,
		      struct span *ret_address)
{
	struct span driver;

	return ssdpm__log_split(message, SSDPM__LOG_PROBE, &driver, ret_drive,
				ret_address) &&
	       ssdpm__span_is(driver, "nvme");
}

bool ssdpm__log_boot(struct span message)
{
	return ssdpm__take(&message, "Linux version ");
}
