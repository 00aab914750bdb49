"""What takes long in the inspector: it is done a little at a time, and can be given up."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_tui.protocol.frames import Direction
from acp_tui.protocol.json_decoder import LONGEST_LINE
from acp_tui.protocol.process_events import StderrLine
from acp_tui.ui.inspector import files
from acp_tui.ui.toolkit import clipboard
from tests.unit.debug.scenes import Wire
from tests.unit.ui.inspector.scene import inspecting

pytestmark = pytest.mark.anyio


@pytest.mark.slow
@pytest.mark.parametrize(("key", "work"), [("e", "masked_recording"), ("B", "bug_report")])
async def test_esc_gives_up_what_is_being_written(
    tmp_path: Path, key: str, work: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = threading.Event()

    def endless(*args: Any, pause: Callable[[], None] | None = None) -> None:
        begun.set()
        while True:
            if pause is not None:
                pause()
            else:
                args[-1].record(StderrLine(1.0, "a word"))

    async with inspecting(Wire().prompted().ended().records) as it:
        it.app.agent.state.peer.cwd = str(tmp_path)
        with monkeypatch.context() as patch:
            patch.setattr(files, work, endless)
            await it.pilot.press(key)
            await it.until(begun.is_set)
            await it.pilot.press("escape")
            await it.until(lambda: not it.inspector.files.is_busy)
        assert "canceled: nothing was written" in it.screen
        assert list(tmp_path.iterdir()) == []
        await it.press(key)
        await it.until(lambda: str(tmp_path) in "".join(n.words for n in it.app.notes))
    assert len(list(tmp_path.iterdir())) == 1


def test_what_is_on_the_disk_is_not_given_up(tmp_path: Path) -> None:
    writing = files.Writing()
    writing.write(tmp_path / "a", b"all")
    assert not writing.cancel()
    late = files.Writing()
    assert late.cancel()
    with pytest.raises(files.WritingCanceledError):
        late.write(tmp_path / "b", b"all")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


async def test_a_frame_too_long_for_a_clipboard_is_not_read_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(clipboard, "MOST_COPIED", 200)
    records = Wire().prompted().chunk("word " * 100).records
    async with inspecting(records, (100, 40)) as it:
        copied: list[str] = []
        monkeypatch.setattr(it.app, "copy_to_clipboard", copied.append)
        for key in ("y", "Y"):
            await it.press("G", key)
            assert "at most 200 B; e saves what is shown" in it.rows[-2]
        assert not copied


async def test_a_frame_of_megabytes_is_shown() -> None:
    params = {"first": 1, "text": "word " * 300_000, "_meta": {"trace": 2}}
    records = Wire().prompted().got(method="_x", params=params).records
    async with inspecting(records, (100, 40)) as it:
        await it.until(lambda: '"first": 1' in it.screen)
        shown = it.inspector.frames.detail._stack
        assert shown.plain(shown.height - 2).strip() == '"trace": 2'


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'{"method":"_x","params":"%b"}' % (b"x" * LONGEST_LINE), "longer than the 16 MiB"),
        (b'{"method":"_x","params":%b}' % (b"[" * 300 + b"]" * 300), "nested deeper than the 200"),
    ],
    ids=["long", "deep"],
)
async def test_a_line_over_a_limit_is_shown_raw_with_its_finding(line: bytes, why: str) -> None:
    async with inspecting(Wire().prompted().raw(Direction.IN, line).records, (100, 40)) as it:
        await it.until(lambda: why in it.screen)
        assert '{"method":"_x","params":' in it.screen
        assert "A guess: " in it.screen
