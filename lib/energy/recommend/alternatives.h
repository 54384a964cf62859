/* SPDX-License-Identifier: MIT */
/* Advises one of the settings that a drive can have. */
#ifndef SSDPM_LIB_RECOMMEND_ALTERNATIVES_H
#define SSDPM_LIB_RECOMMEND_ALTERNATIVES_H

#include <ssdpm/energy/likely.h>
#include <ssdpm/energy/recommend.h>

/* Link policies that may be advised, the default of Linux first. */
enum { N_LINK_POLICIES = 3 };

/* Returns how many. The last one never sleeps, and needs may_cost. */
size_t ssdpm__link_policies(bool may_cost, uint32_t lpms[N_LINK_POLICIES]);

/* A setting, and its results on a drive. */
struct alternative {
	const struct ssdpm_run *run; /* nominal */
	/* The saving against today's setting; NULL: not considered. */
	const struct ssdpm_likely *likely;
	uint64_t exit_us;  /* of its states, the longest */
	bool never_sleeps; /* considered if today's is beyond the bounds */
};

struct alternatives {
	const struct alternative *all; /* the first one is today's */
	size_t n;
	const struct ssdpm_bounds *bounds;
	bool risks_data; /* today's has lost data */
};

/* The setting to advise, and enum ssdpm_advice on it. */
struct chosen {
	size_t index; /* 0: none but today's */
	uint32_t advice;
	bool today_keeps_bounds;
};

/* Whether a setting is within the bounds. */
bool ssdpm__keeps_alternative(const struct alternatives *from, size_t index);

struct chosen ssdpm__choose_alternative(const struct alternatives *from);

#endif
