"""A recorded client played to a live agent: what it says, when, and what it answers."""

import json
from typing import Any

import pytest

from acp_tui.debug.play.played_client import PlayedClient
from acp_tui.debug.play.recorded_client import read_acts
from acp_tui.debug.play.scenes import ReportProblem, SendLine
from acp_tui.protocol.frames import Direction
from tests.unit.debug.scenes import Wire

PERMISSION = "session/request_permission"
YES = {"optionId": "y1", "kind": "allow_once"}
NO = {"optionId": "n1", "kind": "reject_once"}
NEVER = {"optionId": "n2", "kind": "reject_always"}


class Folder:
    """The files of a play."""

    folder = "/tmp/play"

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def read(self, path: str) -> str | None:
        return self.texts.get(path)

    def write(self, path: str, text: str) -> bool:
        self.texts[path] = text
        return path.startswith(self.folder)


class Stage:
    """A live agent that the client talks to."""

    def __init__(self, wire: Wire, speed: float = 0.0) -> None:
        self.now = 1000.0
        self.files = Folder()
        self.client = PlayedClient(read_acts(wire.records), self.files, self.now, speed=speed)

    def hear(self, after: float = 0.0) -> list[Any]:
        self.now += after
        deeds = self.client.advance(self.now)
        return [json.loads(one.raw) if isinstance(one, SendLine) else one for one in deeds]

    def say(self, **message: Any) -> list[Any]:
        self.client.receive(json.dumps({"jsonrpc": "2.0", **message}).encode(), self.now)
        return self.hear()

    def open(self, session: str = "live") -> list[Any]:
        """The recorded handshake, up to the first prompt, if there is one."""
        (initialize,) = self.hear()
        (new,) = self.say(id=initialize["id"], result={"protocolVersion": 1})
        assert (new["method"], new["params"]["cwd"]) == ("session/new", Folder.folder)
        return self.say(id=new["id"], result={"sessionId": session})

    def ask(self, method: str, **params: Any) -> Any:
        """What comes for a request of the agent's."""
        said = self.say(id="q", method=method, params=params)
        return said[-1].get("result", said[-1].get("error"))

    def permission(self, **call: Any) -> Any:
        return self.ask(PERMISSION, toolCall=call, options=[YES, NO])["outcome"]


def test_all_is_said_with_the_live_session_and_folder() -> None:
    wire = (
        Wire()
        .prompted()
        .ended()
        .out(id="x", method="_cwd", params={"in": "/w/a"})
        .got(id="x", result={})
    )
    stage = Stage(wire)
    (prompt,) = stage.open()
    assert (prompt["id"], prompt["params"]["sessionId"], stage.client.waiting) == (
        2,
        "live",
        "session/prompt",
    )
    (other,) = stage.say(id=2, error={"code": 1, "message": "no"})
    assert other["params"] == {"in": "/tmp/play/a"}
    assert not stage.client.is_over
    stage.say(id=3, result={})
    assert stage.client.is_over
    assert (stage.client.next, stage.client.waiting) == (None, "")


def test_what_was_said_during_a_turn_has_its_pause_and_a_late_cancel_is_left_out() -> None:
    wire = Wire().prompted().later(4).cancel().out(method="_n").ended()
    stage = Stage(wire, speed=2)
    stage.open()
    assert stage.hear(1.9) == []
    said = stage.hear(0.2) + stage.hear(0.2)
    assert [one["method"] for one in said] == ["session/cancel", "_n"]
    late = Stage(wire, speed=2)
    late.open()
    late.say(id=2, result={})
    (problem,) = late.hear(5)
    assert isinstance(problem, ReportProblem)


def test_a_request_is_canceled_by_its_new_id_and_one_without_an_answer_is_not_waited_for() -> None:
    wire = Wire().opened().out(id="a", method="_x").out(id="b", method="_y")
    wire.out(method="$/cancel_request", params={"requestId": "a"})
    wire.out(method="$/cancel_request", params={"requestId": "?"}).got(id="a", result={}).ended(77)
    stage = Stage(wire)
    first, second, cancel, other = stage.open()
    assert [one["id"] for one in (first, second)] == [2, 3]
    assert cancel["params"] == {"requestId": 2}
    assert other["params"] == {"requestId": "?"}
    stage.say(id=2, result={})
    assert stage.client.is_over


@pytest.mark.parametrize("more", [{}, {"params": []}, {"params": "x"}, {"params": None}])
def test_a_session_that_was_asked_for_without_params_is_asked_for_so_again(
    more: dict[str, Any],
) -> None:
    stage = Stage(Wire().initialized().out(id=1, method="session/new", **more))
    stage.hear()
    (new,) = stage.say(id=0, result={})
    assert new == {"jsonrpc": "2.0", "id": 1, "method": "session/new", **more}


def test_requests_that_had_one_id_when_they_were_recorded_have_ids_of_their_own() -> None:
    wire = Wire().opened().out(id=1, method="_x").out(id=1, method="_y").out(id=1, method="_z")
    asked = Stage(wire).open()
    assert len({one["id"] for one in asked}) == len(asked) == 3


def test_the_agent_is_given_no_servers_and_no_folder_of_the_recording() -> None:
    wire = Wire().initialized()
    more = {"mcpServers": [{"name": "evil", "command": "rm"}], "additionalDirectories": ["/home"]}
    wire.out(id=1, method="session/new", params={"cwd": "/", **more})
    stage = Stage(wire)
    stage.hear()
    problem, new = stage.say(id=0, result={})
    assert problem.words == "session/new (frame 3): its MCP servers are left out"
    assert new["params"] == {"cwd": "/tmp/play", "mcpServers": []}


OPTIONS = [{"optionId": "nope", "kind": "reject_once"}, {"optionId": "go", "kind": "allow_once"}]
EDIT = {"kind": "edit", "title": "Edit /w/a", "rawInput": {"path": "/w/a", "text": "ü"}}
SAME = {
    "kind": "edit",
    "title": "Edit /tmp/play/a",
    "rawInput": {"text": "ü", "path": "/tmp/play/a"},
}


def allowed(chosen: str = "go", options: Any = OPTIONS, **call: Any) -> Stage:
    """A client that answered one permission so."""
    wire = Wire().prompted().ask(1, PERMISSION, toolCall=call, options=options)
    wire.out(id=1, result={"outcome": {"outcome": "selected", "optionId": chosen}})
    stage = Stage(wire.ended())
    stage.open()
    return stage


def test_a_permission_is_given_once_for_the_call_that_got_it() -> None:
    stage = allowed(**EDIT)
    assert stage.permission(toolCallId="x", **SAME)["optionId"] == "y1"
    assert stage.permission(toolCallId="x", **SAME)["optionId"] == "n1"


def test_what_a_call_is_about_may_have_been_told_before() -> None:
    told = {"sessionUpdate": "tool_call", "toolCallId": "t", **EDIT}
    wire = Wire().prompted().got(method="session/update", params={"sessionId": "s", "update": told})
    wire.ask(1, PERMISSION, toolCall={"toolCallId": "t"}, options=OPTIONS)
    wire.out(id=1, result={"outcome": {"outcome": "selected", "optionId": "go"}})
    stage = Stage(wire.ended())
    stage.open()
    stage.say(method="session/update", params={"update": {"toolCallId": "x", **SAME}})
    assert stage.permission(toolCallId="x")["optionId"] == "y1"


@pytest.mark.parametrize(
    "other",
    [
        {"kind": "edit"},
        {"kind": "edit", "title": "Edit /tmp/play/a"},
        {**SAME, "kind": "delete"},
        {**SAME, "title": "Edit /tmp/play/b"},
        {**SAME, "rawInput": {**SAME["rawInput"], "sudo": True}},  # type: ignore[dict-item]
        {**SAME, "rawInput": "\ud800"},
        {**SAME, "locations": [{"path": "/etc/passwd"}]},
        {**SAME, "content": [{"type": "diff", "path": "/etc/passwd"}]},
    ],
)
def test_another_call_of_that_kind_is_rejected_and_named(other: dict[str, Any]) -> None:
    stage = allowed(**EDIT)
    said = stage.say(
        id="q",
        method=PERMISSION,
        params={"toolCall": {"toolCallId": "x", **other}, "options": [YES, NO]},
    )
    assert said[-1]["result"]["outcome"]["optionId"] == "n1"
    assert said[0].words.startswith("a permission was rejected: the recording has none for")


def test_a_call_of_which_nothing_is_told_is_never_allowed() -> None:
    stage = allowed(kind="edit")
    assert stage.permission(kind="edit")["optionId"] == "n1"
    said = stage.say(id="q", method=PERMISSION, params={"options": [YES, NEVER]})
    assert said[0].words.endswith("none for a call without details")
    assert said[-1]["result"]["outcome"]["optionId"] == "n2"
    assert stage.ask(PERMISSION, options=[YES])["outcome"] == {"outcome": "cancelled"}


def test_a_call_that_can_not_be_compared_is_never_allowed() -> None:
    stage = allowed(title="Edit \ud800")
    assert stage.permission(title="Edit \ud800")["optionId"] == "n1"


def test_nothing_is_allowed_for_always() -> None:
    always = {"optionId": "go", "kind": "allow_always"}
    stage = allowed(options=[always], title="Look")
    said = stage.say(
        id="q", method=PERMISSION, params={"toolCall": {"title": "Look"}, "options": [always, YES]}
    )
    assert said[0].words == "a permission was given once: the recording has it for always"
    assert said[-1]["result"]["outcome"]["optionId"] == "y1"
    other = allowed(options=[always], title="Look")
    said = other.say(
        id="q", method=PERMISSION, params={"toolCall": {"title": "Look"}, "options": [always, NO]}
    )
    assert said[0].words.startswith("a permission was rejected: the agent offers no allow_once")
    assert said[-1]["result"]["outcome"]["optionId"] == "n1"


def test_what_was_not_allowed_is_answered_as_it_was() -> None:
    wire = Wire().prompted()
    wire.ask(2, PERMISSION, toolCall={"title": "Look"}, options=OPTIONS)
    wire.out(id=2, result={"outcome": {"outcome": "selected", "optionId": "gone"}})
    wire.ask(3, PERMISSION, toolCall={"title": "Stop"}, options="?").out(id=3, result={})
    wire.ask(4, PERMISSION, toolCall={"title": "Fail"}).out(id=4, error={"code": 1, "message": "x"})
    stage = Stage(wire.ended())
    stage.open()
    assert stage.permission(title="Look")["optionId"] == "n1"
    assert stage.permission(title="Stop") == {"outcome": "cancelled"}
    assert stage.ask(PERMISSION, toolCall={"title": "Fail"}) == {"code": 1, "message": "x"}


def test_files_are_those_of_the_folder_then_those_of_the_recording() -> None:
    wire = (
        Wire()
        .prompted()
        .ask(1, "fs/read_text_file", path="/w/a")
        .out(id=1, result={"content": "old"})
    )
    wire.ask(2, "fs/write_text_file", path="/w/no").out(id=2, error={"code": 5, "message": "no"})
    stage = Stage(wire.ended())
    stage.open()
    read = "fs/read_text_file"
    assert [stage.ask(read, path="/tmp/play/a") for _ in range(2)] == [{"content": "old"}] * 2
    assert stage.ask("fs/write_text_file", path="/tmp/play/a", content="1\n2\n3\n") == {}
    assert stage.ask(read, path="/tmp/play/a") == {"content": "1\n2\n3\n"}
    assert stage.ask(read, path="/tmp/play/a", line=2, limit=1) == {"content": "2\n"}
    assert stage.ask(read, path="/etc/passwd")["code"] == -32002
    assert stage.ask("fs/write_text_file", path="/tmp/play/no", content="")["code"] == 5
    assert stage.ask("fs/write_text_file", path="/etc/passwd", content="")["code"] == -32602
    assert stage.ask("fs/write_text_file", path=3)["code"] == -32602


def test_terminals_say_what_they_said_and_no_command_is_run() -> None:
    wire = (
        Wire()
        .prompted()
        .ask(1, "terminal/create", command="ls")
        .out(id=1, result={"terminalId": "T"})
    )
    for id, output in ((2, "a"), (3, "ab")):
        wire.ask(id, "terminal/output", terminalId="T").out(id=id, result={"output": output})
    stage = Stage(wire.ended())
    stage.open()
    assert stage.ask("terminal/create", command="rm")["code"] == -32601
    assert stage.ask("terminal/create", command="ls") == {"terminalId": "T"}
    outputs = [stage.ask("terminal/output", terminalId="T")["output"] for _ in range(3)]
    assert outputs == ["a", "ab", "ab"]
    assert stage.say(id=1, method="_x", params=["list"])[-1]["error"]["code"] == -32601


def test_lines_that_mean_nothing_are_left_to_the_comparison() -> None:
    wire = (
        Wire()
        .raw(Direction.OUT, b"?")
        .out(id=9, result={})
        .prompted()
        .happened(Wire().started().records[0])
    )
    wire.got(id=88, result={})
    stage = Stage(wire)
    assert stage.say(id=99, result={})[0]["method"] == "initialize"
    stage.client.receive(b"noise", stage.now)
    assert stage.hear() == []


@pytest.mark.parametrize("speed", [0.0, 1.0])
def test_a_person_s_pauses_between_turns_are_left_out(speed: float) -> None:
    stage = Stage(Wire().opened().later(600).prompt(2).ended(), speed)
    (prompt,) = stage.open()
    assert prompt["method"] == "session/prompt"
