/* SPDX-License-Identifier: MIT */
/*
 * The text of smartctl -c, -a and -x (smartmontools 6.5 to 7.5), as people
 * paste it. There may be prose around it, parts missing, or the quotes of a
 * mail.
 */
#include "base/text.h"
#include "model/smartctl.h"

#include <errno.h>
#include <string.h>

struct smartctl_text {
	struct ssdpm_model_info info;
	struct ssdpm_power_state states[SSDPM_MAX_STATES];
	size_t n_states;

	struct lines lines;
	uint32_t table_line; /* where the last table began, 0: there was none */
	size_t next_row;
	bool in_table;
	bool right_after; /* the line before was the head or a row */
	bool again;	  /* this is not the first table */
	struct ssdpm_error *reterr;
};

static int fail(const struct smartctl_text *r, const char *message)
{
	return ssdpm__fail(r->reterr, -EINVAL, r->lines.line, "%s", message);
}

static int fail_in_row(const struct smartctl_text *r, int code,
		       const char *column, const char *message)
{
	return ssdpm__fail(r->reterr, code, r->lines.line,
			   "power state %zu, %s: %s", r->next_row, column,
			   message);
}

static bool is_table_head(struct span line)
{
	struct span word;

	return ssdpm__take_word(&line, &word) && ssdpm__span_is(word, "St") &&
	       ssdpm__take_word(&line, &word) && ssdpm__span_is(word, "Op") &&
	       ssdpm__span_contains(line, "Ent_Lat");
}

static bool is_table_title(struct span line)
{
	return ssdpm__take(&line, "Supported Power States");
}

bool ssdpm__is_smartctl_text(const char *text, size_t size)
{
	struct lines lines = { .rest = ssdpm__span(text, size) };
	struct span line;
	uint64_t version;

	while (ssdpm__next_mail_line(&lines, &line)) {
		if (is_table_head(line) || is_table_title(line) ||
		    ssdpm__take(&line, "=== START OF INFORMATION SECTION") ||
		    ssdpm__take(&line, "Device Model:"))
			return true;
		if (ssdpm__take(&line, "smartctl ") &&
		    ssdpm__take_uint(&line, 99, &version) &&
		    ssdpm__span_contains(line, "[") && ssdpm__take(&line, "."))
			return true;
	}
	return false;
}

static int set_kind(struct smartctl_text *r, uint32_t kind)
{
	if (r->info.kind && r->info.kind != kind)
		return ssdpm__fail(r->reterr, -EINVAL, r->lines.line,
				   "a second drive, %s after %s, where there "
				   "is one to a text",
				   ssdpm_kind_to_string(kind),
				   ssdpm_kind_to_string(r->info.kind));
	if (!r->info.kind)
		ssdpm__smartctl_set_kind(&r->info, kind);
	return 0;
}

static bool is_known(const struct smartctl_text *r, uint32_t bit)
{
	return !(r->info.unknown & bit);
}

/* Text that may be missing, and that two drives would give differently. */
static int set_text(struct smartctl_text *r, struct span value, char *text,
		    size_t size, uint32_t bit, const char *what)
{
	char copy[sizeof(r->info.product)];

	if (value.at == value.end ||
	    ssdpm__span_is(value, "[No Information Found]"))
		return 0;
	if (!ssdpm__span_copy(value, copy, size))
		return ssdpm__fail(r->reterr, -ERANGE, r->lines.line,
				   "%s: longer than %zu characters", what,
				   size - 1);
	if (is_known(r, bit) && strcmp(text, copy))
		return ssdpm__fail(r->reterr, -EINVAL, r->lines.line,
				   "%s: a second drive, where there is one to "
				   "a text",
				   what);
	memcpy(text, copy, size);
	r->info.unknown &= ~bit;
	return 0;
}

static int read_product(struct smartctl_text *r, struct span value,
			uint32_t kind)
{
	int err = set_kind(r, kind);

	return err ? err :
		     set_text(r, value, r->info.product,
			      sizeof(r->info.product), SSDPM_INFO_PRODUCT,
			      "model");
}

/* smartctl -l farm writes this label for SATA drives too. */
static int read_nvme_product(struct smartctl_text *r, struct span value)
{
	if (r->info.kind == SSDPM_KIND_SATA)
		return 0;
	return read_product(r, value, SSDPM_KIND_NVME);
}

static int read_sata_product(struct smartctl_text *r, struct span value)
{
	return read_product(r, value, SSDPM_KIND_SATA);
}

static int read_firmware(struct smartctl_text *r, struct span value)
{
	return set_text(r, value, r->info.firmware, sizeof(r->info.firmware),
			SSDPM_INFO_FIRMWARE, "firmware");
}

static int read_vendor(struct smartctl_text *r, struct span value)
{
	uint64_t vendor_id;
	int err = set_kind(r, SSDPM_KIND_NVME);

	if (err)
		return err;
	if (!ssdpm__take_uint(&value, UINT16_MAX, &vendor_id) ||
	    value.at != value.end)
		return fail(r, "PCI vendor: no number from 0 to 0xffff");
	if (is_known(r, SSDPM_INFO_VENDOR_ID) && r->info.vendor_id != vendor_id)
		return fail(r, "PCI vendor: a second drive, where there is one "
			       "to a text");
	r->info.vendor_id = (uint16_t)vendor_id;
	r->info.unknown &= ~(uint32_t)SSDPM_INFO_VENDOR_ID;
	return 0;
}

static int read_nvme_version(struct smartctl_text *r, struct span value)
{
	(void)value;
	return set_kind(r, SSDPM_KIND_NVME);
}

static int read_ata_version(struct smartctl_text *r, struct span value)
{
	(void)value;
	return set_kind(r, SSDPM_KIND_SATA);
}

/* "Parallel, ..." or "PCIe (...)": what it says of ATA drives but SATA ones. */
static int read_transport(struct smartctl_text *r, struct span value)
{
	(void)value;
	return fail(r, "an ATA drive, but no SATA one");
}

/*
 * "SATA 3.1, 6.0 Gb/s (current: 3.0 Gb/s)": the fastest speed is told. All
 * slower ones come with it: speeds are negotiated down from it (Serial ATA 3.x,
 * and word 76 of every drive that was seen).
 */
static int read_sata_version(struct smartctl_text *r, struct span value)
{
	static const struct {
		char speed[5];
		uint8_t generations;
	} known[] = {
		{ "1.5", 2 }, { "3.0", 6 }, { "6.0", 14 }, { ">6.0", 14 }
	};
	struct span word;
	int err = set_kind(r, SSDPM_KIND_SATA);

	if (err)
		return err;
	while (ssdpm__take_word(&value, &word)) {
		if (ssdpm__span_is(word, "(current:"))
			break;
		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			if (ssdpm__span_is(word, known[i].speed) &&
			    ssdpm__take(&value, "Gb/s"))
				ssdpm__smartctl_set_generations(
					&r->info, known[i].generations);
	}
	return 0;
}

static int read_apm_feature(struct smartctl_text *r, struct span value)
{
	bool supported = ssdpm__take(&value, "Disabled");
	int err = set_kind(r, SSDPM_KIND_SATA);

	if (!err && (supported || ssdpm__take(&value, "Unavailable")))
		ssdpm__smartctl_set_apm(&r->info, supported, false, 0);
	return err;
}

static int read_apm_level(struct smartctl_text *r, struct span value)
{
	uint64_t level;
	int err = set_kind(r, SSDPM_KIND_SATA);

	if (err)
		return err;
	if (!ssdpm__take_uint(&value, UINT8_MAX, &level))
		return fail(r, "APM level: no number from 0 to 255");
	ssdpm__smartctl_set_apm(&r->info, true, true, level);
	return 0;
}

/* SCSI disks have this line too. */
static int read_rotation(struct smartctl_text *r, struct span value)
{
	uint64_t rate;

	if (r->info.kind != SSDPM_KIND_SATA)
		return 0;
	if (ssdpm__take(&value, "Solid State Device"))
		ssdpm__smartctl_set_rotation(&r->info, 0);
	else if (ssdpm__take_uint(&value, UINT16_MAX, &rate) && rate)
		ssdpm__smartctl_set_rotation(&r->info, rate);
	return 0;
}

static const struct fact {
	char label[28];
	int (*read)(struct smartctl_text *r, struct span value);
} facts[] = {
	{ "Model Number:", read_nvme_product },
	{ "Device Model:", read_sata_product },
	{ "Firmware Version:", read_firmware },
	{ "PCI Vendor/Subsystem ID:", read_vendor },
	{ "PCI Vendor ID:", read_vendor },
	{ "NVMe Version:", read_nvme_version },
	{ "ATA Version is:", read_ata_version },
	{ "SATA Version is:", read_sata_version },
	{ "Transport Type:", read_transport },
	{ "APM feature is:", read_apm_feature },
	{ "Rotation Rate:", read_rotation },
	{ "APM level is:", read_apm_level },
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_number(struct span word)
{
	for (const char *at = word.at; at < word.end; at++)
		if (!is_digit(*at))
			return false;
	return word.at < word.end;
}

static int take_number(const struct smartctl_text *r, struct span *line,
		       uint64_t max, const char *column, uint64_t *ret_value)
{
	struct span word = *line;

	if (!ssdpm__take_word(line, &word))
		return fail_in_row(r, -EINVAL, column, "it is missing");
	if (!is_number(word))
		return fail_in_row(r, -EINVAL, column, "no whole number");
	if (!ssdpm__take_uint(&word, max, ret_value))
		return ssdpm__fail(r->reterr, -ERANGE, r->lines.line,
				   "power state %zu, %s: more than %llu",
				   r->next_row, column,
				   (unsigned long long)max);
	return 0;
}

/* "8.00W", "0.0500W" */
static int take_max_power(const struct smartctl_text *r, struct span *line,
			  struct ssdpm_power_state *state)
{
	struct span word;
	uint64_t uw;

	if (!ssdpm__take_word(line, &word))
		return fail_in_row(r, -EINVAL, "Max", "it is missing");
	if (!ssdpm__take_millionths(&word, UINT64_MAX / 2, &uw) ||
	    !ssdpm__span_is(word, "W"))
		return fail_in_row(r, -EINVAL, "Max",
				   "no power, as in \"0.0500W\"");
	if (uw > SMARTCTL_MAX_POWER_UW)
		return fail_in_row(r, -ERANGE, "Max", "more than 655.35 W");
	state->max_power_uw = (uint32_t)uw;
	return 0;
}

/* Active or idle power: it has to be there, whatever it says. */
static int take_shown_power(const struct smartctl_text *r, struct span *line,
			    const char *column, struct span *ret_word)
{
	if (ssdpm__take_word(line, ret_word) &&
	    (ssdpm__span_is(*ret_word, "-") || ssdpm__span_is(*ret_word, "?") ||
	     (ret_word->end[-1] == 'W' && is_digit(*ret_word->at))))
		return 0;
	return fail_in_row(r, -EINVAL, column, "neither a power nor \"-\"");
}

/* The scale may be wrong; that it is there says that the drive reports it. */
static void keep_active_power(struct span word, struct ssdpm_power_state *state)
{
	uint64_t uw;

	if (!ssdpm__take_millionths(&word, SMARTCTL_MAX_POWER_UW, &uw))
		return;
	state->flags |= SSDPM_STATE_ACTIVE_POWER_SHOWN;
	state->shown_active_power_uw = (uint32_t)uw;
}

static const struct field *find_field(uint32_t bit)
{
	const struct field *field = ssdpm__fields;

	while (field->bit != bit)
		field++;
	return field;
}

/* Note the order of the ranks: latency comes before throughput. */
static int take_numbers(const struct smartctl_text *r, struct span *line,
			struct ssdpm_power_state *state)
{
	static const struct {
		char name[8];
		uint32_t field;
	} columns[] = {
		{ "RL", SSDPM_FIELD_READ_LATENCY_RANK },
		{ "RT", SSDPM_FIELD_READ_THROUGHPUT_RANK },
		{ "WL", SSDPM_FIELD_WRITE_LATENCY_RANK },
		{ "WT", SSDPM_FIELD_WRITE_THROUGHPUT_RANK },
		{ "Ent_Lat", SSDPM_FIELD_ENTRY_LATENCY },
		{ "Ex_Lat", SSDPM_FIELD_EXIT_LATENCY },
	};
	uint64_t value;
	int err;

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		const struct field *field = find_field(columns[i].field);

		err = take_number(r, line, field->max, columns[i].name, &value);
		if (err)
			return err;
		ssdpm__field_set(field, state, value);
	}
	return 0;
}

static int take_row(const struct smartctl_text *r, struct span line,
		    struct ssdpm_power_state *state)
{
	struct span op, active, idle;
	int err;

	if (!ssdpm__take_word(&line, &op) ||
	    (!ssdpm__span_is(op, "+") && !ssdpm__span_is(op, "-")))
		return fail_in_row(r, -EINVAL, "Op", "neither \"+\" nor \"-\"");
	if (*op.at == '-')
		state->flags = SSDPM_STATE_NON_OPERATIONAL;
	err = take_max_power(r, &line, state);
	if (!err)
		err = take_shown_power(r, &line, "Active", &active);
	if (!err)
		err = take_shown_power(r, &line, "Idle", &idle);
	if (!err)
		keep_active_power(active, state);
	if (!err)
		err = take_numbers(r, &line, state);
	if (!err && line.at != line.end)
		err = fail_in_row(r, -EINVAL, "Ex_Lat",
				  "more columns follow than there are heads");
	return err;
}

static int check_row_number(const struct smartctl_text *r, uint64_t number)
{
	if (number == r->next_row)
		return 0;
	return ssdpm__fail(r->reterr, -EINVAL, r->lines.line,
			   "power state %llu where %zu should be",
			   (unsigned long long)number, r->next_row);
}

/* A row of the table; where there is a second table, it has to be the same. */
static int read_row(struct smartctl_text *r, struct span line)
{
	struct ssdpm_power_state state = { .unknown = SMARTCTL_UNKNOWN_FIELDS };
	uint64_t number;
	int err;

	err = take_number(r, &line, SSDPM_MAX_STATES - 1, "St", &number);
	if (!err)
		err = check_row_number(r, number);
	if (!err)
		err = take_row(r, line, &state);
	if (err)
		return err;
	if (!r->again)
		r->states[r->n_states++] = state;
	else if (number >= r->n_states ||
		 memcmp(&r->states[number], &state, sizeof(state)))
		return fail(r, "a second table of power states, which differs: "
			       "one drive to a text");
	r->next_row++;
	return 0;
}

/*
 * Rows follow each other. After something else, only a line that cannot be
 * taken for prose is a row: "3 -   0.0500W".
 */
static bool is_row(const struct smartctl_text *r, struct span line)
{
	struct span word, op;

	if (r->right_after)
		return line.at < line.end && is_digit(*line.at);
	return ssdpm__take_word(&line, &word) && is_number(word) &&
	       ssdpm__take_word(&line, &op) &&
	       (ssdpm__span_is(op, "+") || ssdpm__span_is(op, "-")) &&
	       ssdpm__take_word(&line, &word) && word.end[-1] == 'W';
}

/* The title, the head, or both: a paste may have lost either. */
static int begin_table(struct smartctl_text *r, bool is_head)
{
	r->right_after = is_head;
	if (r->in_table && !r->next_row)
		return 0;
	r->again = r->table_line;
	r->table_line = r->lines.line;
	r->in_table = true;
	r->next_row = 0;
	return set_kind(r, SSDPM_KIND_NVME);
}

static bool ends_table(struct span line)
{
	return ssdpm__take(&line, "===") || ssdpm__take(&line, "Id Fmt") ||
	       ssdpm__take(&line, "Supported LBA Sizes");
}

static int read_line(struct smartctl_text *r, struct span line)
{
	bool is_head = is_table_head(line);

	if (is_head || is_table_title(line))
		return begin_table(r, is_head);
	if (ends_table(line))
		r->in_table = false;
	if (r->in_table) {
		bool row = is_row(r, line);

		r->right_after = row;
		if (row)
			return read_row(r, line);
	}
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (ssdpm__take(&line, facts[i].label))
			return facts[i].read(r, line);
	return 0;
}

/* Says what is missing, and what to do. */
static int check_complete(struct smartctl_text *r)
{
	r->lines.line = r->table_line;
	if (!r->info.kind)
		return fail(r, "smartctl's text, but without an NVMe or SATA "
			       "drive in it");
	if (r->info.kind == SSDPM_KIND_NVME && !r->table_line)
		return fail(r, "smartctl's text, but without its table of "
			       "power states: call smartctl -c");
	if (r->info.kind == SSDPM_KIND_NVME && !r->n_states)
		return fail(r, "a table of power states without a row");
	if (r->again && r->next_row != r->n_states)
		return fail(r, "a second table of power states, which differs: "
			       "one drive to a text");
	return 0;
}

int ssdpm__model_from_smartctl_text(const char *text, size_t size,
				    struct ssdpm_model **ret_model,
				    struct ssdpm_error *reterr)
{
	struct smartctl_text r = {
		.info = ssdpm__reported_info(SSDPM_FORMAT_SMARTCTL_TEXT),
		.lines.rest = ssdpm__span(text, size),
		.reterr = reterr,
	};
	struct span line;
	int err = 0;

	while (!err && ssdpm__next_mail_line(&r.lines, &line))
		err = read_line(&r, line);
	if (!err)
		err = check_complete(&r);
	if (err)
		return err;
	if (r.info.kind == SSDPM_KIND_SATA)
		return ssdpm__sata_model_new(&r.info, 0, ret_model, reterr);
	return ssdpm_model_new(&r.info, r.states, r.n_states, ret_model,
			       reterr);
}
