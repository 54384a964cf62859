#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make the catalogue's data files out of the corpus.

usage: from-corpus.py CORPUS_DIR [SHARED.JSONL...]

SHARED.JSONL has lines of "ssdpm show --share".
Run by hand when the corpus has grown; of its data, nvme_power_states.jsonl with
nvme_trusted.jsonl and sata_identify.jsonl become nvme-drives.tsv and sata-drives.tsv
beside this program, and some of measured_power.tsv ../energy/evidence/published.tsv. A table that is there already keeps its number, so that the difference
to the last time is what is new.
"""

from __future__ import annotations

import collections
import csv
import fnmatch
import json
import pathlib
import re
import sys
from collections.abc import Iterable
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent

UNKNOWN = "?"  # nobody knows
NOT_REPORTED = "-"  # the drive says NVMe's "not reported"

CC_BY = """\
# The rows of bsdhw/SMART, linuxhw/EnterpriseDrive and linuxhw/SMART are from
# https://github.com/bsdhw/SMART and https://github.com/linuxhw, collected by the
# users of bsd-hardware.info and linux-hardware.org: licence CC BY 4.0
# (https://creativecommons.org/licenses/by/4.0/), rewritten into this form. From
# the others, forums and mailing lists among them, facts only: numbers that a
# drive gives.
"""

NVME_HEAD = """\
# SPDX-License-Identifier: MIT AND CC-BY-4.0
# Power states of NVMe drives, as they report them. Made by from-corpus.py.
#
# Sources, with the number of rows from each:
{sources}
#
{licence}#
# Columns, divided by tabulators:
#   state  table, number, operational, maximum power (uW), entry and exit latency
#          (us), ranks RRT RRL RWT RWL, active power (uW), idle power (uW),
#          workload of the active power, what smartctl prints as active power
#          (uW)
#   drive  product, firmware, PCI vendor ID, drives seen, table
# ? is unknown, - is NVMe's "not reported". What smartctl prints has the former
# for idle power; its active power is taken where one scale alone fits, from a tenth
# of the maximum to a tenth more. ~ is that of another drive: of the same vendor, with
# the same table and active power. Nothing here says whether a drive has APST.
"""

SATA_HEAD = """\
# SPDX-License-Identifier: MIT
# Link power management of SATA drives, as they report it. Made by from-corpus.py.
#
# Sources, with the number of rows from each:
{sources}
#
# From all of them facts only: bits and numbers that a drive gives.
#
# Columns, divided by tabulators: product, firmware, drives seen, words 76 to 79
# valid, generations of the link, then supported/enabled of HIPM, DIPM, automatic
# partial to slumber transitions of the device and of the host, DevSleep, APM,
# then the APM level, and whether it is a hard disk: from word 217, or from the
# name where the input lacks that word. ? is unknown.
"""

Row = dict[str, Any]


def read(path: pathlib.Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def read_shared(path: pathlib.Path) -> list[Row]:
    found = read(path)
    for number, one in enumerate(found, 1):
        if (one.get("schema"), one.get("provenance")) != ("ssdpm.model/1", "reported"):
            raise SystemExit(f"{path}:{number}: this is not of ssdpm show --share")
        if not one["product"]:
            raise SystemExit(f"{path}:{number}: the drive has no name: leave it out")
    return [{**one, "source": "owners of drives, ssdpm show --share"} for one in found]


def source_name(text: str) -> str:
    """"bsdhw/SMART" of "bsdhw/SMART [smartctl-text]" and the like."""
    found = re.match(r"linux-mailinglist-archives/(linux-\w+)", text)
    if found:
        return f"the mailing list {found.group(1)}"
    found = re.match(r"[\w.-]+/[\w.-]+", text)
    if found:
        return found.group()
    if text.startswith("owners of drives"):
        return text
    if text.startswith("linux-kernel mailing list"):
        return "the mailing list linux-kernel"
    return "posts and files whose place is not known"


def source_lines(rows: list[Row]) -> str:
    counter: collections.Counter[str] = collections.Counter()
    for row in rows:
        texts = row.get("sources") or [row["source"]]
        counter.update({source_name(text) for text in texts})
    lines = [f"#   {n:4} {name}" for name, n in counter.most_common()]
    return "\n".join(lines)


def by_name(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return (row[0].lower(), row[1].lower(), *row)


# --- NVMe


SCALES = (1, 100, 10_000)  # of 10,000: smartctl may take the wrong one


def uw_of(watts: float | None) -> int | None:
    return None if watts is None else round(watts * 1_000_000)


def true_active_uw(shown: int | None, maximum: int, operational: bool) -> int | None:
    """Where one scale alone gives a power that the state can have."""
    if not shown or not operational:
        return None
    fits = [shown * 100 // scale for scale in SCALES]
    fits = [one for one in fits if maximum <= 10 * one <= 11 * maximum]
    return fits[0] if len(fits) == 1 else None


def max_power_uw(state: Row) -> int:
    return int(state["mp"] * (100 if state["mxps"] else 10_000))


def nvme_state(state: Row, by_smartctl: bool) -> list[str]:
    # smartctl takes the scales of active and idle power from the wrong bits.
    absent = UNKNOWN if by_smartctl else NOT_REPORTED
    active, idle = uw_of(state["active_power_w"]), uw_of(state["idle_power_w"])
    shown = UNKNOWN
    if by_smartctl:
        idle = None
        if active is not None:
            shown = str(active)
        active = true_active_uw(active, max_power_uw(state), state["operational"])
    workload = {"-": "0", "80K 128KiB SW": "2"}.get(
        state.get("active_workload", ""), UNKNOWN
    )
    fields = [
        state["ps"],
        "yes" if state["operational"] else "no",
        max_power_uw(state),
        state["entry_us"],
        state["exit_us"],
        *(state[rank] for rank in ("rrt", "rrl", "rwt", "rwl")),
        absent if active is None else active,
        absent if idle is None else idle,
        workload,
        shown,
    ]
    return list(map(str, fields))


ACTIVE, IDLE, WORKLOAD, SHOWN = range(9, 13)  # columns of a state

Table = tuple[tuple[str, ...], ...]


def nvme_table(row: Row) -> Table:
    by_smartctl = row["format"].startswith("smartctl")
    return tuple(tuple(nvme_state(state, by_smartctl)) for state in row["states"])


def trusted_table(row: Row) -> Table:
    """Of nvme-cli or of raw Identify data."""

    def power(uw: int | None) -> str:
        # Early versions print the power without its fraction.
        lost = "decimals of 0.01 W values wrong" in row["tool"]
        return str(uw) if uw is not None else UNKNOWN if lost else NOT_REPORTED

    return tuple(
        (
            str(number),
            "yes" if state["operational"] else "no",
            *(
                str(state[name])
                for name in (
                    "max_power_uw", "entry_latency_us", "exit_latency_us",
                    "read_throughput_rank", "read_latency_rank",
                    "write_throughput_rank", "write_latency_rank",
                )
            ),
            power(state["active_power_uw"]),
            power(state["idle_power_uw"]),
            "2" if state["active_power_workload"] else UNKNOWN,
            UNKNOWN,
        )
        for number, state in enumerate(row["states"])
    )  # fmt: skip


def bare(table: Table) -> Table:
    """What both tools print alike."""
    return tuple(state[:ACTIVE] for state in table)


def without_workload(table: Table) -> Table:
    """Only one of the files says it."""
    return tuple((*state[:WORKLOAD], *state[WORKLOAD + 1 :]) for state in table)


def shown_by_smartctl(path: pathlib.Path) -> tuple[str, ...]:
    """The column of active power in a text of smartctl, as in a table."""
    rows = re.findall(
        r"^ *\d+ [+-] +[\d.]+W +([\d.]+W|-) ", path.read_text(), re.MULTILINE
    )
    return tuple(
        UNKNOWN if one == "-" else str(uw_of(float(one[:-1]))) for one in rows
    )


def agrees(shown: str, reported: str) -> bool:
    """Is what smartctl shows the active power, in some scale?"""
    if shown == UNKNOWN or reported in (UNKNOWN, NOT_REPORTED):
        return shown == UNKNOWN and reported in (UNKNOWN, NOT_REPORTED)
    return any(int(shown) * 100 // scale == int(reported) for scale in SCALES)


def reports_idle(row: Row) -> bool:
    return any(state["idle_power_uw"] for state in row["states"])


class Family:
    """A drive that reports its idle power, and what smartctl shows of such drives."""

    def __init__(
        self, vendor: int, table: Table, shown: tuple[str, ...] | None = None
    ) -> None:
        self.vendor, self.table, self.shown = vendor, table, shown

    def has(self, vendor: int, table: Table) -> bool:
        if vendor != self.vendor or bare(table) != bare(self.table):
            return False
        shown = tuple(state[SHOWN] for state in table)
        if set(shown) == {UNKNOWN}:
            return False
        if self.shown is not None:
            return shown == self.shown
        return all(agrees(one, s[ACTIVE]) for one, s in zip(shown, self.table))

    def inherit(self, table: Table) -> Table:
        return tuple(
            (*s[:IDLE], UNKNOWN if own[IDLE] == NOT_REPORTED else "~" + own[IDLE],
             *s[IDLE + 1 :])
            for s, own in zip(table, self.table)
        )  # fmt: skip


def family_of(row: Row, texts: pathlib.Path) -> Family:
    text = texts / f"{pathlib.Path(row['raw']).stem}_smartctl.txt"
    shown = shown_by_smartctl(text) if text.exists() else None
    return Family(row["vendor_id"], trusted_table(row), shown)


def old_tables(path: pathlib.Path) -> dict[Table, int]:
    tables: dict[int, list[tuple[str, ...]]] = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        if line.startswith("state\t"):
            _, table, *state = line.split("\t")
            tables.setdefault(int(table), []).append(tuple(state))
    return {tuple(states): number for number, states in tables.items()}


Drive = tuple[str, str, str, Table]  # product, firmware, vendor, table


def trusted_drives(rows: list[Row]) -> dict[Drive, int]:
    return {
        (row["product"], row["firmware"], f"0x{row['vendor_id']:04x}", trusted_table(row)): 1
        for row in rows
        if row["segment"] != "virtual"
    }


def shared_value(state: Row, key: str) -> str:
    if state.get(key) is not None:
        return str(state[key])
    return NOT_REPORTED if key in state["not_reported"] else UNKNOWN


def with_active(state: Row) -> Row:
    """A state as smartctl shows it, with its active power where that is certain."""
    shown = state.get("shown_active_power_uw")
    maximum, operational = state["max_power_uw"], state["operational"]
    if maximum is None:
        return state
    return {**state, "active_power_uw": true_active_uw(shown, maximum, operational)}


def shared_table(model: Row) -> Table:
    states = model["states"]
    if model["format"].startswith("smartctl"):
        states = [with_active(state) for state in states]
    return tuple(
        (
            str(number),
            "yes" if state["operational"] else "no",
            *(
                shared_value(state, key)
                for key in (
                    "max_power_uw", "entry_latency_us", "exit_latency_us",
                    "read_throughput_rank", "read_latency_rank",
                    "write_throughput_rank", "write_latency_rank",
                    "active_power_uw", "idle_power_uw", "active_power_workload",
                    "shown_active_power_uw",
                )
            ),
        )
        for number, state in enumerate(states)
    )  # fmt: skip


def says_all(model: Row) -> bool:
    """Not smartctl, and not the words of a table alone."""
    return model["format"] in ("nvme-identify", "nvme-cli-text", "nvme-cli-json")


def vendors_of(drives: Iterable[Drive]) -> dict[str, str]:
    """The vendor of a product, where all who say it say the same."""
    seen = collections.defaultdict(set)
    for product, _, vendor, _ in drives:
        seen[product].add(vendor)
    return {
        product: min(vendors) for product, vendors in seen.items() if len(vendors) == 1
    }


def shared_drives(models: list[Row], vendors: dict[str, str]) -> dict[Drive, int]:
    """Of "ssdpm show --share"; not every text of smartctl names the vendor."""
    drives: collections.Counter[Drive] = collections.Counter()
    for model in models:
        product, number = model["product"], model["vendor_id"]
        vendor = vendors.get(product, UNKNOWN) if number is None else f"0x{number:04x}"
        names = (product, model["firmware"] or UNKNOWN, vendor)
        drives[*names, shared_table(model)] += 1
    return dict(drives)


def families_of(drives: dict[Drive, int]) -> list[Family]:
    return [
        Family(int(vendor, 16), table)
        for _, _, vendor, table in drives
        if vendor != UNKNOWN and any(state[IDLE].isdecimal() for state in table)
    ]


def add_evidence(
    drives: dict[Drive, int],
    rows: list[Row],
    exact: dict[Drive, int],
    texts: pathlib.Path,
) -> dict[Drive, int]:
    """What drives of the same name, or of the same family, say to better tools."""
    trusted = trusted_drives(rows)
    better = {(p, f, v, bare(t)): t for p, f, v, t in (*trusted, *exact)}
    families = [family_of(row, texts) for row in rows if reports_idle(row)]
    families += families_of(exact)
    # What both files have was seen once.
    known = {(*names, without_workload(table)) for *names, table in drives}
    found = collections.Counter(
        {
            (*names, table): n
            for (*names, table), n in trusted.items()
            if (*names, without_workload(table)) not in known
        }
    )
    for (product, firmware, vendor, table), n in drives.items():
        table = better.get((product, firmware, vendor, bare(table)), table)
        for family in families:
            if vendor != UNKNOWN and family.has(int(vendor, 16), table):
                table = family.inherit(table)
        found[product, firmware, vendor, table] += n
    return found


def write_nvme(
    rows: list[Row],
    trusted: list[Row],
    shared: list[Row],
    path: pathlib.Path,
    texts: pathlib.Path,
) -> None:
    numbers = old_tables(path)
    following = max(numbers.values(), default=0) + 1
    plain: collections.Counter[Drive] = collections.Counter()
    for row in rows:
        vendor = row["vid"] or UNKNOWN
        plain[row["model"], row["firmware"], vendor, nvme_table(row)] += row["count"]
    vendors = vendors_of([*plain, *trusted_drives(trusted)])
    plain.update(shared_drives(shared, vendors))
    exact = shared_drives([one for one in shared if says_all(one)], vendors)
    drives = add_evidence(plain, trusted, exact, texts)
    seen: dict[tuple[Any, ...], int] = {}
    used = {}
    for product, firmware, vendor, table in sorted(drives, key=by_name):
        if table not in numbers:
            numbers[table] = following
            following += 1
        used[numbers[table]] = table
        n = drives[product, firmware, vendor, table]
        seen[product, firmware, vendor, numbers[table]] = n
    lines = [
        "\t".join(("state", str(number), *state))
        for number in sorted(used)
        for state in used[number]
    ]
    for drive in sorted(seen, key=by_name):
        product, firmware, vendor, number = drive
        lines.append(f"drive\t{product}\t{firmware}\t{vendor}\t{seen[drive]}\t{number}")
    sources = source_lines([*rows, *shared])
    head = NVME_HEAD.format(sources=sources, licence=CC_BY)
    path.write_text(head + "\n".join(lines) + "\n")


# --- SATA


def word(row: Row, number: int) -> int | None:
    text = row.get("words", {}).get(str(number))
    return None if text is None else int(text, 16)


def yes_no(value: bool | None) -> str:
    return UNKNOWN if value is None else "yes" if value else "no"


def words_valid(row: Row) -> bool | None:
    """Word 76 is neither 0 nor FFFFh; HIPM and the generations are bits of it."""
    value = word(row, 76)
    if value is not None:
        return value not in (0, 0xFFFF)
    return True if row.get("gen") or row["hipm"]["supported"] else None


def bit(row: Row, number: int, position: int) -> bool | None:
    """A bit of words 76 to 79, or of words 82 to 87, or None."""
    value = word(row, number)
    if value is None or (number < 80 and not words_valid(row)):
        return None
    return bool(value >> position & 1)


def feature(row: Row, name: str) -> tuple[bool | None, bool | None]:
    facts = row.get(name) or {}
    return facts.get("supported"), facts.get("enabled")


# Names of hard disks, and of no SSD that we know of: Seagate has sold both under
# ST and digits, so these name the series, too. They are our judgement.
# Word 217 decides where it says something: disks older than ATA8-ACS, and logs of the
# kernel, have none.
HARD_DISKS = (
    "FUJITSU MH[VWXYZ]2*", "HUH72*", "Hitachi HDS72*", "IC25N0*", "Maxtor [0-9]*",
    "SAMSUNG HD*", "SAMSUNG HS1*", "SAMSUNG MP0*", "ST[0-9]*A", "ST[0-9]*AS",
    "ST[0-9]*N[MT]0*", "TOSHIBA MG0*",
    "TOSHIBA MK*", "WDC WD[0-9]*", "WDC  W[SU]H72*",
)  # fmt: skip


def rotational(row: Row) -> bool | None:
    rate = word(row, 217)
    if rate:
        return rate != 1
    if row.get("ssd"):
        return False
    named = any(fnmatch.fnmatchcase(row["model"], name) for name in HARD_DISKS)
    return True if named else None


def sata_facts(row: Row) -> list[str]:
    auto = row.get("partial_slumber", {})
    apm, apm_enabled = feature(row, "apm")
    if apm_enabled is None:
        apm_enabled = bit(row, 86, 3)
    features = [
        feature(row, "hipm"),
        feature(row, "dipm"),
        (auto.get("dev_auto_partial_to_slumber"), bit(row, 79, 7)),
        (auto.get("host_auto_partial_to_slumber"), None),
        feature(row, "devslp"),
        (apm, apm_enabled),
    ]
    level = str((row.get("apm") or {}).get("level"))
    return [
        yes_no(words_valid(row)),
        ",".join(map(str, row.get("gen", []))) or UNKNOWN,
        *(f"{yes_no(supported)}/{yes_no(enabled)}" for supported, enabled in features),
        level if level.isdecimal() else UNKNOWN,
        yes_no(rotational(row)),
    ]


def shared_sata_facts(model: Row) -> list[str]:
    facts = model["sata"]
    features = (
        "hipm", "dipm", "device_auto_partial_to_slumber", "host_auto_partial_to_slumber",
        "devsleep", "apm",
    )  # fmt: skip
    level = facts["apm_level"]
    return [
        yes_no(facts["words_valid"]),
        ",".join(map(str, facts["generations"] or [])) or UNKNOWN,
        *(
            f"{yes_no(facts[f'{name}_supported'])}/{yes_no(facts[f'{name}_enabled'])}"
            for name in features
        ),
        UNKNOWN if level is None else str(level),
        yes_no(facts.get("rotational")),
    ]


def write_sata(rows: list[Row], shared: list[Row], path: pathlib.Path) -> None:
    seen: collections.Counter[tuple[str, ...]] = collections.Counter()
    for row in rows:
        seen[row["model"], row["firmware"], *sata_facts(row)] += row["count"]
    for model in shared:
        names = (model["product"] or UNKNOWN, model["firmware"] or UNKNOWN)
        seen[*names, *shared_sata_facts(model)] += 1
    # Whether it rotates makes no other drive of one of which that is unknown.
    for drive in [one for one in seen if one[-1] == UNKNOWN]:
        known = [(*drive[:-1], word) for word in ("yes", "no")]
        same = [one for one in known if one in seen]
        if len(same) == 1:
            seen[same[0]] += seen.pop(drive)
    head = SATA_HEAD.format(sources=source_lines([*rows, *shared]))
    lines = [
        "\t".join((*drive[:2], str(seen[drive]), *drive[2:]))
        for drive in sorted(seen, key=by_name)
    ]
    path.write_text(head + "\n".join(lines) + "\n")


# --- Published powers

# Which names drives have that somebody measured, or that a data sheet is for: vendor,
# model and capacity of the data, the state, the product (* stands for any end), and by
# whom. Without these: values whose drive has no name or whose link may have
# been asleep (Intel 320 and X25-M: idle, of which generation and on which link?), and
# what is only "less than" (Micron 9200).
PUBLISHED = (
    ("Samsung", "850 PRO", "128", "active", "Samsung SSD 850 PRO 128GB", "Tom's Hardware"),
    ("Samsung", "850 PRO", "256", "active", "Samsung SSD 850 PRO 256GB", "Tom's Hardware"),
    ("Samsung", "850 PRO", "1024", "active", "Samsung SSD 850 PRO 1TB", "Tom's Hardware"),
    ("Samsung", "840 PRO", "256", "slumber", "Samsung SSD 840 PRO Series", "Tom's Hardware"),
    ("OCZ", "Vertex 3", "240", "active", "OCZ-VERTEX3", "Legit Reviews"),
    ("Crucial", "M225", "64", "active", "CRUCIAL_CT64M225", "Effizienzgurus"),
    ("Intel", "X25-E 32GB", "", "active", "INTEL SSDSA2SH032G1*", "uFLIP, 2010"),
    ("Intel", "X25-E 64GB", "", "active", "INTEL SSDSA2SH064G1*", "uFLIP, 2010"),
    ("Intel", "DC S3520", "480", "active", "INTEL SSDSC2BB480G7*", "Intel"),
    ("Kingston", "A400", "", "active", "KINGSTON SA400S37*", "Kingston"),
    ("Intel", "DC P3700", "2000", "ps0", "INTEL SSDPE2MD*", "Intel"),
    ("Intel", "DC P3700", "2000", "ps0", "INTEL SSDPEDMD*", "Intel"),
)
# Of values whose place in the data is no address.
PLACES = {
    "Tom's Hardware": "SSD charts of 2012, a comment",
    "uFLIP, 2010": "the study of energy, a table",
    "Kingston": "the specification of the A400",
    "Intel": "the data sheet of the DC P3700",
}
IDLE_STATES = {"active": ("idle", "active-idle"), "ps0": ("idle",), "slumber": ("slumber",)}

PUBLISHED_HEAD = """\
# SPDX-License-Identifier: MIT
# Idle powers that were published: measured, or of a data sheet. Made by from-corpus.py.
#
# Columns, divided by tabulators: product (* stands for any end), state of the link or of
# the drive, microwatts, measured or datasheet, by whom, the condition, the source.
"""


def published(rows: list[Row], wanted: tuple[str, ...]) -> str:
    vendor, model, capacity, state, product, by = wanted
    found = [
        row
        for row in rows
        if (row["vendor"], row["model"], row["capacity_gb"]) == (vendor, model, capacity)
        and row["state"] in IDLE_STATES[state]
    ]
    if len(found) != 1:
        raise SystemExit(f"{vendor} {model} {capacity}: {len(found)} values, not one")
    row = found[0]
    power, condition = uw_of(float(row["watts"])), row["condition"].replace('"', "")
    source = row["source_address"]
    if not source.startswith("http"):
        source = PLACES[by]
    return "\t".join((product, state, str(power), row["kind"], by, condition, source))


def write_published(source: pathlib.Path, path: pathlib.Path) -> None:
    with source.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    lines = [published(rows, wanted) for wanted in PUBLISHED]
    path.write_text(PUBLISHED_HEAD + "\n".join(lines) + "\n")


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    shared = [one for path in sys.argv[2:] for one in read_shared(pathlib.Path(path))]
    data = pathlib.Path(sys.argv[1]) / "data"
    write_nvme(
        read(data / "nvme_power_states.jsonl"),
        read(data / "nvme_trusted.jsonl"),
        [one for one in shared if one["kind"] == "nvme"],
        HERE / "nvme-drives.tsv",
        data / "raw_trusted",
    )
    write_sata(
        read(data / "sata_identify.jsonl"),
        [one for one in shared if one["kind"] == "sata"],
        HERE / "sata-drives.tsv",
    )
    evidence = HERE.parent / "energy/evidence/published.tsv"
    write_published(data / "measured_power.tsv", evidence)


if __name__ == "__main__":
    main()
