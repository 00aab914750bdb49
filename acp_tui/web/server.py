"""The server: a page, and for each window of a browser a terminal in which the UI runs."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from importlib.resources import files
from socket import socket
from weakref import WeakSet

import anyio
from aiohttp import WSMsgType, web

from acp_tui.web.gate import WebGate
from acp_tui.web.viewer import BrowserViewer, size_of

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_FONT_SIZES = range(8, 33)
_FONT_SIZE = 16
_KEPT_OUT = (
    "This page is for those who have its link. Open the one that acp-tui serve printed last: "
    "each lets one browser in, once.\n"
)
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
        "font-src 'self' data:; img-src 'self' data:; connect-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
"""The page loads nothing from elsewhere, and no other page can frame it, or steer a window that shows it."""
_LONGEST_PASTE = 64 * 1024 * 1024
_HEARTBEAT = 20.0
"""Seconds between two looks whether a browser is still there."""


class WebServer:
    """Serves a command to browsers that the gate admits; calls `told` with each new link."""

    def __init__(self, gate: WebGate, command: Sequence[str], told: Callable[[str], None]) -> None:
        self._gate = gate
        self._command = command
        self._told = told
        self._windows: WeakSet[web.WebSocketResponse] = WeakSet()

    def app(self) -> web.Application:
        """Return the application that aiohttp runs."""

        async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
            return await self._guard(request, handler)

        app = web.Application(middlewares=[web.middleware(guard)])
        app.router.add_get("/", self._page)
        for name, kind in (("page.css", "text/css"), ("page.js", "text/javascript")):
            app.router.add_get(f"/{name}", partial(_file, name, kind))
        app.router.add_get("/ws", self._terminal)
        app.router.add_static("/static", str(files("textual_serve") / "static"))
        app.on_shutdown.append(self._close_all)
        return app

    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Let through who has come in by a link; everybody else gets only a sentence."""
        if not self._gate.is_for_us(request.headers.get("Host", "")):
            return web.Response(status=421, text="This is no machine of that name.\n")
        if request.method != "GET":
            return web.Response(status=405, text="There is nothing to change here.\n")
        if request.path == "/" and "token" in request.query:
            return self._enter(request.query["token"])
        if not self._gate.knows(request.cookies.get(self._gate.cookie, "")):
            return web.Response(status=403, text=_KEPT_OUT)
        response = await handler(request)
        if not response.prepared:
            response.headers.update(_HEADERS)
        return response

    def _enter(self, token: str) -> web.StreamResponse:
        """Turn a link into a cookie; its token is gone from the address then."""
        browser = self._gate.admit(token)
        if browser is None:
            return web.Response(status=403, text=_KEPT_OUT)
        self._told(self._gate.link)
        response = web.Response(status=303, headers={"Location": "/", **_HEADERS})
        response.set_cookie(
            self._gate.cookie,
            browser,
            path="/",
            httponly=True,
            samesite="Strict",
            secure=self._gate.is_secure,
        )
        return response

    async def _page(self, request: web.Request) -> web.StreamResponse:
        given = request.query.get("fontsize", "")
        size = int(given) if given.isdecimal() and int(given) in _FONT_SIZES else _FONT_SIZE
        text = _text("page.html").replace("@FONT_SIZE@", str(size))
        return web.Response(text=text, content_type="text/html")

    async def _terminal(self, request: web.Request) -> web.StreamResponse:
        """Run the command for this window, as long as both are there."""
        if not self._gate.is_of_ours(request.headers.get("Origin", "")):
            return web.Response(status=403, text="Another page asks.\n")
        window = web.WebSocketResponse(heartbeat=_HEARTBEAT, max_msg_size=_LONGEST_PASTE)
        await window.prepare(request)
        self._windows.add(window)
        viewer = BrowserViewer(self._command, size_of(request.query))
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._show, viewer, window)
                async for message in window:
                    if message.type is WSMsgType.TEXT:
                        await viewer.handle_message(message.data, window)
                tasks.cancel_scope.cancel()
        finally:
            await viewer.end()
        return window

    async def _show(self, viewer: BrowserViewer, window: web.WebSocketResponse) -> None:
        try:
            await viewer.send_output(window)
        except ConnectionError:  # the browser has gone
            return
        await window.close()

    async def _close_all(self, _: web.Application) -> None:
        for window in set(self._windows):
            await window.close()


async def _file(name: str, kind: str, _: web.Request) -> web.StreamResponse:
    return web.Response(text=_text(name), content_type=kind)


def _text(name: str) -> str:
    return (files("acp_tui.web") / name).read_text("utf-8")


async def serve(server: WebServer, listener: socket, until: anyio.Event) -> None:
    """Serve until it is time to leave; then all programs are ended."""
    runner = web.AppRunner(server.app(), access_log=None, shutdown_timeout=20.0)
    await runner.setup()
    try:
        await web.SockSite(runner, listener).start()
        await until.wait()
    finally:
        with anyio.CancelScope(shield=True):
            await runner.cleanup()
