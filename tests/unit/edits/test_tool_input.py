"""The edits that an input tells of, by its shape."""

from typing import Any

import pytest

from acp_tui.edits.edits import Edit, EditStep
from acp_tui.edits.tool_input import find_edited_files, read_input

PATCH = "*** Begin Patch\n*** Delete File: /w/b\n*** End Patch"
HUNK = "@@ -1 +1 @@\n-a\n+b\n"
BLOCK = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE"
ONE = [Edit("/w/a", (EditStep("1", "2"),))]


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
            [Edit("/w/a", (EditStep("1", ""),))],
        ),
        (
            {"path": "/w/a", "oldText": "1", "newText": "2", "replaceAll": True},
            [Edit("/w/a", (EditStep("1", "2", every=True),))],
        ),
        (
            {"path": "/w/a", "oldText": "1", "newText": "2", "expected_replacements": 3},
            [Edit("/w/a", (EditStep("1", "2", every=True),))],
        ),
        ({"path": "/w/a", "oldText": "1", "newText": "2", "expected_replacements": 1}, ONE),
        (
            {"file_path": "/w/a", "edits": [{"old_string": "1", "new_string": "2"}] * 2},
            [Edit("/w/a", (EditStep("1", "2"), EditStep("1", "2")))],
        ),
        ({"edits": [{"path": "/w/a", "old_string": "1", "new_string": "2"}]}, ONE),
        ({"path": "/w/a", "content": ""}, [Edit("/w/a", (EditStep(None, ""),))]),
        (
            {"path": "/w/a", "command": "create", "file_text": "x"},
            [Edit("/w/a", (EditStep(None, "x"),))],
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
    assert read_input(raw) == [Edit("/w/a", (EditStep("", text, after=line),))]
    assert list(find_edited_files(raw)) == ["/w/a"]


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
        PATCH,
        {"input": PATCH},
        {"path": "/w/a", "diff": HUNK},
        {"path": "/w/a", "diff": BLOCK},
        {"command": ["apply_patch", PATCH]},
        {"changes": {"/w/a": {"type": "update", "unified_diff": HUNK}}},
        {"old_str": "1", "new_str": "2"},
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
        ({"path": "/w/a", "patch": PATCH}, []),
        (PATCH, []),
    ],
)
def test_an_input_names_its_files_before_it_is_whole(raw: Any, files: list[str]) -> None:
    assert list(find_edited_files(raw)) == files


def test_a_text_before_the_first_line_is_no_insertion() -> None:
    raw = {"path": "a", "command": "insert", "insert_line": -1, "new_str": "x"}
    assert read_input(raw) == []
    assert read_input({**raw, "insert_line": 0}) != []
