/* SPDX-License-Identifier: MIT */
/* The verdict on a suspend, its evidence, and what may help. */
#include "options/numbers.h"
#include "suspend/suspend.h"
#include "programs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct told {
	const struct suspended *suspended;
	struct ssdpm_suspend_verdict verdict;
	struct ssdpm_suspend_evidence *evidence;
	size_t n_evidence;
	struct ssdpm_suspend_remedy *remedies;
	size_t n_remedies;
};

static void print_not_reached(const struct ssdpm_suspend_verdict *v)
{
	if (!v->wanted[0])
		puts("not reached: no counter of deep sleep grew");
	else if (v->deepest[0])
		printf("not reached: %s was not reached, only %s\n", v->wanted,
		       v->deepest);
	else
		printf("not reached: %s was not reached, nor another "
		       "substate\n",
		       v->wanted);
}

static void print_outcome(const struct told *told)
{
	const struct ssdpm_suspend_verdict *v = &told->verdict;

	switch (v->outcome) {
	case SSDPM_SUSPEND_OUTCOME_REACHED:
		printf("reached: %s\n",
		       v->wanted[0] ? v->wanted : "the deepest sleep");
		break;
	case SSDPM_SUSPEND_OUTCOME_NOT_REACHED:
		print_not_reached(v);
		break;
	case SSDPM_SUSPEND_OUTCOME_CONTRADICTED:
		puts("contradicted: some evidence says that the deepest sleep "
		     "was reached,\nsome that it was not");
		break;
	case SSDPM_SUSPEND_OUTCOME_NO_SUSPEND:
		puts(told->suspended->before ?
			     "no suspend between the two readings" :
			     "no suspend since the machine was started");
		break;
	case SSDPM_SUSPEND_OUTCOME_FAILED:
		puts("failed: Linux gave up each suspend");
		break;
	case SSDPM_SUSPEND_OUTCOME_FIRMWARE:
		puts("suspend is S3 here (mem_sleep is deep): the firmware "
		     "takes the power,\nand no counter of s2idle applies");
		break;
	default:
		printf("this %s cannot say: no counter of deep sleep can be "
		       "read\nLinux 6.4 and later have one in suspend_stats; "
		       "others require root\n",
		       told->suspended->live->root ? "capture" : "kernel");
		break;
	}
}

/* The readings of counters and clocks on time and power. */
static void print_times(const struct told *told)
{
	const struct ssdpm_suspend_verdict *v = &told->verdict;

	if (!v->n_suspends || v->outcome == SSDPM_SUSPEND_OUTCOME_FIRMWARE)
		return;
	if (v->n_suspends != UINT32_MAX)
		printf("%s", counted(v->n_suspends, "suspend").text);
	else
		fputs("suspends: unknown", stdout);
	if (v->asleep_us != SSDPM_SUSPEND_UNKNOWN)
		printf(", %s by the clocks",
		       time_text(v->asleep_us * 1000).text);
	if (v->deep_us != SSDPM_SUSPEND_UNKNOWN)
		printf(", deep sleep %s", time_text(v->deep_us * 1000).text);
	if (v->battery_uw != SSDPM_SUSPEND_UNKNOWN)
		printf(", batteries gave %s",
		       any_power_text(v->battery_uw).text);
	putchar('\n');
}

static void add_features(FILE *file, const char *word, uint32_t bits)
{
	const char *between = word;

	for (uint32_t bit = 1; bits; bit <<= 1) {
		if (bits & bit) {
			fprintf(file, "%s%s", between,
				ssdpm_pcie_feature_to_string(bit));
			between = ", ";
		}
		bits &= ~bit;
	}
}

/* A drive over a network has no link here, and Linux sees none out of reach. */
static bool has_link(const struct ssdpm_device_facts *f)
{
	return f->kind == SSDPM_KIND_NVME && f->reach == SSDPM_REACH_YES &&
	       !(f->flags & SSDPM_DEVICE_FABRICS);
}

/* As it is now: a link that cannot save power here may prevent deep sleep. */
static void print_link(const struct ssdpm_device_facts *f)
{
	char *text = NULL;
	size_t size;
	FILE *file;

	if (!has_link(f))
		return;
	if (!(f->known & SSDPM_FACT_PCIE)) {
		puts("  its link: unknown");
		return;
	}
	file = open_memstream(&text, &size);
	if (!file)
		return;
	add_features(file, "its link: on ", f->pcie_enabled);
	add_features(file, f->pcie_enabled ? "; off " : "its link: off ",
		     f->pcie_capable & ~f->pcie_enabled);
	if (!fclose(file))
		print_paragraph(text, 2, 2);
	free(text);
}

static enum exit_status print_drives(const struct told *told,
				     const struct ssdpm_suspend_params *params)
{
	for (size_t i = 0; i < params->n_drives; i++) {
		const struct ssdpm_device_facts *f = params->drives[i].facts;
		struct ssdpm_error error;
		char *plan;

		if (ssdpm_suspend_explain_plan(params, i, told->verdict.outcome,
					       &plan, &error))
			return failure("%s: %s", f->name, error.message);
		if (plan || has_link(f))
			printf("%s%s%s:\n", f->name, f->product[0] ? ", " : "",
			       f->product);
		if (plan)
			print_paragraph(plan, 2, 2);
		print_link(f);
		free(plan);
	}
	return STATUS_DONE;
}

static bool is_of_drive(const struct told *told, const char *address)
{
	for (size_t i = 0; i < told->suspended->n_drives; i++)
		if (!strcmp(told->suspended->drives[i].facts->address, address))
			return true;
	return false;
}

/* Sources of wake-ups that did not count, and other devices, are left out. */
static bool is_shown(const struct told *told,
		     const struct ssdpm_suspend_evidence *e)
{
	switch (e->counter) {
	case SSDPM_SLEEP_COUNTER_D_STATE:
	case SSDPM_SLEEP_COUNTER_SIMPLE_SUSPEND:
		return told->suspended->common->verbose ||
		       is_of_drive(told, e->name);
	case SSDPM_SLEEP_COUNTER_WAKE_SOURCE:
		return e->after != e->before;
	case SSDPM_SLEEP_COUNTER_SUCCESS:
	case SSDPM_SLEEP_COUNTER_FAIL:
	case SSDPM_SLEEP_COUNTER_ASLEEP:
		return false;
	default:
		return true;
	}
}

static struct cell value_of(const struct ssdpm_suspend_evidence *e,
			    uint32_t known, uint64_t value)
{
	static const char states[][8] = { "D0", "D1", "D2", "D3hot", "D3cold" };

	if (!(e->known & known) ||
	    e->counter == SSDPM_SLEEP_COUNTER_FAILED_DEVICE)
		return cell("%s", "");
	switch (e->counter) {
	case SSDPM_SLEEP_COUNTER_D_STATE:
		return cell("%s", value < 5 ? states[value] : "?");
	case SSDPM_SLEEP_COUNTER_SIMPLE_SUSPEND:
		return cell("%s", value ? "yes" : "no");
	case SSDPM_SLEEP_COUNTER_BATTERY:
		return cell("%.2f Wh", (double)value / 1e6);
	case SSDPM_SLEEP_COUNTER_WAKE_IRQ:
	case SSDPM_SLEEP_COUNTER_WAKE_SOURCE:
		return cell("%" PRIu64, value);
	default:
		return cell("%s", value ? time_text(value * 1000).text : "0");
	}
}

/* "for" and "against" are the answer to the question of the command. */
static void print_evidence(const struct told *told)
{
	struct table table;

	table_begin(&table, "<>><<", "evidence", "before", "after", "says", "");
	for (size_t i = 0; i < told->n_evidence; i++) {
		const struct ssdpm_suspend_evidence *e = &told->evidence[i];
		const char *file = strrchr(e->source, '/');

		if (!is_shown(told, e))
			continue;
		table_row(
			&table,
			cell("%s%s%s",
			     ssdpm_sleep_counter_to_string(e->counter),
			     e->name[0] ? " " : "", e->name)
				.text,
			value_of(e, SSDPM_SUSPEND_KNOWN_BEFORE, e->before).text,
			value_of(e, SSDPM_SUSPEND_KNOWN_AFTER, e->after).text,
			e->bearing == SSDPM_SUSPEND_BEARING_NONE ?
				"" :
				ssdpm_suspend_bearing_to_string(e->bearing),
			file ? file + 1 : e->source);
	}
	table_print(&table);
}

static void advise(const struct told *told)
{
	const struct suspended *s = told->suspended;

	if (s->common->quiet || s->live->root)
		return;
	if (geteuid() &&
	    told->verdict.outcome != SSDPM_SUSPEND_OUTCOME_FIRMWARE)
		remark("only root can read the counters below "
		       "/sys/kernel/debug; try: sudo ssdpm suspend");
}

static void print_culprit(const struct ssdpm_suspend_verdict *v)
{
	if (v->culprit[0])
		printf(v->outcome == SSDPM_SUSPEND_OUTCOME_FAILED ?
			       "the device that failed last: %s\n" :
			       "probably because of %s, as in a public case\n",
		       v->culprit);
}

static enum exit_status print_told(const struct told *told,
				   const struct ssdpm_suspend_params *params)
{
	const struct ssdpm_suspend_verdict *v = &told->verdict;
	enum exit_status status;

	print_outcome(told);
	print_culprit(v);
	print_times(told);
	putchar('\n');
	status = print_drives(told, params);
	print_evidence(told);
	print_suspend_remedies(told->suspended, told->remedies,
			       told->n_remedies);
	advise(told);
	return status;
}

enum exit_status print_suspended(const struct suspended *suspended)
{
	const struct ssdpm_suspend_params params = suspend_params(suspended);
	struct told told = { .suspended = suspended,
			     .verdict.size = sizeof(told.verdict) };
	enum exit_status status = STATUS_DONE;
	struct ssdpm_error error;
	char *text = NULL;
	int err;

	if (suspended->common->form) {
		err = ssdpm_suspend_to_json(&params, &text, &error);
		return print_item(suspended->common, err, text, &error);
	}
	err = ssdpm_suspend_judge(&params, &told.verdict, &told.evidence,
				  &told.n_evidence, &error);
	if (!err)
		err = ssdpm_suspend_get_remedies(&params, told.verdict.outcome,
						 &told.remedies,
						 &told.n_remedies, &error);
	if (!err)
		status = print_told(&told, &params);
	free(told.remedies);
	free(told.evidence);
	return err ? failure("%s", error.message) : status;
}
