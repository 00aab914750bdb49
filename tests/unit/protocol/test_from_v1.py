"""What agents say in version 1, in the words of version 2: it is valid there, and says the same."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.protocol import git_patch
from acp_tui.protocol.content import Diff
from acp_tui.protocol.schema import Edition
from acp_tui.protocol.v2 import from_v1
from acp_tui.protocol.v2.updates import ToolCallUpdateV2
from tests.properties.official import Official

OFFICIAL = Official(Edition.STABLE_2)
TEXT = {"type": "text", "text": "tea"}
OPTION = {"id": "model", "name": "Model", "type": "select", "currentValue": "a"}
CALL = {"toolCallId": "t1", "title": "Pour", "kind": "other", "name": None}


def problems(name: str, value: Any) -> Any:
    return OFFICIAL.check(name)(value)


def test_what_an_agent_can_do_is_said_by_objects() -> None:
    result = from_v1.initialize_result(
        {
            "protocolVersion": 1,
            "agentInfo": {"name": "a", "version": "1"},
            "agentCapabilities": {
                "loadSession": True,
                "promptCapabilities": {"image": True, "audio": False},
                "mcpCapabilities": {"http": True, "sse": True},
                "sessionCapabilities": {"list": {}, "delete": {}},
                "auth": {"logout": {}, "_meta": {"a": 1}},
            },
            "authMethods": [
                {"id": "key", "name": "Key"},
                {"id": "tty", "name": "T", "type": "terminal", "env": {"A": "b"}},
            ],
            "_meta": {"x": 1},
        }
    )
    assert result == {
        "protocolVersion": 2,
        "info": {"name": "a", "version": "1"},
        "capabilities": {
            "session": {"delete": {}, "prompt": {"image": {}}, "mcp": {"stdio": {}, "http": {}}},
            "auth": {"_meta": {"a": 1}},
        },
        "authMethods": [
            {"type": "agent", "methodId": "key", "name": "Key"},
            {
                "type": "terminal",
                "methodId": "tty",
                "env": [{"name": "A", "value": "b"}],
                "name": "T",
            },
        ],
        "_meta": {"x": 1},
    }
    assert not problems("InitializeResponse", result)


def test_an_agent_that_says_only_its_version_offers_sessions() -> None:
    assert from_v1.initialize_result({"protocolVersion": 1}) == {
        "protocolVersion": 2,
        "capabilities": {"session": {"prompt": {}, "mcp": {"stdio": {}}}},
    }


def test_a_session_has_options_and_no_modes() -> None:
    groups = [{"group": "g", "name": "G", "options": [{"value": "a", "name": "A"}]}]
    toggle = {"id": "fast", "name": "Fast", "type": "boolean", "currentValue": True}
    options = [{**OPTION, "options": groups}, toggle]
    given = {"sessionId": "s", "modes": {"currentModeId": "x"}, "configOptions": options}
    result = from_v1.session_result(given)
    assert "modes" not in result
    select, switch = result["configOptions"]
    assert (select["configId"], select["options"][0]["groupId"]) == ("model", "g")
    assert switch["configId"] == "fast"
    assert not problems("NewSessionResponse", result)
    assert from_v1.session_result({"sessionId": "s"}) == {"sessionId": "s"}


def test_a_question_is_about_its_tool_call() -> None:
    options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
    params = from_v1.permission_params({"sessionId": "s", "toolCall": CALL, "options": options})
    call = {"toolCallId": "t1", "title": "Pour", "kind": "other"}
    assert params["title"] == "Pour"
    assert params["subject"] == {"type": "tool_call", "toolCall": call}
    assert not problems("RequestPermissionRequest", params)
    nameless = from_v1.permission_params(
        {"sessionId": "s", "toolCall": {"toolCallId": "t"}, "options": options}
    )
    assert nameless["title"]
    assert not problems("RequestPermissionRequest", nameless)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ({"sessionUpdate": "agent_message_chunk", "content": TEXT}, "agent_message_chunk"),
        ({"sessionUpdate": "tool_call", **CALL, "rawInput": {"a": 1}}, "tool_call_update"),
        (
            {
                "sessionUpdate": "tool_call_update",
                "toolCallId": "t1",
                "status": None,
                "content": [
                    {"type": "content", "content": TEXT},
                    {"type": "diff", "path": "/a", "oldText": "x\n", "newText": "y\n"},
                    {"type": "diff", "path": "/b", "newText": "y\n"},
                ],
            },
            "tool_call_update",
        ),
        (
            {
                "sessionUpdate": "plan",
                "entries": [{"content": "Pour", "priority": "low", "status": "pending"}],
            },
            "plan_update",
        ),
        (
            {
                "sessionUpdate": "available_commands_update",
                "availableCommands": [
                    {"name": "a", "description": "A"},
                    {"name": "b", "description": "B", "input": {"hint": "what"}},
                ],
            },
            "available_commands_update",
        ),
        (
            {
                "sessionUpdate": "config_option_update",
                "configOptions": [{**OPTION, "options": [{"value": "a", "name": "A"}]}],
            },
            "config_option_update",
        ),
        ({"sessionUpdate": "usage_update", "used": 1, "size": 2}, "usage_update"),
    ],
)
def test_updates_are_valid_there(said: dict[str, Any], kind: str) -> None:
    update = from_v1.session_update(said, "m1")
    assert update is not None
    assert update["sessionUpdate"] == kind
    assert not problems("UpdateSessionNotification", {"sessionId": "s", "update": update})
    assert None not in update.values()


def test_a_chunk_keeps_its_id() -> None:
    said = {"sessionUpdate": "agent_thought_chunk", "content": TEXT}
    assert from_v1.session_update(said, "m1") == {**said, "messageId": "m1"}
    said["messageId"] = "own"
    assert from_v1.session_update(said, "m1") == said


def test_there_is_no_update_of_modes_and_what_is_new_stays() -> None:
    assert (
        from_v1.session_update({"sessionUpdate": "current_mode_update", "currentModeId": "x"}, "")
        is None
    )
    assert from_v1.session_update({"sessionUpdate": "_tea", "cups": 2}, "") == {
        "sessionUpdate": "_tea",
        "cups": 2,
    }
    assert from_v1.session_update({"sessionUpdate": 3}, "") == {"sessionUpdate": 3}
    task = {"sessionUpdate": "async_task_spawned", "asyncTaskId": "t"}
    assert from_v1.session_update(task, "") == {**task, "sessionUpdate": "_async_task_spawned"}


@pytest.mark.parametrize(
    "path", ["/tea.py", "/with space", '/quo"te', "/back\\slash", "/ümlaut", "/tab\there"]
)
def test_a_patch_is_read_as_the_diff_that_it_was(path: str) -> None:
    old, new = "a\nb\nc\n", "a\nB\nc\nd"
    (file,) = git_patch.read_patch(from_v1.git_patch(path, old, new)) or []
    assert (file.old, file.new) == (path, path)
    assert [(hunk.old, hunk.new) for hunk in file.hunks] == [(old, new)]
    (made,) = git_patch.read_patch(from_v1.git_patch(path, None, new)) or []
    assert (made.old, made.new, made.hunks[0].new) == (None, path, new)


LINES = st.lists(st.sampled_from(["a", "b", "", "+", "-", " c", "d\r", "\x0c", "@@"]), max_size=3)


@given(old=LINES, new=LINES, ends=st.booleans())
def test_a_small_file_changes_in_one_piece(old: list[str], new: list[str], ends: bool) -> None:
    before, after = "\n".join(old), "\n".join(new) + "\n" * ends
    content = [{"type": "diff", "path": "/f", "oldText": before, "newText": after}]
    said = {"sessionUpdate": "tool_call_update", "toolCallId": "t", "content": content}
    update = ToolCallUpdateV2.model_validate(from_v1.session_update(said, ""))
    diffs = [one for one in update.shown or [] if isinstance(one, Diff)]
    if before and after and before != after:
        assert [(one.old_text, one.new_text) for one in diffs] == [(before, after)]
