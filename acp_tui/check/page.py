"""The page docs/check.md."""

from collections.abc import Iterator
from types import ModuleType

from acp_tui.check.model import Check, Profile, Tier
from acp_tui.check.prompts import GENERAL, KNOWN
from acp_tui.check.table import SUBJECTS, rank

_INTRO = """\
# Checking agents

    acp-tui check -- my-agent --acp

This checks an agent against the rules of the protocol. Each check starts it afresh in a folder of its own,
provokes a behavior, and judges it by a sentence that it quotes, without its markup and with … for what is
left out. `make pages` writes this page from the checks.

## Verdicts

A check **passes**, **fails**, has a **warning**, or is **skipped**, with the reason: not offered, wants a
sign-in (`--auth ID`), not allowed (`--allow-logout`), the model did not act, no prompt, no turns or no time
left, not reached, not on this machine. The tier says what a check is based on:

| tier | |
| --- | --- |
| must | a MUST for every agent |
| capability | a MUST for agents that offer something |
| should | a SHOULD, or what JSON-RPC recommends; breaking it is a warning |
| heuristic | no sentence of the protocol requires it, but clients rely on it; breaking it is a warning, and may be intended |

An agent is **conformant** if nothing failed, something passed, and no must and no capability was left
untested. What was not tested never counts as passed, and no check passes without a frame that shows it; a rule of the
wire that was broken in any recording of the run counts, whichever check it was made for. Nothing is required that an agent doesn't offer. Each
verdict comes with its evidence: the sentence, the frames, the command that shows it again, a recording that
`acp-tui replay` opens, and the usual fix. A secret in the command is replaced by the name of the variable
that has it, or of one that you have to set. The last ten runs are kept, and those of the last hour up to
1 GiB, in the folder `checks` next to the recordings.

| `--profile` | |
| --- | --- |
| v1 | all that version 1 of the protocol says (default) |
| registry | what needs no model, so that many agents can be tried every day |
| editor | v1, and whatever else editors rely on |
| strict | all of these, and a warning is a failure |

`--protocol 2` speaks version 2, a preview. Checks whose rule is also in version 2 quote its sentence, those of
version 1 alone are skipped, and those whose ids begin with B are only in version 2.

Exit codes: 0 conformant; 1 a failure, a must that could not be tested (the last line names them; `--untested
ok` accepts that, as of an agent whose model can't be made to act), or nothing that was tested; 2 usage, or the agent can't be started or reached. With `--only A3,A15` only these checks count. A check of something
that the agent doesn't offer doesn't count in its favor, even then.

An agent on this machine gets files and terminals without asking, in its throwaway folder, as most editors
offer them; what a terminal runs can do whatever you can. `--sandbox` confines both.

## Reports

`--json`, `--junit`, `--markdown` and `--sarif` write to stdout, or into a file: `--junit=FILE`.
Several may be given, with files. What looks like a secret is masked in all of them, but look at the frames
before you publish them. [github-action.yml](../examples/github-action.yml) has a job for CI, and
`.pre-commit-hooks.yaml` a hook.

## The model

Most of what agents do, they do because a model wants it. Checks that need this send a prompt for an action,
at most `--tries` times each (default: 2); what the model doesn't do is skipped. `--dry-run` lists the
prompts, and `--max-turns N` leaves out checks that may take more. `--prompt-for write="..."` replaces a
prompt, in which `{folder}` is the agent's folder; to replace it for all runs, use the settings:

    [check.prompts]
    write = "..."

"""

_PROFILES = """\
## Order, and many at once

`-j N` runs N agents side by side, two for each processor by default. The order changes no verdict: every
check starts its own agents, except for ordinary sessions (scenes), which are played once for all checks that
look at them. `--timeout` says how long to wait for an answer or the end of a turn (default: 60 s); an agent
that says nothing at its first start gets 10 s from then on. The first line says how long the run takes at most;
what isn't done by then is skipped. In a terminal the progress names the checks that still run.

"""

_DIFFERENCES = """\
## Compared with acp-tck

The last column names the same requirements in [acp-tck](https://github.com/agentclientprotocol/acp-tck).
This is where the two differ:

| | acp-tck | here |
| --- | --- | --- |
| A4 | an error fails | the error -32022 is a warning: an agent that speaks version 2 answers like this to versions that it doesn't know |
| A13 | advisory: one page of the documentation says only text | a must: the page on initialization and the schema say both |
| A16 | every update after the response | what belongs to a turn: other updates are not limited to turns |
| A18 | passes if the model did nothing | skipped if the model did nothing: nothing was tried |
| A21 | any replay will do | a user's and an agent's message at least, in another process: the conversation has both |
| A23 | an invalid cursor isn't tried | a warning if it gets a result |
| A24 | deletes the session that it has open | deletes one of an earlier process: what happens to an active session is up to the agent |
| A31 | advisory | a must: all types include `_meta` |
| A32 | advisory, as its own check is an approximation | a must: the sentence has MUST NOT |
| A38 | the answer to broken lines is only noted | the same, and a warning if the agent stops working |
| A45 | only noted | a warning if the prompt gets a result |
| A59 | skipped without `--allow-logout`, which counts as passed | skipped, too, but an agent with something offered and not tested is not conformant |

acp-tck has no checks for files, terminals, MCP servers, permissions, plans, tool calls, elicitations, forks,
or sessions side by side.
"""


def check_page() -> str:
    """Make the page as Markdown."""
    parts = [_INTRO, *_prompts(), _PROFILES]
    parts += ["".join(_section(subject)) for subject in SUBJECTS]
    return "".join([*parts, _DIFFERENCES])


def _prompts() -> Iterator[str]:
    yield "| act | prompt |\n| --- | --- |\n"
    for act, text in GENERAL.items():
        yield f"| {act} | {_cell(text)} |\n"
    names = ", ".join(f"`{name}`" for name in KNOWN)
    yield f"\n{names} has prompts of its own, which need no model.\n\n"


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
    return "<br>".join([*told, f"Usual fix: {_cell(check.mend)}."])


def _cell(text: str) -> str:
    for sign in "|*_<>":
        text = text.replace(sign, f"\\{sign}")
    return text
