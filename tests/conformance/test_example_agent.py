"""The example agent of the protocol's own documentation, as it stands there."""

from pathlib import Path
from typing import Any

from tests.fake_agent.script import Played, Script
from tests.hosting import run_turn

PLAN = [
    {"content": "Analyze user request", "priority": "high", "status": "completed"},
    {"content": "Generate response", "priority": "medium", "status": "in_progress"},
]
OPTIONS = [
    {"optionId": "allow", "name": "Allow", "kind": "allow_once"},
    {"optionId": "deny", "name": "Deny", "kind": "reject_once"},
]
INITIALIZE = {
    "agentCapabilities": {
        "mcpCapabilities": {"http": True, "sse": False},
        "promptCapabilities": {"image": True, "audio": False, "embeddedContext": True},
    },
    "agentInfo": {"name": "example-agent", "version": "1.0.0"},
}
NEW = {
    "modes": {
        "availableModes": [
            {"id": "code", "name": "Code Mode", "description": "AI-powered code editing"}
        ],
        "currentModeId": "code",
    }
}


def test_its_whole_turn_with_a_question_that_no_tool_call_announced(tmp_path: Path) -> None:
    source = tmp_path / "app.ts"
    source.write_text("export {};\n")
    call: dict[str, Any] = {"toolCallId": "call-1", "title": "Read src/app.ts", "kind": "read"}
    script = Script().handshake(INITIALIZE, NEW).prompt().update("plan", entries=PLAN)
    script.ask_permission({**call, "status": "pending"}, OPTIONS)
    script.expect_answer("ask", result={"outcome": {"outcome": "selected", "optionId": "allow"}})
    script.request("fs/read_text_file", {"sessionId": "s1", "path": str(source)}, save="file")
    script.expect_answer("file", result={"content": "export {};\n"})
    text = {"type": "content", "content": {"type": "text", "text": "export {};\n"}}
    script.tool_call_update("call-1", status="completed", content=[text])
    script.chunk("Based on the code, I suggest...").end_turn()
    ran = run_turn("--permissions", "allow", argv=script.argv(tmp_path), cwd=tmp_path)
    Played(tmp_path).check()
    assert (ran.code, ran.out) == (0, "Based on the code, I suggest...\n")
    assert "plan: 1 of 2 done" in ran.err
    assert "read: Read src/app.ts (completed)" in ran.err


def test_its_own_errors_and_reasons_are_told(tmp_path: Path) -> None:
    """It asks for a file by a field that is not there, and ends a turn by "error"."""
    script = Script().handshake(INITIALIZE).prompt()
    params = {"sessionId": "s1", "uri": "file:///nonexistent.txt"}
    script.request("fs/read_text_file", params, save="uri")
    script.expect_answer("uri", error={"code": -32602}).end_turn("error")
    ran = run_turn(argv=script.argv(tmp_path))
    Played(tmp_path).check()
    assert ran.code == 1
    assert "unknown reason: error" in ran.err
