"""Keys of the transcript."""

from acp_tui.ui.keys import bind_key, feature_action

TRANSCRIPT = [
    bind_key("up,k", "cursor(-1)", "Entry above"),
    bind_key("down,j", "cursor(1)", "Entry below"),
    bind_key("ctrl+up,K", "lines(-1)", "Line up"),
    bind_key("ctrl+down,J", "lines(1)", "Line down"),
    bind_key("pageup,b", "pages(-1)", "Page up"),
    bind_key("pagedown,space", "pages(1)", "Page down"),
    bind_key("home,g", "home", "Beginning"),
    bind_key("end,G", "end", "End"),
    bind_key("left_square_bracket", "jump('turn', -1)", "Turn above"),
    bind_key("right_square_bracket", "jump('turn', 1)", "Turn below"),
    bind_key("T", "jump('tool_call', -1)", "Tool call above"),
    bind_key("t", "jump('tool_call', 1)", "Tool call below"),
    bind_key("P", "jump('permission', -1)", "Answered question above"),
    bind_key("p", "jump('permission', 1)", "Answered question below"),
    bind_key("E", "jump('error', -1)", "Error above"),
    bind_key("e", "jump('error', 1)", "Error below"),
    bind_key("D", "change(-1)", "Change above, in the diffs"),
    bind_key("d", "change(1)", "Change below"),
    bind_key("f", "hint_links", "Open a link by letter"),
    bind_key("enter", "toggle_entry", "Open or fold"),
    bind_key("z", "toggle_kind", "Open or fold all of its kind: thoughts, plans, reads, …"),
    bind_key("v", "select", "Begin or end a selection of lines"),
    bind_key("shift+up", "extend(-1)", "Select a line up"),
    bind_key("shift+down", "extend(1)", "Select a line down"),
    bind_key("escape", "end_selection", "End the selection or the search"),
    bind_key("y", "copy", "Copy the selection, else the entry"),
    bind_key("Y", "copy_markdown", "Copy it as Markdown"),
    bind_key("c", "copy_code", "Copy the code block"),
    bind_key("s", "split_diffs", "Toggle diffs side by side"),
    bind_key("o", "open", "Open the location, the images or the subagent"),
    bind_key(
        "x", feature_action("turns.stop_entry"), "Stop only this tool call, terminal or subagent"
    ),
    bind_key("i", feature_action("inspector.toggle"), "Show its protocol messages"),
    bind_key(
        "equals_sign", feature_action("reruns.compare"), "Compare with the last turn of this prompt"
    ),
    bind_key("n", "search_next", "Next match"),
    bind_key("N", "search_previous", "Previous match"),
]
