/* SPDX-License-Identifier: MIT */
/*
 * libssdpm: the power states of SSDs.
 *
 *     device facts -> model -> policy -> apply
 *
 * and all of it as JSON: object. This header includes one header for each
 * stage. The rules that hold for all of them (errors, ownership, units,
 * threads) are in libssdpm(3). <ssdpm-energy.h> has the cost and the saving of
 * a policy.
 */
#ifndef SSDPM_H
#define SSDPM_H

#include <ssdpm/apply.h>
#include <ssdpm/base.h>
#include <ssdpm/device.h>
#include <ssdpm/intent.h>
#include <ssdpm/model.h>
#include <ssdpm/object.h>
#include <ssdpm/policy.h>

#endif
