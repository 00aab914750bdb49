"""How soon a question and the inspector are on the screen of a long session.

A session of 2,000 entries at 80x24, in a process of its own. "message to question": from the bytes
of the agent's request to the frame that shows it. "key to inspector": from F12 to the frame that shows
its rows. Each in CPU time, and in time as a person sees it; the first, and the median of those after
it. A frame takes 16 ms.
"""

import gc
import json
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

from benchmarks import sized
from benchmarks.giants import SCREEN, Running, _line, _said

ENTRIES = sized(2_000, 20)
TIMES = sized(15, 2)
PATIENCE = 60.0
"""Seconds until what should be drawn counts as missing."""
IDLE = 0.05
"""Seconds of CPU in 0.2 s, at most, of an app that draws nothing but a turn's clock."""
CALL = {
    "toolCallId": "c",
    "title": "Run the tests",
    "kind": "execute",
    "rawInput": {"command": "make"},
}
OPTIONS = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]


class Stopwatch:
    """Measures until a frame that shows something was drawn."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._display = app._display
        self._looked = [0.0, 0.0]
        self._is_shown: Callable[[], bool] = lambda: False
        app._display = self._see

    def _see(self, *frame: Any) -> None:
        self._display(*frame)
        drawn = _now()
        if self._is_shown():
            self._end = drawn
            self._is_shown = lambda: False
            self._done.set()
            return
        self._looked = [sum(both) for both in zip(self._looked, _since(drawn), strict=True)]

    async def measure(
        self, begin: Callable[[], object], is_shown: Callable[[], bool]
    ) -> list[float]:
        """Return the seconds of CPU, and of a person's time, from `begin` to the frame."""
        import anyio

        self._done = anyio.Event()
        self._looked, began = [0.0, 0.0], _now()
        self._is_shown = is_shown
        begin()
        with anyio.fail_after(PATIENCE):
            await self._done.wait()
        # What looking at earlier frames cost is not the app's.
        return [
            end - before - looked
            for before, end, looked in zip(began, self._end, self._looked, strict=True)
        ]


def _now() -> tuple[float, float]:
    return time.process_time(), time.perf_counter()


def _since(before: tuple[float, float]) -> list[float]:
    return [after - earlier for earlier, after in zip(before, _now(), strict=True)]


async def rest() -> None:
    """Wait until nothing is left to be done: the log is read by all rules meanwhile."""
    import anyio

    worked = IDLE + 1.0
    while worked > IDLE:
        began = time.process_time()
        await anyio.sleep(0.2)
        worked = time.process_time() - began


async def measure() -> dict[str, list[list[float]]]:
    """Return how long the questions and the inspector took."""
    from textual.events import Key

    from acp_tui.recordings.records import PackedLog
    from acp_tui.ui.inspector.screen import InspectorScreen

    running = Running(PackedLog())
    running.begin()
    app = running.app
    async with app.run_test(size=SCREEN) as pilot:
        for number in range(ENTRIES // 2):
            running.prompt()
            running.feed(_said(f"answer {number}, with *some* words", 40, f"m{number}"))
            running.answer({"stopReason": "end_turn"})
        running.prompt()
        await rest()
        gc.freeze()
        watch = Stopwatch(app)
        found: dict[str, list[list[float]]] = {"message to question": [], "key to inspector": []}

        def shows(text: str) -> bool:
            rows = app.screen._compositor.render_strips()
            return any(text in row.text for row in rows)

        def ask() -> None:
            call = {**CALL, "toolCallId": f"c{len(found['message to question'])}"}
            params = {"sessionId": "s", "toolCall": call, "options": OPTIONS}
            request = f"q{len(found['message to question'])}"
            running.feed(_line(id=request, method="session/request_permission", params=params))

        for _ in range(TIMES):
            found["message to question"].append(
                await watch.measure(ask, lambda: shows("Run the tests") and shows("Reject"))
            )
            request = f"q{len(found['message to question']) - 1}"
            running.send(_line(id=request, result={"outcome": {"outcome": "cancelled"}}))
            await rest()
            assert not shows("Reject"), "the next one would be behind this question"
        for _ in range(TIMES):
            found["key to inspector"].append(
                await watch.measure(
                    partial(app.post_message, Key("f12", None)),
                    lambda: isinstance(app.screen, InspectorScreen) and shows("→ session/prompt"),
                )
            )
            await pilot.press("f12")
            await rest()
    return found


def main() -> None:
    """Measure and print."""
    argv = [sys.executable, "-m", "benchmarks.opening", "measure"]
    found = json.loads(subprocess.run(argv, stdout=subprocess.PIPE, check=True).stdout)
    print(f"{ENTRIES:,} entries, 80x24; median of {TIMES - 1} after the first")
    print(f"{'ms':22}{'first, CPU':>12}{'first, seen':>13}{'later, CPU':>12}{'later, seen':>13}")
    for what, times in found.items():
        first, *later = [[1000 * each for each in one] for one in times]
        cpu, seen = (median(column) for column in zip(*later, strict=True))
        print(f"{what:22}{first[0]:>12.0f}{first[1]:>13.0f}{cpu:>12.0f}{seen:>13.0f}")


if __name__ == "__main__":
    if sys.argv[1:] == ["measure"]:
        import anyio

        print(json.dumps(anyio.run(measure)))
    else:
        main()
