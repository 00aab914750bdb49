"""What `acp-tui --help` says first: how it is called, the commands, and the options that most need."""

SHORT = """\
usage: acp-tui                          choose an agent, or a session to resume
       acp-tui [OPTIONS] -- COMMAND...  work with an agent, started as written
       acp-tui NAME... [OPTIONS]        the same by name: acp-tui agents
       acp-tui demo                     the built-in demo agent, offline

work:
  run, script             one turn without a UI; a file of prompts and answers
  race                    one prompt for several agents, compared
  serve                   work with an agent in a browser
  ps, attach, send, stop  runs that are kept in the background (--keep)

look into it:
  log, find, replay       list, search and replay the recordings
  stats, diff, export     numbers, differences; pages, pictures and tables
  check, matrix           the rules of the protocol; what agents can do
  tap, play, shrink, mcp  record another editor; play, cut and offer recordings

set it up:
  agents, config, policy  agents by name, settings, rules about permissions
  doctor                  what this machine has, and what is wrong
  completion              for your shell

options:
  --agent NAME            an agent of the settings or the registry (repeatable)
  --connect URL           an agent elsewhere: ws:// or https://
  --cwd DIR, --env K=V    its folder, and what is added to its environment
  --continue, --resume    go on with the newest session, or with one of a list
  --sandbox, --in PLACE   where the agent runs: docs/places.md
  --policy FILE           rules about permissions
  --plain                 by lines, without a screen
  --keep                  the agents outlive the screen
  --theme NAME            one of themes/*.toml
  --version               print the version

all options: acp-tui --help all     those of a command: acp-tui COMMAND --help
"""
