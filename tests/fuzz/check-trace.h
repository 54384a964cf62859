/* SPDX-License-Identifier: MIT */
/* What must hold for whatever was read from a trace. */
#ifndef SSDPM_TESTS_FUZZ_CHECK_TRACE_H
#define SSDPM_TESTS_FUZZ_CHECK_TRACE_H

#include "check.h"

/*
 * Read data as this format (enum ssdpm_trace_format; 0: as whatever it is
 * taken for), strictly and with SSDPM_TRACE_SKIP_BAD, in steps of one record
 * and of many.
 */
void check_trace(const uint8_t *data, size_t size, uint32_t format);

#endif
