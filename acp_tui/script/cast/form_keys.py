"""The keys that fill in a form, from its first field on."""

from collections.abc import Iterator, Mapping

from acp_tui.protocol.elicitation import (
    BooleanProperty,
    Form,
    FormProperty,
    MultiSelectProperty,
    StringProperty,
    UnknownProperty,
    Value,
)
from acp_tui.session.forms import initial_values
from acp_tui.text import clean_line

NEXT, GO_ON, CHOOSE = "\t", "\r", " "
_UP, _DOWN = "\x1b[A", "\x1b[B"
_CLEAR = "\x05\x15"
"""To the end of the line, and delete all before it."""
_DECLINE = "2"


def untypable(form: Form, content: Mapping[str, Value]) -> dict[str, str]:
    """Return which values no keys can fill in, and why."""
    found = {}
    for name, value in content.items():
        field = form.properties.get(name)
        if field is None or _options(field) is not None:
            continue
        text = str(value)
        if text != _initial_text(field) and not text.isprintable():
            found[name] = "can't be typed: a line break or a control character is in it"
        elif not text and name in (form.required or []):
            found[name] = "can't be sent empty by keys"
    return found


def filling(form: Form, content: Mapping[str, Value]) -> Iterator[str]:
    """Yield what to press, one key or word after the other; the last one sends the form."""
    fields = {name: one for name, one in form.properties.items() if _takes_keys(one)}
    last = ""
    for name, field in fields.items():
        for last in _filling(field, content.get(name)):
            yield last
    if last != GO_ON:
        yield GO_ON  # on "Send", behind the last field


def declining(form: Form) -> Iterator[str]:
    """Yield what to press to decline: through all fields to what stands below them."""
    for field in form.properties.values():
        if _takes_keys(field):
            yield NEXT
    yield _DECLINE


def is_as_meant(form: Form, meant: Mapping[str, Value], sent: Mapping[str, Value]) -> bool:
    """Whether a form was sent as it was meant; options have the form's order, and none is nothing."""
    return _comparable(form, meant) == _comparable(form, sent)


def _comparable(form: Form, content: Mapping[str, Value]) -> dict[str, object]:
    empty = [] if form.required is None else form.required
    return {
        name: sorted(set(value)) if isinstance(value, list) else value
        for name, value in content.items()
        if name in empty or value not in ("", [])
    }


def _takes_keys(field: FormProperty) -> bool:
    return not isinstance(field, UnknownProperty)


def _options(field: FormProperty) -> list[Value] | None:
    """Return what a field offers to choose from; None if it is written."""
    if isinstance(field, BooleanProperty):
        return [True, False]
    if isinstance(field, MultiSelectProperty) or (
        isinstance(field, StringProperty) and field.choices
    ):
        return [one.const for one in field.choices]
    return None


def _filling(field: FormProperty, value: Value | None) -> Iterator[str]:
    options = _options(field)
    if options is None:
        yield from _writing(field, value)
    elif isinstance(field, MultiSelectProperty):
        yield from _choosing(field, options, value if isinstance(value, list) else [])
    elif value is None:
        yield NEXT  # Enter would choose what is marked
    else:
        yield from _moving(_marked(field, options), options.index(value))
        yield GO_ON


def _writing(field: FormProperty, value: Value | None) -> Iterator[str]:
    text, there = "" if value is None else str(value), _initial_text(field)
    if text != there:
        if there:
            yield _CLEAR
        if text:
            yield text
    yield GO_ON


def _choosing(field: MultiSelectProperty, options: list[Value], wanted: list[str]) -> Iterator[str]:
    at = _marked(field, options)
    chosen = _initial(field)
    for number, option in enumerate(options):
        if (option in wanted) != (option in chosen):
            yield from _moving(at, number)
            yield CHOOSE
            at = number
    yield GO_ON


def _moving(begin: int, end: int) -> Iterator[str]:
    yield from [_DOWN if end > begin else _UP] * abs(end - begin)


def _marked(field: FormProperty, options: list[Value]) -> int:
    """Return which option is marked at the beginning: the first that is chosen, or the first one."""
    chosen = _initial(field)
    return next((at for at, option in enumerate(options) if option in chosen), 0)


def _initial(field: FormProperty) -> list[Value]:
    """Return what is chosen at the beginning."""
    default = initial_values(Form(properties={"it": field})).get("it")
    if isinstance(default, list):
        return list(default)
    return [] if default is None else [default]


def _initial_text(field: FormProperty) -> str:
    """Return what stands in a field at the beginning, in one line."""
    return "".join(clean_line(str(one)) for one in _initial(field))
