"""What an extension shows of a tool call."""

from acp_tui.extensions import ViewContext, extensions
from acp_tui.state.entries import ToolCallEntry
from acp_tui.ui.lines.stack import StackPart
from acp_tui.ui.lines.text_lines import TextLines

STYLES = ("text", "muted", "strong", "accent", "success", "warning", "error")
"""The styles that extensions may use."""


def extension_lines(entry: ToolCallEntry, cwd: str) -> list[StackPart]:
    """Return what an extension shows of it, if one does; all of ours follows where all is shown."""
    extension = extensions.view_of(entry)
    if extension is None:
        return []
    try:
        return [_part(one) for one in extension.value.lines(entry, ViewContext(cwd))]
    except Exception as error:  # whatever others wrote
        extensions.switch_off(extension, error)
        return []


def _part(line: str | tuple[str, str]) -> StackPart:
    """Return a line of an extension. Raises ValueError where it is none."""
    text, style = (line, "text") if isinstance(line, str) else line
    if not isinstance(text, str) or style not in STYLES:
        raise ValueError(f"no text with a style of {', '.join(STYLES)}: {line!r}")
    return StackPart(TextLines(text, style), indent=2)
