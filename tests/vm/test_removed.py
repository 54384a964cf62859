# SPDX-License-Identifier: MIT
"""One of eight drives is removed while an apply runs, at a random moment: the others
get what was asked for, and exit status and words say what became of this one."""

from __future__ import annotations

import random

import machine
import vm

N = 200
CHANCE = random.Random(20)
# Which drive, and after which thousandth of the time that an apply takes.
ROUNDS = [(CHANCE.choice(list(machine.EIGHT)), CHANCE.randrange(1001)) for _ in range(N)]

# From policy A to B again and again.
SCRIPT = """
values() {
	for c in /sys/class/nvme/nvme*; do
		echo $(cat $c/serial $c/power/pm_qos_latency_tolerance_us)
	done
	cat /sys/module/nvme_core/parameters/apst_*_timeout_ms \
		/sys/class/scsi_host/host[01]/link_power_management_policy
}
ms() {
	echo $(now | tr -d .)0
}
a="ssdpm apply -q --profile power-saver --source battery"
b="ssdpm apply -q --json --profile performance --source ac"
# round NUMBER SERIAL THOUSANDTHS
round() {
	# How long it takes changes with what else the machine does.
	begin=$(ms)
	run before.$1 $a
	whole=$(($(ms) - begin))
	c=$(controller $2)
	pci=$(readlink -f $c/device)
	basename $c >/result/name.$1
	(
		usleep $((whole * $3))
		echo 1 >$pci/remove
	) &
	run apply.$1 $b
	wait
	values >/result/values.$1
	ls /run/ssdpm | grep '^journal' >/result/journals.$1
	run check.$1 ssdpm check -q --identify --profile performance --source ac
	echo 1 >/sys/bus/pci/rescan
	until_true live_controllers 8
}
run first_a $a
values >/result/a
run first_b $b
values >/result/b
"""


def boot(release: str) -> vm.Guest:
    rounds = [f"round {i} {serial} {at}\n" for i, (serial, at) in enumerate(ROUNDS)]
    return machine.boot(
        "removed",
        release,
        SCRIPT + "".join(rounds),
        [*machine.EIGHT, "HIPM", "DIPM"],
        limit=3600,
    )


def test_the_others_get_what_was_asked_for_and_status_says_so(guest: vm.Guest) -> None:
    assert guest.read("test.err") == ""
    old, new = guest.read("a").splitlines(), guest.read("b").splitlines()
    assert guest.status("first_a") == guest.status("first_b") == 0
    assert not set(old[:8]) & set(new[:8])
    seen: dict[int, int] = {}
    for number, (serial, _) in enumerate(ROUNDS):
        status, words = guest.status(f"apply.{number}"), guest.err(f"apply.{number}")
        seen[status] = seen.get(status, 0) + 1
        values = guest.read(f"values.{number}").splitlines()
        name = guest.read(f"name.{number}").strip()
        where = (number, serial, status, words, values)
        assert guest.status(f"before.{number}") == 0, where
        others = [line for line in new if not line.startswith(serial)]
        assert sorted(values) == sorted(others), where
        meant, states = guest.told(f"apply.{number}")
        its = states.pop(name, set()) - {"left-alone"}
        where = (*where, its, states)
        assert status == meant and status in {0, 5, 6}, where
        for device, all_ in states.items():
            assert all_ <= {"done", "in-force", "left-alone"}, (device, *where)
        # It was set before it was removed, or nobody met it.
        assert ("failed" in its) is (status == 6), where
        assert ("differs" in its) is (status == 5), where
        assert its <= {"done", "in-force", "differs"} or status == 6, where
        if status:
            assert its, where
            assert f"{name}: it " in words and "removed" in words, where
            assert "try again" not in words, where
        assert guest.read(f"journals.{number}") == "", where
        # Of the seven with their tables, as the drives give them.
        assert guest.status(f"check.{number}") == 0, (guest.err(f"check.{number}"), *where)
    print(f"Linux {guest.release}: {N} removals, by status: {seen}")
    # In its middle, and before it or after it.
    assert seen.get(5, 0) + seen.get(6, 0) >= 10 and seen.get(0, 0) >= 10
