/* SPDX-License-Identifier: MIT */
/* Not there yet: each is replaced by its own file. */
#include <errno.h>

#include <ssdpm/workload.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"
int ssdpm_generator_params_init(struct ssdpm_generator_params *params,
				size_t size)
{
	return -ENOSYS;
}

int ssdpm_trace_generate(const struct ssdpm_generator_params *params,
			 struct ssdpm_trace **ret_trace,
			 struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

const char *ssdpm_generator_get_name(size_t index)
{
	return 0;
}

const char *ssdpm_generator_get_description(size_t index)
{
	return 0;
}

int ssdpm_generator_to_fio_job(const struct ssdpm_generator_params *params,
			       char **ret_text, struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

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
