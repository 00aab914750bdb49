"""Key tables of the review."""

from acp_tui.ui.keys import bind_key

FILES = [
    bind_key("up,k", "move(-1)", "File above; in the diff: line above"),
    bind_key("down,j", "move(1)", "File below; in the diff: line below"),
    bind_key("enter", "read_diff", "Go to the diff of the file"),
    bind_key("tab,right,left", "go_between", "Switch between files and diff"),
    bind_key("n", "go_to_change(1)", "Next change, also in the next file"),
    bind_key("p", "go_to_change(-1)", "Previous change"),
    bind_key("left_square_bracket", "go_to_turn(-1)", "Changes of the previous turn alone"),
    bind_key(
        "right_square_bracket", "go_to_turn(1)", "Changes of the next turn; after the last: all"
    ),
    bind_key("h", "against_head", "Toggle comparison with the last commit (HEAD)"),
    bind_key("pageup", "scroll(-1)", "Scroll the diff up"),
    bind_key("pagedown,space", "scroll(1)", "Scroll the diff down"),
    bind_key("u", "undo", "Undo the file's last write; in the diff: the marked change"),
    bind_key("s", "stage", "Stage or unstage the marked change or file"),
    bind_key("shift+up,K", "extend(-1)", "In the diff: extend the selection up"),
    bind_key("shift+down,J", "extend(1)", "In the diff: extend the selection down (or drag)"),
    bind_key("c", "comment", "Comment on the marked lines (empty: remove it)"),
    bind_key("C", "all_comments", "All comments"),
    bind_key("w", "write_comments", "Write all comments into the prompt"),
    bind_key("v", "split", "Side by side, or one column (from 100 columns on)"),
    bind_key("y", "copy", "Copy the marked change as a patch"),
    bind_key("Y", "copy_all", "Copy all listed changes as a patch"),
    bind_key("o,e", "open", "Open in $EDITOR at the marked line"),
    bind_key("escape,f7,q", "close", "Back"),
]
COMMENTS = [
    bind_key("up,k", "move(-1)", "Comment above"),
    bind_key("down,j", "move(1)", "Comment below"),
    bind_key("pageup", "scroll(-1)", "Scroll its lines up"),
    bind_key("pagedown,space", "scroll(1)", "Scroll its lines down"),
    bind_key("enter", "go", "Go to its lines"),
    bind_key("e", "rewrite", "Edit the comment"),
    bind_key("d,delete", "remove", "Remove it"),
    bind_key("u", "restore", "Restore the last removed comment"),
    bind_key("w", "write", "Write all comments into the prompt"),
    bind_key("escape,C,q", "close", "Back"),
]
UNDO = [
    bind_key("pageup", "scroll(-1)", "Scroll the diff up"),
    bind_key("pagedown,space", "scroll(1)", "Scroll the diff down"),
    bind_key("escape", "close", "Leave it"),
]
