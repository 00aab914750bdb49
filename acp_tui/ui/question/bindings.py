"""Key tables of questions, rules and trust."""

from acp_tui.ui.keys import bind_key

QUESTION = [
    *(
        bind_key(str(number), "", "Answer by number; of ten or more: mark")
        for number in range(1, 10)
    ),
    bind_key("up", "", "Mark the option above"),
    bind_key("down", "", "Mark the option below"),
    bind_key("enter", "", "Choose what is marked; words: reject"),
    bind_key("a", "", "Make a rule"),
    bind_key("escape", "", "Cancel the turn; save words for later"),
    bind_key("pageup", "", "Scroll up the question, then the conversation"),
    bind_key("pagedown", "", "Scroll down the conversation, then the question"),
    bind_key("ctrl+up", "", "The same, line by line"),
    bind_key("ctrl+down", "", "The same, line by line"),
]
ELICITATION = [
    bind_key("tab", "app.focus_next", "Next field"),
    bind_key("shift+tab", "app.focus_previous", "Previous field"),
    bind_key("escape", "cancel", "Cancel the question"),
]
TRUST = [
    bind_key("pageup", "scroll(-1)", "Scroll up the file"),
    bind_key("pagedown,space", "scroll(1)", "Scroll down the file"),
    bind_key("escape", "decline", "Not now: continue without its servers"),
]
RULES = [
    bind_key("up,k", "move(-1)", "Rule above"),
    bind_key("down,j", "move(1)", "Rule below"),
    bind_key("d,delete", "forget", "Revoke (not those in a file)"),
    bind_key("escape,alt+p,q", "close", "Back"),
]
