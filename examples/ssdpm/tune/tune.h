/* SPDX-License-Identifier: MIT */
/* ssdpm tune: the best setting of each drive, shown, set, proven and kept. */
#ifndef SSDPM_COMMAND_TUNE_H
#define SSDPM_COMMAND_TUNE_H

#include "html/html.h"
#include "input/trace-input.h"
#include "options/patience.h"
#include "programs.h"

#define MAX_TRIAL_FILES 16

/* What the prediction leaves open, and who decides it. */
struct trial_options {
	bool measure;
	uint64_t up_to_ns; /* 0: as long as a trial takes by itself */
	const char *meter; /* NULL: the one that sees the drives */
	const char *save;  /* where the results go; NULL: nowhere */
	const char *files[MAX_TRIAL_FILES]; /* of earlier trials */
	size_t n_files;
	uint64_t seed; /* drawn, if it is not given */
	uint64_t given;
};

extern const struct option_group trial_option_group;

struct tune_options {
	const char *trace_name; /* NULL: the usual workload */
	struct trace_options trace;
	struct page_options page;
	struct patience_options patience;
	uint32_t hours_per_day;
	double price_per_kwh; /* 0: not given */
	bool yes, dry_run, keep;
	uint64_t given;
};

/* "saves 220 mW (likely 7.9 to 610)" */
struct saving_words total_text(const struct ssdpm_total *total);

/* The advice on the drives that were named, or on all of them. */
struct tuning {
	const struct common *common;
	const struct tune_options *options;
	const struct trial_options *trials;
	struct live *live;
	const char *workload; /* the name, for people */
	struct ssdpm_energy_report *report;
	struct ssdpm_energy_report_item *items; /* borrowed from it */
	size_t *numbers;			/* of these items in it */
	size_t n;
	bool named;	  /* not all drives, but those that operands name */
	size_t n_changes; /* items that are to be set */
	enum exit_status failure; /* of the first drive that cannot be read */
	bool refused;		  /* to measure: nothing is set, either */
	int n_left_out;		  /* details for which the screen has no room */
	struct ssdpm_total saver; /* what the profile for the battery saves */
};

/* Where nothing is to change on a machine with a battery. */
void find_saver(struct tuning *tuning,
		const struct ssdpm_energy_report_params *params);
void write_saver(FILE *file, const struct tuning *tuning);

static inline bool is_to_set(const struct ssdpm_energy_report_item *item)
{
	return item->advice == SSDPM_ADVICE_SET;
}

/*
 * It undoes what a killed command has left before it reads the drives. A dry
 * run tells of it.
 */
enum exit_status undo_killed(const struct tuning *tuning);

/* Ask on the terminal, where anything but yes is no. */
bool agrees(const char *question);

/* "saves 120 mW (95 %: 40..210 mW)": with an interval, if there is one */
struct cell trial_saving_text(double saving_w, double low_w, double high_w);
/* One line for each drive that was tried. */
void print_trials(const struct tuning *tuning);

/* The items once more, as the report has them by now. */
void refresh_tuning(struct tuning *tuning);

/* Do the options go together? Draws the seed. */
enum exit_status check_trial_options(const struct common *common,
				     struct trial_options *trials);

/*
 * Take the results of earlier trials, and with --measure try what is not
 * decided. Where it ends early the items have what is known.
 */
enum exit_status read_trials(struct tuning *tuning);
enum exit_status measure_tuning(struct tuning *tuning);
/* Is there a meter for trials? */
bool has_trial_meter(const struct live *live);
/* Can --save be written? Then a line for the drive that was tried. */
enum exit_status check_results(const struct tuning *tuning);
enum exit_status save_trial(const struct tuning *tuning, size_t i);

/* Fill in report, items and how many there are; no operands: all drives. */
enum exit_status find_tuning(struct tuning *tuning, char **operands, size_t n);

/* The screen, or what the form says. */
enum exit_status print_tuning(const struct tuning *tuning);

/* With --keep: other programs that may undo what is kept. */
enum exit_status say_tuning_owners(const struct tuning *tuning);
/* May this process write what is advised? If not, it is complained of. */
enum exit_status check_rights(const struct tuning *tuning);

/* The same as a page. */
enum exit_status write_tune_page(const struct tuning *tuning);

/*
 * The screen and the page share these: how many drives change, and what that
 * saves. They also share a setting, and why a drive is left alone.
 */
void write_further(FILE *file, const struct tuning *tuning);
/* How Linux builds the table of a drive whose limit is the best already. */
void write_rebuild(FILE *file, const struct tuning *tuning);
/* How many drives need it, and what the first of them has to be written. */
size_t count_rebuilds(const struct tuning *tuning, const char **ret_name,
		      const struct ssdpm_diagnosis **ret_finding);
/* What the link of a drive would save if it slept deeper. */
void write_link(FILE *file, const struct tuning *tuning);
/* Sums what sleep saves today, and counts the drives that are missing. */
struct ssdpm_total total_asleep(const struct tuning *tuning);
struct cell harm_text(const struct tuning *tuning, bool today);
/* What the changes save, or how many drives that need none could be read. */
void write_change(FILE *file, const struct tuning *tuning);
/* What sleep saves today, if anything; the screen has it only if it fits. */
void write_asleep(FILE *file, const struct tuning *tuning);
bool shows_asleep(const struct tuning *tuning);
void write_verdict(FILE *file, const struct tuning *tuning);
struct cell reason_text(const struct ssdpm_energy_report_item *item);
/* The command that explains the first drive of which nothing is decided, where
 * there is one. */
void write_decider(FILE *file, const struct tuning *tuning);
/* A line where a setting of today, or one that stays, is a risk. */
void write_risk(FILE *file, const struct tuning *tuning);
/* What JSON has of each drive. */
void add_tuning(struct items *items, const struct tuning *tuning);

/* The end of what --yes prints, once all is set. */
void write_done(FILE *file, const struct tuning *tuning);
/* Set what is advised, and prove it: what failed is complained of. */
enum exit_status set_tuning(const struct tuning *tuning);

/* Keep what ssdpm has set of these drives since the boot. */
enum exit_status keep_what_is_set(const struct tuning *tuning);

typedef enum exit_status (*settings_fn)(const struct work *work, bool lasting,
					size_t n);
/* Calls go for a drive alone: each drive gets a section of a file. */
enum exit_status go_drive(const struct tuning *tuning,
			  const struct ssdpm_energy_report_item *item,
			  const struct ssdpm_profile_settings *settings,
			  const struct common *common, settings_fn go);

#endif
