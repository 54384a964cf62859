# SPDX-License-Identifier: MIT
"""The lint of English knows the parts of a docstring in C."""

from __future__ import annotations

import pathlib
import subprocess

import pytest

ENGLISH = pathlib.Path(__file__).resolve().parents[2] / ".ci/english"
TEN = " ".join(["word"] * 10)


def lint(tmp_path: pathlib.Path, *lines: str) -> list[str]:
    """What is found in a comment of a header with these lines."""
    path = tmp_path / "header.h"
    path.write_text("\n".join(["/**", *(f" * {line}" for line in lines), " */", ""]))
    done = subprocess.run([ENGLISH, path], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (bool(done.stdout), "")
    return [line.removeprefix("header.h:")[:20] for line in done.stdout.splitlines()]


def test_a_long_sentence_of_a_comment_is_found(tmp_path: pathlib.Path) -> None:
    assert lint(tmp_path, TEN, TEN, "w w w w w w.", TEN) == ["2: 26 words: word wo"]
    assert lint(tmp_path, TEN, TEN, "w w w w w.", TEN) == []


def test_each_error_of_a_return_list_stands_alone(tmp_path: pathlib.Path) -> None:
    errors = f"-EINVAL ({TEN} {TEN}), -EIO ({TEN}),"
    assert lint(tmp_path, f"Return: 0; {errors}", f"-ERANGE ({TEN} {TEN}).") == []
    # One error is as long as a sentence, and words after the list are one.
    assert lint(tmp_path, f"Return: 0; -EIO ({TEN} {TEN}", f"{TEN}), -ENOMEM.") != []
    assert lint(tmp_path, "Return: 0; -EIO (the end), -ENOMEM. Of these one is.") != []
    # The list ends with its paragraph, and only Return has one.
    assert lint(tmp_path, "Return: 0; -EIO.", "", f"{TEN} {TEN},", f"-EIO {TEN}") != []
    assert lint(tmp_path, f"Fails: 0; -EIO ({TEN} {TEN}),", f"-ERANGE ({TEN}).") != []


def test_items_and_parameters_end_a_sentence(tmp_path: pathlib.Path) -> None:
    assert lint(tmp_path, TEN, f"- {TEN}", TEN, f"- {TEN}", f"1. {TEN}", TEN) == []
    assert lint(tmp_path, f"{TEN}. @name {TEN}. {TEN}") == []
    assert lint(tmp_path, f"@name: {TEN}", f"@other: {TEN}", TEN) == []
    assert lint(tmp_path, "- Of these it is the last one.") != []


def test_comments_and_messages_of_a_source_are_read(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "source.c"
    path.write_text(
        f"/* {TEN} {TEN} {TEN} */\nint f(void)\n{{\n"
        f'\tcomplain("{TEN} " /* Of it. */\n\t\t "{TEN} {TEN}");\n}}\n'
    )
    done = subprocess.run([ENGLISH, path], capture_output=True, text=True, check=False)
    found = [line.split(": ")[0:2] for line in done.stdout.splitlines()]
    assert ["source.c:1", "30 words"] in found
    assert ["source.c:4", "begin with the subject"] in found
    assert done.returncode == 1


def test_a_message_without_its_fixed_phrase_is_found(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "message.c"
    wrong = {
        '"%s: no such command"': "write unknown THING 'x'",
        '"--%s %s: there is no such drive", a, b': "write unknown THING 'x'",
        '"--mix %s: no drive is named %s", a, b': "write unknown THING 'x'",
        '"%s: there is none; there are %s", a, b': "write unknown THING 'x'; expected",
        '"%s: it is start, stop or run"': "write unknown THING 'x'; expected",
        '"unknown key; did you mean %s?", a': None,
        '"unknown key; did you mean name?"': "write did you mean 'x'?",
        '"--power %s: max or mean", a': "write unknown --x 'y'; expected",
        '"--%s needs an argument", a': "write option '--x' requires",
        '"--json is only for --all"': "write --a requires --b",
        '"failed to open %s", a': "write cannot VERB OBJECT: CAUSE",
        '"unknown drive \'%s\'; expected %s", a, b': None,
        '"%s: No such file or directory", a': None,
    }
    for call, advice in wrong.items():
        path.write_text(f"void f(void)\n{{\n\tcomplain({call});\n}}\n")
        done = subprocess.run([ENGLISH, path], capture_output=True, text=True)
        assert done.returncode == bool(advice), (call, done.stdout)
        begin = f"message.c:3: {advice}: " if advice else ""
        assert done.stdout.startswith(begin), call


def docstring(tmp_path: pathlib.Path, *lines: str) -> list[str]:
    """What is found in the docstring of a function with these lines."""
    path = tmp_path / "module.py"
    text = "\n".join(f"    {line}".rstrip() for line in lines).lstrip()
    path.write_text(f'# SPDX\n\n\ndef f():\n    """{text}\n    """\n    return "Of {TEN}"\n')
    done = subprocess.run([ENGLISH, path], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (bool(done.stdout), "")
    return [line.removeprefix("module.py:")[:20] for line in done.stdout.splitlines()]


def test_a_sentence_of_a_docstring_is_found_at_its_line(tmp_path: pathlib.Path) -> None:
    assert docstring(tmp_path, "It is one.", "", "Of these it is the last.") == [
        "7: begin with the su"
    ]
    assert docstring(tmp_path, f"{TEN}", f"{TEN} w w w w w w.") == ["5: 26 words: word wo"]
    assert docstring(tmp_path, f"{TEN}", f"{TEN} w w w w w.") == []


@pytest.mark.parametrize("before, after", [
    ('def f():\n    """', '"""\n'),
    ('def f():\n    r"""', '"""\n'),
    ("def f():\n    '''", "'''\n"),
    ('async def f():\n    """', '"""\n'),
    ('class A:\n    async def f(self):\n        R"""', '\n        """\n'),
    ('def f(): "', '"\n'),
    ("def f(): '", "'  # Of it.\n"),
    ('class A: U"', '"; a = "Of it."\n'),
    ('r"""', '"""\n'),
])
def test_each_form_of_a_docstring_is_read_without_its_quotes(
    tmp_path: pathlib.Path, before: str, after: str
) -> None:
    path = tmp_path / "module.py"
    line = before.count("\n") + 1
    # With the code around it, a sentence of 25 words would be too long.
    for words in (25, 26):
        said = " ".join(["w"] * words)
        path.write_text(before + said + after)
        found = subprocess.run([ENGLISH, path], capture_output=True, text=True).stdout
        assert found == (f"module.py:{line}: 26 words: {said}\n" if words == 26 else "")


def test_arguments_and_values_of_a_docstring_are_alone(tmp_path: pathlib.Path) -> None:
    head = ["It is one.", "", "Args:"]
    assert docstring(tmp_path, *head, f"    a: {TEN}", f"        {TEN}", f"    b, c: {TEN}") == []
    assert docstring(tmp_path, *head, f"    a: {TEN}", f"        {TEN}", f"        {TEN}") != []
    value = f'"one": {TEN} {TEN};'
    assert docstring(tmp_path, *head, f"    a: {value} {value}", f"        {value}") == []
    assert docstring(tmp_path, *head, f"    a: of {TEN}; and {TEN}; {TEN}") != []
    assert docstring(tmp_path, *head, "    a: it is said to be one.") != []
    # Outside of a section a colon begins nothing.
    assert docstring(tmp_path, f"{TEN}", f"a: {TEN}", f"b: {TEN}.") != []


def test_code_in_a_docstring_is_no_sentence(tmp_path: pathlib.Path) -> None:
    code = [f"    {TEN}", f"    {TEN}", f"    {TEN}"]
    assert docstring(tmp_path, "It is one::", "", *code) == []
    assert docstring(tmp_path, "It is one::", "", *code, "", "Of it.") != []
    assert docstring(tmp_path, "It is one.", "", *(f">>> {line}" for line in code)) == []
