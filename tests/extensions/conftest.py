"""Installs extensions for a test."""

import importlib
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from acp_tui.extensions import extensions
from tests.installed import install

Install = Callable[..., list[str]]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install modules with entry points; returns what is told of them."""
    told: list[str] = []

    def put(
        entry_points: Mapping[str, Mapping[str, str]], *folders: Path, **modules: str
    ) -> list[str]:
        site = install(tmp_path / "site", "tea-extensions", entry_points)
        for name, code in modules.items():
            (site / f"{name}.py").write_text(code)
            monkeypatch.delitem(sys.modules, name, raising=False)
        for folder in (site, *folders):
            monkeypatch.syspath_prepend(str(folder))
        importlib.invalidate_caches()
        monkeypatch.setattr(extensions, "_loaded", {})
        monkeypatch.setattr(extensions, "report", told.append)
        return told

    return put
