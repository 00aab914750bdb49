"""The public names and their signatures: what changes here, changes for everybody who uses them."""

import inspect
import subprocess
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

import acp_tui
from acp_tui import testing
from acp_tui.library import api
from tests.fake_agent.script import Script

OURS = ("acp_tui.library", "acp_tui.testing")
KEPT = Path(__file__).with_name("names.txt")


def signature(function: Any) -> str:
    """The parameters of a function, without their types."""
    told = [
        one.replace(annotation=inspect.Parameter.empty)
        for one in inspect.signature(function).parameters.values()
    ]
    return str(inspect.Signature(told))


def members(kind: type) -> list[str]:
    """The public fields, properties and methods of a class, but those of what it builds on."""
    own = [one for one in kind.__mro__ if one.__module__.startswith("acp_tui")]
    names = {name for one in own for name in (*vars(one), *getattr(one, "__annotations__", ()))}
    lines = [f"{name}{_how(kind, name)}" for name in sorted(names) if not name.startswith("_")]
    if is_dataclass(kind):
        lines.insert(0, f"({', '.join(one.name for one in fields(kind))})")
    return lines


def _how(kind: type, name: str) -> str:
    found = inspect.getattr_static(kind, name, None)
    return signature(found) if inspect.isfunction(found) else ""


def _bases(kind: type) -> str:
    if issubclass(kind, tuple):
        return "tuple"
    return ", ".join(one.__name__ for one in kind.__bases__ if one is not object)


def surface() -> str:
    """All that is public, a line each."""
    lines = []
    for module in (api, testing):
        for name in module.__all__:
            found = getattr(module, name)
            where = f"{module.__name__}.{name}"
            if inspect.isclass(found):
                lines.append(f"{where}: {_bases(found)}")
                ours = found.__module__.startswith(OURS)
                lines += [f"    {line}" for line in (members(found) if ours else ())]
            else:
                lines.append(f"{where}{signature(found) if callable(found) else ''}")
    return "\n".join([*lines, ""])


def test_names_and_signatures_stay_as_they_are() -> None:
    assert surface() == KEPT.read_text("utf-8"), (
        "if the change is meant: python -m tests.library.test_names, and a line in CHANGELOG.md"
    )


def test_the_package_has_the_names_of_the_api() -> None:
    assert acp_tui.__all__ == api.__all__
    assert acp_tui.open_agent is api.open_agent
    with pytest.raises(AttributeError, match="no attribute 'open_agents'"):
        _ = acp_tui.open_agents  # type: ignore[attr-defined]


def test_importing_starts_nothing_and_an_agent_loads_no_telemetry_unasked(tmp_path: Path) -> None:
    script, work = Script().handshake(), tmp_path / "work"
    work.mkdir()
    code = (
        "import sys, acp_tui\n"
        "from acp_tui import errors\n"
        "cheap = {'anyio', 'asyncio', 'pydantic', 'textual', 'pytest'} & set(sys.modules)\n"
        "import os, threading, acp_tui.library.api, acp_tui.testing\n"
        "from acp_tui.client.process.watchdog import watchdog\n"
        "heavy = {'textual', 'rich', 'pytest'} & set(sys.modules)\n"
        "print(cheap, heavy, watchdog.pid, threading.active_count(), os.listdir('.'))\n"
        "import anyio\n"
        "async def main():\n"
        f"    async with acp_tui.open_agent({script.argv(tmp_path)!r}, '.') as agent:\n"
        "        await agent.new_session()\n"
        "anyio.run(main)\n"
        "print([name for name in sys.modules if 'opentelemetry' in name])"
    )
    home = {"HOME": str(tmp_path), "PATH": "/nowhere", "PYTHONPATH": str(Path.cwd())}
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=work, env=home, capture_output=True, text=True
    )
    assert ran.stdout == "set() set() None 1 []\n[]\n", ran.stderr


if __name__ == "__main__":
    KEPT.write_text(surface(), "utf-8")
