"""What a command prints may have no reader anymore, as after `| head`: that is no fault."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from acp_tui.protocol.process_events import StderrLine
from tests.examples import parametrize
from tests.hosting import PATIENCE
from tests.unit.index.test_index import record, wire


@pytest.mark.parametrize(
    "words",
    ["completion bash", "--help", "config", "agents", "log", "find tea", "stats", "ps"],
)
@parametrize(1, "both", [False, True])
def test_it_ends_quietly_once_its_reader_has_gone(words: str, both: bool, tmp_path: Path) -> None:
    _end_quietly(words, both, tmp_path)


@parametrize(
    3,
    "words",
    [
        "find -n 500 tea.py",
        "find -n 500 --json tea.py",
        "log",
        "log 1",
        "log 1 --json",
        "stats",
        "diff 1 1",
        "policy list",
    ],
)
def test_nor_is_a_recording_or_an_index_blamed_for_it(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    made = wire()
    for number in range(200):  # more than is kept back to be written at once
        made.happened(StderrLine(made.at, f"line {number} of tea.py: {'tea ' * 20}"))
    record("20260101-000000-tea-1", made)
    assert _end_quietly(words, False, tmp_path) == ""


def _end_quietly(words: str, both: bool, tmp_path: Path) -> str:
    """Run a command whose output nobody reads; return what it complained about."""
    reads, writes = os.pipe()
    os.close(reads)
    own = {f"XDG_{name}_HOME": str(tmp_path) for name in ("CONFIG", "STATE", "CACHE", "DATA")}
    ran = subprocess.run(
        [sys.executable, "-m", "acp_tui", *words.split()],
        stdin=subprocess.DEVNULL,
        stdout=writes,
        stderr=writes if both else subprocess.PIPE,
        text=True,
        env=os.environ | own,
        timeout=PATIENCE,
        check=False,
    )
    os.close(writes)
    assert ran.returncode in (0, 1, 2)  # as it would have been, or 0
    if not both:
        assert "Broken" not in ran.stderr
        assert "Traceback" not in ran.stderr
    return ran.stderr or ""
