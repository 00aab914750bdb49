"""Agents that break one rule of version 2 each: `MUTANTS_2` has them by the check that catches them."""

from typing import Any, ClassVar

import mutants
from second import UNSUPPORTED, VERSION, Agent2, Turn2
from session import Message, Session
from turn import Turn
from wire import RpcError


class AnswersInTheFormOf1(Agent2):
    def initialize(self, params: Message) -> Message:
        result = super().initialize(params)
        return {**result, "protocolVersion": 1} if self.asked_version == VERSION else result


class ClaimsTooMuch(Agent2):
    def initialize(self, params: Message) -> Message:
        return {**super().initialize(params), "protocolVersion": params["protocolVersion"]}


class TellsNoVersions(Agent2):
    def fail(self, id: Any, code: int, words: str) -> None:
        if code == UNSUPPORTED:
            self.wire.send({"id": id, "error": {"code": code, "message": words}})
        else:
            super().fail(id, code, words)


class EchoesNothing(Agent2):
    def accept(self, turn: Turn, id: str, blocks: "list[str]") -> None:
        self.respond(turn.running.id, "session/prompt", {"messageId": id})


class NeverSaysThatItRuns(Agent2):
    def state(self, session: Session, state: str, **fields: Any) -> None:
        if state != "running":
            super().state(session, state, **fields)


class FailsWhenCancelled(Agent2):
    def over(self, turn: Turn, reason: str) -> None:
        if reason != "cancelled":
            super().over(turn, reason)
            return
        error = {"code": -32603, "message": "aborted"}
        self.state(turn.session, "idle", stopReason="error", error=error)
        turn.session.running = None


class SaysNothingOfItsState(Agent2):
    def synchronize(self, session: Session) -> None:
        pass


class ForgetsWhatWasSaid(Agent2):
    def replay(self, session: Session) -> None:
        pass


class TakesAnyCursor(Agent2):
    def resume(self, params: Message) -> Message:
        begin = params.get("replayFrom")
        known = {} if begin is None else {"replayFrom": {"type": "start"}}
        return super().resume({**params, **known})


class TakesAnyOption(Agent2):
    def set_option(self, params: Message) -> Message:
        session = self.session(params)
        if params["configId"] not in session.options:
            return {"configOptions": self.options_of(session)}
        return super().set_option(params)


class TakesAnyContent(Agent2):
    def block(self, block: Message) -> str:
        return super().block(block) if block["type"][0] != "_" else "say"


class TakesAnyServer(Agent2):
    def check_servers(self, params: Message) -> None:
        pass

    def connect(self, server: Message) -> None:
        if server["type"][0] != "_":
            super().connect(server)


class ClosesOnlyWhatIsThere(Agent2):
    def close(self, params: Message) -> Message:
        if params["sessionId"] not in self.sessions:
            raise RpcError(-32602, "no such session")
        return super().close(params)


class EndsNoEmptyReplay(Agent2):
    def end_replay(self, session: Session) -> None:
        if session.said:
            super().end_replay(session)


class EndsReplaysFirst(Agent2):
    def replay(self, session: Session) -> None:
        super().end_replay(session)
        super().replay(session)

    def end_replay(self, session: Session) -> None:
        pass


class EndsReplaysUnasked(Agent2):
    def end_replay(self, session: Session) -> None:
        pass

    def synchronize(self, session: Session) -> None:
        super().end_replay(session)
        super().synchronize(session)


class EndsNoReplay(Agent2):
    """Speaks a draft of before 20 Nov 2026."""

    def end_replay(self, session: Session) -> None:
        pass


class DoesPromptsAgain(Agent2):
    def prompt(self, id: Any, params: Message) -> None:
        super().prompt(id, {**params, "idempotencyKey": None})


class KnowsNoPreview(DoesPromptsAgain, EndsNoReplay):
    """Speaks a draft of before 20 Nov 2026."""


class SpeaksAfterTheEnd(Agent2):
    def over(self, turn: Turn, reason: str) -> None:
        super().over(turn, reason)
        if reason == "cancelled":
            turn.say("one more thing")


class ReplaysUnasked(Agent2):
    def resume(self, params: Message) -> Message:
        return super().resume({"replayFrom": {"type": "start"}, **params})


class ListsSkillsUnasked(Agent2):
    def state_of(self, session: Session) -> Message:
        skill = {"type": "skill", "name": "tea", "description": "Makes tea", "path": "/w/SKILL.md"}
        return {**super().state_of(session), "availableCommands": [skill]}


class NamesAnotherSession(Turn2):
    def say(self, text: str) -> None:
        content = {"type": "text", "text": text}
        self.agent.update("other", "agent_message_chunk", content=content, messageId=self.message)


class AsksWithOneId(Turn2):
    def options(self) -> list[Message]:
        return [{**one, "optionId": "yes"} for one in super().options()]


class AnnouncesSubagentsLate(mutants.AnnouncesSubagentsLate, Turn2):
    pass


class NamesSubagentsEarly(Agent2):
    TURN: ClassVar[type[Turn]] = AnnouncesSubagentsLate


class OffersTheSameTwice(Agent2):
    TURN: ClassVar[type[Turn]] = AsksWithOneId


class TellsOthers(Agent2):
    TURN: ClassVar[type[Turn]] = NamesAnotherSession


def _in_2(name: str) -> type[Agent2]:
    """A mutant of version 1 that breaks the same in version 2."""
    return type(name, (mutants.MUTANTS[name], Agent2), {})


MUTANTS_2: dict[str, type[Agent2]] = {
    "B1": AnswersInTheFormOf1,
    "B2": ClaimsTooMuch,
    "B3": TellsNoVersions,
    "B4": EchoesNothing,
    "B5": NeverSaysThatItRuns,
    "B6": FailsWhenCancelled,
    "B7": SaysNothingOfItsState,
    "B8": ForgetsWhatWasSaid,
    "B9": TakesAnyCursor,
    "B10": TakesAnyOption,
    "B11": TakesAnyContent,
    "B12": TakesAnyServer,
    "B13": ClosesOnlyWhatIsThere,
    "B14": EndsNoEmptyReplay,
    "B14.first": EndsReplaysFirst,
    "B14.unasked": EndsReplaysUnasked,
    "B15": DoesPromptsAgain,
    "B15.draft": KnowsNoPreview,
    "A14": TellsOthers,
    "A16": SpeaksAfterTheEnd,
    "A22": ReplaysUnasked,
    "A28": ListsSkillsUnasked,
    "A35": OffersTheSameTwice,
    "A62": NamesSubagentsEarly,
    **{name: _in_2(name) for name in ("A1", "A9", "A13", "A24", "A27", "A30", "A36", "A54", "A59")},
}
