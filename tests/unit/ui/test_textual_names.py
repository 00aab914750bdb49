"""What we use of Textual's inside is there: of this list a new Textual may lack something."""

import inspect
from importlib import import_module

import pytest
from textual._compositor import Compositor
from textual.app import App
from textual.widget import Widget

NAMES = {
    "textual._ansi_sequences": ["ANSI_SEQUENCES_KEYS"],
    "textual._compositor": [
        "ChopsUpdate",
        "Compositor._get_renders",
        "Compositor.render_partial_update",
        "Compositor.visible_widgets",
        "CompositorUpdate",
        "LayoutUpdate",
    ],
    "textual._styles_cache": ["StylesCache.get_inner_outer"],
    "textual.app": [
        "App._display",
        "App._handle_exception",
        "App._print_error_renderables",
        "App._start_widget",
        "App.post_display_hook",
    ],
    "textual.drivers.linux_driver": [
        "LinuxDriver._sigcont_application",
        "LinuxDriver._sigtstp_application",
        "LinuxDriver.close",
        "LinuxDriver.resume_application_mode",
        "LinuxDriver.start_application_mode",
        "LinuxDriver.stop_application_mode",
        "LinuxDriver.suspend_application_mode",
        "LinuxDriver.write",
    ],
    "textual.scrollbar": ["ScrollBarRender.render_bar"],
}
"""What is imported, called or overridden."""
OF_AN_APP = [
    "_batch_count",
    "_closed",
    "_driver",
    "_exit_renderables",
    "_filters",
    "_running",
    "_sync_available",
]
OF_UPDATES = {"ChopsUpdate": ["chops", "spans", "chop_ends"], "LayoutUpdate": ["strips", "region"]}
"""What the compositor gives to be shown."""


@pytest.mark.parametrize(
    ("module", "name"), [(module, name) for module, names in NAMES.items() for name in names]
)
def test_a_name_is_there(module: str, name: str) -> None:
    found: object = import_module(module)
    for part in name.split("."):
        found = inspect.getattr_static(found, part)


@pytest.mark.parametrize("name", OF_AN_APP)
def test_an_app_has_it(name: str) -> None:
    assert hasattr(App(), name)


def test_a_compositor_and_a_widget_have_it() -> None:
    assert hasattr(Compositor(), "_dirty_regions")
    assert hasattr(Widget(), "_vertical_scrollbar")


@pytest.mark.parametrize("name", OF_UPDATES)
def test_an_update_is_made_of_what_we_look_at(name: str) -> None:
    made = getattr(import_module("textual._compositor"), name)
    assert OF_UPDATES[name] == [*inspect.signature(made).parameters]
