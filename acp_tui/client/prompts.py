"""Sends prompts: at once, as steering into the running turn, or after canceling that turn."""

from collections.abc import Iterable
from uuid import uuid4

from acp_tui.client.budget_keeper import BudgetKeeper
from acp_tui.client.connection.replies import Replies
from acp_tui.client.core import Core
from acp_tui.protocol.content import (
    ContentBlock,
    ResourceLink,
    SkillReference,
    TextContent,
    text_of_content,
)
from acp_tui.protocol.events import Event, LimitReached
from acp_tui.protocol.setup import PromptParams
from acp_tui.protocol.unstable import STEERING, SteeringParams, SteeringResult
from acp_tui.protocol.wire_events import Notified, Responded
from acp_tui.state.changes import Change, TurnChanged
from acp_tui.state.commands import Interrupt, SendPrompt, Steer
from acp_tui.text import join_surrogates


class Prompts:
    """Sends prompts, and queues those that wait for the end of a turn."""

    def __init__(self, core: Core, replies: Replies, budget: BudgetKeeper) -> None:
        self._core = core
        self._budget = budget
        self._replies = replies
        self._waiting: dict[str, tuple[ContentBlock, ...]] = {}
        core.register(
            {SendPrompt: self.send, Steer: self._steer, Interrupt: self._interrupt},
            {
                "session/prompt": self._turn_over,
                STEERING: self._steered,
                "session/resume": self._send_again,
                "session/load": self._send_again,
            },
        )
        core.listen(self._follow_turns)

    def send(self, command: SendPrompt) -> None:
        """Send a prompt now."""
        self._send_prompt(command.session_id, _whole_blocks(command.prompt))

    def _steer(self, command: Steer) -> None:
        if not self._is_running(command.session_id) or not self._core.state.peer.offers(STEERING):
            self._interrupt(command)
            return
        meta = {"steering": {"idleBehavior": "promptRequired"}}
        prompt = list(_whole_blocks(command.prompt))
        params = SteeringParams(session_id=command.session_id, prompt=prompt, meta=meta)
        self._core.request(STEERING, params)

    def _interrupt(self, command: Steer | Interrupt) -> None:
        prompt = _whole_blocks(command.prompt)
        if self._is_running(command.session_id):
            self._waiting[command.session_id] = prompt
            self._replies.cancel(command.session_id)
        else:
            self._send_prompt(command.session_id, prompt)

    def _is_running(self, session_id: str) -> bool:
        session = self._core.state.sessions.get(session_id)
        return session is not None and session.turn is not None

    def _turn_over(self, event: Responded) -> None:
        """Send the prompt that waited for the end of this turn."""
        params = event.request.params
        if isinstance(params, PromptParams) and params.session_id in self._waiting:
            self._send_when_idle(params.session_id, self._waiting.pop(params.session_id))

    def _follow_turns(self, event: Event, changes: list[Change]) -> None:
        """Send the prompt that waited for a turn whose end the agent reported in an update."""
        for change in changes if self._waiting and isinstance(event, Notified) else ():
            if isinstance(change, TurnChanged) and change.session_id in self._waiting:
                self._send_when_idle(change.session_id, self._waiting.pop(change.session_id))

    def _steered(self, event: Responded) -> None:
        """Send a steering message as a prompt if the turn ended before it arrived."""
        match event.request.params, event.result:
            case SteeringParams() as params, SteeringResult(outcome="promptRequired"):
                self._send_when_idle(params.session_id, tuple(params.prompt))
            case SteeringParams() as params, None:
                self._return_prompt(
                    params.session_id, tuple(params.prompt), "It can't be steered now."
                )

    def _send_when_idle(self, session_id: str, prompt: tuple[ContentBlock, ...]) -> None:
        """Send a prompt once no turn is running; return it to the user if it can't be sent."""
        session = self._core.state.sessions.get(session_id)
        obstacle = self._obstacle(session_id) or self._budget.refuses_turn(session)
        if session is not None and session.turn is not None:
            self._waiting[session_id] = prompt
        elif obstacle is not None:
            self._return_prompt(session_id, prompt, obstacle)
        else:
            self._send_prompt(session_id, prompt)

    def return_waiting(self) -> None:
        """Return the waiting prompts to the user, since the agent is gone."""
        for session_id, prompt in self._waiting.items():
            self._return_prompt(session_id, prompt, "The agent is gone.")
        self._waiting.clear()

    def _obstacle(self, session_id: str) -> str | None:
        """Return the reason why the agent can't accept a prompt now, or None."""
        session = self._core.state.sessions.get(session_id)
        if self._core.requests.link is None or self._core.state.peer.process.exit is not None:
            return (
                "The agent isn't connected."
                if self._core.state.peer.url
                else "The agent isn't running."
            )
        if self._core.state.peer.output.stdout_closed:
            return "The agent has closed its output."
        if self._core.requests.is_congested:
            return "The agent has stopped reading its input."
        if session is not None and session.opening.loading is not None:
            return "The session is being loaded."
        if session is not None and session.subagent is not None:
            return "It is a subagent's session: only the agent talks to it."
        if session is not None and session.closed:
            return "The session is closed."
        if session is not None and session.turn is not None:
            return "The agent has not ended the previous turn."
        return None

    def _send_prompt(self, session_id: str, prompt: tuple[ContentBlock, ...]) -> None:
        obstacle = self._obstacle(session_id)
        if obstacle is not None:
            self._core.notify(session_id, "error", "Not sent", obstacle)
            return
        limit = self._budget.refuses_turn(self._core.state.sessions.get(session_id))
        if limit is not None:
            self._core.emit(LimitReached(self._core.clock(), session_id, limit))
            return
        prompt = self._with_skill(session_id, prompt)
        # Only a remote agent may still know the prompt after a reconnect; a new process doesn't.
        has_key = self._core.launch.remote is not None and self._core.state.peer.version != 1
        key = uuid4().hex if has_key else None
        params = PromptParams(session_id=session_id, prompt=list(prompt), idempotency_key=key)
        self._core.request("session/prompt", params)

    def _with_skill(
        self, session_id: str, prompt: tuple[ContentBlock, ...]
    ) -> tuple[ContentBlock, ...]:
        """Replace a leading `/skill` by a skill block, if the agent accepts those."""
        first = prompt[0] if prompt else None
        session = self._core.state.sessions.get(session_id)
        offered = self._core.state.peer.capabilities.prompt_capabilities
        takes_skills = getattr(offered, "skill", False)  # only version 2 has it
        if session is None or not takes_skills or not isinstance(first, TextContent):
            return prompt
        if not first.text.startswith("/"):
            return prompt
        name, *rest = first.text.split(None, 1)
        skill = next((one for one in session.commands if f"/{one.name}" == name), None)
        if skill is None or not skill.is_skill:
            return prompt
        text = [first.model_copy(update={"text": one}) for one in rest]
        return (SkillReference(name=skill.name), *text, *prompt[1:])

    def _send_again(self, event: Responded) -> None:
        """Resend the prompt whose response was lost with the connection, with the same idempotency
        key.
        """
        params = event.request.params
        session = self._core.state.sessions.get(getattr(params, "session_id", ""))
        if event.result is None or session is None or session.unanswered is None:
            return
        obstacle = self._obstacle(session.session_id) or self._budget.refuses_turn(session)
        if obstacle is not None:
            self._core.notify(session.session_id, "error", "Not sent again", obstacle)
            return
        self._core.request("session/prompt", session.unanswered.params)

    def _return_prompt(self, session_id: str, prompt: tuple[ContentBlock, ...], why: str) -> None:
        self._core.notify(session_id, "error", "Not sent", f"{why}\n\n{text_of_content(prompt)}")


def _whole_blocks(blocks: Iterable[ContentBlock]) -> tuple[ContentBlock, ...]:
    return tuple(map(_whole, blocks))


def _whole(block: ContentBlock) -> ContentBlock:
    """Return a block without lone surrogates in its text or name: UTF-8 can't encode them."""
    match block:
        case TextContent(text=text):
            return block.model_copy(update={"text": join_surrogates(text)})
        case ResourceLink(name=name):
            return block.model_copy(update={"name": join_surrogates(name)})
    return block
