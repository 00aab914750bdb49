"""What we use of Textual's inside is there, and used nowhere but in `ui/textual_fixes/`."""

import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest
from textual._compositor import Compositor
from textual.app import App
from textual.css.stylesheet import Stylesheet
from textual.screen import Screen
from textual.scroll_view import ScrollView
from textual.widget import Widget

from acp_tui import ui
from tests.installed import ROOT
from tests.unit.ui.class_sources import source_of

TESTS = ROOT / "tests"
NAMES = {
    "textual._ansi_sequences": ["ANSI_SEQUENCES_KEYS"],
    "textual._callback": ["_count_parameters"],
    "textual._compositor": [
        "ChopsUpdate",
        "Compositor._arrange_root",
        "Compositor._get_renders",
        "Compositor.reflow",
        "Compositor.render_partial_update",
        "Compositor.visible_widgets",
        "CompositorMap",
        "CompositorUpdate",
        "LayoutUpdate",
        "ReflowResult",
    ],
    "textual._styles_cache": ["StylesCache.get_inner_outer"],
    "textual._keyboard_protocol": ["FUNCTIONAL_KEYS", "MODIFIER_FUNCTIONAL_KEYS"],
    "textual._xterm_parser": ["IS_ITERM", "XTermParser.parse_mouse_code"],
    "textual.app": [
        "App._display",
        "App._handle_exception",
        "App._print_error_renderables",
        "App._start_widget",
        "App.post_display_hook",
    ],
    "textual.binding": ["BindingsMap.merge"],
    "textual.dom": ["DOMNode._merge_bindings", "DOMNode._merged_bindings"],
    "textual.drivers.linux_driver": [
        "LinuxDriver._sigcont_application",
        "LinuxDriver._sigtstp_application",
        "LinuxDriver.close",
        "LinuxDriver.resume_application_mode",
        "LinuxDriver.run_input_thread",
        "LinuxDriver.start_application_mode",
        "LinuxDriver.stop_application_mode",
        "LinuxDriver.suspend_application_mode",
        "LinuxDriver.write",
    ],
    "textual.keys": ["KEY_NAME_REPLACEMENTS", "_character_to_key"],
    "textual.message_pump": ["MessagePump._dispatch_message", "MessagePump.message_queue_size"],
    "textual.screen": ["Screen._on_timer_update", "Screen._refresh_layout"],
    "textual.scrollbar": ["ScrollBarRender.render_bar"],
    "textual.widget": [
        "AwaitMount",
        "Widget._clear_arrangement_cache",
        "Widget._scroll_update",
        "Widget.mount",
    ],
    "textual.worker": ["Worker.__init__"],
}
"""What is imported, called or overridden."""
REPLACED_BY_TESTS = {
    "hypothesis.internal.conjecture.providers": ["is_local_module_file"],
    "subprocess": ["Popen._close_pipe_fds", "Popen._execute_child"],
    "textual._compositor": ["Compositor.render_update"],
    "textual._wait": ["SLEEP_GRANULARITY"],
    "textual.pilot": ["Pilot.pause"],
    "textual.app": ["App._close_messages_no_wait", "App._fatal_error", "App.run_test"],
    "textual.css.stylesheet": ["Stylesheet._parse_rules", "Stylesheet.parse"],
}
"""What all tests, or those of the screen, have replaced, and what stands in for it."""
REPLACING = (
    "conftest.py",
    "examples.py",
    "app_crashes.py",
    "unit/ui/conftest.py",
    "warm/starts.py",
)
ATTRIBUTES = {
    App: [
        "_batch_count",
        "_bindings",
        "_closed",
        "_driver",
        "_exception_event",
        "_exit",
        "_exit_renderables",
        "_filters",
        "_installed_screens",
        "_running",
        "_sync_available",
    ],
    Compositor: ["_dirty_regions", "_full_map"],
    Screen: ["_bindings", "_compositor", "_vertical_scrollbar"],
    Stylesheet: ["_parse_cache"],
    ScrollView: ["_scrollbar_changes"],
    Widget: ["_layout_required", "_layout_updates"],
}
OF_UPDATES = {"ChopsUpdate": ["chops", "spans", "chop_ends"], "LayoutUpdate": ["strips", "region"]}
"""What the compositor gives to be shown."""


@pytest.mark.parametrize(
    ("module", "name"),
    [
        (module, name)
        for listed in (NAMES, REPLACED_BY_TESTS)
        for module, names in listed.items()
        for name in names
    ],
)
def test_a_name_is_there(module: str, name: str) -> None:
    found: object = import_module(module)
    for part in name.split("."):
        found = inspect.getattr_static(found, part)


@pytest.mark.parametrize(
    ("kind", "name"), [(one, name) for one in ATTRIBUTES for name in ATTRIBUTES[one]]
)
def test_an_attribute_is_there(kind: type, name: str) -> None:
    assert hasattr(kind(), name)


@pytest.mark.parametrize("name", OF_UPDATES)
def test_an_update_is_made_of_what_we_look_at(name: str) -> None:
    made = getattr(import_module("textual._compositor"), name)
    assert OF_UPDATES[name] == [*inspect.signature(made).parameters]


def test_tests_replace_nothing_else() -> None:
    listed = {name.split(".")[-1] for names in REPLACED_BY_TESTS.values() for name in names}
    sources = [(TESTS / name).read_text("utf-8") for name in REPLACING]
    replaced = {
        name for source in sources for name in re.findall(r'\bsetattr\([^)]*?(\w+)"', source)
    }
    assert "_execute_child" in replaced
    ours = {"cells", "include_old_objects"}  # the width of prose, and what is collected
    assert replaced <= listed | ours


def test_nothing_else_uses_what_textual_keeps_private() -> None:
    assert list(_uses()) == []


def _uses() -> Iterator[str]:
    for module in walk_packages(ui.__path__, "acp_tui.ui."):
        if module.name.startswith("acp_tui.ui.textual_fixes."):
            continue
        loaded = import_module(module.name)
        text = Path(loaded.__file__ or "").read_text("utf-8")
        yield from (f"{module.name}: {name}" for name in re.findall(r"textual\._\w+", text))
        for kind in vars(loaded).values():
            if inspect.isclass(kind) and kind.__module__ == module.name:
                yield from (f"{module.name}.{kind.__name__}: {name}" for name in _private_of(kind))


def _private_of(kind: type) -> set[str]:
    """What a class uses, overrides or takes for its own that is private to Textual's among its bases."""
    theirs = [one for one in kind.__mro__ if one.__module__.startswith("textual.")]
    return _names(kind) & {name for one in theirs for name in _names(one)}


@cache
def _names(kind: type) -> set[str]:
    """The private names that the source of a class has or uses."""
    return set(re.findall(r"(?:\bself\.|def |^    )(_[a-z]\w*)", source_of(kind), re.MULTILINE))
