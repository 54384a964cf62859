/* SPDX-License-Identifier: MIT */
#ifndef SSDPM_LIB_BISECT_INTERNAL_H
#define SSDPM_LIB_BISECT_INTERNAL_H

#include <ssdpm/energy/bisect.h>

#include <stdbool.h>
#include <string.h>

#define BISECT_MAX_TRIALS 1024
#define BISECT_MAX_ELEMENTS (SSDPM_BISECT_SUSPECTS * (SSDPM_BISECT_STEPS - 1))

/* A step above the safest one. */
struct bisect_element {
	uint8_t suspect;
	uint8_t step;
};

/*
 * All elements of the base fail together with those that are required. The
 * first low of the base do not (-1: unknown even of none), the first high do.
 * Without a base, the next trial has all that is required.
 */
struct bisect_search {
	uint32_t decision;
	bool has_failed; /* in a trial */
	size_t n_base;
	struct bisect_element base[BISECT_MAX_ELEMENTS];
	bool skipped[BISECT_MAX_ELEMENTS + 1]; /* by how many of the base */
	int low;
	int high;
	size_t n_required;
	struct bisect_element required[SSDPM_BISECT_SUSPECTS];
};

/* All elements together fail. */
void ssdpm__bisect_start(struct bisect_search *search);
/* How many of the base the next trial allows. The search has not ended. */
int ssdpm__bisect_next(const struct bisect_search *search);
void ssdpm__bisect_learn(struct bisect_search *search, uint32_t verdict);

/* A list of features of a link is the longest. */
#define BISECT_VALUE 128

struct bisect_suspect {
	char name[SSDPM_BISECT_WORD];
	size_t n_steps;
	bool deepest; /* the last step adds the deepest state, and no other */
	char steps[SSDPM_BISECT_STEPS][SSDPM_BISECT_WORD];
	/* A setting that is not restored has these; all others have "". */
	char before[BISECT_VALUE];
	char now[BISECT_VALUE]; /* "": unknown */
};

/* A drive, for remedies of it alone; members are 0 where unknown. */
struct bisect_drive {
	char name[SSDPM_BISECT_WORD];
	uint16_t pci_vendor_id;
	uint16_t pci_device_id;
	uint32_t ata_port;
	bool takes_quirks; /* of the parameter nvme.quirks */
	uint32_t quirks;   /* in force: bits of enum ssdpm_quirk */
	uint32_t aspm_policy;
	bool takes_nolpm;	/* libata.force knows it */
	bool has_nolpm;		/* Linux forbids LPM for this disk already */
	bool has_noncq;		/* likewise */
	char default_limit[24]; /* of nvme_core, or "" */
};

struct ssdpm_bisect {
	struct ssdpm_bisect_params params;
	size_t n_suspects;
	struct bisect_suspect suspects[SSDPM_BISECT_SUSPECTS];
	size_t n_drives;
	struct bisect_drive drives[SSDPM_BISECT_SUSPECTS];
	struct bisect_search search; /* from the first trial on */
	uint64_t need_entries;
	uint64_t likely_trials;
	uint64_t n_short;
	bool started;
	bool running;
	char token[SSDPM_BISECT_WORD];
	uint64_t entries;
	size_t n_trials;
	struct ssdpm_bisect_trial trials[BISECT_MAX_TRIALS];
};

/* disk-quirks.c: has_nolpm and has_noncq of a SATA disk. */
int ssdpm__bisect_read_disk_quirks(const struct ssdpm_device_facts *device,
				   const struct ssdpm_machine_facts *machine,
				   struct bisect_drive *drive,
				   struct ssdpm_error *reterr);

/* settings.c: each word is a step of what the name sets, in its place. */
int ssdpm__bisect_check_steps(const char *name, const char *const *steps,
			      size_t n, struct ssdpm_error *reterr);

/* From the one that saves least. */
enum { BISECT_LINK_FEATURES = 7 };
struct bisect_link_feature {
	uint32_t feature;
	char file[20];
};
extern const struct bisect_link_feature
	ssdpm__bisect_link_features[BISECT_LINK_FEATURES];

/* The word is shorter than the room for one. */
static inline void ssdpm__bisect_put_word(char *to, const char *word)
{
	memcpy(to, word, strlen(word) + 1);
}

#endif
