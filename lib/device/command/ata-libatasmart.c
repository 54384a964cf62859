/* SPDX-License-Identifier: MIT */
/*
 * IDENTIFY DEVICE by libatasmart, which knows ways to a drive that ata-sg.c
 * does not. Its blob begins with a chunk IDFY (see model/atasmart-blob.c), the
 * 512 bytes as the drive sent them.
 *
 * sk_disk_get_blob() asks for the SMART status too, and switches SMART on for
 * that if it is off. So the caller makes sure that it is on. It computes the
 * size of the blob first, and then asks. If that was the first question about
 * SMART, thresholds come in that it has no room for, and it writes past its end
 * (libatasmart 0.19). So the status is asked for before. The power mode is
 * asked for even before that, because SMART would wake a drive in standby.
 */
#include "device/command/node.h"

#include <errno.h>
#include <stddef.h> /* its header uses size_t, and forgets this one */
#include <stdio.h>
#include <string.h>

#include <atasmart.h>

#include "base/dynamic.h"

SSDPM__DLOPEN_NOTE("[{\"feature\":\"ata\",\"description\":\"IDENTIFY DEVICE of "
		   "SATA drives\",\"priority\":\"suggested\",\"soname\":["
		   "\"libatasmart.so.4\"]}]");

#define COMMAND "IDENTIFY DEVICE"
#define HEAD_BYTES 8 /* of a chunk: its tag and its size */
#define IDENTIFY_BYTES 512

struct library {
	void *handle;
	int (*open)(const char *name, SkDisk **ret_disk);
	int (*check_sleep_mode)(SkDisk *disk, SkBool *ret_awake);
	int (*smart_status)(SkDisk *disk, SkBool *ret_good);
	int (*get_blob)(SkDisk *disk, const void **ret_blob, size_t *ret_size);
	void (*free)(SkDisk *disk);
};

static int load(struct library *self, const char *name,
		struct ssdpm_error *reterr)
{
	/* It stays when it is closed: to load it for each command is slow. */
	self->handle = dlopen("libatasmart.so.4",
			      RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!self->handle)
		return ssdpm__fail(reterr, -ENODEV, 0,
				   "%s: " COMMAND " needs libatasmart.so.4: "
				   "install libatasmart (Debian's "
				   "libatasmart4, or libatasmart4t64)",
				   name);
	if (ssdpm__find_function(self->handle, "sk_disk_open", &self->open) &&
	    ssdpm__find_function(self->handle, "sk_disk_check_sleep_mode",
				 &self->check_sleep_mode) &&
	    ssdpm__find_function(self->handle, "sk_disk_smart_status",
				 &self->smart_status) &&
	    ssdpm__find_function(self->handle, "sk_disk_get_blob",
				 &self->get_blob) &&
	    ssdpm__find_function(self->handle, "sk_disk_free", &self->free))
		return 0;
	dlclose(self->handle);
	return ssdpm__fail(reterr, -ENODEV, 0,
			   "%s: " COMMAND ": libatasmart.so.4 is not "
			   "libatasmart: functions are missing",
			   name);
}

static int take_identify(const char *name, const uint8_t *blob, size_t size,
			 uint8_t data[IDENTIFY_BYTES],
			 struct ssdpm_error *reterr)
{
	static const uint8_t head[HEAD_BYTES] = {
		'I', 'D', 'F', 'Y', 0, 0, 2, 0
	};
	const uint8_t *identify;
	int err;

	if (size < HEAD_BYTES + IDENTIFY_BYTES ||
	    memcmp(blob, head, sizeof(head)) != 0)
		return ssdpm__fail(reterr, -EIO, 0,
				   "%s: the drive does not answer " COMMAND,
				   name);
	identify = blob + HEAD_BYTES;
	err = ssdpm__check_ata_sum(name, identify, reterr);
	if (!err)
		memcpy(data, identify, IDENTIFY_BYTES);
	return err;
}

static int check_awake(const struct library *library, const char *name,
		       SkDisk *disk, struct ssdpm_error *reterr)
{
	SkBool awake = FALSE;

	if (library->check_sleep_mode(disk, &awake) < 0)
		return ssdpm__fail(reterr, -EIO, 0,
				   "%s: libatasmart: no power mode came back",
				   name);
	return awake ? 0 : ssdpm__fail_standby(name, reterr);
}

static int identify(const struct library *library,
		    const struct ssdpm_machine *machine, const char *name,
		    uint8_t data[IDENTIFY_BYTES], struct ssdpm_error *reterr)
{
	const void *blob = NULL;
	SkDisk *disk = NULL;
	size_t size = 0;
	char path[64];
	SkBool good;
	int err;

	snprintf(path, sizeof(path), "/dev/%s", name);
	if (library->open(path, &disk) < 0)
		return ssdpm__fail_command(machine, name, COMMAND, errno,
					   reterr);
	err = check_awake(library, name, disk, reterr);
	if (!err) {
		library->smart_status(disk, &good);
		if (library->get_blob(disk, &blob, &size) < 0)
			size = 0;
		err = take_identify(name, blob, size, data, reterr);
	}
	library->free(disk);
	return err;
}

int ssdpm__atasmart_identify(const struct ssdpm_machine *machine,
			     const char *name, uint8_t data[IDENTIFY_BYTES],
			     struct ssdpm_error *reterr)
{
	struct library library = { .handle = NULL };
	int err = ssdpm__check_live(machine, name, reterr);

	if (!err)
		err = load(&library, name, reterr);
	if (err)
		return err;
	ssdpm__log(machine, SSDPM_LOG_DEBUG, "%s: " COMMAND " by libatasmart",
		   name);
	err = identify(&library, machine, name, data, reterr);
	dlclose(library.handle);
	return err;
}
