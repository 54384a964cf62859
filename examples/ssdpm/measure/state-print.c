/* SPDX-License-Identifier: MIT */
/* The state that an idle power is of, for people. */
#include "measure/measure.h"

#include <string.h>

#define FIT(fit) (1U << SSDPM_IDLE_FIT_##fit)

/* Whether it is in a list of states; the one that the verdict names is not. */
static bool is_listed(const struct ssdpm_idle_state *s, size_t i, unsigned fits)
{
	return fits >> s->states[i].fit & 1 && s->states[i].state != s->state;
}

/* "PS3", "PS2, PS3 or PS4": the states with these fits; false: none. */
static bool add_states(char *to, size_t size, const struct ssdpm_idle_state *s,
		       unsigned fits, const char *last)
{
	size_t n = 0, left, at;

	for (size_t i = 0; i < s->n_states; i++)
		n += is_listed(s, i, fits);
	left = n;
	for (size_t i = 0; i < s->n_states; i++) {
		if (!is_listed(s, i, fits))
			continue;
		at = strlen(to);
		snprintf(to + at, size - at, "%sPS%u",
			 left == n ? "" :
			 left > 1  ? ", " :
				     last,
			 s->states[i].state);
		left--;
	}
	return n;
}

static void print_likely(const struct ssdpm_idle_state *s)
{
	char others[256] = "", unknown[256] = "";

	printf("  PS%u", s->state);
	if (add_states(others, sizeof(others), s, FIT(POSSIBLE), " or "))
		printf(" (or %s)", others);
	if (add_states(unknown, sizeof(unknown), s, FIT(UNKNOWN), " and "))
		printf("; the power of %s is unknown", unknown);
	putchar('\n');
}

static void print_several(const struct ssdpm_idle_state *s)
{
	char states[256] = "";
	size_t n_fit = 0;

	for (size_t i = 0; i < s->n_states; i++)
		n_fit += is_listed(s, i, FIT(NEAR) | FIT(POSSIBLE));
	const bool several = n_fit > 1;
	add_states(states, sizeof(states), s, FIT(NEAR) | FIT(POSSIBLE),
		   " and ");
	printf("  %s %s%s", several ? "cannot tell" : "possibly", states,
	       several ? " apart" : "");
	states[0] = 0;
	if (add_states(states, sizeof(states), s, FIT(UNKNOWN), " and "))
		printf("; the power of %s is unknown", states);
	putchar('\n');
}

static void print_none(const struct ssdpm_idle_state *s)
{
	if (s->above == UINT32_MAX)
		printf("  none fits: it is above PS%u\n", s->below);
	else if (s->below == UINT32_MAX)
		printf("  none fits: it is below PS%u\n", s->above);
	else
		printf("  none fits: it is between PS%u and PS%u\n", s->above,
		       s->below);
}

static void print_unknown(const struct ssdpm_idle_state *s)
{
	char states[256] = "";

	add_states(states, sizeof(states), s, FIT(UNKNOWN), " and ");
	printf("  unknown: ssdpm knows no power of %s\n", states);
}

static void print_verdict(const struct ssdpm_idle_state *s)
{
	switch (s->verdict) {
	case SSDPM_IDLE_ONE:
	case SSDPM_IDLE_LIKELY:
		print_likely(s);
		return;
	case SSDPM_IDLE_SEVERAL:
		print_several(s);
		return;
	case SSDPM_IDLE_NONE:
		print_none(s);
		return;
	default:
		print_unknown(s);
	}
}

static const char *fit_words(uint32_t fit)
{
	switch (fit) {
	case SSDPM_IDLE_FIT_NEAR:
		return "near";
	case SSDPM_IDLE_FIT_POSSIBLE:
		return "possible";
	default:
		return "no";
	}
}

void print_idle_state(const struct drive *drive, const char *power,
		      const struct ssdpm_idle_state *s)
{
	struct table rows;

	printf("%s: %s when idle (%s to %s)%s%s\n", drive->name,
	       watts_text(s->power_w).text, watts_text(s->low_w).text,
	       watts_text(s->high_w).text, power ? " in " : "",
	       power ? power : "");
	print_verdict(s);
	table_begin(&rows, "<>>><", "state", "low", "nominal", "high", "fits");
	for (size_t i = 0; i < s->n_states; i++) {
		const struct ssdpm_state_power *p = &s->states[i];

		if (p->fit == SSDPM_IDLE_FIT_UNKNOWN)
			table_row(&rows, cell("PS%u", p->state).text, "-", "-",
				  "-", "unknown");
		else
			table_row(&rows, cell("PS%u", p->state).text,
				  any_power_text(p->low_uw).text,
				  any_power_text(p->nominal_uw).text,
				  any_power_text(p->high_uw).text,
				  fit_words(p->fit));
	}
	table_print(&rows);
}
