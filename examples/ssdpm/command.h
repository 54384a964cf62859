/* SPDX-License-Identifier: MIT */
/*
 * The command's skeleton: subcommands, their option tables, and what every
 * subcommand can do alike. One table of options for each subcommand feeds the
 * parser, --help and the completions.
 */
#ifndef SSDPM_COMMAND_H
#define SSDPM_COMMAND_H

#include <ssdpm-energy.h>

#include "text/print.h"

enum exit_status {
	STATUS_DONE = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
	STATUS_DEVICE_CANNOT = 3,
	STATUS_NO_PRIVILEGES = 4,
	STATUS_NOT_IN_FORCE = 5,
};

/*
 * An option; letter 0: it has only a long name; argument NULL: it takes none;
 * "[FILE]": it may take one, as in --catalogue=FILE. Words of the argument that
 * begin with a small letter stand for themselves, as in "linux|linux-legacy" or
 * "TIME|any": shells complete them. FILE and DIR are paths.
 */
struct option_spec {
	const char *name;
	char letter;
	const char *argument;
	const char *help;
};

/* How the result is printed: the options that every subcommand has. */
enum form {
	FORM_HUMAN = 0,
	FORM_JSON,
	FORM_SHELL,
	FORM_VALUE,
	FORM_OWN, /* a form that only this subcommand has */
};

struct common {
	const char *subcommand;
	const char *list; /* what its JSON lists: "drives" */
	bool each_alone;  /* as of its subcommand */
	enum form form;
	const char *form_option; /* which option chose the form */
	const char *value_key;
	bool quiet;
	bool verbose;
	/* Of a subcommand that takes drives: */
	const char *firmware;	    /* NULL: any */
	const char *catalogue_path; /* drives of the user; NULL: none */
	/* Of a subcommand that takes devices: */
	const char *root; /* a capture; NULL: this machine */
	bool identify;	  /* commands may be sent to drives */
};

/*
 * Take one option of a table. Return STATUS_DONE, or STATUS_USAGE after a
 * complaint.
 */
typedef enum exit_status (*set_fn)(void *settings, struct common *common,
				   const struct option_spec *option,
				   const char *argument);

/* Options that several subcommands have. */
struct option_group {
	const struct option_spec *options;
	size_t n_options;
	set_fn set;
};

/* A group in a subcommand, and where that keeps what was set. */
struct group_use {
	const struct option_group *group;
	void *settings;
};

struct subcommand {
	const char *name;
	const char *operands;
	bool operands_optional;
	bool takes_drives;     /* then it has the options that say which */
	bool takes_devices;    /* only those of a machine */
	bool energy_does_more; /* ssdpm-energy runs it, if that is installed */
	const char *list;      /* what its JSON lists: "drives" */
	/* With --json one of several drives that fails is in the list, too. */
	bool each_alone;
	const char *summary;
	const struct option_spec *options;
	size_t n_options;
	const struct group_use *groups;
	size_t n_groups;
	const char *examples;
	/* Words after its name that have options of their own; the last one is
	 * NULL. Their names have the name of this one before them. */
	const struct subcommand *const *actions;
	set_fn set;
	enum exit_status (*run)(const void *settings,
				const struct common *common, char **operands,
				size_t n_operands);
	void *settings;
};

extern const struct subcommand cmd_list;
extern const struct subcommand cmd_show;
extern const struct subcommand cmd_apst;
extern const struct subcommand cmd_workload;
extern const struct subcommand cmd_estimate;
extern const struct subcommand cmd_compare;
extern const struct subcommand cmd_recommend;
extern const struct subcommand cmd_budget;
extern const struct subcommand cmd_lpm;
extern const struct subcommand cmd_plan;
extern const struct subcommand cmd_apply;
extern const struct subcommand cmd_check;
extern const struct subcommand cmd_revert;
extern const struct subcommand cmd_capture;
extern const struct subcommand cmd_consistency;
extern const struct subcommand cmd_measure;
extern const struct subcommand cmd_calibrate;

/* options.c: the i-th option of a subcommand, own and common, or NULL. */
const struct option_spec *option_at(const struct subcommand *subcommand,
				    size_t i);
bool argument_is_optional(const struct option_spec *option);

/*
 * completion.c: print what a shell ("bash", "zsh", "fish") needs to complete
 * command lines; false: another shell. subcommands ends with NULL.
 */
bool print_completion(const char *shell,
		      const struct subcommand *const *subcommands);

/* options.c: run a subcommand, argv[0] being its name. */
enum exit_status run_subcommand(const struct subcommand *subcommand, int argc,
				char **argv);

/* options.c: print the help of a subcommand, or of one of its actions. */
enum exit_status help_subcommand(const struct subcommand *subcommand,
				 const char *action);

/* "calibrate" of "measure calibrate". */
const char *action_word(const struct subcommand *action);

/* Choose the form of the output; two different ones are a usage error. */
enum exit_status choose_form(struct common *common, enum form form,
			     const char *option);

/*
 * A line on standard error: "ssdpm: ...", "ssdpm apst: ...". A complaint says
 * why something failed, and is among the errors of the JSON; a remark is not.
 */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
void remark(const char *format, ...) __attribute__((format(printf, 1, 2)));
enum exit_status usage_error(const struct common *common, const char *format,
			     ...) __attribute__((format(printf, 2, 3)));

#endif
