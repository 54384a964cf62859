/* SPDX-License-Identifier: MIT */
/* A suspend as JSON: suspend.keys has what is written. */
#include <stdlib.h>

#include "base/internal.h"
#include "base/json-text.h"
#include "suspend/internal.h"

struct told_suspend {
	struct ssdpm_suspend_verdict verdict;
	const struct ssdpm_suspend_evidence *evidence;
	size_t n_evidence;
	const struct ssdpm_suspend_remedy *remedies;
	size_t n_remedies;
	struct told_suspended *drives;
	size_t n_drives;
};

struct told_suspended {
	const struct ssdpm_device_facts *facts;
	const struct ssdpm_device_facts *link; /* NULL: it is unknown */
	char *plan;
};

#include "suspend-json.h"

static int tell_drives(struct told_suspend *told,
		       const struct ssdpm_suspend_params *params,
		       struct ssdpm_error *reterr)
{
	const size_t n = params->n_drives;
	int err = 0;

	told->drives = calloc(n + 1, sizeof(*told->drives));
	if (!told->drives)
		return ssdpm__no_memory(reterr);
	told->n_drives = n;
	for (size_t i = 0; i < n && !err; i++) {
		const struct ssdpm_device_facts *facts =
			params->drives[i].facts;

		told->drives[i].facts = facts;
		if (facts->kind == SSDPM_KIND_NVME &&
		    facts->known & SSDPM_FACT_PCIE)
			told->drives[i].link = facts;
		err = ssdpm_suspend_explain_plan(params, i,
						 told->verdict.outcome,
						 &told->drives[i].plan, reterr);
	}
	return err;
}

static int write_text(const struct told_suspend *told, char **ret_text,
		      struct ssdpm_error *reterr)
{
	struct json_writer w = { 0 };

	ssdpm__json_begin(&w, NULL, '{');
	write_suspend(&w, told);
	ssdpm__json_end(&w, '}');
	return ssdpm__json_finish(&w, ret_text, reterr);
}

int ssdpm_suspend_to_json(const struct ssdpm_suspend_params *params,
			  char **ret_text, struct ssdpm_error *reterr)
{
	struct suspend_input input;
	struct told_suspend told = { .verdict.size = sizeof(told.verdict) };
	struct ssdpm_suspend_evidence *evidence = NULL;
	struct ssdpm_suspend_remedy *remedies = NULL;
	int err = ssdpm__suspend_params(&input, params, reterr);

	if (!err)
		err = ssdpm_suspend_judge(params, &told.verdict, &evidence,
					  &told.n_evidence, reterr);
	if (!err)
		err = ssdpm_suspend_get_remedies(params, told.verdict.outcome,
						 &remedies, &told.n_remedies,
						 reterr);
	if (!err)
		err = tell_drives(&told, &input.params, reterr);
	if (!err) {
		told.evidence = evidence;
		told.remedies = remedies;
		err = write_text(&told, ret_text, reterr);
	}
	for (size_t i = 0; i < told.n_drives; i++)
		free(told.drives[i].plan);
	free(told.drives);
	free(remedies);
	free(evidence);
	return err;
}
