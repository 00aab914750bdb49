"""Unstable: options before a session, and cursors"""

from acp_tui.check.bench import USUAL as USUAL_OFFER
from acp_tui.check.bench import Bench
from acp_tui.check.checks.settings import options_of, possible_changes
from acp_tui.check.model import BEYOND, Check, CheckVerdict, Skip, Tier, Why, failed, passed
from acp_tui.check.probe import require_capability
from acp_tui.check.prompts import ModelAct
from acp_tui.check.scenes import AFTERWARD

_UNKNOWN = "_acp_tui_check"
"""The id of an option that no agent offers."""


async def _options_before(bench: Bench) -> CheckVerdict:
    async with bench.agent() as probe:
        await bench.sign_in(probe)
        require_capability(probe, "sessionCapabilities", "options")
        answer = await probe.call("session/options", {"cwd": probe.cwd})
        if answer is None:
            return failed(probe.silent_about("session/options"), *probe.last_frames(1))
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
    Check(
        "A63",
        "session/options opens no session, and a session begins with the values that it lists",
        Tier.HEURISTIC,
        (),
        "answer with the options of a new session; set those of session/new, and ignore unknown ones",
        _options_before,
        profiles=BEYOND,
    ),
    Check(
        "A64",
        "the first update of a cursor has its anchor, and none changes that",
        Tier.HEURISTIC,
        (),
        "send anchor with the first cursor_update of a cursorId, later only its capabilities",
        _anchored,
        profiles=BEYOND,
        acts=(ModelAct.SAY,),
    ),
)
