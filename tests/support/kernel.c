/* SPDX-License-Identifier: MIT */
#include "kernel.h"
#include "remove.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct kernel *kernel;
struct ssdpm_machine *kernel_machine;

static char root[64];
static struct kernel booted;
static struct ssdpm_model *models[KERNEL_DRIVES];

static const char *const parameters[KERNEL_PARAMETERS] = {
	"apst_primary_timeout_ms",
	"apst_primary_latency_tol_us",
	"apst_secondary_timeout_ms",
	"apst_secondary_latency_tol_us",
};

static const char *const policies[] = {
	"max_performance",	  "medium_power", "med_power_with_dipm",
	"min_power_with_partial", "min_power",
};

int __real_openat64(int fd, const char *name, int flags, mode_t mode);
int __wrap_openat64(int fd, const char *name, int flags, mode_t mode);
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
ssize_t __real_write(int fd, const void *data, size_t size);
ssize_t __real_read(int fd, void *data, size_t size);
int __real_fsync(int fd);
int __real_fdatasync(int fd);
int __real_renameat(int a, const char *from, int b, const char *to);
int __real_unlinkat(int fd, const char *name, int flags);
int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __real_clock_nanosleep(clockid_t clock, int flags,
			   const struct timespec *span, struct timespec *rest);
ssize_t __wrap_write(int fd, const void *data, size_t size);
ssize_t __wrap_read(int fd, void *data, size_t size);
int __wrap_fsync(int fd);
int __wrap_fdatasync(int fd);
int __wrap_renameat(int a, const char *from, int b, const char *to);
int __wrap_unlinkat(int fd, const char *name, int flags);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
long __real_syscall(long number, long fd, const char *path,
		    const struct open_how *how, size_t size);
long __wrap_syscall(long number, long fd, const char *path,
		    const struct open_how *how, size_t size);
int __wrap_clock_nanosleep(clockid_t clock, int flags,
			   const struct timespec *span, struct timespec *rest);
int __wrap_ssdpm__nvme_get_feature(const struct ssdpm_machine *machine,
				   const char *name, uint8_t fid, void *data,
				   size_t size, uint32_t *ret_dword,
				   struct ssdpm_error *reterr);
int __wrap_ssdpm__nvme_identify(const struct ssdpm_machine *machine,
				const char *name, uint8_t *data,
				struct ssdpm_error *reterr);
int __wrap_ssdpm__nvme_set_feature(const struct ssdpm_machine *machine,
				   const char *name, uint8_t fid,
				   uint32_t dword, struct ssdpm_error *reterr);
int __wrap_ssdpm__nvme_wake(const struct ssdpm_machine *machine,
			    const struct ssdpm_device_facts *facts,
			    struct ssdpm_error *reterr);
int __wrap_ssdpm__nvme_set_apst(const struct ssdpm_machine *machine,
				const char *name,
				const uint8_t data[SSDPM_APST_BYTES],
				bool enable, struct ssdpm_error *reterr);

/* Time advances when the library sleeps, without waiting. */
static uint64_t slept_ns;

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	int result = __real_clock_gettime(clock, now);
	uint64_t ns = (uint64_t)now->tv_nsec + slept_ns;

	now->tv_sec += (time_t)(ns / 1000000000);
	now->tv_nsec = (long)(ns % 1000000000);
	return result;
}

int __wrap_clock_nanosleep(clockid_t clock, int flags,
			   const struct timespec *span, struct timespec *rest)
{
	if (kernel && kernel->real_time)
		return __real_clock_nanosleep(clock, flags, span, rest);
	slept_ns +=
		(uint64_t)span->tv_sec * 1000000000 + (uint64_t)span->tv_nsec;
	return 0;
}

/*
 * Replaces the text as sysfs does: other processes read the old or the new one.
 */
static void put_text(const char *path, const char *text)
{
	char file[512], part[128], *old = kernel_text(path);
	bool same = old && !strcmp(old, text);
	int fd;

	free(old);
	if (same)
		return;
	snprintf(file, sizeof(file), "%s/%s", root, path);
	snprintf(part, sizeof(part), "%s/part-%d", root, getpid());
	fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(__real_write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(rename(part, file), 0);
}

char *kernel_text(const char *path)
{
	char file[512], *text;
	ssize_t n;
	int fd;

	snprintf(file, sizeof(file), "%s/%s", root, path);
	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	text = __real_malloc(1 << 16);
	assert_non_null(text);
	n = __real_read(fd, text, (1 << 16) - 1);
	close(fd);
	assert_true(n >= 0);
	text[n] = '\0';
	return text;
}

static void get_line(const char *path, char *line, size_t size)
{
	char *text = kernel_text(path);

	assert_non_null(text);
	snprintf(line, size, "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
}

/*
 * nvme_configure_apst(): the table that Linux builds from the present values.
 */
static void build(struct kernel_drive *drive, const struct ssdpm_model *model)
{
	struct kernel_values *now = &kernel->now;
	struct ssdpm_apst_params p;

	ssdpm_apst_params_init(&p, sizeof(p));
	if (drive == &now->drives[2])
		p.quirks = SSDPM_QUIRK_NO_DEEPEST_PS; /* Kingston A2000 */
	p.primary_timeout_ms = strtoull(now->parameters[0], NULL, 10);
	p.primary_latency_tolerance_us = strtoull(now->parameters[1], NULL, 10);
	p.secondary_timeout_ms = strtoull(now->parameters[2], NULL, 10);
	p.secondary_latency_tolerance_us =
		strtoull(now->parameters[3], NULL, 10);
	if (drive->tolerance[0] == 'a')
		p.max_exit_latency_us = SSDPM_LATENCY_ANY;
	else
		p.max_exit_latency_us = strtoull(drive->tolerance, NULL, 10);
	assert_int_equal(ssdpm_apst_generate(model, &p, &drive->table, NULL),
			 0);
	if (kernel->other_table)
		drive->table.entries[0].idle_ms += 7;
	drive->n_built++;
}

/* pm_qos_latency_tolerance_us_store() */
static int store_tolerance(size_t i, const char *text)
{
	struct kernel_drive *drive = &kernel->now.drives[i];
	char old[16], *end;
	long value;

	memcpy(old, drive->tolerance, sizeof(old));
	value = strtol(text, &end, 0);
	if (!strcmp(text, "auto") || !strcmp(text, "any"))
		snprintf(drive->tolerance, 16, "%s", text);
	else if (end == text || *end || value < 0 || value > INT32_MAX)
		return EINVAL;
	else if (value == INT32_MAX)
		snprintf(drive->tolerance, 16, "any");
	else
		snprintf(drive->tolerance, 16, "%ld", value);
	if (kernel->ignores)
		memcpy(drive->tolerance, old, sizeof(old));
	if (strcmp(old, drive->tolerance))
		build(drive, models[i]);
	return 0;
}

#define ASPM_POLICY "sys/module/pcie_aspm/parameters/policy"

static const char *const aspm_policies[] = {
	"default",
	"performance",
	"powersave",
	"powersupersave",
};

enum { N_ASPM_POLICIES = sizeof(aspm_policies) / sizeof(aspm_policies[0]) };

/* policy_to_aspm_state(): "default" is what the firmware has set. */
static uint32_t allowed_by_policy(const struct kernel_drive *of_firmware)
{
	const char *policy = kernel->now.aspm_policy;

	if (!strcmp(policy, "performance"))
		return 0;
	if (!strcmp(policy, "powersave"))
		return SSDPM_PCIE_FEATURE_CLKPM | SSDPM_PCIE_FEATURE_L0S |
		       SSDPM_PCIE_FEATURE_L1;
	return !strcmp(policy, "powersupersave") ?
		       UINT32_MAX :
		       of_firmware->allowed & ~kernel->firmware_forbids;
}

/* pcie_aspm_set_policy() in drivers/pci/pcie/aspm.c */
static int store_aspm_policy(const char *text)
{
	int i = 0;

	if (kernel->keeps_aspm)
		return EPERM;
	while (i < N_ASPM_POLICIES && strcmp(text, aspm_policies[i]))
		i++;
	if (i == N_ASPM_POLICIES)
		return EINVAL;
	if (kernel->ignores)
		return 0;
	snprintf(kernel->now.aspm_policy, sizeof(kernel->now.aspm_policy), "%s",
		 text);
	for (i = 0; i < KERNEL_DRIVES; i++)
		kernel->now.drives[i].allowed =
			allowed_by_policy(&booted.now.drives[i]);
	return 0;
}

/* A policy that is not among these is a newer kernel's. */
static void write_aspm_policy(void)
{
	const char *now = kernel->now.aspm_policy;
	bool is_known = false;
	char text[128];
	size_t n = 0;

	if (!*now)
		return; /* it has none */
	for (int i = 0; i < N_ASPM_POLICIES; i++) {
		const bool is_now = !strcmp(now, aspm_policies[i]);

		is_known = is_known || is_now;
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      is_now ? "[%s] " : "%s ",
				      aspm_policies[i]);
	}
	snprintf(text + n, sizeof(text) - n, is_known ? "\n" : "[%s]\n", now);
	put_text(ASPM_POLICY, text);
}

enum { ALPE = 1 << 26, ASP = 1 << 27, CMD = 0xc017 };

/* ahci_set_lpm(): two policies leave ASP unchanged. */
static void handle_error(struct kernel_port *port)
{
	snprintf(port->applied, sizeof(port->applied), "%s", port->policy);
	if (!port->hipm || !strcmp(port->policy, policies[0]))
		port->bits = 0;
	else if (!strcmp(port->policy, policies[4]))
		port->bits = ALPE | ASP;
	else if (!strcmp(port->policy, policies[3]))
		port->bits = ALPE;
	else
		port->bits |= ALPE;
}

static void write_port(const struct kernel_port *port, bool busy)
{
	char path[400], text[40];

	snprintf(path, sizeof(path), "%s/%s", root, port->path);
	if (access(path, F_OK))
		return; /* it is gone */
	snprintf(path, sizeof(path), "%s/ahci_port_cmd", port->path);
	snprintf(text, sizeof(text), "%x\n", CMD | port->bits);
	put_text(path, text);
	snprintf(path, sizeof(path), "%s/state", port->path);
	put_text(path, busy ? "recovery\n" : "running\n");
	snprintf(path, sizeof(path), "%s/link_power_management_policy",
		 port->path);
	snprintf(text, sizeof(text), "%s\n", port->policy);
	put_text(path, text);
}

/* ata_scsi_lpm_store(): the first name that the text begins with. */
static int store_policy(size_t index, const char *text)
{
	struct kernel_port *port = &kernel->now.ports[index];
	int i;

	for (i = 0; i < kernel->knows; i++)
		if (!strncmp(text, policies[i], strlen(policies[i])))
			break;
	if (i == kernel->knows)
		return EINVAL;
	if (kernel->unsupported & 1u << index)
		return EOPNOTSUPP;
	if (kernel->ignores)
		return 0;
	snprintf(port->policy, sizeof(port->policy), "%s", policies[i]);
	port->pending = kernel->pending;
	if (!port->pending)
		handle_error(port);
	return 0;
}

static void look_at_state(struct kernel_port *port)
{
	char path[400], away[400];

	if (!port->pending)
		return;
	if (kernel->dies & 1u << (port - kernel->now.ports)) {
		snprintf(path, sizeof(path), "%s/%s", root, port->path);
		snprintf(away, sizeof(away), "%s/gone", root);
		assert_int_equal(rename(path, away), 0);
		return;
	}
	if (!kernel->deaf && !--port->pending)
		handle_error(port);
	write_port(port,
		   port->pending && (!kernel->starts_late ||
				     port->pending < kernel->pending - 1));
}

/*
 * The directory of nvme1, or its part that goes first. nvme_uninit_ctrl()
 * removes the latency tolerance after the state has changed.
 */
static void part_that_goes(char path[400], char away[400])
{
	const char *file = booted.now.drives[KERNEL_REMOVED].path;
	size_t n = strlen(file) - strlen("/power/pm_qos_latency_tolerance_us");

	snprintf(path, 400, "%s/%.*s%s", root, (int)n, file,
		 kernel->going ? "/power" : "");
	snprintf(away, 400, "%s/removed", root);
}

static void write_state(const char *text)
{
	put_text("sys/class/nvme/nvme1/state", text);
}

/*
 * A running kernel has events, which a capture lacks; here the drive has no
 * such file.
 */
#define EVENTS "sys/kernel/uevent_seqnum"

static void remove_file(const char *file)
{
	char path[400];

	snprintf(path, sizeof(path), "%s/%s", root, file);
	assert_int_equal(unlink(path), 0);
}

/* Its folder still exists, without any file. */
static void empty_drive(void)
{
	char folder[400];

	snprintf(folder, sizeof(folder), "%s/sys/kernel", root);
	assert_true(!mkdir(folder, 0755) || errno == EEXIST);
	remove_file("sys/class/nvme/nvme1/state");
	put_text(EVENTS, "7\n");
}

static void remove_drive(void)
{
	char path[400], away[400];

	if (kernel->going && !*kernel->going)
		empty_drive();
	else if (kernel->going)
		write_state(kernel->going);
	part_that_goes(path, away);
	assert_int_equal(rename(path, away), 0);
	kernel->is_removed = true;
}

static void plug_in_again(void)
{
	char path[400], away[400];

	if (!kernel->is_removed)
		return;
	part_that_goes(path, away);
	assert_int_equal(rename(away, path), 0);
	write_state("live\n");
	if (kernel->going && !*kernel->going)
		remove_file(EVENTS);
}

#define SUBSTATES                                            \
	(SSDPM_PCIE_FEATURE_L1_1 | SSDPM_PCIE_FEATURE_L1_2 | \
	 SSDPM_PCIE_FEATURE_L1_1_PCIPM | SSDPM_PCIE_FEATURE_L1_2_PCIPM)

/* pcie_config_aspm_link(): no substate without L1 */
uint32_t kernel_link(const struct kernel_drive *drive)
{
	const uint32_t link =
		drive->allowed & drive->capable & ~drive->link_off;

	return link & SSDPM_PCIE_FEATURE_L1 ? link : link & ~SUBSTATES;
}

/* kstrtobool() */
static int take_bool(const char *text, bool *ret)
{
	const char word = *text == 'o' || *text == 'O' ? text[1] : *text;

	if (!word || !strchr(word == *text ? "yYtT1nNfF0" : "nNfF", word))
		return EINVAL;
	*ret = word == *text ? strchr("yYtT1", word) != NULL :
			       word == 'n' || word == 'N';
	return 0;
}

/* aspm_attr_store_common() in drivers/pci/pcie/aspm.c */
static int store_link(struct kernel_drive *drive, const char *name,
		      const char *text)
{
	const uint32_t feature = ssdpm__link_feature(name);
	bool on;

	assert_true(drive->capable & feature);
	if (take_bool(text, &on))
		return EINVAL;
	if (kernel->ignores)
		return 0;
	if (on) {
		drive->link_off &= ~feature;
		if (feature & SUBSTATES)
			drive->link_off &= ~(uint32_t)SSDPM_PCIE_FEATURE_L1;
	} else {
		drive->link_off |= feature;
		/* Linux 6.7 and later */
		if (feature == SSDPM_PCIE_FEATURE_L1 && !kernel->link_is_old)
			drive->link_off |= SUBSTATES;
	}
	return 0;
}

static void write_link(const struct kernel_drive *drive)
{
	char path[320];

	for (uint32_t bit = 1; ssdpm__link_file(bit); bit <<= 1) {
		if (!(drive->capable & bit))
			continue;
		snprintf(path, sizeof(path), "%s/%s", drive->link,
			 ssdpm__link_file(bit) + strlen("link/"));
		put_text(path, kernel_link(drive) & bit ? "1\n" : "0\n");
	}
}

void kernel_sync(void)
{
	struct kernel_values *now = &kernel->now;
	char path[300], text[40];

	for (size_t i = 0; i < KERNEL_PARAMETERS; i++) {
		snprintf(path, sizeof(path),
			 "sys/module/nvme_core/parameters/%s", parameters[i]);
		snprintf(text, sizeof(text), "%s\n", now->parameters[i]);
		put_text(path, text);
	}
	write_aspm_policy();
	for (size_t i = 0; i < KERNEL_DRIVES; i++) {
		snprintf(text, sizeof(text), "%s\n", now->drives[i].tolerance);
		if (now->drives[i].path[0] &&
		    (i != KERNEL_REMOVED || !kernel->is_removed))
			put_text(now->drives[i].path, text);
		if (i != KERNEL_REMOVED || !kernel->is_removed)
			write_link(&now->drives[i]);
		if (now->drives[i].d3cold_path[0])
			put_text(now->drives[i].d3cold_path,
				 now->drives[i].d3cold ? "1\n" : "0\n");
	}
	for (size_t i = 0; i < KERNEL_PORTS; i++) {
		write_port(&now->ports[i], now->ports[i].pending);
		snprintf(text, sizeof(text), "%s\n", now->ports[i].depth);
		if (now->ports[i].disk[0])
			put_text(now->ports[i].disk, text);
	}
}

/* The path of a descriptor below the root; false: elsewhere. */
static bool find_path(int fd, char path[512])
{
	char link[64], real[512];
	size_t n = strlen(root);
	ssize_t size;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	size = readlink(link, real, sizeof(real) - 1);
	if (!n || size < 0)
		return false;
	real[size] = '\0';
	if (strncmp(real, root, n) || real[n] != '/')
		return false;
	snprintf(path, 512, "%s", real + n + 1);
	return true;
}

/* Counts a call. Return: whether it fails with kernel->error. */
static bool goes_wrong(int call)
{
	if (!(kernel->mask & call) ||
	    (kernel->victim && kernel->victim != getpid()))
		return false;
	kernel->n_calls++;
	if (kernel->n_calls == kernel->kill_at)
		/* Not _exit(): valgrind looks for leaks there. */
		raise(SIGKILL);
	if (kernel->n_calls == kernel->remove_at)
		remove_drive();
	return kernel->fail_at &&
	       (kernel->n_calls == kernel->fail_at ||
		(kernel->for_ever && kernel->n_calls > kernel->fail_at));
}

/* A file of sysfs is not truncated when it is opened. */
long __wrap_syscall(long number, long fd, const char *path,
		    const struct open_how *how, size_t size)
{
	struct open_how changed;

	if (number != SYS_openat2 || !kernel || strncmp(path, "sys/", 4))
		return __real_syscall(number, fd, path, how, size);
	changed = *how;
	changed.flags &= ~(uint64_t)O_TRUNC;
	return __real_syscall(number, fd, path, &changed, size);
}

/* Without openat2(), as under valgrind, neither. */
int __wrap_openat64(int fd, const char *name, int flags, mode_t mode)
{
	return __real_openat64(fd, name, kernel ? flags & ~O_TRUNC : flags,
			       mode);
}

/* A file that was open when its drive went. */
static bool leads_nowhere(int fd)
{
	char path[512];

	return kernel->is_removed && find_path(fd, path) &&
	       !strncmp(path, "removed/", strlen("removed/"));
}

static bool out_of_memory(void)
{
	if (!kernel || !goes_wrong(KERNEL_MEMORY))
		return false;
	errno = ENOMEM;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return out_of_memory() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return out_of_memory() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return out_of_memory() ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *text)
{
	return out_of_memory() ? NULL : __real_strdup(text);
}

/*
 * sdev_store_queue_depth() in drivers/scsi/scsi_sysfs.c and
 * ata_change_queue_depth() in drivers/ata/libata-sata.c
 */
static int store_depth(struct kernel_port *port, const char *text)
{
	const long depth = strtol(text, NULL, 0);
	const int most = kernel->max_depth ? kernel->max_depth : 32;

	if (depth < 1 || depth > 32)
		return EINVAL;
	snprintf(port->depth, sizeof(port->depth), "%d",
		 depth > most ? most : (int)depth);
	return 0;
}

/* d3cold_allowed_store() in drivers/pci/pci-sysfs.c */
static int store_d3cold(struct kernel_drive *drive, const char *text)
{
	char *end;
	const unsigned long value = strtoul(text, &end, 0);

	if (end == text || *end)
		return EINVAL;
	if (!kernel->ignores)
		drive->d3cold = value;
	return 0;
}

static int store(const char *path, const char *text)
{
	struct kernel_values *now = &kernel->now;
	const char *name = strrchr(path, '/') + 1;

	if (!strcmp(path, ASPM_POLICY))
		return store_aspm_policy(text);

	for (size_t i = 0; i < KERNEL_DRIVES; i++) {
		struct kernel_drive *drive = &now->drives[i];

		if (!strcmp(path, drive->path))
			return store_tolerance(i, text);
		if (drive->link[0] &&
		    !strncmp(path, drive->link, strlen(drive->link)))
			return store_link(drive, name, text);
		if (!strcmp(path, drive->d3cold_path))
			return store_d3cold(drive, text);
	}
	for (size_t i = 0; i < KERNEL_PORTS; i++)
		if (!strcmp(path, now->ports[i].disk))
			return store_depth(&now->ports[i], text);
	for (size_t i = 0; i < KERNEL_PORTS; i++)
		if (!strncmp(path, now->ports[i].path,
			     strlen(now->ports[i].path)) &&
		    path[strlen(now->ports[i].path)] == '/')
			return store_policy(i, text);
	for (size_t i = 0; i < KERNEL_PARAMETERS; i++)
		if (!strcmp(name, parameters[i])) {
			snprintf(now->parameters[i], 16, "%.15s", text);
			return 0;
		}
	fail_msg("%s is written", path);
	return EIO;
}

ssize_t __wrap_write(int fd, const void *data, size_t size)
{
	char path[512], text[64];
	int error;

	if (!kernel || !find_path(fd, path))
		return __real_write(fd, data, size);
	if (strncmp(path, "sys/", 4)) {
		if (!goes_wrong(KERNEL_LOG))
			return __real_write(fd, data, size);
		errno = kernel->error;
		return kernel->error ? -1 : __real_write(fd, data, size / 2);
	}
	kernel->n_writes++;
	assert_true(size < sizeof(text));
	snprintf(text, sizeof(text), "%.*s", (int)size, (const char *)data);
	/* kstrtoint() and sysfs_streq() take a line feed. */
	text[strcspn(text, "\n")] = '\0';
	if (goes_wrong(KERNEL_WRITE)) {
		if (kernel->leaves)
			store(path, kernel->leaves);
		kernel_sync();
		errno = kernel->error;
		return kernel->error ? -1 : (ssize_t)size - 1;
	}
	error = leads_nowhere(fd) ? ENODEV : store(path, text);
	kernel_sync();
	errno = error;
	return error ? -1 : (ssize_t)size;
}

ssize_t __wrap_read(int fd, void *data, size_t size)
{
	char path[512];

	if (!kernel || !find_path(fd, path) || strncmp(path, "sys/", 4))
		return __real_read(fd, data, size);
	if (goes_wrong(KERNEL_READ)) {
		errno = kernel->error ? kernel->error : EIO;
		return -1;
	}
	if (leads_nowhere(fd)) {
		errno = ENODEV;
		return -1;
	}
	for (size_t i = 0; i < KERNEL_PORTS; i++) {
		struct kernel_port *port = &kernel->now.ports[i];
		size_t n = strlen(port->path);

		if (!strncmp(path, port->path, n) &&
		    !strcmp(path + n, "/state") && !lseek(fd, 0, SEEK_CUR))
			look_at_state(port);
	}
	return __real_read(fd, data, size);
}

int __wrap_fsync(int fd)
{
	if (kernel && goes_wrong(KERNEL_SYNC)) {
		errno = kernel->error ? kernel->error : EIO;
		return -1;
	}
	return kernel ? 0 : __real_fsync(fd); /* no power is cut here */
}

int __wrap_fdatasync(int fd)
{
	if (kernel && goes_wrong(KERNEL_SYNC)) {
		errno = kernel->error ? kernel->error : EIO;
		return -1;
	}
	return kernel ? 0 : __real_fdatasync(fd);
}

int __wrap_renameat(int a, const char *from, int b, const char *to)
{
	if (kernel && goes_wrong(KERNEL_NAME)) {
		errno = kernel->error ? kernel->error : EIO;
		return -1;
	}
	return __real_renameat(a, from, b, to);
}

int __wrap_unlinkat(int fd, const char *name, int flags)
{
	if (kernel && goes_wrong(KERNEL_NAME)) {
		errno = kernel->error ? kernel->error : EIO;
		return -1;
	}
	return __real_unlinkat(fd, name, flags);
}

static struct kernel_drive *named(const char *name)
{
	return &kernel->now.drives[name[strlen(name) - 1] - '0'];
}

static int refuse(struct ssdpm_error *reterr, int code, const char *name)
{
	if (!reterr)
		return code;
	memset(reterr, 0, sizeof(*reterr));
	reterr->code = code;
	snprintf(reterr->message, sizeof(reterr->message),
		 "%s: Linux refuses it", name);
	return code;
}

/* Its commands end like those of a drive that is being reset. */
static bool has_gone(const char *name)
{
	return kernel->is_removed &&
	       named(name) == &kernel->now.drives[KERNEL_REMOVED];
}

/* The state of a drive that sleeps is the last one. */
static uint32_t get_power(const char *name, uint8_t fid)
{
	const struct kernel_drive *drive = named(name);
	size_t n;

	if (fid == 0x11)
		return drive->nopp;
	if (fid != 0x02)
		return 0;
	ssdpm_model_get_states(models[name[strlen(name) - 1] - '0'], &n);
	return drive->asleep ? (drive->power & ~31u) | (uint32_t)(n - 1) :
			       drive->power;
}

int __wrap_ssdpm__nvme_get_feature(const struct ssdpm_machine *machine,
				   const char *name, uint8_t fid, void *data,
				   size_t size, uint32_t *ret_dword,
				   struct ssdpm_error *reterr)
{
	(void)machine;
	assert_non_null(memchr("\x0c\x02\x11\x10\x23\x25", fid, 6));
	assert_int_equal(size, fid == 0x0c ? SSDPM_APST_BYTES : 0);
	if (kernel->features_error)
		return refuse(reterr, -kernel->features_error, name);
	if (goes_wrong(KERNEL_READ) || has_gone(name))
		return refuse(reterr, kernel->error ? -kernel->error : -EIO,
			      name);
	if (fid != 0x0c) {
		*ret_dword = get_power(name, fid);
		return 0;
	}
	assert_int_equal(ssdpm_apst_encode(&named(name)->table, data, NULL), 0);
	*ret_dword = named(name)->table.enabled;
	return 0;
}

enum { CTRATT = 96 };

int __wrap_ssdpm__nvme_identify(const struct ssdpm_machine *machine,
				const char *name, uint8_t *data,
				struct ssdpm_error *reterr)
{
	char path[128];
	int fd;

	(void)machine;
	if (kernel->features_error)
		return refuse(reterr, -kernel->features_error, name);
	if (goes_wrong(KERNEL_READ) || has_gone(name))
		return refuse(reterr, kernel->error ? -kernel->error : -EIO,
			      name);
	snprintf(path, sizeof(path), "%s/dumps/%s.identify", root, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(__real_read(fd, data, SSDPM_NVME_IDENTIFY_BYTES),
			 SSDPM_NVME_IDENTIFY_BYTES);
	close(fd);
	data[CTRATT] = kernel->no_nopp ? 0 : 1 << 1;
	return 0;
}

int __wrap_ssdpm__nvme_set_feature(const struct ssdpm_machine *machine,
				   const char *name, uint8_t fid,
				   uint32_t dword, struct ssdpm_error *reterr)
{
	struct kernel_drive *drive = named(name);

	(void)machine;
	kernel->n_writes++;
	if (kernel->refuses_power)
		return refuse(reterr, -EACCES, name);
	if (goes_wrong(KERNEL_WRITE) || has_gone(name))
		return refuse(reterr, kernel->error ? -kernel->error : -EIO,
			      name);
	if (kernel->power_status) {
		refuse(reterr, -EIO, name);
		if (reterr)
			reterr->nvme_status = (uint32_t)kernel->power_status;
		return -EIO;
	}
	assert_true(fid == 0x02 || fid == 0x11);
	if (kernel->ignores)
		return 0;
	if (fid == 0x11)
		drive->nopp = dword;
	else
		drive->power = dword;
	drive->asleep = kernel->falls_asleep;
	return 0;
}

int __wrap_ssdpm__nvme_wake(const struct ssdpm_machine *machine,
			    const struct ssdpm_device_facts *facts,
			    struct ssdpm_error *reterr)
{
	(void)machine;
	if (goes_wrong(KERNEL_READ))
		return refuse(reterr, kernel->error ? -kernel->error : -EIO,
			      facts->name);
	named(facts->name)->asleep = kernel->sleeps_on;
	return 0;
}

int __wrap_ssdpm__nvme_set_apst(const struct ssdpm_machine *machine,
				const char *name,
				const uint8_t data[SSDPM_APST_BYTES],
				bool enable, struct ssdpm_error *reterr)
{
	(void)machine;
	kernel->n_writes++;
	if (kernel->refuses_table || goes_wrong(KERNEL_WRITE)) {
		return refuse(reterr, -EACCES, name);
	}
	assert_int_equal(ssdpm_apst_from_data(data, SSDPM_APST_BYTES,
					      &named(name)->table, NULL),
			 0);
	named(name)->table.enabled = enable;
	return 0;
}

/* All that the link of this controller is capable of. */
static void find_link(struct kernel_drive *drive, const char *controller)
{
	char link[512], real[PATH_MAX];

	snprintf(link, sizeof(link), "%s/%s/device/link", root, controller);
	if (!realpath(link, real))
		return;
	snprintf(drive->link, 256, "%.255s", real + strlen(root) + 1);
	drive->allowed = UINT32_MAX;
	for (uint32_t bit = 1; ssdpm__link_file(bit); bit <<= 1) {
		char file[PATH_MAX + 32], line[8];

		snprintf(file, sizeof(file), "%s/%s", drive->link,
			 ssdpm__link_file(bit) + strlen("link/"));
		snprintf(link, sizeof(link), "%s/%.400s", root, file);
		if (access(link, F_OK))
			continue;
		drive->capable |= bit;
		get_line(file, line, sizeof(line));
		if (*line == '0')
			drive->allowed &= ~bit;
	}
}

static void find_d3cold(struct kernel_drive *drive, const char *controller)
{
	char file[512], real[PATH_MAX], line[8];

	snprintf(file, sizeof(file), "%s/%s/device/d3cold_allowed", root,
		 controller);
	if (!realpath(file, real))
		return;
	snprintf(drive->d3cold_path, 256, "%.255s", real + strlen(root) + 1);
	get_line(drive->d3cold_path, line, sizeof(line));
	drive->d3cold = *line == '1';
}

/* A capture has no queue_depth: nothing but a plan asks for it. */
static void find_disk(struct kernel_port *port, int host)
{
	char link[512], real[PATH_MAX];

	snprintf(link, sizeof(link), "%s/sys/class/block/sd%c/device", root,
		 'a' + host);
	if (!realpath(link, real))
		return;
	snprintf(port->disk, 256, "%.240s/queue_depth",
		 real + strlen(root) + 1);
	strcpy(port->depth, "32");
}

static void find_files(void)
{
	struct kernel_values *now = &kernel->now;
	char link[512], real[PATH_MAX], path[320];
	size_t n = strlen(root) + 1;

	for (int i = 0; i < KERNEL_DRIVES; i++) {
		snprintf(link, sizeof(link), "%s/sys/class/nvme/nvme%d", root,
			 i);
		assert_non_null(realpath(link, real));
		snprintf(path, sizeof(path),
			 "%.250s/power/pm_qos_latency_tolerance_us", real + n);
		snprintf(link, sizeof(link), "%s/%s", root, path);
		if (!access(link, F_OK)) {
			snprintf(now->drives[i].path, 256, "%.255s", path);
			get_line(path, now->drives[i].tolerance, 16);
		}
		find_link(&now->drives[i], real + n);
		find_d3cold(&now->drives[i], real + n);
	}
	strcpy(now->aspm_policy, "default");
	for (int i = 0; i < KERNEL_PORTS; i++) {
		struct kernel_port *port = &now->ports[i];

		snprintf(link, sizeof(link), "%s/sys/class/scsi_host/host%d",
			 root, i);
		assert_non_null(realpath(link, real));
		snprintf(port->path, sizeof(port->path), "%s", real + n);
		snprintf(path, sizeof(path), "%s/link_power_management_policy",
			 port->path);
		get_line(path, port->policy, sizeof(port->policy));
		memcpy(port->applied, port->policy, sizeof(port->policy));
		find_disk(port, i);
	}
	for (int i = 0; i < KERNEL_PARAMETERS; i++) {
		snprintf(path, sizeof(path),
			 "sys/module/nvme_core/parameters/%s", parameters[i]);
		get_line(path, now->parameters[i], 16);
	}
}

static void copy(const char *capture)
{
	const char *folder = getenv("SSDPM_CAPTURES");
	char command[512];

	assert_non_null(folder);
	/* ext4 flushes a file that was truncated: thousands of times here. */
	snprintf(root, sizeof(root), "%s/ssdpm-plan-XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	assert_non_null(mkdtemp(root));
	snprintf(command, sizeof(command), "cp -a '%s/%s/.' '%s'", folder,
		 capture, root);
	assert_int_equal(system(command), 0);
}

int kernel_setup(void **state)
{
	struct ssdpm_machine_params params = { .size = sizeof(params) };
	struct ssdpm_device *device;

	(void)state;
	copy("eight-drives");
	kernel = mmap(NULL, sizeof(*kernel), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(kernel, MAP_FAILED);
	params.root = root;
	assert_int_equal(ssdpm_machine_new(&params, &kernel_machine, NULL), 0);
	find_files();
	kernel->knows = 5;
	kernel->pending = 2;
	for (int i = 0; i < KERNEL_DRIVES; i++) {
		char name[16];

		snprintf(name, sizeof(name), "nvme%d", i);
		device = kernel_device(name);
		assert_int_equal(ssdpm_device_read_model(device, 0, NULL,
							 &models[i], NULL),
				 0);
		ssdpm_device_unref(device);
		build(&kernel->now.drives[i], models[i]);
	}
	kernel->now.ports[1].hipm = true;
	kernel->now.ports[1].bits = ALPE;
	kernel_sync();
	booted = *kernel;
	kernel_machine->capture = 0; /* a live one, with its root elsewhere */
	return 0;
}

int kernel_teardown(void **state)
{
	(void)state;
	kernel_machine = ssdpm_machine_unref(kernel_machine);
	for (int i = 0; i < KERNEL_DRIVES; i++)
		models[i] = ssdpm_model_unref(models[i]);
	munmap(kernel, sizeof(*kernel));
	kernel = NULL;
	assert_int_equal(remove_tree(root), 0);
	root[0] = '\0';
	return 0;
}

const char *kernel_root(void)
{
	return root;
}

void kernel_reset(void)
{
	char path[400], away[128];

	for (int i = 0; i < KERNEL_PORTS; i++) {
		snprintf(path, sizeof(path), "%s/%s", root,
			 booted.now.ports[i].path);
		snprintf(away, sizeof(away), "%s/gone", root);
		if (kernel->dies & 1u << i && access(path, F_OK))
			assert_int_equal(rename(away, path), 0);
	}
	plug_in_again();
	*kernel = booted;
	kernel_sync();
	snprintf(path, sizeof(path), "%s/run", root);
	remove_tree(path);
}

int kernel_between(void **state)
{
	(void)state;
	kernel_reset();
	return 0;
}

void kernel_calm(void)
{
	kernel->mask = 0;
	kernel->fail_at = 0;
	kernel->kill_at = 0;
	kernel->n_calls = 0;
	kernel->for_ever = false;
	kernel->victim = 0;
}

bool kernel_same(const struct kernel_values *a, const struct kernel_values *b)
{
	bool same = !strcmp(a->aspm_policy, b->aspm_policy);

	for (int i = 0; i < KERNEL_DRIVES; i++) {
		const struct kernel_drive *x = &a->drives[i];
		const struct kernel_drive *y = &b->drives[i];

		same = same && !strcmp(x->tolerance, y->tolerance) &&
		       x->power == y->power && x->nopp == y->nopp &&
		       x->d3cold == y->d3cold &&
		       kernel_link(x) == kernel_link(y) &&
		       !memcmp(&x->table, &y->table, sizeof(x->table));
	}
	for (int i = 0; i < KERNEL_PORTS; i++) {
		const struct kernel_port *x = &a->ports[i];
		const struct kernel_port *y = &b->ports[i];

		same = same && !strcmp(x->policy, y->policy) &&
		       !strcmp(x->applied, y->applied) && x->bits == y->bits &&
		       !strcmp(x->depth, y->depth);
	}
	for (int i = 0; i < KERNEL_PARAMETERS; i++)
		same = same && !strcmp(a->parameters[i], b->parameters[i]);
	return same;
}

void kernel_set_tolerance(int drive, const char *value)
{
	assert_int_equal(store_tolerance((size_t)drive, value), 0);
	kernel_sync();
}

struct ssdpm_device *kernel_device(const char *name)
{
	struct ssdpm_device *device;
	struct ssdpm_error error;

	if (ssdpm_device_read(kernel_machine, name, &device, &error))
		fail_msg("%s", error.message);
	return device;
}

struct ssdpm_model *kernel_model(int drive)
{
	return models[drive];
}

const struct ssdpm_plan_params kernel_strict = {
	.size = sizeof(kernel_strict),
	.flags = SSDPM_PLAN_STRICT,
};

struct ssdpm_plan *kernel_plan(void)
{
	return kernel_plan_of(SSDPM_PLAN_STRICT);
}

struct ssdpm_plan *kernel_plan_of(uint32_t flags)
{
	const struct ssdpm_plan_params params = {
		.size = sizeof(params),
		.flags = flags,
	};
	struct ssdpm_plan *plan;

	assert_int_equal(ssdpm_plan_new(kernel_machine, &params, &plan, NULL),
			 0);
	return plan;
}

struct ssdpm_plan *kernel_plan_revert(void)
{
	struct ssdpm_plan *plan = kernel_plan();

	assert_int_equal(ssdpm_plan_add_revert(plan, NULL), 0);
	kernel_read(plan);
	return plan;
}

struct ssdpm_plan *kernel_plan_applied(void)
{
	struct ssdpm_plan *plan = kernel_plan();

	assert_int_equal(ssdpm_plan_add_applied(plan, NULL, NULL), 0);
	kernel_read(plan);
	return plan;
}

void kernel_assert_nothing_kept(void)
{
	struct ssdpm_plan *plan = kernel_plan_revert();

	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL), 0);
	ssdpm_plan_free(plan);
}

struct ssdpm_step kernel_step(const struct ssdpm_plan *plan, size_t i)
{
	struct ssdpm_step step = { .size = sizeof(step) };

	assert_int_equal(ssdpm_plan_get_step(plan, i, &step), 0);
	return step;
}

void kernel_read(struct ssdpm_plan *plan)
{
	struct ssdpm_error error;

	if (ssdpm_plan_read(plan, &error))
		fail_msg("%s", error.message);
}

void kernel_commit(struct ssdpm_plan *plan)
{
	struct ssdpm_error error;

	if (ssdpm_plan_commit(plan, &error))
		fail_msg("%s", error.message);
}

void kernel_assert_fails(int err, const struct ssdpm_error *error, int code,
			 const char *fragment)
{
	assert_int_equal(err, code);
	fixture_assert_error(error, code, 0, fragment);
}

void kernel_commit_fails(struct ssdpm_plan *plan, int code,
			 const char *fragment)
{
	struct ssdpm_error error;

	kernel_assert_fails(ssdpm_plan_commit(plan, &error), &error, code,
			    fragment);
}

int kernel_run_and_kill(int n, int (*run)(void *data), void *data)
{
	int status;
	pid_t child;

	kernel->mask = KERNEL_CHANGES;
	kernel->n_calls = 0;
	kernel->kill_at = n;
	child = fork();
	assert_true(child >= 0);
	if (!child)
		_exit(run(data));
	assert_int_equal(waitpid(child, &status, 0), child);
	kernel_calm();
	kernel_sync();
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return -1;
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

int kernel_recover(struct ssdpm_machine *machine, size_t *ret_n,
		   struct ssdpm_error *reterr)
{
	const struct ssdpm_plan_params params = {
		.size = sizeof(params),
		.flags = SSDPM_PLAN_STRICT,
	};
	struct ssdpm_journal journal = { .size = sizeof(journal) };
	struct ssdpm_plan *plan;
	int err;

	err = ssdpm_plan_new(machine, &params, &plan, reterr);
	if (err)
		return err;
	err = ssdpm_plan_lock(plan, reterr);
	if (!err)
		assert_int_equal(ssdpm_plan_get_journal(plan, &journal), 0);
	if (!err && ret_n)
		*ret_n = journal.n_undone;
	ssdpm_plan_free(plan);
	return err;
}
