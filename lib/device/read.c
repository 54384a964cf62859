/* SPDX-License-Identifier: MIT */
/*
 * Facts that sysfs lacks, or has only for SATA: the model of a drive, the table
 * in force, the power state, DevSleep. It comes from a command, or from the
 * dumps of a capture, to whose drives no command is sent.
 */
#include "device/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	ATA_WORDS = 256,
	FEATURE_POWER = 0x02,
	FEATURE_APST = 0x0c,
	STATUS_INVALID_FIELD = 0x002,
	STATUS_CODE = 0x7ff, /* and its type */
};

static int fail_kind(const struct ssdpm_device *device, const char *kind,
		     struct ssdpm_error *reterr)
{
	return ssdpm__fail(reterr, -EOPNOTSUPP, 0, "%s is no %s drive",
			   device->facts.name, kind);
}

/* Copy the words of a failure that is the last one. */
static int pass_on(int code, const struct ssdpm_error *error,
		   struct ssdpm_error *reterr)
{
	if (code && reterr)
		*reterr = *error;
	return code;
}

/* A dump that has just one size. */
static int read_sized_dump(const struct ssdpm_device *device, const char *what,
			   void *buffer, size_t size,
			   struct ssdpm_error *reterr)
{
	size_t n = 0;
	int err = ssdpm__read_dump(device, what, buffer, size + 1, &n, reterr);

	if (!err && n != size)
		err = ssdpm__fail(reterr, -EINVAL, 0,
				  "dumps/%s.%s of the capture has %zu bytes "
				  "instead of %zu",
				  device->facts.name, what, n, size);
	return err;
}

/* The only drive in the data, which must be of this kind. */
static int decode(const struct ssdpm_device *device, const void *data,
		  size_t size, struct ssdpm_model **ret_model,
		  struct ssdpm_error *reterr)
{
	struct ssdpm_model **models = NULL;
	size_t n = 0;
	int err = ssdpm_model_list_from_data(data, size, &models, &n, reterr);

	if (err)
		return err;
	if (n == 1 &&
	    ssdpm_model_get_info(models[0])->kind == device->facts.kind)
		*ret_model = ssdpm_model_ref(models[0]);
	else
		err = ssdpm__fail(reterr, -EINVAL, 0,
				  "%s: the data are not those of one drive of "
				  "its kind",
				  device->facts.name);
	ssdpm_model_list_free(models, n);
	return err;
}

/*
 * Linux resumes a disk that it has suspended when its node is opened, before
 * any command could ask for the power mode.
 */
static int check_not_suspended(const struct ssdpm_device *device,
			       struct ssdpm_error *reterr)
{
	struct directory disk = { .machine = device->machine,
				  .path = device->facts.path + 1 };

	if (!ssdpm__is_suspended(&disk, "device/power/runtime_status"))
		return 0;
	return ssdpm__fail(reterr, -EBUSY, 0,
			   "%s is suspended: ssdpm lets it sleep",
			   device->facts.name);
}

/*
 * libatasmart switches SMART on where it is off, to ask for its status: then
 * sysfs, which has the same words, has to do.
 */
static int check_smart(const struct ssdpm_device *device,
		       struct ssdpm_error *reterr)
{
	enum { SUPPORTED = 82, ENABLED = 85, SMART = 1 << 0 };
	char text[SSDPM__TEXT_BYTES];
	uint16_t words[ATA_WORDS];

	if (ssdpm__sata_read_id(device->machine, &device->facts, text) ||
	    !ssdpm__sata_parse_words(text, words) ||
	    !(words[SUPPORTED] & SMART) || (words[ENABLED] & SMART))
		return 0;
	return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
			   "%s: SMART is off, and libatasmart would switch it "
			   "on",
			   device->facts.name);
}

/* libatasmart has ways to drives whose drivers refuse SG_IO. */
static int identify_sata(const struct ssdpm_device *device, uint8_t *data,
			 struct ssdpm_error *reterr)
{
	const struct ssdpm_machine *machine = device->machine;
	const char *name = device->facts.name;
	struct ssdpm_error error;
	int err;

	err = check_not_suspended(device, reterr);
	if (err)
		return err;
	err = ssdpm__ata_identify(machine, name, data, &error);
	if (err != -EOPNOTSUPP)
		return pass_on(err, &error, reterr);
	ssdpm__log(machine, SSDPM_LOG_DEBUG, "%s", error.message);
	err = check_smart(device, reterr);
	return err ? err :
		     ssdpm__atasmart_identify(machine, name, data, reterr);
}

int ssdpm__read_identify(const struct ssdpm_device *device, uint8_t *data,
			 struct ssdpm_error *reterr)
{
	const struct ssdpm_machine *machine = device->machine;
	const bool is_nvme = device->facts.kind == SSDPM_KIND_NVME;

	if (machine->capture)
		return read_sized_dump(device, "identify", data,
				       is_nvme ? SSDPM_NVME_IDENTIFY_BYTES :
						 SSDPM__ATA_PAGE_BYTES,
				       reterr);
	if (is_nvme)
		return ssdpm__nvme_identify(machine, device->facts.name, data,
					    reterr);
	return identify_sata(device, data, reterr);
}

/* Identify as a model. */
static int from_drive(const struct ssdpm_device *device,
		      struct ssdpm_model **ret_model,
		      struct ssdpm_error *reterr)
{
	uint8_t data[SSDPM_NVME_IDENTIFY_BYTES + 1];
	int err = ssdpm__read_identify(device, data, reterr);

	if (err)
		return err;
	if (device->facts.kind == SSDPM_KIND_NVME)
		return ssdpm_model_from_nvme_identify(
			data, SSDPM_NVME_IDENTIFY_BYTES, ret_model, reterr);
	return decode(device, data, SSDPM__ATA_PAGE_BYTES, ret_model, reterr);
}

/* The words that the kernel keeps: the drive's own, so no guess. */
static int sata_from_sysfs(const struct ssdpm_device *device,
			   struct ssdpm_model **ret_model,
			   struct ssdpm_error *reterr)
{
	char text[SSDPM__TEXT_BYTES];
	int err = ssdpm__sata_read_id(device->machine, &device->facts, text);

	if (err)
		return ssdpm__fail(reterr, err == -ENOMEM ? err : -ENOENT, 0,
				   "%s: sysfs has no IDENTIFY DEVICE data",
				   device->facts.name);
	err = decode(device, text, strlen(text), ret_model, reterr);
	return err == -EINVAL ? -ENOENT : err;
}

static int sata_words(const struct ssdpm_device *device, uint32_t flags,
		      struct ssdpm_model **ret_model,
		      struct ssdpm_error *reterr)
{
	struct ssdpm_error error;
	int err = -ENOENT;

	if (device->machine->capture || (flags & SSDPM_READ_COMMANDS)) {
		err = from_drive(device, ret_model, &error);
		if (!err || err == -ENOMEM || err == -EINVAL)
			return pass_on(err, &error, reterr);
		/* A caller that asked for commands learns why none was sent. */
		ssdpm__log(device->machine,
			   err == -EBUSY ? SSDPM_LOG_WARNING : SSDPM_LOG_INFO,
			   "%s; sysfs has what it said when it was found",
			   error.message);
	}
	return sata_from_sysfs(device, ret_model, reterr);
}

static int nvme_model(const struct ssdpm_device *device, uint32_t flags,
		      struct ssdpm_model **ret_model,
		      struct ssdpm_error *reterr)
{
	if (device->machine->capture || (flags & SSDPM_READ_COMMANDS))
		return from_drive(device, ret_model, reterr);
	return ssdpm__fail(reterr, -ENOENT, 0,
			   "%s: sysfs does not say its power states",
			   device->facts.name);
}

/* The row of this drive: of its firmware, or else of its product. */
static int find_row(const struct ssdpm_device *device,
		    const struct ssdpm_catalogue *catalogue,
		    struct ssdpm_model **ret_model, struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = &device->facts;
	struct ssdpm_catalogue_match match = { .exact = 0 };
	struct ssdpm_model *model = NULL;
	int err = -ENOENT;

	if (catalogue && facts->product[0] && facts->firmware[0])
		err = ssdpm_catalogue_find(catalogue, facts->product,
					   facts->firmware, &match, NULL);
	if (catalogue && facts->product[0] && err)
		err = ssdpm_catalogue_find(catalogue, facts->product, NULL,
					   &match, NULL);
	if (!err && match.exact)
		err = ssdpm_catalogue_get_model(catalogue, match.index, &model,
						reterr);
	if (err == -ENOMEM)
		return err;
	if (model && ssdpm_model_get_info(model)->kind == facts->kind) {
		*ret_model = model;
		return 0;
	}
	ssdpm_model_unref(model);
	return ssdpm__fail(reterr, -ENOENT, 0,
			   "%s: the catalogue does not know \"%s\"; root may "
			   "ask the drive itself (Identify)",
			   facts->name, facts->product);
}

/*
 * Linux shows a latency tolerance for a drive with APST, unless a quirk forbids
 * that. Our rules do not know all of a quirk that the kernel does not name.
 * Returns 1 if *ret_apsta is known, 0 if it is not, or -ENOMEM.
 */
static int find_apsta(const struct ssdpm_device *device,
		      const struct ssdpm_model *model, uint8_t *ret_apsta)
{
	struct ssdpm_machine_facts facts = { .size = sizeof(facts) };
	uint32_t quirks = 0, from_kernel;
	int err;

	*ret_apsta = 1;
	if (ssdpm__has_limit(&device->facts))
		return 1;
	*ret_apsta = 0;
	err = ssdpm_machine_read_facts(device->machine, &facts, NULL);
	if (!err)
		err = ssdpm_device_get_quirks(device, &facts, model, &quirks,
					      &from_kernel, NULL);
	if (err)
		return err == -ENOMEM ? err : 0;
	return from_kernel && !(quirks & SSDPM_QUIRK_NO_APST);
}

static int complete_nvme(const struct ssdpm_device *device,
			 const struct ssdpm_model *model,
			 struct ssdpm_model_info *info)
{
	uint8_t apsta;
	int err = 0;

	if (info->unknown & SSDPM_INFO_APSTA)
		err = find_apsta(device, model, &apsta);
	if (err > 0) {
		info->apsta = apsta;
		info->unknown &= ~(uint32_t)SSDPM_INFO_APSTA;
	}
	if ((info->unknown & SSDPM_INFO_VENDOR_ID) &&
	    device->facts.pci_vendor_id) {
		info->vendor_id = device->facts.pci_vendor_id;
		info->unknown &= ~(uint32_t)SSDPM_INFO_VENDOR_ID;
	}
	return err < 0 ? err : 0;
}

/* Linux takes a disk that does not say that it is an SSD for a hard disk. */
static void complete_sata(const struct ssdpm_device *device,
			  struct ssdpm_model_info *info)
{
	if (!(info->unknown & SSDPM_INFO_ROTATIONAL) ||
	    !(device->facts.flags & SSDPM_DEVICE_ROTATIONAL))
		return;
	info->rotational = 1;
	info->unknown &= ~(uint32_t)SSDPM_INFO_ROTATIONAL;
}

/* A copy of the model with what sysfs says of the drive. */
static int complete(const struct ssdpm_device *device,
		    const struct ssdpm_model *model,
		    struct ssdpm_model **ret_model, struct ssdpm_error *reterr)
{
	const char *firmware = device->facts.firmware;
	struct ssdpm_model_info info = *ssdpm_model_get_info(model);
	const struct ssdpm_power_state *states;
	size_t n;

	states = ssdpm_model_get_states(model, &n);
	if (info.kind == SSDPM_KIND_NVME && complete_nvme(device, model, &info))
		return ssdpm__no_memory(reterr);
	if (info.kind == SSDPM_KIND_SATA)
		complete_sata(device, &info);
	if (firmware[0] && strlen(firmware) < sizeof(info.firmware)) {
		memset(info.firmware, 0, sizeof(info.firmware));
		strcpy(info.firmware, firmware);
		info.unknown &= ~(uint32_t)SSDPM_INFO_FIRMWARE;
	}
	return ssdpm_model_new(&info, states, n, ret_model, reterr);
}

static int sata_model(const struct ssdpm_device *device, uint32_t flags,
		      struct ssdpm_model **ret_model,
		      struct ssdpm_error *reterr)
{
	const struct ssdpm_power_state *states;
	struct ssdpm_model *model = NULL;
	struct ssdpm_model_info info;
	size_t n;
	int err = sata_words(device, flags, &model, reterr);

	if (err)
		return err;
	info = *ssdpm_model_get_info(model);
	complete_sata(device, &info);
	states = ssdpm_model_get_states(model, &n);
	err = ssdpm_model_new(&info, states, n, ret_model, reterr);
	ssdpm_model_unref(model);
	return err;
}

static int model_from_catalogue(const struct ssdpm_device *device,
				const struct ssdpm_catalogue *catalogue,
				struct ssdpm_model **ret_model,
				struct ssdpm_error *reterr)
{
	struct ssdpm_model *model = NULL;
	int err = find_row(device, catalogue, &model, reterr);

	if (!err)
		err = complete(device, model, ret_model, reterr);
	ssdpm_model_unref(model);
	return err;
}

int ssdpm__check_drive(const struct ssdpm_device *device,
		       struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = &device->facts;
	const char *reach = ssdpm_reach_to_string(facts->reach);

	if (facts->flags & SSDPM_DEVICE_EMPTY)
		return ssdpm__fail(reterr, -ENODEV, 0,
				   "%s: a port without a disk", facts->name);
	if (facts->flags & SSDPM_DEVICE_OPTICAL)
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "%s: an optical drive has no model",
				   facts->name);
	if (facts->kind && (facts->reach == SSDPM_REACH_YES ||
			    facts->reach == SSDPM_REACH_NO_LPM))
		return 0;
	return ssdpm__fail(reterr, -EOPNOTSUPP, 0, "%s is out of reach (%s)",
			   facts->name, reach ? reach : "unknown");
}

int ssdpm_device_read_model(struct ssdpm_device *device, uint32_t flags,
			    const struct ssdpm_catalogue *catalogue,
			    struct ssdpm_model **ret_model,
			    struct ssdpm_error *reterr)
{
	struct ssdpm_model *model = NULL;
	struct ssdpm_error error, other;
	int err = ssdpm__check_drive(device, reterr);

	if (err)
		return err;
	if (flags & ~(uint32_t)SSDPM_READ_COMMANDS)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "flags: bits that are not known");
	if (device->facts.kind == SSDPM_KIND_NVME)
		err = nvme_model(device, flags, &model, &error);
	else
		err = sata_model(device, flags, &model, &error);
	if (err == -ENOENT || err == -EACCES) {
		int found =
			model_from_catalogue(device, catalogue, &model, &other);

		if (found != -ENOENT || err == -ENOENT) {
			err = found;
			error = other;
		}
	}
	if (!err)
		*ret_model = model;
	return pass_on(err, &error, reterr);
}

int ssdpm__read_feature(const struct ssdpm_device *device, uint8_t fid,
			void *data, size_t size, uint32_t *ret_dword,
			struct ssdpm_error *reterr)
{
	struct ssdpm_error error;
	int err = ssdpm__nvme_get_feature(device->machine, device->facts.name,
					  fid, data, size, ret_dword, &error);

	if (err == -EIO &&
	    (error.nvme_status & STATUS_CODE) == STATUS_INVALID_FIELD)
		err = error.code = -EOPNOTSUPP;
	return pass_on(err, &error, reterr);
}

int ssdpm_device_read_apst(struct ssdpm_device *device,
			   struct ssdpm_apst *ret_table,
			   struct ssdpm_error *reterr)
{
	uint8_t data[SSDPM_APST_BYTES] = { 0 };
	char text[SSDPM__DUMP_BYTES];
	uint32_t dword = 0;
	size_t n = 0;
	int err;

	if (device->facts.kind != SSDPM_KIND_NVME)
		return fail_kind(device, "NVMe", reterr);
	err = ssdpm__check_drive(device, reterr);
	if (err)
		return err;
	if (device->machine->capture) {
		err = ssdpm__read_dump(device, "apst", text, sizeof(text), &n,
				       reterr);
		return err ? err :
			     ssdpm_apst_from_data(text, n, ret_table, reterr);
	}
	err = ssdpm__read_feature(device, FEATURE_APST, data, sizeof(data),
				  &dword, reterr);
	if (!err)
		err = ssdpm_apst_from_data(data, sizeof(data), ret_table,
					   reterr);
	if (!err)
		ret_table->enabled = dword & 1;
	return err;
}

/* Does IDENTIFY DEVICE say that there is none? */
static bool has_no_devsleep(const struct ssdpm_device *device)
{
	enum { SATA_SUPPORTED = 78, DEVSLEEP = 1 << 8 };
	char text[SSDPM__TEXT_BYTES];
	uint16_t words[ATA_WORDS];

	return !ssdpm__sata_read_id(device->machine, &device->facts, text) &&
	       ssdpm__sata_parse_words(text, words) &&
	       !(words[SATA_SUPPORTED] & DEVSLEEP);
}

/* As libata does: what is not there, or 0, is what Serial ATA defines. */
static void decode_devsleep(const uint8_t *page,
			    struct ssdpm_devsleep *ret_devsleep)
{
	enum { MDAT = 0x30, DETO = 0x31, VALID = 0x37 };
	struct ssdpm_devsleep devsleep = {
		.minimum_assertion_ms = 10,
		.exit_timeout_ms = 20,
	};

	if (page && (page[VALID] & 0x80)) {
		devsleep.reported = 1;
		if (page[MDAT] & 0x1f)
			devsleep.minimum_assertion_ms = page[MDAT] & 0x1f;
		if (page[DETO])
			devsleep.exit_timeout_ms = page[DETO];
	}
	*ret_devsleep = devsleep;
}

int ssdpm__read_devsleep_page(const struct ssdpm_device *device,
			      uint8_t page[SSDPM__ATA_PAGE_BYTES + 1],
			      struct ssdpm_error *reterr)
{
	int err;

	if (has_no_devsleep(device))
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0, "%s has no DevSleep",
				   device->facts.name);
	if (device->machine->capture)
		return read_sized_dump(device, "devsleep", page,
				       SSDPM__ATA_PAGE_BYTES, reterr);
	err = check_not_suspended(device, reterr);
	return err ? err :
		     ssdpm__ata_read_log(device->machine, device->facts.name,
					 SSDPM__DEVSLEEP_LOG,
					 SSDPM__DEVSLEEP_PAGE, page, reterr);
}

int ssdpm_device_read_devsleep(struct ssdpm_device *device,
			       struct ssdpm_devsleep *ret_devsleep,
			       struct ssdpm_error *reterr)
{
	uint8_t page[SSDPM__ATA_PAGE_BYTES + 1];
	struct ssdpm_error error;
	int err;

	if (device->facts.kind != SSDPM_KIND_SATA)
		return fail_kind(device, "SATA", reterr);
	err = ssdpm__check_drive(device, reterr);
	if (err)
		return err;
	err = ssdpm__read_devsleep_page(device, page, &error);
	if (!err || err == -ENODATA) {
		decode_devsleep(err ? NULL : page, ret_devsleep);
		return 0;
	}
	return pass_on(err, &error, reterr);
}
