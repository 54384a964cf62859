/* SPDX-License-Identifier: MIT */
/*
 * Lines for people, folded to the width of the terminal, or to 80 columns.
 * Text comes in pieces, and a line is printed when it is whole.
 */
#include "lines/fold.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH = 80, LEAST_WIDTH = 20, ANY_WIDTH = 1 << 20, LABEL_COLUMNS = 24 };

static bool folds, wide;

/* The begun line of standard output. */
static char *begun;
static size_t begun_size;
static FILE *begun_file;

/* Why standard output failed first; later calls change errno. */
static int output_code;

int output_failure(void)
{
	if (ferror(stdout) && !output_code)
		output_code = errno ? errno : EIO;
	return ferror(stdout) ? output_code : 0;
}

void fold_lines(bool whether)
{
	folds = whether;
}

void widen_lines(void)
{
	wide = true;
}

size_t text_width(FILE *file)
{
	const int fd = fileno(file);
	struct winsize size;

	if (wide)
		return ANY_WIDTH;
	if (!isatty(fd) || ioctl(fd, TIOCGWINSZ, &size) || !size.ws_col ||
	    size.ws_col > WIDTH)
		return WIDTH;
	return size.ws_col < LEAST_WIDTH ? LEAST_WIDTH : size.ws_col;
}

/* The length of a terminal sequence, which takes no column; 0: none. */
static size_t escape_length(const char *text)
{
	if (strncmp(text, "\033[", 2))
		return 0;
	return 2 + strcspn(text + 2, "mHJK") + 1;
}

/* The columns of text in which print_escape() may have put sequences. */
static size_t line_columns(const char *text, size_t n)
{
	size_t columns = 0, begin = 0, skipped;

	for (size_t i = 0; i < n; i++) {
		skipped = escape_length(text + i);
		if (!skipped)
			continue;
		columns += columns_of(text + begin, i - begin);
		begin = i + skipped < n ? i + skipped : n;
		i = begin - 1;
	}
	return columns + columns_of(text + begin, n - begin);
}

/*
 * The first place in a call that a shell does not take as it is: this text
 * outside single quotes, and not behind a backslash. NULL: there is none.
 */
static const char *find_bare(const char *text, const char *what)
{
	bool quoted = false;

	for (; *text; text++) {
		if (!quoted && !strncmp(text, what, strlen(what)))
			return text;
		if (*text == '\'')
			quoted = !quoted;
		else if (!quoted && *text == '\\' && text[1])
			text++;
	}
	return NULL;
}

/*
 * The call in a text that is one, or that ends with one, as in "Undo: ssdpm
 * revert"; NULL: none. With prose behind it, it is prose, and so is a message
 * of a subcommand.
 */
static const char *find_call(const char *text)
{
	static const char *const starts[] = { "ssdpm ", "sudo ", "echo ",
					      "or echo ", "options " };
	static const char *const ends[] = { ": ssdpm ", ": sudo ssdpm ",
					    ": echo " };

	if (find_bare(text, "; ") || find_bare(text, ", ") ||
	    find_bare(text, "("))
		return NULL;
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (!strncmp(text, starts[i], strlen(starts[i])))
			return find_bare(text, ": ") ? NULL : text;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (strstr(text, ends[i]))
			return strstr(text, ends[i]) + 2;
	return NULL;
}

/* A line of a file, which udev takes whole: ACTION=="add", LABEL="end". */
static bool is_rule(const char *text)
{
	const size_t n = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

	return n && strchr("={", text[n]) && text[n];
}

/* Behind "label   ", or two columns into the text. */
static size_t find_hang(const char *line, size_t indent, size_t width)
{
	const char *gap = strstr(line + indent, "  ");
	size_t at = gap ? (size_t)(gap - line) : 0;

	if (!strncmp(line + indent, "- ", 2) || at < 1 || at > LABEL_COLUMNS)
		return indent + 2;
	at += strspn(line + at, " ");
	return at > width / 2 ? indent + 2 : at;
}

/* The end of a word. A quoted text of a call is one word. */
static size_t call_word_length(const char *text)
{
	const char *end = find_bare(text, " ");

	return end ? (size_t)(end - text) : strlen(text);
}

/* The same in prose, where a number stays with its unit. */
static size_t word_length(const char *text, bool call)
{
	size_t n = strcspn(text, " ");

	if (call)
		return call_word_length(text);
	if (n && strspn(text, "0123456789.,+-") == n && text[n] &&
	    text[n + 1] != ' ')
		n += 1 + strcspn(text + n + 1, " ");
	return n;
}

/*
 * The length of a call in prose, with the comma behind it; 0: no call begins
 * here. One without an option or a redirection may be prose, "ssdpm does it".
 */
static size_t inner_call_length(const char *text)
{
	static const char *const starts[] = { "ssdpm ", "sudo ", "echo ",
					      "udevadm " };
	static const char *const ends[] = { ", ",   "; ",    ". ", ": ",
					    " or ", " and ", " (", ")" };
	static const char *const signs[] = { " -", " > ", " && " };
	size_t n = 0;

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (!strncmp(text, starts[i], strlen(starts[i])))
			n = strlen(text);
	for (size_t i = 0; n && i < sizeof(ends) / sizeof(ends[0]); i++) {
		const char *end = find_bare(text, ends[i]);

		if (end && (size_t)(end - text) < n)
			n = (size_t)(end - text);
	}
	for (size_t i = 0; n && i < sizeof(signs) / sizeof(signs[0]); i++) {
		const char *sign = find_bare(text, signs[i]);

		if (sign && (size_t)(sign - text) < n)
			return n + strcspn(text + n, " ");
	}
	return 0;
}

/* How a line is folded. */
struct folding {
	size_t width, hang;
	const char *call;     /* with which the line ends, or NULL */
	const char *call_end; /* of a call in prose that is too long, or NULL */
};

static bool is_in_call(const struct folding *folding, const char *text)
{
	return (folding->call && text >= folding->call) ||
	       (folding->call_end && text < folding->call_end);
}

/* The text that is not broken: a word, or a call in prose that fits. */
static size_t piece_length(const struct folding *folding, const char *text)
{
	const bool in_call = is_in_call(folding, text);
	const size_t n = in_call ? 0 : inner_call_length(text);

	if (n && line_columns(text, n) <= folding->width - folding->hang)
		return n;
	return word_length(text, in_call || n);
}

/* A call in prose that does not fit in a line goes on behind a backslash. */
static void begin_call(struct folding *folding, const char *text)
{
	const size_t n =
		is_in_call(folding, text) ? 0 : inner_call_length(text);

	if (n && line_columns(text, n) > folding->width - folding->hang)
		folding->call_end = text + n;
}

/* A word that is too long for its column, but not for a line, begins here. */
enum { LEAST_INDENT = 4 };

static size_t find_column(const struct folding *folding, size_t wanted,
			  const char *text)
{
	const size_t n = line_columns(text, piece_length(folding, text));

	if (wanted < LEAST_INDENT || wanted + n <= folding->width ||
	    LEAST_INDENT + n > folding->width)
		return wanted;
	return LEAST_INDENT;
}

static void fold_line(FILE *file, const char *line, size_t width)
{
	const size_t indent = strspn(line, " ");
	struct folding folding = { .width = width,
				   .call = find_call(line + indent) };
	size_t used;

	folding.hang =
		folding.call ? indent + 4 : find_hang(line, indent, width);
	used = find_column(&folding, indent, line + indent);
	fprintf(file, "%*s", (int)used, "");
	for (const char *at = line + indent, *next; *at; at = next) {
		begin_call(&folding, at);
		const size_t n = piece_length(&folding, at);
		const size_t blanks = strspn(at + n, " ");
		bool call;
		size_t follows;

		next = at + n + blanks;
		call = next != folding.call && is_in_call(&folding, next);
		follows = piece_length(&folding, next);
		fwrite(at, 1, n, file);
		used += line_columns(at, n);
		if (*next && used + blanks + line_columns(next, follows) >
				     width - (call ? 2 : 0)) {
			used = find_column(&folding, folding.hang, next);
			fprintf(file, "%s\n%*s", call ? " \\" : "", (int)used,
				"");
		} else if (*next) {
			fprintf(file, "%*s", (int)blanks, "");
			used += blanks;
		}
	}
}

/* Without its line feed. */
static void print_line_folded(FILE *file, const char *line)
{
	const size_t width = text_width(file);

	if (line_columns(line, strlen(line)) <= width ||
	    is_rule(line + strspn(line, " ")))
		fputs(line, file);
	else
		fold_line(file, line, width);
	putc('\n', file);
}

void print_folded(FILE *file, char *text)
{
	for (char *line = text, *end; (end = strchr(line, '\n'));
	     line = end + 1) {
		*end = 0;
		print_line_folded(file, line);
	}
}

void flush_line(void)
{
	if (!begun_file)
		return;
	fclose(begun_file);
	begun_file = NULL;
	if (begun)
		fputs(begun, stdout);
	free(begun);
	begun = NULL;
}

/* The line that a line feed ends. */
static void end_line(void)
{
	fclose(begun_file);
	begun_file = NULL;
	if (begun)
		print_line_folded(stdout, begun);
	free(begun);
	begun = NULL;
}

static void add_to_line(const char *text, size_t n)
{
	if (!begun_file)
		begun_file = open_memstream(&begun, &begun_size);
	if (begun_file)
		fwrite(text, 1, n, begun_file);
	else
		fwrite(text, 1, n, stdout);
}

int write_lines(const char *text)
{
	if (!folds) {
		flush_line();
		fputs(text, stdout);
		return output_failure() ? EOF : 0;
	}
	while (*text) {
		const size_t n = strcspn(text, "\n");

		add_to_line(text, n);
		text += n;
		if (!*text)
			break;
		if (begun_file)
			end_line();
		else
			putchar('\n');
		text++;
	}
	return output_failure() ? EOF : 0;
}
