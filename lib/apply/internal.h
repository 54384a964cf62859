/* SPDX-License-Identifier: MIT */
/* What the files of the apply stage share. */
#ifndef SSDPM_LIB_APPLY_INTERNAL_H
#define SSDPM_LIB_APPLY_INTERNAL_H

#include <ssdpm/apply.h>

#include "device/internal.h"

/* Longest value: a table of 31 transitions, and " disabled". */
#define SSDPM__VALUE_BYTES 1024

enum { SSDPM__MAX_QUEUE_DEPTH = 32 }; /* ATA_MAX_QUEUE of libata */

#define SSDPM__ASPM_POLICY "sys/module/pcie_aspm/parameters/policy"

/* Longest policy name and its siblings, as in "/link_power_...". */
#define SSDPM__TARGET_BYTES (SSDPM__PATH_BYTES + 64)

/*
 * Whether a value may be one in between, as a policy is max_performance on its
 * way. After a kill it is known which ones. After a failure it is the value
 * that the write has left, or any if that could not be read.
 */
enum flux {
	FLUX_NONE = 0,
	FLUX_KILLED = 1,
	FLUX_FAILED = 2,
};

/* A value, and the text for it. */
struct value {
	bool is_known;
	struct ssdpm_step_value is;
	/* "": it was not read; if it is not known, what was read. */
	char text[SSDPM__VALUE_BYTES];
};

/* What a kind of value has to do with the tables of drives. */
enum role {
	ROLE_NONE = 0,
	ROLE_PARAMETER = 1, /* all are made from it, at the next tolerance */
	ROLE_TOLERANCE = 2, /* a change of it builds the one of its drive */
	ROLE_TABLE = 3,	    /* it is the one in force */
};

struct site;
struct change;
struct step;

/* A value, its text for people, and the one that records and files have. */
struct value_form {
	bool (*parse)(const char *text, struct ssdpm_step_value *ret_is);
	void (*format)(const struct ssdpm_step_value *is,
		       char text[SSDPM__VALUE_BYTES]);
	/* The form that is parsed; NULL: as for people. */
	void (*record)(const struct ssdpm_step_value *is,
		       char text[SSDPM__VALUE_BYTES]);
	/* The form that Linux shows, for a capture; NULL: as for people. */
	void (*show)(const struct ssdpm_step_value *is,
		     char text[SSDPM__VALUE_BYTES]);
};

/* How a controller is asked for a value, and is sent one. */
struct value_command {
	int (*ask)(struct ssdpm_device *device, struct ssdpm_step_value *ret_is,
		   struct ssdpm_error *reterr);
	int (*send)(struct ssdpm_machine *machine, const char *name,
		    const struct ssdpm_step_value *is,
		    struct ssdpm_error *reterr);
};

/* A kind of step; paths are as in struct change. */
struct step_kind {
	uint32_t number;    /* enum ssdpm_step_kind */
	char word[20];	    /* in records, and for callers */
	const char *target; /* as it is shown; NULL: the file */
	enum role role;
	bool is_passing; /* it ends with the value that was there before */
	bool has_tries;	 /* a step may name several policies */
	uint32_t flags;	 /* those of all such steps */
	uint32_t rank;	 /* in a commit */
	uint32_t undo_rank;
	int depth; /* below the directory of the device; -1: of no device */
	/* What tells it from another in its place; NULL: "serial". */
	const char *serial;
	/* What a record may name; NULL: a file of this name of a device. */
	bool (*is_target)(const char *path);
	char file[40];
	const struct value_form *form;
	const struct value_command *command; /* NULL: a file */
	/* Bring it to the value after, or to that before; NULL: write it. */
	int (*set)(const struct site *site, struct change *change,
		   struct ssdpm_error *reterr);
	int (*put_back)(const struct site *site, const struct change *change,
			struct ssdpm_error *reterr);
	/* Is it one that is written on the way? NULL: there is none. */
	bool (*is_between)(const struct change *change,
			   const struct value *value);
};

/*
 * A value that is changed. Path is the directory of the controller, if it takes
 * a command, else the file, as in "sys/devices/...". A file of the adapter of a
 * drive, or of its SCSI device, has the drive in its path, as in
 * ".../0000:01:00.0/nvme/nvme0/device/link/l1_aspm": see ssdpm__value_file().
 */
struct change {
	const struct step_kind *kind;
	bool begun;	/* something may have been written */
	bool forgotten; /* it goes from the record */
	bool is_recent; /* the commit that runs has added it to the record */
	enum flux flux;
	/* The value that a failed write has left; "": it is not known. */
	struct value left;
	char *path;
	/* A checksum of the serial number of the drive; 0: not known. */
	uint64_t serial;
	struct value before;
	struct value after;
	/* A port gets the first of these that the kernel knows. */
	uint32_t lpms[SSDPM_MAX_LPMS];
	uint32_t n_lpms;
	bool host_bits; /* PxCMD must show ALPE and ASP of the policy */
};

struct changes {
	struct change **list;
	size_t n;
	char device[32]; /* whose transaction a journal is; "": several, all */
};

struct step {
	struct change change;
	/* Called by ssdpm_plan_read(); NULL: nothing to read, or it is done. */
	int (*read)(struct ssdpm_plan *plan, struct step *step,
		    struct ssdpm_error *reterr);
	struct ssdpm_device *source; /* who planned it has read; or NULL */
	struct value expected;	     /* what the last commit has set */
	uint32_t state;
	uint32_t flags;
	char *device;
	char *target; /* as it is shown */
	char *why;
	char *warning;
	char *origin;  /* NULL: the caller */
	bool failed;   /* the commit, at this step */
	bool unread;   /* it may be as it was set: it is not forgotten */
	bool is_aside; /* it is in a journal that is set aside */
	/* Nobody asks for this substate: it stays off as L1 goes on. */
	bool follows_l1;
};

/* An NVMe controller of a plan. */
struct plan_drive {
	struct ssdpm_device *device;
	struct ssdpm_model *model; /* NULL: nothing is predicted */
	struct step *rebuild;	   /* NULL: it has no latency tolerance */
	/* The table in force; before is known where it was read. */
	struct change table;
	bool is_looked_at; /* what follows is known, as far as it can be */
	bool is_foreign;   /* it is not what Linux makes of what is set */
	bool is_old;	   /* older than the parameters: see old-tables.c */
	bool is_renewed;   /* the commit that runs has the kernel build it */
	char *unread;	   /* why not, or NULL */
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
	/* Under this lock it was tried to put back what is set aside. */
	bool aside_is_tried;
};

struct ssdpm_plan {
	struct ssdpm_machine *machine;
	char *directory; /* as in struct ssdpm_plan_params */
	uint32_t state_timeout_ms;
	uint32_t lock_timeout_ms;
	uint32_t flags; /* of enum ssdpm_read_flag */
	bool is_each;	/* not SSDPM_PLAN_STRICT */
	struct ssdpm_machine_facts facts;
	struct step **steps; /* in the order in which they were added */
	size_t n_steps;
	struct plan_drive *drives;
	size_t n_drives;
	/* Tables that are older than the parameters, once they were asked for.
	 */
	struct changes old_tables;
	bool old_tables_are_read;
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

/* step.c */

/* A step without strings and values; path is copied. -ENOMEM. */
int ssdpm__step_new(uint32_t kind, const char *path, const char *device,
		    struct step **ret_step, struct ssdpm_error *reterr);
struct step *ssdpm__step_free(struct step *step);
/* Its values are set: is it in force? */
void ssdpm__step_settle(struct step *step);
/* It does nothing, and why. */
int ssdpm__step_leave_alone(struct step *step, const char *why,
			    struct ssdpm_error *reterr);
int ssdpm__step_set_why(struct step *step, struct ssdpm_error *reterr,
			const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Does it find a word that this version does not know? Nobody could put that
 * back, and no reader takes a record with it: the step is never done.
 */
bool ssdpm__step_is_unknown(const struct step *step);
/* Its reason then. */
int ssdpm__step_say_unknown(struct step *step, struct ssdpm_error *reterr);

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
int ssdpm__drive_fail(const struct ssdpm_plan *plan,
		      const struct plan_drive *drive, int err,
		      struct ssdpm_error *reterr);
/* Would a commit write something for it? */
bool ssdpm__step_is_pending(const struct step *step);

/* apply.c: fill it and commit it; again, where somebody wrote meanwhile. */
int ssdpm__plan_fill_and_commit(struct ssdpm_plan *plan,
				ssdpm_plan_fill_fn fill, void *userdata,
				struct ssdpm_error *reterr);

/* plan-order.c */

struct step *ssdpm__plan_find(const struct ssdpm_plan *plan, uint32_t kind,
			      const char *path);
/* The table of one's own that the plan has for a drive, or NULL. */
struct step *ssdpm__plan_find_table(const struct ssdpm_plan *plan,
				    const struct plan_drive *drive);
bool ssdpm__parameters_change(const struct ssdpm_plan *plan);
/* Does a step that is pending have the kernel build the table of the drive? */
bool ssdpm__drive_is_built_anew(const struct ssdpm_plan *plan,
				const struct plan_drive *drive);
/* Would a commit replace the table in force by Linux's own? */
bool ssdpm__drive_is_rebuilt(const struct ssdpm_plan *plan,
			     const struct plan_drive *drive);
/* Put the steps into the order of a commit. */
void ssdpm__plan_arrange(struct ssdpm_plan *plan);

/* add-step.c */

/* What a step shall do; path: below the root, without a slash before it. */
struct wanted_step {
	uint32_t kind;
	const char *path;
	struct ssdpm_step_value after;
	const char *why;
	int (*read)(struct ssdpm_plan *plan, struct step *step,
		    struct ssdpm_error *reterr);
	bool follows_l1;
};

/* Reads what is there before the step, if the caller may ask for it. */
int ssdpm__step_read_now(struct ssdpm_plan *plan, struct step *step,
			 struct ssdpm_error *reterr);
/* device: NULL: it is the machine's. */
int ssdpm__plan_add_step(struct ssdpm_plan *plan, struct ssdpm_device *device,
			 const struct wanted_step *wanted,
			 struct ssdpm_error *reterr);
/* A file below the directory of the device. */
int ssdpm__plan_add_file(struct ssdpm_plan *plan, struct ssdpm_device *device,
			 const char *file, struct wanted_step *wanted,
			 struct ssdpm_error *reterr);

/* add-link.c */

/* A step for each feature: see ssdpm_plan_add_value(). */
int ssdpm__plan_add_link(struct ssdpm_plan *plan, struct ssdpm_device *device,
			 uint64_t value, struct ssdpm_error *reterr);
/* -EOPNOTSUPP: the ASPM policy of now forbids this feature. */
int ssdpm__check_aspm_policy(struct ssdpm_machine *machine, const char *path,
			     struct ssdpm_error *reterr);

/* plan.c */

/* As if it were new; the lock, and what was found with it, stay. */
int ssdpm__plan_clear(struct ssdpm_plan *plan, struct ssdpm_error *reterr);
/* Put a step into its place, and free the one it replaces; or free it. */
int ssdpm__plan_put(struct ssdpm_plan *plan, struct step *step,
		    struct ssdpm_error *reterr);
/* The controller, with this model from now on (NULL: as before). */
int ssdpm__plan_add_drive(struct ssdpm_plan *plan, struct ssdpm_device *device,
			  struct ssdpm_model *model,
			  struct ssdpm_error *reterr);
struct plan_drive *ssdpm__plan_find_drive(const struct ssdpm_plan *plan,
					  const struct ssdpm_device *device);
/* -EIO: it has a latency tolerance that cannot be read. */
int ssdpm__check_tolerance(const struct ssdpm_plan *plan,
			   const struct ssdpm_device_facts *facts,
			   struct ssdpm_error *reterr);
int ssdpm__plan_add_all_drives(struct ssdpm_plan *plan,
			       struct ssdpm_error *reterr);
/* A plan that goes back takes no other steps, nor one that is committed. */
int ssdpm__plan_check_open(const struct ssdpm_plan *plan,
			   struct ssdpm_error *reterr);
/* -EOPNOTSUPP: it is no controller that a step can be for. */
int ssdpm__check_nvme(const struct ssdpm_device_facts *facts,
		      struct ssdpm_error *reterr);
/* A step that does nothing, and why. */
int ssdpm__plan_leave_alone(struct ssdpm_plan *plan, uint32_t kind,
			    const char *path, const char *device,
			    const char *why, struct ssdpm_error *reterr);

/* The fate of a table that is not Linux's own, for the end of a line. */
extern const char ssdpm__foreign_words[];

/*
 * add-profile.c: get the model of a drive without sending a command. NULL: it
 * is not known, which is no failure.
 */
int ssdpm__known_model(struct ssdpm_device *device,
		       const struct ssdpm_catalogue *catalogue,
		       struct ssdpm_model **ret_model,
		       struct ssdpm_error *reterr);

/* Add what is asked of one drive. */
typedef int (*ssdpm__add_device_fn)(struct ssdpm_plan *plan,
				    struct ssdpm_device *device,
				    struct ssdpm_model *model,
				    const void *asked,
				    struct ssdpm_error *reterr);

/* add-profile.c: for this device; NULL: for each one of the machine. */
int ssdpm__add_each(struct ssdpm_plan *plan, struct ssdpm_device *device,
		    struct ssdpm_model *model, ssdpm__add_device_fn add,
		    const void *asked, struct ssdpm_error *reterr);

/* add-profile.c: what is set of a profile; lpm_flags: enum ssdpm_lpm_flag. */
int ssdpm__plan_add_settings(struct ssdpm_plan *plan,
			     struct ssdpm_device *device,
			     struct ssdpm_model *model,
			     const struct ssdpm_profile_settings *settings,
			     uint32_t lpm_flags, struct ssdpm_error *reterr);

/* The result of adding a step: a reason is no failure, but leaves it alone. */
int ssdpm__plan_settle(struct ssdpm_plan *plan, uint32_t kind, const char *path,
		       const char *device, const struct ssdpm_error *error,
		       struct ssdpm_error *reterr);

/* add-lpm.c */

/* The one name of a SATA port in plans: that of its disk, or "host3". */
void ssdpm__port_name(const struct ssdpm_device_facts *facts, char name[32]);
/* Do ALPE and ASP show the policy? Unknown is neither yes nor no. */
void ssdpm__judge_host_bits(const struct ssdpm_device_facts *facts,
			    struct step *step);
/* Leave the port of a step alone if a quirk of any disk there forbids it. */
int ssdpm__lpm_read(struct ssdpm_plan *plan, struct step *step,
		    struct ssdpm_error *reterr);
int ssdpm__lpm_path(const struct ssdpm_device_facts *facts,
		    char path[SSDPM__TARGET_BYTES], struct ssdpm_error *reterr);

/* commit.c: after an undo, what does the value of a step say? */
void ssdpm__read_back(const struct ssdpm_plan *plan, struct step *step);

/* predict.c: what the kernel builds now, or after the plan. */
int ssdpm__predict(const struct ssdpm_plan *plan,
		   const struct plan_drive *drive, bool after,
		   struct ssdpm_apst *ret_table, struct ssdpm_error *reterr);
/* Whether this is the drive's own word, so that a difference is an error. */
bool ssdpm__is_sure(const struct plan_drive *drive);
/* Read the table in force of a drive that has a model, on a live machine: once.
 */
int ssdpm__look_at_table(const struct ssdpm_plan *plan,
			 struct plan_drive *drive, struct ssdpm_error *reterr);
/* 0, or -EREMOTEIO and the first entry that differs. */
int ssdpm__compare_tables(const char *device, const struct ssdpm_apst *built,
			  const struct ssdpm_apst *predicted,
			  struct ssdpm_error *reterr);

/* kinds.c */

/* Bring a value to that after, or to that before. */
int ssdpm__set(const struct site *site, struct change *change,
	       struct ssdpm_error *reterr);
int ssdpm__put_back(const struct site *site, const struct change *change,
		    struct ssdpm_error *reterr);
/* The row of a kind of step, or NULL. */
const struct step_kind *ssdpm__kind(uint32_t number);
/* Paths below the root; false: too long. */
bool ssdpm__tolerance_path(const struct ssdpm_device_facts *facts,
			   char path[SSDPM__TARGET_BYTES]);
void ssdpm__parameter_path(uint32_t parameter, char path[SSDPM__TARGET_BYTES]);
/* One that tables are made from, or 0. */
uint32_t ssdpm__parameter_of(const char *path);
/* Which setting of a profile such a parameter is, by the number of its bit. */
uint32_t ssdpm__profile_of_parameter(const char *path);
/* Whether it is the latency tolerance of this controller, ".../nvme0". */
bool ssdpm__is_tolerance_of(const struct change *change,
			    const char *controller);
/* The owner of the value: "nvme0", "host3"; "all": all controllers. */
void ssdpm__change_device(const struct change *change, char name[32]);
/*
 * Read the serial number of the drive that has the value, as a checksum.
 * 0: it is unknown, or the value is that of a port. -ENOMEM.
 */
int ssdpm__read_serial(const struct ssdpm_machine *machine,
		       const struct change *change, uint64_t *ret_serial,
		       struct ssdpm_error *reterr);
/* Is it certain that another controller has its place? */
bool ssdpm__is_another(const struct change *change, uint64_t serial);
/* As ssdpm__removal(), for the device that has the value. */
const char *ssdpm__value_removal(const struct ssdpm_machine *machine,
				 const struct change *change);

/*
 * persist/whole-file.c: paths have a leading slash. Writes a file under another
 * name, ".NAME.new", and makes the folders that it needs. It fails with -EEXIST
 * if a killed process has left a file of that name.
 */
int ssdpm__replace_file(struct ssdpm_machine *machine, const char *path,
			const char *contents, mode_t mode);
/* flags as of unlinkat(2) */
int ssdpm__remove_file(struct ssdpm_machine *machine, const char *path,
		       int flags);

/* value.c */

void ssdpm__value_set(const struct step_kind *kind,
		      const struct ssdpm_step_value *is,
		      struct value *ret_value);
/*
 * Reads the text of a file; false: it means nothing here, and only the text is
 * set.
 */
bool ssdpm__value_parse(const struct step_kind *kind, const char *text,
			struct value *ret_value);
/* As a record has it; text is room for it. */
const char *ssdpm__value_record(const struct step_kind *kind,
				const struct value *value,
				char text[SSDPM__VALUE_BYTES]);
bool ssdpm__value_is(const struct value *a, const struct value *b);

/* The forms of the values that steps change. */
extern const struct value_form ssdpm__tolerance_form, ssdpm__parameter_form,
	ssdpm__table_form, ssdpm__lpm_form, ssdpm__power_state_form,
	ssdpm__nopp_form, ssdpm__link_form, ssdpm__queue_depth_form,
	ssdpm__d3cold_form, ssdpm__aspm_policy_form;

/* value-io.c */

/*
 * Where Linux has X/CLASS/NAME/device, it is a link to X. X stays when Linux
 * gives NAME up, so the file of a value is X/.... Return: file, or path.
 */
const char *ssdpm__value_file(const char *path, char file[SSDPM__TARGET_BYTES]);
/* Cut so many components off its end; false: it has fewer. */
bool ssdpm__path_up(char *path, int levels);
/* -ENODEV: it is gone; -EBUSY: a drive sleeps, and will not wake. */
int ssdpm__read_value(struct ssdpm_machine *machine,
		      const struct step_kind *kind, const char *path,
		      struct value *ret_value, struct ssdpm_error *reterr);
/* Write one value as it is: a port needs more. */
int ssdpm__write_value(struct ssdpm_machine *machine,
		       const struct step_kind *kind, const char *path,
		       const struct value *value, struct ssdpm_error *reterr);
/* What ssdpm__rebuild() writes in between. */
uint64_t ssdpm__other_value_us(const struct value *value);
/* Another tolerance, and this one: the kernel builds the table anew. */
int ssdpm__rebuild(struct ssdpm_machine *machine, const char *path,
		   const struct value *value, struct ssdpm_error *reterr);

/* Values that only a command reads and writes. */
extern const struct value_command ssdpm__table_command,
	ssdpm__power_state_command, ssdpm__nopp_command;

/* lpm-write.c */

int ssdpm__set_port(const struct site *site, struct change *change,
		    struct ssdpm_error *reterr);
int ssdpm__put_port_back(const struct site *site, const struct change *change,
			 struct ssdpm_error *reterr);
bool ssdpm__is_port_between(const struct change *change,
			    const struct value *value);
/* Does PxCMD show the policy? */
bool ssdpm__has_host_bits(uint32_t port_cmd, uint32_t lpm);
/* 0, or -EIO: PxCMD does not show the policy. */
int ssdpm__check_host_bits(const struct ssdpm_machine *machine,
			   const char *path, uint32_t lpm,
			   struct ssdpm_error *reterr);

/* site.c: the directory with the lock, the journal, and what revert needs */

/* The monotonic clock; a sleep of at most 999 ms. */
uint64_t ssdpm__now_ms(void);
void ssdpm__sleep_ms(uint32_t ms);

/*
 * Say why a file of the directory, or with NULL the directory itself, cannot be
 * used. Return: err; but -EROFS where nobody may write, not even root.
 */
int ssdpm__fail_state(const struct site *site, const char *name, int err,
		      struct ssdpm_error *reterr);
/*
 * 0: there is a file of this name, or nothing. -EIO: a pipe, a link or another
 * kind, which is not opened.
 */
int ssdpm__check_file(const struct site *site, const char *name,
		      struct ssdpm_error *reterr);

/*
 * Make the directory of a plan and take the lock. Let go with
 * ssdpm__site_close().
 */
int ssdpm__site_open(const struct ssdpm_plan *plan, struct site *ret_site,
		     struct ssdpm_error *reterr);
/*
 * Lock a file that somebody may remove meanwhile: ret_fd is that of its name.
 * timeout_ms: UINT32_MAX: none.
 */
int ssdpm__lock_file(const struct site *site, const char *name, int flags,
		     uint32_t timeout_ms, int *ret_fd);
/* Without the lock; -ENOENT: there is no directory, and none was to be made. */
int ssdpm__site_find(const struct ssdpm_plan *plan, bool make,
		     struct site *ret_site, struct ssdpm_error *reterr);
/*
 * The directory of a search of bisect, to look at; close its descriptor.
 * -ENOENT: there is none, or it is the plan's own.
 */
int ssdpm__site_find_search(const struct ssdpm_plan *plan,
			    const struct site *own, struct site *ret_search);
/* How long ago a file of the directory was written; -ENOENT. */
int ssdpm__file_age(const struct site *site, const char *name,
		    uint64_t *ret_age_ms);
void ssdpm__site_close(struct site *site);
/* The lock stays. */
void ssdpm__site_close_journal(struct site *site);

/* journal.c */

#define SSDPM__JOURNAL "journal"
enum { SSDPM__JOURNAL_BYTES = 48 }; /* of its name */

/*
 * The change of each step, in the order of a commit, into the file.
 * device: as in struct changes.
 */
int ssdpm__journal_write(struct site *site, const char *device,
			 struct change *const *changes, size_t n,
			 struct ssdpm_error *reterr);
int ssdpm__journal_begin(const struct site *site, size_t index,
			 struct ssdpm_error *reterr);
/* Should that fail, it is put back all the same. */
void ssdpm__journal_back(const struct site *site, size_t index);
/* Likewise: what is left of its write, as a record has it; "": unknown. */
void ssdpm__journal_left(const struct site *site, size_t index,
			 const char *value);
/* The point from which on a commit counts. */
int ssdpm__journal_remove(struct site *site, const char *name,
			  struct ssdpm_error *reterr);
/* It was not committed: what it would have kept goes first. */
int ssdpm__journal_forget(struct site *site, const char *name,
			  struct ssdpm_error *reterr);
/*
 * Set the journal aside, as its changes could not all be put back.
 * false: it is of several devices, or cannot be renamed.
 */
bool ssdpm__journal_set_aside(struct site *site, const char *device);
/* Is there one of this device? Its name. */
bool ssdpm__journal_is_aside(const struct site *site, const char *device,
			     char ret_name[SSDPM__JOURNAL_BYTES]);
/* One that is not set aside. */
bool ssdpm__journal_stands(const struct site *site);
/* Any. -ENOMEM. */
int ssdpm__journal_exists(const struct ssdpm_plan *plan, bool *ret,
			  struct ssdpm_error *reterr);
bool ssdpm__is_journal(const char *name);
/* The next name of one; "": the first. -ENOENT: there is none. */
int ssdpm__journal_next(const struct site *site,
			char name[SSDPM__JOURNAL_BYTES],
			struct ssdpm_error *reterr);
/* What somebody left who was killed before it had its name. */
void ssdpm__journal_drop_new(const struct site *site);
/* To add lines to it. */
int ssdpm__journal_open(struct site *site, const char *name);

/* old-tables.c: is that of this tolerance one of them? NULL: is there any? */
int ssdpm__has_old_table(struct ssdpm_plan *plan, const char *path, bool *ret,
			 struct ssdpm_error *reterr);
int ssdpm__read_old_tables(const struct site *site, struct changes *ret_changes,
			   struct ssdpm_error *reterr);
/* Before parameters are written: those that drives will have built anew. */
int ssdpm__note_old_tables(const struct site *site, struct changes *changes,
			   const struct ssdpm_plan *plan,
			   struct ssdpm_error *reterr);
/* After the commit: those of drives that are renewed. */
void ssdpm__forget_old_tables(const struct site *site, struct changes *changes,
			      const struct ssdpm_plan *plan);

/* recover.c */

/*
 * Undo what a killed commit left. Values of others are left alone. each: a
 * device that cannot be put back is no failure; its journal is set aside.
 */
int ssdpm__recover(struct site *site, bool each,
		   struct ssdpm_journal *ret_journal,
		   struct ssdpm_error *reterr);

/* As ssdpm__site_open(), with words for a journal that waits for root. */
int ssdpm__plan_open_site(const struct ssdpm_plan *plan, struct site *ret_site,
			  struct ssdpm_error *reterr);
/* As ssdpm__recover(), where the site is open; then read what it plans with. */
int ssdpm__plan_recover(struct ssdpm_plan *plan, struct ssdpm_error *reterr);

/* searched.c: devices that a search of ssdpm bisect has set */

struct searched {
	struct site site;
	struct changes kept;
	bool is_there; /* the search, and its site is open */
};

/* Under the lock; own is the site of the plan. -EBUSY: it was killed. */
int ssdpm__searched_read(const struct ssdpm_plan *plan, const struct site *own,
			 struct searched *searched, struct ssdpm_error *reterr);
void ssdpm__searched_free(struct searched *searched);
/* -EBUSY: the search has set the device of the step. */
int ssdpm__searched_check(const struct searched *searched,
			  const struct step *step, struct ssdpm_error *reterr);

/* record.c, record-read.c: lists of changes in files */

/* Path and values are copied. */
int ssdpm__changes_add(struct changes *changes, const struct change *change);
void ssdpm__changes_free(struct changes *changes);
/* The change of this kind and path, or NULL. */
struct change *ssdpm__changes_find(const struct changes *changes,
				   const struct change *change);
/* The first n of them stay. */
void ssdpm__changes_cut(struct changes *changes, size_t n);
/*
 * Return: 0; -ENOENT; -ESTALE: of another boot. -EIO: damaged, of another
 * version, or with an unknown word; reterr has the line.
 */
int ssdpm__changes_read(const struct site *site, const char *name,
			struct changes *ret_changes,
			struct ssdpm_error *reterr);
/*
 * Write and synchronise a new file of this name. device: as in struct changes.
 */
int ssdpm__changes_write(const struct site *site, const char *name,
			 const char *device, struct change *const *changes,
			 size_t n, struct ssdpm_error *reterr);
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

/* How many were undone; those left alone are another's, or are gone. */
struct undone {
	uint32_t n;
	uint32_t n_left_alone;
	const struct change *failed; /* the first, or NULL */
};

/*
 * A write of this change has failed. Notes a value that nobody would know as
 * ours, for this undo and in the journal for a later one.
 */
void ssdpm__note_left(const struct site *site, struct change *const *changes,
		      size_t index);

/* Put back what has begun. reterr tells what is not possible; the rest is put
 * back all the same. */
int ssdpm__undo(const struct site *site, struct change *const *changes,
		size_t n, struct undone *ret_undone,
		struct ssdpm_error *reterr);
/* keep.c: the record for revert */

/* Does it say anything that the record does not? */
bool ssdpm__is_new(const struct changes *changes, const struct change *change);
/* Would a commit of this plan write another record? */
bool ssdpm__is_news(const struct changes *kept, const struct ssdpm_plan *plan);
/*
 * Writes undo.new: what revert needs once these are done, beside what is kept
 * already. It leaves out the steps that a plan reverts, and takes those of the
 * device alone if it is not NULL. Then kept has what was written.
 */
int ssdpm__keep(struct site *site, struct changes *kept,
		struct change *const *changes, size_t n,
		const struct ssdpm_plan *plan, const char *device,
		struct ssdpm_error *reterr);
/* It replaces the old one; -ENOENT: there is none. */
int ssdpm__keep_finish(const struct site *site);
/* Completes what a commit has left; it is not written over. */
int ssdpm__keep_complete(const struct site *site, struct ssdpm_error *reterr);
/* A feature that goes on: did an earlier commit tell Linux to keep it off? */
bool ssdpm__is_kept_off(const struct site *site, const struct change *change);
/* The record of the last commits; empty if there is none. */
int ssdpm__read_kept(const struct site *site, struct changes *ret_changes,
		     struct ssdpm_error *reterr);
/* What the commits since the boot have changed; none if there was none. */
int ssdpm__plan_read_changed(struct ssdpm_plan *plan,
			     struct changes *ret_changes,
			     struct ssdpm_error *reterr);
/* Has one of them written this value? */
int ssdpm__plan_has_changed(struct ssdpm_plan *plan,
			    const struct change *change, bool *ret_changed,
			    struct ssdpm_error *reterr);

/* verify.c: compare the tables that were built; words go to the steps. */
int ssdpm__check_tables(struct ssdpm_plan *plan, const char *device,
			struct ssdpm_error *reterr);
/* A failure of ssdpm_plan_verify(): was something read that is not as planned?
 */
bool ssdpm__is_otherwise(int err);

#endif
