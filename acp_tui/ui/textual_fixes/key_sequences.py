"""Keys as terminals encode them: xterm, kitty, iTerm2, tmux and Windows Terminal.

Textual's own tables are used for sequences with a single meaning. Handled here is what Textual gets
wrong or doesn't know: kitty events with subfields (it raises ValueError), releases and lone
modifiers (it reports presses), keys without associated text, the base layout's key, modifyOtherKeys
and win32-input-mode.
"""

from functools import lru_cache
from unicodedata import category

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._keyboard_protocol import FUNCTIONAL_KEYS, MODIFIER_FUNCTIONAL_KEYS
from textual.events import Key
from textual.keys import KEY_NAME_REPLACEMENTS, _character_to_key

ESCAPE = "\x1b"
"""Escape; also the character of a key that a terminal sent as Escape and the key, whether that
means Alt or two keys.
"""
SHIFT, ALT, CTRL, SUPER, HYPER, META, CAPS_LOCK = (1 << bit for bit in range(7))
_MODIFIERS = {
    ALT: "alt",
    CTRL: "ctrl",
    HYPER: "hyper",
    META: "meta",
    SHIFT: "shift",
    SUPER: "super",
}
"""Names of modifiers, in Textual's order. Caps Lock and Num Lock are left out: Ctrl+C is Ctrl+C."""
_COMMANDS = ALT | CTRL | SUPER | HYPER | META
"""Modifiers with which a letter is a command rather than text."""
_IGNORED = {*MODIFIER_FUNCTIONAL_KEYS, "caps_lock", "num_lock", "scroll_lock"}
"""Keys that do nothing alone: where any key closes something, Shift must not."""
_KEYPAD = {
    "decimal": ".",
    "divide": "/",
    "multiply": "*",
    "subtract": "-",
    "add": "+",
    "equal": "=",
    "separator": ",",
} | {digit: digit for digit in "0123456789"}
_CHARACTERS = {"enter": "\r", "tab": "\t", "backspace": "\x7f"}
_PRIVATE_USE = range(0xE000, 0xF900)
"""The code points with which kitty numbers its keys; they are never characters."""
_LATIN = range(0x250)
"""Code points of layouts with shortcuts of their own rather than the base layout's."""
_LONGEST_NUMBER = 7
"""Most digits of a number in a key sequence. No code point has more, and `int` raises ValueError
for thousands.
"""

_WINDOWS_KEYS = {
    0x08: "backspace",
    0x09: "tab",
    0x0D: "enter",
    0x1B: "escape",
    0x21: "pageup",
    0x22: "pagedown",
    0x23: "end",
    0x24: "home",
    0x25: "left",
    0x26: "up",
    0x27: "right",
    0x28: "down",
    0x2D: "insert",
    0x2E: "delete",
} | {0x6F + number: f"f{number}" for number in range(1, 25)}
_WINDOWS_RIGHT_ALT, _WINDOWS_LEFT_ALT, _WINDOWS_RIGHT_CTRL, _WINDOWS_LEFT_CTRL = 1, 2, 4, 8
_WINDOWS_SHIFT = 16
_WINDOWS_ALT = 0x12
_SURROGATES = range(0xD800, 0xE000)


def character_key(character: str, *, alt: bool = False) -> Key:
    """Return the key of a character, or of that character with Alt if an Escape came before it."""
    name = _character_name(character)
    if not alt:
        return Key(name, character)
    if len(name) == 1 and name.isupper():
        name = f"shift+{name.lower()}"
    return Key(f"alt+{name}", ESCAPE)


def sequence_keys(sequence: str, *, alt: bool = False) -> list[Key] | None:
    """Return the keys of an escape sequence, [] if it is a key release; None if it isn't a key.

    With `alt`, an Escape came before it.
    """
    if sequence.startswith("\x1b["):
        keys = _extended_keys(sequence[2:-1], sequence[-1], ALT if alt else 0)
        if keys is not None:
            return keys
    known = ANSI_SEQUENCES_KEYS.get(sequence)
    if known is None:
        return None
    if isinstance(known, str):
        return [character_key(known, alt=alt)]
    if isinstance(known, tuple):
        return [Key(f"alt+{key.value}" if alt else key.value, None) for key in known]
    return []


class Surrogates:
    """Joins surrogates of characters outside the BMP, which win32-input-mode sends as two keys."""

    def __init__(self) -> None:
        self._high = ""

    def join(self, key: Key) -> Key | None:
        """Return the key of a complete character; None for one half."""
        high, self._high = self._high, ""
        character = key.character or ""
        if len(character) != 1 or ord(character) not in _SURROGATES:
            return key
        if character < "\udc00":
            self._high = character
            return None
        both = (high + character).encode("utf-16-le", "surrogatepass")
        return character_key(both.decode("utf-16-le")) if high else None


def _extended_keys(parameters: str, final: str, alt: int) -> list[Key] | None:
    fields = _fields(parameters)
    if fields is None:
        return None
    number = fields[0][0]
    if final == "_":
        return _windows_keys([field[0] or 0 for field in fields])
    modifiers, event = (*_field_at(fields, 1), None, None)[:2]
    held = (max(modifiers or 1, 1) - 1) | alt
    if event == 3:
        return []  # released
    if final == "u":
        return None if number is None else _kitty_keys(fields, held)
    if final == "~" and number == 27 and len(fields) == 3:
        code = fields[2][0]
        if code is not None and _is_digit(code):
            held &= ~SHIFT  # Shift selected the digit, as on a French keyboard
        return None if code is None else _kitty_keys([[code]], held)
    if final == "Z":
        return [_named_key("tab", held | SHIFT)]
    name = FUNCTIONAL_KEYS.get(f"{1 if number is None else number}{final}")
    if name is None or len(fields) > 3:
        return None
    return [_named_key(name, held)]


def _fields(parameters: str) -> list[list[int | None]] | None:
    """Return parameters with subfields; None if one isn't a number, or is too long for any key."""
    fields: list[list[int | None]] = []
    for field in parameters.split(";"):
        parts = field.split(":")
        if not all(
            len(part) <= _LONGEST_NUMBER and (not part or _is_number(part)) for part in parts
        ):
            return None
        fields.append([int(part) if part else None for part in parts])
    return fields


def _is_number(part: str) -> bool:
    return part.isascii() and part.isdecimal()


def _field_at(fields: list[list[int | None]], at: int) -> list[int | None]:
    return fields[at] if at < len(fields) else []


def _kitty_keys(fields: list[list[int | None]], held: int) -> list[Key] | None:
    code, shifted, base = (*fields[0], None, None)[:3]
    text = [chr(one) for one in _field_at(fields, 2) if one is not None and _is_text(one)]
    assert code is not None
    name = FUNCTIONAL_KEYS.get(f"{code}u") or ("backspace" if code == 8 else None)
    if name in _IGNORED:
        return []
    if name is not None and not text:
        character = _KEYPAD.get(name)
        if character is not None and not held & _COMMANDS:
            return [character_key(character)]
        return [_named_key(name, held)]
    if text:
        held &= ~(ALT | SHIFT)  # they selected the character
        return [Key(_name_with_modifiers(_character_name(one), held), one) for one in text]
    if not _is_character(code):
        return None
    if held & _COMMANDS:
        if base is not None and code not in _LATIN and _is_character(base):
            code = base
        return [Key(_name_with_modifiers(_character_name(_lower_letter(chr(code))), held), None)]
    if held & SHIFT and shifted is None and _is_digit(code):
        return [_named_key(chr(code), held)]  # not the digit; the actual character is unknown
    return [character_key(_typed_character(chr(code), shifted, held))]


def _typed_character(character: str, shifted: int | None, held: int) -> str:
    """Return the character of a key for which the terminal doesn't report text."""
    if held & SHIFT and shifted is not None and _is_character(shifted):
        return chr(shifted)
    upper = character.upper()
    return upper if held & (SHIFT | CAPS_LOCK) and len(upper) == 1 else character


def _windows_keys(numbers: list[int]) -> list[Key] | None:
    """Return the keys of win32-input-mode: virtual key, scan code, UTF-16, down, state, count."""
    if len(numbers) > 6:
        return None
    virtual, _, unit, is_down, state, count = [*numbers, *(0, 0, 0, 0, 0, 1)[len(numbers) :]]
    if not is_down:
        is_number = virtual == _WINDOWS_ALT and _is_text(unit)  # typed on the keypad with Alt held
        return [character_key(chr(unit))] if is_number else []
    if unit in _SURROGATES:
        return [Key(f"surrogate_{unit:x}", chr(unit))]
    held = SHIFT if state & _WINDOWS_SHIFT else 0
    held |= ALT if state & (_WINDOWS_LEFT_ALT | _WINDOWS_RIGHT_ALT) else 0
    held |= CTRL if state & (_WINDOWS_LEFT_CTRL | _WINDOWS_RIGHT_CTRL) else 0
    is_alt_gr = bool(state & _WINDOWS_RIGHT_ALT) and bool(state & _WINDOWS_LEFT_CTRL)
    name = _WINDOWS_KEYS.get(virtual)
    if name is not None:
        key = _named_key(name, held)
    elif _is_character(unit) and (is_alt_gr or not held & (ALT | CTRL)):
        key = character_key(chr(unit))
    elif held & (ALT | CTRL) and virtual < 0x80 and chr(virtual).isalnum():
        key = Key(_name_with_modifiers(chr(virtual).lower(), held), None)
    elif virtual == 0x20 or _is_character(unit):
        key = Key(
            _name_with_modifiers(_character_name(" " if virtual == 0x20 else chr(unit)), held), None
        )
    else:
        return []  # a modifier, or a dead key
    return [Key(key.key, key.character) for _ in range(min(max(count, 1), 100))]


def _named_key(name: str, held: int) -> Key:
    plain = not held & (_COMMANDS | SHIFT)
    return Key(_name_with_modifiers(name, held), _CHARACTERS.get(name) if plain else None)


def _name_with_modifiers(key: str, held: int) -> str:
    return "+".join([*(name for bit, name in _MODIFIERS.items() if held & bit), key])


def _is_character(code: int) -> bool:
    """Return whether a code point can be typed: no control character, surrogate or key number."""
    return 0 < code <= 0x10FFFF and code not in _PRIVATE_USE and chr(code).isprintable()


def _is_digit(code: int) -> bool:
    return ord("0") <= code <= ord("9")


def _is_text(code: int) -> bool:
    """Return whether a code point can be part of text, including format characters."""
    return _is_character(code) or (0x7F < code <= 0x10FFFF and category(chr(code)) == "Cf")


def _lower_letter(character: str) -> str:
    lower = character.lower()
    return lower if len(lower) == 1 else character


@lru_cache(maxsize=1024)
def _character_name(character: str) -> str:
    known = ANSI_SEQUENCES_KEYS.get(character)
    if isinstance(known, tuple):
        return str(known[0].value)
    name = character if character.isalnum() else _character_to_key(character)
    return KEY_NAME_REPLACEMENTS.get(name, name)
