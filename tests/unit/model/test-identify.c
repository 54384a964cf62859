/* SPDX-License-Identifier: MIT */
/* The Identify Controller structure, field by field. */
#include "fixture.h"

enum { BYTES = SSDPM_NVME_IDENTIFY_BYTES };

static const uint32_t POWERS_UNKNOWN =
	SSDPM_FIELD_ACTIVE_POWER | SSDPM_FIELD_IDLE_POWER;

static const uint32_t TIMES_UNKNOWN =
	SSDPM_FIELD_EMERGENCY_POWER_FAIL_RECOVERY_TIME |
	SSDPM_FIELD_FORCED_QUIESCENCE_VAULT_TIME |
	SSDPM_FIELD_EMERGENCY_POWER_FAIL_VAULT_TIME;

static void max_power_counts_hundredths_of_a_watt_with_scale_0(void **state)
{
	struct ssdpm_power_state s =
		fixture_decode_psd(&(struct psd){ .mp = 825, .mxps = 0 });

	(void)state;
	assert_int_equal(s.max_power_uw, 8250000);
	assert_false(s.unknown & SSDPM_FIELD_MAX_POWER);
	assert_false(s.not_reported & SSDPM_FIELD_MAX_POWER);
}

static void max_power_counts_tenths_of_a_milliwatt_with_scale_1(void **state)
{
	struct ssdpm_power_state s =
		fixture_decode_psd(&(struct psd){ .mp = 500, .mxps = 1 });

	(void)state;
	assert_int_equal(s.max_power_uw, 50000);
}

static void the_largest_powers_are_exact(void **state)
{
	struct psd psd = { .mp = 65535, .idlp = 65535, .actp = 65535 };
	struct ssdpm_power_state s;

	(void)state;
	psd.ips = psd.aps = 2;
	s = fixture_decode_psd(&psd);
	assert_int_equal(s.max_power_uw, 655350000);
	assert_int_equal(s.idle_power_uw, 655350000);
	assert_int_equal(s.active_power_uw, 655350000);
	psd.mxps = psd.ips = psd.aps = 1;
	s = fixture_decode_psd(&psd);
	assert_int_equal(s.max_power_uw, 6553500);
	assert_int_equal(s.idle_power_uw, 6553500);
	assert_int_equal(s.active_power_uw, 6553500);
}

static void the_smallest_powers_are_exact(void **state)
{
	struct psd psd = {
		.mp = 1, .mxps = 1, .idlp = 1, .ips = 1, .actp = 1, .aps = 1
	};
	struct ssdpm_power_state s = fixture_decode_psd(&psd);

	(void)state;
	assert_int_equal(s.max_power_uw, 100);
	assert_int_equal(s.idle_power_uw, 100);
	assert_int_equal(s.active_power_uw, 100);
}

static void max_power_0_stands_and_is_in_not_reported(void **state)
{
	(void)state;
	for (uint8_t mxps = 0; mxps < 2; mxps++) {
		struct psd psd = { .mp = 0, .mxps = mxps };
		struct ssdpm_power_state s = fixture_decode_psd(&psd);

		assert_int_equal(s.max_power_uw, 0);
		assert_false(s.unknown & SSDPM_FIELD_MAX_POWER);
		assert_true(s.not_reported & SSDPM_FIELD_MAX_POWER);
	}
}

static void assert_unknown(const struct ssdpm_power_state *s, uint64_t power_uw,
			   uint32_t field)
{
	assert_int_equal(power_uw, 0);
	assert_true(s->unknown & field);
	assert_true(s->not_reported & field);
}

static void assert_idle_unknown(uint16_t idlp, uint8_t ips)
{
	const struct psd psd = { .idlp = idlp, .ips = ips };
	struct ssdpm_power_state s = fixture_decode_psd(&psd);

	assert_unknown(&s, s.idle_power_uw, SSDPM_FIELD_IDLE_POWER);
}

static void assert_active_unknown(uint16_t actp, uint8_t aps)
{
	const struct psd psd = { .actp = actp, .aps = aps };
	struct ssdpm_power_state s = fixture_decode_psd(&psd);

	assert_unknown(&s, s.active_power_uw, SSDPM_FIELD_ACTIVE_POWER);
}

static void idle_power_with_scale_0_is_unknown_not_zero(void **state)
{
	(void)state;
	assert_idle_unknown(250, 0);
	assert_idle_unknown(65535, 0);
}

static void active_power_with_scale_0_is_unknown_not_zero(void **state)
{
	(void)state;
	assert_active_unknown(600, 0);
	assert_active_unknown(65535, 0);
}

static void powers_with_the_reserved_scale_3_are_unknown(void **state)
{
	(void)state;
	assert_idle_unknown(250, 3);
	assert_active_unknown(600, 3);
}

static void powers_of_0_are_unknown_with_every_scale(void **state)
{
	(void)state;
	for (uint8_t scale = 0; scale < 4; scale++) {
		assert_idle_unknown(0, scale);
		assert_active_unknown(0, scale);
	}
}

static void a_known_power_has_neither_bit(void **state)
{
	struct psd psd = { .idlp = 1, .ips = 1, .actp = 1, .aps = 2 };
	struct ssdpm_power_state s = fixture_decode_psd(&psd);

	(void)state;
	assert_false((s.unknown | s.not_reported) & POWERS_UNKNOWN);
}

static struct ssdpm_power_state decode_raw_byte(size_t offset, uint8_t byte)
{
	struct psd psd = { .mp = 1, .idlp = 250, .actp = 600 };
	uint8_t id[BYTES];
	struct ssdpm_power_state s;
	struct ssdpm_model *model;

	fixture_identify(id, &psd, 1);
	id[2048 + offset] = byte;
	model = fixture_decode(id);
	s = ssdpm_model_get_states(model, NULL)[0];
	ssdpm_model_unref(model);
	return s;
}

static void scales_of_powers_are_bits_7_to_6_and_no_others(void **state)
{
	static const uint32_t uw_per_unit[] = { 0, 100, 10000, 0 };

	(void)state;
	for (unsigned int byte = 0; byte < 256; byte++) {
		struct ssdpm_power_state s = decode_raw_byte(18, (uint8_t)byte);

		assert_int_equal(s.idle_power_uw, 250 * uw_per_unit[byte >> 6]);
		s = decode_raw_byte(22, (uint8_t)byte);
		assert_int_equal(s.active_power_uw,
				 600 * uw_per_unit[byte >> 6]);
		assert_int_equal(s.active_power_workload, byte & 7);
	}
}

static void flags_are_bit_0_for_the_scale_and_bit_1_for_nops(void **state)
{
	(void)state;
	for (unsigned int byte = 0; byte < 256; byte++) {
		struct ssdpm_power_state s = decode_raw_byte(3, (uint8_t)byte);

		assert_int_equal(s.max_power_uw, byte & 1 ? 100 : 10000);
		assert_int_equal(s.flags, byte >> 1 & 1);
	}
}

/* MP=500/MXPS=1, IDLP=250/IPS=2, ACTP=600/APS=2 */
static struct ssdpm_power_state wrong_watts_trap(void)
{
	return fixture_decode_psd(&(struct psd){
		.mp = 500,
		.mxps = 1,
		.idlp = 250,
		.ips = 2,
		.actp = 600,
		.aps = 2,
		.apw = 1,
	});
}

static void the_trap_gives_0_05_and_2_5_and_6_0_watts(void **state)
{
	struct ssdpm_power_state s = wrong_watts_trap();

	(void)state;
	assert_int_equal(s.max_power_uw, 50000);
	assert_int_equal(s.idle_power_uw, 2500000);
	assert_int_equal(s.active_power_uw, 6000000);
	assert_int_equal(s.unknown & POWERS_UNKNOWN, 0);
}

static void the_trap_does_not_give_what_openseachest_prints(void **state)
{
	struct ssdpm_power_state s = wrong_watts_trap();

	(void)state;
	assert_int_not_equal(s.max_power_uw, 500000);
	assert_int_not_equal(s.idle_power_uw, 25000000);
	assert_int_not_equal(s.active_power_uw, 600000);
}

static void the_trap_does_not_give_what_nvmecontrol_prints(void **state)
{
	struct ssdpm_power_state s = wrong_watts_trap();

	(void)state;
	assert_int_not_equal(s.idle_power_uw, 25000);
	assert_int_not_equal(s.active_power_uw, 60000);
}

/* It masks the scale bytes with 3, where the workload is. */
static void the_trap_is_known_where_smartctl_prints_a_dash(void **state)
{
	struct ssdpm_power_state s = wrong_watts_trap();

	(void)state;
	assert_false(s.unknown & SSDPM_FIELD_IDLE_POWER);
	assert_false(s.unknown & SSDPM_FIELD_ACTIVE_POWER);
}

static void latencies_have_32_bits(void **state)
{
	struct psd psd = { .enlat = 0xfedcba98, .exlat = UINT32_MAX };
	struct ssdpm_power_state s = fixture_decode_psd(&psd);

	(void)state;
	assert_int_equal(s.entry_latency_us, 0xfedcba98);
	assert_int_equal(s.exit_latency_us, UINT32_MAX);
	assert_false(s.not_reported &
		     (SSDPM_FIELD_ENTRY_LATENCY | SSDPM_FIELD_EXIT_LATENCY));
}

static void latencies_of_0_stand_and_are_in_not_reported(void **state)
{
	struct ssdpm_power_state s =
		fixture_decode_psd(&(struct psd){ .mp = 1, .exlat = 7 });

	(void)state;
	assert_int_equal(s.entry_latency_us, 0);
	assert_true(s.not_reported & SSDPM_FIELD_ENTRY_LATENCY);
	assert_false(s.unknown & SSDPM_FIELD_ENTRY_LATENCY);
	assert_false(s.not_reported & SSDPM_FIELD_EXIT_LATENCY);
	s = fixture_decode_psd(&(struct psd){ .mp = 1, .enlat = 7 });
	assert_int_equal(s.exit_latency_us, 0);
	assert_true(s.not_reported & SSDPM_FIELD_EXIT_LATENCY);
	assert_false(s.not_reported & SSDPM_FIELD_ENTRY_LATENCY);
}

static void ranks_have_five_bits_each_in_its_own_byte(void **state)
{
	struct psd psd = { .rrt = 0xe1, .rrl = 0xff, .rwt = 0x1e, .rwl = 0x20 };
	struct ssdpm_power_state s = fixture_decode_psd(&psd);

	(void)state;
	assert_int_equal(s.read_throughput_rank, 1);
	assert_int_equal(s.read_latency_rank, 31);
	assert_int_equal(s.write_throughput_rank, 30);
	assert_int_equal(s.write_latency_rank, 0);
}

static uint64_t power_of_ten(unsigned int exponent)
{
	uint64_t value = 1;

	while (exponent--)
		value *= 10;
	return value;
}

static void times_of_nvme_2_1_are_powers_of_ten_microseconds(void **state)
{
	(void)state;
	for (uint8_t i = 0; i <= 12; i++) {
		struct psd psd = {
			.epfrt = 255,
			.epfrts = i,
			.fqvt = 7,
			.fqvts = 12 - i,
			.epfvt = 1,
			.epfvts = i,
		};
		struct ssdpm_power_state s = fixture_decode_psd(&psd);

		assert_int_equal(s.emergency_power_fail_recovery_time_us,
				 255 * power_of_ten(i));
		assert_int_equal(s.forced_quiescence_vault_time_us,
				 7 * power_of_ten(12 - i));
		assert_int_equal(s.emergency_power_fail_vault_time_us,
				 power_of_ten(i));
		assert_int_equal(s.unknown & TIMES_UNKNOWN, 0);
	}
}

static void times_with_a_reserved_scale_are_unknown(void **state)
{
	(void)state;
	for (uint8_t i = 13; i <= 15; i++) {
		struct psd psd = { .epfrt = 255, .fqvt = 255, .epfvt = 255 };
		struct ssdpm_power_state s;

		psd.epfrts = psd.fqvts = psd.epfvts = i;
		s = fixture_decode_psd(&psd);
		assert_int_equal(s.unknown & TIMES_UNKNOWN, TIMES_UNKNOWN);
		assert_int_equal(s.emergency_power_fail_recovery_time_us, 0);
		assert_int_equal(s.forced_quiescence_vault_time_us, 0);
		assert_int_equal(s.emergency_power_fail_vault_time_us, 0);
	}
}

static void times_of_0_are_unknown(void **state)
{
	struct psd psd = { .epfrts = 3, .fqvts = 4, .epfvts = 12 };
	struct ssdpm_power_state s = fixture_decode_psd(&psd);

	(void)state;
	assert_int_equal(s.unknown & TIMES_UNKNOWN, TIMES_UNKNOWN);
}

static void one_unknown_time_leaves_the_others_alone(void **state)
{
	struct ssdpm_power_state s =
		fixture_decode_psd(&(struct psd){ .fqvt = 1, .fqvts = 2 });

	(void)state;
	assert_int_equal(s.forced_quiescence_vault_time_us, 100);
	assert_int_equal(s.unknown & TIMES_UNKNOWN,
			 SSDPM_FIELD_EMERGENCY_POWER_FAIL_RECOVERY_TIME |
				 SSDPM_FIELD_EMERGENCY_POWER_FAIL_VAULT_TIME);
}

static void the_head_gives_vendor_product_firmware_and_apsta(void **state)
{
	const struct ssdpm_model_info *info;
	struct ssdpm_model *model;
	uint8_t id[BYTES];

	(void)state;
	fixture_identify(id, &(struct psd){ .mp = 1 }, 1);
	model = fixture_decode(id);
	info = ssdpm_model_get_info(model);
	assert_int_equal(info->size, sizeof(*info));
	assert_int_equal(info->kind, SSDPM_KIND_NVME);
	assert_int_equal(info->unknown, 0);
	assert_int_equal(info->provenance, SSDPM_PROVENANCE_REPORTED);
	assert_int_equal(info->vendor_id, 0x1234);
	assert_int_equal(info->apsta, 1);
	assert_string_equal(info->product, "Fixture SSD 256GB");
	assert_string_equal(info->firmware, "FW 1.0");
	ssdpm_model_unref(model);
}

static void apsta_is_the_whole_byte(void **state)
{
	static const uint8_t values[] = { 0, 1, 2, 0x80, 0xff };

	(void)state;
	for (size_t i = 0; i < sizeof(values); i++) {
		struct ssdpm_model *model;
		uint8_t id[BYTES];

		fixture_identify(id, &(struct psd){ .mp = 1 }, 1);
		id[265] = values[i];
		model = fixture_decode(id);
		assert_int_equal(ssdpm_model_get_info(model)->apsta, values[i]);
		ssdpm_model_unref(model);
	}
}

/* The model number and firmware of the structure, in full. */
static void assert_texts(const char mn[40], const char fr[8],
			 const char *product, const char *firmware)
{
	struct ssdpm_model *model;
	uint8_t id[BYTES];

	fixture_identify(id, &(struct psd){ .mp = 1 }, 1);
	memcpy(id + 24, mn, 40);
	memcpy(id + 64, fr, 8);
	model = fixture_decode(id);
	assert_string_equal(ssdpm_model_get_info(model)->product, product);
	assert_string_equal(ssdpm_model_get_info(model)->firmware, firmware);
	ssdpm_model_unref(model);
}

static void texts_lose_trailing_blanks_and_nuls_only(void **state)
{
	/* Bytes that are not given are NUL. */
	static const char empty[40] = "", blanks[8] = "        ";
	static const char mixed[40] = "  a\0b   \0\0   ", nuls[8] = " F\0\0W";

	(void)state;
	assert_texts("0123456789012345678901234567890123456789", "12345678",
		     "0123456789012345678901234567890123456789", "12345678");
	assert_texts(empty, blanks, "", "");
	assert_texts(mixed, nuls, "  a b", " F  W");
}

static void firmware_bytes_that_do_not_print_become_question_marks(void **state)
{
	static const char mn[40] = "a", fr[8] = "A\x01\x7f\x80\xff\n ~";

	(void)state;
	assert_texts(mn, fr, "a", "A????? ~");
}

static void a_model_number_that_is_not_ascii_is_refused(void **state)
{
	static const uint8_t bad[] = { 1, 0x1f, 0x7f, 0x80, 0xff };
	struct ssdpm_model *model = UNTOUCHED;
	struct ssdpm_error error;
	uint8_t id[BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(bad); i++)
		for (size_t at = 24; at < 64; at++) {
			fixture_identify(id, &(struct psd){ .mp = 1 }, 1);
			id[at] = bad[i];
			assert_int_equal(ssdpm_model_from_nvme_identify(
						 id, BYTES, &model, &error),
					 -EINVAL);
			fixture_assert_error(&error, -EINVAL, 0,
					     "in the model number");
		}
	assert_ptr_equal(model, UNTOUCHED);
}

static void any_size_but_4096_is_refused(void **state)
{
	static const size_t sizes[] = { 0, 1, 512, 4095, 4097, 8192 };
	struct ssdpm_model *model = UNTOUCHED;
	struct ssdpm_error error;
	uint8_t id[2 * BYTES] = { 0 };

	(void)state;
	fixture_identify(id, &(struct psd){ .mp = 1 }, 1);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		assert_int_equal(ssdpm_model_from_nvme_identify(id, sizes[i],
								&model, &error),
				 -EINVAL);
		fixture_assert_error(&error, -EINVAL, 0, "has 4096");
		assert_int_equal(ssdpm_model_from_nvme_identify(id, sizes[i],
								&model, NULL),
				 -EINVAL);
	}
	assert_ptr_equal(model, UNTOUCHED);
}

static void nothing_but_zeros_is_no_drive(void **state)
{
	struct ssdpm_model *model = UNTOUCHED;
	uint8_t id[BYTES] = { 0 };
	struct ssdpm_error error;

	(void)state;
	assert_int_equal(
		ssdpm_model_from_nvme_identify(id, BYTES, &model, &error),
		-EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "all bytes are 0");
	assert_ptr_equal(model, UNTOUCHED);
	id[BYTES - 1] = 1;
	ssdpm_model_unref(fixture_decode(id));
}

static void npss_31_means_32_states(void **state)
{
	struct psd psds[32] = { 0 };
	const struct ssdpm_power_state *states;
	struct ssdpm_model *model;
	uint8_t id[BYTES];
	size_t n;

	(void)state;
	for (uint16_t i = 0; i < 32; i++)
		psds[i].mp = (uint16_t)(i + 1);
	fixture_identify(id, psds, 32);
	model = fixture_decode(id);
	states = ssdpm_model_get_states(model, &n);
	assert_int_equal(n, 32);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(states[i].max_power_uw, (i + 1) * 10000);
	ssdpm_model_unref(model);
}

static void npss_above_31_is_refused(void **state)
{
	struct ssdpm_model *model = UNTOUCHED;
	struct ssdpm_error error;
	uint8_t id[BYTES];

	(void)state;
	fixture_identify(id, &(struct psd){ .mp = 1 }, 1);
	for (unsigned int npss = 32; npss < 256; npss++) {
		id[263] = (uint8_t)npss;
		assert_int_equal(ssdpm_model_from_nvme_identify(id, BYTES,
								&model, &error),
				 -EINVAL);
		fixture_assert_error(&error, -EINVAL, 0, "NPSS is ");
	}
	assert_string_equal(error.message, "NPSS is 255: 256 power states; "
					   "NVMe has at most 32");
	assert_ptr_equal(model, UNTOUCHED);
}

static void descriptors_beyond_npss_are_ignored(void **state)
{
	struct ssdpm_model *model, *clean;
	uint8_t id[BYTES];

	(void)state;
	fixture_identify(id, &(struct psd){ .mp = 1 }, 1);
	clean = fixture_decode(id);
	memset(id + 2048 + 32, 0xff, 31 * 32);
	model = fixture_decode(id);
	fixture_assert_same(model, clean);
	ssdpm_model_unref(model);
	ssdpm_model_unref(clean);
}

/* Bytes and bits of the descriptor that NVMe 2.1 leaves reserved. */
static void reserved_bits_are_ignored(void **state)
{
	static const struct {
		uint8_t byte, bits;
	} reserved[] = {
		{ 2, 0xff },  { 3, 0xfc },  { 12, 0xe0 }, { 13, 0xe0 },
		{ 14, 0xe0 }, { 15, 0xe0 }, { 18, 0x3f }, { 19, 0xff },
		{ 22, 0x38 }, { 27, 0xf0 }, { 28, 0xff }, { 29, 0xff },
		{ 30, 0xff }, { 31, 0xff },
	};
	struct ssdpm_model *model, *clean;
	uint8_t id[BYTES];

	(void)state;
	fixture_identify(id, &(struct psd){ .mp = 9, .idlp = 3, .ips = 1 }, 1);
	clean = fixture_decode(id);
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		id[2048 + reserved[i].byte] |= reserved[i].bits;
	model = fixture_decode(id);
	fixture_assert_same(model, clean);
	ssdpm_model_unref(model);
	ssdpm_model_unref(clean);
}

static void the_structure_needs_no_alignment(void **state)
{
	static uint8_t room[BYTES + 8];
	uint8_t id[BYTES];
	struct ssdpm_model *model, *moved;

	(void)state;
	fixture_identify(id, &(struct psd){ .mp = 1, .enlat = 77 }, 1);
	model = fixture_decode(id);
	for (size_t i = 0; i < 8; i++) {
		memcpy(room + i, id, BYTES);
		moved = fixture_decode(room + i);
		fixture_assert_same(model, moved);
		ssdpm_model_unref(moved);
	}
	ssdpm_model_unref(model);
}

static void the_serial_number_is_left_out(void **state)
{
	struct ssdpm_model *model;
	uint8_t id[BYTES];
	char *text;

	(void)state;
	fixture_identify(id, &(struct psd){ .mp = 1 }, 1);
	model = fixture_decode(id);
	assert_int_equal(ssdpm_model_to_json(model, &text, NULL), 0);
	assert_null(strstr(text, "SECRET"));
	free(text);
	ssdpm_model_unref(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			max_power_counts_hundredths_of_a_watt_with_scale_0),
		cmocka_unit_test(
			max_power_counts_tenths_of_a_milliwatt_with_scale_1),
		cmocka_unit_test(the_largest_powers_are_exact),
		cmocka_unit_test(the_smallest_powers_are_exact),
		cmocka_unit_test(max_power_0_stands_and_is_in_not_reported),
		cmocka_unit_test(idle_power_with_scale_0_is_unknown_not_zero),
		cmocka_unit_test(active_power_with_scale_0_is_unknown_not_zero),
		cmocka_unit_test(powers_with_the_reserved_scale_3_are_unknown),
		cmocka_unit_test(powers_of_0_are_unknown_with_every_scale),
		cmocka_unit_test(a_known_power_has_neither_bit),
		cmocka_unit_test(
			scales_of_powers_are_bits_7_to_6_and_no_others),
		cmocka_unit_test(
			flags_are_bit_0_for_the_scale_and_bit_1_for_nops),
		cmocka_unit_test(the_trap_gives_0_05_and_2_5_and_6_0_watts),
		cmocka_unit_test(
			the_trap_does_not_give_what_openseachest_prints),
		cmocka_unit_test(
			the_trap_does_not_give_what_nvmecontrol_prints),
		cmocka_unit_test(
			the_trap_is_known_where_smartctl_prints_a_dash),
		cmocka_unit_test(latencies_have_32_bits),
		cmocka_unit_test(latencies_of_0_stand_and_are_in_not_reported),
		cmocka_unit_test(ranks_have_five_bits_each_in_its_own_byte),
		cmocka_unit_test(
			times_of_nvme_2_1_are_powers_of_ten_microseconds),
		cmocka_unit_test(times_with_a_reserved_scale_are_unknown),
		cmocka_unit_test(times_of_0_are_unknown),
		cmocka_unit_test(one_unknown_time_leaves_the_others_alone),
		cmocka_unit_test(
			the_head_gives_vendor_product_firmware_and_apsta),
		cmocka_unit_test(apsta_is_the_whole_byte),
		cmocka_unit_test(texts_lose_trailing_blanks_and_nuls_only),
		cmocka_unit_test(
			firmware_bytes_that_do_not_print_become_question_marks),
		cmocka_unit_test(a_model_number_that_is_not_ascii_is_refused),
		cmocka_unit_test(any_size_but_4096_is_refused),
		cmocka_unit_test(nothing_but_zeros_is_no_drive),
		cmocka_unit_test(npss_31_means_32_states),
		cmocka_unit_test(npss_above_31_is_refused),
		cmocka_unit_test(descriptors_beyond_npss_are_ignored),
		cmocka_unit_test(reserved_bits_are_ignored),
		cmocka_unit_test(the_structure_needs_no_alignment),
		cmocka_unit_test(the_serial_number_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
