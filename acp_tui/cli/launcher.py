"""`acp-tui` without arguments: show the launcher, then start what the user chose."""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from acp_tui.cli.agents import URL, update_registry
from acp_tui.cli.options.named_agents import NotStartedError, agreed_agent, stored_registry
from acp_tui.cli.output import USAGE
from acp_tui.cli.repeat_commands import resume_arguments
from acp_tui.cli.screen import has_terminal, prepare_look
from acp_tui.config.paths import (
    PROGRAM,
    accepted_commands_file,
    archive_file,
    fetched_agents_folder,
    kept_folder,
    recordings_folder,
)
from acp_tui.formatting import counted

if TYPE_CHECKING:
    from acp_tui.ui.launcher.app import LauncherChoice
    from acp_tui.ui.launcher.rows import BackgroundSession


def show_launcher(options: argparse.Namespace) -> int:
    """Show the launcher, then start what the user chose; return the exit code.

    Both use the options' folder and theme.
    """
    if not has_terminal():
        return USAGE
    import anyio

    from acp_tui.cli.options.launch_options import user_settings, working_folder
    from acp_tui.config.toml_files import ConfigError
    from acp_tui.kept.run_places import KeptRunError, find_run
    from acp_tui.store.accepted_commands import AcceptedCommands
    from acp_tui.store.named_agents import agents_of

    os.chdir(working_folder(options))
    theme = prepare_look(options) or ""  # before modules with key bindings are imported
    from acp_tui.ui.launcher.app import LauncherApp
    from acp_tui.ui.launcher.rows import AttachRun, FetchRegistry, StartAgent

    known, message = user_settings().agents, ""
    while True:
        registry = stored_registry()
        app = LauncherApp(
            agents_of(known, registry, fetched_agents_folder()),
            archive_file(),
            recordings_folder(),
            AcceptedCommands(accepted_commands_file()),
            has_registry=bool(registry.agents),
            read_background=_kept_sessions,
            theme_name=theme,
            note=message,
        )
        app.survives_faults = True
        chosen = anyio.run(app.run_async)
        if chosen is None:
            return app.return_code or 0
        try:
            match chosen.choice:
                case FetchRegistry():
                    lines, remarks = update_registry(URL)
                    more = f"; {counted(len(remarks), 'note')}: acp-tui agents update"
                    message = f"{lines[0]}{more if remarks else ''}"
                    continue
                case AttachRun(name):
                    # the run may have ended while the launcher was shown
                    find_run(kept_folder(), name)
                case StartAgent(name):
                    agreed_agent(name, known)  # ask here, so that a "no" returns to the launcher
        except KeyboardInterrupt:
            message = "interrupted: nothing was started"
            continue
        except (ConfigError, KeptRunError, NotStartedError, OSError) as error:
            message = str(error)
            continue
        sys.stdout.flush()
        if options.theme is not None:
            os.environ["ACP_TUI_THEME"] = options.theme
        os.chdir(chosen.folder)
        os.execv(PROGRAM[0], [*PROGRAM, *arguments_for(chosen)])


def _kept_sessions() -> "Sequence[BackgroundSession]":
    """Ask each kept run for the state of its sessions; return those that wait for the user first. A
    run that doesn't answer is listed with the error.
    """
    from acp_tui.kept.run_places import KeptRunError, living_runs, send_request
    from acp_tui.kept.summary import WAITS
    from acp_tui.ui.launcher.rows import BackgroundSession

    found: list[BackgroundSession] = []
    for place in living_runs(kept_folder()):
        try:
            sessions = send_request(place, "status")["sessions"]
        except KeptRunError as error:
            found.append(BackgroundSession(place.name, place.name, None, "", "", str(error), False))
            continue
        for one in sessions:
            state, waits = one["state"], one["state"].startswith(WAITS)
            facts = one["agent"], one["session"], one["title"], one["cwd"]
            found.append(BackgroundSession(place.name, *facts, state, waits))
    return sorted(found, key=lambda one: not one.waits)


def arguments_for(chosen: "LauncherChoice") -> list[str]:
    """Return the arguments with which acp-tui starts a choice."""
    from acp_tui.ui.launcher.rows import (
        AttachRun,
        ResumeSession,
        StartAgent,
        StartCommand,
        StartRace,
    )

    match chosen.choice:
        case AttachRun(name):
            return ["attach", name]
        case StartAgent(name, options_first):
            more = ["--unstable", "--choose-options"] if options_first else []
            return [name, f"--cwd={chosen.folder}", *more]
        case StartRace(race):
            return list(race)
        case StartCommand(argv):
            return [f"--cwd={chosen.folder}", "--", *argv]
        case ResumeSession(session):
            return resume_arguments(session)
    return ["demo"]
