/* SPDX-License-Identifier: MIT */
/* Settings that are not as they were before the search. */
#include "bisect/bisect.h"
#include "options/advised.h"

#include <stdlib.h>
#include <string.h>

static struct cell features_text(uint32_t features)
{
	struct cell text = { "" };

	for (int i = 0; i < 32; i++)
		if (features & 1U << i)
			text = cell("%s%s%s", text.text,
				    text.text[0] ? "," : "",
				    ssdpm_pcie_feature_to_string(1U << i));
	return text.text[0] ? text : cell("off");
}

static struct cell before_text(const struct search *search, size_t i)
{
	return setting_of(search, i) == SSDPM_BISECT_LINK ?
		       features_text(features_up_to(search, i,
						    last_step(search, i))) :
		       step_text(search, i, last_step(search, i));
}

/* In the words of before_text(); "": it cannot be read. */
static struct cell now_text(const struct search *search, size_t i,
			    const struct ssdpm_device *device)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	char text[16];

	switch (setting_of(search, i)) {
	case SSDPM_BISECT_LATENCY_LIMIT:
		return facts->known & SSDPM_FACT_LATENCY_TOLERANCE ?
			       step_limit_text(facts->latency_tolerance_us) :
			       cell("%s", "");
	case SSDPM_BISECT_LPM:
		return cell("%s", facts->known & SSDPM_FACT_LPM ?
					  ssdpm_lpm_to_string(facts->lpm) :
					  "");
	case SSDPM_BISECT_LINK:
		return facts->known & SSDPM_FACT_PCIE ?
			       features_text(facts->pcie_enabled) :
			       cell("%s", "");
	default:
		return cell("%s", read_queue_depth(search->live, device, text,
						   sizeof(text)) ?
					  text :
					  "");
	}
}

/* "": it cannot be read, and *ret_word says so. */
static bool is_as_before(const struct search *search, size_t i,
			 struct cell *ret_now, const char **ret_word)
{
	struct ssdpm_device *device =
		read_searched(search, drive_of(search, i));

	*ret_now = device ? now_text(search, i, device) : cell("%s", "");
	*ret_word = ret_now->text[0] ? ret_now->text :
		    device	     ? "unknown" :
				       "the drive is gone";
	ssdpm_device_unref(device);
	return !strcmp(*ret_word, before_text(search, i).text);
}

bool is_unknown_now(const struct search *search, size_t i)
{
	struct ssdpm_device *device =
		read_searched(search, drive_of(search, i));
	const bool is_unknown = device && !now_text(search, i, device).text[0];

	ssdpm_device_unref(device);
	return is_unknown;
}

bool is_all_restored(const struct search *search)
{
	const char *word;
	struct cell now;

	for (size_t i = 0; ssdpm_bisect_get_suspect(search->bisect, i); i++)
		if (!is_as_before(search, i, &now, &word))
			return false;
	return true;
}

enum exit_status add_unrestored(const struct search *search)
{
	struct ssdpm_error error;
	const char *word;
	struct cell now;

	if (state_of_search(search).decision == SSDPM_BISECT_SEARCHING)
		return STATUS_DONE;
	for (uint32_t i = 0; ssdpm_bisect_get_suspect(search->bisect, i); i++)
		if (!is_as_before(search, i, &now, &word) &&
		    ssdpm_bisect_add_unrestored(
			    search->bisect, i, before_text(search, i).text,
			    now.text[0] ? now.text : NULL, &error))
			return failure("%s", error.message);
	return STATUS_DONE;
}

static void print_way_out(const struct search *search)
{
	char *text = advised_text(search->live->root,
				  "To restore what can be restored: ssdpm "
				  "bisect stop");

	if (text)
		puts(text);
	free(text);
}

void print_unrestored(const struct search *search)
{
	bool is_first = true;
	const char *word;
	struct cell now;

	for (size_t i = 0; ssdpm_bisect_get_suspect(search->bisect, i); i++) {
		if (is_as_before(search, i, &now, &word))
			continue;
		if (is_first)
			puts("Not as before the search:");
		is_first = false;
		printf("  %s: %s, before %s\n", suspect_text(search, i).text,
		       word, before_text(search, i).text);
	}
	if (!is_first && !search->is_over && !is_record_empty(search))
		print_way_out(search);
}
