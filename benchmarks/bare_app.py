"""A bare Textual app with the kinds of widgets that acp-tui starts with, and nothing behind it."""

from textual.app import App, ComposeResult
from textual.scroll_view import ScrollView
from textual.widgets import Static, TextArea


class BareApp(App[None]):
    """An empty transcript, a prompt, a status line and a line of hints."""

    CSS = "ScrollView { height: 1fr } TextArea { height: 3 } Static { height: 1 }"
    ENABLE_COMMAND_PALETTE = False

    def compose(self) -> ComposeResult:
        yield ScrollView()
        yield TextArea(placeholder="Ask")
        yield Static("starting", id="status", markup=False)
        yield Static("Enter send", markup=False)

    def on_mount(self) -> None:
        self.query_one(TextArea).focus()
        self.call_after_refresh(lambda: self.query_one("#status", Static).update("ready"))


if __name__ == "__main__":
    BareApp().run()
