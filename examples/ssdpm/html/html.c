/* SPDX-License-Identifier: MIT */
#include "html/html.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Made of page.html. */
extern const char page_template[];

static const struct option_spec options[] = {
	{ "html", 0, "FILE", "Also write an HTML page with charts.",
	  SETS_TEXT(struct page_options, path) },
	{ "chart-js", 0, "FILE",
	  "Put this copy of Chart.js into the page. Default: that of "
	  "the system.",
	  SETS_TEXT(struct page_options, chart_js), .rare = true },
};

const struct option_group page_option_group = {
	OPTIONS(options),
	.title = "Page",
};

/* Text that would end the element of the page that has it. */
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

/*
 * Before there is a result, which may take hours. A file that is there stays as
 * it is, and a pipe is left alone.
 */
static bool can_write(const char *path)
{
	struct stat status;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd >= 0) {
		close(fd);
		return !unlink(path);
	}
	if (errno != EEXIST)
		return false;
	/* A link to a file that is not there yet. */
	if (stat(path, &status))
		return errno == ENOENT;
	if (S_ISFIFO(status.st_mode))
		return true;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

enum exit_status check_page(const struct common *common,
			    const struct page_options *settings)
{
	const char *path = chart_js_path(settings);

	if (settings->chart_js && !settings->path)
		return usage_error(common, "--chart-js is for --html");
	if (settings->path && !can_write(settings->path))
		return cannot("write", settings->path, errno);
	if (!settings->path || !access(path, R_OK))
		return STATUS_DONE;
	return failure(
		"%s: %s; --html needs Chart.js: install libjs-chart.js, or "
		"give its file with --chart-js",
		path, strerror(errno));
}

static enum exit_status read_chart_js(const struct page_options *settings,
				      struct buffer *buffer)
{
	const char *path = chart_js_path(settings);

	const int err = read_operand(path, buffer);

	if (err)
		return status_of_file(err);
	if (!ends_script(buffer))
		return STATUS_DONE;
	return failure(
		"%s: has </script, which would end the script of the page",
		path);
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
	enum exit_status status = STATUS_FAILED;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (file)
		fill_template(file, chart_js, data);
	if (!file || fclose(file))
		out_of_memory();
	else
		status = save_file(settings->path, text, size);
	free(text);
	return status;
}

/* Bytes that are no UTF-8 become marks in the browser. */
void put_string(FILE *file, const char *text)
{
	if (!text) {
		fputs("null", file);
		return;
	}
	putc('"', file);
	for (; *text; text++)
		if ((unsigned char)*text < ' ')
			fprintf(file, "\\u%04x", (unsigned)*text);
		else if (*text == '"' || *text == '\\')
			fprintf(file, "\\%c", *text);
		else
			putc(*text, file);
	putc('"', file);
}

enum exit_status begin_page(struct page *page, const char *title,
			    const char *verdict)
{
	*page = (struct page){ 0 };
	page->file = open_memstream(&page->text, &page->size);
	if (!page->file)
		return out_of_memory();
	fprintf(page->file, "{\"title\": \"%s\",\n\"verdict\": ", title);
	put_string(page->file, verdict);
	return STATUS_DONE;
}

void put_items(struct page *page, const char *key, struct items *items)
{
	fprintf(page->file, ",\n\"%s\": [", key);
	for (size_t i = 0; i < items->n; i++) {
		fputs(i ? "," : "", page->file);
		fputs(items->texts[i], page->file);
	}
	putc(']', page->file);
	page->failed |= items->failed;
	free_items(items);
}

/* Parts that the call did not ask for are null. */
static void put_timelines(FILE *file, const struct estimate *e)
{
	const char *before = "[";

	for (size_t i = 0; i < e->n_jobs; i++)
		if (!is_merged(e, i)) {
			fputs(before, file);
			write_timeline(file, e->jobs[i].timeline);
			before = ", ";
		}
	putc(']', file);
}

static void put_decision(FILE *file, const struct decision *d)
{
	fputs("{\"verdict\": ", file);
	put_string(file, d->verdict);
	fputs(", \"policy\": ", file);
	put_string(file, d->policy);
	fputs(", \"mark\": ", file);
	put_string(file, d->mark);
	putc('}', file);
}

enum exit_status begin_estimates_page(struct page *page, const char *verdict,
				      const struct sim_options *sim,
				      const struct estimates *all,
				      const struct decision *decisions)
{
	struct items items = { 0 };

	if (begin_page(page, "What power policies cost and save", verdict))
		return STATUS_FAILED;
	for (size_t i = 0; i < all->n; i++)
		add_comparison(&items, &all->estimates[i], sim);
	put_items(page, "estimates", &items);
	fputs(",\n\"decisions\": [", page->file);
	for (size_t i = 0; i < all->n; i++) {
		fputs(i ? ",\n" : "", page->file);
		put_decision(page->file, &decisions[i]);
	}
	/* Each estimate has those of its rows. */
	fputs("],\n\"timelines\": [", page->file);
	for (size_t i = 0; i < all->n; i++) {
		fputs(i ? ",\n" : "", page->file);
		put_timelines(page->file, &all->estimates[i]);
	}
	putc(']', page->file);
	return STATUS_DONE;
}

static enum exit_status fill_page(const struct page_options *settings,
				  const struct page *page)
{
	struct buffer chart_js = { 0 };
	enum exit_status status = read_chart_js(settings, &chart_js);

	if (!status)
		status = write_file(settings, &chart_js, page->text);
	free(chart_js.data);
	return status;
}

enum exit_status end_page(const struct common *common,
			  const struct page_options *settings,
			  struct page *page)
{
	enum exit_status status = STATUS_FAILED;

	fputs("}\n", page->file);
	if (fclose(page->file))
		complain("out of memory");
	else if (!page->failed)
		status = fill_page(settings, page);
	free(page->text);
	if (!status && !common->quiet)
		remark("page: %s", settings->path);
	return status;
}

void free_decisions(struct decision *decisions, size_t n)
{
	for (size_t i = 0; decisions && i < n; i++)
		free(decisions[i].verdict);
	free(decisions);
}

struct decision *decide_all(const struct estimates *all, decide_fn decide)
{
	struct decision *decisions = calloc(all->n + 1, sizeof(*decisions));
	bool complete = decisions;

	for (size_t i = 0; complete && i < all->n; i++) {
		decisions[i] = decide(&all->estimates[i]);
		complete = decisions[i].verdict;
	}
	if (complete)
		return decisions;
	free_decisions(decisions, all->n);
	out_of_memory();
	return NULL;
}

enum exit_status write_estimates_page(const struct plan *plan,
				      const struct page_options *settings,
				      const struct estimates *all,
				      decide_fn decide)
{
	struct decision *decisions = decide_all(all, decide);
	enum exit_status status = STATUS_FAILED;
	struct page page;

	if (decisions)
		status = begin_estimates_page(&page, NULL, plan->sim_options,
					      all, decisions);
	if (!status)
		status = end_page(plan->common, settings, &page);
	free_decisions(decisions, all->n);
	return status;
}
