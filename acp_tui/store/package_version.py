"""The version of the package that installed a program."""

import json
from pathlib import Path

_LARGEST = 1 << 20
"""Bytes of a description of a package that is read."""


def package_version(program: str) -> str:
    """Return the version of the npm or Python package that installed a program; "" if none did."""
    try:
        path = Path(program).resolve(strict=True)
        return _of_npm(path) if "node_modules" in path.parts else _of_python(path)
    except (OSError, ValueError, RecursionError):
        return ""


def _of_npm(path: Path) -> str:
    """Read the description of the package around a file: npm links to it from its folder of programs."""
    for folder in path.parents:
        if folder.name == "node_modules":
            break
        file = folder / "package.json"
        if file.is_file() and file.stat().st_size < _LARGEST:
            described = json.loads(file.read_text("utf-8"))
            version = described.get("version") if isinstance(described, dict) else None
            if isinstance(version, str):
                return version
    return ""


def _of_python(path: Path) -> str:
    """Read which package in an environment of its own declares the program: uv and pipx link to it."""
    from importlib.metadata import distributions  # few starts want it

    environment = path.parent.parent
    if not (environment / "pyvenv.cfg").is_file():
        return ""
    packages = map(str, environment.glob("lib/python*/site-packages"))
    for one in distributions(path=list(packages)):
        scripts = one.entry_points.select(group="console_scripts", name=path.name)
        if scripts:
            return one.version
    return ""
