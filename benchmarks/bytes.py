"""What the program writes to its terminal, which for many is at the other end of a slow line.

On a pty of 120x40. "a key": bytes that follow one typed key, the median of many; "beside": of these
without the text of cells that look otherwise than before, of which blanks are none, the median and
the most; "CPU": of the program, in ms. Some keys change much of what is shown: the first of a prompt
takes the place of an invitation, a filter that nothing passes takes all rows away. "then": what follows
when keys rest, the matches of a search or the frame under the cursor in full; on a busy machine a part
of it may be told of the key. A key is to take 100 bytes beside the text, at most; what follows, and what
opens and closes something, takes as many as it changes places and colors: some 7 for a place, 18 for a
color, twice that on another ground. Text that the terminal itself moves is none that is written.

"key to screen": from the moment a letter is written to the pty, to the one at which it has been read from
there: it waits for what the event loop is at with four tabs that stream at once, is parsed, goes through
the app, and is drawn, compared and written; a terminal and a line add their own. On a line of 100 kbit/s
there is one tab, and the bytes that are before it on the line count. Then the CPU of the program
meanwhile, and the longest steps of its event loop. On a busy machine all but CPU and bytes is the
machine's: `chrt -f 1 python -m benchmarks.bytes tabs` has root go first. So, on two cores with a load of
10, half of the keys take 4.4 ms and nine of ten 8.9, as good as all of it CPU; 16 and 33 are allowed.
The frames of a stream: what is written beside the text itself.
"""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from acp_tui.ui.toolkit.notes import SECONDS
from benchmarks import sized
from benchmarks.text import chunks
from benchmarks.window import Window, window

AGENT = [sys.executable, str(Path(__file__).with_name("streaming_agent.py"))]
ARGUMENTS = ["--no-record", "--", *AGENT]
ACP_TUI = [sys.executable, "-m", "acp_tui", *ARGUMENTS]
SLICED = [sys.executable, "-m", "benchmarks.slices"]
LONGEST = 5
CHUNKS = sized(315, 20)
TEXT = len("".join(chunks(CHUNKS)).encode())
"""12.6 kB of Markdown, in whole."""
SLOW = 100_000 / 8
"""Bytes a second of a line of 100 kbit/s."""
NEVER_STREAMED = "αβγδεζηθικλμνξοπρστυφχψωбгджзийлпфцчшщъыьэюя"
"""Letters that only a key can bring to the screen."""
READY = "○ ready"
BREATH = 0.015
"""Seconds of silence after what a key writes at once."""


def main() -> None:
    """Measure and print."""
    print("bytes on a terminal of 120x40")
    for name in sized(["keys", "stream", "tabs", "slow"], ["review", "stream"]):
        MEASURES[name]()


def keys() -> None:
    """What a key costs, wherever it is typed."""
    with window(ACP_TUI) as it:
        it.wait_for(READY)
        it.rest(1.0)
        _say("an idle second", it.watch(3.0) / 3)
        _say_keys("a key, empty prompt", it, "a\x7f" * 10)
        _say_keys("a key, prompt", it, "some words to be typed")
        it.type(" and more words" * 30)
        it.rest()
        _say_keys("a key, prompt of eight lines", it, "some words to be typed")
        it.type("\x15" * 12)
        it.rest()
        _prompt(it, f"stream {CHUNKS} 2")
        it.rest(1.0)
        _say("an idle second, after a stream", it.watch(3.0) / 3)
        _say_keys("a key, after a stream", it, "some words to be typed")
        it.type("\x15")
        it.rest()
        _say_keys("a key, to the transcript and back: Tab", it, ["\t", "\t"] * 3)
        _say_keys("a key, search: opened", it, ["\x1b/"])
        _say_keys("a key, search", it, "answer")
        _say_keys("a key, search: closed", it, ["\x1b"])
        _say_keys("a key, help: opened", it, ["\x1bOP"])
        _say_keys("a key, help: a line on", it, ["\x1b[B"] * 5)
        _say_keys("a key, help: closed", it, ["\x1b"])
        it.type("\x1b[24~")
        it.rest(SECONDS + 1.0)  # a word in the last row goes by itself
        _say_keys("a key, inspector: a row on", it, ["\x1b[A", "\x1b[B"] * 5)
        _say_keys("a key, inspector: Tab", it, ["\t", "\t"] * 3)
        it.type("\t")
        it.rest()
        _say_keys("a key, inspector: a line on", it, ["\x1b[B", "\x1b[A"] * 5)
        it.type("/")
        it.rest()
        _say_keys("a key, inspector: search in a frame", it, "text")
        it.type("\r")
        it.rest()
        _say_keys("a key, inspector: n, the next match", it, ["n"] * 5)
        it.type("\t")
        it.rest()
        it.type("/")
        it.rest()
        _say_keys("a key, inspector: the filter", it, "kind:x")
        for key in ("\x1b", "\x1b", "c"):
            it.type(key)
            it.rest()
        _say_keys("a key, composer: a method", it, "terminal")
        _say_keys("a key, composer: a letter taken back", it, ["\x7f"] * 8)
        for key in ("\x1b", "\x1b[F", "w"):
            it.type(key)
            it.rest()
        _say_keys("a key, waterfall: a bar on", it, ["\x1b[B", "\x1b[A"] * 5)
        for key in ("\x1b", "\x1b[24~", "\x1b[24;2~"):
            it.type(key)
            it.rest()
        it.rest(SECONDS + 1.0)
        it.type("\t")
        it.rest()
        _say_keys("a key, frames beside: a row on", it, ["\x1b[A", "\x1b[B"] * 5)
    review()
    with window(ACP_TUI) as it:
        it.wait_for(READY)
        it.rest(1.0)
        _prompt(it, "ask")
        it.wait_for("asks for permission")
        it.watch(1.5)  # a clock goes on: it never rests
        _say_keys("a key, dialog", it, ["\x1b[B", "\x1b[A"] * 5)


def review() -> None:
    """What a key costs in the review."""
    with window(ACP_TUI) as it:
        it.wait_for(READY)
        it.rest(1.0)
        _prompt(it, "edit")
        it.rest(1.0)
        it.type("\x1b[18~")
        it.rest(1.0)
        _say_keys("a key, review: another file", it, ["\x1b[B", "\x1b[A"] * 3)
        _say_keys("a key, review: Tab", it, ["\t", "\t"] * 3)
        it.type("\t")
        it.rest()
        _say_keys("a key, review: a line on", it, ["\x1b[B"] * 9)
        _say_keys("a key, review: a line more", it, ["J"] * 5)
        _say_keys("a key, review: a line less", it, ["K"] * 5)
        it.type("\x1b")
        it.rest()
        _say_keys("a key, review: the next change", it, ["n"] * 5)


def stream() -> None:
    """What 12.6 kB of Markdown cost, at the pace of a fast model."""
    with window(ACP_TUI) as it:
        it.wait_for(READY)
        it.rest(1.0)
        before, cpu = it.written, it.cpu
        _prompt(it, f"stream {CHUNKS} 10")
        frames = _frames(it)
        total = it.written - before
        _say("a stream of 12.6 kB, kB", total / 1000)
        _say("a chunk of 40 characters", total / CHUNKS)
        _say("a frame beside the text", (total - TEXT) / frames)
        _say("frames", frames)
        _say("CPU seconds of the stream", it.cpu - cpu)


def four_tabs() -> None:
    """How soon a key shows while four sessions stream at once, and what else the loop does."""
    with TemporaryDirectory() as folder:
        slices = Path(folder, "slices")
        with window([*SLICED, str(slices), *ARGUMENTS]) as it:
            it.wait_for(READY)
            it.rest(1.0)
            for tab in range(4):
                if tab:
                    it.type("\x14")
                    it.rest(1.0)
                _prompt(it, "stream 1500 10")
                it.watch(0.3)
            cpu, began = it.cpu, time.perf_counter()
            _latencies("four tabs stream", it)
            ended = time.perf_counter()
            _say("CPU share meanwhile, %", 100 * (it.cpu - cpu) / (ended - began))
        steps = [line.split(" ", 2) for line in slices.read_text(encoding="utf-8").splitlines()]
    steps = [step for step in steps if began < float(step[0]) < ended]
    for _, spent, whose in sorted(steps, key=lambda step: -float(step[1]))[:LONGEST]:
        _say(f"a step of {whose}"[:39], float(spent))


def slow_line() -> None:
    """How soon a key shows on a slow line, while a session streams."""
    for where, answers in (("a line of 100 kbit/s", True), ("that never answers", False)):
        with window(ACP_TUI, rate=SLOW, answers=answers) as it:
            it.wait_for(READY)
            it.rest(1.0)
            _prompt(it, "stream 1500 10")
            it.watch(2.0)
            _latencies(where, it)


def _say(what: str, figure: float) -> None:
    print(f"{what:40}{figure:10.1f}", flush=True)


def _prompt(it: Window, words: str) -> None:
    it.type(words)
    it.watch(0.3)
    it.type("\r")


def _say_keys(what: str, it: Window, keys: str | list[str]) -> None:
    """Tell what each key writes, how much of that is beside the text, and its CPU."""
    eyes, cpu = Eyes(it), it.cpu
    at_once, then = Costs(), Costs()
    for key in keys:
        it.type(key)
        at_once.add(it.watch_first(BREATH), eyes)
        then.add(it.rest(0.2), eyes)
    spent = 1000 * (it.cpu - cpu) / len(keys)
    print(f"{what:40}{at_once}; CPU {spent:5.1f} ms", flush=True)
    if any(then.all):
        print(f"{'    then':40}{then}", flush=True)


class Costs:
    """What keys write: all, and beside the text."""

    def __init__(self) -> None:
        self.all: list[int] = []
        self._beside: list[int] = []

    def add(self, written: int, eyes: "Eyes") -> None:
        """Count what was written since the last time."""
        self.all.append(written)
        self._beside.append(max(0, written - eyes.new_text()))

    def __str__(self) -> str:
        median, beside = statistics.median(self.all), statistics.median(self._beside)
        return f"{median:10.1f}{beside:8.1f} beside, at most {max(self._beside):6.0f}"


class Eyes:
    """Sees what is new on the screen of a window."""

    def __init__(self, it: Window) -> None:
        self._it = it
        self._cells = it.cells

    def new_text(self) -> int:
        """The bytes of the text in cells that look otherwise than the last time."""
        before, self._cells = self._cells, self._it.cells
        pairs = zip(before, self._cells, strict=True)
        return sum(len(new.data.strip().encode()) for old, new in pairs if new != old)


def _frames(it: Window) -> int:
    """Read a stream to its end; in how many pieces it came."""
    count = 0
    while it.read(1.0):
        count += 1
        while it.read(0.005):
            pass
    return count


def _latencies(where: str, it: Window) -> None:
    waits, spent = [], []
    for letter in NEVER_STREAMED:
        it.watch(0.07)
        cpu = it.cpu
        waits.append(it.wait_for_letter(letter) * 1000)
        spent.append((it.cpu - cpu) * 1000)
    for what, found in (("key to screen", waits), ("its CPU", spent)):
        tenths = statistics.quantiles(found, n=10)
        _say(f"{where}: {what}, p50 ms", tenths[4])
        _say(f"{where}: {what}, p90 ms", tenths[8])


MEASURES: dict[str, Callable[[], None]] = {
    "keys": keys,
    "review": review,
    "stream": stream,
    "tabs": four_tabs,
    "slow": slow_line,
}

if __name__ == "__main__":
    for name in sys.argv[1:] or MEASURES:
        MEASURES[name]()
