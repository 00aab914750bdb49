"""Agents that break one rule each: `MUTANTS` has them by the check that catches them."""

import os
import subprocess
from typing import Any, ClassVar

from agent import PARAMS, UNKNOWN, Agent
from session import Message, Session
from turn import FILE, Turn
from wire import RpcError

# The wire, and initialization


class PrintsOnStdout(Agent):
    def begin(self) -> None:
        self.wire.write(b"conforming: starting")


class ChangesIds(Agent):
    def respond(self, id: Any, method: str, result: Message) -> None:
        known = id.encode("ascii", "ignore").decode() if isinstance(id, str) else id
        super().respond(known, method, result)


class AnswersWithAText(Agent):
    VERSION: Any = "1"

    def initialize(self, params: Message) -> Message:
        result = super().initialize(params)
        asked = params["protocolVersion"]
        return {**result, "protocolVersion": self.VERSION} if asked == 1 else result


class AnswersAFraction(AnswersWithAText):
    VERSION = 1.5


class EchoesVersions(Agent):
    def initialize(self, params: Message) -> Message:
        return {**super().initialize(params), "protocolVersion": params["protocolVersion"]}


class HasNoName(Agent):
    def initialize(self, params: Message) -> Message:
        result = super().initialize(params)
        del result["agentInfo"]
        return result


class SaysNoInWords(Agent):
    CAPABILITIES: ClassVar[Message] = {
        **Agent.CAPABILITIES,
        "mcpCapabilities": {"http": True, "sse": "no"},
    }


class DiesOfAnEarlySession(Agent):
    def result(self, method: str, params: Message) -> Message:
        if self.offered is None and method != "initialize":
            os._exit(1)
        return super().result(method, params)


class WantsCapabilities(Agent):
    def initialize(self, params: Message) -> Message:
        if "clientCapabilities" not in params:
            raise RpcError(PARAMS, "clientCapabilities are missing")
        return super().initialize(params)


class AddsAField(Agent):
    def update(self, session: str, kind: str, /, **fields: Any) -> None:
        super().update(session, kind, mine=1, **fields)


class AnswersNotifications(Agent):
    def notified(self, method: str, params: Message) -> None:
        if method.startswith("_"):
            self.fail(None, UNKNOWN, f"no method {method}")
        super().notified(method, params)


class RefusesMeta(Agent):
    def block(self, block: Message) -> str:
        if "_meta" in block:
            raise RpcError(PARAMS, "what is _meta?")
        return super().block(block)


class RefusesMetaOfInitialize(Agent):
    def initialize(self, params: Message) -> Message:
        if "_meta" in params:
            raise RpcError(PARAMS, "what is _meta?")
        return super().initialize(params)


class TakesWrongParams(Agent):
    def made(self, params: Message) -> Session:
        return super().made({**params, "cwd": str(params["cwd"]).rjust(2, "/")})


class LeavesAProcess(Agent):
    def begin(self) -> None:
        null = subprocess.DEVNULL
        child = subprocess.Popen(["sleep", "20"], stdin=null, stdout=null, stderr=null)
        child.returncode = 0  # it is not ours to wait for


class OmitsATitle(Agent):
    def update(self, session: str, kind: str, /, **fields: Any) -> None:
        if kind == "tool_call":
            del fields["title"]
        super().update(session, kind, **fields)


# Sessions


class RepeatsSessionIds(Agent):
    def new(self, params: Message) -> Message:
        session = self.made(params)
        session.id = f"{os.getpid():08x}"
        return self.opened(session, params)


class IgnoresStdioServers(Agent):
    def connect(self, server: Message) -> None:
        if "type" in server:
            super().connect(server)


class ListsNoTools(Agent):
    def connect(self, server: Message) -> None:
        from mcp import HELLO, over_stdio

        if "type" in server:
            super().connect(server)
        else:
            over_stdio(server, HELLO)


class IgnoresHttpServers(Agent):
    def connect(self, server: Message) -> None:
        if "type" not in server:
            super().connect(server)


class RefusesMoreFolders(Agent):
    def made(self, params: Message) -> Session:
        if "additionalDirectories" in params:
            raise RpcError(PARAMS, "additionalDirectories?")
        return super().made(params)


class TakesAnyModeOfASystemPrompt(Agent):
    def store_system_prompt(self, prompt: Message | None) -> None:
        """Take whatever comes."""


class ReplaysHalf(Agent):
    def replay(self, session: Session) -> None:
        session.said = [one for one in session.said if one[0] != "user_message_chunk"]
        super().replay(session)


class ReplaysOnResume(Agent):
    def resume(self, params: Message) -> Message:
        return self.load(params)


class ListsStrangers(Agent):
    def list(self, params: Message) -> Message:
        found = super().list(params)
        return found if found["sessions"] else super().list({**params, "cwd": None})


class DeletesNothing(Agent):
    def delete(self, params: Message) -> Message:
        return {}


class ListsTwice(Agent):
    def place(self, cursor: str) -> int:
        return super().place(cursor) - 1


class ForksIntoItself(Agent):
    def fork(self, params: Message) -> Message:
        session = self.again(params)
        return {"sessionId": session.id, **self.state_of(session)}


class ClosesAsTheEnd(Agent):
    def close(self, params: Message) -> Message:
        self.sessions[params["sessionId"]].mode = "closed"
        return super().close(params)

    def over(self, turn: Turn, reason: str) -> None:
        super().over(turn, "end_turn" if turn.session.mode == "closed" else reason)


class OpensUnknownSessions(Agent):
    def session(self, params: Message) -> Session:
        id = params["sessionId"]
        return self.sessions.setdefault(id, Session(id, os.getcwd()))  # noqa: PTH109


class ListsAnotherMode(Agent):
    def state_of(self, session: Session) -> Message:
        state = super().state_of(session)
        return {**state, "modes": {**state["modes"], "currentModeId": "gone"}}


class AnswersOneOption(Agent):
    def set_option(self, params: Message) -> Message:
        options = super().set_option(params)["configOptions"]
        return {"configOptions": [one for one in options if one["id"] == params["configId"]]}


class LeavesOneOptionOut(Agent):
    def set_option(self, params: Message) -> Message:
        options = super().set_option(params)["configOptions"]
        return {"configOptions": [one for one in options if one["id"] != "effort"]}


class OffersBooleans(Agent):
    def options_of(self, session: Session) -> list[Message]:
        return session.config(booleans=True)


class ListsNoWayIn(Agent):
    def initialize(self, params: Message) -> Message:
        return {**super().initialize(params), "authMethods": []}


class CannotSignOut(Agent):
    def logout(self, _params: Message) -> Message:
        raise RpcError(UNKNOWN, "no method logout")


# Turns


class SaysDone(Turn):
    def at_end(self) -> str:
        return "done" if self.act == "say" else super().at_end()


class RefusesLinks(Agent):
    KIND = "resource_link"

    def block(self, block: Message) -> str:
        if block["type"] == self.KIND:
            raise RpcError(PARAMS, f"what is {self.KIND}?")
        return super().block(block)


class RefusesImages(RefusesLinks):
    KIND = "image"


class RefusesAudio(RefusesLinks):
    KIND = "audio"


class RefusesResources(RefusesLinks):
    KIND = "resource"


class UpdatesAnother(Turn):
    def do_say(self) -> None:
        if len(self.agent.sessions) == 1:
            self.agent.update("other", "available_commands_update", availableCommands=[])
        super().do_say()


class FailsWhenCancelled(Agent):
    def notified(self, method: str, params: Message) -> None:
        super().notified(method, params)
        session = self.sessions.get(params.get("sessionId", ""))
        if session is not None:
            session.mode = "cancelled"

    def over(self, turn: Turn, reason: str) -> None:
        if turn.session.mode == "cancelled" and turn.act == "slow":
            turn.session.running = None
            self.fail(turn.running.id, -32603, "aborted")
        else:
            super().over(turn, reason)


class SpeaksAfterTheEnd(Agent):
    def over(self, turn: Turn, reason: str) -> None:
        super().over(turn, reason)
        if reason == "cancelled" and turn.act == "slow" and not turn.running.withdrawn:
            turn.message = f"{turn.message}-late"
            turn.say("and then")


class RemembersCancellation(Agent):
    def notified(self, method: str, params: Message) -> None:
        super().notified(method, params)
        session = self.sessions.get(params.get("sessionId", ""))
        if method == "session/cancel" and session is not None and session.running is None:
            session.mode = "cancelled"

    def prompt(self, id: Any, params: Message) -> None:
        session = self.session(params)
        if session.mode == "cancelled":
            self.respond(id, "session/prompt", {"stopReason": "cancelled"})
        else:
            super().prompt(id, params)


class AnswersTwice(Agent):
    def over(self, turn: Turn, reason: str) -> None:
        super().over(turn, reason)
        if turn.running.withdrawn:
            self.respond(turn.running.id, "session/prompt", {"stopReason": reason})


class MixesSessions(Agent):
    forked = False

    def fork(self, params: Message) -> Message:
        self.forked = True
        return super().fork(params)

    def update(self, session: str, kind: str, /, **fields: Any) -> None:
        first = next(iter(self.sessions), session)
        super().update(session if self.forked else first, kind, **fields)


class RefusesTwice(Agent):
    def prompt(self, id: Any, params: Message) -> None:
        if self.session(params).running is not None:
            self.fail(id, PARAMS, "a turn is running")
        super().prompt(id, params)


class FailsWithNotices(Agent):
    def prompt(self, id: Any, params: Message) -> None:
        if self.offers("session", "notices"):
            raise RpcError(PARAMS, "notices?")
        super().prompt(id, params)


class DiesOfLongLines(Agent):
    def receive(self, line: bytes) -> None:
        if len(line) > 1 << 16:
            os._exit(1)
        super().receive(line)


class AnswersModesWithTexts(Agent):
    """Answers one method alone with an id of another type: nothing else asks for that."""

    def respond(self, id: Any, method: str, result: Message) -> None:
        super().respond(str(id) if method == "session/set_mode" else id, method, result)


class ReplaysNoContent(Agent):
    def replay(self, session: Session) -> None:
        super().replay(session)
        self.update(session.id, "agent_thought_chunk", content={"type": "text"})


class AddsAFieldToReplays(Agent):
    def replay(self, session: Session) -> None:
        super().replay(session)
        self.update(session.id, "current_mode_update", currentModeId="ask", mine=1)


class PrintsAtTheEndOfATurn(Turn):
    """Prints where only one check looks: in the turn of a plan."""

    def do_plan(self) -> None:
        super().do_plan()
        self.agent.wire.write(b"planned")


class NeedsFiles(Turn):
    """Works only with the client's files, and doesn't look whether there are any."""

    def play(self, blocks: list[str]) -> str:
        if not self.agent.offers("fs"):
            raise RuntimeError("no files")
        return super().play(blocks)


class NeedsFilesToWrite(Turn):
    def write(self, path: str, text: str) -> None:
        if not self.agent.offers("fs"):
            raise RuntimeError("no files")
        super().write(path, text)


class CountsSessions(Agent):
    """Begins to count in each process; it keeps no session, so nobody mixes them up."""

    CAPABILITIES: ClassVar[Message] = {
        "promptCapabilities": Agent.CAPABILITIES["promptCapabilities"],
    }
    count = 0

    def new_id(self) -> str:
        self.count += 1
        return f"session{self.count}"


class ListsNoTimes(Agent):
    def info(self, session: Session) -> Message:
        return {**super().info(session), "updatedAt": "yesterday"}


class ListsAModeTwice(Agent):
    def state_of(self, session: Session) -> Message:
        state = super().state_of(session)
        modes = state["modes"]["availableModes"]
        return {**state, "modes": {**state["modes"], "availableModes": [*modes, modes[0]]}}


class NamesCommandsWithASlash(Turn):
    def do_say(self) -> None:
        commands = [{"name": "/web", "description": "Search"}]
        id = self.session.id
        self.agent.update(id, "available_commands_update", availableCommands=commands)
        super().do_say()


class SendsNoBase64(Turn):
    def do_say(self) -> None:
        super().do_say()
        image = {"type": "image", "mimeType": "image/png", "data": "not base64!"}
        self.agent.update(
            self.session.id, "agent_message_chunk", content=image, messageId=f"{self.message}-i"
        )


class RefusesClose(Agent):
    """Offers session/close, and doesn't have it."""

    def close(self, params: Message) -> Message:
        raise RpcError(UNKNOWN, "no method session/close")


class EndsAtOnceAndRefusesClose(RefusesClose):
    """Its turns are over before a session can be closed in one."""

    class TURN(Turn):
        def do_slow(self) -> None:
            self.say("la")


class NamesAModeThatIsNotListed(Agent):
    """Names it in the form of the documentation's example."""

    def set_mode(self, params: Message) -> Message:
        session = self.session(params)
        session.mode = params["modeId"]
        self.update(session.id, "current_mode_update", modeId="gone")
        return {}


# Tools


class WorksWhereItStarted(Turn):
    def folder(self) -> str:
        return os.getcwd()  # noqa: PTH109


class AlwaysCallsTheClient(Turn):
    def write(self, path: str, text: str) -> None:
        self.ask("fs/write_text_file", path=path, content=text)


class NamesRelativePaths(Turn):
    def tool(self, kind: str, title: str, **fields: Any) -> str:
        if kind == "read":
            fields["locations"] = [{"path": FILE}]
        return super().tool(kind, title, **fields)


class KeepsTerminals(Turn):
    def release(self, id: str) -> None:
        pass


class ShortensPlans(Turn):
    def entries(self, done: int) -> list[Message]:
        return super().entries(done)[:-1] if done == 1 else super().entries(done)


class TellsStepsAlone(Turn):
    def entries(self, done: int) -> list[Message]:
        return super().entries(done)[done : done + 1]


class RepeatsToolIds(Turn):
    def new_tool_id(self) -> str:
        return "call-1"


class LeavesToolsOpen(Turn):
    def tool_update(self, id: str, **fields: Any) -> None:
        super().tool_update(id, **{**fields, "status": "in_progress"})


class WritesAnyway(Turn):
    def allowed(self, tool: str) -> bool:
        super().allowed(tool)
        return True


class WritesInCapitals(Turn):
    def write(self, path: str, text: str) -> None:
        super().write(path, text.upper())


class WritesNothing(Turn):
    def write(self, path: str, text: str) -> None:
        pass


class FailsWithoutAnAnswer(Turn):
    def say(self, text: str) -> None:
        if text in ("You said: decline", "You said: cancel"):
            raise RuntimeError(text)
        super().say(text)


class FailsToRead(Turn):
    ACT = "read"

    def when_refused(self, error: RpcError) -> None:
        if self.act == self.ACT:
            raise error
        super().when_refused(error)


class FailsToWrite(FailsToRead):
    ACT = "write"


class FailsToRun(FailsToRead):
    ACT = "shell"


class WithdrawsOthers(Turn):
    def withdraw(self, id: str) -> None:
        super().withdraw("no-such-request")


class TakesCancelForNo(Turn):
    def when_cancelled(self) -> str:
        return "end_turn" if self.act == "write" else super().when_cancelled()


class AnnouncesSubagentsLate(Turn):
    def announce(self, child: str) -> None:
        self.speak_as(child, "hm")
        super().announce(child)


class BeginsAsUsual(Agent):
    def begin_with(self, session: Session, values: list[Message]) -> None:
        pass


class AnchorsNothing(Turn):
    def mark(self) -> None:
        self.agent.update(self.session.id, "cursor_update", cursorId=self.message)


class SuggestsUnasked(Turn):
    def do_say(self) -> None:
        super().do_say()
        self.agent.update(self.session.id, "prompt_suggestions_update", suggestions=[])


def _with(turn: type[Turn]) -> type[Agent]:
    """Make an agent that plays such turns."""
    return type(turn.__name__, (Agent,), {"TURN": turn})


MUTANTS: dict[str, type[Agent]] = {
    "A1": PrintsOnStdout,
    "A2": ChangesIds,
    "A3": AnswersWithAText,
    "A4": EchoesVersions,
    "A5": HasNoName,
    "A6": SaysNoInWords,
    "A7": DiesOfAnEarlySession,
    "A8": WantsCapabilities,
    "A9": RepeatsSessionIds,
    "A10": IgnoresStdioServers,
    "A11": _with(WorksWhereItStarted),
    "A12": _with(SaysDone),
    "A13": RefusesLinks,
    "A14": _with(UpdatesAnother),
    "A15": FailsWhenCancelled,
    "A16": SpeaksAfterTheEnd,
    "A17": RemembersCancellation,
    "A18": _with(AlwaysCallsTheClient),
    "A19": _with(NamesRelativePaths),
    "A20": _with(KeepsTerminals),
    "A21": ReplaysHalf,
    "A22": ReplaysOnResume,
    "A23": ListsStrangers,
    "A24": DeletesNothing,
    "A25": ClosesAsTheEnd,
    "A26": ListsAnotherMode,
    "A27": AnswersOneOption,
    "A28": OffersBooleans,
    "A29": _with(ShortensPlans),
    "A30": AnswersNotifications,
    "A31": RefusesMeta,
    "A32": AddsAField,
    "A33": AnswersTwice,
    "A34": _with(RepeatsToolIds),
    "A35": _with(WritesAnyway),
    "A36": LeavesAProcess,
    "A37": OmitsATitle,
    "A38": TakesWrongParams,
    "A39": MixesSessions,
    "A40": ListsNoWayIn,
    "A41": IgnoresHttpServers,
    "A42": RefusesMoreFolders,
    "A43": ListsTwice,
    "A44": ForksIntoItself,
    "A45": OpensUnknownSessions,
    "A46": _with(FailsWithoutAnAnswer),
    "A47": _with(FailsToRead),
    "A48": _with(FailsToWrite),
    "A49": _with(FailsToRun),
    "A50": _with(WritesNothing),
    "A51": FailsWithNotices,
    "A52": _with(WithdrawsOthers),
    "A53": _with(TakesCancelForNo),
    "A54": RefusesImages,
    "A55": RefusesAudio,
    "A56": RefusesResources,
    "A57": DiesOfLongLines,
    "A58": RefusesTwice,
    "A59": CannotSignOut,
    "A60": ListsNoTimes,
    "A61": TakesAnyModeOfASystemPrompt,
    "A62": _with(AnnouncesSubagentsLate),
    "A63": BeginsAsUsual,
    "A64": _with(AnchorsNothing),
}

OTHERS: dict[str, type[Agent]] = {
    "A1.plan": _with(PrintsAtTheEndOfATurn),
    "A2.mode": AnswersModesWithTexts,
    "A8.turn": _with(NeedsFiles),
    "A8.write": _with(NeedsFilesToWrite),
    "A9.again": CountsSessions,
    "A10.tools": ListsNoTools,
    "A25.refused": RefusesClose,
    "A25.over": EndsAtOnceAndRefusesClose,
    "A26.update": NamesAModeThatIsNotListed,
    "A28.suggests": _with(SuggestsUnasked),
    "A27.one": LeavesOneOptionOut,
    "A29.steps": _with(TellsStepsAlone),
    "A31.initialize": RefusesMetaOfInitialize,
    "A32.replay": AddsAFieldToReplays,
    "A37.replay": ReplaysNoContent,
    "A34.open": _with(LeavesToolsOpen),
    "A3.fraction": AnswersAFraction,
    "A50.text": _with(WritesInCapitals),
    "A60.twice": ListsAModeTwice,
    "A60.slash": _with(NamesCommandsWithASlash),
    "A60.base64": _with(SendsNoBase64),
}
"""More agents, by the check, and by how they break its rule otherwise."""
