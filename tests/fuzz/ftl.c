/* SPDX-License-Identifier: MIT */
/*
 * An arbitrary drive, and arbitrary records of a trace. Exactly the pages
 * written and not discarded are mapped, no page of flash is lost, and the
 * pieces of the records do not matter.
 */
#include "check.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MAX_IOS 256
#define MAX_PAGES 4096

struct subject {
	struct ssdpm_ftl_params params;
	uint32_t page_bytes;
	struct ssdpm_io ios[MAX_IOS];
	size_t n_ios;
};

/* The result of the records, page by page. */
struct truth {
	bool mapped[MAX_PAGES];
	uint64_t n_mapped;
	uint64_t n_written;
	uint64_t n_trimmed;
	size_t n_done;
	int err;
};

static void make_drive(struct subject *s, struct bytes *bytes)
{
	uint32_t pages;

	s->params = (struct ssdpm_ftl_params){
		.size = sizeof(s->params),
		.seed = take_number(bytes, 1),
		.n_blocks = 3 + (uint32_t)take_number(bytes, 1) % 30,
		.pages_per_block = 2 + (uint32_t)take_number(bytes, 1) % 100,
		.reserve_blocks = (uint32_t)take_number(bytes, 1) % 4,
		.collector = (uint32_t)take_number(bytes, 1) % 5,
		.choices = (uint32_t)take_number(bytes, 1) % 5,
	};
	pages = s->params.n_blocks * s->params.pages_per_block;
	s->params.n_user_pages = take_number(bytes, 2) % (pages + 2);
	s->page_bytes = (uint32_t)take_number(bytes, 2);
}

static void make_records(struct subject *s, struct bytes *bytes)
{
	for (s->n_ios = 0; s->n_ios < MAX_IOS && bytes->left; s->n_ios++)
		s->ios[s->n_ios] = (struct ssdpm_io){
			.op = (uint8_t)take_number(bytes, 1) % 6,
			.offset = take_number(bytes, 2) * s->page_bytes / 8,
			.bytes = (uint32_t)take_number(bytes, 2) *
				 s->page_bytes / 16,
		};
}

/* A write affects each page that it touches, a discard those that it covers. */
static void follow_one(const struct subject *s, const struct ssdpm_io *io,
		       struct truth *truth)
{
	uint64_t size = s->page_bytes, end = io->offset + io->bytes;
	bool write = io->op == SSDPM_OP_WRITE;

	if (io->op < SSDPM_OP_READ || io->op > SSDPM_OP_DISCARD)
		truth->err = -EINVAL;
	else if (!write && io->op != SSDPM_OP_DISCARD)
		return;
	else if (end > s->params.n_user_pages * size)
		truth->err = -ERANGE;
	for (uint64_t i = 0; i < s->params.n_user_pages && !truth->err; i++) {
		if (write ? end <= i * size || io->offset >= (i + 1) * size ||
				    !io->bytes :
			    io->offset > i * size || end < (i + 1) * size)
			continue;
		truth->n_written += write;
		truth->n_trimmed += !write;
		truth->n_mapped += write;
		truth->n_mapped -= truth->mapped[i];
		truth->mapped[i] = write;
	}
}

static void follow(const struct subject *s, struct truth *truth)
{
	memset(truth, 0, sizeof(*truth));
	while (truth->n_done < s->n_ios && !truth->err) {
		follow_one(s, &s->ios[truth->n_done], truth);
		truth->n_done += !truth->err;
	}
}

/* Feeds all of it, so many records at a time. */
static struct ssdpm_ftl_counts feed(const struct subject *s, size_t piece,
				    const struct truth *truth)
{
	struct ssdpm_ftl_counts counts = { .size = sizeof(counts) };
	struct ssdpm_ftl *ftl;
	struct ssdpm_error error;
	char where[32];
	int err = 0;

	check(!ssdpm_ftl_new(&s->params, &ftl, NULL), "it was made before");
	for (size_t i = 0; i < s->n_ios && !err; i += piece) {
		size_t n = s->n_ios - i < piece ? s->n_ios - i : piece;

		err = ssdpm_ftl_feed(ftl, &s->ios[i], n, s->page_bytes, &error);
	}
	check(err == truth->err, "the first record that cannot be is refused");
	if (err) {
		check_error(err, &error);
		snprintf(where, sizeof(where), "record %zu: ", truth->n_done);
		check(!strncmp(error.message, where, strlen(where)),
		      "the message has its number");
	}
	check(!ssdpm_ftl_get_counts(ftl, &counts, NULL), "it counts");
	ssdpm_ftl_free(ftl);
	return counts;
}

static void check_counts(const struct subject *s,
			 const struct ssdpm_ftl_counts *counts,
			 const struct truth *truth)
{
	const struct ssdpm_ftl_params *p = &s->params;
	uint64_t programmed = counts->n_written + counts->n_moved;
	uint64_t room = (p->n_blocks + counts->n_erased) * p->pages_per_block;

	check(counts->n_mapped == truth->n_mapped, "what is mapped is kept");
	check(counts->n_written == truth->n_written &&
		      counts->n_trimmed == truth->n_trimmed,
	      "what came is counted");
	check(programmed <= room, "no page is programmed twice");
	check(counts->n_mapped <=
		      (uint64_t)(p->n_blocks - counts->n_free_blocks) *
			      p->pages_per_block,
	      "erased blocks hold nothing");
	check(counts->n_free_blocks <= p->n_blocks &&
		      (!counts->n_erased ||
		       counts->n_free_blocks + 1 >=
			       (p->reserve_blocks ? p->reserve_blocks : 1)),
	      "the reserve is kept");
}

int fuzz_ftl(const uint8_t *data, size_t size)
{
	static struct subject subject;
	static struct truth truth;
	struct bytes bytes = { data, size };
	struct ssdpm_ftl_counts once, pieces;
	struct ssdpm_ftl *ftl = NULL;
	struct ssdpm_error error;
	int err;

	make_drive(&subject, &bytes);
	err = ssdpm_ftl_new(&subject.params, &ftl, &error);
	if (err) {
		check_error(err, &error);
		check(!ftl, "failure returns nothing");
		return 0;
	}
	err = ssdpm_ftl_feed(ftl, NULL, 0, subject.page_bytes, &error);
	ssdpm_ftl_free(ftl);
	check(!err == !!subject.page_bytes, "a page has bytes");
	if (err)
		return 0;
	make_records(&subject, &bytes);
	follow(&subject, &truth);
	once = feed(&subject, MAX_IOS, &truth);
	check_counts(&subject, &once, &truth);
	pieces = feed(&subject, 3, &truth);
	check(!memcmp(&once, &pieces, sizeof(once)), "pieces do not matter");
	return 0;
}
