/* SPDX-License-Identifier: MIT */
/*
 * Files under a root. Each test runs twice: with openat2(), and component by
 * component, as on a kernel without it.
 */
#include "tree.h"

#include "device/internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* A root, and a secret beside it. */
struct place {
	char *above, *root;
	bool walk;
	struct ssdpm_machine *machine;
};

/* The machine again, with the root's present files. */
static void place_open(struct place *place)
{
	ssdpm_machine_unref(place->machine);
	place->machine = tree_machine(place->root);
	place->machine->walk = place->walk;
}

static struct place place_new(bool walk)
{
	struct place place = { .above = tree_new(), .walk = walk };

	tree_put(place.above, "secret", "SECRET");
	tree_mkdir(place.above, "root");
	place.root = strdup(tree_path(place.above, "root"));
	tree_put(place.root, "sys/a/file", "good\n");
	place_open(&place);
	return place;
}

static void place_free(struct place *place)
{
	ssdpm_machine_unref(place->machine);
	free(place->root);
	tree_remove(place->above);
}

static void assert_reads(const struct place *place, const char *path, int code)
{
	char text[64] = "?";

	assert_int_equal(
		ssdpm__read_text(place->machine, path, text, sizeof(text)),
		code);
	if (!code)
		assert_string_equal(text, "good");
	assert_null(strstr(text, "SECRET"));
}

static const bool ways[] = { false, true };

static int make_place(void **state)
{
	struct place *place = malloc(sizeof(*place));

	*place = place_new(*(const bool *)*state);
	*state = place;
	return 0;
}

static int drop_place(void **state)
{
	place_free(*state);
	free(*state);
	return 0;
}

/* Each finds a place in its state. */
#define BOTH_WAYS(test)                                                        \
	cmocka_unit_test_prestate_setup_teardown(test, make_place, drop_place, \
						 (void *)&ways[0]),            \
		cmocka_unit_test_prestate_setup_teardown(                      \
			test, make_place, drop_place, (void *)&ways[1])

static void links_never_lead_out_of_the_root(void **state)
{
	struct place *place = *state;
	char target[256];

	snprintf(target, sizeof(target), "%s/secret", place->above);
	tree_link(place->root, "sys/out", "../../secret");
	tree_link(place->root, "sys/far", "../../../../../../secret");
	tree_link(place->root, "sys/absolute", target);
	tree_link(place->root, "sys/dir", "../..");
	tree_link(place->root, "sys/etc", "/etc");
	assert_reads(place, "sys/out", -ENOENT);
	assert_reads(place, "sys/far", -ENOENT);
	assert_reads(place, "sys/absolute", -ENOENT);
	assert_reads(place, "sys/dir/secret", -ENOENT);
	assert_reads(place, "sys/etc/passwd", -ENOENT);
	assert_reads(place, "../secret", -ENOENT);
	assert_reads(place, "sys/../../secret", -ENOENT);
	/* There they are the root's own files. */
	tree_put(place->root, "secret", "good");
	tree_put(place->root, "etc/passwd", "good");
	assert_reads(place, "sys/out", 0);
	assert_reads(place, "sys/far", 0);
	assert_reads(place, "sys/dir/secret", 0);
	assert_reads(place, "sys/etc/passwd", 0);
	assert_reads(place, "../secret", 0);
	assert_reads(place, "sys/../../secret", 0);
}

static void links_are_followed_as_linux_does(void **state)
{
	struct place *place = *state;

	tree_link(place->root, "sys/class/a", "../../sys/./a");
	tree_link(place->root, "sys/b", "class/a/");
	tree_link(place->root, "loop", "loop");
	tree_link(place->root, "sys/file", "b/file");
	assert_reads(place, "sys/class/a/file", 0);
	assert_reads(place, "sys/b/file", 0);
	assert_reads(place, "sys/b/../a/file", 0);
	assert_reads(place, "sys/file", 0);
	assert_reads(place, "/sys//a/./file", 0);
	assert_reads(place, "loop", -ELOOP);
	assert_reads(place, "loop/file", -ELOOP);
	assert_reads(place, "sys/a/file/x", -ENOTDIR);
	assert_reads(place, "sys/x/file", -ENOENT);
	assert_reads(place, "", -ENOENT);
}

static void after_forty_links_it_gives_up(void **state)
{
	struct place *place = *state;
	char from[32], to[32];

	tree_put(place->root, "l0", "good");
	for (int j = 1; j <= 41; j++) {
		snprintf(from, sizeof(from), "l%d", j);
		snprintf(to, sizeof(to), "l%d", j - 1);
		tree_link(place->root, from, to);
	}
	assert_reads(place, "l40", 0);
	assert_reads(place, "l41", -ELOOP);
}

/* The pipe has no writer, so opening it would wait forever. */
static void only_files_and_directories_are_opened(void **state)
{
	struct place *place = *state;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct names names;
	int fd;

	assert_int_equal(mkfifo(tree_path(place->root, "pipe"), 0600), 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket",
		 place->root);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)),
			 0);
	tree_link(place->root, "sys/pipe", "/pipe");
	assert_reads(place, "pipe", -EINVAL);
	assert_reads(place, "sys/pipe", -EINVAL);
	assert_reads(place, "socket", -EINVAL);
	assert_reads(place, "sys", -EISDIR);
	assert_int_equal(ssdpm__list_names(place->machine, "pipe", &names),
			 -EINVAL);
	close(fd);
}

static void a_file_may_be_as_long_as_there_is_room(void **state)
{
	struct place place = place_new(false);
	char text[8];
	size_t n = 99;

	(void)state;
	tree_put(place.root, "seven", "1234567");
	tree_put(place.root, "eight", "12345678");
	assert_int_equal(ssdpm__read_bytes(place.machine, "seven", text, 8, &n),
			 0);
	assert_int_equal(n, 7);
	assert_string_equal(text, "1234567");
	n = 99;
	assert_int_equal(ssdpm__read_bytes(place.machine, "eight", text, 8, &n),
			 -E2BIG);
	assert_int_equal(n, 99);
	place_free(&place);
}

static void a_path_may_be_too_long(void **state)
{
	char path[2000];
	struct place *place = *state;
	char real[SSDPM__PATH_BYTES], joined[SSDPM__PATH_BYTES];

	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = 0;
	assert_reads(place, path, -ENAMETOOLONG);
	path[300] = 0; /* a component is at most 255 */
	assert_reads(place, path, -ENAMETOOLONG);
	tree_link(place->root, "long", path);
	assert_reads(place, "long", -ENAMETOOLONG);
	assert_int_equal(
		ssdpm__real_path(place->machine, "sys/a/file", real, 10),
		-ENAMETOOLONG);
	assert_int_equal(
		ssdpm__real_path(place->machine, "sys/a/file", real, 11), 0);
	assert_int_equal(ssdpm__join(joined, path, "seventeen bytes"), 0);
	assert_int_equal(ssdpm__join(joined, path, "twenty bytes of name"),
			 -ENAMETOOLONG);
}

static void blanks_at_the_end_of_a_text_go(void **state)
{
	struct place place = place_new(false);
	struct directory at = { .machine = place.machine, .path = "d" };
	char text[16] = "";

	(void)state;
	tree_put(place.root, "d/blanks", "  a b \t\r\n\n");
	tree_put(place.root, "d/none", "");
	tree_put(place.root, "d/odd", " a\033[31m\xc3\xa9z  \n");
	tree_put(place.root, "d/long", "0123456789abcdefghij");
	assert_int_equal(ssdpm__read_text(place.machine, "d/blanks", text, 16),
			 0);
	assert_string_equal(text, "  a b");
	assert_true(ssdpm__get_text(&at, "blanks", text, sizeof(text)));
	assert_string_equal(text, "a b");
	assert_true(ssdpm__get_text(&at, "none", text, sizeof(text)));
	assert_string_equal(text, "");
	assert_true(ssdpm__get_text(&at, "odd", text, sizeof(text)));
	assert_string_equal(text, "a?[31m??z");
	assert_true(ssdpm__get_text(&at, "long", text, sizeof(text)));
	assert_string_equal(text, "0123456789abcde");
	assert_false(ssdpm__get_text(&at, "absent", text, sizeof(text)));
	assert_int_equal(at.err, 0);
	place_free(&place);
}

static void numbers_are_whole_and_in_their_base(void **state)
{
	static const struct {
		const char *text;
		int base, code;
		uint64_t value;
	} cases[] = {
		{ "0\n", 10, 0, 0 },
		{ "007\n", 10, 0, 7 },
		{ "18446744073709551615", 10, 0, UINT64_MAX },
		{ "18446744073709551616", 10, -EINVAL, 0 },
		{ "-1", 10, -EINVAL, 0 },
		{ "+1", 10, -EINVAL, 0 },
		{ "1 2", 10, -EINVAL, 0 },
		{ "0x10", 10, -EINVAL, 0 },
		{ "", 10, -EINVAL, 0 },
		{ "any", 10, -EINVAL, 0 },
		{ "c017\n", 16, 0, 0xc017 },
		{ "0xC017\n", 16, 0, 0xc017 },
		{ "10", 16, 0, 16 },
		{ "g", 16, -EINVAL, 0 },
		{ "0x8086\n", 0, 0, 0x8086 },
		{ "12", 0, 0, 12 },
		{ "0x", 0, -EINVAL, 0 },
		{ "111111111111111111111111111111111111111111111111111111111"
		  "111111111",
		  10, -EINVAL, 0 },
	};
	struct place place = place_new(false);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t value = 77;

		tree_put(place.root, "n", cases[i].text);
		assert_int_equal(ssdpm__read_number(place.machine, "n",
						    cases[i].base, &value),
				 cases[i].code);
		assert_int_equal(value, cases[i].code ? 77 : cases[i].value);
	}
	place_free(&place);
}

static void names_are_sorted_by_their_numbers(void **state)
{
	struct place *place = *state;
	struct names names = { 0 };
	char name[8], path[32];

	tree_link(place->root, "link", "sys/many");
	for (int j = 39; j >= 0; j--) {
		snprintf(path, sizeof(path), "sys/many/n%d", j);
		tree_put(place->root, path, "");
	}
	assert_int_equal(ssdpm__list_names(place->machine, "link", &names), 0);
	assert_int_equal(names.n, 40);
	for (size_t j = 0; j < 40; j++) {
		snprintf(name, sizeof(name), "n%zu", j);
		assert_string_equal(names.names[j], name);
	}
	ssdpm__free_names(&names);
	assert_int_equal(
		ssdpm__list_names(place->machine, "sys/a/file", &names),
		-ENOTDIR);
	assert_int_equal(ssdpm__list_names(place->machine, "absent", &names),
			 -ENOENT);
}

static void names_that_no_kernel_gives_are_not_there(void **state)
{
	static const char *const bad[] = { "\x1b[31mred", "two\nlines", "\x7f",
					   "\xff", "\xc3\xbc" };
	struct place *place = *state;
	char real[SSDPM__PATH_BYTES] = "?", path[32];
	struct names names = { 0 };

	for (size_t j = 0; j < sizeof(bad) / sizeof(bad[0]); j++) {
		snprintf(path, sizeof(path), "sys/%s/file", bad[j]);
		tree_put(place->root, path, "good");
		snprintf(path, sizeof(path), "sys/link%zu", j);
		tree_link(place->root, path, bad[j]);
		assert_int_equal(ssdpm__real_path(place->machine, path, real,
						  sizeof(real)),
				 -ENOENT);
		assert_string_equal(real, "?");
	}
	assert_int_equal(ssdpm__list_names(place->machine, "sys", &names), 0);
	assert_int_equal(names.n, 6);
	assert_string_equal(names.names[0], "a");
	assert_string_equal(names.names[5], "link4");
	ssdpm__free_names(&names);
}

static void a_real_path_has_no_links(void **state)
{
	struct place *place = *state;
	char real[SSDPM__PATH_BYTES] = "?";

	tree_link(place->root, "sys/class/x", "../../../sys/a");
	assert_int_equal(ssdpm__real_path(place->machine, "sys/class/x/file",
					  real, sizeof(real)),
			 0);
	assert_string_equal(real, "sys/a/file");
	assert_int_equal(ssdpm__real_path(place->machine, "sys/class/x", real,
					  sizeof(real)),
			 0);
	assert_string_equal(real, "sys/a");
	assert_int_equal(ssdpm__real_path(place->machine, "sys/class/x/../a/.",
					  real, sizeof(real)),
			 0);
	assert_string_equal(real, "sys/a");
	strcpy(real, "?");
	assert_int_equal(ssdpm__real_path(place->machine, "sys/class/x/none",
					  real, sizeof(real)),
			 -ENOENT);
	assert_string_equal(real, "?");
}

static void nothing_is_written_without_the_marker(void **state)
{
	struct place *place = *state;
	struct ssdpm_error error = fixture_error();
	char text[16];

	assert_int_equal(ssdpm__check_writable(place->machine, &error), -EROFS);
	fixture_assert_error(&error, -EROFS, 0, "ssdpm-capture");
	assert_int_equal(ssdpm__write_text(place->machine, "sys/a/file", "x"),
			 -EROFS);
	assert_int_equal(ssdpm__open(place->machine, "sys/new",
				     O_RDONLY | O_CREAT, 0600),
			 -EROFS);
	assert_int_equal(
		ssdpm__open(place->machine, "sys/new", O_RDWR | O_CREAT, 0600),
		-EROFS);
	assert_reads(place, "sys/a/file", 0);

	/* A link is no marker, either. */
	tree_link(place->root, "ssdpm-capture", "sys/a/file");
	place_open(place);
	assert_int_equal(place->machine->capture, 1);

	assert_int_equal(unlink(tree_path(place->root, "ssdpm-capture")), 0);
	tree_put(place->root, "ssdpm-capture", "");
	place_open(place);
	assert_int_equal(ssdpm__check_writable(place->machine, NULL), 0);
	assert_int_equal(ssdpm__write_text(place->machine, "sys/a/file", "x"),
			 0);
	assert_int_equal(ssdpm__read_text(place->machine, "sys/a/file", text,
					  sizeof(text)),
			 0);
	assert_string_equal(text, "x");
	assert_int_equal(ssdpm__write_text(place->machine, "sys/absent", "x"),
			 -ENOENT);
}

/* A plan made meanwhile would take an empty file for a missing value. */
static void a_value_of_a_capture_is_the_old_or_the_new_one(void **state)
{
	static const char *const values[2] = { "200000\n", "any\n" };
	struct place place = place_new(false);
	char text[16];
	int status;
	pid_t child;

	(void)state;
	tree_put(place.root, "ssdpm-capture", "");
	ssdpm_machine_unref(place.machine);
	place.machine = tree_machine(place.root);
	assert_int_equal(
		ssdpm__write_text(place.machine, "sys/a/file", values[1]), 0);
	child = fork();
	assert_true(child >= 0);
	for (unsigned int i = 0; !child && i < 20000; i++)
		if (ssdpm__write_text(place.machine, "sys/a/file",
				      values[i % 2]))
			_exit(1);
	if (!child)
		_exit(0);
	do {
		assert_int_equal(ssdpm__read_text(place.machine, "sys/a/file",
						  text, sizeof(text)),
				 0);
		if (strcmp(text, "200000"))
			assert_string_equal(text, "any");
	} while (!waitpid(child, &status, WNOHANG));
	assert_int_equal(status, 0);
	place_free(&place);
}

/* The sender of a capture, or a backup program, may hold locks for hours. */
static void locks_of_others_hold_nobody_up_for_long(void **state)
{
	struct place place = place_new(false);
	char path[256], text[16];
	int fd;

	(void)state;
	tree_put(place.root, "ssdpm-capture", "");
	tree_put(place.root, "n", "100000");
	ssdpm_machine_unref(place.machine);
	place.machine = tree_machine(place.root);
	snprintf(path, sizeof(path), "%s/n", place.root);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	alarm(60);
	assert_int_equal(
		ssdpm__read_text(place.machine, "n", text, sizeof(text)), 0);
	assert_string_equal(text, "100000");
	assert_int_equal(ssdpm__write_text(place.machine, "n", "any"), 0);
	close(fd);
	alarm(0);
	assert_int_equal(
		ssdpm__read_text(place.machine, "n", text, sizeof(text)), 0);
	assert_string_equal(text, "any");
	place_free(&place);
}

static void what_is_made_is_made_under_the_root(void **state)
{
	struct place *place = *state;
	char out[256];
	int fd;

	tree_put(place->root, "ssdpm-capture", "");
	snprintf(out, sizeof(out), "%s/made", place->above);
	tree_link(place->root, "up", "../../made");
	tree_link(place->root, "absolute", out);
	tree_link(place->root, "here", "sys/a/made");
	place_open(place);
	fd = ssdpm__open(place->machine, "up", O_WRONLY | O_CREAT, 0640);
	assert_true(fd >= 0);
	close(fd);
	fd = ssdpm__open(place->machine, "here", O_WRONLY | O_CREAT, 0640);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(ssdpm__open(place->machine, "absolute",
				     O_WRONLY | O_CREAT, 0640),
			 -ENOENT);
	assert_int_equal(ssdpm__open(place->machine, "here",
				     O_WRONLY | O_CREAT | O_EXCL, 0640),
			 -EEXIST);
	assert_int_equal(access(out, F_OK), -1);
	assert_int_equal(access(tree_path(place->root, "made"), F_OK), 0);
	assert_int_equal(access(tree_path(place->root, "sys/a/made"), F_OK), 0);
}

static void a_link_can_be_read_itself(void **state)
{
	struct place *place = *state;
	struct directory at = { .machine = place->machine, .path = "sys" };
	char text[16] = "?";

	tree_link(place->root, "sys/driver", "../bus/drivers/nvme");
	assert_true(ssdpm__get_link(&at, "driver", text, sizeof(text)));
	assert_string_equal(text, "nvme");
	assert_false(ssdpm__get_link(&at, "a", text, sizeof(text)));
	assert_false(ssdpm__get_link(&at, "none", text, sizeof(text)));
	assert_int_equal(at.err, 0);
}

struct log {
	char text[4096];
	uint32_t n;
};

static void take_log(void *userdata, uint32_t level, const char *message)
{
	struct log *log = userdata;

	assert_true(level >= SSDPM_LOG_WARNING && level <= SSDPM_LOG_DEBUG);
	assert_null(strpbrk(message, "\n\033"));
	log->n++;
	strncat(log->text, message, sizeof(log->text) - strlen(log->text) - 2);
	strcat(log->text, "\n");
}

static void the_log_names_each_file_once(void **state)
{
	struct place place = place_new(false);
	struct log log = { 0 };
	char text[16];

	(void)state;
	place.machine->log_fn = take_log;
	place.machine->userdata = &log;
	place.machine->log_level = SSDPM_LOG_INFO;
	ssdpm__read_text(place.machine, "sys/a/file", text, sizeof(text));
	assert_int_equal(log.n, 0);
	place.machine->log_level = SSDPM_LOG_DEBUG;
	ssdpm__read_text(place.machine, "sys/a/file", text, sizeof(text));
	assert_int_equal(log.n, 1);
	assert_non_null(strstr(log.text, "/sys/a/file: 5 bytes"));
	ssdpm__read_text(place.machine, "sys/\033x", text, sizeof(text));
	assert_int_equal(log.n, 2);
	assert_non_null(strstr(log.text, "/sys/?x: not found"));
	ssdpm__write_text(place.machine, "sys/a/file", "val");
	assert_int_equal(log.n, 3);
	assert_non_null(strstr(log.text, "\"val\" to /sys/a/file: read-only"));
	place_free(&place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH_WAYS(links_never_lead_out_of_the_root),
		BOTH_WAYS(links_are_followed_as_linux_does),
		BOTH_WAYS(after_forty_links_it_gives_up),
		BOTH_WAYS(only_files_and_directories_are_opened),
		cmocka_unit_test(a_file_may_be_as_long_as_there_is_room),
		BOTH_WAYS(a_path_may_be_too_long),
		cmocka_unit_test(blanks_at_the_end_of_a_text_go),
		cmocka_unit_test(numbers_are_whole_and_in_their_base),
		BOTH_WAYS(names_are_sorted_by_their_numbers),
		BOTH_WAYS(names_that_no_kernel_gives_are_not_there),
		BOTH_WAYS(a_real_path_has_no_links),
		BOTH_WAYS(nothing_is_written_without_the_marker),
		cmocka_unit_test(
			a_value_of_a_capture_is_the_old_or_the_new_one),
		cmocka_unit_test(locks_of_others_hold_nobody_up_for_long),
		BOTH_WAYS(what_is_made_is_made_under_the_root),
		BOTH_WAYS(a_link_can_be_read_itself),
		cmocka_unit_test(the_log_names_each_file_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
