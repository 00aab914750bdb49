"""The options of a session: what they are set to, and what else they could be, in the agent's order."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from acp_tui.formatting import duration, reset_words
from acp_tui.host.agent import Agent
from acp_tui.protocol.setup import (
    BooleanConfigOption,
    SelectConfigOption,
    SelectGroup,
)
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
from acp_tui.state.subagents import condition_of, descendants_of, name_of, tokens_of
from acp_tui.text import clean_line, clean_title, one_line
from acp_tui.ui.keys import key_name
from acp_tui.ui.toolkit.dialogs.picker import Item, Picker

if TYPE_CHECKING:
    from acp_tui.ui.options.feature import OptionsFeature

NAME = 24
"""Where the second column begins."""
IN_A_ROW = 44
"""Cells up to which the values of an option are listed in one row."""
SIGN = 4
"""Cells of the sign of a value, and of the gap to the next one."""

UNCONFIRMED = "set, but not confirmed by the agent"
_SIGNED_IN = {
    "authenticated": "signed in",
    "unauthenticated": "not signed in",
    "not_required": "no sign-in needed",
}


@dataclass(frozen=True, slots=True)
class Opens:
    """Choosing this shows what its values are; `of` is an option's id, or None for `kind`."""

    kind: str
    of: str | None = None


@dataclass(frozen=True, slots=True)
class SignsIn:
    """Choosing this signs in by this method."""

    method_id: str


@dataclass(frozen=True, slots=True)
class SetsProvider:
    """Choosing this asks for an address, at which a provider is reached from then on."""

    provider_id: str
    api_type: str
    base_url: str


Choice = Opens | SignsIn | SetsProvider | Command
Rows = Iterator[Item[Choice]]


def option_rows(session: Session) -> Rows:
    """Yield a row for every option of the session, with its value."""
    session_id = session.session_id
    categories = set()
    for option in session.config_options or []:
        if isinstance(option, SelectConfigOption):
            categories |= {option.category, *_categories_of(session, option)}
            named = [(choice.value, choice.name) for choice in option.choices]
            value = _chosen(option.current_value, named)
            if option.id in session.unconfirmed:
                value = Content.styled(UNCONFIRMED, "$warning")
            what = Opens("option", option.id)
            yield _option(option.name, value, option.category, option.description, what)
        elif isinstance(option, BooleanConfigOption):
            sign = "☑ on" if option.current_value else "☐ off"
            if option.id in session.unconfirmed:
                sign = UNCONFIRMED
            toggle = SetConfigOption(session_id, option.id, not option.current_value)
            yield _option(option.name, sign, option.category, option.description, toggle)
    if session.modes is not None and "mode" not in categories:
        ids = [(one.id, one.name) for one in session.modes.available_modes]
        value = _chosen(session.modes.current_mode_id, ids)
        mode = current_mode(session)
        said = mode.description if mode is not None else None
        yield _option("Mode", value, None, said, Opens("mode"))
    if session.models is not None and "model" not in categories:
        ids = [(one.model_id, one.name) for one in session.models.available_models]
        value = _chosen(session.models.current_model_id, ids)
        yield _option("Model", value, None, None, Opens("model"))


def system_prompt_row(session: Session) -> Rows:
    """Yield the row of the system prompt that the session was opened with."""
    prompt = session.system_prompt
    if prompt is not None:
        how = "in place of its own" if prompt.mode == "override" else "after its own"
        yield _option("System prompt", how, None, one_line(prompt.text), Opens("system prompt"))


def system_prompt_lines(session: Session) -> Rows:
    """Yield the lines of the system prompt."""
    for line in (session.system_prompt.text if session.system_prompt else "").splitlines():
        yield Item(Content(clean_line(line)))


def value_rows(session: Session, what: Opens) -> Rows:
    """Yield the values of one option."""
    session_id = session.session_id
    if what.kind == "mode" and session.modes is not None:
        current = session.modes.current_mode_id
        modes = available_modes(session)
        width = _widest(_mode_name(mode) for mode in modes)
        for mode in modes:
            command: Command = SetMode(session_id, mode.id)
            yield _value(_mode_name(mode), mode.description, mode.id == current, command, width)
    elif what.kind == "model" and session.models is not None:
        current = session.models.current_model_id
        width = _widest(clean_title(model.name) for model in session.models.available_models)
        for model in session.models.available_models:
            command = SetModel(session_id, model.model_id)
            name, is_current = clean_title(model.name), model.model_id == current
            yield _value(name, model.description, is_current, command, width)
    for option in session.config_options or []:
        if isinstance(option, SelectConfigOption) and option.id == what.of:
            is_mode = option == session.option("mode")
            known = {mode.id: mode for mode in available_modes(session)} if is_mode else {}
            yield from _config_values(session_id, option, known)


def _categories_of(session: Session, option: SelectConfigOption) -> Iterator[str]:
    """Yield the categories that an option stands for without naming them."""
    return (one for one in ("mode", "model") if option == session.option(one))


def _mode_name(mode: Mode) -> str:
    """Return the name of a mode made safe to draw, marked if the agent doesn't ask in it."""
    name = clean_title(mode.name)
    return f"▲ {name}" if mode.no_approval_phrase else name


def _config_values(session_id: str, option: SelectConfigOption, modes: dict[str, Mode]) -> Rows:
    names = {one.value: clean_title(one.name) for one in option.choices}
    names |= {mode.id: _mode_name(mode) for mode in modes.values()}
    width = _widest(names.values())
    for entry in option.options:
        grouped = isinstance(entry, SelectGroup)
        if isinstance(entry, SelectGroup):
            yield Item(Content.styled(clean_title(entry.name), "bold $accent"))
        for choice in entry.options if isinstance(entry, SelectGroup) else [entry]:
            command = SetConfigOption(session_id, option.id, choice.value)
            current = choice.value == option.current_value
            said = modes[choice.value].description if modes else choice.description
            yield _value(names[choice.value], said, current, command, width, indent=grouped)


def account_rows(state: State) -> Rows:
    """Yield who is signed in, if the agent reports it, how to sign in and out, and the providers."""
    peer = state.peer
    if peer.auth_status is not None:
        words = _SIGNED_IN.get(peer.auth_status.state, "unknown")
        yield _fact("Account", words, "")
        for one in peer.auth_status.accounts:
            person = "  ".join(filter(None, (one.name, one.email, one.organization)))
            yield _fact("", f"{'● ' if one.active else ''}{one.label}", person)
    methods = peer.initialized.auth_methods if peer.initialized is not None else []
    for method in methods:
        yield _option("Sign in", method.name, None, method.description, SignsIn(method.id))
    if peer.offers("logout"):
        yield _option("Sign out", "", None, None, Logout())
    for provider in peer.providers or []:
        current = provider.current
        words = f"{current.api_type}  {current.base_url}" if current else "disabled"
        what = Opens("provider", provider.provider_id)
        yield _option("Provider", provider.provider_id, None, words, what)
    if peer.unread_providers:
        words = f"{key_name('f12')} shows what was sent"
        yield _fact("Provider", f"{peer.unread_providers} can't be read", words)


def usage_rows(state: State, session: Session | None) -> Rows:
    """Yield the rows about usage: cost, context, quota, tokens, and the subagents."""
    if session is not None and session.cost is not None:
        yield _fact(
            "Cost", f"{session.cost.amount:,.2f} {session.cost.currency}", "of this session"
        )
    if session is not None and session.used is not None and session.size is not None:
        yield _fact("Context", f"{session.used:,} of {session.size:,}", "tokens in use")
    yield from quota_rows(state, session)
    yield from subagent_rows(state, session)


def quota_rows(state: State, session: Session | None) -> Rows:
    """Yield how much of the plan's limits is used, and the tokens of each model in the session."""
    now = time.time()
    for window in state.quota.values():
        if window.is_over(now):
            yield _fact("Quota", window.name, "was reset; the agent hasn't reported it since")
        else:
            words = f"{window.percent}. {reset_words(window.resets_at, now)}"
            yield _fact("Quota", window.name, words)
    for model, tokens in session.model_tokens.items() if session is not None else ():
        yield _fact("Tokens", model, f"{tokens:,} in this session")


def subagent_rows(state: State, session: Session | None) -> Rows:
    """Yield the subagents of a session: what each does or did, how long, and what it used."""
    for child in descendants_of(state, session.session_id) if session is not None else ():
        about, words = child.subagent, [condition_of(state, child).value]
        if about is not None and about.began is not None and about.ended is not None:
            words.append(duration(about.ended - about.began))
        tokens = tokens_of(child)
        if tokens is not None:
            words.append(f"{tokens:,} tokens")
        if child.cost is not None:
            words.append(f"{child.cost.amount:,.2f} {child.cost.currency}")
        yield _fact("Subagent", name_of(state, child.session_id), " · ".join(words))


def provider_choices(state: State, provider_id: str) -> Rows:
    """Yield what can be done with a provider."""
    for provider in state.peer.providers or []:
        if provider.provider_id != provider_id:
            continue
        current = provider.current
        for api in provider.supported:
            chosen = current is not None and current.api_type == api
            sets = SetsProvider(provider_id, api, current.base_url if current else "")
            yield _value(clean_title(api), "Set its address", chosen, sets)
        if current is not None and not provider.required:
            yield _value("Disable it", None, False, DisableProvider(provider_id))


def _fact(name: str, value: str, small: str) -> Item[Choice]:
    """Return a row that can't be chosen."""
    return Item(_option(name, value, None, small, Opens("")).row)


def _chosen(value: str, choices: Sequence[tuple[str, str]]) -> Content:
    """Draw the value that is set; where there are few short ones, all of them."""
    names = [(id, clean_title(name)) for id, name in choices]
    current = next((name for id, name in names if id == value), clean_title(value))
    fits = sum(cell_len(name) + SIGN for _, name in names) <= IN_A_ROW
    if not fits or value not in dict(names):
        return Content.styled(current, "$accent")
    return Content("  ").join(
        Content.assemble(
            _sign(id == value), (name, "bold $accent" if id == value else "$text-muted")
        )
        for id, name in names
    )


def _sign(current: bool) -> tuple[str, str]:
    return ("● ", "$success") if current else ("○ ", "$text-muted")


def _option(
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


def _value(
    name: str,
    description: str | None,
    current: bool,
    command: Choice,
    width: int = 0,
    *,
    indent: bool = False,
) -> Item[Choice]:
    """Return the row of a value: a name that is safe to draw, and the agent's description in the second column."""
    description = clean_line(description or "")
    row = Content.assemble(
        "  " if indent else "",
        _sign(current),
        (name.ljust(width), "bold" if current else "$foreground"),
        (f"  {description}", "$text-muted"),
    )
    return Item(row, command, f"{name} {description}", about=description)


def _widest(names: Iterable[str]) -> int:
    """Return how many cells the longest of some names needs, up to the second column of options."""
    return min(NAME, max((cell_len(one) for one in names), default=0))


class OptionPicker(Picker[Choice]):
    """Two levels: the options, and the values of the one that was chosen."""

    searched_from = 8

    def __init__(
        self, agent: Agent, session_id: str | None, options: "OptionsFeature", opened: str = ""
    ) -> None:
        """List the options, or only what is `opened`: "mode", "model" or "usage"."""
        super().__init__("Search the options")
        self._agent = agent
        self._options = options
        self._session_id = session_id
        self._opened = _list_of(self._session, opened)
        self._opened_name = _name(self._session, self._opened) if self._opened else ""
        self._is_direct = self._opened is not None
        """Whether it was opened with a list of values: Esc then closes it instead of going back to the options."""

    def on_mount(self) -> None:
        """Mark the current value, once the list is drawn."""
        if self._is_direct:
            self.call_next(self._mark_current)

    @property
    def _session(self) -> Session | None:
        return self._agent.state.sessions.get(self._session_id or "")

    def heading(self) -> Content:
        name = self._agent.name
        where = f"  {self._opened_name}" if self._opened else ""
        return Content.assemble((f"Options of {name}", "bold"), (where, "bold $accent"))

    def items(self) -> Sequence[Item[Choice]]:
        session = self._session
        if self._opened is not None and self._opened.kind == "provider":
            return list(provider_choices(self._agent.state, self._opened.of or ""))
        if (
            self._opened is not None
            and self._opened.kind == "system prompt"
            and session is not None
        ):
            return list(system_prompt_lines(session))
        if self._opened is not None and self._opened.kind == "usage":
            return list(usage_rows(self._agent.state, session))
        if self._opened is not None and session is not None:
            return list(value_rows(session, self._opened))
        settings = (
            [*option_rows(session), *system_prompt_row(session)] if session is not None else []
        )
        state = self._agent.state
        return [*settings, *account_rows(state), *usage_rows(state, session)]

    def empty(self) -> str:
        return "no option found" if self.searching else "the agent has no options to set"

    def keys(self) -> list[tuple[str, str]]:
        return [("enter", "choose"), ("escape", "back")]

    def chosen(self, value: Choice) -> None:
        if isinstance(value, Opens):
            self._opened_name = _name(self._session, value)
            self._open(value)
        elif isinstance(value, SignsIn):
            self._options.authentication.sign_in(self._agent, value.method_id)
        elif isinstance(value, SetsProvider):
            self._options.set_provider(self._agent, value)
            self._open(None)
        else:
            self._options.choose(self._agent, value)
            self._open(None)

    def _open(self, what: Opens | None) -> None:
        if what is None and self._is_direct:
            self.dismiss()
            return
        before, self._opened = self._opened, what
        self.clear_search()
        self.show()
        if what is None and before is not None:
            self.mark(before)
        elif what is not None:
            self._mark_current()

    def _mark_current(self) -> None:
        """Begin at the value that is set."""
        for item in self.items():
            if "●" in item.row.plain and item.value is not None:
                self.mark(item.value)

    def action_close(self) -> None:
        """Back to the options; from there, out."""
        if self._opened is not None:
            self._open(None)
        else:
            self.dismiss()


def _list_of(session: Session | None, name: str) -> Opens | None:
    """Return the list that "mode", "model" or "usage" opens; None if the agent has no such option."""
    if name == "usage":
        return Opens(name)
    option = session.option(name) if session is not None and name else None
    if option is not None:
        return Opens("option", option.id)
    is_known = session is not None and {"mode": session.modes, "model": session.models}.get(name)
    return Opens(name) if is_known else None


def _name(session: Session | None, what: Opens) -> str:
    options = session.config_options if session is not None else None
    named = {getattr(one, "id", ""): getattr(one, "name", "") for one in options or []}
    return clean_line(named.get(what.of or "", what.kind.capitalize()))
