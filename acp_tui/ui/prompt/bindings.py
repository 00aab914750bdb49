"""Keys of the prompt."""

from acp_tui.ui.keys import PICKER, bind_key, feature_action

EDIT_PROMPT = feature_action("prompts.edit")
QUIT_EMPTY = feature_action("leaving.leave_empty_prompt")
PROMPT = [
    bind_key("enter", "submit", "Send; during a turn: queue"),
    bind_key("ctrl+enter,alt+g", "steer", "Send now: into the turn, or in its place"),
    bind_key("shift+enter,alt+enter,ctrl+j", "newline", "New line; also \\ then Enter"),
    bind_key("up,ctrl+p", "cursor_up", "In the first line: queue, previous prompt"),
    bind_key("down,ctrl+n", "cursor_down", "In the last line: next prompt"),
    bind_key("ctrl+r", feature_action("recall.open"), "Search sent prompts"),
    bind_key("tab", "complete", "Complete /command or @file; unfold"),
    bind_key("ctrl+v", "paste", "Paste text, else an image"),
    bind_key("alt+v", "paste_image", "Attach clipboard image"),
    bind_key("ctrl+w", "delete_word", "Delete back to whitespace"),
    bind_key("alt+backspace", "kill('delete_word_left')", "Delete the previous word"),
    bind_key("ctrl+backspace", "kill('delete_word_left')", ""),
    bind_key("alt+d,alt+delete", "kill('delete_word_right')", "Delete the next word"),
    bind_key("ctrl+u", "kill('delete_to_start_of_line')", "Delete to line start"),
    bind_key("ctrl+k", "kill('delete_to_end_of_line_or_delete_line')", "Delete to line end"),
    bind_key("ctrl+y", "yank", "Insert last deleted text"),
    bind_key("alt+b", "cursor_word_left", "Word left; also Ctrl+Left"),
    bind_key("alt+f", "cursor_word_right", "Word right; also Ctrl+Right"),
    bind_key("ctrl+b", "cursor_left", "Character left; also Left"),
    bind_key("ctrl+f", "cursor_right", "Character right; also Right"),
    bind_key("ctrl+a", "cursor_line_start", "Go to line start"),
    bind_key("ctrl+e", "cursor_line_end", "Go to line end"),
    bind_key("ctrl+g,alt+e", EDIT_PROMPT, "Edit the prompt in $EDITOR (Ctrl+X Ctrl+E)"),
    bind_key("ctrl+home", "ends(-1)", "Go to prompt start"),
    bind_key("ctrl+end", "ends(1)", "Go to prompt end"),
    bind_key("ctrl+underscore", "undo", "Undo; also Ctrl+Z"),
    bind_key("ctrl+shift+z,alt+z", "redo", "Redo"),
    bind_key("ctrl+d", "leave_or_delete", "Quit if prompt is empty"),
    bind_key("pageup", "scroll_conversation(-1)", "Scroll up a page"),
    bind_key("pagedown", "scroll_conversation(1)", "Scroll down a page"),
    bind_key("ctrl+up", "scroll_conversation(0, -1)", "Scroll up a line"),
    bind_key("ctrl+down", "scroll_conversation(0, 1)", "Scroll down a line"),
]
QUEUE = [
    bind_key("up,k", "mark(-1)", "Prompt above"),
    bind_key("down,j", "mark(1)", "Prompt below"),
    bind_key("shift+up,K", "shift(-1)", "Send earlier"),
    bind_key("shift+down,J", "shift(1)", "Send later"),
    bind_key("enter,e", "edit", "Edit in the prompt"),
    bind_key("delete,backspace,d", "remove", "Remove"),
    bind_key("ctrl+enter,alt+g,s", "steer", "Send now: into the turn, or in its place"),
    bind_key("escape", "close", "Back to the prompt"),
]
RECALL = [
    *PICKER,
    bind_key("ctrl+r", "move(1)", "Older", priority=True),
    bind_key("ctrl+s", "move(-1)", "Newer", priority=True),
    bind_key("tab", "scope", "This folder, or all folders", priority=True),
]
