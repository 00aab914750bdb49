"""Downloads files and installs archives, when the user asks: https only, SHA-256 checked, written
whole or not at all.
"""

import lzma
import os
import shutil
import tarfile
import tempfile
import zipfile
import zlib
from hashlib import sha256
from http.client import HTTPException
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from acp_tui.cli.output import show_progress
from acp_tui.config.private_files import make_folder
from acp_tui.config.toml_files import ConfigError
from acp_tui.store.registry import is_fetchable
from acp_tui.store.registry_starts import Archive

_READ_SIZE = 1 << 20
_SERVER_TIMEOUT = 30.0
"""Seconds without data after which a server has timed out."""
LARGEST_ARCHIVE = 2 << 30
"""Largest archive in bytes, packed and unpacked."""
_BROKEN = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    ValueError,
    RuntimeError,
    NotADirectoryError,
    FileExistsError,
)
"""What the archive modules raise, also for encrypted archives and unknown compression methods."""
_TARS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz")


def fetch_file(url: str, most: int) -> bytes:
    """Fetch at most `most` bytes.

    Raises:
        ConfigError: the address isn't allowed, the download failed, or it is too large.
    """
    with tempfile.TemporaryFile() as file:
        _fetch_file(url, file.fileno(), most)
        file.seek(0)
        return file.read()


def install_archive(archive: Archive, folder: Path) -> None:
    """Fetch an archive and unpack it into `folder`, replacing one that is there.

    Raises:
        ConfigError: it can't be fetched, has another hash than the registry says, or lacks its
    program.
        OSError: it can't be written.
    """
    make_folder(folder.parent)
    with tempfile.TemporaryDirectory(prefix=".new-", dir=folder.parent) as temporary:
        _check_address(archive.url)
        name = Path(urlsplit(archive.url).path).name or "archive"
        file, unpacked = Path(temporary) / "archive", Path(temporary) / "unpacked"
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            digest = _fetch_file(archive.url, descriptor, LARGEST_ARCHIVE)
        finally:
            os.close(descriptor)
        if archive.sha256 and digest != archive.sha256.lower():
            raise ConfigError(
                f"{archive.url}: its sha256 is {digest}, and the registry says {archive.sha256}: "
                "nothing was installed"
            )
        unpacked.mkdir()
        _unpack_archive(file, name, unpacked, archive)
        program = unpacked / archive.program
        if not program.resolve().is_relative_to(unpacked.resolve()) or not program.is_file():
            raise ConfigError(f"{archive.url}: there is no {archive.program} in it")
        program.chmod(program.stat().st_mode | 0o500)
        shutil.rmtree(folder, ignore_errors=True)
        unpacked.rename(folder)


def _fetch_file(url: str, descriptor: int, most: int) -> str:
    """Download an address into a file; return its SHA-256 in hexadecimal. Raises ConfigError."""
    _check_address(url)
    digest, size = sha256(), 0
    try:
        request = Request(url, headers={"User-Agent": "acp-tui"})  # noqa: S310  checked just now
        with urlopen(request, timeout=_SERVER_TIMEOUT) as answer:  # noqa: S310
            _check_address(answer.url)  # a redirect leads to another address
            while chunk := answer.read(_READ_SIZE):
                size += len(chunk)
                if size > most:
                    raise ConfigError(f"{url}: over {most:,} bytes: not fetched")
                digest.update(chunk)
                os.write(descriptor, chunk)
                show_progress(f"fetched {size:,} bytes")
    except URLError as error:
        reason = getattr(error.reason, "strerror", None) or error.reason  # without the error number
        raise ConfigError(f"{url}: {reason}") from None
    except (OSError, ValueError, HTTPException) as error:
        raise ConfigError(f"{url}: {error}") from None
    finally:
        show_progress()
    return digest.hexdigest()


def _check_address(url: str) -> None:
    """Raise ConfigError for an address whose content could be changed in transit."""
    try:
        is_safe = is_fetchable(url)
    except ValueError as error:
        raise ConfigError(f"{url!r}: not an address: {error}") from None
    if not is_safe:
        raise ConfigError(f"{url}: only https:// can be fetched")


def _unpack_archive(file: Path, name: str, folder: Path, archive: Archive) -> None:
    try:
        if name.endswith(".zip"):
            _unpack_zip(file, folder)
        elif name.endswith(_TARS):
            with tarfile.open(file) as tar:
                _check_size(sum(one.size for one in tar.getmembers()), archive)
                tar.extractall(folder, filter="data")
        else:
            program = folder / archive.program
            program.parent.mkdir(parents=True, exist_ok=True)
            file.rename(program)
    except _BROKEN as error:
        raise ConfigError(f"{archive.url}: can't be unpacked: {error}") from None


def _unpack_zip(file: Path, folder: Path) -> None:
    with zipfile.ZipFile(file) as pack:
        entries = pack.infolist()
        _check_size(sum(one.file_size for one in entries), None)
        for one in entries:
            path = Path(pack.extract(one, folder))  # drops `..` and absolute paths
            mode = (one.external_attr >> 16) & 0o755
            if mode and path.is_file():
                path.chmod(mode | 0o600)


def _check_size(size: int, archive: Archive | None) -> None:
    if size > LARGEST_ARCHIVE:
        raise ConfigError(
            f"{archive.url if archive else 'the archive'}: {size:,} bytes unpacked: too many"
        )
