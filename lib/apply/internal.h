/* SPDX-License-Identifier: MIT */
/* What the files of the apply stage share. */
#ifndef SSDPM_LIB_APPLY_INTERNAL_H
#define SSDPM_LIB_APPLY_INTERNAL_H

#include <ssdpm/apply.h>

#include "device/internal.h"

/* Longest value: a table as hexadecimal digits, and " disabled". */
#define SSDPM__VALUE_BYTES 576

/* Longest policy name and its siblings, as in "/link_power_...". */
#define SSDPM__TARGET_BYTES (SSDPM__PATH_BYTES + 64)

/*
 * Whether a value may be one in between, as a policy is max_performance on its
 * way: after a kill it is known which ones, after a failure it is any.
 */
enum flux {
	FLUX_NONE = 0,
	FLUX_KILLED = 1,
	FLUX_FAILED = 2,
};

/*
 * A value that is changed. Of what takes a command (ssdpm__takes_command())
 * path is the directory of the controller, else the file, as in
 * "sys/devices/..."; a value is as ssdpm__read_value() gives it.
 */
struct change {
	uint32_t kind;
	bool begun;	/* something may have been written */
	bool forgotten; /* it goes from the record */
	enum flux flux;
	char *path;
	char *before; /* "": not known */
	char *after;
	char *tries; /* of several values, one of which it gets; or NULL */
};

struct changes {
	struct change **list;
	size_t n;
};

struct step {
	struct change change;
	uint32_t state;
	uint32_t flags;
	char *device;
	char *target; /* as it is shown */
	char *why;
	char *warning;
	uint32_t lpms[SSDPM_MAX_LPMS];
	uint32_t n_lpms;
	bool unread;	    /* it may be as it was set: it is not forgotten */
	bool host_bits;	    /* PxCMD must show ALPE and ASP of the policy */
	uint32_t parameter; /* enum ssdpm_nvme_core */
};

/* An NVMe controller of a plan. */
struct drive {
	struct ssdpm_device *device;
	struct ssdpm_model *model; /* NULL: nothing is predicted */
	struct step *rebuild;	   /* NULL: it has no latency tolerance */
	/* The table in force; before is NULL where it was not read. */
	struct change table;
	bool is_foreign; /* it is not what Linux makes of what is set */
	char *unread;	 /* why not, or NULL */
	struct ssdpm_apst built;
	bool is_built;
};

/* Where lists of changes are, and what else it takes to change a value. */
struct site {
	struct ssdpm_machine *machine;
	const char *directory; /* for words */
	int directory_fd;
	int lock_fd;
	int journal_fd;
	uint32_t state_timeout_ms;
	bool goes_back; /* it may use what is reserved for that */
};

struct ssdpm_plan {
	struct ssdpm_machine *machine;
	char *directory; /* as in struct ssdpm_plan_params */
	uint32_t state_timeout_ms;
	uint32_t lock_timeout_ms;
	struct ssdpm_machine_facts facts;
	struct step **steps; /* in the order in which they were added */
	size_t n_steps;
	struct drive *drives;
	size_t n_drives;
	/* What the caller sees: steps and rebuilds, in the order of a commit.
	 */
	struct step **order;
	size_t n_order;
	size_t allocated; /* room in order */
	bool all_drives;  /* drives has every controller of the machine */
	bool goes_back;	  /* to what was there before */
	bool reverts;	  /* and the record forgets its steps */
	bool committed;
	bool is_locked; /* site is open until ssdpm_plan_unlock() */
	struct site site;
	struct ssdpm_journal journal; /* what was found when it was locked */
};

/* plan.c */

/* A table of one's own, a power state: not a file, and lost at a reset. */
bool ssdpm__takes_command(uint32_t kind);
/* Is it nothing that the table of a drive is made from? */
bool ssdpm__is_beside_tables(uint32_t kind);

/* A step without strings but those given; all are copied. -ENOMEM. */
int ssdpm__step_new(uint32_t kind, const char *path, const char *before,
		    const char *after, struct step **ret_step,
		    struct ssdpm_error *reterr);
struct step *ssdpm__step_free(struct step *step);
int ssdpm__step_set_why(struct step *step, struct ssdpm_error *reterr,
			const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Warn of what the diagnosis of the device says of what the step sets. */
int ssdpm__step_warn(const struct ssdpm_plan *plan, struct step *step,
		     const struct ssdpm_device *device,
		     const struct ssdpm_model *model,
		     struct ssdpm_error *reterr);

/* Replace *string by a copy of text. */
int ssdpm__set_string(char **string, const char *text,
		      struct ssdpm_error *reterr);

/*
 * A call for the step has failed with err. If its device was removed, that is
 * the cause: then -ENODEV, and reterr names the device; otherwise err.
 */
int ssdpm__step_fail(const struct ssdpm_plan *plan, const struct step *step,
		     int err, struct ssdpm_error *reterr);
/* Likewise for a command to a drive. */
int ssdpm__drive_fail(const struct ssdpm_plan *plan, const struct drive *drive,
		      int err, struct ssdpm_error *reterr);

/* Put a step into its place, and free the one it replaces; or free it. */
int ssdpm__plan_put(struct ssdpm_plan *plan, struct step *step,
		    struct ssdpm_error *reterr);
struct step *ssdpm__plan_find(const struct ssdpm_plan *plan, uint32_t kind,
			      const char *path);
/* The same, but not one that is left alone. */
struct step *ssdpm__plan_find_active(const struct ssdpm_plan *plan,
				     uint32_t kind, const char *path);
/* The table of one's own that the plan has for a drive, or NULL. */
struct step *ssdpm__plan_find_table(const struct ssdpm_plan *plan,
				    const struct drive *drive);
/* The controller, with this model from now on (NULL: as before). */
int ssdpm__plan_add_drive(struct ssdpm_plan *plan, struct ssdpm_device *device,
			  struct ssdpm_model *model,
			  struct ssdpm_error *reterr);
struct drive *ssdpm__plan_find_drive(const struct ssdpm_plan *plan,
				     const struct ssdpm_device *device);
int ssdpm__plan_add_all_drives(struct ssdpm_plan *plan,
			       struct ssdpm_error *reterr);
/* Would a commit write something for it? */
bool ssdpm__step_is_pending(const struct step *step);
/* Would a commit replace the table in force by Linux's own? */
bool ssdpm__drive_is_rebuilt(const struct ssdpm_plan *plan,
			     const struct drive *drive);
/* Is it the latency tolerance of this controller, ".../nvme0"? */
bool ssdpm__is_tolerance_of(const struct change *change,
			    const char *controller);
/* A plan that goes back takes no other steps, nor one that is committed. */
int ssdpm__plan_check_open(const struct ssdpm_plan *plan,
			   struct ssdpm_error *reterr);
/* A step that does nothing, and why. */
int ssdpm__plan_leave_alone(struct ssdpm_plan *plan, uint32_t kind,
			    const char *path, const char *device,
			    const char *why, struct ssdpm_error *reterr);

/* What becomes of a table that is not Linux's own, for the end of a line. */
extern const char ssdpm__foreign_words[];

/* add.c: paths below the root; false: too long. */
bool ssdpm__tolerance_path(const struct ssdpm_device_facts *facts,
			   char path[SSDPM__TARGET_BYTES]);
void ssdpm__parameter_path(uint32_t parameter, char path[SSDPM__TARGET_BYTES]);
void ssdpm__format_tolerance(uint64_t us, char text[24]);

/* add-lpm.c */

/* Do ALPE and ASP show the policy? Unknown is neither yes nor no. */
/* The one name of a SATA port in plans: that of its disk, or "host3". */
void ssdpm__port_name(const struct ssdpm_device_facts *facts, char name[32]);

void ssdpm__judge_host_bits(const struct ssdpm_device_facts *facts,
			    struct step *step);
int ssdpm__lpm_path(const struct ssdpm_machine *machine,
		    const struct ssdpm_device_facts *facts,
		    char path[SSDPM__TARGET_BYTES], struct ssdpm_error *reterr);

/* add-power.c: values of SSDPM_STEP_POWER_STATE and SSDPM_STEP_NOPP. */

bool ssdpm__is_power_value(uint32_t kind, const char *value);
/* -EBUSY: the drive sleeps, and will not wake. */
int ssdpm__read_power_value(struct ssdpm_device *device, uint32_t kind,
			    char value[SSDPM__VALUE_BYTES],
			    struct ssdpm_error *reterr);
int ssdpm__write_power_value(struct ssdpm_machine *machine, uint32_t kind,
			     const char *name, const char *value,
			     struct ssdpm_error *reterr);

/* commit.c: after an undo, what does the value of a step say? */
void ssdpm__read_back(const struct ssdpm_plan *plan, struct step *step);

/* predict.c: what the kernel builds now, or after the plan. */
int ssdpm__predict(const struct ssdpm_plan *plan, const struct drive *drive,
		   bool after, struct ssdpm_apst *ret_table,
		   struct ssdpm_error *reterr);
/* Is this the drive's own word, so that a difference is an error? */
bool ssdpm__is_sure(const struct drive *drive);
/* Read the table in force of a drive that has a model, on a live machine. */
int ssdpm__look_at_table(const struct ssdpm_plan *plan, struct drive *drive,
			 struct ssdpm_error *reterr);
/* 0, or -EREMOTEIO and the first entry that differs. */
int ssdpm__compare_tables(const char *device, const struct ssdpm_apst *built,
			  const struct ssdpm_apst *predicted,
			  struct ssdpm_error *reterr);

/* value.c */

/* -ENODEV: it is gone. */
int ssdpm__read_value(struct ssdpm_machine *machine, uint32_t kind,
		      const char *path, char value[SSDPM__VALUE_BYTES],
		      struct ssdpm_error *reterr);
/* Write one value as it is: not for LPM. */
int ssdpm__write_value(struct ssdpm_machine *machine, uint32_t kind,
		       const char *path, const char *value,
		       struct ssdpm_error *reterr);
/* As ssdpm__removal(), for the device that has the value. */
const char *ssdpm__value_removal(const struct ssdpm_machine *machine,
				 const struct change *change);
/* What ssdpm__rebuild() writes in between. */
void ssdpm__other_tolerance(const char *value, char other[24]);
/* Another tolerance, and this one: the kernel builds the table anew. */
int ssdpm__rebuild(struct ssdpm_machine *machine, const char *path,
		   const char *value, struct ssdpm_error *reterr);
int ssdpm__table_to_value(const struct ssdpm_apst *table,
			  char value[SSDPM__VALUE_BYTES],
			  struct ssdpm_error *reterr);

int ssdpm__value_to_table(const char *value, struct ssdpm_apst *ret_table,
			  struct ssdpm_error *reterr);

/* lpm.c */

/*
 * Bring a port to a policy, by way of max_performance. The first of the names
 * that the kernel knows is taken: *ret_lpm.
 */
int ssdpm__set_lpm(const struct site *site, const char *path,
		   const uint32_t *lpms, size_t n, bool host_bits,
		   uint32_t *ret_lpm, struct ssdpm_error *reterr);
/* 0, or -EIO: PxCMD does not show the policy. */
int ssdpm__check_host_bits(const struct ssdpm_machine *machine,
			   const char *path, uint32_t lpm,
			   struct ssdpm_error *reterr);

/* site.c: the directory with the lock, the journal, and what revert needs */

/* Of the monotonic clock; at most 999 ms. */
uint64_t ssdpm__now_ms(void);
void ssdpm__sleep_ms(uint32_t ms);

/*
 * Say why a file of the directory, or with NULL the directory itself, cannot be
 * used. Return: err; but -EROFS where nobody may write, not even root.
 */
int ssdpm__fail_state(const struct site *site, const char *name, int err,
		      struct ssdpm_error *reterr);
/*
 * 0: there is a file of this name, or nothing. -EIO: a pipe, a link or the
 * like, which is not opened.
 */
int ssdpm__check_file(const struct site *site, const char *name,
		      struct ssdpm_error *reterr);

/*
 * Make the directory of a plan and take the lock. Let go with
 * ssdpm__site_close().
 */
int ssdpm__site_open(const struct ssdpm_plan *plan, struct site *ret_site,
		     struct ssdpm_error *reterr);
/* Only to read, without the lock; -ENOENT: there is no directory. */
int ssdpm__site_look(const struct ssdpm_plan *plan, struct site *ret_site,
		     struct ssdpm_error *reterr);
void ssdpm__site_close(struct site *site);
/* The lock stays. */
void ssdpm__site_close_journal(struct site *site);

/* journal.c */

/* The change of each step, in the order of a commit, into the file. */
int ssdpm__journal_write(struct site *site, struct change *const *changes,
			 size_t n, struct ssdpm_error *reterr);
int ssdpm__journal_begin(const struct site *site, size_t index,
			 struct ssdpm_error *reterr);
/* Should that fail, it is put back all the same. */
void ssdpm__journal_back(const struct site *site, size_t index);
/* The point from which on a commit counts. */
int ssdpm__journal_remove(struct site *site, struct ssdpm_error *reterr);
/* It was not committed: what it would have kept goes first. */
int ssdpm__journal_forget(struct site *site, struct ssdpm_error *reterr);
bool ssdpm__journal_exists(const struct ssdpm_plan *plan);
/* How long ago its last line was written; -ENOENT. */
int ssdpm__journal_age(const struct site *site, uint64_t *ret_age_ms);
/* Undo what a killed commit left. Values of others are left alone. */
int ssdpm__recover(struct site *site, struct ssdpm_journal *ret_journal,
		   struct ssdpm_error *reterr);

/* Likewise, for a plan whose site is open; then read what it plans with. */
int ssdpm__plan_recover(struct ssdpm_plan *plan, struct ssdpm_error *reterr);

/* record.c, record-read.c: lists of changes in files */

int ssdpm__changes_add(struct changes *changes, uint32_t kind, const char *path,
		       const char *before, const char *after);
void ssdpm__changes_free(struct changes *changes);
/*
 * 0; -ENOENT; -ESTALE: of another boot; -EIO: damaged, of another version, or
 * with a word that this one does not know, as reterr says with the line.
 */
int ssdpm__changes_read(const struct site *site, const char *name,
			struct changes *ret_changes,
			struct ssdpm_error *reterr);
/* Write and synchronise a new file of this name. */
int ssdpm__changes_write(const struct site *site, const char *name,
			 struct change *const *changes, size_t n,
			 struct ssdpm_error *reterr);
int ssdpm__write_all(int fd, const char *text, size_t size);
/*
 * Room for the way back, which writes a journal and another record: a file as
 * long as both, for a record of this name.
 */
int ssdpm__reserve(const struct site *site, const char *name,
		   struct ssdpm_error *reterr);
/* The file system is full: is there room now? */
bool ssdpm__make_room(const struct site *site, int err);

/* undo.c */

/* What became of values: those left alone are another's, or are gone. */
struct undone {
	uint32_t n;
	uint32_t n_left_alone;
};

/* Put back what has begun. What is not possible is said by reterr; the rest is
 * put back all the same. */
int ssdpm__undo(const struct site *site, struct change *const *changes,
		size_t n, struct undone *ret_undone,
		struct ssdpm_error *reterr);
/* Would a commit of this plan write another record? */
bool ssdpm__is_news(const struct changes *kept, const struct ssdpm_plan *plan);
/*
 * Write undo.new: what revert needs once these are done, beside what is kept
 * already; without the steps of a plan that reverts.
 */
int ssdpm__keep(struct site *site, struct changes *kept,
		struct change *const *changes, size_t n,
		const struct ssdpm_plan *plan, struct ssdpm_error *reterr);
/* It replaces the old one; -ENOENT: there is none. */
int ssdpm__keep_finish(const struct site *site);
/* What the last commits keep; empty where there is none. */
int ssdpm__read_kept(const struct site *site, struct changes *ret_changes,
		     struct ssdpm_error *reterr);

/* verify.c: compare the tables that were built; words go to the steps. */
int ssdpm__check_tables(struct ssdpm_plan *plan, struct ssdpm_error *reterr);

#endif
