"""Walks folders of any depth."""

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import AnyStr


def walk_folders(top: AnyStr) -> Iterator[tuple[AnyStr, list[AnyStr], list[AnyStr]]]:
    """Yield each folder with the names of its folders and files, as os.walk does.

    Before Python 3.12, os.walk calls itself for each level, and fails in folders that are nested deeply.
    """
    pending = [top]
    while pending:
        folder = pending.pop()
        folders: list[AnyStr] = []
        files: list[AnyStr] = []
        with suppress(OSError), os.scandir(folder) as found:
            for one in found:
                (folders if _is_folder(one) else files).append(one.name)
        yield folder, folders, files  # the caller may remove folders from the list
        paths = [os.path.join(folder, name) for name in reversed(folders)]  # noqa: PTH118
        pending += [path for path in paths if not os.path.islink(path)]  # noqa: PTH114


def _is_folder(one: "os.DirEntry[AnyStr]") -> bool:
    try:
        return one.is_dir()
    except OSError:
        return False
