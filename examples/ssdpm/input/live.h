/* SPDX-License-Identifier: MIT */
/* The machine, and the present state of its drives. */
#ifndef SSDPM_COMMAND_LIVE_H
#define SSDPM_COMMAND_LIVE_H

#include "input/input.h"
#include "text/output.h"

/* This machine, or a capture of one. */
struct live {
	struct ssdpm_machine *machine;
	struct ssdpm_machine_facts facts;
	char *root;		      /* NULL: this machine */
	struct ssdpm_journal journal; /* see look_at_journals() */
};

/*
 * Opens --root, or another capture. Complains of a failure, and of --identify
 * if no command can be sent.
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

/*
 * The program that sets at a boot what files of ssdpm.conf(5) ask for, or why
 * none does: a clause.
 */
const char *keeper_words(const struct live *live);

/* Whether there is such a program, as far as the files of a machine show it. */
bool is_set_at_boot(const struct live *live);

/* Whether Linux lets us send commands to drives (CAP_SYS_ADMIN). */
bool may_send_commands(void);

/* Whether it names a device: "nvme0", "sda1", "host3", "/dev/...". */
bool is_device_name(const char *operand);

/* Whether it names one in small letters: "SDA", which is no drive. */
bool is_upper_device_name(const char *operand);

/* Whether it is a directory with a sys/. */
bool is_capture(const char *operand);

/* The exit status for a code of the device or the apply stage. */
enum exit_status status_of_error(int code);

/*
 * Complains, with the device's name once, because many messages begin with it.
 */
void complain_about(const char *name, const char *message);

/* Complains of a device, or with NULL of the machine. Return: the status. */
enum exit_status complain_of_device(const char *name,
				    const struct ssdpm_error *error);
/* input.c: the same for a name that ssdpm_device_read() did not find. */
enum exit_status complain_of_name(const struct live *live, const char *name,
				  const struct ssdpm_error *error);

/* unread.c: the cause without the drive's name before it. */
const char *cause_without_name(const char *name, const char *cause);
/* Whether it says itself that something cannot be read. */
bool begins_as_unread(const char *cause);

/*
 * unread.c: complains of a drive that is there and cannot be read. The second
 * one does so if an operand names such a drive; else it returns STATUS_DONE.
 */
enum exit_status say_unread(const struct live *live, const char *name, int code,
			    const char *cause);
enum exit_status complain_if_unread(const struct live *live,
				    const char *operand);

/*
 * unread.c: the same for all drives of these kinds, bits 1 << SSDPM_KIND_NVME
 * and so on, which a list of devices leaves out. With --json the list has the
 * error of each. Return: STATUS_FAILED if there are some.
 */
enum exit_status complain_of_unread_drives(const struct common *common,
					   const struct live *live,
					   uint32_t kinds);
/* Likewise of each machine, unless its drives were named. */
enum exit_status complain_of_all_unread(const struct common *common,
					const struct drives *drives,
					size_t n_operands);

/* Reports that there is no drive, which is no failure. */
void complain_of_no_drive(const struct common *common);

/*
 * Adds a device with its model. If it needs no model, the drive then has the
 * problem instead. *catalogue is opened when needed.
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
	INSIGHT_PREDICTED = 1 << 3, /* that this kernel builds */
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
 * Free it with free_insight(). Sends commands only with --identify. Complains
 * of one that fails, and fills the rest.
 */
enum exit_status look_into(const struct common *common,
			   const struct drive *drive, struct insight *ret);
void free_insight(struct insight *insight);
/* Complains of what look_into() cannot read of a drive in a capture. */
enum exit_status complain_of_dumps(const struct common *common,
				   const struct drive *drive);

/* The finding that keeps the drive from saving, with its remedy. NULL: none. */
const struct ssdpm_diagnosis *main_reason(const struct insight *insight);

/* Reads the journal of a commit that runs or was killed; writes nothing. */
enum exit_status read_journal(const struct live *live,
			      const struct ssdpm_plan_params *params,
			      struct ssdpm_journal *ret_journal);

/* One line of text, safe to paste; free it. NULL: out of memory. */
char *describe_journal(const struct live *live,
		       const struct ssdpm_journal *journal);

/* Has a search of bisect set drives? Then a commit of others is refused there.
 */
bool bisect_has_set(const struct live *live, struct cell *ret_drives);
/* NULL: no memory. */
char *describe_bisect(const struct live *live, const struct cell *drives);
/* Says which drives it has set, before a plan for them is shown. */
enum exit_status warn_of_bisect(const struct common *common,
				const struct live *live);

/* Reads the journal on each machine, and complains of one that is left. */
void look_at_journals(const struct common *common, const struct drives *drives);

#endif
