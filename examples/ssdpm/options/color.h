/* SPDX-License-Identifier: MIT */
/* --color: whether a terminal gets colors. */
#ifndef SSDPM_COMMAND_COLOR_H
#define SSDPM_COMMAND_COLOR_H

#include "command.h"

struct color_options {
	uint32_t color;
};

/* Its settings are a struct color_options. */
extern const struct option_group color_option_group;

/* By default: in a terminal that knows colors, without NO_COLOR. */
bool is_colored(const struct color_options *options);

/* Does the terminal understand more than text? */
bool is_smart_terminal(void);

#endif
