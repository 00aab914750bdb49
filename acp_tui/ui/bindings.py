"""Every key of the program, in one place: the widgets, the help screen and the docs use these."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from textual.binding import Binding

if TYPE_CHECKING:
    from textual.content import Content
    from textual.widget import Widget


def _key(keys: str, action: str, words: str, *, priority: bool = False) -> Binding:
    return Binding(keys, action, words, show=False, priority=priority)


def _do(action: str, *arguments: int) -> str:
    """Name a feature and its method: `sessions.step`."""
    return f"app.do{(action, *arguments)!r}" if arguments else f"app.do({action!r})"


EVERYWHERE = [
    _key("f1", "help", "Show all keys", priority=True),
    _key("question_mark", "help", "Show all keys (outside text)"),
    _key("ctrl+q", _do("leaving.leave"), "Quit (agents can keep running)", priority=True),
    _key(
        "ctrl+c",
        _do("leaving.copy_or_leave"),
        "Copy, clear or quit",
        priority=True,
    ),
    _key("shift+tab", _do("options.next_mode"), "Next mode of the agent", priority=True),
    _key("alt+x", _do("palette.open"), "Search all actions", priority=True),
    _key("alt+o", _do("exports.ask"), "Export the session", priority=True),
    _key("f4", _do("options.open"), "Options: model, mode, sign-in", priority=True),
    _key("f7", _do("review.open"), "Changed files: diffs, undo", priority=True),
    _key("f9", _do("review.undo_newest"), "Undo the agent's last write", priority=True),
    _key("alt+u", _do("rewind.open"), "Rewind; also Esc Esc", priority=True),
    _key("alt+p", _do("rules.open"), "Permission rules: list, revoke", priority=True),
    _key("f8", _do("notices.open"), "Notifications", priority=True),
    _key("f3", _do("themes.open"), "Themes: preview, choose", priority=True),
    _key("f10", _do("settings.open"), "Settings: search, change", priority=True),
    _key("f12", _do("inspector.toggle"), "Protocol messages", priority=True),
    _key(
        "shift+f12",
        _do("inspector.toggle_pane"),
        "Show protocol messages alongside",
        priority=True,
    ),
    _key(
        "f24", _do("inspector.toggle_pane"), "", priority=True
    ),  # what many terminals send for Shift+F12
    _key("ctrl+z", "stop", "Suspend; in the prompt: undo"),
    _key("f5,ctrl+l", "redraw", "Redraw the screen", priority=True),
    _key("alt+a", _do("restart.restart"), "Restart an agent that is gone or stuck", priority=True),
]
SESSION_KEYS = [
    _key("ctrl+o", _do("sessions.open_picker"), "Sessions: open, resume, delete", priority=True),
    _key("ctrl+t", _do("sessions.new"), "New session (choose agent)", priority=True),
    _key("alt+n", _do("agents.choose"), "Start or choose another agent", priority=True),
    _key("alt+w", _do("sessions.close_shown"), "Close the session", priority=True),
    _key("alt+shift+w", _do("sessions.reopen"), "Reopen closed tab", priority=True),
    _key("ctrl+w", _do("sessions.say_what_closes"), ""),
    _key("ctrl+pagedown", _do("sessions.step", 1), "Next session", priority=True),
    _key("ctrl+pageup", _do("sessions.step", -1), "Previous session", priority=True),
    _key(
        "ctrl+s",
        _do("sessions.go_to_question"),
        "Go to waiting question",
        priority=True,
    ),
    *(
        _key(
            f"alt+{number}",
            _do("sessions.show_number", number),
            "Session by number",
            priority=True,
        )
        for number in range(1, 10)
    ),
]
CONVERSATION = [
    _key("escape", _do("turns.cancel"), "Cancel the turn; take back the queue"),
    _key("tab", "focus_next", "Switch between prompt and transcript"),
    _key("f2", "toggle_plan", "Open or fold the plan"),
    _key("alt+r", _do("reruns.send"), "Send the last prompt again", priority=True),
    _key("f6", "queue", "Reorder queue", priority=True),
    _key("alt+slash", "search", "Search the transcript", priority=True),
    _key("slash", "search", "Search the transcript"),
]
NOT_IN_DIALOGS = {
    "options.next_mode",
    "options.open",
    "settings.open",
    "restart.restart",
    "inspector.toggle_pane",
    "exports.ask",
    "palette.open",
    "reruns.send",
    "reruns.compare",
    "review.open",
    "review.undo_newest",
    "rewind.open",
    "sessions.open_picker",
    "sessions.new",
    "sessions.close_shown",
    "sessions.reopen",
    "sessions.step",
    "sessions.show_number",
    "sessions.go_to_question",
    "agents.choose",
    "notices.open",
    "rules.open",
}
"""What can't be done while a box is open, which may have these keys for itself: there is one at a time, beside the
help, what Alt+X offers, and the questions that it asks.
"""
EDIT_PROMPT = _do("prompts.edit")
PROMPT = [
    _key("enter", "submit", "Send; during a turn: queue"),
    _key("ctrl+enter,alt+g", "steer", "Send now: into the turn, or in its place"),
    _key("shift+enter,alt+enter,ctrl+j", "newline", "New line"),
    _key("up,ctrl+p", "cursor_up", "In the first line: queue, previous prompt"),
    _key("down,ctrl+n", "cursor_down", "In the last line: next prompt"),
    _key("ctrl+r", _do("recall.open"), "Search sent prompts"),
    _key("tab", "complete", "Complete /command or @file; unfold"),
    _key("ctrl+v", "paste", "Paste text, else an image"),
    _key("alt+v", "paste_image", "Attach clipboard image"),
    _key("ctrl+w", "delete_word", "Delete back to whitespace"),
    _key("alt+backspace", "kill('delete_word_left')", "Delete the previous word"),
    _key("ctrl+backspace", "kill('delete_word_left')", ""),
    _key("alt+d,alt+delete", "kill('delete_word_right')", "Delete the next word"),
    _key("ctrl+u", "kill('delete_to_start_of_line')", "Delete to line start"),
    _key(
        "ctrl+k",
        "kill('delete_to_end_of_line_or_delete_line')",
        "Delete to line end",
    ),
    _key("ctrl+y", "yank", "Insert last deleted text"),
    _key("alt+b", "cursor_word_left", "Word left; also Ctrl+Left"),
    _key("alt+f", "cursor_word_right", "Word right; also Ctrl+Right"),
    _key("ctrl+b", "cursor_left", "Character left; also Left"),
    _key("ctrl+f", "cursor_right", "Character right; also Right"),
    _key("ctrl+a", "cursor_line_start", "Go to line start"),
    _key("ctrl+e", "cursor_line_end", "Go to line end"),
    _key("ctrl+g,alt+e", EDIT_PROMPT, "Edit the prompt in $EDITOR (Ctrl+X Ctrl+E)"),
    _key("ctrl+home", "ends(-1)", "Go to prompt start"),
    _key("ctrl+end", "ends(1)", "Go to prompt end"),
    _key("ctrl+underscore", "undo", "Undo; also Ctrl+Z"),
    _key("ctrl+shift+z,alt+z", "redo", "Redo"),
    _key("ctrl+d", "leave_or_delete", "Quit if prompt is empty"),
    _key("pageup", "scroll_conversation(-1)", "Scroll up a page"),
    _key("pagedown", "scroll_conversation(1)", "Scroll down a page"),
    _key("ctrl+up", "scroll_conversation(0, -1)", "Scroll up a line"),
    _key("ctrl+down", "scroll_conversation(0, 1)", "Scroll down a line"),
]
FIELD = [
    _key("alt+backspace,ctrl+backspace", "delete_left_word", ""),
    _key("alt+d,alt+delete", "delete_right_word", ""),
    _key("alt+b", "cursor_left_word", ""),
    _key("alt+f", "cursor_right_word", ""),
    _key("ctrl+b", "cursor_left", ""),
    _key("ctrl+f", "cursor_right", ""),
]
"""What a field of one line does as the prompt does, where Textual's own doesn't."""
LEAVE = _do("leaving.copy_or_leave")
QUEUE = [
    _key("up,k", "mark(-1)", "Prompt above"),
    _key("down,j", "mark(1)", "Prompt below"),
    _key("shift+up,K", "shift(-1)", "Send earlier"),
    _key("shift+down,J", "shift(1)", "Send later"),
    _key("enter,e", "edit", "Edit in the prompt"),
    _key("delete,backspace,d", "remove", "Remove"),
    _key("ctrl+enter,alt+g,s", "steer", "Send now: into the turn, or in its place"),
]
PICKER = [
    _key("up", "move(-1)", "Row above", priority=True),
    _key("down", "move(1)", "Row below", priority=True),
    _key("pageup", "page(-1)", "Page up", priority=True),
    _key("pagedown", "page(1)", "Page down", priority=True),
    _key("escape", "close", "Back"),
]
SETTINGS = [*PICKER, _key("delete", "reset", "Back to the default", priority=True)]
RECALL = [
    *PICKER,
    _key("ctrl+r", "move(1)", "Older", priority=True),
    _key("ctrl+s", "move(-1)", "Newer", priority=True),
    _key("tab", "scope", "Prompts of this folder, or of all", priority=True),
]
FIND = [
    *PICKER[:-1],
    _key("enter", "", "Open in a replay"),
    _key("alt+r", "resume", "Resume the session (asks first)", priority=True),
    _key("f1", "help", "Show all keys", priority=True),
    _key("escape,ctrl+q,ctrl+c", "close", "Quit", priority=True),
]
LAUNCHER = [
    *PICKER[:-1],
    _key("enter", "", "Start the selection or the race"),
    _key("alt+r", "race", "Add to or remove from race"),
    _key("f1", "help", "Show all keys", priority=True),
    _key("escape", "clear", "Clear, else quit", priority=True),
    _key("ctrl+q,ctrl+c", "close", "Quit", priority=True),
]
MATRIX = [
    *PICKER[:-1],
    _key("left", "column(-1)", "Agent to the left", priority=True),
    _key("right", "column(1)", "Agent to the right", priority=True),
    _key("enter", "", "Show the frame in a replay"),
    _key("f1", "help", "Show all keys", priority=True),
    _key("escape,ctrl+q,ctrl+c", "close", "Quit", priority=True),
]
SESSIONS = [
    *PICKER,
    _key("ctrl+t", "new", "New session", priority=True),
    _key("alt+r", "session('resume')", "Resume without the history", priority=True),
    _key("alt+k", "session('fork')", "Fork", priority=True),
    _key("alt+w", "session('close')", "Close", priority=True),
    _key("f8", "session('delete')", "Delete for good", priority=True),
    _key("alt+a", "session('archive')", "Archive or unarchive (--unstable)", priority=True),
    _key("f2", "session('rename')", "Rename (--unstable)", priority=True),
    _key("alt+s", "session('status')", "Check if in memory (--unstable)", priority=True),
]
TRANSCRIPT = [
    _key("up,k", "cursor(-1)", "Entry above"),
    _key("down,j", "cursor(1)", "Entry below"),
    _key("ctrl+up,K", "lines(-1)", "Line up"),
    _key("ctrl+down,J", "lines(1)", "Line down"),
    _key("pageup,b", "pages(-1)", "Page up"),
    _key("pagedown,space", "pages(1)", "Page down"),
    _key("home,g", "home", "Beginning"),
    _key("end,G", "end", "End"),
    _key("left_square_bracket", "jump('turn', -1)", "Turn above"),
    _key("right_square_bracket", "jump('turn', 1)", "Turn below"),
    _key("T", "jump('tool_call', -1)", "Tool call above"),
    _key("t", "jump('tool_call', 1)", "Tool call below"),
    _key("P", "jump('permission', -1)", "Answered question above"),
    _key("p", "jump('permission', 1)", "Answered question below"),
    _key("E", "jump('error', -1)", "Error above"),
    _key("e", "jump('error', 1)", "Error below"),
    _key("D", "change(-1)", "Change above, in the diffs"),
    _key("d", "change(1)", "Change below"),
    _key("f", "hint_links", "Open a link by letter"),
    _key("enter", "toggle_entry", "Open or fold"),
    _key("z", "toggle_kind", "Open or fold all of its kind: thoughts, plans, reads, …"),
    _key("v", "select", "Begin or end a selection of lines"),
    _key("shift+up", "extend(-1)", "Select a line up"),
    _key("shift+down", "extend(1)", "Select a line down"),
    _key("escape", "end_selection", "End the selection or the search"),
    _key("y", "copy", "Copy the selection, else the entry"),
    _key("Y", "copy_markdown", "Copy it as Markdown"),
    _key("c", "copy_code", "Copy the code block"),
    _key("s", "split_diffs", "Toggle diffs side by side"),
    _key("o", "open", "Open the location or the images"),
    _key("x", _do("turns.stop_entry"), "Stop the tool call or terminal alone"),
    _key("i", _do("inspector.toggle"), "Show its protocol messages"),
    _key("equals_sign", _do("reruns.compare"), "What differs from the same prompt before"),
    _key("n", "search_next", "Next match"),
    _key("N", "search_previous", "Previous match"),
]
SEARCH = [
    _key("enter", "accept", "Go to match; then n/N"),
    _key("down", "next", "Next match"),
    _key("up,shift+enter", "previous", "Previous match"),
    _key("escape", "close", "Close the search"),
]
CHOICES = [
    *(_key(str(number), f"number({number})", "Choose by number") for number in range(1, 10)),
    _key("0", "number(0)", ""),
    _key("up,k", "move(-1)", "Up"),
    _key("down,j", "move(1)", "Down"),
    _key("enter", "choose", "Choose what is marked"),
]
QUESTION = [
    *(_key(str(number), "", "Answer by number; of ten or more: mark") for number in range(1, 10)),
    _key("up", "", "Mark the option above"),
    _key("down", "", "Mark the option below"),
    _key("enter", "", "Choose what is marked; words: reject"),
    _key("a", "", "Always: make a rule of it"),
    _key("escape", "", "Cancel the turn; save words for later"),
    _key("pageup", "", "Question up, then the conversation"),
    _key("pagedown", "", "Conversation down, then the question"),
    _key("ctrl+up", "", "The same by a line"),
    _key("ctrl+down", "", "The same by a line"),
]
SIGN_IN = [
    _key("r", "restart", "Restart after a sign-in elsewhere"),
    _key("escape", "close", "Cancel; close: sending a prompt asks again"),
]
TRUST = [
    _key("pageup", "scroll(-1)", "Scroll up the file"),
    _key("pagedown,space", "scroll(1)", "Scroll down the file"),
    _key("escape", "decline", "Not now: go on without its servers"),
]
FILES = [
    _key("up,k", "move(-1)", "File above; in the diff the line above"),
    _key(
        "down,j",
        "move(1)",
        "File below (M modified, A added, D deleted, = as before); in the diff the line below",
    ),
    _key("tab,right,left", "go_between", "Between the files and the diff"),
    _key("n", "go_to_change(1)", "Next change, also of the next file"),
    _key("p", "go_to_change(-1)", "The change before"),
    _key(
        "left_square_bracket",
        "go_to_turn(-1)",
        "What the turn before changed; turns without changes are passed",
    ),
    _key(
        "right_square_bracket",
        "go_to_turn(1)",
        "What the next turn changed; after the last one: all of them",
    ),
    _key("h", "against_head", "What differs from HEAD, the last commit, or no longer"),
    _key("pageup", "scroll(-1)", "Scroll the diff up"),
    _key("pagedown,space", "scroll(1)", "Scroll the diff down"),
    _key("u", "undo", "Undo the last write of this file; in the diff the marked change"),
    _key("s", "stage", "Put the marked change, or file, into git's index, or take it out"),
    _key("shift+up,K", "extend(-1)", "In the diff: mark the line above too, for a comment"),
    _key(
        "shift+down,J", "extend(1)", "... the line below too; the mouse marks what it is drawn over"
    ),
    _key("c", "comment", "Comment on the marked lines; without words remove that"),
    _key("C", "all_comments", "All comments on one page"),
    _key("w", "write_comments", "Write all comments into the prompt"),
    _key("v", "split", "Side by side from 100 columns on, or not"),
    _key("y", "copy", "Copy the marked change as a patch"),
    _key("Y", "copy_all", "Copy all that is listed as a patch"),
    _key("enter,e", "open", "Open the file in the editor, at the marked line"),
    _key("escape,f7,q", "close", "Back"),
]
COMMENTS = [
    _key("up,k", "move(-1)", "Comment above"),
    _key("down,j", "move(1)", "Comment below"),
    _key("pageup", "scroll(-1)", "Scroll its lines up"),
    _key("pagedown,space", "scroll(1)", "Scroll its lines down"),
    _key("enter", "go", "Go to its lines"),
    _key("e", "rewrite", "Other words"),
    _key("d,delete", "remove", "Remove it"),
    _key("u", "restore", "Bring back what was removed last"),
    _key("w", "write", "Write all of them into the prompt"),
    _key("escape,C,q", "close", "Back"),
]
UNDO = [
    _key("pageup", "scroll(-1)", "Scroll the diff up"),
    _key("pagedown,space", "scroll(1)", "Scroll the diff down"),
    _key("escape", "close", "Leave it"),
]
TURNS = [
    _key("up,k", "move(-1)", "Turn above"),
    _key("down,j", "move(1)", "Turn below"),
    _key("pageup", "scroll(-1)", "Scroll the changes up"),
    _key("pagedown,space", "scroll(1)", "Scroll the changes down"),
    _key("enter", "choose", "Preview a rewind, then choose; unfold other sessions"),
    _key("u", "undo", "Undo the last rewind"),
    _key("escape,alt+u,q", "close", "Close"),
]
GO_BACK = [
    _key("pageup", "scroll(-1)", "Scroll the files up"),
    _key("pagedown,space", "scroll(1)", "Scroll the files down"),
    _key("escape", "close", "Cancel"),
]
RULES = [
    _key("up,k", "move(-1)", "Rule above"),
    _key("down,j", "move(1)", "Rule below"),
    _key("d,delete", "forget", "Revoke, unless it stands in a file"),
    _key("escape,alt+p,q", "close", "Back"),
]
NOTICES = [_key("escape,f8,q,enter", "close", "Close")]
DIFFERENCES = [_key("escape,q,enter", "close", "Close")]
COMPARISON = [
    _key("n", "step(1)", "Next difference"),
    _key("N,p", "step(-1)", "Difference before"),
    _key("enter", "whole", "All lines, or only those that differ"),
    _key("up,k", "scroll(-1)", "Line up"),
    _key("down,j", "scroll(1)", "Line down"),
    _key("pageup", "pages(-1)", "Page up"),
    _key("pagedown,space", "pages(1)", "Page down"),
    _key("escape,q,equals_sign", "close", "Close"),
]
LINE = [
    _key("escape", "close", "Leave it as it is"),
    _key("f2", "show", "Show the secret, or hide it"),
]
CONFIRM = [_key("escape", "close", "No")]
OPTIONS = [
    _key("up,left,k", "move(-1)", "Option before"),
    _key("down,right,j", "move(1)", "Option after"),
    _key("space", "choose", "Choose, or no longer"),
    _key("enter", "go_on", "Choose of one, and go on"),
]
ELICITATION = [
    _key("tab", "app.focus_next", "Next field"),
    _key("shift+tab", "app.focus_previous", "Previous field"),
    _key("escape", "cancel", "Cancel the question"),
]
EXPORT = [
    _key("m", "choose('md')", "Markdown: all that was said and done"),
    _key("h", "choose('html')", "HTML: a page that looks like the screen"),
    _key("s", "choose('svg')", "SVG: a picture of the screen as it is"),
    _key("escape,q", "close", "Close"),
]
TROUBLE = [
    _key("n", "new", "New session, where only that is missing"),
    _key("o", "choose", "Another session, where the agent keeps any"),
    _key("r", "restart", "Restart the agent"),
    _key("x", "stop", "Don't restart it by itself"),
    _key("q", "close", "Close it, beside other agents"),
    _key("equals_sign", _do("reruns.compare"), "What differs from the same prompt before"),
    _key("escape,enter", "read", "Go on reading the transcript"),
]
FRAMES = [
    _key("up,k", "move(-1)", "Row above"),
    _key("down,j", "move(1)", "Row below"),
    _key("pageup", "pages(-1)", "Page up"),
    _key("pagedown", "pages(1)", "Page down"),
    _key("home", "first", "First row"),
    _key("end,G", "last", "Last row; follow what comes"),
    _key("space", "pause", "Stay here, or follow again"),
    _key("enter", "open", "Unfold a message's chunks or fold them, else read the frame"),
    _key("p", "partner", "From a request to its answer, or back"),
    _key("n", "finding(1)", "Next finding"),
    _key("N", "finding(-1)", "Previous finding"),
    _key("m", "mark", "Set a bookmark, or take it away"),
    _key("apostrophe", "next_mark", "Next bookmark"),
]
DETAIL = [
    _key("up,k", "move(-1)", "Line above"),
    _key("down,j", "move(1)", "Line below"),
    _key("pageup", "pages(-1)", "Page up"),
    _key("pagedown", "pages(1)", "Page down"),
    _key("home", "first", "First line"),
    _key("end,G", "last", "Last line"),
    _key("enter,space", "toggle_fold", "Fold an object or a list, or unfold it"),
    _key("left,h", "fold_line", "Fold it, or what the line is in"),
    _key("right,l", "unfold_line", "Unfold it"),
    _key("n", "next_match(1)", "Next match in the frame, else next finding"),
    _key("N", "next_match(-1)", "Previous match in the frame, else finding"),
]
INSPECTOR = [
    _key("slash", "filter", "Filter the messages; in the detail search the message"),
    _key("g", "seek", "Go to a time, a frame (#12) or a share"),
    _key("i", "entry", "To the entry that this frame made"),
    _key("o", "only", "Only the messages of that entry, or all"),
    _key("comma", "back", "The session one step before this"),
    _key("full_stop", "forth", "The session one step after this"),
    _key("s", "split", "Show the transcript beside, or not"),
    _key("v", "raw", "The frame's bytes, or its JSON"),
    _key("y", "copy", "Copy the frame as one line"),
    _key("Y", "copy_as", "Copy as printf … | where it went out, else as JSON"),
    _key("e", "save", "Save what the filter shows, secrets masked"),
    _key("w", "waterfall", "Where the time of this turn went"),
    _key("S", "statistics", "Statistics: latencies and counts; again: of all recordings"),
    _key(
        "equals_sign",
        _do("comparisons.compare_marked"),
        "Compare two bookmarked messages, or turns",
    ),
    _key("c", _do("composer.open"), "Compose a message to the agent by hand"),
    _key("r", _do("composer.resend"), "Edit the frame and send it again; answer a request"),
    _key("b", "breakpoint", "Hold the messages of this kind: a breakpoint"),
    _key("H", _do("holding.open"), "What is held, breakpoints, faults"),
    _key("A", _do("client_profile.open"), "Be another client: what the agent is offered"),
    _key("C", "columns", "Choose the columns"),
    _key("B", "report", "Bug report as a zip, secrets masked"),
    _key("n", "finding(1)", ""),
    _key("N", "finding(-1)", ""),
    _key("p", "partner", ""),
    _key("tab", "app.focus_next", "Between messages and detail"),
    _key("escape", "close", "Back to now; close the inspector"),
]
HOLDING = [
    _key("up,k", "move(-1)", "Row above"),
    _key("down,j", "move(1)", "Row below"),
    _key("enter,space", "choose", "Pass on what is held; a breakpoint, a fault: on or off"),
    _key("e", "act('edit')", "Edit what is held, and pass it on"),
    _key("E", "act('edit_outside')", "The same in the editor"),
    _key("a", "act('answer')", "Answer a held request yourself"),
    _key("t", "act('twice')", "Pass it on twice"),
    _key("w", "act('delay')", "Pass it on later"),
    _key("d,delete", "remove", "Drop what is held; remove a breakpoint, a fault"),
    _key("r", "release_all", "Pass on all that is held"),
    _key("b", "add('breakpoint')", "A new breakpoint"),
    _key("f", "add('fault')", "A new fault"),
    _key("escape,q,H", "close", "Back; what is held stays held"),
]
HELD_EDIT = [
    _key("ctrl+s", "send", "Pass on the JSON, on one line", priority=True),
    _key("alt+g", "send_as_is", "Pass on what stands there, whatever it is", priority=True),
    _key("escape", "close", "Leave the frame held", priority=True),
]
PANE = [
    _key("n", "finding(1)", ""),
    _key("N", "finding(-1)", ""),
    _key("p", "partner", ""),
    _key("y", "copy", "Copy the frame as one line"),
    _key("Y", "copy_as", "Copy as printf … | where it went out, else as JSON"),
    _key("i", "entry", "To the entry that this frame made"),
    _key("o", "only", "Only the messages of that entry, or all"),
    _key("v", "raw", "The frame's bytes, or its JSON"),
]
ASK = [
    _key("tab", "complete", "Take the next completion"),
    _key("escape", "close", "Close, without a filter"),
]
WATERFALL = [
    _key("up,k", "move(-1)", "Row above"),
    _key("down,j", "move(1)", "Row below"),
    _key("pageup", "page(-1)", "Page up"),
    _key("pagedown", "page(1)", "Page down"),
    _key("enter", "open", "To the frame that began it"),
    _key("escape,q,w", "close", "Close"),
]
STATISTICS = [
    _key("S", _do("numbers.open"), "The same of all recordings"),
    _key("escape,q,enter", "close", "Close"),
]
NUMBERS = [
    _key("slash", "choose_agent", "Only agents whose names have this in them"),
    _key("t", "choose_age(1)", "Only what is not older: a day, a week, a month, all"),
    _key("T", "choose_age(-1)", "The same, backward"),
    _key("escape,S,q", "close", "Back; in the name: all agents"),
]
COLUMNS = [_key("escape,C,q", "close", "Leave the columns as they are")]
CLIENT_PROFILE = [
    *(
        _key(str(number), f"choose({number})", "As a known client has them")
        for number in range(1, 5)
    ),
    _key("r", "restart", "Restart the agent with what is chosen", priority=True),
    _key("escape", "close", "Leave it as it is"),
]
COMPOSER = [
    _key("ctrl+s", "send", "Look at the line, and send it", priority=True),
    _key("f2", "next_kind", "Request, notification, raw bytes", priority=True),
    _key("f6", "toggle_json", "Params as a form, or as JSON", priority=True),
    _key("ctrl+o", "editor", "Write it in the editor", priority=True),
    _key("up", "recall(-1)", "In the method: what was composed before"),
    _key("down", "recall(1)", "In the method: what was composed after"),
    _key("tab", "go_on", "Complete the method; next field"),
    _key("shift+tab", "app.focus_previous", "Previous field", priority=True),
    _key("escape", "close", "Close; Up brings it back"),
]
REPLAY = [
    _key("space", _do("replay.pause"), "Pause, or go on", priority=True),
    _key("plus", _do("replay.faster"), "Faster", priority=True),
    _key("minus", _do("replay.slower"), "Slower", priority=True),
    _key("full_stop", _do("replay.step", 1), "One step on", priority=True),
    _key("comma", _do("replay.step", -1), "One step back", priority=True),
    _key("g", _do("replay.ask_goal"), "Go to a time, a frame (#12) or a share", priority=True),
    _key("end", _do("replay.seek_end"), "To the end", priority=True),
]
PAGE = [_key("escape,q,enter", "close", "Close")]
RECORDED = [
    _key("enter", "tell", "Begin a new session that can be told this"),
    _key("escape,q", "close", "Close"),
]
HELP = [
    _key("alt+x", "do", "Choose something to do", priority=True),
    _key("up", "scroll(0, -1)", "Line up", priority=True),
    _key("down", "scroll(0, 1)", "Line down", priority=True),
    _key("pageup", "scroll(-1)", "Page up", priority=True),
    _key("pagedown", "scroll(1)", "Page down", priority=True),
    _key("escape,f1,enter", "close", "Close", priority=True),
]
PLACES = {
    "everywhere": EVERYWHERE,
    "sessions": SESSION_KEYS,
    "conversation": CONVERSATION,
    "prompt": PROMPT,
    "queue": QUEUE,
    "transcript": TRANSCRIPT,
    "search": SEARCH,
    "lists": PICKER,
    "settings": SETTINGS,
    "recall": RECALL,
    "find": FIND,
    "launcher": LAUNCHER,
    "matrix": MATRIX,
    "session-list": SESSIONS,
    "changed-files": FILES,
    "comments": COMMENTS,
    "turns": TURNS,
    "rules": RULES,
    "notices": NOTICES,
    "differences": DIFFERENCES,
    "comparison": COMPARISON,
    "frames": FRAMES,
    "frame": DETAIL,
    "inspector": INSPECTOR,
    "pane": PANE,
    "held": HOLDING,
    "waterfall": WATERFALL,
    "numbers": STATISTICS,
    "all-numbers": NUMBERS,
    "composer": COMPOSER,
    "replay": REPLAY,
    "help": HELP,
    "page": PAGE,
    "recorded": RECORDED,
    "columns": COLUMNS,
}
"""The places whose keys a person can move. Those of questions are not among them: what answers an agent stays
where it is.
"""
PLAIN = (
    *("lists", "help", "page", "notices", "differences", "comparison", "columns", "numbers"),
    *("waterfall", "all-numbers", "recorded"),
)
"""Those whose keys only move, choose and close."""
MOVED: dict[str, dict[str, str]] = {}
"""For each place, the key that is pressed in place of another: filled by `keymap.move`."""
NO_KEY = "none"
"""In place of a key that does nothing anymore."""


class Section(NamedTuple):
    """The keys of one place."""

    title: str
    bindings: list[Binding]
    table: list[Binding] | None = None
    """The table of the place, where only a part of it stands here."""


_OF_SHELLS = (
    "delete_word",
    "kill(",
    "yank",
    "cursor_word",
    "cursor_line_",
    "cursor_left",
    "cursor_right",
)
"""How the actions begin of keys that are those of any shell: the help has them further below."""


def sections(topic: str = "") -> list[Section]:
    """All keys, place by place, as the help shows them; first those of what one is at, and of its parts."""
    found = [
        Section("Everywhere", EVERYWHERE),
        Section("Sessions", SESSION_KEYS),
        Section("Conversation", CONVERSATION),
        Section("Prompt", [one for one in PROMPT if not one.action.startswith(_OF_SHELLS)], PROMPT),
        Section("Queue", QUEUE),
        Section("Transcript", TRANSCRIPT),
        Section("Search", SEARCH),
        Section("Question of the agent, while nothing is written", QUESTION),
        Section(
            "Prompt: writing, as in any shell",
            [one for one in PROMPT if one.action.startswith(_OF_SHELLS)],
        ),
        Section("Form of the agent", [*ELICITATION, *OPTIONS]),
        Section("Dialogs with a choice", CHOICES),
        Section("Sign-in", SIGN_IN),
        Section("MCP servers of a project", TRUST),
        Section("List of sessions", SESSIONS),
        Section("Settings", SETTINGS[len(PICKER) :]),
        Section("Sent prompts", RECALL[len(PICKER) :]),
        Section("Permission rules", RULES),
        Section("Changed files", FILES),
        Section("Comments on changed files", COMMENTS),
        Section("Undo a write", UNDO[:-1]),
        Section("Rewind", [*TURNS, *GO_BACK[:-1]]),
        Section("Conversation from a recording", RECORDED),
        Section("Differences", DIFFERENCES),
        Section("Frame comparison", COMPARISON),
        Section("Export", EXPORT),
        Section("Agent in trouble", TROUBLE),
        Section("Inspector", INSPECTOR),
        Section("Inspector: messages", FRAMES),
        Section("Inspector: one frame", DETAIL),
        Section("Inspector: filter", ASK),
        Section("Where the time went", WATERFALL),
        Section("Numbers", STATISTICS),
        Section("Statistics of all recordings", NUMBERS),
        Section("Composer", COMPOSER),
        Section("Inspector: what is held", HOLDING),
        Section("Inspector: edit what is held", HELD_EDIT),
        Section("Be another client", CLIENT_PROFILE),
        Section("Frames beside the conversation", PANE),
        Section("Replay (acp-tui replay)", REPLAY),
        Section("Launcher (acp-tui alone)", LAUNCHER),
        Section("Search in all recordings (acp-tui find)", FIND),
        Section("Agents side by side (acp-tui matrix)", MATRIX),
    ]
    return sorted(found, key=lambda one: not _is_of(one.title, topic))


def _is_of(title: str, topic: str) -> bool:
    """Whether a place is the one that is meant, or a part of it: no other one whose name begins alike."""
    rest = title.removeprefix(topic).lstrip()
    return bool(topic) and title.startswith(topic) and rest[:1] in ("", ",", ":", "(")


_PROGRAMS = (LAUNCHER, FIND, MATRIX, REPLAY)
"""The keys that only programs of their own have: each is one screen, but for a replay."""


def sections_here(topic: str, *, is_alone: bool) -> list[Section]:
    """Return the keys that work in the program that shows them: those of its one screen alone, or those
    of the main one, both beginning with the topic.
    """
    if is_alone:
        return [one for one in sections() if _is_of(one.title, topic)]
    return [
        one
        for one in sections(topic)
        if _is_of(one.title, topic) or not any(one.bindings is own for own in _PROGRAMS)
    ]


def section_of(widget: "Widget | None") -> str:
    """Return the title of the keys of a widget, or of what it is in; nothing if none has any."""
    tables = [one.BINDINGS for one in widget.ancestors_with_self] if widget is not None else []
    titles = (
        one.title for table in tables for one in sections() if (one.table or one.bindings) is table
    )
    return next(titles, "")


def has_deeds(screen: "Widget") -> bool:
    """Return whether the palette has more to offer over a screen than to move and to choose."""
    return any(table is screen.BINDINGS for name, table in PLACES.items() if name not in PLAIN)


def rows(bindings: Iterable[Binding]) -> list[tuple[str, str]]:
    """Keys and words for people; keys that do the same stand in one row."""
    keys: dict[str, list[str]] = {}
    for binding in bindings:
        if binding.description:
            pressed = (key for key in binding.key.split(",") if key != NO_KEY)
            keys.setdefault(binding.description, []).extend(pressed)
    return [(_shown(names), words) for words, names in keys.items() if names]


def _shown(names: list[str]) -> str:
    if len(names) > 6:
        return f"{shown(names[0])} to {shown(names[-1])}"
    return ", ".join(map(shown, dict.fromkeys(names)))


SIGNS = {
    "slash": "/",
    "comma": ",",
    "plus": "+",
    "minus": "-",
    "full_stop": ".",
    "apostrophe": "'",
    "equals_sign": "=",
    "underscore": "_",
    "question_mark": "?",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "less_than_sign": "<",
    "greater_than_sign": ">",
}
"""Keys that have names in the tables, and what is printed on them."""
_NAMES = SIGNS | {
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "escape": "Esc",
    "ctrl": "Ctrl",
    "shift": "Shift",
    "alt": "Alt",
}


def places_of(widget: "Widget | None") -> list[str]:
    """Return the places whose keys a widget hears, its own first: as far as any key was moved."""
    if not MOVED or widget is None:
        return []
    heard = [one.BINDINGS for one in widget.ancestors_with_self]
    return [place for table in heard for place, one in PLACES.items() if one is table]


def pressed(key: str, *places: str) -> str:
    """Return what is pressed where the tables have a key: there, or else in the main window."""
    if MOVED:
        for place in (*places, "conversation", "sessions", "everywhere"):
            if key in MOVED.get(place, ()):
                return MOVED[place][key]
    return key


def shown(key: str) -> str:
    """A key as it is printed on a keyboard: `Ctrl+Q`."""
    *modifiers, name = key.split("+")
    single = name.upper() if modifiers and len(name) == 1 else name
    words = [_NAMES.get(part, part.capitalize()) for part in modifiers]
    last = _NAMES.get(single, single if len(single) == 1 else single.capitalize())
    return "+".join([*words, last])


def key_name(key: str, *places: str) -> str:
    """Return what is pressed where the tables have a key, as it is printed on a keyboard."""
    return shown(pressed(key, *places))


CLICKED = "key"
"""What a hint is marked with: the key that a click on it presses."""


def hints(keys: Iterable[tuple[str, str]], *places: str) -> "Content":
    """Format the keys of some places and what they do, in one row: `Enter open   j/k move`. A click on
    one presses it.
    """
    from textual.content import Content
    from textual.style import Style

    def hint(keys: list[str], words: str) -> Content:
        names = [shown(key) for key in keys]
        between = "/" if all(name.isalnum() for name in names) else " "
        said = Content.assemble(
            (between.join(names), "bold $primary"), (f" {words}", "$text-muted")
        )
        said, at = said.stylize(Style.from_meta({CLICKED: keys[-1]})), 0
        for key, name in zip(keys, names, strict=True):
            said = said.stylize(Style.from_meta({CLICKED: key}), at, at + len(name))
            at += len(name + between)
        return said

    there = (
        ([one for part in key.split(",") if (one := pressed(part, *places)) != NO_KEY], words)
        for key, words in keys
    )
    return Content("   ").join(hint(keys, words) for keys, words in there if keys)


def hint_rows(keys: Iterable[tuple[str, str]], width: int, *places: str) -> "Content":
    """Format the keys of some places and what they do, in as many rows as they need."""
    from textual.content import Content

    rows: list[Content] = []
    for key in keys:
        hint = hints([key], *places)
        if not hint:
            continue
        wider = Content("   ").join([*rows[-1:], hint])
        if rows and wider.cell_length <= width:
            rows[-1] = wider
        else:
            rows.append(hint)
    return Content("\n").join(rows)
