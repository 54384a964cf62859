# SPDX-License-Identifier: MIT
"""ssdpm tune on real kernels: what it shows is what it sets, what it sets is in the
drives, and revert goes back. Killed at 50 random moments, and one command later all
is as it was before, or as it was planned."""

from __future__ import annotations

import pathlib
import random
import re
from typing import Any

import drives
import machine
import vm

N_KILLS = 50
# A trial of the NVMe drive, which decides what nothing else here does.
TRIAL = "--measured /tmp/trials"
# APST off needs no trial: what the drive would save asleep is decided.
FROM_OFF = r"""
echo 0 >$limit
values >/result/values.off
table off
run woken ssdpm tune --yes
values >/result/values.woken
table woken
run off_again ssdpm revert
values >/result/values.off_again
table off_again
"""
COMMANDS = {
    "tune": f"ssdpm tune --yes {TRIAL}",
    "revert": "ssdpm revert",
    "keep": f"ssdpm tune --yes --keep {TRIAL}",
    "forget": "ssdpm revert --forget",
}

# A drive of the catalogue that may not sleep, whose saving is not decided here because
# the link of an emulated slot has no states, and two disks whose links are always on.
SERIALS = ["KNOWN", "HIPM", "DIPM"]
TRACE = [
    *("-trace", "ide_exec_cmd", "-trace", "pci_nvme_admin_cmd"),
    *("-trace", "pci_nvme_io_cmd", "-D", "{dir}/trace"),
]

SCRIPT = r"""
known=$(basename $(controller KNOWN))
limit=$(readlink -f $(controller KNOWN))/power/pm_qos_latency_tolerance_us
echo 100000 >$limit
echo $limit >/tmp/files
for n in 0 1; do
	policy=/sys/class/scsi_host/host$n/link_power_management_policy
	echo max_performance >$policy
	readlink -f $policy >>/tmp/files
done
until_true ports_running
ls -d /sys/module/nvme_core/parameters/apst_* >>/tmp/files

# A cache flush, which ssdpm never sends, parts what is sent.
mark() {
	dd if=/dev/zero of=/dev/sda bs=4096 count=1 conv=fsync 2>/dev/null
}
values() {
	while read -r f; do
		read -r value <$f
		echo $f $value
	done </tmp/files
	for n in 0 1; do
		read -r bits </sys/class/scsi_host/host$n/ahci_port_cmd
		echo host$n $((0x$bits >> 26 & 3))
	done
	echo kept $(cat /etc/ssdpm.conf.d/* 2>/dev/null | md5sum)
}
# look NAME: what is there, and what check and the journal say of it
look() {
	[ ! -e /run/ssdpm/journal ] || touch /result/journal.$1
	values >/result/values.$1
	run check.$1 ssdpm check --json
}
# table NAME: what the drive itself has
table() {
	run table.$1 nvme get-feature /dev/$known --feature-id=0x0c
}
# whole NAME COMMAND...
whole() {
	name=$1
	run "$@"
	look $name
}

look first
table first
mark
run screen ssdpm
mark
run dry ssdpm tune --dry-run
run dry_json ssdpm tune --dry-run --json
# No meter of a guest sees a drive: what a trial may have found on a laptop.
facts=/sys/class/nvme/$known
{
	echo "# ssdpm trials 1"
	printf "product\tfirmware\tpower_source\tbefore\tafter\tdecision\tsaving_uw\t"
	printf "low_uw\thigh_uw\tresolvable_uw\tpairs\tseconds\tmeter\n"
	for source in ac battery; do
		printf "%s\t%s\t$source\t100000\t" "$(sed 's/ *$//' $facts/model)" \
			"$(sed 's/ *$//' $facts/firmware_rev)"
		printf "%s\tsaves\t" \
			$(ssdpm tune -n --value setting_max_exit_latency_us $known)
		printf "150000\t90000\t210000\t60000\t12\t900\tBAT0\n"
	done
} >/tmp/trials
run tried ssdpm tune --dry-run {trial} --json
mark
values >/result/values.dry
whole tune {tune}
table tune
run proven ssdpm check --identify
run again ssdpm tune --yes {trial}
whole revert {revert}
table revert
whole keep {keep}
whole forget {forget}

now_us() {
	read -r up _ </proc/uptime
	echo ${up%.*}${up#*.}0000
}
# Until it writes, or has ended.
wait_for_journal() {
	while [ ! -e /run/ssdpm/journal ] && [ -e /proc/$pid/exe ]; do :; done
}
# measure KEY COMMAND...: KEY is how long it takes, and KEY_writes from its journal on
measure() {
	key=$1 begin=$(now_us)
	shift
	"$@" >/dev/null 2>&1 &
	pid=$!
	wait_for_journal
	journal=$(now_us)
	wait $pid
	end=$(now_us)
	eval "$key=$((end - begin)) ${key}_writes=$((end - journal))"
	echo "$key $((end - begin)) us, $((end - journal)) from its journal on" >>/result/lengths
}
measure tune {tune}
measure revert {revert}
measure keep {keep}
measure forget {forget}

# killed NAME THOUSANDTHS LENGTH COMMAND...: at this part of it; LENGTH is a name
killed() {
	name=$1 part=$2 length=$3
	shift 3
	"$@" >/dev/null 2>&1 &
	pid=$!
	[ $length = ${length%_writes} ] || wait_for_journal
	eval us=\$$length
	usleep $((us / 1000 * part))
	kill -9 $pid 2>/dev/null
	wait $pid
	status=$?
	echo $status >/result/killed.$name
	# Another time it takes less or more.
	[ $status = 137 ] && us=$((us + us / 64)) || us=$((us - us / 4))
	eval $length=$us
	look $name
}
"""


def story() -> list[tuple[str, bool]]:
    """Commands, in order, and whether they are killed. After one that was killed the
    other one, or the same again, has to find its way."""
    steps = []
    for i in range(N_KILLS // 2):
        there, back = ("keep", "forget") if i % 3 == 2 else ("tune", "revert")
        steps += [(there, True)]
        steps += [(back, False)] * (i % 2) + [(there, False)]
        steps += [(back, True)]
        steps += [(there, False)] * (i // 2 % 2) + [(back, False)]
    return steps


STORY = story()


def boot(release: str) -> vm.Guest:
    chance = random.Random(release)
    script = SCRIPT
    for name, command in {"trial": TRIAL, **COMMANDS}.items():
        script = script.replace(f"{{{name}}}", command)
    n_killed = 0
    for number, (name, is_killed) in enumerate(STORY):
        if is_killed:
            # Two of four at any moment, two while it writes.
            length = name + "_writes" * (n_killed // 2 % 2)
            part = chance.randrange(1050)
            script += f"killed {number} {part} {length} {COMMANDS[name]}\n"
            n_killed += 1
        else:
            script += f"whole {number} {COMMANDS[name]}\n"
    script += FROM_OFF
    return machine.boot(
        "tune",
        release,
        script,
        SERIALS,
        more_qemu=TRACE,
        named={pathlib.Path("/usr/sbin/nvme"): "bin/nvme"},
        limit=1800,
    )


def sent(guest: vm.Guest) -> list[list[str]]:
    """The commands in each part of the script, but for the writes of the marks and
    what Linux reads after those."""
    parts: list[list[str]] = [[]]
    for line in guest.log("trace").splitlines():
        ata = re.search(r"ide_exec_cmd .* cmd 0x(\w+)", line)
        if ata and int(ata[1], 16) in (0xE7, 0xEA):
            parts.append([])
        elif ata and int(ata[1], 16) not in (0x25, 0x35, 0x60, 0x61, 0xC8, 0xCA):
            parts[-1].append(f"ATA {ata[1]}")
        elif "pci_nvme_" in line:
            parts[-1].append(line.partition("pci_nvme_")[2])
    return parts


def values(guest: vm.Guest, name: str | int) -> dict[str, str]:
    lines = guest.read(f"values.{name}").splitlines()
    return {file: value for file, value, *_ in map(str.split, lines)}


def in_drive(guest: vm.Guest, name: str) -> tuple[bool, str]:
    """Whether APST is on, and the table, as nvme-cli prints them."""
    text = guest.ok(f"table.{name}")
    on = re.search(r"Current value:(?:0x)?(\w+)", text)
    rows = re.findall(r"^[0-9a-f]{4}: ((?:[0-9a-f]{2} )+)", text, re.M)
    assert on and rows, text
    return int(on[1], 16) & 1 == 1, "".join(rows).replace(" ", "")


def predicted(guest: vm.Guest, limit_us: str) -> tuple[bool, str]:
    """The same, as Linux builds it for this limit."""
    dump = str(guest.directory / "KNOWN.bin")
    answer = drives.ssdpm("apst", "--json", "--max-exit-latency", f"{limit_us}us", dump)
    return answer["enabled"], answer["raw"]


def limit(guest: vm.Guest, name: str) -> str:
    [value] = [v for f, v in values(guest, name).items() if "latency_tolerance" in f]
    return value


def policies(guest: vm.Guest, name: str) -> list[str]:
    return [v for f, v in values(guest, name).items() if "link_power" in f]


def has_journal(guest: vm.Guest, name: str) -> bool:
    return (guest.result / f"journal.{name}").exists()


def names(prefix: str) -> list[str]:
    """Of what was looked at when a command had ended, or was killed."""
    numbers = [str(number) for number, _ in enumerate(STORY)]
    return [f"{prefix}.{name}" for name in ("first", *COMMANDS, *numbers)]


def test_all_ran_to_its_end(guest: vm.Guest) -> None:
    # The shell names what has died.
    assert set(guest.read("test.err").splitlines()) == {"Killed"}
    print(f"Linux {guest.release}:\n{guest.read('lengths')}")


def test_the_first_screen_and_a_dry_run_send_no_command_to_a_drive(
    guest: vm.Guest,
) -> None:
    boot_, screen, dry, *_ = sent(guest)
    assert any("NVME_ADM_CMD_IDENTIFY" in line for line in boot_)
    assert "ata ec" in [line.lower() for line in boot_]
    assert (screen, dry) == ([], [])
    assert values(guest, "dry") == values(guest, "first")
    assert "Next: ssdpm tune" in guest.ok("screen")


def test_a_dry_run_shows_what_it_would_set_and_why_not_the_rest(guest: vm.Guest) -> None:
    rows = guest.json("dry_json")
    assert len(rows) == len(SERIALS)
    by_advice = {row["product"]: row["advice"] for row in rows}
    assert by_advice == {
        machine.CATALOGUED: "keep",
        "QEMU HARDDISK": "set",
    }
    text = guest.ok("dry")
    assert re.match(r"Change 2 of 3 drives: (probably )?saves \d", text)
    assert "Left as they are:\n  nvme0: latency limit " in text and ": not decided, " in text


def test_a_trial_decides_what_nothing_else_does(guest: vm.Guest) -> None:
    assert {row["advice"] for row in guest.json("tried")} == {"set"}
    [trial] = [row["trial"] for row in guest.json("tried") if row["trial"]]
    assert (trial["decision"], trial["saving_uw"]) == ("saves", 150000)


def test_it_sets_what_the_dry_run_showed(guest: vm.Guest) -> None:
    assert "Done, and in force until the next boot: 3 settings.\n" in guest.ok("tune")
    settings = [row["setting"] for row in guest.json("tried")]
    [limit_us] = [s["max_exit_latency_us"] for s in settings if not s["lpm"]]
    assert limit(guest, "first") == "100000" != limit(guest, "tune") == str(limit_us)
    links = [s["lpm"] for s in settings if s["lpm"]]
    assert links == policies(guest, "tune") != policies(guest, "first")
    changed = values(guest, "tune").items() - values(guest, "first").items()
    # The host asks for the states of the disk that takes that from it.
    assert ("host0", "1") in changed and len(changed) == 4


def test_the_drive_has_the_table_of_the_limit(guest: vm.Guest) -> None:
    assert in_drive(guest, "first") == predicted(guest, "100000")
    assert in_drive(guest, "tune") == predicted(guest, limit(guest, "tune"))
    assert in_drive(guest, "tune") != in_drive(guest, "first")


def test_check_finds_it_in_force_and_nothing_is_left_to_tune(guest: vm.Guest) -> None:
    assert guest.status("check.tune") == 0
    assert len(guest.json("check.tune")["steps"]) == 3
    assert guest.ok("proven") == "in force\n"
    assert guest.ok("again").startswith("Nothing to change")


def test_revert_goes_back_to_exactly_what_was_there(guest: vm.Guest) -> None:
    guest.ok("revert")
    assert values(guest, "revert") == values(guest, "first")
    assert in_drive(guest, "revert") == in_drive(guest, "first")
    assert guest.status("check.revert") == 0
    assert guest.json("check.revert")["steps"] == []


def test_killed_at_any_moment_the_next_command_does_all_of_it(guest: vm.Guest) -> None:
    ends = {command: values(guest, command) for command in COMMANDS}
    assert ends["forget"] == ends["revert"] == values(guest, "first")
    assert ends["keep"].pop("kept") != ends["tune"]["kept"]
    assert ends["keep"].items() < ends["tune"].items()
    ends["keep"] = values(guest, "keep")
    for number, (command, is_killed) in enumerate(STORY):
        if not is_killed:
            guest.ok(str(number))
            assert values(guest, number) == ends[command], (number, command)


def test_without_a_journal_each_drive_is_as_before_or_as_planned(guest: vm.Guest) -> None:
    before, planned = values(guest, "first"), values(guest, "tune")
    for number, (command, _) in enumerate(STORY):
        if not has_journal(guest, str(number)):
            now = values(guest, number)
            for file in now.keys() - {"kept"}:
                assert now[file] in (before[file], planned[file]), (number, command, file)


def test_check_never_says_what_is_not_so(guest: vm.Guest) -> None:
    for result in names("check"):
        name = result.partition(".")[2]
        found, now = vm.listed(guest.out(result)), values(guest, name)
        for step in found["steps"]:
            assert now[step["target"]] == step["before"], (name, step)
            in_force = step["before"] == step["after"]
            assert in_force == (step["state"] == "in-force"), (name, step)
        assert (found["journal"] is not None) == has_journal(guest, name)
        all_of_it = all(step["state"] == "in-force" for step in found["steps"])
        assert found["in_force"] == (all_of_it and not has_journal(guest, name)), name
        assert guest.status(result) == (0 if found["in_force"] else 5), name


def test_the_kills_came_in_the_middle_too(guest: vm.Guest) -> None:
    killed = [(n, command) for n, (command, is_killed) in enumerate(STORY) if is_killed]
    assert len(killed) == N_KILLS
    died = [n for n, _ in killed if guest.read(f"killed.{n}").strip() == "137"]
    assert len(died) > N_KILLS / 2
    for names_ in ({"tune", "keep"}, {"revert", "forget"}):
        midway = [n for n, c in killed if c in names_ and has_journal(guest, str(n))]
        assert len(midway) >= N_KILLS / 20, (names_, midway)


def test_apst_that_was_off_is_on_after_it_and_off_after_revert(guest: vm.Guest) -> None:
    assert not in_drive(guest, "off")[0] and limit(guest, "off") == "0"
    assert "Done, and in force until the next boot: 3 settings.\n" in guest.ok("woken")
    is_on, table = in_drive(guest, "woken")
    assert is_on and (is_on, table) == predicted(guest, limit(guest, "woken"))
    guest.ok("off_again")
    assert values(guest, "off_again") == values(guest, "off")
    assert in_drive(guest, "off_again") == in_drive(guest, "off")
