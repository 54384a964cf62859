/* SPDX-License-Identifier: MIT */
/* The sentence on top of a page of estimates, and the row that it marks. */
#include "html/html.h"

#include <stdlib.h>

static bool saves(const struct job *job)
{
	return ssdpm_saving_verdict_saves(job->row.likely->verdict);
}

/* Decided savings come first, then those with the larger median. */
static bool is_better(const struct job *job, const struct job *than)
{
	if (saves(job) != saves(than))
		return saves(job);
	return job->row.likely->median_uw > than->row.likely->median_uw;
}

/* The one that likely saves most against the first; NULL: there is no other. */
static const struct job *best_job(const struct estimate *e)
{
	const struct job *best = NULL;

	for (size_t i = 1; i < e->n_jobs; i++) {
		const struct job *job = &e->jobs[i];

		/* min_power lost data: nobody is led to it. */
		if (is_merged(e, i) || !job->row.likely || may_lose_data(job))
			continue;
		if (!best || is_better(job, best))
			best = job;
	}
	return best;
}

static bool costs(const struct job *job)
{
	return job->row.likely->verdict == SSDPM_SAVING_COSTS ||
	       job->row.likely->verdict == SSDPM_SAVING_PROBABLY_COSTS;
}

/* "linux likely takes 315 mW (294 mW to 454 mW); it delays no I/O." */
static char *power_sentence(const struct job *job)
{
	struct ssdpm_prediction p = { .size = sizeof(p) };
	const struct ssdpm_run *run = job->row.result->nominal;
	const char *name = job->policy->name;
	char *text;
	int n;

	if (ssdpm_sim_get_prediction(job->row.sim, &p, NULL))
		return NULL;
	if (p.likely_low_uw == p.likely_high_uw)
		n = asprintf(&text, "%s takes %s; it %s.", name,
			     any_power_text(p.likely_median_uw).text,
			     delays_text(run).text);
	else
		n = asprintf(&text, "%s likely takes %s (%s to %s); it %s.",
			     name, any_power_text(p.likely_median_uw).text,
			     any_power_text(p.likely_low_uw).text,
			     any_power_text(p.likely_high_uw).text,
			     delays_text(run).text);
	return n < 0 ? NULL : text;
}

/* The one that the library advises, NULL: none; it is within the limits of
 * tune.
 */
static const struct job *advised_job(const struct estimate *e)
{
	for (size_t i = 1; i < e->n_jobs; i++)
		if (e->jobs[i].row.advised)
			return &e->jobs[i];
	return NULL;
}

/* "lower-envelope, the best against linux within the limits of ssdpm tune,
 * saves 12 mW (3.1 mW to 25 mW); it delays no I/O." */
static char *advised_sentence(const struct estimate *e, const struct job *job)
{
	char *text;
	int n = asprintf(&text,
			 "%s, the best against %s within the limits of ssdpm "
			 "tune, %s; it %s.",
			 job->policy->name, e->jobs[0].policy->name,
			 saving_text(job->row.likely).text,
			 delays_text(job->row.result->nominal).text);

	return n < 0 ? NULL : text;
}

/* The sentence about the best one, if none is advised. */
static char *saving_sentence(const struct estimate *e, const struct job *best)
{
	const char *first = e->jobs[0].policy->name;
	const struct ssdpm_likely *likely = best->row.likely;
	const char *is =
		likely->verdict == SSDPM_SAVING_NOT_DECIDED ? "is " : "";
	char *text;
	int n;

	if (costs(best))
		n = asprintf(
			&text, "No policy saves against %s: %s, the best, %s.",
			first, best->policy->name, saving_text(likely).text);
	else
		n = asprintf(
			&text, "%s, the best against %s, %s%s; it %s%s.",
			best->policy->name, first, is, saving_text(likely).text,
			delays_text(best->row.result->nominal).text,
			saves(best) ? "; ssdpm tune does not propose it" : "");
	return n < 0 ? NULL : text;
}

struct decision decide_comparison(const struct estimate *e)
{
	const struct job *advised = advised_job(e), *best = best_job(e);

	if (advised)
		return (struct decision){
			.verdict = advised_sentence(e, advised),
			.policy = advised->policy->name,
			.mark = "saves most within limits",
		};
	return (struct decision){
		.verdict = best ? saving_sentence(e, best) :
				  power_sentence(&e->jobs[0]),
	};
}

struct decision decide_estimate(const struct estimate *e)
{
	struct decision d = decide_comparison(e);

	free(d.verdict);
	d.verdict = power_sentence(&e->jobs[0]);
	return d;
}
