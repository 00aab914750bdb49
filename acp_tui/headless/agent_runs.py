"""Hosts an agent for a run without a UI: one hand-made message, one turn, or a conversation by
lines.
"""

import json
import signal
from collections.abc import AsyncIterable, Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread

from acp_tui.client.client import Client
from acp_tui.client.launch import Launch
from acp_tui.client.programs import run_for
from acp_tui.client.recorder import Recorder
from acp_tui.config.paths import checkpoints_folder
from acp_tui.headless.printer import PrintLine
from acp_tui.host.hosts import ClientGroup, host_agents
from acp_tui.recordings.records import PackedLog
from acp_tui.state.commands import CompareFolder
from acp_tui.state.session import Session

if TYPE_CHECKING:
    from acp_tui.headless.one_shot import OneShotOptions
    from acp_tui.headless.outcome import RunFindings
    from acp_tui.headless.turns import TurnOptions


CHECKPOINT_TIMEOUT = 5.0
"""Most seconds that a prompt waits until the folder has been stored."""
FLUSH_TIMEOUT = 1.0
"""Seconds for output that is still unwritten after the turn and its report."""


async def run_one_shot(
    launch: Launch, recorder: Recorder | None, options: "OneShotOptions", print_line: PrintLine
) -> int:
    """Send an agent one hand-made message; return the exit code."""
    from acp_tui.headless.one_shot import OneShot

    async with host_agents() as (hosts, leave):
        memory = PackedLog()
        client = hosts.start(launch, recorder, memory)
        shot = OneShot(client.state, client.do, memory, options, print_line)
        client.listen(shot.follow)
        async with leave.calling(shot.interrupt):
            return await shot.run()


async def run_turn(
    launch: Launch, recorder: Recorder | None, options: "TurnOptions", report_format: str
) -> int:
    """Run one turn without a UI; return the exit code."""
    from acp_tui.headless.json_events import JsonReport
    from acp_tui.headless.report import TextReport
    from acp_tui.headless.run import HeadlessRun

    async with host_agents() as (hosts, leave):
        memory = None if options.findings is None else PackedLog()
        client = hosts.start(launch, recorder, memory)
        store_folder = find = None
        if memory is not None:
            find = partial(_find_broken_rules, hosts, client, memory)
            if options.checkpoints != "nowhere":
                store_folder = partial(_store_folder, client, options.checkpoints == "everywhere")
        report = JsonReport() if report_format == "json" else TextReport()
        if options.person:
            options = replace(options, run_program=partial(run_for, launch))
        run = HeadlessRun(
            client.state,
            client.do,
            report,
            options,
            wait_for_comparisons=client.settled,
            store_folder=store_folder,
            find=find,
        )
        client.listen(run.follow)
        async with leave.calling(run.interrupt):
            code = await run.turn()
    with anyio.move_on_after(FLUSH_TIMEOUT):  # the end of the recording may have printed an error
        await report.output.written()
    report.output.close()
    return code


async def run_talk(launch: Launch, recorder: Recorder | None, options: "TurnOptions") -> int:
    """Talk with an agent by lines until the user quits; return the exit code."""
    from acp_tui.headless.conversation import Talk
    from acp_tui.headless.report import TextReport

    with anyio.open_signal_receiver(signal.SIGINT) as interrupts:
        async with host_agents(signal.SIGINT) as (hosts, leave), anyio.create_task_group() as tasks:
            client = hosts.start(launch, recorder)
            if options.person:
                options = replace(options, run_program=partial(run_for, launch))
            report = TextReport(holds_stderr=options.holds_stderr)
            talk = Talk(client.state, client.do, report, options)
            client.listen(talk.follow)
            tasks.start_soon(_on_interrupts, interrupts, talk.cancel)
            async with leave.calling(talk.leave):
                code = await talk.run()
            tasks.cancel_scope.cancel()
    report.output.close()
    return code


async def _on_interrupts(interrupts: AsyncIterable[int], cancel: Callable[[], None]) -> None:
    async for _ in interrupts:
        cancel()


async def _store_folder(client: Client, anywhere: bool, session: Session) -> None:
    """Store the session's folder to compare it after the turn; give up after `CHECKPOINT_TIMEOUT` seconds."""
    from acp_tui.git.objects import CheckpointError
    from acp_tui.rewind.store import Checkpoints
    from acp_tui.rewind.unkept_files import find_usual

    folder, place = client.state.folder_here(session), checkpoints_folder()
    if folder is None:
        return

    def keep() -> CompareFolder | None:
        store = Checkpoints.of(Path(folder), place, anywhere=anywhere)
        if store is None:
            return None
        tree, usual = store.now()[0], find_usual(store)
        return CompareFolder(session.session_id, folder, str(place), tree, usual)

    kept = None
    with suppress(CheckpointError), anyio.move_on_after(CHECKPOINT_TIMEOUT):
        kept = await to_thread.run_sync(keep, abandon_on_cancel=True)
    if kept is not None:
        client.do(kept)


async def _find_broken_rules(
    hosts: ClientGroup, client: Client, memory: PackedLog
) -> "RunFindings":
    """End the agent; return the findings about all of its messages."""
    from acp_tui.debug.findings_report import findings_json, findings_text
    from acp_tui.debug.log import Log
    from acp_tui.extensions import extensions
    from acp_tui.headless.outcome import RunFindings
    from acp_tui.protocol.findings import Severity

    await hosts.end(client)
    log = Log.of_all(memory, extensions.linter())
    found = list(log.findings)
    return RunFindings(
        list(findings_text(log, found)),
        [json.loads(line) for line in findings_json(log, found)],
        log.findings.severities[Severity.ERROR],
        log.findings.severities[Severity.WARNING],
    )
