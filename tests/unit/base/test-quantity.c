/* SPDX-License-Identifier: MIT */
/* Exact numbers in units that people read. */
#include "fixture.h"

static const struct {
	uint64_t millionths;
	const char *time, *power;
} cases[] = {
	{ 0, "0 us", "0 uW" },
	{ 1, "1 us", "1 uW" },
	{ 999, "999 us", "999 uW" },
	{ 1000, "1 ms", "1 mW" },
	{ 1001, "1.001 ms", "1.001 mW" },
	{ 2500, "2.5 ms", "2.5 mW" },
	{ 10010, "10.01 ms", "10.01 mW" },
	{ 999999, "999.999 ms", "999.999 mW" },
	{ 1000000, "1 s", "1 W" },
	{ 1000001, "1.000001 s", "1.000001 W" },
	{ 1050000, "1.05 s", "1.05 W" },
	{ 655350000, "655.35 s", "655.35 W" },
	{ 4294967295, "4294.967295 s", "4294.967295 W" },
	{ UINT64_MAX, "18446744073709.551615 s", "18446744073709.551615 W" },
};

static void durations_are_exact_in_the_unit_people_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(ssdpm_us_to_text(cases[i].millionths).text,
				    cases[i].time);
}

static void powers_are_exact_in_the_unit_people_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(ssdpm_uw_to_text(cases[i].millionths).text,
				    cases[i].power);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations_are_exact_in_the_unit_people_read),
		cmocka_unit_test(powers_are_exact_in_the_unit_people_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
