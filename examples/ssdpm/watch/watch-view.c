/* SPDX-License-Identifier: MIT */
/* The screen of ssdpm watch: what it knows, and its keys. */
#include "survey/survey.h"
#include "watch/watch-view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Simulating again, and what is likely, may each take this part of all time. */
#define RESTS 100

/* qsort() has no argument for it. */
static const struct view *sorted;

static int compare(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

/* The largest saving is first, and an unknown one is last. */
static int compare_changes(size_t a, size_t b)
{
	const struct view_change *one = &sorted->changes[a];
	const struct view_change *other = &sorted->changes[b];

	if (one->is_known != other->is_known)
		return one->is_known ? -1 : 1;
	return (one->uw > other->uw) - (one->uw < other->uw);
}

static int compare_rows(const void *a, const void *b)
{
	const struct view_row *one = a, *other = b;
	int order = 0;

	if (sorted->order == BY_WITHOUT)
		order = compare_changes(one->index, other->index);
	else if (sorted->order == BY_WAKES)
		order = compare(one->cause.n_wakes, other->cause.n_wakes);
	else if (sorted->order == BY_IOS)
		order = compare(one->cause.n_ios, other->cause.n_ios);
	if (!order && sorted->order != BY_NAME)
		order = compare(one->cause.energy_nj, other->cause.energy_nj);
	if (!order)
		order = strcmp(one->cause.name, other->cause.name);
	return order ? order :
		       (one->index > other->index) -
			       (one->index < other->index);
}

static void sort(struct view *view)
{
	sorted = view;
	if (view->n_rows)
		qsort(view->rows, view->n_rows, sizeof(*view->rows),
		      compare_rows);
}

static enum exit_status fail(const struct view *view,
			     const struct ssdpm_error *error)
{
	return failure("%s: %s", view->watch->watched[view->drive].drive->name,
		       error->message);
}

static enum exit_status make_room(struct view *view, size_t n)
{
	struct view_row *rows = realloc(view->rows, (n + 1) * sizeof(*rows));
	struct view_change *changes;

	view->rows = rows ? rows : view->rows;
	changes = rows ? realloc(view->changes, (n + 1) * sizeof(*changes)) :
			 NULL;
	if (!changes)
		return out_of_memory();
	view->changes = changes;
	for (; view->n_changes < n; view->n_changes++)
		changes[view->n_changes] = (struct view_change){ 0 };
	return STATUS_DONE;
}

static enum exit_status read_causes(struct view *view)
{
	const struct ssdpm_observation *observation = view->watch->observation;
	struct ssdpm_error error;
	enum exit_status status;

	view->seen.size = sizeof(view->seen);
	view->n_rows = 0;
	if (ssdpm_observation_get_drive(observation, view->drive, &view->seen,
					&error))
		return fail(view, &error);
	status = make_room(view, (size_t)view->seen.n_causes);
	for (size_t i = 0; i < view->seen.n_causes && !status; i++) {
		struct view_row *row = &view->rows[i];

		row->index = i;
		row->cause.size = sizeof(row->cause);
		if (ssdpm_observation_get_cause(observation, view->drive, i,
						&row->cause, &error))
			return fail(view, &error);
		view->n_rows++;
	}
	return status;
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

static enum exit_status read_change(struct view *view, size_t cause)
{
	struct ssdpm_without without = { .size = sizeof(without) };
	struct ssdpm_error error;

	if (ssdpm_observation_get_without(view->watch->observation, view->drive,
					  cause, &without, &error))
		return fail(view, &error);
	view->changes[cause] = (struct view_change){
		power_uw((int64_t)(without.without_energy_nj -
				   without.energy_nj),
			 without.until_ns - without.from_ns -
				 without.uncovered_ns),
		true,
	};
	return STATUS_DONE;
}

/* Those on the screen that are not known, then each in its turn. */
static enum exit_status read_changes(struct view *view)
{
	const int64_t end_ns =
		survey_now_ns() + interval_of(view->watch) / RESTS;
	const size_t room = view_room(view);
	enum exit_status status = STATUS_DONE;

	for (size_t i = 0; i < room && !status; i++) {
		size_t at = view->first + i;

		if (at >= view->n_rows || survey_now_ns() > end_ns)
			break;
		if (!view->changes[view->rows[at].index].is_known)
			status = read_change(view, view->rows[at].index);
	}
	for (size_t i = 0; i < view->n_rows && !status; i++) {
		if (survey_now_ns() > end_ns)
			break;
		view->next_change %= view->n_rows;
		status = read_change(view, view->next_change++);
	}
	return status;
}

static enum exit_status look(struct view *view, int64_t now_ns)
{
	enum exit_status status = read_causes(view);

	sort(view);
	if (!status)
		status = read_likely(view, now_ns);
	if (!status)
		status = read_changes(view);
	sort(view);
	return status;
}

static void show_drive(struct view *view, size_t drive)
{
	view->drive = drive % view->watch->n;
	view->first = view->next_change = view->n_changes = 0;
	view->next_likely_ns = view->next_ns = 0;
	view->is_paused = false;
}

/* The last row is that of nobody, who is no cause. */
static void scroll_to(struct view *view, int64_t first)
{
	const int64_t last =
		(int64_t)view->n_rows + 1 - (int64_t)view_room(view);

	if (first > last)
		first = last;
	view->first = first > 0 ? (size_t)first : 0;
}

static void scroll(struct view *view, int key)
{
	const int64_t page = (int64_t)view_room(view);
	const int64_t at = (int64_t)view->first;

	if (key == KEY_UP || key == KEY_DOWN)
		scroll_to(view, key == KEY_UP ? at - 1 : at + 1);
	else if (key == KEY_PAGE_UP || key == KEY_PAGE_DOWN)
		scroll_to(view, key == KEY_PAGE_UP ? at - page : at + page);
	else if (key == KEY_HOME || key == KEY_END)
		scroll_to(view, key == KEY_HOME ? 0 : INT32_MAX);
}

static void take_key(struct view *view, struct show *show, int key)
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
		view->first = 0;
		sort(view);
		break;
	case 'p':
	case ' ':
		view->is_paused = !view->is_paused;
		view->next_ns = 0;
		break;
	case 'd':
	case '\t':
	case KEY_RIGHT:
		show_drive(view, view->drive + 1);
		break;
	case 'D':
	case KEY_LEFT:
		show_drive(view, view->drive + view->watch->n - 1);
		break;
	case 'w':
		show->wants_save = !show->wants_save;
		break;
	case 'h':
	case '?':
		view->shows_help = !had_help;
		break;
	default:
		scroll(view, key);
	}
}

enum exit_status view_step(struct view *view, struct show *show, int64_t now_ns)
{
	enum exit_status status = STATUS_DONE;
	bool draws = screen_settle(&view->screen);
	int keys[MOST_KEYS];
	size_t n = screen_keys(&view->screen, keys);

	for (size_t i = 0; i < n; i++)
		take_key(view, show, keys[i]);
	/* More rows may fit than before. */
	scroll_to(view, (int64_t)view->first);
	draws |= n || screen_hear(&view->screen) || view->path != show->path;
	view->path = show->path;
	if (now_ns >= view->next_ns && !view->is_paused) {
		status = look(view, now_ns);
		view->next_ns = now_ns + interval_of(view->watch);
		draws = true;
	}
	if (draws && !status && !show->is_over)
		view_draw(view);
	show->is_over |= view->screen.is_lost;
	return status;
}

int view_fd(const struct view *view)
{
	(void)view;
	return STDIN_FILENO;
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
	free(view->rows);
	free(view->changes);
	free(view);
}
