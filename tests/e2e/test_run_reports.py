"""`acp-tui run`: what it says of all that an agent does, and of what breaks the protocol."""

import json
from pathlib import Path
from typing import Any

from tests.examples import parametrize
from tests.fake_agent.script import Script
from tests.hosting import Ran, run_turn

PRETTY = {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1"}}


def turn(text: str = "Hello") -> Script:
    return Script().handshake().prompt().chunk(text)


def pretty(message: dict[str, Any]) -> bytes:
    return json.dumps(message, indent=2).encode() + b"\n"


def test_the_summary_has_all_of_the_turn_whatever_the_agent_repeats(tmp_path: Path) -> None:
    said = {"type": "text", "text": "what the person said, in the agent's words"}
    script = turn("before ").tool_call("t1", "Look", kind="read", status="completed")
    script.update("user_message_chunk", content=said).chunk("after").tool_call("t2", "Write")
    ran = run_turn("--format", "json", argv=script.end_turn().argv(tmp_path))
    assert ran.summary["text"] == "before \nafter"
    assert [one["title"] for one in ran.summary["toolCalls"]] == ["Look", "Write"]


def test_a_turn_that_never_began_has_no_text_of_another(tmp_path: Path) -> None:
    resumed = Script().initialize({"agentCapabilities": {"loadSession": True}})
    script = resumed.expect("session/load").update(
        "user_message_chunk", content={"type": "text", "text": "earlier"}
    )
    script.chunk("earlier words").reply("load", {})
    ran = run_turn(
        "--resume", "s1", "--set", "mode=x", "--format", "json", argv=script.argv(tmp_path)
    )
    assert (ran.code, ran.summary["text"]) == (1, "")


def test_programs_get_every_message_of_the_agent_as_it_came(tmp_path: Path) -> None:
    script = Script().initialize({"agentCapabilities": {"loadSession": True}})
    values = [{"value": "v", "name": "V"}]
    option = {"id": "o", "name": "O", "type": "select", "currentValue": "v", "options": values}
    opened = {"configOptions": [option], "event": "mine"}
    script.expect("session/load").chunk("of old").reply("load", opened)
    script.expect("session/set_config_option")
    script.reply("set_config_option", {"configOptions": []})
    script.prompt().request("_x/y", {"a": 1}, id="their-id").expect_answer("y")
    script.send({"method": "_x/told", "params": {"b": [2]}})
    script.send({"id": 77, "result": {"c": 3}})
    script.send({"id": 78, "error": {"code": 9, "message": "late"}})
    script.send(
        {"method": "session/update", "params": {"sessionId": "s1", "event": "e", "update": 5}}
    )
    error = {"code": -32000, "message": "no", "data": {"why": ["x"]}}
    argv = script.reply("prompt", error=error).argv(tmp_path)
    ran = run_turn("--resume", "s1", "--set", "o=v", "--format", "json", argv=argv)
    (loaded,) = ran.of("session/load")
    assert loaded == {
        "event": "session/load",
        "configOptions": [option],
        "result": opened,
    }
    assert ran.of("session/set_config_option")[0]["configOptions"] == []
    assert ran.of("request")[0]["id"] == ran.of("answer")[0]["id"] == "their-id"
    assert ran.of("notification") == [
        {"event": "notification", "method": "_x/told", "params": {"b": [2]}}
    ]
    assert ran.of("stray") == [
        {"event": "stray", "id": 77, "result": {"c": 3}},
        {"event": "stray", "id": 78, "error": {"code": 9, "message": "late"}},
    ]
    broken = ran.of("update")[-1]
    assert broken["problem"] == "params.update: must be an object, but is an integer: 5"
    assert broken["params"] == {"sessionId": "s1", "event": "e", "update": 5}
    assert ran.of("session/prompt") == [{"event": "session/prompt", "error": error}]


def test_what_programs_get_is_json_though_the_agent_sent_none(tmp_path: Path) -> None:
    script = turn().raw(
        b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":'
        b'{"sessionUpdate":"usage_update","used":NaN,"size":1e999}}}\n'
    )
    ran = run_turn("--format", "json", argv=script.end_turn().argv(tmp_path))
    update = ran.of("update")[-1]["update"]
    assert (update["used"], update["size"]) == ("NaN", "Infinity")


def test_what_could_not_be_read_is_said(tmp_path: Path) -> None:
    script = turn().update("agent_message_chunk", content="words").update("dance", step=1)
    script.request("terminal/create", {"sessionId": "s1"}, save="create")
    script.expect_answer("create", error={"code": -32602})
    script.send({"id": "of yore", "result": {}}).send({"method": "_their/own", "params": 1})
    ran = run_turn(argv=script.end_turn().argv(tmp_path))
    assert (ran.code, ran.out) == (0, "Hello\n")
    assert ran.err.splitlines() == [
        'not read: session/update: params.update.content: must be an object, but is a string: "words"',
        "not read: session/update of an unknown kind: dance",
        "not read: terminal/create: params.command: is missing",
        'not read: an answer to "of yore", which nobody waits for',
    ]


def test_what_the_agent_wrote_and_ran_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("one\ntwo\nthree\n", "utf-8")
    outside = tmp_path / "work"
    outside.mkdir()

    def write(script: Script, name: str, content: str) -> None:
        params = {"sessionId": "s1", "path": str(tmp_path / name), "content": content}
        script.request("fs/write_text_file", params, save="write").expect_answer("write")

    script = turn("ok\n")
    write(script, "a.py", "one\n2\nthree\nfour\nfive\n")
    write(script, "new.py", "x\n")
    for command, args in (("sh", ["-c", "exit 3"]), ("true", [])):
        params = {"sessionId": "s1", "command": command, "args": args}
        script.request("terminal/create", params, save="create").expect_answer("create")
        on = {"sessionId": "s1", "terminalId": "${create.result.terminalId}"}
        script.request("terminal/wait_for_exit", on, save="wait").expect_answer("wait")
    argv = script.end_turn().argv(tmp_path)
    ran = run_turn("--permissions", "allow", argv=argv, cwd=tmp_path)
    told = [line for line in ran.err.splitlines() if not line.startswith("permission:")]
    assert told == [
        "wrote a.py +3 −1",
        "wrote new.py +1 (new)",
        "ran sh -c exit 3: 3",
        "ran true: 0",
    ]
    as_json = run_turn("--permissions", "allow", "--format", "json", argv=argv, cwd=tmp_path)
    assert as_json.of("ran")[0] == {
        "event": "ran",
        "command": "sh",
        "args": ["-c", "exit 3"],
        "exitCode": 3,
        "signal": None,
    }


def test_an_edit_that_is_not_what_was_shown_is_told_however_soon_the_turn_ends(
    tmp_path: Path,
) -> None:
    path = str(tmp_path / "a.txt")
    diff = {"type": "diff", "path": path, "oldText": "one\n", "newText": "two\n"}
    script = Script().handshake().prompt()
    script.tool_call("t1", "Edit", kind="edit", status="in_progress", content=[diff])
    script.request("fs/read_text_file", {"sessionId": "s1", "path": path}).expect_answer(
        "read_text_file"
    )
    write = {"sessionId": "s1", "path": path, "content": "three\n"}
    script.request("fs/write_text_file", write).expect_answer("write_text_file")
    argv = script.tool_call_update("t1", status="completed").end_turn().argv(tmp_path)
    for options in ([], ["--format", "json"]):
        Path(path).write_text("one\n")
        ran = run_turn(*options, argv=argv, cwd=tmp_path)
        told = ran.of("compared")[0]["words"] if options else ran.err
        assert "a.txt is not what the diff shows" in told
    assert "edit: Edit (completed)" in run_turn(argv=argv, cwd=tmp_path).err


def test_a_message_on_several_lines_is_told_of_once(tmp_path: Path) -> None:
    script = turn("ok\n").raw(pretty(PRETTY)).raw(b"{\nnpm warn\n").raw(pretty({"level": "info"}))
    argv = script.end_turn().argv(tmp_path)
    lines = run_turn(argv=argv).err.splitlines()
    assert [line.partition("not ACP from the agent ")[2].partition(": {")[0] for line in lines] == [
        "(one message on 7 lines, so it can't be read: each must be on a single line)",
        "(not JSON from character 2 on)",
        "(not JSON): npm warn",
        "(neither a request, a notification nor a response: a JSON object on 3 lines)",
    ]
    first, *_, last = run_turn("--format", "json", argv=argv).of("problem")
    assert (first["lines"], first["value"]) == (7, PRETTY)
    assert (last["lines"], last["value"]) == (3, {"level": "info"})


def test_lines_that_go_on_no_more_are_told_of_at_the_end(tmp_path: Path) -> None:
    end = json.dumps({"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "end_turn"}}).encode()
    argv = turn("ok\n").raw(end + b"\n{\n").argv(tmp_path)  # at once: we leave at the turn's end
    for options in ([], ["--format", "json"]):
        ran = run_turn(*options, "--findings", argv=argv)
        assert "not JSON from character 2 on" in (ran.out if options else ran.err)


def test_a_byte_order_mark_loses_no_message(tmp_path: Path) -> None:
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "marked"}}
    message = {**PRETTY, "params": {"sessionId": "s1", "update": update}}
    marked = b"\xef\xbb\xbf" + json.dumps(message).encode() + b"\r\n"
    ran = run_turn("--findings", argv=turn("").raw(marked).end_turn().argv(tmp_path))
    assert (ran.code, ran.out) == (6, "marked\n")
    assert "ERROR byte-order-mark" in ran.err


def checked(tmp_path: Path, script: Script, *options: str) -> Ran:
    return run_turn(*options, argv=script.argv(tmp_path))


@parametrize(
    3,
    ("script", "options", "code", "told"),
    [
        (turn().end_turn(), ["--findings"], 0, "0 errors, 0 warnings"),
        (turn().garbage("npm warn").end_turn(), [], 0, ""),
        (turn().garbage("npm warn").end_turn(), ["--findings"], 6, "ERROR stdout-noise"),
        (turn().garbage("npm warn").end_turn(), ["--findings=warning"], 6, "1 error"),
        (turn("").chunk("x", mood=1).end_turn(), ["--findings"], 0, "WARNING custom-field"),
        (turn("").chunk("x", mood=1).end_turn(), ["--findings=warning"], 6, "custom-field"),
        (turn().garbage("npm warn").end_turn("refusal"), ["--findings"], 4, "stdout-noise"),
        (turn().garbage("npm warn").exit(3), ["--findings"], 1, "agent-exited"),
    ],
)
def test_findings_are_told_at_the_end_and_fail_what_ended_well(
    tmp_path: Path, script: Script, options: list[str], code: int, told: str
) -> None:
    ran = checked(tmp_path, script, *options)
    assert ran.code == code, ran.err
    assert told in ran.err
    assert ("findings: " in ran.err.splitlines()[-1] if ran.err else False) is (code == 6)


def test_programs_get_findings_before_the_summary(tmp_path: Path) -> None:
    script = turn().garbage("npm warn").end_turn()
    ran = checked(tmp_path, script, "--findings", "--format", "json")
    (finding,) = [one for one in ran.of("finding") if one["rule"] == "stdout-noise"]
    assert (finding["severity"], finding["direction"]) == ("error", "in")
    assert (ran.code, ran.summary["exitCode"]) == (6, 6)
    assert ran.summary["why"] == "findings: 1 error"


def test_how_bad_a_finding_must_be_stands_behind_the_sign(tmp_path: Path) -> None:
    ran = checked(tmp_path, turn().end_turn(), "--findings=note")
    assert ran.code == 2
    assert "choose from" in ran.err
