"""`acp-tui run`: one turn without a UI."""

import argparse
import sys
from dataclasses import replace

from acp_tui.cli.options import agent_options, launch_options, session_options, turn_options
from acp_tui.cli.options.only_agent import choose_agent, launched
from acp_tui.config.layers import unused_prompt
from acp_tui.config.settings import PROJECT_FILE

_USAGE = "acp-tui run [OPTIONS] PROMPT -- COMMAND [ARG...]"
_EPILOG = """\
acp-tui run "Fix the failing test" --permissions allow -- my-agent --acp
acp-tui run -f prompt.md --format json -- my-agent --acp
acp-tui run "Hello" --findings -- my-agent --acp          also report violations of the protocol

exit codes: 0 the turn ended; 1 agent or protocol error; 2 usage; 3 timeout, or --max-*;
4 refusal, or a limit of tokens or requests; 5 a permission was rejected because nobody could be asked;
6 --findings found something; 130 interrupted (by SIGINT, SIGTERM or SIGHUP)"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's description and arguments."""
    parser.usage = _USAGE
    parser.description = (
        "One turn without a UI: the agent's message on stdout, everything else on stderr."
    )
    parser.epilog = _EPILOG
    turn_options.add_turn_options(parser)
    agent_options.add_agent_options(parser, several=False, after='"PROMPT"')
    launch_options.add_launch_options(parser)
    session_options.add_session_options(parser, picker=False)


def execute(options: argparse.Namespace) -> int:
    """Run the turn; return its exit code."""
    parser = options.parser
    agent, settings = choose_agent(options, "one turn is for one agent: name only one")
    prompt = turn_options.read_prompt(parser, options)
    base = launch_options.base_launch(options, agent, settings, person=turn_options.has_person())
    turn = replace(
        turn_options.make_turn_options(options, prompt), checkpoints=settings.checkpoints.where
    )
    import anyio

    from acp_tui.headless.agent_runs import run_turn

    unused = unused_prompt(PROJECT_FILE) if options.system_prompt is None else []
    base = replace(
        base,
        session=replace(base.session, choices=tuple(options.set)),
        remarks=(*base.remarks, *unused),
    )
    failure_reported = options.format == "text"
    # redirected output belongs to a script; no one will continue its session
    by = "" if sys.stdout.isatty() else "run"
    with launched(options, agent, settings, base, by=by, failure_reported=failure_reported) as (
        launch,
        recorder,
    ):
        return anyio.run(run_turn, launch, recorder, turn, options.format)
