"""A headless Chromium, driven by its DevTools protocol: real pages, real clicks."""

import base64
import itertools
import json
import os
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pyte
import pytest
from aiohttp import ClientSession, ClientWebSocketResponse

from tests.e2e.terminal import Terminal

PATIENCE = 60.0
_DRAWN = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
"""Waits until what has come is on the page."""
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


class Page:
    """A page with a terminal: what it was sent, as a screen, and ways to press and click."""

    def __init__(self, socket: ClientWebSocketResponse) -> None:
        self._socket = socket
        self._ids = itertools.count(1)
        self._answers: dict[int, dict[str, Any]] = {}
        self._moved = anyio.Event()
        self.screen = pyte.Screen(80, 24)
        self._stream = pyte.ByteStream(self.screen)
        self.addresses: list[str] = []
        self.complaints: list[str] = []

    takes_keys = Terminal.takes_keys

    @property
    def text(self) -> str:
        """What the terminal shows."""
        return "\n".join(self.screen.display)

    @property
    def columns(self) -> int:
        return int(self.screen.columns)

    async def follow(self) -> None:
        """Take what the browser tells, until it ends."""
        async for message in self._socket:
            told = json.loads(message.data)
            if "id" in told:
                self._answers[told["id"]] = told
            elif told["method"] == "Network.webSocketFrameReceived":
                frame = told["params"]["response"]
                if frame["opcode"] == 2:
                    self._stream.feed(base64.b64decode(frame["payloadData"]))
            elif told["method"] == "Network.webSocketFrameSent":
                self._sent(told["params"]["response"]["payloadData"])
            elif told["method"] == "Network.requestWillBeSent":
                self.addresses.append(told["params"]["request"]["url"])
            elif told["method"] in ("Runtime.exceptionThrown", "Log.entryAdded"):
                self.complaints.append(json.dumps(told["params"]))
            self._moved.set()
            self._moved = anyio.Event()

    def _sent(self, text: str) -> None:
        kind, *rest = json.loads(text)
        if kind == "resize":
            self.screen.resize(rest[0]["height"], rest[0]["width"])

    async def do(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method of the browser's."""
        number = next(self._ids)
        await self._socket.send_json({"id": number, "method": method, "params": params})
        await self.until(lambda: number in self._answers)
        answer = self._answers.pop(number)
        assert "error" not in answer, answer
        found: dict[str, Any] = answer["result"]
        return found

    async def until(self, condition: Callable[[], Any]) -> None:
        """Wait while things move."""
        with anyio.move_on_after(PATIENCE):
            while not condition():
                await self._moved.wait()
            return
        told = "\n".join(self.complaints)
        pytest.fail(f"waited in vain; the terminal shows:\n{self.text}\n{told}")

    async def until_shown(self, words: str) -> None:
        """Wait until the terminal shows these words."""
        await self.until(lambda: words in self.text)

    async def evaluate(self, script: str) -> Any:
        """Return what a piece of JavaScript gives."""
        found = await self.do(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        return found["result"].get("value")

    async def write(self, text: str) -> None:
        """Type a text."""
        for letter in text:
            await self.do("Input.dispatchKeyEvent", type="char", text=letter)

    async def press_enter(self) -> None:
        key = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13}
        await self.do("Input.dispatchKeyEvent", type="keyDown", text="\r", **key)
        await self.do("Input.dispatchKeyEvent", type="keyUp", **key)

    async def click(self, words: str) -> None:
        """Click with the mouse on what the terminal shows."""
        row = next(at for at, line in enumerate(self.screen.display) if words in line)
        column = self.screen.display[row].index(words)
        box = await self.evaluate(
            "(b => [b.x, b.y, b.width, b.height])"
            "(document.querySelector('.xterm-screen').getBoundingClientRect())"
        )
        x = box[0] + (column + 0.5) * box[2] / self.screen.columns
        y = box[1] + (row + 0.5) * box[3] / self.screen.lines
        button = {"x": x, "y": y, "button": "left", "clickCount": 1}
        await self.do("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        await self.do("Input.dispatchMouseEvent", type="mousePressed", **button)
        await self.do("Input.dispatchMouseEvent", type="mouseReleased", **button)

    async def picture(self, path: Path) -> None:
        """Write what the page looks like."""
        await self.evaluate(_DRAWN)
        shot = await self.do("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(shot["data"]))


@asynccontextmanager
async def chromium(folder: Path, width: int, height: int) -> AsyncIterator[Page]:
    """Run a browser of that size with a profile of its own; yield its first page, an empty one."""
    found = next((path for name in _NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("there is no Chromium here: install chromium-headless-shell")
    argv = [found, "--headless", "--remote-debugging-port=0", f"--user-data-dir={folder}"]
    argv += [f"--window-size={width},{height}", "--no-first-run", "--disable-gpu"]
    argv += ["--no-sandbox"] if os.getuid() == 0 else []  # it refuses to have one as root
    process = subprocess.Popen(
        [*argv, "about:blank"],
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        async with ClientSession() as session:
            with anyio.fail_after(PATIENCE):
                address = await _first_page(session, await _port(process, folder))
            async with session.ws_connect(address, max_msg_size=0) as socket:
                page = Page(socket)
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(page.follow)
                    for part in ("Page", "Network", "Runtime", "Log"):
                        await page.do(f"{part}.enable")
                    yield page
                    tasks.cancel_scope.cancel()
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


async def _port(process: "subprocess.Popen[bytes]", folder: Path) -> str:
    """Wait until it says where it listens."""
    told = folder / "DevToolsActivePort"
    while not (told.exists() and told.read_text()):
        assert process.poll() is None, "the browser ended"
        await anyio.sleep(0.05)
    return told.read_text().split()[0]


async def _first_page(session: ClientSession, port: str) -> str:
    while True:
        async with session.get(f"http://127.0.0.1:{port}/json") as answer:
            for one in await answer.json():
                if one["type"] == "page":
                    return str(one["webSocketDebuggerUrl"])
        await anyio.sleep(0.05)
