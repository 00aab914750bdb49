"""What is prepared before a screen is drawn."""

import sys
from argparse import Namespace
from pathlib import Path

import pytest

from acp_tui.cli.screen import prepare_look


def test_keys_that_cant_be_used_are_reported_before_anything_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = tmp_path / "acp-tui" / "settings.toml"
    settings.parent.mkdir()
    settings.write_text('[keys.prompt]\n"Ctrl+J" = "Ctrl+K"\n')
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delitem(
        sys.modules, "textual.widget", raising=False
    )  # as in a process just started
    with pytest.raises(SystemExit) as ended:
        prepare_look(Namespace(theme=None))
    assert ended.value.code == 2
    assert "settings.toml:2:1: keys.prompt.Ctrl+J: Ctrl+K is taken" in capsys.readouterr().err
