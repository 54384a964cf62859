/* SPDX-License-Identifier: MIT */
#include "base/ini.h"

#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

bool ssdpm__ini_is_empty(struct span line)
{
	return line.at == line.end || *line.at == '#' || *line.at == ';';
}

bool ssdpm__ini_take_head(struct span line, struct span *ret_name)
{
	if (line.end - line.at < 2 || line.end[-1] != ']')
		return false;
	*ret_name = (struct span){ line.at + 1, line.end - 1 };
	return true;
}

bool ssdpm__ini_take_key(struct span line, struct span *ret_key,
			 struct span *ret_value)
{
	const char *sign =
		line.at == line.end ?
			NULL :
			memchr(line.at, '=', (size_t)(line.end - line.at));
	struct span key = { line.at, sign }, value = { sign, line.end };

	if (!sign)
		return false;
	while (key.end > key.at && is_blank(key.end[-1]))
		key.end--;
	for (value.at++; value.at < value.end; value.at++)
		if (!is_blank(*value.at))
			break;
	*ret_key = key;
	*ret_value = value;
	return true;
}
