"""Prompts that make the model use tools."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

FILE = "acp-check.txt"
"""The file that the model is to write, read or edit."""
PLACE = "acp-check-place.txt"
"""The file that a command is to write its folder into."""


class ModelAct(StrEnum):
    """Something that a model is asked for."""

    SAY = "say"
    """A short answer, without tools."""
    SLOW = "slow"
    """A long answer, which can be canceled."""
    WRITE = "write"
    EDIT = "edit"
    READ = "read"
    SHELL = "shell"
    PLACE = "place"
    """A command that writes into a file where it runs."""
    PLAN = "plan"
    ASK = "ask"
    """A question to the person."""
    SUBAGENT = "subagent"
    """Work that a subagent does."""


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
"""What acts are, as one says it."""

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
"""What any model may understand."""

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
"""What agents without a model act upon, by their names."""


@dataclass(frozen=True)
class CheckPrompts:
    """The prompts of a run: those of the person come first, then those that the agent is known for."""

    given: Mapping[ModelAct, str] = field(default_factory=dict)
    tries: int = 2

    def text(self, act: ModelAct, agent: str, folder: str) -> str | None:
        """Return the prompt for an act; None if the agent can't do it, as is known."""
        known = KNOWN.get(agent)
        found = self.given.get(act) or (GENERAL if known is None else known).get(act)
        return None if found is None else found.replace("{folder}", folder)
