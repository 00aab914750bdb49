"""The content of messages: text that grows, and other content blocks."""

from dataclasses import dataclass, field
from typing import Any

from acp_tui.protocol.content import (
    AudioContent,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    SkillReference,
    TextContent,
    UnknownContent,
)

Other = ImageContent | AudioContent | ResourceLink | EmbeddedResource | UnknownContent
"""Content that is not text."""

PIECE = 1024
"""Length up to which chunks are joined: each separate string costs 50 bytes more."""


@dataclass(slots=True, eq=False)
class TextRun:
    """Growing text, stored in pieces, because joining it at each chunk would take quadratic time."""

    parts: list[str] = field(default_factory=list)
    length: int = field(init=False)

    def __post_init__(self) -> None:
        self.length = sum(map(len, self.parts))

    __hash__ = None  # type: ignore[assignment]  # it grows

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TextRun) and self.text == other.text

    def append(self, text: str) -> None:
        if self.parts and len(self.parts[-1]) + len(text) <= PIECE:
            self.parts[-1] += text
        else:
            self.parts.append(text)
        self.length += len(text)

    @property
    def text(self) -> str:
        """The whole text so far."""
        if len(self.parts) > 1:
            self.parts[:] = ["".join(self.parts)]
        return self.parts[0] if self.parts else ""

    def since(self, start: int, limit: int) -> str:
        """Return at most `limit` characters from `start` in time proportional to the text after it."""
        index, at = len(self.parts), self.length
        while at > start:
            index -= 1
            at -= len(self.parts[index])
        pieces: list[str] = []
        skip = start - at
        while limit > 0 and index < len(self.parts):
            pieces.append(self.parts[index][skip : skip + limit])
            limit -= len(pieces[-1])
            skip = 0
            index += 1
        return "".join(pieces)


Block = TextRun | Other


def append_block(blocks: list[Block], block: TextContent | Other) -> None:
    """Append a content block; text extends the text before it. A skill becomes text: `/name`."""
    if isinstance(block, SkillReference):
        block = TextContent(text=f"/{block.name} ")
    if not isinstance(block, TextContent):
        blocks.append(block)
    elif blocks and isinstance(blocks[-1], TextRun):
        blocks[-1].append(block.text)
    else:
        blocks.append(TextRun([block.text]))


def text_of_blocks(blocks: list[Block]) -> str:
    return "".join(block.text for block in blocks if isinstance(block, TextRun))


def meaning_of(blocks: list[Block]) -> list[Any]:
    """Return blocks without annotations and sizes, which agents needn't send back, for comparison."""
    said: list[Any] = []
    for block in blocks:
        match block:
            case TextRun():
                said += filter(None, [block.text.strip()])
            case ResourceLink():
                said.append((block.uri, block.name, block.title, block.description))
            case EmbeddedResource():
                within = block.resource
                said.append((within.uri, within.text, within.blob))
            case ImageContent() | AudioContent():
                said.append((block.type, block.mime_type, block.data))
            case _:
                said.append(block)
    return said
