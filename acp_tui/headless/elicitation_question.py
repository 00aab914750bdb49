"""Shows a form or a link of the agent (ACP: Elicitation) at a terminal without a UI, and reads the
answer in lines.
"""

from acp_tui.headless.keyboard import read_answer
from acp_tui.headless.preview import mark_line
from acp_tui.headless.printer import Say
from acp_tui.protocol.elicitation import (
    BooleanProperty,
    EnumOption,
    Form,
    FormProperty,
    MultiSelectProperty,
    StringProperty,
    UnknownProperty,
    Value,
)
from acp_tui.state import elicitations, links
from acp_tui.state.commands import AnswerElicitation
from acp_tui.state.open_questions import PendingElicitation

YES_NO = [EnumOption(const="yes", title="Yes"), EnumOption(const="no", title="No")]


async def ask_elicitation(question: PendingElicitation, say: Say) -> AnswerElicitation:
    """Ask the user at the terminal, who may decline or cancel at any point."""
    try:
        if question.url is not None:
            return await _agree(question, question.url, say)
        return await _fill_in(question, question.form or Form(), say)
    except Stopped as stop:
        return AnswerElicitation(question.number, stop.action)


class Stopped(Exception):  # noqa: N818  not an error, but the user's choice
    """The user stopped answering; `action` is "decline" or "cancel"."""

    def __init__(self, action: str) -> None:
        super().__init__(action)
        self.action = action


async def _agree(question: PendingElicitation, url: str, say: Say) -> AnswerElicitation:
    say(f"The agent asks you to open a link: {question.message}")
    say(f"  host: {links.host_of(url) or '?'}")
    say(mark_line(url))
    for words in links.link_warnings(url):
        say(f"  Mind: {words}")
    say("  It is not opened from here; yes tells the agent that you open it.")
    await _wants("Do you", say)
    return AnswerElicitation(question.number, "accept")


async def _fill_in(question: PendingElicitation, form: Form, say: Say) -> AnswerElicitation:
    say(f"The agent asks: {question.message}")
    for words in (form.title, form.description):
        if words:
            say(mark_line(words))
    await _wants("Answer", say)
    content = elicitations.default_values(form)
    while True:
        for name, field in form.properties.items():
            await _fill_in_field(form, name, field, content, say)
        for name, value in content.items():
            say(mark_line(f"{form.properties[name].title or name}: {_shown(value)}"))
        wrong = elicitations.find_problems(form, content)
        for name, why in wrong.items():
            say(mark_line(f"{form.properties[name].title or name} {why}"))
        if wrong:
            raise Stopped("cancel")
        if await _wants("Send this", say, change=True):
            return AnswerElicitation(question.number, "accept", content)


async def _wants(what: str, say: Say, *, change: bool = False) -> bool:
    """Return True for "yes", False for "change". Raises Stopped for "no", or without an answer."""
    keys = "[y]es, [c]hange, [n]o" if change else "[y]es, [n]o"
    while True:
        line = await read_answer(f"{what}? {keys}; Enter alone cancels: ", say)
        answer = (line or "").lower()
        if answer in ("y", "yes"):
            return True
        if change and answer in ("c", "change"):
            return False
        if answer in ("n", "no"):
            raise Stopped("decline")
        if not answer:
            raise Stopped("cancel")


async def _fill_in_field(
    form: Form, name: str, field: FormProperty, content: dict[str, Value], say: Say
) -> None:
    """Ask for a field until its value is valid; Enter alone leaves the field unchanged."""
    if isinstance(field, UnknownProperty):
        return
    required = " (required)" if name in (form.required or []) else ""
    about = f": {field.description}" if field.description else ""
    say(mark_line(f"{field.title or name}{required}{about}"))
    choices: list[EnumOption] = []
    if isinstance(field, BooleanProperty):
        choices = YES_NO
    elif isinstance(field, StringProperty | MultiSelectProperty):
        choices = field.choices
    for number, choice in enumerate(choices, 1):
        more = f" ({choice.description})" if choice.description else ""
        say(f"  {number}) {choice.title}{more}")
    several = isinstance(field, MultiSelectProperty)
    numbers = f" [1-{len(choices)}{', several with commas' if several else ''}]" if choices else ""
    kept = f"keeps {_shown(content[name])}" if name in content else "leaves it empty"
    say(f"  Enter {kept}")
    while True:
        line = await read_answer(f"Your answer{numbers}: ", say)
        if line is None:
            raise Stopped("cancel")
        value = _value(field, choices, line) if line else content.get(name)
        values = {} if value is None else {name: value}
        wrong = elicitations.find_problems(form, values).get(name)
        if wrong is None:
            content.update(values)
            return
        say(f"  It {wrong}.")


def _value(field: FormProperty, choices: list[EnumOption], line: str) -> Value:
    """Parse a line as the value of a field; a choice may be entered as its number, value or title."""
    if isinstance(field, MultiSelectProperty):
        return [_chosen(choices, word.strip()) for word in line.split(",") if word.strip()]
    if isinstance(field, BooleanProperty):
        chosen = _chosen(choices, line.lower())
        return {"yes": True, "y": True, "no": False, "n": False}.get(chosen, line)
    return _chosen(choices, line) if choices else elicitations.parse_field(field, line)


def _chosen(choices: list[EnumOption], word: str) -> str:
    if word.isdecimal() and 1 <= int(word) <= len(choices):
        return choices[int(word) - 1].const
    return next((one.const for one in choices if word in (one.const, one.title)), word)


def _shown(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, list) else str(value)
