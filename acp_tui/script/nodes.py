"""YAML nodes with their lines, so that an error can name its line and the fix."""

from collections.abc import Collection
from difflib import get_close_matches
from typing import TYPE_CHECKING, NoReturn

from acp_tui.protocol.elicitation import Value

if TYPE_CHECKING:
    from yaml import Node

_PLAIN = ("bool", "int", "float")


class ScriptError(Exception):
    """A script is invalid: the message says what is wrong, and what to do; `line` counts from 1."""

    def __init__(self, words: str, line: int = 1) -> None:
        super().__init__(words)
        self.line = line


def load_yaml(data: bytes) -> "ScriptPart":
    """Parse YAML. Raises ScriptError."""
    try:
        import yaml
    except ImportError:
        raise ScriptError("scripts need PyYAML, which isn't there: pip install pyyaml") from None
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ScriptError("this is not UTF-8: save the file as UTF-8", line) from None
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark is not None else 1
        problem = error.problem or error.context
        advice = "put a text with : # or a leading sign into quotes, and indent with spaces"
        raise ScriptError(f"this is not YAML: {problem}; {advice}", line) from None
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1
        raise ScriptError(
            "a control character; write it as \\x1b within double quotes", line
        ) from None
    except RecursionError:
        raise ScriptError("this is nested too deep for a script") from None
    if node is None:
        raise ScriptError("the script is empty: it needs `steps:`, each with a `prompt:`")
    return ScriptPart(node, "the script")


class ScriptPart:
    """A part of a script; `where` is its path, such as `steps[2].expect`."""

    def __init__(self, node: "Node", where: str) -> None:
        self._node = node
        self.where = where
        self.line: int = node.start_mark.line + 1

    def fail(self, words: str) -> NoReturn:
        """Raise ScriptError for this part."""
        raise ScriptError(f"{self.where}: {words}", self.line)

    @property
    def is_mapping(self) -> bool:
        return str(self._node.id) == "mapping"

    @property
    def is_empty(self) -> bool:
        """Whether the part has no value."""
        return self._node.id == "scalar" and str(self._node.tag).endswith(":null")

    def fields(
        self, known: Collection[str] | None, needed: Collection[str] = ()
    ) -> "dict[str, ScriptPart]":
        """Return the parts of a mapping by name. Raises ScriptError for a name that isn't `known`,
        and for a missing one of `needed`.
        """
        if not self.is_mapping:
            self.fail(f"NAME: VALUE lines are wanted{_listed(known)}, not {self._describe()}")
        found: dict[str, ScriptPart] = {}
        for key, value in self._node.value:
            name = ScriptPart(key, self.where).text()
            part = ScriptPart(value, name if self.where == "the script" else f"{self.where}.{name}")
            part.line = key.start_mark.line + 1
            if known is not None and name not in known:
                near = get_close_matches(name, list(known), 1)
                meant = f"; is {near[0]!r} meant?" if near else ""
                raise ScriptError(
                    f"{self.where}: there is no {name!r}{meant}{_listed(known)}", part.line
                )
            if name in found:
                raise ScriptError(f"{self.where}: {name!r} stands there twice: keep one", part.line)
            found[name] = part
        for name in needed:
            if name not in found:
                self.fail(f"{name!r} is missing: add a line `{name}: …`")
        return found

    def items(self) -> "list[ScriptPart]":
        """Return the parts of a list; any other part counts as a list of one."""
        if self._node.id != "sequence":
            return [self]
        return [
            ScriptPart(one, f"{self.where}[{at}]") for at, one in enumerate(self._node.value, 1)
        ]

    def text(self) -> str:
        """Return a text as it is written: `no` and `1.0` are texts here, too."""
        if self._node.id != "scalar" or self.is_empty:
            self.fail(f"a text is wanted, not {self._describe()}")
        value: str = self._node.value
        return value

    def filled(self) -> str:
        """Return a text that isn't blank."""
        text = self.text()
        if not text.strip():
            self.fail("this is empty: write a text, or leave the line out")
        return text

    def texts(self) -> tuple[str, ...]:
        """Return the texts of a list, or a single text."""
        return tuple(one.filled() for one in self.items())

    def choice(self, words: Collection[str]) -> str:
        """Return a text that is one of these words."""
        word = self.text()
        if word not in words:
            self.fail(f"one of {', '.join(words)} is wanted, not {word!r}")
        return word

    def truth(self) -> bool:
        """Return a boolean."""
        value = self.value()
        if not isinstance(value, bool):
            self.fail(f"true or false is wanted, not {self._describe()}")
        return value

    def count(self) -> int:
        """Return a whole number, 0 or more."""
        value = self.value()
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            self.fail(f"a whole number is wanted, not {self._describe()}")
        return value

    def seconds(self) -> float:
        """Return a number of seconds, over 0."""
        value = self.value()
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e6:
            self.fail(f"seconds are wanted, such as 30 or 0.5, not {self._describe()}")
        return float(value)

    def value(self) -> Value:
        """Return the value: a boolean, a number, a text, or a list of texts."""
        if self._node.id == "sequence":
            return [one.text() for one in self.items()]
        text = self.text()
        if self._node.tag.rpartition(":")[2] not in _PLAIN:
            return text
        from yaml.constructor import ConstructorError, SafeConstructor

        try:
            value: Value = SafeConstructor().construct_object(self._node)
        except (ConstructorError, ValueError):
            return text
        return value

    def _describe(self) -> str:
        if self.is_empty:
            return "nothing"
        names = {"mapping": "NAME: VALUE lines", "sequence": "a list"}
        return names.get(self._node.id) or repr(str(self._node.value)[:60])


def _listed(known: Collection[str] | None) -> str:
    return f" ({', '.join(known)})" if known else ""
