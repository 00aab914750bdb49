"""The command line."""

import json
import subprocess
import sys
from pathlib import Path

from tests.check.running import DEMO


def check(
    *words: str, cwd: Path, agent: tuple[str, ...] = DEMO
) -> "subprocess.CompletedProcess[str]":
    line = [sys.executable, "-m", "acp_tui", "check", *words, *(["--", *agent] if agent else [])]
    return subprocess.run(line, cwd=cwd, capture_output=True, text=True, timeout=60)


def test_it_says_the_cost_before_and_the_verdicts_after(tmp_path: Path) -> None:
    ran = check("--only", "A3,A12", f"--json={tmp_path / 'made.json'}", cwd=tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "2 checks, at most 1 turn" in ran.stderr
    assert "pass  A3" in ran.stdout
    made = json.loads((tmp_path / "made.json").read_text())
    assert [one["outcome"] for one in made["checks"]] == ["pass", "pass"]
    assert Path(made["checks"][0]["recording"]).exists()
    replayed = [sys.executable, "-m", "acp_tui", "log", made["checks"][0]["recording"]]
    assert "initialize" in subprocess.run(replayed, capture_output=True, text=True).stdout


def test_a_dry_run_starts_nothing(tmp_path: Path) -> None:
    marker = tmp_path / "started"
    ran = check(
        "--dry-run", "--prompt-for", "say=hi there", cwd=tmp_path, agent=("touch", str(marker))
    )
    assert ran.returncode == 0
    assert "hi there" in ran.stdout
    assert not marker.exists()


def test_an_agent_that_cannot_be_started_is_a_usage_error(tmp_path: Path) -> None:
    ran = check("--only", "A3", cwd=tmp_path, agent=("no-such-agent",))
    assert ran.returncode == 2
    assert "no-such-agent" in ran.stderr


def test_an_agent_that_fails_is_told_with_how_to_see_it_again(tmp_path: Path) -> None:
    ran = check("--only", "A3", "--timeout", "5", cwd=tmp_path, agent=("true",))
    assert ran.returncode == 1
    assert "FAIL  A3" in ran.stdout
    assert "$ acp-tui check --only A3 -- true" in ran.stdout


def test_a_report_never_replaces_another_file(tmp_path: Path) -> None:
    kept = tmp_path / "notes.json"
    kept.write_text("mine")
    ran = check("--only", "A3", f"--json={kept}", cwd=tmp_path)
    assert ran.returncode == 2
    assert kept.read_text() == "mine"
    assert check("--json", "--junit", cwd=tmp_path).returncode == 2


def test_usage_errors_are_told_before_anything_runs(tmp_path: Path) -> None:
    assert check("--only", "B9", cwd=tmp_path).returncode == 2
    assert check("--prompt-for", "dance=now", cwd=tmp_path).returncode == 2
    assert check(cwd=tmp_path, agent=()).returncode == 2
    assert check("--env", "NAME", cwd=tmp_path).returncode == 2
    assert check("--connect", "ws://127.0.0.1:9/acp", cwd=tmp_path).returncode == 2
