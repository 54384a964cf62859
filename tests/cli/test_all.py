# SPDX-License-Identifier: MIT
"""--all: one question about the whole catalogue, counted."""

from __future__ import annotations

import collections
import re
from typing import Any, NamedTuple

import pytest
from command import TOP, Command

NVME = TOP / "lib/data/nvme-drives.tsv"


class Row(NamedTuple):
    """A row of the catalogue: its states as (operational, entry, exit), in order."""

    product: str
    firmware: str | None
    seen: int
    states: list[tuple[bool, int, int]]


def catalogue() -> dict[tuple[str, str | None, int], list[Row]]:
    """Rows by product, firmware and seen: one firmware may have several tables."""
    states: dict[str, list[tuple[bool, int, int]]] = collections.defaultdict(list)
    rows = collections.defaultdict(list)
    for line in NVME.read_text().splitlines():
        kind, *cells = line.split("\t")
        if kind == "state":
            states[cells[0]].append((cells[2] == "yes", int(cells[4]), int(cells[5])))
        elif kind == "drive":
            product, firmware, _, seen, table = cells
            known = None if firmware in "?-" else firmware
            row = Row(product, known, int(seen), states[table])
            rows[product, known, row.seen].append(row)
    return rows


def linux(row: Row, quirks: list[str], secondary_ms: int = 2000) -> dict[int, tuple[int, int]]:
    """nvme_configure_apst() of Linux 5.14, from its rules: state to (target, idle_ms)."""
    entries: dict[int, tuple[int, int]] = {}
    if "no-apst" in quirks:
        return entries
    target, used = None, 3
    for state in reversed(range(len(row.states))):
        if target:
            entries[state] = target
        operational, entry, exit_ = row.states[state]
        last = state == len(row.states) - 1
        if operational or exit_ > 100_000 or (last and "no-deepest-ps" in quirks):
            continue
        if entry + exit_ <= 15_000 and used > 1:
            target, used = (state, 100), 1
        elif 15_000 < entry + exit_ <= 100_000 and secondary_ms and used > 2:
            target, used = (state, secondary_ms), 2
    return entries


def end(entries: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """Where an idle drive ends, and after how many ms."""
    state = idle_ms = 0
    while state in entries and entries[state][0] > state:
        idle_ms += entries[state][1]
        state = entries[state][0]
    return state, idle_ms


def numbers(line: str) -> tuple[int, int, float, int]:
    """Of the first line: rows, of how many, share of drives, of how many."""
    found = re.fullmatch(
        r"(\d+) of (\d+) rows of the catalogue \w+, ([\d.]+) % of (\d+) drives seen", line
    )
    assert found, line
    return int(found[1]), int(found[2]), float(found[3]), int(found[4])


def answers(text: str) -> dict[str, tuple[int, str]]:
    """The lines of the table: what, and how many rows and which share."""
    found = {}
    for line in text.splitlines()[4:]:
        if not line or line.startswith("  Idle"):
            break
        what, n, share = re.split(r"\s{2,}", line.strip())[:3]
        found[what] = int(n), share
    return found


def rows_of(ssdpm: Command, *arguments: str) -> list[tuple[Row, dict[str, Any]]]:
    """What the JSON has of each row, in the order of the catalogue."""
    left = catalogue()
    pairs = []
    for one in ssdpm.json("apst", "--all", *arguments):
        assert one["drive"] == one["product"]
        row = left[one["product"], one["firmware"], one["seen"]].pop(0)
        pairs.append((row, one))
    assert not any(left.values())
    return pairs


def test_a_limit_of_one_side_alone_stands_beside_its_name(ssdpm: Command) -> None:
    other = "linux:secondary-timeout=1s"
    call = ("apst", "--all", "--max-exit-latency", "1ms", "--diff", other)
    line = ssdpm.output(*call).splitlines()[1]
    assert line == f"  from linux with a latency limit of 1 ms to {other}"


def test_how_many_drives_change_is_what_a_slow_model_counts(ssdpm: Command) -> None:
    diff = ("--diff", "linux", "--diff", "linux:secondary-timeout=1s")
    text = ssdpm.output("apst", "--all", *diff)
    pairs = rows_of(ssdpm, *diff)
    changed = seen = 0
    for row, one in pairs:
        quirks = one["parameters"]["quirks"]
        before, after = linux(row, quirks), linux(row, quirks, 1000)
        assert one["same"] == (before == after), row
        if before != after:
            changed += 1
            seen += row.seen
            assert end(before)[0] == end(after)[0] and end(after)[1] < end(before)[1]
    every = sum(row.seen for row, _ in pairs)
    first, *_ = text.splitlines()
    assert numbers(first) == (changed, len(pairs), round(100 * seen / every, 1), every)
    assert 100 < changed < len(pairs)
    assert answers(text) == {
        "same table": (len(pairs) - changed, f"{100 - 100 * seen / every:.1f} %"),
        "sooner in the same deepest state": (changed, f"{100 * seen / every:.1f} %"),
    }


def test_the_timeouts_have_short_names(ssdpm: Command) -> None:
    """The question of a kernel developer, as it is typed."""
    call = "apst --diff linux --diff linux:secondary=1s --all"
    long = call.replace("secondary=", "secondary-timeout=")
    text = ssdpm.output(*call.split())
    assert text.replace("secondary=", "secondary-timeout=") == ssdpm.output(*long.split())
    both = "linux:primary=50ms:primary-timeout=50ms"
    assert "primary-timeout is given twice" in ssdpm.fails(2, "apst", "--all", "--diff", both)


def test_how_many_drives_sleep_is_what_a_slow_model_counts(ssdpm: Command) -> None:
    text = ssdpm.output("apst", "--all")
    pairs = rows_of(ssdpm)
    asleep, last, times = [], [], []
    for row, one in pairs:
        entries = linux(row, one["quirks"])
        assert one["entries"] == [
            {"state": state, "target": target, "idle_ms": idle_ms}
            for state, (target, idle_ms) in sorted(entries.items())
        ], row
        state, idle_ms = end(entries)
        asleep += [row.seen] if state else []
        if state == len(row.states) - 1 and state:
            last.append(row.seen)
            times += row.seen * [idle_ms]
    every = sum(row.seen for row, _ in pairs)
    share = round(100 * sum(asleep) / every, 1)
    assert numbers(text.splitlines()[0]) == (len(asleep), len(pairs), share, every)
    assert answers(text)["the last one"] == (len(last), f"{100 * sum(last) / every:.1f} %")
    median = sorted(times)[(len(times) - 1) // 2]
    assert re.search(rf"the last one .* {median} ms$", text, re.M)


@pytest.mark.parametrize(
    "table, change",
    [
        ("linux", "same table"),
        ("linux:limit=0ms", "sleeps no more"),
        ("linux:secondary-timeout=3s", "later in the same deepest state"),
        ("linux:secondary-timeout=0s", "in a less deep state"),
        ("linux:secondary-tolerance=2s:limit=any", "in a deeper state"),
        ("linux:primary-timeout=1500ms:secondary-timeout=600ms", "another way to the same deepest state"),
        ("lower-envelope", "a table cannot be made"),
    ],
)
def test_each_kind_of_change_has_its_line(ssdpm: Command, table: str, change: str) -> None:
    text = ssdpm.output("apst", "-q", "--all", "--diff", table)
    assert change in answers(text)
    assert all(len(line) <= 80 for line in text.splitlines())
    assert len(text.splitlines()) <= 20


def test_drives_of_the_user_count_with_the_others(ssdpm: Command) -> None:
    before = numbers(ssdpm.output("apst", "--all").splitlines()[0])
    after = numbers(ssdpm.output("apst", "--all", "--catalogue", "plain.json").splitlines()[0])
    assert (after[0], after[1], after[3]) == (before[0] + 1, before[1] + 1, before[3] + 1)


def test_a_table_that_cannot_be_made_is_an_error_of_its_row(ssdpm: Command) -> None:
    call = ssdpm("apst", "--all", "-a", "lower-envelope")
    assert call.returncode == 0 and call.stderr.count(b"\n") == 1
    failed, _ = answers(call.stdout.decode())["a table cannot be made"]
    listed = ssdpm.json("apst", "--all", "-a", "lower-envelope")
    assert failed == sum(one["schema"] == "ssdpm.error/1" for one in listed) > 0


@pytest.mark.parametrize(
    "options, other",
    [
        (["drive.json"], "a DRIVE"),
        (["--root", "."], "--root"),
        (["--firmware", "1"], "--firmware"),
        (["--identify"], "--identify"),
        (["--keep", "PS3"], "--keep"),
        (["--infer", "drive.json"], "--infer"),
        (["--reach", "linux"], "--reach"),
        (["--explain"], "--explain"),
        (["--hex"], "--hex"),
        (["--raw", "x"], "--raw"),
    ],
)
def test_all_conflicts_with_what_is_about_one_drive(
    ssdpm: Command, options: list[str], other: str
) -> None:
    message = ssdpm.fails(2, "apst", "--all", *options)
    assert f"--all conflicts with {other}" in message


CALL = ("compare", "--all", "-t", "apst-7", "--n-ios", "200")
POLICIES = ("--policy", "linux", "--policy", "linux:secondary-timeout=1s", "--policy", "windows:balanced:battery")
COLUMNS = {
    "saves": 0, "probably-saves": 1, "not-decided": 2, "probably-costs": 3, "costs": 3,
    "too-small": 4,
}


def share(seen: int, every: int) -> str:
    """A cell of the table."""
    if not seen:
        return "-"
    return "<1%" if seen * 100 < every else f"{(seen * 100 + every // 2) // every}%"


def quantile(saved: list[int], percent: int) -> int:
    """The least value that this share does not exceed, in whole mW."""
    uw = sorted(saved)[-(-len(saved) * percent // 100) - 1]
    return (abs(uw) + 500) // 1000 * (1 if uw >= 0 else -1)


def test_what_policies_save_on_all_drives_is_counted_from_what_each_does(
    ssdpm: Command,
) -> None:
    text = ssdpm.output(*CALL, *POLICIES)
    items = ssdpm.json(*CALL, *POLICIES)
    seen = collections.defaultdict(list)
    for row in ssdpm.json("list", "--catalogue"):
        if row["kind"] == "nvme":
            seen[row["product"], row["firmware"]].append(row["seen"])
    counts = {name: [0] * 6 for name in POLICIES[3::2]}
    saved: dict[str, list[int]] = {name: [] for name in counts}
    weights = [seen[one["product"], one["firmware"]].pop(0) for one in items]
    assert not any(seen.values())
    for weight, one in zip(weights, items, strict=True):
        assert one["rows"][0]["policies"][0] == "linux"
        for row in one["rows"]:
            likely = row["likely"]
            column = COLUMNS[likely["verdict"]] if likely else 5
            for name in set(row["policies"]) - {"linux"}:
                counts[name][column] += weight
                saved[name] += weight * [likely["median_uw"] if likely else 0]
    printed = [line.split() for line in text.splitlines()]
    lines = {words[0]: words[1:] for words in printed if words and words[-1].count("/") == 2}
    every = sum(weights)
    for name, count in counts.items():
        *cells, quantiles = lines[name]
        assert cells == [share(drives, every) for drives in count]
        assert quantiles == "/".join(str(quantile(saved[name], q)) for q in (10, 50, 90))
    best = max(counts, key=lambda name: counts[name][0] + counts[name][1])
    assert text.startswith(f"{best} saves or probably saves on ")
    # The longest name of a policy needs --wide, which output() gives.
    folded = ssdpm(*CALL, *POLICIES).stdout.decode()
    assert all(len(line) <= 80 for line in folded.splitlines())
    # Rows of which the same is known are simulated once.
    known = [one for one in items if one["firmware"]]
    for one in known[:: len(known) // 6]:
        alone = ssdpm.json(
            "compare", "-q", *CALL[2:], *POLICIES, "--firmware", one["firmware"], one["product"]
        )
        assert alone == one


@pytest.mark.parametrize(
    "options, message",
    [
        (["--policy", "linux"], "--all requires two policies for the same drives"),
        (["--policy", "linux", "--policy", "min_power"], "--all requires two policies"),
        (["-t", "apst-1"], "--all takes one --trace"),
        (["--csv"], "--all conflicts with --csv"),
        (["--explain"], "--all conflicts with --explain"),
        (["--html", "page.html"], "--all conflicts with --html"),
        (["drive.json"], "--all conflicts with a DRIVE"),
    ],
)
def test_compare_refuses_what_is_not_about_all(
    ssdpm: Command, options: list[str], message: str
) -> None:
    assert message in ssdpm.fails(2, *CALL, *options)


def test_findings_of_all_drives_are_counted_once_a_drive(ssdpm: Command) -> None:
    text = ssdpm.output("show", "--lint", "--all")
    items = ssdpm.json("show", "--lint", "--all")
    every = sum(one["seen"] for one in items)
    rows: collections.Counter[str] = collections.Counter()
    drives: collections.Counter[str] = collections.Counter()
    for one in items:
        for code in {finding["code"] for finding in one["diagnosis"]}:
            rows[code] += 1
            drives[code] += one["seen"]
    some = [one["seen"] for one in items if one["diagnosis"]]
    assert text.startswith(f"{len(some)} of {len(items)} rows of the catalogue have findings, ")
    lines = [line.split() for line in text.splitlines()[3:]]
    assert {line[0] for line in lines} == set(rows)
    for code, n, *_ in lines:
        assert int(n) == rows[code]
    order = [drives[line[0]] for line in lines]
    assert order == sorted(order, reverse=True)
    assert order[0] <= every
    assert all(len(line) <= 80 for line in text.splitlines())


def test_show_takes_all_with_lint_alone(ssdpm: Command) -> None:
    assert "--all requires --lint" in ssdpm.fails(2, "show", "--all")
    assert "--share conflicts" in ssdpm.fails(2, "show", "--all", "--lint", "--share")
