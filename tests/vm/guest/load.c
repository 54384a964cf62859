/* SPDX-License-Identifier: MIT */
/*
 * load DEVICE RATE: reads 4 KiB past the page cache, so many times a second;
 * 0: as often as it can. A signal ends it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void add_ns(struct timespec *t, int64_t ns)
{
	ns += t->tv_nsec;
	t->tv_sec += ns / 1000000000;
	t->tv_nsec = ns % 1000000000;
}

int main(int argc, char **argv)
{
	const int rate = argc == 3 ? atoi(argv[2]) : -1;
	struct timespec next;
	void *buffer;
	int fd;

	if (rate < 0)
		return 2;
	fd = open(argv[1], O_RDONLY | O_DIRECT);
	if (fd < 0 || posix_memalign(&buffer, 4096, 4096)) {
		perror(argv[1]);
		return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (int i = 0;; i++) {
		if (pread(fd, buffer, 4096, i % 1000 * 4096) != 4096) {
			perror("pread");
			return 1;
		}
		if (!rate)
			continue;
		add_ns(&next, 1000000000 / rate);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
}
