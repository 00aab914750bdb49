"""What the tap adds to a frame: round trips through `cat`, with and without it between."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from statistics import quantiles
from tempfile import TemporaryDirectory

from benchmarks import sized

TRIPS = sized(2000, 20)
FRAME = b'{"jsonrpc":"2.0","method":"session/update","params":{"text":"' + b"x" * 200 + b'"}}\n'


def trips(argv: Sequence[str]) -> list[float]:
    """Send frames one after the other; return the seconds until each is back."""
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, stdin=pipe, stdout=pipe) as it:
        assert it.stdin is not None
        assert it.stdout is not None
        sink, source = it.stdin.fileno(), it.stdout.fileno()
        times = []
        for _ in range(TRIPS):
            began = time.perf_counter()
            os.write(sink, FRAME)
            left = len(FRAME)
            while left:
                left -= len(os.read(source, left))
            times.append(time.perf_counter() - began)
        it.stdin.close()
    return times[TRIPS // 10 :]


def main() -> None:
    """Print the table."""
    with TemporaryDirectory() as folder:
        tap = [sys.executable, "-m", "acp_tui", "tap", "--record", f"{folder}/it.jsonl", "--"]
        print(f"{'a round trip through':<24}{'p50':>10}{'p99':>10}")
        for name, argv in (("cat", ["cat"]), ("tap -- cat", [*tap, "cat"])) * 3:
            cuts = quantiles(trips(argv), n=100)
            print(f"{name:<24}{cuts[49] * 1e6:>7.0f} µs{cuts[98] * 1e6:>7.0f} µs")


if __name__ == "__main__":
    main()
