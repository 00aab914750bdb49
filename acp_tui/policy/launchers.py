"""Programs that run other programs: rejecting rules also look for commands in their arguments."""

import re
from collections.abc import Iterator

Words = tuple[str, ...]


def names(*lines: str) -> frozenset[str]:
    """Return the names in some lines, separated by blanks."""
    return frozenset(" ".join(lines).split())


_WRAPPERS = names(
    # other users, machines and privileges
    "sudo doas su runuser pkexec gosu su-exec setuidgid sg ssh sshpass mosh pssh chroot",
    "fakeroot fakechroot proot setpriv runcon capsh nsenter unshare firejail bwrap",
    "sandbox-exec",
    # environments, limits and clocks
    "env envdir dotenv direnv nohup time timeout gtimeout nice ionice chrt taskset numactl",
    "prlimit cpulimit softlimit chpst stdbuf unbuffer setsid setarch linux32 linux64 arch",
    "flock systemd-run systemd-inhibit caffeinate dbus-run-session xvfb-run torsocks torify",
    "proxychains proxychains4 aws-vault doppler chamber",
    # shell builtins; in zsh, `-` runs a program as a login shell
    "command exec builtin eval trap coproc noglob nocorrect jobs -",
    # repeated, parallel and watched
    "xargs find fd fdfind parallel sem watch entr watchexec nodemon hyperfine strace ltrace",
    "gdb lldb valgrind perf rr script expect rlwrap tmux screen at batch busybox toybox npx",
    "bunx pnpx uvx",
    # more of all these
    "run0 please dzdo schroot cgexec schedtool eatmydata faketime chronic ifne pee repeat wsl",
    "pwsh powershell xterm alacritty kitty konsole gnome-terminal ssh-agent envchain retry",
    "tini dumb-init daemonize start-stop-daemon run-one run-this-one s6-setuidgid",
    "s6-applyuidgid dtach abduco autossh timelimit lckdo nsjail minijail0 systemd-nspawn",
    "aa-exec tsocks catchsegv nocache heaptrack uftrace srun mpirun mpiexec xcrun primusrun",
    "optirun concurrently cross-env cross-env-shell nyc c8 ccache sccache bear dbus-launch",
    "slogin pueue sudo-rs coreutils py-spy flatpak-spawn distrobox-enter pdsh clush dsh salt",
    "salt-call tsp nq orb lima mr gita with-contenv catatonit mispipe summon leaks dtruss",
    "wine qemu-x86_64 qemu-aarch64 qemu-arm qemu-i386 box64 box86 gpg-agent byobu choom setlock",
    "prime-run gamemoderun gamescope mangohud steam-run appimage-run nixgl daemon dotenvx envconsul",
    "saml2aws nf bsub qsub sbatch salloc condor_run tmate dvtm multitime runlim lxc-attach",
    "lxc-execute pbuilder cowbuilder sbuild mock git-xargs autoexpect ttyrec chokidar onchange",
    "tsc-watch reflex modd gow rerun okteto mirrord litestream xinit startx cage foot urxvt rxvt",
    "lxterminal xfce4-terminal terminator tilix ptyxis x-terminal-emulator sensible-terminal",
    "i3-sensible-terminal",
    "trickle logsave when-changed zrun winpty tcpserver tcpd kcov bashcov uutils latrace operf",
    "orterun prun jsrun aprun distcc icecc pump scan-build intercept-build compiledb checkinstall",
    "fakeroot-ng envuidgid pgrphack argv0 fghack execlineb foreground background redirfd lockf",
    "with-lock-ex solo dockerize niceload env_parallel parset kdesu gksu gksudo kdesudo beesu",
    "docker-init buildcache nsys ncu cuda-memcheck compute-sanitizer vtune drmemory drrun sde sde64",
    "truss ktrace asroot libfaketime datefudge uninhibit gnome-session-inhibit supervise psexec",
    "gsudo austin newgrp",
    # zsh builtins, Windows and its shells
    "emulate zargs sched cmd call start start-process runas forfiles invoke-expression",
    "invoke-command",
    # GNU's programs as Homebrew names them
    "genv gnice gnohup gstdbuf gxargs gchroot gtime",
    # shells with another syntax, which parse most plain lines alike
    "fish csh tcsh nu xonsh elvish yash osh posh rbash",
    # the dynamic loader, by its names
    "ld.so ld-linux.so.2 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1",
)
"""Programs whose arguments contain a command or a command line."""

_LAUNCHERS = names(
    "docker docker-compose podman nerdctl lxc incus machinectl crictl kubectl oc distrobox",
    "toolbox flatpak vagrant adb gcloud uv poetry pipenv pdm hatch rye pixi tox pipx pyenv",
    "conda mamba micromamba nix nix-shell guix mise asdf rtx npm pnpm yarn bun corepack volta",
    "bundle rbenv rustup op apptainer singularity limactl foreman honcho opam stack cabal jj",
    "cargo multipass orbctl devcontainer gum asciinema zellij repo heroku fly flyctl teller",
    "infisical berglas",
)
"""Programs that run others only after a subcommand: `docker rm` isn't about `rm`."""
_LINE_RUNNERS = names(
    "eval trap su runuser sg ssh sshpass mosh pssh watch parallel sem script tmux screen entr",
    "watchexec nodemon concurrently cross-env-shell slogin pueue hyperfine flock npx wsl pwsh",
    "powershell at batch fish csh tcsh nu xonsh elvish yash osh posh rbash emulate sched cmd",
    "runas forfiles invoke-expression mispipe",
)
"""Wrappers that themselves parse a command line, without naming a shell."""
_LAUNCHING = names(
    "run exec x dlx shell debug ssh develop environment enter spin unshare -- -c -e -s -x",
    "--run --command",
)
_GIT_LAUNCHING = names("run foreach")
"""Subcommands that run the rest of the line as a command: `git bisect run`."""
_LINES = {
    "git": ("-c", "-x", "-u", "-O"),
    "env": ("-S",),
    "su": ("-c",),
    "runuser": ("-c",),
    "script": ("-c",),
    "tar": ("-I", "-F"),
    "rsync": ("-e", "--rsync-path"),
    "scp": ("-S",),
    "sftp": ("-S",),
    "hg": ("--config",),
    "rg": ("--pre",),
    "zip": ("-TT",),
    "tcpdump": ("-z",),
    **dict.fromkeys(("nc", "ncat", "netcat"), ("-c", "-e")),
    "man": ("-P",),
    "mapfile": ("-C",),
    "readarray": ("-C",),
    "compgen": ("-C",),
    "complete": ("-C",),
    **dict.fromkeys(("vi", "vim", "nvim", "view", "ex"), ("-c", "--cmd", "+!")),
    **dict.fromkeys(("less", "more"), ("+!",)),
    "cmake": ("-E", "-P"),
    "ctest": ("-S",),
    "tcc": ("-run",),
}
"""Options whose value may be a command line, possibly in the same word."""
_LINE_OPTION = re.compile(
    r"--?[\w.-]*(?:command|cmd|exec|program|rsh|shell|action|pack|filter|pager)[\w.-]*"
)
"""An option whose name says that its value is run."""
_SETTING = re.compile(r"[\w.-]+=(?:exec=)?|(?i:\w*command)\s+")
_ESCAPE = re.compile(r":?(?:sil(?:ent)?!?\s*)?!|\|")
"""What precedes a shell command line in git's aliases, in editors, and in variables for pagers."""
_LINE_VARIABLE = re.compile(
    r"(?i)\w*(?:command|cmd|exec|program|rsh|ssh|shell|pager|editor|visual|browser|askpass"
    r"|external_diff|env|lessopen|lessclose)"
)
"""A variable whose name says that its value is run."""
_GIT_VALUES = names("-C -c --git-dir --work-tree --namespace --exec-path")
"""Git's options with a value that precede its subcommand."""


def is_launcher(name: str) -> bool:
    """Return whether a program runs others, perhaps only after a subcommand."""
    return name in _WRAPPERS or name in _LAUNCHERS


def is_wrapper(name: str) -> bool:
    """Return whether a program's arguments contain a command or a command line."""
    return name in _WRAPPERS


def line_options(name: str) -> tuple[str, ...]:
    """Return a program's options whose value may be a command line."""
    return _LINES.get(name, ())


def runs_line(name: str) -> bool:
    """Return whether a program runs a line from its arguments or its input, without a shell."""
    return name in _LINE_RUNNERS


def launched_at(name: str, words: Words, most: int) -> Iterator[int]:
    """Yield the indexes of a command's words at which another command may begin."""
    if name in _WRAPPERS:
        yield from range(1, min(len(words), most))
        return
    launching = _GIT_LAUNCHING if name == "git" else _LAUNCHING if name in _LAUNCHERS else ()
    first = next((at for at, word in enumerate(words[1:most], 1) if word in launching), len(words))
    yield from range(first + 1, min(len(words), most))


def launched_lines(name: str, words: Words, most: int) -> Iterator[str]:
    """Yield the words of a command that may be command lines: the values of certain options."""
    begins, options = set(launched_at(name, words, most)), _LINES.get(name, ())
    for at, word in enumerate(words[1:most], 1):
        before = words[at - 1]
        option, _, value = word.partition("=")
        named = option in options or _LINE_OPTION.fullmatch(option)
        if value and (named or _LINE_VARIABLE.fullmatch(option)):
            yield _line(value)
        elif (
            at in begins
            or before in options
            or _LINE_OPTION.fullmatch(before)
            or (name == "git" and word.startswith("!"))
        ):
            yield _line(word)
        if word.startswith(options) and len(word) > 2 and word[1] != "-":
            yield _line(word[2:])


def set_line(assignment: str) -> str | None:
    """Return the command line in a variable assignment before a command, or None."""
    name, _, value = assignment.partition("=")
    return _line(value) if _LINE_VARIABLE.fullmatch(name) else None


def without_options(name: str, words: Words) -> Words:
    """Return git's subcommand without global options: `git -C x push` as `git push`."""
    at = 1
    while name == "git" and at < len(words) and words[at].startswith("-"):
        at += 1 + (words[at] in _GIT_VALUES)
    return (words[0], *words[at:])


def _line(value: str) -> str:
    """Return the command line in an option's value; in git's aliases, it follows a name and a `!`."""
    start = _SETTING.match(value)
    line = value[start.end() :] if start is not None else value
    return line.removeprefix(escape.group()) if (escape := _ESCAPE.match(line)) else line
