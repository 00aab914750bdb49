"""Keys of the inspector."""

from acp_tui.ui.keys import do, key

FRAMES = [
    key("up,k", "move(-1)", "Row above"),
    key("down,j", "move(1)", "Row below"),
    key("pageup", "pages(-1)", "Page up"),
    key("pagedown", "pages(1)", "Page down"),
    key("home", "first", "First row"),
    key("end,G", "last", "Last row; follow what comes"),
    key("space", "pause", "Stay here, or follow again"),
    key("enter", "open", "Unfold a message's chunks or fold them, else read the frame"),
    key("p", "partner", "From a request to its answer, or back"),
    key("n", "finding(1)", "Next finding"),
    key("N", "finding(-1)", "Previous finding"),
    key("m", "mark", "Set a bookmark, or take it away"),
    key("apostrophe", "next_mark", "Next bookmark"),
]
DETAIL = [
    key("up,k", "move(-1)", "Line above"),
    key("down,j", "move(1)", "Line below"),
    key("pageup", "pages(-1)", "Page up"),
    key("pagedown", "pages(1)", "Page down"),
    key("home", "first", "First line"),
    key("end,G", "last", "Last line"),
    key("enter,space", "toggle_fold", "Fold an object or a list, or unfold it"),
    key("left,h", "fold_line", "Fold it, or what the line is in"),
    key("right,l", "unfold_line", "Unfold it"),
    key("n", "next_match(1)", "Next match in the frame, else next finding"),
    key("N", "next_match(-1)", "Previous match in the frame, else finding"),
]
INSPECTOR = [
    key("slash", "filter", "Filter the messages; in the detail search the message"),
    key("g", "seek", "Go to a time, a frame (#12) or a share"),
    key("i", "entry", "To the entry that this frame made"),
    key("o", "only", "Only the messages of that entry, or all"),
    key("comma", "back", "The session one step before this"),
    key("full_stop", "forth", "The session one step after this"),
    key("s", "split", "Show the transcript beside, or not"),
    key("v", "raw", "The frame's bytes, or its JSON"),
    key("y", "copy", "Copy the frame as one line"),
    key("Y", "copy_as", "Copy as printf … | where it went out, else as JSON"),
    key("e", "save", "Save what the filter shows, secrets masked"),
    key("w", "waterfall", "Where the time of this turn went"),
    key("S", "statistics", "Statistics: latencies and counts; again: of all recordings"),
    key(
        "equals_sign",
        do("comparisons.compare_marked"),
        "Compare two bookmarked messages, or turns",
    ),
    key("c", do("composer.open"), "Compose a message to the agent by hand"),
    key("r", do("composer.resend"), "Edit the frame and send it again; answer a request"),
    key("b", "breakpoint", "Hold the messages of this kind: a breakpoint"),
    key("H", do("holding.open"), "What is held, breakpoints, faults"),
    key("A", do("client_profile.open"), "Be another client: what the agent is offered"),
    key("C", "columns", "Choose the columns"),
    key("B", "report", "Bug report as a zip, secrets masked"),
    key("n", "finding(1)", ""),
    key("N", "finding(-1)", ""),
    key("p", "partner", ""),
    key("tab", "app.focus_next", "Between messages and detail"),
    key("escape", "close", "One step back: to the list, to now, out of the filter, out"),
]
PANE = [
    key("n", "finding(1)", ""),
    key("N", "finding(-1)", ""),
    key("p", "partner", ""),
    key("y", "copy", "Copy the frame as one line"),
    key("Y", "copy_as", "Copy as printf … | where it went out, else as JSON"),
    key("i", "entry", "To the entry that this frame made"),
    key("o", "only", "Only the messages of that entry, or all"),
    key("v", "raw", "The frame's bytes, or its JSON"),
]
ASK = [
    key("tab", "complete", "Take the next completion"),
    key("escape", "close", "Close, without a filter"),
]
WATERFALL = [
    key("up,k", "move(-1)", "Row above"),
    key("down,j", "move(1)", "Row below"),
    key("pageup", "page(-1)", "Page up"),
    key("pagedown", "page(1)", "Page down"),
    key("enter", "open", "To the frame that began it"),
    key("escape,q,w", "close", "Close"),
]
STATISTICS = [
    key("S", do("numbers.open"), "The same of all recordings"),
    key("escape,q,enter", "close", "Close"),
]
NUMBERS = [
    key("slash", "choose_agent", "Only agents whose names have this in them"),
    key("t", "choose_age(1)", "Only what is not older: a day, a week, a month, all"),
    key("T", "choose_age(-1)", "The same, backward"),
    key("escape,S,q", "close", "Back; in the name: all agents"),
]
COLUMNS = [key("escape,C,q", "close", "Leave the columns as they are")]
COMPARISON = [
    key("n", "step(1)", "Next difference"),
    key("N,p", "step(-1)", "Difference before"),
    key("enter", "whole", "All lines, or only those that differ"),
    key("up,k", "scroll(-1)", "Line up"),
    key("down,j", "scroll(1)", "Line down"),
    key("pageup", "pages(-1)", "Page up"),
    key("pagedown,space", "pages(1)", "Page down"),
    key("escape,q,equals_sign", "close", "Close"),
]
COMPOSER = [
    key("ctrl+s", "send", "Look at the line, and send it", priority=True),
    key("f2", "next_kind", "Request, notification, raw bytes", priority=True),
    key("f6", "toggle_json", "Params as a form, or as JSON", priority=True),
    key("ctrl+o", "editor", "Write it in the editor", priority=True),
    key("up", "recall(-1)", "In the method: what was composed before"),
    key("down", "recall(1)", "In the method: what was composed after"),
    key("tab", "go_on", "Complete the method; next field"),
    key("shift+tab", "app.focus_previous", "Previous field", priority=True),
    key("escape", "close", "Close; Up brings it back"),
]
HOLDING = [
    key("up,k", "move(-1)", "Row above"),
    key("down,j", "move(1)", "Row below"),
    key("enter,space", "choose", "Pass on what is held; a breakpoint, a fault: on or off"),
    key("e", "act('edit')", "Edit what is held, and pass it on"),
    key("E", "act('edit_outside')", "The same in the editor"),
    key("a", "act('answer')", "Answer a held request yourself"),
    key("t", "act('twice')", "Pass it on twice"),
    key("w", "act('delay')", "Pass it on later"),
    key("d,delete", "remove", "Drop what is held; remove a breakpoint, a fault"),
    key("r", "release_all", "Pass on all that is held"),
    key("b", "add('breakpoint')", "A new breakpoint"),
    key("f", "add('fault')", "A new fault"),
    key("escape,q,H", "close", "Back; what is held stays held"),
]
HELD_EDIT = [
    key("ctrl+s", "send", "Pass on the JSON, on one line", priority=True),
    key("alt+g", "send_as_is", "Pass on what stands there, whatever it is", priority=True),
    key("escape", "close", "Leave the frame held", priority=True),
]
