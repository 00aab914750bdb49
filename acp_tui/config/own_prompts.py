"""Prompts in files: the user's own, and those of a project, which must be trusted."""

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
"""The folder of a project's prompts."""
LARGEST_FILE = 64 * 1024
"""Largest file that is read as a prompt, in bytes."""
MOST_FILES = 200
"""Most files of a folder that are read: a project may have any number."""
_NAME = re.compile(r"[\w.-]+")
_HEAD = re.compile(r"---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
"""Front matter as in other programs: fields between two lines of dashes, before the prompt."""
_FIELD = re.compile(r"^([\w-]+):[ \t]*(.*?)[ \t]*$", re.MULTILINE)


class OwnPrompt(NamedTuple):
    """A prompt in a file; `review.md` has the name `review`.

    Its front matter may have a description, and a hint at what to type after the name. By default
    the description is the prompt's first line.
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
    """Return the user's prompts and those of a project folder, by name; the user's own win.

    Unreadable files are skipped. Reads files: call it off the event loop.
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
    """Remember that the user trusts this content of this file. Raises OSError."""
    TrustStore(trust_file()).trust(prompt.content, prompt.file)


def _add_prompt(
    found: dict[str, OwnPrompt], file: Path, content: bytes, store: TrustStore | None
) -> None:
    """Add a prompt: a project's, whose trust is in `store`, or the user's own if `store` is None."""
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
    """Split a file into the fields of its front matter and the prompt."""
    head = _HEAD.match(text)
    if head is None:
        return {}, text
    fields = {name: value.strip("\"'") for name, value in _FIELD.findall(head[1])}
    return fields, text[head.end() :]


def _files(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield the prompt files of a folder, without symlinks: a project's could lead anywhere."""
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
