/* SPDX-License-Identifier: MIT */
#include "text/device.h"

#include "text/output.h"
#include "input/quirks.h"

#include <string.h>

struct cell states_text(uint32_t first, uint32_t last)
{
	return first < last ? cell("PS%u-PS%u", first, last) :
			      cell("PS%u", first);
}

/* A latency or power of 0 is what NVMe calls not reported; it stands. */
static struct cell number_text(const struct ssdpm_power_state *state,
			       uint32_t field, struct ssdpm_quantity number)
{
	if (state->unknown & field)
		return cell("-");
	return cell("%s%s", number.text,
		    state->not_reported & field ? "*" : "");
}

/* "2..2.99 W": the unit is named once if both ends have it. */
static struct cell range_text(uint32_t low_uw, uint32_t high_uw)
{
	struct ssdpm_quantity low = ssdpm_uw_to_text(low_uw);
	const struct ssdpm_quantity high = ssdpm_uw_to_text(high_uw);
	char *unit = strchr(low.text, ' ');

	if (!low_uw || !strcmp(unit, strchr(high.text, ' ')))
		*unit = '\0';
	return cell("%s..%s", low.text, high.text);
}

/* An active or idle power, which can have a range instead of a value. */
static struct cell power_or_range(const struct ssdpm_model *model,
				  uint32_t number, uint32_t field,
				  uint32_t power_uw)
{
	const struct ssdpm_power_state *state =
		&ssdpm_model_get_states(model, NULL)[number];
	uint32_t low, high;

	if ((state->unknown & field) &&
	    !ssdpm_model_get_power_range(model, number, field, &low, &high,
					 NULL))
		return range_text(low, high);
	return number_text(state, field, ssdpm_uw_to_text(power_uw));
}

static void add_rank(struct table *table, const struct ssdpm_power_state *state,
		     uint32_t field, uint8_t rank)
{
	if (state->unknown & field)
		table_cell(table, "-");
	else
		table_cell(table, "%u", rank);
}

/* The ranks, of which SATA knows nothing. */
static const char *const ranks[] = { "RRT", "RRL", "RWT", "RWL" };

static void add_ranks(struct table *table, const struct ssdpm_power_state *s)
{
	add_rank(table, s, SSDPM_FIELD_READ_THROUGHPUT_RANK,
		 s->read_throughput_rank);
	add_rank(table, s, SSDPM_FIELD_READ_LATENCY_RANK, s->read_latency_rank);
	add_rank(table, s, SSDPM_FIELD_WRITE_THROUGHPUT_RANK,
		 s->write_throughput_rank);
	add_rank(table, s, SSDPM_FIELD_WRITE_LATENCY_RANK,
		 s->write_latency_rank);
}

struct cell state_text(const struct ssdpm_model *model, uint32_t number)
{
	const struct ssdpm_power_state *states;
	const char *link = NULL;
	size_t n;

	states = ssdpm_model_get_states(model, &n);
	if (number < n)
		link = ssdpm_link_state_to_string(states[number].link_state);
	return cell("PS%u%s%s", number, link ? " " : "", link ? link : "");
}

static void add_state(struct table *table, const struct ssdpm_model *model,
		      uint32_t number)
{
	const struct ssdpm_power_state *s =
		&ssdpm_model_get_states(model, NULL)[number];

	table_row(table, state_text(model, number).text,
		  s->flags & SSDPM_STATE_NON_OPERATIONAL ? "no" : "yes",
		  number_text(s, SSDPM_FIELD_MAX_POWER,
			      ssdpm_uw_to_text(s->max_power_uw))
			  .text,
		  power_or_range(model, number, SSDPM_FIELD_ACTIVE_POWER,
				 s->active_power_uw)
			  .text,
		  power_or_range(model, number, SSDPM_FIELD_IDLE_POWER,
				 s->idle_power_uw)
			  .text,
		  number_text(s, SSDPM_FIELD_ENTRY_LATENCY,
			      ssdpm_us_to_text(s->entry_latency_us))
			  .text,
		  number_text(s, SSDPM_FIELD_EXIT_LATENCY,
			      ssdpm_us_to_text(s->exit_latency_us))
			  .text);
}

static void print_table(const struct ssdpm_model *model, bool sata)
{
	const struct ssdpm_power_state *states;
	struct table table;
	size_t n;

	table_begin(&table, sata ? "<<>>>>>" : "<<>>>>>>>>>", "state",
		    "operational", "max power", "active", "idle", "entry",
		    "exit");
	if (!sata)
		for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++)
			table_cell(&table, "%s", ranks[i]);
	states = ssdpm_model_get_states(model, &n);
	for (uint32_t i = 0; i < n; i++) {
		add_state(&table, model, i);
		if (!sata)
			add_ranks(&table, &states[i]);
	}
	table_print(&table);
}

static const char *feature_word(const struct ssdpm_model_info *info,
				uint32_t feature)
{
	if (info->sata_supported_unknown & feature)
		return "unknown";
	if (!(info->sata_supported & feature))
		return "not supported";
	if (info->sata_enabled_unknown & feature)
		return "supported";
	return info->sata_enabled & feature ? "enabled" :
					      "supported, not enabled";
}

/* What the link and the drive can be told to do on their own. */
static void print_features(const struct ssdpm_model_info *info)
{
	printf("  HIPM %s; DIPM %s; DevSleep %s; APM %s",
	       feature_word(info, SSDPM_SATA_HIPM),
	       feature_word(info, SSDPM_SATA_DIPM),
	       feature_word(info, SSDPM_SATA_DEVSLEEP),
	       feature_word(info, SSDPM_SATA_APM));
	if (!(info->unknown & SSDPM_INFO_APM_LEVEL))
		printf(" (level %u)", info->apm_level);
	putchar('\n');
	if (!(info->unknown & SSDPM_INFO_SATA_WORDS_VALID) &&
	    !info->sata_words_valid)
		puts("  The drive says nothing of its link; Linux takes that "
		     "for not supported");
}

/* The meaning of the dashes and zeros in the table. */
static void print_notes(const struct ssdpm_model_info *info,
			const struct ssdpm_power_state *states, size_t n)
{
	bool smartctl = info->kind == SSDPM_KIND_NVME &&
			(info->format == SSDPM_FORMAT_SMARTCTL_TEXT ||
			 info->format == SSDPM_FORMAT_SMARTCTL_JSON);
	uint32_t unknown = 0, zeros = 0, flags = 0;

	for (size_t i = 0; i < n; i++) {
		flags |= states[i].flags;
		unknown |= states[i].unknown;
		zeros |= states[i].not_reported & ~states[i].unknown;
	}
	if (zeros)
		puts("  * 0 means not reported; Linux computes with 0");
	if (smartctl &&
	    (unknown & (SSDPM_FIELD_ACTIVE_POWER | SSDPM_FIELD_IDLE_POWER)))
		puts("  idle and active power: not taken from smartctl, which "
		     "reads their scale from the wrong bits");
	if (flags & SSDPM_STATE_IDLE_POWER_OF_FAMILY)
		puts("  idle power: what a drive of the same vendor, table and "
		     "active power reports");
	else if (flags & SSDPM_STATE_ACTIVE_POWER_SHOWN &&
		 unknown & SSDPM_FIELD_IDLE_POWER)
		puts("  this drive probably reports its idle power: nvme "
		     "id-ctrl --raw-binary shows it");
}

/* The range of a power that may not be reported ends at 0. */
static void print_range_note(const struct ssdpm_model *model, size_t n)
{
	static const uint32_t fields[] = { SSDPM_FIELD_IDLE_POWER,
					   SSDPM_FIELD_ACTIVE_POWER };
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(model, NULL);
	bool any = false, from_zero = false;
	uint32_t low, high;

	for (uint32_t i = 0; i < 2 * n; i++) {
		if (!(states[i / 2].unknown & fields[i % 2]) ||
		    ssdpm_model_get_power_range(model, i / 2, fields[i % 2],
						&low, &high, NULL))
			continue;
		any = true;
		from_zero |= !low;
	}
	if (any)
		printf("  a range: nvme-cli before 1.12 printed no fraction%s\n",
		       from_zero ? "; 0: perhaps not reported" : "");
}

void print_states(const struct drive *drive)
{
	const struct ssdpm_model_info *info =
		ssdpm_model_get_info(drive->model);
	bool sata = info->kind == SSDPM_KIND_SATA;
	const struct ssdpm_power_state *states;
	size_t n;

	states = ssdpm_model_get_states(drive->model, &n);
	if (sata)
		print_features(info);
	print_table(drive->model, sata);
	print_notes(info, states, n);
	print_range_note(drive->model, n);
}

void print_power_states(const struct drive *drive)
{
	const struct ssdpm_model_info *info;

	if (!drive->model) {
		printf("  power states: not known: %s\n",
		       drive->problem.message);
		return;
	}
	info = ssdpm_model_get_info(drive->model);
	printf("  power states%s\n",
	       info->provenance == SSDPM_PROVENANCE_CATALOGUE ?
		       " (from the catalogue: others of this name say so)" :
		       "");
	print_states(drive);
}
