"""Finds `@path` mentions in a prompt, and turns the files into content that the agent accepts.

`@src/app.py`, `@src/app.py:10-40` (lines), `@"with spaces.txt"`, `@https://example.com/page`.
Quoted lines (`> `) and fenced blocks mention nothing: others wrote them. Reads files: call it off
the event loop.
"""

import base64
import mimetypes
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from acp_tui.protocol.content import (
    AudioContent,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceContents,
    ResourceLink,
    TextContent,
)
from acp_tui.protocol.initialization import PromptCapabilities
from acp_tui.text import join_surrogates

LARGEST_TEXT = 256 * 1024
"""Largest file in bytes that is embedded in the prompt; a larger one is only linked."""
LARGEST_MEDIA = 20 * 1024 * 1024
"""Largest image or audio that is attached, in bytes; no more is read of a text file."""
_MENTION = re.compile(
    r'(?<![\w@./\\])@(?:"(?P<quoted>[^"\n]+)"|(?P<plain>[^\s"@]+?))'
    r"(?P<lines>:(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?)?(?=[.,;:!?)\]}>'\"]*(?:\s|$))"
)
_QUOTE = re.compile(r" {0,3}>")
_FENCE = re.compile(r" {0,3}(?P<marks>`{3,}(?=[^`]*$)|~{3,})")
_USUAL = {"audio/x-wav": "audio/wav", "audio/mp4a-latm": "audio/mp4"}
"""Python's MIME types, with the names by which agents and models know them."""
_PASTED = re.compile(r"clipboard-\d+\.(png|jpeg|webp|gif|txt)")
_ADDRESS = re.compile(r"https?://[\w\[]")
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A mentioned path, its place in the text, and the lines meant (1-based, inclusive)."""

    path: str
    start: int
    end: int
    lines: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A prompt's content blocks, and messages about mentions that can't be sent."""

    blocks: tuple[ContentBlock, ...]
    problems: list[str] = field(default_factory=list)


class AttachmentError(Exception):
    """A file can't be attached to the prompt; the message says why."""


def find_mentions(text: str) -> list[Mention]:
    """Return the mentions in a text, whether or not their files exist."""
    found = []
    for start, line in _own_lines(text):
        for match in _MENTION.finditer(line):
            path, lines = match["quoted"] or match["plain"], None
            if match["lines"] and _ADDRESS.match(path):
                path += match["lines"]  # a port, not a line
            elif match["lines"]:
                first = int(match["first"])
                lines = (first, int(match["last"] or first))
            found.append(Mention(path, start + match.start(), start + match.end(), lines))
    return found


def mention_of(path: str) -> str | None:
    """Return the text that mentions exactly this path; None if no text can, for example for a name
    with a line break.
    """
    for written in (f"@{path}", f'@"{path}"'):
        if find_mentions(written) == [Mention(path, 0, len(written))]:
            return written
    return None


def may_mention(before: str) -> bool:
    """Return whether a mention can follow this text: not in a quote or a fenced block."""
    begin = before.rfind("\n") + 1
    return any(start == begin for start, _ in _own_lines(before))


def escape_mentions(text: str, is_exempt: Callable[[Mention], bool] = lambda _: False) -> str:
    """Escape the mentions in a text that others wrote, except those for which `is_exempt` is true."""
    for one in reversed(find_mentions(text)):
        if not is_exempt(one):
            text = f"{text[: one.start]}\\{text[one.start :]}"
    return text


def _own_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that are neither quoted nor fenced, each after its start index."""
    at, fence = 0, ""
    for line in text.split("\n"):
        found = _FENCE.match(line)
        if fence:
            if line.lstrip(" ").startswith(fence) and not line.strip(f" \t{fence[0]}"):
                fence = ""
        elif found is not None:
            fence = found["marks"]
        elif _QUOTE.match(line) is None:
            yield at, line
        at += len(line) + 1


def prepare_prompt(
    text: str,
    cwd: str | None,
    offered: PromptCapabilities,
    pasted: Mapping[str, bytes] | None = None,
    seen: str | None = None,
) -> Prepared:
    """Return the prompt's text, followed by each file that it mentions, once. Mentions without a
    file stay text.

    `seen` is the text as the user saw it, if a part of it was folded: that part mentions nothing.

    A web address is linked, and the agent may read it. Without a `cwd`, the agent's files are on
    another machine, so paths stay text. `pasted` are images and texts by the names under which the
    text mentions them.
    """
    # Without lone surrogates: not all agents can read them.
    blocks: list[ContentBlock] = [TextContent(text=join_surrogates(text))]
    problems: list[str] = []
    found = find_mentions(text if seen is None else seen)
    for path, lines in dict.fromkeys((one.path, one.lines) for one in found):
        try:
            if _ADDRESS.match(path):
                blocks.append(ResourceLink(name=path, uri=path))
            elif pasted and path in pasted:
                blocks.append(_pasted(path, pasted[path], offered))
            elif cwd is not None and os.path.exists(_path_of(path, cwd)):  # noqa: PTH110  Path's fails for long names
                blocks.append(attach_file(path, cwd, offered, lines))
            elif _PASTED.fullmatch(path):
                raise AttachmentError(f"{path} is no longer kept; paste it again")
        except AttachmentError as why:
            problems.append(str(why))
    return Prepared(tuple(blocks), problems)


def _pasted(name: str, data: bytes, offered: PromptCapabilities) -> ContentBlock:
    if name.endswith(".txt"):
        return TextContent(text=data.decode())
    return media_content(data, None, offered, name=name)


def attach_file(
    path: str, cwd: str, offered: PromptCapabilities, lines: tuple[int, int] | None = None
) -> ContentBlock:
    """Return a file's content block: embedded if the agent accepts that, else a link.

    Raises AttachmentError, also if a name in the folder leads outside it: the agent may have made
    that link.
    """
    place = _path_of(path, cwd)
    real = Path(os.path.realpath(place))
    if place.is_relative_to(cwd) and not real.is_relative_to(os.path.realpath(cwd)):
        raise AttachmentError(f"{path} leads out of the folder: mention {real} if you mean that")
    guess = mimetypes.guess_type(place.name)[0]
    kind = _USUAL.get(guess or "", guess)
    if lines is not None and not 1 <= lines[0] <= lines[1]:
        raise AttachmentError(
            f"{path} has no lines {lines[0]}-{lines[1]}: they count from 1 upwards"
        )
    try:
        facts = place.stat()
        size = facts.st_size
        if stat.S_ISDIR(facts.st_mode):
            return _make_link(place, None, None, None)
        if not stat.S_ISREG(facts.st_mode):
            raise AttachmentError(f"{path} is not a regular file")
        if kind is not None and kind.startswith(("image/", "audio/")) and kind != "image/svg+xml":
            _check_size(path, size)
            return media_content(place.read_bytes(), kind, offered, name=path, uri=place.as_uri())
        if not offered.embedded_context or (size > LARGEST_TEXT and lines is None):
            return _make_link(place, kind, size, lines)
        return _embedded(path, place, kind, lines)
    except OSError as error:
        raise AttachmentError(f"{path} can't be read: {error.strerror}") from None
    except UnicodeDecodeError:
        return _make_link(place, kind, size, None)


def media_content(
    data: bytes,
    kind: str | None,
    offered: PromptCapabilities,
    *,
    name: str = "the clipboard",
    uri: str | None = None,
) -> ImageContent | AudioContent:
    """Return the content block of an image or audio; without a `kind`, its type is detected. Raises
    AttachmentError.
    """
    kind = kind or _sniff(data)
    _check_size(name, len(data))
    encoded = base64.b64encode(data).decode()
    if kind is not None and kind.startswith("image/"):
        if not offered.image:
            raise AttachmentError(f"{name} is an image, and the agent takes none")
        return ImageContent(data=encoded, mime_type=kind, uri=uri)
    if kind is not None and kind.startswith("audio/"):
        if not offered.audio:
            raise AttachmentError(f"{name} is a sound, and the agent takes none")
        return AudioContent(data=encoded, mime_type=kind)
    raise AttachmentError(f"{name} holds no image that is known")


def _check_size(name: str, size: int) -> None:
    if size > LARGEST_MEDIA:
        raise AttachmentError(f"{name} is too large: {size:,} bytes")


def _sniff(data: bytes) -> str | None:
    for signature, kind in _SIGNATURES:
        if data.startswith(signature):
            return kind
    return "image/webp" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else None


def _path_of(path: str, cwd: str) -> Path:
    written = Path(cwd, path)
    if path.startswith("~/"):
        written = Path.home() / path[2:]
    return Path(os.path.normpath(written))


def _address(place: Path, lines: tuple[int, int] | None) -> str:
    return place.as_uri() + (f"#L{lines[0]}-{lines[1]}" if lines is not None else "")


def _make_link(
    place: Path, kind: str | None, size: int | None, lines: tuple[int, int] | None
) -> ResourceLink:
    return ResourceLink(
        name=join_surrogates(place.name or str(place)),
        uri=_address(place, lines),
        mime_type=kind,
        size=size,
    )


def _embedded(
    path: str, place: Path, kind: str | None, lines: tuple[int, int] | None
) -> EmbeddedResource | ResourceLink:
    with place.open("rb") as file:
        raw = file.read(LARGEST_MEDIA)
    text = raw.decode()
    if "\0" in text:
        return _make_link(place, kind, len(raw), None)
    if lines is not None:
        all_lines = text.removesuffix("\n").split("\n")
        if lines[0] > len(all_lines):
            raise AttachmentError(
                f"{path} has no line {lines[0]}: it ends at line {len(all_lines)}"
            )
        text = "\n".join(all_lines[lines[0] - 1 : lines[1]])
    contents = ResourceContents(
        uri=_address(place, lines), mime_type=kind or "text/plain", text=text
    )
    return EmbeddedResource(resource=contents)
