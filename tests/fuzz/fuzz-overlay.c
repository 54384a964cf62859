/* SPDX-License-Identifier: MIT */
/* "ssdpm.overlay/1": what is read is written, and read as the same. */
#include "../support/calls.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

struct found {
	struct ssdpm_overlay overlay;
	struct ssdpm_measured measured[SSDPM_MAX_PARAMETERS];
	size_t n;
	struct ssdpm_calibration calibration;
};

static int read_it(const char *text, size_t size, struct found *found,
		   struct ssdpm_error *error)
{
	memset(found, 0, sizeof(*found));
	found->overlay.size = sizeof(found->overlay);
	found->calibration.size = sizeof(found->calibration);
	return read_overlay(text, size, &found->overlay, found->measured,
			    &found->n, &found->calibration, error);
}

static char *write_it(const struct found *found)
{
	char *text = NULL;

	check(!write_overlay(&found->overlay, found->measured, found->n,
			     &found->calibration, &text, NULL),
	      "what was read is written");
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct found found, again;
	struct ssdpm_error error;
	char *text, *second;
	int err = read_it((const char *)data, size, &found, &error);

	if (err) {
		check_error(err, &error);
		check(!found.n && !found.overlay.kind,
		      "failure returns nothing");
		return 0;
	}
	check(found.calibration.n_known <= found.n &&
		      found.calibration.n_measured == found.n &&
		      found.n <= SSDPM_MAX_PARAMETERS,
	      "parameters are counted");
	text = write_it(&found);
	check(!read_it(text, strlen(text), &again, NULL), "it is read again");
	check(!memcmp(&found.overlay, &again.overlay, sizeof(again.overlay)) &&
		      found.n == again.n,
	      "it is the same");
	second = write_it(&again);
	check(!strcmp(text, second), "the text is the same");
	free(second);
	free(text);
	return 0;
}
