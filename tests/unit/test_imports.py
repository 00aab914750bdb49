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
