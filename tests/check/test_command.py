"""The command line."""

import argparse
import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from acp_tui.check.runner import CHECKS
from acp_tui.cli import check as check_command
from acp_tui.cli import repeat_commands
from tests.check.running import DEMO
from tests.in_process import run_program


def check(
    *words: str, cwd: Path, agent: tuple[str, ...] = DEMO
) -> "subprocess.CompletedProcess[str]":
    ran = run_program("check", *words, *(["--", *agent] if agent else []), cwd=cwd)
    out, err = ran.stdout.decode(), ran.stderr.decode()
    return subprocess.CompletedProcess(ran.args, ran.returncode, out, err)


def test_it_says_the_cost_before_and_the_verdicts_after(tmp_path: Path) -> None:
    ran = check("--only", "A3,A12", f"--json={tmp_path / 'made.json'}", cwd=tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "2 checks, at most 1 turn" in ran.stderr
    assert "pass  A3" in ran.stdout
    made = json.loads((tmp_path / "made.json").read_text())
    assert [one["outcome"] for one in made["checks"]] == ["pass", "pass"]
    assert Path(made["checks"][0]["recording"]).exists()
    assert b"initialize" in run_program("log", made["checks"][0]["recording"]).stdout


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
    assert "$ acp-tui check --only A3 --timeout 5 -- true" in ran.stdout


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
    ran = check(cwd=tmp_path, agent=())
    assert "as in: acp-tui check -- my-agent --acp" in ran.stderr


def test_the_adapter_of_a_well_known_agent_that_speaks_no_acp_is_named(tmp_path: Path) -> None:
    program = tmp_path / "claude"
    program.write_text("#!/bin/sh\necho Welcome\n")
    program.chmod(0o755)
    for agent in (str(program), str(tmp_path / "missing" / "codex")):
        ran = check("--only", "A3", cwd=tmp_path, agent=(agent,))
        words = f"npx --yes @agentclientprotocol/{Path(agent).name}"
        assert f"acp-tui check -- {words}" in ran.stderr
    assert "speaks ACP through" not in check("--only", "A3", cwd=tmp_path).stderr


@pytest.mark.slow
def test_the_registry_prompts_no_model(tmp_path: Path) -> None:
    ran = check("--profile", "registry", f"--json={tmp_path / 'made.json'}", cwd=tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "at most 0 turns" in ran.stderr
    assert json.loads((tmp_path / "made.json").read_text())["turns"] == 0


def test_an_address_where_nothing_listens_is_told_as_the_reason(tmp_path: Path) -> None:
    for scheme in ("ws", "http"):
        ran = check(
            "--only", "A3", "--connect", f"{scheme}://127.0.0.1:9/x", cwd=tmp_path, agent=()
        )
        assert ran.returncode == 2, ran.stdout
        assert "nothing listens at 127.0.0.1 port 9" in ran.stderr


def test_a_check_of_what_is_not_offered_says_nothing_for_the_agent(tmp_path: Path) -> None:
    ran = check("--only", "A40", cwd=tmp_path)
    assert ran.returncode == 1
    assert "nothing was tested: 1 skipped" in ran.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_stdout_is_told_in_words(tmp_path: Path) -> None:
    line = [sys.executable, "-m", "acp_tui", "check", "--only", "A3", "--", *DEMO]
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(line, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True)
    assert ran.returncode == 2
    assert "acp-tui check: No space left on device" in ran.stderr
    assert "None" not in ran.stderr


def test_the_command_shows_it_again_with_all_that_it_was_made_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "hunter2-hunter2")
    given = [
        "--profile",
        "strict",
        "--timeout",
        "20.5",
        "--tries",
        "3",
        "--prompt-for",
        "say=hi there",
    ]
    secret = ["--env", "API_KEY=hunter2-hunter2", "--env", "DB_PASSWORD=swordfish"]
    ran = check("--only", "A12", *given, *secret, f"--json={tmp_path / 'made.json'}", cwd=tmp_path)
    assert "hunter2" not in ran.stdout
    command = json.loads((tmp_path / "made.json").read_text())["checks"][0]["command"]
    demo = shlex.join(DEMO)
    assert command == (
        "acp-tui check --only A12 --profile strict --timeout 20.5 --tries 3 "
        "--prompt-for 'say=hi there' "
        '--env "API_KEY=${SECRET_TOKEN}" --env "DB_PASSWORD=${DB_PASSWORD}" -- ' + demo
    )


def test_headers_are_named_by_variables_and_tokens_by_where_they_come_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ACP_TOKEN", "hunter2-hunter2")
    parser = argparse.ArgumentParser(prog="acp-tui check")
    check_command.configure(parser)
    url = "wss://example.org/acp?token=swordfish-swordfish"
    headers = ["Authorization: Bearer hunter2-hunter2", "X-Tenant: blue $1"]
    words = ["--connect", url, "--token-command", "pass show acp", "--token-env", "T"]
    options = parser.parse_args([*words, *(word for one in headers for word in ("--header", one))])
    options.parser, options.agent_command = parser, []
    assert repeat_commands.check_command(options, CHECKS[0]) == (
        "acp-tui check --only A1 "
        '--connect "wss://example.org/acp?token=${CONNECT}" '
        "--token-env T --token-command 'pass show acp' "
        '--header "Authorization: Bearer ${ACP_TOKEN}" --header "X-Tenant: ${X_TENANT}"'
    )


HANGS = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("method") != "session/prompt":
        result = {"protocolVersion": 1, "agentCapabilities": {}, "sessionId": "s"}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


def test_the_timeout_holds_for_turns_and_what_is_left_open_may_be_accepted(tmp_path: Path) -> None:
    agent = (sys.executable, "-S", "-c", HANGS)
    options = ("--only", "A3,A13", "--timeout", "4")
    ran = check(*options, cwd=tmp_path, agent=agent)
    assert ran.returncode == 1
    told = " ".join(ran.stdout.split())
    assert "the turn had not ended after 4 s" in told
    assert "at most 1 turn of the model, at most 1m 00s" in ran.stderr
    assert "--untested ok accepts that" in told
    assert check(*options, "--untested", "ok", cwd=tmp_path, agent=agent).returncode == 0
