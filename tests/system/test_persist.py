# SPDX-License-Identifier: MIT
"""What udev, systemd, TLP and TuneD make of the files that make a policy last."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess

import pytest
from stage import BUILD, NEWER, TREE, Stage

EXAMPLES = TREE / "examples" / "integration"
ADAPTER = "devices/pci0000:00/0000:00:17.0"
DISK = f"{ADAPTER}/ata1/host0/target0:0:0/0:0:0:0/block/sda"
NVME = "devices/pci0000:00/0000:00:1c.0/0000:01:00.0/nvme/nvme0"
TOLERANCE = "power/pm_qos_latency_tolerance_us"
LPM = "class/scsi_host/host{}/link_power_management_policy"


@pytest.mark.parametrize(
    "kind, profile",
    [
        ("udev", "auto"),
        ("modprobe", "balanced"),
        ("systemd", "auto"),
        ("tlp", "auto"),
        ("tuned", "auto"),
    ],
)
def test_the_shipped_files_are_those_that_the_library_writes(
    stage: Stage, kind: str, profile: str
) -> None:
    written = stage.persist(kind, profile)
    shipped = sorted(p for p in (EXAMPLES / kind).rglob("*") if p.is_file())
    assert {p.name for p in shipped} == {p.name for p in written}
    # TuneD's are the same in two folders.
    for path in written:
        (example,) = (p for p in shipped if p.name == path.name)
        assert example.read_text() == path.read_text()
        assert example.stat().st_mode & 0o111 == path.stat().st_mode & 0o111


# ---- udev ----


def put_uevent(stage: Stage, device: str, text: str) -> None:
    stage.sysfs(f"{device}/uevent").write_text(text)


def udev(stage: Stage, action: str, device: str) -> list[str]:
    """The programs that udev would run. Attributes are set: by udev itself before
    release 257, and here from then on, when its test only names them.
    """
    output = stage.shell(
        "mount -t tmpfs none /usr/lib/udev/rules.d\n"
        f"udevadm test --action={action} /sys/{device}"
    )
    assert "85-ssdpm.rules" in output
    faults = re.compile("invalid|unknown|fail", re.IGNORECASE)
    for line in output.splitlines():
        assert "85-ssdpm.rules:" not in line or not faults.search(line), line
    named = r'skipping writing ATTR\{/sys/(.*)\}="(.*)"\.$'
    for path, value in re.findall(named, output, re.MULTILINE):
        stage.sysfs(path).write_text(value)
    called = r"^(?:run: '|  RUN\{program\} : )(.*?)'?$"
    return re.findall(called, output, re.MULTILINE)


def test_udev_sets_the_latency_tolerance_of_a_controller(stage: Stage) -> None:
    stage.persist("udev", "balanced")
    put_uevent(stage, NVME, "NVME_TRTYPE=pcie\n")
    for action in ("add", "change"):
        stage.sysfs(f"{NVME}/{TOLERANCE}").write_text("")
        assert udev(stage, action, NVME) == []
        assert stage.sysfs(f"{NVME}/{TOLERANCE}").read_text() == "100000"


def test_udev_sets_it_with_the_disk_where_the_file_came_late(stage: Stage) -> None:
    stage.persist("udev", "balanced")
    disk = f"{NVME}/nvme0n1"
    put_uevent(
        stage, disk, "MAJOR=259\nMINOR=0\nDEVNAME=nvme0n1\nDEVTYPE=disk\n"
    )
    stage.sysfs(f"{NVME}/{TOLERANCE}").write_text("")
    assert udev(stage, "add", disk) == []
    assert stage.sysfs(f"{NVME}/{TOLERANCE}").read_text() == "100000"


def test_udev_leaves_a_controller_without_apst_alone(stage: Stage) -> None:
    stage.persist("udev", "balanced")
    put_uevent(stage, NVME, "NVME_TRTYPE=pcie\n")
    stage.sysfs(f"{NVME}/{TOLERANCE}").unlink()
    assert udev(stage, "add", NVME) == []
    assert not stage.sysfs(f"{NVME}/{TOLERANCE}").exists()


def test_udev_calls_the_command_for_a_sata_disk_of_any_profile(stage: Stage) -> None:
    stage.persist("udev", "balanced")
    put_uevent(stage, DISK, "MAJOR=8\nMINOR=0\nDEVNAME=sda\nDEVTYPE=disk\n")
    assert udev(stage, "add", DISK) == [
        "/usr/bin/ssdpm apply --profile balanced --quiet"
    ]
    # An event that says less is no reason to go through error handling.
    assert udev(stage, "change", DISK) == []


def test_udev_sets_a_limit_and_calls_the_command_for_links_without_a_profile(
    stage: Stage,
) -> None:
    stage.persist("udev", "limit")
    put_uevent(stage, NVME, "NVME_TRTYPE=pcie\n")
    stage.sysfs(f"{NVME}/{TOLERANCE}").write_text("")
    assert udev(stage, "add", NVME) == []
    assert stage.sysfs(f"{NVME}/{TOLERANCE}").read_text() == "5000"
    stage.persist("udev", "links")
    put_uevent(stage, DISK, "MAJOR=8\nMINOR=0\nDEVNAME=sda\nDEVTYPE=disk\n")
    assert udev(stage, "add", DISK) == [
        "/usr/bin/ssdpm apply --lpm medium_power --quiet"
    ]


APPLY = "/usr/bin/ssdpm apply --profile auto --quiet"


def put_supply(stage: Stage, name: str, kind: str) -> str:
    device = f"devices/virtual/power_supply/{name}"
    stage.sysfs(device).mkdir(parents=True)
    stage.sysfs(f"{device}/type").write_text(f"{kind}\n")
    stage.sysfs(f"{device}/subsystem").symlink_to("../../../../class/power_supply")
    stage.sysfs("class/power_supply").mkdir(parents=True, exist_ok=True)
    put_uevent(stage, device, f"POWER_SUPPLY_NAME={name}\n")
    return device


def test_udev_calls_the_command_when_the_power_source_changes(stage: Stage) -> None:
    stage.persist("udev")
    adapter = put_supply(stage, "test-adapter", "Mains")
    battery = put_supply(stage, "test-battery", "Battery")
    assert udev(stage, "change", adapter) == [APPLY]
    assert udev(stage, "change", battery) == []
    assert udev(stage, "remove", adapter) == []


def test_udev_leaves_the_call_to_systemd_where_that_runs(stage: Stage) -> None:
    stage.persist("udev")
    stage.systemd = True
    adapter = put_supply(stage, "test-adapter", "Mains")
    (call,) = udev(stage, "change", adapter)
    assert call == (
        "/usr/bin/systemd-run --no-block --collect --quiet "
        f"-p SyslogLevel=warning -p LogLevelMax=notice {APPLY}"
    )


def test_udev_calls_nothing_where_the_command_is_gone(stage: Stage) -> None:
    stage.persist("udev")
    (stage.usr / "bin" / "ssdpm").unlink()
    assert udev(stage, "change", put_supply(stage, "test-adapter", "Mains")) == []


def test_udev_calls_the_command_for_a_new_disk(stage: Stage) -> None:
    stage.persist("udev")
    put_uevent(stage, DISK, "MAJOR=8\nMINOR=0\nDEVNAME=sda\nDEVTYPE=disk\n")
    assert udev(stage, "add", DISK) == [APPLY]
    put_uevent(stage, DISK, "MAJOR=8\nMINOR=1\nDEVNAME=sda\nDEVTYPE=partition\n")
    assert udev(stage, "add", DISK) == []


def test_udev_restarts_the_unit_when_the_power_source_changes(stage: Stage) -> None:
    stage.persist("systemd")
    stage.systemd = True
    adapter = put_supply(stage, "test-adapter", "Mains")
    assert udev(stage, "change", adapter) == [
        "/usr/bin/systemctl --no-block restart ssdpm.service"
    ]


# ---- systemd ----


def test_systemd_takes_the_unit_without_a_word(stage: Stage) -> None:
    stage.persist("systemd")
    output = stage.shell(
        "systemd-analyze verify --man=no /etc/systemd/system/ssdpm.service"
    )
    assert "ssdpm" not in output


def read_unit(stage: Stage) -> dict[str, list[str]]:
    stage.persist("systemd")
    unit: dict[str, list[str]] = {}
    text = (stage.root / "etc/systemd/system/ssdpm.service").read_text()
    for line in text.splitlines():
        if "=" in line and not line.startswith("#"):
            key, value = line.split("=", 1)
            unit.setdefault(key, []).append(value)
    return unit


def test_the_unit_starts_again_as_often_as_the_power_source_changes(
    stage: Stage,
) -> None:
    assert read_unit(stage)["StartLimitIntervalSec"] == ["0"]


def test_systemd_logs_no_line_of_a_start_that_went_well(stage: Stage) -> None:
    """Its own lines are "info"; what the command complains of is "warning"."""
    unit = read_unit(stage)
    assert unit["LogLevelMax"] == ["notice"]
    assert unit["SyslogLevel"] == ["warning"]
    assert all(call.endswith(" --quiet") for call in unit["ExecStart"])


SANDBOX = {
    "ProtectSystem": "strict",
    "RuntimeDirectory": "ssdpm",
    "RuntimeDirectoryPreserve": "yes",
    "NoNewPrivileges": "yes",
    "PrivateNetwork": "yes",
    "RestrictAddressFamilies": "AF_UNIX",
    "CapabilityBoundingSet": "CAP_SYS_ADMIN CAP_SYS_RAWIO",
    "MemoryDenyWriteExecute": "yes",
    "SystemCallFilter": "@system-service",
    "DevicePolicy": "closed",
}


def test_the_unit_may_write_nothing_but_sys_and_run_ssdpm(stage: Stage) -> None:
    unit = read_unit(stage)
    for key, value in SANDBOX.items():
        assert unit[key] == [value]
    assert unit["DeviceAllow"] == ["char-nvme rw", "block-blkext r", "block-sd rw"]
    # This would make /sys read-only; these would hide the drives.
    assert not {"ProtectKernelTunables", "PrivateDevices", "PrivateUsers"} & set(unit)
    output = stage.shell(
        "systemd-analyze security --offline=yes /etc/systemd/system/ssdpm.service"
    )
    print(output.splitlines()[-1])
    for name in ("PrivateNetwork", "NoNewPrivileges", "ProtectClock", "DeviceAllow"):
        assert re.search(rf"^[^\w]*{name}=", output, re.MULTILINE), name
    assert re.search(r"Overall exposure level for ssdpm.service: \d", output)


def test_apply_makes_no_system_call_that_the_unit_forbids(
    stage: Stage, tmp_path: pathlib.Path
) -> None:
    groups: dict[str, list[str]] = {}
    for line in stage.shell("systemd-analyze syscall-filter").splitlines():
        words = line.split("#")[0].split()
        if words and words[0].startswith("@") and not line.startswith(" "):
            names = groups.setdefault(words[0], [])
        elif words:
            names += words
    allowed: set[str] = set()
    left = ["@system-service"]
    while left:
        name = left.pop()
        left += groups[name] if name.startswith("@") else []
        allowed.add(name)
    log = tmp_path / "calls.strace"
    command = [BUILD / "examples" / "ssdpm" / "ssdpm", "apply", "-q"]
    command += ["-p", "power-saver", "--root", stage.root]
    subprocess.run(["strace", "-f", "-o", log, *command], check=True)
    called = set(re.findall(r"^\d+ +(\w+)\(", log.read_text(), re.MULTILINE))
    assert "write" in called
    assert called <= allowed, called - allowed


def test_what_systemctl_enables_is_removed_with_the_unit(stage: Stage) -> None:
    stage.persist("systemd")
    system = stage.root / "etc/systemd/system"
    # The root of this systemctl is the capture.
    enable = ["systemctl", f"--root={stage.root}", "enable", "ssdpm.service"]
    stage.run(*enable)
    for target in ("multi-user", "suspend", "hibernate"):
        link = system / f"{target}.target.wants" / "ssdpm.service"
        assert link.is_symlink()
    program = BUILD / "tests" / "system" / "persist-files"
    subprocess.run([program, "systemd", "remove", stage.root], check=True)
    assert not [p for p in system.rglob("ssdpm*") if p.is_symlink() or p.exists()]


# ---- TLP ----


def test_tlp_reads_the_policies(stage: Stage) -> None:
    stage.persist("tlp")
    output = stage.shell("tlp-stat -c")
    found = re.findall(r"^/etc/tlp.d/50-ssdpm.conf L\d+: (.*)$", output, re.MULTILINE)
    assert found == [
        'SATA_LINKPWR_ON_AC="med_power_with_dipm"',
        'SATA_LINKPWR_ON_BAT="min_power_with_partial med_power_with_dipm"',
    ]


@pytest.mark.parametrize(
    "mode, policy", [(0, "med_power_with_dipm"), (1, "min_power_with_partial")]
)
def test_tlp_sets_the_policies(stage: Stage, mode: int, policy: str) -> None:
    stage.persist("tlp")
    for host in range(4):
        stage.sysfs(LPM.format(host)).write_text("")
    # As tlp itself begins; what else it sets is not for here.
    stage.shell(
        "set +eu\n"
        "for lib in /usr/share/tlp/tlp-func-base /usr/share/tlp/func.d/[0-9]*; do\n"
        "  . $lib\n"
        "done\n"
        "read_config\n"
        f"set_sata_link_power {mode}\n"
    )
    for host in range(4):
        assert stage.sysfs(LPM.format(host)).read_text().strip() == policy


def test_tlp_reads_a_link_policy_without_a_profile(stage: Stage) -> None:
    stage.persist("tlp", "links")
    output = stage.shell("tlp-stat -c")
    found = re.findall(r"^/etc/tlp.d/50-ssdpm.conf L\d+: (.*)$", output, re.MULTILINE)
    assert found == [f'SATA_LINKPWR_ON_{on}="medium_power"' for on in ("AC", "BAT")]


def test_check_names_the_line_of_tlp(stage: Stage) -> None:
    (stage.root / "etc/tlp.d").mkdir()
    line = "SATA_LINKPWR_ON_AC=med_power_with_dipm"
    (stage.root / "etc/tlp.d/10-links.conf").write_text(line + "\n")
    command = [BUILD / "examples/ssdpm/ssdpm", "check", "--root", stage.root]
    checked = subprocess.run(
        [*command, "--lpm", "max_performance"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert checked.returncode == 5
    asks = "tlp asks for med_power_with_dipm, which is there now, and may undo this"
    words = f"{asks}: /etc/tlp.d/10-links.conf:1: {line}"
    assert words in checked.stderr


# ---- TuneD ----

@pytest.fixture(params=[[], [NEWER]], ids=["debian-12", "debian-13"])
def tuned(stage: Stage, request: pytest.FixtureRequest) -> Stage:
    """TuneD 2.20 and 2.25: 2.23 and later look for profiles elsewhere."""
    stage.packages = request.param + stage.packages
    stage.persist("tuned")
    return stage


VERSION = "from tuned.version import *; print(TUNED_VERSION_MAJOR, TUNED_VERSION_MINOR)"


def tuned_folder(tuned: Stage) -> str:
    major, minor = map(int, tuned.run("/usr/bin/python3", "-c", VERSION).stdout.split())
    is_new = (major, minor) >= (2, 23)
    assert is_new or NEWER not in tuned.packages
    return "/etc/tuned/profiles" if is_new else "/etc/tuned"


LOAD = """
import json, sys
import tuned.consts as consts
from tuned.profiles import Factory, Loader, Merger
from tuned.profiles.locator import Locator
from tuned.profiles.variables import Variables
new = getattr(consts, "CFG_DEF_PROFILE_DIRS", None)
locator = Locator(new or consts.LOAD_DIRECTORIES)
loader = Loader(locator, Factory(), Merger(), None, Variables())
profile = loader.load(sys.argv[1:])
units = {n: [u.enabled, dict(u.options)] for n, u in profile.units.items()}
json.dump({"options": dict(profile.options), "units": units}, sys.stdout)
"""


def load_profile(stage: Stage, *names: str) -> dict[str, dict[str, list[object]]]:
    output = stage.run("/usr/bin/python3", "-c", LOAD, *names).stdout
    loaded = json.loads(output[output.index('{"options"') :])
    assert isinstance(loaded, dict)
    return loaded


def test_tuned_loads_the_profile(tuned: Stage) -> None:
    loaded = load_profile(tuned, "ssdpm-auto")
    assert loaded["options"] == {"summary": "Power policy of SSDs: auto"}
    (script,) = loaded["units"]["script"][1]["script"]  # type: ignore[index]
    assert script == tuned_folder(tuned) + "/ssdpm-auto/script.sh"


def test_tuned_does_not_set_the_links_beside_ours(tuned: Stage) -> None:
    """powersave of TuneD has min_power."""
    loaded = load_profile(tuned, "powersave", "ssdpm-auto")
    assert loaded["units"]["scsi_host"] == [False, {"alpm": "min_power"}]
    assert len(loaded["units"]["script"][1]["script"]) == 2  # type: ignore[index]


PLUGIN = """
import sys, types
from tuned.plugins.plugin_script import ScriptPlugin
from tuned.utils.global_config import GlobalConfig
plugin = ScriptPlugin.__new__(ScriptPlugin)
plugin._variables = types.SimpleNamespace(get_env=dict)
plugin._global_cfg = GlobalConfig("/dev/null")
for step in (["start"], ["verify"], ["stop", "full_rollback"]):
    assert plugin._call_scripts([sys.argv[1]], step)
"""


def test_tuned_calls_apply_check_and_revert(tuned: Stage) -> None:
    script = tuned_folder(tuned) + "/ssdpm-auto/script.sh"
    tuned.run("/usr/bin/python3", "-c", PLUGIN, script)
    assert tuned.calls.read_text().splitlines() == [
        "apply --profile auto --quiet",
        "check --profile auto --quiet",
        "revert --quiet",
    ]


def test_tuned_calls_apply_with_a_setting_without_a_profile(tuned: Stage) -> None:
    tuned.persist("tuned", "timeout")
    loaded = load_profile(tuned, "ssdpm-settings")
    assert loaded["options"] == {"summary": "Power policy of SSDs: settings"}
    script = tuned_folder(tuned) + "/ssdpm-settings/script.sh"
    tuned.run("/usr/bin/python3", "-c", PLUGIN, script)
    options = "--nvme-core apst_primary_timeout_ms=50 --quiet"
    assert tuned.calls.read_text().splitlines() == [
        f"apply {options}",
        f"check {options}",
        "revert --quiet",
    ]


# ---- the examples ----


def test_the_program_that_embeds_the_library_sets_all_drives(stage: Stage) -> None:
    stage.sysfs(f"{NVME}/{TOLERANCE}").write_text("25000\n")
    stage.sysfs(LPM.format(0)).write_text("max_performance\n")
    program = BUILD / "examples" / "integration" / "switcher"
    run = subprocess.run(
        [program, "ac", stage.root], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert stage.sysfs(LPM.format(0)).read_text().strip() == "med_power_with_dipm"
    assert stage.sysfs(f"{NVME}/{TOLERANCE}").read_text().strip() == "100000"


def test_the_script_prints_what_the_readme_says(stage: Stage) -> None:
    run = subprocess.run(
        [EXAMPLES / "shell.sh", stage.root],
        env={**os.environ, "SSDPM": str(BUILD / "examples" / "ssdpm" / "ssdpm")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(run.stdout.splitlines()) == 4
    readme = (EXAMPLES / "README.md").read_text()
    for line in run.stdout.splitlines():
        assert f"    {line}\n" in readme


def test_the_script_says_nothing_of_a_drive_that_cannot_be_read(stage: Stage) -> None:
    # A directory that is no controller, as while one goes away.
    stage.sysfs("class/nvme/nvme9").mkdir()
    run = subprocess.run(
        ["dash", EXAMPLES / "shell.sh", stage.root],
        env={**os.environ, "SSDPM": str(BUILD / "examples" / "ssdpm" / "ssdpm")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(run.stdout.splitlines()) == 4
    assert "nvme9" in run.stderr


# ---- modprobe ----


def test_modprobe_reads_the_options(stage: Stage) -> None:
    stage.persist("modprobe", "timeout")
    output = stage.shell("modprobe --config /etc/modprobe.d --showconfig")
    assert "\noptions nvme_core apst_primary_timeout_ms=50\n" in f"\n{output}"
    stage.persist("modprobe", "balanced")
    output = stage.shell("modprobe --config /etc/modprobe.d --showconfig")
    options = re.findall(r"^options (nvme_core|ahci) (.*)$", output, re.MULTILINE)
    assert dict(options) == {
        "nvme_core": "default_ps_max_latency_us=100000 apst_primary_timeout_ms=100 "
        "apst_primary_latency_tol_us=15000 apst_secondary_timeout_ms=2000 "
        "apst_secondary_latency_tol_us=100000",
        "ahci": "mobile_lpm_policy=3",
    }
