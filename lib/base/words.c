/* SPDX-License-Identifier: MIT */
#include "base/words.h"

#include <string.h>

const char *ssdpm__word(struct word_table table, size_t index)
{
	const char *word = table.words + index * table.width;

	return index < table.n && *word ? word : NULL;
}

int ssdpm__index_of_word(struct word_table table, const char *word)
{
	if (!word || !*word)
		return -1;
	for (size_t i = 0; i < table.n; i++)
		if (!strcmp(table.words + i * table.width, word))
			return (int)i;
	return -1;
}

const char *ssdpm__bit_word(struct word_table table, uint32_t bit)
{
	if (!bit || bit & (bit - 1))
		return NULL;
	return ssdpm__word(table, (size_t)FLAG(bit));
}

uint32_t ssdpm__bit_of_word(struct word_table table, const char *word)
{
	int i = ssdpm__index_of_word(table, word);

	return i < 0 ? 0 : 1u << i;
}
