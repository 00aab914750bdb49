"""The parts of the status line after the activity: the agent, facts about the session, and
troubles.
"""

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len
from textual.content import Content

from acp_tui.config.limits import Limits
from acp_tui.formatting import clock_time, counted, running_duration, short_count, size
from acp_tui.host.session_names import session_title
from acp_tui.state.background import task_name
from acp_tui.state.modes import Mode, current_mode
from acp_tui.state.peer import Peer, Phase
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.text import clean_line, clean_title
from acp_tui.ui.keys import key_name
from acp_tui.ui.tabs.conditions import (
    has_none_open,
    is_working,
    opening_request,
    request_clock,
    silent_seconds,
    unanswered_requests,
)
from acp_tui.ui.toolkit.shortened import crop_text

GAP = 2
"""Cells between parts."""
BAR = 12
"""Cells of the bar that shows how full the context is."""
TITLES = (160, 120, 100, 80, 64, 48, 32, 22, 12)
"""The lengths to which the session's title may be cut."""
ALL_ALLOWED = "▲ ALL IS ALLOWED"
LOUD = "bold $background on $error"
SLOW = 1.0
"""Seconds after which the line names a pending request."""


class StatusPart(NamedTuple):
    """A part of the line: its forms from long to short, and its `weight`: lighter parts are
    shortened first.

    A click on it `opens` a list of options: "mode", "model" or "usage".
    """

    forms: tuple[str, ...]
    style: str
    weight: int
    right: bool = False
    opens: str = ""


def fit_parts(parts: Sequence[StatusPart], width: int) -> list[str]:
    """Return the form of each part in which all fit in `width` cells; parts of the least weight are
    shortened first.
    """
    chosen = [0] * len(parts)
    lightest = sorted(range(len(parts)), key=lambda index: parts[index].weight)

    def texts() -> list[str]:
        return [part.forms[form] for part, form in zip(parts, chosen, strict=True)]

    def width_needed() -> int:
        return sum(cell_len(text) + GAP for text in texts() if text)

    for index in lightest:
        while width_needed() > width and chosen[index] < len(parts[index].forms) - 1:
            chosen[index] += 1
    return texts()


def status_banner(state: State) -> list[StatusPart]:
    """Return the warning that everything is allowed, which never leaves the line."""
    return [StatusPart((ALL_ALLOWED, "▲ ALLOWS ALL"), LOUD, 99)] if state.allows_all else []


def allows_all_warning(state: State) -> Content:
    """Return the same warning for a screen that hides the line."""
    return Content.styled(ALL_ALLOWED, LOUD) + "  " if state.allows_all else Content()


def _background_parts(state: State, session: Session | None) -> list[StatusPart]:
    """Return the number of background tasks, and the name of the first."""
    tasks = session.reported.background if session is not None else None
    if session is None or not tasks:
        return []
    words = f"{len(tasks):,} in the background"
    name = crop_text(clean_title(task_name(state, session, tasks[0])), 24)
    more = f" and {len(tasks) - 1:,} more" if len(tasks) > 1 else ""
    return [StatusPart((f"{words}: {name}{more}" if name else words, words), "$accent", 65)]


def status_facts(  # noqa: PLR0913  all that is shown
    state: State,
    session: Session | None,
    limits: Limits,
    now: float,
    wrong: tuple[int, int],
    *,
    name: str = "",
    seen_errors: int = 0,
    cancels: bool = True,
    date: float | None = None,
) -> list[StatusPart]:
    """Return all parts besides the activity, in the order of the line.

    `wrong` is the number of errors and of warnings; the user has seen `seen_errors` of the errors.
    `name` is the agent's display name, if not the reported one; `cancels` is whether Esc cancels a
    pending request. `date` is the current time in seconds since 1970; None for a recording.
    """
    waits = _waiting_parts(state, session, limits, now, cancels=cancels)
    found = [
        *_held_parts(state),
        *waits,
        *_source_parts(state.peer),
        *_stalled_parts(state),
        *_background_parts(state, session),
        *_quota_parts(state, date),
        *_finding_parts(*wrong, seen_errors),
        *_agent_parts(state.peer, name or clean_line(state.peer.name)),
    ]
    if state.peer.process.place:
        words = f"in {crop_text(clean_line(state.peer.process.place), 30)}"
        found.append(StatusPart((words, crop_text(words, 16), ""), "$accent", 60, right=True))
    if session is not None:
        found += [*_session_parts(state, session), *_usage_parts(session), *_cost_parts(session)]
    return found


def _waiting_parts(
    state: State, session: Session | None, limits: Limits, now: float, *, cancels: bool
) -> list[StatusPart]:
    """Return the pending requests, and for how long the agent has sent nothing."""
    parts = []
    silent = silent_seconds(state, session, now)
    if silent >= limits.silence:
        parts.append(
            StatusPart((f"no message for {running_duration(silent)}",), "bold $warning", 95)
        )
    calls = unanswered_requests(state, session)
    call = calls[0] if calls else None
    shown_elsewhere = state.peer.phase is not Phase.CONNECTED or (
        has_none_open(session) and call is not None and call.method == opening_request(state)
    )
    if call is None or now - call.at < SLOW:
        return parts
    waits_for_key = cancels and not is_working(session) and call.number not in state.cancelled_calls
    if not shown_elsewhere:
        more = f" +{len(calls) - 1}" if len(calls) > 1 else ""
        words = request_clock(state, call, limits, now) + more
        key = " (Esc)" if waits_for_key else ""
        parts.append(StatusPart((words + key, words), "$warning", 85))
    elif waits_for_key and state.peer.phase in (Phase.INITIALIZING, Phase.CONNECTED):
        key = "Esc cancels" if state.open_sessions() else "Esc twice cancels"
        parts.append(StatusPart((key,), "$text-muted", 85))
    return parts


def _source_parts(peer: Peer) -> list[StatusPart]:
    if peer.restart.source is None or peer.process.exit is not None:
        return []
    key = key_name("alt+a")
    forms = (f"source changed: restarts after the turn ({key}: now)", f"source changed ({key})")
    return [StatusPart(forms, "$warning", 85)]


def _held_parts(state: State) -> list[StatusPart]:
    """Return the number of held messages, which explains why nothing moves, or else that of
    breakpoints.
    """
    count, breakpoints = len(state.holding.frames), state.holding.breakpoints_on
    if not count and not breakpoints:
        return []
    if not count:
        words = f"◉ {counted(breakpoints, 'breakpoint')}"
        return [StatusPart((words, f"◉ {breakpoints}"), "$text-warning", 70)]
    words = f"{count:,} held"
    return [
        StatusPart(
            (f"● {words} at breakpoints ({key_name('f12')} H)", f"● {words}"), "bold $warning", 97
        )
    ]


def _stalled_parts(state: State) -> list[StatusPart]:
    if state.peer.stalled is None:
        return []
    wait = f"{size(state.peer.waiting)} wait"
    return [StatusPart((f"agent isn't reading: {wait}", wait), "bold $warning", 90)]


def _finding_parts(errors: int, warnings: int, seen_errors: int) -> list[StatusPart]:
    """Return the number of findings, counted as in the inspector; only unseen errors stand out."""
    if not errors + warnings:
        return []
    found = [("E", "error", errors), ("W", "warning", warnings)]
    words = ", ".join(counted(count, word) for _, word, count in found if count)
    short = " ".join(f"{mark}{count:,}" for mark, _, count in found if count)
    key = key_name("f12")
    forms = (f"protocol: {words} ({key})", f"{short} {key}", short)
    return [StatusPart(forms, "$warning" if errors > seen_errors else "$text-muted", 80)]


def _agent_parts(peer: Peer, name: str) -> list[StatusPart]:
    name = crop_text(name, 24)
    info = peer.initialized.agent_info if peer.initialized else None
    version = crop_text(clean_line(info.version), 16) if info else ""
    spoken = (
        []
        if peer.version == 1
        else [
            StatusPart(
                (f"ACP {peer.version} preview", f"ACP {peer.version}", ""),
                "$accent",
                45,
                right=True,
            )
        ]
    )
    return [
        StatusPart((f"{name} {version}".strip(), name, ""), "$foreground", 50, right=True),
        *spoken,
    ]


def _session_parts(state: State, session: Session) -> list[StatusPart]:
    parts = []
    mode = current_mode(session)
    if _is_unconfirmed(session, "mode"):
        parts.append(
            StatusPart(
                ("mode not confirmed", "mode ?"), "bold $warning", 70, right=True, opens="mode"
            )
        )
    elif mode is not None:
        parts.append(_mode_part(mode))
    if _is_unconfirmed(session, "model"):
        parts.append(
            StatusPart(
                ("model not confirmed", "model ?", ""), "$warning", 25, right=True, opens="model"
            )
        )
    elif session.config.model:
        model = crop_text(clean_title(session.config.model), 24)
        parts.append(
            StatusPart((f"model {model}", model, ""), "$foreground", 25, right=True, opens="model")
        )
    title = clean_title(session_title(state, session.session_id))
    forms = dict.fromkeys(crop_text(title, most) for most in TITLES)
    parts.append(StatusPart((*forms, ""), "$text-muted", 20, right=True))
    return parts


def _is_unconfirmed(session: Session, category: str) -> bool:
    """Return whether the agent hasn't confirmed the option of a category since it was set."""
    option = session.config.option(category)
    return option is not None and option.id in session.config.unconfirmed


def _mode_part(mode: Mode) -> StatusPart:
    """Return the mode, with the agent's own words if it says that the mode skips approval."""
    name, words = crop_text(clean_title(mode.name), 20), mode.no_approval_phrase
    if not words:
        return StatusPart((f"mode {name}", name), "$accent", 70, right=True, opens="mode")
    texts = (crop_text(clean_line(mode.description), 44), clean_line(words).lower())
    forms = dict.fromkeys(f"▲ mode {name}: {one}" for one in texts if one and one != name.lower())
    return StatusPart(
        (*forms, f"▲ mode {name}", f"▲ {name}"), "bold $warning", 70, right=True, opens="mode"
    )


def _quota_parts(state: State, date: float | None) -> list[StatusPart]:
    """Return the plan's limit of which the most is used, if that is enough to mention."""
    if not state.quota:
        return []
    from acp_tui.protocol.quota import (  # few agents report it
        NOTICE_LEVELS,
        QUIET_BELOW,
        fullest_window,
    )

    window = fullest_window(
        one for one in state.quota.values() if date is None or not one.is_over(date)
    )
    if window is None or not window.reaches(QUIET_BELOW):
        return []
    name, used = crop_text(clean_line(window.name), 32), window.percent
    resets = (
        None if window.resets_at is None else clock_time(window.resets_at, date or window.resets_at)
    )
    forms: tuple[str, ...] = (f"{name} {used}", used)
    if resets is not None:
        forms = (f"{name} {used}, resets {resets}", *forms)
    styles = ("$text-muted", "$warning", "bold $error")
    style = styles[sum(window.reaches(level) for level in NOTICE_LEVELS)]
    return [StatusPart(forms, style, 75, opens="usage")]


def _usage_parts(session: Session) -> list[StatusPart]:
    if session.usage.used is None or session.usage.size is None:
        return []
    share = 100 * session.usage.used // session.usage.size if session.usage.size > 0 else 0
    style = "$warning" if share >= 80 else "$text-muted"
    filled = min(BAR, round(BAR * share / 100))
    bar = "━" * filled + "─" * (BAR - filled)
    numbers = f"{bar} {short_count(session.usage.used)}/{short_count(session.usage.size)}"
    return [
        StatusPart((f"context {share}%", ""), style, 40, right=True, opens="usage"),
        StatusPart((numbers, ""), style, 10, right=True, opens="usage"),
    ]


def _cost_parts(session: Session) -> list[StatusPart]:
    if session.usage.cost is None:
        return []
    words = (
        f"{session.usage.cost.amount:,.2f} {crop_text(clean_line(session.usage.cost.currency), 8)}"
    )
    return [StatusPart((f"cost {words}", words, ""), "$text-muted", 25, right=True, opens="usage")]
