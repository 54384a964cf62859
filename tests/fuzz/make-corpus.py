#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make the first inputs of the fuzz targets from numbers.

    tests/fuzz/make-corpus.py

What the fuzzer found later stands beside them, named by its hash.
"""

import json
import pathlib
import struct

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"


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
    "sleepy-limit-100-us": dump(SLEEPY) + b"\0\0\x85\x00\x64",
    "sleepy-indented": json.dumps(SLEEPY, indent=2).encode() + b"\n",
    "small": dump(SMALL),
    "list-of-one": dump([SMALL]),
    "list-of-two": dump([SMALL, SLEEPY]),
    "list-empty": b"[]",
    "sata": dump({**SMALL, "kind": "sata", "states": []}),
    "unknown-latency": dump(drive(states=[state(True), state(False)])),
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


def main():
    for target, inputs in (("identify", IDENTIFY), ("model-json", MODEL_JSON),
                           ("apst-data", APST_DATA)):
        folder = CORPUS / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in inputs.items():
            (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
