/* SPDX-License-Identifier: MIT */
/* The model object: made from numbers, checked, counted, shared. */
#include "fixture.h"

#include <pthread.h>

static struct ssdpm_power_state one_state(void)
{
	return (struct ssdpm_power_state){
		.max_power_uw = 5000000,
		.entry_latency_us = 1,
		.exit_latency_us = 2,
	};
}

/* Cannot be made: this code, these words, and no result. */
static void assert_refused(const struct ssdpm_model_info *info,
			   const struct ssdpm_power_state *states, size_t n,
			   int code, const char *fragment)
{
	struct ssdpm_model *model = UNTOUCHED;
	struct ssdpm_error error = fixture_error();

	assert_int_equal(ssdpm_model_new(info, states, n, &model, &error),
			 code);
	fixture_assert_error(&error, code, 0, fragment);
	assert_int_equal(ssdpm_model_new(info, states, n, &model, NULL), code);
	assert_ptr_equal(model, UNTOUCHED);
}

static void assert_info_refused(const struct ssdpm_model_info *info,
				const char *fragment)
{
	struct ssdpm_power_state s = one_state();

	assert_refused(info, &s, 1, -EINVAL, fragment);
}

static void assert_state_refused(const struct ssdpm_power_state *s,
				 const char *fragment)
{
	struct ssdpm_power_state states[2] = { one_state(), *s };
	struct ssdpm_model_info info = fixture_info();

	assert_refused(&info, states, 2, -EINVAL, fragment);
}

static void a_model_keeps_what_it_was_given(void **state)
{
	struct ssdpm_power_state in = one_state();
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_error error = fixture_error(), before = error;
	const struct ssdpm_model_info *out;
	struct ssdpm_model *model = NULL;
	size_t n;

	(void)state;
	assert_int_equal(ssdpm_model_new(&info, &in, 1, &model, &error), 0);
	assert_memory_equal(&error, &before, sizeof(error));
	memset(&info, 0, sizeof(info));
	out = ssdpm_model_get_info(model);
	assert_int_equal(out->size, sizeof(*out));
	assert_int_equal(out->provenance, SSDPM_PROVENANCE_ASSUMED);
	assert_string_equal(out->product, "Fixture SSD 256GB");
	assert_memory_equal(ssdpm_model_get_states(model, &n), &in, sizeof(in));
	assert_int_equal(n, 1);
	assert_null(ssdpm_model_unref(model));
}

static void every_wrong_info_is_refused_by_name(void **state)
{
	struct ssdpm_model_info info;

	(void)state;
	info = fixture_info();
	info.kind = 0;
	assert_info_refused(&info, "kind 0");
	info.kind = 3;
	assert_info_refused(&info, "kind 3");
	info = fixture_info();
	info.provenance = 8;
	assert_info_refused(&info, "provenance 8");
	info = fixture_info();
	info.unknown = 1 << 8;
	assert_info_refused(&info, "unknown: bits 0x100");
	info.unknown = 1u << 31;
	assert_info_refused(&info, "unknown: bits 0x80000000");
}

static void an_unknown_member_with_a_value_is_refused(void **state)
{
	struct ssdpm_model_info info = fixture_info();

	(void)state;
	info.unknown = SSDPM_INFO_VENDOR_ID;
	assert_info_refused(&info, "vendor_id: unknown");
	info.unknown = SSDPM_INFO_PRODUCT;
	assert_info_refused(&info, "product: unknown");
	info.unknown = SSDPM_INFO_FIRMWARE;
	assert_info_refused(&info, "firmware: unknown");
	info.unknown = SSDPM_INFO_APSTA;
	assert_info_refused(&info, "apsta: unknown");
}

static void text_must_be_terminated_printable_ascii(void **state)
{
	static const char bad[] = { '\n', '\t',	      0x1f,
				    0x7f, (char)0x80, (char)0xff };
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_power_state s = one_state();

	(void)state;
	for (size_t i = 0; i < sizeof(bad); i++) {
		info = fixture_info();
		info.product[3] = bad[i];
		assert_info_refused(&info, "product: byte 0x");
		info = fixture_info();
		info.firmware[0] = bad[i];
		assert_info_refused(&info, "firmware: byte 0x");
	}
	info = fixture_info();
	memset(info.product, 'x', sizeof(info.product));
	assert_refused(&info, &s, 1, -ERANGE,
		       "product: longer than 40 characters");
	info = fixture_info();
	memset(info.firmware, 'x', sizeof(info.firmware));
	assert_refused(&info, &s, 1, -ERANGE,
		       "firmware: longer than 8 characters");
}

static void every_provenance_and_0_is_taken(void **state)
{
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_power_state s = one_state();
	struct ssdpm_model *model;

	(void)state;
	for (info.provenance = 0; info.provenance <= SSDPM_PROVENANCE_PUBLISHED;
	     info.provenance++) {
		assert_int_equal(ssdpm_model_new(&info, &s, 1, &model, NULL),
				 0);
		assert_int_equal(ssdpm_model_get_info(model)->provenance,
				 info.provenance);
		ssdpm_model_unref(model);
	}
}

static void all_may_be_unknown(void **state)
{
	struct ssdpm_model_info info = { .size = sizeof(info) };
	struct ssdpm_power_state s = { .unknown = 0x1fff };
	struct ssdpm_model *model;

	(void)state;
	info.kind = SSDPM_KIND_NVME;
	info.unknown = 15;
	assert_int_equal(ssdpm_model_new(&info, &s, 1, &model, NULL), 0);
	assert_int_equal(ssdpm_model_get_states(model, NULL)->unknown, 0x1fff);
	assert_int_equal(ssdpm_model_get_states(model, NULL)->not_reported, 0);
	ssdpm_model_unref(model);
}

/* The member of each bit of enum ssdpm_field, and its largest value. */
static void set_field(struct ssdpm_power_state *s, unsigned int bit,
		      uint64_t value)
{
	uint32_t *words[] = { &s->max_power_uw, &s->active_power_uw,
			      &s->idle_power_uw, &s->entry_latency_us,
			      &s->exit_latency_us };
	uint8_t *bytes[] = { &s->read_throughput_rank, &s->read_latency_rank,
			     &s->write_throughput_rank, &s->write_latency_rank,
			     &s->active_power_workload };
	uint64_t *times[] = { &s->emergency_power_fail_recovery_time_us,
			      &s->forced_quiescence_vault_time_us,
			      &s->emergency_power_fail_vault_time_us };

	if (bit < 5)
		*words[bit] = (uint32_t)value;
	else if (bit < 10)
		*bytes[bit - 5] = (uint8_t)value;
	else
		*times[bit - 10] = value;
}

static uint64_t largest(unsigned int bit)
{
	if (bit < 5)
		return UINT32_MAX;
	return bit < 9 ? 31 : bit == 9 ? 7 : 255000000000000;
}

static void an_unknown_field_with_a_value_is_refused(void **state)
{
	(void)state;
	for (unsigned int bit = 0; bit < 13; bit++) {
		struct ssdpm_power_state s = { .unknown = 1u << bit };

		set_field(&s, bit, 1);
		assert_state_refused(&s, ssdpm_field_to_string(1u << bit));
		assert_state_refused(&s, "states[1].");
		assert_state_refused(&s, "unknown, yet it has a value");
	}
}

static void a_not_reported_field_with_a_value_is_refused(void **state)
{
	(void)state;
	for (unsigned int bit = 0; bit < 13; bit++) {
		struct ssdpm_power_state s = { .not_reported = 1u << bit };

		set_field(&s, bit, 1);
		assert_state_refused(&s, ssdpm_field_to_string(1u << bit));
		assert_state_refused(&s, "in not_reported, yet it has a value");
	}
}

/* 0 is a value too, except where NVMe defines it as "not reported". */
static void a_not_reported_field_with_a_known_0_is_refused(void **state)
{
	const uint32_t stand = SSDPM_FIELD_MAX_POWER |
			       SSDPM_FIELD_ENTRY_LATENCY |
			       SSDPM_FIELD_EXIT_LATENCY;

	(void)state;
	for (unsigned int bit = 0; bit < 13; bit++) {
		struct ssdpm_power_state s = one_state();

		s.not_reported = 1u << bit;
		if (!(s.not_reported & stand))
			assert_state_refused(
				&s, "in not_reported, yet it has a value");
	}
}

static void a_value_beyond_the_field_of_nvme_is_refused(void **state)
{
	struct ssdpm_model_info info = fixture_info();

	(void)state;
	for (unsigned int bit = 5; bit < 13; bit++) {
		struct ssdpm_power_state s = { 0 };

		set_field(&s, bit, largest(bit) + 1);
		assert_refused(&info, &s, 1, -ERANGE,
			       ssdpm_field_to_string(1u << bit));
		assert_refused(&info, &s, 1, -ERANGE, "is more than");
	}
}

static void the_largest_value_of_each_field_is_taken(void **state)
{
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_power_state s = { 0 };
	struct ssdpm_model *model;

	(void)state;
	for (unsigned int bit = 0; bit < 13; bit++)
		set_field(&s, bit, largest(bit));
	assert_int_equal(ssdpm_model_new(&info, &s, 1, &model, NULL), 0);
	assert_memory_equal(ssdpm_model_get_states(model, NULL), &s, sizeof(s));
	ssdpm_model_unref(model);
}

static void bits_and_bytes_without_a_meaning_are_refused(void **state)
{
	struct ssdpm_model_info info;
	struct ssdpm_power_state s;

	(void)state;
	s = (struct ssdpm_power_state){ .flags = 8 };
	assert_state_refused(&s, "states[1]: a bit");
	s = (struct ssdpm_power_state){ .shown_active_power_uw = 1 };
	assert_state_refused(&s, "states[1]: a bit");
	s = (struct ssdpm_power_state){
		.unknown = SSDPM_FIELD_IDLE_POWER,
		.flags = SSDPM_STATE_IDLE_POWER_OF_FAMILY,
	};
	assert_state_refused(&s, "states[1]: a bit");
	s = (struct ssdpm_power_state){ .unknown = 1 << 13 };
	assert_state_refused(&s, "states[1]: a bit");
	s = (struct ssdpm_power_state){ .not_reported = 1u << 31 };
	assert_state_refused(&s, "states[1]: a bit");
	for (size_t i = 0; i < sizeof(s.reserved0); i++) {
		s = one_state();
		s.reserved0[i] = 1;
		assert_state_refused(&s, "states[1]: a bit");
	}
	for (size_t i = 0; i < sizeof(s.reserved1); i++) {
		s = one_state();
		s.reserved1[i] = 0x80;
		assert_state_refused(&s, "states[1]: a bit");
	}
	for (size_t i = 0; i < sizeof(info.reserved); i++) {
		info = fixture_info();
		info.reserved[i] = 1;
		assert_info_refused(&info, "a reserved byte is set");
	}
}

static void zeros_of_power_and_latencies_get_their_bits(void **state)
{
	const uint32_t stand = SSDPM_FIELD_MAX_POWER |
			       SSDPM_FIELD_ENTRY_LATENCY |
			       SSDPM_FIELD_EXIT_LATENCY;
	struct ssdpm_power_state s = { .unknown = SSDPM_FIELD_IDLE_POWER };
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_model *model;

	(void)state;
	assert_int_equal(ssdpm_model_new(&info, &s, 1, &model, NULL), 0);
	assert_int_equal(ssdpm_model_get_states(model, NULL)->not_reported,
			 stand);
	ssdpm_model_unref(model);
	s.unknown = SSDPM_FIELD_MAX_POWER | SSDPM_FIELD_EXIT_LATENCY;
	assert_int_equal(ssdpm_model_new(&info, &s, 1, &model, NULL), 0);
	assert_int_equal(ssdpm_model_get_states(model, NULL)->not_reported,
			 SSDPM_FIELD_ENTRY_LATENCY);
	ssdpm_model_unref(model);
}

static void nvme_has_1_to_32_states_and_sata_may_have_none(void **state)
{
	struct ssdpm_power_state states[33] = { { 0 } };
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_model *model;
	size_t n = 99;

	(void)state;
	assert_refused(&info, states, 0, -EINVAL, "no power state");
	assert_refused(&info, states, 33, -EINVAL, "33 power states");
	assert_refused(&info, states, SIZE_MAX, -EINVAL, "power states");
	assert_int_equal(ssdpm_model_new(&info, states, 32, &model, NULL), 0);
	ssdpm_model_unref(model);
	info.kind = SSDPM_KIND_SATA;
	assert_refused(&info, states, 33, -EINVAL, "33 power states");
	assert_int_equal(ssdpm_model_new(&info, NULL, 0, &model, NULL), 0);
	assert_non_null(ssdpm_model_get_states(model, &n));
	assert_int_equal(n, 0);
	ssdpm_model_unref(model);
}

static void info_without_a_size_is_refused(void **state)
{
	struct ssdpm_model_info info = fixture_info();

	(void)state;
	info.size = 0;
	assert_info_refused(&info, "ssdpm_model_info.size is 0");
	info.size = sizeof(size_t) - 1;
	assert_info_refused(&info, "ssdpm_model_info.size is");
	info.size = sizeof(size_t);
	assert_info_refused(&info, "kind 0");
}

/* A program that was built when apsta was the last member. */
static void a_shorter_info_is_completed_with_zeros(void **state)
{
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_power_state s = one_state();
	struct ssdpm_model *model;

	(void)state;
	info.size = offsetof(struct ssdpm_model_info, product);
	assert_int_equal(ssdpm_model_new(&info, &s, 1, &model, NULL), 0);
	assert_int_equal(ssdpm_model_get_info(model)->size, sizeof(info));
	assert_int_equal(ssdpm_model_get_info(model)->apsta, 1);
	assert_string_equal(ssdpm_model_get_info(model)->product, "");
	ssdpm_model_unref(model);
}

static void a_longer_info_must_end_in_zeros(void **state)
{
	struct {
		struct ssdpm_model_info known;
		uint8_t tail[16];
	} info = { .known = fixture_info() };
	struct ssdpm_power_state s = one_state();
	struct ssdpm_model *model;

	(void)state;
	info.known.size = sizeof(info);
	assert_int_equal(ssdpm_model_new(&info.known, &s, 1, &model, NULL), 0);
	assert_int_equal(ssdpm_model_get_info(model)->size, sizeof(info.known));
	ssdpm_model_unref(model);
	for (size_t i = 0; i < sizeof(info.tail); i++) {
		memset(info.tail, 0, sizeof(info.tail));
		info.tail[i] = 1;
		assert_refused(&info.known, &s, 1, -E2BIG, "is set");
	}
}

static void destructors_take_null_and_return_it(void **state)
{
	(void)state;
	assert_null(ssdpm_model_unref(NULL));
	assert_null(ssdpm_model_ref(NULL));
	assert_null(ssdpm_model_list_free(NULL, 0));
	assert_null(ssdpm_model_list_free(NULL, 7));
}

static void a_reference_keeps_the_model(void **state)
{
	struct ssdpm_model *model = fixture_rich_model();

	(void)state;
	assert_ptr_equal(ssdpm_model_ref(model), model);
	assert_null(ssdpm_model_unref(model));
	assert_int_equal(ssdpm_model_get_info(model)->vendor_id, 0x1234);
	assert_null(ssdpm_model_unref(model));
}

enum { THREADS = 4, ROUNDS = 10000 };

/* Takes over one reference. */
static void *ref_and_unref(void *data)
{
	struct ssdpm_model *model = data;
	size_t sum = 0, n;

	for (int i = 0; i < ROUNDS; i++) {
		struct ssdpm_model *mine = ssdpm_model_ref(model);

		ssdpm_model_get_states(mine, &n);
		sum += n;
		ssdpm_model_unref(mine);
	}
	ssdpm_model_unref(model);
	return (void *)sum;
}

/* The last thread frees it: a sanitizer or valgrind sees if none or two do. */
static void references_are_counted_across_threads(void **state)
{
	struct ssdpm_model *model = fixture_rich_model();
	pthread_t threads[THREADS];
	void *sum;

	(void)state;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL,
						ref_and_unref,
						ssdpm_model_ref(model)),
				 0);
	ssdpm_model_unref(model);
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], &sum), 0);
		assert_int_equal((size_t)sum, 32 * ROUNDS);
	}
}

static void kinds_have_names(void **state)
{
	(void)state;
	assert_string_equal(ssdpm_kind_to_string(SSDPM_KIND_NVME), "nvme");
	assert_string_equal(ssdpm_kind_to_string(SSDPM_KIND_SATA), "sata");
	assert_null(ssdpm_kind_to_string(0));
	assert_null(ssdpm_kind_to_string(3));
	assert_null(ssdpm_kind_to_string(UINT32_MAX));
}

static void provenances_have_names(void **state)
{
	static const char *const names[] = { NULL,	 "reported",
					     "measured", "catalogue",
					     "assumed",	 "stated",
					     "family",	 "published" };

	(void)state;
	for (uint32_t i = 1; i <= 7; i++)
		assert_string_equal(ssdpm_provenance_to_string(i), names[i]);
	assert_null(ssdpm_provenance_to_string(0));
	assert_null(ssdpm_provenance_to_string(8));
}

static void each_single_bit_of_a_field_has_the_name_of_its_member(void **state)
{
	static const char *const names[] = {
		"max_power_uw",
		"active_power_uw",
		"idle_power_uw",
		"entry_latency_us",
		"exit_latency_us",
		"read_throughput_rank",
		"read_latency_rank",
		"write_throughput_rank",
		"write_latency_rank",
		"active_power_workload",
		"emergency_power_fail_recovery_time_us",
		"forced_quiescence_vault_time_us",
		"emergency_power_fail_vault_time_us",
	};

	(void)state;
	for (unsigned int i = 0; i < 13; i++)
		assert_string_equal(ssdpm_field_to_string(1u << i), names[i]);
	for (unsigned int i = 13; i < 32; i++)
		assert_null(ssdpm_field_to_string(1u << i));
	assert_null(ssdpm_field_to_string(0));
	assert_null(ssdpm_field_to_string(3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_model_keeps_what_it_was_given),
		cmocka_unit_test(every_wrong_info_is_refused_by_name),
		cmocka_unit_test(an_unknown_member_with_a_value_is_refused),
		cmocka_unit_test(text_must_be_terminated_printable_ascii),
		cmocka_unit_test(every_provenance_and_0_is_taken),
		cmocka_unit_test(all_may_be_unknown),
		cmocka_unit_test(an_unknown_field_with_a_value_is_refused),
		cmocka_unit_test(a_not_reported_field_with_a_value_is_refused),
		cmocka_unit_test(
			a_not_reported_field_with_a_known_0_is_refused),
		cmocka_unit_test(a_value_beyond_the_field_of_nvme_is_refused),
		cmocka_unit_test(the_largest_value_of_each_field_is_taken),
		cmocka_unit_test(bits_and_bytes_without_a_meaning_are_refused),
		cmocka_unit_test(zeros_of_power_and_latencies_get_their_bits),
		cmocka_unit_test(
			nvme_has_1_to_32_states_and_sata_may_have_none),
		cmocka_unit_test(info_without_a_size_is_refused),
		cmocka_unit_test(a_shorter_info_is_completed_with_zeros),
		cmocka_unit_test(a_longer_info_must_end_in_zeros),
		cmocka_unit_test(destructors_take_null_and_return_it),
		cmocka_unit_test(a_reference_keeps_the_model),
		cmocka_unit_test(references_are_counted_across_threads),
		cmocka_unit_test(kinds_have_names),
		cmocka_unit_test(provenances_have_names),
		cmocka_unit_test(
			each_single_bit_of_a_field_has_the_name_of_its_member),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
