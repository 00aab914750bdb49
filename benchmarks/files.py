"""What listing the files of a folder for completion costs, and finding one by a few letters.

Run `python -m benchmarks.files`. Wall-clock seconds; the median of five runs.
"""

import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from acp_tui.workspace.files import FileIndex, scan_files
from benchmarks import sized

FOLDERS, FILES, RUNS = sized((1000, 100, 5), (50, 3, 1))
RULES = "*.log\nbuild/\n/dist\nnode_modules/\n*.pyc\n__pycache__/\n.venv/\n*.egg-info\n.cache\n"
QUERIES = ("v", "view", "pkg99/file_5", "mod3view", "zzz")


def median(work: Callable[[], object]) -> float:
    times = []
    for _ in range(RUNS):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return statistics.median(times)


def fill(root: Path) -> None:
    """A tree of 100,000 files, and rules that ignore none of them."""
    (root / ".gitignore").write_text(RULES)
    for number in range(FOLDERS):
        folder = root / f"mod{number % 50}" / f"pkg{number}"
        folder.mkdir(parents=True)
        for file in range(FILES):
            (folder / f"file_{file}_{('view', 'model', 'test')[file % 3]}.py").touch()


def main() -> None:
    """Print a table."""
    with tempfile.TemporaryDirectory() as folder:
        fill(Path(folder))
        print(f"scan of {FOLDERS * FILES:,} files: {median(lambda: scan_files(folder)):.3f} s")
        paths = scan_files(folder)
        for query in QUERIES:
            seconds = median(lambda query=query: FileIndex(paths).search(query))  # type: ignore[misc]
            print(f"search for {query!r}: {seconds:.3f} s")


if __name__ == "__main__":
    main()
