/* SPDX-License-Identifier: MIT */
/*
 * Commands to SATA drives by ATA PASS-THROUGH(16) (SAT-3), through SG_IO.
 *
 * CHECK POWER MODE (ACS-4) goes first, because it wakes no drive. ssdpm sends
 * nothing else to a drive in standby, or to one that does not tell its mode.
 */
#include "device/command/node.h"

#include <errno.h>
#include <fcntl.h>
#include <scsi/sg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define CDB_BYTES 16
#define SENSE_BYTES 32
#define TIMEOUT_MS 10000

enum {
	ATA_PASS_THROUGH_16 = 0x85,
	/* byte 1: the protocol, and a command of 48 bits */
	NON_DATA = 3 << 1,
	PIO_DATA_IN = 4 << 1,
	EXTEND = 1 << 0,
	/* byte 2; with CK_COND the sense data hold the drive's registers */
	LENGTH_IN_COUNT = 2 << 0,
	IN_BLOCKS = 1 << 2,
	FROM_DRIVE = 1 << 3,
	CK_COND = 1 << 5,
};

enum {
	READ_LOG_EXT = 0x2f,
	CHECK_POWER_MODE = 0xe5,
	IDENTIFY_DEVICE = 0xec,
};

/* The answer: its status, and its sense data. */
enum {
	CHECK_CONDITION = 0x02,
	DRIVER_SENSE = 0x08,
	SENSE_RECOVERED = 0x1,
	SENSE_ILLEGAL_REQUEST = 0x5,
	SENSE_ABORTED_COMMAND = 0xb,
	FIXED_SENSE = 0x70,
	DESCRIPTOR_SENSE = 0x72,
	ATA_STATUS_RETURN = 0x09,	 /* a descriptor */
	PASS_THROUGH_INFORMATION = 0x1d, /* qualifier of code 00h */
};

static const char check_power_mode[] = "CHECK POWER MODE";

struct command {
	const char *name;
	uint8_t cdb[CDB_BYTES];
	bool has_data; /* SSDPM__ATA_PAGE_BYTES from the drive */
	int refused;   /* what to return if the drive refuses it */
};

struct answer {
	struct sg_io_hdr io;
	uint8_t sense[SENSE_BYTES];
	uint8_t data[SSDPM__ATA_PAGE_BYTES];
};

struct sense {
	uint8_t key;
	uint8_t code; /* additional sense code */
};

/* SPC-4: descriptors, as libata's, or fixed. */
static struct sense decode_sense(const uint8_t sense[SENSE_BYTES])
{
	switch (sense[0] & 0x7f) {
	case DESCRIPTOR_SENSE:
		return (struct sense){ sense[1] & 0xf, sense[2] };
	case FIXED_SENSE:
		return (struct sense){ sense[2] & 0xf, sense[12] };
	default:
		return (struct sense){ 0, 0 };
	}
}

static int check_sense(const char *name, const struct command *command,
		       const uint8_t bytes[SENSE_BYTES],
		       struct ssdpm_error *reterr)
{
	struct sense sense = decode_sense(bytes);

	if (sense.key == SENSE_RECOVERED)
		return 0;
	/* A drive's ABRT is the second in libata's words. */
	if (sense.key == SENSE_ILLEGAL_REQUEST ||
	    (sense.key == SENSE_ABORTED_COMMAND && sense.code == 0))
		return ssdpm__fail(reterr, command->refused, 0, "%s refuses %s",
				   name, command->name);
	return ssdpm__fail(reterr, -EIO, 0, "%s: %s: sense key %Xh, code %02Xh",
			   name, command->name, sense.key, sense.code);
}

static int check_answer(const char *name, const struct command *command,
			const struct answer *answer, struct ssdpm_error *reterr)
{
	const struct sg_io_hdr *io = &answer->io;
	int err = 0;

	if (io->status == CHECK_CONDITION ||
	    (io->driver_status & 0xf) == DRIVER_SENSE)
		err = check_sense(name, command, answer->sense, reterr);
	else if (io->status || io->host_status || io->driver_status)
		err = ssdpm__fail(reterr, -EIO, 0,
				  "%s: %s: status %02Xh, of the host %02Xh, of "
				  "the driver %02Xh",
				  name, command->name, io->status,
				  io->host_status, io->driver_status);
	if (!err && command->has_data && io->resid)
		err = ssdpm__fail(
			reterr, -EIO, 0, "%s: %s: %d of %d bytes are missing",
			name, command->name, io->resid, SSDPM__ATA_PAGE_BYTES);
	return err;
}

/* Drivers without a translation of ATA commands say this. */
static bool is_refusal(int err)
{
	return err == EIO || err == EINVAL || err == ENOTTY ||
	       err == EOPNOTSUPP;
}

/* -EOPNOTSUPP: the driver refuses the command. */
static int send(const struct ssdpm_machine *machine, int fd, const char *name,
		struct command *command, struct answer *answer,
		struct ssdpm_error *reterr)
{
	memset(answer, 0, sizeof(*answer));
	answer->io = (struct sg_io_hdr){
		.interface_id = 'S',
		.dxfer_direction = SG_DXFER_NONE,
		.cmd_len = CDB_BYTES,
		.mx_sb_len = SENSE_BYTES,
		.cmdp = command->cdb,
		.sbp = answer->sense,
		.timeout = TIMEOUT_MS,
	};
	if (command->has_data) {
		answer->io.dxfer_direction = SG_DXFER_FROM_DEV;
		answer->io.dxfer_len = sizeof(answer->data);
		answer->io.dxferp = answer->data;
	}
	if (ioctl(fd, SG_IO, &answer->io) >= 0)
		return check_answer(name, command, answer, reterr);
	if (is_refusal(errno))
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "%s: its driver refuses %s", name,
				   command->name);
	return ssdpm__fail_command(machine, name, command->name, errno, reterr);
}

/*
 * Bits 7:0 of the register Count: in the descriptor ATA Status Return (SAT-3,
 * 12.2.2.6), or in the Information field of fixed sense data.
 */
static bool find_count(const uint8_t sense[SENSE_BYTES], uint8_t *ret_count)
{
	enum { HEAD = 8, DESCRIPTOR = 14, COUNT = 5, FIXED_COUNT = 6 };
	const size_t end = HEAD + (size_t)sense[7];

	if ((sense[0] & 0x7f) == FIXED_SENSE) {
		*ret_count = sense[FIXED_COUNT];
		return sense[12] == 0 && sense[13] == PASS_THROUGH_INFORMATION;
	}
	if ((sense[0] & 0x7f) != DESCRIPTOR_SENSE)
		return false;
	for (size_t at = HEAD;
	     at + DESCRIPTOR <= SENSE_BYTES && at + DESCRIPTOR <= end;
	     at += 2 + (size_t)sense[at + 1])
		if (sense[at] == ATA_STATUS_RETURN) {
			*ret_count = sense[at + COUNT];
			return true;
		}
	return false;
}

/* ACS-4, 7.3: what CHECK POWER MODE returns in Count. */
static int judge_mode(const char *name, uint8_t mode,
		      struct ssdpm_error *reterr)
{
	switch (mode) {
	case 0xff: /* active or idle */
	case 0x80: /* idle, and its levels a, b and c */
	case 0x81:
	case 0x82:
	case 0x83:
	case 0x41: /* active, spindle turning (obsolete, NV cache) */
		return 0;
	case 0x00: /* standby, and its level y */
	case 0x01:
	case 0x40: /* active from its NV cache, spindle at rest */
		return ssdpm__fail_standby(name, reterr);
	default:
		return ssdpm__fail(reterr, -EIO, 0,
				   "%s: %s: unknown mode %02Xh", name,
				   check_power_mode, mode);
	}
}

static int check_awake(const struct ssdpm_machine *machine, int fd,
		       const char *name, struct ssdpm_error *reterr)
{
	struct command command = {
		.name = check_power_mode,
		.cdb = { [0] = ATA_PASS_THROUGH_16,
			 [1] = NON_DATA,
			 [2] = CK_COND,
			 [14] = CHECK_POWER_MODE },
		.refused = -EOPNOTSUPP,
	};
	struct answer answer;
	uint8_t mode;
	int err = send(machine, fd, name, &command, &answer, reterr);

	if (err)
		return err;
	if (!find_count(answer.sense, &mode))
		return ssdpm__fail(reterr, -EIO, 0, "%s: %s: no mode came back",
				   name, check_power_mode);
	return judge_mode(name, mode, reterr);
}

/* The answer to a command, if the drive is awake. */
static int ask(const struct ssdpm_machine *machine, const char *name,
	       struct command *command, uint8_t data[SSDPM__ATA_PAGE_BYTES],
	       struct ssdpm_error *reterr)
{
	struct answer answer;
	int fd, err;

	fd = ssdpm__open_node(machine, name, O_RDONLY | O_NONBLOCK,
			      check_power_mode, reterr);
	if (fd < 0)
		return fd;
	err = check_awake(machine, fd, name, reterr);
	if (!err) {
		ssdpm__log(machine, SSDPM_LOG_DEBUG, "%s: %s", name,
			   command->name);
		err = send(machine, fd, name, command, &answer, reterr);
	}
	close(fd);
	if (!err)
		memcpy(data, answer.data, sizeof(answer.data));
	return err;
}

int ssdpm__ata_identify(const struct ssdpm_machine *machine, const char *name,
			uint8_t data[SSDPM__ATA_PAGE_BYTES],
			struct ssdpm_error *reterr)
{
	struct command command = {
		.name = "IDENTIFY DEVICE",
		.cdb = { [0] = ATA_PASS_THROUGH_16,
			 [1] = PIO_DATA_IN,
			 [2] = FROM_DRIVE | IN_BLOCKS | LENGTH_IN_COUNT,
			 [6] = 1, /* count */
			 [14] = IDENTIFY_DEVICE },
		.has_data = true,
		.refused = -EOPNOTSUPP,
	};
	uint8_t bytes[SSDPM__ATA_PAGE_BYTES];
	int err = ask(machine, name, &command, bytes, reterr);

	if (!err)
		err = ssdpm__check_ata_sum(name, bytes, reterr);
	if (!err)
		memcpy(data, bytes, sizeof(bytes));
	return err;
}

int ssdpm__ata_read_log(const struct ssdpm_machine *machine, const char *name,
			uint8_t log, uint8_t page,
			uint8_t data[SSDPM__ATA_PAGE_BYTES],
			struct ssdpm_error *reterr)
{
	struct command command = {
		.name = "READ LOG EXT",
		.cdb = { [0] = ATA_PASS_THROUGH_16,
			 [1] = PIO_DATA_IN | EXTEND,
			 [2] = FROM_DRIVE | IN_BLOCKS | LENGTH_IN_COUNT,
			 [6] = 1, /* count */
			 [8] = log,
			 [10] = page,
			 [14] = READ_LOG_EXT },
		.has_data = true,
		.refused = -ENODATA,
	};

	return ask(machine, name, &command, data, reterr);
}
