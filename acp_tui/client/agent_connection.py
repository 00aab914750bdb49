"""One connection to the agent: its frames, and the services that answer the agent's requests."""

from anyio.abc import TaskGroup

from acp_tui.client.connection.link import AgentLink, RecordFrame
from acp_tui.client.connection.transport import Transport
from acp_tui.client.core import Core
from acp_tui.client.files.history import FileHistory
from acp_tui.client.permissions.policy import Permissions
from acp_tui.client.services import Services
from acp_tui.protocol.events import Notified, Requested, Responded, Unreadable, WireEvent
from acp_tui.protocol.jsonrpc import Failure
from acp_tui.protocol.requests import CancelRequestParams

PROMPT = "session/prompt"


class AgentConnection:
    """Serves the agent over a transport, from its start until `close`.

    Each frame goes to `record`, which passes what the agent sent to `react`.
    """

    def __init__(
        self,
        core: Core,
        tasks: TaskGroup,
        transport: Transport,
        record: RecordFrame,
        permissions: Permissions,
        history: FileHistory,
    ) -> None:
        self._core = core
        self.link = core.requests.link = AgentLink(transport, record, core.clock)
        self.services = Services(core, tasks, permissions, history)

    def react(self, event: WireEvent) -> None:
        """Serve a request of the agent's, or let the parts of the client follow its response."""
        match event:
            case Requested():
                self.services.serve(event)
            case Notified(method="$/cancel_request", params=CancelRequestParams() as params):
                self.services.on_agent_cancelled(params)
            case Responded(request=request):
                # Prompts are followed whoever sent them: others are queued until the turn's end.
                if request.by is None or request.method == PROMPT:
                    for go_on in self._core.responses.get(request.call, ()):
                        go_on(event)
            case Unreadable(wants_answer=True):
                self._core.requests.send(Failure(None, event.error))

    def yield_to_other_answer(self, request: Requested) -> None:
        """Stop serving a request that got another answer than ours."""
        self.services.stop(request)
        self._core.requests.put_ready(request.id)

    async def stop_serving(self) -> None:
        """End the terminals; after this the client sends nothing."""
        await self.services.terminals.close_all()
        self._core.requests.link = None  # before its writer ends, so that nothing is queued in vain

    async def close(self) -> None:
        """Stop serving, and drop unsent messages. Doesn't wait once the terminals have ended."""
        await self.stop_serving()
        self.link.close()
