"""The question before a session goes on: the agent's command comes from a recording."""

import shlex
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

from textual.app import App

from acp_tui.index.search import RecentSession
from acp_tui.store.accepted_commands import AcceptedCommands
from acp_tui.store.same_folder import SameFolder
from acp_tui.text import clean_line, judged_line
from acp_tui.ui.toolkit.dialogs.confirm import ConfirmDialog
from acp_tui.ui.toolkit.shortened import cropped

LONGEST_ID = 60
"""Characters of an id that are shown: it is the agent's."""


def ask_to_resume(
    app: App[Any],
    session: RecentSession,
    accepted: AcceptedCommands,
    begin: Callable[[], None],
    say: Callable[[str], None],
) -> None:
    """Begin at once if its command was accepted in its folder before, else after a yes; say why a session
    can't go on.
    """
    if session.place:
        say(f"it ran in another place ({session.place}): resume it from there")
        return
    try:
        folder = SameFolder(Path(session.cwd))
    except OSError:
        say(f"its folder is gone: {session.cwd}")
        return
    if accepted.accepts(session.cwd, session.command):
        begin()
        return

    def answered(yes: bool | None) -> None:
        if not yes:
            return
        try:
            folder.check()
        except OSError as error:
            say(f"not started: {session.cwd}: {error.strerror}")
            return
        with suppress(OSError):  # then it is asked again
            accepted.accept(session.cwd, session.command)
        begin()

    again = (
        "This agent can't reopen sessions: its conversation is shown from a recording, and a new"
    )
    told = [f"{again} session can be told of it."] if not session.reopens else []
    facts = [
        judged_line(shlex.join(session.command)),
        f"in {judged_line(session.cwd)}",
        f"session {cropped(clean_line(session.session_id), LONGEST_ID)}",
        *told,
        "Other options that it was started with, as rules or variables, are not in the recording.",
        "After a yes, sessions of this command in this folder go on without this question.",
    ]
    what = "resume its session" if session.reopens else "show its session"
    app.push_screen(
        ConfirmDialog(f"Start this agent, and {what}?", facts, "Start it", monotonic),
        answered,
    )
