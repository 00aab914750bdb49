"""Surroundings: the session's folders and MCP servers"""

import os
from pathlib import Path

from acp_tui.check.bench import Bench
from acp_tui.check.checks.turns import judge_acceptance
from acp_tui.check.mcp_witness import Witness, over_http, over_stdio
from acp_tui.check.messages import NumberedMessage
from acp_tui.check.model import USUAL, check
from acp_tui.check.probe import Probe, need_machine, require_capability
from acp_tui.check.prompts import PLACE, ModelAct
from acp_tui.check.verdicts import CheckOutcome, CheckVerdict, Skip, Why, failed, passed, warned
from acp_tui.protocol.json_parts import objects_at

_UNKNOWN_MODE = "_acp_tui_check"
"""A system prompt mode that no agent can know."""


async def _over_stdio(bench: Bench) -> CheckVerdict:
    async with bench.agent() as probe:
        if probe.version == 2:  # in version 2, agents may lack stdio
            await bench.initialize(probe)
            require_capability(probe, "mcpCapabilities", "stdio")
        need_machine(probe)
        witness = over_stdio(Path(probe.folder, "acp-check-mcp.txt"))
        return await _connects(bench, probe, witness)


async def _over_http(bench: Bench) -> CheckVerdict:
    async with bench.agent() as probe:
        await bench.initialize(probe)
        require_capability(probe, "mcpCapabilities", "http")
        need_machine(probe)
        with over_http() as witness:
            return await _connects(bench, probe, witness)


async def _connects(bench: Bench, probe: Probe, witness: Witness) -> CheckVerdict:
    """Judge whether an agent connects to an MCP server, at the latest when it is prompted."""
    try:
        session = await bench.open_session(probe, mcpServers=[witness.server])
    except Skip as skip:
        if skip.why is not Why.BLOCKED or not probe.initialized:
            raise
        return failed(f"with an MCP server: {skip.words}", probe.messages[-1].number)
    opened = next(one.number for one in probe.messages if one.method == "session/new")
    words = ""
    if not await witness.saw("initialize"):
        words = "it connects when it is prompted"
        await bench.prompt(probe, session, ModelAct.SAY)
    if not await witness.saw("initialize"):
        return failed("it never connected to the server, not even for a prompt", opened)
    if not await witness.saw("tools/list"):
        # only a warning: no sentence requires it, and it may come later
        return warned("it connected, and did not ask for the server's tools", opened)
    return passed(words, opened)


async def _works_in_cwd(bench: Bench) -> CheckVerdict:
    async with bench.agent() as probe:
        need_machine(probe)
        probe.permission = "allow_once"
        folder = _make_folder(probe, "cwd")
        session = await bench.open_session(probe, cwd=str(folder))
        turn = await bench.act(probe, session, ModelAct.PLACE)
        return _judge_place(folder, Path(probe.folder), turn.prompt)


def _make_folder(probe: Probe, name: str) -> Path:
    """Create another folder, next to the agent's own."""
    folder = Path(f"{probe.folder}-{name}")
    folder.mkdir()
    return folder


def _judge_place(folder: Path, started_in: Path, prompt: int) -> CheckVerdict:
    """Judge the agent's working folder by the file that a command wrote."""
    if (started_in / PLACE).exists():
        return failed("it works in the folder that it was started in, not in cwd", prompt)
    made = folder / PLACE
    if not made.exists():
        raise Skip(Why.NOT_ACTED, "the model ran nothing that shows where it works")
    actual = made.read_text("utf-8", "replace").strip()
    if os.path.realpath(actual) != os.path.realpath(folder):
        return failed(f"a command ran in {actual}, not in cwd", prompt)
    return passed("", prompt)


async def _more_folders(bench: Bench) -> CheckVerdict:
    async with bench.agent() as probe:
        await bench.initialize(probe)
        require_capability(probe, "sessionCapabilities", "additionalDirectories")
        need_machine(probe)
        more = str(_make_folder(probe, "more"))
        try:
            session = await bench.open_session(probe, additionalDirectories=[more])
        except Skip as skip:
            if skip.why is not Why.BLOCKED:
                raise
            return failed(f"with additionalDirectories: {skip.words}", probe.messages[-1].number)
        opened = probe.messages[-1].number
        turn = await bench.prompt(probe, session, ModelAct.SAY)
        verdict = judge_acceptance(turn, ", with additionalDirectories")
        if verdict.outcome is CheckOutcome.FAIL:
            return verdict
        for info in await _listed(probe):
            if info.get("sessionId") == session and info.get("additionalDirectories", [more]) != [
                more
            ]:
                words = "session/list tells of other additionalDirectories than were sent"
                return failed(words, opened, probe.messages[-1].number)
        return passed("", opened)


async def _listed(probe: Probe) -> list[dict[str, object]]:
    """Return the sessions listed for the agent's folder; none if the agent can't list them."""
    try:
        require_capability(probe, "sessionCapabilities", "list")
    except Skip:
        return []
    answer: NumberedMessage | None = await probe.call("session/list", {"cwd": probe.cwd})
    return [] if answer is None else objects_at(answer.result, "sessions")


async def _system_prompt(bench: Bench) -> CheckVerdict:
    async with bench.agent() as probe:
        await bench.initialize(probe)
        require_capability(probe, "sessionCapabilities", "systemPrompt")
        prompt = {"mode": "append", "content": [{"type": "text", "text": "Answer briefly."}]}
        try:
            await bench.open_session(probe, systemPrompt=prompt)
        except Skip as skip:
            if skip.why is not Why.BLOCKED:
                raise
            return failed(f"with a systemPrompt: {skip.words}", probe.messages[-1].number)
        accepted_at = probe.messages[-1].number
        params = {"cwd": probe.cwd, "mcpServers": []}
        unknown = {**prompt, "mode": _UNKNOWN_MODE}
        answer = await probe.call("session/new", {**params, "systemPrompt": unknown})
        if answer is None:
            return failed(probe.missing_answer("session/new"), accepted_at)
        if answer.error is None:
            return failed(f"it opens a session with the mode {_UNKNOWN_MODE!r}", answer.number)
        return passed("", accepted_at, answer.number)


CHECKS = (
    check("A10", _over_stdio, profiles=USUAL, acts=(ModelAct.SAY,)),
    check("A11", _works_in_cwd, profiles=USUAL, acts=(ModelAct.PLACE,)),
    check("A41", _over_http, profiles=USUAL, acts=(ModelAct.SAY,)),
    check("A42", _more_folders, profiles=USUAL, acts=(ModelAct.SAY,)),
    check("A61", _system_prompt),
)
