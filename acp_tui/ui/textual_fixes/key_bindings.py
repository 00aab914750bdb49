"""What a key is bound to in a widget."""

from collections.abc import Sequence

from textual.binding import Binding
from textual.dom import DOMNode


def bindings_of(node: DOMNode, key: str) -> Sequence[Binding]:
    """The bindings of a key, without those of what stands above."""
    return node._bindings.key_to_bindings.get(key, ())
