/* SPDX-License-Identifier: MIT */
/* The classes of experiments that vary a parameter, from their tails. */
#ifndef SSDPM_COMMAND_MEASURE_SWEEP_H
#define SSDPM_COMMAND_MEASURE_SWEEP_H

#include "command.h"

/*
 * Lines of experiment,parameter,tail_s,extra_j,sigma_j under such a header; no
 * column experiment: all are of one. With micro_benchmark,drive,pattern in its
 * place they are a suite, of which the matrix is printed too.
 */
enum exit_status classify_sweep(const struct common *common, const char *path);

#endif
