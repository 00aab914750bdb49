"""Patches as edits."""

import pytest

from acp_tui.session.edits import Edit, Step, fit
from acp_tui.session.patches import LONGEST, names, read_patch

BEGUN = """\
*** Begin Patch
*** Add File: new.txt
+one
+
+two
*** Update File: src/a.py
@@ def f():
     a = 1
-    b = 2
+    b = 3

@@
 last
+more
*** End of File
*** Delete File: old.txt
*** End Patch"""

UNIFIED = """\
diff --git a/src/a.py b/src/a.py
index 123..456 100644
--- a/src/a.py\t2026-01-01
+++ b/src/a.py
@@ -1,3 +1,3 @@ def f():
 a
-b
+B
 c
@@ -9 +9,2 @@
 z
+end
\\ No newline at end of file
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1,2 @@
+one
+two
diff --git a/old.txt b/old.txt
--- a/old.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
"""

HUNK = "@@ -1,2 +1,2 @@\n-a\n+A\n b\n"


def test_a_begun_patch() -> None:
    assert read_patch(BEGUN) == [
        Edit("new.txt", (Step(None, "one\n\ntwo\n"),)),
        Edit(
            "src/a.py",
            (
                Step("    a = 1\n    b = 2", "    a = 1\n    b = 3", lines=True, anchor="def f():"),
                Step("last", "last\nmore", lines=True),
            ),
        ),
        Edit("old.txt", (), deletes=True),
    ]
    assert names(BEGUN) == ["new.txt", "src/a.py", "old.txt"]


def test_a_unified_diff_of_several_files() -> None:
    assert read_patch(UNIFIED.replace("\n", "\r\n")) == [
        Edit("src/a.py", (Step("a\nb\nc", "a\nB\nc", lines=True), Step("z", "z\nend", lines=True))),
        Edit("new.txt", (Step(None, "one\ntwo\n"),)),
        Edit("old.txt", (), deletes=True),
    ]
    assert names(UNIFIED) == ["src/a.py", "src/a.py", "new.txt", "old.txt"]


def test_hunks_are_of_the_file_that_is_named_beside_them() -> None:
    assert read_patch(HUNK, "a.txt") == [Edit("a.txt", (Step("a\nb", "A\nb", lines=True),))]
    assert read_patch(HUNK) == []


def test_blocks_of_search_and_replace() -> None:
    block = "------- SEARCH\na\nb\n=======\nA\n+++++++ REPLACE\n"
    other = "<<<<<<< SEARCH\nc\n=======\n>>>>>>> REPLACE"
    assert read_patch(block + other, "a.txt") == [Edit("a.txt", (Step("a\nb", "A"), Step("c", "")))]
    assert read_patch(block) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no patch",
        HUNK + "x" * LONGEST,
        "*** Begin Patch\n*** Update File: a\n@@\n+only more\n*** End Patch",
        "*** Begin Patch\n*** Update File: a\n*** End Patch",
        "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n+only more\n*** End Patch",
        "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n@@",
        "--- a/a\n+++ b/a\n@@ -1,0 +2 @@\n+only more\n",
    ],
)
def test_of_what_is_no_patch_or_does_more_nothing_is_said(text: str) -> None:
    assert read_patch(text, "a.txt") == []


GIT = "diff --git a/a b/b\nsimilarity index 90%\n"


@pytest.mark.parametrize(
    ("text", "stays", "steps"),
    [
        (
            "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** End Patch",
            False,
            1,
        ),
        ("*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** End Patch", False, 0),
        (f"{GIT}rename from a\nrename to b\n--- a/a\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n", False, 1),
        (f"{GIT}rename from a\nrename to b\n", False, 0),
        (f"{GIT}copy from a\ncopy to b\n", True, 0),
    ],
)
def test_a_patch_may_move_and_copy_files(text: str, stays: bool, steps: int) -> None:
    there = Edit("b", (Step("x", "y", lines=True),)[:steps], source="a")
    gone = Edit("a", (), deletes=True)
    assert read_patch(text) == ([there] if stays else [there, gone])
    assert {"a", "b"} <= set(names(text))


def test_of_several_files_one_is_moved() -> None:
    moves = f"{GIT}rename from a\nrename to b\n"
    assert read_patch(UNIFIED + moves) == [
        *read_patch(UNIFIED),
        Edit("b", (), source="a"),
        Edit("a", (), deletes=True),
    ]


def test_a_patch_fits_its_file() -> None:
    (edit,) = read_patch("*** Begin Patch\n*** Update File: a\n@@\n alpha\n-beta\n+BETA\n gamma")
    assert fit("# Hello\n\nalpha\nbeta\ngamma\n", edit).outcomes == [
        "# Hello\n\nalpha\nBETA\ngamma\n"
    ]
    (edit,) = read_patch(HUNK, "a")
    assert fit("a\nb\n", edit).outcomes == ["A\nb\n"]


NUMBERED = "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n"
FILE = f"--- a/a.py\n+++ b/a.py\n{NUMBERED}"
CHANGED = Step("one\ntwo\nthree", "one\nTWO\nthree", lines=True)


@pytest.mark.parametrize(
    "text",
    [
        FILE,
        f"From: me\n\n a.py | 2 +-\n\ndiff --git a/a.py b/a.py\n{FILE}-- \n2.39.0\n",
        f"{FILE}\\ No newline at end of file\n",
        f"{FILE}\n\n",
        FILE.replace("3 @@", "9 @@"),
        FILE.replace("3 @@", "9 @@") + "what\n",
    ],
)
def test_a_hunk_ends_where_its_numbers_say(text: str) -> None:
    assert read_patch(text) == [Edit("a.py", (CHANGED,))]


def test_lines_of_a_change_may_look_like_the_names_of_a_file() -> None:
    text = "--- a.py\n+++ a.py\n@@ -1,3 +1,3 @@\n one\n--- x\n+++ y\n three\n"
    assert read_patch(text) == [
        Edit("a.py", (Step("one\n-- x\nthree", "one\n++ y\nthree", lines=True),))
    ]


ADD = "*** Begin Patch\n*** Add File: n\n+x\n"
UPDATE = "*** Update File: a.py\n@@\n-two\n+TWO\n"


@pytest.mark.parametrize(
    "text",
    [
        f"{FILE}-three\n",
        'diff --git "a/\\303" "b/\\303"\n--- "a/\\303"\n+++ "b/\\303"\n@@ -1 +1 @@\n-x\n+y\n',
        f"diff --git a/a.py b/a.py\n{FILE}diff --git a/b b/b\nold mode 100644\nnew mode 100755\n",
        f"diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n{NUMBERED}",
        f"{ADD} *** Delete File: b\n*** End Patch",
        f"{ADD}*** Update File: n\n@@\n-x\n+y\n*** End Patch",
        f"*** Begin Patch\n{UPDATE}{UPDATE}*** End Patch",
        f"*** Begin Patch\n{UPDATE}*** End Patch\n*** Delete File: b\n",
        "*** Begin Patch\n*** Delete File: b\n *** Delete File: c\n*** End Patch",
        f"*** Begin Patch\nwhat\n{UPDATE}*** End Patch",
    ],
)
def test_nothing_is_said_of_a_patch_that_may_be_taken_in_two_ways(text: str) -> None:
    assert read_patch(text) == []
