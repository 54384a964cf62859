/* SPDX-License-Identifier: MIT */
/*
 * Writing and removing the files that make a policy last. A file without the
 * marker is somebody else's, and so is one of another kind: neither is touched.
 */
#include "apply/persist/persist.h"
#include "apply/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whose file is it? */
enum owner {
	OWNER_NOBODY, /* there is none */
	OWNER_KIND,
	OWNER_OTHER_KIND,
	OWNER_STRANGER,
};

/* Those whose names do not depend on the profile. */
enum { N_PATHS = 4, NEW_BYTES = 128 };

static const char *const paths[N_PATHS] = { SSDPM__UDEV_RULES,
					    SSDPM__MODPROBE_CONF, SSDPM__UNIT,
					    SSDPM__TLP_CONF };

static int fail(struct ssdpm_error *reterr, int code, const char *path)
{
	return ssdpm__fail(reterr, code, 0, "%s: %s%s", path,
			   ssdpm_strerror(code),
			   code == -EACCES || code == -EPERM ?
				   ": root is needed, with its capabilities" :
				   "");
}

/* The marker is in the first line, or after that of an interpreter. */
static enum owner owner_of(const char *contents, uint32_t kind)
{
	static const char marker[] = SSDPM__PERSIST_MARKER SSDPM__PERSIST_KIND;
	const char *name = ssdpm_persist_kind_to_string(kind);
	size_t n = strlen(name);

	if (!strncmp(contents, "#!", 2)) {
		contents = strchr(contents, '\n');
		contents = contents ? contents + 1 : "";
	}
	if (strncmp(contents, marker, sizeof(marker) - 1) != 0)
		return OWNER_STRANGER;
	contents += sizeof(marker) - 1;
	return !strncmp(contents, name, n) && contents[n] == '\n' ?
		       OWNER_KIND :
		       OWNER_OTHER_KIND;
}

/* The file at a path. */
struct seen {
	enum owner owner;
	char text[sizeof(((struct text *)0)->text)];
};

/* path has a leading slash. */
static int look(struct ssdpm_machine *machine, const char *path, uint32_t kind,
		struct seen *ret_seen, struct ssdpm_error *reterr)
{
	size_t n = 0;
	int err;

	ret_seen->owner = OWNER_NOBODY;
	err = ssdpm__read_bytes(machine, path + 1, ret_seen->text,
				sizeof(ret_seen->text), &n);
	/* A directory on the way may be missing, or be none. */
	if (err == -ENOENT)
		return 0;
	/* None of ours is as long, or has a zero in it. */
	if (err == -E2BIG || (!err && strlen(ret_seen->text) != n)) {
		ret_seen->owner = OWNER_STRANGER;
		strcpy(ret_seen->text, "?");
		return 0;
	}
	if (err)
		return fail(reterr, err, path);
	ret_seen->owner = owner_of(ret_seen->text, kind);
	return 0;
}

static int fail_stranger(struct ssdpm_error *reterr, const char *path)
{
	return ssdpm__fail(reterr, -EEXIST, 0,
			   "%s is there, and ssdpm did not write it: move it "
			   "away",
			   path);
}

/* The name under which a file is written before it gets its own. */
static void name_new(const char *path, char new_path[NEW_BYTES])
{
	const char *name = strrchr(path, '/') + 1;

	snprintf(new_path, NEW_BYTES, "%.*s.%s.new", (int)(name - path), path,
		 name);
}

/*
 * A file that a killed process left begins with the marker of any kind, or is
 * cut off before its end.
 */
static int look_at_new(struct ssdpm_machine *machine, const char *new_path,
		       enum owner *ret_owner, struct ssdpm_error *reterr)
{
	struct seen seen;
	int err = look(machine, new_path, SSDPM_PERSIST_UDEV, &seen, reterr);

	*ret_owner = seen.owner;
	if (seen.owner == OWNER_STRANGER &&
	    !strncmp(SSDPM__PERSIST_MARKER, seen.text, strlen(seen.text)))
		*ret_owner = OWNER_KIND;
	return err;
}

static int check_new(struct ssdpm_machine *machine, const char *path,
		     struct ssdpm_error *reterr)
{
	char new_path[NEW_BYTES];
	enum owner owner;
	int err;

	name_new(path, new_path);
	err = look_at_new(machine, new_path, &owner, reterr);
	if (!err && owner == OWNER_STRANGER)
		err = fail_stranger(reterr, new_path);
	return err;
}

static int check_owner(struct ssdpm_machine *machine,
		       const struct ssdpm_persist *persist, const char *path,
		       struct ssdpm_error *reterr)
{
	struct seen seen;
	int err = look(machine, path, persist->kind, &seen, reterr);

	if (err)
		return err;
	if (seen.owner == OWNER_STRANGER)
		return fail_stranger(reterr, path);
	if (seen.owner == OWNER_OTHER_KIND)
		return ssdpm__fail(reterr, -EEXIST, 0,
				   "%s is there, for another way to make a "
				   "policy last: remove that one first",
				   path);
	return check_new(machine, path, reterr);
}

static int write_file(struct ssdpm_machine *machine,
		      const struct ssdpm_persist *persist,
		      const struct persist_file *file,
		      struct ssdpm_error *reterr)
{
	struct seen seen;
	int err = look(machine, file->path, persist->kind, &seen, reterr);

	if (err ||
	    (seen.owner == OWNER_KIND && !strcmp(seen.text, file->contents)))
		return err;
	err = ssdpm__replace_file(machine, file->path, file->contents,
				  file->mode);
	return err ? fail(reterr, err, file->path) : 0;
}

/* Would they be refused? */
static int check_files(const struct ssdpm_persist *persist,
		       struct ssdpm_machine *machine,
		       struct ssdpm_error *reterr)
{
	int err = ssdpm__check_writable(machine, reterr);

	for (size_t i = 0; !err && i < persist->n; i++)
		err = check_owner(machine, persist, persist->files[i].path,
				  reterr);
	return err;
}

/* Links that systemctl enable made to the unit that is gone. */
static void remove_wants(struct ssdpm_machine *machine)
{
	char path[128];

	if (ssdpm__exists(machine, &SSDPM__UNIT[1]))
		return;
	for (int i = 0; ssdpm__unit_targets[i]; i++) {
		snprintf(path, sizeof(path),
			 "/etc/systemd/system/%s.wants/ssdpm.service",
			 ssdpm__unit_targets[i]);
		ssdpm__remove_file(machine, path, 0);
	}
}

/* Once it is removed: until then, what it says goes on. */
static const char *note_of(const char *path)
{
	if (!strcmp(path, SSDPM__UDEV_RULES))
		return "udevadm control --reload";
	if (!strcmp(path, SSDPM__MODPROBE_CONF))
		return "in force until the next boot, and then, too, where "
		       "the initramfs has it: rebuild that by "
		       "update-initramfs -u -k all (Debian, Ubuntu), dracut "
		       "--force --regenerate-all (Fedora, RHEL, openSUSE), "
		       "mkinitcpio -P (Arch)";
	if (!strcmp(path, SSDPM__UNIT))
		return "systemctl daemon-reload";
	if (!strcmp(path, SSDPM__TLP_CONF))
		return "tlp start";
	return strstr(path, "/tuned.conf") ?
		       "where it is the active one, choose another: "
		       "tuned-adm profile balanced" :
		       "";
}

typedef int (*path_fn)(struct ssdpm_machine *machine, const char *path,
		       struct ssdpm_persist *persist,
		       struct ssdpm_error *reterr);

/* If it is of the kind. */
static int add_if_ours(struct ssdpm_machine *machine, const char *path,
		       struct ssdpm_persist *persist,
		       struct ssdpm_error *reterr)
{
	struct seen seen;
	int err = look(machine, path, persist->kind, &seen, reterr);

	if (err || seen.owner != OWNER_KIND)
		return err;
	return ssdpm__persist_add(persist, path,
				  strncmp(seen.text, "#!", 2) ? 0644 : 0755,
				  seen.text, note_of(path), reterr);
}

/* In a folder of TuneD. */
static int for_each_profile(struct ssdpm_machine *machine, const char *folder,
			    path_fn fn, struct ssdpm_persist *persist,
			    struct ssdpm_error *reterr)
{
	static const char files[][12] = { "tuned.conf", "script.sh" };
	struct names names;
	char path[256];
	int err = ssdpm__list_names(machine, folder, &names);

	snprintf(path, sizeof(path), "/%s", folder);

	if (err == -ENOENT)
		return 0;
	if (err)
		return fail(reterr, err, path);
	for (size_t i = 0; !err && i < 2 * names.n; i++) {
		const char *name = names.names[i / 2];

		/* ssdpm- and a name of a profile */
		if (strncmp(name, "ssdpm-", 6) != 0 || strlen(name) > 40)
			continue;
		snprintf(path, sizeof(path), "/%s/%s/%s", folder, name,
			 files[i % 2]);
		err = fn(machine, path, persist, reterr);
	}
	ssdpm__free_names(&names);
	return err;
}

/* Where files of ours may be. */
static int for_each_path(struct ssdpm_machine *machine, path_fn fn,
			 struct ssdpm_persist *persist,
			 struct ssdpm_error *reterr)
{
	int err = 0;

	for (int i = 0; !err && i < N_PATHS; i++)
		err = fn(machine, paths[i], persist, reterr);
	for (size_t i = 0; !err && i < SSDPM__N_TUNED_ETC_FOLDERS; i++)
		err = for_each_profile(machine, ssdpm__tuned_folders[i], fn,
				       persist, reterr);
	return err;
}

/* TuneD: the folder stays if something else is in it. */
static void remove_folder(struct ssdpm_machine *machine, const char *path)
{
	char folder[128];

	if (!strstr(path, "/ssdpm-"))
		return;
	snprintf(folder, sizeof(folder), "%.*s",
		 (int)(strrchr(path, '/') - path), path);
	ssdpm__remove_file(machine, folder, AT_REMOVEDIR);
}

/* What was left by one who was killed. */
static int remove_new(struct ssdpm_machine *machine, const char *path,
		      struct ssdpm_persist *persist, struct ssdpm_error *reterr)
{
	char new_path[NEW_BYTES];
	enum owner owner;
	int err;

	(void)persist;
	name_new(path, new_path);
	err = look_at_new(machine, new_path, &owner, reterr);
	if (err)
		return err;
	if (owner != OWNER_NOBODY && owner != OWNER_STRANGER)
		err = ssdpm__remove_file(machine, new_path, 0);
	remove_folder(machine, path);
	return err && err != -ENOENT ? fail(reterr, err, new_path) : 0;
}

int ssdpm_persist_read(struct ssdpm_machine *machine, uint32_t kind,
		       struct ssdpm_persist **ret_persist,
		       struct ssdpm_error *reterr)
{
	struct ssdpm_persist *persist;
	int err;

	if (!ssdpm_persist_kind_to_string(kind))
		return ssdpm__fail(reterr, -EINVAL, 0, "kind: unknown value %u",
				   kind);
	persist = calloc(1, sizeof(*persist));
	if (!persist)
		return ssdpm__no_memory(reterr);
	persist->kind = kind;
	err = for_each_path(machine, add_if_ours, persist, reterr);
	if (err)
		ssdpm_persist_free(persist);
	else
		*ret_persist = persist;
	return err;
}

static bool has_path(const struct ssdpm_persist *persist, const char *path)
{
	for (size_t i = 0; i < persist->n; i++)
		if (!strcmp(persist->files[i].path, path))
			return true;
	return false;
}

/* If it is of the kind still. Files that are gone are not counted. */
static int remove_file(struct ssdpm_machine *machine, uint32_t kind,
		       const char *path, size_t *n, struct ssdpm_error *reterr)
{
	struct seen seen;
	int err = look(machine, path, kind, &seen, reterr);

	if (err || seen.owner != OWNER_KIND)
		return err;
	err = ssdpm__remove_file(machine, path, 0);
	if (err && err != -ENOENT)
		return fail(reterr, err, path);
	*n += !err;
	return 0;
}

/*
 * A file of another profile that this profile lacks would go on setting values.
 * A profile of TuneD has its own name, and stays.
 */
static int remove_old(struct ssdpm_machine *machine,
		      const struct ssdpm_persist *persist,
		      struct ssdpm_error *reterr)
{
	size_t n = 0;
	int err = 0;

	for (int i = 0; !err && i < N_PATHS; i++)
		if (!has_path(persist, paths[i]))
			err = remove_file(machine, persist->kind, paths[i], &n,
					  reterr);
	return err;
}

int ssdpm_persist_write(const struct ssdpm_persist *persist,
			struct ssdpm_machine *machine, uint32_t flags,
			struct ssdpm_error *reterr)
{
	int err;

	if (flags & ~SSDPM_PERSIST_CHECK)
		return ssdpm__fail(reterr, -EINVAL, 0, "unknown flags %#x",
				   flags);
	err = check_files(persist, machine, reterr);
	if (err || flags & SSDPM_PERSIST_CHECK)
		return err;
	err = for_each_path(machine, remove_new, NULL, reterr);
	for (size_t i = 0; !err && i < persist->n; i++)
		err = write_file(machine, persist, &persist->files[i], reterr);
	return err ? err : remove_old(machine, persist, reterr);
}

int ssdpm_persist_remove(struct ssdpm_machine *machine, uint32_t kind,
			 size_t *ret_n, struct ssdpm_error *reterr)
{
	struct ssdpm_persist *persist;
	size_t n = 0;
	int err;

	err = ssdpm_persist_read(machine, kind, &persist, reterr);
	if (err)
		return err;
	err = ssdpm__check_writable(machine, reterr);
	for (size_t i = 0; !err && i < persist->n; i++)
		err = remove_file(machine, kind, persist->files[i].path, &n,
				  reterr);
	if (!err)
		err = for_each_path(machine, remove_new, persist, reterr);
	if (!err && kind == SSDPM_PERSIST_SYSTEMD && n)
		remove_wants(machine);
	if (!err && ret_n)
		*ret_n = n;
	ssdpm_persist_free(persist);
	return err;
}
