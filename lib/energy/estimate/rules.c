/* SPDX-License-Identifier: MIT */
/*
 * The values that a drive reports, and those assumed where it reports none.
 * ssdpm_estimate(3) has the evidence for each rule, by its name.
 */
#include "base/internal.h"
#include "estimate/internal.h"
#include "evidence/evidence.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The properties of a drive that most rules need. */
struct known_drive {
	const struct ssdpm_model *model;
	const struct ssdpm_model_info *info;
	const struct ssdpm_power_state *states;
	size_t n_states;
	uint32_t pcie_link;
	const struct ssdpm_parameter *idle; /* of state 0, when it is made */
	struct family family;
	char family_rule[96];
	char published_rule[128]; /* of the parameter that is made */
};

/* A value and its source. */
struct guess {
	uint64_t low, nominal, high;
	const char *rule;
	uint32_t provenance; /* 0: as the model's */
};

#define ASSUMED SSDPM_PROVENANCE_ASSUMED

/* Thousandths of a power. */
struct shares {
	uint32_t low, nominal, high;
};

/* A drive above this draws more than an M.2 slot gives. */
#define DATA_CENTRE_UW 12000000
/* The least power in units of 0.01 W; 0 means not reported. */
#define LEAST_UW 10000

static struct guess of(uint64_t power_uw, struct shares shares,
		       const char *rule)
{
	return (struct guess){ power_uw * shares.low / 1000,
			       power_uw * shares.nominal / 1000,
			       power_uw * shares.high / 1000, rule, ASSUMED };
}

static struct guess know(uint64_t value, const char *field)
{
	return (struct guess){ value, value, value, field, 0 };
}

/* Another parameter counts it. */
static struct guess nothing(const char *rule)
{
	return (struct guess){ 0, 0, 0, rule, ASSUMED };
}

static bool has(const struct ssdpm_power_state *state, uint32_t field)
{
	return !((state->unknown | state->not_reported) & field);
}

static bool is_sata(const struct known_drive *drive)
{
	return drive->info->kind == SSDPM_KIND_SATA;
}

static bool is_operational(const struct ssdpm_power_state *state)
{
	return !(state->flags & SSDPM_STATE_NON_OPERATIONAL);
}

/* With an active link, by the fastest link that the drive knows. */
static struct guess sata_idle(const struct ssdpm_model_info *info)
{
	if (info->unknown & SSDPM_INFO_SATA_GENERATIONS)
		return (struct guess){ 100000, 490000, 1710000,
				       "sata-idle: 20 drives measured",
				       ASSUMED };
	if (info->sata_generations & 1 << 3)
		return (struct guess){ 100000, 340000, 1280000,
				       "sata-idle-6: 9 drives of 6 Gb/s "
				       "measured",
				       ASSUMED };
	return (struct guess){ 175000, 660000, 1710000,
			       "sata-idle-3: 11 drives of 3 Gb/s measured",
			       ASSUMED };
}

/* By enum ssdpm_link_state. */
static const struct guess sata_asleep[] = {
	[SSDPM_LINK_PARTIAL] = { 50000, 250000, 1000000,
				 "sata-partial: between slumber and idle",
				 ASSUMED },
	[SSDPM_LINK_SLUMBER] = { 20000, 50000, 100000,
				 "sata-slumber: a tenth of idle", ASSUMED },
	[SSDPM_LINK_DEVSLEEP] = { 2500, 5000, 10000,
				  "sata-devsleep: 2.5 to 5 mW published",
				  ASSUMED },
};

/*
 * Draws more than an M.2 slot gives; or caps its power with states, has none to
 * sleep in, and is not known to have APST.
 */
static bool is_data_centre(const struct known_drive *drive)
{
	const struct ssdpm_model_info *info = drive->info;

	if (drive->states[0].max_power_uw > DATA_CENTRE_UW)
		return true;
	if (drive->n_states < 2 ||
	    (!(info->unknown & SSDPM_INFO_APSTA) && info->apsta))
		return false;
	for (size_t i = 0; i < drive->n_states; i++)
		if (!is_operational(&drive->states[i]))
			return false;
	return true;
}

/* The idle power of state 0, if the drive does not report it. */
static struct guess idle_of_maximum(const struct known_drive *drive)
{
	const struct ssdpm_power_state *state = &drive->states[0];
	uint64_t max = state->max_power_uw;

	if (!has(state, SSDPM_FIELD_MAX_POWER))
		return (struct guess){ 210000, 781200, 3690000,
				       "idle-any: no maximum is reported; the "
				       "share of that of 1137 drives",
				       ASSUMED };
	if (is_data_centre(drive))
		return of(max, (struct shares){ 80, 263, 480 },
			  "idle-data-centre: 8, 26.3, 48 % of the maximum; 3 "
			  "drives report 20, 28, 27 to 40 %");
	return of(max, (struct shares){ 60, 126, 410 },
		  "idle-client: 6, 12.6, 41 % of the maximum; 3 drives report "
		  "11, 13, 18 %");
}

/* Another state in which the drive works draws as state 0, or less. */
static struct guess idle_as_state_0(const struct known_drive *drive,
				    const struct ssdpm_power_state *state)
{
	const struct ssdpm_parameter *idle = drive->idle;
	uint64_t max = has(state, SSDPM_FIELD_MAX_POWER) ? state->max_power_uw :
							   UINT32_MAX;

	return (struct guess){
		at_most(idle->low / 2, max), at_most(idle->nominal, max),
		at_most(idle->high, max),
		"idle-as-state-0: half of it to all of it, up to "
		"the maximum of this state",
		ASSUMED
	};
}

static struct guess asleep(const struct ssdpm_power_state *state)
{
	if (!has(state, SSDPM_FIELD_MAX_POWER))
		return (struct guess){ 2500, 25000, 210000,
				       "asleep-any: no maximum is reported; "
				       "5, 50, 95 % of 1948 states have less",
				       ASSUMED };
	return of(
		state->max_power_uw, (struct shares){ 250, 1000, 3240 },
		"asleep-of-maximum: 0.25, 1, 3.24 times the maximum; 3 states "
		"report 1, 1, 3.24");
}

/* Whether the power is unknown but has a range. */
static bool has_range(const struct known_drive *drive, uint32_t i,
		      uint32_t field, uint32_t *ret_low, uint32_t *ret_high)
{
	return (drive->states[i].unknown & field) &&
	       !ssdpm_model_get_power_range(drive->model, i, field, ret_low,
					    ret_high, NULL);
}

/*
 * Without a lower end, the power may not be reported, so the whole guess holds.
 */
static struct guess in_range(struct guess guess, uint64_t low, uint64_t high)
{
	if (!low) {
		guess.low = at_most(guess.low, LEAST_UW);
		guess.high = guess.high > high ? guess.high : high;
		guess.rule = "IDLP-or-not-reported: the range of 0.02W, and "
			     "what is assumed without one";
		return guess;
	}
	guess.nominal = at_most(guess.nominal, high);
	guess.nominal = guess.nominal > low ? guess.nominal : low;
	return (struct guess){ low, guess.nominal, high,
			       "IDLP-range: its fraction was not printed; "
			       "nominal as without IDLP",
			       0 };
}

static struct guess guess_idle(const struct known_drive *drive,
			       const struct ssdpm_parameter *parameter)
{
	const struct ssdpm_power_state *state =
		&drive->states[parameter->index];

	if (state->link_state == SSDPM_LINK_ACTIVE)
		return sata_idle(drive->info);
	if (state->link_state)
		return sata_asleep[state->link_state];
	if (!is_operational(state))
		return asleep(state);
	if (parameter->index == 0)
		return idle_of_maximum(drive);
	return idle_as_state_0(drive, state);
}

static struct guess of_family(const struct known_drive *drive,
			      uint32_t power_uw)
{
	return (struct guess){ power_uw, power_uw, power_uw, drive->family_rule,
			       SSDPM_PROVENANCE_FAMILY };
}

/* A published value of drives of this name. */
static struct guess of_published(struct known_drive *drive,
				 const struct published *one)
{
	struct guess guess =
		of(one->power_uw,
		   one->measured ? (struct shares){ 500, 1000, 2000 } :
				   (struct shares){ 350, 1000, 2000 },
		   drive->published_rule);

	snprintf(drive->published_rule, sizeof(drive->published_rule),
		 "%s: drives of this name, %u mW; %s (%s)",
		 one->measured ? "idle-measured" : "idle-datasheet",
		 one->power_uw / 1000, one->condition, one->by);
	guess.provenance = SSDPM_PROVENANCE_PUBLISHED;
	return guess;
}

static struct guess idle_power(struct known_drive *drive,
			       const struct ssdpm_parameter *parameter)
{
	const struct ssdpm_power_state *state =
		&drive->states[parameter->index];
	const struct published *published;
	uint32_t low, high;

	if (has(state, SSDPM_FIELD_IDLE_POWER))
		return state->flags & SSDPM_STATE_IDLE_POWER_OF_FAMILY ?
			       of_family(drive, state->idle_power_uw) :
			       know(state->idle_power_uw, "IDLP");
	if (drive->family.reported >> parameter->index & 1)
		return of_family(drive,
				 drive->family.idle_power_uw[parameter->index]);
	published = ssdpm__find_published(drive->model, parameter->index);
	if (published)
		return of_published(drive, published);
	if (has_range(drive, parameter->index, SSDPM_FIELD_IDLE_POWER, &low,
		      &high))
		return in_range(guess_idle(drive, parameter), low, high);
	return guess_idle(drive, parameter);
}

/* By op - 1. */
static const struct guess sata_active[SSDPM_N_OPS] = {
	{ 1000000, 1700000, 3000000,
	  "sata-active-read: a data sheet and reviews", ASSUMED },
	{ 1500000, 2500000, 3800000,
	  "sata-active-write: a data sheet and reviews", ASSUMED },
	{ 500000, 1700000, 3800000, "sata-active-other: as idle to as writing",
	  ASSUMED },
	{ 500000, 1700000, 3800000, "sata-active-other: as idle to as writing",
	  ASSUMED },
};
static const struct shares active_shares[SSDPM_N_OPS] = {
	{ 250, 345, 1000 },
	{ 333, 500, 1000 },
	{ 100, 345, 1000 },
	{ 100, 345, 1000 },
};

/* A drive at work draws no less than an idle one. */
static struct guess no_less_than_idle(const struct known_drive *drive,
				      struct guess guess)
{
	const struct ssdpm_parameter *idle = drive->idle;

	if (guess.low < idle->low)
		guess.low = idle->low;
	if (guess.nominal < idle->nominal)
		guess.nominal = idle->nominal;
	if (guess.high < idle->high)
		guess.high = idle->high;
	return guess;
}

static struct guess guess_active(const struct ssdpm_power_state *state,
				 struct shares shares)
{
	if (has(state, SSDPM_FIELD_MAX_POWER))
		return of(state->max_power_uw, shares,
			  "active-of-maximum: shares of the maximum of PS0 by "
			  "operation");
	return of(6200000, shares,
		  "active-any: no maximum is reported; the shares of 6.2 W, "
		  "the median of 1137 drives");
}

/* As in_range(). */
static struct guess active_in_range(const struct ssdpm_power_state *state,
				    struct shares shares, uint64_t low,
				    uint64_t high)
{
	struct guess guess;

	if (low) {
		guess = of((low + high) / 2, shares,
			   "active-range: shares of ACTP by operation; its "
			   "fraction was not printed");
		guess.low = of(low, shares, NULL).low;
		guess.high = of(high, shares, NULL).high;
		return guess;
	}
	guess = guess_active(state, shares);
	guess.low = at_most(guess.low, of(LEAST_UW, shares, NULL).low);
	guess.rule = "active-or-not-reported: shares of ACTP from the least "
		     "to the maximum of PS0 by operation";
	return guess;
}

static struct guess active_power(const struct known_drive *drive,
				 const struct ssdpm_parameter *parameter)
{
	const struct ssdpm_power_state *state = &drive->states[0];
	const struct shares shares = active_shares[parameter->index];
	uint32_t low, high;
	struct guess guess;

	if (is_sata(drive))
		guess = sata_active[parameter->index];
	else if (has(state, SSDPM_FIELD_ACTIVE_POWER) && state->active_power_uw)
		guess = of(state->active_power_uw, shares,
			   "active-reported: shares of ACTP by operation");
	else if (has_range(drive, 0, SSDPM_FIELD_ACTIVE_POWER, &low, &high))
		guess = active_in_range(state, shares, low, high);
	else
		guess = guess_active(state, shares);
	return no_less_than_idle(drive, guess);
}

/* The highest power: reported, or else that of most drives. */
static uint64_t maximum(const struct known_drive *drive)
{
	if (has(&drive->states[0], SSDPM_FIELD_MAX_POWER))
		return drive->states[0].max_power_uw;
	return is_sata(drive) ? sata_active[SSDPM_OP_WRITE - 1].high : 9000000;
}

static struct guess transition_power(const struct known_drive *drive)
{
	const struct ssdpm_parameter *idle = drive->idle;
	uint64_t max = maximum(drive);

	return (struct guess){ idle->low, idle->nominal,
			       max > idle->high ? max : idle->high,
			       "transition: as idle in state 0, up to its "
			       "maximum",
			       ASSUMED };
}

static struct guess link_power(const struct known_drive *drive)
{
	static const struct guess links[] = {
		[0] = { 0, 56000, 1000000,
			"link-unknown: from l1.2 to l0, nominal as l1",
			ASSUMED },
		[SSDPM_PCIE_L0] = { 100000, 250000, 1000000,
				    "link-l0: half of what a SATA link takes "
				    "at its two ends",
				    ASSUMED },
		[SSDPM_PCIE_L1] = { 10000, 56000, 250000,
				    "link-l1: a drive idles 56 mW above the "
				    "maximum of its PS3",
				    ASSUMED },
		[SSDPM_PCIE_L1_2] = { 0, 0, 0,
				      "link-l1.2: what the watts of the states "
				      "are stated for",
				      ASSUMED },
	};

	if (is_sata(drive))
		return nothing("part of the states");
	return links[drive->pcie_link];
}

/* The limits of Serial ATA, by enum ssdpm_link_state. */
static const uint32_t sata_exit_us[] = {
	[SSDPM_LINK_PARTIAL] = 10,
	[SSDPM_LINK_SLUMBER] = 10000,
	[SSDPM_LINK_DEVSLEEP] = 20000,
};

/* The latency of a SATA link's state: allowed, or measured. */
static struct guess sata_latency(const struct ssdpm_power_state *state,
				 bool entry)
{
	uint64_t exit = state->unknown & SSDPM_FIELD_EXIT_LATENCY ?
				sata_exit_us[state->link_state] :
				state->exit_latency_us;

	if (entry && state->link_state == SSDPM_LINK_DEVSLEEP)
		return (struct guess){ 1000, 10000, 31000,
				       "sata-mdat: 10 ms, where the drive does "
				       "not say; it may say 1 to 31",
				       ASSUMED };
	if (entry)
		return (struct guess){ 0, 0, 10,
				       "sata-entry: a handshake on the link",
				       ASSUMED };
	if (state->link_state == SSDPM_LINK_SLUMBER)
		return of(
			exit, (struct shares){ 100, 350, 1000 },
			"sata-exit-slumber: 3.5 ms measured of 10 ms allowed");
	return of(exit, (struct shares){ 100, 1000, 1000 },
		  "sata-exit: the most that is allowed");
}

static struct guess any_latency(bool entry)
{
	return entry ? (struct guess){ 210, 4000, 50000,
				       "entry-any: 5, 50, 95 % of 1948 states "
				       "have less",
				       ASSUMED } :
		       (struct guess){ 1000, 9000, 80000,
				       "exit-any: 5, 50, 95 % of 1948 states "
				       "have less",
				       ASSUMED };
}

static struct guess zero_latency(bool entry)
{
	return (struct guess){ 0, 0, any_latency(entry).high,
			       "latency-zero: not reported; 0 is what Linux "
			       "computes with",
			       ASSUMED };
}

/* A declared latency is a claim: two drives were measured against theirs. */
static struct guess declared_latency(const struct known_drive *drive,
				     uint32_t value_us, bool entry)
{
	const uint32_t provenance = drive->info->provenance;
	struct guess guess;

	if (provenance == SSDPM_PROVENANCE_MEASURED ||
	    provenance == SSDPM_PROVENANCE_STATED)
		return know(value_us, entry ? "ENLAT" : "EXLAT");
	guess = of(value_us, (struct shares){ 0, 1000, 6400 },
		   entry ? "ENLAT: 0 to 6.4 times what is declared, as EXLAT" :
			   "EXLAT: 0 to 6.4 times what is declared, as two "
			   "drives were measured");

	guess.high = at_most(guess.high, UINT32_MAX);
	guess.provenance = 0;
	return guess;
}

static struct guess latency(const struct known_drive *drive,
			    const struct ssdpm_parameter *parameter)
{
	const struct ssdpm_power_state *state =
		&drive->states[parameter->index];
	bool entry = parameter->kind == SSDPM_PARAMETER_ENTRY_LATENCY;
	uint32_t field =
		entry ? SSDPM_FIELD_ENTRY_LATENCY : SSDPM_FIELD_EXIT_LATENCY;
	uint32_t value =
		entry ? state->entry_latency_us : state->exit_latency_us;
	bool unknown = state->unknown & field;

	if (state->link_state && (unknown || !entry))
		return sata_latency(state, entry);
	if (unknown)
		return any_latency(entry);
	return value ? declared_latency(drive, value, entry) :
		       zero_latency(entry);
}

/* By whether the drive is SATA, and op - 1. */
static const struct guess base_latencies[2][SSDPM_N_OPS] = {
	{
		{ 50000, 100000, 150000,
		  "nvme-base-read: 92 to 150 us in a data sheet, 131 us measured",
		  ASSUMED },
		{ 10000, 15000, 30000,
		  "nvme-base-write: 21 us in a data sheet, 11 to 25 us measured",
		  ASSUMED },
		{ 10000, 1000000, 10000000, "base-flush: a guess", ASSUMED },
		{ 10000, 100000, 10000000, "base-discard: a guess", ASSUMED },
	},
	{
		{ 50000, 130000, 210000,
		  "sata-base-read: 55 to 208 us measured, two drives",
		  ASSUMED },
		{ 50000, 60000, 95000,
		  "sata-base-write: 55 to 93 us measured, two drives",
		  ASSUMED },
		{ 10000, 1000000, 10000000, "base-flush: a guess", ASSUMED },
		{ 10000, 100000, 10000000, "base-discard: a guess", ASSUMED },
	},
};

static const struct guess bandwidths[2][SSDPM_N_OPS] = {
	{
		{ 500000000, 3500000000, 7000000000,
		  "nvme-bandwidth-read: 3.5 GB/s, of a data sheet and measured",
		  ASSUMED },
		{ 160000000, 2000000000, 7000000000,
		  "nvme-bandwidth-write: 0.16 to 3.5 GB/s, of data sheets and measured",
		  ASSUMED },
		{ 0, 0, 0, "no transfer", ASSUMED },
		{ 0, 0, 0, "no transfer", ASSUMED },
	},
	{
		{ 150000000, 500000000, 600000000,
		  "sata-bandwidth-read: up to what the link carries", ASSUMED },
		{ 75000000, 400000000, 600000000,
		  "sata-bandwidth-write: up to what the link carries",
		  ASSUMED },
		{ 0, 0, 0, "no transfer", ASSUMED },
		{ 0, 0, 0, "no transfer", ASSUMED },
	},
};

static struct guess link_idle_time(const struct known_drive *drive,
				   const struct ssdpm_parameter *parameter)
{
	uint8_t link = drive->states[parameter->index].link_state;

	if (link == SSDPM_LINK_DEVSLEEP)
		return (struct guess){ 1000000, 1000000, 1000000,
				       "sata-dito: devslp_idle_timeout of "
				       "libahci",
				       ASSUMED };
	if (link == SSDPM_LINK_PARTIAL &&
	    drive->info->sata_supported & SSDPM_SATA_HIPM)
		return (struct guess){ 0, 100, 10000,
				       "sata-hipm: at once, but not between "
				       "I/Os at queue depth 1",
				       ASSUMED };
	return (struct guess){ 0, 100000, 1000000,
			       "sata-dipm: the drive decides, and no standard "
			       "says when",
			       ASSUMED };
}

static struct guess guess_of(struct known_drive *drive,
			     const struct ssdpm_parameter *parameter)
{
	switch (parameter->kind) {
	case SSDPM_PARAMETER_IDLE_POWER:
		return idle_power(drive, parameter);
	case SSDPM_PARAMETER_ACTIVE_POWER:
		return active_power(drive, parameter);
	case SSDPM_PARAMETER_TRANSITION_POWER:
		return transition_power(drive);
	case SSDPM_PARAMETER_LINK_POWER:
		return link_power(drive);
	case SSDPM_PARAMETER_ENTRY_LATENCY:
	case SSDPM_PARAMETER_EXIT_LATENCY:
		return latency(drive, parameter);
	case SSDPM_PARAMETER_BASE_LATENCY:
		return base_latencies[is_sata(drive)][parameter->index];
	case SSDPM_PARAMETER_BANDWIDTH:
		return bandwidths[is_sata(drive)][parameter->index];
	case SSDPM_PARAMETER_LINK_IDLE_TIME:
		return link_idle_time(drive, parameter);
	case SSDPM_PARAMETER_BACKGROUND_TIME:
		return nothing("none: no spare factor is given");
	default:
		return nothing("part of the active power");
	}
}

static uint32_t provenance_of(const struct known_drive *drive,
			      const struct guess *guess)
{
	if (guess->provenance)
		return guess->provenance;
	return drive->info->provenance ? drive->info->provenance :
					 SSDPM_PROVENANCE_STATED;
}

static void fill(struct known_drive *drive, struct ssdpm_parameter *parameter)
{
	struct guess guess = guess_of(drive, parameter);

	parameter->provenance = provenance_of(drive, &guess);
	parameter->low = guess.low;
	parameter->nominal = guess.nominal;
	parameter->high = guess.high;
	snprintf(parameter->rule, sizeof(parameter->rule), "%s", guess.rule);
}

/* A kind has a parameter for each of these. */
enum each {
	EACH_STATE,
	EACH_SLEEPING_STATE,
	EACH_OP,
	ONCE,
};

static enum each each_of(uint32_t kind)
{
	switch (kind) {
	case SSDPM_PARAMETER_IDLE_POWER:
		return EACH_STATE;
	case SSDPM_PARAMETER_ENTRY_LATENCY:
	case SSDPM_PARAMETER_EXIT_LATENCY:
	case SSDPM_PARAMETER_LINK_IDLE_TIME:
		return EACH_SLEEPING_STATE;
	case SSDPM_PARAMETER_TRANSITION_POWER:
	case SSDPM_PARAMETER_LINK_POWER:
	case SSDPM_PARAMETER_BACKGROUND_TIME:
		return ONCE;
	default:
		return EACH_OP;
	}
}

static struct known_drive look_at(const struct ssdpm_model *model)
{
	struct known_drive drive = { .model = model,
				     .info = ssdpm_model_get_info(model) };

	drive.states = ssdpm_model_get_states(model, &drive.n_states);
	return drive;
}

static size_t keys_of_kind(const struct known_drive *drive, uint32_t kind,
			   struct parameter_key *keys)
{
	enum each each = each_of(kind);
	size_t n = 0, last = each == EACH_OP ? SSDPM_N_OPS :
			     each == ONCE    ? 1 :
					       drive->n_states;

	for (uint32_t i = 0; i < last; i++)
		if (each != EACH_SLEEPING_STATE ||
		    !is_operational(&drive->states[i]))
			keys[n++] = (struct parameter_key){ kind, i };
	return n;
}

size_t ssdpm__parameter_keys(
	const struct ssdpm_model *model,
	struct parameter_key ret_keys[SSDPM_MAX_PARAMETERS])
{
	struct known_drive drive = look_at(model);
	size_t n = 0;

	for (uint32_t kind = 1; kind <= SSDPM_PARAMETER_BACKGROUND_TIME; kind++)
		if (kind != SSDPM_PARAMETER_LINK_IDLE_TIME || is_sata(&drive))
			n += keys_of_kind(&drive, kind, ret_keys + n);
	return n;
}

int ssdpm__refuse_hard_disk(struct ssdpm_error *reterr)
{
	return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
			   "a hard disk: the power of its motor is not "
			   "estimated");
}

int ssdpm_parameters_from_model(const struct ssdpm_model *model,
				uint32_t pcie_link,
				struct ssdpm_parameter *ret_parameters,
				size_t capacity, size_t *ret_n,
				struct ssdpm_error *reterr)
{
	struct parameter_key keys[SSDPM_MAX_PARAMETERS];
	struct known_drive drive = look_at(model);
	size_t n = ssdpm__parameter_keys(model, keys);
	int err;

	if (pcie_link > SSDPM_PCIE_L1_2)
		return ssdpm__fail(reterr, -EINVAL, 0, "pcie_link: unknown %u",
				   pcie_link);
	if (drive.info->rotational)
		return ssdpm__refuse_hard_disk(reterr);
	if (!drive.n_states)
		return ssdpm__fail(reterr, -ENODATA, 0,
				   "nothing is known of the states of this "
				   "drive: is it in IDENTIFY DEVICE data?");
	if (n > capacity)
		return ssdpm__fail(reterr, -E2BIG, 0,
				   "the drive has %zu parameters: room for %zu",
				   n, capacity);
	err = ssdpm__find_family(model, &drive.family, reterr);
	if (err)
		return err;
	snprintf(drive.family_rule, sizeof(drive.family_rule),
		 "IDLP-of-family: %u drives have vendor, table and active "
		 "power of one that says it",
		 drive.family.n_drives);
	drive.pcie_link = pcie_link;
	drive.idle = ret_parameters;
	for (size_t i = 0; i < n; i++) {
		ret_parameters[i] = (struct ssdpm_parameter){
			.kind = keys[i].kind,
			.index = keys[i].index,
		};
		fill(&drive, &ret_parameters[i]);
	}
	*ret_n = n;
	return 0;
}
