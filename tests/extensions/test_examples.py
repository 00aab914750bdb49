"""The example of each extension works as an installed package, and the page shows that code."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import acp_tui
from acp_tui.protocol.content import ContentItem, TextContent
from acp_tui.state.entries import ToolCallEntry
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.ui.transcript.entries.context import Context, Fold
from acp_tui.ui.transcript.entries.views import view_of
from tests.extensions.conftest import Install
from tests.fake_agent.script import Script
from tests.installed import ROOT, install

EXAMPLES = ROOT / "examples/extensions"
PAGE = (ROOT / "docs/extending.md").read_text("utf-8")
POINTS = tomllib.loads((EXAMPLES / "pyproject.toml").read_text())["project"]["entry-points"]


@pytest.mark.parametrize(
    "code", re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
)
def test_the_page_shows_the_code_of_the_examples(code: str) -> None:
    files = sorted((EXAMPLES / "acp_tui_examples").glob("*.py"))
    assert any(code == file.read_text("utf-8") for file in files)


def test_the_page_shows_the_project_file() -> None:
    assert f"```toml\n{(EXAMPLES / 'pyproject.toml').read_text('utf-8')}```" in PAGE


@pytest.mark.anyio
async def test_a_rule_finds_what_it_looks_for(tmp_path: Path, installed: Install) -> None:
    told = installed(POINTS, EXAMPLES)
    script = Script().handshake().prompt().tool_call("t1", "x" * 61).tool_call("t2", "y" * 60)
    async with acp_tui.open_agent(script.end_turn().argv(tmp_path), tmp_path) as agent:
        turn = await (await agent.new_session()).prompt("go")
    (finding,) = [one for one in turn.findings if one.rule.id.startswith("house/")]
    assert (finding.rule.id, finding.message) == ("house/long-title", "61 characters")
    assert finding.where == "params.update.title"
    assert told == []


def test_an_importer_reads_its_logs(tmp_path: Path, installed: Install) -> None:
    told = installed(POINTS, EXAMPLES)
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
    file = tmp_path / "tape.jsonl"
    file.write_text(json.dumps({"tape": "out", "line": json.dumps(hello), "at": 2.5}))
    (frame,) = acp_tui.read_recording(file).records
    assert isinstance(frame, acp_tui.Frame)
    assert (frame.direction, frame.at, json.loads(frame.raw)) == ("out", 2.5, hello)
    (tmp_path / "other.txt").write_text("no log")
    with pytest.raises(acp_tui.RecordingError, match="tape: lines of"):
        acp_tui.read_recording(tmp_path / "other.txt")
    assert told == []


def test_a_view_shows_its_tool_calls_and_hides_nothing(installed: Install) -> None:
    told = installed(POINTS, EXAMPLES)
    output = ContentItem(content=TextContent(text="....\n4 passed in 1s\x1b[2J\n"))
    entry = ToolCallEntry("t1", 1.0, "pytest -q", kind="execute", content=[output])
    view = view_of(entry, Context(State(), Session("s", cwd="/tea"), lambda: 2.0))
    assert shown(view, Fold.OPEN)[1:] == ["  4 passed in 1s", "  in /tea"]
    assert view.has_more
    assert shown(view, Fold.FULL)[1:4] == ["  4 passed in 1s", "  in /tea", "  ...."]
    entry.kind = "read"
    assert shown(view, Fold.OPEN)[1] == "  ...."
    assert told == []


def shown(view: object, fold: Fold) -> list[str]:
    """The lines of a view, open so far."""
    view.choose(fold)  # type: ignore[attr-defined]
    while not view.lay_out(60, float("inf")):  # type: ignore[attr-defined]
        pass
    return [view.plain(y) for y in range(view.height)]  # type: ignore[attr-defined]


def test_the_command_line_uses_what_is_installed(tmp_path: Path) -> None:
    site = install(tmp_path / "site", "acp-tui-examples", POINTS)
    path = os.pathsep.join([str(site), str(EXAMPLES), str(ROOT)])
    update = {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "z" * 70}
    call = {"method": "session/update", "params": {"sessionId": "s", "update": update}}
    file = tmp_path / "tape.jsonl"
    file.write_text(json.dumps({"tape": "in", "line": json.dumps({"jsonrpc": "2.0", **call})}))
    ran = subprocess.run(
        [sys.executable, "-m", "acp_tui", "log", str(file), "--findings"],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert "house/long-title" in ran.stdout, ran.stdout + ran.stderr
    assert ran.stderr == ""
