/* SPDX-License-Identifier: MIT */
/* ssdpm capture: what all other commands read, in a directory. */
#include "text/device.h"
#include "text/output.h"

#include <string.h>

static const struct option_spec options[] = {
	{ "identify", 0, NULL,
	  "Add dumps that the drives themselves report. Requires "
	  "root.",
	  SETS_COMMON(identify) },
};

static enum exit_status print_json_result(const struct common *common,
					  const char *directory,
					  const struct live *live)
{
	const struct ssdpm_object object = {
		.size = sizeof(object),
		.kind = SSDPM_OBJECT_CAPTURE,
		.flags = common->identify ? SSDPM_OBJECT_IDENTIFY : 0,
		.name = directory,
		.machine = &live->facts,
	};
	struct items items = { 0 };

	add_object(&items, &object);
	return print_items(common, &items);
}

/* A missing right is mostly one to DIR. */
static enum exit_status complain_of_capture(const char *directory,
					    const struct ssdpm_error *error)
{
	const enum exit_status status = status_of_file(error->code);

	if (status == STATUS_NO_PRIVILEGES &&
	    !strncmp(error->message, directory, strlen(directory)))
		return cannot("write", directory, -error->code);
	complain("%s", error->message);
	return status;
}

static enum exit_status capture(const struct common *common,
				const struct live *live, const char *directory)
{
	uint32_t flags = common->identify ? SSDPM_READ_COMMANDS : 0;
	struct ssdpm_error error;

	if (ssdpm_machine_capture(live->machine, directory, flags, &error))
		return complain_of_capture(directory, &error);
	if (common->form)
		return print_json_result(common, directory, live);
	printf("%s: a capture, without serial numbers and other names; ssdpm "
	       "show --root %s\n",
	       directory, directory);
	return STATUS_DONE;
}

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n_operands)
{
	enum exit_status status;
	struct live *live;

	(void)data;
	if (n_operands != 1)
		return usage_error(common, "one DIR; here are %zu", n_operands);
	status = open_live(common, common->root, &live);
	if (status)
		return status;
	status = capture(common, live, operands[0]);
	close_live(live);
	return status;
}

static const struct option_group own = {
	OPTIONS(options),
};

const struct subcommand cmd_capture = {
	.name = "capture",
	.operands = "DIR",
	.list = "captures",
	.summary = "Save in a directory what ssdpm reads of this machine.",
	.own = &own,
	.examples = "  ssdpm capture mine\n",
	.run = run,
};
