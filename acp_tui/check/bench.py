"""A check's test bench: starts agents, opens sessions, runs turns, and plays each scene once per
run.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

import anyio

from acp_tui.check.messages import CheckTurn, Json, NumberedMessage
from acp_tui.check.probe import Probe, run_probe
from acp_tui.check.prompts import FILE, WORDS, CheckPrompts, ModelAct
from acp_tui.check.verdicts import Skip, Why
from acp_tui.client.capabilities import read_capabilities
from acp_tui.client.launch import Launch
from acp_tui.formatting import counted
from acp_tui.protocol.json_parts import object_at, objects_at
from acp_tui.protocol.jsonrpc import ErrorCode
from acp_tui.protocol.kinds import AT_WORK
from acp_tui.version import __version__


@dataclass
class Take:
    """A scene that was played. If it broke off, `ended` is the reason."""

    probe: Probe
    session: str = ""
    turns: list[CheckTurn] = field(default_factory=list)
    acted: set[ModelAct] = field(default_factory=set)
    """The requested acts that the model actually performed."""
    ended: Skip | None = None


@dataclass(frozen=True, slots=True)
class CheckScene:
    """A scene to play with its own agent process. Its prompts request these `acts`, and no others."""

    name: str
    play: "Callable[[Bench, Take], Awaitable[None]]"
    acts: tuple[ModelAct, ...] = ()
    offers: bool = True
    """Whether files and terminals are offered to the agent."""


def to_version_1(result: Json) -> Json:
    """Convert the result of `initialize` from version 2 to version 1."""
    capabilities = object_at(result, "capabilities")
    session, methods = capabilities.get("session"), result.get("authMethods")
    offered: Json = {**capabilities, "auth": {**object_at(capabilities, "auth")}}
    if isinstance(session, dict):
        own = {name: value for name, value in session.items() if name not in ("prompt", "mcp")}
        offered["loadSession"] = True
        offered["promptCapabilities"] = object_at(session, "prompt")
        offered["mcpCapabilities"] = object_at(session, "mcp")
        offered["sessionCapabilities"] = {"list": {}, "resume": {}, "close": {}, **own}
    if methods:
        offered["auth"]["logout"] = {}
    return {
        "protocolVersion": result.get("protocolVersion"),
        "agentInfo": result.get("info"),
        "agentCapabilities": offered,
        "authMethods": [{"id": one.get("methodId"), **one} for one in objects_at(methods)],
    }


def end_of_turn(probe: Probe, turn: CheckTurn) -> NumberedMessage | None:
    """Return the end of a turn in version 1's form: the response to its prompt, or one made from
    the idle state that ends it. None while the turn runs.
    """
    answer = probe.answered(turn.id)
    if probe.version == 1 or answer is None or answer.error is not None:
        return answer
    works = False
    for one in probe.updates("state_update"):
        if one.number < turn.prompt or one.session != turn.session:
            continue
        state, reason = one.update.get("state"), one.update.get("stopReason")
        works = works or state in AT_WORK
        # An agent may never report `running`. A check finds that out, and mustn't time out: then a
        # stop reason ends the turn, too.
        if state == "idle" and (works or (reason and one.number > answer.number)):
            result = {"stopReason": reason}
            return NumberedMessage(
                one.number, one.at, one.direction, {"id": turn.id, "result": result}
            )
    return None


NOTHING: Json = {}
"""A client without capabilities."""
USUAL: Json = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True}
"""The capabilities that most editors offer."""
CLIENT: Json = {"name": "acp-tui", "title": "acp-tui check", "version": __version__}
SPEECH = (
    "agent_message_chunk",
    "agent_thought_chunk",
    "tool_call",
    "plan",
    "agent_message",
    "agent_thought",
    "tool_call_update",
)
"""Updates which show that a turn is running."""
LONGEST_CHECKED_LINE = 64 * 1024 * 1024
"""Longest line that is kept, in bytes: several agents may send one at the same time."""


@dataclass
class Stage:
    """What all checks of a run share: the agent, the parent of their folders, and the scenes played
    so far.

    `folder` is a real path. `auth` is the method to sign in with; `recordings` is the folder of all
    recordings.
    """

    launch: Launch
    folder: Path
    recordings: Path
    prompts: CheckPrompts = field(default_factory=CheckPrompts)
    auth: str | None = None
    patience: float = 60.0
    """Most seconds to wait for a response, or for the end of a turn."""
    version: int = 1
    """The protocol version that is spoken."""
    model: bool = True
    """Whether scenes with prompts are played."""
    may_sign_out: bool = False
    """Whether the user allowed `logout`."""
    agent: str = ""
    """The name in the agent's `agentInfo`, once it is known."""
    agent_version: str = ""
    initialized: bool = False
    """Whether the agent answered `initialize` in the first connection."""
    prompted: int = 0
    """Number of prompts that were sent."""
    takes: dict[str, Take] = field(default_factory=dict)
    locks: dict[str, anyio.Lock] = field(default_factory=dict)
    probes: list[Probe] = field(default_factory=list)
    """All connections of the run, in the order in which they were opened."""


class Bench:
    """The test bench of one check, whose `name` is part of the names of its recordings and folders."""

    def __init__(self, stage: Stage, name: str) -> None:
        self.stage = stage
        self.name = name
        self.cited: Probe | None = None
        """The connection whose frames the verdict cites: the last that was examined."""
        self._numbers = count(1)

    # Agents

    @asynccontextmanager
    async def agent(
        self, offer: Mapping[str, Any] = USUAL, *, env: Mapping[str, str] | None = None
    ) -> AsyncIterator[Probe]:
        """Start a fresh agent in its own folder, without sending it anything.

        `offer` are the capabilities that `initialize` will advertise. An agent elsewhere is offered
        no terminals: it would get a shell on this machine without being asked.
        """
        if self.stage.launch.remote is not None:
            offer = {name: value for name, value in offer.items() if name != "terminal"}
        stage, number = self.stage, next(self._numbers)
        name = self.name if number == 1 else f"{self.name}-{number}"
        folder = self.stage.folder / name
        folder.mkdir(parents=True)
        launch = replace(
            stage.launch,
            cwd=str(folder),
            env={**stage.launch.env, **(env or {})},
            line_limit=LONGEST_CHECKED_LINE,
            capabilities=read_capabilities({"clientCapabilities": dict(offer)}),
        )
        recording = stage.recordings / f"{name}.jsonl"
        async with run_probe(launch, recording, stage.patience) as probe:
            probe.offer = dict(offer)
            probe.version = stage.version
            stage.probes.append(probe)
            self.cite(probe)
            yield probe

    def cite(self, probe: Probe) -> Probe:
        """Set the connection whose frames the verdict cites."""
        self.cited = probe
        return probe

    def initialize_params(self, probe: Probe) -> Json:
        """Return the usual params of `initialize`."""
        if probe.version == 2:
            capabilities = {name: one for name, one in probe.offer.items() if name == "elicitation"}
            return {"protocolVersion": 2, "info": CLIENT, "capabilities": capabilities}
        return {"protocolVersion": 1, "clientCapabilities": probe.offer, "clientInfo": CLIENT}

    async def initialize(self, probe: Probe, **params: Any) -> Json:
        """Send `initialize` with the usual params, overridden by `params`; return the result.
        Raises Skip.
        """
        answer = await probe.call("initialize", {**self.initialize_params(probe), **params})
        result = _result(probe, answer, "initialize")
        if probe.version == 2 and "capabilities" not in result:
            raise Skip(Why.BLOCKED, "initialize was not answered in the form of version 2")
        probe.initialized = to_version_1(result) if probe.version == 2 else result
        return probe.initialized

    async def sign_in(self, probe: Probe) -> None:
        """Initialize if needed, and sign in if a method was given. Raises Skip.

        A failed sign-in skips a check instead of failing it: the method or the key may be wrong.
        """
        if not probe.initialized:
            await self.initialize(probe)
        if self.stage.auth is not None and not probe.signed_in:
            answer = await probe.call("authenticate", {"methodId": self.stage.auth})
            try:
                _result(probe, answer, "authenticate")
            except Skip as skip:
                raise Skip(Why.SIGN_IN, skip.words) from None
            probe.signed_in = True

    async def open_session(self, probe: Probe, **params: Any) -> str:
        """Initialize if needed, sign in if a method was given, and open a session; return its id.

        Raises Skip.
        """
        await self.sign_in(probe)
        answer = await probe.call("session/new", {"cwd": probe.cwd, "mcpServers": [], **params})
        session = _result(probe, answer, "session/new").get("sessionId")
        if not isinstance(session, str):
            raise Skip(Why.BLOCKED, "session/new gave no session id")
        return session

    @asynccontextmanager
    async def session(
        self, offer: Mapping[str, Any] = USUAL, **params: Any
    ) -> AsyncIterator[tuple[Probe, str]]:
        """Start an agent, and open a session. Raises Skip."""
        async with self.agent(offer) as probe:
            yield probe, await self.open_session(probe, **params)

    # Turns

    async def prompt(
        self, probe: Probe, session: str, prompt: ModelAct | str | list[Json], **params: Any
    ) -> CheckTurn:
        """Send a prompt, and wait for the end of the turn. Raises Skip if there is no prompt for
        the act.
        """
        turn = self.send_prompt(probe, session, prompt, **params)
        return await self.wait_for_end(probe, turn)

    def send_prompt(
        self, probe: Probe, session: str, prompt: ModelAct | str | list[Json], **params: Any
    ) -> CheckTurn:
        """Send a prompt, without waiting. Raises Skip if there is no prompt for the act."""
        text = self.prompt_text(probe, prompt) if isinstance(prompt, ModelAct) else prompt
        blocks = [{"type": "text", "text": text}] if isinstance(text, str) else text
        self.stage.prompted += 1
        id = probe.start("session/prompt", {"sessionId": session, "prompt": blocks, **params})
        return CheckTurn(probe.messages[-1].number, id, session=session)

    async def wait_for_end(
        self, probe: Probe, turn: CheckTurn, *, within: float | None = None
    ) -> CheckTurn:
        """Wait for the end of a turn. Raises Skip after the user's timeout.

        A turn that must end `within` some seconds is never skipped: no rule limits the duration of
        other turns.
        """
        patience = self.stage.patience if within is None else self.at_most(within)
        turn.answer = await self.end_within(probe, turn, within=patience)
        if turn.answer is None and probe.exit_reason is None and within is None:
            raise Skip(Why.BLOCKED, f"the turn had not ended after {patience:g} s")
        last = probe.messages[-1].number if turn.answer is None else turn.answer.number
        turn.messages = [one for one in probe.agent_messages if turn.prompt < one.number <= last]
        return turn

    def at_most(self, seconds: float) -> float:
        """Return how long to wait for a reaction that is due within some seconds: no longer than
        the user's timeout.
        """
        return min(seconds, self.stage.patience)

    async def end_within(
        self, probe: Probe, turn: CheckTurn, *, within: float
    ) -> NumberedMessage | None:
        """Wait for the end of a turn; return None if it is still running then."""
        await probe.until(lambda: end_of_turn(probe, turn) is not None, within=within)
        return end_of_turn(probe, turn)

    async def wait_for_message(self, probe: Probe, turn: CheckTurn) -> bool:
        """Wait for the turn's first message, within the stage's patience; return whether it still runs."""

        def has_started() -> bool:
            new = (one for one in probe.updates(*SPEECH) if one.number > turn.prompt)
            return any(new) or end_of_turn(probe, turn) is not None

        await probe.until(has_started, within=self.stage.patience)
        return end_of_turn(probe, turn) is None and probe.exit_reason is None

    async def act(self, probe: Probe, session: str, act: ModelAct) -> CheckTurn:
        """Prompt until the model performs the act, at most `tries` times. Raises Skip if it
        doesn't.
        """
        self.prepare(probe, act)
        for _ in range(self.stage.prompts.tries):
            turn = await self.prompt(probe, session, act)
            if turn.has_acted:
                return turn
        raise Skip(
            Why.NOT_ACTED,
            f"the model did not {WORDS[act]} in {counted(self.stage.prompts.tries, 'try', 'tries')}",
        )

    def prompt_text(self, probe: Probe, act: ModelAct) -> str:
        """Return the prompt for an act. Raises Skip if none is known."""
        text = self.stage.prompts.text(act, self.stage.agent, probe.cwd)
        if text is None:
            raise Skip(Why.NO_PROMPT, f"no prompt is known that has this agent {WORDS[act]}")
        return text

    def prepare(self, probe: Probe, act: ModelAct) -> None:
        """Create the files that an act needs, in the agent's folder."""
        if act in (ModelAct.READ, ModelAct.EDIT):
            self.write_file(probe, FILE, "# hello\n\nalpha\nbeta\ngamma\n")

    def write_file(self, probe: Probe, name: str, text: str) -> Path:
        """Write a file into the agent's folder; return its path."""
        path = Path(probe.folder, name)
        path.write_text(text, "utf-8")
        return path

    # Scenes

    async def play_scene(self, scene: CheckScene) -> Take:
        """Play a scene, unless another check has played it in this run."""
        stage = self.stage
        async with stage.locks.setdefault(scene.name, anyio.Lock()):
            if scene.name not in stage.takes:
                stage.takes[scene.name] = await self._play_once(scene)
        take = stage.takes[scene.name]
        self.cite(take.probe)
        return take

    async def play_scenes(
        self, scenes: tuple[CheckScene, ...], *, noise: bool = False
    ) -> list[Take]:
        """Play scenes; return those in which the agent sent a message, or only `noise` if that
        counts, too.

        Raises Skip if there are none.
        """
        scenes = tuple(one for one in scenes if self.stage.model or not one.acts)
        found = [await self.play_scene(scene) for scene in scenes]
        played = [
            take for take in found if take.probe.agent_messages or (noise and take.probe.noise)
        ]
        if not played:
            raise found[0].ended or Skip(Why.BLOCKED, "the agent said nothing")
        return played

    async def _play_once(self, scene: CheckScene) -> Take:
        bench = Bench(self.stage, scene.name)
        async with AsyncExitStack() as stack:
            probe = await stack.enter_async_context(bench.agent(USUAL if scene.offers else NOTHING))
            take = Take(probe)
            try:
                await scene.play(bench, take)
            except Skip as skip:
                take.ended = skip
        return take


def _result(probe: Probe, answer: NumberedMessage | None, method: str) -> Json:
    """Return the result of a request that every check depends on. Raises Skip if it has none."""
    if answer is None:
        raise Skip(Why.BLOCKED, probe.missing_answer(method))
    if answer.code == ErrorCode.AUTH_REQUIRED:
        names = [str(one.get("id")) for one in objects_at(probe.initialized, "authMethods")]
        words = f"wants a sign-in: --auth {' or '.join(names)}" if names else str(Why.SIGN_IN)
        raise Skip(Why.SIGN_IN, words)
    if answer.error is not None:
        raise Skip(Why.BLOCKED, f"{method} was answered with the error {answer.code}")
    return answer.result
