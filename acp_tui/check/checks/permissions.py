"""Permissions: the request, and what the agent does after the response"""

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from acp_tui.check.bench import Bench, end_of_turn
from acp_tui.check.messages import CheckTurn, NumberedMessage
from acp_tui.check.model import USUAL, check
from acp_tui.check.probe import Probe, need_files
from acp_tui.check.prompts import FILE, ModelAct
from acp_tui.check.scenes import AFTERMATH, CANCELLED_WITHIN
from acp_tui.check.verdicts import CheckVerdict, Skip, Why, failed, passed
from acp_tui.debug.lint.consent import (
    BEGUN_AFTER_CANCEL,
    COMPLETED_AFTER_CANCEL,
    DENIED_COMPLETED,
    DONE_BEFORE_WITHDRAWN,
    FIRST,
    NOT_APPROVED_RUNNING,
    REJECTED_RUNNING,
)
from acp_tui.debug.lint.turns import AFTER_CANCEL
from acp_tui.git.blocking_files import walk_folders
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.json_parts import object_at, objects_at, text_at, value_at
from acp_tui.protocol.kinds import TOOL_CALL_UPDATES

_ASK = "session/request_permission"
_KINDS = ("allow_once", "allow_always", "reject_once", "reject_always")


async def _rejected(bench: Bench) -> CheckVerdict:
    async with bench.session() as (probe, session):
        probe.permission = "reject_once"
        before, began = _read_folder(probe), time.time()
        turn = await bench.act(probe, session, ModelAct.WRITE)
        asked = _permission_requests(turn)
        for one in asked:
            if (words := _wrong_options(one)) is not None:
                return failed(words, one.number)
        if not any(_is_rejected(probe, one) for one in asked):
            raise Skip(Why.NOT_ACTED, "no option rejects what was asked for")
        frames = (turn.prompt, asked[0].number)
        if (verdict := await _without_consent(probe, frames)) is not None:
            return verdict
        need_files(probe)
        if name := _changed_file(probe, asked, before, began):
            words = f"{name} was changed though nothing was allowed"
            return failed(words, turn.prompt, asked[0].number)
        return passed("", turn.prompt, asked[0].number)


async def _without_consent(
    probe: Probe, frames: tuple[int, ...], *rules: str
) -> CheckVerdict | None:
    """Listen a little longer; return the failure if the agent did what was not allowed, or broke
    one of the `rules`.
    """
    await probe.listen(AFTERMATH)
    # These rely on a status, which proves neither that anything was done nor that nobody else
    # allowed it.
    uncertain = (
        *(REJECTED_RUNNING, NOT_APPROVED_RUNNING, BEGUN_AFTER_CANCEL, COMPLETED_AFTER_CANCEL),
        *(DENIED_COMPLETED, DONE_BEFORE_WITHDRAWN),
    )
    for finding in probe.findings(*(FIRST - {one.id for one in uncertain}), *rules):
        return failed(finding.message, *frames, probe.frame(finding))
    return None


def _read_folder(probe: Probe) -> dict[str, tuple[int, int]]:
    """Return the modification time and size of each file in the agent's folder, by relative path."""
    found = dict[str, tuple[int, int]]()
    for folder, _, files in walk_folders(probe.folder):
        for path in (Path(folder, name) for name in files):
            with suppress(OSError):  # it was deleted since
                facts = path.lstat()
                name = path.relative_to(probe.folder).as_posix()
                found[name] = facts.st_mtime_ns, facts.st_size
    return found


def _changed_file(
    probe: Probe,
    asked: Sequence[NumberedMessage],
    before: Mapping[str, tuple[int, int]],
    began: float,
) -> str:
    """Return the name of a file that changed in the agent's folder, or "".

    Of files elsewhere, only those that a request names count, if they changed since it `began`.

    Files in hidden folders may be the agent's own, unless a request names them. A file that is only
    named by a call without a permission request isn't the work of a rejected call.
    """
    after = _read_folder(probe)
    requested_text = _as_text(asked)
    ids = {_call_id(one.params.get("toolCall")) for one in asked}
    updates = probe.updates(*TOOL_CALL_UPDATES)
    other_updates = _as_text(
        [one for one in updates if _call_id(one.params.get("update")) not in ids]
    )
    for name in sorted({*before, *after}):
        if before.get(name) == after.get(name):
            continue
        last = name.rpartition("/")[2]
        is_hidden = any(part.startswith(".") for part in name.split("/")[:-1])
        if name == FILE or name in requested_text or not (is_hidden or last in other_updates):
            return name
    for path in filter(Path.is_absolute, _requested_paths(asked)):
        with suppress(OSError, ValueError):  # it is not there, or no path
            if path.lstat().st_ctime > began and not path.is_relative_to(probe.folder):
                return str(path)
    return ""


def _requested_paths(asked: Iterable[NumberedMessage]) -> Iterator[Path]:
    """Yield the paths of the files that permission requests name."""
    for one in asked:
        call = object_at(one.params, "toolCall")
        for place in (*objects_at(call, "content"), *objects_at(call, "locations")):
            if path := text_at(place, "path"):
                yield Path(path)


def _as_text(messages: Iterable[NumberedMessage]) -> str:
    return json.dumps([one.params for one in messages], ensure_ascii=False)


def _call_id(body: object) -> str:
    """Return the tool call id in an update or a permission request."""
    return str(body.get("toolCallId")) if isinstance(body, dict) else ""


def _permission_requests(turn: CheckTurn) -> list[NumberedMessage]:
    """Return the permission requests of a turn. Raises Skip if there are none."""
    asked = [one for one in turn.messages if one.method == _ASK]
    if not asked:
        raise Skip(Why.NOT_OFFERED, "the agent asks for no permission")
    return asked


def _wrong_options(request: NumberedMessage) -> str | None:
    """Describe what is wrong with the options of a permission request; None if they are valid."""
    options = objects_at(request.params, "options")
    ids = [one.get("optionId") for one in options]
    kinds = [one.get("kind") for one in options]
    if not options:
        return "there are no options to choose from"
    if len(ids) != len(set(map(str, ids))):
        return "two options have the same optionId"
    unknown = [kind for kind in kinds if kind not in _KINDS]
    return f"an option is of the kind {unknown[0]!r}" if unknown else None


def _is_rejected(probe: Probe, request: NumberedMessage) -> bool:
    """Return whether the client answered a request with an option that rejects."""
    id = request.body.get("id")
    ours = (one for one in probe.messages if one.direction is Direction.OUT and not one.method)
    answer = next(
        (one for one in ours if one.number > request.number and one.body.get("id") == id), None
    )
    chosen = None if answer is None else value_at(answer.result, "outcome", "optionId")
    return any(
        one.get("optionId") == chosen and str(one.get("kind")).startswith("reject")
        for one in objects_at(request.params, "options")
    )


async def _cancelled(bench: Bench) -> CheckVerdict:
    async with bench.session() as (probe, session):
        probe.answers[_ASK] = lambda _: None
        before, began = _read_folder(probe), time.time()
        turn = bench.send_prompt(probe, session, ModelAct.WRITE)
        await probe.until(lambda: probe.called(_ASK) or end_of_turn(probe, turn) is not None)
        asked = probe.called(_ASK)
        if not asked or end_of_turn(probe, turn) is not None:
            raise Skip(Why.NOT_OFFERED, "the agent asks for no permission")
        probe.notify("session/cancel", {"sessionId": session})
        turn.cancel = probe.messages[-1].number
        for one in asked:
            probe.reply(one, {"outcome": {"outcome": "cancelled"}})
        probe.answers[_ASK] = lambda _: {"outcome": {"outcome": "cancelled"}}
        await bench.wait_for_end(probe, turn, within=CANCELLED_WITHIN)
        frames = (turn.prompt, asked[0].number, turn.cancel)
        disobeyed = await _without_consent(probe, frames, AFTER_CANCEL.id)
        written = _changed_file(probe, asked, before, began)
    if disobeyed is not None:
        return disobeyed
    if turn.answer is None:
        return failed("the prompt got no answer", *frames)
    if turn.stop_reason != "cancelled":
        error = turn.answer.error is not None
        how = f"the error {turn.answer.code}" if error else repr(turn.stop_reason)
        return failed(f"the canceled turn ended with {how}", *frames, turn.answer.number)
    if written:
        return failed(f"{written} was changed though nobody allowed it", *frames)
    return passed("", *frames, turn.answer.number)


CHECKS = (
    check("A35", _rejected, profiles=USUAL, acts=(ModelAct.WRITE,), urgent=True),
    check("A53", _cancelled, profiles=USUAL, acts=(ModelAct.WRITE,), urgent=True),
)
