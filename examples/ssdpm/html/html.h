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

enum exit_status begin_page(struct page *page, const char *title);
enum exit_status end_page(const struct page_options *options,
			  struct page *page);

/* The member key is a list, of items that are freed. */
void put_items(struct page *page, const char *key, struct items *items);

/* The page of several estimates: begun, or whole. */
enum exit_status begin_estimates_page(struct page *page,
				      const struct sim_options *sim,
				      const struct estimates *all);
enum exit_status write_estimates_page(const struct page_options *options,
				      const struct sim_options *sim,
				      const struct estimates *all);

#endif
