"""Keys of the export."""

from acp_tui.ui.keys import bind_key

EXPORT = [
    bind_key("m", "choose('md')", "Markdown: the whole conversation"),
    bind_key("h", "choose('html')", "HTML: a page that looks like the screen"),
    bind_key("s", "choose('svg')", "SVG: a picture of the screen as it is"),
    bind_key("escape,q", "close", "Close"),
]
