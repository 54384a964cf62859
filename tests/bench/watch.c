/* SPDX-License-Identifier: MIT */
/*
 * The cost of ssdpm watch for the kernel's text, in pieces as it reads them:
 * time per event, and the peak memory of the process.
 */
#include "bench.h"

#include <string.h>

/* The text of a line costs the kernel more. */
#define MOST_NS_PER_EVENT 800.0
#define MOST_MIB 8.0
#define TEXT_BYTES (64u << 10)
#define N_PIECES 300
#define EVENTS_OF_IO 4

struct text {
	char bytes[TEXT_BYTES];
	size_t size;
	uint64_t n_ios, now_ns, seed;
};

static void put(struct text *text, const char *thread, const char *event,
		unsigned long long sector, const char *rest)
{
	text->now_ns += 1000 + next_random(&text->seed) % 20000;
	text->size += (size_t)snprintf(
		text->bytes + text->size, TEXT_BYTES - text->size,
		"%s [003] d..1. %5llu.%06llu: %s %llu + 8 %s\n", thread,
		(unsigned long long)(text->now_ns / 1000000000),
		(unsigned long long)(text->now_ns % 1000000000 / 1000), event,
		sector, rest);
}

/* An I/O of one of 200 processes; the table has no room for more causes. */
static void put_io(struct text *text)
{
	const unsigned long long sector =
		next_random(&text->seed) % 1000000000 * 8;
	char thread[32], name[16];

	snprintf(name, sizeof(name), "thread%u",
		 (unsigned int)(text->n_ios % 200));
	snprintf(thread, sizeof(thread), "%16s-%-7u", name,
		 (unsigned int)(text->n_ios % 200 + 1000));
	put(text, thread, "block_bio_remap: 259,0 R", sector,
	    "<- (259,2) 2048");
	put(text, thread, "block_bio_queue: 259,0 R", sector, "[thread]");
	put(text, thread, "block_rq_issue: 259,0 R 4096 ()", sector,
	    "none,0,0 [thread]");
	put(text, "          <idle>-0      ", "block_rq_complete: 259,0 R ()",
	    sector, "none,0,0 [0]");
	text->n_ios++;
}

static void fill(struct text *text)
{
	text->size = 0;
	while (TEXT_BYTES - text->size > 1024)
		put_io(text);
}

static struct ssdpm_observation *observe(void)
{
	const struct ssdpm_model_info info = { .size = sizeof(info),
					       .kind = SSDPM_KIND_NVME,
					       .product = "bench",
					       .apsta = 1 };
	const struct ssdpm_power_state states[] = {
		{ .max_power_uw = 5000000 },
		{ .max_power_uw = 5000,
		  .entry_latency_us = 1000,
		  .exit_latency_us = 5000,
		  .flags = SSDPM_STATE_NON_OPERATIONAL },
	};
	const struct ssdpm_apst table = { .sent = 1,
					  .enabled = 1,
					  .entries = { { 100, 1 } } };
	struct ssdpm_observation *observation;
	struct ssdpm_error error;
	struct ssdpm_model *model;
	struct ssdpm_sim_params sim;

	check(ssdpm_model_new(&info, states, 2, &model, &error), &error);
	must(!ssdpm_sim_params_init(&sim, sizeof(sim)), "defaults are there");
	sim.apst = &table;
	const struct ssdpm_observed_params params = { .size = sizeof(params),
						      .model = model,
						      .sim_params = &sim,
						      .major = 259 };
	check(ssdpm_observation_new(&observation, &error), &error);
	check(ssdpm_observation_add_drive(observation, &params, &error),
	      &error);
	ssdpm_model_unref(model);
	return observation;
}

/* getrusage() would include the peak of the parent process. */
static double peak_mib(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	unsigned long kib = 0;
	char line[128];

	must(file, "this process has a status");
	while (!kib && fgets(line, sizeof(line), file))
		sscanf(line, "VmHWM: %lu kB", &kib);
	fclose(file);
	must(kib, "the peak is known");
	return (double)kib / 1024;
}

int main(void)
{
	static struct text text = { .now_ns = 1000000000, .seed = 4 };
	struct ssdpm_observation *observation = observe();
	struct ssdpm_observed drive = { .size = sizeof(drive) };
	struct ssdpm_error error;
	double took_ns = 0;

	for (int i = 0; i < N_PIECES; i++) {
		fill(&text);
		const double start_ns = cpu_ns();
		check(ssdpm_observation_feed(observation, text.bytes, text.size,
					     &error),
		      &error);
		took_ns += cpu_ns() - start_ns;
	}
	check(ssdpm_observation_finish(observation, 0, &error), &error);
	check(ssdpm_observation_get_drive(observation, 0, &drive, &error),
	      &error);
	must(drive.n_ios == text.n_ios, "each I/O was understood");
	ssdpm_observation_free(observation);
	const bool quick = keeps("watch_parse_ns_per_event",
				 took_ns / (double)text.n_ios / EVENTS_OF_IO,
				 MOST_NS_PER_EVENT);
	const bool small = keeps("watch_peak_mib", peak_mib(), MOST_MIB);
	return !(quick && small);
}
