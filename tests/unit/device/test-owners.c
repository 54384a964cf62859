/* SPDX-License-Identifier: MIT */
/* Other programs that set the same values, on made-up machines. */
#include "tree.h"

/* A root and its machine. */
struct root {
	char *path;
	struct ssdpm_machine *machine;
};

static void make_root(struct root *root)
{
	root->path = tree_new();
	root->machine = tree_machine(root->path);
}

static void remove_root(struct root *root)
{
	ssdpm_machine_unref(root->machine);
	tree_remove(root->path);
}

static void put(const struct root *root, const char *path, const char *text)
{
	tree_put(root->path, path, text);
}

struct owners {
	struct ssdpm_owner *all;
	size_t n;
};

static struct owners read_owners(const struct root *root)
{
	struct owners owners;

	assert_int_equal(ssdpm_machine_read_owners(root->machine, &owners.all,
						   &owners.n, NULL),
			 0);
	return owners;
}

static void assert_owner(const struct owners *owners, size_t index,
			 uint32_t kind, const char *path, uint32_t line,
			 const char *setting)
{
	assert_in_range(index + 1, 1, owners->n);
	assert_int_equal(owners->all[index].kind, kind);
	assert_string_equal(owners->all[index].path, path);
	assert_int_equal(owners->all[index].line, line);
	assert_string_equal(owners->all[index].setting, setting);
}

static void a_machine_without_such_files_has_no_owners(void **state)
{
	struct owners owners;
	struct root root;

	(void)state;
	make_root(&root);
	owners = read_owners(&root);
	assert_int_equal(owners.n, 0);
	assert_null(owners.all);
	remove_root(&root);
}

static void tlp_counts_where_it_is_not_commented_out(void **state)
{
	struct owners owners;
	struct root root;

	(void)state;
	make_root(&root);
	put(&root, "etc/tlp.d/00-a.conf", "AHCI_RUNTIME_PM_ON_AC=on");
	put(&root, "etc/tlp.d/00-a.conf.bak", "AHCI_RUNTIME_PM_ON_AC=on");
	put(&root, "etc/default/tlp", "SATA_LINKPWR_ON_AC=medium_power\n");
	owners = read_owners(&root);
	assert_int_equal(owners.n, 2);
	assert_owner(&owners, 0, SSDPM_OWNER_TLP, "/etc/tlp.d/00-a.conf", 1,
		     "AHCI_RUNTIME_PM_ON_AC=on");
	assert_owner(&owners, 1, SSDPM_OWNER_TLP, "/etc/default/tlp", 1,
		     "SATA_LINKPWR_ON_AC=medium_power");
	free(owners.all);
	/* The old file is not read if the new one exists. */
	put(&root, "etc/tlp.conf",
	    "#SATA_LINKPWR_ON_AC=\"x\"\n# SATA_LINKPWR_ON_BAT=\"x\"\n"
	    "\tSATA_LINKPWR_ON_BAT=\"min_power\"  \nUSB_AUTOSUSPEND=1\n");
	owners = read_owners(&root);
	assert_int_equal(owners.n, 2);
	assert_owner(&owners, 1, SSDPM_OWNER_TLP, "/etc/tlp.conf", 3,
		     "SATA_LINKPWR_ON_BAT=\"min_power\"");
	free(owners.all);
	remove_root(&root);
}

static void of_tlp_the_line_that_decides_counts(void **state)
{
	struct owners owners;
	struct root root;

	(void)state;
	make_root(&root);
	/* As installed: everything else is commented out. */
	put(&root, "usr/share/tlp/defaults.conf",
	    "TLP_ENABLE=1\n"
	    "SATA_LINKPWR_ON_AC=\"med_power_with_dipm max_performance\"\n"
	    "SATA_LINKPWR_ON_BAT=\"med_power_with_dipm min_power\"\n"
	    "AHCI_RUNTIME_PM_ON_AC=on\n");
	put(&root, "etc/tlp.conf", "#SATA_LINKPWR_ON_AC=x\n");
	owners = read_owners(&root);
	assert_int_equal(owners.n, 2);
	assert_owner(&owners, 0, SSDPM_OWNER_TLP,
		     "/usr/share/tlp/defaults.conf", 2,
		     "SATA_LINKPWR_ON_AC=\"med_power_with_dipm "
		     "max_performance\"");
	free(owners.all);
	/* tlp.conf comes after tlp.d, and "" means to leave it alone. */
	put(&root, "etc/tlp.d/10-a.conf", "SATA_LINKPWR_ON_AC=medium_power\n");
	put(&root, "etc/tlp.conf",
	    "SATA_LINKPWR_ON_AC=max_performance\nSATA_LINKPWR_ON_BAT=\"\"\n");
	owners = read_owners(&root);
	assert_int_equal(owners.n, 1);
	assert_owner(&owners, 0, SSDPM_OWNER_TLP, "/etc/tlp.conf", 1,
		     "SATA_LINKPWR_ON_AC=max_performance");
	free(owners.all);
	put(&root, "etc/tlp.conf", "TLP_ENABLE=\"0\"\n");
	owners = read_owners(&root);
	assert_int_equal(owners.n, 0);
	free(owners.all);
	remove_root(&root);
}

static void our_own_file_for_tlp_takes_the_place_of_its_defaults(void **state)
{
	struct owners owners;
	struct root root;

	(void)state;
	make_root(&root);
	put(&root, "usr/share/tlp/defaults.conf", "SATA_LINKPWR_ON_AC=x\n");
	put(&root, "etc/tlp.d/50-ssdpm.conf",
	    "# Written by ssdpm\n# Kind: tlp\nSATA_LINKPWR_ON_AC=medium_power\n");
	owners = read_owners(&root);
	assert_int_equal(owners.n, 1);
	assert_owner(&owners, 0, SSDPM_OWNER_SSDPM, "/etc/tlp.d/50-ssdpm.conf",
		     0, "tlp");
	free(owners.all);
	remove_root(&root);
}

static void a_file_in_etc_takes_the_place_of_those_of_its_name(void **state)
{
	static const char rule[] = "ATTR{link_power_management_policy}=\"x\"";
	struct owners owners;
	struct root root;

	(void)state;
	make_root(&root);
	put(&root, "usr/lib/udev/rules.d/60-x.rules", rule);
	put(&root, "run/udev/rules.d/60-x.rules", rule);
	put(&root, "etc/modprobe.d/60-x.rules", rule);
	owners = read_owners(&root);
	assert_int_equal(owners.n, 1);
	assert_owner(&owners, 0, SSDPM_OWNER_UDEV,
		     "/run/udev/rules.d/60-x.rules", 1, rule);
	free(owners.all);
	put(&root, "etc/udev/rules.d/60-x.rules", "");
	owners = read_owners(&root);
	assert_int_equal(owners.n, 0);
	free(owners.all);
	remove_root(&root);
}

#define POLICY "/sys/class/scsi_host/host0/link_power_management_policy"

static void units_count_where_they_are_switched_on(void **state)
{
	static const char tmpfile[] = "w " POLICY " - - - - min_power";
	struct owners owners;
	struct root root;

	(void)state;
	make_root(&root);
	put(&root, "usr/lib/systemd/system/powertop.service",
	    "[Service]\nExecStart=/usr/sbin/powertop --auto-tune\n");
	put(&root, "etc/systemd/system/idle.service",
	    "ExecStart=sh -c 'echo min_power > " POLICY "'\n");
	put(&root, "usr/lib/tmpfiles.d/sata.conf", tmpfile);
	owners = read_owners(&root);
	assert_int_equal(owners.n, 1);
	assert_owner(&owners, 0, SSDPM_OWNER_SYSTEMD,
		     "/usr/lib/tmpfiles.d/sata.conf", 1, tmpfile);
	free(owners.all);
	tree_mkdir(root.path, "etc/systemd/system/multi-user.target.wants");
	tree_link(root.path,
		  "etc/systemd/system/multi-user.target.wants/powertop.service",
		  "/usr/lib/systemd/system/powertop.service");
	owners = read_owners(&root);
	assert_int_equal(owners.n, 2);
	assert_owner(
		&owners, 1, SSDPM_OWNER_SYSTEMD,
		"/etc/systemd/system/multi-user.target.wants/powertop.service",
		2, "ExecStart=/usr/sbin/powertop --auto-tune");
	free(owners.all);
	/* Our file is reported once. */
	put(&root, "etc/systemd/system/ssdpm.service",
	    "# Written by ssdpm\n# Kind: systemd\n");
	tree_link(root.path,
		  "etc/systemd/system/multi-user.target.wants/ssdpm.service",
		  "../ssdpm.service");
	owners = read_owners(&root);
	assert_int_equal(owners.n, 3);
	free(owners.all);
	remove_root(&root);
}

static void tuned_counts_by_its_active_profile_and_what_that_includes(
	void **state)
{
	struct owners owners;
	struct root root;

	(void)state;
	make_root(&root);
	put(&root, "etc/tuned/active_profile", "mine\n");
	put(&root, "etc/tuned/mine/tuned.conf",
	    "[main]\ninclude=nowhere, powersave\n[disk]\nalpm=no\n");
	put(&root, "usr/lib/tuned/powersave/tuned.conf",
	    "[main]\nsummary=x\n[scsi_host]\n# alpm=x\nalpm = min_power\n");
	put(&root, "usr/lib/tuned/other/tuned.conf", "[scsi_host]\nalpm=x\n");
	owners = read_owners(&root);
	assert_int_equal(owners.n, 1);
	assert_owner(&owners, 0, SSDPM_OWNER_TUNED,
		     "/usr/lib/tuned/powersave/tuned.conf", 5,
		     "alpm = min_power");
	free(owners.all);
	/* A file in /etc precedes that of the distribution. */
	put(&root, "etc/tuned/powersave/tuned.conf",
	    "[scsi_host]\nalpm=medium_power\n");
	owners = read_owners(&root);
	assert_owner(&owners, 0, SSDPM_OWNER_TUNED,
		     "/etc/tuned/powersave/tuned.conf", 2, "alpm=medium_power");
	free(owners.all);
	remove_root(&root);
}

static void tuned_has_plug_ins_by_name_and_by_type(void **state)
{
	static const struct {
		uint32_t line;
		const char *setting;
	} found[] = {
		{ 3, "max_exit_latency_us = 25000" },
		{ 7, "lpm=min_power" },
		{ 12, "alpm=medium_power" },
		{ 14, "/sys/class/nvme/nvme0/power/"
		      "pm_qos_latency_tolerance_us=0" },
	};
	struct owners owners;
	struct root root;

	(void)state;
	make_root(&root);
	put(&root, "etc/tuned/active_profile", "mine\n");
	put(&root, "etc/tuned/mine/tuned.conf",
	    "[ssdpm]\ndevices = nvme*\nmax_exit_latency_us = 25000\n"
	    "[links]\ntype = ssdpm\n;lpm=x\nlpm=min_power\nalpm=x\n"
	    "max_exit_latency=1\n"
	    "[more]\ntype=scsi_host\nalpm=medium_power\n"
	    "[sysfs]\n/sys/class/nvme/nvme0/power/"
	    "pm_qos_latency_tolerance_us=0\n/sys/kernel/x=lpm\n"
	    "[ssdpm\nlpm=x\n"
	    "[disk]\nlpm=x\nmax_exit_latency_us=1\n");
	owners = read_owners(&root);
	assert_int_equal(owners.n, 4);
	for (size_t i = 0; i < 4; i++)
		assert_owner(&owners, i, SSDPM_OWNER_TUNED,
			     "/etc/tuned/mine/tuned.conf", found[i].line,
			     found[i].setting);
	free(owners.all);
	remove_root(&root);
}

static void a_profile_may_include_itself_or_point_elsewhere(void **state)
{
	struct owners owners;
	struct root root;

	(void)state;
	make_root(&root);
	put(&root, "etc/tuned/active_profile", "loop ../../secret .hidden\n");
	put(&root, "etc/tuned/loop/tuned.conf",
	    "[main]\ninclude=loop,loop;loop , loop\n");
	put(&root, "secret/tuned.conf", "[scsi_host]\nalpm=x\n");
	owners = read_owners(&root);
	assert_int_equal(owners.n, 0);
	remove_root(&root);
}

static void laptop_mode_tools_counts_where_it_is_switched_on(void **state)
{
	struct owners owners;
	struct root root;

	(void)state;
	make_root(&root);
	put(&root, "etc/laptop-mode/conf.d/intel-sata-powermgmt.conf",
	    "DEBUG=0\nCONTROL_INTEL_SATA_POWER=\"auto\"\n"
	    "BATT_ACTIVATE_SATA_POWER=1\n");
	put(&root, "etc/laptop-mode/conf.d/sata.conf",
	    "CONTROL_SATA_POWER=0\n");
	put(&root, "etc/laptop-mode/conf.d/sata2.conf",
	    "CONTROL_SATA_POWER=\"0\"\n");
	owners = read_owners(&root);
	assert_int_equal(owners.n, 1);
	assert_owner(&owners, 0, SSDPM_OWNER_LAPTOP_MODE_TOOLS,
		     "/etc/laptop-mode/conf.d/intel-sata-powermgmt.conf", 2,
		     "CONTROL_INTEL_SATA_POWER=\"auto\"");
	free(owners.all);
	remove_root(&root);
}

static void rules_of_udev_count_by_the_files_that_they_write(void **state)
{
	static const char rule[] =
		"SUBSYSTEM==\"nvme\", "
		"ATTR{power/pm_qos_latency_tolerance_us}=\"0\"";
	struct owners owners;
	struct root root;

	(void)state;
	make_root(&root);
	put(&root, "usr/lib/udev/rules.d/60-x.rules", rule);
	put(&root, "run/udev/rules.d/60-y.rules",
	    "#ATTR{link_power_management_policy}=\"x\"\nACTION==\"add\"\n");
	put(&root, "etc/udev/rules.d/README",
	    "ATTR{link_power_management_policy}=\"x\"\n");
	owners = read_owners(&root);
	assert_int_equal(owners.n, 1);
	assert_owner(&owners, 0, SSDPM_OWNER_UDEV,
		     "/usr/lib/udev/rules.d/60-x.rules", 1, rule);
	free(owners.all);
	remove_root(&root);
}

static void values_of_sysfsutils_count_and_modes_do_not(void **state)
{
	struct owners owners;
	struct root root;

	(void)state;
	make_root(&root);
	put(&root, "etc/sysfs.conf",
	    "# class/scsi_host/host0/link_power_management_policy = x\n"
	    "mode class/scsi_host/host0/link_power_management_policy = 0660\n"
	    "owner class/scsi_host/host0/link_power_management_policy = me\n"
	    "class/scsi_host/host0/link_power_management_policy = x\n");
	put(&root, "etc/sysfs.d/power.conf",
	    "class/nvme/nvme0/power/pm_qos_latency_tolerance_us = 0\n"
	    "devices/system/cpu/cpu0/online = 0\n");
	put(&root, "etc/sysfs.d/power.conf.old",
	    "class/nvme/nvme0/power/pm_qos_latency_tolerance_us = 0\n");
	owners = read_owners(&root);
	assert_int_equal(owners.n, 2);
	assert_owner(&owners, 0, SSDPM_OWNER_SYSFSUTILS, "/etc/sysfs.conf", 4,
		     "class/scsi_host/host0/link_power_management_policy = x");
	assert_owner(&owners, 1, SSDPM_OWNER_SYSFSUTILS,
		     "/etc/sysfs.d/power.conf", 1,
		     "class/nvme/nvme0/power/pm_qos_latency_tolerance_us = 0");
	free(owners.all);
	remove_root(&root);
}

static void options_of_modules_count_by_their_parameter(void **state)
{
	struct owners owners;
	struct root root;

	(void)state;
	make_root(&root);
	put(&root, "etc/modprobe.d/a.conf",
	    "options nvme_core io_timeout=60\n"
	    "options nvme_core default_ps_max_latency_us=0\n"
	    "# options ahci mobile_lpm_policy=1\n"
	    "options ahci mobile_lpm_policy=1\n"
	    "blacklist mobile_lpm_policy=\n"
	    "options libata  noacpi=1\tforce=noncq\n"
	    "options libata noacpi=1\n"
	    "options other force=1 quirks=2\n"
	    "options nvme io_queue_depth=8 quirks=1:2:no_apst\n");
	owners = read_owners(&root);
	assert_int_equal(owners.n, 4);
	assert_owner(&owners, 2, SSDPM_OWNER_MODPROBE, "/etc/modprobe.d/a.conf",
		     6, "options libata  noacpi=1 force=noncq");
	assert_owner(&owners, 3, SSDPM_OWNER_MODPROBE, "/etc/modprobe.d/a.conf",
		     9, "options nvme io_queue_depth=8 quirks=1:2:no_apst");
	assert_owner(&owners, 0, SSDPM_OWNER_MODPROBE, "/etc/modprobe.d/a.conf",
		     2, "options nvme_core default_ps_max_latency_us=0");
	assert_owner(&owners, 1, SSDPM_OWNER_MODPROBE, "/etc/modprobe.d/a.conf",
		     4, "options ahci mobile_lpm_policy=1");
	free(owners.all);
	remove_root(&root);
}

static void lines_of_modprobe_go_on_behind_a_backslash(void **state)
{
	static const char path[] = "/usr/local/lib/modprobe.d/a.conf";
	struct owners owners;
	struct root root;

	(void)state;
	make_root(&root);
	put(&root, "usr/local/lib/modprobe.d/a.conf",
	    "options libata noacpi=1 \\\n"
	    "  atapi_dmadir=1 \\\n"
	    "\tforce=noncq\n"
	    "# a comment goes on, too \\\n"
	    "options ahci mobile_lpm_policy=1\n"
	    "options nvme quirks=1:2:no_\\\n"
	    "apst\n"
	    "options ahci mobile_lpm_policy=2\\");
	put(&root, "lib/modprobe.d/a.conf", "options ahci mobile_lpm_policy=3");
	put(&root, "lib/modprobe.d/b.conf", "options ahci mobile_lpm_policy=4");
	owners = read_owners(&root);
	assert_int_equal(owners.n, 4);
	assert_owner(&owners, 0, SSDPM_OWNER_MODPROBE, path, 1,
		     "options libata noacpi=1   atapi_dmadir=1  force=noncq");
	assert_owner(&owners, 1, SSDPM_OWNER_MODPROBE, path, 6,
		     "options nvme quirks=1:2:no_apst");
	assert_owner(&owners, 2, SSDPM_OWNER_MODPROBE, path, 8,
		     "options ahci mobile_lpm_policy=2\\");
	assert_owner(&owners, 3, SSDPM_OWNER_MODPROBE, "/lib/modprobe.d/b.conf",
		     1, "options ahci mobile_lpm_policy=4");
	free(owners.all);
	remove_root(&root);
}

#define MARK "# Written by ssdpm; `ssdpm revert --persist` removes it\n"

static void our_own_files_are_known_by_their_mark(void **state)
{
	struct owners owners;
	struct root root;

	(void)state;
	make_root(&root);
	put(&root, "etc/modprobe.d/ssdpm.conf",
	    MARK "# Kind: modprobe\noptions nvme_core force_apst=1\n");
	put(&root, "etc/systemd/system/ssdpm.service",
	    MARK "# Kind: systemd\n[Unit]\n");
	put(&root, "etc/systemd/system/other.service", "[Unit]\n");
	put(&root, "etc/tlp.d/50-ssdpm.conf", "#!/bin/sh\n" MARK);
	owners = read_owners(&root);
	assert_int_equal(owners.n, 3);
	assert_owner(&owners, 0, SSDPM_OWNER_SSDPM, "/etc/tlp.d/50-ssdpm.conf",
		     0, "");
	assert_owner(&owners, 1, SSDPM_OWNER_SSDPM,
		     "/etc/modprobe.d/ssdpm.conf", 0, "modprobe");
	assert_owner(&owners, 2, SSDPM_OWNER_SSDPM,
		     "/etc/systemd/system/ssdpm.service", 0, "systemd");
	free(owners.all);
	remove_root(&root);
}

static void long_lines_are_cut_and_odd_bytes_are_not_printed(void **state)
{
	char text[600] = "SATA_LINKPWR_ON_AC=\x1b[2J";
	struct owners owners;
	struct root root;

	(void)state;
	make_root(&root);
	memset(text + 23, 'x', 500);
	put(&root, "etc/tlp.conf", text);
	owners = read_owners(&root);
	assert_int_equal(owners.n, 1);
	assert_int_equal(strlen(owners.all[0].setting), 251);
	assert_memory_equal(owners.all[0].setting, "SATA_LINKPWR_ON_AC=?[2Jxx",
			    25);
	free(owners.all);
	remove_root(&root);
}

#define FORTY "nvme0n1_nvme0n1_nvme0n1_nvme0n1_nvme0n1_"
#define LONG_NAME FORTY FORTY FORTY FORTY FORTY FORTY

static void each_says_what_it_may_undo(void **state)
{
	static const struct {
		const char *path, *text;
		uint32_t sets;
	} rows[] = {
		{ "etc/tlp.conf", "SATA_LINKPWR_ON_AC=x",
		  SSDPM_OWNER_SETS_LPM },
		{ "etc/tlp.conf", "AHCI_RUNTIME_PM_ON_AC=on",
		  SSDPM_OWNER_SETS_RUNTIME_PM },
		{ "usr/share/tlp/defaults.conf", "PCIE_ASPM_ON_AC=default",
		  SSDPM_OWNER_SETS_ASPM_POLICY },
		{ "etc/tmpfiles.d/a.conf",
		  "w /sys/module/pcie_aspm/parameters/policy - - - - powersave",
		  SSDPM_OWNER_SETS_ASPM_POLICY },
		{ "etc/udev/rules.d/a.rules",
		  "ATTR{power/pm_qos_latency_tolerance_us}=\"0\"",
		  SSDPM_OWNER_SETS_LATENCY_TOLERANCE },
		{ "etc/udev/rules.d/a.rules",
		  "ATTR{link_power_management_policy}=\"x\"",
		  SSDPM_OWNER_SETS_LPM },
		{ "etc/tmpfiles.d/a.conf", "powertop --auto-tune",
		  SSDPM_OWNER_SETS_LPM | SSDPM_OWNER_SETS_RUNTIME_PM },
		{ "etc/laptop-mode/conf.d/a.conf", "CONTROL_SATA_POWER=1",
		  SSDPM_OWNER_SETS_LPM },
		{ "etc/modprobe.d/a.conf", "options ahci mobile_lpm_policy=1",
		  SSDPM_OWNER_SETS_LPM | SSDPM_OWNER_SETS_PARAMETER },
		{ "etc/modprobe.d/a.conf",
		  "options nvme_core default_ps_max_latency_us=0",
		  SSDPM_OWNER_SETS_LATENCY_TOLERANCE |
			  SSDPM_OWNER_SETS_PARAMETER },
		{ "etc/modprobe.d/a.conf", "options nvme_core force_apst=1",
		  SSDPM_OWNER_SETS_PARAMETER },
		{ "etc/modprobe.d/a.conf", MARK "# Kind: modprobe\n",
		  SSDPM_OWNER_SETS_PARAMETER },
		/* The word is where the text of the setting is cut. */
		{ "etc/udev/rules.d/a.rules",
		  "KERNEL==\"" LONG_NAME "\", "
		  "ATTR{POWER/PM_QOS_LATENCY_TOLERANCE_US}=\"0\"",
		  SSDPM_OWNER_SETS_LATENCY_TOLERANCE },
		{ "etc/tlp.d/50-ssdpm.conf", MARK,
		  SSDPM_OWNER_SETS_LATENCY_TOLERANCE | SSDPM_OWNER_SETS_LPM },
	};
	struct owners owners;
	struct root root;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		make_root(&root);
		put(&root, rows[i].path, rows[i].text);
		owners = read_owners(&root);
		assert_int_equal(owners.n, 1);
		assert_int_equal(owners.all[0].sets, rows[i].sets);
		free(owners.all);
		remove_root(&root);
	}
}

static void what_cannot_be_read_is_left_out(void **state)
{
	char name[600] = "etc/tlp.d/";
	struct owners owners;
	struct root root;

	(void)state;
	make_root(&root);
	tree_link(root.path, "etc/tlp.conf", "nowhere");
	tree_link(root.path, "etc/default/tlp", "/../../../etc/passwd");
	tree_mkdir(root.path, "etc/tlp.d/folder.conf");
	tree_put(root.path, "etc/modprobe.d", "a file, and no folder\n");
	tree_link(root.path, "etc/udev/rules.d", "rules.d");
	memset(name + 10, 'x', 200);
	strcpy(name + 210, ".conf");
	put(&root, name, "SATA_LINKPWR_ON_AC=x");
	owners = read_owners(&root);
	assert_int_equal(owners.n, 1);
	assert_int_equal(owners.all[0].line, 1);
	free(owners.all);
	remove_root(&root);
}

static void a_file_too_long_to_be_one_is_left_out(void **state)
{
	char *text = malloc(1 << 17);
	struct owners owners;
	struct root root;

	(void)state;
	assert_non_null(text);
	memset(text, '\n', 1 << 17);
	memcpy(text, "SATA_LINKPWR_ON_AC=x", 20);
	text[(1 << 16) - 1] = 0;
	make_root(&root);
	put(&root, "etc/tlp.conf", text);
	owners = read_owners(&root);
	assert_int_equal(owners.n, 1);
	free(owners.all);
	text[(1 << 16) - 1] = '\n';
	text[(1 << 17) - 1] = 0;
	put(&root, "etc/tlp.conf", text);
	owners = read_owners(&root);
	assert_int_equal(owners.n, 0);
	free(text);
	remove_root(&root);
}

static void a_thousand_owners_are_enough(void **state)
{
	static const char line[] = "options ahci mobile_lpm_policy=1\n";
	const size_t n = sizeof(line) - 1;
	char *text = malloc(1500 * n + 1);
	struct owners owners;
	struct root root;

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < 1500; i++)
		memcpy(text + i * n, line, n);
	text[1500 * n] = 0;
	make_root(&root);
	put(&root, "etc/modprobe.d/a.conf", text);
	owners = read_owners(&root);
	assert_int_equal(owners.n, 1024);
	free(owners.all);
	free(text);
	remove_root(&root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_machine_without_such_files_has_no_owners),
		cmocka_unit_test(tlp_counts_where_it_is_not_commented_out),
		cmocka_unit_test(of_tlp_the_line_that_decides_counts),
		cmocka_unit_test(
			our_own_file_for_tlp_takes_the_place_of_its_defaults),
		cmocka_unit_test(
			a_file_in_etc_takes_the_place_of_those_of_its_name),
		cmocka_unit_test(units_count_where_they_are_switched_on),
		cmocka_unit_test(
			tuned_counts_by_its_active_profile_and_what_that_includes),
		cmocka_unit_test(tuned_has_plug_ins_by_name_and_by_type),
		cmocka_unit_test(
			a_profile_may_include_itself_or_point_elsewhere),
		cmocka_unit_test(
			laptop_mode_tools_counts_where_it_is_switched_on),
		cmocka_unit_test(
			rules_of_udev_count_by_the_files_that_they_write),
		cmocka_unit_test(values_of_sysfsutils_count_and_modes_do_not),
		cmocka_unit_test(options_of_modules_count_by_their_parameter),
		cmocka_unit_test(lines_of_modprobe_go_on_behind_a_backslash),
		cmocka_unit_test(our_own_files_are_known_by_their_mark),
		cmocka_unit_test(
			long_lines_are_cut_and_odd_bytes_are_not_printed),
		cmocka_unit_test(each_says_what_it_may_undo),
		cmocka_unit_test(what_cannot_be_read_is_left_out),
		cmocka_unit_test(a_file_too_long_to_be_one_is_left_out),
		cmocka_unit_test(a_thousand_owners_are_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
