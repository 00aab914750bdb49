"""What all tests share."""

import gc
import signal
from collections.abc import Iterator
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from tests import examples
from tests.app_crashes import crashes_end_tests
from tests.warm.starts import warm_starts

LONG_NAME = 200
LIMIT, SLOW_LIMIT = 180, 900
"""Seconds that a test may take on a busy machine, and one that is marked `slow`."""
MANY = 300
"""Tests from which on it pays to look after the garbage collector."""


def pytest_configure() -> None:
    """Prepare this process, a worker's as well."""
    _restore_signals()
    examples.load_profile()


def _restore_signals() -> None:
    """Let signals end what tests start, also if the tests run in the background or under nohup: what is
    ignored stays ignored in all programs that are started, and tests wait for their end in vain.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        # Not its default, which would end a run under nohup: a handler isn't passed on to programs.
        signal.signal(signal.SIGHUP, lambda *_: None)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Limit the time of each test, or one that hangs would leave a run without a name to look at."""
    if not config.pluginmanager.hasplugin("timeout"):
        return  # where only what the tests import is installed
    for item in items:
        if item.get_closest_marker("timeout") is None:
            is_slow = item.get_closest_marker("slow") is not None
            item.add_marker(pytest.mark.timeout(SLOW_LIMIT if is_slow else LIMIT))


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name a case of megabytes by how it begins: names are sent about, and printed."""
    return repr(val[:40]) if isinstance(val, str | bytes) and len(val) > LONG_NAME else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect no garbage while tests are collected, which leaves none: to look for it was a fifth of the
    time that each worker needs before its first test.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Have the garbage collector leave alone what stays to the end: modules, and thousands of tests.
    To look at them again and again took a quarter of the time, and pytest does so five times at its end.
    DuckDB, which prints every object of its own that is left then, is only loaded in other processes.
    """
    if len(session.items) < MANY:
        return
    import hypothesis  # noqa: F401  # at its import it looks for who refers to what: not seen later

    gc.freeze()
    gc.set_threshold(5_000, 10, 20)


def pytest_unconfigure() -> None:
    """Let pytest's own five collections at the end look only at what they may find: garbage."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _own_state_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Every run of the program records itself: not into the folder of who runs the tests."""
    folder = tmp_path_factory.mktemp("state")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(folder))
        yield folder


@pytest.fixture(scope="session", autouse=True)
def _starts(_own_state_folder: Path) -> Iterator[None]:
    """The program is started hundreds of times: what it loads is loaded once, in one locale."""
    with pytest.MonkeyPatch.context() as patch, warm_starts():
        patch.setenv("LANG", "C.UTF-8")
        yield


@pytest.fixture(scope="session", autouse=True)
def _settled_pilot() -> Iterator[None]:
    """The pilot pauses before and after a click until all is drawn: by itself it waits until the process
    works little, and takes an app that gets no time of a busy processor for one that is done. It also
    waits several times 20 ms after each key.
    """
    from textual.pilot import Pilot

    from tests.unit.ui.settling import settled

    pause = Pilot.pause

    async def pause_until_settled(self: Pilot[Any], delay: float | None = None) -> None:
        await (settled(self) if delay is None else pause(self, delay))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pilot, "pause", pause_until_settled)
        patch.setattr("textual._wait.SLEEP_GRANULARITY", 0.004)
        yield


@pytest.fixture(scope="session", autouse=True)
def _styles_parsed_once() -> Iterator[None]:
    """Each app parses the same styles when it starts, and again with each new kind of screen or widget:
    a fifth of all that a short test costs.
    """
    from textual.css.stylesheet import Stylesheet

    parse_rules, parse = Stylesheet._parse_rules, Stylesheet.parse
    rules = dict[object, list[Any]]()
    sheets = dict[object, tuple[Any, Any]]()
    variables: list[Any] = [None, frozenset()]  # of the app that was the last to parse

    def variables_of(sheet: Stylesheet) -> object:
        if sheet._variables is not variables[0]:
            variables[:] = sheet._variables, frozenset(sheet._variables.items())
        return variables[1]

    @wraps(parse_rules)
    def parse_rules_once(self: Stylesheet, *args: Any, **kwargs: Any) -> list[Any]:
        key = (args, *kwargs.items(), variables_of(self))
        if key not in rules:
            rules[key] = parse_rules(self, *args, **kwargs)
        return rules[key]

    @wraps(parse)
    def parse_once(self: Stylesheet) -> None:
        key = (*self.source.items(), variables_of(self))
        if key not in sheets:
            parse(self)
            sheets[key] = self._rules, self.rules_map
        self._rules, self._rules_map = sheets[key]
        self._require_parse = False

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", parse_rules_once)
        patch.setattr(Stylesheet, "parse", parse_once)
        yield


@pytest.fixture(scope="session", autouse=True)
def _crashes_end_tests() -> Iterator[None]:
    with crashes_end_tests():
        yield


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
