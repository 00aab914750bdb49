"""ACP's types: what is salvaged of a message with defects, as the official schema marks it."""

from typing import Any

import pytest
from pydantic_core import ValidationError

from acp_tui.protocol.config_options import (
    BooleanConfigOption,
    SelectConfigOption,
    UnknownConfigOption,
)
from acp_tui.protocol.content import ContentItem, Diff, TerminalRef, TextContent, UnknownContent
from acp_tui.protocol.initialization import AuthMethod, GivenInitializeParams, InitializeResult
from acp_tui.protocol.requests import (
    CreateTerminalParams,
    RequestPermissionParams,
    RequestPermissionResult,
    TerminalOutputResult,
)
from acp_tui.protocol.setup import NewSessionResult, SessionInfo
from acp_tui.protocol.updates import (
    CurrentModeUpdate,
    Plan,
    SessionNotification,
    ToolCall,
    ToolCallUpdate,
    UnknownUpdate,
)


def read(update: dict[str, Any]) -> Any:
    return SessionNotification.model_validate({"sessionId": "s", "update": update}).update


def test_a_tool_call_with_defects_keeps_what_is_sound() -> None:
    call = read(
        {
            "sessionUpdate": "tool_call",
            "toolCallId": "t",
            "title": None,
            "kind": ["edit"],
            "status": "paused",
            "content": [
                {"type": "content", "content": {"type": "text", "text": "a"}},
                {"type": "diff", "path": "/a", "oldText": 5, "newText": "b"},
                {"type": "diff"},
                {"type": "terminal", "terminalId": "m"},
                {"type": "hologram", "beam": 1},
                {"type": []},
                "text",
            ],
            "locations": 5,
            "_meta": "none",
            "vendor": {"x": 1},
        }
    )
    assert isinstance(call, ToolCall)
    assert (call.title, call.kind, call.status, call.locations, call.meta) == (None,) * 5
    content, diff, terminal, unknown = call.content or []
    assert isinstance(content, ContentItem)
    assert isinstance(diff, Diff)
    assert diff.old_text is None
    assert isinstance(terminal, TerminalRef)
    assert isinstance(unknown, UnknownContent)
    assert unknown.wire() == {"type": "hologram", "beam": 1}
    assert call.wire()["vendor"] == {"x": 1}


def test_a_bare_content_block_in_a_tool_call_is_taken_as_the_documentation_writes_it() -> None:
    bare = {"toolCallId": "t", "content": [{"type": "text", "text": "plan"}]}
    (item,) = ToolCallUpdate.model_validate(bare).content or []
    assert isinstance(item, ContentItem)
    assert item.content == TextContent(text="plan")


def test_lists_drop_bad_items_and_no_list_is_an_empty_one() -> None:
    plan = read({"sessionUpdate": "plan", "entries": [{"content": "a", "status": "x"}, 5]})
    assert [(one.content, one.priority, one.status) for one in plan.entries] == [
        ("a", "medium", "pending")
    ]
    empty = read({"sessionUpdate": "plan", "entries": None})
    assert isinstance(empty, Plan)
    assert empty.entries == []
    assert empty.wire() == {"sessionUpdate": "plan", "entries": []}


@pytest.mark.parametrize(
    "update",
    [
        {"sessionUpdate": "plan"},
        {"sessionUpdate": "tool_call"},
        {"sessionUpdate": "usage_update", "used": "many", "size": 1},
        {"sessionUpdate": "agent_message_chunk", "content": {"type": ["text"]}},
        {"sessionUpdate": ["plan"], "entries": []},
        {"entries": []},
        None,
    ],
)
def test_what_the_schema_does_not_salvage_is_refused(update: Any) -> None:
    with pytest.raises(ValidationError):
        read(update)


def test_unknown_updates_and_content_keep_their_fields() -> None:
    update = read({"sessionUpdate": "next_update", "state": "idle"})
    assert isinstance(update, UnknownUpdate)
    assert update.wire() == {"sessionUpdate": "next_update", "state": "idle"}
    chunk = read({"sessionUpdate": "agent_message_chunk", "content": {"type": "video", "u": 1}})
    assert chunk.content.wire() == {"type": "video", "u": 1}


@pytest.mark.parametrize("name", ["currentModeId", "modeId"])
def test_both_spellings_of_a_mode_change_are_read(name: str) -> None:
    update = read({"sessionUpdate": "current_mode_update", name: "plan"})
    assert isinstance(update, CurrentModeUpdate)
    assert update.current_mode_id == "plan"


def test_an_answer_to_initialize_with_defects_still_says_what_is_offered() -> None:
    result = InitializeResult.model_validate(
        {
            "protocolVersion": 1,
            "agentCapabilities": {"loadSession": {}, "promptCapabilities": 5, "x": 1},
            "authMethods": [{"id": "key", "name": "Key", "args": "x", "env": 5}, {"id": 5}],
            "agentInfo": "me",
        }
    )
    assert result.agent_capabilities.load_session is False
    assert result.agent_capabilities.prompt_capabilities.image is False
    assert result.agent_info is None
    (method,) = result.auth_methods
    assert (method.args, method.env, method.agent_driven) == ([], {}, True)
    assert (
        InitializeResult.model_validate({"protocolVersion": 1, "authMethods": 5}).wire()[
            "authMethods"
        ]
        == []
    )


def test_only_terminal_sign_in_is_not_driven_by_the_agent() -> None:
    kinds = ["terminal", "agent", "env_var", None]
    methods = [AuthMethod.model_validate({"id": "a", "name": "A", "type": kind}) for kind in kinds]
    assert [method.agent_driven for method in methods] == [False, True, True, True]


def test_config_options_of_every_type_are_read_and_groups_opened() -> None:
    flat, grouped = {"value": "a", "name": "A"}, {"group": "g", "name": "G"}
    result = NewSessionResult.model_validate(
        {
            "sessionId": "s",
            "configOptions": [
                {
                    "type": "select",
                    "id": "model",
                    "name": "Model",
                    "currentValue": "a",
                    "options": [flat, {**grouped, "options": [{"value": "b", "name": "B"}, 5]}, 5],
                },
                {"type": "boolean", "id": "b", "name": "B", "currentValue": True},
                {"type": "slider", "id": "c"},
                {"type": {}},
                {"type": "select"},
            ],
        }
    )
    select, boolean, unknown = result.config_options or []
    assert isinstance(select, SelectConfigOption)
    assert [choice.value for choice in select.choices] == ["a", "b"]
    assert isinstance(boolean, BooleanConfigOption)
    assert isinstance(unknown, UnknownConfigOption)


def test_a_terminal_request_with_null_lists_has_empty_ones() -> None:
    params = CreateTerminalParams.model_validate(
        {"sessionId": "s", "command": "ls", "args": None, "env": None, "outputByteLimit": -5}
    )
    assert (params.args, params.env, params.output_byte_limit) == ([], [], None)
    output = TerminalOutputResult.model_validate(
        {"output": "", "truncated": False, "exitStatus": {"exitCode": "x", "signal": 9}}
    )
    assert output.exit_status is not None
    assert (output.exit_status.exit_code, output.exit_status.signal) == (None, None)


def test_a_permission_may_carry_only_an_id_and_options_of_any_kind() -> None:
    params = RequestPermissionParams.model_validate(
        {
            "sessionId": "s",
            "toolCall": {"toolCallId": "t"},
            "options": [{"optionId": "a", "name": "A", "kind": "allow_forever"}, {"name": "B"}],
        }
    )
    assert [option.kind for option in params.options] == ["allow_forever"]


def test_a_permission_is_answered_as_the_protocol_writes_it() -> None:
    selected = RequestPermissionResult.selected("a").wire()
    assert selected == {"outcome": {"outcome": "selected", "optionId": "a"}}
    assert RequestPermissionResult.cancelled().wire() == {"outcome": {"outcome": "cancelled"}}


def test_an_object_with_something_nested_deep_goes_out_as_it_came_in() -> None:
    deep: Any = "x"
    for _ in range(180):
        deep = [deep]
    update = {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "T"}
    content = [{"type": "content", "content": {"type": "text", "text": "hi"}}]
    wire = read({**update, "content": content, "rawInput": deep}).wire()
    assert wire["rawInput"] == deep
    assert wire["content"] == content


def test_what_another_client_says_goes_out_as_it_is_given() -> None:
    given = {"clientCapabilities": {"terminal": "perhaps"}, "_meta": {"mine": None}}
    assert GivenInitializeParams(given=given).wire() == given


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("1970-01-01T01:00:00+01:00", 0.0), ("1970-01-02", 86400.0), ("soon", 0.0)],
)
def test_a_listed_session_tells_when_it_was_updated_in_any_zone(
    written: str, seconds: float
) -> None:
    info = SessionInfo.model_validate({"sessionId": "s", "cwd": "/tea/", "updatedAt": written})
    assert info.updated == seconds
    assert info.works_in("/tea")
    assert not info.works_in("/")
