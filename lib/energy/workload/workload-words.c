/* SPDX-License-Identifier: MIT */
/* The words for the enumerations of workload.h. */
#include <ssdpm/energy/workload.h>

const char *ssdpm_op_to_string(uint32_t op)
{
	switch (op) {
	case SSDPM_OP_READ:
		return "read";
	case SSDPM_OP_WRITE:
		return "write";
	case SSDPM_OP_FLUSH:
		return "flush";
	case SSDPM_OP_DISCARD:
		return "discard";
	default:
		return NULL;
	}
}

const char *ssdpm_trace_format_to_string(uint32_t format)
{
	switch (format) {
	case SSDPM_TRACE_NPY:
		return "npy";
	case SSDPM_TRACE_BLKPARSE:
		return "blkparse";
	case SSDPM_TRACE_BLKTRACE:
		return "blktrace";
	case SSDPM_TRACE_FIO_IOLOG:
		return "fio-iolog";
	case SSDPM_TRACE_FIO_LATENCY_LOG:
		return "fio-latency-log";
	case SSDPM_TRACE_BIOSNOOP:
		return "biosnoop";
	case SSDPM_TRACE_DELIMITED:
		return "delimited";
	case SSDPM_TRACE_MSR:
		return "msr";
	case SSDPM_TRACE_SPC:
		return "spc";
	case SSDPM_TRACE_FIU:
		return "fiu";
	case SSDPM_TRACE_MQSIM:
		return "mqsim";
	case SSDPM_TRACE_DISKSIM:
		return "disksim";
	case SSDPM_TRACE_BLKREPLAY:
		return "blkreplay";
	case SSDPM_TRACE_PIXEL:
		return "pixel";
	case SSDPM_TRACE_PROCMON:
		return "procmon";
	default:
		return NULL;
	}
}
