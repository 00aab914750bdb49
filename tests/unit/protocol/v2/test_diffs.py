"""Diffs of version 2: changes of files, and patches of git's, read as what is shown."""

from typing import Any

import pytest

from acp_tui.protocol import git_patch
from acp_tui.protocol.content import Diff, FileChange, ShownContent
from acp_tui.protocol.v2.updates import ToolCallContentChunk

MODIFIED = """\
diff --git /w/tea.txt /w/tea.txt
index 3367afd..3e75765 100644
--- /w/tea.txt
+++ /w/tea.txt
@@ -1,2 +1,2 @@
 kettle
-old
+new
@@ -9 +9 @@ void
-last
\\ No newline at end of file
+end
\\ No newline at end of file
"""
ADDED = """\
diff --git /w/new /w/new
new file mode 100755
--- /dev/null
+++ /w/new
@@ -0,0 +1 @@
+hi
"""
DELETED = """\
diff --git /w/old /w/old
deleted file mode 100644
--- /w/old
+++ /dev/null
@@ -1 +0,0 @@
-bye
"""
MOVED = """\
diff --git /w/a /w/b
similarity index 100%
rename from /w/a
rename to /w/b
"""
COPIED = """\
diff --git /w/a /w/c
similarity index 50%
copy from /w/a
copy to /w/c
--- /w/a
+++ /w/c
@@ -1 +1 @@
-x
+y
"""
MODE = """\
diff --git /w/run /w/run
old mode 100644
new mode 100755
"""
BINARY = """\
diff --git /w/p.png /w/p.png
index 1..2 100644
Binary files /w/p.png and /w/p.png differ
"""
BYTES = """\
diff --git /w/q.png /w/q.png
index 1..2 100644
GIT binary patch
literal 3
KcmZQzWMKdR

"""


def shown(
    *changes: dict[str, Any], patch: str | None = None, kind: str = "git_patch"
) -> list[ShownContent]:
    diff: dict[str, Any] = {"type": "diff", "changes": list(changes)}
    if patch is not None:
        diff["patch"] = {"format": kind, "text": patch}
    update = {"sessionUpdate": "tool_call_content_chunk", "toolCallId": "c", "content": diff}
    return ToolCallContentChunk.model_validate(update).shown


def change(operation: str, path: str, **fields: Any) -> dict[str, Any]:
    return {"operation": operation, "path": path, **fields}


def test_each_hunk_is_a_diff() -> None:
    assert shown(change("modify", "/w/tea.txt", fileType="text"), patch=MODIFIED) == [
        Diff(path="/w/tea.txt", old_text="kettle\nold\n", new_text="kettle\nnew\n"),
        Diff(path="/w/tea.txt", old_text="last", new_text="end"),
    ]


def test_new_and_deleted_files_are_whole() -> None:
    changes = change("add", "/w/new"), change("delete", "/w/old")
    assert shown(*changes, patch=ADDED + DELETED) == [
        FileChange(operation="add", path="/w/new", details=["mode 100755"]),
        Diff(path="/w/new", old_text=None, new_text="hi\n"),
        Diff(path="/w/old", old_text="bye\n", new_text=""),
    ]


def test_moves_and_copies_are_told_with_what_changes_in_them() -> None:
    move = change("move", "/w/b", oldPath="/w/a")
    copy = change("copy", "/w/c", oldPath="/w/a")
    assert shown(copy, move, patch=MOVED + COPIED) == [
        FileChange(operation="copy", path="/w/c", old_path="/w/a"),
        Diff(path="/w/c", old_text="x\n", new_text="y\n"),
        FileChange(operation="move", path="/w/b", old_path="/w/a"),
    ]


def test_modes_and_bytes_are_told_in_words() -> None:
    changes = change("modify", "/w/run"), change("modify", "/w/p.png", fileType="binary")
    assert shown(*changes, change("modify", "/w/q.png"), patch=MODE + BINARY + BYTES) == [
        FileChange(operation="modify", path="/w/run", details=["mode 100644 to 100755"]),
        FileChange(operation="modify", path="/w/p.png", details=["binary"]),
        FileChange(operation="modify", path="/w/q.png", details=["binary"]),
    ]


def test_without_a_patch_the_changes_are_told() -> None:
    changes = (
        change("add", "/w/link", fileType="symlink", mimeType="inode/symlink"),
        change("_swap", "/w/x", oldPath=3),
        {"operation": "_tidy", "path": 4},
        {"operation": "move", "path": "/malformed"},
    )
    assert shown(*changes) == [
        FileChange(operation="add", path="/w/link", details=["symlink", "inode/symlink"]),
        FileChange(operation="_swap", path="/w/x"),
        FileChange(operation="_tidy"),
    ]


def test_what_only_the_patch_tells_is_told_as_such() -> None:
    found = shown(change("add", "/w/elsewhere"), patch=DELETED + MOVED + ADDED)
    assert [one for one in found if isinstance(one, FileChange)] == [
        FileChange(operation="add", path="/w/elsewhere"),
        FileChange(operation="change", path="/w/old", details=["only in the patch"]),
        FileChange(operation="change", path="/w/b", old_path="/w/a", details=["only in the patch"]),
        FileChange(operation="change", path="/w/new", details=["mode 100755", "only in the patch"]),
    ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("a new format", "_words"),
        ("no patch at all", "git_patch"),
        (MODIFIED.replace("@@ -1,2", "@@ -1,3"), "git_patch"),
        (MODIFIED.replace("@@ -1,2 +1,2 @@", "@@ somewhere @@"), "git_patch"),
        (MODIFIED.replace(" kettle", "?kettle"), "git_patch"),
        (MODIFIED.replace("-old", "+old"), "git_patch"),
        (MODIFIED.replace("index", "unheard-of"), "git_patch"),
        (ADDED.replace("+hi\n", ""), "git_patch"),
        (ADDED.removesuffix("+hi\n").rstrip(), "git_patch"),
        (f"From: someone\n{MODIFIED}", "git_patch"),
        (f"{MODIFIED}-- \n2.40", "git_patch"),
        ("diff --git /w/a /w/b\n", "git_patch"),
        ('diff --git "/w/\\z" "/w/\\z"\n', "git_patch"),
        ('diff --git " "\n', "git_patch"),
        ('diff --git "/w/\\777" "/w/\\777"\n', "git_patch"),
        ("diff --git /w/a /w/a\n--- /w/a\n+++ /w/a\n@@ -1,0 +2 @@\n+where\n", "git_patch"),
    ],
)
def test_a_patch_that_cant_be_read_is_shown_as_it_came(text: str, kind: str) -> None:
    told, patch = shown(change("modify", "/w/tea.txt"), patch=text, kind=kind)
    assert told == FileChange(operation="modify", path="/w/tea.txt")
    assert patch == FileChange(operation="patch", details=[kind], patch=text)


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("/w/two words", "/w/two words"),
        ('"/w/\\303\\244\\t\\"\\\\"', '/w/ä\t"\\'),
    ],
)
def test_names_are_read_as_git_writes_them(written: str, path: str) -> None:
    (file,) = (
        git_patch.read_patch(f"diff --git {written} {written}\nold mode 1\nnew mode 2\n") or []
    )
    assert file.paths == (path, path)
    (file,) = git_patch.read_patch(f"diff --git x y\n--- {written}\n+++ {written}\t\n") or []
    assert file.paths == (path, path)


def test_a_mode_may_be_told_without_the_one_before() -> None:
    (file,) = git_patch.read_patch("diff --git /w/a /w/a\nnew mode 100755") or []
    assert file.details == ("mode ? to 100755",)
