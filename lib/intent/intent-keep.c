/* SPDX-License-Identifier: MIT */
/* The drop-in that ssdpm apply --keep writes, edited line by line. */
#include "intent/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The files that are written here: one lasts, the other one till the boot. */
struct kept_file {
	const char *directory, *path, *left_over, *head;
};

static const struct kept_file lasting = {
	"etc/ssdpm.conf.d",
	"/etc/ssdpm.conf.d/50-local.conf",
	"/etc/ssdpm.conf.d/.50-local.conf.new",
	"# What ssdpm apply --keep was told, see ssdpm.conf(5).\n"
	"# ssdpm revert --forget removes this file.\n",
};

static const struct kept_file passing = {
	"run/ssdpm.conf.d",
	"/run/ssdpm.conf.d/50-local.conf",
	"/run/ssdpm.conf.d/.50-local.conf.new",
	"# What was set until the next boot, see ssdpm.conf(5).\n"
	"# ssdpm revert removes this file.\n",
};

static const struct kept_file *file_of(uint32_t flags)
{
	return flags & SSDPM_KEEP_UNTIL_REBOOT ? &passing : &lasting;
}

/* A text that grows; err once it could not. */
struct draft {
	char *text;
	size_t n;
	int err;
};

static void add(struct draft *draft, const char *text, size_t n)
{
	char *more = draft->err ? NULL : realloc(draft->text, draft->n + n + 1);

	if (!more) {
		draft->err = -ENOMEM;
		return;
	}
	memcpy(more + draft->n, text, n);
	more[draft->n + n] = 0;
	draft->text = more;
	draft->n += n;
}

static void add_text(struct draft *draft, const char *text)
{
	add(draft, text, strlen(text));
}

/* The last of them may have no end. */
static void add_lines(struct draft *draft, const char *lines)
{
	const size_t n = strlen(lines);

	add(draft, lines, n);
	if (n && lines[n - 1] != '\n')
		add(draft, "\n", 1);
}

/* "key = value", of a value that is no pattern. */
static void add_match(struct draft *draft, const char *key, const char *value)
{
	add_text(draft, key);
	add_text(draft, " = ");
	for (; *value; value++) {
		if (strchr("*?[\\", *value))
			add(draft, "\\", 1);
		add(draft, value, 1);
	}
	add(draft, "\n", 1);
}

/* The section of a device, or of the machine, with these lines alone. */
static void draft_section(struct draft *draft, struct ssdpm_machine *machine,
			  const struct ssdpm_device *device, const char *lines)
{
	const struct ssdpm_device_facts *facts;
	char text[24];

	if (!device) {
		add_text(draft, "[machine]\n");
		add_lines(draft, lines);
		return;
	}
	facts = ssdpm_device_get_facts(device);
	ssdpm__intent_read_serial(machine, facts, text);
	add_text(draft, "[drive]\n");
	if (*facts->product)
		add_match(draft, "model", facts->product);
	if (*text) {
		add_match(draft, "serial", text);
	} else {
		ssdpm__intent_port(facts, text);
		add_match(draft, "port", *text ? text : facts->address);
	}
	add_lines(draft, lines);
}

/* One file, which is taken over. */
static int parse(const struct kept_file *kept, char *text, size_t size,
		 struct ssdpm_intent **ret_intent, struct ssdpm_error *reterr)
{
	struct ssdpm_intent *intent = calloc(1, sizeof(*intent));
	struct intent_file *file = calloc(1, sizeof(*file));
	int err = 0;

	if (!intent || !file) {
		free(text);
		free(intent);
		free(file);
		return ssdpm__no_memory(reterr);
	}
	intent->files = file;
	intent->n_files = 1;
	file->path = strdup(kept->path + 1);
	file->text = text;
	file->size = size;
	file->profiles = malloc(size + 1);
	if (!file->path || !file->profiles)
		err = ssdpm__no_memory(reterr);
	if (!err) {
		memcpy(file->profiles, text, size + 1);
		err = ssdpm__intent_parse(intent, reterr);
	}
	if (err)
		ssdpm_intent_free(intent);
	else
		*ret_intent = intent;
	return err;
}

static const struct intent_line *line_of(const struct ssdpm_intent *intent,
					 const struct intent_section *section,
					 size_t i)
{
	return &intent->lines[section->first + i];
}

static bool has_line(const struct ssdpm_intent *intent,
		     const struct intent_section *section,
		     const struct intent_line *line)
{
	for (size_t i = 0; i < section->n; i++) {
		const struct intent_line *own = line_of(intent, section, i);

		if (own->key == line->key &&
		    ssdpm__span_is_same(own->value, line->value))
			return true;
	}
	return false;
}

static size_t count_matches(const struct ssdpm_intent *intent,
			    const struct intent_section *section)
{
	size_t n = 0;

	for (size_t i = 0; i < section->n; i++)
		n += line_of(intent, section, i)->key >= INTENT_KIND;
	return n;
}

/*
 * Whether it is for the same drives as the new one, which is alone in its text.
 */
static bool is_same(const struct ssdpm_intent *old,
		    const struct intent_section *section,
		    const struct ssdpm_intent *new)
{
	const struct intent_section *own = new->sections;

	if (section->kind != own->kind ||
	    count_matches(old, section) != count_matches(new, own))
		return false;
	for (size_t i = 0; i < own->n; i++) {
		const struct intent_line *line = line_of(new, own, i);

		if (line->key >= INTENT_KIND && !has_line(old, section, line))
			return false;
	}
	return true;
}

/* On which sources does the new section say what this line of the old one does?
 */
static uint32_t replaced_on(const struct intent_line *line,
			    const struct ssdpm_intent *new)
{
	uint32_t sources = 0;

	for (size_t i = 0; line->key < INTENT_KIND && i < new->n_lines; i++)
		if (new->lines[i].key == line->key ||
		    new->lines[i].key == INTENT_PROFILE)
			sources |= new->lines[i].sources;
	return sources & line->sources;
}

static bool is_replaced(const struct intent_line *line,
			const struct ssdpm_intent *new)
{
	return replaced_on(line, new) == line->sources;
}

/* The whole line that a span is in, with its end. */
static struct span whole_line(const struct intent_file *file, struct span part)
{
	const char *end = file->text + file->size;

	while (part.at > file->text && part.at[-1] != '\n')
		part.at--;
	while (part.end < end && part.end[-1] != '\n')
		part.end++;
	return part;
}

static void add_until(struct draft *draft, const char **at, const char *end)
{
	add(draft, *at, (size_t)(end - *at));
	*at = end;
}

/* A line that is replaced on one source stays on the other one. */
static void draft_line(struct draft *draft, const struct intent_line *line,
		       struct span whole, uint32_t replaced, const char **at)
{
	if (replaced == line->sources) {
		add_until(draft, at, whole.at);
		*at = whole.end;
		return;
	}
	if (replaced) {
		add_until(draft, at, line->name.at);
		add_text(draft,
			 replaced == SSDPM_SOURCE_AC ? "battery." : "ac.");
	}
	add_until(draft, at, whole.end);
}

static bool has_profile(const struct ssdpm_intent *new)
{
	for (size_t i = 0; i < new->n_lines; i++)
		if (new->lines[i].key == INTENT_PROFILE)
			return true;
	return false;
}

/*
 * The old text, with the new lines instead of those that they replace. They
 * come after it, but a profile comes before all else that a section sets.
 */
static void draft_edited(struct draft *draft, const struct ssdpm_intent *old,
			 const struct intent_section *section,
			 const struct ssdpm_intent *new, const char *lines)
{
	const struct intent_file *file = old->files;
	bool is_first = has_profile(new);
	const char *at = file->text;

	for (size_t i = 0; i < section->n; i++) {
		const struct intent_line *line = line_of(old, section, i);
		const struct span whole = whole_line(file, line->value);

		if (is_first && line->key < INTENT_KIND) {
			add_until(draft, &at, whole.at);
			add_lines(draft, lines);
			lines = "";
			is_first = false;
		}
		draft_line(draft, line, whole, replaced_on(line, new), &at);
	}
	/* The last line of a file may have no end. */
	if (draft->n && draft->text[draft->n - 1] != '\n')
		add(draft, "\n", 1);
	add_lines(draft, lines);
	add(draft, at, (size_t)(file->text + file->size - at));
}

static const char *find_line(const struct intent_file *file, uint32_t number)
{
	const char *at = file->text;

	while (--number)
		at = strchr(at, '\n') + 1;
	return at;
}

/* The old text without the section, whose lines are all replaced. */
static void draft_without(struct draft *draft, const struct ssdpm_intent *old,
			  const struct intent_section *section)
{
	const struct intent_file *file = old->files;
	const char *head = find_line(file, section->number);
	const char *end =
		whole_line(file, line_of(old, section, section->n - 1)->value)
			.end;

	add(draft, file->text, (size_t)(head - file->text));
	add(draft, end, (size_t)(file->text + file->size - end));
}

static bool is_replaced_whole(const struct ssdpm_intent *old,
			      const struct intent_section *section,
			      const struct ssdpm_intent *new)
{
	for (size_t i = 0; i < section->n; i++) {
		const struct intent_line *line = line_of(old, section, i);

		if (line->key < INTENT_KIND && !is_replaced(line, new))
			return false;
	}
	return true;
}

static int fail(const struct kept_file *kept, int err,
		struct ssdpm_error *reterr)
{
	return ssdpm__fail(reterr, err, 0, "%s: %s", kept->path,
			   ssdpm_strerror(err));
}

static int read_old(struct ssdpm_machine *machine, const struct kept_file *kept,
		    struct ssdpm_intent **ret_intent,
		    struct ssdpm_error *reterr)
{
	char *text;
	size_t size;
	int err =
		ssdpm__intent_read_text(machine, kept->path + 1, &text, &size);

	if (err && err != -ENOENT)
		return fail(kept, err, reterr);
	if (err) {
		text = strdup(kept->head);
		size = strlen(kept->head);
	}
	return text ? parse(kept, text, size, ret_intent, reterr) :
		      ssdpm__no_memory(reterr);
}

static int write_new(struct ssdpm_machine *machine,
		     const struct kept_file *kept, const char *text,
		     struct ssdpm_error *reterr)
{
	/* A killed process has left this: the lock is ours. */
	int err = ssdpm__remove_file(machine, kept->left_over, 0);

	if (!err || err == -ENOENT)
		err = ssdpm__replace_file(machine, kept->path, text, 0644);
	return err ? fail(kept, err, reterr) : 0;
}

/* The lines to keep, and the section that they make. */
struct keeping {
	struct ssdpm_machine *machine;
	const char *lines, *section;
	struct ssdpm_intent *new; /* the section alone, read */
	struct ssdpm_intent *all; /* what all files ask for today */
	uint32_t flags;
};

static const struct intent_section *find_same(const struct ssdpm_intent *old,
					      const struct ssdpm_intent *new)
{
	const struct intent_section *same = NULL;

	for (size_t i = 0; i < old->n_sections; i++)
		if (old->sections[i].n && is_same(old, &old->sections[i], new))
			same = &old->sections[i];
	return same;
}

/* Nothing is written that makes files a fault. */
static int check_draft(const struct keeping *keeping,
		       const struct kept_file *kept, const struct draft *draft,
		       const struct ssdpm_intent *old,
		       struct ssdpm_error *reterr)
{
	char *copy = draft->err ? NULL : strdup(draft->text);
	struct ssdpm_intent *edited;
	size_t n;
	int err = copy ? parse(kept, copy, draft->n, &edited, reterr) :
			 ssdpm__no_memory(reterr);

	if (err)
		return err;
	n = keeping->all->n_lines + edited->n_lines - old->n_lines;
	ssdpm_intent_free(edited);
	if (n <= INTENT_MAX_LINES)
		return 0;
	return ssdpm__fail(reterr, -E2BIG, 0,
			   "%s: all files would have more than %d lines that "
			   "set something",
			   kept->path, INTENT_MAX_LINES);
}

/* What becomes of the old text; same: its section for these drives, or NULL. */
typedef void (*draft_fn)(struct draft *draft, const struct keeping *keeping,
			 const struct ssdpm_intent *old,
			 const struct intent_section *same);

static void put_in(struct draft *draft, const struct keeping *keeping,
		   const struct ssdpm_intent *old,
		   const struct intent_section *same)
{
	if (same) {
		draft_edited(draft, old, same, keeping->new, keeping->lines);
		return;
	}
	add(draft, old->files->text, old->files->size);
	add(draft, "\n", 1);
	add_text(draft, keeping->section);
}

/* A line that is kept for good is not kept until the boot, too. */
static void take_out(struct draft *draft, const struct keeping *keeping,
		     const struct ssdpm_intent *old,
		     const struct intent_section *same)
{
	if (same && is_replaced_whole(old, same, keeping->new))
		draft_without(draft, old, same);
	else if (same)
		draft_edited(draft, old, same, keeping->new, "");
}

/* Without a draft the file stays as it is. */
static int edit(const struct keeping *keeping, const struct kept_file *kept,
		draft_fn go, struct ssdpm_error *reterr)
{
	struct draft draft = { 0 };
	struct ssdpm_intent *old;
	int err = read_old(keeping->machine, kept, &old, reterr);

	if (err)
		return err;
	go(&draft, keeping, old, find_same(old, keeping->new));
	if (draft.text || draft.err)
		err = check_draft(keeping, kept, &draft, old, reterr);
	if (!err && draft.text && !(keeping->flags & SSDPM_KEEP_CHECK))
		err = write_new(keeping->machine, kept, draft.text, reterr);
	free(draft.text);
	ssdpm_intent_free(old);
	return err;
}

/*
 * One at a time: each reads what the one before has written. The lock is where
 * only root can take it.
 */
static int lock(struct ssdpm_machine *machine, int *ret_fd,
		struct ssdpm_error *reterr)
{
	struct ssdpm_plan *plan;
	struct site site;
	int err = ssdpm_plan_new(machine, NULL, &plan, reterr);

	if (err)
		return err;
	err = ssdpm__site_find(plan, true, &site, reterr);
	if (!err) {
		err = ssdpm__lock_file(&site, "keep", O_RDONLY, UINT32_MAX,
				       ret_fd);
		if (err)
			ssdpm__fail_state(&site, "keep", err, reterr);
		ssdpm__site_close(&site);
	}
	ssdpm_plan_free(plan);
	return err;
}

static int edit_locked(const struct keeping *keeping,
		       const struct kept_file *kept, struct ssdpm_error *reterr)
{
	int fd, err = lock(keeping->machine, &fd, reterr);

	if (err)
		return err;
	err = edit(keeping, kept, put_in, reterr);
	if (!err && kept == &lasting)
		err = edit(keeping, &passing, take_out, reterr);
	close(fd);
	return err;
}

/* Lines that are not sound are refused. */
static int check_section(const struct kept_file *kept,
			 const struct draft *section,
			 struct ssdpm_intent **ret_new,
			 struct ssdpm_error *reterr)
{
	char *copy = section->err ? NULL : strdup(section->text);
	int err = copy ? parse(kept, copy, section->n, ret_new, reterr) :
			 ssdpm__no_memory(reterr);

	if (err)
		return err;
	if ((*ret_new)->n_sections != 1)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "lines: one section, without a head");
	if (!(ssdpm_intent_get_flags(*ret_new) & SSDPM_INTENT_SETS))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "lines: they set nothing");
	return 0;
}

/* A profile that nobody has would make all files a fault. */
static int check_profile(const struct keeping *keeping,
			 struct ssdpm_error *reterr)
{
	struct ssdpm_profile_settings settings;
	int err = 0;

	for (size_t i = 0; !err && i < keeping->new->n_lines; i++) {
		const struct intent_line *line = &keeping->new->lines[i];

		if (line->key == INTENT_PROFILE &&
		    !ssdpm__span_is(line->value, "none"))
			err = ssdpm__intent_profile(keeping->all, line->value,
						    SSDPM_SOURCE_AC, &settings,
						    reterr);
	}
	if (err != -ENOENT)
		return err;
	if (reterr)
		reterr->code = -EINVAL;
	return -EINVAL;
}

static int check_flags(const struct ssdpm_machine *machine, uint32_t flags,
		       uint32_t known, struct ssdpm_error *reterr)
{
	if (flags & ~known)
		return ssdpm__fail(reterr, -EINVAL, 0, "flags: unknown bit");
	return ssdpm__check_writable(machine, reterr);
}

int ssdpm_intent_keep(struct ssdpm_machine *machine,
		      const struct ssdpm_device *device, const char *lines,
		      uint32_t flags, struct ssdpm_error *reterr)
{
	const struct kept_file *kept = file_of(flags);
	struct keeping keeping = { machine, lines, NULL, NULL, NULL, flags };
	struct draft section = { 0 };
	int err =
		check_flags(machine, flags,
			    SSDPM_KEEP_UNTIL_REBOOT | SSDPM_KEEP_CHECK, reterr);

	if (err)
		return err;
	draft_section(&section, machine, device, lines);
	keeping.section = section.text;
	err = check_section(kept, &section, &keeping.new, reterr);
	if (!err)
		err = ssdpm_intent_read(machine, &keeping.all, reterr);
	if (!err)
		err = check_profile(&keeping, reterr);
	if (!err)
		err = flags & SSDPM_KEEP_CHECK ?
			      edit(&keeping, kept, put_in, reterr) :
			      edit_locked(&keeping, kept, reterr);
	ssdpm_intent_free(keeping.new);
	ssdpm_intent_free(keeping.all);
	free(section.text);
	return err;
}

int ssdpm_intent_forget(struct ssdpm_machine *machine, uint32_t flags,
			struct ssdpm_error *reterr)
{
	const struct kept_file *kept = file_of(flags);
	int err = check_flags(machine, flags, SSDPM_KEEP_UNTIL_REBOOT, reterr);

	if (err)
		return err;
	err = ssdpm__remove_file(machine, kept->path, 0);
	return err && err != -ENOENT ? fail(kept, err, reterr) : 0;
}
