/* SPDX-License-Identifier: MIT */
/*
 * Sends commands through the real libnvme to a controller of umockdev, and
 * SG_IO to such a disk. Both record every command; there are none unless the
 * caller asks for commands.
 *
 * A machine of tests/captures provides sysfs.
 */
#include "fixture.h"

#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <scsi/sg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <umockdev.h>

#include "device/internal.h"

enum {
	GET_LOG = 0x02,
	IDENTIFY = 0x06,
	SET_FEATURES = 0x09,
	GET_FEATURES = 0x0a,
	INVALID_FIELD = 0x4002,
};

/* The drives, and the commands that they received. */
static struct mock {
	uint8_t identify[SSDPM_NVME_IDENTIFY_BYTES];
	uint8_t table[SSDPM_APST_BYTES];
	uint8_t health[SSDPM_NVME_HEALTH_BYTES];
	uint32_t apste, state;
	uint64_t has; /* features of which values has those */
	uint32_t values[64];
	bool no_apst; /* the drive has none */
	bool no_root; /* EACCES for all but Identify, as Linux 6.2 and later */
	bool no_identify; /* for that too */
	bool refuses;	  /* EACCES for Set Features 0Ch, as Linux 7.2 */
	int n_commands;	  /* of any kind, to any drive */
	uint32_t opcodes[16], features[16];
	/* SATA: what it answers, and the commands that it was sent. */
	uint8_t page[512], mode;
	bool aborts;	   /* all but CHECK POWER MODE */
	bool fixed_sense;  /* as some bridges and QEMU's AHCI */
	int refuses_sg_io; /* an errno */
	uint8_t ata[16];
} mock;

enum { E5H = 0xe5, ECH = 0xec, LOG = 0x2f };

/* The drive's answer; *error: the kernel rejects the command. */
static uint32_t answer(const struct nvme_admin_cmd *command,
		       UMockdevIoctlData *data, uint32_t *result, int *error)
{
	const uint32_t fid = command->cdw10 & 0xff;

	if (mock.no_identify) {
		*error = EACCES;
		return 0;
	}
	if (command->opcode == IDENTIFY && fid == 1) {
		umockdev_ioctl_data_update(data, 0, mock.identify,
					   sizeof(mock.identify));
		return 0;
	}
	if (mock.no_root || (mock.refuses && command->opcode == SET_FEATURES)) {
		*error = EACCES;
		return 0;
	}
	if (command->opcode == GET_LOG && fid == 2) {
		umockdev_ioctl_data_update(data, 0, mock.health,
					   sizeof(mock.health));
		return 0;
	}
	if (fid < 64 && mock.has >> fid & 1) {
		if (command->opcode == GET_FEATURES)
			*result = mock.values[fid];
		else
			mock.values[fid] = command->cdw11;
		return 0;
	}
	if (command->opcode == GET_FEATURES && fid == 2) {
		*result = mock.state;
		return 0;
	}
	if (fid != 0x0c || mock.no_apst || !data)
		return INVALID_FIELD;
	if (command->opcode == GET_FEATURES) {
		umockdev_ioctl_data_update(data, 0, mock.table,
					   sizeof(mock.table));
		*result = mock.apste;
	} else {
		memcpy(mock.table, data->data, sizeof(mock.table));
		mock.apste = command->cdw11;
	}
	return 0;
}

/* The argument of a request; NULL: another request, which is answered. */
static UMockdevIoctlData *take_argument(UMockdevIoctlClient *client,
					unsigned long request, gsize size)
{
	if (umockdev_ioctl_client_get_request(client) != request) {
		umockdev_ioctl_client_complete(client, -1, ENOTTY);
		return NULL;
	}
	return umockdev_ioctl_data_resolve(
		umockdev_ioctl_client_get_arg(client), 0, size, NULL);
}

static gboolean on_nvme(UMockdevIoctlBase *base, UMockdevIoctlClient *client,
			gpointer userdata)
{
	g_autoptr(UMockdevIoctlData) arg = NULL, data = NULL;
	const struct nvme_admin_cmd *command;
	uint32_t result = 0, status;
	int error = 0;

	(void)base;
	(void)userdata;
	arg = take_argument(client, NVME_IOCTL_ADMIN_CMD, sizeof(*command));
	if (!arg)
		return TRUE;
	command = (const struct nvme_admin_cmd *)(void *)arg->data;
	if (command->addr && command->data_len)
		data = umockdev_ioctl_data_resolve(
			arg, offsetof(struct nvme_admin_cmd, addr),
			command->data_len, NULL);
	mock.opcodes[mock.n_commands % 16] = command->opcode;
	mock.features[mock.n_commands++ % 16] = command->cdw10;
	status = answer(command, data, &result, &error);
	umockdev_ioctl_data_update(arg, offsetof(struct nvme_admin_cmd, result),
				   (guint8 *)&result, sizeof(result));
	umockdev_ioctl_client_complete(client, error ? -1 : (glong)status,
				       error);
	return TRUE;
}

static void answer_sense(UMockdevIoctlData *arg, const uint8_t sense[32])
{
	const struct sg_io_hdr *io = (const void *)arg->data;
	g_autoptr(UMockdevIoctlData) data = umockdev_ioctl_data_resolve(
		arg, offsetof(struct sg_io_hdr, sbp), io->mx_sb_len, NULL);
	guint8 status = 2;

	umockdev_ioctl_data_update(data, 0, (guint8 *)(uintptr_t)sense, 32);
	umockdev_ioctl_data_update(arg, offsetof(struct sg_io_hdr, status),
				   &status, 1);
}

/* The disk's answer: a mode in its registers, or a page. */
static void answer_ata(UMockdevIoctlData *arg, uint8_t command)
{
	const uint8_t fixed[32] = { 0x70, 0,	     1,	 0,	     0x50,
				    0,	  mock.mode, 10, [13] = 0x1d };
	const uint8_t registers[32] = {
		0x72, 1, 0, 0x1d, [7] = 14, 0x09, 0x0c, [13] = mock.mode
	};
	const uint8_t aborted[32] = { 0x72, 0x0b };
	g_autoptr(UMockdevIoctlData) data = NULL;

	if (command == E5H) {
		answer_sense(arg, mock.fixed_sense ? fixed : registers);
		return;
	}
	if (mock.aborts) {
		answer_sense(arg, aborted);
		return;
	}
	data = umockdev_ioctl_data_resolve(arg,
					   offsetof(struct sg_io_hdr, dxferp),
					   sizeof(mock.page), NULL);
	umockdev_ioctl_data_update(data, 0, mock.page, sizeof(mock.page));
}

static gboolean on_ata(UMockdevIoctlBase *base, UMockdevIoctlClient *client,
		       gpointer userdata)
{
	g_autoptr(UMockdevIoctlData) arg = NULL, cdb = NULL;

	(void)base;
	(void)userdata;
	arg = take_argument(client, SG_IO, sizeof(struct sg_io_hdr));
	if (!arg)
		return TRUE;
	cdb = umockdev_ioctl_data_resolve(arg, offsetof(struct sg_io_hdr, cmdp),
					  16, NULL);
	mock.ata[mock.n_commands++ % 16] = cdb->data[14];
	if (mock.refuses_sg_io) {
		umockdev_ioctl_client_complete(client, -1, mock.refuses_sg_io);
		return TRUE;
	}
	answer_ata(arg, cdb->data[14]);
	umockdev_ioctl_client_complete(client, 0, 0);
	return TRUE;
}

static UMockdevTestbed *testbed;
static UMockdevIoctlBase *nvme_handler, *ata_handler;

static int make_testbed(void **state)
{
	(void)state;
	testbed = umockdev_testbed_new();
	nvme_handler = umockdev_ioctl_base_new();
	ata_handler = umockdev_ioctl_base_new();
	g_signal_connect(nvme_handler, "handle-ioctl", G_CALLBACK(on_nvme),
			 NULL);
	g_signal_connect(ata_handler, "handle-ioctl", G_CALLBACK(on_ata), NULL);
	if (!umockdev_testbed_add_from_string(
		    testbed,
		    "P: /devices/pci0000:00/0000:01:00.0/nvme/nvme0\n"
		    "N: nvme0\nE: SUBSYSTEM=nvme\nE: DEVNAME=/dev/nvme0\n"
		    "E: MAJOR=245\nE: MINOR=0\nA: dev=245:0\\n\n\n"
		    "P: /devices/pci0000:00/0000:00:17.0/ata1/block/sda\n"
		    "N: sda\nE: SUBSYSTEM=block\nE: DEVNAME=/dev/sda\n"
		    "E: MAJOR=8\nE: MINOR=0\nA: dev=8:0\\n\n",
		    NULL) ||
	    !umockdev_testbed_attach_ioctl(testbed, "/dev/nvme0", nvme_handler,
					   NULL) ||
	    !umockdev_testbed_attach_ioctl(testbed, "/dev/sda", ata_handler,
					   NULL))
		return -1;
	return 0;
}

static int remove_testbed(void **state)
{
	(void)state;
	umockdev_testbed_detach_ioctl(testbed, "/dev/nvme0", NULL);
	umockdev_testbed_detach_ioctl(testbed, "/dev/sda", NULL);
	g_object_unref(nvme_handler);
	g_object_unref(ata_handler);
	g_object_unref(testbed);
	return 0;
}

/* A machine in a directory, as if it were this one. */
static struct ssdpm_machine *open_root(const char *root)
{
	struct ssdpm_machine_params params = { .size = sizeof(params),
					       .root = root };
	struct ssdpm_machine *machine = NULL;

	memset(&mock, 0, sizeof(mock));
	mock.mode = 0xff;
	assert_int_equal(ssdpm_machine_new(&params, &machine, NULL), 0);
	machine->capture = 0;
	return machine;
}

/* The same with tests/captures. */
static struct ssdpm_machine *open_machine(const char *name)
{
	char root[512];

	snprintf(root, sizeof(root), "%s/%s", getenv("SSDPM_CAPTURES"), name);
	return open_root(root);
}

static struct ssdpm_device *open_device(const char *capture, const char *name)
{
	struct ssdpm_machine *machine = open_machine(capture);
	struct ssdpm_device *device = NULL;

	assert_int_equal(ssdpm_device_read(machine, name, &device, NULL), 0);
	ssdpm_machine_unref(machine);
	return device;
}

/* Another drive than the capture's, to tell them apart. */
static void make_identify(void)
{
	static const struct psd psds[] = {
		{ .mp = 900 },
		{ .mp = 50, .nops = 1, .enlat = 3000, .exlat = 7777 },
	};

	fixture_identify(mock.identify, psds, 2);
	mock.identify[265] = 1;
	memcpy(mock.identify + 4, "SECRETLIVESERIAL0001", 20);
}

static void list_show_and_diagnosis_send_no_command(void **state)
{
	struct ssdpm_machine *machine = open_machine("desktop-6.1");
	struct ssdpm_machine_facts facts = { .size = sizeof(facts) };
	struct ssdpm_catalogue *catalogue = NULL;
	struct ssdpm_device **devices = NULL;
	size_t n = 0, n_models = 0;

	(void)state;
	assert_int_equal(ssdpm_catalogue_new(NULL, 0, &catalogue, NULL), 0);
	assert_int_equal(ssdpm_machine_read_facts(machine, &facts, NULL), 0);
	assert_int_equal(ssdpm_device_list_read(machine, &devices, &n, NULL),
			 0);
	for (size_t i = 0; i < n; i++) {
		struct ssdpm_diagnosis *diagnoses = NULL;
		struct ssdpm_model *model = NULL;
		size_t n_diagnoses;

		if (!ssdpm_device_read_model(devices[i], 0, catalogue, &model,
					     NULL))
			n_models++;
		assert_int_equal(
			ssdpm_device_diagnose(
				devices[i],
				&(struct ssdpm_diagnosis_params){
					.size = sizeof(
						struct ssdpm_diagnosis_params),
					.facts = &facts,
					.model = model },
				&diagnoses, &n_diagnoses, NULL),
			0);
		free(diagnoses);
		ssdpm_model_unref(model);
	}
	assert_true(n_models >= 3); /* NVMe by the catalogue, SATA by sysfs */
	assert_int_equal(mock.n_commands, 0);
	ssdpm_device_list_free(devices, n);
	ssdpm_catalogue_free(catalogue);
	ssdpm_machine_unref(machine);
}

static void identify_is_one_command(void **state)
{
	struct ssdpm_device *device = open_device("laptop", "nvme0");
	struct ssdpm_model *model = NULL;

	(void)state;
	make_identify();
	assert_int_equal(ssdpm_device_read_model(device, SSDPM_READ_COMMANDS,
						 NULL, &model, NULL),
			 0);
	assert_int_equal(mock.n_commands, 1);
	assert_int_equal(mock.opcodes[0], IDENTIFY);
	assert_int_equal(ssdpm_model_get_states(model, NULL)[1].exit_latency_us,
			 7777);
	ssdpm_model_unref(model);
	ssdpm_device_unref(device);
}

static void the_table_in_force_is_read_back_as_it_was_set(void **state)
{
	struct ssdpm_device *device = open_device("laptop", "nvme0");
	struct ssdpm_apst table = { .entries = { { 0 } } }, back;
	uint8_t data[SSDPM_APST_BYTES];

	(void)state;
	table.entries[0].target = 1;
	table.entries[0].idle_ms = 1234;
	table.sent = table.enabled = 1;
	assert_int_equal(ssdpm_apst_encode(&table, data, NULL), 0);
	memcpy(mock.table, data, sizeof(data));
	mock.apste = 1;
	assert_int_equal(ssdpm_device_read_apst(device, &back, NULL), 0);
	assert_memory_equal(&back, &table, sizeof(back));
	assert_int_equal(mock.n_commands, 1);
	assert_int_equal(mock.features[0], 0x0c);
	ssdpm_device_unref(device);
}

static void a_drive_without_apst_says_so(void **state)
{
	struct ssdpm_device *device = open_device("laptop", "nvme0");
	struct ssdpm_error error = fixture_error();
	struct ssdpm_apst table;

	(void)state;
	mock.no_apst = true;
	assert_int_equal(ssdpm_device_read_apst(device, &table, &error),
			 -EOPNOTSUPP);
	assert_int_equal(error.nvme_status, INVALID_FIELD);
	assert_int_equal(error.code, -EOPNOTSUPP);
	mock.no_apst = false;
	mock.no_root = true;
	assert_int_equal(ssdpm_device_read_apst(device, &table, &error),
			 -EACCES);
	fixture_assert_error(&error, -EACCES, 0, "root is needed");
	ssdpm_device_unref(device);
}

static void a_drive_that_measures_its_power_is_a_meter(void **state)
{
	struct ssdpm_machine *machine = open_machine("laptop");
	struct ssdpm_reading reading = { .size = sizeof(reading) };
	struct ssdpm_sampler *sampler = NULL;
	struct ssdpm_error error = fixture_error();
	struct ssdpm_meter meter;

	(void)state;
	assert_int_equal(
		ssdpm_machine_find_meter(machine, "/dev/nvme0", &meter, &error),
		-EOPNOTSUPP);
	fixture_assert_error(&error, -EOPNOTSUPP, 0,
			     "nvme0 does not measure its power");
	memcpy(mock.health + 232, (uint8_t[]){ 7 }, 1);
	memcpy(mock.health + 240, (uint8_t[]){ 0xc4, 0x22, 0x01 }, 3);
	assert_int_equal(
		ssdpm_machine_find_meter(machine, "nvme0", &meter, NULL), 0);
	assert_int_equal(meter.kind, SSDPM_METER_NVME);
	assert_string_equal(meter.name, "nvme0");
	assert_string_equal(meter.path, "/dev/nvme0");
	assert_int_equal(ssdpm_sampler_new(machine, &meter, &sampler, NULL), 0);
	assert_int_equal(ssdpm_sampler_read(sampler, &reading, NULL), 0);
	assert_int_equal((int)(reading.power_w * 1e4 + 0.5), 8900);
	assert_int_equal((int)reading.energy_j, 0);
	assert_int_equal(mock.n_commands, 4);
	assert_int_equal(mock.opcodes[3], GET_LOG);
	/* 128 dwords of log 02h, and events retained. */
	assert_int_equal(mock.features[3], 127 << 16 | 1 << 15 | 2);
	mock.no_root = true;
	assert_int_equal(ssdpm_sampler_read(sampler, &reading, &error),
			 -EACCES);
	fixture_assert_error(&error, -EACCES, 0, "root is needed");
	ssdpm_sampler_free(sampler);
	ssdpm_machine_unref(machine);
}

static void assert_devsleep(struct ssdpm_device *device, uint32_t reported,
			    uint32_t minimum_ms, uint32_t exit_ms)
{
	struct ssdpm_devsleep devsleep;

	memset(&devsleep, 0x55, sizeof(devsleep));
	assert_int_equal(ssdpm_device_read_devsleep(device, &devsleep, NULL),
			 0);
	assert_int_equal(devsleep.reported, reported);
	assert_int_equal(devsleep.minimum_assertion_ms, minimum_ms);
	assert_int_equal(devsleep.exit_timeout_ms, exit_ms);
}

static void devsleep_is_read_by_one_log_page(void **state)
{
	struct ssdpm_device *device = open_device("desktop-6.1", "sda");

	(void)state;
	mock.page[0x30] = 0xe0 | 12; /* reserved bits do not count */
	mock.page[0x31] = 34;
	mock.page[0x37] = 0x80;
	assert_devsleep(device, 1, 12, 34);
	assert_int_equal(mock.n_commands, 2);
	assert_int_equal(mock.ata[0], E5H);
	assert_int_equal(mock.ata[1], LOG);
	/* Zeros, not valid, or no log: the values of Serial ATA. */
	mock.page[0x30] = mock.page[0x31] = 0;
	assert_devsleep(device, 1, 10, 20);
	mock.page[0x31] = 34;
	mock.page[0x37] = 0;
	assert_devsleep(device, 0, 10, 20);
	mock.aborts = true;
	assert_devsleep(device, 0, 10, 20);
	ssdpm_device_unref(device);
}

static uint32_t logged; /* warnings */
static char log_text[512];

static void note(void *userdata, uint32_t level, const char *message)
{
	(void)userdata;
	if (level > SSDPM_LOG_WARNING)
		return;
	logged++;
	snprintf(log_text, sizeof(log_text), "%s", message);
}

/* Its model, with commands allowed; mock.ata has all of them in order. */
static struct ssdpm_model *identify_sata(struct ssdpm_device *device)
{
	struct ssdpm_model *model = NULL;

	mock.n_commands = 0;
	logged = 0;
	memset(mock.ata, 0, sizeof(mock.ata));
	device->machine->log_fn = note;
	assert_int_equal(ssdpm_device_read_model(device, SSDPM_READ_COMMANDS,
						 NULL, &model, NULL),
			 0);
	return model;
}

/* Another disk than that of sysfs, to tell them apart. */
static void make_disk(void)
{
	uint16_t words[256];

	fixture_ata_words(words);
	words[27] = 'L' << 8 | 'I';
	fixture_ata_bytes(words, mock.page);
}

static void a_disk_that_is_awake_is_identified_by_one_command(void **state)
{
	struct ssdpm_device *device = open_device("desktop-6.1", "sda");

	(void)state;
	make_disk();
	for (int i = 0; i < 4; i++) {
		struct ssdpm_model *model;

		mock.fixed_sense = i % 2;
		mock.mode = i < 2 ? 0xff : 0x80;
		model = identify_sata(device);
		assert_int_equal(mock.n_commands, 2);
		assert_int_equal(mock.ata[0], E5H);
		assert_int_equal(mock.ata[1], ECH);
		assert_memory_equal(ssdpm_model_get_info(model)->product, "LI",
				    2);
		assert_int_equal(logged, 0);
		ssdpm_model_unref(model);
	}
	ssdpm_device_unref(device);
}

static void a_disk_in_standby_is_left_asleep_and_that_is_said(void **state)
{
	struct ssdpm_device *device = open_device("desktop-6.1", "sda");
	struct ssdpm_error error = fixture_error();
	struct ssdpm_devsleep devsleep;
	struct ssdpm_model *model;

	(void)state;
	make_disk();
	for (int i = 0; i < 2; i++) {
		mock.fixed_sense = i;
		mock.mode = 0;
		model = identify_sata(device);
		assert_int_equal(mock.n_commands, 1);
		assert_int_equal(mock.ata[0], E5H);
		assert_string_equal(ssdpm_model_get_info(model)->product,
				    device->facts.product);
		assert_int_equal(logged, 1);
		assert_non_null(strstr(log_text, "sda is in standby: ssdpm "
						 "lets it sleep; sysfs has"));
		ssdpm_model_unref(model);
	}
	assert_int_equal(ssdpm_device_read_devsleep(device, &devsleep, &error),
			 -EBUSY);
	fixture_assert_error(&error, -EBUSY, 0, "sda is in standby");
	assert_int_equal(mock.n_commands, 2);
	assert_int_equal(mock.ata[1], E5H);
	ssdpm_device_unref(device);
}

static void run(const char *format, const char *a, const char *b)
{
	char command[1200];

	snprintf(command, sizeof(command), format, a, b);
	assert_int_equal(system(command), 0);
}

/* Opening its node would resume it. */
static void a_disk_that_linux_has_suspended_is_not_even_opened(void **state)
{
	char root[] = "/tmp/ssdpm-live-XXXXXX";
	struct ssdpm_error error = fixture_error();
	struct ssdpm_devsleep devsleep;
	struct ssdpm_machine *machine;
	struct ssdpm_device *device;

	(void)state;
	assert_non_null(mkdtemp(root));
	run("cp -a %s/desktop-6.1/. %s", getenv("SSDPM_CAPTURES"), root);
	run("cd %s/sys/block/sda/device && mkdir -p power && "
	    "echo %s >power/runtime_status",
	    root, "suspended");
	machine = open_root(root);
	assert_int_equal(ssdpm_device_read(machine, "sda", &device, NULL), 0);
	make_disk();
	ssdpm_model_unref(identify_sata(device));
	assert_int_equal(mock.n_commands, 0);
	assert_non_null(strstr(log_text, "sda is suspended: ssdpm lets"));
	assert_int_equal(ssdpm_device_read_devsleep(device, &devsleep, &error),
			 -EBUSY);
	assert_int_equal(mock.n_commands, 0);
	ssdpm_device_unref(device);
	ssdpm_machine_unref(machine);
	run("rm -r %s%s", root, "");
}

/* Reading PxCMD would resume it and reset its ports. */
static void no_register_of_an_adapter_that_is_suspended_is_read(void **state)
{
	char root[] = "/tmp/ssdpm-live-XXXXXX";
	struct ssdpm_machine *machine;
	struct ssdpm_device *device;

	(void)state;
	assert_non_null(mkdtemp(root));
	run("cp -a %s/desktop-6.1/. %s", getenv("SSDPM_CAPTURES"), root);
	for (int i = 0; i < 2; i++) {
		run("cd $(realpath %s/sys/block/sda | sed 's|/ata[0-9].*||') && "
		    "mkdir -p power && echo %s >power/runtime_status",
		    root, i ? "suspended" : "active");
		machine = open_root(root);
		assert_int_equal(
			ssdpm_device_read(machine, "sda", &device, NULL), 0);
		assert_int_equal(device->facts.known & SSDPM_FACT_LPM,
				 SSDPM_FACT_LPM);
		assert_int_equal(device->facts.known & SSDPM_FACT_AHCI_PORT_CMD,
				 i ? 0 : SSDPM_FACT_AHCI_PORT_CMD);
		ssdpm_device_unref(device);
		ssdpm_machine_unref(machine);
	}
	run("rm -r %s%s", root, "");
}

static uint32_t n_read;

/* Reading a temperature of drivetemp sends SMART commands. */
static void note_read(void *userdata, uint32_t level, const char *message)
{
	(void)userdata;
	(void)level;
	n_read++;
	assert_null(strstr(message, "temp1_"));
}

static void no_temperature_of_a_disk_is_read(void **state)
{
	char root[] = "/tmp/ssdpm-live-XXXXXX", copy[64];
	struct ssdpm_device **devices = NULL;
	struct ssdpm_meter *meters = NULL, meter;
	struct ssdpm_machine *machine;
	size_t n;

	(void)state;
	assert_non_null(mkdtemp(root));
	run("cp -a %s/desktop-6.1/. %s", getenv("SSDPM_CAPTURES"), root);
	run("mkdir -p %s/sys/class/hwmon/hwmon9 && cd %s/sys/class/hwmon/hwmon9 "
	    "&& echo drivetemp >name && echo 31000 >temp1_input && "
	    "echo 20000 >temp1_lowest",
	    root, root);
	machine = open_root(root);
	machine->log_fn = note_read;
	machine->log_level = SSDPM_LOG_DEBUG;
	assert_int_equal(ssdpm_machine_read_meters(machine, &meters, &n, NULL),
			 0);
	free(meters);
	assert_int_equal(ssdpm_device_list_read(machine, &devices, &n, NULL),
			 0);
	ssdpm_device_list_free(devices, n);
	assert_int_equal(
		ssdpm_machine_find_meter(machine, "drivetemp", &meter, NULL),
		-ENOENT);
	snprintf(copy, sizeof(copy), "%s/copy", root);
	assert_int_equal(ssdpm_machine_capture(machine, copy, 0, NULL), 0);
	assert_true(n_read > 0);
	ssdpm_machine_unref(machine);
	run("rm -r %s%s", root, "");
}

/* umockdev's node is no block device, which libatasmart requires. */
static void a_disk_whose_driver_refuses_sg_io_is_what_sysfs_has(void **state)
{
	static const int errors[] = { EIO, EINVAL, ENOTTY, ETIMEDOUT };
	struct ssdpm_device *device = open_device("desktop-6.1", "sda");

	(void)state;
	make_disk();
	for (size_t i = 0; i < 4; i++) {
		struct ssdpm_model *model;

		mock.refuses_sg_io = errors[i];
		model = identify_sata(device);
		assert_int_equal(mock.n_commands, 1);
		assert_int_equal(mock.ata[0], E5H);
		assert_string_equal(ssdpm_model_get_info(model)->product,
				    device->facts.product);
		ssdpm_model_unref(model);
	}
	ssdpm_device_unref(device);
}

static void a_capture_of_a_live_drive_has_dumps_without_its_serial(void **state)
{
	char folder[] = "/tmp/ssdpm-live-XXXXXX", path[128], command[160];
	struct ssdpm_machine *machine = open_machine("laptop");
	uint8_t data[SSDPM_NVME_IDENTIFY_BYTES + 1];
	struct ssdpm_error error = { .message = "" };
	FILE *file;

	(void)state;
	make_identify();
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/none", folder);
	assert_int_equal(ssdpm_machine_capture(machine, path, 0, NULL), 0);
	assert_int_equal(mock.n_commands, 0);
	snprintf(path, sizeof(path), "%s/all", folder);
	if (ssdpm_machine_capture(machine, path, SSDPM_READ_COMMANDS, &error))
		fail_msg("%s", error.message);
	assert_int_equal(mock.n_commands, 4);
	snprintf(path, sizeof(path), "%s/all/dumps/nvme0.identify", folder);
	file = fopen(path, "rb");
	assert_non_null(file);
	assert_int_equal(fread(data, 1, sizeof(data), file), 4096);
	fclose(file);
	memset(mock.identify + 4, ' ', 20);
	assert_memory_equal(data, mock.identify, 768);
	snprintf(path, sizeof(path), "%s/none/dumps", folder);
	assert_int_equal(access(path, F_OK), -1);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
	ssdpm_machine_unref(machine);
}

static void without_root_the_catalogue_knows_the_drive(void **state)
{
	struct ssdpm_device *device = open_device("laptop", "nvme0");
	struct ssdpm_catalogue *catalogue = NULL;
	struct ssdpm_error error = fixture_error();
	struct ssdpm_model *model = NULL;

	(void)state;
	mock.no_identify = true;
	assert_int_equal(ssdpm_catalogue_new(NULL, 0, &catalogue, NULL), 0);
	assert_int_equal(ssdpm_device_read_model(device, SSDPM_READ_COMMANDS,
						 NULL, &model, &error),
			 -EACCES);
	fixture_assert_error(&error, -EACCES, 0,
			     "root is needed to send Identify");
	assert_null(model);
	assert_int_equal(ssdpm_device_read_model(device, SSDPM_READ_COMMANDS,
						 catalogue, &model, NULL),
			 0);
	assert_int_equal(ssdpm_model_get_info(model)->provenance,
			 SSDPM_PROVENANCE_CATALOGUE);
	assert_int_equal(mock.n_commands, 2);
	ssdpm_model_unref(model);
	ssdpm_device_unref(device);
	ssdpm_catalogue_free(catalogue);
}

static void the_limits_of_a_live_drive_are_those_that_it_says_it_has(
	void **state)
{
	struct ssdpm_device *device = open_device("laptop", "nvme0");
	struct ssdpm_device_power power = { .size = sizeof(power) };

	(void)state;
	make_identify();
	memcpy(mock.identify + 324, "\x11\x01\x64\x01", 4);
	mock.state = 1 << 5;
	assert_int_equal(ssdpm_device_read_power(device, &power, NULL), 0);
	assert_int_equal(power.known, 3);
	assert_int_equal(power.supported, 3);
	assert_int_equal(power.workload_hint, 1);
	assert_int_equal(mock.n_commands, 2);
	assert_int_equal(mock.features[1], 0x02);

	mock.identify[96] = 1 << 1;
	mock.identify[98] = 3 << 4;
	mock.identify[322] = 1;
	mock.has = 1 << 0x10 | 1 << 0x11 | UINT64_C(1) << 0x23 |
		   UINT64_C(1) << 0x25;
	mock.values[0x10] = 343 << 16 | 353;
	mock.values[0x11] = 1;
	mock.values[0x23] = 2 << 16 | 1250; /* 0.01 W */
	mock.values[0x25] = 1;
	mock.state = 1;
	assert_int_equal(ssdpm_device_read_power(device, &power, NULL), 0);
	assert_int_equal(power.known, 63);
	assert_int_equal(power.supported, 63);
	assert_int_equal(power.power_state, 1);
	assert_int_equal(power.flags, SSDPM_POWER_FLAG_ASLEEP);
	assert_int_equal(power.workload_hint, 0);
	assert_int_equal(power.light_throttle_k, 343);
	assert_int_equal(power.heavy_throttle_k, 353);
	assert_int_equal(power.min_throttle_k, 273);
	assert_int_equal(power.max_throttle_k, 356);
	assert_int_equal(power.nopp, 1);
	assert_int_equal(power.power_limit_uw, 12500000);
	assert_int_equal(power.power_measurement, 1);

	/* 0.0001 W; nothing set; and a drive that lacks what it declares. */
	mock.values[0x23] = 1 << 16 | 1250;
	assert_int_equal(ssdpm_device_read_power(device, &power, NULL), 0);
	assert_int_equal(power.power_limit_uw, 125000);
	mock.values[0x23] = 2 << 16;
	mock.has &= ~(uint64_t)(1 << 0x10);
	assert_int_equal(ssdpm_device_read_power(device, &power, NULL), 0);
	assert_int_equal(power.known, 63 & ~(SSDPM_POWER_FACT_LIMIT |
					     SSDPM_POWER_FACT_THERMAL));
	assert_int_equal(power.supported, 63);
	assert_int_equal(power.power_limit_uw, 0);
	assert_int_equal(power.light_throttle_k, 0);
	ssdpm_device_unref(device);
}

static void a_drive_that_cannot_be_asked_for_its_power_says_why(void **state)
{
	struct ssdpm_device *device = open_device("laptop", "nvme0");
	struct ssdpm_device_power power = { .size = sizeof(power) };
	struct ssdpm_error error = fixture_error();

	(void)state;
	make_identify();
	mock.no_root = true;
	assert_int_equal(ssdpm_device_read_power(device, &power, &error),
			 -EACCES);
	fixture_assert_error(&error, -EACCES, 0,
			     "root is needed to send Get Features 02h");
	mock.no_identify = true;
	assert_int_equal(ssdpm_device_read_power(device, &power, &error),
			 -EACCES);
	power.size = 4;
	assert_int_equal(ssdpm_device_read_power(device, &power, &error),
			 -EINVAL);
	ssdpm_device_unref(device);
}

static void a_power_state_reaches_the_drive_and_nothing_beside_it(void **state)
{
	struct ssdpm_device *device = open_device("laptop", "nvme0");

	(void)state;
	mock.has = 1 << 0x02;
	mock.values[0x02] = 7;
	assert_int_equal(ssdpm__nvme_set_feature(device->machine, "nvme0", 0x02,
						 1 << 5 | 2, NULL),
			 0);
	assert_int_equal(mock.values[0x02], 1 << 5 | 2);
	assert_int_equal(mock.opcodes[0], SET_FEATURES);
	assert_int_equal(mock.features[0], 0x02); /* and no save bit */
	ssdpm_device_unref(device);
}

static void a_table_is_set_where_linux_lets_it_through(void **state)
{
	struct ssdpm_device *device = open_device("laptop", "nvme0");
	struct ssdpm_error error = fixture_error();
	uint8_t data[SSDPM_APST_BYTES] = { 0x20, 0x64 };

	(void)state;
	assert_int_equal(ssdpm__nvme_set_apst(device->machine, "nvme0", data,
					      true, NULL),
			 0);
	assert_memory_equal(mock.table, data, sizeof(data));
	assert_int_equal(mock.apste, 1);
	assert_int_equal(mock.features[0], 0x0c); /* and no save bit */
	mock.refuses = true;
	assert_int_equal(ssdpm__nvme_set_apst(device->machine, "nvme0", data,
					      false, &error),
			 -EACCES);
	fixture_assert_error(&error, -EACCES, 0, "even to root");
	assert_int_equal(mock.apste, 1);
	mock.no_root = true;
	assert_int_equal(ssdpm__nvme_set_apst(device->machine, "nvme0", data,
					      false, &error),
			 -EACCES);
	fixture_assert_error(&error, -EACCES, 0, "root is needed");
	ssdpm_device_unref(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(list_show_and_diagnosis_send_no_command),
		cmocka_unit_test(identify_is_one_command),
		cmocka_unit_test(the_table_in_force_is_read_back_as_it_was_set),
		cmocka_unit_test(a_drive_without_apst_says_so),
		cmocka_unit_test(a_drive_that_measures_its_power_is_a_meter),
		cmocka_unit_test(devsleep_is_read_by_one_log_page),
		cmocka_unit_test(
			a_disk_that_is_awake_is_identified_by_one_command),
		cmocka_unit_test(
			a_disk_in_standby_is_left_asleep_and_that_is_said),
		cmocka_unit_test(
			a_disk_that_linux_has_suspended_is_not_even_opened),
		cmocka_unit_test(
			no_register_of_an_adapter_that_is_suspended_is_read),
		cmocka_unit_test(
			a_disk_whose_driver_refuses_sg_io_is_what_sysfs_has),
		cmocka_unit_test(no_temperature_of_a_disk_is_read),
		cmocka_unit_test(
			a_capture_of_a_live_drive_has_dumps_without_its_serial),
		cmocka_unit_test(without_root_the_catalogue_knows_the_drive),
		cmocka_unit_test(a_table_is_set_where_linux_lets_it_through),
		cmocka_unit_test(
			the_limits_of_a_live_drive_are_those_that_it_says_it_has),
		cmocka_unit_test(
			a_drive_that_cannot_be_asked_for_its_power_says_why),
		cmocka_unit_test(
			a_power_state_reaches_the_drive_and_nothing_beside_it),
	};

	return cmocka_run_group_tests(tests, make_testbed, remove_testbed);
}
