# SPDX-License-Identifier: MIT
"""The quirks: what Linux forbids a drive."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

from ssdpm import _core
from ssdpm.base.convert import (
    check_instance,
    check_text,
    check_word,
    check_words,
    unsigned_or_zero,
    words_of,
)
from ssdpm.base.values import Value
from ssdpm.model.drive import Model
from ssdpm.policy.words import Quirk


@dataclass(frozen=True, eq=False)
class Host(Value):
    """What the drive itself does not say; None is unknown.

    The names from sys_vendor on are those of the files in /sys/class/dmi/id.

    Attributes:
        linux_release: whose quirks, as in platform.release(), "6.12.117-amd64";
            None: those of the newest Linux that the data knows.
        pci_vendor_id, pci_device_id: of the drive on the bus; Identify does not say
            the latter.
        adapter_vendor_id: PCI vendor of the SATA adapter.
        bios_date: "04/06/2018": month, day, year.
    """

    linux_release: str | None = None
    pci_vendor_id: int | None = None
    pci_device_id: int | None = None
    adapter_vendor_id: int | None = None
    sys_vendor: str | None = None
    product_name: str | None = None
    product_version: str | None = None
    board_vendor: str | None = None
    board_name: str | None = None
    bios_date: str | None = None


@dataclass(frozen=True, eq=False)
class QuirkMatch(Value):
    """A rule that fits, or may fit, and one line that names it.

    Attributes:
        quirks: what it gives.
        unknown: what it may give: something that it asks for is unknown.
        reason: "Kingston A2000: Linux 5.10.223 and later, nvme_id_table".
    """

    quirks: tuple[Quirk, ...]
    unknown: tuple[Quirk, ...]
    reason: str


@dataclass(frozen=True, eq=False)
class Quirks(Value):
    """What Linux applies to a drive.

    Attributes:
        quirks: what the data decides.
        unknown: what more facts about the host or the drive could add.
        matches: the rules, in their order.
    """

    quirks: tuple[Quirk, ...]
    unknown: tuple[Quirk, ...]
    matches: tuple[QuirkMatch, ...]


def quirk_names(bits: int) -> tuple[Quirk, ...]:
    """The members of some bits."""
    return tuple(map(Quirk, words_of(bits, _core.QUIRKS)))


def _host_dict(host: Host | None) -> dict[str, str | int | None]:
    """The members for C, checked: there 0 is an unknown id."""
    if host is None:
        host = Host()
    check_instance(host, "host", Host)
    values: dict[str, str | int | None] = {}
    for field in fields(host):
        value = getattr(host, field.name)
        if field.name.endswith("_id"):
            value = unsigned_or_zero(value, field.name, 0xFFFF)
        elif value is not None:
            check_text(value, field.name)
        values[field.name] = value
    if (host.pci_vendor_id is None) != (host.pci_device_id is None):
        raise ValueError("pci_vendor_id and pci_device_id: both are needed, or none")
    return values


def quirks(
    model: Model, *, host: Host | None = None, rules: str | None = None
) -> Quirks:
    """The quirks that Linux applies to a drive, and why.

    Where the host does not say the PCI id of an NVMe drive, its product name stands
    for it, if all drives of that name have the same.

    Args:
        model: a drive.
        host: what is known of its host.
        rules: rules that come before those of the library; ssdpm_policy(3) has the
            format.

    Raises:
        FormatError: rules is faulty; the error has the line.
        InvalidError: host.linux_release is no release of Linux.
        TooLargeError: more than 32 rules fit.
        TypeError, ValueError: an argument of another type.
    """
    text = "" if rules is None else check_text(rules, "rules")
    found, unknown, matches = _core.quirks_find(
        check_instance(model, "model", Model)._handle, _host_dict(host), text.encode()
    )
    return Quirks(
        quirk_names(found),
        quirk_names(unknown),
        tuple(
            QuirkMatch(quirk_names(q), quirk_names(u), reason)
            for q, u, reason in matches
        ),
    )


AUTO = "auto"

# The algorithms know these; the others are not about APST.
_APST_QUIRKS = _core.QUIRKS["no-apst"] | _core.QUIRKS["no-deepest-ps"]


def quirk_bits(model: Model, words: Iterable[str] | str, algorithm: int) -> int:
    """Linux's own quirks, "auto", are none of Windows."""
    bits = 0
    for word in check_words(words, "quirks"):
        if check_word(word, "quirks", [*_core.QUIRKS, AUTO]) == AUTO:
            if algorithm == _core.ALGORITHMS["windows"]:
                continue
            found, _, _ = _core.quirks_find(model._handle, _host_dict(None), b"")
            bits |= found & _APST_QUIRKS
        else:
            bits |= _core.QUIRKS[str(word)]
    return bits


def quirks_in_force(model: Model, words: Iterable[str] | str) -> tuple[int, int]:
    """Bits of the quirks of a drive, not only those about APST, and of those it may
    have; words as for quirk_bits()."""
    found = unknown = 0
    for word in check_words(words, "quirks"):
        if word == AUTO:
            linux, perhaps, _ = _core.quirks_find(model._handle, _host_dict(None), b"")
            found, unknown = found | linux, unknown | perhaps
        else:
            found |= _core.QUIRKS[str(word)]
    return found, unknown & ~found
