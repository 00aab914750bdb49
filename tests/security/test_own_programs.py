"""What acp-tui starts of itself is itself, wherever that is."""

import os
import subprocess
from pathlib import Path

from acp_tui.cli.demo import AGENT
from acp_tui.config.paths import PROGRAM


def test_a_module_of_the_folder_one_works_in_is_not_loaded(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit(9)")
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path)}
    ran = subprocess.run([*PROGRAM, "log"], cwd=tmp_path, env=env, capture_output=True)
    assert ran.returncode == 0
    assert PROGRAM[1] == AGENT[1] == "-P"
