/* SPDX-License-Identifier: MIT */
#include "common/linux-release.h"

#include <stdint.h>
#include <string.h>

#include "base/text.h"

struct release {
	uint64_t major, minor, patch;
};

/* "7.2", "6.12.110-amd64"; a patch that is left out is 0. */
static bool take_release(const char *text, struct release *ret)
{
	struct span span = ssdpm__span(text, strlen(text));

	ret->patch = 0;
	if (!ssdpm__take_uint(&span, UINT32_MAX, &ret->major) ||
	    !ssdpm__take(&span, ".") ||
	    !ssdpm__take_uint(&span, UINT32_MAX, &ret->minor))
		return false;
	if (ssdpm__take(&span, "."))
		ssdpm__take_uint(&span, UINT32_MAX, &ret->patch);
	return true;
}

static bool is_from_7_2(const struct release *r)
{
	return r->major > 7 || (r->major == 7 && r->minor >= 2);
}

bool ssdpm__takes_nvme_quirks(const char *release)
{
	struct release r;

	return take_release(release, &r) && is_from_7_2(&r);
}

bool ssdpm__takes_nolpm(const char *release)
{
	struct release r;

	return take_release(release, &r) &&
	       (r.major > 5 || (r.major == 5 && r.minor >= 19));
}

bool ssdpm__refuses_raw_table(const char *release)
{
	struct release r;

	return take_release(release, &r) &&
	       (is_from_7_2(&r) ||
		(r.major == 6 && r.minor == 12 && r.patch >= 110));
}
