"""The list of agents for a new tab: running ones, those in the settings, or any command."""

import shlex
from collections.abc import Callable, Mapping, Sequence

from textual.content import Content

from acp_tui.config.settings import AgentSettings
from acp_tui.host.agent import Agent
from acp_tui.text import clean_line, judged_line
from acp_tui.ui.tabs.tabs import Tabs, is_gone
from acp_tui.ui.toolkit.dialogs.picker import Item, Picker
from acp_tui.ui.toolkit.shortened import from_home, path_end

NAME = 32
"""The cell at which the second column begins."""

Choice = Agent | AgentSettings | str
"""A running agent, for another session; or settings, or a name in the settings, to start one with.
"""


class AgentPicker(Picker[Choice]):
    """A list that is filtered by the typed text, which can also be started as a command.

    That takes Enter twice, as the text may have been meant for the prompt.
    """

    def __init__(
        self, tabs: Tabs, known: Mapping[str, AgentSettings], open_: Callable[[Choice], None]
    ) -> None:
        """`known` are the agents of the settings, `open_` opens a session with the choice."""
        super().__init__("Search, or write a command")
        self._tabs = tabs
        self._known = known
        self._open = open_
        self._warned = ""

    def on_mount(self) -> None:
        """Mark the agent of the tab that is shown."""
        super().on_mount()
        self.mark(self._tabs.agent)

    def heading(self) -> Content:
        return Content.styled("New tab", "bold")

    def items(self) -> Sequence[Item[Choice]]:
        running = [agent for agent in self._tabs.agents if not is_gone(agent.state.peer)]
        restarted = {
            f"{agent.name}, once more": agent.settings
            for agent in running
            if agent.settings is not None and agent.settings not in self._known.values()
        }
        return [
            *([_heading("Another session of a running agent")] if running else []),
            *(_running(agent, self.room) for agent in running),
            _heading("Start another agent"),
            *(_starting(name, settings, name) for name, settings in self._known.items()),
            *(_starting(name, settings, settings) for name, settings in restarted.items()),
            *self._typed(),
        ]

    def empty(self) -> str:
        return "this is not a command: a quote is not closed"

    def keys(self) -> list[tuple[str, str]]:
        opens = "open"
        if self._is_typed(self.marked):
            times = "again" if self._warned == self.written else "twice"
            opens = f"{times} starts this command"
        return [("enter", opens), ("escape", "back")]

    def chosen(self, value: Choice) -> None:
        if self._is_typed(value) and self._warned != self.written:
            self._warned = self.written
            self.show()
            return
        self.dismiss()
        self._open(value)

    def _is_typed(self, value: Choice | None) -> bool:
        return any(item.value == value for item in self._typed())

    def _typed(self) -> Sequence[Item[Choice]]:
        """Return the typed text as a command, if it can be parsed."""
        try:
            argv = shlex.split(self.written)
        except ValueError:
            return ()
        if not argv:
            return ()
        row = _row("Start this command", shlex.join(argv))
        return [Item(row, AgentSettings(command=argv), self.written)]


def _heading(words: str) -> Item[Choice]:
    return Item(Content.styled(words, "bold $accent"))


def _running(agent: Agent, room: int) -> Item[Choice]:
    folder = path_end(clean_line(from_home(agent.state.peer.cwd)), room - NAME)
    return Item(_row(agent.name, folder), agent, agent.name)


def _starting(name: str, settings: AgentSettings, value: Choice) -> Item[Choice]:
    return Item(_row(name, settings.words), value, f"{name} {settings.words}")


def _row(name: str, rest: str) -> Content:
    name = clean_line(name)
    name = name if len(name) < NAME else name[: NAME - 2] + "…"
    return Content.assemble((name.ljust(NAME), "$foreground"), (judged_line(rest), "$text-muted"))
