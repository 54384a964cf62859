/* SPDX-License-Identifier: MIT */
/*
 * Lint: what is odd in what a drive says of its power states.
 *
 *     model -> findings
 *
 * See ssdpm_lint(3).
 */
#ifndef SSDPM_LINT_H
#define SSDPM_LINT_H

#include <ssdpm/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of findings; ssdpm_lint(3) has the words, and why each matters. */
enum ssdpm_finding_code {
	SSDPM_FINDING_EQUAL_POWER = 1,	  /* the same maximum as above */
	SSDPM_FINDING_RISING_POWER = 2,	  /* a larger maximum than above */
	SSDPM_FINDING_ZERO_POWER = 3,	  /* a maximum of 0 W */
	SSDPM_FINDING_ABSURD_POWER = 4,	  /* a maximum above 75 W */
	SSDPM_FINDING_ZERO_LATENCIES = 5, /* asleep, entry and exit 0 */
	/* Asleep, with a shorter exit or total than one above. */
	SSDPM_FINDING_DEEPER_EXITS_FASTER = 6,
	SSDPM_FINDING_NEVER_ENTERED = 7,    /* asleep, total above 100 ms */
	SSDPM_FINDING_SLOW_OPERATIONAL = 8, /* entry or exit from 1 ms on */
	SSDPM_FINDING_ABSURD_LATENCY = 9,   /* entry or exit from 10 s on */
	SSDPM_FINDING_OPERATIONAL_AFTER_NON_OPERATIONAL = 10,
	SSDPM_FINDING_ONLY_OPERATIONAL = 11,
	SSDPM_FINDING_APSTA_ZERO = 12, /* though there are states for APST */
	SSDPM_FINDING_IDLE_POWER_UNKNOWN = 13, /* no fault: most drives */
	SSDPM_FINDING_SMARTCTL_SOURCE = 14,    /* idle and active not taken */
	SSDPM_FINDING_SATA_WORDS_INVALID = 15, /* words 76 to 79 */
	SSDPM_FINDING_SATA_NO_LPM = 16,	       /* neither HIPM nor DIPM */
	SSDPM_FINDING_TWO_TABLES = 17, /* in the catalogue, for its firmware */
	SSDPM_FINDING_FRACTION_LOST = 18, /* nvme-cli printed whole watts */
};

/** A finding about the drive as a whole, and not about one of its states. */
#define SSDPM_WHOLE_DRIVE 0xffffffffu

/**
 * struct ssdpm_finding - something odd in a model (frozen, 256 bytes)
 * @code:    enum ssdpm_finding_code
 * @state:   number of the power state, or SSDPM_WHOLE_DRIVE
 * @message: one line in English without a final stop or newline, with the
 *           numbers and the consequence: "PS4: entry+exit 130 ms > 100 ms: ..."
 */
struct ssdpm_finding {
	uint32_t code;
	uint32_t state;
	char message[248];
};

/**
 * ssdpm_model_lint() - what is odd in a model, and why it matters
 * @ret_findings: an array to be freed with free(); NULL where nothing is odd
 * @ret_n:        how many
 *
 * The findings on the drive come first, then those on its states in order. Only
 * known values are judged. The thresholds are Linux's (nvme_configure_apst())
 * or stated in ssdpm_lint(3).
 *
 * Return: 0, -ENOMEM.
 */
SSDPM_API int ssdpm_model_lint(const struct ssdpm_model *model,
			       struct ssdpm_finding **ret_findings,
			       size_t *ret_n, struct ssdpm_error *reterr);

/**
 * ssdpm_findings_to_json() - "diagnosis" of ssdpm.model/1
 * @ret_text: an object with this one member, for more_json of struct
 *            ssdpm_object; free it with free()
 *
 * Return: 0, -ENOMEM.
 */
SSDPM_API int ssdpm_findings_to_json(const struct ssdpm_finding *findings,
				     size_t n, char **ret_text,
				     struct ssdpm_error *reterr);

/**
 * ssdpm_finding_code_to_string() - "never-entered" and so on, or NULL
 */
SSDPM_API const char *ssdpm_finding_code_to_string(uint32_t code);
SSDPM_API uint32_t ssdpm_finding_code_from_string(const char *word);

#ifdef __cplusplus
}
#endif

#endif
