/* SPDX-License-Identifier: MIT */
/* What to do about a diagnosis, in words: for the command and for Python. */
#ifndef SSDPM_COMMAND_REMEDY_H
#define SSDPM_COMMAND_REMEDY_H

#include <ssdpm/device.h>

#ifdef __cplusplus
extern "C" {
#endif

struct remedy_text {
	char text[448];
};

/* One line; "": there is nothing to do. */
struct remedy_text remedy_text(const struct ssdpm_device_facts *facts,
			       const struct ssdpm_diagnosis *diagnosis);

/*
 * The same; its calls of ssdpm have --root @root, if there is one. A drive of a
 * capture is not asked. Free it; NULL: out of memory.
 */
char *remedy_advice(const char *root, const struct ssdpm_device_facts *facts,
		    const struct ssdpm_diagnosis *diagnosis);

#ifdef __cplusplus
}
#endif

#endif
