"""The model of a check: the sentences that it quotes, its tier and profiles, and its result."""

import tomllib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acp_tui.check.verdicts import CheckOutcome, CheckVerdict
from acp_tui.protocol.findings import CUSTOM_TRANSPORTS, OF_STDIO

if TYPE_CHECKING:
    from acp_tui.check.bench import Bench, CheckScene
    from acp_tui.check.prompts import ModelAct


SCHEMA = "Schema"
"""The page that is made from the official JSON Schema: its sections are types."""
RETRIES = "RFD v2 Idempotency Keys"
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
    RETRIES,
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
_SITE = "https://agentclientprotocol.com"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the protocol, verbatim but without markup; "…" stands for omitted words.

    `section` is the page and, after a comma, the place on it; `version` is the protocol's, or `JSON_RPC`.
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
        if page == RETRIES:
            return f"{_SITE}/rfds/v2/idempotency-keys"
        slug = page.lower().replace(" ", "-")
        anchor = f"#{where.lower()}" if page == SCHEMA else ""
        return f"{_SITE}/protocol/v{self.version}/{slug}{anchor}"


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
    """A rule, and the function that tests whether an agent follows it.

    `run` gets a bench of its own, and returns a verdict or raises Skip; a pass names the frames that show it.
    It may read `scenes`, which are played once for all checks, and prompt the model for at most these `acts`.
    Findings in any recording of the run can fail the check, too: see `breaches`.

    `mend` is the usual fix of a failure, in one line. `tck` has the ids of the same check in acp-tck. `second`
    quotes version 2; without it, the check is for the version that `sentences` quote.
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
    """Whether its failure is reported before all others: the agent did something that was not allowed."""

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
    """Read `rules.toml`: the rules by the ids of their checks."""
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
    """Make a check of the rule that has its id in `rules.toml`."""
    rule = rules()[id]
    first, second = (
        tuple(
            Sentence(text, section, JSON_RPC if section.startswith(JSON_RPC) else version)
            for section, text in rule.get(f"version_{version}", ())
        )
        for version in "12"
    )
    return Check(
        id=id,
        title=rule["title"],
        tier=Tier(rule["tier"]),
        sentences=first or second,
        mend=rule["mend"],
        run=run,
        profiles=profiles,
        scenes=scenes,
        acts=acts,
        tck=rule.get("tck", ""),
        second=second if first else (),
        urgent=urgent,
    )


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A check and its verdict; `command` is the command line that repeats it, quoted for a shell."""

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
