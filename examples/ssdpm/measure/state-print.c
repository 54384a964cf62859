/* SPDX-License-Identifier: MIT */
/* The state that an idle power is of, for people. */
#include "measure/measure.h"
#include "text/device.h"

#include <string.h>

#define FIT(fit) (1U << SSDPM_IDLE_FIT_##fit)

struct found {
	const struct ssdpm_model *model;
	const struct ssdpm_idle_state *state;
};

/* "PS3", or "PS2 slumber" of a SATA drive */
static struct cell name_of(const struct found *f, uint32_t state)
{
	return state_text(f->model, state);
}

/* Whether it is in a list of states; the one that the verdict names is not. */
static bool is_listed(const struct ssdpm_idle_state *s, size_t i, unsigned fits)
{
	return fits >> s->states[i].fit & 1 && s->states[i].state != s->state;
}

/* "PS3", "PS2, PS3 or PS4": the states with these fits; false: none. */
static bool add_states(char *to, size_t size, const struct found *f,
		       unsigned fits, const char *last)
{
	const struct ssdpm_idle_state *s = f->state;
	size_t n = 0, left, at;

	for (size_t i = 0; i < s->n_states; i++)
		n += is_listed(s, i, fits);
	left = n;
	for (size_t i = 0; i < s->n_states; i++) {
		if (!is_listed(s, i, fits))
			continue;
		at = strlen(to);
		snprintf(to + at, size - at, "%s%s",
			 left == n ? "" :
			 left > 1  ? ", " :
				     last,
			 name_of(f, s->states[i].state).text);
		left--;
	}
	return n;
}

static void print_likely(const struct found *f)
{
	const struct ssdpm_idle_state *s = f->state;
	char others[256] = "", unknown[256] = "";

	printf("  %s", name_of(f, s->state).text);
	if (add_states(others, sizeof(others), f, FIT(POSSIBLE), " or "))
		printf(" (or %s)", others);
	if (add_states(unknown, sizeof(unknown), f, FIT(UNKNOWN), " and "))
		printf("; the power of %s is unknown", unknown);
	putchar('\n');
}

static void print_several(const struct found *f)
{
	const struct ssdpm_idle_state *s = f->state;
	char states[256] = "";
	size_t n_fit = 0;

	for (size_t i = 0; i < s->n_states; i++)
		n_fit += is_listed(s, i, FIT(NEAR) | FIT(POSSIBLE));
	const bool several = n_fit > 1;
	add_states(states, sizeof(states), f, FIT(NEAR) | FIT(POSSIBLE),
		   " and ");
	printf("  %s %s%s", several ? "cannot tell" : "possibly", states,
	       several ? " apart" : "");
	states[0] = 0;
	if (add_states(states, sizeof(states), f, FIT(UNKNOWN), " and "))
		printf("; the power of %s is unknown", states);
	putchar('\n');
}

static void print_none(const struct found *f)
{
	const struct ssdpm_idle_state *s = f->state;
	if (s->above == UINT32_MAX)
		printf("  none fits: it is above %s\n",
		       name_of(f, s->below).text);
	else if (s->below == UINT32_MAX)
		printf("  none fits: it is below %s\n",
		       name_of(f, s->above).text);
	else
		printf("  none fits: it is between %s and %s\n",
		       name_of(f, s->above).text, name_of(f, s->below).text);
}

static void print_unknown(const struct found *f)
{
	char states[256] = "";

	add_states(states, sizeof(states), f, FIT(UNKNOWN), " and ");
	printf("  unknown: ssdpm knows no power of %s\n", states);
}

static void print_verdict(const struct found *f)
{
	const struct ssdpm_idle_state *s = f->state;
	switch (s->verdict) {
	case SSDPM_IDLE_ONE:
	case SSDPM_IDLE_LIKELY:
		print_likely(f);
		return;
	case SSDPM_IDLE_SEVERAL:
		print_several(f);
		return;
	case SSDPM_IDLE_NONE:
		print_none(f);
		return;
	default:
		print_unknown(f);
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
	const struct found f = { drive->model, s };
	struct table rows;

	printf("%s: %s when idle (%s to %s)%s%s\n", drive->name,
	       watts_text(s->power_w).text, watts_text(s->low_w).text,
	       watts_text(s->high_w).text, power ? " in " : "",
	       power ? power : "");
	print_verdict(&f);
	table_begin(&rows, "<>>><", "state", "low", "nominal", "high", "fits");
	for (size_t i = 0; i < s->n_states; i++) {
		const struct ssdpm_state_power *p = &s->states[i];

		if (p->fit == SSDPM_IDLE_FIT_UNKNOWN)
			table_row(&rows, name_of(&f, p->state).text, "-", "-",
				  "-", "unknown");
		else
			table_row(&rows, name_of(&f, p->state).text,
				  any_power_text(p->low_uw).text,
				  any_power_text(p->nominal_uw).text,
				  any_power_text(p->high_uw).text,
				  fit_words(p->fit));
	}
	table_print(&rows);
	if (power && s->verdict == SSDPM_IDLE_SEVERAL)
		puts("  another level may tell: measure baseline lists when the "
		     "power was\n  higher, and --idle FROM..TO judges such a "
		     "time");
}
