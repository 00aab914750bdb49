"""When and how the person is told by the desktop."""

from typing import Annotated, Literal, get_args

from pydantic import Field

from acp_tui.config.model import ConfigModel

About = Literal["question", "turn", "failure"]


class NotifySettings(ConfigModel):
    """`after` is how many seconds a turn must have taken for its end to be told of. With a `command`
    that is how; `{title}` and `{body}` stand in it for the texts.
    """

    when: Literal["unfocused", "always", "never"] = "unfocused"
    how: Literal["auto", "osc9", "osc777", "osc99", "notify-send", "terminal-notifier"] = "auto"
    command: list[str] = []
    about: list[About] = Field(default_factory=lambda: list(get_args(About)))
    after: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 10.0
