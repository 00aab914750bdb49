"""What the overlay adds is unstable; what nobody knows is a violation, and a note between other programs
and among the capabilities of an agent.
"""

from typing import Any

import pytest

from acp_tui.protocol import validation
from acp_tui.protocol.findings import format_path
from acp_tui.protocol.frames import Direction

TEXT = [{"type": "text", "text": "x"}]
SKILL = {"type": "skill", "name": "x"}
VALUE = {"configId": "model", "value": "fast"}
AT_MESSAGE = {"type": "agent_message", "messageId": "m", "position": "after"}
CLAIMS = {"session": {"cursors": {}, "promptSuggestions": {"image": {}}}}
IN, OUT = Direction.IN, Direction.OUT
INFO = {"name": "x", "version": "1"}


def update(kind: str, **fields: Any) -> dict[str, Any]:
    params = {"sessionId": "s", "update": {"sessionUpdate": kind, **fields}}
    return {"method": "session/update", "params": params}


def request(method: str, **params: Any) -> dict[str, Any]:
    return {"id": 1, "method": method, "params": params}


def rules(
    direction: Direction,
    message: dict[str, Any],
    answered: str | None = None,
    *,
    version: int = 1,
    is_between_others: bool = False,
) -> set[str]:
    found = validation.check_message(
        direction,
        {"jsonrpc": "2.0", **message},
        answered,
        version,
        is_between_others=is_between_others,
    )
    return {one.rule.id for one in found}


UNSTABLE: list[tuple[Direction, dict[str, Any], int]] = [
    (IN, update("prompt_suggestions_update", suggestions=[{"prompt": TEXT}]), 1),
    (IN, update("cursor_update", cursorId="c", anchor=AT_MESSAGE, capabilities={"fork": {}}), 1),
    (OUT, request("session/options", cwd="/w"), 1),
    (OUT, request("session/options", cwd="/w"), 2),
    (OUT, request("session/fork", sessionId="s", cwd="/w", cursorId="c"), 1),
    (OUT, request("session/new", cwd="/w", mcpServers=[], configOptions=[VALUE]), 1),
    (OUT, request("session/new", cwd="/w", configOptions=[{**VALUE, "type": "id"}]), 2),
    (OUT, request("initialize", protocolVersion=1, clientCapabilities=CLAIMS), 1),
]


@pytest.mark.parametrize(("direction", "message", "version"), UNSTABLE)
def test_what_the_overlay_adds_is_unstable(
    direction: Direction, message: dict[str, Any], version: int
) -> None:
    assert rules(direction, message, version=version) == {"unstable"}


OPEN: list[tuple[Direction, dict[str, Any]]] = [
    (IN, update("cursor_update", cursorId="c", anchor=AT_MESSAGE)),
    (IN, update("agent_message_chunk", messageId="m", content=SKILL)),
    (
        IN,
        update("available_commands_update", availableCommands=[{**SKILL, "description": "d"}]),
    ),
    (OUT, request("session/prompt", sessionId="s", prompt=TEXT, idempotencyKey="k")),
]


@pytest.mark.parametrize(("direction", "message"), OPEN)
def test_what_version_2_leaves_open_or_has_is_nothing(
    direction: Direction, message: dict[str, Any]
) -> None:
    assert rules(direction, message, version=2) == set()


@pytest.mark.parametrize(
    ("direction", "message", "path"),
    [
        (IN, update("cursor_update", anchor=AT_MESSAGE), "params.update.cursorId"),
        (IN, update("prompt_suggestions_update"), "params.update.suggestions"),
        (OUT, request("session/options"), "params.cwd"),
    ],
)
def test_what_the_overlay_requires_is_required(
    direction: Direction, message: dict[str, Any], path: str
) -> None:
    found = validation.check_message(direction, {"jsonrpc": "2.0", **message})
    assert ("schema", path) in [(one.rule.id, format_path(one.path)) for one in found]


def test_sessions_among_the_capabilities_of_a_client_of_version_2_are_unstable() -> None:
    message = request(
        "initialize",
        protocolVersion=2,
        info={"name": "c", "version": "1"},
        capabilities={"session": {"promptSuggestions": {}}},
    )
    assert rules(OUT, message, version=2) == {"unstable"}


def test_session_options_among_the_capabilities_of_an_agent_are_unstable() -> None:
    capabilities = {"sessionCapabilities": {"options": {}}}
    result = {"protocolVersion": 1, "agentCapabilities": capabilities}
    assert rules(IN, {"id": 1, "result": result}, "initialize") == {"unstable"}


@pytest.mark.parametrize(
    ("message", "rule"),
    [
        (update("agent_message_chunk", content=TEXT[0], cursors={}), "custom-field"),
        (update("available_commands_update", availableCommands=[{"name": "x", "description": "", "path": "/"}]), "custom-field"),
        (update("mood_update"), "schema"),
        (update("agent_message_chunk", content={"type": "smell"}), "schema"),
        (update("agent_message_chunk", content="x"), "schema"),
    ],
)  # fmt: skip
def test_the_same_name_elsewhere_is_a_violation(message: dict[str, Any], rule: str) -> None:
    assert rules(IN, message) == {rule}


def test_a_system_prompt_that_is_a_number_is_a_violation() -> None:
    message = request("session/new", cwd="/w", mcpServers=[], systemPrompt=5)
    assert rules(OUT, message) == {"schema"}


UNKNOWN: list[tuple[str, Direction, dict[str, Any]]] = [
    ("schema", IN, update("mood_update", mood="good")),
    ("schema", IN, update("agent_message_chunk", content={"type": "smell"})),
    ("schema", IN, {"id": 1, "result": {"stopReason": "budget_exhausted"}}),
    ("custom-field", OUT, request("session/new", cwd="/w", mcpServers=[], worktree={})),
    ("unknown-method", OUT, request("session/rewind", sessionId="s")),
    ("unknown-method", IN, request("editor/open_tab", sessionId="s")),
]


@pytest.mark.parametrize(("rule", "direction", "message"), UNKNOWN)
def test_what_is_unknown_but_well_formed_is_a_note_between_other_programs(
    rule: str, direction: Direction, message: dict[str, Any]
) -> None:
    answered = "session/prompt" if "result" in message else None
    assert rules(direction, message, answered) == {rule}
    assert rules(direction, message, answered, is_between_others=True) == {"newer-than-schema"}


@pytest.mark.parametrize("version", [1, 2])
def test_a_capability_that_is_unknown_is_a_note_to_any_client(version: int) -> None:
    """codex-acp 2.6.0 lists subagents there: it can't know which schema its client has."""
    first = {"agentCapabilities": {"sessionCapabilities": {"moods": {}}}}
    second = {"capabilities": {"session": {"moods": {}}}, "info": INFO}
    result: dict[str, Any] = first if version == 1 else second
    message: dict[str, Any] = {"id": 1, "result": {"protocolVersion": version, **result}}
    assert rules(IN, message, "initialize", version=version) == {"newer-than-schema"}
    message["result"]["mood"] = "good"
    assert "custom-field" in rules(IN, message, "initialize", version=version)


@pytest.mark.parametrize(
    ("rule", "direction", "message"),
    [
        ("schema", IN, update("Mood Update")),
        ("schema", IN, update("agent_message_chunk", content="x")),
        ("schema", IN, update("agent_message_chunk")),
        ("schema", OUT, request("session/prompt", sessionId="s", prompt="hi")),
        ("schema", OUT, {"id": 1, "method": "session/new"}),
        ("custom-field", OUT, request("session/list", **{"my field": 1})),
        ("unknown-method", OUT, request("Rewind")),
        ("unknown-method", OUT, request("rewind")),
        ("removed", OUT, request("session/set_model", sessionId="s", modelId="m")),
        ("wrong-side", OUT, request("session/request_permission", sessionId="s")),
    ],
)
def test_what_is_malformed_stays_a_violation_between_other_programs(
    rule: str, direction: Direction, message: dict[str, Any]
) -> None:
    assert rules(direction, message, is_between_others=True) == {rule}


def test_the_note_names_the_date_of_the_schema() -> None:
    message = {"jsonrpc": "2.0", **update("mood_update")}
    [found] = validation.check_message(IN, message, is_between_others=True)
    assert "newer than the schema of this acp-tui (1 Nov 2026)" in found.message
