# SPDX-License-Identifier: MIT
"""The bases of the classes: values that never change, objects that go on, words."""

from __future__ import annotations

import enum
from dataclasses import fields
from typing import Any, NoReturn, SupportsIndex, TypeVar

import numpy as np


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


class Ongoing:
    """What has a state that goes on; it is neither copied nor pickled."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise TypeError(
            f"cannot copy or pickle an ssdpm.{type(self).__name__}: its state goes "
            "on; make another one"
        )


_LiveT = TypeVar("_LiveT", bound="Live")


class Live:
    """What holds on to a machine: copies of it are itself, and it is not pickled."""

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
