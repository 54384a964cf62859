/* SPDX-License-Identifier: MIT */
/* Oddities in a model: each code at its boundary, and no false one. */
#include "fixture.h"

#define NOPS SSDPM_STATE_NON_OPERATIONAL

static struct ssdpm_power_state op(uint32_t max_power_uw)
{
	return (struct ssdpm_power_state){
		.max_power_uw = max_power_uw,
		.idle_power_uw = 1,
	};
}

static struct ssdpm_power_state asleep(uint32_t max_power_uw, uint32_t entry_us,
				       uint32_t exit_us)
{
	return (struct ssdpm_power_state){
		.flags = NOPS,
		.max_power_uw = max_power_uw,
		.idle_power_uw = 1,
		.entry_latency_us = entry_us,
		.exit_latency_us = exit_us,
	};
}

struct drive {
	struct ssdpm_model_info info;
	struct ssdpm_power_state states[SSDPM_MAX_STATES];
	size_t n_states;
};

/* PS0-PS2 operational, PS3 and PS4 asleep, without oddities. */
static struct drive sound_drive(void)
{
	return (struct drive){
		.info = fixture_info(),
		.states = { op(5000000), op(3000000), op(2000000),
			    asleep(40000, 5000, 10000),
			    asleep(3000, 10000, 40000) },
		.n_states = 5,
	};
}

static struct drive sata_drive(void)
{
	return (struct drive){
		.info = { .size = sizeof(struct ssdpm_model_info),
			  .kind = SSDPM_KIND_SATA,
			  .sata_words_valid = 1,
			  .sata_supported = SSDPM_SATA_HIPM | SSDPM_SATA_DIPM },
	};
}

struct findings {
	struct ssdpm_finding *list;
	size_t n;
};

static struct findings lint(const struct drive *drive)
{
	struct ssdpm_error error = fixture_error(), before = error;
	struct findings findings = { UNTOUCHED, 77 };
	struct ssdpm_model *model;

	assert_int_equal(ssdpm_model_new(&drive->info, drive->states,
					 drive->n_states, &model, NULL),
			 0);
	assert_int_equal(
		ssdpm_model_lint(model, &findings.list, &findings.n, &error),
		0);
	assert_memory_equal(&error, &before, sizeof(error));
	ssdpm_model_unref(model);
	return findings;
}

/* The only finding, in these words. */
static void assert_only(const struct drive *drive, uint32_t code,
			uint32_t state, const char *message)
{
	struct findings findings = lint(drive);

	for (size_t i = 0; i < findings.n; i++)
		if (findings.n != 1 ||
		    strcmp(findings.list[i].message, message))
			print_error("%s\n", findings.list[i].message);
	assert_int_equal(findings.n, 1);
	assert_int_equal(findings.list[0].code, code);
	assert_int_equal(findings.list[0].state, state);
	assert_string_equal(findings.list[0].message, message);
	free(findings.list);
}

static void assert_nothing(const struct drive *drive)
{
	struct findings findings = lint(drive);

	for (size_t i = 0; i < findings.n; i++)
		print_error("%s\n", findings.list[i].message);
	assert_int_equal(findings.n, 0);
	assert_null(findings.list);
}

static void nothing_is_odd_in_a_sound_drive(void **state)
{
	struct drive drive = sound_drive();

	(void)state;
	assert_nothing(&drive);
	drive = sata_drive();
	assert_nothing(&drive);
}

static void equal_powers_gain_nothing(void **state)
{
	struct drive drive = sound_drive();

	(void)state;
	drive.states[2].max_power_uw = 3000000;
	assert_only(&drive, SSDPM_FINDING_EQUAL_POWER, 2,
		    "PS2: maximum 3 W, the same as PS1: by the drive's own "
		    "numbers nothing is gained by it");
	drive.states[2].max_power_uw = 2999999;
	assert_nothing(&drive);
}

static void rising_powers_are_found_over_unknown_ones(void **state)
{
	struct drive drive = sound_drive();

	(void)state;
	drive.states[2].max_power_uw = 3000001;
	assert_only(&drive, SSDPM_FINDING_RISING_POWER, 2,
		    "PS2: maximum 3.000001 W, more than 3 W of PS1 above it: "
		    "the order of the states, which is all that APST goes by, "
		    "is not that of their powers");
	drive.states[1].max_power_uw = 0;
	drive.states[1].unknown = SSDPM_FIELD_MAX_POWER;
	assert_nothing(&drive);
	drive.states[2].max_power_uw = 5000001;
	assert_only(&drive, SSDPM_FINDING_RISING_POWER, 2,
		    "PS2: maximum 5.000001 W, more than 5 W of PS0 above it: "
		    "the order of the states, which is all that APST goes by, "
		    "is not that of their powers");
}

static void zero_is_no_power_and_unknown_is_no_zero(void **state)
{
	struct drive drive = sound_drive();

	(void)state;
	drive.states[4].max_power_uw = 0;
	assert_only(&drive, SSDPM_FINDING_ZERO_POWER, 4,
		    "PS4: maximum 0 W, which is how NVMe says not reported: "
		    "what the state saves is not known");
	drive.states[4].unknown = SSDPM_FIELD_MAX_POWER;
	assert_nothing(&drive);
	drive.states[4].unknown = 0;
	drive.states[4].max_power_uw = 1;
	assert_nothing(&drive);
}

static void no_slot_gives_more_than_75_watts(void **state)
{
	struct drive drive = sound_drive();

	(void)state;
	drive.states[0].max_power_uw = 75000000;
	assert_nothing(&drive);
	drive.states[0].max_power_uw = 75000001;
	assert_only(&drive, SSDPM_FINDING_ABSURD_POWER, 0,
		    "PS0: maximum 75.000001 W > 75 W, all that a PCI Express "
		    "slot gives: the number or its scale is wrong, and so is "
		    "any estimate made with it");
}

static void latencies_of_zero_are_odd_where_the_drive_is_asleep(void **state)
{
	struct drive drive = sound_drive();

	(void)state;
	drive.states[3].entry_latency_us = drive.states[3].exit_latency_us = 0;
	assert_only(&drive, SSDPM_FINDING_ZERO_LATENCIES, 3,
		    "PS3: entry and exit 0, which is how NVMe says not "
		    "reported: Linux 5.14 and later takes it for instant, "
		    "Linux before makes a transition that is switched off");
	drive.states[3].entry_latency_us = 1;
	assert_nothing(&drive);
	drive.states[3].entry_latency_us = 0;
	drive.states[3].exit_latency_us = 1;
	assert_nothing(&drive);
	drive.states[3].exit_latency_us = 0;
	drive.states[3].unknown = SSDPM_FIELD_EXIT_LATENCY;
	assert_nothing(&drive);
	drive.states[3].unknown = SSDPM_FIELD_ENTRY_LATENCY;
	assert_nothing(&drive);
}

static void a_deeper_state_may_not_leave_faster(void **state)
{
	struct drive drive = sound_drive();

	(void)state;
	drive.states[4] = asleep(3000, 5000, 10000);
	assert_nothing(&drive);
	drive.states[4] = asleep(3000, 50000, 9999);
	assert_only(&drive, SSDPM_FINDING_DEEPER_EXITS_FASTER, 4,
		    "PS4: exit 9.999 ms, faster than PS3 above it (10 ms): no "
		    "latency limit keeps PS3 and drops PS4");
	drive.states[4] = asleep(3000, 0, 14999);
	assert_only(&drive, SSDPM_FINDING_DEEPER_EXITS_FASTER, 4,
		    "PS4: entry+exit 14.999 ms, faster than PS3 above it (15 "
		    "ms): Linux 5.14 and later uses PS3 only under a latency "
		    "limit that shuts PS4 out");
	drive.states[4] = asleep(3000, 4999, 10000);
	assert_only(&drive, SSDPM_FINDING_DEEPER_EXITS_FASTER, 4,
		    "PS4: exit 10 ms and entry+exit 14.999 ms, while PS3 above "
		    "it takes 10 ms and 15 ms: Linux 5.14 and later never uses "
		    "PS3");
}

static void who_is_faster_is_judged_by_known_latencies(void **state)
{
	struct drive drive = sound_drive();

	(void)state;
	drive.states[5] = asleep(2000, 5000, 9999);
	drive.n_states = 6;
	drive.states[4].entry_latency_us = drive.states[4].exit_latency_us = 0;
	drive.states[4].unknown =
		SSDPM_FIELD_ENTRY_LATENCY | SSDPM_FIELD_EXIT_LATENCY;
	assert_only(&drive, SSDPM_FINDING_DEEPER_EXITS_FASTER, 5,
		    "PS5: exit 9.999 ms and entry+exit 14.999 ms, while PS3 "
		    "above it takes 10 ms and 15 ms: Linux 5.14 and later "
		    "never uses PS3");
	drive.states[5].entry_latency_us = 0;
	drive.states[5].unknown = SSDPM_FIELD_ENTRY_LATENCY;
	assert_nothing(&drive);
}

static void above_100_ms_a_state_is_never_entered(void **state)
{
	struct drive drive = sound_drive();

	(void)state;
	drive.states[4] = asleep(3000, 60000, 40000);
	assert_nothing(&drive);
	drive.states[4] = asleep(3000, 60000, 40001);
	assert_only(&drive, SSDPM_FINDING_NEVER_ENTERED, 4,
		    "PS4: entry+exit 100.001 ms > 100 ms: Linux 5.14 and later "
		    "never enters it, whatever the latency limit, unless "
		    "apst_secondary_latency_tol_us is raised");
	drive.states[4] = asleep(3000, 0, 100001);
	drive.states[4].unknown = SSDPM_FIELD_ENTRY_LATENCY;
	assert_nothing(&drive);
}

static void operational_states_are_fast(void **state)
{
	struct drive drive = sound_drive();

	(void)state;
	drive.states[1].entry_latency_us = 999;
	drive.states[1].exit_latency_us = 999;
	assert_nothing(&drive);
	drive.states[1].exit_latency_us = 1000;
	assert_only(&drive, SSDPM_FINDING_SLOW_OPERATIONAL, 1,
		    "PS1: operational, yet exit takes 1 ms: each change from "
		    "it to another state takes that on top of the entry");
	drive.states[1].entry_latency_us = 1000;
	assert_only(&drive, SSDPM_FINDING_SLOW_OPERATIONAL, 1,
		    "PS1: operational, yet entry takes 1 ms: waking up into it "
		    "takes that on top of the exit latency, which alone "
		    "Linux's latency limit looks at");
}

static void ten_seconds_are_no_latency(void **state)
{
	struct drive drive = sound_drive();
	struct findings findings;

	(void)state;
	drive.states[4] = asleep(3000, 9999999, 9999999);
	findings = lint(&drive);
	assert_int_equal(findings.n, 1);
	assert_int_equal(findings.list[0].code, SSDPM_FINDING_NEVER_ENTERED);
	free(findings.list);
	drive.states[4] = asleep(3000, 1, 10000000);
	findings = lint(&drive);
	assert_int_equal(findings.n, 2);
	assert_int_equal(findings.list[1].code, SSDPM_FINDING_ABSURD_LATENCY);
	assert_string_equal(findings.list[1].message,
			    "PS4: exit 10 s; 10 s or more is no latency of an "
			    "SSD: the number is wrong, and what follows from "
			    "it too");
	free(findings.list);
	drive.states[4] = asleep(3000, UINT32_MAX, UINT32_MAX);
	findings = lint(&drive);
	assert_int_equal(findings.n, 2);
	assert_non_null(strstr(findings.list[0].message, "8589.93459 s"));
	assert_non_null(strstr(findings.list[1].message, "entry 4294.967295"));
	free(findings.list);
}

static void operational_states_come_first(void **state)
{
	struct drive drive = sound_drive();

	(void)state;
	drive.states[4] = op(3000);
	assert_only(&drive, SSDPM_FINDING_OPERATIONAL_AFTER_NON_OPERATIONAL, 4,
		    "PS4: operational, though PS3 above it is not: Linux's "
		    "tables lead only to deeper states, so the drive does not "
		    "get from PS4 to PS3 by itself");
}

static void apst_needs_a_state_to_go_to(void **state)
{
	struct drive drive = sound_drive();

	(void)state;
	drive.n_states = 4;
	assert_nothing(&drive);
	drive.n_states = 3;
	assert_only(&drive, SSDPM_FINDING_ONLY_OPERATIONAL, SSDPM_WHOLE_DRIVE,
		    "no state is non-operational: APST has nowhere to go, and "
		    "the drive never sleeps by itself");
	/* One cause is enough. */
	drive.info.apsta = 0;
	drive.n_states = 1;
	assert_only(&drive, SSDPM_FINDING_ONLY_OPERATIONAL, SSDPM_WHOLE_DRIVE,
		    "no state is non-operational: APST has nowhere to go, and "
		    "the drive never sleeps by itself");
}

static void a_drive_that_can_sleep_should_have_apst(void **state)
{
	struct drive drive = sound_drive();

	(void)state;
	drive.info.apsta = 0;
	assert_only(&drive, SSDPM_FINDING_APSTA_ZERO, SSDPM_WHOLE_DRIVE,
		    "APSTA 0, though PS3 is non-operational: Linux sends no "
		    "APST table, so the drive sleeps only where somebody sets "
		    "its state");
	drive.info.unknown = SSDPM_INFO_APSTA;
	assert_nothing(&drive);
	drive.info.unknown = 0;
	drive.info.apsta = 255;
	assert_nothing(&drive);
}

static void forget_idle(struct ssdpm_power_state *state)
{
	state->idle_power_uw = 0;
	state->unknown |= SSDPM_FIELD_IDLE_POWER;
}

static void idle_power_that_is_missing_is_said_once(void **state)
{
	struct drive drive = sound_drive();

	(void)state;
	forget_idle(&drive.states[1]);
	forget_idle(&drive.states[4]);
	assert_only(&drive, SSDPM_FINDING_IDLE_POWER_UNKNOWN, SSDPM_WHOLE_DRIVE,
		    "idle power is not known for 2 of 5 states: an estimate "
		    "has to assume it");
	drive.states[1].not_reported = SSDPM_FIELD_IDLE_POWER;
	assert_only(&drive, SSDPM_FINDING_IDLE_POWER_UNKNOWN, SSDPM_WHOLE_DRIVE,
		    "idle power is not known for 2 of 5 states: an estimate "
		    "has to assume it");
	drive.states[4].not_reported = SSDPM_FIELD_IDLE_POWER;
	assert_only(&drive, SSDPM_FINDING_IDLE_POWER_UNKNOWN, SSDPM_WHOLE_DRIVE,
		    "idle power is not reported for 2 of 5 states: an estimate "
		    "has to assume it");
}

static void what_smartctl_cannot_tell_is_said_instead(void **state)
{
	static const uint32_t formats[] = { SSDPM_FORMAT_SMARTCTL_TEXT,
					    SSDPM_FORMAT_SMARTCTL_JSON };
	struct drive drive = sound_drive();

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		drive = sound_drive();
		drive.info.format = formats[i];
		assert_nothing(&drive);
		forget_idle(&drive.states[0]);
		assert_only(&drive, SSDPM_FINDING_SMARTCTL_SOURCE,
			    SSDPM_WHOLE_DRIVE,
			    "read from smartctl, which takes the scale of idle "
			    "and active power from the wrong bits: both are "
			    "left out, and an estimate has to assume them; "
			    "nvme id-ctrl has them");
	}
}

static void a_sata_link_needs_somebody_who_asks(void **state)
{
	struct drive drive = sata_drive();

	(void)state;
	drive.info.sata_supported = SSDPM_SATA_HIPM;
	assert_nothing(&drive);
	drive.info.sata_supported = SSDPM_SATA_DIPM;
	assert_nothing(&drive);
	drive.info.sata_supported = SSDPM_SATA_DEVSLEEP | SSDPM_SATA_APM;
	assert_only(&drive, SSDPM_FINDING_SATA_NO_LPM, SSDPM_WHOLE_DRIVE,
		    "neither HIPM nor DIPM: under every policy the link stays "
		    "active, and never gets to partial or slumber");
	drive.info.sata_supported_unknown = SSDPM_SATA_DIPM;
	assert_nothing(&drive);
	drive.info.sata_supported_unknown = SSDPM_SATA_HIPM;
	assert_nothing(&drive);
}

static void invalid_words_are_said_and_what_they_hide_is_not(void **state)
{
	struct drive drive = sata_drive();

	(void)state;
	drive.info.sata_words_valid = 0;
	drive.info.sata_supported = 0;
	assert_only(&drive, SSDPM_FINDING_SATA_WORDS_INVALID, SSDPM_WHOLE_DRIVE,
		    "words 76 to 79 of IDENTIFY DEVICE are not valid: Linux "
		    "takes the drive for one without HIPM, DIPM and DevSleep");
	drive.info.unknown = SSDPM_INFO_SATA_WORDS_VALID;
	drive.info.sata_supported_unknown = SSDPM_SATA_HIPM | SSDPM_SATA_DIPM;
	assert_nothing(&drive);
}

static void the_link_states_of_sata_are_not_judged_as_nvme(void **state)
{
	struct drive drive = sata_drive();

	(void)state;
	drive.states[0] = asleep(0, 0, 0);
	drive.states[1] = op(80000000);
	drive.states[1].entry_latency_us = UINT32_MAX;
	drive.n_states = 2;
	assert_nothing(&drive);
}

static void findings_on_the_drive_come_first(void **state)
{
	struct drive drive = sound_drive();
	struct findings findings;

	(void)state;
	drive.info.apsta = 0;
	drive.states[0].entry_latency_us = 1000;
	drive.states[4] = asleep(40000, 1, 100000);
	findings = lint(&drive);
	assert_int_equal(findings.n, 4);
	assert_int_equal(findings.list[0].code, SSDPM_FINDING_APSTA_ZERO);
	assert_int_equal(findings.list[1].code, SSDPM_FINDING_SLOW_OPERATIONAL);
	assert_int_equal(findings.list[2].code, SSDPM_FINDING_EQUAL_POWER);
	assert_int_equal(findings.list[3].code, SSDPM_FINDING_NEVER_ENTERED);
	free(findings.list);
}

static uint32_t noise(uint64_t *seed)
{
	static const uint32_t edges[] = { 0,	    1,	       999,
					  1000,	    100000,    100001,
					  9999999,  10000000,  75000000,
					  75000001, UINT32_MAX };
	uint64_t random = fixture_random(seed);

	if (random & 1)
		return (uint32_t)(random >> 32);
	return edges[(random >> 8) % (sizeof(edges) / sizeof(edges[0]))];
}

static struct drive random_drive(uint64_t *seed)
{
	struct drive drive = { .info = fixture_info() };

	drive.info.apsta = noise(seed) & 1;
	drive.info.format = noise(seed) % 10;
	drive.n_states = 1 + noise(seed) % SSDPM_MAX_STATES;
	for (size_t i = 0; i < drive.n_states; i++) {
		struct ssdpm_power_state *s = &drive.states[i];

		s->flags = noise(seed) & 1;
		s->unknown = noise(seed) & 0x1f;
		if (!(s->unknown & SSDPM_FIELD_MAX_POWER))
			s->max_power_uw = noise(seed);
		if (!(s->unknown & SSDPM_FIELD_IDLE_POWER))
			s->idle_power_uw = noise(seed);
		if (!(s->unknown & SSDPM_FIELD_ENTRY_LATENCY))
			s->entry_latency_us = noise(seed);
		if (!(s->unknown & SSDPM_FIELD_EXIT_LATENCY))
			s->exit_latency_us = noise(seed);
	}
	return drive;
}

/* No message is cut off: 248 bytes are enough for the largest numbers. */
static void any_drive_gives_whole_lines_in_order(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < (int)fixture_cases(20000); round++) {
		struct drive drive = random_drive(&seed);
		struct findings findings = lint(&drive);
		uint32_t last = 0;

		for (size_t i = 0; i < findings.n; i++) {
			const struct ssdpm_finding *f = &findings.list[i];
			size_t length = strnlen(f->message, 248);

			assert_in_range(length, 20, 246);
			assert_null(strchr(f->message, '\n'));
			assert_non_null(ssdpm_finding_code_to_string(f->code));
			if (f->state == SSDPM_WHOLE_DRIVE) {
				assert_int_equal(last, 0);
				continue;
			}
			assert_in_range(f->state, last, drive.n_states - 1);
			last = f->state;
		}
		free(findings.list);
	}
}

static void set_names(struct drive *drive, const char *product,
		      const char *firmware)
{
	memset(drive->info.product, 0, sizeof(drive->info.product));
	memset(drive->info.firmware, 0, sizeof(drive->info.firmware));
	strcpy(drive->info.product, product);
	strcpy(drive->info.firmware, firmware);
}

/* The last of the three differs only in a value that one row knows. */
static void a_firmware_that_was_seen_with_two_tables_is_named(void **state)
{
	struct drive drive = sound_drive();

	(void)state;
	set_names(&drive, "Samsung SSD 980 PRO 1TB", "5B2QGXA7");
	assert_only(&drive, SSDPM_FINDING_TWO_TABLES, SSDPM_WHOLE_DRIVE,
		    "the catalogue has 2 tables for firmware 5B2QGXA7: what "
		    "one such drive says need not hold for another");
	set_names(&drive, "Samsung SSD 980 PRO", "5B2QGXA7");
	assert_nothing(&drive);
	set_names(&drive, "Samsung SSD 980 PRO 1TB", "none");
	assert_nothing(&drive);
	set_names(&drive, "T-FORCE TM8FPL500G", "EJFM90.1");
	assert_nothing(&drive);
}

static void every_code_has_a_word(void **state)
{
	(void)state;
	assert_null(ssdpm_finding_code_to_string(0));
	for (uint32_t i = SSDPM_FINDING_EQUAL_POWER;
	     i <= SSDPM_FINDING_FRACTION_LOST; i++)
		assert_non_null(ssdpm_finding_code_to_string(i));
	assert_null(
		ssdpm_finding_code_to_string(SSDPM_FINDING_FRACTION_LOST + 1));
	assert_null(ssdpm_finding_code_to_string(UINT32_MAX));
	assert_string_equal(
		ssdpm_finding_code_to_string(SSDPM_FINDING_NEVER_ENTERED),
		"never-entered");
}

/* Counts the findings about a lost fraction; keeps the last message. */
static size_t count_lost(const char *words, char message[256])
{
	char text[1024] = "ps 0 : mp:9.00W operational ";
	struct ssdpm_finding *findings;
	struct ssdpm_model *model;
	size_t n, n_lost = 0;

	strcat(text, words);
	strcat(text, "\n");
	model = fixture_read_good(text);
	assert_int_equal(ssdpm_model_lint(model, &findings, &n, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		if (findings[i].code != SSDPM_FINDING_FRACTION_LOST)
			continue;
		assert_int_equal(findings[i].state, 0);
		strcpy(message, findings[i].message);
		n_lost++;
	}
	free(findings);
	ssdpm_model_unref(model);
	return n_lost;
}

static void a_fraction_that_was_lost_leaves_a_range(void **state)
{
	char message[256] = "";

	(void)state;
	assert_int_equal(count_lost("idle_power:- active_power:3.02W", message),
			 1);
	assert_non_null(strstr(message, "PS0: active power 3.02W"));
	assert_non_null(strstr(message, "it is 3 W to 3.99 W;"));
	assert_int_equal(
		count_lost("idle_power:0.02W active_power:3.02W", message), 2);
	assert_int_equal(
		count_lost("idle_power:1.02W active_power:3.03W", message), 0);
	assert_int_equal(
		count_lost("idle_power:0.0002W active_power:1.0002W", message),
		0);
}

static void a_power_with_a_range_is_not_called_unknown(void **state)
{
	struct ssdpm_finding *findings;
	struct ssdpm_model *model;
	size_t n, n_unknown = 0;

	(void)state;
	model = fixture_read_good(
		"ps 0 : mp:9.00W operational idle_power:2.02W\n"
		"ps 1 : mp:1.00W operational idle_power:0.02W\n");
	assert_int_equal(ssdpm_model_lint(model, &findings, &n, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		if (findings[i].code != SSDPM_FINDING_IDLE_POWER_UNKNOWN)
			continue;
		/* 0.02W may be a power that is not reported. */
		assert_non_null(strstr(findings[i].message, "1 of 2 states"));
		n_unknown++;
	}
	assert_int_equal(n_unknown, 1);
	free(findings);
	ssdpm_model_unref(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fraction_that_was_lost_leaves_a_range),
		cmocka_unit_test(a_power_with_a_range_is_not_called_unknown),
		cmocka_unit_test(nothing_is_odd_in_a_sound_drive),
		cmocka_unit_test(equal_powers_gain_nothing),
		cmocka_unit_test(rising_powers_are_found_over_unknown_ones),
		cmocka_unit_test(zero_is_no_power_and_unknown_is_no_zero),
		cmocka_unit_test(no_slot_gives_more_than_75_watts),
		cmocka_unit_test(
			latencies_of_zero_are_odd_where_the_drive_is_asleep),
		cmocka_unit_test(a_deeper_state_may_not_leave_faster),
		cmocka_unit_test(who_is_faster_is_judged_by_known_latencies),
		cmocka_unit_test(above_100_ms_a_state_is_never_entered),
		cmocka_unit_test(operational_states_are_fast),
		cmocka_unit_test(ten_seconds_are_no_latency),
		cmocka_unit_test(operational_states_come_first),
		cmocka_unit_test(apst_needs_a_state_to_go_to),
		cmocka_unit_test(a_drive_that_can_sleep_should_have_apst),
		cmocka_unit_test(idle_power_that_is_missing_is_said_once),
		cmocka_unit_test(what_smartctl_cannot_tell_is_said_instead),
		cmocka_unit_test(a_sata_link_needs_somebody_who_asks),
		cmocka_unit_test(
			invalid_words_are_said_and_what_they_hide_is_not),
		cmocka_unit_test(
			the_link_states_of_sata_are_not_judged_as_nvme),
		cmocka_unit_test(findings_on_the_drive_come_first),
		cmocka_unit_test(any_drive_gives_whole_lines_in_order),
		cmocka_unit_test(
			a_firmware_that_was_seen_with_two_tables_is_named),
		cmocka_unit_test(every_code_has_a_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
