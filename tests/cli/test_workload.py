# SPDX-License-Identifier: MIT
"""ssdpm workload: statistics, traces made and converted."""

from __future__ import annotations

import gzip
import lzma
import os
import pty
import re
import subprocess
import time

import documented
import pytest
import trace
from command import Command, read_terminal
from trace import MS, S

SOME = """\
some.csv: 4 I/Os in 6.01 s, 0.1 % busy
        I/Os  share    data  mean size
  read     4  100 %  16 KiB      4 KiB
  sequential: 0 % of the I/Os begin where the one before ended
  idle: 3 times; half of them longer than 1 s, 1 % longer than 5 s, at most 5 s
  idle longer than  times  of all  of the idle time
              1 ms      3   100 %             100 %
             10 ms      2  66.7 %            99.8 %
            100 ms      2  66.7 %            99.8 %
               2 s      1  33.3 %            83.2 %
              10 s      0     0 %               0 %
             1 min      0     0 %               0 %
"""


def test_people_get_the_mix_and_the_idle_times(ssdpm: Command) -> None:
    ssdpm.write("some.csv", trace.SOME)
    assert ssdpm.output("workload", "some.csv") == SOME
    assert ssdpm.output("workload", "-", stdin=trace.SOME.encode()) == SOME.replace(
        "some.csv", "-"
    )
    for name, pack in ("some.csv.gz", gzip.compress), ("some.csv.xz", lzma.compress):
        ssdpm.write(name, pack(trace.SOME.encode()))
        assert ssdpm.output("workload", name) == SOME.replace("some.csv", name)


def test_json_has_the_same_numbers(ssdpm: Command) -> None:
    ssdpm.write("some.csv", trace.SOME)
    answer = ssdpm.json("workload", "some.csv")
    assert answer["n_ios"] == [4, 0, 0, 0]
    assert answer["bytes"] == [16384, 0, 0, 0]
    assert answer["busy_ns"] == 4 * MS and answer["idle_ns"] == 6 * S + 10 * MS
    assert answer["duration_ns"] == answer["busy_ns"] + answer["idle_ns"]
    assert answer["gap_max_ns"] == 5 * S
    assert sum(gap["gaps_ns"] for gap in answer["gaps"]) == answer["idle_ns"]
    longer = {row["than_ns"]: row["gaps_ns"] for row in answer["longer"]}
    assert longer[100 * MS] == 6 * S and longer[2 * S] == 5 * S
    assert answer["counts"]["n_lines"] == 5
    call = ["workload", "--value", "gap_max_ns", "some.csv", "some.csv"]
    assert ssdpm.output(*call) == "5000000000\n" * 2


def test_what_is_longer_than_a_limit_is_counted_exactly(ssdpm: Command) -> None:
    rows = [(0, 0), (2 * S, 0), (4 * S + 1, 0)]
    ssdpm.write("t.csv", trace.csv(*rows))
    longer = ssdpm.json("workload", "t.csv")["longer"]
    assert [row["n_gaps"] for row in longer if row["than_ns"] == 2 * S] == [1]


def test_one_i_o_and_no_idle_time(ssdpm: Command) -> None:
    ssdpm.write("one.csv", trace.csv((7, MS)))
    text = ssdpm.output("workload", "one.csv")
    assert "one.csv: 1 I/O in 1 ms, 100 % busy\n" in text
    assert "never idle" in text


def test_a_trace_without_i_os_is_empty_and_cannot_be_simulated(
    ssdpm: Command,
) -> None:
    ssdpm.write("none.csv", trace.HEADER)
    assert ssdpm.output("workload", "none.csv") == "none.csv: 0 I/Os in 0 ns, - busy\n"
    for command in ("estimate", "compare", "recommend"):
        message = ssdpm.fails(1, command, "-q", "-t", "none.csv", "plain.json")
        assert "none.csv: the workload has no record" in message


def test_every_workload_of_the_list_can_be_made(ssdpm: Command) -> None:
    names = [row["name"] for row in ssdpm.json("workload", "--list")]
    assert len(names) > 40
    listed = ssdpm.output("workload", "--list").splitlines()
    assert [line.split()[0] for line in listed] == names
    counts = ssdpm.output("workload", "--n-ios", "50", "--value", "counts_n_ios", *names)
    assert all(int(count) > 0 for count in counts.split())


@pytest.mark.parametrize("form", ["npy", "csv", "iolog"])
def test_what_was_written_is_read_again(ssdpm: Command, form: str) -> None:
    made = ["workload", "--n-ios", "500", "--seed", "3", "--service", "80us", "on-off"]
    ssdpm.output(*made, "--to", form, "--output", f"t.{form}")
    before, after = ssdpm.json(*made), ssdpm.json("workload", f"t.{form}")
    assert after["n_ios"] == before["n_ios"] and after["bytes"] == before["bytes"]
    if form != "iolog":  # which has microseconds, and no service times
        assert after["gaps"] == before["gaps"]
        assert after["n_unknown_service"] == 0
    else:
        assert abs(after["duration_ns"] - before["duration_ns"]) < 200_000


def test_npy_is_what_numpy_loads(ssdpm: Command) -> None:
    numpy = pytest.importorskip("numpy")
    ssdpm.write("some.csv", trace.SOME)
    ssdpm.output("workload", "--to", "npy", "-o", "some.npy", "some.csv")
    ios = numpy.load(ssdpm.directory / "some.npy")
    assert ios["start_ns"].tolist() == [0, S + MS, 6 * S + 2 * MS, 6 * S + 13 * MS]
    assert ios["service_ns"].tolist() == [MS] * 4 and ios["op"].tolist() == [1] * 4
    assert ios.dtype.itemsize == 32


def test_npy_needs_a_file_that_can_seek(ssdpm: Command) -> None:
    message = ssdpm.fails(1, "workload", "--to", "npy", "lomax")
    assert "give a file with --output" in message
    done = ssdpm.shell("ssdpm workload --to npy --n-ios 9 lomax > t.npy")
    assert done.returncode == 0
    assert ssdpm.output("workload", "--value", "counts_n_ios", "t.npy") == "9\n"


def test_the_same_seed_makes_the_same_trace(ssdpm: Command) -> None:
    call = ["workload", "--to", "csv", "--n-ios", "100", "poisson", "--seed"]
    assert ssdpm.output(*call, "5") == ssdpm.output(*call, "5")
    assert ssdpm.output(*call, "5") != ssdpm.output(*call, "6")


def test_each_option_of_a_workload_does_something(ssdpm: Command) -> None:
    plain = ssdpm.output("workload", "--to", "csv", "--n-ios", "20", "lomax")
    for option in (
        ["--mean-idle", "7ms"],
        ["--shape", "2.5"],
        ["--op", "write"],
        ["--bytes", "8KiB"],
        ["--area", "1MiB"],
        ["--service", "80us"],
    ):
        call = ["workload", "--to", "csv", "--n-ios", "20", *option, "lomax"]
        assert ssdpm.output(*call) != plain, option
    call = ["workload", "--value", "bytes_0", "uflip-granularity-sr", "--n-ios", "10"]
    assert ssdpm.output(*call, "--parameter", "16384") == f"{16384 * 10}\n"


def test_a_job_for_fio_names_no_drive(ssdpm: Command) -> None:
    job = ssdpm.output("workload", "--to", "fio-job", "apst-4")
    assert "[apst-4]\n" in job
    assert not any(line.startswith("filename") for line in job.splitlines())
    ssdpm.write("some.csv", trace.SOME)
    message = ssdpm.fails(2, "workload", "--to", "fio-job", "some.csv")
    assert "a trace becomes an iolog" in message


BAD = trace.SOME + "oops\n" + f"{7 * S},0,512,1000,read,0\n"


def test_a_line_that_cannot_be_read_is_named_or_counted(ssdpm: Command) -> None:
    ssdpm.write("bad.csv", BAD)
    assert "bad.csv:6: " in ssdpm.fails(1, "workload", "bad.csv")
    result = ssdpm("workload", "--skip-bad", "--json", "bad.csv")
    assert b"bad.csv: 1 line could not be read and is left out" in result.stderr
    answer = documented.listed(result.stdout)
    assert answer["counts"]["n_bad"] == 1 and answer["n_ios"][0] == 5
    assert ssdpm("workload", "--skip-bad", "-q", "bad.csv").stderr == b""


def test_columns_and_devices_are_as_one_says(ssdpm: Command) -> None:
    ssdpm.write("t", "0.5 sda R 8 16\n0.6 sdb R 8 16\n3.1 sda W 24 8\n")
    call = ["workload", "--format", "delimited", "--columns"]
    call += ["time:s,device,op,offset:sectors,bytes:sectors;separator=blank"]
    message = ssdpm.fails(1, *call, "t")
    assert message.endswith("sda and sdb: name the one to read with --device")
    answer = ssdpm.json(*call, "--device", "sda", "t")
    assert answer["n_ios"] == [1, 1, 0, 0]
    assert answer["counts"]["n_other_device"] == 1
    assert b"1 I/O of another device" in ssdpm(*call, "--device", "sda", "-v", "t").stderr
    result = ssdpm(*call, "-v", "--device", "sda", "t")
    assert b"delimited, 3 lines or events, 2 I/Os" in result.stderr


# An event of each kind that is counted, in a text of blkparse.
COUNTED = """\
8,0 0 1 0.000000000 1 D R 8 + 8 [a]
8,0 0 1 0.001000000 1 C R 8 + 8 [0]
8,0 0 1 1266874889.709551615 1 D W 16 + 8 [a]
8,0 0 1 0.002000000 1 C W 16 + 8 [0]
8,16 0 1 0.003000000 1 D R 8 + 8 [a]
8,0 0 1 0.004000000 1 C R 800 + 8 [0]
8,0 0 1 oops 1 D R 8 + 8 [a]
8,0 0 1 1.000000000 1 D R 24 + 8 [a]
8,0 0 1 7.000000000 1 C R 24 + 8 [0]
8,0 0 1 0.500000000 1 D R 56 + 8 [a]
8,0 0 1 0.600000000 1 C R 56 + 8 [0]
8,0 0 1 8.000000000 1 D R 32 + 8 [a]
8,0 0 1 9.000000000 1 D R 40 + 8 [a]
8,0 0 1 9.100000000 1 C R 40 + 8 [0]
"""


def test_each_count_of_a_trace_is_told(ssdpm: Command) -> None:
    ssdpm.write("t", COUNTED)
    result = ssdpm("workload", "--skip-bad", "--device", "8,0", "--json", "t")
    assert result.stderr.decode().splitlines() == [
        "ssdpm: t: 1 line could not be read and is left out",
        "ssdpm: t: 1 I/O never completed and is left out",
        "ssdpm: t: 1 completion of an I/O that never began is left out",
        "ssdpm: t: 1 I/O took longer than 4.29 s and counts as that",
        "ssdpm: t: 1 time went backwards and was raised",
        "ssdpm: t: 1 time of -1 ns was put right",
    ]
    counts = documented.listed(result.stdout)["counts"]
    assert counts["n_lines"] == 14 and counts["n_ios"] == 5
    for name in ("bad", "unmatched", "orphans", "saturated", "backward", "wrapped"):
        assert counts[f"n_{name}"] == 1, name
    assert counts["n_other_device"] == 1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ([], "no TRACE given"),
        (["--list", "lomax"], "--list takes nothing else"),
        (["--list", "--to", "csv"], "--list takes nothing else"),
        (["--output", "x", "lomax"], "--output requires --to"),
        (["--to", "csv", "lomax", "lomax"], "--to takes one trace, here are 2"),
        (["--to", "csv", "--json", "lomax"], "--to conflicts with --json"),
        (["--to", "pdf", "lomax"], "unknown --to 'pdf'; expected npy, iolog, csv or fio-job"),
        (["--format", "pdf", "lomax"], "unknown --format 'pdf'; expected npy, blkparse, "),
        (["--seed", "1s", "lomax"], "--seed 1s: write a whole number"),
        (["--seed", "99999999999999999999", "lomax"], "--seed: too large"),
        (["--n-ios", "0", "lomax"], "--n-ios 0: must be above 0"),
        (["--mean-idle", "0s", "lomax"], "--mean-idle 0s: must be above 0"),
        (["--area", "0B", "lomax"], "--area 0B: must be above 0"),
        (["--parameter", "0", "uflip-mix-sr"], "--parameter 0: must be above 0"),
        (["--n-ios", "-1", "lomax"], "--n-ios -1: write a whole number"),
        (["--mean-idle", "5", "lomax"], "--mean-idle 5: write a number with its unit"),
        (["--mean-idle", "5h3", "lomax"], "the unit is ns, us, ms, s, min, h or d"),
        (["--mean-idle", "0.5ns", "lomax"], "finer than a nanosecond"),
        (["--mean-idle", "99999999999d", "lomax"], "too long"),
        (["--shape", "x", "lomax"], "--shape x: write a number, as in 1.5"),
        (["--shape", "0", "lomax"], "--shape 0: must be above 0"),
        (["--op", "flush", "lomax"], "unknown --op 'flush'; expected read or write"),
        (["--bytes", "0B", "lomax"], "--bytes 0B: must be above 0"),
        (["--bytes", "4K", "lomax"], "the unit is B, kB, MB, GB, TB, KiB, MiB or GiB"),
        (["--service", "5s", "lomax"], "--service 5s: at most 4.294967294s"),
        (["--format", "npy", "lomax"], "--format is for traces that are read"),
        (["--skip-bad", "lomax"], "--skip-bad is for traces that are read"),
        (["--seed", "1", "drive.json"], "--seed is for workloads that are made"),
        (["-", "-"], "standard input is named twice"),
    ],
)
def test_wrong_usage_is_explained(ssdpm: Command, call: list[str], words: str) -> None:
    assert words in ssdpm.fails(2, "workload", *call)


def test_a_record_that_is_late_is_put_in_order_and_said(ssdpm: Command) -> None:
    starts_us = (0, 1000, 694, 2000)
    rows = [(start_us * 1000, 1) for start_us in starts_us]
    ssdpm.write("late.csv", trace.csv(*rows))
    result = ssdpm("workload", "--to", "csv", "late.csv")
    lines = result.stdout.decode().splitlines()[1:]
    starts = [line.split(",")[0] for line in lines]
    assert starts == ["0", "694000", "1000000", "2000000"]
    words = "late.csv: 1 I/O was late, by 306 us at most, and put in order"
    assert words in result.stderr.decode()
    counts = ssdpm.json("workload", "late.csv")["counts"]
    assert (counts["n_late"], counts["late_max_ns"]) == (1, 306000)


def test_runs_pasted_together_are_told_even_if_bad_lines_are_skipped(
    ssdpm: Command,
) -> None:
    lines = "".join(f"{500 * i}, 100000, 0, 4096, 0, 0\n" for i in range(40))
    ssdpm.write("twice.log", 2 * lines)
    assert "a second run begins here" in ssdpm.fails(1, "workload", "twice.log")
    result = ssdpm("workload", "--skip-bad", "twice.log")
    words = "twice.log: 39 I/Os were late, by 19.5 s at most, and put in order"
    assert words in result.stderr.decode()


def test_a_second_log_of_process_monitor_is_no_part_of_the_first(
    ssdpm: Command,
) -> None:
    log = (
        '"Time of Day","Operation","Detail"\n"{}:25:34.5 PM","ReadFile",'
        '"Offset: 0, Length: 4,096, I/O Flags: Non-cached"\n'
    )
    ssdpm.write("two.csv", log.format(3) + log.format(5))
    message = ssdpm.fails(1, "workload", "two.csv")
    assert "two.csv:3: a second run begins here" in message


def test_traces_of_msr_cambridge_have_the_clock_of_windows(ssdpm: Command) -> None:
    ssdpm.write(
        "msr.csv",
        "128166372003061629,hm,1,Read,383496192,32768,113736\n"
        "128166372016382155,hm,1,Write,2822144,4096,198916\n",
    )
    answer = ssdpm.json("workload", "msr.csv")
    assert answer["start_ns"] == 12816637200306162900
    assert answer["duration_ns"] == 1332052600 + 19891600


def test_what_a_trace_does_not_have_is_said(ssdpm: Command) -> None:
    ssdpm.write("times", "TIMEus DELTAus\n9 5\n20 5\n")
    text = ssdpm.output("workload", "times")
    assert "no size is in the trace for 100 % of the I/Os; here they have 0" in text
    assert "no operation is in the trace for 100 % of the I/Os; here they are" in text
    counts = ssdpm.json("workload", "times")["counts"]
    assert (counts["n_unsized"], counts["n_untyped"]) == (2, 2)
    words = ssdpm("compare", "-t", "times", "SN530").stderr.decode()
    assert "times: 2 I/Os have no size in the trace and count as 0 bytes" in words
    assert "times: 2 I/Os have no operation in the trace and count as reads" in words


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "bad: "),
        (b"hello\n", "bad: "),
        (gzip.compress(trace.SOME.encode(), mtime=0)[:40], "bad"),
        (lzma.compress(trace.SOME.encode())[:-8], "bad"),
        (
            b"start_ns,offset,bytes,op\n5,0,8,read\n300000006,0,8,read\n6,0,8,read\n",
            "bad:4: time goes backwards by 0.3 s, to where the trace began",
        ),
        (
            trace.csv((1, 1), (10**9, 1), (2 * 10**9, 1), (10**9, 1)).encode(),
            "bad:5: time goes backwards by 1 s here or shortly before",
        ),
        (trace.csv((5, 1)).replace("read", "sing").encode(), "bad:2: "),
    ],
)
def test_a_bad_trace_is_named_with_the_cause(
    ssdpm: Command, content: bytes, words: str
) -> None:
    ssdpm.write("bad", content)
    message = ssdpm.fails(1, "workload", "bad")
    assert words in message and len(message) > len(words) + 10
    call = ["estimate", "-q", "-t", "bad", "plain.json"]
    assert words in ssdpm.fails(1, *call)


def test_what_is_no_trace_is_named(ssdpm: Command) -> None:
    assert "unknown trace or workload" in ssdpm.fails(1, "workload", "gone")
    (ssdpm.directory / "dir").mkdir()
    assert "dir: is a directory" in ssdpm.fails(1, "workload", "dir")
    assert "/dev/null: " in ssdpm.fails(1, "workload", "/dev/null")


def test_a_file_comes_before_a_workload_of_the_same_name(ssdpm: Command) -> None:
    ssdpm.write("lomax", trace.SOME)
    assert ssdpm.output("workload", "--value", "counts_n_ios", "lomax") == "4\n"


def test_half_a_file_is_not_left(ssdpm: Command) -> None:
    ssdpm.write("bad.csv", BAD)
    ssdpm.fails(1, "workload", "--to", "csv", "-o", "out", "bad.csv")
    assert not (ssdpm.directory / "out").exists()
    message = ssdpm.fails(1, "workload", "--to", "csv", "-o", "no/out", "lomax")
    assert "no/out: No such file" in message
    message = ssdpm.fails(1, "workload", "--to", "csv", "-o", "/dev/full", "lomax")
    assert "No space left" in message


def test_a_reader_that_goes_away_ends_it_in_silence(ssdpm: Command) -> None:
    done = ssdpm.shell("ssdpm workload --to csv --n-ios 100000 lomax | head -n 1")
    assert (done.stdout, done.stderr) == (trace.HEADER, "")


def test_a_pipe_that_is_written_slowly_is_waited_for(ssdpm: Command) -> None:
    ssdpm.write("some.csv", trace.SOME)
    slowly = "while read -r line; do sleep 0.05; echo \"$line\"; done < some.csv"
    done = ssdpm.shell(f"ssdpm workload --value counts_n_ios <({slowly})")
    assert (done.stdout, done.stderr) == ("4\n", "")


def test_whole_seconds_are_worth_a_word(ssdpm: Command) -> None:
    ssdpm.write("t.csv", trace.csv((S, 0), (3 * S, 0)))
    assert b"all times are whole seconds" in ssdpm("workload", "t.csv").stderr


def test_no_write_to_a_full_disk_looks_like_success(ssdpm: Command) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            ["ssdpm", "workload", "lomax"],
            stdout=full,
            stderr=subprocess.PIPE,
            env=ssdpm.environment,
            check=False,
        )
    assert done.returncode == 1 and b"No space left" in done.stderr


def test_standard_input_that_does_not_block_is_waited_for(ssdpm: Command) -> None:
    read, write = os.pipe()
    os.set_blocking(read, False)
    call = ["ssdpm", "workload", "--value", "counts_n_ios", "-"]
    with subprocess.Popen(
        call, stdin=read, stdout=subprocess.PIPE, env=ssdpm.environment
    ) as child:
        os.close(read)
        for part in (trace.SOME[:50], trace.SOME[50:]):
            time.sleep(0.2)
            os.write(write, part.encode())
        os.close(write)
        assert child.communicate(timeout=60)[0] == b"4\n"


def long_trace(ssdpm: Command, *options: str) -> bytes:
    """What a terminal shows while somebody takes 2 s to write a trace."""
    master, slave = pty.openpty()
    call = ["ssdpm", "workload", "--json", *options, "-"]
    with subprocess.Popen(
        call,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=slave,
        env=ssdpm.environment,
    ) as child:
        assert child.stdin
        child.stdin.write(b"start_ns,offset,bytes,op\n")
        for i in range(3):
            lines = (f"{i * 9000 + j},0,512,read\n" for j in range(9000))
            child.stdin.write("".join(lines).encode())
            child.stdin.flush()
            time.sleep(0.7)
        child.stdin.close()
        shown = read_terminal(child, master, slave)
        assert child.returncode == 0
        return shown


def test_a_terminal_is_told_how_far_a_long_trace_is_read(ssdpm: Command) -> None:
    shown = long_trace(ssdpm)
    assert re.search(rb"\rssdpm: -: [\d,]+ records", shown)
    assert re.search(rb"\r *\r$", shown), "the line is taken away"
    assert long_trace(ssdpm, "--quiet") == b""


def test_a_trace_is_not_written_over_itself(ssdpm: Command) -> None:
    ssdpm.write("some.csv", trace.SOME)
    (ssdpm.directory / "same").symlink_to("some.csv")
    for name in ("some.csv", "same"):
        call = ["workload", "--to", "csv", "-o", name, "some.csv"]
        assert "this is the trace that is read" in ssdpm.fails(1, *call)
    result = ssdpm.shell("ssdpm workload --to csv -o some.csv - < some.csv")
    assert result.returncode == 1
    assert (ssdpm.directory / "some.csv").read_text() == trace.SOME


def test_a_byte_order_mark_is_no_part_of_the_text(ssdpm: Command) -> None:
    ssdpm.write("some.csv", "\ufeff" + trace.SOME)
    assert ssdpm.output("workload", "--value", "counts_n_ios", "some.csv") == "4\n"


def test_a_device_that_is_not_in_the_trace_is_said(ssdpm: Command) -> None:
    ssdpm.write("t", "0.5 sda R 8 16\n0.6 sda R 8 16\n")
    call = ["workload", "--columns"]
    call += ["time:s,device,op,offset:sectors,bytes:sectors;separator=blank"]
    result = ssdpm(*call, "--device", "sdz", "t")
    assert result.returncode == 0
    assert result.stderr.decode().splitlines() == [
        "ssdpm: t: no I/O is of the device that --device names",
        "ssdpm: t: 2 I/Os of other devices are left out, as asked",
    ]


def test_a_step_back_names_the_option_that_skips_it(ssdpm: Command) -> None:
    ssdpm.write("back.csv", trace.csv((1, 1), (S, 1), (2 * S, 1), (S, 1)))
    assert ssdpm.fails(1, "workload", "back.csv").endswith(" with --skip-bad")
    counts = ssdpm.json("workload", "--skip-bad", "back.csv")["counts"]
    assert (counts["n_ios"], counts["n_bad"]) == (4, 0)


def test_the_formats_of_other_tools_are_known(ssdpm: Command) -> None:
    ssdpm.write(
        "events",
        " a b-7 [003] d.... 9.831159: block_rq_issue: 8,0 WS 4096 () 8 + 8 [a b]\n"
        " <idle>-0 [003] d.h.. 9.831178: block_rq_complete: 8,0 WS () 8 + 8 [0]\n",
    )
    answer = ssdpm.json("workload", "events")
    assert answer["counts"]["format"] == "ftrace"
    assert (answer["n_ios"], answer["busy_ns"]) == ([0, 1, 0, 0], 19000)
    assert ssdpm.json("workload", "-f", "perf-script", "events")["n_ios"][1] == 1


def test_cached_ios_of_files_are_left_out_and_said(ssdpm: Command) -> None:
    row = '"9:25:34.5 AM","ReadFile","Offset: 0, Length: 4,096{}"\n'
    ssdpm.write(
        "Logfile.CSV",
        '"Time of Day","Operation","Detail"\n'
        + row.format(", I/O Flags: Non-cached")
        + row.format(""),
    )
    result = ssdpm("workload", "Logfile.CSV")
    words = "Logfile.CSV: 1 I/O of a file was served by a cache and is left out"
    assert words in result.stderr.decode()
    answer = ssdpm.json("workload", "Logfile.CSV")
    assert (answer["counts"]["n_cached"], sum(answer["n_ios"])) == (1, 1)


def test_mqsim_is_one_drive_and_says_so(ssdpm: Command) -> None:
    ssdpm.write("two", "0 0 8 8 1\n5 1 8 8 1\n9 1 16 8 0\n")
    words = "two: 2 I/Os name other devices than the first, and all count as one drive"
    assert words in ssdpm("workload", "two").stderr.decode()
    call = ["workload", "-v", "--device", "0", "two"]
    assert "2 I/Os of other devices are left out" in ssdpm(*call).stderr.decode()
