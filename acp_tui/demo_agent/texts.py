"""The longer Markdown texts of the demo, written for 80 columns."""

MARKDOWN = '''\
## Markdown, as it streams

Text can be **bold**, *italic*, ~~struck~~ or `inline code`, and a link like
[the protocol's home](https://agentclientprotocol.com) opens with a click.

1. Lists can be numbered
   - and nested
   - as deep as you like
2. and tasks can be ticked off:
   - [x] pick a tea
   - [x] boil water
   - [ ] wait

| Tea    | Minutes | Water |
|:-------|--------:|:-----:|
| green  |       2 | 75 °C |
| black  |       4 | 95 °C |
| herbal |       6 | 99 °C |

```python
def brew(tea: str, minutes: int = 3) -> str:
    """Patience is the whole recipe."""
    return f"{tea}, ready in {minutes} min 🫖"
```

> A watched pot never boils, but a streamed table never flickers.
'''

WELCOME = """\
# A tour of acp-tui

You are talking to a real ACP agent: its own process, speaking the protocol
over a pipe. Everything you see now came over the wire, piece by piece.

- **Esc** stops me at any time
- **F1** lists all keys
- **Enter** on a tool call or a thought opens it

Let me fix a small bug while you watch. I'll ask before I change anything.

"""

FAREWELL = """\
## That was the tour

Scroll back and open what you like: the diff, the terminal, my thoughts.
Half a minute each: `/wire`, `/findings`, `/hold` and `/rewind`. Type `/` to
see the others. Switch my mode to *Edit* and I won't ask before edits.

Now start your own agent by its name, such as `acp-tui claude`, or by its
command: `acp-tui -- COMMAND`.
"""

HELP = """\
I'm the demo agent: no model, no key, no network. I play scenes.

| Type           | To see                                           |
|:---------------|:-------------------------------------------------|
| `/tour`        | everything, in ten seconds                       |
| `/wire`        | F12: every message, and the session as it was    |
| `/findings`    | a broken rule, and the sentence that it breaks   |
| `/hold`        | a message held, edited and passed on             |
| `/rewind`      | a file put back to before a turn                 |
| `/markdown`    | headings, lists, a table, code                   |
| `/thoughts`    | what an agent thinks before it speaks            |
| `/plan`        | a plan that makes progress                       |
| `/tools`       | tool calls of every kind and status              |
| `/diff`        | edits to files, shown as diffs                   |
| `/terminal`    | a program running in a terminal, live            |
| `/permission`  | a question only you can answer                   |
| `/subagents`   | three subagents; one asks, one fails, one waits  |
| `/suggest`     | a suggestion for your next prompt                |
| `/quota 85`    | a plan of which 85% is used                      |
| `/system`      | your system prompt (`--system-prompt TEXT`)      |
| `/air`         | a goal, a task and a failure (`--as air`)        |
| `/slow`        | a long answer, to try **Esc**                    |
| `/flood 5000`  | 5,000 chunks as fast as the pipe takes them      |
| `/escape`      | nasty control characters, made harmless          |
| `/noise`       | an agent that prints garbage on its stdout       |
| `/hang`        | an agent that says nothing until you cancel      |
| `/fail`        | an error from the agent, with its data           |
| `/crash`       | an agent that dies in the middle of a turn       |

Add the word `fast` to any of them to hurry me. Plain words work as well:
`show me everything`.
"""

GREETING = """\
Hello! I'm the demo agent. Type **show me everything** for a tour of ten
seconds, or `/help` for the list of scenes. `/wire`, `/findings`, `/hold` and
`/rewind` are tours of half a minute.
"""

WIRE_TOUR = """\
1. **F12** shows every message: `→` to me, `←` from me
2. **p** goes from the last one, my response, to its request: your prompt
3. **,** shows the session as it was then; **Esc** returns to now
4. **w** shows where the time went; **Esc** closes it
5. **F12** brings you back here

With your own agent: `acp-tui -- COMMAND`, then **F12**.
"""

FINDINGS_TOUR = """\
1. The status line below says `protocol: 1 error`
2. **F12** opens at it, with the rule and the sentence that it breaks
3. **n** goes to the next finding, if there is one
4. **F12** brings you back here

With your own agent: `acp-tui check -- COMMAND` tries all the rules.
"""

HOLD_TOUR = """\
1. **F12**, **b**, **Enter**: questions like this one are held from now on
2. **F12**, **1**: you answer it, and my next question is held
3. **F12**, **H**, **e**: change its title, and press **Ctrl+S**
4. **Esc**, **F12**: it asks what you wrote; answer it

"""

HOLD_TOUR_END = """\
I sent *{title}*; the question had your words. **F12**, **H**, **d** removes
the breakpoint.

With your own agent:
`acp-tui --break method:session/request_permission -- COMMAND`
"""

REWIND_TOUR = """\
1. **Alt+U** lists the turns, with what each of them changed
2. **Enter** shows what going back to before this one would change
3. **2** puts the file back; that can be undone, too

With your own agent: `acp-tui -- COMMAND`, then **Alt+U**.
"""

ESCAPES = (
    "Each line holds something that must not reach your terminal as it is:\n\n"
    "- a screen wipe: \x1b[2J\x1b[H (you still see this)\n"
    "- a window title: \x1b]0;pwned\x07 (look up: unchanged)\n"
    "- a clipboard write: \x1b]52;c;cHduZWQ=\x07 (paste: unchanged)\n"
    "- color without leave: \x1b[31mnot red\x1b[0m\n"
    "- C1 controls: \x9b31mstill not red\x9b0m\n"
    "- bidi tricks: access = \u202e'resu'\u202c, not what it seems\n"
    "- a zero\u200bwidth\u200bspace, a backspace\x08, a bell \x07, a NUL \x00\n"
    "- a carriage return that hides:\rthis text\n"
    "- markup for the screen: [bold red]not bold[/] [@click=app.quit]no link[/]\n"
)
