"""Content that is no text, in words: what it is, and where it is to be found."""

from acp_tui.protocol.content import (
    AudioContent,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    decoded_size,
)


def describe(content: ContentBlock) -> str:
    """Describe what can't be printed in one line; a link or a resource with its address."""
    return f"[{_words(content)}]"


def _words(content: ContentBlock) -> str:
    match content:
        case ImageContent() | AudioContent():
            place = f" {content.uri}" if isinstance(content, ImageContent) and content.uri else ""
            return (
                f"{content.type}{place}: {content.mime_type}, {decoded_size(content.data):,} bytes"
            )
        case ResourceLink():
            return f"resource_link {content.title or content.name}: {content.uri}"
        case EmbeddedResource(resource=resource) if resource.text is not None:
            kind = resource.mime_type or "text"
            return f"resource {resource.uri}: {kind}, {len(resource.text):,} characters"
        case EmbeddedResource(resource=resource):
            kind = resource.mime_type or "binary"
            return f"resource {resource.uri}: {kind}, {decoded_size(resource.blob or ''):,} bytes"
        case _:
            return f"content of the unknown type {content.type!r}"
