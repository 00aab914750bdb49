"""What Enter does in the launcher, and why it doesn't."""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from acp_tui.store.accepted_commands import AcceptedCommands
from acp_tui.store.named_agents import nearest
from acp_tui.ui.launcher.rows import (
    AttachRun,
    Choice,
    FetchRegistry,
    ResumeSession,
    StartCommand,
    UseFolder,
)


def act_of(
    choice: Choice | None, accepted: AcceptedCommands, folder: str, *, is_warned: bool
) -> str:
    """Say what Enter does in a folder with what is marked, if anything; who `is_warned` has pressed it
    once.
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
    """Say why a program can't be started from a folder, and which of the agents may be meant; nothing if
    it can.
    """
    path = Path(folder, Path(program).expanduser()) if os.sep in program else program
    if shutil.which(path) is not None:
        return ""
    alike = nearest(program, [*agents, "demo"])
    meant = f"; did you mean {' or '.join(alike)}?" if alike else ""
    return f"not started: there is no program {program!r}{meant}"
