# SPDX-License-Identifier: MIT
"""Who sets at the same time: two of ours, TLP, and what writes as TuneD does. Each
value is in the end what one of them asked for, and check says whose it is."""

from __future__ import annotations

import machine
import vm

N = 50
TLP, TUNED = "med_power_with_dipm", "medium_power"
SCRIPT = """
values() {
	cat /sys/class/nvme/nvme*/power/pm_qos_latency_tolerance_us \
		/sys/module/nvme_core/parameters/apst_*_timeout_ms | tr '\\n' ' '
	echo
	cat /sys/class/scsi_host/host[01]/link_power_management_policy | tr '\\n' ' '
	echo
}
write_as_tuned() {
	for host in 0 1; do
		echo {TUNED} >/sys/class/scsi_host/host$host/link_power_management_policy
	done
}
saver="ssdpm apply -q --json --profile power-saver --source battery"
fast="ssdpm apply -q --json --profile performance --source ac"
run saver $saver
values >/result/values.saver
run fast $fast
values >/result/values.fast
echo 'SATA_LINKPWR_ON_AC={TLP}' >/etc/tlp.d/10-links.conf
mkdir -p /etc/tuned/mine
echo mine >/etc/tuned/active_profile
printf '[scsi_host]\\nalpm={TUNED}\\n' >/etc/tuned/mine/tuned.conf
# $1: the round; $2 to $5: tenths of a second before each one starts
race() {
	(usleep $(($2 * 100000)); tlp ac >/dev/null 2>&1) &
	(usleep $(($3 * 100000)); write_as_tuned 2>/dev/null) &
	(usleep $(($4 * 100000)); run saver.$1 $saver) &
	(usleep $(($5 * 100000)); run fast.$1 $fast) &
	wait
	until_true ports_running
	values >/result/values.$1
	run check.$1 ssdpm check --profile power-saver --source battery
}
"""


def boot(release: str) -> vm.Guest:
    # TLP takes some seconds: the others begin before and after it has set the links.
    starts = [[0, (i * 11) % 79, (i * 7) % 83, (i * 17) % 89] for i in range(N)]
    script = SCRIPT.replace("{TUNED}", TUNED).replace("{TLP}", TLP)
    rounds = [
        " ".join(["race", str(i), *map(str, tenths)]) + "\n"
        for i, tenths in enumerate(starts)
    ]
    return machine.boot(
        "setters",
        release,
        script + "".join(rounds),
        ["TWO", "DEEPEST", "HIPM", "DIPM"],
        tlp=True,
        limit=1800,
    )


def test_the_end_is_what_one_of_them_asked_for(guest: vm.Guest) -> None:
    assert guest.read("test.err") == ""
    asked = [guest.read(f"values.{name}").splitlines() for name in ("saver", "fast")]
    (saver, saver_links), (fast, fast_links) = asked
    assert saver != fast and saver_links != fast_links
    links_seen, seen = set(), set()
    for number in range(N):
        ours, links = guest.read(f"values.{number}").splitlines()
        # Nobody else sets these: it is all of one of ours.
        assert ours in {saver, fast}, (number, ours)
        for link, *own in zip(links.split(), saver_links.split(), fast_links.split()):
            assert link in {TLP, TUNED, *own}, (number, links)
            links_seen.add(link)
        seen.add(ours)
        for name in ("saver", "fast"):
            # 5 or 6: another one came before all of it, or a part, was proven.
            status, (meant, states) = (
                guest.status(f"{name}.{number}"),
                guest.told(f"{name}.{number}"),
            )
            assert status == meant and status in {0, 5, 6}, (number, name, states)
    print(f"Linux {guest.release}: links in the end: {sorted(links_seen)}")
    assert seen == {saver, fast} and len(links_seen) > 2, "that was no race"


def test_check_says_whose_it_is(guest: vm.Guest) -> None:
    saver, links = guest.read("values.saver").splitlines()
    others = 0
    for number in range(N):
        now = guest.read(f"values.{number}").splitlines()
        status = guest.status(f"check.{number}")
        assert status == (0 if now == [saver, links] else 5), (number, now)
        if now[1] == links:
            continue
        words = guest.err(f"check.{number}")
        ours = zip(now[1].split(), links.split())
        differing = {link for link, own in ours if link != own}
        for name, policy, where in (
            ("tlp", TLP, f"/etc/tlp.d/10-links.conf:1: SATA_LINKPWR_ON_AC={TLP}"),
            ("tuned", TUNED, f"/etc/tuned/mine/tuned.conf:2: alpm={TUNED}"),
        ):
            does = "sets the same,"
            if policy in differing:
                does = f"asks for {policy}, which is there now,"
                others += 1
            assert f"{name} {does} and may undo this: {where}" in words, (number, words)
    assert others
