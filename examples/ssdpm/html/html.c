/* SPDX-License-Identifier: MIT */
#include "html/html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Made of page.html. */
extern const char page_template[];

static const struct option_spec options[] = {
	{ "html", 0, "FILE", "write a page with pictures as well" },
	{ "chart-js", 0, "FILE",
	  "Chart.js, which becomes part of that page (default: that of the "
	  "system)" },
};

static enum exit_status set(void *data, struct common *common,
			    const struct option_spec *option,
			    const char *argument)
{
	struct page_options *settings = data;

	(void)common;
	if (!strcmp(option->name, "html"))
		settings->path = argument;
	else
		settings->chart_js = argument;
	return STATUS_DONE;
}

const struct option_group page_option_group = {
	.options = options,
	.n_options = sizeof(options) / sizeof(options[0]),
	.set = set,
};

/* Text that would end the element of the page that it stands in. */
static bool ends_script(const struct buffer *buffer)
{
	for (size_t i = 0; i + 8 <= buffer->size; i++)
		if (!strncasecmp(buffer->data + i, "</script", 8))
			return true;
	return false;
}

static const char *chart_js_path(const struct page_options *settings)
{
	return settings->chart_js ? settings->chart_js : CHART_JS;
}

enum exit_status check_page(const struct common *common,
			    const struct page_options *settings)
{
	const char *path = chart_js_path(settings);

	if (settings->chart_js && !settings->path)
		return usage_error(common, "--chart-js is for --html");
	if (!settings->path || !access(path, R_OK))
		return STATUS_DONE;
	complain("%s: %s; --html needs Chart.js: install libjs-chart.js, or "
		 "give its file with --chart-js",
		 path, strerror(errno));
	return STATUS_FAILED;
}

static enum exit_status read_chart_js(const struct page_options *settings,
				      struct buffer *buffer)
{
	const char *path = chart_js_path(settings);

	if (read_operand(path, buffer))
		return STATUS_FAILED;
	if (!ends_script(buffer))
		return STATUS_DONE;
	complain("%s: has </script, which would end the script of the page",
		 path);
	return STATUS_FAILED;
}

/* In JSON a < stands only in strings, where this is the same. */
static void put_data(FILE *file, const char *text)
{
	for (; *text; text++)
		if (*text == '<')
			fputs("\\u003c", file);
		else
			putc(*text, file);
}

static void fill_template(FILE *file, const struct buffer *chart_js,
			  const char *data)
{
	static const char data_mark[] = "@DATA@", js_mark[] = "@CHART_JS@";
	const char *before_data = strstr(page_template, data_mark);
	const char *before_js = strstr(page_template, js_mark);
	const char *after_data = before_data + sizeof(data_mark) - 1;

	fwrite(page_template, 1, (size_t)(before_data - page_template), file);
	put_data(file, data);
	fwrite(after_data, 1, (size_t)(before_js - after_data), file);
	fwrite(chart_js->data, 1, chart_js->size, file);
	fputs(before_js + sizeof(js_mark) - 1, file);
}

static enum exit_status write_file(const struct page_options *settings,
				   const struct buffer *chart_js,
				   const char *data)
{
	FILE *file = fopen(settings->path, "we");
	bool failed;

	if (!file) {
		complain("%s: %s", settings->path, strerror(errno));
		return STATUS_FAILED;
	}
	fill_template(file, chart_js, data);
	failed = ferror(file);
	if (!fclose(file) && !failed)
		return STATUS_DONE;
	complain("%s: %s", settings->path, strerror(errno));
	return STATUS_FAILED;
}

enum exit_status write_page(const struct page_options *settings,
			    struct json_writer *w)
{
	struct buffer chart_js = { 0 };
	enum exit_status status;
	struct ssdpm_error error;
	char *data;

	if (ssdpm__json_finish(w, &data, &error)) {
		complain("%s", error.message);
		return STATUS_FAILED;
	}
	status = read_chart_js(settings, &chart_js);
	if (!status)
		status = write_file(settings, &chart_js, data);
	free(chart_js.data);
	free(data);
	return status;
}

enum exit_status write_estimates_page(const struct page_options *settings,
				      const struct sim_options *sim,
				      const struct estimates *all, more_fn more,
				      const void *data)
{
	struct json_writer w = { 0 };

	ssdpm__json_begin(&w, NULL, '{');
	ssdpm__json_string(&w, "title", "What power policies cost and save");
	ssdpm__json_begin(&w, "estimates", '[');
	for (size_t i = 0; i < all->n; i++)
		write_comparison(&w, &all->estimates[i], sim, true);
	ssdpm__json_end(&w, ']');
	if (more)
		more(&w, data);
	ssdpm__json_end(&w, '}');
	return write_page(settings, &w);
}
