/* SPDX-License-Identifier: MIT */
/* Making a policy last: what is asked for, checked. */
#include "apply/persist/persist.h"

#include "policy/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(const char *word, size_t max, const char *more)
{
	size_t n = 0;

	for (; word[n]; n++)
		if (n == max || !((word[n] >= 'a' && word[n] <= 'z') ||
				  (word[n] >= 'A' && word[n] <= 'Z') ||
				  (word[n] >= '0' && word[n] <= '9') ||
				  strchr(more, word[n])))
			return false;
	return n > 0;
}

#define A_PATH                                                               \
	"a path that begins with /, of at most 200 letters, digits and . _ " \
	"+ - /"

static bool is_path(const char *path)
{
	return *path == '/' && is_word(path, 200, "/._+-");
}

static int check_command(const struct lasting *kept, struct ssdpm_error *reterr)
{
	if (is_path(kept->command))
		return 0;
	return ssdpm__fail(reterr, -EINVAL, 0,
			   "command: " A_PATH ", and not %.100s",
			   kept->command);
}

/* The files are read by udev, systemd, shells: let nothing there be special. */
static int check_words(const struct lasting *kept, struct ssdpm_error *reterr)
{
	const struct ssdpm_profile_settings *all[] = { &kept->ac,
						       &kept->battery };

	int err = check_command(kept, reterr);

	if (err)
		return err;
	if (!kept->has_profile)
		return 0;
	if (kept->profiles && !is_path(kept->profiles))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "profiles: " A_PATH ", and not %.100s",
				   kept->profiles);
	for (int i = 0; i < 2; i++) {
		if (!is_word(all[i]->name, sizeof(all[i]->name) - 1, "_-") ||
		    all[i]->name[0] == '-')
			return ssdpm__fail(reterr, -EINVAL, 0,
					   "name of the profile: letters, "
					   "digits, - and _");
		if (!memchr(all[i]->reason, 0, sizeof(all[i]->reason)))
			return ssdpm__fail(reterr, -EINVAL, 0,
					   "reason: it does not end");
	}
	return 0;
}

static const char *const times[] = {
	"max_exit_latency_us",
	"primary_timeout_ms",
	"primary_latency_tolerance_us",
	"secondary_timeout_ms",
	"secondary_latency_tolerance_us",
};

enum { N_TIMES = sizeof(times) / sizeof(times[0]) };

static int check_times(const struct ssdpm_profile_settings *settings,
		       struct ssdpm_error *reterr)
{
	for (int key = 0; key < N_TIMES; key++) {
		const uint32_t setting = 1u << key;

		if (settings->set & setting &&
		    !ssdpm__profile_takes(setting,
					  ssdpm__profile_value(settings, key)))
			return ssdpm__fail(reterr, -EINVAL, 0,
					   "%s: Linux takes up to %u",
					   times[key],
					   ssdpm__is_timeout(setting) ?
						   SSDPM_APST_MAX_IDLE_MS :
						   SSDPM_LATENCY_MAX);
	}
	return 0;
}

static int check_values(const struct ssdpm_profile_settings *settings,
			struct ssdpm_error *reterr)
{
	const uint32_t all = (SSDPM_PROFILE_LPM << 1) - 1;
	uint32_t n = settings->set & SSDPM_PROFILE_LPM ? settings->n_lpms : 0;
	bool fits = n <= SSDPM_MAX_LPMS;
	int err;

	if (settings->set & ~all)
		return ssdpm__fail(reterr, -EINVAL, 0, "set: unknown bits");
	if (ssdpm__check_source(settings->power_source, reterr))
		return -EINVAL;
	err = check_times(settings, reterr);
	if (err)
		return err;
	if ((settings->set & SSDPM_PROFILE_LPM) && !n)
		fits = false;
	for (uint32_t i = 0; fits && i < n; i++)
		fits = settings->lpms[i] >= SSDPM_LPM_MAX_PERFORMANCE &&
		       settings->lpms[i] <= SSDPM_LPM_MIN_POWER;
	if (!fits)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "lpms: 1 to %d policies that can be set",
				   SSDPM_MAX_LPMS);
	return 0;
}

static int take_settings(struct ssdpm_profile_settings *settings,
			 const struct ssdpm_profile_settings *given,
			 struct ssdpm_error *reterr)
{
	int err = ssdpm__sized_in(settings, sizeof(*settings), given,
				  "ssdpm_profile_settings", reterr);

	return err ? err : check_values(settings, reterr);
}

static int take_profile(const struct ssdpm_persist_params *params,
			struct lasting *kept, struct ssdpm_error *reterr)
{
	int err;

	if (!params->ac)
		return 0;
	kept->has_profile = true;
	kept->one_source = !params->battery;
	err = take_settings(&kept->ac, params->ac, reterr);
	if (!err)
		err = take_settings(
			&kept->battery,
			params->battery ? params->battery : params->ac, reterr);
	return err;
}

static int take_own(const struct ssdpm_persist_params *params,
		    struct lasting *kept, struct ssdpm_error *reterr)
{
	struct ssdpm_profile_settings *own = &kept->own;
	int err;

	if (!params->settings)
		return 0;
	err = ssdpm__sized_in(own, sizeof(*own), params->settings,
			      "ssdpm_profile_settings", reterr);
	if (err)
		return err;
	kept->has_own = own->set;
	own->power_source = SSDPM_SOURCE_AC;
	strcpy(own->name, "settings");
	own->reason[0] = 0;
	err = check_values(own, reterr);
	if (err)
		return err;
	if (!kept->has_profile)
		kept->ac = kept->battery = *own;
	/* A setting replaces what the profile says. */
	ssdpm__profile_copy(&kept->ac, own, own->set);
	ssdpm__profile_copy(&kept->battery, own, own->set);
	return 0;
}

static int take_flags(const struct ssdpm_persist_params *params,
		      struct lasting *kept, struct ssdpm_error *reterr)
{
	kept->of_files = params->flags & SSDPM_PERSIST_OF_FILES;
	kept->is_named = params->flags & SSDPM_PERSIST_NAMED_IN_FILES;
	if (params->flags &
	    ~(SSDPM_PERSIST_OF_FILES | SSDPM_PERSIST_NAMED_IN_FILES))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "flags: unknown value %u", params->flags);
	if (!kept->of_files)
		return 0;
	if (!params->ac || !params->battery)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "flags: files need ac and battery");
	if (params->kind != SSDPM_PERSIST_UDEV &&
	    params->kind != SSDPM_PERSIST_SYSTEMD)
		return 0;
	return ssdpm__fail(reterr, -EINVAL, 0,
			   "ssdpmd(8) and its rule for udev read the files of "
			   "ssdpm.conf(5) themselves");
}

static int take_params(const struct ssdpm_persist_params *given,
		       struct lasting *kept, struct ssdpm_error *reterr)
{
	struct ssdpm_persist_params params = { 0 };
	int err;

	err = ssdpm__sized_in(&params, sizeof(params), given,
			      "ssdpm_persist_params", reterr);
	if (err)
		return err;
	if (!ssdpm_persist_kind_to_string(params.kind))
		return ssdpm__fail(reterr, -EINVAL, 0, "kind: unknown value %u",
				   params.kind);
	err = take_flags(&params, kept, reterr);
	if (err)
		return err;
	kept->powers = params.powers;
	kept->n_powers = params.n_powers;
	if (!params.ac &&
	    (params.battery || (!params.n_powers && !params.settings)))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "ac: missing, and no settings or powers");
	kept->kind = params.kind;
	kept->command = params.command ? params.command : "/usr/bin/ssdpm";
	kept->profiles = params.profiles;
	err = ssdpm__check_powers(kept, reterr);
	if (!err)
		err = take_profile(&params, kept, reterr);
	if (!err)
		err = take_own(&params, kept, reterr);
	if (!err)
		err = check_words(kept, reterr);
	if (!err && !kept->ac.set && !kept->battery.set &&
	    (params.ac || params.settings))
		err = ssdpm__fail(reterr, -EINVAL, 0, "%s sets nothing",
				  kept->of_files ?
					  "what files ask of all drives" :
				  params.ac ? "the profile" :
					      "settings");
	if (!err)
		kept->is_same =
			ssdpm__profile_is_same(&kept->ac, &kept->battery);
	return err;
}

int ssdpm_persist_new(const struct ssdpm_persist_params *params,
		      struct ssdpm_persist **ret_persist,
		      struct ssdpm_error *reterr)
{
	struct lasting kept = { 0 };
	struct ssdpm_persist *persist;
	int err;

	err = take_params(params, &kept, reterr);
	if (err)
		return err;
	persist = calloc(1, sizeof(*persist));
	if (!persist)
		return ssdpm__no_memory(reterr);
	persist->kind = kept.kind;
	err = ssdpm__persist_fill(persist, &kept, reterr);
	if (err)
		ssdpm_persist_free(persist);
	else
		*ret_persist = persist;
	return err;
}
