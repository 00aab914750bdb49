"""Agents by name: listed, fetched from a server, and started only after a yes."""

import hashlib
import json
import os
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.e2e.terminal import ENTER, ESCAPE, terminal
from tests.e2e.test_run_arguments import acp_tui
from tests.fake_agent.script import Script


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder, and the address where a server shows it."""
    folder = tmp_path / "site"
    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield folder, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    kinds = ("CONFIG", "STATE", "CACHE", "DATA")
    return {f"XDG_{kind}_HOME": str(tmp_path / kind.lower()) for kind in kinds}


def system() -> str:
    facts = os.uname()
    machine = {"arm64": "aarch64"}.get(facts.machine, facts.machine)
    return f"{facts.sysname.lower()}-{machine}"


def agent_program(path: Path, tmp_path: Path) -> None:
    """Write a program that is an agent, and tells that it ran."""
    words = " ".join(f"'{one}'" for one in Script().handshake().argv(tmp_path))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran'\nexec {words}\n")
    path.chmod(0o755)


def packed(folder: Path, name: str, tmp_path: Path) -> str:
    """Pack a program `bin/tea`; return the archive's SHA-256."""
    source = tmp_path / "source"
    agent_program(source / "bin" / "tea", tmp_path)
    path = folder / name
    if name.endswith(".zip"):
        with zipfile.ZipFile(path, "w") as pack:
            pack.write(source / "bin" / "tea", "bin/tea")
    elif name.endswith(".tar.gz"):
        with tarfile.open(path, "w:gz") as pack:
            pack.add(source / "bin", "bin")
    else:
        path.write_bytes((source / "bin" / "tea").read_bytes())
    return hashlib.sha256(path.read_bytes()).hexdigest()


def publish(folder: Path, *agents: Mapping[str, Any]) -> None:
    (folder / "registry.json").write_text(json.dumps({"version": "1.0.0", "agents": agents}))


def entry(id: str, **target: Any) -> dict[str, Any]:
    ways = {"binary": {system(): target}}
    return {
        "id": id,
        "name": "Tea",
        "version": "1.0.0",
        "description": "steeps",
        "distribution": ways,
    }


def test_the_list_is_fetched_when_asked_and_works_without_a_network(
    site: tuple[Path, str], home: dict[str, str]
) -> None:
    folder, url = site
    ran = acp_tui("agents", env={**home, "PATH": "/nowhere"})
    assert ran.stdout.startswith("There are no agents here yet.\n  acp-tui demo")
    assert "acp-tui agents update" in ran.stdout
    assert "NAME " not in ran.stdout
    odd = {**entry("odd", archive=f"{url}/tea", cmd="tea", sha256="zz"), "version": "new"}
    odd["distribution"]["uvx"] = {"package": "odd"}
    publish(folder, entry("tea", archive=f"{url}/tea", cmd="tea"), {"id": "\x1b[31m"}, odd)
    ran = acp_tui("agents", "update", "--url", f"{url}/registry.json", env=home)
    assert (ran.returncode, ran.stdout.partition(",")[0]) == (0, "2 agents")
    assert "agent 2 has no usable id: left out" in ran.stderr
    assert (
        f"odd: binary {system()}: its sha256 'zz' isn't 64 hexadecimal digits: left out"
        in ran.stderr
    )
    assert "odd: its version 'new' isn't of the form 1.2.3: used all the same" in ran.stderr
    (folder / "registry.json").write_text('{"agents": []}')
    ran = acp_tui("agents", "update", "--url", f"{url}/registry.json", env=home)
    assert ran.returncode == 2
    assert "the list here stays as it was" in ran.stderr
    ran = acp_tui("agents", "tea", "--json", env=home)
    assert [one["archive"] for one in json.loads(ran.stdout)] == [f"{url}/tea"]
    here = folder / "list.json"
    here.write_text(json.dumps({"agents": [entry("tea", archive=f"{url}/tea", cmd="tea")]}))
    ran = acp_tui("agents", "update", "--file", str(here), env=home)
    assert (ran.returncode, ran.stdout.splitlines()[1:]) == (0, ["gone: odd"])
    ran = acp_tui("agents", "update", "--file", "/none", env=home)
    assert (ran.returncode, "/none" in ran.stderr) == (2, True)
    assert "did you mean: tea" in acp_tui("agents", "tae", env=home).stderr
    assert "did you mean: tea" in acp_tui("tae", env=home).stderr
    for address in ("file:///etc/hostname", "http://example.org/registry.json"):
        ran = acp_tui("agents", "update", "--url", address, env=home)
        assert "only https:// can be fetched" in ran.stderr


def test_an_agent_is_fetched_and_started_after_a_yes_and_then_at_once(
    site: tuple[Path, str], home: dict[str, str], tmp_path: Path
) -> None:
    folder, url = site
    agents = []
    for id, name, cmd in (("tea-acp", "tea.tar.gz", "./bin/tea"), ("pot", "pot", "pot")):
        sha256 = packed(folder, name, tmp_path).upper()
        agents.append(entry(id, archive=f"{url}/{name}", cmd=cmd, sha256=sha256))
    publish(folder, *agents)
    acp_tui("agents", "update", "--url", f"{url}/registry.json", env=home)
    for id, name in (("tea", "tea.tar.gz"), ("pot", "pot")):
        with terminal(id, env=home) as it:
            it.wait_for("Type yes:")
            assert f"{url}/{name}" in it.text
            it.type_line("yes")
            it.wait_for("○ ready")
            it.leave()
            assert it.wait_for_exit() == 0
        (folder / name).unlink()
    with terminal("tea", env=home) as it:
        it.wait_for("○ ready")
    assert (
        "tea-acp: you will be asked about its command"
        in acp_tui("agents", "forget", "tea-acp", env=home).stdout
    )
    with terminal("tea", env=home) as it:
        it.wait_for("Type yes:")


def test_a_preview_is_listed_and_started_after_the_same_yes(
    site: tuple[Path, str], home: dict[str, str], tmp_path: Path
) -> None:
    folder, url = site
    sha256 = packed(folder, "tea.zip", tmp_path)
    beta = entry("tea-acp", archive=f"{url}/tea.zip", cmd="bin/tea", sha256=sha256)
    stable = {"npx": {"package": "tea@1.0.0"}}
    preview = {"version": "1.1.0-beta.2", "distribution": beta["distribution"]}
    license_url = "https://example.org/license"
    told = {**beta, "distribution": stable, "preview": preview, "license_url": license_url}
    publish(folder, told)
    updated = acp_tui("agents", "update", "--url", f"{url}/registry.json", env=home)
    assert "1 agents and 1 preview, in" in updated.stdout
    rows = acp_tui("agents", env=home).stdout.splitlines()
    [row] = [one for one in rows if one.startswith("tea-acp@preview")]
    assert "1.1.0-beta.2" in row
    assert f"license   {license_url}" in acp_tui("agents", "tea@preview", env=home).stdout
    with terminal("tea@preview", env=home) as it:
        it.wait_for("Type yes:")
        assert f"Its license: {license_url}" in it.text
        it.type_line("yes")
        it.wait_for("○ ready")
        it.leave()
        assert it.wait_for_exit() == 0


@pytest.mark.parametrize("answer", ["", "maybe yes"])
def test_without_a_yes_nothing_is_fetched_or_started(
    site: tuple[Path, str], home: dict[str, str], tmp_path: Path, answer: str
) -> None:
    folder, url = site
    packed(folder, "tea.zip", tmp_path)
    publish(folder, entry("tea", archive=f"{url}/tea.zip", cmd="bin/tea"))
    acp_tui("agents", "update", "--url", f"{url}/registry.json", env=home)
    with terminal("tea", env=home) as it:
        it.send("yes\r")  # before there is a question: it answers none
        it.wait_for("Type yes:")
        assert "no checksum" in it.text
        if answer:
            it.type_line(answer)
        else:
            it.send(ENTER)
        it.wait_for("nothing was started")
        assert it.wait_for_exit() == 1
    assert "Nobody can be asked here" in acp_tui("run", "hi", "--agent", "tea", env=home).stderr
    assert not (tmp_path / "ran").exists()
    assert not (tmp_path / "data" / "acp-tui" / "agents" / "tea").exists()


def test_what_is_not_what_the_registry_says_is_not_installed(
    site: tuple[Path, str], home: dict[str, str], tmp_path: Path
) -> None:
    folder, url = site
    packed(folder, "tea.tar.gz", tmp_path)
    with tarfile.open(folder / "links.tar.gz", "w:gz") as pack:
        link = tarfile.TarInfo("bin")
        link.type, link.linkname = tarfile.SYMTYPE, "/"
        pack.addfile(link)
    (folder / "broken.zip").write_bytes(b"PK no zip")
    publish(
        folder,
        entry("changed", archive=f"{url}/tea.tar.gz", cmd="bin/tea", sha256="0" * 64),
        entry("links", archive=f"{url}/links.tar.gz", cmd="bin/tea"),
        entry("broken", archive=f"{url}/broken.zip", cmd="x"),
        entry("lacking", archive=f"{url}/tea.tar.gz", cmd="bin/coffee"),
        entry("gone", archive=f"{url}/gone.zip", cmd="x"),
    )
    acp_tui("agents", "update", "--url", f"{url}/registry.json", env=home)
    for name, words in (
        ("changed", "nothing was installed"),
        ("links", "can't be unpacked"),
        ("broken", "can't be unpacked"),
        ("lacking", "there is no bin/coffee in it"),
        ("gone", "File not found"),
    ):
        with terminal(name, env=home, size=(160, 40)) as it:
            it.wait_for("Type yes:")
            it.type_line("yes")
            assert it.wait_for_exit() == 1
            assert words in it.last_words
    assert not (tmp_path / "ran").exists()
    assert [one for one in (tmp_path / "data/acp-tui/agents").rglob("*") if one.is_file()] == []


def test_a_command_that_leaves_its_question_s_view_is_not_asked_about(
    site: tuple[Path, str], home: dict[str, str], tmp_path: Path
) -> None:
    folder, url = site
    way = {"package": "tea", "args": ["a\n" * 60, " " * 4000 + "; rm"], "env": {"A": "\x1b[2J"}}
    long = {"package": "tea", "args": ["a" * 5000]}
    entries = [
        {"id": name, "name": "Tea\nIt is started by:", "version": "1", "distribution": {"npx": one}}
        for name, one in (("odd", way), ("long", long))
    ]
    publish(folder, *entries)
    acp_tui("agents", "update", "--url", f"{url}/registry.json", env=home)
    program = tmp_path / "bin" / "npx"
    agent_program(program, tmp_path)
    env = {**home, "PATH": f"{program.parent}:{os.environ['PATH']}"}
    with terminal("odd", env=env, size=(200, 40)) as it:
        it.wait_for("Type yes:")
        for words in ("odd (Tea⏎It is", "npx --yes tea", "4,000 spaces", "␛[2J"):
            assert words in it.text.replace("\n", "")
        it.send(ENTER)
        assert it.wait_for_exit() == 1
    with terminal("long", env=env) as it:
        assert it.wait_for_exit() == 2
        assert "too long to judge" in it.last_words
    assert not (tmp_path / "ran").exists()


def test_an_agent_on_path_is_started_and_not_fetched(
    site: tuple[Path, str], home: dict[str, str], tmp_path: Path
) -> None:
    folder, url = site
    agent_program(tmp_path / "bin" / "gemini", tmp_path)
    env = {**home, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    (without_registry,) = json.loads(acp_tui("agents", "gemini", "--json", env=env).stdout)
    package = {"package": "@google/gemini-cli@0.54.0", "args": ["--experimental-acp"]}
    publish(folder, {**entry("gemini"), "distribution": {"npx": package}})
    acp_tui("agents", "update", "--url", f"{url}/registry.json", env=env)
    (told,) = json.loads(acp_tui("agents", "gemini", "--json", env=env).stdout)
    for one in (without_registry, told):
        assert (one["state"], one["version"]) == ("installed", None)
    with terminal("gemini", env=env, size=(160, 40)) as it:
        it.wait_for("Type yes:")
        assert "seems to be installed" in it.text
        assert f"{tmp_path}/bin/gemini --experimental-acp" in it.text
        it.type_line("yes")
        it.wait_for("○ ready")
    assert (tmp_path / "ran").exists()


def test_the_agents_of_another_program_are_added_after_a_yes(
    home: dict[str, str], tmp_path: Path
) -> None:
    theirs = tmp_path / "acp.json"
    theirs.write_text('{"agent_servers": {"Tea": {"command": "tea", "args": ["--acp"]}}}')
    given = ("agents", "import", "jetbrains", "--file", str(theirs))
    settings = tmp_path / "config/acp-tui/settings.toml"
    ran = acp_tui(*given, env=home)
    assert 'command = ["tea", "--acp"]' in ran.stdout
    assert "--yes adds these lines" in ran.stderr
    assert not settings.exists()
    assert acp_tui(*given, "--yes", env=home).returncode == 0
    assert settings.read_text() == '[agents.tea]\ncommand = ["tea", "--acp"]\n'
    assert "nothing new" in acp_tui(*given, "--yes", env=home).stderr


def test_alone_it_lets_one_choose_what_to_begin_with(home: dict[str, str], tmp_path: Path) -> None:
    argv = Script().handshake().argv(tmp_path)
    settings = tmp_path / "config" / "acp-tui" / "settings.toml"
    settings.parent.mkdir(parents=True)
    tables = (f"[agents.{name}]\ncommand = {json.dumps(argv)}\n" for name in ("tea", "pot"))
    settings.write_text("".join(tables))
    with terminal(env=home) as it:
        it.wait_for("▌tea")
        it.send(ENTER)
        it.wait_for("○ ready")
        it.leave()
        assert it.wait_for_exit() == 0
        it.assert_as_it_came()
    with terminal(env=home) as it:
        it.wait_for("▌tea")
        it.send("\x1bx\x1br")
        it.wait_for("a race needs a second agent")
        assert "Search, or type" in it.text, "a letter with Alt was text"
        it.send(ESCAPE)
        assert it.wait_for_exit() == 0
        it.assert_as_it_came()


def test_one_is_back_where_one_chooses_when_something_is_not_begun(
    home: dict[str, str], tmp_path: Path
) -> None:
    agent_program(tmp_path / "bin" / "gemini", tmp_path)
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    offline = {"https_proxy": "http://127.0.0.1:9", "no_proxy": ""}
    with terminal(env={**home, **offline, "PATH": path}, size=(120, 40)) as it:
        it.wait_for("▌Gemini CLI")
        it.send("\x1b[B\x1b[B")
        it.wait_for("▌registry")
        it.send(ENTER)
        it.wait_for("Connection refused")
        it.wait_for("▌Gemini CLI")
        assert "Errno" not in it.text
        it.send(ENTER)
        it.wait_for("Type yes:")
        chosen = ("gemini", f"--cwd={Path.cwd()}")
        assert it.started(*chosen) == [], "the launcher has gone before it asked"
        it.type_line("no")
        it.wait_for("nothing was started")
        it.wait_for("▌Gemini CLI")
        assert not (tmp_path / "ran").exists()
        it.send(ENTER)
        it.wait_for("Type yes:")
        it.type_line("yes")
        it.wait_for_start(*chosen)


def test_agents_can_be_named_behind_options(home: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "config" / "acp-tui" / "settings.toml"
    path.parent.mkdir(parents=True)
    argv = Script().handshake().argv(tmp_path)
    path.write_text(f"[agents.tea]\ncommand = {json.dumps(argv)}\n")
    with terminal("--theme", "day", "tea", env=home) as it:
        it.wait_for("○ ready")
        it.leave()
        assert it.wait_for_exit() == 0
    ran = acp_tui("--theme", "day", "teapot", env=home)
    assert (ran.returncode, "did you mean: tea" in ran.stderr) == (2, True)
    assert "unknown argument: --theme" in acp_tui("--theme", "day", "doctor", env=home).stderr
    assert "is it the agent?" in acp_tui("--theme", "day", "tea", "--acp", env=home).stderr


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (["serve", "claude"], "acp-tui serve --agent claude"),
        (["run", "hi", "claude"], 'acp-tui run "PROMPT" --agent claude'),
        (["check", "claude"], "acp-tui check --agent claude"),
        (["tap", "claude"], "acp-tui tap -- claude"),
    ],
)
def test_an_agent_behind_a_command_is_told_where_it_belongs(
    home: dict[str, str], written: list[str], meant: str
) -> None:
    ran = acp_tui(*written, env=home)
    assert ran.returncode == 2
    assert f"is it the agent? Then: {meant}\n" in ran.stderr


def test_what_an_agent_tells_when_it_runs_is_known_afterward(
    home: dict[str, str], tmp_path: Path
) -> None:
    path = tmp_path / "config" / "acp-tui" / "settings.toml"
    path.parent.mkdir(parents=True)
    info = {"name": "tea", "version": "4.2"}
    script = Script().handshake({"agentInfo": info}).prompt(save="prompt").end_turn()
    argv = [*script.argv(tmp_path), "--key=hush"]
    table = f"command = {json.dumps(argv)}\n"
    path.write_text(f'[agents.tea]\n{table}[agents.gone]\ncommand = ["no-such-program"]\n')

    def told() -> dict[str, dict[str, Any]]:
        listed = json.loads(acp_tui("agents", "--json", env=home).stdout)
        return {one["name"]: one for one in listed}

    given = ("run", "hi", "--agent", "tea")
    assert acp_tui(*given, "--no-record", env=home).returncode == 0
    assert (told()["tea"]["version"], told()["tea"]["worked"]) == (None, None)
    assert acp_tui(*given, env=home).returncode == 0
    tea, gone = told()["tea"], told()["gone"]
    assert (tea["version"], tea["worked"] > 0) == ("4.2", True)
    assert (gone["version"], gone["state"]) == (None, "not installed")
    rows = acp_tui("agents", env=home).stdout.splitlines()
    assert "  4.2 " in rows[1]
    assert rows[1].endswith("worked just now")
    kept = tmp_path / "state" / "acp-tui" / "seen_agents.json"
    assert "hush" not in kept.read_text()
    assert not (tmp_path / "state" / "acp-tui" / "archive.sqlite").exists()


def test_the_command_of_an_agent_is_shown_with_its_line_breaks_and_gaps(
    home: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "config/acp-tui").mkdir(parents=True)
    words = json.dumps(["tea", "a\nb", " " * 500 + "rm"])
    settings = tmp_path / "config/acp-tui/settings.toml"
    settings.write_text(f"[agents.tea]\ncommand = {words}\n")
    ran = acp_tui("agents", "tea", env={**home, "XDG_CONFIG_HOME": str(tmp_path / "config")})
    assert "  command   tea 'a⏎b' ' ⋯ 500 spaces ⋯ rm'\n" in ran.stdout


@pytest.fixture
def claude(home: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """What Claude Code is for many: a program on PATH that speaks no ACP, and an npx."""
    folder = tmp_path / "programs"
    agent_program(folder / "npx", tmp_path)
    (folder / "claude").write_text("#!/bin/sh\necho 'Input must be provided' >&2\nexit 1\n")
    (folder / "claude").chmod(0o755)
    return home | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def test_the_name_of_a_program_that_speaks_no_acp_starts_its_adapter(
    claude: dict[str, str], tmp_path: Path
) -> None:
    with terminal("--no-record", "claude", env=claude, cwd=tmp_path) as it:
        it.wait_for("Type yes:")
        assert "Claude Code speaks ACP through an adapter, which isn't installed.\n" in it.text
        assert "npx --yes @agentclientprotocol/claude-agent-acp" in it.text
        assert not (tmp_path / "ran").exists()
        it.type_line("yes")
        it.wait_for("○ ready")
        it.leave()
    assert (tmp_path / "ran").exists()


def test_a_command_that_speaks_no_acp_is_told_what_does(
    claude: dict[str, str], tmp_path: Path
) -> None:
    with terminal("--no-record", "--", "claude", env=claude, cwd=tmp_path) as it:
        it.wait_for("Input must be provided")
        it.wait_for("acp-tui claude starts it.")
        it.leave()
    ran = acp_tui("run", "hi", "--", "claude", env=claude, cwd=tmp_path)
    assert "Claude Code speaks ACP through npx --yes" in ran.stderr
    assert not (tmp_path / "ran").exists()
