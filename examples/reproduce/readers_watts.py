# SPDX-License-Identifier: MIT
"""Average watts by workload that readers of AnandTech's review of the M500 (2013) asked
for: the 840 Pro, and hard disks; idle, playing a video, a database.

With two levels, idle and active, a workload takes P_idle + u (P_active - P_idle). Neither
the utilisation u of a workload nor P_active is published: any watts above P_idle can be
had from some of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from report import PUBLISHED, Claim, Report, main, mean_watts, rounded

INPUTS = [
    "average watts as published: idle, video playback, database",
    "two levels of power, and no state to sleep in; the watts at full load are no less "
    "than those of the database",
]


@dataclass(frozen=True)
class Drive:
    """Watts by workload."""

    name: str
    idle_w: float
    video_w: float
    database_w: float

    def share(self) -> float:
        """Utilisation of the video by that of the database, whatever full load takes."""
        return (self.video_w - self.idle_w) / (self.database_w - self.idle_w)

    def simulated(self, utilisation: float) -> float:
        """Mean watts of reads, if full load takes what the database does."""
        return mean_watts("read", self.idle_w, self.database_w, utilisation)


DRIVES = (
    Drive("840 Pro 128 GB", 0.03, 0.4, 1.2),
    Drive("840 Pro 256 GB", 0.03, 0.5, 1.4),
    Drive("840 Pro 512 GB", 0.04, 0.6, 1.5),
    Drive("WD Blue 500 GB", 0.36, 0.94, 2.2),
    Drive("WD Blue 1 TB", 0.6, 1.1, 1.9),
    Drive("WD Black 750 GB", 0.9, 1.4, 2.4),
    Drive("Seagate XT 750 GB", 0.8, 2.1, 2.6),
)


def claim(drive: Drive) -> Claim:
    share = drive.share()
    watts = (drive.idle_w, drive.video_w, drive.database_w)
    return Claim(
        drive.name,
        "watts by workload that its readers asked for",
        PUBLISHED,
        f"idle {drive.idle_w:g}, video {drive.video_w:g}, database "
        f"{drive.database_w:g} W",
        [rounded(one, "W", len(f"{one:g}".partition(".")[2])) for one in watts],
        said=f"the video works {share:.2f} times as long as the database; simulated "
        f"with {drive.database_w:g} W at full load, {drive.simulated(share):.2f} W",
        why="utilisation unpublished, and so are the watts at full load",
    )


def report() -> Report:
    return Report(
        "AnandTech, readers of the Crucial M500 review, 2013",
        INPUTS,
        [claim(drive) for drive in DRIVES],
        ("drive", "idle", "video", "database", "video's share"),
        [
            (
                drive.name,
                f"{drive.idle_w:g} W",
                f"{drive.video_w:g} W",
                f"{drive.database_w:g} W",
                f"{drive.share():.2f}",
            )
            for drive in DRIVES
        ],
    )


if __name__ == "__main__":
    main(report)
