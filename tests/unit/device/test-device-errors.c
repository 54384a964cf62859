/* SPDX-License-Identifier: MIT */
/*
 * Each kernel call fails in turn, with each error that it may have. Also, files
 * vanish while they are read.
 */
#include "tree.h"

#include "device/internal.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The call that fails, and when. */
static struct {
	long count;   /* calls since it was armed */
	long fail_at; /* 0: never */
	int code;
	bool armed, forever;
	bool no_openat2;
	bool only_read;
	void (*before)(void); /* called instead of failing */
} kernel;

static bool fails(void)
{
	if (!kernel.armed || kernel.only_read)
		return false;
	kernel.count++;
	if (kernel.count != kernel.fail_at &&
	    !(kernel.forever && kernel.count > kernel.fail_at &&
	      kernel.fail_at))
		return false;
	if (kernel.before) {
		kernel.armed = false;
		kernel.before();
		return false;
	}
	errno = kernel.code;
	return true;
}

long __real_syscall(long number, int fd, const char *path, const void *how,
		    size_t size);
long __wrap_syscall(long number, int fd, const char *path, const void *how,
		    size_t size);
long __wrap_syscall(long number, int fd, const char *path, const void *how,
		    size_t size)
{
	assert_int_equal(number, SYS_openat2);
	if (kernel.armed && kernel.no_openat2) {
		errno = ENOSYS;
		return -1;
	}
	return fails() ? -1 : __real_syscall(number, fd, path, how, size);
}

int __real_openat64(int fd, const char *path, int flags, ...);
int __wrap_openat64(int fd, const char *path, int flags, mode_t mode);
int __wrap_openat64(int fd, const char *path, int flags, mode_t mode)
{
	return fails() ? -1 : __real_openat64(fd, path, flags, mode);
}

ssize_t __real_read(int fd, void *buffer, size_t size);
ssize_t __wrap_read(int fd, void *buffer, size_t size);
ssize_t __wrap_read(int fd, void *buffer, size_t size)
{
	const bool all = !kernel.only_read;

	kernel.only_read = false;
	if (fails())
		return -1;
	kernel.only_read = !all;
	return __real_read(fd, buffer, size);
}

ssize_t __real_readlinkat(int fd, const char *path, char *text, size_t size);
ssize_t __wrap_readlinkat(int fd, const char *path, char *text, size_t size);
ssize_t __wrap_readlinkat(int fd, const char *path, char *text, size_t size)
{
	/* EINVAL is no failure: the file is no link. */
	return kernel.code != EINVAL && fails() ?
		       -1 :
		       __real_readlinkat(fd, path, text, size);
}

int __real_fstat64(int fd, struct stat *status);
int __wrap_fstat64(int fd, struct stat *status);
int __wrap_fstat64(int fd, struct stat *status)
{
	return fails() ? -1 : __real_fstat64(fd, status);
}

int __real_fstatat64(int fd, const char *path, struct stat *status, int flags);
int __wrap_fstatat64(int fd, const char *path, struct stat *status, int flags);
int __wrap_fstatat64(int fd, const char *path, struct stat *status, int flags)
{
	return fails() ? -1 : __real_fstatat64(fd, path, status, flags);
}

struct dirent *__real_readdir64(DIR *directory);
struct dirent *__wrap_readdir64(DIR *directory);
struct dirent *__wrap_readdir64(DIR *directory)
{
	return fails() ? NULL : __real_readdir64(directory);
}

DIR *__real_fdopendir(int fd);
DIR *__wrap_fdopendir(int fd);
DIR *__wrap_fdopendir(int fd)
{
	return fails() ? NULL : __real_fdopendir(fd);
}

static void arm(long fail_at, int code, bool forever)
{
	kernel.count = 0;
	kernel.fail_at = fail_at;
	kernel.code = code;
	kernel.forever = forever;
	kernel.armed = true;
}

static void disarm(void)
{
	kernel.armed = false;
	kernel.before = NULL;
}

/* After another failure, a fact is unknown, never wrong. */
static bool text_is_or_is_unknown(const char *is, const char *good)
{
	return !is[0] || !strcmp(is, good);
}

static void assert_less(const struct ssdpm_device_facts *is,
			const struct ssdpm_device_facts *good)
{
	assert_int_equal(is->known & ~good->known, 0);
	assert_string_equal(is->name, good->name);
	assert_string_equal(is->path, good->path);
	assert_true(text_is_or_is_unknown(is->firmware, good->firmware));
	assert_true(text_is_or_is_unknown(is->state, good->state));
	assert_true(text_is_or_is_unknown(is->driver, good->driver));
	assert_true(!is->pci_vendor_id ||
		    is->pci_vendor_id == good->pci_vendor_id);
	if (is->known & SSDPM_FACT_LATENCY_TOLERANCE)
		assert_true(is->latency_tolerance_us ==
			    good->latency_tolerance_us);
	if (is->known & SSDPM_FACT_QUIRKS)
		assert_int_equal(is->kernel_quirks, good->kernel_quirks);
	if (is->known & SSDPM_FACT_LPM)
		assert_int_equal(is->lpm, good->lpm);
	if (is->known & SSDPM_FACT_AHCI_PORT_CMD)
		assert_int_equal(is->ahci_port_cmd, good->ahci_port_cmd);
}

struct list {
	struct ssdpm_device **devices;
	size_t n;
};

static const struct ssdpm_device_facts *find(const struct list *list,
					     const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (!strcmp(list->devices[i]->facts.name, name))
			return &list->devices[i]->facts;
	return NULL;
}

/* An error that is not about a file: the whole call fails. */
static bool is_ours(int code)
{
	return code == ENOMEM || code == EMFILE || code == ENFILE;
}

/* Fails the n-th call. Return: whether there was one. */
static bool fail_list(struct ssdpm_machine *machine, long n, int code,
		      bool forever, const struct list *good)
{
	struct list list = { UNTOUCHED, 4711 };
	struct ssdpm_error error = fixture_error();
	const int fds = tree_count_fds();
	int err;

	arm(n, code, forever);
	err = ssdpm_device_list_read(machine, &list.devices, &list.n, &error);
	disarm();
	assert_int_equal(tree_count_fds(), fds);
	if (err) {
		assert_int_equal(err, -code);
		assert_int_equal(error.code, -code);
		assert_ptr_equal(list.devices, UNTOUCHED);
		assert_int_equal(list.n, 4711);
		return true;
	}
	assert_false(kernel.count >= n && is_ours(code));
	for (size_t i = 0; i < list.n; i++) {
		const struct ssdpm_device_facts *facts =
			find(good, list.devices[i]->facts.name);

		/* A host without a readable disk may be in its place. */
		if (facts)
			assert_less(&list.devices[i]->facts, facts);
	}
	ssdpm_device_list_free(list.devices, list.n);
	return kernel.count >= n;
}

static const int codes[] = { ENOMEM, EMFILE, ENFILE, EIO,     EACCES, ENOENT,
			     ENODEV, ELOOP,  ENXIO,  ENOTDIR, EINVAL, EBADMSG };

/*
 * Valgrind has no openat2(), and complains at each call. Names are then walked,
 * which takes many more calls.
 */
static bool must_walk;

static int look_for_openat2(void **state)
{
	(void)state;
	must_walk = __real_syscall(SYS_openat2, AT_FDCWD, ".", NULL, 0) < 0 &&
		    errno == ENOSYS;
	return 0;
}

/* Each of this many calls in turn; 64 of them if few cases are wanted. */
static long pace(long n_calls)
{
	return fixture_cases(4) == 4 ? 1 : n_calls / 64 | 1;
}

static void each_call_may_fail_while_devices_are_listed(void **state)
{
	static const char captures[][16] = { "laptop", "server" };
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct ssdpm_machine *machine = tree_capture(captures[i]);
		struct list good;
		long n;

		machine->walk = must_walk;
		arm(0, 0, false);
		assert_int_equal(ssdpm_device_list_read(machine, &good.devices,
							&good.n, NULL),
				 0);
		disarm();
		const long step = pace(kernel.count);

		for (size_t j = 0; j < sizeof(codes) / sizeof(codes[0]); j++) {
			for (n = 1;
			     fail_list(machine, n, codes[j], false, &good);
			     n += step)
				;
			assert_true(n > 50);
		}
		for (n = 1; fail_list(machine, n, EIO, true, &good);
		     n += 7 * step)
			;
		ssdpm_device_list_free(good.devices, good.n);
		ssdpm_machine_unref(machine);
	}
}

static bool fail_facts(struct ssdpm_machine *machine, long n, int code,
		       const struct ssdpm_machine_facts *good)
{
	struct ssdpm_machine_facts facts = { .size = sizeof(facts) };
	struct ssdpm_error error = fixture_error();
	const int fds = tree_count_fds();
	int err;

	arm(n, code, false);
	err = ssdpm_machine_read_facts(machine, &facts, &error);
	disarm();
	assert_int_equal(tree_count_fds(), fds);
	if (err) {
		assert_true(is_ours(code));
		assert_int_equal(err, -code);
		assert_int_equal(error.code, -code);
		return true;
	}
	assert_false(kernel.count >= n && is_ours(code));
	assert_true(!facts.suspend || facts.suspend == good->suspend);
	assert_int_equal(facts.nvme_core_known & ~good->nvme_core_known, 0);
	assert_true(text_is_or_is_unknown(facts.linux_release,
					  good->linux_release));
	assert_true(text_is_or_is_unknown(facts.board_name, good->board_name));
	return kernel.count >= n;
}

static void each_call_may_fail_while_the_machine_is_read(void **state)
{
	struct ssdpm_machine *machine = tree_capture("laptop");
	struct ssdpm_machine_facts good = { .size = sizeof(good) };
	long n;

	(void)state;
	machine->walk = must_walk;
	arm(0, 0, false);
	assert_int_equal(ssdpm_machine_read_facts(machine, &good, NULL), 0);
	disarm();
	const long step = pace(kernel.count);

	for (size_t j = 0; j < sizeof(codes) / sizeof(codes[0]); j++) {
		for (n = 1; fail_facts(machine, n, codes[j], &good); n += step)
			;
		assert_true(n > 20);
	}
	ssdpm_machine_unref(machine);
}

static void without_openat2_it_is_the_same(void **state)
{
	struct ssdpm_machine *machine = tree_capture("server");
	struct list a, b;

	(void)state;
	assert_int_equal(
		ssdpm_device_list_read(machine, &a.devices, &a.n, NULL), 0);
	kernel.no_openat2 = true;
	arm(0, 0, false);
	assert_int_equal(
		ssdpm_device_list_read(machine, &b.devices, &b.n, NULL), 0);
	disarm();
	kernel.no_openat2 = false;
	assert_true(kernel.count > 100);
	assert_int_equal(a.n, b.n);
	for (size_t i = 0; i < a.n; i++)
		assert_memory_equal(&a.devices[i]->facts, &b.devices[i]->facts,
				    sizeof(a.devices[i]->facts));
	ssdpm_device_list_free(a.devices, a.n);
	ssdpm_device_list_free(b.devices, b.n);
	ssdpm_machine_unref(machine);
}

static void a_call_that_is_interrupted_is_made_again(void **state)
{
	static const int again[] = { EINTR, EAGAIN };
	struct ssdpm_machine *machine = tree_capture("laptop");
	char text[64];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		arm(1, again[i], false);
		assert_int_equal(ssdpm__read_text(machine,
						  "proc/sys/kernel/osrelease",
						  text, sizeof(text)),
				 0);
		disarm();
		assert_string_equal(text, "7.3.4+deb13-amd64");
	}
	/* But not for ever. */
	arm(1, EAGAIN, true);
	assert_int_equal(ssdpm__read_text(machine, "proc/sys/kernel/osrelease",
					  text, sizeof(text)),
			 -EAGAIN);
	disarm();
	kernel.only_read = true;
	arm(1, EINTR, false);
	assert_int_equal(ssdpm__read_text(machine, "proc/sys/kernel/osrelease",
					  text, sizeof(text)),
			 0);
	assert_true(kernel.count > 0);
	disarm();
	kernel.only_read = false;
	ssdpm_machine_unref(machine);
}

/* A controller that can be removed. */
static char *root;
static char at[256];

static void take_away(void)
{
	char away[512];

	snprintf(away, sizeof(away), "%s/gone", root);
	assert_int_equal(rename(tree_path(root, at), away), 0);
}

static void make_controller(void)
{
	static const char *const files[] = { "model", "state", "transport",
					     "firmware_rev", "address" };
	char path[512];

	root = tree_new();
	strcpy(at, "sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0");
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", at, files[i]);
		tree_put(root, path, "x\n");
	}
	tree_link(root, "sys/class/nvme/nvme0",
		  "../../devices/pci0000:00/0000:01:00.0/nvme/nvme0");
}

/* At any moment, it is either complete or left out. */
static void a_controller_that_vanishes_is_left_out(void **state)
{
	bool seen = false, missed = false;
	long step = fixture_cases(8) < 8 ? 5 : 1;
	bool done = false;

	(void)state;
	for (long n = 1; !done; n += step) {
		struct ssdpm_machine *machine;
		struct list list;

		make_controller();
		machine = tree_machine(root);
		kernel.before = take_away;
		arm(n, 0, false);
		assert_int_equal(ssdpm_device_list_read(machine, &list.devices,
							&list.n, NULL),
				 0);
		done = kernel.armed;
		disarm();
		if (list.n) {
			const struct ssdpm_device_facts *facts =
				&list.devices[0]->facts;

			seen = true;
			assert_string_equal(facts->product, "x");
			assert_string_equal(facts->state, "x");
			assert_string_equal(facts->address, "x");
		} else {
			missed = true;
		}
		ssdpm_device_list_free(list.devices, list.n);
		ssdpm_machine_unref(machine);
		tree_remove(root);
	}
	assert_true(seen && missed);
}

static void each_call_may_fail_while_a_file_is_written(void **state)
{
	struct ssdpm_machine *machine;

	(void)state;
	root = tree_new();
	tree_put(root, "ssdpm-capture", "");
	tree_put(root, "file", "old");
	machine = tree_machine(root);
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		bool failed = true;
		long n;

		for (n = 1; failed; n++) {
			int err;

			arm(n, codes[i], false);
			err = ssdpm__write_text(machine, "file", "new");
			failed = kernel.count >= n;
			disarm();
			assert_true(!err || (failed && err == -codes[i]));
		}
		assert_true(n > 4);
	}
	ssdpm_machine_unref(machine);
	tree_remove(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_call_may_fail_while_devices_are_listed),
		cmocka_unit_test(each_call_may_fail_while_the_machine_is_read),
		cmocka_unit_test(without_openat2_it_is_the_same),
		cmocka_unit_test(a_call_that_is_interrupted_is_made_again),
		cmocka_unit_test(a_controller_that_vanishes_is_left_out),
		cmocka_unit_test(each_call_may_fail_while_a_file_is_written),
	};

	return cmocka_run_group_tests(tests, look_for_openat2, NULL);
}
