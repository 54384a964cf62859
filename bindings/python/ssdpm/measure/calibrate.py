# SPDX-License-Identifier: MIT
"""The calibration: from the power and the I/Os of a run to what an estimate has to
know of the drive at hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, SupportsIndex

from ssdpm import _core
from ssdpm.base.convert import check_bool, check_text, check_time, check_unsigned, takes
from ssdpm.device.machine import Device
from ssdpm.estimate.setup import Setup, TableLike
from ssdpm.measure.baseline import check_sampling as _check_sampling
from ssdpm.measure.calibration import (
    TEXT_BYTES,
    Calibration,
    MeasuredRun,
    MeasuredTuple,
    QualityTuple,
    wa_milli,
)
from ssdpm.measure.signal import Signal, SignalLike, When, signal_of
from ssdpm.model.drive import Model
from ssdpm.parameter import Parameter
from ssdpm.policy.table import ApstTable
from ssdpm.workload.files import TraceIterator
from ssdpm.workload.records import Records
from ssdpm.workload.trace import Trace, TraceLike, all_records

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _clip(text: str | None, name: str) -> str | None:
    """As many characters as the file has room for."""
    if text is None:
        return None
    whole = "".join(c if c.isprintable() else " " for c in text).encode()
    return whole[: TEXT_BYTES[name]].decode(errors="ignore") or None


def _offsets(
    offset_ns: int | None,
    max_offset_ns: SupportsIndex | None,
    signal: Signal,
    records: Records,
) -> tuple[int, int]:
    """Between the clocks, and how far from there to look for a better one."""
    offset, most = 0, 0
    first, last = signal._ends_ns()
    if offset_ns is not None:
        offset = check_time(offset_ns, "offset_ns")
    else:
        most = max(last - first, 0)
        if len(records):
            offset = int(records["start_ns"][0]) - first
    if max_offset_ns is not None:
        most = check_unsigned(max_offset_ns, "max_offset_ns", 2**64 - 1)
    return check_time(offset, "offset_ns"), most


def _policy_words(setup: Setup, given: TableLike, table: ApstTable | None) -> str:
    if setup.lpm is not None:
        return setup.lpm
    if table is None:
        return "none"
    given = setup.named(given)
    words = str(table).replace("enabled; ", "", 1).replace("; ", ", ")
    return f"{given}: {words}" if isinstance(given, str) else words


@takes(When, signal_of)
def calibrate(
    model: Model | Device,
    trace: TraceLike,
    power: SignalLike,
    table: TableLike = "auto",
    *,
    lpm: str | None = None,
    pcie_link: str | None = "auto",
    parameters: Iterable[Parameter] | None = None,
    idle_from_start: bool = False,
    offset_ns: int | None = None,
    max_offset_ns: SupportsIndex | None = None,
    bin_ns: SupportsIndex = 0,
    operation_energy: bool = False,
    byte_energy: bool = False,
    measured_wa: float | None = None,
    date: str | None = None,
    **when: Unpack[When],
) -> Calibration:
    """What the power and the I/Os of one run say of a drive.

    ::

        found = measure.calibrate(drive, trace, measure.read_power("watts.csv"))
        print(found)
        print(ssdpm.estimate(drive, other, measured=found))

    Idle power of each state that was reached (the link's power is in it), active power
    of each operation, power of transitions, exit latency of each state that I/Os woke
    the drive from, each with an interval of 95 % that respects noise that lasts.
    ssdpm_calibrate(3) has the method and tells how reliable it is.

    Args:
        model: the drive, or a device.
        trace: the I/Os, as estimate() takes them, each with its service time.
        power, rate_hz, times, start_ns: as Signal has them. Each sample is the mean
            over the step around its time. After the last I/O the drive is taken to
            idle to the end of the samples.
        table, lpm, idle_from_start: the policy that was in force, as estimate() takes
            it.
        pcie_link, parameters: what is known before, likewise.
        offset_ns: add it to the time of a sample for that of the I/Os; 0: both have
            the same clock. None: that which lets the first sample and the first I/O
            be at the same time.
        max_offset_ns: look for a better one up to this far from it; 0: it is exact.
            None: 0 where offset_ns is given, else as long as the samples are.
        bin_ns: length of the steps of time that are compared; 0: that of the samples,
            or so many of them that there are 4096 steps at most.
        operation_energy, byte_energy: the energy of each I/O, and of each byte, beside
            the active power.
        measured_wa: write amplification during the run, if that is known: it is kept
            with what was measured, and is where spare of an estimate starts.
        date: of the run: it is kept with what was measured, as are the names of the
            files that read_trace() (or iter_trace()) and read_power() have read.

    Raises:
        UnknownValueError: no I/O, an I/O without service time, fewer steps with power
            than there is to find.
        Error: with errno EDOM: nothing can be told apart, all samples are the same, or
            power and I/Os are not of one run.
        InvalidError: times of samples or of I/Os that go back; a policy of the other
            kind of drive.
        TooLargeError: more than 2^22 steps.
        TypeError, ValueError: an argument of another type, an unknown word.
    """
    setup = Setup(
        model,
        lpm=lpm,
        pcie_link=pcie_link,
        parameters=parameters,
        idle_from_start=idle_from_start,
    )
    flags = 0
    if check_bool(operation_energy, "operation_energy"):
        flags |= _core.energy.CALIBRATE_OPERATION_ENERGY
    if check_bool(byte_energy, "byte_energy"):
        flags |= _core.energy.CALIBRATE_BYTE_ENERGY
    length = check_unsigned(bin_ns, "bin_ns", 2**64 - 1)
    signal = signal_of(power, **when)
    found_table = setup.table(table)
    records = all_records(trace)
    numbers = (*_offsets(offset_ns, max_offset_ns, signal, records), length, flags)
    measured, quality = _core.energy.calibrate(
        setup.model._handle, setup.core(found_table), records, signal._handle, numbers
    )
    found = _calibration(setup, table, found_table, records, signal, measured, quality)
    trace_name = trace.name if isinstance(trace, (Trace, TraceIterator)) else None
    return replace(
        found,
        power_name=_clip(signal.name, "power_name"),
        trace_name=_clip(trace_name, "trace_name"),
        measured_wa=None if measured_wa is None else wa_milli(measured_wa) / 1000,
        date=None if date is None else _clip(check_text(date, "date"), "date"),
    )


def _calibration(
    setup: Setup,
    given: TableLike,
    table: ApstTable | None,
    records: Records,
    signal: Signal,
    measured: list[MeasuredTuple],
    quality: QualityTuple,
) -> Calibration:
    model = setup.model
    continued = int(((records["flags"] & _core.energy.IO_CONTINUED) != 0).sum())
    return Calibration._of(
        measured,
        quality,
        n_samples=len(signal),
        n_ios=len(records) - continued,
        kind=model.kind,
        product=_clip(model.product, "product"),
        firmware=_clip(model.firmware, "firmware"),
        policy=_clip(_policy_words(setup, given, table), "policy"),
        pcie_link=setup.pcie_link if model.kind == "nvme" else None,
        lpm=setup.lpm,
        idle_from_start=bool(setup.flags),
        sampling=_check_sampling(signal, None, None, records)[0],
        _run=MeasuredRun(setup, table, records, signal),
    )
