"""Programs that run what their arguments name: where a rule that rejects looks for more commands."""

import re
from collections.abc import Iterator

Words = tuple[str, ...]

_WRAPPERS = frozenset(
    (
        # other users, machines and rights
        *("sudo", "doas", "su", "runuser", "pkexec", "gosu", "su-exec", "setuidgid", "sg", "ssh"),
        *("sshpass", "mosh", "pssh", "chroot", "fakeroot", "fakechroot", "proot", "setpriv"),
        *("runcon", "capsh", "nsenter", "unshare", "firejail", "bwrap", "sandbox-exec"),
        # surroundings, limits and clocks
        *("env", "envdir", "dotenv", "direnv", "nohup", "time", "timeout", "gtimeout", "nice"),
        *("ionice", "chrt", "taskset", "numactl", "prlimit", "cpulimit", "softlimit", "chpst"),
        *("stdbuf", "unbuffer", "setsid", "setarch", "linux32", "linux64", "arch", "flock"),
        *("systemd-run", "systemd-inhibit", "caffeinate", "dbus-run-session", "xvfb-run"),
        *("torsocks", "torify", "proxychains", "proxychains4", "aws-vault", "doppler", "chamber"),
        # shells' own
        *("command", "exec", "builtin", "eval", "trap", "coproc", "noglob", "nocorrect"),
        # again and again, side by side, and under watch
        *("xargs", "find", "fd", "fdfind", "parallel", "sem", "watch", "entr", "watchexec"),
        *("nodemon", "hyperfine", "strace", "ltrace", "gdb", "lldb", "valgrind", "perf", "rr"),
        *("script", "expect", "rlwrap", "tmux", "screen", "at", "batch", "busybox", "toybox"),
        *("npx", "bunx", "pnpx", "uvx"),
    )
)
"""Programs whose arguments are, somewhere, a command or a line."""

_LAUNCHERS = frozenset(
    (
        *("docker", "docker-compose", "podman", "nerdctl", "lxc", "incus", "machinectl", "crictl"),
        *("kubectl", "oc", "distrobox", "toolbox", "flatpak", "vagrant", "adb", "gcloud"),
        *("uv", "poetry", "pipenv", "pdm", "hatch", "rye", "pixi", "tox", "pipx", "pyenv"),
        *("conda", "mamba", "micromamba", "nix", "nix-shell", "guix", "mise", "asdf", "rtx"),
        *("npm", "pnpm", "yarn", "bun", "corepack", "volta", "bundle", "rbenv", "rustup", "op"),
    )
)
"""Programs that do so behind a word of their own: `docker rm` is not about `rm`."""
_LAUNCHING = frozenset(
    (
        *("run", "exec", "x", "dlx", "shell", "debug", "ssh", "develop", "environment", "enter"),
        *("--", "-c", "-e", "-x", "--run", "--command"),
    )
)
_GIT_LAUNCHING = frozenset(("run", "foreach"))
"""`git bisect run`, `git submodule foreach`."""
_GIT_LINES = frozenset(("-c", "-x", "-u"))
"""Options of git whose value may name a program."""
_LINE_OPTION = re.compile(
    r"--?[\w.-]*(?:command|cmd|exec|program|rsh|shell|action|pack|filter|pager)[\w.-]*"
)
"""An option whose value is, by its name, something to run."""
_SETTING = re.compile(r"[\w.-]+=(?:exec=)?")


def is_launcher(name: str) -> bool:
    """Whether a program runs others, perhaps after a word of its own."""
    return name in _WRAPPERS or name in _LAUNCHERS


def launched_at(name: str, words: Words, most: int) -> Iterator[int]:
    """Return the indexes of a command's words at which another command may begin."""
    if name in _WRAPPERS:
        yield from range(1, min(len(words), most))
        return
    launching = _GIT_LAUNCHING if name == "git" else _LAUNCHING if name in _LAUNCHERS else ()
    first = next((at for at, word in enumerate(words[1:most], 1) if word in launching), len(words))
    yield from range(first + 1, min(len(words), most))


def launched_lines(name: str, words: Words, most: int) -> Iterator[str]:
    """Return the words that may be a command line: the values of certain options."""
    begins = set(launched_at(name, words, most))
    for at, word in enumerate(words[1:most], 1):
        before = words[at - 1]
        option, _, value = word.partition("=")
        if value and _LINE_OPTION.fullmatch(option):
            yield _line(value)
        elif (
            at in begins
            or _LINE_OPTION.fullmatch(before)
            or (name == "git" and (before in _GIT_LINES or word.startswith("!")))
        ):
            yield _line(word)


def _line(value: str) -> str:
    """What an option's value runs: git's aliases have a name before it, and a mark."""
    return _SETTING.sub("", value, count=1).removeprefix("!")
