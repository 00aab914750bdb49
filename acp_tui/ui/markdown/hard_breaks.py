"""Line ends of what tools say: each makes a new line, which keeps its indentation."""

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline


def kept_lines_plugin(parser: MarkdownIt) -> None:
    """Read line ends before the parser takes the spaces and the backslashes around them."""
    parser.inline.ruler.before("newline", "kept_newline", _kept_newline)


def _kept_newline(state: StateInline, silent: bool) -> bool:
    if not state.env.get("keep_lines"):
        return False
    at = state.pos
    if state.src.startswith("\\\n", at):
        at += 1
    elif state.src[at] != "\n":
        return False
    if not silent:
        state.pending += state.src[state.pos : at]
        state.push("softbreak", "br", 0)
    state.pos = at + 1
    return True
