/* SPDX-License-Identifier: MIT */
/*
 * The files that recovery and revert act on. A word that this version does not
 * know, another version or damage makes a file invalid as a whole. The error
 * has its name and line.
 */
#include "calls.h"
#include "kernel.h"

#include "apply/record/record.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RECORD_BYTES = 1 << 14 };

static char drive_path[300], port_path[300], controller_path[300];
static char table_text[SSDPM__VALUE_BYTES];

static int boot(void **state)
{
	struct ssdpm_step_value is = { 0 };
	char *slash;

	kernel_setup(state);
	snprintf(drive_path, sizeof(drive_path), "%s",
		 kernel->now.drives[0].path);
	snprintf(controller_path, sizeof(controller_path), "%s", drive_path);
	slash = strstr(controller_path, "/power/");
	assert_non_null(slash);
	*slash = '\0';
	snprintf(port_path, sizeof(port_path),
		 "%.255s/link_power_management_policy",
		 kernel->now.ports[1].path);
	is.table = kernel->now.drives[0].table;
	ssdpm__table_form.record(&is, table_text);
	return 0;
}

/* The journal of a commit with one step of each kind. */
static void make_body(char text[RECORD_BYTES])
{
	snprintf(text, RECORD_BYTES,
		 SSDPM__RECORD_HEAD
		 "\nboot -\n"
		 "nvme-core\tsys/module/nvme_core/parameters/"
		 "apst_secondary_timeout_ms\t0\t1500\t2000\n"
		 "latency-tolerance\t%s\t0\t90000\t100000\n"
		 "apst\t%s\t0\t%s\t%s\n"
		 "lpm\t%s\t0\tmin_power\tmed_power_with_dipm\n"
		 "power-state\t%s\t0\tPS1 hint 2\tPS0\n"
		 "nopp\t%s\t0\ton\toff\n",
		 drive_path, controller_path, table_text, table_text, port_path,
		 controller_path, controller_path);
}

/* Appends the checksum. Return: the number of its line. */
static uint32_t finish(char text[RECORD_BYTES], size_t n_begun)
{
	size_t size = strlen(text);
	uint32_t n = 1;

	for (size_t i = 0; i < size; i++)
		n += text[i] == '\n';
	size += (size_t)snprintf(text + size, RECORD_BYTES - size,
				 "end %016" PRIx64 "\n",
				 ssdpm__checksum(text, size));
	for (size_t i = 0; i < n_begun; i++)
		size += (size_t)snprintf(text + size, RECORD_BYTES - size,
					 "begin %zu\n", i);
	return n;
}

static void put(const char *name, const char *text, size_t size)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/run", kernel_root());
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/run/ssdpm", kernel_root());
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/run/ssdpm/%s", kernel_root(), name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, size), size);
	close(fd);
}

static int revert(struct ssdpm_error *error)
{
	struct ssdpm_plan *plan = kernel_plan();
	int err = ssdpm_plan_add_revert(plan, error);

	if (!err)
		err = ssdpm_plan_commit(plan, error);
	ssdpm_plan_free(plan);
	return err;
}

/* A plan of another drive does not go on beside it. */
static int commit(struct ssdpm_error *error)
{
	struct ssdpm_device *device = kernel_device("nvme1");
	struct ssdpm_plan *plan = kernel_plan();
	int err;

	assert_int_equal(ssdpm_plan_add_latency_tolerance(plan, device, NULL,
							  5000, NULL),
			 0);
	err = ssdpm_plan_commit(plan, error);
	ssdpm_plan_free(plan);
	ssdpm_device_unref(device);
	return err;
}

static int check_applied(struct ssdpm_error *error)
{
	struct ssdpm_plan *plan = kernel_plan();
	int err = ssdpm_plan_add_applied(plan, NULL, error);

	ssdpm_plan_free(plan);
	return err;
}

static void assert_same_refusal(const struct ssdpm_journal *journal,
				const struct ssdpm_error *error)
{
	assert_int_equal(journal->state, SSDPM_JOURNAL_REFUSED);
	assert_int_equal(journal->line, error->line);
	assert_string_equal(journal->reason, error->message);
}

/* Both reading and committing report why recovery fails. */
static void assert_journal_is_refused(const struct ssdpm_error *error)
{
	struct ssdpm_journal journal = { .size = sizeof(journal) };
	struct ssdpm_plan *plan = kernel_plan();

	assert_int_equal(
		ssdpm_journal_read(kernel_machine, NULL, &journal, NULL), 0);
	assert_same_refusal(&journal, error);
	assert_int_equal(ssdpm_plan_lock(plan, NULL), -EIO);
	memset(journal.reason, 0, sizeof(journal.reason));
	assert_int_equal(ssdpm_plan_get_journal(plan, &journal), 0);
	assert_same_refusal(&journal, error);
	ssdpm_plan_free(plan);
}

/* Refused as a journal and as an undo file, with the cause and the line. */
static void assert_refused(const char *text, size_t size, uint32_t line,
			   const char *cause)
{
	static const char *const names[] = { "journal", "undo" };
	struct ssdpm_error error;
	char where[300];

	for (size_t i = 0; i < 2; i++) {
		kernel_reset();
		put(names[i], text, size);
		snprintf(where, sizeof(where), "/run/ssdpm/%s:%u: %s", names[i],
			 line, cause);
		error = fixture_error();
		assert_int_equal(
			i ? revert(&error) :
			    kernel_recover(kernel_machine, NULL, &error),
			-EIO);
		fixture_assert_error(&error, -EIO, line, where);
		if (i)
			assert_int_equal(check_applied(NULL), -EIO);
		else
			assert_journal_is_refused(&error);
		error = fixture_error();
		assert_int_equal(commit(&error), -EIO);
		fixture_assert_error(&error, -EIO, line, where);
		assert_int_equal(kernel->n_writes, 0);
	}
}

static void replace(char text[RECORD_BYTES], const char *old, const char *new)
{
	char rest[RECORD_BYTES], *at = strstr(text, old);

	assert_non_null(at);
	snprintf(rest, sizeof(rest), "%s", at + strlen(old));
	snprintf(at, RECORD_BYTES - (size_t)(at - text), "%s%s", new, rest);
}

static void an_unknown_word_is_refused_by_file_and_line(void **state)
{
	static const struct {
		const char *old, *new;
		uint32_t line;
		const char *cause;
	} cases[] = {
		{ "changes 3", "changes 1", 1, "unknown version '1'" },
		{ "changes 3", "changes 2", 1, "unknown version '2'" },
		{ "changes 3", "changes 3.1", 1, "unknown version '3.1'" },
		{ "ssdpm-changes", "hello", 1, "not a record of ssdpm" },
		{ "boot -", "boat -", 2, "no boot" },
		/* It becomes a part of the name of a file. */
		{ "boot -\n", "boot -\ndevice ../sda\n", 3,
		  "not a step and four" },
		{ "nvme-core\t", "nvme\t", 3, "unknown step 'nvme'" },
		{ "\t1500", "\t1500x", 3, "nvme-core: unknown value before" },
		{ "\t1500", "\t-1", 3, "nvme-core: unknown value before" },
		{ "\t1500", "\t", 3, "nvme-core: unknown value before" },
		{ "\t2000", "\t0x7d0", 3, "nvme-core: unknown value after" },
		{ "apst_secondary_timeout_ms", "apst_tertiary_timeout_ms", 3,
		  "nvme-core: no target" },
		{ "\t90000", "\tsome", 4,
		  "latency-tolerance: unknown value before" },
		{ "\t90000", "\t2147483648", 4,
		  "latency-tolerance: unknown value before" },
		/* A form of the value that no step writes. */
		{ "\t90000", "\tauto", 4,
		  "latency-tolerance: unknown value before" },
		{ "\t90000", "\t090000", 4,
		  "latency-tolerance: unknown value before" },
		{ "PS1 hint 2", "ps1 hint 2", 7, "power-state: unknown value" },
		{ "PS1 hint 2", "PS1 hint 0", 7, "power-state: unknown value" },
		{ "power/pm_qos_latency", "power/../latency", 4,
		  "latency-tolerance: no target" },
		{ "\t90000\t", "\t90000\t1\t", 4, "not a step and four" },
		{ "\t0\t90000", "\t0x0\t90000", 4,
		  "latency-tolerance: unknown serial" },
		{ "\t0\t90000", "\t00\t90000", 4,
		  "latency-tolerance: unknown serial" },
		{ "\t0\t90000", "\tABC\t90000", 4,
		  "latency-tolerance: unknown serial" },
		{ "\t0\t90000", "\t\t90000", 4,
		  "latency-tolerance: unknown serial" },
		{ "\t0\t90000", "\t10000000000000000\t90000", 4,
		  "latency-tolerance: unknown serial" },
		{ "apst\tsys/", "apst\t/sys/", 5, "apst: no target" },
		{ "min_power\t", "min_powder\t", 6,
		  "lpm: unknown value before" },
		{ "min_power\t", "min_power,min_power\t", 6,
		  "lpm: unknown value before" },
		{ "med_power_with_dipm\n", "max_power\n", 6,
		  "lpm: unknown value after" },
		{ "med_power_with_dipm\n", "med_power_with_dipm,\n", 6,
		  "lpm: unknown value after" },
		{ "PS1 hint 2", "PS32", 7, "power-state: unknown value" },
		{ "PS1 hint 2", "PS1 hint 8", 7, "power-state: unknown value" },
		{ "\ton\t", "\tyes\t", 8, "nopp: unknown value before" },
		{ "nopp\t", "power-state\t", 8, "power-state: unknown value" },
	};
	char text[RECORD_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		make_body(text);
		replace(text, cases[i].old, cases[i].new);
		finish(text, 6);
		assert_refused(text, strlen(text), cases[i].line,
			       cases[i].cause);
	}
}

/* The checksum is right; the list has one line. */
static void assert_line_is_refused(const char *line, const char *why)
{
	char text[RECORD_BYTES], cause[64];

	snprintf(text, sizeof(text), SSDPM__RECORD_HEAD "\nboot -\n%s\n", line);
	finish(text, 0);
	snprintf(cause, sizeof(cause), "%.*s: %s", (int)strcspn(line, "\t"),
		 line, why);
	assert_refused(text, strlen(text), 3, cause);
}

#define QUEUE "queue-depth\tsys/devices/x/block/sda/device/queue_depth\t0\t"
#define LINK "pcie-link\tsys/devices/nvme/nvme0/device/link/l1_aspm\t0\t"

static void a_number_that_no_step_writes_is_refused(void **state)
{
	(void)state;
	assert_line_is_refused(QUEUE "33\t1", "unknown value before");
	assert_line_is_refused(QUEUE "0\t1", "unknown value before");
	assert_line_is_refused(QUEUE "32\t01", "unknown value after");
	assert_line_is_refused(LINK "2\t0", "unknown value before");
	assert_line_is_refused(LINK "1\t00", "unknown value after");
}

static void a_target_that_no_step_has_is_refused(void **state)
{
	static const char *const lines[] = {
		"lpm\tetc/passwd\t0\tmin_power\tmin_power",
		("lpm\tsys/devices/../../etc/link_power_management_policy\t"
		 "0\tmin_power\tmin_power"),
		"nvme-core\tsys/module/nvme_core/parameters/force_apst\t0\tN\tY",
		"nvme-core\tsys/module/nvme_core/parameters/apst_/..\t0\t1\t2",
		"nvme-core\tsys/module/nvme_core/parameters/apst_x\t0\t1\t2",
		"apst\tsys/devices/x/nvme0/state\t0\ta\tb",
		"latency-tolerance\tsys/devices/x/y\t0\t1\t2",
		("latency-tolerance\tsys/devices//pm_qos_latency_tolerance_us\t"
		 "0\t1\t2"),
		("latency-tolerance\tsys/devices/./pm_qos_latency_tolerance_us\t"
		 "0\t1\t2"),
		"pcie-link\tsys/devices/x/eth0/device/link/l1_aspm\t0\t1\t0",
		"pcie-link\tsys/x/nvme/nvme0/device/link/l1_aspm\t0\t1\t0",
		"pcie-link\tsys/devices/nvme/nvme0/device/link/l9\t0\t1\t0",
		"pcie-link\tsys/devices/nvme/nvme0/link/l1_aspm\t0\t1\t0",
		"queue-depth\tsys/devices/x/queue_depth\t0\t32\t1",
		"queue-depth\tsys/devices/x/block/sda/queue_depth\t0\t32\t1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_line_is_refused(lines[i], "no target of such a step");
}

static void damage_is_refused_by_file_and_line(void **state)
{
	char text[RECORD_BYTES], digits[SSDPM__VALUE_BYTES];
	uint32_t line;

	(void)state;
	assert_refused("", 0, 1, "not a record of ssdpm");
	make_body(text);
	assert_refused(text, strlen(text), 9, "the record has no checksum");
	line = finish(text, 2);
	assert_int_equal(line, 9);
	replace(text, "PS0", "PS1");
	assert_refused(text, strlen(text), 9, "the checksum is wrong");
	make_body(text);
	finish(text, 1);
	strcat(text, "begun 3\n");
	assert_refused(text, strlen(text), 11, "unknown line 'begun 3'");
	make_body(text);
	finish(text, 1);
	strcat(text, "begin 6\n");
	assert_refused(text, strlen(text), 11, "unknown step");
	make_body(text);
	finish(text, 1);
	strcat(text, "left\n");
	assert_refused(text, strlen(text), 11, "unknown line 'left'");
	make_body(text);
	finish(text, 1);
	strcat(text, "left 6 777\n");
	assert_refused(text, strlen(text), 11, "unknown step");
	make_body(text);
	replace(text, "nopp", "power-state");
	replace(text, "\ton\toff", "\tPS1\tPS0");
	finish(text, 0);
	assert_refused(text, strlen(text), 8, "the same power-state");
	make_body(text);
	snprintf(digits, sizeof(digits), "%.511s", table_text);
	replace(text, table_text, digits);
	finish(text, 0);
	assert_refused(text, strlen(text), 5, "apst: unknown value before");
	make_body(text);
	finish(text, 1);
	text[strlen(text) - 3] = '\0';
	assert_refused(text, strlen(text) + 3, 10, "a zero byte");
}

static void what_was_not_damaged_is_acted_on(void **state)
{
	char text[RECORD_BYTES];
	size_t n = 0;

	(void)state;
	kernel_reset();
	make_body(text);
	finish(text, 6);
	put("journal", text, strlen(text));
	assert_int_equal(kernel_recover(kernel_machine, &n, NULL), 0);
	assert_string_equal(kernel->now.drives[0].tolerance, "90000");
	assert_string_equal(kernel->now.ports[1].applied, "min_power");
	assert_string_equal(kernel->now.parameters[2], "1500");
	assert_int_equal(kernel->now.drives[0].power, 1 | 2 << 5);
	assert_int_equal(kernel->now.drives[0].nopp, 1);
	assert_true(n >= 5);
}

static struct ssdpm_journal read_journal(void)
{
	struct ssdpm_journal journal = { .size = sizeof(journal) };
	struct ssdpm_error error = fixture_error();

	assert_int_equal(
		ssdpm_journal_read(kernel_machine, NULL, &journal, &error), 0);
	assert_int_equal(error.code, fixture_error().code);
	return journal;
}

/*
 * Neither the old value nor the planned one nor one in between: 777 belongs to
 * another program.
 */
static void values_of_others_stay_and_are_counted(void **state)
{
	struct ssdpm_plan *plan = kernel_plan();
	struct ssdpm_journal journal = { .size = sizeof(journal) };
	char text[RECORD_BYTES];

	(void)state;
	kernel_reset();
	make_body(text);
	finish(text, 6);
	put("journal", text, strlen(text));
	kernel_set_tolerance(0, "777");
	assert_int_equal(read_journal().state, SSDPM_JOURNAL_KILLED);
	assert_true(read_journal().stands);
	assert_int_equal(ssdpm_plan_lock(plan, NULL), 0);
	assert_int_equal(ssdpm_plan_get_journal(plan, &journal), 0);
	assert_int_equal(journal.state, SSDPM_JOURNAL_UNDONE);
	assert_false(journal.stands);
	assert_int_equal(journal.n_left_alone, 1);
	assert_true(journal.n_undone >= 4);
	assert_string_equal(kernel->now.drives[0].tolerance, "777");
	assert_string_equal(kernel->now.parameters[2], "1500");
	assert_int_equal(read_journal().state, SSDPM_JOURNAL_NONE);
	ssdpm_plan_free(plan);
}

/* A value that only a step writes in between is ours. */
static void a_value_on_its_way_is_put_back(void **state)
{
	static const char *const lines[] = { "begin 1\n", "begin 0\nback 1\n" };
	char text[RECORD_BYTES];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		kernel_reset();
		snprintf(text, sizeof(text),
			 SSDPM__RECORD_HEAD
			 "\nboot -\n"
			 "latency-tolerance\t%s\t0\t90000\t100000\n"
			 "lpm\t%s\t0\tmin_power\tmed_power_with_dipm,"
			 "medium_power\n",
			 drive_path, port_path);
		finish(text, 0);
		strcat(text, lines[i]);
		put("journal", text, strlen(text));
		strcpy(kernel->now.ports[1].policy, "max_performance");
		kernel_sync();
		assert_int_equal(kernel_recover(kernel_machine, NULL, NULL), 0);
		assert_string_equal(kernel->now.ports[1].applied, "min_power");
	}
}

/* An unreadable value may be any, so any is put back. */
static void what_a_failed_write_has_left_is_put_back(void **state)
{
	static const struct {
		const char *lines, *then;
	} cases[] = {
		{ "left 1 777\n", "90000" },
		{ "left 1 778\n", "777" },
		{ "left 1 778\nback 1\nleft 1 777\n", "90000" },
		{ "left 1 777\nback 1\nleft 1 778\n", "777" },
		{ "left 1 \n", "90000" },
		{ "left 1 777\nleft 1 \nbegin 0\n", "90000" },
		{ "left 1 77", "777" }, /* cut off */
		{ "left 0 777\n", "777" },
	};
	char text[RECORD_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		kernel_reset();
		make_body(text);
		finish(text, 2);
		strcat(text, cases[i].lines);
		put("journal", text, strlen(text));
		kernel_set_tolerance(0, "777");
		assert_int_equal(kernel_recover(kernel_machine, NULL, NULL), 0);
		assert_string_equal(kernel->now.drives[0].tolerance,
				    cases[i].then);
	}
}

/* Another controller takes its place from now on. */
static void put_serial(const char *serial)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%.100s/%.290s/serial", kernel_root(),
		 controller_path);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%s\n", serial);
	fclose(file);
}

static struct ssdpm_plan *plan_tolerance(void)
{
	struct ssdpm_device *device = kernel_device("nvme0");
	struct ssdpm_plan *plan = kernel_plan();

	assert_int_equal(ssdpm_plan_add_latency_tolerance(plan, device, NULL,
							  5000, NULL),
			 0);
	ssdpm_device_unref(device);
	kernel_read(plan);
	return plan;
}

static void another_drive_does_not_get_what_was_there_before(void **state)
{
	struct ssdpm_error error = fixture_error();
	struct ssdpm_plan *plan, *back;
	struct ssdpm_step step;

	(void)state;
	kernel_reset();
	put_serial("A");
	plan = plan_tolerance();
	kernel_commit(plan);
	put_serial("B");
	/* Neither the plan nor the record reverts it. */
	assert_int_equal(ssdpm_plan_revert(plan, NULL), 0);
	ssdpm_plan_free(plan);
	back = kernel_plan_applied();
	step = kernel_step(back, 0);
	assert_int_equal(step.state, SSDPM_STEP_LEFT_ALONE);
	assert_non_null(strstr(step.why, "another drive"));
	ssdpm_plan_free(back);
	assert_int_equal(revert(&error), 0);
	assert_string_equal(kernel->now.drives[0].tolerance, "5000");
	put_serial("A");
	assert_int_equal(revert(&error), 0);
	assert_string_equal(kernel->now.drives[0].tolerance, "5000");
}

static void a_drive_that_was_replaced_since_the_plan_is_not_set(void **state)
{
	struct ssdpm_plan *plan;

	(void)state;
	kernel_reset();
	put_serial("A");
	plan = plan_tolerance();
	put_serial("B");
	kernel_commit_fails(plan, -ESTALE, "another drive has taken its place");
	ssdpm_plan_free(plan);
	assert_int_equal(kernel->n_writes, 0);
}

/* The journal of one tolerance, 90000 before it, with this serial number. */
static void put_record(const char *name, const char *serial, size_t n_begun)
{
	char text[RECORD_BYTES];

	snprintf(text, sizeof(text),
		 SSDPM__RECORD_HEAD
		 "\nboot -\n"
		 "latency-tolerance\t%s\t%s\t90000\t100000\n",
		 drive_path, serial);
	finish(text, n_begun);
	put(name, text, strlen(text));
}

static void put_journal(const char *name, const char *serial)
{
	put_record(name, serial, 1);
}

static void recovery_gives_another_drive_nothing(void **state)
{
	(void)state;
	kernel_reset();
	put_serial("A");
	put_journal("journal", "1");
	assert_int_equal(kernel_recover(kernel_machine, NULL, NULL), 0);
	assert_int_equal(kernel->n_writes, 0);
	assert_int_equal(read_journal().state, SSDPM_JOURNAL_NONE);
}

static int fill_revert(struct ssdpm_plan *plan, void *userdata,
		       struct ssdpm_error *reterr)
{
	(void)userdata;
	return ssdpm_plan_add_revert(plan, reterr);
}

static void a_journal_that_was_set_aside_is_undone_first(void **state)
{
	struct ssdpm_plan *plan;
	struct ssdpm_step step;

	(void)state;
	kernel_reset();
	put_journal("journal-nvme0", "0");
	assert_int_equal(read_journal().state, SSDPM_JOURNAL_KILLED);
	plan = kernel_plan_revert();
	step = kernel_step(plan, 0);
	assert_string_equal(step.device, "nvme0");
	assert_int_equal(step.after_value->max_exit_latency_us, 90000);
	/* The commit puts it back, too, and then finds other values. */
	kernel_commit_fails(plan, -ESTALE, "is put back: plan again");
	ssdpm_plan_free(plan);
	assert_string_equal(kernel->now.drives[0].tolerance, "90000");
	put_journal("journal-nvme0", "0");
	plan = kernel_plan();
	assert_int_equal(ssdpm_plan_apply(plan, fill_revert, NULL, NULL), 0);
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_ALL), 0);
	ssdpm_plan_free(plan);
	assert_int_equal(read_journal().state, SSDPM_JOURNAL_NONE);
}

static struct ssdpm_plan *plan_limit(const char *drive, uint32_t limit_us)
{
	struct ssdpm_device *device = kernel_device(drive);
	struct ssdpm_plan *plan = kernel_plan();

	assert_int_equal(ssdpm_plan_add_latency_tolerance(plan, device, NULL,
							  limit_us, NULL),
			 0);
	ssdpm_device_unref(device);
	return plan;
}

static void drives_that_a_search_has_set_keep_no_others(void **state)
{
	/* Both are of nvme0: a trial, and values that it could not undo. */
	static const char *const names[] = { "bisect/undo",
					     "bisect/journal-nvme0" };
	char path[128];

	(void)state;
	kernel_reset();
	put_journal("journal", "1");
	assert_int_equal(kernel_recover(kernel_machine, NULL, NULL), 0);
	snprintf(path, sizeof(path), "%s/run/ssdpm/bisect", kernel_root());
	assert_int_equal(mkdir(path, 0755), 0);
	for (uint32_t i = 0; i < 2; i++) {
		struct ssdpm_plan *plan = plan_limit("nvme1", 6000 + i);

		put_record(names[i], "0", i);
		kernel_commit(plan);
		ssdpm_plan_free(plan);
		plan = plan_limit("nvme0", 6000 + i);
		kernel_commit_fails(plan, -EBUSY,
				    "nvme0: a search of ssdpm bisect has set "
				    "values there: ssdpm bisect stop");
		ssdpm_plan_free(plan);
		snprintf(path, sizeof(path), "%s/run/ssdpm/%s", kernel_root(),
			 names[i]);
		unlink(path);
	}
	assert_string_equal(kernel->now.drives[0].tolerance, "100000");
	assert_string_equal(kernel->now.drives[1].tolerance, "6001");
	*strrchr(path, '/') = '\0';
	assert_int_equal(rmdir(path), 0);
}

/* The ASPM policy decides what each link does. */
static void a_link_that_a_search_has_set_keeps_its_policy(void **state)
{
	const char *tolerance = kernel->now.drives[0].path;
	char text[RECORD_BYTES], path[128];
	struct ssdpm_plan *plan;

	(void)state;
	kernel_reset();
	put_journal("journal", "1");
	assert_int_equal(kernel_recover(kernel_machine, NULL, NULL), 0);
	snprintf(path, sizeof(path), "%s/run/ssdpm/bisect", kernel_root());
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(text, sizeof(text),
		 SSDPM__RECORD_HEAD
		 "\nboot -\n"
		 "pcie-link\t%.*s/device/link/l1_aspm\t0\t1\t0\n",
		 (int)(strstr(tolerance, "/power/") - tolerance), tolerance);
	finish(text, 0);
	put("bisect/undo", text, strlen(text));
	plan = kernel_plan();
	assert_int_equal(ssdpm_plan_add_value(plan, NULL,
					      SSDPM_STEP_ASPM_POLICY,
					      SSDPM_ASPM_PERFORMANCE, NULL),
			 0);
	kernel_commit_fails(plan, -EBUSY, "all: a search of ssdpm bisect");
	ssdpm_plan_free(plan);
	assert_int_equal(kernel->n_writes, 0);
}

/* The step of a port has the name of its disk. */
static void a_port_that_a_search_has_set_is_not_set_by_its_disk(void **state)
{
	const uint32_t lpm = SSDPM_LPM_MIN_POWER;
	struct ssdpm_device *disk = kernel_device("sdb");
	char text[RECORD_BYTES], path[128];
	struct ssdpm_plan *plan;

	(void)state;
	kernel_reset();
	put_journal("journal", "1");
	assert_int_equal(kernel_recover(kernel_machine, NULL, NULL), 0);
	snprintf(path, sizeof(path), "%s/run/ssdpm/bisect", kernel_root());
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(text, sizeof(text),
		 SSDPM__RECORD_HEAD
		 "\nboot -\n"
		 "lpm\t%s\t0\tmin_power\tmed_power_with_dipm\n",
		 port_path);
	finish(text, 0);
	put("bisect/undo", text, strlen(text));
	plan = kernel_plan();
	assert_int_equal(add_lpms(plan, disk, NULL, &lpm, 1, 0, NULL), 0);
	kernel_commit_fails(plan, -EBUSY, "sdb: a search of ssdpm bisect");
	ssdpm_plan_free(plan);
	ssdpm_device_unref(disk);
	assert_int_equal(kernel->n_writes, 0);
}

/* Another Linux, or another program, has written it since. */
static void a_value_that_nobody_could_restore_is_left_alone(void **state)
{
	const uint32_t lpm = SSDPM_LPM_MIN_POWER;
	struct ssdpm_device *disk = kernel_device("sdb");
	struct ssdpm_plan *plan = kernel_plan();
	struct ssdpm_step step;

	(void)state;
	kernel_reset();
	assert_int_equal(add_lpms(plan, disk, NULL, &lpm, 1, 0, NULL), 0);
	kernel_commit(plan);
	ssdpm_plan_free(plan);
	ssdpm_device_unref(disk);
	strcpy(kernel->now.ports[1].policy, "deepest_power");
	kernel_sync();
	plan = kernel_plan_applied();
	step = kernel_step(plan, 0);
	/* It is not in force, and no commit sets it. */
	assert_int_equal(step.state, SSDPM_STEP_DIFFERS);
	assert_non_null(strstr(step.why, "it reads deepest_power, which"));
	assert_int_equal(ssdpm_plan_count(plan, SSDPM_STEPS_PENDING), 0);
	kernel->n_writes = 0;
	kernel_commit(plan);
	assert_int_equal(kernel->n_writes, 0);
	ssdpm_plan_free(plan);
	assert_string_equal(kernel->now.ports[1].policy, "deepest_power");
}

static void a_record_that_nobody_could_read_is_not_written(void **state)
{
	struct change change = {
		.kind = ssdpm__kind(SSDPM_STEP_LPM),
		.path = port_path,
		.before.text = "deepest_power",
	};
	struct change *const changes[] = { &change };
	struct site site = { .machine = kernel_machine, .directory = "x" };

	(void)state;
	site.directory_fd = open(kernel_root(), O_RDONLY | O_DIRECTORY);
	assert_true(site.directory_fd >= 0);
	assert_true(
		ssdpm__value_parse(change.kind, "min_power", &change.after));
	assert_int_equal(
		ssdpm__changes_write(&site, "made", "sdb", changes, 1, NULL),
		-EINVAL);
	assert_null(kernel_text("made"));
	assert_true(ssdpm__value_parse(change.kind, "medium_power",
				       &change.before));
	assert_int_equal(
		ssdpm__changes_write(&site, "made", "sdb", changes, 1, NULL),
		0);
	unlinkat(site.directory_fd, "made", 0);
	close(site.directory_fd);
}

static void who_holds_the_lock_reads_plans_and_commits_under_it(void **state)
{
	struct ssdpm_plan_params params = { .size = sizeof(params),
					    .lock_timeout_ms = 30 };
	struct ssdpm_plan *plan = kernel_plan(), *other;
	struct ssdpm_device *device;

	(void)state;
	kernel_reset();
	device = kernel_device("nvme0");
	assert_int_equal(ssdpm_plan_new(kernel_machine, &params, &other, NULL),
			 0);
	assert_int_equal(ssdpm_plan_lock(plan, NULL), 0);
	assert_int_equal(ssdpm_plan_lock(plan, NULL), 0);
	assert_int_equal(ssdpm_plan_lock(other, NULL), -EBUSY);
	assert_int_equal(ssdpm_plan_add_latency_tolerance(plan, device, NULL,
							  5000, NULL),
			 0);
	kernel_commit(plan);
	assert_int_equal(ssdpm_plan_lock(other, NULL), -EBUSY);
	assert_int_equal(ssdpm_plan_verify(plan, 0, NULL), 0);
	assert_int_equal(ssdpm_plan_revert(plan, NULL), 0);
	assert_string_equal(kernel->now.drives[0].tolerance, "100000");
	ssdpm_plan_unlock(plan);
	ssdpm_plan_unlock(plan);
	assert_int_equal(ssdpm_plan_lock(other, NULL), 0);
	assert_int_equal(ssdpm_plan_lock(plan, NULL), -EINVAL);
	ssdpm_plan_free(other);
	ssdpm_plan_free(plan);
	ssdpm_device_unref(device);
}

static void states_of_journals_have_names(void **state)
{
	static const char *const names[] = { "none",  "running", "killed",
					     "found", "undone",	 "refused" };

	(void)state;
	for (uint32_t i = 0; i < 6; i++)
		assert_string_equal(ssdpm_journal_state_to_string(i + 1),
				    names[i]);
	assert_null(ssdpm_journal_state_to_string(0));
	assert_null(ssdpm_journal_state_to_string(7));
}

static uint64_t seed;

static uint32_t pick(uint32_t n)
{
	return (uint32_t)(fixture_random(&seed) >> 16) % n;
}

static size_t line_at(const char *text, uint32_t n, size_t *ret_size)
{
	const char *at = text;

	while (n--)
		at = strchr(at, '\n') + 1;
	*ret_size = strcspn(at, "\n") + 1;
	return (size_t)(at - text);
}

/* A byte or a bit changes, or a line is missing, doubled or moved. */
static void mutate(char text[RECORD_BYTES], uint32_t n_lines)
{
	static const char bytes[] = "\t\n 0189afgPS_,./-\x01\x7f\xff";
	char line[2048];
	size_t at, size, length = strlen(text);

	at = line_at(text, pick(n_lines), &size);
	switch (pick(5)) {
	case 0:
		text[pick((uint32_t)length)] = bytes[pick(sizeof(bytes) - 1)];
		break;
	case 1:
		at = pick((uint32_t)length);
		text[at] = (char)(text[at] ^ 1 << pick(7));
		if (!text[at])
			text[at] = '0';
		break;
	case 2:
		memmove(text + at, text + at + size, length - at - size + 1);
		break;
	case 3:
		assert_true(size < sizeof(line));
		memcpy(line, text + at, size);
		memmove(text + at + size, text + at, length - at + 1);
		memcpy(text + at, line, size);
		break;
	default:
		text[pick((uint32_t)length)] = '\0';
	}
}

/* A line after the list: for a step, or for one that does not exist. */
static void add_line(char text[RECORD_BYTES])
{
	static const char *const words[] = { "begin", "back", "left", "lift" };
	static const char *const values[] = { "",    " 777", " PS1 hint 2",
					      " on", " \t",  " min_power,x" };
	const size_t length = strlen(text);
	const bool has_value = !pick(3);

	snprintf(text + length, RECORD_BYTES - length, "%s %u%s\n",
		 words[has_value ? 2 : pick(4)], pick(20) ? pick(6) : 6,
		 has_value ? values[pick(6)] : "");
}

/* Either all was read before any write, or nothing was written. */
static void assert_whole(const char *name, int err,
			 const struct ssdpm_error *error)
{
	if (!err)
		return;
	if (err != -EIO)
		fail_msg("%s: %d %s", name, err, error->message);
	assert_int_equal(kernel->n_writes, 0);
	assert_non_null(strstr(error->message, "/run/ssdpm/"));
	assert_true(error->line > 0);
}

static void whatever_a_record_says_nothing_is_half_written(void **state)
{
	uint64_t n_cases = fixture_cases(4000);
	size_t n_refused = 0, n_taken = 0;
	char text[RECORD_BYTES];

	(void)state;
	seed = 17;
	for (size_t i = 0; i < n_cases; i++) {
		struct ssdpm_error error = fixture_error();
		const bool journal = pick(2);
		int err;

		make_body(text);
		mutate(text, 8);
		if (pick(2) && strchr(text, '\n'))
			mutate(text, 1);
		finish(text, journal ? pick(7) : 0);
		while (journal && pick(2))
			add_line(text);
		if (!pick(8))
			text[pick((uint32_t)strlen(text))] ^= 1;
		kernel_reset();
		put(journal ? "journal" : "undo", text, strlen(text));
		err = journal ? kernel_recover(kernel_machine, NULL, &error) :
				revert(&error);
		assert_whole(journal ? "journal" : "undo", err, &error);
		n_refused += err != 0;
		n_taken += !err;
	}
	print_message("%zu refused, %zu taken\n", n_refused, n_taken);
	assert_true(n_refused > n_cases / 10);
	assert_true(n_taken > n_cases / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unknown_word_is_refused_by_file_and_line),
		cmocka_unit_test(a_target_that_no_step_has_is_refused),
		cmocka_unit_test(a_number_that_no_step_writes_is_refused),
		cmocka_unit_test(damage_is_refused_by_file_and_line),
		cmocka_unit_test(what_was_not_damaged_is_acted_on),
		cmocka_unit_test(values_of_others_stay_and_are_counted),
		cmocka_unit_test(a_value_on_its_way_is_put_back),
		cmocka_unit_test(what_a_failed_write_has_left_is_put_back),
		cmocka_unit_test(
			another_drive_does_not_get_what_was_there_before),
		cmocka_unit_test(
			a_drive_that_was_replaced_since_the_plan_is_not_set),
		cmocka_unit_test(recovery_gives_another_drive_nothing),
		cmocka_unit_test(a_journal_that_was_set_aside_is_undone_first),
		cmocka_unit_test(drives_that_a_search_has_set_keep_no_others),
		cmocka_unit_test(a_link_that_a_search_has_set_keeps_its_policy),
		cmocka_unit_test(
			a_port_that_a_search_has_set_is_not_set_by_its_disk),
		cmocka_unit_test(
			a_value_that_nobody_could_restore_is_left_alone),
		cmocka_unit_test(
			a_record_that_nobody_could_read_is_not_written),
		cmocka_unit_test(
			who_holds_the_lock_reads_plans_and_commits_under_it),
		cmocka_unit_test(states_of_journals_have_names),
		cmocka_unit_test(
			whatever_a_record_says_nothing_is_half_written),
	};

	return cmocka_run_group_tests(tests, boot, kernel_teardown);
}
