"""Writes docs/check.md: python -m acp_tui.check.page > docs/check.md"""

import sys
from collections.abc import Iterator
from types import ModuleType

from acp_tui.check.model import Check, Profile, Tier
from acp_tui.check.prompts import GENERAL, KNOWN
from acp_tui.check.table import SUBJECTS, rank

_INTRO = """\
# Checking agents

    acp-tui check -- my-agent --acp

tries an agent by the rules of the protocol: each check starts it afresh in a folder of its own, provokes a
behavior, and judges it by a sentence that it quotes, without its markup and with … for what is left out. This page is generated from the checks:
`python -m acp_tui.check.page > docs/check.md`.

## Verdicts

A check **passes**, **fails**, has a **warning**, or is **skipped**, with the reason: not offered, wants a
sign-in (`--auth ID`), not allowed (`--allow-logout`), the model did not act, no prompt, no turns left, not reached, not on this machine. The tier says what it
rests on:

| tier | |
| --- | --- |
| must | a MUST for every agent |
| capability | a MUST for agents that offer something |
| should | a SHOULD, or what JSON-RPC recommends; what breaks it is a warning |
| heuristic | the protocol has no sentence that asks it of agents: clients rely on it, and what breaks it, a warning, may be meant |

An agent is **conformant** if nothing failed, something passed, and no must and no capability was left
untested. What was not tested never counts as right; what an agent doesn't offer is not asked of it. Each
verdict has its evidence: the sentence, the frames, the command that shows it again, a recording that
`acp-tui replay` opens, and how such a failure is usually mended. A secret in the command is named by the variable that has it,
or by one to be set. The last ten runs are kept, and those of the last hour up to 1 GiB, in the folder
`checks` beside the recordings.

| `--profile` | |
| --- | --- |
| v1 | all that version 1 of the protocol says (default) |
| registry | what needs no model, so that many agents can be tried every day |
| editor | v1, and what editors rely on beside it |
| strict | all of these, and a warning is a failure |

`--protocol 2` speaks version 2, a draft: checks whose rule version 2 has, too, quote its sentence, those of
version 1 are skipped, and those whose ids begin with B are of version 2 only.

Exit codes: 0 conformant; 1 a failure, a must that could not be tested, or nothing that was tested; 2 usage,
or the agent can't be started or reached. With `--only A3,A15` only these checks count: also there, a check
of what the agent doesn't offer says nothing for it.

To an agent on this machine files are served and terminals are opened unasked, in its throw-away folder, as
most editors offer them; what a terminal runs can do whatever you can. `--sandbox` shuts in both.

## Reports

`--json`, `--junit`, `--markdown`, `--sarif` and `--badge` write to stdout, or into a file: `--junit=FILE`.
Several may be given, with files. What looks like a secret is masked in all of them, but look at the frames
before you publish them. [github-action.yml](../examples/github-action.yml) has a job for CI, and
`.pre-commit-hooks.yaml` a hook.

## The model

Most of what agents do, they do because a model wants it. Checks that need that send a prompt for an act,
at most `--tries` times for each (default: 2); what the model doesn't do, is skipped. `--dry-run` lists
them, `--max-turns N` leaves out what may take more. Put your own in place of these, in which `{folder}` is
the agent's folder, by `--prompt-for write="..."`, or for all runs in the settings:

    [check.prompts]
    write = "..."

"""

_PROFILES = """\
## Order, and many at once

`-j N` runs N agents side by side, two for each processor by default. The order changes no verdict: every
check has agents of its own, but for ordinary sessions (scenes), which are played once, for all checks that
look at them. An answer is waited for as long as `--timeout` says (default: 60 s); an agent that says nothing at
its first start gets 10 s from then on.

"""

_DIFFERENCES = """\
## Beside acp-tck

The last column names the same requirements in [acp-tck](https://github.com/agentclientprotocol/acp-tck).
Where it judges otherwise:

| | acp-tck | here |
| --- | --- | --- |
| A4 | an error fails | the error -32022 is a warning: an agent that has version 2 answers so to what it doesn't know |
| A13 | advisory: one page of the documentation says only text | a must: the page on initialization and the schema say both |
| A16 | every update after the response | what belongs to a turn: other updates are not limited to turns |
| A18 | passes if the model did nothing | skipped then: nothing was tried |
| A21 | any replay will do | a user's and an agent's message at least, in another process: the conversation has both |
| A23 | an invalid cursor isn't tried | a warning if it gets a result |
| A24 | deletes the session that it has open | one of an earlier process: what becomes of an active session is up to the agent |
| A31 | advisory | a must: all types include `_meta` |
| A32 | advisory, as its own check is an approximation | a must: the sentence has MUST NOT |
| A38 | what is answered to broken lines is only noted | the same, and a warning if the agent doesn't work on |
| A45 | only noted | a warning if the prompt gets a result |
| A59 | skipped without `--allow-logout`, which counts as right | skipped, too, but what is offered and not tested is not conformant |

acp-tck has no checks of files, terminals, MCP servers, permissions, plans, tool calls, elicitations, forks,
and sessions side by side.
"""


def page() -> str:
    """Make the page as Markdown."""
    parts = [_INTRO, *_prompts(), _PROFILES]
    parts += ["".join(_section(subject)) for subject in SUBJECTS]
    return "".join([*parts, _DIFFERENCES])


def _prompts() -> Iterator[str]:
    yield "| act | prompt |\n| --- | --- |\n"
    for act, text in GENERAL.items():
        yield f"| {act} | {_cell(text)} |\n"
    names = ", ".join(f"`{name}`" for name in KNOWN)
    yield f"\nFor {names} other ones are known, without a model.\n\n"


def _section(subject: ModuleType) -> Iterator[str]:
    title = (subject.__doc__ or "").splitlines()[0].rstrip(".")
    yield f"## {title}\n\n| check | tier | | acp-tck |\n| --- | --- | --- | --- |\n"
    for check in sorted(subject.CHECKS, key=rank):
        yield f"| {check.id} | {check.tier} | {_told(check)} | {check.tck.replace(', ', '<br>')} |\n"
    yield "\n"


def _told(check: Check) -> str:
    told = [f"**{_cell(check.title)}**"]
    for one in check.sentences:
        about = " is all that is said about it" if check.tier is Tier.HEURISTIC else ""
        told.append(f"“{_cell(one.text)}” ([{_cell(one.source)}]({one.link})){about}")
    told += [f"“{_cell(one.text)}” ([{_cell(one.source)}]({one.link}))" for one in check.second]
    if acts := [*check.acts, *(act for scene in check.scenes for act in scene.acts)]:
        told.append(f"Prompts: {', '.join(dict.fromkeys(acts))}.")
    if Profile.V1 not in check.profiles:
        told.append("Only with `--profile editor` or `strict`.")
    return "<br>".join([*told, f"Usually mended so: {_cell(check.mend)}."])


def _cell(text: str) -> str:
    for sign in "|*_<>":
        text = text.replace(sign, f"\\{sign}")
    return text


if __name__ == "__main__":
    sys.stdout.write(page())
