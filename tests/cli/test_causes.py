# SPDX-License-Identifier: MIT
"""A message names a cause only if that was looked at."""

from __future__ import annotations

import pathlib
import shutil
import subprocess
from collections.abc import Callable

from command import Command

Make = Callable[[str], pathlib.Path]
NVME_CORE = ("--nvme-core", "apst_primary_timeout_ms=50")


def test_a_module_that_is_not_loaded_is_not_an_old_kernel(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("laptop")
    shutil.rmtree(root / "sys/module/nvme_core")
    result = ssdpm("plan", "--root", str(root), *NVME_CORE)
    assert result.returncode == 3
    assert b"nvme_core is not loaded: there is no /sys/module/nvme_core" in result.stderr
    assert b"5.14" not in result.stderr


def test_a_parameter_that_cannot_be_read_is_not_an_old_kernel(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("laptop")
    path = "sys/module/nvme_core/parameters/apst_primary_timeout_ms"
    (root / path).write_text("many\n")
    result = ssdpm("plan", "--root", str(root), *NVME_CORE)
    assert result.returncode == 3
    assert f"/{path} cannot be read as a number".encode() in result.stderr


def test_a_kernel_without_the_parameter_is_too_old(
    ssdpm: Command, machine: Make
) -> None:
    result = ssdpm("plan", "--root", str(machine("old-5.10")), *NVME_CORE)
    assert result.returncode == 3
    assert b"it came with Linux 5.14" in result.stderr


def test_root_without_the_capability_is_not_sent_to_sudo(ssdpm: Command) -> None:
    drop = ["setpriv", "--bounding-set", "-sys_admin", "--inh-caps", "-sys_admin"]
    result = subprocess.run(
        [*drop, "ssdpm", "list", "--identify"],
        env=ssdpm.environment,
        capture_output=True,
        check=False,
    )
    assert result.returncode == 4
    assert b"needs CAP_SYS_ADMIN: this process of root lacks it" in result.stderr
    assert b"sudo" not in result.stderr


def test_a_machine_whose_sys_is_not_mounted_is_not_one_without_drives(
    ssdpm: Command,
) -> None:
    script = "mount -t tmpfs none /sys && exec ssdpm "
    for call in ("list", "show", "show nvme0", "plan --profile balanced", "lpm"):
        result = subprocess.run(
            ["unshare", "-m", "sh", "-c", script + call],
            env=ssdpm.environment,
            capture_output=True,
            check=False,
        )
        assert result.returncode == 1, call
        assert b"/sys is not mounted" in result.stderr, (call, result.stderr)


def test_a_drive_that_was_plugged_in_again_may_have_been_that(
    ssdpm: Command, machine: Make
) -> None:
    root = machine("laptop")
    limit = root / "sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us"
    limit.write_text("50000\n")
    ssdpm.output("apply", "--root", str(root), "--latency", "25ms", "nvme0")
    limit.write_text("100000\n")
    for call in ("check", "revert"):
        result = ssdpm(call, "--root", str(root))
        assert b"or as the drive was plugged in" in result.stdout, call
        assert b"somebody else" not in result.stdout, call
