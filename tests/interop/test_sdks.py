"""Whole turns, and a cancel, with agents on the official SDKs for TypeScript and Python."""

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

from tests.hosting import command, run_turn

pytestmark = pytest.mark.interop

HERE = Path(__file__).parent
EXAMPLE = HERE / "node_modules/@agentclientprotocol/sdk/dist/examples/agent.js"
MUST = bool(os.environ.get("CI") or os.environ.get("ACP_TUI_INTEROP"))
"""Whether a missing agent is a failure."""


def missing(what: str) -> NoReturn:
    if MUST:
        pytest.fail(what)
    pytest.skip(what)


@pytest.fixture
def typescript() -> list[str]:
    """The TypeScript SDK's example agent."""
    node = shutil.which("node")
    if node is None:
        missing("node is not installed")
    if not EXAMPLE.exists():
        missing("the TypeScript SDK is not here: run tests/interop/install.sh")
    return [str(node), str(EXAMPLE)]


@pytest.fixture
def python() -> list[str]:
    """An agent on the PyPI package."""
    if importlib.util.find_spec("acp") is None:
        missing("the package agent-client-protocol is not installed: pip install -e '.[dev]'")
    return [sys.executable, str(HERE / "python_agent.py")]


def interrupted(argv: list[str], prompt: str, *options: str) -> dict[str, object]:
    """Press Ctrl+C once the agent says something; the summary."""
    words = command("--format", "json", *options, argv=argv, prompt=prompt)
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    for line in process.stdout:
        if b"agent_message_chunk" in line:
            break
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    assert process.returncode == 130
    summary: dict[str, object] = json.loads(out.splitlines()[-1])
    return summary


@pytest.mark.parametrize(
    ("policy", "end", "status"),
    [
        ("allow", "Perfect! I've successfully updated the configuration.", "completed"),
        pytest.param(
            "reject",
            "I understand you prefer not to make that change.",
            "pending",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_turn_with_the_typescript_sdk(
    typescript: list[str], policy: str, end: str, status: str
) -> None:
    ran = run_turn("--format", "json", "--permissions", policy, argv=typescript)
    assert (ran.code, ran.err.strip()) == (
        0,
        # The tool call announced another file than its question names.
        "permission: edit: /home/user/project/config.json (announced before: /project/config.json): "
        f"{policy} once ({'Allow' if policy == 'allow' else 'Skip'} this change)",
    )
    assert end in ran.summary["text"]
    assert ran.summary["stopReason"] == "end_turn"
    assert ran.of("request")[0]["method"] == "session/request_permission"
    assert ran.of("problem") == []
    calls = [(call["kind"], call["status"]) for call in ran.summary["toolCalls"]]
    assert calls == [("read", "completed"), ("edit", status)]


@pytest.mark.slow
def test_a_cancel_with_the_typescript_sdk(typescript: list[str]) -> None:
    assert interrupted(typescript, "go")["stopReason"] == "cancelled"


def test_a_turn_with_the_python_sdk(python: list[str], tmp_path: Path) -> None:
    options = ["--format", "json", "--cwd", str(tmp_path), "--permissions", "allow"]
    ran = run_turn(*options, argv=python)
    assert ran.code == 0, ran.err
    assert ran.summary["text"] == "read 'hello\\n'; cat 'hello\\n'"
    assert ran.summary["toolCalls"] == [
        {"title": "Write hello.txt", "kind": "edit", "status": "completed"}
    ]
    assert (tmp_path / "hello.txt").read_text() == "hello\n"
    assert ran.of("problem") == []
    served = [event["method"] for event in ran.of("answer")]
    assert served == [
        "session/request_permission",
        "fs/write_text_file",
        "fs/read_text_file",
        "terminal/create",
        "terminal/wait_for_exit",
        "terminal/output",
        "terminal/release",
    ]


@pytest.mark.slow
def test_a_refusal_with_the_python_sdk(python: list[str], tmp_path: Path) -> None:
    ran = run_turn("--cwd", str(tmp_path), argv=python)
    assert ran.code == 5
    assert ran.out == "not written\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_cancel_with_the_python_sdk(python: list[str]) -> None:
    assert interrupted(python, "wait")["stopReason"] == "cancelled"
