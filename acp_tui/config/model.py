"""Base class of the tables in a user's configuration files."""

from pydantic import BaseModel, ConfigDict


class ConfigModel(BaseModel):
    """A table of a file. An unknown key is an error: it is likely a typo."""

    # Deferred: most starts read few of these tables, and each takes time to build.
    model_config = ConfigDict(defer_build=True, extra="forbid", frozen=True)
