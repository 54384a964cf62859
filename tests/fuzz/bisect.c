/* SPDX-License-Identifier: MIT */
/* Searches as text, and lines of the kernel's log. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_search(const struct ssdpm_bisect *bisect)
{
	struct ssdpm_bisect_state state = { .size = sizeof(state) };

	check(!ssdpm_bisect_get_state(bisect, &state, NULL), "it has a state");
	check(ssdpm_bisect_decision_to_string(state.decision),
	      "a decision has a name");
	check(state.running == (ssdpm_bisect_get_token(bisect) != NULL),
	      "a trial that runs has a token");
	check(!state.running || state.decision == SSDPM_BISECT_SEARCHING,
	      "no trial runs after the end");
	for (size_t i = 0; ssdpm_bisect_get_suspect(bisect, i); i++)
		check(ssdpm_bisect_get_step_name(
			      bisect, i, ssdpm_bisect_get_step(bisect, i)),
		      "a step to set is one of the suspect");
	for (uint32_t i = 0; i < state.n_culprits; i++) {
		uint32_t suspect, step;

		check(!ssdpm_bisect_get_culprit(bisect, i, &suspect, &step,
						NULL),
		      "a culprit is there");
		check(step && ssdpm_bisect_get_step_name(bisect, suspect, step),
		      "a culprit is a step above the safest");
	}
}

/* As it is written, it is read again. */
static void check_text(const struct ssdpm_bisect *bisect)
{
	struct ssdpm_bisect *again;
	char *text, *same;

	check(!ssdpm_bisect_to_text(bisect, &text, NULL), "there is memory");
	check(!ssdpm_bisect_from_text(text, strlen(text), &again, NULL),
	      "what is written can be read");
	check(!ssdpm_bisect_to_text(again, &same, NULL), "there is memory");
	check(!strcmp(text, same), "and is the same");
	ssdpm_bisect_free(again);
	free(same);
	free(text);
}

/* With the checksum that the input needs, or as it is. */
static int read_search(const uint8_t *data, size_t size,
		       struct ssdpm_bisect **ret_bisect,
		       struct ssdpm_error *error)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
	char *text = malloc(size + 32);
	size_t n = size;
	int err;

	if (!text)
		abort();
	for (size_t i = 0; i < size; i++)
		sum = (sum ^ data[i]) * UINT64_C(0x100000001b3);
	if (size)
		memcpy(text, data, size);
	if (size && data[size - 1] == '\n')
		n += (size_t)snprintf(text + size, 32, "end %016llx\n",
				      (unsigned long long)sum);
	err = ssdpm_bisect_from_text(text, n, ret_bisect, error);
	free(text);
	return err;
}

int fuzz_bisect(const uint8_t *data, size_t size)
{
	struct ssdpm_error error = { 0 };
	struct ssdpm_bisect *bisect;
	int err = read_search(data, size, &bisect, &error);

	if (err) {
		check_error(err, &error);
		return 0;
	}
	check_search(bisect);
	check_text(bisect);
	ssdpm_bisect_free(bisect);
	return 0;
}

int fuzz_faults(const uint8_t *data, size_t size)
{
	struct ssdpm_fault fault = { .size = sizeof(fault) };
	uint64_t n;

	check(!ssdpm_fault_from_line((const char *)data, size, &fault, NULL),
	      "any line can be read");
	check(memchr(fault.device, 0, sizeof(fault.device)),
	      "the name of a device ends");
	check(!fault.kind == !fault.device[0], "a sign has a device");
	check(!fault.kind || ssdpm_fault_kind_to_string(fault.kind),
	      "a sign has a name");
	ssdpm_fault_count_aer((const char *)data, size, &n, NULL);
	return 0;
}
