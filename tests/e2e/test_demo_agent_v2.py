"""The demo agent speaks version 2 to a client that begins in its form."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_tui.demo_agent.work import sample_workspace
from acp_tui.protocol.schema import Edition
from tests.e2e.demo_client import DemoClient
from tests.properties.official import Official

OFFICIAL = Official(Edition.STABLE_2)
CALLS = OFFICIAL.types("client", "Request", "Notification")
ANSWERS = OFFICIAL.types("agent", "Response")


class Version2Client(DemoClient):
    """Begins in version 2's form, and offers nothing."""

    def __init__(self, cwd: Path) -> None:
        super().__init__(cwd)
        self.asked: dict[int, str] = {}

    def initialize(self) -> dict[str, Any]:
        info = {"name": "test", "version": "1"}
        return self.call("initialize", protocolVersion=2, info=info, capabilities={})

    def new_session(self) -> str:
        answer = self.call("session/new", cwd=str(self.cwd))
        self.session_id = answer["result"]["sessionId"]
        return self.session_id

    def turn(self, text: str) -> str:
        self.prompt(text)
        return str(self.until_state("idle")["stopReason"])

    def until_state(self, state: str) -> dict[str, Any]:
        """Serve the agent until its session is in a state."""

        def is_it(message: dict[str, Any]) -> bool:
            update = message.get("params", {}).get("update", {})
            return bool(update.get("state") == state)

        update: dict[str, Any] = self.until(is_it)["params"]["update"]
        return update

    def wrong(self) -> list[object]:
        """What version 2's schema has against what the agent said."""
        found: list[object] = []
        for message in self.received:
            if "method" in message:
                found.append(OFFICIAL.check(CALLS[message["method"]])(message["params"]))
            elif "result" in message:
                found.append(OFFICIAL.check(ANSWERS[self.asked[message["id"]]])(message["result"]))
        return [one for one in found if one]

    def start(self, method: str, **params: Any) -> int:
        id = super().start(method, **params)
        self.asked[id] = method
        return id


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Version2Client]:
    sample_workspace(tmp_path)
    with Version2Client(tmp_path) as client:
        assert client.initialize()["result"]["protocolVersion"] == 2
        client.new_session()
        yield client


def test_the_tour_shows_everything_in_version_2(client: Version2Client) -> None:
    assert client.turn("show me everything") == "end_turn"
    kinds = {update["sessionUpdate"] for update in client.updates()}
    assert kinds >= {
        "user_message",
        "agent_message_chunk",
        "agent_thought_chunk",
        "tool_call_update",
        "plan_update",
        "terminal_update",
        "terminal_output_chunk",
        "state_update",
        "notice",
    }
    (asked,) = [
        one["params"]
        for one in client.received
        if one.get("method") == "session/request_permission"
    ]
    assert "MINUTES.get" in asked["subject"]["toolCall"]["content"][0]["patch"]["text"]
    assert client.wrong() == []


def test_the_work_waits_while_it_asks(client: Version2Client) -> None:
    client.turn("/permission")
    states = [update["state"] for update in client.updates("state_update")]
    assert states == ["running", "requires_action", "running", "idle"]


@pytest.mark.parametrize("words", ["/permission", "/hang"])
def test_a_cancel_ends_the_turn(client: Version2Client, words: str) -> None:
    client.unanswered.add("session/request_permission")
    client.prompt(words)
    client.until_state("requires_action" if words == "/permission" else "running")
    client.cancel()
    assert client.until_state("idle")["stopReason"] == "cancelled"
    calls = client.updates("tool_call_update")
    assert not calls or calls[-1]["status"] == "cancelled"
    assert client.wrong() == []


def test_an_error_is_the_reason_of_an_end(client: Version2Client) -> None:
    client.prompt("/fail")
    idle = client.until_state("idle")
    assert (idle["stopReason"], idle["error"]["message"]) == ("error", "The kettle is empty")
    assert client.wrong() == []


def test_the_mode_is_an_option(client: Version2Client) -> None:
    new = client.call("session/set_config_option", **_mode(client, "edit"))
    assert new["result"]["configOptions"][0]["currentValue"] == "edit"
    bad = client.call("session/set_config_option", **_mode(client, "tea"))
    assert bad["error"]["code"] == -32602
    assert client.wrong() == []


def _mode(client: Version2Client, value: str) -> dict[str, Any]:
    return {"sessionId": client.session_id, "configId": "mode", "type": "id", "value": value}


def test_a_session_is_listed_closed_and_resumed_with_its_history(client: Version2Client) -> None:
    client.turn("/thoughts")
    said = [one for one in client.updates() if one["sessionUpdate"] != "state_update"]
    (listed,) = client.call("session/list")["result"]["sessions"]
    assert listed["sessionId"] == client.session_id
    where = {"sessionId": client.session_id, "cwd": str(client.cwd)}
    assert client.call("session/close", sessionId=client.session_id)["result"] == {}
    before = len(client.updates())
    client.call("session/resume", **where)
    state = {"sessionUpdate": "state_update", "state": "idle"}
    assert client.updates()[before:] == [state]
    client.call("session/resume", **where, replayFrom={"type": "start"})
    replayed = [*said, {"sessionUpdate": "replay_complete"}, state]
    assert client.updates()[before + 1 :] == replayed
    unknown = client.call("session/resume", sessionId="tea", cwd="/")["error"]
    assert (unknown["code"], unknown["data"]) == (-32002, {"sessionId": "tea"})
    assert client.wrong() == []


def test_a_prompt_that_is_sent_again_with_its_key_gets_the_same_answer_and_no_turn(
    client: Version2Client,
) -> None:
    text = [{"type": "text", "text": "hello"}]
    prompt = {"sessionId": client.session_id, "prompt": text, "idempotencyKey": "k"}
    first = client.call("session/prompt", **prompt)["result"]
    client.until_state("idle")
    said = len(client.updates())
    assert client.call("session/prompt", **prompt)["result"] == first
    assert len(client.updates()) == said
    other = client.call("session/prompt", **{**prompt, "idempotencyKey": "l"})["result"]
    assert other != first
    assert client.wrong() == []


def test_a_terminal_can_be_stopped(tmp_path: Path) -> None:
    (tmp_path / "check.py").write_text("import time\nprint('on', flush=True)\ntime.sleep(60)\n")
    with Version2Client(tmp_path) as client:
        client.initialize()
        client.new_session()
        client.prompt("/terminal")
        terminal = client.until_update("terminal_output_chunk")["params"]["update"]["terminalId"]
        where = {"sessionId": client.session_id, "terminalId": terminal}
        assert client.call("terminal/cancel", **where)["result"] == {}
        assert client.until_state("idle")["stopReason"] == "end_turn"
        ended = client.updates("terminal_update")[-1]
        assert ended["exitStatus"] == {"signal": "SIGTERM"}
        assert client.updates("tool_call_update")[-1]["status"] == "failed"
        assert "error" in client.call("terminal/cancel", **where)
        assert client.wrong() == []
