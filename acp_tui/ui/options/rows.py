"""The rows of the options dialog: options with their values, the account, providers and usage."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content

from acp_tui.formatting import duration, reset_words
from acp_tui.protocol.config_options import BooleanConfigOption, SelectConfigOption, SelectGroup
from acp_tui.state.commands import (
    Command,
    DisableProvider,
    Logout,
    SetConfigOption,
    SetMode,
    SetModel,
)
from acp_tui.state.modes import Mode, available_modes, current_mode
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.state.subagents import condition_of, descendants_of, name_of, seconds_of, tokens_of
from acp_tui.text import clean_line, clean_title, one_line
from acp_tui.ui.keys import key_name
from acp_tui.ui.toolkit.dialogs.picker import Item

NAME = 24
"""The cell at which the values begin."""
IN_A_ROW = 44
"""Most cells of an option's values if all are shown in its row."""
SIGN = 4
"""Cells for the sign before a value and the gap after it."""
UNCONFIRMED = "set, but not confirmed by the agent"
_SIGNED_IN = {
    "authenticated": "signed in",
    "unauthenticated": "not signed in",
    "not_required": "no sign-in needed",
}


@dataclass(frozen=True, slots=True)
class Opens:
    """The choice that opens a list of values: those of the option `of`, or of the `kind` if that is
    None.
    """

    kind: str
    of: str | None = None


@dataclass(frozen=True, slots=True)
class SignsIn:
    """The choice of a sign-in method."""

    method_id: str


@dataclass(frozen=True, slots=True)
class SetsProvider:
    """The choice of an API type for a provider, whose address is asked for."""

    provider_id: str
    api_type: str
    base_url: str


Choice = Opens | SignsIn | SetsProvider | Command


Rows = Iterator[Item[Choice]]


def option_rows(session: Session) -> Rows:
    """Yield a row for each option of the session, with its value."""
    session_id = session.session_id
    categories = set()
    for option in session.config.options or []:
        if isinstance(option, SelectConfigOption):
            categories |= {option.category, *_categories_of(session, option)}
            named = [(choice.value, choice.name) for choice in option.choices]
            value = _draw_chosen(option.current_value, named)
            if option.id in session.config.unconfirmed:
                value = Content.styled(UNCONFIRMED, "$warning")
            what = Opens("option", option.id)
            yield _option_row(option.name, value, option.category, option.description, what)
        elif isinstance(option, BooleanConfigOption):
            sign = "☑ on" if option.current_value else "☐ off"
            if option.id in session.config.unconfirmed:
                sign = UNCONFIRMED
            toggle = SetConfigOption(session_id, option.id, not option.current_value)
            yield _option_row(option.name, sign, option.category, option.description, toggle)
    if session.config.modes is not None and "mode" not in categories:
        ids = [(one.id, one.name) for one in session.config.modes.available_modes]
        value = _draw_chosen(session.config.modes.current_mode_id, ids)
        mode = current_mode(session)
        description = mode.description if mode is not None else None
        yield _option_row("Mode", value, None, description, Opens("mode"))
    if session.config.models is not None and "model" not in categories:
        ids = [(one.model_id, one.name) for one in session.config.models.available_models]
        value = _draw_chosen(session.config.models.current_model_id, ids)
        yield _option_row("Model", value, None, None, Opens("model"))


def system_prompt_row(session: Session) -> Rows:
    """Yield the row of the system prompt with which the session was opened."""
    prompt = session.system_prompt
    if prompt is not None:
        how = "in place of its own" if prompt.mode == "override" else "after its own"
        yield _option_row("System prompt", how, None, one_line(prompt.text), Opens("system prompt"))


def system_prompt_lines(session: Session) -> Rows:
    """Yield the lines of the system prompt."""
    for line in (session.system_prompt.text if session.system_prompt else "").splitlines():
        yield Item(Content(clean_line(line)))


def value_rows(session: Session, what: Opens) -> Rows:
    """Yield a row for each value of an option."""
    session_id = session.session_id
    if what.kind == "mode" and session.config.modes is not None:
        current = session.config.modes.current_mode_id
        modes = available_modes(session)
        width = _widest_name(_mode_name(mode) for mode in modes)
        for mode in modes:
            command: Command = SetMode(session_id, mode.id)
            yield _value_row(_mode_name(mode), mode.description, mode.id == current, command, width)
    elif what.kind == "model" and session.config.models is not None:
        current = session.config.models.current_model_id
        width = _widest_name(
            clean_title(model.name) for model in session.config.models.available_models
        )
        for model in session.config.models.available_models:
            command = SetModel(session_id, model.model_id)
            name, is_current = clean_title(model.name), model.model_id == current
            yield _value_row(name, model.description, is_current, command, width)
    for option in session.config.options or []:
        if isinstance(option, SelectConfigOption) and option.id == what.of:
            is_mode = option == session.config.option("mode")
            known = {mode.id: mode for mode in available_modes(session)} if is_mode else {}
            yield from _config_value_rows(session_id, option, known)


def _categories_of(session: Session, option: SelectConfigOption) -> Iterator[str]:
    """Yield "mode" or "model" if an option is for that, even without the category."""
    return (one for one in ("mode", "model") if option == session.config.option(one))


def _mode_name(mode: Mode) -> str:
    """Return a mode's name, made safe to draw, with a sign if the mode skips approval."""
    name = clean_title(mode.name)
    return f"▲ {name}" if mode.no_approval_phrase else name


def _config_value_rows(session_id: str, option: SelectConfigOption, modes: dict[str, Mode]) -> Rows:
    names = {one.value: clean_title(one.name) for one in option.choices}
    names |= {mode.id: _mode_name(mode) for mode in modes.values()}
    width = _widest_name(names.values())
    for entry in option.options:
        grouped = isinstance(entry, SelectGroup)
        if isinstance(entry, SelectGroup):
            yield Item(Content.styled(clean_title(entry.name), "bold $accent"))
        for choice in entry.options if isinstance(entry, SelectGroup) else [entry]:
            command = SetConfigOption(session_id, option.id, choice.value)
            current = choice.value == option.current_value
            description = modes[choice.value].description if modes else choice.description
            yield _value_row(
                names[choice.value], description, current, command, width, indent=grouped
            )


def account_rows(state: State) -> Rows:
    """Yield the account if it is known, the ways to sign in and out, and the providers."""
    peer = state.peer
    if peer.auth_status is not None:
        words = _SIGNED_IN.get(peer.auth_status.state, "unknown")
        yield _fact_row("Account", words, "")
        for one in peer.auth_status.accounts:
            person = "  ".join(filter(None, (one.name, one.email, one.organization)))
            yield _fact_row("", f"{'● ' if one.active else ''}{one.label}", person)
    methods = peer.initialized.auth_methods if peer.initialized is not None else []
    for method in methods:
        yield _option_row("Sign in", method.name, None, method.description, SignsIn(method.id))
    if peer.offers("logout"):
        yield _option_row("Sign out", "", None, None, Logout())
    for provider in peer.providers or []:
        current = provider.current
        words = f"{current.api_type}  {current.base_url}" if current else "disabled"
        what = Opens("provider", provider.provider_id)
        yield _option_row("Provider", provider.provider_id, None, words, what)
    if peer.unread_providers:
        words = f"{key_name('f12')} shows what was sent"
        yield _fact_row("Provider", f"{peer.unread_providers} can't be read", words)


def usage_rows(state: State, session: Session | None) -> Rows:
    """Yield the rows about usage: cost, context, quota, tokens and subagents."""
    if session is not None and session.usage.cost is not None:
        yield _fact_row(
            "Cost",
            f"{session.usage.cost.amount:,.2f} {session.usage.cost.currency}",
            "of this session",
        )
    if session is not None and session.usage.used is not None and session.usage.size is not None:
        yield _fact_row(
            "Context", f"{session.usage.used:,} of {session.usage.size:,}", "tokens in use"
        )
    yield from quota_rows(state, session)
    yield from subagent_rows(state, session)


def quota_rows(state: State, session: Session | None) -> Rows:
    """Yield the used share of the plan's limits, and the session's tokens by model."""
    now = time.time()
    for window in state.quota.values():
        if window.is_over(now):
            yield _fact_row("Quota", window.name, "was reset; the agent hasn't reported it since")
        else:
            words = f"{window.percent}. {reset_words(window.resets_at, now)}"
            yield _fact_row("Quota", window.name, words)
    for model, tokens in session.usage.model_tokens.items() if session is not None else ():
        yield _fact_row("Tokens", model, f"{tokens:,} in this session")


def subagent_rows(state: State, session: Session | None) -> Rows:
    """Yield a row for each subagent: its condition, duration and usage."""
    for child in descendants_of(state, session.session_id) if session is not None else ():
        about, words = child.subagent, [condition_of(state, child).value]
        if about is not None and about.ended is not None:
            seconds = seconds_of(child, about.ended)
            words += [] if seconds is None else [duration(seconds)]
        tokens = tokens_of(child)
        if tokens is not None:
            words.append(f"{tokens:,} tokens")
        if child.usage.cost is not None:
            words.append(f"{child.usage.cost.amount:,.2f} {child.usage.cost.currency}")
        yield _fact_row("Subagent", name_of(state, child.session_id), " · ".join(words))


def provider_choices(state: State, provider_id: str) -> Rows:
    """Yield the actions for a provider."""
    for provider in state.peer.providers or []:
        if provider.provider_id != provider_id:
            continue
        current = provider.current
        for api in provider.supported:
            chosen = current is not None and current.api_type == api
            sets = SetsProvider(provider_id, api, current.base_url if current else "")
            yield _value_row(clean_title(api), "Set its address", chosen, sets)
        if current is not None and not provider.required:
            yield _value_row("Disable it", None, False, DisableProvider(provider_id))


def _fact_row(name: str, value: str, small: str) -> Item[Choice]:
    """Return a row that can't be chosen."""
    return Item(_option_row(name, value, None, small, Opens("")).row)


def _draw_chosen(value: str, choices: Sequence[tuple[str, str]]) -> Content:
    """Draw the current value, or all values if they are few and short."""
    names = [(id, clean_title(name)) for id, name in choices]
    current = next((name for id, name in names if id == value), clean_title(value))
    fits = sum(cell_len(name) + SIGN for _, name in names) <= IN_A_ROW
    if not fits or value not in dict(names):
        return Content.styled(current, "$accent")
    return Content("  ").join(
        Content.assemble(
            _sign_of(id == value), (name, "bold $accent" if id == value else "$text-muted")
        )
        for id, name in names
    )


def _sign_of(current: bool) -> tuple[str, str]:
    return ("● ", "$success") if current else ("○ ", "$text-muted")


def _option_row(
    name: str, value: Content | str, category: str | None, description: str | None, what: Choice
) -> Item[Choice]:
    name = clean_title(name)
    shown = Content.styled(clean_line(value), "$accent") if isinstance(value, str) else value
    small = clean_line(description or "")
    row = Content.assemble(
        (name.ljust(NAME), "bold"),
        shown.pad_right(max(1, NAME - shown.cell_length)),
        (f" {small}", "$text-muted"),
    )
    return Item(row, what, f"{name} {shown.plain} {category or ''}", about=small)


def _value_row(
    name: str,
    description: str | None,
    current: bool,
    command: Choice,
    width: int = 0,
    *,
    indent: bool = False,
) -> Item[Choice]:
    """Return the row of a value; its `name` must be safe to draw."""
    description = clean_line(description or "")
    row = Content.assemble(
        "  " if indent else "",
        _sign_of(current),
        (name.ljust(width), "bold" if current else "$foreground"),
        (f"  {description}", "$text-muted"),
    )
    return Item(row, command, f"{name} {description}", about=description)


def _widest_name(names: Iterable[str]) -> int:
    """Return the cells of the longest name, at most `NAME`."""
    return min(NAME, max((cell_len(one) for one in names), default=0))
