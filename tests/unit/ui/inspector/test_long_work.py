"""What takes long in the inspector: it is done a little at a time, and can be given up."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_tui.protocol.events import StderrLine
from acp_tui.protocol.long_lines import LONG, SLICE
from acp_tui.ui import clipboard
from acp_tui.ui.inspector import detail, report
from acp_tui.ui.inspector.frame_parts import parts
from acp_tui.wire.lint.linter import Linter
from acp_tui.wire.log import Log
from acp_tui.wire.view import View
from tests.unit.ui.inspector.scene import inspecting
from tests.unit.wire.scenes import Wire

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
            patch.setattr(report, work, endless)
            await it.pilot.press(key)
            await it.until(begun.is_set)
            await it.pilot.press("escape")
            await it.until(lambda: not it.inspector.files.is_busy)
        assert "given up: nothing was written" in it.screen
        assert list(tmp_path.iterdir()) == []
        await it.press(key)
        await it.until(lambda: str(tmp_path) in "".join(n.words for n in it.app.notes))
    assert len(list(tmp_path.iterdir())) == 1


def test_what_is_on_the_disk_is_not_given_up(tmp_path: Path) -> None:
    writing = report.Writing()
    writing.write(tmp_path / "a", b"all")
    assert not writing.give_up()
    late = report.Writing()
    assert late.give_up()
    with pytest.raises(report.GivenUpError):
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


async def test_a_frame_of_megabytes_is_shown_a_little_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    params = {"first": 1, "text": "word " * (LONG // 4), "_meta": {"trace": 2}}
    records = Wire().prompted().got(method="_x", params=params).records
    log = Log(records, Linter())
    view = View(log)
    steps = 0
    while not log.catch_up(128, 1024):
        steps += 1
    view.catch_up()
    size = len(params["text"])
    assert steps > size // SLICE
    told = list(parts(view[len(view) - 1], raw=False))
    assert told.count(None) > size // SLICE
    monkeypatch.setattr(detail, "BUDGET", 0)
    async with inspecting(records, (100, 40)) as it:
        await it.until(lambda: '"first": 1' in it.screen)
        shown = it.inspector.frames.detail._stack
        assert shown.plain(shown.height - 2).strip() == '"trace": 2'
