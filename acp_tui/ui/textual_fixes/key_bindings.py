"""The bindings of a key in a widget."""

from collections.abc import Sequence

from textual.binding import Binding
from textual.dom import DOMNode


def bindings_of(node: DOMNode, key: str) -> Sequence[Binding]:
    """Return the bindings of a key in a widget, without those of its parents."""
    return node._bindings.key_to_bindings.get(key, ())
