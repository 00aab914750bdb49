"""What an agent says of its modes."""

import pytest

from acp_tui.ui.modes import unasked


@pytest.mark.parametrize(
    ("description", "words"),
    [
        ("Changes files without asking", "without asking"),
        ("Plans. Then I won't ask before edits", "won't ask"),
        ("Automatically accept all file edits", "Automatically accept"),
        ("Auto-approves all tools", "Auto-approves"),
        ("Bypass all permission checks", "Bypass all permission"),
        ("Don’t prompt for permissions", "Don’t prompt"),
        ("Edits files and uses the network without approval.", "without approval"),
    ],
)
def test_a_mode_that_does_not_ask_is_known_by_the_agents_words(
    description: str, words: str
) -> None:
    assert unasked(description) == words


@pytest.mark.parametrize(
    "description",
    [
        "",
        "Asks before it changes a file",
        "Never changes a file without asking",
        "Changes nothing without your approval",
        "Doesn't auto-approve anything",
        "Looks and plans, changes nothing",
        "Permission is asked for all that is dangerous",
    ],
)
def test_of_other_modes_nothing_is_said(description: str) -> None:
    assert unasked(description) == ""
