/* SPDX-License-Identifier: MIT */
/*
 * Whole numbers of 128 bits in two's complement: exact sums of products. Two
 * limbs, because C has no such type on a 32-bit machine. Results that do not
 * fit wrap, unless the comment says otherwise.
 */
#ifndef SSDPM_LIB_BASE_WIDE_H
#define SSDPM_LIB_BASE_WIDE_H

#include <stdbool.h>
#include <stdint.h>

struct wide {
	uint64_t low;
	uint64_t high; /* its top bit is the sign */
};

/* The compiler's own type, where it has one, adds with the carry of the
 * processor. */
#if defined(__SIZEOF_INT128__) && !defined(SSDPM_WIDE_PORTABLE)
#define WIDE_NATIVE
__extension__ typedef unsigned __int128 wide_native;

static inline wide_native wide_to_native(struct wide a)
{
	return (wide_native)a.high << 64 | a.low;
}

static inline struct wide wide_of_native(wide_native a)
{
	return (struct wide){ (uint64_t)a, (uint64_t)(a >> 64) };
}
#endif

static inline struct wide wide_of(uint64_t value)
{
	return (struct wide){ value, 0 };
}

static inline struct wide wide_of_signed(int64_t value)
{
	return (struct wide){ (uint64_t)value, value < 0 ? UINT64_MAX : 0 };
}

static inline struct wide wide_plus(struct wide a, struct wide b)
{
#ifdef WIDE_NATIVE
	return wide_of_native(wide_to_native(a) + wide_to_native(b));
#else
	uint64_t low = a.low + b.low;

	return (struct wide){ low, a.high + b.high + (low < b.low) };
#endif
}

static inline struct wide wide_minus(struct wide a, struct wide b)
{
#ifdef WIDE_NATIVE
	return wide_of_native(wide_to_native(a) - wide_to_native(b));
#else
	return (struct wide){ a.low - b.low,
			      a.high - b.high - (a.low < b.low) };
#endif
}

/* *sum += value */
static inline void wide_add(struct wide *sum, struct wide value)
{
	*sum = wide_plus(*sum, value);
}

/* Unsigned factors; the product always fits. */
static inline struct wide wide_product(uint64_t a, uint64_t b)
{
#ifdef WIDE_NATIVE
	return wide_of_native((wide_native)a * b);
#else
	uint64_t a_low = (uint32_t)a, a_high = a >> 32;
	uint64_t b_low = (uint32_t)b, b_high = b >> 32;
	uint64_t low = a_low * b_low;
	uint64_t middle = a_high * b_low + (low >> 32);
	uint64_t other = a_low * b_high + (uint32_t)middle;

	return (struct wide){ other << 32 | (uint32_t)low,
			      a_high * b_high + (middle >> 32) +
				      (other >> 32) };
#endif
}

/* a may be negative, b is not. */
static inline struct wide wide_times(struct wide a, uint64_t b)
{
	struct wide product = wide_product(a.low, b);

	product.high += a.high * b;
	return product;
}

static inline struct wide wide_times_signed(int64_t a, uint64_t b)
{
	return wide_times(wide_of_signed(a), b);
}

/* *sum += a x b, of numbers that are not negative; false: the sum wraps. */
static inline bool wide_add_product(struct wide *sum, struct wide a, uint64_t b)
{
	struct wide low = wide_product(a.low, b);
	struct wide high = wide_product(a.high, b);

	high.low += low.high;
	if (high.high || high.low < low.high || high.low > INT64_MAX)
		return false;
	*sum = wide_plus(*sum, (struct wide){ low.low, high.low });
	return sum->high <= INT64_MAX;
}

static inline struct wide wide_negated(struct wide a)
{
	return wide_minus(wide_of(0), a);
}

static inline bool wide_is_negative(struct wide a)
{
	return a.high > INT64_MAX;
}

static inline bool wide_is_equal(struct wide a, struct wide b)
{
	return a.low == b.low && a.high == b.high;
}

static inline bool wide_is_less(struct wide a, struct wide b)
{
	if (a.high != b.high)
		return (int64_t)a.high < (int64_t)b.high;
	return a.low < b.low;
}

static inline struct wide wide_least(struct wide a, struct wide b)
{
	return wide_is_less(b, a) ? b : a;
}

/* Whether it is a number that 64 bits hold: wide.low. */
static inline bool wide_fits(struct wide a)
{
	return !a.high;
}

/* a must not be negative, and bits must be below 128. */
static inline struct wide wide_shifted_right(struct wide a, unsigned int bits)
{
	if (!bits)
		return a;
	if (bits >= 64)
		return wide_of(a.high >> (bits - 64));
	return (struct wide){ a.high << (64 - bits) | a.low >> bits,
			      a.high >> bits };
}

/*
 * The quotient of a number that is not negative, rounded down. The divisor is
 * not 0. ret_rest: the remainder, or NULL.
 */
struct wide ssdpm__wide_divide(struct wide a, uint64_t b, uint64_t *ret_rest);

#endif
