# SPDX-License-Identifier: MIT
"""ssdpm measure survey: it runs, is interrupted, goes on, and puts back."""

from __future__ import annotations

import collections
import contextlib
import csv
import os
import pathlib
import pty
import random
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import surveys
from command import Command, read_question, read_terminal

Make = Callable[[str], pathlib.Path]
LIMIT = "sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us"
BATTERY = "sys/class/power_supply/BAT0"
SHORT = ["--settle", "60ms", "--interval", "20ms", "--duration", "100ms"]
LONG = ["--settle", "300ms", "--interval", "50ms", "--duration", "30s"]
TWO = ["--policy", "latency=0us", "--policy", "latency=25ms"]


def value(root: pathlib.Path, path: str = LIMIT) -> str:
    return (root / path).read_text().strip()


def comments(path: pathlib.Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = collections.defaultdict(list)
    for line in path.read_text().splitlines():
        if line.startswith("# "):
            key, _, text = line[2:].partition(": ")
            found[key].append(text)
    return found


def rows(path: pathlib.Path) -> list[dict[str, str]]:
    lines = [line for line in path.read_text().splitlines() if line[0] != "#"]
    return list(csv.DictReader(lines))


def runs(path: pathlib.Path) -> dict[int, list[dict[str, str]]]:
    found: dict[int, list[dict[str, str]]] = collections.defaultdict(list)
    for row in rows(path):
        found[int(row["run"])].append(row)
    return found


def started(ssdpm: Command, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["ssdpm", "measure", "survey", *arguments],
        cwd=ssdpm.directory,
        env=ssdpm.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def wait_for(what: Callable[[], Any], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.005)


def has_rows(path: pathlib.Path) -> bool:
    return path.exists() and len(rows(path)) > 1


@pytest.fixture
def survey(ssdpm: Command, machine: Make) -> Iterator[Callable[..., Any]]:
    """Start one that takes long on the laptop, and wait for its readings."""
    processes: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str) -> tuple[subprocess.Popen[bytes], pathlib.Path]:
        root = machine("laptop")
        process = started(
            ssdpm, "--root", str(root), "--save", "s.csv", "--yes",
            *(*LONG, *TWO, "--blocks", "1"), *arguments,
        )  # fmt: skip
        processes.append(process)
        wait_for(lambda: has_rows(ssdpm.directory / "s.csv"))
        assert value(root) in ("0", "25000")
        return process, root

    yield start
    for process in processes:
        if process.poll() is None:
            process.kill()
            process.communicate()


@contextlib.contextmanager
def changing(path: pathlib.Path) -> Iterator[None]:
    """A battery whose power is never twice the same."""
    stop = threading.Event()

    real = path.resolve()
    new = real.with_name("new")

    def change() -> None:
        generator = random.Random(1)
        while not stop.wait(0.004):
            new.write_text(f"{generator.randrange(6000000, 6400000)}\n")
            new.replace(real)

    thread = threading.Thread(target=change)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def test_each_policy_is_run_in_each_block_and_what_was_found_is_put_back(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    ssdpm.output(
        "measure", "survey", "--root", str(laptop), "--save", "s.csv", "--yes",
        *SHORT, *TWO, "--blocks", "3", "--seed", "7",
    )  # fmt: skip
    path = ssdpm.directory / "s.csv"
    head = comments(path)
    assert path.read_text().startswith("# ssdpm survey 1\n")
    assert head["policies"] == ["latency=0us;latency=25ms"]
    assert head["scenarios"] == ["idle"] and head["blocks"] == ["3"]
    assert (head["settle_s"], head["interval_s"]) == (["0.06"], ["0.02"])
    assert head["found"] == ["nvme0 latency=100ms"]
    assert head["meter"] == ["battery BAT0"] and "restored" in head
    found = runs(path)
    assert sorted(found) == list(range(1, 7))
    for run in found.values():
        assert len(run) == 5
        assert len({(r["policy"], r["scenario"], r["block"]) for r in run}) == 1
        assert {r["power_w"] for r in run} == {"6.200000"}
    order = [(r[0]["block"], r[0]["policy"]) for r in found.values()]
    assert len(set(order)) == 6
    assert [block for block, _ in order] == ["1", "1", "2", "2", "3", "3"]
    assert value(laptop) == "100000"


@pytest.mark.parametrize("answer", ["y", "n"])
def test_on_a_terminal_it_asks_and_says_how_long_it_still_takes(
    ssdpm: Command, laptop: pathlib.Path, answer: str
) -> None:
    ours, its = pty.openpty()
    process = subprocess.Popen(
        [
            *("ssdpm", "measure", "survey", "--root", laptop, "--save", "s.csv"),
            *("--settle", "100ms", "--interval", "50ms", "--duration", "1500ms"),
            *(*TWO, "--blocks", "1"),
        ],
        cwd=ssdpm.directory,
        env=ssdpm.environment,
        stdin=its,
        stdout=its,
        stderr=its,
    )
    said = read_question(process, ours)
    assert b"2 runs in 1 block" in said and value(laptop) == "100000"
    os.write(ours, f"{answer}\n".encode())
    said += read_terminal(process, ours, its)
    assert process.wait(timeout=20) == (0 if answer == "y" else 1)
    assert (b"s left" in said) == (ssdpm.directory / "s.csv").exists() == (answer == "y")
    assert value(laptop) == "100000"


def test_the_order_is_that_of_the_seed(ssdpm: Command, laptop: pathlib.Path) -> None:
    call = ["measure", "survey", "--root", str(laptop), "--dry-run", *SHORT]
    orders = [ssdpm.output(*call, "--seed", seed) for seed in ("1", "1", "2")]
    assert orders[0] == orders[1] != orders[2]
    assert not (laptop / "run").exists()


def test_readings_stand_on_a_grid_without_drift(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    with changing(laptop / BATTERY / "power_now"):
        ssdpm.output(
            "measure", "survey", "--root", str(laptop), "--save", "s.csv", "-y",
            "--settle", "100ms", "--interval", "50ms", "--duration", "2s", *TWO,
            "--blocks", "1",
        )  # fmt: skip
    for run in runs(ssdpm.directory / "s.csv").values():
        times = [float(row["time_s"]) for row in run]
        late = [t - (0.1 + 0.05 * i) for i, t in enumerate(times)]
        assert len(times) == 40 and min(late) >= -0.001
        # The last ones are no later than the first ones: half of all are
        # late by less than a tenth of a step.
        assert sorted(late[-20:])[10] < 0.02
        assert len({row["power_w"] for row in run}) > 20


def test_the_policies_are_in_force_while_they_are_measured(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    """The meter is the limit itself, written as if it were watts."""
    (laptop / BATTERY / "power_now").unlink()
    os.link((laptop / LIMIT).resolve(), laptop / BATTERY / "power_now")
    ssdpm.output(
        "measure", "survey", "--root", str(laptop), "--save", "s.csv", "--yes",
        "--policy", "latency=25ms", "--policy", "latency=60ms",
        *SHORT, "--blocks", "2",
    )  # fmt: skip
    said = {(r["policy"], r["power_w"]) for r in rows(ssdpm.directory / "s.csv")}
    assert said == {("latency=25ms", "0.025000"), ("latency=60ms", "0.060000")}


def test_a_drive_that_a_policy_says_nothing_of_keeps_what_it_has(
    ssdpm: Command, eight_drives: pathlib.Path
) -> None:
    port = "sys/class/scsi_host/host0/link_power_management_policy"
    found = value(eight_drives, port)
    seen: set[tuple[str, str]] = set()
    process = started(
        ssdpm, "--root", str(eight_drives), "--save", "s.csv", "--yes",
        "--drive", "nvme0", "--drive", "sda", "--meter", "ACPI000D:00",
        "--policy", "lpm=medium_power", "--policy", "latency=0us",
        "--settle", "200ms", "--interval", "20ms", "--duration", "200ms",
        "--blocks", "1",
    )  # fmt: skip
    while process.poll() is None:
        seen.add((value(eight_drives), value(eight_drives, port)))
        time.sleep(0.01)
    _, said = process.communicate()
    assert process.returncode == 0, said
    assert {("100000", "medium_power"), ("0", found)} <= seen
    assert ("0", "medium_power") not in seen
    head = comments(ssdpm.directory / "s.csv")
    assert head["found"] == ["nvme0 latency=100ms", f"sda lpm={found}"]
    assert len(head["drive"]) == 2
    assert (value(eight_drives), value(eight_drives, port)) == ("100000", found)


def test_the_usual_policies_are_those_that_drives_have_without_min_power(
    ssdpm: Command, machine: Make
) -> None:
    def policies(name: str, *more: str) -> list[str]:
        text = ssdpm.output(
            "measure", "survey", "--root", str(machine(name)), "-q", "-n", *SHORT, *more
        )
        words = text.split("policies:")[1].split("scenarios:")[0]
        return words.split()

    sata = policies("desktop-6.1", "--drive", "sda")
    assert sata == [
        "lpm=max_performance",
        "lpm=medium_power",
        "lpm=med_power_with_dipm",
        "lpm=min_power_with_partial",
    ]
    nvme = policies("laptop")
    assert nvme[:2] == ["latency=0us", "latency=100ms"]
    # balanced leaves the limit at what was found: it is the same policy.
    assert "profile=power-saver" in nvme and "profile=balanced" not in nvme


def test_hard_disks_quirks_and_ports_without_a_disk_are_left_out_unless_named(
    ssdpm: Command, eight_drives: pathlib.Path
) -> None:
    call = ["measure", "survey", "--root", str(eight_drives), "-n", *SHORT]
    result = ssdpm(*call)
    said = result.stderr.decode()
    drives = result.stdout.decode().split("policies:")[0]
    assert "sdd is left out: a hard disk" in said and "sdd" not in drives
    assert "nvme2 is left out: the quirk no-deepest-ps" in said
    assert "host4 is left out: a port without a disk" in said
    assert "nvme0" in drives and "sda" in drives
    named = ssdpm.output(*call, "-q", "--drive", "nvme2", "--drive", "sdd")
    drives = named.split("policies:")[0]
    assert "nvme2" in drives and "sdd" in drives and "nvme0" not in drives


def test_a_dry_run_says_what_it_could_tell(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    call = ["measure", "survey", "--root", str(laptop), "--dry-run", *SHORT]
    with changing(laptop / BATTERY / "power_now"):
        text = ssdpm.output(*call, "--sample", "1200ms")
    assert "a difference of not less than" in text
    assert "only known after a survey: --from FILE" in text
    constant = ssdpm.output(*call)
    assert "not known" in constant and "policies:" in constant
    assert value(laptop) == "100000" and not (laptop / "run").exists()


def test_a_survey_that_is_done_is_reported_on(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    call = ["measure", "survey", "--root", str(laptop), "-y", "-q", *SHORT, *TWO]
    with changing(laptop / BATTERY / "power_now"):
        text = ssdpm.output(*call, "--save", "s.csv")
        answer = ssdpm.json(*call, "--save", "t.csv")
    assert "latency=25ms" in text
    assert text == ssdpm.output("measure", "survey", "s.csv")
    assert answer == ssdpm.json("measure", "survey", "t.csv")
    ssdpm.fails(2, *call, "--dry-run", "--json")


def test_an_earlier_survey_says_by_how_much_runs_differ(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    call = ["measure", "survey", "--root", str(laptop), "--dry-run", *SHORT]
    call += ["--sample", "1200ms", "--from", "earlier.csv"]
    ssdpm.write("earlier.csv", surveys.survey(scenarios=("idle",), seed=3))
    result = ssdpm(*call, "--duration", "1s")
    assert result.returncode == 1
    assert b"runs are of 3 min: this takes --duration of as much" in result.stderr
    length = "180s"
    with changing(laptop / BATTERY / "power_now"):
        text = ssdpm.output(*call, "--duration", length)
    assert "finds four of five times a difference of " in text
    assert "not less than" not in text
    sigma = ssdpm.json("measure", "survey", "earlier.csv")["power"][0]["sigma_uw"]
    assert f"differ by {sigma / 1000:.3g} mW (mean power, idle)" in text
    ssdpm.write("short.csv", surveys.survey(scenarios=("idle",), n_blocks=2, seed=7))
    call[-1] = "short.csv"
    result = ssdpm(*call, "--duration", length)
    assert result.returncode == 1
    assert b"says by how much runs differ" in result.stderr
    ssdpm.fails(2, "measure", "survey", "--save", "s.csv", "--from", "earlier.csv")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_and_puts_back(
    ssdpm: Command, survey: Callable[..., Any], number: signal.Signals
) -> None:
    process, root = survey()
    process.send_signal(number)
    _, said = process.communicate(timeout=20)
    assert process.returncode == -number
    assert b"--resume s.csv" in said
    assert value(root) == "100000"
    head = comments(ssdpm.directory / "s.csv")
    assert "interrupted" in head and "restored" in head


def test_a_kill_puts_back_too(ssdpm: Command, survey: Callable[..., Any]) -> None:
    process, root = survey()
    process.kill()
    wait_for(lambda: value(root) == "100000")
    wait_for(lambda: "restored" in comments(ssdpm.directory / "s.csv"))
    process.communicate(timeout=20)
    assert process.returncode == -signal.SIGKILL


def guard_of(process: subprocess.Popen[bytes]) -> int:
    children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
    (guard,) = children.read_text().split()
    return int(guard)


def killed_with_its_guard(process: subprocess.Popen[bytes]) -> None:
    os.kill(guard_of(process), signal.SIGKILL)
    process.kill()
    process.communicate(timeout=20)


def test_of_a_survey_killed_with_its_guard_revert_puts_back(
    ssdpm: Command, survey: Callable[..., Any]
) -> None:
    process, root = survey()
    killed_with_its_guard(process)
    assert value(root) in ("0", "25000")
    left = ssdpm("revert", "--root", str(root), "--dry-run")
    assert b"would be put back first" in left.stderr and value(root) in ("0", "25000")
    assert b"put back" in ssdpm("revert", "--root", str(root)).stderr
    assert value(root) == "100000"
    assert ssdpm("revert", "--root", str(root)).stderr == b""


def test_of_a_survey_killed_with_its_guard_a_search_of_bisect_puts_back(
    ssdpm: Command, survey: Callable[..., Any]
) -> None:
    process, root = survey()
    killed_with_its_guard(process)
    assert value(root) in ("0", "25000")
    seen = ("--errors", "1", "--entries", "40", "nvme0")
    begun = ssdpm("bisect", "start", *seen, "--root", str(root))
    assert b"put back" in begun.stderr and begun.returncode == 0
    ssdpm.output("bisect", "stop", "--root", str(root))
    assert value(root) == "100000"


def test_of_a_survey_killed_with_its_guard_the_next_one_puts_back(
    ssdpm: Command, survey: Callable[..., Any]
) -> None:
    process, root = survey()
    killed_with_its_guard(process)
    result = ssdpm(
        "measure", "survey", "--root", str(root), "--save", "t.csv", "--yes",
        *SHORT, *TWO, "--blocks", "1",
    )  # fmt: skip
    assert result.returncode == 0 and b"a survey or trial was killed" in result.stderr
    assert comments(ssdpm.directory / "t.csv")["found"] == ["nvme0 latency=100ms"]
    assert value(root) == "100000"


def test_it_goes_back_to_what_apply_had_set_and_revert_further(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    ssdpm.output("apply", "--root", str(laptop), "--latency", "60ms")
    ssdpm.output(
        "measure", "survey", "--root", str(laptop), "--save", "s.csv", "--yes",
        *SHORT, *TWO, "--blocks", "1",
    )  # fmt: skip
    assert value(laptop) == "60000"
    ssdpm.output("revert", "--root", str(laptop))
    assert value(laptop) == "100000"


def test_while_one_runs_another_and_revert_are_refused(
    ssdpm: Command, survey: Callable[..., Any]
) -> None:
    process, root = survey()
    message = ssdpm.fails(
        1, "measure", "survey", "--root", str(root), "--save", "t.csv", "--yes", *TWO
    )
    assert "a survey or trial runs" in message
    assert "a survey or trial runs" in ssdpm.fails(1, "revert", "--root", str(root))
    assert value(root) in ("0", "25000")
    assert process.poll() is None


def test_what_was_interrupted_goes_on_where_it_was(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    path = ssdpm.directory / "s.csv"
    process = started(
        ssdpm, "--root", str(laptop), "--save", "s.csv", "--yes", *TWO,
        "--settle", "100ms", "--interval", "20ms", "--duration", "400ms",
        "--blocks", "2",
    )  # fmt: skip
    wait_for(lambda: path.exists() and max((0, *runs(path))) == 2)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    before = path.read_text()
    n = len(runs(path)[2])
    assert len(runs(path)[1]) == 20 and n < 20
    ssdpm.output("measure", "survey", "--root", str(laptop), "--resume", "s.csv")
    assert path.read_text().startswith(before)
    after = runs(path)
    assert sorted(after) == [1, 2, 3, 4, 5] and len(after[2]) == n
    complete = [run[0] for run in after.values() if len(run) == 20]
    assert len({(r["policy"], r["block"]) for r in complete}) == 4
    assert value(laptop) == "100000"
    # Now there is nothing left to do.
    whole = path.read_text()
    ssdpm.output("measure", "survey", "--root", str(laptop), "--resume", "s.csv", "-q")
    assert len(path.read_text()) - len(whole) < 40


def test_what_a_run_writes_is_what_the_report_reads(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    """The meter of one policy is 60 W, that of the other 25 W, and 3 W of noise."""
    meter = (laptop / BATTERY / "power_now").resolve()
    limit = (laptop / LIMIT).resolve()
    ssdpm.write(
        "noise",
        f"while sleep 0.003; do echo $((RANDOM * 91 + $(cat {limit}) * 1000)) > new; "
        f"mv new {meter}; done\n",
    )
    ssdpm.output(
        "measure", "survey", "--root", str(laptop), "--save", "s.csv", "--yes",
        "--policy", "latency=25ms", "--policy", "latency=60ms",
        "--settle", "1s", "--interval", "15ms", "--duration", "750ms",
        "--blocks", "4", "--scenario", "command:bash noise",
    )  # fmt: skip
    report = ssdpm.json("measure", "survey", "s.csv")
    text = ssdpm.output("measure", "survey", "s.csv")
    assert "8 complete runs of 2 policies" in text
    (section,) = report["power"]
    assert section["compared"] and section["n_different"] == 1
    means = {m["policy"]: m["mean_uw"] / 1e6 for m in section["means"]}
    assert 25 <= means["latency=25ms"] <= 28 and 60 <= means["latency=60ms"] <= 63


def test_it_goes_on_after_a_line_that_was_not_finished(
    ssdpm: Command, survey: Callable[..., Any]
) -> None:
    process, root = survey()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    path = ssdpm.directory / "s.csv"
    text = path.read_text().replace("duration_s: 30", "duration_s: 0.1")
    path.write_text(text + "9,latency=0us,idle,1,0.3")
    ssdpm.output("measure", "survey", "--root", str(root), "--resume", "s.csv")
    assert all(len(row["time_s"]) > 4 for row in rows(path))


def test_a_file_of_another_machine_or_drive_is_not_gone_on_with(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("laptop")
    ssdpm.output(
        "measure", "survey", "--root", str(root), "--save", "s.csv", "--yes",
        *SHORT, *TWO, "--blocks", "1",
    )  # fmt: skip
    text = (ssdpm.directory / "s.csv").read_text()
    call = ["measure", "survey", "-q", "--root", str(root), "--resume"]
    for old, new, said in (
        ("# machine: Linux 7", "# machine: Linux 6", "another machine or kernel"),
        ("# drive: WDC", "# drive: ABC", "goes on with the same drives"),
        ("# ssdpm survey 1", "# ssdpm survey 2", "no file of ssdpm measure"),
        ("# blocks: 1", "# blocks: x", "# blocks: x"),
        ("# seed: ", "# seed: -", "# seed: -"),
        ("# settle_s: ", "# settle_s: 1e", "# settle_s: 1e"),
        ("# policies: ", "# principles: ", "lacks lines"),
        ("\n1,latency", "\nx,latency", "no row of a survey"),
    ):
        assert old in text
        ssdpm.write("t.csv", text.replace(old, new, 1))
        assert said in ssdpm.fails(1, *call, "t.csv")
        assert value(root) == "100000"


def test_a_file_that_is_there_is_not_written_over(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    ssdpm.write("s.csv", "mine\n")
    message = ssdpm.fails(
        1, "measure", "survey", "--root", str(laptop), "--save", "s.csv", "--yes", *TWO
    )
    assert "--resume" in message
    assert (ssdpm.directory / "s.csv").read_text() == "mine\n"


def test_a_meter_that_vanishes_ends_it_with_what_was_read(
    ssdpm: Command, survey: Callable[..., Any]
) -> None:
    process, root = survey()
    (root / BATTERY / "power_now").unlink()
    _, said = process.communicate(timeout=20)
    assert process.returncode == 1
    assert b"BAT0" in said and b"--resume" in said
    assert len(rows(ssdpm.directory / "s.csv")) > 1
    assert value(root) == "100000"


def test_a_battery_that_charges_is_refused_before_and_meanwhile(
    ssdpm: Command, survey: Callable[..., Any]
) -> None:
    process, root = survey()
    (root / BATTERY / "status").write_text("Charging\n")
    _, said = process.communicate(timeout=20)
    assert process.returncode == 1 and b"charg" in said
    assert value(root) == "100000"
    call = ["measure", "survey", "--root", str(root), "--save", "t.csv", "--yes"]
    assert "charg" in ssdpm.fails(3, *call, *TWO)
    assert not (ssdpm.directory / "t.csv").exists()


def test_a_full_disk_ends_it_with_whole_lines(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    result = ssdpm.shell(
        "ulimit -f 48; trap '' XFSZ; "
        f"ssdpm measure survey --root {laptop} --save s.csv "
        f"--yes {' '.join(TWO)} --settle 40ms --interval 5ms --duration 20s"
    )
    assert result.returncode == 1
    assert "s.csv: File too large" in result.stderr
    path = ssdpm.directory / "s.csv"
    assert path.stat().st_size > 20000 and path.read_text().endswith("\n")
    assert all(row["bytes_per_s"] == "" for row in rows(path))
    assert value(laptop) == "100000"


def test_who_changes_the_policy_meanwhile_has_the_run_left_out(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    path = ssdpm.directory / "s.csv"
    process = started(
        ssdpm, "--root", str(laptop), "--save", "s.csv", "--yes", *TWO, "--blocks", "1",
        "--settle", "100ms", "--interval", "50ms", "--duration", "1s",
    )  # fmt: skip
    wait_for(lambda: has_rows(path))
    (laptop / LIMIT).write_text("70000\n")
    _, said = process.communicate(timeout=20)
    assert process.returncode == 0 and b"somebody else changed the policy" in said
    lengths = [len(run) for run in runs(path).values()]
    assert lengths == [19, 20, 20]
    # His value is what is in force now.
    assert value(laptop) == "70000"


@pytest.fixture
def data(ssdpm: Command) -> str:
    name = ssdpm.directory / "data.bin"
    name.write_bytes(os.urandom(1 << 20))
    os.sync()
    return str(name)


def test_reads_before_and_between_readings_have_a_latency(
    ssdpm: Command, laptop: pathlib.Path, data: str
) -> None:
    ssdpm.output(
        "measure", "survey", "--root", str(laptop), "--save", "s.csv", "--yes",
        *SHORT, *TWO, "--blocks", "1", "--file", data,
    )  # fmt: skip
    path = ssdpm.directory / "s.csv"
    assert comments(path)["scenarios"] == ["idle;sync;async"]
    assert len(runs(path)) == 6
    for row in rows(path):
        has = row["latency_us"] != ""
        assert has == (row["scenario"] != "idle")
        assert not has or 0 < float(row["latency_us"]) < 1e6


def test_a_workload_runs_meanwhile_and_not_after(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    line = "command:while sleep 0.02\ndo echo >> ticks\ndone"
    assert ssdpm(
        "measure", "survey", "--root", str(laptop), "--dry-run", "--scenario", line
    ).returncode == 2  # fmt: skip
    ssdpm.write("work", "while sleep 0.02; do echo >> ticks; done\n")
    ssdpm.output(
        "measure", "survey", "--root", str(laptop), "--save", "s.csv", "--yes",
        *SHORT, *TWO, "--blocks", "1", "--scenario", "command:sh work",
    )  # fmt: skip
    ticks = ssdpm.directory / "ticks"
    n = ticks.stat().st_size
    assert n >= 4
    time.sleep(0.1)
    assert ticks.stat().st_size == n


def test_a_workload_is_ended_also_after_a_kill(
    ssdpm: Command, survey: Callable[..., Any]
) -> None:
    ssdpm.write("work", "while sleep 0.02; do echo >> ticks; done\n")
    process, root = survey("--scenario", "command:sh work")
    process.kill()
    wait_for(lambda: value(root) == "100000")
    process.communicate(timeout=20)
    ticks = ssdpm.directory / "ticks"
    n = ticks.stat().st_size
    time.sleep(0.1)
    assert ticks.stat().st_size == n


def test_a_workload_that_fails_ends_it(ssdpm: Command, laptop: pathlib.Path) -> None:
    result = ssdpm(
        "measure", "survey", "--root", str(laptop), "--save", "s.csv", "--yes",
        *SHORT, *TWO, "--scenario", "command:exit 3",
    )  # fmt: skip
    assert result.returncode == 1 and b"status 3" in result.stderr
    assert value(laptop) == "100000"


def test_fio_runs_once_per_policy_and_block_on_a_file_that_is_removed(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    (ssdpm.directory / "here").mkdir()
    ssdpm.output(
        "measure", "survey", "--root", str(laptop), "--save", "s.csv", "--yes",
        *SHORT, *TWO, "--blocks", "2", "--fio", "here", "--fio-size", "4MiB",
    )  # fmt: skip
    path = ssdpm.directory / "s.csv"
    found = [row for row in rows(path) if row["scenario"].startswith("fio:")]
    assert len(found) == 4 * 2 * 2
    assert {row["scenario"] for row in found} == {
        "fio:seqread", "fio:randread", "fio:seqwrite", "fio:randwrite"
    }  # fmt: skip
    for row in found:
        assert row["power_w"] == ""
        assert float(row["latency_us"]) > 0 and float(row["latency_sd_us"]) >= 0
        assert float(row["bytes_per_s"]) > 0
    assert comments(path)["scenarios"] == ["idle"]
    assert list((ssdpm.directory / "here").iterdir()) == []


def test_a_fio_that_fails_or_says_nonsense_ends_it(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    fio = ssdpm.directory / "bin/fio"
    for text, said in (
        ("exit 1", "fio failed"),
        ("case $* in *bs=1M*) exit;; esac; echo nothing", "nothing that can be read"),
        ("case $* in *bs=1M*) exit;; esac; echo '3;x;y;0;5;'", "nothing that can be"),
    ):
        fio.write_text(f"#!/bin/sh\n{text}\n")
        fio.chmod(0o755)
        (ssdpm.directory / "s.csv").unlink(missing_ok=True)
        result = ssdpm(
            "measure", "survey", "--root", str(laptop), "--save", "s.csv", "--yes",
            *SHORT, *TWO, "--blocks", "1", "--fio", ".", "--fio-size", "1MiB",
        )  # fmt: skip
        assert result.returncode == 1 and said in result.stderr.decode()
        assert value(laptop) == "100000"
        assert not (ssdpm.directory / "ssdpm-survey.fio").exists()


def test_files_that_cannot_be_read_or_filled_are_refused(
    ssdpm: Command, laptop: pathlib.Path, data: str
) -> None:
    ssdpm.write("short", b"x")
    with open(ssdpm.directory / "holes", "wb") as file:
        file.truncate(1 << 20)
    os.mkfifo(ssdpm.directory / "pipe")
    call = ["measure", "survey", "-q", "--root", str(laptop), "--save", "s.csv", "-y"]
    for name, said in (
        ("short", "shorter than 4 KiB"),
        ("holes", "holes"),
        ("pipe", "no regular file"),
        (".", "no regular file"),
        ("missing", "No such file"),
        ("/dev/zero", "no regular file"),
    ):
        assert said in ssdpm.fails(1, *call, *TWO, "--file", name)
    for name, size, said in (
        ("data.bin", "1MiB", "no directory"),
        ("missing", "1MiB", "No such file"),
        (".", "1B", "at least 1MiB"),
        (".", "1000000GiB", "no room"),
        ("/dev/zero", "1MiB", "no directory"),
    ):
        (ssdpm.directory / "s.csv").unlink(missing_ok=True)
        result = ssdpm(*call, *TWO, "--fio", name, "--fio-size", size)
        assert result.returncode == 1 and said in result.stderr.decode()
        assert value(laptop) == "100000"


def test_what_does_not_go_together_is_a_usage_error(
    ssdpm: Command, machine: Make
) -> None:
    root = str(machine("laptop"))
    for arguments, said in (
        (["--save", "x"], "--yes"),
        (["--yes"], "--save FILE"),
        (["-n", "--policy", "latency=0us"], "two are needed"),
        (["-n", "--policy", "speed=9", "--policy", "latency=0us"], "lpm=POLICY"),
        (["-n", "--policy", "latency", "--policy", "latency=0us"], "lpm=POLICY"),
        (["-n", "--policy", "source=ac", "--policy", "latency=0us"], "lpm=POLICY"),
        (["-n", "--policy", "latency=5", "--policy", "latency=0us"], "latency 5"),
        (["-n", "--policy", "lpm=a,b"], "comma"),
        (["-n", *TWO, "--policy", "latency=0us"], "given twice"),
        (["-n", "--scenario", "busy"], "expected idle, sync, async or"),
        (["-n", "--scenario", "sync"], "need --file"),
        (["-n", "--file", "x", "--scenario", "idle"], "--file is for"),
        (["-n", "--fio", "."], "go together"),
        (["-n", "--blocks", "0"], "1 to 1000"),
        (["-n", "--settle", "0s"], "above 0"),
        (["-n", "--duration", "3s"], "2 "),
        (["-n", "--json"], "--json"),
        (["-n", "--for", "3s"], "--duration"),
        (["-n", "--tolerance", "5%"], "takes no --tolerance"),
        (["-n", "--rate", "1kHz"], "file of samples"),
        (["--resume", "x", "--blocks", "3", "--save", "y"], "--resume FILE"),
    ):
        message = ssdpm.fails(2, "measure", "survey", "--root", root, *arguments)
        assert said in message
    assert "survey does" in ssdpm.fails(2, "measure", "energy", "--blocks", "3", "x")


def test_a_policy_that_no_drive_can_have_is_refused_before_anything_is_set(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    message = ssdpm.fails(
        3, "measure", "survey", "--root", str(laptop), "--save", "s.csv", "--yes",
        "--policy", "latency=0us", "--policy", "lpm=medium_power",
    )  # fmt: skip
    assert "lpm=medium_power" in message
    assert not (ssdpm.directory / "s.csv").exists() and value(laptop) == "100000"


def test_without_a_meter_it_says_how_to_name_one(
    ssdpm: Command, desktop: pathlib.Path
) -> None:
    call = ["measure", "survey", "-q", "--root", str(desktop)]
    assert "--meter" in ssdpm.fails(3, *call, "--save", "s.csv", "--yes")
    looked = ssdpm(*call, "--dry-run", *SHORT)
    assert looked.returncode == 0 and b"without a meter" in looked.stdout


def test_a_root_without_the_marker_is_left_alone(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    (laptop / "ssdpm-capture").unlink()
    message = ssdpm.fails(
        1, "measure", "survey", "--root", str(laptop), "--save", "s.csv", "--yes", *TWO
    )
    assert "ssdpm-capture" in message and not (laptop / "run").exists()


def test_a_root_never_leads_out_of_itself(
    ssdpm: Command, laptop: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (laptop / "run").symlink_to(outside)
    ssdpm.fails(
        1, "measure", "survey", "--root", str(laptop), "--save", "s.csv", "--yes", *TWO
    )
    assert list(outside.iterdir()) == []


def test_without_privileges_it_says_what_to_do_and_begins_nothing(
    ssdpm: Command, laptop: pathlib.Path, unprivileged: Callable[..., Any]
) -> None:
    result = unprivileged(
        "measure", "survey", "--root", str(laptop), "--save", "s.csv", "--yes", *TWO
    )
    assert result.returncode == 4 and b"root" in result.stderr
    assert not (ssdpm.directory / "s.csv").exists()
    looked = unprivileged("measure", "survey", "--root", str(laptop), "-n", *SHORT)
    assert looked.returncode == 0, looked.stderr
