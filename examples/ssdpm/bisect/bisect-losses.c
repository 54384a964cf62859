/* SPDX-License-Identifier: MIT */
/* Settings of a trial that Linux has turned off since the trial was set. */
#include "bisect/bisect-log.h"
#include "options/advised.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t losses[] = {
	SSDPM_FAULT_NCQ_OFF,
	SSDPM_FAULT_SLOWED,
	SSDPM_FAULT_LPM_OFF,
	SSDPM_FAULT_APST_FAILED,
};

enum { N_LOSSES = sizeof(losses) / sizeof(losses[0]) };

/* NO_RECORD: no trial of this boot was set, or there was no log. */
static uint64_t first_record(const struct search *search)
{
	const char *token = ssdpm_bisect_get_token(search->bisect);
	const char *at = token && is_of_this_boot(search, token) ?
				 strchr(token, TOKEN_RECORD) :
				 NULL;

	return at ? strtoull(at + 1, NULL, 10) : NO_RECORD;
}

static const char *advice_of_loss(uint32_t fault)
{
	switch (fault) {
	case SSDPM_FAULT_LPM_OFF:
		return "restart the machine, and set the trial again: ssdpm "
		       "bisect set";
	case SSDPM_FAULT_APST_FAILED:
		return "set the trial again: ssdpm bisect set";
	default:
		return "call it bad: ssdpm bisect bad";
	}
}

/* "": it is not among these faults. */
static struct cell loss_text(const struct searched_drive *drive,
			     uint32_t faults, uint32_t loss)
{
	if (!(faults & 1U << loss))
		return cell("%s", "");
	return cell("%s: %s, so this trial cannot be good: %s", drive->name,
		    lost_setting_text(loss), advice_of_loss(loss));
}

static uint32_t losses_of(const struct search *search, size_t drive,
			  bool *ret_known)
{
	struct fault_sign sign;
	uint32_t faults;

	*ret_known = find_past_faults(search, drive, first_record(search),
				      &faults, &sign);
	if (is_lpm_lost(search, drive))
		faults |= 1U << SSDPM_FAULT_LPM_OFF;
	return faults;
}

struct fault_sign find_past_sign(const struct search *search)
{
	struct fault_sign first = { .time_us = UINT64_MAX }, sign;
	uint32_t faults;

	for (size_t i = 0; i < search->n_drives; i++) {
		find_past_faults(search, i, first_record(search), &faults,
				 &sign);
		if (sign.what.text[0] &&
		    (!first.what.text[0] || sign.time_us < first.time_us))
			first = sign;
	}
	return first;
}

enum exit_status check_losses(const struct search *search)
{
	enum exit_status status = STATUS_DONE;
	bool is_known, is_all = true;

	for (size_t i = 0; i < search->n_drives; i++) {
		const uint32_t faults = losses_of(search, i, &is_known);

		is_all = is_all && is_known;
		for (size_t j = 0; j < N_LOSSES; j++) {
			const struct cell text = loss_text(&search->drives[i],
							   faults, losses[j]);

			if (!text.text[0])
				continue;
			complain("%s", text.text);
			status = STATUS_NOT_IN_FORCE;
		}
	}
	if (!status && !is_all && first_record(search) != NO_RECORD &&
	    !search->common->quiet)
		remark("the kernel's log does not have all of this trial any "
		       "more: whether Linux has turned a setting off is "
		       "unknown");
	return status;
}

void print_losses(const struct search *search)
{
	bool is_known;

	for (size_t i = 0; i < search->n_drives; i++) {
		const uint32_t faults = losses_of(search, i, &is_known);

		for (size_t j = 0; j < N_LOSSES; j++) {
			/* print_limits() tells of LPM. */
			char *text =
				losses[j] == SSDPM_FAULT_LPM_OFF ?
					NULL :
					advised_text(
						search->live->root,
						loss_text(&search->drives[i],
							  faults, losses[j])
							.text);

			if (text && text[0])
				puts(text);
			free(text);
		}
	}
}
