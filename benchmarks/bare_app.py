"""A bare Textual app with the kinds of widgets that acp-tui starts with, and nothing behind it."""

from textual.app import App, ComposeResult
from textual.theme import Theme
from textual.widgets import Static, TextArea

NIGHT = Theme(
    name="bare-night",
    dark=True,
    background="#14161b",
    surface="#1b1e25",
    panel="#232730",
    foreground="#d8dbe2",
    primary="#7aa2f7",
    secondary="#9d8cf0",
    accent="#e0a458",
    success="#8fbf6b",
    warning="#e0b450",
    error="#e8697a",
)


class BareApp(App[None]):
    """A welcome, four panels that are hidden, a prompt, a status line and a line of hints."""

    CSS = """
    ScrollView, VerticalScroll { scrollbar-size-vertical: 1; scrollbar-size-horizontal: 1; }
    Screen { background: $background; }
    #welcome { height: 1fr; padding: 2 4; }
    #plan { height: auto; max-height: 40%; padding: 0 1; background: $panel; }
    #trouble { height: auto; padding: 0 1; background: $surface; border-left: outer $error; }
    #waiting { height: 1; padding: 0 1; text-wrap: nowrap; }
    #commands { height: auto; max-height: 6; background: $panel; text-wrap: nowrap; }
    TextArea {
        height: auto;
        min-height: 1;
        max-height: 10;
        padding: 1 1;
        background: $surface;
        border: none;
        border-left: outer $panel;
        &:focus { border: none; border-left: outer $primary; }
        & .text-area--placeholder { color: $text-muted; }
    }
    #status { height: 1; padding: 0 1; background: $panel; text-wrap: nowrap; }
    #hints { height: 1; padding: 0 1; text-wrap: nowrap; }
    .hidden { display: none; }
    """
    ENABLE_COMMAND_PALETTE = False

    def __init__(self) -> None:
        super().__init__()
        self.register_theme(NIGHT)
        self.theme = NIGHT.name

    def compose(self) -> ComposeResult:
        yield Static("Type a request and press Enter.", id="welcome", markup=False)
        for panel in ("plan", "trouble", "waiting", "commands"):
            yield Static(id=panel, classes="hidden", markup=False)
        yield TextArea(compact=True, placeholder="Ask the agent", highlight_cursor_line=False)
        yield Static("starting", id="status", markup=False)
        yield Static("Enter send   F1 keys   Ctrl+Q leave", id="hints", markup=False)

    def on_mount(self) -> None:
        self.query_one(TextArea).focus()
        self.call_after_refresh(lambda: self.query_one("#status", Static).update("ready"))


if __name__ == "__main__":
    BareApp().run()
