"""Logs of newer peers: what neither side has ruled out is a note; what one has not offered is a violation."""

from typing import Any

import pytest

from tests.unit.debug.scenes import Wire

NEWER = "newer-than-schema"
ANCHOR = {"type": "agent_message", "messageId": "m", "position": "after"}
TEXT = [{"type": "text", "text": "x"}]


def between(client: str | None = "Zed", **capabilities: Any) -> Wire:
    """A log of another client."""
    params: dict[str, Any] = {"protocolVersion": 1, "clientCapabilities": capabilities}
    if client is not None:
        params["clientInfo"] = {"name": client, "version": "1"}
    wire = Wire().out(id=0, method="initialize", params=params)
    info = {"name": "a", "version": "1"}
    result = {"protocolVersion": 1, "agentInfo": info, "agentCapabilities": {}, "authMethods": []}
    wire.got(id=0, result=result).out(
        id=1, method="session/new", params={"cwd": "/w", "mcpServers": []}
    )
    return wire.got(id=1, result={"sessionId": "s"}).prompt(2)


@pytest.mark.parametrize("client", ["Zed", None])
def test_an_unknown_update_between_other_programs_is_a_note(client: str | None) -> None:
    assert NEWER in (found := between(client).update("mood_update").ended().found())
    assert "schema" not in found


def test_an_unknown_update_to_this_client_is_a_violation() -> None:
    assert Wire().prompted().update("mood_update").ended().found() == ["schema"]
    assert between("acp-tui").update("mood_update").ended().found() == ["schema"]


def test_a_log_that_begins_late_may_be_between_other_programs() -> None:
    assert Wire().chunk().update("mood_update").found() == [NEWER]
    assert "schema" in Wire().started().chunk().update("mood_update").found()


def test_an_unknown_value_of_version_2_between_other_programs_is_a_note() -> None:
    wire = Wire().state("running").state("dreaming")
    assert wire.found() == [NEWER]
    assert Wire().running_2().state("dreaming").idle().found() == ["reserved-value"]


@pytest.mark.parametrize(
    ("kind", "fields", "capability"),
    [
        ("prompt_suggestions_update", {"suggestions": [{"prompt": TEXT}]}, "promptSuggestions"),
        ("cursor_update", {"cursorId": "c", "anchor": ANCHOR}, "cursors"),
    ],
)
def test_what_the_client_has_not_offered_is_a_violation_and_else_a_note(
    kind: str, fields: dict[str, Any], capability: str
) -> None:
    plain = between().update(kind, **fields).ended()
    assert set(plain.found()) == {"unstable", "unadvertised"}
    offered = between(session={capability: {}}).update(kind, **fields).ended()
    assert set(offered.found()) == {"unstable"}


def test_options_before_a_session_need_the_agents_offer() -> None:
    asked = between().ended().out(id=3, method="session/options", params={"cwd": "/w"})
    assert set(asked.found()) == {"unstable", "unadvertised"}


@pytest.mark.parametrize("client", ["Zed", "acp-tui"])
def test_what_jetbrains_air_is_told_is_neither_a_violation_nor_newer(client: str) -> None:
    wire = between(client)
    wire.update("async_task_spawned", asyncTaskId="t", name="npm test")
    wire.update("async_task_progress", asyncTaskId="t", summary="half")
    wire.update("async_task_state_update", asyncTaskId="t", state="completed")
    assert wire.ended().found() == between(client).ended().found()
