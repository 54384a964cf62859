/* SPDX-License-Identifier: MIT */
/* What may let the machine sleep deeper, as commands, and what undoes them. */
#include "options/advised.h"
#include "programs.h"
#include "suspend/suspend.h"

#include <stdlib.h>
#include <string.h>

/* The value that is there now, which goes back; "[x]" marks the one in use. */
static void print_undo(const struct suspended *suspended, const char *target)
{
	char text[256];
	const char *from = text;

	if (ssdpm_machine_read_attribute(suspended->live->machine, target + 1,
					 text, sizeof(text), NULL))
		return;
	if (strchr(text, '[')) {
		from = strchr(text, '[') + 1;
		text[strcspn(text, "]")] = '\0';
	}
	printf("    to undo it: echo %s > %s\n", from, target);
}

/* A call of ssdpm, which gets --root of a capture. */
static void print_call(const struct suspended *suspended, const char *text)
{
	char *advised = advised_text(suspended->live->root, text);

	if (advised)
		puts(advised);
	free(advised);
}

static void print_change(const struct suspended *suspended,
			 const struct ssdpm_suspend_remedy *r)
{
	const struct ssdpm_change *c = &r->change;

	if (r->remedy == SSDPM_REMEDY_LPM ||
	    r->remedy == SSDPM_REMEDY_LPM_FOR_GOOD) {
		print_call(suspended,
			   cell("  ssdpm lpm --set %s %s", c->value, r->drive)
				   .text);
	} else if (r->remedy == SSDPM_REMEDY_LINK_FILE) {
		print_call(suspended,
			   cell("  ssdpm apply --link %s=on %s",
				strrchr(c->target, '/') + 1, r->drive)
				   .text);
		print_call(suspended, "    to undo it: ssdpm revert");
	} else if (c->target[0] == '/') {
		printf("  echo %s > %s\n", c->value, c->target);
		print_undo(suspended, c->target);
	} else if (c->value[0]) {
		printf("  boot with %s=%s\n", c->target, c->value);
	} else {
		printf("  boot without %s=off, if it is on the kernel command "
		       "line\n",
		       c->target);
	}
}

static const char *policy_words(const struct ssdpm_suspend_remedy *r)
{
	return r->remedy == SSDPM_REMEDY_ASPM_POLICY ||
			       r->remedy ==
				       SSDPM_REMEDY_ASPM_POLICY_OR_FIRMWARE ?
		       ": ASPM powersupersave, all devices" :
		       "";
}

/* Verified ones come first, then each drive with its public case. */
void print_suspend_remedies(const struct suspended *suspended,
			    const struct ssdpm_suspend_remedy *remedies,
			    size_t n)
{
	bool untested = false;
	bool verified = false;

	for (size_t i = 0; i < n; i++) {
		const struct ssdpm_suspend_remedy *r = &remedies[i];

		if (r->status == SSDPM_REMEDY_STATUS_NONE) {
			putchar('\n');
			print_paragraph(
				cell("No verified remedy: %s is a drive "
				     "of %s, which has none",
				     r->drive, r->source)
					.text,
				0, 0);
			verified = true;
			continue;
		}
		if (r->status == SSDPM_REMEDY_STATUS_VERIFIED) {
			printf("\n%s: verified in %s%s\n", r->drive, r->source,
			       policy_words(r));
			verified = true;
		} else if (!untested) {
			if (!verified)
				puts("\nNo verified remedy");
			puts("Candidates, untested; try one at a time:");
			untested = true;
		}
		print_change(suspended, r);
	}
}
