"""The commands' names and one-line descriptions."""

DEFAULT = "ui"
"""The command that runs if the arguments name none."""
HOSTING = (DEFAULT, "run", "demo", "serve", "tap", "play")
"""Commands that start an agent."""
ACCEPTING_AGENTS = (*HOSTING, "send", "script", "check", "matrix", "race")
"""Commands that accept an agent's command after `--`; the others drop the `--` and parse the words
after it.
"""
COMMANDS = {
    DEFAULT: "work with an agent",
    "run": "one turn, no UI",
    "script": "prompts, answers and expectations in a file, played to an agent",
    "demo": "the built-in demo agent",
    "serve": "the UI in a browser",
    "ps": "list the runs that are kept in the background",
    "attach": "show a kept run in this terminal",
    "send": "send a prompt to a kept run, or one message to an agent",
    "stop": "end a kept run",
    "tap": "sit between an editor and an agent",
    "log": "read a recording; without FILE, list them",
    "replay": "play a recording in the app, as if it were live",
    "find": "search everything that agents ever did here",
    "mcp": "offer that search to agents, as an MCP server",
    "diff": "compare two recordings, or two turns",
    "play": "be the recorded agent for any client, or the recorded client for an agent",
    "stats": "numbers of recordings: how long, how often, what is wrong",
    "shrink": "cut a recording down to the smallest that still shows a finding",
    "export": "write recordings as pages, pictures, tables or spans",
    "check": "check an agent against the rules of the protocol",
    "race": "one prompt for several agents, compared",
    "matrix": "what agents can do, side by side",
    "policy": "rules about permissions",
    "agents": "the agents that have a name, and where more come from",
    "doctor": "what this machine has for acp-tui, and what is wrong",
    "config": "the settings: where each comes from; change them",
    "completion": "print a script that completes arguments in a shell",
}
