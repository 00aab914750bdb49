"""Content blocks: what messages, prompts and tool results are made of (ACP: Content)."""

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
    """The contents of an embedded resource: `text` or, in base64, `blob`."""

    uri: str
    mime_type: Salvaged[str] = None
    text: str | None = None
    blob: str | None = None


class EmbeddedResource(Model):
    type: Literal["resource"] = "resource"
    resource: ResourceContents
    annotations: Salvaged[dict[str, Any]] = None


class UnknownContent(Model):
    """A content block of a type that this client does not know; its fields are kept."""

    type: str = ""


class SkillReference(UnknownContent):
    """Invokes a skill of the agent (unstable, version 2): the first block of a prompt, in place of `/name`."""

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
    """A file change; no old text means a new file. `path` is absolute."""

    type: Literal["diff"] = "diff"
    path: str
    old_text: Salvaged[str] = None
    new_text: str


class FileChange(Model):
    """A change of a file that isn't a diff: it moves, it is binary, or its text is missing.

    `operation` and `details` are the agent's words; `patch` is a text that could not be read as a diff.
    """

    type: Literal["file_change"] = "file_change"
    operation: str
    path: str = ""
    old_path: str | None = None
    details: list[str] = []
    patch: str | None = None

    @property
    def paths(self) -> list[str]:
        """Return the files that it names."""
        return [path for path in (self.old_path, self.path) if path]


class TerminalRef(Model):
    """A terminal, embedded by its id."""

    type: Literal["terminal"] = "terminal"
    terminal_id: str


class SessionRef(Model):
    """A link to the session of a subagent, by its id."""

    type: Literal["session"] = "session"
    session_id: str


def _wrapped(value: Any) -> Any:
    """Wrap a bare content block, as the documentation shows it, in the `content` item of the schema."""
    if isinstance(value, dict) and value.get("type") in _CONTENT_TYPES:
        return {"type": "content", "content": value}
    return value


ToolCallContent = Annotated[
    ContentItem | Diff | TerminalRef | SessionRef | UnknownContent,
    BY_TYPE,
    BeforeValidator(_wrapped),
]


ShownContent = ContentItem | Diff | FileChange | TerminalRef | SessionRef | UnknownContent
"""The content of a tool call, in the form that both versions share."""


def text_of_content(blocks: Iterable[ContentBlock]) -> str:
    """Join the text in some content."""
    return "".join(block.text for block in blocks if isinstance(block, TextContent))


def decoded_size(base64: str) -> int:
    """Return the number of bytes that a base64 text encodes."""
    return len(base64) * 3 // 4 - base64[-2:].count("=")
