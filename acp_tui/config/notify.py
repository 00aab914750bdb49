"""When and how the person is told by the desktop."""

from typing import Annotated, Literal

from acp_tui.structs import Struct, Where, field

About = Literal["question", "turn", "failure"]


class NotifySettings(Struct):
    """`after` is how many seconds a turn must have taken for its end to be told of. With a `command`
    that is how; `{title}` and `{body}` stand in it for the texts.
    """

    when: Literal["unfocused", "always", "never"] = "unfocused"
    how: Literal["auto", "osc9", "osc777", "osc99", "notify-send", "terminal-notifier"] = "auto"
    command: list[str] = field(default_factory=list)
    about: list[About] = field(default_factory=lambda: ["question", "turn", "failure"])
    after: Annotated[float, Where(ge=0, allow_inf_nan=False)] = 10.0
