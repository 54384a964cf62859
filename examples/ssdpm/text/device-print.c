/* SPDX-License-Identifier: MIT */
#include "text/device.h"

#include "input/owners.h"

#include "options/advised.h"
#include "options/numbers.h"
#include "options/apst-options.h"
#include "programs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Registers of AHCI 1.3.1: PxCMD, CAP and CAP2. */
static const struct register_bit {
	uint32_t bit;
	const char *name;
} port_bits[] = {
	{ UINT32_C(1) << 18, "HPCP (hot-plug)" },
	{ UINT32_C(1) << 21, "ESP (external)" },
	{ UINT32_C(1) << 26, "ALPE" },
	{ UINT32_C(1) << 27, "ASP" },
	{ 0, NULL },
}, cap_bits[] = {
	{ UINT32_C(1) << 5, "SXS" },
	{ UINT32_C(1) << 13, "PSC" },
	{ UINT32_C(1) << 14, "SSC" },
	{ UINT32_C(1) << 26, "SALP" },
	{ 0, NULL },
}, cap2_bits[] = {
	{ UINT32_C(1) << 3, "SDS" },
	{ UINT32_C(1) << 4, "SADM" },
	{ 0, NULL },
};

struct ssdpm_quantity limit_text(uint64_t us)
{
	return us == SSDPM_LATENCY_ANY ? (struct ssdpm_quantity){ "any" } :
					 ssdpm_us_to_text(us);
}

struct ssdpm_quantity latency_text(uint64_t us)
{
	return us ? limit_text(us) : (struct ssdpm_quantity){ "0 (off)" };
}

void print_bits(uint32_t bits, const char *(*to_string)(uint32_t bit))
{
	const char *before = "";

	for (uint32_t bit = 1; bit; bit <<= 1) {
		if (!(bits & bit) || !to_string(bit))
			continue;
		printf("%s%s", before, to_string(bit));
		before = ", ";
	}
	if (!*before)
		fputs("none", stdout);
}

/* "  latency limit   100 ms": what follows is printed by the caller. */
static void label(const char *text)
{
	printf("  %-15s ", text);
}

__attribute__((format(printf, 2, 3))) static void line(const char *name,
						       const char *format, ...)
{
	va_list args;

	label(name);
	va_start(args, format);
	print_list(stdout, format, args);
	va_end(args);
	putchar('\n');
}

void print_device_heading(const struct drive *drive)
{
	const struct ssdpm_device_facts *f =
		ssdpm_device_get_facts(drive->device);
	const char *kind = f->kind == SSDPM_KIND_NVME ? "NVMe" :
			   f->kind == SSDPM_KIND_SATA ? "SATA" :
							NULL;

	printf("%s: %s", drive->name,
	       f->product[0]		     ? f->product :
	       f->flags & SSDPM_DEVICE_EMPTY ? "no drive" :
					       "(no product name)");
	if (f->firmware[0])
		printf(", firmware %s", f->firmware);
	if (kind)
		printf(", %s", kind);
	if (f->transport[0] && strcmp(f->transport, "pcie"))
		printf(" over %s", f->transport);
	if (f->address[0])
		printf(" at %s", f->address);
	if (f->driver[0] && strcmp(f->driver, "nvme"))
		printf(" (%s)", f->driver);
	putchar('\n');
}

static void print_table_line(const char *name, const struct ssdpm_apst *table)
{
	label(name);
	print_apst(table);
	putchar('\n');
}

/* The drive counts in kelvin; 0 is off. */
static void print_throttle(const char *word, uint32_t kelvin)
{
	if (kelvin)
		printf("%s at %d C", word, (int)kelvin - 273);
	else
		printf("%s never", word);
}

static void print_power(const struct ssdpm_device_power *power)
{
	label("power state");
	printf("PS%u", power->power_state);
	if (power->workload_hint)
		printf(", workload hint %u", power->workload_hint);
	puts(power->flags & SSDPM_POWER_FLAG_ASLEEP ?
		     " (asleep; it does not say which it wakes to)" :
		     " when it was read");
	if (power->known & SSDPM_POWER_FACT_NOPP)
		line("asleep",
		     "background work may %sexceed the power of the state",
		     power->nopp ? "" : "not ");
	if (power->known & SSDPM_POWER_FACT_THERMAL) {
		label("throttles");
		print_throttle("lightly", power->light_throttle_k);
		print_throttle(", heavily", power->heavy_throttle_k);
		putchar('\n');
	}
	if (power->known & SSDPM_POWER_FACT_LIMIT)
		line("power limit", "%s",
		     power_text((int64_t)power->power_limit_uw).text);
	if (power->known & SSDPM_POWER_FACT_MEASUREMENT)
		line("measures power", "%s",
		     power->power_measurement ? "yes" : "not now");
}

static void print_quirk_line(const struct ssdpm_device_facts *f,
			     const struct insight *insight)
{
	bool kernel = f->known & SSDPM_FACT_QUIRKS;

	label("quirks");
	if (kernel)
		print_bits(f->kernel_quirks, ssdpm_quirk_to_string);
	else if (insight->known & INSIGHT_QUIRKS)
		print_bits(insight->quirks, ssdpm_quirk_to_string);
	else
		fputs("not known", stdout);
	puts(kernel			     ? " (the kernel says so)" :
	     insight->known & INSIGHT_QUIRKS ? " (our rules say so)" :
					       "");
}

static void print_nvme(const struct ssdpm_device_facts *f,
		       const struct insight *insight)
{
	line("latency limit", "%s",
	     f->known & SSDPM_FACT_LATENCY_TOLERANCE ?
		     latency_text(f->latency_tolerance_us).text :
	     f->flags & SSDPM_DEVICE_LIMIT_UNREAD ?
		     "cannot be read" :
		     "none to set: the kernel has no APST for this drive");
	if (insight->known & INSIGHT_TABLE)
		print_table_line("APST now", &insight->table);
	if (insight->known & INSIGHT_PREDICTED)
		print_table_line(insight->known & INSIGHT_TABLE ?
					 "APST by rule" :
					 "APST, by rule",
				 &insight->predicted);
	if (insight->known & INSIGHT_POWER_STATE)
		print_power(&insight->power);
	print_quirk_line(f, insight);
	if (f->known & SSDPM_FACT_RESET_COUNT)
		line("resets", "%u", f->reset_count);
}

static void print_register(const char *name, uint32_t value,
			   const struct register_bit *bits)
{
	const char *before = "";

	printf("%s 0x%08x (", name, value);
	for (; bits->name; bits++)
		if (value & bits->bit) {
			printf("%s%s", before, bits->name);
			before = ", ";
		}
	printf("%s)", *before ? "" : "none of them");
}

static void print_registers(const struct ssdpm_device_facts *f)
{
	static const struct {
		uint32_t known;
		const char *name;
		const struct register_bit *bits;
	} rows[] = {
		{ SSDPM_FACT_AHCI_PORT_CMD, "PxCMD", port_bits },
		{ SSDPM_FACT_AHCI_HOST_CAPS, "CAP", cap_bits },
		{ SSDPM_FACT_AHCI_HOST_CAP2, "CAP2", cap2_bits },
	};
	const uint32_t values[] = { f->ahci_port_cmd, f->ahci_host_caps,
				    f->ahci_host_cap2 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!(f->known & rows[i].known))
			continue;
		label(i && (f->known & rows[0].known) ? "" : "AHCI");
		print_register(rows[i].name, values[i], rows[i].bits);
		putchar('\n');
	}
}

static void print_sata(const struct ssdpm_device_facts *f,
		       const struct insight *insight)
{
	if (!f->ata_port) /* out of reach, which the diagnosis explains */
		return;
	label("port");
	printf("host%u, ata%u", f->host, f->ata_port);
	if (f->n_devices > 1)
		printf(", %u devices", f->n_devices);
	putchar('\n');
	line("LPM policy", "%s",
	     f->known & SSDPM_FACT_LPM	    ? ssdpm_lpm_to_string(f->lpm) :
	     f->reach == SSDPM_REACH_NO_LPM ? "none: the driver has no LPM" :
	     f->lpm_word[0]		    ? f->lpm_word :
					      "cannot be read");
	if (f->known & SSDPM_FACT_LPM_SUPPORTED)
		line("LPM supported", "%s", f->lpm_supported ? "yes" : "no");
	print_registers(f);
	if (f->devices_without_hipm)
		line("HIPM", "not taken by %u of %u", f->devices_without_hipm,
		     f->n_devices);
	if (insight->known & INSIGHT_DEVSLEEP)
		line("DevSleep", "at least %u ms, exit within %u ms%s",
		     insight->devsleep.minimum_assertion_ms,
		     insight->devsleep.exit_timeout_ms,
		     insight->devsleep.reported ?
			     "" :
			     " (not reported: what Serial ATA says then)");
}

/* The way to the drive: its PCI device, or that of its adapter. */
static void print_pci(const struct ssdpm_device_facts *f)
{
	if (f->known & SSDPM_FACT_PCIE) {
		label("PCIe link");
		print_bits(f->pcie_enabled, ssdpm_pcie_feature_to_string);
		if (f->pcie_capable & ~f->pcie_enabled) {
			fputs(" on; off: ", stdout);
			print_bits(f->pcie_capable & ~f->pcie_enabled,
				   ssdpm_pcie_feature_to_string);
		}
		putchar('\n');
	}
	if (!f->pci_power_state[0] && !f->runtime_pm[0])
		return;
	label("PCI device");
	printf("%s", f->pci_power_state);
	if (f->runtime_pm[0])
		printf("%sruntime PM %s", f->pci_power_state[0] ? ", " : "",
		       f->runtime_pm);
	if (f->known & SSDPM_FACT_D3COLD)
		printf(", D3cold %s", f->flags & SSDPM_DEVICE_D3COLD_ALLOWED ?
					      "allowed" :
					      "forbidden");
	putchar('\n');
}

/* The first one says how it is; the others why. */
static void print_diagnosis(const struct ssdpm_diagnosis *d, bool first)
{
	const char *mark = first				 ? "" :
			   d->severity == SSDPM_SEVERITY_PROBLEM ? "! " :
								   "- ";
	char *text;

	if (asprintf(&text, "%s%s", mark, d->message) < 0)
		return;
	print_paragraph(text, 2, 4);
	free(text);
}

static void print_diagnoses(const struct drive *drive,
			    const struct insight *insight)
{
	char *advice = NULL, *next;

	/* Advice that findings share is behind the last of them. */
	for (size_t i = 0; i < insight->n_diagnoses; i++) {
		const struct ssdpm_diagnosis *d = &insight->diagnoses[i];

		next = advice_text(drive, d);
		if (advice && (!next || strcmp(advice, next)))
			print_clauses(advice, 4);
		free(advice);
		advice = next;
		print_diagnosis(d, !i);
	}
	if (advice)
		print_clauses(advice, 4);
	free(advice);
}

void print_device_summary(const struct drive *drive,
			  const struct insight *insight)
{
	print_device_heading(drive);
	print_diagnoses(drive, insight);
}

void print_device_settings(const struct drive *drive,
			   const struct insight *insight)
{
	const struct ssdpm_device_facts *f =
		ssdpm_device_get_facts(drive->device);

	print_device_heading(drive);
	if (f->reach == SSDPM_REACH_YES && f->kind == SSDPM_KIND_NVME)
		print_nvme(f, insight);
	else if (f->kind == SSDPM_KIND_SATA)
		print_sata(f, insight);
	print_pci(f);
}

void print_device(const struct drive *drive, const struct insight *insight)
{
	print_device_settings(drive, insight);
	print_diagnoses(drive, insight);
}

static void print_facts(const struct ssdpm_machine_facts *f)
{
	printf("This machine: %s%s%s%s, Linux %s\n", f->sys_vendor,
	       f->sys_vendor[0] ? " " : "",
	       f->product_name[0] ? f->product_name : "(no product name)",
	       f->capture ? " (capture)" : "",
	       f->linux_release[0] ? f->linux_release : "(unknown)");
	label("power source");
	puts(f->power_source ? ssdpm_power_source_to_string(f->power_source) :
			       "not known; taken for ac");
	if (f->suspend)
		line("suspend", "%s", ssdpm_suspend_to_string(f->suspend));
	if (f->aspm_policy)
		line("ASPM policy", "%s",
		     ssdpm_aspm_policy_to_string(f->aspm_policy));
	for (uint32_t i = 1; ssdpm_nvme_core_to_string(i); i++) {
		if (!(f->nvme_core_known >> i & 1))
			continue;
		label(f->nvme_core_known & ((UINT32_C(1) << i) - 1) ?
			      "" :
			      "nvme_core");
		printf("%s=%" PRIu64 "\n", ssdpm_nvme_core_to_string(i),
		       f->nvme_core[i]);
	}
}

/* Only those that set one of these targets, with 0 all; before them, this. */
static void print_owners(const struct surroundings *around, const char *before,
			 uint32_t targets)
{
	const char *name = "also set by";

	for (size_t i = 0; i < around->n_owners; i++) {
		const struct ssdpm_owner *owner = &around->owners[i];

		if (targets && !(owner->sets & targets))
			continue;
		fputs(before, stdout);
		label(name);
		before = name = "";
		printf("%s: %s", ssdpm_owner_kind_to_string(owner->kind),
		       owner->path);
		if (owner->line)
			printf(":%u", owner->line);
		printf(": %s\n", owner->setting);
	}
}

enum exit_status print_link_owners(const struct live *live)
{
	struct surroundings around;
	struct ssdpm_error error;

	if (read_surroundings(live, &around, &error))
		return complain_of_device(NULL, &error);
	print_owners(&around, "\n", SSDPM_OWNER_SETS_LPM);
	free_surroundings(&around);
	return STATUS_DONE;
}

enum exit_status print_machine(const struct live *live)
{
	struct surroundings around;
	struct ssdpm_error error;

	if (read_surroundings(live, &around, &error))
		return complain_of_device(NULL, &error);
	print_facts(&live->facts);
	print_owners(&around, "", 0);
	for (size_t i = 0; i < around.n_meters; i++) {
		label(i ? "" : "power meters");
		printf("%s %s%s\n", meter_kind_word(around.meters[i].kind),
		       around.meters[i].name,
		       around.meters[i].readable ? "" : " (readable by root)");
	}
	free_surroundings(&around);
	return STATUS_DONE;
}

void print_old_table(void)
{
	print_paragraph("A capture keeps the APST table that was read; Linux "
			"now builds another one.",
			0, 2);
}
