"""Runs every benchmark, one after the other."""

from benchmarks import (
    attach,
    diff,
    giants,
    inspector,
    markdown,
    startup,
    stream,
    tap,
    transports,
    wire,
)
from benchmarks import bytes as bytes_written

for benchmark in (
    startup,
    stream,
    bytes_written,
    giants,
    markdown,
    diff,
    wire,
    inspector,
    tap,
    transports,
    attach,
):
    print(f"\n== {benchmark.__name__.removeprefix('benchmarks.')}\n", flush=True)
    benchmark.main()
