"""The stylesheets that are always loaded; a dialog brings its own. The inspector's is loaded at the start, as
the whole conversation is styled again when a screen brings one.
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
