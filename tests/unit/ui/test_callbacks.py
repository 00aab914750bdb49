"""How many parameters a callback has is asked once, and known as by its signature."""

from collections.abc import Callable
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from textual import _callback

from acp_tui.host.agent import Agent
from acp_tui.ui.app import AcpApp
from acp_tui.ui.features import Features
from acp_tui.ui.textual_fixes import callbacks
from acp_tui.ui.textual_fixes.callbacks import count_parameters, count_parameters_once
from tests.unit.ui.app import states


class Kettle:
    def __call__(self, water: int) -> None: ...

    def boil(self, water: int, leaves: int = 1) -> None: ...

    @classmethod
    def brand(cls, name: str) -> None: ...

    @staticmethod
    def whistle(loud: bool) -> None: ...


def pour(*cups: int, milk: bool = False) -> None: ...


CALLBACKS = [
    Kettle,
    Kettle(),
    Kettle.boil,
    Kettle().boil,
    Kettle.brand,
    Kettle.whistle,
    Kettle().whistle,
    pour,
    lambda: None,
    [1].append,
    len,
]


@pytest.mark.parametrize("callback", CALLBACKS)
def test_parameters_are_those_of_the_signature_each_time(callback: Callable[..., Any]) -> None:
    wanted = len(signature(callback).parameters)
    assert [count_parameters(callback) for _ in range(2)] == [wanted, wanted]


def test_the_signature_of_a_partials_method_is_asked_for_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[object] = []
    monkeypatch.setattr(callbacks, "signature", lambda one: asked.append(one) or signature(one))
    monkeypatch.setattr(_callback, "_count_parameters", _callback._count_parameters)
    count_parameters_once()

    class Pot(Kettle):
        def fill(self, water: int, leaves: int) -> None: ...

    counts = [_callback.count_parameters(partial(Pot().fill, 1)) for _ in range(3)]
    assert (counts, asked) == ([1, 1, 1], [Pot.fill])


def test_the_app_counts_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr(_callback, "_count_parameters", len)
    AcpApp([Agent(states.opened()[0], print)], Features, theme_name="night")
    assert _callback._count_parameters is count_parameters
