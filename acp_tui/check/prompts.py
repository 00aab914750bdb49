"""What the model is asked to do, so that the agent acts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

FILE = "acp-check.txt"
"""The file that the model is to write, read or edit."""
PLACE = "acp-check-place.txt"
"""The file that a command is to write its folder into."""


class Act(StrEnum):
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


WORDS: dict[Act, str] = {
    Act.SAY: "say something",
    Act.SLOW: "tell a long story",
    Act.WRITE: "write a file",
    Act.EDIT: "edit a file",
    Act.READ: "read a file",
    Act.SHELL: "run a command",
    Act.PLACE: "tell where a command runs",
    Act.PLAN: "make a plan",
    Act.ASK: "ask a question",
}
"""What acts are, as one says it."""

GENERAL: dict[Act, str] = {
    Act.SAY: "Answer with the single word: hello. Use no tools.",
    Act.SLOW: "Tell a story of at least three thousand words, about a lighthouse. Use no tools.",
    Act.WRITE: "Write the word hello into a new file {folder}/" + FILE + ". Do nothing else.",
    Act.EDIT: "In the file {folder}/" + FILE + " replace the word beta by BETA. Do nothing else.",
    Act.READ: "Read the file {folder}/" + FILE + " and tell what it says. Do nothing else.",
    Act.SHELL: "Run the command `echo hello` in a shell, and tell what it prints. Do nothing else.",
    Act.PLACE: f"Run the command `pwd > {PLACE}` in a shell, just as it is. Do nothing else.",
    Act.PLAN: "Make a plan of three steps with your tool for plans (todo list), and stop there.",
    Act.ASK: "Ask me, with your tool for questions, whether I want tea or coffee. Do nothing else.",
}
"""What any model may understand."""

KNOWN: dict[str, dict[Act, str]] = {
    "acp-tui-demo": {
        Act.SAY: "hello",
        Act.SLOW: "slow",
        Act.WRITE: "permission fast",
        Act.EDIT: "diff fast",
        Act.READ: "tools fast",
        Act.SHELL: "terminal fast",
        Act.PLAN: "plan fast",
    }
}
"""What agents without a model act upon, by their names."""


@dataclass(frozen=True)
class Prompts:
    """The prompts of a run: those of the person come first, then those that the agent is known for."""

    given: Mapping[Act, str] = field(default_factory=dict)
    tries: int = 2

    def text(self, act: Act, agent: str, folder: str) -> str | None:
        """Return the prompt for an act; None if the agent can't do it, as is known."""
        known = KNOWN.get(agent)
        found = self.given.get(act) or (GENERAL if known is None else known).get(act)
        return None if found is None else found.replace("{folder}", folder)
