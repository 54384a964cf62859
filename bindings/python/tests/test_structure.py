# SPDX-License-Identifier: MIT
"""How the package is built: stages without circles, short modules, small folders."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

import ssdpm

SOURCES = Path(__file__).resolve().parents[1]
PACKAGE = SOURCES / "ssdpm"
PUBLIC = (
    "ssdpm",
    "ssdpm.cap",
    "ssdpm.consistency",
    "ssdpm.ftl",
    "ssdpm.measure",
    "ssdpm.measure.survey",
    "ssdpm.wa",
)
# A later stage is further to the right. Nothing imports plot.
STAGES = (
    ("base",),
    ("model",),
    ("policy",),
    ("device",),
    ("apply", "parameter"),
    ("workload",),
    ("estimate",),
    ("wa",),
    ("cap", "ftl"),
    ("budget", "measure"),
    ("consistency",),
    ("plot",),
)


def modules(package: Path = PACKAGE) -> dict[str, Path]:
    """The file of each module, by its name; a package is its __init__."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def _imported(node: ast.AST, known: dict[str, Path]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        assert not node.level, "imports are absolute"
        source = str(node.module)
        for alias in node.names:
            name = f"{source}.{alias.name}"
            # _core is no module of Python, and imports nothing by name.
            if name in known:
                yield name
            elif name != "ssdpm._core":
                yield source


def imports(package: Path = PACKAGE) -> dict[str, set[str]]:
    """What each module imports of the package: at its top, in functions, for types.

    To import a module runs the packages that it lies in, too.
    """
    known = modules(package)
    graph: dict[str, set[str]] = {}
    for module, path in known.items():
        graph[module] = set()
        for node in ast.walk(ast.parse(path.read_text())):
            for name in _imported(node, known):
                parts = name.split(".")
                ways = {".".join(parts[: n + 1]) for n in range(1, len(parts))}
                graph[module] |= {way for way in ways if way in known}
        # What a module lies in runs already.
        graph[module] -= {way for way in known if f"{module}.".startswith(f"{way}.")}
    return graph


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The groups of modules that import each other: Tarjan's algorithm."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        number[module] = low[module] = len(number)
        stack.append(module)
        for other in sorted(graph[module]):
            if other not in number:
                visit(other)
                low[module] = min(low[module], low[other])
            elif other in stack:
                low[module] = min(low[module], number[other])
        if low[module] == number[module]:
            group = stack[stack.index(module) :]
            del stack[stack.index(module) :]
            if len(group) > 1:
                found.append(sorted(group))

    for module in graph:
        if module not in number:
            visit(module)
    return found


def test_a_circle_is_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [["b", "c"]]


def test_no_modules_import_each_other() -> None:
    assert circles(imports()) == []


def test_a_stage_imports_earlier_stages_alone() -> None:
    rank = {stage: n for n, stages in enumerate(STAGES) for stage in stages}
    wrong = []
    for module, others in imports().items():
        parts = module.split(".")
        for other in others if len(parts) > 1 else ():
            own, stage = parts[1], other.split(".")[1]
            if own != stage and rank[own] <= rank[stage]:
                wrong.append(f"{module} imports {other}")
    assert wrong == []


def test_only_plot_imports_plot() -> None:
    outside = {m: i for m, i in imports().items() if not m.startswith("ssdpm.plot")}
    assert [m for m, names in outside.items() if "ssdpm.plot" in names] == []
    lazy = [m for m in outside if "ssdpm.plot\")" in modules()[m].read_text()]
    assert lazy == ["ssdpm.base.result"]


def test_plot_is_imported_when_something_is_drawn() -> None:
    code = "import sys, ssdpm; print([m for m in sys.modules if 'plot' in m])"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert run.stdout == "[]\n"


def test_one_module_writes_html() -> None:
    writers = [m for m, path in modules().items() if "html.escape" in path.read_text()]
    assert writers == ["ssdpm.base.result"]


def test_a_module_has_600_lines_at_most() -> None:
    lengths = {
        str(path.relative_to(PACKAGE)): len(path.read_text().splitlines())
        for path in (*modules().values(), *PACKAGE.rglob("*.pyi"))
    }
    assert {name: n for name, n in lengths.items() if n > 600} == {}


def test_a_folder_has_25_files_at_most() -> None:
    folders = [SOURCES / "src", PACKAGE, *(p for p in PACKAGE.rglob("*") if p.is_dir())]
    counts = {
        folder.name: sum(path.is_file() for path in folder.iterdir())
        for folder in folders
        if folder.name != "__pycache__"
    }
    assert {name: n for name, n in counts.items() if n > 25} == {}


@pytest.mark.parametrize("name", PUBLIC)
def test_all_public_names_are_there(name: str) -> None:
    module = importlib.import_module(name)
    assert len(set(module.__all__)) == len(module.__all__)
    for one in module.__all__:
        assert hasattr(module, one)


def test_all_that_ssdpm_imports_is_public() -> None:
    """But for modules, and for open(), which Python has too."""
    names = {name for name in vars(ssdpm) if not name.startswith("_")}
    ours = {n for n in names if not isinstance(getattr(ssdpm, n), types.ModuleType)}
    assert ours - set(ssdpm.__all__) == {"annotations", "open"}
