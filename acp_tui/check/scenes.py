"""Scenes that several checks judge, played once: ordinary sessions, and a canceled turn."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from acp_tui.check.messages import CheckTurn
from acp_tui.check.probe import Probe
from acp_tui.check.prompts import ModelAct
from acp_tui.check.verdicts import Skip, Why

if TYPE_CHECKING:
    from acp_tui.check.bench import Bench


@dataclass
class Take:
    """A scene after it was played. `ended` is the reason if it broke off."""

    probe: Probe
    session: str = ""
    turns: list[CheckTurn] = field(default_factory=list)
    acted: set[ModelAct] = field(default_factory=set)
    """What the model did of what it was asked for."""
    ended: Skip | None = None


@dataclass(frozen=True, slots=True)
class CheckScene:
    """Something to play with an agent process of its own, at most with these `acts` of the model."""

    name: str
    play: "Callable[[Bench, Take], Awaitable[None]]"
    acts: tuple[ModelAct, ...] = ()
    offers: bool = True
    """Whether files and terminals are offered to the agent."""


async def _handshake(bench: "Bench", take: Take) -> None:
    take.session = await bench.open_session(take.probe)
    await take.probe.listen(AFTERWARD)


async def _turn(bench: "Bench", take: Take) -> None:
    take.session = await bench.open_session(take.probe)
    take.turns.append(await bench.prompt(take.probe, take.session, ModelAct.SAY))
    take.acted.add(ModelAct.SAY)
    await take.probe.listen(AFTERWARD)


async def _work(bench: "Bench", take: Take) -> None:
    """Have files written and commands run, and allow it all: it is a throw-away folder."""
    take.probe.permission = "allow_once"
    take.session = await bench.open_session(take.probe)
    for act in WORK.acts:
        try:
            take.turns.append(await bench.act(take.probe, take.session, act))
            take.acted.add(act)
        except Skip as skip:
            take.ended = skip
            if skip.why is Why.BLOCKED:
                break  # the session has a turn that runs on
    await take.probe.listen(AFTERWARD)


async def _cancel(bench: "Bench", take: Take) -> None:
    """Cancel a turn while the agent speaks; try again if it was over before.

    An end that comes at once may have crossed the cancellation: the next turn is canceled when it has
    gone on for a while.
    """
    probe = take.probe
    take.session = await bench.open_session(probe)
    for number in range(bench.stage.prompts.tries):
        turn = bench.begin(probe, take.session, ModelAct.SLOW)
        speaks = await bench.speaks(probe, turn)
        if (number and await bench.over(probe, turn, within=GOING_ON)) or not speaks:
            continue
        probe.notify("session/cancel", {"sessionId": take.session})
        turn.cancel = probe.messages[-1].number
        began = time.monotonic()
        await bench.end(probe, turn, within=CANCELLED_WITHIN)
        crossed = turn.stop_reason == "end_turn" and time.monotonic() - began < CROSSING
        if number or not crossed:
            take.turns.append(turn)
            await probe.listen(AFTERMATH)
            return
    raise Skip(Why.NOT_ACTED, "each turn ended before it could be canceled")


CANCELLED_WITHIN = 15.0
"""Seconds within which a canceled turn has to end."""
CROSSING = 0.05
"""Seconds within which the end of a turn may have crossed its cancellation."""
GOING_ON = 1.0
"""Seconds after which a turn is canceled that might have ended by itself at once."""
AFTERMATH = 4.0
"""Seconds that an agent is heard after a turn that was canceled, or in which something was rejected."""
AFTERWARD = 0.3
"""Seconds that an agent is still heard after its last answer."""
HANDSHAKE = CheckScene("handshake", _handshake)
TURN = CheckScene("turn", _turn, (ModelAct.SAY,))
WORK = CheckScene("work", _work, (ModelAct.WRITE, ModelAct.READ, ModelAct.SHELL))
CANCEL = CheckScene("cancel", _cancel, (ModelAct.SLOW,))
BARE = CheckScene("bare", _work, WORK.acts, offers=False)
