"""A session's folder after a turn, compared with what it was before."""

import fcntl
import shutil
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import anyio
import pytest

from acp_tui.client.connection import replies
from acp_tui.client.files import folder_watch, named_places
from acp_tui.client.permissions import policy
from acp_tui.debug.lint.linter import Linter
from acp_tui.debug.log import Log
from acp_tui.policy.rules import Rule, RuleAnswer
from acp_tui.protocol.content import TextContent
from acp_tui.protocol.file_events import (
    EditCompared,
    EditLooked,
    EditVerdict,
    TurnCompared,
    UnapprovedChange,
)
from acp_tui.rewind.store import Checkpoints
from acp_tui.rewind.unkept_files import find_usual
from acp_tui.state.commands import (
    AnswerPermission,
    Cancel,
    CompareFolder,
    NewSession,
    NoteOwnCommand,
    SendPrompt,
)
from acp_tui.state.entries import NoticeEntry, TurnEndEntry
from acp_tui.state.fold import apply_event
from acp_tui.state.open_questions import Permission
from acp_tui.state.state import State
from acp_tui.state.unapproved_changes import CLOCK_SLACK, OTHER_ALLOWED
from tests.conformance.conftest import Play
from tests.conformance.test_edits import asks, diff
from tests.fake_agent.script import Script
from tests.hosting import Host

pytestmark = pytest.mark.anyio


def keep(host: Host, work: Path, session_id: str) -> None:
    """Keep the folder before a turn, as a view does."""
    place = work.parent / "kept"
    store = Checkpoints.of(work, place, anywhere=True)
    assert store is not None
    tree, usual = store.now()[0], find_usual(store)
    host.do(CompareFolder(session_id, str(work), str(place), tree, usual))


async def begun(host: Host, work: Path) -> None:
    """Keep the folder and begin a turn."""
    session = await host.opened()
    keep(host, work, session.session_id)
    host.prompt()


def git(folder: Path, *args: str) -> None:
    config = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", *config, *args], cwd=folder, check=True, stdout=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with one commit."""
    folder = tmp_path_factory.mktemp("prepared")
    (folder / "a").write_text("")
    git(folder, "init", "-q")
    git(folder, "add", "a")
    git(folder, "commit", "-qm", "a")
    return folder


@pytest.fixture
def in_repository(prepared: Path, work: Path) -> None:
    """Make the folder a repository that ignores some files, with another repository in it."""
    for folder in (work, work / "vendor"):
        shutil.copytree(prepared, folder, dirs_exist_ok=True)
    (work / ".gitignore").write_text("dist\n.env\n")
    time.sleep(2 * CLOCK_SLACK)  # what was changed just before a turn may seem changed in it


def unapproved(host: Host) -> list[UnapprovedChange]:
    return [one for one in host.events if isinstance(one, UnapprovedChange)]


async def reported(host: Host) -> list[UnapprovedChange]:
    """Wait for the end of the turn, and for the comparison of its folder."""
    await host.turn_ended()
    await host.client.settled()
    return unapproved(host)


def asks_to_edit(work: Path) -> Script:
    return asks({"content": [diff(work / "a.txt", None, "two\n")]})


@pytest.fixture
def compared_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_watch, "LATE_COMPARISON_DELAY", 0.0)


async def rejected(host: Host, work: Path) -> None:
    """Begin a turn, and reject what it asks for."""
    await begun(host, work)
    (question,) = await host.permission()
    host.do(AnswerPermission(question.number, "no"))


async def test_a_file_that_nobody_allowed_is_reported_in_the_log_and_the_transcript(
    play: Play, work: Path
) -> None:
    (work / "a.txt").write_text("one\n")
    script = asks({"content": [diff(work / "a.txt", "one", "two")]})
    script.write_file(work / "b.txt", "x\n").tool_call_update(status="failed")
    async with play(script.end_turn()) as host:
        await rejected(host, work)
        await host.until(lambda: unapproved(host))
        (event,) = unapproved(host)
        assert (event.path, event.deed) == (str(work / "b.txt"), "made")
        notice = host.entries[-1]
        assert isinstance(notice, NoticeEntry)
        assert (notice.severity, notice.description) == ("warning", event.words)
        log = Log(host.records, Linter())
        log.catch_up()
        assert "changed-without-consent" in [one.rule.id for one in log.findings]
        replayed = State()
        for one in host.events:
            apply_event(replayed, one)
        assert replayed == host.state


async def test_a_rejected_edit_that_is_written_after_the_turn_is_reported_once(
    play: Play, work: Path
) -> None:
    async with play(asks_to_edit(work).tool_call_update(status="failed").end_turn()) as host:
        await begun(host, work)
        (question,) = await host.permission()
        await host.until(lambda: any(isinstance(one, EditLooked) for one in host.events))
        host.do(AnswerPermission(question.number, "no"))
        assert await reported(host) == []
        (work / "a.txt").write_text("two\n")
        await host.until(lambda: any(isinstance(one, TurnCompared) for one in host.events))
        (compared,) = [one for one in host.events if isinstance(one, EditCompared)]
        assert compared.verdict is EditVerdict.REJECTED
        assert unapproved(host) == []


@pytest.mark.usefixtures("compared_at_once")
async def test_what_was_allowed_is_not_reported(play: Play, work: Path) -> None:
    script = asks_to_edit(work)
    script.write_file(work / "a.txt", "two\n").tool_call_update(status="completed")
    async with play(script.end_turn()) as host:
        await begun(host, work)
        (question,) = await host.permission()
        host.do(AnswerPermission(question.number, "yes"))
        assert await reported(host) == []


@pytest.mark.parametrize("soon", [True, False])
async def test_what_was_written_before_it_was_allowed_is_reported(
    play: Play, work: Path, monkeypatch: pytest.MonkeyPatch, soon: bool
) -> None:
    """It is found while the question waits, or else by the time of the change."""
    monkeypatch.setattr(folder_watch, "QUESTION_PERIOD", 0.1 if soon else 60.0)
    path, gate = work / "b.txt", work.parent / "gate"
    script = Script().handshake().prompt()
    edit = {"title": "Edit", "kind": "edit", "content": [diff(path, None, "x\n")]}
    script.ask_permission(edit).write_file(path, "x\n").expect_answer("ask")
    if soon:  # what it does after the answer hides what it did before
        script.write_file(path, "x\n")
    async with play(script.tool_call_update(status="completed").until(gate).end_turn()) as host:
        await begun(host, work)
        (question,) = await host.permission()
        await host.until(lambda: path.is_file() and (unapproved(host) or not soon))
        await anyio.sleep(2 * CLOCK_SLACK)
        host.do(AnswerPermission(question.number, "yes"))
        gate.touch()
        how = "has no answer yet" if soon else "was allowed only after that"
        (event,) = await reported(host)
        assert (event.path, event.reason) == (str(path), f"'Edit' names it and {how}")


async def test_another_file_is_held_against_what_was_allowed(play: Play, work: Path) -> None:
    (work / "sub").mkdir()
    script = Script().handshake().prompt()
    for id, name in (("t1", "sub/a.txt"), ("t2", "b.txt")):
        edit = {"toolCallId": id, "kind": "edit", "content": [diff(work / name, None, "x\n")]}
        script.ask_permission(edit).expect_answer("ask")
        if id == "t1":
            script.write_file(work / name, "x\n").tool_call_update(id, status="completed")
    gate = work.parent / "gate"
    script.until(gate).write_file(work / "sub" / "c.txt", "x\n").end_turn()
    (work / "d.txt").write_text("x\n")
    async with play(script) as host:
        await begun(host, work)
        for answer in ("yes", "no"):
            (question,) = await host.permission()
            host.do(AnswerPermission(question.number, answer))
        await anyio.wait_all_tasks_blocked()
        await host.client.settled()
        (work / "d.txt").unlink()
        gate.touch()
        found = {(one.path, one.deed, one.reason) for one in await reported(host)}
        assert found == {
            (str(work / "sub" / "c.txt"), "made", OTHER_ALLOWED),
            (str(work / "d.txt"), "deleted", OTHER_ALLOWED),
        }


async def test_a_folder_that_was_moved_as_allowed_is_not_reported(play: Play, work: Path) -> None:
    """Its files are as old as they were."""
    (work / "old").mkdir()
    (work / "old" / "a.txt").write_text("one\n")
    move = {"kind": "move", "locations": [{"path": str(work / "new")}]}
    gate = work.parent / "gate"
    async with play(asks(move).until(gate).tool_call_update(status="completed").end_turn()) as host:
        await begun(host, work)
        (question,) = await host.permission()
        await anyio.sleep(2 * CLOCK_SLACK)
        host.do(AnswerPermission(question.number, "yes"))
        (work / "old").rename(work / "new")
        gate.touch()
        assert await reported(host) == []


@pytest.mark.usefixtures("in_repository")
async def test_what_changes_after_a_cancel_is_reported_ignored_or_not(
    play: Play, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_watch, "ABORTING", 0.0)
    (work / "dist").mkdir()
    script = Script().handshake().prompt().expect("session/cancel").sleep(0.8)
    names = {"b.txt", "dist/b.txt"}
    for name in names:
        script.write_file(work / name, "x\n")
    async with play(script.end_turn("cancelled")) as host:
        await begun(host, work)
        await host.until(lambda: host.session.turn is not None)
        host.do(Cancel(host.session.session_id))
        await host.until(lambda: len(unapproved(host)) >= len(names))
        assert {one.path for one in unapproved(host)} == {str(work / name) for name in names}
        reasons = {one.reason for one in unapproved(host)}
        assert reasons == {"more than a second after session/cancel"}


async def test_a_rule_that_rejects_waits_until_the_file_is_read(play: Play, work: Path) -> None:
    path = work / "a.txt"
    path.write_text("one\n")
    script = asks({"content": [diff(path, "one", "two")]})
    script.write_file(path, "two\n").tool_call_update(status="failed")
    rules = (Rule(RuleAnswer.REJECT, kinds=("edit",)),)
    async with play(script.end_turn(), rules=rules) as host:
        await host.opened()
        host.prompt()
        await host.turn_ended()
        await host.until(lambda: any(isinstance(one, EditCompared) for one in host.events))
        (event,) = [one for one in host.events if isinstance(one, EditCompared)]
        assert event.verdict is EditVerdict.REJECTED


@pytest.mark.usefixtures("compared_at_once")
async def test_what_a_subagent_was_allowed_is_not_reported_of_its_parent(
    play: Play, work: Path
) -> None:
    script = asks_to_edit(work)
    child = {"sessionId": "c", "title": "Ada", "state": {"state": "running"}}
    script.update("subagent_update", **child)
    script.write_file(work / "b.txt", "x\n").tool_call_update(status="failed")
    async with play(script.end_turn()) as host:
        await rejected(host, work)
        assert await reported(host) == []


@pytest.mark.usefixtures("compared_at_once")
async def test_an_empty_folder_that_nobody_allowed_is_reported(play: Play, work: Path) -> None:
    script = asks({"kind": "execute", "rawInput": {"command": "mkdir new"}})
    gate = work.parent / "gate"
    script.until(gate).tool_call_update(status="failed")
    async with play(script.end_turn()) as host:
        await rejected(host, work)
        (work / "new").mkdir()
        gate.touch()
        await host.until(lambda: unapproved(host))
        (event,) = unapproved(host)
        assert (event.path, event.deed) == (str(work / "new"), "created")


@pytest.mark.parametrize("by", ["a program", "a rule"])
@pytest.mark.usefixtures("compared_at_once")
async def test_an_answer_that_no_person_gives_waits_until_the_named_places_are_read(
    play: Play, work: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    (work / "empty").mkdir()
    ready, read = threading.Event(), named_places.read_places

    def read_slowly(*about: Any) -> dict[str, named_places.SeenPath]:
        ready.wait(20)
        return read(*about)

    monkeypatch.setattr(named_places, "read_places", read_slowly)
    monkeypatch.setattr(policy, "READING", 20.0)
    script = asks({"kind": "execute", "rawInput": {"command": "rmdir empty"}})
    gate = work.parent / "gate"
    script.until(gate).tool_call_update(status="failed")
    rules = (Rule(RuleAnswer.REJECT, kinds=("execute",)),) if by == "a rule" else ()
    async with play(script.end_turn(), rules=rules) as host:

        def waiting() -> list[Permission]:
            return [*host.session.permissions, *host.session.evaluating]

        await begun(host, work)
        await host.until(waiting)
        (question,) = waiting()
        if by == "a program":
            host.do(AnswerPermission(question.number, "no", by=by))
        await anyio.wait_all_tasks_blocked()
        assert waiting()
        ready.set()
        await host.until(lambda: not waiting())
        (work / "empty").rmdir()
        gate.touch()
        await host.until(lambda: unapproved(host))
        (event,) = unapproved(host)
        assert (event.path, event.deed) == (str(work / "empty"), "removed")


async def test_an_answer_waits_for_no_disk_that_hangs(
    play: Play, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = threading.Event()
    monkeypatch.setattr(replies, "READING", 0.0)
    monkeypatch.setattr(named_places, "read_places", lambda *_: done.wait(20) and {})
    script = asks({"kind": "execute", "rawInput": {"command": "rmdir empty"}})
    async with play(script.end_turn()) as host:
        await begun(host, work)
        (question,) = await host.permission()
        host.do(AnswerPermission(question.number, "no", by="a program"))
        await host.turn_ended()
        done.set()


@pytest.mark.usefixtures("compared_at_once")
async def test_a_file_that_a_question_names_is_not_new_after_the_machine_slept(
    play: Play, work: Path
) -> None:
    """The client's clock stands still meanwhile."""
    (work / "a.txt").write_text("one\n")
    script = asks({"kind": "execute", "rawInput": {"command": "cat a.txt"}})
    async with play(script.tool_call_update(status="failed").end_turn()) as host:
        with pytest.MonkeyPatch.context() as patch:
            earlier = time.time() - 3600.0
            patch.setattr(time, "time", lambda: earlier)
            session = await host.opened()
            keep(host, work, session.session_id)
        await anyio.sleep(2 * CLOCK_SLACK)  # what was changed just before a question may seem new
        host.prompt()
        (question,) = await host.permission()
        host.do(AnswerPermission(question.number, "no"))
        assert await reported(host) == []


WITHOUT_A_COPY = ["dist/x.js", ".env", ".git/hooks/pre-commit", "vendor/x.js"]
"""An ignored file in a folder and one outside it, one of git's own, and one of another repository."""


@pytest.mark.usefixtures("compared_at_once", "in_repository")
async def test_files_without_a_copy_that_nobody_allowed_are_reported(
    play: Play, work: Path
) -> None:
    script = asks_to_edit(work)
    for name in WITHOUT_A_COPY:
        (work / name).parent.mkdir(exist_ok=True)
        script.write_file(work / name, "x\n")
    async with play(script.tool_call_update(status="failed").end_turn()) as host:
        await rejected(host, work)
        await host.until(lambda: len(unapproved(host)) >= len(WITHOUT_A_COPY))
        found = unapproved(host)
        assert {one.path for one in found} == {str(work / name) for name in WITHOUT_A_COPY}
        assert {one.deed for one in found} == {"written"}
        assert all("the time of its last change on the disk" in one.words for one in found)


@pytest.mark.usefixtures("compared_at_once", "in_repository")
async def test_an_ignored_file_that_is_written_without_any_question_too_is_not_reported(
    play: Play, work: Path
) -> None:
    """It may be the agent's log."""
    (work / "dist").mkdir()
    script = asks_to_edit(work)
    script.write_file(work / "dist" / "log", "x\n").tool_call_update(status="failed")
    async with play(script.end_turn()) as host:
        (work / "dist" / "log").write_text("begun\n")
        await rejected(host, work)
        assert await reported(host) == []


@pytest.mark.usefixtures("compared_at_once")
async def test_a_file_that_the_program_itself_writes_is_not_reported(
    play: Play, work: Path
) -> None:
    """Its recording, for example."""
    script = asks_to_edit(work)
    async with play(script.tool_call_update(status="failed").end_turn()) as host:
        await begun(host, work)
        with (work / "recording.jsonl").open("w") as recording:
            (question,) = await host.permission()
            recording.write("{}\n")
            recording.flush()
            host.do(AnswerPermission(question.number, "no"))
            assert await reported(host) == []


@pytest.mark.usefixtures("compared_at_once")
async def test_of_very_many_files_only_some_are_reported_and_the_others_counted(
    play: Play, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_watch, "MOST_REPORTED", 2)
    script = asks_to_edit(work)
    for number in range(5):
        script.write_file(work / f"b{number}.txt", "x\n")
    async with play(script.tool_call_update(status="failed").end_turn()) as host:
        await rejected(host, work)
        await host.until(lambda: unapproved(host))
        await host.client.settled()
        first, last = unapproved(host)
        assert "more" not in first.reason
        assert last.reason.endswith("; 3 more files changed, too")


def ends_of(host: Host, session_id: str) -> list[TurnEndEntry]:
    entries = host.state.session(session_id).entries
    return [one for one in entries if isinstance(one, TurnEndEntry)]


async def counted_at_the_end(host: Host) -> list[tuple[int, int | None, int | None]]:
    await host.until(lambda: ends_of(host, "s1"))
    await host.client.settled()
    (end,) = ends_of(host, "s1")
    found = [one for one in host.events if isinstance(one, TurnCompared)]
    assert end.compared == (found[-1] if found else None)
    return [one[2:] for one in found]


async def test_a_turn_counts_what_changed_on_disk_and_not_what_is_reported(
    play: Play, work: Path
) -> None:
    """One file is changed without a report, and another is reported but never written."""
    (work / "a.txt").write_text("one\n")
    script = Script().handshake().prompt()
    script.write_file(work / "a.txt", "one\ntwo\nthree\n").write_file(work / "new.txt", "x\n")
    claim = {"kind": "edit", "status": "completed", "content": [diff(work / "c.txt", None, "x\n")]}
    async with play(script.tool_call("t", **claim).end_turn()) as host:
        await begun(host, work)
        assert await counted_at_the_end(host) == [(2, 3, 0)]


async def test_a_reported_change_that_is_not_there_counts_as_none(play: Play, work: Path) -> None:
    claim = {"kind": "edit", "status": "completed", "content": [diff(work / "c.txt", None, "x\n")]}
    script = Script().handshake().prompt().tool_call("t", **claim)
    async with play(script.end_turn()) as host:
        await begun(host, work)
        assert await counted_at_the_end(host) == [(0, 0, 0)]


async def test_a_turn_without_changes_says_nothing_of_files(play: Play, work: Path) -> None:
    async with play(Script().handshake().prompt().end_turn()) as host:
        await begun(host, work)
        assert await counted_at_the_end(host) == []


@pytest.mark.usefixtures("in_repository")
async def test_what_the_comparison_cannot_see_counts_as_reported(play: Play, work: Path) -> None:
    """An ignored file and one outside the folder: their lines can't be counted."""
    outside = work.parent / "outside.txt"
    script = Script().handshake().prompt()
    for number, path in enumerate((work / ".env", outside)):
        claim = {"kind": "edit", "status": "completed", "content": [diff(path, None, "x\n")]}
        script.write_file(path, "x\n").tool_call(f"t{number}", **claim)
    async with play(script.end_turn()) as host:
        await begun(host, work)
        assert await counted_at_the_end(host) == [(2, None, None)]


def with_another_session() -> Script:
    """Two sessions in one folder: `s1` and `s2`."""
    script = Script("s2").initialize().new_session()
    script.session_id = "s1"
    return script.new_session()


async def both_opened(host: Host) -> None:
    await host.until(host.state.open_sessions)
    host.do(NewSession())
    await host.until(lambda: len(host.state.open_sessions()) == 2)


def say_go(host: Host, session_id: str) -> None:
    host.do(SendPrompt(session_id, (TextContent(text="go"),)))


async def test_nothing_is_counted_while_another_session_works_since_before_the_turn(
    play: Play, work: Path
) -> None:
    script = with_another_session().expect("session/prompt", {"sessionId": "s2"}, save="other")
    script.prompt().write_file(work / "a.txt", "x\n").end_turn()
    async with play(script) as host:
        await both_opened(host)
        say_go(host, "s2")
        keep(host, work, "s1")
        say_go(host, "s1")
        await host.until(lambda: ends_of(host, "s1"))
        await host.client.settled()
        assert not any(isinstance(one, TurnCompared) for one in host.events)


async def test_nothing_is_counted_once_another_session_works_before_the_folder_is_read(
    play: Play, work: Path
) -> None:
    script = with_another_session().prompt().end_turn()
    script.expect("session/prompt", {"sessionId": "s2"}, save="other")
    script.write_file(work / "a.txt", "x\n").end_turn(to="other")
    async with play(script) as host:
        await both_opened(host)
        keep(host, work, "s1")
        with next((work.parent / "kept").rglob("lock")).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            say_go(host, "s1")
            await host.until(lambda: ends_of(host, "s1"))
            say_go(host, "s2")
            await host.until(lambda: ends_of(host, "s2"))
        await host.client.settled()
        assert not any(isinstance(one, TurnCompared) for one in host.events)


async def test_what_its_own_subagent_writes_is_counted(play: Play, work: Path) -> None:
    script = Script().handshake().prompt()
    script.update("subagent_update", sessionId="c", title="Ada", state={"state": "running"})
    usage = {"sessionUpdate": "usage_update", "used": 1, "size": 2}
    params = {"sessionId": "c", "update": usage}
    script.send({"method": "session/update", "params": params})
    script.write_file(work / "a.txt", "x\n").end_turn()
    async with play(script) as host:
        await begun(host, work)
        assert await counted_at_the_end(host) == [(1, 1, 0)]


@pytest.mark.parametrize("noted", [True, False])
async def test_what_a_command_of_the_user_writes_is_not_the_agents(
    play: Play, work: Path, noted: bool
) -> None:
    script = asks_to_edit(work).tool_call_update(status="failed")
    async with play(script.end_turn()) as host:
        await rejected(host, work)
        assert await reported(host) == []
        if noted:
            host.do(NoteOwnCommand())
        (work / "a.txt").write_text("two\n")
        (work / "b.txt").write_text("x\n")
        await host.until(lambda: any(isinstance(one, TurnCompared) for one in host.events))
        await host.client.settled()
        edits = [one for one in host.events if isinstance(one, EditCompared)]
        assert (len(edits) + len(unapproved(host)) > 0) is not noted
