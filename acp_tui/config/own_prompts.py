"""Prompts that are kept in files: a person's own, and those of a project, which have to be trusted."""

import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from acp_tui.config.paths import config_folder, trust_file
from acp_tui.config.private_files import read_file
from acp_tui.config.trust import TrustStore

FOLDER = "prompts"
PROJECT_FOLDER = Path(".acp-tui", FOLDER)
"""Where a project has its prompts."""
LARGEST_FILE = 64 * 1024
"""Bytes of the largest file that is read as a prompt."""
MOST_FILES = 200
"""How many files of a folder are read, at most: a project may have a huge number."""
_NAME = re.compile(r"[\w.-]+")
_HEAD = re.compile(r"---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
"""The front matter of other programs: fields between two lines of dashes, before the prompt."""
_FIELD = re.compile(r"^([\w-]+):[ \t]*(.*?)[ \t]*$", re.MULTILINE)


class OwnPrompt(NamedTuple):
    """The file `review.md`: its name is `review`. Its head says what it is for and what is written behind
    the name; without one its first line says the former.
    """

    name: str
    description: str
    hint: str
    text: str
    file: Path
    content: bytes
    of_project: bool
    is_trusted: bool


def own_prompts(project: str) -> list[OwnPrompt]:
    """Return the prompts of a person and of the project in a folder, by name; a person's own wins.

    Files that can't be read are left out. Reads files: call it off the event loop.
    """
    store = TrustStore(trust_file())
    found: dict[str, OwnPrompt] = {}
    if project:
        for file, content in _files(Path(project, PROJECT_FOLDER)):
            _add_prompt(found, file, content, store)
    for file, content in _files(config_folder() / FOLDER):
        _add_prompt(found, file, content, None)
    return [one for _, one in sorted(found.items())]


def trust_prompt(prompt: OwnPrompt) -> None:
    """Remember that a person trusts this text in this file. Raises OSError."""
    TrustStore(trust_file()).trust(prompt.content, prompt.file)


def _add_prompt(
    found: dict[str, OwnPrompt], file: Path, content: bytes, store: TrustStore | None
) -> None:
    """Add one of a project, where `store` says whether it is trusted, or without it a person's own."""
    try:
        fields, text = _split_prompt(content.decode().replace("\r\n", "\n"))
    except UnicodeDecodeError:
        return
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if first:
        words = fields.get("description") or first.lstrip("#").strip()
        hint = fields.get("argument-hint", "")
        trusted = store is None or store.trusts(content, file)
        of_project = store is not None
        found[file.stem] = OwnPrompt(
            file.stem, words, hint, text, file, content, of_project, trusted
        )


def _split_prompt(text: str) -> tuple[dict[str, str], str]:
    """Return the fields of a file's head, and the prompt below it."""
    head = _HEAD.match(text)
    if head is None:
        return {}, text
    fields = {name: value.strip("\"'") for name, value in _FIELD.findall(head[1])}
    return fields, text[head.end() :]


def _files(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield the prompt files of a folder, but no links: in a project one may lead anywhere."""
    try:
        files = sorted(folder.iterdir())[:MOST_FILES]
    except OSError:
        return
    for file in files:
        try:
            facts = file.lstat()
            named = file.suffix == ".md" and _NAME.fullmatch(file.stem)
            if named and stat.S_ISREG(facts.st_mode) and facts.st_size <= LARGEST_FILE:
                yield file, read_file(file)
        except OSError:
            continue
