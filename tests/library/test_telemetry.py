"""Spans of agents that the library hosts."""

import sys
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import TracerProvider

import acp_tui
from tests.fake_agent.script import Script
from tests.telemetry.receiver import receiver

SCRIPT = Script().handshake().prompt().chunk("done").end_turn()


@pytest.mark.slow
@pytest.mark.anyio
async def test_what_an_agent_does_is_below_the_span_of_the_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = tmp_path / "it.jsonl"
    with receiver() as it:
        for name, value in it.environment.items():
            monkeypatch.setenv(name, value)
        with TracerProvider().get_tracer("tests").start_as_current_span("mine") as mine:
            argv = SCRIPT.argv(tmp_path)
            async with acp_tui.open_agent(argv, tmp_path, record=recording, otel=True) as agent:
                await (await agent.new_session()).prompt("brew")
    turn, above = it.span("invoke_agent fake-agent"), mine.get_span_context()
    assert int.from_bytes(turn.trace_id, "big") == above.trace_id
    assert int.from_bytes(turn.parent_span_id, "big") == above.span_id
    assert f'"parent": "00-{above.trace_id:032x}-{above.span_id:016x}' in recording.read_text()


@pytest.mark.slow
@pytest.mark.anyio
async def test_what_is_not_received_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with receiver(401) as it:
        for name, value in it.environment.items():
            monkeypatch.setenv(name, value)
        with pytest.warns(UserWarning, match="401"):
            async with acp_tui.open_agent(SCRIPT.argv(tmp_path), tmp_path, otel=True) as agent:
                await (await agent.new_session()).prompt("brew")


@pytest.mark.anyio
async def test_without_the_extra_it_is_said_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "acp_tui.telemetry.otlp", None)
    with pytest.raises(ImportError, match="pip install '\\.\\[otel\\]'"):
        async with acp_tui.open_agent(SCRIPT.argv(tmp_path), tmp_path, otel=True):
            raise AssertionError
