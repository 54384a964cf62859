/* SPDX-License-Identifier: MIT */
#include "input/power-cap.h"
#include "options/apst-options.h"
#include "work/comparison.h"

#include <inttypes.h>
#include <string.h>

void add_estimate(struct items *items, const struct sim_options *options,
		  const struct estimate *e, const struct cap_answer *cap)
{
	const struct job *job = &e->jobs[0];
	const struct ssdpm_background_work *b = &e->subject->background;
	const struct ssdpm_estimate_report report = {
		.size = sizeof(report),
		.drive = e->subject->drive->name,
		.model = e->subject->drive->model,
		.trace = e->trace,
		.counts = &e->counts,
		.policy = job->policy->name,
		.resolved = &job->row.resolved,
		.sim = job->row.sim,
		.spare_ppm = options->spare_ppm,
		.background = b->nominal_wa >= 1 ? b : NULL,
		.cap_run = cap ? &cap->run : NULL,
		.cap_points = cap ? cap->points : NULL,
		.n_cap_points = cap ? cap->n_points : 0,
	};
	struct ssdpm_error error;
	char *text = NULL;
	int err = ssdpm_estimate_report_to_json(&report, &text, &error);

	add_item(items, err, text, &error);
}

static void print_states_csv(const struct estimates *all)
{
	puts("drive,trace,policy,state,time_ns,entry_ns,exit_ns,energy_nj,"
	     "n_entries,n_wakes");
	for (size_t i = 0; i < all->n; i++) {
		const struct estimate *e = &all->estimates[i];
		const struct ssdpm_run *run = e->jobs[0].row.result->nominal;
		size_t n;

		ssdpm_model_get_states(e->subject->drive->model, &n);
		for (size_t j = 0; j < n; j++) {
			const struct ssdpm_residency *r = &run->states[j];

			csv_names(e, &e->jobs[0]);
			printf("%zu,%" PRIu64 ",%" PRIu64 ",%" PRIu64
			       ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
			       j, r->time_ns, r->entry_ns, r->exit_ns,
			       r->energy_nj, r->n_entries, r->n_wakes);
		}
	}
}

static void print_intervals_csv(const struct estimates *all)
{
	puts("drive,trace,policy,start_ns,energy_nj,busy_ns,idle_ns,asleep_ns,"
	     "transition_ns,n_ios,delay_sum_ns");
	for (size_t i = 0; i < all->n; i++) {
		const struct estimate *e = &all->estimates[i];
		size_t n;
		const struct ssdpm_interval *p =
			ssdpm_sim_get_intervals(e->jobs[0].row.sim, &n);

		for (size_t j = 0; j < n; j++) {
			csv_names(e, &e->jobs[0]);
			printf("%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			       ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			       "\n",
			       p[j].start_ns, p[j].energy_nj, p[j].busy_ns,
			       p[j].idle_ns, p[j].asleep_ns, p[j].transition_ns,
			       p[j].n_ios, p[j].delay_sum_ns);
		}
	}
}

/* A figure of a run, and how it is written. */
static const struct {
	const char *name;
	struct number (*text)(uint64_t value);
	size_t offset;
} figures[] = {
#define FIGURE(member) offsetof(struct ssdpm_run, member)
	{ "energy", energy_text, FIGURE(energy_nj) },
	{ "mean power", any_power_text, FIGURE(mean_power_uw) },
	{ "energy of transitions", energy_text, FIGURE(transition_nj) },
	{ "wakes", count_text, FIGURE(n_wakes) },
	{ "deepest state entered a day", count_text, FIGURE(deepest_per_day) },
	{ "I/Os delayed", NULL, FIGURE(n_delayed) },
	{ "delay of these, mean", time_text, FIGURE(delay_mean_delayed_ns) },
	{ "delay of all I/Os, mean", time_text, FIGURE(delay_mean_ns) },
	{ "  of 50 % at most", time_text, FIGURE(delay_p50_ns) },
	{ "  of 99 % at most", time_text, FIGURE(delay_p99_ns) },
	{ "  of 99.9 % at most", time_text, FIGURE(delay_p999_ns) },
	{ "  at most", time_text, FIGURE(delay_max_ns) },
};

/* A count without a text is a share of the I/Os. */
static struct number figure_text(size_t i, const struct ssdpm_run *run)
{
	uint64_t value;

	memcpy(&value, (const char *)run + figures[i].offset, sizeof(value));
	return figures[i].text ? figures[i].text(value) :
				 share_text(value, all_ios(run));
}

/* Below the mean power; all three are the same where it is certain. */
static void likely_row(struct table *rows, const struct ssdpm_prediction *p)
{
	if (p->likely_low_uw != p->likely_high_uw)
		table_row(rows, "  likely (5, 50, 95 %)",
			  any_power_text(p->likely_low_uw).text,
			  any_power_text(p->likely_median_uw).text,
			  any_power_text(p->likely_high_uw).text);
}

static void print_bounds(const struct ssdpm_result *r,
			 const struct ssdpm_prediction *p)
{
	struct table rows;

	table_begin(&rows, "<>>>", "", "low", "nominal", "high");
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		table_row(&rows, figures[i].name, figure_text(i, r->low).text,
			  figure_text(i, r->nominal).text,
			  figure_text(i, r->high).text);
		if (figures[i].offset == FIGURE(mean_power_uw))
			likely_row(&rows, p);
	}
	table_print(&rows);
}

/* The states of a SATA drive are those of its link. */
static const char *state_word(const struct drive *drive, uint32_t state,
			      uint32_t operational)
{
	static const char *const links[] = { "", " partial", " slumber",
					     " DevSleep" };
	uint32_t kind = ssdpm_model_get_info(drive->model)->kind;

	if (state == operational)
		return " idle";
	return kind == SSDPM_KIND_SATA && state < 4 ? links[state] : "";
}

static void state_row(struct table *rows, const struct ssdpm_run *run,
		      uint32_t state, const char *word)
{
	const struct ssdpm_residency *r = &run->states[state];

	table_row(rows, cell("PS%u%s", state, word).text,
		  time_text(r->time_ns).text,
		  share_text(r->time_ns, run->duration_ns).text,
		  time_text(r->entry_ns).text, time_text(r->exit_ns).text,
		  energy_text(r->energy_nj).text, count_text(r->n_entries).text,
		  count_text(r->n_wakes).text);
}

/* Energy of the busy drive is what the states do not have. */
static void busy_row(struct table *rows, const struct ssdpm_run *run)
{
	uint64_t rest = run->energy_nj;

	for (size_t i = 0; i < SSDPM_MAX_STATES; i++)
		rest -= run->states[i].energy_nj < rest ?
				run->states[i].energy_nj :
				rest;
	table_row(rows, "busy", time_text(run->busy_ns).text,
		  share_text(run->busy_ns, run->duration_ns).text, "-", "-",
		  energy_text(rest).text, "-", "-");
}

static void print_states(const struct sim_options *options,
			 const struct estimate *e)
{
	const struct ssdpm_run *run = e->jobs[0].row.result->nominal;
	const uint32_t operational = options->operational_state;
	struct table rows;
	size_t n;

	ssdpm_model_get_states(e->subject->drive->model, &n);
	table_begin(&rows, "<>>>>>>>", "state", "time", "share", "entering",
		    "leaving", "energy", "entries", "wakes");
	busy_row(&rows, run);
	for (uint32_t i = 0; i < n; i++)
		if (i == operational || run->states[i].n_entries)
			state_row(
				&rows, run, i,
				state_word(e->subject->drive, i, operational));
	table_print(&rows);
}

/* With --spare: what the drive does behind its writes. */
static void print_work_behind(const struct subject *subject,
			      const struct ssdpm_result *r, uint32_t state)
{
	const struct ssdpm_background_work *b = &subject->background;
	const struct ssdpm_run *run = r->nominal;
	uint64_t ns = run->background_ns, free_ns = run->duration_ns;

	if (!(b->nominal_wa >= 1))
		return;
	free_ns -= run->busy_ns;
	printf("  garbage collection behind the writes: %s (%s..%s) at %s; "
	       "write amplification %.2f (%.0f..%.1f)\n",
	       time_text(ns).text, time_text(r->low->background_ns).text,
	       time_text(r->high->background_ns).text,
	       power_text((int64_t)b->power_uw).text, b->nominal_wa, b->low_wa,
	       b->high_wa);
	if (ns > free_ns)
		puts("  that is more than the time without I/O: the drive "
		     "cannot keep up and never sleeps; its power is over the "
		     "time that this takes");
	else if (ns > run->states[state].time_ns)
		puts("  that is more than the time before it sleeps: it would "
		     "sleep less than stands here");
	else if (r->high->background_ns > free_ns)
		puts("  at its most that is more than the time without I/O: "
		     "there the power is over the time that it takes");
}

/* Known values contradict the order of powers, so that it does not hold. */
static void print_loose(const struct ssdpm_result *r)
{
	for (uint32_t i = 1; i < SSDPM_MAX_STATES; i++)
		if (r->loose_states >> i & 1)
			printf("  PS%u may take more than PS%u: the values say "
			       "so, or leave it open\n",
			       i, i - 1);
	for (uint32_t op = 0; op < SSDPM_N_OPS; op++)
		if (r->loose_ops >> op & 1)
			printf("  a %s may take less than the idle drive: the "
			       "values say so\n",
			       ssdpm_op_to_string(op + 1));
}

static void print_assumptions(const struct ssdpm_result *r)
{
	uint32_t axis = r->widest_axis;

	if (r->low->energy_nj != r->high->energy_nj)
		puts("  low and high hold for all unknown powers and times; "
		     "--explain lists these");
	print_loose(r);
	printf("  %s of the energy rests on assumed values",
	       share_text(r->assumed_nj, r->nominal->energy_nj).text);
	if (axis)
		printf("; %s alone moves it from %s to %s",
		       ssdpm_axis_to_string(axis),
		       energy_text(r->axis_low_nj[axis - 1]).text,
		       energy_text(r->axis_high_nj[axis - 1]).text);
	putchar('\n');
}

static void print_policy(const struct job *job, const struct drive *drive)
{
	const uint32_t lpm = job->row.resolved.lpm;

	if (ssdpm_model_get_info(drive->model)->kind != SSDPM_KIND_SATA ||
	    job->policy->what.kind == SSDPM_POLICY_NONE)
		print_apst(&job->row.resolved.apst);
	else if (lpm < SSDPM_LPM_MAX_PERFORMANCE)
		printf("%s is unknown, so it is a range, min_power to "
		       "max_performance",
		       lpm ? "what the firmware has set" : "the link policy");
	else if (job->policy->what.kind == SSDPM_POLICY_TODAY)
		fputs(ssdpm_lpm_to_string(lpm), stdout);
	else
		fputs("link power management", stdout);
}

void explain_values(const struct job *job)
{
	size_t n;
	const struct ssdpm_parameter *p =
		ssdpm_sim_get_parameters(job->row.sim, &n);

	putchar('\n');
	print_known(p, n);
}

static void print_estimate(const struct sim_options *options,
			   const struct estimate *e,
			   const struct cap_answer *cap, bool explain)
{
	const struct job *job = &e->jobs[0];
	uint64_t n = all_ios(job->row.result->nominal);
	struct ssdpm_prediction likely = { .size = sizeof(likely) };

	/* Without memory there is no likely row. */
	ssdpm_sim_get_prediction(job->row.sim, &likely, NULL);
	print_subject(e, options);
	printf("  %s: ", job->policy->name);
	print_policy(job, e->subject->drive);
	printf("\n  %s in %s\n", counted(n, "I/O").text,
	       time_text(job->row.result->nominal->duration_ns).text);
	print_bounds(job->row.result, &likely);
	putchar('\n');
	print_states(options, e);
	print_work_behind(e->subject, job->row.result,
			  options->operational_state);
	print_assumptions(job->row.result);
	if (cap)
		print_power_caps(cap, options);
	if (explain)
		explain_values(job);
}

static enum exit_status print_estimates_json(const struct common *common,
					     const struct estimate_form *form,
					     const struct estimates *all,
					     const struct cap_answer *caps)
{
	struct items items = { 0 };

	for (size_t i = 0; i < all->n; i++)
		add_estimate(&items, form->sim, &all->estimates[i],
			     caps ? &caps[i] : NULL);
	return print_items(common, &items);
}

enum exit_status print_estimates(const struct common *common,
				 const struct estimate_form *form,
				 const struct estimates *all,
				 const struct cap_answer *caps)
{
	if (common->form && common->form != FORM_OWN)
		return print_estimates_json(common, form, all, caps);
	if (common->form && caps)
		print_power_caps_csv(caps, all->n);
	else if (common->form && form->intervals)
		print_intervals_csv(all);
	else if (common->form)
		print_states_csv(all);
	for (size_t i = 0; i < all->n && !common->form; i++) {
		if (i)
			putchar('\n');
		print_estimate(form->sim, &all->estimates[i],
			       caps ? &caps[i] : NULL, form->explain);
	}
	return STATUS_DONE;
}

enum exit_status print_mixes(const struct common *common,
			     const struct sim_options *options,
			     const struct cap_answer *caps, size_t n)
{
	struct items items = { 0 };

	if (!common->form) {
		for (size_t i = 0; i < n; i++) {
			if (i)
				putchar('\n');
			print_power_caps(&caps[i], options);
		}
		return STATUS_DONE;
	}
	if (common->form == FORM_OWN) {
		print_power_caps_csv(caps, n);
		return STATUS_DONE;
	}
	for (size_t i = 0; i < n; i++)
		add_mix(&items, &caps[i]);
	return print_items(common, &items);
}

static size_t merged(const struct estimate *e, size_t row)
{
	size_t n = 0;

	for (size_t i = row + 1; i < e->n_jobs; i++)
		n += e->jobs[i].row.same_as == row;
	return n;
}

static bool is_refused(const struct estimate *e, size_t row)
{
	return e->jobs[row].row.refused;
}

/*
 * The port keeps the policy of today, or Linux keeps the link awake: this one
 * has no price. The first one has, because savings are against it.
 */
#define REFUSED "refused by Linux"

static void add_row(struct table *rows, const struct estimate *e, size_t row)
{
	const struct ssdpm_run *run = e->jobs[row].row.result->nominal;
	const struct ssdpm_likely *likely = e->jobs[row].row.likely;

	const struct cell name = cell("%s%s", e->jobs[row].policy->name,
				      merged(e, row) ? " *" : "");

	if (row && is_refused(e, row)) {
		table_row(rows, name.text, "-", REFUSED, "", "");
		return;
	}
	table_row(rows, name.text, power_text((int64_t)run->mean_power_uw).text,
		  row		     ? saving_text(likely).text :
		  is_refused(e, row) ? REFUSED :
				       "",
		  time_text(run->delay_mean_ns).text,
		  time_text(run->delay_p99_ns).text);
}

static void print_merged(const struct estimate *e, size_t row)
{
	const char *before = "";

	if (!merged(e, row))
		return;
	printf("  * %s is also ", e->jobs[row].policy->name);
	for (size_t i = row + 1; i < e->n_jobs; i++) {
		if (e->jobs[i].row.same_as != row)
			continue;
		printf("%s%s", before, e->jobs[i].policy->name);
		before = ", ";
	}
	putchar('\n');
}

/* Those that are refused come last. */
static bool is_before(const struct job *a, const struct job *b)
{
	if (!a->row.likely || !b->row.likely)
		return a->row.likely;
	return a->row.likely->median_uw > b->row.likely->median_uw;
}

/* Different policies: the first one, then those that likely save most. */
static size_t rank_rows(const struct estimate *e, size_t ranked[MAX_POLICIES])
{
	size_t n = 0;

	for (size_t i = 0; i < e->n_jobs; i++) {
		size_t at = n;

		if (is_merged(e, i))
			continue;
		for (;
		     at > 1 && is_before(&e->jobs[i], &e->jobs[ranked[at - 1]]);
		     at--)
			ranked[at] = ranked[at - 1];
		ranked[at] = i;
		n++;
	}
	return n;
}

/* How somebody can know what is only likely. */
static void print_ways(const struct ssdpm_likely *likely)
{
	static const char *const options[] = {
		[SSDPM_PARAMETER_IDLE_POWER] = "--idle-power",
		[SSDPM_PARAMETER_ACTIVE_POWER] = "--active-power",
		[SSDPM_PARAMETER_TRANSITION_POWER] = "--transition-power",
		[SSDPM_PARAMETER_LINK_POWER] = "--link-power",
		[SSDPM_PARAMETER_ENTRY_LATENCY] = "--entry-latency",
		[SSDPM_PARAMETER_EXIT_LATENCY] = "--exit-latency",
		[SSDPM_PARAMETER_LINK_IDLE_TIME] = "--link-idle-time",
	};
	const uint32_t kind = likely->decider_kind;

	fputs("    to know it: ", stdout);
	if (likely->decider_ways & SSDPM_WAY_IDENTIFY)
		fputs("nvme id-ctrl, ", stdout);
	if (likely->decider_ways & SSDPM_WAY_CALIBRATE)
		fputs("ssdpm measure calibrate, ", stdout);
	puts(options[kind]);
}

static bool needs_decider(const struct ssdpm_likely *likely)
{
	const uint32_t enough_ppm = 100000;

	return likely && likely->decider_ways &&
	       likely->decider_ppm >= enough_ppm &&
	       (likely->verdict == SSDPM_SAVING_NOT_DECIDED ||
		likely->verdict == SSDPM_SAVING_PROBABLY_SAVES ||
		likely->verdict == SSDPM_SAVING_PROBABLY_COSTS);
}

static bool has_same_decider(const struct ssdpm_likely *a,
			     const struct ssdpm_likely *b)
{
	return needs_decider(a) && a->decider_kind == b->decider_kind &&
	       a->decider_index == b->decider_index;
}

/* What moves the chances most, once, with the first policy of which it does. */
static void print_decider(const struct estimate *e, const size_t *ranked,
			  size_t n, size_t at)
{
	const struct ssdpm_likely *likely = e->jobs[ranked[at]].row.likely;
	size_t n_more = 0;

	if (!needs_decider(likely))
		return;
	for (size_t i = 1; i < at; i++)
		if (has_same_decider(e->jobs[ranked[i]].row.likely, likely))
			return;
	for (size_t i = at + 1; i < n; i++)
		n_more +=
			has_same_decider(e->jobs[ranked[i]].row.likely, likely);
	printf("  it depends most on the %s: %s",
	       parameter_text(likely->decider_kind, likely->decider_index,
			      likely->decider_index)
		       .text,
	       e->jobs[ranked[at]].policy->name);
	if (n_more)
		printf(" and %zu more", n_more);
	putchar('\n');
	print_ways(likely);
}

/* What may be saved against the first one. */
static void explain_savings(const struct estimate *e, const size_t *ranked,
			    size_t n)
{
	struct table rows;
	size_t n_taken = 0;

	for (size_t i = 1; i < n; i++)
		n_taken += !is_refused(e, ranked[i]);
	if (!n_taken)
		return;
	putchar('\n');
	begin_possible(&rows);
	for (size_t i = 1; i < n; i++)
		if (!is_refused(e, ranked[i]))
			possible_row(&rows, e->jobs[ranked[i]].policy->name,
				     &e->jobs[ranked[i]].row.saving);
	table_print(&rows);
}

void print_policies(const struct sim_options *options, const struct estimate *e,
		    bool explain)
{
	const struct ssdpm_result *first = e->jobs[0].row.result;
	uint64_t n = all_ios(first->nominal);
	size_t ranked[MAX_POLICIES];
	const size_t n_rows = rank_rows(e, ranked);
	struct table rows;

	print_subject(e, options);
	printf("  %s in %s; savings are against %s", counted(n, "I/O").text,
	       time_text(first->nominal->duration_ns).text,
	       e->jobs[0].policy->name);
	if (first->low->mean_power_uw != first->high->mean_power_uw)
		printf(", which takes %s",
		       power_range_text((int64_t)first->low->mean_power_uw,
					(int64_t)first->high->mean_power_uw)
			       .text);
	putchar('\n');
	table_begin(&rows, "<><>>", "policy", "power", "likely", "delay",
		    "p99");
	for (size_t i = 0; i < n_rows; i++)
		add_row(&rows, e, ranked[i]);
	table_print(&rows);
	for (size_t i = 1; i < n_rows; i++)
		print_decider(e, ranked, n_rows, i);
	for (size_t i = 0; i < e->n_jobs; i++)
		print_merged(e, i);
	if (e->subject->quirks.in_force & SSDPM_QUIRK_NO_LPM)
		puts("  refused: a quirk of Linux keeps the link of this drive "
		     "awake");
	print_loose(first);
	if (explain)
		explain_savings(e, ranked, n_rows);
}

static void csv_row(const struct estimate *e, const struct job *job)
{
	const struct ssdpm_result *r = job->row.result;
	const struct ssdpm_saving *s = &job->row.saving;
	const struct ssdpm_likely *likely = job->row.likely;
	const struct ssdpm_run *run = r->nominal;

	csv_names(e, job);
	printf("%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
	       ",%" PRIu64 ",%" PRIu64 ",",
	       run->duration_ns, r->low->energy_nj, run->energy_nj,
	       r->high->energy_nj, r->low->mean_power_uw, run->mean_power_uw,
	       r->high->mean_power_uw);
	printf("%" PRId64 ",%" PRId64 ",%" PRId64 ",", s->low_uw, s->nominal_uw,
	       s->high_uw);
	if (job->row.refused)
		fputs("refused,,,,", stdout);
	else if (likely)
		printf("%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",",
		       ssdpm_saving_verdict_to_string(likely->verdict),
		       likely->low_uw, likely->median_uw, likely->high_uw);
	else
		fputs(",,,,", stdout);
	printf("%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
	       ",%" PRIu64 "\n",
	       all_ios(run), run->n_delayed, run->delay_mean_ns,
	       run->delay_p99_ns, run->delay_max_ns, run->n_wakes);
}

/* A line for each policy: a reader of CSV wants no footnotes. */
void print_comparisons_csv(const struct estimates *all)
{
	puts("drive,trace,policy,duration_ns,low_energy_nj,energy_nj,"
	     "high_energy_nj,low_mean_power_uw,mean_power_uw,"
	     "high_mean_power_uw,saving_low_uw,saving_nominal_uw,"
	     "saving_high_uw,verdict,likely_low_uw,likely_median_uw,"
	     "likely_high_uw,n_ios,n_delayed,delay_mean_ns,delay_p99_ns,"
	     "delay_max_ns,n_wakes");
	for (size_t i = 0; i < all->n; i++) {
		const struct estimate *e = &all->estimates[i];

		for (size_t j = 0; j < e->n_jobs; j++)
			csv_row(e, &e->jobs[j]);
	}
}
