/* SPDX-License-Identifier: MIT */
/*
 * IDENTIFY DEVICE data as 256 words of four hexadecimal digits. Linux shows it
 * in /sys/class/ata_device/DEVICE/id, eight words a line. hdparm --Istdout
 * prints it under a line with the name of the device.
 */
#include "base/text.h"
#include "model/sata.h"

#include <errno.h>
#include <string.h>

/* Both programs write eight; prose that looks like hexadecimal has fewer. */
#define WORDS_OF_A_LINE 8

/* Words in lines that hold nothing else; another line ends the run. */
struct hex_run {
	uint16_t words[ATA_WORDS];
	size_t n;
	uint32_t line; /* of the last word */
};

struct hex_search {
	struct hex_run run;   /* as far as it is read */
	struct hex_run drive; /* the run that is as long as it should be */
	size_t longest;	      /* of those that are not */
	uint32_t longest_line;
};

static bool take_ata_word(struct span *line, uint16_t *ret_value)
{
	unsigned int value = 0;
	struct span word;

	if (!ssdpm__take_word(line, &word) || word.end - word.at != 4)
		return false;
	for (; word.at < word.end; word.at++) {
		int digit = ssdpm__hex_digit(*word.at);

		if (digit < 0)
			return false;
		value = value << 4 | (unsigned int)digit;
	}
	*ret_value = (uint16_t)value;
	return true;
}

/* How many words there are in a line that holds nothing else, or 0. */
static size_t count_words(struct span line)
{
	uint16_t value;
	size_t n = 0;

	while (line.at < line.end) {
		if (!take_ata_word(&line, &value))
			return 0;
		n++;
	}
	return n;
}

static void add_words(struct hex_run *run, struct span line, uint32_t number)
{
	uint16_t value;

	while (take_ata_word(&line, &value)) {
		if (run->n < ATA_WORDS)
			run->words[run->n] = value;
		run->n++;
	}
	run->line = number;
}

static int end_run(struct hex_search *search, struct ssdpm_error *reterr)
{
	const struct hex_run *run = &search->run;

	if (run->n == ATA_WORDS && search->drive.n)
		return ssdpm__fail(reterr, -EINVAL, run->line,
				   "a second drive ends here; one is expected");
	if (run->n == ATA_WORDS) {
		search->drive = *run;
	} else if (run->n > search->longest) {
		search->longest = run->n;
		search->longest_line = run->line;
	}
	search->run.n = 0;
	return 0;
}

bool ssdpm__is_ata_identify_hex(const char *text, size_t size)
{
	struct lines lines = { .rest = ssdpm__span(text, size) };
	struct span line;

	if (size && memchr(text, 0, size))
		return false;
	while (ssdpm__next_line(&lines, &line))
		if (count_words(line) >= WORDS_OF_A_LINE)
			return true;
	return false;
}

int ssdpm__model_from_ata_identify_hex(const char *text, size_t size,
				       struct ssdpm_model **ret_model,
				       struct ssdpm_error *reterr)
{
	struct lines lines = { .rest = ssdpm__span(text, size) };
	struct hex_search search = { .longest = 0 };
	struct span line;
	int err = 0;

	while (!err && ssdpm__next_line(&lines, &line)) {
		if (count_words(line))
			add_words(&search.run, line, lines.line);
		else if (line.at < line.end)
			err = end_run(&search, reterr);
	}
	if (!err)
		err = end_run(&search, reterr);
	if (err)
		return err;
	if (!search.drive.n)
		return ssdpm__fail(reterr, -EINVAL, search.longest_line,
				   "%zu words of four hexadecimal digits; "
				   "IDENTIFY DEVICE data have %d",
				   search.longest, ATA_WORDS);
	return ssdpm__sata_model_from_words(search.drive.words,
					    SSDPM_FORMAT_ATA_IDENTIFY_HEX,
					    ret_model, reterr);
}
