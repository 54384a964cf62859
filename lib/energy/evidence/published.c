/* SPDX-License-Identifier: MIT */
#include "evidence/evidence.h"

#include <string.h>

#include "published.inc"

static bool is_of(const struct published *one, const char *product)
{
	return one->whole ?
		       !strcmp(product, one->product) :
		       !strncmp(product, one->product, strlen(one->product));
}

const struct published *ssdpm__find_published(const struct ssdpm_model *model,
					      uint32_t state)
{
	const struct ssdpm_model_info *info = ssdpm_model_get_info(model);
	size_t n_states;
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(model, &n_states);
	uint32_t link_state = states[state].link_state;

	if (!link_state && state)
		return NULL;
	for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++)
		if (published[i].link_state == link_state &&
		    is_of(&published[i], info->product))
			return &published[i];
	return NULL;
}
