/* SPDX-License-Identifier: MIT */
/* The answer to a budget as a page: its JSON, with a verdict. */
#include "work/budget.h"

#include <stdlib.h>

enum exit_status write_budget_page(const struct common *common,
				   const struct page_options *options,
				   const struct budget *budget)
{
	char *verdict = budget_verdict(budget);
	enum exit_status status = verdict ? STATUS_DONE : out_of_memory();
	struct items items = { 0 };
	struct page page;

	if (!status)
		status = begin_page(&page, "Drives in a power budget", verdict);
	free(verdict);
	if (status)
		return status;
	add_budget(&items, budget);
	put_items(&page, "budgets", &items);
	return end_page(common, options, &page);
}
