"""Keys of the export."""

from acp_tui.ui.keys import key

EXPORT = [
    key("m", "choose('md')", "Markdown: all that was said and done"),
    key("h", "choose('html')", "HTML: a page that looks like the screen"),
    key("s", "choose('svg')", "SVG: a picture of the screen as it is"),
    key("escape,q", "close", "Close"),
]
