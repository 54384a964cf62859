/* SPDX-License-Identifier: MIT */
/*
 * Two programs are made of these files. ssdpm is linked against libssdpm alone,
 * so that udev, a boot script or a power tool starts it in little time and
 * memory. ssdpm-energy has all commands, also those that predict and measure,
 * and is linked against libssdpm-energy too. core-program.c and
 * energy-program.c have all that differs between the two.
 */
#ifndef SSDPM_COMMAND_PROGRAMS_H
#define SSDPM_COMMAND_PROGRAMS_H

#include "text/output.h"
#include "work/work.h"

/* Whether this program is ssdpm-energy. */
extern const bool has_energy;

/* The commands of this program; the last one is NULL. */
extern const struct subcommand *const subcommands[];

/*
 * Run ssdpm-energy with the same arguments, in place of this process. It
 * returns if this is ssdpm-energy, or if that is not installed.
 */
void run_energy_program(char **argv);

/* The i-th workload that can be generated; NULL: there is none. */
const char *get_workload_name(size_t i);

/* Whether ssdpm-energy alone has this command. */
bool needs_energy(const char *command);

/* The power meters of a machine; *ret_meters is to be freed. */
int read_meters(const struct live *live, struct ssdpm_meter **ret_meters,
		size_t *ret_n, struct ssdpm_error *reterr);
const char *meter_kind_word(uint32_t kind);
/* What ends ssdpm.machine/1; NULL: nothing does. */
int meters_json(const struct ssdpm_meter *meters, size_t n, char **ret_text,
		struct ssdpm_error *reterr);

/*
 * A drive, and what is best for it: ssdpm-energy knows the setting that saves
 * most; ssdpm alone knows what profile auto would change.
 */
struct outlook {
	struct ssdpm_report_item drive;
	bool is_known;			   /* whether a setting is better */
	bool is_to_set;			   /* it is */
	const struct ssdpm_likely *likely; /* of the best one; NULL: none */
	int64_t added_mean_ns;
	struct ssdpm_model *model;		       /* with the best one: */
	const struct ssdpm_profile_settings *settings; /* it */
};

/* Those of a machine; report is what all of it is borrowed from. */
struct outlooks {
	struct outlook *list;
	size_t n;
	void *report;
	const char *workload; /* that savings are of; NULL: there are none */
};

int read_outlooks(const struct live *live, struct outlooks *ret_outlooks,
		  struct ssdpm_error *reterr);
void free_outlooks(struct outlooks *outlooks);
/* One more; -ENOMEM. */
int add_outlook(struct outlooks *outlooks, struct outlook outlook,
		struct ssdpm_error *reterr);
/* A line of a screen: the drive, and two columns of text. */
struct screen_row {
	struct cell name, product, third, last;
	const char *color; /* of the third, as a terminal takes it; or NULL */
};

struct screen_row screen_row(const char *name, const char *product,
			     struct cell third, struct cell last);
/* What steers a terminal, which printf() does not print. */
void print_escape(const char *sequence);
/* As wide as the terminal, at most 80 columns, if the others leave eight for
 * the product. */
void print_screen_rows(const struct screen_row *rows, size_t n);
/* "saves 120 mW", "not decided" */
struct cell saving_cell(const struct ssdpm_likely *likely);
/* "+0.31 ms" */
struct cell delay_cell(int64_t ns);
/* "ssdpm.advice/1" of a drive; NULL: none is known. */
int outlook_json(const struct outlooks *outlooks, const char *name,
		 char **ret_text, struct ssdpm_error *reterr);
/* How many settings that files ask for are not in force. */
int count_pending(const struct live *live, size_t *ret_n,
		  struct ssdpm_error *reterr);
/* What status answers for programs. */
enum exit_status print_status_items(const struct common *common);
/* Compare the best setting with that of today, in two lines for a shell. */
void write_call_to_decide(FILE *file, const struct live *live,
			  const char *workload, const struct outlook *outlook);
/* For people, with what to do next. */
enum exit_status print_outlooks(const struct live *live,
				const struct outlooks *outlooks, bool colored);

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

/* The work of each, after the options are checked and drives are read. */
enum exit_status finish_plan(struct work *work,
			     const struct plan_command *command,
			     char **operands, size_t n);
enum exit_status finish_apply(struct work *work,
			      const struct plan_command *command,
			      char **operands, size_t n);
enum exit_status finish_check(struct work *work,
			      const struct plan_command *command,
			      char **operands, size_t n);

/* keep.c: can it be kept, with n operands? */
enum exit_status check_keep(const struct common *common,
			    const struct plan_options *options, size_t n);

/*
 * keep.c: keep settings for good, or until the next boot if files ask for
 * something. These see whether they can be kept, before anything is set; keep
 * them, if their plan is in force; and show what would be kept.
 */
enum exit_status check_settings(const struct work *work, bool lasting,
				size_t n);
enum exit_status keep_settings(const struct work *work, bool lasting, size_t n);
/* Print a remark if files ask for something else than what holds now. */
enum exit_status say_what_decides(const struct work *work);
enum exit_status show_settings(const struct work *work, bool lasting, size_t n);

/*
 * Ask these drives alone, of a plan that was made before or of none; what
 * cannot be asked stays as it was read.
 */
void identify_concerned(const struct work *work, const struct ssdpm_plan *plan,
			struct drives *drives);

/* plan.c: what the groups of options that follow set. */
extern struct plan_options the_plan_options;
enum { N_PLAN_GROUPS = 4 };
extern const struct group_use plan_groups[N_PLAN_GROUPS];

/* plan --trace: whether its options fit those of a plan for n targets. */
enum exit_status check_saving(const struct common *common, bool both_sources,
			      size_t n);

/* Simulate each drive as it is and as it will be; without --trace, nothing. */
enum exit_status estimate_work(struct work *work);
void print_savings(const struct work *work);
void add_savings(struct items *items, const struct work *work);
void free_savings(struct work *work);

#endif
