/* SPDX-License-Identifier: MIT */
/* The screen of ssdpm watch: one drive, who makes it work, and the keys. */
#include "lines/fold.h"
#include "survey/survey.h"
#include "text/device.h"
#include "watch/watch-screen.h"
#include "watch/watch-show.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Simulating again, and what is likely, may each take this part of all time. */
#define RESTS 100

enum order { BY_SHARE, BY_WITHOUT, BY_WAKES, BY_IOS, BY_NAME, N_ORDERS };
enum look { PLAIN, REVERSED, GOOD, BAD };

struct view {
	const struct watch *watch;
	struct screen screen;
	bool colored, is_paused, shows_help;
	size_t drive; /* that is shown */
	enum order order;
	int64_t next_ns;
	/* As of the latest look: */
	struct ssdpm_observed seen;
	struct cause_rows rows;		/* in the order on the screen */
	size_t next_row;		/* to be simulated again */
	struct ssdpm_prediction likely; /* size 0: unknown */
	int64_t next_likely_ns;
	/* The frame that is drawn: */
	FILE *file;
	int row, end; /* so many lines are drawn, of so many */
};

/* qsort() has no argument for it. */
static enum order sorted_by;

static int more_first(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

/* The largest saving is first, and an unknown one is last. */
static int by_change(const struct cause_row *a, const struct cause_row *b)
{
	if (!a->without.size || !b->without.size)
		return !a->without.size - !b->without.size;
	const int64_t one = change_uw(&a->without),
		      two = change_uw(&b->without);

	return (one > two) - (one < two);
}

static int compare_rows(const void *a, const void *b)
{
	const struct cause_row *one = a, *other = b;
	int order = 0;

	if (sorted_by == BY_WITHOUT)
		order = by_change(one, other);
	else if (sorted_by == BY_WAKES)
		order = more_first(one->cause.n_wakes, other->cause.n_wakes);
	else if (sorted_by == BY_IOS)
		order = more_first(one->cause.n_ios, other->cause.n_ios);
	else if (sorted_by == BY_NAME)
		order = strcmp(one->cause.name, other->cause.name);
	return order ? order : by_share(a, b);
}

static void sort(struct view *view)
{
	sorted_by = view->order;
	if (view->rows.n)
		qsort(view->rows.rows, view->rows.n, sizeof(*view->rows.rows),
		      compare_rows);
}

static enum exit_status read_likely(struct view *view, int64_t now_ns)
{
	enum exit_status status;

	if (now_ns < view->next_likely_ns)
		return STATUS_DONE;
	status = find_likely(view->watch, view->drive, &view->likely);
	now_ns = survey_now_ns() - now_ns;
	view->next_likely_ns = survey_now_ns() + RESTS * now_ns;
	return status;
}

/* Those that are not known, then each in its turn. */
static enum exit_status read_changes(struct view *view)
{
	const int64_t end_ns =
		survey_now_ns() + interval_of(view->watch) / RESTS;
	const size_t n = view->rows.n;
	enum exit_status status = STATUS_DONE;

	for (size_t i = 0; i < 2 * n && !status; i++) {
		struct cause_row *row = &view->rows.rows[i % n];

		if (i >= n)
			row = &view->rows.rows[view->next_row++ % n];
		else if (row->without.size)
			continue;
		if (survey_now_ns() > end_ns)
			break;
		status = read_without(view->watch, view->drive, row);
	}
	return status;
}

static enum exit_status look(struct view *view, int64_t now_ns)
{
	enum exit_status status =
		read_causes(view->watch, view->drive, &view->seen, &view->rows);

	sort(view);
	if (!status)
		status = read_likely(view, now_ns);
	if (!status)
		status = read_changes(view);
	sort(view);
	return status;
}

/* One line, as wide as the screen at most. */
static void put_line(struct view *view, enum look look, const char *line)
{
	static const char *const looks[] = { "", "\033[7m", "\033[32m",
					     "\033[33m" };
	const int columns = view->screen.columns;
	struct cell text = cell("%s", line);
	size_t n = strlen(text.text);

	if (view->row >= view->end)
		return;
	ssdpm_text_blunt(text.text);
	while (columns_of(text.text, n) > (size_t)columns)
		n--;
	text.text[n] = 0;
	ssdpm_text_blunt(text.text);
	if (look > REVERSED && !view->colored)
		look = PLAIN;
	/* Erase before: at the end the cursor is on the last character. */
	fprintf(view->file, "\033[%d;1H\033[2K%s%s%*s\033[0m", ++view->row,
		looks[look], text.text,
		look == REVERSED ? columns - (int)text_columns(text.text) : 0,
		"");
}

static struct cell now_text(const struct view *view)
{
	static const char *const words[] = {
		[SSDPM_PHASE_BUSY] = "busy in",
		[SSDPM_PHASE_IDLE] = "idle, awake in",
		[SSDPM_PHASE_ENTRY] = "entering",
		[SSDPM_PHASE_RESIDENT] = "asleep in",
		[SSDPM_PHASE_EXIT] = "waking from",
	};
	const struct ssdpm_model *model =
		view->watch->watched[view->drive].drive->model;

	if (view->seen.phase)
		return cell("Now %s %s", words[view->seen.phase],
			    state_text(model, view->seen.state).text);
	return cell("Now unknown: no I/O %s",
		    view->seen.n_ios || view->seen.uncovered_ns ?
			    "since a gap" :
			    "came yet");
}

/* The lines that print_watch() prints, too. */
static void put_verdict(struct view *view, const char *name)
{
	char *text = NULL, *rest;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return;
	write_observed(file, name, &view->seen, &view->likely, &view->rows,
		       "\n");
	fclose(file);
	for (char *line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		put_line(view, PLAIN, line);
	free(text);
}

static void put_head(struct view *view)
{
	const struct ssdpm_observed *seen = &view->seen;
	const char *name = view->watch->watched[view->drive].drive->name;
	const uint64_t ns = covered_ns(seen);

	put_line(view,
		 seen->phase == SSDPM_PHASE_RESIDENT ? GOOD :
		 seen->phase			     ? BAD :
						       PLAIN,
		 now_text(view).text);
	put_verdict(view, name);
	put_line(view, PLAIN,
		 cell("Busy %s, idle %s, entering or leaving %s",
		      share_text(seen->busy_ns, ns).text,
		      share_text(seen->idle_ns, ns).text,
		      share_text(seen->transition_ns, ns).text)
			 .text);
}

static void put_row(struct view *view, enum look look,
		    const struct cause_texts *t)
{
	put_line(view, look,
		 cell("%s%*s%10s%7s%8s%10s%12s", t->name.text,
		      32 - (int)text_columns(t->name.text), "", t->n_ios.text,
		      t->n_admin.text, t->n_wakes.text, t->takes.text,
		      t->without.text)
			 .text);
}

/* A row that has its power alone. */
static void put_power(struct view *view, struct cell name, struct number power)
{
	put_row(view, PLAIN,
		&(struct cause_texts){ .name = name,
				       .takes = cell("%s", power.text) });
}

static void put_causes(struct view *view)
{
	static const struct cause_texts head = {
		{ "cause" }, { "I/Os" },  { "admin" },
		{ "wakes" }, { "takes" }, { "without it" },
	};
	const size_t n = view->rows.n;
	size_t i = 0;

	put_row(view, REVERSED, &head);
	/* Two lines stay: for the others, and for nobody. */
	for (; i < n && view->row + 2 < view->end + (i + 1 == n); i++) {
		const struct cause_texts texts =
			cause_texts(&view->rows.rows[i], &view->seen);

		put_row(view, PLAIN, &texts);
	}
	if (i < n)
		put_power(view, cell("%zu others", n - i),
			  rest_text(&view->rows, i, &view->seen));
	if (view->seen.n_ios)
		put_power(view, cell(AT_REST), at_rest_text(&view->seen));
}

static void put_help(struct view *view)
{
	static const char *const lines[] = {
		"s           sort by the next column",
		"p           pause the screen; the trace goes on",
		"d           show the next drive",
		"w           keep the trace in a new file watch-N.txt, or end that",
		"h           this help",
		"q, Ctrl-C   end, and print what was seen",
		"",
		"wakes       how often the drive was woken, by simulation",
		"takes       the share of the power; all together are the power",
		"without it  how the power would change without these I/Os;",
		"            ... is still being simulated",
		"likely      nine of ten drives with these data take as much",
		"",
		"ssdpm-watch(1) has more. Press a key to go back.",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		put_line(view, PLAIN, lines[i]);
}

static void put_screen(struct view *view, const char *path)
{
	static const char *const orders[N_ORDERS] = { "takes", "without it",
						      "wakes", "I/Os", "name" };
	const char *message = view->screen.message;

	view->row = 0;
	view->end = view->screen.rows - 1 - (message[0] != 0);
	put_line(view, REVERSED,
		 cell("ssdpm watch  %s%s  drive %zu of %zu%s%s",
		      view->watch->watched[view->drive].drive->name,
		      view->is_paused ? "  PAUSED" : "", view->drive + 1,
		      view->watch->n, path ? "  saved to " : "",
		      path ? path : "")
			 .text);
	if (view->shows_help) {
		put_help(view);
	} else {
		put_head(view);
		put_causes(view);
	}
	while (view->row < view->end)
		put_line(view, PLAIN, "");
	view->end = view->screen.rows;
	if (message[0])
		put_line(view, BAD, message);
	put_line(view, REVERSED,
		 cell("q quit  s sort: %s  p pause  d drive  w save  h help",
		      orders[view->order])
			 .text);
}

static void draw(struct view *view, const char *path)
{
	char *text = NULL;
	size_t size = 0;

	screen_settle(&view->screen);
	view->file = open_memstream(&text, &size);
	if (!view->file)
		return;
	put_screen(view, path);
	if (!fclose(view->file))
		screen_write(&view->screen, text, size);
	free(text);
}

static void show_next_drive(struct view *view)
{
	view->drive = (view->drive + 1) % view->watch->n;
	view->rows.n = 0;
	view->next_likely_ns = 0;
	view->is_paused = false;
}

static void take_key(struct view *view, struct show *show, char key)
{
	const bool had_help = view->shows_help;

	view->shows_help = false;
	view->screen.message[0] = 0;
	switch (key) {
	case 'q':
		show->is_over = true;
		break;
	case 's':
		view->order = (view->order + 1) % N_ORDERS;
		sort(view);
		break;
	case 'p':
		view->is_paused = !view->is_paused;
		break;
	case 'd':
		show_next_drive(view);
		break;
	case 'w':
		show->wants_save = !show->wants_save;
		break;
	case 'h':
		view->shows_help = !had_help;
		break;
	}
}

enum exit_status view_step(struct view *view, struct show *show, int64_t now_ns)
{
	enum exit_status status = STATUS_DONE;
	char keys[MOST_KEYS];
	const size_t n = screen_keys(&view->screen, keys);

	/* A key that sends several characters has no meaning but to be one. */
	for (size_t i = 0; i < n && (!i || keys[0] != '\033'); i++)
		take_key(view, show, keys[i]);
	if (n || now_ns >= view->next_ns) {
		if (!view->is_paused)
			status = look(view, now_ns);
		if (!status && !show->is_over)
			draw(view, show->path);
		/* The next step shows what a key began. */
		view->next_ns = n ? 0 : now_ns + interval_of(view->watch);
	}
	show->is_over |= view->screen.is_lost;
	return status;
}

enum exit_status view_new(const struct watch *watch, struct view **ret_view)
{
	struct view *view = calloc(1, sizeof(*view));

	if (!view)
		return out_of_memory();
	view->watch = watch;
	view->colored = is_colored(&watch->options->color);
	*ret_view = view;
	return screen_begin(&view->screen);
}

void view_free(struct view *view)
{
	if (!view)
		return;
	screen_end(&view->screen);
	free(view->rows.rows);
	free(view);
}
