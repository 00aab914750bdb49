"""Commands that bring along what they run: code in another language, or a line in an option.

What such a command does is in none of the words that a pattern goes by, so a pattern allows it only
if it is exactly this text. Programs that aren't known here are taken by their words.
"""

import re
from itertools import takewhile

from acp_tui.lazy_named_tuple import NamedTuple
from acp_tui.policy.launchers import Words, is_launcher, launched_at, sets_code, without_options
from acp_tui.policy.sed_scripts import is_harmless

_ALWAYS = frozenset(
    (
        *("xargs", "parallel", "sem", "eval", "trap", "coproc", "compgen", "complete", "enable"),
        *("ssh", "sshpass", "mosh", "pssh", "su", "runuser", "sg", "watch", "entr", "watchexec"),
        *("nodemon", "hyperfine", "script", "expect", "tmux", "screen", "at", "batch", "crontab"),
        *("gdb", "lldb", "rr", "wsl", "pwsh", "powershell", "osascript", "m4", "ed", "ex", "bind"),
        *("mapfile", "readarray", "fc", "busybox", "toybox", "emacs", "gnuplot", "socat"),
        *("dc", "fzf"),
    )
)
"""Programs that are there for that, or whose words say too little."""
_SHELLS = frozenset(
    ("sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "rbash", "fish", "csh", "tcsh")
)


class _Options(NamedTuple):
    """Options by their letters, by their names, and as other words that a program knows."""

    letters: str = ""
    names: tuple[str, ...] = ()
    others: str = ""


_FILES = ("exec", "execdir", "ok", "okdir", "delete", "fprint", "fprint0", "fprintf", "fls")
_TAR = ("to-command", "checkpoint-action", "use-compress-program", "rsh-command", "rmt-command",
        "info-script", "new-volume-script")  # fmt: skip
_GIT = ("upload-pack", "receive-pack", "exec", "open-files-in-pager", "ext-diff", "textconv",
        "extcmd", "config", "config-env", "template", "tool", "exec-path", "output")  # fmt: skip
_OF = {
    "awk": _Options("li", ("load", "include"), r"(?s).*(?:[|@>]|system|getline)"),
    "find": _Options(names=_FILES),
    "fd": _Options("xX", ("exec", "exec-batch")),
    "git": _Options(names=_GIT, others=r"ext::|!"),
    "tar": _Options("IF", _TAR),
    "cpio": _Options(names=("rsh-command",)),
    "rsync": _Options("e", ("rsh", "rsync-path")),
    "scp": _Options("SoF"),
    "sftp": _Options("SobDF"),
    "nc": _Options("ec", ("exec", "sh-exec", "lua-exec")),
    "zip": _Options("T", ("unzip-command",)),
    "sort": _Options("o", ("compress-program", "output")),
    "tree": _Options("o"),
    "install": _Options(names=("strip-program",)),
    "printf": _Options("v"),
    "split": _Options(names=("filter",)),
    "env": _Options("S", ("split-string",)),
    "flock": _Options("c", ("command",)),
    "vim": _Options("csSu", ("cmd",), r"\+"),
    "less": _Options(
        "koO", ("lesskey-src", "lesskey-file", "lesskey-content", "log-file", "LOG-FILE"), r"\+"
    ),
    "man": _Options("PH", ("pager", "html")),
    "make": _Options("E", ("eval",), r".*="),
    "rg": _Options(names=("pre", "hostname-bin")),
    "ag": _Options(names=("pager",)),
    "ip": _Options("b", ("batch",), r"(?:netns|vrf)$"),
    "pandoc": _Options("F", ("filter", "lua-filter", "pdf-engine")),
    "helm": _Options(names=("post-renderer",)),
    "gh": _Options(others=r"!|(?:alias|extensions?|ext)$"),
    "wget": _Options("e", ("use-askpass", "execute")),
    "gcc": _Options(names=("wrapper", "fplugin", "fpass-plugin", "specs"), others=r"-B|@"),
    "go": _Options(names=("toolexec", "exec", "vettool"), others=r"(?s).*-(?:extld|extar)\b"),
    "rustc": _Options(others=r"(?:-C|--codegen=)?linker="),
    "cargo": _Options(names=("config",)),
    "npm": _Options("c", ("call", "script-shell", "node-options")),
    "hg": _Options(names=("config",)),
    "svn": _Options(names=("diff-cmd", "diff3-cmd", "editor-cmd", "config-option")),
    "apt": _Options("oc", ("option", "config-file", "pre-invoke", "post-invoke")),
    "ansible": _Options("am", ("args", "module-name")),
    "tcpdump": _Options("z"),
    "psql": _Options("c", ("command",), r"\\"),
    "mysql": _Options("e", ("execute", "init-command")),
    "sqlite3": _Options(names=("cmd", "init"), others=r"\.\w|.*[\s(]"),
    "nmap": _Options(names=("script",)),
    "python": _Options("c"),
    "perl": _Options("eEmMIx"),
    "ruby": _Options("eIr", ("require",)),
    "node": _Options("epr", ("eval", "print", "require", "import", "loader"), r"eval$"),
    "php": _Options("rBREd", ("run", "process-begin", "process-code", "process-end", "define")),
    "lua": _Options("el"),
    "R": _Options("e"),
    "julia": _Options("eEL", ("eval", "print", "load")),
    "cmake": _Options("PE"),
    "groovy": _Options("e"),
    "sbcl": _Options("e", ("eval", "load")),
}
"""What lets a program run code, or do what its name doesn't say."""
_SAME = {
    **dict.fromkeys(("gawk", "mawk", "nawk", "original-awk"), "awk"),
    **dict.fromkeys(("gfind", "bfs"), "find"),
    **dict.fromkeys(("gtar", "bsdtar"), "tar"),
    **dict.fromkeys(("vi", "nvim", "view", "vimdiff", "gvim"), "vim"),
    **dict.fromkeys(("g++", "cc", "c++", "clang", "clang++"), "gcc"),
    **dict.fromkeys(("npx", "bunx", "pnpx", "pnpm", "yarn", "corepack"), "npm"),
    **dict.fromkeys(("nodejs", "bun", "deno", "tsx", "ts-node"), "node"),
    **dict.fromkeys(("apt-get", "aptitude", "dpkg"), "apt"),
    **dict.fromkeys(("ncat", "netcat"), "nc"),
    **dict.fromkeys(("elixir", "erl", "ghc", "scala", "swift", "guile", "tclsh", "clisp"), "sbcl"),
    "fdfind": "fd",
    "gsort": "sort",
    "ack": "ag",
    "bat": "ag",
    "batcat": "ag",
    "delta": "ag",
    "more": "less",
    "gmake": "make",
    "mariadb": "mysql",
    "pypy": "python",
    "ipython": "python",
    "luajit": "lua",
    "Rscript": "R",
    "gsed": "sed",
}
_VERSION = re.compile(r"(?<=[A-Za-z])[\d.]+$")
_EXPORTERS = frozenset(("export", "declare", "typeset", "readonly", "local"))
"""Builtins that set variables, for all commands of a line."""
_SETTING = re.compile(r"[A-Za-z_]\w*\+?=")
_RUNS_LINE = re.compile(r"[-+][A-Za-z]*[cso][A-Za-z]*|--(?:rc|init)-?file.*|--init-command.*")
_LETTERS = re.compile(r"[A-Za-z]+")

_GIT_DOES = frozenset(
    (
        *("difftool", "mergetool", "filter-branch", "send-email", "hook", "config", "daemon"),
        *("shell", "instaweb", "credential", "maintenance", "for-each-repo"),
    )
)
"""What runs other programs, or sets what will be run."""
_GIT_LETTERS = {"clone": "cu", "rebase": "xi", "grep": "O", "ls-remote": "u", "fetch": "u"}
_GIT_RUNS = {"bisect": "run", "submodule": "foreach"}


def brings_code(words: Words, most: int) -> bool:
    """Whether a command brings code, itself or behind programs that run others."""
    set_before = list(takewhile(_SETTING.match, words))
    words = words[len(set_before) :]
    name = program_name(words[0]) if words else ""
    runs = is_launcher(name)
    if len(words) > most or any(map(sets_code, (*set_before, *(words if runs else ())))):
        return True
    starts = launched_at(name, words, most) if runs else ()
    return any(_brings(words[at:]) for at in (0, *starts) if words)


def program_name(word: str) -> str:
    """The name of a program, without the folder that it is in."""
    return re.split(r"[/\\]", word)[-1].removesuffix(".exe")


def _brings(words: Words) -> bool:
    """Whether a program brings code by its own arguments."""
    name, rest = program_name(words[0]), words[1:]
    plain = name if name in _OF else _VERSION.sub("", name)
    known = _SAME.get(plain, plain)
    if known in _SHELLS:
        return any(map(_RUNS_LINE.fullmatch, rest))
    if known == "sed":
        return not is_harmless(rest)
    if (known == "git" and _git(words)) or (known in _EXPORTERS and any(map(sets_code, rest))):
        return True
    if known == "tar" and rest and _LETTERS.fullmatch(rest[0]):
        rest = (f"-{rest[0]}", *rest[1:])
    return known in _ALWAYS or _has(_OF.get(known, _Options()), rest)


def _has(options: _Options, rest: Words) -> bool:
    others = re.compile(options.others) if options.others else None
    return any(
        _is_option(word, options) or (others is not None and others.match(word) is not None)
        for word in rest
    )


def _is_option(word: str, options: _Options) -> bool:
    """Whether a word is one of these: a letter among others; a name, which may be cut short."""
    name = word.lstrip("-").partition("=")[0]
    if word.startswith("--"):
        return bool(name) and any(one.startswith(name) for one in options.names)
    if not word.startswith("-"):
        return False
    return name in options.names or any(letter in word for letter in options.letters)


def _git(words: Words) -> bool:
    """Settings before what git is to do may run anything; what that is may, too."""
    done = without_options("git", words)
    before = words[1 : len(words) - len(done) + 1]
    does, others = (done[1], done[2:]) if len(done) > 1 else ("", ())
    letters = _Options(_GIT_LETTERS.get(does, ""))
    return (
        "-c" in before
        or does in _GIT_DOES
        or _GIT_RUNS.get(does) in others
        or any(_is_option(word, letters) for word in others)
    )
