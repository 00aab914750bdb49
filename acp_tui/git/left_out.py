"""Files of a folder that a tree doesn't hold, each with its reason."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What is not kept beside what git ignores: each name with its why; those of folders end with `/`.

    `rules` are the `.gitignore` files among what is not kept, each path with its text: they told what git
    ignored.
    """

    names: tuple[tuple[str, str], ...] = ()
    rules: tuple[tuple[str, str], ...] = ()

    def has(self, name: str) -> bool:
        """Whether a file is not kept, by itself or as a part of a folder."""
        return bool(self.why(name))

    def why(self, name: str) -> str:
        """Return why a file is not kept, by itself or as a part of a folder; empty if it is."""
        found = (
            why
            for one, why in self.names
            if name == one or (one.endswith("/") and name.startswith(one))
        )
        return next(found, "")

    def beyond(self, other: "LeftOut") -> tuple[tuple[str, str], ...]:
        """Return what another one hasn't left out, by itself or with a folder that it lies in."""
        others = {name for name, _ in other.names}
        return tuple(one for one in self.names if others.isdisjoint(with_folders(one[0])))


def with_folders(name: str) -> Iterator[str]:
    """Return a name, and those of the folders that it lies in: they end with `/`."""
    yield name
    at = name.find("/")
    while at >= 0:
        yield name[: at + 1]
        at = name.find("/", at + 1)
