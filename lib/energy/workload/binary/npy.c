/* SPDX-License-Identifier: MIT */
/*
 * NumPy's .npy of struct ssdpm_io: a head in Python's syntax, padded with
 * blanks to a multiple of 64 bytes, and the records, little-endian. See
 * numpy.lib.format, "Format Version 1.0" to "3.0".
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "workload/pair.h"

static const char magic[6] = { '\x93', 'N', 'U', 'M', 'P', 'Y' };

/* Longest head that is read: NumPy's own has 192 bytes. */
#define MAX_HEAD 8192u

/* As numpy.dtype.descr has them; the last one is the padding. */
static const struct npy_field {
	const char *name;
	const char *type;
} fields[] = {
	{ "start_ns", "<u8" },	 { "offset", "<u8" }, { "bytes", "<u4" },
	{ "service_ns", "<u4" }, { "op", "|u1" },     { "flags", "|u1" },
	{ "", "|V6" },
};

#define N_FIELDS (sizeof(fields) / sizeof(fields[0]))

struct npy {
	uint64_t n_records; /* that the head names */
	uint64_t n_read;
};

static bool is_npy(const char *head, size_t size)
{
	return size >= sizeof(magic) && !memcmp(head, magic, sizeof(magic));
}

static void skip_space(struct span *text)
{
	while (text->at < text->end && (*text->at == ' ' || *text->at == '\n'))
		text->at++;
}

/* Take one token of Python: a sign or a word. */
static bool take(struct span *text, const char *token)
{
	struct span rest;

	skip_space(text);
	rest = *text;
	for (; *token; token++, rest.at++)
		if (rest.at == rest.end || *rest.at != *token)
			return false;
	*text = rest;
	return true;
}

/* Take this string, in quotes of either kind. */
static bool take_string(struct span *text, const char *string)
{
	struct span rest = *text;
	const char *quote = take(&rest, "'") ? "'" : "\"";
	size_t length = strlen(string);

	if (*quote == '"' && !take(&rest, quote))
		return false;
	if ((size_t)(rest.end - rest.at) <= length ||
	    memcmp(rest.at, string, length) != 0)
		return false;
	rest.at += length;
	if (*rest.at != *quote)
		return false;
	rest.at++;
	*text = rest;
	return true;
}

/* The padding may have the name that it has in C. */
static bool take_padding(struct span *text)
{
	if (!take_string(text, "") && !take_string(text, "reserved"))
		return false;
	if (!take(text, ","))
		return false;
	if (take_string(text, "|V6"))
		return true;
	return take_string(text, "|u1") && take(text, ",") && take(text, "(") &&
	       take(text, "6") && take(text, ",") && take(text, ")");
}

static bool take_fields(struct span *text)
{
	if (!take(text, "["))
		return false;
	for (size_t i = 0; i < N_FIELDS; i++) {
		bool is_padding = i + 1 == N_FIELDS;

		if ((i > 0 && !take(text, ",")) || !take(text, "("))
			return false;
		if (is_padding ? !take_padding(text) :
				 !take_string(text, fields[i].name) ||
					 !take(text, ",") ||
					 !take_string(text, fields[i].type))
			return false;
		if (!take(text, ")"))
			return false;
	}
	take(text, ",");
	return take(text, "]");
}

static bool take_shape(struct span *text, uint64_t *ret_n)
{
	if (!take(text, "("))
		return false;
	skip_space(text);
	return ssdpm__take_uint(text, UINT64_MAX, ret_n) && take(text, ",") &&
	       take(text, ")");
}

/* One member of the dictionary. Its bit, or 0 and what is wrong. */
static uint32_t take_member(struct span *text, uint64_t *ret_n,
			    const char **ret_fault)
{
	if (take_string(text, "descr")) {
		if (take(text, ":") && take_fields(text))
			return 1;
		*ret_fault = "its dtype is not that of an I/O record";
	} else if (take_string(text, "fortran_order")) {
		if (take(text, ":") && take(text, "False"))
			return 2;
		*ret_fault = "it is in Fortran's order";
	} else if (take_string(text, "shape")) {
		if (take(text, ":") && take_shape(text, ret_n))
			return 4;
		*ret_fault = "it has not one dimension";
	} else {
		*ret_fault = "a member of it is not known";
	}
	return 0;
}

/* The three members, each once and in any order. NULL, or what is wrong. */
static const char *parse_head(struct span text, uint64_t *ret_n)
{
	const char *fault;
	uint32_t seen = 0;

	if (!take(&text, "{"))
		return "it is no dictionary";
	while (!take(&text, "}")) {
		uint32_t member = take_member(&text, ret_n, &fault);
		if (!member)
			return fault;
		if (seen & member)
			return "a member of it is there twice";
		seen |= member;
		if (!take(&text, ",")) {
			if (!take(&text, "}"))
				return "it does not end";
			break;
		}
	}
	if (seen != 7)
		return "descr, fortran_order or shape is missing";
	skip_space(&text);
	return text.at == text.end ? NULL : "something follows it";
}

static size_t available(const struct ssdpm_trace *trace)
{
	return (size_t)(trace->input.end - trace->input.at);
}

static int cut_off(struct ssdpm_error *reterr)
{
	return ssdpm__fail(reterr, -EIO, 0, "the .npy file is cut off");
}

/* The bytes before the dictionary, and how long that is. */
static int take_preamble(struct ssdpm_trace *trace, size_t *ret_length,
			 struct ssdpm_error *reterr)
{
	const size_t size = 12;
	int err = ssdpm__input_need(&trace->input, size, reterr);

	if (err <= 0)
		return err ? err : cut_off(reterr);
	const uint8_t *at = (const uint8_t *)trace->input.at;
	uint32_t length = at[8] | (uint32_t)at[9] << 8;
	if (!is_npy(trace->input.at, size))
		return ssdpm__fail(reterr, -EINVAL, 0, "this is no .npy file");
	if (at[6] < 1 || at[6] > 3 || at[7] != 0)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "version %u.%u of .npy is not known", at[6],
				   at[7]);
	if (at[6] > 1)
		length |= (uint32_t)at[10] << 16 | (uint32_t)at[11] << 24;
	if (length > MAX_HEAD)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "the head of the .npy file is longer than "
				   "%u bytes",
				   MAX_HEAD);
	trace->input.at += at[6] > 1 ? 12 : 10;
	*ret_length = length;
	return 0;
}

static int open_npy(struct ssdpm_trace *trace, struct ssdpm_error *reterr)
{
	struct npy *self = calloc(1, sizeof(*self));
	size_t length = 0;

	if (!self)
		return ssdpm__no_memory(reterr);
	trace->state = self;
	int err = take_preamble(trace, &length, reterr);
	if (err)
		return err;
	err = ssdpm__input_need(&trace->input, length, reterr);
	if (err <= 0)
		return err ? err : cut_off(reterr);
	struct span head = { trace->input.at, trace->input.at + length };
	const char *fault = parse_head(head, &self->n_records);
	if (fault)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "the head of the .npy file: %s", fault);
	trace->input.at += length;
	return ssdpm__pair_new(trace, TRACE_LATE_NS, PAIR_MAX_HELD, reterr);
}

/* From the byte order of the file to that of this machine, and back. */
static void change_order(struct ssdpm_io *io)
{
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		return;
	io->start_ns = __builtin_bswap64(io->start_ns);
	io->offset = __builtin_bswap64(io->offset);
	io->bytes = __builtin_bswap32(io->bytes);
	io->service_ns = __builtin_bswap32(io->service_ns);
}

/* 1: it is one; 0: it is bad, and counted; or a negative errno. */
static int check_io(struct ssdpm_trace *trace, struct ssdpm_io *io,
		    struct ssdpm_error *reterr)
{
	if (io->op < 1 || io->op > SSDPM_N_OPS)
		return ssdpm__trace_bad(trace, reterr, -EINVAL,
					"operation %u of this record is not "
					"known",
					io->op);
	if (io->flags & ~SSDPM_IO_CONTINUED)
		return ssdpm__trace_bad(trace, reterr, -EINVAL,
					"flags 0x%x of this record are not "
					"known",
					io->flags);
	if (io->offset > UINT64_MAX - io->bytes)
		return ssdpm__trace_bad(trace, reterr, -ERANGE,
					"the I/O ends beyond 2^64 bytes");
	/* NumPy leaves in the padding what was there. */
	memset(io->reserved, 0, sizeof(io->reserved));
	return 1;
}

/* 1; 0: there is none; or a negative errno. */
static int next_io(struct ssdpm_trace *trace, struct ssdpm_io *ret_io,
		   struct ssdpm_error *reterr)
{
	struct npy *self = trace->state;

	for (;;) {
		int err = ssdpm__input_need(&trace->input, sizeof(*ret_io),
					    reterr);
		if (err < 0)
			return err;
		if (self->n_read == self->n_records && available(trace))
			return ssdpm__fail(reterr, -EINVAL, trace->input.line,
					   "the .npy file goes on after the "
					   "last record that its head names");
		if (self->n_read == self->n_records)
			return 0;
		if (err == 0)
			return cut_off(reterr);
		memcpy(ret_io, trace->input.at, sizeof(*ret_io));
		trace->input.at += sizeof(*ret_io);
		change_order(ret_io);
		self->n_read++;
		trace->input.line++;
		err = check_io(trace, ret_io, reterr);
		if (err)
			return err;
	}
}

static int next_record(struct ssdpm_trace *trace, struct ssdpm_error *reterr)
{
	struct ssdpm_io io;
	int err = next_io(trace, &io, reterr);

	if (err <= 0)
		return err;
	struct pair_event event = { .time_ns = io.start_ns,
				    .offset = io.offset,
				    .bytes = io.bytes,
				    .op = io.op,
				    .flags = io.flags };
	bool is_known = io.service_ns != SSDPM_SERVICE_UNKNOWN;
	err = ssdpm__pair_record(trace->pair, &event,
				 is_known ? io.service_ns : 0, io.service_ns,
				 reterr);
	return err ? err : 1;
}

const struct trace_reader ssdpm__read_npy = {
	.format = SSDPM_TRACE_NPY,
	.is = is_npy,
	.open = open_npy,
	.next = next_record,
};

int ssdpm_npy_header(uint64_t n_records,
		     uint8_t ret_header[SSDPM_NPY_HEADER_BYTES])
{
	const uint32_t length = SSDPM_NPY_HEADER_BYTES - 10;
	char text[SSDPM_NPY_HEADER_BYTES];
	int n = snprintf(text, sizeof(text), "{'descr': [");

	for (size_t i = 0; i < N_FIELDS; i++)
		n += snprintf(text + n, sizeof(text) - n, "%s('%s', '%s')",
			      i ? ", " : "", fields[i].name, fields[i].type);
	n += snprintf(text + n, sizeof(text) - n,
		      "], 'fortran_order': False, 'shape': (%llu,), }",
		      (unsigned long long)n_records);
	memset(ret_header, ' ', SSDPM_NPY_HEADER_BYTES);
	memcpy(ret_header, magic, sizeof(magic));
	ret_header[6] = 1;
	ret_header[7] = 0;
	ret_header[8] = (uint8_t)length;
	ret_header[9] = (uint8_t)(length >> 8);
	memcpy(ret_header + 10, text, n);
	ret_header[SSDPM_NPY_HEADER_BYTES - 1] = '\n';
	return 0;
}

_Static_assert(sizeof(struct ssdpm_io) == SSDPM_NPY_RECORD_BYTES,
	       "a record of the file is one in memory");

int ssdpm_io_to_npy(const struct ssdpm_io *io,
		    uint8_t ret_record[SSDPM_NPY_RECORD_BYTES])
{
	struct ssdpm_io record = *io;

	change_order(&record);
	memcpy(ret_record, &record, sizeof(record));
	return 0;
}
