"""Probes agents: a handshake, a session, calls that change nothing and, on request, turns."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import anyio
from pydantic import ValidationError

from acp_tui.check.bench import Bench, CheckScene, Stage, Take
from acp_tui.check.connection import CannotStart
from acp_tui.check.messages import Json
from acp_tui.check.probe import Probe
from acp_tui.check.prompts import CheckPrompts, ModelAct
from acp_tui.check.verdicts import Skip
from acp_tui.client.launch import Launch
from acp_tui.matrix.model import Matrix, MatrixColumn, Observations
from acp_tui.matrix.rows import NEVER_CALLED, UNKNOWN, read_cells
from acp_tui.protocol.initialization import InitializeResult
from acp_tui.protocol.json_parts import object_at, value_at
from acp_tui.protocol.methods import AGENT_METHODS
from acp_tui.recordings.recording import RecordingError

ACTS = (ModelAct.SAY, ModelAct.WRITE, ModelAct.READ, ModelAct.SHELL, ModelAct.PLAN)
"""What the model is prompted for, once each, if turns are requested."""
OFFER: Json = {
    "fs": {"readTextFile": True, "writeTextFile": True},
    "terminal": True,
    "elicitation": {"form": {}, "url": {}},
    "session": {"configOptions": {"boolean": {}}},
    "plan": {},
    "auth": {"terminal": True},
}
"""All client capabilities: an agent may hide what depends on one."""
_NO_SESSION = "acp-tui-matrix-no-such-session"
"""The id of no session, so that calls about it change nothing."""
_GREETING = 1.0
"""Seconds to listen after a session was opened, as agents send their commands and modes then."""
_SETTERS = {
    "session/set_mode": "modes",
    "session/set_model": "models",
    "session/set_config_option": "configOptions",
}
"""Methods that are advertised by a field of the new session."""
ReportAgent = Callable[[str, str], None]
"""Reports the progress of an agent's probe, with its name."""


@dataclass(frozen=True)
class Probed:
    """An agent to probe: its name, its command or URL for display, and how to start it."""

    name: str
    command: str
    launch: Launch
    auth: str | None = None


async def probe_all(
    agents: Sequence[Probed],
    folder: Path,
    recordings: Path,
    prompts: CheckPrompts | None,
    *,
    jobs: int,
    patience: float,
    report: ReportAgent,
    version: int = 1,
) -> Matrix:
    """Probe agents, at most `jobs` at a time, each in a folder of its own below `folder`.

    With `prompts`, turns are run, too. An agent that can't be started gets a column that says why.
    `version` is the protocol version to speak, `patience` the timeout of responses in seconds.
    """
    made = datetime.now().astimezone().isoformat(timespec="seconds")
    columns: dict[int, MatrixColumn] = {}
    limiter = anyio.CapacityLimiter(jobs)

    async def one(number: int, agent: Probed) -> None:
        async with limiter:
            report(agent.name, "is probed")
            place = f"{number}"
            (recordings / place).mkdir(parents=True)
            stage = Stage(
                agent.launch,
                folder / place,
                recordings / place,
                prompts or CheckPrompts(),
                agent.auth,
                patience,
                version=version,
            )
            columns[number] = await _column(agent, stage, with_turns=prompts is not None)
            report(agent.name, columns[number].trouble or "done")

    async with anyio.create_task_group() as tasks:
        for number, agent in enumerate(agents, 1):
            tasks.start_soon(one, number, agent)
    return Matrix(made, [columns[number] for number in sorted(columns)], prompts is not None)


async def _column(agent: Probed, stage: Stage, *, with_turns: bool) -> MatrixColumn:
    bench = Bench(stage, "matrix")
    trouble = ""
    seen: Observations | None = None
    try:
        async with bench.agent(OFFER) as probe:
            probe.answers["elicitation/create"] = _decline
            remote = agent.launch.remote
            seen = Observations(probe, "stdio" if remote is None else remote.url.partition(":")[0])
            try:
                await _observe(bench, probe, seen)
            except Skip as skip:
                trouble = str(skip)
        async with bench.agent() as probe:
            initialize_result: Json = {**bench.initialize_params(probe), "protocolVersion": 65535}
            seen.other, seen.other_version = (
                probe,
                await probe.call("initialize", initialize_result),
            )
        if with_turns and seen.session is not None and seen.session.error is None:
            seen.worked = await _run_turns(bench)
    except (CannotStart, OSError, RecordingError) as error:
        trouble = trouble or str(error)
    found = {} if seen is None or not seen.initialize_result else read_cells(seen)
    name = agent.name if stage.version == 1 else f"{agent.name} (version {stage.version})"
    return MatrixColumn(name, agent.command, found, trouble)


async def _observe(bench: Bench, probe: Probe, seen: Observations) -> None:
    """Open a session, and call the methods that the agent advertises. Raises Skip."""
    stage = bench.stage
    await bench.initialize(probe)
    stage.agent = str(object_at(probe.initialized, "agentInfo").get("name", ""))
    if stage.auth is not None:
        await probe.call("authenticate", {"methodId": stage.auth})
    try:
        await bench.open_session(probe)
    finally:
        answers = [one for one in probe.agent_messages if "sessionId" in one.result or one.error]
        seen.session = answers[-1] if answers else None
    await probe.listen(_GREETING)
    session = seen.session.result if seen.session is not None else {}
    seen.offered = _offered(probe.initialized, session)
    for name in seen.offered:
        params = _params(name, session, probe.folder)
        if params is not None:
            seen.called[name] = await probe.call(name, params)
    seen.called[UNKNOWN] = await probe.call(UNKNOWN, {}, within=5.0)


def _offered(initialize_result: Json, session: Json) -> list[str]:
    """Return the methods that the agent advertises."""
    try:
        agent = InitializeResult.model_validate(initialize_result)
    except ValidationError:
        return []
    return [
        name
        for name, method in AGENT_METHODS.items()
        if method.offered(agent) and (name not in _SETTERS or session.get(_SETTERS[name]))
    ]


def _params(name: str, session: Json, folder: str) -> Json | None:
    """Return params with which a call changes nothing; None if there are none.

    They name a session that doesn't exist, or set a value that is already set.
    """
    if name in NEVER_CALLED:
        return None
    id = session.get("sessionId")
    match name:
        case "session/list" | "auth/status" | "providers/list":
            return {}
        case "session/load" | "session/resume" | "session/fork":
            return {"sessionId": _NO_SESSION, "cwd": folder, "mcpServers": []}
        case "session/set_mode":
            return _option_call(id, "modeId", value_at(session, "modes", "currentModeId"))
        case "session/set_model":
            return _option_call(id, "modelId", value_at(session, "models", "currentModelId"))
        case "session/set_config_option":
            return _same_option(id, session.get("configOptions"))
        case "session/set_title":
            return {"sessionId": _NO_SESSION, "title": "acp-tui"}
        case (
            "session/close"
            | "session/delete"
            | "session/archive"
            | "session/unarchive"
            | "session/status"
        ):
            return {"sessionId": _NO_SESSION}
    return None


def _option_call(session: Any, name: str, value: Any) -> Json | None:
    return None if value is None else {"sessionId": session, name: value}


def _same_option(session: Any, options: Any) -> Json | None:
    """Return params that set the first option to its current value; None if there is no option."""
    first = options[0] if isinstance(options, list) and options else None
    if not isinstance(first, dict) or "currentValue" not in first:
        return None
    value = first["currentValue"]
    boolean = {"type": "boolean"} if isinstance(value, bool) else {}
    return {
        "sessionId": session,
        "configId": first.get("configId", first.get("id")),
        "value": value,
        **boolean,
    }


def _decline(_: Json) -> Json:
    return {"action": "decline"}


async def _run_turns(bench: Bench) -> Probe:
    """Prompt the model for each of ACTS, and allow everything: the folder is deleted afterward."""

    async def play(inner: Bench, take: Take) -> None:
        take.probe.offer = OFFER
        take.probe.answers["elicitation/create"] = _decline
        take.probe.permission = "allow_once"
        take.session = await inner.open_session(take.probe)
        for act in ACTS:
            with suppress(Skip):
                inner.prepare(take.probe, act)
                await inner.prompt(take.probe, take.session, act)

    return (await bench.play_scene(CheckScene("matrix-turns", play, ACTS))).probe
