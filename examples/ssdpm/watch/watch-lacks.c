/* SPDX-License-Identifier: MIT */
/* What stays unknown because a kernel lacks trace events. */
#include "programs.h"
#include "watch/watch.h"

#include <string.h>

static const struct {
	const char *event;
	const char *words;
} unknowns[] = {
	{ "block_bio_queue",
	  "who asks for an I/O is who sends it to the drive" },
	{ "block_bio_remap",
	  "who uses dm-crypt, LVM, md and btrfs is unknown" },
	{ "block_rq_requeue", "an I/O that is sent again may count twice" },
	{ "nvme_setup_cmd", "admin commands are unknown" },
	{ "writeback_dirty_folio",
	  "who wrote what is written back is unknown" },
	{ "writeback_single_inode_start",
	  "which file is written back is unknown" },
};

static const char *words_of(const char *event)
{
	for (size_t i = 0; i < sizeof(unknowns) / sizeof(unknowns[0]); i++)
		if (!strcmp(event, unknowns[i].event))
			return unknowns[i].words;
	return "what it tells is unknown";
}

/* SATA drives have no such commands. */
static bool is_admin_unknown(const struct watch *watch)
{
	for (size_t i = 0; i < watch->n; i++) {
		struct ssdpm_observed drive = { .size = sizeof(drive) };

		if (!ssdpm_observation_get_drive(watch->observation, i, &drive,
						 NULL) &&
		    drive.n_admin == SSDPM_ADMIN_UNKNOWN)
			return true;
	}
	return false;
}

void remark_lacking(const struct watch *watch)
{
	const struct ssdpm_observation *observation = watch->observation;
	const char *path;

	for (size_t i = 0; (path = ssdpm_observation_get_event(i)); i++) {
		const char *event = strrchr(path, '/') + 1;

		if (watch->common->quiet ||
		    !ssdpm_observation_lacks_event(observation, i) ||
		    (!strcmp(event, "nvme_setup_cmd") &&
		     !is_admin_unknown(watch)))
			continue;
		remark("%s lacks the trace event %s: %s",
		       watch->options->read ? "the kernel of this recording" :
					      "this kernel",
		       event, words_of(event));
	}
}
