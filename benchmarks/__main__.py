"""Runs every benchmark, one after the other."""

from benchmarks import diff, giants, markdown, startup, stream, wire

for benchmark in (startup, stream, giants, markdown, diff, wire):
    print(f"\n== {benchmark.__name__.removeprefix('benchmarks.')}\n", flush=True)
    benchmark.main()
