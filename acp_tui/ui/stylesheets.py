"""The stylesheets that are always loaded; a dialog brings its own.

The inspector's is among them, as a screen that brings a stylesheet has the whole conversation
styled again.
"""

from pathlib import Path, PurePath

STYLESHEETS: list[str | PurePath] = [
    Path(__file__).parent / f"{name}.tcss"
    for name in (
        "app",
        "toolkit/choices",
        "conversation/screen",
        "conversation/welcome",
        "conversation/plan",
        "conversation/trouble",
        "prompt/queue_view",
        "question/panel",
        "inspector/screen",
        "question/elicitations",
        "prompt/completion_list",
        "prompt/editor",
        "conversation/search",
        "conversation/status_line",
        "toolkit/hints",
    )
]
