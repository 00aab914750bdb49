"""Whole turns, and a cancel, in version 2 with agents on the drafts of the official SDKs."""

import json
import shutil
from pathlib import Path

import pytest

from tests.hosting import run_turn
from tests.interop.test_remote_sdks import HERE, NODE_SDK, PYTHON
from tests.interop.test_sdks import interrupted, missing

pytestmark = [pytest.mark.interop, pytest.mark.slow]


@pytest.fixture(params=["typescript", "python"])
def agent(request: pytest.FixtureRequest) -> list[str]:
    """What starts the agent."""
    if request.param == "python":
        if not PYTHON.exists():
            missing("the Python SDK's draft is not here: run tests/interop/install.sh")
        return [str(PYTHON), str(HERE / "v2_agent.py")]
    node = shutil.which("node")
    if node is None or not NODE_SDK.exists():
        missing("the TypeScript SDK's draft is not here: run tests/interop/install.sh")
    return [node, str(HERE / "v2_agent.mjs")]


@pytest.mark.parametrize(
    ("policy", "text", "status"),
    [("allow", "written", "completed"), ("reject", "not written", "cancelled")],
)
def test_a_turn(agent: list[str], policy: str, text: str, status: str) -> None:
    ran = run_turn(
        "--protocol", "2", "--format", "json", "--permissions", policy, "--findings", argv=agent
    )
    assert ran.code == 0, ran.err
    events = [json.loads(line) for line in ran.out.splitlines()]
    summary = events[-1]
    assert (summary["text"], summary["stopReason"]) == (text, "end_turn")
    assert [call["status"] for call in summary["toolCalls"]] == [status]
    hello = next(one for one in events if one["event"] == "initialize")
    assert hello["protocolVersion"] == 2


def test_a_cancel(agent: list[str]) -> None:
    summary = interrupted(agent, "wait", "--protocol", "2")
    assert (summary["stopReason"], summary["text"]) == ("cancelled", "waiting")


def test_an_agent_of_version_1_is_told_apart(tmp_path: Path) -> None:
    if not PYTHON.exists():
        missing("the Python SDK is not here: run tests/interop/install.sh")
    argv = [str(PYTHON), str(HERE.parent / "python_agent.py")]
    options = ("--protocol", "auto", "--format", "json", "--permissions", "allow")
    ran = run_turn(*options, argv=argv, cwd=tmp_path)
    assert ran.code == 0, ran.err
    hello = [json.loads(line) for line in ran.out.splitlines()]
    versions = [one["protocolVersion"] for one in hello if one["event"] == "initialize"]
    assert versions[-1] == 1
