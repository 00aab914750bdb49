"""Installs packages for a test as pip would leave them: modules, and metadata with entry points."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]


def install(folder: Path, name: str, entry_points: Mapping[str, Mapping[str, str]]) -> Path:
    """Write the metadata of a package into `folder`, which is to be put on the path."""
    info = folder / f"{name.replace('-', '_')}-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    lines = []
    for group, points in entry_points.items():
        lines += [f"[{group}]", *(f"{one} = {target}" for one, target in points.items())]
    (info / "entry_points.txt").write_text("\n".join([*lines, ""]))
    return folder


def own_entry_points() -> dict[str, dict[str, str]]:
    """What this package's pyproject.toml has, whatever of it is installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    found: dict[str, dict[str, str]] = project["entry-points"]
    return found
