"""The Python SDK's own server, over HTTP and WebSocket, with the agent beside it; prints its port.

With a certificate and its key as arguments it speaks TLS, and HTTP/2 where a client can.
"""

import asyncio
import socket
import sys
from pathlib import Path

from acp.http.asgi import create_asgi_app
from hypercorn.asyncio import serve
from hypercorn.config import Config

sys.path.insert(0, str(Path(__file__).parents[1]))

from python_agent import PythonAgent


def agent(client: object) -> PythonAgent:
    made = PythonAgent()
    made.client = client
    return made


async def main() -> None:
    config = Config()
    listening = socket.create_server(("127.0.0.1", 0))
    config.bind = [f"fd://{listening.fileno()}"]
    if len(sys.argv) > 1:
        config.certfile, config.keyfile = sys.argv[1:]
    config.errorlog = None
    print(listening.getsockname()[1], flush=True)
    await serve(create_asgi_app(agent), config)


asyncio.run(main())
