/* SPDX-License-Identifier: MIT */
/*
 * NVMe commands by libnvme 1.x. Four functions are below what its header has
 * inline: Identify, Get Features, Set Features and Get Log Page. Inline are
 * nvme_identify_ctrl(), nvme_get_features_data(), nvme_set_features_data() and
 * nvme_get_log_smart(). Their arguments are the same from 1.3 to 1.16. Its
 * nvme_open() leaves out O_CLOEXEC, and the functions for single features are
 * broken in 1.3: they send no table.
 */
#include "device/command/node.h"

#include <errno.h>
#include <fcntl.h>
#include <libnvme.h>
#include <string.h>
#include <unistd.h>

#include "base/dynamic.h"

SSDPM__DLOPEN_NOTE("[{\"feature\":\"nvme\",\"description\":\"Commands to NVMe "
		   "drives\",\"priority\":\"suggested\",\"soname\":["
		   "\"libnvme.so.1\"]}]");

/* A controller, and the library for the time of a command. */
struct controller {
	const struct ssdpm_machine *machine;
	const char *name;
	const char *command; /* in messages */
	int fd;
	void *library;
	int (*identify)(struct nvme_identify_args *args);
	int (*get_features)(struct nvme_get_features_args *args);
	int (*set_features)(struct nvme_set_features_args *args);
	int (*get_log)(struct nvme_get_log_args *args);
};

static void close_controller(struct controller *self)
{
	if (self->library)
		dlclose(self->library);
	close(self->fd);
}

static int load_library(struct controller *self, struct ssdpm_error *reterr)
{
	/* It stays when it is closed: to load it for each command is slow. */
	self->library =
		dlopen("libnvme.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!self->library)
		return ssdpm__fail(reterr, -ENODEV, 0,
				   "%s: %s needs libnvme.so.1: install libnvme "
				   "(Debian's libnvme1, or libnvme1t64)",
				   self->name, self->command);
	if (!ssdpm__find_function(self->library, "nvme_identify",
				  &self->identify) ||
	    !ssdpm__find_function(self->library, "nvme_get_features",
				  &self->get_features) ||
	    !ssdpm__find_function(self->library, "nvme_set_features",
				  &self->set_features) ||
	    !ssdpm__find_function(self->library, "nvme_get_log",
				  &self->get_log))
		return ssdpm__fail(reterr, -ENODEV, 0,
				   "%s: %s: libnvme.so.1 is not libnvme: "
				   "functions are missing",
				   self->name, self->command);
	return 0;
}

static int open_controller(const struct ssdpm_machine *machine,
			   const char *name, const char *command,
			   struct controller *self, struct ssdpm_error *reterr)
{
	int err = ssdpm__open_node(machine, name, O_RDONLY, command, reterr);

	if (err < 0)
		return err;
	*self = (struct controller){ .machine = machine,
				     .name = name,
				     .command = command };
	self->fd = err;
	err = load_library(self, reterr);
	if (err)
		close_controller(self);
	return err;
}

/* Generic and command specific status codes (NVMe Base 2.1, figure 100 on). */
static const char *status_words(uint32_t status)
{
	switch (status & 0x7ff) {
	case 0x001:
		return ": invalid opcode";
	case 0x002:
		return ": invalid field, which means not supported";
	case 0x006:
		return ": internal error";
	case 0x007:
		return ": aborted";
	case 0x10e:
		return ": the feature cannot be changed";
	default:
		return "";
	}
}

/*
 * A path related status is Linux's own answer for a controller that is not
 * live: nvme_fail_nonready_command(), nvme_cancel_request().
 */
static bool is_not_live(uint32_t status)
{
	return (status & 0x7ff) == 0x370 || (status & 0x7ff) == 0x371;
}

static int fail_status(const struct controller *self, uint32_t status,
		       struct ssdpm_error *reterr)
{
	int err = -EIO;

	if (is_not_live(status))
		err = ssdpm__fail_command(self->machine, self->name,
					  self->command, EAGAIN, reterr);
	else
		ssdpm__fail(reterr, -EIO, 0,
			    "%s: %s: the drive answers with status %04xh%s",
			    self->name, self->command, status,
			    status_words(status));
	if (reterr)
		reterr->nvme_status = status;
	return err;
}

/* What libnvme returned: 0, a status of the drive, or -1 with errno. */
static int check_result(const struct controller *self, int result,
			struct ssdpm_error *reterr)
{
	if (result < 0)
		return ssdpm__fail_command(self->machine, self->name,
					   self->command, errno, reterr);
	return result ? fail_status(self, (uint32_t)result, reterr) : 0;
}

int ssdpm__nvme_identify(const struct ssdpm_machine *machine, const char *name,
			 uint8_t data[SSDPM_NVME_IDENTIFY_BYTES],
			 struct ssdpm_error *reterr)
{
	struct controller self;
	int err = open_controller(machine, name, "Identify", &self, reterr);

	if (err)
		return err;
	struct nvme_identify_args args = {
		.args_size = sizeof(args),
		.fd = self.fd,
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.data = data,
		.cns = NVME_IDENTIFY_CNS_CTRL,
		.csi = NVME_CSI_NVM,
		.nsid = NVME_NSID_NONE,
		.cntid = NVME_CNTLID_NONE,
		.cns_specific_id = NVME_CNSSPECID_NONE,
		.uuidx = NVME_UUID_NONE,
	};
	err = check_result(&self, self.identify(&args), reterr);
	close_controller(&self);
	return err;
}

static int get_feature(const struct controller *self, uint8_t fid, void *data,
		       size_t size, uint32_t *ret_dword)
{
	struct nvme_get_features_args args = {
		.args_size = sizeof(args),
		.fd = self->fd,
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.result = ret_dword,
		.data = data,
		.data_len = (uint32_t)size,
		.nsid = NVME_NSID_NONE,
		.sel = NVME_GET_FEATURES_SEL_CURRENT,
		.fid = fid,
		.uuidx = NVME_UUID_NONE,
	};

	return self->get_features(&args);
}

/* What messages call a feature, behind "Get" or "Set". */
static const char *command_name(uint8_t fid, bool set)
{
	static const struct {
		uint8_t fid;
		char words[48];
	} names[] = {
		{ 0x02, "Get Features 02h (power state)" },
		{ 0x0c, "Get Features 0Ch (APST)" },
		{ 0x10, "Get Features 10h (thermal management)" },
		{ 0x11, "Get Features 11h (non-operational states)" },
		{ 0x23, "Get Features 23h (power limit)" },
		{ 0x25, "Get Features 25h (power measurement)" },
		{ 0x02, "Set Features 02h (power state)" },
		{ 0x0c, "Set Features 0Ch (APST)" },
		{ 0x11, "Set Features 11h (non-operational states)" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].fid == fid && (names[i].words[0] == 'S') == set)
			return names[i].words;
	return set ? "Set Features" : "Get Features";
}

int ssdpm__nvme_get_feature(const struct ssdpm_machine *machine,
			    const char *name, uint8_t fid, void *data,
			    size_t size, uint32_t *ret_dword,
			    struct ssdpm_error *reterr)
{
	struct controller self;
	int err = open_controller(machine, name, command_name(fid, false),
				  &self, reterr);

	if (err)
		return err;
	err = check_result(
		&self, get_feature(&self, fid, data, size, ret_dword), reterr);
	close_controller(&self);
	return err;
}

int ssdpm_machine_read_nvme_health(const struct ssdpm_machine *machine,
				   const char *name,
				   uint8_t ret_data[SSDPM_NVME_HEALTH_BYTES],
				   struct ssdpm_error *reterr)
{
	struct controller self;
	int err = open_controller(machine, name, "Get Log Page 02h (SMART)",
				  &self, reterr);

	if (err)
		return err;
	/* Retained: an event that somebody waits for stays pending. */
	struct nvme_get_log_args args = {
		.args_size = sizeof(args),
		.fd = self.fd,
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.log = ret_data,
		.len = SSDPM_NVME_HEALTH_BYTES,
		.lid = NVME_LOG_LID_SMART,
		.nsid = NVME_NSID_ALL,
		.csi = NVME_CSI_NVM,
		.lsi = NVME_LOG_LSI_NONE,
		.lsp = NVME_LOG_LSP_NONE,
		.uuidx = NVME_UUID_NONE,
		.rae = true,
	};
	err = check_result(&self, self.get_log(&args), reterr);
	close_controller(&self);
	return err;
}

/*
 * The kernel has one errno for two reasons. Get Features takes the same
 * privilege, and no kernel refuses it to those who have that.
 */
static int fail_set(const struct controller *self, uint8_t fid, int err,
		    struct ssdpm_error *reterr)
{
	uint8_t data[SSDPM_APST_BYTES];
	const bool is_apst = fid == NVME_FEAT_FID_AUTO_PST;
	uint32_t dword;

	if ((err != EACCES && err != EPERM) ||
	    get_feature(self, fid, is_apst ? data : NULL,
			is_apst ? sizeof(data) : 0, &dword) < 0)
		return ssdpm__fail_command(self->machine, self->name,
					   self->command, err, reterr);
	return ssdpm__fail(reterr, -EACCES, 0,
			   "%s: this Linux refuses %s even to root%s",
			   self->name, self->command,
			   is_apst ? ", as do 6.12.110, 7.2 and later ones: "
				     "use the latency tolerance" :
				     "");
}

static int set_feature(const struct ssdpm_machine *machine, const char *name,
		       uint8_t fid, uint32_t dword, void *data, size_t size,
		       struct ssdpm_error *reterr)
{
	struct controller self;
	uint32_t result = 0;
	int err = open_controller(machine, name, command_name(fid, true), &self,
				  reterr);

	if (err)
		return err;
	struct nvme_set_features_args args = {
		.args_size = sizeof(args),
		.fd = self.fd,
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.result = &result,
		.data = data,
		.data_len = (uint32_t)size,
		.nsid = NVME_NSID_NONE,
		.cdw11 = dword,
		.save = false,
		.uuidx = NVME_UUID_NONE,
		.fid = fid,
	};
	err = self.set_features(&args);
	err = err < 0 ? fail_set(&self, fid, errno, reterr) :
			check_result(&self, err, reterr);
	close_controller(&self);
	return err;
}

int ssdpm__nvme_set_apst(const struct ssdpm_machine *machine, const char *name,
			 const uint8_t data[SSDPM_APST_BYTES], bool enable,
			 struct ssdpm_error *reterr)
{
	uint8_t copy[SSDPM_APST_BYTES];

	memcpy(copy, data, sizeof(copy));
	return set_feature(machine, name, NVME_FEAT_FID_AUTO_PST, enable, copy,
			   sizeof(copy), reterr);
}

int ssdpm__nvme_set_feature(const struct ssdpm_machine *machine,
			    const char *name, uint8_t fid, uint32_t dword,
			    struct ssdpm_error *reterr)
{
	return set_feature(machine, name, fid, dword, NULL, 0, reterr);
}
