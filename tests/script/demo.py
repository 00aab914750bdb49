"""The moving picture of the README: `python -m tests.script.demo` plays docs/demo.yaml, writes docs/demo.cast,
and draws that as docs/demo.svg.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from acp_tui.demo_agent.workspace import sample_workspace
from tests.installed import ROOT
from tests.script.animated import draw
from tests.script.casts import Cast
from tests.script.playing import DEMO

SCRIPT = ROOT / "docs" / "demo.yaml"
CAST = ROOT / "docs" / "demo.cast"
PICTURE = ROOT / "docs" / "demo.svg"
_CHANGES = (
    (re.compile(r"\d+\.\d+\.\d+\S*"), "VERSION"),
    (re.compile(r"\d[\d.,:]*\s?(ms|s|m|%)(?!\w)"), "TIME"),
    (re.compile(r"demo…\w+"), "ID"),
    (re.compile(r"[⠁-⣿▁-█]+"), " "),
    (re.compile(r"[ ─]+"), " "),
)
"""What differs from one run, or release, to the next: times, ids, what turns; so does the space beside it."""


def make(path: Path) -> "subprocess.CompletedProcess[str]":
    """Play the script in an empty home, and write its cast."""
    with TemporaryDirectory(prefix="acp-tui-demo-") as home:
        project = Path(home) / "tea"
        project.mkdir()
        sample_workspace(project)
        own = {
            "HOME": home,
            "XDG_CONFIG_HOME": f"{home}/.config",
            "XDG_STATE_HOME": f"{home}/.state",
        }
        words = [
            "script",
            str(SCRIPT),
            "--cast",
            str(path),
            "--size",
            "100x28",
            "--cwd",
            str(project),
        ]
        return subprocess.run(
            [sys.executable, "-m", "acp_tui", *words, "--", *DEMO],
            cwd=project,
            env={**os.environ, **own, "LANG": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )


def scenes(cast: Cast) -> Iterator[str]:
    """What can be read when each step begins, and in the end, without what differs each time."""
    before = ""
    for kind, shown in cast.moments():
        if kind == "m":
            yield _plain(before)
        before = shown
    yield _plain(before)


def _plain(screen: str) -> str:
    for pattern, words in _CHANGES:
        screen = pattern.sub(words, screen)
    return "\n".join(row.strip() for row in screen.split("\n"))


if __name__ == "__main__":
    made = make(CAST)
    sys.stdout.write(made.stdout + made.stderr)
    CAST.chmod(0o644)
    PICTURE.write_text(draw(Cast(CAST.read_text("utf-8"))), "utf-8")
    sys.exit(made.returncode)
