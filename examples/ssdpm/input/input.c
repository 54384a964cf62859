/* SPDX-License-Identifier: MIT */
#include "input/live.h"

#include "text/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Nothing that describes a drive is larger. */
#define MAX_BYTES SSDPM_JSON_MAX_BYTES

static int grow(struct buffer *buffer)
{
	size_t capacity = buffer->capacity ? buffer->capacity * 4 : 16384;
	char *data = realloc(buffer->data, capacity);

	if (!data)
		return -ENOMEM;
	buffer->data = data;
	buffer->capacity = capacity;
	return 0;
}

/* One read(); waits where there is nothing yet. Returns bytes or -errno. */
static ssize_t read_some(int fd, struct buffer *buffer)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	ssize_t n;

	for (;;) {
		n = read(fd, buffer->data + buffer->size,
			 buffer->capacity - buffer->size);
		if (n >= 0)
			return n;
		if (errno == EAGAIN)
			poll(&poll_fd, 1, -1);
		else if (errno != EINTR)
			return -errno;
	}
}

static int read_all(int fd, struct buffer *buffer)
{
	ssize_t n;
	int err;

	do {
		if (buffer->size == buffer->capacity) {
			err = grow(buffer);
			if (err)
				return err;
		}
		n = read_some(fd, buffer);
		if (n < 0)
			return (int)n;
		buffer->size += (size_t)n;
		if (buffer->size > MAX_BYTES)
			return -EFBIG;
	} while (n);
	return 0;
}

/*
 * Opening a FIFO without O_NONBLOCK would wait for a writer, perhaps for ever.
 * With it a FIFO without a writer is empty.
 */
static int open_file(const char *path, bool is_drive, const char **ret_problem)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) == 0) {
		if (S_ISDIR(status.st_mode))
			*ret_problem = is_drive ? "is a directory, and no "
						  "capture: it has no sys/" :
						  "is a directory";
		else if (S_ISBLK(status.st_mode) || S_ISCHR(status.st_mode))
			*ret_problem = is_drive ?
					       "is a device; give a file, such "
					       "as one made by nvme id-ctrl "
					       "--raw-binary" :
					       "is a device";
	}
	if (*ret_problem) {
		close(fd);
		return -EINVAL;
	}
	return fd;
}

/* An empty FIFO is worth a word: its writer is missing. */
static const char *why_empty(int fd)
{
	struct stat status;

	if (fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode))
		return "no data: nothing was written to this pipe";
	return "no data";
}

static int open_operand(const char *path, bool is_drive,
			const char **ret_problem)
{
	return strcmp(path, "-") ? open_file(path, is_drive, ret_problem) :
				   STDIN_FILENO;
}

static void close_operand(int fd)
{
	if (fd > STDIN_FILENO)
		close(fd);
}

static int read_file(const char *path, bool is_drive, struct buffer *buffer)
{
	const char *problem = NULL;
	int fd = open_operand(path, is_drive, &problem);
	int err = fd;

	if (fd >= 0) {
		err = read_all(fd, buffer);
		if (!err && !buffer->size) {
			problem = why_empty(fd);
			err = -EINVAL;
		}
		close_operand(fd);
	}
	if (err == -EFBIG)
		complain("%s: larger than %u MiB%s", path, MAX_BYTES >> 20,
			 is_drive ? ": no description of a drive" : "");
	else if (err && problem)
		complain("%s: %s", path, problem);
	else if (err)
		cannot("read", path, -err);
	return err;
}

int read_operand(const char *path, struct buffer *buffer)
{
	return read_file(path, false, buffer);
}

/* Return: how many bytes there were, or -errno. */
static ssize_t take_all(int fd, take_piece_fn take, void *data,
			struct ssdpm_error *reterr)
{
	struct buffer buffer = { 0 };
	ssize_t n = grow(&buffer), sum = 0;

	while (!n) {
		n = read_some(fd, &buffer);
		if (n <= 0)
			break;
		sum += n;
		n = take(data, buffer.data, (size_t)n, reterr);
	}
	free(buffer.data);
	return n < 0 ? n : sum;
}

int read_pieces(const char *path, take_piece_fn take, void *data)
{
	struct ssdpm_error error = { 0 };
	const char *problem = NULL;
	int fd = open_operand(path, false, &problem);
	ssize_t n = fd < 0 ? fd : take_all(fd, take, data, &error);

	if (!n)
		problem = why_empty(fd);
	else if (error.message[0])
		problem = error.message;
	close_operand(fd);
	if (n < 0 && error.line)
		complain("%s:%u: %s", path, error.line, error.message);
	else if (n <= 0 && problem)
		complain("%s: %s", path, problem);
	else if (n <= 0)
		cannot("read", path, (int)-n);
	return n > 0 ? 0 : n ? (int)n : -EINVAL;
}

static enum exit_status parse(const struct common *common, const char *path,
			      const struct buffer *buffer,
			      struct ssdpm_model ***ret_models, size_t *ret_n)
{
	struct ssdpm_error error;
	int err;

	err = ssdpm_model_list_from_data(buffer->data, buffer->size, ret_models,
					 ret_n, &error);
	if (err && error.line)
		complain("%s:%u: %s", path, error.line, error.message);
	else if (err)
		complain("%s: %s", path, error.message);
	else if (common->verbose)
		remark("%s: %zu bytes, %zu %s", path, buffer->size, *ret_n,
		       *ret_n == 1 ? "drive" : "drives");
	return err ? STATUS_FAILED : STATUS_DONE;
}

enum exit_status add_drive(struct drives *drives, struct drive *drive)
{
	struct drive *all = realloc(drives->drives,
				    (drives->n + 1) * sizeof(*drives->drives));

	if (!all) {
		complain("out of memory");
		free_drive(drive);
		return STATUS_FAILED;
	}
	drives->drives = all;
	all[drives->n++] = *drive;
	return STATUS_DONE;
}

static enum exit_status add_model(struct drives *drives, const char *path,
				  size_t index, size_t n,
				  struct ssdpm_model *model)
{
	struct drive drive = { .model = ssdpm_model_ref(model) };

	if ((n == 1 ? asprintf(&drive.name, "%s", path) :
		      asprintf(&drive.name, "%s[%zu]", path, index)) < 0) {
		drive.name = NULL;
		complain("out of memory");
		free_drive(&drive);
		return STATUS_FAILED;
	}
	return add_drive(drives, &drive);
}

static enum exit_status add_file(const struct common *common, const char *path,
				 struct drives *drives)
{
	struct buffer buffer = { 0 };
	struct ssdpm_model **models = NULL;
	const int err = read_file(path, true, &buffer);
	enum exit_status status = status_of_file(err);
	size_t n = 0;

	if (!err)
		status = parse(common, path, &buffer, &models, &n);
	free(buffer.data);
	for (size_t i = 0; i < n && !status; i++)
		status = add_model(drives, path, i, n, models[i]);
	ssdpm_model_list_free(models, n);
	return status;
}

bool is_file(const char *operand)
{
	struct stat status;

	return !strcmp(operand, "-") || !stat(operand, &status) ||
	       (errno != ENOENT && errno != ENOTDIR);
}

/* The machine of --root, opened once. */
static enum exit_status need_live(const struct common *common, const char *root,
				  struct drives *drives, struct live **ret_live)
{
	struct live **all;
	enum exit_status status;

	for (size_t i = 0; i < drives->n_lives; i++)
		if (drives->lives[i]->root == root ||
		    (root && drives->lives[i]->root &&
		     !strcmp(drives->lives[i]->root, root))) {
			*ret_live = drives->lives[i];
			return STATUS_DONE;
		}
	all = realloc(drives->lives, (drives->n_lives + 1) * sizeof(*all));
	if (!all)
		return out_of_memory();
	drives->lives = all;
	status = open_live(common, root, &all[drives->n_lives]);
	if (!status)
		*ret_live = all[drives->n_lives++];
	return status;
}

/* A name that nothing has; phrase is NULL, or the one without a suggestion. */
static enum exit_status unknown_drive(const char *name, const char *phrase,
				      const char *otherwise,
				      const struct live *live)
{
	struct suggestion suggestion = { .word = name };
	struct ssdpm_device **devices = NULL;
	enum exit_status status = complain_if_unread(live, name);
	size_t n = 0;

	if (status)
		return status;
	if (ssdpm_device_list_read(live->machine, &devices, &n, NULL))
		n = 0;
	for (size_t i = 0; i < n; i++)
		suggest(&suggestion, ssdpm_device_get_facts(devices[i])->name);
	complain("%s",
		 suggestion.best || !phrase ?
			 unknown_word("drive", &suggestion, otherwise).text :
			 phrase);
	ssdpm_device_list_free(devices, n);
	return STATUS_FAILED;
}

enum exit_status complain_of_name(const struct live *live, const char *name,
				  const struct ssdpm_error *error)
{
	enum exit_status status;

	if (error->code == -ENOENT)
		return unknown_drive(name, error->message, NULL, live);
	status = complain_if_unread(live, name);
	return status ? status : complain_of_device(name, error);
}

/* A device, if there is one of that name; what is in /dev has to be one. */
static enum exit_status add_named_device(const struct common *common,
					 struct ssdpm_catalogue **catalogue,
					 const char *name, bool needed,
					 struct drives *drives, bool *ret_found)
{
	struct ssdpm_device *device;
	struct ssdpm_error error;
	enum exit_status status;
	struct live *live;
	int err;

	status = need_live(common, common->root, drives, &live);
	if (status)
		return status;
	err = ssdpm_device_read(live->machine, name, &device, &error);
	*ret_found = !err;
	if (err && (needed || (err != -ENOENT && err != -EINVAL)))
		return complain_of_name(live, name, &error);
	if (err)
		return STATUS_DONE;
	status = add_device(common, catalogue, live, device, drives);
	if (!status)
		drives->drives[drives->n - 1].named = true;
	return status;
}

static enum exit_status add_catalogued(const struct common *common,
				       struct ssdpm_catalogue **catalogue,
				       const char *operand,
				       struct drives *drives)
{
	struct ssdpm_error error;
	struct drive drive;
	struct live *live;
	char why[sizeof(error.message) + 32];
	enum exit_status status =
		*catalogue ? STATUS_DONE : open_catalogue(common, catalogue);

	if (status)
		return status;
	if (!find_drive(common, *catalogue, operand, &drive, &error))
		return add_drive(drives, &drive);
	if (error.code != -ENOENT)
		return failure("%s: %s", operand, error.message);
	if (need_live(common, common->root, drives, &live))
		return STATUS_FAILED;
	snprintf(why, sizeof(why), "no such file, and %s", error.message);
	return unknown_drive(operand, NULL, why, live);
}

static enum exit_status add_capture(const struct common *common,
				    struct ssdpm_catalogue **catalogue,
				    const char *directory,
				    struct drives *drives)
{
	enum exit_status status;
	struct live *live;

	status = need_live(common, directory, drives, &live);
	return status ? status :
			add_all_devices(common, catalogue, live, drives);
}

static enum exit_status add_operand(const struct common *common,
				    struct ssdpm_catalogue **catalogue,
				    const char *operand, struct drives *drives)
{
	bool found = false;
	enum exit_status status = STATUS_DONE;

	if (!operand[strspn(operand, " ")])
		return failure("\"%s\" is no drive; see ssdpm %s --help",
			       operand, common->subcommand);
	if (is_device_name(operand))
		status = add_named_device(common, catalogue, operand,
					  !strncmp(operand, "/dev/", 5) ||
						  !is_file(operand),
					  drives, &found);
	if (status || found)
		return status;
	if (is_capture(operand))
		return add_capture(common, catalogue, operand, drives);
	if (is_file(operand))
		return add_file(common, operand, drives);
	if (is_upper_device_name(operand))
		return add_named_device(common, catalogue, operand, true,
					drives, &found);
	return add_catalogued(common, catalogue, operand, drives);
}

/* Devices of the machine; all that it has if there is no operand. */
static enum exit_status add_machine(const struct common *common,
				    struct ssdpm_catalogue **catalogue,
				    char **operands, size_t n,
				    struct drives *drives)
{
	enum exit_status status;
	struct live *live;
	bool found;

	status = need_live(common, common->root, drives, &live);
	if (!status && !n)
		status = add_all_devices(common, catalogue, live, drives);
	for (size_t i = 0; i < n && !status; i++) {
		status = add_named_device(common, catalogue, operands[i], true,
					  drives, &found);
		if (status && keep_failed_drive(common, operands[i], n, status))
			status = STATUS_DONE;
	}
	return status;
}

/* All bad operands are complained of; the first one's status stands. */
static enum exit_status add_operands(const struct common *common,
				     struct ssdpm_catalogue **catalogue,
				     char **operands, size_t n,
				     struct drives *drives)
{
	enum exit_status status = STATUS_DONE, added;

	for (size_t i = 0; i < n; i++) {
		size_t first = drives->n;

		added = add_operand(common, catalogue, operands[i], drives);
		for (size_t j = first; j < drives->n; j++)
			drives->drives[j].operand = i;
		if (added && keep_failed_drive(common, operands[i], n, added))
			added = STATUS_DONE;
		if (!status)
			status = added;
	}
	return status;
}

static enum exit_status read_any(const struct common *common, char **operands,
				 size_t n, bool machine, bool models_optional,
				 struct drives *ret_drives)
{
	struct drives drives = { .models_optional = models_optional };
	struct ssdpm_catalogue *catalogue = NULL;
	enum exit_status status = STATUS_DONE;

	/* A bad file is complained of once, and even if no operand needs it. */
	if (common->catalogue_path)
		status = open_catalogue(common, &catalogue);
	if (!status && machine)
		status = add_machine(common, &catalogue, operands, n, &drives);
	else if (!status)
		status = add_operands(common, &catalogue, operands, n, &drives);
	ssdpm_catalogue_free(catalogue);
	/* Without any that is left there is nothing to go on with. */
	if (!status && n && !drives.n)
		status = failed_drive_status();
	if (status)
		free_drives(&drives);
	*ret_drives = drives;
	return status;
}

enum exit_status read_drives(const struct common *common, char **operands,
			     size_t n_operands, struct drives *ret_drives)
{
	return read_any(common, operands, n_operands, !n_operands, false,
			ret_drives);
}

enum exit_status read_drives_or_devices(const struct common *common,
					char **operands, size_t n_operands,
					struct drives *ret_drives)
{
	return read_any(common, operands, n_operands, !n_operands, true,
			ret_drives);
}

enum exit_status read_devices(const struct common *common, char **operands,
			      size_t n_operands, struct drives *ret_drives)
{
	return read_any(common, operands, n_operands, true, true, ret_drives);
}

/* A drive that was named and is not there counts, too. */
enum exit_status check_raw(const struct common *common, const char *path,
			   size_t n_operands, const struct drives *drives)
{
	const size_t n = drives->n > n_operands ? drives->n : n_operands;

	if (!path || n == 1)
		return STATUS_DONE;
	return usage_error(common, "--raw takes one drive, here are %zu", n);
}

void free_drive(struct drive *drive)
{
	for (size_t i = 0; i < drive->n_alternatives; i++)
		ssdpm_model_unref(drive->alternatives[i].model);
	free(drive->alternatives);
	free(drive->name);
	ssdpm_model_unref(drive->model);
	ssdpm_device_unref(drive->device);
}

void free_drives(struct drives *drives)
{
	for (size_t i = 0; i < drives->n; i++)
		free_drive(&drives->drives[i]);
	free(drives->drives);
	for (size_t i = 0; i < drives->n_lives; i++)
		close_live(drives->lives[i]);
	free(drives->lives);
	*drives = (struct drives){ 0 };
}
