"""Keys of the prompt."""

from acp_tui.ui.keys import PICKER, do, key

EDIT_PROMPT = do("prompts.edit")
LEAVE = do("leaving.leave_empty_prompt")
PROMPT = [
    key("enter", "submit", "Send; during a turn: queue"),
    key("ctrl+enter,alt+g", "steer", "Send now: into the turn, or in its place"),
    key("shift+enter,alt+enter,ctrl+j", "newline", "New line"),
    key("up,ctrl+p", "cursor_up", "In the first line: queue, previous prompt"),
    key("down,ctrl+n", "cursor_down", "In the last line: next prompt"),
    key("ctrl+r", do("recall.open"), "Search sent prompts"),
    key("tab", "complete", "Complete /command or @file; unfold"),
    key("ctrl+v", "paste", "Paste text, else an image"),
    key("alt+v", "paste_image", "Attach clipboard image"),
    key("ctrl+w", "delete_word", "Delete back to whitespace"),
    key("alt+backspace", "kill('delete_word_left')", "Delete the previous word"),
    key("ctrl+backspace", "kill('delete_word_left')", ""),
    key("alt+d,alt+delete", "kill('delete_word_right')", "Delete the next word"),
    key("ctrl+u", "kill('delete_to_start_of_line')", "Delete to line start"),
    key(
        "ctrl+k",
        "kill('delete_to_end_of_line_or_delete_line')",
        "Delete to line end",
    ),
    key("ctrl+y", "yank", "Insert last deleted text"),
    key("alt+b", "cursor_word_left", "Word left; also Ctrl+Left"),
    key("alt+f", "cursor_word_right", "Word right; also Ctrl+Right"),
    key("ctrl+b", "cursor_left", "Character left; also Left"),
    key("ctrl+f", "cursor_right", "Character right; also Right"),
    key("ctrl+a", "cursor_line_start", "Go to line start"),
    key("ctrl+e", "cursor_line_end", "Go to line end"),
    key("ctrl+g,alt+e", EDIT_PROMPT, "Edit the prompt in $EDITOR (Ctrl+X Ctrl+E)"),
    key("ctrl+home", "ends(-1)", "Go to prompt start"),
    key("ctrl+end", "ends(1)", "Go to prompt end"),
    key("ctrl+underscore", "undo", "Undo; also Ctrl+Z"),
    key("ctrl+shift+z,alt+z", "redo", "Redo"),
    key("ctrl+d", "leave_or_delete", "Quit if prompt is empty"),
    key("pageup", "scroll_conversation(-1)", "Scroll up a page"),
    key("pagedown", "scroll_conversation(1)", "Scroll down a page"),
    key("ctrl+up", "scroll_conversation(0, -1)", "Scroll up a line"),
    key("ctrl+down", "scroll_conversation(0, 1)", "Scroll down a line"),
]
QUEUE = [
    key("up,k", "mark(-1)", "Prompt above"),
    key("down,j", "mark(1)", "Prompt below"),
    key("shift+up,K", "shift(-1)", "Send earlier"),
    key("shift+down,J", "shift(1)", "Send later"),
    key("enter,e", "edit", "Edit in the prompt"),
    key("delete,backspace,d", "remove", "Remove"),
    key("ctrl+enter,alt+g,s", "steer", "Send now: into the turn, or in its place"),
    key("escape", "close", "Back to the prompt"),
]
RECALL = [
    *PICKER,
    key("ctrl+r", "move(1)", "Older", priority=True),
    key("ctrl+s", "move(-1)", "Newer", priority=True),
    key("tab", "scope", "Prompts of this folder, or of all", priority=True),
]
