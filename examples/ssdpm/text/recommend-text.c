/* SPDX-License-Identifier: MIT */
#include "text/recommend-text.h"

#include "work/comparison.h"

#include "input/kernel-settings.h"
#include "options/numbers.h"
#include "text/output.h"

#include "base/quantity.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* A text of one or more lines that is put together. */
struct text {
	char text[2048];
	size_t length;
};

static void add(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add(struct text *text, const char *format, ...)
{
	size_t room = sizeof(text->text) - text->length;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text->text + text->length, room, format, args);
	va_end(args);
	if (n > 0)
		text->length += (size_t)n < room ? (size_t)n : room - 1;
}

/* What Linux is told, with its defaults where the route leaves them alone. */
static struct ssdpm_apst_params params_of(const struct ssdpm_recommendation *r)
{
	struct ssdpm_apst_params params;

	ssdpm_apst_params_init(&params, sizeof(params));
	params.max_exit_latency_us = r->limit_us;
	if (r->route != SSDPM_ROUTE_NVME_CORE)
		return params;
	params.primary_timeout_ms = r->primary_timeout_ms;
	params.primary_latency_tolerance_us = r->primary_latency_tolerance_us;
	params.secondary_timeout_ms = r->secondary_timeout_ms;
	params.secondary_latency_tolerance_us =
		r->secondary_latency_tolerance_us;
	return params;
}

static struct quantity limit_text(uint64_t us)
{
	return us == SSDPM_LATENCY_ANY ? (struct quantity){ "any" } :
					 ssdpm__format_us(us);
}

static void add_setting(struct text *text, const struct ssdpm_recommendation *r)
{
	struct ssdpm_apst_params params = params_of(r);
	struct setting settings[MAX_SETTINGS], *limit;
	char changed[400];
	bool is_usual;

	if (r->route == SSDPM_ROUTE_RAW_TABLE) {
		add(text, "set a raw table");
		return;
	}
	get_settings(&params, settings);
	limit = &settings[MAX_SETTINGS - 1];
	is_usual = limit->value == limit->usual;
	limit->value = limit->usual; /* it has words of its own */
	join_settings(settings, false, "", changed, sizeof(changed));
	if (is_usual && !changed[0])
		add(text, "go back to the defaults of Linux");
	else if (is_usual)
		add(text, "set %s", changed);
	else
		add(text, "set %s%sthe latency limit to %s", changed,
		    changed[0] ? " and " : "", limit_text(r->limit_us).text);
}

/* What keeps the bounds would cost, and nobody asked for that. */
static void add_cost(struct text *text, const struct advice *a,
		     const struct ssdpm_recommendation *r)
{
	if (r->today_keeps_bounds)
		add(text, "leave all as it is: the best of this route (");
	else
		add(text,
		    "leave all as it is, or ask for less delay with "
		    "--may-cost: %s is beyond the bounds; the best within "
		    "them (",
		    a->from.name);
	add_setting(text, r);
	add(text, ") %s", saving_text(&r->saving).text);
}

/* "set X: saves a (b..c) on this workload; delays n % of the I/Os by d" */
static void add_sentence(struct text *text, const struct advice *a,
			 const struct ssdpm_recommendation *r)
{
	const struct ssdpm_run *run = &r->run;

	if (!r->possible) {
		add(text, "no setting keeps the bounds");
		return;
	}
	if (r->advice == SSDPM_ADVICE_KEEP) {
		add(text, "leave all as it is: nothing to gain");
	} else if (r->advice == SSDPM_ADVICE_COSTS) {
		add_cost(text, a, r);
	} else {
		add_setting(text, r);
		add(text, ": ");
		add(text, "%s", saving_text(&r->saving).text);
	}
	add(text, " against %s on this workload; ", a->from.name);
	if (run->n_delayed)
		add(text, "delays %s of the I/Os by %s on average",
		    share_text(run->n_delayed, all_ios(run)).text,
		    time_text(run->delay_mean_delayed_ns).text);
	else
		add(text, "delays no I/O");
}

/* The system takes more than is saved: cmd/recommend.c has looked. */
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

/* What is lost without its sign, in whole units by unit, with n digits behind
 * the point; nothing has no sign. */
static double turned(double value, bool costs, double unit, int n)
{
	double half = n ? 0.005 : 0.5;

	value = (double)(int64_t)value / (costs ? -unit : unit);
	return value < half && value > -half ? 0 : value;
}

static void add_use(struct text *text, const struct use *use,
		    const struct ssdpm_saving *s)
{
	bool costs = s->nominal_uw < 0;
	struct ssdpm_gain gain;

	if (use->battery_mwh) {
		gain = battery_of(use, s);
		add(text, "; a battery lasts %.0f minutes %s (%.0f..%.0f)",
		    turned(gain.nominal, costs, 60, 0), costs ? "less" : "more",
		    turned(costs ? gain.high : gain.low, costs, 60, 0),
		    turned(costs ? gain.low : gain.high, costs, 60, 0));
	}
	if (use->hours_per_day) {
		gain = year_of(use, s);
		add(text, "; in a year it takes %.2f kWh %s (%.2f..%.2f)",
		    turned(gain.nominal, costs, 1e3, 2),
		    costs ? "more" : "less",
		    turned(costs ? gain.high : gain.low, costs, 1e3, 2),
		    turned(costs ? gain.low : gain.high, costs, 1e3, 2));
	}
}

static void print_settings(const struct advice *a,
			   const struct ssdpm_recommendation *r)
{
	const struct drive *drive = a->subject->drive;
	struct ssdpm_apst_params params = params_of(r);
	struct setting settings[MAX_SETTINGS];
	char changed[400], *apply = NULL;

	if (r->route == SSDPM_ROUTE_RAW_TABLE)
		apply = apply_table_text(drive, a->raw_path);
	if (apply) {
		printf("  now, as root, with the %s that --raw writes; Linux "
		       "6.12.110 and later refuse it:\n    %s\n",
		       a->raw_path ? "file" : "FILE", apply);
		free(apply);
		return;
	}
	if (r->route == SSDPM_ROUTE_RAW_TABLE) {
		puts("  now, as root, with the file that --raw writes; Linux "
		     "6.12.110 and later refuse it:\n"
		     "    nvme set-feature /dev/nvmeN -f 0x0c -v 1 -l 256 -d "
		     "FILE");
		return;
	}
	print_sysfs(drive, &params);
	get_settings(&params, settings);
	join_settings(settings, false, "", changed, sizeof(changed));
	if (changed[0])
		printf("  at boot, for all NVMe drives, in "
		       "/etc/modprobe.d/nvme.conf:\n"
		       "    options nvme_core %s\n",
		       changed);
}

void print_advice(const struct advice *a, const struct sim_options *options)
{
	const struct ssdpm_model_info *info =
		ssdpm_model_get_info(a->subject->drive->model);

	printf("%s%s%s on %s\n", a->subject->drive->name,
	       info->product[0] ? ": " : "", info->product, a->trace);
	print_taken(a->subject, options);
	if (a->from.what.kind == SSDPM_POLICY_TODAY) {
		fputs("  today: ", stdout);
		print_apst(&a->today.apst);
		putchar('\n');
	}
	if (a->usual_bounds)
		printf("  by default, I/Os may wait %s on average, p99 %s\n",
		       time_text(a->bounds.max_delay_mean_ns).text,
		       time_text(a->bounds.max_delay_p99_ns).text);
	const struct ssdpm_recommendation *r;

	for (size_t i = 0; (r = route_of(a, i)); i++) {
		struct ssdpm_resolved_policy resolved = { .apst = r->apst };
		struct text text = { .length = 0 };

		add_sentence(&text, a, r);
		if (r->advice == SSDPM_ADVICE_SET)
			add_use(&text, a->use, &r->saving);
		printf("%s: %s\n", ssdpm_route_to_string(r->route), text.text);
		if (r->advice != SSDPM_ADVICE_SET)
			continue;
		fputs("  the table: ", stdout);
		print_apst(&resolved.apst);
		putchar('\n');
		print_settings(a, r);
	}
}

void write_advice_texts(struct json_writer *w, const struct advice *a)
{
	ssdpm__json_begin(w, NULL, '[');
	const struct ssdpm_recommendation *r;

	for (size_t i = 0; (r = route_of(a, i)); i++) {
		struct text text = { .length = 0 };

		add(&text, "%s: ", ssdpm_route_to_string(r->route));
		add_sentence(&text, a, r);
		if (r->advice == SSDPM_ADVICE_SET)
			add_use(&text, a->use, &r->saving);
		ssdpm__json_begin(w, NULL, '{');
		ssdpm__json_string(w, "text", text.text);
		ssdpm__json_end(w, '}');
	}
	ssdpm__json_end(w, ']');
}

#define N_ROUTES SSDPM_ROUTE_RAW_TABLE

/* What the words of a recommendation point to. */
struct words {
	struct text text;
	char *apply; /* free() */
	char modprobe[440];
	struct sysfs_values sysfs;
	struct ssdpm_sysfs_value values[MAX_SETTINGS + 1];
};

/* What to tell Linux. */
static void add_kernel_words(const struct drive *drive,
			     const struct ssdpm_recommendation *r,
			     struct words *words,
			     struct ssdpm_recommendation_words *ret)
{
	struct ssdpm_apst_params params = params_of(r);
	struct setting settings[MAX_SETTINGS];
	char changed[400];

	words->apply = apply_text(drive, &params);
	get_sysfs(drive, &params, &words->sysfs);
	for (size_t i = 0; i < words->sysfs.n; i++)
		words->values[i] = (struct ssdpm_sysfs_value){
			.path = words->sysfs.values[i].path,
			.value = words->sysfs.values[i].value,
		};
	ret->sysfs = words->values;
	ret->n_sysfs = words->sysfs.n;
	get_settings(&params, settings);
	join_settings(settings, false, "", changed, sizeof(changed));
	if (!changed[0])
		return;
	snprintf(words->modprobe, sizeof(words->modprobe),
		 "options nvme_core %s", changed);
	ret->modprobe = words->modprobe;
}

static struct ssdpm_recommendation_words words_of(
	const struct advice *a, const struct ssdpm_recommendation *r,
	struct words *words)
{
	const struct drive *drive = a->subject->drive;
	struct ssdpm_recommendation_words result = { .text = words->text.text };

	words->text.length = 0;
	words->apply = NULL;
	add_sentence(&words->text, a, r);
	if (r->advice != SSDPM_ADVICE_SET)
		return result;
	if (r->route == SSDPM_ROUTE_RAW_TABLE)
		words->apply = apply_table_text(drive, a->raw_path);
	else
		add_kernel_words(drive, r, words, &result);
	result.apply = words->apply;
	return result;
}

void write_advice(struct json_writer *w, const struct advice *a,
		  const struct sim_options *options)
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
	char *text = NULL;

	for (size_t i = 0; i < N_ROUTES && (r = route_of(a, i)); i++)
		words[report.n_words++] = words_of(a, r, &kept[i]);
	ssdpm_recommendation_report_to_json(&report, &text, NULL);
	add_written(w, text);
	for (size_t i = 0; i < report.n_words; i++)
		free(kept[i].apply);
}
