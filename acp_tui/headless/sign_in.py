"""Signs in without a UI, by the method of the command line."""

from collections.abc import Awaitable, Callable

from acp_tui.headless.keyboard import read_answer
from acp_tui.headless.printer import Say
from acp_tui.host.agent import RunProgram
from acp_tui.state.authentication import Program, sign_in_program
from acp_tui.state.commands import Authenticate, Command, TerminalSignedIn
from acp_tui.state.peer import Peer


async def sign_in_command(
    peer: Peer,
    method_id: str | None,
    run: RunProgram | None,
    agrees: Callable[[Program], Awaitable[bool]],
) -> Command | str:
    """Return the command that signs in by a method, or why that is impossible.

    A program that the agent names is only run if a person `agrees`.
    """
    assert peer.sign_in is not None
    offered = {method.id: method for method in peer.sign_in.methods}
    method = offered.get(method_id or "")
    names = ", ".join(offered)
    if not offered:
        return "it offers no way to do that from here: sign in with a program of its own first"
    if method is None:
        unknown = "" if method_id is None else f"{method_id} is not offered: "
        return f"{unknown}choose one with --auth METHOD: {names}"
    wanted = sign_in_program(peer, method)
    if wanted is None:
        return Authenticate(method.id)
    if run is None:
        return f"the method {method.id} runs in a terminal, and there is none; offered: {names}"
    if wanted.named_by_agent and not await agrees(wanted):
        return "you didn't agree to its program"
    return TerminalSignedIn(method.id, await run(wanted))


async def ask_to_run_program(wanted: Program, say: Say) -> bool:
    """Show a program that the agent names, and ask before it is run."""
    say("To sign in, the agent wants to run:")
    say(f"  $ {' '.join(wanted.argv)}")
    return (await read_answer("Run it? [y/N] ", say) or "").lower() in ("y", "yes")
