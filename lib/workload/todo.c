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

uint32_t ssdpm_histogram_bucket(uint64_t time_ns)
{
	return 0;
}

uint64_t ssdpm_histogram_start_ns(uint32_t bucket)
{
	return 0;
}

int ssdpm_stats_new(const struct ssdpm_service *service,
		    struct ssdpm_stats **ret_stats, struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

int ssdpm_stats_feed(struct ssdpm_stats *stats, const struct ssdpm_io *ios,
		     size_t n, struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

int ssdpm_stats_get(const struct ssdpm_stats *stats,
		    struct ssdpm_trace_stats *ret_stats,
		    struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

struct ssdpm_stats *ssdpm_stats_free(struct ssdpm_stats *stats)
{
	return 0;
}
