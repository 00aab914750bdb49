"""Whatever was done to a folder, going back to any checkpoint brings back all that was there."""

import shutil
from pathlib import Path
from random import Random

from tests.examples import parametrize
from tests.unit.rewind.conftest import RETURN, TURN, Scene

NAMES = ("a", "b", "c", "x y", "é", "n\nl", ":(top)z", "-q", "*")
LINKS = ("a", "..", "/etc/passwd", "nowhere", "../..")


@parametrize(3, "seed", [1, 1001, *range(2, 8)])
def test_all_comes_back(scene: Scene, seed: int) -> None:
    random, store, kept = Random(seed), scene.store, []
    for _ in range(4):
        for _ in range(random.randint(1, 15)):
            change(scene.top, random)
        if random.random() < 0.3:
            scene.git("add", "-A")
        kept.append((store.make_checkpoint(TURN), everything(scene)))
    for _ in range(5):
        for _ in range(random.randint(0, 4)):
            change(scene.top, random)
        checkpoint, before = random.choice(kept)
        outcome = store.restore(store.plan(checkpoint), RETURN)
        assert outcome.skipped == ()
        assert everything(scene) == before


def everything(scene: Scene) -> dict[str, tuple[bytes | str, bool]]:
    """All files and links, with whether they may be run."""
    return {
        name: (content, isinstance(content, bytes) and runs(scene.top / name))
        for name, content in scene.files().items()
    }


def runs(path: Path) -> bool:
    return bool(path.stat().st_mode & 0o100)


def change(top: Path, random: Random) -> None:
    """Do something to a file, a link or a folder, whatever stands in the way."""
    path = top
    for _ in range(random.randint(1, 3)):
        if path.is_symlink() or not path.is_dir():
            remove(path)
            path.mkdir()
        path /= random.choice(NAMES)
    deed = random.random()
    if deed < 0.1 and path.is_file() and not path.is_symlink():
        path.chmod(random.choice([0o644, 0o755]))
        return
    remove(path)
    if deed < 0.6:
        path.write_bytes(random.randbytes(random.randint(0, 30)))
        path.chmod(random.choice([0o644, 0o755]))
    elif deed < 0.75:
        path.symlink_to(random.choice(LINKS))


def remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
