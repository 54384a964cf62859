/* SPDX-License-Identifier: MIT */
/* What may let the machine sleep deeper, as commands, and what undoes them. */
#include "options/advised.h"
#include "programs.h"
#include "suspend/suspend.h"

#include <stdlib.h>
#include <string.h>

/* A call of ssdpm, which gets --root of a capture. */
static void print_call(const struct suspended *suspended, const char *text)
{
	char *advised = advised_text(suspended->live->root, text);

	if (advised)
		puts(advised);
	free(advised);
}

/* The call that does it; "": it takes a boot. */
static struct cell call_of(const struct ssdpm_suspend_remedy *r)
{
	const struct ssdpm_change *c = &r->change;

	switch (r->remedy) {
	case SSDPM_REMEDY_LPM:
	case SSDPM_REMEDY_LPM_FOR_GOOD:
		return cell("lpm --set %s %s", c->value, r->drive);
	case SSDPM_REMEDY_LINK_FILE:
		return cell("apply --link %s=on %s",
			    strrchr(c->target, '/') + 1, r->drive);
	case SSDPM_REMEDY_ALLOW_D3COLD:
		return cell("apply --d3cold on %s", r->drive);
	case SSDPM_REMEDY_ASPM_POLICY:
	case SSDPM_REMEDY_ASPM_POLICY_OR_FIRMWARE:
		return cell("apply --aspm-policy %s", c->value);
	default:
		return (struct cell){ "" };
	}
}

/* The word of the policy that the port of a drive has; NULL: unknown. */
static const char *lpm_of(const struct suspended *suspended, const char *drive)
{
	for (size_t i = 0; i < suspended->n_drives; i++)
		if (!strcmp(suspended->drives[i].facts->name, drive))
			return ssdpm_lpm_to_string(
				suspended->drives[i].facts->lpm);
	return NULL;
}

/* The call that sets what is so now; "": there is none. */
static struct cell undo_of(const struct suspended *suspended,
			   const struct ssdpm_suspend_remedy *r)
{
	const char *policy =
		ssdpm_aspm_policy_to_string(suspended->facts.aspm_policy);
	const char *lpm = lpm_of(suspended, r->drive);

	switch (r->remedy) {
	case SSDPM_REMEDY_LPM:
		return lpm ? cell("lpm --set %s %s", lpm, r->drive) :
			     (struct cell){ "" };
	case SSDPM_REMEDY_LINK_FILE:
		return cell("apply --link %s=off %s",
			    strrchr(r->change.target, '/') + 1, r->drive);
	case SSDPM_REMEDY_ALLOW_D3COLD:
		return cell("apply --d3cold off %s", r->drive);
	case SSDPM_REMEDY_ASPM_POLICY:
	case SSDPM_REMEDY_ASPM_POLICY_OR_FIRMWARE:
		return policy ? cell("apply --aspm-policy %s", policy) :
				(struct cell){ "" };
	default:
		return (struct cell){ "" };
	}
}

static void print_undo(const struct suspended *suspended,
		       const struct ssdpm_suspend_remedy *r)
{
	const struct cell undo = undo_of(suspended, r);

	if (undo.text[0])
		print_call(suspended,
			   cell("    to undo it: ssdpm %s", undo.text).text);
}

static void print_change(const struct suspended *suspended,
			 const struct ssdpm_suspend_remedy *r)
{
	const struct ssdpm_change *c = &r->change;
	const struct cell call = call_of(r);

	if (call.text[0]) {
		print_call(suspended, cell("  ssdpm %s", call.text).text);
		print_undo(suspended, r);
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
