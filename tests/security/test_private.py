"""What is kept about a person's work is for nobody else to read."""

import os
from pathlib import Path

import pytest

from acp_tui.ui.new_files import write_beside
from tests.fake_agent.script import Script
from tests.hosting import run_turn
from tests.in_process import run_program

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")


def open_to_others(folder: Path) -> list[Path]:
    return [path for path in [folder, *folder.rglob("*")] if path.stat().st_mode & 0o077]


def test_all_that_is_kept_is_ours_alone(tmp_path: Path) -> None:
    from acp_tui.config.trust import TrustStore
    from acp_tui.policy.rules import Rule, RuleAnswer, RuleScope
    from acp_tui.store.project_rules import ProjectRules

    before = os.umask(0)
    try:
        state = tmp_path / "deep" / "state"
        script = Script().handshake().prompt()
        params = {"sessionId": "s1", "path": str(tmp_path / "a"), "content": "new"}
        script.request("fs/write_text_file", params).expect_answer("write_text_file").end_turn()
        (tmp_path / "a").write_text("old")
        argv = script.argv(tmp_path)
        run_turn("--cwd", str(tmp_path), argv=argv, env={"XDG_STATE_HOME": str(state)})
        TrustStore(state / "acp-tui/trusted.json").trust(b"x", tmp_path)
        rule = Rule(RuleAnswer.ALLOW, kinds=("read",), scope=RuleScope.PROJECT, where="/here")
        ProjectRules(state / "acp-tui/rules").add_rule(rule)
    finally:
        os.umask(before)
    kept = {path.relative_to(state / "acp-tui").parts[0] for path in (state / "acp-tui").iterdir()}
    assert {"recordings", "trusted.json", "rules"} <= kept
    assert open_to_others(tmp_path / "deep") == []


def test_what_is_written_to_be_handed_on_is_ours_alone_until_then(tmp_path: Path) -> None:
    file, out = tmp_path / "log.jsonl", tmp_path / "out"
    argv = Script().handshake().prompt().chunk("Hello").end_turn().argv(tmp_path)
    out.mkdir(mode=0o700)
    before = os.umask(0)
    try:
        run_turn("--record", str(file), argv=argv)
        for words in (
            ["log", str(file), "--export", str(out / "masked.jsonl")],
            ["log", str(file), "--report", str(out / "bug.zip")],
            ["log", str(file), "--report", str(out / "deep" / "bug")],
            ["export", str(file), "-o", str(out / "talk.html")],
        ):
            ran = run_program(*words)
            assert ran.returncode == 0, ran.stderr
        write_beside(out / "talk.md", "Hello")
    finally:
        os.umask(before)
    assert len(list(out.iterdir())) == 5
    assert open_to_others(out) == []


def test_a_recording_over_an_older_file_is_ours_alone_too(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text("what was here before")
    file.chmod(0o644)
    argv = Script().handshake().prompt().end_turn().argv(tmp_path)
    run_turn("--record", str(file), argv=argv)
    assert file.stat().st_mode & 0o777 == 0o600
    assert b"what was here before" not in file.read_bytes()
