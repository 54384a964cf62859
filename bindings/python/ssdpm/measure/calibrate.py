# SPDX-License-Identifier: MIT
"""The calibration: from the power and the I/Os of a run to what an estimate has to
know of this drive."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, SupportsIndex

from ssdpm import _core
from ssdpm.base.convert import (
    check_bool,
    check_text,
    check_time,
    check_unsigned,
    number_of,
    takes,
)
from ssdpm.device.machine import Device
from ssdpm.estimate.setup import Setup, TableLike
from ssdpm.measure.baseline import check_sampling as _check_sampling
from ssdpm.measure.calibration import (
    Calibration,
    MeasuredRun,
    TraitsTuple,
    wa_milli,
)
from ssdpm.measure.signal import SignalLike, When, signal_of
from ssdpm.model.drive import Model
from ssdpm.parameter import Parameter
from ssdpm.workload.files import TraceIterator
from ssdpm.workload.trace import Trace, TraceLike, all_records

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _traits(
    sampling: str | None,
    response_ns: SupportsIndex | None,
    drift_uw: SupportsIndex | None,
    gain_ppm: SupportsIndex | None,
    clock_ppb: int | None,
) -> TraitsTuple:
    """The stated values, as the library takes them."""
    bits = _core.energy.METER_TRAITS
    numbers = {
        "response": (response_ns, "meter_response_ns", 2**64 - 1),
        "drift": (drift_uw, "meter_drift_uw", 2**64 - 1),
        "gain": (gain_ppm, "meter_gain_ppm", 2**32 - 1),
    }
    known = 0
    values = {}
    for word, (value, name, most) in numbers.items():
        values[word] = 0 if value is None else check_unsigned(value, name, most)
        known |= 0 if value is None else bits[word]
    clock = 0
    if clock_ppb is not None:
        clock = check_unsigned(clock_ppb, "meter_clock_ppb", 2**31 - 1, -(2**31))
        known |= bits["clock"]
    kind = 0
    if sampling is not None:
        kind = number_of(sampling, "meter_sampling", _core.energy.METER_SAMPLINGS)
        known |= bits["sampling"]
    return known, kind, values["response"], values["drift"], values["gain"], clock


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
    meter_sampling: str | None = None,
    meter_response_ns: SupportsIndex | None = None,
    meter_drift_uw: SupportsIndex | None = None,
    meter_gain_ppm: SupportsIndex | None = None,
    meter_clock_ppb: int | None = None,
    measured_wa: float | None = None,
    date: str | None = None,
    **when: Unpack[When],
) -> Calibration:
    """Find the parameters of a drive from the power and the I/Os of one run.

    ::

        found = measure.calibrate(drive, trace, measure.read_power("watts.csv"))
        print(found)
        print(ssdpm.estimate(drive, other, measured=found))

    These are the idle power of each state that was reached, with that of the link, and
    the active power of each operation. It also finds the power of transitions, and the
    exit latency of each state that I/Os woke the drive from. Each has an interval of
    95 % that respects noise that lasts. ssdpm_calibrate(3) has the method and tells how
    reliable it is.

    Args:
        model: the drive, or a device.
        trace: the I/Os, as estimate() takes them, each with its service time.
        power, rate_hz, times, start_ns: as Signal has them. After the last I/O the drive is taken to
            idle to the end of the samples.
        table, lpm, idle_from_start: the policy that was in force, as estimate() takes
            it.
        pcie_link, parameters: what is known before, likewise.
        offset_ns: add it to the time of a sample for that of the I/Os; 0: both have
            the same clock. None: that which lets the first sample and the first I/O
            be at the same time.
        max_offset_ns: look for a better one up to this far from it; 0: it is exact.
            None: 0 where offset_ns is given, else as long as the samples are.
        bin_ns: length of the steps of time that are compared, in whole samples; 0: that
            of the samples, but long enough for 4096 steps at most.
        operation_energy, byte_energy: the energy of each I/O, and of each byte, beside
            the active power.
        meter_sampling, meter_response_ns, meter_drift_uw, meter_gain_ppm,
            meter_clock_ppb: what is known of the meter, as MeterTraits has it. None:
            found in the data, but the gain: 5 % is assumed. A "point" is modelled only
            if a step has one sample, see bin_ns.
        measured_wa: write amplification during the run, if that is known: it is kept
            with what was measured, and is where spare of an estimate starts.
        date: of the run: it is kept with what was measured, as are the names of the
            files that read_trace() (or iter_trace()) and read_power() have read.

    A run whose fit the data contradict is refused: contradiction of the result says
    why, and no parameter is known.

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
    offset = None if offset_ns is None else check_time(offset_ns, "offset_ns")
    most = max_offset_ns
    if most is not None:
        most = check_unsigned(most, "max_offset_ns", 2**64 - 1)
    signal = signal_of(power, **when)
    found_table = setup.table(table)
    records = all_records(trace)
    found = _core.energy.calibrate(
        setup.model._handle,
        setup.core(found_table),
        records,
        signal._handle,
        (
            offset,
            most,
            length,
            flags,
            _traits(
                meter_sampling,
                meter_response_ns,
                meter_drift_uw,
                meter_gain_ppm,
                meter_clock_ppb,
            ),
        ),
        (
            setup.policy_words(table),
            signal.name,
            trace.name if isinstance(trace, (Trace, TraceIterator)) else None,
            None if date is None else check_text(date, "date"),
            wa_milli(measured_wa),
        ),
    )
    return Calibration._of(
        *found,
        sampling=_check_sampling(signal, None, None, records)[0],
        _run=MeasuredRun(setup, found_table, records, signal),
    )
