"""The keys that the review names: what they do where one is, the most useful first."""

from acp_tui.lazy_named_tuple import NamedTuple

Keys = list[tuple[str, str]]


class Place(NamedTuple):
    """Where one is in the review, and what can be done there."""

    in_diff: bool
    is_file: bool
    has_diff: bool
    is_last: bool
    can_undo: bool
    can_stage: bool
    can_split: bool
    has_comments: bool


def offered_keys(place: Place) -> Keys:
    """Return the keys and what they do; the last one leads back."""
    comments: Keys = [("C", "comments"), ("w", "to prompt")] if place.has_comments else []
    sides: Keys = [("v", "side by side")] if place.can_split else []
    undo: Keys = [("u", "undo")] if place.can_undo or place.in_diff else []
    if not place.is_file:
        return [*comments, ("escape", "back")]
    further: Keys = [("n", "next change")] if place.has_diff or not place.is_last else []
    both = [*further, *sides, *undo]
    if not place.in_diff:
        return [
            *both,
            ("enter", "editor"),
            *([("tab", "diff")] if place.has_diff else []),
            *comments,
            ("Y", "patch of all"),
            ("escape", "back"),
        ]
    return [
        *both,
        *([("s", "stage")] if place.can_stage else []),
        ("c", "comment"),
        *comments[:1],
        ("shift+down", "more lines"),
        ("y", "patch"),
        *comments[1:],
        ("tab", "files"),
        ("escape", "back"),
    ]
