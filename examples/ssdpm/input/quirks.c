/* SPDX-License-Identifier: MIT */
#include "input/quirks.h"

#include "input/live.h"
#include "options/units.h"

#include <stdlib.h>
#include <string.h>

enum exit_status parse_quirk(const struct common *common, const char *text,
			     struct quirk_options *options)
{
	const uint32_t quirk = ssdpm_quirk_from_string(text);
	const bool none = !strcmp(text, "none");
	char words[256];
	size_t n = 0;

	options->none |= none;
	options->added |= quirk;
	if (quirk || none)
		return STATUS_DONE;
	for (uint32_t bit = 1; bit && ssdpm_quirk_to_string(bit); bit <<= 1)
		n += (size_t)snprintf(words + n, sizeof(words) - n, "%s|",
				      ssdpm_quirk_to_string(bit));
	snprintf(words + n, sizeof(words) - n, "none");
	return unknown_value(common, "quirk", text, words);
}

enum exit_status read_quirk_rules(const struct quirk_options *options,
				  struct quirk_rules *ret_rules)
{
	struct buffer buffer = { 0 };
	int err;

	*ret_rules = (struct quirk_rules){ 0 };
	if (!options->path)
		return STATUS_DONE;
	err = read_operand(options->path, &buffer);
	if (!err) {
		ret_rules->text = buffer.data;
		ret_rules->size = buffer.size;
		return STATUS_DONE;
	}
	free(buffer.data);
	return status_of_file(err);
}

/*
 * The kernel's quirks of a live drive override all rules. If the kernel shows
 * none, the user's rules override the library's knowledge of devices.
 */
static int take_from_device(const struct quirk_options *options,
			    const struct drive *drive, struct quirks *quirks,
			    struct ssdpm_error *reterr)
{
	uint32_t found, from_kernel, usual = 0, unknown;
	struct ssdpm_device_settings settings = { .size = sizeof(settings) };
	struct ssdpm_host host = { .size = sizeof(host) };
	int err = ssdpm_device_get_quirks(drive->device, &drive->live->facts,
					  drive->model, &found, &from_kernel,
					  reterr);

	if (!err)
		err = ssdpm_device_get_host(drive->device, &drive->live->facts,
					    &host, reterr);
	if (!err)
		err = ssdpm_quirks_find(drive->model, &host, &usual, &unknown,
					reterr);
	if (err)
		return err;
	/* Rules that do not match this drive decide nothing. */
	if (from_kernel || !options->path || usual == quirks->in_force)
		quirks->in_force = found;
	if (from_kernel)
		quirks->unknown = 0;
	/* A kernel without APST for it forbids tables despite the quirks. */
	if (ssdpm_model_get_info(drive->model)->kind == SSDPM_KIND_NVME &&
	    !ssdpm_device_get_settings(drive->device, &drive->live->facts,
				       drive->model, &settings, NULL))
		quirks->in_force |= settings.quirks & SSDPM_QUIRK_NO_APST;
	return 0;
}

enum exit_status find_quirks(const struct quirk_options *options,
			     const struct quirk_rules *rules,
			     const struct drive *drive, struct quirks *ret)
{
	struct ssdpm_host host = { .size = sizeof(host) };
	struct ssdpm_error error;
	int err = 0;

	ret->in_force = ret->unknown = 0;
	ret->n_matches = 0;
	if (drive->device)
		err = ssdpm_device_get_host(drive->device, &drive->live->facts,
					    &host, &error);
	host.rules = rules->text;
	host.rules_bytes = rules->size;
	if (!err)
		err = ssdpm_quirks_find(drive->model, &host, &ret->in_force,
					&ret->unknown, &error);
	if (!err)
		err = ssdpm_quirks_explain(drive->model, &host, ret->matches,
					   SSDPM_MAX_QUIRK_MATCHES,
					   &ret->n_matches, &error);
	if (!err && drive->device && !options->none)
		err = take_from_device(options, drive, ret, &error);
	if (err && error.line)
		complain("%s:%u: %s", options->path, error.line, error.message);
	else if (err)
		complain("%s: %s", drive->name, error.message);
	if (err)
		return STATUS_FAILED;
	if (options->none) {
		ret->in_force = ret->unknown = 0;
		ret->n_matches = 0;
	}
	ret->added = options->added;
	ret->in_force |= options->added;
	ret->unknown &= ~options->added;
	return STATUS_DONE;
}

uint32_t apst_quirks(const struct quirks *quirks, uint32_t algorithm)
{
	uint32_t bits = algorithm == SSDPM_APST_WINDOWS ? quirks->added :
							  quirks->in_force;

	return bits & APST_QUIRKS;
}

void print_quirks(FILE *file, uint32_t quirks)
{
	const char *before = "";

	for (uint32_t bit = 1; ssdpm_quirk_to_string(bit); bit <<= 1) {
		if (!(quirks & bit))
			continue;
		fprintf(file, "%s%s", before, ssdpm_quirk_to_string(bit));
		before = ", ";
	}
}

void complain_of_quirks(const struct drive *drive, const struct quirks *quirks,
			uint32_t mask, bool unknown)
{
	for (size_t i = 0; i < quirks->n_matches; i++) {
		const struct ssdpm_quirk_match *m = &quirks->matches[i];
		uint32_t bits = unknown ? m->unknown & quirks->unknown :
					  m->quirks & quirks->in_force;
		char *names = NULL;
		size_t size;
		FILE *stream;

		bits &= mask;
		if (!bits)
			continue;
		stream = open_memstream(&names, &size);
		if (stream) {
			print_quirks(stream, bits);
			fclose(stream);
		}
		if (names)
			remark("%s: %s %s (%s)", drive->name,
			       unknown ? "perhaps quirk" : "quirk", names,
			       m->reason);
		free(names);
	}
}
