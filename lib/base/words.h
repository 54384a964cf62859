/* SPDX-License-Identifier: MIT */
/* The words of an enum: one table gives both directions. */
#ifndef SSDPM_LIB_BASE_WORDS_H
#define SSDPM_LIB_BASE_WORDS_H

#include <stddef.h>
#include <stdint.h>

/* Words of the same width in bytes, the zero byte too; "" is a gap. */
struct word_table {
	const char *words;
	size_t width;
	size_t n;
};

/* NULL: no word has this index. */
const char *ssdpm__word(struct word_table table, size_t index);

/* -1: no such word, or NULL. */
int ssdpm__index_of_word(struct word_table table, const char *word);

/* The same where an index is the number of a bit: 0 for none, or for several.
 */
const char *ssdpm__bit_word(struct word_table table, uint32_t bit);
uint32_t ssdpm__bit_of_word(struct word_table table, const char *word);

#define WORD_TABLE(words)                                   \
	((struct word_table){ words[0], sizeof((words)[0]), \
			      sizeof(words) / sizeof((words)[0]) })

/* ssdpm_NAME_to_string() and ssdpm_NAME_from_string() of NAME_words[value]. */
#define ENUM_WORDS(name)                                                      \
	const char *ssdpm_##name##_to_string(uint32_t value)                  \
	{                                                                     \
		return ssdpm__word(WORD_TABLE(name##_words), value);          \
	}                                                                     \
	uint32_t ssdpm_##name##_from_string(const char *word)                 \
	{                                                                     \
		int i = ssdpm__index_of_word(WORD_TABLE(name##_words), word); \
                                                                              \
		return i < 0 ? 0 : (uint32_t)i;                               \
	}

/* The same of NAME_words[FLAG(value)], for an enum of bits. */
#define FLAG(bit) __builtin_ctz(bit)
#define FLAG_WORDS(name)                                                   \
	const char *ssdpm_##name##_to_string(uint32_t bit)                 \
	{                                                                  \
		return ssdpm__bit_word(WORD_TABLE(name##_words), bit);     \
	}                                                                  \
	uint32_t ssdpm_##name##_from_string(const char *word)              \
	{                                                                  \
		return ssdpm__bit_of_word(WORD_TABLE(name##_words), word); \
	}

#endif
