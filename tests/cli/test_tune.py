# SPDX-License-Identifier: MIT
"""ssdpm tune: one screen, what it sets is in force, and it can be undone."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import pathlib
import pty
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import machines
import pytest
from command import Command, read_question, read_terminal

Make = Callable[[str], pathlib.Path]
LIMITS = {"normal": (0.01, 25e6), "patient": (0.05, 100e6), "instant": (0.001, 5e6)}


def settings(root: pathlib.Path) -> dict[str, str]:
    """What a tuning can change in a capture."""
    names = ("pm_qos_latency_tolerance_us", "link_power_management_policy")
    return {
        str(path.relative_to(root)): path.read_text().strip()
        for name in names
        for path in sorted(root.rglob(name))
    }


def advised(ssdpm: Command, *call: str) -> list[dict[str, Any]]:
    """Also of drives that cannot be read, which makes it a failure."""
    drives: list[dict[str, Any]] = json.loads(ssdpm(*call, "--json").stdout)["drives"]
    return drives


def test_nothing_to_change_says_how_many_drives_could_be_read(ssdpm: Command) -> None:
    machines.write("hostile", ssdpm.directory / "hostile")
    lines = ssdpm("tune", "-n", "--root", "hostile").stdout.decode().splitlines()
    assert lines[:2] == [
        "Nothing to change: only 1 of 8 drives could be read.",
        "No latency limit or link policy is known to save more there.",
    ]
    lines = ssdpm("tune", "-n", "--root", "hostile", "nvme0").stdout.decode().splitlines()
    assert lines[0] == "Nothing to change: the drive could not be read."


def test_a_folder_is_no_file_of_measurements(ssdpm: Command) -> None:
    machines.write("laptop", ssdpm.directory / "laptop")
    said = ssdpm.fails(1, "tune", "-n", "--root", "laptop", "--measured", "laptop")
    assert said == "ssdpm: cannot read laptop: Is a directory"


@pytest.mark.parametrize("name", machines.MACHINES)
def test_the_screen_says_what_is_set_and_what_waits_and_fits(
    ssdpm: Command, name: str
) -> None:
    root = ssdpm.directory / name
    machines.write(name, root)
    before = settings(root)
    result = ssdpm("tune", "--dry-run", "--root", name)
    # What cannot be read is a failure, and the others have their answer.
    assert result.returncode == (1 if name == "hostile" else 0), result.stderr
    lines = result.stdout.decode().splitlines()
    assert len(lines) <= 22  # and the question
    assert not [line for line in lines if len(line) > 80]
    assert re.match(r"Change \d+ of \d+ drives?: (?:probably )?(?:saves|costs) |Nothing to change: |No NVMe", lines[0])
    if lines[0].startswith("Change"):
        text = "\n".join(lines)
        assert "kWh a year" in text and "I/Os then wait for at most" in text
    assert settings(root) == before


@pytest.mark.parametrize("patience", LIMITS)
@pytest.mark.parametrize("name", machines.MACHINES)
def test_what_is_set_keeps_the_limits_or_the_delays_of_linux(
    ssdpm: Command, machine: Make, name: str, patience: str
) -> None:
    option = [] if patience == "normal" else [f"--{patience}"]
    call = ["tune", "-n", "--root", str(machine(name)), *option]
    share, p99_ns = LIMITS[patience]
    for drive in advised(ssdpm, *call):
        if drive["advice"] != "set":
            continue
        after, bounds = drive["after"], drive["bounds"]
        assert after["delay_mean_ns"] <= bounds["max_delay_mean_ns"]
        assert after["delay_p99_ns"] <= bounds["max_delay_p99_ns"]
        if patience == "instant":
            assert after["delay_sum_ns"] <= share * after["duration_ns"] * 1.001
            assert bounds["max_delay_p99_ns"] == p99_ns
        else:
            assert bounds["max_delay_p99_ns"] >= p99_ns
        must = drive["policy"] == "min_power" or patience == "instant"
        assert must or drive["likely"]["verdict"] in ("saves", "probably-saves")


def test_what_it_sets_is_in_force_and_revert_goes_back(ssdpm: Command, machine: Make) -> None:
    root = machine("desktop-6.1")
    before = settings(root)
    text = ssdpm.output("tune", "--yes", "--root", str(root))
    assert text.splitlines()[-2:] == [
        "Done, and in force until the next boot: 2 settings.",
        f"To go back to before the first change: ssdpm revert --root {root}",
    ]
    changed = {path for path, value in settings(root).items() if value != before[path]}
    assert len(changed) == 2
    assert ssdpm("check", "--root", str(root)).returncode == 0
    assert ssdpm.output("tune", "-n", "--root", str(root)).startswith("Nothing to change")
    assert ssdpm("revert", "-q", "--root", str(root)).returncode == 0
    assert settings(root) == before


def test_the_page_is_written_before_anything_is_set(ssdpm: Command, machine: Make) -> None:
    root = machine("desktop-6.1")
    call = ["tune", "--yes", "--quiet", "--root", str(root), "--html"]
    before = settings(root)
    assert ssdpm(*call, "no-directory/p.html").returncode == 1
    assert settings(root) == before
    assert ssdpm.output(*call, "p.html") == ""
    assert settings(root) != before
    page = (ssdpm.directory / "p.html").read_text()
    assert "Change 2 of 3 drives" in page and '"name": "sdb"' in page


def test_a_command_names_the_page_that_it_wrote(ssdpm: Command, machine: Make) -> None:
    at = ("--root", str(machine("laptop")), "--html", "p.html")
    for call in (["tune", "-n"], ["compare", "nvme0"], ["recommend", "nvme0"]):
        assert b"ssdpm: page: p.html\n" in ssdpm(*call, *at).stderr
        assert b"page" not in ssdpm(*call, "-q", *at).stderr


def test_what_is_kept_is_asked_for_by_drive(ssdpm: Command, machine: Make) -> None:
    root = machine("desktop-6.1")
    assert ssdpm("tune", "-q", "--yes", "--keep", "--root", str(root)).returncode == 0
    kept = (root / "etc/ssdpm.conf.d/50-local.conf").read_text()
    assert re.findall(r"^model = (.*)$", kept, re.M) == [
        "CT1000MX500SSD1",
        "INTEL SSDSC2KW512G8",
    ]
    assert kept.count("lpm = med_power_with_dipm") == 2
    assert ssdpm("check", "--root", str(root)).returncode == 0
    # It will be set again.
    left = ssdpm("revert", "--root", str(root))
    assert left.returncode == 0
    for drive in (b"sda", b"sdb"):
        assert re.search(
            drive + rb": the next boot sets link policy to med_power_with_dipm, because "
            rb".*50-local\.conf.* decides; ssdpm revert --forget also removes what --keep wrote\n",
            left.stderr,
        )
    # It had min_power before.
    assert left.stderr.count(b"sdb: warning: min_power has lost data") == 1
    assert b"sda: warning" not in left.stderr
    shown = ssdpm("revert", "--forget", "--dry-run", "--root", str(root))
    assert b"to be removed: /etc/ssdpm.conf.d/50-local.conf" in shown.stderr
    assert (root / "etc/ssdpm.conf.d/50-local.conf").exists()
    assert ssdpm("revert", "-q", "--forget", "--root", str(root)).returncode == 0
    assert not (root / "etc/ssdpm.conf.d/50-local.conf").exists()
    shown = ssdpm("revert", "--forget", "--dry-run", "--root", str(root))
    assert b"there is no /etc/ssdpm.conf.d/50-local.conf" in shown.stderr


def test_who_may_undo_what_is_kept_is_named(ssdpm: Command, machine: Make) -> None:
    call = ["tune", "-n", "--root", str(machine("desktop-6.1"))]
    named = b"tuned sets the same, and may undo this: /usr/lib/tuned/powersave/tuned.conf"
    assert named in ssdpm(*call, "--keep").stderr
    assert not ssdpm(*call).stderr and not ssdpm(*call, "--keep", "-q").stderr


def test_what_could_be_set_is_kept_although_another_port_fails(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("desktop-6.1")
    before = settings(root)
    [port] = root.glob("sys/devices/**/host1/link_power_management_policy")

    def refused(option: str) -> list[str]:
        result = ssdpm.shell(
            "ASAN_OPTIONS=detect_leaks=0 strace -f -o /dev/null -e trace=write,pwrite64 "
            f"-e inject=write,pwrite64:error=EIO:when=1+ -P {port} "
            f"ssdpm tune --wide --yes {option} --root {root}"
        )
        assert result.returncode == 6
        return result.stdout.splitlines()

    assert refused("--keep")[-2:] == [
        "In force, and kept: 1 of 2 settings.",
        f"To go back to before the first change: ssdpm revert --forget --root {root}",
    ]
    kept = (root / "etc/ssdpm.conf.d/50-local.conf").read_text()
    assert re.findall(r"^model = (.*)$", kept, re.M) == ["CT1000MX500SSD1"]
    changed = {path for path, value in settings(root).items() if value != before[path]}
    assert len(changed) == 1
    assert ssdpm("revert", "-q", "--forget", "--root", str(root)).returncode == 0
    assert settings(root) == before
    assert refused("")[-2] == "In force until the next boot: 1 of 2 settings."


def test_only_the_named_drives_are_changed(ssdpm: Command, machine: Make) -> None:
    root = machine("desktop-6.1")
    before = settings(root)
    assert ssdpm("tune", "-y", "-q", "--root", str(root), "sda").returncode == 0
    changed = [path for path, value in settings(root).items() if value != before[path]]
    assert len(changed) == 1 and "host0" in changed[0]
    result = ssdpm("tune", "-n", "--root", str(root), "sdz")
    assert result.returncode == 1 and b"unknown drive 'sdz'; did you mean 'sda'?" in result.stderr
    for name in ("/dev/nvme0n1", "nvme0n1", "nvme0", "sda1"):
        found = advised(ssdpm, "tune", "-n", "--root", str(root), name)
        assert [drive["name"] for drive in found] == ["sda" if "sda" in name else "nvme0"]


def test_the_page_of_an_empty_machine_says_that_no_drive_is_here(
    ssdpm: Command, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "root/sys").mkdir(parents=True)
    page = tmp_path / "page.html"
    shown = ssdpm.output("tune", "-n", "--root", str(tmp_path / "root"), "--html", str(page))
    assert shown.startswith("No NVMe or SATA drive is here.")
    assert page.read_text().count("No NVMe or SATA drive is here.") == 1
    assert "Nothing to change: no" not in page.read_text()


def test_a_port_without_a_drive_is_a_failure_if_it_is_named(ssdpm: Command, machine: Make) -> None:
    """Not an empty machine: three drives are there."""
    root = machine("desktop-6.1")
    before = settings(root)
    for port, status, why in (
        ("host2", 1, "host2: a port without a disk"),
        ("host3", 3, "host3: an optical drive has no model"),
    ):
        for option in ("--dry-run", "--yes"):
            call = ["tune", option, "--root", str(root), port]
            assert ssdpm.fails(status, *call) == f"ssdpm: {why}"
        # Nothing is set without all that were named; the others are shown.
        call = ["--root", str(root), "sda", port]
        assert ssdpm.fails(status, "tune", "--yes", *call) == f"ssdpm: {why}"
        result = ssdpm("tune", "--dry-run", *call)
        assert result.returncode == status and why in result.stderr.decode()
        assert result.stdout.startswith(b"Change 1 of 1 drive: ")
    for names in (["host2", "host3"], ["nvme8", "nvme9"]):
        result = ssdpm("tune", "--dry-run", "--root", str(root), *names)
        assert result.returncode == 1 and result.stdout == b""
        assert len(result.stderr.splitlines()) == 2
        page = ssdpm.directory / "named.html"
        ssdpm("tune", "--dry-run", "--root", str(root), "--html", str(page), *names)
        assert page.read_text().count("No drive that was named could be read.") == 1
        assert "drive is here" not in page.read_text()
    assert settings(root) == before


def test_drives_of_one_kind_share_a_row(ssdpm: Command, machine: Make) -> None:
    root = machine("eight-drives")
    # Two of the disks get the same.
    for path in root.rglob("link_power_management_policy"):
        path.write_text("max_performance\n")
    text = ssdpm.output("tune", "-n", "--root", str(root))
    rows = [line for line in text.splitlines() if "med_power_with_dipm" in line]
    listed = advised(ssdpm, "tune", "-n", "--root", str(root))
    n = sum(1 for drive in listed if drive["advice"] == "set")
    shared = [re.match(r"\S+( \+(\d+))?", row) for row in rows]
    assert sum(1 + int(row[2] or 0) for row in shared if row) == n


def ask(
    ssdpm: Command,
    root: pathlib.Path,
    answer: bytes,
    meanwhile: Callable[[], object] = lambda: None,
) -> tuple[int, bytes]:
    """Its status, and what it prints, on a terminal on which the answer is typed."""
    terminal, slave = pty.openpty()
    with subprocess.Popen(
        [ssdpm.directory / "bin/ssdpm", "tune", "--root", str(root)],
        stdin=slave,
        stdout=slave,
        stderr=slave,
    ) as process:
        said = read_question(process, terminal)
        meanwhile()
        os.write(terminal, answer)
        said += read_terminal(process, terminal, slave)
        return process.wait(), said


@pytest.mark.parametrize("answer", [b"n\n", b"\n", b"\x04", b"yellow\n"])
def test_without_a_yes_nothing_is_set(ssdpm: Command, machine: Make, answer: bytes) -> None:
    root = machine("desktop-6.1")
    before = settings(root)
    status, said = ask(ssdpm, root, answer)
    assert status == 0 and b"Nothing was set." in said
    assert settings(root) == before


def test_a_yes_sets_it(ssdpm: Command, machine: Make) -> None:
    root = machine("desktop-6.1")
    before = settings(root)
    status, said = ask(ssdpm, root, b"y\n")
    assert status == 0 and b"Done, and in force until the next boot: 2 settings." in said
    assert settings(root) != before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "no terminal to ask on: say --yes or --dry-run"),
        (["--json"], "--json requires --yes or --dry-run"),
        (["-n", "-y"], "--yes conflicts with --dry-run"),
        (["-n", "--patient", "--instant"], "--patient conflicts with --instant"),
        (["-n", "--hours-per-day", "25"], "from 1 to 24"),
        (["-n", "--price", "x"], "--price"),
    ],
)
def test_what_is_asked_wrongly_is_refused(
    ssdpm: Command, machine: Make, options: list[str], words: str
) -> None:
    result = ssdpm("tune", "--root", str(machine("laptop")), *options)
    assert result.returncode == 2
    assert words in result.stderr.decode()


def test_a_trace_takes_the_place_of_the_workload(ssdpm: Command, machine: Make) -> None:
    root = machine("apst-off")
    trace = ssdpm.directory / "busy.csv"
    made = ssdpm("workload", "--to", "csv", "--n-ios", "2000", "--mean-idle", "1us", "poisson")
    trace.write_bytes(made.stdout)
    text = ssdpm.output("tune", "-n", "-q", "--root", str(root), "--trace", str(trace))
    # A drive that is never idle has nothing to gain.
    assert text.startswith("Nothing to change")
    trace.write_bytes(made.stdout.splitlines(keepends=True)[0])
    result = ssdpm("tune", "-n", "--root", str(root), "--trace", str(trace))
    assert result.returncode == 1 and b"no record" in result.stderr


def test_the_price_of_a_year_is_that_of_its_energy(ssdpm: Command, machine: Make) -> None:
    root = str(machine("apst-off"))
    text = ssdpm.output("tune", "-n", "--root", root, "--price", "100", "--hours-per-day", "12")
    found = re.search(
        r"^([0-9.]+) kWh a year at 12 hours a day, which cost ([0-9.]+) "
        r"\(([-0-9.]+) to ([0-9.]+)\)\.$",
        text,
        re.M,
    )
    assert found
    assert abs(float(found[2]) - 100 * float(found[1])) <= 5
    # The ends are the sums of those of each drive, over half a year.
    changed = [one for one in advised(ssdpm, "tune", "-n", "--root", root)
               if one["advice"] == "set"]  # fmt: skip
    for end, name in ((found[3], "low_uw"), (found[4], "high_uw")):
        uw = sum(one["likely"][name] for one in changed)
        assert float(end) == pytest.approx(100 * uw / 1e9 * 12 * 365, abs=0.01)


def test_the_price_of_what_sleep_saves_is_said_where_nothing_changes(
    ssdpm: Command, machine: Make
) -> None:
    call = ["tune", "-n", "--root", str(machine("laptop")), "--price", "100"]
    found = re.search(
        r"^Today, sleep already saves ([0-9.]+) W \(likely ([0-9.]+) to ([0-9.]+)\):\n"
        r"([0-9.]+) kWh a year at 24 hours a day, which cost ([0-9.]+) "
        r"\(([0-9.]+) to ([0-9.]+)\)\.$",
        ssdpm.output(*call),
        re.M,
    )
    assert found
    watts, low, high, kwh, price, low_price, high_price = map(float, found.groups())
    [drive] = advised(ssdpm, *call)
    exact_w = -drive["awake"]["median_uw"] / 1e6
    assert watts == pytest.approx(exact_w, rel=0.05)
    # The year is of the saving itself, and not of its two digits.
    assert kwh == pytest.approx(exact_w * 8.76, abs=0.0051)
    assert price == pytest.approx(100 * exact_w * 8.76, abs=0.011)
    for end, watts_shown, price_shown in (
        ("high_uw", low, low_price),
        ("low_uw", high, high_price),
    ):
        uw = -drive["awake"][end]
        assert watts_shown == pytest.approx(uw / 1e6, rel=0.05)
        assert price_shown == pytest.approx(100 * uw / 1e6 * 8.76, abs=0.01)


def test_a_drive_whose_sleep_is_not_decided_is_not_in_what_sleep_saves(
    ssdpm: Command, tmp_path: pathlib.Path
) -> None:
    fake = machines.Machine(machines.KERNEL_7)
    # Its sleep hardly takes less than its rest.
    warm = dataclasses.replace(
        machines.SN530,
        states=[
            machines.State(1, 0, 0, operational=True),
            machines.State(0.1, 3900, 11000, operational=False),
            machines.State(0.09, 5000, 39000, operational=False),
        ],
    )
    fake.nvme(warm, machines.ALL_OFF, table=[(1, 100), (2, 2000)])
    fake.nvme(machines.EVO_PLUS, machines.ALL_OFF, table=machines.EVO_PLUS_TABLE)
    fake.write(tmp_path / "two")
    call = ["tune", "-n", "--root", str(tmp_path / "two")]
    words = [drive["awake"]["verdict"] for drive in advised(ssdpm, *call)]
    assert words == ["not-decided", "costs"]
    text = " ".join(ssdpm.output(*call).split())
    assert "; 1 drive is undecided. I/Os wait" in text


@pytest.mark.parametrize("drive", [machines.SN530, machines.EVO_PLUS, machines.TOSHIBA])
def test_sleep_costs_nothing_if_the_link_stays_awake(
    ssdpm: Command, tmp_path: pathlib.Path, drive: machines.Nvme
) -> None:
    """The power of the idle drive contains the same link."""
    fake = machines.Machine(machines.KERNEL_7)
    fake.nvme(drive, machines.ALL_OFF, table=[(3, 100)] * 3 + [(4, 2000)])
    fake.write(tmp_path / "fake")
    [found] = advised(ssdpm, "tune", "-n", "--root", str(tmp_path / "fake"))
    assert found["awake"]["verdict"] in ("costs", "probably-costs")
    # Beyond the power of the transitions.
    assert found["awake"]["high_uw"] < 20000
    word = "already" if found["awake"]["verdict"] == "costs" else "probably"
    text = ssdpm.output("tune", "-n", "--root", str(tmp_path / "fake"))
    assert f"Today, sleep {word} saves " in text


def test_what_an_earlier_call_has_set_can_be_kept(ssdpm: Command, machine: Make) -> None:
    root = machine("desktop-6.1")
    call = ["tune", "--keep", "--root", str(root)]
    assert "Nothing to keep: " not in ssdpm.output(*call, "-n")  # it changes something
    ssdpm.output("tune", "-y", "--root", str(root))
    kept = root / "etc/ssdpm.conf.d"
    assert ssdpm.output(*call, "-n").endswith(
        "\nTo keep: the settings of 2 drives; ssdpmd(8), or its rule for udev, sets them at each boot.\n"
    )
    assert not kept.exists()
    assert "\nKept: the settings of 2 drives; ssdpmd(8), " in ssdpm.output(*call, "-y")
    [file] = kept.iterdir()
    assert file.read_text().count("lpm = med_power_with_dipm\n") == 2
    ssdpm.output("revert", "--forget", "--root", str(root))
    # One drive is set now, and the others were set earlier.
    ssdpm.output("tune", "-y", "--root", str(root), "sda")
    ssdpm.output(*call, "-y")
    [file] = kept.iterdir()
    assert file.read_text().count("lpm = med_power_with_dipm\n") == 2


def test_without_a_setting_of_ssdpm_nothing_is_kept(ssdpm: Command, machine: Make) -> None:
    root = machine("laptop")
    text = ssdpm.output("tune", "-y", "--keep", "--root", str(root))
    assert text.endswith("\nNothing to keep: no latency limit or link policy that ssdpm "
                         "has set is in force.\n")  # fmt: skip
    assert not (root / "etc/ssdpm.conf.d").exists()


def test_a_sum_is_decided_by_its_ends(ssdpm: Command, machine: Make) -> None:
    root = str(machine("desktop-6.1"))
    parts = [
        (one["likely"]["verdict"], one["likely"]["low_uw"])
        for one in advised(ssdpm, "tune", "-n", "-t", "lomax", "--root", root)
        if one["advice"] == "set"
    ]
    assert [verdict for verdict, _ in parts] == ["saves", "probably-costs"]
    assert sum(low for _, low in parts) < 0
    text = ssdpm.output("tune", "-n", "-t", "lomax", "--root", root)
    assert re.match(r"Change 2 of 3 drives: not decided: \d+ mW \(likely -\d+ to \d+\) in all,\n", text)


def test_a_profile_is_offered_for_the_drives_that_were_named(
    ssdpm: Command, tmp_path: pathlib.Path
) -> None:
    """And by what it saves on them alone."""
    fake = machines.MACHINES["eight-drives"]()
    fake.supplies(online=False, battery="power")
    fake.write(tmp_path / "fake")
    call = ["tune", "-n", "-t", "apt-upgrades", "--root", str(tmp_path / "fake")]
    assert "More on battery" in ssdpm.output(*call)
    assert "More on battery" not in ssdpm.output(*call, "nvme3")
    text = ssdpm.output(*call, "sda", "sdb")
    assert re.search(r"ssdpm plan -p auto .* sda sdb\n", text.replace("\\\n    ", ""))


OWN_SAVER = "[profile power-saver]\nmax_exit_latency = 100ms\n"


@pytest.mark.parametrize("what", ["no-apst", "no-lpm", "balanced", "same-table", "own"])
def test_the_profile_for_the_battery_is_offered_if_it_saves(
    ssdpm: Command, tmp_path: pathlib.Path, what: str
) -> None:
    fake = machines.Machine(machines.KERNEL_7)
    fake.supplies(online=False, battery="power")
    if what == "balanced":  # without its parameters the module takes a limit alone
        fake.host("LENOVO", "20XWCTO1WW", "20XWCTO1WW", mem_sleep="[s2idle]")
    if what == "no-lpm":
        port = machines.Port(machines.MX100, "max_performance", supported=False)
        fake.ahci("0000:00:17.0", [port])
    else:
        drive = machines.NO_APST if what == "no-apst" else machines.SN530
        table = None if what == "no-apst" else machines.SN530_TABLE
        fake.nvme(drive, machines.L1_2_ON, table=table)
    fake.write(tmp_path / "fake")
    if what == "own":  # the profile of the files is what Linux has anyway
        (tmp_path / "fake/etc").mkdir(exist_ok=True)
        (tmp_path / "fake/etc/ssdpm.conf").write_text(OWN_SAVER)
    call = ["--root", str(tmp_path / "fake")]
    text = ssdpm.output("tune", "-n", *call)
    offered = re.search(
        r"^More on battery, beyond these limits: power-saver (.*?)\.\n"
        r"To see it: (ssdpm plan -p auto .*)\n",
        text.replace("(likely\n  ", "(likely ").replace("\\\n    ", ""),
        re.M,
    )
    assert ("More on battery" in text) == bool(offered) == (what == "balanced")
    text = ssdpm.output("plan", "-p", "power-saver", *call)
    changes_nothing = "nothing to do" in text or text.endswith("\nin force\n")
    assert changes_nothing == (what not in ("balanced", "same-table"))
    if offered:
        words = shlex.split(offered[2])
        assert f"\n    {offered[1]}; an I/O waits" in ssdpm.output(*words[1:])


def put_battery(root: pathlib.Path, **files: object) -> None:
    for name, values in {
        "AC": {"type": "Mains", "online": 0},
        "BAT0": {"type": "Battery", "status": "Discharging", "present": 1, **files},
    }.items():
        folder = root / "sys/class/power_supply" / name
        folder.mkdir(parents=True, exist_ok=True)
        for file, value in values.items():
            (folder / file).write_text(f"{value}\n")


@pytest.mark.parametrize(
    "files",
    [
        {"energy_now": 41000000, "power_now": 6200000},
        {"charge_now": 4100000, "current_now": -620000, "voltage_now": 10000000},
    ],
)
def test_on_battery_the_minutes_that_it_lasts_longer_are_shown(
    ssdpm: Command, machine: Make, files: dict[str, int]
) -> None:
    root = machine("apst-off")
    put_battery(root, **files)
    # That of a mouse is none of the machine's.
    shutil.copytree(
        root / "sys/class/power_supply/BAT0",
        root / "sys/class/power_supply/hidpp_battery_0",
    )
    (root / "sys/class/power_supply/hidpp_battery_0/scope").write_text("Device\n")
    text = ssdpm.output("tune", "-n", "--root", str(root))
    found = re.search(
        r"^The battery lasts ([0-9.]+) minutes more \(likely ([-0-9.]+) to ([0-9.]+)\) "
        r"at 6\.2 W\.$",
        text,
        re.M,
    )
    assert found
    saving_w = advised(ssdpm, "tune", "-n", "--root", str(root))[0]["likely"]["median_uw"] / 1e6
    minutes = 60 * (41 / (6.2 - saving_w) - 41 / 6.2)
    assert float(found[1]) == pytest.approx(minutes, rel=0.02, abs=0.6)
    assert float(found[2]) <= float(found[1]) <= float(found[3])


def test_without_its_power_nothing_is_said_of_a_battery(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("apst-off")
    put_battery(root, energy_now=41000000)
    power = root / "sys/class/power_supply/BAT0/power_now"
    power.unlink(missing_ok=True)
    assert "battery lasts" not in ssdpm.output("tune", "-n", "--root", str(root))
    # Nor if the machine takes no more than what is saved.
    power.write_text("1000\n")
    assert "battery lasts" not in ssdpm.output("tune", "-n", "--root", str(root))


def test_what_is_not_known_of_a_drive_that_cannot_be_read_is_said(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("desktop-6.1")
    call = ["tune", "-n", "--root", str(root)]
    words = ("; 1 drive could not be read.", "or longer, on the drives that could be read.")
    screen = " ".join(ssdpm.output(*call).split())
    assert not any(word in screen for word in words)
    (root / "dumps/nvme0.identify").write_bytes(b"\xff" * 4096)
    result = ssdpm(*call)
    screen = " ".join(result.stdout.decode().split())
    assert result.returncode == 1 and all(word in screen for word in words), screen
    assert len(result.stdout.splitlines()) <= 24


def test_the_battery_already_lasts_longer_because_drives_sleep(
    ssdpm: Command, machine: Make
) -> None:
    """What the machine draws now is known; what it would draw awake is not."""
    root = machine("laptop")
    text = ssdpm.output("tune", "-n", "--root", str(root))
    lasts = re.search(r"lasts (\d+) minutes longer \(likely (\d+) to (\d+)\) at 6\.2 W\.$", text, re.M)
    [drive] = advised(ssdpm, "tune", "-n", "--root", str(root))
    assert lasts
    for shown, costs in zip(lasts.groups(), ("median_uw", "high_uw", "low_uw")):
        awake_w = 6.2 - drive["awake"][costs] / 1e6
        minutes = 60 * (41 / 6.2 - 41 / awake_w)
        assert float(shown) == pytest.approx(minutes, rel=0.02, abs=0.6)


def test_a_battery_that_would_last_for_years_has_no_line(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("laptop")
    put_battery(root, energy_now=9 * 10**18, power_now=1)
    assert "battery lasts" not in ssdpm.output("tune", "-n", "--root", str(root))


def test_a_drive_of_which_nothing_is_known_has_no_zeros(
    ssdpm: Command, machine: Make
) -> None:
    [drive, *_] = advised(ssdpm, "tune", "-n", "--root", str(machine("server")))
    assert drive["name"] == "nvme0" and drive["message"].startswith("over a network")
    for key in ("before", "after", "saving", "added_mean_ns", "added_p99_ns"):
        assert drive[key] is None


def test_a_drive_that_sleeps_and_is_not_estimated_is_missing_from_what_is_said_of_all(
    ssdpm: Command,
) -> None:
    """A hot-plug port is left alone, and yet its link may sleep."""
    for policy in ("med_power_with_dipm", "max_performance"):
        made = machines.Machine(machines.KERNEL_7)
        made.host("LENOVO", "ThinkCentre", "3102")
        hot = machines.HPCP | machines.ALPE | machines.ASP
        made.nvme(machines.SN530, machines.L1_2_ON, table=machines.SN530_TABLE)
        port = machines.Port(machines.INTEL_545, policy, bits=hot)
        made.ahci("0000:00:17.0", [port, machines.Port(machines.MX500, policy)])
        made.write(ssdpm.directory / policy)
        text = ssdpm.output("tune", "-n", "--root", policy)
        words = ("; 1 drive is not estimated.", "or longer, on the drives that are estimated.")
        sleeps = policy != "max_performance"
        assert [one in text for one in words] == 2 * [sleeps], text


def touch(path: pathlib.Path) -> pathlib.Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    return path


def test_who_sets_what_is_kept_at_a_boot_is_named(ssdpm: Command, machine: Make) -> None:
    root = machine("desktop-6.1")
    ssdpm.wide = False
    call = ["tune", "--dry-run", "--keep", "--root", str(root.relative_to(ssdpm.directory))]

    def said() -> str:
        lines = ssdpm.output(*call).splitlines()
        assert len(lines) <= 22 and max(map(len, lines)) <= 80
        text = re.sub(r"\s+", " ", " ".join(lines))
        [found] = re.findall(r"With --keep, (.*?)\. Workload:", text)
        return str(found)

    # Not all files are in a capture.
    assert said() == "ssdpmd(8), or its rule for udev, sets them at each boot"
    assert "--keep" not in ssdpm.output("tune", "--dry-run", "--root", str(root))
    (root / "ssdpm-capture").unlink()
    assert said() == (
        "nothing sets them at a boot, because neither ssdpmd(8) nor its rule for udev is "
        "installed"
    )
    unit = touch(root / "usr/lib/systemd/system/ssdpmd.service")
    assert said() == (
        "nothing sets them at a boot, because ssdpmd(8) is not enabled; try: systemctl "
        "enable --now ssdpmd"
    )
    wants = root / "etc/systemd/system/multi-user.target.wants/ssdpmd.service"
    wants.parent.mkdir(parents=True)
    wants.symlink_to(f"/{unit.relative_to(root)}")
    assert said() == "ssdpmd(8) sets them at each boot"
    wants.unlink()
    touch(root / "usr/lib/udev/rules.d/84-ssdpm-config.rules")
    assert said() == "the rule of ssdpm for udev sets them at each boot"
    # Somebody has hidden the rule.
    hidden = root / "etc/udev/rules.d/84-ssdpm-config.rules"
    hidden.parent.mkdir(parents=True)
    touch(root / "dev/null")
    hidden.symlink_to("/dev/null")
    assert said().startswith("nothing sets them at a boot, because ssdpmd(8) is not")


def test_a_nas_serves_files_and_a_desktop_does_not(ssdpm: Command) -> None:
    nas = machines.Machine(machines.KERNEL_6_12)
    nas.host("Somebody", "NAS", "Board", "[deep]")
    nas.ahci("0000:00:17.0", [machines.Port(machines.MX500, "max_performance")] * 6)
    nas.write(ssdpm.directory / "nas")

    def workload() -> str:
        said = ssdpm.output("tune", "-n", "--root", "nas").splitlines()
        assert len(said) <= 22 and max(map(len, said)) <= 80
        return said[-1]

    kind = ssdpm.directory / "nas/sys/class/dmi/id/chassis_type"
    firmware = touch(ssdpm.directory / "nas/sys/firmware/acpi/pm_profile")
    assert workload() == (
        "Workload: server-files (many SATA disks); --trace takes your own"
    )
    kind.write_text("23\n")
    assert workload() == (
        "Workload: server-files (a server by chassis); --trace takes your own"
    )
    firmware.write_text("4\n")
    assert workload() == (
        "Workload: server-files (a server by firmware); --trace takes your own"
    )
    call = ["tune", "-n", "--root", "nas", "--trace", "desktop-session"]
    assert ssdpm.output(*call).splitlines()[-1] == "Workload: desktop-session"


def test_what_cannot_be_printed_is_not_set(ssdpm: Command, machine: Make) -> None:
    root = machine("desktop-6.1")
    before = settings(root)
    result = ssdpm.shell(f"ssdpm tune --yes --root {root} > /dev/full")
    assert result.returncode == 1 and "No space left" in result.stderr
    assert settings(root) == before


def test_many_drives_fit_the_screen(ssdpm: Command, machine: Make) -> None:
    root = machine("eight-drives")
    ssdpm.wide = False
    for path in root.rglob("link_power_management_policy"):
        path.write_text("min_power\n")
    name = str(root.relative_to(ssdpm.directory))
    lines = ssdpm.output("tune", "-n", "--root", name).splitlines()
    assert len(lines) <= 22
    assert len([line for line in lines if "has lost data" in line]) == 1


OLD_LAPTOP = "my captures of the laptop of my dear old friend/and the second one of them/desktop"
ROOTS = [
    *("x" * length for length in (1, 8, 30, 40, 44, 50, 60, 90, 120)),
    "it's a machine",
    "my friend's laptop; with (marks), of $HOME",
    OLD_LAPTOP,
    OLD_LAPTOP.replace(" of ", "'s "),
]
TUNE_OPTIONS = [
    [],
    ["--keep"],
    ["--patient", "--keep", "--trace", "poisson", "--price", "0.30"],
]


ANSWERED = ["desktop-6.1", "apst-empty", "apst-off", "eight-drives", "laptop", "no-aspm", "server"]


def count_rows(text: str) -> int:
    """Of a terminal of 80 columns, which folds a word that is longer."""
    return sum(-(-len(line) // 80) or 1 for line in text.splitlines())


def calls_of(text: str) -> list[str]:
    """As they are pasted: with all lines behind a backslash."""
    return re.findall(r"^[A-Z][a-z ]+: (ssdpm (?:[^\n]*\\\n)*[^\n]*)$", text, re.M)


@pytest.mark.parametrize("root", ROOTS)
def test_a_long_root_leaves_the_answers_on_one_screen(
    ssdpm: Command, machine: Make, root: str
) -> None:
    ssdpm.wide = False
    place = ssdpm.directory / root
    place.parent.mkdir(parents=True, exist_ok=True)
    for name in ANSWERED:
        place.symlink_to(machine(name))
        for options in TUNE_OPTIONS:
            text = ssdpm.output("tune", "-q", "-n", *options, "--root", root)
            assert count_rows(text) <= 22, text
            # Each answer has its call.
            linked = re.search("^(For all devices|To set it): ssdpm apply ", text, re.M)
            assert bool(linked) == ("\nLink of " in text), text
            assert ("\nUndo: ssdpm revert " in text) == text.startswith("Change "), text
            further = "nvme_core setting" in text or "A raw table" in text
            assert further == ("\nTo see it: ssdpm recommend " in text), text
            if name == "desktop-6.1":
                assert linked, text
            for call in calls_of(text):
                assert root in shlex.split(call) or "tune --measure" in call, call
        place.unlink()


@pytest.mark.parametrize("name", ["apst-empty", "desktop-6.1"])
@pytest.mark.parametrize("length", [1, 20, 50, 90])
def test_to_keep_what_was_set_earlier_takes_one_screen(
    ssdpm: Command, machine: Make, name: str, length: int
) -> None:
    ssdpm.wide = False
    root = "r" * length
    machine(name).rename(ssdpm.directory / root)
    ssdpm.output("tune", "-q", "-y", "--root", root)
    text = ssdpm.output("tune", "-q", "-y", "--keep", "--root", root)
    assert count_rows(text) <= 22, text
    text = ssdpm.output("tune", "-y", "--keep", "--root", root)
    assert "\nTo go back to before the first change: ssdpm revert --forget " in text
    assert count_rows(text) <= 22, text


@pytest.mark.parametrize("shell", ["sh", "bash", "zsh", "fish"])
@pytest.mark.parametrize("root", ["r", "it's a machine", OLD_LAPTOP, OLD_LAPTOP.replace(" of ", "'s ")])
def test_a_call_of_the_screen_works_as_it_is_pasted(
    ssdpm: Command, machine: Make, root: str, shell: str
) -> None:
    if not shutil.which(shell):
        pytest.skip(f"there is no {shell}")
    ssdpm.wide = False
    place = ssdpm.directory / root
    place.parent.mkdir(parents=True, exist_ok=True)
    machine("desktop-6.1").rename(place)
    before = settings(place)
    ran = []
    for options in ([], ["--trace", "poisson"]):
        text = ssdpm.output("tune", "-n", *options, "--root", root)
        assert options or "\nFor all devices: ssdpm apply " in text
        ssdpm.output("tune", "-q", "-y", *options, "--root", root)
        for call in calls_of(text):
            if "tune --measure" in call:  # on that machine
                continue
            result = ssdpm.run(shell, "-c", call)
            assert result.returncode == 0, (call, result.stderr)
            ran.append(call.split()[1])
            if ran[-1] == "revert":
                assert settings(place) == before
            if "--aspm-policy" in call:
                policy = place / "sys/module/pcie_aspm/parameters/policy"
                assert "[powersupersave]" in policy.read_text()
    assert {"revert", "apply", "compare"} <= set(ran)


@pytest.mark.parametrize("root", ["r", "x" * 40, OLD_LAPTOP[:60]])
def test_what_is_set_without_a_question_fits_with_its_way_back(
    ssdpm: Command, machine: Make, root: str
) -> None:
    """The call that goes back is there once."""
    ssdpm.wide = False
    for name in ("desktop-6.1", "apst-off", "apst-empty"):
        for options in TUNE_OPTIONS:
            place = ssdpm.directory / root
            place.parent.mkdir(parents=True, exist_ok=True)
            machine(name).rename(place)
            text = ssdpm.output("tune", "-q", "-n", *options, "--root", root)
            said = ssdpm.output("tune", "-y", *options, "--root", root)
            assert "\nUndo: ssdpm revert " in text and "\nUndo: " not in said
            assert said.count("ssdpm revert") == 1 and "\nDone, and in force" in said
            assert count_rows(said) <= 22, said
            shutil.rmtree(place)


def test_the_way_back_is_said_although_nothing_could_be_kept(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("desktop-6.1")
    result = ssdpm.shell(
        "ASAN_OPTIONS=detect_leaks=0 strace -f -o /dev/null -e trace=renameat "
        f"-e inject=renameat:error=ENOSPC -P {root}/etc/ssdpm.conf.d "
        f"ssdpm tune --wide --yes --keep --root {root}"
    )
    assert result.returncode == 1 and "no space left" in result.stderr
    call = f"ssdpm revert --forget --root {root}"
    assert result.stdout.splitlines()[-1] == f"To go back to before the first change: {call}"


def test_a_screen_with_room_has_all_reasons(ssdpm: Command, machine: Make) -> None:
    ssdpm.wide = False
    name = str(machine("eight-drives").relative_to(ssdpm.directory))
    lines = ssdpm.output("tune", "-n", "--root", name).splitlines()
    assert len(lines) <= 22
    assert not [line for line in lines if "more; --json has all" in line]
    for name in ("nvme0", "nvme3", "sda", "sdd"):
        assert [line for line in lines if line.startswith(f"  {name}: ")]


def test_disks_that_share_a_port_are_left_alone(ssdpm: Command, machine: Make) -> None:
    root = machine("desktop-6.1")
    [first] = root.glob("sys/devices/**/link1/dev1.0")
    second = first.with_name("dev1.1")
    shutil.copytree(first, second, symlinks=True)
    (second / "ata_device/dev1.0").rename(second / "ata_device/dev1.1")
    link = root / "sys/class/ata_device/dev1.1"
    link.symlink_to(os.path.relpath(second / "ata_device/dev1.1", link.parent))
    found = {one["name"]: one for one in advised(ssdpm, "tune", "-n", "--root", str(root))}
    assert found["sda"]["advice"] is None
    assert "several devices share the port" in found["sda"]["message"]
    assert found["sdb"]["advice"] == "set"


def test_instant_gives_up_sleep_only_where_io_waits_too_long(ssdpm: Command, machine: Make) -> None:
    root = machine("desktop-6.1")
    for path in root.rglob("link_power_management_policy"):
        path.write_text("med_power_with_dipm\n")
    trace = ssdpm.directory / "steady.csv"
    made = ssdpm("workload", "--to", "csv", "--n-ios", "20000", "--mean-idle", "5ms", "poisson")
    trace.write_bytes(made.stdout)
    call = ["tune", "-n", "--root", str(root), "--trace", str(trace), "--instant"]
    first, second = advised(ssdpm, *call, "sda")[0], advised(ssdpm, *call, "sdb")[0]
    # Partial alone waits for more than 0.1 % of the time on the second disk.
    assert second["advice"] == "set" and second["setting"]["lpm"] == "max_performance"
    assert second["before"]["delay_mean_ns"] > second["bounds"]["max_delay_mean_ns"]
    assert second["after"]["delay_sum_ns"] == 0
    # The first one is within the limits.
    assert first["before"]["delay_mean_ns"] <= first["bounds"]["max_delay_mean_ns"]
    assert first["advice"] == "keep" and first["setting"]["lpm"] != "max_performance"
    assert "max_performance" not in ssdpm.output(*call[:-1])


def test_the_limit_on_exits_holds_for_today_and_not_for_the_latency_limit(
    ssdpm: Command, machine: Make
) -> None:
    """The exit of a state, and not the latency limit that allows it."""
    ios = [
        f"{burst * 60_000_000_000 + io * 1_000_000},0,4096,100000,read,0"
        for burst in range(20)
        for io in range(1000)
    ]
    trace = ssdpm.directory / "bursts.csv"
    trace.write_text("\n".join(["start_ns,offset,bytes,service_ns,op,flags", *ios, ""]))

    def instant(root: pathlib.Path) -> int:
        call = ["--root", str(root), "--trace", str(trace), "--instant", "nvme0"]
        [drive] = advised(ssdpm, "tune", "-n", *call)
        [one] = json.loads(ssdpm("recommend", "--json", *call).stdout)["recommendations"]
        routes = {route["route"]: route for route in one["recommendations"]}
        assert drive["advice"] == routes["latency-limit"]["advice"] == "set"
        limit: int = drive["setting"]["max_exit_latency_us"]
        assert limit == routes["latency-limit"]["limit_us"]
        assert drive["before"]["delay_p99_ns"] == 0
        return limit

    # Its deepest state takes 39 ms to leave, and the other one 11 ms.
    assert instant(machine("laptop")) == 0
    # These take 1.2 ms and 8 ms.
    awake = machine("desktop-6.1")
    (awake / "sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us").write_text("0\n")
    (awake / "dumps/nvme0.apst").unlink()
    assert instant(awake) == 100000


@pytest.mark.parametrize("name", machines.MACHINES)
def test_the_call_that_helps_to_decide_compares_the_setting_with_today(
    ssdpm: Command, name: str
) -> None:
    machines.write(name, ssdpm.directory / name)
    # A limit that Linux makes another table of, and times of its own.
    for path in (ssdpm.directory / name).rglob("apst_primary_timeout_ms"):
        path.write_text("250\n")
    text = ssdpm("tune", "-n", "-q", "--root", name).stdout.decode()
    wanted = re.compile(r"^To decide: (ssdpm compare .*\\\n    .*)$", re.M)
    call = wanted.search(text)
    # The screen of all drives has the same one, of drives that do not sleep.
    short = wanted.search(ssdpm("status", "--root", name).stdout.decode())
    assert short is None or short[1] in text
    undecided = [
        one
        for one in advised(ssdpm, "tune", "-n", "--root", name)
        if one["advice"] == "keep" and (one["likely"] or {}).get("verdict") == "not-decided"
    ]
    assert bool(call) == bool(undecided)
    if not call:
        return
    done = ssdpm.shell(f"{call[1]} --json")
    assert done.returncode == 0, done.stderr
    [compared] = json.loads(done.stdout)["comparisons"]
    assert compared["drive"] == undecided[0]["name"]
    today, candidate = compared["rows"]
    assert today["policies"] == ["today"]
    assert candidate["likely"] == undecided[0]["likely"]


def test_a_reason_is_printed_to_its_end(ssdpm: Command, machine: Make) -> None:
    root = machine("old-5.10")
    [message] = [one["message"] for one in advised(ssdpm, "tune", "-n", "--root", str(root))
                 if one["message"]]  # fmt: skip
    assert len(message) > 80
    text = ssdpm.output("tune", "-n", "--root", str(root))
    assert message in re.sub(r"\s+", " ", text)


def test_what_saves_nothing_is_not_said_to_save(ssdpm: Command, machine: Make) -> None:
    root = machine("desktop-6.1")
    for path in root.rglob("link_power_management_policy"):
        path.write_text("med_power_with_dipm\n")
    trace = ssdpm.directory / "steady.csv"
    made = ssdpm("workload", "--to", "csv", "--n-ios", "20000", "--mean-idle", "5ms", "poisson")
    trace.write_bytes(made.stdout)
    text = ssdpm.output(
        "tune", "-n", "-q", "--instant", "--root", str(root), "--trace", str(trace), "sdb"
    )
    first, second = text.splitlines()[:2]
    assert first == "Change 1 of 1 drive: whether this saves power is not known."
    assert not second and "kWh" not in text


def test_rights_are_asked_for_before_the_question(
    ssdpm: Command, machine: Make, unprivileged: Callable[..., Any]
) -> None:
    root = machine("desktop-6.1")
    before = settings(root)
    for path in root.rglob("*"):
        path.chmod(path.stat().st_mode | 0o044 | (0o011 if path.is_dir() else 0))
    assert unprivileged("tune", "--dry-run", "--root", str(root)).returncode == 0
    result = unprivileged("tune", "--yes", "--root", str(root))
    assert result.returncode == 4
    assert re.search(rb"cannot set the link policy of sda: only root may write .*/link_power_man", result.stderr)
    assert b"Change 2 of 3 drives" in result.stdout and b"Done" not in result.stdout
    result = unprivileged("tune", "--yes", "--json", "--root", str(root))
    [error] = json.loads(result.stdout)["errors"]
    assert result.returncode == 4 and result.stderr.decode() == f"ssdpm: {error}\n"
    assert settings(root) == before


@pytest.mark.parametrize(("disk", "file"), [("nvme0", "serial"), ("sda", "id")])
def test_another_drive_of_the_same_model_is_not_set(
    ssdpm: Command, machine: Make, disk: str, file: str
) -> None:
    root = machine("apst-off" if disk == "nvme0" else "desktop-6.1")
    before = settings(root)
    [path] = root.glob(
        "sys/devices/**/nvme/nvme0/serial" if file == "serial" else
        "sys/devices/**/ata_device/dev1.0/id"
    )  # fmt: skip
    text = path.read_text()
    other = text.replace("5345 4352", "5345 4353") if file == "id" else "S999\n"
    assert other != text
    status, said = ask(ssdpm, root, b"y\n", lambda: path.write_text(other))
    assert status == 1 and f"{disk}: it is another drive now".encode() in said
    assert settings(root) == before


def test_the_status_tells_of_a_drive_that_cannot_be_read(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("desktop-6.1")
    link = root / "sys/class/nvme/nvme0"
    link.unlink()
    link.symlink_to("nvme0")
    result = ssdpm("tune", "-n", "--root", str(root))
    assert result.returncode == 1 and b"nvme0: " in result.stderr
    assert b"Change 2 of 3 drives" in result.stdout
    # The others are set.
    result = ssdpm("tune", "--yes", "--root", str(root))
    assert result.returncode == 6 and b"in force until the next boot: 2 settings" in result.stdout
    assert ssdpm("tune", "-n", "--root", str(root), "sda").returncode == 0


def test_what_must_be_left_alone_is_no_failure_unless_it_is_named(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("external-ports")
    assert ssdpm("tune", "-n", "--root", str(root)).returncode == 0
    result = ssdpm("tune", "-n", "--root", str(root), "sdb")
    assert result.returncode == 3 and b"sdb: the port is for hot-plug" in result.stderr
    assert b"could not be read" not in result.stdout


def test_what_tune_does_not_use_is_no_option(ssdpm: Command, machine: Make) -> None:
    for option in ("--identify", "--catalogue"):
        assert option not in ssdpm.output("tune", "--help-all")
        result = ssdpm("tune", "-n", "--root", str(machine("laptop")), option, "x")
        assert result.returncode == 2


@pytest.mark.parametrize("secondary", ["as it is", "5000"])
@pytest.mark.parametrize("name", [name for name in machines.MACHINES if name != "hostile"])
def test_tune_and_recommend_give_the_same_answer(
    ssdpm: Command, machine: Make, name: str, secondary: str
) -> None:
    """On the same workload, for each drive that both look at."""
    root = str(machine(name))
    parameter = machine(name) / "sys/module/nvme_core/parameters/apst_secondary_timeout_ms"
    if secondary != "as it is" and parameter.exists():
        parameter.write_text(secondary + "\n")
    drives = {d["name"]: d for d in advised(ssdpm, "tune", "-n", "--root", root) if d["advice"]}
    screen = " ".join(ssdpm("tune", "-n", "--root", root).stdout.decode().split())
    text = ssdpm("recommend", "--root", root, "--json", *drives).stdout
    for one in json.loads(text)["recommendations"] if drives else []:
        drive = drives[one["drive"]]
        routes = {route["route"]: route for route in one["recommendations"]}
        first = routes.get("latency-limit") or routes["link-policy"]
        # What tune sets is what recommend sets, and the other way round.
        assert (drive["advice"] == "set") == (first["advice"] == "set")
        if drive["advice"] == "set":
            limit, setting = first["limit_us"], drive["setting"]
            assert [limit, first.get("lpm")] == [setting["max_exit_latency_us"], setting["lpm"]]
        # What saves more elsewhere is on the screen.
        further = [
            routes[route]
            for route in ("nvme-core", "raw-table")
            if route in routes
            and routes[route]["advice"] == "set"
            and routes[route]["likely"]["verdict"] in ("saves", "probably-saves")
            and routes[route]["likely"]["median_uw"]
            > (drive["likely"]["median_uw"] if drive["advice"] == "set" else 0)
        ]
        assert (drive["further"] or {}).get("route") == (
            further[0]["route"] if further else None
        ), further
        if further:
            assert "no setting is known" not in screen
            assert f"{drive['name']}: as good as it gets" not in screen
            assert re.search(rf"To see it: ssdpm recommend.* {drive['name']}\b", screen)


def test_what_is_kept_leaves_the_line_on_the_link(ssdpm: Command, machine: Make) -> None:
    root = machine("apst-off")
    for path in root.glob("sys/devices/**/link/l1_2_aspm"):
        path.write_text("0\n")
    for keep in ([], ["--keep"]):
        lines = ssdpm.output("tune", "-n", *keep, "--root", str(root)).splitlines()
        assert lines[0].startswith("Change 1 of 1 drive: ") and len(lines) <= 22
        assert any(line.startswith("Link of nvme0 in l1.2, not l1: ") for line in lines)


def test_several_changes_leave_the_line_on_what_sleep_saves(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("eight-drives")
    for drive in ("nvme0", "nvme1", "nvme2"):
        (root / f"sys/class/nvme/{drive}/power/pm_qos_latency_tolerance_us").write_text("0\n")
        (root / f"dumps/{drive}.apst").unlink()
    call = ["tune", "-n", "--trace", "desktop-session", "--root", str(root)]
    lines = ssdpm.output(*call).splitlines()
    assert lines[0].startswith("Change 3 of 8 drives: ") and len(lines) <= 22
    assert any(line.startswith("Today, sleep already saves 0.8 W (likely ") for line in lines)


def test_a_link_that_is_off_is_priced_and_not_set(ssdpm: Command, machine: Make) -> None:
    root = machine("no-aspm")
    asleep, drive = advised(ssdpm, "tune", "-n", "--root", str(root))
    link = drive["link"]
    assert asleep["link"] is None and link["likely"]["verdict"] == "saves"
    assert [link["pcie_link_today"], link["pcie_link"]] == ["l0", "l1.2"]
    words = " ".join(ssdpm.output("tune", "-n", "--root", str(root)).split())
    assert "Link of nvme1 in l1.2, not l0: saves 240 mW (likely 96 to 740), delay unknown." in words
    assert f"For all devices: ssdpm apply --aspm-policy powersupersave --root {root}" in words
    policy = "/sys/module/pcie_aspm/parameters/policy"
    assert link["changes"] == [{"path": policy, "value": "powersupersave"}]
    assert link["remedy"] == "aspm-policy-or-firmware"


@pytest.mark.parametrize(
    "off, left, today, reached",
    [
        (["l1_aspm", "l1_1_aspm", "l1_2_aspm"], [], "l0", "l1"),
        (["l1_2_aspm"], [], "l1", "l1.2"),
        (["l1_aspm"], ["l1_1_aspm", "l1_2_aspm"], "l0", "l1"),
    ],
)
def test_a_file_of_the_link_is_what_apply_sets(
    ssdpm: Command, machine: Make, off: list[str], left: list[str], today: str, reached: str
) -> None:
    """With the policy powersupersave somebody wrote 0 to it. left: it has no such file."""
    root = machine("laptop")
    policy = root / "sys/module/pcie_aspm/parameters/policy"
    policy.write_text("default performance powersave [powersupersave]\n")
    [folder] = root.glob("sys/devices/**/link")
    for name in off:
        (folder / name).write_text("0\n")
    for name in left:
        (folder / name).unlink()
    [drive] = advised(ssdpm, "tune", "-n", "--root", str(root))
    link = drive["link"]
    assert (link["pcie_link_today"], link["pcie_link"]) == (today, reached)
    assert link["remedy"] == "link-file" and link["likely"]["low_uw"] >= 0
    assert link["likely"]["verdict"] in ("saves", "probably-saves")
    words = " ".join(ssdpm.output("tune", "-n", "--root", str(root)).split())
    assert f"To set it: ssdpm apply --link {off[0]}=on --root {root} nvme0" in words
    call = ["apply", "--root", str(root), "--link", f"{off[0]}=on", "nvme0"]
    assert ssdpm(*call).returncode == 0 and (folder / off[0]).read_text() == "1\n"


def test_a_capture_keeps_its_table_and_the_screens_say_so(ssdpm: Command, machine: Make) -> None:
    root = str(machine("apst-off"))
    words = "A capture keeps the APST table that was read; Linux now builds another one."
    assert words not in ssdpm.output("--root", root)
    assert words not in ssdpm.output("list", "--root", root)
    done = ssdpm.output("tune", "--yes", "--root", root)
    assert "The capture keeps the APST table that was read." in done
    after = " ".join(ssdpm.output("--root", root).split())
    assert "awake: odd table" in after and words in after
    assert words in ssdpm.output("list", "--root", root)
    call = ["plan", "--root", root, "--latency", "1ms", "nvme0"]
    assert "\nThe capture keeps the APST table that was read.\n" in ssdpm.output(*call)


def test_today_is_the_table_that_the_drive_has(ssdpm: Command, machine: Make) -> None:
    """Not the one that Linux would make of the settings: the drive is awake."""
    root = machine("laptop")
    [off] = machine("apst-off").glob("dumps/*.apst")
    [dump] = root.glob("dumps/*.apst")
    dump.write_bytes(off.read_bytes())
    call = ["--root", str(root)]
    screen = ssdpm.output("tune", "-n", *call)
    assert "sleep already saves" not in screen
    assert "What it does today is what the table that was read does." in screen
    [drive] = advised(ssdpm, "tune", "-n", *call)
    assert drive["awake"] is None and drive["advice"] == "rebuild"
    assert drive["further"] is None and drive["likely"]["verdict"] == "saves"
    work = ["-t", "desktop-session", "nvme0"]
    today = json.loads(ssdpm.output("estimate", *call, "--json", *work))["runs"][0]
    never = json.loads(ssdpm.output("estimate", *call, "--none", "--json", *work))["runs"][0]
    assert today["nominal"] == never["nominal"]
    # A plan saves against it, too; one that builds no other table leaves it.
    for limit, names in (("25ms", [["before"], ["after"]]), ("100ms", [["before", "after"]])):
        rows = ssdpm.json("plan", *call, "--latency", limit, *work)["estimates"][0]["rows"]
        assert [row["policies"] for row in rows] == names
        assert not rows[0]["enabled"]
    # The limit is in force already: only the kernel can build the table anew.
    path = "/sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us"
    writes = [f"  echo 0 > {path}", f"  echo 100000 > {path}"]
    lines = screen.splitlines()
    first = lines.index("To have Linux build the table of nvme0 on that machine:") + 1
    assert lines[first : first + 2] == writes
    status = ssdpm.output("status", *call)
    assert "Next: ssdpm tune" not in status and "new table: saves " in status
    assert [line for line in status.splitlines() if "echo" in line] == writes


def foreign(machine: Make, name: str, drive: str) -> list[str]:
    """A capture whose drive has a table without entries, and never sleeps."""
    root = machine(name)
    [off] = machine("apst-off").glob("dumps/*.apst")
    (root / f"dumps/{drive}.apst").write_bytes(off.read_bytes())
    return ["--root", str(root)]


def test_no_profile_saves_more_on_battery_than_the_table_of_linux(
    ssdpm: Command, machine: Make
) -> None:
    """The saving of the profile is that of the table, which is said already."""
    call = foreign(machine, "old-5.10", "nvme0")
    text = ssdpm.output("tune", "-n", *call)
    assert text.startswith("Nothing to change but the APST table of nvme0.\n")
    assert "More on battery" not in text


def test_a_table_is_said_to_be_of_the_limit_that_is_set(ssdpm: Command, machine: Make) -> None:
    """With its quirk, a limit of 2 ms would make the same one."""
    call = foreign(machine, "eight-drives", "nvme2")
    text = ssdpm.output("tune", "-n", *call, "nvme2")
    assert "its APST table is not that of its latency limit 100 ms, which saves" in text
    [drive] = advised(ssdpm, "tune", "-n", *call, "nvme2")
    assert drive["setting"]["max_exit_latency_us"] == int(drive["policy"]) == 100000


def test_a_table_to_build_may_be_of_no_limit(ssdpm: Command, machine: Make) -> None:
    call = ["tune", "-n", *foreign(machine, "laptop", "nvme0"), "nvme0"]
    limit = "sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us"
    (pathlib.Path(call[3]) / limit).write_text("any\n")
    [drive] = advised(ssdpm, *call)
    assert drive["advice"] == "rebuild"
    assert drive["setting"]["max_exit_latency_us"] == drive["policy"] == "any"
    assert "  nvme0: its APST table is not that of its latency limit any, " in ssdpm.output(*call)


def test_of_limits_that_make_one_table_that_of_linux_is_set(
    ssdpm: Command, machine: Make
) -> None:
    """As ssdpm recommend does; a quirk makes 2 ms the same."""
    root = machine("quirked")
    file = root / "sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us"
    file.write_text("0\n")
    (root / "dumps/nvme0.apst").unlink()
    call = ["--root", str(root), "nvme0"]
    [drive] = advised(ssdpm, "tune", "-n", *call)
    assert drive["advice"] == "set" and drive["setting"]["max_exit_latency_us"] == 100000
    first = ssdpm.json("recommend", "-q", *call)["recommendations"][0]
    assert first["limit_us"] == 100000


def test_a_drive_that_cannot_be_read_is_said_beside_a_foreign_table(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("no-aspm")
    [off] = machine("apst-off").glob("dumps/*.apst")
    (root / "dumps/nvme0.apst").write_bytes(off.read_bytes())
    call = ["tune", "-n", "--root", str(root)]
    first = "Nothing to change but the APST table of nvme0."
    assert ssdpm.output(*call).splitlines()[0] == first
    assert "could be read" not in ssdpm.output(*call)
    (root / "dumps/nvme1.identify").write_bytes(b"\xff" * 4096)
    result = ssdpm(*call)
    lines = result.stdout.decode().splitlines()
    assert lines[:2] == [first, "Only 1 of 2 drives could be read."]
    assert result.returncode == 1 and len(lines) <= 22


def test_a_kept_table_that_is_none_is_not_taken_for_the_one_of_linux(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("laptop")
    [dump] = root.glob("dumps/*.apst")
    dump.write_text("no table\n")
    said = ssdpm("list", "--root", str(root)).stderr.decode().removeprefix("ssdpm: nvme0: ").strip()
    tune = ssdpm("tune", "-n", "--root", str(root))
    assert said and said in tune.stderr.decode() and tune.returncode == 1
    call = ("plan", "--latency", "1ms", "-t", "desktop-session", "--root", str(root), "nvme0")
    assert f"nvme0: {said}" in ssdpm(*call).stderr.decode()


@pytest.mark.parametrize("command", ["compare", "estimate", "recommend"])
@pytest.mark.parametrize("named", [[], ["nvme0"]])
def test_no_command_prices_a_drive_over_a_network(
    ssdpm: Command, machine: Make, command: str, named: list[str]
) -> None:
    root = str(machine("server"))
    call = ssdpm(command, "-t", "desktop-session", "--root", root, "--json", *named)
    words = "nvme0: over a network (tcp): its power is not of this machine"
    assert call.returncode == 3 and json.loads(call.stdout)["errors"] == [words]


def test_what_is_misspelt_comes_before_the_terminal_that_is_missing(
    ssdpm: Command, machine: Make
) -> None:
    assert "nowhere: " in ssdpm("tune", "--root", "nowhere").stderr.decode()
    call = ssdpm("tune", "--root", str(machine("laptop")), "nvme9")
    assert call.returncode == 1 and "did you mean 'nvme0'?" in call.stderr.decode()


def test_what_sleep_costs_in_time_is_said_where_nothing_changes(
    ssdpm: Command, machine: Make
) -> None:
    root = str(machine("laptop"))
    found = re.search(
        r"^I/Os wait for at most ([0-9.]+) % of the time, one in 100 for 39 ms or longer\.$",
        ssdpm.output("tune", "-n", "--root", root),
        re.M,
    )
    run = ssdpm.json("estimate", "-t", "desktop-session", "--root", root, "nvme0")["nominal"]
    assert found
    share = run["delay_sum_ns"] / run["duration_ns"]
    assert float(found[1]) == pytest.approx(100 * share, abs=0.006)


@pytest.mark.parametrize("name", ["desktop-6.1", "apst-empty"])
def test_the_waits_of_the_change_are_those_of_the_next_screen(
    ssdpm: Command, machine: Make, name: str
) -> None:
    """Of all drives, also those that stay as they are."""
    call = ["--root", str(machine(name))]
    found = {}
    for drive in advised(ssdpm, "tune", "-n", *call):
        run = drive["after" if drive["advice"] == "set" else "before"]
        if run:
            found[drive["name"]] = run["delay_sum_ns"] / run["duration_ns"]
    then = re.search(r"^I/Os then wait for at most ([0-9.]+) %", ssdpm.output("tune", "-n", *call), re.M)
    assert then and float(then[1]) == pytest.approx(math.ceil(1e4 * max(found.values())) / 100)
    assert ssdpm("tune", "-y", "-q", *call).stdout == b""
    if name == "desktop-6.1":  # whose changes are of SATA drives: no table is kept
        now = re.search(r"^I/Os wait for at most ([0-9.]+) %", ssdpm.output("tune", "-n", *call), re.M)
        assert now and now[1] == then[1]


def test_the_screen_of_a_laptop_leads_to_its_profiles(ssdpm: Command, machine: Make) -> None:
    """On AC, too; a desktop has no battery."""
    root = machine("laptop")
    lead = f"ssdpm plan -p auto --both-sources -t desktop-session --root {root}\n"
    assert lead in ssdpm.output("tune", "-n", "--root", str(root))
    [online] = root.glob("sys/devices/**/power_supply/AC/online")
    online.write_text("1\n")
    assert lead in ssdpm.output("tune", "-n", "--root", str(root))
    assert "ssdpm plan" not in ssdpm.output("tune", "-n", "--root", str(machine("no-aspm")))


def test_what_is_set_once_is_not_advised_again(ssdpm: Command, machine: Make) -> None:
    """The capture keeps its empty table, whatever the limit is."""
    call = ["--root", str(machine("apst-off"))]
    assert advised(ssdpm, "tune", "-n", *call)[0]["advice"] == "set"
    assert "Done, and in force until the next boot: 1 setting." in ssdpm.output("tune", "--yes", *call)
    assert advised(ssdpm, "tune", "-n", *call)[0]["advice"] == "rebuild"
    said = ssdpm.output("tune", "--yes", *call)
    assert said.startswith("Nothing to change but the APST table of nvme0.\n")
    assert "Next: ssdpm tune" not in ssdpm.output("status", *call)


def with_table(root: pathlib.Path, first_entry: int, enabled: bool) -> list[str]:
    """A capture whose table has that entry for PS0 alone."""
    [dump] = root.glob("dumps/*.apst")
    value = json.loads(dump.read_text())
    value.update(raw=first_entry.to_bytes(8, "little").hex() + "00" * 248, enabled=enabled)
    dump.write_text(json.dumps(value))
    return ["tune", "-n", "--root", str(root)]


@pytest.mark.parametrize("state", [9, 1])
def test_a_table_that_the_drive_cannot_follow_is_not_known(
    ssdpm: Command, machine: Make, state: int
) -> None:
    """Not taken for the one that Linux would build."""
    call = with_table(machine("laptop"), 100 << 8 | state << 3, enabled=True)
    assert advised(ssdpm, *call)[0]["before"] is None
    text = ssdpm.output(*call)
    assert "nvme0: the APST table that was read is none that it can follow" in text
    assert "What it does today is what" not in text and "sleep already saves" not in text


def test_a_table_that_is_switched_off_does_not_sleep(ssdpm: Command, machine: Make) -> None:
    """Whatever entries the drive has kept."""
    call = with_table(machine("laptop"), 100 << 8 | 4 << 3, enabled=False)
    assert advised(ssdpm, *call)[0]["awake"] is None
    assert "sleep already saves" not in ssdpm.output(*call)


@pytest.mark.parametrize("name", ["laptop", "eight-drives", "apst-off"])
def test_the_screen_says_what_sleep_saves_today(
    ssdpm: Command, machine: Make, name: str
) -> None:
    call = ["tune", "-n", "--root", str(machine(name))]
    lost = [d["awake"]["median_uw"] for d in advised(ssdpm, *call) if d["awake"]]
    text = ssdpm.output(*call)
    assert ("Today, sleep already saves " in text) == bool(lost) == (name != "apst-off")
    assert all(uw < 0 for uw in lost)
    # On battery, so long more than if no drive slept.
    assert ("So the battery lasts " in text) == (name == "laptop")


@pytest.mark.parametrize(
    "name, reasons",
    [
        ("eight-drives", ["nvme3: stays awake: no APST"]),
        ("quirked", ["nvme1: stays awake: a quirk", "sda: stays awake: a quirk"]),
    ],
)
def test_a_drive_that_stays_awake_is_not_as_good_as_it_gets(
    ssdpm: Command, machine: Make, name: str, reasons: list[str]
) -> None:
    lines = ssdpm.output("tune", "-n", "--root", str(machine(name))).splitlines()
    for reason in reasons:
        assert f"  {reason}" in lines


def test_a_drive_that_the_limits_keep_awake_is_said_to_be(ssdpm: Command, machine: Make) -> None:
    """It is not awake because a setting is off: tune could turn that on."""
    for name, drive, cause in (("apst-off", "nvme0", "APST is off"), ("desktop-6.1", "sda", "LPM is off")):
        call = ["tune", "-n", "--root", str(machine(name))]
        [found] = advised(ssdpm, *call, "--instant", drive)
        assert found["advice"] == "keep" and found["setting"] is None
        text = ssdpm.output(*call, "--instant", drive)
        assert f"\n  {drive}: stays awake: no sleep within the limits saves\n" in text
        assert cause not in text and ssdpm.output(*call, drive).startswith("Change 1 of 1 ")


def test_limits_are_not_blamed_where_sleep_saves_nothing(ssdpm: Command, machine: Make) -> None:
    """The drive is never idle for as long as APST waits."""
    trace = ssdpm.directory / "busy.csv"
    made = ssdpm("workload", "--to", "csv", "--n-ios", "1000", "--mean-idle", "1ms", "poisson")
    trace.write_bytes(made.stdout)
    call = ["tune", "-n", "-q", "--root", str(machine("apst-off")), "--trace", str(trace)]
    text = ssdpm.output(*call)
    assert "\n  nvme0: stays awake: no sleep within the limits saves\n" in text
    assert "beyond the limits" not in text


@pytest.mark.parametrize("price", ["0,30", "1,300", "0,3x"])
def test_a_decimal_comma_is_refused_with_how_to_write_it(ssdpm: Command, price: str) -> None:
    message = ssdpm.fails(2, "tune", "--dry-run", "--price", price)
    assert f"--price {price}: write decimals after a point, as in 0.5" in message


@pytest.mark.parametrize(
    "price, words",
    [
        ("0.0001", "finer than a thousandth"),
        ("1.", "write a number, as in 1.5"),
        (".5", "write a number, as in 1.5"),
        ("1x", "write a number, as in 1.5"),
        ("9" * 30, "too much"),
    ],
)
def test_a_wrong_price_is_quoted_as_it_was_written(
    ssdpm: Command, price: str, words: str
) -> None:
    message = ssdpm.fails(2, "tune", "--dry-run", "--price", price)
    assert message.endswith(f"--price {price}: {words}")


def test_one_hour_a_day_is_not_said_in_the_plural(ssdpm: Command, machine: Make) -> None:
    root = str(machine("apst-off"))
    assert " kWh a year at 1 hour a day." in ssdpm.output(
        "tune", "-n", "--root", root, "--hours-per-day", "1"
    )


def test_the_power_of_a_drive_over_a_network_is_not_of_this_machine(
    ssdpm: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    """The server's nvme0 is one over TCP, and it sleeps."""
    text = ssdpm.output("tune", "--dry-run", "-q", "--root", str(machine("server")))
    assert "nvme0: over a network (tcp): its power is not of this machine" in text
    assert "Today, sleep already saves" not in text


def test_drives_whose_best_parameters_differ_do_not_read_as_one_setting(
    ssdpm: Command, machine: Make
) -> None:
    ssdpm.wide = False
    root = machine("eight-drives")
    call = ["tune", "-n", "--trace", "desktop-session", "--root", str(root)]
    text = ssdpm.output(*call)
    assert "The best nvme_core setting of nvme2 may save 27 mW on it; 2 need others.\n" in text
    assert "An nvme_core setting for all NVMe drives" not in text
    text = ssdpm.output(*call, "nvme2")
    assert "An nvme_core setting for all NVMe drives may save 27 mW on nvme2.\n" in text


def screen_of(
    ssdpm: Command,
    *drives: machines.Nvme,
    link: dict[str, bool],
    disks: tuple[machines.Ata, ...] = (),
) -> str:
    """The screen of a laptop with these drives, whose tables Linux has built.

    Its disks never sleep. With disks, it runs on battery.
    """
    first = machines.SN530.product
    made = machines.Machine(machines.KERNEL_7)
    made.host("LENOVO", "20XWCTO1WW", "20XWCTO1WW", mem_sleep="[s2idle]")
    for drive in drives:
        is_first = drive.product == first
        table = machines.SN530_TABLE if is_first else machines.EVO_PLUS_TABLE
        made.nvme(drive, link, table=table)
    if disks:
        made.ahci("0000:00:17.0", [machines.Port(disk, "max_performance") for disk in disks])
        made.supplies(online=False, battery="power")
    root = ssdpm.directory / "made"
    made.write(root)
    ssdpm.wide = False
    return ssdpm.output("tune", "-n", "--root", "made")


def test_drives_that_are_alike_gain_the_same(ssdpm: Command) -> None:
    text = screen_of(ssdpm, machines.SN530, machines.SN530, link=machines.L1_2_ON)
    assert re.search(r"for all NVMe drives may save [0-9.]+ mW on each of 2\.\n", text)


def test_drives_that_need_the_same_setting_are_no_others(ssdpm: Command) -> None:
    drives = machines.SN530, machines.EVO_PLUS, machines.EVO_PLUS
    text = screen_of(ssdpm, *drives, link=machines.L1_2_ON)
    assert re.search(r"The best nvme_core setting of nvme1 .* on it; 1 needs another\.\n", text)


def test_all_lines_of_many_drives_fit_the_screen(ssdpm: Command) -> None:
    """The call names no drive then: it is for all."""
    drives = (machines.SN530, machines.EVO_PLUS) * 20
    text = screen_of(ssdpm, *drives, link=machines.ALL_OFF)
    assert len(text.splitlines()) <= 22
    assert "\nTo see it: ssdpm recommend --root made\n" in text


@pytest.mark.parametrize("foreign", [False, True])
@pytest.mark.parametrize("options", [[], ["--price", "0.3"], ["-t", "poisson"]])
def test_a_drive_that_cannot_be_read_takes_its_lines_of_the_screen(
    ssdpm: Command, machine: Make, foreign: bool, options: list[str]
) -> None:
    """The verdict is longer then, and so is the line on the waits."""
    drives = [dataclasses.replace(machines.EVO_PLUS, product=f"DRIVE {i}") for i in range(16)]
    screen_of(ssdpm, *drives, link=machines.L1_2_ON)
    root = ssdpm.directory / "made"
    (root / "dumps/nvme0.identify").write_bytes(b"\xff" * 4096)
    if foreign:
        [off] = machine("apst-off").glob("dumps/*.apst")
        (root / "dumps/nvme1.apst").write_bytes(off.read_bytes())
    text = ssdpm("tune", "-n", "--root", "made", *options).stdout.decode()
    assert "nly 15 of 16 drives could be read." in text
    assert "on the drives that could be read." in " ".join(text.split())
    assert 20 <= len(text.splitlines()) <= 22, text


def test_a_risk_that_stays_takes_its_line_of_the_screen(ssdpm: Command) -> None:
    """Its port is for hot-plug, so nothing may be set there."""
    drives = [dataclasses.replace(machines.EVO_PLUS, product=f"DRIVE {i}") for i in range(16)]
    made = machines.Machine(machines.KERNEL_7)
    made.host("X", "X", "X")
    for drive in drives:
        made.nvme(drive, machines.L1_2_ON, table=machines.EVO_PLUS_TABLE)
    made.ahci("0000:00:17.0", [
        machines.Port(machines.MX500, "min_power", bits=machines.HPCP)
    ])  # fmt: skip
    made.write(ssdpm.directory / "made")
    text = ssdpm.output("tune", "-n", "--root", "made")
    assert text.startswith("Nothing to change: ")
    assert "\nsda: min_power has lost data on some drives.\n" in text
    assert len(text.splitlines()) == 22, text


@pytest.mark.parametrize("sleeps", [True, False])
def test_a_link_that_never_sleeps_puts_no_data_at_risk(ssdpm: Command, sleeps: bool) -> None:
    """Linux refuses link power management there, whatever its policy reads."""
    port = machines.Port(machines.MX500, "min_power", supported=sleeps, bits=machines.HPCP)
    made = machines.Machine(machines.KERNEL_7)
    made.host("X", "X", "X")
    made.ahci("0000:00:17.0", [port])
    made.write(ssdpm.directory / "made")
    drive = ssdpm.json("status", "--root", "made")
    assert drive["risk"] == ("lpm-min-power" if sleeps else None)
    assert ("data at risk" in ssdpm.output("status", "--root", "made")) is sleeps
    assert ("has lost data" in ssdpm.output("tune", "-n", "--root", "made")) is sleeps


def test_a_setting_that_hardly_matters_is_a_sentence(ssdpm: Command, machine: Make) -> None:
    """Of a drive that is hardly ever idle."""
    root = machine("laptop")
    trace = ssdpm.directory / "busy.csv"
    made = ssdpm("workload", "--to", "csv", "--n-ios", "2000", "--mean-idle", "3ms", "poisson")
    trace.write_bytes(made.stdout)
    text = ssdpm.output("tune", "-n", "-q", "--root", str(root), "--trace", str(trace))
    assert re.search(r": latency limit \S+ \S+ (saves|costs) too little to matter$", text, re.M), text


def test_a_year_of_what_is_not_decided_has_the_sign_of_its_power(ssdpm: Command) -> None:
    """Two drives must leave min_power, whatever that costs."""
    made = machines.Machine(machines.KERNEL_7)
    made.host("X", "X", "X")
    made.ahci("0000:00:17.0", [machines.Port(machines.INTEL_545, "min_power")] * 2)
    made.write(ssdpm.directory / "made")
    text = ssdpm.output("tune", "-n", "--root", "made", "-t", "poisson", "--price", "1")
    found = re.match(
        r"Change 2 of 2 drives: not decided: -(\d+) mW \(likely -(\d+) to ([\d.]+)\) in all,\n"
        r"-([\d.]+) kWh a year at 24 hours a day, which cost -([\d.]+) "
        r"\(-([\d.]+) to ([\d.]+)\)\.$",
        text,
        re.M,
    )
    assert found, text
    power, low, high, year, price, low_price, high_price = map(float, found.groups())
    for milliwatts, kwh in ((power, year), (power, price), (low, low_price), (high, high_price)):
        assert kwh == pytest.approx(milliwatts * 8.76e-3, rel=0.03, abs=0.01)


def test_a_time_that_rounds_to_none_has_no_sign(ssdpm: Command) -> None:
    """Nothing is known of the link, so the likely range begins just below 0."""
    made = machines.Machine(machines.KERNEL_7)
    made.host("X", "X", "X")
    made.nvme(machines.A2000, None, table=machines.A2000_TABLE)
    made.supplies(online=False, battery="power")
    made.write(ssdpm.directory / "made")
    call = ["tune", "-n", "--root", "made", "-t", "poisson"]
    [drive] = advised(ssdpm, *call)
    assert 0 < drive["awake"]["high_uw"] < 7000
    text = ssdpm.output(*call, "--price", "0.01")
    assert re.search(r" longer \(likely 0 to \d+\) at ", text), text
    assert re.search(r" which cost 0\.\d\d \(0\.00 to 0\.\d\d\)\.$", text, re.M), text


def test_drives_of_one_kind_that_are_left_for_one_reason_share_a_row(ssdpm: Command) -> None:
    drives = (machines.EVO_PLUS,) * 60 + (machines.SN530, machines.NO_APST) * 2
    text = screen_of(ssdpm, *drives, link=machines.L1_2_ON)
    left = text.split("\nLeft as they are:\n")[1].split("\n\n")[0]
    assert re.search(r"^  nvme0 \+59: ", left, re.M), left
    assert re.search(r"^  nvme60 \+1: ", left, re.M), left
    assert re.search(r"^  nvme61 \+1: ", left, re.M), left
    assert "more; --json has all" not in text
    assert len(text.splitlines()) <= 22
    # What stands behind the name need not be a colon.
    root = ssdpm.directory / "sas"
    made = machines.Machine(machines.KERNEL_7)
    made.host("Dell Inc.", "PowerEdge R750", "0R750")
    sas = made.pci("0000:03:00.0", (0x1000, 0x0097), "mpt3sas", pci_class=0x010700)
    for i in range(3):
        place = f"port-0:{i}/end_device-0:{i}/"
        made.outside(sas, "", "mpt3sas", machines.SATA_860, place)
    made.write(root)
    assert "\n  sda +2 is out of reach (sas)\n" in ssdpm.output("tune", "-n", "--root", "sas")


@pytest.mark.parametrize("length", range(1, 21))
def test_the_name_of_the_root_takes_no_answer_off_the_screen(
    ssdpm: Command, desktop: pathlib.Path, length: int
) -> None:
    """The first screen points to what the link saves."""
    ssdpm.wide = False
    name = "m" * length
    (ssdpm.directory / name).symlink_to(desktop)
    assert "link: saves " in ssdpm.output("--root", name)
    text = ssdpm.output("tune", "-n", "--root", name)
    assert len(text.splitlines()) <= 22
    # A call that is too long for a line goes on in the next.
    words = " ".join(text.replace("\\\n", "").split())
    assert "Link of nvme0 in l1.2, not l1: saves 54 mW" in words
    assert f"ssdpm apply --aspm-policy powersupersave --root {name}" in words


def test_rows_make_room_for_an_answer(ssdpm: Command) -> None:
    """Ten disks are to be set, and the link of a drive saves, too."""
    disks = tuple(dataclasses.replace(machines.MX500, product=f"DISK {i}") for i in range(10))
    text = screen_of(ssdpm, machines.EVO_PLUS, link=machines.ALL_OFF, disks=disks)
    assert re.search(r"^Link of nvme0 in ", text, re.M)
    assert len(text.splitlines()) <= 22


def test_drives_without_a_row_are_counted_and_not_their_rows(ssdpm: Command) -> None:
    """The last two kinds are of two drives each."""
    kinds = (0, 1, 2, 3, 4, 5, 6, 6, 7, 7)
    disks = tuple(dataclasses.replace(machines.MX500, product=f"DISK {kind}") for kind in kinds)
    text = screen_of(ssdpm, machines.EVO_PLUS, link=machines.L1_2_ON, disks=disks)
    rows = re.findall(r"^sd\w .* med_power_with_dipm ", text, re.M)
    [more] = re.findall(r"^and (\d+) more; --json has all$", text, re.M)
    assert text.startswith("Change 10 of 11 drives: ") and len(rows) <= 6
    assert int(more) == 10 - len(rows)


def test_the_link_that_saves_most_is_named(ssdpm: Command) -> None:
    for drives in ((machines.SN530, machines.EVO_PLUS), (machines.EVO_PLUS, machines.SN530)):
        text = screen_of(ssdpm, *drives, link=machines.ALL_OFF)
        links = {
            one["name"]: one["link"]["likely"]["median_uw"]
            for one in advised(ssdpm, "tune", "-n", "--root", "made")
        }
        assert len(set(links.values())) == 2
        most = max(links, key=lambda name: links[name])
        words = " ".join(text.split())
        assert re.search(rf"Link of {most} in l1\.2, not l0: [^;]*; 1 more\. ", words)
        shutil.rmtree(ssdpm.directory / "made")


def test_the_policy_performance_is_why_a_link_does_not_sleep(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("laptop")
    policy = root / "sys/module/pcie_aspm/parameters/policy"
    policy.write_text("default [performance] powersave powersupersave\n")
    [folder] = root.glob("sys/devices/**/link")
    for file in folder.iterdir():
        file.write_text("0\n")
    [drive] = advised(ssdpm, "tune", "-n", "--root", str(root))
    link = drive["link"]
    assert [link["pcie_link_today"], link["pcie_link"]] == ["l0", "l1.2"]
    assert link["remedy"] == "aspm-policy" and link["likely"]["verdict"] == "saves"


def test_a_link_is_priced_beside_the_setting_that_is_advised(
    ssdpm: Command, machine: Make
) -> None:
    """With it the drive sleeps, and only then does its link."""
    root = machine("apst-off")
    for path in root.glob("sys/devices/**/link/l1_2_aspm"):
        path.write_text("0\n")
    call = ["tune", "-n", "--root", str(root)]
    [before] = advised(ssdpm, *call)
    assert before["advice"] == "set" and before["link"]["likely"]["median_uw"] > 0
    limit = before["setting"]["max_exit_latency_us"]
    file = root / "sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us"
    file.write_text(f"{limit}\n")
    (root / "dumps/nvme0.apst").unlink()
    [after] = advised(ssdpm, *call)
    assert after["advice"] == "keep"
    assert after["link"]["likely"] == before["link"]["likely"]


def test_a_full_screen_leaves_out_its_empty_lines_before_what_saves(ssdpm: Command) -> None:
    drives = machines.SN530, machines.EVO_PLUS
    disks = tuple(dataclasses.replace(machines.MX500, product=f"DISK {i}") for i in range(10))
    for n in (1, 2, 4, 6, 10):
        text = screen_of(ssdpm, *drives, link=machines.ALL_OFF, disks=disks[:n])
        assert len(text.splitlines()) <= 22
        assert re.search("^(The best|An) nvme_core setting ", text, re.M), text
        assert "\nLink of nvme1 in " in text
        assert ("\nTo decide: ssdpm compare " in text) == ("not decided" in text)
        assert "\n\n" not in text, text
        shutil.rmtree(ssdpm.directory / "made")


def test_a_battery_that_lasts_hours_longer_is_said_in_hours(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("apst-off")
    use = ["--battery", "50Wh", "--system-power", "2W"]
    text = ssdpm.output("recommend", "-t", "desktop-session", "--root", str(root), *use, "nvme0")
    found = re.search(r"a\s+battery\s+lasts\s+(\d+)\s+h\s+(\d+)\s+min\s+more", text)
    assert found and int(found[1]) >= 1 and int(found[2]) < 60
    assert "minutes more" not in text
    put_battery(root, energy_now=41000000, power_now=2000000)
    text = ssdpm.output("tune", "-n", "--root", str(root))
    assert re.search(r"^The battery lasts \d+ h \d+ min more \(likely .* h \d+ min\) at ", text, re.M)


def test_the_json_has_the_year_and_its_price(ssdpm: Command, machine: Make) -> None:
    call = ("tune", "-n", "--root", str(machine("desktop-6.1")), "--hours-per-day", "12")
    for drive in ssdpm.json(*call):
        assert "year_price" not in drive
    for drive in ssdpm.json(*call, "--price", "0.30"):
        likely, year, price = (drive[key] for key in ("likely", "year", "year_price"))
        if likely is None:
            assert year is None and price is None
            continue
        assert abs(year["nominal_wh"] - likely["median_uw"] * 12 * 365 / 1e6) < 1
        assert abs(price["nominal_milli"] - 0.3 * year["nominal_wh"]) < 1
        assert price["low_milli"] <= price["nominal_milli"] <= price["high_milli"]
