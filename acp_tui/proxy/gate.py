"""A gate on the wire of a client and an agent: holds frames at breakpoints, injects faults.

Each frame is recorded before the gate acts on it. All other frames pass a held one. A frame that is
passed on later, or changed, is recorded again as a new frame.
"""

from collections import deque
from collections.abc import Callable, Iterable
from typing import NamedTuple

from acp_tui.client.connection.transport import Wire
from acp_tui.debug.faults import Fate, FaultPlan
from acp_tui.debug.filters.predicates import Breakpoints
from acp_tui.debug.log import LiveRows
from acp_tui.debug.rows import LogRow
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.frames import UNMARKED, Direction, Frame, FrameMark, Line, Origin
from acp_tui.protocol.gate_events import FaultInjected, FrameDelayed, FrameHeld, FrameReleased
from acp_tui.protocol.jsonrpc import Failure, Message, Request, Response

SWAP = 1.0
"""Seconds that a swapped frame waits at most for the next frame, which goes first."""
REMEMBERED = 1000
"""Most released frames whose fate is remembered."""
_OTHER = {Direction.IN: Direction.OUT, Direction.OUT: Direction.IN}


class _Stopped(NamedTuple):
    """A frame that the gate stopped."""

    number: int
    direction: Direction
    line: Line


class _Lane:
    """The delayed frames of one direction: later frames wait behind them. `swap` is a frame that
    waits for the next one to go first.
    """

    def __init__(self) -> None:
        self.due = 0.0
        self.waiting: deque[tuple[float, _Stopped, Fate]] = deque()
        self.swap: tuple[_Stopped, Fate] | None = None


class FrameGate:
    """The gate of one connection. `waiting` lists the requests that were pending when it was
    installed.
    """

    def __init__(
        self,
        wire: Wire,
        clock: Callable[[], float],
        breakpoints: Breakpoints,
        plan: FaultPlan,
        waiting: Iterable[Frame] = (),
    ) -> None:
        self.breakpoints = breakpoints
        self.plan = plan
        self._wire = wire
        self._clock = clock
        self._rows = LiveRows(waiting)
        self._held: dict[int, _Stopped] = {}
        self._clocks: dict[int, int] = {}
        """How often each held frame's delay was set or cleared, to ignore outdated timers."""
        self._fates: dict[int, str] = {}
        """The fates of recently released frames, by frame number."""
        self._delayed: dict[int, tuple[_Stopped, Fate]] = {}
        self._lanes = {side: _Lane() for side in Direction}

    def feed(self, direction: Direction, line: Line, message: Message | None = None) -> None:
        """Handle the next frame from one side; never waits."""
        frame = Frame(direction, line.raw, self._clock(), 0, line.flaw, line.size)
        row = self._rows.row(frame)
        held_by = None if line.flaw else self.breakpoints.matching(row)
        if held_by is not None:
            self._hold_frame(direction, line, message, row, held_by)
            return
        fate = None
        if line.flaw is None:
            in_pieces = direction in self._wire.in_pieces
            fate = self.plan.decide(row, line.raw, in_turn=self._rows.in_turn, in_pieces=in_pieces)
        self._forward(direction, line, message, row, fate or Fate([line.raw]))

    def close(self) -> None:
        """Record the held frames as left when the connection ends; none of them is passed on."""
        for number in list(self._held):
            self._end_hold(number, "left")

    # Faults

    def _forward(
        self,
        direction: Direction,
        line: Line,
        message: Message | None,
        row: LogRow,
        fate: Fate,
    ) -> None:
        lane, now = self._lanes[direction], self._clock()
        stopped = bool(lane.waiting) or fate.is_stopped(line.raw)
        mark = FrameMark(stopped=Origin.FAULT) if stopped else UNMARKED
        session, about = row.session, row.kind or row.method
        number = self._wire.record(direction, line, message, mark)
        if not stopped:
            self._wire.pass_on(direction, line.raw, fate.cuts)
        at = self._clock()
        for fault, kind, words in fate.injections:
            self._wire.emit(
                FaultInjected(
                    at=at,
                    frame=number,
                    direction=direction,
                    fault=fault,
                    kind=kind,
                    words=words,
                    session_id=session,
                    about=about,
                )
            )
        found = _Stopped(number, direction, line)
        if stopped:
            self._schedule(found, fate, lane, now)
        else:
            self._pass_lines(found, fate.lines[1:], Origin.FAULT)
        if fate.stall:
            self._wire.stall(direction, fate.stall)
        if fate.kill:
            self._wire.kill()
        if lane.swap is not None and lane.swap[0].number != number and not lane.waiting:
            self._swap(lane)

    def _schedule(self, found: _Stopped, fate: Fate, lane: _Lane, now: float) -> None:
        """Schedule when a stopped frame is passed on."""
        if fate.seconds and not fate.in_order:
            self._delayed[found.number] = found, fate
            self._wire.after(fate.seconds, lambda: self._arrive(found.number))
        elif fate.swapped and lane.swap is None and not lane.waiting:
            lane.swap = found, fate
            self._wire.after(SWAP, lambda: self._swap(lane, found.number))
        elif fate.seconds or lane.waiting:
            lane.due = max(lane.due, now + fate.seconds)
            lane.waiting.append((lane.due, found, fate))
            self._wire.after(lane.due - now, lambda: self._serve_lane(lane))
        else:
            self._pass_frame(found, fate)

    def _serve_lane(self, lane: _Lane) -> None:
        """Pass on a lane's due frames, in order."""
        now = self._clock()
        while lane.waiting and lane.waiting[0][0] <= now:
            _, found, fate = lane.waiting.popleft()
            self._pass_frame(found, fate)
        if lane.waiting:
            self._wire.after(lane.waiting[0][0] - now, lambda: self._serve_lane(lane))

    def _swap(self, lane: _Lane, number: int | None = None) -> None:
        """Pass on the swapped frame, after the next frame or a timeout."""
        if lane.swap is not None and number in (None, lane.swap[0].number):
            (found, fate), lane.swap = lane.swap, None
            self._pass_frame(found, fate)

    def _arrive(self, number: int) -> None:
        """Pass on a delayed frame, unless it was passed on already."""
        if number in self._delayed:
            self._pass_frame(*self._delayed.pop(number))

    def _pass_frame(self, found: _Stopped, fate: Fate) -> None:
        self._pass_lines(found, fate.lines, Origin.FAULT, fate.cuts)
        names = ", ".join(one.fault for one in fate.injections)
        self._report_lost(found, fate.lines, f"by the fault {names}")

    # Breakpoints

    def _hold_frame(
        self, direction: Direction, line: Line, message: Message | None, row: LogRow, by: str
    ) -> None:
        name, is_answer, session = row.kind or row.method, row.is_answer, row.session
        mark = FrameMark(stopped=Origin.BREAKPOINT)
        number = self._wire.record(direction, line, message, mark)
        self._held[number] = _Stopped(number, direction, line)
        at = self._clock()
        self._wire.emit(FrameHeld(at, number, direction, name, by, is_answer, session))

    def release(self, number: int, lines: list[bytes] | None = None, times: int = 1) -> None:
        """Pass on a held frame `times` times, unchanged or replaced by `lines`."""
        held = self._held.get(number)
        if held is None:
            return
        raw = held.line.raw
        passed = ([raw] if lines is None else lines) * times
        done = "edited" if set(passed) != {raw} else "doubled" if len(passed) > 1 else "passed"
        self._end_hold(number, done)
        self._pass_lines(held, passed, Origin.BREAKPOINT)
        self._report_lost(held, passed, "at a breakpoint")

    def release_all(self, direction: Direction | None = None) -> None:
        """Pass on all held and delayed frames in order, of one direction if given."""
        for number, held in list(self._held.items()):
            if direction in (None, held.direction):
                self.release(number)
        for side, lane in self._lanes.items():
            while lane.waiting and direction in (None, side):
                _, found, fate = lane.waiting.popleft()
                self._pass_frame(found, fate)
            if direction in (None, side):
                self._swap(lane)
        for number, (found, _) in list(self._delayed.items()):
            if direction in (None, found.direction):
                self._arrive(number)

    def resume(self) -> None:
        """Pass on all held and delayed frames, and end all stalls."""
        self.release_all()
        for side in Direction:
            self._wire.stall(side, 0.0)

    def drop(self, number: int) -> None:
        """Drop a held frame."""
        held = self._held.get(number)
        if held is not None:
            self._end_hold(number, "dropped")
            self._report_lost(held, [], "at a breakpoint")

    def delay(self, number: int, seconds: float | None) -> None:
        """Set the delay after which a held frame is passed on; None cancels it."""
        if number not in self._held:
            return
        turn = self._clocks[number] = self._clocks.get(number, 0) + 1
        self._wire.emit(FrameDelayed(self._clock(), number, seconds))
        if seconds is not None:

            def expire() -> None:
                if self._clocks.get(number) == turn:  # otherwise the delay was changed meanwhile
                    self.release(number)

            self._wire.after(seconds, expire)

    def answer(self, number: int, raw: bytes) -> None:
        """Answer a held request instead of its recipient, which never gets it."""
        held = self._held.get(number)
        if held is None:
            return
        self._end_hold(number, "answered")
        back = _Stopped(number, _OTHER[held.direction], Line(raw, len(raw)))
        self._pass_lines(back, [raw], Origin.HAND)

    def fate_of(self, number: int) -> str | None:
        """Return the fate of a recently released frame; None if it is still held, or never was."""
        return self._fates.get(number)

    def _end_hold(self, number: int, done: str) -> None:
        del self._held[number]
        self._clocks.pop(number, None)
        self._fates[number] = done
        if len(self._fates) > REMEMBERED:
            del self._fates[next(iter(self._fates))]
        self._wire.emit(FrameReleased(self._clock(), number, done))

    # For faults and breakpoints

    def _pass_lines(
        self, found: _Stopped, lines: list[bytes], by: Origin, cuts: tuple[int, ...] = ()
    ) -> None:
        """Pass on lines in place of a frame."""
        for raw in lines:
            line = found.line if raw is found.line.raw else Line(raw, len(raw))
            self._wire.record(found.direction, line, None, FrameMark(by, found.number))
            self._wire.pass_on(found.direction, raw, cuts)
            cuts = ()

    def _report_lost(self, found: _Stopped, lines: list[bytes], why: str) -> None:
        """Report a request or response as lost if no replacement for it was passed on."""
        if found.line.raw in lines:
            return
        message = jsonrpc.parse(found.line.raw)
        if not isinstance(message, Request | Response | Failure):
            return
        kinds = Request if isinstance(message, Request) else Response | Failure
        passed = map(jsonrpc.parse, lines)
        if not any(isinstance(one, kinds) and one.id == message.id for one in passed):
            self._wire.lost(found.direction, message, why)
