"""What version 2 tells of files beside their text: in the list of changes, and before an edit."""

import pytest

from acp_tui.edits.edit_review import SeenFile, review_edits
from acp_tui.edits.edits import Edit, EditStep
from acp_tui.protocol.content import Diff, FileChange
from acp_tui.state.changed_files import changed_files
from tests.unit.state.conversation import Conversation


@pytest.mark.check(144)
def test_files_that_move_or_are_binary_are_listed_with_what_happened() -> None:
    talk = Conversation.opened_in_2()
    changes = [
        {"operation": "move", "path": "/work/b", "oldPath": "/work/a"},
        {"operation": "add", "path": "/work/p.png", "fileType": "binary"},
        {"operation": "_tidy"},
    ]
    content = [{"type": "diff", "changes": changes}]
    talk.update("tool_call_update", toolCallId="c", status="completed", content=content)
    found = {file.path: (file.words, file.by_tools) for file in changed_files(talk.session)}
    assert found == {
        "/work/b": (["/work/a → /work/b: moved"], True),
        "/work/p.png": (["/work/p.png: new (binary)"], True),
    }


def test_a_file_whose_move_is_told_is_not_said_to_be_left_out() -> None:
    shown = Diff(path="/w/a", old_text="x", new_text="y")
    wanted = [Edit("/w/a", (EditStep("x", "y"),)), Edit("/w/b", (EditStep("z", "q"),))]
    seen = {"/w/a": SeenFile("/w/a", "x"), "/w/b": SeenFile("/w/b", "z")}
    told = FileChange(operation="modify", path="/w/b")
    without = [one.remark for one in review_edits([shown], wanted, seen).observations]
    beside = [one.remark for one in review_edits([shown, told], wanted, seen).observations]
    assert any("too; the diffs are of" in remark for remark in without)
    assert not any("too; the diffs are of" in remark for remark in beside)
