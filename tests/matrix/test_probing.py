"""What is found of agents is what they say and do, and no more than that."""

import json
import os
import sys
from pathlib import Path

import anyio
import pytest

from acp_tui.check.prompts import CheckPrompts
from acp_tui.client.launch import Launch
from acp_tui.matrix.model import Matrix, MatrixAnswer
from acp_tui.matrix.probe import Probed, probe_all
from acp_tui.matrix.rows import matrix_rows
from acp_tui.testing.script import Script
from tests.check.conforming.runs import conforming

DEMO = (sys.executable, "-m", "acp_tui.demo_agent")


def agent(folder: Path, name: str, *argv: str) -> Probed:
    launch = Launch(argv, str(folder), opening=None, handshake=False, backups=False)
    return Probed(name, " ".join(argv), launch)


def probed(
    folder: Path, *agents: Probed, prompts: CheckPrompts | None = None, version: int = 1
) -> Matrix:
    recordings = folder / "recordings"
    place = Path(os.path.realpath(folder)) / "places"

    async def go() -> Matrix:
        return await probe_all(
            agents,
            place,
            recordings,
            prompts,
            jobs=2,
            patience=20.0,
            report=lambda *_: None,
            version=version,
        )

    return anyio.run(go)


def test_a_matrix_has_a_hundred_rows_with_ids_of_their_own() -> None:
    assert len(matrix_rows()) >= 100
    assert len({row.id for row in matrix_rows()}) == len(matrix_rows())


def test_what_the_demo_agent_says_and_does(tmp_path: Path) -> None:
    matrix = probed(tmp_path, agent(tmp_path, "demo", *DEMO), agent(tmp_path, "gone", "/no/such"))
    demo, gone = matrix.columns
    text = {row.id: demo.cell(row.id).text for row in matrix_rows()}
    assert text["agent.name"] == "acp-tui-demo"
    assert text["agent.protocol.other"] == "1"
    assert text["capability.promptCapabilities.image"] == MatrixAnswer.YES
    assert text["capability.loadSession"] == MatrixAnswer.NO
    assert text["capability.--system-prompt"] == "append, override"
    assert text["method.session/load"] == MatrixAnswer.NOT_OFFERED
    assert text["method.session/set_mode"] == MatrixAnswer.YES
    assert text["behavior.unknown"] == MatrixAnswer.YES
    assert text["behavior.errors"] == "0"
    # Without a turn nothing is said of what only turns show.
    assert text["update.plan"] == text["method.session/prompt"] == MatrixAnswer.NOT_TESTED
    assert "/no/such" in gone.trouble
    assert gone.cells == {}
    shown = demo.cell("behavior.unknown")
    records = [json.loads(line) for line in Path(shown.recording).read_text().splitlines()]
    assert any("-32601" in json.dumps(one) for one in records)


@pytest.mark.slow
def test_turns_show_what_is_sent_and_asked(tmp_path: Path) -> None:
    matrix = probed(tmp_path, agent(tmp_path, "demo", *DEMO), prompts=CheckPrompts())
    (demo,) = matrix.columns
    for row in ("update.plan", "update.tool_call", "calls.terminal/create", "stop.end_turn"):
        assert demo.cell(row).text == MatrixAnswer.YES, row
    assert demo.cell("stop.refusal").text == MatrixAnswer.NOT_SEEN


def test_an_agent_that_offers_what_it_lacks_is_seen_to(tmp_path: Path) -> None:
    script = (
        Script()
        .expect("initialize")
        .reply("initialize", {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}})
        .expect("session/new")
        .reply("new", {"sessionId": "s1"})
        .expect("session/load")
        .reply("load", error={"code": -32601, "message": "Method not found"})
        .expect("_acp-tui/ping")
        .reply("ping", {})
    )
    other = (
        Script()
        .expect("initialize")
        .reply("initialize", error={"code": -32602, "message": "no such version"})
    )
    argv = script.argv(tmp_path, other)
    (column,) = probed(tmp_path, agent(tmp_path, "liar", *argv)).columns
    assert column.cell("capability.loadSession").text == MatrixAnswer.YES
    assert column.cell("method.session/load").text == MatrixAnswer.NO
    assert column.cell("behavior.unknown").text == "a result"
    assert column.cell("agent.protocol.other").text == "error -32602"
    assert column.cell("agent.name").text == MatrixAnswer.NO


def test_half_a_character_in_a_name_ends_no_matrix(tmp_path: Path) -> None:
    script = Script().expect("initialize")
    answer = (
        b'{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentInfo":{"name":"a\\ud800"}}}'
    )
    script.raw(answer + b"\n").expect("session/new").reply(
        "new", error={"code": 1, "message": "no"}
    )
    other = Script().expect("initialize").reply("initialize", {"protocolVersion": 1})
    matrix = probed(tmp_path, agent(tmp_path, "half", *script.argv(tmp_path, other)))
    assert matrix.columns[0].cell("agent.name").text == "a?"


def test_nothing_is_said_of_sessions_where_a_sign_in_is_wanted(tmp_path: Path) -> None:
    methods = [{"id": "key", "name": "Key"}]
    script = (
        Script()
        .expect("initialize")
        .reply("initialize", {"protocolVersion": 1, "authMethods": methods})
        .expect("session/new")
        .reply("new", error={"code": -32000, "message": "Authentication required"})
    )
    other = Script().expect("initialize").reply("initialize", {"protocolVersion": 1})
    (column,) = probed(tmp_path, agent(tmp_path, "shy", *script.argv(tmp_path, other))).columns
    assert "--auth key" in column.trouble
    assert column.cell("auth.needless").text == MatrixAnswer.NO
    assert column.cell("auth.methods").text == "key"
    assert column.cell("session.modes").text == MatrixAnswer.NOT_TESTED
    assert column.cell("method.session/set_mode").text == MatrixAnswer.NOT_TESTED


def test_what_an_agent_says_in_version_2_is_a_column_of_its_own(tmp_path: Path) -> None:
    one = agent(tmp_path, "mine", *conforming(tmp_path, version=2))
    (mine,) = probed(tmp_path, one, version=2).columns
    text = {row.id: mine.cell(row.id).text for row in matrix_rows()}
    assert mine.name == "mine (version 2)"
    assert text["agent.protocol"] == "2"
    assert text["agent.name"] == "conforming"
    assert text["capability.promptCapabilities.image"] == MatrixAnswer.YES
    assert text["auth.methods"] == "login"
