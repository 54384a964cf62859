/* SPDX-License-Identifier: MIT */
/*
 * A search as text: what was seen before, the suspects, and the verdict, the
 * entries and the sign of each trial. Reading it makes the same calls again. A
 * last line has a checksum of all before it.
 */
#include "bisect/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "base/text.h"

#define MAX_LINE (32 + (SSDPM_BISECT_STEPS + 1) * SSDPM_BISECT_WORD)
#define HEAD "# ssdpm bisect 1"
#define DEEPEST "deepest"

/* "good", its entries, and a line with its sign */
#define MAX_TRIAL (32 + 32 + SSDPM_BISECT_WORD)

enum { END_BYTES = 4 + 16 + 2 }; /* "end ", the checksum, LF, and a zero */

struct search_writer {
	char *text;
	size_t at;
	size_t room;
};

static void put(struct search_writer *w, const char *word)
{
	const size_t n = strlen(word);

	memcpy(w->text + w->at, word, n + 1);
	w->at += n;
}

static void put_number(struct search_writer *w, const char *key, uint64_t value)
{
	w->at += (size_t)snprintf(w->text + w->at, w->room - w->at, "%s %llu",
				  key, (unsigned long long)value);
}

static void put_suspect(struct search_writer *w,
			const struct bisect_suspect *suspect)
{
	put(w, "suspect ");
	put(w, suspect->name);
	for (size_t i = 0; i < suspect->n_steps; i++) {
		put(w, " ");
		put(w, suspect->steps[i]);
	}
	put(w, "\n");
	if (!suspect->deepest)
		return;
	put(w, DEEPEST " ");
	put(w, suspect->name);
	put(w, "\n");
}

static void put_sign(struct search_writer *w,
		     const struct ssdpm_bisect_trial *trial)
{
	if (!trial->sign[0])
		return;
	if (trial->sign_us == UINT64_MAX)
		put(w, "sign -");
	else
		put_number(w, "sign", trial->sign_us);
	put(w, " ");
	put(w, trial->sign);
	put(w, "\n");
}

static void put_trials(struct search_writer *w,
		       const struct ssdpm_bisect *bisect)
{
	for (size_t i = 0; i < bisect->n_trials; i++) {
		const struct ssdpm_bisect_trial *trial = &bisect->trials[i];

		put_number(w, ssdpm_bisect_verdict_to_string(trial->verdict),
			   trial->entries);
		put(w, "\n");
		put_sign(w, trial);
	}
	if (!bisect->running)
		return;
	put_number(w, "running", bisect->entries);
	put(w, " ");
	put(w, bisect->token);
	put(w, "\n");
}

/* The last line, after n characters: whether those before it are whole. */
static size_t print_end(const char *text, size_t n, char ret_line[END_BYTES])
{
	const uint64_t sum = ssdpm__checksum(text, n);

	return (size_t)snprintf(ret_line, END_BYTES, "end %016" PRIx64 "\n",
				sum);
}

int ssdpm_bisect_to_text(const struct ssdpm_bisect *bisect, char **ret_text,
			 struct ssdpm_error *reterr)
{
	struct search_writer w = {
		.room = 2 * MAX_LINE * (bisect->n_suspects + 2) +
			MAX_TRIAL * (bisect->n_trials + 2),
	};

	w.text = malloc(w.room);
	if (!w.text)
		return ssdpm__no_memory(reterr);
	put(&w, HEAD "\n");
	put_number(&w, "errors", bisect->params.n_errors);
	put_number(&w, "\nentries", bisect->params.n_entries);
	put(&w, "\n");
	for (size_t i = 0; i < bisect->n_suspects; i++)
		put_suspect(&w, &bisect->suspects[i]);
	put_trials(&w, bisect);
	w.at += print_end(w.text, w.at, w.text + w.at);
	*ret_text = w.text;
	return 0;
}

/* The known facts before the first suspect; the search follows from them. */
struct search_reader {
	struct lines lines;
	struct ssdpm_bisect_params params;
	struct ssdpm_bisect *bisect;
};

static int refuse(const struct search_reader *r, struct ssdpm_error *reterr)
{
	return ssdpm__fail(reterr, -EINVAL, r->lines.line,
			   "not a line of a search");
}

/* The error of a call, with the line that led to it. */
static int at_line(const struct search_reader *r, int err,
		   const struct ssdpm_error *error, struct ssdpm_error *reterr)
{
	return err ? ssdpm__fail(reterr, err, r->lines.line, "%s",
				 error->message) :
		     0;
}

static bool take_word(struct span *rest, char ret[SSDPM_BISECT_WORD])
{
	struct span word;

	return ssdpm__take_word(rest, &word) &&
	       ssdpm__span_copy(word, ret, SSDPM_BISECT_WORD);
}

static int read_head(struct search_reader *r, struct ssdpm_error *reterr)
{
	struct ssdpm_error error = { 0 };
	struct span line;
	bool good = ssdpm__next_line(&r->lines, &line) &&
		    ssdpm__span_is(line, HEAD) &&
		    ssdpm__next_line(&r->lines, &line) &&
		    ssdpm__take(&line, "errors ") &&
		    ssdpm__take_uint(&line, UINT64_MAX, &r->params.n_errors) &&
		    line.at == line.end && ssdpm__next_line(&r->lines, &line) &&
		    ssdpm__take(&line, "entries ") &&
		    ssdpm__take_uint(&line, UINT64_MAX, &r->params.n_entries) &&
		    line.at == line.end;

	if (!good)
		return refuse(r, reterr);
	int err = ssdpm_bisect_new(&r->params, &r->bisect, &error);

	return at_line(r, err, &error, reterr);
}

static int read_suspect(struct search_reader *r, struct span rest,
			struct ssdpm_error *reterr)
{
	char name[SSDPM_BISECT_WORD];
	char words[SSDPM_BISECT_STEPS][SSDPM_BISECT_WORD];
	const char *steps[SSDPM_BISECT_STEPS];
	size_t n = 0;

	if (!take_word(&rest, name))
		return refuse(r, reterr);
	for (; rest.at != rest.end; n++) {
		if (n == SSDPM_BISECT_STEPS || !take_word(&rest, words[n]))
			return refuse(r, reterr);
		steps[n] = words[n];
	}
	return ssdpm_bisect_add_suspect(r->bisect, name, steps, n, reterr);
}

/* The suspect of the line before. */
static int read_deepest(struct search_reader *r, struct span rest,
			struct ssdpm_error *reterr)
{
	struct ssdpm_bisect *bisect = r->bisect;
	struct bisect_suspect *last;
	char name[SSDPM_BISECT_WORD];

	if (!bisect->n_suspects || !take_word(&rest, name) ||
	    rest.at != rest.end)
		return refuse(r, reterr);
	last = &bisect->suspects[bisect->n_suspects - 1];
	if (bisect->started || last->deepest || strcmp(last->name, name) != 0)
		return refuse(r, reterr);
	last->deepest = true;
	return 0;
}

/* The rest of a trial; verdict 0: it runs. */
static int read_trial(struct search_reader *r, struct span rest,
		      uint32_t verdict, struct ssdpm_error *reterr)
{
	char token[SSDPM_BISECT_WORD] = "-";
	uint64_t entries;

	if (r->bisect->running ||
	    !ssdpm__take_uint(&rest, UINT64_MAX, &entries) ||
	    (!verdict && !take_word(&rest, token)) || rest.at != rest.end)
		return refuse(r, reterr);
	int err = ssdpm_bisect_begin(r->bisect, token, reterr);

	if (!err)
		err = ssdpm_bisect_add_entries(r->bisect, entries, reterr);
	if (!err && verdict)
		err = ssdpm_bisect_judge(r->bisect, verdict, reterr);
	return err;
}

/* The sign of the trial before this line. */
static int read_sign(struct search_reader *r, struct span rest,
		     struct ssdpm_error *reterr)
{
	const struct ssdpm_bisect *b = r->bisect;
	char sign[SSDPM_BISECT_WORD];
	uint64_t sign_us = UINT64_MAX;
	struct span time;

	if (b->running || !b->n_trials || b->trials[b->n_trials - 1].sign[0] ||
	    !ssdpm__take_word(&rest, &time) ||
	    (!ssdpm__span_is(time, "-") &&
	     (!ssdpm__take_uint(&time, UINT64_MAX - 1, &sign_us) ||
	      time.at != time.end)) ||
	    !ssdpm__span_copy(rest, sign, sizeof(sign)))
		return refuse(r, reterr);
	return ssdpm_bisect_set_sign(r->bisect, sign, sign_us, reterr);
}

static int read_line(struct search_reader *r, struct span line,
		     struct ssdpm_error *reterr)
{
	struct span key;

	if (!ssdpm__take_word(&line, &key))
		return refuse(r, reterr);
	const uint32_t verdict =
		ssdpm__span_value(key, ssdpm_bisect_verdict_from_string);

	if (ssdpm__span_is(key, "suspect"))
		return read_suspect(r, line, reterr);
	if (ssdpm__span_is(key, DEEPEST))
		return read_deepest(r, line, reterr);
	if (ssdpm__span_is(key, "sign"))
		return read_sign(r, line, reterr);
	if (verdict || ssdpm__span_is(key, "running"))
		return read_trial(r, line, verdict, reterr);
	return refuse(r, reterr);
}

static bool begins_as_search(const char *text, size_t size)
{
	const size_t n = strlen(HEAD "\n");

	return size >= n && !memcmp(text, HEAD "\n", n);
}

/* How many bytes are before the last line, if all is as it was written. */
static int check_frame(const char *text, size_t size, size_t *ret_size,
		       struct ssdpm_error *reterr)
{
	const size_t before = size > END_BYTES ? size - (END_BYTES - 1) : 0;
	uint32_t n_lines = 1;
	char end[END_BYTES];

	if (!begins_as_search(text, size))
		return ssdpm__fail(reterr, -EINVAL, 1,
				   "not a search of this version");
	for (size_t i = 0; i < before; i++)
		n_lines += text[i] == '\n';
	print_end(text, before, end);
	if (!before || memcmp(text + before, end, END_BYTES - 1) != 0)
		return ssdpm__fail(reterr, -EINVAL, n_lines,
				   "the checksum is wrong: it was cut off or "
				   "changed");
	*ret_size = before;
	return 0;
}

int ssdpm_bisect_from_text(const char *text, size_t size,
			   struct ssdpm_bisect **ret_bisect,
			   struct ssdpm_error *reterr)
{
	struct search_reader r = { .params.size = sizeof(r.params) };
	struct ssdpm_error error = { 0 };
	struct span line;
	int err = check_frame(text, size, &size, reterr);

	r.lines.rest = ssdpm__span(text, size);
	if (!err)
		err = read_head(&r, reterr);
	if (err)
		return err;
	while (!err && ssdpm__next_line(&r.lines, &line))
		err = read_line(&r, line, &error);
	if (err) {
		ssdpm_bisect_free(r.bisect);
		return at_line(&r, err, &error, reterr);
	}
	*ret_bisect = r.bisect;
	return 0;
}
