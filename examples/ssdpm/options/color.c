/* SPDX-License-Identifier: MIT */
#include "options/color.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum color { COLOR_AUTO = 1, COLOR_ALWAYS, COLOR_NEVER };

static const char *color_word(uint32_t color)
{
	static const char *const words[] = {
		[COLOR_AUTO] = "auto",
		[COLOR_ALWAYS] = "always",
		[COLOR_NEVER] = "never",
	};

	return color && color < sizeof(words) / sizeof(words[0]) ?
		       words[color] :
		       NULL;
}

static const struct option_spec options[] = {
	{ "color", 0, "auto|always|never",
	  "Set whether to use colors. Default: auto, in a terminal without "
	  "NO_COLOR.",
	  SETS_WORD(struct color_options, color, color_word) },
};

const struct option_group color_option_group = {
	OPTIONS(options),
	.title = "Screen",
};

bool is_smart_terminal(void)
{
	const char *terminal = getenv("TERM");

	return isatty(STDOUT_FILENO) && terminal && *terminal &&
	       strcmp(terminal, "dumb");
}

/* NO_COLOR counts if it is not empty: no-color.org. */
bool is_colored(const struct color_options *color)
{
	const char *refused = getenv("NO_COLOR");

	if (color->color > COLOR_AUTO)
		return color->color == COLOR_ALWAYS;
	return is_smart_terminal() && !(refused && *refused);
}
