# SPDX-License-Identifier: MIT
"""ssdpm recommend: several drives, NVMe and SATA, with the call that sets each one."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
from collections.abc import Callable
from typing import Any

import machines
import pytest
import ssdpm as package
from command import Command
from test_show import identify

Make = Callable[[str], pathlib.Path]
DESKTOP = ["-q", "-t", "desktop-session"]


def recommended(ssdpm: Command, *call: str) -> dict[str, Any]:
    """By drive: its routes, by name."""
    answer = json.loads(ssdpm("recommend", *call, "--json").stdout)
    return {
        one["drive"]: {route["route"]: route for route in one["recommendations"]}
        for one in answer["recommendations"]
    }


PATIENCES = [[], ["--patient"], ["--instant"]]


def tuned_by(ssdpm: Command, *call: str) -> dict[str, Any]:
    answer = json.loads(ssdpm("tune", "-n", *call, "--json").stdout)
    return {one["name"]: one for one in answer["drives"]}


@pytest.mark.parametrize("patience", PATIENCES)
@pytest.mark.parametrize("name", machines.MACHINES)
def test_the_limits_are_those_of_tune(
    ssdpm: Command, machine: Make, name: str, patience: list[str]
) -> None:
    call = ["--root", str(machine(name)), *patience]
    tuned = tuned_by(ssdpm, *call)
    answer = json.loads(ssdpm("recommend", "-q", *call, "--json").stdout)
    for one in answer["recommendations"]:
        bounds, wanted = one["bounds"], tuned[one["drive"]]["bounds"]
        assert bounds["patience"] == ("".join(patience).strip("-") or "normal")
        assert bounds["by_default"] and bounds["may_cost"] == ("--instant" in patience)
        for key in ("max_delay_p99_ns", "max_exit_latency_us"):
            assert bounds[key] == wanted[key]
        # The runs of tune end with the slowest one, so their time is a little longer.
        assert bounds["max_delay_mean_ns"] == pytest.approx(wanted["max_delay_mean_ns"], rel=0.01)


# What only the command says: sentences, calls, and files of this machine.
OWN = {"text", "apply", "sysfs", "modprobe"}


@pytest.mark.parametrize("patience", PATIENCES)
@pytest.mark.parametrize("name", machines.MACHINES)
def test_python_recommends_the_same(
    ssdpm: Command, machine: Make, name: str, patience: list[str]
) -> None:
    root = machine(name)
    call = ["recommend", "-q", "-t", "lomax", "--root", str(root), *patience, "--json"]
    trace = package.generate("lomax")
    word = "".join(patience).strip("-") or "normal"
    for one in json.loads(ssdpm(*call).stdout)["recommendations"]:
        device = package.open(one["drive"], root)
        found = json.loads(package.recommend(device, trace, patience=word).to_json())
        assert found["bounds"] == one["bounds"]
        for ours, theirs in zip(found["recommendations"], one["recommendations"], strict=True):
            assert {key: ours[key] for key in ours if key not in OWN} == {
                key: theirs[key] for key in theirs if key not in OWN
            }


def test_a_bound_replaces_its_own_default_alone(ssdpm: Command) -> None:
    call = ["recommend", "-t", "lomax", "drive.json"]
    assert "--patient conflicts with --instant" in ssdpm.fails(2, *call, "--patient", "--instant")
    for patience in ([], ["--patient"], ["--instant"]):
        usual = ssdpm.json(*call, *patience)["bounds"]
        assert usual["by_default"] and None not in usual.values()
        for option, key in (
            ("--max-added-mean", "max_delay_mean_ns"),
            ("--max-added-p99", "max_delay_p99_ns"),
            ("--max-exit-latency", "max_exit_latency_us"),
        ):
            for value, number in (("any", None), ("0us", 0)):
                given = ssdpm.json(*call, *patience, option, value)["bounds"]
                assert given == usual | {key: number, "by_default": False}
    assert ", with --patient\n" in ssdpm.output(*call, "-q", "--patient")


def test_safe_data_matter_more_than_a_bound_and_that_is_said(
    ssdpm: Command, machine: Make
) -> None:
    call = ["recommend", "-q", "-t", "lomax", "--max-added-p99", "1us"]
    call += ["--root", str(machine("desktop-6.1")), "sdb"]
    assert "  the bounds are not kept: no safe link policy that sleeps" in ssdpm.output(*call)
    (advice,) = ssdpm.json(*call)["recommendations"]
    assert (advice["advice"], advice["kept"]) == ("set", "not")


def test_what_is_not_decided_is_not_advised(ssdpm: Command, machine: Make) -> None:
    call = ["recommend", "-t", "desktop-session", "--max-added-p99", "20ms"]
    found = ssdpm.json(*call, "--root", str(machine("laptop")), "nvme0")["recommendations"]
    verdicts = {one["likely"]["verdict"] for one in found}
    assert verdicts == {"not-decided"} and {one["advice"] for one in found} <= {"keep", "costs"}


def test_a_bound_on_some_delays_lets_no_others_grow(ssdpm: Command) -> None:
    ssdpm.write("sn530.json", ssdpm.output("show", "--json", "WDC PC SN530"))
    call = ["recommend", "-q", "-t", "lomax", "sn530.json"]
    usual = ssdpm.json(*call)["recommendations"]
    bounded = ssdpm.json(*call, "--max-added-p99", "20ms")["recommendations"]
    for before, after in zip(usual, bounded, strict=True):
        assert after["run"]["delay_sum_ns"] <= before["run"]["delay_sum_ns"] * 1.05


@pytest.mark.parametrize("patience", PATIENCES)
@pytest.mark.parametrize("name", machines.MACHINES)
def test_a_sata_drive_is_advised_as_by_tune(
    ssdpm: Command, machine: Make, name: str, patience: list[str]
) -> None:
    root = str(machine(name))
    call = [*DESKTOP, "--root", root, *patience]
    tuned = tuned_by(ssdpm, *call)
    done = ssdpm("recommend", *call, "--json")
    if done.returncode == 1:  # a drive that cannot be read
        assert name == "hostile"
        return
    for drive, routes in recommended(ssdpm, *call).items():
        if "link-policy" not in routes:
            # Linux 7.2 and later refuse a raw table.
            assert list(routes)[:2] == ["latency-limit", "nvme-core"]
            continue
        [(_, link)], tune = routes.items(), tuned.pop(drive)
        assert (link["advice"] == "set") == (tune["advice"] == "set")
        if link["advice"] == "set":
            assert link["lpm"] == tune["setting"]["lpm"]
            assert link["likely"]["verdict"] == tune["likely"]["verdict"]
            assert link["likely"]["median_uw"] == pytest.approx(
                tune["likely"]["median_uw"], rel=0.01
            )
    # The others were left alone there, too.
    left = [one for one in tuned.values() if one["name"].startswith("sd")]
    assert all(one["advice"] is None for one in left)


def test_the_call_that_is_printed_sets_the_link_policy(ssdpm: Command, machine: Make) -> None:
    root = machine("desktop-6.1")
    found = recommended(ssdpm, *DESKTOP, "--root", str(root))
    assert list(found) == ["nvme0", "sda", "sdb"]
    text = ssdpm.output("recommend", *DESKTOP, "--root", str(root))
    for number, drive in enumerate(("sda", "sdb")):
        link = found[drive]["link-policy"]
        line = f"ssdpm apply --root {root} --lpm med_power_with_dipm {drive}"
        assert link["apply"] == line and f"    {line}\n" in text
        assert ssdpm.shell(line).returncode == 0
        policy = "sys/class/scsi_host/host%d/link_power_management_policy" % number
        assert (root / policy).read_text().strip() == link["lpm"]
        assert [one["path"] for one in link["sysfs"]] == ["/" + policy]
    again = recommended(ssdpm, *DESKTOP, "--root", str(root), "sda", "sdb")
    assert [one["link-policy"]["advice"] for one in again.values()] == ["keep", "keep"]


def test_files_and_names_are_told_what_to_write(ssdpm: Command) -> None:
    ssdpm.write("sata", identify())
    call = ["-t", "desktop-session", "--from", "max_performance"]
    found = recommended(ssdpm, *call, "sata", "Samsung SSD 860 EVO 4TB")
    assert list(found) == ["sata", "Samsung SSD 860 EVO 4TB"]
    link = found["Samsung SSD 860 EVO 4TB"]["link-policy"]
    assert (link["advice"], link["lpm"], link["apply"]) == ("set", "med_power_with_dipm", None)
    assert link["limit_us"] is None and "entries" not in link
    text = ssdpm.output("recommend", "-q", *call, "Samsung SSD 860 EVO 4TB")
    assert "set the link policy to med_power_with_dipm: saves " in text
    path = "/sys/class/scsi_host/hostN/link_power_management_policy"
    assert f"    echo med_power_with_dipm > {path}\n" in text
    # The default of Linux is what a drive has of which no machine tells.
    found = recommended(ssdpm, "-t", "desktop-session", "Samsung SSD 860 EVO 4TB", "drive.json")
    assert found["Samsung SSD 860 EVO 4TB"]["link-policy"]["advice"] == "keep"
    assert list(found["drive.json"]) == ["latency-limit", "nvme-core", "raw-table"]


def test_bounds_hold_for_link_policies(ssdpm: Command) -> None:
    ssdpm.write("sata", identify())
    call = ["-t", "desktop-session", "--from", "max_performance", "sata"]
    for option in (["--max-exit-latency", "1ms"], ["--max-added-p99", "1ms"]):
        link = recommended(ssdpm, *call, *option)["sata"]["link-policy"]
        assert link["lpm"] in ("medium_power", "max_performance")
        assert link["run"]["delay_p99_ns"] <= 1_000_000
    # Only who pays for less delay gets a drive that never sleeps.
    call = ["-t", "desktop-session", "--max-added-mean", "0us", "sata"]
    link = recommended(ssdpm, *call)["sata"]["link-policy"]
    assert link["advice"] == "none" and link["today_keeps_bounds"] is False
    link = recommended(ssdpm, *call, "--may-cost")["sata"]["link-policy"]
    assert (link["advice"], link["lpm"]) == ("set", "max_performance")


def test_ports_that_are_left_alone_are_left_out(ssdpm: Command, machine: Make) -> None:
    call = ["recommend", "-t", "lomax", "--n-ios", "200", "--json"]
    root = machine("external-ports")
    done = ssdpm(*call, "--root", str(root))
    assert done.returncode == 0
    assert [one["drive"] for one in json.loads(done.stdout)["recommendations"]] == ["sda"]
    assert b"sdb: the port is for hot-plug" in done.stderr
    assert b"sdc: the port is external" in done.stderr
    assert not ssdpm(*call, "-q", "--root", str(root)).stderr
    done = ssdpm(*call, "--root", str(root), "sda", "sdb")
    assert done.returncode == 3
    assert [one["drive"] for one in json.loads(done.stdout)["recommendations"]] == ["sda"]


def test_disks_that_share_a_port_are_left_out(ssdpm: Command, machine: Make) -> None:
    root = machine("desktop-6.1")
    [first] = root.glob("sys/devices/**/link1/dev1.0")
    second = first.with_name("dev1.1")
    shutil.copytree(first, second, symlinks=True)
    (second / "ata_device/dev1.0").rename(second / "ata_device/dev1.1")
    link = root / "sys/class/ata_device/dev1.1"
    link.symlink_to(os.path.relpath(second / "ata_device/dev1.1", link.parent))
    done = ssdpm("recommend", "-t", "lomax", "--n-ios", "200", "--root", str(root), "sda")
    assert done.returncode == 3
    assert done.stderr == (
        b"ssdpm: sda: several devices share the port: its policy is that of all\n"
    )


def test_a_sata_drive_has_no_raw_table(ssdpm: Command) -> None:
    call = ["recommend", "-t", "lomax", "--raw", "raw", "Samsung SSD 860 EVO 4TB"]
    assert "Samsung SSD 860 EVO 4TB is a SATA drive" in ssdpm.fails(3, *call)
    assert not (ssdpm.directory / "raw").exists()


def test_a_page_shows_the_link_policy(ssdpm: Command) -> None:
    call = ["recommend", "-q", "-t", "desktop-session", "--from", "max_performance"]
    ssdpm.output(*call, "--html", "page.html", "Samsung SSD 860 EVO 4TB")
    page = (ssdpm.directory / "page.html").read_text()
    assert "Set the link policy to med_power_with_dipm: saves " in page


@pytest.mark.parametrize(("battery", "words"), [("16500mWh", "1.0 minute"), ("40Wh", "2.5 minutes")])
def test_one_minute_is_no_plural(
    ssdpm: Command, machine: Make, battery: str, words: str
) -> None:
    root = str(machine("apst-off"))
    use = ["--battery", battery, "--system-power", "20W"]
    text = ssdpm.output("recommend", *DESKTOP, "--root", root, *use, "nvme0")
    assert f"a battery lasts {words} more" in " ".join(text.split())


@pytest.mark.parametrize("name", ["laptop", "desktop-6.1", "quirked", "apst-off"])
def test_a_script_gets_a_command_if_and_only_if_the_advice_is_to_set(
    ssdpm: Command, machine: Callable[[str], pathlib.Path], name: str
) -> None:
    call = ["recommend", "-q", "--root", str(machine(name)), "nvme0"]
    item = ssdpm.json(*call)
    advice = ssdpm.output(*call, "--value", "recommendations_0_advice").strip()
    apply = ssdpm.output(*call, "--value", "recommendations_0_apply")
    assert advice == item["recommendations"][0]["advice"]
    assert apply.endswith("\n") and bool(apply.strip()) == (advice == "set")
    shell = ssdpm.output(*call, "--shell")
    assert f"recommendations_0_advice='{advice}'\n" in shell
    assert ("recommendations_0_apply=''\n" in shell) == (advice != "set")


def test_the_battery_of_the_machine_says_what_no_option_does(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("laptop")  # which runs on battery
    call = ["recommend", *DESKTOP, "--root", str(root), "--from", "none", "nvme0"]
    [battery] = root.glob("sys/class/power_supply/BAT*")
    left = int((battery / "energy_now").read_text()) / 1e6
    power = int((battery / "power_now").read_text()) / 1e6
    both = ["--battery", f"{left:.6f}Wh", "--system-power", f"{power:.6f}W"]
    words = ssdpm.output(*call, *both)
    assert "a battery lasts" in " ".join(words.split())
    bare = ["recommend", "--battery", *call[1:]]
    for part in ([*call, *both[:2]], [*call, *both[2:]], [*call, "--battery"], bare):
        assert ssdpm.output(*part) == words
    assert ssdpm.output(*call, "--battery=" + both[1], *both[2:]) == words


@pytest.mark.parametrize(("given", "why"), [
    (["--battery"], "--battery requires an ENERGY, as in 50Wh, and --system-power, where"),
    (["--battery", "--system-power", "5W"], "--battery requires an ENERGY, as in 50Wh, where"),
    (["--battery", "50Wh"], "--battery requires --system-power where"),
    (["--system-power", "5W"], "--system-power requires --battery where"),
])  # fmt: skip
def test_without_a_battery_its_options_say_what_is_missing(
    ssdpm: Command, machine: Make, given: list[str], why: str
) -> None:
    root = machine("laptop")
    (root / "sys/class/power_supply/AC/online").write_text("1\n")
    message = ssdpm.fails(2, "recommend", *DESKTOP, "--root", str(root), *given, "nvme0")
    assert f"{why} the machine does not run on a battery" in message


def test_words_of_a_limit_are_what_is_written(ssdpm: Command, machine: Make) -> None:
    call = ["--root", str(machine("laptop")), "--from", "linux:secondary-timeout=5s", "nvme0"]
    words = " ".join(ssdpm.output("recommend", *DESKTOP, *call).split())
    assert "set the latency limit to 100 ms, as Linux does" in words
    assert "go back to the defaults" not in words


@pytest.mark.parametrize("limit", [0, 1000])
def test_a_boot_that_sets_the_limit_has_it_in_the_line_for_the_boot(
    ssdpm: Command, machine: Make, limit: int
) -> None:
    root = machine("apst-off")
    core_files = root / "sys/module/nvme_core/parameters"
    (core_files / "default_ps_max_latency_us").write_text(f"{limit}\n")
    call = ["recommend", *DESKTOP, "--root", str(root), "nvme0"]
    limits, core, *_ = ssdpm.json(*call)["recommendations"]
    assert limits["modprobe"] == "options nvme_core default_ps_max_latency_us=100000"
    assert core["modprobe"].endswith(" default_ps_max_latency_us=100000")
    assert "options nvme_core default_ps_max_latency_us=100000\n" in ssdpm.output(*call)


@pytest.mark.parametrize("release, takes", [
    ("7.3.4+deb13-amd64", False), ("7.2.0", False), ("6.12.110", False),
    ("6.12.109", True), ("6.1.0-56-amd64", True), ("7.1.9", True),
])  # fmt: skip
def test_a_raw_table_is_not_offered_where_the_kernel_refuses_it(
    ssdpm: Command, machine: Make, release: str, takes: bool
) -> None:
    root = machine("laptop")
    (root / "proc/sys/kernel/osrelease").write_text(release + "\n")
    call = ["recommend", *DESKTOP, "--root", str(root), "--from", "none"]
    text = ssdpm.output(*call, "nvme0")
    assert ("raw-table: " in text) == ("--apst FILE" in text) == takes
    # A capture refuses it; the machine that it was made of may take it.
    assert ("now, on that machine, as root" in text) == takes
    assert ("\n    ssdpm apply --apst FILE nvme0\n" in text) == takes
    text = ssdpm.output(*call, "--raw", "raw", "nvme0")
    refusal = f"raw-table: not set: Linux {release} refuses a raw table\n"
    assert (refusal in text) == (not takes)
    routes = json.loads(ssdpm("recommend", *call[1:], "--json", "nvme0").stdout)["recommendations"]
    assert [route["route"] for route in routes[0]["recommendations"]] == [
        "latency-limit", "nvme-core", *["raw-table"] * takes
    ]  # fmt: skip
    assert all(route["apply"] for route in routes[0]["recommendations"])
    call = ["recommend", *call[1:], "--json", "--raw", "raw", "nvme0"]
    raw = json.loads(ssdpm(*call).stdout)["recommendations"][0]["recommendations"][2]
    assert (raw["apply"] is not None) == takes
    assert (f"not set: Linux {release} refuses a raw table; " in raw["text"]) == (not takes)


def test_a_drive_over_a_network_is_left_out(ssdpm: Command, machine: Make) -> None:
    root = machine("server")
    done = ssdpm("recommend", *DESKTOP, "--root", str(root), "nvme0")
    why = "over a network (tcp): its power is not of this machine"
    assert done.returncode == 3 and done.stdout == b""
    assert f"nvme0: {why}\n" in done.stderr.decode()
    device, trace = package.open("nvme0", root), package.generate("desktop-session")
    for ask in (package.recommend, package.estimate, package.compare):
        with pytest.raises(package.UnsupportedError, match=re.escape(why)):
            ask(device, trace)


def test_python_recommends_nothing_that_the_port_refuses(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("external-ports")
    device = package.open("sdb", root)
    with pytest.raises(package.UnsupportedError, match="the port is for hot-plug") as refused:
        package.recommend(device, package.generate("desktop-session"))
    message = ssdpm.fails(3, "recommend", *DESKTOP, "--root", str(root), "sdb")
    assert message == f"ssdpm: sdb: {refused.value.args[1]}"


def test_a_controller_that_is_not_live_is_not_estimated_in_python_either(machine: Make) -> None:
    root = machine("laptop")
    (root / "sys/class/nvme/nvme0/state").write_text("dead\n")
    device, trace = package.open("nvme0", root), package.generate("desktop-session")
    for ask in (package.recommend, package.estimate, package.compare):
        with pytest.raises(package.UnsupportedError, match="the controller is dead, not live"):
            ask(device, trace)


def test_a_limit_that_is_set_is_written_twice_to_build_its_table(
    ssdpm: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    """The drive of the capture has another table, and ssdpm apply finds nothing to set."""
    root = machine("laptop")
    [off] = machine("apst-off").glob("dumps/*.apst")
    [dump] = root.glob("dumps/*.apst")
    dump.write_bytes(off.read_bytes())
    call = ["recommend", "-q", "--root", str(root), "nvme0"]
    text = ssdpm.output(*call)
    [route] = re.findall(r"^latency-limit: (?:.*\n)(?:  .*\n)*", text, re.M)
    words = " ".join(route.split())
    assert words.startswith(
        "latency-limit: have Linux build its APST table of the latency limit 100 ms: saves "
    )
    path = "/sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us"
    assert [line.strip() for line in route.splitlines() if "echo" in line] == [
        f"echo {value} > {path}" for value in (99999, 100000)
    ]
    assert "ssdpm apply" not in route
    found = ssdpm.json(*call)["recommendations"][0]
    assert found["advice"] == "rebuild" and found["apply"] is None
    assert found["sysfs"] == [{"path": path, "value": value} for value in ("99999", "100000")]
    # In Python, too; and each number is that of the command.
    device = package.open("nvme0", root)
    in_python = package.recommend(device, package.generate("desktop-session"))
    assert in_python.recommendations[0].advice == "rebuild"
    assert str(in_python.recommendations[0]).startswith(
        "have Linux build its APST table of the latency limit 100000 us: saves "
    )
    there = json.loads(in_python.to_json())["recommendations"]
    here = ssdpm.json("recommend", *DESKTOP, *call[1:])["recommendations"]
    for one in (*there, *here):
        for key in ("text", "apply"):
            del one[key]
    assert there == here
    # Against another table, nothing is in force.
    other = package.recommend(device, package.generate("desktop-session"), today=None)
    assert other.recommendations[0].advice == "set"
    # Other parameters are set as ever.
    assert "ssdpm apply" in text
    # Against another policy than today, the table in force is not the question.
    other = ssdpm.output(*call, "--from", "none")
    assert "have Linux build" not in other


def test_the_first_recommendation_of_a_drive_is_applied_as_it_is_printed(
    ssdpm: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    root = machine("apst-off")
    text = ssdpm.output("recommend", "-q", "--root", str(root), "nvme0")
    assert f"ssdpm apply --root {root} --latency 100ms nvme0" in text
    assert "have Linux build" not in text


def test_a_policy_that_costs_power_is_advised_for_a_reason(
    ssdpm: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    text = ssdpm.output(*["recommend", *DESKTOP, "--root", str(machine("desktop-6.1"))])
    of_a, of_b = text.split("\nsda: ")[1].split("\nsdb: ")
    assert "set the link policy to med_power_with_dipm: costs " in of_b
    assert "\n  today: min_power, which has lost data on some drives\n" in of_b
    assert "lost data" not in of_a


@pytest.mark.parametrize("command", ["recommend", "compare", "estimate"])
def test_a_drive_of_a_machine_that_cannot_be_read_is_a_failure(
    ssdpm: Command, machine: Callable[[str], pathlib.Path], command: str
) -> None:
    """As for ssdpm tune: the others have their answer."""
    root = machine("no-aspm")
    call = [command, "-q", "-t", "lomax", "--root", str(root)]
    assert ssdpm(*call).returncode == 0
    (root / "dumps/nvme1.identify").write_bytes(b"\xff" * 4096)
    result = ssdpm(*call)
    assert result.returncode == 1 and "nvme0" in result.stdout.decode()
    assert result.stderr.startswith(b"ssdpm: nvme1: not an Identify Controller structure")
    answer = json.loads(ssdpm(*call, "--json").stdout)
    assert len(answer["errors"]) == 1
    assert [one["drive"] for one in list(answer.values())[1]] == ["nvme0"]
    # One of which sysfs has nothing is not in a list of devices.
    (root / "sys/class/nvme/nvme7").mkdir()
    said = ssdpm(*call).stderr.decode()
    assert "ssdpm: nvme7: it cannot be read: " in said
    # Nobody asked for it.
    assert ssdpm(*call, "nvme0").returncode == 0


def test_a_drive_that_cannot_be_read_is_a_failure_if_no_other_can_be_set_either(
    ssdpm: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    """3 would say that nothing can be set, of a drive of which nothing is known."""
    root = machine("pm-only-max-performance")
    call = ["recommend", "-q", "-t", "lomax", "--root", str(root)]
    assert ssdpm(*call).returncode == 3
    (root / "sys/class/nvme").mkdir()
    (root / "sys/class/nvme/nvme7").mkdir()
    for form in ([], ["--json"]):
        result = ssdpm(*call, *form)
        assert result.returncode == 1
        assert b"ssdpm: nvme7: it cannot be read: " in result.stderr


def test_one_limit_that_cannot_be_read_keeps_no_other_drive(
    ssdpm: Command, eight_drives: pathlib.Path
) -> None:
    limit = "sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us"
    (eight_drives / limit).write_text("garbage\n")
    call = ["recommend", *DESKTOP, "--root", str(eight_drives)]
    message = "nvme0: its latency limit cannot be read"
    result = ssdpm(*call, "--json")
    *others, unread = json.loads(result.stdout)["recommendations"]
    assert (result.returncode, result.stderr.decode()) == (1, f"ssdpm: {message}\n")
    assert (unread["schema"], unread["error"]) == ("ssdpm.error/1", message)
    assert [one["drive"] for one in others] == [
        "nvme1", "nvme2", "nvme3", "sda", "sdb", "sdc"
    ]  # fmt: skip
    for form in ([], ["--json"], ["--html", str(eight_drives / "page.html")]):
        result = ssdpm(*call, *form, "nvme0")
        assert (result.returncode, result.stderr.decode()) == (1, f"ssdpm: {message}\n")


def test_a_quirk_that_the_kernel_has_not_is_in_no_table_that_it_builds(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("laptop")
    [off] = machine("apst-off").glob("dumps/*.apst")
    [dump] = root.glob("dumps/*.apst")
    dump.write_bytes(off.read_bytes())
    call = [*DESKTOP, "--root", str(root), "nvme0"]
    limit = recommended(ssdpm, *call)["nvme0"]["latency-limit"]
    assert limit["advice"] == "rebuild"
    limit = recommended(ssdpm, *call, "--quirk", "no-deepest-ps")["nvme0"]["latency-limit"]
    assert limit["advice"] == "set"


def test_no_limit_is_written_where_there_is_none(ssdpm: Command, machine: Make) -> None:
    root = machine("laptop")
    (root / "sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us").unlink()
    call = ["--may-cost", *DESKTOP, "--root", str(root), "nvme0"]
    assert "have Linux build" not in ssdpm.output("recommend", *call)


def test_a_power_that_was_measured_is_judged_wherever_the_drive_is(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("server")
    answer = ssdpm.json("measure", "state", "--root", str(root), "nvme0", "--power", "30mW")
    found = package.measure.idle_state(package.open("nvme0", root), 0.03)
    assert json.loads(found.to_json()) == answer


def test_a_table_without_a_limit_has_no_unit_in_python(machine: Make) -> None:
    root = machine("laptop")
    [off] = machine("apst-off").glob("dumps/*.apst")
    [dump] = root.glob("dumps/*.apst")
    dump.write_bytes(off.read_bytes())
    limit = root / "sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us"
    limit.write_text("any\n")
    device = package.open("nvme0", root)
    first = package.recommend(device, package.generate("desktop-session"))[0]
    assert (first.advice, first.max_exit_latency_us) == ("rebuild", "any")
    assert "of the latency limit any: saves " in str(first)
