/* SPDX-License-Identifier: MIT */
#include "text/shell.h"

#include "lines/print.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "ssdpm "

/* Those that advices name. */
static const char *const commands[] = { "apply", "bisect", "check", "lpm",
					"plan",	 "revert", "show",  "tune" };

static bool is_control(char c)
{
	return (unsigned char)c < ' ' || c == 0x7f;
}

static bool has_control(const char *word)
{
	while (*word && !is_control(*word))
		word++;
	return *word;
}

/* " $'a\012b'": the quotes of POSIX.1-2024 put a word of two lines on one. */
static void write_controlled(FILE *file, const char *word)
{
	fputs(" $'", file);
	while (*word) {
		size_t n = 0;

		while (word[n] && !is_control(word[n]) && word[n] != '\'' &&
		       word[n] != '\\')
			n++;
		fprintf(file, "%.*s", (int)n, word);
		word += n;
		if (*word)
			fprintf(file, "\\%03o", (unsigned int)*word++);
	}
	putc('\'', file);
}

void write_word(FILE *file, const char *word)
{
	bool plain = *word &&
		     !word[strspn(word, "abcdefghijklmnopqrstuvwxyz"
					"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
					"_./+-")];

	if (has_control(word)) {
		write_controlled(file, word);
		return;
	}
	fputs(plain ? " " : " '", file);
	for (; *word; word++) {
		const size_t n = strcspn(word, "'");

		fprintf(file, "%.*s", (int)n, word);
		word += n;
		if (!*word)
			break;
		fputs("'\\''", file);
	}
	fputs(plain ? "" : "'", file);
}

void write_root(FILE *file, const char *root)
{
	if (!root)
		return;
	fputs(" --root", file);
	write_word(file, root);
}

/* The length of "ssdpm COMMAND" that a text begins with, or 0. */
static size_t call_length(const char *text)
{
	const size_t before = strlen(PROGRAM);

	if (strncmp(text, PROGRAM, before))
		return 0;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		size_t length = strlen(commands[i]);

		if (!strncmp(text + before, commands[i], length) &&
		    strspn(text + before + length,
			   "abcdefghijklmnopqrstuvwxyz") == 0)
			return before + length;
	}
	return 0;
}

char *advised_text(const char *root, const char *text)
{
	char *result = NULL;
	size_t size;
	FILE *file = open_memstream(&result, &size);

	if (!file)
		return NULL;
	while (*text) {
		size_t length = call_length(text);

		fwrite(text, 1, length ? length : 1, file);
		if (length)
			write_root(file, root);
		text += length ? length : 1;
	}
	if (fclose(file)) {
		free(result);
		return NULL;
	}
	return result;
}
