"""Scenes that are played once for all checks: a handshake, a turn, work with files, and a canceled
turn.
"""

import time

from acp_tui.check.bench import Bench, CheckScene, Take
from acp_tui.check.probe import Probe
from acp_tui.check.prompts import ModelAct
from acp_tui.check.verdicts import CheckVerdict, Skip, Why, failed
from acp_tui.client.files.folder_watch import LATE_COMPARISON_DELAY

CANCELLED_WITHIN = 15.0
"""Seconds within which a canceled turn must end."""
CROSSING = 0.05
"""Seconds after a cancellation within which the turn may have ended by itself: the two crossed on
the wire.
"""
GOING_ON = 1.0
"""Seconds that a turn runs before it is canceled, from the second attempt on."""
AFTERMATH = LATE_COMPARISON_DELAY + 1.0
"""Seconds to listen after a turn that was canceled, or had a rejected request: until its folder was
compared again.
"""
AFTERWARD = 0.3
"""Seconds to listen after the last response."""


async def _play_handshake(bench: Bench, take: Take) -> None:
    take.session = await bench.open_session(take.probe)
    await take.probe.listen(AFTERWARD)


async def _play_turn(bench: Bench, take: Take) -> None:
    take.session = await bench.open_session(take.probe)
    take.turns.append(await bench.prompt(take.probe, take.session, ModelAct.SAY))
    take.acted.add(ModelAct.SAY)
    await take.probe.listen(AFTERWARD)


async def _play_work(bench: Bench, take: Take) -> None:
    """Prompt for file access and commands, and allow everything: the folder is deleted afterward."""
    take.probe.permission = "allow_once"
    take.session = await bench.open_session(take.probe)
    for act in WORK.acts:
        try:
            take.turns.append(await bench.act(take.probe, take.session, act))
            take.acted.add(act)
        except Skip as skip:
            take.ended = skip
            if skip.why is Why.BLOCKED:
                break  # the turn is still running, so no other can start
    await take.probe.listen(AFTERWARD)


async def _play_cancel(bench: Bench, take: Take) -> None:
    """Cancel a turn once the agent sends its first message; try again if the turn ended first.

    A turn that ends right after the cancellation may have ended by itself: the two crossed on the
    wire. So the next one runs for a while before it is canceled.
    """
    probe = take.probe
    take.session = await bench.open_session(probe)
    for number in range(bench.stage.prompts.tries):
        turn = bench.send_prompt(probe, take.session, ModelAct.SLOW)
        speaks = await bench.wait_for_message(probe, turn)
        if (number and await bench.end_within(probe, turn, within=GOING_ON)) or not speaks:
            continue
        probe.notify("session/cancel", {"sessionId": take.session})
        turn.cancel = probe.messages[-1].number
        began = time.monotonic()
        await bench.wait_for_end(probe, turn, within=CANCELLED_WITHIN)
        crossed = turn.stop_reason == "end_turn" and time.monotonic() - began < CROSSING
        if number or not crossed:
            take.turns.append(turn)
            await probe.listen(AFTERMATH)
            return
    raise Skip(Why.NOT_ACTED, "each turn ended before it could be canceled")


HANDSHAKE = CheckScene("handshake", _play_handshake)
TURN = CheckScene("turn", _play_turn, (ModelAct.SAY,))
WORK = CheckScene("work", _play_work, (ModelAct.WRITE, ModelAct.READ, ModelAct.SHELL))
CANCEL = CheckScene("cancel", _play_cancel, (ModelAct.SLOW,))
BARE = CheckScene("bare", _play_work, WORK.acts, offers=False)


async def blame_difference(bench: Bench, probe: Probe, skip: Skip, how: str) -> CheckVerdict:
    """Fail an agent that opens a session for an ordinary client, but not for this one.

    `how` describes the difference. Re-raises `skip` if an ordinary client gets no session either.
    """
    if skip.why is Why.SIGN_IN or not (await bench.play_scene(HANDSHAKE)).session:
        raise skip
    return failed(f"{skip.words}{how}", *bench.cite(probe).last_frames(2))
