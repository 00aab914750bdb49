"""The edits that an input tells of, by its shape."""

from typing import Any

import pytest

from acp_tui.session.edit_input import names_files, read_input, runs_patch
from acp_tui.session.edits import Edit, Step

PATCH = "*** Begin Patch\n*** Delete File: /w/b\n*** End Patch"
HUNK = "@@ -1 +1 @@\n-a\n+b\n"
APPLIED = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** End Patch"
ONE = [Edit("/w/a", (Step("1", "2"),))]


@pytest.mark.parametrize(
    ("raw", "edits"),
    [
        ({"file_path": "/w/a", "old_string": "1", "new_string": "2", "replace_all": False}, ONE),
        ({"filePath": "/w/a", "oldString": "1", "newString": "2"}, ONE),
        ({"file_path": "/w/a", "old_text": "1", "new_text": "2"}, ONE),
        ({"path": "/w/a", "command": "str_replace", "old_str": "1", "new_str": "2"}, ONE),
        ({"tool": "edit", "input": {"path": "/w/a", "old_str": "1", "new_str": "2"}}, ONE),
        (
            {"path": "/w/a", "old_str": "1", "new_str": "", "file_text": "", "view_range": None},
            [Edit("/w/a", (Step("1", ""),))],
        ),
        (
            {"path": "/w/a", "oldText": "1", "newText": "2", "replaceAll": True},
            [Edit("/w/a", (Step("1", "2", every=True),))],
        ),
        (
            {"path": "/w/a", "oldText": "1", "newText": "2", "expected_replacements": 3},
            [Edit("/w/a", (Step("1", "2", every=True),))],
        ),
        ({"path": "/w/a", "oldText": "1", "newText": "2", "expected_replacements": 1}, ONE),
        (
            {"file_path": "/w/a", "edits": [{"old_string": "1", "new_string": "2"}] * 2},
            [Edit("/w/a", (Step("1", "2"), Step("1", "2")))],
        ),
        ({"edits": [{"path": "/w/a", "old_string": "1", "new_string": "2"}]}, ONE),
        ({"path": "/w/a", "content": ""}, [Edit("/w/a", (Step(None, ""),))]),
        (
            {"path": "/w/a", "command": "create", "file_text": "x"},
            [Edit("/w/a", (Step(None, "x"),))],
        ),
        (PATCH, [Edit("/w/b", (), deletes=True)]),
        ({"input": PATCH}, [Edit("/w/b", (), deletes=True)]),
        (
            {"path": "/w/a", "diff": HUNK},
            [Edit("/w/a", (Step("a", "b", lines=True),))],
        ),
        (
            {
                "changes": {
                    "/w/a": {"type": "update", "unified_diff": HUNK, "move_path": None},
                    "/w/b": {"type": "delete", "content": "x"},
                    "/w/c": {"add": {"content": "new"}},
                }
            },
            [
                Edit("/w/a", (Step("a", "b", lines=True),)),
                Edit("/w/b", (), deletes=True),
                Edit("/w/c", (Step(None, "new"),)),
            ],
        ),
    ],
)
def test_an_input_tells_of_edits(raw: Any, edits: list[Edit]) -> None:
    assert read_input(raw) == edits


@pytest.mark.parametrize(
    ("raw", "line", "text"),
    [
        ({"path": "/w/a", "command": "insert", "insert_line": 7, "new_str": "x"}, 7, "x"),
        ({"path": "/w/a", "command": "insert", "insert_line": 0, "insert_text": "x\n"}, 0, "x\n"),
        ({"filePath": "/w/a", "insertLine": 1, "newText": "x", "old_str": ""}, 1, "x"),
    ],
)
def test_an_input_may_insert_lines(raw: Any, line: int, text: str) -> None:
    assert read_input(raw) == [Edit("/w/a", (Step("", text, after=line),))]
    assert list(names_files(raw)) == ["/w/a"]


@pytest.mark.parametrize(
    "change",
    [
        {"type": "update", "unified_diff": HUNK, "move_path": "/w/b"},
        {"update": {"unified_diff": HUNK, "move_path": "/w/b"}},
    ],
)
def test_a_change_may_move_its_file(change: Any) -> None:
    raw = {"changes": {"/w/a": change}}
    assert read_input(raw) == [
        Edit("/w/b", (Step("a", "b", lines=True),), source="/w/a"),
        Edit("/w/a", (), deletes=True),
    ]
    assert list(names_files(raw)) == ["/w/a", "/w/b"]


@pytest.mark.parametrize(
    "body",
    [
        {"command": ["apply_patch", APPLIED]},
        {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{APPLIED}\nEOF\n"]},
        {"command": "apply_patch", "args": [APPLIED]},
        {"cmd": f"apply_patch '{APPLIED}'"},
        {"cmd": f"apply_patch <<EOF\n{APPLIED}\nEOF"},
        {"command": f'applypatch <<"END"\n{APPLIED}\nEND'},
        {"command": f"bash -lc \"apply_patch '{APPLIED}'\""},
    ],
)
def test_a_command_may_apply_a_patch(body: dict[str, Any]) -> None:
    there = {**body, "workdir": "/w/d", "timeout": 9}
    assert runs_patch(body)
    assert read_input(body) == [
        Edit("b", (Step("x", "y", lines=True),), source="a"),
        Edit("a", (), deletes=True),
    ]
    assert read_input(there) == [
        Edit("/w/d/b", (Step("x", "y", lines=True),), source="/w/d/a"),
        Edit("/w/d/a", (), deletes=True),
    ]
    assert list(names_files(there)) == ["/w/d/a", "/w/d/b"]


@pytest.mark.parametrize(
    "command",
    [
        f"apply_patch '{APPLIED}' && rm x",
        f"apply_patch <<'EOF'\n{APPLIED}\nEOF\nrm x\nEOF",
        f"apply_patch <<EOF\n{APPLIED}$(rm x)\nEOF",
        f"apply_patch <<'EOF' && rm x\n{APPLIED}\nEOF",
        f'apply_patch "{APPLIED}$X"',
        "apply_patch",
        ["apply_patch", APPLIED, "more"],
        ["apply_patch", 7],
        ["sudo", "apply_patch", APPLIED],
        [],
        7,
        "",
    ],
)
def test_a_command_that_does_more_is_no_patch(command: Any) -> None:
    assert not runs_patch({"command": command})
    assert not runs_patch({"command": "apply_patch", "args": command})
    assert not runs_patch({"command": ["apply_patch", APPLIED], "cmd": command})
    assert read_input({"command": command}) == []


@pytest.mark.parametrize(
    "raw",
    [
        None,
        7,
        [],
        {},
        "",
        {"path": "/w/a", "content_length": 3},
        {"path": "/w/a", "content": "x", "append": True},
        {"path": "/w/a", "content": "x", "mode": "append"},
        {"path": "/w/a", "content": "x", "mode": 7},
        {"path": "/w/a", "content": "x", "insert_line": 7},
        {"path": "/w/a", "new_str": "x", "old_str": "y", "insert_line": 7},
        {"path": "/w/a", "new_str": "x", "insert_text": "y", "insert_line": 7},
        {"path": "/w/a", "new_str": "x", "insert_line": 7, "regex": True},
        {"path": "/w/a", "command": "insert", "new_str": "x"},
        {"path": "/w/a", "new_str": "x", "insert_line": True},
        {"new_str": "x", "insert_line": 7},
        {"command": ["git", "apply", PATCH]},
        {"path": "/w/a", "content": "x", "old_str": "y"},
        {"path": "/w/a", "content": "x", "old_str": "y", "new_str": "z"},
        {"path": "/w/a", "file": "/w/b", "content": "x"},
        {"path": ["/w/a"], "content": "x"},
        {"path": "/w/a", "old_str": "1", "old_text": "2", "new_str": "3"},
        {"path": "/w/a", "old_str": "1", "new_str": "2", "regex": True},
        {"path": "/w/a", "edits": [{"old_string": "1", "new_string": "2", "dry_run": True}]},
        {"path": "/w/a", "edits": [{"old_string": "1", "new_string": "2"}, "more"]},
        {"path": "/w/a", "edits": [{"old_string": "1"}]},
        {"path": "/w/a", "edits": []},
        {"path": "/w/a", "edits": "all"},
        {"path": "/w/a", "patch": "no patch"},
        {"old_str": "1", "new_str": "2"},
        {"changes": {"/w/a": "x"}},
        {"changes": {"/w/a": {"add": "x"}}},
        {"changes": {"/w/a": {"type": "add"}}},
        {"changes": {"/w/a": {"type": "unheard of", "content": "x"}}},
    ],
)
def test_of_an_input_that_is_not_understood_nothing_is_said(raw: Any) -> None:
    assert read_input(raw) == []


@pytest.mark.parametrize(
    ("raw", "files"),
    [
        ({"file_path": "/w/a"}, []),
        ({"file_path": "/w/a", "old_string": "1"}, ["/w/a"]),
        ({"file_path": "/w/a", "content": "some"}, ["/w/a"]),
        ({"content": "some"}, []),
        ({"path": "/w/a", "edits": []}, ["/w/a"]),
        ({"patch": PATCH}, ["/w/b"]),
        (PATCH, ["/w/b"]),
        ({"changes": {"/w/a": {}, "/w/b": {}}}, ["/w/a", "/w/b"]),
    ],
)
def test_an_input_names_its_files_before_it_is_whole(raw: Any, files: list[str]) -> None:
    assert list(names_files(raw)) == files


def test_a_text_before_the_first_line_is_no_insertion() -> None:
    raw = {"path": "a", "command": "insert", "insert_line": -1, "new_str": "x"}
    assert read_input(raw) == []
    assert read_input({**raw, "insert_line": 0}) != []
