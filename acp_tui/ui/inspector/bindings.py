"""Keys of the inspector."""

from acp_tui.ui.keys import bind_key, feature_action

FRAMES = [
    bind_key("up,k", "move(-1)", "Row above"),
    bind_key("down,j", "move(1)", "Row below"),
    bind_key("pageup", "pages(-1)", "Page up"),
    bind_key("pagedown", "pages(1)", "Page down"),
    bind_key("home", "first", "First row"),
    bind_key("end,G", "last", "Last row; follow what comes"),
    bind_key("space", "pause", "Stay here, or follow again"),
    bind_key("enter", "open", "Unfold a message's chunks or fold them, else read the frame"),
    bind_key("p", "partner", "From a request to its answer, or back"),
    bind_key("n", "finding(1)", "Next finding"),
    bind_key("N", "finding(-1)", "Previous finding"),
    bind_key("m", "mark", "Set a bookmark, or take it away"),
    bind_key("apostrophe", "next_mark", "Next bookmark"),
]
DETAIL = [
    bind_key("up,k", "move(-1)", "Line above"),
    bind_key("down,j", "move(1)", "Line below"),
    bind_key("pageup", "pages(-1)", "Page up"),
    bind_key("pagedown", "pages(1)", "Page down"),
    bind_key("home", "first", "First line"),
    bind_key("end,G", "last", "Last line"),
    bind_key("enter,space", "toggle_fold", "Fold an object or a list, or unfold it"),
    bind_key("left,h", "fold_line", "Fold it, or what the line is in"),
    bind_key("right,l", "unfold_line", "Unfold it"),
    bind_key("n", "next_match(1)", "Next match in the frame, else next finding"),
    bind_key("N", "next_match(-1)", "Previous match in the frame, else finding"),
]
INSPECTOR = [
    bind_key("slash", "filter", "Filter the messages; in the detail search the message"),
    bind_key("g", "seek", "Go to a time, a frame (#12) or a share"),
    bind_key("i", "entry", "To the entry that this frame made"),
    bind_key("o", "only", "Only the messages of that entry, or all"),
    bind_key("comma", "back", "The session one step before this"),
    bind_key("full_stop", "forth", "The session one step after this"),
    bind_key("s", "split", "Show the transcript beside, or not"),
    bind_key("v", "raw", "The frame's bytes, or its JSON"),
    bind_key("y", "copy", "Copy the frame as one line"),
    bind_key("Y", "copy_as", "Copy as printf … | where it went out, else as JSON"),
    bind_key("e", "save", "Save what the filter shows, secrets masked"),
    bind_key("w", "waterfall", "Where the time of this turn went"),
    bind_key("S", "statistics", "Statistics: latencies and counts; again: of all recordings"),
    bind_key(
        "equals_sign",
        feature_action("comparisons.compare_marked"),
        "Compare two bookmarked messages, or turns",
    ),
    bind_key("c", feature_action("composer.open"), "Compose a message to the agent by hand"),
    bind_key(
        "r", feature_action("composer.resend"), "Edit the frame and send it again; answer a request"
    ),
    bind_key("b", "breakpoint", "Hold the messages of this kind: a breakpoint"),
    bind_key("H", feature_action("holding.open"), "What is held, breakpoints, faults"),
    bind_key(
        "A", feature_action("client_profile.open"), "Be another client: what the agent is offered"
    ),
    bind_key("C", "columns", "Choose the columns"),
    bind_key("B", "report", "Bug report as a zip, secrets masked"),
    bind_key("n", "finding(1)", ""),
    bind_key("N", "finding(-1)", ""),
    bind_key("p", "partner", ""),
    bind_key("tab", "app.focus_next", "Between messages and detail"),
    bind_key("escape", "close", "One step back: to the list, to now, out of the filter, out"),
]
PANE = [
    bind_key("n", "finding(1)", ""),
    bind_key("N", "finding(-1)", ""),
    bind_key("p", "partner", ""),
    bind_key("y", "copy", "Copy the frame as one line"),
    bind_key("Y", "copy_as", "Copy as printf … | where it went out, else as JSON"),
    bind_key("i", "entry", "To the entry that this frame made"),
    bind_key("o", "only", "Only the messages of that entry, or all"),
    bind_key("v", "raw", "The frame's bytes, or its JSON"),
]
ASK = [
    bind_key("tab", "complete", "Take the next completion"),
    bind_key("escape", "close", "Close, without a filter"),
]
WATERFALL = [
    bind_key("up,k", "move(-1)", "Row above"),
    bind_key("down,j", "move(1)", "Row below"),
    bind_key("pageup", "page(-1)", "Page up"),
    bind_key("pagedown", "page(1)", "Page down"),
    bind_key("enter", "open", "To the frame that began it"),
    bind_key("escape,q,w", "close", "Close"),
]
STATISTICS = [
    bind_key("S", feature_action("numbers.open"), "The same of all recordings"),
    bind_key("escape,q,enter", "close", "Close"),
]
NUMBERS = [
    bind_key("slash", "choose_agent", "Only agents whose names have this in them"),
    bind_key("t", "choose_age(1)", "Only what is not older: a day, a week, a month, all"),
    bind_key("T", "choose_age(-1)", "The same, backward"),
    bind_key("escape,S,q", "close", "Back; in the name: all agents"),
]
COLUMNS = [bind_key("escape,C,q", "close", "Leave the columns as they are")]
COMPARISON = [
    bind_key("n", "step(1)", "Next difference"),
    bind_key("N,p", "step(-1)", "Difference before"),
    bind_key("enter", "whole", "All lines, or only those that differ"),
    bind_key("up,k", "scroll(-1)", "Line up"),
    bind_key("down,j", "scroll(1)", "Line down"),
    bind_key("pageup", "pages(-1)", "Page up"),
    bind_key("pagedown,space", "pages(1)", "Page down"),
    bind_key("escape,q,equals_sign", "close", "Close"),
]
COMPOSER = [
    bind_key("ctrl+s", "send", "Look at the line, and send it", priority=True),
    bind_key("f2", "next_kind", "Request, notification, raw bytes", priority=True),
    bind_key("f6", "toggle_json", "Params as a form, or as JSON", priority=True),
    bind_key("ctrl+o", "editor", "Write it in the editor", priority=True),
    bind_key("up", "recall(-1)", "In the method: what was composed before"),
    bind_key("down", "recall(1)", "In the method: what was composed after"),
    bind_key("tab", "go_on", "Complete the method; next field"),
    bind_key("shift+tab", "app.focus_previous", "Previous field", priority=True),
    bind_key("escape", "close", "Close; Up brings it back"),
]
HOLDING = [
    bind_key("up,k", "move(-1)", "Row above"),
    bind_key("down,j", "move(1)", "Row below"),
    bind_key("enter,space", "choose", "Pass on what is held; a breakpoint, a fault: on or off"),
    bind_key("e", "act('edit')", "Edit what is held, and pass it on"),
    bind_key("E", "act('edit_outside')", "The same in the editor"),
    bind_key("a", "act('answer')", "Answer a held request yourself"),
    bind_key("t", "act('twice')", "Pass it on twice"),
    bind_key("w", "act('delay')", "Pass it on later"),
    bind_key("d,delete", "remove", "Drop what is held; remove a breakpoint, a fault"),
    bind_key("r", "release_all", "Pass on all that is held"),
    bind_key("b", "add('breakpoint')", "A new breakpoint"),
    bind_key("f", "add('fault')", "A new fault"),
    bind_key("escape,q,H", "close", "Back; what is held stays held"),
]
HELD_EDIT = [
    bind_key("ctrl+s", "send", "Pass on the JSON, on one line", priority=True),
    bind_key("alt+g", "send_as_is", "Pass on what stands there, whatever it is", priority=True),
    bind_key("escape", "close", "Leave the frame held", priority=True),
]
