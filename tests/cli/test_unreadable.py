# SPDX-License-Identifier: MIT
"""A drive that is there and cannot be read: each command names it, and does the others."""
from __future__ import annotations

import json
import os
import pathlib
import subprocess
from collections.abc import Callable

import documented
import machines
import pytest
from command import Command

Unprivileged = Callable[..., subprocess.CompletedProcess[bytes]]
WORDS = "nvme9: it cannot be read: "


@pytest.fixture(params=["no such device", "not found"])
def cause(request: pytest.FixtureRequest, ssdpm: Command) -> str:
    """Of nvme9 on a desktop: it is no NVMe controller, or its link leads nowhere."""
    root = ssdpm.directory / "desktop"
    machines.write("desktop-6.1", root)
    if request.param == "no such device":
        (root / "sys/devices/virtual/xx").mkdir(parents=True)
    (root / "sys/class/nvme/nvme9").symlink_to("../../devices/virtual/xx")
    return str(request.param)


def line(cause: str) -> str:
    return f"ssdpm: {WORDS}{cause}; a new capture may have it\n"


@pytest.mark.parametrize("command", ["status", "list", "show"])
def test_each_list_names_a_drive_that_cannot_be_read(
    ssdpm: Command, cause: str, command: str
) -> None:
    result = ssdpm(command, "--root", "desktop")
    assert result.returncode == 1 and result.stderr.decode() == line(cause)
    assert b"nvme0" in result.stdout and b"sdb" in result.stdout
    answer = ssdpm(command, "--root", "desktop", "--json")
    *drives, bad = documented.items(answer.stdout)
    assert answer.returncode == 1 and "sdb" in [drive["name"] for drive in drives]
    assert (bad["schema"], bad["name"]) == ("ssdpm.error/1", "nvme9")
    assert json.loads(answer.stdout)["errors"] == [bad["error"]]
    assert f"ssdpm: {bad['error']}\n" == line(cause)


@pytest.mark.parametrize(
    "command", [["show"], ["plan", "-p", "balanced"], ["apply", "-p", "balanced"], ["tune", "-n"]]
)
@pytest.mark.parametrize("name", ["nvme9", "/dev/nvme9n1"])
def test_a_name_of_such_a_drive_is_not_unknown(
    ssdpm: Command, cause: str, command: list[str], name: str
) -> None:
    result = ssdpm(*command, "--root", "desktop", name)
    assert (result.returncode, result.stdout.strip()) == (1, b"")
    assert result.stderr.decode() == line(cause)


def test_another_drive_that_is_named_has_its_answer_alone(ssdpm: Command, cause: str) -> None:
    for command in (["show"], ["plan", "-p", "balanced"]):
        result = ssdpm(*command, "--root", "desktop", "sda")
        assert result.returncode == 0 and WORDS.encode() not in result.stderr
    result = ssdpm("plan", "-q", "--root", "desktop", "--lpm", "max_performance")
    assert (result.returncode, result.stderr) == (0, b""), "no setting of it"


@pytest.mark.parametrize(
    ("command", "status"), [(["plan"], 1), (["apply", "-n"], 1), (["check"], 1), (["apply"], 6)]
)
@pytest.mark.parametrize("setting", [["-p", "balanced"], ["-l", "25ms", "--lpm", "min_power"]])
def test_a_plan_for_all_drives_is_that_of_the_others(
    ssdpm: Command, cause: str, command: list[str], status: int, setting: list[str]
) -> None:
    result = ssdpm(*command, "-q", *setting, "--root", "desktop")
    assert result.returncode == status and result.stderr.decode() == line(cause)
    policies = pathlib.Path(ssdpm.directory, "desktop/sys/class/scsi_host")
    assert b"sda: link policy" in result.stdout or command == ["apply"]
    wanted = "min_power" if "-l" in setting else "med_power_with_dipm"
    policy = (policies / "host0/link_power_management_policy").read_text().strip()
    assert policy == (wanted if command == ["apply"] else "max_performance")


def test_a_machine_without_another_drive_has_its_error(ssdpm: Command) -> None:
    (ssdpm.directory / "one/sys/class/nvme").mkdir(parents=True)
    (ssdpm.directory / "one/sys/class/nvme/nvme9").symlink_to("../nowhere")
    for command in ("status", "list", "show"):
        answer = ssdpm(command, "--root", "one", "--json")
        assert answer.returncode == 1
        assert [item["name"] for item in documented.items(answer.stdout)] == ["nvme9"]
        assert answer.stderr.decode() == line("not found")


LIMIT = "nvme/nvme0/power/pm_qos_latency_tolerance_us"


@pytest.fixture
def locked(ssdpm: Command) -> str:
    """A desktop, one file of which nobody but root may read."""
    root = ssdpm.directory / "desktop"
    machines.write("desktop-6.1", root)
    [path] = root.glob(f"sys/devices/**/{LIMIT}")
    path.chmod(0)
    return str(path.relative_to(ssdpm.directory))


@pytest.mark.skipif(os.geteuid() != 0, reason="others own the file then")
@pytest.mark.parametrize("call", [[], ["tune", "-n"], ["check", "-l", "25ms"]])
def test_a_missing_right_is_named_with_the_file_in_the_capture(
    locked: str, unprivileged: Unprivileged, call: list[str]
) -> None:
    """A new capture would not help."""
    result = unprivileged(*call, "--root", "desktop")
    said = result.stderr.decode()
    assert result.returncode == 4
    assert f"cannot read {locked}: permission denied" in said
    assert "a new capture" not in said
    if call != ["check", "-l", "25ms"]:
        assert said == f"ssdpm: nvme0: cannot read {locked}: permission denied; root may read it\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="others own the file then")
def test_tune_lists_a_drive_that_it_cannot_read(
    locked: str, unprivileged: Unprivileged
) -> None:
    text = unprivileged("tune", "-n", "--root", "desktop").stdout.decode()
    assert "Change 2 of 3 drives: " in text
    left = text.split("\nLeft as they are:\n")[1]
    assert left.startswith("  nvme0: cannot be read: permission denied\n")


@pytest.mark.skipif(os.geteuid() != 0, reason="others own the folder then")
@pytest.mark.parametrize("call", [[], ["list"], ["tune", "-n"], ["plan", "-p", "balanced"]])
def test_a_capture_that_may_not_be_entered_is_one_all_the_same(
    ssdpm: Command, unprivileged: Unprivileged, call: list[str]
) -> None:
    root = ssdpm.directory / "mine"
    machines.write("laptop", root)
    root.chmod(0o700)
    result = unprivileged(*call, "--root", "mine")
    assert result.returncode == 4
    assert result.stderr == b"ssdpm: cannot read mine: permission denied\n"


@pytest.fixture
def locked_dumps(ssdpm: Command) -> str:
    """A desktop whose dumps nobody but root may read."""
    root = ssdpm.directory / "desktop"
    machines.write("desktop-6.1", root)
    for path in root.glob("dumps/*"):
        path.chmod(0)
    return "dumps/nvme0.apst of the capture: permission denied"


@pytest.mark.skipif(os.geteuid() != 0, reason="others own the files then")
def test_the_first_screen_complains_of_dumps_as_its_json_does(
    locked_dumps: str, unprivileged: Unprivileged
) -> None:
    text = unprivileged("--root", "desktop")
    answer = unprivileged("--root", "desktop", "--json")
    assert text.returncode == answer.returncode == 4
    assert text.stderr.decode().startswith(f"ssdpm: nvme0: {locked_dumps}\n")
    assert text.stderr == answer.stderr
    [row] = [row for row in text.stdout.decode().splitlines() if row.startswith("nvme0 ")]
    assert row.endswith("  not known")


def test_text_and_json_of_the_first_screen_agree_on_a_hostile_capture(ssdpm: Command) -> None:
    machines.write("hostile", ssdpm.directory / "hostile")
    text = ssdpm("--root", "hostile")
    answer = ssdpm("--root", "hostile", "--json")
    assert text.returncode == answer.returncode == 1
    assert text.stderr == answer.stderr
    assert b"dumps/nvme0.apst of the capture is longer than" in text.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="others own the files then")
@pytest.mark.parametrize("named", [[], ["nvme0"]])
def test_a_table_that_may_not_be_read_is_none_that_was_read(
    locked_dumps: str, unprivileged: Unprivileged, named: list[str]
) -> None:
    result = unprivileged("tune", "-n", "--root", "desktop", *named)
    assert result.returncode == 4
    assert locked_dumps in result.stderr.decode()
    left = result.stdout.decode().split("\nLeft as they are:\n")[1]
    assert left.startswith("  nvme0: cannot be read: permission denied\n")


@pytest.mark.skipif(os.geteuid() != 0, reason="others own the files then")
def test_a_plan_says_why_it_has_no_estimate(locked_dumps: str, unprivileged: Unprivileged) -> None:
    call = ["plan", "-l", "1ms", "-t", "desktop-session", "--root", "desktop", "nvme0"]
    for options in ([], ["-q"], ["--json"]):
        result = unprivileged(*call, *options)
        assert f"ssdpm: nvme0: {locked_dumps}\n" in result.stderr.decode()
        assert result.returncode == 4 and b"latency" in result.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="others own the file then")
def test_apst_does_not_use_the_limit_of_the_drive(
    locked: str, ssdpm: Command, unprivileged: Unprivileged
) -> None:
    call = ("apst", "--root", "desktop", "nvme0")
    result = unprivileged(*call)
    assert result.stdout.decode().splitlines()[0].endswith("latency limit 100 ms")
    assert b"latency" not in result.stderr
    # The same with each value of the file.
    (ssdpm.directory / locked).write_text("0\n")
    assert ssdpm(*call).stdout == result.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="others own the files then")
def test_suspend_keeps_the_status_of_dumps(locked_dumps: str, unprivileged: Unprivileged) -> None:
    result = unprivileged("suspend", "--root", "desktop")
    assert result.returncode == 4 and b"sda" in result.stdout
    assert f"ssdpm: nvme0: {locked_dumps}\n" in result.stderr.decode()


def test_tune_lists_the_cause_and_no_code(ssdpm: Command) -> None:
    machines.write("hostile", ssdpm.directory / "hostile")
    text = ssdpm("tune", "-n", "--root", "hostile").stdout.decode()
    left = " ".join(text.split("\nLeft as they are:\n")[1].split())
    cause = "not an Identify Controller structure: byte 0xff in the model number"
    assert left.startswith(f"nvme0: cannot be read: {cause} ")


def test_a_name_and_a_list_have_the_same_cause(ssdpm: Command) -> None:
    machines.write("hostile", ssdpm.directory / "hostile")
    words = "nvme2: it cannot be read: too many symbolic links; a new capture may have it"
    assert words in ssdpm("list", "--root", "hostile").stderr.decode()
    for call in (["show", "nvme2"], ["tune", "-n", "nvme2"], ["plan", "-p", "balanced", "nvme2"]):
        result = ssdpm(*call, "--root", "hostile")
        assert (result.returncode, result.stderr.decode()) == (1, f"ssdpm: {words}\n")


@pytest.fixture
def locked_sys(ssdpm: Command) -> str:
    """A desktop whose sys/ nobody but root may enter."""
    root = ssdpm.directory / "desktop"
    machines.write("desktop-6.1", root)
    (root / "sys").chmod(0o700)
    return "desktop"


@pytest.mark.skipif(os.geteuid() != 0, reason="others own the folder then")
@pytest.mark.parametrize(
    ("call", "file"),
    [
        ([], "nvme"),
        (["list"], "nvme"),
        (["show"], "nvme"),
        (["show", "nvme0"], "nvme/nvme0"),
        (["show", "nvme0n1"], "block/nvme0n1"),
        (["tune", "-n"], "nvme"),
        (["plan", "-p", "balanced"], "nvme"),
        (["revert"], "nvme"),
    ],
)
def test_a_folder_that_may_not_be_read_is_named_with_its_capture(
    locked_sys: str, unprivileged: Unprivileged, call: list[str], file: str
) -> None:
    """And nothing is said to be done, or to have nothing to do."""
    result = unprivileged(*call, "--root", locked_sys)
    drive = f"{call[1]}: " if "/" in file else ""
    assert (result.returncode, result.stdout.strip()) == (4, b"")
    assert (
        result.stderr.decode()
        == f"ssdpm: {drive}cannot read {locked_sys}/sys/class/{file}: permission denied\n"
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="others own the file then")
@pytest.mark.parametrize(
    "call",
    [
        ["show", "secret"],
        ["show", "--catalogue", "secret"],
        ["list", "--catalogue=secret"],
        ["estimate", "--trace", "secret", "--root", "desktop", "sda"],
        ["estimate", "-t", "desktop-session", "--measured", "secret", "--root", "desktop", "sda"],
        ["apst", "--quirks-file", "secret", "--root", "desktop", "nvme0"],
        ["workload", "secret"],
        ["measure", "energy", "secret"],
        ["measure", "survey", "secret"],
        ["consistency", "secret", "secret"],
        ["tune", "-n", "--root", "desktop", "--trace", "secret"],
        ["plan", "-p", "mine", "--profiles", "secret", "--root", "desktop"],
        ["suspend", "--since", "secret", "--root", "desktop"],
        ["watch", "-q", "--read", "secret", "--device", "1,1", "SN530"],
    ],
)
def test_a_file_that_may_not_be_read_is_a_missing_right(
    ssdpm: Command, unprivileged: Unprivileged, call: list[str]
) -> None:
    """Said as of a capture."""
    machines.write("desktop-6.1", ssdpm.directory / "desktop")
    (ssdpm.directory / "secret").touch(0)
    result = unprivileged(*call)
    words = set(result.stderr.decode().splitlines())
    assert (result.returncode, words) == (4, {"ssdpm: cannot read secret: permission denied"})


@pytest.mark.skipif(os.geteuid() != 0, reason="others own the folder then")
@pytest.mark.parametrize(
    "call", [["capture"], ["workload", "desktop-session", "--to", "csv", "--output"], ["suspend", "-q", "--save"]]
)
def test_a_place_that_may_not_be_written_is_a_missing_right(
    ssdpm: Command, unprivileged: Unprivileged, call: list[str]
) -> None:
    (ssdpm.directory / "mine").mkdir()
    machines.write("desktop-6.1", ssdpm.directory / "desktop")
    result = unprivileged(*call, "mine/new", "--root", "desktop")
    assert result.returncode == 4
    assert result.stderr == b"ssdpm: cannot write mine/new: permission denied\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="others own the files then")
def test_a_search_and_a_log_that_may_not_be_read_are_missing_rights(
    ssdpm: Command, unprivileged: Unprivileged
) -> None:
    machines.write("desktop-6.1", ssdpm.directory / "desktop")
    call = ["--root", "desktop", "nvme0"]
    ssdpm.output("bisect", "start", "--errors", "1", "--entries", "3", *call)
    search = ssdpm.directory / "desktop/var/lib/ssdpm/bisect"
    search.chmod(0)
    result = unprivileged("bisect", "--root", "desktop")
    assert result.returncode == 4
    assert b"desktop/var/lib/ssdpm/bisect: permission denied" in result.stderr
    search.chmod(0o644)
    (ssdpm.directory / "secret").touch(0)
    result = unprivileged("bisect", "report", "--log", "secret", "--root", "desktop")
    assert (result.returncode, result.stdout) == (4, b"")
    assert b"ssdpm: cannot read secret: permission denied\n" in result.stderr
