"""What the speed claims rest on. Each module prints a table; `make bench` runs most, `make smoke` each of
them in its smallest form.
"""

import os
from typing import TypeVar

IS_SMALLEST = "BENCHMARKS_SMALLEST" in os.environ
Size = TypeVar("Size")


def sized(whole: Size, smallest: Size) -> Size:
    """Return what a benchmark is run with. The smallest form measures nothing: it shows that the
    benchmark still runs.
    """
    return smallest if IS_SMALLEST else whole
