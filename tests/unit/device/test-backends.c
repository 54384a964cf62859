/* SPDX-License-Identifier: MIT */
/*
 * Live commands, one by one: the bytes sent, and the errors reported. Mocks
 * replace the libraries and the kernel; test-live.c has the real ones.
 */
#include "fixture.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <scsi/sg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#if HAVE_LIBNVME
#include <libnvme.h>
#endif
#if HAVE_LIBATASMART
#include <atasmart.h>
#endif

#include "device/internal.h"

#define LOG_BYTES 512

static const struct ssdpm_machine live;
static const struct ssdpm_machine capture = { .capture = 2 };

/* The world's answers and observations; all zero before each test. */
static struct world {
	int open_errno;
	bool no_library;
	const char *missing; /* a function missing from the library */
	int result;	     /* of the command: a status, or -1 with error */
	int error;
	const char *namespace;
	int list_error;
	const char *removal; /* the drive's state in sysfs */
	char asked_for[64];  /* where it was looked up */
	bool get_works;	     /* Get Features succeeds despite result */

	char path[64];
	int flags;
	int n_open, n_closed, n_loaded, n_unloaded, n_commands;
	char log[256];
	uint8_t save, fid, cns;
	uint32_t dword11;
	uint8_t data[SSDPM_APST_BYTES];

	const uint8_t *blob;
	size_t blob_bytes;
	bool status_asked;

	struct sg_io_hdr io; /* status and so on to answer with */
	uint8_t cdbs[4][16]; /* that were sent, in this order */
	uint8_t sense[32];
	uint8_t page[LOG_BYTES];
	/* The same for CHECK POWER MODE. */
	struct sg_io_hdr mode_io;
	uint8_t mode_sense[32];
	int mode_error;
	bool awake; /* libatasmart's answer */
	int awake_error;
} world;

/* ATA PASS-THROUGH(16), as SAT-3 has it. */
static const uint8_t check_power_mode[16] = { 0x85, 3 << 1, 0x20, [14] = 0xe5 };
static const uint8_t identify_device[16] = { 0x85, 4 << 1,
					     0x0e, [6] = 1, [14] = 0xec };
static const uint8_t read_log_ext[16] = {
	0x85, 4 << 1 | 1, 0x0e, [6] = 1, [8] = 0x30, [10] = 8, [14] = 0x2f
};

/* As libata answers where CK_COND is set: descriptor 09h, with Count. */
static void answer_mode(uint8_t mode)
{
	static const uint8_t sense[32] = { 0x72, 0x01, 0, 0x1d, 0, 0,	0, 14,
					   0x09, 0x0c, 0, 0,	0, 0,	0, 0,
					   0,	 0,    0, 0,	0, 0x50 };

	memcpy(world.mode_sense, sense, sizeof(sense));
	world.mode_sense[13] = mode;
	world.mode_io.status = 2;
	world.mode_io.driver_status = 8;
}

static int set_up(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	answer_mode(0xff);
	world.awake = true;
	return 0;
}

/* Everything is closed in any case. */
static int tear_down(void **state)
{
	(void)state;
	assert_int_equal(world.n_open, world.n_closed);
	assert_int_equal(world.n_loaded, world.n_unloaded);
	return 0;
}

void ssdpm__log(const struct ssdpm_machine *machine, uint32_t level,
		const char *format, ...)
{
	va_list args;

	assert_ptr_equal(machine, &live);
	assert_int_equal(level, SSDPM_LOG_DEBUG);
	va_start(args, format);
	vsnprintf(world.log, sizeof(world.log), format, args);
	va_end(args);
}

int __real_open64(const char *path, int flags, ...);
int __real_close(int fd);
int __wrap_open64(const char *path, int flags, ...);
int __wrap___open64_2(const char *path, int flags);
int __wrap_close(int fd);
int __wrap_ioctl(int fd, unsigned long request, ...);

int __wrap_open64(const char *path, int flags, ...)
{
	/* Ignore other files, such as those of gcov. */
	if (strncmp(path, "/dev/", 5) != 0)
		return __real_open64(path, flags, 0600);
	snprintf(world.path, sizeof(world.path), "%s", path);
	world.flags = flags;
	errno = world.open_errno;
	if (world.open_errno)
		return -1;
	world.n_open++;
	return 1000;
}

/* _FORTIFY_SOURCE turns open64() into this. */
int __wrap___open64_2(const char *path, int flags)
{
	return __wrap_open64(path, flags);
}

int __wrap_close(int fd)
{
	if (fd != 1000)
		return __real_close(fd);
	world.n_closed++;
	return 0;
}

const char *ssdpm__removal(const struct ssdpm_machine *machine,
			   const char *path)
{
	assert_ptr_equal(machine, &live);
	snprintf(world.asked_for, sizeof(world.asked_for), "%s", path);
	return world.removal;
}

/* The controller's directory in sysfs. */
int ssdpm__list_names(const struct ssdpm_machine *machine, const char *path,
		      struct names *ret_names)
{
	static char *names[4];

	assert_ptr_equal(machine, &live);
	assert_string_equal(path, "sys/devices/x/nvme/nvme1");
	if (world.list_error)
		return world.list_error;
	names[0] = (char *)(uintptr_t) "hwmon3";
	names[1] = (char *)(uintptr_t) "nvme1n1p1";
	names[2] = (char *)(uintptr_t)world.namespace;
	ret_names->names = names;
	ret_names->n = world.namespace ? 3 : 2;
	return 0;
}

void ssdpm__free_names(struct names *names)
{
	assert_non_null(names->names);
}

ssize_t __wrap_pread64(int fd, void *buffer, size_t size, off_t offset);

ssize_t __wrap_pread64(int fd, void *buffer, size_t size, off_t offset)
{
	assert_int_equal(fd, 1000);
	assert_int_equal((uintptr_t)buffer % 4096, 0);
	assert_int_equal(size, 4096);
	assert_int_equal(offset, 0);
	world.n_commands++;
	errno = world.error;
	return world.error ? -1 : (ssize_t)size;
}

static void answer_with(struct sg_io_hdr *io, const struct sg_io_hdr *with,
			const uint8_t sense[32])
{
	assert_int_equal(io->mx_sb_len, 32);
	memcpy(io->sbp, sense, 32);
	io->status = with->status;
	io->host_status = with->host_status;
	io->driver_status = with->driver_status;
	io->resid = with->resid;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	struct sg_io_hdr *io;
	va_list args;

	assert_int_equal(fd, 1000);
	assert_int_equal(request, SG_IO);
	va_start(args, request);
	io = va_arg(args, struct sg_io_hdr *);
	va_end(args);
	assert_int_equal(io->interface_id, 'S');
	assert_int_equal(io->cmd_len, sizeof(world.cdbs[0]));
	assert_true(io->timeout > 0);
	memcpy(world.cdbs[world.n_commands++ % 4], io->cmdp, io->cmd_len);
	if (io->cmdp[14] == 0xe5) {
		assert_int_equal(io->dxfer_direction, SG_DXFER_NONE);
		assert_int_equal(io->dxfer_len, 0);
		errno = world.mode_error;
		if (!world.mode_error)
			answer_with(io, &world.mode_io, world.mode_sense);
		return world.mode_error ? -1 : 0;
	}
	assert_int_equal(io->dxfer_direction, SG_DXFER_FROM_DEV);
	assert_int_equal(io->dxfer_len, LOG_BYTES);
	errno = world.error;
	if (world.error)
		return -1;
	memcpy(io->dxferp, world.page, LOG_BYTES);
	answer_with(io, &world.io, world.sense);
	return 0;
}

#if HAVE_LIBNVME || HAVE_LIBATASMART
void *__wrap_dlopen(const char *name, int flags);
int __wrap_dlclose(void *library);
void *__wrap_dlsym(void *library, const char *name);

static char soname[32];

void *__wrap_dlopen(const char *name, int flags)
{
	assert_int_equal(flags, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	snprintf(soname, sizeof(soname), "%s", name);
	if (world.no_library)
		return NULL;
	world.n_loaded++;
	return soname;
}

int __wrap_dlclose(void *library)
{
	assert_ptr_equal(library, soname);
	world.n_unloaded++;
	return 0;
}
#endif

#if HAVE_LIBNVME
static int answer(void)
{
	world.n_commands++;
	errno = world.error;
	return world.result;
}

static int identify(struct nvme_identify_args *args)
{
	assert_int_equal(args->args_size, sizeof(*args));
	assert_int_equal(args->fd, 1000);
	assert_int_equal(args->nsid, 0);
	world.cns = (uint8_t)args->cns;
	memset(args->data, 0x5a, SSDPM_NVME_IDENTIFY_BYTES);
	return answer();
}

static int get_features(struct nvme_get_features_args *args)
{
	assert_int_equal(args->args_size, sizeof(*args));
	assert_int_equal(args->fd, 1000);
	assert_int_equal(args->sel, 0);
	assert_int_equal(args->nsid, 0);
	world.fid = args->fid;
	if (args->data)
		memset(args->data, 0xa5, args->data_len);
	*args->result = 0x11;
	if (world.get_works)
		return 0;
	return answer();
}

static int set_features(struct nvme_set_features_args *args)
{
	assert_int_equal(args->args_size, sizeof(*args));
	assert_int_equal(args->fd, 1000);
	assert_int_equal(args->data_len,
			 args->fid == 0x0c ? SSDPM_APST_BYTES : 0);
	assert_int_equal(args->nsid, 0);
	world.fid = args->fid;
	world.save = args->save;
	world.dword11 = args->cdw11;
	if (args->data)
		memcpy(world.data, args->data, SSDPM_APST_BYTES);
	return answer();
}

static int get_log(struct nvme_get_log_args *args)
{
	assert_int_equal(args->args_size, sizeof(*args));
	assert_int_equal(args->fd, 1000);
	assert_int_equal(args->lid, 0x02);
	assert_int_equal(args->nsid, 0xffffffff);
	assert_int_equal(args->len, SSDPM_NVME_HEALTH_BYTES);
	assert_int_equal(args->lpo, 0);
	assert_int_equal(args->lsp, 0);
	assert_true(args->rae);
	assert_null(args->result);
	memset(args->log, 0x3c, args->len);
	return answer();
}
#endif

#if HAVE_LIBATASMART
/* A disk without hardware: a blob, as skdump --save writes it. */
static int open_disk(const char *name, SkDisk **ret_disk)
{
	SkDisk *disk;

	snprintf(world.path, sizeof(world.path), "%s", name);
	errno = world.error;
	if (world.error)
		return -1;
	assert_int_equal(sk_disk_open(NULL, &disk), 0);
	if (world.blob)
		assert_int_equal(
			sk_disk_set_blob(disk, world.blob, world.blob_bytes),
			0);
	world.n_open++;
	world.status_asked = false;
	*ret_disk = disk;
	return 0;
}

static int check_sleep_mode(SkDisk *disk, SkBool *ret_awake)
{
	(void)disk;
	errno = world.awake_error;
	*ret_awake = world.awake;
	return world.awake_error ? -1 : 0;
}

static int ask_status(SkDisk *disk, SkBool *ret_good)
{
	world.status_asked = true;
	return sk_disk_smart_status(disk, ret_good);
}

/*
 * For a disk with hardware, libatasmart 0.19 would otherwise write past the
 * end.
 */
static int get_blob(SkDisk *disk, const void **ret_blob, size_t *ret_size)
{
	assert_true(world.status_asked);
	return sk_disk_get_blob(disk, ret_blob, ret_size);
}

static void free_disk(SkDisk *disk)
{
	world.n_closed++;
	sk_disk_free(disk);
}
#endif

#if HAVE_LIBNVME || HAVE_LIBATASMART
void *__wrap_dlsym(void *library, const char *name)
{
	static const struct {
		const char *soname, *name;
		void (*function)(void);
	} symbols[] = {
#if HAVE_LIBNVME
		{ "libnvme.so.1", "nvme_identify", (void (*)(void))identify },
		{ "libnvme.so.1", "nvme_get_features",
		  (void (*)(void))get_features },
		{ "libnvme.so.1", "nvme_set_features",
		  (void (*)(void))set_features },
		{ "libnvme.so.1", "nvme_get_log", (void (*)(void))get_log },
#endif
#if HAVE_LIBATASMART
		{ "libatasmart.so.4", "sk_disk_open",
		  (void (*)(void))open_disk },
		{ "libatasmart.so.4", "sk_disk_check_sleep_mode",
		  (void (*)(void))check_sleep_mode },
		{ "libatasmart.so.4", "sk_disk_smart_status",
		  (void (*)(void))ask_status },
		{ "libatasmart.so.4", "sk_disk_get_blob",
		  (void (*)(void))get_blob },
		{ "libatasmart.so.4", "sk_disk_free",
		  (void (*)(void))free_disk },
#endif
	};

	assert_ptr_equal(library, soname);
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *symbol;

		if (strcmp(symbols[i].soname, soname) != 0 ||
		    strcmp(symbols[i].name, name) != 0)
			continue;
		memcpy(&symbol, &symbols[i].function, sizeof(symbol));
		return world.missing && !strcmp(world.missing, name) ? NULL :
								       symbol;
	}
	fail_msg("%s has no %s", soname, name);
	return NULL;
}
#endif

static int read_log(struct ssdpm_error *error)
{
	uint8_t data[LOG_BYTES];

	return ssdpm__ata_read_log(&live, "sda", 0x30, 8, data, error);
}

/* Each call has an error in which any change shows. */
static void assert_no_log(int code, const char *words)
{
	struct ssdpm_error error = fixture_error();

	assert_int_equal(read_log(&error), code);
	fixture_assert_error(&error, code, 0, words);
}

static void a_log_is_read_after_the_power_mode(void **state)
{
	uint8_t data[LOG_BYTES] = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(world.page); i++)
		world.page[i] = (uint8_t)(i * 7);
	assert_int_equal(ssdpm__ata_read_log(&live, "sda", 0x30, 8, data, NULL),
			 0);
	assert_memory_equal(data, world.page, sizeof(data));
	assert_int_equal(world.n_commands, 2);
	assert_memory_equal(world.cdbs[0], check_power_mode, 16);
	assert_memory_equal(world.cdbs[1], read_log_ext, 16);
	assert_string_equal(world.path, "/dev/sda");
	assert_int_equal(world.flags, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_string_equal(world.log, "sda: READ LOG EXT");
}

/* IDENTIFY DEVICE data with a checksum. */
static void make_page(uint8_t page[LOG_BYTES])
{
	uint16_t words[256];
	uint8_t sum = 0;

	fixture_ata_words(words);
	fixture_ata_bytes(words, page);
	page[510] = 0xa5;
	for (size_t i = 0; i < 511; i++)
		sum = (uint8_t)(sum + page[i]);
	page[511] = (uint8_t)-sum;
}

static void identify_device_is_sent_after_the_power_mode(void **state)
{
	uint8_t data[LOG_BYTES];

	(void)state;
	make_page(world.page);
	assert_int_equal(ssdpm__ata_identify(&live, "sda", data, NULL), 0);
	assert_memory_equal(data, world.page, sizeof(data));
	assert_int_equal(world.n_commands, 2);
	assert_memory_equal(world.cdbs[0], check_power_mode, 16);
	assert_memory_equal(world.cdbs[1], identify_device, 16);
	assert_int_equal(world.n_loaded, 0);
	assert_string_equal(world.log, "sda: IDENTIFY DEVICE");
}

static void identify_device_with_a_wrong_checksum_is_refused(void **state)
{
	struct ssdpm_error error = fixture_error();
	uint8_t data[LOG_BYTES];

	(void)state;
	make_page(world.page);
	world.page[511] ^= 0x40;
	assert_int_equal(ssdpm__ata_identify(&live, "sda", data, &error), -EIO);
	fixture_assert_error(&error, -EIO, 0, "checksum");
}

/* Both forms of sense data, and all modes of ACS-4. */
static void nothing_follows_the_power_mode_of_a_disk_in_standby(void **state)
{
	static const struct {
		uint8_t mode;
		int code;
		const char *words;
	} modes[] = {
		{ 0xff, 0, NULL },
		{ 0x80, 0, NULL },
		{ 0x81, 0, NULL },
		{ 0x82, 0, NULL },
		{ 0x83, 0, NULL },
		{ 0x41, 0, NULL },
		{ 0x00, -EBUSY, "sda is in standby: ssdpm lets it sleep" },
		{ 0x01, -EBUSY, "sda is in standby: ssdpm lets it sleep" },
		{ 0x40, -EBUSY, "sda is in standby: ssdpm lets it sleep" },
		{ 0x84, -EIO, "unknown mode 84h" },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(modes) / sizeof(modes[0]); i++) {
		const uint8_t fixed[32] = {
			0x70, 0,	  0x01, 0, 0x50, 0, modes[i / 2].mode,
			10,   [13] = 0x1d
		};
		struct ssdpm_error error = fixture_error();

		answer_mode(modes[i / 2].mode);
		if (i % 2)
			memcpy(world.mode_sense, fixed, sizeof(fixed));
		world.n_commands = 0;
		assert_int_equal(read_log(&error), modes[i / 2].code);
		assert_int_equal(world.n_commands, modes[i / 2].code ? 1 : 2);
		assert_memory_equal(world.cdbs[0], check_power_mode, 16);
		if (modes[i / 2].code)
			fixture_assert_error(&error, modes[i / 2].code, 0,
					     modes[i / 2].words);
	}
}

static void nothing_follows_a_power_mode_that_did_not_come_back(void **state)
{
	static const struct {
		uint8_t sense[32];
		uint8_t status;
		int code;
		const char *words;
	} cases[] = {
		/* CK_COND was ignored, or the sense data lack registers. */
		{ { 0 }, 0, -EIO, "no mode came back" },
		{ { 0x70, 0, 0x01, 0, 0x50, 0, 0xff }, 2, -EIO, "no mode" },
		{ { 0x72, 0x01, 0, 0x1d }, 2, -EIO, "no mode came back" },
		{ { 0x72, 0x01, 0, 0x1d, [7] = 13, 0x09, 0x0c },
		  2,
		  -EIO,
		  "no" },
		{ { 0x72, 0x01, 0, 0x1d, [7] = 255, 0x02, 0xff },
		  2,
		  -EIO,
		  "no" },
		/* Refused, as by a bridge; aborted; not ready. */
		{ { 0x70, 0, 0x05, [12] = 0x20 }, 2, -EOPNOTSUPP, "refuses" },
		{ { 0x72, 0x05, 0x24 }, 2, -EOPNOTSUPP, "sda refuses CHECK" },
		{ { 0x70, 0, 0x0b }, 2, -EOPNOTSUPP, "sda refuses CHECK" },
		{ { 0x72, 0x02, 0x04 }, 2, -EIO, "key 2h, code 04h" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memcpy(world.mode_sense, cases[i].sense, 32);
		world.mode_io.status = cases[i].status;
		world.mode_io.driver_status = 0;
		world.n_commands = 0;
		assert_no_log(cases[i].code, cases[i].words);
		assert_int_equal(world.n_commands, 1);
	}
}

static void a_descriptor_before_that_of_the_registers_is_skipped(void **state)
{
	static const uint8_t sense[32] = { 0x72, 0x01, 0,    0x1d, 0,	 0,
					   0,	 22,   0x02, 6,	   0x09, 0,
					   0,	 0,    0,    0,	   0x09, 0x0c,
					   0,	 0,    0,    0x00 };

	(void)state;
	memcpy(world.mode_sense, sense, sizeof(sense));
	assert_int_equal(read_log(NULL), -EBUSY);
	world.mode_sense[21] = 0xff;
	assert_int_equal(read_log(NULL), 0);
}

static void a_driver_that_refuses_pass_through_is_told_from_a_fault(
	void **state)
{
	static const int refusals[] = { EIO, EINVAL, ENOTTY, EOPNOTSUPP };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		world.n_commands = 0;
		world.mode_error = refusals[i];
		assert_no_log(-EOPNOTSUPP,
			      "sda: its driver refuses CHECK POWER");
		assert_int_equal(world.n_commands, 1);
	}
}

static void what_the_sense_says_of_a_log_is_heard(void **state)
{
	static const struct {
		uint8_t sense[32];
		uint8_t status, driver;
		int code;
		const char *words;
	} cases[] = {
		{ { 0x72, 0x0b, 0 }, 2, 8, -ENODATA, "refuses READ LOG" },
		{ { 0x72, 0x0b, 0 }, 0, 8, -ENODATA, "refuses READ LOG" },
		{ { 0x72, 0x05, 0x20 }, 2, 8, -ENODATA, "refuses READ LOG" },
		{ { 0x70, 0, 0x05, [12] = 0x24 },
		  2,
		  0,
		  -ENODATA,
		  "refuses READ LOG" },
		{ { 0x72, 0x0b, 0x47 }, 2, 8, -EIO, "key Bh, code 47h" },
		{ { 0x70, 0, 0x03, [12] = 0x11 }, 2, 8, -EIO, "key 3h, code" },
		{ { 0x72, 0x02, 0x04 }, 2, 8, -EIO, "key 2h, code 04h" },
		{ { 0 }, 2, 0, -EIO, "key 0h, code 00h" },
		{ { 0x72, 0x01, 0 }, 2, 8, 0, NULL },
		{ { 0x70, 0, 0x01 }, 2, 8, 0, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ssdpm_error error = fixture_error();

		memcpy(world.sense, cases[i].sense, sizeof(world.sense));
		world.io.status = cases[i].status;
		world.io.driver_status = cases[i].driver;
		assert_int_equal(read_log(&error), cases[i].code);
		if (cases[i].words)
			fixture_assert_error(&error, cases[i].code, 0,
					     cases[i].words);
	}
}

static void a_command_that_does_not_arrive_is_no_log(void **state)
{
	(void)state;
	world.io.host_status = 3;
	assert_no_log(-EIO, "of the host 03h");
	world.io.host_status = 0;
	world.io.status = 8;
	assert_no_log(-EIO, "status 08h");
	world.io.status = 0;
	world.io.driver_status = 6;
	assert_no_log(-EIO, "of the driver 06h");
	world.io.driver_status = 0;
	world.io.resid = 12;
	assert_no_log(-EIO, "12 of 512 bytes are missing");
}

/* Errors of open(2) and ioctl(2), and our translations. */
static const struct {
	int error, code;
	const char *words;
} errnos[] = {
	{ EACCES, -EACCES, "root is needed to send" },
	{ EPERM, -EACCES, "root is needed to send" },
	{ ENOENT, -ENODEV, "the drive has no node under /dev" },
	{ ENODEV, -ENODEV, "the drive has no node under /dev" },
	{ ENXIO, -ENODEV, "the drive has no node under /dev" },
	{ EAGAIN, -EIO, "is being reset; try again" },
	{ ENOMEM, -ENOMEM, "out of memory" },
	{ EINTR, -EIO, "failed: unknown error (4)" },
	{ ETIMEDOUT, -EIO, "failed: it takes too long (110)" },
	{ EMFILE, -EIO, "failed" },
};
#define N_ERRNOS (sizeof(errnos) / sizeof(errnos[0]))

static void each_errno_of_a_log_has_words(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_ERRNOS; i++) {
		world.error = errnos[i].error;
		assert_no_log(errnos[i].code, errnos[i].words);
		world.error = 0;
		world.mode_error = errnos[i].error;
		assert_no_log(errnos[i].code, errnos[i].words);
		world.mode_error = 0;
		world.open_errno = errnos[i].error;
		assert_no_log(errnos[i].code, errnos[i].words);
		world.open_errno = 0;
	}
}

static void a_disk_that_is_gone_was_removed(void **state)
{
	(void)state;
	world.removal = "it was removed";
	world.open_errno = ENXIO;
	assert_no_log(-ENODEV, "sda: it was removed");
	assert_string_equal(world.asked_for, "sys/class/block/sda");
}

static int call_identify(const struct ssdpm_machine *machine,
			 struct ssdpm_error *error)
{
	uint8_t data[SSDPM_NVME_IDENTIFY_BYTES];

	return ssdpm__nvme_identify(machine, "nvme0", data, error);
}

static int call_get(const struct ssdpm_machine *machine,
		    struct ssdpm_error *error)
{
	uint8_t data[SSDPM_APST_BYTES];
	uint32_t dword;

	return ssdpm__nvme_get_feature(machine, "nvme0", 0x0c, data,
				       sizeof(data), &dword, error);
}

static int call_set(const struct ssdpm_machine *machine,
		    struct ssdpm_error *error)
{
	static const uint8_t data[SSDPM_APST_BYTES];

	return ssdpm__nvme_set_apst(machine, "nvme0", data, true, error);
}

static int call_set_feature(const struct ssdpm_machine *machine,
			    struct ssdpm_error *error)
{
	return ssdpm__nvme_set_feature(machine, "nvme0", 0x02, 1, error);
}

static int call_health(const struct ssdpm_machine *machine,
		       struct ssdpm_error *error)
{
	uint8_t data[SSDPM_NVME_HEALTH_BYTES];

	return ssdpm_machine_read_nvme_health(machine, "nvme0", data, error);
}

static int call_ata(const struct ssdpm_machine *machine,
		    struct ssdpm_error *error)
{
	uint8_t data[512];

	return ssdpm__ata_identify(machine, "sda", data, error);
}

static int call_atasmart(const struct ssdpm_machine *machine,
			 struct ssdpm_error *error)
{
	uint8_t data[512];

	return ssdpm__atasmart_identify(machine, "sda", data, error);
}

static int call_log(const struct ssdpm_machine *machine,
		    struct ssdpm_error *error)
{
	uint8_t data[LOG_BYTES];

	return ssdpm__ata_read_log(machine, "sda", 0x30, 8, data, error);
}

static int wake(struct ssdpm_error *error)
{
	static const struct ssdpm_device_facts facts = {
		.name = "nvme1",
		.path = "/sys/devices/x/nvme/nvme1",
	};

	return ssdpm__nvme_wake(&live, &facts, error);
}

static void a_drive_is_woken_by_one_block_past_the_cache(void **state)
{
	(void)state;
	world.namespace = "nvme1n2";
	assert_int_equal(wake(NULL), 0);
	assert_string_equal(world.path, "/dev/nvme1n2");
	assert_int_equal(world.flags, O_RDONLY | O_DIRECT | O_CLOEXEC);
	assert_int_equal(world.n_commands, 1);
	/* With several paths to a namespace, its head is read. */
	world.namespace = "nvme0c1n4";
	assert_int_equal(wake(NULL), 0);
	assert_string_equal(world.path, "/dev/nvme0n4");
}

static void a_drive_that_cannot_be_read_is_not_woken(void **state)
{
	struct ssdpm_error error = fixture_error();

	(void)state;
	assert_int_equal(wake(&error), -ENODEV);
	fixture_assert_error(&error, -ENODEV, 0, "no namespace");
	world.list_error = -ENOENT;
	assert_int_equal(wake(&error), -ENODEV);
	world.list_error = -ENOMEM;
	assert_int_equal(wake(&error), -ENOMEM);
	world.list_error = 0;
	world.namespace = "nvme1n1";
	world.error = EIO;
	assert_int_equal(wake(&error), -EIO);
	fixture_assert_error(&error, -EIO, 0, "nvme1n1: a read, to wake it");
	world.open_errno = EACCES;
	assert_int_equal(wake(&error), -EACCES);
}

typedef int (*call)(const struct ssdpm_machine *machine,
		    struct ssdpm_error *error);

static void no_command_is_sent_to_the_drives_of_a_capture(void **state)
{
	static const call calls[] = { call_identify, call_get,	       call_set,
				      call_health,   call_set_feature, call_ata,
				      call_log,	     call_atasmart };

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct ssdpm_error error = fixture_error();

		assert_int_equal(calls[i](&capture, &error), -EOPNOTSUPP);
		assert_int_equal(error.code, -EOPNOTSUPP);
	}
	assert_int_equal(world.n_open, 0);
	assert_int_equal(world.n_loaded, 0);
	assert_int_equal(world.n_commands, 0);
}

#if HAVE_LIBNVME
static const call nvme_calls[] = { call_identify, call_get, call_set,
				   call_set_feature, call_health };
#define N_NVME_CALLS (sizeof(nvme_calls) / sizeof(nvme_calls[0]))

static void identify_asks_for_the_controller(void **state)
{
	uint8_t data[SSDPM_NVME_IDENTIFY_BYTES] = { 0 };

	(void)state;
	assert_int_equal(ssdpm__nvme_identify(&live, "nvme3", data, NULL), 0);
	assert_int_equal(world.cns, 1);
	assert_int_equal(data[4095], 0x5a);
	assert_string_equal(world.path, "/dev/nvme3");
	assert_int_equal(world.flags, O_RDONLY | O_CLOEXEC);
	assert_string_equal(world.log, "nvme3: Identify");
}

static void features_are_asked_for_as_they_are_now(void **state)
{
	uint8_t data[SSDPM_APST_BYTES] = { 0 };
	uint32_t dword = 0;

	(void)state;
	assert_int_equal(ssdpm__nvme_get_feature(&live, "nvme0", 0x0c, data,
						 sizeof(data), &dword, NULL),
			 0);
	assert_int_equal(world.fid, 0x0c);
	assert_int_equal(data[255], 0xa5);
	assert_int_equal(dword, 0x11);
	dword = 0;
	assert_int_equal(ssdpm__nvme_get_feature(&live, "nvme0", 0x02, NULL, 0,
						 &dword, NULL),
			 0);
	assert_int_equal(world.fid, 0x02);
	assert_int_equal(dword, 0x11);
}

static void a_table_is_set_whole_and_never_saved(void **state)
{
	uint8_t data[SSDPM_APST_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)i;
	assert_int_equal(ssdpm__nvme_set_apst(&live, "nvme0", data, true, NULL),
			 0);
	assert_int_equal(world.fid, 0x0c);
	assert_int_equal(world.save, 0);
	assert_int_equal(world.dword11, 1);
	assert_memory_equal(world.data, data, sizeof(data));
	assert_int_equal(
		ssdpm__nvme_set_apst(&live, "nvme0", data, false, NULL), 0);
	assert_int_equal(world.dword11, 0);
}

static void the_health_of_the_whole_controller_is_asked_for(void **state)
{
	struct ssdpm_error error = fixture_error(), before = error;
	uint8_t data[SSDPM_NVME_HEALTH_BYTES] = { 0 };

	(void)state;
	assert_int_equal(
		ssdpm_machine_read_nvme_health(&live, "nvme1", data, &error),
		0);
	assert_memory_equal(&error, &before, sizeof(error));
	assert_int_equal(data[511], 0x3c);
	assert_string_equal(world.path, "/dev/nvme1");
	assert_string_equal(world.log, "nvme1: Get Log Page 02h (SMART)");
}

static void each_errno_of_an_nvme_command_has_words(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_ERRNOS * N_NVME_CALLS; i++) {
		size_t at = i / N_NVME_CALLS;
		struct ssdpm_error error = fixture_error();

		world.result = -1;
		world.error = errnos[at].error;
		assert_int_equal(nvme_calls[i % N_NVME_CALLS](&live, &error),
				 errnos[at].code);
		fixture_assert_error(&error, errnos[at].code, 0,
				     errnos[at].words);
		world.open_errno = errnos[at].error;
		assert_int_equal(nvme_calls[i % N_NVME_CALLS](&live, &error),
				 errnos[at].code);
		fixture_assert_error(&error, errnos[at].code, 0,
				     errnos[at].words);
		world.open_errno = 0;
	}
}

static void a_table_that_linux_refuses_to_root_is_told_from_lack_of_root(
	void **state)
{
	struct ssdpm_error error = fixture_error();

	(void)state;
	world.result = -1;
	world.error = EACCES;
	world.get_works = true;
	assert_int_equal(call_set(&live, &error), -EACCES);
	fixture_assert_error(&error, -EACCES, 0,
			     "this Linux refuses Set Features 0Ch (APST) even "
			     "to root, as do 6.12.110, 7.2 and later ones: use "
			     "the latency tolerance");
	world.get_works = false;
	assert_int_equal(call_set(&live, &error), -EACCES);
	fixture_assert_error(&error, -EACCES, 0, "root is needed");
}

static void a_status_of_the_drive_is_passed_on(void **state)
{
	static const struct {
		int status;
		const char *words;
	} cases[] = {
		{ 0x4002, "4002h: invalid field" },
		{ 0x0001, "0001h: invalid opcode" },
		{ 0x4006, "4006h: internal error" },
		{ 0x0007, "0007h: aborted" },
		{ 0x410e, "410eh: the feature cannot be changed" },
		{ 0x370, "the drive is being reset; try again" },
		{ 0x371, "the drive is being reset; try again" },
		{ 0x0280, "status 0280h" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (size_t j = 0; j < N_NVME_CALLS; j++) {
			struct ssdpm_error error = fixture_error();

			world.result = cases[i].status;
			assert_int_equal(nvme_calls[j](&live, &error), -EIO);
			assert_int_equal(error.nvme_status, cases[i].status);
			assert_non_null(strstr(error.message, cases[i].words));
			assert_int_equal(nvme_calls[j](&live, NULL), -EIO);
		}
}

/* Any answer of the command: errno, or Linux's own status. */
static void a_controller_that_is_gone_was_removed(void **state)
{
	static const int errors[] = { ENOENT, ENODEV, ENXIO, EAGAIN, EIO };

	(void)state;
	world.removal = "it was removed";
	for (size_t i = 0; i < 2 * sizeof(errors) / sizeof(errors[0]); i++)
		for (size_t j = 0; j < N_NVME_CALLS; j++) {
			struct ssdpm_error error = fixture_error();

			world.result = i % 2 ? 0x370 : -1;
			world.error = errors[i / 2];
			assert_int_equal(nvme_calls[j](&live, &error), -ENODEV);
			assert_string_equal(error.message,
					    "nvme0: it was removed");
			assert_int_equal(error.nvme_status, i % 2 ? 0x370 : 0);
			assert_string_equal(world.asked_for,
					    "sys/class/nvme/nvme0");
			world.open_errno = errors[i / 2];
			assert_int_equal(nvme_calls[j](&live, &error), -ENODEV);
			world.open_errno = 0;
		}
}

static void a_power_state_is_set_without_data_and_never_saved(void **state)
{
	static const struct {
		uint8_t fid;
		uint32_t dword;
		const char *log;
	} features[] = {
		{ 0x02, 1 << 5 | 2, "nvme0: Set Features 02h (power state)" },
		{ 0x11, 1, "nvme0: Set Features 11h (non-operational states)" },
		{ 0x7e, 0, "nvme0: Set Features" },
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(
			ssdpm__nvme_set_feature(&live, "nvme0", features[i].fid,
						features[i].dword, NULL),
			0);
		assert_int_equal(world.fid, features[i].fid);
		assert_int_equal(world.save, 0);
		assert_int_equal(world.dword11, features[i].dword);
		assert_string_equal(world.log, features[i].log);
	}
}

static void a_linux_that_refuses_a_power_state_is_told_from_no_root(
	void **state)
{
	struct ssdpm_error error = fixture_error();

	(void)state;
	world.result = -1;
	world.error = EACCES;
	world.get_works = true;
	assert_int_equal(
		ssdpm__nvme_set_feature(&live, "nvme0", 0x02, 1, &error),
		-EACCES);
	fixture_assert_error(&error, -EACCES, 0,
			     "this Linux refuses Set Features 02h (power "
			     "state) even to root");
	assert_null(strstr(error.message, "latency tolerance"));
	world.get_works = false;
	assert_int_equal(
		ssdpm__nvme_set_feature(&live, "nvme0", 0x02, 1, &error),
		-EACCES);
	fixture_assert_error(&error, -EACCES, 0, "root is needed");
}

static void without_libnvme_its_package_is_named(void **state)
{
	(void)state;
	world.no_library = true;
	for (size_t i = 0; i < N_NVME_CALLS; i++) {
		struct ssdpm_error error = fixture_error();

		assert_int_equal(nvme_calls[i](&live, &error), -ENODEV);
		fixture_assert_error(&error, -ENODEV, 0, "Debian's libnvme1");
	}
	assert_int_equal(world.n_commands, 0);
}

static void a_libnvme_that_lacks_a_function_is_not_used(void **state)
{
	static const char *const names[] = { "nvme_identify",
					     "nvme_get_features",
					     "nvme_set_features",
					     "nvme_get_log" };

	(void)state;
	for (size_t i = 0; i < 4 * N_NVME_CALLS; i++) {
		struct ssdpm_error error = fixture_error();

		world.missing = names[i % 4];
		assert_int_equal(nvme_calls[i / 4](&live, &error), -ENODEV);
		fixture_assert_error(&error, -ENODEV, 0,
				     "libnvme.so.1 is not libnvme");
	}
	assert_int_equal(world.n_commands, 0);
}

/* A user who may not open the node does not need the library. */
static void without_root_no_library_is_loaded(void **state)
{
	(void)state;
	world.open_errno = EACCES;
	world.no_library = true;
	for (size_t i = 0; i < N_NVME_CALLS; i++)
		assert_int_equal(nvme_calls[i](&live, NULL), -EACCES);
	assert_string_equal(world.log, "");
}

static void a_name_that_is_too_long_is_no_node(void **state)
{
	char name[80];
	uint8_t data[SSDPM_NVME_IDENTIFY_BYTES];

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	assert_int_equal(ssdpm__nvme_identify(&live, name, data, NULL),
			 -ENODEV);
}
#else
static void without_libnvme_each_nvme_command_says_so(void **state)
{
	static const call calls[] = { call_identify, call_get, call_set,
				      call_set_feature, call_health };

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct ssdpm_error error = fixture_error();

		assert_int_equal(calls[i](&live, &error), -EOPNOTSUPP);
		fixture_assert_error(&error, -EOPNOTSUPP, 0,
				     "built without libnvme");
	}
}
#endif

#if HAVE_LIBATASMART
/* A blob, as libatasmart writes it: IDFY alone. */
static void make_blob(uint8_t blob[520])
{
	memcpy(blob, "IDFY\0\0\2\0", 8);
	make_page(blob + 8);
	world.blob = blob;
	world.blob_bytes = 520;
}

static void identify_device_is_what_the_blob_holds(void **state)
{
	uint8_t blob[520], data[512];

	(void)state;
	make_blob(blob);
	assert_int_equal(ssdpm__atasmart_identify(&live, "sda", data, NULL), 0);
	assert_memory_equal(data, blob + 8, sizeof(data));
	assert_string_equal(world.path, "/dev/sda");
	assert_string_equal(world.log, "sda: IDENTIFY DEVICE by libatasmart");
}

static void a_blob_with_a_wrong_checksum_is_refused(void **state)
{
	struct ssdpm_error error = fixture_error();
	uint8_t blob[520];

	(void)state;
	make_blob(blob);
	blob[8 + 511] ^= 0x40;
	assert_int_equal(call_atasmart(&live, &error), -EIO);
	fixture_assert_error(&error, -EIO, 0, "checksum");
}

static void a_disk_that_does_not_answer_gives_nothing(void **state)
{
	struct ssdpm_error error = fixture_error();

	(void)state;
	world.blob = NULL; /* sk_disk_get_blob(): ENODATA */
	assert_int_equal(call_atasmart(&live, &error), -EIO);
	fixture_assert_error(&error, -EIO, 0, "does not answer");
}

/* Asking for the SMART status would wake it. */
static void libatasmart_asks_a_disk_in_standby_nothing_more(void **state)
{
	struct ssdpm_error error = fixture_error();
	uint8_t blob[520];

	(void)state;
	make_blob(blob);
	world.awake = false;
	assert_int_equal(call_atasmart(&live, &error), -EBUSY);
	fixture_assert_error(&error, -EBUSY, 0, "sda is in standby");
	assert_false(world.status_asked);
	world.awake = true;
	world.awake_error = EOPNOTSUPP;
	assert_int_equal(call_atasmart(&live, &error), -EIO);
	fixture_assert_error(&error, -EIO, 0, "no power mode came back");
	assert_false(world.status_asked);
}

static void each_errno_of_identify_device_has_words(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_ERRNOS; i++) {
		struct ssdpm_error error = fixture_error();

		world.error = errnos[i].error;
		assert_int_equal(call_atasmart(&live, &error), errnos[i].code);
		fixture_assert_error(&error, errnos[i].code, 0,
				     errnos[i].words);
	}
}

static void without_libatasmart_its_package_is_named(void **state)
{
	static const char *const names[] = {
		"sk_disk_open", "sk_disk_check_sleep_mode",
		"sk_disk_smart_status", "sk_disk_get_blob", "sk_disk_free"
	};
	struct ssdpm_error error = fixture_error();

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		world.missing = names[i];
		assert_int_equal(call_atasmart(&live, &error), -ENODEV);
		fixture_assert_error(&error, -ENODEV, 0, "is not libatasmart");
	}
	world.no_library = true;
	assert_int_equal(call_atasmart(&live, &error), -ENODEV);
	fixture_assert_error(&error, -ENODEV, 0, "Debian's libatasmart4");
}
#else
static void without_libatasmart_identify_device_says_so(void **state)
{
	struct ssdpm_error error = fixture_error();

	(void)state;
	assert_int_equal(call_atasmart(&live, &error), -EOPNOTSUPP);
	fixture_assert_error(&error, -EOPNOTSUPP, 0,
			     "built without libatasmart");
}
#endif

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_log_is_read_after_the_power_mode),
		TEST(identify_device_is_sent_after_the_power_mode),
		TEST(identify_device_with_a_wrong_checksum_is_refused),
		TEST(nothing_follows_the_power_mode_of_a_disk_in_standby),
		TEST(nothing_follows_a_power_mode_that_did_not_come_back),
		TEST(a_descriptor_before_that_of_the_registers_is_skipped),
		TEST(a_driver_that_refuses_pass_through_is_told_from_a_fault),
		TEST(what_the_sense_says_of_a_log_is_heard),
		TEST(a_command_that_does_not_arrive_is_no_log),
		TEST(each_errno_of_a_log_has_words),
		TEST(a_disk_that_is_gone_was_removed),
		TEST(no_command_is_sent_to_the_drives_of_a_capture),
		TEST(a_drive_is_woken_by_one_block_past_the_cache),
		TEST(a_drive_that_cannot_be_read_is_not_woken),
#if HAVE_LIBNVME
		TEST(identify_asks_for_the_controller),
		TEST(features_are_asked_for_as_they_are_now),
		TEST(a_table_is_set_whole_and_never_saved),
		TEST(a_power_state_is_set_without_data_and_never_saved),
		TEST(a_linux_that_refuses_a_power_state_is_told_from_no_root),
		TEST(the_health_of_the_whole_controller_is_asked_for),
		TEST(each_errno_of_an_nvme_command_has_words),
		TEST(a_table_that_linux_refuses_to_root_is_told_from_lack_of_root),
		TEST(a_status_of_the_drive_is_passed_on),
		TEST(a_controller_that_is_gone_was_removed),
		TEST(without_libnvme_its_package_is_named),
		TEST(a_libnvme_that_lacks_a_function_is_not_used),
		TEST(without_root_no_library_is_loaded),
		TEST(a_name_that_is_too_long_is_no_node),
#else
		TEST(without_libnvme_each_nvme_command_says_so),
#endif
#if HAVE_LIBATASMART
		TEST(identify_device_is_what_the_blob_holds),
		TEST(a_blob_with_a_wrong_checksum_is_refused),
		TEST(libatasmart_asks_a_disk_in_standby_nothing_more),
		TEST(a_disk_that_does_not_answer_gives_nothing),
		TEST(each_errno_of_identify_device_has_words),
		TEST(without_libatasmart_its_package_is_named),
#else
		TEST(without_libatasmart_identify_device_says_so),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
