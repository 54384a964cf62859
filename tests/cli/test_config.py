# SPDX-License-Identifier: MIT
"""--config: what the files of ssdpm.conf(5) ask for, and which line decides."""

from __future__ import annotations

import json
import pathlib
import subprocess
import time
from collections.abc import Callable

import pytest
from command import COMMAND, TOP, Command

Make = Callable[[str], pathlib.Path]
LIMIT = "sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us"

FILES = {
    "usr/lib/ssdpm/50-vendor.conf": "[machine]\nprofile = auto\n",
    "etc/ssdpm.conf": """# Ours
[drive]
kind = nvme
max_exit_latency = 25ms

[drive]
port = ata2
profile = none
""",
    "etc/ssdpm.conf.d/90-link.conf": "[drive]\nmodel = CT*\nlpm = medium_power\n",
}


def put(root: pathlib.Path, files: dict[str, str] | str) -> pathlib.Path:
    """Some files, or one text of /etc/ssdpm.conf, below a root."""
    if isinstance(files, str):
        files = {"etc/ssdpm.conf": files}
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def limit(root: pathlib.Path) -> str:
    return (root / LIMIT).read_text().strip()


def test_a_plan_shows_the_line_that_decides_each_setting(
    ssdpm: Command, machine: Make
) -> None:
    root = put(machine("desktop-6.1"), FILES)
    plan = ssdpm.json("plan", "--config", "--root", str(root))
    origins = {
        (step["device"], step["kind"], step["after"]): step["origin"]
        for step in plan["steps"]
        if step["state"] != "left-alone"
    }
    assert origins["nvme0", "latency-tolerance", "25000"] == "/etc/ssdpm.conf, line 4"
    assert origins["sda", "lpm", "medium_power"] == (
        "/etc/ssdpm.conf.d/90-link.conf, line 3"
    )
    assert {
        origin for (_, kind, _), origin in origins.items() if kind == "nvme-core"
    } == {"/usr/lib/ssdpm/50-vendor.conf, line 2"}
    assert "sdb" not in {device for device, _, _ in origins}


def test_the_text_of_a_plan_names_the_line(ssdpm: Command, machine: Make) -> None:
    root = put(machine("desktop-6.1"), FILES)
    text = ssdpm.output("plan", "--config", "--root", str(root), "nvme0", "sda")
    first, second = (
        text.index(head)
        for head in ("nvme0: latency tolerance", "sda: link policy max_performance")
    )
    assert "\n    decided by /etc/ssdpm.conf, line 4\n" in text[first:second]
    assert "\n    decided by /etc/ssdpm.conf.d/90-link.conf, line 3\n" in text[second:]


def test_a_setting_of_a_file_ends_at_the_next_boot_only_if_the_file_does(
    ssdpm: Command, machine: Make
) -> None:
    root = put(machine("laptop"), "[machine]\nmax_exit_latency = 25ms\n")
    call = ("plan", "--config", "--root", str(root))
    assert "until the next boot" not in ssdpm.output(*call)
    (root / RUN).parent.mkdir(parents=True)
    (root / RUN).write_text("[machine]\nmax_exit_latency = 7ms\n")
    assert "until the next boot" in ssdpm.output(*call)


def test_a_setting_of_a_file_that_nothing_reads_ends_at_the_next_boot(
    ssdpm: Command, machine: Make
) -> None:
    root = put(machine("laptop"), "[machine]\nmax_exit_latency = 25ms\n")
    (root / "ssdpm-capture").unlink()
    call = ("plan", "--config", "--root", str(root))
    assert "until the next boot" in ssdpm.output(*call)
    wants = root / "etc/systemd/system/multi-user.target.wants"
    wants.mkdir(parents=True)
    (wants / "ssdpmd.service").symlink_to("../ssdpmd.service")
    (wants.parent / "ssdpmd.service").touch()
    assert "until the next boot" not in ssdpm.output(*call)


def test_what_is_in_force_has_its_line_too(ssdpm: Command, laptop: pathlib.Path) -> None:
    put(laptop, "[machine]\nmax_exit_latency = 100ms\n")
    assert ssdpm.output("plan", "--config", "--root", str(laptop)) == (
        "nvme0: latency tolerance 100 ms (in force)\n"
        "    decided by /etc/ssdpm.conf, line 2\n"
        "nvme0: APST table\n"
        "    as now  PS0-PS2 to PS3 after 100 ms, PS3 to PS4 after 2 s\n"
        "in force\n"
    )


def test_other_settings_have_no_line(ssdpm: Command, laptop: pathlib.Path) -> None:
    plan = ssdpm.json("plan", "--latency", "25ms", "--root", str(laptop))
    assert [step["origin"] for step in plan["steps"]] == [None]


def test_the_files_are_read_for_the_source_that_is_named(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    put(laptop, "[machine]\nac.max_exit_latency = 1ms\nbattery.max_exit_latency = 2ms\n")
    call = ("plan", "--config", "--root", str(laptop))
    for more, after in (
        ((), "2000"),  # the laptop is on battery
        (("--source", "ac"), "1000"),
        (("--source", "battery"), "2000"),
    ):
        (step,) = ssdpm.json(*call, *more)["steps"]
        assert step["after"] == after


@pytest.mark.parametrize("command", ["plan", "apply", "check"])
def test_a_fault_names_its_file_and_line_and_sets_nothing(
    ssdpm: Command, laptop: pathlib.Path, command: str
) -> None:
    files = {
        "etc/ssdpm.conf": "[machine]\nmax_exit_latency = 25ms\n",
        "etc/ssdpm.conf.d/x.conf": "[machine]\n\nlatency = 25ms\n",
    }
    put(laptop, files)
    said = ssdpm.fails(1, command, "--config", "--root", str(laptop))
    assert "/etc/ssdpm.conf.d/x.conf:3: latency: no key of this section" in said
    assert limit(laptop) == "100000"
    assert not (laptop / "run/ssdpm/undo").exists()


def test_what_was_applied_is_in_force(ssdpm: Command, machine: Make) -> None:
    root = put(machine("desktop-6.1"), FILES)
    done = ssdpm.json("apply", "--config", "--root", str(root))
    assert done["in_force"] is True
    assert limit(root) == "25000"
    assert ssdpm("check", "--config", "--root", str(root)).returncode == 0
    (root / LIMIT).write_text("100000\n")
    assert ssdpm("check", "--config", "--root", str(root)).returncode == 5


def test_a_check_without_settings_is_of_the_files(
    ssdpm: Command, laptop: pathlib.Path
) -> None:
    ssdpm.output("apply", "--latency", "50ms", "--root", str(laptop))
    assert ssdpm("check", "--root", str(laptop)).returncode == 0
    put(laptop, "[profile mine]\nlpm = min_power\n")  # it sets nothing
    assert ssdpm("check", "--root", str(laptop)).returncode == 0
    put(laptop, "[machine]\nmax_exit_latency = 25ms\n")
    said = ssdpm.fails_with_output(5, "check", "--root", str(laptop))
    assert said.startswith("nvme0: latency tolerance 50 ms -> 25 ms (not in force)\n")
    assert "decided by /etc/ssdpm.conf, line 2" in said


def test_a_check_of_the_files_takes_a_target(ssdpm: Command, machine: Make) -> None:
    root = put(machine("desktop-6.1"), FILES)
    ssdpm.output("apply", "--config", "--root", str(root), "sda")
    assert ssdpm("check", "--root", str(root), "sda").returncode == 0
    assert ssdpm("check", "--root", str(root), "nvme0").returncode == 5
    assert ssdpm("check", "--root", str(root)).returncode == 5


def test_a_check_shows_what_files_ask_for_and_is_left_alone(
    ssdpm: Command, machine: Make
) -> None:
    root = put(machine("external-ports"), "[machine]\nprofile = power-saver\n")
    ssdpm.output("apply", "--config", "--root", str(root))
    call = ("check", "--root", str(root))
    ssdpm.wide = False
    text = ssdpm.output(*call)
    assert text == (
        "sdb: link policy left alone: the port is for hot-plug: a disk that is "
        "plugged in\n  would not be noticed\n"
        "    decided by /etc/ssdpm.conf, line 2\n"
        "sdc: link policy left alone: the port is external: a disk that is "
        "plugged in\n  would not be noticed\n"
        "    decided by /etc/ssdpm.conf, line 2\n"
        "in force\n"
    )
    # A port without a disk is no news, but for who asks for more.
    assert "host3" in ssdpm.output(*call, "-v")
    plan = ssdpm.json(*call)
    assert plan["in_force"] is True
    assert {
        (step["device"], step["origin"])
        for step in plan["steps"]
        if step["state"] == "left-alone"
    } == {(name, "/etc/ssdpm.conf, line 2") for name in ("sdb", "sdc", "host3")}
    # Who names a profile has no file that says more than the drives do.
    assert ssdpm.output(*call[:1], "-p", "power-saver", *call[1:]).endswith(
        "\nin force\n"
    )


def test_a_state_that_a_drive_lacks_is_left_alone_by_check_too(
    ssdpm: Command, machine: Make
) -> None:
    root = put(machine("eight-drives"), "[drive]\nport = *\npower_state = 30\n")
    text = ssdpm.output("check", "--root", str(root))
    assert "nvme0: power state left alone: nvme0 has no PS30" in text
    assert text.count("decided by /etc/ssdpm.conf, line 3\n") == text.count("left alone")


@pytest.mark.parametrize(
    "more",
    [
        ["--latency", "1ms"],
        ["--profile", "auto"],
        ["--lpm", "min_power"],
        ["--nopp", "on"],
        ["--power-state", "1"],
        ["--nvme-core", "apst_primary_timeout_ms=50"],
        ["--persist", "udev"],
        ["--both-sources"],
    ],
)
def test_the_files_stand_alone(
    ssdpm: Command, laptop: pathlib.Path, more: list[str]
) -> None:
    ssdpm.fails(2, "plan", "--config", *more, "--root", str(laptop))


def test_the_example_of_the_page_is_one(ssdpm: Command, machine: Make) -> None:
    page = (TOP / "man/ssdpm.conf.5").read_text().partition(".Ss A file\n")[2]
    text = page.partition(".Bd -literal -offset indent\n")[2].partition(".Ed")[0]
    root = put(machine("desktop-6.1"), text)
    plan = ssdpm.json("plan", "--config", "--root", str(root))
    origins = {step["device"]: step["origin"] for step in plan["steps"]}
    assert origins["nvme0"] == "/etc/ssdpm.conf, line 10"
    assert origins["sda"] == "/etc/ssdpm.conf, line 2"


@pytest.mark.parametrize("text", [None, "", "[machine]\n", "[desktop]\nx = auto\n"])
def test_without_settings_in_the_files_nothing_is_asked_for(
    ssdpm: Command, laptop: pathlib.Path, text: str | None
) -> None:
    if text is not None:
        put(laptop, text)
    for command in ("plan", "apply"):
        assert ssdpm.output(command, "--config", "--root", str(laptop)) == (
            "files ask for nothing that is for these drives: see ssdpm.conf(5)\n"
        )


KEPT = "etc/ssdpm.conf.d/50-local.conf"


def kept(root: pathlib.Path) -> str:
    """What the file of --keep says, without its comments."""
    lines = (root / KEPT).read_text().splitlines()
    return "\n".join(line for line in lines if not line.startswith("#")).strip()


def test_what_is_kept_is_asked_for_and_forgotten_again(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("laptop")
    at = ["--root", str(root)]
    result = ssdpm("apply", "--keep", "-l", "25ms", *at, "nvme0")
    assert result.returncode == 0
    assert b"kept: ssdpmd(8), or its rule for udev, sets them at each boot; " in result.stderr
    assert kept(root).splitlines()[-1] == "max_exit_latency = 25ms"
    assert "model = WDC PC SN530" in kept(root)
    assert ssdpm("check", *at).returncode == 0
    (root / LIMIT).write_text("100000\n")
    assert ssdpm("check", *at).returncode == 5
    assert ssdpm("apply", "-q", "--config", *at).returncode == 0
    assert limit(root) == "25000"
    assert ssdpm("revert", "-q", "--forget", *at).returncode == 0
    assert limit(root) == "100000" and not (root / KEPT).exists()
    assert b"nothing is applied" in ssdpm("check", *at).stdout


def test_what_was_never_kept_is_not_said_to_be_forgotten(ssdpm: Command, machine: Make) -> None:
    root = machine("laptop")
    call = ["revert", "--forget", "--root", str(root)]
    for more in ([], ["-n"]):
        said = ssdpm(*call, *more).stderr.decode()
        assert said == f"ssdpm: apply --keep was told nothing: there is no /{KEPT}\n"
    ssdpm.output("apply", "-q", "--keep", "-l", "25ms", "--root", str(root), "nvme0")
    assert ssdpm(*call).stderr == b"ssdpm: what apply --keep was told is forgotten\n"


def test_what_is_kept_replaces_the_same_and_leaves_the_rest(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("desktop-6.1")
    at = ["-q", "--root", str(root)]
    for call in (
        ["-l", "25ms", "nvme0"],
        ["--lpm", "med_power_with_dipm", "sda"],
        ["-p", "auto"],
        ["-l", "any", "nvme0"],
        ["--nvme-core", "apst_primary_timeout_ms=77"],
    ):
        assert ssdpm("apply", "--keep", *call[:2], *at, *call[2:]).returncode == 0
    text = kept(root)
    assert text.count("[drive]") == 2 and text.count("[machine]") == 1
    assert "25ms" not in text and "max_exit_latency = any" in text
    assert text.endswith("[machine]\nprofile = auto\nprimary_timeout = 77ms")
    # What somebody has written between stays.
    (root / KEPT).write_text((root / KEPT).read_text() + "# mine\n")
    assert ssdpm("apply", "--keep", "-p", "balanced", *at).returncode == 0
    assert (root / KEPT).read_text().endswith(
        "[machine]\nprofile = balanced\n# mine\n"
    )


def test_another_line_that_goes_before_what_is_kept_is_told(
    ssdpm: Command, machine: Make
) -> None:
    root = put(machine("laptop"), {"etc/ssdpm.conf.d/90.conf": FILES["etc/ssdpm.conf"]})
    result = ssdpm("apply", "--keep", "-l", "5ms", "--root", str(root), "nvme0")
    assert result.returncode == 0
    assert (
        b"nvme0: the next boot sets latency tolerance to 25000, because "
        b"/etc/ssdpm.conf.d/90.conf, line 4 decides\n"
    ) in result.stderr
    # The value that it had before is no contradiction, and one that stands is.
    put(root, {"etc/ssdpm.conf.d/90.conf": ""})
    result = ssdpm("apply", "--keep", "-l", "6ms", "--root", str(root), "nvme0")
    assert (result.returncode, limit(root)) == (0, "6000")
    assert b"decides" not in result.stderr
    put(root, {"etc/ssdpm.conf.d/90.conf": FILES["etc/ssdpm.conf"]})
    result = ssdpm("apply", "-l", "25ms", "--root", str(root), "nvme0")
    assert b"decides" not in result.stderr


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (["--apst", "linux"], "--keep: --apst cannot last"),
        (["--config"], "--keep: --config sets what the files say already"),
        (["-p", "auto", "--source", "ac"], "--keep: --profiles and --source"),
        (["--nvme-core", "apst_primary_timeout_ms=77", "nvme0"], "name no TARGET"),
    ],
)
def test_what_cannot_be_kept_is_wrong_usage(
    ssdpm: Command, machine: Make, call: list[str], words: str
) -> None:
    root = machine("laptop")
    assert words in ssdpm.fails(2, "apply", "--keep", *call, "--root", str(root))
    assert not (root / KEPT).exists()


RUN = "run/ssdpm.conf.d/50-local.conf"


def test_what_is_set_beside_the_files_holds_until_the_next_boot(
    ssdpm: Command, machine: Make
) -> None:
    root = put(machine("laptop"), "[drive]\nkind = nvme\nmax_exit_latency = 25ms\n")
    at = ("--root", str(root))
    assert ssdpm("apply", "--config", "-q", *at).returncode == 0
    result = ssdpm("apply", "-l", "7ms", *at, "nvme0")
    assert (result.returncode, limit(root)) == (0, "7000")
    assert b"kept until the next boot" in result.stderr
    assert "max_exit_latency = 7ms" in (root / RUN).read_text()
    # Who sets what the files ask for does not undo it.
    assert ssdpm("apply", "--config", "-q", *at).returncode == 0
    assert (limit(root), ssdpm("check", *at).returncode) == ("7000", 0)
    plan = ssdpm.json("plan", "--config", *at)
    assert f"/{RUN}, line" in plan["steps"][0]["origin"]
    assert ssdpm("revert", "-q", *at).returncode == 0
    assert not (root / RUN).exists()
    assert ssdpm("apply", "--config", "-q", *at).returncode == 0
    assert limit(root) == "25000"


def test_a_link_policy_that_is_set_beside_the_files_holds_too(
    ssdpm: Command, machine: Make
) -> None:
    root = put(machine("desktop-6.1"), "[machine]\nlpm = max_performance\n")
    at = ("--root", str(root))
    assert ssdpm("apply", "--config", "-q", *at).returncode == 0
    assert ssdpm("lpm", "--set", "medium_power", "-q", *at, "sda").returncode == 0
    assert ssdpm("apply", "--config", "-q", *at).returncode == 0
    (host,) = root.glob("sys/class/scsi_host/host0/link_power_management_policy")
    assert host.read_text().strip() == "medium_power"


def test_without_files_nothing_is_kept(ssdpm: Command, machine: Make) -> None:
    root = machine("laptop")
    result = ssdpm("apply", "-l", "7ms", "--root", str(root), "nvme0")
    assert (result.returncode, result.stderr) == (0, b"")
    assert not (root / RUN).exists()


def test_what_cannot_be_kept_is_said(ssdpm: Command, machine: Make) -> None:
    root = put(machine("laptop"), "[drive]\nkind = nvme\nmax_exit_latency = 25ms\n")
    result = ssdpm(
        "apply", "-p", "performance", "--source", "ac", "--root", str(root)
    )
    assert result.returncode == 0
    assert b"the next ssdpm apply --config may undo it" in result.stderr
    assert not (root / RUN).exists()


def test_the_profile_that_the_service_has_noted_counts(
    ssdpm: Command, machine: Make
) -> None:
    saver = "[drive]\ndesktop_profile = power-saver\nmax_exit_latency = 7ms\n"
    root = put(machine("laptop"), saver)
    plan = ssdpm.json("plan", "--config", "--root", str(root))
    assert not [s for s in plan["steps"] if s["after"] == "7000"]
    put(root, {"run/ssdpm/desktop-profile": "power-saver\n"})
    plan = ssdpm.json("plan", "--config", "--root", str(root))
    assert [s["after"] for s in plan["steps"] if s["origin"]] == ["7000"]


TUNED = (
    b"ssdpm: tuned sets the same, and may undo this: "
    b"/usr/lib/tuned/powersave/tuned.conf:5: alpm=med_power_with_dipm "
    b"(--persist tuned makes it set the same)\n"
)


ASKED = """
[machine]
primary_timeout = 50ms
[drive]
kind = sata
ac.lpm = med_power_with_dipm
battery.lpm = min_power_with_partial med_power_with_dipm
[drive]
kind = nvme
max_exit_latency = 25ms
[drive]
port = ata1
lpm = max_performance
[drive]
desktop_profile = power-saver
lpm = min_power
"""


def test_others_set_what_the_files_ask_of_all_drives(
    ssdpm: Command, machine: Make
) -> None:
    root = put(machine("desktop-6.1"), ASKED)
    at = ("--root", str(root))

    def lines(kind: str) -> list[str]:
        plan = ssdpm.json("plan", "--config", "--persist", kind, *at)
        texts = [file["contents"].splitlines() for file in plan["files"]]
        return [line for text in texts for line in text if line[:1] not in "#"]

    assert lines("tlp") == [
        'SATA_LINKPWR_ON_AC="med_power_with_dipm"',
        'SATA_LINKPWR_ON_BAT="min_power_with_partial med_power_with_dipm"',
    ]
    assert "case $1 in\nstart) exec ssdpm apply --config --quiet ;;" in "\n".join(
        lines("tuned")
    ).replace("/usr/bin/ssdpm", "ssdpm").replace("/usr/local/bin/ssdpm", "ssdpm")
    # It differs on battery, which modprobe does not know.
    assert ssdpm("plan", "--config", "--persist", "modprobe", *at).returncode == 2
    put(root, ASKED.replace("battery.lpm", "#").replace("ac.lpm", "lpm"))
    assert lines("modprobe") == [
        "options nvme_core default_ps_max_latency_us=25000 apst_primary_timeout_ms=50",
        "options ahci mobile_lpm_policy=3",
    ]
    for kind in ("udev", "systemd"):
        refused = ssdpm("plan", "--config", "--persist", kind, *at)
        assert refused.returncode == 2 and b"ssdpmd(8)" in refused.stderr


def test_check_says_whose_value_it_is_that_is_there_now(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("desktop-6.1")
    at = ("--root", str(root))
    assert ssdpm("apply", "--lpm", "max_performance", *at).returncode == 0
    assert ssdpm("check", *at).returncode == 0
    for host in root.glob("sys/class/scsi_host/host*/link_power_management_policy"):
        host.write_text("med_power_with_dipm\n")
    result = ssdpm("check", *at)
    assert result.returncode == 5
    assert result.stderr == TUNED.replace(
        b"sets the same,", b"asks for med_power_with_dipm, which is there now,"
    )
    # A longer word is another one.
    for host in root.glob("sys/class/scsi_host/host*/link_power_management_policy"):
        host.write_text("med_power\n")
    assert TUNED in ssdpm("check", *at).stderr


def test_who_may_undo_it_is_named_before_it_is_set(
    ssdpm: Command, machine: Make
) -> None:
    at = ("--root", str(machine("desktop-6.1")))
    assert ssdpm("plan", "--lpm", "medium_power", *at).stderr == TUNED
    assert ssdpm("apply", "--lpm", "medium_power", *at).stderr == TUNED
    assert ssdpm("apply", "--lpm", "max_performance", "-q", *at).stderr == b""
    (owner,) = ssdpm.json("plan", "--lpm", "medium_power", *at)["owners"]
    assert (owner["kind"], owner["line"]) == ("tuned", 5)
    assert ssdpm.json("plan", "-l", "25ms", *at)["owners"] == []
    # Nobody else sets these.
    assert ssdpm("plan", "-l", "25ms", *at).stderr == b""
    # The file that is made for it replaces its line.
    kept = ssdpm("plan", "--lpm", "medium_power", "--persist", "tuned", *at)
    assert TUNED not in kept.stderr


def test_the_plug_in_of_tuned_is_named_like_its_own(
    ssdpm: Command, machine: Make
) -> None:
    files = {
        "etc/tuned/active_profile": "mine\n",
        "etc/tuned/mine/tuned.conf": (
            "[main]\n[drives]\ntype=ssdpm\nmax_exit_latency_us=100000\n"
            "[links]\ntype=ssdpm\nlpm=max_performance\n"
        ),
    }
    at = ("--root", str(put(machine("desktop-6.1"), files)))
    for call, line in (
        (("-l", "25ms"), "tuned.conf:4: max_exit_latency_us=100000"),
        (("--lpm", "medium_power"), "tuned.conf:7: lpm=max_performance"),
    ):
        (said,) = ssdpm("plan", *call, *at).stderr.decode().splitlines()
        assert f"which is there now, and may undo this: /etc/tuned/mine/{line}" in said


def test_check_names_who_may_have_changed_it(ssdpm: Command, machine: Make) -> None:
    at = ("--root", str(put(machine("desktop-6.1"), "[machine]\nlpm = min_power\n")))
    result = ssdpm("check", *at)
    assert (result.returncode, result.stderr) == (5, TUNED)
    assert ssdpm("check", "-q", *at).stderr == b""


def test_files_and_a_kind_that_persists_undo_each_other(
    ssdpm: Command, machine: Make
) -> None:
    root = put(machine("laptop"), "[drive]\nkind = nvme\nmax_exit_latency = 25ms\n")
    at = ("--root", str(root))
    result = ssdpm("plan", "-p", "auto", "--persist", "udev", *at)
    assert result.returncode == 0
    assert b"these and --persist udev undo each other" in result.stderr


def test_many_calls_at_once_are_few_runs(ssdpm: Command, machine: Make) -> None:
    root = put(machine("laptop"), "[drive]\nkind = nvme\nmax_exit_latency = 25ms\n")
    call = [COMMAND, "apply", "--config", "--coalesce", "--json", "--root", root]
    begin = time.monotonic()
    processes = [
        subprocess.Popen(call, stdout=subprocess.PIPE, text=True) for _ in range(64)
    ]
    answers = [json.loads(process.communicate()[0]) for process in processes]
    seconds = time.monotonic() - begin
    assert [process.returncode for process in processes] == [0] * 64
    assert limit(root) == "25000"
    # Those that found nothing to do have no plan to show. A row of events that does
    # not end gets a run every two seconds.
    runs = sum(bool(answer["plans"]) for answer in answers)
    assert 1 <= runs <= 3 + seconds / 2, (runs, seconds)
    result = ssdpm("apply", "--config", "--coalesce", "--root", str(root))
    assert b"in force" in result.stdout


def test_one_run_for_many_calls_is_for_what_files_ask_for(ssdpm: Command) -> None:
    assert "--coalesce is for --config" in ssdpm.fails(
        2, "apply", "--coalesce", "-l", "25ms"
    )


def test_where_one_drive_fails_the_others_are_done(
    ssdpm: Command, machine: Make
) -> None:
    text = "[machine]\nmax_exit_latency = 25ms\n[drive]\nport = *:03:00.0\npower_state = 1\n"
    root = put(machine("eight-drives"), text)
    at = ["--root", str(root)]
    result = ssdpm("apply", "--config", *at)
    assert result.returncode == 6
    assert result.stderr == b"ssdpm: nvme2: a capture takes no commands\n"
    assert b"nvme0, nvme1: latency tolerance 100 ms -> 25 ms (done)" in result.stdout
    assert b"nvme2: latency tolerance 100 ms -> 25 ms (undone)" in result.stdout
    assert limit(root) == "25000"
    result = ssdpm("apply", "--config", *at, "--json")
    assert result.returncode == 6
    (again,) = json.loads(result.stdout)["plans"]
    states = {(s["device"], s["kind"]): s["state"] for s in again["steps"]}
    assert states["nvme0", "latency-tolerance"] == "in-force"
    assert states["nvme2", "power-state"] == "failed"
    assert ssdpm("revert", "-q", *at).returncode == 0
    assert ssdpm("apply", "-q", "--strict", "--config", *at).returncode == 3
    assert limit(root) == "100000"


def test_a_profile_that_a_file_defines_has_its_name(
    ssdpm: Command, machine: Make, tmp_path: pathlib.Path
) -> None:
    files = "[profile quiet]\nmax_exit_latency = 7ms\n"
    root = put(machine("laptop"), files)
    steps = ssdpm.json("plan", "--profile", "quiet", "--root", str(root))["steps"]
    assert ("nvme0", "7000") in {(step["device"], step["after"]) for step in steps}
    ssdpm.output("apply", "--profile", "quiet", "--keep", "--root", str(root))
    assert limit(root) == "7000"
    ssdpm.output("check", "--root", str(root))
    # A text of the caller's own takes the place of the files.
    mine = tmp_path / "mine.ini"
    mine.write_text("[loud]\nmax_exit_latency = 1ms\n")
    for name, options in (("quite", []), ("quiet", ["--profiles", str(mine)])):
        message = ssdpm.fails(1, "plan", "-p", name, *options, "--root", str(root))
        assert f"unknown profile '{name}'; expected " in message
    put(root, "[profile quiet]\nmax_exit_latency = soon\n")
    message = ssdpm.fails(1, "plan", "--profile", "auto", "--root", str(root))
    assert "/etc/ssdpm.conf:2: " in message


def test_what_is_kept_for_good_is_no_longer_what_was_kept_until_the_boot(
    ssdpm: Command, machine: Make
) -> None:
    root = put(machine("laptop"), "[machine]\nmax_exit_latency = 100ms\n")
    at = ("--root", str(root))
    ssdpm.output("apply", "-q", "-l", "10ms", "--nvme-core",
                 "apst_primary_timeout_ms=77", *at)  # fmt: skip
    ssdpm.output("apply", "-q", "-l", "10ms", *at, "nvme0")
    assert (root / RUN).read_text().count("max_exit_latency = 10ms") == 2
    result = ssdpm("apply", "-l", "25ms", "--keep", *at, "nvme0")
    assert result.returncode == 0 and b"decides" not in result.stderr
    ssdpm.output("apply", "--config", "-q", *at)
    assert limit(root) == "25000"
    ssdpm.output("apply", "-q", "-l", "26ms", "--keep", *at)
    text = (root / RUN).read_text()
    assert "max_exit_latency" not in text and "primary_timeout = 77ms" in text
    assert "[drive]" not in text


@pytest.mark.parametrize(
    ("files", "call", "words"),
    [
        ("[machine]\nprofle = x\n", ["-l", "25ms", "nvme0"], "/etc/ssdpm.conf:2: "),
        ({KEPT: "junk\n"}, ["-l", "25ms", "--keep"], f"/{KEPT}:1: "),
        ({KEPT: "# a\0b\n[machine]\n"}, ["-l", "25ms", "--keep"], "a byte of zero"),
        (
            "[machine]\nprimary_timeout = 1s\n" * 1024,
            ["-l", "25ms", "--keep", "nvme0"],
            "all files would have more than 1024 lines",
        ),
        ({f"{KEPT}/directory": ""}, ["-l", "25ms", "--keep"], KEPT),
    ],
)
def test_what_cannot_be_kept_is_not_set(
    ssdpm: Command,
    machine: Make,
    files: dict[str, str] | str,
    call: list[str],
    words: str,
) -> None:
    root = put(machine("laptop"), files)
    before = {path: path.read_bytes() for path in root.rglob("*.conf") if path.is_file()}
    result = ssdpm("apply", *call[:2], "--root", str(root), *call[2:])
    assert result.returncode == 1
    assert words in result.stderr.decode()
    assert limit(root) == "100000"
    assert before == {path: path.read_bytes() for path in before}


def test_a_dry_run_shows_what_would_be_kept(ssdpm: Command, machine: Make) -> None:
    root = machine("laptop")
    at = ("-n", "--root", str(root), "nvme0")
    result = ssdpm("apply", "-l", "25ms", "--keep", *at)
    assert result.returncode == 0
    assert result.stderr.decode().endswith(
        "to be kept for good, for nvme0:\nmax_exit_latency = 25ms\n"
    )
    assert not (root / KEPT).exists() and limit(root) == "100000"
    put(root, "[machine]\nprofile = auto\n")
    result = ssdpm("apply", "-l", "25ms", *at)
    assert b"to be kept until the next boot, for nvme0:\n" in result.stderr


def test_what_no_section_for_a_drive_can_have_is_told(
    ssdpm: Command, machine: Make
) -> None:
    at = ("--root", str(machine("laptop")))
    result = ssdpm("apply", "-p", "power-saver", "--keep", *at, "nvme0")
    assert b"not kept: the parameters of nvme_core" in result.stderr
    result = ssdpm("apply", "-p", "power-saver", "--keep", *at)
    assert b"not kept" not in result.stderr


def test_only_states_of_named_drives_get_sections_of_their_own(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("eight-drives")
    ssdpm.output(
        "apply", "--power-state", "nvme0=0", "--lpm", "max_performance", "--keep",
        "-q", "--root", str(root),
    )  # fmt: skip
    text = kept(root)
    assert text.count("[drive]") == 1 and "power_state = 0" in text
    assert text.count("[machine]") == 1
    assert text.endswith("lpm = max_performance")


def test_a_port_that_a_line_names_is_set_though_it_is_empty(
    ssdpm: Command, machine: Make
) -> None:
    root = put(machine("desktop-6.1"), "[drive]\nkind = sata\nlpm = min_power\n")
    steps = ssdpm.json("plan", "--config", "--root", str(root))["steps"]
    assert {step["state"] for step in steps if step["device"] == "host2"} == {
        "left-alone"
    }
    port = next(step["target"] for step in steps if step["device"] == "host2")
    assert port
    put(root, "[drive]\nport = ata3\nlpm = min_power\n")
    (step,) = ssdpm.json("plan", "--config", "--root", str(root))["steps"]
    assert (step["device"], step["after"]) == ("host2", "min_power")


def test_a_profile_of_the_desktop_stands_once_in_a_section(
    ssdpm: Command, machine: Make
) -> None:
    root = put(machine("laptop"), "[desktop]\nbalanced = auto\nbalanced = none\n")
    message = ssdpm.fails(1, "plan", "--config", "--root", str(root))
    assert "/etc/ssdpm.conf:3: given twice in one section" in message


def test_a_profile_that_a_file_defines_can_last_by_other_means(
    ssdpm: Command, machine: Make
) -> None:
    root = put(
        machine("laptop"),
        "[profile travel]\nac.max_exit_latency = 7ms\n"
        "battery.max_exit_latency = 9ms\n",
    )
    for kind in ("udev", "systemd"):
        text = ssdpm.output("plan", "-p", "travel", "--persist", kind, "--root", str(root))
        assert "apply --profile travel" in text


def test_one_source_is_enough_for_a_file_that_knows_none(
    ssdpm: Command, machine: Make
) -> None:
    root = put(machine("laptop"), "[machine]\nprofile = auto\n")
    call = ("plan", "--config", "--persist", "modprobe", "--root", str(root))
    ssdpm.fails(2, *call)
    assert "options nvme_core" in ssdpm.output(*call, "--source", "battery")
