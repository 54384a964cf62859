/* SPDX-License-Identifier: MIT */
/* The machine as a whole. */
#include "device/internal.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* 0: this machine; 1: another root; 2: one that has the marker of a capture. */
static uint32_t find_capture(int root_fd)
{
	struct stat root, here, marker;

	if (!fstat(root_fd, &root) && !stat("/", &here) &&
	    root.st_dev == here.st_dev && root.st_ino == here.st_ino)
		return 0;
	if (!fstatat(root_fd, SSDPM__MARKER, &marker, AT_SYMLINK_NOFOLLOW) &&
	    S_ISREG(marker.st_mode))
		return 2;
	return 1;
}

static int check_params(const struct ssdpm_machine_params *params,
			struct ssdpm_machine_params *ret_params,
			struct ssdpm_error *reterr)
{
	int err = 0;

	if (params)
		err = ssdpm__sized_in(ret_params, sizeof(*ret_params), params,
				      "ssdpm_machine_params", reterr);
	if (!err && ret_params->reserved)
		err = ssdpm__fail(reterr, -EINVAL, 0,
				  "ssdpm_machine_params.reserved is not 0");
	if (!err && ret_params->log_level > SSDPM_LOG_DEBUG)
		err = ssdpm__fail(
			reterr, -EINVAL, 0,
			"ssdpm_machine_params.log_level is %u: 0 to %d "
			"are known",
			ret_params->log_level, SSDPM_LOG_DEBUG);
	return err;
}

static struct ssdpm_machine *machine_free(struct ssdpm_machine *machine)
{
	if (machine->root_fd >= 0)
		close(machine->root_fd);
	free(machine->root);
	free(machine);
	return NULL;
}

static int open_root(struct ssdpm_machine *machine, const char *root,
		     struct ssdpm_error *reterr)
{
	int code;

	machine->root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (machine->root_fd < 0) {
		code = -errno;
		return ssdpm__fail(reterr, code, 0, "%s: %s", root,
				   ssdpm_strerror(code));
	}
	if (machine->root)
		machine->capture = find_capture(machine->root_fd);
	return 0;
}

int ssdpm_machine_new(const struct ssdpm_machine_params *params,
		      struct ssdpm_machine **ret_machine,
		      struct ssdpm_error *reterr)
{
	struct ssdpm_machine_params known = { 0 };
	struct ssdpm_machine *machine;
	int err;

	err = check_params(params, &known, reterr);
	if (err)
		return err;
	machine = calloc(1, sizeof(*machine));
	if (!machine)
		return ssdpm__no_memory(reterr);
	machine->references = 1;
	machine->root_fd = -1;
	machine->log_fn = known.log_fn;
	machine->userdata = known.userdata;
	machine->log_level = known.log_level;
	if (known.root) {
		machine->root = strdup(known.root);
		if (!machine->root)
			err = ssdpm__no_memory(reterr);
	}
	if (!err)
		err = open_root(machine, known.root ? known.root : "/", reterr);
	if (err)
		machine_free(machine);
	else
		*ret_machine = machine;
	return err;
}

struct ssdpm_machine *ssdpm_machine_ref(struct ssdpm_machine *machine)
{
	if (machine)
		__atomic_add_fetch(&machine->references, 1, __ATOMIC_RELAXED);
	return machine;
}

struct ssdpm_machine *ssdpm_machine_unref(struct ssdpm_machine *machine)
{
	if (machine &&
	    !__atomic_sub_fetch(&machine->references, 1, __ATOMIC_ACQ_REL))
		machine_free(machine);
	return NULL;
}

/*
 * The supplies of power, all together. usb: one of type USB, or a similar type,
 * is on line.
 */
struct supplies {
	bool mains, on_line, usb, battery, charging, discharging, full;
};

static void add_battery(struct supplies *supplies, struct directory *supply)
{
	char text[32];

	/* The battery of a mouse says nothing about the machine. */
	if (ssdpm__get_text(supply, "scope", text, sizeof(text)) &&
	    !strcmp(text, "Device"))
		return;
	supplies->battery = true;
	if (!ssdpm__get_text(supply, "status", text, sizeof(text)))
		return;
	if (!strcmp(text, "Discharging"))
		supplies->discharging = true;
	else if (!strcmp(text, "Charging"))
		supplies->charging = true;
	else if (!strcmp(text, "Full") || !strcmp(text, "Not charging"))
		supplies->full = true;
}

static bool is_on_line(struct directory *supply, bool *ret_known)
{
	uint64_t on_line;

	*ret_known =
		ssdpm__get_number(supply, "online", 10, UINT32_MAX, &on_line);
	return *ret_known && on_line > 0;
}

static void add_supply(struct supplies *supplies, struct directory *supply)
{
	bool known, on_line;
	char type[32];

	if (!ssdpm__get_text(supply, "type", type, sizeof(type)))
		return;
	if (!strcmp(type, "Battery") || !strcmp(type, "UPS")) {
		add_battery(supplies, supply);
		return;
	}
	on_line = is_on_line(supply, &known);
	if (!strcmp(type, "Mains")) {
		supplies->mains |= known;
		supplies->on_line |= on_line;
	} else {
		supplies->usb |= on_line;
	}
}

/*
 * Linux reads the adapter anew, and keeps what a battery said for up to 1 s
 * (cache_time in drivers/acpi/battery.c). A battery that charges from nothing
 * was asked before the adapter was unplugged.
 */
static uint32_t judge_supplies(const struct supplies *supplies)
{
	if (supplies->on_line)
		return SSDPM_SOURCE_AC;
	if (supplies->discharging)
		return SSDPM_SOURCE_BATTERY;
	if (supplies->charging && supplies->usb)
		return SSDPM_SOURCE_AC;
	if (supplies->mains)
		return SSDPM_SOURCE_BATTERY;
	if (supplies->charging || supplies->full || !supplies->battery)
		return SSDPM_SOURCE_AC;
	return 0;
}

/* enum ssdpm_power_source, or 0: no supply says. */
static int read_power_source(const struct ssdpm_machine *machine,
			     uint32_t *ret_source)
{
	static const char class[] = "sys/class/power_supply";
	struct supplies supplies = { 0 };
	char path[SSDPM__PATH_BYTES];
	struct names names = { 0 };
	struct directory supply = { .machine = machine, .path = path };
	int err;

	err = ssdpm__list_names(machine, class, &names);
	if (err == -ENOENT) /* a kernel that knows none has the class above */
		err = ssdpm__find(machine, "sys/class");
	ssdpm__note_failure(&supply, err);
	if (err)
		return supply.err;
	for (size_t i = 0; i < names.n; i++)
		if (!ssdpm__join(path, class, names.names[i]))
			add_supply(&supplies, &supply);
	ssdpm__free_names(&names);
	*ret_source = judge_supplies(&supplies);
	return supply.err;
}

/* The value of the word in brackets; 0: none of them. */
static uint32_t read_choice(struct directory *sys, const char *name,
			    uint32_t (*from_string)(const char *))
{
	char text[128];

	return ssdpm__get_text(sys, name, text, sizeof(text)) ?
		       from_string(ssdpm__choice(text)) :
		       0;
}

static void read_nvme_core(struct directory *core,
			   struct ssdpm_machine_facts *facts)
{
	char text[8];

	for (uint32_t i = 1; i < SSDPM_NVME_CORE_FORCE_APST; i++)
		if (ssdpm__get_number(core, ssdpm_nvme_core_to_string(i), 10,
				      UINT64_MAX, &facts->nvme_core[i]))
			facts->nvme_core_known |= 1u << i;
	if (!ssdpm__get_text(core, "force_apst", text, sizeof(text)) ||
	    (strcmp(text, "Y") && strcmp(text, "N")))
		return;
	facts->nvme_core[SSDPM_NVME_CORE_FORCE_APST] = text[0] == 'Y';
	facts->nvme_core_known |= 1u << SSDPM_NVME_CORE_FORCE_APST;
}

static void read_ahci(struct directory *ahci, struct ssdpm_machine_facts *facts)
{
	char text[sizeof(facts->mask_port_ext)];
	const char *digits;
	struct span span;
	uint64_t value;

	if (ssdpm__get_text(ahci, "mask_port_ext", text, sizeof(text)) &&
	    strcmp(text, "(null)"))
		strcpy(facts->mask_port_ext, text);
	facts->mobile_lpm_policy = INT32_MIN;
	if (!ssdpm__get_text(ahci, "mobile_lpm_policy", text, sizeof(text)))
		return;
	digits = text[0] == '-' ? text + 1 : text;
	span = ssdpm__span(digits, strlen(digits));
	if (!ssdpm__take_uint(&span, INT32_MAX, &value) || span.at != span.end)
		return;
	facts->mobile_lpm_policy =
		digits == text ? (int32_t)value : -(int32_t)value;
}

static void read_names_of_machine(struct directory *dmi,
				  struct ssdpm_machine_facts *facts)
{
	const struct {
		const char *file;
		char *text;
		size_t size;
	} texts[] = {
		{ "sys_vendor", facts->sys_vendor, sizeof(facts->sys_vendor) },
		{ "product_name", facts->product_name,
		  sizeof(facts->product_name) },
		{ "product_version", facts->product_version,
		  sizeof(facts->product_version) },
		{ "board_vendor", facts->board_vendor,
		  sizeof(facts->board_vendor) },
		{ "board_name", facts->board_name, sizeof(facts->board_name) },
		{ "bios_date", facts->bios_date, sizeof(facts->bios_date) },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		ssdpm__get_text(dmi, texts[i].file, texts[i].text,
				texts[i].size);
}

/*
 * The release may lack the patch level, which the rules of quirks ask for. For
 * Debian's "6.1.0-56-amd64" the version has it, "#1 SMP Debian 6.1.192-2
 * (2026-10-01)"; for "6.8.0-45-generic" the signature that only Ubuntu has,
 * "Ubuntu 6.8.0-45.45-generic 6.8.12". Where it stands, or NULL.
 */
static const char *find_level(struct directory *proc, char *text, size_t size)
{
	static const char debian[] = "Debian ", ubuntu[] = "Ubuntu ";
	const char *at = NULL;

	if (ssdpm__get_text(proc, "sys/kernel/version", text, size))
		at = strstr(text, debian);
	if (at)
		return at + strlen(debian);
	if (!ssdpm__get_text(proc, "version_signature", text, size) ||
	    strncmp(text, ubuntu, strlen(ubuntu)))
		return NULL;
	return strrchr(text, ' ') + 1;
}

static void read_release(struct directory *proc, char release[72])
{
	unsigned int major, minor, level, v_major, v_minor, v_level;
	char text[256], plain[40];
	const char *at;

	if (!ssdpm__get_text(proc, "sys/kernel/osrelease", release, 72) ||
	    sscanf(release, "%u.%u.%u", &major, &minor, &level) != 3 || level)
		return;
	at = find_level(proc, text, sizeof(text));
	if (!at || sscanf(at, "%u.%u.%u", &v_major, &v_minor, &v_level) != 3 ||
	    v_major != major || v_minor != minor || !v_level)
		return;
	snprintf(plain, sizeof(plain), "%.39s", release);
	snprintf(release, 72, "%u.%u.%u (%s)", v_major, v_minor, v_level,
		 plain);
}

int ssdpm_machine_read_facts(struct ssdpm_machine *machine,
			     struct ssdpm_machine_facts *ret_facts,
			     struct ssdpm_error *reterr)
{
	struct ssdpm_machine_facts facts = { 0 };
	struct directory at = { .machine = machine };
	int err;

	err = ssdpm__sized_check(ret_facts, sizeof(facts),
				 "ssdpm_machine_facts", reterr);
	if (err)
		return err;
	err = read_power_source(machine, &facts.power_source);
	at.path = "sys/power";
	facts.suspend =
		read_choice(&at, "mem_sleep", ssdpm_suspend_from_string);
	at.path = "sys/module/pcie_aspm/parameters";
	facts.aspm_policy =
		read_choice(&at, "policy", ssdpm_aspm_policy_from_string);
	at.path = "sys/module/nvme_core/parameters";
	read_nvme_core(&at, &facts);
	at.path = "sys/module/ahci/parameters";
	read_ahci(&at, &facts);
	at.path = "sys/class/dmi/id";
	read_names_of_machine(&at, &facts);
	at.path = "proc";
	read_release(&at, facts.linux_release);
	facts.capture = machine->capture;
	if (!err)
		err = at.err;
	if (err)
		return ssdpm__fail(reterr, err, 0, "the machine: %s",
				   ssdpm_strerror(err));
	ssdpm__sized_out(ret_facts, &facts, sizeof(facts));
	return 0;
}

/* Files of a machine, for stages and programs that read more of it. */

static int fail_to_read(const struct ssdpm_machine *machine, const char *path,
			int err, struct ssdpm_error *reterr)
{
	if (err == -ENOMEM)
		return ssdpm__no_memory(reterr);
	return ssdpm__fail_read(machine, path, err, ssdpm_strerror(err),
				reterr);
}

uint32_t ssdpm_machine_get_capture(const struct ssdpm_machine *machine)
{
	return machine->capture;
}

int ssdpm_machine_read_attribute(const struct ssdpm_machine *machine,
				 const char *path, char *ret_text, size_t size,
				 struct ssdpm_error *reterr)
{
	char text[SSDPM__ATTRIBUTE_BYTES];
	/* Blanks at the end need no room. */
	const bool is_long = size > sizeof(text);
	int err = is_long ? ssdpm__read_text(machine, path, ret_text, size) :
			    ssdpm__read_text(machine, path, text, sizeof(text));

	if (!err && !is_long && strlen(text) >= size)
		err = -E2BIG;
	if (err)
		return fail_to_read(machine, path, err, reterr);
	if (!is_long)
		memcpy(ret_text, text, strlen(text) + 1);
	return 0;
}

/* One block: the array, and behind it what it points to. */
static char **to_block(const struct names *names)
{
	size_t size = names->n * sizeof(char *);
	char **block;
	char *at;

	for (size_t i = 0; i < names->n; i++)
		size += strlen(names->names[i]) + 1;
	block = malloc(size);
	if (!block)
		return NULL;
	at = (char *)(block + names->n);
	for (size_t i = 0; i < names->n; i++) {
		const size_t n = strlen(names->names[i]) + 1;

		block[i] = memcpy(at, names->names[i], n);
		at += n;
	}
	return block;
}

int ssdpm_machine_read_directory(const struct ssdpm_machine *machine,
				 const char *path, char ***ret_names,
				 size_t *ret_n, struct ssdpm_error *reterr)
{
	struct names names;
	char **block = NULL;
	int err = ssdpm__list_names(machine, path, &names);

	if (err)
		return fail_to_read(machine, path, err, reterr);
	if (names.n) {
		block = to_block(&names);
		err = block ? 0 : -ENOMEM;
	}
	if (!err) {
		*ret_names = block;
		*ret_n = names.n;
	}
	ssdpm__free_names(&names);
	return err ? fail_to_read(machine, path, err, reterr) : 0;
}

int ssdpm_machine_read_link(const struct ssdpm_machine *machine,
			    const char *path, char *ret_path, size_t size,
			    struct ssdpm_error *reterr)
{
	char real[SSDPM__PATH_BYTES];
	int err = ssdpm__real_path(machine, path, real, sizeof(real));

	if (!err && strlen(real) >= size)
		err = -ENAMETOOLONG;
	if (err)
		return fail_to_read(machine, path, err, reterr);
	memcpy(ret_path, real, strlen(real) + 1);
	return 0;
}
