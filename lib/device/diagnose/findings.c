/* SPDX-License-Identifier: MIT */
/* What was found of a drive, written down: for all files of the diagnosis. */
#include "device/diagnose/diagnose.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct ssdpm_diagnosis *ssdpm__found(struct examination *e, uint32_t code,
				     uint32_t severity, const char *format, ...)
{
	struct ssdpm_diagnosis *diagnosis = &e->found[e->n];
	va_list args;

	if (e->n < MAX_DIAGNOSES - 1)
		e->n++;
	*diagnosis = (struct ssdpm_diagnosis){
		.code = code,
		.severity = severity,
	};
	va_start(args, format);
	vsnprintf(diagnosis->message, sizeof(diagnosis->message), format, args);
	va_end(args);
	return diagnosis;
}

void ssdpm__is_cause(struct examination *e,
		     const struct ssdpm_diagnosis *diagnosis)
{
	if (!e->cause)
		e->cause = (size_t)(diagnosis - e->found);
}

void ssdpm__warn(struct examination *e, const struct ssdpm_diagnosis *diagnosis)
{
	const size_t length = strlen(e->warning);

	snprintf(e->warning + length, sizeof(e->warning) - length, "%s%s",
		 length ? "; " : "", diagnosis->message);
}

void ssdpm__advise(struct ssdpm_diagnosis *diagnosis, uint32_t remedy)
{
	diagnosis->remedy = remedy;
}

void ssdpm__advise_value(struct ssdpm_diagnosis *diagnosis, const char *value,
			 const char *target, ...)
{
	struct ssdpm_change *change =
		&diagnosis->changes[diagnosis->n_changes++];
	va_list args;

	snprintf(change->value, sizeof(change->value), "%s", value);
	va_start(args, target);
	vsnprintf(change->target, sizeof(change->target), target, args);
	va_end(args);
}

/* A link that never sleeps loses nothing. */
const struct ssdpm_diagnosis *ssdpm__risk_of(
	const struct ssdpm_diagnosis *found, size_t n)
{
	if (n && found[0].code == SSDPM_DIAGNOSIS_SAVES_NOTHING)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (found[i].code == SSDPM_DIAGNOSIS_LPM_MIN_POWER)
			return &found[i];
	return NULL;
}

void ssdpm__conclude(struct examination *e, enum saving saving,
		     const char *format, ...)
{
	va_list args;

	e->saving = saving;
	va_start(args, format);
	vsnprintf(e->how, sizeof(e->how), format, args);
	va_end(args);
}

bool ssdpm__linux_is(const struct ssdpm_machine_facts *machine, uint32_t major,
		     uint32_t minor)
{
	unsigned int has_major, has_minor;

	if (sscanf(machine->linux_release, "%u.%u", &has_major, &has_minor) !=
	    2)
		return true;
	return has_major > major || (has_major == major && has_minor >= minor);
}
