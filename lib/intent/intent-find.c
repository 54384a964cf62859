/* SPDX-License-Identifier: MIT */
/* What a device gets: pure. */
#include "intent/internal.h"

#include "base/glob.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool ssdpm__intent_by_serial(const struct ssdpm_intent *intent)
{
	for (size_t i = 0; i < intent->n_lines; i++)
		if (intent->lines[i].key == INTENT_SERIAL)
			return true;
	return false;
}

static int get_name(const void *intent, size_t index, char ret_name[32])
{
	return ssdpm_intent_get_profile_name(intent, index, ret_name);
}

int ssdpm__intent_profile(const struct ssdpm_intent *intent, struct span name,
			  uint32_t power_source,
			  struct ssdpm_profile_settings *ret_settings,
			  struct ssdpm_error *reterr)
{
	char word[32];

	if (!ssdpm__span_copy(name, word, sizeof(word)))
		return ssdpm__fail(reterr, -ENOENT, 0,
				   "no profile has a name of more than 31 "
				   "characters");
	/* Those of later files come first, and the built-in ones last. */
	for (uint32_t i = intent->n_files; i > 0; i--) {
		const struct intent_file *file = &intent->files[i - 1];

		if (ssdpm__profile_find_in(file->profiles, file->size, word,
					   power_source, ret_settings,
					   NULL) > 0)
			return 0;
	}
	ret_settings->size = sizeof(*ret_settings);
	if (!ssdpm_profile_find(NULL, 0, word, power_source, ret_settings,
				NULL))
		return 0;
	return ssdpm__profile_fail(word, get_name, intent, reterr);
}

void ssdpm__intent_port(const struct ssdpm_device_facts *facts, char port[16])
{
	*port = 0;
	if (facts->ata_port)
		snprintf(port, 16, "ata%u", facts->ata_port);
}

static bool matches(const struct intent_line *line,
		    const struct intent_case *of)
{
	const struct ssdpm_device_facts *facts = of->facts;
	char port[16] = "";
	const char *text;

	switch (line->key) {
	case INTENT_KIND:
		return ssdpm__span_value(line->value, ssdpm_kind_from_string) ==
		       facts->kind;
	case INTENT_MODEL:
		text = facts->product;
		break;
	case INTENT_SERIAL:
		text = of->serial;
		break;
	case INTENT_PORT:
		ssdpm__intent_port(facts, port);
		text = *port ? port : facts->address;
		break;
	default:
		text = of->desktop_profile ? of->desktop_profile : "";
	}
	/* An unknown value matches no pattern, not even "*". */
	return *text &&
	       ssdpm__glob(line->value, ssdpm__span(text, strlen(text)));
}

static bool is_for(const struct ssdpm_intent *intent,
		   const struct intent_section *section,
		   const struct intent_case *of)
{
	for (size_t i = 0; i < section->n; i++) {
		const struct intent_line *line =
			&intent->lines[section->first + i];

		if (line->key >= INTENT_KIND && !matches(line, of))
			return false;
	}
	return true;
}

/* It takes the place of what was said before of the same. */
static void take_profile(const struct ssdpm_intent *intent,
			 const struct intent_line *line, uint32_t concerned,
			 uint32_t power_source, struct intent_found *found)
{
	struct ssdpm_profile_settings settings;

	found->set &= ~concerned;
	/* It was looked up when the files were read. */
	if (ssdpm__span_is(line->value, "none") ||
	    ssdpm__intent_profile(intent, line->value, power_source, &settings,
				  NULL))
		return;
	ssdpm__profile_copy(&found->settings, &settings,
			    settings.set & concerned);
	found->set |= settings.set & concerned;
	for (uint32_t key = 0; key < INTENT_POWER_STATE; key++)
		if (settings.set & concerned & 1u << key)
			found->origins[key] = line;
}

/* Whether it is about one drive, by its serial number or its port. */
static bool is_by_name(const struct ssdpm_intent *intent,
		       const struct intent_section *section)
{
	for (size_t i = 0; i < section->n; i++) {
		const uint32_t key = intent->lines[section->first + i].key;

		if (key == INTENT_SERIAL || key == INTENT_PORT)
			return true;
	}
	return false;
}

static void take_section(const struct ssdpm_intent *intent,
			 const struct intent_section *section,
			 const struct intent_case *of,
			 struct intent_found *found)
{
	const uint32_t concerned =
		section->kind == INTENT_DRIVE ? INTENT_OF_A_DRIVE : UINT32_MAX;
	const struct intent_line **const lpm =
		&found->origins[__builtin_ctz(SSDPM_PROFILE_LPM)];
	const struct intent_line *const before = *lpm;

	for (size_t i = 0; i < section->n; i++) {
		const struct intent_line *line =
			&intent->lines[section->first + i];

		if (!(line->sources & of->power_source) ||
		    line->key > INTENT_PROFILE)
			continue;
		if (line->key == INTENT_PROFILE) {
			take_profile(intent, line, concerned, of->power_source,
				     found);
			continue;
		}
		ssdpm__intent_set(found, line->key, line->value);
		found->origins[line->key] = line;
	}
	if (*lpm != before)
		found->by_name = is_by_name(intent, section);
}

/* The last line of [desktop] for the profile of the desktop; NULL: none. */
static const struct intent_line *find_desktop_profile(
	const struct ssdpm_intent *intent, const char *name)
{
	const struct intent_line *found = NULL;

	for (size_t i = 0; name && i < intent->n_sections; i++) {
		const struct intent_section *section = &intent->sections[i];

		for (size_t k = 0;
		     section->kind == INTENT_DESKTOP && k < section->n; k++)
			if (ssdpm__span_is(
				    intent->lines[section->first + k].name,
				    name))
				found = &intent->lines[section->first + k];
	}
	return found;
}

/*
 * The machine first: what its sections say, overridden by the profile of the
 * desktop.
 */
static void take_machine(const struct ssdpm_intent *intent,
			 const struct intent_case *of,
			 struct intent_found *found)
{
	const struct intent_line *desktop =
		find_desktop_profile(intent, of->desktop_profile);
	struct intent_found own = { 0 };

	for (size_t i = 0; i < intent->n_sections; i++)
		if (intent->sections[i].kind == INTENT_MACHINE)
			take_section(intent, &intent->sections[i], of, found);
	if (!desktop)
		return;
	/* A setting of a profile has its line as the origin. */
	own = *found;
	take_profile(intent, desktop, UINT32_MAX, of->power_source, found);
	for (uint32_t key = 0; key < INTENT_N_SETTINGS; key++)
		if (own.set >> key & 1 &&
		    own.origins[key]->key != INTENT_PROFILE) {
			ssdpm__intent_set(found, key, own.origins[key]->value);
			found->origins[key] = own.origins[key];
		}
}

void ssdpm__intent_find(const struct ssdpm_intent *intent,
			const struct intent_case *of,
			struct intent_found *ret_found)
{
	memset(ret_found, 0, sizeof(*ret_found));
	take_machine(intent, of, ret_found);
	for (size_t i = 0; i < intent->n_sections; i++)
		if (intent->sections[i].kind == INTENT_DRIVE &&
		    is_for(intent, &intent->sections[i], of))
			take_section(intent, &intent->sections[i], of,
				     ret_found);
	ret_found->settings.size = sizeof(ret_found->settings);
	ret_found->settings.power_source = of->power_source;
	ret_found->settings.set =
		ret_found->set & ((1u << INTENT_POWER_STATE) - 1);
}

/* Settings outside sections for some drives; the links are those of SATA. */
static void find_of_all(const struct ssdpm_intent *intent,
			uint32_t power_source,
			struct ssdpm_profile_settings *ret_settings)
{
	struct ssdpm_device_facts facts = { .kind = SSDPM_KIND_SATA };
	const struct intent_case of = {
		.power_source = power_source,
		.facts = &facts,
		.serial = "",
	};
	uint32_t lpm = SSDPM_PROFILE_LPM;
	struct intent_found found;

	ssdpm__intent_find(intent, &of, &found);
	*ret_settings = found.settings;
	lpm &= found.settings.set;
	facts.kind = SSDPM_KIND_NVME;
	ssdpm__intent_find(intent, &of, &found);
	found.settings.set &= ~SSDPM_PROFILE_LPM;
	ssdpm__profile_copy(ret_settings, &found.settings, found.settings.set);
	ret_settings->set = found.settings.set | lpm;
	strcpy(ret_settings->name, "files");
	strcpy(ret_settings->reason, "files of ssdpm.conf(5) ask for it");
}

int ssdpm_intent_get_settings(const struct ssdpm_intent *intent,
			      const char *profile, uint32_t power_source,
			      struct ssdpm_profile_settings *ret_settings,
			      struct ssdpm_error *reterr)
{
	struct ssdpm_profile_settings settings;
	int err = ssdpm__profile_check(ret_settings, power_source, reterr);

	if (err)
		return err;
	if (profile)
		err = ssdpm__intent_profile(
			intent, ssdpm__span(profile, strlen(profile)),
			power_source, &settings, reterr);
	else
		find_of_all(intent, power_source, &settings);
	if (!err)
		ssdpm__sized_out(ret_settings, &settings, sizeof(settings));
	return err;
}

static bool defines(const struct intent_file *file, const char *name)
{
	struct ssdpm_profile_settings settings;

	return ssdpm__profile_find_in(file->profiles, file->size, name,
				      SSDPM_SOURCE_AC, &settings, NULL) > 0;
}

/* Does a file after the first n define it? */
static bool is_defined_later(const struct ssdpm_intent *intent, uint32_t n,
			     const char *name)
{
	for (uint32_t i = n; i < intent->n_files; i++)
		if (defines(&intent->files[i], name))
			return true;
	return false;
}

/* In the order in which they are looked up: the built-in ones come last. */
int ssdpm_intent_get_profile_name(const struct ssdpm_intent *intent,
				  size_t index, char ret_name[32])
{
	static const struct intent_file built_in;
	uint32_t n = intent->n_files;
	const struct intent_file *file;
	char name[32];

	do {
		file = n ? &intent->files[n - 1] : &built_in;
		for (size_t i = 0; !ssdpm_profile_get_name(
			     file->profiles, file->size, i, name, NULL);
		     i++) {
			/* A file's own come before the built-in ones. */
			if (n && !defines(file, name))
				break;
			if (!is_defined_later(intent, n, name) && !index--) {
				memcpy(ret_name, name, sizeof(name));
				return 0;
			}
		}
	} while (n--);
	return -ERANGE;
}
