"""Checks, the sentences that they rest on, their verdicts and results."""

import tomllib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acp_tui.errors import AcpTuiError
from acp_tui.protocol.findings import CUSTOM_TRANSPORTS, OF_STDIO

if TYPE_CHECKING:
    from acp_tui.check.bench import Bench, CheckScene
    from acp_tui.check.prompts import ModelAct


class CheckOutcome(StrEnum):
    """How a check ended."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    WARNING = "warning"
    SKIPPED = "skipped"


class Why(StrEnum):
    """The reason why a check was skipped."""

    OTHER_VERSION = "of another version"
    NOT_OFFERED = "not offered"
    """The agent doesn't say that it can do this, or doesn't use it: the rule says nothing of it."""
    SIGN_IN = "wants a sign-in"
    NOT_ALLOWED = "not allowed"
    """It would change something of the person's."""
    NOT_ACTED = "the model did not act"
    NO_PROMPT = "no prompt"
    BUDGET = "no turns left"
    TIME = "no time left"
    BLOCKED = "not reached"
    """Something before it went wrong, which another check judges."""
    ELSEWHERE = "not on this machine"
    """What shows it is where the agent runs."""
    OWN_FAULT = "a fault of acp-tui"

    @property
    def is_untested(self) -> bool:
        """Return whether a requirement was left untested."""
        return self not in (Why.NOT_OFFERED, Why.OTHER_VERSION)


@dataclass(frozen=True, slots=True)
class CheckVerdict:
    """The result of a check: its outcome, what was seen, in words, and the numbers of the `frames`
    that show it.
    """

    outcome: CheckOutcome
    words: str = ""
    frames: tuple[int, ...] = ()
    why: Why | None = None
    recording: Path | None = None
    """Where those frames are; the runner fills this in."""


class Skip(AcpTuiError):  # noqa: N818 - a way out, no error
    """A check can't be made; raised from wherever that is known."""

    def __init__(self, why: Why, words: str = "") -> None:
        super().__init__(words or str(why))
        self.why = why
        self.words = words


def passed(words: str = "", *frames: int) -> CheckVerdict:
    """Return a verdict that the agent passes."""
    return CheckVerdict(CheckOutcome.PASS, words, frames)


def failed(words: str, *frames: int) -> CheckVerdict:
    """Return the verdict that the agent doesn't; for a SHOULD, or a heuristic, the runner makes it
    a warning.
    """
    return CheckVerdict(CheckOutcome.FAIL, words, frames)


def warned(words: str, *frames: int) -> CheckVerdict:
    """Return a warning: no MUST is broken, but a person should know."""
    return CheckVerdict(CheckOutcome.WARNING, words, frames)


SCHEMA = "Schema"
"""The page that is made from the official JSON Schema: its sections are types."""
JSON_RPC = "JSON-RPC 2.0"
PAGES = (
    "Agent Plan",
    "Authentication",
    "Elicitation",
    "Extensibility",
    "File System",
    "Initialization",
    "Overview",
    "Prompt Turn",
    SCHEMA,
    "Session Config Options",
    "Session Delete",
    "Session List",
    "Session Modes",
    "Session Setup",
    "Terminals",
    "Tool Calls",
    "Transports",
)
"""The pages of the protocol's documentation that are quoted."""
_SITE = "https://agentclientprotocol.com/protocol"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the protocol, verbatim without markup; "…" is for what is left out.

    `section` is the page, and after a comma where on it; `version` is of the protocol, or `JSON_RPC`.
    """

    text: str
    section: str
    version: str = "1"

    @property
    def source(self) -> str:
        """Format the source of the sentence."""
        return self.section if self.version == JSON_RPC else f"ACP {self.version}, {self.section}"

    @property
    def page(self) -> str:
        """The title of the page."""
        return self.section.partition(", ")[0]

    @property
    def link(self) -> str:
        """The address of the page, or of the type in the schema."""
        if self.version == JSON_RPC:
            return "https://www.jsonrpc.org/specification"
        page, _, where = self.section.partition(", ")
        slug = page.lower().replace(" ", "-")
        anchor = f"#{where.lower()}" if page == SCHEMA else ""
        return f"{_SITE}/v{self.version}/{slug}{anchor}"


class Tier(StrEnum):
    """The strength of the rule that a check rests on."""

    MUST = "must"
    """A MUST for every agent."""
    CAPABILITY = "capability"
    """A MUST for agents that offer something."""
    SHOULD = "should"
    """A SHOULD, or what JSON-RPC recommends."""
    HEURISTIC = "heuristic"
    """No sentence: what clients rely on, and what breaks it may be meant."""


class Profile(StrEnum):
    """Sets of checks to run."""

    V1 = "v1"
    """All that version 1 of the protocol says."""
    REGISTRY = "registry"
    """What needs no model: a list of agents can try it every day."""
    EDITOR = "editor"
    """What version 1 requires, and what editors rely on in addition."""
    STRICT = "strict"
    """All of that, and a warning is a failure."""


EVERYWHERE = frozenset(Profile)
"""Without a model."""
USUAL = EVERYWHERE - {Profile.REGISTRY}
"""With a model."""
BEYOND = frozenset({Profile.EDITOR, Profile.STRICT})
"""What version 1 has no sentence for."""


@dataclass(frozen=True, slots=True)
class Check:
    """One rule, and how an agent is tried by it.

    `run` gets a bench of its own, and returns a verdict or raises Skip; a pass names the frames that it
    rests on. What any recording of the run shows to be broken counts, too (see `breaches`). It may look at `scenes`, which
    are played once for all checks, and prompt the model itself, at most for `acts`. `mend` says in one
    line how a failure is usually mended; `tck` is the id of the same check in acp-tck. `second` is what
    version 2 says of it: without that, it is a check of version 1.
    """

    id: str
    title: str
    tier: Tier
    sentences: tuple[Sentence, ...]
    mend: str
    run: "Callable[[Bench], Awaitable[CheckVerdict]]"
    profiles: frozenset[Profile] = EVERYWHERE
    scenes: "tuple[CheckScene, ...]" = ()
    acts: "tuple[ModelAct, ...]" = ()
    tck: str = ""
    second: tuple[Sentence, ...] = ()
    urgent: bool = False
    """Whether its failure is reported before all others: the agent does what it was not allowed."""

    @property
    def versions(self) -> tuple[int, ...]:
        """The versions that have the rule."""
        only_2 = bool(self.sentences) and all(one.version == "2" for one in self.sentences)
        return (2,) if only_2 else (1, 2) if self.second else (1,)

    def of(self, version: int) -> "Check":
        """Return the check with the sentences of a version."""
        return replace(self, sentences=self.second) if version == 2 and self.second else self

    def on_network(self) -> "Check":
        """Return the check with the sentences for an agent on a network, which has no stdin and no stdout."""
        sentences = (
            replace(one, text=CUSTOM_TRANSPORTS) if one.text in OF_STDIO else one
            for one in self.sentences
        )
        return replace(self, sentences=tuple(dict.fromkeys(sentences)))


@cache
def rules() -> Mapping[str, Any]:
    """Read the rule of each check."""
    return tomllib.loads(Path(__file__).with_name("rules.toml").read_text("utf-8"))


def check(
    id: str,
    run: "Callable[[Bench], Awaitable[CheckVerdict]]",
    *,
    profiles: frozenset[Profile] = EVERYWHERE,
    scenes: "tuple[CheckScene, ...]" = (),
    acts: "tuple[ModelAct, ...]" = (),
    urgent: bool = False,
) -> Check:
    """Return the check of a rule in `rules.toml`."""
    rule = rules()[id]
    first, second = (
        tuple(
            Sentence(text, section, JSON_RPC if section.startswith(JSON_RPC) else version)
            for section, text in rule.get(f"version_{version}", ())
        )
        for version in "12"
    )
    return Check(
        id,
        rule["title"],
        Tier(rule["tier"]),
        first or second,
        rule["mend"],
        run,
        profiles,
        scenes,
        acts,
        rule.get("tck", ""),
        second if first else (),
        urgent,
    )


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A check and its verdict; `command` shows it again: a command line, as a shell takes it."""

    check: Check
    verdict: CheckVerdict
    seconds: float = 0.0
    command: str = ""
    excerpts: tuple[str, ...] = ()
    """The frames of the verdict, each on one line."""


def by_tier(check: Check, verdict: CheckVerdict) -> CheckVerdict:
    """Return the verdict, with a failure as a warning where no MUST is broken."""
    soft = check.tier in (Tier.SHOULD, Tier.HEURISTIC)
    if soft and verdict.outcome is CheckOutcome.FAIL:
        return replace(verdict, outcome=CheckOutcome.WARNING)
    return verdict
