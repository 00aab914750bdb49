"""Whole turns with the servers of the official SDKs, over each transport that they have."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from acp_tui.recordings import recording
from tests.interop.test_sdks import missing

pytestmark = [pytest.mark.interop, pytest.mark.slow]

HERE = Path(__file__).parent / "remote"
NODE_SDK = HERE / "node_modules/@agentclientprotocol/sdk"
PYTHON = HERE / ".venv/bin/python"
SCHEMES = ("ws", "wss", "http", "https")


@contextmanager
def serving(argv: list[str]) -> Iterator[int]:
    """Run a server, which prints its port, until the block ends."""
    process = subprocess.Popen(argv, cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A certificate of localhost that nobody has signed, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    made = (str(folder / "certificate.pem"), str(folder / "key.pem"))
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    words += ["-nodes", "-days", "9", "-subj", "/CN=localhost", "-addext"]
    words += ["subjectAltName=DNS:localhost", "-out", made[0], "-keyout", made[1]]
    subprocess.run(words, check=True, capture_output=True)
    return made


@pytest.fixture(scope="module", params=["typescript", "python"])
def server(request: pytest.FixtureRequest) -> list[str]:
    """How a server is started."""
    if request.param == "python":
        if not PYTHON.exists():
            missing("the Python SDK's server is not here: run tests/interop/install.sh")
        return [str(PYTHON), "server.py"]
    node = shutil.which("node")
    if node is None or not NODE_SDK.exists():
        missing("the TypeScript SDK's server is not here: run tests/interop/install.sh")
    return [str(node), "server.mjs"]


@pytest.fixture(scope="module")
def plain(server: list[str]) -> Iterator[int]:
    """The port of a server without TLS."""
    with serving(server) as port:
        yield port


@pytest.fixture(scope="module")
def secure(server: list[str], certificate: tuple[str, str]) -> Iterator[int]:
    """The port of a server with TLS."""
    with serving([*server, *certificate]) as port:
        yield port


@pytest.fixture(params=SCHEMES)
def url(request: pytest.FixtureRequest, plain: int, secure: int) -> str:
    """The address of a server, over each transport."""
    port = secure if request.param in ("wss", "https") else plain
    return f"{request.param}://localhost:{port}/acp"


def words(url: str, prompt: str, *options: str) -> list[str]:
    return [sys.executable, "-m", "acp_tui", "run", *options, "--connect", url, prompt]


def environment(certificate: tuple[str, str]) -> dict[str, str]:
    return {**os.environ, "SSL_CERT_FILE": certificate[0]}


def run(url: str, folder: Path, certificate: tuple[str, str], *options: str) -> Any:
    return subprocess.run(
        words(url, "go", "--cwd", str(folder), *options),
        capture_output=True,
        text=True,
        env=environment(certificate),
        timeout=60,
    )


def test_a_whole_turn(
    server: list[str], url: str, certificate: tuple[str, str], tmp_path: Path
) -> None:
    record = tmp_path / "turn.jsonl"
    ran = run(url, tmp_path, certificate, "--permissions", "allow", "--record", str(record))
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith(("read 'hello\\n'; cat 'hello\\n'", 'read "hello\\n"'))
    assert (tmp_path / "hello.txt").read_text() == "hello\n"
    assert ("HTTP/2 200" in ran.stderr) == ("server.py" in server and url.startswith("https"))
    with record.open() as file:
        lines = [json.loads(line) for line in file]
    assert lines[0]["url"] == url
    assert recording.agent_in(lines[0]) == url


def test_a_refusal(url: str, certificate: tuple[str, str], tmp_path: Path) -> None:
    ran = run(url, tmp_path, certificate)
    assert (ran.returncode, ran.stdout) == (5, "not written\n")
    assert list(tmp_path.iterdir()) == []


def test_a_cancel(url: str, certificate: tuple[str, str]) -> None:
    process = subprocess.Popen(
        words(url, "wait", "--format", "json"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(certificate),
    )
    assert process.stdout is not None
    for line in process.stdout:
        if b"agent_message_chunk" in line:
            break
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert json.loads(out.splitlines()[-1])["stopReason"] == "cancelled"


def test_a_certificate_that_nobody_signed_is_not_trusted(secure: int, tmp_path: Path) -> None:
    for scheme in ("wss", "https"):
        url = f"{scheme}://localhost:{secure}/acp"
        ran = subprocess.run(words(url, "go"), capture_output=True, text=True, cwd=tmp_path)
        assert ran.returncode == 1
        assert "the certificate of localhost can't be trusted: self-signed" in ran.stderr


@pytest.mark.parametrize("server", ["typescript"], indirect=True)
@pytest.mark.parametrize("scheme", ["ws", "http"])
def test_a_session_is_loaded_over_another_connection(
    server: list[str], plain: int, scheme: str, tmp_path: Path
) -> None:
    url = f"{scheme}://localhost:{plain}/acp"
    first = subprocess.run(
        words(url, "go", "--format", "json", "--cwd", str(tmp_path)),
        capture_output=True,
        text=True,
    )
    session = json.loads(first.stdout.splitlines()[-1])["sessionId"]
    again = subprocess.run(
        words(url, "go", "--format", "json", "--cwd", str(tmp_path), "--resume", session),
        capture_output=True,
        text=True,
    )
    events = [json.loads(line) for line in again.stdout.splitlines()]
    assert [event for event in events if event["event"] == "session/load"]
    replayed = [event for event in events if event["event"] == "update"]
    assert replayed[0]["update"]["sessionUpdate"] == "user_message_chunk"
