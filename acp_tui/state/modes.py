"""A session's mode, and whether the agent asks for approval in it."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from acp_tui.protocol.setup import BooleanConfigOption, SelectConfigOption
from acp_tui.state.state import Session


class Mode(NamedTuple):
    """A mode as the agent lists it."""

    id: str
    name: str
    description: str = ""

    @property
    def no_approval_phrase(self) -> str:
        """Return the phrase in which the mode says that it skips approval, or ''."""
        return _no_approval_phrase(self.description) or _acting(self.description) or _named(self)


_SAYS = re.compile(
    r"\bwithout (?:asking|being asked|(?:any |your |user |human )?(?:approval|permission|confirmation"
    r"|prompt|interaction|intervention|input|supervision|oversight)\w*)"
    r"|\b(?:nobody|no[ -]one|nothing) (?:is|gets|will be) (?:asked|prompted)\b"
    r"|\bno longer (?:ask|prompt)\w*|\bno questions asked\b|\bno (?:human|person|user) in the loop\b"
    r"|\b(?:unattended|unsupervised)\b|\byes to (?:all|any|every)\w*"
    r"|\b(?:(?:do|does|will) not|won['’]t|don['’]t|doesn['’]t|never) (?:ask|prompt)\w*"
    r"|\b(?:(?:will|are) (?:not|never)|won['’]t|aren['’]t|never) (?:be )?(?:asked|prompted)\b"
    r"|\bask(?:s|ed)? nothing\b|\bpre-?approved?\b|\bno need to (?:approve|confirm|ask)\b"
    r"|\bnothing (?:needs?|requires?) (?:\w+ )?(?:approval|permission|confirmation)\b"
    r"|\b(?:no|without) (?:restriction|guard ?rail|safeguard)s?\b"
    r"|\b(?:no|zero) (?:user |human )?(?:approvals?|prompts?|confirmations?"
    r"|permission (?:prompt|check|request)s?)\b"
    r"|\bauto(?:matically)?[ -](?:accept|approve|allow|confirm|run|execute)\w*"
    r"|\b(?:accept|approve|allow|grant|trust)s? (?:(?:all|every|any) (?:\w+ )?"
    r"(?:permission|tool|action|command|request|operation)\w*|(?:every|any)thing\b)"
    r"|\ballow[- ]all\b|\btrusted (?:to do|with) (?:every|any)thing\b"
    r"|\bhandles? (?:all )?(?:permission|approval)s?(?: decisions?)?\b"
    r"|(?<!that )(?<!which )\b(?:(?:do|does|is|are) not|doesn['’]t|don['’]t|isn['’]t|aren['’]t|never)"
    r" (?:need|require)s? (?:\w+ )?(?:approval|permission|confirmation)\b"
    r"|(?<!where )(?<!when )(?<!if )\b(?:approval|permission|confirmation)s?"
    r"(?: (?:prompt|check|request|dialog)s?)? (?:is |are )?"
    r"(?:(?:turned |switched )?off|disabled|skipped|bypassed|ignored|(?:not|never) (?:needed|required))\b"
    r"|\b(?:everything|all (?:tool|command|action|operation|request)s?(?: calls?)?) (?:is|are)"
    r" (?:allowed|approved|permitted|trusted)\b(?!.*\b(?:after|but|except|if|once|unless|until|when|with)\b)"
    r"|\b(?:bypass|skip|disabl|ignor|suppress|turns? off)\w* (?:(?:all|the|any) )?"
    r"(?:permission|approval|confirmation|prompt)\w*"
    r"|\b(?:unrestricted|full) access\b",
    re.IGNORECASE,
)
"""Phrases of a mode that skips approval."""
_ACTS = re.compile(
    r"\b(?:run|execut|proceed|perform|approv|accept|allow|grant|confirm)\w*\b.*?"
    r"\b(?:automatically|freely|by (?:itself|themselves)|on (?:its|their) own|at once|immediately"
    r"|instantly|right away)\b"
    r"|\b(?:immediately|instantly) (?:run|execut|perform|approv|accept|allow)\w*",
    re.IGNORECASE,
)
"""Phrases of a mode that acts without waiting, if they are about actions."""
_ACTIONS = re.compile(
    r"\b(?:tool|command|action|operation|call|request)s?\b|\b(?:every|any)thing\b|\bshell\b|\bthem\b",
    re.IGNORECASE,
)
_ASKS_FIRST = re.compile(
    r"\b(?:asks?|asked|prompts?|confirms?|waits?)\b|\b(?:after|once|until|when|if) you\b"
    r"|\b(?:after|with|upon) (?:\w+ )?(?:approval|permission|confirmation)\b",
    re.IGNORECASE,
)
_LIMITED = re.compile(
    r"\b(?:only|edits?|reads?|read-only|safe)\b|\bden(?:y|ies)\b|\brejects?\b", re.IGNORECASE
)
"""Limits that make a mode safe: only some actions are approved unasked, or the others are refused."""
_UNLIMITED = re.compile(
    r"\ball (?:tool|permission|action|command|operation)s?\b|\bcommands?\b|\bnetwork\b|\binternet\b"
    r"|\bshell\b|\beverything\b|\banything\b",
    re.IGNORECASE,
)
_DENIES = re.compile(r"\b(?:no|not|none|nothing|never|cannot)\b|n['’]t\b", re.IGNORECASE)
_ASKS = re.compile(
    r"\b(?:ask|prompt|require|need|request)(?:s|ed)?\b.*\b(?:approval|permission|confirmation|before)"
    r"|\b(?:approval|permission|confirmation)s? (?:is |are )?(?:required|needed)"
    r"|\basks? (?:about|first|for|if|only|when|you)\b|\bunless you\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.;:\n]")
_NAMES = re.compile(
    r"\b(?:bypass\w*|y ?o ?l ?o|god ?mode|auto ?pilot|full ?access|full ?auto|unrestricted"
    r"|dangerous\w*|allow ?all|skip ?permissions?)\b"
)
"""Ids and names of modes that skip approval, whatever their description."""
_WEAK_NAMES = re.compile(
    r"\b(?:auto|always) ?(?:accept|approve|allow|confirm|run|execute|proceed)\w*"
    r"|\b(?:accept|approve|allow|trust)s? ?(?:all|everything|anything)\b"
    r"|\b(?:no|sans|without) ?(?:approval|prompt|restriction|confirm\w*)s?\b"
    r"|\bruns? (?:everything|anything)\b|\bpermission ?less\b|\bbrave mode\b"
    r"|\b(?:approvals?|permissions?|ask)(?: (?:mode|policy|preset))? ?never\b"
    r"|\bunattended\b|\bunsupervised\b|\bhands ?free\b|\bno ?(?:ask|questions)\b|\bnever ?asks?\b"
    r"|\bautonomous\b|^(?:god|unsafe|auto|auto mode|automatic|never|full)$"
)
"""Names of modes that skip approval, unless the description says that they ask, or covers only
edits or reading.
"""
_SOME = re.compile(r"\b(?:edits?|plan|reads?|only)\b", re.IGNORECASE)
_NOT_ABOUT_APPROVAL = ("model", "thought_level", "speed")
"""Categories of options whose values may have any name."""
_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])|[^A-Za-z0-9]+")


def current_mode(session: Session) -> Mode | None:
    """Return the session's current mode.

    A config option for modes replaces `modes`, but a description in `modes` is used if the option
    has none.
    """
    modes = available_modes(session)
    option = session.option("mode")
    if option is not None:
        current = option.current_value
    elif session.modes is not None:
        current = session.modes.current_mode_id
    else:
        return None
    return next((mode for mode in modes if mode.id == current), Mode(current, current))


def available_modes(session: Session) -> list[Mode]:
    """Return the modes that can be chosen, in the agent's order."""
    listed = session.modes.available_modes if session.modes is not None else []
    modes = [Mode(mode.id, mode.name, mode.description or "") for mode in listed]
    option = session.option("mode")
    if option is None:
        return modes
    said = {mode.id: mode.description for mode in modes}
    return [
        Mode(one.value, one.name, one.description or said.get(one.value, ""))
        for one in option.choices
    ]


def unasked_choice(session: Session) -> Mode | None:
    """Return the mode, or the value of another option, that skips approval in the agent's words."""
    mode = current_mode(session)
    chosen = [*([mode] if mode is not None else []), *_other_choices(session)]
    return next((one for one in chosen if one.no_approval_phrase), None)


def no_approval_words(session: Session, unasked: Mode) -> str:
    """Format the warning that a mode or option skips approval; `unasked` comes from `unasked_choice`."""
    what = "Mode" if unasked == current_mode(session) else "Option"
    return f"{what} {unasked.name}: the agent doesn't ask before it acts"


def _other_choices(session: Session) -> Iterator[Mode]:
    """Yield the values of other options, each with the option's name: "never" alone may be about
    anything.
    """
    for option in session.config_options or []:
        if isinstance(option, BooleanConfigOption) and option.current_value:
            yield Mode(option.id, option.name, option.description or "")
        elif isinstance(option, SelectConfigOption) and option.category not in _NOT_ABOUT_APPROVAL:
            for one in option.choices:
                if one.value == option.current_value and option != session.option("mode"):
                    name = f"{option.name} {one.name}"
                    yield Mode(f"{option.id} {one.value}", name, one.description or "")


def _no_approval_phrase(description: str) -> str:
    """Return the phrase of a description that says that the mode doesn't ask, or "".

    Skips a phrase that is negated, or limited to edits or reading.
    """
    for sentence in _SENTENCE.split(description):
        found = _SAYS.search(sentence)
        if found is None or _DENIES.search(sentence[: found.start()]):
            continue
        if not _LIMITED.search(sentence) or _UNLIMITED.search(sentence):
            return found.group()
    return ""


def _acting(description: str) -> str:
    """Return the phrase of a description that says that actions run at once, or "".

    "" if some actions are asked about.
    """
    if _ASKS_FIRST.search(description):
        return ""
    for sentence in _SENTENCE.split(description):
        found = _ACTS.search(sentence)
        if (
            found is not None
            and _ACTIONS.search(sentence)
            and not _DENIES.search(sentence[: found.end()])
            and (not _LIMITED.search(sentence) or _UNLIMITED.search(sentence))
        ):
            return found.group()
    return ""


def _named(mode: Mode) -> str:
    """Return the id or name if it means that the mode doesn't ask."""
    said = mode.description
    some = _SOME.search(said) and not _UNLIMITED.search(said)
    for name in (mode.name, mode.id):
        plain = _WORDS.sub(" ", name).strip().lower()
        if _NAMES.search(plain):
            return name
        if _SOME.search(plain):
            return ""
        skips = _WEAK_NAMES.search(plain) or _no_approval_phrase(plain)
        if skips and not some and not _ASKS.search(said):
            return name
    return ""
