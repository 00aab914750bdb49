"""`acp-tui completion` prints scripts that shells take."""

import shutil
import subprocess

import pytest

from tests.e2e.test_run_arguments import acp_tui


def completed(*words: str) -> set[str]:
    """Complete the last of the words in bash."""
    script = acp_tui("completion", "bash").stdout
    line = f"COMP_WORDS=({' '.join(words)!s}); COMP_CWORD={len(words) - 1}"
    code = f"{script}\n{line}\n_shtab_acp_tui\nprintf '%s\\n' \"${{COMPREPLY[@]}}\""
    ran = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True)
    return set(ran.stdout.split())


@pytest.mark.slow
def test_bash_completes_commands_options_and_values() -> None:
    assert completed("acp-tui", "ex") == {"export"}
    assert {"--cwd", "--theme"} <= completed("acp-tui", "--")
    assert completed("acp-tui", "run", "--perm") == {"--permissions"}
    assert completed("acp-tui", "run", "--permissions", "allow") == {"allow", "allow-reads"}
    assert "forget" in completed("acp-tui", "policy", "f")


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_take_their_script(shell: str) -> None:
    script = acp_tui("completion", shell).stdout
    assert "allow-reads" in script
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script, text=True, check=True)


def test_an_unknown_shell_is_named() -> None:
    ran = acp_tui("completion", "cmd")
    assert ran.returncode == 2
    assert "invalid choice: 'cmd'" in ran.stderr
