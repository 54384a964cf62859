/* SPDX-License-Identifier: MIT */
/*
 * The states that PCI devices reach during a suspend cannot be read afterwards.
 * The kernel says them in a debug message of drivers/pci/pci-driver.c, which is
 * off as a rule.
 */
#include "suspend/suspend.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONTROL "sys/kernel/debug/dynamic_debug/control"
#define RECORD "ssdpm-suspend"
#define MAX_MESSAGES 8

/* "drivers/pci/pci-driver.c:899 [pci]pci_pm_suspend_noirq =_ "PCI PM: ..."" */
static bool parse_message(const char *line, unsigned int *ret_number,
			  bool *ret_on)
{
	const char *at = strstr(line, "pci-driver.c:");
	const char *flags = strstr(line, " =");

	if (!at || !flags || !strstr(line, "PCI PM: Suspend power state: ") ||
	    sscanf(at, "pci-driver.c:%u", ret_number) != 1)
		return false;
	flags += 2;
	*ret_on = memchr(flags, 'p', strcspn(flags, " ")) != NULL;
	return true;
}

static char *path_of(const struct live *live, const char *path)
{
	char *whole;

	if (asprintf(&whole, "%s/%s", live->root ? live->root : "", path) < 0)
		return NULL;
	return whole;
}

/* A link of the machine never leads out of its root. */
static int open_file(const struct live *live, const char *path, int flags)
{
	char real[PATH_MAX];
	char *whole;
	int err, fd;

	err = ssdpm_machine_read_link(live->machine, path, real, sizeof(real),
				      NULL);
	if (err)
		return err;
	whole = path_of(live, real);
	if (!whole)
		return -ENOMEM;
	fd = open(whole, flags | O_CLOEXEC | O_NOFOLLOW);
	err = errno;
	free(whole);
	return fd < 0 ? -err : fd;
}

int open_to_write(const struct live *live, const char *path)
{
	return open_file(live, path, O_WRONLY | O_TRUNC);
}

int write_attribute(const struct live *live, const char *path, const char *text)
{
	const int fd = open_to_write(live, path);
	ssize_t n;
	int err = 0;

	if (fd < 0)
		return fd;
	n = write(fd, text, strlen(text));
	if (n < 0)
		err = -errno;
	else if ((size_t)n != strlen(text))
		err = -EIO;
	close(fd);
	return err;
}

static int switch_message(const struct live *live, unsigned int number, bool on)
{
	char text[80];

	snprintf(text, sizeof(text), "file pci-driver.c line %u %cp\n", number,
		 on ? '+' : '-');
	return write_attribute(live, CONTROL, text);
}

/* Those that are off now: how many, or -errno. */
static int find_messages(const struct live *live,
			 unsigned int numbers[MAX_MESSAGES])
{
	const int fd = open_file(live, CONTROL, O_RDONLY);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	char *line = NULL;
	size_t size = 0;
	bool on;
	int n = 0;

	if (fd < 0)
		return fd;
	if (!file) {
		close(fd);
		return -ENOMEM;
	}
	while (n < MAX_MESSAGES && getline(&line, &size, file) >= 0)
		if (parse_message(line, &numbers[n], &on) && !on)
			n++;
	free(line);
	fclose(file);
	return n;
}

static char *record_path(const struct live *live)
{
	return path_of(live, "run/" RECORD);
}

/* Lines of messages, and then perhaps that of an alarm. */
#define RECORD_BYTES 256

static void read_record(int fd, char text[RECORD_BYTES])
{
	const ssize_t size = pread(fd, text, RECORD_BYTES - 1, 0);

	text[size > 0 ? size : 0] = '\0';
}

static int parse_record(char *at, unsigned int numbers[MAX_MESSAGES])
{
	char *end;
	int n = 0;

	while (n < MAX_MESSAGES) {
		numbers[n] = (unsigned int)strtoul(at, &end, 10);
		if (end == at)
			break;
		at = end;
		n++;
	}
	return n;
}

/* Switch off the messages that a record has. */
static int undo(const struct live *live, char *record, int *ret_n)
{
	unsigned int numbers[MAX_MESSAGES];
	int err = 0;

	*ret_n = parse_record(record, numbers);
	for (int i = 0; i < *ret_n && !err; i++)
		err = switch_message(live, numbers[i], false);
	if (err)
		complain("cannot switch kernel messages off again: %s",
			 strerror(-err));
	return err;
}

static enum exit_status open_record(const struct live *live, char *path,
				    int *ret_fd)
{
	const int fd =
		open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	char record[RECORD_BYTES];
	struct stat status;
	int n;

	if (fd < 0) {
		complain("cannot write %s: %s", path, strerror(errno));
		return status_of_error(-errno);
	}
	if (flock(fd, LOCK_EX | LOCK_NB) || fstat(fd, &status) ||
	    !status.st_nlink) {
		close(fd);
		return failure("another ssdpm suspend --test is running");
	}
	*ret_fd = fd;
	read_record(fd, record);
	if (undo_alarm(live, record))
		remark("a killed test left the alarm of the clock set: it is "
		       "cleared");
	if (undo(live, record, &n) || ftruncate(fd, 0))
		return STATUS_FAILED;
	if (n)
		remark("a killed test left kernel messages switched on: they "
		       "are off again");
	return STATUS_DONE;
}

/* The record comes first: whoever finds it can undo what follows. */
static int switch_all(const struct live *live, int fd,
		      const unsigned int *numbers, int n)
{
	int err = 0;

	if (ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	for (int i = 0; i < n; i++)
		if (dprintf(fd, "%u\n", numbers[i]) < 0)
			return -errno;
	for (int i = 0; i < n && !err; i++)
		err = switch_message(live, numbers[i], true);
	return err;
}

static void open_log(struct messages *messages)
{
	messages->log =
		open_file(messages->live, "dev/kmsg", O_RDONLY | O_NONBLOCK);
	if (messages->log >= 0 && lseek(messages->log, 0, SEEK_END) < 0) {
		close(messages->log);
		messages->log = -1;
	}
}

/* Without messages a test still has all counters. */
enum exit_status switch_on_messages(const struct live *live,
				    struct messages *ret_messages)
{
	unsigned int numbers[MAX_MESSAGES];
	char *path = record_path(live);
	enum exit_status status;
	int fd = -1, n, err;

	*ret_messages =
		(struct messages){ .live = live, .log = -1, .record = -1 };
	if (!path)
		return out_of_memory();
	status = open_record(live, path, &fd);
	free(path);
	ret_messages->record = fd;
	if (status)
		return status;
	open_log(ret_messages);
	n = find_messages(live, numbers);
	err = n > 0 ? switch_all(live, fd, numbers, n) : n;
	if (err < 0 || ret_messages->log < 0)
		remark("the power states of devices stay unknown: this kernel "
		       "has no debug messages that ssdpm can switch on");
	return STATUS_DONE;
}

static int read_log(int log, struct ssdpm_suspend_reading *reading,
		    struct ssdpm_error *error)
{
	char text[8192];
	ssize_t n;
	int err = 0;

	/* A record for each call; EPIPE: some were overwritten. */
	while (!err && ((n = read(log, text, sizeof(text))) > 0 ||
			(n < 0 && (errno == EPIPE || errno == EINTR))))
		if (n > 0)
			err = ssdpm_suspend_reading_add_log(reading, text,
							    (size_t)n, error);
	return err;
}

enum exit_status switch_off_messages(struct messages *messages,
				     struct ssdpm_suspend_reading *reading)
{
	enum exit_status status = STATUS_DONE;
	char record[RECORD_BYTES];
	struct ssdpm_error error;
	char *path;
	int n;

	if (messages->log >= 0) {
		if (reading && read_log(messages->log, reading, &error))
			status = failure("%s", error.message);
		close(messages->log);
	}
	if (messages->record < 0)
		return status;
	read_record(messages->record, record);
	if (undo(messages->live, record, &n))
		status = STATUS_FAILED;
	path = record_path(messages->live);
	/* Otherwise the next test tries again. */
	if (path && status != STATUS_FAILED)
		unlink(path);
	free(path);
	close(messages->record);
	return status;
}

void look_at_killed_test(const struct live *live)
{
	char *path = record_path(live);

	if (path && !access(path, F_OK))
		remark("a test runs, or was killed; ssdpm suspend --test undoes "
		       "what it left");
	free(path);
}

enum exit_status undo_killed_test(const struct live *live)
{
	char *path = record_path(live);
	enum exit_status status = STATUS_DONE;
	int fd = -1;

	if (!path)
		return out_of_memory();
	if (!access(path, F_OK)) {
		status = open_record(live, path, &fd);
		if (!status)
			unlink(path);
	}
	if (fd >= 0)
		close(fd);
	free(path);
	return status;
}
