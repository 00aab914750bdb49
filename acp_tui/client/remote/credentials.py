"""Credentials for a server: headers and the bearer token, loaded for each connection and masked
wherever they would be shown.
"""

import os
import subprocess
from collections.abc import Iterable
from shutil import which

import anyio

from acp_tui.client.errors import LineBroken
from acp_tui.config.remote import Remote
from acp_tui.masking.redactor import Redactor
from acp_tui.masking.secrets import MASK
from acp_tui.text import clean_line

TOKEN_TIME = 60.0
"""Seconds that the token's command may take: it may have to ask the user in another window."""
MOST_ERROR_BYTES = 8 * 1024
"""Most bytes of an error's body that are read."""
LONGEST_SERVER_TEXT = 300
"""Most characters of a server's text that are shown."""


class Credentials:
    """One connection's headers; `masked` removes their values from shown and recorded text."""

    def __init__(self) -> None:
        self.headers: dict[str, str] = {}
        self._secrets: set[str] = set()

    async def load(self, remote: Remote) -> None:
        """Load the headers and the token. Raises LineBroken."""
        self.headers = dict(remote.headers)
        token = await _token(remote)
        if token is not None:
            self.headers["Authorization"] = f"Bearer {token}"
            self.add_secret(token)
        for name, value in self.headers.items():
            self.add_secret(value)
            if name.lower() == "authorization":
                self.add_secret(value.partition(" ")[2].strip())  # without the scheme

    def add_secret(self, value: str) -> None:
        """Mask a value from now on, unless it is too short for a secret."""
        if len(value) >= 4:
            self._secrets.add(value)

    def add_cookies(self, cookies: Iterable[str]) -> None:
        """Mask the values of the server's cookies from now on."""
        for cookie in cookies:
            self.add_secret(cookie.partition(";")[0].partition("=")[2].strip())

    def masked(self, text: str) -> str:
        """Return a server's text as one line of limited length, with our secrets and similar values
        masked.
        """
        return clean_line(Redactor().text(self._without_secrets(text), ""))[:LONGEST_SERVER_TEXT]

    def error_text(self, body: bytes) -> str:
        """Return the text of a server's error, masked before it is cut; "" for binary data."""
        if b"\0" in body:
            return ""
        text = self._without_secrets(body[:MOST_ERROR_BYTES].decode("utf-8", "replace"))
        if len(body) > MOST_ERROR_BYTES:  # a secret may be cut in two there, and wouldn't be masked
            text = text[: -max(map(len, self._secrets), default=1)]
        return self.masked(text)

    def _without_secrets(self, text: str) -> str:
        for secret in sorted(self._secrets, key=len, reverse=True):
            text = text.replace(secret, MASK)
        return text


async def _token(remote: Remote) -> str | None:
    if remote.token_env is not None:
        token = os.environ.get(remote.token_env, "").strip()
        if not token:
            words = (
                f"the environment variable {remote.token_env} should hold the token, but is not set"
            )
            raise LineBroken(words, refused=True)
    elif remote.token_command:
        token = await _printed(remote.token_command)
    else:
        return None
    if not token.isascii() or not token.isprintable():
        raise LineBroken("the token has a character that headers can't have", refused=True)
    return token


async def _printed(command: tuple[str, ...]) -> str:
    """Run the token's command and return the line that it prints. Raises LineBroken.

    Its other output may contain the token. So may its first word, which errors quote only if it
    names a program.
    """
    known = which(command[0]) is not None
    name = "the token's command"
    name += f" {command[0]!r}" if known else ", whose first word names no program,"
    try:
        with anyio.fail_after(TOKEN_TIME):
            done = await anyio.run_process(
                command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
            )
    except OSError as error:
        raise LineBroken(f"{name} can't be run: {error.strerror}", refused=True) from error
    except TimeoutError as error:
        raise LineBroken(f"{name} took over {TOKEN_TIME:g} s", refused=True) from error
    token = done.stdout.decode("utf-8", "replace").strip()
    if done.returncode != 0 or not token:
        how = f"ended with code {done.returncode}" if done.returncode else "printed no token"
        raise LineBroken(f"{name} {how}", refused=True)
    return token
