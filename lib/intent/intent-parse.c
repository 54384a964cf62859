/* SPDX-License-Identifier: MIT */
/* The text of a file, as sections and lines. See ssdpm.conf(5). */
#include "intent/internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STATE = 31, MAX_HINT = 7 };

/* From INTENT_POWER_STATE on. */
static const char keys[][16] = {
	"power_state", "workload_hint", "nopp", "profile",	   "kind",
	"model",       "serial",	"port", "desktop_profile",
};

struct intent_parser {
	struct ssdpm_intent *intent;
	struct intent_file *file;
	struct lines lines;
	struct intent_section *section; /* NULL: before the first */
	uint32_t given[2]; /* on AC, on battery: bits of the keys */
};

int ssdpm__intent_fail(const struct intent_file *file, uint32_t number,
		       struct ssdpm_error *reterr, const char *format, ...)
{
	char words[200];
	va_list args;

	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	return ssdpm__fail(reterr, -EINVAL, number, "/%.100s:%u: %s",
			   file->path, number, words);
}

static int fail(const struct intent_parser *parser, struct ssdpm_error *reterr,
		const char *words)
{
	return ssdpm__intent_fail(parser->file, parser->lines.line, reterr,
				  "%s", words);
}

static const char *set_number(struct span value, uint64_t max,
			      uint32_t *ret_number)
{
	uint64_t number;

	if (!ssdpm__take_uint(&value, max, &number) || value.at != value.end)
		return max == MAX_STATE ? "a power state is a number, 0 to 31" :
					  "a hint is a number, 0 to 7";
	*ret_number = (uint32_t)number;
	return NULL;
}

const char *ssdpm__intent_set(struct intent_found *found, uint32_t key,
			      struct span value)
{
	const char *fault = NULL;

	if (key == INTENT_POWER_STATE)
		fault = set_number(value, MAX_STATE, &found->power_state);
	else if (key == INTENT_WORKLOAD_HINT)
		fault = set_number(value, MAX_HINT, &found->workload_hint);
	else if (key != INTENT_NOPP)
		fault = ssdpm__profile_set(&found->settings, key, value);
	else if (!ssdpm__span_is(value, "on") && !ssdpm__span_is(value, "off"))
		fault = "write on or off";
	else
		found->nopp = ssdpm__span_is(value, "on");
	if (!fault)
		found->set |= 1u << key;
	return fault;
}

/* Lines outside profiles become blank, so that line numbers stay. */
static void blank(const struct intent_parser *parser, struct span line)
{
	memset(parser->file->profiles + (line.at - parser->file->text), ' ',
	       (size_t)(line.end - line.at));
}

static int add_section(struct intent_parser *parser,
		       enum intent_section_kind kind,
		       struct ssdpm_error *reterr)
{
	struct ssdpm_intent *intent = parser->intent;
	struct intent_section *more;

	more = realloc(intent->sections,
		       (intent->n_sections + 1) * sizeof(*more));
	if (!more)
		return ssdpm__no_memory(reterr);
	intent->sections = more;
	parser->section = &more[intent->n_sections++];
	*parser->section = (struct intent_section){
		.kind = kind,
		.file = intent->n_files - 1,
		.number = parser->lines.line,
		.first = intent->n_lines,
	};
	parser->given[0] = parser->given[1] = 0;
	return 0;
}

/* The name of a profile stands alone in the head that the profiles have. */
static int take_profile(struct intent_parser *parser, struct span line,
			struct span name, struct ssdpm_error *reterr)
{
	char *head = parser->file->profiles + (line.at - parser->file->text);
	size_t length = (size_t)(name.end - name.at);

	if (ssdpm__span_is(name, "none"))
		return fail(parser, reterr,
			    "none is no name for a profile: it is that which "
			    "leaves the drives alone");
	blank(parser, line);
	*head = '[';
	memcpy(head + 1, name.at, length);
	head[1 + length] = ']';
	return add_section(parser, INTENT_PROFILES, reterr);
}

static int take_head(struct intent_parser *parser, struct span line,
		     struct ssdpm_error *reterr)
{
	static const char names[][8] = { "machine", "drive", "desktop" };
	struct span name;

	if (ssdpm__ini_take_head(line, &name)) {
		struct span rest = name, word;

		if (ssdpm__take_word(&rest, &word) &&
		    ssdpm__span_is(word, "profile") && rest.at != rest.end)
			return take_profile(parser, line, rest, reterr);
		for (uint32_t i = 0; i < 3; i++)
			if (ssdpm__span_is(name, names[i])) {
				blank(parser, line);
				return add_section(parser, INTENT_MACHINE + i,
						   reterr);
			}
	}
	return fail(parser, reterr,
		    "a section is [machine], [drive], [desktop] or "
		    "[profile NAME]");
}

/* What was asked for in a section has an end: is it whole? */
static int finish_section(struct intent_parser *parser,
			  struct ssdpm_error *reterr)
{
	const struct intent_section *section = parser->section;
	const uint32_t given = parser->given[0] | parser->given[1];
	const char *fault = NULL;

	if (!section || section->kind != INTENT_DRIVE)
		return 0;
	if (!(given >> INTENT_KIND))
		fault = "which drives? Give it a key, as in model = *";
	else if (!(given & ((2u << INTENT_PROFILE) - 1)))
		fault = "it sets nothing: give it a key, as in "
			"max_exit_latency = 25ms";
	return fault ? ssdpm__intent_fail(parser->file, section->number, reterr,
					  "[drive]: %s", fault) :
		       0;
}

static int add_line(struct intent_parser *parser,
		    const struct intent_line *line, struct ssdpm_error *reterr)
{
	struct ssdpm_intent *intent = parser->intent;
	struct intent_line *more;

	if (intent->n_lines == INTENT_MAX_LINES)
		return ssdpm__fail(reterr, -E2BIG, parser->lines.line,
				   "/%.100s: more than %d lines that set "
				   "something",
				   parser->file->path, INTENT_MAX_LINES);
	more = realloc(intent->lines, (intent->n_lines + 1) * sizeof(*more));
	if (!more)
		return ssdpm__no_memory(reterr);
	intent->lines = more;
	more[intent->n_lines] = *line;
	more[intent->n_lines].file = intent->n_files - 1;
	more[intent->n_lines++].number = parser->lines.line;
	parser->section->n++;
	return 0;
}

/* A key, which may have its power source before it. */
static bool find_key(struct intent_line *line)
{
	line->sources = ssdpm__take_sources(&line->name);
	line->key = ssdpm__profile_key(line->name);
	for (uint32_t i = 0;
	     line->key == UINT32_MAX && i < sizeof(keys) / sizeof(keys[0]); i++)
		if (ssdpm__span_is(line->name, keys[i]))
			line->key = INTENT_POWER_STATE + i;
	return line->key < INTENT_KIND ||
	       (line->key < INTENT_N_KEYS && line->sources == 3);
}

/* NULL, or why the key cannot stand here. */
static const char *check_place(const struct intent_parser *parser,
			       const struct intent_line *line)
{
	const uint32_t given = parser->given[0] | parser->given[1];
	const uint32_t settings = (1u << INTENT_PROFILE) - 1;
	const bool is_machine = parser->section->kind == INTENT_MACHINE;

	for (int i = 0; i < 2; i++)
		if (line->sources >> i & parser->given[i] >> line->key & 1)
			return "given twice in one section";
	if (line->key >= INTENT_KIND && is_machine)
		return "says which drives: that is for [drive]";
	if (line->key >= INTENT_KIND)
		return given & (settings | 1u << INTENT_PROFILE) ?
			       "says which drives, and stands before what they "
			       "get" :
			       NULL;
	if (line->key == INTENT_PROFILE)
		return given & settings ? "stands before what else they get" :
					  NULL;
	if (!is_machine && !(INTENT_OF_A_DRIVE >> line->key & 1))
		return "all controllers share it: that is for [machine]";
	return NULL;
}

static const char *check_value(const struct intent_line *line)
{
	struct intent_found found = { 0 };

	if (line->value.at == line->value.end)
		return "no value";
	if (line->key == INTENT_KIND)
		return ssdpm__span_value(line->value, ssdpm_kind_from_string) ?
			       NULL :
			       "write nvme or sata";
	/* Profiles are looked up when all files are read. */
	if (line->key >= INTENT_PROFILE)
		return NULL;
	return ssdpm__intent_set(&found, line->key, line->value);
}

static int take_setting(struct intent_parser *parser, struct intent_line *line,
			struct ssdpm_error *reterr)
{
	const struct span key = line->name; /* with its power source */
	const int length = (int)(key.end - key.at);
	const char *fault;

	if (!find_key(line))
		return ssdpm__intent_fail(
			parser->file, parser->lines.line, reterr,
			"%.*s: no key of this section, see ssdpm.conf(5)",
			length < 40 ? length : 40, key.at);
	fault = check_place(parser, line);
	if (!fault)
		fault = check_value(line);
	if (fault)
		return ssdpm__intent_fail(parser->file, parser->lines.line,
					  reterr, "%.*s: %s", length, key.at,
					  fault);
	for (int i = 0; i < 2; i++)
		if (line->sources >> i & 1)
			parser->given[i] |= 1u << line->key;
	return add_line(parser, line, reterr);
}

/* "name = profile" in [desktop]. */
static int take_desktop(struct intent_parser *parser,
			const struct intent_line *line,
			struct ssdpm_error *reterr)
{
	const struct ssdpm_intent *intent = parser->intent;

	if (line->value.at == line->value.end)
		return fail(parser, reterr, "no value");
	for (size_t i = 0; i < parser->section->n; i++)
		if (ssdpm__span_is_same(
			    intent->lines[parser->section->first + i].name,
			    line->name))
			return fail(parser, reterr,
				    "given twice in one section");
	return add_line(parser, line, reterr);
}

static int take_line(struct intent_parser *parser, struct span text,
		     struct ssdpm_error *reterr)
{
	struct intent_line line = { .key = INTENT_N_KEYS, .sources = 3 };

	if (!parser->section)
		return fail(parser, reterr, "it stands before any section");
	if (parser->section->kind == INTENT_PROFILES)
		return 0; /* its text is kept */
	blank(parser, text);
	if (!ssdpm__ini_take_key(text, &line.name, &line.value) ||
	    line.name.at == line.name.end)
		return fail(parser, reterr,
			    "neither KEY = VALUE nor the head of a section");
	if (parser->section->kind != INTENT_DESKTOP)
		return take_setting(parser, &line, reterr);
	return take_desktop(parser, &line, reterr);
}

/* Those of a file have no fault, whether they are used or not. */
static int check_profiles(const struct intent_file *file,
			  struct ssdpm_error *reterr)
{
	struct ssdpm_error error;
	char name[32];

	if (!ssdpm_profile_get_name(file->profiles, file->size, 0, name,
				    &error))
		return 0;
	return ssdpm__intent_fail(file, error.line, reterr, "%.180s",
				  error.message);
}

int ssdpm__intent_parse(struct ssdpm_intent *intent, struct ssdpm_error *reterr)
{
	struct intent_parser parser = {
		.intent = intent,
		.file = &intent->files[intent->n_files - 1],
	};
	struct span line;
	int err = 0;

	parser.lines.rest = ssdpm__span(parser.file->text, parser.file->size);
	while (!err && ssdpm__next_line(&parser.lines, &line)) {
		/* Writing the file again would lose the text after it. */
		if (memchr(line.at, 0, (size_t)(line.end - line.at)))
			err = fail(&parser, reterr, "a byte of zero");
		if (err || ssdpm__ini_is_empty(line))
			continue;
		if (*line.at != '[') {
			err = take_line(&parser, line, reterr);
			continue;
		}
		err = finish_section(&parser, reterr);
		if (!err)
			err = take_head(&parser, line, reterr);
	}
	if (!err)
		err = finish_section(&parser, reterr);
	return err ? err : check_profiles(parser.file, reterr);
}
