/* SPDX-License-Identifier: MIT */
/*
 * Does the link of a SATA port save power? Registers: AHCI 1.3.1; what Linux
 * does with them: drivers/ata/libata-eh.c, libahci.c and ahci.c.
 */
#include "device/diagnose/diagnose.h"

#include <stdio.h>
#include <string.h>

enum {
	PORT_ALPE = 1 << 26, /* the host asks the link to sleep */
	PORT_ASP = 1 << 27,  /* and it goes to slumber, not to partial */
	CAP_PSC = 1 << 13,   /* partial */
	CAP_SSC = 1 << 14,   /* slumber */
	CAP_SALP = 1 << 26,  /* the host can ask at all */
	CAP2_SDS = 1 << 3,   /* DevSleep */
	CAP2_SADM = 1 << 4,  /* and the host can ask for it */
};

#define BEST "med_power_with_dipm"

/* The sides that can ask the link to sleep. */
enum asks {
	ASKS_UNKNOWN = 0,
	ASKS_NO,
	ASKS_YES,
};

struct link {
	enum asks host;	 /* HIPM: adapter and every drive */
	enum asks drive; /* DIPM: drive, and an adapter with both states */
	bool quirk;	 /* no-lpm */
	bool maybe_quirk;
	bool refused; /* the kernel says so */
	bool external;
};

static bool knows(const struct examination *e, uint32_t fact)
{
	return e->facts->known & fact;
}

static bool has_cap(const struct examination *e, uint32_t bit)
{
	return e->facts->ahci_host_caps & bit;
}

static void advise_write(const struct examination *e, struct ssdpm_diagnosis *d,
			 uint32_t remedy, const char *policy)
{
	ssdpm__advise(d, remedy);
	ssdpm__advise_value(d, policy, SSDPM__LPM_FILE, e->facts->host);
}

static enum asks host_asks(const struct examination *e)
{
	if (!knows(e, SSDPM_FACT_AHCI_HOST_CAPS) || !e->facts->n_devices)
		return ASKS_UNKNOWN;
	if (!has_cap(e, CAP_SALP) || e->facts->devices_without_hipm)
		return ASKS_NO;
	return ASKS_YES;
}

/* Linux has drives ask only where the adapter has both states. */
static bool adapter_forbids(const struct examination *e)
{
	return knows(e, SSDPM_FACT_AHCI_HOST_CAPS) &&
	       !(has_cap(e, CAP_PSC) && has_cap(e, CAP_SSC));
}

static enum asks drive_asks(const struct examination *e)
{
	const struct ssdpm_model_info *info;

	if (adapter_forbids(e))
		return ASKS_NO;
	if (!e->model)
		return ASKS_UNKNOWN;
	info = ssdpm_model_get_info(e->model);
	if (info->sata_supported_unknown & SSDPM_SATA_DIPM)
		return ASKS_UNKNOWN;
	return info->sata_supported & SSDPM_SATA_DIPM ? ASKS_YES : ASKS_NO;
}

static bool nobody_asks(const struct link *link)
{
	return link->host == ASKS_NO && link->drive == ASKS_NO;
}

/* Those of the drive, with the adapter taken into account. */
static bool has_quirk(const struct examination *e,
		      const struct ssdpm_host *host)
{
	uint32_t quirks;

	return !ssdpm_quirks_find(e->model, host, &quirks, NULL, NULL) &&
	       (quirks & SSDPM_QUIRK_NO_LPM);
}

/* A fault that the newest Linux knows is one for an old Linux too. */
static void find_quirk(const struct examination *e, struct link *link)
{
	struct ssdpm_host host = { .size = sizeof(host) };

	if (!e->model ||
	    ssdpm_device_get_host(e->device, e->machine, &host, NULL))
		return;
	link->quirk = has_quirk(e, &host);
	host.linux_release = NULL;
	link->maybe_quirk = !link->quirk && has_quirk(e, &host);
}

static void look(const struct examination *e, struct link *link)
{
	const struct ssdpm_device_facts *facts = e->facts;

	link->host = host_asks(e);
	link->drive = drive_asks(e);
	link->refused = ssdpm__refuses_lpm(facts);
	link->external =
		facts->flags & (SSDPM_DEVICE_EXTERNAL | SSDPM_DEVICE_HOT_PLUG);
	find_quirk(e, link);
}

/* The policy is known, and lets the link sleep. */
static bool may_sleep(const struct examination *e)
{
	return knows(e, SSDPM_FACT_LPM) &&
	       e->facts->lpm != SSDPM_LPM_MAX_PERFORMANCE;
}

static void say_quirk(struct examination *e, const struct link *link)
{
	struct ssdpm_diagnosis *d;

	if (link->quirk) {
		d = ssdpm__found(e, SSDPM_DIAGNOSIS_QUIRK, SSDPM_SEVERITY_NOTE,
				 "quirk no-lpm, say the rules of Linux: the "
				 "link stays at full power, for this drive has "
				 "a known fault");
		ssdpm__is_cause(e, d);
	} else if (link->maybe_quirk) {
		d = ssdpm__found(e, SSDPM_DIAGNOSIS_QUIRK, SSDPM_SEVERITY_NOTE,
				 "quirk no-lpm, say the rules of the newest "
				 "Linux: this drive has a known fault, which "
				 "Linux %s may not know: leave LPM off",
				 e->machine->linux_release);
		ssdpm__is_cause(e, d);
		if (may_sleep(e)) {
			advise_write(e, d, SSDPM_REMEDY_LPM_OFF,
				     "max_performance");
			ssdpm__warn(e, d);
		}
	}
}

static void advise_mask(const struct examination *e, struct ssdpm_diagnosis *d)
{
	char mask[160];

	if (!ssdpm__linux_is(e->machine, 6, 17)) {
		ssdpm__advise(d, SSDPM_REMEDY_FIRMWARE_HOT_PLUG);
		return;
	}
	if (!knows(e, SSDPM_FACT_PORT) || !e->facts->address[0])
		return;
	ssdpm__port_mask(e->machine->mask_port_ext, e->facts->address,
			 e->facts->port, mask, sizeof(mask));
	ssdpm__advise(d, SSDPM_REMEDY_PORT_MASK);
	ssdpm__advise_value(d, mask, "ahci.mask_port_ext");
}

static bool is_masked(const struct examination *e)
{
	char mask[160];

	return knows(e, SSDPM_FACT_PORT) &&
	       !ssdpm__port_mask(e->machine->mask_port_ext, e->facts->address,
				 e->facts->port, mask, sizeof(mask));
}

/* External or hot-plug: from Linux 6.17 on no LPM, before that no notice. */
static void say_external(struct examination *e, const struct link *link)
{
	bool esp = e->facts->flags & SSDPM_DEVICE_EXTERNAL;
	bool disk = !(e->facts->flags & SSDPM_DEVICE_EMPTY);
	const char *bit = esp ? "external (PxCMD.ESP and CAP.SXS)" :
				"external (PxCMD.HPCP: hot-plug)";
	uint32_t code = esp ? SSDPM_DIAGNOSIS_EXTERNAL_PORT :
			      SSDPM_DIAGNOSIS_HOT_PLUG_PORT;
	struct ssdpm_diagnosis *d;

	if (is_masked(e)) {
		ssdpm__found(e, code, SSDPM_SEVERITY_NOTE,
			     "port is %s, which ahci.mask_port_ext=%s has "
			     "Linux ignore",
			     bit, e->machine->mask_port_ext);
	} else if (link->refused || (ssdpm__linux_is(e->machine, 6, 17) &&
				     !knows(e, SSDPM_FACT_LPM_SUPPORTED))) {
		d = ssdpm__found(e, code,
				 disk ? SSDPM_SEVERITY_PROBLEM :
					SSDPM_SEVERITY_NOTE,
				 "port is %s: this kernel refuses LPM", bit);
		advise_mask(e, d);
	} else {
		d = ssdpm__found(e, code, SSDPM_SEVERITY_NOTE,
				 "port is %s: with LPM, plugging in is not "
				 "noticed, and newer kernels refuse it",
				 bit);
		if (may_sleep(e))
			ssdpm__warn(e, d);
	}
}

/* A port that takes no policy, for no reason that was said before. */
static void say_unsupported(struct examination *e)
{
	bool empty = e->facts->flags & SSDPM_DEVICE_EMPTY;
	uint32_t severity =
		empty ? SSDPM_SEVERITY_NOTE : SSDPM_SEVERITY_PROBLEM;
	struct ssdpm_diagnosis *d;

	if (knows(e, SSDPM_FACT_AHCI_HOST_CAPS) &&
	    !has_cap(e, CAP_PSC | CAP_SSC) &&
	    !(e->facts->ahci_host_cap2 & CAP2_SDS)) {
		ssdpm__found(e, SSDPM_DIAGNOSIS_LPM_UNSUPPORTED, severity,
			     "the adapter has neither partial nor slumber nor "
			     "DevSleep (CAP %08x)",
			     e->facts->ahci_host_caps);
		return;
	}
	if (!ssdpm__refuses_lpm(e->facts))
		return;
	d = ssdpm__found(e, SSDPM_DIAGNOSIS_LPM_UNSUPPORTED, severity,
			 "this kernel refuses LPM on the port "
			 "(link_power_management_supported is 0)");
	ssdpm__advise(d, SSDPM_REMEDY_KERNEL_LOG);
}

/*
 * Linux 6.14 to 6.18 refused LPM on ports with an optical drive and on those
 * that are not wired. The processor then did not get into its deepest states.
 */
static bool blocks_processor(const struct examination *e)
{
	return e->facts->lpm == SSDPM_LPM_MAX_PERFORMANCE &&
	       ssdpm__linux_is(e->machine, 6, 14) &&
	       !ssdpm__linux_is(e->machine, 6, 19);
}

static void say_blocked(struct examination *e, uint32_t code, const char *what)
{
	struct ssdpm_diagnosis *d;

	d = ssdpm__found(e, code, SSDPM_SEVERITY_PROBLEM,
			 "%s at max_performance: Linux 6.14 to 6.18 allow no "
			 "more, which keeps the processor from deep idle "
			 "states (about 4 W)",
			 what);
	ssdpm__advise(d, SSDPM_REMEDY_UPDATE_LINUX);
}

static void say_optical(struct examination *e)
{
	if (blocks_processor(e))
		say_blocked(e, SSDPM_DIAGNOSIS_OPTICAL, "an optical drive");
	else
		ssdpm__found(e, SSDPM_DIAGNOSIS_OPTICAL, SSDPM_SEVERITY_NOTE,
			     "an optical drive: its link counts too, for the "
			     "idle states of the processor");
}

/* Why the link cannot be told to sleep. */
static void say_obstacles(struct examination *e, const struct link *link)
{
	if (link->external)
		say_external(e, link);
	say_quirk(e, link);
	if (e->facts->flags & SSDPM_DEVICE_OPTICAL)
		say_optical(e);
	if (!link->quirk && !(link->external && !is_masked(e)))
		say_unsupported(e);
}

/* Whether Linux takes a policy, by its rules and what the port says. */
static bool is_free(const struct examination *e, const struct link *link)
{
	for (size_t i = 1; i < e->n; i++)
		if (e->found[i].code == SSDPM_DIAGNOSIS_LPM_UNSUPPORTED)
			return false;
	return !link->refused && !link->quirk && !link->maybe_quirk;
}

/* On an external port, a link that sleeps hides a disk that is plugged in. */
static bool may_advise(const struct examination *e, const struct link *link)
{
	return is_free(e, link) && (!link->external || is_masked(e));
}

static void advise_policy(const struct examination *e, const struct link *link,
			  struct ssdpm_diagnosis *d)
{
	if (may_advise(e, link))
		advise_write(e, d, SSDPM_REMEDY_LPM, BEST);
}

/* Linux keeps the link awake, whatever the policy reads. */
static bool is_kept_awake(const struct examination *e, const struct link *link)
{
	return (link->quirk || link->refused) &&
	       !(knows(e, SSDPM_FACT_AHCI_PORT_CMD) &&
		 e->facts->ahci_port_cmd & PORT_ALPE);
}

/* 6.1 and older print this for the firmware's settings too. */
static void say_off(struct examination *e, const struct link *link)
{
	bool old = !ssdpm__linux_is(e->machine, 6, 2);
	struct ssdpm_diagnosis *d;

	ssdpm__conclude(e, SAVING_NO, "the link is always at full power%s",
			link->quirk ? ", for quirk no-lpm" : "");
	if (!is_free(e, link))
		return;
	d = ssdpm__found(e, SSDPM_DIAGNOSIS_LPM_OFF, SSDPM_SEVERITY_PROBLEM,
			 "LPM is off: the policy is max_performance%s%s",
			 old ? " (or keep_firmware_settings, for which this "
			       "kernel prints the same)" :
			       "",
			 e->machine->mobile_lpm_policy == 1 ?
				 ", as ahci.mobile_lpm_policy=1 has it" :
				 "");
	advise_policy(e, link, d);
}

static void say_kept(struct examination *e, const struct link *link)
{
	struct ssdpm_diagnosis *d;

	ssdpm__conclude(e, SAVING_UNKNOWN,
			"the link is as the firmware left it");
	d = ssdpm__found(e, SSDPM_DIAGNOSIS_LPM_KEPT, SSDPM_SEVERITY_UNKNOWN,
			 "keep_firmware_settings: Linux changes nothing, and "
			 "sysfs does not say what that is");
	if (may_advise(e, link))
		advise_write(e, d, SSDPM_REMEDY_LPM_FOR_GOOD, BEST);
}

/* medium_power asks for partial, by the host alone. */
static void say_medium(struct examination *e, const struct link *link)
{
	struct ssdpm_diagnosis *d;

	if (link->host == ASKS_NO) {
		d = ssdpm__found(
			e, SSDPM_DIAGNOSIS_NO_HIPM, SSDPM_SEVERITY_PROBLEM,
			"medium_power lets only the host ask (HIPM), and %s",
			has_cap(e, CAP_SALP) ?
				"the drive takes no requests (word 76 bit 9)" :
				"the adapter cannot (CAP.SALP)");
		advise_policy(e, link, d);
		ssdpm__conclude(e, SAVING_NO,
				"with medium_power nobody puts this link to "
				"sleep");
		return;
	}
	d = ssdpm__found(e, SSDPM_DIAGNOSIS_LPM_PARTIAL_ONLY,
			 SSDPM_SEVERITY_PROBLEM,
			 "medium_power uses partial only, never slumber");
	advise_policy(e, link, d);
	ssdpm__conclude(e, SAVING_YES, "the link goes to partial");
}

/*
 * Only AHCI says what its host can; of other adapters it is known that a policy
 * arrives where Linux says that it is supported.
 */
static bool is_anybodys_guess(const struct examination *e,
			      const struct link *link)
{
	if (link->host == ASKS_YES)
		return false;
	return link->drive != ASKS_YES || (link->host == ASKS_UNKNOWN &&
					   !knows(e, SSDPM_FACT_LPM_SUPPORTED));
}

/* The sides that never ask, whatever the policy. */
static void say_sides(struct examination *e, const struct link *link)
{
	if (link->host == ASKS_NO)
		ssdpm__found(
			e, SSDPM_DIAGNOSIS_NO_HIPM, SSDPM_SEVERITY_NOTE,
			"the host does not ask (HIPM): %s; ALPE and ASP stay "
			"clear",
			has_cap(e, CAP_SALP) ?
				"the drive takes no requests (word 76 bit 9)" :
				"the adapter cannot (CAP.SALP)");
	if (link->drive == ASKS_NO)
		ssdpm__found(e, SSDPM_DIAGNOSIS_NO_DIPM,
			     link->host == ASKS_NO ? SSDPM_SEVERITY_PROBLEM :
						     SSDPM_SEVERITY_NOTE,
			     "the drive does not ask%s (DIPM): %s",
			     link->host == ASKS_NO ? " either" : "",
			     adapter_forbids(e) ?
				     "the adapter has not both partial and "
				     "slumber (CAP.PSC, CAP.SSC)" :
				     "it cannot (word 78 bit 3)");
}

/* No policy changes that. */
static void say_nobody(struct examination *e, const struct link *link)
{
	say_sides(e, link);
	ssdpm__conclude(e, SAVING_NO,
			"neither host nor drive can put the link to sleep");
}

/* The side that asks, under policies that let both. */
static void say_who(struct examination *e, const struct link *link)
{
	const char *policy = ssdpm_lpm_to_string(e->facts->lpm);

	say_sides(e, link);
	if (is_anybodys_guess(e, link))
		ssdpm__conclude(e, SAVING_UNKNOWN,
				"the policy is %s, but who puts the link to "
				"sleep is not known",
				policy);
	else
		ssdpm__conclude(
			e, SAVING_YES, "%s; %s put%s the link to sleep", policy,
			link->drive != ASKS_YES ? "the host" :
			link->host == ASKS_YES	? "host and drive" :
						  "the drive",
			link->drive == ASKS_YES && link->host == ASKS_YES ?
				"" :
				"s");
}

/* The policy reads so; do the registers? */
static void say_registers(struct examination *e, const struct link *link)
{
	const char *policy = ssdpm_lpm_to_string(e->facts->lpm);
	uint32_t command = e->facts->ahci_port_cmd;
	uint32_t lpm = e->facts->lpm;
	struct ssdpm_diagnosis *d;

	if (!knows(e, SSDPM_FACT_AHCI_PORT_CMD) || link->host != ASKS_YES)
		return;
	if (!(command & PORT_ALPE)) {
		d = ssdpm__found(
			e, SSDPM_DIAGNOSIS_HOST_BITS, SSDPM_SEVERITY_PROBLEM,
			"the policy reads %s, but ALPE is clear (PxCMD "
			"%08x): Linux has not set it, or gave up%s",
			policy, command,
			e->machine->capture == 2 ?
				", or the capture was written to since" :
				"");
		if (may_advise(e, link))
			advise_write(e, d, SSDPM_REMEDY_LPM_AGAIN,
				     lpm == SSDPM_LPM_MIN_POWER ? BEST :
								  policy);
	} else if ((command & PORT_ASP) &&
		   lpm <= SSDPM_LPM_MED_POWER_WITH_DIPM) {
		d = ssdpm__found(
			e, SSDPM_DIAGNOSIS_STALE_ASP, SSDPM_SEVERITY_NOTE,
			"ASP is set (PxCMD %08x): left from min_power, "
			"for %s does not clear it, so that the host "
			"still asks for slumber",
			command, policy);
		advise_write(e, d, SSDPM_REMEDY_LPM_CLEAR, "max_performance");
		advise_write(e, d, SSDPM_REMEDY_LPM_CLEAR, policy);
	}
}

/*
 * Where suspend is s2idle, Linux makes more of its default policy:
 * ahci_update_initial_lpm_policy().
 */
static bool is_raised(const struct examination *e)
{
	return e->machine->suspend == SSDPM_SUSPEND_S2IDLE &&
	       e->machine->mobile_lpm_policy == -1;
}

static void say_deep_policy(struct examination *e, const struct link *link)
{
	uint32_t lpm = e->facts->lpm;
	struct ssdpm_diagnosis *d;

	if (lpm < SSDPM_LPM_MIN_POWER_WITH_PARTIAL)
		return;
	if (lpm == SSDPM_LPM_MIN_POWER) {
		d = ssdpm__found(e, SSDPM_DIAGNOSIS_LPM_MIN_POWER,
				 SSDPM_SEVERITY_NOTE,
				 "min_power has lost data on some drives; the "
				 "default of Linux is " BEST);
		ssdpm__warn(e, d);
		advise_policy(e, link, d);
	}
	if (!is_raised(e))
		return;
	d = ssdpm__found(e, SSDPM_DIAGNOSIS_LPM_RAISED, SSDPM_SEVERITY_NOTE,
			 "%s may be nobody's choice: where suspend is s2idle, "
			 "Linux takes it instead of the policy it was built "
			 "with",
			 ssdpm_lpm_to_string(lpm));
	ssdpm__advise(d, ssdpm__linux_is(e->machine, 6, 9) ?
				 SSDPM_REMEDY_MOBILE_LPM :
				 SSDPM_REMEDY_MOBILE_LPM_CHIPSET);
	ssdpm__advise_value(d, "3", "ahci.mobile_lpm_policy");
}

static void say_devsleep(struct examination *e, const struct link *link)
{
	const struct ssdpm_model_info *info;

	if (!is_free(e, link) || !e->model ||
	    !knows(e, SSDPM_FACT_AHCI_HOST_CAP2))
		return;
	info = ssdpm_model_get_info(e->model);
	if (!(info->sata_supported & SSDPM_SATA_DEVSLEEP))
		return;
	ssdpm__found(e, SSDPM_DIAGNOSIS_DEVSLEEP, SSDPM_SEVERITY_NOTE,
		     "the drive has DevSleep; %s",
		     !(e->facts->ahci_host_cap2 & CAP2_SDS) ?
			     "the adapter has not (CAP2.SDS)" :
		     !(e->facts->ahci_host_cap2 & CAP2_SADM) ?
			     "the adapter does not ask for it by itself "
			     "(CAP2.SADM), as Linux needs" :
		     e->facts->lpm >= SSDPM_LPM_MIN_POWER_WITH_PARTIAL ?
			     "it is used if the port has its signal "
			     "(PxDEVSLP.DSP)" :
			     "only min_power_with_partial and min_power use "
			     "it, and few ports of desktops have its signal");
}

static void say_empty_port(struct examination *e)
{
	uint32_t lpm = e->facts->lpm;
	struct ssdpm_diagnosis *d;

	e->found->code = SSDPM_DIAGNOSIS_NO_DISK;
	e->found->severity = SSDPM_SEVERITY_NOTE;
	snprintf(e->found->message, sizeof(e->found->message),
		 "no disk on the port");
	if (!knows(e, SSDPM_FACT_LPM))
		return;
	if (blocks_processor(e) && ssdpm__refuses_lpm(e->facts))
		say_blocked(e, SSDPM_DIAGNOSIS_EMPTY_PORT, "an empty port");
	if (lpm < SSDPM_LPM_MED_POWER_WITH_DIPM)
		return;
	d = ssdpm__found(e, SSDPM_DIAGNOSIS_EMPTY_PORT, SSDPM_SEVERITY_NOTE,
			 "%s switches an empty port off: a disk that is "
			 "plugged in is not found",
			 ssdpm_lpm_to_string(lpm));
	ssdpm__warn(e, d);
	advise_write(e, d, SSDPM_REMEDY_HOT_PLUG, "max_performance");
}

static void say_policy(struct examination *e, const struct link *link)
{
	uint32_t lpm = e->facts->lpm;

	if (e->facts->lpm_word[0]) {
		ssdpm__conclude(e, SAVING_UNKNOWN,
				"the policy of its link is %s, which this "
				"version of ssdpm does not know",
				e->facts->lpm_word);
		return;
	}
	if (!knows(e, SSDPM_FACT_LPM)) {
		ssdpm__conclude(e, SAVING_UNKNOWN,
				"the policy of its link cannot be read");
		return;
	}
	if (nobody_asks(link)) {
		say_nobody(e, link);
		say_deep_policy(e, link);
		return;
	}
	if (lpm == SSDPM_LPM_KEEP_FIRMWARE_SETTINGS) {
		say_kept(e, link);
		return;
	}
	if (lpm == SSDPM_LPM_MAX_PERFORMANCE || is_kept_awake(e, link)) {
		say_off(e, link);
		return;
	}
	if (lpm == SSDPM_LPM_MEDIUM_POWER)
		say_medium(e, link);
	else
		say_who(e, link);
	say_registers(e, link);
	say_deep_policy(e, link);
}

void ssdpm__diagnose_sata(struct examination *e)
{
	struct link link = { 0 };

	look(e, &link);
	say_obstacles(e, &link);
	if (e->facts->flags & SSDPM_DEVICE_EMPTY) {
		say_empty_port(e);
	} else {
		say_policy(e, &link);
		say_devsleep(e, &link);
	}
}
