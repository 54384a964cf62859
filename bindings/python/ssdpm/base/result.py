# SPDX-License-Identifier: MIT
"""The bases of the classes: values that never change, objects that go on, words; and
what results share: units, tables in notebooks, JSON, drawings.
"""

from __future__ import annotations

import enum
import errno
import html
import importlib
import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, is_dataclass
from typing import (
    Any,
    Generic,
    NoReturn,
    Protocol,
    SupportsIndex,
    TypeVar,
    Union,
    get_args,
    overload,
)

import numpy as np
import numpy.typing as npt

from ssdpm import _core
from ssdpm.base.convert import check_list, check_text
from ssdpm.base.errors import UnsupportedError


def _own(value: Any) -> Any:
    """A field as a Value keeps it: numbers of Python, arrays that are read-only."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        array = value.view()
        array.flags.writeable = False
        return array
    if isinstance(value, tuple):
        items = [_own(one) for one in value]
        if all(one is other for one, other in zip(items, value)):
            return value
        # A NamedTuple takes its members one by one.
        return value._make(items) if hasattr(value, "_make") else tuple(items)
    if type(value) is dict:
        return {_own(key): _own(one) for key, one in value.items()}
    return value


def same(one: Any, other: Any) -> bool:
    """Equality of fields; NaN is an unknown number, and equals NaN."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        if not (isinstance(one, np.ndarray) and isinstance(other, np.ndarray)):
            return False
        if one.dtype != other.dtype or one.shape != other.shape:
            return False
        if one.dtype.names:  # The bytes between members mean nothing.
            return all(same(one[name], other[name]) for name in one.dtype.names)
        return one.tobytes() == other.tobytes()
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            same(value, other[key]) for key, value in one.items()
        )
    if isinstance(one, float) and isinstance(other, float):
        return one == other or (one != one and other != other)
    return bool(one == other)


def _hashed(value: Any) -> Any:
    """The value to hash in place of a field: two NaN have different hashes."""
    if isinstance(value, tuple):
        return tuple(map(_hashed, value))
    return None if isinstance(value, float) and value != value else value


class Value:
    """The base of all dataclasses that never change.

    Numbers of NumPy become Python's own, and arrays become read-only views. Values of
    one class are equal if their fields are, and NaN equals NaN. Copies and pickles are
    equal to the original. A dataclass of this base is made with eq=False.
    """

    __slots__ = ()

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            own = _own(value)
            if own is not value:
                object.__setattr__(self, name, own)

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, _own(value))

    def _repr_html_(self) -> str:
        """A line for each field, below its words, or its name where it has none."""
        spoken = type(self).__str__ is not object.__str__
        return html_fields(str(self) if spoken else type(self).__name__, self)

    def _compared(self) -> list[str]:
        return [one.name for one in fields(self) if one.compare]  # type: ignore[arg-type]

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        names = self._compared()
        return all(same(getattr(self, n), getattr(other, n)) for n in names)

    def __hash__(self) -> int:
        return hash(
            tuple(
                _hashed(getattr(self, one.name))
                for one in fields(self)  # type: ignore[arg-type]
                if (one.compare if one.hash is None else one.hash)
            )
        )


_NumberT = TypeVar("_NumberT")
_UNITS = {"_uw": (1e6, "watts"), "_nj": (1e9, "joules"), "_ns": (1e9, "seconds")}


class Scaled(Generic[_NumberT]):
    """An integer member as a float in watts, joules or seconds; None stays None."""

    def __init__(self, member: str) -> None:
        self._member = member
        self._divisor, unit = _UNITS[member[-3:]]
        self.__doc__ = f"{member} in {unit}."

    def __get__(self, value: object, owner: type) -> _NumberT:
        if value is None:
            return self  # type: ignore[return-value]
        number = getattr(value, self._member)
        return None if number is None else number / self._divisor  # type: ignore[return-value]


class Ongoing:
    """An object with a state that goes on; it is neither copied nor pickled."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise TypeError(
            f"cannot copy or pickle an ssdpm.{type(self).__name__}: its state goes "
            "on; make another one"
        )


_LiveT = TypeVar("_LiveT", bound="Live")


class Live:
    """An object with a machine: copies of it are itself, and it is not pickled."""

    __slots__ = ()

    def __copy__(self: _LiveT) -> _LiveT:
        return self

    def __deepcopy__(self: _LiveT, memo: object) -> _LiveT:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"cannot pickle an ssdpm.{type(self).__name__}, which is of this process: "
            "pickle names of devices and the root, and open them there"
        )


class Word(str, enum.Enum):
    """An enum whose members are equal to their words."""

    def __new__(cls, value: str) -> Word:
        self = str.__new__(cls, value)
        self._value_ = value
        return self

    def __str__(self) -> str:
        return str(self.value)


_Drawn = TypeVar("_Drawn")


def need(module: str, what: str, extra: str) -> Any:
    """Import what is optional; the error says what to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{what} needs {module.partition('.')[0]}: pip install ssdpm[{extra}]"
        ) from error


def drawn(name: str, *arguments: object) -> _Drawn:  # type: ignore[type-var]
    """What a function of ssdpm.plot returns; no other module imports it."""
    plot = importlib.import_module("ssdpm.plot")
    result: _Drawn = getattr(plot, name)(*arguments)
    return result


def in_w(watts: float) -> str:
    """Watts, or milliwatts below 1 W."""
    return f"{watts:.4g} W" if abs(watts) >= 1 else f"{watts * 1e3:.4g} mW"


def in_w_of(watts: float, low_w: float, high_w: float) -> str:
    """A value and, in brackets, its interval."""
    return f"{in_w(watts)} ({in_w(low_w)} to {in_w(high_w)})"


def in_j(joules: float) -> str:
    """Joules, or millijoules below 1 J."""
    return f"{joules:.6g} J" if abs(joules) >= 1 else f"{joules * 1e3:.4g} mJ"


def in_s(ns: float) -> str:
    """A duration in the largest unit up to seconds."""
    for scale, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "us")):
        if abs(ns) >= scale:
            return f"{ns / scale:.4g} {unit}"
    return f"{ns:g} ns"


def in_mw(uw: int) -> str:
    """Milliwatts, without their unit."""
    return f"{uw / 1e3:.4g}"


def in_ms(ns: int) -> str:
    """Milliseconds, without their unit."""
    return f"{ns / 1e6:.4g}"


def in_percent(part: int, whole: int) -> str:
    """A share of a whole; of nothing it is 0 %."""
    return f"{100 * part / whole if whole else 0:.3g} %"


def _text(value: object) -> str:
    """A cell: unknown numbers and empty lists are a dash."""
    if isinstance(value, float):
        value = None if math.isnan(value) else f"{value:.6g}"
    elif isinstance(value, (tuple, frozenset)):
        words = map(str, value)
        value = ", ".join(sorted(words) if isinstance(value, frozenset) else words)
        value = value or None
    return "&ndash;" if value is None else html.escape(str(value))


def html_table(
    caption: str, columns: Iterable[str], rows: Iterable[Iterable[object]]
) -> str:
    """What _repr_html_() returns; None becomes a dash."""

    def cells(begin: str, end: str, values: Iterable[object]) -> str:
        return "".join(f"{begin}{_text(value)}{end}" for value in values)

    head = cells('<th scope="col">', "</th>", columns)
    body = "".join(f"<tr>{cells('<td>', '</td>', row)}</tr>" for row in rows)
    return (
        f"<table><caption>{html.escape(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def html_fields(caption: str, value: Any, *left_out: str) -> str:
    """A line for each field of one result."""
    names = (one.name for one in fields(value) if one.name not in left_out)
    return html_table(caption, ("field", "value"), ((n, getattr(value, n)) for n in names))


def html_list(
    caption: str, items: Iterable[object], columns: type[Value] | Iterable[str]
) -> str:
    """A line for each of some results; columns: their class, for all its fields."""
    if isinstance(columns, type):
        columns = [one.name for one in fields(columns)]  # type: ignore[arg-type]
    names = list(columns)
    rows = ([getattr(one, name) for name in names] for one in items)
    return html_table(caption, names, rows)



Write = Callable[[], str]

_ResultT = TypeVar("_ResultT", bound="Json")
_T = TypeVar("_T")


class Written:
    """What to_json() writes, as a dict too."""

    __slots__ = ()

    def to_json(self) -> str:
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """The JSON as a dict.

        Raises:
            As to_json().
        """
        result: dict[str, Any] = json.loads(self.to_json())
        return result


class HasJson(Protocol):
    """A drive, a table, a plan, a result."""

    def to_json(self) -> str: ...


def answer(
    name: str, items: Iterable[HasJson], *, key: str, errors: Iterable[str] = ()
) -> str:
    """The whole object that the command prints with --json.

    Args:
        name: of the command, as in "compare", or "measure-check".
        items: the results, in the order of the list.
        key: of their list; ssdpm-json(5) has it for each command: "comparisons".
        errors: what failed, a line each.

    Raises:
        As to_json().
    """
    results = check_list(items, "items", "results")
    for item in results:
        if not hasattr(item, "to_json"):
            raise TypeError(f"items: {type(item).__name__} has no to_json()")
    return _core.answer_json(
        check_text(name, "name"),
        check_text(key, "key"),
        [item.to_json() for item in results],
        [check_text(one, "errors") for one in check_list(errors, "errors", "texts")],
    )


class Table:
    """What to_records() has, as a DataFrame too."""

    __slots__ = ()

    def to_records(self) -> npt.NDArray[np.void]:
        raise NotImplementedError

    def to_dataframe(self) -> Any:
        """A pandas DataFrame with the columns of to_records().

        Raises:
            ImportError: pandas is not installed.
        """
        pandas = need("pandas", "to_dataframe()", "pandas")
        return pandas.DataFrame(self.to_records())


class Json(Written, Value):
    """A value that is an object of ssdpm-json(5).

    The object keeps what it is made of. This is no field: it is not compared, and a
    value that was made or changed by hand has none. Copies and pickles have the text.
    """

    _write: Union[Write, str, None] = None

    def _written_by(self: _ResultT, write: Write | None) -> _ResultT:
        """The same; write asks the library for its object."""
        object.__setattr__(self, "_write", write)
        return self

    def to_json(self) -> str:
        """The object of ssdpm-json(5) that the command prints with --json.

        Names of files have no directory in it. Values that only the command
        knows, such as a call of itself, are null or absent.

        Raises:
            UnsupportedError: a value that no call of ssdpm has returned, or one made of
                what has no such object.
        """
        if self._write is None:
            raise UnsupportedError(
                errno.EOPNOTSUPP,
                f"nothing says what an ssdpm.{type(self).__name__} made by hand is of: "
                "only one that a call has returned has JSON",
            )
        return self._write if isinstance(self._write, str) else self._write()

    def __getstate__(self) -> dict[str, Any]:
        state = dict(vars(self))
        if state.get("_write") is not None:
            state["_write"] = self.to_json()
        return state


class Items(Value, Sequence[_T]):
    """A value that is a sequence of what its first field has."""

    def _items(self) -> tuple[_T, ...]:
        first = fields(self)[0]  # type: ignore[arg-type]
        items: tuple[_T, ...] = getattr(self, first.name)
        return items

    def __len__(self) -> int:
        return len(self._items())

    @overload
    def __getitem__(self, index: int) -> _T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[_T, ...]: ...
    def __getitem__(self, index: int | slice) -> _T | tuple[_T, ...]:
        return self._items()[index]

    def _columns(self) -> list[str]:
        for base in getattr(type(self), "__orig_bases__", ()):
            for item in filter(is_dataclass, get_args(base)):
                return [one.name for one in fields(item)]
        return []

    def to_dataframe(self) -> Any:
        """A pandas DataFrame: a row for each, with its fields.

        Raises:
            ImportError: pandas is not installed.
        """
        pandas, names = need("pandas", "to_dataframe()", "pandas"), self._columns()
        rows = [{name: getattr(one, name) for name in names} for one in self._items()]
        return pandas.DataFrame(rows, columns=names)

    def _repr_html_(self) -> str:
        return html_list(type(self).__name__, self._items(), self._columns())


class Several(Items[_T], Json):
    """Results of one call, and the object of them all."""
