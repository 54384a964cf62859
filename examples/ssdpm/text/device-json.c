/* SPDX-License-Identifier: MIT */
#include "text/device.h"

#include "text/apst-questions.h"
#include "text/remedy.h"
#include "input/quirks.h"
#include "programs.h"

#include <stdlib.h>

void write_bits(struct json_writer *w, const char *key, uint32_t bits,
		const char *(*to_string)(uint32_t bit))
{
	ssdpm__json_begin(w, key, '[');
	w->one_line = true;
	for (uint32_t bit = 1; bit; bit <<= 1)
		if ((bits & bit) && to_string(bit))
			ssdpm__json_string(w, NULL, to_string(bit));
	ssdpm__json_end(w, ']');
}

void write_latency(struct json_writer *w, const char *key, uint64_t us)
{
	if (us == SSDPM_LATENCY_ANY)
		ssdpm__json_string(w, key, "any");
	else
		ssdpm__json_uint(w, key, us);
}

void write_table(struct json_writer *w, const char *key,
		 const struct ssdpm_apst *table)
{
	if (!table) {
		ssdpm__json_null(w, key);
		return;
	}
	ssdpm__json_begin(w, key, '{');
	ssdpm__json_bool(w, "sent", table->sent);
	ssdpm__json_bool(w, "enabled", table->enabled);
	write_entries(w, table);
	ssdpm__json_end(w, '}');
}

/* A text of which "" is not known. */
static void write_text(struct json_writer *w, const char *key, const char *text)
{
	ssdpm__json_string(w, key, text[0] ? text : NULL);
}

static void write_if(struct json_writer *w, const char *key, bool known,
		     uint64_t value)
{
	if (known)
		ssdpm__json_uint(w, key, value);
	else
		ssdpm__json_null(w, key);
}

static void write_bool_if(struct json_writer *w, const char *key, bool known,
			  bool value)
{
	if (known)
		ssdpm__json_bool(w, key, value);
	else
		ssdpm__json_null(w, key);
}

static void write_bits_if(struct json_writer *w, const char *key, bool known,
			  uint32_t bits, const char *(*to_string)(uint32_t bit))
{
	if (known)
		write_bits(w, key, bits, to_string);
	else
		ssdpm__json_null(w, key);
}

static void write_nvme(struct json_writer *w,
		       const struct ssdpm_device_facts *f,
		       const struct insight *insight)
{
	bool kernel = f->known & SSDPM_FACT_QUIRKS;

	write_text(w, "transport", f->transport);
	if (f->known & SSDPM_FACT_LATENCY_TOLERANCE)
		write_latency(w, "latency_tolerance_us",
			      f->latency_tolerance_us);
	else
		ssdpm__json_null(w, "latency_tolerance_us");
	write_bits_if(w, "quirks", kernel || (insight->known & INSIGHT_QUIRKS),
		      kernel ? f->kernel_quirks : insight->quirks,
		      ssdpm_quirk_to_string);
	ssdpm__json_bool(w, "quirks_from_kernel", kernel);
	write_if(w, "reset_count", f->known & SSDPM_FACT_RESET_COUNT,
		 f->reset_count);
}

static void write_sata(struct json_writer *w,
		       const struct ssdpm_device_facts *f)
{
	/* Out of reach, it is on no port of ours. */
	bool port = f->ata_port != 0;

	write_if(w, "host", port, f->host);
	write_if(w, "ata_port", port, f->ata_port);
	write_if(w, "port", f->known & SSDPM_FACT_PORT, f->port);
	ssdpm__json_string(
		w, "lpm",
		f->known & SSDPM_FACT_LPM ? ssdpm_lpm_to_string(f->lpm) : NULL);
	ssdpm__json_string(w, "lpm_word", f->lpm_word[0] ? f->lpm_word : NULL);
	write_bool_if(w, "lpm_supported", f->known & SSDPM_FACT_LPM_SUPPORTED,
		      f->lpm_supported);
	write_if(w, "ahci_port_cmd", f->known & SSDPM_FACT_AHCI_PORT_CMD,
		 f->ahci_port_cmd);
	write_if(w, "ahci_host_caps", f->known & SSDPM_FACT_AHCI_HOST_CAPS,
		 f->ahci_host_caps);
	write_if(w, "ahci_host_cap2", f->known & SSDPM_FACT_AHCI_HOST_CAP2,
		 f->ahci_host_cap2);
	write_if(w, "n_devices", port, f->n_devices);
	write_if(w, "devices_without_hipm", port, f->devices_without_hipm);
}

static void write_diagnosis(struct json_writer *w,
			    const struct ssdpm_device_facts *facts,
			    const struct insight *insight)
{
	const struct ssdpm_diagnosis *d = insight->diagnoses;

	ssdpm__json_string(w, "verdict",
			   insight->n_diagnoses ?
				   ssdpm_diagnosis_code_to_string(d[0].code) :
				   NULL);
	ssdpm__json_begin(w, "diagnosis", '[');
	for (size_t i = 0; i < insight->n_diagnoses; i++) {
		ssdpm__json_begin(w, NULL, '{');
		ssdpm__json_string(w, "code",
				   ssdpm_diagnosis_code_to_string(d[i].code));
		ssdpm__json_string(w, "severity",
				   ssdpm_severity_to_string(d[i].severity));
		ssdpm__json_string(w, "message", d[i].message);
		write_text(w, "advice", remedy_text(facts, &d[i]).text);
		ssdpm__json_end(w, '}');
	}
	ssdpm__json_end(w, ']');
}

void write_journal(struct json_writer *w, const struct ssdpm_journal *journal)
{
	if (!journal_stands(journal) &&
	    journal->state != SSDPM_JOURNAL_UNDONE) {
		ssdpm__json_null(w, "journal");
		return;
	}
	ssdpm__json_begin(w, "journal", '{');
	ssdpm__json_string(w, "state",
			   ssdpm_journal_state_to_string(journal->state));
	ssdpm__json_uint(w, "age_ms", journal->age_ms);
	ssdpm__json_uint(w, "n_undone", journal->n_undone);
	ssdpm__json_uint(w, "n_left_alone", journal->n_left_alone);
	write_if(w, "line", journal->line, journal->line);
	write_text(w, "reason", journal->reason);
	ssdpm__json_end(w, '}');
}

void write_device(struct json_writer *w, const struct drive *drive,
		  const struct insight *insight)
{
	const struct ssdpm_device_facts *f =
		ssdpm_device_get_facts(drive->device);
	bool pcie = f->known & SSDPM_FACT_PCIE;

	ssdpm__json_string(w, "schema", "ssdpm.device/1");
	ssdpm__json_string(w, "name", drive->name);
	write_journal(w, &drive->live->journal);
	ssdpm__json_string(w, "kind",
			   f->kind ? ssdpm_kind_to_string(f->kind) : NULL);
	ssdpm__json_string(w, "reach", ssdpm_reach_to_string(f->reach));
	write_text(w, "product", f->product);
	write_text(w, "firmware", f->firmware);
	write_bits(w, "flags", f->flags & ~SSDPM_DEVICE_D3COLD_ALLOWED,
		   ssdpm_device_flag_to_string);
	write_text(w, "state", f->state);
	write_text(w, "address", f->address);
	write_text(w, "driver", f->driver);
	write_text(w, "path", f->path);
	write_if(w, "pci_vendor_id", f->pci_vendor_id, f->pci_vendor_id);
	write_if(w, "pci_device_id", f->pci_vendor_id, f->pci_device_id);
	write_text(w, "pci_power_state", f->pci_power_state);
	write_bool_if(w, "d3cold_allowed", f->known & SSDPM_FACT_D3COLD,
		      f->flags & SSDPM_DEVICE_D3COLD_ALLOWED);
	write_text(w, "runtime_pm", f->runtime_pm);
	write_bits_if(w, "pcie_capable", pcie, f->pcie_capable,
		      ssdpm_pcie_feature_to_string);
	write_bits_if(w, "pcie_enabled", pcie, f->pcie_enabled,
		      ssdpm_pcie_feature_to_string);
	if (f->kind == SSDPM_KIND_NVME)
		write_nvme(w, f, insight);
	else if (f->kind == SSDPM_KIND_SATA)
		write_sata(w, f);
	if (f->reach == SSDPM_REACH_REMAPPED)
		ssdpm__json_uint(w, "n_devices", f->n_devices);
	write_diagnosis(w, f, insight);
}

static void write_devsleep(struct json_writer *w, const struct insight *insight)
{
	const struct ssdpm_devsleep *d = &insight->devsleep;

	if (!(insight->known & INSIGHT_DEVSLEEP)) {
		ssdpm__json_null(w, "devsleep");
		return;
	}
	ssdpm__json_begin(w, "devsleep", '{');
	ssdpm__json_bool(w, "reported", d->reported);
	ssdpm__json_uint(w, "minimum_assertion_ms", d->minimum_assertion_ms);
	ssdpm__json_uint(w, "exit_timeout_ms", d->exit_timeout_ms);
	ssdpm__json_end(w, '}');
}

static void write_power(struct json_writer *w,
			const struct ssdpm_device_power *p)
{
	const bool thermal = p->known & SSDPM_POWER_FACT_THERMAL;

	write_if(w, "power_state", p->known & SSDPM_POWER_FACT_STATE,
		 p->power_state);
	write_bool_if(w, "asleep", p->known & SSDPM_POWER_FACT_STATE,
		      p->flags & SSDPM_POWER_FLAG_ASLEEP);
	write_if(w, "workload_hint", p->known & SSDPM_POWER_FACT_WORKLOAD_HINT,
		 p->workload_hint);
	write_bool_if(w, "nopp", p->known & SSDPM_POWER_FACT_NOPP, p->nopp);
	write_if(w, "light_throttle_k", thermal, p->light_throttle_k);
	write_if(w, "heavy_throttle_k", thermal, p->heavy_throttle_k);
	write_if(w, "min_throttle_k", p->min_throttle_k, p->min_throttle_k);
	write_if(w, "max_throttle_k", p->max_throttle_k, p->max_throttle_k);
	write_if(w, "power_limit_uw", p->known & SSDPM_POWER_FACT_LIMIT,
		 p->power_limit_uw);
	write_bool_if(w, "power_measurement",
		      p->known & SSDPM_POWER_FACT_MEASUREMENT,
		      p->power_measurement);
}

void write_insight(struct json_writer *w, const struct drive *drive,
		   const struct insight *insight)
{
	uint32_t kind = ssdpm_device_get_facts(drive->device)->kind;
	const struct ssdpm_device_power none = { 0 };
	uint32_t known = insight->known;

	if (kind == SSDPM_KIND_SATA)
		write_devsleep(w, insight);
	if (kind != SSDPM_KIND_NVME)
		return;
	write_power(w, known & INSIGHT_POWER_STATE ? &insight->power : &none);
	write_table(w, "table", known & INSIGHT_TABLE ? &insight->table : NULL);
	write_table(w, "table_predicted",
		    known & INSIGHT_PREDICTED ? &insight->predicted : NULL);
}

static void write_owners(struct json_writer *w,
			 const struct ssdpm_owner *owners, size_t n)
{
	ssdpm__json_begin(w, "owners", '[');
	for (size_t i = 0; i < n; i++) {
		ssdpm__json_begin(w, NULL, '{');
		ssdpm__json_string(w, "kind",
				   ssdpm_owner_kind_to_string(owners[i].kind));
		ssdpm__json_string(w, "path", owners[i].path);
		write_if(w, "line", owners[i].line, owners[i].line);
		ssdpm__json_string(w, "setting", owners[i].setting);
		ssdpm__json_end(w, '}');
	}
	ssdpm__json_end(w, ']');
}

static void write_meters(struct json_writer *w,
			 const struct ssdpm_meter *meters, size_t n)
{
	ssdpm__json_begin(w, "meters", '[');
	for (size_t i = 0; i < n; i++) {
		ssdpm__json_begin(w, NULL, '{');
		ssdpm__json_string(w, "kind", meter_kind_word(meters[i].kind));
		ssdpm__json_string(w, "name", meters[i].name);
		ssdpm__json_string(w, "path", meters[i].path);
		ssdpm__json_bool(w, "readable", meters[i].readable);
		ssdpm__json_end(w, '}');
	}
	ssdpm__json_end(w, ']');
}

static void write_machine_facts(struct json_writer *w,
				const struct ssdpm_machine_facts *f)
{
	ssdpm__json_string(w, "schema", "ssdpm.machine/1");
	ssdpm__json_string(w, "power_source",
			   ssdpm_power_source_to_string(f->power_source));
	ssdpm__json_string(w, "suspend", ssdpm_suspend_to_string(f->suspend));
	ssdpm__json_string(w, "aspm_policy",
			   ssdpm_aspm_policy_to_string(f->aspm_policy));
	write_text(w, "linux_release", f->linux_release);
	write_text(w, "sys_vendor", f->sys_vendor);
	write_text(w, "product_name", f->product_name);
	write_text(w, "product_version", f->product_version);
	write_text(w, "board_vendor", f->board_vendor);
	write_text(w, "board_name", f->board_name);
	write_text(w, "bios_date", f->bios_date);
	ssdpm__json_begin(w, "nvme_core", '{');
	for (uint32_t i = 1; ssdpm_nvme_core_to_string(i); i++)
		write_if(w, ssdpm_nvme_core_to_string(i),
			 f->nvme_core_known >> i & 1, f->nvme_core[i]);
	ssdpm__json_end(w, '}');
	write_text(w, "mask_port_ext", f->mask_port_ext);
	if (f->mobile_lpm_policy == INT32_MIN)
		ssdpm__json_null(w, "mobile_lpm_policy");
	else
		ssdpm__json_int(w, "mobile_lpm_policy", f->mobile_lpm_policy);
	ssdpm__json_bool(w, "capture", f->capture);
}

enum exit_status write_machine(struct json_writer *w, const struct live *live)
{
	struct surroundings around;
	enum exit_status status = read_surroundings(live, &around);

	if (status)
		return status;
	ssdpm__json_begin(w, "machine", '{');
	write_machine_facts(w, &live->facts);
	write_owners(w, around.owners, around.n_owners);
	if (has_energy)
		write_meters(w, around.meters, around.n_meters);
	ssdpm__json_end(w, '}');
	free_surroundings(&around);
	return STATUS_DONE;
}
