/* SPDX-License-Identifier: MIT */
/* Which of the settings that a drive can have is advised. */
#ifndef SSDPM_LIB_RECOMMEND_ALTERNATIVES_H
#define SSDPM_LIB_RECOMMEND_ALTERNATIVES_H

#include <ssdpm/energy/likely.h>
#include <ssdpm/energy/recommend.h>

/* Link policies that may be advised, the default of Linux first. */
enum { N_LINK_POLICIES = 3 };

/* Returns how many: the last one, which never sleeps, only with may_cost. */
size_t ssdpm__link_policies(bool may_cost, uint32_t lpms[N_LINK_POLICIES]);

/* A setting, and what becomes of a drive that has it. */
struct alternative {
	const struct ssdpm_run *run; /* nominal */
	/* What it saves against that of today; NULL: it is not considered. */
	const struct ssdpm_likely *likely;
	uint64_t exit_us;  /* no state that it allows takes longer to leave */
	bool never_sleeps; /* considered if today's is beyond the bounds */
};

struct alternatives {
	const struct alternative *all; /* the first one is that of today */
	size_t n;
	const struct ssdpm_bounds *bounds;
	bool risks_data; /* that of today has lost data */
};

/* The one to advise, and enum ssdpm_advice on it. */
struct chosen {
	size_t index; /* 0: there is none but that of today */
	uint32_t advice;
	bool today_keeps_bounds;
};

/* Whether one is within the bounds. */
bool ssdpm__keeps_alternative(const struct alternatives *from, size_t index);

struct chosen ssdpm__choose_alternative(const struct alternatives *from);

#endif
