"""`acp-tui serve`: who gets in, and a whole turn in a real browser."""

import argparse
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.importorskip("aiohttp", reason="without the extra [web]")
pytest.importorskip("textual_serve", reason="without the extra [web]")

from acp_tui.cli.serve import window_command
from acp_tui.config.paths import PROGRAM
from tests.e2e.chromium import chromium
from tests.e2e.terminal import terminal
from tests.fake_agent.script import Played, Script
from tests.hosting import living, wait_until
from tests.in_process import run_program

pytestmark = pytest.mark.anyio
DEMO = [sys.executable, "-m", "acp_tui.demo_agent"]


@contextmanager
def served(
    *options: str, cwd: Path, agent: Sequence[str] = ()
) -> Iterator["subprocess.Popen[str]"]:
    """Serve; at the end by Ctrl+C, after which nothing is left."""
    marker = f"served-{os.getpid()}-{cwd.name}"
    process = subprocess.Popen(
        [sys.executable, "-m", "acp_tui", "serve", *options, *(["--", *agent] if agent else [])],
        cwd=cwd,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "ACP_TUI_TEST": marker},
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        assert process.stdout is not None
        process.stdout.close()
        wait_until(lambda: living(marker) == [])


def next_link(process: "subprocess.Popen[str]") -> str:
    """The link that is printed next."""
    assert process.stdout is not None
    for line in process.stdout:
        if "http://" in line:
            return line.split()[-1]
    raise AssertionError("no link")


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height"), [(1200, 800), (390, 844)])
async def test_a_turn_with_a_permission_by_mouse_in_a_browser(
    tmp_path: Path, width: int, height: int
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    with served(agent=DEMO, cwd=work) as server:
        link = next_link(server)
        async with chromium(tmp_path / "profile", width, height) as page:
            await page.do("Page.navigate", url=link)
            await page.until_shown("○ ready")
            await page.write("/permission")
            await page.press_enter()
            await page.until_shown("Yes, pour it")
            await page.until(page.takes_keys)
            title = await page.evaluate("document.title")
            assert title == "(1) acp-tui — Demo agent — waiting for you"
            if folder := os.environ.get("ACP_TUI_PICTURES"):
                await page.picture(Path(folder) / f"browser-{width}.png")
            await page.click("Yes, pour it")
            await page.until_shown("You chose Yes")
            await page.until_shown("○ ready")
            ours = link.partition("?")[0]
            assert [one for one in page.addresses if not one.startswith((ours, "data:"))] == []
            assert "token" not in await page.evaluate("location.href + document.cookie")
            assert next_link(server) != link


@pytest.mark.slow
async def test_a_key_pressed_in_a_page_that_is_behind_allows_nothing_it_did_not_show(
    tmp_path: Path,
) -> None:
    work, gate, agent = tmp_path / "work", tmp_path / "gate", tmp_path / "agent"
    work.mkdir()
    agent.mkdir()
    ls, rm = ({"title": one, "rawInput": {"command": one}} for one in ("ls", "rm -rf ~"))
    script = Script().handshake().prompt().ask_permission({"toolCallId": "t1", **ls}).until(gate)
    script = script.tool_call_update(**rm).expect_answer("ask").end_turn()
    with served("--no-record", agent=script.argv(agent), cwd=work) as server:
        async with chromium(tmp_path / "profile", 800, 600) as page:
            await page.do("Page.addScriptToEvaluateOnNewDocument", source=_MAY_BE_BEHIND)
            await page.do("Page.navigate", url=next_link(server))
            await page.until_shown("○ ready")
            await page.write("go")
            await page.press_enter()
            await page.until_shown("$ ls")
            await page.until(page.takes_keys)
            # From now on the page shows nothing of what comes, and the terminal in it doesn't answer.
            await page.evaluate("void (behind = [])")
            gate.touch()
            await page.until_shown("$ rm")  # the program has drawn it
            await page.write("1")
            await page.until_shown("not allowed")
            await page.evaluate("behind.splice(0).forEach(show => show()); behind = null")
            await page.until(page.takes_keys)
            await page.write("1")
            await page.until_shown("○ ready")
    answers = [one for one in Played(agent).messages if "method" not in one]
    assert len(answers) == 1


_MAY_BE_BEHIND = """
var behind = null;
const listen = WebSocket.prototype.addEventListener;
WebSocket.prototype.addEventListener = function (kind, handle) {
  const later = (event) => (behind ? behind.push(() => handle(event)) : handle(event));
  listen.call(this, kind, kind === "message" ? later : handle);
};
"""
"""While `behind` is a list, what a page is sent is put there in place of being shown."""


@pytest.mark.slow
async def test_a_browser_and_a_terminal_show_the_same_kept_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    kept = ("--keep", "tea", "--no-record", "--cwd", str(tmp_path), "--", *DEMO)
    with terminal(*kept, env={"XDG_STATE_HOME": str(tmp_path / "state")}) as it, ending("tea"):
        it.wait_for("○ ready")
        with served("--attach", "tea", cwd=tmp_path) as server:
            async with chromium(tmp_path / "profile", 800, 600) as page:
                await page.do("Page.navigate", url=next_link(server))
                await page.until_shown("○ ready")
                await page.write("/permission")
                await page.press_enter()
                await page.until(page.takes_keys)
                await page.click("Yes, pour it")
                it.wait_for("You chose Yes")
        it.type_line("/help")
        it.wait_for("/markdown")


@contextmanager
def ending(name: str) -> Iterator[None]:
    """End a kept run, whatever happens."""
    try:
        yield
    finally:
        stop = [sys.executable, "-m", "acp_tui", "stop", name]
        assert subprocess.run(stop, capture_output=True, text=True).stdout == f"stopped: {name}\n"


def failed(*argv: str) -> str:
    """What is said about arguments that can't be served."""
    ran = run_program("serve", *argv)
    assert (ran.returncode, ran.stdout) == (2, b"")
    return ran.stderr.decode()


def test_what_can_t_be_served_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        said = f"port {port} of 127.0.0.1 is already in use: name another one"
        assert said in failed("--port", port, "--", "agent")
    assert "'80000' is not a port" in failed("--port", "80000", "--", "agent")
    assert "or its command after --" in failed()
    assert "leave out --" in failed("--attach", "--", "agent")
    assert "no-such" in failed("--attach", "no-such")
    assert "'host' is not the address of a site" in failed("--url", "host", "--", "agent")
    assert "is not the address of a site" in failed("--url", "https://host:99999", "--", "agent")
    monkeypatch.delitem(sys.modules, "acp_tui.web.server")
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    assert "pip install '.[web]'" in failed("--", "agent")


@pytest.mark.slow
@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="this machine has no IPv6")
def test_it_listens_on_addresses_of_the_newer_kind(tmp_path: Path) -> None:
    with served("--host", "::1", cwd=tmp_path, agent=DEMO) as process:
        link = urlsplit(next_link(process))
        assert link.hostname == "::1"
        connection = HTTPConnection(link.hostname, link.port, timeout=30)
        connection.request("GET", f"{link.path}?{link.query}")
        answer = connection.getresponse()
        connection.close()
        assert (answer.status, answer.getheader("Location")) == (303, "/")


def test_a_window_runs_the_same_without_what_the_server_takes(tmp_path: Path) -> None:
    options = argparse.Namespace(
        arguments=["--port", "1", "--env", "A=b", "--host=x", "--sandbox"],
        agent_command=["a", "--b"],
        attach=None,
    )
    rest = ["--env", "A=b", "--sandbox", "--", "a", "--b"]
    assert window_command(options) == [*PROGRAM, *rest]
