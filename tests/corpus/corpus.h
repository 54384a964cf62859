/* SPDX-License-Identifier: MIT */
/* What the programs share that read the corpus. */
#ifndef SSDPM_TESTS_CORPUS_H
#define SSDPM_TESTS_CORPUS_H

#include <stddef.h>
#include <stdint.h>

#include <ssdpm.h>

/* Say why and exit: a corpus that is not as it should be proves nothing. */
void die(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));

/* The directory: argv[1], or what SSDPM_SHARED names. */
const char *corpus_directory(int argc, char **argv);

/* Read at most size bytes of a file. Return how many there were. */
size_t read_file(const char *path, uint8_t *data, size_t size);

/* JSON keeps a drive; where says which it is. */
void check_round_trip(const struct ssdpm_model *model, const char *where);

#endif
