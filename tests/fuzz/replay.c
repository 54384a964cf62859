/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz target over files, and over all files in directories, with any
 * compiler: fuzz-TARGET FILE_OR_DIRECTORY... A missing path has no inputs,
 * because fuzzers have found nothing in most targets.
 */
#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int replay_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = NULL;
	long size = -1;

	if (file && !fseek(file, 0, SEEK_END))
		size = ftell(file);
	/*
	 * Allocate exactly the file's bytes, so that a sanitizer sees every
	 * overrun.
	 */
	if (size >= 0)
		data = malloc(size ? (size_t)size : 1);
	if (data) {
		rewind(file);
		if (fread(data, 1, (size_t)size, file) != (size_t)size)
			size = -1;
	}
	if (file)
		fclose(file);
	if (!data || size < 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(1);
	}
	LLVMFuzzerTestOneInput(data, (size_t)size);
	free(data);
	return 1;
}

static int replay(const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	char inside[4096];
	int n = 0;

	if (!directory)
		return errno == ENOENT ? 0 : replay_file(path);
	while ((entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(inside, sizeof(inside), "%s/%s", path, entry->d_name);
		n += replay_file(inside);
	}
	closedir(directory);
	return n;
}

int main(int argc, char **argv)
{
	int n = 0;

	for (int i = 1; i < argc; i++)
		n += replay(argv[i]);
	printf("%d inputs\n", n);
	return n ? 0 : 1;
}
