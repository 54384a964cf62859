# SPDX-License-Identifier: MIT
"""ssdpm consistency: logs of fio, simulated drives, and drives that are written."""

from __future__ import annotations

import contextlib
import fcntl
import gzip
import math
import os
import pathlib
import re
import signal
import stat
import subprocess
import time
from collections.abc import Iterator

import documented
import pytest
import test_page
from command import Command

from ssdpm import consistency


def log(*iops: float, first: int = 1) -> str:
    rows = (f"{1000 * (first + i)}, {v}, 1, 0\n" for i, v in enumerate(iops))
    return "".join(rows)


# A plateau of 20 s, a second of 100 after it, 1000 or 1100 in the end.
COURSE = [40000] * 20 + [100] + [1000 + 100 * (i % 2) for i in range(1979)]


def test_floor_mean_cliff_and_steady_state_are_those_of_the_log(ssdpm: Command) -> None:
    ssdpm.write("a.log", log(*COURSE))
    found = ssdpm.json("consistency", "--threshold", "1050", "a.log")
    mean = sum(COURSE) / 2000
    assert found["file"] == "a.log" and found["spare_ppm"] is None
    assert (found["n"], found["n_holes"]) == (2000, 0)
    assert found["floor_iops_milli"] == 100_000
    assert found["p01_iops_milli"] == found["p1_iops_milli"] == 1_000_000
    assert found["mean_iops_milli"] == round(1000 * mean)
    assert found["floor_share_ppm"] == round(100e6 / mean)
    deviation = (sum((v - mean) ** 2 for v in COURSE) / 1999) ** 0.5
    assert found["variation_ppm"] == pytest.approx(1e6 * deviation / mean, abs=1)
    assert (found["plateau_iops_milli"], found["cliff_s"]) == (40_000_000, 20)
    assert found["steady_s"] == 20
    assert found["n_below"] == 1 + 990
    assert "iops_milli" not in found and "power_uw" not in found
    assert found["plateau_power_uw"] is found["mean_power_uw"] is None
    each = ssdpm.json("consistency", "--series", "a.log")
    assert each["iops_milli"] == [1000 * v for v in COURSE] and each["power_uw"] is None


def test_logs_stand_side_by_side(ssdpm: Command) -> None:
    ssdpm.write("a.log", log(*COURSE))
    ssdpm.write("b.log.gz", gzip.compress(log(*[300] * 1000).encode()))
    lines = ssdpm.output("consistency", "--threshold", "1000", "a.log", "b.log.gz").splitlines()
    assert [line.split() for line in lines] == [
        ["seconds", "floor", "p0.1", "p1", "mean", "variation", "floor/mean", "cliff"]
        + ["steady", "below", "1,000"],
        ["a.log", "2,000", "100", "1,000", "1,000", "1,439", "269.4", "%", "6.9", "%"]
        + ["20", "s", "20", "s", "0.1", "%"],
        ["b.log.gz", "1,000", "300", "300", "300", "300", "0.0", "%", "100.0", "%", "-"]
        + ["0", "s", "100", "%"],
    ]
    both = ssdpm.json("consistency", "a.log", "b.log.gz")
    assert [one["file"] for one in both] == ["a.log", "b.log.gz"]


def test_a_part_of_the_log_is_looked_at_where_one_asks(ssdpm: Command) -> None:
    ssdpm.write("a.log", log(*COURSE))
    late = ssdpm.json("consistency", "--from", "1400s", "--to", "1500s", "a.log")
    assert late["n"] == 100
    assert (late["floor_iops_milli"], late["max_iops_milli"]) == (1_000_000, 1_100_000)
    assert late["cliff_s"] == 20  # of all of it
    assert "there are only" in ssdpm.fails(1, "consistency", "--from", "1h", "a.log")


def test_one_kind_of_operation_is_counted_where_a_log_has_several(
    ssdpm: Command
) -> None:
    mixed = "".join(f"{s}000, 70, 0, 0\n{s}000, 30, 1, 0\n" for s in range(1, 30))
    ssdpm.write("a.log", mixed)
    for options, mean in (([], 100), (["--op", "read"], 70), (["--op", "write"], 30)):
        assert ssdpm.json("consistency", *options, "a.log")["mean_iops_milli"] == 1000 * mean
    message = ssdpm.fails(1, "consistency", "--op", "discard", "a.log")
    assert "the log has no operation of that kind" in message


def test_what_is_no_log_is_named(ssdpm: Command) -> None:
    ssdpm.write("empty.log", "\n")
    assert "empty.log: the log is empty" in ssdpm.fails(1, "consistency", "empty.log")
    assert "cannot read it: a directory" in ssdpm.fails(1, "consistency", ".")


def test_holes_are_said_and_are_not_zero(ssdpm: Command) -> None:
    ssdpm.write("a.log", log(*[50] * 10) + log(*[50] * 10, first=21))
    result = ssdpm("consistency", "a.log")
    assert result.stderr.decode() == (
        "ssdpm: a.log: the log has no line for 10 of 30 seconds, which do not count. No "
        "operation ended in them, or fio was held up\n"
    )
    found = ssdpm.json("consistency", "--series", "-q", "a.log")
    assert (found["n"], found["n_holes"], found["floor_iops_milli"]) == (20, 10, 50_000)
    assert found["iops_milli"][9:21] == [50_000] + [None] * 10 + [50_000]


@pytest.mark.parametrize(
    "content, words",
    [
        ("", "the log is empty"),
        ("1000, 5, 1, 0\n500, 5, 1, 0\n", "a.log:2: the time falls from 1000 to 500 ms"),
        ("900, 5, 1, 0\n", "ends within its first second"),
        ("time,iops\n1,2\n", "a.log:1: this is no line of fio's --write_iops_log"),
        ("1000, 5, 1, 0\n2000, 1, 1, 4096\n", "a.log:2: means and single operations"),
        ("\x7fELF\0\0\0\0", "a.log:1: this is no line"),
        ("99999999999000, 5, 1, 0\n", "a.log:1: a time beyond 12 days"),
        ("10000, 5, 1, 0\n20000, 5, 1, 0\n", "a.log: the lines stand 10000 ms apart"),
        ("1000, 5, 1, 0\n1000, 6, 1, 0\n", "a.log:2: a second line at 1000 ms: two jobs"),
    ],
)
def test_what_is_no_log_of_one_job_is_refused_with_its_line(
    ssdpm: Command, content: str, words: str
) -> None:
    ssdpm.write("a.log", content)
    assert words in ssdpm.fails(1, "consistency", "a.log")
    assert not (ssdpm.directory / "p.html").exists()


def test_one_bad_log_among_others_is_named_and_nothing_is_printed(
    ssdpm: Command
) -> None:
    ssdpm.write("a.log", log(*COURSE))
    ssdpm.write("bad.log", "x\n")
    assert "bad.log:1" in ssdpm.fails(1, "consistency", "a.log", "bad.log")
    assert "gone.log: No such file" in ssdpm.fails(1, "consistency", "gone.log", "a.log")
    assert "bin: cannot read" in ssdpm.fails(1, "consistency", "bin", "a.log")


@pytest.mark.parametrize(
    "options, words",
    [
        ([], "name a log that fio has written"),
        (["--simulate", "a.log"], "no log is read with"),
        (["--simulate", "--job"], "conflict with each other"),
        (["--spare", "7%", "a.log"], "--spare conflicts with logs"),
        (["--simulate", "--share", "5%"], "--share conflicts with --simulate"),
        (["--job", "--threshold", "5"], "--threshold conflicts with --job"),
        (["--job", "--json"], "--job conflicts with --json"),
        (["--job", "--html", "p.html"], "--html conflicts with --job"),
        (["--simulate", "--spare", "0%"], "above 0 and below 100%"),
        (["--simulate", "--spare", "100%"], "above 0 and below 100%"),
        (["--simulate", "--spare", "-7%"], "--spare -7%"),
        (["--simulate", "--spare", "nan%"], "--spare nan%"),
        (["--simulate", "--spare", "0.07"], "--spare 0.07"),
        (["--simulate", "--capacity", "1000kB"], "a multiple of 1MiB"),
        (["--simulate", "--capacity", "9000GiB"], "less than 8192GiB"),
        (["--simulate", "--bandwidth", "1B/s"], "4096B/s to 40.96GB/s"),
        (["--simulate", "--duration", "0s"], "must be above 0"),
        (["--simulate", "--duration", "1500ms"], "whole seconds"),
        (["--simulate", "--duration", "20d"], "12 days are the most"),
        (["--simulate", "--collector", "best"], "greedy, fifo or choices"),
        (["--job", "--share", "12.5%"], "without a fraction"),
        (["--threshold", "0", "a.log"], "must be above 0"),
        (["--from", "9s", "--to", "9s", "a.log"], "--to is not after --from"),
        (["--op", "flush", "a.log"], "has none"),
        (["--idle-power", "2W", "a.log"], "--idle-power conflicts with logs"),
        (["--simulate", "--idle-power", "2W"], "power requires --idle-power and --byte-energy"),
        (["--simulate", "--byte-energy", "2nJ"], "power requires --idle-power and --byte-energy"),
        (["--simulate", "--background-power", "2W"], "power requires --idle-power and --byte-energy"),
        (["--simulate", "--byte-energy", "0pJ"], "above 0, at most 1mJ"),
        (["--simulate", "--byte-energy", "2mJ"], "above 0, at most 1mJ"),
        (["--simulate", "--idle-power", "0W"], "must be above 0"),
        (["--simulate", "--host-bandwidth", "1B/s"], "4096B/s to 40.96GB/s"),
        (["-", "-"], "- is given twice"),
        (["--run", "/dev/null", "--root", "."], "--run conflicts with --root"),
    ],
)
def test_what_makes_no_sense_is_a_usage_error(
    ssdpm: Command, options: list[str], words: str
) -> None:
    ssdpm.write("a.log", log(*COURSE))
    assert words in ssdpm.fails(2, "consistency", *options)


SMALL = ["--simulate", "--capacity", "1GiB", "--bandwidth", "20MB/s", "--duration", "600s"]


def fifo_wa(spare: float) -> float:
    """The fixed point 1 - 1 / WA = exp(-alpha / WA)."""
    wa = 1.0
    for _ in range(1000):
        wa = 1 / (1 - math.exp(-1 / (1 - spare) / wa))
    return wa


def test_more_spare_area_is_faster_and_as_the_formula_has_it(ssdpm: Command) -> None:
    """Steady state: a page takes WA programs, each with a hundredth of one for the erased
    block, and a tenth for each page moved."""
    assert fifo_wa(0.07) == pytest.approx(7.3177, abs=1e-4)
    for collector, most in (("fifo", 1.01), ("greedy", 1.05)):
        call = [*SMALL, "--from", "300s", "--collector", collector]
        low, high = ssdpm.json("consistency", *call)
        assert (low["spare_ppm"], high["spare_ppm"]) == (70000, 250000)
        assert low["file"] is None
        for found, wa in ((low, fifo_wa(0.07)), (high, fifo_wa(0.25))):
            iops = 20e6 / 4096 / (1.01 * wa + (wa - 1) / 10)
            # A reserve block makes the drive a little slower than the formula.
            assert 0.98 * iops < found["mean_iops_milli"] / 1000 < most * iops


def test_a_drive_falls_when_its_spare_area_is_written(ssdpm: Command) -> None:
    found = ssdpm.json("consistency", *SMALL, "--spare", "25%", "--series")
    spare_pages, programs = 0.25 * 2**30 / 4096, 20e6 / 4096
    assert found["plateau_iops_milli"] == pytest.approx(1000 * programs, rel=0.01)
    assert found["cliff_s"] == pytest.approx(spare_pages / programs, abs=1.5)
    assert len(found["iops_milli"]) == 600
    assert found["iops_milli"] == ssdpm.json(
        "consistency", *SMALL, "--spare", "25%", "--series", "--seed", "1"
    )["iops_milli"]
    other = ssdpm.json("consistency", *SMALL, "--spare", "25%", "--series", "--seed", "2")
    assert other["iops_milli"] != found["iops_milli"]


POWER = ["--host-bandwidth", "10MB/s", "--idle-power", "2.5W", "--byte-energy", "20nJ"]


def test_power_rises_while_throughput_falls(ssdpm: Command) -> None:
    """Flash has nothing else to do at first than what the host writes, and then moves
    pages too: all of the power above idle is that of the programs."""
    call = [*SMALL, "--spare", "7%", *POWER, "--from", "300s", "--series"]
    found = ssdpm.json("consistency", *call)
    iops, power = found["iops_milli"], found["power_uw"]
    assert len(iops) == len(power) == 600
    fresh = 2.5e6 + 10e6 * 20e-3
    assert power[0] == pytest.approx(fresh, rel=1e-3)
    assert found["plateau_power_uw"] == pytest.approx(fresh, rel=0.01)
    late = sum(power[300:]) / 300
    assert found["mean_power_uw"] == pytest.approx(late, abs=1)
    programs = fifo_wa(0.07) * found["mean_iops_milli"] / 1000
    assert late == pytest.approx(2.5e6 + programs * 4096 * 20e-3, rel=0.01)
    assert late > 1.05 * fresh and iops[-1] < iops[0] / 2
    more = ssdpm.json("consistency", *call, "--background-power", "1W")
    assert more["iops_milli"] == iops
    assert more["power_uw"][0] == power[0]
    assert late + 0.5e6 < more["mean_power_uw"] < late + 1.1e6


def test_power_is_shown_where_it_is_stated(ssdpm: Command) -> None:
    small = ["--simulate", "--capacity", "64MiB", "--duration", "20s", "--spare", "20%"]
    head, row = ssdpm.output("consistency", *small, *POWER, "--threshold", "9").splitlines()
    assert head.split()[-3:] == ["power", "below", "9"]
    # The plateau is over within the first second.
    assert row.endswith("  3.04 W -> 3.06 W      0 %")
    plain = ssdpm.output("consistency", *small)
    assert "power" not in plain
    assert ssdpm.json("consistency", *small)["mean_power_uw"] is None


@pytest.mark.parametrize("collector", ["greedy", "fifo", "choices"])
def test_python_simulates_the_same_drive(ssdpm: Command, collector: str) -> None:
    small = ["--simulate", "--capacity", "64MiB", "--duration", "20s", "--spare", "20%"]
    said = ssdpm.json("consistency", *small, "--series", "--collector", collector)
    (found,) = consistency.simulate([0.2], n_blocks=64, seconds=20, collector=collector)
    assert said["iops_milli"] == (1000 * found.iops).tolist()
    assert 1000 * found.floor_iops == said["floor_iops_milli"]


def test_a_drive_without_spare_blocks_is_refused(ssdpm: Command) -> None:
    options = ["--simulate", "--capacity", "64MiB", "--spare", "0.5%"]
    assert "spare 0.5 %:" in ssdpm.fails(1, "consistency", *options)


def test_a_closed_pipe_is_a_failure_without_words(ssdpm: Command) -> None:
    ssdpm.write("a.log", log(*COURSE))
    for options in ([], ["--series", "--json"]):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run(
            ["ssdpm", "consistency", *options, "a.log", "a.log"],
            cwd=ssdpm.directory,
            env=ssdpm.environment,
            stdout=writer,
            stderr=subprocess.PIPE,
        )
        os.close(writer)
        assert done.returncode == -signal.SIGPIPE and done.stderr == b""


def test_each_second_is_drawn(ssdpm: Command) -> None:
    ssdpm.write("a.log", log(*COURSE))
    ssdpm.write("<b>.log", log(*[0] * 1500) + log(7, first=1601))
    text = ssdpm.output("consistency", "-q", "--threshold", "9", "--html", "p.html", "a.log", "<b>.log")
    page = test_page.browse(ssdpm, "p.html")
    assert page.errors == [] and page.links == []
    assert set(page.canvases) == {
        "The whole run", "From 1400 s on", "From 1400 s on, linear"
    }
    assert all(min(size) >= 100 for size in page.canvases.values())
    assert "<b>.log" in page.text and "a log has no line for them" in page.text
    assert "Seconds without any stand at the lower edge." in page.text
    assert text == ssdpm.output("consistency", "-q", "--threshold", "9", "a.log", "<b>.log")
    for odd in ("NaN", "undefined", "Infinity", "[object"):
        assert odd not in page.text


def test_what_is_short_or_very_long_is_drawn_too(ssdpm: Command) -> None:
    ssdpm.write("a.log", log(0, 0))
    ssdpm.output("consistency", "--html", "p.html", "a.log")
    page = test_page.browse(ssdpm, "p.html")
    assert page.errors == [] and set(page.canvases) == {"The whole run"}
    assert "No log goes on beyond 1400 s." in page.text
    ssdpm.write("a.log", log(*[1000 + i % 7 for i in range(250000)]))
    ssdpm.output("consistency", "--html", "p.html", "a.log")
    assert (ssdpm.directory / "p.html").stat().st_size < 1_500_000
    page = test_page.browse(ssdpm, "p.html")
    assert page.errors == [] and "Of 3 seconds each, the worst." in page.text


def test_power_has_a_picture_of_its_own(ssdpm: Command) -> None:
    small = ["--simulate", "--capacity", "64MiB", "--duration", "20s"]
    ssdpm.output("consistency", *small, *POWER, "--html", "p.html")
    page = test_page.browse(ssdpm, "p.html")
    assert page.errors == [] and set(page.canvases) == {"The whole run", "Power"}
    assert "plateau power" in page.text and re.search(r"\d\u00a0W", page.text)
    ssdpm.output("consistency", *small, "--html", "p.html")
    page = test_page.browse(ssdpm, "p.html")
    assert page.errors == [] and set(page.canvases) == {"The whole run"}
    assert "power" not in page.text
    for odd in ("NaN", "undefined", "Infinity", "[object"):
        assert odd not in page.text


def test_fio_takes_the_job_which_names_no_drive(ssdpm: Command) -> None:
    job = ssdpm.output("consistency", "--job", "--share", "50%", "--duration", "3s")
    assert "filename" not in job and "/dev" not in job
    for line in ("rw=trim", "size=50%", "iodepth=32", "bs=4k", "runtime=3s", "norandommap=1"):
        assert line in job.splitlines()
    assert "trim" not in ssdpm.output("consistency", "--job", "--no-trim")
    # A file can be neither trimmed nor, everywhere, be written past the cache.
    # So long that a busy machine completes more than one second of its log.
    job = ssdpm.output("consistency", "--job", "--no-trim", "--duration", "10s")
    ssdpm.write("job.fio", job.replace("direct=1", "direct=0"))
    ssdpm.write("disk", bytes(8 << 20))
    done = subprocess.run(
        ["fio", "--filename=disk", "job.fio"], cwd=ssdpm.directory, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert ssdpm.json("consistency", "ssdpm_iops.log")["n"] >= 2


def test_only_a_drive_is_written_to(ssdpm: Command) -> None:
    ssdpm.write("file", bytes(1 << 20))
    for name in ("file", "bin", "/dev/null"):
        message = ssdpm.fails(1, "consistency", "--run", name, "--destroy-data")
        assert f"{name}: it is no drive" in message
    assert (ssdpm.directory / "file").read_bytes() == bytes(1 << 20)
    assert "gone: No such file" in ssdpm.fails(1, "consistency", "--run", "gone")


def is_hidden(process: pathlib.Path) -> bool:
    """Root may see its descriptors, but on some machines not those of a supervisor."""
    try:
        for fd in (process / "fd").iterdir():
            fd.stat()
    except PermissionError:
        return True
    except OSError:  # it has ended, or closed it
        return False
    return False


def see_all(ssdpm: Command) -> None:
    """Let the command run where each process that there is can be looked into."""
    hidden = [p for p in pathlib.Path("/proc").iterdir() if p.name.isdigit() and is_hidden(p)]
    if not hidden:
        return
    (ssdpm.directory / "none").mkdir()
    program = ssdpm.directory / "bin/ssdpm"
    command = program.resolve()
    program.unlink()
    none = ssdpm.directory / "none"
    binds = "".join(f"/bin/mount --bind {none} {process} && " for process in hidden)
    program.write_text(
        "#!/bin/sh\nexec /usr/bin/unshare --mount /bin/sh -c "
        f"'{binds}exec {command} \"$@\"' ssdpm \"$@\"\n"
    )
    program.chmod(0o755)


@pytest.fixture
def disk(ssdpm: Command) -> Iterator[pathlib.Path]:
    """A drive of 32 MiB with a file system on it."""
    see_all(ssdpm)
    image = ssdpm.directory / "image"
    image.write_bytes(b"")
    os.truncate(image, 32 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-L", "mine", image], check=True)
    name = subprocess.run(
        ["losetup", "--find", "--show", image], check=True, capture_output=True, text=True
    ).stdout.strip()
    yield pathlib.Path(name)
    subprocess.run(["losetup", "--detach", name], check=True)


def image_of(ssdpm: Command) -> bytes:
    return (ssdpm.directory / "image").read_bytes()


@pytest.fixture
def untouched(ssdpm: Command, disk: pathlib.Path) -> Iterator[None]:
    """The drive has in the end what it had, and there is no log."""
    before = image_of(ssdpm)
    yield
    assert image_of(ssdpm) == before
    assert not list(ssdpm.directory.glob("*.log"))


@pytest.mark.usefixtures("untouched")
def test_what_would_be_lost_is_said_and_nothing_written(
    ssdpm: Command, disk: pathlib.Path
) -> None:
    result = ssdpm("consistency", "--run", str(disk))
    lines = result.stderr.decode().splitlines()
    assert (result.returncode, result.stdout) == (2, b"")
    assert lines[0] == f"ssdpm: {disk}: no model, 32 MiB: all of its data will be lost"
    assert lines[1].split()[1:] == [disk.name, "ext4", "mine"]
    assert "nothing was written: --destroy-data says" in lines[2]


def writing(disk: pathlib.Path, duration: str = "2s") -> list[str]:
    call = ["consistency", "--run", str(disk), "--destroy-data"]
    return [*call, "--duration", duration]


def test_a_drive_that_is_mounted_or_held_is_refused(
    ssdpm: Command, disk: pathlib.Path
) -> None:
    call = writing(disk)
    at = ssdpm.directory / "mnt"
    at.mkdir()
    subprocess.run(["mount", disk, at], check=True)
    try:
        assert f"it is mounted at {at}" in ssdpm.fails(1, *call)
    finally:
        subprocess.run(["umount", at], check=True)
    # In another namespace, where it cannot be seen.
    mount = f"mount {disk} {at} && echo mounted && exec sleep 60"
    with subprocess.Popen(
        ["unshare", "--mount", "sh", "-c", mount], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout and process.stdout.readline() == b"mounted\n"
        assert "it is in use; nothing was written" in ssdpm.fails(1, *call)
        process.kill()
    assert not list(ssdpm.directory.glob("*.log"))


@pytest.mark.usefixtures("untouched")
def test_a_drive_that_a_process_has_open_is_refused(
    ssdpm: Command, disk: pathlib.Path
) -> None:
    """Open without O_EXCL, as dd and virtual machines do, and under another name."""
    call = writing(disk)
    node = ssdpm.directory / "node"
    os.mknod(node, 0o600 | stat.S_IFBLK, disk.stat().st_rdev)
    words = f"{disk.name} is in use: it is open in process {os.getpid()} ("
    for path in (disk, node):
        for flags in (os.O_RDWR, os.O_RDONLY):
            fd = os.open(path, flags)
            try:
                assert words in ssdpm.fails(1, *call)
            finally:
                os.close(fd)


def test_a_drive_under_another_loop_device_is_refused(
    ssdpm: Command, disk: pathlib.Path
) -> None:
    """Which keeps it open in no process."""
    above = subprocess.run(
        ["losetup", "--find", "--show", disk], check=True, capture_output=True, text=True
    ).stdout.strip()
    try:
        message = ssdpm.fails(1, "consistency", "--run", str(disk), "--destroy-data")
    finally:
        subprocess.run(["losetup", "--detach", above], check=True)
    assert f"it is the backing file of {os.path.basename(above)}" in message


@pytest.mark.usefixtures("untouched")
def test_a_loop_device_of_another_mount_namespace_is_seen(
    ssdpm: Command, disk: pathlib.Path
) -> None:
    """The name of what it is made of leads nowhere from here."""
    number = disk.stat().st_rdev
    at = ssdpm.directory / "private"
    at.mkdir()
    made = subprocess.run(
        [
            *("unshare", "--mount", "sh", "-ec"),
            f"mount -t tmpfs none {at}\n"
            f"mknod {at}/node b {os.major(number)} {os.minor(number)}\n"
            f"losetup --find --show {at}/node",
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    above = made.stdout.strip()
    assert not (at / "node").exists()
    try:
        message = ssdpm.fails(1, "consistency", "--run", str(disk), "--destroy-data")
    finally:
        subprocess.run(["losetup", "--detach", above], check=True)
    assert f"it is the backing file of {os.path.basename(above)}" in message


def has_open(pid: int, path: pathlib.Path) -> bool:
    disk = path.stat().st_rdev
    for fd in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed since
            if fd.stat().st_rdev == disk:
                return True
    return False


@pytest.mark.usefixtures("untouched")
def test_a_process_that_opens_the_drive_after_the_first_look_is_seen(
    ssdpm: Command, disk: pathlib.Path
) -> None:
    """Its first message comes between the two looks, and waits for room in a pipe."""
    reader, writer = os.pipe()
    size = fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    os.write(writer, b"-" * size)
    call = writing(disk)
    with subprocess.Popen(
        ["ssdpm", *call], cwd=ssdpm.directory, env=ssdpm.environment, stderr=writer
    ) as process:
        os.close(writer)
        with open(reader, "rb") as pipe:
            # Should this fail, the pipe is closed, and the process ends.
            deadline = time.monotonic() + 30
            while not has_open(process.pid, disk):
                assert time.monotonic() < deadline and process.poll() is None
                time.sleep(0.01)
            fd = os.open(disk, os.O_RDWR)
            said = pipe.read().decode()
            os.close(fd)
    assert process.returncode == 1
    assert "all of its data will be lost" in said
    assert f"{disk.name} is in use: it is open in process {os.getpid()} (" in said


@pytest.mark.usefixtures("untouched")
def test_without_the_right_to_see_all_processes_no_drive_is_written(
    ssdpm: Command, disk: pathlib.Path
) -> None:
    call = writing(disk)
    setpriv = ["setpriv", "--bounding-set=-sys_ptrace", "--inh-caps=-sys_ptrace"]
    result = ssdpm.run(*setpriv, "ssdpm", *call)
    assert (result.returncode, result.stdout) == (4, "")
    assert (
        f"cannot see which processes use {disk.name}: root with CAP_SYS_PTRACE can; "
        "nothing was written"
    ) in result.stderr


def test_a_drive_is_written_and_its_log_measured(
    ssdpm: Command, disk: pathlib.Path
) -> None:
    call = writing(disk, "3s")
    result = ssdpm(*call, "--share", "50%", "--json")
    assert result.returncode == 0, result.stderr
    assert "ext4" in result.stderr.decode()
    name = f"{disk.name}_iops.log"
    found = documented.listed(result.stdout)
    assert found["file"] == name and found["n"] >= 2
    assert found["floor_iops_milli"] > 0
    assert ssdpm.json("consistency", name) == found
    # The half that was not to be written was trimmed.
    image = image_of(ssdpm)
    assert image[16 << 20 :] == bytes(16 << 20)
    assert all(image[i : i + 4096] != bytes(4096) for i in range(0, 15 << 20, 4096))
    again = ssdpm(*call)
    assert again.returncode == 1 and again.stdout == b""
    assert f"{name} is there already" in again.stderr.decode()
    assert image_of(ssdpm) == image


def path_with(ssdpm: Command, *programs: str) -> None:
    """No other programs can be found."""
    folder = ssdpm.directory / "few"
    folder.mkdir()
    for name in programs:
        (folder / name).symlink_to(f"/usr/bin/{name}")
    ssdpm.environment["PATH"] = f"{ssdpm.directory}/bin:{folder}"


@pytest.mark.usefixtures("untouched")
def test_without_fio_there_is_no_log(ssdpm: Command, disk: pathlib.Path) -> None:
    path_with(ssdpm)
    result = ssdpm("consistency", "--run", str(disk), "--destroy-data", "--save", "x.log")
    assert result.returncode == 1 and result.stdout == b""
    assert result.stderr.endswith(b"ssdpm: fio: No such file or directory\n")
    assert not (ssdpm.directory / "x.log").exists()


def test_what_fio_fails_of_is_a_failure(ssdpm: Command, disk: pathlib.Path) -> None:
    path_with(ssdpm)
    fio = ssdpm.directory / "few/fio"
    fio.write_text("#!/bin/sh\necho 'fio: no such engine' >&2\nexit 1\n")
    fio.chmod(0o755)
    result = ssdpm("consistency", "--run", str(disk), "--destroy-data", "--save", "x.log")
    assert result.returncode == 1
    assert b"fio: no such engine\nssdpm: fio failed (status 1)\n" in result.stderr
    fio.write_text("#!/bin/sh\n")
    result = ssdpm("consistency", "--run", str(disk), "--destroy-data", "--save", "x.log")
    assert result.returncode == 1 and b"fio wrote no log" in result.stderr
    assert not (ssdpm.directory / "x.log").exists()


@pytest.fixture
def full(ssdpm: Command) -> Iterator[pathlib.Path]:
    """A directory of a full file system."""
    path = ssdpm.directory / "full"
    path.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "none", path], check=True)
    (path / "x").write_bytes(bytes(100 << 10))
    yield path
    subprocess.run(["umount", path], check=True)


@pytest.mark.usefixtures("untouched")
def test_without_room_for_the_log_nothing_is_written(
    ssdpm: Command, disk: pathlib.Path, full: pathlib.Path
) -> None:
    call = writing(disk, "3s")
    words = "No space left on device: 64.1 KiB are needed for the log; nothing was written"
    for options in (["--save", str(full / "a.log")], []):
        result = ssdpm(*call, *options)
        assert result.returncode == 1 and result.stdout == b""
        assert words in result.stderr.decode()
        ssdpm.environment["TMPDIR"] = str(full)
    assert [path.name for path in full.iterdir()] == ["x"]


def test_a_log_that_cannot_be_kept_is_left_where_fio_wrote_it(
    ssdpm: Command, disk: pathlib.Path, full: pathlib.Path
) -> None:
    """fio that fills the file system in which the log shall be."""
    (full / "x").unlink()
    path_with(ssdpm, "dd", "seq")
    fio = ssdpm.directory / "few/fio"
    fio.write_text(
        "#!/bin/sh\nfor job; do :; done\n"
        f"dd if=/dev/zero of={full}/x bs=1k 2>/dev/null\n"
        "for s in $(seq 1 500); do echo ${s}000, 1234567, 1, 0, 0\n"
        "done >${job%job}ssdpm_iops.log\n"
    )
    fio.chmod(0o755)
    ssdpm.environment["TMPDIR"] = str(ssdpm.directory)
    call = writing(disk)
    result = ssdpm(*call, "--save", str(full / "a.log"))
    assert result.returncode == 1 and result.stdout == b""
    (left,) = ssdpm.directory.glob("ssdpm-*/ssdpm_iops.log")
    assert result.stderr.decode().splitlines()[-2:] == [
        f"ssdpm: {full}/a.log: No space left on device",
        f"ssdpm: fio's log is left at {left}",
    ]
    assert ssdpm.json("consistency", str(left))["n"] == 500


def test_a_drive_that_is_read_only_is_refused(
    ssdpm: Command, disk: pathlib.Path
) -> None:
    subprocess.run(["blockdev", "--setro", disk], check=True)
    try:
        message = ssdpm.fails(1, "consistency", "--run", str(disk), "--destroy-data")
    finally:
        # The next one of that name would be, too.
        subprocess.run(["blockdev", "--setrw", disk], check=True)
    assert f"{disk}: it is read-only" in message


def test_a_drive_that_fails_ends_the_run(ssdpm: Command, full: pathlib.Path) -> None:
    """Of a file on a full file system, as one that vanishes."""
    see_all(ssdpm)
    os.truncate(full / "x", 8 << 20)
    name = subprocess.run(
        ["losetup", "--find", "--show", full / "x"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    try:
        call = ["consistency", "--run", name, "--destroy-data", "--no-trim"]
        result = ssdpm(*call, "--duration", "3s")
    finally:
        subprocess.run(["losetup", "--detach", name], check=True)
    message = result.stderr.decode()
    assert result.returncode == 1 and result.stdout == b""
    assert "fio failed (status " in message
    assert "io_u error on file" in message
    assert not list(ssdpm.directory.glob("*.log"))


def test_the_log_up_to_an_interrupt_is_kept(ssdpm: Command, disk: pathlib.Path) -> None:
    with subprocess.Popen(
        ["ssdpm", "consistency", "--run", str(disk), "--destroy-data", "--save", "x.log"],
        cwd=ssdpm.directory,
        env=ssdpm.environment,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        time.sleep(5)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert "x.log has the log up to then" in said
    assert process.returncode == -signal.SIGINT
    assert ssdpm.json("consistency", "x.log")["n"] >= 1
