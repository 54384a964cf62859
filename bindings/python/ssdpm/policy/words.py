# SPDX-License-Identifier: MIT
"""The words of policies."""

from __future__ import annotations

from ssdpm.base.values import Word


class Algorithm(Word):
    """Whose rule makes the table."""

    LINUX = "linux"
    """Linux 5.14 and later: two idle times, two tolerances."""
    LINUX_LEGACY = "linux-legacy"
    """Linux 4.11 to 5.13: idle time = 50 x (entry + exit)."""
    WINDOWS = "windows"
    """Windows' StorNVMe: the timeouts and tolerances of a power scheme."""
    LOWER_ENVELOPE = "lower-envelope"
    """The idle times that cost least energy without knowledge of the future."""


class PowerScheme(Word):
    """A power scheme of Windows."""

    PERFORMANCE = "performance"
    BALANCED = "balanced"
    POWER_SAVER = "power-saver"
    MODERN_STANDBY = "modern-standby"
    """S0 low-power idle."""


class PowerSource(Word):
    """Where the machine has its power from; Windows has a column for each."""

    AC = "ac"
    BATTERY = "battery"


class Quirk(Word):
    """What a host must not do on a drive with a known fault; Linux's names."""

    NO_APST = "no-apst"
    """APST is switched off."""
    NO_DEEPEST_PS = "no-deepest-ps"
    """The last state is never used."""
    SIMPLE_SUSPEND = "simple-suspend"
    """Suspending the machine shuts the drive down."""
    FORCE_NO_SIMPLE_SUSPEND = "force-no-simple-suspend"
    """It never does, whatever the platform asks for."""
    NO_LPM = "no-lpm"
    """SATA: the link stays at full power."""
    NO_LPM_ON_ATI = "no-lpm-on-ati"
    """It does so behind an adapter of ATI."""
    NO_LPM_ON_ATI_AND_AMD = "no-lpm-on-ati-and-amd"
    """It does so behind one of ATI or AMD."""


class VerdictKind(Word):
    """What became of a state."""

    USED = "used"
    OPERATIONAL = "operational"
    """APST enters only non-operational states."""
    EXIT_TOO_SLOW = "exit-too-slow"
    """Its exit takes longer than max_exit_latency_us."""
    TOTAL_TOO_SLOW = "total-too-slow"
    """Entry and exit together take longer than every tolerance."""
    SHADOWED = "shadowed"
    """A deeper state takes its place."""
    QUIRK = "quirk"
    """Forbidden by a quirk."""
    NO_GAIN = "no-gain"
    """It would qualify, but nothing enters it, or entering it saves nothing."""
