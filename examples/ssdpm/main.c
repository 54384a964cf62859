/* SPDX-License-Identifier: MIT */
/* ssdpm: the power states of SSDs, and what to do with them. */
#include "programs.h"

#include "input/input.h"
#include "lines/fold.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Paragraphs, with an empty line before each of these. */
static const char *const operands[] = {
	"TARGET: a drive of this machine or of --root: nvme0, sda, /dev/sda, "
	"or a port (host3).",
	"DRIVE: a target, a capture, a file, - for standard input, or the name "
	"of a drive in the catalogue, as in \"WDC PC SN530\". A file is raw "
	"Identify data, the text of nvme id-ctrl, smartctl -c or hdparm -I, or "
	"JSON that ssdpm printed.",
	"TRACE: a file or - in the format of blktrace, blkparse, fio, "
	"biosnoop, CSV or .npy, or a name that ssdpm workload --list prints.",
	NULL
};

static const char *const questions[] = {
	"ssdpm help COMMAND prints the options of a command.",
	"ssdpm --version prints the version.",
	"ssdpm --completion bash|zsh|fish prints completions for a shell.", NULL
};

static void print_overview(void)
{
	print_paragraph("Usage: ssdpm [COMMAND] [OPTION]... [OPERAND]...", 0,
			0);
	putchar('\n');
	print_paragraph("Show and set the power states of SSDs. Without a "
			"command, ssdpm prints status.",
			0, 0);
	puts("\nCommands:");
	print_summaries();
	for (size_t i = 0; operands[i]; i++) {
		putchar('\n');
		print_paragraph(operands[i], 0, 0);
	}
	putchar('\n');
	for (size_t i = 0; questions[i]; i++)
		print_paragraph(questions[i], 0, 0);
}

/* What completions of shells ask for while somebody types. */
static bool print_names(const char *kind, const char *root)
{
	const char *name;

	if (!strcmp(kind, "workloads"))
		for (size_t i = 0; (name = get_workload_name(i)); i++)
			puts(name);
	else if (!strcmp(kind, "devices") || !strcmp(kind, "drives"))
		print_drive_names(!strcmp(kind, "drives"), root);
	else
		return false;
	return true;
}

static enum exit_status refuse_more(const char *word, const char *more)
{
	complain("%s: unexpected operand '%s'", word, more);
	return STATUS_USAGE;
}

/* root: where the devices are; NULL: this machine */
static enum exit_status complete(const char *what, const char *root)
{
	if (what && print_names(what, root))
		return STATUS_DONE;
	if (what && root)
		return refuse_more("--completion", root);
	if (what && print_completion(what, subcommands))
		return STATUS_DONE;
	if (what)
		complain("unknown shell '%s'; expected bash, zsh or fish",
			 what);
	else
		complain("option '--completion' requires a shell: bash, zsh "
			 "or fish");
	return STATUS_USAGE;
}

static const struct subcommand *look_up(const char *name)
{
	for (size_t i = 0; subcommands[i]; i++)
		if (!strcmp(name, subcommands[i]->name))
			return subcommands[i];
	return NULL;
}

/* Words of other tools for what a command does. */
static void suggest_by_meaning(struct suggestion *suggestion)
{
	static const char *const words[][2] = {
		{ "undo", "revert" },
		{ "restore", "revert" },
		{ "set", "apply" },
		{ "optimize", "tune" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(suggestion->word, words[i][0]))
			suggestion->best = words[i][1];
}

#define OPTION_BYTES 64

/* An option of status needs no command. */
static void suggest_option(struct suggestion *suggestion,
			   char best[OPTION_BYTES])
{
	const struct option_spec *option;
	char text[OPTION_BYTES];

	for (size_t i = 0; (option = option_at(&cmd_status, i)); i++) {
		snprintf(text, sizeof(text), "--%s", option->name);
		suggest(suggestion, text);
		if (suggestion->best == text)
			suggestion->best = strcpy(best, text);
	}
}

/* A command that this program does not have. */
static enum exit_status complain_of_command(const char *name)
{
	static const char *const words[] = { "help", "--help", "--version",
					     "--completion" };
	char word[OPTION_BYTES], best[OPTION_BYTES];
	struct suggestion suggestion = { .word = word };

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(name, "="), name);

	if (needs_energy(name))
		return failure("%s: ssdpm-energy is not installed", name);
	for (size_t i = 0; subcommands[i]; i++)
		suggest(&suggestion, subcommands[i]->name);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		suggest(&suggestion, words[i]);
	suggest_by_meaning(&suggestion);
	if (*name == '-')
		suggest_option(&suggestion, best);
	if (*name == '-')
		complain("%s",
			 unknown_word("option before a command", &suggestion,
				      "write it after the command")
				 .text);
	else
		complain("%s", unknown_word("command", &suggestion,
					    "see ssdpm --help")
				       .text);
	return STATUS_USAGE;
}

/* "help", "help estimate", "help measure calibrate". */
static enum exit_status help(char **words)
{
	const struct subcommand *subcommand;

	if (!words[1] || (!strcmp(words[1], "help") && !words[2])) {
		print_overview();
		return STATUS_DONE;
	}
	if (*words[1] == '-')
		return refuse_more(words[0], words[1]);
	subcommand = look_up(words[1]);
	if (!subcommand)
		return complain_of_command(words[1]);
	if (words[2] && words[3])
		return refuse_more(words[0], words[3]);
	return help_subcommand(subcommand, words[2]);
}

/* Whether a word is no command, but asks about ssdpm. */
static bool is_question(const char *word)
{
	static const char *const words[] = {
		"-h",	"--help",    "--help-all",
		"help", "--version", "--completion"
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}

static enum exit_status answer(char **argv)
{
	if (!strcmp(argv[1], "--version")) {
		if (argv[2])
			return refuse_more(argv[1], argv[2]);
		printf("ssdpm %s\n", ssdpm_version());
		return STATUS_DONE;
	}
	run_energy_program(argv);
	if (strcmp(argv[1], "--completion"))
		return help(argv + 1);
	return argv[2] && argv[3] && argv[4] ?
		       refuse_more(argv[1], argv[4]) :
		       complete(argv[2], argv[2] ? argv[3] : NULL);
}

/*
 * Options of status, which include those of every command, may stand before a
 * command.
 */
static enum exit_status dispatch(int argc, char **argv)
{
	const struct subcommand *subcommand;
	const size_t at = find_word(&cmd_status, (size_t)argc, argv);

	if (argc > 1 && is_question(argv[1]))
		return answer(argv);
	if (at == (size_t)argc) {
		run_energy_program(argv);
		return run_subcommand(&cmd_status, argc, argv);
	}
	if (is_question(argv[at])) {
		argv[at - 1] = argv[0];
		return answer(argv + at - 1);
	}
	put_word_first(argv, at);
	subcommand = look_up(argv[1]);
	if (!subcommand || subcommand->energy_does_more)
		run_energy_program(argv);
	return subcommand ? run_subcommand(subcommand, argc - 1, argv + 1) :
			    complain_of_command(argv[1]);
}

/*
 * A file that is opened must not get the number of a standard one that is
 * closed, or messages get into it. Uses of these fail as before.
 */
static void fill_standard_files(void)
{
	static const int modes[] = { O_WRONLY, O_RDONLY, O_RDONLY };

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", modes[fd]);
}

/* A full disk must not look like success. A closed pipe needs no words. */
static enum exit_status end_output(enum exit_status status, bool dies_of_pipe)
{
	int code;

	fflush(stdout);
	code = output_failure();
	if (code == EPIPE && dies_of_pipe) {
		/* A commit ignored it. */
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	if (code && code != EPIPE)
		complain("standard output: %s", strerror(code));
	return code ? STATUS_FAILED : status;
}

int main(int argc, char **argv)
{
	struct sigaction pipe;

	fill_standard_files();
	sigaction(SIGPIPE, NULL, &pipe);
	return (int)end_output(dispatch(argc, argv),
			       pipe.sa_handler == SIG_DFL);
}
