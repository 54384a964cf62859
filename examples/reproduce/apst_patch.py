# SPDX-License-Identifier: MIT
"""The kernel patch that brought the two bands of APST (Linux 5.14): its five drives
and seven workflows under the old table and the new one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import ssdpm
from report import (
    PUBLISHED,
    Claim,
    Number,
    Range,
    Report,
    exact,
    exactly,
    main,
    rounded,
)

# The patch's name for each drive, and the name that the catalogue knows.
DRIVES = {
    "WD SN530": "WDC PC SN530",
    "Intel 760p": "INTEL SSDPEKKW256G8",
    "Samsung PM991": "PM991 NVMe Samsung 256GB",
    "SK hynix BC511": "BC511 NVMe SK hynix 256GB",
    "Kioxia KBG40": "KBG40ZNS256G NVMe KIOXIA 256GB",
}
WORKFLOWS = range(1, 8)
PLACE = "commit ebd8a93aa4f5, message: what was measured"
TABLES = "commit ebd8a93aa4f5, message: what the tables do"
OLD, NEW = "linux-legacy", "linux"

# 100 bursts of 1000 writes; 1000 reads.
N_IOS = {1: 100_000, 7: 1_000}

INPUTS = [
    "drives: the tables that the catalogue has of them, latencies as declared",
    "workflows: ssdpm's apst-1 to apst-7, 100 bursts each (7: 1000 reads); closed loop",
    "service times: those of the workflows, 10 us for a write and 130 us for a read, "
    "and 1 ns for 3 bytes",
    "tables: linux-legacy (old) and linux (new), limit 100 ms; PCIe link in L1.2 when "
    "the drive sleeps",
    "all else by the rules of ssdpm_estimate(3), the same for all drives: idle watts "
    "of PS0, active, state and transition watts; low and high are the least "
    "and most over all combinations, old and new at the same one",
]

# What a combination moves together, as in ssdpm_estimate(3); what is not here does not
# matter, because the service times stand in the traces.
AXES = {
    "active_power_uw": "active",
    "operation_energy_nj": "active",
    "byte_energy_pj": "active",
    "transition_power_uw": "transition",
    "link_power_uw": "state",
    "entry_latency_us": "latency",
    "exit_latency_us": "latency",
}

Parameters = tuple[ssdpm.Parameter, ...]


def axis_of(model: ssdpm.Model, parameter: ssdpm.Parameter) -> str | None:
    if parameter.kind == "idle_power_uw":
        awake = model.power_states[parameter.index].operational
        return "idle" if awake else "state"
    return AXES.get(parameter.kind)


def fixed(parameter: ssdpm.Parameter, corner: str) -> ssdpm.Parameter:
    """As if it were certain."""
    value = getattr(parameter, corner)
    return replace(parameter, low=value, nominal=value, high=value)


def corners(model: ssdpm.Model, parameters: Parameters) -> Iterator[Parameters]:
    """The nominal values, then each combination of low and high."""
    yield tuple(fixed(p, "nominal") for p in parameters)
    axes = {axis_of(model, p) for p in parameters if p.low != p.high} - {None}
    for words in itertools.product(("low", "high"), repeat=len(axes)):
        where = dict(zip(axes, words))
        yield tuple(
            fixed(p, where.get(axis_of(model, p), "nominal")) for p in parameters
        )


@dataclass(frozen=True)
class Pair:
    """One workflow at one corner, with the old table and the new one."""

    old: ssdpm.Run
    new: ssdpm.Run

    @property
    def change_percent(self) -> float:
        """Of the mean power."""
        old = self.old.mean_power_uw
        return 100 * (self.new.mean_power_uw - old) / old


def latency_ms(run: ssdpm.Run) -> float:
    """Mean latency where one I/O is outstanding, as in workflow 7."""
    return (run.busy_ns / sum(run.n_ios) + run.delay_mean_ns) / 1e6


def trace(workflow: int, service_ns: int | None = None) -> ssdpm.Trace:
    n_ios = N_IOS.get(workflow, 100_000)
    return ssdpm.generate(f"apst-{workflow}", n_ios=n_ios, service_ns=service_ns)


def pairs(
    model: ssdpm.Model, io: ssdpm.Trace, parameters: Parameters | None = None
) -> list[Pair]:
    """The nominal pair first, then that of each corner."""
    return [
        Pair(
            *(
                ssdpm.estimate(model, io, table, parameters=one).nominal
                for table in (OLD, NEW)
            )
        )
        for one in corners(model, parameters or ssdpm.parameters(model))
    ]


def over(values: list[float], unit: str, digits: int = 1) -> Range:
    """Of values at the nominal corner, then at the others."""
    return Range(min(values), values[0], max(values), unit, digits)


Flows = dict[int, list[Pair]]


def row(drive: str, workflow: int, found: list[Pair]) -> list[str]:
    old, new = (p.delay_mean_ns / 1e6 for p in (found[0].old, found[0].new))
    return [
        drive,
        str(workflow),
        str(over([p.old.mean_power_uw / 1e3 for p in found], "", 0)),
        str(over([p.new.mean_power_uw / 1e3 for p in found], "", 0)),
        str(over([p.change_percent for p in found], "", 1)),
        f"{old:.3f} -> {new:.3f}",
    ]


def changes(flows: Flows, workflows: Iterable[int]) -> list[tuple[float, ...]]:
    """At each corner, the change of mean power on some workflows."""
    return [
        tuple(p.change_percent for p in at)
        for at in zip(*(flows[workflow] for workflow in workflows))
    ]


def times(model: ssdpm.Model) -> str:
    """What the two tables do from PS0 on."""
    words = []
    for algorithm in (OLD, NEW):
        entries = {e.state: e for e in ssdpm.apst(model, algorithm=algorithm).entries}
        state, steps = 0, []
        while state in entries and entries[state].target > state:
            steps.append(f"PS{entries[state].target} after {entries[state].idle_ms} ms")
            state = entries[state].target
        words.append(", ".join(steps))
    return " -> ".join(words)


def first(model: ssdpm.Model, algorithm: str) -> tuple[int, int]:
    """(idle time, state) of the first step."""
    entry = ssdpm.apst(model, algorithm=algorithm).entries[0]
    return entry.idle_ms, entry.target


def from_tables(
    model: ssdpm.Model,
    about: str,
    words: str,
    idle_ms: Number | None,
    states: tuple[int, int] | None = None,
) -> Claim:
    """What the tables alone say of the first step: how its idle time changes, and from
    which state to which.
    """
    (old_ms, old_state), (new_ms, new_state) = first(model, OLD), first(model, NEW)
    published, ours = [], []
    if idle_ms:
        published.append(idle_ms)
        ours.append(exact(new_ms - old_ms, "ms", 0))
    if states:
        published += [exactly(one, "state") for one in states]
        ours += [exact(one, "state", 0) for one in (old_state, new_state)]
    return Claim(about, TABLES, PUBLISHED, words, published, ours, times(model))


def quicker(model: ssdpm.Model, drive: str) -> Claim:
    """The first step is taken after a shorter idle time, by a millisecond or more."""
    words = "much quicker transitions: the idle time shrinks"
    return from_tables(model, f"{drive}, tables", words, Number(None, -1, "ms"))


def waits(
    about: str,
    published: str,
    runs: list[ssdpm.Run],
    why: str = "",
    fitted: str = "",
    digits: int = 1,
) -> Claim:
    """A mean latency on workflow 7, published as in "about 2 ms"."""
    number = published.split()[-2]
    decimals = len(number.partition(".")[2])
    return Claim(
        about,
        PLACE,
        PUBLISHED,
        f"mean latency {published}",
        [rounded(float(number), "ms", decimals)],
        [over([latency_ms(run) for run in runs], "ms", digits)],
        fitted=fitted,
        why=why,
    )


def waits_awake(drive: str, published: str, flows: Flows) -> Claim:
    """With the old table the drive never sleeps in workflow 7."""
    read = published.removeprefix("about ")
    given = latency_ms(flows[7][0].old)
    return Claim(
        f"{drive}, workflow 7, old",
        PLACE,
        PUBLISHED,
        f"mean latency {published}",
        [rounded(float(read.split()[0]), "ms", len(read.split()[0].partition(".")[2]))],
        said=f"{given:.2f} ms, the input",
        why=f"the drive never sleeps in it: {read} is what a read took; ours is an input",
    )


def power(about: str, words: str, value: float, found: Range) -> Claim:
    """A change of power that PS0 decides."""
    return Claim(
        about,
        PLACE,
        PUBLISHED,
        words,
        [rounded(value, found.unit, 0)],
        [found],
        why="the watts of PS0, which decide it, are not public",
    )


def sn530(model: ssdpm.Model, flows: Flows) -> Iterator[Claim]:
    yield quicker(model, "SN530")
    yield power(
        "SN530, power",
        "up to 62 % less on workflows 4, 5, 6",
        62,
        over([-min(at) for at in changes(flows, (4, 5, 6))], "% less", 0),
    )
    yield waits_awake("SN530", "0.6 ms", flows)
    yield waits(
        "SN530, workflow 7, new",
        "10 ms",
        [p.new for p in flows[7]],
        why="the drive declares an exit of at most 11 ms",
        fitted="how far off a declared exit may be, with the 760p's number",
    )


def i760p(model: ssdpm.Model, flows: Flows) -> Iterator[Claim]:
    yield quicker(model, "760p")
    yield waits_awake("760p", "about 2 ms", flows)
    yield waits(
        "760p, workflow 7, new",
        "about 53 ms",
        [p.new for p in flows[7]],
        why="the drive declares an exit of 8 ms; one that takes 51 ms would explain it, "
        "and a measured exit latency would decide",
    )
    measured = ssdpm.parameters(model, exit_latency_us={"PS4": 51_000})
    found = pairs(model, trace(7, service_ns=2_000_000), measured)
    yield waits(
        "760p, workflow 7, new, measured latencies",
        "about 53 ms",
        [p.new for p in found],
        fitted="--exit-latency PS4=51ms and --service 2ms",
    )


def pm991(model: ssdpm.Model, flows: Flows) -> Iterator[Claim]:
    yield from_tables(
        model,
        "PM991, tables",
        "first transition later, but deeper: PS4 rather than PS3",
        Number(1, None, "ms"),
        (3, 4),
    )
    yield power(
        "PM991, power",
        "up to 18 % more in the worst case",
        18,
        over([max(at) for at in changes(flows, WORKFLOWS)], "% more", 0),
    )


def bc511(model: ssdpm.Model, flows: Flows) -> Iterator[Claim]:
    yield from_tables(
        model,
        "BC511, tables",
        "PS4 rather than PS3 after a similar time",
        exactly(0, "ms"),
        (3, 4),
    )


def kbg40(model: ssdpm.Model, flows: Flows) -> Iterator[Claim]:
    yield from_tables(
        model,
        "KBG40, tables",
        "virtually the same table: the first step stays",
        exactly(0, "ms"),
    )
    moved = {w: over([p.change_percent for p in flows[w]], "%") for w in WORKFLOWS}
    text = ", ".join(
        f"{change} on {w}" for w, change in moved.items() if change.low or change.high
    )
    yield Claim(
        "KBG40, power",
        PLACE,
        PUBLISHED,
        "little or no change on any workflow",
        said=f"{text}; none on the others",
        why="no number says what little is",
    )


def sustained(flows: dict[str, Flows]) -> Claim:
    """Workflow 1 of all drives."""
    values = [p.change_percent for one in flows.values() for p in one[1]]
    return Claim(
        "all, workflow 1",
        PLACE,
        PUBLISHED,
        "minimal effect: 0 % in whole percent, the least there is",
        [rounded(0, "%", 0)],
        [over(values, "%", 0)],
    )


CLAIMS = {
    "WD SN530": sn530,
    "Intel 760p": i760p,
    "Samsung PM991": pm991,
    "SK hynix BC511": bc511,
    "Kioxia KBG40": kbg40,
}

BACKGROUND = Claim(
    "760p and PM991, background work",
    PLACE,
    PUBLISHED,
    "raises their power on workflows 3, 4, 7",
    said="no background work is simulated",
    why="no number says by how much, and what a drive does by itself is not public",
)


def report() -> Report:
    models = {drive: ssdpm.Model.catalogue(name) for drive, name in DRIVES.items()}
    traces = {workflow: trace(workflow) for workflow in WORKFLOWS}
    flows = {
        drive: {w: pairs(model, io) for w, io in traces.items()}
        for drive, model in models.items()
    }
    claims = [
        claim
        for drive, model in models.items()
        for claim in CLAIMS[drive](model, flows[drive])
    ]
    return Report(
        "A. Bogoslavsky, nvme: extend and modify the APST configuration algorithm, "
        "Linux 5.14",
        INPUTS,
        [*claims, sustained(flows), BACKGROUND],
        ("drive", "workflow", "old mW", "new mW", "change %", "added latency, ms"),
        [row(d, w, found) for d, one in flows.items() for w, found in one.items()],
    )


if __name__ == "__main__":
    main(report)
