/* SPDX-License-Identifier: MIT */
/* --html: a page that stands alone, with pictures. */
#ifndef SSDPM_COMMAND_HTML_H
#define SSDPM_COMMAND_HTML_H

#include "work/comparison.h"

struct page_options {
	const char *path; /* NULL: no page */
	const char *chart_js;
};

/* Its settings are a struct page_options. */
extern const struct option_group page_option_group;

/* Is there what a page takes? Ask before anything long is computed. */
enum exit_status check_page(const struct common *common,
			    const struct page_options *options);

/* What the script of a page shows: an object, of which file takes members. */
struct page {
	FILE *file;
	char *text;
	size_t size;
	bool failed; /* which was complained of */
};

/*
 * A page has a title, and on top the sentence that decides: the words of the
 * command, which NULL leaves to each estimate.
 */
enum exit_status begin_page(struct page *page, const char *title,
			    const char *verdict);
/* Writes the file, and names it. */
enum exit_status end_page(const struct common *common,
			  const struct page_options *options,
			  struct page *page);

/* The member key is a list, of items that are freed. */
void put_items(struct page *page, const char *key, struct items *items);

/* A text of JSON; NULL: null. */
void put_string(FILE *file, const char *text);

/* The words of a page on an estimate, and the row that it marks. */
struct decision {
	char *verdict;	    /* a sentence; free() it; NULL: out of memory */
	const char *policy; /* of the row; NULL: none */
	const char *mark;   /* "recommended" */
};

/* The policy that the library advises, which is marked; or what the best one
 * does where none is. */
struct decision decide_comparison(const struct estimate *estimate);
/* The power of the first policy; the advised row is marked. */
struct decision decide_estimate(const struct estimate *estimate);

typedef struct decision (*decide_fn)(const struct estimate *estimate);

/* One of each estimate; NULL: out of memory, which was complained of. */
struct decision *decide_all(const struct estimates *all, decide_fn decide);
void free_decisions(struct decision *decisions, size_t n);

/*
 * The page of several estimates: begun, with what is decided of each, or whole.
 * verdict: of all; NULL: each has its own.
 */
enum exit_status begin_estimates_page(struct page *page, const char *verdict,
				      const struct sim_options *sim,
				      const struct estimates *all,
				      const struct decision *decisions);
enum exit_status write_estimates_page(const struct plan *plan,
				      const struct page_options *options,
				      const struct estimates *all,
				      decide_fn decide);

struct budget;
struct cap_answer;

enum exit_status write_budget_page(const struct common *common,
				   const struct page_options *options,
				   const struct budget *budget);

/*
 * What caps cost; all: what compare compares, or NULL for a mix. Without caps
 * the page of these estimates.
 */
enum exit_status write_caps_page(const struct plan *plan,
				 const struct page_options *options,
				 const struct estimates *all,
				 const struct cap_answer *caps, size_t n);

#endif
