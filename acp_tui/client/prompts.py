"""Sends prompts: at once, into the turn that runs, or after its cancellation."""

from collections.abc import Callable

from acp_tui.client.connection.requests import Requests
from acp_tui.client.launch import Notify
from acp_tui.protocol.content import ContentBlock, ResourceLink, TextContent, text_of
from acp_tui.protocol.events import Responded
from acp_tui.protocol.extensions import STEERING, SteeringParams, SteeringResult
from acp_tui.protocol.setup import PromptParams
from acp_tui.session.commands import Interrupt, PromptCommand, Steer
from acp_tui.session.state import State
from acp_tui.text import whole


class Prompts:
    """The prompts of one agent process."""

    def __init__(
        self, state: State, requests: Requests, notify: Notify, cancel: Callable[[str], None]
    ) -> None:
        self._state = state
        self._requests = requests
        self._notify = notify
        self._cancel = cancel
        self._waiting: dict[str, tuple[ContentBlock, ...]] = {}

    def do(self, command: PromptCommand) -> None:
        """Send a prompt; never waits."""
        session = self._state.sessions.get(command.session_id)
        runs = session is not None and session.turn is not None
        prompt = tuple(map(_whole, command.prompt))
        if isinstance(command, Steer) and runs and self._state.peer.offers(STEERING):
            meta = {"steering": {"idleBehavior": "promptRequired"}}
            params = SteeringParams(session_id=command.session_id, prompt=list(prompt), meta=meta)
            self._requests.call(STEERING, params)
        elif isinstance(command, Steer | Interrupt) and runs:
            self._waiting[command.session_id] = prompt
            self._cancel(command.session_id)
        else:
            self._send(command.session_id, prompt)

    def answered(self, event: Responded) -> None:
        """A turn is over: send what waited. A message came too late to steer: send it now."""
        match event.request.params, event.result:
            case PromptParams(session_id=session_id), _ if session_id in self._waiting:
                self._later(session_id, self._waiting.pop(session_id))
            case SteeringParams() as params, SteeringResult(outcome="promptRequired"):
                self._later(params.session_id, tuple(params.prompt))
            case SteeringParams() as params, None:
                self._give_back(params.session_id, tuple(params.prompt), "It can't be steered now.")

    def _later(self, session_id: str, prompt: tuple[ContentBlock, ...]) -> None:
        """Send a message as soon as no turn runs; what can't be sent is given back."""
        session = self._state.sessions.get(session_id)
        obstacle = self._obstacle(session_id)
        if session is not None and session.turn is not None:
            self._waiting[session_id] = prompt
        elif obstacle is not None:
            self._give_back(session_id, prompt, obstacle)
        else:
            self._send(session_id, prompt)

    def gone(self) -> None:
        """The agent is gone: what waited is given back."""
        for session_id, prompt in self._waiting.items():
            self._give_back(session_id, prompt, "The agent is gone.")
        self._waiting.clear()

    def _obstacle(self, session_id: str) -> str | None:
        """Why the agent can't take a prompt now."""
        session = self._state.sessions.get(session_id)
        if self._requests.link is None or self._state.peer.exit is not None:
            return "The agent isn't running."
        if self._state.peer.stdout_closed:
            return "The agent has closed its output."
        if self._requests.is_congested:
            return "The agent has stopped reading its input."
        if session is not None and session.loading is not None:
            return "The session is being loaded."
        if session is not None and session.subagent is not None:
            return "It is a subagent's session: only the agent talks to it."
        if session is not None and session.closed:
            return "The session is closed."
        if session is not None and session.turn is not None:
            return "The agent has not ended the turn before."
        return None

    def _send(self, session_id: str, prompt: tuple[ContentBlock, ...]) -> None:
        obstacle = self._obstacle(session_id)
        if obstacle is not None:
            self._notify(session_id, "error", "Not sent", obstacle)
            return
        params = PromptParams(session_id=session_id, prompt=list(prompt))
        self._requests.call("session/prompt", params)

    def _give_back(self, session_id: str, prompt: tuple[ContentBlock, ...], why: str) -> None:
        self._notify(session_id, "error", "Not sent", f"{why}\n\n{text_of(prompt)}")


def _whole(block: ContentBlock) -> ContentBlock:
    """A text or a file's name without half characters: UTF-8 has no bytes for them."""
    match block:
        case TextContent(text=text):
            return block.model_copy(update={"text": whole(text)})
        case ResourceLink(name=name):
            return block.model_copy(update={"name": whole(name)})
    return block
