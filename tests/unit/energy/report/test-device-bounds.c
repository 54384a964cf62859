/* SPDX-License-Identifier: MIT */
/* What a machine says of its drives: are they estimated, what can they have? */
#include "tree.h"

/* A drive of a capture. */
struct subject {
	struct ssdpm_machine *machine;
	struct ssdpm_device *device;
	struct ssdpm_model *model; /* NULL: it is of no use */
};

static struct subject subject_of(const char *capture, const char *name)
{
	struct subject s = { .machine = tree_capture(capture) };

	assert_int_equal(ssdpm_device_read(s.machine, name, &s.device, NULL),
			 0);
	ssdpm_device_read_model(s.device, 0, NULL, &s.model, NULL);
	return s;
}

static void free_subject(struct subject *s)
{
	ssdpm_model_unref(s->model);
	ssdpm_device_unref(s->device);
	ssdpm_machine_unref(s->machine);
}

/* Returns what ssdpm_bounds_set_device() does. */
static int set_device(const struct subject *s, struct ssdpm_bounds *bounds,
		      struct ssdpm_apst_params *kernel,
		      struct ssdpm_error *error)
{
	*kernel = (struct ssdpm_apst_params){ .size = sizeof(*kernel) };
	return ssdpm_bounds_set_device(bounds, s->machine, s->device, s->model,
				       kernel, error);
}

static void assert_not_estimable(const char *capture, const char *name,
				 const char *why)
{
	struct subject s = subject_of(capture, name);
	struct ssdpm_error error;

	assert_int_equal(
		ssdpm_device_check_estimable(s.device, s.model, &error),
		-EOPNOTSUPP);
	fixture_assert_error(&error, -EOPNOTSUPP, 0, why);
	assert_int_equal(ssdpm_device_check_estimable(s.device, NULL, &error),
			 -EOPNOTSUPP);
	fixture_assert_error(&error, -EOPNOTSUPP, 0, why);
	free_subject(&s);
}

static void a_drive_whose_power_is_not_of_this_machine_is_not_estimated(
	void **state)
{
	struct subject s = subject_of("laptop", "nvme0");

	(void)state;
	assert_int_equal(ssdpm_device_check_estimable(s.device, NULL, NULL), 0);
	assert_int_equal(ssdpm_device_check_estimable(s.device, s.model, NULL),
			 0);
	free_subject(&s);
	assert_not_estimable("server", "nvme0", "over a network (tcp)");
	assert_not_estimable("eight-drives", "sdd", "a hard disk");
}

/* Linux takes it for a hard disk; the drive itself says that it is none. */
static void what_a_drive_says_of_itself_is_more_than_what_linux_takes_it_for(
	void **state)
{
	struct subject disk = subject_of("eight-drives", "sdd");
	struct subject ssd = subject_of("desktop-6.1", "sda");
	const struct ssdpm_recommendation found = {
		.route = SSDPM_ROUTE_LINK_POLICY,
		.lpm = SSDPM_LPM_MEDIUM_POWER,
	};
	struct ssdpm_change *changes = NULL;
	size_t n;

	(void)state;
	assert_int_equal(
		ssdpm_device_check_estimable(disk.device, ssd.model, NULL), 0);
	/* So what is recommended for it can be written. */
	assert_int_equal(ssdpm_recommendation_get_changes(
				 &found, disk.device, NULL, &changes, &n, NULL),
			 0);
	assert_int_equal(n, 1);
	free(changes);
	free_subject(&ssd);

	free_subject(&disk);
}

static void the_bounds_of_an_nvme_drive_have_the_kernel_of_its_machine(
	void **state)
{
	struct subject s = subject_of("laptop", "nvme0");
	struct ssdpm_machine_facts facts = { .size = sizeof(facts) };
	struct ssdpm_apst_params params = { .size = sizeof(params) }, kernel;
	struct ssdpm_bounds bounds = { .size = sizeof(bounds),
				       .max_states = 1,
				       .flags = SSDPM_BOUNDS_MAY_COST };

	(void)state;
	assert_int_equal(set_device(&s, &bounds, &kernel, NULL), 0);
	ssdpm_machine_read_facts(s.machine, &facts, NULL);
	assert_int_equal(ssdpm_device_get_apst_params(s.device, &facts, s.model,
						      &params, NULL),
			 0);
	assert_ptr_equal(bounds.kernel, &kernel);
	assert_memory_equal(&kernel, &params, sizeof(params));
	assert_int_equal(bounds.quirks, kernel.quirks);
	assert_int_equal(bounds.max_states, 1);
	assert_int_equal(bounds.flags & SSDPM_BOUNDS_MAY_COST,
			 SSDPM_BOUNDS_MAY_COST);
	assert_int_equal(bounds.flags & SSDPM_BOUNDS_IN_FORCE,
			 SSDPM_BOUNDS_IN_FORCE);
	free_subject(&s);
}

static void bounds_that_another_drive_had_before_are_not_kept(void **state)
{
	struct subject s = subject_of("desktop-6.1", "nvme0");
	struct ssdpm_bounds bounds = { .size = sizeof(bounds),
				       .flags = SSDPM_BOUNDS_NO_RAW_TABLE };
	struct ssdpm_apst_params kernel;

	(void)state;
	assert_int_equal(set_device(&s, &bounds, &kernel, NULL), 0);
	assert_int_equal(bounds.flags, SSDPM_BOUNDS_IN_FORCE);
	free_subject(&s);
}

/* Linux builds no table for it, so nothing can be built anew. */
static void a_drive_without_a_limit_has_none_in_force(void **state)
{
	struct subject s = subject_of("quirked", "nvme1");
	struct ssdpm_bounds bounds = { .size = sizeof(bounds),
				       .flags = SSDPM_BOUNDS_IN_FORCE };
	struct ssdpm_apst_params kernel;

	(void)state;
	assert_int_equal(set_device(&s, &bounds, &kernel, NULL), 0);
	assert_int_equal(kernel.quirks, SSDPM_QUIRK_NO_APST);
	assert_int_equal(bounds.flags & SSDPM_BOUNDS_IN_FORCE, 0);
	free_subject(&s);
}

static void a_drive_whose_model_is_unknown_has_bounds_too(void **state)
{
	static const char *const drives[][2] = {
		{ "laptop", "nvme0" },
		{ "eight-drives", "sda" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(drives) / sizeof(drives[0]); i++) {
		struct subject s = subject_of(drives[i][0], drives[i][1]);
		struct ssdpm_bounds bounds = { .size = sizeof(bounds) };
		struct ssdpm_apst_params kernel;

		s.model = ssdpm_model_unref(s.model);
		assert_int_equal(set_device(&s, &bounds, &kernel, NULL), 0);
		assert_ptr_equal(bounds.kernel, i ? NULL : &kernel);
		free_subject(&s);
	}
}

static void a_kernel_that_refuses_a_raw_table_says_so_in_the_bounds(
	void **state)
{
	static const struct {
		const char *capture;
		uint32_t refuses;
	} of[] = {
		{ "desktop-6.1", 0 },
		{ "laptop", SSDPM_BOUNDS_NO_RAW_TABLE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		struct subject s = subject_of(of[i].capture, "nvme0");
		struct ssdpm_bounds bounds = { .size = sizeof(bounds) };
		struct ssdpm_apst_params kernel;

		assert_int_equal(set_device(&s, &bounds, &kernel, NULL), 0);
		assert_int_equal(bounds.flags & SSDPM_BOUNDS_NO_RAW_TABLE,
				 of[i].refuses);
		free_subject(&s);
	}
}

static void assert_refused(const char *capture, const char *name,
			   const char *why)
{
	const struct ssdpm_bounds untouched = { .size = sizeof(untouched),
						.quirks = 1 };
	struct subject s = subject_of(capture, name);
	struct ssdpm_bounds bounds = untouched;
	struct ssdpm_apst_params kernel;
	struct ssdpm_error error;

	assert_int_equal(set_device(&s, &bounds, &kernel, &error), -EOPNOTSUPP);
	fixture_assert_error(&error, -EOPNOTSUPP, 0, why);
	assert_memory_equal(&bounds, &untouched, sizeof(bounds));
	free_subject(&s);
}

static void a_port_that_cannot_be_set_says_why(void **state)
{
	struct subject s = subject_of("desktop-6.1", "sda");
	struct ssdpm_bounds bounds = { .size = sizeof(bounds) };
	struct ssdpm_apst_params kernel;

	(void)state;
	assert_int_equal(set_device(&s, &bounds, &kernel, NULL), 0);
	assert_null(bounds.kernel);
	assert_int_equal(bounds.flags, 0);
	free_subject(&s);
	assert_refused("external-ports", "sdb", "the port is for hot-plug");
	assert_refused("eight-drives", "sdd", "a hard disk");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_drive_whose_power_is_not_of_this_machine_is_not_estimated),
		cmocka_unit_test(
			what_a_drive_says_of_itself_is_more_than_what_linux_takes_it_for),
		cmocka_unit_test(
			the_bounds_of_an_nvme_drive_have_the_kernel_of_its_machine),
		cmocka_unit_test(
			bounds_that_another_drive_had_before_are_not_kept),
		cmocka_unit_test(a_drive_without_a_limit_has_none_in_force),
		cmocka_unit_test(a_drive_whose_model_is_unknown_has_bounds_too),
		cmocka_unit_test(
			a_kernel_that_refuses_a_raw_table_says_so_in_the_bounds),
		cmocka_unit_test(a_port_that_cannot_be_set_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
