/* SPDX-License-Identifier: MIT */
/*
 * A capture: this library reads all that it can read of a machine, and what it
 * reads is written down. So a capture holds what is needed, and nothing else.
 */
#include "device/capture/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json-text.h"

static int read_devices(struct ssdpm_machine *machine,
			struct ssdpm_device ***ret_devices, size_t *ret_n,
			struct ssdpm_error *reterr)
{
	struct ssdpm_machine_facts facts = { .size = sizeof(facts) };
	struct ssdpm_owner *owners = NULL;
	char text[8];
	size_t n;
	int err = ssdpm_machine_read_facts(machine, &facts, reterr);

	if (!err)
		err = ssdpm_machine_read_owners(machine, &owners, &n, reterr);
	free(owners);
	/* The kind of the machine, which ssdpm_report(3) reads. */
	ssdpm__read_text(machine, "sys/firmware/acpi/pm_profile", text,
			 sizeof(text));
	ssdpm__read_text(machine, "sys/class/dmi/id/chassis_type", text,
			 sizeof(text));
	if (!err)
		err = ssdpm__read_meters(machine, reterr);
	if (!err)
		err = ssdpm_device_list_read(machine, ret_devices, ret_n,
					     reterr);
	return err;
}

/* Block devices of ours, so that their names can be given too. */
static int read_nodes(struct ssdpm_machine *machine, struct ssdpm_error *reterr)
{
	static const char class[] = "sys/class/block";
	char path[SSDPM__PATH_BYTES], real[SSDPM__PATH_BYTES];
	struct names names, controllers;
	int err = ssdpm__list_names(machine, class, &names);

	if (err == -ENOMEM)
		return ssdpm__fail(reterr, err, 0, "out of memory");
	if (err)
		return 0;
	for (size_t i = 0; i < names.n; i++) {
		char *slash;

		if (strncmp(names.names[i], "nvme", 4) != 0 &&
		    strncmp(names.names[i], "sd", 2) != 0)
			continue;
		if (ssdpm__join(path, class, names.names[i]) ||
		    ssdpm__real_path(machine, path, real, sizeof(real)) ||
		    !strstr(real, "/nvme-subsys"))
			continue;
		/* Whose controllers are links beside it. */
		slash = strrchr(real, '/');
		*slash = 0;
		if (ssdpm__list_names(machine, real, &controllers))
			continue;
		for (size_t j = 0; j < controllers.n; j++) {
			uint32_t number;

			if (ssdpm__is_numbered(controllers.names[j], "nvme",
					       &number) &&
			    !ssdpm__join(path, real, controllers.names[j]))
				ssdpm__exists(machine, path);
		}
		ssdpm__free_names(&controllers);
	}
	ssdpm__free_names(&names);
	return 0;
}

/* What a plan waits for: the state of the host. */
static void read_host_state(struct ssdpm_machine *machine,
			    const struct ssdpm_device *device)
{
	char path[SSDPM__PATH_BYTES], text[32];

	if (!device->facts.ata_port)
		return;
	snprintf(path, sizeof(path), "sys/class/scsi_host/host%u/state",
		 device->facts.host);
	ssdpm__read_text(machine, path, text, sizeof(text));
}

static int write_dump(struct capture *self, const struct ssdpm_device *device,
		      const char *what, const void *bytes, size_t n)
{
	snprintf(self->failed, sizeof(self->failed), "dumps/%s.%s",
		 device->facts.name, what);
	return ssdpm__capture_write(self->fd, self->failed, bytes, n);
}

/* Not to be had: no failure of the capture. */
static int leave_out(const struct capture *self, int code,
		     const struct ssdpm_error *error)
{
	if (code == -ENOMEM)
		return code;
	ssdpm__log(self->source,
		   code == -EBUSY ? SSDPM_LOG_WARNING : SSDPM_LOG_INFO,
		   "left out: %s", error->message);
	return 0;
}

static int dump_identify(struct capture *self, struct ssdpm_device *device)
{
	uint8_t data[SSDPM_NVME_IDENTIFY_BYTES + 1];
	const bool is_nvme = device->facts.kind == SSDPM_KIND_NVME;
	struct ssdpm_error error;
	int err = ssdpm__read_identify(device, data, &error);

	if (err)
		return leave_out(self, err, &error);
	if (is_nvme)
		ssdpm__blank_nvme_identify(data);
	else
		ssdpm__blank_ata_identify(data);
	return write_dump(self, device, "identify", data,
			  is_nvme ? SSDPM_NVME_IDENTIFY_BYTES :
				    SSDPM__ATA_PAGE_BYTES);
}

static int make_apst_text(const struct ssdpm_apst *table, char **ret_text)
{
	char raw[2 * SSDPM_APST_BYTES + 1];
	struct json_writer writer = { .text = NULL };
	uint8_t data[SSDPM_APST_BYTES];
	int err = ssdpm_apst_encode(table, data, NULL);

	if (err)
		return err;
	for (size_t i = 0; i < sizeof(data); i++)
		snprintf(raw + 2 * i, 3, "%02x", data[i]);
	ssdpm__json_begin(&writer, NULL, '{');
	ssdpm__json_string(&writer, "schema", "ssdpm.apst/1");
	ssdpm__json_bool(&writer, "sent", table->sent);
	ssdpm__json_bool(&writer, "enabled", table->enabled);
	ssdpm__json_string(&writer, "raw", raw);
	ssdpm__json_end(&writer, '}');
	return ssdpm__json_finish(&writer, ret_text, NULL);
}

static int dump_apst(struct capture *self, struct ssdpm_device *device)
{
	struct ssdpm_apst table;
	struct ssdpm_error error;
	char *text = NULL;
	int err = ssdpm_device_read_apst(device, &table, &error);

	if (err)
		return leave_out(self, err, &error);
	err = make_apst_text(&table, &text);
	if (!err)
		err = write_dump(self, device, "apst", text, strlen(text));
	free(text);
	return err;
}

static int dump_power(struct capture *self, struct ssdpm_device *device)
{
	struct ssdpm_device_power power = { .size = sizeof(power) };
	char text[SSDPM__POWER_DUMP_BYTES];
	struct ssdpm_error error;
	int err = ssdpm_device_read_power(device, &power, &error);

	if (err)
		return leave_out(self, err, &error);
	/* The state alone is what an older ssdpm reads. */
	err = write_dump(self, device, "power-state", text,
			 (size_t)snprintf(text, sizeof(text), "%u\n",
					  power.power_state));
	return err ? err :
		     write_dump(self, device, "power", text,
				ssdpm__format_power(&power, text));
}

static int dump_devsleep(struct capture *self, struct ssdpm_device *device)
{
	uint8_t page[SSDPM__ATA_PAGE_BYTES + 1];
	struct ssdpm_error error;
	int err = ssdpm__read_devsleep_page(device, page, &error);

	if (err == -ENODATA) { /* zeros say the same */
		memset(page, 0, sizeof(page));
		err = 0;
	}
	if (err)
		return leave_out(self, err, &error);
	ssdpm__blank_devsleep(page);
	return write_dump(self, device, "devsleep", page,
			  SSDPM__ATA_PAGE_BYTES);
}

/* The answers of commands, or the dumps of the capture that is copied. */
static int write_dumps(struct capture *self, struct ssdpm_device *device,
		       uint32_t flags)
{
	int err;

	if (!self->source->capture && !(flags & SSDPM_READ_COMMANDS))
		return 0;
	if (ssdpm__check_drive(device, NULL))
		return 0;
	err = dump_identify(self, device);
	if (!err && device->facts.kind == SSDPM_KIND_NVME)
		err = dump_apst(self, device);
	if (!err && device->facts.kind == SSDPM_KIND_NVME)
		err = dump_power(self, device);
	if (!err && device->facts.kind == SSDPM_KIND_SATA)
		err = dump_devsleep(self, device);
	return err;
}

/* The last file: who finds it knows that the capture is complete. */
static int write_marker(struct capture *self)
{
	struct ssdpm_machine_facts facts = { .size = sizeof(facts) };
	struct json_writer writer = { .text = NULL };
	char *text = NULL;
	int err = ssdpm_machine_read_facts(self->source, &facts, NULL);

	if (err)
		return err;
	ssdpm__json_begin(&writer, NULL, '{');
	writer.one_line = true;
	ssdpm__json_string(&writer, "schema", "ssdpm.capture/1");
	ssdpm__json_string(&writer, "linux_release",
			   facts.linux_release[0] ? facts.linux_release : NULL);
	ssdpm__json_end(&writer, '}');
	err = ssdpm__json_finish(&writer, &text, NULL);
	strcpy(self->failed, SSDPM__MARKER);
	if (!err)
		err = ssdpm__capture_write(self->fd, SSDPM__MARKER, text,
					   strlen(text));
	free(text);
	return err;
}

/* A copy of the machine that tells what is read. */
static struct ssdpm_machine observed(struct capture *self)
{
	struct ssdpm_machine machine = *self->source;

	machine.references = 1; /* ours: it is never freed */
	machine.observe = ssdpm__capture_observe;
	machine.observer = self;
	return machine;
}

static int fill(struct capture *self, uint32_t flags,
		struct ssdpm_error *reterr)
{
	struct ssdpm_machine machine = observed(self);
	struct ssdpm_device **devices = NULL;
	size_t n = 0;
	int err;

	err = ssdpm_machine_read_owners(self->source, &self->owners,
					&self->n_owners, reterr);
	if (!err)
		err = read_devices(&machine, &devices, &n, reterr);
	if (!err)
		err = read_nodes(&machine, reterr);
	if (err)
		goto out;
	for (size_t i = 0; !self->err && i < n; i++) {
		read_host_state(&machine, devices[i]);
		if (!self->err)
			self->err = write_dumps(self, devices[i], flags);
	}
	if (!self->err)
		self->err = ssdpm__capture_log(self);
	if (!self->err)
		self->err = write_marker(self);
	if (self->err)
		err = ssdpm__fail(reterr, self->err, 0, "%s: %s", self->failed,
				  ssdpm_strerror(self->err));
out:
	ssdpm_device_list_free(devices, n);
	free(self->owners);
	return err;
}

int ssdpm_machine_capture(struct ssdpm_machine *machine, const char *directory,
			  uint32_t flags, struct ssdpm_error *reterr)
{
	struct capture capture = { .source = machine };
	int err;

	if (flags & ~(uint32_t)SSDPM_READ_COMMANDS)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "flags: bits that are not known");
	if (mkdir(directory, 0755) < 0) {
		err = -errno;
		return ssdpm__fail(reterr, err, 0, "%s: %s%s", directory,
				   ssdpm_strerror(err),
				   err == -EEXIST ?
					   ": a capture makes its directory" :
					   "");
	}
	capture.fd = open(directory,
			  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (capture.fd < 0) {
		err = -errno;
		rmdir(directory);
		return ssdpm__fail(reterr, err, 0, "%s: %s", directory,
				   ssdpm_strerror(err));
	}
	err = fill(&capture, flags, reterr);
	if (err)
		ssdpm__capture_remove(capture.fd);
	close(capture.fd);
	if (err)
		rmdir(directory);
	return err;
}
