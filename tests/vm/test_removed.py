# SPDX-License-Identifier: MIT
"""A drive that is removed while an apply runs: exit status and words say what is so."""

from __future__ import annotations

import machine
import vm

N = 24

# From policy A to B again and again; the removal comes earlier or later in each round.
SCRIPT = """
values() {
	cat $(controller TWO)/power/pm_qos_latency_tolerance_us \
		/sys/module/nvme_core/parameters/apst_*_timeout_ms \
		/sys/class/scsi_host/host[01]/link_power_management_policy |
		tr '\\n' ' '
}
ms() {
	echo $(now | tr -d .)0
}
a="ssdpm apply -q --profile power-saver --source battery"
b="ssdpm apply -q --profile performance --source ac"
pci=$(readlink -f $(controller DEEPEST)/device)
run first_a $a
values >/result/a
run first_b $b
values >/result/b
round=1
while [ $round -le {N} ]; do
	# How long it takes changes with what else the machine does.
	begin=$(ms)
	$a 2>/result/before.$round
	whole=$(($(ms) - begin))
	basename $(controller DEEPEST) >/result/name.$round
	(
		usleep $((whole * 1000 * (round % 8 + 1) / 8))
		echo 1 >$pci/remove
	) &
	run apply.$round $b
	wait
	values >/result/values.$round
	[ ! -e /run/ssdpm/journal ] || cp /run/ssdpm/journal /result/journal.$round
	run check.$round ssdpm check -q --profile performance --source ac
	echo 1 >/sys/bus/pci/rescan
	until_true live_controllers 2
	round=$((round + 1))
done
"""


def boot(release: str) -> vm.Guest:
    return machine.boot(
        "removed",
        release,
        SCRIPT.replace("{N}", str(N)),
        ["TWO", "DEEPEST", "HIPM", "DIPM"],
        limit=1800,
    )


def test_status_and_words_say_what_became_of_the_others(guest: vm.Guest) -> None:
    old, new = guest.read("a"), guest.read("b")
    assert guest.status("first_a") == guest.status("first_b") == 0 and old != new
    seen: dict[int, int] = {}
    for number in range(1, N + 1):
        status, words = guest.status(f"apply.{number}"), guest.err(f"apply.{number}")
        seen[status] = seen.get(status, 0) + 1
        values = guest.read(f"values.{number}")
        name = guest.read(f"name.{number}").strip()
        where = (number, status, words, values)
        assert status in {0, 1, 5}, where
        assert values == (old if status == 1 else new), where
        if status:
            assert f"{name}: it " in words and "removed" in words, where
            assert "try again" not in words, where
        assert not (guest.result / f"journal.{number}").exists(), where
        assert guest.status(f"check.{number}") == (5 if status == 1 else 0), where
    print(f"Linux {guest.release}: {N} removals, by status: {seen}")
    # In its middle, and before it or after it.
    assert seen.get(1, 0) + seen.get(5, 0) >= 2 and seen.get(0, 0) >= 2
