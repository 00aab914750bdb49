"""The list of all settings, with their values, defaults and origins."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_args

from textual.content import Content

from acp_tui.config.layers import SettingValue
from acp_tui.config.settings_text import toml_value
from acp_tui.config.themes import theme_files
from acp_tui.text import clean_line
from acp_tui.ui.keys import SETTINGS
from acp_tui.ui.toolkit.dialogs.picker import Item, Picker, SecondLevel
from acp_tui.ui.toolkit.shortened import crop_text

if TYPE_CHECKING:
    from acp_tui.ui.settings.feature import SettingsFeature

NAME, VALUE, DEFAULT = 26, 24, 18
"""Widths of the columns in cells; the rest is for the origin of a value."""
WIDE = 90
"""Width of a row in cells from which there is a column for defaults, which the note shows, too."""


class SettingsScreen(Picker[str]):
    """Lists the settings; choosing one lists its values."""

    BINDINGS = SETTINGS

    def __init__(self, values: Sequence[SettingValue], settings: "SettingsFeature") -> None:
        super().__init__("Search the settings")
        self._settings = settings
        self._level = SecondLevel[str](self)
        self._values = {one.setting.name: one for one in values}

    def show_values(self, values: Sequence[SettingValue]) -> None:
        """Show the current values."""
        self._level = SecondLevel[str](self)
        self._values = {one.setting.name: one for one in values}
        if self.is_mounted:
            self.show()

    def show_message(self, words: str) -> None:
        """Show the result of a change in place of the keys."""
        self._frame.show_message(words)

    def heading(self) -> Content:
        name = f"  {self._level.opened}" if self._level.opened is not None else ""
        return Content.assemble(("Settings", "bold"), (name, "bold $accent"))

    def note(self) -> Content:
        one = self._values.get(self._level.opened or self.marked or "")
        if one is None:
            return Content()
        setting = one.setting
        ways = ", ".join(filter(None, (setting.flag, setting.variable)))
        late = f"; a change holds {setting.takes_effect}" if setting.is_deferred else ""
        return Content.assemble(
            setting.sentence,
            (
                f"\n{setting.expected}; default {setting.formatted(setting.default)}; also {ways}{late}",
                "$text-muted",
            ),
        )

    def items(self) -> Sequence[Item[str]]:
        if self._level.opened is not None:
            setting = self._values[self._level.opened]
            now = "" if setting.value is None else setting.setting.formatted(setting.value)
            return [
                Item(Content(f"{'●' if one == now else '○'} {one}"), one, one)
                for one in setting_choices(setting)
            ]
        differs = any(one.origin != "default" for one in self._values.values())
        default = DEFAULT if differs and self.room >= WIDE else 0
        head = f"{'Setting':{NAME}}{'Value':{VALUE}}{'Default'[:default]:{default}}From"
        terms = self.written.lower().split()
        found = sorted(
            self._values.values(), key=lambda one: not _is_named(one.setting.name, terms)
        )
        rows = [_item(one, default) for one in found]
        return [Item(Content.styled(head, "$text-muted"), always_shown=True), *rows]

    def keys(self) -> list[tuple[str, str]]:
        if self._level.opened is not None:
            is_set = self._values[self._level.opened].origin == "user"
            reset = [("delete", "back to the default")] if is_set else []
            return [("enter", "save"), *reset, ("escape", "back")]
        return [("enter", "change"), ("delete", "back to the default"), ("escape", "back")]

    def action_reset(self) -> None:
        """Remove the marked setting from the user's file, if it is there."""
        one = self._values.get(self._level.opened or self.marked or "")
        if one is None or one.origin != "user":
            self.show_message("your settings don't set it")
            return
        self._settings.reset(one)
        if self._level.opened is not None:
            self._level.open(None)

    def chosen(self, value: str) -> None:
        if self._level.opened is not None:
            kind = self._values[self._level.opened].setting.kind
            self._settings.change(
                self._level.opened, value == "true" if kind == "true, false" else value
            )
            self._level.open(None)
        elif setting_choices(self._values[value]):
            self._level.open(value)
        else:
            one = self._values[value]
            plain = isinstance(one.value, str) or one.value is None
            self._settings.ask(one, str(one.value or "") if plain else toml_value(one.value))

    def action_close(self) -> None:
        """Go back to the settings; from there, close."""
        self._level.close()


def _is_named(name: str, terms: Sequence[str]) -> bool:
    """Return whether each term is the beginning of a word in a setting's name."""
    words = name.replace("_", ".").split(".")
    return all(any(word.startswith(term) for word in words) for term in terms)


def setting_choices(one: SettingValue) -> Sequence[str]:
    """Return the possible values of a setting; [] if it takes any text or number."""
    setting = one.setting
    if setting.name == "theme":
        return list(theme_files())
    if setting.kind == "true, false":
        return ["true", "false"]
    return _literals(setting.hint) if "list" not in setting.kind else []


def _literals(hint: Any) -> list[str]:
    found = [one for one in get_args(hint) if isinstance(one, str)]
    return found or [word for part in get_args(hint) for word in _literals(part)]


def _item(one: SettingValue, default_width: int) -> Item[str]:
    name = one.setting.name
    default = (
        crop_text(one.setting.formatted(one.setting.default), DEFAULT - 2) if default_width else ""
    )
    is_set = one.origin != "default"
    where = clean_line(one.place.rpartition("/")[2]) if is_set else ""
    if one.origin == "project":
        where = f"project's {where}"
    value = crop_text(clean_line(one.setting.formatted(one.value)), VALUE - 2)
    row = Content.assemble(
        (f"{name:{NAME}}", "$foreground"),
        (f"{value:{VALUE}}", "bold $accent" if is_set else "$foreground"),
        (f"{default if is_set else '':{default_width}}", "$text-muted"),
        (where, "$text-muted"),
    )
    return Item(row, name, f"{name} {one.setting.words} {value} {where}")
