/* SPDX-License-Identifier: MIT */
/*
 * Writes a generated workload as a job of fio. The options are those of fio
 * 3.33. The job names no device; pass --filename to fio.
 */
#include "workload/generator/generator.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

/* The lines of the longest job take half of this. */
#define JOB_BYTES 2048

struct fio_job {
	char text[JOB_BYTES];
	size_t length;
};

static void add(struct fio_job *job, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add(struct fio_job *job, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = vsnprintf(job->text + job->length, JOB_BYTES - job->length,
			  format, args);
	va_end(args);
	assert(n >= 0 && (size_t)n < JOB_BYTES - job->length);
	job->length += (size_t)n;
}

static const char *rw_word(const struct plan_pattern *pattern)
{
	if (pattern->op == SSDPM_OP_READ)
		return pattern->random ? "randread" : "read";
	return pattern->random ? "randwrite" : "write";
}

/* The percentage of a mix's I/Os that the first pattern has. */
static unsigned int percent_first(const struct workload_plan *plan)
{
	uint64_t percent =
		(100 * plan->ratio + plan->ratio / 2) / (plan->ratio + 1);

	return percent < 99 ? (unsigned int)percent : 99;
}

static void add_mix(struct fio_job *job, const struct workload_plan *plan)
{
	const struct plan_pattern *first = &plan->patterns[0];
	const struct plan_pattern *second = &plan->patterns[1];
	unsigned int percent = percent_first(plan);

	add(job,
	    "# fio draws which of the two comes next, in whole percent.\n");
	if (first->op == second->op) {
		add(job, "rw=rand%s\npercentage_random=%u\n",
		    first->op == SSDPM_OP_READ ? "read" : "write",
		    100 - percent);
		return;
	}
	bool reads_first = first->op == SSDPM_OP_READ;
	const struct plan_pattern *reads = reads_first ? first : second;
	const struct plan_pattern *writes = reads_first ? second : first;
	add(job, "rw=%s\nrwmixread=%u\n",
	    reads->random || writes->random ? "randrw" : "rw",
	    reads_first ? percent : 100 - percent);
	if (reads->random != writes->random)
		add(job, "percentage_random=%u,%u\n", reads->random ? 100 : 0,
		    writes->random ? 100 : 0);
}

static void add_pattern(struct fio_job *job, const struct workload_plan *plan)
{
	const struct plan_pattern *pattern = &plan->patterns[0];
	uint64_t step = plan->step;

	if (plan->ratio) {
		add_mix(job, plan);
	} else if (pattern->random || step == STEP_IN_PLACE || step == 1) {
		add(job, "rw=%s\n", rw_word(pattern));
	} else if (step == STEP_BACKWARD) {
		add(job, "# fio begins with the first block, then goes "
			 "backward from the last.\n");
		add(job, "rw=%s:-%" PRIu64 "\n", rw_word(pattern),
		    UINT64_C(2) * plan->bytes);
	} else {
		add(job, "rw=%s:%" PRIu64 "\n", rw_word(pattern),
		    (step - 1) * plan->bytes);
	}
	add(job, "bs=%u\n", plan->bytes);
	if (plan->workload->kind == KIND_ORDER && pattern->random && step > 1 &&
	    step != STEP_BACKWARD)
		add(job, "blockalign=%" PRIu64 "\n", step * plan->bytes);
	if (plan->ratio || pattern->random)
		add(job, "norandommap=1\nrandseed=%" PRIu64 "\n",
		    plan->params.seed);
}

/* Where the I/Os are, and how many. */
static void add_extent(struct fio_job *job, const struct workload_plan *plan)
{
	uint64_t jobs = plan->ratio ? 1 : plan->streams;
	uint64_t size =
		plan->slots * plan->bytes * (plan->ratio ? plan->streams : 1);
	uint64_t n = plan->n_ios / jobs + (plan->n_ios % jobs != 0);
	bool in_place =
		plan->step == STEP_IN_PLACE && !plan->patterns[0].random;

	if (plan->shift_bytes)
		add(job, "offset=%" PRIu64 "\n", plan->shift_bytes);
	if (jobs > 1)
		add(job,
		    "numjobs=%" PRIu64 "\noffset_increment=%" PRIu64 "\n"
		    "group_reporting=1\n",
		    jobs, size);
	if (plan->workload->kind == KIND_CONSISTENCY &&
	    plan->params.area_bytes == 0)
		add(job, "# All of the device: no size.\n");
	else
		add(job, "size=%" PRIu64 "\n", in_place ? plan->bytes : size);
	if (plan->workload->kind == KIND_CONSISTENCY && plan->params.n_ios == 0)
		add(job, "time_based=1\nruntime=%us\n", CONSISTENCY_SECONDS);
	else
		add(job, "io_size=%" PRIu64 "\n", n * plan->bytes);
}

static int add_rhythm(struct fio_job *job, const struct workload_plan *plan,
		      struct ssdpm_error *reterr)
{
	uint64_t pause_us = plan->pause_ns / 1000 + (plan->pause_ns % 1000 > 0);
	uint64_t rate = 0;

	if (plan->workload->kind == KIND_POISSON) {
		rate = plan->bytes * UINT64_C(1000000000) / plan->pause_ns;
		if (rate == 0 || rate > UINT32_MAX)
			return ssdpm__fail(
				reterr, -ERANGE, 0,
				"mean_idle_ns: fio takes 1 to 2^32-1 "
				"bytes per second");
		add(job, "iodepth=64\nrate=%" PRIu64 "\nrate_process=poisson\n",
		    rate);
		return 0;
	}
	/* Each stream is its own job. */
	add(job, "iodepth=%" PRIu64 "\n", plan->streams > 1 ? 1 : plan->depth);
	if (plan->workload->kind == KIND_PARTITIONING && plan->streams > 1)
		add(job, "# fio has one place to go on from per job: a job for "
			 "each part; they\n# take turns, but run at once.\n"
			 "flow=1\n");
	if (plan->burst == 0)
		return 0;
	if (pause_us > UINT32_MAX)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "a pause of %" PRIu64 " us: fio takes up to "
				   "2^32-1",
				   pause_us);
	add(job, "thinktime=%" PRIu64 "us\nthinktime_blocks=%" PRIu64 "\n",
	    pause_us, plan->burst);
	return 0;
}

static int check_fio(const struct workload_plan *plan,
		     struct ssdpm_error *reterr)
{
	uint8_t kind = plan->workload->kind;

	if (kind == KIND_LOMAX || kind == KIND_ON_OFF || kind == KIND_EVERYDAY)
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "fio has no such arrivals as those of %s: "
				   "replay its records as an iolog",
				   plan->workload->name);
	if (plan->n_ios > INT64_MAX / plan->bytes)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "n_ios: fio takes up to 2^63-1 bytes");
	return 0;
}

int ssdpm_generator_to_fio_job(const struct ssdpm_generator_params *params,
			       char **ret_text, struct ssdpm_error *reterr)
{
	struct fio_job job = { .length = 0 };
	struct workload_plan plan;
	int err = ssdpm__plan(params, &plan, reterr);

	if (err == 0)
		err = check_fio(&plan, reterr);
	if (err)
		return err;
	add(&job, "# %s: %s\n# fio --filename=DEVICE THIS_FILE%s\n[%s]\n",
	    plan.workload->name, ssdpm__workload_description(plan.workload),
	    plan.patterns[0].op == SSDPM_OP_WRITE || plan.ratio ?
		    ": overwrites it" :
		    "",
	    plan.workload->name);
	add(&job, "ioengine=libaio\ndirect=1\n");
	add_pattern(&job, &plan);
	add_extent(&job, &plan);
	err = add_rhythm(&job, &plan, reterr);
	if (err)
		return err;
	char *text = malloc(job.length + 1);
	if (!text)
		return ssdpm__no_memory(reterr);
	memcpy(text, job.text, job.length + 1);
	*ret_text = text;
	return 0;
}
