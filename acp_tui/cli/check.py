"""`acp-tui check`: check an agent against the rules of the protocol."""

import argparse
import os
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from acp_tui.cli import repeat_commands
from acp_tui.cli.options import agent_options, launch_options
from acp_tui.cli.options.agent_options import probe_launch
from acp_tui.cli.options.launch_options import user_settings
from acp_tui.cli.options.only_agent import choose_agent
from acp_tui.cli.options.values import (
    parse_act_prompts,
    parse_count,
    parse_seconds,
    parse_variables,
)
from acp_tui.cli.output import (
    USAGE,
    finish_command,
    is_report,
    out,
    out_data,
    print_error,
    show_progress,
)
from acp_tui.config.known_agents import wrongly_started
from acp_tui.config.paths import checks_folder
from acp_tui.config.private_files import write_whole
from acp_tui.formatting import counted, duration

if TYPE_CHECKING:
    from acp_tui.check.bench import Stage
    from acp_tui.check.model import CheckResult, Profile
    from acp_tui.check.prompts import CheckPrompts
    from acp_tui.check.reports import Summary
    from acp_tui.check.runner import CheckPlan
    from acp_tui.client.launch import Launch

FAILED = 1
_USAGE = """\
acp-tui check [OPTIONS] -- COMMAND [ARG...]
       acp-tui check [OPTIONS] --agent NAME
       acp-tui check [OPTIONS] --connect URL"""
_EPILOG = """\
acp-tui check -- my-agent --acp
acp-tui check --profile strict --junit report.xml -- my-agent --acp

Each check starts the agent afresh, in a folder of its own that is deleted afterward, and quotes the
rule behind it. docs/check.md lists them. An agent on this machine gets files and terminals without asking, in
that throwaway folder, as most editors offer them; what a terminal runs can do whatever you can. What the
agent asks permission for when it is prompted to write, read or run something is allowed, except for files
outside its folder. --sandbox confines the agent and what it runs.

Some checks prompt the model, which may cost: --dry-run says how often, --max-turns limits it. What the
model doesn't do is not tested, and never counts as right. {folder} in a prompt is the agent's folder.

exit codes: 0 conformant; 1 a failure, a MUST that could not be tested (unless --untested ok), or nothing that
was tested; 2 usage, or an agent that can't be started or reached"""


STDOUT = "-"
_FORMATS = {
    "json": ("format_json", "JSON", '{\n  "acp-tui-check"'),
    "junit": ("format_junit", "JUnit's XML", "<?xml"),
    "markdown": ("format_markdown", "Markdown", "## `acp-tui check`"),
    "sarif": ("format_sarif", "SARIF", '{\n  "$schema"'),
}
"""Report formats by name: the function that formats one, its title in `--help`, and how its files
begin.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's description and arguments."""
    parser.usage = _USAGE
    parser.description = "Check an agent against the rules of the protocol."
    parser.epilog = _EPILOG
    parser.add_argument(
        "--profile",
        choices=("v1", "registry", "editor", "strict"),
        default="v1",
        help="v1: all of version 1 (default); registry: what needs no model; editor: also what editors "
        "rely on; strict: also a warning is a failure",
    )
    parser.add_argument(
        "--protocol",
        type=int,
        choices=(1, 2),
        default=1,
        help="the version of the protocol to speak (default: 1); of 2, a preview, some checks are left out",
    )
    parser.add_argument(
        "--only", metavar="ID,...", default="", help="only these checks, by their ids: A3,A15"
    )
    parser.add_argument(
        "-j",
        "--jobs",
        metavar="N",
        type=parse_count,
        help="how many agents run side by side (default: two for each processor)",
    )
    parser.add_argument("--auth", metavar="ID", help="the method to sign in with")
    parser.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=parse_seconds,
        default=60.0,
        help="how long to wait for an answer, or for the end of a turn (default: 60)",
    )
    parser.add_argument(
        "--untested",
        choices=("fail", "ok"),
        default="fail",
        help="what a required check that could not be tested means for the exit code (default: fail)",
    )
    parser.add_argument(
        "--allow-logout",
        action="store_true",
        help="try logout, too, which may end your own sign-in",
    )
    model = parser.add_argument_group("the model")
    model.add_argument(
        "--prompt-for",
        metavar="ACT=TEXT",
        action="append",
        default=[],
        help="the prompt for say, slow, write, edit, read, shell, place, plan, ask or subagent (repeatable)",
    )
    model.add_argument(
        "--tries",
        metavar="N",
        type=parse_count,
        default=2,
        help="how many times the model is asked to use a tool (default: 2)",
    )
    model.add_argument(
        "--max-turns",
        metavar="N",
        type=_parse_number,
        help="leave out checks that may take more turns",
    )
    model.add_argument(
        "--dry-run",
        action="store_true",
        help="list the checks and their prompts, and start nothing",
    )
    add_report_options(parser)
    agent_options.add_agent_options(parser, several=False)
    parser.add_argument(
        "--env", metavar="K=V", action="append", default=[], help="set for the agent (repeatable)"
    )
    launch_options.add_place_options(parser)
    parser.set_defaults(resume=None)


def execute(options: argparse.Namespace) -> int:
    """Run the checks and print their results."""
    from acp_tui.check.model import Profile
    from acp_tui.check.runner import chosen_checks, plan_checks

    profile = Profile(options.profile)
    only = [name.strip() for name in options.only.split(",") if name.strip()]
    if options.only and not only:
        options.parser.error("--only wants ids of checks, as in A3,A15")
    try:
        checks = chosen_checks(profile, only, options.protocol)
    except ValueError as error:
        options.parser.error(f"--only: {error}")
    model = profile is not Profile.REGISTRY
    made = plan_checks(checks, options.tries, options.max_turns, model=model)
    prompts = _read_prompts(options)
    if options.dry_run:
        _print_plan(made, prompts)
        return 0
    return finish_command("check", "", lambda: _run_checks(options, made, prompts, profile))


def add_report_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that write reports."""
    reports = parser.add_argument_group("reports, to stdout or into files")
    for name, (_, what, _) in _FORMATS.items():
        reports.add_argument(
            f"--{name}", metavar="FILE", nargs="?", const=STDOUT, help=f"as {what}"
        )


def requested_reports(options: argparse.Namespace) -> dict[str, str]:
    """Return the requested report formats with their files; usage errors end the program."""
    found = {name: getattr(options, name) for name in _FORMATS if getattr(options, name)}
    if list(found.values()).count(STDOUT) > 1:
        options.parser.error("one report goes to stdout; name files for the others: --json=FILE")
    for name, file in found.items():
        path = Path(file)
        if file != STDOUT and path.exists() and not is_report(path, _FORMATS[name][2]):
            options.parser.error(f"--{name}: {file} exists, and is not such a report")
    return found


def write_reports(reports: dict[str, str], summary: "Summary") -> None:
    """Write each report to its file, or to stdout. Raises OSError."""
    from acp_tui.check import reports as reports_of_check

    for name, file in reports.items():
        make: Callable[[Summary], str] = getattr(reports_of_check, _FORMATS[name][0])
        if file == STDOUT:
            out_data(make(summary))
        else:
            write_whole(Path(file).absolute(), make(summary))
            print_error(f"written: {file}", "check")


def _parse_number(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"a number, not {text!r}")
    return int(text)


def _read_prompts(options: argparse.Namespace) -> "CheckPrompts":
    from acp_tui.check.prompts import CheckPrompts, ModelAct

    kept = user_settings().check.prompts
    given: dict[ModelAct, str] = {ModelAct(act): text for act, text in kept.items()}
    return CheckPrompts(given | parse_act_prompts(options), options.tries)


def _print_plan(plan: "CheckPlan", prompts: "CheckPrompts") -> None:
    for check in plan.checks:
        out(f"{check.id:<4} {check.tier:<10} {check.title}")
    for check in plan.unaffordable:
        out(f"{check.id:<4} left out: too few turns")
    out("")
    for name, act in plan.prompts:
        out(f"{name}: {act}: {prompts.text(act, '', '{folder}')}")
    out(_format_cost(plan))


def _format_cost(plan: "CheckPlan") -> str:
    return (
        f"{counted(len(plan.checks), 'check')}, at most {counted(plan.turns, 'turn')} of the model"
    )


def _run_checks(
    options: argparse.Namespace, plan: "CheckPlan", prompts: "CheckPrompts", profile: "Profile"
) -> int:
    from tempfile import TemporaryDirectory

    import anyio

    from acp_tui.check.bench import Stage
    from acp_tui.check.connection import CannotStart
    from acp_tui.check.reports import LINE_WIDTH, format_text
    from acp_tui.check.runner import longest_run
    from acp_tui.client.process.orphans import orphans
    from acp_tui.client.process.watchdog import watchdog

    reports = requested_reports(options)
    launch = _make_launch(options)
    with TemporaryDirectory(prefix="acp-tui-check-", ignore_cleanup_errors=True) as folder:
        orphans.adopt()
        watchdog.start()
        watchdog.add_path(Path(folder))
        stage = Stage(
            launch,
            Path(folder).resolve(),
            _recordings_folder(launch),
            prompts,
            options.auth,
            options.timeout,
            may_sign_out=options.allow_logout,
            version=options.protocol,
        )
        longest = longest_run(plan, options.timeout, _count_jobs(options))
        print_error(f"{_format_cost(plan)}, at most {duration(longest)}", "check")
        try:
            results = anyio.run(_make_checks, plan, stage, options, longest)
        except CannotStart as error:
            print_error(str(error), "check")
            _suggest_adapter(launch)
            return USAGE
    summary = _make_summary(stage, profile, results, options)
    write_reports(reports, summary)
    if STDOUT not in reports.values():
        for line in format_text(summary, min(LINE_WIDTH, get_terminal_size().columns)):
            out(line)
    if not stage.initialized:
        _suggest_adapter(launch)
    return 0 if summary.is_accepted else FAILED


def _suggest_adapter(launch: "Launch") -> None:
    """Suggest the ACP adapter of a well-known agent whose own program, which doesn't speak ACP, was
    checked.
    """
    agent = wrongly_started(launch.argv)
    if agent is not None:
        through = "through" if agent.has_adapter else "as"
        print_error(
            f"{agent.title} speaks ACP {through} {agent.words}: acp-tui check -- {agent.words}",
            "check",
        )


def _make_summary(
    stage: "Stage", profile: "Profile", results: "list[CheckResult]", options: argparse.Namespace
) -> "Summary":
    from acp_tui.check.reports import Summary, mask_results
    from acp_tui.masking.redactor import Redactor

    return Summary(
        stage.agent,
        profile,
        mask_results(results, Redactor()),
        stage.agent_version,
        stage.prompted,
        whole=not options.only,
        version=stage.version,
        may_leave_out=options.untested == "ok",
    )


def _count_jobs(options: argparse.Namespace) -> int:
    """Return how many agents may run at the same time."""
    return int(options.jobs or 2 * (os.cpu_count() or 1))


async def _make_checks(
    plan: "CheckPlan", stage: "Stage", options: argparse.Namespace, longest: float
) -> "list[CheckResult]":
    from acp_tui.check.runner import run_plan

    try:
        return await run_plan(
            plan,
            stage,
            jobs=_count_jobs(options),
            longest=longest,
            again=lambda check: repeat_commands.check_command(options, check),
            report=_show_checks,
        )
    finally:
        show_progress()


def _show_checks(done: int, total: int, running: Sequence[str]) -> None:
    """Show how many checks are done, and which are still running."""
    names = f"; running: {', '.join(running)}" if running else ""
    show_progress(f"{done} of {total} checks{names}")


def _make_launch(options: argparse.Namespace) -> "Launch":
    """Return the `Launch` of the agent to check; usage errors end the program."""
    agent, settings = choose_agent(options, "name one agent: each has results of its own")
    env = parse_variables(options)
    placed = launch_options.launch_fields(options.parser, options, settings)
    launch = probe_launch(agent, env, **placed)
    launch_options.check_place(launch)
    return launch


def _recordings_folder(launch: "Launch") -> Path:
    """Create the folder for the recordings of this run."""
    from acp_tui.store.recordings import new_run_folder

    return new_run_folder(checks_folder(), launch.program, datetime.now().astimezone())
