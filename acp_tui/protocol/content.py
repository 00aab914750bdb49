"""Content blocks: the parts of messages, prompts and tool results (ACP: Content)."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from acp_tui.protocol.model import BY_TYPE, Model, Salvaged


class TextContent(Model):
    type: Literal["text"] = "text"
    text: str
    annotations: Salvaged[dict[str, Any]] = None


class ImageContent(Model):
    type: Literal["image"] = "image"
    data: str
    mime_type: str
    uri: Salvaged[str] = None
    annotations: Salvaged[dict[str, Any]] = None


class AudioContent(Model):
    type: Literal["audio"] = "audio"
    data: str
    mime_type: str
    annotations: Salvaged[dict[str, Any]] = None


class ResourceLink(Model):
    type: Literal["resource_link"] = "resource_link"
    name: str
    uri: str
    title: Salvaged[str] = None
    description: Salvaged[str] = None
    mime_type: Salvaged[str] = None
    size: Salvaged[int] = None
    annotations: Salvaged[dict[str, Any]] = None


class ResourceContents(Model):
    """The contents of an embedded resource: `text`, or a base64 `blob`."""

    uri: str
    mime_type: Salvaged[str] = None
    text: str | None = None
    blob: str | None = None


class EmbeddedResource(Model):
    type: Literal["resource"] = "resource"
    resource: ResourceContents
    annotations: Salvaged[dict[str, Any]] = None


class UnknownContent(Model):
    """A content block of a type that this client doesn't know; its fields are kept."""

    type: str = ""


class SkillReference(UnknownContent):
    """Invokes a skill (unstable, version 2): the first block of a prompt, instead of `/name`."""

    type: Literal["skill"] = "skill"
    name: str


_CONTENT_TYPES = ("text", "image", "audio", "resource_link", "resource")

ContentBlock = Annotated[
    TextContent
    | ImageContent
    | AudioContent
    | ResourceLink
    | EmbeddedResource
    | SkillReference
    | UnknownContent,
    BY_TYPE,
]


class ContentItem(Model):
    """Content that a tool call produced."""

    type: Literal["content"] = "content"
    content: ContentBlock


class Diff(Model):
    """A file change as two texts; a new file has no old text. `path` is absolute."""

    type: Literal["diff"] = "diff"
    path: str
    old_text: Salvaged[str] = None
    new_text: str


class FileChange(Model):
    """A file change that isn't a diff: the file moves, is binary, or has no text here.

    `operation` and `details` are the agent's words; `patch` is a text that could not be parsed as a
    diff.
    """

    type: Literal["file_change"] = "file_change"
    operation: str
    path: str = ""
    old_path: str | None = None
    details: list[str] = []
    patch: str | None = None

    @property
    def paths(self) -> list[str]:
        """Return the files that the change names."""
        return [path for path in (self.old_path, self.path) if path]


class TerminalRef(Model):
    """A terminal embedded in a tool call, by its id."""

    type: Literal["terminal"] = "terminal"
    terminal_id: str


class SessionRef(Model):
    """A link to a subagent's session, by its id."""

    type: Literal["session"] = "session"
    session_id: str


def _wrapped(value: Any) -> Any:
    """Wrap a bare content block, as the documentation shows it, in the schema's `content` item."""
    if isinstance(value, dict) and value.get("type") in _CONTENT_TYPES:
        return {"type": "content", "content": value}
    return value


ToolCallContent = Annotated[
    ContentItem | Diff | TerminalRef | SessionRef | UnknownContent,
    BY_TYPE,
    BeforeValidator(_wrapped),
]


ShownContent = ContentItem | Diff | FileChange | TerminalRef | SessionRef | UnknownContent
"""The content of a tool call, in the form shared by both versions."""


def text_of_content(blocks: Iterable[ContentBlock]) -> str:
    """Join the texts in some content blocks."""
    return "".join(block.text for block in blocks if isinstance(block, TextContent))


def decoded_size(base64: str) -> int:
    """Return the number of bytes that a base64 text encodes."""
    return len(base64) * 3 // 4 - base64[-2:].count("=")
