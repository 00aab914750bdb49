"""`acp-tui demo`: the UI with the built-in demo agent."""

import argparse
from pathlib import Path

from acp_tui.cli.attach import begin_run
from acp_tui.cli.options import launch_options, session_options
from acp_tui.cli.ui import add_plain_options, add_ui_options, check_plain, show_app, talk_with
from acp_tui.config.paths import DEMO_FOLDER, PROGRAM
from acp_tui.config.settings import AgentSettings

AGENT = (*PROGRAM[:-1], "acp_tui.demo_agent")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's description and arguments."""
    parser.usage = "acp-tui demo [OPTIONS]"
    parser.description = "Work with the built-in demo agent, offline."
    parser.epilog = (
        "acp-tui demo\nacp-tui demo --theme day\nacp-tui demo --plain    by lines, without a screen"
    )
    launch_options.add_launch_options(parser)
    session_options.add_session_options(parser, picker=True)
    add_ui_options(parser)
    add_plain_options(parser)


def execute(options: argparse.Namespace) -> int:
    """Show the UI, in a temporary folder of sample files unless `--cwd` names another."""
    if options.agent_command:
        options.parser.error("the demo brings its own agent: leave out -- and what follows")
    check_plain(options)
    return _start_demo(options) if options.plain else begin_run(options, _start_demo)


def _start_demo(options: argparse.Namespace) -> int:
    from tempfile import TemporaryDirectory

    from acp_tui.client.process.watchdog import watchdog
    from acp_tui.demo_agent.work import sample_workspace

    with TemporaryDirectory(prefix=DEMO_FOLDER) as folder:
        watchdog.start()
        watchdog.add_path(Path(folder))
        if options.cwd == ".":
            sample_workspace(Path(folder))
            options.cwd = folder
        settings = launch_options.user_settings()
        demo = AgentSettings(command=list(AGENT))
        if options.plain:
            return talk_with(options, settings, demo)
        base = launch_options.base_launch(options, demo, settings, interactive=True)
        known = {"second demo agent": demo, **settings.agents}
        here = Path.cwd()  # export into the current folder: the demo's own is deleted at the end
        return show_app([("", demo)], base, options, settings, known, exports_into=here)
