/* SPDX-License-Identifier: MIT */
/*
 * Real traces with issues and completions. A script of a few lines counted the
 * sums in the files, by sorting events by time and pairing them. This test also
 * pairs the text slowly and plainly, record for record.
 */
#include "corpus.h"

#include <ssdpm-energy.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_IOS 20000

static const struct expected {
	const char *file;
	uint32_t format;
	uint32_t n_wrapped;
	size_t n;
	size_t n_reads;
	uint64_t first_ns, last_ns;
	uint64_t service_ns; /* their sum; 0: unknown */
	uint64_t bytes;
	bool slowly_too;
} traces[] = {
	{ "ycsb_btrfs.blkparse.txt", SSDPM_TRACE_BLKPARSE, 0, 1824, 1301, 32064,
	  1071280094801, 10946101469, 1307258880, true },
	{ "ycsb_f2fs.blkparse.txt.gz", SSDPM_TRACE_BLKPARSE, 0, 5727, 4722,
	  24673, 1651022740858, 17497208957, 977010688, true },
	/* Completions only, 196 of them before the clock began. */
	{ "leveldb_blk_data.txt", SSDPM_TRACE_BLKPARSE, 196, 840, 0, 0,
	  30735180154, 0, 431104, false },
	{ "sample.blktrace.0", SSDPM_TRACE_BLKTRACE, 0, 963, 963,
	  175669815003020, 175670160490414, 53878701, 3944448, false },
	{ "heatmap_iosnoop_example.txt", SSDPM_TRACE_BIOSNOOP, 0, 15288, 15288,
	  9339819884000, 9460187620000, 61059021000, 0, false },
};

static struct ssdpm_io ios[MAX_IOS];

static size_t read_trace(const char *path, struct ssdpm_trace_counts *counts)
{
	struct ssdpm_trace *trace;
	struct ssdpm_error error;
	size_t n = 0, more = 1;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		die("%s: cannot be opened", path);
	if (ssdpm_trace_open(fd, NULL, &trace, &error))
		die("%s: %s", path, error.message);
	for (; more; n += more)
		if (ssdpm_trace_read(trace, ios + n, MAX_IOS - n, &more,
				     &error))
			die("%s: line %u: %s", path, error.line, error.message);
	*counts = *ssdpm_trace_get_counts(trace);
	ssdpm_trace_free(trace);
	close(fd);
	return n;
}

static void check_sums(const char *path, const struct expected *expected,
		       size_t n)
{
	uint64_t bytes = 0, service_ns = 0, n_reads = 0;

	for (size_t i = 0; i < n; i++) {
		bytes += ios[i].bytes;
		n_reads += ios[i].op == SSDPM_OP_READ;
		if (ios[i].service_ns != SSDPM_SERVICE_UNKNOWN)
			service_ns += ios[i].service_ns;
		if ((ios[i].service_ns == SSDPM_SERVICE_UNKNOWN) !=
		    (expected->service_ns == 0))
			die("%s: record %zu: its service", path, i);
		if (i && ios[i].start_ns < ios[i - 1].start_ns)
			die("%s: record %zu: not in order", path, i);
	}
	if (n != expected->n || n_reads != expected->n_reads ||
	    bytes != expected->bytes || service_ns != expected->service_ns ||
	    ios[0].start_ns != expected->first_ns ||
	    ios[n - 1].start_ns != expected->last_ns)
		die("%s: %zu records, %llu of them read, %llu bytes, %llu ns, "
		    "from %llu to %llu",
		    path, n, (unsigned long long)n_reads,
		    (unsigned long long)bytes, (unsigned long long)service_ns,
		    (unsigned long long)ios[0].start_ns,
		    (unsigned long long)ios[n - 1].start_ns);
}

static void check_counts(const char *path, const struct expected *expected,
			 const struct ssdpm_trace_counts *counts)
{
	if (counts->format != expected->format)
		die("%s: taken for %s", path,
		    ssdpm_trace_format_to_string(counts->format));
	if (counts->n_wrapped != expected->n_wrapped)
		die("%s: %llu wrapped times", path,
		    (unsigned long long)counts->n_wrapped);
	if (counts->n_unmatched || counts->n_orphans || counts->n_bad ||
	    counts->n_backward || counts->n_saturated)
		die("%s: something bad was counted", path);
}

struct event {
	unsigned long long ns, sector;
	unsigned sectors;
	char action, op;
	bool taken;
};

static struct event events[2 * MAX_IOS];

static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return (x->action == 'C') - (y->action == 'C');
}

static size_t read_events(const char *path)
{
	char command[4200], line[400], action[3], rwbs[8];
	unsigned long long seconds, ns;
	size_t n = 0;

	snprintf(command, sizeof(command), "gzip -cdf '%s'", path);
	FILE *file = popen(command, "r");
	if (!file)
		die("%s: cannot be opened", path);
	while (fgets(line, sizeof(line), file)) {
		struct event *e = &events[n];

		if (sscanf(line,
			   "%*u,%*u %*u %*u %llu.%llu %*u %2s %7s %llu + %u",
			   &seconds, &ns, action, rwbs, &e->sector,
			   &e->sectors) != 6 ||
		    !strchr("DC", action[0]))
			continue;
		e->ns = seconds * 1000000000 + ns;
		e->action = action[0];
		e->op = rwbs[0];
		e->taken = false;
		n++;
	}
	pclose(file);
	qsort(events, n, sizeof(events[0]), by_time);
	return n;
}

static struct event *find_completion(const struct event *issue, size_t left)
{
	for (size_t i = 1; i < left; i++) {
		struct event *e = &events[issue - events + i];

		if (e->action == 'C' && !e->taken && e->op == issue->op &&
		    e->sector == issue->sector && e->sectors == issue->sectors)
			return e;
	}
	return NULL;
}

static void pair_slowly(const char *path, size_t n_records)
{
	size_t n = read_events(path), record = 0;

	for (size_t i = 0; i < n; i++) {
		struct event *e = &events[i], *c;

		if (e->action == 'C')
			continue;
		c = find_completion(e, n - i);
		if (!c || record == n_records)
			die("%s: paired otherwise, issue %zu", path, record);
		c->taken = true;
		const struct ssdpm_io *io = &ios[record++];
		if (io->start_ns != e->ns || io->service_ns != c->ns - e->ns ||
		    io->offset != e->sector * 512 ||
		    io->bytes != e->sectors * 512 ||
		    io->op != (e->op == 'R' ? SSDPM_OP_READ : SSDPM_OP_WRITE))
			die("%s: record %zu is another", path, record - 1);
	}
	if (record != n_records)
		die("%s: %zu records, paired slowly", path, record);
}

int main(int argc, char **argv)
{
	const char *directory = corpus_directory(argc, argv);
	const size_t n_traces = sizeof(traces) / sizeof(traces[0]);

	for (size_t i = 0; i < n_traces; i++) {
		struct ssdpm_trace_counts counts;
		char path[4096];

		snprintf(path, sizeof(path), "%s/data/traces/%s", directory,
			 traces[i].file);
		size_t n = read_trace(path, &counts);
		check_counts(path, &traces[i], &counts);
		check_sums(path, &traces[i], n);
		if (traces[i].slowly_too)
			pair_slowly(path, n);
	}
	printf("%zu traces\n", n_traces);
	return 0;
}
