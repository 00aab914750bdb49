"""Spans and metrics, as a receiver gets them: live, and from a recording."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from tests.fake_agent.script import Played, Script
from tests.hosting import run_turn
from tests.telemetry.receiver import Receiver, attributes, receiver

USAGE = {"inputTokens": 120, "outputTokens": 30, "totalTokens": 150}


def working(folder: Path) -> Script:
    """An agent that asks, reads a file, works and says what it used."""
    tool = {"kind": "edit", "status": "pending"}
    script = Script().handshake().prompt().tool_call("t1", "Mend it", **tool)
    script.ask_permission({"title": "Mend it", "kind": "edit"})
    script.expect_answer("ask")
    script.request("fs/read_text_file", {"sessionId": "s1", "path": str(folder / "a.txt")})
    script.expect_answer("read_text_file")
    script.tool_call_update("t1", status="completed").tool_call("t2", "Fail", name="bash")
    script.tool_call_update("t2", status="failed").chunk("done")
    script.update("subagent_update", sessionId="c", title="Ada", state={"state": "running"})
    script.update("subagent_update", sessionId="c", state={"state": "idle"})
    return script.reply("prompt", {"stopReason": "end_turn", "usage": USAGE})


def run(folder: Path, to: Receiver, *arguments: str, **environment: str) -> str:
    """Take a turn with telemetry; returns what stands on stderr."""
    (folder / "a.txt").write_text("text")
    argv = working(folder).argv(folder)
    env = {**to.environment, **environment}
    ran = run_turn("--otel", "--dangerously-allow-all", *arguments, argv=argv, cwd=folder, env=env)
    assert ran.code == 0, ran.err
    Played(folder).check()
    return ran.err


def assert_tree(it: Receiver) -> None:
    """What the turn did is below the turn."""
    turn = it.span("invoke_agent fake-agent")
    edit, failed = it.span("execute_tool edit"), it.span("execute_tool bash")
    asked, read = it.span("session/request_permission"), it.span("fs/read_text_file")
    below = {one.name: it.parent(one) for one in (edit, failed, asked, read)}
    assert below == {edit.name: turn, failed.name: turn, asked.name: edit, read.name: turn}
    assert {one.trace_id for one in (edit, failed, asked, read)} == {turn.trace_id}
    for one in (edit, failed, asked, read):
        assert turn.start_time_unix_nano <= one.start_time_unix_nano
        assert one.start_time_unix_nano <= one.end_time_unix_nano <= turn.end_time_unix_nano
    assert failed.status.code == Status.STATUS_CODE_ERROR
    assert turn.status.code == Status.STATUS_CODE_UNSET
    ada = it.span("invoke_agent Ada")
    assert (it.parent(ada), ada.kind) == (turn, Span.SPAN_KIND_CLIENT)
    assert attributes(ada)["gen_ai.agent.name"] == "Ada"
    assert (turn.kind, read.kind) == (Span.SPAN_KIND_CLIENT, Span.SPAN_KIND_SERVER)


def assert_facts(it: Receiver) -> None:
    """Attributes have the names of the conventions."""
    turn = attributes(it.span("invoke_agent fake-agent"))
    assert turn["gen_ai.operation.name"] == "invoke_agent"
    assert turn["gen_ai.conversation.id"] == "s1"
    assert turn["gen_ai.usage.input_tokens"] == 120
    assert turn["gen_ai.response.finish_reasons"] == ["end_turn"]
    assert turn["acp.turn.tool_calls"] == 2
    asked = attributes(it.span("session/request_permission"))
    assert (asked["acp.permission.outcome"], asked["acp.permission.rule"]) == (
        "allow_once",
        "allow",
    )
    assert attributes(it.span("fs/read_text_file"))["file.path"].endswith("a.txt")
    assert attributes(it.span("execute_tool bash"))["gen_ai.tool.call.id"] == "t2"


def test_a_turn_is_exported_while_it_runs_and_the_agent_gets_the_ids_of_its_spans(
    tmp_path: Path,
) -> None:
    with receiver() as it:
        assert "--otel" not in run(tmp_path, it, OTEL_SERVICE_NAME="mine")
    assert_tree(it)
    assert_facts(it)
    assert {one["service.name"] for one in it.resources} == {"mine"}
    for method, name in (
        ("session/prompt", "invoke_agent fake-agent"),
        ("initialize", "initialize"),
    ):
        (call,) = Played(tmp_path).calls(method)
        _, trace, span, _ = call["params"]["_meta"]["traceparent"].split("-")
        assert (it.span(name).trace_id.hex(), it.span(name).span_id.hex()) == (trace, span)
    (tokens,) = [
        point.sum
        for point in it.metrics["gen_ai.client.token.usage"]
        if attributes(point)["gen_ai.token.type"] == "input"
    ]
    assert tokens == 120
    took = {
        attributes(one)["gen_ai.operation.name"]
        for one in it.metrics["gen_ai.client.operation.duration"]
    }
    assert took == {"invoke_agent", "execute_tool"}


@pytest.mark.slow
def test_settings_export_unless_the_command_line_says_no(tmp_path: Path) -> None:
    (tmp_path / "acp-tui").mkdir()
    (tmp_path / "acp-tui" / "settings.toml").write_text("otel = true\n")
    argv = Script().handshake().prompt().end_turn().argv(tmp_path)
    with receiver() as it:
        env = {**it.environment, "XDG_CONFIG_HOME": str(tmp_path)}
        run_turn("--no-otel", argv=argv, cwd=tmp_path, env=env)
        assert it.spans == []
        run_turn(argv=argv, cwd=tmp_path, env=env)
    assert it.span("invoke_agent fake-agent")


def test_spans_are_part_of_the_trace_that_the_environment_names(tmp_path: Path) -> None:
    trace, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
    with receiver() as it:
        run(tmp_path, it, TRACEPARENT=f"00-{trace}-{parent}-01")
    assert {one.trace_id.hex() for one in it.spans} == {trace}
    assert it.span("session/new").parent_span_id.hex() == parent
    given = [one["params"]["_meta"]["traceparent"] for one in Played(tmp_path).calls("session/new")]
    assert given == [f"00-{trace}-{it.span('session/new').span_id.hex()}-01"]


def test_a_trace_that_is_not_sampled_is_not_exported(tmp_path: Path) -> None:
    with receiver() as it:
        run(tmp_path, it, TRACEPARENT="00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00")
    assert it.spans == []


def test_a_receiver_that_refuses_is_named_at_the_end_and_breaks_nothing(tmp_path: Path) -> None:
    with receiver(401) as it:
        said = run(tmp_path, it)
    assert "--otel: " in said
    assert "401" in said
    assert f"(OTEL_EXPORTER_OTLP_ENDPOINT is {it.url})" in said
    assert "Traceback" not in said


def export(recording: Path, to: Receiver) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "acp_tui", "export", "--otlp", str(recording)]
    env = {**os.environ, **to.environment}
    return subprocess.run(argv, env=env, capture_output=True, text=True, check=False)


def test_a_recording_gives_the_spans_that_were_exported_live(tmp_path: Path) -> None:
    recording = tmp_path / "it.jsonl"
    with receiver() as live:
        run(tmp_path, live, "--record", str(recording))
    with receiver() as it:
        done = export(recording, it)
    assert done.stdout == f"sent {len(it.spans)} spans\n"
    assert_tree(it)
    assert_facts(it)
    told = {
        name: {one.span_id for one in of.spans if one.name == name}
        for of in (live,)
        for name in ("session/new", "invoke_agent fake-agent")
    }
    for name, ids in told.items():
        assert {it.span(name).span_id} == ids
    (point,) = it.metrics["acp.turn.time_to_first_update"]
    turn = it.span("invoke_agent fake-agent")
    assert point.start_time_unix_nano <= turn.start_time_unix_nano
    assert turn.end_time_unix_nano <= point.time_unix_nano <= turn.end_time_unix_nano + 60 * 10**9


@pytest.mark.slow
def test_exported_twice_it_gives_the_same_spans(tmp_path: Path) -> None:
    recording = tmp_path / "it.jsonl"
    (tmp_path / "a.txt").write_text("text")
    argv = working(tmp_path).argv(tmp_path)
    run_turn("--dangerously-allow-all", "--record", str(recording), argv=argv, cwd=tmp_path)
    with receiver() as first:
        export(recording, first)
    with receiver() as second:
        export(recording, second)
    ids = [[(one.trace_id, one.span_id) for one in of.spans] for of in (first, second)]
    assert ids[0] == ids[1]
    assert len(set(ids[0])) == len(ids[0]) > 5
    assert_tree(first)


def test_a_receiver_that_is_not_there_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = tmp_path / "it.jsonl"
    argv = Script().handshake().prompt().end_turn().argv(tmp_path)
    run_turn("--record", str(recording), argv=argv, cwd=tmp_path)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
    nobody = Receiver()
    nobody.url = "http://me:hidden-1@127.0.0.1:9/?key=hidden-2"
    done = export(recording, nobody)
    assert done.returncode == 1
    assert "--otlp: " in done.stderr
    assert "OTEL_EXPORTER_OTLP_ENDPOINT is http://…@127.0.0.1:9/?…" in done.stderr
    assert "hidden" not in done.stderr
    assert "Traceback" not in done.stderr
