/* SPDX-License-Identifier: MIT */
/* --link: what the PCIe link of a drive may do, as words and as bits. */
#include "options/plan-options.h"
#include "options/units.h"
#include "options/words.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

enum {
	L1 = SSDPM_PCIE_FEATURE_L1,
	SUBSTATES = SSDPM_PCIE_FEATURE_L1_1 | SSDPM_PCIE_FEATURE_L1_2 |
		    SSDPM_PCIE_FEATURE_L1_1_PCIPM |
		    SSDPM_PCIE_FEATURE_L1_2_PCIPM,
	ASPM = SSDPM_PCIE_FEATURE_L0S | L1 | SUBSTATES,
};

/*
 * The word of the library for the name of a file of Linux: "l1_2_aspm" is
 * "l1.2", and "l1_2_pcipm" is "l1.2-pcipm". A word stays as it is.
 */
static uint32_t feature_of(char *name)
{
	char *suffix;

	for (char *c = name; *c; c++)
		if (*c == '_')
			*c = isdigit((unsigned char)c[1]) ? '.' : '-';
	suffix = strstr(name, "-aspm");
	if (suffix && !suffix[5])
		*suffix = '\0';
	return ssdpm_pcie_feature_from_string(name);
}

/*
 * A later feature overrides an earlier one. Linux turns substates off with L1,
 * and L1 on with a substate.
 */
static void note(struct link_options *link, uint32_t features, bool is_on)
{
	if (is_on && features & SUBSTATES)
		features |= L1;
	else if (!is_on && features & L1)
		features |= SUBSTATES;
	link->on &= ~features;
	link->off &= ~features;
	*(is_on ? &link->on : &link->off) |= features;
}

static bool take_feature(struct link_options *link, char *entry)
{
	char *equals = strchr(entry, '=');
	uint32_t features;
	bool is_on;

	if (!equals)
		return false;
	*equals = '\0';
	is_on = !strcmp(equals + 1, "on");
	if (!is_on && strcmp(equals + 1, "off"))
		return false;
	features = strcmp(entry, "aspm") ? feature_of(entry) : ASPM;
	if (!features)
		return false;
	note(link, features, is_on);
	/* A feature that was named has to be there. */
	if (features == ASPM)
		link->if_there |= ASPM;
	else
		link->if_there &= ~features;
	return true;
}

bool asks_for_feature(const struct link_options *link, const char *target)
{
	char name[24];

	snprintf(name, sizeof(name), "%s", strrchr(target, '/') + 1);
	return (link->on | link->off) & feature_of(name);
}

enum exit_status parse_link(const struct common *common, const char *text,
			    struct link_options *link)
{
	for (const char *at = text; at;) {
		const size_t length = strcspn(at, ",");
		char entry[24], word[24];

		snprintf(entry, sizeof(entry), "%.*s",
			 (int)(length < sizeof(entry) ? length : 0), at);
		memcpy(word, entry, sizeof(word));
		if (!take_feature(link, entry))
			return unknown_value(common, "link",
					     *word ? word : text, LINK_WORDS);
		at = at[length] ? at + length + 1 : NULL;
	}
	return STATUS_DONE;
}

int add_link_steps(struct ssdpm_plan *plan, struct ssdpm_device *device,
		   const struct link_options *link, struct ssdpm_error *error)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	const uint32_t on = link->on & ~(link->if_there & ~facts->pcie_capable);
	const uint32_t kept = facts->pcie_capable & ~(link->on | link->off);

	return ssdpm_plan_add_value(plan, device, SSDPM_STEP_PCIE_LINK,
				    on | SSDPM_PCIE_LINK_KEEP(kept), error);
}
