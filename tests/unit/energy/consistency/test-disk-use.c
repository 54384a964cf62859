/* SPDX-License-Identifier: MIT */
/*
 * The users of a disk, in directories that replace /sys and /proc. Only root
 * can make nodes of block devices, so fstatat() is mocked.
 */
#include "tree.h"

#include <fcntl.h>
#include <ssdpm/energy/consistency.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/text.h"
#include "device/internal.h"

#define OWN "100"
#define DISK "sys/devices/x/block/sda"
#define SIGHT "Name:\tssdpm\nCapInh:\t0\nCapEff:\t000001fffeffffff\n"

int __real_fstatat64(int fd, const char *name, struct stat *status, int flags);
int __wrap_fstatat64(int fd, const char *name, struct stat *status, int flags);
int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
pid_t __wrap_getpid(void);

pid_t __wrap_getpid(void)
{
	return 100;
}

/* Uses the last component of a link's target, or else of the name. */
int __wrap_fstatat64(int fd, const char *name, struct stat *status, int flags)
{
	static const struct {
		const char *name;
		unsigned int minor;
	} nodes[] = {
		{ "sda", 0 },	       { "sda1", 1 },	   { "sda2", 2 },
		{ "another-node", 0 }, { "swap-part", 2 }, { "sdb", 16 },
	};
	char target[256];
	const char *last;
	ssize_t n;

	if (flags)
		return __real_fstatat64(fd, name, status, flags);
	n = readlinkat(fd, name, target, sizeof(target) - 1);
	if (n >= 0)
		target[n] = 0;
	last = ssdpm__last_component(n < 0 ? name : target);
	memset(status, 0, sizeof(*status));
	status->st_mode = S_IFREG;
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++)
		if (!strcmp(last, nodes[i].name)) {
			status->st_mode = S_IFBLK;
			status->st_rdev = makedev(8, nodes[i].minor);
		}
	errno = !strcmp(last, "secret") ? EACCES :
		!strcmp(last, "closed") ? ENOENT :
					  0;
	return errno ? -1 : 0;
}

static char *root;
static struct ssdpm_machine *machine;

/* Opens the test's root instead of the machine's. */
int __wrap_open64(const char *path, int flags, ...)
{
	assert_false(flags & O_CREAT);
	return __real_open64(strcmp(path, "/") ? path : root, flags);
}

static void put_process(const char *pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "proc/%s/comm", pid);
	tree_put(root, path, name);
}

/* A descriptor in the thread of the same number. */
static void put_fd(const char *pid, const char *thread, const char *target)
{
	static int number = 3;
	char path[96];

	snprintf(path, sizeof(path), "proc/%s/task/%s/fd/%d", pid, thread,
		 number++);
	tree_link(root, path, target);
}

/* A disk with two partitions that nothing uses. */
static int set_up(void **state)
{
	(void)state;
	root = tree_new();
	tree_put(root, DISK "/dev", "8:0\n");
	tree_mkdir(root, DISK "/holders");
	tree_mkdir(root, DISK "/queue");
	tree_put(root, DISK "/sda1/dev", "8:1\n");
	tree_put(root, DISK "/sda1/partition", "1\n");
	tree_mkdir(root, DISK "/sda1/holders");
	tree_put(root, DISK "/sda2/dev", "8:2\n");
	tree_put(root, DISK "/sda2/partition", "2\n");
	tree_mkdir(root, DISK "/sda2/holders");
	tree_link(root, "sys/dev/block/8:0", "../../devices/x/block/sda");
	tree_link(root, "sys/block/sda", "../devices/x/block/sda");
	tree_put(root, "sys/block/loop0/loop/backing_file", "/root/image\n");
	tree_mkdir(root, "sys/block/loop1");
	tree_put(root, "proc/swaps",
		 "Filename\tType\tSize\tUsed\tPriority\n/dev/sdb\tpartition\n");
	tree_link(root, "proc/self", OWN);
	tree_put(root, "proc/" OWN "/mountinfo",
		 "22 27 0:21 / /proc rw - proc proc rw\n"
		 "23 27 8:16 / /mnt rw shared:1 - ext4 /dev/sdb rw\n"
		 "odd\n");
	tree_put(root, "proc/" OWN "/status", SIGHT);
	tree_link(root, "proc/" OWN "/ns/pid", "pid:[4026531836]");
	put_fd(OWN, OWN, "/dev/sda");
	put_process("200", "qemu\n");
	put_fd("200", "200", "/dev/null");
	put_fd("200", "200", "/dev/sdb");
	put_fd("200", "200", "/root/closed");
	put_fd("200", "201", "socket:[12345]");
	tree_mkdir(root, "proc/300/task/300"); /* just ended */
	tree_mkdir(root, "proc/sys");
	machine = tree_machine(root);
	machine->capture = 0;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	ssdpm_machine_unref(machine);
	tree_remove(root);
	return 0;
}

static int check(struct ssdpm_error *error)
{
	return ssdpm_machine_check_unused(machine, 8, 0, error);
}

static void assert_fails(int code, const char *words)
{
	const int n = tree_count_fds();
	struct ssdpm_error error = fixture_error();

	assert_int_equal(check(&error), code);
	fixture_assert_error(&error, code, 0, words);
	assert_int_equal(check(NULL), code);
	assert_int_equal(tree_count_fds(), n);
}

static void assert_unused(void)
{
	const struct ssdpm_error before = fixture_error();
	const int n = tree_count_fds();
	struct ssdpm_error error = before;

	assert_int_equal(check(&error), 0);
	assert_memory_equal(&error, &before, sizeof(error));
	assert_int_equal(tree_count_fds(), n);
}

static void a_disk_that_only_its_asker_has_open_is_unused(void **state)
{
	(void)state;
	assert_unused();
}

static void a_process_that_has_the_disk_open_is_named(void **state)
{
	(void)state;
	put_fd("200", "200", "/dev/sda");
	assert_fails(-EBUSY, "sda is in use: it is open in process 200 (qemu)");
}

static void a_process_that_has_a_partition_open_is_named(void **state)
{
	(void)state;
	put_fd("200", "200", "/dev/sda2");
	assert_fails(-EBUSY, "sda2 is in use: it is open in process 200");
}

static void another_node_of_the_same_number_is_the_same_disk(void **state)
{
	(void)state;
	put_fd("200", "200", "/srv/another-node");
	assert_fails(-EBUSY, "sda is in use: it is open in process 200");
}

static void a_thread_with_descriptors_of_its_own_is_seen(void **state)
{
	(void)state;
	put_fd("200", "201", "/dev/sda1");
	assert_fails(-EBUSY, "sda1 is in use: it is open in process 200");
}

static void names_of_processes_keep_no_control_characters(void **state)
{
	(void)state;
	put_process("400", "a\033[2Jb\n");
	put_fd("400", "400", "/dev/sda");
	assert_fails(-EBUSY, "process 400 (a?[2Jb)");
}

static void what_is_made_of_a_disk_uses_it(void **state)
{
	(void)state;
	tree_put(root, DISK "/sda2/holders/dm-3", "");
	assert_fails(-EBUSY, "sda2 is in use: it is part of dm-3");
	tree_put(root, DISK "/holders/md127", "");
	assert_fails(-EBUSY, "sda is in use: it is part of md127");
}

static void swap_uses_a_partition_under_any_name(void **state)
{
	(void)state;
	tree_put(root, "proc/swaps",
		 "Filename\tType\n/dev/disk/swap-part   partition\t1\n");
	assert_fails(-EBUSY, "sda2 is in use: swap, as /dev/disk/swap-part");
	remove(tree_path(root, "proc/swaps"));
	assert_unused(); /* a kernel without swap */
}

static void a_mount_uses_what_it_is_of_by_number_or_by_name(void **state)
{
	static const char file[] = "proc/" OWN "/mountinfo";

	(void)state;
	tree_put(root, file, "9 1 8:1 / /home rw - ext4 /dev/root rw\n");
	assert_fails(-EBUSY, "sda1 is in use: it is mounted at /home");
	tree_put(root, file, "9 1 0:31 / /srv rw - btrfs /dev/sda2 rw\n");
	assert_fails(-EBUSY, "sda2 is in use: it is mounted at /srv");
	remove(tree_path(root, file));
	assert_fails(-ENOENT, "sda: /proc/self/mountinfo: ");
}

static void a_loop_device_uses_its_backing_file(void **state)
{
	(void)state;
	tree_put(root, "sys/block/loop0/loop/backing_file", "/dev/sda\n");
	assert_fails(-EBUSY, "sda is in use: it is the backing file of loop0");
}

static void a_namespace_of_an_nvme_target_uses_a_disk(void **state)
{
	static const char path[] = "sys/kernel/config/nvmet/subsystems/nqn.x/"
				   "namespaces/1/device_path";

	(void)state;
	tree_put(root, path, "/dev/sdb\n");
	assert_int_equal(check(NULL), 0);
	tree_put(root, path, "(null)\n");
	assert_int_equal(check(NULL), 0);
	tree_put(root, path, "/dev/sda1\n");
	assert_fails(-EBUSY, "sda1 is in use: it is exported over NVMe-oF, by "
			     "sys/kernel/config/nvmet/subsystems/nqn.x/");
}

static const char root_can[] = "cannot see which processes use sda: root with "
			       "CAP_SYS_PTRACE can";

static void a_process_that_cannot_be_looked_into_is_not_taken_for_idle(
	void **state)
{
	(void)state;
	put_fd("200", "200", "/root/secret");
	assert_fails(-EACCES, root_can);
}

static void without_the_right_to_see_all_nothing_is_unused(void **state)
{
	(void)state;
	tree_put(root, "proc/" OWN "/status", "CapEff:\t000001fffef7ffff\n");
	assert_fails(-EACCES, root_can);
	tree_put(root, "proc/" OWN "/status", "Name:\tssdpm\n");
	assert_fails(-EACCES, root_can);
	/* A user who is visible is named nevertheless. */
	put_fd("200", "200", "/dev/sda");
	assert_fails(-EBUSY, "open in process 200");
}

static void another_pid_namespace_hides_processes(void **state)
{
	(void)state;
	remove(tree_path(root, "proc/" OWN "/ns/pid"));
	tree_link(root, "proc/" OWN "/ns/pid", "pid:[4026532000]");
	assert_fails(-EACCES, "a container needs that of the machine "
			      "(--pid=host)");
}

static void a_disk_that_sysfs_does_not_have_is_no_disk(void **state)
{
	struct ssdpm_error error = fixture_error();

	(void)state;
	assert_int_equal(ssdpm_machine_check_unused(machine, 8, 48, &error),
			 -ENODEV);
	fixture_assert_error(&error, -ENODEV, 0, "/sys/dev/block/8:48: ");
	tree_put(root, DISK "/sda2/dev", "8\n");
	assert_fails(-EIO, "sda: /" DISK ": ");
	tree_put(root, DISK "/sda2/dev", "8:2:1\n");
	assert_fails(-EIO, "sda: /" DISK ": ");
	remove(tree_path(root, DISK "/sda2/dev"));
	assert_fails(-ENOENT, "sda: /" DISK ": ");
}

static void a_capture_does_not_say_who_uses_a_disk(void **state)
{
	(void)state;
	machine->capture = 1;
	assert_fails(-EOPNOTSUPP, "a capture does not say");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_disk_that_only_its_asker_has_open_is_unused),
		TEST(a_process_that_has_the_disk_open_is_named),
		TEST(a_process_that_has_a_partition_open_is_named),
		TEST(another_node_of_the_same_number_is_the_same_disk),
		TEST(a_thread_with_descriptors_of_its_own_is_seen),
		TEST(names_of_processes_keep_no_control_characters),
		TEST(what_is_made_of_a_disk_uses_it),
		TEST(swap_uses_a_partition_under_any_name),
		TEST(a_mount_uses_what_it_is_of_by_number_or_by_name),
		TEST(a_loop_device_uses_its_backing_file),
		TEST(a_namespace_of_an_nvme_target_uses_a_disk),
		TEST(a_process_that_cannot_be_looked_into_is_not_taken_for_idle),
		TEST(without_the_right_to_see_all_nothing_is_unused),
		TEST(another_pid_namespace_hides_processes),
		TEST(a_disk_that_sysfs_does_not_have_is_no_disk),
		TEST(a_capture_does_not_say_who_uses_a_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
