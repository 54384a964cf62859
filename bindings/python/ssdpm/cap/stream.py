# SPDX-License-Identifier: MIT
"""The bytes that a drive is asked for, and what they take."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Union

from ssdpm.base.convert import (
    check_float,
    check_unsigned,
    check_word,
    check_words,
    triple_of,
    words_of,
)
from ssdpm.base.errors import InvalidError
from ssdpm.base.result import Value

# The spans of a stream, each with its bit.
STREAM_FIELDS = {
    "interface_bytes_per_s": 1 << 0,
    "nand_bytes_per_s": 1 << 1,
    "active_uw": 1 << 2,
    "operation_nj": 1 << 3,
    "byte_pj": 1 << 4,
}
DRIVE_FIELDS = {"idle_uw": 1 << 5, "max_uw": 1 << 6}
_OPS = ("read", "write")
_ZERO = (0.0, 0.0, 0.0)
_Triple = tuple[float, float, float]

StreamTuple = tuple[
    int,
    int,
    int,
    int,
    float,
    float,
    _Triple,
    _Triple,
    _Triple,
    _Triple,
    _Triple,
]


@dataclass(frozen=True, eq=False)
class Span(Value):
    """A number and its bounds; all three are the same where it is known."""

    low: float
    nominal: float
    high: float

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.nominal, self.high))


SpanLike = Union[Span, tuple[float, float, float], float, None]
"""A number, which is certain; low, nominal and high; or None: not known."""


def span_of(value: object, name: str) -> Span | None:
    """None: not known."""
    if value is None or isinstance(value, Span):
        return value
    return Span(*(check_float(one, name) for one in triple_of(value, name)))


def triple(span: Span | None) -> _Triple:
    """A span for C, where what is not known is 0."""
    return _ZERO if span is None else (span.low, span.nominal, span.high)


def set_field(one: object, name: str, value: object) -> None:
    """Set a member of a frozen value while it is made."""
    object.__setattr__(one, name, value)


@dataclass(frozen=True, eq=False)
class Stream(Value):
    """I/Os of one kind: what they reach, what they cost.

    Each of the last five is a number, (low, nominal, high), or None: not known.

    Attributes:
        op: "read" or "write".
        share: of all bytes of the mix; those of all streams come to 1.
        io_bytes: of each I/O; needed where operation_nj is known.
        write_amplification: bytes programmed by bytes written; None: it is in the
            numbers already, or not known.
        interface_bytes_per_s: the most that the link and the controller carry.
        nand_bytes_per_s: the most that the flash does, without amplification.
        active_uw: while such I/Os alone keep the drive as busy as it can be, with the
            idle power, without the next two.
        operation_nj: of each I/O, on top of the active power.
        byte_pj: of each byte, on top of the active power.
        assumed: which of these five rest on an assumption.
    """

    op: str
    share: float = 1.0
    io_bytes: int = 0
    write_amplification: float | None = None
    interface_bytes_per_s: SpanLike = None
    nand_bytes_per_s: SpanLike = None
    active_uw: SpanLike = None
    operation_nj: SpanLike = None
    byte_pj: SpanLike = None
    assumed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_word(self.op, "op", _OPS)
        set_field(self, "share", check_float(self.share, "share"))
        set_field(
            self, "io_bytes", check_unsigned(self.io_bytes, "io_bytes", 2**32 - 1)
        )
        if self.write_amplification is not None:
            wa = check_float(self.write_amplification, "write_amplification")
            if not wa >= 1:
                raise InvalidError(
                    errno.EINVAL, f"write_amplification: {wa:g} is below 1"
                )
            set_field(self, "write_amplification", wa)
        for name in STREAM_FIELDS:
            set_field(self, name, span_of(getattr(self, name), name))
        set_field(self, "assumed", tuple(check_words(self.assumed, "assumed")))
        for name in self.assumed:
            check_word(name, "assumed", STREAM_FIELDS)
        super().__post_init__()

    def _tuple(self) -> StreamTuple:
        spans = {name: getattr(self, name) for name in STREAM_FIELDS}
        triples = [triple(span) for span in spans.values()]
        return (
            _OPS.index(self.op) + 1,
            sum(STREAM_FIELDS[n] for n, span in spans.items() if span is not None),
            sum(STREAM_FIELDS[n] for n in self.assumed),
            self.io_bytes,
            self.share,
            self.write_amplification or 0.0,
            triples[0],
            triples[1],
            triples[2],
            triples[3],
            triples[4],
        )


def stream_of(found: StreamTuple) -> Stream:
    """A stream as C has completed it."""
    op, known, assumed, io_bytes, share, wa, *spans = found
    values = {
        name: Span(*span) if known & bit else None
        for (name, bit), span in zip(STREAM_FIELDS.items(), spans)
    }
    return Stream(
        _OPS[op - 1],
        share,
        io_bytes,
        wa or None,
        assumed=field_names(assumed),
        **values,
    )


def field_names(bits: int) -> tuple[str, ...]:
    """The names of the fields whose bits are set."""
    return words_of(bits, {**STREAM_FIELDS, **DRIVE_FIELDS})


def span_gb(span: Span) -> str:
    """A throughput and its range."""
    return f"{_range(span.low / 1e9, span.nominal / 1e9, span.high / 1e9)} GB/s"


def span_w(span: Span) -> str:
    """A power and its range."""
    return f"{_range(span.low / 1e6, span.nominal / 1e6, span.high / 1e6)} W"


def span_percent(span: Span) -> str:
    """A share and its range."""
    return f"{_range(100 * span.low, 100 * span.nominal, 100 * span.high)} %"


def _range(low: float, nominal: float, high: float) -> str:
    texts = [f"{one:.4g}" for one in (low, nominal, high)]
    if texts[0] == texts[2]:
        return texts[1]
    return f"{texts[1]} ({texts[0]}..{texts[2]})"
