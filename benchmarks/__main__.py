"""Runs every benchmark, one after the other."""

from benchmarks import diff, giants, inspector, markdown, startup, stream, wire

for benchmark in (startup, stream, giants, markdown, diff, wire, inspector):
    print(f"\n== {benchmark.__name__.removeprefix('benchmarks.')}\n", flush=True)
    benchmark.main()
