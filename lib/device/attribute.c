/* SPDX-License-Identifier: MIT */
/* Files of a machine, for stages and programs that read more of it. */
#include "device/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int fail(const char *path, int err, struct ssdpm_error *reterr)
{
	if (err == -ENOMEM)
		return ssdpm__no_memory(reterr);
	return ssdpm__fail(reterr, err, 0, "/%s: %s", path,
			   ssdpm_strerror(err));
}

uint32_t ssdpm_machine_get_capture(const struct ssdpm_machine *machine)
{
	return machine->capture;
}

int ssdpm_machine_read_attribute(const struct ssdpm_machine *machine,
				 const char *path, char *ret_text, size_t size,
				 struct ssdpm_error *reterr)
{
	char text[SSDPM__ATTRIBUTE_BYTES];
	int err = ssdpm__read_text(machine, path, text, sizeof(text));

	if (!err && strlen(text) >= size)
		err = -E2BIG;
	if (err)
		return fail(path, err, reterr);
	memcpy(ret_text, text, strlen(text) + 1);
	return 0;
}

/* One block: the array, and behind it what it points to. */
static char **to_block(const struct names *names)
{
	size_t size = names->n * sizeof(char *);
	char **block;
	char *at;

	for (size_t i = 0; i < names->n; i++)
		size += strlen(names->names[i]) + 1;
	block = malloc(size);
	if (!block)
		return NULL;
	at = (char *)(block + names->n);
	for (size_t i = 0; i < names->n; i++) {
		const size_t n = strlen(names->names[i]) + 1;

		block[i] = memcpy(at, names->names[i], n);
		at += n;
	}
	return block;
}

int ssdpm_machine_read_directory(const struct ssdpm_machine *machine,
				 const char *path, char ***ret_names,
				 size_t *ret_n, struct ssdpm_error *reterr)
{
	struct names names;
	char **block = NULL;
	int err = ssdpm__list_names(machine, path, &names);

	if (err)
		return fail(path, err, reterr);
	if (names.n) {
		block = to_block(&names);
		err = block ? 0 : -ENOMEM;
	}
	if (!err) {
		*ret_names = block;
		*ret_n = names.n;
	}
	ssdpm__free_names(&names);
	return err ? fail(path, err, reterr) : 0;
}

int ssdpm_machine_read_link(const struct ssdpm_machine *machine,
			    const char *path, char *ret_path, size_t size,
			    struct ssdpm_error *reterr)
{
	char real[SSDPM__PATH_BYTES];
	int err = ssdpm__real_path(machine, path, real, sizeof(real));

	if (!err && strlen(real) >= size)
		err = -ENAMETOOLONG;
	if (err)
		return fail(path, err, reterr);
	memcpy(ret_path, real, strlen(real) + 1);
	return 0;
}
