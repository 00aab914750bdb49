"""Which version of the protocol is spoken, and what its wire has for what the client asks."""

from typing import Any

import pytest

from acp_tui.protocol import jsonrpc
from acp_tui.protocol.config_options import InitialValue, SelectConfigOption, SetConfigOptionParams
from acp_tui.protocol.connection import WireConnection
from acp_tui.protocol.dialects import dialect_of, guess_version, shape_of
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.initialization import (
    AuthCapabilities,
    AuthenticateParams,
    ClientCapabilities,
    ElicitationCapabilities,
    FileSystemCapabilities,
    Implementation,
    InitializeParams,
    InitializeResult,
)
from acp_tui.protocol.jsonrpc import Error, Failure, Message, Notification, Request, Response
from acp_tui.protocol.model import Model
from acp_tui.protocol.setup import (
    Empty,
    NewSessionParams,
    NewSessionResult,
    OpenSessionParams,
    PromptParams,
)
from acp_tui.protocol.updates import SessionNotification
from acp_tui.protocol.v2 import setup as v2
from acp_tui.protocol.wire_events import Notified, Requested, Responded
from acp_tui.state.fold import replay_events

CLAUDE = {
    "protocolVersion": 2,
    "info": {"name": "claude", "version": "0.100.0"},
    "capabilities": {
        "session": {
            "prompt": {"image": {}, "embeddedContext": {}},
            "mcp": {"stdio": {}, "http": {}},
            "delete": {},
            "fork": {},
        },
        "providers": {},
    },
    "authMethods": [
        {
            "type": "terminal",
            "methodId": "login",
            "name": "Log in",
            "args": ["--login"],
            "env": [{"name": "A", "value": "b"}, {"name": "half"}, 5],
        }
    ],
}
"""What claude-agent-acp 0.100.0 answers, in short."""
IN_1 = {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}}


class Wire:
    """Both sides of one connection, frame by frame."""

    def __init__(self, version: int = 1) -> None:
        self.connection = WireConnection(version=version)
        self.events: list[Any] = []

    def put(self, direction: Direction, message: Message) -> Any:
        assert not isinstance(message, jsonrpc.Malformed)
        frame = Frame(direction, jsonrpc.encode(message), 1.0, len(self.events) + 1)
        self.events.append(self.connection.receive(frame))
        return self.events[-1]

    def ask(self, call: str, params: Model) -> Request:
        request = self.connection.request(call, params)
        self.put(Direction.OUT, request)
        return request

    def told(self, result: Any) -> Any:
        number = sum(isinstance(event, Requested) for event in self.events) - 1
        return self.put(Direction.IN, Response(number, result))

    def initialized(self, result: Any) -> Any:
        self.ask("initialize", InitializeParams(client_info=Implementation(name="c", version="1")))
        return self.told(result)


def test_initialize_claims_in_version_2_only_what_it_has() -> None:
    params = InitializeParams(
        client_info=Implementation(name="c", version="1"),
        client_capabilities=ClientCapabilities(
            fs=FileSystemCapabilities(read_text_file=True),
            terminal=True,
            session={"notices": {}, "cursors": {}},
            auth=AuthCapabilities(terminal=True),
            elicitation=ElicitationCapabilities(form={}),
            plan={},
            meta={"terminal_output": True},
        ),
        meta={"trace": 1},
    )
    wire = Wire(version=2)
    sent = wire.ask("initialize", params)
    assert sent.params == {
        "protocolVersion": 2,
        "info": {"name": "c", "version": "1"},
        "capabilities": {
            "auth": {"terminal": {}},
            "session": {"cursors": {}},
            "elicitation": {"form": {}},
            "_meta": {"unstable": True},
        },
        "_meta": {"trace": 1},
    }
    read = wire.events[-1].params
    assert read.shape == 2
    assert read.client_capabilities.unstable
    assert read.client_capabilities.auth == AuthCapabilities(terminal=True)
    assert not read.client_capabilities.terminal


def test_initialize_claims_nothing_in_version_2_that_was_not_to_be_claimed() -> None:
    params = InitializeParams(client_info=Implementation(name="c", version="1"))
    sent = Wire(version=2).ask("initialize", params)
    assert sent.params["capabilities"] == {}
    assert Wire().ask("initialize", params).params["protocolVersion"] == 1


@pytest.mark.parametrize("auth", [5, {"terminal": None}, {}])
def test_a_claim_without_an_object_is_none(auth: Any) -> None:
    read = v2.ClientCapabilitiesV2.model_validate({"auth": auth})
    assert not (read.auth and read.auth.terminal)
    assert not read.unstable


def test_an_agent_of_version_2_offers_what_comes_with_its_sessions() -> None:
    wire = Wire(version=2)
    result = wire.initialized(CLAUDE).result
    assert isinstance(result, InitializeResult)
    assert result.shape == 2
    capabilities = result.agent_capabilities
    assert capabilities.load_session
    assert capabilities.prompt_capabilities.image
    assert not capabilities.prompt_capabilities.audio
    assert capabilities.mcp_capabilities.stdio
    assert capabilities.mcp_capabilities.http
    assert result.agent_info == Implementation(name="claude", version="0.100.0")
    [method] = result.auth_methods
    assert (method.id, method.env, method.agent_driven) == ("login", {"A": "b"}, False)
    peer = replay_events(wire.events).peer
    offered = {
        call
        for call in (
            *("session/new", "session/load", "session/resume", "session/list", "session/close"),
            *("session/delete", "session/fork", "authenticate", "logout", "session/prompt"),
            *("session/set_mode", "session/set_model", "session/archive", "providers/list"),
        )
        if peer.offers(call)
    }
    assert offered == {
        *("session/new", "session/load", "session/resume", "session/list", "session/close"),
        *("session/delete", "session/fork", "authenticate", "logout", "session/prompt"),
    }
    assert peer.version == 2


def test_an_agent_of_version_2_without_sessions_offers_none() -> None:
    wire = Wire(version=2)
    wire.initialized({"protocolVersion": 2, "info": {"name": "a", "version": "1"}})
    peer = replay_events(wire.events).peer
    assert not any(map(peer.offers, ("session/new", "session/prompt", "session/load", "logout")))


@pytest.mark.parametrize(
    "capabilities", [5, None, {"session": 5}, {"session": {"prompt": 5, "mcp": [], "delete": True}}]
)
def test_capabilities_with_defects_offer_less(capabilities: Any) -> None:
    result = v2.InitializeResultV2.model_validate({**CLAUDE, "capabilities": capabilities})
    offered = result.agent_capabilities
    assert not offered.prompt_capabilities.image
    assert not offered.mcp_capabilities.stdio
    assert offered.session_capabilities.delete is None
    assert offered.load_session is (isinstance(capabilities, dict) and capabilities["session"] != 5)


def test_variables_that_are_no_list_are_none() -> None:
    assert v2.AuthMethodV2.model_validate({"methodId": "m", "name": "M", "env": 5}).env == {}


def test_version_1_starts_servers_as_processes_without_saying_so() -> None:
    assert NewSessionResult(session_id="s").commands is None


def test_calls_have_the_names_and_the_form_of_the_version_that_is_spoken() -> None:
    wire = Wire(version=2)
    wire.initialized(CLAUDE)
    server = {"name": "m", "command": "/m", "args": [], "env": []}
    known = OpenSessionParams(session_id="s", cwd="/w", mcp_servers=[server])
    sent = [
        wire.ask("authenticate", AuthenticateParams(method_id="login")),
        wire.ask("logout", Empty()),
        wire.ask("session/load", known),
        wire.ask("session/resume", known),
        wire.ask("session/new", NewSessionParams(cwd="/w")),
        wire.ask(
            "session/set_config_option",
            SetConfigOptionParams(session_id="s", config_id="c", value="v"),
        ),
        wire.ask(
            "session/set_config_option",
            SetConfigOptionParams(session_id="s", config_id="c", type="boolean", value=True),
        ),
    ]
    known_there = {"sessionId": "s", "cwd": "/w", "mcpServers": [{"type": "stdio", **server}]}
    assert [(one.method, one.params) for one in sent] == [
        ("auth/login", {"methodId": "login"}),
        ("auth/logout", {}),
        ("session/resume", {**known_there, "replayFrom": {"type": "start"}}),
        ("session/resume", known_there),
        ("session/new", {"cwd": "/w", "mcpServers": []}),
        (
            "session/set_config_option",
            {"type": "id", "sessionId": "s", "configId": "c", "value": "v"},
        ),
        (
            "session/set_config_option",
            {"type": "boolean", "sessionId": "s", "configId": "c", "value": True},
        ),
    ]
    asked = [event for event in wire.events if isinstance(event, Requested)][1:]
    assert [event.call for event in asked] == [
        *("authenticate", "logout", "session/load", "session/resume", "session/new"),
        *("session/set_config_option", "session/set_config_option"),
    ]
    assert [event.problem for event in asked] == [None] * 7
    options = [one.params for one in asked if isinstance(one.params, SetConfigOptionParams)]
    assert [(one.type, one.value) for one in options] == [(None, "v"), ("boolean", True)]


def test_results_of_version_2_are_read_as_those_of_version_1() -> None:
    wire = Wire(version=2)
    wire.initialized(CLAUDE)
    option = {
        "type": "select",
        "configId": "model",
        "name": "Model",
        "category": "model",
        "currentValue": "a",
        "options": [{"groupId": "g", "name": "G", "options": [{"value": "a", "name": "A"}]}],
    }
    command = {"type": "command", "name": "go", "description": "Goes"}
    wire.ask("session/new", NewSessionParams(cwd="/w"))
    answer = wire.told(
        {"sessionId": "s", "configOptions": [option], "availableCommands": [command]}
    )
    assert isinstance(answer.result, NewSessionResult)
    [read] = answer.result.config_options or []
    assert isinstance(read, SelectConfigOption)
    assert read.id == "model"
    assert [one.name for one in read.choices] == ["A"]
    assert [one.name for one in answer.result.commands or []] == ["go"]
    wire.ask("session/prompt", PromptParams(session_id="s", prompt=[]))
    assert wire.told({"messageId": "m"}).result == v2.PromptAccepted(message_id="m")
    assert "messageId" in wire_problem(wire)


def wire_problem(wire: Wire) -> str:
    wire.ask("session/prompt", PromptParams(session_id="s", prompt=[]))
    problem = wire.told({"stopReason": "end_turn"}).problem
    assert isinstance(problem, str)
    return problem


@pytest.mark.parametrize(
    ("answer", "shape"),
    [
        (CLAUDE, 2),
        (IN_1, 1),
        ({**IN_1, "protocolVersion": 2}, 1),
        ({**IN_1, **CLAUDE}, 2),
        ({**CLAUDE, **IN_1}, 1),
        ({**CLAUDE, "protocolVersion": "2"}, 2),
        ({"protocolVersion": 2, "info": {}}, 2),
        ({"protocolVersion": 2, "capabilities": {}}, 2),
        ({"protocolVersion": 2}, 1),
        ("no object", 1),
    ],
)
def test_the_form_of_an_answer_tells_the_version(answer: Any, shape: int) -> None:
    assert shape_of(answer) == shape


@pytest.mark.parametrize(
    ("version", "answer", "trouble"),
    [
        (1, {**IN_1, "protocolVersion": 2}, "speaks ACP version 2, this client speaks version 1"),
        (1, CLAUDE, "speaks ACP version 2, this client speaks version 1"),
        (1, {**CLAUDE, "protocolVersion": "1"}, "answers version 1 in the form of version 2"),
        (2, IN_1, "speaks ACP version 1, and was asked for version 2"),
        (2, {**IN_1, "protocolVersion": 2}, "answers version 2 in the form of version 1"),
        (2, {**CLAUDE, "protocolVersion": 3}, "speaks ACP version 3, and was asked for version 2"),
    ],
)
def test_an_agent_that_answers_otherwise_than_it_was_asked_is_not_spoken_to(
    version: int, answer: Any, trouble: str
) -> None:
    wire = Wire(version)
    wire.initialized(answer)
    peer = replay_events(wire.events).peer
    assert peer.initialized is None
    assert peer.version == 1
    assert trouble in (peer.trouble or "")


def test_an_answer_in_version_1_is_followed_by_version_1() -> None:
    wire = Wire(version=2)
    wire.initialized(IN_1)
    assert wire.ask("logout", Empty()).method == "logout"


def test_the_agent_does_not_choose_the_version_by_asking() -> None:
    wire = Wire()
    wire.initialized(IN_1)
    wire.put(Direction.IN, Request("x", "initialize", CLAUDE))
    wire.put(Direction.OUT, Response("x", CLAUDE))
    assert wire.ask("logout", Empty()).method == "logout"


def test_a_failed_initialize_leaves_the_version_that_was_asked_for() -> None:
    wire = Wire(version=2)
    wire.ask("initialize", InitializeParams(client_info=Implementation(name="c", version="1")))
    wire.put(Direction.IN, Failure(0, Error(-32603, "no")))
    assert wire.ask("logout", Empty()).method == "auth/logout"


def update(kind: Any, **fields: Any) -> Notification:
    params = {"sessionId": "s", "update": {"sessionUpdate": kind, **fields}}
    return Notification("session/update", params)


@pytest.mark.parametrize(
    ("message", "version"),
    [
        (Request(0, "initialize", {"protocolVersion": 2, "info": {}}), 2),
        (Request(0, "initialize", {"protocolVersion": 2, "clientInfo": {}}), 1),
        (Response(0, CLAUDE), 2),
        (Response(0, {"stopReason": "end_turn"}), 1),
        (Response(0, {"sessionId": "s", "modes": {}}), 1),
        (Response(0, {"messageId": "m"}), 2),
        (Response(0, {"sessionId": "s", "availableCommands": []}), 2),
        (Response(0, {"sessionId": "s"}), None),
        (Response(0, None), None),
        (Failure(0, Error(1, "m")), None),
        (jsonrpc.Malformed("r"), None),
        (Request(0, "auth/login", {}), 2),
        (Request(0, "authenticate", {}), 1),
        (Request(0, "fs/read_text_file", {}), 1),
        (Request(0, "terminal/create", {}), 1),
        (Request(0, "terminal/cancel", {}), 2),
        (Request(0, "session/new", {}), None),
        (Request(0, "session/new", [5]), None),
        (Request(0, "session/resume", {"sessionId": "s"}), None),
        (Request(0, "session/resume", {"replayFrom": {}}), 2),
        (Request(0, "session/set_config_option", {"value": "v"}), 1),
        (Request(0, "session/set_config_option", {"type": "id"}), 2),
        (Request(0, "session/set_config_option", {"type": "boolean"}), None),
        (Request(0, "session/request_permission", {"toolCall": {}, "title": "t"}), 1),
        (Request(0, "session/request_permission", {"title": "t"}), 2),
        (Request(0, "session/request_permission", {}), None),
        (update("state_update"), 2),
        (update("tool_call"), 1),
        (update("tool_call_update"), None),
        (update("agent_message_chunk"), 1),
        (update("agent_message_chunk", messageId="m"), None),
        (update(5), None),
        (Notification("session/update", {"update": 5}), None),
    ],
)
def test_some_messages_are_of_one_version_only(message: Message, version: int | None) -> None:
    assert guess_version(message) == version


def test_a_connection_without_initialize_learns_its_version_from_the_first_that_tells() -> None:
    wire = Wire()
    wire.put(Direction.OUT, Request(0, "session/prompt", {"sessionId": "s", "prompt": []}))
    wire.put(Direction.IN, update("state_update", state="running"))
    answer = wire.put(Direction.IN, Response(0, {"messageId": "m"}))
    assert isinstance(answer, Responded)
    assert answer.result == v2.PromptAccepted(message_id="m")
    wire.put(Direction.IN, update("tool_call", toolCallId="t", title="T"))
    wire.put(Direction.OUT, Request(1, "logout", {}))
    assert wire.events[-1].problem == "unknown method logout"


def test_after_initialize_nothing_is_guessed() -> None:
    wire = Wire()
    wire.initialized(IN_1)
    told = wire.put(Direction.IN, update("state_update", state="idle"))
    assert isinstance(told, Notified)
    assert type(told.params) is SessionNotification
    assert wire.ask("logout", Empty()).method == "logout"


def test_version_1_has_its_own_names() -> None:
    assert dialect_of(1).name("session/load") == "session/load"


def test_initial_values_of_options_are_ids_in_version_2() -> None:
    values = [InitialValue(config_id="model", value="fast")]
    params = NewSessionParams(cwd="/w", mcp_servers=[], config_options=values)
    plain = {"configId": "model", "value": "fast"}
    assert Wire().ask("session/new", params).params["configOptions"] == [plain]
    sent = Wire(version=2).ask("session/new", params).params["configOptions"]
    assert sent == [{"type": "id", **plain}]
