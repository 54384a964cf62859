/* SPDX-License-Identifier: MIT */
/* Lines of kernel logs, as Linux 6.1 to 7.3 print them. */
#include "fixture.h"

#include <stdio.h>

#define DOWN "nvme nvme0: controller is down; will reset: CSTS=0xffffffff, "

static const struct {
	const char *line;
	uint32_t kind;
	const char *device;
} lines[] = {
	{ DOWN "PCI_STATUS=0xffff", SSDPM_FAULT_DOWN, "nvme0" },
	{ DOWN "PCI_STATUS read failed (134)", SSDPM_FAULT_DOWN, "nvme0" },
	{ "nvme nvme2: Disabling device after reset failure: -19",
	  SSDPM_FAULT_DOWN, "nvme2" },
	{ "nvme nvme1: Removing after probe failure status: -19",
	  SSDPM_FAULT_DOWN, "nvme1" },
	{ "nvme nvme1: Device not ready; aborting reset, CSTS=0x1",
	  SSDPM_FAULT_DOWN, "nvme1" },
	{ "nvme nvme10: I/O 12 QID 3 timeout, completion polled",
	  SSDPM_FAULT_TIMEOUT, "nvme10" },
	{ "nvme nvme0: I/O 256 (I/O Cmd) QID 1 timeout, aborting",
	  SSDPM_FAULT_TIMEOUT, "nvme0" },
	{ "nvme nvme0: I/O tag 12 (100c) opcode 0x2 (I/O Cmd) QID 1 timeout, "
	  "aborting req_op:READ(0) size:4096",
	  SSDPM_FAULT_TIMEOUT, "nvme0" },
	{ "nvme nvme0: I/O tag 12 (100c) opcode 0x6 (Admin Cmd) QID 0 timeout, "
	  "reset controller",
	  SSDPM_FAULT_TIMEOUT, "nvme0" },
	{ "nvme nvme0: frozen state error detected, reset controller",
	  SSDPM_FAULT_RESET, "nvme0" },
	{ "nvme nvme0: resetting controller due to persistent internal error",
	  SSDPM_FAULT_RESET, "nvme0" },
	{ "ata3.00: exception Emask 0x10 SAct 0x0 SErr 0x40d0000 action 0xe "
	  "frozen",
	  SSDPM_FAULT_EXCEPTION, "ata3" },
	{ "ata12: exception Emask 0x50 SAct 0x0 SErr 0x0 action 0x6",
	  SSDPM_FAULT_EXCEPTION, "ata12" },
	{ "ata3: SError: { PHYRdyChg CommWake 10B8B DevExch }",
	  SSDPM_FAULT_LINK, "ata3" },
	{ "ata3.00: SError: { UnrecovData BadCRC Handshk }", SSDPM_FAULT_CRC,
	  "ata3" },
	{ "ata3.00: error: { ICRC ABRT }", SSDPM_FAULT_CRC, "ata3" },
	{ "ata3: hard resetting link", SSDPM_FAULT_RESET, "ata3" },
	{ "ata3: soft resetting link", SSDPM_FAULT_RESET, "ata3" },
	{ "ata3.00: qc timeout after 5000 msecs (cmd 0xec)",
	  SSDPM_FAULT_TIMEOUT, "ata3" },
	{ "ata3.00: qc timeout (cmd 0xec)", SSDPM_FAULT_TIMEOUT, "ata3" },
	{ "ata3.00: disable device", SSDPM_FAULT_DOWN, "ata3" },
	{ "ata3.15: disabled", SSDPM_FAULT_DOWN, "ata3" },
	{ "nvme 0000:04:00.0: PCIe Bus Error: severity=Corrected, "
	  "type=Physical Layer, (Receiver ID)",
	  SSDPM_FAULT_CORRECTED, "0000:04:00.0" },
	{ "pcieport 0000:00:1d.0: AER: PCIe Bus Error: severity=Correctable, "
	  "type=Data Link Layer, (Transmitter ID)",
	  SSDPM_FAULT_CORRECTED, "0000:00:1d.0" },
	{ "nvme 0000:04:00.0: PCIe Bus Error: severity=Uncorrected "
	  "(Non-Fatal), type=Transaction Layer, (Requester ID)",
	  SSDPM_FAULT_UNCORRECTED, "0000:04:00.0" },
	{ "nvme 0000:04:00.0: PCIe Bus Error: severity=Uncorrectable (Fatal), "
	  "type=Inaccessible, (Unregistered Agent ID)",
	  SSDPM_FAULT_UNCORRECTED, "0000:04:00.0" },
	{ "nvme 0002:01:00.0: Unable to change power state from D3cold to D0, "
	  "device inaccessible",
	  SSDPM_FAULT_DOWN, "0002:01:00.0" },
	{ "pcieport 0000:00:08.0: can't change power state from D3cold to D0 "
	  "(config space inaccessible)",
	  SSDPM_FAULT_DOWN, "0000:00:08.0" },
	{ "I/O error, dev nvme0n1, sector 2048 op 0x0:(READ) flags 0x80700 "
	  "phys_seg 1 prio class 0",
	  SSDPM_FAULT_IO, "nvme0n1" },
	{ "blk_update_request: I/O error, dev sda, sector 0 op 0x0:(READ)",
	  SSDPM_FAULT_IO, "sda" },
	{ "nvme0n1: I/O Cmd(0x2) @ LBA 1234, 8 blocks, I/O Error (sct 0x2 / "
	  "sc 0x86) DNR",
	  SSDPM_FAULT_IO, "nvme0n1" },
	{ "nvme0c0n1: I/O Cmd(0x2) @ LBA 16, 32 blocks, I/O Error (sct 0x3 / "
	  "sc 0x71) ",
	  SSDPM_FAULT_IO, "nvme0c0n1" },
	{ "nvme12n1: Read(0x2) @ LBA 0, 1 blocks, Unrecovered Read Error "
	  "(sct 0x2 / sc 0x81) MORE DNR ",
	  SSDPM_FAULT_IO, "nvme12n1" },
	{ "nvme0n1: Write Zeroes(0x8) @ LBA 0, 1 blocks, Internal Error "
	  "(sct 0x0 / sc 0x6) ",
	  SSDPM_FAULT_IO, "nvme0n1" },
	{ "critical medium error, dev nvme0n1, sector 1234 op 0x0:(READ) flags "
	  "0x0 phys_seg 1 prio class 2",
	  SSDPM_FAULT_IO, "nvme0n1" },
	{ "timeout error, dev nvme0n1, sector 1234 op 0x1:(WRITE) flags 0x0",
	  SSDPM_FAULT_IO, "nvme0n1" },
	{ "critical target error, dev nvme0n1, sector 1 op 0x0:(READ) flags "
	  "0x0",
	  SSDPM_FAULT_IO, "nvme0n1" },
	{ "blk_update_request: critical medium error, dev sdb, sector 1 op "
	  "0x0:(READ) flags 0x0",
	  SSDPM_FAULT_IO, "sdb" },
	{ "protection error, dev nvme2n1, sector 16 op 0x1:(WRITE) flags 0x0",
	  SSDPM_FAULT_IO, "nvme2n1" },
	{ "recoverable transport error, dev sda, sector 8 op 0x1:(WRITE)",
	  SSDPM_FAULT_IO, "sda" },
	{ "device offline error, dev sda, sector 8 op 0x1:(WRITE)",
	  SSDPM_FAULT_IO, "sda" },
	/* It failed, whatever it was to do. */
	{ "I/O error, dev sda, sector 8 op 0x3:(DISCARD) flags 0x800",
	  SSDPM_FAULT_IO, "sda" },
	{ "nvme nvme0: Device shutdown incomplete; abort shutdown",
	  SSDPM_FAULT_DOWN, "nvme0" },
	{ "ata1.00: NCQ disabled due to excessive errors", SSDPM_FAULT_NCQ_OFF,
	  "ata1" },
	{ "ata3: limiting SATA link speed to 3.0 Gbps", SSDPM_FAULT_SLOWED,
	  "ata3" },
	{ "ata3.01: limiting SATA link speed to 1.5 Gbps", SSDPM_FAULT_SLOWED,
	  "ata3" },
	{ "ata3.00: limiting speed to UDMA/100:PIO4", SSDPM_FAULT_SLOWED,
	  "ata3" },
	{ "ata3: disabling LPM on the link", SSDPM_FAULT_LPM_OFF, "ata3" },
	{ "ata3.00: disabling LPM on the link", SSDPM_FAULT_LPM_OFF, "ata3" },
	{ "ata3.00: failed to enable DIPM, Emask 0x4", SSDPM_FAULT_EXCEPTION,
	  "ata3" },
	{ "ata3.00: failed to disable DIPM, Emask 0x100", SSDPM_FAULT_EXCEPTION,
	  "ata3" },
	{ "nvme nvme0: failed to set APST feature (-19)",
	  SSDPM_FAULT_APST_FAILED, "nvme0" },
	{ "nvme nvme1: failed to set APST feature (2)", SSDPM_FAULT_APST_FAILED,
	  "nvme1" },
	{ "pcieport 0000:00:01.1: broken device, retraining non-functional "
	  "downstream link at 2.5GT/s",
	  SSDPM_FAULT_SLOWED, "0000:00:01.1" },
	/* These lines do not mean that a drive fails. */
	{ "", 0, "" },
	{ "nvme nvme0: Shutdown timeout set to 8 seconds", 0, "" },
	{ "nvme nvme0: resetting controller", 0, "" },
	{ "nvme nvme0: 8/0/0 default/read/poll queues", 0, "" },
	{ "nvme nvme0: Abort status: 0x0", 0, "" },
	{ "nvme nvme0: Does your device have a faulty power saving mode "
	  "enabled?",
	  0, "" },
	{ "nvme nvme: controller is down; will reset", 0, "" },
	{ "nvme nvme0n1: controller is down; will reset", 0, "" },
	{ "nvme nvme0 controller is down; will reset", 0, "" },
	{ "ata3: SATA link up 6.0 Gbps (SStatus 133 SControl 300)", 0, "" },
	{ "ata: hard resetting link", 0, "" },
	{ "ata3: FORCE: PHY spd limit set to 1.5Gbps", 0, "" },
	{ "ata3.00: NCQ disabled, as somebody asked", 0, "" },
	{ "ata3.00: LPM support broken, forcing max_power", 0, "" },
	{ "ata3.00: configured for UDMA/133", 0, "" },
	{ "pcieport 0000:00:01.1: retraining failed", 0, "" },
	{ "pcieport 0000:00:01.1: removing 2.5GT/s downstream link speed "
	  "restriction",
	  0, "" },
	{ "ata3x: hard resetting link", 0, "" },
	{ "ata3:", 0, "" },
	{ "pcieport 0000:00:1d.0: AER: Corrected error received: 0000:04:00.0",
	  0, "" },
	{ "nvme 0000:04:00:0: PCIe Bus Error: severity=Corrected, type=x", 0,
	  "" },
	{ "nvme 0000:04:00.g: PCIe Bus Error: severity=Corrected, type=x", 0,
	  "" },
	{ "I/O error, dev nvme0n1", 0, "" },
	{ "I/O error, dev , sector 0x0", 0, "" },
	{ "I/O error, dev a-name-that-is-longer-than-any-device, sector 1", 0,
	  "" },
	/* The drive refuses a command, has no room, or is not asked at all. */
	{ "operation not supported error, dev nvme0n1, sector 1 op 0x9:"
	  "(WRITE_ZEROES)",
	  0, "" },
	{ "critical target error, dev sda, sector 8 op 0x3:(DISCARD) flags "
	  "0x800",
	  0, "" },
	{ "critical target error, dev sda, sector 8 op 0x9:(WRITE_ZEROES)", 0,
	  "" },
	{ "critical space allocation error, dev sda, sector 8 op 0x1:(WRITE)",
	  0, "" },
	{ "reservation conflict error, dev sda, sector 8 op 0x1:(WRITE)", 0,
	  "" },
	{ "critical nexus error, dev sda, sector 8 op 0x1:(WRITE)", 0, "" },
	{ "kernel resource error, dev sda, sector 8 op 0x1:(WRITE)", 0, "" },
	{ "device resource error, dev sda, sector 8 op 0x1:(WRITE)", 0, "" },
	{ "nonblocking retry error, dev sda, sector 8 op 0x0:(READ)", 0, "" },
	{ "active zones exceeded error, dev nvme3n2, sector 0 op 0xd:"
	  "(ZONE_APPEND)",
	  0, "" },
	{ "duration limit exceeded error, dev sda, sector 8 op 0x0:(READ)", 0,
	  "" },
	{ "timeout, dev nvme0n1, sector 1234", 0, "" },
	{ "nvme3n2: I/O Cmd(0x7d) @ LBA 160432128, 127 blocks, I/O Error "
	  "(sct 0x1 / sc 0xbd) MORE DNR",
	  0, "" },
	{ "nvme0n1: Dataset Management(0x9) @ LBA 0, 8 blocks, Command Size "
	  "Limits Exceeded (sct 0x1 / sc 0x83) DNR",
	  0, "" },
	{ "nvme0n1: Write Zeroes(0x8) @ LBA 0, 1 blocks, Invalid Field in "
	  "Command (sct 0x0 / sc 0x2) DNR ",
	  0, "" },
	/* A command of a user */
	{ "nvme0: Get Log Page(0x2), Invalid Log Page (sct 0x1 / sc 0x9) DNR ",
	  0, "" },
	{ "nvme0n1: Read(0x2), Unrecovered Read Error (sct 0x2 / sc 0x81) DNR "
	  "cdw10=0x0",
	  0, "" },
	{ "nvme0n1: I/O Cmd(0x2) @ LBA 0, 8 blocks, I/O Error", 0, "" },
	{ "nvme0n1: I/O Cmd(0x2) @ LBA 0, 8 blocks, x (sct 0xffffffff / sc 0x1)",
	  0, "" },
	{ "nvme0n1: I/O Cmd(0x2) @ LBA 0, 8 blocks, x (sct 0x2 / sc 0x)", 0,
	  "" },
	{ "nvme: I/O Cmd(0x2) @ LBA 0, 8 blocks, x (sct 0x2 / sc 0x1)", 0, "" },
	{ "Buffer I/O error on dev sda1, logical block 0, async page read", 0,
	  "" },
	{ " SUBSYSTEM=pci", 0, "" },
};

#define N_LINES (sizeof(lines) / sizeof(lines[0]))

static struct ssdpm_fault fault_of(const char *line)
{
	struct ssdpm_fault fault = { .size = sizeof(fault) };

	assert_int_equal(
		ssdpm_fault_from_line(line, strlen(line), &fault, NULL), 0);
	return fault;
}

static void assert_fault(const char *head, size_t i, uint64_t time_us)
{
	char line[256];

	snprintf(line, sizeof(line), "%s%s\n", head, lines[i].line);
	const struct ssdpm_fault fault = fault_of(line);

	if (fault.kind != lines[i].kind ||
	    strcmp(fault.device, lines[i].device) || fault.time_us != time_us)
		fail_msg("%s is of \"%s\", kind %u, at %llu us", line,
			 fault.device, fault.kind,
			 (unsigned long long)fault.time_us);
}

static void a_record_of_kmsg_has_a_device_a_kind_and_a_time(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_LINES; i++) {
		assert_fault("4,1234,5934221031,-;", i, 5934221031);
		assert_fault("3,1,0,-,caller=T12;", i, 0);
	}
}

static void a_line_of_dmesg_says_the_same(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_LINES; i++) {
		assert_fault("[ 1461.259288] ", i, 1461259288);
		assert_fault("[    0.000001][  T217] ", i, 1);
		assert_fault("", i, SSDPM_FAULT_NO_TIME);
	}
}

static void a_line_of_dmesg_with_other_stamps_says_the_same(void **state)
{
	static const struct {
		const char *head;
		uint64_t us;
	} heads[] = {
		{ "[Mon Nov 30 02:01:08 2026] ", SSDPM_FAULT_NO_TIME },
		{ "[Nov30 02:01] ", SSDPM_FAULT_NO_TIME },
		{ "[  +0.000042] ", SSDPM_FAULT_NO_TIME },
		{ "[    1.000000 <    0.000042>] ", SSDPM_FAULT_NO_TIME },
		{ "2026-11-30T02:01:08,259288+00:00 ", SSDPM_FAULT_NO_TIME },
		{ "kern  :err   : [ 1461.259288] ", 1461259288 },
		{ "kern  :warn  : [Mon Nov 30 02:01:08 2026] ",
		  SSDPM_FAULT_NO_TIME },
		{ "local0:err   : 2026-11-30T02:01:08,259288+00:00 ",
		  SSDPM_FAULT_NO_TIME },
		{ "kern  :notice: ", SSDPM_FAULT_NO_TIME },
		{ "<3>[ 1461.259288] ", 1461259288 },
		{ "<12>", SSDPM_FAULT_NO_TIME },
	};

	(void)state;
	for (size_t i = 0; i < N_LINES; i++)
		for (size_t k = 0; k < sizeof(heads) / sizeof(heads[0]); k++)
			assert_fault(heads[k].head, i, heads[k].us);
}

static void a_line_of_the_journal_says_the_same(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_LINES; i++) {
		assert_fault("Jan  8 14:50:16 x299-desktop kernel: ", i,
			     SSDPM_FAULT_NO_TIME);
		assert_fault("Jan  8 14:50:16 host kernel: [ 1461.259288] ", i,
			     1461259288);
	}
}

static void a_head_that_is_none_hides_the_line(void **state)
{
	static const char *const heads[] = { "4,1234,5934221031,- ",
					     "4,1234; ",
					     "4,1234,99999999999999999999,-; ",
					     "[1.5 ",
					     "x[1.5] ",
					     "<3 ",

					     "kern  :soup  : ",
					     ":err   : ",
					     "kern  :err [1.5] ",
					     "2026-11-30 02:01:08 ",
					     "2026-11-30T02:01:0 " };

	(void)state;
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		char line[128];

		snprintf(line, sizeof(line),
			 "%snvme nvme0: I/O 1 QID 1 "
			 "timeout, aborting",
			 heads[i]);
		assert_int_equal(fault_of(line).time_us, SSDPM_FAULT_NO_TIME);
		assert_int_equal(fault_of(line).kind, 0);
	}
}

static void counters_of_aer_are_read(void **state)
{
	static const char text[] = "RxErr 3\nBadTLP 0\nBadDLLP 2\nRollover 0\n"
				   "TOTAL_ERR_COR 5\n";
	struct ssdpm_error error = fixture_error();
	uint64_t n = 7;

	(void)state;
	assert_int_equal(ssdpm_fault_count_aer(text, 20, &n, &error), -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "TOTAL_ERR_");
	assert_int_equal(n, 7);
	assert_int_equal(ssdpm_fault_count_aer(text, strlen(text), &n, NULL),
			 0);
	assert_int_equal(n, 5);
	assert_int_equal(
		ssdpm_fault_count_aer("TOTAL_ERR_FATAL 1x", 18, &n, NULL),
		-EINVAL);
}

static void a_fault_is_of_a_drive_its_port_or_what_is_above_it(void **state)
{
	static const char nvme[] = "/sys/devices/pci0000:00/0000:00:1d.0/"
				   "0000:04:00.0/nvme/nvme1";
	static const char sata[] = "/sys/devices/pci0000:00/0000:00:17.0/ata3/"
				   "host2/target2:0:0/2:0:0:0";

	(void)state;
	assert_int_equal(ssdpm_fault_is_of("nvme1", "nvme1", nvme, 0), 1);
	assert_int_equal(ssdpm_fault_is_of("nvme1n1", "nvme1", nvme, 0), 1);
	assert_int_equal(ssdpm_fault_is_of("nvme1c1n1", "nvme1", nvme, 0), 1);
	/* The subsystem's number, then the controller's. */
	assert_int_equal(ssdpm_fault_is_of("nvme0c1n1", "nvme1", nvme, 0), 1);
	assert_int_equal(ssdpm_fault_is_of("nvme1c0n1", "nvme1", nvme, 0), 0);
	assert_int_equal(ssdpm_fault_is_of("nvme10", "nvme1", nvme, 0), 0);
	assert_int_equal(ssdpm_fault_is_of("nvme10n1", "nvme1", nvme, 0), 0);
	assert_int_equal(ssdpm_fault_is_of("nvme0", "nvme1", nvme, 0), 0);
	assert_int_equal(ssdpm_fault_is_of("0000:04:00.0", "nvme1", nvme, 0),
			 1);
	assert_int_equal(ssdpm_fault_is_of("0000:00:1d.0", "nvme1", nvme, 0),
			 1);
	assert_int_equal(ssdpm_fault_is_of("0000:00:17.0", "nvme1", nvme, 0),
			 0);
	assert_int_equal(ssdpm_fault_is_of("0000:00:17.0", "sda", sata, 3), 1);
	assert_int_equal(ssdpm_fault_is_of("ata3", "sda", sata, 3), 1);
	assert_int_equal(ssdpm_fault_is_of("ata33", "sda", sata, 3), 0);
	assert_int_equal(ssdpm_fault_is_of("ata0", "sda", sata, 0), 0);
	assert_int_equal(ssdpm_fault_is_of("sda", "sda", sata, 3), 1);
	assert_int_equal(ssdpm_fault_is_of("sdan1", "sda", sata, 3), 0);
	assert_int_equal(ssdpm_fault_is_of("sdaa", "sda", sata, 3), 0);
	assert_int_equal(ssdpm_fault_is_of("sda", "", sata, 3), 0);
	/* A line that is no fault names none. */
	assert_int_equal(ssdpm_fault_is_of("", "", sata, 3), 0);
	assert_int_equal(ssdpm_fault_is_of("", "sda", sata, 3), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_record_of_kmsg_has_a_device_a_kind_and_a_time),
		cmocka_unit_test(a_line_of_dmesg_says_the_same),
		cmocka_unit_test(
			a_line_of_dmesg_with_other_stamps_says_the_same),
		cmocka_unit_test(a_line_of_the_journal_says_the_same),
		cmocka_unit_test(a_head_that_is_none_hides_the_line),
		cmocka_unit_test(counters_of_aer_are_read),
		cmocka_unit_test(
			a_fault_is_of_a_drive_its_port_or_what_is_above_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
