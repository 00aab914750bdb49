"""Spans of a conversation, turned on and off while it goes on."""

from pathlib import Path

import pytest

from tests.e2e.terminal import ENTER, terminal
from tests.e2e.test_tui import READY
from tests.fake_agent.script import Played, Script
from tests.telemetry.receiver import Receiver, attributes, receiver


def turns(it: Receiver) -> list[int]:
    """How many chunks each turn had that was received."""
    found = [attributes(one) for one in it.spans if one.name == "invoke_agent fake-agent"]
    return [one["acp.turn.chunks"] for one in found]


@pytest.mark.slow
def test_the_setting_holds_from_the_next_turn_on(tmp_path: Path) -> None:
    script = Script().handshake()
    for chunks in range(1, 5):
        script = script.prompt()
        for number in range(chunks):
            script = script.chunk(f"answer {chunks}.{number + 1}\n\n")
        script = script.end_turn()
    settings = tmp_path / "config" / "acp-tui" / "settings.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("otel = false\n")
    with receiver() as received:
        env = {
            **received.environment,
            "XDG_CONFIG_HOME": str(tmp_path / "config"),
            "OTEL_BSP_SCHEDULE_DELAY": "50",
        }
        with terminal("--no-record", "--", *script.argv(tmp_path), env=env) as it:
            it.wait_for(READY)
            for turn, wanted in ((1, None), (2, True), (3, False), (4, True)):
                if wanted is not None:
                    settings.write_text(f"otel = {str(wanted).lower()}\n")
                    it.wait_for("changed in settings.toml: otel")
                    it.wait_until(lambda: "changed in" not in it.text, "note gone")
                it.send(f"prompt {turn}{ENTER}")
                it.wait_for(f"answer {turn}.{turn}")
                it.wait_for(READY)
                if wanted:
                    it.wait_until(lambda turn=turn: turn in turns(received), f"turn {turn}")
            it.leave()
            it.wait_for_exit()
    assert turns(received) == [2, 4]
    calls = Played(tmp_path).calls("session/prompt")
    assert ["traceparent" in one["params"].get("_meta", {}) for one in calls] == [
        False,
        True,
        False,
        True,
    ]
