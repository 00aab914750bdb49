"""Runs the benchmarks, one after the other; in their smallest form also those that take long."""

from benchmarks import (
    attach,
    bulk,
    diff,
    files,
    giants,
    inspector,
    log,
    markdown,
    opening,
    sized,
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
    opening,
    tap,
    transports,
    attach,
    *sized([], [bulk, files, log]),
):
    print(f"\n== {benchmark.__name__.removeprefix('benchmarks.')}\n", flush=True)
    benchmark.main()
