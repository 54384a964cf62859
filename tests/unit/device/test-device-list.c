/* SPDX-License-Identifier: MIT */
/* Which devices there are, what is read of them, and by which names. */
#include "tree.h"

#include "device/internal.h"

#include <stdio.h>

struct devices {
	struct ssdpm_machine *machine;
	struct ssdpm_device **all;
	size_t n;
};

static struct devices read_all(struct ssdpm_machine *machine)
{
	struct devices devices = { .machine = machine };

	assert_int_equal(
		ssdpm_device_list_read(machine, &devices.all, &devices.n, NULL),
		0);
	return devices;
}

static void let_go(struct devices *devices)
{
	assert_null(ssdpm_device_list_free(devices->all, devices->n));
	ssdpm_machine_unref(devices->machine);
}

static const struct ssdpm_device_facts *facts_of(const struct devices *devices,
						 const char *name)
{
	for (size_t i = 0; i < devices->n; i++) {
		const struct ssdpm_device_facts *facts =
			ssdpm_device_get_facts(devices->all[i]);

		if (!strcmp(facts->name, name))
			return facts;
	}
	fail_msg("no %s", name);
	return NULL;
}

/* "nvme0 sda host3": names in order. */
static void assert_names(const struct devices *devices, const char *names)
{
	char text[512] = "";

	for (size_t i = 0; i < devices->n; i++) {
		strcat(text, i ? " " : "");
		strcat(text, ssdpm_device_get_facts(devices->all[i])->name);
	}
	assert_string_equal(text, names);
}

static void captures_have_their_devices_in_order(void **state)
{
	static const char *const captures[][2] = {
		{ "laptop", "nvme0" },
		{ "desktop-6.1", "nvme0 sda sdb host2 host3 host4" },
		{ "old-5.10", "nvme0 sda" },
		{ "eight-drives",
		  "nvme0 nvme1 nvme2 nvme3 sda sdb sdc sdd host4" },
		{ "server",
		  "nvme0 host3 0000:00:0e.0 0000:00:17.0 sda sdb sdc" },
		{ "hostile", "nvme0 sda" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(captures) / sizeof(captures[0]); i++) {
		struct devices devices = read_all(tree_capture(captures[i][0]));

		assert_names(&devices, captures[i][1]);
		let_go(&devices);
	}
}

static void component_by_component_it_is_the_same(void **state)
{
	static const char captures[][16] = { "laptop", "desktop-6.1", "server",
					     "hostile", "eight-drives" };

	(void)state;
	for (size_t i = 0; i < sizeof(captures) / sizeof(captures[0]); i++) {
		struct devices a = read_all(tree_capture(captures[i]));
		struct ssdpm_machine *machine = tree_capture(captures[i]);
		struct devices b;

		machine->walk = true;
		b = read_all(machine);
		assert_int_equal(a.n, b.n);
		for (size_t j = 0; j < a.n; j++)
			assert_memory_equal(ssdpm_device_get_facts(a.all[j]),
					    ssdpm_device_get_facts(b.all[j]),
					    sizeof(a.all[j]->facts));
		let_go(&a);
		let_go(&b);
	}
}

static void a_controller_is_read_as_a_whole(void **state)
{
	struct devices devices = read_all(tree_capture("laptop"));
	const struct ssdpm_device_facts *facts = facts_of(&devices, "nvme0");

	(void)state;
	assert_int_equal(facts->size, sizeof(*facts));
	assert_int_equal(facts->kind, SSDPM_KIND_NVME);
	assert_int_equal(facts->reach, SSDPM_REACH_YES);
	assert_string_equal(facts->product, "WDC PC SN530 SDBPNPZ-512G-1002");
	assert_string_equal(facts->firmware, "21106000");
	assert_string_equal(facts->state, "live");
	assert_string_equal(facts->transport, "pcie");
	assert_string_equal(facts->address, "0000:01:00.0");
	assert_string_equal(facts->driver, "nvme");
	assert_string_equal(facts->path, "/sys/devices/pci0000:00/0000:00:1c.0/"
					 "0000:01:00.0/nvme/nvme0");
	assert_int_equal(facts->pci_vendor_id, 0x15b7);
	assert_int_equal(facts->pci_device_id, 0x5008);
	assert_string_equal(facts->pci_power_state, "D0");
	assert_int_equal(facts->latency_tolerance_us, 100000);
	assert_int_equal(facts->known,
			 SSDPM_FACT_QUIRKS | SSDPM_FACT_LATENCY_TOLERANCE |
				 SSDPM_FACT_PCIE | SSDPM_FACT_D3COLD |
				 SSDPM_FACT_RESET_COUNT |
				 SSDPM_FACT_RUNTIME_PM);
	assert_int_equal(facts->flags, SSDPM_DEVICE_D3COLD_ALLOWED);
	let_go(&devices);
}

/* A controller of a root with nothing else. */
static char *small_nvme(void)
{
	char *root = tree_new();
	const char *at = "sys/devices/pci0000:00/0000:01:00.0";
	char path[256];

	snprintf(path, sizeof(path), "%s/nvme/nvme0/state", at);
	tree_put(root, path, "live\n");
	snprintf(path, sizeof(path), "%s/nvme/nvme0/transport", at);
	tree_put(root, path, "pcie\n");
	snprintf(path, sizeof(path), "%s/nvme/nvme0/device", at);
	tree_link(root, path, "../../../0000:01:00.0");
	snprintf(path, sizeof(path), "%s/vendor", at);
	tree_put(root, path, "0x144d\n");
	tree_link(root, "sys/class/nvme/nvme0",
		  "../../devices/pci0000:00/0000:01:00.0/nvme/nvme0");
	return root;
}

static void what_a_kernel_does_not_have_is_unknown(void **state)
{
	char *root = small_nvme();
	struct devices devices = read_all(tree_machine(root));
	const struct ssdpm_device_facts *facts = facts_of(&devices, "nvme0");

	(void)state;
	assert_int_equal(facts->known, 0);
	assert_int_equal(facts->flags, 0);
	assert_int_equal(facts->pci_vendor_id, 0x144d);
	assert_int_equal(facts->pci_device_id, 0);
	assert_string_equal(facts->product, "");
	assert_string_equal(facts->driver, "");
	let_go(&devices);
	tree_remove(root);
}

static void the_words_of_a_controller_are_read(void **state)
{
	static const struct {
		const char *file, *text;
		uint32_t known, quirks;
		uint64_t tolerance_us;
	} cases[] = {
		{ "quirks", "none\n", SSDPM_FACT_QUIRKS, 0, 0 },
		{ "quirks", "no_apst\nsimple_suspend\nbogus_nid\n",
		  SSDPM_FACT_QUIRKS,
		  SSDPM_QUIRK_NO_APST | SSDPM_QUIRK_SIMPLE_SUSPEND, 0 },
		{ "quirks", "no_deepest_ps\nforce_no_simple_suspend",
		  SSDPM_FACT_QUIRKS,
		  SSDPM_QUIRK_NO_DEEPEST_PS |
			  SSDPM_QUIRK_FORCE_NO_SIMPLE_SUSPEND,
		  0 },
		{ "power/pm_qos_latency_tolerance_us", "0\n",
		  SSDPM_FACT_LATENCY_TOLERANCE, 0, 0 },
		{ "power/pm_qos_latency_tolerance_us", "25000\n",
		  SSDPM_FACT_LATENCY_TOLERANCE, 0, 25000 },
		{ "power/pm_qos_latency_tolerance_us", "any\n",
		  SSDPM_FACT_LATENCY_TOLERANCE, 0, SSDPM_LATENCY_ANY },
		{ "power/pm_qos_latency_tolerance_us", "auto\n",
		  SSDPM_FACT_LATENCY_TOLERANCE, 0, SSDPM_LATENCY_ANY },
		{ "power/pm_qos_latency_tolerance_us", "2147483647\n",
		  SSDPM_FACT_LATENCY_TOLERANCE, 0, SSDPM_LATENCY_ANY },
		{ "power/pm_qos_latency_tolerance_us", "2147483648\n", 0, 0,
		  0 },
		{ "power/pm_qos_latency_tolerance_us", "soon\n", 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *root = small_nvme();
		struct devices devices;
		const struct ssdpm_device_facts *facts;
		char path[256];

		snprintf(path, sizeof(path),
			 "sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0/%s",
			 cases[i].file);
		tree_put(root, path, cases[i].text);
		devices = read_all(tree_machine(root));
		facts = facts_of(&devices, "nvme0");
		assert_int_equal(facts->known, cases[i].known);
		assert_int_equal(facts->kernel_quirks, cases[i].quirks);
		assert_int_equal(facts->latency_tolerance_us,
				 cases[i].tolerance_us);
		let_go(&devices);
		tree_remove(root);
	}
}

static void the_link_says_what_it_can_and_does(void **state)
{
	static const char at[] = "sys/devices/pci0000:00/0000:01:00.0/link/";
	char *root = small_nvme();
	const struct ssdpm_device_facts *facts;
	struct devices devices;
	char path[256];

	(void)state;
	snprintf(path, sizeof(path), "%sl1_aspm", at);
	tree_put(root, path, "1\n");
	snprintf(path, sizeof(path), "%sl1_2_aspm", at);
	tree_put(root, path, "0\n");
	snprintf(path, sizeof(path), "%sclkpm", at);
	tree_put(root, path, "x\n");
	devices = read_all(tree_machine(root));
	facts = facts_of(&devices, "nvme0");
	assert_int_equal(facts->known, SSDPM_FACT_PCIE);
	assert_int_equal(facts->pcie_capable,
			 SSDPM_PCIE_FEATURE_L1 | SSDPM_PCIE_FEATURE_L1_2);
	assert_int_equal(facts->pcie_enabled, SSDPM_PCIE_FEATURE_L1);
	let_go(&devices);
	tree_remove(root);
}

static void a_controller_over_a_network_has_no_pci_device(void **state)
{
	struct devices devices = read_all(tree_capture("server"));
	const struct ssdpm_device_facts *facts = facts_of(&devices, "nvme0");

	(void)state;
	assert_int_equal(facts->flags, SSDPM_DEVICE_FABRICS);
	assert_string_equal(facts->transport, "tcp");
	assert_string_equal(facts->address, "traddr=192.0.2.7,trsvcid=4420");
	assert_int_equal(facts->pci_vendor_id, 0);
	assert_int_equal(facts->known & SSDPM_FACT_PCIE, 0);
	let_go(&devices);
}

static void what_is_out_of_reach_says_why(void **state)
{
	static const struct {
		const char *name;
		uint32_t reach, kind;
	} cases[] = {
		{ "sda", SSDPM_REACH_SAS, SSDPM_KIND_SATA },
		{ "sdb", SSDPM_REACH_RAID, 0 },
		{ "sdc", SSDPM_REACH_USB, SSDPM_KIND_SATA },
		{ "0000:00:0e.0", SSDPM_REACH_VMD, SSDPM_KIND_NVME },
		{ "0000:00:17.0", SSDPM_REACH_REMAPPED, SSDPM_KIND_NVME },
	};
	struct devices devices = read_all(tree_capture("server"));

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ssdpm_device_facts *facts =
			facts_of(&devices, cases[i].name);
		struct ssdpm_device *device;

		assert_int_equal(facts->reach, cases[i].reach);
		assert_int_equal(facts->kind, cases[i].kind);
		assert_int_equal(ssdpm_device_read(devices.machine,
						   cases[i].name, &device,
						   NULL),
				 0);
		assert_memory_equal(facts, ssdpm_device_get_facts(device),
				    sizeof(*facts));
		ssdpm_device_unref(device);
	}
	assert_int_equal(facts_of(&devices, "0000:00:17.0")->n_devices, 1);
	let_go(&devices);
}

#define HIDDEN "sys/bus/pci/devices/0000:00:0e.0"
static void only_rst_and_vmd_hide_drives(void **state)
{
	static const struct {
		const char *class, *vendor, *device, *driver, *remapped;
		uint32_t reach; /* 0: it hides nothing */
	} cases[] = {
		{ "0x010400", "0x8086", "0x467f", NULL, NULL, SSDPM_REACH_VMD },
		{ "0x010400", "0x8086", "0x467f", "vmd", NULL, 0 },
		{ "0x010400", "0x8086", "0x2822", NULL, NULL, 0 },
		{ "0x010400", "0x8086", "0x282a", NULL, NULL, 0 },
		{ "0x010400", "0x1000", "0x10e2", NULL, NULL, 0 },
		{ "0x010601", "0x8086", "0x9d03", NULL, NULL, 0 },
		{ "0x010601", "0x8086", "0x9d03", "ahci", "0", 0 },
		{ "0x010601", "0x8086", "0x9d03", "ahci", "2",
		  SSDPM_REACH_REMAPPED },
		{ "0x010400", "0x8086", "0x2822", "ahci", "1",
		  SSDPM_REACH_REMAPPED },
		{ "0x010802", "0x8086", "0xf1a5", NULL, NULL, 0 },
		{ "0x01040", "0x8086", "0x467f", NULL, NULL, 0 },
		{ "", "0x8086", "0x467f", NULL, NULL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *root = tree_new();
		struct devices devices;

		tree_put(root, HIDDEN "/class", cases[i].class);
		tree_put(root, HIDDEN "/vendor", cases[i].vendor);
		tree_put(root, HIDDEN "/device", cases[i].device);
		if (cases[i].driver)
			tree_link(root, HIDDEN "/driver", cases[i].driver);
		if (cases[i].remapped)
			tree_put(root, HIDDEN "/remapped_nvme",
				 cases[i].remapped);
		devices = read_all(tree_machine(root));
		assert_names(&devices, cases[i].reach ? "0000:00:0e.0" : "");
		if (cases[i].reach)
			assert_int_equal(
				facts_of(&devices, "0000:00:0e.0")->reach,
				cases[i].reach);
		let_go(&devices);
		tree_remove(root);
	}
}

static void linux_5_10_says_less(void **state)
{
	struct devices devices = read_all(tree_capture("old-5.10"));
	const struct ssdpm_device_facts *nvme = facts_of(&devices, "nvme0");
	const struct ssdpm_device_facts *sata = facts_of(&devices, "sda");

	(void)state;
	assert_int_equal(nvme->known,
			 SSDPM_FACT_LATENCY_TOLERANCE | SSDPM_FACT_PCIE |
				 SSDPM_FACT_D3COLD | SSDPM_FACT_RUNTIME_PM);
	assert_int_equal(
		sata->known,
		SSDPM_FACT_D3COLD | SSDPM_FACT_LPM | SSDPM_FACT_AHCI_PORT_CMD |
			SSDPM_FACT_AHCI_HOST_CAPS | SSDPM_FACT_AHCI_HOST_CAP2 |
			SSDPM_FACT_RUNTIME_PM | SSDPM_FACT_PORT);
	assert_int_equal(sata->lpm, SSDPM_LPM_MAX_PERFORMANCE);
	let_go(&devices);
}

static void a_port_has_its_registers_and_its_drive(void **state)
{
	struct devices devices = read_all(tree_capture("desktop-6.1"));
	const struct ssdpm_device_facts *facts = facts_of(&devices, "sdb");

	(void)state;
	assert_int_equal(facts->kind, SSDPM_KIND_SATA);
	assert_int_equal(facts->reach, SSDPM_REACH_YES);
	assert_int_equal(facts->host, 1);
	assert_int_equal(facts->ata_port, 2);
	assert_true(facts->known & SSDPM_FACT_PORT);
	assert_int_equal(facts->port, 1);
	assert_int_equal(facts->lpm, SSDPM_LPM_MIN_POWER);
	assert_int_equal(facts->n_devices, 1);
	assert_true(facts->ahci_port_cmd & 1u << 26);
	assert_true(facts->ahci_port_cmd & 1u << 27);
	assert_string_equal(facts->driver, "ahci");
	assert_string_equal(facts->address, "0000:00:17.0");
	assert_int_equal(facts->pci_vendor_id, 0x8086);
	assert_string_equal(facts->state, "running");
	facts = facts_of(&devices, "host3");
	assert_true(facts->flags & SSDPM_DEVICE_OPTICAL);
	assert_false(facts->flags & SSDPM_DEVICE_EMPTY);
	facts = facts_of(&devices, "host2");
	assert_true(facts->flags & SSDPM_DEVICE_EMPTY);
	assert_int_equal(facts->n_devices, 0);
	let_go(&devices);
}

static void external_and_hot_plug_ports_are_known_by_their_bits(void **state)
{
	struct devices devices = read_all(tree_capture("external-ports"));
	uint32_t n_external = 0, n_hot_plug = 0;

	(void)state;
	for (size_t i = 0; i < devices.n; i++) {
		const struct ssdpm_device_facts *facts =
			ssdpm_device_get_facts(devices.all[i]);
		const bool esp = facts->ahci_port_cmd & 1u << 21 &&
				 facts->ahci_host_caps & 1u << 5;
		const bool hpcp = facts->ahci_port_cmd & 1u << 18;

		assert_int_equal(!!(facts->flags & SSDPM_DEVICE_EXTERNAL), esp);
		assert_int_equal(!!(facts->flags & SSDPM_DEVICE_HOT_PLUG),
				 hpcp);
		n_external += esp;
		n_hot_plug += hpcp;
	}
	assert_true(n_external && n_hot_plug);
	let_go(&devices);
}

/* 256 words, as sysfs has them. */
static void put_id(const char *root, const char *path, const char *product,
		   bool hipm)
{
	uint16_t words[256];
	char text[256 * 5 + 1], *at = text;

	fixture_ata_words(words);
	fixture_ata_text(words + 27, 20, product);
	words[76] = hipm ? 0x020e : 0x000e;
	for (size_t i = 0; i < 256; i++)
		at += sprintf(at, "%04x%c", words[i], i % 8 == 7 ? '\n' : ' ');
	tree_put(root, path, text);
}

#define PORT "sys/devices/pci0000:00/0000:00:1f.2/ata7/"

/* A port multiplier with a disk on its link 0 and one on its link 3. */
static char *small_multiplier(void)
{
	static const char *const disks[][2] = {
		{ "sda", PORT "host6/target6:0:0/6:0:0:0/block/sda" },
		{ "sdb", PORT "host6/target6:3:0/6:3:0:0/block/sdb" },
	};
	char *root = tree_new();
	char path[256];

	tree_put(root, PORT "host6/scsi_host/host6/state", "running\n");
	tree_link(root, "sys/class/scsi_host/host6",
		  "../../../" PORT "host6/scsi_host/host6");
	tree_put(root, PORT "link7/dev7.0/ata_device/dev7.0/class", "pmp\n");
	tree_put(root, PORT "link7/dev7.0/ata_device/dev7.0/id", "");
	for (int i = 0; i < 2; i++) {
		int link = i ? 3 : 0;

		snprintf(path, sizeof(path), "%s/removable", disks[i][1]);
		tree_put(root, path, "0\n");
		snprintf(path, sizeof(path), "sys/block/%s", disks[i][0]);
		tree_link(root, path,
			  strcmp(disks[i][0], "sda") ?
				  "../../" PORT
				  "host6/target6:3:0/6:3:0:0/block/sdb" :
				  "../../" PORT
				  "host6/target6:0:0/6:0:0:0/block/sda");
		snprintf(path, sizeof(path),
			 PORT "link7.%d/dev7.%d.0/ata_device/dev7.%d.0/class",
			 link, link, link);
		tree_put(root, path, "ata\n");
		snprintf(path, sizeof(path),
			 PORT "link7.%d/dev7.%d.0/ata_device/dev7.%d.0/id",
			 link, link, link);
		put_id(root, path, i ? "Second disk" : "First disk", !i);
	}
	return root;
}

static void disks_behind_a_port_multiplier_share_its_port(void **state)
{
	char *root = small_multiplier();
	struct devices devices = read_all(tree_machine(root));
	struct ssdpm_error error = fixture_error();
	struct ssdpm_device *device = UNTOUCHED;

	(void)state;
	assert_names(&devices, "sda sdb");
	for (size_t i = 0; i < 2; i++) {
		const struct ssdpm_device_facts *facts =
			ssdpm_device_get_facts(devices.all[i]);

		assert_true(facts->flags & SSDPM_DEVICE_SHARED_PORT);
		assert_int_equal(facts->n_devices, 2);
		assert_int_equal(facts->devices_without_hipm, 1);
		assert_int_equal(facts->host, 6);
		assert_int_equal(facts->ata_port, 7);
		assert_string_equal(facts->product,
				    i ? "Second disk" : "First disk");
		/* The host has no policy file: no AHCI, and no ata_piix. */
		assert_int_equal(facts->reach, SSDPM_REACH_NO_LPM);
		assert_int_equal(facts->known & SSDPM_FACT_LPM, 0);
	}
	assert_int_equal(
		ssdpm_device_read(devices.machine, "host6", &device, &error),
		-EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "sda, sdb");
	assert_ptr_equal(device, UNTOUCHED);
	let_go(&devices);
	tree_remove(root);
}

static void assert_found(struct ssdpm_machine *machine, const char *name,
			 const char *found)
{
	struct ssdpm_device *device = UNTOUCHED;
	struct ssdpm_error error = fixture_error();
	int err = ssdpm_device_read(machine, name, &device, &error);

	if (err)
		print_error("%s: %s\n", name, error.message);
	assert_int_equal(err, 0);
	assert_string_equal(ssdpm_device_get_facts(device)->name, found);
	ssdpm_device_unref(device);
}

static void assert_not_found(struct ssdpm_machine *machine, const char *name,
			     int code, const char *words)
{
	struct ssdpm_device *device = UNTOUCHED;
	struct ssdpm_error error = fixture_error();

	assert_int_equal(ssdpm_device_read(machine, name, &device, &error),
			 code);
	fixture_assert_error(&error, code, 0, words);
	assert_ptr_equal(device, UNTOUCHED);
	assert_int_equal(ssdpm_device_read(machine, name, &device, NULL), code);
}

static void a_device_is_found_by_all_its_names(void **state)
{
	struct ssdpm_machine *laptop = tree_capture("laptop");
	struct ssdpm_machine *desktop = tree_capture("desktop-6.1");
	struct ssdpm_machine *server = tree_capture("server");

	(void)state;
	assert_found(laptop, "nvme0", "nvme0");
	assert_found(laptop, "/dev/nvme0", "nvme0");
	assert_found(laptop, "nvme0n1", "nvme0");
	assert_found(laptop, "/dev/nvme0n1", "nvme0");
	assert_found(laptop, "/dev/nvme0n1p2", "nvme0");
	assert_found(laptop, "/dev/ng0n1", "nvme0");
	assert_found(desktop, "sdb", "sdb");
	assert_found(desktop, "/dev/sdb", "sdb");
	assert_found(desktop, "sdb3", "sdb");
	assert_found(desktop, "host1", "sdb");
	assert_found(desktop, "host2", "host2");
	/* The namespace belongs to a subsystem, which has one controller. */
	assert_found(server, "nvme0n1", "nvme0");
	ssdpm_machine_unref(laptop);
	ssdpm_machine_unref(desktop);
	ssdpm_machine_unref(server);
}

static void links_under_dev_are_followed(void **state)
{
	char *root = small_nvme();
	struct ssdpm_machine *machine = tree_machine(root);

	(void)state;
	tree_mkdir(root, "sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0/"
			 "nvme0n1");
	tree_mkdir(root, "sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0/"
			 "nvme0n1/nvme0n1p1");
	tree_link(root, "sys/class/block/nvme0n1p1",
		  "../../devices/pci0000:00/0000:01:00.0/nvme/nvme0/nvme0n1/"
		  "nvme0n1p1");
	tree_put(root, "dev/nvme0n1p1", "");
	tree_link(root, "dev/disk/by-id/nvme-X-part1", "../../nvme0n1p1");
	tree_link(root, "dev/disk/by-id/nvme-Y", "../../nvme7");
	tree_link(root, "dev/disk/by-id/out", "/etc/passwd");
	tree_put(root, "etc/passwd", "");
	assert_found(machine, "/dev/disk/by-id/nvme-X-part1", "nvme0");
	assert_found(machine, "nvme0n1p1", "nvme0");
	assert_not_found(machine, "/dev/disk/by-id/nvme-Y", -ENOENT, "nvme0");
	assert_not_found(machine, "/dev/disk/by-id/out", -EINVAL,
			 "no name of a device");
	ssdpm_machine_unref(machine);
	tree_remove(root);
}

static void what_is_not_there_is_told_with_what_is(void **state)
{
	struct ssdpm_machine *machine = tree_capture("desktop-6.1");
	char *root = tree_new();
	struct ssdpm_machine *empty = tree_machine(root);
	char long_name[2000];

	(void)state;
	memset(long_name, 'x', sizeof(long_name));
	long_name[sizeof(long_name) - 1] = 0;
	assert_not_found(machine, "nvme9", -ENOENT,
			 "nvme0, sda, sdb, host2, host3, host4");
	assert_not_found(machine, "nvme9n1", -ENOENT, "nvme0, sda");
	assert_not_found(machine, "sdz", -ENOENT, "nvme0, sda");
	assert_not_found(machine, "/dev/sdz1", -ENOENT, "nvme0, sda");
	assert_not_found(machine, "host9", -ENOENT, "nvme0, sda");
	assert_not_found(machine, "0000:00:17.0", -ENOENT, "nvme0, sda");
	assert_not_found(machine, "sd", -ENOENT, "nvme0, sda");
	assert_not_found(machine, "", -EINVAL, "no name of a device");
	assert_not_found(machine, "..", -EINVAL, "no name of a device");
	assert_not_found(machine, "/dev/", -EINVAL, "no name of a device");
	assert_not_found(machine, "/sys/class/nvme/nvme0", -EINVAL,
			 "no name of a device");
	assert_not_found(machine, "a/b", -EINVAL, "no name of a device");
	assert_not_found(machine, long_name, -EINVAL, "no name of a device");
	assert_not_found(empty, "nvme0", -ENOENT, "no NVMe or SATA drive");
	ssdpm_machine_unref(machine);
	ssdpm_machine_unref(empty);
	tree_remove(root);
}

static void a_namespace_of_several_controllers_needs_a_name(void **state)
{
	static const char subsystem[] = "sys/devices/virtual/nvme-subsystem/"
					"nvme-subsys0/";
	char *root = small_nvme(), path[256];
	struct ssdpm_machine *machine = tree_machine(root);

	(void)state;
	snprintf(path, sizeof(path), "%snvme0n1", subsystem);
	tree_mkdir(root, path);
	tree_link(root, "sys/class/block/nvme0n1",
		  "../../devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1");
	assert_not_found(machine, "nvme0n1", -ENOENT, "nvme0");
	snprintf(path, sizeof(path), "%snvme0", subsystem);
	tree_mkdir(root, path);
	assert_found(machine, "nvme0n1", "nvme0");
	snprintf(path, sizeof(path), "%snvme1", subsystem);
	tree_mkdir(root, path);
	assert_not_found(machine, "nvme0n1", -EINVAL, "nvme0, nvme1");
	ssdpm_machine_unref(machine);
	tree_remove(root);
}

static void a_root_without_devices_has_an_empty_list(void **state)
{
	char *root = tree_new();
	struct devices devices = read_all(tree_machine(root));

	(void)state;
	assert_null(devices.all);
	assert_int_equal(devices.n, 0);
	let_go(&devices);
	/* Virtual disks are none. */
	tree_mkdir(root, "sys/devices/virtual/block/loop0");
	tree_link(root, "sys/block/loop0", "../devices/virtual/block/loop0");
	tree_link(root, "sys/block/zram0", "../devices/virtual/block/zram0");
	tree_link(root, "sys/block/sr0", "../devices/virtual/block/loop0");
	devices = read_all(tree_machine(root));
	assert_int_equal(devices.n, 0);
	let_go(&devices);
	tree_remove(root);
}

static void a_device_keeps_its_machine(void **state)
{
	struct ssdpm_machine *machine = tree_capture("laptop");
	struct ssdpm_device *device;

	(void)state;
	assert_int_equal(ssdpm_device_read(machine, "nvme0", &device, NULL), 0);
	assert_null(ssdpm_machine_unref(machine));
	assert_ptr_equal(ssdpm_device_ref(device), device);
	assert_null(ssdpm_device_unref(device));
	assert_int_equal(ssdpm__find(device->machine, "sys"), 0);
	assert_null(ssdpm_device_unref(device));
	assert_null(ssdpm_device_unref(NULL));
	assert_null(ssdpm_device_ref(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(captures_have_their_devices_in_order),
		cmocka_unit_test(component_by_component_it_is_the_same),
		cmocka_unit_test(a_controller_is_read_as_a_whole),
		cmocka_unit_test(what_a_kernel_does_not_have_is_unknown),
		cmocka_unit_test(the_words_of_a_controller_are_read),
		cmocka_unit_test(the_link_says_what_it_can_and_does),
		cmocka_unit_test(a_controller_over_a_network_has_no_pci_device),
		cmocka_unit_test(what_is_out_of_reach_says_why),
		cmocka_unit_test(only_rst_and_vmd_hide_drives),
		cmocka_unit_test(linux_5_10_says_less),
		cmocka_unit_test(a_port_has_its_registers_and_its_drive),
		cmocka_unit_test(
			external_and_hot_plug_ports_are_known_by_their_bits),
		cmocka_unit_test(disks_behind_a_port_multiplier_share_its_port),
		cmocka_unit_test(a_device_is_found_by_all_its_names),
		cmocka_unit_test(links_under_dev_are_followed),
		cmocka_unit_test(what_is_not_there_is_told_with_what_is),
		cmocka_unit_test(
			a_namespace_of_several_controllers_needs_a_name),
		cmocka_unit_test(a_root_without_devices_has_an_empty_list),
		cmocka_unit_test(a_device_keeps_its_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
