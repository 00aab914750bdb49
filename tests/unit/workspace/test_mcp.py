"""MCP servers from files, and whose word is taken for them."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from acp_tui.workspace.gathering import gather
from acp_tui.workspace.mcp import McpError, described, servers
from acp_tui.workspace.trust import TrustStore

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
    assert servers(text, "f", ENV) == [
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
        servers(text, "f", ENV)
    assert words in str(error.value)


def test_a_server_is_described_without_its_secrets() -> None:
    text = written(
        a={"command": "cat", "args": ["-u"], "env": {"K": "${KEY}"}},
        b={"url": "https://x.org", "headers": {"A": "${KEY}"}},
    )
    lines = [described(server) for server in servers(text, "f", ENV)]
    assert lines == [f"a: {CAT} -u", "b: https://x.org (http)"]


class Person:
    """Answers once what was asked, and remembers what."""

    def __init__(self, answer: bool = False) -> None:
        self.answer = answer
        self.asked: list[list[str]] = []

    def __call__(self, _: Path, lines: list[str]) -> bool:
        self.asked.append(lines)
        return self.answer


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
    no, yes = Person(), Person(answer=True)
    gathered = gather([], str(project), store, no, ENV)
    assert gathered.servers == []
    assert "not trusted" in gathered.left_out[0]
    assert no.asked == [[f"a: {CAT}"]]
    assert len(gather([], str(project), store, yes, ENV).servers) == 1


def test_one_yes_is_enough_for_one_content(project: Path, store: TrustStore) -> None:
    file = project / ".mcp.json"
    store.trust(file.read_bytes(), str(file))
    person = Person()
    assert len(gather([], str(project), store, person, ENV).servers) == 1
    assert person.asked == []
    file.write_text(written(a={"command": "cat", "args": ["/etc/passwd"]}))
    assert gather([], str(project), store, person, ENV).servers == []
    assert len(person.asked) == 1


def test_a_broken_trust_file_trusts_nothing(tmp_path: Path) -> None:
    file = tmp_path / "trusted.json"
    for text in ("{", "[]"):
        file.write_text(text)
        assert not TrustStore(file).trusts(b"x")
    store = TrustStore(file)
    store.trust(b"x", "here")
    assert store.trusts(b"x")
    assert not store.trusts(b"y")


def test_named_files_come_first_and_win(project: Path, store: TrustStore, tmp_path: Path) -> None:
    named = tmp_path / "mine.json"
    named.write_text(written(a={"url": "https://mine.org"}, b={"url": "https://b.org"}))
    gathered = gather([str(named)], str(project), store, Person(answer=True), ENV)
    assert [one.get("url") for one in gathered.servers] == ["https://mine.org", "https://b.org"]


def test_a_named_file_must_be_there(project: Path, store: TrustStore) -> None:
    with pytest.raises(McpError, match="can't be read"):
        gather(["missing.json"], str(project), store, Person(), ENV)


@pytest.mark.parametrize("text", ["{", "\xff", '{"mcpServers": {}}'])
def test_a_project_s_broken_file_is_left_out(project: Path, store: TrustStore, text: str) -> None:
    (project / ".mcp.json").write_bytes(text.encode("latin-1"))
    person = Person(answer=True)
    gathered = gather([], str(project), store, person, ENV)
    assert gathered.servers == []
    assert len(gathered.left_out) == (0 if "mcpServers" in text else 1)
    assert person.asked == []


def test_no_project_file_is_no_matter(tmp_path: Path, store: TrustStore) -> None:
    assert gather([], str(tmp_path), store, Person(), ENV).left_out == []
