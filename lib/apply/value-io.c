/* SPDX-License-Identifier: MIT */
/* Values are read and written: in files of sysfs, or by commands. */
#include "apply/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

static int read_file(struct ssdpm_machine *machine,
		     const struct step_kind *kind, const char *path,
		     struct value *ret_value, struct ssdpm_error *reterr)
{
	char text[SSDPM__VALUE_BYTES];
	int err = ssdpm__read_text(machine, path, text, sizeof(text));

	if (err == -ENOENT || err == -ENOTDIR || err == -ENXIO)
		err = -ENODEV;
	if (err)
		return ssdpm__fail(reterr, err, 0, "cannot read /%s: %s", path,
				   ssdpm_strerror(err));
	ssdpm__value_parse(kind, text, ret_value);
	return 0;
}

static int write_file(struct ssdpm_machine *machine, const char *path,
		      const char *text, struct ssdpm_error *reterr)
{
	const char *advice = "";
	int err = ssdpm__write_text(machine, path, text);

	if (!err)
		return 0;
	if (err == -ENOENT || err == -ENOTDIR || err == -ENXIO)
		err = -ENODEV;
	if (err == -EACCES || err == -EPERM)
		advice = SSDPM__ONLY_ROOT;
	return ssdpm__fail(reterr, err, 0, "cannot write %s to /%s: %s%s", text,
			   path, ssdpm_strerror(err), advice);
}

int ssdpm__read_value(struct ssdpm_machine *machine,
		      const struct step_kind *kind, const char *path,
		      struct value *ret_value, struct ssdpm_error *reterr)
{
	return kind->ask ? ssdpm__ask_value(machine, kind, path, ret_value,
					    reterr) :
			   read_file(machine, kind, path, ret_value, reterr);
}

int ssdpm__write_value(struct ssdpm_machine *machine,
		       const struct step_kind *kind, const char *path,
		       const struct value *value, struct ssdpm_error *reterr)
{
	return kind->send ?
		       ssdpm__send_value(machine, kind, path, value, reterr) :
		       write_file(machine, path, value->text, reterr);
}

uint64_t ssdpm__other_value_us(const struct value *value)
{
	return ssdpm__other_tolerance_us(
		value->is_known ? value->is.max_exit_latency_us : INT32_MAX);
}

int ssdpm__rebuild(struct ssdpm_machine *machine, const char *path,
		   const struct value *value, struct ssdpm_error *reterr)
{
	char other[24];
	int err;

	snprintf(other, sizeof(other), "%" PRIu64,
		 ssdpm__other_value_us(value));
	err = write_file(machine, path, other, reterr);
	return err ? err : write_file(machine, path, value->text, reterr);
}
