"""What streaming Markdown costs: CPU per chunk, the worst single layout, and memory.

Run `python -m benchmarks.markdown`, or with `giants` or `stream` for one part only.
"""

import statistics
import subprocess
import sys
from time import perf_counter, process_time, thread_time

from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.markdown.code import highlight_code
from acp_tui.ui.markdown.document import MarkdownDocument
from benchmarks import sized
from benchmarks.measuring import memory

WIDTH, SCREEN, CHUNK = 80, 40, 40
LOOK_EVERY = 50
BUDGET = 0.008
PALETTE = Palette.from_variables({})

MIXED = """## Step {n}: look at the parser

The function `parse_{n}` reads **one frame** at a time and *never* blocks; see [the guide](https://example.org/{n})
for the reasons. It was slow because every chunk was parsed again from the start of the text.

- first, cut the text at block boundaries
- then render what is finished, **once**
  - and the open tail again
- [x] measured on two cores

| case | before | after |
|:-----|-------:|------:|
| chunks {n} | 7.7 s | 0.1 s |
| memory | 340 MiB | 47 MiB |

```python
def parse_{n}(data: bytes) -> list[Frame]:
    frames = []
    for line in data.split(b"\\n"):
        frames.append(Frame(line))  # one at a time
    return frames
```

> Note: the numbers are from one machine.

"""


def mixed(size: int) -> str:
    """Mixed Markdown of a size in characters."""
    parts, length, n = [], 0, 0
    while length < size:
        parts.append(MIXED.format(n=n))
        length, n = length + len(parts[-1]), n + 1
    return "".join(parts)[:size]


def draw(document: MarkdownDocument) -> None:
    """Draw the last screen of lines."""
    height = document.height
    for y in range(max(0, height - SCREEN), height):
        document.strip(y, PALETTE)


def finish(document: MarkdownDocument) -> float:
    """Lay out what is left; the longest single layout in seconds."""
    document.finish()
    longest = 0.0
    while True:
        start = thread_time()
        done = document.lay_out(WIDTH, perf_counter() + BUDGET)
        longest = max(longest, thread_time() - start)
        if done:
            return longest


def stream(text: str, chunk: int = CHUNK) -> tuple[float, float, MarkdownDocument]:
    """Stream a text; CPU seconds, the longest layout or drawing of a screen (CPU), and the document."""
    highlight_code.cache_clear()
    document, longest, begun = MarkdownDocument(), 0.0, process_time()
    for count, at in enumerate(range(0, len(text), chunk), 1):
        document.append(text[at : at + chunk])
        if count % LOOK_EVERY == 0:
            start = thread_time()
            document.lay_out(WIDTH, perf_counter() + BUDGET)
            laid = thread_time()
            draw(document)
            longest = max(longest, laid - start, thread_time() - laid)
    longest = max(longest, finish(document))
    draw(document)
    return process_time() - begun, longest, document


def floor(text: str) -> float:
    """CPU seconds to render the whole text once."""
    highlight_code.cache_clear()
    begun, document = process_time(), MarkdownDocument(text)
    finish(document)
    for y in range(document.height):
        document.strip(y, PALETTE)
    return process_time() - begun


def giants() -> dict[str, str]:
    """Texts that are one huge block each."""
    return {
        "paragraph of 1 MB": "one unbroken *paragraph* of words " * 30_000,
        "line of 12 MB": "x" * 12_000_000,
        "fence of 50,000 lines": "```python\n"
        + "".join(f"value_{n} = compute({n}, 'text')  # note\n" for n in range(50_000)),
        "table of 5,000 rows": "| a | b | c |\n|---|--:|:-:|\n"
        + "".join(f"| row {n} | {n * n} | `code {n}` |\n" for n in range(5_000)),
        "list of 20,000 items": "".join(f"- item **{n}** of the list\n" for n in range(20_000)),
        "quote of 4 MB": "> quote of a line that was said\n" * 125_000,
        "brackets of 1 MB": "[" * 1_000_000,
        "stars of 1 MB": "*a **b " * 150_000,
        "nested quotes": "".join(">" * (n % 200) + " text\n" for n in range(5_000)),
    }


def one_stream(chunks: int) -> None:
    """Measure one length in this process and print its row."""
    text, before = mixed(chunks * CHUNK), memory()
    runs = [stream(text)[:2] for _ in range(5 if chunks <= 20_000 else 1)]
    base = statistics.median(floor(text) for _ in range(5 if chunks <= 20_000 else 1))
    cpu = statistics.median(run[0] for run in runs)
    longest = max(run[1] for run in runs)
    print(
        f"{chunks:>8,} chunks  {cpu / chunks * 1e6:7.1f} µs a chunk  {cpu / base:5.2f} x floor  "
        f"longest {longest * 1000:6.1f} ms  RSS {memory():6.0f} MiB (+{memory() - before:.0f})"
    )


def one_giant(name: str) -> None:
    """Measure one giant block in this process and print its row."""
    text, before = giants()[name], memory()
    cpu, longest, document = stream(text, max(CHUNK, len(text) // 20_000))
    start = thread_time()
    document.lay_out(WIDTH + 1, perf_counter())
    slice_ = thread_time() - start
    print(
        f"{name:<22} {cpu:6.2f} s CPU  {cpu / len(text) * 1e6:5.2f} s/MB  "
        f"longest {longest * 1000:6.1f} ms  resize slice {slice_ * 1000:5.1f} ms  "
        f"{document.height:>9,} lines  +{memory() - before:.0f} MiB for {len(text) / 2**20:.1f}"
    )


def main() -> None:
    """Run each case in a process of its own, so that memory is its own, too."""
    if len(sys.argv) == 3:
        kind, name = sys.argv[1:]
        one_stream(int(name)) if kind == "stream" else one_giant(name)
        return
    only = sys.argv[1] if len(sys.argv) > 1 else ""
    cases = [("stream", str(count)) for count in sized([2_000, 20_000, 100_000], [100])]
    cases += [("giants", name) for name in sized([*giants()], [])]
    for kind, name in cases:
        if only in ("", kind):
            subprocess.run([sys.executable, "-m", "benchmarks.markdown", kind, name], check=True)


if __name__ == "__main__":
    main()
