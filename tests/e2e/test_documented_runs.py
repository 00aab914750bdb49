"""The commands of the documents, run: in a house with agents, recordings and files of the names that they use.

Those of docs/debugging.md are run with what they print (`tests/e2e/test_debugging_page.py`).
"""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.terminal import CTRL_Q, terminal
from tests.installed import ROOT
from tests.unit.cli.test_documented_commands import LINES, words

DEMO = f'exec "{sys.executable}" -m acp_tui.demo_agent'
FINDS = (0, 1, 6)
"""What it has to say is no failure: findings, differences, an answer with an error."""
NOT_HERE = {
    "acp-tui agents update": "fetches the registry: tests/unit/store/test_registry.py",
    "acp-tui agents forget NAME": "needs an agent of the registry: tests/e2e/test_agents.py",
    "acp-tui matrix --registry registry.json --yes": "needs one that is installed: tests/matrix",
    "acp-tui --attach-tap": "needs a tap that goes on: tests/e2e/test_tap.py",
    "acp-tui --connect wss://agents.example/acp": "needs a server: tests/interop, tests/remote",
    'acp-tui run --connect https://agents.example/acp "What is new?"': "needs a server",
    "acp-tui --in ssh:HOST:/srv/project -- my-agent --acp": "tests/client/test_place_kinds.py",
    "acp-tui --in docker:my-image -- my-agent --acp": "tests/client/test_place_kinds.py",
    "acp-tui --in 'nix develop -c' -- my-agent --acp": "tests/client/test_place_kinds.py",
    "acp-tui --sandbox -- my-agent --acp": "needs bubblewrap: tests/client/test_place_kinds.py",
    "acp-tui --otel -- gemini --experimental-acp": "needs a collector: tests/telemetry",
    'acp-tui run --otel "fix the tests" -- my-agent --acp': "needs a collector: tests/telemetry",
    "acp-tui export --otlp 20261122-161209-gemini-4472": "needs a collector: tests/telemetry",
    "acp-tui export --otlp ~/recordings": "needs a collector: tests/telemetry",
}
PLACEHOLDERS = {"NAME": "gemini", "VALUE": "day", "FILE": "talk.jsonl", "DIR": "recordings"}
CTRL_D = "\x04"
MAKES = ("-o", "--export", "--junit", "--report", "--parquet")
"""Options that name what is written."""


def kind(line: str) -> str:
    """How a command goes on: it `prints`, `draws`, `serves` until it is ended, or is `tested` elsewhere."""
    arguments = words(line)
    first = arguments[0] if arguments else ""
    if line in NOT_HERE:
        return "elsewhere"
    if first in ("serve", "tap", "play") or "--follow" in arguments:
        return "serves"
    draws = first in ("", "demo", "replay", "gemini", "attach") or first.startswith("--")
    return "draws" if draws or arguments == ["find"] else "prints"


PAGES = {line: page for page, line in LINES if page not in ("debugging.md", "ui --help")}
APART = ("attach", "ps", "send tea", "stop", "race")
"""What is about runs that are kept (tests/e2e/test_attach.py has one), or comes one after the other."""


def lines(wanted: str) -> list[str]:
    apart = [one for one in PAGES if not one.removeprefix("acp-tui ").startswith(APART)]
    return [one for one in apart if kind(one) == wanted]


@pytest.fixture
def home(furnished: Path, tmp_path: Path) -> Path:
    """A home of one's own."""
    return shutil.copytree(furnished, tmp_path / "home")


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which the agents, the recordings and the files of the documents are."""
    made = tmp_path_factory.mktemp("home")
    (made / "bin").mkdir()
    programs = dict.fromkeys(("my-agent", "gemini", "claude", "a", "b", "agents"), DEMO)
    programs |= {"nothing": "exit 0", "jq": "cat"}
    for name, script in programs.items():
        (made / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (made / "bin" / name).chmod(0o755)
    named = "".join(
        f'[agents.{name}]\ncommand = ["{name}"]\n' for name in ("gemini", "claude", "a", "b")
    )
    (made / "config" / "acp-tui").mkdir(parents=True)
    (made / "config" / "acp-tui" / "settings.toml").write_text(named)
    zed = {"agent_servers": {"Mine": {"command": "my-agent", "args": []}}}
    (made / ".config" / "zed").mkdir(parents=True)
    (made / ".config" / "zed" / "settings.json").write_text(json.dumps(zed))
    (made / "noisy.py").write_text(
        "print('noise', flush=True)\nimport runpy\n"
        "runpy.run_module('acp_tui.demo_agent', run_name='__main__')\n"
    )
    (made / "prompt.md").write_text("Hello\n")
    (made / "src").mkdir()
    (made / "Makefile").write_text("test:\n\t@true\n")
    (made / "tea.yaml").write_text("steps: [{prompt: hi, expect: {text: demo agent}}]")
    (made / "two.yaml").write_text("steps: [prompt: Hello, prompt: Hello]")
    for argv in (["git", "init", "-q"], ["git", "add", "."], ["git", "commit", "-qm", "all"]):
        subprocess.run(argv, cwd=made, env=environment(made), check=True)
    noisy = [sys.executable, str(made / "noisy.py")]
    calls = [
        ["run", "Hello", "--record", "recordings/hello.jsonl", "--", "my-agent"],
        ["run", "Hello", "--record", "talk.jsonl", "--", "my-agent"],
        ["run", "Hello", "--record", "small.jsonl", "--", *noisy],
        ["run", "/terminal", "--permissions", "allow", "--", "my-agent"],
        ["script", "two.yaml", "--", *noisy],
        ["log", "1", "--report", "report.zip"],
        ["diff", "1", "--save-baseline", "main"],
        ["matrix", "--agent", "a"],
    ]
    (made / "recordings").mkdir()
    for call in calls:
        done = acp_tui(made, *call)
        assert done.returncode == 0, done.stderr
    return made


def environment(home: Path) -> dict[str, str]:
    return {
        **os.environ,
        "HOME": str(home),
        "PATH": f"{home}/bin:{os.environ['PATH']}",
        "XDG_CONFIG_HOME": f"{home}/config",
        "XDG_STATE_HOME": f"{home}/state",
        "XDG_DATA_HOME": f"{home}/data",
        "XDG_CACHE_HOME": f"{home}/cache",
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@b",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b",
        "EDITOR": "nothing",
        "ACP_DEMO_SPEED": "0",
    }


def acp_tui(home: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "acp_tui", *arguments],
        cwd=home,
        env=environment(home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def filled(line: str) -> list[str]:
    """The arguments of a command, with what stands for something else replaced."""
    given = [PLACEHOLDERS.get(one, one) for one in words(line)]
    if given[:1] == ["config"] and "gemini" in given:
        given[given.index("gemini")] = "theme"
    return [one.replace("FILE.jsonl", "out.jsonl").replace("~", ".") for one in given]


def test_what_is_run_elsewhere_is_still_in_the_documents() -> None:
    assert set(NOT_HERE) <= set(PAGES)


@pytest.mark.slow
@pytest.mark.parametrize("line", lines("prints"))
def test_it_prints_what_there_is(home: Path, line: str) -> None:
    if "-o small.jsonl" in line:
        (home / "small.jsonl").unlink()
    done = acp_tui(home, *filled(line))
    assert done.returncode in FINDS, f"{PAGES[line]}: {done.stdout}{done.stderr}"
    assert "Traceback" not in done.stderr
    given = filled(line)
    made = [given[at + 1] for at, one in enumerate(given) if one in MAKES]
    assert all((home / one).exists() for one in made if one != "-")


@pytest.mark.slow
def test_a_race_is_run_looked_at_and_adopted(home: Path) -> None:
    agent = home / "bin" / "claude"
    agent.write_text(agent.read_text().replace("exec", "echo tea >> made.txt\nexec"))
    page = (ROOT / "docs" / "race.md").read_text("utf-8")
    for line in [one for one in page.splitlines() if one.startswith("    acp-tui race ")]:
        done = acp_tui(home, *filled(line.strip()))
        assert done.returncode == 0, f"{line}: {done.stdout}{done.stderr}"
        assert done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("line", lines("draws"))
def test_it_draws_its_screen_and_is_left(home: Path, line: str) -> None:
    with terminal(*filled(line), env=environment(home), cwd=home) as it:
        it.wait_until(lambda: it.text.count("\n") > 3 and len(it.text.split()) > 10, "screen")
        if "--keep" in line:
            it.send(CTRL_Q)
            it.wait_for_keys()
            it.send("2")
        elif "--plain" in line:
            it.wait_for(":help lists")
            it.send(CTRL_D)
        else:
            it.leave()
        assert it.wait_for_exit() in (0, 130)
        it.assert_as_it_came()


@pytest.mark.slow
@pytest.mark.parametrize("line", lines("serves"))
def test_it_goes_on_until_it_is_ended(home: Path, line: str) -> None:
    argv = [sys.executable, "-m", "acp_tui", *filled(line)]
    given = {"cwd": home, "env": environment(home), "text": True, "stdin": subprocess.PIPE}
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **given) as it:  # type: ignore[call-overload]
        assert it.stdin is not None
        if "serve" not in argv and "--follow" not in argv:
            it.stdin.close()
        else:
            assert it.stdout.readline()
            it.send_signal(signal.SIGINT)
        code = it.wait(60)
        assert code in (0, 1, 130, -2), it.stderr.read()
        assert "Traceback" not in it.stderr.read()
