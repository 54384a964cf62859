# SPDX-License-Identifier: MIT
"""ssdpm watch of recordings; live, it is in tests/vm/test_watch.py."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import recordings
from command import Command

READ = ["watch", "--read", "trace.txt", "--device", "259,0"]


@pytest.fixture(autouse=True)
def recording(ssdpm: Command) -> None:
    recordings.write(ssdpm.directory)


def watched(ssdpm: Command, *options: str) -> Any:
    return ssdpm.json(*READ, "-q", *options, "SN530")


def test_the_first_lines_say_how_it_slept_and_who_woke_it_most(ssdpm: Command) -> None:
    text = ssdpm.output(*READ, "-q", "SN530").splitlines()
    assert re.fullmatch(
        r"SN530, simulated: asleep 97\.\d % of 9\.83 min, about 2\d\.\d mW", text[0]
    )
    assert re.fullmatch(r"Likely power: \d+ mW to \d+ mW", text[1])
    assert text[2] == "Woken 79 times, 482 an hour, 59 of these by systemd-journal"
    assert max(map(len, text)) <= 80


def states(text: str) -> dict[str, tuple[str, str]]:
    """The share and the time in each state."""
    row = r"^  ([a-z][\w, ]*?) +(\d[\d.]* %|unknown) +(\d[\d.]* \w+)$"
    found = re.findall(row, text, re.MULTILINE)
    return {name: (share, time) for name, share, time in found}


def test_the_time_in_each_state_is_all_the_time(ssdpm: Command) -> None:
    drive = watched(ssdpm)
    told = states(ssdpm.output(*READ, "-q", "SN530"))
    assert list(told) == [
        *("busy", "idle, awake", "entering or leaving"),
        *("asleep in PS3", "asleep in PS4"),
    ]
    share = {name: float(one[0].removesuffix(" %")) for name, one in told.items()}
    whole = drive["now_ns"] - drive["start_ns"]
    assert sum(share.values()) == pytest.approx(100, abs=0.3)
    for name, key in {
        "busy": "busy_ns",
        "idle, awake": "idle_ns",
        "entering or leaving": "transition_ns",
    }.items():
        assert share[name] == pytest.approx(100 * drive[key] / whole, abs=0.051)
    asleep = share["asleep in PS3"] + share["asleep in PS4"]
    assert asleep == pytest.approx(100 * drive["asleep_ns"] / whole, abs=0.11)


def test_a_drive_that_never_sleeps_is_asleep_in_no_state(ssdpm: Command) -> None:
    told = states(ssdpm.output(*READ, "-q", "--none", "SN530"))
    assert list(told) == ["busy", "idle, awake"]


def test_states_of_a_sata_drive_are_those_of_its_link(ssdpm: Command) -> None:
    policy = ["--lpm", "med_power_with_dipm"]
    told = states(ssdpm.output(*READ, "-q", *policy, "860 EVO"))
    assert "asleep in PS2 slumber" in told


def test_states_are_those_of_the_ios_that_are_still_known(ssdpm: Command) -> None:
    made = recordings.Recording()
    for i in range(32768 + 100):
        made.io(10 + i / 100, "logger-7", "W", 8, 1e-4)
    ssdpm.write("long.txt", made.text())
    text = ssdpm.output("watch", "-q", "--read", "long.txt", "--device", "259,0", "SN530")
    assert re.search(r"^  state in the last 5\.46 min +share +time$", text, re.MULTILINE)
    assert re.match(r"SN530, simulated: asleep .* of 5\.48 min", text)


def test_what_admin_commands_take_is_a_range_and_not_0(ssdpm: Command) -> None:
    """From nothing to a full wake-up each, as the line of help says."""
    text = ssdpm.output(*READ, "-q", "SN530")
    row = r"^ +smartctl +0 +10 +0 +0\.\.(.* mW) +unknown$"
    [most] = re.findall(row, text, re.MULTILINE)
    assert f"  up to {most}  smartctl: " in text


def test_admin_commands_that_take_next_to_nothing_are_unknown(ssdpm: Command) -> None:
    ssdpm.write("one.txt", recordings.idle_monitor().text())
    text = ssdpm.output("watch", "-q", "--read", "one.txt", "--device", "259,0", "SN530")
    assert re.search(r"^ +smartctl +0 +1 +0 +unknown +unknown$", text, re.MULTILINE)


@pytest.mark.parametrize("drive", [["SN530"], ["--lpm", "min_power", "860 EVO"]])
def test_smartd_of_an_nvme_drive_is_told_that_n_is_for_ata(
    ssdpm: Command, drive: list[str]
) -> None:
    """Admin commands are of NVMe, whatever drive their recording is simulated on."""
    text = (ssdpm.directory / "trace.txt").read_text().replace("smartctl-", "smartd-")
    ssdpm.write("trace.txt", text)
    said = ssdpm.output(*READ, "-q", *drive)
    assert "  smartd: a longer --interval than 1 min; its -n is for ATA\n" in said
    assert max(map(len, said.splitlines())) <= 80


def test_each_cause_has_its_ios(ssdpm: Command) -> None:
    causes = {c["name"]: (c["kind"], c["n_ios"]) for c in watched(ssdpm)["causes"]}
    assert causes == {
        "systemd-journal": ("process", 60),
        "firefox": ("writeback", 60),
        "jbd2/nvme0n1p2-": ("journal", 40),
        "smartctl": ("process", 0),
    }


def test_a_file_that_changed_before_the_start_is_of_its_cgroup(ssdpm: Command) -> None:
    made = recordings.Recording()
    worker = "kworker/u16:3-61"
    for i in range(20):
        file = f"bdi 259:0: ino={400 + i} state=I_DIRTY_PAGES dirtied_when=4294900000"
        rest = "age=30 index=0 to_write=4096 wrote=0 cgroup_ino=4711"
        made.event(10 + i, worker, f"writeback_single_inode_start: {file} {rest}")
        made.io(10.001 + i, worker, "W", 8, 1e-4)
    named = "# cgroup: 4711 /system.slice/postgresql.service\n"
    read = ["watch", "-q", "--read", "old.txt", "--device", "259,0", "SN530"]
    for text, name in ((named + made.text(), "postgresql"), (made.text(), "4711")):
        ssdpm.write("old.txt", text)
        (cause,) = ssdpm.json(*read)["causes"]
        assert (cause["kind"], cause["name"], cause["pid"]) == ("cgroup", name, 0)
        assert cause["n_ios"] == 20
        assert re.search(f"^  {name}, cgroup +20 ", ssdpm.output(*read), re.MULTILINE)


def test_shares_are_the_power_of_the_drive(ssdpm: Command) -> None:
    drive = watched(ssdpm)
    shares = sum(cause["energy_nj"] for cause in drive["causes"])
    assert shares + drive["resting_nj"] == drive["energy_nj"]


def test_what_was_lost_is_in_the_numbers(ssdpm: Command) -> None:
    whole = watched(ssdpm)
    assert [whole[key] for key in ("n_lost", "n_bad", "n_unmatched")] == [0, 0, 0]
    text = (ssdpm.directory / "trace.txt").read_text()
    issue = "x-1 [000] d..1. 601.000000: block_rq_issue: 259,0 R 4096 () 8 + 8 [x]\n"
    late = "x-1 [000] d..1. 700.000000: block_bio_queue: 259,0 R 16 + 8 [x]\n"
    bad = "x-1 [000] d..1. 700.000000: block_bio_queue: 259,0 R\n"
    more = f"{text}CPU:2 [LOST 17 EVENTS]\n{issue}{late}{bad}"
    (ssdpm.directory / "trace.txt").write_text(more)
    part = watched(ssdpm)
    assert [part[key] for key in ("n_lost", "n_bad", "n_unmatched")] == [17, 1, 1]


def test_admin_commands_are_counted_for_who_sent_them(ssdpm: Command) -> None:
    drive = watched(ssdpm)
    [smartctl] = [c for c in drive["causes"] if c["name"] == "smartctl"]
    assert drive["n_admin"] == smartctl["n_admin"] == 10
    assert smartctl["energy_nj"] == 0


def test_without_a_cause_the_drive_wakes_as_often_as_without_its_lines(
    ssdpm: Command,
) -> None:
    causes = {c["name"]: c["without"] for c in watched(ssdpm)["causes"]}
    # The journal always comes after firefox.
    assert causes["jbd2/nvme0n1p2-"]["without_n_wakes"] == 79
    assert causes["systemd-journal"]["without_n_wakes"] == 20
    ssdpm.write("less.txt", recordings.desktop(logs=False).text())
    less = ssdpm.json("watch", "--read", "less.txt", "--device", "259,0", "-q", "SN530")
    # It begins with an I/O that wakes nothing.
    assert less["n_wakes"] == 19


def test_what_would_help_is_said_best_first(ssdpm: Command) -> None:
    text = ssdpm.output(*READ, "-q", "SN530")
    lines = text[text.index("What would help") :].splitlines()
    assert lines[0] == "What would help, each alone, simulated:"
    assert re.fullmatch(
        r" +\d\.\d+ mW  systemd-journal: every 1 min, not every 10 s", lines[1]
    )
    assert "  smartctl: ask the drive less often than every 1 min" in text
    assert len(lines) <= 4 and max(map(len, lines)) <= 80


def test_what_would_help_is_in_the_json(ssdpm: Command) -> None:
    drive = watched(ssdpm)
    helps = {drive["causes"][h["cause"]]["name"]: h for h in drive["help"]}
    assert helps["systemd-journal"]["kind"] == "interval"
    assert helps["systemd-journal"]["n_wakes"] < drive["n_wakes"] - 40
    assert helps["smartctl"]["saving_low_nj"] == 0 < helps["smartctl"]["saving_high_nj"]
    savings = [h["saving_high_nj"] for h in drive["help"]]
    assert savings == sorted(savings, reverse=True)
    assert min(savings) >= drive["energy_nj"] // 100


def test_nothing_helps_a_drive_that_never_sleeps(ssdpm: Command) -> None:
    assert watched(ssdpm, "--none")["help"] == []
    assert "What would help" not in ssdpm.output(*READ, "-q", "--none", "SN530")


@pytest.mark.parametrize("policy", [["--none"], ["--table", "linux-legacy"]])
def test_another_policy_is_simulated(ssdpm: Command, policy: list[str]) -> None:
    usual, other = watched(ssdpm), watched(ssdpm, *policy)
    assert other["n_ios"] == usual["n_ios"]
    if policy == ["--none"]:
        assert other["asleep_ns"] == other["n_wakes"] == 0
        assert other["resting_nj"] > usual["energy_nj"]


def test_a_recording_comes_by_standard_input(ssdpm: Command) -> None:
    done = ssdpm.shell("ssdpm watch -q --read - --device 259,0 SN530 <trace.txt")
    assert done.returncode == 0
    assert done.stdout == ssdpm.output(*READ, "-q", "SN530")


def test_a_recording_is_a_trace_too(ssdpm: Command) -> None:
    trace = ssdpm.json("workload", "trace.txt")
    assert sum(trace["n_ios"]) == watched(ssdpm)["n_ios"]


POLICY = "# policy: 259,0 base 0 0 0 0 sleep 100000000 105000000 9000000\n"


@pytest.mark.parametrize("command", ["estimate", "compare"])
def test_wake_ups_that_were_recorded_are_no_work_under_another_policy(
    ssdpm: Command, command: str
) -> None:
    def predicted(wake_s: float, head: str) -> Any:
        made = recordings.Recording()
        for i in range(20):
            took = 0.0004 + (wake_s if i else 0)
            made.io(10.0 + 10 * i, "systemd-journal-311", "WS", 8, took)
        ssdpm.write("trace.txt", head + made.text())
        return ssdpm.json(
            command, "-q", "--trace", "trace.txt", "--loop", "open", "SN530"
        )

    # Recorded under a policy that sleeps, and under one that never does.
    assert predicted(0.009, POLICY) == predicted(0, "# tracer: nop\n")
    assert predicted(0.009, "") != predicted(0, "")


def test_another_policy_is_simulated_from_what_was_recorded(ssdpm: Command) -> None:
    made = recordings.Recording()
    for i in range(20):
        made.io(10.0 + 10 * i, "cat-1", "R", 8, 0.0004 + (0.009 if i else 0))
    ssdpm.write("trace.txt", POLICY + made.text())
    assert watched(ssdpm, "--none")["busy_ns"] == 20 * 390_000


def test_ios_that_waited_for_a_wake_move_with_it(ssdpm: Command) -> None:
    """A second write comes 0.1 ms after the first one is done."""

    def predicted(wake_s: float) -> list[int]:
        made = recordings.Recording()
        for i in range(20):
            at, wait = 10.0 + 10 * i, wake_s if i else 0
            made.io(at, "cat-1", "W", 8, 0.0004 + wait)
            made.io(at + wait + 0.0005, "cat-1", "W", 8, 0.0004)
        made.io(203.0, "dd-1", "R", 8, 0.0004 + wake_s)
        head = POLICY if wake_s else POLICY[: POLICY.index(" sleep")] + "\n"
        ssdpm.write("trace.txt", head + made.text())
        drive = watched(ssdpm, "--table", "linux-legacy")
        return [drive[key] for key in ("energy_nj", "idle_ns", "asleep_ns", "n_delayed")]

    # Recorded under a policy that sleeps, and under one that never does.
    assert predicted(0.009) == predicted(0)


def test_what_was_lost_or_cannot_be_read_is_said(ssdpm: Command) -> None:
    text = (ssdpm.directory / "trace.txt").read_text().splitlines()
    text[50] = "CPU:2 [LOST 12 EVENTS]"
    text[60] = text[60].replace(" + ", " and ")
    ssdpm.write("bad.txt", "\n".join(text))
    done = ssdpm("watch", "--read", "bad.txt", "--device", "259,0", "SN530")
    assert done.returncode == 0
    assert b"lost 12 events" in done.stderr
    assert b"could not be read" in done.stderr


def test_two_runs_in_one_file_are_refused_as_by_a_trace(ssdpm: Command) -> None:
    text = (ssdpm.directory / "trace.txt").read_text()
    ssdpm.write("two.txt", text + text)
    read = ssdpm("watch", "--read", "two.txt", "--device", "259,0", "SN530")
    trace = ssdpm("workload", "--device", "259,0", "two.txt")
    for done in (read, trace):
        assert done.returncode == 1
        assert b"Split the file and read one run at a time" in done.stderr
    assert b"two.txt:" in read.stderr


def write_gap(ssdpm: Command) -> None:
    """The trace was off from 100 s until 200 s."""
    lines = recordings.desktop().text().splitlines()
    time = re.compile(r" (\d+\.\d+): ")

    def second(line: str) -> float:
        found = time.search(line)
        return float(found[1]) if found else 0

    before = [line for line in lines if second(line) < 100]
    after = [line for line in lines if second(line) >= 200]
    gap = "# gap: 259,0 100000000000 200000000000 54321"
    ssdpm.write("gap.txt", "\n".join([*before, gap, *after, ""]))


def test_a_gap_of_the_trace_is_unknown_and_neither_idle_nor_asleep(
    ssdpm: Command,
) -> None:
    write_gap(ssdpm)
    call = ["watch", "-q", "--read", "gap.txt", "--device", "259,0", "SN530"]
    drive = ssdpm.json(*call)
    assert (drive["uncovered_ns"], drive["n_uncovered_ios"]) == (100 * 10**9, 54321)
    phases = ("busy_ns", "idle_ns", "asleep_ns", "transition_ns", "uncovered_ns")
    assert sum(drive[phase] for phase in phases) == drive["now_ns"] - drive["start_ns"]
    [logger] = [c for c in drive["causes"] if c["name"] == "systemd-journal"]
    assert logger["n_ios"] == 50
    assert logger["without"]["uncovered_ns"] == 100 * 10**9
    text = ssdpm.output(*call).splitlines()
    assert re.match(r"SN530, simulated: asleep 97\.\d % of 8\.17 min", text[0])
    assert re.fullmatch(r"Likely power: .+ mW to .+ mW in the last 6\.5 min", text[1])
    assert text[3].startswith(f"{drive['n_delayed']} I/Os waited for it to wake, ")
    assert text[4] == "Unknown: 1.67 min more, with 54,321 I/Os, while it was not traced"
    told = states("\n".join(text))
    assert told.pop("not traced") == ("unknown", "1.67 min")
    shares = [float(share.removesuffix(" %")) for share, _ in told.values()]
    assert sum(shares) == pytest.approx(100, abs=0.3)


def told(ssdpm: Command, made: recordings.Recording, *, head: bool = True) -> str:
    lines = made.text().splitlines(keepends=True)
    ssdpm.write("told.txt", "".join(line for line in lines if head or line[0] != "#"))
    call = ("watch", "-q", "--read", "told.txt", "--device", recordings.DRIVE)
    return ssdpm.output(*call, "drive.json")


def test_a_drive_that_wakes_seldom_is_not_said_to_wake_never(ssdpm: Command) -> None:
    made = recordings.Recording()
    for day in range(3):
        made.io(10 + 86400 * day, "cron-1", "R", 8, 0.0502)
    assert "\nWoken 2 times, 0.042 an hour, 2 of these by cron\n" in told(ssdpm, made)


def test_a_partition_is_no_drive_to_read(ssdpm: Command) -> None:
    said = ssdpm.fails(1, *READ[:-1], recordings.PARTITION, "-q", "SN530")
    assert said == "ssdpm: trace.txt: 259,2 is a partition of 259,0: observe that device"


def test_the_power_at_rest_is_unknown_before_the_first_io(ssdpm: Command) -> None:
    made = recordings.Recording()
    asked = "nvme_setup_cmd: nvme0: qid=0, cmdid=16, nsid=-1, cmd=()"
    for second in range(50):
        made.event(10.0 + second, "smartctl-9", asked)
    text = told(ssdpm, made)
    assert "no I/O came" in text and " 0 uW" not in text
    assert re.search(r"^  nobody: at rest +unknown$", text, re.M)


def test_admin_commands_are_unknown_if_the_recording_names_no_controller(
    ssdpm: Command,
) -> None:
    known = told(ssdpm, recordings.desktop())
    assert re.search(r"^  systemd-journal +60 +0 ", known, re.M)
    assert re.search(r"^  smartctl +0 +10 ", known, re.M)
    unknown = told(ssdpm, recordings.desktop(), head=False)
    assert re.search(r"^  systemd-journal +60 +- ", unknown, re.M)
    assert "smartctl" not in unknown


def test_a_trace_with_a_gap_is_no_workload_unless_it_is_skipped(ssdpm: Command) -> None:
    write_gap(ssdpm)
    said = ssdpm.fails(1, "workload", "gap.txt")
    assert "gap.txt:" in said and "the trace was off here" in said
    done = ssdpm("workload", "--skip-bad", "gap.txt")
    assert done.returncode == 0


def test_a_recording_of_a_quiet_drive_is_one(ssdpm: Command) -> None:
    policy = "# policy: 259,0 base 1000 2 3 4 sleep 100 2100000 3000000\n"
    (ssdpm.directory / "quiet.txt").write_text(policy)
    said = ssdpm.output("watch", "-q", "--read", "quiet.txt", "--device", "259,0", "SN530")
    assert "no I/O came" in said


def test_another_device_has_no_io(ssdpm: Command) -> None:
    said = ssdpm.output("watch", "-q", "--read", "trace.txt", "--device", "8,0", "SN530")
    assert said == "SN530: no I/O came\n"


def test_files_that_would_overwrite_each_other_are_refused(ssdpm: Command) -> None:
    ssdpm.write("x", "a trace")
    ssdpm.run("ln", "x", "y")
    calls = [
        (["--save", "new", "--html", "new"], "--save and --html"),
        (["--save", "new", "--html", "./new"], "--save and --html"),
        (["--html", "new", "--prometheus", "../" + ssdpm.directory.name + "/new"], "--prometheus"),
        (["--save", "new", "--prometheus", "new"], "--save and --prometheus"),
        (["--read", "x", "--device", "259,0", "--html", "y", "SN530"], "--read and --html"),
    ]
    for call, words in calls:
        said = ssdpm.fails(2, "watch", *call)
        assert words in said and "name the same file" in said, call
    assert not (ssdpm.directory / "new").exists()
    assert (ssdpm.directory / "x").read_text() == "a trace"
    # Other folders, other files.
    assert "same file" not in ssdpm.fails(
        1, "watch", "-q", "--read", "none", "--device", "259,0", "--html", "/tmp/none", "SN530"
    )


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["--read", "trace.txt", "SN530"], 2, "requires --device"),
        (["--device", "259,0"], 2, "requires --read"),
        (["--read", "trace.txt", "--device", "259,0"], 2, "one drive"),
        (["--read", "trace.txt", "--device", "nvme0", "SN530"], 2, "259,0"),
        (["--read", "trace.txt", "--device", "1,1", "--for", "1s", "SN530"], 2, "--for"),
        (["--read", "trace.txt", "--device", "1,1", "--save", "x", "SN530"], 2, "--save"),
        (["--once", "--for", "1s"], 2, "--once conflicts with --for"),
        (["--read", "trace.txt", "--device", "1,1", "--once", "SN530"], 2, "--once"),
        (["--read", "none.txt", "--device", "259,0", "SN530"], 1, "none.txt"),
        (["--read", "trace.txt", "--device", "-1,0", "SN530"], 2, "no device number"),
        (["--read", "trace.txt", "--device", "1,+2", "SN530"], 2, "no device number"),
        (["--read", "trace.txt", "--device", "4294967296,0", "SN530"], 2, "number"),
        (["--read", "drive.json", "--device", "1,1", "SN530"], 1, "not a recording"),
        (["--read", ".", "--device", "1,1", "SN530"], 1, ".: is a directory"),
        (["--none"], 2, "requires --read"),
        (["SN530"], 2, "no drive of this machine"),
        (["--for", "5"], 2, "5"),
    ],
)
def test_wrong_calls_say_what_is_wrong(
    ssdpm: Command, arguments: list[str], status: int, words: str
) -> None:
    assert words in ssdpm.fails(status, "watch", "-q", *arguments)


def test_a_recording_may_be_larger_than_a_description_of_a_drive(ssdpm: Command) -> None:
    text = (ssdpm.directory / "trace.txt").read_text()
    # Lines of other events are passed over.
    other = "            cat-1       [000] d..1. 1.000000: sched_switch: prev_comm=cat\n"
    ssdpm.write("long.txt", text + other * (17 * 2**20 // len(other)))
    call = ["watch", "-q", "--device", "259,0", "SN530", "--read"]
    assert ssdpm.output(*call, "long.txt") == ssdpm.output(*call, "trace.txt")
    long = (ssdpm.directory / "long.txt").read_bytes()
    assert ssdpm.output(*call, "-", stdin=long) == ssdpm.output(*call, "trace.txt")


def test_a_recording_may_have_the_line_ends_of_another_system(ssdpm: Command) -> None:
    text = (ssdpm.directory / "trace.txt").read_text()
    lost = "CPU:2 [LOST 12 EVENTS]\n"
    other = ssdpm.directory / "other.txt"
    other.write_bytes((text + lost).replace("\n", "\r\n").encode())
    (ssdpm.directory / "trace.txt").write_text(text + lost)
    call = ["--json", "--device", "259,0", "SN530", "--read"]
    assert ssdpm.output("watch", "-q", *call, "other.txt") == ssdpm.output(
        "watch", "-q", *call, "trace.txt"
    )


@pytest.mark.parametrize("cut", range(12))
def test_the_line_of_a_policy_is_found_wherever_a_read_ends(ssdpm: Command, cut: int) -> None:
    # One read takes 16 KiB.
    padding = "#" * (2**14 - cut - 1) + "\n"
    call = ["watch", "-q", "--device", "259,0", "SN530", "--read", "quiet.txt"]
    ssdpm.write("quiet.txt", f"{padding}# policy: none\n")
    assert ssdpm.output(*call) == "SN530: no I/O came\n"
    ssdpm.write("quiet.txt", f"{padding}# polity: none\n")
    assert "not a recording" in ssdpm.fails(1, *call)


def test_an_output_that_cannot_be_written_is_a_failure(ssdpm: Command) -> None:
    done = ssdpm.shell("ssdpm watch -q --read trace.txt --device 259,0 SN530 >/dev/full")
    assert done.returncode == 1


def test_the_json_has_all_causes(ssdpm: Command) -> None:
    text = ssdpm.output(*READ, "-q", "--json", "SN530")
    assert len(json.loads(text)["drives"][0]["causes"]) == 4
