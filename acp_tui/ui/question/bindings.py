"""Keys of questions, and of rules and trust."""

from acp_tui.ui.keys import key

QUESTION = [
    *(key(str(number), "", "Answer by number; of ten or more: mark") for number in range(1, 10)),
    key("up", "", "Mark the option above"),
    key("down", "", "Mark the option below"),
    key("enter", "", "Choose what is marked; words: reject"),
    key("a", "", "Always: make a rule of it"),
    key("escape", "", "Cancel the turn; save words for later"),
    key("pageup", "", "Question up, then the conversation"),
    key("pagedown", "", "Conversation down, then the question"),
    key("ctrl+up", "", "The same by a line"),
    key("ctrl+down", "", "The same by a line"),
]
ELICITATION = [
    key("tab", "app.focus_next", "Next field"),
    key("shift+tab", "app.focus_previous", "Previous field"),
    key("escape", "cancel", "Cancel the question"),
]
TRUST = [
    key("pageup", "scroll(-1)", "Scroll up the file"),
    key("pagedown,space", "scroll(1)", "Scroll down the file"),
    key("escape", "decline", "Not now: go on without its servers"),
]
RULES = [
    key("up,k", "move(-1)", "Rule above"),
    key("down,j", "move(1)", "Rule below"),
    key("d,delete", "forget", "Revoke, unless it stands in a file"),
    key("escape,alt+p,q", "close", "Back"),
]
