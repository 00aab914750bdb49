"""Files of a folder that a tree lacks, each with the reason."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Files that aren't stored, other than ignored ones: each name with its reason; folders end
    with `/`.

    `rules` are the `.gitignore` files that aren't stored, each path with its text: a rewind needs
    them to know what was ignored.
    """

    names: tuple[tuple[str, str], ...] = ()
    rules: tuple[tuple[str, str], ...] = ()

    def has(self, name: str) -> bool:
        """Return whether a file is left out, by itself or in a folder."""
        return bool(self.why(name))

    def why(self, name: str) -> str:
        """Return why a file is left out, by itself or in a folder; "" if it isn't."""
        found = (
            why
            for one, why in self.names
            if name == one or (one.endswith("/") and name.startswith(one))
        )
        return next(found, "")

    def beyond(self, other: "LeftOut") -> tuple[tuple[str, str], ...]:
        """Return the names that the other one hasn't left out, by themselves or in a folder."""
        others = {name for name, _ in other.names}
        return tuple(one for one in self.names if others.isdisjoint(with_folders(one[0])))


def with_folders(name: str) -> Iterator[str]:
    """Yield a name, and those of the folders that contain it, which end with `/`."""
    yield name
    at = name.find("/")
    while at >= 0:
        yield name[: at + 1]
        at = name.find("/", at + 1)
