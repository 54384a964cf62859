/* SPDX-License-Identifier: MIT */
/*
 * Reading lists of changes: whole, or not at all. They name what root writes,
 * and where. An unknown word is refused before anything is written, by its file
 * and its line.
 */
#include "apply/record/record.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_BYTES = 16 << 20 };

struct record_reader {
	const struct site *site;
	const char *name;
	char *rest;    /* after the line that was taken last */
	uint32_t line; /* its number, from 1 on */
	struct changes changes;
	struct ssdpm_error *reterr;
};

__attribute__((format(printf, 2, 3))) static int refuse(
	const struct record_reader *r, const char *format, ...)
{
	char why[160];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	return ssdpm__fail(r->reterr, -EIO, r->line,
			   "%s/%s:%u: %s: use the ssdpm that wrote it, or look "
			   "at the file and remove it",
			   r->site->directory, r->name, r->line, why);
}

static int read_file(int directory_fd, const char *name, char **ret_text,
		     size_t *ret_size)
{
	int fd = openat(directory_fd, name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat status;
	size_t used = 0;
	char *text = NULL;
	ssize_t n = 1;
	int err = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &status))
		err = -errno;
	else if (status.st_size > MAX_BYTES)
		err = -EIO;
	else if (!(text = malloc((size_t)status.st_size + 1)))
		err = -ENOMEM;
	while (!err && n && used < (size_t)status.st_size) {
		n = read(fd, text + used, (size_t)status.st_size - used);
		if (n >= 0)
			used += (size_t)n;
		else if (errno != EINTR)
			err = -errno;
	}
	close(fd);
	if (err) {
		free(text);
		return err;
	}
	text[used] = '\0';
	*ret_text = text;
	*ret_size = used;
	return 0;
}

/* Only what a step may name. */
static bool is_target(const struct step_kind *kind, const char *path)
{
	const char *end = strrchr(path, '/');

	if (strstr(path, "//") || strstr(path, "/./") || strstr(path, "/../") ||
	    !end || !strcmp(end, "/..") ||
	    strlen(path) >= SSDPM__TARGET_BYTES - sizeof("/power/") - 32)
		return false;
	if (kind->is_target)
		return kind->is_target(path);
	return !strncmp(path, "sys/devices/", 12) && !strcmp(end, kind->file);
}

/* One that a step can have written, in the one form that it has. */
static bool take_value(const struct step_kind *kind, const char *text,
		       struct value *ret_value)
{
	char record[SSDPM__VALUE_BYTES];

	return ssdpm__value_parse(kind, text, ret_value) &&
	       !strcmp(ssdpm__value_record(kind, ret_value, record), text);
}

/* The policies that a step was to try, with commas between. */
static bool take_tries(struct change *change, const char *text)
{
	char word[32];

	while (change->n_lpms < SSDPM_MAX_LPMS) {
		size_t n = strcspn(text, ",");

		if (n >= sizeof(word))
			return false;
		memcpy(word, text, n);
		word[n] = '\0';
		if (!take_value(change->kind, word, &change->after))
			return false;
		change->lpms[change->n_lpms++] = change->after.is.lpm;
		if (!text[n])
			return true;
		text += n + 1;
	}
	return false;
}

static bool take_after(struct change *change, const char *text, bool journal)
{
	/* What took the place of a table may not have been read. */
	if (change->kind->role == ROLE_TABLE && !*text)
		return true;
	if (journal && change->kind->has_tries)
		return take_tries(change, text);
	return take_value(change->kind, text, &change->after);
}

/*
 * Give a change of this kind and path its values. Return: NULL; or why no
 * change has these. In a journal a step may have several policies that it
 * tries.
 */
static const char *fill_change(struct change *change, const char *before,
			       const char *after, bool journal)
{
	if (!is_target(change->kind, change->path))
		return "no target of such a step";
	if (!take_value(change->kind, before, &change->before))
		return "unknown value before";
	if (!take_after(change, after, journal))
		return "unknown value after";
	return NULL;
}

/* In the one form that it has. */
static bool take_serial(const char *text, uint64_t *ret_serial)
{
	char again[17];

	*ret_serial = strtoull(text, NULL, 16);
	snprintf(again, sizeof(again), "%" PRIx64, *ret_serial);
	return !strcmp(again, text);
}

enum { KIND, PATH, SERIAL, BEFORE, AFTER, N_FIELDS };

/* Cuts the line into its fields. */
static int parse_change(struct record_reader *r, char *line)
{
	struct change change = { 0 }, *added;
	const char *why;
	char *fields[N_FIELDS];

	for (size_t i = 0; i < N_FIELDS; i++) {
		fields[i] = line;
		line = strchr(line, '\t');
		if (!line != (i == N_FIELDS - 1))
			return refuse(r, "not a step and four values");
		if (line)
			*line++ = '\0';
	}
	change.kind = ssdpm__kind(ssdpm_step_kind_from_string(fields[KIND]));
	if (!change.kind)
		return refuse(r, "unknown step '%.40s'", fields[KIND]);
	change.path = fields[PATH];
	if (!take_serial(fields[SERIAL], &change.serial))
		return refuse(r, "%s: unknown serial '%.40s'", fields[KIND],
			      fields[SERIAL]);
	why = fill_change(&change, fields[BEFORE], fields[AFTER],
			  ssdpm__is_journal(r->name));
	if (why)
		return refuse(r, "%s: %s '%.40s' -> '%.40s'", fields[KIND], why,
			      fields[BEFORE], fields[AFTER]);
	if (ssdpm__changes_find(&r->changes, &change))
		return refuse(r, "the same %s a second time", fields[KIND]);
	if (ssdpm__changes_add(&r->changes, &change))
		return ssdpm__no_memory(r->reterr);
	added = r->changes.list[r->changes.n - 1];
	memcpy(added->lpms, change.lpms, sizeof(change.lpms));
	added->n_lpms = change.n_lpms;
	return 0;
}

/* The next line, with its end cut off; NULL: there is no whole one. */
static char *take_line(struct record_reader *r)
{
	char *line = r->rest, *end = strchr(line, '\n');

	if (!end)
		return NULL;
	*end = '\0';
	r->rest = end + 1;
	r->line++;
	return line;
}

enum { BEGIN, BACK, LEFT, N_WORDS };

/* last: the step that began last. */
static int take_begun(struct record_reader *r, const char *at,
		      struct change **last)
{
	static const char words[N_WORDS][8] = { "begin ", "back ", "left " };
	struct span line = ssdpm__span(at, strlen(at));
	struct change *change;
	uint64_t index;
	int word = 0;

	while (word < N_WORDS && !ssdpm__take(&line, words[word]))
		word++;
	if (word == N_WORDS || !ssdpm__take_uint(&line, UINT32_MAX, &index) ||
	    (word != LEFT && line.at != line.end))
		return refuse(r, "unknown line '%.40s'", at);
	if (index >= r->changes.n)
		return refuse(r, "unknown step '%.40s'", at);
	change = r->changes.list[index];
	change->begun = true;
	if (word == BEGIN) {
		*last = change;
	} else if (word == LEFT) {
		change->flux = FLUX_FAILED;
		change->left = (struct value){ 0 };
		if (*line.at)
			ssdpm__value_parse(change->kind, line.at,
					   &change->left);
	} else if (change->flux == FLUX_NONE) {
		change->flux = FLUX_KILLED;
	}
	return 0;
}

/*
 * Only the step that began last may be on its way, and whatever was on its way
 * back, or failed. A last line that is cut off was no step's: its step waits
 * for the whole.
 */
static int parse_begun(struct record_reader *r)
{
	struct change *last = NULL;
	int err = 0;
	char *at;

	while (!err && (at = take_line(r)))
		err = take_begun(r, at, &last);
	if (last && last->flux == FLUX_NONE)
		last->flux = FLUX_KILLED;
	return err;
}

static uint32_t count_lines(const char *text, const char *end)
{
	uint32_t n = 0;

	for (; text < end; text++)
		n += *text == '\n';
	return n;
}

/* Its kind and version, and whether it is whole. */
static int check_frame(struct record_reader *r, size_t size, char **ret_end)
{
	static const char word[] = SSDPM__RECORD_WORD;
	char *end, sum[SSDPM__END_BYTES + 1];
	const char *version;
	int length;

	r->line = 1;
	if (strncmp(r->rest, word, sizeof(word) - 1))
		return refuse(r, "not a record of ssdpm");
	version = r->rest + sizeof(word) - 1;
	length = (int)strcspn(version, "\n");
	if (strncmp(version, SSDPM__RECORD_VERSION "\n",
		    sizeof(SSDPM__RECORD_VERSION)))
		return refuse(r, "unknown version '%.*s', not '%s'",
			      length < 20 ? length : 20, version,
			      SSDPM__RECORD_VERSION);
	end = strstr(r->rest, "\nend ");
	r->line = count_lines(r->rest, end ? end : strchr(r->rest, '\0')) + 1;
	if (!end)
		return refuse(r, "the record has no checksum: it is cut off");
	r->line++;
	snprintf(sum, sizeof(sum), "end %016" PRIx64,
		 ssdpm__checksum(r->rest, (size_t)(end + 1 - r->rest)));
	if (strncmp(end + 1, sum, strlen(sum)) || end[1 + strlen(sum)] != '\n')
		return refuse(r, "the checksum is wrong: it is damaged");
	if (strlen(r->rest) != size) {
		r->line = count_lines(r->rest, strchr(r->rest, '\0')) + 1;
		return refuse(r, "a zero byte");
	}
	*ret_end = end + 1;
	return 0;
}

/* Whose transaction a journal is. */
static bool take_device(struct record_reader *r, const char *line)
{
	static const char prefix[] = SSDPM__RECORD_DEVICE;
	const size_t n = strlen(prefix);

	if (strncmp(line, prefix, n) || !ssdpm__is_journal(r->name) ||
	    !ssdpm__is_device_name(line + n))
		return false;
	strcpy(r->changes.device, line + n);
	return true;
}

static int parse(struct record_reader *r, char *text, size_t size,
		 const char *boot)
{
	static const char prefix[] = "boot ";
	const size_t n = strlen(prefix);
	char *line, *end = NULL, *begun;
	int err;

	r->rest = text;
	err = check_frame(r, size, &end);
	if (err)
		return err;
	begun = strchr(end, '\n') + 1;
	*end = '\0';
	r->line = 0;
	take_line(r);
	line = take_line(r);
	if (!line || strncmp(line, prefix, n)) {
		r->line = 2;
		return refuse(r, "no boot");
	}
	if (strcmp(line + n, "-") && strcmp(boot, "-") &&
	    strcmp(line + n, boot))
		return ssdpm__fail(r->reterr, -ESTALE, 0,
				   "%s/%s: of another boot", r->site->directory,
				   r->name);
	while (!err && (line = take_line(r)))
		err = r->line == 3 && take_device(r, line) ?
			      0 :
			      parse_change(r, line);
	r->rest = begun;
	r->line++;
	return err ? err : parse_begun(r);
}

int ssdpm__changes_read(const struct site *site, const char *name,
			struct changes *ret_changes, struct ssdpm_error *reterr)
{
	struct record_reader r = { .site = site,
				   .name = name,
				   .reterr = reterr };
	char boot[SSDPM__BOOT_BYTES], *text = NULL;
	size_t size = 0;
	int err;

	err = ssdpm__check_file(site, name, reterr);
	if (err)
		return err;
	err = read_file(site->directory_fd, name, &text, &size);
	if (err)
		return ssdpm__fail(reterr, err, 0, "%s/%s: %s", site->directory,
				   name, ssdpm_strerror(err));
	ssdpm__read_boot(site->machine, boot);
	err = parse(&r, text, size, boot);
	free(text);
	if (!err)
		*ret_changes = r.changes;
	else
		ssdpm__changes_free(&r.changes);
	return err;
}
