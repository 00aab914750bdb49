"""A start doesn't look through all installed packages for plugins of pydantic."""

import subprocess
import sys

CODE = """
import sys
from acp_tui import __main__
__main__._skip_pydantic_plugins()
from acp_tui.protocol.requests import RequestPermissionParams
RequestPermissionParams.model_rebuild(force=True)
print("importlib.metadata" in sys.modules)
"""


def test_models_are_built_without_a_look_at_other_packages() -> None:
    ran = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True)
    assert (ran.stdout, ran.stderr) == ("False\n", "")
