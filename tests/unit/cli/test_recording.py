"""How many recordings are kept: as many as the settings say, whoever makes the next one."""

from pathlib import Path

import anyio
import pytest

from acp_tui.cli.options.recording_options import new_recorder
from acp_tui.client.launch import Launch
from acp_tui.config.paths import recordings_folder, settings_file

pytestmark = pytest.mark.anyio
OLD = 60


@pytest.mark.parametrize(
    ("settings", "kept"),
    [
        (None, 50),
        ("[recordings]\nkept = 55", 55),
        ("[recordings]\nkept = 1000", OLD + 1),
        ("[recordings]\nkept = 1000\ngigabytes = 0.00001", 11),
        ("[recordings]\nkept = 0", OLD + 1),
        ("no settings", OLD + 1),
    ],
)
async def test_as_many_recordings_are_kept_as_the_settings_say_and_all_where_they_can_not_be_read(
    settings: str | None, kept: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    recordings_folder().mkdir(parents=True)
    for number in range(OLD):
        (recordings_folder() / f"{number}.jsonl").write_text("x" * 1000)
    if settings is not None:
        settings_file().parent.mkdir(parents=True)
        settings_file().write_text(settings)
    made = new_recorder(Launch(("agent",), "/w"))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(made.run, lambda *_: None)
        await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()
    assert made.path.exists()
    assert len(list(recordings_folder().iterdir())) == kept
