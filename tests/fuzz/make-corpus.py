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


def main():
    targets = {"identify": IDENTIFY, "model-json": MODEL_JSON, "quirks": QUIRKS}
    for target, inputs in targets.items():
        folder = CORPUS / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in inputs.items():
            (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
