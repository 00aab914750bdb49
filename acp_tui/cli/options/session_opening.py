"""Chooses how the first session is opened, and asks before continuing one that another acp-tui has
open.
"""

import argparse
import sys
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.text import clean_line

if TYPE_CHECKING:
    from acp_tui.client.launch import Launch
    from acp_tui.state.commands import SessionCommand

_INDEXING = 5.0
"""Most seconds that `--continue` spends indexing new recordings; the agent starts only after that."""
_LONGEST_ID = 60
"""Longest part of a session id that is shown, in characters: the agent chose it."""
_MOST_RECENT = 1_000
"""Most recent sessions, of all agents, that `--continue` searches."""


def make_opening(options: argparse.Namespace) -> "SessionCommand":
    """Return the command that opens the first session as the options require."""
    from acp_tui.state.commands import (
        AskSessionOptions,
        ContinueSession,
        ListSessions,
        NewSession,
        OpenSession,
    )

    if getattr(options, "choose_options", False):
        return AskSessionOptions()
    if options.go_on:
        return ContinueSession()
    if options.resume is None:
        return NewSession()
    if not options.resume:
        return ListSessions()
    return OpenSession(options.resume, recording=options.recorded_in)


def confirm_opening(launch: "Launch") -> set[Path]:
    """Ask before continuing a session that another acp-tui has open: two clients in one session
    overwrite each other's work.

    A "no" ends the program; without a terminal, the conflict is only reported. Return the
    recordings of those sessions.
    """
    from acp_tui.state.commands import ContinueSession, OpenSession

    opening = launch.opening
    if not isinstance(opening, ContinueSession | OpenSession):
        return set()
    from acp_tui.config.paths import recordings_folder
    from acp_tui.index.sessions import open_elsewhere

    opened: set[Path] = set()
    for one in open_elsewhere(recordings_folder(), (launch.cwd, launch.shown_command)):
        if isinstance(opening, OpenSession) and one.session_id != opening.session_id:
            continue
        opened.add(one.recording)
        title = f"session {clean_line(one.session_id)[:_LONGEST_ID]}"
        sys.stderr.write(f"acp-tui: {title} is {one.words}\n")
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            continue
        from acp_tui.headless.keyboard import ask_for_yes

        if not ask_for_yes("Continue it here, too? [y/N] "):
            sys.stderr.write("acp-tui: nothing was started\n")
            raise SystemExit(1)
    return opened


def add_recorded_session(launch: "Launch", opened: Collection[Path]) -> "Launch":
    """Add the newest recorded session to `--continue`, as the agent may not list its sessions.

    Recordings that are still being written are skipped, except those in `opened`.
    """
    from acp_tui.state.commands import ContinueSession

    if not isinstance(launch.opening, ContinueSession):
        return launch
    import sqlite3

    from acp_tui.config import paths
    from acp_tui.index.index import Index
    from acp_tui.index.search import sessions_of_agent
    from acp_tui.store.files_in_use import in_use
    from acp_tui.store.recordings import recordings_in

    until = time.monotonic() + _INDEXING

    def stop_when_late(_: int, __: int) -> None:
        if time.monotonic() > until:
            raise TimeoutError

    try:
        with Index.open(paths.archive_file()) as index:
            with suppress(TimeoutError):
                index.update(
                    recordings_in(paths.recordings_folder()),
                    stop_when_late,
                    skip=lambda path: path not in opened and in_use(path),
                )
            found = sessions_of_agent(index, launch.cwd, launch.shown_command, _MOST_RECENT)
    except (OSError, sqlite3.Error):
        return launch
    here = [one for one in found if one.cwd == launch.cwd]
    if not here:
        return launch
    newest = ContinueSession(here[0].session_id, here[0].recording)
    return replace(launch, opening=newest)
