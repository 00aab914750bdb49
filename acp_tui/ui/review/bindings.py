"""Keys of the review."""

from acp_tui.ui.keys import bind_key

FILES = [
    bind_key("up,k", "move(-1)", "File above; in the diff the line above"),
    bind_key(
        "down,j",
        "move(1)",
        "File below (M modified, A added, D deleted, = as before); in the diff the line below",
    ),
    bind_key("enter", "read_diff", "Into the diff of this file"),
    bind_key("tab,right,left", "go_between", "Between the files and the diff"),
    bind_key("n", "go_to_change(1)", "Next change, also of the next file"),
    bind_key("p", "go_to_change(-1)", "The change before"),
    bind_key(
        "left_square_bracket",
        "go_to_turn(-1)",
        "What the turn before changed; turns without changes are passed",
    ),
    bind_key(
        "right_square_bracket",
        "go_to_turn(1)",
        "What the next turn changed; after the last one: all of them",
    ),
    bind_key("h", "against_head", "What differs from HEAD, the last commit, or no longer"),
    bind_key("pageup", "scroll(-1)", "Scroll the diff up"),
    bind_key("pagedown,space", "scroll(1)", "Scroll the diff down"),
    bind_key("u", "undo", "Undo the last write of this file; in the diff the marked change"),
    bind_key("s", "stage", "Put the marked change, or file, into git's index, or take it out"),
    bind_key("shift+up,K", "extend(-1)", "In the diff: mark the line above too, for a comment"),
    bind_key(
        "shift+down,J", "extend(1)", "... the line below too; the mouse marks what it is drawn over"
    ),
    bind_key("c", "comment", "Comment on the marked lines; without words remove that"),
    bind_key("C", "all_comments", "All comments on one page"),
    bind_key("w", "write_comments", "Write all comments into the prompt"),
    bind_key("v", "split", "Side by side from 100 columns on, or not"),
    bind_key("y", "copy", "Copy the marked change as a patch"),
    bind_key("Y", "copy_all", "Copy all that is listed as a patch"),
    bind_key("o,e", "open", "Open the file in the editor, at the marked line"),
    bind_key("escape,f7,q", "close", "Back"),
]
COMMENTS = [
    bind_key("up,k", "move(-1)", "Comment above"),
    bind_key("down,j", "move(1)", "Comment below"),
    bind_key("pageup", "scroll(-1)", "Scroll its lines up"),
    bind_key("pagedown,space", "scroll(1)", "Scroll its lines down"),
    bind_key("enter", "go", "Go to its lines"),
    bind_key("e", "rewrite", "Other words"),
    bind_key("d,delete", "remove", "Remove it"),
    bind_key("u", "restore", "Bring back what was removed last"),
    bind_key("w", "write", "Write all of them into the prompt"),
    bind_key("escape,C,q", "close", "Back"),
]
UNDO = [
    bind_key("pageup", "scroll(-1)", "Scroll the diff up"),
    bind_key("pagedown,space", "scroll(1)", "Scroll the diff down"),
    bind_key("escape", "close", "Leave it"),
]
