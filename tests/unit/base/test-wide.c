/* SPDX-License-Identifier: MIT */
/*
 * Numbers of 128 bits against long arithmetic with a bit at a time. The tests
 * are built twice: with the compiler's own product and without.
 */
#include "fixture.h"

#include "base/wide.h"

#define N_CASES 5000

/* Numbers in which carries happen: few bits set, few bits clear, or any. */
static uint64_t odd_number(uint64_t *seed)
{
	uint64_t value = fixture_random(seed);
	uint64_t shift = fixture_random(seed) % 64;

	switch (fixture_random(seed) % 5) {
	case 0:
		return value >> shift;
	case 1:
		return UINT64_MAX - (value >> shift);
	case 2:
		return UINT64_C(1) << shift;
	case 3:
		return (UINT64_C(1) << shift) - 1;
	default:
		return value;
	}
}

static struct wide odd_wide(uint64_t *seed)
{
	return (struct wide){ odd_number(seed), odd_number(seed) };
}

static bool bit_of(struct wide a, unsigned int i)
{
	return (i < 64 ? a.low >> i : a.high >> (i - 64)) & 1;
}

/* Bit by bit, with a carry. */
static struct wide slow_sum(struct wide a, struct wide b, unsigned int carry)
{
	struct wide sum = { 0, 0 };

	for (unsigned int i = 0; i < 128; i++) {
		unsigned int digit = bit_of(a, i) + bit_of(b, i) + carry;

		if (i < 64)
			sum.low |= (uint64_t)(digit & 1) << i;
		else
			sum.high |= (uint64_t)(digit & 1) << (i - 64);
		carry = digit >> 1;
	}
	return sum;
}

static struct wide slow_product(struct wide a, uint64_t b)
{
	struct wide sum = { 0, 0 };

	for (int i = 63; i >= 0; i--) {
		sum = slow_sum(sum, sum, 0);
		if (b >> i & 1)
			sum = slow_sum(sum, a, 0);
	}
	return sum;
}

static struct wide inverted(struct wide a)
{
	return (struct wide){ ~a.low, ~a.high };
}

static void assert_same(struct wide a, struct wide b)
{
	assert_int_equal(a.low, b.low);
	assert_int_equal(a.high, b.high);
	assert_true(wide_is_equal(a, b));
}

static void sums_and_differences_carry(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < N_CASES; i++) {
		struct wide a = odd_wide(&seed), b = odd_wide(&seed), sum = a;

		assert_same(wide_plus(a, b), slow_sum(a, b, 0));
		assert_same(wide_minus(a, b), slow_sum(a, inverted(b), 1));
		assert_same(wide_plus(wide_negated(a), a), wide_of(0));
		wide_add(&sum, b);
		assert_same(sum, wide_plus(a, b));
		b.low = a.low;
		assert_int_equal(wide_is_equal(a, b), a.high == b.high);
	}
}

static void products_are_exact(void **state)
{
	uint64_t seed = 2;

	(void)state;
	for (int i = 0; i < N_CASES; i++) {
		uint64_t a = odd_number(&seed), b = odd_number(&seed);
		struct wide c = odd_wide(&seed);

		assert_same(wide_product(a, b), slow_product(wide_of(a), b));
		assert_same(wide_times(c, b), slow_product(c, b));
		assert_same(wide_times_signed((int64_t)a, b),
			    slow_product(wide_of_signed((int64_t)a), b));
	}
	assert_same(wide_product(UINT64_MAX, UINT64_MAX),
		    (struct wide){ 1, UINT64_MAX - 1 });
	assert_same(wide_times_signed(-3, 5), wide_of_signed(-15));
}

static void numbers_below_0_are_less(void **state)
{
	const struct wide ascending[] = {
		{ 0, UINT64_C(1) << 63 },
		wide_of_signed(INT64_MIN),
		wide_of_signed(-2),
		wide_of_signed(-1),
		wide_of(0),
		wide_of(1),
		wide_of(UINT64_MAX),
		{ 0, 1 },
		{ UINT64_MAX, INT64_MAX },
	};
	size_t n = sizeof(ascending) / sizeof(ascending[0]);

	(void)state;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			struct wide a = ascending[i], b = ascending[j];

			assert_int_equal(wide_is_less(a, b), i < j);
			assert_int_equal(wide_is_equal(a, b), i == j);
			assert_same(wide_least(a, b), ascending[i < j ? i : j]);
			assert_int_equal(wide_is_negative(a), i < 4);
			assert_int_equal(wide_fits(a), i >= 4 && i < 7);
		}
}

/* a = quotient x b + rest, and rest < b: there is one such pair. */
static void a_quotient_times_its_divisor_is_what_was_divided(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (int i = 0; i < N_CASES; i++) {
		struct wide a = odd_wide(&seed), quotient;
		uint64_t b = odd_number(&seed), rest;

		a.high &= INT64_MAX;
		if (i % 3 == 0)
			a.high = 0;
		if (!b)
			b = 1;
		quotient = ssdpm__wide_divide(a, b, &rest);
		assert_true(rest < b);
		assert_false(wide_is_less(a, quotient));
		assert_same(
			slow_sum(slow_product(quotient, b), wide_of(rest), 0),
			a);
		assert_same(ssdpm__wide_divide(a, b, NULL), quotient);
	}
}

static void bits_move_to_the_right(void **state)
{
	uint64_t seed = 4;

	(void)state;
	for (int i = 0; i < N_CASES; i++) {
		struct wide a = odd_wide(&seed), shifted;
		unsigned int bits = (unsigned int)i % 128;

		shifted = wide_shifted_right(a, bits);
		for (unsigned int j = 0; j < 128; j++)
			assert_int_equal(bit_of(shifted, j),
					 j + bits < 128 && bit_of(a, j + bits));
	}
}

static void a_checked_sum_is_exact_or_refused(void **state)
{
	uint64_t seed = 5;
	size_t n_refused = 0;

	(void)state;
	for (int i = 0; i < N_CASES; i++) {
		struct wide sum = odd_wide(&seed), a = odd_wide(&seed), is;
		uint64_t b = odd_number(&seed), rest;
		struct wide most = { UINT64_MAX, INT64_MAX };
		bool fits;

		sum.high &= INT64_MAX;
		a.high &= INT64_MAX;
		is = sum;
		/* sum + a x b <= most, without a product that wraps. */
		fits = !b ||
		       !wide_is_less(ssdpm__wide_divide(wide_minus(most, sum),
							b, &rest),
				     a);
		assert_int_equal(wide_add_product(&is, a, b), fits);
		if (fits)
			assert_same(is, slow_sum(sum, slow_product(a, b), 0));
		n_refused += !fits;
	}
	assert_true(n_refused > N_CASES / 10);
	assert_true(n_refused < N_CASES * 9 / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_and_differences_carry),
		cmocka_unit_test(products_are_exact),
		cmocka_unit_test(numbers_below_0_are_less),
		cmocka_unit_test(
			a_quotient_times_its_divisor_is_what_was_divided),
		cmocka_unit_test(bits_move_to_the_right),
		cmocka_unit_test(a_checked_sum_is_exact_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
