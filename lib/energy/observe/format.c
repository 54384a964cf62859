/* SPDX-License-Identifier: MIT */
/*
 * How Linux prints its trace events: the line "print fmt:" of the format of an
 * event is a format of printf and what fills it. It is kept as pieces, along
 * which lines are read.
 *
 *     print fmt: "%d,%d %s %llu + %u [%s]", ((unsigned int) ((REC->dev) >>
 *     20)), ((unsigned int) ((REC->dev) & ((1U << 20) - 1))), REC->rwbs,
 *     (unsigned long long)REC->sector, REC->nr_sector, REC->comm
 */
#include <errno.h>
#include <string.h>

#include "base/internal.h"
#include "observe/internal.h"

/* The events by name, and what each must tell. */
static const struct {
	const char *path;
	enum event_kind kind;
} events[] = {
	{ "block/block_bio_queue", EVENT_BIO_QUEUE },
	{ "block/block_bio_remap", EVENT_BIO_REMAP },
	{ "block/block_rq_issue", EVENT_RQ_ISSUE },
	{ "block/block_rq_complete", EVENT_RQ_COMPLETE },
	{ "block/block_rq_requeue", EVENT_RQ_REQUEUE },
	{ "nvme/nvme_setup_cmd", EVENT_NVME_SETUP },
	{ "writeback/writeback_dirty_folio", EVENT_DIRTY },
	{ "writeback/writeback_dirty_page", EVENT_DIRTY },
	{ "writeback/writeback_single_inode_start", EVENT_WRITE_BACK },
};
#define N_EVENTS (sizeof(events) / sizeof(events[0]))

#define HAS(field) (1u << FIELD_##field)
#define HAS_PLACE \
	(HAS(MAJOR) | HAS(MINOR) | HAS(RWBS) | HAS(SECTOR) | HAS(SECTORS))

static const uint32_t needed[N_EVENT_KINDS] = {
	[EVENT_BIO_QUEUE] = HAS_PLACE,
	[EVENT_BIO_REMAP] =
		HAS_PLACE | HAS(OLD_MAJOR) | HAS(OLD_MINOR) | HAS(OLD_SECTOR),
	[EVENT_RQ_ISSUE] = HAS_PLACE,
	[EVENT_RQ_COMPLETE] = HAS_PLACE,
	[EVENT_RQ_REQUEUE] = HAS_PLACE,
	[EVENT_NVME_SETUP] = HAS(CONTROLLER) | HAS(QUEUE),
	[EVENT_DIRTY] = HAS(NAME) | HAS(INODE),
	[EVENT_WRITE_BACK] = HAS(NAME) | HAS(INODE),
};

/* The second mention of a device number is its minor number. */
static const struct {
	char name[12];
	uint8_t field, second;
} fields[] = {
	{ "dev", FIELD_MAJOR, FIELD_MINOR },
	{ "old_dev", FIELD_OLD_MAJOR, FIELD_OLD_MINOR },
	{ "rwbs", FIELD_RWBS, NO_FIELD },
	{ "sector", FIELD_SECTOR, NO_FIELD },
	{ "nr_sector", FIELD_SECTORS, NO_FIELD },
	{ "old_sector", FIELD_OLD_SECTOR, NO_FIELD },
	{ "ctrl_id", FIELD_CONTROLLER, NO_FIELD },
	{ "qid", FIELD_QUEUE, NO_FIELD },
	{ "ino", FIELD_INODE, NO_FIELD },
	{ "cgroup_ino", FIELD_CGROUP, NO_FIELD },
	{ "name", FIELD_NAME, NO_FIELD },
	{ "comm", FIELD_COMM, NO_FIELD },
};

/* As Linux 6.1 to 7.3 print them, where no format is given. */
#define PLACE "REC->dev, REC->dev, REC->rwbs, "
#define RANGE "REC->sector, REC->nr_sector, "
#define PRIORITY "ioprio, ioprio, ioprio, "
static const struct {
	enum event_kind kind;
	const char *print;
} known[] = {
	{ EVENT_BIO_QUEUE,
	  "\"%d,%d %s %llu + %u [%s]\", " PLACE RANGE "REC->comm" },
	{ EVENT_BIO_REMAP,
	  "\"%d,%d %s %llu + %u <- (%d,%d) %llu\", " PLACE RANGE
	  "REC->old_dev, REC->old_dev, REC->old_sector" },
	{ EVENT_RQ_ISSUE, "\"%d,%d %s %u (%s) %llu + %u [%s]\", " PLACE
			  "REC->bytes, __get_str(cmd), " RANGE "REC->comm" },
	{ EVENT_RQ_ISSUE,
	  "\"%d,%d %s %u (%s) %llu + %u %s,%u,%u [%s]\", " PLACE
	  "REC->bytes, __get_str(cmd), " RANGE PRIORITY "REC->comm" },
	{ EVENT_RQ_COMPLETE, "\"%d,%d %s (%s) %llu + %u [%d]\", " PLACE
			     "__get_str(cmd), " RANGE "REC->error" },
	{ EVENT_RQ_COMPLETE, "\"%d,%d %s (%s) %llu + %u %s,%u,%u [%d]\", " PLACE
			     "__get_str(cmd), " RANGE PRIORITY "REC->error" },
	{ EVENT_RQ_REQUEUE, "\"%d,%d %s (%s) %llu + %u [%d]\", " PLACE
			    "__get_str(cmd), " RANGE "0" },
	{ EVENT_RQ_REQUEUE, "\"%d,%d %s (%s) %llu + %u %s,%u,%u [%d]\", " PLACE
			    "__get_str(cmd), " RANGE PRIORITY "0" },
	{ EVENT_NVME_SETUP,
	  "\"nvme%d: %sqid=%d, cmdid=%u, \", REC->ctrl_id, disk, REC->qid, "
	  "REC->cid" },
	{ EVENT_DIRTY,
	  "\"bdi %s: ino=%lu index=%lu\", REC->name, REC->ino, index" },
	{ EVENT_WRITE_BACK,
	  "\"bdi %s: ino=%lu state=%s dirtied_when=%lu age=%lu index=%lu "
	  "to_write=%ld wrote=%lu cgroup_ino=%lu\", REC->name, REC->ino, "
	  "state, when, age, index, left, wrote, REC->cgroup_ino" },
};

const char *ssdpm__event_path(size_t index)
{
	return index < N_EVENTS ? events[index].path : NULL;
}

static bool is_word_character(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

/* Is "REC->NAME" in the text? */
static bool mentions(struct span text, const char *name)
{
	const char *at = text.at;
	size_t n = strlen(name);

	while ((at = memmem(at, (size_t)(text.end - at), "REC->", 5))) {
		at += 5;
		if ((size_t)(text.end - at) >= n && !memcmp(at, name, n) &&
		    ((size_t)(text.end - at) == n || !is_word_character(at[n])))
			return true;
	}
	return false;
}

/* The field that an argument is; *seen: those that were before. */
static uint8_t field_of(struct span argument, uint32_t *seen)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		uint8_t field = fields[i].field;

		if (!mentions(argument, fields[i].name))
			continue;
		if (*seen & 1u << field)
			field = fields[i].second;
		if (field != NO_FIELD)
			*seen |= 1u << field;
		return field;
	}
	return NO_FIELD;
}

/* Take the next argument: up to a comma outside of parentheses and quotes. */
static bool take_argument(struct span *text, struct span *ret_argument)
{
	const char *at = text->at;
	bool quoted = false;
	int depth = 0;

	if (at == text->end || *at != ',')
		return false;
	for (at++; at < text->end; at++) {
		if (quoted && *at == '\\' && at + 1 < text->end)
			at++;
		else if (*at == '"')
			quoted = !quoted;
		else if (quoted)
			continue;
		else if (*at == '(' || *at == '{')
			depth++;
		else if (*at == ')' || *at == '}')
			depth--;
		else if (*at == ',' && depth == 0)
			break;
	}
	*ret_argument = (struct span){ text->at + 1, at };
	text->at = at;
	return true;
}

/* Take a conversion behind its '%': its letter, or 0. */
static char take_conversion(struct span *text)
{
	static const char skipped[] = "-+ #0123456789.hlzjt";

	while (text->at < text->end && strchr(skipped, *text->at))
		text->at++;
	if (text->at == text->end)
		return 0;
	switch (*text->at++) {
	case 'd':
	case 'i':
	case 'u':
		return 'd';
	case 'x':
	case 'X':
		return 'x';
	case 's':
	case 'c':
		return 's';
	default:
		return 0;
	}
}

/* Take the text before the next conversion, or before the end of the quotes. */
static bool take_literal(struct span *text, char literal[MAX_LITERAL],
			 bool *ret_end)
{
	size_t n = 0;

	for (*ret_end = true; text->at < text->end && *text->at != '"';) {
		char c = *text->at++;

		if (c == '%' && (text->at == text->end || *text->at != '%')) {
			*ret_end = false;
			break;
		}
		/* A percent sign twice, or what a backslash is before. */
		if (c == '%' || (c == '\\' && text->at < text->end))
			c = *text->at++;
		if (n + 1 == MAX_LITERAL)
			return false;
		literal[n++] = c;
	}
	literal[n] = '\0';
	return true;
}

/* The format in quotes. */
static int take_pieces(struct span *text, struct format *format)
{
	bool end = false;

	if (text->at == text->end || *text->at++ != '"')
		return -EINVAL;
	while (!end) {
		struct format_piece *piece;

		if (format->n == MAX_PIECES)
			return -EINVAL;
		piece = &format->pieces[format->n++];
		if (!take_literal(text, piece->literal, &end))
			return -EINVAL;
		piece->conversion = end ? 0 : take_conversion(text);
		piece->field = NO_FIELD;
		if (!end && !piece->conversion)
			return -EINVAL;
	}
	return text->at < text->end && *text->at++ == '"' ? 0 : -EINVAL;
}

/* From "print fmt:" on. */
static int parse(struct span text, enum event_kind kind,
		 struct format *ret_format)
{
	struct format format = { 0 };
	struct span argument;
	uint32_t seen = 0;
	int err = take_pieces(&text, &format);

	for (size_t i = 0; !err && format.pieces[i].conversion; i++) {
		if (!take_argument(&text, &argument))
			return -EINVAL;
		uint8_t field = field_of(argument, &seen);

		/* A number is not printed as a text, nor the reverse. */
		if (field < N_NUMBERS && format.pieces[i].conversion == 's')
			return -EINVAL;
		if (field != NO_FIELD && field >= N_NUMBERS &&
		    format.pieces[i].conversion != 's')
			return -EINVAL;
		format.pieces[i].field = field;
	}
	if (!err && (seen & needed[kind]) != needed[kind])
		err = -ENODATA;
	if (!err)
		*ret_format = format;
	return err;
}

void ssdpm__formats_init(struct formats *formats)
{
	memset(formats, 0, sizeof(*formats));
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct format *format = formats->formats[known[i].kind];
		const char *print = known[i].print;

		while (format->n)
			format++;
		parse(ssdpm__span(print, strlen(print)), known[i].kind, format);
	}
}

static bool find_line(struct span text, const char *key, struct span *ret_rest)
{
	struct lines lines = { .rest = text };

	while (ssdpm__next_line(&lines, ret_rest))
		if (ssdpm__take(ret_rest, key))
			return true;
	return false;
}

int ssdpm__event_kind(struct span name, enum event_kind *ret_kind)
{
	for (size_t i = 0; i < N_EVENTS; i++)
		if (ssdpm__span_is(name,
				   ssdpm__last_component(events[i].path))) {
			*ret_kind = events[i].kind;
			return 0;
		}
	return -ENOENT;
}

int ssdpm__formats_set(struct formats *formats, struct span text,
		       struct ssdpm_error *reterr)
{
	struct format format;
	enum event_kind kind;
	struct span name, print;

	if (!find_line(text, "name:", &name))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "the format has no line \"name:\"");
	if (ssdpm__event_kind(name, &kind))
		return ssdpm__fail(reterr, -ENOENT, 0,
				   "no event of this name is read");
	/* A kernel that describes an event has it. */
	formats->given |= 1u << kind;
	formats->seen |= 1u << kind;
	if (!find_line(text, "print fmt:", &print))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "the format has no line \"print fmt:\"");
	int err = parse(print, kind, &format);
	if (err == -ENODATA)
		return ssdpm__fail(reterr, err, 0,
				   "the event does not print a field that is "
				   "needed");
	if (err)
		return ssdpm__fail(
			reterr, err, 0,
			"the line \"print fmt:\" cannot be followed");
	memset(formats->formats[kind], 0, sizeof(formats->formats[kind]));
	formats->formats[kind][0] = format;
	return 0;
}

bool ssdpm__formats_lack(const struct formats *formats, enum event_kind kind)
{
	static const uint32_t requests =
		1u << EVENT_RQ_ISSUE | 1u << EVENT_RQ_COMPLETE;

	return (formats->given & requests) == requests &&
	       !(formats->seen >> kind & 1);
}

/* Where a literal is; the one before the end is at the very end. */
static const char *find_literal(struct span rest,
				const struct format_piece *piece)
{
	size_t n = strlen(piece->literal), left = (size_t)(rest.end - rest.at);

	if (piece->conversion)
		return n ? memmem(rest.at, left, piece->literal, n) : NULL;
	if (left < n || memcmp(rest.end - n, piece->literal, n) != 0)
		return NULL;
	return rest.end - n;
}

static bool take_hex(struct span *rest)
{
	const char *at = rest->at;

	if (rest->end - at > 2 && at[0] == '0' && at[1] == 'x')
		rest->at += 2;
	while (rest->at < rest->end && ssdpm__hex_digit(*rest->at) >= 0)
		rest->at++;
	return rest->at > at;
}

bool ssdpm__take_digits(struct span *rest, uint64_t *ret_value)
{
	const char *at = rest->at;
	uint64_t value = 0;

	for (; rest->at < rest->end && *rest->at >= '0' && *rest->at <= '9';
	     rest->at++)
		if (__builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*rest->at - '0'),
					   &value))
			return false;
	*ret_value = value;
	return rest->at > at;
}

static bool take_value(struct span *rest, const struct format_piece *piece,
		       struct event *event)
{
	uint64_t value = 0;

	if (piece->conversion == 'x')
		return take_hex(rest);
	if (piece->conversion == 'd') {
		if (piece->field == NO_FIELD && rest->at < rest->end &&
		    *rest->at == '-')
			rest->at++;
		if (!ssdpm__take_digits(rest, &value))
			return false;
		if (piece->field < N_NUMBERS)
			event->numbers[piece->field] = value;
		return true;
	}
	/* A text goes to the literal after it. */
	const char *end = find_literal(*rest, piece + 1);

	if (piece->field != NO_FIELD)
		event->texts[piece->field - N_NUMBERS] =
			(struct span){ rest->at, end };
	if (!end)
		return false;
	rest->at = end;
	return true;
}

static bool follow(const struct format *format, struct span rest,
		   struct event *event)
{
	event->texts[FIELD_COMM - N_NUMBERS] = (struct span){ 0 };
	for (const struct format_piece *piece = format->pieces;; piece++) {
		size_t n = strlen(piece->literal);

		if ((size_t)(rest.end - rest.at) < n ||
		    memcmp(rest.at, piece->literal, n) != 0)
			return false;
		rest.at += n;
		/* More may follow what the known formats say. */
		if (!piece->conversion)
			return true;
		if (!take_value(&rest, piece, event))
			return false;
	}
}

bool ssdpm__formats_follow(const struct formats *formats, struct span body,
			   struct event *event)
{
	struct span *comm = &event->texts[FIELD_COMM - N_NUMBERS];
	struct span begun = { 0 };

	for (size_t i = 0; i < MAX_KNOWN; i++) {
		const struct format *format = &formats->formats[event->kind][i];

		if (format->n && follow(format, body, event))
			return true;
		if (comm->at)
			begun = *comm;
	}
	*comm = begun;
	return false;
}
