"""The table of all settings in `docs/settings.md`."""

from typing import Any

from acp_tui.config.settings_table import Setting, all_settings
from acp_tui.config.settings_text import toml_value

BEGIN = "<!-- `make pages` writes what follows -->"
END = "<!-- end of the table -->"


def settings_page(page: str) -> str:
    """Return the page with the table as the code has it."""
    before, _, rest = page.partition(BEGIN)
    return before + BEGIN + "\n\n" + _table() + "\n" + END + rest.partition(END)[2]


def _table() -> str:
    lines = [
        "| Setting | What it may be | Default | What it does | A change holds | Variable | Option |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    lines += [_row(one) for one in all_settings()]
    return "\n".join(lines) + "\n"


def _row(one: Setting) -> str:
    name = f"`{one.name}` \\*" if one.in_projects else f"`{one.name}`"
    variable = f"`{one.variable}`" if one.variable else ""
    flag = ", ".join(f"`{each}`" for each in one.flag.split(", ") if each)
    holds = one.holds.replace("from now on", "at once")
    cells = (name, one.kind, _shown(one.default), one.words, holds, variable, flag)
    return f"| {' | '.join(cells)} |"


def _shown(default: Any) -> str:
    return "" if default in (None, "", [], {}) else f"`{toml_value(default)}`"
