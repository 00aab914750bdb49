"""`acp-tui run`: what it prints and what it exits with."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from acp_tui.headless.json_events import JsonReport
from acp_tui.headless.report import TextReport
from acp_tui.protocol.process_events import Stalled
from acp_tui.state.state import State
from tests.fake_agent.script import OPTIONS, Played, Script
from tests.hosting import NO_BYTECODE, PATIENCE, command, eventually, run_turn


def turn(text: str = "Hello") -> Script:
    return Script().handshake().prompt().chunk(text)


def test_the_message_is_on_stdout_and_all_else_on_stderr(tmp_path: Path) -> None:
    script = turn("Hel").chunk("lo\nwörld").thought("hm").stderr("log\n").garbage("npm warn")
    script.tool_call("t1", "Read a file", kind="read", status="completed")
    script.update("plan", entries=[{"content": "a", "priority": "low", "status": "completed"}])
    ran = run_turn(argv=script.end_turn().argv(tmp_path))
    assert (ran.code, ran.out) == (0, "Hello\nwörld\n")
    assert "read: Read a file (completed)" in ran.err
    assert "agent: log" in ran.err
    assert "npm warn" in ran.err
    assert "plan: 1 of 1 done" in ran.err


def test_json_is_one_object_a_line_and_a_summary(tmp_path: Path) -> None:
    script = turn().tool_call("t1", "Work", kind="edit", status="failed").stderr("log\n")
    script.garbage("noise").request("_x/y", {"a": 1}).expect_answer("y").chunk(" you")
    script.send({"method": "session/update", "params": {"sessionId": "s1", "event": "summary"}})
    ran = run_turn("--format", "json", argv=script.end_turn().argv(tmp_path))
    assert ran.code == 0
    assert ran.of("initialize")[0]["agentInfo"]["name"] == "fake-agent"
    assert ran.of("session/new")[0]["sessionId"] == "s1"
    kinds = [event["update"]["sessionUpdate"] for event in ran.of("update") if "update" in event]
    assert kinds == ["agent_message_chunk", "tool_call", "agent_message_chunk"]
    assert ran.of("stderr")[0]["text"] == "log"
    assert ran.of("problem")[0]["excerpt"] == "noise"
    assert ran.of("request")[0] == {
        "event": "request",
        "id": ran.of("answer")[0]["id"],
        "method": "_x/y",
        "params": {"a": 1},
    }
    assert ran.of("answer")[0]["error"]["code"] == -32601
    assert len(ran.of("summary")) == 1
    summary = ran.summary
    assert summary.pop("seconds") > 0
    assert summary == {
        "event": "summary",
        "exitCode": 0,
        "why": "",
        "sessionId": "s1",
        "stopReason": "end_turn",
        "text": "Hello\n you",
        "toolCalls": [{"title": "Work", "kind": "edit", "status": "failed"}],
        "usage": None,
    }


@pytest.mark.parametrize(
    ("script", "code", "words"),
    [
        (turn().end_turn("refusal"), 4, "refused"),
        (turn().end_turn("max_tokens"), 4, "limit of tokens"),
        (turn().end_turn("max_turn_requests"), 4, "limit of model requests"),
        (turn().end_turn("cancelled"), 1, "canceled the turn"),
        (turn().end_turn("bored"), 1, "unknown reason: bored"),
        (turn().reply("prompt", {}), 1, "unreadable result"),
        (
            turn().reply("prompt", error={"code": 429, "message": "quota", "data": {"wait": 9}}),
            1,
            'quota (429): {"wait": 9}',
        ),
        (
            turn().send(
                {
                    "id": 2,
                    "result": {"stopReason": "end_turn"},
                    "error": {"code": 7, "message": "oh"},
                }
            ),
            1,
            'oh (7), with the result {"stopReason": "end_turn"}',
        ),
        (turn().send({"id": 2, "error": None}), 1, "neither a result nor an error"),
        (turn().exit(0), 1, "exited with code 0"),
        (turn().stderr("out of memory\n").kill(), 1, "SIGKILL"),
        (turn().close_stdout(), 1, "closed its output"),
        (Script().initialize().stderr("bad key\n").exit(3), 1, "exited with code 3"),
        (
            Script().expect("initialize").reply("initialize", error={"code": 1, "message": "no"}),
            1,
            "initialize failed: no (1)",
        ),
        (
            Script().initialize().expect("session/new").reply("new", {"sessionId": 5}),
            1,
            "can't be read",
        ),
    ],
)
def test_how_a_turn_ends_is_the_exit_code(
    tmp_path: Path, script: Script, code: int, words: str
) -> None:
    ran = run_turn("--format", "json", argv=script.argv(tmp_path))
    assert (ran.code, ran.summary["exitCode"]) == (code, code)
    assert words in ran.summary["why"]


def test_the_last_words_of_an_agent_that_could_not_start_are_told(tmp_path: Path) -> None:
    argv = Script().stderr("Error: no config\n").exit(2).argv(tmp_path)
    ran = run_turn("--format", "json", argv=argv)
    assert ran.code == 1
    assert ran.summary["why"] == "the agent exited with code 2"
    assert ran.of("stderr") == [{"event": "stderr", "text": "Error: no config"}]
    told = run_turn(argv=argv).err
    assert told == "agent: Error: no config\nacp-tui: the agent exited with code 2\n"


def test_a_missing_command_is_an_error_with_a_reason(tmp_path: Path) -> None:
    ran = run_turn(argv=["no-such-agent"])
    assert ran.code == 1
    assert "acp-tui: Can't start 'no-such-agent': no such command" in ran.err


def test_limits_hold_for_a_load_and_come_from_the_settings_too(tmp_path: Path) -> None:
    offered = {"agentCapabilities": {"loadSession": True}}
    argv = Script().initialize(offered).expect("session/load").argv(tmp_path)
    ran = run_turn("--timeout", "3", "--resume", "s1", argv=argv)
    assert (ran.code, "session/load within 3 s" in ran.err) == (3, True)
    settings = tmp_path / "acp-tui" / "settings.toml"
    settings.parent.mkdir()
    settings.write_text("[limits]\nset_mode = 3\n", "utf-8")
    modes = {"currentModeId": "a", "availableModes": [{"id": "b", "name": "B"}]}
    script = Script().handshake(new={"modes": modes}).expect("session/set_mode")
    argv = script.argv(tmp_path / "acp-tui")
    ran = run_turn("--set", "mode=b", argv=argv, env={"XDG_CONFIG_HOME": str(tmp_path)})
    assert ran.code == 3
    assert ran.err.splitlines()[-1] == "acp-tui: no answer to session/set_mode within 3 s"


@pytest.mark.parametrize("method", ["initialize", "session/new"])
def test_no_answer_in_time_is_a_timeout(tmp_path: Path, method: str) -> None:
    begun = Script() if method == "initialize" else Script().initialize()
    argv = begun.expect(method).stderr("thinking\n").argv(tmp_path)
    ran = run_turn("--timeout", "3", argv=argv)
    assert ran.code == 3
    assert f"no answer to {method} within 3 s" in ran.err
    assert ran.err.count("thinking") == 1
    assert "agent: thinking" in ran.err


def test_max_time_cancels_the_turn(tmp_path: Path) -> None:
    script = turn("slow").expect("session/cancel").end_turn("cancelled")
    ran = run_turn("--max-time", "3", "--format", "json", argv=script.argv(tmp_path))
    Played(tmp_path).check()
    assert ran.code == 3
    assert ran.summary["why"] == "not done within 3 s; canceled"
    assert ran.summary["text"] == "slow"


def test_a_session_that_costs_too_much_is_canceled(tmp_path: Path) -> None:
    cost = {"amount": 1.5, "currency": "USD"}
    script = turn("dear").update("usage_update", used=10, size=100, cost=cost)
    script.expect("session/cancel").end_turn("cancelled")
    ran = run_turn("--max-cost", "1", "--max-tokens", "50k", argv=script.argv(tmp_path))
    Played(tmp_path).check()
    assert ran.code == 3
    assert "The session has cost 1.5 USD, and --max-cost is 1." in ran.err


def test_no_turn_begins_over_the_limit_for_quota(tmp_path: Path) -> None:
    script = Script().initialize({"agentCapabilities": {"loadSession": True}})
    script.expect("session/load").quota(95).reply("load", {}).expect_eof()
    options = ["--resume", "s1", "--max-quota", "90%", "--format", "json"]
    ran = run_turn(*options, argv=script.argv(tmp_path))
    Played(tmp_path).check()
    assert ran.code == 3
    refused = (
        "95% of the 5-hour limit is used, and --max-quota is 90. When it resets isn't known. Send it "
        "later, or raise --max-quota."
    )
    assert ran.summary["why"] == f"not sent: {refused}"
    assert {"event": "limit", "sessionId": "s1", "why": refused} in ran.events


def test_the_setting_for_quota_holds_where_no_option_is_given(tmp_path: Path) -> None:
    script = Script().initialize({"agentCapabilities": {"loadSession": True}})
    script.expect("session/load").quota(95).reply("load", {}).prompt().end_turn()
    given = ["--resume", "s1", "--setting", "max_quota=90"]
    ran = run_turn(*given, argv=script.argv(tmp_path, script))
    assert ran.code == 3
    assert "acp-tui: 95% of the 5-hour limit is used" in ran.err
    assert "not sent: 95% of the 5-hour limit is used, and --max-quota is 90." in ran.err
    ran = run_turn(*given, "--max-quota", "96", argv=script.argv(tmp_path, script))
    assert ran.code == 0


def test_the_prompt_comes_from_a_file_or_stdin(tmp_path: Path) -> None:
    (tmp_path / "p.md").write_text("von der Datei 🦜\n")
    sources: list[tuple[list[str], str | None, bytes]] = [
        (["-f", str(tmp_path / "p.md")], None, b""),
        ([], "-", "von der Datei 🦜\n".encode()),
        (["-f", "-"], None, "von der Datei 🦜\n".encode()),
    ]
    for number, (options, prompt, stdin) in enumerate(sources, 1):
        argv = Script().handshake().prompt().end_turn().argv(tmp_path)
        assert run_turn(*options, argv=argv, prompt=prompt, stdin=stdin).code == 0
        (sent,) = Played(tmp_path, run=number).calls("session/prompt")
        assert sent["params"]["prompt"] == [{"type": "text", "text": "von der Datei 🦜\n"}]


def test_a_prompt_in_broken_utf_8_still_goes_out_as_utf_8(tmp_path: Path) -> None:
    given = os.fsdecode(b"caf\xe9")  # as Python reads it from the command line
    assert run_turn(argv=turn().end_turn().argv(tmp_path), prompt=given).code == 0
    (sent,) = Played(tmp_path).calls("session/prompt")
    assert sent["params"]["prompt"][0]["text"] == "caf\ufffd"


def test_a_locale_that_lacks_a_character_is_no_crash(tmp_path: Path) -> None:
    update = {
        "sessionUpdate": "agent_message_chunk",
        "content": {"type": "text", "text": "a → \ud83d"},
    }
    params = {"sessionId": "s1", "update": update}
    line = json.dumps({"jsonrpc": "2.0", "method": "session/update", "params": params})
    argv = Script().handshake().prompt().garbage(line).end_turn().argv(tmp_path)
    ran = run_turn(argv=argv, env={"PYTHONIOENCODING": "latin-1"})
    assert (ran.code, ran.out) == (0, "a ? ?\n")


def test_escape_sequences_stay_off_the_terminal_lines(tmp_path: Path) -> None:
    script = turn("ok").tool_call("t1", "\x1b]0;owned\x07\x1b[2JTitle", status="completed")
    ran = run_turn(argv=script.stderr("\x1b[31mred\n").end_turn().argv(tmp_path))
    assert "␛[2JTitle” (completed)" in ran.err
    assert "\x1b" not in ran.err


def test_no_words_of_the_agents_pass_for_a_line_of_ours(tmp_path: Path) -> None:
    faked = "T\nacp-tui: all is well\u2028acp-tui: really\r\nacp-tui: so"
    script = turn("ok\n").tool_call("t1", faked, status="completed").stderr(f"log\r{faked[1:]}\n")
    error = {"code": 1, "message": faked}
    ran = run_turn(argv=script.reply("prompt", error=error).argv(tmp_path))
    (ours,) = [line for line in ran.err.splitlines() if line.startswith("acp-tui:")]
    assert ours.startswith("acp-tui: the agent answered with an error: T")


@pytest.mark.parametrize("quirks", [True, False])
def test_an_agent_that_chokes_on_a_missing_file_is_helped_and_that_is_said(
    tmp_path: Path, quirks: bool
) -> None:
    gemini = {"agentInfo": {"name": "gemini-cli", "version": "0.61.0"}}
    asked = {"sessionId": "s1", "path": str(tmp_path / "new.md")}
    script = Script().handshake(gemini).prompt().request("fs/read_text_file", asked, save="read")
    argv = script.expect_answer("read").chunk("ok").end_turn().argv(tmp_path)
    ran = run_turn(*[] if quirks else ["--no-quirks"], argv=argv, cwd=tmp_path)
    assert (ran.code, ran.out) == (0, "ok\n")
    (answer,) = [one for one in Played(tmp_path).messages if "method" not in one]
    if quirks:
        assert answer["result"] == {"content": ""}
    else:
        assert answer["error"]["code"] == -32002
    told = "acp-tui: A file that doesn't exist is read as an empty one: this agent gives up"
    assert (told in ran.err) is quirks
    assert ("(--no-quirks switches this off)" in ran.err) is quirks


def test_a_quirk_of_the_settings_helps_an_agent_too(tmp_path: Path) -> None:
    settings = tmp_path / "config/acp-tui/settings.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(
        '[quirks.mine]\nagent = "fake-agent"\nremedy = "missing-file-is-empty"\nwhy = "It spills."\n'
    )
    asked = {"sessionId": "s1", "path": str(tmp_path / "new.md")}
    script = Script().handshake().prompt().request("fs/read_text_file", asked, save="read")
    argv = script.expect_answer("read", result={"content": ""}).end_turn().argv(tmp_path)
    ran = run_turn(argv=argv, cwd=tmp_path, env={"XDG_CONFIG_HOME": str(tmp_path / "config")})
    Played(tmp_path).check()
    assert "acp-tui: It spills. (--no-quirks switches this off)" in ran.err


def test_a_failed_tool_call_says_why(tmp_path: Path) -> None:
    script = turn("ok\n").tool_call("t1", "Write", kind="edit")
    text = {"type": "content", "content": {"type": "text", "text": "\nno such folder\nat line 3"}}
    script.update("tool_call_update", toolCallId="t1", status="failed", content=[text])
    script.tool_call("t2", "Get", kind="fetch", status="failed", rawOutput={"error": None})
    fenced = {"type": "content", "content": {"type": "text", "text": "```\nRefused\n```"}}
    script.tool_call("t3", "Move", kind="move", status="failed", content=[fenced])
    shown = [{"type": "terminal", "terminalId": one} for one in ("none", "own")]
    meta = {"terminal_output": {"terminal_id": "own", "data": "one\r\n2 tests failed\r\n\r\n"}}
    script.tool_call("t4", "Test", kind="execute", content=shown, _meta=meta)
    script.tool_call_update("t4", status="failed")
    ran = run_turn(argv=script.end_turn().argv(tmp_path))
    assert "move: Move (failed): Refused\n" in ran.err
    assert "execute: Test (failed): 2 tests failed\n" in ran.err
    assert "edit: Write (failed): no such folder\n" in ran.err
    assert 'fetch: Get (failed): {"error": null}\n' in ran.err


def test_content_that_is_no_text_says_what_it_is_and_where(tmp_path: Path) -> None:
    image = {"type": "image", "mimeType": "image/png", "data": "AAAA", "uri": "file:///i.png"}
    text = {"uri": "file:///t", "text": "words"}
    blob = {"uri": "file:///b", "mimeType": "x/y", "blob": "AAA="}
    script = turn("ok\n")
    for content in [
        image,
        {"type": "audio", "mimeType": "audio/wav", "data": "AA=="},
        {"type": "resource_link", "uri": "file:///l", "name": "notes"},
        {"type": "resource", "resource": text},
        {"type": "resource", "resource": blob},
        {"type": "hologram"},
    ]:
        script.update("agent_message_chunk", content=content)
    ran = run_turn(argv=script.end_turn().argv(tmp_path))
    assert ran.out == "ok\n"
    assert ran.err.splitlines() == [
        "[image file:///i.png: image/png, 3 bytes]",
        "[audio: audio/wav, 1 bytes]",
        "[resource_link notes: file:///l]",
        "[resource file:///t: text, 5 characters]",
        "[resource file:///b: x/y, 2 bytes]",
        "[content of the unknown type 'hologram']",
    ]


@pytest.mark.anyio
async def test_an_agent_that_does_not_read_is_told_once_and_when_it_reads_again(
    capfd: pytest.CaptureFixture[str],
) -> None:
    state, before = State(), set(threading.enumerate())
    for make_report in (TextReport, JsonReport):
        report = make_report()
        for waiting in (70_000, 80_000, 0):
            report.event(state, Stalled(1.0, waiting), [])
        await report.output.written()
        report.output.close()
        await eventually(lambda: set(threading.enumerate()) <= before)
    told = capfd.readouterr()
    assert told.err.splitlines() == [
        "acp-tui: the agent isn't reading its input: 70,000 bytes pending",
        "acp-tui: the agent reads again",
    ]
    assert [json.loads(line)["waiting"] for line in told.out.splitlines()] == [70_000, 80_000, 0]


def test_the_text_of_another_session_is_no_part_of_the_answer(tmp_path: Path) -> None:
    chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Psst"}}
    params = {"sessionId": "OTHER", "update": chunk}
    script = turn().send({"method": "session/update", "params": params}).chunk(" you").end_turn()
    ran = run_turn(argv=script.argv(tmp_path))
    assert ran.out == "Hello you\n"
    assert "of another session (OTHER): Psst" in ran.err


def test_what_comes_before_the_session_is_there_is_told_as_its_own(tmp_path: Path) -> None:
    script = Script().initialize().expect("session/new")
    script.update("available_commands_update", availableCommands=[])
    script.update("notice", severity="warning", title="Quota", description="low")
    script.reply("new", {"sessionId": "s1"}).prompt().chunk("Hello").end_turn()
    ran = run_turn(argv=script.argv(tmp_path))
    assert ran.out == "Hello\n"
    assert "warning: Quota ⏎ low" in ran.err
    assert "another session" not in ran.err


def test_a_turn_never_loads_textual(tmp_path: Path) -> None:
    argv = turn().end_turn().argv(tmp_path)
    code = (
        "import sys; from acp_tui.cli.main import run; code = run(sys.argv[1:]);"
        "print([name for name in sys.modules if name.split('.')[0] in ('textual', 'rich')]);"
        "sys.exit(code)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, "run", "hi", "--", *argv],
        capture_output=True,
        timeout=PATIENCE,
    )
    assert ran.stdout == b"Hello\n[]\n"
    assert ran.returncode == 0


def test_a_recording_holds_what_happened(tmp_path: Path) -> None:
    from acp_tui.recordings import recording
    from acp_tui.state.fold import replay_events

    file = tmp_path / "turn.jsonl"
    ran = run_turn("--record", str(file), argv=turn().end_turn().argv(tmp_path))
    assert ran.code == 0
    assert file.stat().st_mode & 0o777 == 0o600
    with file.open(encoding="utf-8") as lines:
        state = replay_events(recording.read_events(recording.read_records(lines)))
    assert [entry.text for entry in state.sessions["s1"].entries[:2]] == ["go", "Hello"]  # type: ignore[union-attr]
    assert state.peer.process.exit is not None


def test_a_recording_that_cannot_be_made_or_goes_wrong_is_told(tmp_path: Path) -> None:
    argv = turn().end_turn().argv(tmp_path)
    ran = run_turn("--record", f"{tmp_path}/no/such/folder.jsonl", argv=argv)
    assert ran.code == 2
    assert "--record: can't write" in ran.err
    if not os.access("/dev/full", os.W_OK):
        return
    ran = run_turn("--record", "/dev/full", argv=argv)
    assert "No space left on device" in ran.err


def test_a_recording_that_stops_is_told_once_and_never_after_the_summary(tmp_path: Path) -> None:
    file = tmp_path / "turn.jsonl"
    limited = "ulimit -f 8; trap '' XFSZ; exec \"$@\""
    argv = turn("x" * 100_000).end_turn().argv(tmp_path)
    words = command("--format", "json", "--record", str(file), argv=argv)
    shell, env = ["bash", "-c", limited, "bash", *words], {**os.environ, **NO_BYTECODE}
    ran = subprocess.run(shell, capture_output=True, env=env)
    assert ran.returncode == 0
    assert ran.stderr.count(b"the recording has stopped: File too large") == 1
    assert json.loads(ran.stdout.splitlines()[-1])["event"] == "summary"


@pytest.mark.slow
def test_deeply_nested_json_is_survived(tmp_path: Path) -> None:
    update = {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "T", "rawInput": "DEEP"}
    line = json.dumps(
        {
            "jsonrpc": "2.0",
            "method": "session/update",
            "params": {"sessionId": "s1", "update": update},
        }
    )
    script = Script().handshake().prompt()
    for depth in [*range(50, 1200, 7), 100_000]:
        script.garbage(line.replace('"DEEP"', "[" * depth + "]" * depth))
    argv = script.chunk("alive").end_turn().argv(tmp_path)
    for form in ("text", "json"):
        words = command("--format", form, "--record", f"{tmp_path}/record", argv=argv)
        ran = subprocess.run(words, capture_output=True, timeout=PATIENCE)
        assert (ran.returncode, b"Traceback" in ran.stderr) == (0, False)
        assert b"alive" in ran.stdout


def tasting(folder: Path) -> Script:
    """A turn in which a subagent speaks, asks, writes a file and runs a command."""

    def of_child(kind: str, **fields: Any) -> dict[str, Any]:
        params = {"sessionId": "c", "update": {"sessionUpdate": kind, **fields}}
        return {"method": "session/update", "params": params}

    def state(**state: Any) -> dict[str, Any]:
        return {"sessionId": "c", "title": "Taster", "state": state}

    words = {"type": "text", "text": "Far too\nhot."}
    call = {"toolCallId": "t", "title": "Blow", "status": "completed"}
    asked = {"sessionId": "c", "toolCall": {**call, "status": "pending"}, "options": OPTIONS}
    written = {"sessionId": "c", "path": str(folder / "notes.md"), "content": "hot\n"}
    script = turn().update("subagent_update", **state(state="running"))
    script.send(of_child("agent_message_chunk", content=words))
    script.request("session/request_permission", asked, save="ask").expect_answer("ask")
    script.request("fs/write_text_file", written, save="write").expect_answer("write")
    script.request("terminal/create", {"sessionId": "c", "command": "true"}, save="run")
    script.expect_answer("run")
    waits = {"sessionId": "c", "terminalId": "${run.result.terminalId}"}
    script.request("terminal/wait_for_exit", waits, save="wait").expect_answer("wait")
    script.send(of_child("tool_call", **call))
    script.update("subagent_update", **state(state="idle", stopReason="end_turn"))
    return script.chunk(" you").end_turn()


def test_what_a_subagent_does_is_reported_beside_the_answer(tmp_path: Path) -> None:
    ran = run_turn("--permissions", "allow", argv=tasting(tmp_path).argv(tmp_path), cwd=tmp_path)
    assert ran.out == "Hello\n you\n"
    lines = ran.err.splitlines()
    assert lines[:1] == ["subagent Taster: working"]
    assert "subagent Taster: other: Blow (completed)" in lines
    assert "subagent Taster: done: hot." in lines
    assert any(line.startswith("permission for its subagent Taster: Blow") for line in lines)
    assert "subagent Taster: wrote notes.md +1 (new)" in lines
    assert "subagent Taster: ran true: 0" in lines


@pytest.mark.parametrize("protocol", ["1", "2"])
def test_what_is_still_at_work_when_the_turn_is_over_is_named(
    protocol: str, tmp_path: Path
) -> None:
    """It ends with the agent, unnoticed: claude's adapter has subagents in the background."""
    script = turn().update(
        "subagent_update", sessionId="c", title="Taster", state={"state": "running"}
    )
    script.update("subagent_update", sessionId="d", title="Done", state={"state": "idle"})
    if protocol == "2":
        task = {"type": "_claude/task", "taskId": "b", "description": "Watch the pot"}
        work = [{"type": "subagent", "sessionId": "c"}, task]
        script.update("state_update", state="idle", stopReason="end_turn", background=work)
    else:
        script.end_turn()
    ran = run_turn("--protocol", protocol, argv=script.argv(tmp_path), cwd=tmp_path)
    names = "Taster, Watch the pot" if protocol == "2" else "Taster"
    words = f"acp-tui: the turn is over; still at work, and ended now: {names}"
    assert (ran.code, ran.out) == (0, "Hello\n")
    assert words in ran.err.splitlines()


def test_what_a_subagent_does_is_named_in_the_objects_for_programs(tmp_path: Path) -> None:
    script = tasting(tmp_path)
    argv = script.argv(tmp_path)
    ran = run_turn("--format", "json", "--permissions", "allow", argv=argv, cwd=tmp_path)
    objects = [json.loads(line) for line in ran.out.splitlines()]
    named = [one["event"] for one in objects if one.get("subagent") == "Taster"]
    assert {"update", "request", "answer", "written", "ran"} <= {*named}
    updates = [one for one in objects if one["event"] == "update"]
    of_child = [one for one in updates if one["sessionId"] == "c"]
    assert of_child == [one for one in updates if "subagent" in one]
