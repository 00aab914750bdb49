"""Every module can be imported where there is no POSIX; what is missing there is asked for late."""

import subprocess
import sys

CODE = """
import pkgutil, sys
import anyio._backends._asyncio, textual.driver  # theirs to solve
for name in ("fcntl", "termios", "tty", "pty", "pwd", "grp", "resource"):
    sys.modules[name] = None
import os
for name in ("fork", "killpg", "getpgrp", "waitid", "uname", "posix_spawn", "O_NOFOLLOW"):
    if hasattr(os, name):
        delattr(os, name)
import acp_tui
found = [m.name for m in pkgutil.walk_packages(acp_tui.__path__, "acp_tui.")]
for name in found:
    if not name.endswith("__main__") and ".sample" not in name:
        __import__(name)
print(len(found))
"""


def test_no_module_needs_posix_to_be_imported() -> None:
    ran = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert int(ran.stdout) > 100


UNNEEDED = {"pydantic", "pygments", "markdown_it", "pyte", "hashlib", "email", "importlib.metadata"}
"""What takes long to load, and the first prompt can do without."""


def test_a_start_loads_nothing_that_the_first_prompt_does_not_need() -> None:
    code = "import sys; import acp_tui.cli, acp_tui.host, acp_tui.ui.app; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "acp_tui.ui.app" in ran.stdout.split()
    assert not UNNEEDED & set(ran.stdout.split())
