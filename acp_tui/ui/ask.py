"""Dialogs in which the program asks the user something."""

from collections.abc import Callable, Sequence

from acp_tui.ui.window import Window


def confirm(
    window: Window, question: str, facts: Sequence[str], yes: str, then: Callable[[], object]
) -> None:
    """Ask for confirmation; call `then` after a yes. `yes` is the label of that answer."""
    from acp_tui.ui.toolkit.dialogs.question_dialogs import ConfirmDialog

    def decided(agreed: bool | None) -> None:
        if agreed:
            then()

    window.push(ConfirmDialog(question, facts, yes, window.clock), decided)


def ask_for_line(
    window: Window,
    question: str,
    facts: Sequence[str],
    text: str,
    then: Callable[[str | None], object],
    *,
    secret: bool = False,
    enter_label: str = "done",
) -> None:
    """Ask for a line of text; `then` gets None if the user cancels. `enter_label` is the label of
    Enter.
    """
    from acp_tui.ui.toolkit.dialogs.question_dialogs import LineDialog

    window.push(LineDialog(question, facts, text, secret=secret, enter_label=enter_label), then)
