/* SPDX-License-Identifier: MIT */
/*
 * Captures: what is read of one is what was read of the machine, and nothing
 * that names a machine or a drive is in it.
 */
#include "fixture.h"
#include "records.h"
#include "remove.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 512

static char scratch[] = "/tmp/ssdpm-test-XXXXXX";

/* The calls that write a capture; the n-th of one of them may fail. */
static struct {
	const char *name;
	int left; /* it is the one that fails; 0: none */
	int error;
} fault;

static bool fails(const char *name)
{
	if (!fault.name || strcmp(fault.name, name) != 0 || --fault.left)
		return false;
	errno = fault.error;
	return true;
}

ssize_t write(int fd, const void *bytes, size_t n)
{
	ssize_t (*real)(int, const void *, size_t);
	void *symbol = dlsym(RTLD_NEXT, "write");

	memcpy(&real, &symbol, sizeof(real));
	if (fault.name && !strcmp(fault.name, "short"))
		n = (n + 1) / 2;
	return fails("write") ? -1 : real(fd, bytes, n);
}

int mkdirat(int fd, const char *path, mode_t mode)
{
	int (*real)(int, const char *, mode_t);
	void *symbol = dlsym(RTLD_NEXT, "mkdirat");

	memcpy(&real, &symbol, sizeof(real));
	return fails("mkdirat") ? -1 : real(fd, path, mode);
}

int symlinkat(const char *target, int fd, const char *path)
{
	int (*real)(const char *, int, const char *);
	void *symbol = dlsym(RTLD_NEXT, "symlinkat");

	memcpy(&real, &symbol, sizeof(real));
	return fails("symlinkat") ? -1 : real(target, fd, path);
}

int openat64(int fd, const char *path, int flags, ...)
{
	int (*real)(int, const char *, int, ...);
	void *symbol = dlsym(RTLD_NEXT, "openat64");
	const int log = records_open(path, flags);
	va_list args;
	mode_t mode;

	if (log >= 0)
		return log;
	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	memcpy(&real, &symbol, sizeof(real));
	/* Only the files: what is read may be missing. */
	if (flags & O_CREAT && fails("openat"))
		return -1;
	return real(fd, path, flags, mode);
}

static void path_of(char path[PATH_BYTES], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	assert_true(vsnprintf(path, PATH_BYTES, format, args) < PATH_BYTES);
	va_end(args);
}

static struct ssdpm_machine *open_root(const char *root)
{
	struct ssdpm_machine_params params = { .size = sizeof(params),
					       .root = root };
	struct ssdpm_machine *machine = NULL;

	assert_int_equal(ssdpm_machine_new(&params, &machine, NULL), 0);
	return machine;
}

static void capture(const char *root, const char *directory)
{
	struct ssdpm_machine *machine = open_root(root);
	struct ssdpm_error error = { .message = "" };

	if (ssdpm_machine_capture(machine, directory, 0, &error))
		fail_msg("%s: %s", root, error.message);
	ssdpm_machine_unref(machine);
}

static char *read_file(const char *path, size_t *ret_n)
{
	FILE *file = fopen(path, "rb");
	char *text = malloc(1 << 20);

	assert_non_null(file);
	*ret_n = fread(text, 1, (1 << 20) - 1, file);
	assert_true(*ret_n < (1 << 20) - 1);
	text[*ret_n] = 0;
	fclose(file);
	return text;
}

static void write_bytes(const char *root, const char *path, const char *bytes,
			size_t n)
{
	char full[PATH_BYTES];
	FILE *file;

	path_of(full, "%s/%s", root, path);
	for (char *at = full + strlen(root) + 1; (at = strchr(at, '/')); at++) {
		*at = 0;
		mkdir(full, 0755);
		*at = '/';
	}
	file = fopen(full, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, n, file), n);
	assert_int_equal(fclose(file), 0);
}

static void write_file(const char *root, const char *path, const char *text)
{
	write_bytes(root, path, text, strlen(text));
}

static void remove_copy(const char *path)
{
	assert_int_equal(remove_tree(path), 0);
}

static const char *const forbidden[] = {
	"SECRET",	  "ESRCTE", /* as IDENTIFY DEVICE has it */
	"5345 4352 4554",	    /* as words */
	"root:x:0",	  "192.0.2.7", "53454352",
};
static size_t n_files;

static int search_one(const char *path, const struct stat *status, int type,
		      struct FTW *walk)
{
	char link[PATH_BYTES];
	size_t n;

	(void)status;
	(void)walk;
	n_files++;
	if (type == FTW_SL) {
		ssize_t length = readlink(path, link, sizeof(link));

		assert_true(length > 0);
		assert_int_not_equal(link[0], '/');
	}
	if (type != FTW_F)
		return 0;
	char *text = read_file(path, &n);
	for (size_t i = 0; i < sizeof(forbidden) / sizeof(forbidden[0]); i++) {
		if (memmem(text, n, forbidden[i], strlen(forbidden[i])) ||
		    strstr(path, forbidden[i]))
			fail_msg("%s holds %s", path, forbidden[i]);
	}
	free(text);
	return 0;
}

/* The rest of a struct that has a size_t first is the same too. */
static void assert_same_facts(const struct ssdpm_device *a,
			      const struct ssdpm_device *b)
{
	struct ssdpm_device_facts x = *ssdpm_device_get_facts(a);
	struct ssdpm_device_facts y = *ssdpm_device_get_facts(b);

	/* Where a drive on a network is, is taken out. */
	if (x.flags & SSDPM_DEVICE_FABRICS) {
		assert_string_equal(y.address, "traddr=blanked,trsvcid=4420");
		memset(x.address, 0, sizeof(x.address));
		memset(y.address, 0, sizeof(y.address));
	}
	assert_memory_equal(&x, &y, sizeof(x));
}

static void assert_same_model(struct ssdpm_device *a, struct ssdpm_device *b,
			      struct ssdpm_catalogue *catalogue)
{
	struct ssdpm_model *x = NULL, *y = NULL;
	int err = ssdpm_device_read_model(a, SSDPM_READ_COMMANDS, catalogue, &x,
					  NULL);

	assert_int_equal(ssdpm_device_read_model(b, SSDPM_READ_COMMANDS,
						 catalogue, &y, NULL),
			 err);
	if (!err)
		fixture_assert_same(x, y);
	ssdpm_model_unref(x);
	ssdpm_model_unref(y);
}

static void assert_same_dumps(struct ssdpm_device *a, struct ssdpm_device *b)
{
	struct ssdpm_device_power power_a = { .size = sizeof(power_a) };
	struct ssdpm_device_power power_b = { .size = sizeof(power_b) };
	struct ssdpm_devsleep sleep_a = { 0 }, sleep_b = { 0 };
	struct ssdpm_apst table_a, table_b;
	int err;

	memset(&table_a, 0, sizeof(table_a));
	memset(&table_b, 0, sizeof(table_b));
	err = ssdpm_device_read_apst(a, &table_a, NULL);
	/* A dump that is none is not copied. */
	assert_int_equal(ssdpm_device_read_apst(b, &table_b, NULL),
			 err == -EINVAL ? -ENOENT : err);
	assert_memory_equal(&table_a, &table_b, sizeof(table_a));
	err = ssdpm_device_read_power(a, &power_a, NULL);
	assert_int_equal(ssdpm_device_read_power(b, &power_b, NULL), err);
	assert_memory_equal(&power_a, &power_b, sizeof(power_a));
	err = ssdpm_device_read_devsleep(a, &sleep_a, NULL);
	assert_int_equal(ssdpm_device_read_devsleep(b, &sleep_b, NULL), err);
	assert_memory_equal(&sleep_a, &sleep_b, sizeof(sleep_a));
}

static void assert_same_machine(struct ssdpm_machine *a,
				struct ssdpm_machine *b)
{
	struct ssdpm_machine_facts x, y;
	struct ssdpm_owner *owners_a, *owners_b;
	size_t n_a, n_b;

	memset(&x, 0, sizeof(x));
	memset(&y, 0, sizeof(y));
	x.size = y.size = sizeof(x);
	assert_int_equal(ssdpm_machine_read_facts(a, &x, NULL), 0);
	assert_int_equal(ssdpm_machine_read_facts(b, &y, NULL), 0);
	assert_memory_equal(&x, &y, sizeof(x));
	assert_int_equal(ssdpm_machine_read_owners(a, &owners_a, &n_a, NULL),
			 0);
	assert_int_equal(ssdpm_machine_read_owners(b, &owners_b, &n_b, NULL),
			 0);
	assert_int_equal(n_a, n_b);
	if (n_a)
		assert_memory_equal(owners_a, owners_b,
				    n_a * sizeof(*owners_a));
	free(owners_a);
	free(owners_b);
}

static void assert_same_roots(const char *root_a, const char *root_b)
{
	struct ssdpm_machine *a = open_root(root_a), *b = open_root(root_b);
	struct ssdpm_device **x, **y;
	struct ssdpm_catalogue *catalogue = NULL;
	size_t n_x, n_y;

	assert_same_machine(a, b);
	assert_int_equal(ssdpm_catalogue_new(NULL, 0, &catalogue, NULL), 0);
	assert_int_equal(ssdpm_device_list_read(a, &x, &n_x, NULL), 0);
	assert_int_equal(ssdpm_device_list_read(b, &y, &n_y, NULL), 0);
	assert_int_equal(n_x, n_y);
	for (size_t i = 0; i < n_x; i++) {
		assert_same_facts(x[i], y[i]);
		assert_same_dumps(x[i], y[i]);
		if (!strstr(root_a, "hostile"))
			assert_same_model(x[i], y[i], catalogue);
	}
	ssdpm_device_list_free(x, n_x);
	ssdpm_device_list_free(y, n_y);
	ssdpm_catalogue_free(catalogue);
	ssdpm_machine_unref(a);
	ssdpm_machine_unref(b);
}

static const char *const machines[] = {
	"laptop",
	"desktop-6.1",
	"old-5.10",
	"eight-drives",
	"server",
	"external-ports",
	"apst-empty",
	"apst-off",
	"quirked",
	"no-aspm",
	"pm-only-max-performance",
	"hostile",
};
#define N_MACHINES (sizeof(machines) / sizeof(machines[0]))

static void make_root(char root[PATH_BYTES], const char *name)
{
	path_of(root, "%s/%s", getenv("SSDPM_CAPTURES"), name);
}

static void what_is_read_of_a_capture_is_what_was_read_of_the_machine(
	void **state)
{
	char root[PATH_BYTES], copy[PATH_BYTES];

	(void)state;
	for (size_t i = 0; i < N_MACHINES; i++) {
		make_root(root, machines[i]);
		path_of(copy, "%s/%s", scratch, machines[i]);
		capture(root, copy);
		assert_same_roots(root, copy);
	}
}

static void nothing_that_names_a_drive_or_a_machine_is_in_a_capture(
	void **state)
{
	char copy[PATH_BYTES];

	(void)state;
	for (size_t i = 0; i < N_MACHINES; i++) {
		path_of(copy, "%s/%s", scratch, machines[i]);
		n_files = 0;
		assert_int_equal(nftw(copy, search_one, 16, FTW_PHYS), 0);
		assert_true(n_files > 50);
	}
}

/* What the machines of the tests hold, and where. */
static const struct {
	const char *machine, *path, *secret;
} secrets[] = {
	{ "laptop", "dumps/nvme0.identify", "SECRETNVME0" },
	{ "laptop", "dumps/nvme0.identify", "SECRETFGUID" },
	{ "laptop", "dumps/nvme0.identify", ":SECRET0" }, /* SUBNQN */
	{ "laptop", "dumps/nvme0.identify", "SECRETRESERVED" },
	{ "laptop", "dumps/nvme0.identify", "SECRETVENDOR" },
	{ "laptop", "sys/class/nvme/nvme0/serial", "SECRETNVME0" },
	{ "laptop", "sys/class/nvme/nvme0/subsysnqn", ":SECRET0" },
	{ "laptop", "sys/block/nvme0n1/wwid", "SECRETWWN" },
	{ "laptop", "sys/class/power_supply/BAT0/serial_number",
	  "SECRETBATTERY" },
	{ "laptop", "sys/class/dmi/id/product_serial", "SECRETMACHINE" },
	{ "laptop", "proc/sys/kernel/hostname", "SECRETHOST" },
	{ "laptop", "proc/cmdline", "SECRETUUID" },
	/* Words 10, 108, 129 and 176 on: two characters each, turned. */
	{ "desktop-6.1", "dumps/sda.identify", "ESRCTETA0A" },
	{ "desktop-6.1", "dumps/sda.identify", "ESRCTEWWESRCTEWW" },
	{ "desktop-6.1", "dumps/sda.identify", "ESRCTEEVDNRO" },
	{ "desktop-6.1", "dumps/sda.identify", "ESRCTEEMIDMU" },
	{ "desktop-6.1", "sys/class/ata_device/dev1.0/id",
	  "5345 4352 4554 4154" },
	{ "desktop-6.1", "sys/class/ata_device/dev1.0/id", "4352 4554 5757" },
	{ "desktop-6.1", "sys/class/ata_device/dev1.0/id", "4352 4554 5645" },
	{ "desktop-6.1", "sys/class/ata_device/dev1.0/id", "4352 4554 4d45" },
	{ "desktop-6.1", "dumps/sda.devsleep", "SECRET" },
	{ "desktop-6.1", "sys/block/sda/device/wwid", "SECRETWWN" },
	{ "server", "sys/class/nvme/nvme0/address", "192.0.2.7" },
	{ "server", "sys/class/nvme/nvme0/hostnqn", "SECRETHOSTNQN" },
	{ "server", "sys/class/nvme/nvme0/hostid", "SECRETHOSTID" },
};

static bool file_holds(const char *path, const char *secret)
{
	size_t n;
	char *text;
	bool holds;

	if (access(path, F_OK))
		return false;
	text = read_file(path, &n);
	holds = memmem(text, n, secret, strlen(secret));
	free(text);
	return holds;
}

static void each_secret_of_a_machine_is_taken_out(void **state)
{
	char root[PATH_BYTES], path[PATH_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++) {
		make_root(root, secrets[i].machine);
		path_of(path, "%s/%s", root, secrets[i].path);
		if (!file_holds(path, secrets[i].secret))
			fail_msg("%s lacks %s", path, secrets[i].secret);
		path_of(path, "%s/%s/%s", scratch, secrets[i].machine,
			secrets[i].path);
		if (file_holds(path, secrets[i].secret))
			fail_msg("%s holds %s", path, secrets[i].secret);
	}
}

static const char *second;

static int compare_one(const char *path, const struct stat *status, int type,
		       struct FTW *walk)
{
	char other[PATH_BYTES];
	size_t n, n_other;

	(void)status;
	(void)walk;
	path_of(other, "%s%s", second, path + strlen(scratch) + 2);
	n_files += access(other, F_OK) == 0;
	if (type != FTW_F)
		return 0;
	char *text = read_file(path, &n), *text_other;
	text_other = read_file(other, &n_other);
	assert_int_equal(n, n_other);
	assert_memory_equal(text, text_other, n);
	free(text);
	free(text_other);
	return 0;
}

static void a_capture_of_a_capture_is_the_same(void **state)
{
	char first[PATH_BYTES], other[PATH_BYTES];

	(void)state;
	make_root(first, "desktop-6.1");
	path_of(other, "%s/a", scratch);
	capture(first, other);
	path_of(first, "%s/b", scratch);
	capture(other, first);
	second = first;
	n_files = 0;
	assert_int_equal(nftw(other, compare_one, 16, FTW_PHYS), 0);
	assert_true(n_files > 100);
	remove_copy(first);
	remove_copy(other);
}

static void the_marker_says_what_it_is_and_no_more(void **state)
{
	char path[PATH_BYTES];
	size_t n;

	(void)state;
	path_of(path, "%s/laptop/ssdpm-capture", scratch);
	char *text = read_file(path, &n);
	assert_string_equal(text, "{\"schema\": \"ssdpm.capture/1\", "
				  "\"linux_release\": "
				  "\"7.3.4+deb13-amd64\"}\n");
	free(text);
}

static void the_checksum_of_identify_device_is_mended(void **state)
{
	char path[PATH_BYTES];
	size_t n;

	(void)state;
	path_of(path, "%s/desktop-6.1/dumps/sda.identify", scratch);
	char *data = read_file(path, &n);
	uint8_t sum = 0;
	assert_int_equal(n, 512);
	for (size_t i = 0; i < n; i++)
		sum = (uint8_t)(sum + (uint8_t)data[i]);
	assert_int_equal((uint8_t)data[510], 0xa5);
	assert_int_equal(sum, 0);
	for (size_t i = 20; i < 40; i++)
		assert_int_equal(data[i], ' ');
	for (size_t i = 216; i < 224; i++)
		assert_int_equal(data[i], 0);
	free(data);
}

/* A machine of a few files. */
static void make_machine(char root[PATH_BYTES])
{
	path_of(root, "%s/few", scratch);
	assert_int_equal(mkdir(root, 0755), 0);
	write_file(root, "proc/sys/kernel/osrelease", "6.1.0\n");
	write_file(root, "proc/version_signature", "Ubuntu 6.1.0-1.1 6.1.9\n");
	write_file(root, "sys/class/block/x", "");
}

static void assert_text(const char *root, const char *path,
			const char *expected)
{
	char full[PATH_BYTES];
	size_t n;

	path_of(full, "%s/%s", root, path);
	if (!expected) {
		assert_int_equal(access(full, F_OK), -1);
		return;
	}
	char *text = read_file(full, &n);
	assert_string_equal(text, expected);
	free(text);
}

static void settings_of_others_are_copied_without_the_rest(void **state)
{
	static const char rules[] = "etc/udev/rules.d/60-mine.rules";
	static const char mouse[] = "sys/class/power_supply/"
				    "hid-a0:b1:c2:d3:e4:f5-battery";
	char root[PATH_BYTES], copy[PATH_BYTES], path[PATH_BYTES];

	(void)state;
	make_machine(root);
	write_file(root, rules,
		   "# SECRET\n"
		   "SUBSYSTEM==\"block\", ENV{ID_SERIAL}==\"SECRET\", "
		   "RUN+=\"/bin/true\"\n"
		   "ACTION==\"add\", ENV{ID_SERIAL}==\"SECRET\", ATTRS{wwid}!="
		   "\"SECRET\",ATTR{link_power_management_policy}="
		   "\"min_power\"\n"
		   "KERNEL==\"nvme0\", RUN+=\"/bin/sh -c 'echo 0 > "
		   "/sys/$devpath/power/pm_qos_latency_tolerance_us'\"\n"
		   "# end SECRET\n");
	write_file(root, "etc/udev/rules.d/70-other.rules",
		   "ENV{ID_SERIAL}==\"SECRET\"\n");
	write_file(root, "etc/tlp.conf",
		   "DISK_DEVICES=\"ata-SECRET\"\r\n"
		   "\tSATA_LINKPWR_ON_BAT=\"min_power\"\n");
	write_file(root, "etc/tuned/active_profile", "mine\n");
	write_file(root, "etc/tuned/mine/tuned.conf",
		   "[main]\nsummary=SECRET\ninclude=powersave\n[disk]\n"
		   "devices=SECRET\n[x]\ntype=ssdpm\ndevices=SECRET\n"
		   "lpm=min_power\n");
	write_file(root, "usr/lib/tuned/powersave/tuned.conf",
		   "[scsi_host]\nalpm=medium_power\n");
	path_of(path, "%s/type", mouse);
	write_file(root, path, "Battery\n");
	path_of(copy, "%s/few-copy", scratch);
	capture(root, copy);
	assert_text(copy, rules,
		    "\n\n"
		    "ACTION==\"add\", ENV{ID_SERIAL}==\"??????\", "
		    "ATTRS{wwid}!=\"??????\",ATTR{link_power_management_"
		    "policy}=\"min_power\"\n"
		    "KERNEL==\"nvme0\", RUN+=\"/bin/sh -c 'echo 0 > "
		    "/sys/$devpath/power/pm_qos_latency_tolerance_us'\"\n");
	assert_text(copy, "etc/udev/rules.d/70-other.rules", NULL);
	assert_text(copy, "etc/tlp.conf",
		    "\nSATA_LINKPWR_ON_BAT=\"min_power\"\n");
	assert_text(copy, "proc/version_signature", "Ubuntu 6.1.0-1.1 6.1.9\n");
	assert_text(copy, "etc/tuned/mine/tuned.conf",
		    "[main]\n\ninclude=powersave\n[disk]\n\n"
		    "[x]\ntype=ssdpm\n\nlpm=min_power\n");
	assert_text(copy, mouse, NULL);
	n_files = 0;
	assert_int_equal(nftw(copy, search_one, 16, FTW_PHYS), 0);
	assert_true(n_files > 5);
	remove_copy(root);
	remove_copy(copy);
}

static void a_drive_on_a_network_and_a_mouse_have_no_address(void **state)
{
	static const char mouse[] = "sys/class/power_supply/"
				    "hid-SECRET-battery/type";
	static const char drive[] = "sys/class/nvme/nvme0/address";
	char root[PATH_BYTES], copy[PATH_BYTES];

	(void)state;
	make_machine(root);
	write_file(root, "sys/class/nvme/nvme0/transport", "fc\n");
	write_file(root, drive,
		   "traddr=nn-0xSECRET:pn-0xSECRET,trsvcid=none,"
		   "host_traddr=SECRET,host_iface=enxSECRET,src_addr=SECRET\n");
	write_file(root, mouse, "Battery\n");
	path_of(copy, "%s/few-copy", scratch);
	capture(root, copy);
	assert_text(copy, drive,
		    "traddr=blanked,trsvcid=none,host_traddr=blanked,"
		    "host_iface=blanked,src_addr=blanked\n");
	assert_text(copy, mouse, NULL);
	n_files = 0;
	assert_int_equal(nftw(copy, search_one, 16, FTW_PHYS), 0);
	remove_copy(root);
	remove_copy(copy);
}

#define QUIRK "nvme 0000:04:00.0: platform quirk: setting simple suspend"
#define PROBE "nvme nvme0: pci function 0000:04:00.0\n"

static void assert_log_of(const char *log, size_t n, const char *expected)
{
	char root[PATH_BYTES], copy[PATH_BYTES];

	make_machine(root);
	write_bytes(root, "dev/kmsg", log, n);
	path_of(copy, "%s/copy", scratch);
	capture(root, copy);
	assert_text(copy, "dev/kmsg", expected);
	remove_copy(root);
	remove_copy(copy);
}

static void assert_log(const char *log, const char *expected)
{
	assert_log_of(log, strlen(log), expected);
}

static void what_the_log_says_of_drives_is_in_a_capture_and_no_more(
	void **state)
{
	static const char boot[] =
		"[    0.000000] Linux version 6.1.0 (joe@host) (gcc 12)\n";
	static const char *const lines[] = {
		/* An earlier boot wrote this one. */
		"6,1,1,-;" QUIRK "\n",
		boot,
		"[    0.000000] Command line: root=UUID=SECRET\n",
		"[    1.0] " QUIRK " for joe\n",
		"[    1.0] " PROBE,
		"[    1.1] nvme nvme1: pci function SECRET\n",
		"[    1.1] nvme SECRET_: pci function 0000:05:00.0\n",
		"[    1.2] nvme nvme2: new ctrl: NQN \"nqn.SECRET\"\n",
		/* A program wrote this one. */
		"12,9,9,-;" QUIRK "\n",
		"[    2.0] host SECRET: hello\n",
	};
	char log[1024] = "";

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		strcat(log, lines[i]);
	assert_log(log, "6,0,0,-;Linux version 6.1.0\n"
			"6,0,0,-;" QUIRK "\n6,0,0,-;" PROBE);
	/* Its first lines are lost. */
	assert_log("6,8,1,-;" PROBE, "6,0,0,-;" PROBE);
	/* Nothing of a drive. */
	assert_log(boot, NULL);
}

static void a_line_that_names_something_else_is_in_no_capture(void **state)
{
	static const char *const lines[] = {
		"nvme myhost.example.com: pci function 0000:04:00.0",
		"nvme s4ewnx0r123456: pci function 0000:04:00.0",
		"nvme nvme: pci function 0000:04:00.0",
		"nvme nvme0x: pci function 0000:04:00.0",
		"nvme nvme0: pci function 00:11:22:33:44:55",
		"nvme nvme0: pci function a5ec4e7",
		"nvme nvme0: pci function 0000:04:00.0 a5ec4e7",
		"nvme nvme0: pci function 0000:04:00.0a",
		"nvme nvme0: pci function 000000a5ec4e7:04:00.0",
		"nvme nvme0: pci function :04:00.0",
		"nvme nvme0: pci function 0000:4:00.0",
		"nvme nvme0: pci function 0000:04:00.",
		"nvme nvme0: pci function 0000:04:00.g",
		"nvme a5ec4e7: platform quirk: setting simple suspend",
		"nvme secret: platform quirk: setting simple suspend",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_log(lines[i], NULL);
}

#define BOOT "6,0,0,-;Linux version "
#define LOGGED_QUIRK "6,0,0,-;" QUIRK "\n"
#define LOGGED_PROBE "6,0,0,-;" PROBE
#define RELEASE_64 \
	"6.18.26+a_b~c-0123456789012345678901234567890123456789012345678Z"

/* A part of its line, and no line feed, would hide the next line. */
static void a_release_that_is_none_begins_no_boot(void **state)
{
	(void)state;
	assert_int_equal(strlen(RELEASE_64), 64);
	assert_log(BOOT RELEASE_64 " (a@b)\n" LOGGED_QUIRK,
		   BOOT RELEASE_64 "\n" LOGGED_QUIRK);
	/* The lines before it are of another boot. */
	assert_log(BOOT "6.1.0\n" LOGGED_QUIRK LOGGED_PROBE BOOT RELEASE_64
			"x\n" LOGGED_PROBE,
		   LOGGED_PROBE);
	assert_log(BOOT "6.1/secret\n" LOGGED_QUIRK, LOGGED_QUIRK);
}

/* As ssdpm suspend reads the log of a capture. */
static void a_log_ends_at_a_zero_byte(void **state)
{
	static const char log[] =
		BOOT "6.1.0\n" LOGGED_QUIRK LOGGED_PROBE "\0\n" LOGGED_PROBE;

	(void)state;
	assert_log_of(log, sizeof(log) - 1,
		      BOOT "6.1.0\n" LOGGED_QUIRK LOGGED_PROBE);
}

static void assert_live_log(const char *const *records, const char *expected)
{
	struct ssdpm_machine *machine = NULL;
	char copy[PATH_BYTES];

	path_of(copy, "%s/here", scratch);
	records_set(records);
	assert_int_equal(ssdpm_machine_new(NULL, &machine, NULL), 0);
	assert_int_equal(ssdpm_machine_capture(machine, copy, 0, NULL), 0);
	records_set(NULL);
	assert_text(copy, "dev/kmsg", expected);
	ssdpm_machine_unref(machine);
	remove_copy(copy);
}

static void records_of_this_machine_count_from_the_last_loss_on(void **state)
{
	static const char boot[] = "6,0,0,-;Linux version 6.1.0 (joe@host)\n";
	static const char quirk[] = "6,7,9,-;" QUIRK "\n SUBSYSTEM=pci\n";
	static const char *const all[] = { boot, quirk, "6,8,9,-;" PROBE,
					   NULL };
	static const char *const some[] = { boot, quirk, RECORDS_LOST,
					    "6,8,9,-;" PROBE, NULL };

	(void)state;
	assert_live_log(all, BOOT "6.1.0\n" LOGGED_QUIRK LOGGED_PROBE);
	assert_live_log(some, LOGGED_PROBE);
}

static void a_log_that_is_too_long_is_left_out(void **state)
{
	static const char line[] = "6,8,1,-;" PROBE;
	const size_t n = (64 << 10) / strlen(line) + 2;
	char *log = malloc(n * strlen(line) + 1);

	(void)state;
	assert_non_null(log);
	for (size_t i = 0; i < n; i++)
		strcpy(log + i * strlen(line), line);
	assert_log(log, NULL);
	free(log);
}

static void a_directory_that_is_there_is_left_alone(void **state)
{
	struct ssdpm_error error = fixture_error();
	struct ssdpm_machine *machine;
	char root[PATH_BYTES], path[PATH_BYTES];

	(void)state;
	make_root(root, "laptop");
	machine = open_root(root);
	assert_int_equal(ssdpm_machine_capture(machine, scratch, 0, &error),
			 -EEXIST);
	fixture_assert_error(&error, -EEXIST, 0,
			     "it exists: a capture makes its directory");
	path_of(path, "%s/not/there", scratch);
	assert_int_equal(ssdpm_machine_capture(machine, path, 0, &error),
			 -ENOENT);
	fixture_assert_error(&error, -ENOENT, 0, "not found");
	path_of(path, "%s/new", scratch);
	assert_int_equal(ssdpm_machine_capture(machine, path, 2, &error),
			 -EINVAL);
	assert_int_equal(access(path, F_OK), -1);
	ssdpm_machine_unref(machine);
}

static void a_capture_that_fails_leaves_nothing(void **state)
{
	static const struct {
		const char *name;
		int error;
	} calls[] = { { "write", ENOSPC },
		      { "mkdirat", EDQUOT },
		      { "symlinkat", EROFS },
		      { "openat", EMFILE } };
	char root[PATH_BYTES], copy[PATH_BYTES];
	struct ssdpm_machine *machine;

	(void)state;
	make_root(root, "apst-off");
	path_of(copy, "%s/failed", scratch);
	machine = open_root(root);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		int n = 0, err = -1;

		while (err) {
			struct ssdpm_error error = fixture_error();

			n += 1 + n / 4; /* not each of hundreds */
			fault.left = n;
			fault.error = calls[i].error;
			fault.name = calls[i].name;
			err = ssdpm_machine_capture(machine, copy, 0, &error);
			fault.name = NULL;
			if (!err)
				break;
			assert_int_equal(err, -calls[i].error);
			assert_int_equal(error.code, err);
			assert_int_equal(access(copy, F_OK), -1);
		}
		assert_true(n > 10);
		remove_copy(copy);
	}
	ssdpm_machine_unref(machine);
}

static void short_writes_are_continued(void **state)
{
	char root[PATH_BYTES], copy[PATH_BYTES];

	(void)state;
	make_root(root, "laptop");
	path_of(copy, "%s/short", scratch);
	fault.name = "short";
	capture(root, copy);
	fault.name = NULL;
	assert_same_roots(root, copy);
	remove_copy(copy);
}

static void this_machine_can_be_captured_without_a_command(void **state)
{
	struct ssdpm_machine *machine = NULL;
	struct ssdpm_error error = { .message = "" };
	char copy[PATH_BYTES], path[PATH_BYTES];

	(void)state;
	path_of(copy, "%s/here", scratch);
	assert_int_equal(ssdpm_machine_new(NULL, &machine, NULL), 0);
	if (ssdpm_machine_capture(machine, copy, 0, &error))
		fail_msg("%s", error.message);
	path_of(path, "%s/dumps", copy);
	assert_int_equal(access(path, F_OK), -1);
	path_of(path, "%s/ssdpm-capture", copy);
	assert_int_equal(access(path, F_OK), 0);
	ssdpm_machine_unref(machine);
	remove_copy(copy);
}

static int make_scratch(void **state)
{
	(void)state;
	return mkdtemp(scratch) ? 0 : -1;
}

static int remove_scratch(void **state)
{
	(void)state;
	remove_copy(scratch);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			what_is_read_of_a_capture_is_what_was_read_of_the_machine),
		cmocka_unit_test(
			nothing_that_names_a_drive_or_a_machine_is_in_a_capture),
		cmocka_unit_test(each_secret_of_a_machine_is_taken_out),
		cmocka_unit_test(a_capture_of_a_capture_is_the_same),
		cmocka_unit_test(the_marker_says_what_it_is_and_no_more),
		cmocka_unit_test(the_checksum_of_identify_device_is_mended),
		cmocka_unit_test(
			settings_of_others_are_copied_without_the_rest),
		cmocka_unit_test(
			a_drive_on_a_network_and_a_mouse_have_no_address),
		cmocka_unit_test(
			what_the_log_says_of_drives_is_in_a_capture_and_no_more),
		cmocka_unit_test(
			a_line_that_names_something_else_is_in_no_capture),
		cmocka_unit_test(a_release_that_is_none_begins_no_boot),
		cmocka_unit_test(a_log_ends_at_a_zero_byte),
		cmocka_unit_test(
			records_of_this_machine_count_from_the_last_loss_on),
		cmocka_unit_test(a_log_that_is_too_long_is_left_out),
		cmocka_unit_test(a_directory_that_is_there_is_left_alone),
		cmocka_unit_test(a_capture_that_fails_leaves_nothing),
		cmocka_unit_test(short_writes_are_continued),
		cmocka_unit_test(
			this_machine_can_be_captured_without_a_command),
	};

	return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
