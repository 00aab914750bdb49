"""`acp-tui script`: play prompts and answers from a file to an agent, and check what the file
expects.
"""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.cli.options import agent_options, launch_options, session_options
from acp_tui.cli.options.only_agent import choose_agent, launched
from acp_tui.cli.output import USAGE, finish_command, is_report, out, out_data, print_error
from acp_tui.config.private_files import write_whole

if TYPE_CHECKING:
    from acp_tui.client.launch import Launch
    from acp_tui.client.recorder import Recorder
    from acp_tui.protocol.initialization import ClientCapabilities
    from acp_tui.script.model import PromptScript
    from acp_tui.script.outcome import ScriptOutcome, StepResult
    from acp_tui.script.runner import ScriptPlayer

_USAGE = "acp-tui script [OPTIONS] FILE.yaml -- COMMAND [ARG...]"
_EPILOG = """\
acp-tui script tea.yaml -- my-agent --acp
acp-tui script tea.yaml --junit results.xml --agent gemini

The file has prompts, answers to the agent's questions, and expectations. A question without an answer is
rejected: nothing is allowed unless the script says so. See docs/testing.md.

exit codes, as those of acp-tui run: 0 everything expected holds; 1 agent or protocol error; 2 usage, or
a script that can't be used; 3 a step, or the start, took too long; 5 something was rejected, because no
answer is for it; 7 an expectation doesn't hold; 130 interrupted"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's description and arguments."""
    parser.usage = _USAGE
    parser.description = (
        "Play prompts and answers from a file to an agent, and check what the file expects."
    )
    parser.epilog = _EPILOG
    parser.add_argument("script", metavar="FILE.yaml", type=Path, help="the script")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument(
        "--junit", metavar="FILE", type=Path, help="write the results as JUnit's XML, too"
    )
    parser.add_argument(
        "--auth", metavar="METHOD", help="sign in with this method if the agent requires it"
    )
    agent_options.add_agent_options(parser, several=False, after="FILE.yaml")
    launch_options.add_launch_options(parser)
    session_options.add_session_options(parser, picker=False)


def execute(options: argparse.Namespace) -> int:
    """Play the script; return its exit code."""
    return finish_command("script", str(options.script), lambda: _play_script(options))


def _play_script(options: argparse.Namespace) -> int:
    from acp_tui.script.nodes import ScriptError
    from acp_tui.script.parser import read_script

    try:
        script = read_script(options.script)
    except ScriptError as error:
        print_error(f"{options.script}:{error.line}: {error}", "script")
        return USAGE
    _check_options(options)
    agent, settings = choose_agent(options, "one script is for one agent: name only one")
    base = launch_options.base_launch(options, agent, settings)
    base = replace(base, capabilities=_find_capabilities(base, script))
    import anyio

    from acp_tui.script.runner import ScriptPlayer

    player = ScriptPlayer(script, lambda result: _print_result(result, options))
    with launched(options, agent, settings, base, by="script") as (launch, recorder):
        # the player opens the session itself, to see how that ends
        anyio.run(_play_steps, player, replace(launch, opening=None), recorder, options)
    return _report_outcome(player.played, options, recorder.path if recorder is not None else None)


def _check_options(options: argparse.Namespace) -> None:
    """End the program for an option that a script can't use, and before a file that isn't a report
    is overwritten.
    """
    if options.go_on:
        options.parser.error(
            "--continue: name the session by --resume ID, so that it is always the same"
        )
    junit = options.junit
    if junit is not None and junit.exists() and not is_report(junit, "<?xml"):
        options.parser.error(f"--junit: {junit} exists, and is not such a report")


def _find_capabilities(base: "Launch", script: "PromptScript") -> "ClientCapabilities":
    """Return the capabilities to advertise: elicitation only if the script answers any."""
    from acp_tui.protocol.initialization import ElicitationCapabilities

    asks = ElicitationCapabilities(form={}, url={}) if script.asks else None
    return base.capabilities.model_copy(update={"elicitation": asks})


async def _play_steps(
    player: "ScriptPlayer",
    launch: "Launch",
    recorder: "Recorder | None",
    options: argparse.Namespace,
) -> None:
    import anyio

    from acp_tui.host.hosts import host_agents
    from acp_tui.recordings.records import PackedLog

    async with host_agents() as (hosts, leave):
        memory = PackedLog()
        client = hosts.start(launch, recorder, memory)
        scope = anyio.CancelScope()
        async with leave.calling(scope.cancel):
            with scope:
                await player.play(client, memory, auth=options.auth, resume=options.resume)
        if scope.cancelled_caught:
            player.interrupt()


def _print_result(result: "StepResult", options: argparse.Namespace) -> None:
    """Print a step's result as soon as it ends, in the text format."""
    from acp_tui.script.report import format_result

    if options.format == "text":
        for line in format_result(result, str(options.script)):
            out(line)
        sys.stdout.flush()  # so that a reader behind a pipe sees it, too


def _report_outcome(
    played: "ScriptOutcome", options: argparse.Namespace, recording: Path | None
) -> int:
    from acp_tui.masking.redactor import Redactor
    from acp_tui.script.report import count_passed, results_object, script_junit

    file = str(options.script)
    if options.format == "json":
        out_data(json.dumps(results_object(played, file), ensure_ascii=False, indent=1) + "\n")
    else:
        out(count_passed(played))
        if played.trouble:
            print_error(Redactor().text(played.trouble, "trouble"), "script")
    if played.code and recording is not None:
        print_error(f"recorded: {recording}", "script")
    if options.junit is not None:
        write_whole(options.junit.absolute(), script_junit(played, file))
    return int(played.code)
