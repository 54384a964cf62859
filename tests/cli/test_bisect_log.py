# SPDX-License-Identifier: MIT
"""Linux turns settings off by itself: no trial is good whose settings were not in force."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import time

import pytest
from test_bisect_run import (
    LIMIT,
    PORT,
    SEEN,
    Searched,
    depth,
    disks,
    kernel,
    linked,
    searched,
    send,
    wait_for_line,
)
from test_watch_live import boottime

__all__ = ["disks", "linked", "searched"]
NCQ = "4,77,5000000,-;ata1.00: NCQ disabled due to excessive errors\n"
SLOW = "4,77,5000000,-;ata1: limiting SATA link speed to 3.0 Gbps\n"
LPM = "4,78,5000001,-;ata2: disabling LPM on the link\n"
APST = "3,79,5000002,-;nvme nvme0: failed to set APST feature (-19)\n"


@pytest.fixture
def logged(disks: Searched) -> Searched:
    """A kernel log that one can read from its first record on."""
    log = disks.root / "dev/kmsg"
    log.unlink()
    log.write_text("6,0,1,-;Linux version 7.3.4\n")
    return disks


def add(searched: Searched, *lines: str) -> None:
    with (searched.root / "dev/kmsg").open("a") as log:
        log.writelines(lines)


def wait_for_trial(searched: Searched, number: int) -> None:
    """It is watched, and those before it have their verdict."""
    end = boottime() + 60
    verdicts = r"\n(good|bad) \d+" * (number - 1)
    while not re.search(verdicts + r"\nrunning \d+ run:", searched.file().read_text()):
        assert boottime() < end
        time.sleep(0.005)


def renumbered(line: str, number: int) -> str:
    priority, _, rest = line.split(",", 2)
    return f"{priority},{number},{rest}"


@pytest.mark.parametrize(("line", "kind"), [(NCQ, "ncq-off"), (SLOW, "slowed")])
def test_what_linux_turns_off_after_errors_is_a_fault_of_the_drive(
    disks: Searched, line: str, kind: str
) -> None:
    disks.ok("start", *SEEN, "--only", "queue-depth", "sda")
    with kernel(disks) as pipe, disks.call("run") as process:
        send(pipe, disks.ios(2, "8,0"))
        disks.wait(on=True)
        disks.fail(line)
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert f": ata1: {kind} at 5.000000 s\n" in err and "trial 1: bad after " in err
    assert "Something else makes it fail." in out


def test_a_trial_whose_lpm_linux_gave_up_is_neither_good_nor_bad(
    disks: Searched,
) -> None:
    disks.ok("start", *SEEN, "--only", "lpm", "sdb")
    with kernel(disks) as pipe, disks.call("run", "--settle", "2s") as process:
        disks.wait(on=True)
        disks.fail(LPM)
        said = wait_for_line(process, "waiting 2 s for late errors")
        assert "sdb: Linux has given up LPM of its link, until the next boot" in said
        # They are no entries of a trial without its settings.
        send(pipe, disks.ios(9, "8,16"))
        _, err = process.communicate(timeout=120)
    assert process.returncode == 5, err
    assert "so this trial is neither good nor bad: restart the machine" in err
    state = disks.state()
    assert (state["n_trials"], state["running"], state["entries"]) == (0, True, 0)


def test_an_error_soon_after_lpm_was_given_up_is_bad(disks: Searched) -> None:
    disks.ok("start", *SEEN, "--only", "lpm", "sdb")
    with kernel(disks), disks.call("run", "--settle", "60s") as process:
        disks.wait(on=True)
        disks.fail(LPM)
        wait_for_line(process, "waiting 1 min")
        disks.fail("3,80,5000003,-;ata2.00: failed to enable DIPM, Emask 0x4\n")
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "trial 1: bad after 0 entries: ata2: exception at 5.000003 s\n" in err


def test_a_table_that_linux_could_not_set_makes_no_good_trial(
    searched: Searched,
) -> None:
    searched.ok("start", *SEEN, "nvme0")
    with kernel(searched) as pipe, searched.call("run") as process:
        searched.wait(on=True)
        searched.fail(APST)
        send(pipe, searched.ios(9))
        _, err = process.communicate(timeout=120)
    assert process.returncode == 5, err
    assert "nvme0: Linux could not set its APST table, so this trial is neither" in err
    assert searched.state()["n_trials"] == 0


def fail_second_trial(disks: Searched) -> None:
    """With NCQ again, the drive fails."""
    disks.wait_for_token("good ")
    end = boottime() + 60
    while depth(disks, "sda").read_text().strip() != "32":
        assert boottime() < end
        time.sleep(0.005)
    disks.fail("3,99,9000000,-;ata1.00: exception Emask 0x0 SAct 0x0\n")


def test_what_linux_turns_off_at_another_drive_is_no_matter(disks: Searched) -> None:
    disks.ok("start", *SEEN, "--only", "queue-depth", "sda")
    with kernel(disks) as pipe, disks.call("run") as process:
        disks.wait(on=True)
        disks.fail(LPM + APST + NCQ.replace("ata1", "ata3"))
        send(pipe, disks.ios(9, "8,0"))
        fail_second_trial(disks)
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "trial 1: good after " in err and "Found" in out


GOOD = ("good", "--entries", "9")


@pytest.mark.parametrize(
    ("drive", "line", "said"),
    [
        ("sda", NCQ, "sda: after errors Linux has turned NCQ off"),
        ("sda", SLOW, "sda: after errors Linux has slowed the link down"),
        ("sdb", LPM, "sdb: Linux has given up LPM of its link, until the next boot"),
    ],
)
def test_good_by_hand_does_not_count_after_linux_has_turned_a_setting_off(
    logged: Searched, drive: str, line: str, said: str
) -> None:
    logged.ok("start", *SEEN, drive)
    assert said not in logged.ok()
    add(logged, line)
    assert said in logged.ok()
    status, _, err = logged.run(*GOOD)
    assert status == 5 and f"{said}, so this trial cannot be good: " in err
    way_out = "restart the machine" if line == LPM else "call it bad: ssdpm bisect bad"
    assert way_out in err
    assert logged.state()["n_trials"] == 0
    logged.ok("bad")
    # That Linux gives up LPM is no sign that the drive fails.
    [trial] = logged.state()["trials"]
    assert (trial["sign"] is None) == (line == LPM)


def test_a_bad_trial_by_hand_has_the_first_sign_of_the_log(logged: Searched) -> None:
    down = "3,{},{},-;ata{}.00: exception Emask 0x0 SAct 0x0\n"
    add(logged, down.format(70, 3000000, 1))
    logged.ok("start", *SEEN, "sda", "sdb")
    add(logged, down.format(78, 6000000, 2), down.format(79, 5500000, 1))
    said = logged.ok("bad")
    assert said.startswith("Trial 1 was bad: ata1: exception at 5.500000 s\n")
    [trial] = logged.state()["trials"]
    assert (trial["sign"], trial["sign_us"]) == ("ata1: exception", 5500000)


def test_ncq_that_was_off_before_the_trial_is_on_again_in_it(logged: Searched) -> None:
    line = NCQ.replace("ata1", "ata2")
    add(logged, line)
    logged.ok("start", *SEEN, "sdb")
    assert "Trial 2" in logged.ok(*GOOD)
    add(logged, renumbered(line, 78))
    status, _, err = logged.run(*GOOD)
    assert status == 5 and "has turned NCQ off" in err
    # It is set anew, and so is NCQ.
    logged.ok("set")
    assert "Trial 3" in logged.ok(*GOOD)


def test_a_run_that_was_stopped_knows_what_linux_turned_off_since(
    logged: Searched,
) -> None:
    logged.ok("start", *SEEN, "--only", "queue-depth", "sda")
    with kernel(logged), logged.call("run") as process:
        logged.wait(on=True)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)
    add(logged, NCQ)
    status, _, err = logged.run(*GOOD)
    assert status == 5 and "has turned NCQ off" in err


def test_a_log_that_has_lost_its_beginning_is_said_to_be_so(logged: Searched) -> None:
    logged.ok("start", *SEEN, "--only", "queue-depth", "sda")
    (logged.root / "dev/kmsg").write_text("6,4711,1,-;something\n")
    _, _, err = logged.run(*GOOD)
    assert "does not have all of this trial any more" in " ".join(err.split())
    assert logged.state()["n_trials"] == 1


def test_lpm_that_linux_gave_up_is_not_searched_before_the_next_boot(
    logged: Searched,
) -> None:
    add(logged, LPM)
    said = logged.ok("start", *SEEN, "--only", "lpm", "sdb")
    assert "sdb: Linux has given up LPM of its link, until the next boot." in said
    assert "restart the machine, and set the trial again" in said
    status, _, err = logged.run("run")
    assert status == 5
    assert "until the next boot: restart the machine, and go on: ssdpm bisect run" in err
    logged.ok("stop")
    # NCQ can be searched all the same.
    assert "given up" not in logged.ok("start", *SEEN, "--only", "queue-depth", "sdb")


def test_a_bad_trial_in_which_linux_gave_up_lpm_ends_the_run(logged: Searched) -> None:
    logged.ok("start", *SEEN, "sda", "sdb")
    with kernel(logged) as pipe, logged.call("run", "--settle", "1s") as process:
        send(pipe, logged.ios(9, "8,0", "8,16"))
        wait_for_trial(logged, 2)
        add(logged, LPM, "3,80,5000003,-;ata2: hard resetting link\n")
        _, err = process.communicate(timeout=120)
    assert process.returncode == 1, err
    assert "trial 2: bad after 0 I/Os: ata2: reset at 5.000003 s\n" in err
    assert "until the next boot, which may hide the fault: restart the machine" in err
    assert logged.state()["n_trials"] == 2


def set_registers(searched: Searched, command: int) -> None:
    (searched.root / PORT).with_name("ahci_port_cmd").write_text(f"{command:x}\n")


@pytest.mark.parametrize(
    ("good", "bad", "said"),
    [
        (0, 1 << 26, "sdb: its port reads max_performance, and lets the link sleep"),
        (1 << 26, 0, "host1 says medium_power, but has ALPE 0 and ASP 0 in PxCMD"),
    ],
)
def test_a_trial_whose_adapter_does_otherwise_than_its_file_says_is_not_good(
    disks: Searched, good: int, bad: int, said: str
) -> None:
    disks.ok("start", *SEEN, "--only", "lpm", "sdb")
    port = disks.root / PORT
    if good:
        disks.ok("good", "--entries", "9")
        assert port.read_text().strip() == "medium_power"
    set_registers(disks, bad)
    status, _, err = disks.run(*GOOD)
    assert status == 5 and f"{said}" in err and "this trial cannot be good" in err
    set_registers(disks, good)
    n = disks.state()["n_trials"]
    disks.run(*GOOD)
    assert disks.state()["n_trials"] == n + 1


def test_a_queue_that_scsi_has_shortened_is_not_good(disks: Searched) -> None:
    disks.ok("start", *SEEN, "sdb")
    while depth(disks, "sdb").read_text().strip() != "32":
        disks.ok(*GOOD)
    depth(disks, "sdb").write_text("31\n")
    status, _, err = disks.run(*GOOD)
    assert status == 5 and 'is "31", and this trial needs "32"' in err


def test_a_pcie_link_that_linux_has_slowed_down_needs_a_boot(linked: Searched) -> None:
    [device] = {path.parent for path in linked.root.glob("sys/bus/pci/*/*/nvme")}
    (device / "current_link_speed").write_text("2.5 GT/s PCIe\n")
    (device / "max_link_speed").write_text("8.0 GT/s PCIe\n")
    log = linked.root / "dev/kmsg"
    log.unlink()
    log.write_text("6,0,1,-;Linux version 7.3.4\n")
    assert "limited" not in linked.ok("start", *SEEN, "nvme0")
    add(
        linked,
        f"6,1,2,-;pcieport {device.resolve().parent.name}: broken device, retraining "
        "non-functional downstream link at 2.5GT/s\n",
    )
    said = linked.ok()
    assert "nvme0: after errors Linux has limited the link to 2.5 GT/s PCIe" in said
    (device / "current_link_speed").write_text("8.0 GT/s PCIe\n")
    assert "limited" not in linked.ok()


@pytest.mark.parametrize("changes", [True, False])
def test_a_pcie_link_that_runs_at_another_speed_after_a_trial_is_named(
    linked: Searched, changes: bool
) -> None:
    [device] = {path.parent for path in linked.root.glob("sys/bus/pci/*/*/nvme")}
    speed = device / "current_link_speed"
    speed.write_text("8.0 GT/s PCIe\n")
    (device / "current_link_width").write_text("4\n")
    linked.ok("start", *SEEN, "nvme0")
    with kernel(linked) as pipe, linked.call("run") as process:
        linked.wait(on=True)
        if changes:
            speed.write_text("5.0 GT/s PCIe\n")
        send(pipe, linked.ios(9))
        wait_for_trial(linked, 2)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    told = (
        "nvme0: its link runs at 5.0 GT/s PCIe x4, and before this trial at "
        "8.0 GT/s PCIe x4: a fault may need the faster one"
    )
    assert (told in " ".join(err.split())) == changes


def test_a_sata_link_that_runs_at_another_speed_after_a_trial_is_named(
    disks: Searched,
) -> None:
    speed = disks.root / "sys/class/ata_link/link1/sata_spd"
    assert speed.read_text().strip() == "6.0 Gbps"
    disks.ok("start", *SEEN, "--only", "queue-depth", "sda")
    with kernel(disks) as pipe, disks.call("run") as process:
        disks.wait(on=True)
        speed.write_text("3.0 Gbps\n")
        send(pipe, disks.ios(9, "8,0"))
        fail_second_trial(disks)
        _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "sda: its link runs at 3.0 Gbps, and before this trial at 6.0 Gbps" in err


def test_a_table_that_cannot_be_read_leaves_it_to_the_files(searched: Searched) -> None:
    searched.ok("start", *SEEN, "nvme0")
    (searched.root / LIMIT).write_text("100000\n")
    status, _, err = searched.run(*GOOD, "--identify")
    assert status == 5 and 'is "100000", and this trial needs "0"' in err
    (searched.root / LIMIT).write_text("0\n")
    searched.ok(*GOOD, "--identify")
    assert searched.state()["n_trials"] == 1


DOWN = "3,88,6000000,-;nvme nvme0: controller is down; will reset: CSTS=0x3\n"


def stop_after_ios(searched: Searched) -> None:
    with kernel(searched) as pipe, searched.call("run") as process:
        send(pipe, searched.ios(4))
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert searched.state()["entries"] == 3


def end_first_trial(searched: Searched) -> str:
    """With as many entries as it still needs."""
    with kernel(searched) as pipe, searched.call("run") as process:
        send(pipe, searched.ios(4))
        said = wait_for_line(process, "trial 1: ")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)
    return said


def test_an_error_that_comes_after_a_run_was_stopped_makes_its_trial_bad(
    logged: Searched,
) -> None:
    logged.ok("start", *SEEN, "nvme0")
    stop_after_ios(logged)
    add(logged, DOWN)
    with kernel(logged), logged.call("run") as process:
        _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    [trial] = logged.state()["trials"]
    assert (trial["verdict"], trial["entries"]) == ("bad", 3)
    assert "nvme0: down at 6.000000 s" in err


def test_an_error_before_a_run_that_is_stopped_at_once_makes_its_trial_bad(
    logged: Searched,
) -> None:
    logged.ok("start", *SEEN, "nvme0")
    stop_after_ios(logged)
    add(logged, DOWN)
    lock = os.open(logged.root / "run/ssdpm/bisect/lock", os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    with kernel(logged), logged.call("run") as process:
        logged.wait_for_token(" setting:")
        # It waits for the lock, and has no time to look.
        process.send_signal(signal.SIGTERM)
        os.close(lock)
        _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "trial 1: bad after 3 entries: nvme0: down at 6.000000 s\n" in err


def test_an_error_before_a_trial_was_set_again_is_not_of_it(logged: Searched) -> None:
    logged.ok("start", *SEEN, "nvme0")
    stop_after_ios(logged)
    add(logged, DOWN)
    logged.ok("set")
    stop = logged.state()
    assert (stop["running"], stop["trials"]) == (True, [])
    assert "trial 1: good after 6 entries\n" in end_first_trial(logged)


def test_an_error_with_other_settings_than_those_of_a_stopped_trial_is_not_of_it(
    logged: Searched,
) -> None:
    logged.ok("start", *SEEN, "nvme0")
    stop_after_ios(logged)
    # Somebody else sets it, and the error comes with that.
    (logged.root / LIMIT).write_text("100000\n")
    add(logged, DOWN)
    said = end_first_trial(logged)
    assert 'is "100000", and this trial needs "0"' in said
    assert "trial 1: good after 6 entries\n" in said
