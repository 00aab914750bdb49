"""Settings: modes, config options, and unadvertised updates"""

from collections.abc import Iterator
from typing import Any

from acp_tui.check.bench import USUAL as USUAL_OFFER
from acp_tui.check.bench import Bench
from acp_tui.check.messages import Json, NumberedMessage
from acp_tui.check.model import BEYOND, check
from acp_tui.check.probe import Probe, require_capability
from acp_tui.check.prompts import ModelAct
from acp_tui.check.scenes import AFTERWARD, HANDSHAKE, TURN
from acp_tui.check.verdicts import CheckVerdict, Skip, Why, failed, passed
from acp_tui.protocol.json_parts import objects_at

_ADVERTISED = ("notice", "compaction_update", "compaction_summary_chunk")
_GATED = (
    *("plan_update", "plan_removed", "subagent_update", "session_message"),
    *("prompt_suggestions_update", "cursor_update"),
)
_SETTLING = 0.3
"""Seconds to wait for an update that follows a changed setting."""


async def _defaults(bench: Bench) -> CheckVerdict:
    async with bench.session() as (probe, session):
        answer = _opened(probe)
        modes, options = answer.result.get("modes"), options_of(answer)
        if not isinstance(modes, dict) and not options:
            raise Skip(Why.NOT_OFFERED, "the session has no modes and no options")
        for option in options:
            if not _is_valid(option):
                words = f"{option.get('currentValue')!r} is no value of {option.get('id')!r}"
                return failed(words, answer.number)
        if isinstance(modes, dict):
            return await _switched(probe, session, modes, answer.number)
    return passed("", answer.number)


async def _switched(probe: Probe, session: str, modes: Json, opened: int) -> CheckVerdict:
    """Judge the modes of a session, switching to another one and back."""
    ids = [one.get("id") for one in objects_at(modes, "availableModes")]
    current = modes.get("currentModeId")
    if current not in ids:
        return failed(f"the current mode {current!r} is not in availableModes", opened)
    for mode in [*[one for one in ids if one != current][:1], current]:
        request = probe.start("session/set_mode", {"sessionId": session, "modeId": mode})
        sent = probe.messages[-1].number
        answer = await probe.answer(request)
        if answer is None or answer.error is not None:
            how = "no answer" if answer is None else f"the error {answer.code}"
            return failed(f"set_mode to the listed {mode!r} got {how}", opened, sent)
        await probe.listen(_SETTLING)
    for update in probe.updates("current_mode_update"):
        # An example in the documentation has `modeId` where the schema has `currentModeId`.
        name = "modeId" if "currentModeId" not in update.update else "currentModeId"
        mode = update.update.get(name)
        if mode not in ids:
            listed_ids = ", ".join(map(repr, ids))
            words = f"an update has the {name} {mode!r}, which is none of {listed_ids}"
            return failed(words, opened, update.number)
    return passed("", opened)


async def _complete(bench: Bench) -> CheckVerdict:
    async with bench.session() as (probe, session):
        opened = _opened(probe)
        options = options_of(opened)
        changed = next(possible_changes(options), None)
        if changed is None:
            raise Skip(Why.NOT_OFFERED, "the session has no option with two values")
        id, before, value = changed
        answer, sent = await _set_option(probe, session, id, value)
        if answer is None or answer.error is not None:
            how = "no answer" if answer is None else f"the error {answer.code}"
            return failed(f"setting {id!r} to the listed {value!r} got {how}", opened.number, sent)
        now = {one.get("id"): one.get("currentValue") for one in options_of(answer)}
        frames = (opened.number, answer.number)
        if id not in now or now[id] != value:
            words = f"{id!r} was set to {value!r}, and is said to be {now.get(id)!r}"
            return failed(words, *frames)
        # An option may disappear when another is set. One that can still be set must not be left
        # out.
        for other in [one for one in options if one.get("id") not in now]:
            left, sent = await _set_option(
                probe, session, other.get("id"), other.get("currentValue")
            )
            if left is not None and left.error is None:
                words = f"the response leaves out {other.get('id')!r}, which can still be set"
                return failed(words, *frames, sent, left.number)
        await _set_option(probe, session, id, before)
    removed = [str(one.get("id")) for one in options if one.get("id") not in now]
    return passed(
        f"without {', '.join(removed)}, which can't be set anymore" if removed else "", *frames
    )


async def _set_option(
    probe: Probe, session: str, id: Any, value: Any
) -> tuple[NumberedMessage | None, int]:
    """Set an option; return the response, and the number of the request's frame."""
    params = {"sessionId": session, "configId": id, "value": value}
    request = probe.start("session/set_config_option", params)
    sent = probe.messages[-1].number
    return await probe.answer(request), sent


def _opened(probe: Probe) -> NumberedMessage:
    """Return the response that opened the session."""
    return next(one for one in probe.agent_messages if "sessionId" in one.result)


def options_of(answer: NumberedMessage) -> list[Json]:
    """Return the config options in a response, with version 1's field names."""
    listed = objects_at(answer.result, "configOptions")
    return [{"id": one["configId"], **one} if "configId" in one else one for one in listed]


def _is_valid(option: Json) -> bool:
    value = option.get("currentValue")
    if option.get("type") == "boolean":
        return isinstance(value, bool)
    return option.get("type") != "select" or value in _values(option)


def _values(option: Json) -> list[Any]:
    """Return the values of a select option, including those in groups."""
    found: list[Any] = []
    for one in objects_at(option, "options"):
        members = objects_at(one, "options") if isinstance(one.get("options"), list) else [one]
        found += [each.get("value") for each in members]
    return found


def possible_changes(options: list[Json]) -> Iterator[tuple[Any, Any, Any]]:
    """Yield the id, the current value and another value of each select option that has another."""
    for option in options:
        before = option.get("currentValue")
        others = [one for one in _values(option) if one != before]
        if option.get("type") == "select" and others:
            yield option.get("id"), before, others[0]


async def _only_advertised(bench: Bench) -> CheckVerdict:
    for take in await bench.play_scenes((HANDSHAKE, TURN)):
        probe = bench.cite(take.probe)
        for finding in probe.findings("unadvertised") if probe.version == 2 else ():
            return failed(finding.message, probe.frame(finding))
        for one in probe.agent_messages if probe.version == 1 else ():
            words = _unoffered_content(one)
            if words:
                return failed(f"{words}, though the client doesn't offer to take that", one.number)
    return passed("", *probe.last_frames(1))


def _unoffered_content(message: NumberedMessage) -> str:
    """Describe what a message contains that only some clients accept, or return ""."""
    if message.kind in (*_ADVERTISED, *_GATED):
        return f"it sends {message.kind}"
    for shown in (message.result, message.update):
        for option in objects_at(shown, "configOptions"):
            if option.get("type") == "boolean":
                return f"the option {option.get('id')!r} is a boolean"
    for method in objects_at(message.result, "authMethods"):
        if method.get("type") == "terminal":
            return f"the sign-in {method.get('id')!r} wants a terminal"
    return ""


_UNKNOWN = "_acp_tui_check"
"""An option id that no agent offers."""


async def _options_before(bench: Bench) -> CheckVerdict:
    async with bench.agent() as probe:
        await bench.sign_in(probe)
        require_capability(probe, "sessionCapabilities", "options")
        answer = await probe.call("session/options", {"cwd": probe.cwd})
        if answer is None:
            return failed(probe.missing_answer("session/options"), *probe.last_frames(1))
        if answer.error is not None:
            return failed(f"session/options got the error {answer.code}", answer.number)
        await probe.listen(AFTERWARD)
        if updates := probe.updates():
            words = f"{updates[0].kind}, though session/options opens no session"
            return failed(words, answer.number, updates[0].number)
        changed = next(possible_changes(options_of(answer)), None)
        if changed is None:
            return passed("it lists no option with two values", answer.number)
        id, _, value = changed
        values = [{"configId": id, "value": value}, {"configId": _UNKNOWN, "value": "any"}]
        params = {"cwd": probe.cwd, "mcpServers": [], "configOptions": values}
        opened = await probe.call("session/new", params)
        if opened is None or opened.error is not None:
            how = "no answer" if opened is None else f"the error {opened.code}"
            return failed(f"session/new with initial values got {how}", *probe.last_frames(2))
        now = {one.get("id"): one.get("currentValue") for one in options_of(opened)}
        if now.get(id) != value:
            words = f"{id!r} was to begin with {value!r}, and is {now.get(id)!r}"
            return failed(words, answer.number, opened.number)
        return passed("", answer.number, opened.number)


async def _anchored(bench: Bench) -> CheckVerdict:
    async with bench.agent({**USUAL_OFFER, "session": {"cursors": {}}}) as probe:
        session = await bench.open_session(probe)
        await bench.prompt(probe, session, ModelAct.SAY)
        await probe.listen(AFTERWARD)
        cursors = probe.updates("cursor_update")
        if not cursors:
            raise Skip(Why.NOT_ACTED, "no cursor was sent: the agent may have none")
        for finding in probe.findings("cursor-anchor"):
            return failed(finding.message, probe.frame(finding))
    return passed("", cursors[0].number)


CHECKS = (
    check("A26", _defaults),
    check("A27", _complete),
    check("A28", _only_advertised, scenes=(HANDSHAKE, TURN)),
    check("A63", _options_before, profiles=BEYOND),
    check("A64", _anchored, profiles=BEYOND, acts=(ModelAct.SAY,)),
)
