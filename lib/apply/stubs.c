/* SPDX-License-Identifier: MIT */
/* What is not written yet: gone before this lands. */
#include <ssdpm/apply.h>

#include <errno.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

int ssdpm_persist_new(const struct ssdpm_persist_params *params,
		      struct ssdpm_persist **ret_persist,
		      struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

struct ssdpm_persist *ssdpm_persist_free(struct ssdpm_persist *persist)
{
	return NULL;
}

size_t ssdpm_persist_get_n_files(const struct ssdpm_persist *persist)
{
	return 0;
}

int ssdpm_persist_get_file(const struct ssdpm_persist *persist, size_t index,
			   struct ssdpm_persist_file *ret_file)
{
	return -ENOSYS;
}

int ssdpm_persist_write(const struct ssdpm_persist *persist,
			struct ssdpm_machine *machine,
			struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

int ssdpm_persist_remove(struct ssdpm_machine *machine, uint32_t kind,
			 size_t *ret_n, struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

const char *ssdpm_persist_kind_to_string(uint32_t kind)
{
	return NULL;
}
