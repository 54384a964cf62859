# SPDX-License-Identifier: MIT
"""Errors, files, what the package says of itself, and how it is built: stages without
circles, short modules, small folders."""

from __future__ import annotations

import ast
import errno
import importlib
import inspect
import os
import pickle
import pydoc
import re
import subprocess
import sys
import threading
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

import ssdpm
from ssdpm import _core, measure
from ssdpm.base.errors import error_from_c

BAD_JSON = """{
  "schema": "ssdpm.model/1",
  "kind": "nvme",
  "states": [
    {"operational": true, "max_power_uw": 1},
    {"operational": false,
     "exit_latency_us": "fast"}
  ]
}
"""


def test_the_version_is_that_of_the_library() -> None:
    assert ssdpm.__version__ == _core.version()
    assert re.fullmatch(r"\d+\.\d+\.\d+", ssdpm.__version__)


def test_the_stubs_say_what_the_built_package_has() -> None:
    command = [sys.executable, "-m", "mypy.stubtest", "ssdpm"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_all_names_in_all_exist_and_nothing_else_is_public() -> None:
    modules = {"apply", "base", "device", "model", "parameter", "plot", "policy"}
    modules |= {"workload", "annotations"}
    public = {name for name in dir(ssdpm) if not name.startswith("_")} - modules
    # A star import is not to replace the open() of Python.
    assert public - {"open"} == set(ssdpm.__all__) - {"__version__"}


def test_a_function_shows_the_arguments_that_it_passes_on() -> None:
    shown = inspect.signature(ssdpm.compare).parameters
    assert {"loop", "pcie_link", "measured", "spare"} < set(shown)
    assert shown["pcie_link"].default == "auto" and shown["spare"].default is None
    assert shown["spare"].annotation == "float | None"
    feed = inspect.signature(measure.Level.feed).parameters
    assert list(feed) == ["self", "power", "rate_hz", "times", "start_ns"]
    assert list(inspect.signature(ssdpm.Simulation).parameters)[:2] == ["model", "table"]
    for wrong in ("lpm", "rate_hz", "options"):
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{wrong}'"):
            ssdpm.compare(None, None, **{wrong: 1})  # type: ignore[arg-type]


def test_a_float_beside_an_integer_says_its_unit() -> None:
    state = ssdpm.PowerState(operational=True, max_power_uw=2_500_000)
    assert state.max_power_w == 2.5 and state.idle_power_w is None
    assert type(state).max_power_w.__doc__ == "max_power_uw in watts."
    assert "max_power_uw in watts." in pydoc.plain(pydoc.render_doc(ssdpm.PowerState))


def test_a_message_carries_file_line_and_name(tmp_path: Path) -> None:
    path = tmp_path / "drive.json"
    path.write_text(BAD_JSON)
    with pytest.raises(ssdpm.FormatError) as caught:
        ssdpm.Model(path)
    error = caught.value
    assert str(error).startswith(f"{path}:7: states[1].exit_latency_us: ")
    assert (error.errno, error.line, error.filename) == (errno.EINVAL, 7, str(path))
    assert error.strerror is not None
    assert error.strerror.startswith("states[1].exit_latency_us: ")


def test_a_message_about_bytes_carries_the_line() -> None:
    with pytest.raises(ssdpm.FormatError, match=r"^line 7: states\[1\]\.exit") as e:
        ssdpm.Model(BAD_JSON.encode())
    assert e.value.filename is None


def test_a_message_about_a_dict_carries_no_line() -> None:
    with pytest.raises(ssdpm.FormatError, match=r"^kind: ") as caught:
        ssdpm.Model({"schema": "ssdpm.model/1", "kind": "floppy"})
    assert caught.value.line is None


def test_an_error_is_an_oserror_and_a_valueerror() -> None:
    with pytest.raises(OSError):
        ssdpm.Model(b"?")
    with pytest.raises(ValueError):
        ssdpm.Model(b"?")
    assert not issubclass(ssdpm.UnknownValueError, ValueError)


def test_an_error_survives_pickling(tmp_path: Path) -> None:
    path = tmp_path / "drive.json"
    path.write_text(BAD_JSON)
    with pytest.raises(ssdpm.FormatError) as caught:
        ssdpm.Model(path)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert type(copy) is ssdpm.FormatError
    assert str(copy) == str(caught.value)
    assert copy.line == 7


@pytest.mark.parametrize(
    ("code", "cls"),
    [
        (errno.EINVAL, ssdpm.InvalidError),
        (errno.ERANGE, ssdpm.RangeError),
        (errno.E2BIG, ssdpm.TooLargeError),
        (errno.ENODATA, ssdpm.UnknownValueError),
        (errno.EOPNOTSUPP, ssdpm.UnsupportedError),
        (errno.ENOENT, ssdpm.NotFoundError),
        (errno.EACCES, ssdpm.AccessError),
        (errno.EPERM, ssdpm.AccessError),
        (errno.EEXIST, ssdpm.ExistsError),
        (errno.ENODEV, ssdpm.GoneError),
        (errno.EROFS, ssdpm.ReadOnlyError),
        (errno.EBUSY, ssdpm.BusyError),
        (errno.ETIMEDOUT, ssdpm.TimedOutError),
        (errno.ESTALE, ssdpm.NotInForceError),
        (errno.EREMOTEIO, ssdpm.TableDiffersError),
        (errno.EIO, ssdpm.Error),
    ],
)
def test_each_errno_has_its_class(code: int, cls: type[ssdpm.Error]) -> None:
    error = error_from_c(code, "message", 0, 0, False)
    assert type(error) is cls
    assert (error.errno, str(error), error.line) == (code, "message", None)
    assert error.nvme_status is None


def test_an_error_has_the_status_that_a_drive_answered() -> None:
    error = error_from_c(errno.EIO, "message", 0, 0x4002, False)
    copy = pickle.loads(pickle.dumps(error))
    assert (error.nvme_status, copy.nvme_status) == (0x4002, 0x4002)


@pytest.mark.parametrize(
    ("cls", "builtin"),
    [
        (ssdpm.AccessError, PermissionError),
        (ssdpm.ExistsError, FileExistsError),
        (ssdpm.TimedOutError, TimeoutError),
    ],
)
def test_what_python_has_an_error_for_is_that_too(
    cls: type[ssdpm.Error], builtin: type[OSError]
) -> None:
    assert issubclass(cls, builtin)
    copy = pickle.loads(pickle.dumps(cls(errno.EIO, "message", "file", 3)))
    assert (type(copy), str(copy)) == (cls, "file:3: message")


def test_a_missing_file_and_a_directory_are_the_usual_errors(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        ssdpm.Model(tmp_path / "none")
    assert missing.value.filename == str(tmp_path / "none")
    with pytest.raises(IsADirectoryError):
        ssdpm.Model(tmp_path)


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.touch()
    with pytest.raises(ssdpm.FormatError, match=r"empty: no data$"):
        ssdpm.Model(str(path))


def test_a_fifo_without_a_writer_does_not_hang(tmp_path: Path) -> None:
    path = tmp_path / "fifo"
    os.mkfifo(path)
    code = "import ssdpm, sys\ntry: ssdpm.Model(sys.argv[1])\n"
    code += "except ssdpm.FormatError as error: print(error)"
    result = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert result.stdout == f"{path}: no data\n"


def test_a_pipe_is_read_to_its_end(raw: bytes, model: ssdpm.Model) -> None:
    reader, writer = os.pipe()

    def write() -> None:
        os.write(writer, raw[:1000])
        threading.Event().wait(0.05)
        os.write(writer, raw[1000:])
        os.close(writer)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        assert ssdpm.Model(f"/proc/self/fd/{reader}") == model
    finally:
        thread.join()
        os.close(reader)


def test_an_endless_file_is_refused() -> None:
    with pytest.raises(ssdpm.FormatError, match=r"^/dev/zero: "):
        ssdpm.Model("/dev/zero")


def test_too_much_json_is_refused() -> None:
    text = b"[" + b" " * _core.JSON_MAX_BYTES + b"]"
    with pytest.raises(ssdpm.TooLargeError):
        ssdpm.Model(text)


SOURCES = Path(__file__).resolve().parents[1]
PACKAGE = SOURCES / "ssdpm"
PUBLIC = (
    "ssdpm",
    "ssdpm.cap",
    "ssdpm.consistency",
    "ssdpm.ftl",
    "ssdpm.measure",
    "ssdpm.measure.survey",
    "ssdpm.observe",
    "ssdpm.suspend",
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
    ("budget", "measure", "observe", "suspend"),
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
    trees = (SOURCES / "src", PACKAGE)
    folders = [f for tree in trees for f in (tree, *tree.rglob("*")) if f.is_dir()]
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
