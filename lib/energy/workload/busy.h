/* SPDX-License-Identifier: MIT */
/*
 * Computes busy and idle times from I/Os. The estimate uses this part, too; it
 * is inline because it is the innermost loop.
 */
#ifndef SSDPM_LIB_WORKLOAD_BUSY_H
#define SSDPM_LIB_WORKLOAD_BUSY_H

#include <ssdpm/energy/workload.h>

/* A drive that serves I/Os and never sleeps. */
struct busy {
	uint64_t until_ns;   /* the latest completion so far */
	uint64_t channel_ns; /* the shared channel is taken until then */
};

/* floor(bytes * 10^9 / bytes_per_second): bytes has 32 bits, so it fits. */
static inline uint64_t ssdpm__transfer_ns(uint64_t bytes,
					  uint64_t bytes_per_second)
{
	return bytes_per_second ? bytes * 1000000000u / bytes_per_second : 0;
}

/*
 * When an I/O that the drive takes at start_ns completes: after its recorded
 * service. If that is unknown, it completes after its base latency and its
 * transfer, which waits for earlier transfers.
 */
static inline uint64_t ssdpm__completion_ns(struct busy *busy,
					    const struct ssdpm_service *service,
					    const struct ssdpm_io *io,
					    uint64_t start_ns)
{
	if (io->service_ns != SSDPM_SERVICE_UNKNOWN)
		return start_ns + io->service_ns;
	unsigned op = io->op - 1u;
	uint64_t begin = start_ns + service->base_ns[op];
	if (begin < busy->channel_ns)
		begin = busy->channel_ns;
	uint64_t transfer =
		ssdpm__transfer_ns(io->bytes, service->bytes_per_second[op]);
	busy->channel_ns = begin + transfer;
	return busy->channel_ns;
}

#endif
