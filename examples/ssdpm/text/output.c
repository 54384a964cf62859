/* SPDX-License-Identifier: MIT */
#include "text/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A walk over all scalars of an item, each with its path as a name. */
struct walk {
	const char *at;	    /* in the text, as the library writes it */
	const char *wanted; /* --value: print only this key, bare */
	bool silent;	    /* only look for it */
	bool found;
	bool failed;
	char name[256];
};

/* What was complained of, and whether an object was printed: one a process. */
static char **errors;
static size_t n_errors;
static bool answered;

static bool in_lines;

/* Drives that failed, as items of the list, and how the first one did. */
static struct items failed;
static enum exit_status first_failure;

static void print_quoted(const char *text, size_t length)
{
	putchar('\'');
	for (size_t i = 0; i < length; i++)
		if (text[i] == '\'')
			fputs("'\\''", stdout);
		else
			putchar(text[i]);
	putchar('\'');
}

static void print_pair(struct walk *walk, const char *text, size_t length)
{
	if (walk->wanted) {
		if (strcmp(walk->wanted, walk->name))
			return;
		walk->found = true;
		if (walk->silent)
			return;
		fwrite(text, 1, length, stdout);
	} else {
		printf("%s=", walk->name);
		print_quoted(text, length);
	}
	putchar('\n');
}

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \n");
}

/* Behind a string, or a scalar. */
static const char *skip_scalar(const char *at)
{
	if (*at != '"')
		return at + strcspn(at, ",]}\n");
	for (at++; *at != '"'; at++)
		if (*at == '\\')
			at++;
	return at + 1;
}

/* Behind a value: brackets and braces are in pairs. */
static const char *skip_value(const char *at)
{
	size_t depth = 0;

	do {
		if (*at == '[' || *at == '{')
			depth++, at++;
		else if (*at == ']' || *at == '}')
			depth--, at++;
		else if (*at == ',' || *at == ':')
			at++;
		else
			at = skip_scalar(at);
		if (depth)
			at = skip_blanks(at);
	} while (depth);
	return at;
}

/* The library escapes quotes, and what steers a terminal: "\u001b". */
static char *decode(const char *at, const char *end)
{
	char *text = malloc((size_t)(end - at) + 1), *to = text;

	for (; text && at < end; at++) {
		unsigned int code;

		if (*at != '\\') {
			*to++ = *at;
		} else if (*++at != 'u') {
			*to++ = *at;
		} else {
			sscanf(at + 1, "%4x", &code);
			if (code >= 0x80)
				*to++ = (char)0xc2;
			*to++ = (char)code;
			at += 4;
		}
	}
	if (text)
		*to = 0;
	return text;
}

static void print_string(struct walk *walk, const char *end)
{
	char *text = decode(walk->at + 1, end - 1);

	if (text) {
		/* Scripts get the bytes as they are, people do not. */
		if (isatty(STDOUT_FILENO))
			ssdpm_text_blunt(text);
		print_pair(walk, text, strlen(text));
	}
	walk->failed |= !text;
	free(text);
}

static void print_scalar(struct walk *walk)
{
	const char *end = skip_scalar(walk->at);

	if (*walk->at == '"')
		print_string(walk, end);
	else
		print_pair(walk, walk->at,
			   *walk->at == 'n' ? 0 : (size_t)(end - walk->at));
	walk->at = end;
}

static void print_count(struct walk *walk, char *end, size_t room)
{
	const char *at = skip_blanks(walk->at + 1);
	size_t n = 0;
	char count[24];

	while (*at != ']') {
		at = skip_blanks(skip_value(at));
		at = skip_blanks(at + (*at == ','));
		n++;
	}
	snprintf(end, room, "_count");
	snprintf(count, sizeof(count), "%zu", n);
	print_pair(walk, count, strlen(count));
}

static void print_value(struct walk *walk);

/* The name of the next child; walk->at: its value. */
static void name_child(struct walk *walk, bool in_array, size_t index,
		       char *end, size_t room)
{
	const char *separator = end > walk->name ? "_" : "";
	const char *key = walk->at + 1;

	if (in_array) {
		snprintf(end, room, "%s%zu", separator, index);
		return;
	}
	walk->at = skip_scalar(walk->at);
	snprintf(end, room, "%s%.*s", separator, (int)(walk->at - 1 - key),
		 key);
	walk->at = skip_blanks(walk->at + 1); /* the colon */
}

static void print_children(struct walk *walk)
{
	size_t length = strlen(walk->name);
	char *end = walk->name + length;
	size_t room = sizeof(walk->name) - length;
	const bool in_array = *walk->at == '[';

	if (in_array)
		print_count(walk, end, room);
	walk->at = skip_blanks(walk->at + 1);
	for (size_t i = 0; *walk->at != ']' && *walk->at != '}'; i++) {
		name_child(walk, in_array, i, end, room);
		print_value(walk);
		walk->at = skip_blanks(walk->at);
		walk->at = skip_blanks(walk->at + (*walk->at == ','));
	}
	walk->at++;
	*end = 0;
}

static void print_value(struct walk *walk)
{
	if (*walk->at == '{' || *walk->at == '[')
		print_children(walk);
	else
		print_scalar(walk);
}

static enum exit_status print_flat(const struct common *common,
				   const char *text, bool silent)
{
	struct walk walk = {
		.at = text,
		.wanted = common->value_key,
		.silent = silent,
	};

	print_value(&walk);
	if (walk.failed)
		return out_of_memory();
	if (!walk.wanted || walk.found)
		return STATUS_DONE;
	return usage_error(common, "unknown --value '%s'; see --shell",
			   walk.wanted);
}

/* All, or nothing: the key is looked for before anything is printed. */
static enum exit_status print_all_flat(const struct common *common,
				       const struct items *items)
{
	enum exit_status status = STATUS_DONE;

	if (items->n != 1 && common->form == FORM_SHELL)
		return usage_error(common,
				   "--shell takes one drive, or one plan; here "
				   "are %zu",
				   items->n);
	for (size_t i = 0; i < items->n && !status && common->value_key; i++)
		status = print_flat(common, items->texts[i], true);
	for (size_t i = 0; i < items->n && !status; i++)
		status = print_flat(common, items->texts[i], false);
	return status;
}

void begin_json_lines(void)
{
	in_lines = true;
}

/* No string has a line end: the library escapes them. */
void print_json_text(const char *text)
{
	if (!in_lines) {
		fputs(text, stdout);
		return;
	}
	for (const char *at = text; *at; at++) {
		if (*at != '\n') {
			putchar(*at);
			continue;
		}
		if (at > text && at[-1] == ',')
			putchar(' ');
		at += strspn(at + 1, " ");
	}
	putchar('\n');
}

/* "measure-energy" */
static void name_schema(const struct common *common, char *name, size_t size)
{
	snprintf(name, size, "%s", common->subcommand);
	for (char *at = name; *at; at++)
		if (*at == ' ')
			*at = '-';
}

static enum exit_status print_json(const struct common *common,
				   const struct items *items)
{
	char name[48];
	const struct ssdpm_object object = {
		.size = sizeof(object),
		.kind = SSDPM_OBJECT_ANSWER,
		.name = name,
		.list = common->list,
		.items = (const char *const *)items->texts,
		.n_items = items->n,
		.errors = (const char *const *)errors,
		.n_errors = n_errors,
	};
	struct ssdpm_error error;
	char *text;

	name_schema(common, name, sizeof(name));
	if (ssdpm_object_to_json(&object, &text, &error))
		return failure("%s", error.message);
	answered = true;
	print_json_text(text);
	free(text);
	return STATUS_DONE;
}

/* The text becomes one of them, or is freed. */
static bool keep_item(struct items *items, char *text)
{
	char **grown =
		realloc(items->texts, (items->n + 1) * sizeof(*items->texts));

	if (!grown) {
		free(text);
		return false;
	}
	items->texts = grown;
	items->texts[items->n++] = text;
	return true;
}

void add_item(struct items *items, int err, char *text,
	      const struct ssdpm_error *error)
{
	if (err)
		complain("%s", error->message);
	else if (keep_item(items, text))
		return;
	else
		complain("out of memory");
	items->failed = true;
}

void add_object(struct items *items, const struct ssdpm_object *object)
{
	struct ssdpm_error error;
	char *text = NULL;
	int err = ssdpm_object_to_json(object, &text, &error);

	add_item(items, err, text, &error);
}

void free_items(struct items *items)
{
	for (size_t i = 0; i < items->n; i++)
		free(items->texts[i]);
	free(items->texts);
	*items = (struct items){ 0 };
}

/* Those that failed come last. */
enum exit_status print_items(const struct common *common, struct items *items)
{
	enum exit_status status = STATUS_FAILED;

	for (size_t i = 0; i < failed.n; i++)
		add_item(items, 0, failed.texts[i], NULL);
	free(failed.texts);
	failed = (struct items){ 0 };
	if (!items->failed)
		status = common->form == FORM_JSON ?
				 print_json(common, items) :
				 print_all_flat(common, items);
	free_items(items);
	return status;
}

enum exit_status print_item(const struct common *common, int err, char *text,
			    const struct ssdpm_error *error)
{
	struct items items = { 0 };

	add_item(&items, err, text, error);
	return print_items(common, &items);
}

void note_error(const char *format, va_list args)
{
	char **grown = realloc(errors, (n_errors + 1) * sizeof(*errors));

	if (!grown)
		return;
	errors = grown;
	if (vasprintf(&errors[n_errors], format, args) < 0)
		return;
	/* JSON has no bytes that are no text. */
	ssdpm_text_blunt(errors[n_errors]);
	n_errors++;
}

void note_failed_drive(const struct common *common, enum exit_status status)
{
	if (common->each_alone && !first_failure)
		first_failure = status;
}

bool keep_failed_drive(const struct common *common, const char *name, size_t n,
		       enum exit_status status)
{
	const struct ssdpm_object object = {
		.size = sizeof(object),
		.kind = SSDPM_OBJECT_ERROR,
		.name = name,
		.reason = n_errors ? errors[n_errors - 1] : "out of memory",
	};
	char *text;

	if (!common->each_alone || common->form > FORM_JSON || n < 2)
		return false;
	if (common->form == FORM_JSON &&
	    (ssdpm_object_to_json(&object, &text, NULL) ||
	     !keep_item(&failed, text)))
		return false;
	note_failed_drive(common, status);
	return true;
}

enum exit_status failed_drive_status(void)
{
	return first_failure;
}

enum exit_status print_errors(const struct common *common,
			      enum exit_status status)
{
	struct items none = { 0 };

	if (!status && table_was_lost())
		status = STATUS_FAILED;
	/* A setting that is not in force is no failure. */
	if (!status || status == STATUS_NOT_IN_FORCE)
		status = first_failure ? first_failure : status;
	if (common->form != FORM_JSON || answered || status == STATUS_USAGE)
		return status;
	print_items(common, &none);
	return status;
}

enum exit_status save_file(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "we");
	bool written = file && fwrite(data, 1, size, file) == size;

	if (file && fclose(file))
		written = false;
	return written ? STATUS_DONE : cannot("write", path, errno);
}

/* The name lasts only if the folder is on disk, too. */
static bool sync_folder_of(const char *path)
{
	char *folder = strdup(path);
	char *slash = folder ? strrchr(folder, '/') : NULL;
	bool done;
	int fd;

	if (slash)
		slash[slash == folder] = 0;
	fd = folder ? open(slash ? folder : ".",
			   O_RDONLY | O_DIRECTORY | O_CLOEXEC) :
		      -1;
	free(folder);
	done = fd >= 0 && (!fsync(fd) || errno == EINVAL);
	if (fd >= 0)
		close(fd);
	return done;
}

static bool write_and_sync(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "we");
	bool written = file && fwrite(data, 1, size, file) == size &&
		       !fflush(file) && !fsync(fileno(file));

	if (file && fclose(file))
		written = false;
	return written;
}

enum exit_status replace_file(const char *path, const void *data, size_t size)
{
	enum exit_status status;
	char *other;

	if (asprintf(&other, "%s.new", path) < 0)
		return out_of_memory();
	const bool done = write_and_sync(other, data, size) &&
			  !rename(other, path) && sync_folder_of(path);

	status = done ? STATUS_DONE : cannot("write", path, errno);
	free(other);
	return status;
}

uint64_t checksum_of(const char *text, size_t size)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < size; i++)
		sum = (sum ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	return sum;
}
