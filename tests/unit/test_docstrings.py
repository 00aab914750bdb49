"""A string on its own documents the name in the line above it: when that name moves, it moves, too."""

import re
from pathlib import Path

import acp_tui

LEFT_BEHIND = re.compile(r'\n\n *"""\S.*')
"""A string below a blank line; the first one of a file is below nothing."""


def test_no_docstring_was_left_behind() -> None:
    assert LEFT_BEHIND.search('import os\n\n"""Seconds to wait."""\nNEXT = 1\n')
    files = list(Path(acp_tui.__file__).parent.rglob("*.py"))
    assert len(files) > 100
    found = [
        (one.name, left) for one in files for left in LEFT_BEHIND.findall(one.read_text("utf-8"))
    ]
    assert found == []
