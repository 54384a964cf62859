/* SPDX-License-Identifier: MIT */
/* A search as JSON: bisect.keys has what is written. */
#include "bisect/internal.h"

#include "base/internal.h"
#include "base/json.h"

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
