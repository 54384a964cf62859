/* SPDX-License-Identifier: MIT */
/*
 * Writing and removing the files that make a policy last. A file without the
 * marker is somebody else's, and so is one of another kind: neither is touched.
 */
#include "apply/persist.h"
#include "device/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whose file is it? */
enum owner {
	OWNER_NOBODY, /* there is none */
	OWNER_KIND,
	OWNER_OTHER_KIND,
	OWNER_STRANGER,
};

/* A file, by its directory. */
struct place {
	int fd;
	char name[64];
};

static int fail(struct ssdpm_error *reterr, int code, const char *path)
{
	return ssdpm__fail(
		reterr, code, 0, "%s: %s%s", path, ssdpm_strerror(code),
		code == -EACCES || code == -EPERM ? ": root is needed" : "");
}

/* The marker stands in the first line, or after that of an interpreter. */
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

/*
 * Whose is the file at path (with a leading slash)? is_same, or NULL: does it
 * hold these contents?
 */
static int look(struct ssdpm_machine *machine, const char *path, uint32_t kind,
		const char *contents, enum owner *ret_owner, bool *ret_is_same,
		struct ssdpm_error *reterr)
{
	char text[sizeof(((struct text *)0)->text)];
	size_t n = 0;
	int err;

	*ret_is_same = false;
	*ret_owner = OWNER_NOBODY;
	err = ssdpm__read_bytes(machine, path + 1, text, sizeof(text), &n);
	/* A directory on the way may be missing, or be none. */
	if (err == -ENOENT)
		return 0;
	/* None of ours is as long. */
	if (err == -E2BIG) {
		*ret_owner = OWNER_STRANGER;
		return 0;
	}
	if (err)
		return fail(reterr, err, path);
	*ret_owner = owner_of(text, kind);
	*ret_is_same =
		contents && strlen(contents) == n && !memcmp(text, contents, n);
	return 0;
}

static int check_owner(struct ssdpm_machine *machine,
		       const struct ssdpm_persist *persist, const char *path,
		       struct ssdpm_error *reterr)
{
	enum owner owner;
	bool is_same;
	int err = look(machine, path, persist->kind, NULL, &owner, &is_same,
		       reterr);

	if (err)
		return err;
	if (owner == OWNER_STRANGER)
		return ssdpm__fail(reterr, -EEXIST, 0,
				   "%s is there, and ssdpm did not write it: "
				   "move it away",
				   path);
	if (owner == OWNER_OTHER_KIND)
		return ssdpm__fail(
			reterr, -EEXIST, 0,
			"%s is there, for another way to make a "
			"policy last: ssdpm revert --persist removes "
			"it",
			path);
	return 0;
}

/* Open the directory of a path; make what is missing of it. */
static int open_place(struct ssdpm_machine *machine, const char *path,
		      bool make, struct place *ret_place)
{
	const char *name = path + 1, *slash;
	int fd = ssdpm__open(machine, ".", O_RDONLY | O_DIRECTORY, 0);
	char directory[128], next[64];
	int up;

	while (fd >= 0 && (slash = strchr(name, '/'))) {
		snprintf(directory, sizeof(directory), "%.*s",
			 (int)(slash - path - 1), path + 1);
		snprintf(next, sizeof(next), "%.*s", (int)(slash - name), name);
		up = fd;
		fd = ssdpm__open(machine, directory, O_RDONLY | O_DIRECTORY, 0);
		if (fd == -ENOENT && make) {
			fd = mkdirat(up, next, 0755) && errno != EEXIST ?
				     -errno :
				     ssdpm__open(machine, directory,
						 O_RDONLY | O_DIRECTORY, 0);
		}
		close(up);
		name = slash + 1;
	}
	if (fd < 0)
		return fd;
	ret_place->fd = fd;
	snprintf(ret_place->name, sizeof(ret_place->name), "%s", name);
	return 0;
}

static int write_all(int fd, const char *text)
{
	size_t left = strlen(text);
	ssize_t n;

	while (left) {
		n = write(fd, text, left);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		left -= (size_t)n;
	}
	return 0;
}

static int fill_new(int fd, const struct persist_file *file)
{
	int err = write_all(fd, file->contents);

	/* Whatever the umask is. */
	if (!err && (fchmod(fd, file->mode) || fsync(fd)))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	return err;
}

/* The file is the old one or the new one, whatever happens meanwhile. */
static int replace(const struct place *place, const struct persist_file *file)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	char name[80];
	int fd, err;

	snprintf(name, sizeof(name), ".%s.new", place->name);
	fd = openat(place->fd, name, flags, 0600);
	/* What somebody left who was killed here. */
	if (fd < 0 && errno == EEXIST && !unlinkat(place->fd, name, 0))
		fd = openat(place->fd, name, flags, 0600);
	if (fd < 0)
		return -errno;
	err = fill_new(fd, file);
	if (!err && renameat(place->fd, name, place->fd, place->name))
		err = -errno;
	if (err) {
		unlinkat(place->fd, name, 0);
		return err;
	}
	return fsync(place->fd) ? -errno : 0;
}

static int write_file(struct ssdpm_machine *machine,
		      const struct ssdpm_persist *persist,
		      const struct persist_file *file,
		      struct ssdpm_error *reterr)
{
	struct place place;
	enum owner owner;
	bool is_same;
	int err = look(machine, file->path, persist->kind, file->contents,
		       &owner, &is_same, reterr);

	if (err || is_same)
		return err;
	err = open_place(machine, file->path, true, &place);
	if (!err) {
		err = replace(&place, file);
		close(place.fd);
	}
	return err ? fail(reterr, err, file->path) : 0;
}

int ssdpm_persist_check(const struct ssdpm_persist *persist,
			struct ssdpm_machine *machine,
			struct ssdpm_error *reterr)
{
	int err = ssdpm__check_writable(machine, reterr);

	for (size_t i = 0; !err && i < persist->n; i++)
		err = check_owner(machine, persist, persist->files[i].path,
				  reterr);
	return err;
}

static int unlink_at(struct ssdpm_machine *machine, const char *path, int flags)
{
	struct place place;
	int err = open_place(machine, path, false, &place);

	if (err)
		return err;
	if (unlinkat(place.fd, place.name, flags))
		err = -errno;
	else if (fsync(place.fd))
		err = -errno;
	close(place.fd);
	return err;
}

static int remove_file(struct ssdpm_machine *machine, uint32_t kind,
		       const char *path, size_t *n, struct ssdpm_error *reterr)
{
	enum owner owner;
	bool is_same;
	int err = look(machine, path, kind, NULL, &owner, &is_same, reterr);

	if (err || owner != OWNER_KIND)
		return err;
	err = unlink_at(machine, path, 0);
	if (err && err != -ENOENT)
		return fail(reterr, err, path);
	*n += !err;
	return 0;
}

/* What systemctl enable made of the unit that is gone. */
static void remove_wants(struct ssdpm_machine *machine)
{
	char path[128];

	if (ssdpm__exists(machine, &SSDPM__UNIT[1]))
		return;
	for (int i = 0; ssdpm__unit_targets[i]; i++) {
		snprintf(path, sizeof(path),
			 "/etc/systemd/system/%s.wants/ssdpm.service",
			 ssdpm__unit_targets[i]);
		unlink_at(machine, path, 0);
	}
}

static int remove_profile(struct ssdpm_machine *machine, const char *name,
			  size_t *n, struct ssdpm_error *reterr)
{
	static const char files[][12] = { "tuned.conf", "script.sh" };
	char path[128];
	int err = 0;

	/* ssdpm- and a name of a profile */
	if (strncmp(name, "ssdpm-", 6) != 0 || strlen(name) > 40)
		return 0;
	for (int i = 0; !err && i < 2; i++) {
		snprintf(path, sizeof(path), SSDPM__TUNED "/%s/%s", name,
			 files[i]);
		err = remove_file(machine, SSDPM_PERSIST_TUNED, path, n,
				  reterr);
	}
	snprintf(path, sizeof(path), SSDPM__TUNED "/%s", name);
	/* It stays where something else is in it. */
	if (!err)
		unlink_at(machine, path, AT_REMOVEDIR);
	return err;
}

static int remove_profiles(struct ssdpm_machine *machine, size_t *n,
			   struct ssdpm_error *reterr)
{
	struct names names;
	int err = ssdpm__list_names(machine, &SSDPM__TUNED[1], &names);

	if (err == -ENOENT)
		return 0;
	if (err)
		return fail(reterr, err, SSDPM__TUNED);
	for (size_t i = 0; !err && i < names.n; i++)
		err = remove_profile(machine, names.names[i], n, reterr);
	ssdpm__free_names(&names);
	return err;
}

static const char *const paths[] = { SSDPM__UDEV_RULES, SSDPM__MODPROBE_CONF,
				     SSDPM__UNIT, SSDPM__TLP_CONF };

static bool has_path(const struct ssdpm_persist *persist, const char *path)
{
	for (size_t i = 0; i < persist->n; i++)
		if (!strcmp(persist->files[i].path, path))
			return true;
	return false;
}

/*
 * What another profile had of this kind, and this one has not, would go on with
 * that. A profile of TuneD has a name of its own, and stays.
 */
static int remove_old(struct ssdpm_machine *machine,
		      const struct ssdpm_persist *persist,
		      struct ssdpm_error *reterr)
{
	size_t n = 0;
	int err = 0;

	for (int i = 0; !err && i < 4; i++)
		if (!has_path(persist, paths[i]))
			err = remove_file(machine, persist->kind, paths[i], &n,
					  reterr);
	return err;
}

int ssdpm_persist_write(const struct ssdpm_persist *persist,
			struct ssdpm_machine *machine,
			struct ssdpm_error *reterr)
{
	int err = ssdpm_persist_check(persist, machine, reterr);

	for (size_t i = 0; !err && i < persist->n; i++)
		err = write_file(machine, persist, &persist->files[i], reterr);
	return err ? err : remove_old(machine, persist, reterr);
}

int ssdpm_persist_remove(struct ssdpm_machine *machine, uint32_t kind,
			 size_t *ret_n, struct ssdpm_error *reterr)
{
	size_t n = 0;
	int err;

	if (!ssdpm_persist_kind_to_string(kind))
		return ssdpm__fail(reterr, -EINVAL, 0, "kind: unknown value %u",
				   kind);
	err = ssdpm__check_writable(machine, reterr);
	for (int i = 0; !err && i < 4; i++)
		err = remove_file(machine, kind, paths[i], &n, reterr);
	if (!err && kind == SSDPM_PERSIST_SYSTEMD && n)
		remove_wants(machine);
	if (!err && kind == SSDPM_PERSIST_TUNED)
		err = remove_profiles(machine, &n, reterr);
	if (!err && ret_n)
		*ret_n = n;
	return err;
}
