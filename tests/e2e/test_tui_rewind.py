"""Going back to before a turn, with the whole program in a terminal."""

import subprocess
from pathlib import Path

import pytest

from acp_tui.demo_agent.work import sample_workspace
from tests.e2e.terminal import ESCAPE, terminal
from tests.examples import parametrize

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")

ENV = {"ACP_DEMO_SPEED": "0", "ACP_TUI_CHECKPOINTS_WHERE": "everywhere"}
ALT_U = f"{ESCAPE}u"


@parametrize(1, "repository", [True, False])
def test_a_turns_changes_go_back_and_come_again(tmp_path: Path, repository: bool) -> None:
    sample_workspace(tmp_path)
    if repository:
        subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    before = {one: one.read_bytes() for one in tmp_path.glob("*.*") if one.is_file()}
    with terminal("demo", "--no-record", "--cwd", str(tmp_path), env=ENV) as it:
        it.wait_for("Ask the agent")
        it.type_line("show me everything")
        it.wait_for("asks for permission")
        it.wait_for_keys()
        it.send("1")
        it.wait_for("Now start your own agent")
        it.wait_for("Enter send")
        after = {one: one.read_bytes() for one in tmp_path.glob("*.*") if one.is_file()}
        assert after != before
        for key, wanted in (("\r", before), ("u", after)):
            it.send(ALT_U)
            it.wait_for("Rewind")
            it.send(key)
            it.wait_for("Restore files only (the agent won't know)")
            it.wait_for_keys()
            it.send("2")
            it.wait_for("undoes that")
            it.wait_until(lambda: "Rewind" not in it.text, "list that is closed")
            found = {one: one.read_bytes() for one in tmp_path.glob("*.*") if one.is_file()}
            assert found == wanted
        it.leave()
        assert it.wait_for_exit() == 0
        it.assert_as_it_came()
