/* SPDX-License-Identifier: MIT */
/* apst --all: what an algorithm makes of all drives, or what two differ in. */
#include "catalogue/all.h"
#include "options/advised.h"
#include "options/numbers.h"
#include "text/device.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What a second table changes. */
enum change {
	CHANGE_NONE = 1,
	CHANGE_SOONER,
	CHANGE_LATER,
	CHANGE_WAY,
	CHANGE_DEEPER,
	CHANGE_LESS_DEEP,
	CHANGE_SLEEPS,
	CHANGE_NEVER_SLEEPS,
	CHANGE_SWITCH,
	CHANGE_UNKNOWN,
	N_CHANGES,
};

static const char *const change_words[N_CHANGES] = {
	[CHANGE_NONE] = "same table",
	[CHANGE_SOONER] = "sooner in the same deepest state",
	[CHANGE_LATER] = "later in the same deepest state",
	[CHANGE_WAY] = "another way to the same deepest state",
	[CHANGE_DEEPER] = "in a deeper state",
	[CHANGE_LESS_DEEP] = "in a less deep state",
	[CHANGE_SLEEPS] = "sleeps, and did not",
	[CHANGE_NEVER_SLEEPS] = "sleeps no more",
	[CHANGE_SWITCH] = "only switched on or off",
	[CHANGE_UNKNOWN] = "a table cannot be made",
};

/* One drive: its two tables, or why they cannot be made. */
struct row {
	const struct drive *drive;
	struct ssdpm_apst_params params; /* that make the first */
	uint32_t quirks, quirks_unknown; /* in force, and those that may be */
	struct ssdpm_apst tables[2];
	struct ssdpm_error error; /* code 0: none */
};

/* All drives, and what is asked. */
struct asked {
	const struct common *common;
	const struct apst_command *command;
	struct table_source sources[2];
	size_t n_sources;
	struct drives drives;
	struct row *rows;
	struct vote *votes;
};

/* Where an idle drive ends, and after which idle time. */
struct end {
	uint32_t state;
	uint64_t ms;
};

static struct end find_end(const struct ssdpm_apst *table)
{
	struct end end = { 0 };

	if (!table->sent || !table->enabled)
		return end;
	/* Entries that lead back would go on for ever. */
	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++) {
		const struct ssdpm_apst_entry *entry =
			&table->entries[end.state];

		if (!entry->idle_ms || entry->target <= end.state)
			break;
		end.ms += entry->idle_ms;
		end.state = entry->target;
	}
	return end;
}

static enum change find_change(const struct ssdpm_apst *from,
			       const struct ssdpm_apst *to, struct end a,
			       struct end b)
{
	if (!ssdpm_apst_diff(from, to))
		return from->sent == to->sent && from->enabled == to->enabled ?
			       CHANGE_NONE :
			       CHANGE_SWITCH;
	if (a.state != b.state)
		return !a.state		 ? CHANGE_SLEEPS :
		       !b.state		 ? CHANGE_NEVER_SLEEPS :
		       b.state > a.state ? CHANGE_DEEPER :
					   CHANGE_LESS_DEEP;
	return b.ms < a.ms ? CHANGE_SOONER :
	       b.ms > a.ms ? CHANGE_LATER :
			     CHANGE_WAY;
}

static struct vote vote_of(const struct row *row)
{
	struct end a = find_end(&row->tables[0]), b = find_end(&row->tables[1]);

	return (struct vote){
		.answer = row->error.code ? CHANGE_UNKNOWN :
					    find_change(&row->tables[0],
							&row->tables[1], a, b),
		.drive = row->drive,
		.ms = { a.ms, b.ms },
	};
}

static const char *change_text(uint32_t answer)
{
	return change_words[answer];
}

/* The answers for one table: whether it sleeps, and what the last state is. */
enum { SLEEPS = 1 << 4, FAILS = 1 << 5, N_ANSWERS };

static struct cell sleep_text(uint32_t answer)
{
	const char *verdict = ssdpm_verdict_to_string(answer % SLEEPS);

	if (answer & FAILS)
		return cell("%s", change_words[CHANGE_UNKNOWN]);
	if (!verdict)
		return cell("never: no state to sleep in");
	if (!(answer & SLEEPS))
		return cell("never: last state %s", verdict);
	return answer % SLEEPS == SSDPM_VERDICT_USED ?
		       cell("the last one") :
		       cell("less deep: last state %s", verdict);
}

/* The last state that is not operational; 0: there is none. */
static uint32_t last_verdict(struct row *row)
{
	struct ssdpm_apst_verdict verdicts[SSDPM_MAX_STATES];
	const struct ssdpm_power_state *states;
	uint32_t verdict = 0;
	size_t n;

	states = ssdpm_model_get_states(row->drive->model, &n);
	if (ssdpm_apst_explain(row->drive->model, &row->params, verdicts,
			       SSDPM_MAX_STATES, &row->error))
		return 0;
	for (size_t i = 0; i < n; i++)
		if (states[i].flags & SSDPM_STATE_NON_OPERATIONAL)
			verdict = verdicts[i].verdict;
	return verdict;
}

static struct vote vote_of_one(struct row *row)
{
	const struct end end = find_end(&row->tables[0]);
	struct vote vote = { .drive = row->drive, .ms = { end.ms } };

	if (!row->error.code)
		vote.answer = last_verdict(row);
	if (row->error.code)
		vote.answer = FAILS;
	else if (end.state)
		vote.answer |= SLEEPS;
	return vote;
}

/* An error stays in the row: it is one of the answers. */
static void make_tables(const struct asked *asked, const struct quirks *quirks,
			struct row *row)
{
	row->quirks = quirks->in_force;
	row->quirks_unknown = quirks->unknown;
	row->params = asked->sources[0].params;
	row->params.quirks = apst_quirks(quirks, row->params.algorithm);
	for (size_t i = 0; i < asked->n_sources && !row->error.code; i++)
		if (!make_table(&asked->sources[i], row->drive, quirks,
				&row->tables[i], &row->error))
			row->error.code = 0;
}

static enum exit_status make_rows(struct asked *asked)
{
	const struct quirk_options *options = &asked->command->apst.quirks;
	struct quirk_rules rules = { 0 };
	enum exit_status status = read_quirk_rules(options, &rules);
	struct quirks quirks;

	for (size_t i = 0; i < asked->drives.n && !status; i++) {
		struct row *row = &asked->rows[i];

		row->drive = &asked->drives.drives[i];
		status = find_quirks(options, &rules, row->drive, &quirks);
		if (status)
			break;
		make_tables(asked, &quirks, row);
		asked->votes[i] =
			asked->n_sources == 2 ? vote_of(row) : vote_of_one(row);
	}
	free(rules.text);
	return status;
}

static void add_row(struct items *items, const struct asked *asked,
		    const struct row *row)
{
	const bool is_diff = asked->n_sources == 2;
	const struct ssdpm_object object = {
		.size = sizeof(object),
		.kind = row->error.code ? SSDPM_OBJECT_ERROR :
			is_diff		? SSDPM_OBJECT_APST_DIFF :
					  SSDPM_OBJECT_APST,
		.quirks = row->quirks,
		.quirks_unknown = row->quirks_unknown,
		.name = row->drive->name,
		.reason = row->error.code ? row->error.message : NULL,
		.model = row->drive->model,
		.seen = row->drive->seen,
		.params = asked->sources[0].is_made ? &row->params : NULL,
		.table_name = asked->command->question.second ?
				      asked->sources[0].name :
				      NULL,
		.other_name = is_diff ? asked->sources[1].name : NULL,
		.table = &row->tables[0],
		.other = &row->tables[1],
	};

	add_object(items, &object);
}

static enum exit_status print_json(const struct asked *asked)
{
	struct items items = { 0 };

	for (size_t i = 0; i < asked->drives.n; i++)
		add_row(&items, asked, &asked->rows[i]);
	return print_items(asked->common, &items);
}

/* Does it count in the first line? */
static bool is_counted(const struct asked *asked, uint32_t answer)
{
	if (asked->n_sources == 2)
		return answer != CHANGE_NONE && answer != CHANGE_UNKNOWN;
	return answer & SLEEPS;
}

/* "linux", "linux with a latency limit of 1 ms" */
static struct cell source_text(const struct table_source *source)
{
	struct ssdpm_apst_params usual;

	ssdpm_apst_params_init(&usual, sizeof(usual));
	if (!source->is_made || strstr(source->name, "limit=") ||
	    source->params.max_exit_latency_us == usual.max_exit_latency_us)
		return cell("%s", source->name);
	return cell("%s with a latency limit of %s", source->name,
		    limit_text(source->params.max_exit_latency_us).text);
}

static void print_head(const struct asked *asked, const struct tally *tallies,
		       size_t n)
{
	const struct table_source *sources = asked->sources;
	const uint64_t all = count_seen(&asked->drives);
	uint64_t seen = 0;
	size_t rows = 0;

	for (size_t i = 0; i < n; i++) {
		if (!is_counted(asked, tallies[i].answer))
			continue;
		seen += tallies[i].seen;
		rows += tallies[i].n;
	}
	printf("%zu of %zu rows of the catalogue %s, %s of %" PRIu64
	       " drives seen\n",
	       rows, asked->drives.n,
	       asked->n_sources == 2 ? "differ" : "sleep",
	       share_text(seen, all).text, all);
	if (asked->n_sources == 2)
		print_paragraph(cell("from %s%s to %s",
				     source_text(&sources[0]).text,
				     strcmp(sources[0].name, sources[1].name) ?
					     "" :
					     " as the options say",
				     source_text(&sources[1]).text)
					.text,
				2, 2);
	else
		printf("  with %s and a latency limit of %s\n", sources[0].name,
		       limit_text(sources[0].params.max_exit_latency_us).text);
}

static struct cell time_text_of(const struct tally *tally, int which)
{
	return tally->ms[which] ?
		       cell("%s",
			    ssdpm_us_to_text(tally->ms[which] * 1000).text) :
		       cell("-");
}

static void print_tallies(const struct asked *asked,
			  const struct tally *tallies, size_t n)
{
	const uint64_t all = count_seen(&asked->drives);
	const bool is_diff = asked->n_sources == 2;
	struct table rows;

	if (is_diff)
		table_begin(&rows, "<>>>>", "change", "rows", "drives",
			    "idle before", "and after");
	else
		table_begin(&rows, "<>>>", "deepest state", "rows", "drives",
			    "idle before");
	for (size_t i = 0; i < n; i++) {
		const struct tally *t = &tallies[i];

		table_row(&rows,
			  is_diff ? change_text(t->answer) :
				    sleep_text(t->answer).text,
			  cell("%zu", t->n).text, share_text(t->seen, all).text,
			  time_text_of(t, 0).text);
		if (is_diff)
			table_cell(&rows, "%s", time_text_of(t, 1).text);
	}
	table_print(&rows);
}

/* Why there is no table, of the first drive that has none. */
static void remark_failure(const struct asked *asked)
{
	for (size_t i = 0; i < asked->drives.n && !asked->common->quiet; i++) {
		const struct row *row = &asked->rows[i];

		if (!row->error.code)
			continue;
		remark("%s: %s", row->drive->name, row->error.message);
		break;
	}
}

static enum exit_status print_answers(const struct asked *asked)
{
	const bool is_diff = asked->n_sources == 2;
	struct tally tallies[N_ANSWERS];
	size_t n;

	if (asked->common->form)
		return print_json(asked);
	n = count_votes(asked->votes, asked->drives.n, tallies, N_ANSWERS);
	print_head(asked, tallies, n);
	putchar('\n');
	print_tallies(asked, tallies, n);
	puts("  Idle time until the deepest state: the median over drives "
	     "seen.\n\n"
	     "  The most seen products, and how often; --json has all:");
	for (size_t i = 0; i < n; i++)
		if (!is_diff || tallies[i].answer != CHANGE_NONE)
			print_told(is_diff ? change_text(tallies[i].answer) :
					     sleep_text(tallies[i].answer).text,
				   &tallies[i]);
	remark_failure(asked);
	return STATUS_DONE;
}

/* The table of the options, or the two of --diff. */
static enum exit_status find_sources(struct asked *asked)
{
	const struct question *question = &asked->command->question;
	struct table_source *first = &asked->sources[0];

	*first = (struct table_source){
		.name = ssdpm_apst_algorithm_to_string(
			asked->command->apst.params.algorithm),
		.is_made = true,
		.params = asked->command->apst.params,
	};
	asked->n_sources = 1;
	if (!question->option)
		return STATUS_DONE;
	asked->n_sources = 2;
	return read_two_tables(asked->common, question,
			       &asked->command->apst.params, first,
			       &asked->sources[1]);
}

enum exit_status answer_apst_of_all(const struct common *common,
				    const struct apst_command *command)
{
	struct asked asked = { .common = common, .command = command };
	enum exit_status status = find_sources(&asked);

	if (!status)
		status = read_catalogue(common, SSDPM_KIND_NVME, &asked.drives);
	if (status)
		return status;
	asked.rows = calloc(asked.drives.n + 1, sizeof(*asked.rows));
	asked.votes = calloc(asked.drives.n + 1, sizeof(*asked.votes));
	if (!asked.rows || !asked.votes)
		status = out_of_memory();
	if (!status)
		status = make_rows(&asked);
	if (!status)
		status = print_answers(&asked);
	free(asked.votes);
	free(asked.rows);
	free_drives(&asked.drives);
	return status;
}
