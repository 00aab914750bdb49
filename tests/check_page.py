"""The page docs/check.md."""

from collections.abc import Iterator
from types import ModuleType

from acp_tui.check.model import Check, Profile, Tier
from acp_tui.check.prompts import GENERAL, KNOWN
from acp_tui.check.runner import SUBJECTS, check_order

_INTRO = """\
# Check an agent

    acp-tui check -- my-agent --acp

This tests whether an agent follows the protocol. Each check starts the agent in an empty folder, provokes one
behavior, and judges it by the sentences that it quotes (without their markup, and with … for what is left out).
`make pages` writes this page from the checks.

## Verdicts

A check **passes**, **fails**, gives a **warning**, or is **skipped** with the reason: not offered, sign-in required
(`--auth ID`), not allowed (`--allow-logout`), the model did not act, no prompt, turns or time left, not reached, or not
on this machine. Its tier says what it is based on:

| tier | |
| --- | --- |
| must | a MUST for every agent |
| capability | a MUST for agents that offer something |
| should | a SHOULD, or a recommendation of JSON-RPC; breaking it is a warning |
| heuristic | no sentence requires it, but clients rely on it; breaking it is a warning, and may be intended |

An agent is **conformant** if nothing failed, something passed, and every must and capability was tested. What was not
tested never counts as passed, no check passes without a frame that shows it, and nothing is required that an agent
doesn't offer. A rule of the wire that was broken in any recording of the run counts.

Each verdict names its evidence: the sentence, the frames, a recording for `acp-tui replay`, the command that repeats
it, and the usual fix. In that command a secret is replaced by the name of the variable that has it, or that you
have to set. The recordings of the last ten runs, and those of the last hour up to 1 GiB, are in the folder `checks`
next to the other recordings.

| `--profile` | |
| --- | --- |
| v1 | everything that version 1 of the protocol says (default) |
| registry | what needs no model, so that many agents can be tested every day |
| editor | v1, and what else editors rely on |
| strict | all of these; a warning is a failure |

`--protocol 2` speaks version 2, a preview. Checks that exist in both versions then quote version 2, those of version 1
alone are skipped, and those whose ids begin with B are only in version 2.

| exit code | |
| --- | --- |
| 0 | conformant |
| 1 | a failure, or a must that could not be tested (the last line names it; `--untested ok` accepts it), or nothing was tested |
| 2 | usage, or the agent can't be started or reached |

`--only A3,A15` runs only these checks, and only they count.

The agent gets files and terminals in its folder without being asked, as in most editors. What it runs in a
terminal can do whatever you can: `--sandbox` confines the agent and its terminals.

## Reports

`--json`, `--junit`, `--markdown` and `--sarif` write to stdout, or to a file: `--junit=FILE`. Several may be given,
with files. What looks like a secret is masked, but look at the frames before you publish a report.
[github-action.yml](../examples/github-action.yml) is a job for CI, and `.pre-commit-hooks.yaml` a hook.

## The model

Agents do most things only when a model wants to. Checks that need that send a prompt, at most `--tries` times
(default: 2); what the model doesn't do is skipped. `--dry-run` lists the prompts, and `--max-turns N` leaves out
checks that may take more turns. `--prompt-for write="..."` replaces a prompt for one run, and the settings for all;
`{folder}` is the agent's folder:

    [check.prompts]
    write = "..."

"""

_ORDER = """\
## Order, and many at once

`-j N` runs N agents side by side (default: two for each processor). The order changes no verdict: every check starts
its own agents, except that ordinary sessions are played once for all checks that look at them. `--timeout` is how
long to wait for an answer or the end of a turn (default: 60 s); an agent that doesn't answer at its first start gets
10 s from then on. The first line says how long the run takes at most; what isn't done by then is skipped. In a terminal
the progress line names the checks that are running.

"""

_DIFFERENCES = """\
## Compared with acp-tck

The ids in parentheses name the same requirements in
[acp-tck](https://github.com/agentclientprotocol/acp-tck). This is where the two differ:

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
    parts = [_INTRO, *_prompts(), _ORDER]
    parts += ["".join(_section(subject)) for subject in SUBJECTS]
    return "".join([*parts, _DIFFERENCES, "\n", *_links()])


def _prompts() -> Iterator[str]:
    yield "| act | prompt |\n| --- | --- |\n"
    for act, text in GENERAL.items():
        yield f"| {act} | {_escape(text)} |\n"
    names = ", ".join(f"`{name}`" for name in KNOWN)
    yield f"\n{names} has prompts of its own, which need no model.\n\n"


def _section(subject: ModuleType) -> Iterator[str]:
    title = (subject.__doc__ or "").splitlines()[0].rstrip(".")
    yield f"## {title}\n\n"
    for check in sorted(subject.CHECKS, key=check_order):
        yield from _entry(check)
    yield "\n"


def _entry(check: Check) -> Iterator[str]:
    """Yield the lines of a check. A sentence that several sources have is quoted once."""
    tck = f" ({check.tck})" if check.tck else ""
    yield f"- **{check.id}**, {check.tier}: **{_escape(check.title)}**{tck}\n"
    sources: dict[str, dict[str, None]] = {}
    for one in (*check.sentences, *check.second):
        sources.setdefault(one.text, {})[f"[{_escape(one.source)}]"] = None
    for text, named in sources.items():
        about = " is all that is said about it" if check.tier is Tier.HEURISTIC else ""
        yield f"  - “{_escape(text)}” {', '.join(named)}{about}\n"
    if acts := [*check.acts, *(act for scene in check.scenes for act in scene.acts)]:
        yield f"  - Prompts: {', '.join(dict.fromkeys(acts))}.\n"
    if Profile.V1 not in check.profiles:
        yield "  - Only with `--profile editor` or `strict`.\n"
    yield f"  - Usual fix: {_escape(check.mend)}.\n"


def _links() -> Iterator[str]:
    """Yield where each source is found."""
    checks = [check for subject in SUBJECTS for check in subject.CHECKS]
    sentences = [one for check in checks for one in (*check.sentences, *check.second)]
    links = {_escape(one.source): one.link for one in sentences}
    yield from (f"[{source}]: {link}\n" for source, link in sorted(links.items()))


def _escape(text: str) -> str:
    for sign in "|*_<>":
        text = text.replace(sign, f"\\{sign}")
    return text
