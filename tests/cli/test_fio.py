# SPDX-License-Identifier: MIT
"""With the real fio: it takes our jobs and iologs, and we read its logs."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess

import pytest

BUILD = pathlib.Path(os.environ["SSDPM_BUILD"]).resolve()
AREA = 4 << 20
N_IOS = 24


def ours(*words: object, data: bytes = b"") -> str:
    command = [str(BUILD / "tests/unit/fio-files"), *map(str, words)]
    result = subprocess.run(command, input=data, capture_output=True, check=True)
    return result.stdout.decode()


def fio(folder: pathlib.Path, *words: object) -> dict:
    """Run fio in a folder of its own, on a file there; what it says."""
    command = ["fio", "--output-format=json", *map(str, words)]
    result = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=120
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "fio:" not in result.stderr, result.stderr
    return json.loads(result.stdout[result.stdout.index("{") :])


NAMES = ours("names").split()
# Arrivals that no job has.
EVERYDAY = {name for name in NAMES if re.match("apt-u|compile|desktop|phone|server", name)}
SKIPS = {"lomax", "on-off", *EVERYDAY}


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "disk").write_bytes(bytes(AREA))
    return tmp_path


def write_job(folder: pathlib.Path, name: str, *words: object) -> pathlib.Path:
    """A job that need not bypass the page cache: not every file system can."""
    path = folder / "job.fio"
    path.write_text(ours("job", name, *words).replace("direct=1", "direct=0"))
    return path


def lines_of(iolog: str) -> list[tuple[int, str, int, int]]:
    """The I/Os of an iolog that fio wrote: time, action, offset, bytes."""
    rows = [line.split() for line in iolog.splitlines()[1:]]
    return [(int(r[0]), r[2], int(r[3]), int(r[4])) for r in rows if len(r) == 5]


def test_fio_understands_each_job_as_it_is_by_default(folder):
    jobs = [ours("job", name) for name in sorted(set(NAMES) - SKIPS)]
    (folder / "jobs.fio").write_text("\n".join(jobs))
    command = ["fio", "--parse-only", "--filename=disk", "jobs.fio"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_what_fio_has_no_arrivals_for_is_no_job():
    for name in sorted(SKIPS):
        command = [str(BUILD / "tests/unit/fio-files"), "job", name]
        assert subprocess.run(command).returncode == 3


@pytest.mark.parametrize("name", sorted(set(NAMES) - SKIPS))
def test_fio_runs_each_job(folder, name):
    """So many I/Os, of these kinds, in the area; nothing else is touched."""
    path = write_job(folder, name, N_IOS, AREA)
    jobs = fio(folder, "--filename=disk", path.name)["jobs"]
    n = {op: sum(job[op]["total_ios"] for job in jobs) for op in ("read", "write")}
    assert sum(n.values()) == N_IOS
    records = [line.split() for line in
               ours("iolog", name, "disk", N_IOS, AREA).splitlines()]
    wanted = {record[2] for record in records if len(record) == 5}
    assert {op for op in n if n[op]} <= wanted
    if len(wanted) == 1:
        assert n[wanted.pop()] == N_IOS
    assert (folder / "disk").stat().st_size == AREA
    assert not {p.name for p in folder.iterdir()} - {"disk", "job.fio"}


# Sequential ones, in the order that the records have too.
SAME_PLACES = [
    "apst-2", "uflip-granularity-sw", "uflip-alignment-sr", "uflip-locality-sw",
    "uflip-order-sr", "uflip-pause-sw", "uflip-bursts-sr",
]  # fmt: skip


@pytest.mark.parametrize("name", SAME_PLACES)
def test_fio_goes_to_the_same_places_in_the_same_order(folder, name):
    n = 200 if name == "uflip-locality-sw" else N_IOS  # more than once around
    path = write_job(folder, name, n, AREA)
    fio(folder, "--filename=disk", "--write_iolog=log", path.name)
    done = [row[1:] for row in lines_of((folder / "log").read_text())]
    ours_done = [row[1:] for row in
                 lines_of(ours("iolog", name, "disk", n, AREA))]
    assert done == ours_done


def test_fio_pauses_as_the_job_says(folder):
    """Five bursts of ten with 100 ms after each."""
    path = write_job(folder, "uflip-bursts-sr", 50, AREA)
    fio(folder, "--filename=disk", "--write_iolog=log", path.name)
    starts = [row[0] for row in lines_of((folder / "log").read_text())]
    gaps = [b - a for a, b in zip(starts, starts[1:])]
    assert [i for i, gap in enumerate(gaps) if gap >= 100000] == [9, 19, 29, 39]


def test_an_iolog_that_fio_writes_is_read(folder):
    fio(folder, "--name=x", "--filename=disk", "--rw=randrw", "--bs=4k",
        "--number_ios=40", "--fsync=7", "--thinktime=20ms",
        "--thinktime_blocks=10", "--write_iolog=log", f"--size={AREA}")
    log = (folder / "log").read_bytes()
    rows = [line.split() for line in ours("read", data=log).splitlines()]
    words = {"read": "read", "write": "write", "flush": "sync"}
    assert [(int(r[0]), words[r[1]], int(r[3])) for r in rows] == \
        [(us * 1000, action, size) for us, action, _, size in lines_of(log.decode())]
    assert {r[1] for r in rows} == {"read", "write", "flush"}
    # Microseconds: four pauses of 20 ms took at least that long.
    assert 60 * 10**6 <= int(rows[-1][0]) < 60 * 10**9


def test_fio_replays_an_iolog_that_we_wrote_at_its_times(folder):
    """20 reads, 150 ms apart: 2.85 s, of which fio leaves out nothing."""
    (folder / "log").write_text(ours("iolog", "apst-7", "disk", 20, AREA))
    (folder / "job.fio").write_text("[replay]\nread_iolog=log\nioengine=psync\n")
    job = fio(folder, "job.fio")["jobs"][0]
    assert job["read"]["total_ios"] == 20
    took = job["read"]["runtime"]
    assert 2850 <= took < 4000


def test_a_latency_log_of_fio_is_read(folder):
    fio(folder, "--name=x", "--filename=disk", "--rw=randrw", "--bs=4k",
        "--number_ios=60", "--ioengine=libaio", "--iodepth=8",
        "--thinktime=30ms", "--thinktime_blocks=20", f"--size={AREA}",
        "--write_lat_log=x", "--log_offset=1")
    log = (folder / "x_clat.1.log").read_bytes()
    rows = sorted(line.split() for line in ours("read", data=log).splitlines())
    expected = []
    for line in log.decode().splitlines():
        ms, ns, way, size, offset, _ = map(int, line.split(", "))
        start = max(ms * 10**6 - ns, 0)
        op = ["read", "write"][way]
        expected.append([str(v) for v in (start, op, offset, size, ns)])
    assert rows == sorted(expected)
    assert len(rows) == 60
    starts = sorted(int(row[0]) for row in rows)
    assert starts[-1] >= 58 * 10**6  # two pauses, of ns and not of us or ms


def test_an_averaged_log_of_fio_is_refused(folder):
    fio(folder, "--name=x", "--filename=disk", "--rw=randread", "--bs=4k",
        "--time_based", "--runtime=1", f"--size={AREA}", "--thinktime=1ms",
        "--write_lat_log=x", "--log_avg_msec=100")
    command = [str(BUILD / "tests/unit/fio-files"), "read"]
    log = (folder / "x_lat.1.log").read_bytes()
    result = subprocess.run(command, input=log, capture_output=True, text=False)
    assert result.returncode == 1
    assert b"averages and no single I/Os" in result.stderr
