"""What a command prints may have no reader anymore, as after `| head`: that is no fault."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hosting import PATIENCE


@pytest.mark.parametrize(
    "words",
    ["man", "completion bash", "--help", "config", "agents", "log", "find tea", "stats", "ps"],
)
@pytest.mark.parametrize("both", [False, True])
def test_it_ends_quietly_once_its_reader_has_gone(words: str, both: bool, tmp_path: Path) -> None:
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
