/* SPDX-License-Identifier: MIT */
/* The profile of the desktop, which only who is on the bus hears of. */
#include "intent/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char noted[] = "/run/ssdpm/desktop-profile";
static const char left_over[] = "/run/ssdpm/.desktop-profile.new";

static bool is_name(const char *text)
{
	size_t n = 0;

	while (text[n] > ' ' && text[n] <= '~')
		n++;
	return n && n < SSDPM__DESKTOP_BYTES && !text[n];
}

int ssdpm_intent_note_desktop(struct ssdpm_machine *machine,
			      const char *desktop_profile,
			      struct ssdpm_error *reterr)
{
	char line[SSDPM__DESKTOP_BYTES + 1];
	int err = ssdpm__check_writable(machine, reterr);

	if (err)
		return err;
	if (desktop_profile && !is_name(desktop_profile))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "desktop_profile: no name");
	if (!desktop_profile) {
		err = ssdpm__remove_file(machine, noted, 0);
	} else {
		snprintf(line, sizeof(line), "%s\n", desktop_profile);
		ssdpm__remove_file(machine, left_over, 0);
		err = ssdpm__replace_file(machine, noted, line, 0644);
	}
	return err && err != -ENOENT ? ssdpm__fail(reterr, err, 0, "%s: %s",
						   noted, ssdpm_strerror(err)) :
				       0;
}

const char *ssdpm__intent_read_desktop(struct ssdpm_machine *machine,
				       char room[SSDPM__DESKTOP_BYTES])
{
	struct directory directory = { machine, "run/ssdpm", 0 };

	*room = 0;
	ssdpm__get_text(&directory, "desktop-profile", room,
			SSDPM__DESKTOP_BYTES);
	return is_name(room) ? room : NULL;
}
