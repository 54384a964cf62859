# SPDX-License-Identifier: MIT
"""The steps of a plan, and what a journal holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ssdpm import _core
from ssdpm.base.result import Value
from ssdpm.policy.parameters import limit_word
from ssdpm.policy.table import ApstTable


@dataclass(frozen=True, eq=False)
class StepValue(Value):
    """A value before or after a step; what its kind has not is None.

    Attributes:
        max_exit_latency_us: "latency-tolerance" and "rebuild": a number, or "any".
        nvme_core: "nvme-core": in the unit of its parameter.
        lpm: "lpm": the policy.
        power_state: "power-state".
        workload_hint: "power-state"; None: as it is.
        nopp: "nopp".
        table: "apst".
        pcie_link: "pcie-link": whether the link may have the feature.
        queue_depth: "queue-depth": commands at a time; 1: no NCQ.
        d3cold: "d3cold": whether Linux may take the power away.
        aspm_policy: "aspm-policy": the policy of all PCIe devices.
    """

    max_exit_latency_us: int | str | None
    nvme_core: int | None
    lpm: str | None
    power_state: int | None
    workload_hint: int | None
    nopp: bool | None
    table: ApstTable | None
    pcie_link: bool | None
    queue_depth: int | None
    d3cold: bool | None
    aspm_policy: str | None

    @classmethod
    def _make(cls, members: tuple[Any, ...] | None) -> StepValue | None:
        if members is None:
            return None
        us, nvme_core, lpm, power_state, hint, nopp, table, *others = members
        return cls(
            None if us is None else limit_word(us),
            nvme_core,
            lpm,
            power_state,
            hint,
            nopp,
            None if table is None else ApstTable._wrap(table),
            *others,
        )


@dataclass(frozen=True, eq=False)
class Step(Value):
    """One thing that is written; str() of it is a line for people. None is a text
    that there is not.

    Attributes:
        kind: "latency-tolerance", "nvme-core", "rebuild", "apst", "lpm",
            "power-state", "nopp", "pcie-link", "queue-depth", "d3cold" or
            "aspm-policy".
        state: "planned", "in-force", "left-alone", "done", "failed", "undone" or
            "differs".
        flags: of "reversible", "all-drives", "until-reset", "until-reboot" and
            "no-host-bits".
        device: its name; "all" for a parameter of nvme_core and the ASPM policy.
        target: the file, or "Set Features 0Ch", "02h", "11h".
        before: what it holds. A table is "PS0-PS2 to PS3 after 100 ms", with
            " disabled" after it where APST is off. A power state is "PS2" or
            "PS2 hint 1".
        after: what it shall hold.
        why: the reason, or why it is left alone, or what failed.
        warning: what the diagnosis warns of once it is set, such as a policy that has
            lost data.
        parameter: "nvme-core": its name.
        before_value: the value of before, or None: not known, or a word that this
            version does not know.
        after_value: likewise of after.
        origin: which line of which file decides it (ssdpm.conf(5)); None: the caller.
    """

    kind: str
    state: str
    flags: frozenset[str]
    device: str | None
    target: str | None
    before: str | None
    after: str | None
    why: str | None
    warning: str | None = None
    parameter: str | None = None
    before_value: StepValue | None = None
    after_value: StepValue | None = None
    origin: str | None = None

    def __str__(self) -> str:
        words = [str(self.device)]
        if self.after is not None:
            before = self.before or "unknown"
            words.append(f"{self.target}: {before} -> {self.after}")
        words.append(self.state)
        if self.why is not None:
            words.append(self.why)
        if self.warning is not None:
            words.append(f"warning: {self.warning}")
        return ": ".join(words)


@dataclass(frozen=True, eq=False)
class PlannedTable(Value):
    """The APST table of one controller; None is not known.

    Attributes:
        device: its name.
        provenance: of the model that after is made from, as Model.provenance.
        before: what this kernel built from what is set now, by prediction.
        after: what it will build.
        built: what it did build: read back by Plan.verify(commands=True).
    """

    device: str
    provenance: str | None
    before: ApstTable | None
    after: ApstTable | None
    built: ApstTable | None

    @classmethod
    def _make(
        cls, device: str, provenance: str | None, *tables: _core.ApstTable | None
    ) -> PlannedTable:
        return cls(
            device,
            provenance,
            *(None if table is None else ApstTable._wrap(table) for table in tables),
        )


@dataclass(frozen=True, eq=False)
class Journal(Value):
    """The journal of a commit that runs or was killed.

    Attributes:
        state: "running"; "killed"; "found": one of these two, and the caller may not
            ask which; "undone": it was killed, and Plan.locked() or Plan.commit() has
            undone it; "refused": it is there, and this version cannot undo it.
        age_ms: time since its last line was written.
        n_undone: values that were put back.
        n_left_alone: values that stay: somebody else has written them, the device is
            gone, or Linux no longer takes the old value.
        line: with "refused", the line of the journal that cannot be read; None: no
            single line.
        reason: with "refused", why, beginning with the file; otherwise None.
        stands: it is there, so nothing can be called in force; False: it is undone.
    """

    state: str
    age_ms: int
    n_undone: int
    n_left_alone: int
    line: int | None
    reason: str | None
    stands: bool
