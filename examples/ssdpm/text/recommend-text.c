/* SPDX-License-Identifier: MIT */
#include "work/advise.h"

#include "work/comparison.h"

#include "options/advised.h"
#include "input/live.h"
#include "options/numbers.h"
#include "text/device.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* To set it, or to have Linux build the table of what is set. */
static bool is_change(const struct ssdpm_recommendation *r)
{
	return r->advice == SSDPM_ADVICE_SET ||
	       r->advice == SSDPM_ADVICE_REBUILD;
}

struct cell refusal_of(const struct advice *a,
		       const struct ssdpm_recommendation *r)
{
	const struct drive *drive = a->subject->drive;
	struct ssdpm_error error = { 0 };
	struct changes changes;

	if (r->route != SSDPM_ROUTE_RAW_TABLE || !drive->live ||
	    ssdpm_recommendation_get_changes(r, drive->device,
					     &drive->live->facts, &changes.all,
					     &changes.n, &error) != -EOPNOTSUPP)
		return cell("%s", "");
	return cell("%s", error.message);
}

/* The changes for it; none: out of memory, or a raw table. */
static struct changes changes_of(const struct drive *drive,
				 const struct ssdpm_recommendation *r)
{
	struct changes changes = { 0 };

	if (r->route != SSDPM_ROUTE_RAW_TABLE &&
	    ssdpm_recommendation_get_changes(
		    r, drive->device, drive->live ? &drive->live->facts : NULL,
		    &changes.all, &changes.n, NULL))
		complain("out of memory");
	return changes;
}

static void write_table_setting(FILE *file, const struct advice *a,
				const struct ssdpm_recommendation *r)
{
	struct changes changes = changes_of(a->subject->drive, r);
	struct ssdpm_apst_params usual;
	const char *last = NULL;
	char changed[400];
	bool has_limit;

	ssdpm_apst_params_init(&usual, sizeof(usual));
	if (changes.n)
		last = parameter_of(&changes.all[changes.n - 1]);
	has_limit = last && !strcmp(last, "default_ps_max_latency_us");
	changes.n -= has_limit; /* it has separate words */
	join_changes(&changes, "", changed, sizeof(changed));
	free(changes.all);
	if (r->route == SSDPM_ROUTE_RAW_TABLE) {
		fprintf(file, "set a raw table");
		return;
	}
	fprintf(file, "set %s", changed);
	if (changed[0] && !has_limit)
		return;
	fprintf(file, "%sthe latency limit to %s", changed[0] ? " and " : "",
		limit_text(r->limit_us).text);
	if (!changed[0] && r->limit_us == usual.max_exit_latency_us)
		fprintf(file, ", as Linux does");
}

static void write_setting(FILE *file, const struct advice *a,
			  const struct ssdpm_recommendation *r)
{
	if (r->route == SSDPM_ROUTE_LINK_POLICY)
		fprintf(file, "set the link policy to %s",
			ssdpm_lpm_to_string(r->lpm));
	else if (r->advice == SSDPM_ADVICE_REBUILD)
		fprintf(file,
			"have Linux build its APST table of the latency limit "
			"%s",
			limit_text(r->limit_us).text);
	else
		write_table_setting(file, a, r);
}

/* "set X) saves 5 mW", "set X) is not decided: 5 mW" */
static void write_effect(FILE *file, const struct advice *a,
			 const struct ssdpm_recommendation *r)
{
	write_setting(file, a, r);
	fprintf(file, ") %s%s",
		r->likely->verdict == SSDPM_SAVING_NOT_DECIDED ? "is " : "",
		saving_text(r->likely).text);
}

/* The best within the bounds would cost, and the caller did not allow that. */
static void write_cost(FILE *file, const struct advice *a,
		       const struct ssdpm_recommendation *r)
{
	if (r->today_keeps_bounds)
		fprintf(file, "leave all as it is: the best of this route (");
	else
		fprintf(file,
			"leave all as it is, or ask for less delay with "
			"--may-cost: %s is beyond the bounds; the best within "
			"them (",
			a->from.name);
	write_effect(file, a, r);
}

/* The drive does the same, or nearly so. */
static void write_keep(FILE *file, const struct advice *a,
		       const struct ssdpm_recommendation *r)
{
	/* The possible range decides this, not the likely one. */
	if (!r->saving.low_uw && !r->saving.high_uw) {
		fprintf(file, "leave all as it is: nothing better found");
		return;
	}
	fprintf(file, "leave all as it is: the best of this route (");
	write_effect(file, a, r);
}

/*
 * "set X: saves a (likely b to c) on this workload; delays n % of the I/Os by
 * d"
 */
static void write_sentence(FILE *file, const struct advice *a,
			   const struct ssdpm_recommendation *r)
{
	if (!r->possible) {
		fprintf(file, "no setting keeps the bounds");
		return;
	}
	if (r->advice == SSDPM_ADVICE_KEEP) {
		write_keep(file, a, r);
	} else if (r->advice == SSDPM_ADVICE_COSTS) {
		write_cost(file, a, r);
	} else {
		write_setting(file, a, r);
		fprintf(file, ": %s", saving_text(r->likely).text);
	}
	fprintf(file, " against %s on this workload; %s", a->from.name,
		delays_text(r->run).text);
}

/* The gain on battery; cmd/recommend.c has checked the system's power. */
static struct ssdpm_gain battery_of(const struct use *use,
				    const struct ssdpm_saving *saving)
{
	struct ssdpm_gain gain = { 0 };

	ssdpm_saving_get_battery_s(saving, (double)use->battery_mwh,
				   (double)use->system_uw, &gain, NULL);
	return gain;
}

static struct ssdpm_gain year_of(const struct use *use,
				 const struct ssdpm_saving *saving)
{
	struct ssdpm_gain gain;

	ssdpm_saving_get_year_wh(saving, use->hours_per_day, &gain);
	return gain;
}

/* The value in units, without its sign if it is a cost. */
static double turned(double value, bool costs, double unit, int n)
{
	return without_zero_sign(
		(double)(int64_t)value / (costs ? -unit : unit), n);
}

static void write_likely(FILE *file, const struct ssdpm_gain *gain, bool costs,
			 double unit, int n)
{
	fprintf(file, " (likely %.*f to %.*f)", n,
		turned(costs ? gain->high : gain->low, costs, unit, n), n,
		turned(costs ? gain->low : gain->high, costs, unit, n));
}

static void write_use(FILE *file, const struct use *use,
		      const struct ssdpm_saving *expected)
{
	bool costs = expected->nominal_uw < 0;
	struct ssdpm_gain gain;
	int n;

	if (use->battery_mwh) {
		gain = battery_of(use, expected);
		n = lasting_digits(gain.nominal);
		fprintf(file, "; a battery lasts %s %s (likely %s)",
			lasting_text(60 * turned(gain.nominal, costs, 60, n), n)
				.text,
			costs ? "less" : "more",
			lasting_range_text(
				60 * turned(costs ? gain.high : gain.low, costs,
					    60, n),
				60 * turned(costs ? gain.low : gain.high, costs,
					    60, n),
				n)
				.text);
	}
	if (use->hours_per_day) {
		gain = year_of(use, expected);
		fprintf(file, "; in a year it takes %.2f kWh %s",
			turned(gain.nominal, costs, 1e3, 2),
			costs ? "more" : "less");
		write_likely(file, &gain, costs, 1e3, 2);
	}
}

static void print_raw_table(const struct advice *a)
{
	const struct live *live = a->subject->drive->live;
	char *apply = apply_table_there_text(a->subject->drive, a->raw_path);

	if (apply)
		printf("  now%s, as root, with the %s that --raw writes; Linux "
		       "6.12.110, 7.2 and later refuse it:\n    %s\n",
		       live && live->root ? ", on that machine" : "",
		       a->raw_path ? "file" : "FILE", apply);
	else
		puts("  now, as root, with the file that --raw writes; Linux "
		     "6.12.110, 7.2 and later refuse it:\n"
		     "    nvme set-feature /dev/nvmeN -f 0x0c -v 1 -l 256 -d "
		     "FILE");
	free(apply);
}

static void print_rebuild(const struct drive *drive,
			  const struct changes *changes)
{
	printf("  now%s, as root; the limit is set, and only a change of it "
	       "takes effect:\n",
	       drive->live && drive->live->root ? ", on that machine" : "");
	for (size_t i = 0; i < changes->n; i++)
		if (!parameter_of(&changes->all[i]))
			printf("    echo %s > %s\n", changes->all[i].value,
			       changes->all[i].target);
}

static void print_settings(const struct advice *a,
			   const struct ssdpm_recommendation *r)
{
	const struct drive *drive = a->subject->drive;
	struct changes changes;
	char changed[400];

	if (r->route == SSDPM_ROUTE_RAW_TABLE) {
		print_raw_table(a);
		return;
	}
	changes = changes_of(drive, r);
	if (r->advice == SSDPM_ADVICE_REBUILD)
		print_rebuild(drive, &changes);
	else
		print_sysfs(drive, &changes);
	join_changes(&changes, "", changed, sizeof(changed));
	if (changed[0])
		printf("  at boot, for all NVMe drives, in "
		       "/etc/modprobe.d/nvme.conf:\n"
		       "    options nvme_core %s\n",
		       changed);
	free(changes.all);
}

static void print_kept(const struct ssdpm_bounds *bounds,
		       const struct ssdpm_recommendation *r)
{
	if (bounds->max_delay_mean_ns == UINT64_MAX &&
	    bounds->max_delay_p99_ns == UINT64_MAX &&
	    bounds->max_exit_latency_us == UINT64_MAX)
		return;
	if (r->kept == SSDPM_KEPT_NOT) {
		puts("  the bounds are not kept: no safe link policy that sleeps keeps them");
		return;
	}
	printf("  the bounds are kept %s", ssdpm_kept_to_string(r->kept));
	if (r->kept == SSDPM_KEPT_NOMINALLY)
		printf("; at worst %s on average, p99 %s",
		       time_text(r->high->delay_mean_ns).text,
		       time_text(r->high->delay_p99_ns).text);
	putchar('\n');
}

/* Explains what the routes may save, and the values that decide. */
static void explain_advice(const struct advice *a)
{
	const struct ssdpm_recommendation *r;
	struct table rows;

	putchar('\n');
	begin_possible(&rows);
	for (size_t i = 0; (r = route_of(a, i)); i++)
		if (r->possible)
			possible_row(&rows, ssdpm_route_to_string(r->route),
				     &r->saving);
	table_print(&rows);
	putchar('\n');
	print_known(a->params.parameters, a->params.n_parameters);
}

/* print_taken() reports an unknown link policy. */
static void print_today(const struct advice *a)
{
	if (a->from.what.kind != SSDPM_POLICY_TODAY)
		return;
	if (is_sata(a)) {
		if (a->today.lpm >= SSDPM_LPM_MAX_PERFORMANCE)
			printf("  today: %s%s\n",
			       ssdpm_lpm_to_string(a->today.lpm),
			       a->today.lpm == SSDPM_LPM_MIN_POWER ?
				       ", which has lost data on some drives" :
				       "");
		return;
	}
	fputs("  today: ", stdout);
	print_apst(&a->today.apst);
	putchar('\n');
}

static void print_route(const struct advice *a,
			const struct ssdpm_recommendation *r)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return;
	fprintf(file, "%s: ", ssdpm_route_to_string(r->route));
	write_sentence(file, a, r);
	if (is_change(r))
		write_use(file, a->use, &r->expected);
	end_paragraph(file, &text, 0, 2);
}

static struct number bound_text(uint64_t ns)
{
	const struct number any = { "any time" };

	return ns == UINT64_MAX ? any : time_text(ns);
}

/* The delays that the recommendation may add. */
static void print_bounds(const struct advice *a)
{
	const struct ssdpm_bounds *b = &a->bounds;

	printf("  limits: delays of at most %s on average and %s for 99 of 100 I/Os; exits up to %s%s\n",
	       bound_text(b->max_delay_mean_ns).text,
	       bound_text(b->max_delay_p99_ns).text,
	       b->max_exit_latency_us == UINT64_MAX ?
		       "any time" :
		       ssdpm_us_to_text(b->max_exit_latency_us).text,
	       b->patience == SSDPM_PATIENCE_PATIENT ? ", with --patient" :
	       b->patience == SSDPM_PATIENCE_INSTANT ? ", with --instant" :
	       a->usual_bounds			     ? ", by default" :
						       "");
}

void print_advice(const struct advice *a, const struct sim_options *options,
		  bool explain)
{
	const struct ssdpm_model_info *info =
		ssdpm_model_get_info(a->subject->drive->model);

	printf("%s%s%s on %s\n", a->subject->drive->name,
	       info->product[0] ? ": " : "", info->product, a->trace);
	print_taken(a->subject, options);
	print_today(a);
	print_bounds(a);
	const struct ssdpm_recommendation *r;

	for (size_t i = 0; (r = route_of(a, i)); i++) {
		const struct cell refusal = refusal_of(a, r);

		if (refusal.text[0])
			printf("%s: not set: %s\n",
			       ssdpm_route_to_string(r->route), refusal.text);
		if (refusal.text[0])
			continue;
		print_route(a, r);
		if (!is_change(r))
			continue;
		if (r->route != SSDPM_ROUTE_LINK_POLICY) {
			fputs("  the table: ", stdout);
			print_apst(&r->apst);
			putchar('\n');
		}
		print_kept(&a->bounds, r);
		print_settings(a, r);
	}
	if (explain)
		explain_advice(a);
}

/* The first route with a change; otherwise the decision of the first. */
struct decision decide_advice(const struct advice *a)
{
	const struct ssdpm_recommendation *r, *best = route_of(a, 0);
	struct decision d = { .policy = a->from.name, .mark = "recommended" };
	size_t size;
	FILE *file = open_memstream(&d.verdict, &size);

	for (size_t i = 0; (r = route_of(a, i)); i++)
		if (is_change(r) && !refusal_of(a, r).text[0]) {
			best = r;
			d.policy = ssdpm_route_to_string(r->route);
			break;
		}
	if (best->advice == SSDPM_ADVICE_NONE)
		d.policy = d.mark = NULL;
	if (!file)
		return d;
	write_sentence(file, a, best);
	if (is_change(best))
		write_use(file, a->use, &best->expected);
	putc('.', file);
	if (fclose(file))
		return d;
	d.verdict[0] = (char)toupper((unsigned char)d.verdict[0]);
	return d;
}

#define N_ROUTES SSDPM_ROUTE_RAW_TABLE

/* The storage for the words of a recommendation. */
struct words {
	char *text;		/* free() */
	char *apply;		/* likewise */
	struct changes changes; /* likewise */
};

/* NULL: out of memory. */
static char *sentence_text(const struct advice *a,
			   const struct ssdpm_recommendation *r, bool for_page)
{
	const struct cell refusal = refusal_of(a, r);
	char *result = NULL;
	size_t size;
	FILE *file = open_memstream(&result, &size);

	if (!file)
		return NULL;
	if (for_page)
		fprintf(file, "%s: ", ssdpm_route_to_string(r->route));
	if (refusal.text[0])
		fprintf(file, "not set: %s; ", refusal.text);
	write_sentence(file, a, r);
	if (for_page && is_change(r))
		write_use(file, a->use, &r->expected);
	if (!fclose(file))
		return result;
	free(result);
	return NULL;
}

static struct ssdpm_recommendation_words words_of(
	const struct advice *a, const struct ssdpm_recommendation *r,
	struct words *words, bool for_page)
{
	const struct drive *drive = a->subject->drive;
	struct ssdpm_recommendation_words result = { .text = NULL };

	*words = (struct words){ .text = sentence_text(a, r, for_page) };
	result.text = words->text;
	if (!words->text)
		complain("out of memory");
	if (!is_change(r))
		return result;
	words->changes = changes_of(drive, r);
	result.changes = words->changes.all;
	result.n_changes = words->changes.n;
	words->apply =
		refusal_of(a, r).text[0] || r->advice == SSDPM_ADVICE_REBUILD ?
			NULL :
		r->route == SSDPM_ROUTE_RAW_TABLE ?
			apply_table_text(drive, a->raw_path) :
			apply_text(drive, &words->changes);
	result.apply = words->apply;
	return result;
}

void add_advice(struct items *items, const struct advice *a,
		const struct sim_options *options, bool for_page)
{
	struct ssdpm_recommendation_words words[N_ROUTES];
	struct words kept[N_ROUTES];
	struct ssdpm_recommendation_report report = {
		.size = sizeof(report),
		.drive = a->subject->drive->name,
		.model = a->subject->drive->model,
		.trace = a->trace,
		.counts = &a->counts,
		.params = &a->params,
		.spare_ppm = options->spare_ppm,
		.bounds = &a->bounds,
		.from = a->from.name,
		.recommendations = a->routes,
		.words = words,
		.battery_mwh = a->use->battery_mwh,
		.system_uw = a->use->system_uw,
		.hours_per_day = a->use->hours_per_day,
		.by_default = a->usual_bounds,
	};
	const struct ssdpm_recommendation *r;
	struct ssdpm_error error;
	char *text = NULL;
	int err;

	for (size_t i = 0; i < N_ROUTES && (r = route_of(a, i)); i++)
		words[report.n_words++] = words_of(a, r, &kept[i], for_page);
	err = ssdpm_recommendation_report_to_json(&report, &text, &error);
	add_item(items, err, text, &error);
	for (size_t i = 0; i < report.n_words; i++) {
		free(kept[i].text);
		free(kept[i].apply);
		free(kept[i].changes.all);
	}
}
