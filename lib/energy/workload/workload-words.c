/* SPDX-License-Identifier: MIT */
/* The words for the enumerations of workload.h. */
#include "base/words.h"

#include <ssdpm/energy/workload.h>

static const char op_words[][8] = {
	[SSDPM_OP_READ] = "read",
	[SSDPM_OP_WRITE] = "write",
	[SSDPM_OP_FLUSH] = "flush",
	[SSDPM_OP_DISCARD] = "discard",
};
ENUM_WORDS(op)

static const char trace_format_words[][16] = {
	[SSDPM_TRACE_NPY] = "npy",
	[SSDPM_TRACE_BLKPARSE] = "blkparse",
	[SSDPM_TRACE_BLKTRACE] = "blktrace",
	[SSDPM_TRACE_FIO_IOLOG] = "fio-iolog",
	[SSDPM_TRACE_FIO_LATENCY_LOG] = "fio-latency-log",
	[SSDPM_TRACE_BIOSNOOP] = "biosnoop",
	[SSDPM_TRACE_DELIMITED] = "delimited",
	[SSDPM_TRACE_MSR] = "msr",
	[SSDPM_TRACE_SPC] = "spc",
	[SSDPM_TRACE_FIU] = "fiu",
	[SSDPM_TRACE_MQSIM] = "mqsim",
	[SSDPM_TRACE_DISKSIM] = "disksim",
	[SSDPM_TRACE_BLKREPLAY] = "blkreplay",
	[SSDPM_TRACE_PIXEL] = "pixel",
	[SSDPM_TRACE_PROCMON] = "procmon",
};
ENUM_WORDS(trace_format)
