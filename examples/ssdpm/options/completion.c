/* SPDX-License-Identifier: MIT */
/*
 * Completions for bash, zsh and fish, printed from the option tables: what the
 * parser takes is what the shell offers.
 */
#include "text/output.h"

#include <string.h>

static bool takes_path(const char *list)
{
	return list && (strstr(list, "FILE") || strstr(list, "DIR") ||
			strstr(list, "TRACE"));
}

/* What ssdpm --completion prints the names of; "": nothing. */
static const char *kind_of(const char *list)
{
	return !list		      ? "" :
	       strstr(list, "DRIVE")  ? "drives" :
	       strstr(list, "TARGET") ? "devices" :
	       strstr(list, "TRACE")  ? "workloads" :
					"";
}

/* Those that stand for themselves; a colon after "escape". */
static void print_words_escaped(const char *list, const char *escape)
{
	struct word word = { 0 };
	const char *separator = "";

	while (next_word(list, &word)) {
		if (!stands_for_itself(&word))
			continue;
		fputs(separator, stdout);
		for (int i = 0; i < word.length; i++)
			printf("%s%c", word.text[i] == ':' ? escape : "",
			       word.text[i]);
		separator = " ";
	}
}

/* The words that stand for themselves, with a blank between them. */
static void print_words(const char *list)
{
	print_words_escaped(list, "");
}

static bool has_words(const char *list)
{
	struct word word = { 0 };

	while (next_word(list, &word))
		if (stands_for_itself(&word))
			return true;
	return false;
}

/* Operands are paths, unless they are something that has no file. */
static bool operands_are_paths(const struct subcommand *subcommand)
{
	return strstr(subcommand->operands, "DRIVE") ||
	       strstr(subcommand->operands, "LOG") ||
	       takes_path(subcommand->operands);
}

/* Not a command: it has the options that may stand before one. */
static const struct subcommand none = { .operands = "" };

/* text in single quotes; each of the special characters after a backslash. */
static void print_escaped(const char *text, const char *special)
{
	for (; *text; text++) {
		if (strchr(special, *text))
			putchar('\\');
		if (*text == '\'' && !strchr(special, '\''))
			fputs("'\\''", stdout);
		else
			putchar(*text);
	}
}

/* An option whose argument is optional is completed without one. */
static const char *argument_of(const struct option_spec *option)
{
	return argument_is_optional(option) ? NULL : option->argument;
}

static const char *values_of(const struct option_spec *option)
{
	return option->values ? option->values : argument_of(option);
}

static bool has_actions(const struct subcommand *subcommand)
{
	return subcommand->words || subcommand->actions;
}

/* The words that may stand right after the name of a subcommand. */
static void print_actions(const struct subcommand *subcommand)
{
	const struct subcommand *const *actions = subcommand->actions;

	for (; actions && *actions; actions++)
		printf("%s ", action_word(*actions));
	print_words(subcommand->words);
}

/* The case of a word that follows one of the options. */
static void print_bash_arguments(const struct subcommand *subcommand)
{
	const struct option_spec *option;

	for (size_t i = 0; (option = option_at(subcommand, i)); i++) {
		if (!values_of(option))
			continue;
		fputs("\t\t", stdout);
		if (option->letter && argument_of(option))
			printf("-%c | ", option->letter);
		/* An optional argument follows "=" alone. */
		if (argument_of(option))
			printf("--%s | ", option->name);
		printf("--%s=)\n\t\t\twords='", option->name);
		print_words(values_of(option));
		printf("' paths=%s kind=%s ;;\n",
		       takes_path(argument_of(option)) ? "yes" : "",
		       kind_of(argument_of(option)));
	}
}

static void print_bash_options(const struct subcommand *subcommand)
{
	const struct option_spec *option;

	for (size_t i = 0; (option = option_at(subcommand, i)); i++) {
		if (option->letter)
			printf("-%c ", option->letter);
		printf("--%s%s", option->name,
		       option_at(subcommand, i + 1) ? " " : "");
	}
}

static void print_bash_subcommand(const struct subcommand *subcommand)
{
	printf("\t'%s')\n\t\tcase $before in\n", subcommand->name);
	print_bash_arguments(subcommand);
	fputs("\t\t*)\n\t\t\twords='", stdout);
	print_bash_options(subcommand);
	printf("' paths=%s kind=%s options=yes\n",
	       operands_are_paths(subcommand) ? "yes" : "",
	       kind_of(subcommand->operands));
	if (has_actions(subcommand)) {
		fputs("\t\t\tif ((COMP_CWORD == at + 1)) && "
		      "[[ $word != -* ]]; then\n\t\t\t\twords='",
		      stdout);
		print_actions(subcommand);
		puts("' options=\n\t\t\tfi");
	}
	puts("\t\t\t;;\n\t\tesac ;;");
}

/* "measure calibrate" is one command, with the options that it has. */
static void print_bash_actions(const struct subcommand *subcommand)
{
	const struct subcommand *const *actions = subcommand->actions;

	for (; actions && *actions; actions++)
		printf("\tif [[ $command == %s && ${COMP_WORDS[at + 1]} == %s "
		       "]] && ((COMP_CWORD > at + 1)); then\n"
		       "\t\tcommand='%s'\n\tfi\n",
		       subcommand->name, action_word(*actions),
		       (*actions)->name);
}

/*
 * "--option=value" comes as three words, "=" being one of them. Readline quotes
 * names and paths. The catalogue has too many names for an empty word.
 */
static const char bash_head[] =
	"# bash completion for ssdpm(1)\n"
	"_ssdpm_names()\n"
	"{\n"
	"\tlocal plain=${word//\\\\/} root= i\n"
	"\n"
	"\tplain=${plain#[\\\"\\']}\n"
	"\t((${#plain} < 2)) && kind=${kind/drives/devices}\n"
	"\tfor ((i = 1; i + 1 < ${#COMP_WORDS[@]}; i++)); do\n"
	"\t\t[[ ${COMP_WORDS[i]} == --root ]] || continue\n"
	"\t\troot=${COMP_WORDS[i + 1]}\n"
	"\t\t[[ $root == = ]] && root=${COMP_WORDS[i + 2]}\n"
	"\t\troot=${root//[\\\\\\\"\\']/} root=${root/#\\~/$HOME}\n"
	"\tdone\n"
	"\twhile IFS= read -r name; do\n"
	"\t\t[[ $name == \"$plain\"* ]] && COMPREPLY+=(\"$name\")\n"
	"\tdone < <(\n"
	"\t\t\"${COMP_WORDS[0]}\" --completion \"$kind\" "
	"${root:+\"$root\"} 2>/dev/null\n"
	"\t\t[[ $paths ]] && compgen -f -- \"$plain\"\n"
	"\t)\n"
	"}\n"
	"\n"
	"_ssdpm()\n"
	"{\n"
	"\tlocal word=${COMP_WORDS[COMP_CWORD]}\n"
	"\tlocal before=${COMP_WORDS[COMP_CWORD - 1]}\n"
	"\tlocal command= words= paths= kind= options= at i name\n"
	"\n"
	"\tif [[ $word == = ]]; then\n"
	"\t\tword= before+==\n"
	"\telif [[ $before == = ]]; then\n"
	"\t\tbefore=${COMP_WORDS[COMP_CWORD - 2]}=\n"
	"\tfi\n"
	"\tfor ((at = 1; at < COMP_CWORD; at++)); do\n"
	"\t\tcase ${COMP_WORDS[at]} in\n"
	"\t\t--root | --value)\n"
	"\t\t\t[[ ${COMP_WORDS[++at]} == = ]] && ((at++)) ;;\n"
	"\t\t-h | --help | --version | --completion | [^-]*)\n"
	"\t\t\tcommand=${COMP_WORDS[at]}\n"
	"\t\t\tbreak ;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"\tfor ((i = at + 1; i < COMP_CWORD; i++)); do\n"
	"\t\t[[ ${COMP_WORDS[i]} == -- ]] && before=--\n"
	"\tdone\n";

/* Options are offered where one begins, and not after "--". */
static const char bash_tail[] =
	"\tesac\n"
	"\tif [[ $options && ($word != -* || $before == --) ]]; then\n"
	"\t\twords=\n"
	"\tfi\n"
	"\tCOMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
	"\tif [[ $kind && $word != [-~]* ]]; then\n"
	"\t\tcompopt -o filenames 2>/dev/null\n"
	"\t\t_ssdpm_names\n"
	"\telif [[ $paths ]]; then\n"
	"\t\tcompopt -o default 2>/dev/null\n"
	"\tfi\n"
	"}\n"
	"complete -F _ssdpm ssdpm\n";

static void print_names(const struct subcommand *const *subcommands)
{
	for (size_t i = 0; subcommands[i]; i++)
		printf("%s%s", i ? " " : "", subcommands[i]->name);
}

static void print_bash(const struct subcommand *const *subcommands)
{
	fputs(bash_head, stdout);
	for (size_t i = 0; subcommands[i]; i++)
		print_bash_actions(subcommands[i]);
	puts("\tcase $command in\n\t'')\n\t\tcase $before in");
	print_bash_arguments(&none);
	fputs("\t\t*)\n\t\t\twords='", stdout);
	print_bash_options(&none);
	fputs(" --version --completion'\n\t\t\t[[ $word == -* ]] || words='",
	      stdout);
	for (size_t i = 0; subcommands[i]; i++)
		printf("%s ", subcommands[i]->name);
	puts("help' ;;\n\t\tesac ;;\n"
	     "\t--completion)\n"
	     "\t\twords='bash zsh fish' ;;");
	fputs("\thelp | --help)\n\t\t((COMP_CWORD == at + 1)) && words='",
	      stdout);
	print_names(subcommands);
	puts("'");
	for (size_t i = 0; subcommands[i]; i++) {
		if (!has_actions(subcommands[i]))
			continue;
		printf("\t\t((COMP_CWORD == at + 2)) && "
		       "[[ $before == %s ]] && words='",
		       subcommands[i]->name);
		print_actions(subcommands[i]);
		puts("'");
	}
	puts("\t\t;;");
	for (size_t i = 0; subcommands[i]; i++) {
		const struct subcommand *const *actions =
			subcommands[i]->actions;

		print_bash_subcommand(subcommands[i]);
		for (; actions && *actions; actions++)
			print_bash_subcommand(*actions);
	}
	fputs(bash_tail, stdout);
}

/* One argument of _arguments: '*'{-a+,--algorithm=}'[help]:name:(words)'. */
/* What completes an argument or an operand; words may be NULL. */
static void print_zsh_action(const char *kind, bool paths, const char *words)
{
	if (*kind) {
		printf(" _ssdpm_names%s %s", paths ? "_or_files" : "", kind);
	} else if (paths) {
		fputs("_files", stdout);
	} else if (has_words(words)) {
		fputs("(", stdout);
		print_words_escaped(words, "\\");
		fputs(")", stdout);
	}
}

/* The help of an option, escaped. */
static void print_option_text(const struct subcommand *subcommand,
			      const struct option_spec *option,
			      const char *special)
{
	const struct group_use use = group_of(subcommand, option);

	print_escaped(option_text(&use, option).text, special);
}

static void print_zsh_option(const struct subcommand *subcommand,
			     const struct option_spec *option)
{
	const bool argument = argument_of(option);
	const bool optional = !argument && option->values;

	fputs("\t\t\t'*'", stdout);
	if (option->letter)
		printf("{-%c%s,--%s%s}", option->letter, argument ? "+" : "",
		       option->name, argument ? "=" : "");
	else
		printf("--%s%s", option->name,
		       argument ? "=" :
		       optional ? "=-" :
				  "");
	fputs("'[", stdout);
	print_option_text(subcommand, option, "\\[]:");
	fputs("]", stdout);
	if (argument || optional) {
		fputs(optional ? "::" : ":", stdout);
		print_escaped(option->argument, "\\[]:");
		fputs(":", stdout);
		print_zsh_action(kind_of(option->argument),
				 takes_path(option->argument),
				 values_of(option));
	}
	puts("' \\");
}

static void print_zsh_arguments(const struct subcommand *subcommand)
{
	const struct option_spec *option;

	puts("\t\t\t_arguments -s -S \\");
	for (size_t i = 0; (option = option_at(subcommand, i)); i++)
		print_zsh_option(subcommand, option);
	if (has_actions(subcommand)) {
		fputs("\t\t\t'1:operand:{_alternative \"w:action:(", stdout);
		print_actions(subcommand);
		puts(")\" \"f:file:_files\"}' \\");
	}
	fputs("\t\t\t'*:operand:", stdout);
	print_zsh_action(kind_of(subcommand->operands),
			 operands_are_paths(subcommand), NULL);
	puts("'");
}

static void print_zsh_subcommand(const struct subcommand *subcommand)
{
	const struct subcommand *const *actions = subcommand->actions;

	printf("\t\t%s)\n", subcommand->name);
	for (; actions && *actions; actions++) {
		printf("\t\t\tif [[ $words[2] == %s ]] && ((CURRENT > 2)); "
		       "then\n\t\t\tshift words; ((CURRENT--))\n",
		       action_word(*actions));
		print_zsh_arguments(*actions);
		puts("\t\t\treturn\n\t\t\tfi");
	}
	print_zsh_arguments(subcommand);
	puts("\t\t\t;;");
}

static const char zsh_head[] = "#compdef ssdpm\n"
			       "_ssdpm_names()\n"
			       "{\n"
			       "\tlocal kind=$1 root= word\n"
			       "\tlocal -a names typed=(${(z)BUFFER})\n"
			       "\n"
			       "\t((${#PREFIX} < 2)) && "
			       "kind=${kind/drives/devices}\n"
			       "\troot=${typed[${typed[(I)--root]} + 1]}\n"
			       "\t((${typed[(I)--root]})) || root=\n"
			       "\tfor word in ${(M)typed:#--root=*}; do\n"
			       "\t\troot=${word#--root=}\n"
			       "\tdone\n"
			       "\troot=${${(Q)root}/#\\~/$HOME}\n"
			       "\tnames=(${(f)\"$(_call_program names ssdpm "
			       "--completion $kind ${root:+${(q)root}} "
			       "2>/dev/null)\"})\n"
			       "\tcompadd -a names\n"
			       "}\n"
			       "\n"
			       "_ssdpm_names_or_files()\n"
			       "{\n"
			       "\t_alternative \"n:name: _ssdpm_names $1\" "
			       "f:file:_files\n"
			       "}\n"
			       "\n"
			       "_ssdpm()\n"
			       "{\n"
			       "\tlocal curcontext=\"$curcontext\" state line\n"
			       "\tlocal -a commands=(\n";

static const char zsh_middle[] =
	"\t\t'(- *)--version[print the version]' \\\n"
	"\t\t'(- *)--completion[print completions]:shell:(bash zsh fish)' \\\n"
	"\t\t'1:command:->command' \\\n"
	"\t\t'*::operand:->operand' && return\n"
	"\tcase $state in\n"
	"\tcommand)\n"
	"\t\t_describe -t commands command commands ;;\n"
	"\toperand)\n"
	"\t\tcase $line[1] in\n";

/* Loaded by compinit, the file is the function's body; else it is sourced. */
static const char zsh_tail[] = "\t\tesac ;;\n"
			       "\tesac\n"
			       "}\n"
			       "\n"
			       "if [[ $funcstack[1] == _ssdpm ]]; then\n"
			       "\t_ssdpm \"$@\"\n"
			       "else\n"
			       "\tcompdef _ssdpm ssdpm\n"
			       "fi\n";

static void print_zsh(const struct subcommand *const *subcommands)
{
	const struct option_spec *option;

	fputs(zsh_head, stdout);
	for (size_t i = 0; subcommands[i]; i++) {
		printf("\t\t'%s:", subcommands[i]->name);
		print_escaped(subcommands[i]->summary, "\\:");
		puts("'");
	}
	puts("\t\t'help:Print the help of a command.'");
	puts("\t)\n\n\t_arguments -C -A \"-*\" \\");
	for (size_t i = 0; (option = option_at(&none, i)); i++)
		print_zsh_option(&none, option);
	fputs(zsh_middle, stdout);
	puts("\t\thelp)\n"
	     "\t\t\t_describe -t commands command commands ;;");
	for (size_t i = 0; subcommands[i]; i++)
		print_zsh_subcommand(subcommands[i]);
	fputs(zsh_tail, stdout);
}

/* When is what follows for this subcommand, or for this action of it? */
static void print_fish_condition(const struct subcommand *subcommand,
				 const struct subcommand *action)
{
	const struct subcommand *const *actions = subcommand->actions;

	printf("complete -c ssdpm -n '__fish_seen_subcommand_from %s",
	       subcommand->name);
	if (action)
		printf("; and __fish_seen_subcommand_from %s",
		       action_word(action));
	for (; !action && actions && *actions; actions++)
		printf("; and not __fish_seen_subcommand_from %s",
		       action_word(*actions));
	putchar('\'');
}

static void print_fish_names(const char *kind)
{
	if (!strcmp(kind, "drives"))
		fputs(" -a '(ssdpm --completion (string length -q -- "
		      "(commandline -ct); and echo drives; or echo devices) "
		      "(__ssdpm_root) 2>/dev/null)'",
		      stdout);
	else if (*kind)
		printf(" -a '(ssdpm --completion %s%s 2>/dev/null)'", kind,
		       strcmp(kind, "devices") ? "" : " (__ssdpm_root)");
}

static void print_fish_option(const struct subcommand *subcommand,
			      const struct option_spec *option)
{
	printf(" -l %s", option->name);
	if (option->letter)
		printf(" -s %c", option->letter);
	print_fish_names(kind_of(argument_of(option)));
	if (takes_path(argument_of(option)))
		fputs(" -r -F", stdout);
	else if (argument_of(option))
		fputs(" -x", stdout);
	else if (option->values)
		fputs(" -f", stdout);
	if (has_words(values_of(option))) {
		fputs(" -a '", stdout);
		print_words(values_of(option));
		fputs("'", stdout);
	}
	fputs(" -d '", stdout);
	print_option_text(subcommand, option, "\\'");
	puts("'");
}

static void print_fish_subcommand(const struct subcommand *subcommand,
				  const struct subcommand *action)
{
	const struct subcommand *const *actions = subcommand->actions;
	const struct subcommand *of = action ? action : subcommand;
	const struct option_spec *option;

	for (size_t i = 0; (option = option_at(of, i)); i++) {
		print_fish_condition(subcommand, action);
		print_fish_option(of, option);
	}
	if (operands_are_paths(of) || *kind_of(of->operands)) {
		print_fish_condition(subcommand, action);
		print_fish_names(kind_of(of->operands));
		puts(operands_are_paths(of) ? " -F" : "");
	}
	if (of->words) {
		print_fish_condition(subcommand, action);
		fputs(" -a '", stdout);
		print_words(of->words);
		puts("'");
	}
	for (; !action && actions && *actions; actions++) {
		print_fish_condition(subcommand, NULL);
		printf(" -a %s -d '", action_word(*actions));
		print_escaped((*actions)->summary, "\\'");
		puts("'");
		print_fish_subcommand(subcommand, *actions);
	}
}

/* --root of what is typed; nothing: this machine. */
static const char fish_head[] =
	"# fish completion for ssdpm(1)\n"
	"function __ssdpm_root\n"
	"\tset -l words (commandline -opc)\n"
	"\tset -l root\n"
	"\twhile set -q words[2]\n"
	"\t\tswitch $words[1]\n"
	"\t\t\tcase --root\n"
	"\t\t\t\tset root $words[2]\n"
	"\t\tend\n"
	"\t\tset -e words[1]\n"
	"\t\tif string match -q -- '--root=*' $words[1]\n"
	"\t\t\tset root (string replace -- --root= '' $words[1])\n"
	"\t\tend\n"
	"\tend\n"
	"\tset -q root[1]; and string replace -r -- '^~' $HOME $root[1]\n"
	"end\n"
	"complete -c ssdpm -f";

static void print_fish(const struct subcommand *const *subcommands)
{
	const char *const first = "complete -c ssdpm -n __fish_use_subcommand";
	const struct option_spec *option;

	puts(fish_head);
	for (size_t i = 0; (option = option_at(&none, i)); i++) {
		fputs(first, stdout);
		print_fish_option(&none, option);
	}
	printf("%s -l version -d 'print the version'\n"
	       "%s -l completion -x -a 'bash zsh fish' -d 'print "
	       "completions'\n",
	       first, first);
	printf("%s -a help -d 'Print the help of a command.'\n"
	       "complete -c ssdpm -n '__fish_seen_subcommand_from help' -a '",
	       first);
	print_names(subcommands);
	puts("'");
	for (size_t i = 0; subcommands[i]; i++) {
		if (!has_actions(subcommands[i]))
			continue;
		printf("complete -c ssdpm -n '__fish_seen_subcommand_from help;"
		       " and __fish_seen_subcommand_from %s' -a '",
		       subcommands[i]->name);
		print_actions(subcommands[i]);
		puts("'");
	}
	for (size_t i = 0; subcommands[i]; i++) {
		const char *name = subcommands[i]->name;

		printf("%s -a %s -d '", first, name);
		print_escaped(subcommands[i]->summary, "\\'");
		puts("'");
		print_fish_subcommand(subcommands[i], NULL);
	}
}

bool print_completion(const char *shell,
		      const struct subcommand *const *subcommands)
{
	if (!strcmp(shell, "bash"))
		print_bash(subcommands);
	else if (!strcmp(shell, "zsh"))
		print_zsh(subcommands);
	else if (!strcmp(shell, "fish"))
		print_fish(subcommands);
	else
		return false;
	return true;
}
