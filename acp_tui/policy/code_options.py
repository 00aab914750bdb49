"""Options with which well-known programs run code, or do what their names don't say."""

import re

from acp_tui.lazy_named_tuple import NamedTuple


class Options(NamedTuple):
    """Options by their letters, by their names, and as other words that a program knows."""

    letters: str = ""
    names: tuple[str, ...] = ()
    others: str = ""


def _exact(*names: str) -> str:
    """Options of programs that take no shortened ones, but small letters and dashes for capitals."""
    spelled = "|".join(re.sub(r"(?<=[a-z])([A-Z])", r"-?\1", name) for name in names)
    return rf"(?i:--?(?:{spelled})(?:[=:.]|$))"


_ELSEWHERE = r"(?:-\w*C|--?[a-z][\w-]*=)?(?:[/~]|(?:.*/)?\.\.(?:/|$))"
"""A place that is named by its whole path, or from the folder above."""
_LOADED_BY_JS = _exact(
    *("config", "configFile", "configPlugin", "configLoader", "globalSetup", "globalTeardown"),
    *("setupFile", "setupFiles", "setupFilesAfterEnv", "testRunner", "runner", "transform"),
    *("reporters", "reporter", "testEnvironment", "environment", "preset", "presets"),
    *("resolver", "snapshotSerializers", "testResultsProcessor", "watchPlugins", "rootDir", "root"),
    *("prettierPath", "moduleNameMapper", "testSequencer", "outputFile", "rulesdir", "plugin"),
    *("plugins", "parser", "resolvePluginsRelativeTo", "format", "formatter", "require", "import"),
    *("loader", "customSyntax", "customFormatter"),
)
"""What test runners, linters and bundlers of JavaScript load, or take all that from."""
_JS = Options("cr", others=_LOADED_BY_JS)
_PYTHON_LINTER = Options(
    names=("load-plugins", "init-hook", "rcfile", "config", "append-config", "output-file")
)
_FILES = ("exec", "execdir", "ok", "okdir", "delete", "fprint", "fprint0", "fprintf", "fls")
_TAR = ("to-command", "checkpoint-action", "use-compress-program", "rsh-command", "rmt-command",
        "info-script", "new-volume-script")  # fmt: skip
_GIT = ("upload-pack", "receive-pack", "exec", "open-files-in-pager", "ext-diff", "textconv",
        "extcmd", "config", "config-env", "git-dir", "template", "tool", "exec-path", "output")  # fmt: skip
_WGET = ("use-askpass", "execute", "output-document", "output-file", "append-output",
        "directory-prefix", "config")  # fmt: skip
_CURL = ("config", "engine", "output", "output-dir", "remote-name", "remote-name-all",
        "dump-header", "cookie-jar", "etag-save", "hsts", "alt-svc", "libcurl", "trace",
        "trace-ascii", "stderr")  # fmt: skip
_ANSIBLE = ("args", "module-name", "module-path", "inventory", "vault-password-file",
        "become-password-file", "connection-password-file", "extra-vars")  # fmt: skip
_NODE = ("eval", "print", "require", "import", "loader", "experimental-loader", "preload",
        "env-file", "env-file-if-exists", "experimental-config-file", "openssl-config")  # fmt: skip
_GRADLE = ("init-script", "build-file", "settings-file", "project-dir", "include-build",
        "gradle-user-home", "system-prop")  # fmt: skip
_BAZEL = ("run_under", "bazelrc", "script_path", "shell_executable", "override_repository",
        "host_jvm_args", "server_javabase", "output_user_root", "install_base")  # fmt: skip
OF = {
    "awk": Options(
        "lidop",
        ("load", "include", "dump-variables", "pretty-print", "profile", "debug"),
        r"(?s).*(?:[|@>]|system|getline)",
    ),
    "find": Options(names=_FILES),
    "fd": Options("xX", ("exec", "exec-batch")),
    "git": Options(names=_GIT, others=r"(?:--[\w-]+=)?ext::|!"),
    "tar": Options("IF", _TAR),
    "cpio": Options(names=("rsh-command",)),
    "rsync": Options("e", ("rsh", "rsync-path")),
    "scp": Options("SoF"),
    "sftp": Options("SobDF"),
    "nc": Options("ec", ("exec", "sh-exec", "lua-exec")),
    "zip": Options("T", ("unzip-command",)),
    "sort": Options("o", ("compress-program", "output")),
    "tree": Options("o"),
    "shuf": Options("o", ("output",)),
    "iconv": Options("o", ("output",)),
    "install": Options(names=("strip-program",)),
    "printf": Options("v"),
    "split": Options(names=("filter",)),
    "env": Options("S", ("split-string",)),
    "flock": Options("c", ("command",)),
    "vim": Options("csSu", ("cmd",), r"\+"),
    "less": Options(
        "koO", ("lesskey-src", "lesskey-file", "lesskey-content", "log-file", "LOG-FILE"), r"\+"
    ),
    "man": Options("PHC", ("pager", "html", "config-file")),
    "make": Options("Ef", ("eval", "file", "makefile"), rf".*=|{_ELSEWHERE}"),
    "rg": Options(names=("pre", "hostname-bin")),
    "ag": Options(names=("pager",)),
    "ip": Options("b", ("batch",), r"(?:netns|vrf)$"),
    "pandoc": Options("F", ("filter", "lua-filter", "pdf-engine")),
    "helm": Options(names=("post-renderer", "kubeconfig"), others=r"plugin$"),
    "gh": Options(names=("config", "upload-pack"), others=r"!|(?:alias|extensions?|ext|config)$"),
    "wget": Options(
        "eoOaP",
        _WGET,
    ),
    "curl": Options(
        "",
        _CURL,
        r"-[^-XdFHuAbe]*[KoODc]",
    ),
    "openssl": Options(names=("engine", "out", "config", "provider", "provider-path", "writerand")),
    "gcc": Options(
        names=("wrapper", "fplugin", "fpass-plugin", "specs", "load", "ld-path"),
        others=r"-B|@|-load",
    ),
    "go": Options(
        names=("toolexec", "exec", "vettool", "w", "overlay", "modfile", "C"),
        others=r"(?s).*-(?:extld|extar)\b",
    ),
    "rustc": Options(others=r"(?:-C|--codegen=)?linker="),
    "cargo": Options("ZC", ("config", "manifest-path"), r"(?:-C|--codegen=)?(?:linker|link-arg)="),
    "npm": Options(
        "cC",
        ("call", "script-shell", "node-options", "prefix", "cwd", "userconfig", "globalconfig"),
        rf"--dir(?:=|$)|{_LOADED_BY_JS}",
    ),
    "hg": Options(names=("config",)),
    "svn": Options(names=("diff-cmd", "diff3-cmd", "editor-cmd", "config-option")),
    "apt": Options("oc", ("option", "config-file", "pre-invoke", "post-invoke")),
    "ansible": Options(
        "amiMe",
        _ANSIBLE,
    ),
    "tcpdump": Options("zw"),
    "psql": Options("cfoL", ("command", "file", "output", "log-file"), r"\\"),
    "mysql": Options("e", ("execute", "init-command", "pager", "tee", "plugin-dir")),
    "mongosh": Options(names=("eval", "file")),
    "duckdb": Options("cs", ("cmd", "init")),
    "sqlite3": Options(names=("cmd", "init"), others=r"\.\w|.*[\s(]"),
    "nmap": Options(names=("script",)),
    "python": Options("c"),
    "pip": Options(names=("python", "log")),
    "pytest": Options(
        "pco", others=_exact("config-file", "override-ini", "basetemp", "pdbcls", "cov-config")
    ),
    "coverage": Options(names=("rcfile",)),
    "mypy": Options(names=("config-file", "python-executable", "install-types")),
    "pylint": _PYTHON_LINTER,
    "ruff": Options("o", ("output-file",)),
    "pyright": Options("p", ("pythonpath", "project", "venvpath")),
    "tox": Options("cx", ("conf", "override", "workdir", "root")),
    "nox": Options("f", ("noxfile",)),
    "pre-commit": Options("c", ("config",)),
    "sphinx-build": Options("cD", ("conf-dir", "define")),
    "mkdocs": Options("f", ("config-file",)),
    "gunicorn": Options("ck", ("config", "worker-class", "logger-class", "pythonpath", "chdir")),
    "perl": Options("eEmMIxd"),
    "ruby": Options("eIr", ("require",)),
    "rake": Options(
        "feErIp", ("rakefile", "execute", "require", "libdir", "execute-print", "execute-continue")
    ),
    "rspec": Options("rIOc", ("require", "options", "config")),
    "bundle": Options(names=("gemfile",)),
    "phpunit": Options(
        "cd", ("configuration", "bootstrap", "extension", "printer", "loader", "autoload-file")
    ),
    "composer": Options("d", ("working-dir",)),
    "mix": Options("er", ("eval", "require"), r"eval$"),
    "just": Options("fcdg", ("justfile", "shell", "shell-arg", "command", "working-directory")),
    "node": Options(
        "epr",
        _NODE,
        rf"eval$|{_exact('testReporter', 'testGlobalSetup')}",
    ),
    "eslint": Options("cf", others=_LOADED_BY_JS),
    "jest": Options("c", others=rf"{_LOADED_BY_JS}|{_exact('env', 'filter', 'projects')}"),
    "mocha": Options("ruR", others=rf"{_LOADED_BY_JS}|{_exact('ui', 'file', 'package')}"),
    "webpack": _JS,
    "rollup": Options("cp", others=_LOADED_BY_JS),
    "php": Options("rBREdczF", ("run", "process-begin", "process-code", "process-end", "define")),
    "lua": Options("el"),
    "R": Options("e"),
    "julia": Options("eEL", ("eval", "print", "load")),
    "cmake": Options("PEC", ("toolchain",), "(?:-D)?CMAKE_.*=/"),
    "ctest": Options("SD", ("script", "build-makeprogram", "build-and-test", "test-command")),
    "ninja": Options("f", others=_ELSEWHERE),
    "meson": Options(names=("native-file", "cross-file")),
    "gradle": Options(
        "IbcpDg",
        _GRADLE,
    ),
    "mvn": Options(
        "",
        ("f", "s", "t", "file", "settings", "global-settings", "toolchains", "gs", "gt", "define"),
        r"-D(?!skip|maven\.test\.skip|test=|it\.test=)",
    ),
    "ant": Options(
        names=("f", "buildfile", "file", "lib", "logger", "listener", "main", "inputhandler")
    ),
    "dotnet": Options(
        others=r"(?i)[-/]{1,2}(?:p|property|logger|dl|distributedlogger|s|settings|a|r"
        r"|test-adapter-path|collect)(?:[:=]|$)"
    ),
    "bazel": Options(names=_BAZEL),
    "kubectl": Options(names=("kubeconfig", "exec-command")),
    "terraform": Options(names=("chdir", "plugin-dir")),
    "aws": Options(others=r"configure$"),
    "docker": Options(names=("config",)),
    "rpm": Options("ED", ("eval", "define", "pipe", "macros", "rcfile")),
    "latex": Options(names=("shell-escape", "enable-write18", "fmt", "output-directory")),
    "exiftool": Options(names=("if", "config", "p", "api", "@")),
    "ctags": Options(names=("options", "options-maybe", "etags-include")),
    "tshark": Options("Xw"),
    "groovy": Options("e"),
    "sbcl": Options("e", ("eval", "load")),
}
"""What lets a program run code, or do what its name doesn't say."""
SAME = {
    **dict.fromkeys(("gawk", "mawk", "nawk", "original-awk"), "awk"),
    **dict.fromkeys(("gfind", "bfs"), "find"),
    **dict.fromkeys(("gtar", "bsdtar"), "tar"),
    **dict.fromkeys(("vi", "nvim", "view", "vimdiff", "gvim"), "vim"),
    **dict.fromkeys(("g++", "cc", "c++", "clang", "clang++", "clang-tidy"), "gcc"),
    **dict.fromkeys(("npx", "bunx", "pnpx", "pnpm", "yarn", "corepack"), "npm"),
    **dict.fromkeys(("nodejs", "bun", "deno", "tsx", "ts-node"), "node"),
    **dict.fromkeys(("apt-get", "aptitude", "dpkg"), "apt"),
    **dict.fromkeys(("ncat", "netcat"), "nc"),
    **dict.fromkeys(("elixir", "erl", "ghc", "scala", "swift", "guile", "tclsh", "clisp"), "sbcl"),
    **dict.fromkeys(("flake8", "bandit"), "pylint"),
    **dict.fromkeys(("basedpyright", "pyright-langserver"), "pyright"),
    **dict.fromkeys(("vitest", "playwright", "cypress", "ava"), "jest"),
    **dict.fromkeys(("prettier", "stylelint"), "eslint"),
    **dict.fromkeys(("babel", "nyc", "c8", "vite", "next", "swc", "karma", "esbuild"), "webpack"),
    **dict.fromkeys(("rubocop", "cucumber"), "rspec"),
    **dict.fromkeys(("alembic", "celery", "flask"), "gunicorn"),
    **dict.fromkeys(("pdflatex", "xelatex", "lualatex", "tex", "latexmk"), "latex"),
    **dict.fromkeys(("podman", "nerdctl"), "docker"),
    "py.test": "pytest",
    "phpstan": "phpunit",
    "task": "make",
    "gradlew": "gradle",
    "mvnw": "mvn",
    "tofu": "terraform",
    "ansible-playbook": "ansible",
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
