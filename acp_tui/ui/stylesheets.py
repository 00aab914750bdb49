"""The stylesheets that are always loaded; a dialog brings its own."""

from pathlib import Path, PurePath

STYLESHEETS: list[str | PurePath] = [
    Path(__file__).parent / f"{name}.tcss"
    for name in (
        "app",
        "choices",
        "conversation/screen",
        "conversation/welcome",
        "conversation/plan",
        "conversation/trouble",
        "conversation/queue_view",
        "conversation/elsewhere",
        "question/panel",
        "elicitation/elicitation",
        "conversation/command_list",
        "conversation/file_list",
        "conversation/prompt",
        "conversation/search",
        "conversation/status_line",
        "hints",
    )
]
