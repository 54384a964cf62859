# SPDX-License-Identifier: MIT
"""Real SATA drives: the files of data/raw, and the rows of sata_identify.jsonl.

The files are not in this tree: the variable SSDPM_SHARED names the directory that
holds them; without it, "shared" beside the top of the tree does. No file is a
failure.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import ssdpm
from ssdpm import SataLink

TOP = Path(__file__).resolve().parents[4]
DATA = Path(os.environ.get("SSDPM_SHARED", TOP.parent / "shared")) / "data"

# By hand, out of the files: product, firmware, generations, then what is
# supported, what is enabled, the APM level, and the exit from DevSleep.
LINK = {"hipm", "dipm", "device_auto", "host_auto", "devsleep"}
FILES: dict[str, tuple[str, str, int | None, str, str, int | None, int | None]] = {
    "ata-identify-raw_Samsung_SSD_860_EVO_500GB_RVT01B6Q.bin": (
        "Samsung SSD 860 EVO 500GB", "RVT01B6Q", 3, "dipm devsleep", "", None, 20000,
    ),
    "ata-identify-raw_StarDrive_SBFM61.2.bin": (
        "SATA SSD", "SBFM61.2", 3, "dipm", "", None, None,
    ),
    "hdparm-I_INTEL_SSDSC2KW512G8_LHF002C.txt": (
        "INTEL SSDSC2KW512G8", "LHF002C", 3, "hipm dipm devsleep apm", "apm", 254,
        20000,
    ),
    "hdparm-I_Samsung_SSD_840_EVO_120GB_EXT0DB6Q.txt": (
        "Samsung SSD 840 EVO 120GB", "EXT0DB6Q", 3, "dipm", "", None, None,
    ),
    "hdparm-I_Samsung_SSD_860_EVO_4TB_RVT02B6Q.txt": (
        "Samsung SSD 860 EVO 4TB", "RVT02B6Q", 3, "dipm devsleep", "dipm devsleep",
        None, 50000,
    ),
    "hdparm-I_WDC_WDS400T2B0A_415020WD.txt": (
        "WDC  WDS400T2B0A-00SM50", "415020WD", 3, "dipm devsleep apm", "", None, 30000,
    ),
    "libatasmart-blob_FUJITSU_MHY2250BH--0085000B": (
        "FUJITSU MHY2250BH", "0085000B", 1, "hipm dipm apm", "apm", 128, None,
    ),
    "libatasmart-blob_GIGABYTE_GP-GSTFS31100TNTD.bin": (
        "GIGABYTE GP-GSTFS31100TNTD", "SBFMBB.3", 3, "dipm", "", None, None,
    ),
    "libatasmart-blob_INTEL_SSDSA2MH080G1GC--045C8820": (
        "INTEL SSDSA2MH080G1GC", "045C8820", 2, "dipm", "", None, None,
    ),
    "libatasmart-blob_KINGSTON_SA400S37480G_SBFKQ13.bin": (
        "KINGSTON SA400S37480G", "SBFKQ1.3", 3, "dipm apm", "dipm", None, None,
    ),
    "libatasmart-blob_MCCOE64GEMPP--2.9.09": (
        "MCCOE64GEMPP", "2.9.09", None, "", "", None, None,
    ),
    "libatasmart-blob_Patriot_Burst_240GB.bin": (
        "Patriot Burst", "SBFM91.3", 3, "dipm", "dipm", None, None,
    ),
    "libatasmart-blob_SAMSUNG_MMCRE28G5MXP-0VBH1.bin": (
        "SAMSUNG MMCRE28G5MXP-0VBH1", "VBM19C1Q", 2, "hipm dipm", "", None, None,
    ),
    "libatasmart-blob_TOSHIBA_THNSNH128GBST.bin": (
        "TOSHIBA THNSNH128GBST", "HTRAN101", 3,
        "hipm dipm device_auto host_auto devsleep apm", "apm", 254, 20000,
    ),
}  # fmt: skip
FORMATS = {"ata": "ata-identify", "hdp": "hdparm-text", "lib": "atasmart-blob"}


def attribute(feature: str, what: str) -> str:
    return f"{feature.replace('auto', 'auto_partial_to_slumber')}_{what}"


def link_of(model: ssdpm.Model) -> SataLink:
    assert model.sata is not None
    return model.sata


def check_round_trip(model: ssdpm.Model) -> None:
    again = ssdpm.Model(model.to_json().encode())
    assert again == model
    assert again.sata == model.sata
    assert again.states.tobytes() == model.states.tobytes()


def check_states(model: ssdpm.Model, devsleep_exit_us: int | None) -> None:
    link = link_of(model)
    exits: dict[str | None, int | None] = {"active": None}
    if link.hipm_supported or link.dipm_supported:
        exits |= {"partial": 10, "slumber": 10000}
    if link.devsleep_supported:
        exits["devsleep"] = devsleep_exit_us
    states = model.power_states
    assert {state.link_state: state.exit_latency_us for state in states} == exits


def test_every_file_gives_the_drive_that_a_person_reads_in_it() -> None:
    prefixes = ("ata-identify-raw_", "hdparm-I_", "libatasmart-blob_")
    found = {path.name for path in (DATA / "raw").iterdir()}
    assert {name for name in found if name.startswith(prefixes)} == set(FILES)
    for name, facts in FILES.items():
        product, firmware, generations, supported, enabled, level, exit_us = facts
        model = ssdpm.Model(DATA / "raw" / name)
        assert (model.product, model.firmware) == (product, firmware), name
        assert (model.kind, model.format) == ("sata", FORMATS[name[:3]]), name
        link = link_of(model)
        numbers = None if generations is None else tuple(range(1, generations + 1))
        assert (link.generations, link.apm_level) == (numbers, level), name
        assert link.words_valid is (generations is not None), name
        for feature in LINK | {"apm"}:
            known = generations is not None or feature == "apm"
            wanted = feature in supported.split() if known else None
            assert getattr(link, attribute(feature, "supported")) is wanted, name
            on = getattr(link, attribute(feature, "enabled"))
            if known and feature in ("dipm", "devsleep", "apm"):
                assert on is (feature in enabled.split()), name
            else:
                assert not on, name
        check_states(model, exit_us)
        check_round_trip(model)


def rows() -> list[dict[str, Any]]:
    lines = (DATA / "sata_identify.jsonl").read_text().splitlines()
    result = [json.loads(line) for line in lines]
    assert len(result) == 92
    return result


def put_text(words: list[int], first: int, size: int, text: str) -> None:
    data = text.encode("ascii").ljust(size)
    for i in range(0, size, 2):
        words[first + i // 2] = data[i] << 8 | data[i + 1]


def words_of(row: dict[str, Any]) -> list[int]:
    words = [0] * 256
    words[0] = 0x0040
    put_text(words, 23, 8, row["firmware"])
    put_text(words, 27, 40, row["model"])
    for number, value in row["words"].items():
        words[int(number)] = int(value, 16)
    return words


def check_row(row: dict[str, Any], link: SataLink) -> None:
    """The row's word for a feature that is not supported may be None: not asked."""
    for key, name in (("hipm", "hipm"), ("dipm", "dipm"), ("devslp", "devsleep")):
        supported = getattr(link, f"{name}_supported")
        enabled = getattr(link, f"{name}_enabled")
        assert (supported, enabled) == (row[key]["supported"], row[key]["enabled"])
    apm = row["apm"]
    assert link.apm_supported is apm["supported"]
    assert link.apm_enabled is (apm["enabled"] if apm["supported"] else False)
    level = apm["level"]
    assert link.apm_level == (None if level in (None, "disabled") else int(level))
    generations = row.get("gen")
    if generations is not None or "words" in row:
        assert link.generations == (generations and tuple(generations))


def test_every_row_with_words_decodes_to_its_own_facts() -> None:
    n = 0
    for row in rows():
        if "words" not in row:
            continue
        data = b"".join(word.to_bytes(2, "little") for word in words_of(row))
        model = ssdpm.Model(data)
        link = link_of(model)
        assert (model.product, model.firmware) == (row["model"], row["firmware"])
        check_row(row, link)
        auto = row.get("partial_slumber") or {}
        for key, side in (("dev_auto", "device"), ("host_auto", "host")):
            assert getattr(
                link, f"{side}_auto_partial_to_slumber_supported"
            ) is auto.get(f"{key}_partial_to_slumber")
        assert link.words_valid is (row.get("gen") is not None)
        check_states(model, 20000)
        check_round_trip(model)
        hexadecimal = " ".join(f"{word:04x}" for word in words_of(row))
        assert ssdpm.Model(hexadecimal.encode()).sata == link
        n += 1
    assert n == 35


def hdparm_text(row: dict[str, Any]) -> str:
    """What hdparm -I prints for the drive of a row, as far as we read it."""

    def feature(key: str, name: str) -> list[str]:
        star = row[key]["enabled"] or key == "hipm"
        line = f"\t   {'*' if star else ' '}\t{name}"
        return [line] if row[key]["supported"] else []

    lines = [
        "ATA device, with non-removable media",
        f"\tModel Number:       {row['model']}",
        f"\tFirmware Revision:  {row['firmware']}",
        "Capabilities:",
    ]
    level = row["apm"]["level"]
    if level is not None:
        lines.append(f"\tAdvanced power management level: {level}")
    if row["format"] == "hdparm-I (partial)":
        return "\n".join(lines)
    lines += ["Commands/features:", "\tEnabled\tSupported:"]
    lines += feature("apm", "Advanced Power Management feature set")
    lines += [f"\t   *\tGen{n} signaling speed (1)" for n in row.get("gen", (1,))]
    lines += feature("hipm", "Host-initiated interface power management")
    lines += feature("dipm", "Device-initiated interface power management")
    lines += feature("devslp", "Device Sleep (DEVSLP)")
    deto = row["devslp"].get("deto_ms")
    if deto is not None:
        lines += ["Device Sleep:", f"\tDEVSLP Exit Timeout (DETO): {deto} ms (drive)"]
    return "\n".join([*lines, "Checksum: correct", ""])


def test_every_row_of_hdparm_is_what_its_text_says() -> None:
    n = 0
    for row in rows():
        if not row["format"].startswith("hdparm"):
            continue
        model = ssdpm.Model(hdparm_text(row).encode())
        assert (model.product, model.firmware) == (row["model"], row["firmware"])
        check_row(row, link_of(model))
        check_states(model, 1000 * row["devslp"].get("deto_ms", 20))
        check_round_trip(model)
        n += 1
    assert n == 20


def test_the_rows_of_hdparm_are_what_its_real_texts_say() -> None:
    texts = {}
    for path in (DATA / "raw").glob("hdparm-I_*"):
        model = ssdpm.Model(path)
        texts[model.product, model.firmware] = link_of(model)
    n = 0
    for row in rows():
        link = texts.get((row["model"], row["firmware"]))
        if row["format"] == "hdparm-I" and link:
            check_row(row, link)
            n += 1
    assert n == 4


def test_what_a_kernel_log_says_of_a_drive_survives_json() -> None:
    n = 0
    for row in rows():
        if not row["format"].startswith("kernel-log"):
            continue
        model = ssdpm.Model.from_states(
            [],
            kind="sata",
            product=row["model"],
            firmware=row["firmware"],
            sata=SataLink(
                hipm_supported=row["hipm"]["supported"],
                dipm_supported=row["dipm"]["supported"],
                devsleep_supported=row["devslp"]["supported"],
            ),
        )
        check_round_trip(model)
        assert link_of(model).devsleep_supported is row["devslp"]["supported"]
        n += 1
    assert n == 37
