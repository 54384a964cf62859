/* SPDX-License-Identifier: MIT */
#include "input/measured.h"

#include <stdlib.h>
#include <string.h>

enum exit_status add_measured(const struct common *common,
			      struct measured_options *options,
			      const char *path)
{
	if (!strcmp(path, "-"))
		return usage_error(common, "--measured -: name a file");
	if (options->n == MAX_MEASURED)
		return usage_error(common,
				   "--measured is given more than %d "
				   "times",
				   MAX_MEASURED);
	options->paths[options->n++] = path;
	return STATUS_DONE;
}

static enum exit_status read_file(struct measured_file *file)
{
	struct ssdpm_calibration calibration = {
		.size = sizeof(calibration),
		.measured = file->measured,
		.capacity = SSDPM_MAX_PARAMETERS,
	};
	struct buffer buffer = { 0 };
	struct ssdpm_error error;
	const int err = read_operand(file->path, &buffer);
	enum exit_status status = status_of_file(err);

	file->overlay.size = sizeof(file->overlay);
	if (err)
		goto out;
	if (!ssdpm_overlay_from_json(buffer.data, buffer.size, &file->overlay,
				     &calibration, &error))
		status = STATUS_DONE;
	else if (error.line)
		complain("%s:%u: %s", file->path, error.line, error.message);
	else
		complain("%s: %s", file->path, error.message);
	file->n = (size_t)calibration.n_measured;
out:
	free(buffer.data);
	return status;
}

enum exit_status read_measured(const struct measured_options *options,
			       struct measured_files *files)
{
	enum exit_status status = STATUS_DONE;

	*files = (struct measured_files){ 0 };
	if (!options->n)
		return STATUS_DONE;
	files->files = calloc(options->n, sizeof(*files->files));
	if (!files->files)
		return out_of_memory();
	for (; files->n < options->n && !status; files->n++) {
		files->files[files->n].path = options->paths[files->n];
		status = read_file(&files->files[files->n]);
	}
	return status;
}

void free_measured(struct measured_files *files)
{
	free(files->files);
	*files = (struct measured_files){ 0 };
}

static const char *or_unknown(const char *text)
{
	return *text ? text : "not known";
}

static void say_doubts(const struct measured_file *file,
		       const struct drive *drive, uint32_t match,
		       uint32_t pcie_link)
{
	const struct ssdpm_model_info *info =
		ssdpm_model_get_info(drive->model);
	const struct ssdpm_overlay *overlay = &file->overlay;

	if (match == SSDPM_OVERLAY_OTHER_FIRMWARE)
		remark("%s: measured with firmware %s, and %s has %s: powers "
		       "may differ",
		       file->path, overlay->firmware, drive->name,
		       info->firmware);
	else if (match == SSDPM_OVERLAY_UNKNOWN)
		remark("%s: measured on a drive whose product is %s and whose "
		       "firmware is %s: taken to be that of %s",
		       file->path, or_unknown(overlay->product),
		       or_unknown(overlay->firmware), drive->name);
	if (info->kind == SSDPM_KIND_NVME && overlay->pcie_link && !pcie_link)
		remark("%s: measured with the link in %s; the idle powers "
		       "include its power. The link of this machine is "
		       "unknown",
		       file->path,
		       ssdpm_pcie_link_to_string(overlay->pcie_link));
	else if (info->kind == SSDPM_KIND_NVME && overlay->pcie_link &&
		 overlay->pcie_link != pcie_link)
		remark("%s: measured with the link in %s, and what that takes "
		       "is in the idle powers: they do not hold with the "
		       "link in %s",
		       file->path,
		       ssdpm_pcie_link_to_string(overlay->pcie_link),
		       ssdpm_pcie_link_to_string(pcie_link));
}

enum exit_status apply_measured(struct measured_files *files,
				const struct common *common,
				const struct drive *drive, uint32_t pcie_link,
				struct ssdpm_parameter *parameters, size_t n)
{
	struct ssdpm_error error;

	for (size_t i = 0; i < files->n; i++) {
		struct measured_file *file = &files->files[i];
		uint32_t match =
			ssdpm_overlay_match(&file->overlay, drive->model);

		if (match == SSDPM_OVERLAY_OTHER_DRIVE)
			continue;
		file->used = true;
		if (!common->quiet)
			say_doubts(file, drive, match, pcie_link);
		if (!ssdpm_parameters_calibrate(parameters, n, file->measured,
						file->n, &error))
			continue;
		return failure("%s, %s: %s", drive->name, file->path,
			       error.message);
	}
	return STATUS_DONE;
}

uint32_t measured_wa_milli(const struct measured_files *files,
			   const struct drive *drive)
{
	uint32_t milli = 0;

	for (size_t i = 0; i < files->n; i++) {
		const struct ssdpm_overlay *overlay = &files->files[i].overlay;

		if (overlay->measured_wa_milli &&
		    ssdpm_overlay_match(overlay, drive->model) !=
			    SSDPM_OVERLAY_OTHER_DRIVE)
			milli = overlay->measured_wa_milli;
	}
	return milli;
}

enum exit_status check_measured(const struct measured_files *files)
{
	for (size_t i = 0; i < files->n; i++) {
		const struct measured_file *file = &files->files[i];

		if (file->used)
			continue;
		complain("%s: measured on another drive: %s \"%s\"", file->path,
			 ssdpm_kind_to_string(file->overlay.kind),
			 file->overlay.product);
		return STATUS_USAGE;
	}
	return STATUS_DONE;
}

enum exit_status check_measured_of(const struct measured_options *options,
				   const struct drives *drives)
{
	struct measured_files files;
	enum exit_status status = read_measured(options, &files);

	for (size_t i = 0; i < files.n && !status; i++)
		for (size_t j = 0; j < drives->n; j++)
			files.files[i].used |=
				drives->drives[j].model &&
				ssdpm_overlay_match(&files.files[i].overlay,
						    drives->drives[j].model) !=
					SSDPM_OVERLAY_OTHER_DRIVE;
	if (!status)
		status = check_measured(&files);
	free_measured(&files);
	return status;
}
