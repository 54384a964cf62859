# SPDX-License-Identifier: MIT
"""Known and assumed parameters of a drive."""

from __future__ import annotations

import abc
import errno
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ssdpm import _core
from ssdpm.base.convert import (
    by_number,
    check_instance,
    check_measured_wa,
    check_spare,
    check_unsigned,
    check_word,
    triple_of,
    uw_of,
)
from ssdpm.base.errors import InvalidError
from ssdpm.base.result import Value
from ssdpm.device.facts import DeviceSettings
from ssdpm.device.machine import Device
from ssdpm.model.drive import Model
from ssdpm.parameter import Parameter, ParameterTuples, parameters_from
from ssdpm.workload.records import OPS

_LINK_WORDS = by_number(_core.energy.PCIE_LINKS)
# What the index of a kind is; that of the others is 0.
_BY_STATE = (
    "idle_power_uw",
    "entry_latency_us",
    "exit_latency_us",
    "link_idle_time_us",
)
_SCALAR = ("transition_power_uw", "link_power_uw", "background_time_ps")


class Overlay(Value):
    """Measured parameters of a drive; they override the assumed ones.

    ssdpm.measure.Calibration is one.
    """

    __slots__ = ()

    product: str | None
    measured_wa: float | None

    @abc.abstractmethod
    def match(self, model: Model) -> str:
        """Whether it is of this drive."""

    @abc.abstractmethod
    def _rows(self) -> list[Any]:
        """What was measured, as _core takes it."""


def _values(value: object, name: str, watts: bool) -> tuple[int, int, int]:
    """A number, which is certain, or (low, nominal, high)."""
    low, nominal, high = (
        uw_of(one, name) if watts else check_unsigned(one, name, 2**64 - 1)
        for one in triple_of(value, name)
    )
    return low, nominal, high


def _state_index(model: Model, key: object, name: str) -> int:
    """The number of 4, "PS4" or, on SATA, "slumber"."""
    if not isinstance(key, str):
        return check_unsigned(key, name, 2**32 - 1)
    for number, state in enumerate(model.power_states):
        if key in (f"PS{number}", state.link_state):
            return number
    raise ValueError(f"{name}: {key!r} is no state of this drive")


def _items(model: Model, kind: str, name: str, value: object) -> Iterator[Any]:
    """(index, value) of what one override names."""
    if kind in _SCALAR:
        yield 0, value
    elif isinstance(value, Mapping):
        for key, one in value.items():
            if kind in _BY_STATE:
                yield _state_index(model, key, name), one
            else:
                yield OPS[check_word(key, name, OPS)] - 1, one
    elif kind not in _BY_STATE:
        for index in range(len(OPS)):
            yield index, value
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for index, one in enumerate(value):
            if one is not None:
                yield index, one
    else:
        raise TypeError(
            f"{name}: a dict by state is needed, as {{'PS0': ...}}, or a list"
        )


def _measured_rows(measured: object, model: Model) -> list[Any]:
    """The measured parameters, if they are of this drive."""
    if not isinstance(measured, Overlay):
        raise TypeError(
            "measured: an ssdpm.measure.Calibration is needed, not "
            f"{type(measured).__name__}; Calibration.load() reads a file"
        )
    if measured.match(model) == "other-drive":
        raise InvalidError(
            errno.EINVAL,
            f"measured: it is of {measured.product!r}, and the drive is "
            f"{model.product!r}: pass parameters=measured.parameters(model) to take it "
            "all the same",
        )
    return measured._rows()


def drive_of(model: Model | Device) -> tuple[Model, DeviceSettings | None]:
    """A drive, and what the machine of a device says."""
    if not isinstance(model, Device):
        return check_instance(model, "model", Model), None
    found = model.model()
    return found, model.settings(found)


def model_of(model: Model | Device) -> tuple[Model, DeviceSettings | None]:
    """The same of a drive that is estimated."""
    found, settings = drive_of(model)
    if isinstance(model, Device):
        _core.energy.check_estimable(model._handle, found._handle)
    return found, settings


def link_of(pcie_link: str | None, settings: DeviceSettings | None) -> str | None:
    """A word of PCIE_LINKS; None: not known."""
    if pcie_link is None:
        return None
    if check_word(pcie_link, "pcie_link", [*_core.energy.PCIE_LINKS, "auto"]) != "auto":
        return pcie_link
    if settings is None:
        return _LINK_WORDS[_core.energy.usual_pcie_link()]
    return settings.pcie_link


def parameters(
    model: Model | Device,
    pcie_link: str | None = "auto",
    measured: Overlay | None = None,
    spare: float | None = None,
    measured_wa: float | None = None,
    **overrides: object,
) -> tuple[Parameter, ...]:
    """Known and assumed parameters of a drive, sorted by kind and index.

    Args:
        model: a drive, or a device, whose model() it is then.
        pcie_link: "l0", "l1" or "l1.2": the state of the PCIe link while the drive is
            in a non-operational state; SATA drives have none. None: unknown: the power
            of the link is a range from the best to the worst. "auto": that of the
            machine of a device, or None. Without a device it is "l1.2".
        measured: what ssdpm.measure.calibrate() found of this drive, in place of what
            is assumed.
        spare: the spare factor of its flash, as for ssdpm.wa.calculate(). It gives the
            work of garbage collection for each written byte, background_time_ps. It
            also adds to the byte energy of writes, up to the maximum power of the
            drive. Nominal is that of even writes, low that of writes in sequence
            (none), and high that of a drive that collects any block.
            ssdpm.wa.background() says how long it works for it. None: unknown, and
            nothing of it is in an estimate.
        measured_wa: the write amplification at which its writes were measured; None:
            what measured says of it, or 1, that of erased flash.
        **overrides: your values by kind. The name has the unit: idle_power_uw,
            active_power_uw, transition_power_uw, link_power_uw, entry_latency_us,
            exit_latency_us, base_latency_ns, bandwidth_bytes_per_second,
            operation_energy_nj, byte_energy_pj, link_idle_time_us and
            background_time_ps. The powers may be in watts, too, as
            idle_power_w. A value is a number, which is then certain, or (low, nominal,
            high). For states, it is a dict by number or name, or a list of all states
            with None for "as it is". For operations, it is a dict by word, or one
            value for all::

                ssdpm.parameters(model, idle_power_w={"PS0": (0.4, 0.5, 0.8)})
                ssdpm.parameters(model, exit_latency_us={4: 51_000})
                ssdpm.parameters(model, active_power_w={"read": 2.5, "write": 3.1})

    Raises:
        NotFoundError: the drive has no such parameter.
        InvalidError, RangeError: not low <= nominal <= high, or beyond its range.
        TypeError, ValueError: an argument of another type, an unknown word.
    """
    model, settings = drive_of(model)
    link = link_of(pcie_link, settings)
    return parameters_and_work(
        model, link, measured, spare, measured_wa, **overrides
    )[0]


def parameters_and_work(
    model: Model,
    link: str | None,
    measured: Overlay | None = None,
    spare: float | None = None,
    measured_wa: float | None = None,
    **overrides: object,
) -> tuple[tuple[Parameter, ...], BackgroundWork | None]:
    """parameters(), and the work behind the writes of a drive whose spare is known."""
    handle = model._handle
    found = _core.energy.parameters_from_model(
        handle, 0 if link is None else _core.energy.PCIE_LINKS[link]
    )
    if measured is not None:
        found = _core.energy.parameters_calibrate(
            found, _measured_rows(measured, model)
        )
    for name, value in overrides.items():
        watts = name.endswith("_power_w")
        kind = name[:-1] + "uw" if watts else name
        if kind not in _core.energy.PARAMETER_KINDS:
            known = ", ".join(_core.energy.PARAMETER_KINDS)
            raise TypeError(f"parameters() has no argument {name!r}; kinds are {known}")
        number = _core.energy.PARAMETER_KINDS[kind]
        for index, one in _items(model, kind, name, value):
            values = _values(one, name, watts)
            found = _core.energy.parameters_set(found, number, index, *values)
    if spare is not None and measured_wa is None and measured is not None:
        measured_wa = measured.measured_wa
    found, work = _with_spare(handle, found, spare, measured_wa)
    return parameters_from(found), work


BackgroundWork = tuple[float, float, float, int, int, int, int]
"""The members of struct ssdpm_background_work."""


def _with_spare(
    handle: _core.Model,
    found: ParameterTuples,
    spare: float | None,
    measured_wa: float | None,
) -> tuple[ParameterTuples, BackgroundWork | None]:
    """Last: it is a factor of all that was measured and stated."""
    start = check_measured_wa(1.0 if measured_wa is None else measured_wa)
    if spare is None:
        if measured_wa is not None:
            raise InvalidError(
                errno.EINVAL, "measured_wa: it says where spare starts: pass both"
            )
        return found, None
    return _core.energy.parameters_set_spare(handle, found, check_spare(spare), start)
