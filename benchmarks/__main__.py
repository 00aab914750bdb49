"""Runs every benchmark, one after the other."""

from benchmarks import bytes as bytes_written
from benchmarks import diff, giants, inspector, markdown, startup, stream, tap, wire

for benchmark in (startup, stream, bytes_written, giants, markdown, diff, wire, inspector, tap):
    print(f"\n== {benchmark.__name__.removeprefix('benchmarks.')}\n", flush=True)
    benchmark.main()
