"""What of an edit's input is not shown again below the diff that shows it."""

from typing import Any

import pytest

from acp_tui.edits.shown_changes import envelope_matches, find_repeated_keys, patch_matches
from acp_tui.protocol.content import Diff

PATH = "/work/a.py"
WHOLE = Diff(path=PATH, old_text="one\ntwo\nthree\n", new_text="one\n2\nthree\n")
PIECE = Diff(path=PATH, old_text="two", new_text="2")
NEW = Diff(path=PATH, old_text="", new_text="one\n")
HUNK = "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
NAMED = f"Index: {PATH}\n=====\n--- {PATH}\n+++ {PATH}\n{HUNK}"
GIT = f"diff --git a/a.py b/a.py\nindex 1f..2e 100644\n--- a/a.py\n+++ b/a.py\n{HUNK}"
MADE = "--- /dev/null\n+++ b/a.py\n@@ -0,0 +1 @@\n+one\n"
STEP = {"oldString": "two", "newString": "2"}


@pytest.mark.parametrize(
    ("patch", "diff"),
    [
        (HUNK, WHOLE),
        (NAMED, WHOLE),
        (GIT, WHOLE),
        (MADE, NEW),
        ("@@ -2 +2 @@\n-two\n+2\n", WHOLE),
        ("@@ -0,0 +1,2 @@\n+a\n+b\n", Diff(path=PATH, new_text="a\nb\n")),
        (
            "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n",
            Diff(path=PATH, old_text="a", new_text="b"),
        ),
        (
            "@@ -1 +1 @@\n-a\n+b\n@@ -3,2 +3 @@\n c\n-d\n",
            Diff(path=PATH, old_text="a\nx\nc\nd\ne", new_text="b\nx\nc\ne"),
        ),
    ],
)
def test_a_patch_that_makes_what_a_diff_shows_is_recognized(patch: str, diff: Diff) -> None:
    assert patch_matches(patch, diff)


@pytest.mark.parametrize(
    ("patch", "diff"),
    [
        (None, WHOLE),
        ("", WHOLE),
        ("", Diff(path=PATH, old_text="a", new_text="a")),
        (HUNK, PIECE),
        (HUNK, NEW),
        (NAMED.replace(PATH, "/etc/passwd"), WHOLE),
        (MADE, WHOLE),
        (GIT.replace("index", "new mode 100755\nindex"), WHOLE),
        (GIT.replace("index", "new file mode 120000\nindex"), WHOLE),
        (f"run this first\n{NAMED}", WHOLE),
        (f"run this first\n{HUNK}", WHOLE),
        (f"{HUNK}and more\n", WHOLE),
        (NAMED + NAMED, WHOLE),
        (HUNK.replace("@@ -1,3", "@@ -1,9"), WHOLE),
        (HUNK.replace(" three", " other"), WHOLE),
        ("@@ two @@\n-two\n+2\n", WHOLE),
        ("@@ -1 +1 @@\n\\ No newline at end of file\n", WHOLE),
        ("x" * 1_000_001, WHOLE),
    ],
)
def test_a_patch_that_may_do_more_than_a_diff_shows_is_not(patch: Any, diff: Diff) -> None:
    assert not patch_matches(patch, diff)


@pytest.mark.parametrize(
    ("raw", "diffs", "keys"),
    [
        ({"filepath": PATH, "diff": NAMED}, [WHOLE], {"filepath", "diff"}),
        (
            {"filePath": PATH, "changes": [{**STEP, "replaceAll": False}]},
            [PIECE],
            {"filePath", "changes"},
        ),
        ({"edits": [STEP, {"oldString": "one", "newString": "1"}]}, [PIECE], set()),
        (
            {"edits": [STEP, {"oldString": "one", "newString": "1"}]},
            [PIECE, Diff(path=PATH, old_text="one", new_text="1")],
            {"edits"},
        ),
        ({"edits": [{"path": PATH, "old_text": "two", "new_text": "2"}]}, [WHOLE], {"edits"}),
        ({"edits": [{"path": "/etc/x", "old_text": "two", "new_text": "2"}]}, [WHOLE], set()),
        ({"edits": [{**STEP, "replaceAll": True}]}, [WHOLE], set()),
        ({"edits": [{**STEP, "mode": "0777"}]}, [WHOLE], set()),
        ({"edits": [{"oldString": 1, "newString": 2}]}, [WHOLE], set()),
        ({"edits": [{"newString": "2"}]}, [WHOLE], set()),
        ({"edits": [STEP, "rm x"]}, [PIECE], set()),
        ({"edits": []}, [], set()),
        ({"edits": "two"}, [PIECE], set()),
        ({"changes": {PATH: {"type": "add", "content": "one\n"}}}, [NEW], {"changes"}),
        ({"changes": {PATH: {"add": {"content": "one\n"}}}}, [NEW], {"changes"}),
        ({"changes": {PATH: {"add": {"content": "one\n"}, "x": 1}}}, [NEW], set()),
        ({"changes": {PATH: {"type": "add", "content": "2\n"}}}, [NEW], set()),
        ({"changes": {PATH: {"type": "update", "unified_diff": HUNK}}}, [WHOLE], {"changes"}),
        (
            {"changes": {PATH: {"update": {"unified_diff": HUNK, "move_path": None}}}},
            [WHOLE],
            {"changes"},
        ),
        (
            {"changes": {PATH: {"update": {"unified_diff": HUNK, "move_path": "/etc/x"}}}},
            [WHOLE],
            set(),
        ),
        ({"changes": {PATH: {"type": "delete"}}}, [WHOLE], set()),
        (
            {"changes": {PATH: {"add": {"content": "one\n"}}, "/etc/x": {"type": "delete"}}},
            [NEW],
            set(),
        ),
        ({"changes": {}}, [NEW], set()),
        ({"grant_root": "/", "content": "one\n"}, [NEW], {"content"}),
    ],
)
def test_keys_of_which_diffs_show_all_are_found(
    raw: dict[str, Any], diffs: list[Diff], keys: set[str]
) -> None:
    assert find_repeated_keys(raw, diffs) == keys


def envelope(*files: str) -> str:
    return "\n".join(["*** Begin Patch", *files, "*** End Patch"])


UPDATE = f"*** Update File: {PATH}\n@@\n one\n-two\n+2"
ADD = f"*** Add File: {PATH}\n+one"
CLASSES = Diff(
    path="a.py",
    old_text="class A:\n    x = 1\n\nclass B:\n    def f():\n        x = 1\nend",
    new_text="class A:\n    x = 1\n\nclass B:\n    def f():\n        x = 2\nEND",
)
DEEPER = "@@ class B:\n@@     def f():\n-        x = 1\n+        x = 2\n@@\n-end\n+END"


@pytest.mark.parametrize(
    ("patch", "diffs"),
    [
        (envelope(UPDATE), [WHOLE]),
        (envelope(f"*** Update File: {PATH}\n-two\n+2"), [WHOLE]),
        (envelope(f"*** Update File: {PATH}\n@@\n-two\n+2"), [PIECE]),
        (envelope("*** Update File: a.py\n@@\n-two\n+2") + "\n", [WHOLE]),
        (envelope(ADD), [NEW]),
        (envelope(ADD), [Diff(path=PATH, new_text="one")]),
        (
            envelope(ADD, "*** Update File: b\n-a\n+b"),
            [NEW, Diff(path="b", old_text="a", new_text="b")],
        ),
        (envelope(f"*** Update File: a.py\n{DEEPER}"), [CLASSES]),
        (
            envelope("*** Update File: b\n a\n\n-c\n+d"),
            [Diff(path="b", old_text="a\n\nc\n", new_text="a\n\nd\n")],
        ),
    ],
)
def test_an_envelope_that_makes_what_the_diffs_show_is_not_shown_again(
    patch: str, diffs: list[Diff]
) -> None:
    assert envelope_matches(patch, diffs)
    assert find_repeated_keys({"input": patch}, diffs) == {"input"}


@pytest.mark.parametrize(
    "patch",
    [
        None,
        "x" * 1_000_001,
        "",
        envelope(),
        UPDATE,
        envelope("rm -rf ~", UPDATE),
        envelope(UPDATE, "*** Delete File: /work/b.py"),
        envelope(f"*** Delete File: {PATH}"),
        envelope("*** Update File: /etc/passwd\n-two\n+2"),
        envelope(f"*** Update File: {PATH}\n*** Move to: /etc/passwd\n-two\n+2"),
        envelope(f"*** Update File: {PATH}\n-two\n+3"),
        envelope(f"*** Update File: {PATH}\n-four\n+2"),
        envelope(f"*** Update File: {PATH}\n+2"),
        envelope(f"*** Update File: {PATH}\n@@ nowhere\n-two\n+2"),
        envelope(f"*** Update File: {PATH}\nmore"),
        envelope(f"*** Add File: {PATH}\n one"),
        envelope(f"*** Add File: {PATH}\n+one"),
    ],
)
def test_an_envelope_that_may_do_more_than_the_diffs_show_is_shown(patch: Any) -> None:
    assert not envelope_matches(patch, [WHOLE])
