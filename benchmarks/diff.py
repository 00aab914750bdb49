"""What a diff costs to be shown: ours, difflib's comparison alone, and textual-diff-view.

Run `python -m benchmarks.diff`. textual-diff-view and difflib get 60 seconds; textual-diff-view is
left out where it isn't installed (`pip install textual-diff-view`).
"""

import asyncio
import difflib
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from time import perf_counter, process_time

from acp_tui.protocol.content import Diff
from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.diff.diff_lines import DiffLines
from benchmarks import sized

SIZES = sized([200, 2_000, 50_000], [20])
WIDTH, SCREEN = 100, 40
BUDGET = 0.008
PATIENCE = 60
PALETTE = Palette.from_variables({})

Texts = tuple[str, str]


def scattered(changed: int) -> Texts:
    """A file in which every third line is changed in one word."""
    old = [f"    value_{n} = compute(value_{n - 1}, {n}) + offset" for n in range(3 * changed)]
    new = [line.replace("compute", "derive") if n % 3 == 0 else line for n, line in enumerate(old)]
    return "\n".join(old) + "\n", "\n".join(new) + "\n"


def rewritten(changed: int) -> Texts:
    """A file in which all lines are others."""
    old = "".join(f"    value_{n} = compute(value_{n - 1})\n" for n in range(changed))
    return old, "".join(f"    result[{n}] = derived[{n + 1}] * 2\n" for n in range(changed))


def repeated(changed: int) -> Texts:
    """Lines of which there are few, over and over, in another order."""
    old = "".join(f"    case {7 * n % 11}:\n" for n in range(changed))
    return old, "".join(f"    case {5 * n % 13}:\n" for n in range(changed))


SHAPES: dict[str, Callable[[int], Texts]] = {
    "scattered": scattered,
    "rewritten": rewritten,
    "repeated": repeated,
}


def ours(old: str, new: str) -> Iterator[str]:
    """Lay out and draw the first screen."""
    start, worst, slices = perf_counter(), 0.0, 0
    lines = DiffLines(Diff(path="/src/module.py", old_text=old, new_text=new))
    begun = perf_counter() - start
    done = False
    while not done:
        at = perf_counter()
        done = lines.lay_out(WIDTH, at + BUDGET)
        worst, slices = max(worst, perf_counter() - at), slices + 1
    at = perf_counter()
    for y in range(min(SCREEN, lines.height)):
        lines.strip(y, PALETTE)
    drawn = perf_counter() - at
    yield f"start {begun * 1000:.0f} ms, worst of {slices} slices {worst * 1000:.0f} ms, "
    yield f"first screen {drawn * 1000:.0f} ms, {lines.height:,} lines"


def sequence_matcher(old: str, new: str) -> Iterator[str]:
    """Compare with difflib, as it is, in one go."""
    matcher = difflib.SequenceMatcher(None, old.splitlines(), new.splitlines())
    yield f"{len(matcher.get_opcodes()):,} blocks"


def diff_view(old: str, new: str) -> Iterator[str]:
    """Show in a textual-diff-view, the only widget of an app."""
    from textual.app import App, ComposeResult
    from textual_diff_view import DiffView

    class Shown(App[None]):
        def compose(self) -> ComposeResult:
            yield DiffView("/src/module.py", "/src/module.py", old, new, split=False)

    async def show() -> None:
        app = Shown()
        async with app.run_test(size=(WIDTH, SCREEN)) as pilot:
            await pilot.pause()

    asyncio.run(show())
    yield "first screen of an app that has nothing else"


WAYS = {"ours": ours, "difflib": sequence_matcher, "textual-diff-view": diff_view}


def measure(way: str, shape: str, changed: int) -> None:
    """Measure one way in this process, and print it."""
    old, new = SHAPES[shape](changed)
    start = process_time()
    remark = "".join(WAYS[way](old, new))
    cpu = process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{cpu:8.3f} s CPU {memory:5} MiB  {remark}")


def installed() -> list[str]:
    """The ways that can be measured here; says what is left out."""
    if find_spec("textual_diff_view") is not None:
        return list(WAYS)
    print("textual-diff-view is left out: it isn't installed (pip install textual-diff-view)")
    return [way for way in WAYS if way != "textual-diff-view"]


def main() -> None:
    """Measure all, each in a process of its own."""
    ways = installed()
    for shape in SHAPES:
        for changed in SIZES:
            for way in ways:
                print(f"{shape:10} {changed:6,} changed lines  {way:18}", end="", flush=True)
                argv = [sys.executable, "-m", "benchmarks.diff", way, shape, str(changed)]
                try:
                    done = subprocess.run(
                        argv, check=False, timeout=PATIENCE, stderr=subprocess.PIPE
                    )
                except subprocess.TimeoutExpired:
                    print(f"  not done after {PATIENCE} s")
                    continue
                if done.returncode:
                    print(f"  failed: {done.stderr.decode().splitlines()[-1]}")


if __name__ == "__main__":
    if len(sys.argv) == 4:
        measure(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    else:
        main()
