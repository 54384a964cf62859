/* SPDX-License-Identifier: MIT */
/* With it read() and open64() are inline, and clang lets nobody define them. */
#undef _FORTIFY_SOURCE
#include "records.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static struct {
	const char *const *first;
	const char *const *next;
	int fd;
} log_of = { .fd = -1 };

void records_set(const char *const *records)
{
	log_of.first = records;
	log_of.fd = -1;
}

static void find_real(const char *name, void *ret_function)
{
	void *symbol = dlsym(RTLD_NEXT, name);

	memcpy(ret_function, &symbol, sizeof(symbol));
}

static int real_open(const char *path, int flags, mode_t mode)
{
	int (*real)(const char *, int, ...);

	find_real("open64", &real);
	return real(path, flags, mode);
}

int records_open(const char *path, int flags)
{
	const char *slash = strrchr(path, '/');

	if (!log_of.first || flags & (O_PATH | O_CREAT | O_ACCMODE) ||
	    strcmp(slash ? slash + 1 : path, "kmsg") != 0)
		return -1;
	log_of.next = log_of.first;
	return log_of.fd = real_open("/dev/null", O_RDONLY | O_CLOEXEC, 0);
}

int open64(const char *path, int flags, ...)
{
	const int fd = records_open(path, flags);
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	return fd >= 0 ? fd : real_open(path, flags, mode);
}

static ssize_t read_record(char *bytes, size_t size)
{
	const char *record = *log_of.next;
	size_t n;

	if (!record) {
		log_of.fd = -1;
		errno = EAGAIN;
		return -1;
	}
	log_of.next++;
	n = strlen(record);
	if (!n || n > size) {
		errno = n ? EINVAL : EPIPE;
		return -1;
	}
	memcpy(bytes, record, n);
	return (ssize_t)n;
}

ssize_t read(int fd, void *bytes, size_t size)
{
	ssize_t (*real)(int, void *, size_t);

	if (fd >= 0 && fd == log_of.fd)
		return read_record(bytes, size);
	find_real("read", &real);
	return real(fd, bytes, size);
}

/*
 * Without openat2(), the library goes by openat64(). A sixth argument would
 * be read from the caller's stack, where none is; no call here has one.
 */
long syscall(long number, ...)
{
	long (*real)(long, ...);
	long arguments[5];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 5; i++)
		arguments[i] = va_arg(args, long);
	va_end(args);
	if (log_of.first && number == SYS_openat2) {
		errno = ENOSYS;
		return -1;
	}
	find_real("syscall", &real);
	return real(number, arguments[0], arguments[1], arguments[2],
		    arguments[3], arguments[4]);
}
