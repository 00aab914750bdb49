"""A check and its result: the quoted sentences, the tier, the profiles and the function to run."""

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
"""The documentation page that is generated from the official JSON Schema; its sections are types."""
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
"""Pages of the protocol's documentation that checks quote."""
_SITE = "https://agentclientprotocol.com"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the protocol, verbatim but without markup; "…" stands for omitted words.

    `section` is the page and, after a comma, the section on it; `version` is the protocol's, or
    `JSON_RPC`.
    """

    text: str
    section: str
    version: str = "1"

    @property
    def source(self) -> str:
        """The section with the protocol's version, as reports cite it."""
        return self.section if self.version == JSON_RPC else f"ACP {self.version}, {self.section}"

    @property
    def page(self) -> str:
        """The title of the page."""
        return self.section.partition(", ")[0]

    @property
    def link(self) -> str:
        """The URL of the page, or of the type in the schema."""
        if self.version == JSON_RPC:
            return "https://www.jsonrpc.org/specification"
        page, _, where = self.section.partition(", ")
        if page == RETRIES:
            return f"{_SITE}/rfds/v2/idempotency-keys"
        slug = page.lower().replace(" ", "-")
        anchor = f"#{where.lower()}" if page == SCHEMA else ""
        return f"{_SITE}/protocol/v{self.version}/{slug}{anchor}"


class Tier(StrEnum):
    """The strength of a check's rule."""

    MUST = "must"
    """A MUST for every agent."""
    CAPABILITY = "capability"
    """A MUST for agents that advertise a capability."""
    SHOULD = "should"
    """A SHOULD, or a recommendation of JSON-RPC."""
    HEURISTIC = "heuristic"
    """Clients rely on it, but no sentence requires it: breaking it may be intended."""


class Profile(StrEnum):
    """Sets of checks to run."""

    V1 = "v1"
    """All rules of version 1."""
    REGISTRY = "registry"
    """Rules that need no model, so that a registry of agents can test them daily."""
    EDITOR = "editor"
    """All rules of version 1, and those that editors rely on in addition."""
    STRICT = "strict"
    """The same checks, with warnings as failures."""


EVERYWHERE = frozenset(Profile)
"""Profiles of checks that need no model."""
USUAL = EVERYWHERE - {Profile.REGISTRY}
"""Profiles of checks that need a model."""
BEYOND = frozenset({Profile.EDITOR, Profile.STRICT})
"""Profiles of checks that no sentence of version 1 requires."""


@dataclass(frozen=True, slots=True)
class Check:
    """A rule, and the function that tests whether an agent follows it.

    `run` gets its own bench, and returns a verdict or raises Skip; a pass cites the frames that
    prove it. It may read `scenes`, which are played once per run, and prompt the model for at most
    these `acts`. Findings in any recording of the run can fail the check, too: see `breaches`.

    `mend` is the usual fix of a failure, in one line. `tck` has the ids of the same check in
    acp-tck. `second` quotes version 2; if it is empty, the check is for the version that
    `sentences` quote.
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
    """Whether a failure is reported before all others: the agent did something that was not
    allowed.
    """

    @property
    def versions(self) -> tuple[int, ...]:
        """The protocol versions that have the rule."""
        only_2 = bool(self.sentences) and all(one.version == "2" for one in self.sentences)
        return (2,) if only_2 else (1, 2) if self.second else (1,)

    def of(self, version: int) -> "Check":
        """Return the check with the sentences of a protocol version."""
        return replace(self, sentences=self.second) if version == 2 and self.second else self

    def on_network(self) -> "Check":
        """Return the check with sentences for an agent on a network, which has no stdin or stdout."""
        sentences = (
            replace(one, text=CUSTOM_TRANSPORTS) if one.text in OF_STDIO else one
            for one in self.sentences
        )
        return replace(self, sentences=tuple(dict.fromkeys(sentences)))


@cache
def rules() -> Mapping[str, Any]:
    """Read the rules from `rules.toml`, by check id."""
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
    """Build a check from the rule with this id in `rules.toml`."""
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
    """A check's verdict; `command` is the command line that repeats the check, quoted for a shell."""

    check: Check
    verdict: CheckVerdict
    seconds: float = 0.0
    command: str = ""
    excerpts: tuple[str, ...] = ()
    """The verdict's frames, each on one line."""


def by_tier(check: Check, verdict: CheckVerdict) -> CheckVerdict:
    """Turn a failure into a warning if the check's rule is no MUST."""
    soft = check.tier in (Tier.SHOULD, Tier.HEURISTIC)
    if soft and verdict.outcome is CheckOutcome.FAIL:
        return replace(verdict, outcome=CheckOutcome.WARNING)
    return verdict
