/* SPDX-License-Identifier: MIT */
/* The machine, and what its drives do now. */
#ifndef SSDPM_COMMAND_LIVE_H
#define SSDPM_COMMAND_LIVE_H

#include "input/input.h"

/* This machine, or a capture of one. */
struct live {
	struct ssdpm_machine *machine;
	struct ssdpm_machine_facts facts;
	char *root;		      /* NULL: this machine */
	struct ssdpm_journal journal; /* see look_at_journals() */
};

/*
 * Open what --root says, or another capture. A failure is complained of, as is
 * --identify where no command can be sent.
 */
enum exit_status open_live(const struct common *common, const char *root,
			   struct live **ret_live);
struct live *close_live(struct live *live);

/* Other programs that set policies, and the meters. */
struct surroundings {
	struct ssdpm_owner *owners;
	size_t n_owners;
	struct ssdpm_meter *meters;
	size_t n_meters;
};

int read_surroundings(const struct live *live,
		      struct surroundings *ret_surroundings,
		      struct ssdpm_error *reterr);
void free_surroundings(struct surroundings *surroundings);

/* Does Linux take commands to drives from us? (CAP_SYS_ADMIN) */
bool may_send_commands(void);

/* "nvme0", "sda1", "host3", "/dev/...": a device, if there is one. */
bool is_device_name(const char *operand);

/* A directory that holds a sys/. */
bool is_capture(const char *operand);

/* The exit status for a code of the device or the apply stage. */
enum exit_status status_of_error(int code);

/* Complain, with the name of the device once: many messages begin with it. */
void complain_about(const char *name, const char *message);

/* Complain of a device, or with NULL of the machine; returns the status. */
enum exit_status complain_of_device(const char *name,
				    const struct ssdpm_error *error);

/* There is none, and that is no failure. */
void complain_of_no_drive(const struct common *common);

/*
 * Add a device, with its model: without one where that is not needed, drive
 * then has the problem. *catalogue is opened when it is needed.
 */
enum exit_status add_device(const struct common *common,
			    struct ssdpm_catalogue **catalogue,
			    struct live *live, struct ssdpm_device *device,
			    struct drives *drives);

/* All devices of a machine. */
enum exit_status add_all_devices(const struct common *common,
				 struct ssdpm_catalogue **catalogue,
				 struct live *live, struct drives *drives);

enum insight_known {
	INSIGHT_TABLE = 1 << 0, /* that is in force */
	INSIGHT_POWER_STATE = 1 << 1,
	INSIGHT_DEVSLEEP = 1 << 2,
	INSIGHT_PREDICTED = 1 << 3, /* what this kernel builds */
	INSIGHT_QUIRKS = 1 << 4,
};

/* Knowledge of a live drive beyond its facts. */
struct insight {
	uint32_t known;
	struct ssdpm_apst table;
	struct ssdpm_apst predicted;
	struct ssdpm_device_power power; /* with INSIGHT_POWER_STATE */
	struct ssdpm_devsleep devsleep;
	uint32_t quirks;
	uint32_t quirks_from_kernel;
	struct ssdpm_diagnosis *diagnoses; /* the verdict first */
	size_t n_diagnoses;
};

/*
 * Free it with free_insight(). Commands are sent only with --identify; one that
 * fails is complained of, and the rest is filled.
 */
enum exit_status look_into(const struct common *common,
			   const struct drive *drive, struct insight *ret);
void free_insight(struct insight *insight);

/*
 * Of what was found out, that which keeps the drive from saving: with what to
 * do. NULL: nothing does.
 */
const struct ssdpm_diagnosis *main_reason(const struct insight *insight);

/* The journal of a commit that runs or was killed; nothing is written. */
enum exit_status read_journal(const struct live *live,
			      const struct ssdpm_plan_params *params,
			      struct ssdpm_journal *ret_journal);

/* Is there one that waits for the next commit? State 0: it was not looked at.
 */
bool journal_stands(const struct ssdpm_journal *journal);

/* One line, which may be pasted; free it. NULL: out of memory. */
char *describe_journal(const struct live *live,
		       const struct ssdpm_journal *journal);

/* On each machine of drives; one that stands is complained of. */
void look_at_journals(const struct common *common, const struct drives *drives);

#endif
