"""What is too much for memory is on disk, and comes back."""

import os
from contextlib import closing
from pathlib import Path

import pytest

from acp_tui.client.spill import Spill


def test_what_was_kept_comes_back_and_has_no_name(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    with closing(Spill(folder)) as spill:
        kept = [spill.keep(data) for data in (b"one", b"", b"three" * 100_000)]
        assert [fetch() for fetch in kept] == [b"one", b"", b"three" * 100_000]
        assert list(folder.iterdir()) == []


def test_what_a_full_disk_does_not_take_stays_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Spill(tmp_path)) as spill:
        first = spill.keep(b"first")
        with monkeypatch.context() as patch:
            patch.setattr(os, "pwrite", _full)
            second = spill.keep(b"second")
        third = spill.keep(b"third")
        assert (first(), second(), third()) == (b"first", b"second", b"third")


def _full(file: int, data: memoryview, at: int) -> int:
    raise OSError(28, "No space left on device")
