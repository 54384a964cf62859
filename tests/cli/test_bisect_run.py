# SPDX-License-Identifier: MIT
"""ssdpm bisect run on a machine whose sysfs, tracefs and kernel log are files: trials
are decided by entries and by faults, and all is as before at the end."""

from __future__ import annotations

import array
import contextlib
import fcntl
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import termios
import time
from typing import Any, Iterator

import pytest
from command import Command, preloaded
from test_bisect import sealed
from test_watch_live import MACHINE, Watched, boottime, kernel

LIMIT = "sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us"
DOWN = "3,77,5000000,-;nvme nvme0: controller is down; will reset: CSTS=0x3\n"
# With these, a trial of three is good after six entries.
SEEN = ("--errors", "10", "--entries", "10")
INSIDE = """
mount --bind /dev/null "$0/dev/null"
mount --bind "$0/dev" /dev
mount --bind "$0/sys" /sys
mount --bind "$0/state" /var/lib
mount --bind "$0/run" /run
exec env LD_PRELOAD="$1" "${@:2}"
"""


class Searched(Watched):
    def __init__(self, ssdpm: Command, root: pathlib.Path) -> None:
        super().__init__(ssdpm, root)
        for name in ("dev", "run", "state"):
            (root / name).mkdir()
        (root / "dev/null").touch()
        (root / "dev/nvme0n1").write_bytes(bytes(1 << 20))
        os.mkfifo(root / "dev/kmsg")
        self.next_io = 0.0
        self.log = os.open(root / "dev/kmsg", os.O_RDWR)

    # What runs the program, as strace, and with which library.
    runner: tuple[str, ...] = ()
    preload = preloaded(MACHINE)

    @contextlib.contextmanager
    def call(self, *arguments: str, **more: str) -> Iterator[subprocess.Popen[str]]:
        program = str(self.ssdpm.directory / "bin/ssdpm")
        if arguments[:1] == ("run",) and "--settle" not in arguments:
            arguments = (*arguments, "--settle", "0s")
        inside = ["unshare", "-m", "bash", "-ec", INSIDE, str(self.root), self.preload]
        with subprocess.Popen(
            [*inside, *self.runner, program, "bisect", *arguments],
            cwd=self.ssdpm.directory,
            env={**self.environment, **more},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    def ok(self, *arguments: str) -> str:
        status, out, err = self.run(*arguments)
        assert status == 0, err
        return out

    def state(self) -> Any:
        [search] = json.loads(self.ok("status", "--json"))["searches"]
        return search

    def file(self) -> pathlib.Path:
        return self.root / "state/ssdpm/bisect"

    def limit(self) -> str:
        return (self.root / LIMIT).read_text().strip()

    def wait_for_limit(self, limit: str) -> None:
        end = boottime() + 60
        while self.limit() != limit:
            assert boottime() < end
            time.sleep(0.005)

    def wait_for_file(self, name: str, text: str) -> None:
        end = boottime() + 60
        path = self.root / "sys/class/nvme/nvme0/device" / name
        while path.read_text().strip() != text:
            assert boottime() < end
            time.sleep(0.005)

    def wait_for_token(self, part: str) -> None:
        end = boottime() + 60
        while part not in self.file().read_text():
            assert boottime() < end
            time.sleep(0.005)

    def fail(self, line: str = DOWN) -> None:
        os.write(self.log, line.encode())

    def ios(self, n: int, *numbers: str) -> str:
        """I/Os ten seconds apart: between two of them each drive sleeps. They go on
        after the last ones, which are dated ahead."""
        begin = max(boottime(), self.next_io)
        self.next_io = begin + 10 * n
        return "".join(
            self.io_at(begin + 10 * i, number)
            for i in range(n)
            for number in numbers or ("259,0",)
        )

    def io_at(self, at: float, number: str) -> str:
        sector = 8 * self.n_ios
        self.n_ios += 1
        head = f"dd-10 [000] d..1. {at:.6f}: "
        return (
            f"{head}block_bio_queue: {number} R {sector} + 8 [dd]\n"
            f"{head}block_rq_issue: {number} R 4096 () {sector} + 8 [dd]\n"
            f"<idle>-0 [000] d..1. {at + 1e-5:.6f}: "
            f"block_rq_complete: {number} R () {sector} + 8 [0]\n"
        )


@pytest.fixture
def searched(ssdpm: Command, laptop: pathlib.Path) -> Iterator[Searched]:
    shutil.rmtree(laptop / "sys/class/nvme/nvme0/device/link")
    searched = Searched(ssdpm, laptop)
    yield searched
    os.close(searched.log)


@pytest.fixture
def linked(ssdpm: Command, laptop: pathlib.Path) -> Iterator[Searched]:
    """The link has steps, too: more than two trials."""
    searched = Searched(ssdpm, laptop)
    yield searched
    os.close(searched.log)


@pytest.fixture
def disks(ssdpm: Command, desktop: pathlib.Path) -> Iterator[Searched]:
    """Two SATA disks with NCQ, of which the second has a link policy, too."""
    searched = Searched(ssdpm, desktop)
    for name, number in (("sda", "8:0"), ("sdb", "8:16")):
        searched.make_disk(name, number)
        (desktop / f"dev/{name}").write_bytes(bytes(1 << 20))
        depth(searched, name).write_text("32\n")
    # A register that nothing changes here.
    (desktop / "sys/class/scsi_host/host1/ahci_port_cmd").unlink()
    yield searched
    os.close(searched.log)


def depth(searched: Searched, name: str) -> pathlib.Path:
    return searched.root / f"sys/class/block/{name}/device/queue_depth"


def send(pipe: Any, text: str) -> None:
    """All of it has been read when it returns."""
    left = array.array("i", [1])
    end = boottime() + 60
    pipe.write(text)
    pipe.flush()
    while left[0]:
        assert boottime() < end
        fcntl.ioctl(pipe.fileno(), termios.FIONREAD, left)
        time.sleep(0.005)


def test_entries_end_a_trial_as_good_and_a_fault_ends_one_as_bad(
    searched: Searched,
) -> None:
    searched.ok("start", *SEEN, "nvme0")
    assert searched.state()["need_entries"] == 6
    with kernel(searched) as pipe, searched.call("run") as process:
        send(pipe, searched.ios(8))
        searched.wait_for_limit("11000")
        searched.fail()
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "trial 1: good after 7 entries\n" in err
    assert "trial 2: bad after 0 entries: nvme0: down at 5.000000 s\n" in err
    assert "Trial 2 was bad: nvme0: down at 5.000000 s\n" in out
    assert [(trial["sign"], trial["sign_us"]) for trial in searched.state()["trials"]] == [
        (None, None),
        ("nvme0: down", 5000000),
    ]
    assert "\nsign 5000000 nvme0: down\n" in searched.file().read_text()
    assert "Trial 2 was bad: nvme0: down at 5.000000 s\n" in searched.ok("report")
    assert "nvme0 latency limit: 11 ms, but not with no APST" in out
    assert "NVME_QUIRK_NO_APST" in out and "at most 5 %" in out
    assert searched.limit() == "100000"
    assert not list((searched.root / "sys/kernel/tracing/instances").iterdir())


@pytest.mark.parametrize(
    "line",
    [
        "critical medium error, dev nvme0n1, sector 8 op 0x0:(READ) flags 0x0",
        "nvme0n1: I/O Cmd(0x2) @ LBA 1, 8 blocks, I/O Error (sct 0x2 / sc 0x86) DNR",
    ],
)
def test_an_io_that_fails_makes_a_trial_bad(searched: Searched, line: str) -> None:
    searched.ok("start", *SEEN, "nvme0")
    with kernel(searched), searched.call("run") as process:
        searched.fail(f"3,77,5000000,-;{line}\n")
        _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "trial 1: bad after 0 entries: nvme0n1: io at 5.000000 s\n" in err


def test_a_link_alone_is_searched_by_idle_times(linked: Searched) -> None:
    (linked.root / LIMIT).write_text("0\n")
    said = linked.ok("start", *SEEN, "nvme0")
    assert "idle times of 1 ms or more.\n" in said and "latency" not in said
    assert linked.state()["exposure"] == "idle-times"
    with kernel(linked) as pipe, linked.call("run") as process:
        send(pipe, linked.ios(9))
        linked.wait_for_file("link/l1_aspm", "1")
        linked.fail()
        said = wait_for_line(process, "trial 2: bad")
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "trial 1: good after 8 idle times\n" in said
    assert "trial 2: bad after 0 idle times: nvme0: down at 5.000000 s\n" in said


def test_each_trial_says_first_how_long_it_takes(searched: Searched) -> None:
    searched.ok("start", *SEEN, "nvme0")
    with kernel(searched), searched.call("run") as process:
        searched.fail()
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert out.startswith("Trial 1; one culprit takes at most 3.\n")
    assert "it is good after 6 entries into the deepest state.\n" in out
    assert "Something else makes it fail." in out


def test_a_trial_that_is_stopped_goes_on_where_it_was(searched: Searched) -> None:
    searched.ok("start", *SEEN, "nvme0")
    with kernel(searched) as pipe, searched.call("run") as process:
        send(pipe, searched.ios(4))
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        assert "It had 3 so far." in out and "restarted" not in out
        state = searched.state()
        assert (state["running"], state["entries"]) == (True, 3)
        assert searched.limit() == "0"
        with searched.call("run") as process:
            send(pipe, searched.ios(4))
            searched.wait_for_limit("11000")
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=120)
    assert "trial 1: good after 6 entries\n" in err
    assert searched.state()["n_short"] == 0


def test_a_signal_between_the_file_and_the_watch_ends_the_run(
    searched: Searched,
) -> None:
    searched.ok("start", *SEEN, "nvme0")
    (searched.root / LIMIT).write_text("100000\n")
    lock = os.open(searched.root / "run/ssdpm/bisect/lock", os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    with kernel(searched), searched.call("run") as process:
        end = boottime() + 60
        while " setting:" not in searched.file().read_text():
            assert boottime() < end
            time.sleep(0.005)
        # The trial is on disk, and waits for the lock to be set.
        process.send_signal(signal.SIGTERM)
        os.close(lock)
        _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert " stopped" in searched.file().read_text()
    state = searched.state()
    assert (state["running"], state["entries"], state["trials"]) == (True, 0, [])
    assert searched.limit() == "0"
    assert not list((searched.root / "sys/kernel/tracing/instances").iterdir())


def test_a_run_that_cannot_set_its_trial_leaves_it_unset(searched: Searched) -> None:
    searched.ok("start", *SEEN, "nvme0")
    lock = searched.root / "run/ssdpm/bisect/lock"
    lock.unlink()
    lock.mkdir()
    with kernel(searched):
        status, _, err = searched.run("run")
    assert status == 1, err
    text = searched.file().read_text()
    boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert f" failed:{boot}\n" in text
    lock.rmdir()
    # A boot does not set it, either, and nobody died of it.
    for changed in (text, text.replace(boot, "another-boot")):
        searched.file().write_text(sealed(changed))
        status, _, err = searched.run("bad")
        assert status == 5 and "this trial was never set" in err
    searched.ok("set")
    searched.ok("bad")


def go_down(searched: Searched) -> None:
    """As if the machine had died while the trial ran, and had started again."""
    text = searched.file().read_text()
    head, _, _ = text.partition("running")
    searched.file().write_text(sealed(head + "running 2 run:another-boot\n"))
    (searched.root / LIMIT).write_text("100000\n")


def test_a_run_that_failed_or_was_stopped_is_no_death(searched: Searched) -> None:
    searched.ok("start", *SEEN, "nvme0")
    # Linux has no tracefs here: the trial is set, and cannot be watched.
    instances = searched.root / "sys/kernel/tracing/instances"
    instances.rmdir()
    status, _, err = searched.run("run", "--count-death")
    assert status == 1 and "tracefs" in err
    assert "run:" not in searched.file().read_text()
    instances.mkdir()
    # As after a boot.
    (searched.root / LIMIT).write_text("100000\n")
    with kernel(searched), searched.call("run", "--count-death") as process:
        searched.wait(on=True)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "went down" not in err
    assert "run:" not in searched.file().read_text()


def test_a_fault_under_settings_that_somebody_changed_is_not_bad(
    searched: Searched,
) -> None:
    searched.ok("start", *SEEN, "nvme0")
    with kernel(searched), searched.call("run") as process:
        searched.wait(on=True)
        searched.wait_for_token(" run:")
        (searched.root / LIMIT).write_text("100000\n")
        searched.fail()
        _, err = process.communicate(timeout=120)
    assert process.returncode == 5, err
    assert 'is "100000", and this trial needs "0"' in err
    state = searched.state()
    assert (state["n_trials"], state["running"]) == (0, True)


def test_entries_of_a_good_trial_include_those_that_were_counted(
    searched: Searched,
) -> None:
    for given, in_trial in (("2", 3), ("5", 5)):
        searched.ok("start", *SEEN, "nvme0")
        with kernel(searched) as pipe, searched.call("run") as process:
            send(pipe, searched.ios(4))
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate(timeout=120)
        assert searched.state()["entries"] == 3, err
        searched.ok("good", "--entries", given)
        assert searched.state()["trials"][0]["entries"] == in_trial
        searched.ok("stop")


def test_a_setting_that_somebody_changed_ends_the_run(searched: Searched) -> None:
    searched.ok("start", *SEEN, "nvme0")
    with kernel(searched) as pipe, searched.call("run") as process:
        searched.wait(on=True)
        (searched.root / LIMIT).write_text("100000\n")
        send(pipe, searched.ios(8))
        _, err = process.communicate(timeout=120)
    assert process.returncode == 5
    assert 'is "100000", and this trial needs "0"' in err
    state = searched.state()
    assert (state["n_trials"], state["running"], state["entries"]) == (0, True, 0)


def test_a_drive_that_goes_away_is_bad(searched: Searched) -> None:
    drive = (searched.root / "sys/class/nvme/nvme0").resolve()
    searched.ok("start", *SEEN, "nvme0")
    with kernel(searched), searched.call("run") as process:
        searched.wait(on=True)
        drive.rename(searched.root / "gone")
        _, err = process.communicate(timeout=120)
    assert "trial 1: bad after 0 entries: nvme0: gone at " in err
    (searched.root / "gone").rename(drive)
    assert searched.state()["trials"][0]["verdict"] == "bad"


def test_a_machine_that_died_is_bad_with_consent(searched: Searched) -> None:
    searched.ok("start", *SEEN, "nvme0")
    go_down(searched)
    with kernel(searched):
        status, out, err = searched.run("run", "--count-death")
    assert status == 0, err
    assert "the machine went down in this trial: bad\n" in err
    assert "The drive fails with all of these settings off, too." in out
    assert searched.state()["trials"][0]["verdict"] == "bad"


def test_a_machine_that_died_is_not_counted_without_consent(searched: Searched) -> None:
    searched.ok("start", *SEEN, "nvme0")
    go_down(searched)
    assert "The machine was restarted in this trial." in searched.ok()
    with kernel(searched) as pipe, searched.call("run") as process:
        send(pipe, searched.ios(5))
        searched.wait_for_limit("11000")
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=120)
    assert "with --count-death it is bad\n" in err
    assert "trial 1: good after 6 entries\n" in err


def test_a_trial_that_was_stopped_before_a_clean_boot_is_of_another_boot(
    searched: Searched,
) -> None:
    searched.ok("start", *SEEN, "nvme0")
    with kernel(searched), searched.call("run") as process:
        searched.wait_for_token(" run:")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)
    text = searched.file().read_text()
    boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert f" stopped:{boot}\n" in text
    assert "restarted" not in searched.ok()
    searched.file().write_text(sealed(text.replace(boot, "another-boot")))
    (searched.root / LIMIT).write_text("100000\n")
    assert "The machine was restarted in this trial." in searched.ok()
    status, _, err = searched.run("good", "--entries", "9")
    assert status == 1 and "ssdpm bisect set sets it again" in err
    # It was no death, because nobody watched.
    with kernel(searched), searched.call("run", "--count-death") as process:
        searched.wait_for_limit("0")
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=120)
    assert process.returncode == 0 and "went down" not in err


@pytest.fixture
def killed(searched: Searched) -> Searched:
    """A run that SIGKILL ended after its trial was on disk, before it was set."""
    searched.ok("start", *SEEN, "nvme0")
    (searched.root / LIMIT).write_text("100000\n")
    lock = os.open(searched.root / "run/ssdpm/bisect/lock", os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    with kernel(searched), searched.call("run") as process:
        searched.wait_for_token(" setting:")
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=120)
    os.close(lock)
    return searched


def test_a_trial_that_sigkill_kept_from_being_set_is_neither_good_nor_bad(
    killed: Searched,
) -> None:
    assert "It was never set: ssdpm bisect set sets it." in killed.ok()
    for verdict in (["good", "--entries", "9"], ["bad"]):
        status, _, err = killed.run(*verdict)
        assert status == 5 and "this trial was never set" in err
    status, _, err = killed.run("start", *SEEN, "nvme0")
    assert status == 1 and "already" in err
    killed.ok("set")
    assert killed.limit() == "0"
    killed.ok("bad")


def test_a_run_that_sigkill_ended_before_its_trial_was_set_goes_on(
    killed: Searched,
) -> None:
    with kernel(killed) as pipe, killed.call("run", "--count-death") as process:
        killed.wait_for_limit("0")
        killed.wait_for_token(" run:")
        send(pipe, killed.ios(8))
        killed.wait_for_limit("11000")
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=120)
    assert process.returncode == 0 and "went down" not in err
    assert "trial 1: good after" in err


def test_a_machine_that_dies_as_a_run_sets_its_trial_died_of_it(
    killed: Searched,
) -> None:
    text = killed.file().read_text()
    head, _, _ = text.partition("setting:")
    killed.file().write_text(sealed(f"{head}setting:another-boot\n"))
    with kernel(killed):
        status, out, err = killed.run("run", "--count-death")
    assert status == 0, err
    assert "the machine went down in this trial: bad\n" in err


def test_stop_ends_a_search_that_sigkill_left_before_its_trial_was_set(
    killed: Searched,
) -> None:
    killed.ok("stop")
    assert killed.limit() == "100000"
    assert not killed.file().exists()
    killed.ok("start", *SEEN, "nvme0")


def test_faults_of_others_and_corrected_ones_are_not_counted(
    searched: Searched,
) -> None:
    [address] = {path.parent.name for path in searched.root.glob("sys/bus/pci/*/*/nvme")}
    corrected = f"nvme {address}: PCIe Bus Error: severity=Correctable\n"
    searched.ok("start", *SEEN, "nvme0")
    with kernel(searched) as pipe, searched.call("run") as process:
        searched.wait_for_limit("0")
        searched.fail("3,77,5000000,-;nvme nvme1: I/O 5 QID 1 timeout, aborting\n")
        searched.fail(f"3,78,5000001,-;{corrected}")
        send(pipe, searched.ios(8))
        searched.wait_for_limit("11000")
        searched.fail(f"3,79,5000002,-;{corrected}")
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=120)
    assert "trial 1: good" in err
    with kernel(searched), searched.call("run", "--corrected") as process:
        searched.fail(f"3,80,5000003,-;{corrected}")
        _, err = process.communicate(timeout=120)
    assert f"trial 2: bad after 0 entries: {address}: corrected at 5.00000" in err


def test_a_counter_of_aer_that_rises_is_bad(searched: Searched) -> None:
    [device] = {path.parent for path in searched.root.glob("sys/bus/pci/*/*/nvme")}
    (device / "aer_dev_fatal").write_text("Undefined 0\nTOTAL_ERR_FATAL 3\n")
    searched.ok("start", *SEEN, "nvme0")
    with kernel(searched) as pipe, searched.call("run") as process:
        searched.wait(on=True)
        send(pipe, searched.ios(2))
        (device / "aer_dev_fatal").write_text("Undefined 2\nTOTAL_ERR_FATAL 5\n")
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "bad after 1 entries: 2 errors of PCIe AER at " in err


def test_provoke_reads_each_drive_and_writes_nothing(searched: Searched) -> None:
    disk = searched.root / "dev/nvme0n1"
    data = os.urandom(1 << 20)
    disk.write_bytes(data)
    searched.ok("start", *SEEN, "nvme0")
    with kernel(searched), searched.call("run", "--provoke") as process:
        assert process.stderr
        line = process.stderr.readline()
        assert "reads 4 KiB of nvme0, past the cache, every 2." in line, line
        searched.wait(on=True)
        assert disk.read_bytes() == data
        # Reads go on: the next one finds nothing any more.
        disk.write_bytes(b"")
        assert "a read failed" in process.stderr.readline()
        searched.fail()
        process.communicate(timeout=120)
    assert process.returncode == 0


def test_provoked_reads_let_a_sata_link_sleep(disks: Searched) -> None:
    host = disks.root / "sys/class/scsi_host/host1"
    (host / "link_power_management_policy").write_text("medium_power\n")
    disks.ok("start", *SEEN, "--only", "lpm", "sdb")
    with kernel(disks), disks.call("run", "--provoke") as process:
        said = wait_for_line(process, "reads 4 KiB of sdb, past the cache")
    # Nobody knows its timer: 10 ms at most is assumed.
    assert "every 11 ms" in said


def test_entries_before_a_gap_in_the_log_do_not_count(searched: Searched) -> None:
    searched.ok("start", *SEEN, "nvme0")
    lose = ["-P", "/dev/kmsg", "-e", "trace=read", "-e", "inject=read:error=EPIPE:when=20"]
    searched.runner = ("strace", "-D", "-f", "-qq", "-o", "/dev/null", *lose)
    with kernel(searched) as pipe, searched.call("run") as process:
        send(pipe, searched.ios(4))
        read = wait_for_line(process, "so far do not count\n")
        assert "were overwritten before ssdpm read them, so the 3 entries so far" in read
        send(pipe, searched.ios(10))
        read = wait_for_line(process, "trial 1: good after ")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)
    searched.runner = ()
    assert searched.state()["trials"][0]["entries"] >= 3 + 6


def test_entries_before_a_gap_do_not_count_after_a_stop(searched: Searched) -> None:
    searched.ok("start", *SEEN, "nvme0")
    lose = ["-P", "/dev/kmsg", "-e", "trace=read", "-e", "inject=read:error=EPIPE:when=20"]
    searched.runner = ("strace", "-D", "-f", "-qq", "-o", "/dev/null", *lose)
    with kernel(searched) as pipe, searched.call("run") as process:
        send(pipe, searched.ios(4))
        wait_for_line(process, "so the 3 entries so far do not count\n")
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        assert "It had 3 so far; 3 of them do not count.\n" in out
        searched.runner = ()
        with searched.call("run") as process:
            send(pipe, searched.ios(4))
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        assert "It had 6 so far; 3 of them do not count.\n" in out
        assert "It had 6 so far; 3 of them do not count.\n" in searched.ok("set")
        with searched.call("run") as process:
            searched.wait_for_token(" run:")
            send(pipe, searched.ios(4))
            wait_for_line(process, "trial 1: good after 9 entries\n")
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    # The next trial has none.
    assert "so far" not in out.partition("Trial 2")[2]


def test_a_kernel_log_that_cannot_be_read_changes_nothing(searched: Searched) -> None:
    searched.ok("start", *SEEN, "nvme0")
    before = searched.file().read_text()
    (searched.root / "dev/kmsg").unlink()
    status, _, err = searched.run("run")
    assert status == 1
    assert "cannot read /dev/kmsg: No such file or directory" in err
    assert searched.file().read_text() == before


def test_a_run_needs_a_search(searched: Searched) -> None:
    status, _, err = searched.run("run")
    assert status == 1 and "there is no search" in err
    assert not (searched.root / "state/ssdpm").exists()


def test_a_drive_that_fails_as_its_trial_is_set_makes_it_bad(
    searched: Searched,
) -> None:
    searched.ok("start", *SEEN, "nvme0")
    limit = searched.root / LIMIT
    limit.unlink()
    limit.mkdir()
    searched.fail()
    status, _, err = searched.run("run")
    assert status != 0
    assert "trial 1: bad after 0 entries: nvme0: down at 5.000000 s\n" in err
    assert searched.state()["n_trials"] == 1


def wait_for_line(process: subprocess.Popen[str], part: str) -> str:
    assert process.stderr
    read = ""
    while part not in read:
        assert process.poll() is None, read
        read += process.stderr.readline()
    return read


def test_an_error_after_the_last_entries_is_one_of_that_trial(
    searched: Searched,
) -> None:
    searched.ok("start", *SEEN, "nvme0")
    with kernel(searched) as pipe, searched.call("run", "--settle", "5s") as process:
        send(pipe, searched.ios(8))
        wait_for_line(process, "waiting 5 s for late errors")
        searched.fail()
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "trial 1: bad after 7 entries: nvme0: down at 5.000000 s\n" in err
    assert "fails with all of these settings off" in out


def test_the_second_line_of_an_error_judges_no_other_trial(linked: Searched) -> None:
    linked.ok("start", *SEEN, "nvme0")
    with kernel(linked) as pipe, linked.call("run", "--settle", "1s") as process:
        send(pipe, linked.ios(8))
        read = wait_for_line(process, "good after 7 entries")
        linked.wait_for_token(" run:")
        linked.fail()
        read += wait_for_line(process, "all suspects have their first step")
        assert linked.limit() == "0"
        linked.fail()
        linked.wait_for_token(" run:")
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert (read + err).count(": bad after") == 1
    assert linked.state()["n_trials"] == 2


def test_a_setting_that_changes_during_the_wait_for_late_errors_is_not_judged(
    searched: Searched,
) -> None:
    searched.ok("start", *SEEN, "nvme0")
    with kernel(searched) as pipe, searched.call("run", "--settle", "3s") as process:
        send(pipe, searched.ios(8))
        wait_for_line(process, "waiting 3 s for late errors")
        (searched.root / LIMIT).write_text("100000\n")
        _, err = process.communicate(timeout=120)
    assert process.returncode == 5, err
    assert 'is "100000", and this trial needs "0"' in err
    assert searched.state()["n_trials"] == 0


PORT = "sys/class/scsi_host/host1/link_power_management_policy"
EXCEPTION = "3,77,5000000,-;ata{}.00: exception Emask 0x0 SAct 0x40 SErr 0x0\n"


@pytest.mark.parametrize(
    ("port", "culprit"),
    [
        (1, "sda queue depth: 32, but not with 1"),
        (2, "sdb link policy: med_power_with_dipm, but not with medium_power"),
    ],
)
def test_the_setting_of_one_of_two_sata_disks_is_found(
    disks: Searched, port: int, culprit: str
) -> None:
    lpm = disks.root / PORT
    before = lpm.read_text()

    def fails() -> bool:
        if port == 1:
            return depth(disks, "sda").read_text().strip() == "32"
        return lpm.read_text().strip() in ("med_power_with_dipm", "min_power")

    said = disks.ok("start", *SEEN, "sda", "sdb")
    assert "sdb link policy  max_performance" in said
    n_bad = 0
    with kernel(disks) as pipe, disks.call("run") as process:
        assert process.stdout and process.stderr
        lines = []
        for line in process.stdout:
            lines.append(line)
            if not line.startswith("Ctrl-C stops it"):
                continue
            if fails():
                disks.fail(EXCEPTION.format(port))
                n_bad += 1
            else:
                # I/Os of one of them are none of the other.
                send(pipe, disks.ios(7, "8,0", "8,0", "8,16"))
        err = process.stderr.read()
    assert process.returncode == 0, err
    assert f"  {culprit}\n" in lines
    assert f"bad after 0 I/Os: ata{port}: exception" in err
    assert re.findall("good after (.*) I/Os", err)[0] in "67"
    assert err.count(": bad after") == n_bad
    assert lpm.read_text().strip() == before.strip()
    for name in ("sda", "sdb"):
        assert depth(disks, name).read_text().strip() == "32"


@pytest.mark.parametrize("n_in_flight", [7, 1])
def test_a_queue_that_provoked_reads_never_fill_says_nothing_about_ncq(
    disks: Searched, n_in_flight: int
) -> None:
    for name in ("sda", "sdb"):
        inflight = disks.disk.parent / name / "inflight"
        inflight.write_text(f"       {n_in_flight}        0\n")
    disks.ok("start", *SEEN, "--only", "queue-depth", "sda", "sdb")
    with kernel(disks) as pipe, disks.call("run", "--provoke") as process:
        said = wait_for_line(process, "reads 32x 4 KiB of sda, past the cache")
        assert "every 100 ms" in said
        send(pipe, disks.ios(8, "8,0", "8,16"))
        # The trial without NCQ needs no queue.
        wait_for_line(process, "trial 1: good after")
        wait_for_line(process, "reads 32x 4 KiB of sdb")
        time.sleep(0.5)
        send(pipe, disks.ios(8, "8,0", "8,16"))
        if n_in_flight > 1:
            wait_for_line(process, "trial 2: good after")
            return
        _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "had no two of the reads of --provoke at once" in err
    assert disks.state()["n_trials"] == 1


def test_reads_at_one_interval_provoke_one_kind_of_setting(linked: Searched) -> None:
    linked.ok("start", *SEEN, "nvme0")
    status, _, err = linked.run("run", "--provoke")
    assert status == 1
    assert "nvme0:link fails by idle times, and this search counts entries" in err
    assert "ssdpm bisect start --only pcie-link" in " ".join(err.split())
    linked.ok("stop")
    said = linked.ok("start", *SEEN, "--only", "pcie-link", "nvme0")
    assert "idle times" in said and "latency limit" not in said


def test_reads_at_one_interval_provoke_a_link_policy_or_ncq(disks: Searched) -> None:
    disks.ok("start", *SEEN, "sdb")
    status, _, err = disks.run("run", "--provoke")
    assert status == 1
    assert "sdb:queue_depth fails by I/Os, and this search counts entries" in err
    disks.ok("stop")
    status, _, err = disks.run("start", *SEEN, "--only", "lpm", "sda")
    assert status == 3 and "no such setting of it saves power" in err
