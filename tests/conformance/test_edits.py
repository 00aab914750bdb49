"""Edits that an agent tells of, compared with the files: before a person decides, and after."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import anyio
import pytest

from acp_tui.client.files import edit_watch
from acp_tui.client.files.edits import Edits
from acp_tui.client.files.watched_call import EditReader, ReadFile
from acp_tui.debug.lint.linter import Linter
from acp_tui.debug.log import Log
from acp_tui.policy.rules import Rule, RuleAnswer
from acp_tui.protocol.content import Diff
from acp_tui.protocol.events import OwnFault
from acp_tui.protocol.file_events import EditCompared, EditLooked, EditVerdict
from acp_tui.state import edit_facts
from acp_tui.state.changed_files import changed_files
from acp_tui.state.commands import AnswerPermission, OpenSession, RemoveFault, SetFault, SetMode
from acp_tui.state.entries import ToolCallEntry
from acp_tui.state.session import Session
from tests.conformance.conftest import Play
from tests.fake_agent.script import OPTIONS, Script
from tests.hosting import Host, eventually

pytestmark = pytest.mark.anyio

POEM = "one\ntwo\nthree\nfour\nfive\n"


def diff(path: Path | str, old: str | None, new: str) -> dict[str, Any]:
    meta = {"kind": "modify", "more": {}}  # some agents tell more
    return {"type": "diff", "path": str(path), "oldText": old, "newText": new, "_meta": meta}


MODE = {"modes": {"currentModeId": "a", "availableModes": [{"id": "a", "name": "A"}]}}
"""What a session must have for a person to choose a mode: an agent may wait for that."""


def asks(call: dict[str, Any]) -> Script:
    """Ask for leave to edit; what is done then comes after."""
    script = Script().handshake(new=MODE).prompt()
    return script.ask_permission({"title": "Edit", "kind": "edit", **call}).expect_answer("ask")


def call(host: Host) -> ToolCallEntry:
    found = host.session.tool_call("t1")
    assert found is not None
    return found


def looks(host: Host) -> list[EditLooked]:
    return [one for one in host.events if isinstance(one, EditLooked)]


def compared(host: Host) -> list[EditCompared]:
    return [one for one in host.events if isinstance(one, EditCompared)]


def findings(host: Host) -> list[str]:
    """The findings about edits."""
    log = Log(host.records, Linter())
    log.catch_up()
    return [one.rule.id for one in log.findings if one.rule.id.startswith("edit-")]


async def answered(host: Host, option: str | None, seen: int = 1) -> None:
    """Answer the question once the files have been looked at, and wait for the end of the turn."""
    await host.opened()
    host.prompt()
    (permission,) = await host.permission()
    await host.until(lambda: len(looks(host)) >= seen)
    host.do(AnswerPermission(permission.number, option))
    await host.turn_ended()


async def test_a_fragment_has_the_numbers_of_its_lines(play: Play, work: Path) -> None:
    path = work / "a.txt"
    path.write_text(POEM)
    script = asks({"content": [diff(path, "four", "FOUR")]})
    script.write_file(path, POEM.replace("four", "FOUR")).tool_call_update(status="completed")
    async with play(script.end_turn()) as host:
        await answered(host, "yes")
        await unwatched(host)
        (item,) = call(host).content
        assert isinstance(item, Diff)
        place = edit_facts.place_of_diff(call(host), item)
        assert place is not None
        assert (place.line, place.new_line, place.whole) == (4, 4, False)
        assert (edit_facts.edit_remarks(call(host)), compared(host)) == ([], [])


EVIL = POEM.replace("four", "FOUR") + "rm -rf\n"


async def test_a_file_that_is_not_as_the_allowed_diff_shows_is_a_finding_with_both_diffs(
    play: Play, work: Path
) -> None:
    path = work / "a.txt"
    path.write_text(POEM)
    script = asks({"content": [diff(path, "four", "FOUR")]})
    script.write_file(path, EVIL).tool_call_update(status="completed")
    async with play(script.end_turn()) as host:
        await answered(host, "yes")
        await host.until(lambda: compared(host))
        (event,) = compared(host)
        assert (event.verdict, event.asked, event.exact) == (EditVerdict.DIFFERS, True, False)
        assert event.difference == "it has +1 −0 lines besides what was shown, from line 6 on"
        assert "looking at the file" in event.words
        shown, done = edit_facts.compared_diffs(event) or (None, None)
        assert shown == Diff(path=str(path), old_text=POEM, new_text=POEM.replace("four", "FOUR"))
        assert done == Diff(path=str(path), old_text=POEM, new_text=EVIL)
        assert findings(host) == ["edit-not-as-shown"]


async def test_a_write_through_us_that_is_not_as_shown_is_known_exactly(
    play: Play, work: Path
) -> None:
    path = work / "a.txt"
    path.write_text(POEM)
    script = asks({"content": [diff(path, POEM, POEM.replace("four", "FOUR"))]})
    params = {"sessionId": "s1", "path": str(path), "content": EVIL}
    script.request("fs/write_text_file", params, save="write").expect_answer("write", result={})
    script.tool_call_update(status="completed")
    async with play(script.end_turn()) as host:
        await answered(host, "yes")
        await host.until(lambda: compared(host))
        (event,) = compared(host)
        assert (event.verdict, event.exact) == (EditVerdict.DIFFERS, True)
        assert event.words.endswith("acp-tui knows this from what the agent had it write.")
        assert findings(host) == ["edit-not-as-shown"]


@pytest.mark.parametrize("option", ["no", None])
async def test_what_is_written_although_it_was_rejected_is_a_finding(
    play: Play, work: Path, option: str | None
) -> None:
    path = work / "a.txt"
    path.write_text(POEM)
    script = asks({"content": [diff(path, "four", "FOUR")]})
    script.write_file(path, POEM.replace("four", "FOUR")).tool_call_update(status="failed")
    async with play(script.end_turn()) as host:
        await answered(host, option)
        await host.until(lambda: compared(host))
        assert [one.verdict for one in compared(host)] == [EditVerdict.REJECTED]
        assert findings(host) == ["edit-rejected-but-written"]


@pytest.mark.parametrize("name", ["the same edit", "a command", "a write through the client"])
async def test_what_was_rejected_and_then_allowed_otherwise_is_no_finding(
    play: Play, work: Path, name: str
) -> None:
    path = work / "a.txt"
    path.write_text(POEM)
    done = POEM.replace("four", "FOUR")
    edit = {"content": [diff(path, "four", "FOUR")]}
    script = asks(edit).tool_call_update(status="failed")
    runs = {"kind": "execute", "rawInput": {"command": "make", "cwd": str(work)}}
    more = runs if name == "a command" else {"kind": "edit", **edit}
    script.ask_permission({"toolCallId": "t2", **more}, save="more").expect_answer("more")
    if name == "a write through the client":
        params = {"sessionId": "s1", "path": str(path), "content": done}
        script.request("fs/write_text_file", params, save="write").expect_answer("write")
    else:
        script.write_file(path, done)
    script.tool_call_update("t2", status="completed")
    async with play(script.end_turn()) as host:
        await host.opened()
        host.prompt()
        for option in ("no", "yes"):
            (permission,) = await host.permission()
            await host.until(lambda: looks(host))
            host.do(AnswerPermission(permission.number, option))
            await host.until(lambda: not host.state.waiting_permissions())
        await host.turn_ended()
        await watching(host).settled()
        assert compared(host) == []


async def test_a_call_that_asks_again_about_another_file_is_not_held_to_the_first(
    play: Play, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rule answers before the second file is read, as it need not wait for that."""
    read, ruled = EditReader.read_files, anyio.Event()

    async def read_late(
        self: EditReader, session: Session, paths: Iterable[str]
    ) -> dict[str, ReadFile]:
        paths = list(paths)
        if str(work / "b.txt") in paths:
            await ruled.wait()
        return await read(self, session, paths)

    monkeypatch.setattr(EditReader, "read_files", read_late)
    other = {"content": [diff(work / "b.txt", None, "two\n")]}
    script = asks({"content": [diff(work / "a.txt", None, "one\n")]})
    script.ask_permission({"title": "Edit", "kind": "edit", **other}, save="again")
    script.expect_answer("again").write_file(work / "b.txt", "two\n")
    rules = (Rule(RuleAnswer.ALLOW, kinds=("edit",), paths=("b.txt",)),)
    async with play(script.tool_call_update(status="completed").end_turn(), rules=rules) as host:
        await answered(host, "no")
        await host.turn_ended()
        ruled.set()
        await watching(host).settled()
        assert compared(host) == []


async def test_a_call_that_asks_again_is_not_rejected_for_what_was_allowed_before(
    play: Play, work: Path
) -> None:
    other = {"content": [diff(work / "b.txt", None, "two\n")]}
    script = asks({"content": [diff(work / "a.txt", None, "one\n")]})
    script.write_file(work / "a.txt", "one\n")
    script.ask_permission({"title": "Edit", "kind": "edit", **other}, save="again")
    script.expect_answer("again").tool_call_update(status="failed")
    rules = (Rule(RuleAnswer.REJECT, kinds=("edit",), paths=("b.txt",)),)
    async with play(script.end_turn(), rules=rules) as host:
        await answered(host, "yes")
        await host.turn_ended()
        await watching(host).settled()
        assert compared(host) == []


async def test_what_a_subagent_was_denied_and_its_parent_allowed_is_no_finding(
    play: Play, work: Path
) -> None:
    path = work / "a.txt"
    path.write_text(POEM)
    edit = {"kind": "edit", "content": [diff(path, "four", "FOUR")]}
    script = Script().handshake().prompt()
    helper = {"sessionId": "child", "title": "Helper"}
    script.update("subagent_update", **helper, state={"state": "running"})
    asked = {"toolCall": {"toolCallId": "c1", "title": "Edit", **edit}, "options": OPTIONS}
    params = {"sessionId": "child", **asked}
    script.request("session/request_permission", params, save="child").expect_answer("child")
    idle = {"state": "idle", "stopReason": "end_turn"}
    script.ask_permission(edit).expect_answer("ask")
    script.write_file(path, POEM.replace("four", "FOUR")).tool_call_update(status="completed")
    script.update("subagent_update", **helper, state=idle)
    async with play(script.end_turn()) as host:
        await host.opened()
        host.prompt()
        for option in ("no", "yes"):
            (permission,) = await host.permission()
            await host.until(lambda: looks(host))
            host.do(AnswerPermission(permission.number, option))
            await host.until(lambda: not host.state.waiting_permissions())
        await host.turn_ended()
        await watching(host).settled()
        assert compared(host) == []


async def test_what_was_rejected_before_another_mode_is_no_finding(play: Play, work: Path) -> None:
    path = work / "a.txt"
    path.write_text(POEM)
    script = asks({"content": [diff(path, "four", "FOUR")]}).expect("session/set_mode")
    script.reply("set_mode").write_file(path, POEM.replace("four", "FOUR"))
    script.tool_call_update(status="failed")
    async with play(script.end_turn()) as host:
        await host.opened()
        host.prompt()
        (permission,) = await host.permission()
        await host.until(lambda: looks(host))
        host.do(AnswerPermission(permission.number, "no"))
        host.do(SetMode("s1", "a"))
        await host.turn_ended()
        await watching(host).settled()
        assert compared(host) == []


async def test_a_call_that_is_completed_without_the_write_that_was_allowed_is_a_finding(
    play: Play, work: Path
) -> None:
    path = work / "a.txt"
    path.write_text(POEM)
    script = asks({"content": [diff(path, "four", "FOUR")]})
    async with play(script.tool_call_update(status="completed").end_turn()) as host:
        await answered(host, "yes")
        await host.until(lambda: compared(host))
        assert [one.verdict for one in compared(host)] == [EditVerdict.UNWRITTEN]
        assert findings(host) == ["edit-not-as-shown"]


async def test_a_file_that_others_changed_while_a_person_was_asked_is_not_blamed_on_the_agent(
    play: Play, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edit_watch, "RECHECK_DELAY", 0.01)
    path = work / "a.txt"
    path.write_text(POEM)
    both = POEM.replace("four", "FOUR") + "mine\n"
    script = asks({"content": [diff(path, "four", "FOUR")]})
    script.write_file(path, both).tool_call_update(status="completed")
    async with play(script.end_turn()) as host:
        await host.opened()
        host.prompt()
        (permission,) = await host.permission()
        await host.until(lambda: looks(host))
        path.write_text(POEM + "mine\n")
        told = ("a.txt has changed while the question waited.", False)
        await host.until(lambda: told in edit_facts.edit_remarks(call(host)))
        host.do(AnswerPermission(permission.number, "yes"))
        await host.turn_ended()
        await unwatched(host)
        assert compared(host) == []


async def test_an_agent_that_shows_no_diff_gets_one_made_of_its_input_and_the_file(
    play: Play, work: Path
) -> None:
    path = work / "a.txt"
    path.write_bytes(POEM.replace("\n", "\r\n").encode())
    raw = {"file_path": "a.txt", "old_string": "two\nthree", "new_string": "2\n3"}
    script = asks({"rawInput": raw})
    new = POEM.replace("two", "2").replace("three", "3").replace("\n", "\r\n")
    script.write_file(path, new).tool_call_update(status="completed")
    async with play(script.end_turn()) as host:
        await answered(host, "yes", seen=2)
        await unwatched(host)
        made = Diff(path=str(path), old_text=POEM.replace("\n", "\r\n"), new_text=new)
        assert edit_facts.derived_diffs(call(host)) == [made]
        assert edit_facts.edit_remarks(call(host)) == [(f"a.txt is {path}.", False)]
        assert compared(host) == []


async def until_asked(host: Host, seen: int) -> int:
    """Wait for the question, and for what is found of it."""
    await host.opened()
    host.prompt()
    (permission,) = await host.permission()
    await host.until(lambda: len(looks(host)) >= seen)
    return permission.number


@pytest.mark.parametrize("text", ["new", "new\n"])
@pytest.mark.parametrize("done", ["new\n", "new\n\n"])
async def test_inserted_lines_are_as_shown_whatever_a_tool_makes_of_their_last_newline(
    play: Play, work: Path, text: str, done: str
) -> None:
    path = work / "a.txt"
    path.write_text(POEM)
    raw = {"command": "insert", "path": str(path), "insert_line": 1, "new_str": text}
    script = asks({"rawInput": raw})
    script.write_file(path, POEM.replace("two", f"{done}two"))
    async with play(script.tool_call_update(status="completed").end_turn()) as host:
        await answered(host, "yes")
        (made,) = edit_facts.derived_diffs(call(host))
        assert made.new_text == POEM.replace("two", "new\ntwo")
        if done not in ("new\n", f"{text}\n"):
            await host.until(lambda: compared(host))
        await unwatched(host)
        expected = [] if done in ("new\n", f"{text}\n") else [EditVerdict.DIFFERS]
        assert [one.verdict for one in compared(host)] == expected


@pytest.mark.parametrize(
    ("content", "raw", "says"),
    [
        ([("a.txt", "six", "SIX")], None, "doesn't have the text that the diff removes"),
        ([("a.txt", "zwei", "two")], None, "already has the new text of the diff"),
        ([("a.txt", None, "new\n")], None, "this replaces all of its text"),
        ([("none.txt", "one", "two")], None, "which the diff takes text from"),
        (
            [("b.txt", None, "new\n")],
            {"path": "{}/a.txt", "content": "new\n"},
            "b.txt, but the input names",
        ),
        (
            [("a.txt", "four", "FOUR")],
            {"path": "{}/a.txt", "old_str": "four", "new_str": "rm -rf"},
            "makes another text of",
        ),
    ],
)
async def test_a_question_says_where_a_diff_is_not_true(
    play: Play, work: Path, content: list[tuple[str, str | None, str]], raw: Any, says: str
) -> None:
    (work / "a.txt").write_text(POEM)
    diffs = [diff(work / name, old, new) for name, old, new in content]
    if raw is not None:
        raw = {**raw, "path": raw["path"].format(work)}
    script = asks({"content": diffs, **({"rawInput": raw} if raw else {})})
    async with play(script.tool_call_update(status="failed").end_turn()) as host:
        await host.opened()
        host.prompt()
        (permission,) = await host.permission()
        await host.until(
            lambda: any(says in words for words, _ in edit_facts.edit_remarks(call(host)))
        )
        assert says in " ".join(
            words for words, warns in edit_facts.edit_remarks(call(host)) if warns
        )
        host.do(AnswerPermission(permission.number, "no"))
        await host.turn_ended()
        assert findings(host) == []


async def test_what_may_not_be_read_for_the_agent_is_not_compared_and_that_is_said(
    play: Play, work: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text(POEM)
    (work / "link.txt").symlink_to(outside)
    (work / "binary").write_bytes(b"\0")
    (work / "large").write_bytes(b"x" * 3_000_000)
    os.mkfifo(work / "fifo")
    names = ["../outside.txt", "link.txt", "binary", "large", "fifo"]
    diffs = [diff(work / name, "four", "FOUR") for name in names]
    async with play(asks({"content": diffs}).end_turn()) as host:
        await answered(host, "no", seen=5)
        reasons = [
            remark.partition("not compared: ")[2]
            for remark, _ in edit_facts.edit_remarks(call(host))
        ]
        warned = [warns for _, warns in edit_facts.edit_remarks(call(host))]
        assert warned == [True, True, False, False, False]
        assert reasons == [
            "it is outside the session's folder.",
            f"it leads to {outside.resolve()}, outside the session's folder.",
            "it is a binary file (it holds NUL bytes).",
            "it is too large: over 2 MiB.",
            "it is a FIFO, not a regular file.",
        ]
        assert edit_facts.derived_diffs(call(host)) == []


async def test_edits_that_nobody_is_asked_about_are_compared_too_once_they_are_done(
    play: Play, work: Path
) -> None:
    path = work / "a.txt"
    path.write_text(POEM)
    raw = {"path": str(path), "old_text": "four", "new_text": "FOUR"}
    script = Script().handshake(new=MODE)
    for at, text in enumerate((POEM.replace("four", "FOUR"), EVIL)):
        script.prompt().tool_call(f"t{at}", kind="edit", rawInput=raw).expect("session/set_mode")
        script.reply("set_mode").write_file(path, text)
        script.tool_call_update(f"t{at}", status="completed").end_turn()
    async with play(script) as host:
        await host.opened()
        for at in range(2):
            path.write_text(POEM)
            host.prompt()
            await eventually(lambda: any(one.before for one in watches(host)))
            host.do(SetMode("s1", "a"))
            await host.turn_ended(at)
            await unwatched(host)
        await host.until(lambda: compared(host))
        (event,) = compared(host)
        assert (event.tool_call_id, event.verdict, event.asked) == (
            "t1",
            EditVerdict.DIFFERS,
            False,
        )
        first = host.session.tool_call("t0")
        made = Diff(path=str(path), old_text=POEM, new_text=POEM.replace("four", "FOUR"))
        assert edit_facts.derived_diffs(first) == [made]
        files = changed_files(host.session)
        assert [(one.old_text, one.new_text) for one in files[0].diffs] == [(POEM, EVIL)]


async def test_an_edit_that_is_done_before_anybody_looked_gets_no_diff_of_a_file_that_has_it(
    play: Play, work: Path
) -> None:
    path = work / "a.txt"
    path.write_text(POEM.replace("four", "FOUR"))  # what comes after the call is done already, too
    script = Script().handshake().prompt()
    told = {"kind": "edit", "rawInput": {"file_path": str(path), "content": POEM}}
    updates = [
        {"sessionUpdate": "tool_call", "toolCallId": "t1", "title": "Write", **told},
        {"sessionUpdate": "tool_call_update", "toolCallId": "t1", "status": "completed"},
    ]
    lines = [
        {
            "jsonrpc": "2.0",
            "method": "session/update",
            "params": {"sessionId": "s1", "update": update},
        }
        for update in updates
    ]
    script.raw("".join(json.dumps(line) + "\n" for line in lines).encode())
    async with play(script.end_turn()) as host:
        await host.opened()
        host.prompt()
        await host.turn_ended()
        await watching(host).settled()
        assert call(host).finished
        assert edit_facts.derived_diffs(call(host)) == []
        assert changed_files(host.session) == []


async def test_two_edits_of_one_file_that_are_done_one_upon_the_other_are_as_shown(
    play: Play, work: Path
) -> None:
    path = work / "a.txt"
    path.write_text(POEM)
    script = Script().handshake().prompt()
    for id, old in (("t1", "one"), ("t2", "two")):
        told = {"toolCallId": id, "kind": "edit", "content": [diff(path, old, old.upper())]}
        script.ask_permission(told, save=id)
    script.expect_answer("t1").expect_answer("t2")
    script.write_file(path, POEM.replace("one", "ONE").replace("two", "TWO"))
    for id in ("t1", "t2"):
        script.tool_call_update(id, status="completed")
    async with play(script.end_turn()) as host:
        await host.opened()
        host.prompt()
        await host.permission(2)
        await host.until(lambda: len(looks(host)) == 2)
        for permission in host.state.waiting_permissions():
            host.do(AnswerPermission(permission.number, "yes"))
        await host.turn_ended()
        await unwatched(host)
        assert compared(host) == []


async def unwatched(host: Host) -> None:
    """Wait until nothing is left to be compared."""
    await eventually(lambda: not watches(host))
    await watching(host).settled()


def watches(host: Host) -> list[Any]:
    watch = watching(host)._watch
    return list(watch._watches.values()) if watch is not None else []


def watching(host: Host) -> Edits:
    listeners = [getattr(one, "__self__", None) for one in host.client._core._listeners]
    (edits,) = [one for one in listeners if isinstance(one, Edits)]
    return edits


async def test_a_fault_of_ours_in_comparing_is_told_and_ends_nothing(
    play: Play, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(edit_watch, "review_edits", breaks)
    script = asks({"content": [diff(work / "a.txt", None, "new")]})
    async with play(script.end_turn()) as host:
        await host.opened()
        host.prompt()
        (permission,) = await host.permission()
        await host.until(lambda: any(isinstance(one, OwnFault) for one in host.events))
        host.do(AnswerPermission(permission.number, "no"))
        await host.turn_ended()


async def test_a_diff_that_is_put_in_the_place_of_one_that_was_asked_about_hides_no_warning(
    play: Play, work: Path
) -> None:
    path = work / "a.txt"
    path.write_text(POEM)
    script = Script().handshake().prompt()
    script.ask_permission({"title": "Edit", "content": [diff(path, "six", "SIX")]})
    script.tool_call_update(content=[diff(path, "four", "FOUR")]).expect_answer("ask")
    script.write_file(path, POEM.replace("four", "FOUR")).tool_call_update(status="completed")
    async with play(script.end_turn()) as host:
        await answered(host, "yes")
        words = "a.txt doesn't have the text that the diff removes."
        assert edit_facts.edit_remarks(call(host)) == [(words, True)]


async def test_a_diff_that_comes_while_the_question_waits_is_looked_at_like_the_first(
    play: Play, work: Path
) -> None:
    path = work / "a.txt"
    path.write_text(POEM)
    script = Script().handshake(new=MODE).prompt()
    script.tool_call(kind="edit", content=[diff(path, "one", "ONE")])
    script.ask_permission().expect("session/set_mode")
    script.tool_call_update(content=[diff(path, "six", "SIX")]).reply("set_mode")
    script.expect_answer("ask").tool_call_update(status="failed")
    async with play(script.end_turn()) as host:
        await host.opened()
        host.prompt()
        (permission,) = await host.permission()
        await host.until(lambda: looks(host))
        assert edit_facts.edit_remarks(call(host)) == []
        host.do(SetMode("s1", "a"))
        await host.until(lambda: edit_facts.edit_remarks(call(host)))
        assert "doesn't have" in edit_facts.edit_remarks(call(host))[0][0]
        host.do(AnswerPermission(permission.number, "no"))
        await host.turn_ended()


async def test_what_is_replayed_by_a_load_is_not_compared(play: Play, work: Path) -> None:
    path = work / "a.txt"
    path.write_text(POEM)
    script = Script().initialize({"agentCapabilities": {"loadSession": True}})
    script.expect("session/load").tool_call(kind="edit", content=[diff(path, "six", "SIX")])
    script.tool_call_update(status="completed").reply("load").prompt().end_turn()
    async with play(script, opening=OpenSession("s1")) as host:
        await host.turn()
        assert call(host).finished
        assert looks(host) == []


async def test_an_edit_that_was_altered_on_purpose_is_excused_and_that_of_the_next_turn_is_not(
    play: Play, work: Path
) -> None:
    path = work / "a.txt"
    path.write_text(POEM)
    script = Script().handshake(new=MODE)
    for name in ("one", "two"):
        script.prompt().write_file(path, POEM)
        script.tool_call(name, kind="edit", content=[diff(path, "four", "FOUR")])
        script.ask_permission({"toolCallId": name}).expect_answer("ask")
        script.write_file(path, EVIL).tool_call_update(name, status="completed").end_turn()
    async with play(script) as host:
        await host.opened()
        host.do(SetFault("duplicate:kind:tool_call"))
        await answered(host, "yes")
        await unwatched(host)
        assert compared(host) == []
        host.do(RemoveFault("duplicate:kind:tool_call"))
        await answered(host, "yes", seen=2)
        await host.until(lambda: compared(host))
        assert [one.tool_call_id for one in compared(host)] == ["two"]
        assert findings(host) == ["edit-not-as-shown"]
