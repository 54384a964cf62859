/* SPDX-License-Identifier: MIT */
#ifndef SSDPM_LIB_LINUX_RELEASE_H
#define SSDPM_LIB_LINUX_RELEASE_H

#include <stdbool.h>

/*
 * Since Linux 7.2 the parameter nvme.quirks adds quirks to drives by their PCI
 * IDs. release: as in struct ssdpm_machine_facts; "": unknown.
 */
bool ssdpm__takes_nvme_quirks(const char *release);

/*
 * Since Linux 5.19 the parameter libata.force takes nolpm. noncq is as old as
 * the parameter, which Linux 2.6.25 brought.
 */
bool ssdpm__takes_nolpm(const char *release);

/* Whether it refuses Set Features 0Ch from user space:
 * nvme_admin_cmd_allowed(), since 6.12.110 and 7.2. */
bool ssdpm__refuses_raw_table(const char *release);

#endif
