/* SPDX-License-Identifier: MIT */
/* What power caps cost as a page: a verdict and the JSON of each drive. */
#include "html/html.h"
#include "input/power-cap.h"

#include <stdlib.h>

/* That of one drive is at the top; those of many are beside their charts. */
static enum exit_status begin(struct page *page, const struct sim_options *sim,
			      const struct estimates *all, const char *verdict)
{
	struct decision *decisions;
	enum exit_status status;

	if (!all)
		return begin_page(page, "What power caps cost", verdict);
	decisions = decide_all(all, decide_estimate);
	if (!decisions)
		return STATUS_FAILED;
	status = begin_estimates_page(page, verdict, sim, all, decisions);
	free_decisions(decisions, all->n);
	return status;
}

static void add_cap(struct items *items, const struct sim_options *sim,
		    const struct cap_answer *cap)
{
	if (cap->estimate)
		add_estimate(items, sim, cap->estimate, cap);
	else
		add_mix(items, cap);
}

static void put_verdicts(struct page *page, const struct sim_options *sim,
			 const struct cap_answer *caps, size_t n)
{
	fputs(",\n\"cap_verdicts\": [", page->file);
	for (size_t i = 0; i < n && !page->failed; i++) {
		char *text = power_cap_verdict(&caps[i], sim);

		fputs(i ? ",\n" : "", page->file);
		if (text)
			put_string(page->file, text);
		else
			page->failed = out_of_memory();
		free(text);
	}
	putc(']', page->file);
}

static enum exit_status write_caps(const struct plan *plan,
				   const struct page_options *options,
				   const struct estimates *all,
				   const struct cap_answer *caps, size_t n)
{
	const struct sim_options *sim = plan->sim_options;
	char *verdict = n == 1 ? power_cap_verdict(caps, sim) : NULL;
	enum exit_status status =
		n == 1 && !verdict ? out_of_memory() : STATUS_DONE;
	struct items items = { 0 };
	struct page page;

	if (!status)
		status = begin(&page, sim, all, verdict);
	free(verdict);
	if (status)
		return status;
	for (size_t i = 0; i < n; i++)
		add_cap(&items, sim, &caps[i]);
	put_items(&page, "caps", &items);
	put_verdicts(&page, sim, caps, n);
	return end_page(plan->common, options, &page);
}

enum exit_status write_caps_page(const struct plan *plan,
				 const struct page_options *options,
				 const struct estimates *all,
				 const struct cap_answer *caps, size_t n)
{
	return caps ? write_caps(plan, options, all, caps, n) :
		      write_estimates_page(plan, options, all, decide_estimate);
}
