"""What Enter does in the launcher and why it may do nothing; the dialogs before a race or a resumed
session.
"""

import os
import shlex
import shutil
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

from textual.app import App

from acp_tui.index.search import RecentSession
from acp_tui.store.accepted_commands import AcceptedCommands
from acp_tui.store.named_agents import nearest_names
from acp_tui.store.same_folder import SameFolder
from acp_tui.text import clean_line, judged_line
from acp_tui.ui.launcher.rows import (
    AttachRun,
    Choice,
    FetchRegistry,
    ResumeSession,
    StartAgent,
    StartCommand,
    UseFolder,
)
from acp_tui.ui.toolkit.dialogs.question_dialogs import ConfirmDialog, LineDialog
from acp_tui.ui.toolkit.shortened import crop_text


def act_of(
    choice: Choice | None, accepted: AcceptedCommands, folder: str, *, is_warned: bool
) -> str:
    """Describe what Enter does with the marked choice in a folder; "" for nothing.

    `is_warned` is whether Enter was already pressed once on a command that has to be confirmed.
    """
    match choice:
        case None:
            return ""
        case ResumeSession(session):
            act = "resume this session" if session.reopens else "read this session"
            known = accepted.accepts(session.cwd, session.command)
            return act if known else f"{act} (asks first)"
        case AttachRun():
            return "attach to this run"
        case FetchRegistry():
            return "fetch the list"
        case UseFolder():
            return "use this folder"
        case StartCommand(argv) if why_not_started(argv[0], folder, ()):
            return ""
        case StartCommand(argv) if accepted.accepts(folder, argv):
            return "start"
        case StartCommand():
            return "again starts this command" if is_warned else "twice starts this command"
    return "start"


def why_not_started(program: str, folder: str, agents: Iterable[str]) -> str:
    """Return why a program can't be started in a folder, and which of the `agents` may be meant; ""
    if it can.
    """
    path = Path(folder, Path(program).expanduser()) if os.sep in program else program
    if shutil.which(path) is not None:
        return ""
    alike = nearest_names(program, [*agents, "demo"])
    meant = f"; did you mean {' or '.join(alike)}?" if alike else ""
    return f"not started: there is no program {program!r}{meant}"


class Entrants:
    """The agents chosen for a race, in the order of choice."""

    def __init__(self) -> None:
        self.names: list[str] = []

    @property
    def can_race(self) -> bool:
        """Whether there are enough agents for a race."""
        return len(self.names) > 1

    def has(self, choice: Choice | None) -> bool:
        """Return whether this is an agent chosen for the race."""
        return isinstance(choice, StartAgent) and choice.name in self.names

    def toggle(self, choice: Choice | None) -> str:
        """Add an agent to the race, or remove it; return a message, or ""."""
        if not isinstance(choice, StartAgent):
            return "an agent that has a name can race: go to one"
        if choice.name in self.names:
            self.names.remove(choice.name)
            return ""
        self.names.append(choice.name)
        return "" if self.can_race else "a race needs a second agent"


def ask_for_race(
    app: App[Any],
    agents: Collection[str],
    start: Callable[[Sequence[str]], None],
    show_note: Callable[[str], None],
) -> None:
    """Ask for a prompt, then for the command line of the race; call `start` with its arguments.

    `show_note` is called with the reason if it is not the command line of a race.
    """

    def prompted(prompt: str | None) -> None:
        if not prompt or not prompt.strip():
            return
        # A prompt with a leading dash would be taken for an option.
        words = prompt.strip() if not prompt.strip().startswith("-") else f" {prompt.strip()}"
        named = [f"--agent={name}" for name in agents]
        facts = [
            "Enter runs this command exactly as shown.",
            "--permissions=allow lets the agents do what they ask for, each in its worktree.",
            "--judge='make test' runs a command in each of them afterward.",
        ]
        # The prompt is last, as the user knows it: if the line is too long for the field, its end
        # is out of view.
        line = shlex.join(["acp-tui", "race", *named, "--permissions=reject", words])
        app.push_screen(LineDialog("Start the race?", facts, line), confirmed)

    def confirmed(line: str | None) -> None:
        if line is None:
            return
        try:
            program, *given = shlex.split(line)
        except ValueError:
            program, given = "", []
        if program != "acp-tui" or given[:1] != ["race"]:
            show_note("not started: the command is no `acp-tui race …`")
        else:
            start(given)

    facts = [f"{', '.join(agents)}: each gets this prompt, in a worktree of its own."]
    app.push_screen(LineDialog("Prompt for the race", facts), prompted)


LONGEST_ID = 60
"""Most characters of an id that are shown: it is the agent's."""


def ask_to_resume(
    app: App[Any],
    session: RecentSession,
    accepted: AcceptedCommands,
    start: Callable[[], None],
    show_note: Callable[[str], None],
) -> None:
    """Resume a session at once if its command was accepted in its folder before, otherwise after a
    yes.

    `show_note` is called with the reason if it can't be resumed.
    """
    if session.place:
        show_note(f"it ran in another place ({session.place}): resume it from there")
        return
    try:
        folder = SameFolder(Path(session.cwd))
    except OSError:
        show_note(f"its folder is gone: {session.cwd}")
        return
    if accepted.accepts(session.cwd, session.command):
        start()
        return

    def answered(yes: bool | None) -> None:
        if not yes:
            return
        try:
            folder.check()
        except OSError as error:
            show_note(f"not started: {session.cwd}: {error.strerror}")
            return
        with suppress(OSError):  # it is asked again next time
            accepted.accept(session.cwd, session.command)
        start()

    recording_note = (
        "This agent can't reopen sessions: the conversation is shown from a recording, and can go "
        "into a new session's prompt."
    )
    facts = [
        judged_line(shlex.join(session.command)),
        f"in {judged_line(session.cwd)}",
        f"session {crop_text(clean_line(session.session_id), LONGEST_ID)}",
        *([] if session.reopens else [recording_note]),
        "Other options that it was started with, as rules or variables, are not in the recording.",
        "After a yes, sessions of this command in this folder go on without this question.",
    ]
    consequence = "resume its session" if session.reopens else "show its session"
    app.push_screen(
        ConfirmDialog(f"Start this agent, and {consequence}?", facts, "Start it", monotonic),
        answered,
    )
