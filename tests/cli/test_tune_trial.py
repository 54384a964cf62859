# SPDX-License-Identifier: MIT
"""ssdpm tune --measure: a meter of the machine decides, and A comes back in any case.

tests/support/trial-machine.c is the machine: its clock waits for nothing, its battery
sees which setting is in force, and something happens after so many timers.
"""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import pty
import re
import subprocess
import time
from collections.abc import Callable
from typing import Any

import machines
import pytest
from command import BUILD, Command, preloaded, read_terminal

Make = Callable[[str], pathlib.Path]
MACHINE = BUILD / "tests/support/trial-machine.so"
LIMIT = "sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us"
PORT = "sys/class/scsi_host/host0/link_power_management_policy"
BATTERY = "sys/class/power_supply/BAT0"
SEED = ("--seed", "1")
COLUMNS = (
    "product\tfirmware\tpower_source\tbefore\tafter\tdecision\t"
    "saving_uw\tlow_uw\thigh_uw\tresolvable_uw\tpairs\tseconds\tmeter"
)


class Trials:
    """A laptop whose one saving is not decided: 11 ms against 100 ms."""

    def __init__(self, ssdpm: Command, root: pathlib.Path) -> None:
        self.ssdpm = ssdpm
        self.root = root
        self.environment = {
            **ssdpm.environment,
            "LD_PRELOAD": preloaded(MACHINE),
            "SSDPM_METER": str(root / BATTERY / "power_now"),
            "SSDPM_SETTING": f"{root / LIMIT} 11000",
            "SSDPM_SUSPENDED": str(root / "suspended"),
            "SSDPM_NOISE_UW": "50000",
            "SSDPM_SAVING_UW": "150000",
        }

    def call(self, *arguments: str) -> list[str]:
        program = str(self.ssdpm.directory / "bin/ssdpm")
        return [program, "tune", "--measure", "--root", str(self.root), *SEED, *arguments]

    def run(self, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.call(*arguments),
            cwd=self.ssdpm.directory,
            env={**self.environment, **more},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def ended(self, n_timers: int, event: str, status: int, said: str) -> str:
        """Something happens after so many timers, which ends the trial early."""
        done = self.run("--yes", SSDPM_EVENT=f"{n_timers} {event}")
        assert done.returncode == status, done.stderr
        assert said in done.stderr
        assert "Done" not in done.stdout and "Change" not in done.stdout
        return done.stdout

    def limit(self) -> str:
        return (self.root / LIMIT).read_text().strip()

    def trial(self, *arguments: str, **more: str) -> dict[str, Any]:
        done = self.run("--yes", "--json", *arguments, **more)
        assert done.returncode == 0, done.stderr
        [drive] = json.loads(done.stdout)["drives"]
        found: dict[str, Any] = drive["trial"]
        return found


@pytest.fixture
def trials(ssdpm: Command, laptop: pathlib.Path) -> Trials:
    return Trials(ssdpm, laptop)


def test_a_setting_that_saves_is_set_and_can_be_undone(trials: Trials) -> None:
    done = trials.run("--yes")
    assert done.returncode == 0, done.stderr
    assert "nvme0: latency limit 11 ms: saves 150 mW (95 %: " in done.stdout
    assert ", measured on BAT0 in " in " ".join(done.stdout.split())
    assert "Change 1 of 1 drive" in done.stdout and "Done, and in force" in done.stdout
    assert "this trial can show a saving of about" in done.stderr
    assert trials.limit() == "11000"
    trials.ssdpm.output("revert", "-q", "--root", str(trials.root))
    assert trials.limit() == "100000"


@pytest.mark.parametrize(
    ("saving_uw", "noise_uw", "decision"),
    [
        ("-150000", "50000", "costs"),
        ("0", "2000000", "hopeless"),
        ("0", "20000", "undecided"),
    ],
)
def test_a_setting_that_is_not_shown_to_save_is_not_set(
    trials: Trials, saving_uw: str, noise_uw: str, decision: str
) -> None:
    found = trials.trial(SSDPM_SAVING_UW=saving_uw, SSDPM_NOISE_UW=noise_uw)
    assert found["decision"] == decision
    assert found["meter"] == "BAT0" and found["power_source"] == "battery"
    minutes = found["duration_ns"] / 60e9
    if decision == "costs":
        assert found["low_uw"] <= -150000 <= found["high_uw"] < 0
        assert 6 <= found["n_pairs"] <= 12
    elif decision == "hopeless":
        # Nobody waits for what cannot be seen: the likely saving is 13 mW.
        assert found["n_pairs"] < 12 and found["resolvable_uw"] > 13000
    else:
        assert 29.9 < minutes < 31
    assert trials.limit() == "100000"


def test_a_saving_beyond_what_is_likely_is_not_given_up(trials: Trials) -> None:
    # After four pairs 13 mW are out of reach, and what shows is far above that.
    found = trials.trial(SSDPM_NOISE_UW="300000", SSDPM_SAVING_UW="400000")
    assert found["resolvable_uw"] > 13000 and found["decision"] == "saves"


@pytest.mark.parametrize(
    ("event", "status", "said"),
    [
        ("kill -INT $PPID", -2, "interrupted: "),
        ("kill -TERM $PPID", -15, "interrupted: "),
        ("kill -HUP $PPID", -1, "interrupted: "),
        ("echo Charging > {root}/" + BATTERY + "/status", 1, "unplug the charger"),
        ("rm {root}/" + BATTERY + "/power_now", 1, "power_now is gone"),
        ("echo 1 > {root}/sys/class/power_supply/AC/online", 1, "power source has changed"),
        ("touch {root}/suspended", 1, "nvme0: the machine was suspended"),
    ],
)
@pytest.mark.parametrize("n_timers", [150, 310])
def test_whatever_ends_it_the_setting_of_today_is_back(
    trials: Trials, event: str, status: int, said: str, n_timers: int
) -> None:
    text = trials.ended(n_timers, event.format(root=trials.root), status, said)
    assert "nvme0: latency limit 11 ms: not decided: saves " in text
    assert trials.limit() == "100000"


def test_it_may_end_before_anything_was_set(trials: Trials) -> None:
    text = trials.ended(5, "kill -INT $PPID", -2, "interrupted")
    assert "measured on" not in text
    assert trials.limit() == "100000"


def test_what_another_program_sets_stays(trials: Trials) -> None:
    event = f"echo 70000 > {trials.root / LIMIT}"
    trials.ended(200, event, 1, "another program has changed the setting")
    assert trials.limit() == "70000"


def in_b(trials: Trials) -> int:
    """After so many timers setting B is in force: where a kill has something to undo."""
    for n in range(100, 400, 15):
        seen = trials.root / "seen"
        trials.ended(n, f"cat {trials.root / LIMIT} > {seen}; kill -INT $PPID", -2, "")
        if seen.read_text() == "11000\n":
            return n
    raise AssertionError("B was never in force")


def test_a_guard_restores_the_setting_of_a_killed_trial(trials: Trials) -> None:
    done = trials.run("--yes", SSDPM_EVENT=f"{in_b(trials)} kill -9 $PPID")
    assert done.returncode == -9
    end = time.monotonic() + 60
    while trials.limit() != "100000":
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize("command", ["revert", "apply", "tune", "tune --measure"])
def test_after_a_trial_killed_with_its_guard_the_next_command_restores(
    trials: Trials, command: str
) -> None:
    kill_both = "kill -9 $(cat /proc/$PPID/task/$PPID/children | cut -d' ' -f1) $PPID"
    done = trials.run("--yes", SSDPM_EVENT=f"{in_b(trials)} {kill_both}")
    assert done.returncode == -9 and trials.limit() == "11000"
    root = str(trials.root)
    check = trials.ssdpm("check", "--root", root, "--latency", "11ms")
    assert check.returncode == 5 and b"ssdpm revert --root" in check.stderr
    assert "a survey or trial runs, or was killed" in trials.ssdpm.output("status", "--root", root)
    assert trials.limit() == "11000"
    if command == "tune --measure":
        found = trials.trial(SSDPM_SAVING_UW="-150000")
        assert found["decision"] == "costs"
    else:
        options = {"apply": ["--latency", "100ms"], "tune": ["--yes"]}.get(command, [])
        done_now = trials.ssdpm(command, "--root", root, *options)
        assert done_now.returncode == 0
        assert b"a survey or trial was killed" in done_now.stderr
    assert trials.limit() == "100000"
    assert "was killed" not in trials.ssdpm.output("status", "--root", root)


def test_a_dry_run_shows_the_trial_and_touches_nothing(trials: Trials) -> None:
    done = trials.run("--dry-run")
    assert done.returncode == 0
    assert done.stdout.startswith(
        "To try with battery BAT0, for at most 30 min:\n"
        "  nvme0: latency limit 11 ms, likely -35..13 mW\n"
    )
    assert "Nothing to change" in done.stdout
    assert not (trials.root / "run").exists()


@pytest.mark.parametrize("answer", [b"y\n", b"n\n"])
def test_it_asks_before_it_begins(trials: Trials, answer: bytes) -> None:
    terminal, slave = pty.openpty()
    with subprocess.Popen(
        trials.call(),
        cwd=trials.ssdpm.directory,
        env={**trials.environment, "SSDPM_SAVING_UW": "-150000"},
        stdin=slave,
        stdout=slave,
        stderr=slave,
    ) as process:
        os.write(terminal, answer)
        said = read_terminal(process, terminal, slave)
        assert process.wait() == 0
    assert b"Try it now? [y/N]" in said
    assert (b"costs 150 mW" in said) == (b"pair 1 of 30" in said) == (answer == b"y\n")
    assert (b"Nothing was tried." in said) == (answer == b"n\n")
    assert trials.limit() == "100000"


def test_what_is_not_decided_can_be_measured_where_a_meter_is(
    ssdpm: Command, machine: Make
) -> None:
    for name, has_meter in (("laptop", True), ("no-aspm", False)):
        root = machine(name)
        text = ssdpm.output("tune", "-n", "--root", str(root))
        assert "not decided" in text
        line = "To measure on that machine: ssdpm tune --measure nvme0\n"
        assert (line in text) == ("To measure" in text) == has_meter


def test_without_a_meter_it_names_what_would_help(
    ssdpm: Command, machine: Make, trials: Trials
) -> None:
    (trials.root / BATTERY / "status").write_text("Charging\n")
    done = trials.run("--yes")
    assert done.returncode == 3
    assert "no meter sees the drives: unplug the adapter" in done.stderr
    root = str(machine("no-aspm"))
    message = ssdpm.fails(3, "tune", "--measure", "--yes", "-q", "--root", root)
    assert "name one with --meter" in message


def test_a_zone_that_does_not_see_drives_is_refused(trials: Trials) -> None:
    done = trials.run("--yes", "--meter", "package-0")
    assert done.returncode == 3
    assert "not supported by package-0: this zone of RAPL does not see drives" in done.stderr


def test_a_meter_that_never_changes_is_refused(trials: Trials) -> None:
    (trials.root / BATTERY / "power_now").write_text("6000000\n")
    done = trials.run("--yes", SSDPM_NOISE_UW="0")
    assert done.returncode == 3
    assert "not supported by BAT0: it read the same 180 times" in done.stderr
    assert trials.limit() == "100000"


def test_a_slow_meter_gets_longer_blocks(trials: Trials) -> None:
    done = trials.run("--yes", "--json", SSDPM_UPDATE="20")
    assert "BAT0 has a new value each 20 s: a trial may take longer" in done.stderr
    [drive] = json.loads(done.stdout)["drives"]
    assert drive["trial"]["decision"] == "saves"
    # 40 s are dropped of each block, and 20 s count.
    assert drive["trial"]["duration_ns"] >= 120e9 * drive["trial"]["n_pairs"]


def test_a_meter_too_slow_for_the_time_is_no_trial(trials: Trials) -> None:
    done = trials.run("--yes", "--up-to", "10min", SSDPM_UPDATE="20")
    assert done.returncode == 2 and "--up-to: limit: 6 pairs of blocks need" in done.stderr
    assert trials.limit() == "100000"


def test_an_interrupted_trial_says_what_is_known_as_json(trials: Trials) -> None:
    done = trials.run("--yes", "--json", SSDPM_EVENT="150 kill -INT $PPID")
    answer = json.loads(done.stdout)
    assert done.returncode == -2 and "interrupted" in answer["errors"][0]
    found = answer["drives"][0]["trial"]
    assert found["decision"] == "not-yet" and found["n_pairs"] == 2
    assert found["low_uw"] is None and answer["drives"][0]["advice"] == "keep"


def test_a_link_policy_is_tried_drive_after_drive(ssdpm: Command, machine: Make) -> None:
    root = machine("desktop-6.1")
    trials = Trials(ssdpm, root)
    meter = root / "sys/class/hwmon/hwmon9"
    meter.mkdir(parents=True)
    (meter / "name").write_text("rail\n")
    (meter / "power1_input").write_text("6000000\n")
    (root / PORT).write_text("max_performance\n")
    done = trials.run(
        "--yes", "--json", "--meter", "rail", "-t", "poisson",
        SSDPM_METER=str(meter / "power1_input"),
        SSDPM_SETTING=f"{root / PORT} med_power_with_dipm",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = {drive["name"]: drive for drive in json.loads(done.stdout)["drives"]}
    assert found["sda"]["trial"]["decision"] == "saves"
    assert found["sda"]["advice"] == "set"
    assert found["sda"]["trial"]["meter"] == "rail"
    assert found["nvme0"]["trial"]["decision"] in ("hopeless", "undecided")
    assert found["nvme0"]["advice"] == "keep"
    assert (root / PORT).read_text().strip() == "med_power_with_dipm"
    assert trials.limit() == "100000"


def test_what_was_saved_serves_the_next_time(trials: Trials) -> None:
    trials.run("--yes", "--save", "found.tsv")
    trials.ssdpm.output("revert", "-q", "--root", str(trials.root))
    text = (trials.ssdpm.directory / "found.tsv").read_text()
    assert text.startswith("# ssdpm trials 1\nproduct\t") and text.count("\n") == 3
    call = ("tune", "-n", "--root", str(trials.root), "--measured", "found.tsv")
    assert "nvme0: latency limit 11 ms: saves 150 mW (95 %: " in trials.ssdpm.output(*call)
    [drive] = json.loads(trials.ssdpm.output(*call, "--json"))["drives"]
    assert drive["advice"] == "set" and drive["trial"]["decision"] == "saves"
    # It is decided.
    more = trials.run("--yes", "--measured", "found.tsv")
    assert more.returncode == 0 and "no setting is undecided" in more.stderr
    assert trials.limit() == "11000"


def test_a_trial_takes_its_lines_of_the_screen(ssdpm: Command) -> None:
    """The line on a result is folded."""
    made = machines.Machine(machines.KERNEL_7)
    made.host("X", "X", "X")
    made.nvme(machines.SN530, machines.L1_2_ON, table=machines.SN530_TABLE)
    for i in range(14):
        drive = dataclasses.replace(machines.EVO_PLUS, product=f"DRIVE {i}")
        made.nvme(drive, machines.L1_2_ON, table=machines.EVO_PLUS_TABLE)
    made.supplies(online=False, battery="power")
    made.write(ssdpm.directory / "made")
    call = ["tune", "-n", "--root", "made"]
    [first, *_] = json.loads(ssdpm.output(*call, "--json"))["drives"]
    after = first["setting"]["max_exit_latency_us"]
    columns = [first["product"], machines.SN530.firmware, "battery", first["policy"], after]
    result = ["hopeless", 1000, -9000, 11000, 50000, 4, 240, "BAT0"]
    line = "\t".join(str(column) for column in columns + result)
    (ssdpm.directory / "t").write_text(f"# ssdpm trials 1\n{COLUMNS}\n{line}\n")
    ssdpm.wide = False
    text = ssdpm.output(*call, "--measured", "t")
    assert re.match(r"nvme0: .* only about 50 mW could be shown,\n  measured on BAT0 in 4 min\n", text)
    assert len(text.splitlines()) == 22, text


@pytest.mark.parametrize(
    ("old", "new"),
    [("WDC PC SN530", "Another"), ("21106000", "1"), ("battery", "ac"), ("\t100000", "\tany"),
     ("\t11000", "\t12000")],
)  # fmt: skip
def test_a_result_counts_for_the_same_drive_settings_and_source_alone(
    trials: Trials, old: str, new: str
) -> None:
    done = trials.run("--yes", "--save", "found.tsv")
    trials.ssdpm.output("revert", "-q", "--root", str(trials.root))
    path = trials.ssdpm.directory / "found.tsv"
    text = path.read_text()
    assert done.returncode == 0 and old in text
    path.write_text(text.replace(old, new))
    found = trials.ssdpm("tune", "-n", "--root", str(trials.root), "--measured", "found.tsv")
    assert found.returncode == 0 and b"no result is of these drives" in found.stderr
    assert b"Nothing to change" in found.stdout


def test_the_last_of_two_results_of_a_drive_counts(trials: Trials) -> None:
    trials.run("--yes", "--save", "found.tsv")
    trials.ssdpm.output("revert", "-q", "--root", str(trials.root))
    head, names, saves = (trials.ssdpm.directory / "found.tsv").read_text().splitlines(True)
    columns = saves.split("\t")
    assert columns[5] == "saves"
    columns[5:9] = ["costs", "-100000", "-150000", "-50000"]
    costs = "\t".join(columns)
    call = ("tune", "-n", "--root", str(trials.root), "--measured", "f.tsv")
    for last, said in ((saves, ", measured on"), (costs, "costs, as measured")):
        other = costs if last is saves else saves
        trials.ssdpm.write("f.tsv", head + names + other + last)
        assert said in " ".join(trials.ssdpm.output(*call).split())


def test_a_file_that_is_none_of_trials_is_refused(trials: Trials) -> None:
    trials.run("--yes", "--save", "found.tsv")
    text = (trials.ssdpm.directory / "found.tsv").read_text()
    call = ("tune", "-n", "--root", str(trials.root), "--measured", "f.tsv")
    for wrong, said in (
        (text.replace("trials 1", "trials 2"), "f.tsv:1: expected a file of ssdpm tune --save"),
        (text.replace("saves", "safes"), "f.tsv:3: expected a line of ssdpm tune --save"),
        (text.replace("\tBAT0", ""), "f.tsv:3: "),
        (re.sub(r"saves\t\d+", "saves\t-", text), "f.tsv:3: "),
        (re.sub(r"saves\t\d+", "saves\t9000000000000000000", text), "f.tsv:3: "),
        (text.replace("\tBAT0", "\tBAT0\tx"), "f.tsv:3: "),
        ("", "f.tsv: it is empty"),
    ):
        trials.ssdpm.write("f.tsv", wrong)
        assert said in trials.ssdpm.fails(1, *call)


def test_a_file_that_cannot_be_written_is_found_before_anything_is_set(
    trials: Trials,
) -> None:
    done = trials.run("--yes", "--save", "none/found.tsv")
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert "none/found.tsv: No such file" in done.stderr
    full = trials.run("--yes", "--save", "/dev/full")
    assert full.returncode == 1 and "No space left" in full.stderr
    assert "measured on" not in done.stdout + full.stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--up-to", "30min"], "--up-to requires --measure"),
        (["--meter", "BAT0"], "--meter requires --measure"),
        (["--save", "f"], "--save requires --measure"),
        (["--measure", "--up-to", "5min"], "--up-to: limit: 6 pairs of blocks need"),
    ],
)
def test_options_that_go_with_nothing_are_refused(
    ssdpm: Command, laptop: pathlib.Path, options: list[str], said: str
) -> None:
    assert said in ssdpm.fails(2, "tune", "-n", "--root", str(laptop), *options)


def test_only_root_may_try(
    trials: Trials, unprivileged: Callable[..., subprocess.CompletedProcess[bytes]]
) -> None:
    done = unprivileged("tune", "--measure", "--yes", "--root", str(trials.root))
    assert done.returncode == 4 and b"only root may set policies" in done.stderr
    assert trials.limit() == "100000"


def test_one_trial_runs_at_a_time(trials: Trials) -> None:
    second = " ".join(trials.call("--yes", "-q"))
    event = f"200 env LD_PRELOAD= {second} 2> second; kill -INT $PPID"
    trials.run("--yes", SSDPM_EVENT=event)
    assert "a survey or trial runs" in (trials.ssdpm.directory / "second").read_text()
    assert trials.limit() == "100000"
