# SPDX-License-Identifier: MIT
"""Any drive that smartctl can print is read back, from its text and its JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

import ssdpm

HEAD = "St Op     Max   Active     Idle   RL RT WL WT  Ent_Lat  Ex_Lat"
# Letters that are no blanks: smartctl's own blanks around a text are padding.
WORD = st.text(
    st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=8
)


@dataclass(frozen=True)
class State:
    """A power state, its maximum power in units of 0.01 W, or finer 0.0001 W."""

    operational: bool
    units: int
    fine: bool
    active: str
    idle: str
    rrt: int
    rrl: int
    rwt: int
    rwl: int
    entry: int
    exit: int

    @property
    def max_power(self) -> str:
        if self.fine:
            return f"{self.units // 10000}.{self.units % 10000:04}W"
        return f"{self.units // 100}.{self.units % 100:02}W"

    @property
    def max_power_uw(self) -> int:
        return self.units * (100 if self.fine else 10000)

    def row(self, number: int) -> str:
        return (
            f"{number:2} {'+' if self.operational else '-'} {self.max_power:>9} "
            f"{self.active:>8} {self.idle:>8} {self.rrl:3} {self.rrt:2} "
            f"{self.rwl:2} {self.rwt:2} {self.entry:8} {self.exit:7}"
        )

    def json(self) -> dict[str, Any]:
        return {
            "non_operational_state": not self.operational,
            "relative_read_latency": self.rrl,
            "relative_read_throughput": self.rrt,
            "relative_write_latency": self.rwl,
            "relative_write_throughput": self.rwt,
            "entry_latency_us": self.entry,
            "exit_latency_us": self.exit,
            "max_power": {
                "value": self.units,
                "scale": 1 if self.fine else 2,
                "units_per_watt": 10000 if self.fine else 100,
            },
            "active_power": {"value": 1, "scale": 3},
        }

    def expected(self, text: bool = True) -> ssdpm.PowerState:
        zeros = {
            "max_power_uw": self.max_power_uw,
            "entry_latency_us": self.entry,
            "exit_latency_us": self.exit,
        }
        return ssdpm.PowerState(
            operational=self.operational,
            max_power_uw=self.max_power_uw,
            entry_latency_us=self.entry,
            exit_latency_us=self.exit,
            read_throughput_rank=self.rrt,
            read_latency_rank=self.rrl,
            write_throughput_rank=self.rwt,
            write_latency_rank=self.rwl,
            not_reported=frozenset(key for key, value in zeros.items() if not value),
            # Its JSON has no active power.
            shown_active_power_uw=SHOWN_UW.get(self.active) if text else None,
        )


SHOWN_UW = {"6.00W": 6_000_000, "0.0250W": 25_000}
RANK = st.integers(0, 31)
LATENCY = st.sampled_from([0, 1, 2**32 - 1]) | st.integers(0, 2**32 - 1)
POWER_COLUMN = st.sampled_from(["-", "- ", "?", "6.00W", "0.0250W"])
STATES = st.lists(
    st.builds(
        State,
        operational=st.booleans(),
        units=st.integers(0, 65535),
        fine=st.booleans(),
        active=POWER_COLUMN,
        idle=POWER_COLUMN,
        rrt=RANK,
        rrl=RANK,
        rwt=RANK,
        rwl=RANK,
        entry=LATENCY,
        exit=LATENCY,
    ),
    min_size=1,
    max_size=32,
)


@dataclass(frozen=True)
class Drive:
    product: str | None
    firmware: str | None
    vendor_id: int | None
    states: list[State]

    def text(self) -> str:
        lines = ["=== START OF INFORMATION SECTION ==="]
        if self.product is not None:
            lines.append(f"Model Number:                       {self.product}")
        if self.firmware is not None:
            lines.append(f"Firmware Version:                   {self.firmware}")
        if self.vendor_id is not None:
            lines.append(f"PCI Vendor/Subsystem ID:            0x{self.vendor_id:04x}")
        lines += ["", "Supported Power States", HEAD]
        lines += [state.row(number) for number, state in enumerate(self.states)]
        lines += ["", "Supported LBA Sizes (NSID 0x1)", " 0 +     512       0"]
        return "\n".join(lines) + "\n"

    def json(self) -> dict[str, Any]:
        drive: dict[str, Any] = {
            "json_format_version": [1, 0],
            "smartctl": {"version": [7, 5]},
            "device": {"type": "nvme", "protocol": "NVMe"},
            "nvme_power_states": [state.json() for state in self.states],
        }
        if self.product is not None:
            drive["model_name"] = self.product
        if self.firmware is not None:
            drive["firmware_version"] = self.firmware
        if self.vendor_id is not None:
            drive["nvme_pci_vendor"] = {"id": self.vendor_id, "subsystem_id": 0}
        return drive

    def check(self, model: ssdpm.Model, format: str) -> None:
        assert model.format == format and model.provenance == "reported"
        assert model.kind == "nvme" and model.apsta is None
        assert model.product == self.product
        assert model.firmware == self.firmware
        assert model.vendor_id == self.vendor_id
        assert model.power_states == tuple(state.expected(format == "smartctl-text") for state in self.states)


DRIVES = st.builds(
    Drive,
    product=st.none() | st.lists(WORD, min_size=1, max_size=4).map(" ".join),
    firmware=st.none() | WORD,
    vendor_id=st.none() | st.integers(0, 0xFFFF),
    states=STATES,
)


@given(DRIVES)
def test_what_smartctl_prints_is_read_back(drive: Drive) -> None:
    drive.check(ssdpm.Model(drive.text().encode()), "smartctl-text")


@given(DRIVES, st.sampled_from(["\r\n", "\n> ", "\n\n", "\t \n\t"]))
def test_what_people_paste_of_it_is_read_back(drive: Drive, newline: str) -> None:
    text = "Dear list,\n\n" + drive.text().replace("\n", newline) + "-- \nMe"
    drive.check(ssdpm.Model(text.encode()), "smartctl-text")


@given(DRIVES)
def test_what_smartctl_7_5_writes_as_json_is_read_back(drive: Drive) -> None:
    drive.check(ssdpm.Model(json.dumps(drive.json()).encode()), "smartctl-json")
    drive.check(ssdpm.Model(drive.json()), "smartctl-json")


@given(DRIVES)
def test_our_json_of_it_is_the_same_drive(drive: Drive) -> None:
    model = ssdpm.Model(drive.text().encode())
    assert ssdpm.Model(model.to_dict()) == model


@given(DRIVES, st.data())
def test_a_text_that_ends_early_is_a_model_or_a_format_error(
    drive: Drive, data: st.DataObject
) -> None:
    text = drive.text().encode()
    part = text[: data.draw(st.integers(0, len(text)))]
    try:
        model = ssdpm.Model(part)
    except (ssdpm.FormatError, ssdpm.RangeError):
        return
    assert 1 <= len(model) <= len(drive.states)


def test_no_table_is_an_error_that_says_what_to_call() -> None:
    text = b"=== START OF INFORMATION SECTION ===\nModel Number: X\nNVMe Version: 1.3\n"
    with pytest.raises(ssdpm.FormatError, match=r"call smartctl -c$"):
        ssdpm.Model(text)


def test_a_malformed_row_has_its_line() -> None:
    text = f"{HEAD}\n0 + 1.00W - - 0 0 0 0 0 4294967296\n".encode()
    with pytest.raises(ssdpm.RangeError, match="Ex_Lat") as caught:
        ssdpm.Model(text)
    assert caught.value.line == 2


def test_of_a_sata_drive_the_active_link_alone_is_known() -> None:
    model = ssdpm.Model(b"Device Model:     ACME\nFirmware Version: 1\n")
    assert model.kind == "sata" and model.product == "ACME"
    assert [state.link_state for state in model.power_states] == ["active"]
    assert model.power_states[0].exit_latency_us is None
