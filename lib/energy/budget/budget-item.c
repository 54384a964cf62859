/* SPDX-License-Identifier: MIT */
/* Items of a budget, and those with numbers of the caller. */
#include "budget/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

struct ssdpm_budget_item *ssdpm__budget_item_alloc(size_t n_devices,
						   size_t n_states)
{
	struct ssdpm_budget_item *item = calloc(1, sizeof(*item));

	if (!item)
		return NULL;
	item->refs = 1;
	item->weight_thousandths = 1000;
	item->devices = calloc(n_devices, sizeof(*item->devices));
	item->states = calloc(n_states, sizeof(*item->states));
	if (!item->devices || !item->states)
		return ssdpm_budget_item_unref(item);
	item->n_devices = n_devices;
	return item;
}

static int check(const struct ssdpm_budget_state *states, size_t n,
		 struct ssdpm_error *reterr)
{
	int err = 0;

	if (!n || n > SSDPM_BUDGET_MAX_STATES)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "1 to %d states are needed, not %zu",
				   SSDPM_BUDGET_MAX_STATES, n);
	if (!states)
		return ssdpm__missing("states", reterr);
	for (size_t i = 0; i < n && !err; i++) {
		err = ssdpm__check_reserved(states[i].reserved,
					    "ssdpm_budget_state", reterr);
		if (!err && (states[i].power_uw > SSDPM_BUDGET_MAX ||
			     states[i].loss > SSDPM_BUDGET_MAX))
			err = ssdpm__fail(
				reterr, -EINVAL, 0,
				"state %zu: a power or a loss above 2^40", i);
	}
	return err;
}

int ssdpm_budget_item_from_states(const char *name,
				  const struct ssdpm_budget_state *states,
				  size_t n_states,
				  struct ssdpm_budget_item **ret_item,
				  struct ssdpm_error *reterr)
{
	struct ssdpm_budget_item *item;
	int err = check(states, n_states, reterr);

	if (err)
		return err;
	item = ssdpm__budget_item_alloc(1, n_states);
	if (item && name)
		item->devices->name = strdup(name);
	if (!item || (name && !item->devices->name)) {
		ssdpm_budget_item_unref(item);
		return ssdpm__no_memory(reterr);
	}
	memcpy(item->states, states, n_states * sizeof(*states));
	item->n_states = n_states;
	*ret_item = item;
	return 0;
}

struct ssdpm_budget_item *ssdpm_budget_item_ref(struct ssdpm_budget_item *item)
{
	if (item)
		__atomic_add_fetch(&item->refs, 1, __ATOMIC_RELAXED);
	return item;
}

struct ssdpm_budget_item *ssdpm_budget_item_unref(
	struct ssdpm_budget_item *item)
{
	if (!item || __atomic_sub_fetch(&item->refs, 1, __ATOMIC_ACQ_REL))
		return NULL;
	for (size_t i = 0; i < item->n_devices; i++) {
		free(item->devices[i].name);
		free(item->devices[i].workload);
		ssdpm_model_unref(item->devices[i].model);
	}
	free(item->devices);
	free(item->states);
	free(item);
	return NULL;
}

const struct ssdpm_budget_state *ssdpm_budget_item_get_states(
	const struct ssdpm_budget_item *item, size_t *ret_n)
{
	*ret_n = item->n_states;
	return item->states;
}
