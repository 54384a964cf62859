/* SPDX-License-Identifier: MIT */
/*
 * The policy of a SATA port. A write only schedules error handling, which
 * changes the link later. A second write before that is what the handler finds;
 * the policy in between never was. And two policies leave ASP as it is. Hence
 * max_performance, which clears ALPE and ASP, and a wait after each write
 * (ata_scsi_lpm_store(), ahci_set_lpm()).
 */
#include "apply/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	PORT_CMD_ALPE = 1 << 26,
	PORT_CMD_ASP = 1 << 27,
	HOST_CAP_SALP = 1 << 26,
	MAX_SLEEP_MS = 20,
};

/* A file in the directory of the port. */
static void sibling(const char *path, const char *name,
		    char file[SSDPM__TARGET_BYTES])
{
	const char *slash = strrchr(path, '/');

	snprintf(file, SSDPM__TARGET_BYTES, "%.*s/%s",
		 (int)(slash ? slash - path : 0), path, name);
}

/* "host3" of ".../host3/FILE", for words. */
struct port_name {
	char text[32];
};

static struct port_name name_port(const char *path)
{
	const char *end = strrchr(path, '/');
	const char *at = end ? end : path;
	struct port_name name;

	while (at > path && at[-1] != '/')
		at--;
	snprintf(name.text, sizeof(name.text), "%.*s",
		 end ? (int)(end - at < 31 ? end - at : 31) : 0, at);
	return name;
}

/* -ENOENT, too, where there are no such bits to look at. */
static int read_host_bits(const struct ssdpm_machine *machine, const char *path,
			  uint32_t *ret_bits)
{
	char file[SSDPM__TARGET_BYTES];
	uint64_t caps, command;
	int err;

	if (machine->capture)
		return -ENOENT; /* its registers are as they were */
	sibling(path, "ahci_host_caps", file);
	err = ssdpm__read_number(machine, file, 16, &caps);
	if (!err && !(caps & HOST_CAP_SALP))
		err = -ENOENT;
	if (err)
		return err;
	sibling(path, "ahci_port_cmd", file);
	err = ssdpm__read_number(machine, file, 16, &command);
	if (err)
		return err;
	*ret_bits = (uint32_t)command;
	return 0;
}

static uint32_t wanted_bits(uint32_t lpm)
{
	switch (lpm) {
	case SSDPM_LPM_MAX_PERFORMANCE:
		return 0;
	case SSDPM_LPM_MIN_POWER:
		return PORT_CMD_ALPE | PORT_CMD_ASP;
	default:
		return PORT_CMD_ALPE;
	}
}

bool ssdpm__has_host_bits(uint32_t port_cmd, uint32_t lpm)
{
	return (port_cmd & (PORT_CMD_ALPE | PORT_CMD_ASP)) == wanted_bits(lpm);
}

int ssdpm__check_host_bits(const struct ssdpm_machine *machine,
			   const char *path, uint32_t lpm,
			   struct ssdpm_error *reterr)
{
	uint32_t bits;

	if (read_host_bits(machine, path, &bits) ||
	    ssdpm__has_host_bits(bits, lpm))
		return 0;
	return ssdpm__fail(reterr, -EIO, 0,
			   "%s says %s, but has ALPE %d and ASP %d in PxCMD: "
			   "see dmesg",
			   name_port(path).text, ssdpm_lpm_to_string(lpm),
			   bits & PORT_CMD_ALPE ? 1 : 0,
			   bits & PORT_CMD_ASP ? 1 : 0);
}

/* Is the port as the policy wants it? 0, -EAGAIN (not yet), -errno. */
static int look(const struct ssdpm_machine *machine, const char *path,
		uint32_t lpm, bool host_bits)
{
	char file[SSDPM__TARGET_BYTES], state[32];
	int err;

	sibling(path, "state", file);
	err = ssdpm__read_text(machine, file, state, sizeof(state));
	if (err == -ENOENT && machine->capture)
		return 0;
	if (err)
		return err;
	if (strcmp(state, "running"))
		return -EAGAIN;
	if (host_bits && ssdpm__check_host_bits(machine, path, lpm, NULL))
		return -EAGAIN;
	return 0;
}

/*
 * The state is "recovery" from the write on, so "running" means that the
 * handler is done. The bits confirm it where they apply.
 */
static int wait_for(const struct site *site, const char *path, uint32_t lpm,
		    bool host_bits, struct ssdpm_error *reterr)
{
	uint64_t end = ssdpm__now_ms() + site->state_timeout_ms;
	uint32_t pause = 1;
	int err;

	while ((err = look(site->machine, path, lpm, host_bits)) == -EAGAIN) {
		if (ssdpm__now_ms() >= end)
			break;
		ssdpm__sleep_ms(pause);
		pause = 2 * pause < MAX_SLEEP_MS ? 2 * pause : MAX_SLEEP_MS;
	}
	if (!err)
		return 0;
	if (err != -EAGAIN)
		return ssdpm__fail(reterr, err == -ENOENT ? -ENODEV : err, 0,
				   "cannot read the state of %s: %s",
				   name_port(path).text, ssdpm_strerror(err));
	if (!look(site->machine, path, lpm, false))
		return ssdpm__check_host_bits(site->machine, path, lpm, reterr);
	return ssdpm__fail(reterr, -ETIMEDOUT, 0,
			   "%s was not running again %u ms after %s was "
			   "written: see dmesg",
			   name_port(path).text, site->state_timeout_ms,
			   ssdpm_lpm_to_string(lpm));
}

static int write_policy(const struct site *site, const struct change *change,
			uint32_t lpm, struct ssdpm_error *reterr)
{
	const struct ssdpm_step_value is = { .lpm = lpm };
	struct value value;
	int err;

	ssdpm__value_set(change->kind, &is, &value);
	err = ssdpm__write_value(site->machine, change->kind, change->path,
				 &value, reterr);
	if (err == -EOPNOTSUPP)
		return ssdpm__fail(reterr, err, 0,
				   "%s: the kernel has no link power "
				   "management for this port, or for a disk "
				   "on it",
				   name_port(change->path).text);
	if (err == -EINVAL)
		return ssdpm__fail(reterr, err, 0,
				   "%s: this kernel does not know %s",
				   name_port(change->path).text, value.text);
	return err;
}

static int check_policy(const struct site *site, const struct change *change,
			uint32_t lpm, struct ssdpm_error *reterr)
{
	struct value now;
	int err;

	err = ssdpm__read_value(site->machine, change->kind, change->path, &now,
				reterr);
	if (err || now.is.lpm == lpm)
		return err;
	return ssdpm__fail(reterr, -EIO, 0,
			   "%s: %s was written, and it reads %s: see dmesg",
			   name_port(change->path).text,
			   ssdpm_lpm_to_string(lpm), now.text);
}

static int make_fast(const struct site *site, const struct change *change,
		     struct ssdpm_error *reterr)
{
	const uint32_t fast = SSDPM_LPM_MAX_PERFORMANCE;
	int err = write_policy(site, change, fast, reterr);

	return err ? err : wait_for(site, change->path, fast, true, reterr);
}

/* By way of max_performance, to the first policy that the kernel knows. */
int ssdpm__set_port(const struct site *site, struct change *change,
		    struct ssdpm_error *reterr)
{
	struct ssdpm_step_value is = { 0 };
	bool is_fast = false; /* by our doing */
	int err = -EINVAL;

	for (uint32_t i = 0; i < change->n_lpms && err == -EINVAL; i++) {
		is.lpm = change->lpms[i];
		if (is.lpm != SSDPM_LPM_MAX_PERFORMANCE && !is_fast) {
			err = make_fast(site, change, reterr);
			if (err)
				return err;
			is_fast = true;
		}
		err = write_policy(site, change, is.lpm, reterr);
	}
	if (!err)
		err = wait_for(site, change->path, is.lpm,
			       change->host_bits ||
				       is.lpm == SSDPM_LPM_MAX_PERFORMANCE,
			       reterr);
	if (!err)
		err = check_policy(site, change, is.lpm, reterr);
	if (!err)
		ssdpm__value_set(change->kind, &is, &change->after);
	return err;
}

int ssdpm__put_port_back(const struct site *site, const struct change *change,
			 struct ssdpm_error *reterr)
{
	struct change back = *change;
	int err;

	if (!change->before.is_known)
		return ssdpm__fail(reterr, -EINVAL, 0, "%s is no policy",
				   change->before.text);
	if (change->before.is.lpm == SSDPM_LPM_KEEP_FIRMWARE_SETTINGS)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "/%s: the kernel does not take %s",
				   change->path, change->before.text);
	back.lpms[0] = change->before.is.lpm;
	back.n_lpms = 1;
	back.host_bits = false;
	err = ssdpm__set_port(site, &back, reterr);
	/* A port that hangs finds the right policy once it comes back. */
	if (err == -ETIMEDOUT || err == -EIO)
		ssdpm__write_value(site->machine, change->kind, change->path,
				   &change->before, NULL);
	return err;
}

bool ssdpm__is_port_between(const struct change *change,
			    const struct value *value)
{
	(void)change;
	return value->is.lpm == SSDPM_LPM_MAX_PERFORMANCE;
}
