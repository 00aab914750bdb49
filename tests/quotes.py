"""Compares what is quoted with the official schema's own words."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from acp_tui.protocol import schema

LEFT_OUT = " … "


def plain(text: str) -> str:
    """A text without its markup, all on one line."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return " ".join(re.sub(r"\*\*|`|\\|^ *- ", "", text, flags=re.MULTILINE).split())


@cache
def said_of_types(version: int = 1) -> dict[str, list[str]]:
    """What the schema of a version says of each type, with what came after it."""
    name = "prose.json" if version == 1 else f"prose.v{version}.json"
    file = Path(schema.__file__).with_name(name)
    said: dict[str, list[str]] = json.loads(file.read_text("utf-8"))
    for addition in schema.load_overlay():
        if version in addition["versions"]:
            for name, texts in addition.get("prose", {}).items():
                said[name] = [*said.get(name, ()), *texts]
    return {name: [plain(text) for text in texts] for name, texts in said.items()}


def pieces(quote: str) -> Iterator[str]:
    """The parts of a quotation that stand somewhere as they are, in their order."""
    yield from quote.split(LEFT_OUT)


def stands_in(quote: str, text: str) -> bool:
    """Whether a text has all pieces of a quotation, one after the other."""
    at = 0
    for piece in pieces(quote):
        found = text.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return True
