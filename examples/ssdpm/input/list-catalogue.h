/* SPDX-License-Identifier: MIT */
/* ssdpm list --catalogue: the drives of the catalogue. */
#ifndef SSDPM_COMMAND_LIST_CATALOGUE_H
#define SSDPM_COMMAND_LIST_CATALOGUE_H

#include "command.h"

/* Those whose product fits; NULL: all. */
enum exit_status list_catalogue(const struct common *common,
				const char *pattern);

#endif
