# SPDX-License-Identifier: MIT
"""Completions, as the shells themselves make them out of what we install."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import shlex
import shutil
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable

import machines
import pytest
from command import BUILD, Command

MADE = BUILD / "examples/ssdpm/completions"
FILES = {"bash": MADE / "ssdpm", "zsh": MADE / "_ssdpm", "fish": MADE / "ssdpm.fish"}
SHELLS = pytest.mark.parametrize("shell", FILES)

START = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
}
SETUP = {
    "bash": f"source {FILES['bash']}",
    # -u and -D: whoever owns the directories, and no dump of them.
    "zsh": f"fpath=({MADE} $fpath); autoload -U compinit; compinit -u -D",
}


def subcommands(ssdpm: Command) -> list[str]:
    text = ssdpm.output("--help").split("Commands:\n")[1].split("\n\n")[0]
    return re.findall(r"^  (\w+)", text, re.M)


def options(ssdpm: Command, subcommand: str) -> dict[str, str]:
    """Long options, each with its argument as --help-all shows it."""
    text = ssdpm.output(*subcommand.split(), "--help-all").partition("\n\n")[2]
    text = re.sub(r"\[=[A-Z]+\]", "", text)  # may be left out
    text = re.sub(r"\n +\|", "|", text)  # too many words for a line
    found = re.findall(r"^  (?:-., |    )--([a-z0-9-]+)(?: (\S+))?(?=  |\n)", text, re.M)
    assert found
    return dict(found)


def closed_sets(ssdpm: Command) -> list[tuple[str, str, list[str]]]:
    """(subcommand, option, words) where an argument is one of some words."""
    result = []
    for subcommand in subcommands(ssdpm):
        for option, argument in options(ssdpm, subcommand).items():
            words = [w for w in argument.split("|") if w and not w[0].isupper()]
            if words:
                result.append((subcommand, option, words))
    assert result
    return result


def in_bash(ssdpm: Command, line: str) -> list[str]:
    """What bash's function replies; line is split as readline splits it."""
    words = re.findall(r"=|[^\s=]+", line)
    if line.endswith(" "):
        words.append("")
    result = ssdpm.shell(
        f"source {FILES['bash']}; COMP_WORDS=({shlex.join(words)}); "
        f"COMP_CWORD={len(words) - 1}; _ssdpm; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    assert (result.returncode, result.stderr) == (0, ""), line
    return [word for word in result.stdout.splitlines() if word]


def in_fish(ssdpm: Command, line: str) -> list[str]:
    """What fish offers, without descriptions."""
    result = subprocess.run(
        ["fish", "--no-config", "-c", f"source {FILES['fish']}; complete -C $argv[1]"]
        + [line],
        cwd=ssdpm.directory,
        env={**ssdpm.environment, "HOME": str(ssdpm.directory)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert result.stderr == ""
    return [word.split("\t")[0] for word in result.stdout.splitlines()]


Complete = Callable[[Command, str], "list[str]"]
BOTH = pytest.mark.parametrize("complete", [in_bash, in_fish])


class Terminal:
    """An interactive shell: keys go in, what the screen shows comes out."""

    def __init__(self, ssdpm: Command, shell: str) -> None:
        pid, self.fd = pty.fork()
        if pid == 0:
            os.chdir(ssdpm.directory)
            os.environ.update(ssdpm.environment, TERM="dumb", PS1="> ", LC_ALL="C")
            os.environ["INPUTRC"] = os.devnull
            os.environ["HOME"] = str(ssdpm.directory)
            os.execvp(START[shell][0], START[shell])
        self.pid = pid
        # Rows and columns enough for any list without a pager.
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("4H", 200, 200, 0, 0))
        self.send(f"{SETUP[shell]}; echo rea''dy\n")
        self.wait_for("ready")

    def send(self, keys: str) -> None:
        os.write(self.fd, keys.encode())

    def wait_for(self, pattern: str) -> str:
        """The screen's text once the pattern is on it."""
        seen = ""
        end = time.monotonic() + 30
        while not re.search(pattern, seen):
            assert time.monotonic() < end, f"no {pattern!r} in {seen!r}"
            if select.select([self.fd], [], [], 1)[0]:
                keys = os.read(self.fd, 65536).decode(errors="replace")
                seen += keys.replace("\a", "")
        return seen

    def close(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def completed(ssdpm: Command, shell: str, typed: str, pattern: str) -> str:
    """Type and press the tabulator until the pattern shows."""
    terminal = Terminal(ssdpm, shell)
    try:
        terminal.send(typed + "\t")
        return terminal.wait_for(pattern)
    finally:
        terminal.close()


@SHELLS
def test_what_is_installed_is_what_the_command_prints(
    ssdpm: Command, shell: str
) -> None:
    assert ssdpm.output("--completion", shell) == FILES[shell].read_text()


def test_other_shells_are_a_usage_error(ssdpm: Command) -> None:
    for words in (["--completion"], ["--completion", "tcsh"]):
        assert "bash, zsh or fish" in ssdpm.fails(2, *words)


@SHELLS
def test_the_shell_takes_the_file_without_a_word(shell: str) -> None:
    done = subprocess.run([shell, "-n", FILES[shell]], capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@BOTH
def test_every_subcommand_and_every_option_is_offered(
    ssdpm: Command, complete: Complete
) -> None:
    names = subcommands(ssdpm)
    assert set(names) <= set(complete(ssdpm, "ssdpm "))
    for name in names:
        assert complete(ssdpm, f"ssdpm {name[:3]}")[0].startswith(name[:3])
        wanted = {f"--{option}" for option in options(ssdpm, name)}
        found = set(complete(ssdpm, f"ssdpm {name} --"))
        assert {word.rstrip("=") for word in found} == wanted


@BOTH
def test_every_word_of_a_closed_set_is_offered(
    ssdpm: Command, complete: Complete
) -> None:
    for subcommand, option, words in closed_sets(ssdpm):
        offered = complete(ssdpm, f"ssdpm {subcommand} --{option} ")
        assert sorted(offered) == sorted(words)
        line = f"ssdpm {subcommand} --{option}={words[0][:-1]}"
        offered = [w.split("=")[-1] for w in complete(ssdpm, line)]
        assert words[0] in offered


def test_every_word_that_is_offered_is_taken(ssdpm: Command) -> None:
    for subcommand, option, words in closed_sets(ssdpm):
        for word in words:
            result = ssdpm(subcommand, f"--{option}", word, "drive.json")
            assert f"--{option} {word}:".encode() not in result.stderr
        if option != "profile":  # a person may call one anything
            result = ssdpm(subcommand, f"--{option}", "x-x", "drive.json")
            assert b"--" in result.stderr


def test_bash_offers_no_options_after_two_dashes_nor_words_for_a_time(
    ssdpm: Command,
) -> None:
    assert in_bash(ssdpm, "ssdpm apst -- --") == []
    assert in_bash(ssdpm, "ssdpm apst --primary-timeout ") == []
    assert in_bash(ssdpm, "ssdpm --completion ") == ["bash", "zsh", "fish"]


@BOTH
def test_help_offers_the_commands(ssdpm: Command, complete: Complete) -> None:
    assert "help" in complete(ssdpm, "ssdpm he")
    assert set(subcommands(ssdpm)) == set(complete(ssdpm, "ssdpm help "))


@BOTH
def test_workloads_are_offered_where_a_trace_belongs(
    ssdpm: Command, complete: Complete
) -> None:
    ssdpm.write("lom.csv", "")
    for line in ("estimate -t lom", "budget --workload lom", "workload lom"):
        assert {"lomax", "lom.csv"} <= set(complete(ssdpm, f"ssdpm {line}")), line
    assert "lomax" not in complete(ssdpm, "ssdpm show lom")


@BOTH
def test_names_of_the_catalogue_are_offered_where_a_drive_belongs(
    ssdpm: Command, complete: Complete
) -> None:
    known = {drive["product"] for drive in ssdpm.json("list", "--catalogue")}
    wanted = {name for name in known if name.startswith("CT1000P")}
    assert wanted
    for command in ("show", "estimate -q", "measure check"):
        found = complete(ssdpm, f"ssdpm {command} CT1000P")
        assert set(found) == wanted, command
    assert complete(ssdpm, "ssdpm apply CT1000P") == []
    assert len(complete(ssdpm, "ssdpm show ")) < 100


@BOTH
def test_devices_of_the_machine_are_offered_where_a_target_belongs(
    ssdpm: Command, complete: Complete
) -> None:
    # This machine may have none: another ssdpm says that there is one.
    (ssdpm.directory / "bin/ssdpm").rename(ssdpm.directory / "bin/real")
    script = '#!/bin/sh\n[ "$*" != "--completion devices" ] || echo nvme7\n'
    (ssdpm.directory / "bin/ssdpm").write_text(script)
    (ssdpm.directory / "bin/ssdpm").chmod(0o755)
    assert complete(ssdpm, "ssdpm apply nv") == ["nvme7"]
    assert "nvme7" in complete(ssdpm, "ssdpm show ")


@BOTH
@pytest.mark.parametrize(
    "line", ["show --root m/laptop nv", "--root m/laptop show nv", "apply --root=m/laptop nv"]
)
def test_devices_of_a_root_are_offered(
    ssdpm: Command, complete: Complete, line: str
) -> None:
    machines.write("laptop", ssdpm.directory / "m/laptop")
    assert complete(ssdpm, f"ssdpm {line}")[0] == "nvme0"
    shutil.rmtree(ssdpm.directory / "m")
    assert "nvme0" not in complete(ssdpm, f"ssdpm {line}")


@pytest.mark.parametrize("shell", START)
@pytest.mark.parametrize(
    "line", ["show --root 'm y/laptop' nv", "--root m\\ y/laptop show nv", "apply --root=m/laptop nv"]
)
def test_a_root_may_have_a_blank(ssdpm: Command, shell: str, line: str) -> None:
    machines.write("laptop", ssdpm.directory / "m y/laptop")
    (ssdpm.directory / "m").symlink_to("m y")
    completed(ssdpm, shell, f"ssdpm {line}", "nvme0")


def test_the_names_for_shells_are_those_that_list_prints(ssdpm: Command) -> None:
    devices = ssdpm.output("--completion", "devices").splitlines()
    assert devices == ssdpm.output("list", "-q", "--value", "name").splitlines()
    drives = ssdpm.output("--completion", "drives").splitlines()
    assert drives[: len(devices)] == devices and "WDC PC SN530" in " ".join(drives)
    workloads = ssdpm.output("--completion", "workloads").splitlines()
    assert workloads == [one["name"] for one in ssdpm.json("workload", "--list")]


ACTIONS = {
    "measure": "energy baseline background survey merge calibrate check state".split(),
    "bisect": "start run set good bad skip status report stop".split(),
}


@BOTH
@pytest.mark.parametrize("command", ACTIONS)
def test_the_actions_of_a_command_are_offered(
    ssdpm: Command, complete: Complete, command: str
) -> None:
    assert set(ACTIONS[command]) <= set(complete(ssdpm, f"ssdpm {command} "))
    assert set(ACTIONS[command]) <= set(complete(ssdpm, f"ssdpm help {command} "))


LPMS = {
    "max_performance",
    "medium_power",
    "med_power_with_dipm",
    "min_power_with_partial",
    "min_power",
}
TABLES = {"linux", "linux-legacy", "windows", "lower-envelope", "windows:balanced"}


@BOTH
@pytest.mark.parametrize(
    "line, words",
    [
        ("compare --policy ", TABLES | LPMS | {"none", "today"}),
        ("recommend --from ", TABLES | {"none"}),
        ("apst --diff ", TABLES),
        ("apst --infer ", TABLES),
        ("apst --reach ", TABLES),
        ("plan --apst ", TABLES),
        ("plan --lpm ", LPMS),
        ("lpm --set ", LPMS),
        ("measure --policy ", {"profile=balanced", "lpm=medium_power"}),
        ("revert --persist=", {"udev", "modprobe", "systemd", "tlp", "tuned", "all"}),
        ("tune -t ", {"lomax", "desktop-session"}),
        ("tune --trace lom", {"lomax"}),
        ("plan --profile ", {"auto", "performance", "balanced", "power-saver"}),
    ],
)
def test_values_of_options_are_offered(
    ssdpm: Command, complete: Complete, line: str, words: set[str]
) -> None:
    found = {w.removeprefix("--persist=") for w in complete(ssdpm, f"ssdpm {line}")}
    assert words <= found
    assert not [word for word in found if word.startswith(("[", "FILE", "KIND"))]


def test_every_value_that_is_offered_is_one_that_the_command_takes(
    ssdpm: Command,
) -> None:
    for line in ("compare --policy", "recommend --from", "apst --diff", "plan --lpm"):
        for word in in_bash(ssdpm, f"ssdpm {line} "):
            command, option = line.split()
            result = ssdpm(command, option, word, "drive.json")
            assert b"unknown --" not in result.stderr, word


@BOTH
def test_options_that_may_stand_before_a_command_are_offered_there(
    ssdpm: Command, complete: Complete
) -> None:
    wanted = {"--json", "--root", "--quiet", "--version", "--completion", "--help"}
    assert wanted <= set(complete(ssdpm, "ssdpm --"))
    assert "--yes" not in complete(ssdpm, "ssdpm --")
    for before in ("--json", "-q"):
        assert "compare" in complete(ssdpm, f"ssdpm {before} comp")
        assert "--lint" in complete(ssdpm, f"ssdpm {before} show --l")


def test_bash_finds_the_command_after_a_root(ssdpm: Command) -> None:
    for before in ("--root x", "--root=x", "-q --root x"):
        assert in_bash(ssdpm, f"ssdpm {before} comp") == ["compare"]
        assert "--lint" in in_bash(ssdpm, f"ssdpm {before} show --l")
        assert "start" in in_bash(ssdpm, f"ssdpm {before} bisect st")
        assert "--window" in in_bash(ssdpm, f"ssdpm {before} measure check --win")
    assert in_bash(ssdpm, "ssdpm revert --persist ") != ["udev"]


@pytest.mark.parametrize("shell", START)
@pytest.mark.parametrize(
    "typed, pattern",
    [
        ("ssdpm aps", "ssdpm apst "),
        ("ssdpm apst --algorithm linux-", "linux-legacy"),
        ("ssdpm apst --algorithm=linux-", "linux-legacy"),
        ("ssdpm apst -a linux-", "linux-legacy"),
        ("ssdpm apst --max-e", "--max-exit-latency"),
        ("ssdpm help estim", "ssdpm help estimate"),
        ("ssdpm apst --raw driv", "drive"),
        ("ssdpm estimate --trace loma", "lomax"),
        ("ssdpm measure surv", "survey"),
        ("ssdpm bisect repo", "report"),
        ("ssdpm -q apst --algorithm linux-", "linux-legacy"),
        ("ssdpm --jso", "--json"),
        ("ssdpm compare --policy lower", "lower-envelope"),
        ("ssdpm lpm --set med_", "med_power_with_dipm"),
        ("ssdpm revert --persist=mod", "modprobe"),
        ("ssdpm tune -t loma", "lomax"),
        ("ssdpm show KCM61RUL9", "KCM61RUL960G"),
        ("ssdpm show --json odd", r"odd\\ name\.json"),
        ("ssdpm show odd", r"odd\\ name\.json"),
    ],
)
def test_a_person_at_a_terminal_gets_the_rest_of_the_word(
    ssdpm: Command, shell: str, typed: str, pattern: str
) -> None:
    ssdpm.write("odd name.json", "{}")
    completed(ssdpm, shell, typed, pattern)


def test_zsh_offers_every_option_of_every_subcommand(ssdpm: Command) -> None:
    for name in subcommands(ssdpm):
        terminal = Terminal(ssdpm, "zsh")
        try:
            terminal.send(f"ssdpm {name} --\t\t")
            # The list is sorted: with the last one all are there.
            screen = terminal.wait_for(f"--{max(options(ssdpm, name))}")
        finally:
            terminal.close()
        for option in options(ssdpm, name):
            assert f"--{option}" in screen, option


def test_fish_offers_files_where_a_drive_belongs(ssdpm: Command) -> None:
    assert "drive.json" in in_fish(ssdpm, "ssdpm show dri")
    assert "drive.json" in in_fish(ssdpm, "ssdpm apst --raw dri")
    assert "drive.json" not in in_fish(ssdpm, "ssdpm apst --algorithm dri")


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_options_of_check_expect_what_those_of_apply_set(shell: str) -> None:
    text = FILES[shell].read_text()
    assert "Expect a profile. auto" in text and "Set a profile. auto" in text
