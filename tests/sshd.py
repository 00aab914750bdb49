"""An sshd of the tests on a port of loopback: its own keys, its own settings, nobody else's."""

import getpass
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

TRIES = 10
"""How often another port is tried when somebody has taken the one that was free."""


def program() -> str | None:
    """Where sshd is; it is in no user's PATH."""
    return shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


@contextmanager
def sshd(folder: Path) -> Iterator[Path]:
    """Run it; yield settings for ssh in which it is the machine `there`."""
    found = program()
    if found is None or shutil.which("ssh-keygen") is None:
        pytest.skip("there is no sshd here: install openssh-server")
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # sshd of Debian wants it of root
    for name in ("host", "user"):
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True
        )
    for _ in range(TRIES):
        port = _free_port()
        process = _start(found, folder, port)
        try:
            if _listens(process):
                yield _client_settings(folder, port)
                return
        finally:
            process.terminate()
            process.wait()
            assert process.stderr is not None
            process.stderr.close()
    pytest.fail("no port was free for sshd")


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _start(found: str, folder: Path, port: int) -> "subprocess.Popen[str]":
    settings = folder / "sshd_config"
    settings.write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nPidFile none\n"
        f"AuthorizedKeysFile {folder}/user.pub\nStrictModes no\nUsePAM no\n"
        "PasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin yes\n"
        f"SetEnv HOME={folder}\n"  # nobody's ~/.bashrc
    )
    return subprocess.Popen(
        [found, "-D", "-e", "-f", str(settings)], stderr=subprocess.PIPE, text=True
    )


def _listens(process: "subprocess.Popen[str]") -> bool:
    """Wait until it listens; false if it ends instead."""
    assert process.stderr is not None
    return any("Server listening" in line for line in process.stderr)


def _client_settings(folder: Path, port: int) -> Path:
    settings = folder / "ssh_config"
    settings.write_text(
        f"Host there\nHostName 127.0.0.1\nPort {port}\nUser {getpass.getuser()}\n"
        f"IdentityFile {folder}/user\nIdentitiesOnly yes\nUserKnownHostsFile {folder}/known\n"
        "StrictHostKeyChecking accept-new\nGlobalKnownHostsFile /dev/null\nLogLevel ERROR\n"
        "KexAlgorithms curve25519-sha256\n"
    )
    return settings
