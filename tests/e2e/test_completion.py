"""`acp-tui completion` prints scripts that shells take."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.test_run_arguments import acp_tui

WITH_US = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


def completed(*words: str) -> set[str]:
    """Complete the last of the words in bash."""
    script = acp_tui("completion", "bash").stdout
    line = f"COMP_WORDS=({' '.join(words)!s}); COMP_CWORD={len(words) - 1}"
    code = f"{script}\n{line}\n_acp_tui\nprintf '%s\\n' \"${{COMPREPLY[@]}}\""
    ran = subprocess.run(
        ["bash", "-c", code], capture_output=True, text=True, check=True, env=WITH_US
    )
    return set(ran.stdout.split())


@pytest.mark.slow
def test_bash_completes_commands_options_and_values() -> None:
    assert completed("acp-tui", "ex") == {"export"}
    assert {"--cwd", "--theme"} <= completed("acp-tui", "--")
    assert completed("acp-tui", "run", "--perm") == {"--permissions"}
    assert completed("acp-tui", "run", "--permissions", "allow") == {"allow", "allow-reads"}
    assert "forget" in completed("acp-tui", "policy", "f")


def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings with an agent, in force here."""
    (tmp_path / "acp-tui").mkdir()
    (tmp_path / "acp-tui" / "settings.toml").write_text(
        '[agents.kettle]\ncommand = ["tea"]\n[agents."kk$(touch owned)"]\ncommand = ["tea"]\n'
    )
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setitem(WITH_US, "XDG_CONFIG_HOME", str(tmp_path))


@pytest.mark.slow
def test_bash_completes_files_and_what_has_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings(tmp_path, monkeypatch)
    (tmp_path / "tea.yaml").touch()
    tea = str(tmp_path / "tea.")
    for words in (["script"], ["--policy"], ["run", "--policy"], ["--watch"], ["log"]):
        assert completed("acp-tui", *words, tea) == {f"{tea}yaml"}
    for words, expected in (
        (["--theme", "nig"], {"night", "night-contrast"}),
        (["ke"], {"kettle"}),
        (["run", "--agent", "k"], {"kettle"}),
        (["agents", "k"], {"kettle"}),
        (["run", "--as", "ze"], {"zed"}),
        (["config", "prose"], {"prose_width"}),
        (["config", "set", "prose"], {"prose_width"}),
        (["config", "tr"], {"trust"}),
        (["agents", "im"], {"import"}),
        (["--setting", "prose"], {"prose_width="}),
    ):
        assert completed("acp-tui", *words) == expected
    monkeypatch.setitem(WITH_US, "XDG_STATE_HOME", str(tmp_path))
    kept = tmp_path / "acp-tui" / "recordings" / "20260101-000000-tea-1.jsonl"
    kept.parent.mkdir(parents=True)
    kept.write_text("{}")
    for command in ("log", "replay", "export", "diff"):
        assert completed("acp-tui", command, "2026") == {kept.stem}
    assert not Path("owned").exists(), "a name was obeyed"


@pytest.mark.skipif(not shutil.which("fish"), reason="needs fish")
def test_fish_completes_what_has_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings(tmp_path, monkeypatch)
    (tmp_path / "c.fish").write_text(acp_tui("completion", "fish").stdout)
    for kind in ("agents", "themes", "recordings", "settings"):
        (tmp_path / kind).write_text(acp_tui("completion", "--names", kind).stdout)
    program = tmp_path / "bin/acp-tui"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\n[ "$1 $2" = "completion --names" ] && cat {tmp_path}/"$3"\n')
    program.chmod(0o755)
    monkeypatch.setitem(WITH_US, "PATH", f"{program.parent}:{os.environ['PATH']}")
    wanted = {
        "ke": "kettle",
        "--agent k": "kettle\t",
        "--theme nig": "night\t",
        f"log {tmp_path}/c.f": f"{tmp_path}/c.fish",
        "config set prose": "prose_width",
    }
    lines = "; echo ====; ".join(f"complete -C 'acp-tui {line}'" for line in wanted)
    code = f"source {tmp_path}/c.fish; {lines}"
    ran = subprocess.run(["fish", "-c", code], capture_output=True, text=True, env=WITH_US)
    completions = ran.stdout.split("====\n")
    for (line, first), shown in zip(wanted.items(), completions, strict=True):
        assert shown.startswith(first), (line, ran.stdout, ran.stderr)


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_take_their_script(shell: str) -> None:
    script = acp_tui("completion", shell).stdout
    assert "allow-reads" in script
    assert (
        script.count("acp-tui completion --names agents") + script.count("_acp_tui_names agents")
        > 1
    )
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script, text=True, check=True)


def test_an_unknown_shell_is_named() -> None:
    ran = acp_tui("completion", "cmd")
    assert ran.returncode == 2
    assert "invalid choice: 'cmd'" in ran.stderr
    ran = acp_tui("completion")
    assert (ran.returncode, "which shell? bash, zsh, fish, tcsh" in ran.stderr) == (2, True)
