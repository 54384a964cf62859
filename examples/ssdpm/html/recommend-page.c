/* SPDX-License-Identifier: MIT */
/* The page of recommend: what is recommended beside what people compare. */
#include "work/advise.h"

#include <stdlib.h>
#include <string.h>

/* That of today is kept, and the port does not say what it is. */
static bool is_unknown_policy(const struct ssdpm_recommendation *r)
{
	return r->route == SSDPM_ROUTE_LINK_POLICY && !r->lpm;
}

/* What was recommended, as a policy to simulate. */
static struct policy policy_of_route(const struct ssdpm_recommendation *r)
{
	if (r->route == SSDPM_ROUTE_LINK_POLICY)
		return (struct policy){
			.name = ssdpm_route_to_string(r->route),
			.what = { .size = sizeof(struct ssdpm_policy),
				  .kind = SSDPM_POLICY_LPM,
				  .lpm = r->lpm },
		};
	return policy_of_table(ssdpm_route_to_string(r->route), &r->apst);
}

/* A drive on a page, for which all is simulated once more. */
struct shown {
	struct drive drive; /* borrowed */
	struct policy policies[MAX_POLICIES];
	struct estimates estimates;
};

/*
 * The policy that savings are against, the recommended ones, and those that
 * people compare.
 */
static enum exit_status list_shown(const struct common *common,
				   const struct advice *a,
				   struct policy *policies, size_t *ret_n)
{
	const struct ssdpm_recommendation *r;
	struct ssdpm_apst_params params;
	enum exit_status status = STATUS_DONE;
	const char *name;
	size_t n = 0;

	policies[n++] = a->from;
	for (size_t i = 0; (r = route_of(a, i)); i++)
		if (r->possible && !is_unknown_policy(r))
			policies[n++] = policy_of_route(r);
	ssdpm_apst_params_init(&params, sizeof(params));
	for (size_t i = 0; !status && (name = ssdpm_policy_get_common(0, i));
	     i++)
		if (strcmp(name, policies[0].name))
			status = parse_policy(common, "policy", name, &params,
					      &policies[n++]);
	*ret_n = n;
	return status;
}

static enum exit_status show(const struct plan *plan,
			     const struct recommend_options *settings,
			     const struct advice *a, struct shown *shown)
{
	struct common quiet = *plan->common;
	const struct drives drives = { .drives = &shown->drive, .n = 1 };
	struct plan page = *plan;
	enum exit_status status;

	shown->drive = *a->subject->drive;
	quiet.quiet = true; /* all was said the first time */
	page.common = &quiet;
	page.policies = shown->policies;
	page.timelines = true;
	page.one_of_many = true;
	status = list_shown(&quiet, a, shown->policies, &page.n_policies);
	return status ? status :
			run_plan(&page, &drives, &settings->trace_name, 1,
				 &shown->estimates);
}

static enum exit_status write_page(const struct common *common,
				   const struct recommend_options *settings,
				   const struct advice *advices,
				   const struct estimates *all)
{
	struct decision *decisions = calloc(all->n + 1, sizeof(*decisions));
	struct items items = { 0 };
	enum exit_status status = STATUS_DONE;
	struct page page;

	for (size_t i = 0; decisions && i < all->n; i++) {
		decisions[i] = decide_advice(&advices[i]);
		if (!decisions[i].verdict)
			status = STATUS_FAILED;
	}
	if (!decisions || status)
		status = out_of_memory();
	if (!status)
		status = begin_estimates_page(&page, NULL, &settings->sim, all,
					      decisions);
	free_decisions(decisions, all->n);
	if (status)
		return status;
	for (size_t i = 0; i < all->n; i++)
		add_advice(&items, &advices[i], &settings->sim, true);
	put_items(&page, "recommendations", &items);
	return end_page(common, &settings->page, &page);
}

enum exit_status write_recommend_page(const struct plan *plan,
				      const struct recommend_options *settings,
				      const struct advice *advices, size_t n)
{
	struct shown *shown = calloc(n, sizeof(*shown));
	struct estimates all = {
		.estimates = calloc(n, sizeof(*all.estimates)),
		.n = n,
	};
	enum exit_status status =
		shown && all.estimates ? STATUS_DONE : out_of_memory();

	for (size_t i = 0; i < n && !status; i++) {
		status = show(plan, settings, &advices[i], &shown[i]);
		if (!status)
			all.estimates[i] = shown[i].estimates.estimates[0];
	}
	if (!status)
		status = write_page(plan->common, settings, advices, &all);
	for (size_t i = 0; shown && i < n; i++)
		free_estimates(&shown[i].estimates);
	free(all.estimates);
	free(shown);
	return status;
}
