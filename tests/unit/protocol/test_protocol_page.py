"""docs/protocol.md against the official schema, and against the code."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from acp_tui.client.capabilities import capabilities_to_offer
from acp_tui.debug.lint.answers import RETRY_CLASSES
from acp_tui.protocol.initialization import AgentCapabilities
from acp_tui.protocol.methods import AGENT_METHODS, CLIENT_METHODS
from acp_tui.protocol.model import Model
from acp_tui.protocol.unstable import STEERING
from acp_tui.protocol.updates import SessionNotification, UnknownUpdate
from acp_tui.protocol.v2.methods import V2
from tests.unit.protocol.official_names import names

PAGE = (Path(__file__).parents[3] / "docs" / "protocol.md").read_text("utf-8")
NAMES = names()


def rows(heading: str) -> dict[str, tuple[str, str]]:
    """The schema's edition and what is done, by name, of one table."""
    section = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    found = re.findall(r"^\| `([^`]+)` \| (\w+) \| ([\w ]+) \|", section, re.MULTILINE)
    return {name: (edition, done) for name, edition, done in found}


def supported(heading: str) -> set[str]:
    return {name for name, (_, done) in rows(heading).items() if done == "supported"}


def leaves(value: dict[str, Any], path: str = "") -> Iterator[str]:
    """The paths of all that an object holds."""
    for key, inner in value.items():
        if key != "_meta":
            below = list(leaves(inner, f"{path}{key}.")) if isinstance(inner, dict) else []
            yield from below or [f"{path}{key}"]


def fields(model: type[Model], path: str = "") -> Iterator[str]:
    """The paths of all that a type knows."""
    for field, kind in get_type_hints(model).items():
        if field == "meta" or field.startswith("_"):
            continue
        name = f"{path}{model.wire_name(field)}"
        kind = next((one for one in get_args(kind) if one is not type(None)), kind)
        if isinstance(kind, type) and issubclass(kind, Model):
            yield from fields(kind, f"{name}.")
        else:
            yield name


@pytest.mark.parametrize("heading", NAMES)
def test_the_page_lists_what_the_official_schema_has(heading: str) -> None:
    assert {name: edition for name, (edition, _) in rows(heading).items()} == NAMES[heading]
    assert {done for _, done in rows(heading).values()} <= {"supported", "shown raw", "refused"}


@pytest.mark.parametrize(
    ("heading", "methods"),
    [("Methods of the agent", AGENT_METHODS), ("Methods of the client", CLIENT_METHODS)],
)
def test_supported_methods_are_those_with_types(heading: str, methods: dict[str, Any]) -> None:
    assert supported(heading) == methods.keys() & NAMES[heading].keys()
    beside = PAGE.partition("## Outside the protocol")[2]
    for method in methods.keys() - NAMES[heading].keys():
        assert f"`{method}`" in beside


@pytest.mark.parametrize("kind", NAMES["Session updates"])
def test_supported_updates_are_those_with_types(kind: str) -> None:
    update = {"sessionUpdate": kind, "content": {"type": "text", "text": ""}, "toolCallId": "t"}
    update |= {"entries": [], "availableCommands": [], "currentModeId": "m", "configOptions": []}
    update |= {"used": 1, "size": 1, "severity": "info", "title": "t", "compactionId": "c"}
    update |= {"status": "s", "plan": {"type": "items", "planId": "p"}, "planId": "p"}
    update |= {"sessionId": "c", "messageId": "m", "suggestions": [], "cursorId": "c"}
    read = SessionNotification.model_validate({"sessionId": "s", "update": update}).update
    assert (not isinstance(read, UnknownUpdate)) == (kind in supported("Session updates"))


def test_supported_capabilities_of_the_client_are_those_it_claims() -> None:
    claimed = set(
        leaves(capabilities_to_offer(interactive=True, person=True, unstable=True).wire())
    )
    with_content = {"session.promptSuggestions"}  # the table has the kinds of content in them
    assert supported("Capabilities of the client") == claimed - with_content
    assert all(f"`{one}`" in PAGE for one in with_content)
    headless = set(leaves(capabilities_to_offer().wire()))
    of_people = {"auth.terminal", "elicitation.form", "elicitation.url"}
    assert claimed - headless == {*of_people, *with_content, "session.cursors", "plan"}


def test_supported_capabilities_of_the_agent_are_those_with_types() -> None:
    assert supported("Capabilities of the agent") == set(fields(AgentCapabilities))


def test_each_request_of_version_2_has_a_retry_class_as_on_the_page() -> None:
    requests = {name for name, method in V2.agent_methods.items() if method.result is not None}
    assert set(RETRY_CLASSES) == requests - {STEERING}
    section = PAGE.partition("## When an answer is lost, in version 2\n")[2].partition("\n## ")[0]
    for retry, listed in re.findall(r"^\| ([\w ]+) \| (`.*`) \|$", section, re.MULTILINE):
        meant = sorted(name for name, one in RETRY_CLASSES.items() if one.value == retry)
        assert re.findall(r"`([^`]+)`", listed) == meant
