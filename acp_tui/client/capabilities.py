"""The client's capabilities in `initialize`, for each protocol version and place of an agent."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from acp_tui.client.place import Place
from acp_tui.protocol.initialization import (
    SESSION_CLAIMS_IN_2,
    AuthCapabilities,
    ClientCapabilities,
    ElicitationCapabilities,
    FileSystemCapabilities,
)
from acp_tui.state.authentication import TERMINAL_AUTH


def capabilities_to_offer(
    *, interactive: bool = False, person: bool = False, unstable: bool = False
) -> ClientCapabilities:
    """Return the capabilities to advertise. Sign-in programs and elicitations need a `person`;
    `interactive` implies one.
    """
    person = person or interactive
    session: dict[str, Any] = {"notices": {}, "compaction": {}, "configOptions": {"boolean": {}}}
    if interactive and unstable:
        session |= {"promptSuggestions": {}, "cursors": {}}
    meta: dict[str, Any] = {"terminal_output": True} if interactive else {}
    if person:
        meta[TERMINAL_AUTH] = True
    return ClientCapabilities(
        fs=FileSystemCapabilities(read_text_file=True, write_text_file=True),
        terminal=True,
        session=session,
        auth=AuthCapabilities(terminal=True) if person else None,
        elicitation=ElicitationCapabilities(form={}, url={}) if person else None,
        plan={} if unstable else None,
        subagents={},
        meta=meta or None,
    )


def read_capabilities(params: Mapping[str, Any]) -> ClientCapabilities:
    """Return the capabilities in another client's `initialize` params; none if they are invalid."""
    try:
        return ClientCapabilities.model_validate(params.get("clientCapabilities") or {})
    except ValidationError:
        return ClientCapabilities()


def capabilities_in(place: Place, claims: ClientCapabilities) -> ClientCapabilities:
    """Return the capabilities that the client can serve at the agent's place."""
    changes: dict[str, Any] = {}
    if not place.serves_files:
        changes["fs"] = FileSystemCapabilities()
    if not place.serves_terminals:
        changes["terminal"] = False
    return claims.model_copy(update=changes) if changes else claims


def remote_capabilities(claims: ClientCapabilities) -> ClientCapabilities:
    """Return the capabilities for a remote agent, which has no sign-in program on this machine."""
    meta = {name: value for name, value in (claims.meta or {}).items() if name != TERMINAL_AUTH}
    return claims.model_copy(update={"auth": None, "meta": meta or None})


def version_2_capabilities(claims: ClientCapabilities) -> ClientCapabilities:
    """Return the capabilities for version 2, where agents use their own files and terminals."""
    given = claims.session or {}
    session = {name: given[name] for name in SESSION_CLAIMS_IN_2 if name in given}
    if claims.unstable:
        session["commands"] = {"skill": {}}
    changes = {"fs": FileSystemCapabilities(), "terminal": False, "session": session or None}
    return claims.model_copy(update=changes)
