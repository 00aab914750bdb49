"""The keys of the transcript."""

from textual.binding import Binding, BindingType

BINDINGS: list[BindingType] = [
    Binding(keys, action, description, show=False)
    for keys, action, description in (
        ("up,k", "cursor(-1)", "Entry above"),
        ("down,j", "cursor(1)", "Entry below"),
        ("ctrl+up,K", "lines(-1)", "Line up"),
        ("ctrl+down,J", "lines(1)", "Line down"),
        ("pageup,b", "pages(-1)", "Page up"),
        ("pagedown,space", "pages(1)", "Page down"),
        ("home,g", "home", "Beginning"),
        ("end,G", "end", "End"),
        ("left_square_bracket", "jump('turn', -1)", "Turn above"),
        ("right_square_bracket", "jump('turn', 1)", "Turn below"),
        ("T", "jump('tool_call', -1)", "Tool call above"),
        ("t", "jump('tool_call', 1)", "Tool call below"),
        ("P", "jump('permission', -1)", "Answered question above"),
        ("p", "jump('permission', 1)", "Answered question below"),
        ("E", "jump('error', -1)", "Error above"),
        ("e", "jump('error', 1)", "Error below"),
        ("enter", "toggle_entry", "Open or fold"),
        ("v", "select", "Begin or end a selection of lines"),
        ("shift+up", "extend(-1)", "Select a line up"),
        ("shift+down", "extend(1)", "Select a line down"),
        ("escape", "end_selection", "End the selection or the search"),
        ("y", "copy", "Copy the selection, else the entry"),
        ("Y", "copy_markdown", "Copy it as Markdown"),
        ("c", "copy_code", "Copy the code block"),
        ("s", "split_diffs", "Diffs side by side, or not"),
        ("o", "open", "Open the location or the images"),
        ("i", "app.do('inspector.toggle')", "The frames that made this entry"),
        ("n", "search_next", "Next match"),
        ("N", "search_previous", "Previous match"),
    )
]
