"""Key tables of the inspector."""

from acp_tui.ui.keys import bind_key, feature_action

FRAMES = [
    bind_key("up,k", "move(-1)", "Row above"),
    bind_key("down,j", "move(1)", "Row below"),
    bind_key("pageup", "pages(-1)", "Page up"),
    bind_key("pagedown", "pages(1)", "Page down"),
    bind_key("home", "first", "First row"),
    bind_key("end,G", "last", "Last row; follow what comes"),
    bind_key("space", "pause", "Stop or resume following"),
    bind_key("enter", "open", "Open or fold a message's chunks, else read the message"),
    bind_key("p", "partner", "Go to the response, or back to the request"),
    bind_key("n", "finding(1)", "Next finding"),
    bind_key("N", "finding(-1)", "Previous finding"),
    bind_key("m", "mark", "Set or remove a bookmark"),
    bind_key("apostrophe", "next_mark", "Next bookmark"),
]
DETAIL = [
    bind_key("up,k", "move(-1)", "Line above"),
    bind_key("down,j", "move(1)", "Line below"),
    bind_key("pageup", "pages(-1)", "Page up"),
    bind_key("pagedown", "pages(1)", "Page down"),
    bind_key("home", "first", "First line"),
    bind_key("end,G", "last", "Last line"),
    bind_key("enter,space", "toggle_fold", "Open or fold an object or a list"),
    bind_key("left,h", "fold_line", "Fold it, or its parent"),
    bind_key("right,l", "unfold_line", "Open it"),
    bind_key("n", "next_match(1)", "Next match in the frame, else next finding"),
    bind_key("N", "next_match(-1)", "Previous match in the frame, else finding"),
]
INSPECTOR = [
    bind_key("slash", "filter", "Filter the messages; in the detail search the message"),
    bind_key("g", "seek", "Go to a time, a frame (#12) or a percentage"),
    bind_key("i", "entry", "Go to its entry in the transcript"),
    bind_key("o", "only", "Only messages of this entry, or all"),
    bind_key("comma", "back", "Session as it was one step before"),
    bind_key("full_stop", "forth", "Session as it was one step later"),
    bind_key("s", "split", "Show or hide the transcript"),
    bind_key("v", "raw", "Show bytes or JSON"),
    bind_key("y", "copy", "Copy the frame as one line"),
    bind_key("Y", "copy_as", "Copy as printf … | if sent to the agent, else as JSON"),
    bind_key("e", "save", "Save the filtered messages, secrets masked"),
    bind_key("w", "waterfall", "Waterfall: where the turn's time went"),
    bind_key("S", "statistics", "Statistics; again: of all recordings"),
    bind_key(
        "equals_sign",
        feature_action("comparisons.compare_marked"),
        "Compare two bookmarked messages, or turns",
    ),
    bind_key("c", feature_action("composer.open"), "Compose a message to the agent by hand"),
    bind_key(
        "r", feature_action("composer.resend"), "Edit and resend the message; answer a request"
    ),
    bind_key("b", "breakpoint", "Break on messages of this kind"),
    bind_key("H", feature_action("holding.open"), "Held messages, breakpoints, faults"),
    bind_key("A", feature_action("client_profile.open"), "Be another client"),
    bind_key("C", "columns", "Choose the columns"),
    bind_key("B", "report", "Bug report as a zip, secrets masked"),
    bind_key("n", "finding(1)", ""),
    bind_key("N", "finding(-1)", ""),
    bind_key("p", "partner", ""),
    bind_key("tab", "app.focus_next", "Switch between messages and detail"),
    bind_key("escape", "close", "Back: to the list, to now, out of the filter, out"),
]
PANE = [
    bind_key("n", "finding(1)", ""),
    bind_key("N", "finding(-1)", ""),
    bind_key("p", "partner", ""),
    bind_key("y", "copy", "Copy the frame as one line"),
    bind_key("Y", "copy_as", "Copy as printf … | if sent to the agent, else as JSON"),
    bind_key("i", "entry", "Go to its entry in the transcript"),
    bind_key("o", "only", "Only messages of this entry, or all"),
    bind_key("v", "raw", "Show bytes or JSON"),
]
ASK = [
    bind_key("tab", "complete", "Next completion"),
    bind_key("escape", "close", "Close and clear the filter"),
]
WATERFALL = [
    bind_key("up,k", "move(-1)", "Row above"),
    bind_key("down,j", "move(1)", "Row below"),
    bind_key("pageup", "page(-1)", "Page up"),
    bind_key("pagedown", "page(1)", "Page down"),
    bind_key("enter", "open", "Go to the message that began it"),
    bind_key("escape,q,w", "close", "Close"),
]
STATISTICS = [
    bind_key("S", feature_action("numbers.open"), "Statistics of all recordings"),
    bind_key("escape,q,enter", "close", "Close"),
]
NUMBERS = [
    bind_key("slash", "choose_agent", "Filter agents by name"),
    bind_key("t", "choose_age(1)", "Period: a day, a week, a month, all"),
    bind_key("T", "choose_age(-1)", "Period, backward"),
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
    bind_key("ctrl+s", "send", "Preview the message, then send it", priority=True),
    bind_key("f2", "next_kind", "Request, notification, raw bytes", priority=True),
    bind_key("f6", "toggle_json", "Params as a form, or as JSON", priority=True),
    bind_key("ctrl+o", "editor", "Edit in $EDITOR", priority=True),
    bind_key("up", "recall(-1)", "In the method: previous composed message"),
    bind_key("down", "recall(1)", "In the method: next composed message"),
    bind_key("tab", "go_on", "Complete the method; next field"),
    bind_key("shift+tab", "app.focus_previous", "Previous field", priority=True),
    bind_key("escape", "close", "Close; Up brings it back"),
]
HOLDING = [
    bind_key("up,k", "move(-1)", "Row above"),
    bind_key("down,j", "move(1)", "Row below"),
    bind_key("enter,space", "choose", "Pass the message on; breakpoint, fault: on or off"),
    bind_key("e", "act('edit')", "Edit the message, and pass it on"),
    bind_key("E", "act('edit_outside')", "Edit it in $EDITOR, and pass it on"),
    bind_key("a", "act('answer')", "Answer a held request yourself"),
    bind_key("t", "act('twice')", "Pass it on twice"),
    bind_key("w", "act('delay')", "Pass it on later"),
    bind_key("d,delete", "remove", "Drop the message; remove a breakpoint, a fault"),
    bind_key("r", "release_all", "Pass on all held messages"),
    bind_key("b", "add('breakpoint')", "New breakpoint"),
    bind_key("f", "add('fault')", "New fault"),
    bind_key("escape,q,H", "close", "Back (messages stay held)"),
]
HELD_EDIT = [
    bind_key("ctrl+s", "send", "Pass on the JSON, on one line", priority=True),
    bind_key("alt+g", "send_as_is", "Pass on the text as it is", priority=True),
    bind_key("escape", "close", "Leave the frame held", priority=True),
]
