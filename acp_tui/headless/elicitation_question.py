"""Shows a form or a link of the agent (ACP: Elicitation) at a terminal without a UI, and reads the
answer in lines.
"""

from acp_tui.headless.keyboard import read_answer
from acp_tui.headless.preview import mark_line
from acp_tui.headless.printer import PrintLine
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


async def ask_elicitation(question: PendingElicitation, print_line: PrintLine) -> AnswerElicitation:
    """Ask the user at the terminal, who may decline or cancel at any point."""
    try:
        if question.url is not None:
            return await _agree(question, question.url, print_line)
        return await _fill_in(question, question.form or Form(), print_line)
    except Stopped as stop:
        return AnswerElicitation(question.number, stop.action)


class Stopped(Exception):  # noqa: N818  not an error, but the user's choice
    """The user stopped answering; `action` is "decline" or "cancel"."""

    def __init__(self, action: str) -> None:
        super().__init__(action)
        self.action = action


async def _agree(
    question: PendingElicitation, url: str, print_line: PrintLine
) -> AnswerElicitation:
    print_line(f"The agent asks you to open a link: {question.message}")
    print_line(f"  host: {links.host_of(url) or '?'}")
    print_line(mark_line(url))
    for words in links.link_warnings(url):
        print_line(f"  Mind: {words}")
    print_line("  It is not opened from here; yes tells the agent that you open it.")
    await _confirm("Do you", print_line)
    return AnswerElicitation(question.number, "accept")


async def _fill_in(
    question: PendingElicitation, form: Form, print_line: PrintLine
) -> AnswerElicitation:
    print_line(f"The agent asks: {question.message}")
    for words in (form.title, form.description):
        if words:
            print_line(mark_line(words))
    await _confirm("Answer", print_line)
    content = elicitations.default_values(form)
    while True:
        for name, field in form.properties.items():
            await _fill_in_field(form, name, field, content, print_line)
        for name, value in content.items():
            print_line(mark_line(f"{form.properties[name].title or name}: {_format_value(value)}"))
        wrong = elicitations.find_problems(form, content)
        for name, why in wrong.items():
            print_line(mark_line(f"{form.properties[name].title or name} {why}"))
        if wrong:
            raise Stopped("cancel")
        if await _confirm("Send this", print_line, change=True):
            return AnswerElicitation(question.number, "accept", content)


async def _confirm(what: str, print_line: PrintLine, *, change: bool = False) -> bool:
    """Return True for "yes", False for "change". Raises Stopped for "no", or without an answer."""
    keys = "[y]es, [c]hange, [n]o" if change else "[y]es, [n]o"
    while True:
        line = await read_answer(f"{what}? {keys}; Enter alone cancels: ", print_line)
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
    form: Form, name: str, field: FormProperty, content: dict[str, Value], print_line: PrintLine
) -> None:
    """Ask for a field until its value is valid; Enter alone leaves the field unchanged."""
    if isinstance(field, UnknownProperty):
        return
    required = " (required)" if name in (form.required or []) else ""
    about = f": {field.description}" if field.description else ""
    print_line(mark_line(f"{field.title or name}{required}{about}"))
    choices: list[EnumOption] = []
    if isinstance(field, BooleanProperty):
        choices = YES_NO
    elif isinstance(field, StringProperty | MultiSelectProperty):
        choices = field.choices
    for number, choice in enumerate(choices, 1):
        more = f" ({choice.description})" if choice.description else ""
        print_line(f"  {number}) {choice.title}{more}")
    several = isinstance(field, MultiSelectProperty)
    numbers = f" [1-{len(choices)}{', several with commas' if several else ''}]" if choices else ""
    kept = f"keeps {_format_value(content[name])}" if name in content else "leaves it empty"
    print_line(f"  Enter {kept}")
    while True:
        line = await read_answer(f"Your answer{numbers}: ", print_line)
        if line is None:
            raise Stopped("cancel")
        value = _parse_value(field, choices, line) if line else content.get(name)
        values = {} if value is None else {name: value}
        wrong = elicitations.find_problems(form, values).get(name)
        if wrong is None:
            content.update(values)
            return
        print_line(f"  It {wrong}.")


def _parse_value(field: FormProperty, choices: list[EnumOption], line: str) -> Value:
    """Parse a line as the value of a field; a choice may be entered as its number, value or title."""
    if isinstance(field, MultiSelectProperty):
        return [_find_choice(choices, word.strip()) for word in line.split(",") if word.strip()]
    if isinstance(field, BooleanProperty):
        chosen = _find_choice(choices, line.lower())
        return {"yes": True, "y": True, "no": False, "n": False}.get(chosen, line)
    return _find_choice(choices, line) if choices else elicitations.parse_field(field, line)


def _find_choice(choices: list[EnumOption], word: str) -> str:
    if word.isdecimal() and 1 <= int(word) <= len(choices):
        return choices[int(word) - 1].const
    return next((one.const for one in choices if word in (one.const, one.title)), word)


def _format_value(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, list) else str(value)
