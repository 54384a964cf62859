/* SPDX-License-Identifier: MIT */
/* A search as JSON: bisect.keys has what is written. */
#include "bisect/internal.h"

#include <errno.h>
#include <string.h>

#include "base/internal.h"
#include "base/json-text.h"

struct told_suspect {
	const struct bisect_suspect *suspect;
	uint32_t step;
};

struct told_trial {
	const struct ssdpm_bisect *bisect;
	const struct ssdpm_bisect_trial *trial;
};

struct told_culprit {
	const struct ssdpm_bisect *bisect;
	size_t index;
	const char *name;
	const char *step;
};

struct told_candidate {
	const char *name;
	const char *step;
};

struct unrestored {
	const struct bisect_suspect *suspect;
};

struct searched_device {
	const char *text;
};

struct told_devices {
	const char *const *texts;
	size_t n;
};

static struct ssdpm_bisect_state get_state(const struct ssdpm_bisect *bisect)
{
	struct ssdpm_bisect_state state = { .size = sizeof(state) };

	ssdpm_bisect_get_state(bisect, &state, NULL);
	return state;
}

static const char *step_of_suspect(const struct told_suspect *s, size_t step)
{
	return s->suspect->steps[step];
}

static const char *step_of_trial(const struct told_trial *t, size_t suspect)
{
	return ssdpm_bisect_get_step_name(t->bisect, suspect,
					  t->trial->steps[suspect]);
}

static bool get_suspect(const struct ssdpm_bisect *bisect, size_t i,
			struct told_suspect *ret)
{
	*ret = (struct told_suspect){ &bisect->suspects[i],
				      ssdpm_bisect_get_step(bisect, i) };
	return true;
}

static bool get_trial(const struct ssdpm_bisect *bisect, size_t i,
		      struct told_trial *ret)
{
	*ret = (struct told_trial){ bisect, &bisect->trials[i] };
	return true;
}

static bool get_culprit(const struct ssdpm_bisect *bisect, size_t i,
			struct told_culprit *ret)
{
	uint32_t suspect, step;

	if (ssdpm_bisect_get_culprit(bisect, i, &suspect, &step, NULL))
		return false;
	ret->bisect = bisect;
	ret->index = i;
	ret->name = ssdpm_bisect_get_suspect(bisect, suspect);
	ret->step = ssdpm_bisect_get_step_name(bisect, suspect, step);
	return true;
}

static bool get_candidate(const struct ssdpm_bisect *bisect, size_t i,
			  struct told_candidate *ret)
{
	uint32_t suspect, step;

	if (ssdpm_bisect_get_candidate(bisect, i, &suspect, &step, NULL))
		return false;
	ret->name = ssdpm_bisect_get_suspect(bisect, suspect);
	ret->step = ssdpm_bisect_get_step_name(bisect, suspect, step);
	return true;
}

/* The next suspect from *i on that is not restored. */
static const struct bisect_suspect *next_unrestored(
	const struct ssdpm_bisect *bisect, size_t *i)
{
	while (*i < bisect->n_suspects && !bisect->suspects[*i].before[0])
		++*i;
	return *i < bisect->n_suspects ? &bisect->suspects[(*i)++] : NULL;
}

static size_t count_unrestored(const struct ssdpm_bisect *bisect)
{
	size_t n = 0, i = 0;

	while (next_unrestored(bisect, &i))
		n++;
	return n;
}

static bool get_unrestored(const struct ssdpm_bisect *bisect, size_t index,
			   struct unrestored *ret)
{
	size_t i = 0;

	do
		ret->suspect = next_unrestored(bisect, &i);
	while (ret->suspect && index--);
	return ret->suspect;
}

static bool get_device(const struct told_devices *devices, size_t i,
		       struct searched_device *ret)
{
	ret->text = devices->texts[i];
	return ret->text;
}

static bool get_remedy(const struct told_culprit *c, size_t i,
		       struct ssdpm_bisect_remedy *ret)
{
	ret->size = sizeof(*ret);
	return !ssdpm_bisect_get_remedy(c->bisect, c->index, i, ret, NULL);
}

static size_t count_remedies(const struct told_culprit *c)
{
	struct ssdpm_bisect_remedy remedy;
	size_t n = 0;

	while (get_remedy(c, n, &remedy))
		n++;
	return n;
}

#include "bisect-json.h"

int ssdpm_bisect_add_unrestored(struct ssdpm_bisect *bisect, uint32_t suspect,
				const char *before, const char *now,
				struct ssdpm_error *reterr)
{
	struct bisect_suspect *s;

	if (!before)
		return ssdpm__missing("before", reterr);
	if (suspect >= bisect->n_suspects)
		return ssdpm__fail(reterr, -ENOENT, 0, "unknown suspect %u",
				   (unsigned int)suspect);
	if (!now)
		now = "";
	if (strlen(before) >= BISECT_VALUE || strlen(now) >= BISECT_VALUE)
		return ssdpm__fail(reterr, -E2BIG, 0,
				   "a value has %d bytes or more",
				   BISECT_VALUE);
	s = &bisect->suspects[suspect];
	memcpy(s->before, before, strlen(before) + 1);
	memcpy(s->now, now, strlen(now) + 1);
	return 0;
}

int ssdpm_bisect_to_json(const struct ssdpm_bisect *bisect,
			 const char *const *devices, size_t n_devices,
			 char **ret_text, struct ssdpm_error *reterr)
{
	const struct told_devices told = { devices, n_devices };
	struct json_writer w = { 0 };

	ssdpm__json_begin(&w, NULL, '{');
	write_bisect(&w, bisect, &told);
	ssdpm__json_end(&w, '}');
	return ssdpm__json_finish(&w, ret_text, reterr);
}
