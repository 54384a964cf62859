# SPDX-License-Identifier: MIT
"""ssdpm plan: what would be written, and what the drives do then."""

from __future__ import annotations

import pathlib
import shlex
from collections.abc import Callable
from typing import Any

import pytest
import ssdpm as package
from command import Command

Make = Callable[[str], pathlib.Path]

MINE = """[quiet]
max_exit_latency = 25ms
reason = no state that I hear
"""


def targets(table: dict[str, Any]) -> list[tuple[int, int, int]]:
    return [(e["state"], e["target"], e["idle_ms"]) for e in table["entries"]]


def tree(root: pathlib.Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


def test_the_quirks_of_a_device_are_the_same_in_the_command_and_python(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("quirked")
    forced = root / "sys/module/nvme_core/parameters/force_apst"
    (root / "sys/class/nvme/nvme0/quirks").unlink()  # as before Linux 7
    for value, quirks in (("N", ["no-deepest-ps"]), ("Y", [])):
        forced.write_text(value + "\n")
        device, *_ = package.devices(str(root))
        assert device.name == "nvme0"
        assert [str(one) for one in device.quirks().quirks] == quirks
        for subcommand in ("show", "apst"):
            answer = ssdpm.json(subcommand, "--root", str(root), "nvme0")
            assert answer["quirks"] == quirks


def test_a_known_fault_that_force_apst_hides_is_a_warning(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("quirked")
    (root / "sys/module/nvme_core/parameters/force_apst").write_text("Y\n")
    (root / "sys/class/nvme/nvme0/quirks").write_text("none\n")
    plan = ("plan", "--root", str(root), "--latency")
    stderr = ssdpm(*plan, "50ms", "nvme0").stderr.decode()
    assert "nvme0: warning: quirk no-deepest-ps is not in force" in stderr
    assert b"warning" not in ssdpm(*plan, "0us", "nvme0").stderr


def test_a_limit_is_a_step_with_the_table_before_and_after(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    before = tree(laptop)
    plan = ssdpm.json("plan", "--root", str(laptop), "--latency", "25ms")
    (step,) = plan["steps"]
    assert step["kind"] == "latency-tolerance" and step["state"] == "planned"
    assert step["device"] == "nvme0"
    assert (step["before"], step["after"]) == ("100000", "25000")
    assert step["target"].endswith("power/pm_qos_latency_tolerance_us")
    assert plan["in_force"] is False and plan["profile"] is None
    (table,) = plan["tables"]
    assert targets(table["before"]) == [
        (0, 3, 100), (1, 3, 100), (2, 3, 100), (3, 4, 2000),
    ]  # fmt: skip
    assert targets(table["after"]) == [(0, 3, 100), (1, 3, 100), (2, 3, 100)]
    assert table["built"] is None
    assert tree(laptop) == before
    text = ssdpm.output("plan", "--root", str(laptop), "--latency", "25ms")
    assert text.startswith("nvme0: latency tolerance 100 ms -> 25 ms (planned)\n")
    assert "    before  PS0-PS2 to PS3 after 100 ms, PS3 to PS4 after 2 s\n" in text


def test_the_table_is_that_of_apst(ssdpm: Command, machine: Make) -> None:
    root = str(machine("laptop"))
    (table,) = ssdpm.json("plan", "--root", root, "--latency", "25ms")["tables"]
    apst = ssdpm.json("apst", "--root", root, "--max-exit-latency", "25ms", "nvme0")
    assert table["after"]["entries"] == apst["entries"]


def test_auto_follows_the_power_source(ssdpm: Command, machine: Make) -> None:
    plan = ssdpm.json("plan", "--root", str(machine("laptop")), "--profile", "auto")
    assert (plan["profile"], plan["power_source"]) == ("power-saver", "battery")
    assert plan["reason"]
    call = ["plan", "--root", str(machine("apst-empty")), "--profile", "auto"]
    plan = ssdpm.json(*call)
    assert (plan["profile"], plan["power_source"]) == ("balanced", "ac")
    plan = ssdpm.json(*call, "--source", "battery")
    assert (plan["profile"], plan["power_source"]) == ("power-saver", "battery")


def test_a_machine_that_does_not_say_is_taken_for_ac_and_that_is_said(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    for supply in (laptop / "sys/class/power_supply").iterdir():
        (supply / "type").write_text("Battery\n")
        (supply / "status").write_text("Unknown\n")
    result = ssdpm("plan", "--root", str(laptop), "--profile", "auto", "--json")
    assert b'"power_source": "ac"' in result.stdout
    assert b"no power supply says" in result.stderr


def test_profiles_of_a_user_come_before_those_built_in(
    ssdpm: Command, machine: Make
) -> None:
    root = str(machine("laptop"))
    ssdpm.write("mine.ini", MINE)
    call = ["plan", "--root", root, "-p", "quiet", "--profiles", "mine.ini"]
    (step,) = [
        step for step in ssdpm.json(*call)["steps"] if step["kind"] != "nvme-core"
    ]
    assert step["after"] == "25000"
    ssdpm.write("mine.ini", "[quiet]\nnonsense = 1\n")
    message = ssdpm.fails(1, *call)
    assert message.startswith("ssdpm: mine.ini:2: nonsense: no key of a profile: ")


def test_a_parameter_is_for_all_drives_and_has_their_tables_built_anew(
    ssdpm: Command, machine: Make
) -> None:
    root = str(machine("eight-drives"))
    call = ["plan", "--root", root, "--nvme-core", "apst_primary_timeout_ms=50"]
    steps = ssdpm.json(*call)["steps"]
    assert steps[0]["device"] == "all" and "all-drives" in steps[0]["flags"]
    rebuilt = [step["device"] for step in steps if step["kind"] == "rebuild"]
    assert rebuilt == ["nvme0", "nvme1", "nvme2"]
    old = ["plan", "--root", str(machine("old-5.10")), *call[3:]]
    assert ssdpm(*old).returncode == 3


def test_a_table_of_ones_own_lasts_until_the_next_reset(
    ssdpm: Command, machine: Make
) -> None:
    root = str(machine("laptop"))
    (step,) = ssdpm.json("plan", "--root", root, "--apst", "linux-legacy")["steps"]
    assert step["kind"] == "apst" and "until-reset" in step["flags"]
    assert step["after"] == "PS0-PS2 to PS3 after 745 ms, PS3 to PS4 after 2.2 s"
    table = ssdpm.json("apst", "--root", root, "-a", "linux-legacy", "nvme0")
    assert step["after_table"]["entries"] == table["entries"]
    shown = ssdpm.output("plan", "--root", root, "--apst", "linux-legacy")
    assert f"{step['before']} -> {step['after']} (planned)" in " ".join(shown.split())


def test_a_table_that_a_quirk_forbids_is_status_3(
    ssdpm: Command, machine: Make
) -> None:
    raw = "2064000000000000" * 4 + "0" * 448  # to PS4 after 100 ms
    ssdpm.write("table", raw)
    root = str(machine("quirked"))
    message = ssdpm.fails(3, "plan", "--root", root, "--apst", "table", "nvme0")
    assert "no-deepest-ps" in message


def test_ports_that_nobody_named_are_left_alone(ssdpm: Command, machine: Make) -> None:
    root = str(machine("desktop-6.1"))
    plan = ssdpm.json("plan", "--root", root, "--lpm", "medium_power")
    states = {step["device"]: step["state"] for step in plan["steps"]}
    assert states == {
        "sda": "planned", "sdb": "planned", "host2": "left-alone",
        "host3": "left-alone", "host4": "left-alone",
    }  # fmt: skip


def test_a_workload_says_what_is_saved_and_what_it_costs(
    ssdpm: Command, machine: Make
) -> None:
    root = str(machine("laptop"))
    call = ["plan", "--root", root, "-q", "--latency", "0us", "-t", "lomax"]
    (estimate,) = ssdpm.json(*call)["estimates"]
    assert estimate["schema"] == "ssdpm.comparison/1"
    before, after = estimate["rows"]
    assert (before["policies"], after["policies"]) == (["before"], ["after"])
    assert after["saving"]["nominal_uw"] < 0
    text = ssdpm.output(*call)
    assert "    probably costs " in text and "delay of an I/O" in text
    assert after["likely"]["verdict"] == "probably-costs" and "mW (likely " in text
    assert " less on average\n" in text
    same = ssdpm.output(*call[:4], "--latency", "100ms", "-t", "lomax")
    assert "    as now  " in same and "saves" not in same


def test_a_sata_drive_is_estimated_too(ssdpm: Command, machine: Make) -> None:
    root = str(machine("desktop-6.1"))
    call = ["plan", "--root", root, "-q", "--lpm", "min_power", "-t", "lomax", "sda"]
    (estimate,) = ssdpm.json(*call)["estimates"]
    assert [row["lpm"] for row in estimate["rows"]] == ["max_performance", "min_power"]


WATTS = "-t WORKLOAD adds what it saves in watts; so does ssdpm tune.\n"


@pytest.mark.parametrize(
    "call, kept",
    [
        (["-p", "power-saver"], ["-p", "power-saver"]),
        (["-ppower-saver", "-t", "lomax", "--wide"], ["-p", "power-saver"]),
        (["--latency=25ms", "-v", "nvme0"], ["--latency", "25ms"]),
    ],
)
def test_a_plan_ends_with_the_call_that_sets_it(
    ssdpm: Command, machine: Make, call: list[str], kept: list[str]
) -> None:
    """And that call ends with the one that goes back."""
    root = machine("laptop").rename(ssdpm.directory / "it's a laptop")
    place = ["--root", str(root)]
    text = ssdpm.output("plan", *place, *call)
    last = text.splitlines()[-1]
    assert last.startswith("To set it: ssdpm apply ")
    words = shlex.split(last.split(": ", 1)[1])
    assert words == ["ssdpm", "apply", *place, *kept, *call[call.index("-v") + 1 if "-v" in call else 9 :]]
    assert (WATTS in text) == (call == ["-p", "power-saver"])
    assert "To set it" not in ssdpm.output("plan", "-q", *place, *call)
    set_it = ssdpm.output(*words[1:]).splitlines()
    assert set_it[-1].startswith("To go back to before the first change: ssdpm revert ")
    # All is so already.
    again = ssdpm.output("plan", *place, *call) + ssdpm.output(*words[1:])
    assert "To set it" not in again and "To go back" not in again and WATTS not in again
    before = tree(root)
    back = shlex.split(set_it[-1].split(": ", 1)[1])
    assert back == ["ssdpm", "revert", *place] and ssdpm(*back[1:]).returncode == 0
    assert tree(root) != before


def test_both_power_sources_are_shown_by_one_command(
    ssdpm: Command, machine: Make
) -> None:
    root = str(machine("laptop"))
    call = ["plan", "--root", root, "-p", "auto", "--source"]
    workload = ["-t", "lomax"]
    both = ssdpm.json(*call[:-1], "--both-sources", *workload)
    assert both == [
        ssdpm.json(*call, source, *workload) for source in ("ac", "battery")
    ]
    assert [plan["profile"] for plan in both] == ["balanced", "power-saver"]
    text = ssdpm.output(*call[:-1], "--both-sources", *workload)
    assert text.endswith(f"\nTo set it: ssdpm apply --root {root} -p auto\n")
    assert text[: text.rindex("To set it")] == "\n".join(
        ssdpm.output(*call, source, *workload, "-q") for source in ("ac", "battery")
    )
    # What makes it last follows the power source: the same files as of auto.
    persist = ["--persist", "systemd"]
    _, battery = ssdpm.json(*call[:-1], "--both-sources", *persist)
    assert battery["files"] == ssdpm.json(*call, "auto", *persist)["files"]


@pytest.mark.parametrize("kind", ["udev", "modprobe", "systemd", "tlp", "tuned"])
def test_the_files_that_make_it_last_are_shown_and_not_written(
    ssdpm: Command, laptop: pathlib.Path, kind: str
) -> None:
    before = tree(laptop)
    call = ["plan", "--root", str(laptop), "-p", "balanced", "--source", "ac"]
    files = ssdpm.json(*call, "--persist", kind)["files"]
    assert files and all(file["path"].startswith("/") for file in files)
    text = ssdpm.output(*call, "--persist", kind)
    for file in files:
        assert f"{file['path']}, mode {file['mode']:o}:\n" in text
        assert file["contents"] in text
    assert tree(laptop) == before


SETTINGS = {
    "--latency=5ms": "5000",
    "--nvme-core=apst_primary_timeout_ms=50": "apst_primary_timeout_ms=50",
    "--lpm=medium_power": "medium_power",
}


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("kind", ["udev", "modprobe", "systemd", "tlp", "tuned"])
def test_a_setting_lasts_without_a_profile(
    ssdpm: Command, machine: Make, kind: str, setting: str
) -> None:
    root = str(machine("eight-drives"))
    call = ["--root", root, setting, "--persist", kind]
    if kind == "tlp" and "lpm" not in setting:
        assert "SATA ports alone" in ssdpm.fails(2, "plan", "-q", *call)
        return
    files = ssdpm.json("plan", "-q", *call)["files"]
    assert SETTINGS[setting] in files[0]["contents"]
    ssdpm.output("apply", "-q", *call)
    for file in files:
        assert pathlib.Path(root + file["path"]).read_text() == file["contents"]


def test_a_setting_beside_a_profile_lasts_with_it(
    ssdpm: Command, machine: Make
) -> None:
    root = str(machine("laptop"))
    call = ["plan", "--root", root, "-p", "auto", "--latency", "5ms"]
    (file,) = ssdpm.json(*call, "--persist", "systemd")["files"][:1]
    assert "apply --profile auto --latency 5000us --quiet\n" in file["contents"]


def test_files_for_all_drives_are_not_made_of_one_drives_plan(
    ssdpm: Command, machine: Make
) -> None:
    root = str(machine("eight-drives"))
    call = ["plan", "--root", root, "--persist", "udev", "--latency", "5ms", "nvme0"]
    assert "for all drives: name no TARGET" in ssdpm.fails(2, *call)


def test_profiles_that_cannot_be_read_again_are_made_to_last_by_no_file(
    ssdpm: Command, machine: Make
) -> None:
    ssdpm.write("mine.ini", MINE)
    call = ["plan", "--root", str(machine("laptop")), "-p", "quiet"]
    call += ["--persist", "modprobe"]
    for name in ("-", "/dev/stdin"):
        result = ssdpm(*call, "--profiles", name, stdin=MINE.encode())
        assert result.returncode == 2
        assert b"write it to one" in result.stderr
    assert ssdpm.json(*call, "--profiles", "mine.ini")["files"]
    ssdpm.write("my own.ini", MINE)
    message = ssdpm.fails(2, *call, "--profiles", "my own.ini")
    assert "my own.ini" in message and "letters, digits" in message


@pytest.mark.parametrize(
    "arguments, words",
    [
        ([], "nothing to set is given"),
        (["--source", "ac"], "nothing to set is given"),
        (["--source", "ac", "--latency", "any"], "--source requires --profile"),
        (["--profiles", "f", "--latency", "any"], "--profiles requires --profile"),
        (["--source", "mains", "-p", "auto"], "unknown --source 'mains'; expected ac, battery or auto"),
        (["--both-sources", "--latency", "any"], "--both-sources requires --profile"),
        (["--both-sources", "-p", "auto", "--source", "ac"], "conflicts with --source"),
        (["--both-sources", "-p", "auto", "-t", "-"], "for --both-sources"),
        (["-p", ""], '--profile ""'),
        (["--latency", "25"], "--latency 25"),
        (["--latency", "3000s"], "2147483646 us"),
        (["--nvme-core", "apst_primary_timeout_ms"], "and a number"),
        (["--nvme-core", "apst_primary_timeout_ms=50ms"], "whole number"),
        (["--nvme-core", "force_apst=1"], "--nvme-core force_apst=1"),
        (["--nvme-core", "default_ps_max_latency_us=1"], "--nvme-core"),
        (["--lpm", "slumber"], "unknown --lpm 'slumber'; "),
        (["--persist", "cron", "-p", "auto"], "unknown --persist 'cron'; "),
        (["--persist", "udev", "--apst", "linux"], "udev cannot make --apst last"),
        (["--persist", "tlp", "--latency", "any"], "TLP sets the links of SATA ports"),
        (["--latency", "any", "-t", "-"], "name one TARGET"),
    ],
)
def test_wrong_usage_is_status_2(
    ssdpm: Command, machine: Make, arguments: list[str], words: str
) -> None:
    root = str(machine("laptop"))
    assert words in ssdpm.fails(2, "plan", "--root", root, *arguments)


def test_what_is_not_there_is_status_1(ssdpm: Command, machine: Make) -> None:
    root = str(machine("laptop"))
    assert "nosuch" in ssdpm.fails(1, "plan", "--root", root, "-p", "nosuch")
    call = ["plan", "--root", root, "-p", "auto", "--profiles", "nosuch"]
    assert "nosuch" in ssdpm.fails(1, *call)
    assert "sdx" in ssdpm.fails(1, "plan", "--root", root, "-p", "auto", "sdx")
    assert "table" in ssdpm.fails(1, "plan", "--root", root, "--apst", "table")


def test_a_drive_that_is_named_and_cannot_is_status_3(
    ssdpm: Command, machine: Make
) -> None:
    root = str(machine("desktop-6.1"))
    assert "sda" in ssdpm.fails(3, "plan", "--root", root, "--latency", "any", "sda")
    call = ["plan", "--root", root, "--lpm", "medium_power", "nvme0"]
    assert "nvme0" in ssdpm.fails(3, *call)
    root = str(machine("quirked"))
    assert "nvme1" in ssdpm.fails(3, "plan", "--root", root, "-l", "any", "nvme1")
    # Not named: it is said, and the others are done.
    result = ssdpm("plan", "--root", root, "--latency", "any")
    assert result.returncode == 0 and b"nvme1" in result.stderr


def test_a_link_that_linux_does_not_manage_is_a_range(
    ssdpm: Command, machine: Make
) -> None:
    root = str(machine("no-aspm"))
    call = ("plan", "--root", root, "--profile", "power-saver", "--trace", "lomax")

    def run(*more: str) -> Any:
        (found,) = ssdpm.json(*call, "nvme0", *more)["estimates"]
        return found

    unknown, best, worst = run(), run("--pcie-link", "l1.2"), run("--pcie-link", "l0")
    assert [one["pcie_link"] for one in (unknown, best, worst)] == [None, "l1.2", "l0"]
    for i in range(2):
        low = unknown["rows"][i]["low"]["mean_power_uw"]
        high = unknown["rows"][i]["high"]["mean_power_uw"]
        assert low == best["rows"][i]["low"]["mean_power_uw"]
        assert high == worst["rows"][i]["high"]["mean_power_uw"]
    # What Linux does manage is no question: it has L0 on.
    text = ssdpm.output(*call, "nvme1")
    assert "asleep with the link in l0\n  the machine says: link in l0" in text
    text = ssdpm.output(*call, "nvme0")
    assert "asleep with the link in l1.2 to l0\n  the machine says: nothing of" in text


def test_a_kernel_without_apst_for_a_drive_is_simulated_without(
    ssdpm: Command, machine: Make
) -> None:
    call = ("--root", str(machine("eight-drives")), "--trace", "lomax", "nvme3")
    assert "  today: never sleeps\n" in ssdpm.output("estimate", *call)
    linux = ssdpm.output("estimate", *call, "-a", "linux")
    assert "  linux: never sleeps\n" in linux


def test_a_machine_without_drives_has_nothing_to_do(ssdpm: Command) -> None:
    (ssdpm.directory / "bare/sys").mkdir(parents=True)
    call = ["plan", "--root", "bare", "-q", "-p", "balanced"]
    assert ssdpm.output(*call).endswith("nothing to do\n")
    assert ssdpm.json(*call)["steps"] == []


def test_a_parameter_alone_shows_the_tables_that_it_makes(
    ssdpm: Command, machine: Make
) -> None:
    call = ["plan", "--root", str(machine("desktop-6.1"))]
    plan = ssdpm.json(*call, "--nvme-core", "apst_primary_timeout_ms=50")
    (table,) = plan["tables"]
    assert table["device"] == "nvme0"
    assert table["before"] != table["after"]
    kinds = [step["kind"] for step in plan["steps"] if step["state"] == "planned"]
    assert kinds == ["nvme-core", "rebuild"]
