/* SPDX-License-Identifier: MIT */
/* The operands of budget: drives, their counts, and cards. */
#ifndef SSDPM_COMMAND_BUDGET_WORDS_H
#define SSDPM_COMMAND_BUDGET_WORDS_H

#include "input/input.h"

/*
 * The operands, taken apart:
 *
 *	ITEM = [Nx] DRIVE [+ DRIVE]...	 a card if there is a +
 *	OPERANDS = ITEM [[+] ITEM]...	 with a + only before Nx
 *
 * A blank after "Nx" and both around "+" may be in an operand, or end it. An
 * operand that is a file is a DRIVE, whatever its name.
 */
struct budget_words {
	char **drives;
	uint64_t *counts; /* of each of them */
	bool *joined;	  /* on the card of the previous one */
	size_t n;
};

/* Free the words, even after a failure, which it complains of. */
enum exit_status read_budget_words(const struct common *common, char **operands,
				   size_t n_operands,
				   struct budget_words *ret_words);
void free_budget_words(struct budget_words *words);

/* Lines for help. */
#define BUDGET_OPERANDS                                                    \
	"  12x DRIVE               Twelve identical drives.\n"             \
	"  A + B                   A card whose drives share one state.\n" \
	"  12x A + 2x B            Fourteen drives.\n"

#endif
