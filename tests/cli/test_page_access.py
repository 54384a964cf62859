# SPDX-License-Identifier: MIT
"""Pages of --html for everybody: with a keyboard, a screen reader, on a phone, on paper.

Several pages are opened at once, each in a frame of its own, and report to the page
around them: the browser starts a few times for all that is asked of them.
"""

from __future__ import annotations

import importlib.util
import json
import pathlib
import re
from collections.abc import Callable
from typing import Any

import machines
import pytest
import recordings
import surveys
from command import TOP, Command
from test_budget import KNOWN, governed
from test_page import DARK, LONG, LOOKS, MM, browse, contrast, tables
from test_show import identify

HTML = TOP / "examples/ssdpm/html"
POLICIES = ["compare", "-t", "lomax", "plain.json"]
CAPS = ["--power-cap", "none:60s,2W:60s,1W:60s,none"]
BUDGET = ["budget", *KNOWN, "3x", "governed.json", "-w"]

CALLS = {
    "compare": POLICIES,
    "several": [*POLICIES, "drive.json"],
    "sata": ["compare", "-t", "lomax", "sata"],
    "estimate": ["estimate", "-t", "lomax", "plain.json"],
    "recommend": ["recommend", "-t", "apst-1", "plain.json"],
    "nothing to recommend": ["recommend", "-t", "lomax", "plain.json"],
    "survey": ["measure", "survey", "survey.csv"],
    "no survey": ["measure", "survey", "few.csv"],
    "consistency": ["consistency", "--simulate", "--spare=7%", "--spare=25%"]
    + ["--idle-power=2.5W", "--byte-energy=2nJ"],
    "budget": [*BUDGET, "55"],
    "no budget": [*BUDGET, "29"],
    "caps": ["estimate", "-t", "lomax", *CAPS, "plain.json"],
    "mix": ["estimate", "--mix", "read=30%,write=70%", *CAPS, "plain.json"],
    "mixes": ["estimate", "--mix", "write=100%", *CAPS, "plain.json", "drive.json"],
    "tune": ["tune", "--dry-run", "--root", "desktop"],
    "watch": ["watch", "-q", "--read", "trace.txt", "--device", "259,0", "SN530"],
    "watch, many": ["watch", "-q", "--read", "many.txt", "--device", "259,0", "SN530"],
    "watch, gap": ["watch", "-q", "--read", "gap.txt", "--device", "259,0", "SN530"],
    "tune, undecided": ["tune", "--dry-run", "--root", "eight-drives"],
}

# What pages would look like of which nobody has asked anything.
EMPTIED: dict[str, tuple[str, Callable[[Any], None]]] = {
    "no estimate": ("compare", lambda data: data.update(estimates=[], decisions=[])),
    "no policy": ("compare", lambda data: data["estimates"][0].update(rows=[])),
    "no log": ("consistency", lambda data: data.update(consistency=[])),
    "no drive": ("budget", lambda data: data["budgets"][0].update(items=[])),
    "no run": (
        "survey",
        lambda data: data["survey"].update(
            policies=[], runs=[], power=[], latency=[], throughput=[]
        ),
    ),
    "no tuning": ("tune", lambda data: data.update(tuning=[], words=[])),
    "no I/O": (
        "watch",
        lambda data: (data["timelines"][0].update(n=0), data["watched"][0].update(causes=[])),
    ),
    "nothing watched": ("watch", lambda data: data.update(watched=[])),
    "no cap": ("mix", lambda data: data["caps"][0].update(points=[])),
}

# Pages in frames of one browser.
AT_ONCE = 3

NAMES = [*CALLS, "one policy", "twenty policies", *EMPTIED]

REPORT = """
<script>AXE</script>
<script>
addEventListener("load", () => setTimeout(async () => {
  const all = (of, in_ = document) => [...in_.querySelectorAll(of)];
  /* One timeline is as the others. */
  for (const one of all(MODE === "axe" ? "details:not(.others)" : "details"))
    one.open = true;
  await new Promise((done) => setTimeout(done, 200));
  if (MODE === "print")
    dispatchEvent(new Event("beforeprint"));
  const right = document.documentElement.clientWidth + 0.5;
  const scrolls = (e) => MODE !== "print" && e.closest(".scroll, pre");
  const reached = (summary) => {
    summary.focus();
    return document.activeElement === summary;
  };
  const report = {
    name: NAME,
    verdict: all("header > .verdict").map((e) => e.textContent),
    marked: all("tr.marked").map((e) =>
      [e.cells[0].textContent, e.querySelector(".mark").textContent]),
    text: document.body.innerText,
    width: document.documentElement.scrollWidth,
    wide: all("body *:not(script)").filter((e) => !scrolls(e) &&
      (e.scrollWidth > e.clientWidth + 1 && e.clientWidth ||
      e.getBoundingClientRect().right > right)).map((e) => e.outerHTML.slice(0, 200)),
    charts: all("canvas").map((canvas) => {
      const behind = document.getElementById(canvas.getAttribute("aria-details"));
      const grid = behind && behind.querySelector("table");
      return {
        label: canvas.ariaLabel,
        reached: Boolean(behind) && reached(behind.querySelector("summary")),
        heads: grid ? all("thead th", grid).map((e) => e.textContent) : [],
        rows: grid ?
          all("tbody tr", grid).map((row) => [...row.cells].map((e) => e.textContent)) : [],
        width: canvas.clientWidth, height: canvas.clientHeight,
      };
    }),
  };
  if (MODE === "axe") {
    /* axe takes long for each cell, and one row of a table is as the next. */
    for (const row of all("tbody tr:nth-child(n+3):not(.marked)"))
      row.remove();
    const {violations} = await axe.run({resultTypes: ["violations"]});
    report.violations = violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html)}`);
  }
  parent.postMessage(report, "*");
}, 300));
</script>
"""

AROUND = """<!DOCTYPE html><title>All</title>
<pre id="found"></pre>
<script>
const found = {};
addEventListener("message", ({data}) => {
  if (!data.name)
    return;
  found[data.name] = data;
  document.getElementById("found").textContent = `FOUND${JSON.stringify(found)}FOUND`;
});
</script>
"""


def axe() -> str:
    spec = importlib.util.find_spec("axe_core_python")
    assert spec and spec.origin
    return (pathlib.Path(spec.origin).parent / "axe.min.js").read_text()


def with_data(page: str, change: Callable[[Any], None]) -> str:
    begin = page.index(">", page.index('id="data"')) + 1
    end = page.index("</script>", begin)
    data = json.loads(page[begin:end])
    change(data)
    return page[:begin] + json.dumps(data).replace("<", "\\u003c") + page[end:]


class Pages:
    """All pages, and what they report: of each width and scheme once."""

    def __init__(self, ssdpm: Command) -> None:
        self.ssdpm = ssdpm
        self.found: dict[tuple[str, str], dict[str, Any]] = {}
        self.texts: dict[str, str] = {}
        self.printed: dict[str, str] = {}
        ssdpm.write("governed.json", governed("A governed drive", 25, 20, 10))
        ssdpm.write("survey.csv", surveys.survey(fio=("randread",)))
        ssdpm.write("few.csv", "policy,power_w\na,5\nb,\n" + LONG + ",1\n")
        ssdpm.write("sata", identify())
        recordings.write(ssdpm.directory)
        ssdpm.write("many.txt", recordings.crowd(14).text())
        gap = recordings.desktop()
        gap.turn_off(200, 440, 90000)
        ssdpm.write("gap.txt", gap.text())
        machines.write("desktop-6.1", ssdpm.directory / "desktop")
        machines.write("eight-drives", ssdpm.directory / "eight-drives")
        twenty = [*POLICIES, *tables(ssdpm, 20)]
        calls = {**CALLS, "one policy": [*POLICIES, "--policy", "linux"], "twenty policies": twenty}
        for name, call in calls.items():
            done = ssdpm(*call, "--html", "p.html")
            assert done.returncode == (name == "no budget"), done.stderr
            self.printed[name] = done.stdout.decode()
            self.texts[name] = (ssdpm.directory / "p.html").read_text()
        for name, (of, change) in EMPTIED.items():
            self.texts[name] = with_data(self.texts[of], change)

    def report(self, mode: str = "axe", scheme: str = "light") -> dict[str, Any]:
        key = mode, scheme
        if key not in self.found:
            names = list(self.texts)
            found: dict[str, Any] = {}
            for i in range(0, len(names), AT_ONCE):
                found |= self.open(names[i : i + AT_ONCE], *key)
            assert sorted(found) == sorted(NAMES)
            self.found[key] = found
        return self.found[key]

    def open(self, names: list[str], mode: str, scheme: str = "light") -> dict[str, Any]:
        width = 390 if mode == "phone" else 1400
        frames = AROUND
        for i, (name, text) in enumerate((name, self.texts[name]) for name in names):
            script = REPORT.replace("MODE", json.dumps(mode)).replace("NAME", json.dumps(name))
            script = script.replace("AXE", axe() if mode == "axe" else "")
            self.ssdpm.write(f"page-{i}.html", text.replace("</body>", f"{script}</body>"))
            frames += f'<iframe src="page-{i}.html" width={width} height=900></iframe>\n'
        self.ssdpm.write("all.html", frames)
        more = [DARK] if scheme == "dark" else []
        page = browse(self.ssdpm, "all.html", 1450, "--virtual-time-budget=60000", *more)
        assert page.errors == []
        found: dict[str, Any] = json.loads(page.text.split("FOUND")[1])
        return found


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    return Pages(Command(tmp_path_factory.mktemp("pages")))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation_on_any_page(pages: Pages, scheme: str) -> None:
    found = pages.report("axe", scheme)
    assert {name: of["violations"] for name, of in found.items() if of["violations"]} == {}


def test_axe_finds_what_is_wrong(pages: Pages) -> None:
    bad = '<img src="data:,"><p style="color: #999; background: #fff">pale</p></main>'
    name = "compare"
    worse = Pages.__new__(Pages)
    worse.ssdpm, worse.texts = pages.ssdpm, {name: pages.texts[name].replace("</main>", bad)}
    found = worse.open([name], "axe")[name]["violations"]
    assert {one.split(":")[0] for one in found} == {"image-alt", "color-contrast"}


def test_nothing_is_wider_than_a_phone(pages: Pages) -> None:
    found = pages.report("phone")
    assert {name: of["wide"] for name, of in found.items() if of["wide"]} == {}
    assert max(of["width"] for of in found.values()) <= 390


def test_nothing_is_cut_on_paper(pages: Pages) -> None:
    found = pages.report("print")
    assert {name: of["wide"] for name, of in found.items() if of["wide"]} == {}
    for chart in (chart for of in found.values() for chart in of["charts"]):
        assert chart["width"] <= 180 * MM + 1 and chart["height"] <= 170 * MM + 1


NOT_WRITTEN = re.compile(r"NaN|undefined|Infinity|\[object")


def test_each_chart_has_its_numbers_behind_it(pages: Pages) -> None:
    for name, of in pages.report().items():
        assert bool(of["charts"]) == (name not in EMPTIED), name
        for chart in of["charts"]:
            what = name, chart["label"]
            assert chart["reached"], what
            assert chart["rows"] and all(chart["heads"]), what
            for row in chart["rows"]:
                assert len(row) == len(chart["heads"]) and row[0], what
                assert not NOT_WRITTEN.search(" ".join(row)), what


def test_a_page_has_one_verdict_on_top_or_one_for_each_drive(pages: Pages) -> None:
    for name, of in pages.report().items():
        assert len(of["verdict"]) == (name not in ("several", "mixes", "no estimate")), name
        assert not NOT_WRITTEN.search(of["text"]), name
    several = pages.report()["several"]["text"]
    assert len(re.findall("^.*(?:against|saves) linux.*\\.$", several, re.M)) >= 2


def test_the_verdict_is_what_the_command_says(pages: Pages) -> None:
    def said(name: str) -> str:
        [verdict] = pages.report()[name]["verdict"]
        return str(verdict).removesuffix(".").lower()

    for name in ("recommend", "nothing to recommend", "survey", "budget", "no budget"):
        assert said(name) in " ".join(pages.printed[name].lower().split())
    for name in ("watch", "watch, many"):
        sentences = pages.printed[name].splitlines()[:4]
        assert said(name) == ". ".join(sentences).lower()
    for name in ("tune", "tune, undecided"):
        assert said(name) in pages.printed[name].replace("\n", " ").lower()
    [slowed] = re.findall(r"under power caps that .* take longer", pages.printed["caps"])
    assert slowed.lower() in said("caps")
    least = next(line for line in pages.printed["mix"].splitlines() if "  1 W" in line)
    assert re.search(r"\S+ \S+ \([^)]*\)", least)[0].lower() in said("mix")  # type: ignore[index]
    best = next(line for line in pages.printed["compare"].splitlines() if "lower-env" in line)
    assert re.split("  +", best.strip())[2].lower() in said("compare")


def test_the_row_that_the_verdict_names_is_marked(pages: Pages) -> None:
    found = pages.report()

    def marked(name: str) -> set[tuple[str, str]]:
        rows = found[name]["marked"]
        return {(row.removesuffix(mark).strip(), mark) for row, mark in rows}

    assert marked("nothing to recommend") == {("linux, latency-limit", "recommended")}
    assert marked("survey") == {("lpm=med_power_with_dipm", "recommended")}
    assert marked("consistency") == {("spare 25 %", "highest floor")}
    assert {mark for _, mark in marked("budget")} == {"chosen"}
    assert {("sda", "set"), ("sdb", "set")} <= marked("tune")
    assert "nvme0" not in {row for row, _ in marked("tune")}
    assert marked("tune, undecided") == set()
    # Nothing is decided: no row stands out.
    assert "not decided" in found["compare"]["verdict"][0]
    assert marked("compare") == set()


def test_a_policy_that_lost_data_is_never_marked(pages: Pages) -> None:
    found = pages.report()["sata"]
    assert all("min_power" != row.split()[0] for row, _ in found["marked"])
    assert not re.match("min_power[ ,]", found["verdict"][0])


def test_the_page_of_tune_says_what_is_left_and_what_decides_it(pages: Pages) -> None:
    found = pages.report()
    assert "sdb: min_power has lost data on some drives." in found["tune"]["text"]
    printed = re.sub(r" \\\n +", " ", pages.printed["tune, undecided"])
    [reason] = re.findall("nvme0: (.*not decided.*)", printed)
    [call] = re.findall("To decide: (.*)", printed)
    text = found["tune, undecided"]["text"]
    assert reason in text and call in text and "idle power PS3" in text


def test_the_page_of_watch_has_ten_causes_and_the_others(pages: Pages) -> None:
    charts = {chart["label"]: chart for chart in pages.report()["watch, many"]["charts"]}
    rows = charts["Wake-ups of SN530 by cause"]["rows"]
    assert len(rows) == 11 and rows[-1][0] == "4 others"
    wakes = [int(row[1]) for row in rows]
    assert wakes[:-1] == sorted(wakes[:-1], reverse=True)
    [all_wakes] = re.findall(r"Woken (\d+) times", pages.printed["watch, many"])
    assert sum(wakes) == int(all_wakes)
    assert "States of SN530 over time" in charts


def test_what_admin_commands_take_is_the_same_range_on_the_page_of_watch(
    pages: Pages,
) -> None:
    row = r"smartctl\s+0\s+10\s+0\s+(0\.\..*mW)\s+unknown"
    shown = re.findall(row, pages.report()["watch"]["text"].replace("\xa0", " "))
    assert shown and shown == re.findall(row, pages.printed["watch"])


def test_admin_commands_without_a_price_are_unknown_on_the_page_of_watch(
    ssdpm: Command,
) -> None:
    ssdpm.write("asked.txt", recordings.idle_monitor().text())
    read = ["watch", "-q", "--read", "asked.txt", "--device", "259,0", "SN530"]
    ssdpm.output(*read, "--html", "p.html")
    assert "smartctl010unknownunknown" in browse(ssdpm, "p.html").text


def test_the_page_of_watch_has_the_causes_of_the_screen_without_an_io(ssdpm: Command) -> None:
    made = recordings.Recording()
    for second in range(50):
        asked = "nvme_setup_cmd: nvme0: qid=0, cmdid=16, nsid=-1, cmd=()"
        made.event(10.0 + second, "smartctl-9", asked)
    ssdpm.write("asked.txt", made.text())
    read = ["watch", "-q", "--read", "asked.txt", "--device", "259,0", "SN530"]
    ssdpm.output(*read, "--html", "p.html")
    text = browse(ssdpm, "p.html").text
    assert "smartctl0500unknownunknown" in text
    assert "nobody: at restunknown" in text


def test_the_page_of_tune_has_the_whole_call_that_decides(
    ssdpm: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    machine("laptop").rename(ssdpm.directory / "mine: laptop")
    printed = ssdpm.output("tune", "-n", "--root", "mine: laptop", "--html", "p.html")
    [call] = re.findall(r"^To decide: (.*(?:\\\n.*)*)$", printed, re.M)
    assert "'mine: laptop'" in call
    assert re.sub(r"\\\n *", "", call) in browse(ssdpm, "p.html").text


def test_the_page_of_watch_names_a_cgroup_as_the_screen_does(ssdpm: Command) -> None:
    made = recordings.Recording()
    for i in range(20):
        at = 1.0 + 30 * i
        rest = f"bdi 259:0: ino={i} state= dirtied_when=0 age=30 index=0 to_write=4096 wrote=0"
        event = f"writeback_single_inode_start: {rest} cgroup_ino=4711"
        made.event(at, "kworker/u16:3-61", event)
        made.io(at + 1e-4, "kworker/u16:3-61", "W", 32, 0.0004)
    ssdpm.write("files.txt", "# cgroup: 4711 /system.slice/postgresql.service\n" + made.text())
    read = ["watch", "-q", "--read", "files.txt", "--device", "259,0", "SN530"]
    assert "  postgresql, cgroup " in ssdpm.output(*read, "--html", "p.html")
    assert "postgresql, cgroup" in browse(ssdpm, "p.html").text


def test_the_page_of_watch_has_the_powers_of_the_screen(pages: Pages) -> None:
    for name in ("watch", "watch, gap"):
        printed = pages.printed[name]
        assert ("Unknown: 4 min more, with 90,000 I/Os" in printed) == ("gap" in name)
        text = pages.report()[name]["text"].replace("\xa0", " ").replace("µ", "u")
        for cause in ("systemd-journal", "firefox, written back"):
            [row] = re.findall(f"^ *{cause}(?:  +.*)$", printed, re.M)
            *_, takes, without = re.split("  +", row.strip())
            shown = re.search(rf"{cause}\s+(?:[\d,]+\s+)+(.+?[mu]W)\s+(.+?[mu]W)", text)
            assert shown and shown[1] == takes
            assert shown[2] == without.replace("-", "\u2212")


ZOOM = """
<script>
addEventListener("load", () => setTimeout(() => {
  const found = [];
  for (const group of document.querySelectorAll(".zoom")) {
    const chart = Chart.getChart(group.parentNode.querySelector("canvas"));
    const size = () => chart.scales.x.type === "logarithmic" ?
      Math.log10(chart.scales.x.max / chart.scales.x.min) : chart.scales.x.max - chart.scales.x.min;
    const press = (what) => {
      group.querySelector(`[aria-label^="${what}"]`).click();
      return size();
    };
    const sizes = [size(), press("Zoom in"), press("Zoom in"), press("Move left"),
      press("Zoom out"), press("Show all")];
    found.push(sizes.map((one) => Math.round(1000 * one / sizes[0]) / 1000));
  }
  document.body.append("ZOOM" + JSON.stringify(found) + "ZOOM");
}, 300));
</script>
"""


@pytest.mark.parametrize("name", ["compare", "survey", "consistency", "budget", "mix"])
def test_a_part_of_a_chart_can_be_shown(pages: Pages, name: str) -> None:
    text = pages.texts[name].replace("</body>", f"{ZOOM}</body>")
    pages.ssdpm.write("zoom.html", text)
    page = browse(pages.ssdpm, "zoom.html")
    assert page.errors == []
    found = json.loads(page.text.split("ZOOM")[1])
    assert found and all(sizes == [1, 0.5, 0.25, 0.25, 0.5, 1] for sizes in found)


def schemes() -> list[dict[str, str]]:
    """The colors of the style sheet: light, and dark."""
    text = (HTML / "page.css").read_text()
    light, dark = re.findall(r":root(?::not\(\.print\))? \{(.*?)\}", text, re.S)
    light, dark = (dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]+)", one)) for one in (light, dark))
    assert len(light) >= 15 and light.keys() == dark.keys()
    return [light, dark]


def test_colors_have_the_contrast_that_eyes_need() -> None:
    lines = json.loads(LOOKS.read_text())["colors"]
    assert len(set(lines)) == 24
    for scheme in schemes():
        page = scheme["page"]
        areas = [scheme[name] for name in scheme if name.startswith(("sleep", "busy", "idle"))]
        for color in [*lines, *areas, scheme["transition"]]:
            assert contrast(color, page) >= 3, color
        for name in ("ink", "note", "warning", "verdict"):
            assert contrast(scheme[name], page) >= 4.5, name
        for name in ("marked", "code"):
            assert contrast(scheme["ink"], scheme[name]) >= 4.5, name
