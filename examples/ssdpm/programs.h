/* SPDX-License-Identifier: MIT */
/*
 * These files make two programs. ssdpm is linked against libssdpm alone, so
 * that udev, a boot script or a power tool starts it with little time and
 * memory. The program ssdpm-energy has all commands, also those that predict
 * and measure. It is linked against libssdpm-energy too. All differences
 * between the two are in core-program.c and energy-program.c.
 */
#ifndef SSDPM_COMMAND_PROGRAMS_H
#define SSDPM_COMMAND_PROGRAMS_H

#include "text/output.h"
#include "plan/work.h"

/* Whether this program is ssdpm-energy. */
extern const bool has_energy;

/* The commands of this program; the last one is NULL. */
extern const struct subcommand *const subcommands[];

/*
 * Runs ssdpm-energy with the same arguments instead of this process. It returns
 * if this is ssdpm-energy, or if that is not installed.
 */
void run_energy_program(char **argv);

/* The i-th workload of the generator; NULL: no more. */
const char *get_workload_name(size_t i);

/* Whether only ssdpm-energy has this command. */
bool needs_energy(const char *command);

/* The power meters of a machine; free *ret_meters. */
int read_meters(const struct live *live, struct ssdpm_meter **ret_meters,
		size_t *ret_n, struct ssdpm_error *reterr);
const char *meter_kind_word(uint32_t kind);
/* The end of ssdpm.machine/1; NULL: none. */
int meters_json(const struct ssdpm_meter *meters, size_t n, char **ret_text,
		struct ssdpm_error *reterr);

/*
 * A drive and its best setting. For ssdpm-energy, that is the one that saves
 * most; for ssdpm, what profile auto would change.
 */
struct outlook {
	struct ssdpm_report_item drive;
	bool is_skipped;    /* it sleeps: only ssdpm tune estimates it */
	bool is_estimated;  /* false: no command does */
	bool is_known;	    /* whether a better setting is known */
	bool is_to_set;	    /* it is */
	bool is_to_rebuild; /* it is set; its APST table is not */
	const struct ssdpm_likely *likely; /* of the best one; NULL: unknown */
	int64_t added_mean_ns;
	const struct ssdpm_link_saving *link;	       /* NULL: none saves */
	struct ssdpm_model *model;		       /* with the best one: */
	const struct ssdpm_profile_settings *settings; /* it */
};

/* The outlooks of a machine; they borrow from report. */
struct outlooks {
	struct outlook *list;
	size_t n;
	void *report;
	const char *workload; /* the workload of the savings; NULL: none */
};

int read_outlooks(const struct live *live, struct outlooks *ret_outlooks,
		  struct ssdpm_error *reterr);
void free_outlooks(struct outlooks *outlooks);
/* Adds one; -ENOMEM. */
int add_outlook(struct outlooks *outlooks, struct outlook outlook,
		struct ssdpm_error *reterr);
/* A line of a screen: the drive, and two columns of text. */
struct screen_row {
	struct cell name, product, third, last;
	const char *color; /* of the third, as a terminal sequence; or NULL */
	size_t n_more;	   /* drives that share the row; "sda +5" */
	bool goes_first;   /* something is to be done */
};

struct screen_row screen_row(const char *name, const char *product,
			     struct cell third, struct cell last);
/* Makes one of those that differ in the name alone. Return: how many remain. */
size_t merge_screen_rows(struct screen_row *rows, size_t n);
/* How many drives they have. */
size_t count_row_drives(const struct screen_row *rows, size_t n);
/* "sda +5" */
struct cell row_name(const struct screen_row *row);
/*
 * Prints rows as wide as text_width(). A row takes several lines where less
 * than eight columns remain for the product.
 */
void print_screen_rows(const struct screen_row *rows, size_t n);
/* "latency limit 25 ms", "med_power_with_dipm" */
struct cell setting_text(const struct ssdpm_profile_settings *settings);
/* "saves 120 mW", "not decided" */
struct cell saving_cell(const struct ssdpm_likely *likely);
/* "+0.31 ms" */
struct cell delay_cell(int64_t ns);
/* "ssdpm.advice/1" of a drive; NULL: unknown. */
int outlook_json(const struct outlooks *outlooks, const char *name,
		 char **ret_text, struct ssdpm_error *reterr);
/* How many settings of the files are not in force. */
int count_pending(const struct live *live, size_t *ret_n,
		  struct ssdpm_error *reterr);
/* Prints status for programs. */
enum exit_status print_status_items(const struct common *common);
/*
 * Writes a command that compares the best setting with today's, in two shell
 * lines.
 */
void write_call_to_decide(FILE *file, const struct live *live,
			  const char *workload, const struct outlook *outlook);
/* The first finding of this code; NULL: there is none. */
const struct ssdpm_diagnosis *find_finding(
	const struct ssdpm_report_item *drive, uint32_t code);
/* Why it sleeps less, or not at all: "no APST"; NULL: unknown. */
const char *why_awake(const struct ssdpm_report_item *drive);
/* Whether it is of a capture whose table Linux would make otherwise by now. */
bool keeps_old_table(const struct live *live,
		     const struct ssdpm_report_item *drive);
/* Prints that there is no drive, and calls that need none. */
void print_no_drive(void);
/*
 * Prints outlooks for people, with the next steps. urgent: the first step was
 * printed.
 */
enum exit_status print_outlooks(const struct live *live,
				const struct outlooks *outlooks, bool colored,
				bool urgent);
/*
 * Names the drives that cannot be read; STATUS_FAILED: there are some. The list
 * of --json has the error of each that is none of drives.
 */
enum exit_status complain_of_unread(const struct common *common,
				    const struct live *live,
				    const struct outlooks *outlooks,
				    const struct drives *drives);

/* show --lint, and with --all. */
enum exit_status print_findings(const struct drive *drive);
enum exit_status lint_catalogue(const struct common *common);
int findings_json(const struct ssdpm_model *model, char **ret_text,
		  struct ssdpm_error *reterr);

/* The options of plan, apply and check. */
struct plan_command {
	struct plan_options plan;
	uint32_t persist;
	bool both_sources; /* as on AC, and as on battery */
	bool dry_run;
	bool keep;
	bool strict;
	bool coalesce;
};

extern struct plan_command the_plan_command;

/* The work after the options are checked and the machine is found. */
typedef enum exit_status (*finish_fn)(struct work *work,
				      const struct plan_command *settings,
				      char **operands, size_t n);

/* plan-command.c: checks the options, reads the drives, and finishes. */
enum exit_status run_plan_command(const void *data, const struct common *common,
				  char **operands, size_t n_operands,
				  finish_fn finish);

/* The work of each, after options are checked and drives are read. */
enum exit_status finish_plan(struct work *work,
			     const struct plan_command *command,
			     char **operands, size_t n);
enum exit_status finish_apply(struct work *work,
			      const struct plan_command *command,
			      char **operands, size_t n);
enum exit_status finish_check(struct work *work,
			      const struct plan_command *command,
			      char **operands, size_t n);

/* keep.c: whether the settings can be kept, with n operands. */
enum exit_status check_keep(const struct common *common,
			    const struct plan_options *options, size_t n);

/*
 * keep.c: keeps settings permanently with "lasting", or else until the next
 * boot, if files ask for any. The first checks beforehand whether that can be
 * done. The second keeps them if their plan is in force, the third shows what
 * it would keep.
 */
enum exit_status check_settings(const struct work *work, bool lasting,
				size_t n);
enum exit_status keep_settings(const struct work *work, bool lasting, size_t n);
/* Prints a remark if files ask for another setting than the present one. */
enum exit_status say_what_decides(const struct work *work, const char *remedy);

/* What a step sets: "latency tolerance", "nvme_core apst_primary_timeout_ms".
 */
struct cell plan_step_text(const struct ssdpm_step *step);
enum exit_status show_settings(const struct work *work, bool lasting, size_t n);

/*
 * Asks the drives that a given plan, or else --power-state, concerns. A drive
 * that cannot be asked stays as it was read.
 */
void identify_concerned(const struct work *work, const struct ssdpm_plan *plan,
			struct drives *drives);

/* plan.c: the settings of the option groups below. */
extern struct plan_options the_plan_options;
enum { N_PLAN_GROUPS = 4 };
extern const struct group_use plan_groups[N_PLAN_GROUPS];

/* plan --trace: whether its options fit a plan for n targets. */
enum exit_status check_saving(const struct common *common, bool both_sources,
			      size_t n);

/* Simulates each drive before and after; does nothing without --trace. */
enum exit_status estimate_work(struct work *work);
void print_savings(const struct work *work);
void add_savings(struct items *items, const struct work *work);
void free_savings(struct work *work);

#endif
