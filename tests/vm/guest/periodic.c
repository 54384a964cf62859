/* SPDX-License-Identifier: MIT */
/*
 * periodic read|flush DEVICE SECONDS PERIOD_MS SECTOR: in each period, reads 4
 * KiB past the page cache. Or writes 4 KiB 16 times into it, and calls fsync().
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void sleep_until(int64_t ns)
{
	const struct timespec t = { ns / 1000000000, ns % 1000000000 };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

int main(int argc, char **argv)
{
	int64_t start, end, period, place, bytes = 0;
	void *buffer;
	int reads, fd;

	if (argc != 6)
		return 2;
	reads = !strcmp(argv[1], "read");
	fd = open(argv[2], reads ? O_RDONLY | O_DIRECT : O_RDWR);
	if (fd < 0 || posix_memalign(&buffer, 4096, 4096)) {
		perror(argv[2]);
		return 1;
	}
	memset(buffer, 7, 4096);
	start = now();
	end = start + atoll(argv[3]) * 1000000000;
	period = atoll(argv[4]) * 1000000;
	place = atoll(argv[5]) * 512;
	for (int64_t at = start; at < end; at += period) {
		sleep_until(at);
		for (int i = 0; i < (reads ? 1 : 16); i++) {
			int64_t offset = place + bytes % (1 << 20);

			if ((reads ? pread(fd, buffer, 4096, offset) :
				     pwrite(fd, buffer, 4096, offset)) !=
			    4096) {
				perror(argv[1]);
				return 1;
			}
			bytes += 4096;
		}
		if (!reads && fsync(fd)) {
			perror("fsync");
			return 1;
		}
	}
	printf("%" PRId64 "\n", bytes);
	return 0;
}
