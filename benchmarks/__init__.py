"""What the speed claims rest on. Each module prints a table; `python -m benchmarks` runs all."""
