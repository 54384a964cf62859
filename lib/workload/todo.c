/* SPDX-License-Identifier: MIT */
/* Not there yet: each is replaced by its own file. */
#include <errno.h>

#include <ssdpm/workload.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"
int ssdpm_io_to_fio_iolog(const struct ssdpm_io *io, uint64_t origin_ns,
			  const char *file, char ret_line[SSDPM_FIO_IOLOG_LINE],
			  struct ssdpm_error *reterr)
{
	return -ENOSYS;
}
