/* SPDX-License-Identifier: MIT */
/* The screen of ssdpm watch, line by line. */
#include "options/numbers.h"
#include "text/device.h"
#include "text/output.h"
#include "watch/watch-view.h"

#include <stdlib.h>
#include <string.h>

#define MOST_COLUMNS 400
#define MOST_HEAD 7
#define LEAST_NAME 10

enum look { PLAIN, REVERSED, GOOD, BAD };

struct frame {
	const struct view *view;
	FILE *file;
	int row; /* so many are drawn */
};

/* One line, as wide as the screen at most; bytes that continue a character of
 * UTF-8 take no room. */
static void put_line(struct frame *frame, enum look look, const char *line)
{
	static const char *const looks[] = { "", "\033[7m", "\033[32m",
					     "\033[33m" };
	const struct screen *screen = &frame->view->screen;
	int n = 0;

	if (frame->row >= screen->rows)
		return;
	if (look > REVERSED && !frame->view->colored)
		look = PLAIN;
	/* Erase before: at the end the cursor is on the last character. */
	fprintf(frame->file, "\033[%d;1H\033[2K%s", ++frame->row, looks[look]);
	for (; *line; line++) {
		n += (*line & 0xc0) != 0x80;
		if (n > screen->columns)
			break;
		putc(*line, frame->file);
	}
	for (; look == REVERSED && n < screen->columns; n++)
		putc(' ', frame->file);
	fputs("\033[0m", frame->file);
}

static struct cell now_text(const struct view *view)
{
	const struct cell state =
		state_text(view->watch->watched[view->drive].drive->model,
			   view->seen.state);

	switch (view->seen.phase) {
	case SSDPM_PHASE_BUSY:
		return cell("busy");
	case SSDPM_PHASE_IDLE:
		return cell("idle, awake in %s", state.text);
	case SSDPM_PHASE_ENTRY:
		return cell("entering %s", state.text);
	case SSDPM_PHASE_RESIDENT:
		return cell("asleep in %s", state.text);
	case SSDPM_PHASE_EXIT:
		return cell("waking from %s", state.text);
	default:
		return cell("unknown: %s",
			    view->seen.n_ios || view->seen.uncovered_ns ?
				    "no I/O since a gap" :
				    "no I/O came yet");
	}
}

static struct cell asleep_text(const struct ssdpm_observed *seen)
{
	const uint64_t ns = covered_ns(seen);

	return cell("%s of %s; busy %s, idle %s, between %s",
		    share_text(seen->asleep_ns, ns).text, time_text(ns).text,
		    share_text(seen->busy_ns, ns).text,
		    share_text(seen->idle_ns, ns).text,
		    share_text(seen->transition_ns, ns).text);
}

static struct cell wakes_text(const struct ssdpm_observed *seen)
{
	const uint64_t ns = covered_ns(seen);
	const double hours = (double)ns / 3600e9;
	struct cell delay = cell("none was delayed");

	if (seen->n_delayed)
		delay = cell(
			"%s delayed, by %s on average",
			count_text(seen->n_delayed).text,
			time_text(seen->delay_sum_ns / seen->n_delayed).text);
	/* A share of less than a minute says little. */
	if (ns < UINT64_C(60000000000))
		return cell("%s; of %s %s", count_text(seen->n_wakes).text,
			    counted(seen->n_ios, "I/O").text, delay.text);
	return cell("%s, %s an hour; of %s %s", count_text(seen->n_wakes).text,
		    count_text((uint64_t)((double)seen->n_wakes / hours + 0.5))
			    .text,
		    counted(seen->n_ios, "I/O").text, delay.text);
}

static struct cell view_power_text(const struct view *view)
{
	const int64_t uw = power_uw((int64_t)view->seen.energy_nj,
				    covered_ns(&view->seen));

	return cell("%s nominal; likely %s",
		    view->seen.now_ns ? power_text(uw).text : "unknown",
		    likely_text(&view->likely).text);
}

static void put_fact(struct frame *frame, enum look look, const char *what,
		     const struct cell text)
{
	put_line(frame, look, cell("%-8s%s", what, text.text).text);
}

/* Lines about the drive, above the causes; the last ones go first where there
 * is no room. */
static int head_lines(const struct view *view)
{
	int n = MOST_HEAD - !view->seen.uncovered_ns;

	/* Two causes, their head, and the last line. */
	if (n > view->screen.rows - 4)
		n = view->screen.rows - 4;
	return n > 1 ? n : 1;
}

static void put_head(struct frame *frame)
{
	const struct view *view = frame->view;
	const struct ssdpm_observed *seen = &view->seen;
	const bool sleeps = seen->phase == SSDPM_PHASE_RESIDENT;
	const int n = head_lines(view);
	struct cell gap = cell("%s", "");

	put_line(frame, REVERSED,
		 cell("ssdpm watch  %s%s  drive %zu of %zu%s%s",
		      view->watch->watched[view->drive].drive->name,
		      view->is_paused ? "  PAUSED" : "", view->drive + 1,
		      view->watch->n, view->path ? "  saved to " : "",
		      view->path ? view->path : "")
			 .text);
	if (n > 1)
		put_fact(frame,
			 sleeps	     ? GOOD :
			 seen->phase ? BAD :
				       PLAIN,
			 "Now", now_text(view));
	if (n > 2)
		put_fact(frame, PLAIN, "Asleep", asleep_text(seen));
	if (n > 3)
		put_fact(frame, PLAIN, "Power", view_power_text(view));
	if (n > 4)
		put_fact(frame, PLAIN, "Wakes", wakes_text(seen));
	if (n > 5 && seen->uncovered_ns) {
		gap = cell("%s more, not traced, with %s",
			   time_text(seen->uncovered_ns).text,
			   counted(seen->n_uncovered_ios, "I/O").text);
		put_fact(frame, PLAIN, "Unknown", gap);
	}
	while (frame->row < n)
		put_line(frame, PLAIN, "");
}

size_t view_room(const struct view *view)
{
	const int rows = view->screen.rows - head_lines(view) - 2 -
			 (view->screen.message[0] != 0);

	return rows > 0 ? (size_t)rows : 0;
}

/* Columns by place; those with the highest rank go first on a narrow screen. */
enum { IOS, ADMIN, WAKES, TAKES, WITHOUT, N_COLUMNS };

static const struct {
	const char *head;
	int width, rank;
} columns[N_COLUMNS] = {
	[IOS] = { "I/Os", 10, 3 },	     [ADMIN] = { "admin", 7, 4 },
	[WAKES] = { "wakes", 8, 1 },	     [TAKES] = { "takes", 10, 0 },
	[WITHOUT] = { "without it", 12, 2 },
};

/* Up to which rank they fit. */
static int fitting(int screen_columns, int *ret_name)
{
	for (int most = N_COLUMNS;; most--) {
		int width = 0;

		for (int i = 0; i < N_COLUMNS; i++)
			width += columns[i].rank < most ? columns[i].width : 0;
		*ret_name = screen_columns - width;
		if (*ret_name >= LEAST_NAME || most == 1)
			return most;
	}
}

/* Characters, as put_line() counts them. */
static int length(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

static void put_row(struct frame *frame, enum look look, const char *name,
		    const char *const cells[N_COLUMNS])
{
	char line[2 * MOST_COLUMNS], shown[64];
	int width, n = 0;
	const int most = fitting(frame->view->screen.columns, &width);

	width = width < 46 ? width : 46;
	snprintf(shown, sizeof(shown), "%s", name);
	ssdpm_text_blunt(shown);
	/* A cut name may end inside a character: only the last bytes go. */
	while (length(shown) >= width && shown[0])
		shown[strlen(shown) - 1] = 0;
	ssdpm_text_blunt(shown);
	n = snprintf(line, sizeof(line), "%s%*s", shown, width - length(shown),
		     "");
	for (int i = 0; i < N_COLUMNS; i++)
		if (columns[i].rank < most)
			n += snprintf(line + n, sizeof(line) - (size_t)n, "%*s",
				      columns[i].width, cells[i]);
	put_line(frame, look, line);
}

static void put_cause(struct frame *frame, const struct view_row *row)
{
	const struct view *view = frame->view;
	const struct view_change *change = &view->changes[row->index];
	const struct ssdpm_cause *cause = &row->cause;
	/* The energy of admin commands is unknown, which is not 0. */
	const bool is_known = cause->n_ios || cause->bytes;
	const struct number texts[N_COLUMNS] = {
		[IOS] = count_text(cause->n_ios),
		[ADMIN] = count_text(cause->n_admin),
		[WAKES] = count_text(cause->n_wakes),
		[TAKES] = power_text(power_uw((int64_t)cause->energy_nj,
					      covered_ns(&view->seen))),
		[WITHOUT] = power_text(change->uw),
	};
	const char *const cells[N_COLUMNS] = {
		texts[IOS].text,
		texts[ADMIN].text,
		texts[WAKES].text,
		is_known ? texts[TAKES].text : "unknown",
		!is_known	 ? "unknown" :
		change->is_known ? texts[WITHOUT].text :
				   "...",
	};

	put_row(frame, PLAIN, cause_text(cause).text, cells);
}

static void put_causes(struct frame *frame)
{
	static const char *const blank[N_COLUMNS] = { "", "", "", "", "" };
	const struct view *view = frame->view;
	const char *cells[N_COLUMNS];
	const size_t room = view_room(view);
	const struct number rest = power_text(power_uw(
		(int64_t)view->seen.resting_nj, covered_ns(&view->seen)));

	for (int i = 0; i < N_COLUMNS; i++)
		cells[i] = columns[i].head;
	put_row(frame, REVERSED,
		view->n_rows + 1 > room && room ?
			cell("from cause %zu of %zu", view->first + 1,
			     view->n_rows)
				.text :
			"cause",
		cells);
	for (size_t i = 0; i < room; i++) {
		const size_t at = view->first + i;

		memcpy(cells, blank, sizeof(cells));
		cells[TAKES] = rest.text;
		if (at < view->n_rows)
			put_cause(frame, &view->rows[at]);
		else if (at == view->n_rows && view->seen.n_ios)
			put_row(frame, PLAIN, "nobody: at rest", cells);
		else
			put_line(frame, PLAIN, "");
	}
}

static void put_help(struct frame *frame)
{
	static const char *const lines[] = {
		"ssdpm watch: keys",
		"",
		"s           sort by the next column",
		"p, space    pause the screen; the trace goes on",
		"d, D        show the next drive, or the one before",
		"w           keep the trace in a new file watch-N.txt, or end that",
		"arrows, page up, page down, home, end: scroll",
		"h, ?        this help",
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
		put_line(frame, i ? PLAIN : REVERSED, lines[i]);
	while (frame->row < frame->view->screen.rows)
		put_line(frame, PLAIN, "");
}

static void put_screen(struct frame *frame)
{
	static const char *const orders[N_ORDERS] = { "takes", "without it",
						      "wakes", "I/Os", "name" };
	const struct view *view = frame->view;

	put_head(frame);
	put_causes(frame);
	if (view->screen.message[0])
		put_line(frame, BAD, view->screen.message);
	put_line(frame, REVERSED,
		 cell("q quit  s sort: %s  p pause  d drive  w save  h help",
		      orders[view->order])
			 .text);
}

bool view_draw(struct view *view)
{
	struct frame frame = { .view = view };
	char *text = NULL;
	size_t size = 0;
	bool drawn = false;

	frame.file = open_memstream(&text, &size);
	if (!frame.file)
		return false;
	if (view->shows_help)
		put_help(&frame);
	else
		put_screen(&frame);
	if (!fclose(frame.file))
		drawn = screen_write(&view->screen, text, size);
	free(text);
	return drawn;
}
