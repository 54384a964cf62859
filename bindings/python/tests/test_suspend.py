# SPDX-License-Identifier: MIT
"""Suspends: readings of machines that are made up, and what they say."""

from __future__ import annotations

import dataclasses
import importlib
import json
import pickle
import re
from pathlib import Path

import pytest

import ssdpm
from ssdpm import suspend

suspends = importlib.import_module("suspends")

FILES = "/sys/kernel/debug/pmc_core/substate_residencies"
SUCCESS = "/sys/power/suspend_stats/success"


def root_of(name: str, folder: Path) -> Path:
    suspends.write(name, folder / name)
    return folder / name


def reading(success: int, s0i2: int, s0i3: int, boot: str = "a") -> suspend.SuspendReading:
    return suspend.SuspendReading(
        f"ssdpm-suspend 1\nboot {boot}\nsuccess {success} {SUCCESS}\t\n"
        f"substate {s0i2} {FILES}\tS0i2.0\nsubstate {s0i3} {FILES}\tS0i3.0\n"
    )


def test_a_drive_of_a_public_case_is_the_culprit(tmp_path: Path) -> None:
    verdict = suspend.judge(root=root_of("team", tmp_path))
    assert verdict.outcome == "not-reached" and verdict.outcome in suspend.OUTCOMES
    assert (verdict.deepest, verdict.wanted) == ("S0i2.0", "S0i3.0")
    assert (verdict.culprit, verdict.n_suspends, verdict.deep_us) == ("nvme0", 3, 63 * 10**6)
    first = verdict.remedies[0]
    assert (first.status, first.source) == ("verified", "intel/S0ixSelftestTool#41")
    assert first.change == ssdpm.Change(
        "/sys/module/pcie_aspm/parameters/policy", "powersupersave"
    )
    (drive,) = verdict.drives
    assert drive.suspend is not None
    assert drive.suspend.startswith("suspend (s2idle) shuts it down: the kernel log")
    assert str(verdict) == (
        "not-reached, S0i2.0 of S0i3.0, 3 suspends, deep sleep 63 s, because of nvme0"
    )
    assert "powersupersave" in str(first)


def test_what_no_counter_says_is_none_and_not_zero(tmp_path: Path) -> None:
    verdict = suspend.judge(root=root_of("old", tmp_path))
    assert verdict.outcome == "cannot-say"
    unknown = (verdict.deep_us, verdict.asleep_us, verdict.battery_uw, verdict.battery_w)
    assert unknown == (None,) * 4
    assert (verdict.deepest, verdict.wanted, verdict.culprit) == (None,) * 3


def test_a_drive_without_a_remedy_says_so(tmp_path: Path) -> None:
    verdict = suspend.judge(root=root_of("micron", tmp_path))
    none = [one for one in verdict.remedies if one.status == "none"]
    assert [(one.remedy, one.change) for one in none] == [(None, None)]
    assert str(none[0]) == "nvme0: no remedy, none in omacom/omarchy#12887"


def test_two_readings_are_compared(tmp_path: Path) -> None:
    root = root_of("sata", tmp_path)
    before, after = reading(2, 50, 0), reading(3, 50, 40)
    verdict = suspend.judge(before, after, root=root)
    assert (verdict.outcome, verdict.n_suspends, verdict.deep_us) == ("reached", 1, 40)
    assert verdict.remedies == ()
    found = {one.name: one for one in verdict.evidence if one.counter == "substate"}
    assert (found["S0i3.0"].before, found["S0i3.0"].after) == (0, 40)
    assert (found["S0i3.0"].bearing, found["S0i2.0"].bearing) == ("for", "none")
    assert str(found["S0i3.0"]) == "substate S0i3.0: 0 to 40, for"
    assert suspend.judge(before, before, root=root).outcome == "no-suspend"
    frame = verdict.evidence.to_dataframe()
    assert list(frame["bearing"]) == [one.bearing for one in verdict.evidence]
    with pytest.raises(ssdpm.NotInForceError, match="started anew"):
        suspend.judge(before, reading(3, 50, 40, boot="b"), root=root)
    with pytest.raises(ssdpm.RangeError, match="less after than before"):
        suspend.judge(after, before, root=root)


def test_a_freeze_is_judged_whatever_mem_sleep_says(tmp_path: Path) -> None:
    root = root_of("s3", tmp_path)
    before, after = reading(2, 0, 0), reading(3, 0, 9)
    assert suspend.judge(before, after, root=root).outcome == "firmware"
    assert suspend.judge(before, after, root=root, suspend="s2idle").outcome == "reached"
    with pytest.raises(ValueError, match="suspend: 'freeze' is none of 's2idle'"):
        suspend.judge(before, after, root=root, suspend="freeze")


def test_the_kernels_log_has_the_states_of_devices(tmp_path: Path) -> None:
    root = root_of("team", tmp_path)
    log = b"\xff\nnvme 0000:01:00.0: PCI PM: Suspend power state: D3hot\n"
    after = suspend.read(root).add_log(log)
    assert after == suspend.read(root).add_log(log.decode(errors="surrogateescape"))
    (state,) = [e for e in suspend.judge(None, after, root=root).evidence
                if e.counter == "d-state"]  # fmt: skip
    assert (state.name, state.source) == ("0000:01:00.0", "kernel log")
    assert (state.before, state.after, state.bearing) == (None, 3, "none")
    assert str(state) == "d-state 0000:01:00.0: ? to 3"


def test_a_reading_is_kept_as_text(tmp_path: Path) -> None:
    now = suspend.read(root_of("team", tmp_path))
    (tmp_path / "before.txt").write_text(now.text)
    again = suspend.SuspendReading((tmp_path / "before.txt").read_text())
    assert again == now == pickle.loads(pickle.dumps(now))
    assert repr(reading(1, 2, 3)) == "<ssdpm.suspend.SuspendReading of 3 counters>"
    assert re.match(r"ssdpm-suspend 1\ncounters \d+\nboot ", str(now))


def test_a_text_that_is_no_reading_is_refused_with_its_line() -> None:
    with pytest.raises(ssdpm.FormatError, match="^line 2: not a counter of sleep") as e:
        suspend.SuspendReading("ssdpm-suspend 1\nsoup 1 /sys\t\n")
    assert e.value.line == 2
    with pytest.raises(ssdpm.FormatError, match="not a reading"):
        suspend.SuspendReading("")
    with pytest.raises(TypeError, match="text: a str is needed, not bytes"):
        suspend.SuspendReading(b"ssdpm-suspend 1\n")  # type: ignore[arg-type]
    many = "".join(f"wake-source 1 /sys/class/wakeup/{n}\t\n" for n in range(513))
    with pytest.raises(ssdpm.TooLargeError, match="more than 512 counters"):
        suspend.SuspendReading(f"ssdpm-suspend 1\n{many}")
    with pytest.raises(TypeError, match="after: an ssdpm.SuspendReading is needed"):
        suspend.judge(None, "ssdpm-suspend 1\n")  # type: ignore[arg-type]


def test_a_boot_with_odd_bytes_is_kept_as_text(tmp_path: Path) -> None:
    root = root_of("team", tmp_path)
    (root / "proc/sys/kernel/random/boot_id").write_bytes(b"a\xff\nsuccess 1 x\t\n")
    now = suspend.read(root)
    assert now.text.splitlines()[2].startswith("boot a??success")
    assert suspend.judge(now, root=root).outcome == "no-suspend"


def test_json_is_kept_in_a_pickle(tmp_path: Path) -> None:
    verdict = suspend.judge(root=root_of("team", tmp_path))
    again = pickle.loads(pickle.dumps(verdict))
    assert again.to_json() == verdict.to_json()
    assert json.loads(again.to_json())["schema"] == "ssdpm.suspend/1"
    assert "nvme0" in verdict._repr_html_()
    with pytest.raises(ssdpm.UnsupportedError, match="made by hand"):
        dataclasses.replace(verdict).to_json()
