# SPDX-License-Identifier: MIT
"""ssdpm bisect: trials are set and lasting, and all is as before at the end."""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import pathlib
import re
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from command import Command

Make = Callable[[str], pathlib.Path]
LIMIT = "sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us"
LINK = "sys/class/nvme/nvme0/device/link"
DEPTH = "sys/class/block/sda/device/queue_depth"
PORT = "sys/class/scsi_host/host1/link_power_management_policy"
BOOT = "proc/sys/kernel/random/boot_id"
SEEN = ("--errors", "1", "--entries", "40")
ONE_LIST = "Linux takes one such list: put it into"


def checksum(text: str) -> str:
    total = 0xCBF29CE484222325
    for byte in text.encode():
        total = (total ^ byte) * 0x100000001B3 % 2**64
    return f"{total:016x}"


def sealed(text: str) -> str:
    """A file of a search that was changed, with the checksums that it needs."""
    lines = text.splitlines(keepends=True)
    drives = "".join(line for line in lines if line.startswith("drive\t"))
    search = "".join(
        line for line in lines if not line.startswith(("drive", "end "))
    )
    return f"drives {checksum(drives)}\n{drives}{search}end {checksum(search)}\n"


class Search:
    """A search on a fake machine."""

    def __init__(self, ssdpm: Command, root: pathlib.Path) -> None:
        self.ssdpm = ssdpm
        self.root = root

    def __call__(self, *words: str) -> str:
        return self.ssdpm.output("bisect", *words, "--root", str(self.root))

    def fails(self, status: int, *words: str) -> str:
        return self.ssdpm.fails(status, "bisect", *words, "--root", str(self.root))

    def keeps_out(self, *words: str) -> str:
        """A command that sets values fails because of the search, and says so."""
        result = self.ssdpm(*words, "--root", str(self.root))
        said = " ".join((result.stdout + result.stderr).decode().split())
        assert result.returncode == 1, said
        assert "ssdpm bisect stop ends it" in said
        return said

    def state(self) -> Any:
        return self.ssdpm.json("bisect", "--root", str(self.root))

    def boot(self, name: str) -> None:
        path = self.root / BOOT
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name + "\n")

    def read(self, path: str) -> str:
        return (self.root / path).read_text().strip()


@pytest.fixture
def linked(ssdpm: Command, machine: Make) -> Search:
    """Linux sets what the link of the drive does, too."""
    return Search(ssdpm, machine("laptop"))


@pytest.fixture
def laptop(linked: Search) -> Search:
    shutil.rmtree(linked.root / LINK)
    return linked


@pytest.fixture
def desktop_search(ssdpm: Command, machine: Make) -> Search:
    return Search(ssdpm, machine("desktop-6.1"))


def test_the_link_of_a_drive_is_searched_feature_by_feature(linked: Search) -> None:
    before = {
        file.name: file.read_text() for file in (linked.root / LINK).iterdir()
    }
    text = linked("start", *SEEN, "nvme0")
    assert "nvme0 PCIe link" in text
    assert {file.read_text() for file in (linked.root / LINK).iterdir()} == {"0\n"}
    while "Found" not in text:
        fails = linked.read(f"{LINK}/l1_2_aspm") == "1"
        text = linked("bad") if fails else linked("good", "--entries", "9999")
    assert "nvme0 PCIe link: l1.2, but not with l1.1" in text
    call = f"ssdpm apply --root {linked.root} --link l1_2_aspm=off nvme0"
    assert f"until the next boot: {call}" in " ".join(text.replace("\\", "").split())
    assert "for all PCIe devices: pcie_aspm.policy=performance" in text
    assert {
        name: linked.read(f"{LINK}/{name}") for name in before
    } == {name: value.strip() for name, value in before.items()}
    assert linked.read(LIMIT) == "100000"


def test_what_helps_turns_off_all_that_the_good_trials_had_off(linked: Search) -> None:
    text = linked("start", *SEEN, "nvme0")
    while "Found" not in text:
        fails = linked.read(f"{LINK}/l1_aspm") == "1"
        text = linked("bad") if fails else linked("good", "--entries", "9999")
    words = " ".join(text.replace("\\", "").split())
    assert "l1_aspm=off," in words
    assert "l1_2_aspm=off nvme0" in words
    assert words.count("apply") == 1
    assert "pcie_aspm=off" not in words


def test_stop_leaves_what_somebody_else_has_set_and_forgets_the_search(
    laptop: Search,
) -> None:
    laptop("start", *SEEN, "nvme0")
    (laptop.root / LIMIT).write_text("555\n")
    assert "nvme0: not restored" in laptop.fails(5, "stop")
    assert laptop.read(LIMIT) == "555"
    assert not (laptop.root / "var/lib/ssdpm/bisect").exists()


def test_the_result_is_printed_though_not_all_is_put_back(laptop: Search) -> None:
    laptop("start", *SEEN, "nvme0")
    while laptop.state()["decision"] == "searching":
        (laptop.root / LIMIT).write_text("555\n")
        result = laptop.ssdpm("bisect", "skip", "--root", str(laptop.root))
    assert result.returncode == 5
    assert b"Undecided: " in result.stdout
    said = " ".join(result.stderr.decode().split())
    assert 'pm_qos_latency_tolerance_us is "555", and should be "100000": ' in said
    line = "  nvme0 latency limit: 555 us, before 100 ms\n"
    named = f"Not as before the search:\n{line}"
    assert named in result.stdout.decode()
    # Somebody else has set it, so a stop restores it neither.
    assert named in laptop("report") and named in laptop()
    assert "To restore" not in laptop()
    (laptop.root / LIMIT).write_text("100000\n")
    assert "Not as before" not in laptop()


def test_each_setting_that_is_not_as_before_is_named_with_both_values(
    ssdpm: Command, machine: Make
) -> None:
    search = Search(ssdpm, machine("eight-drives"))
    port = search.root / PORT.replace("host1", "host0")
    (search.root / DEPTH).write_text("32\n")
    search("start", *SEEN, "nvme0", "sda")
    assert "Not as before" not in search("bad")
    (search.root / LIMIT).write_text("7000\n")
    (search.root / DEPTH).write_text("1\n")
    port.write_text("medium_power\n")
    named = (
        "Not as before the search:\n"
        "  nvme0 latency limit: 7 ms, before 100 ms\n"
        "  sda link policy: medium_power, before med_power_with_dipm\n"
        "  sda queue depth: 1, before 32\n"
    )
    assert named in search("report") and named in search("status")


def test_a_link_that_is_not_as_before_is_named_with_all_features(
    linked: Search,
) -> None:
    linked("start", *SEEN, "--only", "pcie-link", "nvme0")
    linked("bad")
    (linked.root / LINK / "l1_2_aspm").write_text("0\n")
    (linked.root / LINK / "l1_2_pcipm").write_text("0\n")
    [line] = [row for row in linked().splitlines() if "PCIe link:" in row]
    now, before = line.split(": ")[1].split(", before ")
    assert "l1.2" in before and "l1.2" not in now and "l1.1" in now


def test_a_report_has_the_settings_of_all_drives(
    ssdpm: Command, machine: Make
) -> None:
    names = [f"nvme{i}" for i in range(4)] + [f"sd{c}" for c in "abcd"]
    search = Search(ssdpm, machine("eight-drives"))
    search("start", *SEEN, *names)
    search("bad")
    [row] = [
        line for line in search("report").splitlines() if line.split()[2:3] == ["bad"]
    ]
    assert [name for name in names if f"{name} " not in row] == []
    assert len(row) > 200


def test_another_disk_of_the_same_adapter_is_not_searched(
    desktop_search: Search,
) -> None:
    wwid = desktop_search.root / "sys/class/block/sda/device/wwid"
    (desktop_search.root / DEPTH).write_text("32\n")
    wwid.write_text("naa.5000000000000001\n")
    desktop_search("start", *SEEN, "sda")
    wwid.write_text("naa.5000000000000002\n")
    assert "sda is another drive than at the start" in desktop_search.fails(
        1, "set"
    )
    wwid.write_text("naa.5000000000000001\n")
    desktop_search("set")


def test_a_disk_that_fails_with_ncq_is_told_to_do_without(
    desktop_search: Search,
) -> None:
    root = desktop_search.root
    (root / DEPTH).write_text("32\n")
    text = desktop_search("start", *SEEN, "sda")
    assert "I/Os.\n" in text and "If not, after N I/Os" in text
    assert desktop_search.state()["exposure"] == "ios"
    assert desktop_search.read(DEPTH) == "1"
    while "Found" not in text:
        fails = desktop_search.read(DEPTH) == "32"
        text = (
            desktop_search("bad")
            if fails
            else desktop_search("good", "--entries", "9999")
        )
    assert "sda queue depth: 32, but not with 1" in text
    call = f"ssdpm apply --root {root} --queue-depth 1 sda"
    assert f"until the next boot: {call}" in " ".join(text.replace("\\", "").split())
    assert "libata.force=" in text and "noncq" in text
    assert "ATA_QUIRK_NONCQ" in text
    assert desktop_search.read(DEPTH) == "32"


def test_a_link_that_linux_has_slowed_down_needs_a_boot(
    desktop_search: Search,
) -> None:
    desktop_search("start", *SEEN, "sdb")
    link = desktop_search.root / "sys/class/ata_link/link2"
    link.mkdir(parents=True, exist_ok=True)
    (link / "hw_sata_spd_limit").write_text("6.0 Gbps\n")
    (link / "sata_spd_limit").write_text("6.0 Gbps\n")
    assert "limited" not in desktop_search("good", "--entries", "9999")
    (link / "sata_spd_limit").write_text("3.0 Gbps\n")
    said = " ".join(desktop_search("status").replace("\\", "").split())
    assert "sdb: after errors Linux has limited the link to 3.0 Gbps, until" in said
    assert "restart the machine, and set the trial again: ssdpm bisect" in said
    (link / "sata_spd_limit").write_text("6.0 Gbps\n")
    (desktop_search.root / "sys/class/ata_device/dev2.0/spdn_cnt").write_text("1\n")
    assert "limited the transfer mode" in desktop_search("status")


def test_ncq_that_linux_has_given_up_is_on_again_in_the_next_trial(
    desktop_search: Search,
) -> None:
    (desktop_search.root / DEPTH).write_text("32\n")
    desktop_search("start", *SEEN, "sda", "sdb")
    while desktop_search.read(DEPTH) != "32":
        desktop_search("good", "--entries", "9999")
    log = desktop_search.ssdpm.directory / "log"
    call = f"ssdpm bisect set --root {desktop_search.root}"
    no_leaks = "ASAN_OPTIONS=detect_leaks=0"
    desktop_search.ssdpm.shell(f"{no_leaks} strace -f -y -e trace=write -o {log} {call}")
    assert re.findall(r'queue_depth>, "(\d+)', log.read_text()) == ["1", "32"]


def test_a_setting_that_linux_refuses_after_errors_needs_a_boot(
    desktop_search: Search,
) -> None:
    desktop_search("start", *SEEN, "sdb")
    port = (desktop_search.root / PORT).resolve()
    inject = f"-P {port} -e trace=write -e inject=write:error=EOPNOTSUPP"
    call = f"ssdpm bisect good --entries 9999 --root {desktop_search.root}"
    no_leaks = "ASAN_OPTIONS=detect_leaks=0"
    result = desktop_search.ssdpm.shell(f"{no_leaks} strace -f -o log {inject} {call}")
    assert result.returncode == 3
    said = " ".join(result.stderr.replace("\\", "").split())
    assert "until the next boot: restart the machine, and then: ssdpm bisect" in said
    assert "It was never set" in desktop_search()


def test_all_off_is_first_and_how_long_it_takes_is_known(laptop: Search) -> None:
    text = laptop("start", *SEEN, "nvme0")
    assert text.startswith("Trial 1; one culprit takes at most 3.\n")
    assert "good after 2360 entries" in text
    assert laptop.read(LIMIT) == "0"


def test_the_deepest_state_is_found_and_the_limit_is_as_before(laptop: Search) -> None:
    laptop("start", *SEEN, "nvme0")
    laptop("good", "--entries", "2360")
    assert laptop.read(LIMIT) == "11000"
    text = laptop("good", "--entries", "2360")
    assert laptop.read(LIMIT) == "100000" and "Trial 3;" in text
    text = laptop("bad")
    assert "  nvme0 latency limit: 100 ms, but not with 11 ms\n" in text
    assert "--latency 11000us nvme0\n" in text
    assert "nvme_core.default_ps_max_latency_us=11000\n" in text
    assert "NVME_QUIRK_NO_DEEPEST_PS" in text and "at most 5 %" in text
    assert "15b7:5008: nvme.quirks=15b7:5008:no_deepest_ps\n" in text
    assert laptop.read(LIMIT) == "100000"
    [culprit] = laptop.state()["culprits"]
    assert (culprit["name"], culprit["step"]) == ("nvme0:latency_us", "100000")
    assert [(r["kind"], r["target"], r["value"]) for r in culprit["remedies"]] == [
        ("latency-limit", "pm_qos_latency_tolerance_us", "11000"),
        ("parameter", "nvme_core.default_ps_max_latency_us", "11000"),
        ("parameter", "nvme.quirks", "15b7:5008:no_deepest_ps"),
        ("quirk", "NVME_QUIRK_NO_DEEPEST_PS", ""),
    ]


@pytest.mark.parametrize(
    "files, place",
    [
        ({"proc/cmdline": "nvme.quirks=144d:a808:bogus_nid"}, "that of the command line"),
        # More bytes than one page, and a drive that is in the list already.
        ({"proc/cmdline": "nvme.quirks=15B7:5008:" + 3000 * "x,"}, "that of the command line"),
        ({"proc/cmdline": "quiet",
          "etc/modprobe.d/a.conf": "options nvme io_queue_depth=8 quirks=144d:a808:bogus_nid"},
         "that of /etc/modprobe.d/a.conf:1"),
    ],
)  # fmt: skip
def test_a_remedy_names_the_list_of_quirks_that_is_there(
    laptop: Search, files: dict[str, str], place: str
) -> None:
    for name, text in files.items():
        put(laptop, name, text)
    laptop("start", *SEEN, "nvme0")
    for verdict in (["good", "--entries", "2360"], ["good", "--entries", "2360"], ["bad"]):
        laptop(*verdict)
    item = "15b7:5008:no_deepest_ps"
    for text in laptop("status"), laptop("report"):
        assert f"15b7:5008: nvme.quirks={item}\n  {ONE_LIST} {place}\nquirk" in text
        assert text.count(ONE_LIST) == 1
    [culprit] = laptop.state()["culprits"]
    assert item in [r["value"] for r in culprit["remedies"]]


def test_a_kernel_without_the_parameter_of_quirks_is_not_given_it(
    desktop_search: Search,
) -> None:
    desktop_search("start", *SEEN, "nvme0")
    while desktop_search.state()["decision"] == "searching":
        off = desktop_search.read(LIMIT) == "0"
        desktop_search(*(["good", "--entries", "9999"] if off else ["bad"]))
    text = desktop_search("status")
    assert "NVME_QUIRK_NO_APST" in text and "nvme.quirks" not in text


def test_apst_itself_is_found(laptop: Search) -> None:
    laptop("start", *SEEN, "nvme0")
    laptop("good", "--entries", "2360")
    text = laptop("bad")
    assert "11 ms, but not with no APST" in text and "NVME_QUIRK_NO_APST" in text


def test_a_drive_that_fails_with_all_off_has_another_fault(laptop: Search) -> None:
    laptop("start", *SEEN, "nvme0")
    text = laptop("bad")
    assert "Something else makes it fail." in text and "unknown" in text
    assert laptop.state()["decision"] == "none"
    assert laptop.read(LIMIT) == "100000"


def test_a_trial_that_was_good_too_early_makes_the_result_uncertain(
    laptop: Search,
) -> None:
    laptop("start", *SEEN, "nvme0")
    laptop("good", "--entries", "2359")
    text = laptop("bad")
    assert "unknown" in text and "at most 5 %" not in text


def test_one_trial_that_was_good_too_early_is_one_trial(laptop: Search) -> None:
    laptop("start", *SEEN, "nvme0")
    laptop("good", "--entries", "1")
    assert "Called good too early: 1 trial. How sure" in laptop("bad")


def test_there_are_no_more_errors_than_entries(laptop: Search) -> None:
    said = laptop.fails(1, "start", "--errors", "50", "--entries", "4", "nvme0")
    assert "more errors than entries: an error needs an entry" in said
    assert not (laptop.root / "var/lib/ssdpm").exists() or not list(
        (laptop.root / "var/lib/ssdpm").iterdir()
    )


def test_skipped_trials_leave_it_undecided(laptop: Search) -> None:
    laptop("start", *SEEN, "nvme0")
    laptop("skip")
    assert laptop("skip").endswith(
        "and 2 steps may be at fault:\n"
        "  nvme0 latency limit: 11 ms\n  nvme0 latency limit: 100 ms\n"
        "  or none of them\n"
    )
    assert laptop.state()["candidates"] == [
        {"name": "nvme0:latency_us", "step": "11000"},
        {"name": "nvme0:latency_us", "step": "100000"},
    ]
    assert laptop.read(LIMIT) == "100000"


def test_an_undecided_search_names_first_what_is_needed(linked: Search) -> None:
    linked("start", *SEEN, "nvme0")
    # It fails with 100 ms and a feature of the link, and then nobody can tell.
    linked("good", "--entries", "9999")
    while not linked.state()["culprits"]:
        trial = {s["name"]: s["step"] for s in linked.state()["suspects"]}
        bad = trial["nvme0:latency_us"] == "100000" and trial["nvme0:link"] != "off"
        linked(*(["bad"] if bad else ["good", "--entries", "9999"]))
    text = ""
    while linked.state()["decision"] == "searching":
        text = linked("skip")
    needed, _, open_steps = text.partition("Undecided: trials were skipped, and ")
    assert needed.startswith("Needed:\n  nvme0 ") and needed.count("\n") == 2
    assert " may be needed, too:\n" in open_steps
    assert open_steps.endswith("  or none of them\n")
    assert needed.splitlines()[1] not in open_steps


def test_good_trials_alone_decide_nothing(
    ssdpm: Command, eight_drives: pathlib.Path
) -> None:
    search = Search(ssdpm, eight_drives)
    search("start", "--errors", "2", "--entries", "40", "nvme0", "nvme1", "sda")
    texts = [""]
    while search.state()["decision"] == "searching":
        texts.append(search("good", "--entries", "99999"))
    # The last trial, and no other, has the settings of before.
    as_before = "No trial failed so far: this one has the settings of before."
    assert [as_before in text for text in texts[-3:]] == [False, True, False]
    assert all("Found" not in text for text in texts)
    said = " ".join(texts[-1].split())
    assert said.startswith(
        "It did not fail, not even with the settings of before: nothing is decided."
        " If errors come at random, this is wrong with a probability of at most 1 %."
    )
    state = search.state()
    assert (state["decision"], state["culprits"], state["candidates"]) == (
        "no-error",
        [],
        [],
    )
    last = state["trials"][-1]["steps"]
    assert last == [suspect["steps"][-1] for suspect in state["suspects"]]
    assert "This helps" not in texts[-1] and "of these helps" not in texts[-1]
    search("stop")


def test_the_trial_of_the_settings_of_before_may_be_bad_short_or_skipped(
    laptop: Search,
) -> None:
    ends = {}
    for verdict in ("bad", "good", "skip"):
        laptop("start", *SEEN, "nvme0")
        laptop("good", "--entries", "9999")
        laptop("good", "--entries", "9999")
        ends[verdict] = " ".join(laptop(verdict).split())
        assert laptop.read(LIMIT) == "100000"
        laptop("stop")
    assert ends["bad"].startswith("Found: it fails with nvme0 latency limit: 100 ms")
    assert "at most 5 %" in ends["bad"]
    assert "nothing is decided. That trial was called good too early." in ends["good"]
    assert "1 step may be at fault: nvme0 latency limit: 100 ms or none of them" in (
        ends["skip"]
    )


def test_a_trial_lasts_over_a_boot_and_is_set_again_or_bad(laptop: Search) -> None:
    laptop.boot("one")
    laptop("start", *SEEN, "nvme0")
    laptop("good", "--entries", "2360")
    assert "restarted" not in laptop()
    # Linux begins with its own limit, and /run is empty.
    (laptop.root / LIMIT).write_text("100000\n")
    laptop.ssdpm.run("rm", "-r", laptop.root / "run")
    laptop.boot("two")
    assert "The machine was restarted in this trial." in laptop()
    assert laptop.state()["running"] is True
    said = laptop.ssdpm.fails(
        1, "bisect", "good", "--entries", "2360", "--root", str(laptop.root)
    )
    assert "ssdpm bisect set sets it again" in said
    assert "11 ms" in laptop("set")
    assert laptop.read(LIMIT) == "11000"
    assert "restarted" not in laptop()
    assert "NO_APST" in laptop("bad")
    assert laptop.read(LIMIT) == "100000"


def test_the_file_is_there_before_the_setting(laptop: Search) -> None:
    # It cannot be written: the first trial is known, and is not in force.
    (laptop.root / LIMIT).unlink()
    (laptop.root / LIMIT).mkdir()
    result = laptop.ssdpm("bisect", "start", *SEEN, "nvme0", "--root", str(laptop.root))
    assert result.returncode != 0
    assert not (laptop.root / "var/lib/ssdpm/bisect").exists()


def test_another_drive_under_the_name_is_left_alone(laptop: Search) -> None:
    laptop("start", *SEEN, "nvme0")
    path = laptop.root / "var/lib/ssdpm/bisect"
    assert sealed(path.read_text()) == path.read_text()
    path.write_text(sealed(path.read_text().replace("SN530", "SN999")))
    assert "nvme0 is another drive than at the start" in laptop.fails(
        1, "good", "--entries", "9"
    )


def test_a_trial_that_somebody_changed_is_not_good(laptop: Search) -> None:
    laptop("start", *SEEN, "nvme0")
    (laptop.root / LIMIT).write_text("100000\n")
    said = laptop.fails(5, "good", "--entries", "2360")
    assert 'is "100000", and this trial needs "0": ssdpm bisect set' in said
    laptop("set")
    assert laptop.read(LIMIT) == "0"
    laptop("good", "--entries", "2360")
    assert laptop.read(LIMIT) == "11000"


def test_a_trial_that_somebody_changed_is_not_bad(laptop: Search) -> None:
    laptop("start", *SEEN, "nvme0")
    laptop("good", "--entries", "2360")
    (laptop.root / LIMIT).write_text("100000\n")
    said = laptop.fails(5, "bad")
    assert 'is "100000", and this trial needs "11000": ssdpm bisect set' in said
    assert laptop.state()["n_trials"] == 1
    laptop("set")
    assert "fails with\n  nvme0 latency limit: 11 ms" in laptop("bad")


def test_a_port_that_somebody_changed_is_not_good(desktop_search: Search) -> None:
    desktop_search("start", *SEEN, "sdb")
    (desktop_search.root / PORT).write_text("min_power\n")
    said = desktop_search.fails(5, "good", "--entries", "9999")
    assert 'is "min_power", and this trial needs "max_performance"' in said


def test_a_drive_that_is_gone_is_not_good_but_bad(laptop: Search) -> None:
    laptop("start", *SEEN, "nvme0")
    drive = (laptop.root / "sys/class/nvme/nvme0").resolve()
    drive.rename(laptop.root / "gone")
    said = laptop.fails(1, "good", "--entries", "2360")
    assert "this trial cannot be good: " in said and "nvme0" in said
    (laptop.root / "gone").rename(drive)
    assert "Something else makes it fail." in laptop("bad")


def test_a_trial_that_could_not_be_set_is_not_good(laptop: Search) -> None:
    laptop("start", *SEEN, "nvme0")
    (laptop.root / "run/ssdpm/bisect/lock").unlink()
    (laptop.root / "run/ssdpm/bisect/lock").mkdir()
    laptop.ssdpm("bisect", "good", "--entries", "9999", "--root", str(laptop.root))
    assert len(laptop.state()["trials"]) == 1 and laptop.read(LIMIT) == "0"
    for verdict in (["good", "--entries", "9999"], ["bad"]):
        said = laptop.fails(5, *verdict)
        assert said == "ssdpm: this trial was never set: ssdpm bisect set sets it"
    text = laptop()
    assert "It was never set" in text and "If the drive fails" not in text
    # A boot does not set it.
    laptop.boot("two")
    text = laptop()
    assert "It was never set" in text and "restarted" not in text
    assert "this trial was never set" in laptop.fails(5, "bad")
    assert len(laptop.state()["trials"]) == 1


def test_a_start_that_fails_leaves_nothing_to_stop(laptop: Search) -> None:
    assert "unknown drive" in laptop.fails(1, "start", *SEEN, "nvme9")
    for folder in ("var/lib/ssdpm", "run/ssdpm/bisect"):
        assert not (laptop.root / folder).exists()
    assert "there is no search" in laptop.fails(1, "stop")


def test_nobody_else_sets_values_while_a_trial_is_set(laptop: Search) -> None:
    laptop("start", *SEEN, "nvme0")
    with (laptop.root / "run/ssdpm/lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert "another program sets values now" in laptop.fails(1, "stop")
    # Nothing was put back yet, and it is not forgotten.
    assert laptop.read(LIMIT) == "0"
    laptop("stop")
    assert laptop.read(LIMIT) == "100000"
    assert not (laptop.root / "run/ssdpm/bisect").exists()


def test_a_start_undoes_first_what_a_killed_apply_left(laptop: Search) -> None:
    apply = ["ssdpm", "apply", "--root", str(laptop.root), "-l", "11ms", "nvme0"]
    kill = ["-e", "trace=unlinkat", "-e", "inject=unlinkat:signal=SIGKILL:when=2"]
    laptop.ssdpm.run("strace", "-f", "-o", "/dev/null", *kill, *apply)
    assert laptop.read(LIMIT) == "11000"
    begun = laptop.ssdpm.run(
        "ssdpm", "bisect", "start", *SEEN, "--root", str(laptop.root), "nvme0"
    )
    assert "a commit that was killed is undone first" in begun.stderr
    assert re.search(r"nvme0 latency limit +no APST +100 ms\n", begun.stdout)
    laptop("stop")
    assert laptop.read(LIMIT) == "100000"


def test_whoever_does_not_get_the_lock_leaves_the_search_of_others_alone(
    laptop: Search,
) -> None:
    record = laptop.root / "run/ssdpm/bisect"
    record.mkdir(parents=True)
    # As another start that has written no search yet.
    with (record / "search").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        said = laptop.fails(1, "start", *SEEN, "nvme0")
        assert "another ssdpm bisect runs" in said
        assert (record / "search").exists()
        assert (laptop.root / "var/lib/ssdpm").exists()
    laptop("start", *SEEN, "nvme0")


def test_one_of_many_searches_that_start_at_once_begins(laptop: Search) -> None:
    program = laptop.ssdpm.directory / "bin/ssdpm"
    start = [program, "bisect", "start", *SEEN, "nvme0", "--root", laptop.root]
    calls = [subprocess.Popen(start) for _ in range(4)]
    assert sorted(call.wait(60) for call in calls) == [0, 1, 1, 1]
    laptop("stop")
    assert laptop.read(LIMIT) == "100000"


def test_stop_restores_and_forgets(laptop: Search) -> None:
    laptop("start", *SEEN, "nvme0")
    laptop("stop")
    assert laptop.read(LIMIT) == "100000"
    for folder in ("var/lib/ssdpm", "run/ssdpm/bisect"):
        assert not (laptop.root / folder).exists()
    assert "there is no search" in laptop.fails(1, "stop")
    assert "there is no search" in laptop.fails(1, "good")
    laptop("start", *SEEN, "nvme0")
    assert "already" in laptop.fails(1, "start", *SEEN, "nvme0")


def test_nobody_else_writes_while_a_search_has_set_something(laptop: Search) -> None:
    root = str(laptop.root)
    call = laptop.ssdpm
    call.output("apply", "--root", root, "--latency", "20ms", "nvme0")
    laptop("start", *SEEN, "nvme0")
    writers = [
        ["revert"],
        ["apply", "--latency", "30ms", "nvme0"],
        ["apply", "--profile", "power-saver"],
    ]
    for writer in writers:
        laptop.keeps_out(*writer)
    assert laptop.read(LIMIT) == "0"
    assert laptop("set") and laptop.read(LIMIT) == "0"
    # Who only looks is free to do so.
    call.output("revert", "--dry-run", "--root", root)
    laptop("stop")
    assert laptop.read(LIMIT) == "20000"
    call.output("revert", "--root", root)
    assert laptop.read(LIMIT) == "100000"


def test_a_search_that_has_set_nothing_since_the_boot_keeps_nobody_out(
    laptop: Search,
) -> None:
    root = str(laptop.root)
    laptop.boot("one")
    laptop("start", *SEEN, "nvme0")
    (laptop.root / LIMIT).write_text("100000\n")
    laptop.boot("two")
    laptop.ssdpm.output("apply", "--root", root, "--latency", "30ms", "nvme0")
    assert laptop.read(LIMIT) == "30000"
    laptop("set")
    assert laptop.read(LIMIT) == "0"
    laptop("stop")
    assert laptop.read(LIMIT) == "30000"


def test_a_search_that_was_killed_as_it_set_something_keeps_others_out(
    laptop: Search,
) -> None:
    laptop("start", *SEEN, "nvme0")
    record = laptop.root / "run/ssdpm/bisect/undo"
    # As between two trials, but with a value that is on its way.
    record.rename(record.with_name("journal"))
    assert "a search of ssdpm bisect was killed" in laptop.keeps_out("revert")


def test_drives_of_both_kinds_are_searched_together(desktop_search: Search) -> None:
    s = desktop_search
    before = s.read(LIMIT), s.read(PORT)
    s("start", *SEEN, "nvme0", "sdb")
    assert (s.read(LIMIT), s.read(PORT)) == ("0", "max_performance")
    while s.state()["decision"] == "searching":
        # It fails if the port saves anything.
        bad = s.read(PORT) != "max_performance"
        s(*(["bad"] if bad else ["good", "--entries", "9999"]))
    [culprit] = s.state()["culprits"]
    assert (culprit["name"], culprit["step"]) == ("sdb:lpm", "medium_power")
    text = s("status")
    assert "for the port of sdb alone: libata.force=2:nolpm\n" in text
    assert "for all SATA drives: libata.force=nolpm\n" in text
    assert "ATA_QUIRK_NOLPM" in text
    assert (s.read(LIMIT), s.read(PORT)) == before


@pytest.mark.parametrize(
    "line, is_there",
    [
        ("ro libata.force=noncq quiet", True),
        ('ro "libata.force=lpm, noncq"', True),
        ("libata.force=" + 20 * "1:lpm,noncq,2:1.5Gbps," + "lpm", True),
        ("libata.forced=noncq ahci.force=1", False),
    ],
)
def test_a_remedy_names_the_list_of_the_command_line(
    desktop_search: Search, line: str, is_there: bool
) -> None:
    put(desktop_search, "proc/cmdline", line)
    places = f"{ONE_LIST} that of the command line"
    says_remedies(desktop_search, places if is_there else "")


def put(search: Search, name: str, text: str) -> None:
    file = search.root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text + "\n")


def says_remedies(desktop_search: Search, places: str) -> None:
    desktop_search("start", *SEEN, "sdb", "--only", "lpm")
    while desktop_search.state()["decision"] == "searching":
        bad = desktop_search.read(PORT) != "max_performance"
        desktop_search(*(["bad"] if bad else ["good", "--entries", "9999"]))
    text = " ".join(desktop_search("status").split())
    places = " " + places if places else ""
    assert f"the port of sdb alone: libata.force=2:nolpm{places} for all" in text
    assert f"for all SATA drives: libata.force=nolpm{places} quirk" in text
    [culprit] = desktop_search.state()["culprits"]
    values = [r["value"] for r in culprit["remedies"] if r["kind"] == "parameter"]
    assert values == ["2:nolpm", "nolpm"]


@pytest.mark.parametrize(
    "files, places",
    [
        (
            {"etc/modprobe.d/a.conf": "#\noptions libata  noacpi=1\tforce=noncq"},
            "that of /etc/modprobe.d/a.conf:2",
        ),
        (
            {
                "proc/cmdline": "libata.force=noncq",
                "etc/modprobe.d/a.conf": "options libata force=1:lpm",
                "usr/lib/modprobe.d/z.conf": "options libata noacpi=1 \\\n  force=1:noncq",
                "etc/modprobe.d/zz.conf": "options ahci mobile_lpm_policy=1",
            },
            "those of /etc/modprobe.d/a.conf:1, /usr/lib/modprobe.d/z.conf:1 and the command line",
        ),
        # The library cuts the line before the list.
        (
            {"etc/modprobe.d/a.conf": "options libata " + 40 * "noacpi=1 " + "force=noncq"},
            "that of /etc/modprobe.d/a.conf:1",
        ),
        (
            {"etc/modprobe.d/a.conf": "options libata_x force=noncq\n# options libata force=x"},
            "",
        ),
        # Built into Linux: modprobe does not load it.
        (
            {
                "etc/modprobe.d/a.conf": "options libata force=noncq",
                "sys/module/libata/parameters/atapi_enabled": "1",
            },
            "",
        ),
        (
            {
                "etc/modprobe.d/a.conf": "options libata force=noncq",
                "sys/module/libata/parameters/atapi_enabled": "1",
                "sys/module/libata/initstate": "live",
            },
            "that of /etc/modprobe.d/a.conf:1",
        ),
    ],
)  # fmt: skip
def test_a_remedy_names_the_lists_of_modprobe(
    desktop_search: Search, files: dict[str, str], places: str
) -> None:
    put(desktop_search, "proc/cmdline", "ro quiet")
    for name, text in files.items():
        put(desktop_search, name, text)
    says_remedies(desktop_search, f"{ONE_LIST} {places}" if places else "")


def test_a_report_has_trials_signs_and_no_serial_number(laptop: Search) -> None:
    log = laptop.ssdpm.directory / "log"
    down = "nvme nvme0: controller is down; will reset: CSTS=0x3"
    log.write_text(f"[ 1.5] usb 1-1: new device\n[ 61.2] {down}\n")
    laptop("start", *SEEN, "nvme0")
    laptop("good", "--entries", "2360")
    text = laptop("report", "--log", str(log))
    assert "WDC PC SN530" in text and "PCI 15b7:" in text
    assert "1     2360  good     nvme0 no APST" in text
    assert "The search has not ended." in text
    assert down in text and "usb" not in text
    # Identify and APST as they are, and no advice to change them now.
    lines = text.splitlines()
    at = lines.index("Drives as they are now:")
    assert lines[at + 1].startswith("nvme0: WDC PC SN530") and "NVMe at" in lines[at + 1]
    assert any(line.startswith("  APST now        PS0-PS2 to PS3") for line in lines)
    assert any(line.split()[:4] == ["PS4", "no", "5", "mW"] for line in lines)
    assert "echo" not in text and "could" not in text
    for serial in laptop.root.glob("sys/class/nvme/nvme0/serial"):
        assert serial.read_text().strip() not in text


def test_a_report_quotes_ios_that_failed(laptop: Search) -> None:
    log = laptop.ssdpm.directory / "log"
    failed = [
        "[ 62.2] nvme0n1: I/O Cmd(0x2) @ LBA 1234, 8 blocks, I/O Error"
        " (sct 0x2 / sc 0x86) DNR",
        "[ 62.3] critical medium error, dev nvme0n1, sector 1234 op 0x0:(READ)"
        " flags 0x0 phys_seg 1 prio class 2",
        "[ 62.4] timeout error, dev nvme0n1, sector 1234 op 0x0:(READ)",
        "[ 63.9] nvme nvme0: Device shutdown incomplete; abort shutdown",
        "[ 64.3] critical target error, dev nvme0n1, sector 1 op 0x0:(READ)",
    ]
    refused = "[ 65.0] operation not supported error, dev nvme0n1, sector 1 op 0x9:(x)"
    log.write_text("\n".join([*failed, refused]) + "\n")
    laptop("start", *SEEN, "nvme0")
    text = laptop("report", "--log", str(log))
    assert "Lines of the log with signs of faults: 5\n" in text
    assert all(f"  {line}\n" in text for line in failed)
    assert "not supported" not in text


def test_a_report_as_json_has_the_drives_as_they_are_now(laptop: Search) -> None:
    laptop("start", *SEEN, "nvme0")
    root = str(laptop.root)
    search = laptop.ssdpm.json("bisect", "report", "--root", root)
    [device] = search["devices"]
    assert device["name"] == "nvme0" and device["latency_tolerance_us"] == 0
    assert [state["exit_latency_us"] for state in device["model"]["states"]][3:] == [11000, 39000]
    assert "devices" not in laptop.state()
    [serial] = laptop.root.glob("sys/class/nvme/nvme0/serial")
    assert serial.read_text().strip() not in str(search)


def test_a_report_names_a_drive_that_is_gone(laptop: Search) -> None:
    laptop("start", *SEEN, "nvme0")
    drive = (laptop.root / "sys/class/nvme/nvme0").resolve()
    drive.rename(laptop.root / "gone")
    text = laptop("report")
    assert "nvme0: WDC PC SN530" in text
    assert "\nnvme0 is gone, or another drive has its name\n" in text
    (laptop.root / "gone").rename(drive)


def test_a_log_that_is_quoted_has_no_serial_number_no_host_and_no_escapes(
    laptop: Search,
) -> None:
    log = laptop.ssdpm.directory / "log"
    [serial] = laptop.root.glob("sys/class/nvme/nvme0/serial")
    number = serial.read_text().strip()
    laptop("start", *SEEN, "nvme0")
    log.write_text(
        "Nov 28 20:00:00 secrethost kernel: nvme nvme0: I/O tag 5 QID 1 timeout, "
        f"reset \x1b[31m{number}\x07\n"
    )
    text = laptop("report", "--log", str(log))
    assert "I/O tag 5 QID 1 timeout, reset ?[31mXXXX" in text
    assert number not in text and "secrethost" not in text and "\x1b" not in text
    # A serial number that the mark is made of is replaced once.
    serial.write_text("XXXXXXXX\n")
    log.write_text("[ 1.5] nvme nvme0: I/O tag 5 QID 1 timeout, reset XXXXXXXXXX\n")
    assert "timeout, reset XXXXXXXXXX\n" in laptop("report", "--log", str(log))


def test_a_log_of_a_sata_drive_has_no_serial_number(desktop_search: Search) -> None:
    s = desktop_search
    log = s.ssdpm.directory / "log"
    s("start", *SEEN, "sdb")
    [device] = s.root.glob("sys/class/ata_device/dev2.0/id")
    words = [int(word, 16) for word in device.read_text().split()[10:20]]
    number = b"".join(word.to_bytes(2, "big") for word in words).decode().strip()
    assert "SECRET" in number
    log.write_text(f"ata2.00: exception Emask 0x0 {number}\n")
    assert "exception Emask 0x0 XXXX" in s("report", "--log", str(log))


def test_who_only_looks_makes_no_folder(laptop: Search) -> None:
    for words in (["status"], ["report"], ["good"], ["set"], ["stop"]):
        laptop.ssdpm("bisect", *words, "--root", str(laptop.root))
    assert not (laptop.root / "var/lib/ssdpm").exists()
    assert not (laptop.root / "run/ssdpm").exists()


def test_a_file_that_cannot_be_replaced_leaves_the_old_one(laptop: Search) -> None:
    laptop("start", *SEEN, "nvme0")
    path = laptop.root / "var/lib/ssdpm/bisect"
    before = path.read_text()
    path.with_name("bisect.new").mkdir()
    assert "var/lib/ssdpm/bisect: " in laptop.fails(1, "good", "--entries", "9")
    assert path.read_text() == before
    assert laptop.read(LIMIT) == "0"


@pytest.mark.parametrize(
    "words, message",
    [
        (["find"], "unknown action of bisect 'find'; expected start, run, set, good"),
        (["run"], "--root conflicts with run"),
        (["set", "--provoke"], "set takes no --provoke"),
        (["start", "nvme0"], "start requires --errors"),
        (["start", "--errors", "1", "nvme0"], "start requires --entries"),
        (["start", *SEEN], "start takes a TARGET"),
        (["good", "nvme0"], "good takes no TARGET"),
        (["bad", "--entries", "5"], "bad takes no --entries"),
        (["status", "--log", "x"], "status takes no --log"),
        (["report", "--log", "x", "--json"], "--log conflicts with --json"),
        (["good", "--errors", "1"], "good takes no --errors"),
    ],
)
def test_words_that_do_not_go_together_are_refused(
    laptop: Search, words: list[str], message: str
) -> None:
    assert message in laptop.fails(2, *words)


def test_a_drive_that_saves_nothing_is_no_suspect(desktop_search: Search) -> None:
    assert "sda: no setting of it saves power" in desktop_search.fails(
        3, "start", *SEEN, "sda"
    )


def test_a_damaged_file_is_refused(laptop: Search) -> None:
    laptop("start", *SEEN, "nvme0")
    path = laptop.root / "var/lib/ssdpm/bisect"
    whole = path.read_text()
    for damaged in ("", "drive\tnvme0\n", whole + "good\n", whole.replace("\t1", " 1")):
        for written in (damaged, sealed(damaged)):
            path.write_text(written)
            assert "var/lib/ssdpm/bisect" in laptop.fails(1, "status")
    path.write_text(sealed(whole.replace("nvme0:", "nvme1:")))
    assert "unknown drive" in laptop.fails(1, "status")
    path.write_text(sealed(whole.replace("nvme0:latency_us", "nvme0:colour")))
    assert "unknown setting" in laptop.fails(1, "status")
    path.write_text(sealed(whole.replace("11000", "l1.2")))
    assert "'l1.2' is no step of it" in laptop.fails(1, "status")


def test_a_file_that_was_cut_or_changed_anywhere_is_refused(laptop: Search) -> None:
    laptop("start", *SEEN, "nvme0")
    laptop("good", "--entries", "9999")
    path = laptop.root / "var/lib/ssdpm/bisect"
    whole = path.read_bytes()
    # test-bisect.c cuts and flips each byte of the search itself.
    search = whole.index(b"# ssdpm")
    places = [*range(0, search, 9), search, *range(search, len(whole), 43)]
    for at in places:
        path.write_bytes(whole[:at])
        assert "var/lib/ssdpm/bisect" in laptop.fails(1, "status"), at
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert "var/lib/ssdpm/bisect" in laptop.fails(1, "status"), at
    path.write_bytes(whole)
    assert "Trial 2" in laptop("status")


@pytest.mark.parametrize("damaged", [b"", b"drive\tnvme0\n", b"\x00\xff", None])
def test_stop_restores_even_if_the_file_is_damaged_or_lost(
    laptop: Search, damaged: bytes | None
) -> None:
    laptop("start", *SEEN, "nvme0")
    path = laptop.root / "var/lib/ssdpm/bisect"
    if damaged is None:
        path.unlink()
    else:
        path.write_bytes(damaged)
        said = laptop.fails(1, "good", "--entries", "9")
        assert "ssdpm bisect stop restores the settings" in said
    assert laptop.read(LIMIT) == "0"
    laptop("stop")
    assert laptop.read(LIMIT) == "100000"
    assert not path.exists()
    assert "Trial 1" in laptop("start", *SEEN, "nvme0")


def test_stop_restores_from_the_file_if_the_record_is_lost(linked: Search) -> None:
    s = linked
    before = s.read(LIMIT), s.read(f"{LINK}/l1_2_aspm"), s.read(f"{LINK}/l1_aspm")
    s("start", *SEEN, "nvme0")
    (s.root / "run/ssdpm/bisect/undo").unlink()
    result = s.ssdpm("bisect", "stop", "--root", str(s.root))
    assert result.returncode == 0 and b"record of the settings of before is gone" in result.stderr
    assert (s.read(LIMIT), s.read(f"{LINK}/l1_2_aspm"), s.read(f"{LINK}/l1_aspm")) == before
    assert result.stdout == b""
    assert not (s.root / "run/ssdpm/bisect").exists()
    # A value of somebody else is named, and stays.
    s("start", *SEEN, "nvme0")
    (s.root / "run/ssdpm/bisect/undo").unlink()
    (s.root / LIMIT).write_text("555\n")
    result = s.ssdpm("bisect", "stop", "--root", str(s.root))
    assert result.returncode == 5
    said = result.stdout.decode()
    assert said.startswith("Not as before the search:\n  nvme0 latency limit: 555 us, before")
    assert "To restore" not in said
    assert s.read(LIMIT) == "555"


@pytest.mark.parametrize("forgets", [False, True])
def test_without_a_record_the_file_stays_until_all_is_restored(
    ssdpm: Command, machine: Make, forgets: bool
) -> None:
    search = Search(ssdpm, machine("eight-drives"))
    limits = [search.root / LIMIT.replace("nvme0", f"nvme{i}") for i in (0, 1, 2)]
    before = [limit.read_text().strip() for limit in limits]
    search("start", *SEEN, "nvme0", "nvme1", "nvme2")
    path, record = search.root / "var/lib/ssdpm/bisect", search.root / "run/ssdpm/bisect"
    (record / "undo").unlink()
    limits[1].unlink()
    limits[1].mkdir()
    result = ssdpm("bisect", "stop", "--root", str(search.root))
    said = " ".join(result.stderr.decode().split())
    assert result.returncode == 1, said
    assert b"nvme1 latency limit: unknown, before" in result.stdout
    # The value that cannot be read keeps no other.
    assert [limits[i].read_text().strip() for i in (0, 2)] == [before[0], before[2]]
    assert "nvme1 latency limit: not restored: its value cannot be read" in said
    assert f"ssdpm bisect --root {search.root} stop --forget" in said
    assert path.exists()
    if forgets:
        stop = ("bisect", "stop", "--forget", "--root", str(search.root))
        assert ssdpm(*stop).returncode == 6
    else:
        limits[1].rmdir()
        limits[1].write_text("0\n")
        search("stop")
        assert limits[1].read_text().strip() == before[1]
    assert [limits[i].read_text().strip() for i in (0, 2)] == [before[0], before[2]]
    assert not path.exists() and not record.exists()


def slow_down(search: Search, port: int, now: str) -> None:
    link = search.root / f"sys/class/ata_link/link{port}"
    link.mkdir(parents=True, exist_ok=True)
    (link / "hw_sata_spd_limit").write_text("6.0 Gbps\n")
    (link / "sata_spd_limit").write_text(now + "\n")


def test_each_drive_that_linux_has_slowed_down_is_named_to_the_end(
    desktop_search: Search,
) -> None:
    first = "sda: after errors Linux has limited the link to 3.0 Gbps"
    second = "sdb: after errors Linux has limited the link to 1.5 Gbps"
    (desktop_search.root / DEPTH).write_text("32\n")
    slow_down(desktop_search, 1, "3.0 Gbps")
    slow_down(desktop_search, 2, "6.0 Gbps")
    text = desktop_search("start", *SEEN, "sda", "sdb")
    assert first in text and "sdb: after" not in text
    slow_down(desktop_search, 2, "1.5 Gbps")
    text = desktop_search("status")
    assert first in text and second in text
    text = desktop_search("bad")
    assert "Something else makes it fail." in text
    assert first in text and second in text
    assert "This outlasts the search: restart the machine.\n" in text
    assert "This outlasts the search" in desktop_search("report")


READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'


@pytest.mark.parametrize("fault", ["unwritable", "unreadable"])
def test_a_value_that_cannot_be_put_back_keeps_no_other_drive(
    ssdpm: Command, machine: Make, fault: str
) -> None:
    search = Search(ssdpm, machine("eight-drives"))
    limits = [search.root / LIMIT.replace("nvme0", f"nvme{i}") for i in (0, 1)]
    before = [limit.read_text().strip() for limit in limits]
    search("start", *SEEN, "nvme0", "nvme1")
    assert [limit.read_text().strip() for limit in limits] == ["0", "0"]
    if fault == "unreadable":
        limits[0].unlink()
        limits[0].mkdir()
    root = ("--root", str(search.root))

    def act(*words: str) -> tuple[int, str]:
        result = ssdpm.run(
            *("unshare", "-m", "sh", "-c", READ_ONLY, str(limits[0])),
            *(str(ssdpm.directory / "bin/ssdpm"), "bisect", *words, *root),
        )
        return result.returncode, " ".join(result.stderr.split())

    def stop(*more: str) -> tuple[int, str]:
        return act("stop", *more)

    ended, _ = act("bad")
    assert ended in (1, 4)
    line = f"nvme0 latency limit: {'unknown' if fault == 'unreadable' else 'no APST'}, before"
    assert line in search("status")
    now = None if fault == "unreadable" else "no APST"
    assert {"name": "nvme0:latency_us", "before": "100 ms", "now": now} in (
        search.state()["unrestored"]
    )
    assert f"To restore what can be restored: ssdpm bisect --root {search.root} stop" in (
        search("status").replace("\\\n", "")
    )
    status, said = stop()
    assert status in (1, 4), said
    assert limits[1].read_text().strip() == before[1]
    assert "nvme0: not restored: /sys/" in said and "nvme1" not in said
    now = "unknown" if fault == "unreadable" else '"0"'
    assert f'pm_qos_latency_tolerance_us is {now}, and should be "{before[0]}"' in said
    assert f"ssdpm bisect --root {search.root} stop --forget" in said
    assert "other settings of these drives are refused" in said
    # Only this drive waits: all others take settings, and give them back.
    if fault == "unwritable":
        refused = search.keeps_out("apply", "--latency", "1us", "nvme0")
        assert "nvme0: a search of ssdpm bisect has set values there" in refused
    told = ssdpm("plan", *root, "--latency", "1us", "nvme1").stderr.decode()
    assert "a search of bisect has set nvme0, so other settings are refused there" in (
        " ".join(told.split())
    )
    ssdpm.output("apply", *root, "--latency", "1us", "nvme1")
    assert limits[1].read_text().strip() == "1"
    ssdpm("revert", *root)
    assert limits[1].read_text().strip() == before[1]
    # Nobody goes round in a circle.
    for call in (["bisect"], ["bisect", "good"], ["bisect", "start", *SEEN, "nvme0"]):
        told = ssdpm.fails(1, *call, *root)
        assert "a search has ended, and not all of its values are restored" in told, call
        assert f"ssdpm bisect --root {search.root} stop --forget" in told, call
    (error,) = json.loads(ssdpm("bisect", "--json", *root).stdout)["errors"]
    assert "stop --forget" in error
    status, said = stop("--forget")
    assert status == 6, said
    assert "nvme0: not restored" in said and "--forget" not in said
    assert not (search.root / "run/ssdpm/bisect").exists()
    ssdpm("apply", *root, "--latency", "1us", "nvme1")
    assert limits[1].read_text().strip() == "1"


def test_tune_names_the_search_that_refuses_what_it_shows(laptop: Search) -> None:
    laptop("start", *SEEN, "nvme0")
    root = ("--root", str(laptop.root))
    told = laptop.ssdpm("tune", "--dry-run", *root)
    assert told.returncode == 0
    said = " ".join(told.stderr.decode().split())
    assert "a search of bisect has set nvme0, so other settings are refused there" in said
    assert laptop.ssdpm("tune", "--dry-run", "--quiet", *root).stderr == b""
    laptop("stop")
    assert b"bisect" not in laptop.ssdpm("tune", "--dry-run", *root).stderr


def test_a_search_that_is_on_keeps_nobody_from_setting_other_drives(
    ssdpm: Command, machine: Make
) -> None:
    search = Search(ssdpm, machine("eight-drives"))
    root = ("--root", str(search.root))
    limits = [search.root / LIMIT.replace("nvme0", f"nvme{i}") for i in (0, 1)]
    before = [limit.read_text().strip() for limit in limits]
    search("start", *SEEN, "nvme0")
    result = ssdpm("apply", *root, "--latency", "1us", "nvme0", "nvme1")
    assert result.returncode == 6, result.stderr
    assert [limit.read_text().strip() for limit in limits] == ["0", "1"]
    search.keeps_out("apply", "--strict", "--latency", "5us", "nvme0", "nvme1")
    assert [limit.read_text().strip() for limit in limits] == ["0", "1"]
    # Each table is made from the parameters, the one of the trial too.
    parameters = search.root / "sys/module/nvme_core/parameters"
    was = {path.name: path.read_text() for path in parameters.iterdir()}
    assert ssdpm("apply", *root, "--nvme-core", "apst_primary_timeout_ms=333").returncode == 6
    assert {path.name: path.read_text() for path in parameters.iterdir()} == was
    search("stop")
    ssdpm.output("revert", *root)
    assert [limit.read_text().strip() for limit in limits] == before


def test_a_search_whose_drive_is_gone_keeps_nobody_from_setting_values(
    ssdpm: Command, machine: Make
) -> None:
    search = Search(ssdpm, machine("eight-drives"))
    search("start", *SEEN, "nvme0")
    drive = (search.root / "sys/class/nvme/nvme0").resolve()
    drive.rename(search.root / "gone")
    result = search.ssdpm("bisect", "bad", "--root", str(search.root))
    assert result.returncode == 5
    assert b"nvme0: not restored" in result.stderr
    said = search("status")
    assert "Something else" in said
    assert "  nvme0 latency limit: the drive is gone, before 100 ms\n" in said
    for words in ((), ("report",)):
        told = ssdpm.json("bisect", *words, "--root", str(search.root))
        assert told["unrestored"] == [
            {"name": "nvme0:latency_us", "before": "100 ms", "now": None},
            {"name": "nvme0:link", "before": "clkpm,l1,l1.1,l1.2", "now": None},
        ]
    root = ("--root", str(search.root))
    ssdpm("apply", *root, "--latency", "1us", "nvme1")
    assert "Something else" in search("report")
    search("stop")
    assert not (search.root / "run/ssdpm/bisect").exists()


def test_status_and_a_plan_say_that_a_trial_keeps_others_from_setting_values(
    laptop: Search,
) -> None:
    def said(*words: str) -> str:
        result = laptop.ssdpm(*words, "--root", str(laptop.root))
        assert result.returncode == 0, result.stderr
        return " ".join((result.stdout + result.stderr).decode().split())

    looks = [
        ("status",),
        ("plan", "--latency", "1us", "nvme0"),
        ("apply", "--dry-run", "--latency", "1us", "nvme0"),
        ("revert", "--dry-run"),
    ]
    assert [look for look in looks if "search of bisect" in said(*look)] == []
    laptop("start", *SEEN, "nvme0")
    way_out = f"ssdpm bisect --root {laptop.root} stop ends the search"
    for look in looks:
        assert "has set nvme0, so other settings are refused there" in said(*look), look
        assert way_out in said(*look), look
    # A search that a kill ended has no file yet, and its values are set.
    (laptop.root / "var/lib/ssdpm/bisect").unlink()
    assert way_out in said("status")
    laptop("stop")
    assert [look for look in looks if "search of bisect" in said(*look)] == []


def test_a_log_of_any_size_is_read_to_its_end(laptop: Search) -> None:
    log = laptop.root / "log"
    quiet = "[ 1.0] systemd[1]: all is well\n" * 1000
    sign = "[ 61.2] nvme nvme0: controller is down; will reset: CSTS=0x3"
    with log.open("w") as file:
        for _ in range((17 << 20) // len(quiet)):
            file.write(quiet)
        file.write(sign)
    assert log.stat().st_size > 16 << 20
    laptop("start", *SEEN, "nvme0")
    text = laptop("report", "--log", str(log))
    assert "Lines of the log with signs of faults: 1\n" in text
    assert text.endswith(f"  {sign}\n")
    log.unlink()
    call = ("bisect", "report", "--log", str(log), "--root", str(laptop.root))
    # fails() sees to it that nothing is printed that looks like a report.
    assert "log: No such file or directory" in laptop.ssdpm.fails(1, *call)


IN_MODIFY, IN_NONBLOCK = 2, 0o4000


def test_the_end_of_a_search_turns_ncq_on_again(desktop_search: Search) -> None:
    depth = desktop_search.root / DEPTH
    depth.write_text("32\n")
    desktop_search("start", *SEEN, "sda")
    desktop_search("good", "--entries", "9999")
    assert depth.read_text().strip() == "32"
    libc = ctypes.CDLL(None)
    watch = libc.inotify_init1(IN_NONBLOCK)
    assert libc.inotify_add_watch(watch, bytes(depth), IN_MODIFY) >= 0
    desktop_search("stop")
    try:
        written = os.read(watch, 4096)
    except BlockingIOError:
        written = b""
    os.close(watch)
    assert written, "the same depth, which Linux takes for no change"
    assert depth.read_text().strip() == "32"


@pytest.mark.parametrize("last", ["stop", "bad"])
def test_the_end_of_a_search_names_the_call_for_settings_that_were_refused(
    laptop: Search, last: str
) -> None:
    laptop("start", *SEEN, "nvme0")
    # The first trial is bad: that ends the search.
    files = laptop.root / "etc/ssdpm.conf"
    files.parent.mkdir(exist_ok=True)
    files.write_text("[drive]\nkind = nvme\nmax_exit_latency = 20ms\n")
    root = ("--root", str(laptop.root))
    laptop.keeps_out("apply", "--config")
    said = laptop.ssdpm("bisect", last, *root).stderr.decode()
    call = f"ssdpm apply --root {laptop.root} --config sets them"
    assert call in " ".join(said.replace("\\", "").split())
    laptop.ssdpm.output("apply", "--config", *root)
    assert laptop.read(LIMIT) == "20000"
    if last == "bad":
        laptop("stop")
    laptop("start", *SEEN, "nvme0")
    assert "refused" not in laptop.ssdpm("bisect", "stop", *root).stderr.decode()
    assert laptop.read(LIMIT) == "20000"
