/* SPDX-License-Identifier: MIT */
/* The screen of ssdpm tune: what to set, what it saves, and whether it hurts.
 */
#include "input/usual-workload.h"
#include "lines/fold.h"
#include "options/advised.h"
#include "options/numbers.h"
#include "text/device.h"
#include "tune/tune.h"
#include "work/comparison.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * A screen of 24 lines has the question, rows of changes, and lines on drives
 * that are left alone. A line counts the others.
 */
enum { MOST_ROWS = 6, LEAST_ROWS = 1, MOST_LINES = 22, LEAST_LEFT_LINES = 3 };

/* Where the screen has no room, the first one goes first. GAPS: empty lines. */
enum detail { LIMITS, COMFORT, TO_MEASURE, GAPS, N_DETAILS };

static bool has_detail(const struct tuning *tuning, enum detail detail)
{
	return tuning->n_left_out <= (int)detail;
}

static void print_gap(const struct tuning *tuning)
{
	if (has_detail(tuning, GAPS))
		putchar('\n');
}

/* "saves 120 mW" */
static struct cell measured_text(double saving_w)
{
	const int64_t uw = two_digits((int64_t)(saving_w * 1e6));

	return cell("%s %s", uw < 0 ? "costs" : "saves",
		    power_text(uw < 0 ? -uw : uw).text);
}

struct cell trial_saving_text(double saving_w, double low_w, double high_w)
{
	const struct cell saving = measured_text(saving_w);
	const bool costs = saving_w < 0;
	int64_t low_uw, high_uw;

	if (!isfinite(low_w) || !isfinite(high_w))
		return saving;
	low_uw = two_digits((int64_t)(low_w * 1e6));
	high_uw = two_digits((int64_t)(high_w * 1e6));
	return cell("%s (95 %%: %s)", saving.text,
		    power_range_text(costs ? -high_uw : low_uw,
				     costs ? -low_uw : high_uw)
			    .text);
}

/* What a trial has found, in some words. */
static struct cell trial_text(const struct ssdpm_trial_result *trial)
{
	const struct cell saving =
		trial_saving_text(trial->saving_w, trial->low_w, trial->high_w);

	switch (trial->decision) {
	case SSDPM_TRIAL_SAVES:
	case SSDPM_TRIAL_COSTS:
		return saving;
	case SSDPM_TRIAL_HOPELESS:
		return cell(
			"not decided: only about %s could be shown",
			power_text(two_digits((int64_t)(trial->resolvable_w *
							1e6)))
				.text);
	default:
		return isnan(trial->saving_w) ?
			       cell("not decided") :
			       cell("not decided: %s", saving.text);
	}
}

static void write_trials(FILE *file, const struct tuning *tuning)
{
	for (size_t i = 0; i < tuning->n; i++) {
		const struct ssdpm_energy_report_item *item = &tuning->items[i];

		if (item->trial)
			fprintf(file, "%s: %s: %s, measured on %s in %s\n",
				item->drive->name,
				setting_text(item->settings).text,
				trial_text(item->trial).text,
				item->trial->meter,
				time_text(item->trial->duration_ns).text);
	}
}

void print_trials(const struct tuning *tuning)
{
	write_trials(stdout, tuning);
}

static bool has_trials(const struct tuning *tuning)
{
	for (size_t i = 0; i < tuning->n; i++)
		if (tuning->items[i].trial)
			return true;
	return false;
}

static struct screen_row row_of(const struct ssdpm_energy_report_item *item)
{
	const struct cell saving =
		item->trial ? measured_text(item->trial->saving_w) :
			      saving_cell(item->likely);

	return screen_row(item->drive->name, item->drive->product,
			  setting_text(item->settings),
			  cell("%s %s", saving.text,
			       delay_cell(item->added_mean_ns).text));
}

/* Drives of one kind that get the same share a row. */
static size_t collect_rows(const struct tuning *tuning, struct screen_row *rows)
{
	size_t n = 0;

	for (size_t i = 0; i < tuning->n; i++)
		if (is_to_set(&tuning->items[i]))
			rows[n++] = row_of(&tuning->items[i]);
	return merge_screen_rows(rows, n);
}

static size_t count_rows(const struct tuning *tuning)
{
	struct screen_row *rows = calloc(tuning->n + 1, sizeof(*rows));
	const size_t n = rows ? collect_rows(tuning, rows) : 0;

	free(rows);
	return n;
}

static enum exit_status print_changes(const struct tuning *tuning, size_t most)
{
	struct screen_row *rows = calloc(tuning->n + 1, sizeof(*rows));
	size_t n, shown;

	if (!rows)
		return out_of_memory();
	rows[0] = screen_row("drive", "product", cell("set"),
			     cell("likely, added to an I/O"));
	n = collect_rows(tuning, rows + 1);
	shown = n > most ? most : n;
	if (n) {
		print_gap(tuning);
		print_screen_rows(rows, shown + 1);
	}
	if (n > shown)
		printf("and %zu more; --json has all\n",
		       count_row_drives(rows + 1 + shown, n - shown));
	free(rows);
	return STATUS_DONE;
}

/* How many drives have a policy that has lost data, and the first of them. */
static size_t count_risky(const struct tuning *tuning, const char **ret_first)
{
	size_t n = 0;

	for (size_t i = 0; i < tuning->n; i++)
		if (tuning->items[i].drive->risk && !n++)
			*ret_first = tuning->items[i].drive->name;
	return n;
}

/* Why what costs power is set all the same; or what is left at risk. */
void write_risk(FILE *file, const struct tuning *tuning)
{
	const char *risky = ssdpm_lpm_to_string(SSDPM_LPM_MIN_POWER);
	const char *first;
	size_t n = count_risky(tuning, &first);

	if (n == 1)
		fprintf(file, "%s: %s has lost data on some drives.\n", first,
			risky);
	else if (n)
		fprintf(file,
			"%s and %zu more: %s has lost data on some drives.\n",
			first, n - 1, risky);
}

/* A link policy is set, and no other line is on lost data. */
static bool needs_comfort(const struct tuning *tuning)
{
	const char *first;

	if (count_risky(tuning, &first))
		return false;
	for (size_t i = 0; i < tuning->n; i++)
		if (is_to_set(&tuning->items[i]) &&
		    tuning->items[i].settings->set & SSDPM_PROFILE_LPM)
			return true;
	return false;
}

/*
 * "wait for at most 0.12 % of the time, one in 100 for 3.5 ms or longer". It
 * takes the worst of all drives: today, or once those to set are set. "": none
 * is known.
 */
struct cell harm_text(const struct tuning *tuning, bool today)
{
	const struct ssdpm_total missing = total_asleep(tuning);
	uint64_t p99_ns = 0, n;
	bool known = false;
	double share = 0;

	for (size_t i = 0; i < tuning->n; i++) {
		const struct ssdpm_energy_report_item *item = &tuning->items[i];
		const struct ssdpm_run *run =
			!today && is_to_set(item) ? item->after : item->before;
		double own;

		if (!run)
			continue;
		known = true;
		own = run->duration_ns ? (double)run->delay_sum_ns /
						 (double)run->duration_ns :
					 0;
		share = own > share ? own : share;
		if (run->delay_p99_ns > p99_ns)
			p99_ns = run->delay_p99_ns;
	}
	if (!known)
		return cell("%s", "");
	/* Rounded up: it is a limit. */
	n = (uint64_t)(1e4 * share);
	n += (double)n < 1e4 * share;
	return cell("wait for at most %.2f %% of the time, one in 100 for %s "
		    "or longer%s",
		    (double)n / 100, time_text(p99_ns).text,
		    missing.n_unestimated ?
			    ", on the drives that are estimated" :
		    missing.n_unread ? ", on the drives that could be read" :
				       "");
}

static void write_harm(FILE *file, const struct tuning *tuning)
{
	const struct cell harm = harm_text(tuning, false);

	if (harm.text[0])
		fprintf(file, "I/Os then %s.\n", harm.text);
}

static void print_harm(const struct tuning *tuning)
{
	if (!tuning->n_changes)
		return;
	print_gap(tuning);
	write_harm(stdout, tuning);
	if (has_detail(tuning, LIMITS))
		print_paragraph(cell("Limits: %s.",
				     limits_text(&tuning->options->patience))
					.text,
				0, 2);
	if (has_detail(tuning, COMFORT) && needs_comfort(tuning))
		puts("No setting here is known to lose data.");
}

/* Which command goes back. With --yes, write_done() names it. */
static void write_undo(FILE *file, const struct tuning *tuning)
{
	if (!tuning->n_changes || tuning->options->yes)
		return;
	fputs("Undo: ssdpm revert", file);
	if (tuning->options->keep)
		fputs(" --forget", file);
	write_root(file, tuning->live->root);
	putc('\n', file);
}

/* Another route may save more than a limit. */
static const char *best_words(const struct ssdpm_energy_report_item *item)
{
	return item->further ? "no better limit" : "as good as it gets";
}

/*
 * A setting keeps it awake, and one that lets it sleep was not chosen. That one
 * is beyond the limits, or it saves nothing on this workload.
 */
static bool could_sleep(const struct ssdpm_energy_report_item *item)
{
	const struct ssdpm_diagnosis *reason = item->drive->reason;

	return !item->error && !item->settings && reason &&
	       (reason->code == SSDPM_DIAGNOSIS_APST_OFF ||
		reason->code == SSDPM_DIAGNOSIS_APST_EMPTY ||
		reason->code == SSDPM_DIAGNOSIS_LPM_OFF);
}

/* No setting is better. */
static struct cell best_text(const struct ssdpm_energy_report_item *item)
{
	const bool awake =
		item->drive->verdict == SSDPM_DIAGNOSIS_SAVES_NOTHING;
	const char *why = awake ? why_awake(item->drive) : NULL;

	if (awake && could_sleep(item))
		why = "no sleep within the limits saves";
	return why ? cell("stays awake: %s", why) :
		     cell("%s", best_words(item));
}

/* The file of a missing right is named in another message. */
static struct cell failure_text(const struct ssdpm_energy_report_item *item)
{
	const char *cause =
		cause_without_name(item->drive->name, item->message);

	if (item->error == -EACCES || item->error == -EPERM)
		cause = ssdpm_strerror(item->error);
	return cell("%s%.200s",
		    begins_as_unread(cause) ? "" : "cannot be read: ", cause);
}

/* The best setting, and why it is not set: nobody has measured it. */
static struct cell prediction_text(const struct ssdpm_energy_report_item *item)
{
	const struct ssdpm_likely *likely = item->likely;
	const int64_t low = two_digits(likely->low_uw);
	const int64_t high = two_digits(likely->high_uw);

	if (likely->verdict == SSDPM_SAVING_TOO_SMALL)
		return cell("%s: %s %s too little to matter", best_words(item),
			    setting_text(item->settings).text,
			    likely->median_uw < 0 ? "costs" : "saves");
	if (likely->verdict != SSDPM_SAVING_NOT_DECIDED)
		return cell("%s: %s %s more", best_words(item),
			    setting_text(item->settings).text,
			    saving_cell(likely).text);
	return cell("%s: not decided%s%s%s%s",
		    setting_text(item->settings).text, low || high ? ", " : "",
		    low || high ? power_range_text(low, high).text : "",
		    likely->decider_kind ? "; mostly by " : "",
		    likely->decider_kind ? parameter_text(likely->decider_kind,
							  likely->decider_index,
							  likely->decider_index)
						   .text :
					   "");
}

/* Why a drive is left as it is, in some words. */
struct cell reason_text(const struct ssdpm_energy_report_item *item)
{
	if (item->error && item->error != -EOPNOTSUPP)
		return failure_text(item);
	/* Linux refuses because of the quirk, which not all messages name. */
	if (item->error && item->drive->reason &&
	    item->drive->reason->code == SSDPM_DIAGNOSIS_QUIRK &&
	    !strstr(item->message, "quirk"))
		return best_text(item);
	if (item->error)
		return cell("%.200s", item->message);
	if (item->advice == SSDPM_ADVICE_COSTS)
		return cell("its delays are beyond the limit; less delay costs "
			    "power: --instant");
	if (item->advice == SSDPM_ADVICE_NONE)
		return cell("no setting is within the limits");
	if (!item->settings)
		return best_text(item);
	if (item->advice == SSDPM_ADVICE_REBUILD)
		return cell(
			"its APST table is not that of its latency limit "
			"%s, which %s",
			limit_text(item->settings->max_exit_latency_us).text,
			saving_cell(item->likely).text);
	if (item->trial)
		return cell("%s: %s", setting_text(item->settings).text,
			    item->trial->decision == SSDPM_TRIAL_COSTS ?
				    "costs, as measured" :
				    "not decided, as measured");
	return prediction_text(item);
}

/* Many messages begin with the name. */
static struct screen_row left_row(const struct ssdpm_energy_report_item *item)
{
	const char *name = item->drive->name;
	const struct cell reason = reason_text(item);
	const bool has_name = !strncmp(reason.text, name, strlen(name));

	return screen_row(name, item->drive->product,
			  has_name ? cell("%s", reason.text + strlen(name)) :
				     cell(": %s", reason.text),
			  cell("%s", ""));
}

/* Those of one kind with the same reason share a row, too. NULL: no memory. */
static struct screen_row *collect_left(const struct tuning *tuning,
				       size_t *ret_n)
{
	struct screen_row *rows = calloc(tuning->n + 1, sizeof(*rows));
	size_t n = 0;

	for (size_t i = 0; rows && i < tuning->n; i++)
		if (!is_to_set(&tuning->items[i]))
			rows[n++] = left_row(&tuning->items[i]);
	*ret_n = merge_screen_rows(rows, n);
	return rows;
}

/* "sda +5: no setting is within the limits" */
static struct cell left_text(const struct screen_row *row)
{
	return cell("%s%s", row_name(row).text, row->third.text);
}

/* The first drive of which nothing is decided; NULL: none. */
static const struct ssdpm_energy_report_item *find_undecided(
	const struct tuning *tuning)
{
	for (size_t i = 0; i < tuning->n; i++) {
		const struct ssdpm_energy_report_item *item = &tuning->items[i];

		if (!is_to_set(item) && item->likely && !item->trial &&
		    item->likely->verdict == SSDPM_SAVING_NOT_DECIDED)
			return item;
	}
	return NULL;
}

/* Whether a capture keeps another table; if @known, of a drive that is known.
 */
static bool has_old_table(const struct tuning *tuning, bool known)
{
	for (size_t i = 0; i < tuning->n; i++)
		if ((!known || tuning->items[i].before) &&
		    keeps_old_table(tuning->live, tuning->items[i].drive))
			return true;
	return false;
}

static size_t count_left(const struct tuning *tuning)
{
	size_t n = 0;

	for (size_t i = 0; i < tuning->n; i++)
		n += !is_to_set(&tuning->items[i]);
	return n;
}

static struct cell keeper_text(const struct tuning *tuning)
{
	return cell("With --keep, %s.", keeper_words(tuning->live));
}

/* A line that nothing folds, such as a long path, takes several on a screen. */
static size_t count_screen_lines(const char *text)
{
	const size_t width = text_width(stdout) < 80 ? 80 : text_width(stdout);
	size_t n = 0;

	while (*text) {
		const size_t length = strcspn(text, "\n");
		const size_t columns = columns_of(text, length);

		n += columns > width ? (columns + width - 1) / width : 1;
		text += length + (text[length] == '\n');
	}
	return n;
}

/* How many lines a text takes, once it is folded. */
static size_t count_text_lines(void (*write)(FILE *file,
					     const struct tuning *tuning),
			       const struct tuning *tuning)
{
	char *text = NULL, *folded = NULL;
	size_t size = 0, folded_size, n = 0;
	FILE *file = open_memstream(&text, &size);
	FILE *lines = open_memstream(&folded, &folded_size);

	if (file)
		write(file, tuning);
	/* The last line need not have its end. */
	if (file && !fflush(file) && size && text[size - 1] != '\n')
		putc('\n', file);
	if (file && !fclose(file) && lines && *text)
		print_folded(lines, text);
	if (lines && !fclose(lines))
		n = count_screen_lines(folded);
	free(text);
	free(folded);
	return n;
}

/* The head of the table, the harm, that nothing is lost, the way back. */
static size_t count_change_lines(const struct tuning *tuning)
{
	const size_t gap = has_detail(tuning, GAPS);
	size_t n = gap + 1 + gap + has_detail(tuning, LIMITS);

	if (!tuning->n_changes)
		return 0;
	n += count_text_lines(write_harm, tuning);
	n += count_text_lines(tuning->options->yes ? write_done : write_undo,
			      tuning);
	n += has_detail(tuning, COMFORT) && needs_comfort(tuning);
	if (tuning->options->keep)
		n += gap + 1 + strlen(keeper_text(tuning).text) / 80;
	return n;
}

/* Where all is kept that was set earlier. */
static void write_kept_way_back(FILE *file, const struct tuning *tuning)
{
	if (tuning->options->yes)
		write_way_back(file, tuning->live, true);
}

/* All but the rows of the changes, the drives that are left as they are, and
 * the extras. */
static size_t count_needed(const struct tuning *tuning)
{
	const size_t gap = has_detail(tuning, GAPS);
	/* The verdict, the risk, the workload */
	size_t used = count_text_lines(write_change, tuning) +
		      count_text_lines(write_risk, tuning) + gap + 1;

	if (has_trials(tuning))
		used += count_text_lines(write_trials, tuning) + 1;
	if (count_left(tuning))
		used += gap + 1;
	if (has_old_table(tuning, false))
		used += 1 + has_old_table(tuning, true);
	if (tuning->options->keep && !tuning->n_changes)
		/* What is kept, and who sets it */
		used += 3 + count_text_lines(write_kept_way_back, tuning);
	return used + count_change_lines(tuning);
}

/* With two blanks before it. A narrow terminal shows no fewer drives. */
static size_t count_lines_of(const struct cell *text)
{
	const size_t width = text_width(stdout);

	return strlen(text->text) + 2 > (width < 80 ? 80 : width) ? 2 : 1;
}

static size_t count_least_left(const struct tuning *tuning)
{
	size_t n_rows, n = 0;
	struct screen_row *rows = collect_left(tuning, &n_rows);

	for (size_t i = 0; i < n_rows && n < LEAST_LEFT_LINES; i++) {
		const struct cell text = left_text(&rows[i]);

		n += count_lines_of(&text);
	}
	free(rows);
	return n < LEAST_LEFT_LINES ? n : LEAST_LEFT_LINES;
}

/*
 * The most important one first. The first screen points to those before
 * N_ANSWERS, so they are always shown; the others only if they fit.
 */
enum extra { REBUILD, DECIDER, LINK, FURTHER, PROFILE, ASLEEP, N_EXTRAS };
enum { N_ANSWERS = FURTHER };

struct extras {
	bool gaps;
	bool shown[N_EXTRAS];
	size_t n_lines[N_EXTRAS];
	size_t n_rows, most_rows; /* of changes */
	size_t n_left_lines;	  /* of drives that are left as they are */
	size_t n_others;	  /* lines of the rest */
};

/* A line parts what is not about the drives from what is. */
static bool has_gap(const struct extras *extras)
{
	return (extras->shown[FURTHER] || extras->shown[LINK] ||
		extras->shown[PROFILE]) &&
	       extras->gaps && !extras->shown[DECIDER];
}

static size_t count_row_lines(const struct extras *extras)
{
	return extras->n_rows > extras->most_rows ? extras->most_rows + 1 :
						    extras->n_rows;
}

static bool is_full(const struct extras *extras)
{
	size_t n = extras->n_others + extras->n_left_lines + has_gap(extras) +
		   count_row_lines(extras);

	for (int i = 0; i < N_EXTRAS; i++)
		n += extras->shown[i] ? extras->n_lines[i] : 0;
	return n > MOST_LINES;
}

static struct extras find_answers(const struct tuning *tuning, bool further)
{
	static void (*const writers[])(FILE * file,
				       const struct tuning *tuning) = {
		[REBUILD] = write_rebuild,
		[DECIDER] = write_decider,
		[LINK] = write_link,
		[FURTHER] = write_further,
	};
	struct extras extras = {
		.gaps = has_detail(tuning, GAPS),
		.n_rows = count_rows(tuning),
		.most_rows = MOST_ROWS,
		.n_others = count_needed(tuning),
		.n_left_lines = count_least_left(tuning),
	};

	for (int i = 0; i < N_ANSWERS + further; i++) {
		extras.n_lines[i] = count_text_lines(writers[i], tuning);
		extras.shown[i] = extras.n_lines[i];
	}
	return extras;
}

static void add_extra(struct extras *extras, enum extra extra, size_t n_lines)
{
	extras->n_lines[extra] = n_lines;
	extras->shown[extra] = n_lines;
	if (is_full(extras))
		extras->shown[extra] = false;
}

/* These answers, with the details for which there is room beside them. */
static struct extras fit_answers(struct tuning *shown, bool further)
{
	struct extras extras;

	shown->n_left_out = 0;
	while (extras = find_answers(shown, further),
	       is_full(&extras) && shown->n_left_out < N_DETAILS)
		shown->n_left_out++;
	return extras;
}

/* A line counts those that are left out, so two rows stay. */
static void leave_out_rows(struct extras *extras)
{
	while (is_full(extras) && extras->n_rows > LEAST_ROWS + 1 &&
	       extras->most_rows > LEAST_ROWS)
		extras->most_rows--;
}

/* The calls of answers stay, even if the screen overflows. */
static struct extras find_needed(struct tuning *shown)
{
	struct extras extras = fit_answers(shown, true);

	if (is_full(&extras))
		extras = fit_answers(shown, false);
	leave_out_rows(&extras);
	while (is_full(&extras) && extras.n_left_lines > 1)
		extras.n_left_lines--;
	return extras;
}

/* All that fits the screen; *ret_shown is the tuning as it is shown. */
static struct extras find_extras(const struct tuning *tuning,
				 struct tuning *ret_shown)
{
	struct extras extras;

	*ret_shown = *tuning;
	extras = find_needed(ret_shown);
	add_extra(&extras, FURTHER, count_text_lines(write_further, ret_shown));
	add_extra(&extras, PROFILE, count_text_lines(write_saver, ret_shown));
	add_extra(&extras, ASLEEP, count_text_lines(write_asleep, ret_shown));
	return extras;
}

bool shows_asleep(const struct tuning *tuning)
{
	struct tuning shown;

	return find_extras(tuning, &shown).shown[ASLEEP];
}

static size_t count_left_room(const struct extras *extras)
{
	struct extras room = *extras;

	if (is_full(&room))
		return extras->n_left_lines;
	while (!is_full(&room))
		room.n_left_lines++;
	return room.n_left_lines - 1;
}

static void print_left(const struct tuning *tuning, const struct extras *extras)
{
	const size_t most = count_left_room(extras);
	size_t n_rows, n_lines = 0, n_more = 0;
	struct screen_row *rows = collect_left(tuning, &n_rows);

	if (n_rows) {
		print_gap(tuning);
		puts("Left as they are:");
	}
	for (size_t i = 0; i < n_rows; i++) {
		const struct cell text = left_text(&rows[i]);

		/* The last line is for those that have none. */
		n_lines += count_lines_of(&text);
		if (n_more || n_lines + (i + 1 < n_rows) > most)
			n_more += 1 + rows[i].n_more;
		else
			print_paragraph(text.text, 2, 4);
	}
	if (n_more)
		printf("  and %zu more; --json has all\n", n_more);
	free(rows);
}

/* What shows it, and what finds it out. */
static void write_calls(FILE *file, const struct tuning *tuning,
			const struct ssdpm_energy_report_item *item)
{
	write_call_to_decide(file, tuning->live, tuning->workload,
			     &(struct outlook){ .drive = *item->drive,
						.model = item->model,
						.settings = item->settings });
	if (tuning->trials->measure || !has_detail(tuning, TO_MEASURE) ||
	    !item->trial_likely_uw || !has_trial_meter(tuning->live))
		return;
	/* A capture has no meter that counts on. */
	fprintf(file, "To measure%s: ssdpm tune --measure",
		tuning->live->root ? " on that machine" : "");
	write_word(file, item->drive->name);
	putc('\n', file);
}

void write_decider(FILE *file, const struct tuning *tuning)
{
	const struct ssdpm_energy_report_item *item = find_undecided(tuning);

	if (item)
		write_calls(file, tuning, item);
}

static void print_extras(const struct tuning *tuning,
			 const struct extras *extras)
{
	if (extras->shown[REBUILD])
		write_rebuild(stdout, tuning);
	if (extras->shown[DECIDER])
		write_decider(stdout, tuning);
	if (has_gap(extras))
		putchar('\n');
	if (extras->shown[FURTHER])
		write_further(stdout, tuning);
	if (extras->shown[LINK])
		write_link(stdout, tuning);
	if (extras->shown[PROFILE])
		write_saver(stdout, tuning);
}

static void print_keeper(const struct tuning *tuning)
{
	if (!tuning->options->keep || !tuning->n_changes)
		return;
	print_gap(tuning);
	print_paragraph(keeper_text(tuning).text, 0, 2);
}

/* Which workload was taken, and why, if the machine decided. */
static void print_workload(const struct tuning *tuning)
{
	print_gap(tuning);
	if (tuning->options->trace_name)
		printf("Workload: %s\n", tuning->workload);
	else
		printf("Workload: %s\n",
		       workload_text(tuning->live->machine, tuning->workload)
			       .text);
}

static enum exit_status print_shown(const struct tuning *tuning,
				    const struct extras *extras)
{
	enum exit_status status;

	if (has_trials(tuning)) {
		print_trials(tuning);
		putchar('\n');
	}
	write_verdict(stdout, tuning);
	putchar('\n');
	if (has_old_table(tuning, false))
		print_old_table();
	if (has_old_table(tuning, true))
		puts("What it does today is what the table that was read does.");
	status = print_changes(tuning, extras->most_rows);
	if (status)
		return status;
	write_risk(stdout, tuning);
	print_harm(tuning);
	write_undo(stdout, tuning);
	print_left(tuning, extras);
	print_extras(tuning, extras);
	print_keeper(tuning);
	print_workload(tuning);
	return STATUS_DONE;
}

static enum exit_status print_screen(const struct tuning *tuning)
{
	struct tuning shown;
	const struct extras extras = find_extras(tuning, &shown);

	if (tuning->n)
		return print_shown(&shown, &extras);
	/* Those that were named are complained of; others may be here. */
	if (!tuning->named)
		print_no_drive();
	return STATUS_DONE;
}

void add_tuning(struct items *items, const struct tuning *tuning)
{
	struct ssdpm_error error;

	for (size_t i = 0; i < tuning->n; i++) {
		char *text = NULL;
		int err = ssdpm_energy_report_item_to_json(
			tuning->report, tuning->numbers[i], &text, &error);

		add_item(items, err, text, &error);
	}
}

enum exit_status print_tuning(const struct tuning *tuning)
{
	struct items items = { 0 };

	if (!tuning->common->form)
		return print_screen(tuning);
	add_tuning(&items, tuning);
	return print_items(tuning->common, &items);
}
