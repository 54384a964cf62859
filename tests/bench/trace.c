/* SPDX-License-Identifier: MIT */
/*
 * Reading delimited text relative to a plain loop that counts the newlines of
 * the same bytes; the worst of several formats counts. Also, the memory for
 * reading a trace of 1 GiB from a pipe.
 */
#include "bench.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define RATIO_LIMIT 8.0
#define MIB_LIMIT 32.0
#define ROUNDS 5
#define TEXT_BYTES ((size_t)32 << 20)
#define CHUNK_BYTES ((size_t)1 << 16)
#define LARGE_BYTES ((uint64_t)1 << 30)
#define LINE_BYTES 128

struct text {
	char *bytes;
	size_t size;
	uint64_t n_lines;
};

struct io {
	uint64_t time_ns, sector, service_ns;
	unsigned sectors;
	int is_read;
};

/* Writes a line and returns its length. */
typedef int write_line(char *line, const struct io *io);

static int write_msr(char *line, const struct io *io)
{
	return snprintf(line, LINE_BYTES, "%llu,usr,0,%s,%llu,%llu,%llu\n",
			128166372000000000ull + io->time_ns / 100,
			io->is_read ? "Read" : "Write", io->sector * 512ull,
			io->sectors * 512ull, io->service_ns / 100ull);
}

static int write_spc(char *line, const struct io *io)
{
	return snprintf(line, LINE_BYTES, "0,%llu,%u,%c,%llu.%06llu\n",
			io->sector + 0ull, io->sectors * 512,
			io->is_read ? 'r' : 'w', io->time_ns / 1000000000ull,
			io->time_ns % 1000000000ull / 1000);
}

static int write_fiu(char *line, const struct io *io)
{
	return snprintf(line, LINE_BYTES,
			"%llu 4253 nfsd %llu %u %c 6 0 "
			"76a36fbad9ccb1e1f6b1b36b1e2ad2d0\n",
			io->time_ns + 0ull, io->sector + 0ull, io->sectors,
			io->is_read ? 'R' : 'W');
}

static int write_mqsim(char *line, const struct io *io)
{
	return snprintf(line, LINE_BYTES, "%llu 0 %llu %u %d\n",
			io->time_ns + 0ull, io->sector + 0ull, io->sectors,
			io->is_read);
}

static int write_blkreplay(char *line, const struct io *io)
{
	return snprintf(line, LINE_BYTES,
			"%7llu.%09llu ; %12llu ; %4u ; %c ; 0.0 ; 0.0\n",
			io->time_ns / 1000000000ull,
			io->time_ns % 1000000000ull, io->sector + 0ull,
			io->sectors, io->is_read ? 'R' : 'W');
}

static int write_own(char *line, const struct io *io)
{
	return snprintf(line, LINE_BYTES, "%llu,%llu,%u,%llu,%s\n",
			io->time_ns + 0ull, io->sector * 512ull,
			io->sectors * 512, io->service_ns + 0ull,
			io->is_read ? "read" : "write");
}

static const struct format {
	const char *name;
	const char *head;
	write_line *write;
} formats[] = {
	{ "msr", "", write_msr },
	{ "spc", "", write_spc },
	{ "fiu", "", write_fiu },
	{ "mqsim", "", write_mqsim },
	{ "blkreplay",
	  "start ; sector; length ; op ;  replay_delay=0 ; replay_duration=0\n",
	  write_blkreplay },
	{ "own", "start_ns,offset,bytes,service_ns,op\n", write_own },
};

static void next_io(struct io *io, uint64_t *seed)
{
	io->time_ns += 10000 + next_random(seed) % 90000;
	io->sector = next_random(seed) % 100000000 * 8;
	io->sectors = 8u << next_random(seed) % 8;
	io->service_ns = 20000 + next_random(seed) % 5000000;
	io->is_read = next_random(seed) % 2;
}

static void make_text(const struct format *format, struct text *text)
{
	struct io io = { 0 };
	uint64_t seed = 7;

	text->size = strlen(format->head);
	memcpy(text->bytes, format->head, text->size);
	text->n_lines = text->size > 0;
	while (text->size + LINE_BYTES < TEXT_BYTES) {
		next_io(&io, &seed);
		text->size += format->write(text->bytes + text->size, &io);
		text->n_lines++;
	}
}

static uint64_t count_newlines(const struct text *text)
{
	uint64_t n = 0;

	for (size_t i = 0; i < text->size; i++)
		n += text->bytes[i] == '\n';
	return n;
}

static uint64_t read_all(struct ssdpm_trace *trace)
{
	static struct ssdpm_io ios[4096];
	size_t n;

	do {
		must(!ssdpm_trace_read(trace, ios, 4096, &n, NULL),
		     "the text can be read");
	} while (n);
	uint64_t n_lines = ssdpm_trace_get_counts(trace)->n_lines;

	ssdpm_trace_free(trace);
	return n_lines;
}

static uint64_t read_text(const struct text *text)
{
	struct ssdpm_trace *trace;

	must(!ssdpm_trace_open_data(text->bytes, text->size, NULL, &trace,
				    NULL),
	     "the text is recognised");
	return read_all(trace);
}

static double best_of(uint64_t (*f)(const struct text *text),
		      const struct text *text)
{
	double best = 1e18;

	for (int i = 0; i < ROUNDS; i++) {
		double start = wall_ns();
		uint64_t n = f(text);
		double took = wall_ns() - start;

		must(n == text->n_lines, "all lines were counted");
		if (took < best)
			best = took;
	}
	return best;
}

static double worst_ratio(void)
{
	struct text text = { .bytes = malloc(TEXT_BYTES) };
	double worst = 0;

	must(text.bytes != NULL, "there is memory");
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		make_text(&formats[i], &text);
		double ratio = best_of(read_text, &text) /
			       best_of(count_newlines, &text);

		printf("%s: %.2f\n", formats[i].name, ratio);
		if (ratio > worst)
			worst = ratio;
	}
	free(text.bytes);
	return worst;
}

/* More than a pipe holds, but never all in memory. */
static void write_large(int fd)
{
	static char chunk[CHUNK_BYTES + LINE_BYTES];
	uint64_t seed = 7, written = 0;
	struct io io = { 0 };

	while (written < LARGE_BYTES) {
		size_t size = 0;

		while (size < CHUNK_BYTES) {
			next_io(&io, &seed);
			size += write_msr(chunk + size, &io);
		}
		for (size_t at = 0; at < size;) {
			ssize_t n = write(fd, chunk + at, size - at);
			must(n > 0, "the pipe takes bytes");
			at += (size_t)n;
		}
		written += size;
	}
}

static void read_large(int fd)
{
	struct ssdpm_trace *trace;

	must(!ssdpm_trace_open(fd, NULL, &trace, NULL),
	     "the pipe is recognised");
	must(read_all(trace) > LARGE_BYTES / LINE_BYTES, "all was read");
}

/*
 * Call it before this process allocates memory, because the child inherits it.
 */
static double large_mib(void)
{
	struct rusage usage;
	int fds[2], status;
	pid_t reader, writer;

	must(!pipe(fds), "there is a pipe");
	reader = fork();
	if (reader == 0) {
		close(fds[1]);
		read_large(fds[0]);
		_exit(0);
	}
	close(fds[0]);
	writer = fork();
	if (writer == 0) {
		write_large(fds[1]);
		_exit(0);
	}
	close(fds[1]);
	must(reader > 0 && writer > 0, "there are processes");
	must(wait4(reader, &status, 0, &usage) == reader && !status,
	     "the reader ends well");
	must(waitpid(writer, &status, 0) == writer && !status,
	     "the writer ends well");
	return (double)usage.ru_maxrss / 1024;
}

int main(void)
{
	double mib = large_mib();
	double ratio = worst_ratio();

	bool fast = keeps("csv_vs_newlines", ratio, RATIO_LIMIT);
	bool small = keeps("trace_1gib_peak_mib", mib, MIB_LIMIT);

	return !fast || !small;
}
