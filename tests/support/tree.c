/* SPDX-License-Identifier: MIT */
#include "remove.h"
#include "tree.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

char *tree_new(void)
{
	char *root = strdup("/tmp/ssdpm-tree-XXXXXX");

	assert_non_null(root);
	assert_non_null(mkdtemp(root));
	return root;
}

void tree_remove(char *root)
{
	assert_int_equal(remove_tree(root), 0);
	free(root);
}

const char *tree_path(const char *root, const char *path)
{
	static char whole[1024];

	assert_true(snprintf(whole, sizeof(whole), "%s/%s", root, path) <
		    (int)sizeof(whole));
	return whole;
}

/* All directories above the last component. */
static void make_way(const char *root, const char *path)
{
	char whole[1024];

	strcpy(whole, tree_path(root, path));
	for (char *at = whole + strlen(root) + 1; (at = strchr(at, '/'));
	     at++) {
		*at = 0;
		if (mkdir(whole, 0755))
			assert_int_equal(errno, EEXIST);
		*at = '/';
	}
}

void tree_put(const char *root, const char *path, const char *text)
{
	FILE *file;

	make_way(root, path);
	file = fopen(tree_path(root, path), "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

void tree_link(const char *root, const char *path, const char *target)
{
	make_way(root, path);
	assert_int_equal(symlink(target, tree_path(root, path)), 0);
}

void tree_mkdir(const char *root, const char *path)
{
	make_way(root, path);
	assert_int_equal(mkdir(tree_path(root, path), 0755), 0);
}

struct ssdpm_machine *tree_machine(const char *root)
{
	struct ssdpm_machine_params params = { .size = sizeof(params),
					       .root = root };
	struct ssdpm_machine *machine;

	assert_int_equal(ssdpm_machine_new(&params, &machine, NULL), 0);
	return machine;
}

struct ssdpm_machine *tree_capture(const char *name)
{
	const char *captures = getenv("SSDPM_CAPTURES");

	assert_non_null(captures);
	return tree_machine(tree_path(captures, name));
}

int tree_count_fds(void)
{
	DIR *directory = opendir("/proc/self/fd");
	int n = 0;

	assert_non_null(directory);
	while (readdir(directory))
		n++;
	closedir(directory);
	return n;
}
