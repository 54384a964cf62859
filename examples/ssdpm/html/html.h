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

/* Write a page of one object: its title, and its estimates. */
enum exit_status write_page(const struct page_options *options,
			    struct json_writer *data);

/* Write further members of the object. */
typedef void (*more_fn)(struct json_writer *w, const void *data);

/* The page of several estimates; more may be NULL. */
enum exit_status write_estimates_page(const struct page_options *options,
				      const struct sim_options *sim,
				      const struct estimates *all, more_fn more,
				      const void *data);

#endif
