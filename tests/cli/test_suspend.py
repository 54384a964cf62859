# SPDX-License-Identifier: MIT
"""ssdpm suspend: what counters of sleep say, on machines that were suspended."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable

import documented
import pytest
import suspends
from command import COMMAND, Command

POLICY = "/sys/module/pcie_aspm/parameters/policy"
CONTROL = "sys/kernel/debug/dynamic_debug/control"
MESSAGE = (
    "drivers/pci/pci-driver.c:899 [pci]pci_pm_suspend_noirq ={} "
    '"PCI PM: Suspend power state: %s\\012"\n'
)


@pytest.fixture
def root(ssdpm: Command) -> Callable[[str], pathlib.Path]:
    def write(name: str) -> pathlib.Path:
        suspends.write(name, ssdpm.directory / name)
        return ssdpm.directory / name

    return write


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("team", ["not reached: S0i3.0 was not reached, only S0i2.0",
                  "  suspend (s2idle) shuts it down: the kernel log says "
                  "\"platform quirk: setting",
                  "  its link: on clkpm, l1; off l1.1, l1.2",
                  "nvme0: verified in intel/S0ixSelftestTool#41: "
                  "ASPM powersupersave, all devices",
                  "  ssdpm apply --root team --aspm-policy powersupersave",
                  "    to undo it: ssdpm apply --root team --aspm-policy default"]),
        ("crucial-p3", ["not reached: no counter of deep sleep grew",
                        "No verified remedy: nvme0 is a drive of pop-os/pop#3196, "
                        "which has none",
                        "Candidates, untested; try one at a time:",
                        "  ssdpm apply --root crucial-p3 --aspm-policy powersupersave"]),
        ("micron", ["this capture cannot say: no counter of deep sleep can be read",
                    "No verified remedy: nvme0 is a drive of omacom/omarchy#12887, "
                    "which has none",
                    "  boot with nvme.quirks=1344:5000:force_no_simple_suspend"]),
        ("amd", ["reached: the deepest sleep", "1 suspend, deep sleep 58 s"]),
        ("amd-smu", ["reached: the deepest sleep", "1 suspend, deep sleep 58 s"]),
        ("amd-smu-failed", ["not reached: no counter of deep sleep grew"]),
        ("old", ["this capture cannot say: no counter of deep sleep can be read"]),
        ("s3", ["suspend is S3 here (mem_sleep is deep): the firmware takes the power,"]),
        ("sata", ["not reached: no counter of deep sleep grew",
                  "sda, CT1000MX500SSD1:",
                  "No verified remedy",
                  "  ssdpm lpm --root sata --set med_power_with_dipm sda",
                  "    to undo it: ssdpm lpm --root sata --set max_performance sda"]),
        ("failed", ["failed: Linux gave up each suspend",
                    "the device that failed last: 0000:01:00.0"]),
        ("never", ["no suspend since the machine was started"]),
    ],
)  # fmt: skip
def test_a_machine_gets_its_verdict(
    ssdpm: Command, root: Callable[[str], pathlib.Path], name: str, lines: list[str]
) -> None:
    root(name)
    ssdpm.wide = False
    said = ssdpm.output("suspend", "--root", name).splitlines()
    assert said[0] == lines[0]
    assert [line for line in said if line in lines] == lines
    assert max(map(len, said)) <= 80


def plan(ssdpm: Command) -> str:
    (drive,) = ssdpm.json("suspend", "--root", "team")["drives"]
    return str(drive["suspend"])


def test_the_log_of_the_boot_says_whether_the_driver_shuts_a_drive_down(
    ssdpm: Command, root: Callable[[str], pathlib.Path]
) -> None:
    """nvme_probe() prints the quirk of the platform before "pci function"."""
    log = root("team") / "dev/kmsg"
    lines = log.read_text().splitlines(keepends=True)
    assert suspends.SIMPLE in lines[1]
    assert plan(ssdpm).startswith("suspend (s2idle) shuts it down: the kernel log")
    # Of another drive.
    log.write_text("".join(lines).replace("nvme 0000:01", "nvme 0000:02"))
    assert "in PS4: the kernel log, which goes back to the boot, has no" in plan(ssdpm)
    log.write_text(lines[0] + lines[2])
    assert "in PS4: the kernel log, which goes back to the boot, has no" in plan(ssdpm)
    # What came before is not in it.
    log.write_text(lines[2])
    assert "in PS4, unless the firmware asks" in plan(ssdpm)
    log.unlink()
    assert "in PS4, unless the firmware asks" in plan(ssdpm)


def test_a_capture_has_the_log_that_says_whether_the_driver_shuts_a_drive_down(
    ssdpm: Command, root: Callable[[str], pathlib.Path]
) -> None:
    team = root("team")
    log = team / "dev/kmsg"
    with log.open("a") as file:
        file.write("6,99,9,-;systemd[1]: Hostname set to <secret>.\n")
    ssdpm.output("capture", "--root", "team", "copy")
    shutil.rmtree(team)
    (ssdpm.directory / "copy").rename(team)
    assert "secret" not in log.read_text()
    assert plan(ssdpm).startswith("suspend (s2idle) shuts it down: the kernel log")


def test_the_states_of_a_link_are_shown_and_unknown_without_its_files(
    ssdpm: Command, root: Callable[[str], pathlib.Path]
) -> None:
    machine = root("team")
    (drive,) = ssdpm.json("suspend", "--root", "team")["drives"]
    assert drive["link"] == {
        "pcie_capable": ["clkpm", "l1", "l1.1", "l1.2"],
        "pcie_enabled": ["clkpm", "l1"],
    }
    (link,) = {path.parent for path in machine.glob("sys/devices/**/l1_aspm")}
    shutil.rmtree(link)
    (drive,) = ssdpm.json("suspend", "--root", "team")["drives"]
    assert drive["link"] is None
    assert "\n  its link: unknown\n" in ssdpm.output("suspend", "--root", "team")


def test_only_a_drive_with_a_link_of_this_machine_has_one(
    ssdpm: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    text = ssdpm.output("suspend", "--root", str(machine("server")))
    # Over a network, hidden by VMD and by Intel RST.
    assert not [name for name in ("nvme0", "0000:00:0e.0", "0000:00:17.0") if name in text]
    assert "its link" not in text and ", :" not in text
    kept = ssdpm.json("suspend", "--root", str(machine("server")))["drives"]
    assert not any(drive["link"] for drive in kept)


def test_a_reached_state_and_a_drained_battery_contradict_each_other(
    ssdpm: Command, root: Callable[[str], pathlib.Path]
) -> None:
    root("two-watts")
    readings = ["--since", "two-watts/before.txt", "--until", "two-watts/after.txt"]
    said = ssdpm.output("suspend", "--root", "two-watts", *readings)
    assert said.startswith("contradicted: ")
    assert "batteries gave 2.5 W" in said
    judged = ssdpm.json("suspend", "--root", "two-watts", *readings)
    bearings = {e["counter"]: e["bearing"] for e in judged["evidence"]}
    assert bearings["substate"] == "for"
    assert bearings["battery"] == "against"


def test_what_was_saved_is_compared_with_what_is_now(
    ssdpm: Command, root: Callable[[str], pathlib.Path]
) -> None:
    machine = root("team")
    assert ssdpm("suspend", "--root", "team", "--save", "before.txt").returncode == 0
    since = ["suspend", "--root", "team", "--since", "before.txt"]
    assert ssdpm.output(*since).startswith("no suspend between the two readings\n")
    (machine / "sys/power/suspend_stats/success").write_text("4\n")
    (machine / "sys/kernel/debug/pmc_core/substate_residencies").write_text(
        "Substate   Residency\nS0i2.0     63000000\nS0i3.0     9000000\n"
    )
    # The other counter did not grow.
    assert ssdpm.json(*since)["outcome"] == "contradicted"
    (machine / "sys/power/suspend_stats/total_hw_sleep").write_text("72000000\n")
    (machine / "sys/power/suspend_stats/last_hw_sleep").write_text("9000000\n")
    judged = ssdpm.json(*since)
    assert (judged["outcome"], judged["n_suspends"]) == ("reached", 1)
    assert judged["remedies"] == []
    (machine / "proc/sys/kernel/random/boot_id").write_text("another\n")
    done = ssdpm(*since)
    assert (done.returncode, b"started anew" in done.stderr) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--save", "a", "--since", "b"], "--save conflicts with --since"),
        (["--test", "60s", "--since", "b"], "--test conflicts with --since"),
        (["--test", "60s", "--save", "b"], "--test conflicts with --save"),
        (["--until", "a", "--save", "b"], "--until conflicts with --save"),
        (["--until", "a", "--test", "60s"], "--until conflicts with --test"),
        (["--save", "a", "--json"], "--save conflicts with --json"),
        (["--yes"], "--yes requires --test"),
        (["--test", "1s"], "from 10 s to 1 h"),
        (["nvme0"], "unexpected operand"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    ssdpm: Command, root: Callable[[str], pathlib.Path], arguments: list[str], words: str
) -> None:
    sleeper(root("team"))
    done = ssdpm("suspend", "--root", "team", *arguments)
    assert (done.returncode, words in done.stderr.decode()) == (2, True), done.stderr


def test_only_a_link_that_stays_awake_in_s2idle_may_prevent_the_sleep(
    ssdpm: Command, root: Callable[[str], pathlib.Path]
) -> None:
    machine = root("sata")
    policies = list(machine.glob("sys/devices/**/link_power_management_policy"))
    mem_sleep = machine / "sys/power/mem_sleep"
    awake = {}
    for policy in ("max_performance", "min_power", "med_power_with_dipm"):
        for modes in ("[s2idle] deep", "s2idle [deep]"):
            for path in policies:
                path.write_text(policy + "\n")
            mem_sleep.write_text(modes + "\n")
            text = ssdpm.output("suspend", "--root", "sata")
            awake[policy, modes] = "LPM is off" in text
            assert "lost data" not in text
            told = ssdpm.json("suspend", "--root", "sata")["drives"]
            plans = {one["name"]: one["suspend"] for one in told}
            mode = re.findall(r"\[(\w+)\]", modes)[0]
            begin = f"suspend ({mode}) puts it into standby"
            assert plans["sda"].startswith(begin)
            assert ("; LPM is off" in plans["sda"]) == awake[policy, modes]
            assert f"\nsda, CT1000MX500SSD1:\n  {begin}" in text
    assert [key for key, found in awake.items() if found] == [
        ("max_performance", "[s2idle] deep")
    ]
    # Before 6.6 a user may have told sd to leave it running.
    release = ssdpm.directory / "sata/proc/sys/kernel/osrelease"
    assert "manage_start_stop" not in ssdpm.output("suspend", "--root", "sata")
    release.write_text("6.1.0-57-amd64\n")
    said = ssdpm.output("suspend", "--root", "sata")
    assert "puts it into standby, unless\n" in said or "unless manage_start_stop is 0" in said


def test_the_call_that_compares_has_the_root_and_quotes_the_file(
    ssdpm: Command, root: Callable[[str], pathlib.Path]
) -> None:
    root("team")
    said = ssdpm("suspend", "--root", "team", "--save", "a b.txt").stderr.decode()
    call = "ssdpm suspend --root team --since 'a b.txt'"
    assert said == f"ssdpm: suspend the machine, and then: {call}\n"
    assert ssdpm.shell(call).returncode == 0


def test_a_file_that_is_no_reading_is_refused_with_its_line(
    ssdpm: Command, root: Callable[[str], pathlib.Path]
) -> None:
    root("team")
    ssdpm.write("bad.txt", "ssdpm-suspend 1\nsoup 1 /sys\t\n")
    done = ssdpm("suspend", "--root", "team", "--since", "bad.txt")
    assert done.returncode == 1
    assert b"bad.txt:2: not a counter of sleep" in done.stderr


def sleeper(machine: pathlib.Path, flags: str = "_") -> None:
    """Give it what a test of a suspend writes to."""
    for path, text in {
        "sys/class/rtc/rtc0/wakealarm": "",
        CONTROL: "init/main.c:1 [main]f =p \"PCI\"\n" + MESSAGE.format(flags),
        "dev/kmsg": "6,1,1,-;old: PCI PM: Suspend power state: D1\n",
        "run/keep": "",
    }.items():
        (machine / path).parent.mkdir(parents=True, exist_ok=True)
        (machine / path).write_text(text)


class Sleep:
    """Does with /sys/power/state what a kernel does: a pipe, which is read when the
    machine has woken. The counters grow before that."""

    def __init__(self, machine: pathlib.Path) -> None:
        self.machine = machine
        self.state = machine / "sys/power/state"
        self.state.unlink()
        os.mkfifo(self.state)
        self.asked = self.alarm = self.control = self.woken = ""
        self.thread = threading.Thread(target=self.run)

    def run(self) -> None:
        alarm = self.machine / "sys/class/rtc/rtc0/wakealarm"
        while not alarm.read_text().startswith("+"):
            time.sleep(0.01)
        self.alarm = alarm.read_text()
        self.control = (self.machine / CONTROL).read_text()
        (self.machine / "sys/power/suspend_stats/success").write_text("4\n")
        if self.woken:
            (self.machine / CLOCK).write_text(self.woken)
        with (self.machine / "dev/kmsg").open("a") as log:
            log.write("6,2,9,-;nvme 0000:01:00.0: PCI PM: Suspend power state: D3hot\n")
        self.asked = self.state.read_text()

    def __enter__(self) -> Sleep:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.thread.join()


TEST = ["suspend", "--test", "60s", "--yes"]
# The fixture is in the place of this machine, or nothing runs.
INSIDE = """
mount --bind "$0/dev" /dev
mount --bind "$0/run" /run
mount --bind "$0/sys" /sys
test /sys -ef "$0/sys"
exec "$@"
"""


def begin_test(
    machine: pathlib.Path, *more: str, output: int = subprocess.DEVNULL
) -> subprocess.Popen[bytes]:
    """A process that is ssdpm, on the machine."""
    for folder in ("dev", "run"):
        (machine / folder).mkdir(exist_ok=True)
    words = ("unshare", "-m", "bash", "-ec", INSIDE, machine, COMMAND, *TEST, *more)
    call = [str(word) for word in words if word != "--ask"]
    if "--ask" in more:
        call.remove("--yes")
    return subprocess.Popen(call, stdout=output, stderr=output)


def finish_test(machine: pathlib.Path, *more: str) -> subprocess.CompletedProcess[bytes]:
    with begin_test(machine, *more, output=subprocess.PIPE) as process:
        output, said = process.communicate(timeout=300)
    return subprocess.CompletedProcess(process.args, process.returncode, output, said)


def test_no_capture_is_suspended(
    ssdpm: Command, root: Callable[[str], pathlib.Path]
) -> None:
    machine = root("team")
    sleeper(machine)
    said = ssdpm.fails(2, *TEST, "--root", "team")
    assert said == "ssdpm suspend: --root conflicts with --test: nothing suspends a capture"
    assert (machine / "sys/power/state").read_text() == "freeze mem\n"
    assert (machine / ALARM).read_text() == ""


def test_without_a_terminal_to_ask_on_nothing_is_suspended(
    root: Callable[[str], pathlib.Path]
) -> None:
    machine = root("team")
    sleeper(machine)
    done = finish_test(machine, "--ask")
    assert done.returncode == 2 and b"try: --yes" in done.stderr
    assert (machine / "sys/power/state").read_text() == "freeze mem\n"


def test_a_test_suspends_once_and_sees_the_states_of_devices(
    ssdpm: Command, root: Callable[[str], pathlib.Path]
) -> None:
    machine = root("team")
    sleeper(machine)
    with Sleep(machine) as sleep:
        done = finish_test(machine, "--json")
    judged = documented.listed(done.stdout)
    assert (sleep.asked, sleep.alarm) == ("freeze", "+60")
    assert sleep.control == "file pci-driver.c line 899 +p\n"
    # As it was before.
    assert (machine / CONTROL).read_text() == "file pci-driver.c line 899 -p\n"
    assert (machine / "sys/class/rtc/rtc0/wakealarm").read_text() == "0"
    assert not (machine / "run/ssdpm-suspend").exists()
    assert (judged["outcome"], judged["n_suspends"]) == ("not-reached", 1)
    states = [e for e in judged["evidence"] if e["counter"] == "d-state"]
    assert [(e["name"], e["before"], e["after"]) for e in states] == [
        ("0000:01:00.0", None, 3)
    ]


def test_a_reading_that_was_saved_is_not_overwritten(
    ssdpm: Command, root: Callable[[str], pathlib.Path]
) -> None:
    root("team")
    call = ["suspend", "-q", "--root", "team", "--save", "before.txt"]
    assert ssdpm(*call).returncode == 0
    before = (ssdpm.directory / "before.txt").read_text()
    said = ssdpm.fails(1, *call)
    assert "before.txt: File exists: --save takes a new file" in said
    assert (ssdpm.directory / "before.txt").read_text() == before


def test_a_reading_that_was_cut_short_is_refused(
    ssdpm: Command, root: Callable[[str], pathlib.Path]
) -> None:
    root("team")
    ssdpm("suspend", "-q", "--root", "team", "--save", "before.txt")
    path = ssdpm.directory / "before.txt"
    path.write_text(path.read_text().rsplit("\n", 2)[0] + "\n")
    said = ssdpm.fails(1, "suspend", "--root", "team", "--since", "before.txt")
    assert "it was cut short: save it again" in said


def test_a_folder_is_no_reading(
    ssdpm: Command, root: Callable[[str], pathlib.Path]
) -> None:
    root("team")
    said = ssdpm.fails(1, "suspend", "--root", "team", "--since", ".")
    assert said == "ssdpm: .: is a directory"


ALARM = "sys/class/rtc/rtc0/wakealarm"
CLOCK = "sys/class/rtc/rtc0/since_epoch"


def test_an_alarm_that_was_set_before_is_set_again(
    ssdpm: Command, root: Callable[[str], pathlib.Path]
) -> None:
    machine = root("team")
    sleeper(machine)
    (machine / ALARM).write_text("1795924800\n")
    (machine / CLOCK).write_text("1795920000\n")
    with Sleep(machine) as sleep:
        done = finish_test(machine)
    assert (done.returncode, done.stderr) == (0, b"")
    assert sleep.alarm == "+60"
    assert (machine / ALARM).read_text() == "1795924800"


def test_an_alarm_within_the_test_is_not_lost(
    ssdpm: Command, root: Callable[[str], pathlib.Path]
) -> None:
    machine = root("team")
    sleeper(machine)
    (machine / ALARM).write_text("1795920042\n")
    (machine / CLOCK).write_text("1795920000\n")
    done = finish_test(machine)
    assert (done.returncode, done.stdout) == (1, b"")
    said = done.stderr.decode()
    assert "another one goes off in 42 s: try a shorter --test, or later" in said
    assert (machine / ALARM).read_text() == "1795920042\n"


def test_an_alarm_that_was_missed_is_complained_of(
    ssdpm: Command, root: Callable[[str], pathlib.Path]
) -> None:
    machine = root("team")
    sleeper(machine)
    (machine / ALARM).write_text("1795924800\n")
    (machine / CLOCK).write_text("1795920000\n")
    sleep = Sleep(machine)
    sleep.woken = "1795930000\n"
    with sleep:
        done = finish_test(machine)
    assert b"1795924800 s after 1970, is lost: set it again" in done.stderr
    assert done.stdout


def test_devices_that_are_no_drives_are_shown_if_asked_for(
    ssdpm: Command, root: Callable[[str], pathlib.Path]
) -> None:
    root("two-watts")
    text = (ssdpm.directory / "two-watts/after.txt").read_text()
    ssdpm.write("after.txt", f"{text}d-state 4 kernel log\t0000:00:02.0\n")
    call = ["suspend", "--root", "two-watts", "--until", "after.txt"]
    assert "0000:01:00.0" in ssdpm.output(*call)
    assert "0000:00:02.0" not in ssdpm.output(*call)
    said = ssdpm(*call, "-v").stdout.decode()
    assert "d-state 0000:00:02.0" in said
    assert "D3cold" in said


@pytest.mark.parametrize("before", ["", "1795924800"])
def test_after_a_kill_the_next_test_clears_its_own_alarm(
    ssdpm: Command, root: Callable[[str], pathlib.Path], before: str
) -> None:
    machine = root("team")
    sleeper(machine)
    (machine / ALARM).write_text(f"{before}\n")
    (machine / CLOCK).write_text("1795920000\n")
    process = start_and_wait(machine)
    process.kill()
    process.wait()
    # The kernel counts from the second in which it reads the clock.
    (machine / ALARM).write_text("1795920061\n")
    (machine / CLOCK).write_text("1795920003\n")
    (machine / "sys/power/state").unlink()
    (machine / "sys/power/state").write_text("freeze mem\n")
    looked = ssdpm("suspend", "--root", "team")
    assert b"was killed; ssdpm suspend --test undoes what it left" in looked.stderr
    assert (machine / ALARM).read_text() == "1795920061\n"
    done = finish_test(machine)
    assert done.returncode == 0
    assert b"left the alarm of the clock set: it is cleared" in done.stderr
    assert (machine / ALARM).read_text() == (before or "0")
    assert not (machine / "run/ssdpm-suspend").exists()


def test_after_a_kill_the_alarm_of_somebody_else_stays(
    ssdpm: Command, root: Callable[[str], pathlib.Path]
) -> None:
    machine = root("team")
    sleeper(machine)
    (machine / CLOCK).write_text("1795920000\n")
    process = start_and_wait(machine)
    process.kill()
    process.wait()
    (machine / ALARM).write_text("1795990000\n")
    (machine / "sys/power/state").unlink()
    (machine / "sys/power/state").write_text("freeze mem\n")
    done = finish_test(machine)
    assert (done.returncode, b"alarm" in done.stderr) == (0, False)
    assert (machine / ALARM).read_text() == "1795990000"


def test_messages_that_are_on_already_stay_on(
    ssdpm: Command, root: Callable[[str], pathlib.Path]
) -> None:
    machine = root("team")
    sleeper(machine, flags="p")
    before = (machine / CONTROL).read_text()
    with Sleep(machine):
        assert finish_test(machine).returncode == 0
    assert (machine / CONTROL).read_text() == before


def start_and_wait(machine: pathlib.Path) -> subprocess.Popen[bytes]:
    """Until it has asked for sleep: nobody answers."""
    state = machine / "sys/power/state"
    state.unlink()
    os.mkfifo(state)
    process = begin_test(machine)
    alarm = machine / "sys/class/rtc/rtc0/wakealarm"
    while not alarm.read_text().startswith("+"):
        time.sleep(0.01)
    # A signal before it opens the pipe would leave nobody to write.
    status = pathlib.Path(f"/proc/{process.pid}/stat")
    while status.read_text().rsplit(")", 1)[1].split()[0] != "S":
        time.sleep(0.01)
    return process


def test_after_a_kill_the_next_test_switches_messages_off(
    ssdpm: Command, root: Callable[[str], pathlib.Path]
) -> None:
    machine = root("team")
    sleeper(machine)
    process = start_and_wait(machine)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    assert (machine / CONTROL).read_text() == "file pci-driver.c line 899 +p\n"
    assert (machine / "run/ssdpm-suspend").read_text() == "899\n"
    (machine / "sys/power/state").unlink()
    (machine / "sys/power/state").write_text("freeze mem\n")
    looked = ssdpm("suspend", "--root", "team")
    assert b"was killed" in looked.stderr
    # Messages that are off in what the kernel lists are no longer on.
    done = finish_test(machine)
    assert done.returncode == 0
    assert b"they are off again" in done.stderr
    assert (machine / CONTROL).read_text() == "file pci-driver.c line 899 -p\n"
    assert not (machine / "run/ssdpm-suspend").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_messages_as_they_were(
    ssdpm: Command, root: Callable[[str], pathlib.Path], number: signal.Signals
) -> None:
    machine = root("team")
    sleeper(machine)
    process = start_and_wait(machine)
    process.send_signal(number)
    assert (machine / "sys/power/state").read_text() == "freeze"
    assert process.wait() == -number
    assert (machine / CONTROL).read_text() == "file pci-driver.c line 899 -p\n"
    assert not (machine / "run/ssdpm-suspend").exists()


def test_two_tests_do_not_run_at_once(
    ssdpm: Command, root: Callable[[str], pathlib.Path]
) -> None:
    machine = root("team")
    sleeper(machine)
    process = start_and_wait(machine)
    done = finish_test(machine)
    assert (done.returncode, b"is running" in done.stderr) == (1, True)
    assert (machine / "sys/power/state").read_text() == "freeze"
    assert process.wait() == 0


def test_a_machine_that_no_clock_wakes_is_not_suspended(
    ssdpm: Command, root: Callable[[str], pathlib.Path]
) -> None:
    machine = root("team")
    done = finish_test(machine)
    assert (done.returncode, b"no clock can wake it" in done.stderr) == (3, True)
    assert (machine / "sys/power/state").read_text() == "freeze mem\n"


def test_an_empty_port_and_a_burner_are_put_into_no_standby(
    ssdpm: Command, desktop: pathlib.Path
) -> None:
    told = ssdpm.json("suspend", "--root", str(desktop))["drives"]
    plans = {one["name"]: one["suspend"] for one in told}
    assert "puts it into standby" in plans["sda"]
    assert {name for name, plan in plans.items() if plan} == {"nvme0", "sda", "sdb"}
    text = ssdpm.output("suspend", "--root", str(desktop))
    assert not re.search(r"^host\d", text, re.M)
