# SPDX-License-Identifier: MIT
"""ssdpm show: SATA drives, out of every form that their facts are saved in."""

from __future__ import annotations

import pytest
from command import Command

WORDS = {0: 0x0040, 76: 0x030E, 78: 0x0108, 79: 0x0008, 83: 0x4008, 86: 0x0008}
WORDS |= {87: 0x4000, 91: 128}

HDPARM = """
/dev/sda:

ATA device, with non-removable media
\tModel Number:       Fixture SATA SSD
\tFirmware Revision:  FW 2.0
Capabilities:
\tAdvanced power management level: 128
Commands/features:
\tEnabled\tSupported:
\t   *\tAdvanced Power Management feature set
\t   *\tGen1 signaling speed (1.5Gb/s)
\t   *\tGen2 signaling speed (3.0Gb/s)
\t   *\tGen3 signaling speed (6.0Gb/s)
\t   *\tHost-initiated interface power management
\t   *\tDevice-initiated interface power management
\t    \tDevice Sleep (DEVSLP)
Checksum: correct
"""

TABLE = """\
{}: Fixture SATA SSD, firmware FW 2.0, SATA
  HIPM supported; DIPM enabled; DevSleep supported, not enabled; APM enabled (level 128)
  state         operational  max power  active  idle  entry   exit
  PS0 active    yes                  -       -     -      -      -
  PS1 partial   no                   -       -     -      -  10 us
  PS2 slumber   no                   -       -     -      -  10 ms
  PS3 devsleep  no                   -       -     -      -  20 ms
"""


def identify(**changes: int) -> bytes:
    """IDENTIFY DEVICE data; identify(w76=0) changes a word."""
    words = dict(WORDS)
    for first, text in ((23, "FW 2.0  "), (27, "Fixture SATA SSD".ljust(40))):
        for i in range(0, len(text), 2):
            words[first + i // 2] = ord(text[i]) << 8 | ord(text[i + 1])
    words |= {int(name[1:]): value for name, value in changes.items()}
    return b"".join(words.get(i, 0).to_bytes(2, "little") for i in range(256))


def hexadecimal(data: bytes) -> bytes:
    """As Linux and hdparm write it: eight words a line."""
    words = [f"{data[i + 1]:02x}{data[i]:02x}" for i in range(0, 512, 2)]
    lines = [" ".join(words[i : i + 8]) for i in range(0, 256, 8)]
    return "".join(f"{line}\n" for line in lines).encode()


FORMS = {
    "ata-identify": identify(),
    "ata-identify-hex": b"\n/dev/sda:\n" + hexadecimal(identify()),
    "hdparm-text": HDPARM.encode(),
    "atasmart-blob": b"IDFY\0\0\2\0" + identify() + b"SMST\0\0\0\4\0\0\0\1",
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_shows_the_same_link_states(ssdpm: Command, form: str) -> None:
    name = ssdpm.write("saved", FORMS[form])
    assert ssdpm.output("show", name) == TABLE.format(name)
    assert ssdpm.json("show", name)["format"] == form
    text = ssdpm.output("show", "--json", name)
    ssdpm.write("again.json", text)
    assert ssdpm.output("show", "--json", "again.json") == text
    assert ssdpm.output("show", "again.json") == TABLE.format("again.json")


def test_json_has_the_facts_of_the_link(ssdpm: Command) -> None:
    name = ssdpm.write("saved", identify())
    sata = ssdpm.json("show", name)["sata"]
    assert sata["generations"] == [1, 2, 3]
    assert sata["hipm_supported"] is True and sata["hipm_enabled"] is None
    assert sata["dipm_enabled"] is True and sata["devsleep_enabled"] is False
    assert sata["apm_level"] == 128 and sata["words_valid"] is True
    assert ssdpm.output("show", "--value", "states_1_link_state", name) == "partial\n"
    assert ssdpm.output("show", "--value", "sata_generations_2", name) == "3\n"


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"w76": 0x0100, "w78": 0, "w83": 0x4000, "w86": 0},
         "HIPM not supported; DIPM not supported; DevSleep not supported; "
         "APM not supported"),
        ({"w79": 0x0100, "w86": 0},
         "HIPM supported; DIPM supported, not enabled; DevSleep enabled; "
         "APM supported, not enabled"),
        ({"w76": 0, "w83": 0},
         "HIPM unknown; DIPM unknown; DevSleep unknown; APM unknown"),
        ({"w91": 0},
         "HIPM supported; DIPM enabled; DevSleep supported, not enabled; APM enabled"),
    ],
)  # fmt: skip
def test_each_feature_has_its_word(
    ssdpm: Command, changes: dict[str, int], line: str
) -> None:
    if "w83" in changes and not changes["w83"]:
        changes = changes | {"w87": 0}
    name = ssdpm.write("saved", identify(**changes))
    shown = ssdpm.output("show", name).splitlines()
    assert shown[1] == f"  {line}"
    note = "  The drive says nothing of its link; Linux takes that for not supported"
    assert (note in shown) == (changes.get("w76") == 0)


def test_a_sata_drive_has_no_apst(ssdpm: Command) -> None:
    name = ssdpm.write("saved", identify())
    assert "not an NVMe drive: only these have APST" in ssdpm.fails(3, "apst", name)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (bytes(512), "all bytes are 0"),
        (identify(w0=0x85C0), "not an ATA device"),
        (identify(w255=0x00A5), "checksum"),
        (hexadecimal(identify())[:-5], ":32: 255 words of four hexadecimal digits"),
        (b"SMST\0\0\0\4\0\0\0\1", "without a chunk IDFY"),
        (HDPARM.encode() * 2, ":23: a second drive begins here"),
    ],
)
def test_what_is_no_drive_is_refused_with_the_reason(
    ssdpm: Command, content: bytes, words: str
) -> None:
    name = ssdpm.write("bad", content)
    assert words in ssdpm.fails(1, "show", name)
