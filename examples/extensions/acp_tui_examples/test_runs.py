"""A view: commands that run pytest show its last line first."""

from acp_tui.extensions import ViewContext
from acp_tui.protocol.content import ContentItem, TextContent
from acp_tui.state.entries import ToolCallEntry


class TestRunView:
    """Shows tool calls that run tests."""

    def matches(self, entry: ToolCallEntry) -> bool:
        return entry.kind == "execute" and "pytest" in entry.title

    def lines(self, entry: ToolCallEntry, context: ViewContext) -> list[str | tuple[str, str]]:
        texts = [
            item.content.text
            for item in entry.content
            if isinstance(item, ContentItem) and isinstance(item.content, TextContent)
        ]
        last = "".join(texts).strip().rpartition("\n")[2]
        style = "error" if "failed" in last else "success"
        return [(last or "no output yet", style), (f"in {context.cwd}", "muted")]


VIEW = TestRunView()
