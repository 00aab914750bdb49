"""What agents ask of a person, and which agent does."""

from typing import NamedTuple

from acp_tui.host.agent import Agent
from acp_tui.state.open_questions import PendingElicitation, Permission


class AskedPermission(NamedTuple):
    """A permission request that waits for the person, and the agent that it is from."""

    agent: Agent
    permission: Permission

    @property
    def number(self) -> int:
        """The frame of the request, which names it."""
        return self.permission.number

    @property
    def at(self) -> float:
        """Since when it waits."""
        return self.permission.at

    @property
    def session_id(self) -> str | None:
        """The session that it belongs to."""
        return self.permission.session_id


class AskedElicitation(NamedTuple):
    """A form or a link that waits for the person, and the agent that it is from."""

    agent: Agent
    elicitation: PendingElicitation

    @property
    def number(self) -> int:
        """The frame of the request, which names it."""
        return self.elicitation.number

    @property
    def at(self) -> float:
        """Since when it waits."""
        return self.elicitation.at

    @property
    def session_id(self) -> str | None:
        """The session that it belongs to, if it belongs to one."""
        return self.elicitation.session_id


Asked = AskedPermission | AskedElicitation
