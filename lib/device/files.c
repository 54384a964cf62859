/* SPDX-License-Identifier: MIT */
/*
 * Files under the root of a machine. A capture comes from a stranger and may be
 * read by root. Whatever links it holds, nothing outside of it is reached. Only
 * regular files and directories in it are opened.
 */
#include "device/internal.h"

#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	MAX_LINKS = 40, /* as in Linux */
	MAX_TRIES = 16,
	N_NAMES_AT_FIRST = 16,
	LOCK_TRIES = 2000,
	LOCK_NAP_NS = 100000,
};

void ssdpm__log(const struct ssdpm_machine *machine, uint32_t level,
		const char *format, ...)
{
	const uint32_t wanted =
		machine->log_level ? machine->log_level : SSDPM_LOG_WARNING;
	char message[SSDPM__PATH_BYTES + 128];
	va_list args;

	if (!machine->log_fn || level > wanted)
		return;
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	ssdpm_text_blunt(message);
	machine->log_fn(machine->userdata, level, message);
}

/* A path that is being walked. */
struct path_walk {
	const struct ssdpm_machine *machine;
	int fd; /* of the directory done; the root's is not ours to close */
	unsigned int n_links;
	size_t n_done;			  /* length of done */
	char done[SSDPM__PATH_BYTES];	  /* no link in it; no slash around */
	char rest[2 * SSDPM__PATH_BYTES]; /* what is left to walk */
};

static void move_to(struct path_walk *walk, int fd)
{
	if (walk->fd != walk->machine->root_fd)
		close(walk->fd);
	walk->fd = fd;
}

static int walk_begin(struct path_walk *walk,
		      const struct ssdpm_machine *machine, const char *path)
{
	walk->machine = machine;
	walk->fd = machine->root_fd;
	walk->n_links = 0;
	walk->n_done = 0;
	walk->done[0] = 0;
	if (!*path)
		return -ENOENT;
	if (strlen(path) >= sizeof(walk->rest))
		return -ENAMETOOLONG;
	strcpy(walk->rest, path);
	return 0;
}

/* Put text before what is left. */
static int walk_before(struct path_walk *walk, const char *text)
{
	char rest[sizeof(walk->rest)];

	if (snprintf(rest, sizeof(rest), "%s/%s", text, walk->rest) >=
	    (int)sizeof(rest))
		return -ENAMETOOLONG;
	strcpy(walk->rest, rest);
	return 0;
}

static void walk_forget_last(struct path_walk *walk)
{
	char *slash = strrchr(walk->done, '/');

	if (slash)
		*slash = 0;
	else
		walk->done[0] = 0;
}

/* From the root again: no descriptor leads up that could not be moved away. */
static int walk_up(struct path_walk *walk)
{
	int err;

	walk_forget_last(walk);
	while (!strncmp(walk->rest, "/../", 4)) {
		memmove(walk->rest, walk->rest + 3, strlen(walk->rest + 3) + 1);
		walk_forget_last(walk);
	}
	err = walk_before(walk, walk->done);
	move_to(walk, walk->machine->root_fd);
	walk->n_done = 0;
	walk->done[0] = 0;
	return err;
}

/* Take the next component off. Return its length; 0: there is none. */
static size_t walk_next(struct path_walk *walk, char name[NAME_MAX + 1])
{
	const char *at = walk->rest + strspn(walk->rest, "/");
	const size_t length = strcspn(at, "/");

	if (length <= NAME_MAX) {
		memcpy(name, at, length);
		name[length] = 0;
	}
	at += length;
	memmove(walk->rest, at, strlen(at) + 1);
	return length;
}

static bool walk_is_last(const struct path_walk *walk)
{
	return !walk->rest[strspn(walk->rest, "/")];
}

static int walk_into_link(struct path_walk *walk, const char *target)
{
	if (++walk->n_links > MAX_LINKS)
		return -ELOOP;
	if (target[0] == '/') {
		move_to(walk, walk->machine->root_fd);
		walk->n_done = 0;
		walk->done[0] = 0;
	}
	return walk_before(walk, target);
}

static int walk_note(struct path_walk *walk, const char *name)
{
	const size_t n = strlen(name);
	char *end = walk->done + walk->n_done;

	if (n + 2 > sizeof(walk->done) - walk->n_done)
		return -ENAMETOOLONG;
	if (walk->n_done)
		*end++ = '/';
	memcpy(end, name, n + 1);
	walk->n_done = (size_t)(end - walk->done) + n;
	return 0;
}

/* Is it a link? 1, and where it leads; 0; or -errno. */
static int read_link(int fd, const char *name, char *target, size_t size)
{
	const ssize_t n = readlinkat(fd, name, target, size);

	if (n < 0)
		return errno == EINVAL ? 0 : -errno;
	if ((size_t)n >= size)
		return -ENAMETOOLONG;
	target[n] = 0;
	return 1;
}

/*
 * Walk all but the last component, and through links the last one too. Return 1
 * with the last one in name, 0 where the path ends in a directory that was
 * reached, or -errno.
 */
static int walk_to_last(struct path_walk *walk, bool follow_last,
			char name[NAME_MAX + 1])
{
	char target[SSDPM__PATH_BYTES];
	size_t length;
	int err;

	while ((length = walk_next(walk, name)) > 0) {
		const bool last = walk_is_last(walk);

		if (length > NAME_MAX)
			return -ENAMETOOLONG;
		if (!strcmp(name, "."))
			continue;
		if (!strcmp(name, "..")) {
			err = walk_up(walk);
			if (err)
				return err;
			continue;
		}
		err = 0;
		if (!last || follow_last)
			err = read_link(walk->fd, name, target, sizeof(target));
		if (err > 0)
			err = walk_into_link(walk, target);
		else if (last && (!err || err == -ENOENT))
			return 1;
		else if (!err) {
			err = openat(walk->fd, name,
				     O_PATH | O_DIRECTORY | O_NOFOLLOW |
					     O_CLOEXEC);
			if (err < 0)
				return -errno;
			move_to(walk, err);
			err = walk_note(walk, name);
		}
		if (err < 0)
			return err;
	}
	return 0;
}

static int open_by_walk(const struct ssdpm_machine *machine, const char *path,
			int flags, mode_t mode)
{
	const bool follow = !(flags & O_NOFOLLOW) &&
			    (flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL);
	char name[NAME_MAX + 1];
	struct path_walk walk;
	int err;

	err = walk_begin(&walk, machine, path);
	if (!err)
		err = walk_to_last(&walk, follow, name);
	if (err >= 0) {
		err = openat(walk.fd, err ? name : ".", flags | O_NOFOLLOW,
			     mode);
		if (err < 0)
			err = -errno;
	}
	move_to(&walk, machine->root_fd);
	return err;
}

#ifdef SYS_openat2
/* struct open_how, and two of its bits, of <linux/openat2.h>. */
struct how {
	uint64_t flags, mode, resolve;
};
enum {
	NO_MAGICLINKS = 0x02,
	IN_ROOT = 0x10,
};

static int open_in_root(const struct ssdpm_machine *machine, const char *path,
			int flags, mode_t mode)
{
	const struct how how = {
		.flags = (uint64_t)flags,
		.mode = flags & O_CREAT ? mode : 0,
		.resolve = IN_ROOT | NO_MAGICLINKS,
	};

	/* EAGAIN: something was moved while the kernel went through ".." */
	for (int i = 0; i < MAX_TRIES; i++) {
		const long fd = syscall(SYS_openat2, machine->root_fd, path,
					&how, sizeof(how));

		if (fd >= 0)
			return (int)fd;
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
	}
	return -EAGAIN;
}
#else
static int open_in_root(const struct ssdpm_machine *machine, const char *path,
			int flags, mode_t mode)
{
	(void)machine;
	(void)path;
	(void)flags;
	(void)mode;
	return -ENOSYS;
}
#endif

static int open_under(const struct ssdpm_machine *machine, const char *path,
		      int flags, mode_t mode)
{
	int err = -ENOSYS;

	if (!machine->walk)
		err = open_in_root(machine, path, flags, mode);
	/* Before Linux 5.6; filters of system calls say EPERM. */
	if (err == -ENOSYS || err == -EPERM || err == -E2BIG)
		err = open_by_walk(machine, path, flags, mode);
	return err;
}

/* 0; -EINVAL: a device or a pipe, which to open may do something. */
static int check_kind(int fd)
{
	struct stat status;

	if (fstat(fd, &status))
		return -errno;
	return S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) ? 0 : -EINVAL;
}

/* It must be a file or a directory. */
static int check_what_is_there(const struct ssdpm_machine *machine,
			       const char *path, int flags)
{
	int fd, err;

	fd = open_under(machine, path,
			O_PATH | O_CLOEXEC | (flags & O_NOFOLLOW), 0);
	if (fd < 0)
		return fd == -ENOENT && (flags & O_CREAT) ? 0 : fd;
	err = check_kind(fd);
	close(fd);
	return err;
}

static void observe(const struct ssdpm_machine *machine, const char *path,
		    const void *bytes, size_t n)
{
	if (machine->observe)
		machine->observe(machine->observer, path, bytes, n);
}

static int open_path(const struct ssdpm_machine *machine, const char *path,
		     int flags, mode_t mode)
{
	int fd, err;

	flags |= O_CLOEXEC;
	if (!machine->capture || (flags & O_PATH))
		return open_under(machine, path, flags, mode);
	if ((flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT)) {
		err = ssdpm__check_writable(machine, NULL);
		if (err)
			return err;
	}
	err = check_what_is_there(machine, path, flags);
	if (err)
		return err;
	fd = open_under(machine, path, flags | O_NONBLOCK | O_NOCTTY, mode);
	if (fd < 0)
		return fd;
	err = check_kind(fd); /* it may be another one by now */
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

int ssdpm__open(const struct ssdpm_machine *machine, const char *path,
		int flags, mode_t mode)
{
	int fd = open_path(machine, path, flags, mode);

	if (fd >= 0)
		observe(machine, path, NULL, 0);
	return fd;
}

static int read_all(int fd, char *buffer, size_t size, size_t *ret_n)
{
	size_t n = 0;

	while (n < size) {
		const ssize_t got = read(fd, buffer + n, size - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got) {
			buffer[n] = 0;
			*ret_n = n;
			return 0;
		}
		n += (size_t)got;
	}
	return -E2BIG;
}

/*
 * A reader of a file in sysfs gets the old value or the new one, and nothing
 * between. Files of a capture that can be written take a lock for that, which
 * ssdpm holds for microseconds. Files that have no locks, or that somebody else
 * holds a lock on for long, are read and written without one.
 */
static void lock_value(const struct ssdpm_machine *machine, int fd, int how)
{
	const struct timespec nap = { .tv_nsec = LOCK_NAP_NS };

	if (machine->capture != 2)
		return;
	for (int i = 0; i < LOCK_TRIES && flock(fd, how | LOCK_NB); i++) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return;
		clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
	}
}

int ssdpm__read_bytes(const struct ssdpm_machine *machine, const char *path,
		      void *buffer, size_t size, size_t *ret_n)
{
	const int fd = open_path(machine, path, O_RDONLY, 0);
	size_t n = 0;
	int err = fd;

	if (fd >= 0) {
		lock_value(machine, fd, LOCK_SH);
		err = read_all(fd, buffer, size, &n);
		close(fd);
	}
	if (err)
		ssdpm__log(machine, SSDPM_LOG_DEBUG, "read /%s: %s", path,
			   ssdpm_strerror(err));
	else
		ssdpm__log(machine, SSDPM_LOG_DEBUG, "read /%s: %zu bytes",
			   path, n);
	if (!err)
		observe(machine, path, buffer, n);
	if (!err && ret_n)
		*ret_n = n;
	return err;
}

int ssdpm__read_text(const struct ssdpm_machine *machine, const char *path,
		     char *text, size_t size)
{
	size_t n;
	int err = ssdpm__read_bytes(machine, path, text, size, &n);

	if (err)
		return err;
	n = strlen(text); /* it may hold a zero byte */
	while (n && strchr(" \t\r\n", text[n - 1]))
		n--;
	text[n] = 0;
	return 0;
}

const char *ssdpm__choice(char *text)
{
	char *open = strchr(text, '['),
	     *close = open ? strchr(open, ']') : NULL;

	if (!close)
		return NULL;
	*close = '\0';
	return open + 1;
}

int ssdpm__read_number(const struct ssdpm_machine *machine, const char *path,
		       int base, uint64_t *ret_value)
{
	char text[64] = "0x";
	const char *at;
	struct span span;
	uint64_t value;
	bool is_hex;
	int err;

	err = ssdpm__read_text(machine, path, text + 2, sizeof(text) - 2);
	if (err)
		return err == -E2BIG ? -EINVAL : err;
	is_hex = text[2] == '0' && (text[3] == 'x' || text[3] == 'X');
	if (base == 10 && is_hex)
		return -EINVAL;
	at = base == 16 && !is_hex ? text : text + 2;
	span = ssdpm__span(at, strlen(at));
	if (!ssdpm__take_uint(&span, UINT64_MAX, &value) || span.at != span.end)
		return -EINVAL;
	*ret_value = value;
	return 0;
}

int ssdpm__find(const struct ssdpm_machine *machine, const char *path)
{
	const int fd = ssdpm__open(machine, path, O_PATH, 0);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

bool ssdpm__exists(const struct ssdpm_machine *machine, const char *path)
{
	return !ssdpm__find(machine, path);
}

/*
 * Linux gives names of printable ASCII. Others, which a stranger may give,
 * would reach terminals and JSON.
 */
static bool is_plain(const char *name)
{
	while (*name >= ' ' && *name <= '~')
		name++;
	return !*name;
}

int ssdpm__real_path(const struct ssdpm_machine *machine, const char *path,
		     char *real, size_t size)
{
	char name[NAME_MAX + 1];
	struct stat status;
	struct path_walk walk;
	int err;

	err = walk_begin(&walk, machine, path);
	if (!err)
		err = walk_to_last(&walk, true, name);
	if (err > 0) {
		err = walk_note(&walk, name);
		if (!err &&
		    fstatat(walk.fd, name, &status, AT_SYMLINK_NOFOLLOW))
			err = -errno;
		else if (!err && S_ISLNK(status.st_mode))
			err = -ENOENT; /* it was not there when it was read */
	}
	move_to(&walk, machine->root_fd);
	if (!err && walk.n_done >= size)
		err = -ENAMETOOLONG;
	if (!err && !is_plain(walk.done))
		err = -ENOENT;
	if (err)
		return err;
	strcpy(real, walk.done);
	observe(machine, path, NULL, 0);
	return 0;
}

static int add_name(struct names *names, size_t *room, const char *name)
{
	if (names->n == *room) {
		const size_t more = *room ? 2 * *room : N_NAMES_AT_FIRST;
		char **larger = realloc(names->names, more * sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		names->names = larger;
		*room = more;
	}
	names->names[names->n] = strdup(name);
	if (!names->names[names->n])
		return -ENOMEM;
	names->n++;
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

static int read_names(const struct ssdpm_machine *machine, DIR *directory,
		      struct names *names)
{
	const struct dirent *entry;
	size_t room = 0;
	int err;

	for (errno = 0; (entry = readdir(directory)); errno = 0) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (!is_plain(entry->d_name)) {
			ssdpm__log(machine, SSDPM_LOG_INFO,
				   "%s is left out: a name that is not all "
				   "printable ASCII",
				   entry->d_name);
			continue;
		}
		err = add_name(names, &room, entry->d_name);
		if (err)
			return err;
	}
	if (errno)
		return -errno;
	if (names->n)
		qsort(names->names, names->n, sizeof(names->names[0]),
		      compare_names);
	return 0;
}

int ssdpm__list_names(const struct ssdpm_machine *machine, const char *path,
		      struct names *ret_names)
{
	struct names names = { 0 };
	DIR *directory;
	int fd, err;

	fd = ssdpm__open(machine, path, O_RDONLY | O_DIRECTORY, 0);
	if (fd < 0)
		return fd;
	directory = fdopendir(fd);
	if (!directory) {
		err = -errno;
		close(fd);
		return err;
	}
	err = read_names(machine, directory, &names);
	closedir(directory);
	if (err)
		ssdpm__free_names(&names);
	else
		*ret_names = names;
	return err;
}

void ssdpm__free_names(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->names[i]);
	free(names->names);
	*names = (struct names){ 0 };
}

int ssdpm__check_writable(const struct ssdpm_machine *machine,
			  struct ssdpm_error *reterr)
{
	if (machine->capture != 1)
		return 0;
	return ssdpm__fail(reterr, -EROFS, 0,
			   "%s has no file " SSDPM__MARKER
			   ": it is no capture, and nothing is written there",
			   machine->root);
}

int ssdpm__write_text(const struct ssdpm_machine *machine, const char *path,
		      const char *text)
{
	char line[SSDPM__TEXT_BYTES];
	/* A file of a capture ends as one of sysfs is read. */
	const size_t size = (size_t)snprintf(line, sizeof(line), "%s%s", text,
					     machine->capture ? "\n" : "");
	/* A file of sysfs ignores it, a double of one in a test needs it. */
	const int flags = machine->capture ? 0 : O_TRUNC;
	ssize_t n;
	int fd, err;

	fd = ssdpm__open(machine, path, O_WRONLY | flags, 0);
	err = fd;
	if (fd >= 0) {
		lock_value(machine, fd, LOCK_EX);
		do
			n = write(fd, line, size);
		while (n < 0 && errno == EINTR);
		err = n < 0 ? -errno : 0;
		if (n >= 0 && (size_t)n < size)
			err = -EIO;
		if (!err && machine->capture && ftruncate(fd, (off_t)size))
			err = -errno;
		close(fd);
	}
	ssdpm__log(machine, SSDPM_LOG_DEBUG, "write \"%s\" to /%s: %s", text,
		   path, ssdpm_strerror(err));
	return err;
}

bool ssdpm__get_text(struct directory *directory, const char *name, char *text,
		     size_t size)
{
	char path[SSDPM__PATH_BYTES], all[SSDPM__TEXT_BYTES];
	struct span span;
	int err;

	err = ssdpm__join(path, directory->path, name);
	if (!err)
		err = ssdpm__read_text(directory->machine, path, all,
				       sizeof(all));
	if (err) {
		ssdpm__note_failure(directory, err);
		return false;
	}
	span = ssdpm__span(all, strlen(all));
	while (span.at < span.end && *span.at == ' ')
		span.at++;
	if ((size_t)(span.end - span.at) >= size)
		span.end = span.at + size - 1;
	return ssdpm__span_copy(span, text, size);
}

bool ssdpm__get_number(struct directory *directory, const char *name, int base,
		       uint64_t max, uint64_t *ret_value)
{
	char path[SSDPM__PATH_BYTES];
	uint64_t value;
	int err;

	err = ssdpm__join(path, directory->path, name);
	if (!err)
		err = ssdpm__read_number(directory->machine, path, base,
					 &value);
	if (err) {
		ssdpm__note_failure(directory, err);
		return false;
	}
	if (value > max)
		return false;
	*ret_value = value;
	return true;
}

bool ssdpm__get_link(struct directory *directory, const char *name, char *text,
		     size_t size)
{
	char path[SSDPM__PATH_BYTES], target[SSDPM__PATH_BYTES];
	const char *last;
	int fd, err;

	err = ssdpm__join(path, directory->path, name);
	fd = err ? err :
		   ssdpm__open(directory->machine, path, O_PATH | O_NOFOLLOW,
			       0);
	if (fd < 0) {
		ssdpm__note_failure(directory, fd);
		return false;
	}
	err = read_link(fd, "", target, sizeof(target));
	close(fd);
	ssdpm__note_failure(directory, err);
	if (err <= 0)
		return false;
	last = ssdpm__last_component(target);
	return ssdpm__span_copy(ssdpm__span(last, strlen(last)), text, size);
}

bool ssdpm__has(struct directory *directory, const char *name)
{
	char path[SSDPM__PATH_BYTES];
	int err;

	err = ssdpm__join(path, directory->path, name);
	if (!err)
		err = ssdpm__find(directory->machine, path);
	ssdpm__note_failure(directory, err);
	return !err;
}

/* Out of memory or of descriptors: that says nothing about the file. */
void ssdpm__note_failure(struct directory *directory, int code)
{
	if (code == -ENOMEM || code == -EMFILE || code == -ENFILE)
		directory->err = code;
}

int ssdpm__join(char path[SSDPM__PATH_BYTES], const char *directory,
		const char *name)
{
	if (snprintf(path, SSDPM__PATH_BYTES, "%s/%s", directory, name) >=
	    SSDPM__PATH_BYTES)
		return -ENAMETOOLONG;
	return 0;
}

int ssdpm__fail_read(const struct ssdpm_machine *machine, const char *path,
		     int err, const char *cause, struct ssdpm_error *reterr)
{
	return ssdpm__fail(reterr, err, 0, "cannot read %s/%s: %s",
			   machine->root ? machine->root : "", path, cause);
}

int ssdpm__read_dump(const struct ssdpm_device *device, const char *what,
		     void *buffer, size_t size, size_t *ret_n,
		     struct ssdpm_error *reterr)
{
	char path[SSDPM__PATH_BYTES];
	int err;

	snprintf(path, sizeof(path), "dumps/%s.%s", device->facts.name, what);
	err = ssdpm__read_bytes(device->machine, path, buffer, size, ret_n);
	if (err == -ENOENT)
		return ssdpm__fail(reterr, err, 0,
				   "the capture has no %s: no command was "
				   "allowed when it was made",
				   path);
	if (err == -E2BIG)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%s of the capture is longer than %zu bytes",
				   path, size - 1);
	if (err == -EISDIR || err == -EINVAL)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%s of the capture is no file", path);
	if (err)
		return ssdpm__fail(reterr, err, 0, "%s of the capture: %s",
				   path, ssdpm_strerror(err));
	return 0;
}
