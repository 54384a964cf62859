/* SPDX-License-Identifier: MIT */
/*
 * io DEVICE SECONDS SEED: reads 4 KiB at a time, with gaps of all sizes. It
 * prints the start and the end of each read, in ns of CLOCK_MONOTONIC.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/*
 * From 1 ms to 100 s, equally likely in each power of ten; short ones in
 * bursts.
 */
static int64_t gap_ns(void)
{
	static const int64_t decade[] = { 1000000, 10000000, 100000000,
					  1000000000, 10000000000 };
	int64_t base = decade[random() % 5];

	return base + (int64_t)(base * 9.0 * (double)random() / RAND_MAX);
}

int main(int argc, char **argv)
{
	int64_t end, before, after, gap;
	struct timespec t;
	void *buffer;
	int fd;

	if (argc != 4)
		return 2;
	fd = open(argv[1], O_RDONLY | O_DIRECT);
	if (fd < 0 || posix_memalign(&buffer, 4096, 4096)) {
		perror(argv[1]);
		return 1;
	}
	end = now() + atoll(argv[2]) * INT64_C(1000000000);
	srandom((unsigned int)atoi(argv[3]));
	while (now() < end) {
		before = now();
		if (pread(fd, buffer, 4096, random() % 1000 * 4096) != 4096) {
			perror("pread");
			return 1;
		}
		after = now();
		printf("%" PRId64 " %" PRId64 "\n", before, after);
		gap = gap_ns();
		t.tv_sec = gap / 1000000000;
		t.tv_nsec = gap % 1000000000;
		nanosleep(&t, NULL);
	}
	return 0;
}
