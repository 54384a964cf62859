/* SPDX-License-Identifier: MIT */
/*
 * The kernel's log, which says what Linux has turned off by itself.
 *
 *     records, from the start of a trial or of the boot -> faults of a drive
 */
#ifndef SSDPM_COMMAND_BISECT_LOG_H
#define SSDPM_COMMAND_BISECT_LOG_H

#include "bisect/bisect.h"

#include <ssdpm/energy/faults.h>

/* Nobody knows the number of a record. */
#define NO_RECORD UINT64_MAX

/* A descriptor that does not wait; -1 with errno. */
int open_kernel_log(void);
typedef void log_reader(void *userdata, const char *line);
/* All lines that have come; false: some were overwritten before. */
bool read_kernel_log(int fd, log_reader *take, void *userdata);

/* The number that the next record will have. */
uint64_t next_record(const struct search *search);

/* The evidence that a drive failed. */
struct fault_sign {
	struct cell what; /* "nvme0: timeout"; "": nothing */
	/* Since the boot, as in the kernel's log; UINT64_MAX: unknown */
	uint64_t time_us;
};

/* The sign in a line of the log. */
struct fault_sign sign_of_fault(const struct ssdpm_fault *fault);

/*
 * The faults of a drive in the records from one on, as bits: 1 << enum
 * ssdpm_fault_kind. The first one that makes a trial bad is a sign. If the log
 * does not have all of these records, the result is false, and the faults are
 * those that it has.
 */
bool find_past_faults(const struct search *search, size_t drive, uint64_t from,
		      uint32_t *ret_faults, struct fault_sign *ret_first);

bool is_fault_of(const struct ssdpm_fault *fault,
		 const struct ssdpm_device *device);

/* bisect-losses.c: what Linux has turned off since the trial was set. */
enum exit_status check_losses(const struct search *search);
void print_losses(const struct search *search);
/* The first sign of a fault since the trial was set, as far as the log goes. */
struct fault_sign find_past_sign(const struct search *search);

/* A setting is not in force, and that alone is no fault of the drive. */
bool is_setting_lost(uint32_t fault);
/* What Linux has done: a clause. */
const char *lost_setting_text(uint32_t fault);

#endif
