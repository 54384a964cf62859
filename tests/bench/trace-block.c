/* SPDX-License-Identifier: MIT */
/*
 * Reading blkparse's text, with the pairing of issues and completions, against
 * a plain loop that counts the newlines of the same bytes.
 */
#include "bench.h"

#define LIMIT 5.0
#define ROUNDS 5
#define TEXT_BYTES ((size_t)100 << 20)
#define QUEUE_DEPTH 16

struct text {
	char *bytes;
	size_t size, room;
	uint64_t sequence, n_ios;
};

struct request {
	uint64_t sector, issued_ns;
	unsigned sectors;
	const char *rwbs;
};

static void put(struct text *text, uint64_t time_ns, char action,
		const struct request *request)
{
	text->sequence++;
	int n = snprintf(text->bytes + text->size, text->room - text->size,
			 "  8,16  %2u %8llu %5llu.%09llu %5u  %c %3s %llu + %u "
			 "[%s]\n",
			 (unsigned)(text->sequence % 8),
			 (unsigned long long)text->sequence,
			 (unsigned long long)(time_ns / 1000000000),
			 (unsigned long long)(time_ns % 1000000000), 4528u,
			 action, request->rwbs,
			 (unsigned long long)request->sector, request->sectors,
			 action == 'C' ? "0" : "java");
	text->size += (size_t)n;
}

static void put_plug(struct text *text, uint64_t time_ns, const char *what)
{
	text->sequence++;
	int n = snprintf(text->bytes + text->size, text->room - text->size,
			 "  8,16  %2u %8llu %5llu.%09llu %5u  %s   N [java]\n",
			 (unsigned)(text->sequence % 8),
			 (unsigned long long)text->sequence,
			 (unsigned long long)(time_ns / 1000000000),
			 (unsigned long long)(time_ns % 1000000000), 4528u,
			 what);
	text->size += (size_t)n;
}

/* As blkparse prints it: Q, G, P, I, U, D, and some time later C. */
static void make_text(struct text *text)
{
	static const char *const rwbs[] = { "R", "R", "RA", "W", "WS", "WSM" };
	struct request queue[QUEUE_DEPTH] = { { 0 } };
	uint64_t seed = 4, now = 20122;

	while (text->room - text->size > 4096) {
		struct request *r = &queue[text->n_ios % QUEUE_DEPTH];

		if (r->sectors)
			put(text, now += 300, 'C', r);
		r->rwbs = rwbs[next_random(&seed) % 6];
		r->sector = next_random(&seed) % 1000000000 * 8;
		r->sectors = 8u << next_random(&seed) % 8;
		put(text, now += 10000 + next_random(&seed) % 90000, 'Q', r);
		put(text, now += 700, 'G', r);
		if (text->n_ios % 4 == 0)
			put_plug(text, now += 300, "P");
		put(text, now += 400, 'I', r);
		if (text->n_ios % 4 == 0)
			put_plug(text, now += 200, "U");
		put(text, now += 900, 'D', r);
		text->n_ios++;
	}
	for (size_t i = 0; i < QUEUE_DEPTH; i++)
		put(text, now += 300, 'C', &queue[i]);
}

static uint64_t count_newlines(const struct text *text)
{
	uint64_t n = 0;

	for (size_t i = 0; i < text->size; i++)
		n += text->bytes[i] == '\n';
	return n;
}

static uint64_t read_ios(const struct text *text)
{
	static struct ssdpm_io ios[4096];
	struct ssdpm_trace *trace;
	uint64_t sum = 0;
	size_t n;

	must(!ssdpm_trace_open_data(text->bytes, text->size, NULL, &trace,
				    NULL),
	     "the text is recognised");
	do {
		must(!ssdpm_trace_read(trace, ios, 4096, &n, NULL),
		     "the text can be read");
		for (size_t i = 0; i < n; i++)
			must(ios[i].service_ns != SSDPM_SERVICE_UNKNOWN,
			     "each issue has its completion");
		sum += n;
	} while (n);
	ssdpm_trace_free(trace);
	return sum;
}

static double best_of(uint64_t (*f)(const struct text *text),
		      const struct text *text, uint64_t expected)
{
	double best = 1e18;

	for (int i = 0; i < ROUNDS; i++) {
		double start = wall_ns();
		uint64_t n = f(text);
		double took = wall_ns() - start;

		must(n == expected, "all was counted");
		if (took < best)
			best = took;
	}
	return best;
}

int main(void)
{
	struct text text = { .room = TEXT_BYTES };

	text.bytes = malloc(text.room);
	must(text.bytes != NULL, "there is memory");
	make_text(&text);
	double ratio = best_of(read_ios, &text, text.n_ios) /
		       best_of(count_newlines, &text, text.sequence);
	free(text.bytes);
	return !keeps("blkparse_vs_newlines", ratio, LIMIT);
}
