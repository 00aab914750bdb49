"""Time limits for agents' responses, in seconds."""

from typing import Annotated

from pydantic import Field

from acp_tui.config.toml_files import ConfigModel

Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Limits(ConfigModel):
    """Time limits for responses, by the last word of the method; `other` is for all other methods.

    A prompt has no limit, but the user is notified after `silence` seconds without a frame. `disk`
    limits reading a file for the agent. A `question` of the agent is canceled after its limit, if
    one is set.
    """

    initialize: Seconds = 60.0
    authenticate: Seconds = 600.0  # includes the time that the user takes to sign in
    logout: Seconds = 60.0
    new: Seconds = 60.0
    load: Seconds = 300.0  # a long history
    resume: Seconds = 60.0
    fork: Seconds = 60.0
    list: Seconds = 60.0
    close: Seconds = 30.0
    delete: Seconds = 30.0
    set_mode: Seconds = 30.0
    set_model: Seconds = 30.0
    set_config_option: Seconds = 30.0
    steering: Seconds = 60.0
    other: Seconds = 60.0
    silence: Seconds = 30.0
    disk: Seconds = 60.0
    question: Seconds | None = None

    def of(self, method: str) -> float | None:
        """Return a method's limit; None if it has none."""
        if method == "session/prompt":
            return None
        limit: float | None = vars(self).get(method.rpartition("/")[2], self.other)
        return limit

    def to_start(self, seconds: float) -> "Limits":
        """Return a copy with this limit for starting an agent and opening a session."""
        names = ("initialize", "new", "load", "resume", "list")
        return self.model_copy(update=dict.fromkeys(names, seconds))
