"""MCP servers from files, and whose word is taken for them."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from acp_tui.config.trust import TrustStore
from acp_tui.workspace.mcp_servers import McpError, gather_servers, read_servers

CAT = str(shutil.which("cat"))
ENV = {"KEY": "secret", "EMPTY": ""}


def written(**named: Any) -> str:
    return json.dumps({"mcpServers": named})


def test_servers_are_written_as_the_protocol_wants_them() -> None:
    text = written(
        a={"command": "cat", "args": ["-u"], "env": {"K": "${KEY}"}},
        b={"url": "https://x.org/${PLACE:-mcp}", "headers": {"Authorization": "Bearer ${KEY}"}},
        c={"type": "sse", "url": "https://x.org${EMPTY:-/sse}"},
        d={"type": "streamable-http", "url": "https://x.org"},
    )
    assert read_servers(text, "f", ENV) == [
        {"name": "a", "command": CAT, "args": ["-u"], "env": [{"name": "K", "value": "secret"}]},
        {
            "type": "http",
            "name": "b",
            "url": "https://x.org/mcp",
            "headers": [{"name": "Authorization", "value": "Bearer secret"}],
        },
        {"type": "sse", "name": "c", "url": "https://x.org/sse", "headers": []},
        {"type": "http", "name": "d", "url": "https://x.org", "headers": []},
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "f: not JSON"),
        ("[]", 'no object "mcpServers"'),
        (written(a=3), "mcpServers.a: not an object"),
        (written(a={}), "mcpServers.a.command: missing"),
        (written(a={"command": "no-such-program"}), "'no-such-program' is not installed"),
        (written(a={"command": "cat", "args": "x"}), "mcpServers.a.args: not a list"),
        (written(a={"command": "cat", "args": [1]}), "mcpServers.a.args: not a list"),
        (written(a={"command": "cat", "env": {"A": 1}}), "mcpServers.a.env: not an object"),
        (written(a={"type": "http"}), "mcpServers.a.url: missing"),
        (written(a={"type": "pigeon"}), "mcpServers.a.type"),
        (written(a={"command": "cat", "args": ["${NOPE}"]}), "variable NOPE is not set"),
    ],
)
def test_what_is_wrong_is_told(text: str, words: str) -> None:
    with pytest.raises(McpError, match=r"^f: ") as error:
        read_servers(text, "f", ENV)
    assert words in str(error.value)


@pytest.fixture
def store(tmp_path: Path) -> TrustStore:
    return TrustStore(tmp_path / "state" / "trusted.json")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / ".mcp.json").write_text(written(a={"command": "cat"}))
    return folder


def test_the_project_s_servers_need_a_yes(project: Path, store: TrustStore) -> None:
    gathered = gather_servers([], str(project), store, ENV)
    assert gathered.servers == []
    assert gathered.project is not None
    assert gathered.project.text == written(a={"command": "cat"})
    assert "not trusted" in gathered.project.left_out


def test_one_yes_is_enough_for_one_content(project: Path, store: TrustStore) -> None:
    file = project / ".mcp.json"
    store.trust(file.read_bytes(), file)
    gathered = gather_servers([], str(project), store, ENV)
    assert len(gathered.servers) == 1
    assert gathered.project is None
    file.write_text(written(a={"command": "cat", "args": ["/etc/passwd"]}))
    gathered = gather_servers([], str(project), store, ENV)
    assert gathered.servers == []
    assert gathered.project is not None


def test_the_same_words_elsewhere_are_not_trusted(
    project: Path, store: TrustStore, tmp_path: Path
) -> None:
    """What they start is another program there."""
    program = project / "tool"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    file = project / ".mcp.json"
    file.write_text(written(a={"command": "./tool"}))
    store.trust(file.read_bytes(), file)
    shutil.copytree(project, tmp_path / "evil")
    (server,) = gather_servers([], str(project), store, ENV).servers
    assert server["command"] == str(program)
    asked = gather_servers([], str(tmp_path / "evil"), store, ENV)
    assert asked.servers == []
    assert asked.project is not None


def test_a_broken_trust_file_trusts_nothing(tmp_path: Path) -> None:
    file = tmp_path / "trusted.json"
    here = tmp_path / "here"
    for text in ("{", "[]"):
        file.write_text(text)
        assert not TrustStore(file).trusts(b"x", here)
    store = TrustStore(file)
    store.trust(b"x", here)
    assert store.trusts(b"x", here)
    assert not store.trusts(b"y", here)
    assert not store.trusts(b"x", tmp_path / "there")


def test_named_files_come_first_and_win(project: Path, store: TrustStore, tmp_path: Path) -> None:
    named = tmp_path / "mine.json"
    named.write_text(written(a={"url": "https://mine.org"}, b={"url": "https://b.org"}))
    store.trust((project / ".mcp.json").read_bytes(), project / ".mcp.json")
    gathered = gather_servers([str(named)], str(project), store, ENV)
    assert [one.get("url") for one in gathered.servers] == ["https://mine.org", "https://b.org"]


def test_a_named_file_must_be_there(project: Path, store: TrustStore) -> None:
    with pytest.raises(McpError, match="can't be read"):
        gather_servers(["missing.json"], str(project), store, ENV)


@pytest.mark.parametrize("text", ["{", "\xff", '{"mcpServers": {}}'])
def test_a_project_s_broken_file_is_left_out(project: Path, store: TrustStore, text: str) -> None:
    (project / ".mcp.json").write_bytes(text.encode("latin-1"))
    gathered = gather_servers([], str(project), store, ENV)
    assert gathered.servers == []
    assert gathered.project is None
    assert len(gathered.left_out) == (0 if "mcpServers" in text else 1)


def test_one_server_that_cannot_be_used_leaves_the_others_of_the_project(
    project: Path, store: TrustStore, tmp_path: Path
) -> None:
    text = written(a={"command": "no-such-tool"}, b={"command": "cat"}, c={"url": "${NOT_SET}"})
    (project / ".mcp.json").write_text(text)
    gathered = gather_servers([], str(project), store, ENV)
    assert gathered.project is not None
    assert [one["name"] for one in gathered.project.servers] == ["b"]
    assert len(gathered.left_out) == 2
    assert "a.command: 'no-such-tool' is not installed" in gathered.left_out[0]
    assert "NOT_SET is not set; this server is left out" in gathered.left_out[1]
    named = tmp_path / "mine.json"
    named.write_text(text)
    with pytest.raises(McpError, match="no-such-tool"):  # who names a file wants all of it
        gather_servers([str(named)], str(project), store, ENV)


def test_no_project_file_is_no_matter(tmp_path: Path, store: TrustStore) -> None:
    assert gather_servers([], str(tmp_path), store, ENV).left_out == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
def test_what_is_no_file_is_left_out_and_told(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".mcp.json")
    store = TrustStore(tmp_path / "trusted.json")
    assert gather_servers([], str(tmp_path), store, ENV).left_out == [
        f"{tmp_path}/.mcp.json: left out: it is not a regular file"
    ]
    with pytest.raises(McpError, match="nobody writes to"):
        gather_servers([str(tmp_path / ".mcp.json")], str(tmp_path), store, ENV)
