# SPDX-License-Identifier: MIT
"""Values of callers to values of the library: one rule for each kind."""

from __future__ import annotations

import errno
import functools
import inspect
import logging
import math
import operator
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import Any, TypeVar, Union

import numpy as np

from ssdpm import _core
from ssdpm.base.errors import InvalidError, RangeError


def check_unsigned(value: object, name: str, maximum: int, minimum: int = 0) -> int:
    """An integer of minimum to maximum, of any integer type but bool."""
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(
            f"{name}: an integer is needed, not {type(value).__name__}"
        ) from None
    if not minimum <= number <= maximum:
        raise RangeError(
            errno.ERANGE, f"{name}: {number} is not in {minimum} to {maximum}"
        )
    return number


def check_bool(value: object, name: str) -> bool:
    """A bool, and nothing that is only true or false in some sense."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}: a bool is needed, not {type(value).__name__}")
    return bool(value)


def check_path(value: object, name: str) -> bytes:
    """A path, as the system takes it."""
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{name}: a path is needed, not {type(value).__name__}")
    try:
        path = os.fsencode(value)
    except UnicodeEncodeError:
        raise ValueError(f"{name}: {value!r} is no name of a file") from None
    if b"\0" in path:
        raise ValueError(f"{name}: a zero byte stands in it")
    return path


def check_filename(value: object, name: str) -> str:
    """A path, as Python opens it."""
    return os.fsdecode(check_path(value, name))


def check_text(value: object, name: str) -> str:
    """A str that C can read to its end."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: a str is needed, not {type(value).__name__}")
    if "\0" in value:
        raise ValueError(f"{name}: a zero byte stands in it")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name}: {value!r} has no form in UTF-8") from None
    return value


def check_float(value: object, name: str, needed: str = "a number is") -> float:
    """Any real number but a bool."""
    if isinstance(value, (bool, np.complexfloating)) or not isinstance(
        value, (int, float, np.number)
    ):
        raise TypeError(f"{name}: {needed} needed, not {type(value).__name__}")
    try:
        return float(value)
    except OverflowError:
        raise RangeError(errno.ERANGE, f"{name}: it is beyond any float") from None


def check_word(value: object, name: str, words: Iterable[str]) -> str:
    """One of some words; the members of our enums are words too."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: a str is needed, not {type(value).__name__}")
    known = list(words)
    if value not in known:
        raise ValueError(
            f"{name}: {str(value)!r} is none of {', '.join(map(repr, known))}"
        )
    return str(value)


def check_memory(n: int, each: int, name: str) -> None:
    """Say the size before the machine runs out of memory."""
    needed, gib = n * each, 2.0**30
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if needed > total:
        raise MemoryError(
            f"{name}: {n} of {each} bytes are {needed} bytes ({needed / gib:.4g} GiB); "
            f"this machine has {total / gib:.4g} GiB of memory"
        )


def check_list(values: object, name: str, what: str) -> list[Any]:
    """Several things; a text or a single thing is none."""
    texts = (str, bytes, bytearray)
    single = isinstance(values, np.ndarray) and values.ndim == 0
    if isinstance(values, texts) or single or not isinstance(values, Iterable):
        raise TypeError(
            f"{name}: a list of {what} is needed, not {type(values).__name__}"
        )
    if hasattr(values, "columns"):
        raise TypeError(f"{name}: a list of {what} is needed, not a DataFrame")
    return list(values)


def check_words(values: object, name: str, what: str = "words") -> list[Any]:
    """Several words, or one that stands alone."""
    return [values] if isinstance(values, str) else check_list(values, name, what)


def check_instance(value: object, name: str, cls: type) -> Any:
    """One of our objects."""
    if not isinstance(value, cls):
        raise TypeError(
            f"{name}: an ssdpm.{cls.__name__} is needed, not {type(value).__name__}"
        )
    return value


def bytes_of(source: object, wanted: str, name: str = "source") -> bytes:
    """Any buffer of bytes; bytes are not copied."""
    if isinstance(source, bytes):
        return source
    try:
        memory = memoryview(source)  # type: ignore[arg-type]
    except TypeError:
        memory = None
    # Bytes only: an array of numbers is no file.
    if memory is None or memory.itemsize != 1:
        raise TypeError(f"{name}: {wanted} is needed, not {type(source).__name__}")
    return memory.tobytes()


TextLike = Union[str, bytes, bytearray, memoryview]


def bytes_of_text(text: TextLike, name: str) -> bytes:
    """A text in UTF-8, or bytes as they are; surrogates are what os.fsdecode() made."""
    if isinstance(text, str):
        try:
            return text.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raise ValueError(f"{name}: a surrogate is in it") from None
    return bytes_of(text, "a text, or bytes,", name)


def check_number(
    value: object, name: str, low: float = 0.0, high: float = math.inf
) -> float:
    """A finite number of low to high."""
    number = check_float(value, name)
    if low <= number <= high and number < math.inf:
        return number
    limits = f"is not finite and at least {low:g}"
    if high < math.inf:
        limits = f"is not in {low:g} to {high:.15g}"
    raise RangeError(errno.ERANGE, f"{name}: {number} {limits}")


def check_time(value: object, name: str) -> int:
    """Nanoseconds of any clock."""
    return check_unsigned(value, name, 2**63 - 1, -(2**63))


def unsigned_or_zero(value: object, name: str, maximum: int, minimum: int = 0) -> int:
    """As check_unsigned(); None is 0, which means in C that nothing was given."""
    return 0 if value is None else check_unsigned(value, name, maximum, minimum)


def number_of(word: object, name: str, words: Mapping[str, int]) -> int:
    """The number of a word; None is 0."""
    return 0 if word is None else words[check_word(word, name, words)]


def by_number(words: Mapping[str, int]) -> dict[int, str]:
    """The word of each number."""
    return {number: word for word, number in words.items()}


def words_of(bits: int, words: Mapping[str, int]) -> tuple[str, ...]:
    """The words whose bits are set."""
    return tuple(word for word, bit in words.items() if bits & bit)


def triple_of(value: object, name: str) -> tuple[Any, Any, Any]:
    """Low, nominal and high; a number is all three."""
    if not isinstance(value, (tuple, list)):
        return value, value, value
    if len(value) != 3:
        raise ValueError(f"{name}: a number or (low, nominal, high) is needed")
    low, nominal, high = value
    return low, nominal, high


def uw_of(watts: object, name: str) -> int:
    """Whole microwatts."""
    number = check_float(watts, name, "watts are")
    if not 0 <= number <= 1e12:
        raise InvalidError(errno.EINVAL, f"{name}: {number:g} W is no power")
    return round(number * 1e6)


def ns_of(seconds: object, name: str, *, zero: bool = False) -> int:
    """Whole nanoseconds; zero: 0 is a duration."""
    number = check_float(seconds, name)
    if (zero and number == 0) or (1 <= number * 1e9 < 2**64):
        return round(number * 1e9)
    raise RangeError(errno.ERANGE, f"{name}: {number:g} s is no duration")


def none_if_nan(value: float) -> float | None:
    """C has NaN for unknown."""
    return None if math.isnan(value) else value


def nan_if_none(value: float | None) -> float:
    """The other way round."""
    return math.nan if value is None else float(value)


def rows_of(
    values: Any, cls: type, name: str, defaults: Mapping[str, object]
) -> list[Any]:
    """Objects of ours, or a DataFrame with columns of these names."""
    if not hasattr(values, "columns"):
        listed = check_list(values, name, f"ssdpm.{cls.__name__}")
        return [check_instance(one, name, cls) for one in listed]
    wanted = [one.name for one in fields(cls)]
    for column in wanted:
        if column not in values.columns and column not in defaults:
            raise ValueError(f"{name}: there is no column {column!r}")
    columns = [
        values[column].tolist()
        if column in values.columns
        else [defaults[column]] * len(values)
        for column in wanted
    ]
    return [cls(*row) for row in zip(*columns)]


def check_spare(value: object, name: str = "spare") -> float:
    """Above 0 and below 1."""
    spare = check_float(value, name)
    if not 0 < spare < 1:
        raise RangeError(
            errno.ERANGE,
            f"{name}: {spare} is no share of the flash that holds no data: it is above "
            "0 and below 1",
        )
    return spare


def check_measured_wa(value: object) -> float:
    """Write amplification."""
    return check_number(value, "measured_wa", 1, 1e6)


_FunctionT = TypeVar("_FunctionT", bound=Callable[..., Any])

Log = Union[logging.Logger, Callable[[int, str], object]]

LEVELS = {
    _core.LOG_WARNING: logging.WARNING,
    _core.LOG_INFO: logging.INFO,
    _core.LOG_DEBUG: logging.DEBUG,
}

# A library that nobody listens to is silent.
logging.getLogger("ssdpm").addHandler(logging.NullHandler())


def log_of(log: Log | None) -> tuple[Callable[[int, str], object], int]:
    """The function for each message, and the most that is wanted."""
    if log is None:
        log = logging.getLogger("ssdpm")
    if isinstance(log, logging.Logger):
        wanted = [ours for ours, theirs in LEVELS.items() if log.isEnabledFor(theirs)]
        most = max(wanted, default=_core.LOG_WARNING)
        tell: Callable[[int, str], object] = log.log
    else:
        most = _core.LOG_DEBUG
        tell = log
    if not callable(tell):
        raise TypeError(
            f"log: a logging.Logger or a callable is needed, not {type(log).__name__}"
        )
    return tell, most


def takes(
    options: type, source: Callable[..., object]
) -> Callable[[_FunctionT], _FunctionT]:
    """Keyword arguments that a function passes on, as if it named each of them.

    Such a function ends in ``**options: Unpack[Options]``. Its signature lists the
    keys of that TypedDict, which help() and notebooks show, with the defaults of
    source, or None; any other name is refused.
    """
    known = inspect.signature(source).parameters

    def shown(name: str, annotation: Any) -> inspect.Parameter:
        default = known[name].default if name in known else None
        words = getattr(annotation, "__forward_arg__", annotation)
        kind = inspect.Parameter.KEYWORD_ONLY
        return inspect.Parameter(name, kind, default=default, annotation=words)

    keywords = [shown(*item) for item in options.__annotations__.items()]

    def decorated(function: _FunctionT) -> _FunctionT:
        own = inspect.signature(function)
        *named, rest = own.parameters.values()
        signature = own.replace(parameters=[*named, *keywords])

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            for name in kwargs:
                if name not in signature.parameters:
                    raise TypeError(
                        f"{function.__name__}() got an unexpected keyword argument "
                        f"{name!r}"
                    )
            return function(*args, **kwargs)

        checked.__signature__ = signature  # type: ignore[attr-defined]
        # typing.get_type_hints() would look for Unpack, which is for checkers alone.
        hints = dict(function.__annotations__)
        del hints[rest.name]
        checked.__annotations__ = hints
        return checked  # type: ignore[return-value]

    return decorated
