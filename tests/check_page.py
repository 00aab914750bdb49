"""The page docs/check.md."""

from collections.abc import Iterator
from types import ModuleType

from acp_tui.check.model import Check, Profile, Tier
from acp_tui.check.prompts import GENERAL, KNOWN
from acp_tui.check.runner import SUBJECTS, check_order

_INTRO = """\
# Check an agent

    acp-tui check -- my-agent --acp

This command tests whether an agent follows the protocol. Each check starts the agent in an empty folder, provokes
one behavior, and judges it by the sentences that are quoted below (without their markup; … marks omissions). `make
pages` writes this page from the checks.

## Verdicts

A check **passes**, **fails**, gives a **warning**, or is **skipped** with a reason: not offered, sign-in required
(`--auth ID`), not allowed (`--allow-logout`), the model did not act, no prompt, turns or time left, not reached, or
not on this machine. The tier of a check names its basis:

| tier | |
| --- | --- |
| must | a MUST for every agent |
| capability | a MUST for agents that offer something |
| should | a SHOULD, or a recommendation of JSON-RPC; breaking it is a warning |
| heuristic | no sentence requires it, but clients rely on it; breaking it is a warning, and may be intended |

An agent is **conformant** if nothing failed, something passed, and every must and capability was tested. A skipped
check never counts as passed, and no check passes without a frame that shows the behavior. No check requires a
feature that an agent doesn't offer. A wire rule counts as broken if any recording of the run breaks it.

Each verdict names its evidence: the sentence, the frames, a recording for `acp-tui replay`, the command that
repeats it, and the usual fix. In that command the name of a variable replaces each secret; if no variable has the
secret yet, set it. The recordings of the last ten runs, and those of the last hour up to 1 GiB, are in the folder
`checks` next to the other recordings.

| `--profile` | |
| --- | --- |
| v1 | everything that version 1 of the protocol requires or recommends (default) |
| registry | the checks that need no model, to test many agents every day |
| editor | v1, and other behavior that editors rely on |
| strict | all of these; a warning is a failure |

`--protocol 2` speaks version 2, a preview. Checks of both versions then quote version 2, and checks of version 1
alone are skipped. Checks whose ids begin with B are only in version 2.

| exit code | |
| --- | --- |
| 0 | conformant |
| 1 | a failure, or a must that could not be tested (the last line names it; `--untested ok` accepts it), or nothing was tested |
| 2 | wrong usage, or the agent can't be started or reached |

`--only A3,A15` runs only these checks, and only they count.

The agent gets files and terminals in its folder without a question to you, as in most editors. Programs in its
terminals can do whatever you can: `--sandbox` confines the agent and its terminals.

## Reports

`--json`, `--junit`, `--markdown` and `--sarif` write to stdout, or to a file: `--junit=FILE`. You can use several
of them if you name files. Likely secrets are masked, but read the frames before you publish a report.
[github-action.yml](../examples/github-action.yml) is a job for CI, and `.pre-commit-hooks.yaml` has a hook.

## The model

Agents do most things only when a model decides to. Checks of such behavior send a prompt, at most `--tries` times
(default: 2). If the model doesn't act, the check is skipped. `--dry-run` lists the prompts, and `--max-turns N`
leaves out checks that may take more turns. `--prompt-for write="..."` replaces a prompt for one run. To replace it
for all runs, use the settings. `{folder}` is the agent's folder:

    [check.prompts]
    write = "..."

"""

_ORDER = """\
## Order, and many at once

`-j N` runs N agents side by side (default: two for each processor). The order changes no verdict: every check
starts its own agents, except that ordinary sessions are played once for all checks that observe them. `--timeout`
limits the wait for a response or the end of a turn (default: 60 s); if an agent doesn't respond at its first start,
the limit is 10 s from then on. The first line shows the longest time that the run can take; checks that aren't done
by then are skipped. In a terminal the progress line names the checks that are running.

"""

_DIFFERENCES = """\
## Compared with acp-tck

The ids in parentheses name the same requirements in [acp-tck](https://github.com/agentclientprotocol/acp-tck). The
two differ in these checks:

| | acp-tck | here |
| --- | --- | --- |
| A4 | an error fails | the error -32022 is a warning: agents that speak version 2 return it for unknown versions |
| A13 | advisory: one page of the documentation says only text | a must: the page on initialization and the schema say both |
| A16 | every update after the response | only updates that belong to a turn: others are not limited to turns |
| A18 | passes if the model did nothing | skipped if the model did nothing: nothing was tried |
| A21 | any replay will do | at least a user message and an agent message, in another process: the conversation has both |
| A23 | an invalid cursor isn't tried | a warning if it gets a result |
| A24 | deletes the session that it has open | deletes one of an earlier process: an agent may treat an active session as it likes |
| A31 | advisory | a must: all types include `_meta` |
| A32 | advisory, because its check is an approximation | a must: the sentence has MUST NOT |
| A38 | the response to broken lines is only noted | the same, and a warning if the agent stops working |
| A45 | only noted | a warning if the prompt gets a result |
| A59 | skipped without `--allow-logout`, which counts as passed | skipped, too, but an agent isn't conformant if an offered feature is untested |

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
