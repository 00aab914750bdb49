"""Prompts that make the model perform an act, such as to use a tool."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

FILE = "acp-check.txt"
"""The file that prompts have the model write, read or edit."""
PLACE = "acp-check-place.txt"
"""The file that a command writes its working folder to."""


class ModelAct(StrEnum):
    """Something that a prompt asks the model to do."""

    SAY = "say"
    """Answer briefly, without tools."""
    SLOW = "slow"
    """Answer at length, so that the turn can be canceled."""
    WRITE = "write"
    EDIT = "edit"
    READ = "read"
    SHELL = "shell"
    PLACE = "place"
    """Run a command that writes its working folder to a file there."""
    PLAN = "plan"
    ASK = "ask"
    """Ask the user a question."""
    SUBAGENT = "subagent"
    """Delegate to a subagent."""


WORDS: dict[ModelAct, str] = {
    ModelAct.SAY: "say something",
    ModelAct.SLOW: "tell a long story",
    ModelAct.WRITE: "write a file",
    ModelAct.EDIT: "edit a file",
    ModelAct.READ: "read a file",
    ModelAct.SHELL: "run a command",
    ModelAct.PLACE: "tell where a command runs",
    ModelAct.PLAN: "make a plan",
    ModelAct.ASK: "ask a question",
    ModelAct.SUBAGENT: "let a subagent work",
}
"""Descriptions of the acts, for messages."""

GENERAL: dict[ModelAct, str] = {
    ModelAct.SAY: "Answer with the single word: hello. Use no tools.",
    ModelAct.SLOW: "Tell a story of at least three thousand words, about a lighthouse. Use no tools.",
    ModelAct.WRITE: "Write the word hello into a new file {folder}/" + FILE + ". Do nothing else.",
    ModelAct.EDIT: "In the file {folder}/"
    + FILE
    + " replace the word beta by BETA. Do nothing else.",
    ModelAct.READ: "Read the file {folder}/" + FILE + " and tell what it says. Do nothing else.",
    ModelAct.SHELL: "Run the command `echo hello` in a shell, and tell what it prints. Do nothing else.",
    ModelAct.PLACE: f"Run the command `pwd > {PLACE}` in a shell, just as it is. Do nothing else.",
    ModelAct.PLAN: "Make a plan of three steps with your tool for plans (todo list), and stop there.",
    ModelAct.ASK: "Ask me, with your tool for questions, whether I want tea or coffee. Do nothing else.",
    ModelAct.SUBAGENT: "Have a subagent, with your tool for tasks or agents, answer with the single word: "
    "hello. Do nothing else.",
}
"""Prompts for any model."""

KNOWN: dict[str, dict[ModelAct, str]] = {
    "acp-tui-demo": {
        ModelAct.SAY: "hello",
        ModelAct.SLOW: "slow",
        ModelAct.WRITE: "permission fast",
        ModelAct.EDIT: "diff fast",
        ModelAct.READ: "tools fast",
        ModelAct.SHELL: "terminal fast",
        ModelAct.PLAN: "plan fast",
        ModelAct.SUBAGENT: "/subagents fast",
    }
}
"""Prompts for agents without a model, by the agent's name."""


@dataclass(frozen=True)
class CheckPrompts:
    """The prompts of a run: those that the user gave, else those known for the agent, else
    `GENERAL`.
    """

    given: Mapping[ModelAct, str] = field(default_factory=dict)
    tries: int = 2

    def text(self, act: ModelAct, agent: str, folder: str) -> str | None:
        """Return the prompt for an act; None if this agent is known to be incapable of it."""
        known = KNOWN.get(agent)
        found = self.given.get(act) or (GENERAL if known is None else known).get(act)
        return None if found is None else found.replace("{folder}", folder)
