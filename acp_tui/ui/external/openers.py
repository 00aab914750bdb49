"""Opens files in an editor, and links and images in the system's viewer."""

import binascii
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
from base64 import b64decode
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from threading import Thread
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from acp_tui.protocol.content import ImageContent
from acp_tui.state.links import can_open

FAILURE_TIMEOUT = 2.0
"""Seconds in which a viewer may fail; one that still runs after that counts as opened."""
_NO_BROWSER = "false"
"""The browser for xdg-open if there is no desktop and the user hasn't chosen one: xdg-open would
run a text browser, which shows nothing here, and doesn't fail.
"""
_LINE = re.compile(r"L?([0-9]{1,9})(?:-|$)")
_FALLBACKS = ("editor", "nano", "vi")
_PLUS_LINE = (
    *("vi", "vim", "nvim", "nano", "emacs", "emacsclient", "kak", "micro"),
    *("joe", "mcedit", "ne"),
)
_COLON_LINE = ("hx", "helix", "subl", "zed")
_GOTO = ("code", "code-insiders", "codium", "cursor", "windsurf")
_KNOWN = {*_PLUS_LINE, *_COLON_LINE, *_GOTO}
_VARIANT = re.compile(r"[0-9.-].*")
"""The suffix that Debian adds to an editor with several builds: `vim.basic`, `emacs-gtk`."""
_SUFFIXES = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
    "image/bmp": ".bmp",
    "image/tiff": ".tiff",
}
"""Image types that viewers only show as a picture; an SVG may contain scripts."""


class CannotOpen(Exception):  # noqa: N818 - it says what is the matter
    """Something can't be opened; the message says why, in words for the user."""


class FilePlace(NamedTuple):
    """A file, and a line in it."""

    path: str
    line: int | None = None


def editor_argv(env: Mapping[str, str], place: FilePlace, cwd: str) -> tuple[str, ...]:
    """Return the command that opens a place in the user's editor. Raises CannotOpen."""
    path = Path(cwd, place.path).absolute()  # else a name could be taken for an option
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):  # ValueError: a NUL in the name
        raise CannotOpen(f"there is no such file: {place.path}") from None
    if not stat.S_ISREG(mode):
        problem = "this is a folder" if stat.S_ISDIR(mode) else "this is not a regular file"
        raise CannotOpen(f"{problem}: {place.path}")
    return (*_editor(env), *_arguments(_editor(env)[0], str(path), place.line))


def _editor(env: Mapping[str, str]) -> list[str]:
    chosen = env.get("VISUAL") or env.get("EDITOR") or ""
    try:
        words = shlex.split(chosen)
    except ValueError:
        raise CannotOpen(f"$VISUAL or $EDITOR can't be read: {chosen}") from None
    found = [name for name in _FALLBACKS if shutil.which(name)]
    if not words and not found:
        raise CannotOpen("no editor: set $EDITOR")
    return words or found[:1]


def _arguments(editor: str, path: str, line: int | None) -> tuple[str, ...]:
    """Return the arguments for a path and a line as this editor expects them."""
    if line is None:
        return (path,)
    name = _program(editor)
    if name in _PLUS_LINE:
        return (f"+{line}", path)
    if name in _GOTO:
        return ("--goto", f"{path}:{line}")
    return (f"{path}:{line}",) if name in _COLON_LINE else (path,)


def _program(editor: str) -> str:
    """Return the name of an editor. Debian's `editor` is a link to the chosen one."""
    name = PurePath(editor).name
    found = shutil.which(editor) if name not in _KNOWN else None
    if found is None:
        return name
    chosen = PurePath(os.path.realpath(found)).name
    return chosen if chosen in _KNOWN else _VARIANT.sub("", chosen)


def link_target(url: str) -> str | FilePlace:
    """Return the target of a link: a page, or a file on this computer. Raises CannotOpen."""
    try:
        parts = urlsplit(url)
    except ValueError:
        raise CannotOpen(f"not a link: {url}") from None
    if can_open(url):
        return url
    if parts.scheme == "file" and parts.netloc in ("", "localhost"):
        line = _LINE.match(parts.fragment)
        return FilePlace(unquote(parts.path), int(line[1]) if line else None)
    raise CannotOpen(f"only http, https and file links are opened, not: {url}")


def open_in_viewer(target: str) -> None:
    """Open a page or file in the system's viewer, in up to FAILURE_TIMEOUT. Raises CannotOpen."""
    is_mac, env = sys.platform == "darwin", os.environ
    program = "open" if is_mac else "xdg-open"
    has_desktop = is_mac or bool(env.get("DISPLAY") or env.get("WAYLAND_DISPLAY"))
    try:
        process = subprocess.Popen(
            [program, target],
            env=env if has_desktop else env | {"BROWSER": env.get("BROWSER") or _NO_BROWSER},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        raise CannotOpen(f"there is no {program} to open it: {target}") from None
    try:
        code = process.wait(FAILURE_TIMEOUT)
    except subprocess.TimeoutExpired:
        Thread(target=process.wait, daemon=True).start()
        return
    if code != 0:
        where = "" if has_desktop else ": there is no desktop here"
        raise CannotOpen(f"{program} could not open {target}{where}")


def write_text(folder: str, text: str, suffix: str) -> Path:
    """Write a text to a file that only this user can read. Raises OSError."""
    path = Path(folder, f"message{suffix}")
    path.touch(mode=0o600)
    path.write_text(text, "utf-8", "surrogatepass")
    return path


def read_text(path: Path) -> str:
    """Read the file that an editor has saved. Raises OSError and ValueError."""
    return path.read_text("utf-8", "surrogatepass")


def write_images(folder: Path, images: Sequence[ImageContent]) -> list[Path]:
    """Write images to files that only this user can read. Raises CannotOpen and OSError."""
    paths = []
    for image in images:
        suffix = _SUFFIXES.get(image.mime_type.lower())
        if suffix is None:
            raise CannotOpen(f"not opened: {image.mime_type} may be more than a picture")
        try:
            data = b64decode(image.data, validate=True)
        except (binascii.Error, ValueError):
            raise CannotOpen("the image is broken: it is not base64") from None
        path = folder / f"{os.urandom(4).hex()}{suffix}"
        path.touch(mode=0o600)
        path.write_bytes(data)
        paths.append(path)
    return paths
