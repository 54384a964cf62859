/* SPDX-License-Identifier: MIT */
/* The numbers of a survey for people. */
#include "report/report.h"

#include "measure/measure.h"

#include <math.h>
#include <string.h>

static struct number signed_text(double value, struct number text)
{
	struct number number;

	snprintf(number.text, sizeof(number.text), "%s%.28s",
		 value < 0 ? "-" : "", text.text);
	return number;
}

struct number quantity_text(uint32_t quantity, double value)
{
	struct number text;

	if (quantity == SSDPM_SURVEY_POWER)
		return watts_text(value);
	if (!(fabs(value) < 9e15))
		return (struct number){ "unknown" };
	if (quantity == SSDPM_SURVEY_LATENCY)
		return signed_text(
			value, time_text((uint64_t)(fabs(value) * 1e3 + 0.5)));
	text = bytes_text((uint64_t)(fabs(value) + 0.5));
	strcat(text.text, "/s");
	return signed_text(value, text);
}

struct survey_range quantity_range(uint32_t quantity, double low, double high)
{
	struct survey_range range;

	snprintf(range.text, sizeof(range.text), "%s to %s",
		 quantity_text(quantity, low).text,
		 quantity_text(quantity, high).text);
	return range;
}

struct number survey_p_text(double p)
{
	struct number text;

	if (p < 0.001)
		snprintf(text.text, sizeof(text.text), "< 0.001");
	else
		snprintf(text.text, sizeof(text.text), "%.3f", p);
	return text;
}

const char *survey_policy(const struct survey_report *report, uint32_t policy)
{
	return ssdpm_survey_file_get_policy(report->file, policy);
}

struct survey_title survey_title(uint32_t quantity, bool fio, const char *of)
{
	static const char *const words[] = {
		[SSDPM_SURVEY_POWER] = "mean power",
		[SSDPM_SURVEY_LATENCY] = "latency",
		[SSDPM_SURVEY_THROUGHPUT] = "throughput",
	};
	struct survey_title title;

	snprintf(title.text, sizeof(title.text), "%s, %s%.255s",
		 words[quantity], fio ? "fio " : "", of);
	return title;
}

struct survey_title comparison_title(const struct ssdpm_survey_comparison *c)
{
	return survey_title(c->quantity, c->fio, c->of);
}
