# SPDX-License-Identifier: MIT
"""ssdpm watch --prometheus, on a machine whose sysfs and tracefs are files."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import time
from collections.abc import Iterable
from typing import Any

import machines
import prometheus
import pytest
from bus import LIBRARIES, PACKAGES
from command import COMMAND, TOP, Command
from prometheus import Metrics
from test_watch_live import Watched, boottime, kernel

OWN = 10
WORDS = ("low", "median", "high")
LIKELY = {f"ssdpm_drive_likely_{word}_watts" for word in WORDS}
FILES = TOP / "examples/integration/prometheus"


@pytest.fixture
def watched(ssdpm: Command, laptop: pathlib.Path) -> Watched:
    made = Watched(ssdpm, laptop)
    made.begun = boottime() - 100
    return made


def ios(watched: Watched, name: bytes, n: int = 1, drive: int = 0) -> bytes:
    """Lines of I/Os of a thread, each of which wakes the drive."""
    device = b"259,%d " % drive
    lines = b""
    for _ in range(n):
        at, sector = watched.begun + 0.5 * watched.n_ios, 8 * watched.n_ios
        watched.n_ios += 1
        place = device + b"R %s%d + 8 [" + name + b"]\n"
        head = name + b"-10 [000] d..1. %.6f: " % at
        done = b"<idle>-0 [000] d..1. %.6f: " % (at + 1e-5)
        lines += head + b"block_bio_queue: " + place % (b"", sector)
        lines += head + b"block_rq_issue: " + place % (b"4096 () ", sector)
        lines += done + b"block_rq_complete: " + device + b"R () %d + 8 [0]\n" % sector
    return lines


def run(
    watched: Watched, lines: Iterable[bytes] = (), *, quiet: bool = True, **more: str
) -> tuple[Any, str]:
    """For a second; the first drive as JSON, and standard error."""
    call = ["--for", "1s", "--json", "--prometheus", "x.prom"]
    with kernel(watched) as pipe:
        pipe.buffer.write(b"".join(lines))
        pipe.flush()
        with watched.call(*call, **more) as process:
            out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert not quiet or not err, err
    return json.loads(out)["drives"][0], err


def metrics(watched: Watched) -> Metrics:
    return Metrics((watched.ssdpm.directory / "x.prom").read_text())


def test_what_is_counted_is_what_the_json_says(watched: Watched) -> None:
    drive, _ = run(watched, [ios(watched, b"dd", 3), ios(watched, b"cat", 2)])
    told = metrics(watched)
    assert told.of("cause_ios_total", drive="nvme0") == {"other": 0, "dd": 3, "cat": 2}
    for key, name in (("n_ios", "ios"), ("n_wakes", "wakeups"), ("bytes", "bytes")):
        assert sum(told.of(f"cause_{name}_total").values()) == drive[key]
    energy = sum(told.of("cause_energy_joules_total").values())
    assert energy == pytest.approx(drive["energy_nj"] / 1e9, rel=1e-12)
    states = told.of("drive_state_seconds_total")
    for state in ("busy", "idle", "asleep", "transition", "uncovered"):
        assert states.pop(state) == pytest.approx(drive[f"{state}_ns"] / 1e9, abs=2e-9)
    assert not states
    assert told.value("drive_delay_seconds_total") == drive["delay_sum_ns"] / 1e9
    assert told.value("drive_watched", drive="nvme0") == 1


def test_the_likely_power_is_absent_as_long_as_it_is_unknown(watched: Watched) -> None:
    run(watched)
    assert not LIKELY & metrics(watched).values.keys()
    drive, _ = run(watched, [ios(watched, b"dd", 3)])
    told = metrics(watched)
    low, median, high = (told.value(f"drive_likely_{word}_watts") for word in WORDS)
    assert 0 < low < median < high
    assert low == drive["likely"]["low_uw"] / 1e6
    # The mean of the time since the first I/O.
    seconds = (drive["now_ns"] - drive["start_ns"]) / 1e9
    assert low < drive["energy_nj"] / 1e9 / seconds < high


def test_promtool_finds_no_fault(watched: Watched) -> None:
    run(watched, [ios(watched, b"dd", 3)])
    prometheus.check(metrics(watched).text)
    # It is no check that finds nothing.
    worse = metrics(watched).text.replace("wakeups_total", "wakeups")
    with pytest.raises(AssertionError, match="_total"):
        prometheus.check(worse)


def test_counters_go_on_from_the_file(watched: Watched) -> None:
    run(watched, [ios(watched, b"dd", 3)])
    before = metrics(watched)
    run(watched, [ios(watched, b"dd", 4), ios(watched, b"cat")])
    after = metrics(watched)
    ios_now = after.of("cause_ios_total", drive="nvme0")
    assert ios_now == {"other": 0, "dd": 7, "cat": 1}
    for name, series in before.values.items():
        for labels, value in series.items():
            assert after.values[name][labels] >= value, (name, labels)


def test_a_call_that_sees_nothing_changes_no_counter(watched: Watched) -> None:
    run(watched, [ios(watched, b"dd", 3)])
    before = metrics(watched).values
    run(watched)
    after = metrics(watched).values
    assert before.keys() - after.keys() == LIKELY
    assert after == {name: s for name, s in before.items() if name not in LIKELY}


def test_no_process_steers_the_file(watched: Watched) -> None:
    names = [b'a"} 1', b"b\\", b"c\xff\xfe", b"\xd0\x92\xd0", "ä€".encode(), b"d\x1b[1m"]
    run(watched, [ios(watched, name) for name in names])
    told = metrics(watched)
    prometheus.check(told.text)
    labels = told.of("cause_ios_total", drive="nvme0")
    assert labels == {
        'a"} 1': 1, "b\\": 1, "c??": 1, "В?": 1, "ä€": 1, "d?[1m": 1, "other": 0,
    }  # fmt: skip
    run(watched, [ios(watched, name) for name in names])
    again = metrics(watched).of("cause_ios_total", drive="nvme0")
    assert again == {name: 2 * n for name, n in labels.items()}


def test_names_that_look_alike_have_one_label(watched: Watched) -> None:
    run(watched, [ios(watched, b"c\xff"), ios(watched, b"c\xfe", 2)])
    assert metrics(watched).of("cause_ios_total")["c?"] == 3


def written_back(watched: Watched, cgroup: int, n: int) -> bytes:
    """A thread of Linux writes files back that a cgroup has changed."""
    lines = b""
    for _ in range(n):
        at = watched.begun + 0.5 * watched.n_ios
        head = b"kworker/u8:1-10 [000] d..1. %.6f: " % at
        file = b"bdi 259:0: ino=%d cgroup_ino=%d\n" % (watched.n_ios, cgroup)
        lines += head + b"writeback_single_inode_start: " + file
        lines += ios(watched, b"kworker/u8:1").replace(b" R ", b" W ")
    return lines


def test_a_service_that_restarts_has_one_row(watched: Watched) -> None:
    """Its new cgroup has another number and the same name, which may come late."""
    event = watched.instance / "events/writeback/writeback_single_inode_start/format"
    event.write_text(event.read_text().replace(
        '"bdi %s: ino=%lu", REC->name, REC->ino',
        '"bdi %s: ino=%lu cgroup_ino=%lu", REC->name, REC->ino, REC->cgroup_ino',
    ))  # fmt: skip
    names = [b"# cgroup: %d /system.slice/cron.service\n" % n for n in (77, 78, 79, 80)]
    # Both before the first while ends; then one whose name is unknown at first.
    run(watched, [names[0], written_back(watched, 77, 3), names[1], written_back(watched, 78, 3)])
    told = metrics(watched)
    prometheus.check(told.text)
    assert told.of("cause_ios_total") == {"other": 0, "cron": 6}
    run(watched, [written_back(watched, 79, 3), names[2], names[3], written_back(watched, 80, 3)])
    told = metrics(watched)
    prometheus.check(told.text)
    assert told.of("cause_ios_total") == {"other": 0, "cron": 12}
    rows = [line.rsplit(" ", 1)[0] for line in told.text.splitlines() if line[0] != "#"]
    assert len(rows) == len(set(rows))


def test_ten_causes_have_a_label_and_the_others_are_one(watched: Watched) -> None:
    many = [ios(watched, b"p%d" % i, 1 + i) for i in range(15)]
    drive, _ = run(watched, many)
    told = metrics(watched)
    labels = told.of("cause_ios_total", drive="nvme0")
    assert len(labels) == OWN + 1 and labels["other"] > 0
    assert sum(labels.values()) == drive["n_ios"] == sum(range(1, 16))
    # Those that did most.
    assert labels["p14"] == 15 and "p0" not in labels


def test_labels_last_and_stay_few(watched: Watched) -> None:
    labels: set[str] = set()
    for begin in (0, 4, 8, 12):
        some = [ios(watched, b"p%d" % i, 2) for i in range(begin, begin + 4)]
        run(watched, some)
        now = set(metrics(watched).of("cause_ios_total", drive="nvme0"))
        assert labels <= now
        labels = now
    assert len(labels) == OWN + 1
    assert {f"p{i}" for i in range(8)} < labels
    total = sum(metrics(watched).of("cause_ios_total").values())
    assert total == 32


def test_a_process_that_is_called_other_is_not_all_others(watched: Watched) -> None:
    run(watched, [ios(watched, b"other", 2), ios(watched, b"nobody")])
    told = metrics(watched)
    kinds = {
        dict(labels)["kind"]: value
        for labels, value in told.values["ssdpm_cause_ios_total"].items()
        if dict(labels)["cause"] == "other"
    }
    assert kinds == {"other": 0, "process": 2}


def test_what_admin_commands_take_is_absent_and_not_0(watched: Watched) -> None:
    folder = watched.instance / "events/nvme/nvme_setup_cmd"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("enable", "filter"):
        (folder / name).write_text("0")
    line = (
        f"smartctl-7 [000] d..1. {boottime():.6f}: nvme_setup_cmd: nvme0: qid=0, "
        "cmdid=7, nsid=0, flags=0x0, meta=0x0, cmd=(nvme_admin_get_log_page cdw10=02)\n"
    )
    run(watched, [ios(watched, b"dd"), line.encode()])
    told = metrics(watched)
    assert told.of("cause_admin_commands_total")["smartctl"] == 1
    assert "smartctl" not in told.of("cause_energy_joules_total")
    assert told.of("cause_energy_joules_total")["dd"] > 0
    assert "nobody" not in told.of("cause_ios_total")


def test_admin_commands_that_nobody_sees_are_absent_and_not_0(watched: Watched) -> None:
    run(watched, [ios(watched, b"reader")])
    assert metrics(watched).of("cause_admin_commands_total")["reader"] == 0
    (watched.ssdpm.directory / "x.prom").unlink()
    shutil.rmtree(watched.instance / "events/nvme")
    run(watched, [ios(watched, b"reader")], quiet=False)
    told = metrics(watched)
    assert told.of("cause_ios_total")["reader"] == 1
    assert "ssdpm_cause_admin_commands_total{" not in told.text


def test_events_that_the_kernel_lost_are_counted_and_said(watched: Watched) -> None:
    lost = b"CPU:2 [LOST 12 EVENTS]\n"
    _, err = run(watched, [ios(watched, b"dd"), lost, ios(watched, b"dd")], quiet=False)
    assert "the kernel lost 12 events" in err
    assert metrics(watched).value("watch_lost_events_total") == 12


@pytest.mark.parametrize("name", ["nvme0", "nvme1"])
def test_a_drive_of_before_keeps_its_counters(watched: Watched, name: str) -> None:
    run(watched, [ios(watched, b"dd", 3)])
    path = watched.ssdpm.directory / "x.prom"
    text = path.read_text().replace('drive="nvme0"', f'drive="{name}"')
    path.write_text(signed(text))
    run(watched, [ios(watched, b"dd", 4)])
    told = metrics(watched)
    prometheus.check(told.text)
    same = name == "nvme0"
    assert told.of("cause_ios_total", drive=name)["dd"] == (7 if same else 3)
    assert told.value("drive_watched", drive=name) == same
    assert told.value("drive_watched", drive="nvme0") == 1


def test_another_drive_of_the_same_name_begins_at_0(watched: Watched) -> None:
    run(watched, [ios(watched, b"dd", 3)])
    path = watched.ssdpm.directory / "x.prom"
    path.write_text(signed(re.sub('model="[^"]*"', 'model="Old one"', path.read_text())))
    _, err = run(watched, [ios(watched, b"cat")], quiet=False)
    assert "x.prom: nvme0 was Old one and is WDC" in err
    assert "its counters begin at 0" in err
    labels = metrics(watched).of("cause_ios_total", drive="nvme0")
    assert labels == {"cat": 1, "other": 0}


def signed(text: str) -> str:
    """With the checksum of what it is now."""
    body = text[: text.rindex("# checksum: ")]
    total = 0xCBF29CE484222325
    for byte in body.encode():
        total = (total ^ byte) * 0x100000001B3 % 2**64
    return f"{body}# checksum: {total:016x}\n"


@pytest.mark.parametrize("damage", ["empty", "short", "changed", "mark", "zero"])
def test_a_damaged_file_is_said_and_begins_at_0(watched: Watched, damage: str) -> None:
    run(watched, [ios(watched, b"dd", 3)])
    path = watched.ssdpm.directory / "x.prom"
    text = path.read_text()
    path.write_text(
        {
            "empty": "",
            "short": text[:-40],
            "changed": text.replace('"dd",kind="process"} 3', '"dd",kind="process"} 9'),
            "mark": text[:9],
            "zero": text[:200] + "\0" + text[201:],
        }[damage]
    )
    assert path.read_text() != text
    _, err = run(watched, [ios(watched, b"cat")], quiet=False)
    word = "empty" if damage == "empty" else "damaged"
    assert err == f"ssdpm: x.prom: {word}: all counters begin at 0\n"
    labels = metrics(watched).of("cause_ios_total", drive="nvme0")
    assert labels == {"cat": 1, "other": 0}


def fails(watched: Watched) -> str:
    status, out, err = watched.run("--for", "1s", "--prometheus", "x.prom")
    assert status == 1 and not out
    assert not list((watched.root / "sys/kernel/tracing/instances").iterdir())
    return err


@pytest.mark.parametrize(
    "text",
    ["node_load1 0.2\n", "# HELP x\n", "\0" * 100, "# Counters of ssdpm watch: no\n"],
)
def test_a_foreign_file_is_refused_and_stays(watched: Watched, text: str) -> None:
    path = watched.ssdpm.directory / "x.prom"
    path.write_text(text)
    assert fails(watched) == "ssdpm: x.prom: not a file that ssdpm watch wrote\n"
    assert path.read_text() == text


@pytest.mark.parametrize(
    "line",
    [
        "ssdpm_new_total 7",
        'ssdpm_cause_ios_total{drive="nvme0",cause="x",kind="new"} 1',
        'ssdpm_cause_ios_total{drive="nvme0",cause="0123456789abcdef",kind="process"} 1',
        'ssdpm_cause_ios_total{drive="nvme0",cause="x\\',
        'ssdpm_cause_ios_total{drive="nvme0",cause="x",kind="process"} 1e3',
        'ssdpm_cause_ios_total{drive="nvme0",cause="x",kind="process"} -1',
        'ssdpm_drive_delayed_ios_total{drive="nvme0"} 99999999999999999999',
        'ssdpm_drive_delay_seconds_total{drive="nvme0"} 1.5',
        'ssdpm_drive_state_seconds_total{drive="nvme0",state="new"} 1.000000000',
        'ssdpm_drive_delay_seconds_total{drive="' + 40 * "x" + '"} 1.000000000',
    ],
)
def test_what_another_version_wrote_is_refused_and_stays(
    watched: Watched, line: str
) -> None:
    run(watched)
    path = watched.ssdpm.directory / "x.prom"
    at = path.read_text().rindex("# checksum: ")
    text = signed(f"{path.read_text()[:at]}{line}\n# checksum: ")
    path.write_text(text)
    assert fails(watched) == "ssdpm: x.prom: another version of ssdpm wrote it\n"
    assert path.read_text() == text


def test_more_than_ten_labels_are_of_another_version(watched: Watched) -> None:
    run(watched)
    path = watched.ssdpm.directory / "x.prom"
    body = path.read_text()[: path.read_text().rindex("# checksum: ")]
    for i in range(OWN + 1):
        name = f'cause="c{i}",kind="process"'
        body += f'ssdpm_cause_ios_total{{drive="nvme0",{name}}} 1\n'
    path.write_text(signed(body + "# checksum: "))
    assert fails(watched) == "ssdpm: x.prom: another version of ssdpm wrote it\n"


def test_what_is_no_file_is_refused(watched: Watched) -> None:
    path = watched.ssdpm.directory / "x.prom"
    path.symlink_to("other")
    assert "x.prom: a link; --prometheus takes the file itself" in fails(watched)
    path.unlink()
    path.mkdir()
    assert "not a file that ssdpm watch wrote" in fails(watched)
    path.rmdir()
    subprocess.run(["mkfifo", path], check=True)
    assert "not a file that ssdpm watch wrote" in fails(watched)


@contextlib.contextmanager
def small_disk(path: pathlib.Path) -> Any:
    path.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "x", path], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", path], check=True)


def test_a_full_disk_leaves_the_old_file(watched: Watched) -> None:
    folder = watched.ssdpm.directory / "small"
    with small_disk(folder), kernel(watched):
        status, _, err = watched.run("--for", "1s", "--prometheus", "small/x.prom")
        assert status == 0, err
        before = (folder / "x.prom").read_text()
        (folder / "fill").write_bytes(b"x" * (4096 - len(before) % 4096 or 4096))
        status, _, err = watched.run("--for", "1s", "--prometheus", "small/x.prom")
        assert status == 1
        assert "cannot write small/x.prom.new: No space left on device" in err
        assert (folder / "x.prom").read_text() == before
        assert not (folder / "x.prom.new").exists()


def test_the_file_is_replaced_as_a_whole_and_no_drive_waits_for_it(
    watched: Watched,
) -> None:
    (watched.ssdpm.directory / "x.prom.new").write_text("of one that was killed")
    log = watched.ssdpm.directory / "calls"
    program = str(watched.ssdpm.directory / "bin/ssdpm")
    calls = "openat,rename,renameat,renameat2,fsync,fdatasync,sync,syncfs,ftruncate"
    with kernel(watched):
        with watched.call(
            "--for", "1s", "--prometheus", "x.prom",
            program=["strace", "-f", "-o", str(log), "-e", calls, program],
        ) as process:  # fmt: skip
            _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    lines = log.read_text().splitlines()
    assert not [line for line in lines if re.search(r"sync|ftruncate", line)]
    opened = [line for line in lines if "x.prom" in line and "openat" in line]
    assert [line for line in opened if "O_RDONLY" in line]
    for line in opened:
        assert "O_RDONLY" in line or ("x.prom.new" in line and "O_EXCL" in line)
    renamed = [line for line in lines if "rename" in line and "x.prom" in line]
    assert len(renamed) >= 2
    assert not (watched.ssdpm.directory / "x.prom.new").exists()


def wait_for(path: pathlib.Path) -> None:
    end = boottime() + 60
    while not path.exists():
        assert boottime() < end
        time.sleep(0.02)


def test_two_do_not_write_one_file(watched: Watched) -> None:
    path = watched.ssdpm.directory / "x.prom"
    with kernel(watched), watched.call("--for", "1h", "--prometheus", "x.prom") as one:
        wait_for(path)
        before = path.read_text()
        status, _, err = watched.run("--for", "1s", "--prometheus", "x.prom")
        assert status == 1
        assert err == "ssdpm: x.prom: another ssdpm watch writes it\n"
        assert path.read_text() == before
        one.terminate()
        one.communicate(timeout=120)


def test_what_another_program_put_there_is_not_replaced(watched: Watched) -> None:
    path = watched.ssdpm.directory / "x.prom"
    with kernel(watched), watched.call("--for", "3s", "--prometheus", "x.prom") as one:
        wait_for(path)
        (watched.ssdpm.directory / "y").write_text("theirs")
        (watched.ssdpm.directory / "y").rename(path)
        _, err = one.communicate(timeout=120)
    assert one.returncode == 1
    assert err == "ssdpm: x.prom: another program replaced it\n"
    assert path.read_text() == "theirs"


def test_a_drive_that_goes_away_is_not_watched(watched: Watched) -> None:
    path = watched.ssdpm.directory / "x.prom"
    with kernel(watched) as pipe, watched.call("--prometheus", "x.prom") as process:
        pipe.buffer.write(ios(watched, b"dd"))
        pipe.flush()
        wait_for(path)
        time.sleep(1)
        watched.disk.rename(watched.root / "gone")
        time.sleep(2)
        process.terminate()
        process.communicate(timeout=120)
    told = metrics(watched)
    assert told.value("drive_watched", drive="nvme0") == 0
    assert told.of("drive_state_seconds_total")["uncovered"] > 1
    assert told.of("cause_ios_total")["dd"] == 1


def test_the_time_of_day_may_be_set_meanwhile(watched: Watched) -> None:
    begin = boottime()
    drive, _ = run(watched, [ios(watched, b"dd", 3)], SSDPM_STEPS="1")
    assert drive["n_ios"] == 3 and drive["uncovered_ns"] == 0
    seen = (drive["now_ns"] - drive["start_ns"]) / 1e9
    # The I/Os began 100 s before.
    assert 99 < seen < 100 + boottime() - begin
    assert drive["asleep_ns"] > 0.9 * seen * 1e9


N_DRIVES, N_PARTITIONS = 64, 8


@pytest.fixture
def many(ssdpm: Command, tmp_path: pathlib.Path) -> Watched:
    """So many drives with so many partitions that not each has its part of a filter."""
    machine = machines.Machine(machines.KERNEL_7)
    machine.host("Vendor", "Server", "Board", mem_sleep="[s2idle]")
    for _ in range(N_DRIVES):
        machine.nvme(machines.SN530, machines.L1_2_ON, table=machines.SN530_TABLE)
    root = tmp_path / "many"
    machine.write(root)
    made = Watched(ssdpm, root)
    made.begun = boottime() - 100
    for i in range(N_DRIVES):
        made.make_disk(f"nvme{i}n1", f"259:{i}")
        disk = (root / f"sys/class/block/nvme{i}n1").resolve()
        for part in range(1, N_PARTITIONS + 1):
            folder = disk / f"nvme{i}n1p{part}"
            folder.mkdir(exist_ok=True)
            (folder / "dev").write_text(f"259:{1000 + 100 * i + 2 * part}\n")
            (folder / "partition").write_text(f"{part}\n")
            link = root / f"sys/class/block/{folder.name}"
            if not link.is_symlink():
                link.symlink_to(folder)
    return made


def test_64_drives_with_8_partitions_each_are_watched(many: Watched) -> None:
    lines = [ios(many, b"dd", 1, drive) for drive in range(N_DRIVES)]
    with kernel(many) as pipe:
        pipe.buffer.write(b"".join(lines))
        pipe.flush()
        call = ["--for", "2s", "--json", "--prometheus", "x.prom"]
        with many.call(*call) as process:
            many.wait(on=True)
            event = "events/block/block_rq_issue/filter"
            [path] = many.root.glob(f"sys/kernel/tracing/instances/*/{event}")
            text = path.read_text()
            out, err = process.communicate(timeout=120)
    assert process.returncode == 0 and not err, err
    # Linux takes a page of text; the last partition is in it.
    assert len(text) < 4096
    last = (259 << 20) + 1000 + 100 * (N_DRIVES - 1) + 2 * N_PARTITIONS
    assert max(map(int, re.findall(r"\d+", text))) == last
    drives = json.loads(out)["drives"]
    assert [drive["n_ios"] for drive in drives] == [1] * N_DRIVES
    told = metrics(many)
    prometheus.check(told.text)
    assert len(told.of("cause_ios_total", drive="nvme63")) == 2
    assert len(told.values["ssdpm_drive_watched"]) == N_DRIVES


def test_a_recording_is_not_counted(ssdpm: Command) -> None:
    call = ["--read", "x", "--device", "1,1", "--prometheus", "x.prom", "SN530"]
    assert "--read conflicts with --prometheus" in ssdpm.fails(2, "watch", *call)


def dashboard() -> Any:
    return json.loads((FILES / "dashboard.json").read_text())


def expressions() -> list[str]:
    return [t["expr"] for panel in dashboard()["panels"] for t in panel["targets"]]


def test_the_dashboard_has_what_grafana_wants() -> None:
    board = dashboard()
    assert board["schemaVersion"] >= 36
    assert board["title"] and board["uid"]
    names = [variable["name"] for variable in board["templating"]["list"]]
    assert names == ["datasource", "instance", "drive"]
    ids = [panel["id"] for panel in board["panels"]]
    assert len(set(ids)) == len(ids)
    taken = set()
    for panel in board["panels"]:
        at = panel["gridPos"]
        assert at["x"] + at["w"] <= 24
        for x in range(at["x"], at["x"] + at["w"]):
            for y in range(at["y"], at["y"] + at["h"]):
                assert (x, y) not in taken, panel["title"]
                taken.add((x, y))


def test_the_dashboard_names_each_metric_and_no_other(watched: Watched) -> None:
    run(watched, [ios(watched, b"dd", 3)])
    told = set(re.findall(r"^# TYPE (\w+) ", metrics(watched).text, re.MULTILINE))
    text = json.dumps(dashboard())
    assert set(re.findall(r"\bssdpm_\w+", text)) == told
    # And each label.
    used = set(re.findall(r"(\w+)(?:=~|!=|=)\"", " ".join(expressions())))
    labels = {key for s in metrics(watched).values.values() for one in s for key, _ in one}
    assert used <= labels | {"instance"}


def test_prometheus_can_read_the_queries_of_the_dashboard() -> None:
    rules = "groups:\n- name: dashboard\n  rules:\n"
    for i, query in enumerate(expressions()):
        query = query.replace("$__rate_interval", "5m")
        rules += f"  - record: r{i}\n    expr: {json.dumps(query)}\n"
    prometheus.check_rules(rules)
    with pytest.raises(AssertionError):
        prometheus.check_rules(rules + "  - record: r\n    expr: rate(x)\n")


UNIT = FILES / "ssdpm-watch.service"


def analyze(*arguments: str | pathlib.Path) -> str:
    done = subprocess.run(
        [PACKAGES / "bin/systemd-analyze", *arguments],
        env=os.environ | {"LD_LIBRARY_PATH": str(LIBRARIES), "LC_ALL": "C"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_systemd_takes_the_unit_without_a_word(ssdpm: Command) -> None:
    # The command is where it was built.
    text = UNIT.read_text().replace("/usr/bin/ssdpm", str(COMMAND))
    ssdpm.write(UNIT.name, text)
    said = analyze("verify", "--man=no", ssdpm.directory / UNIT.name)
    assert "ssdpm" not in said, said
    ssdpm.write(UNIT.name, text.replace("ProtectHome=yes", "ProtectHome=perhaps"))
    # The words of systemd 252 and of 257
    said = analyze("verify", "--man=no", ssdpm.directory / UNIT.name)
    assert "protect home" in said or "ProtectHome=perhaps" in said


def test_little_is_open_to_the_unit() -> None:
    # In tenths: 2.0.
    analyze("security", "--offline=yes", "--threshold=20", UNIT)


def settings(key: str) -> list[str]:
    lines = UNIT.read_text().splitlines()
    return [line.split("=", 1)[1] for line in lines if line.startswith(f"{key}=")]


def system_calls() -> dict[str, set[str]]:
    """By group, with the groups in it."""
    groups: dict[str, set[str]] = {}
    for line in analyze("syscall-filter").splitlines():
        words = line.split("#")[0].split()
        if words and not line.startswith(" "):
            name = words[0]
            groups[name] = set()
        elif words:
            groups[name] |= set(words)
    return groups


def flat(groups: dict[str, set[str]], name: str) -> set[str]:
    if not name.startswith("@"):
        return {name}
    return {call for one in groups[name] for call in flat(groups, one)}


def test_watch_makes_no_system_call_that_the_unit_forbids(watched: Watched) -> None:
    groups = system_calls()
    assert settings("SystemCallFilter") == ["@system-service", "~@privileged @resources"]
    allowed = flat(groups, "@system-service")
    allowed -= flat(groups, "@privileged") | flat(groups, "@resources")
    log = watched.ssdpm.directory / "calls"
    program = str(watched.ssdpm.directory / "bin/ssdpm")
    with kernel(watched) as pipe:
        pipe.buffer.write(ios(watched, b"dd", 3))
        pipe.flush()
        with watched.call(
            "--for", "1s", "--prometheus", "x.prom", program=["strace", "-o", str(log), program]
        ) as process:  # fmt: skip
            process.communicate(timeout=120)
    assert process.returncode == 0
    called = set(re.findall(r"^(\w+)\(", log.read_text(), re.MULTILINE))
    # system() of what stands for the kernel here.
    called -= {"vfork", "clone3", "clone", "wait4"}
    assert {"rename", "flock", "poll"} <= called <= allowed, called - allowed
