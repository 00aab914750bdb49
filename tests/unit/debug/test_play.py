"""A recorded agent played to another client: what it answers, when, and what it makes of differences."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from acp_tui.debug.compare.steps import split_at_turns
from acp_tui.debug.play.played_agent import PlayedAgent
from acp_tui.debug.play.scenes import (
    EndProcess,
    PlayAction,
    ReportProblem,
    SendLine,
    WriteStderr,
    runs_in,
    split_into_scenes,
)
from acp_tui.protocol.frames import Direction, Frame, Origin
from acp_tui.protocol.process_events import Connecting, ProcessExited, StderrLine
from tests.unit.debug.scenes import Wire

PERMISSION = "session/request_permission"
SELECTED = {"outcome": {"outcome": "selected", "optionId": "yes"}}


class Stage:
    """A client that talks to the player."""

    def __init__(
        self, wire: Wire, *, speed: float = 0.0, strict: bool = False, later: Sequence[Wire] = ()
    ) -> None:
        self.now = 1000.0
        first, *runs = [split_into_scenes(one.records) for one in (wire, *later)]
        self.agent = PlayedAgent(first, self.now, speed=speed, strict=strict, next_runs=runs)
        self.actions: list[PlayAction] = []

    def say(self, **message: Any) -> list[Any]:
        self.agent.receive(json.dumps({"jsonrpc": "2.0", **message}).encode(), self.now)
        return self.hear()

    def hear(self, after: float = 0.0) -> list[Any]:
        """What is said by then, as messages; whatever else is done, as it is."""
        self.now += after
        actions = self.agent.advance(self.now)
        return [json.loads(one.raw) if isinstance(one, SendLine) else one for one in actions]

    def begin(self, session: str = "s", cwd: str = "/w") -> "Stage":
        """The recorded handshake, up to the session."""
        for message in Wire().opened().records[::2]:
            value = json.loads(message.raw)  # type: ignore[union-attr]
            if "cwd" in value["params"]:
                value["params"]["cwd"] = cwd
            (answer,) = self.say(**value)
        assert answer["result"]["sessionId"] == session
        return self

    def begin_slowly(self) -> "Stage":
        """A turn that was just begun, of a play with pauses."""
        for id, method in ((0, "initialize"), (1, "session/new")):
            self.say(id=id, method=method, params={"cwd": "/w"})
            self.hear(1.0)
        self.prompt()
        return self

    def prompt(self, id: Any = 2, text: str = "hi") -> list[Any]:
        params = {"sessionId": "s", "prompt": [{"type": "text", "text": text}]}
        return self.say(id=id, method="session/prompt", params=params)


def texts(said: list[Any]) -> list[str]:
    """The chunks among what was said."""
    return [
        one["params"]["update"]["content"]["text"]
        for one in said
        if isinstance(one, dict) and one.get("method") == "session/update"
    ]


def problems(said: list[Any]) -> list[str]:
    return [one.words for one in said if isinstance(one, ReportProblem)]


def test_a_turn_is_played_with_the_ids_of_the_client() -> None:
    said = Stage(Wire().prompted().chunk("one").chunk("two").ended()).begin().prompt("mine")
    assert texts(said) == ["one", "two"]
    assert said[-1] == {"jsonrpc": "2.0", "id": "mine", "result": {"stopReason": "end_turn"}}


def test_the_pauses_are_kept_or_shortened() -> None:
    wire = Wire().prompted().later(0.99).chunk("one").later(1.99).chunk("two").ended()
    for speed in (1.0, 4.0):
        stage = Stage(wire, speed=speed)
        stage.agent.receive(b"\xff", stage.now)
        for id, method in ((0, "initialize"), (1, "session/new")):
            stage.say(id=id, method=method, params={})
            assert len(stage.hear(1.0)) == 1
        assert stage.agent.next is None
        stage.prompt()
        assert stage.agent.next == pytest.approx(stage.now + 1.0 / speed)
        assert texts(stage.hear(0.99 / speed)) == []
        assert texts(stage.hear(0.02 / speed)) == ["one"]
        assert texts(stage.hear(1.97 / speed)) == []
        assert texts(stage.hear(0.05 / speed)) == ["two"]


def test_folders_and_terminals_of_the_client_are_put_into_what_is_said() -> None:
    wire = Wire().prompted().ask("a", "terminal/create", command="ls", cwd="/w/sub")
    wire.out(id="a", result={"terminalId": "term-old"})
    wire.ask("b", "terminal/output", terminalId="term-old").out(id="b", result={"output": ""})
    stage = Stage(wire.ended()).begin(cwd="/here")
    (create,) = stage.prompt()
    assert (create["id"], create["params"]["cwd"]) == ("play-1", "/here/sub")
    (output,) = stage.say(id="play-1", result={"terminalId": "7"})
    assert (output["id"], output["params"]["terminalId"]) == ("play-2", "7")
    assert stage.say(id="play-2", result={"output": "x"})[-1]["id"] == 2


def test_a_permission_waits_for_the_answer_and_is_withdrawn_by_its_new_id() -> None:
    wire = Wire().prompted().ask(5, PERMISSION).ask(6, PERMISSION)
    wire.got(method="$/cancel_request", params={"requestId": 6})
    wire.got(method="$/cancel_request", params={"requestId": 99})
    wire.out(id=6, result={"outcome": {"outcome": "cancelled"}}).out(id=5, result=SELECTED)
    stage = Stage(wire.chunk("done").ended()).begin()
    first, second, canceled, unknown = stage.prompt()
    assert [first["id"], second["id"]] == [1, 2]
    assert canceled["params"] == {"requestId": 2}
    assert unknown["params"] == {"requestId": 99}
    assert stage.agent.next is None
    assert stage.say(id=1, result=SELECTED) == []
    assert texts(stage.say(id=2, error={"code": -1, "message": "no"})) == ["done"]


def test_what_the_client_leaves_out_or_asks_in_another_order_does_not_stop_a_loose_play() -> None:
    wire = Wire().opened().out(id=5, method="session/set_mode", params={"sessionId": "s"})
    wire.got(id=5, result={}).prompt(2).chunk("one").out(id=6, method="_x").got(
        id=6, result={"n": 1}
    )
    stage = Stage(wire.chunk("two").ended()).begin()
    assert texts(stage.prompt()) == ["one", "two"]
    assert stage.say(id=8, method="_x")[0]["result"] == {"n": 1}
    (problem, answer) = stage.say(id=9, method="session/prompt")
    assert problem == ReportProblem("the recording has no more session/prompt")
    assert answer["error"]["code"] == -32601
    assert stage.agent.finish() == []


def test_of_two_sessions_each_has_its_own_turns() -> None:
    wire = Wire().opened().out(id=2, method="session/new", params={"cwd": "/w"})
    wire.got(id=2, result={"sessionId": "t"})
    for id, session in ((3, "s"), (4, "t")):
        wire.out(id=id, method="session/prompt", params={"sessionId": session})
    wire.chunk("of t", session="t").chunk("of s", session="s").ended(3).ended(4)
    stage = Stage(wire).begin()
    stage.say(id=7, method="session/new", params={"cwd": "/w"})
    assert texts(stage.say(id=8, method="session/prompt", params={"sessionId": "t"})) == ["of t"]
    assert texts(stage.say(id=9, method="session/prompt", params={"sessionId": "s"})) == ["of s"]


def test_stray_lines_stderr_and_the_end_of_a_process_are_played() -> None:
    wire = Wire().raw(Direction.IN, b"hello!").prompted()
    wire.happened(StderrLine(wire.at, "oh")).raw(Direction.IN, b"noise")
    wire.happened(ProcessExited(wire.at, None, "SIGSEGV"))
    stage = Stage(wire)
    assert stage.agent.advance(stage.now) == [SendLine(b"hello!")]
    stage.begin()
    stage.agent.receive(b'{"jsonrpc":"2.0","id":2,"method":"session/prompt"}', stage.now)
    assert stage.agent.advance(stage.now) == [
        WriteStderr("oh"),
        SendLine(b"noise"),
        EndProcess(None, "SIGSEGV"),
    ]
    after = Wire().prompted().ended().died()
    assert not any(isinstance(one, EndProcess) for one in Stage(after).begin().prompt())


def test_a_cancel_goes_on_where_it_was_recorded() -> None:
    wire = Wire().prompted().chunk("one").later(5).chunk("two").cancel().chunk("last")
    wire.ended(reason="cancelled")
    stage = Stage(wire, speed=1).begin_slowly()
    assert texts(stage.hear(0.5)) == ["one"]
    said = stage.say(method="session/cancel", params={"sessionId": "s"}) + stage.hear(1)
    assert texts(said) == ["last"]
    assert said[-1]["result"] == {"stopReason": "cancelled"}


def test_a_cancel_that_was_not_recorded_ends_the_turn_and_a_request() -> None:
    wire = Wire().prompted().chunk("one").later(5).chunk("two")
    wire.out(id=3, method="_x").got(id=3, result={})
    stage = Stage(wire, speed=1).begin_slowly()
    assert stage.say(method="session/cancel", params={"sessionId": "other"}) == []
    said = stage.say(method="session/cancel", params={"sessionId": "s"})
    assert said[-1]["result"] == {"stopReason": "cancelled"}
    stage.say(id="x", method="_x")
    said = stage.say(method="$/cancel_request", params={"requestId": "x"})
    assert said[0].words == "$/cancel_request was not recorded here: ending _x"
    assert said[-1]["error"]["code"] == -32800
    assert stage.hear(100) == []


def test_a_request_without_an_answer_can_still_be_canceled() -> None:
    stage = Stage(Wire().prompted().chunk("one")).begin()
    stage.prompt()
    assert stage.say(method="session/cancel", params={"sessionId": "s"})[-1]["id"] == 2


def test_a_loose_play_waits_for_no_notification() -> None:
    wire = Wire().prompted().out(method="_n", params={"a": 1}).chunk("one").ended()
    assert texts(Stage(wire).begin().prompt()) == ["one"]
    stage = Stage(wire).begin()
    stage.agent.receive(b'{"jsonrpc":"2.0","method":"_n","params":{"a":2}}', stage.now)
    assert texts(stage.prompt()) == ["one"]


def test_a_strict_play_says_what_differs() -> None:
    wire = Wire().prompted().ask(5, PERMISSION).out(id=5, result=SELECTED)
    wire.out(method="_n", params={"a": 1}).chunk("one").ended().out(id=3, method="_x").got(
        id=3, result={}
    )
    other = {"outcome": {"outcome": "cancelled"}}

    stage = Stage(wire, strict=True).begin()
    said = stage.prompt(text="ho")
    words = 'session/prompt (frame 5) differs from the recording: prompt[0].text is "ho", recorded was "hi"'
    assert (problems(said), said[1]["error"]["message"]) == ([words], words)
    assert stage.agent.differs

    stage = Stage(wire, strict=True).begin()
    stage.prompt()
    said = stage.say(id=1, result=other)
    assert said[-1]["id"] == 2
    assert said[0].words == (
        "the answer to the request of frame 6 differs from the recording: "
        'result.outcome.outcome is "cancelled", recorded was "selected"; result.outcome.optionId is missing'
    )

    stage = Stage(wire, strict=True).begin()
    stage.prompt()
    assert stage.say(id=1, result=SELECTED) == []
    assert texts(stage.say(method="_n", params={"a": 1})) == ["one"]
    stage.agent.receive(b"[", stage.now)
    assert len(problems(stage.say(id=77, result={}))) == 2
    assert problems(stage.say(method="session/cancel", params={"sessionId": "s"}))
    stage.say(method="_other")
    finished = [one.words for one in stage.agent.finish() if isinstance(one, ReportProblem)]
    assert finished == ["the client never sent _x (frame 11)", "_other was not recorded"]


def test_a_strict_play_wants_the_recorded_order_and_tells_of_many_differences_in_few_words() -> (
    None
):
    stage = Stage(Wire().prompted().ended(), strict=True)
    many = {str(number): number for number in range(9)}
    said = stage.say(id=1, method="session/new", params={"cwd": "/w", "mcpServers": []})
    assert said[1]["error"]["message"] == "session/new came before initialize (frame 1)"
    (told,) = problems(stage.say(id=1, method="initialize", params=many))
    assert told.endswith("; and 7 more")


def test_a_difference_in_what_came_before_any_request_is_told() -> None:
    wire = Wire().out(method="_n", params={"a": 1}).got(method="_m").initialized()
    stage = Stage(wire, strict=True)
    assert problems(stage.say(method="_n", params={"a": 2})) != []


def test_a_cancel_of_a_request_belongs_to_it() -> None:
    wire = Wire().opened().out(id=7, method="_x").out(id=8, method="_y")
    wire.out(method="$/cancel_request", params={"requestId": 7})
    wire.got(id=7, error={"code": -32800, "message": "canceled"}).got(id=8, result={})
    wire.out(method="$/cancel_request", params={"requestId": []}).out(id=99, result={}).out(a=1)
    assert (
        len(
            split_into_scenes(
                Wire().out(id=1, method="_x").out(id=1, method="_x").got(id=1, result={}).records
            )
        )
        == 3
    )
    wire.got(id=1234, result={})
    first, second = split_into_scenes(wire.records)[-2:]
    assert [len(first.steps), len(second.steps)] == [2, 3]


def test_runs_are_those_in_which_anything_was_said() -> None:
    wire = Wire().started().died().started().initialized().died()
    wire.happened(Connecting(wire.at, "url", "/w")).initialized()
    assert [len(one) for one in runs_in(wire.records, Direction.IN)] == [4, 3]
    assert runs_in([], Direction.OUT) == []


def test_each_initialize_begins_the_next_run() -> None:
    first, second = Wire().prompted().chunk("one").ended(), Wire().prompted().chunk("two").ended()
    stage = Stage(first, later=[second])
    assert texts(stage.begin().prompt()) == ["one"]
    assert texts(stage.begin().prompt()) == ["two"]
    assert problems(stage.say(id=9, method="initialize", params={})) == [
        "the recording has no more initialize"
    ]


def test_a_strict_play_tells_what_a_run_that_is_left_never_got() -> None:
    stage = Stage(Wire().prompted().ended(), later=[Wire().opened()], strict=True).begin()
    said = stage.say(**json.loads(Wire().initialized().records[0].raw))  # type: ignore[union-attr]
    assert problems(said) == ["the client never sent session/prompt (frame 5)"]
    assert stage.agent.next_runs == []


def test_of_a_frame_that_was_changed_each_side_plays_what_it_got() -> None:
    first, changed = Wire().got(method="_a").got(method="_b").records
    assert isinstance(first, Frame)
    assert isinstance(changed, Frame)
    hand = Origin.BREAKPOINT
    records = [first._replace(stopped=hand), changed._replace(by=hand, of=1)]
    assert runs_in(records, Direction.IN) == [records[1:]]
    assert runs_in(records, Direction.OUT) == [records[:1]]
    assert [one.what for one in split_at_turns(records)[0].steps] == ["_b"]


def test_without_records_there_are_no_scenes() -> None:
    assert split_into_scenes([]) == []


def test_a_client_of_an_older_version_is_refused_and_may_ask_again() -> None:
    stage = Stage(Wire().opened_2())
    problem, refusal = stage.say(id=0, method="initialize", params={"protocolVersion": 1})
    assert problem == ReportProblem(
        "the client asks for version 1 of the protocol, and the recording speaks 2"
    )
    assert refusal["error"]["code"] == -32022
    assert refusal["error"]["data"] == {"requested": 1, "supported": [2]}
    assert stage.agent.differs
    (answer,) = stage.say(id=1, method="initialize", params={"protocolVersion": 2})
    assert answer["result"]["protocolVersion"] == 2


@pytest.mark.parametrize("params", [{"protocolVersion": 2}, {"protocolVersion": True}, {}, []])
def test_a_client_of_the_same_or_a_later_version_gets_what_was_recorded(params: Any) -> None:
    (answer,) = Stage(Wire().initialized()).say(id=0, method="initialize", params=params)
    assert answer["result"]["protocolVersion"] == 1


def test_an_initialize_that_was_refused_when_it_was_recorded_is_refused_again() -> None:
    wire = Wire().out(id=0, method="initialize", params={"protocolVersion": 2})
    wire.got(id=0, error={"code": -32603, "message": "no"})
    (answer,) = Stage(wire).say(id=0, method="initialize", params={"protocolVersion": 1})
    assert answer["error"]["code"] == -32603
