# SPDX-License-Identifier: MIT
"""A sample of what the kernel's own function answers, through the command."""

from __future__ import annotations

import json
import os
import pathlib
import random
import subprocess
from typing import Any

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = TOP / os.environ.get("SSDPM_BUILD", "build")
COMMAND = BUILD / "examples/ssdpm/ssdpm"
SHARED = pathlib.Path(os.environ.get("SSDPM_SHARED", TOP.parent / "shared"))
SAMPLE = 300


def drive(vector: dict[str, Any]) -> dict[str, Any]:
    return {
        "schema": "ssdpm.model/1",
        "kind": "nvme",
        "apsta": vector["apsta"],
        "states": [
            {
                "operational": not non_operational,
                "entry_latency_us": entry_us,
                "exit_latency_us": exit_us,
            }
            for non_operational, entry_us, exit_us in vector["states"]
        ],
    }


def options(vector: dict[str, Any]) -> list[str]:
    limit = vector["max_exit_latency_us"]
    result = [
        f"--algorithm={vector['algorithm']}",
        f"--max-exit-latency={limit}{'' if limit == 'any' else 'us'}",
    ]
    for name in ("no-apst", "no-deepest-ps"):
        if vector["quirk_" + name.replace("-", "_")]:
            result += ["--quirk", name]
    if vector["algorithm"] == "linux":
        result += [
            f"--primary-timeout={vector['primary_timeout_ms']}ms",
            f"--primary-tolerance={vector['primary_latency_tolerance_us']}us",
            f"--secondary-timeout={vector['secondary_timeout_ms']}ms",
            f"--secondary-tolerance={vector['secondary_latency_tolerance_us']}us",
        ]
    return result


def raw(entries: dict[str, str]) -> str:
    table = bytearray(256)
    for state, entry in entries.items():
        at = 8 * int(state)
        table[at : at + 8] = int(entry, 16).to_bytes(8, "little")
    return table.hex()


def test_a_sample_of_the_kernels_tables_comes_out_of_the_command() -> None:
    lines = (SHARED / "vectors/apst_linux.jsonl").read_text().splitlines()
    vectors = [json.loads(line) for line in lines]
    assert len(vectors) > 2000
    for vector in random.Random(1).sample(vectors, SAMPLE):
        text = subprocess.run(
            [COMMAND, "apst", "--json", "-", *options(vector)],
            input=json.dumps(drive(vector)),
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        answer, expected = json.loads(text), vector["expect"]
        assert answer["sent"] == expected["sent"], vector["name"]
        assert answer["enabled"] == bool(expected["apste"]), vector["name"]
        assert answer["raw"] == raw(expected["entries"]), vector["name"]
        states = {entry["state"] for entry in answer["entries"]}
        assert states == {int(state) for state in expected["entries"]}
