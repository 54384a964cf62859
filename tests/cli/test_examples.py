# SPDX-License-Identifier: MIT
"""Every example in the man pages of the command and in the README is run; and
examples/quickstart, on machines with drives and without: nothing is built."""

from __future__ import annotations

import pathlib
import re
import subprocess
from collections.abc import Callable

import documented
import machines
import measured_run
import pytest
import recordings
import surveys
import suspends
from command import COMMAND, TOP, Command

ESCAPES = {r"\e": "\\", r"\-": "-", r"\&": "", r"\(aq": "'", r"\(dq": '"'}


def unescape(line: str) -> str:
    return re.sub(
        r"\\(?:\(..|.)", lambda found: ESCAPES.get(found[0], found[0]), line
    )


def man_blocks(page: pathlib.Path) -> list[list[str]]:
    """The literal blocks of a page's EXAMPLES."""
    text = page.read_text().split(".Sh EXAMPLES\n")[1]
    blocks = re.findall(r"\.Bd -literal.*?\n(.*?)\.Ed\n", text, re.S)
    return [[unescape(line) for line in block.splitlines()] for block in blocks]


def readme_blocks(page: pathlib.Path) -> list[list[str]]:
    blocks = re.findall(r"```console\n(.*?)```\n", page.read_text(), re.S)
    return [block.splitlines() for block in blocks]


def sessions(blocks: list[list[str]]) -> list[tuple[str, str]]:
    """Pairs of a command and what it prints; "> " continues a command."""
    pairs: list[tuple[str, list[str]]] = []
    for line in (line for block in blocks for line in block):
        if line.startswith("$ "):
            pairs.append((line[2:], []))
        elif line.startswith("> ") and not pairs[-1][1]:
            pairs[-1] = (f"{pairs[-1][0]}\n{line[2:]}", [])
        else:
            pairs[-1][1].append(line)
    return [(call, "".join(f"{line}\n" for line in out)) for call, out in pairs]


def escape(line: str) -> str:
    line = line.replace("\\", r"\e")
    return rf"\&{line}" if line.startswith((".", "'")) else line


def rewrite(page: pathlib.Path, call: str, expected: str, printed: str) -> None:
    """Put what a command prints in the place of what the page says."""
    roff = page.suffix != ".md"
    lines = page.read_text().splitlines()
    plain = [unescape(line) for line in lines] if roff else lines
    session = ["$ " + call.replace("\n", "\n> "), *expected.splitlines()]
    session[:1] = session[0].splitlines()
    at = next(i for i in range(len(lines)) if plain[i : i + len(session)] == session)
    said = {unescape(line) if roff else line: line for line in lines}
    for_page = [
        said.get(line, escape(line) if roff else line) for line in printed.splitlines()
    ]
    begin = at + len(session) - len(expected.splitlines())
    lines[begin : at + len(session)] = for_page
    page.write_text("\n".join(lines) + "\n")


def assert_printed(
    ssdpm: Command, page: pathlib.Path, blocks: list[list[str]], update: bool
) -> None:
    pairs = sessions(blocks)
    assert pairs, "no example"
    for call, expected in pairs:
        result = ssdpm.shell(call)
        assert result.returncode == 0, call
        # In a terminal, what is said comes before what is printed.
        printed = result.stderr + result.stdout
        if update and printed != expected:
            rewrite(page, call, expected, printed)
        else:
            assert printed == expected, call


LIVE = ["status", "list", "show", "lpm", "plan", "apply", "check", "revert", "capture"]
COMMANDS = LIVE + ["apst", "workload", "estimate", "compare", "recommend", "measure"]
COMMANDS += ["budget", "consistency", "tune", "watch", "suspend", "bisect"]
# Words after a command that have options of their own, on the page of the command.
ACTIONS = {"measure": ["calibrate", "check", "state"]}
# Samples of power: some noise.
POWER = "printf '%s\\n' time_s,power_w; for t in $(seq 60); do echo $t,2.0$((t % 7)); done"
POWER = f"{{ {POWER}; }}"
# Captures that the examples have.
CAPTURES = {
    "laptop": "laptop", "desktop": "desktop-6.1", "server": "server",
    "apst-empty": "apst-empty",
}  # fmt: skip
PAGES = [*sorted((TOP / "man").glob("*.[157]")), documented.PAGE]
# Its examples need a bus: test_service.py.
PAGES.remove(TOP / "man/ssdpm-dbus.5")


@pytest.fixture
def captures(ssdpm: Command) -> None:
    for name, machine in CAPTURES.items():
        machines.write(machine, ssdpm.directory / name)
    suspends.write("team", ssdpm.directory / "suspended")
    measured_run.write(ssdpm.directory)
    recordings.write(ssdpm.directory)


@pytest.mark.usefixtures("captures")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_man_page_print_what_it_says(
    page: pathlib.Path, ssdpm: Command, update_golden: bool
) -> None:
    assert_printed(ssdpm, page, man_blocks(page), update_golden)


@pytest.mark.usefixtures("captures")
def test_the_sessions_of_the_readme_print_what_it_says(
    ssdpm: Command, update_golden: bool
) -> None:
    page = TOP / "README.md"
    assert_printed(ssdpm, page, readme_blocks(page), update_golden)


def test_the_readme_says_how_to_make_the_capture_that_it_shows(ssdpm: Command) -> None:
    text = (TOP / "README.md").read_text()
    (call,) = re.findall(r"^    (tests/captures/machines\.py .*)$", text, re.M)
    made = ssdpm.run(TOP / call.split()[0], *call.split()[1:])
    assert made.returncode == 0, made.stderr
    for words in ("status --root desktop", "tune --root desktop --dry-run"):
        assert f"$ ssdpm {words}\n" in text
        assert ssdpm(*words.split()).stdout.decode() in text



@pytest.mark.usefixtures("captures")
def test_the_examples_in_help_work(ssdpm: Command) -> None:
    ssdpm.write("mine.csv", surveys.survey())
    ssdpm.write("yours.csv", surveys.survey(seed=3, drive="Other SSD, FW 1.0"))
    for name in ("a_iops.log", "b_iops.log"):
        ssdpm.write(name, "".join(f"{s}000, {90000 // s}, 1, 0\n" for s in range(1, 1500)))
    made = ssdpm.shell(
        "mkdir made; ssdpm workload --to csv --n-ios 9 lomax > made/trace.csv; "
        f"{POWER} > made/power.csv"
    )
    assert (made.returncode, made.stderr) == (0, "")
    actions = [f"{command} {word}" for command in ACTIONS for word in ACTIONS[command]]
    for subcommand in COMMANDS + actions:
        text = ssdpm.output(*subcommand.split(), "--help")
        text = text.split("Examples:\n")[1].split("\n\n")[0]
        examples = text.replace("\\\n", "").splitlines()
        assert examples
        for call in examples:
            # These need a kernel.
            if re.match(r" *ssdpm (watch --(for|prometheus)|bisect run) ", call):
                continue
            if "/dev/" in call:  # needs a drive
                call = call.replace(
                    "nvme id-ctrl --raw-binary /dev/nvme0", "cat drive.bin"
                )
            lives = subcommand in [*LIVE, "tune", "suspend"]
            if subcommand == "bisect":  # the next call goes on with its search
                call += " --root desktop"
            if lives and not re.search("--all|--catalogue", call):  # whatever it has
                call = re.sub(r"\bssdpm \w+", r"\g<0> --root desktop", call)
            if "measure state nvme0" in call:
                call += " --root laptop"
            if "--meter" in call:  # and not for as long
                call = f"{call} --root laptop --for 100ms --interval 50ms"
            if "survey --dry-run" in call or "survey --save" in call:
                call = (
                    f"{call} --root laptop --quiet --yes --blocks 1 --settle 20ms "
                    "--interval 10ms --duration 50ms"
                )
            result = ssdpm.shell(
                f"set -o pipefail; cp drive.json d; cp made/* .; {call}"
            )
            assert result.returncode == 0, call
            notes = ("quirk", "catalogue has", "may undo this", "apply --keep was told")
            notes = (*notes, "page: ")
            for line in result.stderr.splitlines():
                assert any(note in line for note in notes), call


def test_every_option_is_in_help_and_in_the_man_page(ssdpm: Command) -> None:
    common = (TOP / "man/ssdpm.1").read_text()
    for subcommand in COMMANDS:
        page = common + (TOP / f"man/ssdpm-{subcommand}.1").read_text()
        documented = set(re.findall(r"Fl Fl ([a-z0-9-]+)", page))
        text = ssdpm.output(subcommand, "--help-all")
        for word in ACTIONS.get(subcommand, []):
            text += ssdpm.output(subcommand, word, "--help-all")
        helped = set(re.findall(r"^  (?:-., |    )--([a-z0-9-]+)", text, re.M))
        assert helped <= documented
        own = (TOP / f"man/ssdpm-{subcommand}.1").read_text()
        assert set(re.findall(r"Fl Fl ([a-z0-9-]+)", own)) <= helped


Make = Callable[[str], pathlib.Path]
Quickstart = Callable[[pathlib.Path], str]


@pytest.fixture
def quickstart(tmp_path: pathlib.Path, ssdpm: Command) -> Quickstart:
    """Run the script in a tree where all is installed and built already."""
    tree = tmp_path / "tree"
    (tree / "examples").mkdir(parents=True)
    (tree / "examples/quickstart").write_bytes((TOP / "examples/quickstart").read_bytes())
    (tree / "examples/quickstart").chmod(0o755)
    (tree / "examples/packages.sh").write_text("need_packages() { :; }\n")
    (tree / "examples/drives").symlink_to(TOP / "examples/drives")
    (tree / "build/examples/ssdpm").mkdir(parents=True)
    (tree / "build/examples/ssdpm/ssdpm").symlink_to(COMMAND)
    (tree / "build/build.ninja").touch()
    (ssdpm.directory / "bin/ninja").symlink_to("/bin/true")

    def run(capture: pathlib.Path) -> str:
        # Relative, as a person gives it.
        script = tree / "examples/quickstart"
        result = ssdpm.run(script, capture.name, cwd=capture.parent)
        assert result.returncode == 0, result.stderr
        # The main job is done, whatever the machine has.
        assert "WDC PC SN530: mean power (nominal)" in result.stdout
        assert (tree / "build/quickstart/sn530.html").exists()
        return result.stdout

    return run


def test_a_machine_with_drives_is_shown_with_its_diagnosis(
    quickstart: Quickstart, desktop: pathlib.Path, ssdpm: Command
) -> None:
    output = quickstart(desktop)
    ssdpm.wide = False
    assert ssdpm.output("list", "--root", str(desktop)) in output
    shown = ssdpm.output("show", "--root", str(desktop))
    assert "! LPM is off" in shown and shown in output
    assert "apst --explain" not in output


def test_without_drives_it_is_a_drive_of_the_examples(
    quickstart: Quickstart, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "bare/sys").mkdir(parents=True)
    output = quickstart(tmp_path / "bare")
    assert "$ ssdpm apst --explain examples/drives/wd-blue-sn550.json\n" in output
    assert "PS3  used" in output and "ssdpm list" not in output


def test_a_drive_that_cannot_be_read_does_not_stop_it(
    quickstart: Quickstart, machine: Make
) -> None:
    output = quickstart(machine("hostile"))
    assert "$ ssdpm list" in output and "$ ssdpm show" in output


HIDE = ["unshare", "--mount", "sh", "-c"]


@pytest.mark.parametrize(
    ("machine_without", "lacking"),
    [
        (
            [*HIDE, 'mount -t tmpfs none /sys && exec "$@"', "sh"],
            "no /sys: try: mount -t sysfs sysfs /sys",
        ),
        (
            [*HIDE, 'mount -t tmpfs none /dev && exec "$@"', "sh"],
            "no loop devices: try: modprobe loop, or a container with --privileged",
        ),
        (
            ["setpriv", "--bounding-set=-sys_admin"],
            "no right to mount: try: a container with --privileged",
        ),
    ],
)
def test_tests_run_says_what_the_machine_lacks_before_it_begins(
    machine_without: list[str], lacking: str
) -> None:
    result = subprocess.run(
        [*machine_without, TOP / "tests/run"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (result.returncode, result.stdout) == (1, "")
    assert f"tests/run: {lacking}\n" in result.stderr
