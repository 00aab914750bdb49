"""What is known of the files that an agent writes: what others changed, and what can be undone."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from acp_tui.client.files import history, planned_write
from acp_tui.client.files.planned_write import PlannedWrite
from acp_tui.config.paths import backups_folder
from acp_tui.state.changed_files import changed_files
from acp_tui.state.commands import AnswerPermission, TakeBack, UndoWrite, UseSetting
from tests.conformance.conftest import Play
from tests.conformance.test_files import INTERNAL, asking, read, write
from tests.fake_agent.script import Script
from tests.hosting import Host, eventually

pytestmark = pytest.mark.anyio


async def undo(host: Host, number: int | None = None) -> None:
    """Take a write back, and wait until something is said about it."""
    before = len(host.notices)
    host.do(UndoWrite(host.session.session_id, number))
    await host.until(lambda: len(host.notices) > before)


def titles(host: Host) -> list[str]:
    return [one.title for one in host.notices]


async def test_writes_are_taken_back_one_after_the_other(play: Play, work: Path) -> None:
    old, new = work / "old.txt", work / "new.txt"
    old.write_text("one")
    old.chmod(0o640)
    script = asking(write(old, "two"), write(new, "new"), write(old, "three"))
    async with play(script) as host:
        await host.turn()
        assert [(one.path, one.old_text, one.text) for one in host.session.writes] == [
            (str(old), "one", "two"),
            (str(new), None, "new"),
            (str(old), "two", "three"),
        ]
        (kept,) = backups_folder().iterdir()
        assert kept.stat().st_mode & 0o777 == 0o700
        assert {one.stat().st_mode & 0o777 for one in kept.iterdir()} == {0o600}
        await undo(host)
        assert old.read_text() == "two"
        await undo(host)
        assert not new.exists()
        await undo(host)
        assert (old.read_text(), old.stat().st_mode & 0o777) == ("one", 0o640)
        await undo(host)
        assert host.notices[-1].description == "There is no write that can be undone."
        assert [one.undone for one in host.session.writes] == [True, True, True]
    assert list(backups_folder().iterdir()) == []


async def test_a_write_of_what_has_changed_since_is_not_taken_back(play: Play, work: Path) -> None:
    path = work / "a.txt"
    path.write_text("one")
    async with play(asking(write(path, "two"))) as host:
        await host.turn()
        path.write_text("mine")
        await undo(host)
        assert path.read_text() == "mine"
        assert titles(host) == [f"Not undone: {path}"]
        assert "has changed since" in (host.notices[0].description or "")
        path.write_text("two")  # as the agent left it
        await undo(host, host.session.writes[0].number)
        assert path.read_text() == "one"


async def test_a_backup_that_was_changed_is_not_put_back(play: Play, work: Path) -> None:
    path = work / "a.txt"
    path.write_text("one")
    async with play(asking(write(path, "two"))) as host:
        await host.turn()
        ((backup,),) = (folder.iterdir() for folder in backups_folder().iterdir())
        backup.write_text("evil")
        await undo(host)
        assert path.read_text() == "two"
        assert "isn't what was kept" in (host.notices[-1].description or "")


async def test_after_a_refusal_the_writes_of_other_files_are_taken_back(
    play: Play, work: Path
) -> None:
    paths = [work / name for name in ("first", "changed", "gone", "folder", "moved/away")]
    (work / "moved").mkdir()
    for path in paths:
        path.write_text("one")
    first, changed, gone, folder, moved = paths
    async with play(asking(*(write(path, "two") for path in paths))) as host:
        await host.turn()
        changed.write_text("mine")
        gone.unlink()
        folder.unlink()
        folder.mkdir()
        moved.parent.rename(work / "elsewhere")
        for path in (moved, folder, gone, changed):
            await undo(host)
            assert titles(host)[-1] == f"Not undone: {path}"
        await undo(host)
        assert (first.read_text(), changed.read_text()) == ("one", "mine")
        assert [one.changed for one in host.session.writes] == [False, True, True, True, True]


async def test_a_write_after_a_refusal_can_be_taken_back(play: Play, work: Path) -> None:
    path = work / "a.txt"
    path.write_text("as it was")
    async with play(two_writes(path)) as host:
        await host.turn()
        path.write_text("mine")
        await undo(host)
        await host.turn()
        await undo(host)
        assert path.read_text() == "mine"
        await undo(host)
        assert host.notices[-1].description == "There is no write that can be undone."


async def test_a_write_is_taken_back_after_the_agent_has_gone(play: Play, work: Path) -> None:
    path = work / "a.txt"
    path.write_bytes(b"\xff\xfeo\0l\0d\0")
    async with play(asking(write(path, "new")).exit(3)) as host:
        await host.opened()
        host.prompt()
        await host.until(lambda: host.state.peer.process.exit)
        assert path.read_bytes() == b"\xff\xfen\0e\0w\0"
        host.do(UndoWrite("s1"))
        await host.until(lambda: host.state.sessions["s1"].writes[0].undone)
    assert path.read_bytes() == b"\xff\xfeo\0l\0d\0"


def call(script: Script, method: str, params: dict[str, Any], wanted: Any) -> None:
    script.request(method, {"sessionId": "s1", **params}, save="call")
    kind = {"error": {"code": wanted}} if isinstance(wanted, int) else {"result": wanted}
    script.expect_answer("call", **kind)


def two_turns(first: Any, second: Any) -> Script:
    """One call in each of two turns, so that somebody can do something in between."""
    script = Script().handshake().prompt()
    call(script, *first)
    script.end_turn().prompt()
    call(script, *second)
    return script.end_turn()


def two_writes(path: Path) -> Script:
    return two_turns(write(path, "agent's"), write(path, "agent's again"))


def read_and_write(path: Path) -> Script:
    return two_turns(read(path, "as it was"), write(path, "agent's"))


@pytest.mark.parametrize("make", [two_writes, read_and_write])
async def test_a_file_that_changed_since_the_agent_knew_it_is_written_over_and_that_is_said(
    play: Play, work: Path, make: Any
) -> None:
    path = work / "a.txt"
    path.write_text("as it was")
    async with play(make(path)) as host:
        await host.turn()
        path.write_text("mine")
        await host.turn()
        assert path.read_text().startswith("agent's")
        assert titles(host) == [f"Written: {path}"]
        assert "had changed on disk" in (host.notices[0].description or "")
        await undo(host)
    assert path.read_text() == "mine"


@pytest.mark.parametrize("asks", [True, False])
async def test_a_write_of_what_the_agent_wrote_itself_is_no_change(
    play: Play, work: Path, asks: bool
) -> None:
    path = work / "a.txt"
    path.write_text("as it was\n")
    diff = {"type": "diff", "path": str(path), "oldText": "as it was\n", "newText": "agent's\n"}
    script = Script().handshake().prompt()
    call(script, *read(path, "as it was\n"))
    script.tool_call(content=[diff], status="in_progress").write_file(path, "agent's\n")
    call(script, *write(path, "agent's\n"))
    script.tool_call_update(status="completed")
    call(script, *write(path, "agent's again\n"))
    async with play(script.end_turn(), ask_if_changed=asks) as host:
        await host.turn()
        (file,) = changed_files(host.session)
        assert [(one.old_text, one.new_text) for one in file.diffs] == [
            ("as it was\n", "agent's again\n")
        ]
        assert host.notices == []
        await undo(host)
        assert path.read_text() == "agent's\n"
        await undo(host)
        assert host.notices[-1].description == "There is no write that can be undone."


async def test_touching_or_replacing_a_file_by_the_same_text_is_no_change(
    play: Play, work: Path
) -> None:
    path = work / "a.txt"
    path.write_text("as it was")
    async with play(read_and_write(path)) as host:
        await host.turn()
        path.unlink()
        path.write_text("as it was")
        os.utime(path, (1, 1))
        await host.turn()
        assert host.notices == []


async def test_a_file_that_was_deleted_meanwhile_counts_as_changed(play: Play, work: Path) -> None:
    path = work / "a.txt"
    path.write_text("as it was")
    async with play(read_and_write(path)) as host:
        await host.turn()
        path.unlink()
        await host.turn()
        assert titles(host) == [f"Written: {path}"]
        await undo(host)
    assert not path.exists()


async def test_a_person_is_asked_from_when_on_that_is_wished(play: Play, work: Path) -> None:
    path = work / "a.txt"
    path.write_text("as it was")
    async with play(two_turns(read(path, "as it was"), write(path, "agent's"))) as host:
        await host.turn()
        path.write_text("mine")
        host.do(UseSetting("files.changed", "ask"))
        host.prompt()
        (permission,) = await host.permission()
        assert path.read_text() == "mine"
        host.do(AnswerPermission(permission.number, "allow_once"))
        await host.turn_ended(1)
        assert path.read_text() == "agent's"


@pytest.mark.parametrize("answer", ["allow_once", "reject_once", None])
async def test_where_that_is_wished_a_person_is_asked_before_a_changed_file_is_written(
    play: Play, work: Path, answer: str | None
) -> None:
    path = work / "a.txt"
    path.write_text("as it was")
    wanted = {} if answer == "allow_once" else INTERNAL
    script = two_turns(read(path, "as it was"), write(path, "agent's", wanted))
    async with play(script, ask_if_changed=True) as host:
        await host.turn()
        path.write_text("mine")
        host.prompt()
        (permission,) = await host.permission()
        assert permission.access is not None
        assert (permission.access.outside, permission.access.changed) == (False, True)
        assert permission.access.old_content == "mine"
        assert [one.kind for one in permission.options] == ["allow_once", "reject_once"]
        host.do(AnswerPermission(permission.number, answer))
        await host.turn_ended(1)
    assert path.read_text() == ("agent's" if answer == "allow_once" else "mine")


async def test_what_a_person_allows_to_be_written_over_is_the_file_that_was_shown(
    play: Play, work: Path
) -> None:
    path, other = work / "a.txt", work / "b.txt"
    path.write_text("as it was")
    other.write_text("others'")
    script = two_turns(read(path, "as it was"), write(path, "agent's", INTERNAL))
    async with play(script, ask_if_changed=True) as host:
        await host.turn()
        path.write_text("mine")
        host.prompt()
        (permission,) = await host.permission()
        path.unlink()
        path.symlink_to(other)
        host.do(AnswerPermission(permission.number, "allow_once"))
        await host.turn_ended(1)
    assert other.read_text() == "others'"


async def test_a_question_outside_the_folder_says_that_the_file_has_changed(
    play: Play, tmp_path: Path
) -> None:
    path = tmp_path / "outside"
    path.write_text("as it was")
    async with play(read_and_write(path)) as host:
        await host.opened()
        for content, changed in ((None, False), ("agent's", True)):
            host.prompt()
            (permission,) = await host.permission()
            assert permission.access is not None
            assert (permission.access.content, permission.access.changed) == (content, changed)
            host.do(AnswerPermission(permission.number, "allow_once"))
            await host.until(lambda: host.session.turn is None)
            path.write_text("mine")


async def test_a_question_of_the_agent_says_which_of_its_files_have_changed(
    play: Play, work: Path
) -> None:
    path = work / "a.txt"
    path.write_text("as it was")
    diff = {"type": "diff", "path": str(path), "oldText": "as it was", "newText": "x"}
    script = Script().handshake().prompt()
    call(script, *read(path, "as it was"))
    script.end_turn().prompt()
    script.ask_permission({"title": "Edit", "content": [diff]}).expect_answer("ask").end_turn()
    async with play(script) as host:
        await host.turn()
        path.write_text("mine")
        host.prompt()
        (permission,) = await host.permission()
        await host.until(lambda: permission.changed)
        assert permission.changed == [str(path)]
        host.do(AnswerPermission(permission.number, None))
        await host.turn_ended(1)


@pytest.mark.parametrize("before", ["as it was", None])
async def test_a_file_that_changed_while_a_person_was_asked_counts_as_changed(
    play: Play, work: Path, before: str | None
) -> None:
    path = work / "a.txt"
    if before is not None:
        path.write_text(before)
    diff = {"type": "diff", "path": str(path), "oldText": before, "newText": "agent's"}
    script = Script().handshake().prompt()
    script.ask_permission({"title": "Edit", "content": [diff]}).expect_answer("ask")
    call(script, *read(path, "mine"))
    call(script, *write(path, "agent's"))
    script.end_turn().prompt()
    call(script, *write(path, "agent's again"))
    async with play(script.end_turn()) as host:
        await host.opened()
        host.prompt()
        (permission,) = await host.permission()
        await eventually(lambda: host.client._history._shown)  # it is being looked at
        path.write_text("mine")
        host.do(AnswerPermission(permission.number, "yes"))
        await host.turn_ended()
        assert titles(host) == [f"Written: {path}"]
        await host.turn()
        assert titles(host) == [f"Written: {path}"]
        await undo(host)
        await undo(host)
    assert path.read_text() == "mine"


async def test_a_file_that_somebody_changes_during_its_write_is_written_all_the_same(
    play: Play, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, others = work / "file", iter(["theirs"])
    path.write_text("mine")
    really_write = planned_write.carry_out_write

    def write_crossed(planned: PlannedWrite) -> tuple[str, ...] | None:
        for text in others:
            path.write_text(text)
        return really_write(planned)

    monkeypatch.setattr(planned_write, "carry_out_write", write_crossed)
    async with play(asking(write(path, "the agent's"))) as host:
        await host.turn()
        assert [one.old_text for one in host.session.writes] == ["theirs"]
        assert path.read_text() == "the agent's"


async def test_old_backups_make_room_for_new_ones(
    play: Play, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "BACKUP_BYTES", 10)
    first, second = work / "first", work / "second"
    first.write_text("12345")
    second.write_text("123456")
    async with play(asking(write(first, "x"), write(second, "y"))) as host:
        await host.turn()
        assert [one.has_backup for one in host.session.writes] == [False, True]
        (kept,) = backups_folder().iterdir()
        assert [one.read_text() for one in kept.iterdir()] == ["123456"]
        await undo(host, host.session.writes[0].number)
        assert first.read_text() == "x"
        await undo(host)
    assert second.read_text() == "123456"


async def test_without_a_place_for_backups_the_write_goes_on_and_that_is_said(
    play: Play, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "state").write_text("a file where a folder should be")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = work / "a.txt"
    path.write_text("old")
    async with play(asking(write(path, "new"))) as host:
        await host.turn()
        assert "can't be undone: no backup" in (host.notices[0].description or "")
        assert host.notices[0].severity == "warning"
        await undo(host)
    assert path.read_text() == "new"


async def test_where_the_backups_are_removed_the_next_writes_have_one_again(
    play: Play, work: Path
) -> None:
    path = work / "a.txt"
    path.write_text("old")
    again = {"sessionId": "s1", "path": str(path), "content": "newer"}
    script = asking(write(path, "new")).prompt(save="again")
    script.request("fs/write_text_file", again, save="w").expect_answer("w", result={})
    async with play(script.end_turn(to="again")) as host:
        await host.turn()
        shutil.rmtree(backups_folder())
        await host.turn()
        await undo(host)
    assert path.read_text() == "new"


async def test_what_is_done_otherwise_than_asked_for_is_said(play: Play, work: Path) -> None:
    path = work / "a.txt"
    path.write_bytes(b"one\r\n")
    async with play(asking(write(path, "two\n"))) as host:
        await host.turn()
        assert [one.severity for one in host.notices] == ["info"]
        assert "still CRLF" in (host.notices[0].description or "")
    assert path.read_bytes() == b"two\r\n"


async def take_back(host: Host, path: Path, seen: str | None, text: str) -> None:
    before = len(host.notices)
    host.do(TakeBack(host.session.session_id, str(path), seen, text))
    await host.until(lambda: len(host.notices) > before)


async def test_a_part_is_taken_back_where_it_is_what_was_seen_and_that_can_be_undone(
    play: Play, work: Path
) -> None:
    path = work / "a.txt"
    path.write_bytes(b"\xff\xfe" + "one\r\ntwo\r\n".encode("utf-16-le"))
    path.chmod(0o640)
    script = asking(write(path, "ONE\r\nTWO\r\n"), write(path, "x"))
    async with play(script) as host:
        await host.turn()
        await undo(host)
        await take_back(host, path, "else", "never")
        assert host.notices[-1].description == (
            "It isn't what was shown anymore; nothing was done."
        )
        await take_back(host, path, "ONE\r\nTWO\r\n", "one\r\nTWO\r\n")
        assert titles(host)[-1] == f"You took back a part: {path}"
        assert path.read_bytes() == b"\xff\xfe" + "one\r\nTWO\r\n".encode("utf-16-le")
        assert path.stat().st_mode & 0o777 == 0o640
        await undo(host)
        assert path.read_bytes().decode("utf-16") == "ONE\r\nTWO\r\n"


@pytest.mark.parametrize("swapped", ["folder", "file"])
async def test_nothing_is_taken_back_where_a_link_leads_by_now(
    play: Play, work: Path, tmp_path: Path, swapped: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "rc").write_text("safe\n")
    path = work / "cfg" / "rc"
    async with play(asking(write(path, "safe\n"))) as host:
        await host.turn()
        if swapped == "folder":
            path.parent.rename(work / "away")
            path.parent.symlink_to(outside)
        else:
            path.unlink()
            path.symlink_to(outside / "rc")
        await take_back(host, path, "safe\n", "evil\n")
        assert host.notices[-1].description == "It leads elsewhere by now; nothing was done."
        await undo(host)
        assert "It leads elsewhere by now; nothing was done." in str(host.notices[-1])
    assert (outside / "rc").read_text() == "safe\n"


async def test_a_file_that_is_gone_is_written_again_only_if_it_was_seen_to_be(
    play: Play, work: Path
) -> None:
    path = work / "gone.txt"
    async with play(asking()) as host:
        await host.turn()
        await take_back(host, path, "it was there", "x")
        assert not path.exists()
        await take_back(host, path, None, "again\n")
        assert path.read_text() == "again\n"
        path.write_bytes(b"\xff\xfe\x00")
        await take_back(host, path, "again\n", "x")
        assert path.read_bytes() == b"\xff\xfe\x00"


async def test_the_agent_does_not_know_what_a_person_took_back(play: Play, work: Path) -> None:
    path = work / "a.txt"
    path.write_text("one\ntwo\n")
    async with play(two_writes(path)) as host:
        await host.turn()
        now = path.read_text()
        await take_back(host, path, now, f"{now}mine")
        await host.turn()
        assert any("changed on disk" in (one.description or "") for one in host.notices)
