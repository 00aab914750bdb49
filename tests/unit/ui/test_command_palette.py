"""Textual's app is loaded without its command palette."""

import subprocess
import sys

CODE = """
from acp_tui.ui.textual_fixes.command_palette import load_without_palette
load_without_palette()
import sys
import textual.app
assert "textual.command" not in sys.modules
from textual.command import CommandPalette, Provider
class Own(Provider): ...
print(CommandPalette.__module__, Own.__mro__[1].search.__qualname__, textual.command is not None)
load_without_palette()
assert sys.modules["textual.command"].CommandPalette is CommandPalette
"""


def test_who_asks_for_the_palette_itself_gets_it() -> None:
    ran = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True)
    assert (ran.stdout, ran.stderr) == ("textual.command Provider.search True\n", "")
