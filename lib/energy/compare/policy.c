/* SPDX-License-Identifier: MIT */
/* The words for policies, and the policy of each word for a drive. */
#include <ssdpm/energy/compare.h>

#include <errno.h>
#include <string.h>

#include "base/internal.h"
#include "base/words.h"

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

/* The usual policies in order. kind 0: for every drive. */
static const struct {
	char word[31];
	uint8_t kind; /* enum ssdpm_kind */
} common[] = {
	{ "today", 0 },
	{ "linux", SSDPM_KIND_NVME },
	{ "linux-legacy", SSDPM_KIND_NVME },
	{ "windows:balanced:ac", SSDPM_KIND_NVME },
	{ "windows:balanced:battery", SSDPM_KIND_NVME },
	{ "windows:performance:ac", SSDPM_KIND_NVME },
	{ "windows:performance:battery", SSDPM_KIND_NVME },
	{ "windows:power-saver:ac", SSDPM_KIND_NVME },
	{ "windows:power-saver:battery", SSDPM_KIND_NVME },
	{ "windows:modern-standby:ac", SSDPM_KIND_NVME },
	{ "windows:modern-standby:battery", SSDPM_KIND_NVME },
	{ "lower-envelope", SSDPM_KIND_NVME },
	/* CONFIG_SATA_MOBILE_LPM_POLICY of Linux 6.12 */
	{ "med_power_with_dipm", SSDPM_KIND_SATA },
	{ "medium_power", SSDPM_KIND_SATA },
	{ "min_power_with_partial", SSDPM_KIND_SATA },
	{ "min_power", SSDPM_KIND_SATA },
	{ "none", 0 },
};

const char *ssdpm_policy_get_common(uint32_t kind, size_t index)
{
	for (size_t i = 0; i < N_OF(common); i++)
		if ((!kind || !common[i].kind || common[i].kind == kind) &&
		    !index--)
			return common[i].word;
	return NULL;
}

static int bad_word(const char *word, struct ssdpm_error *reterr)
{
	return ssdpm__fail(reterr, -EINVAL, 0,
			   "%.64s is no policy: write an algorithm such as "
			   "linux or windows:balanced:battery, a link policy, "
			   "none or today",
			   word);
}

/* An error in a parameter helps more than an unknown word. */
static int parse_algorithm(const char *word, struct ssdpm_apst_params *params,
			   struct ssdpm_error *reterr)
{
	if (strchr(word, '='))
		return ssdpm_apst_algorithm_parse(word, params, reterr);
	return ssdpm_apst_algorithm_parse(word, params, NULL) ?
		       bad_word(word, reterr) :
		       0;
}

int ssdpm_policy_parse(const char *word, const struct ssdpm_apst_params *params,
		       struct ssdpm_policy *ret_policy,
		       struct ssdpm_error *reterr)
{
	struct ssdpm_policy policy = { .size = sizeof(policy) };
	int err;

	err = ssdpm__sized_check(ret_policy, sizeof(policy), "ssdpm_policy",
				 reterr);
	if (!err)
		err = ssdpm_apst_params_init(&policy.params,
					     sizeof(policy.params));
	if (!err)
		err = ssdpm__sized_in(&policy.params, sizeof(policy.params),
				      params, "ssdpm_apst_params", reterr);
	if (err)
		return err;
	policy.lpm = ssdpm_lpm_from_string(word);
	policy.kind = SSDPM_POLICY_ALGORITHM;
	if (!strcmp(word, "none"))
		policy.kind = SSDPM_POLICY_NONE;
	else if (!strcmp(word, "today"))
		policy.kind = SSDPM_POLICY_TODAY;
	else if (policy.lpm)
		policy.kind = SSDPM_POLICY_LPM;
	else
		err = parse_algorithm(word, &policy.params, reterr);
	if (err)
		return err;
	ssdpm__sized_out(ret_policy, &policy, sizeof(policy));
	return 0;
}

/* Whether a word "windows:SCHEME:SOURCE" has these params. */
static bool is_windows(const char *word, const struct ssdpm_apst_params *params)
{
	struct ssdpm_apst_params other = *params;

	return !ssdpm_apst_algorithm_parse(word, &other, NULL) &&
	       other.algorithm == SSDPM_APST_WINDOWS &&
	       other.scheme == params->scheme &&
	       other.power_source == params->power_source;
}

static const char *word_of(const struct ssdpm_policy *policy)
{
	const struct ssdpm_apst_params *params = &policy->params;

	switch (policy->kind) {
	case SSDPM_POLICY_NONE:
		return "none";
	case SSDPM_POLICY_TODAY:
		return "today";
	case SSDPM_POLICY_LPM:
		return ssdpm_lpm_to_string(policy->lpm);
	case SSDPM_POLICY_ALGORITHM:
		break;
	default:
		return NULL;
	}
	if (params->algorithm != SSDPM_APST_WINDOWS)
		return ssdpm_apst_algorithm_to_string(params->algorithm);
	for (size_t i = 0; i < N_OF(common); i++)
		if (is_windows(common[i].word, params))
			return common[i].word;
	return NULL;
}

int ssdpm_policy_get_word(const struct ssdpm_policy *policy,
			  const char **ret_word, struct ssdpm_error *reterr)
{
	struct ssdpm_policy whole = { .size = sizeof(whole) };
	const char *word;
	int err = ssdpm__sized_in(&whole, sizeof(whole), policy, "ssdpm_policy",
				  reterr);

	if (err)
		return err;
	word = word_of(&whole);
	if (!word)
		return ssdpm__fail(reterr, -ENOENT, 0,
				   "no word says this policy");
	*ret_word = word;
	return 0;
}

/* The defaults, overridden by the caller's settings, or NULL. */
static int take_settings(const struct ssdpm_device_settings *given,
			 struct ssdpm_device_settings *ret_settings,
			 struct ssdpm_error *reterr)
{
	*ret_settings = (struct ssdpm_device_settings){
		.size = sizeof(*ret_settings),
	};
	if (!given)
		return 0;
	return ssdpm__sized_in(ret_settings, sizeof(*ret_settings), given,
			       "ssdpm_device_settings", reterr);
}

/* A port with an unknown policy still has one, within a range. */
static bool has_today(const struct ssdpm_model *model,
		      const struct ssdpm_device_settings *given,
		      const struct ssdpm_device_settings *settings)
{
	if (ssdpm_model_get_info(model)->kind == SSDPM_KIND_SATA)
		return given;
	return settings->known & SSDPM_SETTING_APST;
}

/* Copies the policy and the settings, and checks that they fit. */
static int take(const struct ssdpm_model *model,
		const struct ssdpm_policy *given_policy,
		const struct ssdpm_device_settings *given_settings,
		struct ssdpm_policy *policy,
		struct ssdpm_device_settings *settings,
		struct ssdpm_error *reterr)
{
	const bool sata = ssdpm_model_get_info(model)->kind == SSDPM_KIND_SATA;
	const char *word;
	int err;

	*policy = (struct ssdpm_policy){ .size = sizeof(*policy) };
	err = ssdpm__sized_in(policy, sizeof(*policy), given_policy,
			      "ssdpm_policy", reterr);
	if (!err)
		err = take_settings(given_settings, settings, reterr);
	if (err)
		return err;
	word = word_of(policy);
	switch (policy->kind) {
	case SSDPM_POLICY_NONE:
		return 0;
	case SSDPM_POLICY_TODAY:
		if (has_today(model, given_settings, settings))
			return 0;
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "today is unknown: %s",
				   given_settings ? "its machine does not say" :
						    "only devices have it");
	case SSDPM_POLICY_ALGORITHM:
	case SSDPM_POLICY_TABLE:
	case SSDPM_POLICY_LPM:
		if ((policy->kind == SSDPM_POLICY_LPM) == sata)
			return 0;
		return ssdpm__fail(
			reterr, -EOPNOTSUPP, 0, "%s is for %s drives",
			word ? word : "a table", sata ? "NVMe" : "SATA");
	default:
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%u is no kind of policy", policy->kind);
	}
}

int ssdpm_policy_check(const struct ssdpm_model *model,
		       const struct ssdpm_policy *policy,
		       const struct ssdpm_device_settings *settings,
		       struct ssdpm_error *reterr)
{
	struct ssdpm_device_settings all_settings;
	struct ssdpm_policy whole;

	return take(model, policy, settings, &whole, &all_settings, reterr);
}

int ssdpm_policy_get_reference(const struct ssdpm_model *model,
			       const struct ssdpm_device_settings *settings,
			       const struct ssdpm_apst_params *params,
			       struct ssdpm_policy *ret_policy,
			       struct ssdpm_error *reterr)
{
	const bool sata = ssdpm_model_get_info(model)->kind == SSDPM_KIND_SATA;
	struct ssdpm_device_settings all;
	int err = take_settings(settings, &all, reterr);

	if (err)
		return err;
	if (has_today(model, settings, &all))
		return ssdpm_policy_parse("today", params, ret_policy, reterr);
	return ssdpm_policy_parse(sata ? "med_power_with_dipm" : "linux",
				  params, ret_policy, reterr);
}

/* The power of a state, or of transitions, in uW; 0: unknown. */
static uint32_t find_power(const struct ssdpm_sim_params *params, uint32_t kind,
			   uint32_t index)
{
	for (size_t i = 0; i < params->n_parameters; i++) {
		const struct ssdpm_parameter *p = &params->parameters[i];

		if (p->kind == kind && p->index == index)
			return p->nominal < UINT32_MAX ? (uint32_t)p->nominal :
							 UINT32_MAX;
	}
	return 0;
}

/* A table that depends on powers uses those of the simulation. */
static int make_envelope(const struct ssdpm_model *model,
			 const struct ssdpm_sim_params *params,
			 struct ssdpm_apst_params *apst,
			 struct ssdpm_apst *ret_table,
			 struct ssdpm_error *reterr)
{
	struct ssdpm_model *known;
	int err;

	if (!params->parameters)
		return ssdpm_apst_generate(model, apst, ret_table, reterr);
	apst->idle_power_uw = find_power(params, SSDPM_PARAMETER_IDLE_POWER,
					 params->operational_state);
	apst->transition_power_uw =
		find_power(params, SSDPM_PARAMETER_TRANSITION_POWER, 0);
	err = ssdpm_parameters_to_model(model, params->parameters,
					params->n_parameters, &known, reterr);
	if (err)
		return err;
	err = ssdpm_apst_generate(known, apst, ret_table, reterr);
	ssdpm_model_unref(known);
	return err;
}

/* Quirks of Linux do not apply to Windows. */
static int add_quirks_of_linux(const struct ssdpm_model *model,
			       const struct ssdpm_device_settings *settings,
			       struct ssdpm_apst_params *apst,
			       struct ssdpm_error *reterr)
{
	uint32_t quirks = settings->quirks;
	int err = 0;

	if (apst->algorithm == SSDPM_APST_WINDOWS)
		return 0;
	if (!(settings->known & SSDPM_SETTING_QUIRKS))
		err = ssdpm_quirks_find(model, NULL, &quirks, NULL, reterr);
	apst->quirks |=
		quirks & (SSDPM_QUIRK_NO_APST | SSDPM_QUIRK_NO_DEEPEST_PS);
	return err;
}

static int make_table(const struct ssdpm_model *model,
		      const struct ssdpm_sim_params *params,
		      const struct ssdpm_device_settings *settings,
		      struct ssdpm_apst_params *apst,
		      struct ssdpm_apst *ret_table, struct ssdpm_error *reterr)
{
	int err = add_quirks_of_linux(model, settings, apst, reterr);

	if (err)
		return err;
	if (apst->algorithm == SSDPM_APST_LOWER_ENVELOPE)
		return make_envelope(model, params, apst, ret_table, reterr);
	return ssdpm_apst_generate(model, apst, ret_table, reterr);
}

int ssdpm_policy_resolve(const struct ssdpm_model *model,
			 const struct ssdpm_policy *policy,
			 const struct ssdpm_sim_params *params,
			 const struct ssdpm_device_settings *settings,
			 struct ssdpm_resolved_policy *ret_resolved,
			 struct ssdpm_error *reterr)
{
	struct ssdpm_resolved_policy resolved = {
		.lpm = SSDPM_LPM_MAX_PERFORMANCE,
	};
	struct ssdpm_device_settings today;
	struct ssdpm_sim_params sim;
	struct ssdpm_policy whole;
	int err;

	err = take(model, policy, settings, &whole, &today, reterr);
	if (!err)
		err = ssdpm_sim_params_init(&sim, sizeof(sim));
	if (!err)
		err = ssdpm__sized_in(&sim, sizeof(sim), params,
				      "ssdpm_sim_params", reterr);
	if (err)
		return err;
	resolved.apst.sent = resolved.apst.enabled = 1;
	switch (whole.kind) {
	case SSDPM_POLICY_ALGORITHM:
		err = make_table(model, &sim, &today, &whole.params,
				 &resolved.apst, reterr);
		break;
	case SSDPM_POLICY_TABLE:
		resolved.apst = whole.table;
		break;
	case SSDPM_POLICY_LPM:
		resolved.lpm = whole.lpm;
		break;
	case SSDPM_POLICY_TODAY:
		resolved.apst = today.apst;
		/* It stays unknown if the port does not report it. */
		if (ssdpm_model_get_info(model)->kind == SSDPM_KIND_SATA)
			resolved.lpm = today.lpm;
		break;
	}
	if (!err)
		*ret_resolved = resolved;
	return err;
}

bool ssdpm_resolved_policy_is_same(const struct ssdpm_resolved_policy *a,
				   const struct ssdpm_resolved_policy *b)
{
	static const struct ssdpm_apst nothing;
	const bool a_sleeps = a->apst.sent && a->apst.enabled;
	const bool b_sleeps = b->apst.sent && b->apst.enabled;
	const struct ssdpm_apst *x = a_sleeps ? &a->apst : &nothing;
	const struct ssdpm_apst *y = b_sleeps ? &b->apst : &nothing;

	return a->lpm == b->lpm &&
	       !memcmp(x->entries, y->entries, sizeof(x->entries));
}

static const char policy_kind_words[][10] = {
	[SSDPM_POLICY_ALGORITHM] = "algorithm",
	[SSDPM_POLICY_TABLE] = "table",
	[SSDPM_POLICY_LPM] = "lpm",
	[SSDPM_POLICY_NONE] = "none",
	[SSDPM_POLICY_TODAY] = "today",
};
ENUM_WORDS(policy_kind)
