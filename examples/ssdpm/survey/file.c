/* SPDX-License-Identifier: MIT */
#include "survey/survey.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_LINE 8192

static enum exit_status complain_of_file(const char *name, int error)
{
	return failure("%s: %s", name, strerror(error));
}

enum exit_status create_survey_file(const char *name,
				    struct survey_file *ret_file)
{
	int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC,
		      0666);

	if (fd < 0 && errno == EEXIST)
		return failure("%s is there already: --resume goes on with it, "
			       "--save needs a new name",
			       name);
	if (fd < 0)
		return complain_of_file(name, errno);
	*ret_file = (struct survey_file){ name, fd };
	return STATUS_DONE;
}

/* How long the file is up to its last whole line; -1: an error. */
static off_t whole_lines(int fd, off_t size)
{
	char c;

	while (size > 0) {
		if (pread(fd, &c, 1, size - 1) != 1)
			return -1;
		if (c == '\n')
			break;
		size--;
	}
	return size;
}

enum exit_status reopen_survey_file(const char *name,
				    struct survey_file *ret_file)
{
	int fd = open(name, O_RDWR | O_APPEND | O_CLOEXEC);
	struct stat status;
	off_t size;

	if (fd < 0)
		return complain_of_file(name, errno);
	if (!fstat(fd, &status) && S_ISREG(status.st_mode)) {
		size = whole_lines(fd, status.st_size);
		if (size == status.st_size ||
		    (size >= 0 && !ftruncate(fd, size))) {
			*ret_file = (struct survey_file){ name, fd };
			return STATUS_DONE;
		}
	} else {
		errno = EINVAL;
	}
	complain_of_file(name, errno);
	close(fd);
	return STATUS_FAILED;
}

enum exit_status write_survey_text(const struct survey_file *file,
				   const char *text)
{
	const off_t before = lseek(file->fd, 0, SEEK_END);
	size_t left = strlen(text);
	ssize_t n = 0;

	while (left && (n >= 0 || errno == EINTR)) {
		n = write(file->fd, text, left);
		if (n > 0) {
			text += n;
			left -= (size_t)n;
		}
	}
	if (!left)
		return STATUS_DONE;
	complain_of_file(file->name, errno);
	if (before >= 0 && ftruncate(file->fd, before))
		complain("%s: its last line is not whole", file->name);
	return STATUS_FAILED;
}

enum exit_status write_survey_comment(const struct survey_file *file,
				      const char *key, const char *value)
{
	char line[MAX_LINE];
	int n = snprintf(line, sizeof(line), "# %s%s%s\n", key,
			 value ? ": " : "", value ? value : "");

	if (n < 0 || (size_t)n >= sizeof(line))
		return failure("%s: too long for a line: %s", file->name, key);
	return write_survey_text(file, line);
}

/* ",1.234"; nothing after the comma of what is not known. */
static size_t put_number(char *line, size_t at, size_t size, double value,
			 int digits)
{
	int n = isfinite(value) ?
			snprintf(line + at, size - at, ",%.*f", digits, value) :
			snprintf(line + at, size - at, ",");

	return at + (size_t)(n > 0 ? n : 0);
}

enum exit_status write_survey_row(const struct survey_file *file,
				  const struct survey_row *row)
{
	char line[MAX_LINE];
	const size_t size = sizeof(line) - 1;
	int n = snprintf(line, size, "%u,%s,%s,%u", row->run, row->policy,
			 row->scenario, row->block);
	size_t at = (size_t)n;

	if (n < 0 || at + 256 > size)
		return failure("%s: too long for a line", file->name);
	at = put_number(line, at, size, row->time_s, 3);
	at = put_number(line, at, size, row->power_w, 6);
	at = put_number(line, at, size, row->latency_us, 3);
	at = put_number(line, at, size, row->latency_sd_us, 3);
	at = put_number(line, at, size, row->bytes_per_s, 0);
	line[at++] = '\n';
	line[at] = 0;
	return write_survey_text(file, line);
}

enum exit_status sync_survey_file(const struct survey_file *file)
{
	if (!fsync(file->fd) || errno == EINVAL || errno == EROFS)
		return STATUS_DONE;
	return complain_of_file(file->name, errno);
}

void close_survey_file(struct survey_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}
