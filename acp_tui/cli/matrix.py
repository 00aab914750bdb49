"""`acp-tui matrix`: print what agents can do, side by side, or show it as a screen."""

import argparse
import json
import os
import shlex
import subprocess
import sys
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.cli.options import agent_options
from acp_tui.cli.options.agent_options import probe_launch
from acp_tui.cli.options.launch_options import user_settings
from acp_tui.cli.options.values import parse_act_prompts, parse_seconds, parse_variables
from acp_tui.cli.output import finish_command, out, out_data, print_error
from acp_tui.config.paths import matrix_folder
from acp_tui.config.settings import AgentSettings
from acp_tui.config.toml_files import ConfigError
from acp_tui.formatting import counted

if TYPE_CHECKING:
    from acp_tui.check.prompts import CheckPrompts
    from acp_tui.matrix.model import Matrix
    from acp_tui.matrix.probe import Probed
    from acp_tui.ui.matrix.app import MatrixTable

_USAGE = """\
acp-tui matrix [OPTIONS]                            all agents of settings.toml
       acp-tui matrix [OPTIONS] --agent NAME ...
       acp-tui matrix [OPTIONS] --registry FILE     those of the registry that are installed here
       acp-tui matrix [OPTIONS] -- COMMAND [ARG...]"""
_EPILOG = """\
acp-tui matrix                                  all agents of settings.toml
acp-tui matrix --agent gemini --agent claude
acp-tui matrix --format html > agents.html

Each agent is started in a folder of its own that is deleted afterward. It gets a handshake, one session, and
calls that change nothing; --turns adds five prompts for each, which may cost. Nothing is judged: acp-tui
check does that. What is not tested says nothing about an agent.

exit codes: 0; 2 usage, or no agent that can be started"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's description and arguments."""
    parser.usage = _USAGE
    parser.description = "Show what agents can do, side by side."
    parser.epilog = _EPILOG
    parser.add_argument(
        "--format",
        choices=("screen", "markdown", "html", "json"),
        help="how it is shown (default: screen in a terminal, else markdown)",
    )
    parser.add_argument(
        "--registry",
        metavar="FILE",
        type=Path,
        help="a registry.json: those of its agents that are installed",
    )
    parser.add_argument(
        "--yes", action="store_true", help="start the programs that --registry lists"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="list the agents and commands, and start nothing"
    )
    parser.add_argument("--turns", action="store_true", help="prompt the models, too")
    parser.add_argument(
        "--prompt-for",
        metavar="ACT=TEXT",
        action="append",
        default=[],
        help="with --turns: the prompt for say, write, read, shell or plan (repeatable)",
    )
    parser.add_argument("--auth", metavar="ID", help="the method to sign in with")
    parser.add_argument(
        "--protocol",
        type=int,
        choices=(1, 2),
        default=1,
        help="the version of the protocol to speak: 1 (default), or 2, a preview",
    )
    parser.add_argument(
        "-j", "--jobs", metavar="N", type=int, default=2, help="agents side by side (default: 2)"
    )
    parser.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=parse_seconds,
        default=60.0,
        help="how long to wait for an answer (default: 60)",
    )
    agent_options.add_agent_options(parser, several=True)
    parser.add_argument(
        "--env", metavar="K=V", action="append", default=[], help="set for the agents (repeatable)"
    )
    parser.set_defaults(place="", sandbox=None, resume=None, cwd=os.curdir, agent_log="")


def execute(options: argparse.Namespace) -> int:
    """Probe the agents and show the results."""
    return finish_command("matrix", "the matrix", lambda: _make_matrix(options))


def named_agents(options: argparse.Namespace) -> "list[Probed]":
    """Return the agents that are named, those of a registry's file, or all of the settings.

    Raises ConfigError if the file is unusable or none of its agents is installed, or if the
    settings name no agents.
    """
    settings = user_settings()
    if options.registry is not None:
        return _registry_agents(options)
    if not (options.agent or options.connect or options.agent_command):
        options.agent = list(settings.agents)
        if not options.agent:
            raise ConfigError(
                "settings.toml names no agents; name some: acp-tui matrix --agent gemini --agent claude"
            )
    chosen = agent_options.chosen_agents(options.parser, options, settings.agents)
    env = parse_variables(options)
    return [_make_probed(name, agent, env, options.auth) for name, agent in chosen]


def _make_probed(
    name: str, agent: AgentSettings, env: dict[str, str], auth: str | None
) -> "Probed":
    from acp_tui.matrix.probe import Probed

    return Probed(name or _name_agent(agent), agent.words, probe_launch(agent, env), auth)


def _name_agent(agent: AgentSettings) -> str:
    """Return a name for a command that has none."""
    remote = agent.remote
    return Path(agent.command[0]).name if remote is None else remote.host


def _registry_agents(options: argparse.Namespace) -> "list[Probed]":
    from acp_tui.client.launch import Launch
    from acp_tui.matrix.probe import Probed
    from acp_tui.store.registry import read_registry
    from acp_tui.store.registry_starts import installed_agents

    registry = read_registry(options.registry)
    for problem in registry.problems:
        print_error(problem, "matrix")
    found = installed_agents(registry)
    if not found:
        count = len(registry.agents)
        raise ConfigError(f"{options.registry}: none of its {count} agents is installed here")
    env = parse_variables(options)
    return [
        Probed(
            one.agent.id,
            shlex.join(one.command),
            Launch(
                tuple(one.command),
                str(Path.cwd()),
                {**one.env, **env},
                opening=None,
                handshake=False,
                backups=False,
            ),
            options.auth,
        )
        for one in found
    ]


def _make_matrix(options: argparse.Namespace) -> int:
    if options.jobs < 1:
        options.parser.error("--jobs: at least 1")
    chosen = named_agents(options)
    listed = [f"{one.name}: {one.command}" for one in chosen]
    if options.dry_run:
        for line in listed:
            out(line)
        return 0
    if options.registry is not None and not options.yes:
        print_error(
            "\n".join(["nothing was started; --yes starts these programs:", *listed]), "matrix"
        )
        return 2
    matrix = _probe_agents(chosen, options)
    if all(column.trouble and not column.cells for column in matrix.columns):
        print_error("\n".join(f"{one.name}: {one.trouble}" for one in matrix.columns), "matrix")
        return 2
    return _show_matrix(matrix, options)


def _read_prompts(options: argparse.Namespace) -> "CheckPrompts | None":
    from acp_tui.check.prompts import CheckPrompts

    given = parse_act_prompts(options)
    return CheckPrompts(given) if options.turns else None


def _probe_agents(chosen: "list[Probed]", options: argparse.Namespace) -> "Matrix":
    from tempfile import TemporaryDirectory

    import anyio

    from acp_tui.client.process.orphans import orphans
    from acp_tui.client.process.watchdog import watchdog
    from acp_tui.matrix.probe import probe_all
    from acp_tui.store.recordings import new_run_folder

    prompts = _read_prompts(options)
    if prompts is not None:
        from acp_tui.matrix.probe import ACTS

        print_error(f"at most {len(ACTS) * len(chosen)} turns of the models", "matrix")
    recordings = new_run_folder(
        matrix_folder() / "recordings", "matrix", datetime.now().astimezone()
    )
    with ExitStack() as stack:
        temporary = TemporaryDirectory(prefix="acp-tui-matrix-", ignore_cleanup_errors=True)
        folder = Path(stack.enter_context(temporary)).resolve()
        orphans.adopt()
        watchdog.start()
        watchdog.add_path(folder)

        async def go() -> "Matrix":
            return await probe_all(
                chosen,
                folder,
                recordings,
                prompts,
                jobs=options.jobs,
                patience=options.timeout,
                report=_show_progress,
                version=options.protocol,
            )

        return anyio.run(go)


def _show_progress(name: str, words: str) -> None:
    if sys.stderr.isatty():
        print_error(f"{name}: {words}", "matrix")


def _show_matrix(matrix: "Matrix", options: argparse.Namespace) -> int:
    from acp_tui.matrix.model import to_json
    from acp_tui.matrix.report import matrix_html, matrix_markdown

    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    match options.format or ("screen" if is_terminal else "markdown"):
        case "screen" if not is_terminal:
            options.parser.error("--format screen wants a terminal")
        case "screen":
            from acp_tui.cli.screen import prepare_look

            # before modules with key bindings are imported
            theme = prepare_look(argparse.Namespace(theme=None)) or ""
            return show_matrix(matrix, theme)
        case "json":
            out_data(json.dumps(to_json(matrix), ensure_ascii=False, indent=1) + "\n")
        case "html":
            out_data("\n".join(matrix_html(matrix)) + "\n")
        case _:
            out_data("\n".join(matrix_markdown(matrix)) + "\n")
    return 0


def show_matrix(matrix: "Matrix", theme: str) -> int:
    """Show a matrix as a screen until the user quits; return the exit code."""
    import anyio

    from acp_tui.ui.matrix.app import MatrixApp

    app = MatrixApp(matrix_table(matrix), _replay_frame, theme)
    app.survives_faults = True
    anyio.run(app.run_async)
    return app.return_code or 0


def matrix_table(matrix: "Matrix") -> "MatrixTable":
    """Convert a matrix for the screen."""
    from acp_tui.matrix.report import format_source
    from acp_tui.matrix.rows import matrix_rows
    from acp_tui.ui.matrix.app import MatrixTable, MatrixValue, TableRow

    made = matrix.made[:16].replace("T", " ")
    agents = counted(len(matrix.columns), "agent")
    about = f"{agents}, {made}{', with turns' if matrix.with_turns else ''}"
    found = []
    for row in matrix_rows():
        values = []
        for column in matrix.columns:
            cell = column.cell(row.id)
            recording = Path(cell.recording) if cell.recording else None
            values.append(MatrixValue(cell.text, format_source(cell), recording, cell.frame))
        found.append(TableRow(row.group, row.title, values))
    named = [(column.name, column.trouble or column.command) for column in matrix.columns]
    return MatrixTable(about, named, found)


def _replay_frame(recording: Path, frame: int) -> None:
    """Replay a recording from one of its frames, on this terminal."""
    given = ["replay", str(recording), "--at", f"#{frame}"]
    subprocess.run([sys.executable, "-m", "acp_tui", *given], check=False)
