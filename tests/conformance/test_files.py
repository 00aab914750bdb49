"""File System."""

import os
from pathlib import Path
from typing import Any

import pytest

from acp_tui.policy.rules import Rule, RuleAnswer
from acp_tui.state.commands import AnswerPermission, ListSessions, OpenSession
from acp_tui.state.open_questions import Permission
from tests.conformance.conftest import Play
from tests.fake_agent.script import Script

pytestmark = pytest.mark.anyio

MISSING, INVALID, INTERNAL = -32002, -32602, -32603


def asking(*calls: tuple[str, dict[str, Any], Any], session_id: str = "s1") -> Script:
    """Ask one thing after the other; an int is the code of the error that must come."""
    script = Script().handshake().prompt()
    for method, params, wanted in calls:
        script.request(method, {"sessionId": session_id, **params}, save="call")
        if isinstance(wanted, int):
            script.expect_answer("call", error={"code": wanted})
        else:
            script.expect_answer("call", result=wanted)
    return script.end_turn()


def read(path: Path | str, wanted: Any, **params: Any) -> tuple[str, dict[str, Any], Any]:
    result = {"content": wanted} if isinstance(wanted, str) else wanted
    return "fs/read_text_file", {"path": str(path), **params}, result


def write(path: Path | str, content: str, wanted: Any = None) -> tuple[str, dict[str, Any], Any]:
    return "fs/write_text_file", {"path": str(path), "content": content}, wanted or {}


@pytest.mark.check(20)
async def test_reading_by_absolute_path_and_line(play: Play, work: Path) -> None:
    """All file paths MUST be absolute; line numbers are 1-based; a missing file is -32002."""
    text = "".join(f"line {number}\n" for number in range(1, 21))
    (work / "a.txt").write_text(text)
    (work / "dir").mkdir()
    (work / "binary").write_bytes(b"\x00\x01\xff")
    os.mkfifo(work / "fifo")
    tenth = "".join(f"line {number}\n" for number in range(10, 15))
    script = asking(
        read(work / "a.txt", text),
        read(work / "a.txt", tenth, line=10, limit=5),
        read(work / "a.txt", "line 20\n", line=20, limit=5),
        read(work / "a.txt", "", line=21),
        read(work / "a.txt", text, line=None, limit=None),
        read(work / "none.txt", MISSING),
        read("a.txt", INVALID),
        read(work / "dir", INVALID),
        read(work / "binary", INVALID),
        read(work / "fifo", INVALID),
    )
    async with play(script) as host:
        await host.turn()


@pytest.mark.check(21)
async def test_writing_creates_the_file(play: Play, work: Path) -> None:
    """The Client MUST create the file if it doesn't exist."""
    old = work / "old.sh"
    old.write_text("old")
    old.chmod(0o755)
    new = work / "a" / "b" / "new.txt"
    script = asking(
        write(new, "größe\n"),
        read(new, "größe\n"),
        write(old, "new"),
        write(work, "x", INVALID),
        write("relative.txt", "x", INVALID),
    )
    async with play(script) as host:
        await host.turn()
    assert new.read_text("utf-8") == "größe\n"
    assert (old.read_text(), old.stat().st_mode & 0o777) == ("new", 0o755)
    assert sorted(one.name for one in work.iterdir()) == ["a", "old.sh"]


@pytest.mark.check(21)
@pytest.mark.parametrize("way", ["absolute", "dots", "link"])
async def test_outside_the_session_a_person_is_asked(
    play: Play, work: Path, tmp_path: Path, way: str
) -> None:
    """Nothing outside the working directory is touched silently, whatever way leads there."""
    (work / "link").symlink_to(tmp_path)
    path = {"absolute": f"{tmp_path}/x", "dots": f"{work}/../x", "link": f"{work}/link/x"}[way]
    script = asking(write(path, "no", INTERNAL), write(path, "yes"))
    async with play(script) as host:
        await host.opened()
        host.prompt()
        for option, exists in (("reject_once", False), ("allow_once", True)):
            (permission,) = await host.permission()
            assert permission.access is not None
            assert permission.access.path == str(tmp_path.resolve() / "x")
            assert permission.access.content in ("no", "yes")
            host.do(AnswerPermission(permission.number, option))
            await host.until(lambda: not host.state.waiting_permissions())
            if not exists:
                assert not (tmp_path / "x").exists()
        await host.turn_ended()
    assert (tmp_path / "x").read_text() == "yes"


async def test_always_holds_for_the_folder_and_for_those_who_wait(
    play: Play, tmp_path: Path
) -> None:
    """An answer for the whole session settles what waits already, and what comes later."""
    script = Script().handshake().prompt()
    for name in ("a", "b"):
        params = {"sessionId": "s1", "path": f"{tmp_path}/{name}", "content": name}
        script.request("fs/write_text_file", params, save=name)
    script.expect_answer("a", result={}).expect_answer("b", result={})
    params = {"sessionId": "s1", "path": f"{tmp_path}/c", "content": "c"}
    script.request("fs/write_text_file", params, save="c").expect_answer("c", result={})
    params = {"sessionId": "s1", "path": f"{tmp_path}/a"}
    script.request("fs/read_text_file", params, save="r").expect_answer(
        "r", error={"code": INTERNAL}
    )
    async with play(script.end_turn()) as host:
        await host.opened()
        host.prompt()
        first, _ = await host.permission(2)
        host.do(AnswerPermission(first.number, "allow_always"))

        def asked_to_read() -> Permission | None:
            waiting = host.state.waiting_permissions()
            return next((one for one in waiting if one.access and one.access.content is None), None)

        await host.until(asked_to_read)
        (reading,) = host.state.waiting_permissions()
        host.do(AnswerPermission(reading.number, "reject_once"))
        await host.turn_ended()
    assert [(tmp_path / name).read_text() for name in "abc"] == ["a", "b", "c"]


@pytest.mark.parametrize("place", ["folder", "rule", "always"])
async def test_a_link_in_the_place_of_what_was_allowed_is_asked_about(
    play: Play, work: Path, tmp_path: Path, place: str
) -> None:
    """What is allowed is the folder that was there, not whatever has its name by now."""
    free, secrets = tmp_path / "free", tmp_path / "secrets"
    free.mkdir()
    secrets.mkdir()
    (work / "src").mkdir()
    swapped = {"folder": work, "rule": work / "src", "always": free}[place]
    calls = [write(free / "first", "x", INVALID)] if place == "always" else []
    script = asking(*calls, write(swapped / "key", "mine", INTERNAL))
    rules = (Rule(RuleAnswer.ALLOW, paths=("src/**",)),) if place == "rule" else ()
    async with play(script, rules=rules) as host:
        await host.opened()
        if place == "always":
            host.prompt()
            (permission,) = await host.permission()
        swapped.rename(tmp_path / "away")
        swapped.symlink_to(secrets)
        if place == "always":
            host.do(AnswerPermission(permission.number, "allow_always"))
        else:
            host.prompt()
        (permission,) = await host.permission()
        assert permission.access is not None
        assert permission.access.path == str(secrets.resolve() / "key")
        host.do(AnswerPermission(permission.number, "reject_once"))
        await host.turn_ended()
    assert not (secrets / "key").exists()


@pytest.mark.parametrize("agreed", [False, True])
async def test_where_a_kept_session_is_opens_no_folder_by_the_agent_s_word(
    play: Play, work: Path, tmp_path: Path, agreed: bool
) -> None:
    """What the agent lists is its own idea; a person has to let it work there."""
    (tmp_path / "key").write_text("secret")
    listed = {"sessions": [{"sessionId": "s1", "cwd": f"{work}/..", "title": "Fix the tests"}]}
    can = {"loadSession": True, "sessionCapabilities": {"list": {}}}
    script = Script().initialize({"agentCapabilities": can}).expect("session/list")
    script.reply("list", listed).expect("session/load").reply("load").prompt()
    script.request("fs/read_text_file", {"sessionId": "s1", "path": str(tmp_path / "key")})
    answer: dict[str, Any] = {"error": {"code": INTERNAL}}
    script.expect_answer(
        "read_text_file", **({"result": {"content": "secret"}} if agreed else answer)
    )
    async with play(script.end_turn(), opening=ListSessions()) as host:
        await host.until(lambda: host.state.catalogue.sessions)
        host.do(OpenSession("s1", folder=str(tmp_path.resolve()) if agreed else None))
        await host.opened()
        host.prompt()
        if not agreed:
            (permission,) = await host.permission()
            host.do(AnswerPermission(permission.number, "reject_once"))
        await host.turn_ended()


@pytest.mark.check(22)
async def test_an_unknown_session_has_no_files(play: Play, work: Path) -> None:
    """sessionId must be a session of this connection."""
    (work / "a.txt").write_text("secret")
    calls = (read(work / "a.txt", INVALID), write(work / "b.txt", "x", INVALID))
    async with play(asking(*calls, session_id="other")) as host:
        await host.opened()
        host.prompt()
        await host.turn_ended()
    assert not (work / "b.txt").exists()
