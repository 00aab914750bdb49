"""Lists: sessions that are listed, page by page, and deleted"""

from typing import Any
from uuid import uuid4

from acp_tui.check.bench import Bench
from acp_tui.check.checks.history import have_plain_turn, no_result, said_before
from acp_tui.check.messages import Heard, Json
from acp_tui.check.model import (
    USUAL,
    Check,
    CheckVerdict,
    Sentence,
    Skip,
    Tier,
    Why,
    failed,
    passed,
    warned,
)
from acp_tui.check.probe import Probe, require_capability
from acp_tui.check.prompts import ModelAct

_LIST = "Session List"
_DELETE = "Session Delete"
_MOST_PAGES = 20


async def _list(bench: Bench) -> CheckVerdict:
    async with bench.agent() as probe:
        await bench.initialize(probe)
        require_capability(probe, "sessionCapabilities", "list")
        session = await bench.open_session(probe)
        await have_plain_turn(bench, probe, session)
        here = await probe.call("session/list", {"cwd": probe.cwd})
        listed = await _all_listed(probe, probe.cwd)
        nowhere = await probe.call("session/list", {"cwd": f"{probe.cwd}/not-there"})
        bogus = await probe.call("session/list", {"cwd": probe.cwd, "cursor": "no-such-cursor"})
    for answer, words in ((here, "here"), (nowhere, "in a folder without sessions")):
        if answer is None or not isinstance(answer.result.get("sessions"), list):
            number = probe.messages[-1].number if answer is None else answer.number
            return failed(f"session/list {words} is answered without an array of sessions", number)
    assert here is not None
    assert nowhere is not None
    infos = _infos(here)
    if any(not str(one.get("cwd", "")).startswith("/") for one in infos):
        return failed("the cwd of a session is not absolute", here.number)
    if _infos(nowhere):
        return failed("sessions are listed for a folder without any", nowhere.number)
    if session not in listed:
        return warned("the session that was just prompted isn't listed", here.number)
    if bogus is not None and bogus.error is None:
        return warned("an invalid cursor is answered with a result", bogus.number)
    return passed("", here.number, nowhere.number)


def _infos(answer: Heard | None) -> list[Json]:
    sessions = None if answer is None else answer.result.get("sessions")
    return [one for one in sessions or () if isinstance(one, dict)]


async def _all_listed(probe: Probe, folder: str) -> list[Any]:
    """Return the ids of the sessions of a folder, on all pages of the list."""
    found: list[Any] = []
    cursor: Json = {}
    for _ in range(_MOST_PAGES):
        answer = await probe.call("session/list", {"cwd": folder, **cursor})
        found += [one.get("sessionId") for one in _infos(answer)]
        if answer is None or answer.result.get("nextCursor") is None:
            break
        cursor = {"cursor": answer.result["nextCursor"]}
    return found


async def _pages(bench: Bench) -> CheckVerdict:
    async with bench.agent() as probe:
        await bench.initialize(probe)
        require_capability(probe, "sessionCapabilities", "list")
        for _ in range(3):
            await bench.open_session(probe)
        seen: list[str] = []
        frames: list[int] = []
        cursor: Json = {}
        for _ in range(_MOST_PAGES):
            answer = await probe.call("session/list", {"cwd": probe.cwd, **cursor})
            frames.append(probe.messages[-1].number if answer is None else answer.number)
            if answer is None or answer.error is not None:
                return failed(f"page {len(frames)} got no result", *frames[-2:])
            seen += [str(one.get("sessionId")) for one in _infos(answer)]
            if answer.result.get("nextCursor") is None:
                break
            cursor = {"cursor": answer.result["nextCursor"]}
        else:
            return failed(f"after {_MOST_PAGES} pages there are still more", *frames[-2:])
    if len(frames) == 1:
        raise Skip(Why.NOT_OFFERED, "all sessions are on one page")
    if len(seen) != len(set(seen)):
        return failed("a session is on two pages", *frames[:3])
    return passed("", *frames[:3])


async def _judge_delete(bench: Bench) -> CheckVerdict:
    # In a process that didn't open it: "Behavior for deleting an active session is
    # implementation-defined."
    session, folder = await said_before(bench, "sessionCapabilities", "delete")
    async with bench.agent() as probe:
        await bench.sign_in(probe)
        was_listed = session in await _all_listed(probe, folder)
        deleted = await probe.call("session/delete", {"sessionId": session})
        sent = probe.messages[-1].number
        if (wrong := no_result("session/delete", probe, deleted, sent)) is not None:
            return wrong
        if session in await _all_listed(probe, folder):
            return failed("the deleted session is still listed", sent, probe.messages[-1].number)
        unknown = await probe.call("session/delete", {"sessionId": str(uuid4())})
    if unknown is None or unknown.error is not None:
        how = "no answer" if unknown is None else f"the error {unknown.code}"
        number = sent if unknown is None else unknown.number
        return warned(f"deleting a session that never was got {how}", number)
    return passed("" if was_listed else "it was not listed before", sent, unknown.number)


CHECKS = (
    Check(
        "A23",
        "session/list lists sessions, by folder",
        Tier.CAPABILITY,
        (
            Sentence(
                "The Agent MUST respond with a list of sessions and optional pagination metadata",
                _LIST,
            ),
            Sentence("Working directory for the session. Always an absolute path.", _LIST),
            Sentence(
                "When no sessions match the criteria, the Agent MUST return an empty sessions array.",
                _LIST,
            ),
            Sentence("Agents SHOULD return an error if the cursor is invalid", _LIST),
        ),
        "answer with an array, an empty one if no session has that cwd",
        _list,
        profiles=USUAL,
        acts=(ModelAct.SAY,),
        tck="ACP-LIST-001, ACP-LIST-002",
        second=(
            Sentence(
                "The working directory for this session. Must be an absolute path.",
                "Schema, SessionInfo",
                "2",
            ),
            Sentence(
                "Only sessions whose cwd is this same directory match.",
                "Schema, ListSessionsRequest",
                "2",
            ),
        ),
    ),
    Check(
        "A24",
        "a deleted session is no longer listed, and can be deleted again",
        Tier.CAPABILITY,
        (
            Sentence("Deleted sessions no longer appear in future session/list results.", _DELETE),
            Sentence(
                "Deleting an already-deleted session, or a session that never existed, SHOULD "
                "succeed silently.",
                _DELETE,
            ),
        ),
        "forget the session, and answer {} even if there is none with that id",
        _judge_delete,
        profiles=USUAL,
        acts=(ModelAct.SAY,),
        tck="ACP-DELETE-001, ACP-DELETE-002",
        second=(
            Sentence(
                "Supplying {} means the agent supports deleting sessions from session/list.",
                "Schema, SessionCapabilities",
                "2",
            ),
        ),
    ),
    Check(
        "A43",
        "a list of several pages ends, and has each session once",
        Tier.CAPABILITY,
        (
            Sentence(
                "Opaque cursor token. If present, pass this in the next request's cursor parameter "
                "to fetch the next page. If absent, there are no more results.",
                _LIST,
            ),
        ),
        "start the page of a cursor after the last session of the previous page",
        _pages,
    ),
)
