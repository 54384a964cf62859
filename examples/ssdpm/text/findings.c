/* SPDX-License-Identifier: MIT */
/* show --lint: what is odd in a drive. */
#include "programs.h"

#include <stdlib.h>
#include <string.h>

/* The findings of one drive, or a complaint. */
static enum exit_status lint(const struct drive *drive,
			     struct ssdpm_finding **ret_findings, size_t *ret_n)
{
	struct ssdpm_error error;

	if (!ssdpm_model_lint(drive->model, ret_findings, ret_n, &error))
		return STATUS_DONE;
	return failure("%s: %s", drive->name, error.message);
}

/* Longer than a cell of a table: the message is left as wide as it is. */
enum exit_status print_findings(const struct drive *drive)
{
	struct ssdpm_finding *findings;
	enum exit_status status;
	size_t n, width = 0;

	status = lint(drive, &findings, &n);
	if (status)
		return status;
	for (size_t i = 0; i < n; i++) {
		size_t length =
			strlen(ssdpm_finding_code_to_string(findings[i].code));

		width = length > width ? length : width;
	}
	putchar('\n');
	for (size_t i = 0; i < n; i++)
		printf("  %-*s  %s\n", (int)width,
		       ssdpm_finding_code_to_string(findings[i].code),
		       findings[i].message);
	if (!n)
		puts("  nothing is odd");
	free(findings);
	return STATUS_DONE;
}

int findings_json(const struct ssdpm_model *model, char **ret_text,
		  struct ssdpm_error *reterr)
{
	struct ssdpm_finding *findings;
	size_t n;
	int err = ssdpm_model_lint(model, &findings, &n, reterr);

	if (err)
		return err;
	err = ssdpm_findings_to_json(findings, n, ret_text, reterr);
	free(findings);
	return err;
}
