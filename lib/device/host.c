/* SPDX-License-Identifier: MIT */
/* What a device and its machine mean to the policy. */
#include "base/internal.h"
#include "device/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BOTH_APST_QUIRKS (SSDPM_QUIRK_NO_APST | SSDPM_QUIRK_NO_DEEPEST_PS)
/* Parameters that Linux has since 5.14. */
#define APST_PARAMETERS                                      \
	(1u << SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS |     \
	 1u << SSDPM_NVME_CORE_APST_PRIMARY_LATENCY_TOL_US | \
	 1u << SSDPM_NVME_CORE_APST_SECONDARY_TIMEOUT_MS |   \
	 1u << SSDPM_NVME_CORE_APST_SECONDARY_LATENCY_TOL_US)

/* A text of the caller's own facts, which may end before it. */
static const char *known_text(const struct ssdpm_machine_facts *facts,
			      size_t offset, size_t bytes)
{
	const char *text = (const char *)facts + offset;

	return offset + bytes <= facts->size && text[0] ? text : NULL;
}

#define KNOWN_TEXT(facts, member)                                       \
	known_text(facts, offsetof(struct ssdpm_machine_facts, member), \
		   sizeof((facts)->member))

int ssdpm__facts_in(const struct ssdpm_machine_facts *facts,
		    struct ssdpm_machine_facts *ret_known,
		    struct ssdpm_error *reterr)
{
	memset(ret_known, 0, sizeof(*ret_known));
	return ssdpm__sized_in(ret_known, sizeof(*ret_known), facts,
			       "ssdpm_machine_facts", reterr);
}

int ssdpm_device_get_host(const struct ssdpm_device *device,
			  const struct ssdpm_machine_facts *facts,
			  struct ssdpm_host *ret_host,
			  struct ssdpm_error *reterr)
{
	struct ssdpm_host host = { 0 };
	int err;

	err = ssdpm__sized_check(ret_host, sizeof(host), "ssdpm_host", reterr);
	if (!err)
		err = ssdpm__sized_check(facts, sizeof(*facts),
					 "ssdpm_machine_facts", reterr);
	if (err)
		return err;
	host.linux_release = KNOWN_TEXT(facts, linux_release);
	host.sys_vendor = KNOWN_TEXT(facts, sys_vendor);
	host.product_name = KNOWN_TEXT(facts, product_name);
	host.product_version = KNOWN_TEXT(facts, product_version);
	host.board_vendor = KNOWN_TEXT(facts, board_vendor);
	host.board_name = KNOWN_TEXT(facts, board_name);
	host.bios_date = KNOWN_TEXT(facts, bios_date);

	if (device->facts.kind == SSDPM_KIND_NVME) {
		host.pci_vendor_id = device->facts.pci_vendor_id;
		host.pci_device_id = device->facts.pci_device_id;
	} else {
		host.adapter_vendor_id = device->facts.pci_vendor_id;
	}
	ssdpm__sized_out(ret_host, &host, sizeof(host));
	return 0;
}

static bool is_forced(const struct ssdpm_machine_facts *facts)
{
	return facts->nvme_core_known & 1u << SSDPM_NVME_CORE_FORCE_APST &&
	       facts->nvme_core[SSDPM_NVME_CORE_FORCE_APST];
}

int ssdpm_device_get_quirks(const struct ssdpm_device *device,
			    const struct ssdpm_machine_facts *facts,
			    const struct ssdpm_model *model,
			    uint32_t *ret_quirks, uint32_t *ret_from_kernel,
			    struct ssdpm_error *reterr)
{
	const bool from_kernel = device->facts.known & SSDPM_FACT_QUIRKS;
	uint32_t quirks = device->facts.kernel_quirks;
	struct ssdpm_host host = { .size = sizeof(host) };
	struct ssdpm_machine_facts known;
	int err;

	err = ssdpm__facts_in(facts, &known, reterr);
	if (err)
		return err;
	if (!from_kernel && !model)
		return ssdpm__fail(reterr, -ENODATA, 0,
				   "%s: its quirks depend on its model, which "
				   "is not known",
				   device->facts.name);
	if (!from_kernel) {
		err = ssdpm_device_get_host(device, &known, &host, reterr);
		if (!err)
			err = ssdpm_quirks_find(model, &host, &quirks, NULL,
						reterr);
		if (err)
			return err;
		if (is_forced(&known))
			quirks &= ~(uint32_t)BOTH_APST_QUIRKS;
	}
	if (ssdpm__has_limit(&device->facts))
		quirks &= ~(uint32_t)SSDPM_QUIRK_NO_APST;
	*ret_quirks = quirks;
	*ret_from_kernel = from_kernel;
	return 0;
}

enum { N_CORE = 5, LIMIT = N_CORE - 1 };

/* The parameters of nvme_core, that of the limit last. */
struct core {
	uint64_t *values[N_CORE];
};

static struct core core_of(struct ssdpm_apst_params *params)
{
	return (struct core){ {
		&params->primary_timeout_ms,
		&params->primary_latency_tolerance_us,
		&params->secondary_timeout_ms,
		&params->secondary_latency_tolerance_us,
		&params->max_exit_latency_us,
	} };
}

static uint32_t core_number(int i)
{
	return i == LIMIT ?
		       SSDPM_NVME_CORE_DEFAULT_PS_MAX_LATENCY_US :
		       SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS + (uint32_t)i;
}

static void set_nvme_core(const struct ssdpm_machine_facts *facts,
			  struct ssdpm_apst_params *params)
{
	const struct core core = core_of(params);

	for (int i = 0; i < LIMIT; i++)
		if (facts->nvme_core_known & 1u << core_number(i))
			*core.values[i] = facts->nvme_core[core_number(i)];
	if (facts->nvme_core_known &&
	    !(facts->nvme_core_known & APST_PARAMETERS))
		params->algorithm = SSDPM_APST_LINUX_LEGACY;
}

int ssdpm_device_get_apst_params(const struct ssdpm_device *device,
				 const struct ssdpm_machine_facts *facts,
				 const struct ssdpm_model *model,
				 struct ssdpm_apst_params *ret_params,
				 struct ssdpm_error *reterr)
{
	struct ssdpm_apst_params params;
	struct ssdpm_machine_facts known;
	uint32_t from_kernel;
	int err;

	err = ssdpm__sized_check(ret_params, sizeof(params),
				 "ssdpm_apst_params", reterr);
	if (!err)
		err = ssdpm__facts_in(facts, &known, reterr);
	if (err)
		return err;
	if (device->facts.kind != SSDPM_KIND_NVME ||
	    device->facts.reach != SSDPM_REACH_YES)
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "%s: no NVMe controller of this machine, "
				   "and only these have APST",
				   device->facts.name);
	err = ssdpm_apst_params_init(&params, sizeof(params));
	if (!err)
		err = ssdpm_device_get_quirks(device, &known, model,
					      &params.quirks, &from_kernel,
					      reterr);
	if (err)
		return err;
	if (device->facts.flags & SSDPM_DEVICE_LIMIT_UNREAD)
		return ssdpm__fail(reterr, -ENODATA, 0,
				   "%s: its latency limit cannot be read",
				   device->facts.name);
	set_nvme_core(&known, &params);
	if (ssdpm__has_limit(&device->facts))
		params.max_exit_latency_us = device->facts.latency_tolerance_us;
	else
		params.quirks |= SSDPM_QUIRK_NO_APST;
	ssdpm__sized_out(ret_params, &params, sizeof(params));
	return 0;
}

uint64_t ssdpm__other_tolerance_us(uint64_t us)
{
	if (us >= INT32_MAX)
		return INT32_MAX - 1;
	return us ? us - 1 : 1;
}

/* A file of nvme_core takes its largest number for "any". */
static uint64_t limited(uint64_t value)
{
	return value < INT32_MAX ? value : INT32_MAX;
}

/*
 * Files that are to have another value than now. Parameters of the boot are to
 * have another one than the default of Linux, or than this machine has.
 */
static struct ssdpm_change *add_core(const struct core *wanted,
				     const struct core *now,
				     const struct core *usual,
				     const char *before, int n,
				     struct ssdpm_change *next)
{
	for (int i = 0; i < n; i++) {
		const uint64_t value = *wanted->values[i];

		if (value == *now->values[i] && value == *usual->values[i])
			continue;
		snprintf(next->target, sizeof(next->target), "%s%s", before,
			 ssdpm_nvme_core_to_string(core_number(i)));
		snprintf(next->value, sizeof(next->value), "%" PRIu64, value);
		next++;
	}
	return next;
}

static struct ssdpm_change *add_tolerance(const char *name, uint64_t us,
					  struct ssdpm_change *next)
{
	for (int i = 0; i < 2; i++, next++) {
		const uint64_t value = i ? us : ssdpm__other_tolerance_us(us);

		snprintf(next->target, sizeof(next->target),
			 SSDPM__TOLERANCE_FILE, name);
		if (value < INT32_MAX)
			snprintf(next->value, sizeof(next->value), "%" PRIu64,
				 value);
		else
			strcpy(next->value, "any");
	}
	return next;
}

int ssdpm_device_get_apst_changes(const struct ssdpm_device *device,
				  const struct ssdpm_machine_facts *facts,
				  const struct ssdpm_apst_params *params,
				  struct ssdpm_change **ret_changes,
				  size_t *ret_n, struct ssdpm_error *reterr)
{
	struct ssdpm_machine_facts known = { 0 };
	struct ssdpm_apst_params wanted, now, usual;
	struct ssdpm_change *changes, *next;
	struct core to, from, by_default;
	int err;

	ssdpm_apst_params_init(&wanted, sizeof(wanted));
	now = usual = wanted;
	err = ssdpm__sized_in(&wanted, sizeof(wanted), params,
			      "ssdpm_apst_params", reterr);
	if (!err && facts)
		err = ssdpm__facts_in(facts, &known, reterr);
	if (err)
		return err;
	/* At most: four files, the tolerance twice, and all for the boot. */
	changes = calloc(LIMIT + 2 + N_CORE, sizeof(*changes));
	if (!changes)
		return ssdpm__no_memory(reterr);
	set_nvme_core(&known, &now);
	to = core_of(&wanted);
	from = core_of(&now);
	by_default = core_of(&usual);
	next = add_core(&to, &from, &from, "/sys/module/nvme_core/parameters/",
			LIMIT, changes);
	next = add_tolerance(device ? device->facts.name : "nvmeN",
			     wanted.max_exit_latency_us, next);
	wanted.max_exit_latency_us = limited(wanted.max_exit_latency_us);
	if (known.nvme_core_known & 1u << core_number(LIMIT))
		now.max_exit_latency_us = known.nvme_core[core_number(LIMIT)];
	next = add_core(&to, &from, &by_default, "nvme_core.", N_CORE, next);
	*ret_changes = changes;
	*ret_n = (size_t)(next - changes);
	return 0;
}

/* The deepest state of the link that Linux has on; L1.2 is below L1. */
static uint32_t link_of(const struct ssdpm_device_facts *facts)
{
	if (!(facts->pcie_enabled & SSDPM_PCIE_FEATURE_L1))
		return SSDPM_PCIE_L0;
	return facts->pcie_enabled & SSDPM_PCIE_FEATURE_L1_2 ? SSDPM_PCIE_L1_2 :
							       SSDPM_PCIE_L1;
}

/*
 * Nobody builds the table of a capture anew when a setting changes: what was
 * read is in force. A live drive would have to be asked: -ENOENT, as where the
 * capture has none.
 */
static int read_kept_table(const struct ssdpm_device *device,
			   struct ssdpm_apst *ret_table,
			   struct ssdpm_error *reterr)
{
	char text[SSDPM__DUMP_BYTES];
	size_t n = 0;
	int err = -ENOENT;

	if (device->machine->capture)
		err = ssdpm__read_dump(device, "apst", text, sizeof(text), &n,
				       reterr);
	if (!err)
		err = ssdpm_apst_from_data(text, n, ret_table, reterr);
	/* A drive may keep the entries of a table that is switched off. */
	if (!err && !ret_table->enabled)
		memset(ret_table->entries, 0, sizeof(ret_table->entries));
	return err;
}

/*
 * What Linux programs. The table is unknown if @model says too little of a
 * state, if the drive cannot follow it, or if what was read is none. That is no
 * failure.
 */
static int take_table(const struct ssdpm_device *device,
		      const struct ssdpm_machine_facts *facts,
		      const struct ssdpm_model *model,
		      struct ssdpm_device_settings *settings,
		      struct ssdpm_error *reterr)
{
	struct ssdpm_apst_params params = { .size = sizeof(params) };
	struct ssdpm_apst table;
	int err;

	if (!model)
		return 0;
	err = ssdpm_device_get_apst_params(device, facts, model, &params,
					   reterr);
	if (!err) {
		err = read_kept_table(device, &table, reterr);
		if (err == -ENOENT)
			err = ssdpm_apst_generate(model, &params, &table,
						  reterr);
	}
	if (!err)
		err = ssdpm_apst_validate(model, &table, reterr);
	if (err)
		return err == -ENOMEM ? err : 0;
	settings->apst = table;
	settings->known |= SSDPM_SETTING_APST;
	return 0;
}

static int take_nvme(const struct ssdpm_device *device,
		     const struct ssdpm_machine_facts *facts,
		     const struct ssdpm_model *model,
		     struct ssdpm_device_settings *settings,
		     struct ssdpm_error *reterr)
{
	uint32_t from_kernel;
	int err;

	if (device->facts.known & SSDPM_FACT_PCIE) {
		settings->pcie_link = link_of(&device->facts);
		settings->known |= SSDPM_SETTING_PCIE_LINK;
	}
	err = ssdpm_device_get_quirks(device, facts, model, &settings->quirks,
				      &from_kernel, reterr);
	if (!ssdpm__has_limit(&device->facts)) {
		settings->quirks |= SSDPM_QUIRK_NO_APST;
		settings->known |= SSDPM_SETTING_QUIRKS;
	} else if (!err) {
		settings->known |= SSDPM_SETTING_QUIRKS;
	}
	if (err == -ENODATA)
		return 0;
	return err ? err : take_table(device, facts, model, settings, reterr);
}

/* A port whose link policy concerns more than this disk. */
static bool is_left_alone(const struct ssdpm_device_facts *facts)
{
	const uint32_t flags = SSDPM_DEVICE_EXTERNAL | SSDPM_DEVICE_HOT_PLUG |
			       SSDPM_DEVICE_SHARED_PORT;

	return facts->kind == SSDPM_KIND_SATA &&
	       (facts->n_devices > 1 || facts->flags & flags);
}

bool ssdpm__refuses_lpm(const struct ssdpm_device_facts *facts)
{
	return facts->known & SSDPM_FACT_LPM_SUPPORTED && !facts->lpm_supported;
}

int ssdpm_device_get_settings(const struct ssdpm_device *device,
			      const struct ssdpm_machine_facts *facts,
			      const struct ssdpm_model *model,
			      struct ssdpm_device_settings *ret_settings,
			      struct ssdpm_error *reterr)
{
	struct ssdpm_device_settings settings = { 0 };
	struct ssdpm_machine_facts known;
	struct ssdpm_error error = { 0 };
	int err;

	err = ssdpm__sized_check(ret_settings, sizeof(settings),
				 "ssdpm_device_settings", reterr);
	if (!err)
		err = ssdpm__facts_in(facts, &known, reterr);
	if (err)
		return err;
	if (device->facts.reach == SSDPM_REACH_YES) {
		if (device->facts.kind == SSDPM_KIND_NVME)
			err = take_nvme(device, &known, model, &settings,
					&error);
		else if (device->facts.known & SSDPM_FACT_LPM &&
			 device->facts.lpm) {
			settings.lpm = device->facts.lpm;
			settings.known |= SSDPM_SETTING_LPM;
		}
		settings.left_alone = is_left_alone(&device->facts);
		settings.refused = ssdpm__refuses_lpm(&device->facts);
	}
	if (!err)
		ssdpm__sized_out(ret_settings, &settings, sizeof(settings));
	return ssdpm__pass_on(err, &error, reterr);
}
