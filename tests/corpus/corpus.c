/* SPDX-License-Identifier: MIT */
#include "corpus.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

const char *corpus_directory(int argc, char **argv)
{
	const char *directory = argc > 1 ? argv[1] : getenv("SSDPM_SHARED");

	if (!directory || !*directory)
		die("Where is the corpus? Set SSDPM_SHARED.");
	return directory;
}

size_t read_file(const char *path, uint8_t *data, size_t size)
{
	FILE *file = fopen(path, "rb");
	size_t n;

	if (!file)
		die("%s: %s", path, strerror(errno));
	n = fread(data, 1, size, file);
	fclose(file);
	return n;
}
