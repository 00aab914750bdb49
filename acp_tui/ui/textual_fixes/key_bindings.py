"""Finds the bindings of a key in a widget, and replaces them when the key tables change."""

from collections.abc import Iterable, Sequence

from textual.binding import Binding, BindingsMap
from textual.dom import DOMNode


def bindings_of(node: DOMNode, key: str) -> Sequence[Binding]:
    """Return the bindings of a key in a widget itself, without its ancestors."""
    return node._bindings.key_to_bindings.get(key, ())


def rebind_keys(nodes: Iterable[DOMNode]) -> None:
    """Apply changed key tables to these nodes, and to all that are created later."""
    _merge_again(DOMNode)
    for node in nodes:
        merged = type(node)._merged_bindings
        node._bindings = BindingsMap() if merged is None else merged.copy()


def _merge_again(kind: type[DOMNode]) -> None:
    for one in kind.__subclasses__():
        one._merged_bindings = one._merge_bindings()
        _merge_again(one)
