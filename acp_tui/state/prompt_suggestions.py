"""The prompt that an agent expects next: only shown in the empty prompt, until the person wants it."""

from collections.abc import Iterable, Mapping
from typing import Any

from acp_tui.protocol.content import text_of
from acp_tui.protocol.updates import PromptSuggestion

LONGEST = 2_000
"""Characters of a suggestion: a longer one is none, as nobody reads it before it is sent."""
META_KEY = "promptSuggestions"
"""The `_meta` key of a `session_info_update` under which claude-agent-acp (0.101.0) sends suggestions."""


def first_suggestion(suggestions: Iterable[PromptSuggestion]) -> str:
    """Return the first suggestion with a text, or an empty one."""
    return _first(text_of(one.prompt) for one in suggestions)


def suggestion_in_meta(meta: Mapping[str, Any] | None) -> str | None:
    """Return the first suggestion that has text, "" if the list has none, or None without a list."""
    suggested = (meta or {}).get(META_KEY)
    if not isinstance(suggested, Mapping) or not isinstance(suggested.get("suggestions"), list):
        return None
    return _first(
        one["text"]
        for one in suggested["suggestions"]
        if isinstance(one, Mapping) and isinstance(one.get("text"), str)
    )


def _first(texts: Iterable[str]) -> str:
    return next((one.strip() for one in texts if one.strip() and len(one) <= LONGEST), "")
