"""Runs the action of a key: the tables name a feature and its method."""

from typing import TYPE_CHECKING

from acp_tui.ui import bindings
from acp_tui.ui.events import ActionDone

if TYPE_CHECKING:
    from acp_tui.ui.app import AcpApp


def do(app: "AcpApp", action: str, *given: object) -> None:
    """Run the action of a key: `sessions.step` is a method of the feature of that name."""
    feature, _, method = action.partition(".")
    getattr(app.feature.by_name[feature], method)(*given)
    app.emit(ActionDone(action))


def allows(app: "AcpApp", action: str) -> bool | None:
    """Whether a key does it now; some are left to the dialog that is open."""
    feature, _, method = action.partition(".")
    if action in bindings.NOT_IN_DIALOGS and app.screen.is_modal:
        return action == "palette.open" and bindings.has_deeds(app.screen)
    return app.feature.by_name[feature].allows(method)


def turn_help(app: "AcpApp") -> None:
    """Show all keys, or hide them."""
    from acp_tui.ui.help.screen import HelpScreen

    if isinstance(app.screen, HelpScreen):
        app.screen.dismiss()
    else:
        topics = [feature.topic for feature in app.feature.all]
        here = bindings.section_of(app.screen.focused or app.screen)
        app.push_screen(HelpScreen(next(filter(None, [*topics, here]), "")))
