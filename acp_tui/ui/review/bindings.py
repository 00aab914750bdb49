"""Keys of the review."""

from acp_tui.ui.keys import key

FILES = [
    key("up,k", "move(-1)", "File above; in the diff the line above"),
    key(
        "down,j",
        "move(1)",
        "File below (M modified, A added, D deleted, = as before); in the diff the line below",
    ),
    key("enter", "read_diff", "Into the diff of this file"),
    key("tab,right,left", "go_between", "Between the files and the diff"),
    key("n", "go_to_change(1)", "Next change, also of the next file"),
    key("p", "go_to_change(-1)", "The change before"),
    key(
        "left_square_bracket",
        "go_to_turn(-1)",
        "What the turn before changed; turns without changes are passed",
    ),
    key(
        "right_square_bracket",
        "go_to_turn(1)",
        "What the next turn changed; after the last one: all of them",
    ),
    key("h", "against_head", "What differs from HEAD, the last commit, or no longer"),
    key("pageup", "scroll(-1)", "Scroll the diff up"),
    key("pagedown,space", "scroll(1)", "Scroll the diff down"),
    key("u", "undo", "Undo the last write of this file; in the diff the marked change"),
    key("s", "stage", "Put the marked change, or file, into git's index, or take it out"),
    key("shift+up,K", "extend(-1)", "In the diff: mark the line above too, for a comment"),
    key(
        "shift+down,J", "extend(1)", "... the line below too; the mouse marks what it is drawn over"
    ),
    key("c", "comment", "Comment on the marked lines; without words remove that"),
    key("C", "all_comments", "All comments on one page"),
    key("w", "write_comments", "Write all comments into the prompt"),
    key("v", "split", "Side by side from 100 columns on, or not"),
    key("y", "copy", "Copy the marked change as a patch"),
    key("Y", "copy_all", "Copy all that is listed as a patch"),
    key("o,e", "open", "Open the file in the editor, at the marked line"),
    key("escape,f7,q", "close", "Back"),
]
COMMENTS = [
    key("up,k", "move(-1)", "Comment above"),
    key("down,j", "move(1)", "Comment below"),
    key("pageup", "scroll(-1)", "Scroll its lines up"),
    key("pagedown,space", "scroll(1)", "Scroll its lines down"),
    key("enter", "go", "Go to its lines"),
    key("e", "rewrite", "Other words"),
    key("d,delete", "remove", "Remove it"),
    key("u", "restore", "Bring back what was removed last"),
    key("w", "write", "Write all of them into the prompt"),
    key("escape,C,q", "close", "Back"),
]
UNDO = [
    key("pageup", "scroll(-1)", "Scroll the diff up"),
    key("pagedown,space", "scroll(1)", "Scroll the diff down"),
    key("escape", "close", "Leave it"),
]
