/* SPDX-License-Identifier: MIT */
#include "options/advised.h"
#include "text/device.h"
#include "text/output.h"
#include "text/remedy.h"

#include <stdlib.h>

/* A port, and the reason of its state. */
struct port {
	const struct drive *drive;
	struct insight insight;
};

struct ports {
	struct port *ports;
	size_t n;
};

static const char *policy_of_port(const struct ssdpm_device_facts *f)
{
	return f->known & SSDPM_FACT_LPM ? ssdpm_lpm_to_string(f->lpm) : NULL;
}

/* The disk of a port, which an optical drive is not. */
static const char *disk_of_port(const struct ssdpm_device_facts *f)
{
	if (f->flags & SSDPM_DEVICE_OPTICAL)
		return "optical";
	return f->flags & SSDPM_DEVICE_EMPTY ? "-" : f->name;
}

/* The kernel's word; none before 6.12.43. */
static const char *supported_word(const struct ssdpm_device_facts *f)
{
	return !(f->known & SSDPM_FACT_LPM_SUPPORTED) ? "-" :
	       f->lpm_supported			      ? "yes" :
							"no";
}

static void print_table(const struct ports *ports)
{
	struct table rows;

	table_begin(&rows, "<<<<", "host", "disk", "policy", "supported");
	for (size_t i = 0; i < ports->n; i++) {
		const struct port *port = &ports->ports[i];
		const struct ssdpm_device_facts *f =
			ssdpm_device_get_facts(port->drive->device);
		const char *policy = policy_of_port(f);

		table_row(&rows,
			  f->ata_port ? cell("host%u", f->host).text : "-",
			  disk_of_port(f),
			  policy	 ? policy :
			  f->lpm_word[0] ? f->lpm_word :
					   "-",
			  supported_word(f));
	}
	table_print(&rows);
}

static void print_reason(const struct drive *drive,
			 const struct ssdpm_diagnosis *reason)
{
	char *advice = advice_text(drive, reason), *text = NULL;

	if (asprintf(&text, "%s: %s", drive->name, reason->message) < 0)
		text = NULL;
	if (text)
		print_paragraph(text, 2, 4);
	free(text);
	if (advice)
		print_clauses(advice, 4);
	free(advice);
}

/* Each tells what a link policy may do to a port, whatever else is there. */
static bool is_risk(uint32_t code)
{
	return code == SSDPM_DIAGNOSIS_LPM_MIN_POWER ||
	       code == SSDPM_DIAGNOSIS_EXTERNAL_PORT ||
	       code == SSDPM_DIAGNOSIS_HOT_PLUG_PORT;
}

/* Below the table, because reasons are too long for a column. */
static void print_reasons(const struct ports *ports)
{
	const char *before = "\n";

	for (size_t i = 0; i < ports->n; i++) {
		const struct insight *insight = &ports->ports[i].insight;

		for (size_t j = 0; j < insight->n_diagnoses; j++) {
			const struct ssdpm_diagnosis *d =
				&insight->diagnoses[j];

			if (d != main_reason(insight) && !is_risk(d->code))
				continue;
			fputs(before, stdout);
			before = "";
			print_reason(ports->ports[i].drive, d);
		}
	}
}

static enum exit_status print_ports_json(const struct common *common,
					 const struct ports *ports)
{
	const struct ssdpm_object object = { .kind = SSDPM_OBJECT_LPM };
	struct items items = { 0 };
	struct ssdpm_error error;

	for (size_t i = 0; i < ports->n; i++) {
		char *text = NULL;
		int err = drive_json(object, ports->ports[i].drive,
				     &ports->ports[i].insight, &text, &error);

		add_item(&items, err, text, &error);
	}
	return print_items(common, &items);
}

static enum exit_status print_ports(const struct common *common,
				    const struct ports *ports)
{
	if (!ports->n && !common->quiet)
		remark("there is no SATA port");
	if (common->form)
		return print_ports_json(common, ports);
	print_table(ports);
	print_reasons(ports);
	return ports->n ? print_link_owners(ports->ports[0].drive->live) :
			  STATUS_DONE;
}

/* Adds a port to show; a named device without a port is a fault. */
static enum exit_status add_port(const struct common *common,
				 const struct drive *drive, struct ports *ports)
{
	struct port port = { .drive = drive };
	enum exit_status status;

	if (ssdpm_device_get_facts(drive->device)->kind != SSDPM_KIND_SATA) {
		if (!drive->named)
			return STATUS_DONE;
		complain("%s: not behind a SATA port", drive->name);
		return STATUS_DEVICE_CANNOT;
	}
	status = look_into(common, drive, &port.insight);
	if (status)
		free_insight(&port.insight);
	else
		ports->ports[ports->n++] = port;
	return status;
}

/* Collects the ports; n operands were given. */
static enum exit_status collect(const struct common *common,
				const struct drives *drives, size_t n,
				struct ports *ports)
{
	enum exit_status status = STATUS_DONE;

	n = n > drives->n ? n : drives->n;
	for (size_t i = 0; i < drives->n && !status; i++) {
		const struct drive *drive = &drives->drives[i];

		status = add_port(common, drive, ports);
		if (status && keep_failed_drive(common, drive->name, n, status))
			status = STATUS_DONE;
	}
	return status;
}

enum exit_status show_ports(const struct common *common,
			    const struct drives *drives, size_t n)
{
	struct ports ports = {
		.ports = calloc(drives->n + 1, sizeof(*ports.ports)),
	};
	enum exit_status status = STATUS_FAILED;

	if (ports.ports)
		status = collect(common, drives, n, &ports);
	else
		complain("out of memory");
	if (!status)
		status = print_ports(common, &ports);
	for (size_t i = 0; i < ports.n; i++)
		free_insight(&ports.ports[i].insight);
	free(ports.ports);
	return status;
}
