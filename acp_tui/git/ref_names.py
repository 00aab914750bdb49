"""Lists the names of refs without opening them: others write there, too.

Git itself would read a loose ref, whatever it is: it blocks on a pipe, and reads an endless file.
"""

import os
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from acp_tui.git.safe_open import open_file

MOST = 20_000
"""Names that are listed: an agent could make any number of them."""
_DEEPEST = 8
"""Folders in a name; a deeper one is listed as its folder."""
_LONGEST = 8192
"""Bytes of a packed-refs line that are read at once."""
_PACKED = 64_000_000
"""Bytes of packed refs that are read."""


def ref_names(common: Path, prefix: str) -> list[str]:
    """Return the names below a prefix that ends with a slash; none for a repository with reftables."""
    loose = _loose(common / prefix, prefix)
    return [*islice(dict.fromkeys([*islice(loose, MOST), *_packed(common, prefix)]), MOST)]


def _loose(folder: Path, prefix: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as found:
            for one in found:
                is_folder = one.is_dir(follow_symlinks=False)
                if is_folder and prefix.count("/") < _DEEPEST:
                    yield from _loose(folder / one.name, f"{prefix}{one.name}/")
                elif not one.name.endswith(".lock"):
                    yield prefix + one.name
    except OSError:
        return


def _packed(common: Path, prefix: str) -> Iterator[str]:
    begin = f" {prefix}".encode()
    try:
        descriptor = open_file(common / "packed-refs")
    except OSError:
        return
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return
        while file.tell() < _PACKED and (line := file.readline(_LONGEST)):
            at = line.find(begin)
            if at in (40, 64):
                yield line[at + 1 :].rstrip(b"\n").decode("utf-8", "surrogateescape")
