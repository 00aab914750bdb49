"""Lines that a person sends by hand."""

from acp_tui.client.core import Core
from acp_tui.protocol.frames import Origin
from acp_tui.state.commands import SendByHand


class ByHand:
    """Sends raw lines; only the state reacts to their responses."""

    def __init__(self, core: Core) -> None:
        self._core = core
        core.register({SendByHand: self._send_lines})

    def _send_lines(self, command: SendByHand) -> None:
        requests = self._core.requests
        if requests.link is None:
            self._core.notify(None, "error", "Not sent", "The agent isn't running.")
        elif requests.is_congested:
            words = "The agent has stopped reading its input."
            self._core.notify(None, "error", "Not sent", words)
        else:
            for line in command.raw.split(b"\n"):
                if line:
                    requests.send_line(line, Origin.HAND)
