"""Questions of our own."""

from collections.abc import Callable, Sequence

from acp_tui.ui.window import Window


def confirm(
    window: Window, question: str, facts: Sequence[str], yes: str, then: Callable[[], object]
) -> None:
    """Ask a question of our own; do what `yes` says only after a yes."""
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
    done: str = "done",
) -> None:
    """Ask for a line of text; None if it is left as it is. `done` says what Enter does."""
    from acp_tui.ui.toolkit.dialogs.question_dialogs import LineDialog

    window.push(LineDialog(question, facts, text, secret=secret, done=done), then)
