# SPDX-License-Identifier: MIT
"""A drive, and the catalogue of drives."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm.base.convert import check_instance, check_unsigned, check_word, number_of
from ssdpm.base.errors import Error, FormatError
from ssdpm.base.result import Json, Value, Written, html_table
from ssdpm.model.source import Source, check_ascii, data_of, place_error, read_models
from ssdpm.model.states import (
    PowerState,
    SataLink,
    power_state,
    power_state_dtype,
    sata_facts,
    sata_link,
    state_name,
    states_array,
)


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


_POWERS = ("max_power_uw", "active_power_uw", "idle_power_uw")


class Model(Written):
    """The power states of one SSD; it never changes, and threads may share it.

    Args:
        source: a path; or bytes; or a dict as to_dict() makes it. The content tells
            the format of a file and of bytes:

            - a raw Identify Controller structure (4096 bytes);
            - the output of ``nvme id-ctrl``, as text or JSON;
            - the output of smartctl -c, -a or -x, as text or, from 7.5 on, JSON:
              active_power_uw, idle_power_uw and apsta are then None;
            - IDENTIFY DEVICE data of a SATA drive (512 bytes), or their 256 hexadecimal
              words as sysfs and ``hdparm --Istdout`` print them;
            - the text of ``hdparm -I``, or a blob of ``skdump --save``;
            - JSON with ``"schema": "ssdpm.model/1"``.

    Raises:
        FormatError: this is none of the formats, or holds several drives (load()
            reads these).
        RangeError: a number or text beyond its field.
        TooLargeError: more than 16 MiB of JSON.
        OSError: the file cannot be read (FileNotFoundError and so on).
        TypeError: source is of another type.
    """

    __slots__ = ("__weakref__", "_alternatives", "_handle", "_name", "_power_states")

    _handle: _core.Model
    _name: str | None
    _power_states: tuple[PowerState, ...] | None
    _alternatives: tuple[Model, ...]

    def __init__(self, source: Source) -> None:
        cores = read_models(source)
        if len(cores) != 1:
            raise FormatError(
                errno.EINVAL,
                f"{len(cores)} drives where one is expected; ssdpm.load() reads "
                "them all",
                os.fsdecode(source) if isinstance(source, (str, os.PathLike)) else None,
            )
        self._handle = cores[0]
        self._name = _file_name(source)
        self._power_states = None
        self._alternatives = ()

    @classmethod
    def _wrap(cls, core: _core.Model, name: str | None = None) -> Model:
        self = cls.__new__(cls)
        self._handle = core
        self._name = name
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

        A product that is the name comes first, then those that begin with it, then
        those that have its words ("SN530", "970 EVO Plus"). Capitals and small letters
        are the same. If there are none, those of another
        capacity are taken; ``Catalogue.find()`` says so. Where drives of this name
        say different things, what most of them say is taken, and ``alternatives``
        has the others. Nobody knows of these drives whether they have APST, and of
        most not their idle and active powers.

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
        self = cls._wrap(catalogue._handle.model(match.index), name)
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
                32). PowerState objects, or an array of power_state_dtype, which is
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
                check_ascii(product, "product"),
                check_ascii(firmware, "firmware"),
                apsta,
                number_of(provenance, "provenance", _core.PROVENANCES),
                number_of(format, "format", _core.FORMATS),
                sata_facts(sata, kind),
                states_array(states),
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
        """The link that a SATA drive reports; None for an NVMe drive."""
        return sata_link(self._handle.sata)

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
                power_state(power_state_dtype.names or (), numbers)
                for numbers in self.states.tolist()
            )
        return self._power_states

    def power_range_uw(self, state: int, field: str) -> tuple[int, int] | None:
        """The least and the most that a power of a state can be, in microwatts.

        Both are the same for a power with a value. A power that is None in
        power_states has a range if nvme-cli before 1.12 printed it without its
        fraction. If that begins at 0, the drive may not report the power.

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
    def name(self) -> str | None:
        """What it was named by: its file, without the directory, what catalogue() was
        given, or its device; None: nothing.

        It is no part of the model, as ``alternatives``.
        """
        return self._name

    @property
    def alternatives(self) -> tuple[Model, ...]:
        """Other tables under the name that catalogue() was given, by how many drives.

        Empty if all say the same, and for a model that is not from catalogue(). It
        is no part of the model: not of its JSON, of copies, or of equality.
        """
        return self._alternatives

    def to_json(self) -> str:
        """JSON with "schema": "ssdpm.model/1" and a final newline.

        Model(text.encode()) makes an equal model of it, and so does Model(d) of what
        to_dict() returns.
        """
        return self._handle.to_json()

    def lint(self) -> tuple[Finding, ...]:
        """Oddities of the model, and why they matter.

        Returns:
            The findings on the drive, then those on its states in order; none where
            nothing is odd. Unknown values are not judged.
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
        source = self.to_json().encode()
        return type(self), (source,), (None, {"_name": self._name})

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
class CatalogueRow(Json):
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
        exact: products are the name; else they begin with it, or have its words.
        n_rows: how many of the matching rows have this table.
        n_matches: how many rows match.
        n_tables: how many different tables these have.
        seen: how many drives were seen with this table.
        other_capacity: the name has a capacity, and the products have another one.
    """

    index: int
    exact: bool
    n_rows: int
    n_matches: int
    n_tables: int
    seen: int
    other_capacity: bool


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
            self._data, filename = data_of(source)
        try:
            self._handle = _core.catalogue_new(self._data)
        except Error as error:
            place_error(error, source, filename)
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
        texts = _check_name(name), check_ascii(firmware, "firmware")
        return CatalogueMatch(*self._handle.find(*texts))

    def alternatives(
        self, name: str, firmware: str | None = None
    ) -> tuple[CatalogueMatch, ...]:
        """The tables that were not taken, the most seen first.

        Raises:
            NotFoundError, InvalidError: as Model.catalogue().
        """
        texts = _check_name(name), check_ascii(firmware, "firmware")
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
        handle, number = self._handle, self._index(index)
        row = CatalogueRow(*handle.row(number))
        return row._written_by(lambda: _core.catalogue_row_json(handle, number))

    def __iter__(self) -> Iterator[CatalogueRow]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        return f"<ssdpm.Catalogue, {len(self)} rows>"


def _file_name(source: Source) -> str | None:
    if not isinstance(source, (str, os.PathLike)):
        return None
    return os.path.basename(os.fsdecode(source))


def _check_name(name: str) -> str:
    text = check_ascii(name, "name")
    if text is None:
        raise TypeError("name: a str is needed, not NoneType")
    return text


def load(source: Source) -> list[Model]:
    """Read all drives of a file, of bytes or of a dict.

    Args and errors: as Model(), but any number of drives is right.

    Returns:
        At least one model, in the order of the input.
    """
    name = _file_name(source)
    return [Model._wrap(core, name) for core in read_models(source)]
