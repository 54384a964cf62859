/* SPDX-License-Identifier: MIT */
/*
 * Other programs that set latency tolerances and link power management, by
 * their files. They are TLP, tuned, laptop-mode-tools, udev, modprobe, systemd,
 * sysfsutils, and our own.
 */
#include "device/internal.h"

#include "base/text.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static_assert(sizeof(struct ssdpm_owner) == 512, "frozen");

enum {
	MAX_FILE_BYTES = 1 << 16, /* longer ones are left out */
	MAX_OWNERS = 1024,
	MAX_PROFILES = 32, /* one may include itself */
};

#define TUNED_ACTIVE "etc/tuned/active_profile"
#define TLP_OLD "etc/default/tlp"
#define TLP_NEW "etc/tlp.conf"
#define TLP_SWITCH "TLP_ENABLE="
#define UNITS "etc/systemd/system"

const char ssdpm__tuned_folders[SSDPM__N_TUNED_FOLDERS][24] = {
	"etc/tuned/profiles",
	"etc/tuned",
	"usr/lib/tuned/profiles",
	"usr/lib/tuned",
};

struct owner_search {
	struct ssdpm_machine *machine;
	struct ssdpm_owner *owners;
	size_t n, room;
	size_t n_profiles; /* of tuned, that were read */
	char *text;	   /* of the file that is being read */
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

/* judge_tlp() says whether it does anything, once all are known. */
static bool is_tlp(struct span line)
{
	return ssdpm__take(&line, "SATA_LINKPWR_ON_") ||
	       ssdpm__take(&line, "PCIE_ASPM_ON_") ||
	       ssdpm__take(&line, "AHCI_RUNTIME_PM_ON_") ||
	       ssdpm__take(&line, TLP_SWITCH);
}

/* Those that come with it count if no other file sets more: links alone. */
static bool is_tlp_default(struct span line)
{
	return ssdpm__take(&line, "SATA_LINKPWR_ON_") ||
	       ssdpm__take(&line, "PCIE_ASPM_ON_") ||
	       ssdpm__take(&line, TLP_SWITCH);
}

/* The text after the first "=", without quotes around it. */
static struct span value_of(struct span line)
{
	while (line.at < line.end && *line.at != '=')
		line.at++;
	ssdpm__take(&line, "=");
	if (line.end - line.at >= 2 && line.end[-1] == *line.at &&
	    (*line.at == '"' || *line.at == '\'')) {
		line.at++;
		line.end--;
	}
	return line;
}

/* CONTROL_SATA_POWER, formerly CONTROL_INTEL_SATA_POWER; 0: it does not. */
static bool is_laptop_mode(struct span line)
{
	return ssdpm__take(&line, "CONTROL_") &&
	       ssdpm__span_contains(line, "SATA_POWER=") &&
	       !ssdpm__span_is(value_of(line), "0");
}

/* A line of a rule, of tmpfiles.d, sysfs.d, or of a unit, whose programs we
 * know. */
static bool is_writer(struct span line)
{
	static const char *const words[] = {
		"link_power_management_policy", "pm_qos_latency_tolerance_us",
		"pcie_aspm/parameters/policy",	"powertop --auto-tune",
		"system76-power daemon",	NULL
	};

	return *line.at != '#' && contains_one(line, words);
}

/* Lines that begin with mode or owner say who may write: they set no value. */
static bool is_sysfs_value(struct span line)
{
	return !ssdpm__take(&line, "mode ") && !ssdpm__take(&line, "owner ") &&
	       is_writer(line);
}

/* Whether one of the words sets a parameter with such a short name. */
static bool has_parameter(struct span words, const char *name)
{
	struct span word;

	while (ssdpm__take_word(&words, &word))
		if (ssdpm__take(&word, name))
			return true;
	return false;
}

/* "options MODULE PARAMETER=VALUE ..." */
static bool is_modprobe(struct span line)
{
	static const char *const words[] = {
		"default_ps_max_latency_us=",
		"apst_primary_",
		"apst_secondary_",
		"force_apst",
		"mobile_lpm_policy=",
		"mask_port_ext=",
		NULL,
	};
	struct span word, module;

	if (!ssdpm__take_word(&line, &word) ||
	    !ssdpm__span_is(word, "options") ||
	    !ssdpm__take_word(&line, &module))
		return false;
	return contains_one(line, words) ||
	       (ssdpm__span_is(module, "nvme") &&
		has_parameter(line, "quirks=")) ||
	       (ssdpm__span_is(module, "libata") &&
		has_parameter(line, "force="));
}

/* A file, or, with a suffix, a directory whose files end in it. */
static const struct owner_place {
	uint32_t kind;
	char path[32];
	char suffix[12];
	is_setting_fn is_setting;
} places[] = {
	/* In the order of TLP: the last one counts. */
	{ SSDPM_OWNER_TLP, "usr/share/tlp/defaults.conf", "", is_tlp_default },
	{ SSDPM_OWNER_TLP, "etc/tlp.d", ".conf", is_tlp },
	{ SSDPM_OWNER_TLP, TLP_OLD, "", is_tlp },
	{ SSDPM_OWNER_TLP, TLP_NEW, "", is_tlp },
	{ SSDPM_OWNER_LAPTOP_MODE_TOOLS, "etc/laptop-mode/conf.d", ".conf",
	  is_laptop_mode },
	/* Here a file replaces those of its name further down. */
	{ SSDPM_OWNER_UDEV, "etc/udev/rules.d", ".rules", is_writer },
	{ SSDPM_OWNER_UDEV, "run/udev/rules.d", ".rules", is_writer },
	{ SSDPM_OWNER_UDEV, "usr/lib/udev/rules.d", ".rules", is_writer },
	{ SSDPM_OWNER_MODPROBE, "etc/modprobe.d", ".conf", is_modprobe },
	{ SSDPM_OWNER_MODPROBE, "run/modprobe.d", ".conf", is_modprobe },
	{ SSDPM_OWNER_MODPROBE, "usr/local/lib/modprobe.d", ".conf",
	  is_modprobe },
	{ SSDPM_OWNER_MODPROBE, "usr/lib/modprobe.d", ".conf", is_modprobe },
	{ SSDPM_OWNER_MODPROBE, "lib/modprobe.d", ".conf", is_modprobe },
	{ SSDPM_OWNER_SYSTEMD, "etc/tmpfiles.d", ".conf", is_writer },
	{ SSDPM_OWNER_SYSTEMD, "run/tmpfiles.d", ".conf", is_writer },
	{ SSDPM_OWNER_SYSTEMD, "usr/lib/tmpfiles.d", ".conf", is_writer },
	{ SSDPM_OWNER_SYSFSUTILS, "etc/sysfs.conf", "", is_sysfs_value },
	{ SSDPM_OWNER_SYSFSUTILS, "etc/sysfs.d", ".conf", is_sysfs_value },
	{ SSDPM_OWNER_SSDPM, UNITS, ".service", NULL },
};

/* By words of its line; the setting of our own files is their purpose. */
static uint32_t find_targets(uint32_t kind, struct span setting)
{
	static const struct {
		char word[32];
		uint32_t target;
	} rows[] = {
		{ "pm_qos_latency_tolerance_us",
		  SSDPM_OWNER_SETS_LATENCY_TOLERANCE },
		{ "max_exit_latency_us", SSDPM_OWNER_SETS_LATENCY_TOLERANCE },
		{ "default_ps_max_latency_us",
		  SSDPM_OWNER_SETS_LATENCY_TOLERANCE },
		{ "SATA_LINKPWR_ON_", SSDPM_OWNER_SETS_LPM },
		{ "SATA_POWER=", SSDPM_OWNER_SETS_LPM },
		/* alpm of TuneD, lpm of its plug-in, mobile_lpm_policy */
		{ "lpm", SSDPM_OWNER_SETS_LPM },
		{ "link_power_management_policy", SSDPM_OWNER_SETS_LPM },
		{ "powertop --auto-tune",
		  SSDPM_OWNER_SETS_LPM | SSDPM_OWNER_SETS_RUNTIME_PM },
		{ "system76-power daemon",
		  SSDPM_OWNER_SETS_LPM | SSDPM_OWNER_SETS_RUNTIME_PM },
		{ "AHCI_RUNTIME_PM_ON_", SSDPM_OWNER_SETS_RUNTIME_PM },
		{ "PCIE_ASPM_ON_", SSDPM_OWNER_SETS_ASPM_POLICY },
		{ "pcie_aspm/parameters/policy", SSDPM_OWNER_SETS_ASPM_POLICY },
	};
	uint32_t targets = 0;

	if (kind == SSDPM_OWNER_SSDPM)
		return ssdpm__span_is(setting, "modprobe") ?
			       SSDPM_OWNER_SETS_PARAMETER :
			       SSDPM_OWNER_SETS_LATENCY_TOLERANCE |
				       SSDPM_OWNER_SETS_LPM;
	if (kind == SSDPM_OWNER_MODPROBE)
		targets = SSDPM_OWNER_SETS_PARAMETER;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (ssdpm__span_contains(setting, rows[i].word))
			targets |= rows[i].target;
	return targets;
}

static void add(struct owner_search *search, uint32_t kind, const char *path,
		uint32_t line, struct span setting)
{
	struct ssdpm_owner *owner;
	size_t n = (size_t)(setting.end - setting.at);

	/* A stranger's capture may have any number. */
	if (search->n == MAX_OWNERS)
		return;
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
	owner->sets = find_targets(kind, setting);
	snprintf(owner->path, sizeof(owner->path), "/%s", path);
	if (n >= sizeof(owner->setting))
		setting.end = setting.at + sizeof(owner->setting) - 1;
	ssdpm__span_copy(setting, owner->setting, sizeof(owner->setting));
	/* Its words stay apart. */
	for (size_t i = 0; owner->setting[i]; i++)
		if (setting.at[i] == '\t')
			owner->setting[i] = ' ';
}

/* Read into search->text. false: it is not there, or nothing for us. */
static bool load(struct owner_search *search, const char *path,
		 struct lines *lines)
{
	size_t n;

	if (search->err || ssdpm__read_bytes(search->machine, path,
					     search->text, MAX_FILE_BYTES, &n))
		return false;
	*lines = (struct lines){ ssdpm__span(search->text, n), 0 };
	return true;
}

/*
 * Join lines that end in a backslash with the next one, as modprobe.d(5) does.
 * Empty lines after them keep the numbers of the others.
 */
static void join_lines(char *text, struct lines *lines)
{
	size_t n = (size_t)(lines->rest.end - text), to = 0, joined = 0;

	for (size_t i = 0; i < n; i++) {
		const char c = text[i];

		if (c == '\\' && i + 1 < n && text[i + 1] == '\n') {
			joined++;
			i++;
			continue;
		}
		text[to++] = c;
		for (; c == '\n' && joined; joined--)
			text[to++] = '\n';
	}
	lines->rest.end = text + to;
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

static void read_file(struct owner_search *search,
		      const struct owner_place *place, const char *path)
{
	struct span line, kind = { 0 };
	struct lines lines;

	if (!load(search, path, &lines))
		return;
	if (place->kind == SSDPM_OWNER_MODPROBE)
		join_lines(search->text, &lines);
	if (is_ours(lines, &kind)) {
		/* The file of a unit, to which this is the link. */
		if (place->kind != SSDPM_OWNER_SYSTEMD)
			add(search, SSDPM_OWNER_SSDPM, path, 0, kind);
		if (place->kind != SSDPM_OWNER_TLP)
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

typedef void (*read_fn)(struct owner_search *search,
			const struct owner_place *place, const char *path);

/* Read each thing in a folder whose name ends so. */
static void read_all(struct owner_search *search,
		     const struct owner_place *place, const char *folder,
		     const char *suffix, read_fn read_one)
{
	char path[SSDPM__PATH_BYTES];
	struct names names;
	int err = ssdpm__list_names(search->machine, folder, &names);

	if (err) {
		if (err == -ENOMEM)
			search->err = err;
		return;
	}
	for (size_t i = 0; i < names.n && !search->err; i++)
		if (ends_in(names.names[i], suffix) &&
		    !ssdpm__join(path, folder, names.names[i]))
			read_one(search, place, path);
	ssdpm__free_names(&names);
}

/* Unless a file of its name is in a folder that comes first. */
static void read_unmasked(struct owner_search *search,
			  const struct owner_place *place, const char *path)
{
	const char *name = ssdpm__last_component(path);
	const struct owner_place *first = place;
	char mask[SSDPM__PATH_BYTES];

	while (first > places && first[-1].kind == place->kind)
		first--;
	for (; first < place; first++)
		if (first->suffix[0] && !ssdpm__join(mask, first->path, name) &&
		    ssdpm__exists(search->machine, mask))
			return;
	read_file(search, place, path);
}

static void read_place(struct owner_search *search,
		       const struct owner_place *place)
{
	if (place->suffix[0])
		read_all(search, place, place->path, place->suffix,
			 read_unmasked);
	/* TLP takes its old file where there is no new one. */
	else if (strcmp(place->path, TLP_OLD) != 0 ||
		 !ssdpm__exists(search->machine, TLP_NEW))
		read_file(search, place, place->path);
}

/* Units that are switched on: links in the folders of targets. */
static void read_wants(struct owner_search *search,
		       const struct owner_place *place, const char *path)
{
	read_all(search, place, path, place->suffix, read_file);
}

static void read_units(struct owner_search *search)
{
	static const struct owner_place units = { SSDPM_OWNER_SYSTEMD, "",
						  ".service", is_writer };

	read_all(search, &units, UNITS, ".wants", read_wants);
}

/* "SATA_LINKPWR_ON_AC=" */
static size_t key_length(const struct ssdpm_owner *owner)
{
	return strcspn(owner->setting, "+=");
}

static bool has_same_key(const struct ssdpm_owner *a,
			 const struct ssdpm_owner *b)
{
	size_t n = key_length(a);

	return n == key_length(b) && strncmp(a->setting, b->setting, n) == 0;
}

/* Does a later line take its place? */
static bool is_replaced(const struct owner_search *search, size_t index)
{
	for (size_t i = index + 1; i < search->n; i++)
		if (search->owners[i].kind == SSDPM_OWNER_TLP &&
		    has_same_key(&search->owners[index], &search->owners[i]))
			return true;
	return false;
}

static struct span setting_value(const struct ssdpm_owner *owner)
{
	return value_of(ssdpm__span(owner->setting, strlen(owner->setting)));
}

static bool is_switch(const struct ssdpm_owner *owner)
{
	return owner->kind == SSDPM_OWNER_TLP &&
	       strncmp(owner->setting, TLP_SWITCH, strlen(TLP_SWITCH)) == 0;
}

static bool is_tlp_off(const struct owner_search *search)
{
	bool off = false;

	for (size_t i = 0; i < search->n; i++)
		if (is_switch(&search->owners[i]))
			off = ssdpm__span_is(setting_value(&search->owners[i]),
					     "0");
	return off;
}

static bool is_in_own_file(const struct owner_search *search, const char *path)
{
	for (size_t i = 0; i < search->n; i++)
		if (search->owners[i].kind == SSDPM_OWNER_SSDPM &&
		    strcmp(search->owners[i].path, path) == 0)
			return true;
	return false;
}

/* "" leaves a thing alone. */
static bool counts(const struct owner_search *search, size_t index,
		   bool tlp_off)
{
	const struct ssdpm_owner *owner = &search->owners[index];
	struct span value = setting_value(owner);

	return owner->kind != SSDPM_OWNER_TLP ||
	       !(tlp_off || is_switch(owner) || value.at == value.end ||
		 is_replaced(search, index) ||
		 is_in_own_file(search, owner->path));
}

/* The lines of TLP that decide. */
static void judge_tlp(struct owner_search *search)
{
	bool tlp_off = is_tlp_off(search);
	size_t n = 0;

	for (size_t i = 0; i < search->n; i++)
		if (counts(search, i, tlp_off))
			search->owners[n++] = search->owners[i];
	search->n = n;
}

/* A name of a profile, from a file: it stays in its directory. */
struct profile {
	char name[64];
};

/* Names are apart by blanks in active_profile, by commas in include=. */
static bool take_profile(struct span *span, struct profile *ret_profile)
{
	static const char between[] = " \t,;";
	struct span word;

	while (span->at < span->end && strchr(between, *span->at))
		span->at++;
	word = *span;
	while (span->at < span->end && !strchr(between, *span->at))
		span->at++;
	word.end = span->at;
	return word.at < word.end &&
	       ssdpm__span_copy(word, ret_profile->name,
				sizeof(ret_profile->name)) &&
	       !strchr(ret_profile->name, '/') && ret_profile->name[0] != '.';
}

static bool load_profile(struct owner_search *search,
			 const struct profile *profile,
			 char path[SSDPM__PATH_BYTES], struct lines *lines)
{
	for (size_t i = 0; i < SSDPM__N_TUNED_FOLDERS; i++) {
		snprintf(path, SSDPM__PATH_BYTES, "%s/%s/tuned.conf",
			 ssdpm__tuned_folders[i], profile->name);
		if (load(search, path, lines))
			return true;
	}
	return false;
}

static void read_profiles(struct owner_search *search, struct span names);

/* Plug-ins of TuneD, ours among them; a section is that of its name or type. */
enum plugin {
	PLUGIN_OTHER,
	PLUGIN_MAIN,
	PLUGIN_SCSI_HOST,
	PLUGIN_SYSFS,
	PLUGIN_SSDPM,
	N_PLUGINS
};

static enum plugin find_plugin(struct span name)
{
	static const char names[N_PLUGINS][12] = {
		[PLUGIN_MAIN] = "main",
		[PLUGIN_SCSI_HOST] = "scsi_host",
		[PLUGIN_SYSFS] = "sysfs",
		[PLUGIN_SSDPM] = "ssdpm",
	};

	for (enum plugin i = PLUGIN_MAIN; i < N_PLUGINS; i++)
		if (ssdpm__span_is(name, names[i]))
			return i;
	return PLUGIN_OTHER;
}

static bool is_tuned(enum plugin plugin, struct span line, struct span key)
{
	switch (plugin) {
	case PLUGIN_SCSI_HOST:
		return ssdpm__span_is(key, "alpm");
	case PLUGIN_SYSFS:
		return is_writer(line);
	case PLUGIN_SSDPM:
		return ssdpm__span_is(key, "lpm") ||
		       ssdpm__span_is(key, "max_exit_latency_us");
	default:
		return false;
	}
}

/* include= of [main] names the profiles below. */
static void read_profile(struct owner_search *search,
			 const struct profile *profile)
{
	enum plugin plugin = PLUGIN_OTHER;
	char path[SSDPM__PATH_BYTES], below[256] = "";
	struct lines lines;
	struct span line, key, value;

	if (!load_profile(search, profile, path, &lines))
		return;
	while (!search->err && ssdpm__next_line(&lines, &line)) {
		if (line.at < line.end && *line.at == '[')
			plugin = ssdpm__ini_take_head(line, &key) ?
					 find_plugin(key) :
					 PLUGIN_OTHER;
		else if (ssdpm__ini_is_empty(line) ||
			 !ssdpm__ini_take_key(line, &key, &value))
			continue;
		else if (ssdpm__span_is(key, "type"))
			plugin = find_plugin(value);
		else if (is_tuned(plugin, line, key))
			add(search, SSDPM_OWNER_TUNED, path, lines.line, line);
		else if (plugin == PLUGIN_MAIN &&
			 ssdpm__span_is(key, "include"))
			ssdpm__span_copy(value, below, sizeof(below));
	}
	/* The text of this one is gone then. */
	read_profiles(search, ssdpm__span(below, strlen(below)));
}

static void read_profiles(struct owner_search *search, struct span names)
{
	struct profile profile;

	while (search->n_profiles < MAX_PROFILES && !search->err &&
	       take_profile(&names, &profile)) {
		search->n_profiles++;
		read_profile(search, &profile);
	}
}

static void read_tuned(struct owner_search *search)
{
	char active[256];

	if (!ssdpm__read_text(search->machine, TUNED_ACTIVE, active,
			      sizeof(active)))
		read_profiles(search, ssdpm__span(active, strlen(active)));
}

int ssdpm_machine_read_owners(struct ssdpm_machine *machine,
			      struct ssdpm_owner **ret_owners, size_t *ret_n,
			      struct ssdpm_error *reterr)
{
	struct owner_search search = { .machine = machine };

	search.text = malloc(MAX_FILE_BYTES);
	if (!search.text)
		return ssdpm__no_memory(reterr);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		read_place(&search, &places[i]);
	read_units(&search);
	read_tuned(&search);
	free(search.text);
	if (!search.err)
		judge_tlp(&search);
	if (search.err) {
		free(search.owners);
		return ssdpm__fail(reterr, search.err, 0, "out of memory");
	}
	*ret_owners = search.owners;
	*ret_n = search.n;
	return 0;
}
