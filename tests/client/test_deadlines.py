"""What we ask of an agent that gives no answer: it ends in time, or when a person takes it back."""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest

from acp_tui.client.connection import deadlines
from acp_tui.client.files import text_file, watched_call
from acp_tui.client.files.resolved_roots import ResolvedRoots
from acp_tui.client.files.watched_call import EditReader
from acp_tui.config.limits import Limits
from acp_tui.state.commands import (
    AnswerPermission,
    CancelRequest,
    CloseSession,
    Command,
    ListSessions,
    Restart,
)
from acp_tui.state.edit_facts import edit_remarks
from acp_tui.state.peer import Phase
from acp_tui.state.session import Session
from tests.client.test_recovery import LOAD, RESUME, cut, dies, starts, texts
from tests.fake_agent.script import Played, Script
from tests.hosting import PATIENCE, Host, hosting

pytestmark = pytest.mark.anyio

OFFERED = {"agentCapabilities": {"sessionCapabilities": {"list": {}, "close": {}, "delete": {}}}}
ASKED: dict[str, Command] = {
    "session/list": ListSessions(),
    "session/close": CloseSession("s1"),
}


def told(host: Host) -> list[str]:
    return [one.title for one in [*host.state.notices, *host.notices]]


@pytest.mark.parametrize("method", ASKED)
async def test_no_answer_in_time_is_told_and_the_agent_goes_on(tmp_path: Path, method: str) -> None:
    script = Script().handshake(OFFERED).expect(method).prompt().chunk("well").end_turn()
    limits = Limits(list=0.2, close=0.2)
    async with hosting(script.argv(tmp_path), tmp_path, limits=limits) as host:
        await host.opened()
        host.do(ASKED[method])
        await host.until(lambda: told(host))
        assert told(host) == [f"no answer to {method} within 0.2 s"]
        assert not host.state.calls
        await host.turn()
        assert host.said == "well"
    Played(tmp_path).check()


@pytest.mark.parametrize("answers", [True, False])
async def test_what_is_taken_back_ends_with_the_agent_s_answer_or_without(
    tmp_path: Path, monkeypatch: Any, answers: bool
) -> None:
    monkeypatch.setattr(deadlines, "CANCEL_TIMEOUT", 10.0 if answers else 0.1)
    script = Script().handshake(OFFERED).expect("session/list").expect("$/cancel_request")
    if answers:
        script.reply("list", error={"code": -32800, "message": "cancelled"})
    async with hosting(script.prompt().end_turn().argv(tmp_path), tmp_path) as host:
        await host.opened()
        host.do(ListSessions())
        (number,) = host.state.calls
        host.do(CancelRequest(number))
        assert number in host.state.cancelled_calls
        await host.until(lambda: not host.state.calls)
        (words,) = told(host)
        assert words.startswith("session/list was canceled")
        assert ("no answer came" in words) is not answers
        await host.turn()
    Played(tmp_path).check()


async def test_a_question_that_nobody_answers_in_time_is_cancelled_and_that_is_said(
    tmp_path: Path,
) -> None:
    free = {"question": "Which port?", "header": "Port"}
    script = Script().handshake().prompt().ask_permission()
    script.expect_answer("ask", result={"outcome": {"outcome": "cancelled"}})
    script.request("_agentao.cn/ask_user", {"sessionId": script.session_id, **free}, save="free")
    script.expect_answer("free", result={"outcome": "cancelled"}).chunk("well").end_turn()
    limits = Limits(question=0.2)
    async with hosting(script.argv(tmp_path), tmp_path, limits=limits) as host:
        await host.opened()
        await host.turn()
        assert host.said == "well"
        assert not host.state.waiting_permissions()
        assert not host.state.elicitations
        assert told(host).count("The question was answered as canceled") == 2
    Played(tmp_path).check()


async def test_a_start_that_is_given_up_can_be_tried_again(
    tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(deadlines, "CANCEL_TIMEOUT", 0.1)
    argv = Script().expect("initialize").argv(tmp_path, Script().handshake())
    async with hosting(argv, tmp_path) as host:
        await host.until(lambda: host.state.calls)
        host.do(CancelRequest(next(iter(host.state.calls))))
        await host.until(lambda: host.state.peer.phase is Phase.FAILED)
        assert "initialize was canceled" in (host.state.peer.trouble or "")
        host.do(Restart())
        await host.opened()


@pytest.mark.parametrize("way", ["resume", "load"])
async def test_a_session_that_does_not_come_back_in_time_stays_to_be_read(
    tmp_path: Path, way: str
) -> None:
    offered = {"resume": RESUME, "load": LOAD}[way]
    gate = tmp_path / "gate"
    again = starts(offered).expect(f"session/{way}").until(gate).reply(way)
    limits = Limits(resume=0.2, load=0.2)
    async with hosting(dies().argv(tmp_path, again), tmp_path, limits=limits) as host:
        await cut(host)
        await host.until(lambda: host.state.peer.trouble)
        assert host.state.peer.trouble == f"no answer to session/{way} within 0.2 s"
        lost = host.state.sessions["s1"]
        assert texts(lost.entries)[:2] == ["first", "half"]
        gate.touch()
        await host.opened()  # a late answer still counts
        assert texts(host.entries)[-1] == "The agent was restarted"


async def test_a_question_waits_for_no_disk_and_few_threads_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    over, reads = threading.Event(), list[str]()

    def hangs(path: str, *_: object) -> None:
        reads.append(path)
        over.wait(PATIENCE)

    monkeypatch.setattr(text_file, "read_file_now", hangs)
    script = Script().handshake().prompt()
    names = [str(tmp_path / f"tea-{number}") for number in range(10)]
    diffs = [{"type": "diff", "path": name, "oldText": "a", "newText": "b"} for name in names]
    script.ask_permission({"content": diffs}).expect_answer("ask").end_turn()
    async with hosting(script.argv(tmp_path), tmp_path, limits=Limits(disk=0.1)) as host:
        await host.opened()
        host.prompt()
        (permission,) = await host.permission()
        looks = [
            f"tea-{n} was not compared: the disk doesn't answer within 0.1 s." for n in range(10)
        ]
        await host.until(
            lambda: [one for one, _ in edit_remarks(host.session.tool_call("t1"))] == looks
        )
        host.do(AnswerPermission(permission.number, "yes"))
        await host.turn_ended()
        over.set()
    # As many as may be stuck, and one more that asked whether the agent knows a file otherwise.
    assert len(reads) <= watched_call.AT_ONCE + 1
    Played(tmp_path).check()


async def test_a_disk_that_answers_again_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    over, limit = threading.Event(), 0.05
    read = text_file.read_file_now

    def hangs(path: str, roots: Sequence[str], most: int) -> Any:
        over.wait(PATIENCE)
        return read(path, roots, most)

    monkeypatch.setattr(text_file, "read_file_now", hangs)
    (tmp_path / "tea").write_text("green")
    session = Session("s1", cwd=str(tmp_path))
    reader = EditReader(ResolvedRoots([str(tmp_path.resolve())]), lambda: limit)
    names = [f"tea-{number}" for number in range(watched_call.AT_ONCE + 1)]
    found = await reader.read_files(session, names)
    assert all(one.seen.problem for one in found.values())
    over.set()
    limit = PATIENCE
    with anyio.fail_after(PATIENCE):
        while (again := (await reader.read_files(session, ["tea"]))["tea"].seen).problem:
            await anyio.sleep(0.005)
    assert again.text == "green"


@pytest.mark.parametrize("step", ["_inside", "read_file_now"])
async def test_a_disk_that_hangs_has_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    over = threading.Event()
    monkeypatch.setattr(text_file, step, lambda *_: over.wait(PATIENCE))
    path = str(tmp_path / "tea")
    script = Script().handshake().prompt()
    script.request("fs/read_text_file", {"sessionId": "s1", "path": path}, save="read")
    words = f"{path}: the disk doesn't answer within 0.2 s"
    script.expect_answer("read", error={"code": -32603, "message": words}).end_turn()
    async with hosting(script.argv(tmp_path), tmp_path, limits=Limits(disk=0.2)) as host:
        await host.turn()
        over.set()
    Played(tmp_path).check()
