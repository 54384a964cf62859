#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make the inputs of the fuzz targets.

    tests/fuzz/make-corpus.py DIRECTORY STAMP
    tests/fuzz/make-corpus.py --found TARGET FILE...

The first writes a folder DIRECTORY/TARGET for each target, then the empty file
STAMP: inputs that are made from numbers here, and those that fuzzers found, from
found.txt. The second prints the lines of that file for inputs that were found.
"""

import ast
import bz2
import gzip
import hashlib
import json
import lzma
import pathlib
import re
import shutil
import struct
import sys

HERE = pathlib.Path(__file__).parent


def psd(mp=0, flags=0, enlat=0, exlat=0, ranks=(0, 0, 0, 0), idlp=0, ips=0,
        actp=0, apw_aps=0, times=(0, 0, 0, 0, 0)):
    return struct.pack("<HBBII4BHBBHB5B4x", mp, 0, flags, enlat, exlat, *ranks,
                       idlp, ips << 6, 0, actp, apw_aps, *times)


def head(npss, apsta=1, product="Fixture SSD 256GB", firmware="FW 1.0"):
    return (struct.pack("<H", 0x1234) + product.encode().ljust(40)
            + firmware.encode().ljust(8) + bytes([npss, apsta]))


def raw(npss, psds, apsta=1):
    """The whole structure of 4096 bytes."""
    data = bytearray(4096)
    h = head(npss, apsta)
    data[0:2] = h[0:2]
    data[24:72] = h[2:50]
    data[263], data[265] = npss, apsta
    data[2048:2048 + len(psds)] = psds
    return bytes(data)


AWAKE = psd(mp=350, actp=180, apw_aps=0x82, idlp=63, ips=2)
DOZING = psd(mp=200, flags=3, enlat=3900, exlat=11000, ranks=(3, 3, 3, 3))
ASLEEP = psd(mp=50, flags=3, enlat=5000, exlat=39000, ranks=(4, 4, 4, 4))
LAPTOP = AWAKE * 3 + DOZING + ASLEEP
EXTREME = psd(65535, 3, 2**32 - 1, 2**32 - 1, (255,) * 4, 65535, 2, 65535,
              0x87, (255, 255, 255, 0xcc, 0x0c))
DEFAULTS = bytes(16)

IDENTIFY = {
    "empty": b"",
    "laptop": DEFAULTS + head(4) + LAPTOP,
    "legacy": b"\x01" + DEFAULTS[1:] + head(4) + LAPTOP,
    "no-apst": b"\x02" + DEFAULTS[1:] + head(4) + LAPTOP,
    "no-deepest-ps": b"\x04" + DEFAULTS[1:] + head(4) + LAPTOP,
    "unknown-quirk": b"\x08" + DEFAULTS[1:] + head(4) + LAPTOP,
    "windows": b"\x30" + DEFAULTS[1:] + head(4) + LAPTOP,
    "windows-on-battery": b"\xb0" + DEFAULTS[1:] + head(4) + LAPTOP,
    "windows-modern-standby": b"\x70" + DEFAULTS[1:] + head(4) + LAPTOP,
    "windows-zero": b"\x10" + DEFAULTS[1:] + head(2) + psd(1) + psd(1, 2) * 2,
    "windows-unknown-scheme":
        b"\x30" + DEFAULTS[1:14] + b"\x09\xff" + head(4) + LAPTOP,
    "windows-unknown-power-source":
        b"\x30" + DEFAULTS[1:14] + b"\x09\xfe" + head(4) + LAPTOP,
    "lower-envelope": b"\x11" + DEFAULTS[1:] + head(4) + LAPTOP,
    "lower-envelope-powers":
        b"\x11\0\0\0" + struct.pack("<II", 500000, 2000000) + bytes(4)
        + head(4) + LAPTOP,
    "lower-envelope-extreme":
        b"\x11\x08\0\0" + b"\xff" * 8 + bytes(4) + head(1) + EXTREME * 2,
    "lower-envelope-too-long":
        b"\x11\x08\0\0" + struct.pack("<II", 2**32 - 1, 2**31) + bytes(4)
        + head(4) + psd(1, 1) * 3 + psd(1, 3, 0, 2**32 - 1)
        + psd(1, 3, 0, 2**32 - 1, idlp=1, ips=1),
    "lower-envelope-no-base":
        b"\x11" + DEFAULTS[1:] + head(1) + psd(1) + DOZING,
    "lower-envelope-no-power":
        b"\x11" + DEFAULTS[1:] + head(1) + AWAKE + psd(0, 2, 1, 1),
    "lower-envelope-rising":
        b"\x11" + DEFAULTS[1:] + head(5) + AWAKE + DOZING
        + psd(300, 3, 0, 1000) + ASLEEP + psd(50, 3) + DOZING,
    "limit-0": b"\x00\x80" + DEFAULTS[2:] + head(4) + LAPTOP,
    "timeout-too-long": b"\0\0\0\0\x07" + DEFAULTS[5:] + head(4) + LAPTOP,
    "no-apsta": DEFAULTS + head(4, 0) + LAPTOP,
    "npss-31": DEFAULTS + head(31) + (DOZING + ASLEEP) * 16,
    "npss-32": DEFAULTS + head(32) + LAPTOP,
    "extreme": DEFAULTS + head(1) + EXTREME * 2,
    "legacy-extreme": b"\x01\x08" + DEFAULTS[2:] + head(1) + EXTREME * 2,
    "legacy-zero": b"\x01" + DEFAULTS[1:] + head(2) + psd(1) + psd(1, 2) * 2,
    "not-ascii": DEFAULTS + head(0, product="\u00fc") + AWAKE,
    "table": struct.pack("<4Q", 0x6418, 0x6418, 0x6418, 0x7d020),
    "raw": raw(4, LAPTOP),
    "raw-with-params": raw(4, LAPTOP) + b"\x01\x85\x00\x64",
}


def drive(**members):
    return {"schema": "ssdpm.model/1", "kind": "nvme", **members}


def state(operational, **members):
    return {"operational": operational, **members}


def dump(value):
    return json.dumps(value).encode()


SLEEPY = drive(
    vendor_id=0x1234, product="Fixture SSD 256GB", firmware="FW 1.0", apsta=1,
    provenance="reported",
    states=[
        state(True, max_power_uw=3500000, active_power_uw=1800000,
              idle_power_uw=630000, entry_latency_us=0, exit_latency_us=0,
              not_reported=["entry_latency_us", "exit_latency_us"]),
        state(False, max_power_uw=20000, idle_power_uw=None,
              entry_latency_us=3900, exit_latency_us=11000,
              not_reported=["idle_power_uw"]),
        state(False, max_power_uw=5000, entry_latency_us=5000,
              exit_latency_us=39000),
    ])
SMALL = drive(states=[state(True)])

MODEL_JSON = {
    "empty": b"",
    "sleepy": dump(SLEEPY),
    "sleepy-legacy": dump(SLEEPY) + b"\0\x01",
    "sleepy-windows": dump(SLEEPY) + b"\0\x30",
    "sleepy-lower-envelope": dump(SLEEPY) + b"\0\x11",
    "sleepy-limit-100-us": dump(SLEEPY) + b"\0\0\x85\x00\x64",
    "sleepy-indented": json.dumps(SLEEPY, indent=2).encode() + b"\n",
    "small": dump(SMALL),
    "list-of-one": dump([SMALL]),
    "list-of-two": dump([SMALL, SLEEPY]),
    "list-empty": b"[]",
    "sata": dump({**SMALL, "kind": "sata", "states": []}),
    "unknown-latency": dump(drive(states=[state(True), state(False)])),
    "sata-link": dump({**SMALL, "kind": "sata", "sata": {
        "words_valid": True, "generations": [1, 2, 3], "apm_level": 128,
        "rotational": False, "hipm_supported": False, "devsleep_enabled": True},
        "states": [state(True, link_state="active")]}),
    "sata-generations": dump({**SMALL, "kind": "sata", "sata": {
        "generations": [3, 3]}}),
    "32-states": dump(drive(states=[state(False)] * 32)),
    "33-states": dump(drive(states=[state(True)] * 33)),
    "largest": dump(drive(
        vendor_id=65535, apsta=255, states=[state(
            False, max_power_uw=2**32 - 1, entry_latency_us=2**32 - 1,
            exit_latency_us=2**32 - 1, read_latency_rank=31,
            active_power_workload=7,
            forced_quiescence_vault_time_us=255 * 10**12)])),
    "beyond-64-bits": dump(drive(states=[state(True, max_power_uw=2**64)])),
    "negative": dump(drive(states=[state(True, exit_latency_us=-1)])),
    "fraction": dump(drive(states=[state(True, exit_latency_us=1.5)])),
    "text-for-number": dump(drive(apsta="1", states=[])),
    "nan": b'{"schema": "ssdpm.model/1", "apsta": NaN}',
    "twice": dump(SMALL)[:-1] + b', "k\\u0069nd": null}',
    "escapes": b'{"schema": "ssdpm\\u002emodel\\/1", "kind": "nvme", '
               b'"product": "\\"\\\\ \\u0041", "states": '
               b'[{"operational": true}]}',
    "surrogates": b'{"\\ud83d\\ude00": 1, "\\ud800": 2, '
                  b'"\xf0\x9f\x98\x81": [1e9, -0.5E+3]}',
    "bad-utf-8": b'{"\xed\xa0\x80": 1}',
    "byte-order-mark": b"\xef\xbb\xbf" + dump(SMALL),
    "nested": b"[" * 40,
    "cut-off": dump(SLEEPY)[:300],
}

SMARTCTL_HEAD = b"""\
smartctl 7.3 2022-02-28 r5338 [x86_64-linux-6.1.0] (local build)

=== START OF INFORMATION SECTION ===
Model Number:                       Fixture SSD 256GB
Firmware Version:                   FW 1.0
PCI Vendor/Subsystem ID:            0x1234
"""
SMARTCTL_TABLE = b"""
Supported Power States
St Op     Max   Active     Idle   RL RT WL WT  Ent_Lat  Ex_Lat
 0 +     3.50W    1.80W       -    0  0  0  0        0       0
 1 -   0.0200W       -        -    3  3  3  3     3900   11000
 2 -   0.0050W       -        -    4  4  4  4     5000   39000
"""
SMARTCTL_LBA = b"""
Supported LBA Sizes (NSID 0x1)
Id Fmt  Data  Metadt  Rel_Perf
 0 +     512       0         2
"""
SMARTCTL_SATA = b"""\
=== START OF INFORMATION SECTION ===
Device Model:     Fixture SATA SSD
Firmware Version: 7
ATA Version is:   ACS-2 T13/2015-D revision 3
SATA Version is:  SATA 3.1, 6.0 Gb/s (current: 3.0 Gb/s)
"""
SMARTCTL_WHOLE = SMARTCTL_HEAD + SMARTCTL_TABLE + SMARTCTL_LBA

SMARTCTL_TEXT = {
    "empty": b"",
    "whole": SMARTCTL_WHOLE,
    "limit-100-us": SMARTCTL_WHOLE + b"\0\0\x85\x00\x64",
    "info-alone": SMARTCTL_HEAD,
    "table-alone": SMARTCTL_TABLE,
    "cut-off": SMARTCTL_WHOLE[:-150],
    "twice": SMARTCTL_WHOLE * 2,
    "crlf": SMARTCTL_WHOLE.replace(b"\n", b"\r\n"),
    "quoted": SMARTCTL_WHOLE.replace(b"\n", b"\n> "),
    "empty-lines": SMARTCTL_WHOLE.replace(b"\n", b"\n\n"),
    "gap": SMARTCTL_TABLE.replace(b"\n 1", b"\n 3"),
    "beyond-32-bits": SMARTCTL_TABLE.replace(b"39000", b"4294967296"),
    "largest": SMARTCTL_TABLE.replace(b"39000", b"4294967295").replace(
        b"0.0050W", b"655.35W"),
    "sata": SMARTCTL_SATA,
    "sata-apm": SMARTCTL_SATA + b"APM level is:     254 (maximum)\n",
    "sata-no-apm": SMARTCTL_SATA + b"APM feature is:   Unavailable\n",
    "sata-and-nvme": SMARTCTL_SATA + SMARTCTL_HEAD,
    "no-drive": SMARTCTL_HEAD[:64] + b"\n/dev/nvme0: Permission denied\n",
}


def smartctl_state(sleeps, value, scale=2, **members):
    return {"non_operational_state": sleeps, "relative_read_latency": 1,
            "relative_write_throughput": 2, "entry_latency_us": 5,
            "max_power": {"value": value, "scale": scale,
                          "units_per_watt": 100 if scale == 2 else 10000},
            **members}


SMARTCTL_NVME = {
    "json_format_version": [1, 0], "smartctl": {"version": [7, 5]},
    "device": {"protocol": "NVMe"}, "model_name": "Fixture SSD 256GB",
    "firmware_version": "FW 1.0", "nvme_pci_vendor": {"id": 4660},
    "nvme_power_states": [
        smartctl_state(False, 350),
        smartctl_state(True, 50, 1, exit_latency_us=39000)],
}

MODEL_JSON |= {
    "smartctl": dump(SMARTCTL_NVME),
    "smartctl-part": dump({
        "nvme_power_states": SMARTCTL_NVME["nvme_power_states"]}),
    "smartctl-7.3": dump({
        "smartctl": {"version": [7, 3]}, "device": {"protocol": "NVMe"}}),
    "smartctl-sata": dump({
        "smartctl": {"version": [7, 3]}, "device": {"protocol": "ATA"},
        "model_name": "Fixture SATA SSD", "firmware_version": "7",
        "interface_speed": {"max": {"sata_value": 14}},
        "ata_apm": {"enabled": True, "level": 254}}),
    "smartctl-scsi": dump({
        "smartctl": {"version": [7, 3]}, "device": {"protocol": "SCSI"}}),
}


def swapped(text, size):
    """The words of a text of IDENTIFY DEVICE data."""
    data = text.encode().ljust(size)
    return struct.unpack(f">{size // 2}H", data)


def ata_words(**changes):
    words = {0: 0x0040, 76: 0x010E, 78: 0x0108, 79: 0x0008, 83: 0x4008,
             86: 0x0008, 87: 0x4000, 91: 128}
    words |= dict(enumerate(swapped("FW 2.0", 8), 23))
    words |= dict(enumerate(swapped("Fixture SATA SSD", 40), 27))
    return words | {int(name[1:]): value for name, value in changes.items()}


def ata_bytes(**changes):
    words = ata_words(**changes)
    return struct.pack("<256H", *(words.get(i, 0) for i in range(256)))


def sketch(first=1, **changes):
    words = ata_words(**changes)
    return bytes([first]) + b"".join(
        struct.pack("<BH", *word) for word in words.items())


def ata_hex(count=256, line=8, **changes):
    words = struct.unpack("<256H", ata_bytes(**changes))[:count]
    lines = (words[i:i + line] for i in range(0, count, line))
    return "".join(
        " ".join(f"{word:04x}" for word in line) + "\n" for line in lines
    ).encode()


def chunk(tag, data):
    return tag + struct.pack(">I", len(data)) + data


ATA_IDENTIFY = {
    "empty": b"",
    "raw": ata_bytes(),
    "sketch": sketch(),
    "no-checksum": sketch(0),
    "wrong-checksum": sketch(0, w255=0x00A5),
    "zeros": bytes(512),
    "atapi": sketch(w0=0x85C0),
    "not-valid": sketch(w76=0, w83=0, w87=0),
    "all-ones": sketch(w76=0xFFFF),
    "everything": sketch(w76=0xE70E, w78=0x0108, w79=0x0188, w91=0x40FE),
    "blank-names": sketch(**{f"w{i}": 0x2020 for i in range(23, 47)}),
    "not-ascii": sketch(w30=0xC3BC),
    "odd-firmware": sketch(w24=0x01FF),
}
ATA_IDENTIFY_HEX = {
    "sysfs": ata_hex(),
    "one-line": ata_hex(line=256),
    "istdout": b"\n/dev/sda:\n" + ata_hex().replace(b"\n", b"\r\n"),
    "upper": ata_hex(w76=0xE70E).upper(),
    "prose": b"Hello,\ndead beef\n" + ata_hex(line=16) + b"Thanks\n",
    "255-words": ata_hex(count=255),
    "two": ata_hex() + b"/dev/sdb:\n" + ata_hex(),
    "zeros": b"0000 " * 256,
    "eight": ata_hex(count=8),
}
ATASMART_BLOB = {
    "whole": chunk(b"IDFY", ata_bytes()) + chunk(b"SMST", b"\0\0\0\1"),
    "turned": chunk(b"SMTH", bytes(9)) + chunk(b"IDFY", ata_bytes()),
    "no-identify": chunk(b"SMST", b"\0\0\0\1"),
    "zeros": chunk(b"IDFY", bytes(512)),
    "twice": chunk(b"IDFY", ata_bytes()) * 2,
    "short": chunk(b"IDFY", bytes(511)),
    "cut": chunk(b"IDFY", ata_bytes())[:500],
    "huge": b"IDFY\xff\xff\xff\xff" + bytes(16),
    "unknown": chunk(b"SMDT", b"") + chunk(b"NEWS", b"x"),
}

HDPARM_HEAD = b"""
/dev/sda:

ATA device, with non-removable media
\tModel Number:       Fixture SATA SSD
\tFirmware Revision:  FW 2.0
Capabilities:
\tAdvanced power management level: 254
"""
HDPARM_LIST = b"""Commands/features:
\tEnabled\tSupported:
\t   *\tAdvanced Power Management feature set
\t   *\tGen1 signaling speed (1.5Gb/s)
\t   *\tGen2 signaling speed (3.0Gb/s)
\t   *\tHost-initiated interface power management
\t    \tDevice-initiated interface power management
\t   *\tDevice Sleep (DEVSLP)
"""
HDPARM_END = b"""Security:
Device Sleep:
\tDEVSLP Exit Timeout (DETO): 50 ms (drive)
Checksum: correct
"""
HDPARM_TEXT = {
    "whole": HDPARM_HEAD + HDPARM_LIST + HDPARM_END,
    "cut": HDPARM_HEAD + HDPARM_LIST,
    "no-list": HDPARM_HEAD + HDPARM_END,
    "only-list": HDPARM_LIST + HDPARM_END,
    "quoted": (HDPARM_HEAD + HDPARM_LIST).replace(b"\n", b"\r\n> "),
    "two": HDPARM_HEAD * 2,
    "disabled": b"Advanced power management level: disabled\n",
    "old-level": b"Advanced power management level: 128 (0x80)\n",
    "old-names": b"Commands/features:\n * SATA-I signaling speed\n"
                 b"* unknown 76[13]\n* unknown 76[14]\n* unknown 78[8]\n"
                 b"SCT Features Control\n",
    "all-ones": HDPARM_LIST + b"* unknown 76[0]\n",
    "atapi": b"ATAPI CD-ROM, with removable media\n",
    "checksum": HDPARM_HEAD + b"Checksum: incorrect (0x12)\n",
    "nothing": b"Firmware Revision: 1\n",
}

def nvme_cli_json(psds, **members):
    return dump({"vid": 0x1234, "mn": "Fixture SSD 256GB   ", "fr": "FW 1.0  ",
                 "npss": len(psds) - 1, "apsta": 1, **members, "psds": psds})


LATENCIES = {"entry_lat": 3900, "exit_lat": 11000, "read_tput": 3,
             "read_lat": 3, "write_tput": 3, "write_lat": 3}

MODEL_JSON |= {
    "nvme-cli-1.x": nvme_cli_json([
        {"max_power": 350, "flags": 0, **LATENCIES, "idle_power": 63,
         "idle_scale": 128, "active_power": 180, "active_work_scale": 130},
        {"max_power": 50, "flags": 3, **LATENCIES, "entry_lat": -1}]),
    "nvme-cli-2.3": nvme_cli_json([
        {"max_power": 50, "flags": 3, **LATENCIES, "idle_power": 63,
         "idle_scale": 1, "active_power": 180, "active_power_work": 2,
         "active_scale": 2}]),
    "nvme-cli-times": nvme_cli_json([
        {"max_power": 50, "max_power_scale": 1, "non-operational_state": 1,
         **LATENCIES, "emerg_power_fail_recover_time": 99,
         "emerg_power_fail_recover_scale": 12, "force_quiesce_vault_time": 7,
         "force_quiesce_vault_scale": 1, "emerg_power_fail_vault_time": 5,
         "emerg_power_fail_vault_scale": 13}]),
    "nvme-cli-quoted": nvme_cli_json([{"flags": "0x1", "max_power": "7"}]),
    "nvme-cli-cut-off": nvme_cli_json([{"flags": 1}], npss=4),
    "nvme-cli-empty": b'{"psds": []}',
}

NVME_CLI_HEAD = """NVME Identify Controller:
vid     : 0x1234
mn      : Fixture SSD 256GB
fr      : FW 1.0
npss    : %d
apsta   : 0x1
"""
NVME_CLI_AWAKE = """\
ps    0 : mp:3.50W operational enlat:0 exlat:0 rrt:0 rrl:0
          rwt:0 rwl:0 idle_power:0.6300W active_power:1.80W
"""
NVME_CLI_ASLEEP = """\
ps    1 : mp:0.0050W non-operational enlat:5000 exlat:39000 rrt:4 rrl:4
          rwt:4 rwl:4 idle_power:- active_power:-
"""
NVME_CLI_TIMES = """\
            active_power_workload:80K 128KiB SW
            emergency power fail recovery time: 6 (unit: 10 microseconds)
            forced quiescence vault time: 99 (unit: 1,000,000 seconds)
            emergency power fail vault time: reserved
"""
NVME_CLI_TABLE = NVME_CLI_AWAKE + NVME_CLI_ASLEEP

NVME_CLI_TEXT = {
    "empty": "",
    "laptop": NVME_CLI_HEAD % 1 + NVME_CLI_TABLE,
    "laptop-legacy": NVME_CLI_HEAD % 1 + NVME_CLI_TABLE + "\0\x01",
    "table": NVME_CLI_TABLE,
    "times": NVME_CLI_AWAKE + NVME_CLI_TIMES,
    "quoted": "> " + NVME_CLI_TABLE.replace("\n", "\r\n> "),
    "cut-off": NVME_CLI_HEAD % 4 + NVME_CLI_TABLE,
    "cut-off-line": NVME_CLI_TABLE[:-100],
    "head-only": NVME_CLI_HEAD % 1,
    "gap": NVME_CLI_ASLEEP,
    "twice": NVME_CLI_AWAKE * 2,
    "doubtful": NVME_CLI_AWAKE.replace("0.6300", "7.02").replace("1.80",
                                                                 "5.02"),
    "signed": NVME_CLI_AWAKE.replace("enlat:0", "enlat:-1"),
}


# PS0 to PS2 go to PS3 after 100 ms, that goes to PS4 after 2 s.
TABLE = struct.pack("<4Q", 0x6418, 0x6418, 0x6418, 0x7d020).ljust(256, b"\0")
HEADER = "get-feature:0x0c (Autonomous Power State Transition), "


def entry(number, idle_ms, target):
    return (f"\tEntry[{number:2}]   \n\t.................\n"
            f"\tIdle Time Prior to Transition (ITPT): {idle_ms} ms\n"
            f"\tIdle Transition Power State   (ITPS): {target}\n"
            "\t.................\n")


def nvme_text(header, entries):
    return (header + "\tAutonomous Power State Transition Enable (APSTE): Enabled\n"
            "\tAuto PST Entries\t.................\n" + "".join(entries)).encode()


def nvme_dump(data):
    lines = ["       0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f"]
    for at in range(0, len(data), 16):
        lines.append(f"{at:04x}: {data[at:at + 16].hex(' ')} \"................\"")
    return "\n".join(lines) + "\n"


ENTRIES = [entry(i, 100, 3) for i in range(3)] + [entry(3, 2000, 4)]
LISTED = [{"state": i, "target": 3, "idle_ms": 100} for i in range(3)]
LISTED.append({"state": 3, "target": 4, "idle_ms": 2000})

PROFILES = {
    "empty": b"",
    "one": b"[travel]\nbased_on = power-saver\nbattery.lpm = medium_power\n",
    "all": b"[a]\nac.max_exit_latency=25ms\nbattery.max_exit_latency=any\n"
           b"primary_timeout=0.05s\nprimary_latency_tolerance=1.5 ms\n"
           b"secondary_timeout = 0us\r\nsecondary_latency_tolerance = 1s\n"
           b"lpm = min_power_with_partial med_power_with_dipm\nreason = r\n",
    "two": b"; c\n[balanced]\nlpm=min_power\n\n[b]\nbased_on=balanced\n",
    "many": b"".join(b"[p%d]\nlpm = min_power\n" % i for i in range(33)),
    "twice": b"[a]\nlpm = min_power\nac.lpm = min_power\n",
    "no-head": b"lpm = min_power",
    "no-key": b"[a]",
    "long": b"[a]\nlpm=min_power\nreason=" + b"x" * 300,
}

INTENT = {
    "empty": b"",
    "auto": b"[machine]\nprofile = auto\n",
    "all": b"# c\n[machine]\nac.profile = mine\nbattery.profile=none\n"
           b"max_exit_latency = 25ms\nlpm = min_power medium_power\npower_state=0\n"
           b"workload_hint = 7\nac.nopp = on\nbattery.nopp = off\n"
           b"primary_timeout = 50ms\nsecondary_latency_tolerance = 1s\n"
           b"[drive]\r\nkind=nvme\r\nmodel = F[a-z]*SSD ???GB\r\nprofile = auto\r\n"
           b"[drive]\nserial=*\nport = 0000:01:00.?\ndesktop_profile=power*\nnopp=on\n"
           b"[desktop]\npower-saver = mine\nbalanced = none\n"
           b"[profile mine]\nbased_on=balanced\nac.primary_timeout=1s\n",
    "no-section": b"profile = auto",
    "no-drives": b"[drive]\nnopp=on",
    "sets-nothing": b"[drive]\nkind = sata\n[machine]\n",
    "twice": b"[machine]\nac.nopp = on\nnopp = on\n",
    "no-profile": b"[desktop]\nx = y\n",
    "fault-in-a-profile": b"[machine]\nprofile=auto\n[profile a]\nlpm=x\n",
    "many-lines": b"[machine]\nnopp=on\n" * 1025,
}

APST_DATA = {
    "empty": b"",
    "raw": TABLE,
    "raw-off": bytes(256),
    "raw-reserved-bit": b"\x01" + TABLE[1:],
    "raw-short": TABLE[:255],
    "hex": TABLE.hex().encode(),
    "hex-lines": TABLE.hex(" ", 8).replace(" ", "\r\n").encode(),
    "hex-short": TABLE.hex()[:100].encode(),
    "text": nvme_text(HEADER + "Current value:0x00000001\n", ENTRIES),
    "text-old": nvme_text(HEADER.replace("0x0c", "0xc") + "Current value:0x000001\n",
                          ENTRIES + [entry(i, 0, 0) for i in range(4, 32)]),
    "text-off": (HEADER + "Current value:00000000\n" + ENTRIES[0]).encode(),
    "text-range": b"Entry [4-31] are:\n(ITPT) : 0 ms\n(ITPS) : 0\n",
    "text-quoted": b"> Entry[ 0]\r\n> (ITPT): 100\r\n> (ITPS): 3\r\n",
    "text-twice": nvme_text(HEADER, ENTRIES) * 2,
    "text-half": b"Entry[ 0]\n(ITPT): 100\n",
    "text-other-feature": b"get-feature:0x07 (x), Current value:1\nEntry[ 0]\n",
    "text-capabilities": (HEADER + "Supported capabilities value:0x5\n").encode(),
    "dump": (HEADER + "Current value:0x00000001\n" + nvme_dump(TABLE)).encode(),
    "dump-short": nvme_dump(TABLE[:32]).encode(),
    "dump-xxd": b"00000000: 1864 0000 0000 0000 1864 0000 0000 0000  .d.......d......",
    "dump-gap": nvme_dump(TABLE)[180:].encode(),
    "json": dump({"schema": "ssdpm.apst/1", "raw": TABLE.hex(), "entries": LISTED,
                  "sent": True, "enabled": True}),
    "json-raw": dump([{"schema": "ssdpm.apst/1", "raw": TABLE.hex()}]),
    "json-entries": dump({"schema": "ssdpm.apst/1", "entries": LISTED}),
    "json-differ": dump({"schema": "ssdpm.apst/1", "entries": [], "raw": TABLE.hex()}),
    "json-off": dump({"schema": "ssdpm.apst/1", "entries": [], "enabled": False}),
    "json-many": b"[" + b"1," * 1100 + b"1]",
}
QUIRKS = {
    "empty": b"",
    "one": b"[nvme a b]\nproduct = Fixture*\nquirks = no-apst\n",
    "ids": b"[nvme x]\npci = 1234:5678\npci.product = F*\npci.perhaps = ?\n"
           b"vendor=1234\nquirks=no-deepest-ps no-apst",
    "sata": b"[sata x]\nsata_generations = 1 2\nfirmware = [F-G]W*\n"
            b"quirks = no-lpm-on-ati\n[sata y]\nquirks=none\n",
    "host": b"; a host\r\n[ahci x]\r\ndmi.board_name = B\\oard\r\n"
            b"dmi.bios_before = 20180407\r\ndmi.sys_vendor=*\r\n"
            b"quirks = no-lpm\r\n",
    "release": b"[nvme x]\nlinux = 6.12.1\nabsent = 6.1\nsource = here\n"
               b"quirks = simple-suspend\n",
    "no-head": b"quirks = none",
    "no-quirks": b"[nvme x]",
    "many": b"[nvme x]\nquirks=no-apst\n" * 40,
    "stars": b"[nvme x]\nquirks=none\nproduct=" + b"*a" * 500,
}
ROWS = b"1 0 8 8 1\n5 0 16 8 0\n"
MD5 = b"00112233445566778899aabbccddeeff"
BLKREPLAY = b"start ; sector; length ; op ;  replay_delay=0 ; replay_duration=0\n"
TRACE_DELIMITED = {
    "empty": b"",
    "msr": b"128166372003061629,usr,0,Read,4096,512,41286\n"
           b"128166372003061000,usr,0,Write,4096,512,1\n",
    "spc": b"0,303567,3584,w,0.026214\n1,8,512,R,28.4,x\n",
    "fiu": b"89966180383 4253 nfsd 508941856 8 W 6 0 " + MD5 + b"\n",
    "mqsim": ROWS,
    "mqsim-named": b"\x0b\0" + ROWS,
    "disksim": b"0.5 0 8 8 1\n1.0000001 1 8 8 2\n",
    "disksim-named": b"\x0c\0" + ROWS,
    "blkreplay": b"words\n" + BLKREPLAY + b"words\n" + BLKREPLAY
                 + b"  0.5 ;  8 ;  8 ; RA ; 0.0 ; 0.0\n",
    "pixel": b"proces,device,rw_flag,sector,size,timestamp\r\n"
             b"a-1,8388608,W,8,8,660881.0188740001\r\n",
    "procmon": b"rel_time_s,process,op,offset,length,duration_s\r\n"
               b"0.5518027,System,WriteFile,0,4096,0.0035803\r\n",
    "own": b"start_ns,offset,bytes,service_ns,op,flags\n"
           b"1,0,0,4294967295,flush,0\n9,0,512,,read,1\n5,8,8,77,discard,0",
    "long-devices": b"0.5 0 8 8 1\n0.6 " + b"\x8c" * 99 + b" 8 8 6\n",
    "columns": b"time:ms,op,-,offset:512,bytes:sectors,service:us,...;skip=1;"
               b"read=R|0;write=W;discard=D;unknown=-;after=go\0head\ngo\nrows\n"
               b"1.5,R,\"a,b\",8,8,7,x\n 1 ,D, ,0,9000000,-,\n",
    "columns-tab": b"bytes,time:filetime,device,device,op,offset;separator=tab\0"
                   b"512\t99\t0\t\tread\t18446744073709551615\n",
    "columns-bad": b"time:s,offset,bytes,op;separator=x\0" + ROWS,
    "numbers": b"time:s,offset,bytes,op\0"
               b"18446744073.709551615,00000000000000000000001,4294967296,r\n"
               b"18446744073.709551616,1,1,r\n-1,1,1,r\n1e3,1,1,r\n1.,1,1,w\n",
    "discard": b"time:ns,offset,bytes,op\0" b"1,0,9663676929,d\n"
               b"2,0,281474976710657,d\n",
}
DTYPE = ("[('start_ns', '<u8'), ('offset', '<u8'), ('bytes', '<u4'), "
         "('service_ns', '<u4'), ('op', '|u1'), ('flags', '|u1'), ('', '|V6')]")
IO = struct.pack("<QQIIBB6x", 5, 4096, 512, 2**32 - 1, 1, 0)


def npy(n, version=1, dtype=DTYPE):
    text = f"{{'descr': {dtype}, 'fortran_order': False, 'shape': ({n},), }}"
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text.encode()


TRACE_NPY = {
    "empty": b"",
    "records": IO * 3,
    "records-bad": IO + bytes(32) + IO[:24] + b"\x04\x01abcdef" + IO[:9],
    "whole": npy(2) + IO * 2,
    "version-2": npy(1, 2) + IO,
    "version-3": npy(1, 3) + IO + b"x",
    "version-4": npy(1, 4) + IO,
    "reserved": npy(1, 1, DTYPE.replace("'', '|V6'", "'reserved', '|u1', (6,)")) + IO,
    "big-endian": npy(1, 1, DTYPE.replace("<", ">")) + IO,
    "cut": npy(2) + IO,
    "cut-head": npy(2)[:99],
}


def zstd(data):
    """One frame with one block that is not packed (RFC 8878)."""
    return (b"\x28\xb5\x2f\xfd\x20" + bytes([len(data)])
            + struct.pack("<I", len(data) << 3 | 1)[:3] + data)


TRACE_UNPACK = {
    "empty": b"",
    "plain": ROWS,
    "gzip": gzip.compress(ROWS, mtime=0),
    "gzip-members": gzip.compress(ROWS[:7], mtime=0) + gzip.compress(ROWS[7:], mtime=0),
    "gzip-cut": gzip.compress(ROWS, mtime=0)[:-3],
    "gzip-trailer": gzip.compress(ROWS, mtime=0) + bytes(9),
    "gzip-many": gzip.compress(ROWS * 9000, mtime=0),
    "zstd": zstd(ROWS),
    "zstd-frames": zstd(ROWS[:7]) + zstd(b"") + zstd(ROWS[7:]),
    "zstd-cut": zstd(ROWS)[:-3],
    "zstd-trailer": zstd(ROWS) + b"x",
    "zstd-skippable": b"\x50\x2a\x4d\x18\x02\0\0\0ab" + zstd(ROWS),
    "xz": lzma.compress(ROWS),
    "xz-streams": lzma.compress(ROWS[:7]) + bytes(4) + lzma.compress(ROWS[7:]),
    "xz-cut": lzma.compress(ROWS)[:-3],
    "xz-trailer": lzma.compress(ROWS) + bytes(5),
    "xz-filters": lzma.compress(ROWS, check=lzma.CHECK_SHA256, filters=[
        {"id": lzma.FILTER_DELTA, "dist": 2},
        {"id": lzma.FILTER_LZMA2, "dict_size": 1 << 16},
    ]),
    "bzip2": bz2.compress(ROWS),
    "bzip2-streams": bz2.compress(ROWS[:7]) + bz2.compress(ROWS[7:]),
    "bzip2-cut": bz2.compress(ROWS)[:-3],
    "bzip2-trailer": bz2.compress(ROWS) + b"x",
    "utf-16": ROWS.decode().encode("utf-16"),
    "utf-16-be": b"\xfe\xff" + ROWS.decode().encode("utf-16-be"),
    "utf-16-pair": "\ufeff1 \U0001f600 8 8 1\n".encode("utf-16-le"),
    "utf-16-odd": ROWS.decode().encode("utf-16")[:-1],
    "utf-16-gzip": gzip.compress(ROWS.decode().encode("utf-16"), mtime=0),
}


def events(*lines, device="8,0"):
    """blkparse's lines from (ns, "D R 8 + 8 [a]")."""
    return "".join(f"  {device}    0  1  {ns // 10**9:5}.{ns % 10**9:09}  7  {rest}\n"
                   for ns, rest in lines).encode()


def event(ns, action, sector=8, size=4096, more=b"", order="<", magic=0x65617407):
    """An event of blktrace: struct blk_io_trace."""
    return struct.pack(order + "IIQQIIIIIHH", magic, 1, ns, sector, size, action, 7,
                       8 << 20, 0, 0, len(more)) + more


PAIR = ((1, "D   R 8 + 8 [a]"), (9, "C   R 8 + 8 [0]"))
D, C, I, Q, R = 7 | 1 << 22, 8 | 1 << 23, 12 | 1 << 20, 1 | 1 << 20, 6 | 1 << 21
WRITE, FLUSH, DISCARD, PC, NOTIFY = 1 << 17, 1 << 18, 1 << 29, 1 << 25, 1 << 26
TRACE_BLKPARSE = {
    "pair": events(*PAIR),
    "all": events((1, "Q  WS 8 + 8 [a]"), (2, "G  WS 8 + 8 [a]"), (3, "P   N [a]"),
                  (4, "I  WS 8 + 8 [a]"), (5, "U   N [a] 1"), (6, "D  WS 8 + 8 [a]"),
                  (7, "m   N a b c"), (8, "A   W 8 + 8 <- (8,1) 0"),
                  (9, "X   W 8 / 12 [a]"), (10, "C  WS 8 + 8 [0]"))
           + b"CPU0 (8,0):\n Reads Queued: 0\n\nTotal (8,0):\n",
    "queued": events((1, "Q   R 8 + 8 [a]"), (9, "C   R 8 + 8 [0]")),
    "inserted": events((1, "I   R 8 + 8 [a]"), (9, "C   R 8 + 8 [0]")),
    "completions": events((1, "C  RA 8 + 8 [0]"), (2, "C   W 8 + 8 [0]")),
    "issues": events((1, "D   R 8 + 8 [a]"), (2 * 10**11, "D   R 8 + 8 [a]")),
    "late": events((2 * 10**8, "C   R 8 + 8 [0]"), *PAIR, (3, "D   R 8 + 8 [a]")),
    "timeout": events((1, "D   R 8 + 8 [a]"), (31 * 10**9, "C   R 8 + 8 [0]"), *PAIR),
    "requeue": events((0, "D   R 8 + 8 [a]"), (0, "R   R 8 + 8 [0]"), *PAIR),
    "flush": events((1, "D  FN [a]"), (2, "C  FN 0 [0]"), (3, "D FWFS 8 + 8 [a]"),
                    (4, "C FWFS 8 + 8 [0]")),
    "discard": events((1, "D  DS 8 + 18388609 [a]"), (2, "C  DS 8 + 18388609 [0]")),
    "command": events((1, "D   R 36 (12 00 ..) [a]"), (2, "C   R (12 00 ..) [0]")),
    "wrapped": events(*PAIR, (1266874889709551615, "D   R 8 + 8 [a]")),
    "last": events((2**64 - 1, "D   R 36028797018963966 + 1 [a]")),
    "devices": events(*PAIR) + events(*PAIR, device="259,0"),
    "words": b"Input file x\r\n\r\n" + events(*PAIR) + b"???\n",
}
TRACE_BLKTRACE = {
    "pair": event(1, D) + event(9, C),
    "swapped": event(1, D, order=">") + event(9, C, order=">"),
    "all": event(0, NOTIFY, 0, 0, b"12345678") + event(1, Q | WRITE)
           + event(2, I | WRITE) + event(3, D | WRITE) + event(4, R | WRITE)
           + event(5, D | WRITE, more=b"abc") + event(9, C | WRITE),
    "flush": event(1, D | FLUSH, 2**64 - 1, 0) + event(9, C | FLUSH, 0, 0),
    "discard": event(1, D | DISCARD, 8, 2**32 - 512) + event(2, D | PC),
    "version": event(1, D, magic=0x65617406),
    "cut": event(1, D) + event(9, C, more=b"abc")[:-1],
    "damaged": event(1, D) + b"xyz" + event(9, C),
}
SNOOP = "TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n"
TRACE_BIOSNOOP = {name: text.encode() for name, text in {
    "bcc": SNOOP + "1.0 Web Content 1 sda W 8 4096 0.61\n0.9 a 1 sda R 8 512 0.1\n",
    "queue": SNOOP.replace("LAT", "QUE(ms) LAT") + "1.0 a 1 sda W 8 4096 0.01 0.61\n",
    "flush": SNOOP + "1.0 a 1 sda W 0 0 0.61\n",
    "discard": SNOOP + "1.0 a 1 sda D 0 8589934592 0.61\n",
    "early": SNOOP + "0.000004 a 1 sda W 8 4096 0.61\n" + SNOOP,
    "disks": SNOOP + "1.0 a 1 sda W 8 4096 0.61\n1.0 a 1 sdb W 8 4096 0.61\n",
    "bpftrace": "Attaching 4 probes...\nTIME(ms) DISK COMM PID LAT(ms)\n611 vda a 4 10\n",
    "bpftrace-numbers": "TIME(ms) DISK ID COMM PID LAT(ms)\n MAJOR MINOR\n611 8 0 a 4 1\n",
    "iosnoop": "STARTs ENDs COMM PID TYPE DEV BLOCK BYTES LATms\n"
               "2.1 2.2 a 1 WS 202,1 8 4096 0.62\n^C\nEnding tracing...\n",
    "iosnoop-no-times": "COMM PID TYPE DEV BLOCK BYTES LATms\na 1 W 202,1 8 512 1.3\n",
    "latencies": "TIMEus DELTAus\n100 10\n90000000 80000000\n90000001 5000000000\n",
}.items()}


V3 = b"fio version 3 iolog\n"
PROCMON_HEAD = '"Time of Day","Process Name","Operation","Result","Detail"'
FLAGS = ", I/O Flags: Non-cached, Paging I/O"


def vscsi(version, *ios):
    """Records of vscsiStats from (command, bytes, sector, us)."""
    if version == 1:
        return b"".join(struct.pack("<IIIHHQQ", 1, n, 1, command, 256, sector, us)
                        for command, n, sector, us in ios)
    return b"".join(struct.pack("<HHIIIQQQ", command, 512, 1, n, 1, sector, us, 9)
                    for command, n, sector, us in ios)


def requests(*rows):
    """oracleGeneral of libCacheSim from (s, bytes, next)."""
    return b"".join(struct.pack("<IQIq", s, 7, n, at) for s, n, at in rows)


TRACE_TOOLS = {
    "ftrace": b"# tracer: nop\n"
              b" a b-7 [3] d.. 9.831159: block_rq_issue: 8,0 WS 4096 () 8 + 8 [a b]\n"
              b" <idle>-0 [3] d.. 9.831178: block_rq_complete: 8,0 WS () 8 + 8 [0]\n"
              b" k-1 [0] .. 10.1: block_rq_issue: 8,0 FF 0 () 0 + 0 be,0,4 [k]\n",
    "ftrace-policy": b"# policy: 8,0 base 9000 8 7 6 sleep 99 999 9999 sleep 9999 99999 8\n"
                     b" a-7 [3] d.. 9.831159: block_rq_issue: 8,0 R 4096 () 8 + 8 [a]\n"
                     b" a-7 [3] d.. 9.831178: block_rq_complete: 8,0 R () 8 + 8 [0]\n"
                     b" a-7 [3] d.. 9.931159: block_rq_issue: 8,0 W 4096 () 8 + 8 [a]\n"
                     b" a-7 [3] d.. 9.931178: block_rq_complete: 8,0 W () 8 + 8 [0]\n",
    "ftrace-lost": b" a-7 9.8: block_rq_complete: 8,0 R () 8 + 8 [0]\n"
                   b"CPU:2 [LOST 12 EVENTS]\n",
    "ftrace-ticks": b" a-7 98: block_rq_issue: 8,0 N 36 (12 00) 18446744073709551615 + 0 [a]",
    "perf": b"r 25 [0]  6.824867: block:block_bio_queue: 8,0 R 8 + 8 [r]\n"
            b"r 25 [0]  6.824868: 1 block:block_rq_issue: 8,0 R 4096 () 8 + 8 0x2,0,4 [r]\n",
    "vscsi-1": vscsi(1, (0x2a, 512, 8, 1), (0x12, 36, 0, 2), (0x88, 512, 9, 3)),
    "vscsi-2": vscsi(2, (0x2a, 512, 8, 1), (0x35, 0, 0, 2), (0x28, 512, 9, 1)),
    "vscsi-cut": vscsi(1, (0x2a, 512, 8, 1), (0x28, 512, 9, 3))[:-5],
    "oracle": requests((0, 4096, 3), (1, 512, -1), (1, 1, 1 << 40), (9, 4096, -1)),
    "procmon": f'''{PROCMON_HEAD}
"11:59:59.9999999 PM","x","ReadFile","SUCCESS","Offset: 2,275, Length: 16,384{FLAGS}"
"12:00:00.1 AM","a ""b""","WriteFile","SUCCESS","Offset: 0, Length: 4.096{FLAGS}"
"11:59:59.9999998 PM","x","FlushBuffersFile","SUCCESS",""
"12:00:00.2 AM","x","ReadFile","END OF FILE","Offset: 0, Length: 9"
"12:00:00.2 AM","x","ReadFile","SUCCESS","Offset: 0, Length: 9"
'''.encode(),
    "procmon-duration": f"""{PROCMON_HEAD},"Duration"
"9:25:35,5","x","ReadFile","SUCCESS","Offset: 1.048.576, Length: 4.096{FLAGS}","0,5"
"09:25:34","x","WriteFile","SUCCESS","Offset: 7 168, Length: 512{FLAGS}","2.0000001"
""".encode(),
    "cloudphysics": b"version,time,op,size,lbn\n1,33898,2a,512,8\n1,33899,28,512,9\n",
}

TRACE_FIO = {
    "empty": b"",
    "v3": V3 + b"0 f add\n0 f open\n1 f read 0 4096\n9 f write 4096 512\n"
          b"12 f sync 7 0\n13 f trim 0 65536\n13 f close\n",
    "v3-long-trim": V3 + b"5 f trim 4096 8589934592\n6 f datasync 0 0\n",
    "v3-two-files": V3 + b"1 a read 0 1\n2 b read 0 1\n",
    "v3-bad": V3 + b"1 a paint 0 1\nx\n\n5 a read -1 2\n4 a read 0 1\n3 a read 0 1",
    "v3-large": V3 + b"18446744073709551 f read 18446744073709551615 4294967295\n",
    "v2": b"fio version 2 iolog\r\nf add\r\nf wait 300 0\r\nf read 0 1\r\n",
    "v2-back": b"fio version 2 iolog\nf wait 300 0\nf wait 3 0\nf read 0 1\n",
    "v4": b"fio version 4 iolog\n",
    "latency": b"0, 292951, 0, 4096, 61440, 0\n7, 2000000, 1, 8192, 774144, 0\n"
               b"9, 500000, 2, 65536, 0, 0x4002\n10, 9000000, 0, 512, 880640, 1\n",
    "latency-short": b"1, 10, 0, 4096\n2, 10, 1, 512, 8192\n2, 10, 1, 512, 1\n",
    "latency-averaged": b"100, 8786, 1, 0, 0, 0\n",
    "latency-bad": b"1, 1, 0, 1\n1, 1, 7, 1\n5\n18446744073709551615, 1, 0, 1\n",
    "latency-long": b"40000, 39000000000, 0, 512\n",
}

# The head of fuzz-sim.c: four states, both loops, a table, pieces, an end; and
# records of eight bytes.
SIM_HEAD = bytes([0x00, 0x51, 0xA5, 0xB3])
SIM_CLOSED = SIM_HEAD + bytes([0, 0, 1, 0, 1, 0, 0, 3, 0xC9, 9, 0x09, 3])
SIM_OPEN = SIM_HEAD + bytes([1, 1, 2, 1, 3, 1, 0, 7, 0xE1, 200, 0, 0])
SIM_RECORDS = b"".join(
    bytes([kind, gap, i % 7, 9, 0x69, 0x91, 0, 0])
    for i, (kind, gap) in enumerate(
        [(32, 0), (33, 0xA9), (98, 0xB1), (48, 0x11), (35, 0xC2), (33, 0)] * 6
    )
)
SIM = {
    "closed": SIM_CLOSED + SIM_RECORDS,
    "open": SIM_OPEN + SIM_RECORDS,
    "one": SIM_CLOSED + SIM_RECORDS[:8],
    "none": SIM_CLOSED + bytes(8),
    "bad-operation": SIM_CLOSED + SIM_RECORDS[:16] + bytes(8),
    "far": SIM_OPEN[:14] + bytes([0xFF, 31]) + SIM_RECORDS,
}


# Changes of a small machine; its paths by number, as capture.c has them.
FILE, PATCHED, LINK, GONE, FOLDER, PIPE, REPEATED = range(7)
COPIED = 0x80
CAPTURE_PATHS = re.findall(
    r'^\t\{ ([A-Z]* ?"[^"]*")',
    (HERE / "capture.c").read_text().partition("} paths[] = {")[2],
    re.M,
)


def changes(*of):
    """(what, a part of the path, text), one after the other."""
    data = b""
    for what, part, text in of:
        index = next(i for i, path in enumerate(CAPTURE_PATHS) if part in path)
        data += bytes([what, index, len(text)]) + text
    return data


CAPTURE = {
    "empty": b"",
    "copied": changes((COPIED | FILE, "hwmon0/name", b"nvme")),
    "no-apst": changes((GONE, "pm_qos", b""), (FILE, "quirks", b"no_apst\n")),
    "no-limit": changes((FILE, "pm_qos", b"any\n"), (GONE, "osrelease", b"")),
    "slow": changes((PATCHED, "nvme0.identify", b"\x48\x08\xff\xff\xff\x7f")),
    "32-states": changes((PATCHED, "nvme0.identify", b"\x07\x01\x1f")),
    "33-states": changes((PATCHED, "nvme0.identify", b"\x07\x01\x20")),
    "short-dump": changes((FILE, "nvme0.identify", b"x"), (GONE, "nvme0.apst", b"")),
    "old": changes((FILE, "osrelease", b"5.10.0-32-amd64"), (GONE, "apst_primary", b""),
                   (GONE, "apst_secondary", b""), (GONE, "_supported", b""),
                   (GONE, "link/l1_aspm", b""), (GONE, "quirks", b"")),
    "out-and-around": changes((LINK, "nvme/nvme1", b"../../../../../etc"),
                              (LINK, "sdb", b"sdb"), (LINK, "NVME \"model", b"/etc/passwd"),
                              (LINK, "host1", b"/sys/class/scsi_host/host0")),
    "odd-names": changes((LINK, "nvme/nvme0", b"../\x1b[31m/nvme0"),
                         (LINK, "driver", b"x/\x1b[31m"), (FILE, "tlp.d", b"\x1b[31m")),
    "pipes": changes((PIPE, "NVME \"model", b""), (PIPE, "nvme0.identify", b""),
                     (PIPE, "tlp.conf", b""), (FOLDER, "NVME \"state", b"")),
    "folders": changes((FOLDER, "nvme0.apst", b""), (FOLDER, "sda.devsleep", b""),
                       (FOLDER, "NVME \"address", b""), (FOLDER, "tlp.conf", b"")),
    "long": changes((REPEATED, "NVME \"quirks", b"no_apst\n"), (REPEATED, "tlp.conf", b"#\n"),
                    (COPIED | REPEATED, "60.rules", b"KERNEL==\"x\", ATTR{a}=\"b\"\n")),
    "multiplier": changes((FOLDER, "link1.1", b""), (FILE, "ATA \"class", b"pmp")),
    "no-hipm": changes((PATCHED, "ATA \"id", b"\x7c\x01010e")),
    "optical": changes((GONE, "block/sda", b""), (FILE, "ATA \"class", b"atapi")),
    "external": changes((FILE, "ahci_port_cmd", b"24c017"), (FILE, "_supported", b"0"),
                        (FILE, "mask_port_ext", b"0000:00:17.0=0x2,")),
    "network": changes((FILE, "transport", b"tcp"), (COPIED, "NVME \"address",
                       b"traddr=192.0.2.7,trsvcid=4420,host_traddr=,x=")),
    "two-paths": changes((LINK, "/nvme1", b"nvme0")),
    "vmd": changes((LINK, "0e.0", b"../../../devices/pci0000:00/0000:00:17.0"),
                   (FILE, "AHCI \"class", b"0x010400"), (GONE, "AHCI \"driver", b""),
                   (GONE, "remapped", b"")),
}

# A byte of parameters, the columns or none, samples.
POWER = {
    "watts": b"\1time_s,power_w\n0,2.5\n0.5,2.25\n1.0,nan\n1.5,-1e3\n",
    "bom": b"\0\xef\xbb\xbfTime (ms);Power [mW]\r\n1;2,5\r\n2;3,5\r\n",
    "iso": b"\1time_iso,volts,milliamperes\n2026-01-31T23:59:59.5Z,3.3,100\n"
    b"2026-02-01 01:00:00+01:00,3.3,inf\n",
    "shunt": b"\x19# time_us shunt_mv\n1e3 10.5\n2e3 11.5\n",
    "counter": b"\x21time_s,energy_uj\n0,262000000\n1,100000\n2,50000\n3,60000\n",
    "named": b"\x05-,power_uw,...\0a,b\n1,2000000,x\n2,3000000,y,\n",
    "cut": b"\1time_s,power_w\n0,1\n1\n",
    "float32": b"\6" + struct.pack("<4f", 2.5, -1, float("nan"), 1e30),
    "int16": b"\7" + struct.pack("<5h", 1, -1, 32767, -32768, 0) + b"x",
}

SURVEY_HEAD = b"""\
# ssdpm survey 1
# drive: Fixture SSD, FW 1
# policies: lpm=a;lpm=b
# interval_s: 3
# duration_s: 6
run,policy,scenario,block,time_s,power_w,latency_us,latency_sd_us,bytes_per_s
"""
SURVEY = {
    "runs": SURVEY_HEAD + b"1,lpm=a,idle,1,600,5.2,,,\n1,lpm=a,idle,1,603,5.3,,,\n"
    b"2,lpm=b,sync,1,600,5,81.5,,\n# interrupted\n"
    b"3,lpm=b,fio:randread,1,,,90,12,4e8\n",
    "twice": SURVEY_HEAD + b"1,lpm=a,idle,1,600,5.2,,,\n2,lpm=a,idle,1,600,5.3,,,\n",
    "of-others": b"power_w;policy\n5,5;a\n4,5;b\n5,25;a\n",
    "cut": b"policy,power_w\na,1\nb\n# resumed\nb,2\nb,",
    "wrong": b"run,policy,power_w\n1,a,5\n1,b,5\n",
}

# What a calibration found.
OVERLAY_VALUE = {"kind": "idle_power_uw", "index": 3, "status": "known", "low": 19800,
                 "nominal": 20000, "high": 20201, "stated": 50000, "exceeds": False,
                 "n": 2500, "reason": None}
OVERLAY_UNKNOWN = {**OVERLAY_VALUE, "kind": "transition_power_uw", "index": 0,
                   "status": "not-identifiable", "low": None, "nominal": None,
                   "high": None, "reason": "why"}
OVERLAY_EXIT = {**OVERLAY_VALUE, "kind": "exit_latency_us", "low": 49000,
                "nominal": 50000, "high": 51000, "stated": 8000, "exceeds": True}
OVERLAY_HEAD = {"schema": "ssdpm.overlay/1", "kind": "nvme", "product": "Fixture",
                "firmware": "FW 1.0", "policy": "linux", "power_name": "p.csv",
                "trace_name": "t.npy", "date": None, "pcie_link": "l1.2", "lpm": None,
                "operational_state": 0, "idle_from_start": False, "n_samples": 4000,
                "n_ios": 777}
OVERLAY_QUALITY = {"n_bins": 4000, "n_spikes": 12, "bin_ns": 50000000,
                   "offset_ns": -1234567, "offset_error_ns": 89, "sigma_uw": 20013,
                   "drift_uw": -1500, "noise_phi_ppm": 600000, "noise_share_ppm": None}


def overlay(*measured, **changes):
    whole = {**OVERLAY_HEAD, **OVERLAY_QUALITY, "measured": list(measured), **changes}
    return json.dumps(whole, indent=1).encode()


OVERLAY = {
    "whole": overlay(OVERLAY_VALUE, OVERLAY_UNKNOWN, OVERLAY_EXIT),
    "none": overlay(),
    "sata": overlay(OVERLAY_VALUE, kind="sata", pcie_link=None, lpm="min_power"),
    "least": json.dumps({"schema": "ssdpm.overlay/1", "kind": "sata",
                         "measured": []}).encode(),
    "twice": overlay(OVERLAY_VALUE, OVERLAY_VALUE),
    "later": overlay(schema="ssdpm.overlay/2"),
    "limits": overlay({**OVERLAY_VALUE, "high": 2**53, "n": 2**64 - 1},
                      offset_ns=-(2**63 - 1), sigma_uw=2**50 - 2),
    "escape": overlay(product="\u001b[2J", date="\ud800"),
    "wa": overlay(OVERLAY_VALUE, measured_wa_milli=2500),
    "no-wa": overlay(measured_wa_milli=999),
}

def prediction(text="", **changes):
    whole = {"schema": "ssdpm.prediction/1", "version": "0.1.0", "predicted_at": None,
             "duration_ns": 2000000000, "nominal_uw": 40, "likely_low_uw": 30,
             "likely_median_uw": 41, "likely_high_uw": 60, "possible_low_uw": 2,
             "possible_high_uw": 70, "priors_version": 3, "parameters": [],
             "model": {}, "measured": None, **changes}
    return (text + json.dumps(whole, indent=1)).encode()


PREDICTION = {
    "whole": prediction(),
    "mark": prediction("\ufeff\n"),
    "measured": prediction(measured={"power_uw": 41, "verdict": "inside-likely"}),
    "crossed": prediction(likely_low_uw=42),
    "limits": prediction(possible_low_uw=0, possible_high_uw=2**64 - 1,
                         priors_version=2**32 - 1),
    "beyond": prediction(possible_high_uw=2**64),
    "least": json.dumps({"schema": "ssdpm.prediction/1", "measured": None}).encode(),
    "later": prediction(schema="ssdpm.prediction/2"),
    "list": b'[{"schema": "ssdpm.prediction/1"}]',
}

# A byte of flags; states, powers and latencies; bounds; then records.
GAPS_DRIVE = bytes([0, 1, 0]) + bytes(range(200, 216))
GAPS = {
    "empty": b"",
    "one": GAPS_DRIVE + bytes([0, 0, 9, 1, 0]),
    "early": GAPS_DRIVE + bytes([32, 255, 0, 255, 255]) * 12,
    "continued": GAPS_DRIVE + bytes([128, 40, 0, 0, 9, 16, 60, 0]) * 9,
    "from-start": bytes([0, 2, 1]) + bytes(range(40, 60)) + bytes([5, 7, 0, 1, 0]) * 20,
    "wild": bytes([1]) + GAPS_DRIVE[1:] * 2 + bytes([7]) + bytes(range(255)),
}



def gaps_data(idle=(), silent=(), early=(), start=7, end=0, busy=(9000, 0, 0, 0),
              n_ios=None, name=b"ssdpm.gaps/1"):
    n_ios = n_ios or (1 + len(idle) - len(silent) + len(early), 0, 0, 0)
    pairs = [number for pair in early for number in pair]
    numbers = (start, end, *busy, *n_ios, 4096, 0, 0, 0, len(idle), len(silent),
               len(early), *idle, *silent, *pairs)
    return name.ljust(16, b"\0") + struct.pack(f"<{len(numbers)}Q", *numbers)


MS = 1000000
GAPS_DATA = {
    "empty": b"",
    "none": gaps_data(),
    "some": gaps_data([MS, 4 * MS, 4 * MS, 95 * MS], [4 * MS],
                      [(MS, 5), (95 * MS, 1), (95 * MS, 7000)], end=3000 * MS),
    "unsorted": gaps_data([4 * MS, MS]),
    "zero": gaps_data([0]),
    "beyond": gaps_data([2**63, 2**63]),
    "start": gaps_data([2**63], start=2**63),
    "silent": gaps_data([4 * MS], [MS]),
    "stray": gaps_data([4 * MS], early=[(MS, 0)]),
    "late": gaps_data([4 * MS], early=[(4 * MS, 9000)]),
    "few": gaps_data([MS, MS], n_ios=(1, 0, 0, 0)),
    "version": gaps_data(name=b"ssdpm.gaps/2"),
    "long": gaps_data([2**62], end=2**62, n_ios=(2**63 - 1, 0, 0, 0)),
}

# Seed, blocks, pages, reserve, collector, choices; pages of the host, bytes of a page;
# then records: operation, offset in eighths and length in sixteenths of a page.
FTL_GREEDY = bytes([1, 5, 6, 0, 1, 0, 0, 48, 16, 0])
FTL_CHOICES = bytes([2, 9, 62, 2, 3, 2, 2, 40, 2, 0])


def ftl_records(*of):
    return b"".join(struct.pack(">BHH", *one) for one in of)


FTL = {
    "none": FTL_GREEDY,
    "fill": FTL_GREEDY + ftl_records(*[(2, 0, 768), (2, 8 * 5, 16)] * 9),
    "pieces": FTL_CHOICES + ftl_records(*[(2, 37 * i, 16 * 60) for i in range(100)]),
    "discard": FTL_GREEDY + ftl_records((2, 0, 640), (4, 4, 80), (1, 0, 9), (3, 0, 0)) * 9,
    "beyond": FTL_GREEDY + ftl_records((2, 0, 16), (4, 8 * 47, 17)),
    "unknown": FTL_GREEDY + ftl_records((2, 0, 16), (5, 0, 16)),
    "too-full": bytes([1, 0, 6, 3, 1, 0, 0, 24, 16, 0]),
    "no-page": bytes([1, 5, 6, 0, 2, 0, 0, 48, 0, 0]),
}

IOPS_LOG = {
    "means": b"\0001000, 500, 1, 0, 0\n2000, 510, 1, 0, 0\n5000, 4, 1, 0\n",
    "both": b"\0011000, 1, 0, 0, 0\n1001, 2, 1, 0, 0\n2002, 3, 0, 0, 0\n",
    "single": b"\0000, 1, 1, 4096, 0\n999, 1, 1, 4096, 0\n2001, 1, 1, 512, 0\n",
    "two-jobs": b"\000501, 49, 1, 0, 0\n1001, 50, 1, 0, 0\n501, 52, 1, 0, 0\n",
    "late": b"\0021048575999, 49, 1, 0, 0\n",
}

HEAD = "%16s-%-7d [%03d] d..1. %s: "
OBSERVED = {
    # thread, time, event; a drive that sleeps is 259,0, one that does not 8,0
    "reads": [
        ("cat", "10.000000", "block_bio_queue: 259,0 R 64 + 8 [cat]"),
        ("cat", "10.000100", "block_rq_issue: 259,0 R 4096 () 64 + 8 [cat]"),
        ("<idle>", "10.000300", "block_rq_complete: 259,0 R () 64 + 8 [0]"),
        ("<...>", "20.5", "block_bio_queue: 8,0 R 800 + 16 [tar]"),
        ("tar", "20.500001", "block_rq_issue: 8,0 R 8192 () 800 + 16 none,0,0 [tar]"),
        ("<idle>", "20.6", "block_rq_complete: 8,0 R () 800 + 16 none,0,0 [0]"),
    ],
    "stacked": [
        ("firefox", "1.0", "writeback_dirty_folio: bdi 254:0: ino=5 index=9"),
        (
            "kworker/u8:1",
            "1.9",
            "writeback_single_inode_start: bdi 254:0: ino=6 state=0x0 dirtied_when=1 "
            "age=30 index=0 to_write=-1 wrote=0 cgroup_ino=77",
        ),
        ("kworker/u8:1", "2.0", "block_bio_queue: 254,0 W 4096 + 16 [kworker/u8:1]"),
        ("kworker/u8:1", "2.0", "block_bio_remap: 259,1 W 100 + 8 <- (254,0) 4096"),
        ("kworker/u8:1", "2.0", "block_bio_remap: 259,0 W 2148 + 8 <- (259,1) 100"),
        ("kworker/u8:1", "2.1", "block_rq_issue: 259,0 W 4096 () 2148 + 8 [x]"),
        ("kworker/u8:1", "2.2", "block_rq_requeue: 259,0 W () 2148 + 8 [0]"),
        ("kworker/1:1H", "2.3", "block_rq_issue: 259,0 W 4096 () 2148 + 8 [x]"),
        ("<idle>", "2.9", "block_rq_complete: 259,0 W () 2148 + 8 [0]"),
    ],
    "flush": [
        ("jbd2/nvme0n1p2-", "1.0", "block_bio_queue: 259,0 FWFS 8 + 8 [jbd2]"),
        ("kworker/0:1H", "1.1", "block_rq_issue: 259,0 FF 0 () 0 + 0 [x]"),
        ("<idle>", "1.2", "block_rq_complete: 259,0 FF () 0 + 0 [0]"),
    ],
    "names": [
        ("\nCPU:0 [LOST 99", "1.0", "block_bio_queue: 259,0 R 64 + 8 [a\nb]"),
        ("a-1 [0] 9.9: ", "1.1", "block_rq_issue: 259,0 R 4096 () 64 + 8 []\n# gap: 8,0 1]"),
        ("-1       [000] ", "1.2", "block_rq_complete: 259,0 R () 64 + 8 [0]"),
    ],
    "admin": [
        ("smartctl", "3.0", "nvme_setup_cmd: nvme0: qid=0, cmdid=12, nsid=1, x"),
        ("kworker/0:1H", "3.0", "nvme_setup_cmd: nvme0: disk=nvme0n1, qid=3, cmdid=1, "),
    ],
    "merged": [
        *((f"p{i}", "1.0", f"block_bio_queue: 259,0 R {8 * i} + 8 [x]") for i in range(6)),
        ("p0", "1.1", "block_rq_issue: 259,0 R 24576 () 0 + 48 [p0]"),
        ("<idle>", "1.2", "block_rq_complete: 259,0 R () 0 + 48 [0]"),
        ("p1", "4294967295.9", "block_rq_issue: 259,0 D 0 () 0 + 4294967295 [p1]"),
        ("<idle>", "5.0", "block_rq_complete: 259,0 D () 0 + 4294967295 [0]"),
    ],
}
OBSERVE = {
    name: "".join(
        HEAD % (thread, 100 + i, i % 4, time) + event + "\n"
        for i, (thread, time, event) in enumerate(events)
    ).encode()
    for name, events in OBSERVED.items()
}
OBSERVE["stacked"] = b"# partition: 259,1 259,0\n" + OBSERVE["stacked"]
POLICY = b"# policy: 259,0 base 1000 2 3 4 sleep 100 2100000 3000000\n"
OBSERVE["policy"] = POLICY + OBSERVE["reads"]
OBSERVE["gap"] = (
    OBSERVE["stacked"]
    + b"# gap: 259,0 1700000000 2500000000 99\n# gap: 259,0 2500000000 3500000000 9\n"
    + OBSERVE["stacked"]
)
OBSERVE["format"] = (
    b"# format: name: block_rq_issue\\nprint fmt: \"<%d:%d> %s %#x %u @%llu\", "
    b"REC->dev, REC->dev, REC->rwbs, REC->flags, REC->nr_sector, REC->sector\n"
    b"CPU:2 [LOST 17 EVENTS]\n"
    b"a [1] b-7 (  7) [002] d..1. 1.5: block_rq_issue: <259:0> R 0x1f 8 @64\n"
    b"x-8 [002] d..1. 1.6: block_rq_complete: 259,0 R () 64 + 8 [0]\n"
)

BISECT_HEAD = b"# ssdpm bisect 1\nerrors 2\nentries 41\n"
BISECT_SUSPECTS = b"suspect apst off PS3 PS4\nsuspect aspm off L1 L1.2\n"
BISECT = {
    "begins": BISECT_HEAD + BISECT_SUSPECTS + b"running 3 boot\n",
    "pair": BISECT_HEAD + BISECT_SUSPECTS + b"good 999\n" * 3 + b"bad 1\ngood 5\nskip 0\n",
    "none": BISECT_HEAD + BISECT_SUSPECTS + b"bad 1\n",
    "undecided": BISECT_HEAD + b"suspect lpm max min\nskip 1\n",
    "settings": BISECT_HEAD
    + b"suspect nvme0:latency_us 0 11000 any\ndeepest nvme0:latency_us\n"
    + b"suspect nvme0:link off l1 l1.2\nsuspect sda:lpm max_performance min_power\n"
    + b"suspect sda:queue_depth 1 32\nrunning 3 boot\n",
    "no-suspect": BISECT_HEAD + b"good 1\n",
    "signs": BISECT_HEAD
    + BISECT_SUSPECTS
    + b"good 9\nbad 1\nsign 62200000 nvme0: timeout\nbad 2\nsign - sda: gone\n",
    "no-error": BISECT_HEAD + b"suspect lpm max min\ngood 9\ngood 9\n",
}
FAULTS = {
    "record": b"4,1234,5934221031,-;nvme nvme0: controller is down; will reset: CSTS=0x3\n",
    "dmesg": b"[ 1461.259288] ata3.00: SError: { PHYRdyChg BadCRC }\n",
    "journal": b"Jan  8 14:50:16 host kernel: I/O error, dev sda, sector 5 op 0x0\n",
    "aer": b"[ 1.5][ T7] nvme 0000:04:00.0: AER: PCIe Bus Error: severity=Corrected, type=x\n",
    "nvme": b"[ 62.2] nvme0n1: Read(0x2) @ LBA 0, 1 blocks, x (sct 0x2 / sc 0x81) DNR\n",
    "medium": b"[ 62.3] critical medium error, dev nvme0n1, sector 1234 op 0x0:(READ)\n",
    "counters": b"RxErr 3\nBadTLP 0\nTOTAL_ERR_COR 3\n",
}

TARGETS = {
    "bisect": BISECT,
    "faults": FAULTS,
    "capture": CAPTURE,
    "identify": IDENTIFY,
    "iops-log": IOPS_LOG,
    "model-json": MODEL_JSON,
    "ata-identify": ATA_IDENTIFY,
    "ata-identify-hex": ATA_IDENTIFY_HEX,
    "atasmart-blob": ATASMART_BLOB,
    "hdparm-text": HDPARM_TEXT,
    "smartctl-text": SMARTCTL_TEXT,
    "apst-data": APST_DATA,
    "intent": INTENT,
    "profiles": PROFILES,
    "quirks": QUIRKS,
    "ftl": FTL,
    "gaps": GAPS,
    "gaps-data": GAPS_DATA,
    "overlay": OVERLAY,
    "prediction": PREDICTION,
    "power": POWER,
    "sim": SIM,
    "survey": SURVEY,
    "trace-biosnoop": TRACE_BIOSNOOP,
    "trace-blkparse": TRACE_BLKPARSE,
    "trace-blktrace": TRACE_BLKTRACE,
    "trace-delimited": TRACE_DELIMITED,
    "trace-fio": TRACE_FIO,
    "trace-npy": TRACE_NPY,
    "observe": OBSERVE,
    "trace-tools": TRACE_TOOLS,
    "trace-unpack": TRACE_UNPACK,
    "nvme-cli-text": {name: text.encode() for name, text in NVME_CLI_TEXT.items()},
}


def found():
    """(target, input) of found.txt: a word, then the bytes as Python has them."""
    for line in (HERE / "found.txt").read_text().splitlines():
        if not line.startswith("#"):
            target, literal = line.split(maxsplit=1)
            yield target, ast.literal_eval(literal)


def main():
    if sys.argv[1:2] == ["--found"] and len(sys.argv) > 3:
        for path in sys.argv[3:]:
            print(sys.argv[2], repr(pathlib.Path(path).read_bytes()))
        return
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    corpus, stamp = map(pathlib.Path, sys.argv[1:])
    for target, inputs in TARGETS.items():
        folder = corpus / target
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name, data in inputs.items():
            (folder / name).write_bytes(data)
    for target, data in found():
        (corpus / target / hashlib.sha1(data).hexdigest()).write_bytes(data)
    stamp.touch()


if __name__ == "__main__":
    main()
