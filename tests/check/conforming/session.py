"""A session: what was said, what is set, and the file that keeps it."""

import json
import os
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Message = dict[str, Any]

MODES = ("ask", "code")
MODELS = ("small", "large")


@dataclass
class Session:
    """A conversation."""

    id: str
    cwd: str
    roots: list[str] = field(default_factory=list)
    said: list[list[str]] = field(default_factory=list)
    """Who said what: the kind of chunk, and the text."""
    mode: str = MODES[0]
    options: Message = field(default_factory=lambda: {"model": MODELS[0], "brief": False})
    running: "Running | None" = None
    key: Any = None
    """The idempotencyKey of the last prompt."""
    keys: Message = field(default_factory=dict)
    """The messageId of each prompt that had a key."""

    def keep(self, store: Path) -> None:
        """Write it down."""
        kept = {"cwd": self.cwd, "roots": self.roots, "said": self.said}
        store.mkdir(parents=True, exist_ok=True)
        # Others read them at any time.
        whole = store / f"{self.id}.{os.getpid()}"
        whole.write_text(json.dumps(kept))
        whole.replace(store / f"{self.id}.json")

    def modes(self) -> Message:
        """Return the state of modes."""
        listed = [{"id": one, "name": one.title()} for one in MODES]
        return {"currentModeId": self.mode, "availableModes": listed}

    def config(self, *, booleans: bool) -> list[Message]:
        """Return all options."""
        values = [{"value": one, "name": one.title()} for one in MODELS]
        select = {"id": "model", "name": "Model", "type": "select", "options": values}
        options = [{**select, "currentValue": self.options["model"]}]
        if booleans:
            flag = {"id": "brief", "name": "Brief", "type": "boolean"}
            options.append({**flag, "currentValue": self.options["brief"]})
        levels = [{"value": "low", "name": "Low"}]
        effort = {"id": "effort", "name": "Effort", "type": "select", "options": levels}
        options.append({**effort, "currentValue": "low"})
        # One that goes with another's value: a list without it is complete.
        if self.options["model"] == MODELS[0]:
            options.append({**effort, "id": "thrift", "name": "Thrift", "currentValue": "low"})
        return options


@dataclass
class Running:
    """A turn that runs."""

    id: Any
    cancelled: threading.Event = field(default_factory=threading.Event)
    withdrawn: bool = False
    """Whether the request for it was withdrawn."""


def found(store: Path, id: str) -> Session | None:
    """Return a session that was kept."""
    path = store / f"{id}.json"
    if not id.isalnum() or not path.exists():
        return None
    kept = json.loads(path.read_text())
    return Session(id, kept["cwd"], kept["roots"], kept["said"])
