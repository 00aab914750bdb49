"""Unified diffs: git applies them, and what comes out is the new text."""

import subprocess
from pathlib import Path

import pytest

from acp_tui.edits.hunks import format_unified_diff
from acp_tui.edits.steps import finish_steps
from acp_tui.protocol.content import Diff


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", "new\n"),
        ("a\nb\nc", "a\nc\n"),
        ("".join(f"{n}\n" for n in range(50)), "".join(f"{n}\n" for n in range(1, 60) if n != 25)),
        ("x\n\ny\r\nz", "x\n\x0c\ny\r\nz"),
        ("one\n", ""),
    ],
)
def test_a_diff_is_one_that_patch_can_apply(tmp_path: Path, old: str, new: str) -> None:
    target = tmp_path / "file"
    target.write_bytes(old.encode())
    text = finish_steps(format_unified_diff(Diff(path="file", old_text=old, new_text=new)))
    ran = subprocess.run(
        ["git", "apply", "-p0", "-"], input=text.encode(), cwd=tmp_path, capture_output=True
    )
    assert ran.returncode == 0, ran.stderr.decode() + text
    assert (target.read_bytes() if target.exists() else b"") == new.encode()


def test_of_equal_texts_there_is_only_the_header() -> None:
    assert (
        finish_steps(format_unified_diff(Diff(path="a", old_text="x\n", new_text="x\n")))
        == "--- a\n+++ a\n"
    )
