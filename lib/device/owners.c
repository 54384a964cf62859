/* SPDX-License-Identifier: MIT */
/*
 * Who else sets latency tolerances and link power management: the files of TLP,
 * tuned, laptop-mode-tools, udev, modprobe, and our own.
 */
#include "device/owners.h"

#include "base/text.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static_assert(sizeof(struct ssdpm_owner) == 512, "frozen");

enum {
	MAX_FILE_BYTES = 1 << 16, /* longer ones are left out */
	MAX_INCLUDES = 8,
};

#define TUNED_ACTIVE "etc/tuned/active_profile"

struct search {
	struct ssdpm_machine *machine;
	struct ssdpm_owner *owners;
	size_t n, room;
	char *text; /* of the file that is being read */
	int err;
};

/* Does a line without blanks around it set something of ours? */
typedef bool (*is_setting_fn)(struct span line);

static bool contains_one(struct span line, const char *const *words)
{
	for (; *words; words++)
		if (ssdpm__span_contains(line, *words))
			return true;
	return false;
}

static bool is_tlp(struct span line)
{
	return ssdpm__take(&line, "SATA_LINKPWR_ON_") ||
	       ssdpm__take(&line, "AHCI_RUNTIME_PM_ON_");
}

/* CONTROL_SATA_POWER, formerly CONTROL_INTEL_SATA_POWER; 0: it does not. */
static bool is_laptop_mode(struct span line)
{
	return ssdpm__take(&line, "CONTROL_") &&
	       ssdpm__span_contains(line, "SATA_POWER=") && line.end[-1] != '0';
}

static bool is_udev(struct span line)
{
	static const char *const words[] = { "link_power_management_policy",
					     "pm_qos_latency_tolerance_us",
					     NULL };

	return *line.at != '#' && contains_one(line, words);
}

static bool is_modprobe(struct span line)
{
	static const char *const words[] = {
		"default_ps_max_latency_us=",
		"apst_primary_",
		"apst_secondary_",
		"force_apst",
		"nvme quirks=",
		"mobile_lpm_policy=",
		"mask_port_ext=",
		"libata force=",
		NULL,
	};
	struct span word;

	return ssdpm__take_word(&line, &word) &&
	       ssdpm__span_is(word, "options") && contains_one(line, words);
}

/* A file, or, with a suffix, a directory whose files end in it. */
static const struct place {
	uint32_t kind;
	char path[28];
	char suffix[8];
	is_setting_fn is_setting;
} places[] = {
	{ SSDPM_OWNER_TLP, "etc/default/tlp", "", is_tlp },
	{ SSDPM_OWNER_TLP, "etc/tlp.conf", "", is_tlp },
	{ SSDPM_OWNER_TLP, "etc/tlp.d", ".conf", is_tlp },
	{ SSDPM_OWNER_LAPTOP_MODE_TOOLS, "etc/laptop-mode/conf.d", ".conf",
	  is_laptop_mode },
	{ SSDPM_OWNER_UDEV, "etc/udev/rules.d", ".rules", is_udev },
	{ SSDPM_OWNER_UDEV, "run/udev/rules.d", ".rules", is_udev },
	{ SSDPM_OWNER_UDEV, "usr/lib/udev/rules.d", ".rules", is_udev },
	{ SSDPM_OWNER_MODPROBE, "etc/modprobe.d", ".conf", is_modprobe },
	{ SSDPM_OWNER_MODPROBE, "run/modprobe.d", ".conf", is_modprobe },
	{ SSDPM_OWNER_MODPROBE, "usr/lib/modprobe.d", ".conf", is_modprobe },
	{ SSDPM_OWNER_SSDPM, "etc/systemd/system", ".service", NULL },
};

static void add(struct search *search, uint32_t kind, const char *path,
		uint32_t line, struct span setting)
{
	struct ssdpm_owner *owner;
	size_t n = (size_t)(setting.end - setting.at);

	if (search->n == search->room) {
		size_t room = search->room ? 2 * search->room : 8;

		owner = realloc(search->owners, room * sizeof(*owner));
		if (!owner) {
			search->err = -ENOMEM;
			return;
		}
		search->owners = owner;
		search->room = room;
	}
	owner = &search->owners[search->n++];
	memset(owner, 0, sizeof(*owner));
	owner->kind = kind;
	owner->line = line;
	snprintf(owner->path, sizeof(owner->path), "/%s", path);
	if (n >= sizeof(owner->setting))
		setting.end = setting.at + sizeof(owner->setting) - 1;
	ssdpm__span_copy(setting, owner->setting, sizeof(owner->setting));
}

/* Read into search->text. false: it is not there, or nothing for us. */
static bool load(struct search *search, const char *path, struct lines *lines)
{
	size_t n;

	if (search->err || ssdpm__read_bytes(search->machine, path,
					     search->text, MAX_FILE_BYTES, &n))
		return false;
	*lines = (struct lines){ ssdpm__span(search->text, n), 0 };
	return true;
}

/* Ours says so before all else, and then for what: "# Kind: udev". */
static bool is_ours(struct lines lines, struct span *ret_kind)
{
	struct span line;

	if (!ssdpm__next_line(&lines, &line))
		return false;
	if (ssdpm__take(&line, "#!") && !ssdpm__next_line(&lines, &line))
		return false;
	if (!ssdpm__take(&line, SSDPM__OWN_MARK))
		return false;
	if (!ssdpm__next_line(&lines, ret_kind) ||
	    !ssdpm__take(ret_kind, "# Kind: "))
		ret_kind->end = ret_kind->at;
	return true;
}

static void read_file(struct search *search, const struct place *place,
		      const char *path)
{
	struct span line, kind = { 0 };
	struct lines lines;

	if (!load(search, path, &lines))
		return;
	if (is_ours(lines, &kind)) {
		add(search, SSDPM_OWNER_SSDPM, path, 0, kind);
		return;
	}
	while (place->is_setting && !search->err &&
	       ssdpm__next_line(&lines, &line))
		if (line.at < line.end && place->is_setting(line))
			add(search, place->kind, path, lines.line, line);
}

static bool ends_in(const char *name, const char *suffix)
{
	size_t n = strlen(name), n_suffix = strlen(suffix);

	return n > n_suffix && strcmp(name + n - n_suffix, suffix) == 0;
}

static void read_place(struct search *search, const struct place *place)
{
	char path[SSDPM__PATH_BYTES];
	struct names names;
	int err;

	if (!place->suffix[0]) {
		read_file(search, place, place->path);
		return;
	}
	err = ssdpm__list_names(search->machine, place->path, &names);
	if (err) {
		if (err == -ENOMEM)
			search->err = err;
		return;
	}
	for (size_t i = 0; i < names.n && !search->err; i++) {
		if (!ends_in(names.names[i], place->suffix))
			continue;
		snprintf(path, sizeof(path), "%s/%s", place->path,
			 names.names[i]);
		read_file(search, place, path);
	}
	ssdpm__free_names(&names);
}

/* A name of a profile, from a file: it stays in its directory. */
struct profile {
	char name[64];
};

static bool take_profile(struct span *span, struct profile *ret_profile)
{
	struct span word;

	return ssdpm__take_word(span, &word) &&
	       ssdpm__span_copy(word, ret_profile->name,
				sizeof(ret_profile->name)) &&
	       !strchr(ret_profile->name, '/') && ret_profile->name[0] != '.';
}

static bool load_profile(struct search *search, const struct profile *profile,
			 char path[SSDPM__PATH_BYTES], struct lines *lines)
{
	static const char folders[][24] = { "etc/tuned/profiles", "etc/tuned",
					    "usr/lib/tuned/profiles",
					    "usr/lib/tuned" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, SSDPM__PATH_BYTES, "%s/%s/tuned.conf",
			 folders[i], profile->name);
		if (load(search, path, lines))
			return true;
	}
	return false;
}

/* alpm= of [scsi_host]; include= of [main] names the profile below. */
static bool read_profile(struct search *search, struct profile *profile)
{
	enum { OTHER, MAIN, SCSI_HOST } section = OTHER;
	char path[SSDPM__PATH_BYTES];
	bool included = false;
	struct lines lines;
	struct span line;

	if (!load_profile(search, profile, path, &lines))
		return false;
	while (!search->err && ssdpm__next_line(&lines, &line)) {
		struct span rest = line;

		if (line.at < line.end && *line.at == '[')
			section = ssdpm__span_is(line, "[main]") ? MAIN :
				  ssdpm__span_is(line, "[scsi_host]") ?
								   SCSI_HOST :
								   OTHER;
		else if (section == SCSI_HOST && ssdpm__take(&rest, "alpm") &&
			 ssdpm__take(&rest, "="))
			add(search, SSDPM_OWNER_TUNED, path, lines.line, line);
		else if (section == MAIN && ssdpm__take(&rest, "include") &&
			 ssdpm__take(&rest, "="))
			included = take_profile(&rest, profile);
	}
	return included;
}

static void read_tuned(struct search *search)
{
	char active[256];
	struct span names;
	struct profile profile;

	if (ssdpm__read_text(search->machine, TUNED_ACTIVE, active,
			     sizeof(active)))
		return;
	names = ssdpm__span(active, strlen(active));
	while (take_profile(&names, &profile))
		for (int i = 0; i < MAX_INCLUDES; i++)
			if (!read_profile(search, &profile))
				break;
}

int ssdpm_machine_read_owners(struct ssdpm_machine *machine,
			      struct ssdpm_owner **ret_owners, size_t *ret_n,
			      struct ssdpm_error *reterr)
{
	struct search search = { .machine = machine };

	search.text = malloc(MAX_FILE_BYTES);
	if (!search.text)
		return ssdpm__fail(reterr, -ENOMEM, 0, "out of memory");
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		read_place(&search, &places[i]);
	read_tuned(&search);
	free(search.text);
	if (search.err) {
		free(search.owners);
		return ssdpm__fail(reterr, search.err, 0, "out of memory");
	}
	*ret_owners = search.owners;
	*ret_n = search.n;
	return 0;
}

static int add_name(struct names *names, const char *path)
{
	for (size_t i = 0; i < names->n; i++)
		if (strcmp(names->names[i], path) == 0)
			return 0;
	names->names[names->n] = strdup(path);
	if (!names->names[names->n])
		return -ENOMEM;
	names->n++;
	return 0;
}

/* Profiles between the active one and alpm= are not among them. */
int ssdpm__list_owner_files(struct ssdpm_machine *machine,
			    struct names *ret_names, struct ssdpm_error *reterr)
{
	struct names names = { 0 };
	struct ssdpm_owner *owners;
	size_t n;
	int err = ssdpm_machine_read_owners(machine, &owners, &n, reterr);

	if (err)
		return err;
	names.names = calloc(n + 1, sizeof(*names.names));
	if (!names.names)
		err = -ENOMEM;
	for (size_t i = 0; i < n && !err; i++) {
		err = add_name(&names, owners[i].path + 1);
		if (!err && owners[i].kind == SSDPM_OWNER_TUNED)
			err = add_name(&names, TUNED_ACTIVE);
	}
	free(owners);
	if (err) {
		ssdpm__free_names(&names);
		return ssdpm__fail(reterr, err, 0, "out of memory");
	}
	*ret_names = names;
	return 0;
}
