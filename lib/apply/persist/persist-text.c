/* SPDX-License-Identifier: MIT */
/*
 * The files that make a policy last.
 *
 * Values that are the same on AC and on battery, and that need no new table
 * from the kernel, are set by udev itself. All else is done by the command,
 * which knows the power source, the quirks, and the order that a port needs.
 */
#include "apply/persist/persist.h"
#include "device/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE "power/pm_qos_latency_tolerance_us"

const char *const ssdpm__unit_targets[] = {
	"multi-user.target",
	"suspend.target",
	"hibernate.target",
	"hybrid-sleep.target",
	"suspend-then-hibernate.target",
	NULL,
};

enum {
	NVME_CORE = SSDPM_PROFILE_PRIMARY_TIMEOUT |
		    SSDPM_PROFILE_PRIMARY_LATENCY_TOLERANCE |
		    SSDPM_PROFILE_SECONDARY_TIMEOUT |
		    SSDPM_PROFILE_SECONDARY_LATENCY_TOLERANCE,
	NVME = NVME_CORE | SSDPM_PROFILE_MAX_EXIT_LATENCY,
};

/* As a comment: what would end it, or go on after it, does not come through. */
static void put_reason(struct text *text, const char *source,
		       const struct ssdpm_profile_settings *settings)
{
	ssdpm__put(text, "# %s%s: ", settings->name, source);
	for (const char *c = settings->reason; *c; c++)
		ssdpm__put(text, "%c",
			   *c >= ' ' && *c <= '~' && *c != '\\' ? *c : '?');
	ssdpm__put(text, "\n");
}

/* "name=value" of these bits, each with this before it. */
static void put_parameters(struct text *text,
			   const struct ssdpm_profile_settings *settings,
			   uint32_t bits, const char *before)
{
	const struct {
		uint32_t bit, parameter;
		uint64_t value;
	} all[] = {
		{ SSDPM_PROFILE_MAX_EXIT_LATENCY,
		  SSDPM_NVME_CORE_DEFAULT_PS_MAX_LATENCY_US,
		  settings->max_exit_latency_us == SSDPM_LATENCY_ANY ?
			  INT32_MAX :
			  settings->max_exit_latency_us },
		{ SSDPM_PROFILE_PRIMARY_TIMEOUT,
		  SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS,
		  settings->primary_timeout_ms },
		{ SSDPM_PROFILE_PRIMARY_LATENCY_TOLERANCE,
		  SSDPM_NVME_CORE_APST_PRIMARY_LATENCY_TOL_US,
		  settings->primary_latency_tolerance_us },
		{ SSDPM_PROFILE_SECONDARY_TIMEOUT,
		  SSDPM_NVME_CORE_APST_SECONDARY_TIMEOUT_MS,
		  settings->secondary_timeout_ms },
		{ SSDPM_PROFILE_SECONDARY_LATENCY_TOLERANCE,
		  SSDPM_NVME_CORE_APST_SECONDARY_LATENCY_TOL_US,
		  settings->secondary_latency_tolerance_us },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (settings->set & bits & all[i].bit)
			ssdpm__put(text, "%s%s=%" PRIu64, before,
				   ssdpm_nvme_core_to_string(all[i].parameter),
				   all[i].value);
}

/* Policies of a port, the first that it takes. */
static void put_lpms(struct text *text, const char *between,
		     const struct ssdpm_profile_settings *settings)
{
	for (uint32_t i = 0; i < settings->n_lpms; i++)
		ssdpm__put(text, "%s%s", i ? between : "",
			   ssdpm_lpm_to_string(settings->lpms[i]));
}

/* Settings as options of the command. */
static void put_own(struct text *text, const struct ssdpm_profile_settings *own)
{
	if (own->set & SSDPM_PROFILE_MAX_EXIT_LATENCY &&
	    own->max_exit_latency_us == SSDPM_LATENCY_ANY)
		ssdpm__put(text, " --latency any");
	else if (own->set & SSDPM_PROFILE_MAX_EXIT_LATENCY)
		ssdpm__put(text, " --latency %" PRIu64 "us",
			   own->max_exit_latency_us);
	put_parameters(text, own, NVME_CORE, " --nvme-core ");
	if (own->set & SSDPM_PROFILE_LPM) {
		ssdpm__put(text, " --lpm ");
		put_lpms(text, ",", own);
	}
}

static void put_head(struct text *text, const struct lasting *kept)
{
	ssdpm__put(text, "%s%s%s\n", SSDPM__PERSIST_MARKER, SSDPM__PERSIST_KIND,
		   ssdpm_persist_kind_to_string(kept->kind));
	if (kept->has_own) {
		ssdpm__put(text, "# Settings:");
		put_own(text, &kept->own);
		ssdpm__put(text, "\n");
	}
	if (!kept->has_profile)
		return;
	put_reason(text, kept->is_same ? "" : " on AC", &kept->ac);
	if (!kept->is_same)
		put_reason(text, " on battery", &kept->battery);
}

/* The name for the command; NULL: there are two. */
static const char *word_of(const struct lasting *kept)
{
	const char *ac = kept->ac.name, *battery = kept->battery.name;

	if (!strcmp(ac, battery))
		return ac;
	return !strcmp(ac, "balanced") && !strcmp(battery, "power-saver") ?
		       "auto" :
		       NULL;
}

static void put_command(struct text *text, const struct lasting *kept,
			const char *verb)
{
	ssdpm__put(text, "%s %s", kept->command, verb);
	if (kept->of_files)
		ssdpm__put(text, " --config");
	else if (kept->has_profile)
		ssdpm__put(text, " --profile %s", word_of(kept));
	if (kept->has_profile && kept->profiles)
		ssdpm__put(text, " --profiles %s", kept->profiles);
	if (kept->one_source)
		ssdpm__put(text, " --source %s",
			   ssdpm_power_source_to_string(kept->ac.power_source));
	put_own(text, &kept->own);
	ssdpm__put(text, " --quiet");
}

/* A file names one profile, which the command must know. */
static int check_name(const struct lasting *kept, struct ssdpm_error *reterr)
{
	const char *name = word_of(kept);
	struct ssdpm_profile_settings known = { .size = sizeof(known) };

	if (!kept->has_profile || kept->of_files)
		return 0;
	if (!name)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%s on AC and %s on battery: a file names "
				   "one profile; make one of your own of the "
				   "two, see ssdpm_policy(3)",
				   kept->ac.name, kept->battery.name);
	if (!kept->profiles && !kept->is_named && strcmp(name, "auto") != 0 &&
	    ssdpm_profile_find(NULL, 0, name, SSDPM_SOURCE_AC, &known, NULL))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "profiles: missing, and %s is not built in",
				   name);
	return 0;
}

static int add_file(struct ssdpm_persist *persist, const char *path,
		    uint32_t mode, const struct text *contents,
		    const char *note, struct ssdpm_error *reterr)
{
	return ssdpm__persist_add(persist, path, mode, contents->text, note,
				  reterr);
}

/* Do the parameters of nvme_core stay what Linux makes them? */
static bool keeps_nvme_core(const struct ssdpm_profile_settings *settings)
{
	struct ssdpm_apst_params linux_own;

	ssdpm_apst_params_init(&linux_own, sizeof(linux_own));
	return (!(settings->set & SSDPM_PROFILE_PRIMARY_TIMEOUT) ||
		settings->primary_timeout_ms == linux_own.primary_timeout_ms) &&
	       (!(settings->set & SSDPM_PROFILE_PRIMARY_LATENCY_TOLERANCE) ||
		settings->primary_latency_tolerance_us ==
			linux_own.primary_latency_tolerance_us) &&
	       (!(settings->set & SSDPM_PROFILE_SECONDARY_TIMEOUT) ||
		settings->secondary_timeout_ms ==
			linux_own.secondary_timeout_ms) &&
	       (!(settings->set & SSDPM_PROFILE_SECONDARY_LATENCY_TOLERANCE) ||
		settings->secondary_latency_tolerance_us ==
			linux_own.secondary_latency_tolerance_us);
}

/*
 * Linux announces the controller before it knows whether that has APST, and
 * again when it is live (5.18). Its disk always comes after that.
 */
static void put_tolerance_rules(struct text *text, uint64_t us)
{
	static const char *const rules[] = {
		"ACTION==\"add|change\", SUBSYSTEM==\"nvme\", ",
		TOLERANCE,
		"ACTION==\"add\", SUBSYSTEM==\"block\", KERNEL==\"nvme*\", "
		"ENV{DEVTYPE}==\"disk\", ",
		"device/" TOLERANCE,
	};
	char value[24] = "any";

	if (us != SSDPM_LATENCY_ANY)
		snprintf(value, sizeof(value), "%" PRIu64, us);
	ssdpm__put(text,
		   "\n# The file is there if the drive has APST. It comes "
		   "with the controller, or\n# with the disk.\n");
	for (int i = 0; i < 4; i += 2)
		ssdpm__put(text,
			   "%s\\\n  TEST==\"%s\", \\\n  ATTR{%s}=\"%s\"\n",
			   rules[i], rules[i + 1], rules[i + 1], value);
}

/* Batteries change all the time; adapters when they are plugged in or out. */
static void put_source_rule(struct text *text, const struct lasting *kept)
{
	if (kept->is_same)
		return;
	ssdpm__put(text, "ACTION==\"change\", SUBSYSTEM==\"power_supply\", "
			 "ATTR{type}!=\"Battery\", \\\n"
			 "  GOTO=\"ssdpm_apply\"\n");
}

/* Rules that call the command, by systemd where it runs. */
static void put_calls(struct text *text, const struct lasting *kept,
		      const char *disks)
{
	ssdpm__put(text, "\n");
	put_source_rule(text, kept);
	ssdpm__put(text,
		   "ACTION==\"add\", SUBSYSTEM==\"block\", "
		   "KERNEL==\"%s\", ENV{DEVTYPE}==\"disk\", \\\n"
		   "  GOTO=\"ssdpm_apply\"\n"
		   "GOTO=\"ssdpm_end\"\n\n"
		   "LABEL=\"ssdpm_apply\"\n"
		   "TEST!=\"%s\", GOTO=\"ssdpm_end\"\n",
		   disks, kept->command);
	ssdpm__put(text, "TEST==\"/run/systemd/system\", \\\n"
			 "  RUN+=\"" SSDPM__SYSTEMD_RUN " ");
	put_command(text, kept, "apply");
	ssdpm__put(text, "\"\nTEST!=\"/run/systemd/system\", RUN+=\"");
	put_command(text, kept, "apply");
	ssdpm__put(text, "\"\nLABEL=\"ssdpm_end\"\n");
}

static int add_rules(struct ssdpm_persist *persist, const struct lasting *kept,
		     struct ssdpm_error *reterr)
{
	const uint32_t set = kept->ac.set | kept->battery.set;
	bool sata =
		kept->kind == SSDPM_PERSIST_UDEV && (set & SSDPM_PROFILE_LPM);
	bool is_plain = kept->is_same && keeps_nvme_core(&kept->ac);
	struct text text = { .n = 0 };
	int err = sata || !is_plain ? check_name(kept, reterr) : 0;

	if (err)
		return err;
	put_head(&text, kept);
	ssdpm__put_power_rules(&text, kept);
	if (is_plain && (set & SSDPM_PROFILE_MAX_EXIT_LATENCY))
		put_tolerance_rules(&text, kept->ac.max_exit_latency_us);
	if (!is_plain)
		put_calls(&text, kept, sata ? "nvme*|sd*" : "nvme*");
	else if (sata)
		put_calls(&text, kept, "sd*");
	return add_file(persist, SSDPM__UDEV_RULES, 0644, &text,
			"takes effect at the next boot, or now: udevadm "
			"control --reload && udevadm trigger --action=add "
			"--subsystem-match=block --subsystem-match=nvme",
			reterr);
}

/* Numbers of libata's policies: those of SATA_MOBILE_LPM_POLICY. */
static uint32_t number_of(uint32_t lpm)
{
	return lpm - SSDPM_LPM_KEEP_FIRMWARE_SETTINGS;
}

static int fill_modprobe(struct ssdpm_persist *persist,
			 const struct lasting *kept, struct ssdpm_error *reterr)
{
	const struct ssdpm_profile_settings *settings = &kept->ac;
	struct text text = { .n = 0 }, note = { .n = 0 };

	if (!kept->is_same)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "modprobe knows no power source, and the "
				   "profile differs on battery: choose one "
				   "source, or udev");
	put_head(&text, kept);
	ssdpm__put(&note,
		   "takes effect when the modules are loaded, at the next "
		   "boot. Where the initramfs loads them, rebuild it: "
		   "update-initramfs -u -k all (Debian, Ubuntu), dracut "
		   "--force --regenerate-all (Fedora, RHEL, openSUSE), "
		   "mkinitcpio -P (Arch). Modules that "
		   "/lib/modules/*/modules.builtin names read no file: put "
		   "this on the kernel command line:");
	if (settings->set & NVME) {
		ssdpm__put(&text, "options nvme_core");
		put_parameters(&text, settings, NVME, " ");
		ssdpm__put(&text, "\n");
		put_parameters(&note, settings, NVME, " nvme_core.");
	}
	if (settings->set & SSDPM_PROFILE_LPM) {
		ssdpm__put(&text,
			   "# %s, of AHCI ports; up to Linux 6.1 of mobile "
			   "chipsets alone\n",
			   ssdpm_lpm_to_string(settings->lpms[0]));
		ssdpm__put(&text, "options ahci mobile_lpm_policy=%u\n",
			   number_of(settings->lpms[0]));
		ssdpm__put(&note, " ahci.mobile_lpm_policy=%u",
			   number_of(settings->lpms[0]));
	}
	return add_file(persist, SSDPM__MODPROBE_CONF, 0644, &text, note.text,
			reterr);
}

static void put_targets(struct text *text, const char *key, int first)
{
	ssdpm__put(text, "%s=", key);
	for (int i = first; ssdpm__unit_targets[i]; i++)
		ssdpm__put(text, "%s%s", i > first ? " " : "",
			   ssdpm__unit_targets[i]);
	ssdpm__put(text, "\n");
}

static int add_source_rule(struct ssdpm_persist *persist,
			   const struct lasting *kept,
			   struct ssdpm_error *reterr)
{
	struct text text = { .n = 0 };

	put_head(&text, kept);
	ssdpm__put(&text, "\nACTION==\"change\", SUBSYSTEM==\"power_supply\", "
			  "ATTR{type}!=\"Battery\", \\\n"
			  "  TEST==\"/run/systemd/system\", \\\n"
			  "  RUN+=\"/usr/bin/systemctl --no-block restart "
			  "ssdpm.service\"\n");
	return add_file(persist, SSDPM__UDEV_RULES, 0644, &text,
			"udevadm control --reload", reterr);
}

/* The unit allows what the command needs, and nothing else. */
static const char service[] =
	"# The power source may change often.\n"
	"StartLimitIntervalSec=0\n"
	"\n"
	"[Service]\n"
	"Type=oneshot\n" SSDPM__LOG_LEVEL "\n" SSDPM__LOG_LEVEL_MAX "\n"
	"# ssdpm writes to /sys, so that ProtectKernelTunables cannot be set, "
	"and to\n"
	"# /run/ssdpm, where revert looks later.\n"
	"ProtectSystem=strict\n"
	"RuntimeDirectory=ssdpm\n"
	"RuntimeDirectoryPreserve=yes\n"
	"ProtectHome=read-only\n"
	"PrivateTmp=yes\n"
	"PrivateNetwork=yes\n"
	"RestrictAddressFamilies=AF_UNIX\n"
	"NoNewPrivileges=yes\n"
	"ProtectClock=yes\n"
	"ProtectControlGroups=yes\n"
	"ProtectHostname=yes\n"
	"ProtectKernelLogs=yes\n"
	"ProtectKernelModules=yes\n"
	"ProtectProc=invisible\n"
	"RestrictNamespaces=yes\n"
	"RestrictRealtime=yes\n"
	"RestrictSUIDSGID=yes\n"
	"LockPersonality=yes\n"
	"MemoryDenyWriteExecute=yes\n"
	"SystemCallArchitectures=native\n"
	"SystemCallFilter=@system-service\n"
	"SystemCallErrorNumber=EPERM\n"
	"# Controllers and disks: commands to them, and a read that wakes them.\n"
	"DevicePolicy=closed\n"
	"DeviceAllow=char-nvme rw\n"
	"DeviceAllow=block-blkext r\n"
	"DeviceAllow=block-sd rw\n"
	"# At boot, udev may still load drivers.\n"
	"ExecStartPre=-/usr/bin/udevadm settle --timeout=60\n";

static int fill_systemd(struct ssdpm_persist *persist,
			const struct lasting *kept, struct ssdpm_error *reterr)
{
	struct text text = { .n = 0 };
	const bool calls = kept->has_profile || kept->has_own;
	int err = check_name(kept, reterr);

	if (err)
		return err;
	put_head(&text, kept);
	ssdpm__put(&text,
		   "[Unit]\n"
		   "Description=Power policy of SSDs%s%s\n"
		   "Documentation=man:ssdpm-apply(1)\n"
		   "ConditionFileIsExecutable=%s\n"
		   "# After the machine has slept: these are reached when it "
		   "is awake again.\n",
		   calls ? ": " : "", calls ? word_of(kept) : "",
		   kept->command);
	put_targets(&text, "After", 1);
	ssdpm__put(&text, "%s", service);
	/* A file of profiles may lie where only its owner can read. */
	ssdpm__put(&text,
		   "CapabilityBoundingSet=CAP_SYS_ADMIN CAP_SYS_RAWIO%s\n",
		   kept->profiles ? " CAP_DAC_READ_SEARCH" : "");
	if (calls) {
		ssdpm__put(&text, "ExecStart=");
		put_command(&text, kept, "apply");
		ssdpm__put(&text, "\n");
	}
	ssdpm__put_power_calls(&text, kept);
	ssdpm__put(&text, "\n[Install]\n");
	put_targets(&text, "WantedBy", 0);
	err = add_file(persist, SSDPM__UNIT, 0644, &text,
		       "systemctl daemon-reload && systemctl enable --now "
		       "ssdpm.service",
		       reterr);
	if (!err && !kept->is_same)
		err = add_source_rule(persist, kept, reterr);
	return err;
}

static void put_tlp_key(struct text *text, const char *key,
			const struct ssdpm_profile_settings *settings)
{
	if (!(settings->set & SSDPM_PROFILE_LPM))
		return;
	ssdpm__put(text, "%s=\"", key);
	put_lpms(text, " ", settings);
	ssdpm__put(text, "\"\n");
}

static int fill_tlp(struct ssdpm_persist *persist, const struct lasting *kept,
		    struct ssdpm_error *reterr)
{
	const uint32_t set = kept->ac.set | kept->battery.set;
	struct text text = { .n = 0 };
	int err;

	if (!(set & SSDPM_PROFILE_LPM))
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"TLP sets the links of SATA ports alone, and "
			"no link policy is given: udev sets the rest");
	put_head(&text, kept);
	if (!kept->of_files)
		ssdpm__put(&text, "# TLP has no setting for NVMe: "
				  "85-ssdpm.rules has that.\n");
	put_tlp_key(&text, "SATA_LINKPWR_ON_AC", &kept->ac);
	put_tlp_key(&text, "SATA_LINKPWR_ON_BAT", &kept->battery);
	err = add_file(persist, SSDPM__TLP_CONF, 0644, &text,
		       "tlp start. TLP 1.5 leaves out a policy for all further "
		       "ports once a port has refused it: name ports that "
		       "refuse in SATA_LINKPWR_DENYLIST",
		       reterr);
	if (!err && (set & NVME) && !kept->of_files)
		err = add_rules(persist, kept, reterr);
	return err;
}

static int add_tuned_script(struct ssdpm_persist *persist,
			    const struct lasting *kept, const char *directory,
			    struct ssdpm_error *reterr)
{
	struct text text = { .n = 0 };
	char path[160];

	snprintf(path, sizeof(path), "%s/script.sh", directory);
	ssdpm__put(&text, "#!/bin/sh\n");
	put_head(&text, kept);
	ssdpm__put(&text, "case $1 in\nstart) exec ");
	put_command(&text, kept, "apply");
	ssdpm__put(&text, " ;;\nverify) exec ");
	put_command(&text, kept, "check");
	/* A caller that keeps the files would set them again. */
	if (!kept->of_files)
		ssdpm__put(&text, " ;;\nstop) exec %s revert --quiet",
			   kept->command);
	ssdpm__put(&text, " ;;\nesac\n");
	return add_file(persist, path, 0755, &text, "", reterr);
}

static int add_tuned_profile(struct ssdpm_persist *persist,
			     const struct lasting *kept, const char *folder,
			     const char *note, struct ssdpm_error *reterr)
{
	const char *name = word_of(kept);
	struct text text = { .n = 0 };
	char directory[128], path[160];
	int err;

	snprintf(directory, sizeof(directory), "/%s/ssdpm-%s", folder, name);
	snprintf(path, sizeof(path), "%s/tuned.conf", directory);
	put_head(&text, kept);
	ssdpm__put(&text,
		   "[main]\n"
		   "summary=Power policy of SSDs: %s\n"
		   "\n"
		   "# Where another profile is active beside this one, its "
		   "[scsi_host] shall not\n"
		   "# set the SATA links, too.\n"
		   "[scsi_host]\n"
		   "enabled=false\n"
		   "\n"
		   "[script]\n"
		   "script=${i:PROFILE_DIR}/script.sh\n",
		   name);
	err = add_file(persist, path, 0644, &text, note, reterr);
	if (!err)
		err = add_tuned_script(persist, kept, directory, reterr);
	return err;
}

/* Into the folders of all releases: the files outlive an upgrade of TuneD. */
static int fill_tuned(struct ssdpm_persist *persist, const struct lasting *kept,
		      struct ssdpm_error *reterr)
{
	struct text note = { .n = 0 };
	int err = check_name(kept, reterr);
	const char *name;

	if (err)
		return err;
	name = word_of(kept);
	ssdpm__put(&note,
		   "tuned-adm profile ssdpm-%s, or beside another one: "
		   "tuned-adm profile balanced ssdpm-%s%s",
		   name, name,
		   kept->is_same ? "" :
				   ". TuneD does not follow the power "
				   "source: udev does");
	for (size_t i = 0; !err && i < SSDPM__N_TUNED_ETC_FOLDERS; i++)
		err = add_tuned_profile(persist, kept, ssdpm__tuned_folders[i],
					i ? "" : note.text, reterr);
	return err;
}

int ssdpm__persist_fill(struct ssdpm_persist *persist,
			const struct lasting *kept, struct ssdpm_error *reterr)
{
	switch (kept->kind) {
	case SSDPM_PERSIST_UDEV:
		return add_rules(persist, kept, reterr);
	case SSDPM_PERSIST_MODPROBE:
		return fill_modprobe(persist, kept, reterr);
	case SSDPM_PERSIST_SYSTEMD:
		return fill_systemd(persist, kept, reterr);
	case SSDPM_PERSIST_TLP:
		return fill_tlp(persist, kept, reterr);
	default:
		return fill_tuned(persist, kept, reterr);
	}
}
