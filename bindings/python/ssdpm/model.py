# SPDX-License-Identifier: MIT
"""The model: what an SSD says of its power states, as exact integers."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, SupportsIndex, Union

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm.base import (
    Error,
    FormatError,
    InvalidError,
    RangeError,
    Value,
    bytes_of,
    check_bool,
    check_filename,
    check_instance,
    check_list,
    check_unsigned,
    check_word,
    check_words,
    html_table,
)

Source = Union[
    str,
    "os.PathLike[str]",
    bytes,
    bytearray,
    memoryview,
    "npt.NDArray[np.uint8]",
    Mapping[str, Any],
]

power_state_dtype: np.dtype[np.void] = _core.power_state_dtype
"""Layout of struct ssdpm_power_state: 128 bytes, the reserved ones left out."""


_LINK_STATE_WORDS = {number: word for word, number in _core.LINK_STATES.items()}


def _watts(microwatts: int | None) -> float | None:
    return None if microwatts is None else microwatts / 1e6


@dataclass(frozen=True, eq=False)
class PowerState(Value):
    """One power state. None is unknown; see struct ssdpm_power_state.

    Attributes:
        operational: whether the drive does I/O in this state.
        max_power_uw: the most it draws, in microwatts.
        active_power_uw: what it draws under the workload active_power_workload.
        idle_power_uw: what it draws when idle.
        entry_latency_us: the most that entering takes, in microseconds.
        exit_latency_us: the most that leaving takes.
        read_throughput_rank: 0 is best, at most 31; likewise the next three.
        active_power_workload: 1 or 2, 0 where the drive names none.
        emergency_power_fail_recovery_time_us: and the next two, NVMe 2.1.
        not_reported: names of the fields for which the drive gives the value that
            NVMe defines as "not reported". For max_power_uw and the latencies that
            is a 0 that stands: Linux computes with it.
        link_state: "active", "partial", "slumber" or "devsleep" for a SATA drive.
    """

    operational: bool
    max_power_uw: int | None = None
    active_power_uw: int | None = None
    idle_power_uw: int | None = None
    entry_latency_us: int | None = None
    exit_latency_us: int | None = None
    read_throughput_rank: int | None = None
    read_latency_rank: int | None = None
    write_throughput_rank: int | None = None
    write_latency_rank: int | None = None
    active_power_workload: int | None = None
    emergency_power_fail_recovery_time_us: int | None = None
    forced_quiescence_vault_time_us: int | None = None
    emergency_power_fail_vault_time_us: int | None = None
    not_reported: frozenset[str] = frozenset()
    link_state: str | None = None

    @property
    def max_power_w(self) -> float | None:
        """max_power_uw in watts, or None."""
        return _watts(self.max_power_uw)

    @property
    def active_power_w(self) -> float | None:
        """active_power_uw in watts, or None."""
        return _watts(self.active_power_uw)

    @property
    def idle_power_w(self) -> float | None:
        """idle_power_uw in watts, or None."""
        return _watts(self.idle_power_uw)


@dataclass(frozen=True, eq=False)
class Finding(Value):
    """Something odd in a model, and why it matters; see Model.lint().

    Attributes:
        code: a word that scripts can rely on, as in "never-entered"; all are in
            ssdpm_model(3).
        state: number of the power state, or None: the drive as a whole.
        message: one line with the numbers and the consequence.
    """

    code: str
    state: int | None
    message: str


@dataclass(frozen=True, eq=False)
class SataLink(Value):
    """What a SATA drive says of its link. None is unknown, and never False.

    Attributes:
        words_valid: whether words 76 to 79 of IDENTIFY DEVICE mean something. Where
            they do not, the drive says nothing of its link, and Linux takes that
            for not supported.
        generations: which signaling speeds it has: 1 is 1.5 Gb/s, 2 is 3, 3 is 6.
        apm_level: level of advanced power management, 1 (least power) to 254;
            None where APM is not enabled.
        hipm_supported: requests of the host are accepted (word 76 bit 9).
        hipm_enabled: this and host_auto_partial_to_slumber_enabled are the host's
            business: no drive says so.
        dipm_supported: the drive makes requests of its own (78.3).
        dipm_enabled: it does so now (79.3).
        device_auto_partial_to_slumber_supported: the drive goes from partial to
            slumber on its own (76.14).
        device_auto_partial_to_slumber_enabled: 79.7.
        host_auto_partial_to_slumber_supported: it accepts that the host does (76.13).
        host_auto_partial_to_slumber_enabled: None out of any file.
        devsleep_supported: 78.8.
        devsleep_enabled: 79.8.
        apm_supported: advanced power management (83.3).
        apm_enabled: 86.3.
    """

    words_valid: bool | None = None
    generations: tuple[int, ...] | None = None
    apm_level: int | None = None
    hipm_supported: bool | None = None
    hipm_enabled: bool | None = None
    dipm_supported: bool | None = None
    dipm_enabled: bool | None = None
    device_auto_partial_to_slumber_supported: bool | None = None
    device_auto_partial_to_slumber_enabled: bool | None = None
    host_auto_partial_to_slumber_supported: bool | None = None
    host_auto_partial_to_slumber_enabled: bool | None = None
    devsleep_supported: bool | None = None
    devsleep_enabled: bool | None = None
    apm_supported: bool | None = None
    apm_enabled: bool | None = None


_LAST_GENERATION = 3
_POWERS = ("max_power_uw", "active_power_uw", "idle_power_uw")


def _features_of(what: str, bits: int, unknown: int) -> dict[str, bool | None]:
    """The attributes whose names end in what, out of masks."""
    return {
        f"{name}_{what}": None if unknown & bit else bool(bits & bit)
        for name, bit in _core.SATA_FEATURES.items()
    }


def _feature_bits(link: SataLink, what: str) -> tuple[int, int]:
    """Masks out of these attributes: what is, and what is unknown."""
    bits = unknown = 0
    for feature, bit in _core.SATA_FEATURES.items():
        name = f"{feature}_{what}"
        value = getattr(link, name)
        if value is None:
            unknown |= bit
        elif check_bool(value, f"sata.{name}"):
            bits |= bit
    return bits, unknown


def _generation_bits(generations: object) -> int | None:
    what = "sata.generations"
    if generations is None:
        return None
    if not isinstance(generations, tuple):
        raise TypeError(f"{what}: a tuple is needed, not {type(generations).__name__}")
    bits = 0
    for generation in generations:
        number = check_unsigned(generation, what, _LAST_GENERATION)
        if not number:
            raise RangeError(
                errno.ERANGE, f"{what}: 0 is not in 1 to {_LAST_GENERATION}"
            )
        bits |= 1 << number
    return bits


def _sata_facts(link: object, kind: str) -> _core._SataFacts | None:
    """A SataLink, or None for one that is unknown, as _core takes it."""
    if link is None:
        link = SataLink()
    elif kind != "sata":
        raise InvalidError(errno.EINVAL, f"sata: the drive is {kind!r}")
    if not isinstance(link, SataLink):
        raise TypeError(f"sata: a SataLink is needed, not {type(link).__name__}")
    if kind != "sata":
        return None
    if link.words_valid is not None:
        check_bool(link.words_valid, "sata.words_valid")
    apm_level = link.apm_level
    if apm_level is not None:
        apm_level = check_unsigned(apm_level, "sata.apm_level", 0xFF)
    return (
        link.words_valid,
        _generation_bits(link.generations),
        apm_level,
        *_feature_bits(link, "supported"),
        *_feature_bits(link, "enabled"),
    )


def _sata_link(facts: _core._SataFacts | None) -> SataLink | None:
    if facts is None:
        return None
    valid, bits, apm_level, *masks = facts
    generations = None
    if bits is not None:
        numbers = range(1, _LAST_GENERATION + 1)
        generations = tuple(number for number in numbers if bits >> number & 1)
    return SataLink(
        words_valid=valid,
        generations=generations,
        apm_level=apm_level,
        **_features_of("supported", masks[0], masks[1]),
        **_features_of("enabled", masks[2], masks[3]),
    )


def state_name(number: int, state: PowerState) -> str:
    """ "PS1", or "PS1 partial" for a state of a link."""
    return f"PS{number} {state.link_state}" if state.link_state else f"PS{number}"


def _power_state(names: Iterable[str], numbers: Iterable[int]) -> PowerState:
    """A row of the states array, with None for what is unknown."""
    row = dict(zip(names, numbers))
    values = {
        name: None if row["unknown"] & bit else row[name]
        for name, bit in _core.FIELDS.items()
    }
    return PowerState(
        operational=not row["flags"] & _core.STATE_NON_OPERATIONAL,
        not_reported=frozenset(
            name for name, bit in _core.FIELDS.items() if row["not_reported"] & bit
        ),
        link_state=_LINK_STATE_WORDS.get(row["link_state"]),
        **values,
    )


def _word_number(word: str | None, name: str, numbers: Mapping[str, int]) -> int:
    """The number of a word, 0 for None."""
    return 0 if word is None else numbers[check_word(word, name, numbers)]


def _field_bits(names: Iterable[str], what: str) -> int:
    bits = 0
    for name in check_words(names, what):
        bits |= _core.FIELDS[check_word(name, what, _core.FIELDS)]
    return bits


def _fill_row(array: npt.NDArray[np.void], index: int, state: object) -> None:
    what = f"states[{index}]"
    if not isinstance(state, PowerState):
        raise TypeError(f"{what}: a PowerState is needed, not {type(state).__name__}")
    if not check_bool(state.operational, f"{what}.operational"):
        array["flags"][index] = _core.STATE_NON_OPERATIONAL
    for name, bit in _core.FIELDS.items():
        value = getattr(state, name)
        if value is None:
            array["unknown"][index] |= bit
            continue
        maximum = int(np.iinfo(array.dtype[name]).max)
        array[name][index] = check_unsigned(value, f"{what}.{name}", maximum)
    array["link_state"][index] = _word_number(
        state.link_state, f"{what}.link_state", _core.LINK_STATES
    )
    array["not_reported"][index] = _field_bits(
        state.not_reported, f"{what}.not_reported"
    )


def _states_array(
    states: npt.NDArray[np.void] | Iterable[PowerState],
) -> npt.NDArray[np.void]:
    """An own array of states whose reserved bytes are 0."""
    if not isinstance(states, np.ndarray):
        rows = check_list(states, "states", "ssdpm.PowerState")
        array = np.zeros(len(rows), power_state_dtype)
        for index, state in enumerate(rows):
            _fill_row(array, index, state)
        return array
    if states.dtype != power_state_dtype or states.ndim != 1:
        raise TypeError(
            "states: an array of one dimension and of ssdpm.power_state_dtype is "
            f"needed, not of {states.ndim} dimensions and of {states.dtype}"
        )
    array = np.zeros(len(states), power_state_dtype)
    # NumPy leaves what stands between fields undefined, so copy each field.
    for name in power_state_dtype.names or ():
        array[name] = states[name]
    return array


def read_file(path: str) -> bytes:
    """What a file holds, up to what the library reads at most, and a byte.

    O_NONBLOCK: the open of a FIFO that nobody writes to would wait for ever. It
    gives an empty file; one with a writer is read to its end.
    """

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags | os.O_NONBLOCK)

    with open(path, "rb", opener=opener) as file:
        os.set_blocking(file.fileno(), True)
        return file.read(_core.JSON_MAX_BYTES + 1)


def _plain(value: object) -> object:
    """NumPy's numbers in a dict are numbers like others."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} has no place in a model")


def _data_of(source: Source) -> tuple[bytes, str | None]:
    """What the library reads, and the name of the file that it is from."""
    if isinstance(source, Mapping):
        return json.dumps(dict(source), default=_plain).encode(), None
    if isinstance(source, (str, os.PathLike)):
        filename = check_filename(source, "source")
        return read_file(filename), filename
    return bytes_of(source, "a path, bytes or a dict"), None


def _place_error(error: Error, source: Source | None, filename: str | None) -> None:
    error.filename = filename
    if isinstance(source, Mapping):
        error.line = None  # of a text that nobody has seen


def _read(source: Source) -> list[_core.Model]:
    data, filename = _data_of(source)
    try:
        return _core.models_from_data(data)
    except Error as error:
        _place_error(error, source, filename)
        raise


def _check_text(value: str | None, name: str) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise TypeError(f"{name}: a str is needed, not {type(value).__name__}")
    if not value.isascii() or not value.isprintable():
        raise InvalidError(errno.EINVAL, f"{name}: {value!r} is not printable ASCII")
    return value


class Model:
    """The power states of one SSD; it never changes, and threads may share it.

    Args:
        source: a path; or bytes; or a dict as to_dict() makes it. A file and bytes
            are recognised by content: a raw Identify Controller structure (4096
            bytes); what ``nvme id-ctrl`` prints, as text or JSON; what smartctl -c, -a
            or -x prints, as text or (from 7.5 on) JSON: there, active_power_uw,
            idle_power_uw and apsta are None; of SATA drives, IDENTIFY DEVICE data
            (512 bytes), their 256 hexadecimal words as sysfs and ``hdparm --Istdout``
            print them, the text of ``hdparm -I``, or a blob of ``skdump --save``; or
            JSON with ``"schema": "ssdpm.model/1"``.

    Raises:
        FormatError: this is none of the formats, or holds several drives (load()
            reads these).
        RangeError: a number or text beyond its field.
        TooLargeError: more than 16 MiB of JSON.
        OSError: the file cannot be read (FileNotFoundError and so on).
        TypeError: source is of another type.
    """

    __slots__ = ("__weakref__", "_alternatives", "_handle", "_power_states")

    _handle: _core.Model
    _power_states: tuple[PowerState, ...] | None
    _alternatives: tuple[Model, ...]

    def __init__(self, source: Source) -> None:
        cores = _read(source)
        if len(cores) != 1:
            raise FormatError(
                errno.EINVAL,
                f"{len(cores)} drives where one is expected; ssdpm.load() reads "
                "them all",
                os.fsdecode(source) if isinstance(source, (str, os.PathLike)) else None,
            )
        self._handle = cores[0]
        self._power_states = None
        self._alternatives = ()

    @classmethod
    def _wrap(cls, core: _core.Model) -> Model:
        self = cls.__new__(cls)
        self._handle = core
        self._power_states = None
        self._alternatives = ()
        return self

    @classmethod
    def catalogue(
        cls,
        name: str,
        firmware: str | None = None,
        catalogue: Catalogue | None = None,
    ) -> Model:
        """A drive by its name: what others have seen such drives say.

        A product that is the name counts more than those that begin with it;
        capitals and small letters are the same. Where drives of this name say
        different things, what most of them say is taken, and ``alternatives`` has
        the others. Nobody knows of these drives whether they have APST, and of most
        not their idle and active powers.

        Args:
            name: a product, or how it begins, as in "WDC PC SN530".
            firmware: only drives with this firmware.
            catalogue: one with drives of your own; None is the built-in one.

        Raises:
            NotFoundError: there is no such drive; the message names similar ones.
            InvalidError: the name is empty, or not printable ASCII.
        """
        if catalogue is None:
            catalogue = Catalogue()
        check_instance(catalogue, "catalogue", Catalogue)
        match = catalogue.find(name, firmware)
        self = cls._wrap(catalogue._handle.model(match.index))
        if match.n_tables > 1:
            self._alternatives = tuple(
                cls._wrap(catalogue._handle.model(other.index))
                for other in catalogue.alternatives(name, firmware)
            )
        return self

    @classmethod
    def from_states(
        cls,
        states: npt.NDArray[np.void] | Iterable[PowerState],
        *,
        kind: str = "nvme",
        vendor_id: int | None = None,
        product: str | None = None,
        firmware: str | None = None,
        apsta: int | None = None,
        provenance: str | None = None,
        format: str | None = None,
        sata: SataLink | None = None,
    ) -> Model:
        """Make a model from numbers.

        Args:
            states: the power states from state 0 on, 1 to 32 of them (SATA: 0 to
                32): PowerState objects, or an array of power_state_dtype, which is
                copied. A power or latency of 0 is added to not_reported.
            kind: "nvme" or "sata".
            vendor_id: PCI vendor ID.
            product: model number, printable ASCII, at most 40 characters.
            firmware: firmware revision, likewise, at most 8.
            apsta: the whole APSTA byte; 0 is a drive without APST.
            provenance: "reported", "measured", "catalogue", "assumed" or "stated".
            format: how the input was written, a word as Model.format has it.
            sata: what a SATA drive says of its link; None: nothing.

        Raises:
            RangeError: a number beyond its field; the message names it.
            InvalidError: values contradict each other.
            TypeError, ValueError: an argument of another type, an unknown word.
        """
        if vendor_id is not None:
            vendor_id = check_unsigned(vendor_id, "vendor_id", 0xFFFF)
        if apsta is not None:
            apsta = check_unsigned(apsta, "apsta", 0xFF)
        return cls._wrap(
            _core.model_new(
                _core.KINDS[check_word(kind, "kind", _core.KINDS)],
                vendor_id,
                _check_text(product, "product"),
                _check_text(firmware, "firmware"),
                apsta,
                _word_number(provenance, "provenance", _core.PROVENANCES),
                _word_number(format, "format", _core.FORMATS),
                _sata_facts(sata, kind),
                _states_array(states),
            )
        )

    @property
    def kind(self) -> str:
        """ "nvme" or "sata"."""
        return self._handle.kind

    @property
    def vendor_id(self) -> int | None:
        """PCI vendor ID, or None."""
        return self._handle.vendor_id

    @property
    def product(self) -> str | None:
        """Model number, or None."""
        return self._handle.product

    @property
    def firmware(self) -> str | None:
        """Firmware revision, or None."""
        return self._handle.firmware

    @property
    def apsta(self) -> int | None:
        """The whole APSTA byte, or None; Linux takes any value but 0 for support."""
        return self._handle.apsta

    @property
    def provenance(self) -> str | None:
        """ "reported", "measured", "catalogue", "assumed", "stated", or None."""
        return self._handle.provenance

    @property
    def format(self) -> str | None:
        """How the input was written, as in "nvme-identify", or None."""
        return self._handle.format

    @property
    def sata(self) -> SataLink | None:
        """What a SATA drive says of its link; None for an NVMe drive."""
        return _sata_link(self._handle.sata)

    @property
    def states(self) -> npt.NDArray[np.void]:
        """The power states, shape (len(self),), dtype power_state_dtype, read-only.

        No copy: the array lies on the memory of the library and keeps it alive. A
        field whose bit is set in "unknown" holds 0 and means nothing; power_states
        has None there.
        """
        return self._handle.states

    @property
    def power_states(self) -> tuple[PowerState, ...]:
        """The power states as objects, with None for what is unknown."""
        if self._power_states is None:
            self._power_states = tuple(
                _power_state(power_state_dtype.names or (), numbers)
                for numbers in self.states.tolist()
            )
        return self._power_states

    def power_range_uw(self, state: int, field: str) -> tuple[int, int] | None:
        """The least and the most that a power of a state can be, in microwatts.

        Both are the same for a power with a value. A power that is None in
        power_states has a range if nvme-cli before 1.12 printed it without its
        fraction; if that begins at 0, the drive may not report the power.

        Args:
            state: number of the state, from 0 to len(self) - 1.
            field: "max_power_uw", "active_power_uw" or "idle_power_uw".

        Returns:
            Low and high, or None: nothing is known of the power.

        Raises:
            RangeError: there is no such state.
            TypeError, ValueError: an argument of another type, an unknown word.
        """
        number = check_unsigned(state, "state", 0xFFFFFFFF)
        check_word(field, "field", _POWERS)
        return self._handle.power_range(number, _core.FIELDS[field])

    @property
    def alternatives(self) -> tuple[Model, ...]:
        """What other drives of the name say that catalogue() was given, by how many.

        Empty if all say the same, and for a model that is not from catalogue(). It
        is no part of the model: not of its JSON, of copies, or of equality.
        """
        return self._alternatives

    def to_json(self) -> str:
        """JSON with "schema": "ssdpm.model/1" and a final newline.

        Model(text.encode()) makes an equal model of it.
        """
        return self._handle.to_json()

    def to_dict(self) -> dict[str, Any]:
        """The JSON as a dict; Model(d) makes an equal model of it."""
        result: dict[str, Any] = json.loads(self.to_json())
        return result

    def lint(self) -> tuple[Finding, ...]:
        """What is odd in the model, and why it matters.

        Returns:
            The findings on the drive, then those on its states in order; none where
            nothing is odd. What is unknown is not judged.
        """
        return tuple(Finding(*finding) for finding in self._handle.lint())

    def __len__(self) -> int:
        """The number of power states."""
        return len(self.states)

    def __bool__(self) -> bool:
        """True: a SATA drive without a state is a model too."""
        return True

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.to_json().encode(),)

    def __repr__(self) -> str:
        return f"<ssdpm.Model {self.product!r}, {self.kind}, {len(self)} states>"

    def _repr_html_(self) -> str:
        columns = (
            "operational",
            "max_power_w",
            "active_power_w",
            "idle_power_w",
            "entry_latency_us",
            "exit_latency_us",
        )
        rows = (
            (state_name(number, state), *(getattr(state, column) for column in columns))
            for number, state in enumerate(self.power_states)
        )
        caption = f"{self.product or 'unknown drive'} ({self.kind})"
        return html_table(caption, ("state", *columns), rows)


@dataclass(frozen=True, eq=False)
class CatalogueRow(Value):
    """One product with a firmware, and what drives of it say.

    Attributes:
        product: model number.
        firmware: firmware revision, or None.
        seen: how many drives say so.
        table: rows with the same facts have the same number; it holds for this
            catalogue only.
    """

    product: str
    firmware: str | None
    seen: int
    table: int


@dataclass(frozen=True, eq=False)
class CatalogueMatch(Value):
    """One table among the rows that have a name.

    Attributes:
        index: the row of this table that was seen most often.
        exact: products are the name; else they begin with it.
        n_rows: how many of the matching rows have this table.
        n_matches: how many rows match.
        n_tables: how many different tables these have.
        seen: how many drives were seen with this table.
    """

    index: int
    exact: bool
    n_rows: int
    n_matches: int
    n_tables: int
    seen: int


class Catalogue:
    """Drives that others have seen; it never changes, and threads may share it.

    Iteration gives CatalogueRow objects, sorted by product and firmware.

    Args:
        source: drives of your own, in any form that Model() takes, each with a
            product. They take the place of drives of the same product and firmware,
            and count more than all others. None: only what is built in.

    Raises:
        FormatError: as Model(), and where a drive has no product.
        TooLargeError: more than 1024 different tables.
        RangeError, OSError, TypeError: as Model().
    """

    __slots__ = ("__weakref__", "_data", "_handle")

    _data: bytes | None
    _handle: _core.Catalogue

    def __init__(self, source: Source | None = None) -> None:
        if source is None:
            self._data, filename = None, None
        else:
            self._data, filename = _data_of(source)
        try:
            self._handle = _core.catalogue_new(self._data)
        except Error as error:
            _place_error(error, source, filename)
            raise

    def _contents(self) -> list[tuple[str, str | None, int, str]]:
        """The rows, with the model in place of the number of its table."""
        models: dict[int, str] = {}
        rows = list(self)
        for index, row in enumerate(rows):
            if row.table not in models:
                models[row.table] = self._handle.model(index).to_json()
        return [(r.product, r.firmware, r.seen, models[r.table]) for r in rows]

    def __eq__(self, other: object) -> bool:
        """Equal rows and models; the order and the form of the source do not matter."""
        if not isinstance(other, Catalogue):
            return NotImplemented
        return self._data == other._data or self._contents() == other._contents()

    def __hash__(self) -> int:
        return hash(tuple((row.product, row.firmware, row.seen) for row in self))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._data,)

    def find(self, name: str, firmware: str | None = None) -> CatalogueMatch:
        """The table that is taken for a name; see Model.catalogue().

        Raises:
            NotFoundError, InvalidError: as Model.catalogue().
        """
        texts = _check_name(name), _check_text(firmware, "firmware")
        return CatalogueMatch(*self._handle.find(*texts))

    def alternatives(
        self, name: str, firmware: str | None = None
    ) -> tuple[CatalogueMatch, ...]:
        """The tables that were not taken, the most seen first.

        Raises:
            NotFoundError, InvalidError: as Model.catalogue().
        """
        texts = _check_name(name), _check_text(firmware, "firmware")
        return tuple(CatalogueMatch(*m) for m in self._handle.alternatives(*texts))

    def model(self, index: SupportsIndex) -> Model:
        """A row as a model; rows count from 0, and from the end below 0.

        Raises:
            IndexError: there is no such row.
        """
        return Model._wrap(self._handle.model(self._index(index)))

    def _index(self, index: SupportsIndex) -> int:
        number = check_unsigned(index, "index", 2**63 - 1, -(2**63))
        n = len(self)
        if not -n <= number < n:
            raise IndexError(f"index: {number} is no row; the catalogue has {n}")
        return number % n

    def __len__(self) -> int:
        """The number of rows."""
        return self._handle.n_rows

    def __getitem__(self, index: SupportsIndex) -> CatalogueRow:
        return CatalogueRow(*self._handle.row(self._index(index)))

    def __iter__(self) -> Iterator[CatalogueRow]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        return f"<ssdpm.Catalogue, {len(self)} rows>"


def _check_name(name: str) -> str:
    text = _check_text(name, "name")
    if text is None:
        raise TypeError("name: a str is needed, not NoneType")
    return text


def load(source: Source) -> list[Model]:
    """Read all drives of a file, of bytes or of a dict.

    Args and errors: as Model(), but any number of drives is right.

    Returns:
        At least one model, in the order of the input.
    """
    return [Model._wrap(core) for core in _read(source)]


@dataclass(frozen=True, eq=False)
class GovernorMode(Value):
    """A mode of the power governor of Intel's data-centre drives.

    Attributes:
        mode: 0, 1 or 2; of an NVMe drive its power state.
        power_uw: what it may take on average; None: no limit.
    """

    mode: int
    power_uw: int | None

    @property
    def power_w(self) -> float | None:
        """power_uw in watts."""
        return _watts(self.power_uw)


def governor_modes(form: str) -> tuple[GovernorMode, ...]:
    """The modes of a form of drive, as published for the DC P3700 and its family.

    Args:
        form: "pcie", "pcie-x8" (a card with two drives on it) or "sata", where mode 1
            is what is typical.

    Raises:
        ValueError: another form.
    """
    check_word(form, "form", _core.GOVERNOR_FORMS)
    modes = _core.governor_modes(_core.GOVERNOR_FORMS[form])
    return tuple(GovernorMode(*mode) for mode in modes)
