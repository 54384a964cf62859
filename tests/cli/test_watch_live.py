# SPDX-License-Identifier: MIT
"""ssdpm watch of a machine whose sysfs and tracefs are files; tests/vm/test_watch.py has
real ones."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
import ssdpm as package
from command import BUILD, Command, preloaded

MACHINE = BUILD / "tests/support/watch-machine.so"
PLACE = "REC->dev, REC->dev, REC->rwbs"
# How the kernel prints its events.
EVENTS = {
    "block/block_bio_queue": f'"%d,%d %s %llu + %u [%s]", {PLACE}, '
    "REC->sector, REC->nr_sector, REC->comm",
    "block/block_rq_issue": f'"%d,%d %s %u (%s) %llu + %u [%s]", {PLACE}, '
    "REC->bytes, __get_str(cmd), REC->sector, REC->nr_sector, REC->comm",
    "block/block_rq_complete": f'"%d,%d %s (%s) %llu + %u [%d]", {PLACE}, '
    "__get_str(cmd), REC->sector, REC->nr_sector, REC->error",
    "block/block_bio_remap": f'"%d,%d %s %llu + %u <- (%d,%d) %llu", {PLACE}, '
    "REC->sector, REC->nr_sector, REC->old_dev, REC->old_dev, REC->old_sector",
    "block/block_rq_requeue": f'"%d,%d %s (%s) %llu + %u [%d]", {PLACE}, '
    "__get_str(cmd), REC->sector, REC->nr_sector, 0",
    "nvme/nvme_setup_cmd": '"nvme%d: %sqid=%d, cmdid=%u, ", REC->ctrl_id, disk, '
    "REC->qid, REC->cid",
    "writeback/writeback_dirty_folio": '"bdi %s: ino=%lu index=%lu", REC->name, '
    "REC->ino, index",
    "writeback/writeback_single_inode_start": '"bdi %s: ino=%lu", REC->name, REC->ino',
}
# A call in a mount namespace of its own, in which /sys is that of the machine.
INSIDE = 'mount --bind "$0/sys" /sys; exec env LD_PRELOAD="$1" "${@:2}"'


def boottime() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Watched:
    """A laptop with a tracefs; what the kernel would print is written by a test."""

    def __init__(self, ssdpm: Command, root: pathlib.Path) -> None:
        self.ssdpm, self.root = ssdpm, root
        self.disk = root / "sys/class/block/nvme0n1"
        self.instance = ssdpm.directory / "instance"
        self.tracing_on = ssdpm.directory / "tracing_on"
        self.environment = {**ssdpm.environment, "SSDPM_INSTANCE": str(self.instance)}
        self.n_ios = 0
        self.begun = 0.0
        [controller] = root.glob("sys/class/nvme/nvme0")
        (controller / "nvme0n1").mkdir(exist_ok=True)
        (root / "sys/kernel/tracing/instances").mkdir(parents=True)
        self.make_disk("nvme0n1", "259:0")
        self.count(0)
        self.make_instance()

    def make_disk(self, name: str, number: str) -> None:
        disk = self.root / "sys/class/block" / name
        (disk / "queue").mkdir(parents=True, exist_ok=True)
        (disk / "dev").write_text(number + "\n")
        (disk / "queue/iostats").write_text("1\n")

    def make_instance(self) -> None:
        for event, prints in EVENTS.items():
            folder = self.instance / "events" / event
            folder.mkdir(parents=True)
            name = folder.name
            (folder / "format").write_text(f"name: {name}\nprint fmt: {prints}\n")
            for name in ("enable", "filter"):
                (folder / name).write_text("0")
        for name in ("trace_clock", "buffer_size_kb"):
            (self.instance / name).write_text("0")
        self.tracing_on.write_text("0")
        (self.instance / "tracing_on").symlink_to(self.tracing_on)
        os.mkfifo(self.ssdpm.directory / "pipe")
        (self.instance / "trace_pipe").symlink_to(self.ssdpm.directory / "pipe")

    def count(self, n_ios: int) -> None:
        """What the file stat says; it is never seen in part."""
        text = f"{n_ios} 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
        (self.root / "stat").write_text(text)
        (self.root / "stat").rename(self.disk / "stat")

    @contextlib.contextmanager
    def call(
        self,
        *arguments: str,
        program: Sequence[str] = (),
        library: str | None = None,
        **more: str,
    ) -> Iterator[subprocess.Popen[str]]:
        """library: what is preloaded into a program other than the command."""
        program = program or [str(self.ssdpm.directory / "bin/ssdpm")]
        library = preloaded(MACHINE) if library is None else library
        inside = ["unshare", "-m", "bash", "-ec", INSIDE, str(self.root), library]
        with subprocess.Popen(
            [*inside, *program, "watch", *arguments],
            cwd=self.ssdpm.directory,
            env={**self.environment, **more},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            yield process

    def run(self, *arguments: str, **more: str) -> tuple[int, str, str]:
        with self.call(*arguments, **more) as process:
            out, err = process.communicate(timeout=120)
        return process.returncode, out, err

    def is_on(self) -> bool:
        return self.tracing_on.read_text() == "1"

    def wait(self, on: bool) -> None:
        end = boottime() + 60
        while self.is_on() != on:
            assert boottime() < end
            time.sleep(0.005)

    def io(self) -> str:
        """Lines of an I/O that begins now."""
        at, sector = boottime(), 8 * self.n_ios
        self.n_ios += 1
        head, done = "dd-10 [000] d..1. {:.6f}: ", "<idle>-0 [000] d..1. {:.6f}: "
        return (
            head.format(at) + f"block_bio_queue: 259,0 R {sector} + 8 [dd]\n"
            f"{head.format(at)}block_rq_issue: 259,0 R 4096 () {sector} + 8 [dd]\n"
            + done.format(at + 1e-5)
            + f"block_rq_complete: 259,0 R () {sector} + 8 [0]\n"
        )


@pytest.fixture
def watched(ssdpm: Command, laptop: pathlib.Path) -> Watched:
    return Watched(ssdpm, laptop)


@contextlib.contextmanager
def kernel(watched: Watched) -> Iterator[Any]:
    """The end of the pipe that the kernel writes to."""
    fd = os.open(watched.ssdpm.directory / "pipe", os.O_RDWR)
    fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, 1 << 20)
    with open(fd, "w", encoding="utf-8") as pipe:
        yield pipe


def test_ios_of_now_are_shown_and_nothing_is_left(watched: Watched) -> None:
    with kernel(watched) as pipe, watched.call("--for", "2s", "--json") as process:
        watched.wait(on=True)
        pipe.write(watched.io())
        pipe.flush()
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    [drive] = json.loads(out)["drives"]
    assert (drive["n_ios"], drive["uncovered_ns"]) == (1, 0)
    assert not list((watched.root / "sys/kernel/tracing/instances").iterdir())


def test_once_is_ten_seconds(watched: Watched) -> None:
    begin = boottime()
    with kernel(watched):
        status, out, err = watched.run("--once", "--json")
    assert status == 0, err
    assert boottime() - begin > 10
    assert json.loads(out)["drives"][0]["n_ios"] == 0


def test_under_load_the_trace_is_off_and_the_ios_are_counted(watched: Watched) -> None:
    call = ["--for", "1h", "--json", "--save", "save.txt"]
    with kernel(watched) as pipe, watched.call(*call) as process:
        watched.wait(on=True)
        while watched.is_on():
            pipe.write("".join(watched.io() for _ in range(500)))
            pipe.flush()
        # 100 I/Os in 5 ms are more than it traces; then there are few.
        off, last = 0.0, boottime()
        for i in range(1, 301):
            watched.count(100 * i)
            time.sleep(0.005)
            now = boottime()
            # A machine that was busy elsewhere did not count: it may be on meanwhile.
            if not watched.is_on() and now - last < 0.05:
                off += now - last
            last = now
        assert off > 0.5
        watched.wait(on=True)
        pipe.write(watched.io())
        pipe.flush()
        time.sleep(1)
        process.terminate()
        out, _ = process.communicate(timeout=120)
    [drive] = json.loads(out)["drives"]
    assert drive["uncovered_ns"] > 0.9 * off * 1e9
    assert 0 < drive["n_uncovered_ios"] <= 30000
    phases = ("busy_ns", "idle_ns", "asleep_ns", "transition_ns", "uncovered_ns")
    assert sum(drive[phase] for phase in phases) == drive["now_ns"] - drive["start_ns"]
    read = ["watch", "-q", "--read", "save.txt", "--device", "259,0", "SN530"]
    again = watched.ssdpm.json(*read)
    for key in ("n_ios", "uncovered_ns", "n_uncovered_ios", "n_wakes", "busy_ns"):
        assert again[key] == drive[key]


def test_a_drive_that_goes_away_is_unknown_from_then_on(watched: Watched) -> None:
    with kernel(watched) as pipe, watched.call("--for", "1h", "--json") as process:
        watched.wait(on=True)
        pipe.write(watched.io())
        pipe.flush()
        time.sleep(1)
        watched.disk.rename(watched.root / "gone")
        assert process.stderr
        for line in process.stderr:
            if "nvme0 went away" in line:
                break
        else:
            pytest.fail("nothing is said")
        begin = boottime()
        time.sleep(2)
        process.terminate()
        off = boottime() - begin
        out, _ = process.communicate(timeout=120)
    [drive] = json.loads(out)["drives"]
    assert drive["n_ios"] == 1
    assert drive["uncovered_ns"] > 0.9 * off * 1e9


def test_a_drive_that_comes_back_is_known_again(watched: Watched) -> None:
    with kernel(watched) as pipe, watched.call("--for", "1h", "--json") as process:
        watched.wait(on=True)
        time.sleep(1)
        watched.disk.rename(watched.root / "gone")
        assert process.stderr
        assert "nvme0 went away" in process.stderr.readline()
        (watched.root / "gone").rename(watched.disk)
        assert "nvme0 is back" in process.stderr.readline()
        begin = boottime()
        pipe.write(watched.io())
        pipe.flush()
        time.sleep(3)
        process.terminate()
        known = boottime() - begin
        out, err = process.communicate(timeout=120)
    assert not err
    [drive] = json.loads(out)["drives"]
    assert drive["n_ios"] == 1 and drive["uncovered_ns"] > 0
    covered = drive["now_ns"] - drive["start_ns"] - drive["uncovered_ns"]
    assert covered > 0.5 * known * 1e9


def test_another_drive_under_the_name_is_not_the_one_that_went(watched: Watched) -> None:
    with kernel(watched), watched.call("--for", "1h", "--json") as process:
        watched.wait(on=True)
        watched.disk.rename(watched.root / "gone")
        assert process.stderr
        assert "nvme0 went away" in process.stderr.readline()
        model = watched.root / "sys/class/nvme/nvme0/model"
        model.write_text("ANOTHER DRIVE\n")
        (watched.root / "gone").rename(watched.disk)
        time.sleep(3)
        process.terminate()
        out, err = process.communicate(timeout=120)
    assert "is back" not in err
    assert json.loads(out)["drives"][0]["uncovered_ns"] > 2e9


# With a file system of 8 KiB in a folder of its own.
SMALL = """
mkdir small
mount -t tmpfs -o size=8k small small
exec env LD_PRELOAD="$PRELOAD" ssdpm "$@"
"""


def test_a_full_disk_ends_the_saving_and_not_the_session(watched: Watched) -> None:
    program = ["bash", "-ec", SMALL, "ssdpm"]
    call = ["--for", "3s", "--save", "small/save.txt"]
    more = {"library": "", "PRELOAD": preloaded(MACHINE)}
    with kernel(watched) as pipe, watched.call(*call, program=program, **more) as process:
        watched.wait(on=True)
        for _ in range(100):
            pipe.write(watched.io())
            pipe.flush()
            time.sleep(0.01)
        out, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert err.count("small/save.txt: No space left on device: it is cut off") == 1
    assert "nobody: at rest" in out and " 100 " in out


# A file system without a device number of its own, as btrfs has it.
ANONYMOUS = """
mkdir place
mount -t tmpfs "$SOURCE" place
exec env LD_PRELOAD="$PRELOAD" ssdpm "$@"
"""


# Its files are on another file system, which its source does not name.
LAYERED = """
mkdir base place
mount -t tmpfs tmpfs base
mkdir base/lower base/upper base/work
mount -t overlay -o lowerdir=base/lower,upperdir=base/upper,workdir=base/work "$SOURCE" place
exec env LD_PRELOAD="$PRELOAD" ssdpm "$@"
"""


def saved_there(
    watched: Watched, source: pathlib.Path | str, *more: str, script: str = ANONYMOUS
) -> str:
    """What is said of a file on a file system with this source."""
    program = ["bash", "-ec", script, "ssdpm"]
    call = ["--for", "1s", "--save", "place/save.txt", *more]
    environment = {"library": "", "PRELOAD": preloaded(MACHINE), "SOURCE": str(source)}
    with kernel(watched), watched.call(*call, program=program, **environment) as process:
        _, err = process.communicate(timeout=120)
    return err


def test_a_file_on_a_watched_drive_is_said_to_wake_it(watched: Watched) -> None:
    number = watched.ssdpm.directory.stat().st_dev
    (watched.disk / "dev").write_text(f"{os.major(number)}:{os.minor(number)}\n")
    with kernel(watched):
        _, _, err = watched.run("--for", "1s", "--save", "save.txt")
    assert err == "ssdpm: save.txt is on nvme0: to write it wakes the drive\n"


def test_a_file_system_without_a_device_number_is_found_by_its_source(
    watched: Watched,
) -> None:
    node = watched.ssdpm.directory / "node"
    os.mknod(node, stat.S_IFBLK | 0o600, os.makedev(259, 0))
    words = "ssdpm: place/save.txt is on nvme0: to write it wakes the drive\n"
    assert saved_there(watched, node) == words
    shutil.rmtree(watched.ssdpm.directory / "place")
    assert saved_there(watched, node, "-q") == ""
    shutil.rmtree(watched.ssdpm.directory / "place")
    node.unlink()
    os.mknod(node, stat.S_IFBLK | 0o600, os.makedev(259, 77))
    assert saved_there(watched, node) == ""
    shutil.rmtree(watched.ssdpm.directory / "place")
    assert saved_there(watched, "tmpfs") == ""


def stack(watched: Watched, number: str, kind: str, *slaves: str) -> pathlib.Path:
    """A device of device-mapper or md, as sysfs shows it to the devices below."""
    folder = watched.root / "sys/dev/block" / number
    (folder / kind).mkdir(parents=True)
    for slave in slaves:
        (folder / "slaves" / slave).mkdir(parents=True)
        (folder / "slaves" / slave / "dev").write_text(slave + "\n")
    return folder


WAKES = "ssdpm: {} is on nvme0: to write it wakes the drive\n"
MAY_WAKE = (
    "ssdpm: {} is on {}, which may be on a drive that is watched: "
    "to write it would wake that\n"
)


def test_btrfs_on_luks_is_found_by_what_holds_the_drive(watched: Watched) -> None:
    node = watched.ssdpm.directory / "node"
    os.mknod(node, stat.S_IFBLK | 0o600, os.makedev(253, 0))
    watched.make_disk("dm-0", "253:0")
    (watched.disk / "holders/dm-0").mkdir(parents=True)
    assert saved_there(watched, node) == WAKES.format("place/save.txt")


def test_btrfs_on_luks_on_lvm_is_found_by_what_is_below(watched: Watched) -> None:
    node = watched.ssdpm.directory / "node"
    os.mknod(node, stat.S_IFBLK | 0o600, os.makedev(253, 1))
    stack(watched, "253:1", "dm", "8:0", "253:0")
    folder = stack(watched, "253:0", "dm", "259:0")
    assert saved_there(watched, node) == WAKES.format("place/save.txt")
    # Its devices lead to a drive that nobody watches.
    shutil.rmtree(watched.ssdpm.directory / "place")
    (folder / "slaves/259:0/dev").write_text("259:7\n")
    assert saved_there(watched, node) == ""
    # Each is below the other one, which no machine has.
    shutil.rmtree(watched.ssdpm.directory / "place")
    (folder / "slaves/259:0/dev").write_text("253:1\n")
    assert saved_there(watched, node) == ""


@pytest.mark.parametrize("kind", ["dm", "md"])
def test_a_stacked_device_without_a_known_drive_may_be_on_one(
    watched: Watched, kind: str
) -> None:
    node = watched.ssdpm.directory / "node"
    os.mknod(node, stat.S_IFBLK | 0o600, os.makedev(253, 1))
    folder = stack(watched, "253:1", kind)
    may = MAY_WAKE.format("place/save.txt", node)
    assert saved_there(watched, node) == may
    # A partition has no devices below it; its disk does.
    shutil.rmtree(watched.ssdpm.directory / "place")
    real = watched.root / "sys/devices/virtual/block/md0"
    (folder / "p1").mkdir()
    (folder / "p1/partition").write_text("1\n")
    real.parent.mkdir(parents=True)
    folder.rename(real)
    folder.symlink_to("../../devices/virtual/block/md0/p1")
    assert saved_there(watched, node) == may


def test_a_file_on_lvm_is_found_by_its_device_number(watched: Watched) -> None:
    number = watched.ssdpm.directory.stat().st_dev
    mine = f"{os.major(number)}:{os.minor(number)}"
    call = ["--for", "1s", "--save", "save.txt"]
    folder = stack(watched, mine, "dm", "259:0")
    with kernel(watched):
        assert watched.run(*call)[2] == WAKES.format("save.txt")
    shutil.rmtree(folder / "slaves")
    (watched.ssdpm.directory / "save.txt").unlink()
    with kernel(watched):
        _, _, err = watched.run(*call)
    assert re.fullmatch(MAY_WAKE.format("save.txt", ".+"), err)


def test_a_file_system_that_hides_its_drives_is_said_to_do_so(watched: Watched) -> None:
    err = saved_there(watched, "overlay", script=LAYERED)
    assert err == (
        "ssdpm: place/save.txt is on overlay, which may be on a drive that is watched: "
        "to write it would wake that\n"
    )


def test_a_page_that_cannot_be_written_is_refused_at_once(watched: Watched) -> None:
    begin = boottime()
    for path, words in {
        "missing/page.html": "missing/page.html: No such file or directory",
        ".": ".: Is a directory",
    }.items():
        status, _, err = watched.run("--for", "30s", "--html", path)
        assert status == 1 and words in err
    page = watched.ssdpm.directory / "page.html"
    page.write_text("as it was")
    watched.run("--for", "1s", "--html", str(page), "--chart-js", "missing")
    assert page.read_text() == "as it was"
    assert boottime() - begin < 30


def read_until_try(process: subprocess.Popen[str], said: list[str]) -> None:
    assert process.stderr
    for line in process.stderr:
        said.append(line)
        if "try:" in line:
            break


def test_a_drive_whose_ios_are_not_counted_is_traced_on(watched: Watched) -> None:
    (watched.disk / "queue/iostats").write_text("0\n")
    with kernel(watched) as pipe, watched.call("--for", "1h") as process:
        watched.wait(on=True)
        said: list[str] = []
        reader = threading.Thread(target=read_until_try, args=(process, said))
        reader.start()
        while reader.is_alive():
            pipe.write("".join(watched.io() for _ in range(500)))
            pipe.flush()
        assert watched.is_on()
        process.terminate()
        process.communicate(timeout=120)
    assert "nvme0: the kernel does not count its I/Os" in said[-2]
    assert said[-1].endswith("echo 1 >/sys/block/nvme0n1/queue/iostats\n")


@pytest.mark.parametrize(
    ("code", "status", "words"),
    [
        (errno.EACCES, 4, "as root"),
        (errno.EPERM, 4, "locked down"),
        (errno.ENOSPC, 1, "no space"),
    ],
)
def test_an_instance_that_is_refused_is_complained_of(
    watched: Watched, code: int, status: int, words: str
) -> None:
    done = watched.run("--for", "1s", SSDPM_REFUSES=str(code))
    assert done[0] == status and words in done[2]


def test_a_machine_without_tracefs_says_how_to_mount_it(watched: Watched) -> None:
    (watched.root / "sys/kernel/tracing/instances").rmdir()
    status, _, err = watched.run("--for", "1s")
    assert status == 1
    assert "mount -t tracefs tracefs /sys/kernel/tracing" in err


def test_a_kernel_without_the_events_is_complained_of(watched: Watched) -> None:
    shutil.rmtree(watched.instance / "events")
    status, _, err = watched.run("--for", "1s")
    assert status == 1 and "the kernel has none of the events" in err
    assert not list((watched.root / "sys/kernel/tracing/instances").iterdir())


@pytest.mark.parametrize("event", ["block_rq_issue", "block_rq_complete"])
def test_without_an_event_of_ios_it_does_not_say_that_none_came(
    watched: Watched, event: str
) -> None:
    shutil.rmtree(watched.instance / "events/block" / event)
    status, out, err = watched.run("--for", "1s")
    assert status == 1 and not out
    assert f"not supported by this kernel: it has no trace event block/{event}" in err
    assert not list((watched.root / "sys/kernel/tracing/instances").iterdir())


def test_a_format_that_cannot_be_read_is_complained_of(watched: Watched) -> None:
    path = watched.instance / "events/block/block_bio_queue/format"
    path.unlink()
    path.mkdir()
    status, _, err = watched.run("--for", "1s")
    assert status == 1 and "events/block/block_bio_queue/format: a directory" in err


def watch_one(watched: Watched, *arguments: str) -> tuple[str, str]:
    """What is said of one I/O, and on stderr."""
    with kernel(watched) as pipe, watched.call("--for", "2s", *arguments) as process:
        watched.wait(on=True)
        pipe.write(watched.io())
        pipe.flush()
        return process.communicate(timeout=120)


def test_an_event_that_the_kernel_lacks_is_done_without_and_named(
    watched: Watched,
) -> None:
    shutil.rmtree(watched.instance / "events/block/block_bio_queue")
    out, err = watch_one(watched, "--json")
    (drive,) = json.loads(out)["drives"]
    assert (drive["n_ios"], drive["n_admin"], drive["causes"][0]["n_admin"]) == (1, 0, 0)
    assert err == (
        "ssdpm: this kernel lacks the trace event block_bio_queue: who asks for an I/O "
        "is who sends it to the drive\n"
    )


def test_admin_commands_that_the_kernel_does_not_tell_are_unknown_and_not_0(
    watched: Watched,
) -> None:
    shutil.rmtree(watched.instance / "events/nvme")
    saved = watched.ssdpm.directory / "saved.txt"
    lacking = "lacks the trace event nvme_setup_cmd: admin commands are unknown\n"
    out, err = watch_one(watched, "--save", str(saved))
    assert err == f"ssdpm: this kernel {lacking}"
    [row] = [line.split() for line in out.splitlines() if " dd " in line]
    assert row[:3] == ["dd", "1", "-"]
    out, err = watch_one(watched, "--json")
    (drive,) = json.loads(out)["drives"]
    assert drive["n_admin"] is drive["causes"][0]["n_admin"] is None
    assert watch_one(watched, "--json", "-q")[1] == ""
    # A recording names the events of its kernel.
    call = ("watch", "--root", str(watched.root), "--read", str(saved), "--device", "259,0")
    done = watched.ssdpm(*call, "--json", "nvme0")
    assert done.stderr.decode() == f"ssdpm: the kernel of this recording {lacking}"
    assert json.loads(done.stdout)["drives"][0]["n_admin"] is None


# The same from Python: a line for each interval, and the end.
FOLLOW = """
import json, ssdpm
with ssdpm.observe.watch(["nvme0"], interval_s=0.5) as live:
    for told in live:
        print(json.dumps(told), flush=True)
        if told["n_ios"]:
            break
(drive,) = live.observation.drives
print(drive.n_ios, live.observation.causes()[0].name, live.observation.counts.n_bad)
"""


def python(
    watched: Watched, script: str, **more: str
) -> contextlib.AbstractContextManager[Any]:
    """The package is never built with a sanitizer."""
    path = str(pathlib.Path(package.__file__).parents[1])
    program = [sys.executable, "-c", script]
    return watched.call(program=program, library=str(MACHINE), PYTHONPATH=path, **more)


def is_removed(watched: Watched) -> bool:
    return not list((watched.root / "sys/kernel/tracing/instances").iterdir())


def test_python_iterates_over_intervals_and_leaves_nothing(watched: Watched) -> None:
    with kernel(watched) as pipe, python(watched, FOLLOW) as process:
        watched.wait(on=True)
        assert not is_removed(watched)
        pipe.write(watched.io())
        pipe.flush()
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    *intervals, end = out.splitlines()
    told = [json.loads(line) for line in intervals]
    assert {one["name"] for one in told} == {"nvme0"}
    assert [one["n_ios"] for one in told] == [0] * (len(told) - 1) + [1]
    assert end == "1 dd 0"
    assert is_removed(watched)


def test_ctrl_c_ends_python_while_it_waits(watched: Watched) -> None:
    script = FOLLOW.replace("interval_s=0.5", "interval_s=3600")
    with kernel(watched), python(watched, script) as process:
        watched.wait(on=True)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=120)
    assert process.returncode == -signal.SIGINT
    assert err.rstrip().endswith("KeyboardInterrupt")
    assert is_removed(watched)


# Who writes the line needs the GIL, and nothing else ends the wait in time.
WAITED = """
import threading, ssdpm
def write():
    with open("pipe", "w") as pipe:
        pipe.write("a line\\n")
with ssdpm.observe.watch("nvme0") as live:
    threading.Timer(1, write).start()
    live._core.wait(600_000)
    live._core.step()
    print(live.observation.counts.n_lines)
"""


def test_other_threads_of_python_run_while_it_waits(watched: Watched) -> None:
    with kernel(watched), python(watched, WAITED) as process:
        out, err = process.communicate(timeout=120)
    assert out == "1\n", err


# No line comes: only the end of the watch ends the wait.
ASKED = """
import threading, time, ssdpm
live = ssdpm.observe.watch("nvme0")
waiter = threading.Thread(target=live._core.wait, args=(600_000,), daemon=True)
waiter.start()
time.sleep(1)
begin = time.monotonic()
print(live.gone())
assert waiter.is_alive()
live.close()
waiter.join()
assert time.monotonic() - begin < 60
"""


def test_other_calls_of_python_do_not_wait_for_the_one_that_waits(watched: Watched) -> None:
    with kernel(watched), python(watched, ASKED) as process:
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0 and out == "()\n", err
    assert is_removed(watched)


AWAY = """
import ssdpm
with ssdpm.observe.watch(["nvme0"], interval_s=0.5) as live:
    assert live.gone() == ()
    for told in live:
        if live.gone():
            break
    print(*live.gone())
"""


def test_python_goes_on_after_a_drive_went_away_and_says_so(watched: Watched) -> None:
    with kernel(watched), python(watched, AWAY) as process:
        watched.wait(on=True)
        watched.disk.rename(watched.root / "gone")
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0 and out == "nvme0\n", err
    assert is_removed(watched)


@pytest.mark.parametrize("event", ["block_rq_issue", "block_rq_complete"])
def test_python_refuses_a_kernel_without_an_event_of_ios(
    watched: Watched, event: str
) -> None:
    shutil.rmtree(watched.instance / "events/block" / event)
    with python(watched, FOLLOW) as process:
        _, err = process.communicate(timeout=120)
    assert process.returncode == 1 and f"it has no trace event block/{event}" in err
    assert "UnsupportedError" in err and is_removed(watched)


# Each is an expression, and what it raises.
WRONG = {
    'watch(["nvme7"])': "NotFoundError",
    "watch([])": "InvalidError",
    'watch(["nvme0", "nvme0n1"])': "ExistsError",
    'watch("nvme0", interval_s=0.1)': "RangeError",
    'watch("nvme0", interval_s=86401)': "RangeError",
    'watch("nvme0", interval_s="1s")': "TypeError",
    "watch(7)": "TypeError",
    "watch([None])": "TypeError",
    'watch(ssdpm.devices("/"))': "InvalidError",
    "next(iter(closed()))": "ValueError",
    "closed().lost()": "ValueError",
}
REFUSED = """
import sys, ssdpm
from ssdpm.observe import watch
def closed():
    with watch("nvme0") as live:
        assert live.lost() == 0
    live.close()
    return live
for wrong in sys.stdin.read().splitlines():
    try:
        print(eval(wrong))
    except Exception as error:
        print(type(error).__name__)
"""


def test_python_refuses_wrong_calls(watched: Watched) -> None:
    calls = "\n".join(WRONG)
    script = REFUSED.replace("sys.stdin.read()", repr(calls))
    folder = watched.instance / "per_cpu/cpu0"
    folder.mkdir(parents=True)
    (folder / "stats").write_text("overrun: 0\ndropped events: 0\n")
    with kernel(watched), python(watched, script) as process:
        out, err = process.communicate(timeout=120)
    assert dict(zip(WRONG, out.splitlines())) == WRONG, err
    assert is_removed(watched)


def test_python_names_the_error_of_a_refused_instance(watched: Watched) -> None:
    with python(watched, FOLLOW, SSDPM_REFUSES=str(errno.EACCES)) as process:
        _, err = process.communicate(timeout=120)
    assert process.returncode == 1 and "AccessError" in err
