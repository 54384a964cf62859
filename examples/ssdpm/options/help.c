/* SPDX-License-Identifier: MIT */
/* --help and --help-all, printed from the option tables. */
#include "lines/fold.h"
#include "text/output.h"
#include "programs.h"

#include <string.h>

#define WIDTH 79
#define NARROW_WIDTH 60
#define HELP_COLUMN 26	  /* of the text of options */
#define NARROW_COLUMN 8	  /* the same in a narrow terminal */
#define COMMAND_COLUMN 14 /* of the text of commands */

static int help_width(void)
{
	const size_t width = text_width(stdout) - 1;

	return width < WIDTH ? (int)width : WIDTH;
}

static int help_column(void)
{
	return help_width() < NARROW_WIDTH ? NARROW_COLUMN : HELP_COLUMN;
}

/*
 * Prints text from column "at", and breaks lines that would be too long. A
 * break replaces a blank, or precedes '|'. Return the column after the last
 * character.
 */
static int print_wrapped(const char *text, char mark, int at, int indent)
{
	const char marks[] = { mark, '\0' };
	const int width = help_width();

	while (*text) {
		int n = 1 + (int)strcspn(text + 1, marks);

		if (at + n > width && at > indent) {
			printf("\n%*s", indent, "");
			at = indent;
			n -= *text == ' ';
			text += *text == ' ';
		}
		printf("%.*s", n, text);
		text += n;
		at += n;
	}
	return at;
}

struct cell option_text(const struct group_use *use,
			const struct option_spec *option)
{
	static const char set[] = "Set ";
	const char *at = use->verb ? strstr(option->help, set) : NULL;

	if (!at)
		return cell("%s", option->help);
	return cell("%.*s%s %s", (int)(at - option->help), option->help,
		    use->verb, at + strlen(set));
}

/* Before it, the action that takes the option. */
static struct cell option_words(const struct group_use *use,
				const struct option_spec *option)
{
	return cell("%s%s%s", use->of ? use->of : "", use->of ? ": " : "",
		    option_text(use, option).text);
}

/* An option too wide for its column gets its own line. */
static void print_option(const struct group_use *use,
			 const struct option_spec *option)
{
	const bool optional = argument_is_optional(option); /* "[FILE]" */
	const char *argument = option->argument ? option->argument : "";
	const int column = help_column();
	int at = printf("  %s%c%s--%s%s", option->letter ? "-" : "",
			option->letter ? option->letter : ' ',
			option->letter ? ", " : "   ", option->name,
			optional	 ? "[=" :
			option->argument ? " " :
					   "");

	at = print_wrapped(argument + optional, '|', at, 8);
	if (at > column - 2) {
		putchar('\n');
		at = 0;
	}
	printf("%*s", column - at, "");
	print_wrapped(option_words(use, option).text, ' ', column, column);
	putchar('\n');
}

/* Prints a group. Return how many options it left out. */
static size_t print_group(const struct group_use *use, bool all)
{
	const struct option_group *group = use->group;
	size_t n = 0;

	for (size_t i = 0; i < group->n_options; i++) {
		if (!all && (use->rare || group->options[i].rare))
			continue;
		if (!n && all)
			putchar('\n');
		if (!n++)
			printf("%s:\n",
			       group->title ? group->title : "Options");
		print_option(use, &group->options[i]);
	}
	return group->n_options - n;
}

void print_help(const struct subcommand *subcommand, bool all)
{
	const struct subcommand *const *actions = subcommand->actions;
	size_t n_more = 0;

	fold_lines(true);
	printf("Usage: ssdpm %s [OPTION]...%s%s\n", subcommand->name,
	       *subcommand->operands ? " " : "", subcommand->operands);
	for (; actions && *actions; actions++)
		printf("       ssdpm %s [OPTION]... %s\n", (*actions)->name,
		       (*actions)->operands);
	putchar('\n');
	print_wrapped(subcommand->summary, ' ', 0, 0);
	fputs("\n", stdout);
	if (subcommand->what_operands_are) {
		puts("\nOperands:");
		fputs(subcommand->what_operands_are, stdout);
	}
	if (subcommand->what_words_do) {
		puts("\nActions:");
		fputs(subcommand->what_words_do, stdout);
	}
	if (!all)
		putchar('\n');
	for (size_t i = 0; i < count_groups(subcommand); i++) {
		const struct group_use use = group_at(subcommand, i);

		n_more += use.group ? print_group(&use, all) : 0;
	}
	puts("\nExamples:");
	puts(subcommand->examples);
	if (n_more)
		printf("%zu more options: ssdpm %s --help-all\n", n_more,
		       subcommand->name);
	printf("More in ssdpm-%.*s(1).\n", (int)strcspn(subcommand->name, " "),
	       subcommand->name);
}

void print_summaries(void)
{
	for (size_t i = 0; subcommands[i]; i++) {
		printf("  %-*s", COMMAND_COLUMN - 2, subcommands[i]->name);
		print_wrapped(subcommands[i]->summary, ' ', COMMAND_COLUMN,
			      COMMAND_COLUMN);
		putchar('\n');
	}
}
