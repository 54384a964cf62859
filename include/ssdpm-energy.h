/* SPDX-License-Identifier: MIT */
/*
 * libssdpm-energy: what a power policy of an SSD costs and saves.
 *
 *     workload -> estimate -> recommend
 *     meters -> measure -> calibrate, survey
 *
 * This header includes one header for each subject, and <ssdpm.h>. See
 * libssdpm(3).
 */
#ifndef SSDPM_ENERGY_H
#define SSDPM_ENERGY_H

#include <ssdpm.h>

#include <ssdpm/energy/background.h>
#include <ssdpm/energy/bisect.h>
#include <ssdpm/energy/budget.h>
#include <ssdpm/energy/calibrate-state.h>
#include <ssdpm/energy/calibrate.h>
#include <ssdpm/energy/caps.h>
#include <ssdpm/energy/compare.h>
#include <ssdpm/energy/consistency.h>
#include <ssdpm/energy/estimate.h>
#include <ssdpm/energy/faults.h>
#include <ssdpm/energy/json.h>
#include <ssdpm/energy/likely.h>
#include <ssdpm/energy/lint.h>
#include <ssdpm/energy/measure.h>
#include <ssdpm/energy/meters.h>
#include <ssdpm/energy/observe.h>
#include <ssdpm/energy/power.h>
#include <ssdpm/energy/recommend.h>
#include <ssdpm/energy/report.h>
#include <ssdpm/energy/survey-file.h>
#include <ssdpm/energy/survey-result.h>
#include <ssdpm/energy/survey.h>
#include <ssdpm/energy/suspend.h>
#include <ssdpm/energy/tracer.h>
#include <ssdpm/energy/trial.h>
#include <ssdpm/energy/watch.h>
#include <ssdpm/energy/workload.h>
#include <ssdpm/energy/writes.h>

#endif
