"""Tools: plans, tool calls, diffs, and forms"""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from acp_tui.check.bench import USUAL as OFFER
from acp_tui.check.bench import Bench, Take
from acp_tui.check.checks.turns import judge_acceptance
from acp_tui.check.messages import CheckTurn, Json, NumberedMessage
from acp_tui.check.model import BEYOND, USUAL, check
from acp_tui.check.probe import Answer, Probe, need_files
from acp_tui.check.prompts import ModelAct
from acp_tui.check.scenes import CANCEL, WORK, blame_difference
from acp_tui.check.verdicts import CheckOutcome, CheckVerdict, Skip, Why, failed, passed, warned
from acp_tui.debug.lint.tool_calls import UNFINISHED
from acp_tui.protocol.findings import Finding
from acp_tui.protocol.json_parts import object_at, objects_at, text_at
from acp_tui.protocol.jsonrpc import Error
from acp_tui.protocol.kinds import TOOL_CALL_UPDATES

_SEVERAL = 3
"""With this many different entries, a plan has several steps; two may be one step that was
reworded.
"""
_TO_ALL = ", with a client that offers everything"
_ASKING = {**OFFER, "elicitation": {"form": {}, "url": {}}}
_EVERYTHING = {
    **_ASKING,
    "session": {"configOptions": {"boolean": {}}, "notices": {}, "compaction": {}},
    "auth": {"terminal": True},
}


async def _whole_plans(bench: Bench) -> CheckVerdict:
    async with bench.session() as (probe, session):
        turn = await bench.act(probe, session, ModelAct.PLAN)
        plans = probe.updates("plan", "plan_update")
        if not plans:
            raise Skip(Why.NOT_OFFERED, "the agent sends no plan")
        for finding in probe.findings("plan-shrinks"):
            return warned(finding.message, plans[0].number, probe.frame(finding))
        sent = [_contents(one.update) for one in plans]
        steps = set().union(*sent)
        if len(steps) >= _SEVERAL and max(map(len, sent)) == 1:
            words = f"perhaps: {len(steps)} entries were sent, but never two in one update"
            return warned(words, plans[0].number, plans[-1].number)
        return passed("", turn.prompt, plans[-1].number)


def _contents(update: Json) -> set[str]:
    """Return the entries' texts in a plan update of either version."""
    entries = (object_at(update, "plan") or update).get("entries")
    return {text_at(one, "content") for one in objects_at(entries)}


async def _calls(bench: Bench) -> CheckVerdict:
    take = await bench.play_scene(WORK)
    if not take.acted:
        raise take.ended or Skip(Why.NOT_ACTED)
    if not take.probe.updates(*TOOL_CALL_UPDATES):
        raise Skip(Why.NOT_OFFERED, "the agent tells of no tool calls")
    rules = ("tool-call-id-reuse", "update-before-create", "tool-call-unfinished")
    for finding in take.probe.findings(*rules):
        return failed(finding.message, *_frames_of_call(take, finding))
    calls = take.probe.updates(*TOOL_CALL_UPDATES)
    return passed("", calls[0].number, calls[-1].number)


def _frames_of_call(take: Take, finding: Finding) -> tuple[int, ...]:
    """Return the frames that a finding's words refer to.

    These are the first and the last that name its tool call, and the end of the turn if the call
    isn't finished by then; otherwise the frame that is wrong.
    """
    frame = take.probe.frame(finding)
    ends = (one.answer.number for one in take.turns if one.answer is not None)
    last = frame
    if finding.rule.id == UNFINISHED.id:
        last = next((number for number in ends if number > frame), frame)
    updates = take.probe.updates(*TOOL_CALL_UPDATES)
    id = next((one.update.get("toolCallId") for one in updates if one.number == frame), None)
    named = [
        one.number for one in updates if one.number < last and one.update.get("toolCallId") == id
    ]
    return tuple(dict.fromkeys((*named[:1], *named[-1:], last)))


async def _asks_by_form(bench: Bench) -> CheckVerdict:
    frames: list[int] = []
    for action in ("decline", "cancel"):
        async with bench.session(_ASKING) as (probe, session):
            probe.answers["elicitation/create"] = _always({"action": action})
            turn = await bench.act(probe, session, ModelAct.ASK)
            asked = [one.number for one in turn.messages if one.method == "elicitation/create"]
            if not asked:
                raise Skip(Why.NOT_OFFERED, "the agent asks in another way, or not at all")
            for finding in probe.findings("schema", "schema-salvaged"):
                if probe.frame(finding) in asked:
                    return failed(finding.message, probe.frame(finding))
            verdict = judge_acceptance(turn, f", after the answer {action}")
            if verdict.outcome is CheckOutcome.FAIL:
                return verdict
            frames = asked
    return passed("", frames[0])


def _always(answer: Json | Error) -> Answer:
    return lambda _: answer


async def _shows_written(bench: Bench) -> CheckVerdict:
    async with bench.session() as (probe, session):
        probe.permission = "allow_once"
        turn = await bench.act(probe, session, ModelAct.WRITE)
        return _judge_written(probe, turn)


def _judge_written(probe: Probe, turn: CheckTurn) -> CheckVerdict:
    """Compare the diffs of the last completed edit of each file with the file."""
    shown: dict[PurePosixPath, tuple[str, int]] = {}
    for update in probe.updates(*TOOL_CALL_UPDATES):
        shown |= {path: (text, update.number) for path, text in _completed_edits(update, probe.cwd)}
    if not shown:
        raise Skip(Why.NOT_OFFERED, "the agent shows no diff of a completed edit")
    need_files(probe)
    for path, (text, number) in shown.items():
        written = Path(probe.folder, path.relative_to(probe.cwd))
        if not written.is_file():
            return failed(f"an edit completed, and there is no {path.name}", turn.prompt, number)
        # a diff may show only a part of the file
        if _plain(text) not in _plain(written.read_bytes().decode("utf-8", "replace")):
            words = f"an edit completed, and {path.name} is not as its diff shows it"
            return failed(words, turn.prompt, number)
    return passed("", turn.prompt, *(number for _, number in shown.values()))


def _plain(text: str) -> str:
    """Return a text without differences in line endings and outer whitespace."""
    return text.replace("\r\n", "\n").strip()


def _completed_edits(update: NumberedMessage, folder: str) -> Iterator[tuple[PurePosixPath, str]]:
    """Yield the path and the new text of each diff in a completed tool call, for files in the
    folder.
    """
    if update.update.get("status") != "completed":
        return
    for diff in objects_at(update.update, "content"):
        if text := text_at(diff, "newText"):
            path = PurePosixPath(str(diff.get("path", "")))
            if path.is_relative_to(folder):
                yield path, text


async def _accepts_everything(bench: Bench) -> CheckVerdict:
    async with bench.agent(_EVERYTHING) as probe:
        try:
            session = await bench.open_session(probe)
        except Skip as skip:
            return await blame_difference(bench, probe, skip, _TO_ALL)
        turn = await bench.prompt(probe, session, ModelAct.SAY)
        if (verdict := judge_acceptance(turn, _TO_ALL)).outcome is CheckOutcome.FAIL:
            return verdict
        for notice in probe.updates("notice"):
            if not notice.update.get("title"):
                return failed("a notice has no title", notice.number)
        return passed("", *verdict.frames)


async def _withdrawals(bench: Bench) -> CheckVerdict:
    found = 0
    for take in await bench.play_scenes((WORK, CANCEL)):
        probe = bench.cite(take.probe)
        for one in probe.called("$/cancel_request"):
            found = one.number
            if not _is_own_request(probe, one):
                id = one.params.get("requestId")
                return failed(f"it withdraws a request that it never made: {id!r}", found)
    if not found:
        raise Skip(Why.NOT_OFFERED, "the agent withdraws no requests")
    return passed("", found)


def _is_own_request(probe: Probe, cancel: NumberedMessage) -> bool:
    """Return whether a `$/cancel_request` names an earlier request of the agent's."""
    id = cancel.params.get("requestId")
    earlier = (one for one in probe.agent_messages if one.number < cancel.number and one.method)
    return any("id" in one.body and one.body["id"] == id for one in earlier)


CHECKS = (
    check("A29", _whole_plans, profiles=USUAL, acts=(ModelAct.PLAN,)),
    check("A34", _calls, profiles=USUAL, scenes=(WORK,)),
    check("A46", _asks_by_form, profiles=USUAL, acts=(ModelAct.ASK, ModelAct.ASK)),
    check("A50", _shows_written, profiles=USUAL, acts=(ModelAct.WRITE,)),
    check("A51", _accepts_everything, profiles=USUAL, acts=(ModelAct.SAY,)),
    check("A52", _withdrawals, profiles=BEYOND, scenes=(WORK, CANCEL)),
)
