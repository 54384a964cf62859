# SPDX-License-Identifier: MIT
"""ssdpmd on a bus of its own: what it says, does, and does not do for everybody."""

from __future__ import annotations

import configparser
import contextlib
import fcntl
import os
import pathlib
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

import machines
import pytest
from bus import (
    DESKTOPS,
    LIBRARIES,
    MACHINE,
    NOBODY,
    PACKAGES,
    SSDPMD,
    Bus,
    wait_until,
)
from command import BUILD, TOP, preloaded
from test_examples import man_blocks, sessions

TOLERANCE = (
    "sys/devices/pci0000:00/0000:00:1c.0/0000:01:00.0/nvme/nvme0/power/"
    "pm_qos_latency_tolerance_us"
)
DRIVE = "[drive]\nkind = nvme\n"
# A clock that runs 20 times as fast: tests/support/ssdpmd-clock.c.
CLOCK = BUILD / "tests/support/ssdpmd-clock.so"
TIMES = 20


@pytest.fixture
def bus() -> Iterator[Bus]:
    with tempfile.TemporaryDirectory() as directory:
        bus = Bus(pathlib.Path(directory))
        yield bus
        bus.close()


@pytest.fixture
def laptop(tmp_path: pathlib.Path) -> pathlib.Path:
    root = tmp_path / "laptop"
    machines.write("laptop", root)
    return root


def tolerance(root: pathlib.Path) -> str:
    return (root / TOLERANCE).read_text().strip()


def ask(root: pathlib.Path, text: str, name: str = "ssdpm.conf") -> None:
    path = root / "etc" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


def wait_for(root: pathlib.Path, value: str) -> None:
    wait_until(lambda: tolerance(root) == value, f"{value}, and not {tolerance(root)}")


def test_everybody_may_read_how_the_drives_are(bus: Bus, laptop: pathlib.Path) -> None:
    bus.service(laptop, "--stay")
    assert bus.machine("Version", NOBODY)
    assert {"auto", "balanced", "power-saver"} <= set(bus.machine("Profiles", NOBODY))
    assert bus.machine("Asked", NOBODY) is False
    assert bus.machine("InForce", NOBODY) is True
    assert bus.machine("Fault", NOBODY) == bus.machine("Failure", NOBODY) == ""
    assert bus.drive("nvme0", "Name", NOBODY) == "nvme0"
    assert bus.drive("nvme0", "Kind", NOBODY) == "nvme"
    assert bus.drive("nvme0", "Policy", NOBODY) == tolerance(laptop)
    assert bus.drive("nvme0", "Verdict", NOBODY)
    assert bus.drive("nvme0", "Message", NOBODY)
    table = bus.drive("nvme0", "StateTable", NOBODY)
    assert table[0]["operational"]["data"] is True
    assert table[-1]["operational"]["data"] is False
    assert all(state["state"]["data"] == i for i, state in enumerate(table))
    assert table[-1]["exit_latency_us"]["data"] > 0
    steps, _ = bus.call("Plan", "ass", "0", "power-saver", user=NOBODY)
    assert steps is not None
    assert {step[4] for step in steps} <= {"planned", "in-force", "left-alone"}
    assert tolerance(laptop) == "100000"


def test_the_objects_of_drives_can_be_found(bus: Bus, laptop: pathlib.Path) -> None:
    bus.service(laptop, "--stay")
    tree = bus.busctl("tree", "--list", "org.ssdpm1", user=NOBODY).stdout.split()
    assert "/org/ssdpm1/drive/nvme0" in tree
    all_of_them = bus.busctl(
        "call", "org.ssdpm1", "/org/ssdpm1", "org.freedesktop.DBus.ObjectManager",
        "GetManagedObjects",
    )  # fmt: skip
    assert all_of_them.returncode == 0, all_of_them.stderr
    assert '"/org/ssdpm1/drive/nvme0"' in all_of_them.stdout
    introspected = bus.busctl("introspect", "org.ssdpm1", "/org/ssdpm1").stdout
    for word in ("Plan", "Apply", "Check", "Revert", "InForce"):
        assert word in introspected


def test_a_likely_saving_has_a_verdict_and_a_range(
    bus: Bus, laptop: pathlib.Path
) -> None:
    (laptop / TOLERANCE).write_text("0\n")
    bus.service(laptop, "--stay")
    saving = bus.drive("nvme0", "LikelySaving", NOBODY)
    assert saving["verdict"]["data"] in {"saves", "probably-saves"}
    low, median, high = (saving[f"{k}_uw"]["data"] for k in ("low", "median", "high"))
    assert low <= median <= high and median > 0


def test_nobody_may_set_anything_unless_polkit_allows_it(
    bus: Bus, laptop: pathlib.Path
) -> None:
    bus.service(laptop, "--stay")
    words = ("Apply", "ass", "1", "nvme0", "performance")
    steps, fault = bus.call(*words, user=NOBODY)
    assert steps is None and "denied" in fault
    bus.polkit("ret = (False, False, {})")
    for method in (words, ("Revert",)):
        steps, fault = bus.call(*method, user=NOBODY)
        assert steps is None and "denied" in fault
    assert tolerance(laptop) == "100000"
    assert not (laptop / "run/ssdpm.conf.d").exists()


def test_who_is_allowed_sets_a_profile_and_goes_back(
    bus: Bus, laptop: pathlib.Path
) -> None:
    bus.service(laptop, "--stay")
    bus.polkit("ret = (True, False, {})")
    steps, fault = bus.call("Apply", "ass", "1", "nvme0", "performance", user=NOBODY)
    assert steps is not None, fault
    assert {step[0] for step in steps} == {"nvme0"}
    assert {step[4] for step in steps} == {"in-force"}
    set_to = tolerance(laptop)
    assert set_to != "100000"
    assert bus.drive("nvme0", "Policy") == set_to
    assert bus.machine("Asked") is True and bus.machine("InForce") is True
    kept = laptop / "run/ssdpm.conf.d/50-local.conf"
    assert "profile = performance" in kept.read_text()
    steps, fault = bus.call("Revert", user=NOBODY)
    assert steps == [], fault
    assert tolerance(laptop) == "100000"
    assert not kept.exists()
    assert bus.drive("nvme0", "Policy") == "100000"


@contextlib.contextmanager
def another_serves(root: pathlib.Path, service: int) -> Iterator[None]:
    """A run waits while another process, as ssdpm apply --config --coalesce, serves
    what is asked for meanwhile."""
    requests = root / "run/ssdpm/requests"
    with requests.open("r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
        wait_until(lambda: has_open(service, requests), "a run that waits")
        size = n_requests(root)
        (requests.parent / "served").write_bytes(size.to_bytes(8, sys.byteorder))


def calling(bus: Bus, *words: str) -> subprocess.Popen[str]:
    """A call that waits."""
    return subprocess.Popen(
        ["busctl", "--system", "--timeout=120", "call", *MACHINE, *words],
        env=bus.environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_it_goes_back_also_when_another_serves_the_call(
    bus: Bus, laptop: pathlib.Path
) -> None:
    process = bus.service(laptop, "--stay")
    assert bus.call("Apply", "ass", "1", "nvme0", "performance")[0]
    assert tolerance(laptop) != "100000"
    before = n_requests(laptop)
    with another_serves(laptop, process.pid):
        call = calling(bus, "Revert")
        wait_until(lambda: n_requests(laptop) > before, "the call")
    _, fault = call.communicate(timeout=60)
    assert call.returncode == 0, fault
    assert tolerance(laptop) == "100000"


def test_who_goes_back_in_vain_is_told(bus: Bus, laptop: pathlib.Path) -> None:
    bus.service(laptop, "--stay")
    assert bus.call("Apply", "ass", "1", "nvme0", "performance")[0]
    wait_until(lambda: bus.machine("Runs") >= 1, "a run")
    with broken(laptop):
        steps, fault = bus.call("Revert")
        assert steps is None and "lock" in fault


@contextlib.contextmanager
def broken(root: pathlib.Path) -> Iterator[None]:
    """All runs fail."""
    lock = root / "run/ssdpm/lock"
    lock.unlink(missing_ok=True)
    lock.mkdir(parents=True)
    lock.parent.chmod(0o700)
    yield
    lock.rmdir()


def test_what_has_failed_is_tried_again(bus: Bus, laptop: pathlib.Path) -> None:
    ask(laptop, DRIVE + "max_exit_latency = 25ms\n")
    with broken(laptop):
        bus.service(laptop)
        wait_until(lambda: "lock" in bus.machine("Failure"), "a failure")
    # No event tells that it would work now.
    wait_for(laptop, "25000")
    wait_until(lambda: not bus.machine("Failure"), "no failure")


def fast(root: pathlib.Path, *more: str) -> list[str]:
    """A service whose clock is fast."""
    preload = f"LD_PRELOAD={preloaded(CLOCK)}"
    return ["env", preload, *more, str(SSDPMD), "--root", str(root), "--stay"]


def fast_service(
    bus: Bus, root: pathlib.Path, *more: str
) -> subprocess.Popen[bytes]:
    return bus.start(*fast(root, *more), name="org.ssdpm1")


def test_what_fails_again_is_tried_once_more_a_minute_later(
    bus: Bus, laptop: pathlib.Path
) -> None:
    ask(laptop, DRIVE + "max_exit_latency = 25ms\n")
    with broken(laptop):
        fast_service(bus, laptop)
        wait_until(lambda: bus.machine("Runs") == 2, "the run after 5 s")
        begin = time.monotonic()
        wait_until(lambda: bus.machine("Runs") == 3, "the run after 60 s")
        assert time.monotonic() - begin > 60 / TIMES / 2
    # Then an event is what it waits for.
    time.sleep(1.5 * 60 / TIMES)
    assert bus.machine("Runs") == 3
    assert tolerance(laptop) == "100000"
    ask(laptop, DRIVE + "max_exit_latency = 26ms\n")
    wait_for(laptop, "26000")


def test_what_works_a_minute_later_is_set(bus: Bus, laptop: pathlib.Path) -> None:
    ask(laptop, DRIVE + "max_exit_latency = 25ms\n")
    with broken(laptop):
        fast_service(bus, laptop)
        wait_until(lambda: bus.machine("Runs") == 2, "the run after 5 s")
    wait_for(laptop, "25000")
    wait_until(lambda: not bus.machine("Failure"), "no failure")


def journal_of(root: pathlib.Path) -> pathlib.Path:
    return root / "run/ssdpm/journal"


def killed(root: pathlib.Path) -> str:
    """While there is a file "kill", a run is killed in the middle of a commit."""
    return f"SSDPMD_KILL={root}/kill"


def test_a_run_that_cannot_be_watched_is_killed_and_the_next_one_undoes_it(
    bus: Bus, laptop: pathlib.Path, capfd: pytest.CaptureFixture[str]
) -> None:
    ask(laptop, DRIVE + "max_exit_latency = 25ms\n")
    process = fast_service(bus, laptop, killed(laptop))
    wait_for(laptop, "25000")
    # One that is watched already would stop for good.
    wait_until(lambda: bus.machine("Runs") > 0, "the end of the first run")
    wait_until(lambda: not children(process.pid), "the end of all runs")
    (laptop / "kill").touch()
    ask(laptop, DRIVE + "max_exit_latency = 26ms\n")
    wait_for(laptop, "26000")
    assert not (laptop / "kill").exists()
    wait_until(lambda: not journal_of(laptop).exists(), "no journal")
    assert "a run was killed" in capfd.readouterr().err
    wait_until(lambda: bus.machine("InForce") is True, "in force")
    assert not bus.machine("Failure")


def test_a_service_whose_first_run_is_killed_ends_and_the_next_one_undoes_it(
    bus: Bus, laptop: pathlib.Path, capfd: pytest.CaptureFixture[str]
) -> None:
    ask(laptop, DRIVE + "max_exit_latency = 25ms\n")
    (laptop / "kill").touch()
    ended = subprocess.run(
        fast(laptop, killed(laptop)), env=bus.environment, timeout=60
    )
    assert ended.returncode == 1
    assert journal_of(laptop).exists() and tolerance(laptop) == "100000"
    fast_service(bus, laptop)
    wait_for(laptop, "25000")
    wait_until(lambda: not journal_of(laptop).exists(), "no journal")
    assert "a run was killed" in capfd.readouterr().err


def test_who_checks_what_a_file_asks_for_since_the_last_run_is_not_everybody(
    bus: Bus, laptop: pathlib.Path
) -> None:
    process = bus.service(laptop, "--stay")
    wait_until(lambda: bus.machine("Runs") == 1, "the first run")
    lock = laptop / "run/ssdpm/lock"
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        ask(laptop, DRIVE + "power_state = 1\n")
        wait_until(lambda: has_open(process.pid, lock), "a run that waits")
        steps, fault = bus.call("Check", user=NOBODY)
        assert steps is None and "denied" in fault


def test_no_profile_of_the_desktop_is_noted_when_it_ends(
    bus: Bus, laptop: pathlib.Path
) -> None:
    bus.desktop(next(iter(DESKTOPS)), "power-saver")
    process = bus.service(laptop, "--stay")
    noted = laptop / "run/ssdpm/desktop-profile"
    wait_until(noted.exists, "a profile that is noted")
    # One that may not start has noted nothing.
    subprocess.run([SSDPMD, "--root", laptop], env=bus.environment)
    assert noted.exists()
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0
    assert not noted.exists()


def test_a_failure_stays_until_a_run_has_not_failed(
    bus: Bus, laptop: pathlib.Path
) -> None:
    with broken(laptop):
        process = bus.service(laptop, "--stay")
        wait_until(lambda: "lock" in bus.machine("Failure"), "a failure")
        with another_serves(laptop, process.pid):
            ask(laptop, DRIVE + "max_exit_latency = 25ms\n")
        wait_until(lambda: not children(process.pid), "the end of that run")
        assert bus.machine("Asked")
        assert "lock" in bus.machine("Failure")


def test_what_is_wrong_with_a_call_is_said(bus: Bus, laptop: pathlib.Path) -> None:
    bus.service(laptop, "--stay")
    for method in ("Plan", "Apply"):
        _, fault = bus.call(method, "ass", "1", "nvme7", "auto")
        assert "unknown drive 'nvme7'" in fault
        _, fault = bus.call(method, "ass", "0", "/etc/passwd")
        assert "unknown profile '/etc/passwd'; expected balanced, " in fault
    assert not (laptop / "run/ssdpm.conf.d").exists()


def test_a_call_that_no_run_comes_for_is_answered_and_forgotten(
    bus: Bus, laptop: pathlib.Path
) -> None:
    process = bus.service(laptop)
    wait_until(lambda: bus.machine("Runs") == 1, "the first run")
    requests = laptop / "run/ssdpm/requests"
    aside = requests.rename(f"{requests}.aside")
    requests.mkdir()
    steps, fault = bus.call("Apply", "ass", "1", "nvme0", "performance")
    assert steps is None and "requests" in fault
    requests.rmdir()
    aside.rename(requests)
    wait_for(laptop, "10000")
    # Nobody needs it once nothing is asked for, and no call waits.
    assert bus.call("Revert")[0] == []
    assert process.wait(60) == 0


def test_what_cannot_be_kept_for_one_drive_is_kept_for_none(
    bus: Bus, tmp_path: pathlib.Path
) -> None:
    root = tmp_path / "drives"
    machines.write("eight-drives", root)
    bus.service(root, "--stay")
    assert bus.call("Apply", "ass", "1", "nvme0", "performance")[0] is not None
    kept = root / "run/ssdpm.conf.d/50-local.conf"
    before = kept.read_text()
    # As many lines as there may be, so that one more drive is too many.
    n_lines = 1024 - before.count(" = ")
    profile = "profile = auto\n"
    machine = f"[machine]\n{profile}" * (n_lines % 2)
    ask(root, machine + f"{DRIVE}{profile}" * (n_lines // 2))
    wait_until(lambda: bus.machine("Asked"), "the files")
    words = ("2", "nvme0", "nvme1", "power-saver")
    steps, fault = bus.call("Apply", "ass", *words)
    assert steps is None and "1024 lines" in fault
    assert kept.read_text() == before


def test_a_list_of_more_names_than_drives_is_refused(
    bus: Bus, laptop: pathlib.Path
) -> None:
    bus.service(laptop, "--stay")
    tree = bus.busctl("tree", "--list", "org.ssdpm1").stdout
    names = ["nvme0"] * (tree.count("/drive/") + 1)
    for method in ("Plan", "Apply"):
        _, fault = bus.call(method, "ass", str(len(names)), *names, "auto", user=NOBODY)
        assert "more names than drives" in fault


# On this many connections, each calls this often; who is refused ends it.
CALLS = """
import sys, dbus, dbus.bus
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib
DBusGMainLoop(set_as_default=True)
loop = GLib.MainLoop()
def tell(error):
    print(error.get_dbus_name())
    loop.quit()
buses = [dbus.bus.BusConnection(sys.argv[1]) for _ in range(int(sys.argv[2]))]
for bus in buses * int(sys.argv[3]):
    bus.call_async("org.ssdpm1", "/org/ssdpm1", "org.ssdpm1.Machine", "Revert", "", (),
                   print, tell, timeout=60)
loop.run()
"""


@contextlib.contextmanager
def call_many(
    bus: Bus, user: int, senders: int, calls: int
) -> Iterator[subprocess.Popen[str]]:
    """It ends with the first answer, and prints it."""
    words = ["setpriv", f"--reuid={user}", "--clear-groups", "/usr/bin/python3"]
    address = bus.environment["DBUS_SYSTEM_BUS_ADDRESS"]
    with subprocess.Popen(
        [*words, "-c", CALLS, address, str(senders), str(calls)],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


TOO_MANY = "org.freedesktop.DBus.Error.LimitsExceeded\n"


@pytest.mark.parametrize("senders, calls", [(1, 2), (5, 1)])
def test_few_calls_of_a_user_wait_for_polkit(
    bus: Bus, laptop: pathlib.Path, senders: int, calls: int
) -> None:
    bus.service(laptop, "--stay")
    bus.polkit("ret = (False, False, {})")
    with bus.hung(), call_many(bus, NOBODY, senders, calls) as asked:
        assert asked.communicate(timeout=120)[0] == TOO_MANY


def test_a_user_with_many_connections_leaves_room_for_others(
    bus: Bus, laptop: pathlib.Path
) -> None:
    bus.service(laptop, "--stay")
    bus.polkit("ret = (False, False, {})")
    with bus.hung(), contextlib.ExitStack() as stack:
        # The fifth call is refused: four wait, also when their callers are gone.
        greedy = stack.enter_context(call_many(bus, NOBODY, 5, 1))
        assert greedy.communicate(timeout=120)[0] == TOO_MANY
        users = [user.pw_uid for user in pwd.getpwall() if user.pw_uid not in (0, NOBODY)]
        for user in users[:3]:
            other = stack.enter_context(call_many(bus, user, 4, 1))
            with pytest.raises(subprocess.TimeoutExpired):
                other.communicate(timeout=3)
        # With them it is full for all.
        last = stack.enter_context(call_many(bus, users[3], 1, 1))
        assert last.communicate(timeout=120)[0] == TOO_MANY


def test_a_profile_that_a_file_defines_can_be_set(
    bus: Bus, laptop: pathlib.Path
) -> None:
    bus.service(laptop, "--stay")
    bus.polkit("ret = (True, False, {})")
    assert "quiet" not in bus.machine("Profiles")
    ask(laptop, "[profile quiet]\nmax_exit_latency = 7ms\n")
    wait_until(lambda: bus.machine("Profiles")[:2] == ["auto", "quiet"], "its name")
    steps, fault = bus.call("Plan", "ass", "1", "nvme0", "quiet")
    assert steps is not None, fault
    assert ["7000"] == [step[3] for step in steps]
    assert tolerance(laptop) == "100000"
    steps, fault = bus.call("Apply", "ass", "1", "nvme0", "quiet")
    assert steps is not None, fault
    assert tolerance(laptop) == "7000"
    ask(laptop, "[profile quiet]\nmax_exit_latency = soon\n")
    wait_until(lambda: bool(bus.machine("Fault")), "the fault")
    assert bus.machine("Profiles") == []
    _, fault = bus.call("Plan", "ass", "1", "nvme0", "auto")
    assert "ssdpm.conf" in fault


def test_a_file_that_is_written_is_in_force_at_once(
    bus: Bus, laptop: pathlib.Path
) -> None:
    ask(laptop, DRIVE + "max_exit_latency = 25ms\n")
    bus.service(laptop, "--stay")
    wait_for(laptop, "25000")
    ask(laptop, DRIVE + "max_exit_latency = 7ms\n")
    wait_for(laptop, "7000")
    # A folder that was not there when it began.
    ask(laptop, DRIVE + "max_exit_latency = 8ms\n", "ssdpm.conf.d/60-mine.conf")
    wait_for(laptop, "8000")
    ask(laptop, DRIVE + "max_exit_latency = 9ms\n", "ssdpm.conf.d/60-mine.conf")
    wait_for(laptop, "9000")
    wait_until(lambda: bus.drive("nvme0", "Policy") == "9000", "the property")


@pytest.mark.parametrize(
    "folder", ["etc/ssdpm.conf.d", "usr/lib/ssdpm", "run/ssdpm.conf.d"]
)
def test_a_folder_of_files_may_go_and_come_back(
    bus: Bus, laptop: pathlib.Path, folder: str
) -> None:
    path = laptop / folder
    path.parent.mkdir(parents=True, exist_ok=True)
    (laptop / "etc").mkdir(exist_ok=True)
    bus.service(laptop, "--stay")
    ways: list[Callable[[pathlib.Path], object]] = [
        shutil.rmtree,
        lambda path: path.rename(f"{path}.old"),
    ]
    for i, leave in enumerate(ways):
        path.mkdir()
        file = path / "60-mine.conf"
        file.write_text(f"{DRIVE}max_exit_latency = {5 + i}ms\n")
        wait_for(laptop, f"{5 + i}000")
        file.write_text(f"{DRIVE}max_exit_latency = {15 + i}ms\n")
        wait_for(laptop, f"{15 + i}000")
        leave(path)
        wait_until(lambda: not bus.machine("Asked"), "that nothing is asked for")


def test_other_files_beside_ours_are_no_event(bus: Bus, laptop: pathlib.Path) -> None:
    (laptop / "usr/lib").mkdir(parents=True)
    ask(laptop, "", "ssdpm.conf")
    bus.service(laptop, "--stay")
    wait_until(lambda: bus.machine("Runs") >= 1, "the first run")
    before = n_requests(laptop)
    for name in ("etc/resolv.conf", "usr/lib/other.conf", "run/other.conf"):
        (laptop / name).write_text("x\n")
    for _ in range(2):
        assert bus.machine("Failure") == ""
    assert n_requests(laptop) == before


def test_many_changes_at_once_are_few_runs(bus: Bus, laptop: pathlib.Path) -> None:
    bus.service(laptop, "--stay")
    wait_until(lambda: bus.machine("Runs") == 1, "the first run")
    for i in range(100):
        ask(laptop, f"{DRIVE}max_exit_latency = {i + 1}ms\n")
    wait_for(laptop, "100000")
    # The first event leads to one at once.
    wait_until(lambda: bus.machine("Runs") >= 2, "another run")
    assert bus.machine("Runs") <= 4


def test_a_fault_in_a_file_is_told_and_sets_nothing(
    bus: Bus, laptop: pathlib.Path
) -> None:
    ask(laptop, DRIVE + "max_exit_latency = soon\n")
    bus.service(laptop, "--stay")
    wait_until(lambda: bool(bus.machine("Failure")), "a failure")
    assert "/etc/ssdpm.conf, line 3" in bus.machine("Fault").replace(":3", ", line 3")
    assert tolerance(laptop) == "100000"
    _, fault = bus.call("Check", user=NOBODY)
    assert "ssdpm.conf" in fault
    ask(laptop, DRIVE + "max_exit_latency = 25ms\n")
    wait_for(laptop, "25000")
    wait_until(lambda: not bus.machine("Fault") + bus.machine("Failure"), "no fault")


def test_who_listens_hears_of_a_failure_and_of_what_is_asked(
    bus: Bus, laptop: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    bus.service(laptop, "--stay")
    heard = tmp_path / "heard"
    with heard.open("wb") as file:
        monitor = subprocess.Popen(
            ["busctl", "--system", "monitor", "org.ssdpm1"],
            env=bus.environment,
            stdout=file,
            stderr=subprocess.STDOUT,
        )
        wait_until(lambda: b"Monitoring" in heard.read_bytes(), "a monitor")
        ask(laptop, DRIVE + "max_exit_latency = soon\n")
        wait_until(lambda: b'"Failure"' in heard.read_bytes(), "the failure")
        assert b'"Fault"' in heard.read_bytes()
        ask(laptop, DRIVE + "max_exit_latency = 25ms\n")
        wait_until(lambda: b'"Asked"' in heard.read_bytes(), "what is asked for")
        wait_until(lambda: bus.drive("nvme0", "Policy") == "25000", "the drive")
        size = len(heard.read_bytes())
        (online,) = laptop.glob("sys/class/power_supply/*/online")
        online.write_text("0\n" if online.read_text() == "1\n" else "1\n")
        ask(laptop, DRIVE + "max_exit_latency = 25ms\n")
        wait_until(
            lambda: b'"LikelySaving"' in heard.read_bytes()[size:], "another saving"
        )
        monitor.terminate()
        monitor.wait()


@pytest.mark.parametrize("name", DESKTOPS)
def test_the_profile_of_the_desktop_chooses_ours(
    bus: Bus, laptop: pathlib.Path, name: str
) -> None:
    ask(
        laptop,
        f"{DRIVE}max_exit_latency = 25ms\n"
        f"{DRIVE}desktop_profile = power-saver\nmax_exit_latency = any\n",
    )
    bus.service(laptop)
    wait_for(laptop, "25000")
    bus.desktop(name, "power-saver")
    wait_for(laptop, "any")
    assert bus.machine("DesktopProfile") == "power-saver"
    noted = laptop / "run/ssdpm/desktop-profile"
    assert noted.read_text() == "power-saver\n"
    bus.desktop(name, "balanced")
    wait_for(laptop, "25000")
    bus.desktop(name, "power-saver")
    wait_for(laptop, "any")
    bus.stop()
    wait_for(laptop, "25000")
    wait_until(lambda: not noted.exists(), "no profile that is noted")


def n_requests(root: pathlib.Path) -> int:
    """How many events it has taken for news."""
    return (root / "run/ssdpm/requests").stat().st_size


@pytest.mark.parametrize("directed", [True, False])
def test_a_signal_that_anybody_sends_is_no_event(
    bus: Bus, laptop: pathlib.Path, directed: bool
) -> None:
    name, path = next(iter(DESKTOPS.items()))
    bus.desktop(name, "power-saver")
    upower, login = "org/freedesktop/UPower", "org/freedesktop/login1"
    for owner in (upower, login):
        interface = owner.replace("/", ".")
        bus.mock(interface, f"/{owner}", interface)
    bus.service(laptop, "--stay")
    wait_until(lambda: bus.machine("DesktopProfile") == "power-saver", "its profile")
    wait_until(lambda: bus.machine("Runs") >= 1, "the first run")
    before = n_requests(laptop)
    (online,) = laptop.glob("sys/class/power_supply/*/online")
    online.write_text("0\n" if online.read_text() == "1\n" else "1\n")
    changed = ("org.freedesktop.DBus.Properties", "PropertiesChanged", "sa{sv}as")
    bus.emit(directed, path, *changed, name, "0", "0")
    bus.emit(directed, f"/{upower}", *changed, "org.freedesktop.UPower", "0", "0")
    bus.emit(
        directed, f"/{login}", "org.freedesktop.login1.Manager", "PrepareForSleep",
        "b", "false",
    )  # fmt: skip
    bus.emit(
        directed, "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged",
        "sss", name, ":1.2", "",
    )  # fmt: skip
    for _ in range(2):
        assert bus.machine("DesktopProfile") == "power-saver"
    assert n_requests(laptop) == before


def test_it_begins_with_the_profile_that_the_desktop_has(
    bus: Bus, laptop: pathlib.Path
) -> None:
    ask(
        laptop,
        f"{DRIVE}max_exit_latency = 25ms\n"
        f"{DRIVE}desktop_profile = power-saver\nmax_exit_latency = any\n",
    )
    for name in DESKTOPS:
        bus.desktop(name, "power-saver")
    bus.service(laptop)
    wait_for(laptop, "any")


def test_it_answers_while_the_desktop_does_not(bus: Bus, laptop: pathlib.Path) -> None:
    bus.desktop(next(iter(DESKTOPS)), "power-saver")
    ask(laptop, DRIVE + "max_exit_latency = 25ms\n")
    with bus.hung():
        bus.service(laptop, "--stay")
        assert bus.machine("DesktopProfile") == ""
    # Who waited for it has given up by then.
    wait_until(lambda: bus.machine("DesktopProfile") == "power-saver", "its profile")
    wait_for(laptop, "25000")


def test_a_desktop_that_never_answers_is_not_waited_for(
    bus: Bus, laptop: pathlib.Path
) -> None:
    bus.desktop(next(iter(DESKTOPS)), "power-saver")
    ask(laptop, DRIVE + "max_exit_latency = 25ms\n")
    with bus.hung():
        bus.service(laptop, "--stay")
        wait_for(laptop, "25000")
        assert bus.machine("DesktopProfile") == ""


def test_a_desktop_that_goes_before_it_answers_is_not_waited_for(
    bus: Bus, laptop: pathlib.Path
) -> None:
    bus.desktop(next(iter(DESKTOPS)), "power-saver")
    ask(laptop, DRIVE + "max_exit_latency = 25ms\n")
    desktop = bus.processes[-1]
    desktop.send_signal(signal.SIGSTOP)
    bus.service(laptop, "--stay")
    desktop.kill()
    wait_for(laptop, "25000")


def test_it_ends_when_nobody_needs_it_and_the_intent_is_the_same_always(
    bus: Bus, laptop: pathlib.Path
) -> None:
    ask(laptop, DRIVE + "max_exit_latency = 25ms\n")
    process = bus.service(laptop)
    assert process.wait(60) == 0
    assert tolerance(laptop) == "25000"


def test_it_stays_where_the_intent_depends_on_the_power_source(
    bus: Bus, laptop: pathlib.Path
) -> None:
    ask(laptop, "[machine]\nprofile = auto\n")
    process = bus.service(laptop)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(15)
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0


def test_it_takes_no_more_events_when_it_is_told_to_end(
    bus: Bus, laptop: pathlib.Path
) -> None:
    lock = laptop / "run/ssdpm/lock"
    lock.parent.mkdir(parents=True)
    lock.parent.chmod(0o700)
    ask(laptop, "")
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        process = bus.service(laptop, "--stay")
        wait_until(lambda: has_open(process.pid, lock), "a run that waits")
        process.send_signal(signal.SIGTERM)
        for _ in range(2):
            assert bus.machine("Runs") == 0
        before = n_requests(laptop)
        ask(laptop, DRIVE + "max_exit_latency = 25ms\n")
        for _ in range(2):
            assert bus.machine("Runs") == 0
        assert n_requests(laptop) == before
    assert process.wait(60) == 0


def test_a_source_that_changed_under_a_run_gets_another_run(
    bus: Bus, laptop: pathlib.Path
) -> None:
    """No event tells of the change: firmware can miss one."""
    ask(laptop, "[machine]\nprofile = auto\n")
    (online,) = laptop.glob("sys/class/power_supply/*/online")
    online.write_text("1\n")
    lock = laptop / "run/ssdpm/lock"
    lock.parent.mkdir(parents=True)
    lock.parent.chmod(0o700)
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        process = bus.service(laptop)
        wait_until(lambda: has_open(process.pid, lock), "a run that waits")
        online.write_text("0\n")
    wait_for(laptop, "200000")
    wait_until(lambda: bus.machine("Runs") == 2, "two runs")
    assert bus.machine("PowerSource") == "battery"


def children(parent: int) -> list[str]:
    return pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text().split()


def has_open(parent: int, path: pathlib.Path) -> bool:
    """A process that this one has started."""
    for child in children(parent):
        for link in pathlib.Path(f"/proc/{child}/fd").glob("*"):
            with contextlib.suppress(FileNotFoundError):  # closed since
                if link.samefile(path):
                    return True
    return False


def test_it_opens_no_file_outside_the_lists_of_its_apparmor_profile(
    bus: Bus, laptop: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    trace = tmp_path / "trace"
    # -D: the process itself is the service, and -y: folders have names.
    bus.start(
        "strace", "-D", "-f", "-y", "-e", "trace=%file,flock,openat", "-o", trace,
        SSDPMD, "--root", laptop, "--stay", name="org.ssdpm1",
    )  # fmt: skip
    bus.polkit("ret = (True, False, {})")
    ask(laptop, "[machine]\nprofile = power-saver\n")
    wait_for(laptop, "200000")
    assert bus.call("Apply", "ass", "1", "nvme0", "performance")[0]
    assert bus.call("Revert")[0] is not None
    assert bus.drive("nvme0", "StateTable", NOBODY)
    bus.stop()
    rules = apparmor_rules()
    opened = set(files_of(trace.read_text(), laptop))
    assert ("/etc/ssdpm.conf", "r") in opened and (f"/{TOLERANCE}", "w") in opened
    refused = {
        (path, way)
        for path, way in opened
        # A machine has a /run, no such files, and attributes that need no lock.
        if (path, way) != ("/run/", "w")
        and (path[:5], way) != ("/sys/", "k")
        and not path.startswith(("/ssdpm-capture", "/dumps/"))
        and not any(way in ways and rule.fullmatch(path) for rule, ways in rules)
    }
    assert not refused, sorted(refused)


def apparmor_rules() -> list[tuple[re.Pattern[str], str]]:
    """Paths, and what may be done with them: r, w, k."""
    rules = []
    text = (TOP / "examples/ssdpmd/apparmor.in").read_text()
    for path, ways in re.findall(r"^  (/\S*|@\{\w+\}\S*) (\w+),$", text, re.M):
        path = path.replace("@{sys}", "/sys").replace("@{PROC}", "/proc")
        words = re.split(r"(\*\*|\*|\{[^}]*\}|\[[^]]*\])", path)
        pattern = "".join(
            ".*" if word == "**"
            else "[^/]*" if word == "*"
            else word if word.startswith("[")
            else f"({word[1:-1].replace('.', '[.]').replace('*', '[^/]*').replace(',', '|')})"
            if word.startswith("{")
            else re.escape(word)
            for word in words
        )  # fmt: skip
        rules.append((re.compile(pattern), ways))
    return rules


CALL = re.compile(
    r"(open|openat2?|unlinkat|renameat|renameat2|mkdirat|flock)\((.*)\) += (?!-1)"
)


def files_of(trace: str, root: pathlib.Path) -> Iterator[tuple[str, str]]:
    """Below a root: what was opened to read, and what was written to or locked."""
    for name, arguments in CALL.findall(trace):
        if name == "flock":
            paths = re.findall(r"<([^>]*)>", arguments)[:1]
        else:
            pairs = re.findall(r'(?:<([^>]*)>, )?"([^"]*)"', arguments)
            paths = [f"{folder}/{path}" if folder else path for folder, path in pairs]
        writes = name != "flock" and (
            not name.startswith("open") or re.search(r"O_(WRONLY|RDWR|CREAT)", arguments)
        )
        for path in map(os.path.normpath, paths):
            if path.startswith(f"{root}/"):
                path += "/" if os.path.isdir(path) else ""
                way = "k" if name == "flock" and "LOCK_EX" in arguments else "r"
                yield path.removeprefix(str(root)), "w" if writes else way


def test_a_second_one_does_not_start(bus: Bus, laptop: pathlib.Path) -> None:
    bus.service(laptop, "--stay")
    second = subprocess.run(
        [SSDPMD, "--root", laptop], env=bus.environment, capture_output=True, text=True
    )
    assert second.returncode == 1
    assert "org.ssdpm1" in second.stderr


def test_a_bus_that_is_lost_is_a_failure(bus: Bus, laptop: pathlib.Path) -> None:
    process = bus.service(laptop, "--stay")
    bus.processes[0].kill()
    assert process.wait(60) == 1


def unit_of(name: str) -> configparser.ConfigParser:
    """A unit, of whose keys none is there twice but for those that add up."""
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    folder = TOP if name == "commands.conf" else BUILD
    unit.read(folder / "examples/ssdpmd" / name)
    return unit


def test_its_unit_starts_it_again_and_lets_it_write_to_later_modules() -> None:
    service = unit_of("ssdpmd.service")["Service"]
    assert service["Restart"] == "on-failure" and int(service["RestartSec"]) >= 5
    assert service["ReadWritePaths"].split() == ["/sys/devices", "/sys/module"]
    commands = unit_of("commands.conf")["Unit"]
    assert commands["Wants"] == commands["After"] == "modprobe@nvme.service"
    result = subprocess.run(
        [
            PACKAGES / "bin/systemd-analyze", "security", "--offline=yes",
            "--threshold=20", BUILD / "examples/ssdpmd/ssdpmd.service",
        ],
        env=os.environ | {"LD_LIBRARY_PATH": str(LIBRARIES)},
        text=True, capture_output=True,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout[-500:] + result.stderr


def test_what_it_is_told_is_checked(bus: Bus, laptop: pathlib.Path) -> None:
    def run(*words: str | pathlib.Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [SSDPMD, *words], env=bus.environment, capture_output=True, text=True
        )

    for words in (["--rot", laptop], ["x"], ["--root"]):
        result = run(*words)
        assert (result.returncode, result.stdout) == (2, ""), words
    assert run("--root", laptop / "none").returncode == 1
    assert run("--version").stdout.startswith("ssdpmd ")
    help_text = run("--help").stdout
    assert "Examples:" in help_text
    assert max(len(line) for line in help_text.splitlines()) <= 80


def test_the_examples_of_its_page_print_what_it_says(
    bus: Bus, laptop: pathlib.Path
) -> None:
    bus.service(laptop, "--stay")
    pairs = sessions(man_blocks(TOP / "man/ssdpm-dbus.5"))
    assert pairs
    for call, expected in pairs:
        result = subprocess.run(
            ["sh", "-c", call], env=bus.environment, capture_output=True, text=True
        )
        assert result.stderr + result.stdout == expected, call
