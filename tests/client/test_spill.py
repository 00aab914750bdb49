"""What is too much for memory is on disk, and comes back."""

import os
from contextlib import closing
from pathlib import Path

import pytest

from acp_tui.proxy.spill import Spill
from acp_tui.recordings.long_frames import HUGE
from tests.hosting import wait_until


def test_what_was_kept_comes_back_and_has_no_name(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    with closing(Spill(folder)) as spill:
        kept = [spill.store(data) for data in (b"one", b"", b"three" * 100_000)]
        assert [one.read() for one in kept] == [b"one", b"", b"three" * 100_000]
        assert list(folder.iterdir()) == []


def test_what_a_full_disk_does_not_take_stays_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Spill(tmp_path)) as spill:
        first = spill.store(b"first")
        with monkeypatch.context() as patch:
            patch.setattr(os, "pwrite", _full)
            second = spill.store(b"second")
        third = spill.store(b"third")
        assert (first.read(), second.read(), third.read()) == (b"first", b"second", b"third")


def test_many_bytes_are_written_by_and_by_and_read_meanwhile(tmp_path: Path) -> None:
    data = [bytes([number]) * (HUGE + number) for number in range(3)]
    with closing(Spill(tmp_path)) as spill:
        kept = [spill.store(one) for one in data]
        small = spill.store(b"small")
        assert [b"".join(one.pieces()) for one in kept] == data
        wait_until(lambda: all(one._data is None for one in kept))
        assert [one.read() for one in kept] == data
        assert small.read() == b"small"


def test_many_bytes_that_a_full_disk_does_not_take_stay_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "pwrite", _full)
    with closing(Spill(tmp_path)) as spill:
        kept = [spill.store(b"x" * HUGE) for _ in range(2)]
        assert [one.read() for one in kept] == [b"x" * HUGE] * 2


def _full(file: int, data: memoryview, at: int) -> int:
    raise OSError(28, "No space left on device")
