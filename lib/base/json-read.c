/* SPDX-License-Identifier: MIT */
/*
 * The JSON reader: one strict pass over the text (RFC 8259) that fills an array
 * of nodes. Values are taken out of the text when asked for.
 */
#include "base/json-text.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct json_parser {
	struct json *json;
	const char *at;
	const char *end;
	uint32_t line;
	int depth;
	struct ssdpm_error *reterr;
};

static int parse_value(struct json_parser *p, uint32_t key_start,
		       uint32_t key_end);

static int bad(struct json_parser *p, const char *expected)
{
	unsigned char found;

	if (p->at >= p->end)
		return ssdpm__fail(p->reterr, -EINVAL, p->line,
				   "not JSON: it ends where %s should be",
				   expected);
	found = (unsigned char)*p->at;
	if (found < ' ' || found > '~')
		return ssdpm__fail(p->reterr, -EINVAL, p->line,
				   "not JSON: byte 0x%02x where %s should be",
				   found, expected);
	return ssdpm__fail(p->reterr, -EINVAL, p->line,
			   "not JSON: '%c' where %s should be", found,
			   expected);
}

static bool at_char(const struct json_parser *p, char c)
{
	return p->at < p->end && *p->at == c;
}

static bool at_digit(const struct json_parser *p)
{
	return p->at < p->end && *p->at >= '0' && *p->at <= '9';
}

static void skip_space(struct json_parser *p)
{
	for (; p->at < p->end; p->at++) {
		if (*p->at == '\n')
			p->line++;
		else if (*p->at != ' ' && *p->at != '\t' && *p->at != '\r')
			return;
	}
}

static uint32_t offset(const struct json_parser *p)
{
	return (uint32_t)(p->at - p->json->text);
}

static int grow(struct json_parser *p)
{
	struct json *json = p->json;
	uint32_t capacity = json->capacity ? json->capacity * 2 : 128;
	struct json_node *nodes;

	if (json->borrowed)
		return ssdpm__fail(p->reterr, -E2BIG, p->line,
				   "more than %u JSON values are too many here",
				   json->capacity);
	nodes = realloc(json->nodes, capacity * sizeof(*nodes));
	if (!nodes)
		return ssdpm__no_memory(p->reterr);
	json->nodes = nodes;
	json->capacity = capacity;
	return 0;
}

/* Index of a new node, or a negative errno. */
static int64_t new_node(struct json_parser *p, enum json_type type)
{
	struct json *json = p->json;
	int err;

	if (json->n_nodes == json->capacity) {
		err = grow(p);
		if (err)
			return err;
	}
	json->nodes[json->n_nodes] = (struct json_node){
		.type = type,
		.line = p->line,
		.start = offset(p),
	};
	return json->n_nodes++;
}

static int parse_escape(struct json_parser *p)
{
	p->at++;
	if (p->at < p->end && *p->at && strchr("\"\\/bfnrt", *p->at)) {
		p->at++;
		return 0;
	}
	if (!at_char(p, 'u'))
		return bad(p, "an escaped character");
	p->at++;
	for (int i = 0; i < 4; i++, p->at++)
		if (p->at >= p->end || ssdpm__hex_digit(*p->at) < 0)
			return bad(p, "a hexadecimal digit");
	return 0;
}

/* From one quote past the other. */
static int parse_string(struct json_parser *p, uint32_t *ret_start,
			uint32_t *ret_end)
{
	size_t length;
	int err;

	p->at++;
	*ret_start = offset(p);
	while (!at_char(p, '"')) {
		if (at_char(p, '\\')) {
			err = parse_escape(p);
			if (err)
				return err;
			continue;
		}
		if (p->at >= p->end || (unsigned char)*p->at < ' ')
			return bad(p, "a character or '\"'");
		length = ssdpm__utf8_length((const unsigned char *)p->at,
					    (size_t)(p->end - p->at));
		if (!length)
			return bad(p, "UTF-8");
		p->at += length;
	}
	*ret_end = offset(p);
	p->at++;
	return 0;
}

static int parse_digits(struct json_parser *p)
{
	if (!at_digit(p))
		return bad(p, "a digit");
	while (at_digit(p))
		p->at++;
	return 0;
}

static int parse_number(struct json_parser *p, uint32_t *ret_type)
{
	int err;

	*ret_type = JSON_INTEGER;
	if (at_char(p, '-'))
		p->at++;
	if (at_char(p, '0'))
		p->at++;
	else if ((err = parse_digits(p)))
		return err;
	if (at_char(p, '.')) {
		*ret_type = JSON_REAL;
		p->at++;
		err = parse_digits(p);
		if (err)
			return err;
	}
	if (at_char(p, 'e') || at_char(p, 'E')) {
		*ret_type = JSON_REAL;
		p->at++;
		if (at_char(p, '+') || at_char(p, '-'))
			p->at++;
		return parse_digits(p);
	}
	return 0;
}

static int parse_word(struct json_parser *p, const char *word)
{
	size_t length = strlen(word);

	if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length))
		return bad(p, "a value");
	p->at += length;
	return 0;
}

static int parse_scalar(struct json_parser *p, struct json_node *node)
{
	switch (*p->at) {
	case '"':
		node->type = JSON_STRING;
		return parse_string(p, &node->start, &node->end);
	case 't':
		node->type = JSON_BOOLEAN;
		return parse_word(p, "true");
	case 'f':
		node->type = JSON_BOOLEAN;
		return parse_word(p, "false");
	case 'n':
		return parse_word(p, "null");
	default:
		if (*p->at != '-' && !at_digit(p))
			return bad(p, "a value");
		return parse_number(p, &node->type);
	}
}

static void put_utf8(uint32_t c, char **to)
{
	if (c < 0x80) {
		*(*to)++ = (char)c;
	} else if (c < 0x800) {
		*(*to)++ = (char)(0xc0 | c >> 6);
		*(*to)++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*(*to)++ = (char)(0xe0 | c >> 12);
		*(*to)++ = (char)(0x80 | (c >> 6 & 0x3f));
		*(*to)++ = (char)(0x80 | (c & 0x3f));
	} else {
		*(*to)++ = (char)(0xf0 | c >> 18);
		*(*to)++ = (char)(0x80 | (c >> 12 & 0x3f));
		*(*to)++ = (char)(0x80 | (c >> 6 & 0x3f));
		*(*to)++ = (char)(0x80 | (c & 0x3f));
	}
}

static uint32_t hex4(const char *at)
{
	uint32_t value = 0;

	for (int i = 0; i < 4; i++)
		value = value << 4 | (uint32_t)ssdpm__hex_digit(at[i]);
	return value;
}

/*
 * Take one character, as up to four bytes, from a string that was checked. A
 * lone surrogate stays what it is: three bytes that are no UTF-8, and equal to
 * themselves only.
 */
static size_t take_char(const char **at, const char *end, char to[4])
{
	static const char plain[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	char *put = to;
	uint32_t c;

	if (**at != '\\') {
		*put++ = *(*at)++;
		return 1;
	}
	if ((*at)[1] != 'u') {
		*put = meant[strchr(plain, (*at)[1]) - plain];
		*at += 2;
		return 1;
	}
	c = hex4(*at + 2);
	*at += 6;
	if (c >= 0xd800 && c < 0xdc00 && end - *at >= 6 && (*at)[0] == '\\' &&
	    (*at)[1] == 'u') {
		uint32_t low = hex4(*at + 2);

		if (low >= 0xdc00 && low < 0xe000) {
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
			*at += 6;
		}
	}
	put_utf8(c, &put);
	return (size_t)(put - to);
}

static bool same_string(const char *a, const char *a_end, const char *b,
			const char *b_end)
{
	char from_a[4], from_b[4];
	size_t n_a = 0, n_b = 0, i_a = 0, i_b = 0;

	for (; a < a_end && b < b_end && *a == *b && *a != '\\'; a++)
		b++;
	/* As most keys do: in a character that is no part of an escaped one. */
	if (a < a_end && b < b_end && *a != '\\' && *b != '\\')
		return false;
	for (;;) {
		if (i_a == n_a) {
			if (a == a_end)
				break;
			n_a = take_char(&a, a_end, from_a);
			i_a = 0;
		}
		if (i_b == n_b) {
			if (b == b_end)
				return false;
			n_b = take_char(&b, b_end, from_b);
			i_b = 0;
		}
		if (from_a[i_a++] != from_b[i_b++])
			return false;
	}
	return i_b == n_b && b == b_end;
}

static bool is_key(const struct json *json, const struct json_node *node,
		   const char *key, size_t length)
{
	return same_string(json->text + node->key_start,
			   json->text + node->key_end, key, key + length);
}

/*
 * How many bytes of a text of the input go into a message: few enough that the
 * cause still fits behind them, and whole characters.
 */
static int quoted_length(const char *text, size_t length)
{
	size_t n = length < 60 ? length : 60;

	while (n && n < length && (text[n] & 0xc0) == 0x80)
		n--;
	return (int)n;
}

/* No earlier member of the object may have the key of its newest one. */
static int check_key(struct json_parser *p, uint32_t object, uint32_t key_start,
		     uint32_t key_end)
{
	struct json *json = p->json;
	const char *key = json->text + key_start;
	uint32_t i = object + 1;

	for (; i < json->n_nodes; i = json->nodes[i].next)
		if (is_key(json, &json->nodes[i], key, key_end - key_start))
			return ssdpm__fail(
				p->reterr, -EINVAL, p->line,
				"the key \"%.*s\" is given twice, "
				"first in line %u",
				quoted_length(key, key_end - key_start), key,
				json->nodes[i].line);
	if (json->nodes[object].n_children == JSON_MAX_KEYS)
		return ssdpm__fail(p->reterr, -EINVAL, p->line,
				   "more than %d keys in one object",
				   JSON_MAX_KEYS);
	return 0;
}

static int parse_member(struct json_parser *p, uint32_t object)
{
	uint32_t key_start, key_end;
	int err;

	if (!at_char(p, '"'))
		return bad(p, "a key in quotes");
	err = parse_string(p, &key_start, &key_end);
	if (!err)
		err = check_key(p, object, key_start, key_end);
	if (err)
		return err;
	skip_space(p);
	if (!at_char(p, ':'))
		return bad(p, "':'");
	p->at++;
	return parse_value(p, key_start, key_end);
}

static int parse_container(struct json_parser *p, uint32_t index)
{
	bool object = *p->at == '{';
	char close = object ? '}' : ']';
	int err;

	if (++p->depth > JSON_MAX_DEPTH)
		return ssdpm__fail(p->reterr, -EINVAL, p->line,
				   "JSON nested deeper than %d",
				   JSON_MAX_DEPTH);
	p->at++;
	skip_space(p);
	while (!at_char(p, close)) {
		err = object ? parse_member(p, index) : parse_value(p, 0, 0);
		if (err)
			return err;
		p->json->nodes[index].n_children++;
		skip_space(p);
		if (at_char(p, close))
			break;
		if (!at_char(p, ','))
			return bad(p, object ? "',' or '}'" : "',' or ']'");
		p->at++;
		skip_space(p);
		if (at_char(p, close))
			return bad(p, object ? "a key" : "a value");
	}
	p->at++;
	p->depth--;
	return 0;
}

static int parse_value(struct json_parser *p, uint32_t key_start,
		       uint32_t key_end)
{
	struct json_node node;
	int64_t index;
	int err;

	skip_space(p);
	if (p->at >= p->end)
		return bad(p, "a value");
	index = new_node(p, JSON_NULL);
	if (index < 0)
		return (int)index;
	node = p->json->nodes[index];
	if (*p->at == '{' || *p->at == '[') {
		node.type = *p->at == '{' ? JSON_OBJECT : JSON_ARRAY;
		err = parse_container(p, (uint32_t)index);
		node.n_children = p->json->nodes[index].n_children;
	} else {
		err = parse_scalar(p, &node);
	}
	if (err)
		return err;
	if (node.type != JSON_STRING)
		node.end = offset(p);
	node.key_start = key_start;
	node.key_end = key_end;
	node.next = p->json->n_nodes;
	p->json->nodes[index] = node;
	return 0;
}

static int parse_text(struct json_parser *p)
{
	int err;

	skip_space(p);
	if (!at_char(p, '{') && !at_char(p, '['))
		return bad(p, "'{' or '['");
	err = parse_value(p, 0, 0);
	if (err)
		return err;
	skip_space(p);
	return p->at < p->end ? bad(p, "the end") : 0;
}

void ssdpm__json_skip_mark(const char **text, size_t *size)
{
	if (*size < 3 || memcmp(*text, "\xef\xbb\xbf", 3))
		return;
	*text += 3;
	*size -= 3;
}

/* *json has the room for the nodes. */
static int parse(const char *text, size_t size, struct json *json,
		 struct ssdpm_error *reterr)
{
	struct json_parser parser = { .json = json,
				      .line = 1,
				      .reterr = reterr };

	if (size > SSDPM_JSON_MAX_BYTES)
		return ssdpm__fail(reterr, -E2BIG, 0,
				   "%zu bytes of JSON; at most %u are read",
				   size, SSDPM_JSON_MAX_BYTES);
	ssdpm__json_skip_mark(&text, &size);
	json->text = text;
	parser.at = text;
	parser.end = size ? text + size : text; /* NULL + 0 is undefined */
	return parse_text(&parser);
}

int ssdpm__json_parse(const char *text, size_t size, struct json *ret_json,
		      struct ssdpm_error *reterr)
{
	struct json json = { 0 };
	int err = parse(text, size, &json, reterr);

	if (err) {
		ssdpm__json_free(&json);
		return err;
	}
	*ret_json = json;
	return 0;
}

int ssdpm__json_parse_into(const char *text, size_t size,
			   struct json_node *nodes, uint32_t n,
			   struct json *ret_json, struct ssdpm_error *reterr)
{
	struct json json = { .nodes = nodes, .capacity = n, .borrowed = true };
	int err = parse(text, size, &json, reterr);

	if (!err)
		*ret_json = json;
	return err;
}

void ssdpm__json_free(struct json *json)
{
	if (!json->borrowed)
		free(json->nodes);
	json->nodes = NULL;
}

const struct json_node *ssdpm__json_subject(const struct json *json)
{
	const struct json_node *root = &json->nodes[0], *errors, *node;

	if (root->type != JSON_OBJECT ||
	    !ssdpm__json_member(json, root, "schema"))
		return root;
	errors = ssdpm__json_member(json, root, "errors");
	node = errors ? ssdpm__json_first(json, root) : NULL;
	for (; node; node = ssdpm__json_next(json, root, node))
		if (node->type == JSON_ARRAY && node != errors)
			return node;
	return root;
}

const struct json_node *ssdpm__json_first(const struct json *json,
					  const struct json_node *parent)
{
	(void)json;
	return parent->n_children ? parent + 1 : NULL;
}

const struct json_node *ssdpm__json_next(const struct json *json,
					 const struct json_node *parent,
					 const struct json_node *child)
{
	return child->next < parent->next ? &json->nodes[child->next] : NULL;
}

const struct json_node *ssdpm__json_member(const struct json *json,
					   const struct json_node *object,
					   const char *key)
{
	const struct json_node *node = ssdpm__json_first(json, object);

	while (node && !is_key(json, node, key, strlen(key)))
		node = ssdpm__json_next(json, object, node);
	return node;
}

int ssdpm__json_expect(const struct json_node *node, enum json_type type,
		       const char *what, struct ssdpm_error *reterr)
{
	static const char names[][16] = {
		[JSON_NULL] = "null",
		[JSON_BOOLEAN] = "a boolean",
		[JSON_INTEGER] = "a whole number",
		[JSON_REAL] = "a fraction",
		[JSON_STRING] = "a string",
		[JSON_ARRAY] = "an array",
		[JSON_OBJECT] = "an object",
	};

	if (node->type == type)
		return 0;
	return ssdpm__fail(reterr, -EINVAL, node->line,
			   "%s: %s where %s should be", what, names[node->type],
			   names[type]);
}

bool ssdpm__json_is_true(const struct json *json, const struct json_node *node)
{
	return node->type == JSON_BOOLEAN && json->text[node->start] == 't';
}

int ssdpm__json_get_uint(const struct json *json, const struct json_node *node,
			 uint64_t max, const char *what, uint64_t *ret_value,
			 struct ssdpm_error *reterr)
{
	const char *text = json->text + node->start, *at = text;
	uint64_t value = 0;
	int err;

	err = ssdpm__json_expect(node, JSON_INTEGER, what, reterr);
	if (err)
		return err;
	if (*at == '-' && at[1] == '0')
		at++;
	else if (*at == '-')
		return ssdpm__fail(
			reterr, -ERANGE, node->line, "%s: %.*s is negative",
			what, quoted_length(at, node->end - node->start), at);
	for (; at < json->text + node->end; at++) {
		unsigned int digit = (unsigned int)(*at - '0');

		if (digit > max || value > (max - digit) / 10)
			return ssdpm__fail(
				reterr, -ERANGE, node->line,
				"%s: %.*s is more than %" PRIu64, what,
				quoted_length(text, node->end - node->start),
				text, max);
		value = value * 10 + digit;
	}
	*ret_value = value;
	return 0;
}

int ssdpm__json_get_int(const struct json *json, const struct json_node *node,
			uint64_t max, const char *what, int64_t *ret_value,
			struct ssdpm_error *reterr)
{
	struct json_node number = *node;
	bool negative =
		number.type == JSON_INTEGER && json->text[number.start] == '-';
	uint64_t value;
	int err;

	number.start += negative;
	err = ssdpm__json_get_uint(json, &number, max, what, &value, reterr);
	if (!err)
		*ret_value = negative ? -(int64_t)value : (int64_t)value;
	return err;
}

int ssdpm__json_get_string(const struct json *json,
			   const struct json_node *node, char *ret_text,
			   size_t size, const char *what,
			   struct ssdpm_error *reterr)
{
	const char *at = json->text + node->start;
	const char *end = json->text + node->end;
	size_t length = 0, n;
	char c[4];
	int err;

	err = ssdpm__json_expect(node, JSON_STRING, what, reterr);
	if (err)
		return err;
	while (at < end) {
		n = take_char(&at, end, c);
		if (length + n >= size)
			return ssdpm__fail(reterr, -ERANGE, node->line,
					   "%s: longer than %zu characters",
					   what, size - 1);
		if (!c[0])
			return ssdpm__fail(reterr, -EINVAL, node->line,
					   "%s: contains a zero byte", what);
		memcpy(ret_text + length, c, n);
		length += n;
	}
	ret_text[length] = 0;
	return 0;
}
