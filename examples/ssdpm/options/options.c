/* SPDX-License-Identifier: MIT */
#include "options/units.h"
#include "text/output.h"
#include "text/progress.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MAX_OPTIONS 96
#define FIRST_CODE 256 /* above every letter */

static const struct option_spec common_options[] = {
	{ "json", 0, NULL, "Print JSON: one object with a list and the errors.",
	  SETS_OWN },
	{ "value", 0, "KEY", "Print the value of one key of the JSON.",
	  SETS_OWN, .rare = true },
	{ "shell", 0, NULL, "Print KEY='value' lines for /bin/sh.", SETS_OWN,
	  .rare = true },
	{ "root", 0, "DIR", "Read a capture instead of this machine.",
	  SETS_OWN },
	{ "quiet", 'q', NULL, "Print no notes on standard error.",
	  SETS_FLAG(struct common, quiet) },
	{ "verbose", 'v', NULL, "Print what was read.",
	  SETS_FLAG(struct common, verbose), .rare = true },
	{ "wide", 0, NULL, "Print lines of any length, and no row in two.",
	  SETS_FLAG(struct common, wide), .rare = true },
	{ "help", 'h', NULL, "Print the everyday options.", SETS_OWN },
	{ "help-all", 0, NULL, "Print all options.", SETS_OWN, .rare = true },
};

/*
 * The options of subcommands that take drives. The first two are for devices,
 * too.
 */
static const struct option_spec drive_options[] = {
	{ "identify", 0, NULL, "Ask the drives of this machine. Requires root.",
	  SETS_FLAG(struct common, identify) },
	{ "catalogue", 0, "FILE",
	  "Add drives from FILE before those of the catalogue.",
	  SETS_TEXT(struct common, catalogue_path), .rare = true },
	{ "firmware", 0, "FW",
	  "Choose the drive of the catalogue with this firmware.",
	  SETS_TEXT(struct common, firmware), .rare = true },
};

static enum exit_status set_common(void *settings, struct common *common,
				   const struct option_spec *option,
				   const char *argument);

static const struct option_group common_group = {
	OPTIONS(common_options),
	.title = "Every command",
	.set = set_common,
};
static const struct option_group drive_group = {
	OPTIONS(drive_options),
	.title = "Drives",
};
static const struct option_group device_group = {
	.options = drive_options,
	.n_options = 2,
	.title = "Drives",
};

size_t count_groups(const struct subcommand *subcommand)
{
	return subcommand->n_groups + 3;
}

struct group_use group_at(const struct subcommand *subcommand, size_t i)
{
	struct group_use use = { .group = NULL };

	if (i == 0)
		return (struct group_use)USE(subcommand->own,
					     subcommand->settings);
	if (i <= subcommand->n_groups)
		return subcommand->groups[i - 1];
	if (i > subcommand->n_groups + 1)
		use.group = &common_group;
	else if (subcommand->takes_drives)
		use.group = &drive_group;
	else if (subcommand->takes_devices)
		use.group = &device_group;
	return use;
}

const struct option_spec *option_at(const struct subcommand *subcommand,
				    size_t i)
{
	for (size_t j = 0; j < count_groups(subcommand); j++) {
		const struct option_group *group =
			group_at(subcommand, j).group;
		const size_t n = group ? group->n_options : 0;

		if (i < n)
			return &group->options[i];
		i -= n;
	}
	return NULL;
}

#define N_common (sizeof(common_options) / sizeof(common_options[0]))

bool argument_is_optional(const struct option_spec *option)
{
	return option->argument && option->argument[0] == '[';
}

/* "-q", "-qv", "-i 0s..1s", "-i0s..1s" */
static size_t count_letter_words(const struct subcommand *subcommand,
				 const char *letters)
{
	const struct option_spec *option;
	size_t i = 0;

	while ((option = option_at(subcommand, i)) &&
	       option->letter != *letters)
		i++;
	if (!option)
		return 0;
	if (option->argument)
		return letters[1] ? 1 : 2;
	return letters[1] ? count_letter_words(subcommand, letters + 1) : 1;
}

static size_t count_option_words(const struct subcommand *subcommand,
				 const char *word)
{
	const struct option_spec *option;

	if (word[0] == '-' && word[1] && word[1] != '-')
		return count_letter_words(subcommand, word + 1);
	for (size_t i = 0; (option = option_at(subcommand, i)); i++) {
		const size_t n = strlen(option->name);

		if (strncmp(word, "--", 2) ||
		    strncmp(word + 2, option->name, n))
			continue;
		if (word[2 + n] == '=')
			return 1;
		if (!word[2 + n])
			return option->argument &&
					       !argument_is_optional(option) ?
				       2 :
				       1;
	}
	return 0;
}

size_t find_word(const struct subcommand *subcommand, size_t argc, char **argv)
{
	size_t at = 1, n;

	while (at < argc && (n = count_option_words(subcommand, argv[at])))
		at += n;
	return at < argc ? at : argc;
}

void put_word_first(char **argv, size_t at)
{
	char *word = argv[at];

	memmove(&argv[2], &argv[1], (at - 1) * sizeof(*argv));
	argv[1] = word;
}

static size_t count_options(const struct subcommand *subcommand)
{
	size_t n = 0;

	while (option_at(subcommand, n))
		n++;
	return n;
}

__attribute__((format(printf, 1, 0))) static void say(const char *format,
						      va_list args)
{
	progress_clear();
	print_message("ssdpm: ", format, args);
}

__attribute__((format(printf, 1, 0))) static void say_and_note(
	const char *format, va_list args)
{
	va_list again;

	va_copy(again, args);
	say(format, args);
	note_error(format, again);
	va_end(again);
}

void complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_and_note(format, args);
	va_end(args);
}

enum exit_status failure(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_and_note(format, args);
	va_end(args);
	return STATUS_FAILED;
}

static bool is_missing_right(int code)
{
	return code == -EACCES || code == -EPERM;
}

enum exit_status status_of_file(int code)
{
	return is_missing_right(code) ? STATUS_NO_PRIVILEGES : STATUS_FAILED;
}

enum exit_status cannot(const char *verb, const char *object, int error)
{
	complain("cannot %s %s: %s", verb, object,
		 is_missing_right(-error) ? ssdpm_strerror(-error) :
					    strerror(error));
	return status_of_file(-error);
}

void remark(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
}

enum exit_status out_of_memory(void)
{
	return failure("out of memory");
}

enum exit_status usage_error(const struct common *common, const char *format,
			     ...)
{
	va_list args;
	char before[48];

	snprintf(before, sizeof(before), "ssdpm %s: ", common->subcommand);
	va_start(args, format);
	print_message(before, format, args);
	va_end(args);
	return STATUS_USAGE;
}

enum exit_status choose_form(struct common *common, enum form form,
			     const char *option)
{
	if (common->form && strcmp(common->form_option, option))
		return usage_error(common, "--%s conflicts with --%s",
				   common->form_option, option);
	common->form = form;
	common->form_option = option;
	return STATUS_DONE;
}

static enum exit_status set_common(void *settings, struct common *common,
				   const struct option_spec *option,
				   const char *argument)
{
	const char *name = option->name;

	(void)settings;
	if (!strcmp(name, "json"))
		return choose_form(common, FORM_JSON, name);
	if (!strcmp(name, "shell"))
		return choose_form(common, FORM_SHELL, name);
	if (!strcmp(name, "value")) {
		if (common->value_key)
			return usage_error(common, "--value is given twice");
		common->value_key = argument;
		return choose_form(common, FORM_VALUE, name);
	}
	if (!*argument)
		return usage_error(common, "--root \"\": name the directory of "
					   "a capture");
	common->root = argument;
	return STATUS_DONE;
}

/* The tables for getopt_long(). */
struct getopt_tables {
	struct option longs[MAX_OPTIONS + 1];
	char shorts[2 * MAX_OPTIONS + 2];
};

static void make_tables(const struct subcommand *subcommand,
			struct getopt_tables *tables)
{
	size_t n = count_options(subcommand);
	char *shorts = tables->shorts;

	*shorts++ = ':'; /* tell a missing argument from an unknown option */
	for (size_t i = 0; i < n; i++) {
		const struct option_spec *option = option_at(subcommand, i);

		tables->longs[i] = (struct option){
			.name = option->name,
			.has_arg = argument_is_optional(option) ?
					   optional_argument :
				   option->argument ? required_argument :
						      no_argument,
			.val = FIRST_CODE + (int)i,
		};
		if (!option->letter)
			continue;
		*shorts++ = option->letter;
		if (option->argument)
			*shorts++ = ':';
	}
	*shorts = 0;
	tables->longs[n] = (struct option){ 0 };
}

static const struct option_spec *find_option(
	const struct subcommand *subcommand, int code)
{
	size_t n = count_options(subcommand);

	if (code >= FIRST_CODE)
		return option_at(subcommand, (size_t)(code - FIRST_CODE));
	for (size_t i = 0; i < n; i++)
		if (option_at(subcommand, i)->letter == code)
			return option_at(subcommand, i);
	return NULL;
}

/* "--persist, --profile" for "p"; the number of options that begin so. */
static size_t list_options(const struct subcommand *subcommand,
			   const char *start, char *text, size_t size)
{
	const struct option_spec *option;
	size_t n = 0, at = 0;

	for (size_t i = 0; (option = option_at(subcommand, i)); i++) {
		if (strncmp(option->name, start, strlen(start)) != 0)
			continue;
		if (at < size)
			at += (size_t)snprintf(text + at, size - at, "%s--%s",
					       n ? ", " : "", option->name);
		n++;
	}
	return n;
}

/*
 * Reports a word that getopt_long() rejected: unknown, ambiguous, or without
 * its argument.
 */
static enum exit_status bad_word(const struct subcommand *subcommand,
				 const struct common *common, const char *word)
{
	const int length = (int)strcspn(word, "=");
	const struct option_spec *option;
	struct suggestion suggestion;
	char name[64], dashed[66], best[66], help[64], all[1024];

	snprintf(name, sizeof(name), "%.*s", length - 2, word + 2);
	/* A workload is a trace of the library's own. */
	suggestion = (struct suggestion){
		.word = strcmp(name, "workload") ? name : "trace",
	};
	for (size_t i = 0; (option = option_at(subcommand, i)); i++) {
		if (!strcmp(option->name, name))
			return usage_error(common,
					   "option '--%s' takes no argument",
					   name);
		suggest(&suggestion, option->name);
	}
	snprintf(dashed, sizeof(dashed), "--%s", name);
	if (name[0] && list_options(subcommand, name, all, sizeof(all)) > 1)
		return usage_error(common, "'%s' is ambiguous: %s", dashed,
				   all);
	if (suggestion.best)
		snprintf(best, sizeof(best), "--%s", suggestion.best);
	suggestion.best = suggestion.best ? best : NULL;
	suggestion.word = dashed;
	snprintf(help, sizeof(help), "see ssdpm %s --help-all",
		 common->subcommand);
	return usage_error(common, "%s",
			   unknown_word("option", &suggestion, help).text);
}

/* optind is past the rejected word. */
static enum exit_status bad_option(const struct subcommand *subcommand,
				   const struct common *common, int code,
				   char **argv)
{
	const char *word = argv[optind - 1];

	if (code == ':')
		return usage_error(common,
				   "option '%s' requires an argument; see "
				   "ssdpm %s --help",
				   word, common->subcommand);
	if (!strncmp(word, "--", 2))
		return bad_word(subcommand, common, word);
	return usage_error(common, "unknown option '-%c'; see ssdpm %s --help",
			   optopt, common->subcommand);
}

/* A word after an option with an optional number is that number, if it has its
 * unit: "--battery 50Wh". */
static const char *take_argument(const struct option_spec *option, char **argv)
{
	if (optarg || !argument_is_optional(option) || !option->quantity ||
	    !argv[optind] || !is_number_of(option->quantity, argv[optind]))
		return optarg;
	return argv[optind++];
}

struct group_use group_of(const struct subcommand *subcommand,
			  const struct option_spec *option)
{
	struct group_use use = { .group = NULL };

	for (size_t i = 0; i < count_groups(subcommand); i++) {
		use = group_at(subcommand, i);
		if (use.group && use.group->n_options &&
		    option >= use.group->options &&
		    option < use.group->options + use.group->n_options)
			break;
	}
	return use;
}

static enum exit_status take_option(const struct subcommand *subcommand,
				    struct common *common, int code,
				    char **argv)
{
	const struct option_spec *option = find_option(subcommand, code);
	const char *argument = take_argument(option, argv);
	const struct group_use use = group_of(subcommand, option);

	common->given[common->n_given++] = (struct given_option){
		.option = option,
		.argument = argument,
		.by_letter = code < FIRST_CODE,
	};
	return set_option(use.group, use.settings ? use.settings : common,
			  common, option, argument);
}

static void init_settings(const struct subcommand *subcommand)
{
	for (size_t i = 0; i < count_groups(subcommand); i++) {
		const struct group_use use = group_at(subcommand, i);

		if (use.group && use.group->init)
			use.group->init(use.settings);
	}
}

const char *action_word(const struct subcommand *action)
{
	return strchr(action->name, ' ') + 1;
}

static const struct subcommand *action_of(const struct subcommand *subcommand,
					  const char *word)
{
	const struct subcommand *const *actions = subcommand->actions;

	for (; actions && *actions; actions++)
		if (!strcmp(action_word(*actions), word))
			return *actions;
	return NULL;
}

enum exit_status unknown_action(const struct subcommand *subcommand,
				const char *word)
{
	const struct subcommand *const *actions = subcommand->actions;
	char words[128] = "", thing[32] = "command";
	size_t n = 0;

	for (; actions && *actions; actions++)
		n += (size_t)snprintf(words + n, sizeof(words) - n, "%s|",
				      action_word(*actions));
	snprintf(words + n, sizeof(words) - n, "%s",
		 subcommand->words ? subcommand->words : "");
	if (*words)
		snprintf(thing, sizeof(thing), "action of %s",
			 subcommand->name);
	if (*words)
		complain("%s", unknown_of(thing, word, words).text);
	else
		complain("%s: unexpected operand '%s'", subcommand->name, word);
	return STATUS_USAGE;
}

enum exit_status help_subcommand(const struct subcommand *subcommand,
				 const char *action)
{
	const struct subcommand *found =
		action ? action_of(subcommand, action) : subcommand;

	/* The options of other actions are those of the command. */
	if (!found && list_has(subcommand->words, action))
		found = subcommand;
	if (!found)
		return unknown_action(subcommand, action);
	print_help(found, false);
	return STATUS_DONE;
}

/* --all covers the whole catalogue and takes no operands. */
static enum exit_status check_all(const struct common *common, bool operands)
{
	const char *other = operands	     ? "a DRIVE" :
			    common->root     ? "--root" :
			    common->firmware ? "--firmware" :
			    common->identify ? "--identify" :
					       NULL;

	if (!other)
		return STATUS_DONE;
	return usage_error(common, "--all conflicts with %s", other);
}

static enum exit_status run_given(const struct subcommand *subcommand,
				  struct given_option *given, int argc,
				  char **argv)
{
	struct common common = {
		.subcommand = subcommand->name,
		.given = given,
		.list = subcommand->list,
		.each_alone = subcommand->each_alone,
	};
	struct getopt_tables tables;
	enum exit_status status;
	const char *name;
	int code;

	make_tables(subcommand, &tables);
	init_settings(subcommand);
	opterr = 0;
	while ((code = getopt_long(argc, argv, tables.shorts, tables.longs,
				   NULL)) != -1) {
		if (code == '?' || code == ':')
			return bad_option(subcommand, &common, code, argv);
		name = find_option(subcommand, code)->name;
		if (!strncmp(name, "help", 4)) {
			print_help(subcommand, !strcmp(name, "help-all"));
			return STATUS_DONE;
		}
		status = take_option(subcommand, &common, code, argv);
		if (status)
			return status;
	}
	if (common.all && check_all(&common, optind < argc))
		return STATUS_USAGE;
	if (optind == argc && !subcommand->operands_optional &&
	    !(subcommand->takes_drives && (common.root || common.all)))
		return usage_error(&common, "no %s given; see ssdpm %s --help",
				   subcommand->operands, subcommand->name);
	if (optind < argc && action_of(subcommand, argv[optind]))
		return usage_error(&common, "write %s right after %s",
				   argv[optind], subcommand->name);
	if (common.wide)
		widen_lines();
	fold_lines(!common.form);
	status = subcommand->run(subcommand->settings, &common, argv + optind,
				 (size_t)(argc - optind));
	return print_errors(&common, status);
}

/* "-qv" is one word with two options. */
static enum exit_status run_options(const struct subcommand *subcommand,
				    int argc, char **argv)
{
	struct given_option *given;
	enum exit_status status;
	size_t n = 0;

	for (int i = 0; i < argc; i++)
		n += strlen(argv[i]) + 1;
	given = calloc(n, sizeof(*given));
	status = given ? run_given(subcommand, given, argc, argv) :
			 out_of_memory();
	free(given);
	return status;
}

enum exit_status run_subcommand(const struct subcommand *subcommand, int argc,
				char **argv)
{
	const size_t at = find_word(subcommand, (size_t)argc, argv);
	const struct subcommand *action =
		at < (size_t)argc ? action_of(subcommand, argv[at]) : NULL;

	if (!action)
		return run_options(subcommand, argc, argv);
	put_word_first(argv, at);
	return run_options(action, argc - 1, argv + 1);
}
