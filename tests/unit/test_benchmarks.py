"""What the benchmarks say of what they can't measure here."""

import pytest

from benchmarks import diff


def test_what_is_not_installed_is_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(diff, "find_spec", lambda name: None)
    assert diff.installed() == ["ours", "difflib"]
    assert "pip install textual-diff-view" in capsys.readouterr().out
