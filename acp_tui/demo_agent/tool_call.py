"""A tool call as the client sees it."""

from collections.abc import Callable
from typing import Any


def text_content(markdown: str) -> dict[str, Any]:
    """A text as content of a tool call."""
    return {"type": "content", "content": {"type": "text", "text": markdown}}


class DemoToolCall:
    """Announced when it is made; always ends with `complete`, `fail` or `end_failed`."""

    def __init__(
        self, send: Callable[..., None], id: str, title: str, kind: str, fields: dict[str, Any]
    ) -> None:
        self.id = id
        self.title = title
        self.kind = kind
        self.fields = fields
        self.ended = False
        self._send = send
        send("tool_call", toolCallId=id, title=title, kind=kind, status="pending", **fields)

    def update(self, **fields: Any) -> None:
        """Change some fields, named as on the wire."""
        self._send("tool_call_update", toolCallId=self.id, **fields)

    def start(self) -> None:
        """Say that the work has begun."""
        self.update(status="in_progress")

    def complete(self, **fields: Any) -> None:
        """End well."""
        self.ended = True
        self.update(status="completed", **fields)

    def fail(self, reason: str, **fields: Any) -> None:
        """End badly, with the reason as the only content."""
        self.end_failed(content=[text_content(reason)], **fields)

    def end_failed(self, **fields: Any) -> None:
        """End badly; the content stays as it is."""
        self.ended = True
        self.update(status="failed", **fields)
