# SPDX-License-Identifier: MIT
"""--html: the page stands alone, and a real browser draws what is in it."""

from __future__ import annotations

import html.parser
import json
import math
import pathlib
import re
import subprocess
import zlib
from collections.abc import Callable
from typing import Any

import documented
import pytest
import surveys
import trace
from command import TOP, Command
from ssdpm.plot import style
from test_show import identify

LOOKS = TOP / "bindings/python/ssdpm/plot/looks.json"

BROWSER = [
    "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
    "--disable-extensions", "--no-first-run", "--enable-logging=stderr",
    "--virtual-time-budget=10000", "--host-resolver-rules=MAP * ~NOTFOUND",
]  # fmt: skip


class Page(html.parser.HTMLParser):
    """What the browser made of a page: canvases with their sizes, and text."""

    def __init__(self, text: str, errors: list[str]) -> None:
        super().__init__()
        self.canvases: dict[str, tuple[int, int]] = {}
        self.rows = 0
        self.links: list[str] = []
        self.text = ""
        self.errors = errors
        self.hidden = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        have = {name: value or "" for name, value in attrs}
        self.hidden = tag in ("script", "style")
        self.rows += tag == "tr"
        self.links += [have[name] for name in ("src", "href") if name in have]
        if tag == "canvas":
            size = int(have.get("width", 0)), int(have.get("height", 0))
            self.canvases[have["aria-label"]] = size

    def handle_endtag(self, tag: str) -> None:
        self.hidden = False

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.text += data


def browse(ssdpm: Command, name: str, width: int = 1200, *more: str) -> Page:
    done = subprocess.run(
        [*BROWSER, f"--user-data-dir={ssdpm.directory}/profile", *more]
        + [f"--window-size={width},2000", "--dump-dom", f"file://{ssdpm.directory}/{name}"],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    return Page(done.stdout, re.findall(r"CONSOLE.*", done.stderr))


CHARTS = {
    "Time in each state",
    "Mean power by state",
    "Energy and latency of all policies",
}


def check(page: Page, first: str, delays: bool = True, others: bool = True) -> None:
    assert page.errors == []
    wanted = CHARTS | {f"States over time under {first}"}
    if others:
        wanted |= {f"Likely saving against {first}"}
    if delays:
        wanted |= {"Distribution of the delays"}
    assert set(page.canvases) == wanted
    assert all(min(size) >= 100 for size in page.canvases.values())
    assert page.links == []
    for odd in ("NaN", "undefined", "Infinity", "[object"):
        assert odd not in page.text


@pytest.fixture
def some(ssdpm: Command) -> Command:
    ssdpm.write("some.csv", trace.SOME)
    return ssdpm


def test_the_page_of_a_comparison_is_drawn(some: Command) -> None:
    some.output("compare", "-t", "some.csv", "--html", "p.html", "plain.json")
    page = browse(some, "p.html")
    check(page, "linux")
    rows = some.json("compare", "-t", "some.csv", "plain.json")["rows"]
    for name in (name for row in rows for name in row["policies"]):
        assert name in page.text
    assert page.rows > len(rows)


def test_the_other_policies_are_drawn_when_one_looks(some: Command) -> None:
    some.output("compare", "-t", "some.csv", "--html", "p.html", "plain.json")
    path = some.directory / "p.html"
    opened = "<script>for (const d of document.querySelectorAll('details')) d.open = 1"
    path.write_text(path.read_text().replace("</body>", f"{opened}</script></body>"))
    page = browse(some, "p.html")
    assert page.errors == []
    rows = some.json("compare", "-t", "some.csv", "plain.json")["rows"]
    for row in rows:
        label = f"States over time under {row['policies'][0]}"
        assert min(page.canvases[label]) >= 100


@pytest.mark.parametrize("width", [500, 1200])
def test_an_estimate_has_the_other_policies_on_its_page(
    some: Command, width: int
) -> None:
    call = ["estimate", "-t", "lomax", "--max-exit-latency", "20ms", "--html", "p.html", "plain.json"]
    plain = some.output(*call[:5], *call[7:])
    assert some.output(*call) == plain
    page = browse(some, "p.html", width)
    check(page, "linux")
    assert "lower-envelope" in page.text and "linux, linux" not in page.text
    assert all(size[0] <= width for size in page.canvases.values())


def test_what_the_port_refuses_has_a_row_and_no_chart(
    ssdpm: Command, machine: Callable[[str], pathlib.Path]
) -> None:
    root = str(machine("external-ports"))
    call = ["compare", "-q", "-t", "desktop-session", "--root", root, "--html", "p.html", "sdb"]
    ssdpm.output(*call)
    page = browse(ssdpm, "p.html")
    assert not page.errors and page.text.count("refused by Linux") == 2
    # The first cell of a row, and no row of the tables behind the charts.
    assert page.text.count("med_power_with_dipm") == 1


def test_a_page_of_recommendations_has_each_drive(some: Command) -> None:
    some.write("sata", identify())
    some.output("recommend", "-q", "-t", "lomax", "--html", "p.html", "plain.json", "sata")
    text = browse(some, "p.html").text
    for drive, route in (("plain.json", "latency-limit: "), ("sata", "link-policy: ")):
        assert f"{drive} on lomax" in text and route in text
    assert {"linux", "med_power_with_dipm"} <= colors_of(some).keys()


def test_recommendations_stand_on_their_page(some: Command) -> None:
    call = ["recommend", "-t", "lomax", "--html", "p.html", "plain.json"]
    lines = some.output(*call).splitlines()
    page = browse(some, "p.html")
    check(page, "linux")
    for line in lines:
        if line.startswith(("latency-limit:", "nvme-core:", "raw-table:")):
            assert line in page.text


def test_many_states_one_state_and_no_delay_are_drawn(some: Command) -> None:
    states = [{"operational": True, "max_power_uw": 8_000_000}]
    states += [
        {
            "operational": False,
            "max_power_uw": 100_000 - 3000 * i,
            "entry_latency_us": 100 * (i + 1),
            "exit_latency_us": 1000 * (i + 1),
        }
        for i in range(31)
    ]
    model = {"schema": "ssdpm.model/1", "kind": "nvme", "apsta": 1, "states": states}
    some.write("many.json", model)
    some.write("one.json", {**model, "states": states[:1]})
    some.output("compare", "-t", "lomax", "--html", "p.html", "many.json")
    check(browse(some, "p.html"), "linux")
    some.output("compare", "-t", "lomax", "--html", "p.html", "one.json")
    page = browse(some, "p.html")
    check(page, "linux", delays=False, others=False)
    assert "No I/O is delayed." in page.text
    some.write("one.csv", trace.csv((5, 0)))
    some.output("compare", "-t", "one.csv", "--html", "p.html", "plain.json")
    assert browse(some, "p.html").errors == []


def test_the_longest_of_traces_is_drawn(some: Command) -> None:
    some.write("long.csv", trace.csv((0, 0), (2**62, 5)))
    some.output("compare", "-t", "long.csv", "--html", "p.html", "plain.json")
    check(browse(some, "p.html"), "linux")


def test_the_page_says_the_same_as_json(some: Command) -> None:
    call = ["compare", "-t", "some.csv", "--json", "plain.json"]
    answer = documented.listed(some.output(*call, "--html", "p.html"))
    text = (some.directory / "p.html").read_text()
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    assert found
    data = json.loads(found[1])
    page, timelines = data["estimates"][0], data["timelines"][0]
    for row, same, bins in zip(page["rows"], answer["rows"], timelines, strict=True):
        assert row == same
        whole = sum(sum(bins[key]) for key in bins if key not in ("bin_ns", "n"))
        assert whole == same["nominal"]["duration_ns"]
        for key in ("busy", "idle"):
            wanted = same["nominal"]["busy_ns"]
            if key == "idle":
                wanted = same["nominal"]["states"][0]["time_ns"]
            assert sum(bins.get(key, [])) == wanted


def test_no_name_can_leave_its_place_on_the_page(some: Command) -> None:
    evil = "</script><script>document.title='evil'</script><!-- <b>"
    some.write("evil.json", {**some.plain, "product": evil[:40]})
    (some.directory / "a<b>").write_text(trace.SOME)
    some.output("compare", "-t", "a<b>", "--html", "p.html", "evil.json")
    page = browse(some, "p.html")
    check(page, "linux")
    assert "a<b>" in page.text and evil[:40] in page.text


def test_an_error_in_a_script_is_noticed(some: Command) -> None:
    some.write("chart.js", "throw new Error('broken')")
    call = ["compare", "-t", "some.csv", "--html", "p.html", "plain.json"]
    some.output(*call, "--chart-js", "chart.js")
    page = browse(some, "p.html")
    assert any("broken" in error for error in page.errors)
    with pytest.raises(AssertionError):
        check(page, "linux")


def test_without_chart_js_one_reads_what_to_install(some: Command) -> None:
    call = ["estimate", "-t", "some.csv", "--html", "p.html", "plain.json"]
    message = some.fails(1, *call, "--chart-js", "gone")
    assert "gone: No such file" in message and "install libjs-chart.js" in message
    call_without = ["estimate", "-t", "some.csv", "--chart-js", "x", "plain.json"]
    assert "--chart-js is for --html" in some.fails(2, *call_without)
    some.write("bad.js", "'</SCRIPT>'")
    message = some.fails(1, *call, "--chart-js", "bad.js")
    assert "would end the script of the page" in message
    assert not (some.directory / "p.html").exists()
    message = some.fails(1, *call[:4], "no/p.html", "plain.json")
    assert "no/p.html: No such file" in message


def test_the_page_needs_no_network(some: Command) -> None:
    some.output("compare", "-t", "some.csv", "--html", "p.html", "plain.json")
    text = (some.directory / "p.html").read_text()
    chart = pathlib.Path("/usr/share/javascript/chart.js/chart.min.js")
    text = text.replace(chart.read_text(), "")
    assert not re.search(r"https?://|@import|url\(", text)


@pytest.mark.parametrize("width", [500, 1200])
def test_a_survey_is_drawn(ssdpm: Command, width: int) -> None:
    ssdpm.write("s.csv", surveys.survey(fio=("randread",)))
    text = ssdpm.output("measure", "survey", "--html", "p.html", "s.csv")
    page = browse(ssdpm, "p.html", width)
    assert page.errors == [] and page.links == []
    wanted = {f"Power over time, {of}" for of in ("idle", "sync", "async")}
    for what, ofs in {
        "Mean power": ("idle", "sync", "async"),
        "Latency": ("sync", "async", "fio randread"),
        "Throughput": ("fio randread",),
    }.items():
        for of in ofs:
            wanted |= {f"{what}, {of}", f"Differences in {what.lower()}, {of}"}
    assert set(page.canvases) == wanted
    assert all(100 <= size[0] <= width and size[1] >= 100 for size in page.canvases.values())
    for odd in ("NaN", "undefined", "Infinity", "[object"):
        assert odd not in page.text
    for line in text.split("recommendation\n")[1].split("  set it")[0].splitlines():
        assert line.strip() in page.text
    assert "ssdpm apply --lpm med_power_with_dipm --quiet" in page.text


def test_a_survey_that_tells_nothing_is_drawn_too(ssdpm: Command) -> None:
    rows = "policy,power_w\na,5\nb,\n</script><b>,1\n"
    ssdpm.write("s.csv", rows)
    ssdpm.output("measure", "survey", "--html", "p.html", "s.csv")
    page = browse(ssdpm, "p.html")
    assert page.errors == []
    assert set(page.canvases) == {"Power over time, idle"}
    assert "cannot be told" in page.text and "</script><b>" in page.text


def test_a_survey_of_many_readings_stays_a_small_page(ssdpm: Command) -> None:
    rows = "".join(
        f"{p},{b},{5 + (p == 'a') + i % 7 / 100}\n"
        for p in "ab"
        for b in (1, 2, 3)
        for i in range(30000)
    )
    ssdpm.write("s.csv", "policy,block,power_w\n" + rows)
    ssdpm.output("measure", "survey", "--html", "p.html", "s.csv")
    assert (ssdpm.directory / "p.html").stat().st_size < 1_500_000
    page = browse(ssdpm, "p.html")
    assert page.errors == [] and "Power over time, idle" in page.canvases


# What each chart shows, and what is wider than its place.
LAYOUT = """
<script>
setTimeout(() => {
  PREPARE
  const right = document.body.getBoundingClientRect().right + 0.5;
  const color = (name) => getComputedStyle(document.documentElement)[name];
  const found = {
    page: color("backgroundColor"),
    ink: color("color"),
    width: document.body.getBoundingClientRect().width,
    wide: [...document.querySelectorAll("body *:not(script)")].filter((e) =>
      e.scrollWidth > e.clientWidth + 1 && e.clientWidth ||
      e.getBoundingClientRect().right > right).map((e) => e.outerHTML.slice(0, 100)),
    charts: Object.values(Chart.instances).map((c) => ({
      label: c.canvas.getAttribute("aria-label"),
      width: c.width, height: c.height, plot: c.chartArea.bottom - c.chartArea.top,
      key: [...c.canvas.closest("section").querySelectorAll(".key > *")].map((e) => e.textContent),
      drawn: c.data.datasets.map((d) => [d.label, d.backgroundColor, d.pointStyle,
        d.pointRotation, String(d.borderDash)]),
      breaks: getComputedStyle(c.canvas.parentNode.parentNode).breakInside,
      text: c.scales.x.options.ticks.color,
    })),
  };
  document.body.append(Object.assign(document.createElement("pre"),
    {textContent: "LAYOUT" + JSON.stringify(found) + "LAYOUT"}));
}, 500);
</script>
"""
PRINTING = "dispatchEvent(new Event('beforeprint'));"
DARK = "--blink-settings=preferredColorScheme=0"


def layout(ssdpm: Command, width: int = 1200, before: str = "", *more: str) -> dict[str, Any]:
    path = ssdpm.directory / "p.html"
    text = path.read_text()
    path.write_text(text.replace("</body>", f"{LAYOUT}</body>".replace("PREPARE", before)))
    page = browse(ssdpm, "p.html", width, *more)
    path.write_text(text)
    assert page.errors == []
    found: dict[str, Any] = json.loads(page.text.split("LAYOUT")[1])
    found["charts"] = {one["label"]: one for one in found["charts"]}
    return found


LONG = "a-table-with-a-name-that-nobody-would-type-" + "and-more-" * 9 + "end.bin"


def tables(ssdpm: Command, n: int) -> list[str]:
    """Options for n policies that differ; the second has a long name."""
    policies = ["--policy", "linux"]
    for i in range(1, n):
        name = LONG if i == 1 else f"after-{i}.bin"
        times = ["--primary-timeout", f"{10 * i}ms", "--secondary-timeout", f"{i}s"]
        ssdpm.output("apst", "-q", *times, "--raw", name, "plain.json")
        policies += ["--policy", name]
    return policies


@pytest.fixture
def twenty(ssdpm: Command) -> Command:
    call = ["compare", "-t", "lomax", *tables(ssdpm, 20), "--html", "p.html", "plain.json"]
    ssdpm.output(*call)
    return ssdpm


NAMED = "Energy and latency of all policies", "Distribution of the delays"


def luminance(color: str) -> float:
    if color.startswith("#"):
        digits = color[1:] if len(color) == 7 else "".join(2 * digit for digit in color[1:])
        parts = list(bytes.fromhex(digits))
    else:
        parts = [int(part) for part in re.findall(r"\d+", color)[:3]]
    linear = [
        part / 255 / 12.92 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4
        for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("width", [500, 1200])
def test_each_of_twenty_policies_is_in_the_keys(twenty: Command, width: int) -> None:
    found = layout(twenty, width)
    names = ["linux", LONG] + [f"after-{i}.bin" for i in range(2, 20)]
    for label in NAMED:
        chart = found["charts"][label]
        assert chart["key"] == names
        assert chart["plot"] >= 250


@pytest.mark.parametrize("more", [[], [DARK]], ids=["light", "dark"])
def test_each_of_twenty_policies_has_a_look_that_one_sees(
    twenty: Command, more: list[str]
) -> None:
    found = layout(twenty, 1200, "", *more)
    assert (luminance(found["page"]) < 0.1) == bool(more)
    assert contrast(found["ink"], found["page"]) >= 7
    first, second = (found["charts"][label]["drawn"] for label in NAMED)
    assert first == second
    assert len({tuple(looks) for _, *looks in first}) == 20
    assert min(contrast(color, found["page"]) for _, color, *_ in first) >= 3
    for chart in found["charts"].values():
        assert contrast(chart["text"], found["page"]) >= 4.5


def test_plots_of_python_have_the_colors_and_marks_of_the_page(twenty: Command) -> None:
    first = layout(twenty)["charts"][NAMED[0]]["drawn"]
    marks = json.loads(LOOKS.read_text())["marks"]
    markers = {(one["point"], one["turn"]): one["marker"] for one in marks}
    drawn = [(color, markers[point, turn]) for _, color, point, turn, _ in first]
    names = [label.split(", ")[0].split(" (")[0] for label, *_ in first]
    assert drawn == [tuple(one) for one in style.looks(names)]


def test_as_many_policies_as_ssdpm_compares_differ_in_color_or_mark(
    some: Command
) -> None:
    call = ["compare", "-t", "some.csv", *tables(some, 32), "--html", "p.html", "plain.json"]
    some.output(*call)
    drawn = layout(some)["charts"][NAMED[0]]["drawn"]
    assert len({tuple(looks) for _, *looks in drawn}) == 32


def test_a_policy_has_one_color_on_the_whole_page(some: Command) -> None:
    states = [
        {**state, "exit_latency_us": 90_000 * state["exit_latency_us"] // 11_000}
        for state in some.plain["states"]
    ]
    some.write("slow.json", {**some.plain, "states": states})
    some.output("compare", "-t", "lomax", "--html", "p.html", "slow.json", "plain.json")
    path = some.directory / "p.html"
    colors: dict[str, set[str]] = {}
    report = (
        "<script>document.body.append('COLORS' + JSON.stringify(Object.values(Chart.instances)"
        ".filter((c) => c.config.type === 'scatter').flatMap((c) => c.data.datasets.filter((d) =>"
        " d.label).map((d) => [d.label, d.backgroundColor]))) + 'COLORS')</script>"
    )
    path.write_text(path.read_text().replace("</body>", f"{report}</body>"))
    page = browse(some, "p.html")
    assert page.errors == []
    for label, color in json.loads(page.text.split("COLORS")[1]):
        colors.setdefault(re.split(r"[ ,]", label)[0], set()).add(color)
    assert len(colors) >= 5
    assert all(len(of) == 1 for of in colors.values())
    assert len({min(of) for of in colors.values()}) == len(colors)


# The color of each name, wherever a chart draws it.
COLORS_OF = """
<script>
const colors = {};
for (const chart of Object.values(Chart.instances))
  for (const set of chart.data.datasets)
    for (const [label, color] of set.label ? [[set.label, set.backgroundColor]] :
      set.data.filter((p) => p.row && p.row.look).map((p) => [p.row.label, p.row.look.color]))
      if (typeof color === "string")
        (colors[label.split(/[ ,]/)[0].replace(/^lpm=/, "")] ||= []).push(color);
document.body.append("COLORS" + JSON.stringify(colors) + "COLORS");
</script>
"""


def colors_of(ssdpm: Command) -> dict[str, set[str]]:
    path = ssdpm.directory / "p.html"
    path.write_text(path.read_text().replace("</body>", f"{COLORS_OF}</body>"))
    page = browse(ssdpm, "p.html")
    assert page.errors == []
    return {name: set(of) for name, of in json.loads(page.text.split("COLORS")[1]).items()}


def test_a_policy_has_one_color_on_all_pages(some: Command) -> None:
    call = ["compare", "-t", "some.csv", "--html", "p.html"]
    some.output(*call, *tables(some, 8), "plain.json")
    first = colors_of(some)
    # In another order, and without the first ones.
    some.output(*call, "--policy", "after-7.bin", "--policy", "none", "--policy", LONG, "--policy", "linux", "plain.json")
    second = colors_of(some)
    assert all(len(of) == 1 for of in [*first.values(), *second.values()])
    shared = first.keys() & second.keys()
    assert {"after-7.bin", LONG, "linux"} <= shared
    assert all(first[name] == second[name] for name in shared)
    some.write("sata", identify())
    some.output("compare", "-t", "lomax", "--html", "p.html", "sata")
    links = colors_of(some)
    some.write("s.csv", surveys.survey())
    some.output("measure", "survey", "--html", "p.html", "s.csv")
    surveyed = colors_of(some)
    shared = links.keys() & surveyed.keys()
    assert {"medium_power", "med_power_with_dipm"} <= shared
    assert all(links[name] == surveyed[name] for name in shared)


def test_savings_are_drawn_as_intervals_beside_nothing(some: Command) -> None:
    call = ["compare", "-t", "lomax", "plain.json"]
    some.output(*call, "--html", "p.html")
    path = some.directory / "p.html"
    report = (
        "<script>document.body.append('DRAWN' + JSON.stringify(Object.values(Chart.instances)"
        ".find((c) => c.canvas.ariaLabel.startsWith('Likely saving')).data.datasets[0].data"
        ".map((p) => [p.low, p.x, p.high])) + 'DRAWN')</script>"
    )
    path.write_text(path.read_text().replace("</body>", f"{report}</body>"))
    drawn = json.loads(browse(some, "p.html").text.split("DRAWN")[1])
    wanted = [
        [row["likely"][f"{name}_uw"] / 1e3 for name in ("low", "median", "high")]
        for row in some.json(*call)["rows"][1:]
    ]
    assert drawn == sorted(wanted, key=lambda row: -row[1])
    assert any(low < 0 < high for low, _, high in drawn)


MM = 96 / 25.4


@pytest.mark.parametrize("n", [1, 2, 32])
def test_a_printed_page_has_all_on_its_paper(some: Command, n: int) -> None:
    call = ["compare", "-t", "lomax", *tables(some, n), "--html", "p.html", "plain.json"]
    some.output(*call)
    path = some.directory / "p.html"
    opened = "<script>for (const d of document.querySelectorAll('details')) d.open = 1</script>"
    path.write_text(path.read_text().replace("</body>", f"{opened}</body>"))
    found = layout(some, 1200, PRINTING, DARK)
    assert len(found["charts"]) == n + len(CHARTS) + 1 + (n > 1)
    assert found["wide"] == []
    assert found["width"] <= (210 - 2 * 12) * MM
    assert luminance(found["page"]) == 1
    for chart in found["charts"].values():
        assert 0.9 * found["width"] <= chart["width"] <= found["width"]
        assert chart["height"] <= 200 * MM
        assert chart["breaks"] == "avoid"
        assert contrast(chart["text"], "#ffffff") >= 4.5


def test_a_browser_prints_each_chart_whole_on_a_page_of_a4(twenty: Command) -> None:
    path = twenty.directory / "p.html"
    size = "<style>@page { size: A4 }</style></body>"
    path.write_text(path.read_text().replace("</body>", size))
    pdf = twenty.directory / "p.pdf"
    subprocess.run(
        [*BROWSER, f"--user-data-dir={twenty.directory}/profile"]
        + ["--window-size=1200,2000", f"--print-to-pdf={pdf}", f"file://{path}"],
        capture_output=True,
        timeout=120,
        check=True,
    )
    # What follows a stream's checksum is not part of it; its last byte can be a "\r".
    streams = re.findall(rb"stream\r?\n(\x78.*?)endstream", pdf.read_bytes(), re.S)
    drawn = b"".join(zlib.decompressobj().decompress(data) for data in streams)
    width = 2 * math.floor(180 * MM)
    # Two pixels of a canvas are one of the page. A broken chart has two rectangles.
    heights = re.findall(rb"\n0 0 %d (\d+) re\n" % width, drawn)
    most = 2 * math.floor(170 * MM)
    assert sorted(int(height) for height in heights) == [220, 760, 760, most, most, most]
