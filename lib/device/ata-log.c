/* SPDX-License-Identifier: MIT */
/* Logs of SATA drives: READ LOG EXT (ACS-4) by ATA PASS-THROUGH(16) (SAT-3). */
#include "device/node.h"

#include <errno.h>
#include <fcntl.h>
#include <scsi/sg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COMMAND "READ LOG EXT"
#define LOG_BYTES 512
#define CDB_BYTES 16
#define SENSE_BYTES 32
#define TIMEOUT_MS 10000

enum {
	ATA_PASS_THROUGH_16 = 0x85,
	PIO_DATA_IN = 4 << 1,
	EXTEND = 1 << 0, /* a command of 48 bits */
	FROM_DRIVE = 1 << 3,
	IN_BLOCKS = 1 << 2,
	LENGTH_IN_COUNT = 2 << 0,
	READ_LOG_EXT = 0x2f,
	CHECK_CONDITION = 0x02,
	DRIVER_SENSE = 0x08,
	SENSE_RECOVERED = 0x1,
	SENSE_ILLEGAL_REQUEST = 0x5,
	SENSE_ABORTED_COMMAND = 0xb,
};

struct sense {
	uint8_t key;
	uint8_t code; /* additional sense code */
};

/* SPC-4: descriptors (72h), as libata's, or fixed (70h). */
static struct sense decode_sense(const uint8_t sense[SENSE_BYTES])
{
	switch (sense[0] & 0x7f) {
	case 0x72:
		return (struct sense){ sense[1] & 0xf, sense[2] };
	case 0x70:
		return (struct sense){ sense[2] & 0xf, sense[12] };
	default:
		return (struct sense){ 0, 0 };
	}
}

static int check_sense(const char *name, uint8_t log,
		       const uint8_t bytes[SENSE_BYTES],
		       struct ssdpm_error *reterr)
{
	struct sense sense = decode_sense(bytes);

	if (sense.key == SENSE_RECOVERED)
		return 0;
	/* libata's words for ABRT: the drive does not know the log. */
	if (sense.key == SENSE_ILLEGAL_REQUEST ||
	    (sense.key == SENSE_ABORTED_COMMAND && sense.code == 0))
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "%s: the drive has no log %02Xh", name, log);
	return ssdpm__fail(reterr, -EIO, 0,
			   "%s: " COMMAND ": sense key %Xh, code %02Xh", name,
			   sense.key, sense.code);
}

static int check_result(const char *name, uint8_t log,
			const struct sg_io_hdr *io, struct ssdpm_error *reterr)
{
	int r = 0;

	if (io->status == CHECK_CONDITION ||
	    (io->driver_status & 0xf) == DRIVER_SENSE)
		r = check_sense(name, log, io->sbp, reterr);
	else if (io->status || io->host_status || io->driver_status)
		r = ssdpm__fail(reterr, -EIO, 0,
				"%s: " COMMAND ": status %02Xh, of the host "
				"%02Xh, of the driver %02Xh",
				name, io->status, io->host_status,
				io->driver_status);
	if (!r && io->resid)
		r = ssdpm__fail(reterr, -EIO, 0,
				"%s: " COMMAND ": %d of %d bytes are missing",
				name, io->resid, LOG_BYTES);
	return r;
}

int ssdpm__ata_read_log(const struct ssdpm_machine *machine, const char *name,
			uint8_t log, uint8_t page, uint8_t data[LOG_BYTES],
			struct ssdpm_error *reterr)
{
	uint8_t cdb[CDB_BYTES] = {
		[0] = ATA_PASS_THROUGH_16,
		[1] = PIO_DATA_IN | EXTEND,
		[2] = FROM_DRIVE | IN_BLOCKS | LENGTH_IN_COUNT,
		[6] = 1, /* count */
		[8] = log,
		[10] = page,
		[14] = READ_LOG_EXT,
	};
	uint8_t bytes[LOG_BYTES] = { 0 }, sense[SENSE_BYTES] = { 0 };
	struct sg_io_hdr io = {
		.interface_id = 'S',
		.dxfer_direction = SG_DXFER_FROM_DEV,
		.cmd_len = sizeof(cdb),
		.mx_sb_len = sizeof(sense),
		.dxfer_len = sizeof(bytes),
		.dxferp = bytes,
		.cmdp = cdb,
		.sbp = sense,
		.timeout = TIMEOUT_MS,
	};
	int fd = ssdpm__open_node(machine, name, O_RDONLY | O_NONBLOCK, COMMAND,
				  reterr);
	int r;

	if (fd < 0)
		return fd;
	if (ioctl(fd, SG_IO, &io) < 0)
		r = ssdpm__fail_command(name, COMMAND, errno, reterr);
	else
		r = check_result(name, log, &io, reterr);
	close(fd);
	if (!r)
		memcpy(data, bytes, sizeof(bytes));
	return r;
}
