"""Runs the demo agent on stdin and stdout until stdin ends.

`ACP_DEMO_SPEED` divides all pauses; 0 means no pauses.
"""

import os
import signal
import sys

from acp_tui.demo_agent.agent import DemoAgent
from acp_tui.demo_agent.wire import DemoClient


def main() -> None:
    """Serve the client on stdin and stdout."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.stdin.isatty():
        print(
            "This agent speaks ACP on stdin and stdout: see it with `acp-tui demo`.",
            file=sys.stderr,
        )
    client = DemoClient()
    agent = DemoAgent(client, _speed())
    for line in client.read():
        agent.receive(line)


def _speed() -> float:
    try:
        return max(0.0, float(os.environ.get("ACP_DEMO_SPEED", "1")))
    except ValueError:
        return 1.0


if __name__ == "__main__":
    main()
