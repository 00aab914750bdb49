"""What keys that stand in the tables do: each names a controller's method."""

from typing import TYPE_CHECKING

from acp_tui.ui import bindings

if TYPE_CHECKING:
    from acp_tui.ui.app import AcpApp


def do(app: "AcpApp", action: str, *given: object) -> None:
    """Do what a key is for: `sessions.step` is a method of the controller of that name."""
    controller, _, method = action.partition(".")
    getattr(app.controllers.by_name[controller], method)(*given)
    app.controllers.tips.done(action)


def allows(app: "AcpApp", action: str) -> bool | None:
    """Whether a key does it now; some are left to the dialog that is open."""
    controller, _, method = action.partition(".")
    if action in bindings.NOT_IN_DIALOGS and app.screen.is_modal:
        return action == "palette.open" and bindings.has_deeds(app.screen)
    return app.controllers.by_name[controller].allows(method)


def turn_help(app: "AcpApp") -> None:
    """Show all keys, or hide them."""
    from acp_tui.ui.dialogs.help import HelpScreen

    if isinstance(app.screen, HelpScreen):
        app.screen.dismiss()
    else:
        topics = [controller.topic for controller in app.controllers.all]
        here = bindings.section_of(app.screen.focused or app.screen)
        app.push_screen(HelpScreen(next(filter(None, [*topics, here]), "")))
