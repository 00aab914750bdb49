"""The folder that the demo plays in."""

from pathlib import Path

SAMPLE = Path(__file__).parent / "sample"


def sample_workspace(root: Path) -> None:
    """Put the sample files into `root`, an existing folder that is for the demo alone."""
    for file in SAMPLE.iterdir():
        if file.is_file():
            (root / file.name).write_text(file.read_text("utf-8"), "utf-8")
