/* SPDX-License-Identifier: MIT */
/*
 * The command's skeleton: subcommands, their option tables, and what every
 * subcommand has. One table of options for each subcommand feeds the parser,
 * --help and the completions.
 */
#ifndef SSDPM_COMMAND_H
#define SSDPM_COMMAND_H

#include <ssdpm-energy.h>

#include "lines/fold.h"
#include "lines/print.h"

enum exit_status {
	STATUS_DONE = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
	STATUS_DEVICE_CANNOT = 3,
	STATUS_NO_PRIVILEGES = 4,
	STATUS_NOT_IN_FORCE = 5,
	STATUS_PARTLY = 6,
};

/* What an option sets. */
enum option_kind {
	OPTION_OWN = 0, /* the set function of its table decides */
	OPTION_FLAG,	/* a bool */
	OPTION_BIT,	/* a bit of a uint32_t */
	OPTION_COMMON,	/* a bool of struct common */
	OPTION_TEXT,	/* a const char *: the argument as it is */
	OPTION_TEXTS,	/* an array of these, and how many there are */
	OPTION_WORD,	/* a uint32_t: a value of an enum */
	OPTION_NUMBER,	/* a uint64_t: see units.h */
	OPTION_SMALL,	/* a uint32_t, of the same */
	OPTION_REAL,	/* a double, of the same */
	OPTION_FORM,	/* the form of the output is FORM_OWN */
};

/*
 * An option. Letter 0: it has only a long name. Argument NULL: it takes none;
 * "[FILE]": it may take one, as in --catalogue=FILE. Words of the argument that
 * begin with a small letter are literal, as in "linux|linux-legacy" or
 * "TIME|any". Shells complete them. FILE and DIR are paths; a TRACE is a path
 * or the name of a workload.
 *
 * The macros below fill in the rest.
 */
struct option_spec {
	const char *name;
	char letter;
	const char *argument;
	const char *help;
	enum option_kind kind;
	size_t offset; /* of its target in the settings of its table */
	uint32_t bit;
	const char *(*to_string)(uint32_t); /* OPTION_WORD */
	uint32_t quantity;		    /* of numbers: enum quantity */
	double per;			    /* OPTION_REAL: how many are 1.0 */
	uint64_t min, max;		    /* max 0: the largest that fits */
	const char *range;		    /* both as text: "from 1 to 24" */
	bool once;			    /* OPTION_TEXT: not twice */
	size_t count;	/* OPTION_TEXTS: offset of the size_t; max: the room */
	uint32_t modes; /* that allow it: see option_not_for() */
	bool rare;	/* --help leaves it to --help-all */
	/* Words as in an argument; NULL: those of the argument. */
	const char *values;
};

/* The compiler rejects a member of another type. */
#define OPTION_AT(type, member, wanted)    \
	.offset = offsetof(type, member) + \
		  0 * sizeof((wanted *)0 == &((type *)0)->member)
#define SETS_FLAG(type, member) \
	.kind = OPTION_FLAG, OPTION_AT(type, member, bool)
#define SETS_BIT(type, member, the_bit) \
	.kind = OPTION_BIT, OPTION_AT(type, member, uint32_t), .bit = the_bit
#define SETS_COMMON(member) \
	.kind = OPTION_COMMON, OPTION_AT(struct common, member, bool)
#define SETS_TEXT(type, member) \
	.kind = OPTION_TEXT, OPTION_AT(type, member, const char *)
#define SETS_TEXTS(type, member, number)                                \
	.kind = OPTION_TEXTS, OPTION_AT(type, member[0], const char *), \
	.count = offsetof(type, number),                                \
	.max = sizeof(((type *)0)->member) / sizeof(const char *)
#define SETS_WORD(type, member, words)                          \
	.kind = OPTION_WORD, OPTION_AT(type, member, uint32_t), \
	.to_string = words
#define SETS_NUMBER(type, member, unit)                           \
	.kind = OPTION_NUMBER, OPTION_AT(type, member, uint64_t), \
	.quantity = unit
#define SETS_SMALL(type, member, unit)                           \
	.kind = OPTION_SMALL, OPTION_AT(type, member, uint32_t), \
	.quantity = unit
#define SETS_REAL(type, member, unit, divisor)                \
	.kind = OPTION_REAL, OPTION_AT(type, member, double), \
	.quantity = unit, .per = divisor
#define SETS_FORM .kind = OPTION_FORM
#define SETS_OWN .kind = OPTION_OWN

/* How to print the result; every subcommand has these options. */
enum form {
	FORM_HUMAN = 0,
	FORM_JSON,
	FORM_SHELL,
	FORM_VALUE,
	FORM_OWN, /* a form that only this subcommand has */
};

/* An option as it was written, "-p auto" or "--profile auto". */
struct given_option {
	const struct option_spec *option;
	const char *argument; /* or NULL */
	bool by_letter;
};

struct common {
	const char *subcommand;
	struct given_option *given; /* all of them, in their order */
	size_t n_given;
	const char *list; /* what its JSON lists: "drives" */
	bool each_alone;  /* as of its subcommand */
	enum form form;
	const char *form_option; /* which option chose the form */
	const char *value_key;
	bool quiet;
	bool verbose;
	bool wide;
	/* For a subcommand that takes drives: */
	const char *firmware;	    /* NULL: any */
	const char *catalogue_path; /* drives of the user; NULL: none */
	bool all;		    /* those of the catalogue, each */
	/* For a subcommand that takes devices: */
	const char *root; /* a capture; NULL: this machine */
	bool identify;	  /* commands may be sent to drives */
};

/*
 * Sets one option of kind OPTION_OWN. Return STATUS_DONE, or STATUS_USAGE after
 * a complaint.
 */
typedef enum exit_status (*set_fn)(void *settings, struct common *common,
				   const struct option_spec *option,
				   const char *argument);

/*
 * A table of options with their settings. The title is its heading in --help.
 * If init is set, it is called before any option is. Bit i of given means that
 * the i-th option was given.
 */
struct option_group {
	const char *title; /* NULL: "Options" */
	const struct option_spec *options;
	size_t n_options;
	set_fn set;
	void (*init)(void *settings);
	bool keeps_given;
	size_t given; /* offset of a uint64_t in the settings */
};

#define OPTIONS(table) \
	.options = table, .n_options = sizeof(table) / sizeof((table)[0])
#define KEEPS_GIVEN(type, member)         \
	.keeps_given = true,              \
	.given = offsetof(type, member) + \
		 0 * sizeof((uint64_t *)0 == &((type *)0)->member)

/* A group in a subcommand, and where its settings are. */
struct group_use {
	const struct option_group *group;
	void *settings;
	bool rare;	  /* --help leaves all of it to --help-all */
	const char *verb; /* replaces "Set"; NULL: that */
	const char *of;	  /* the one action that takes it; NULL: each */
};

#define USE(its_group, its_settings)                             \
	{                                                        \
		.group = (its_group), .settings = (its_settings) \
	}
#define RARE_USE(its_group, its_settings)                                      \
	{                                                                      \
		.group = (its_group), .settings = (its_settings), .rare = true \
	}
#define GROUPS(table) \
	.groups = table, .n_groups = sizeof(table) / sizeof((table)[0])

/* Whether an option of a table was given, by the bits of given. */
bool is_given(const struct option_group *group, uint64_t given,
	      const char *name);

/* The first option given that none of these modes allows, or NULL. */
const char *option_not_for(const struct option_group *group, uint64_t given,
			   uint32_t modes);

struct subcommand {
	const char *name;
	const char *operands;
	const char *words; /* "good|bad", of its first operand; NULL: none */
	bool operands_optional;
	bool takes_drives;     /* it then has the options to choose them */
	bool takes_devices;    /* only a machine's devices */
	bool energy_does_more; /* ssdpm-energy runs it, if that is installed */
	const char *list;      /* what its JSON lists: "drives" */
	/* With --json, a failed one of several drives is in the list, too. */
	bool each_alone;
	const char *summary;
	const struct option_group *own; /* its own options; NULL: none */
	const struct group_use *groups;
	size_t n_groups;
	/* Lines for help; NULL: none. */
	const char *what_operands_are;
	const char *what_words_do;
	const char *examples;
	/*
	 * Words after its name with their own options; the last one is NULL.
	 * Their names begin with the name of this one.
	 */
	const struct subcommand *const *actions;
	enum exit_status (*run)(const void *settings,
				const struct common *common, char **operands,
				size_t n_operands);
	void *settings;
};

extern const struct subcommand cmd_status;
extern const struct subcommand cmd_tune;
extern const struct subcommand cmd_watch;
extern const struct subcommand cmd_suspend;
extern const struct subcommand cmd_bisect;
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
extern const struct subcommand cmd_measure_check;
extern const struct subcommand cmd_measure_state;

/* options.c: the i-th option of a subcommand, own and common, or NULL. */
const struct option_spec *option_at(const struct subcommand *subcommand,
				    size_t i);
bool argument_is_optional(const struct option_spec *option);

/*
 * options.c: the groups of a subcommand in the order of its help. Its own
 * options come first and those of every command last. The group may be NULL.
 * Settings of options without a subcommand are NULL.
 */
size_t count_groups(const struct subcommand *subcommand);
struct group_use group_at(const struct subcommand *subcommand, size_t i);
/* The group of one of its options. */
struct group_use group_of(const struct subcommand *subcommand,
			  const struct option_spec *option);

/* help.c: prints --help or --help-all; prints the list of commands. */
void print_help(const struct subcommand *subcommand, bool all);
void print_summaries(void);

/*
 * completion.c: prints the completions of a shell ("bash", "zsh", "fish");
 * false: another shell. subcommands ends with NULL.
 */
bool print_completion(const char *shell,
		      const struct subcommand *const *subcommands);

/*
 * suggest.c: the candidate most like an unknown word. best is NULL if none is
 * similar.
 */
struct suggestion {
	const char *word;
	const char *best;
	unsigned distance;
};
struct hint {
	char text[512];
};

void suggest(struct suggestion *suggestion, const char *candidate);
/*
 * The one phrase for a word that is unknown: "unknown command 'aply'; did you
 * mean 'apply'?", or "unknown command 'x'; " and the alternative.
 */
struct hint unknown_word(const char *thing, const struct suggestion *suggestion,
			 const char *otherwise);
/* The same for a list of words: "...; expected a, b or c". */
struct hint unknown_of(const char *thing, const char *word, const char *list);

/* A word of a list: "linux" in "linux|linux-legacy". */
struct word {
	const char *text;
	int length;
};

/* The first word of a list, or the one after the last that was given. */
bool next_word(const char *list, struct word *word);
/* Whether a word is literal, as "any" in "TIME|any" is. */
bool stands_for_itself(const struct word *word);
bool list_has(const char *list, const char *text);

/*
 * options.c: the place of the first word that is no option of a subcommand;
 * argc: there is none. The other one puts it before these options.
 */
size_t find_word(const struct subcommand *subcommand, size_t argc, char **argv);
void put_word_first(char **argv, size_t at);

/* options.c: run a subcommand, argv[0] being its name. */
enum exit_status run_subcommand(const struct subcommand *subcommand, int argc,
				char **argv);

/* options.c: print the help of a subcommand, or of one of its actions. */
enum exit_status help_subcommand(const struct subcommand *subcommand,
				 const char *action);

/* The complaint about a word that is no action of a subcommand. */
enum exit_status unknown_action(const struct subcommand *subcommand,
				const char *word);

/* "calibrate" of "measure calibrate". */
const char *action_word(const struct subcommand *action);

/* Choose the form of the output; two different ones are a usage error. */
enum exit_status choose_form(struct common *common, enum form form,
			     const char *option);

/*
 * Writes a line to standard error: "ssdpm: ...", "ssdpm apst: ...". A complaint
 * gives the cause of a failure, and is among the errors of the JSON; a remark
 * is not.
 */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
void remark(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A complaint. Return: STATUS_FAILED. */
enum exit_status failure(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
/* The status of a failure with a file, -errno: STATUS_NO_PRIVILEGES for a
 * missing right, or else STATUS_FAILED. */
enum exit_status status_of_file(int code);
/*
 * Complains as in "cannot read gone: No such file or directory"; error is an
 * errno. A missing right is "permission denied", as the libraries say. Return:
 * that of status_of_file().
 */
enum exit_status cannot(const char *verb, const char *object, int error);
/* Complains that memory is exhausted. Return: STATUS_FAILED. */
enum exit_status out_of_memory(void);
enum exit_status usage_error(const struct common *common, const char *format,
			     ...) __attribute__((format(printf, 2, 3)));

#endif
