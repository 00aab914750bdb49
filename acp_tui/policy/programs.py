"""Lists of programs for which an allowing rule must spell out more than the first word."""

import re

from acp_tui.policy.launchers import is_wrapper, names

INTERPRETERS = names(
    "sh bash dash ash zsh ksh mksh rbash yash osh posh fish csh tcsh nu xonsh elvish . source",
    "python pypy ipython jython micropython node nodejs deno bun tsx ts-node esno perl raku",
    "ruby irb jruby php lua luajit tclsh wish r rscript julia octave groovy kotlin scala",
    "swift elixir iex erl escript ghc ghci runghc runhaskell stack ocaml guile racket sbcl",
    "clisp clojure clj bb java jshell mono wine awk gawk mawk nawk original-awk sed gsed",
    "osascript pwsh jbang xsltproc powershell nim crystal janet wasmtime wasmer",
    "ansible-playbook jq gojq jaq yq xq fq bpython ptpython pdb cprofile profile trace runpy",
    "doctest gs bats newman k6 py pythonw torchrun kernprof scalene viztracer debugpy",
    "ts-node-esm ts-node-dev vite-node babel-node electron zx nix-build nix-instantiate",
    "bpftrace stap dtrace code r2 radare2 matlab sage scala-cli vhs cscript wscript mshta",
    "msbuild plackup papermill chef-client coffee jiti esrun haxe rdmd hy swipl gforth fennel",
    "luau love gosh gsi chez petite ecl ccl hhvm psysh pry rdbg truffleruby jrunscript amm",
    "csi dotnet-script clingo automator pydoc pickle inspect doxygen rackup puma uwsgi valac",
    "stunnel openvpn redis-server locust robot hivemind overmind run-parts tsm esmo tsnd swc-node",
    "tsimp sucrase-node pyinstrument chainlit gradio voila panel bokeh dramatiq ion oil murex",
    "groovysh ocamlrun utop kotlinc octave-cli maxima magma cwltool jupyter-run jupyter-execute",
    "runipy",
)
"""Programs and Python modules whose first operand is a script or code to run."""
PYTHONS = ("python", "pypy", "py", "pythonw")
"""Interpreters whose `-m` is followed by a module to run."""
FLAGS = {
    **dict.fromkeys(PYTHONS, "BEIOSsuq"),
    "sed": "nErsuz",
    "gsed": "nErsuz",
    "bash": "eux",
    "sh": "eux",
    "jq": "nrjascCMSe",
}
"""Letters of interpreters' options that take no value."""
TRANSPARENT = names(
    "sudo doas env nohup time timeout gtimeout nice ionice stdbuf unbuffer setsid caffeinate",
    "command exec jobs chronic eatmydata cross-env nyc c8 ccache sccache bear dbus-launch",
    "xvfb-run npx bunx pnpx uvx strace ltrace valgrind catchsegv genv gnice gnohup gstdbuf",
    "sudo-rs env-cmd clinic 0x",
)
"""Launchers whose first operand, after numbers and settings, is the program that they run."""
OPAQUE = names(
    "mlr ex ed emacs gdb lldb m4 dc bc gnuplot socat fzf timeit bind compgen complete enable",
    "mapfile readarray fc let alias hash crontab sqlite psql mysql mariadb mongosh mongo",
    "duckdb redis-cli sqlplus tex latex pdflatex xelatex lualatex latexmk uniq xxd sftp ftp",
    "lftp service launchctl ip ansible sbt gunicorn uvicorn hypercorn daphne granian",
    "cookiecutter copier pm2 watchmedo fab forever invoke inv open xdg-open gio start",
    "explorer mvn mvnw tshark exiftool convert magick ffmpeg gcloud az read getopts nix-env",
    "ldd zmv autoload zmodload funced fabric rundll32 regsvr32 msiexec certutil bitsadmin",
    "wmic schtasks reg cpan cpanm degit yo afl-fuzz poop dpkg rpm busctl qdbus gdbus",
    "dbus-send gsettings dconf defaults xdotool mprocs start-server-and-test start-test",
    "emacsclient awesome-client easy_install yay paru emerge xbps-install pkg_add gdebi eget",
    "insmod modprobe wg-quick mpost luatex pdftex xetex platex uplatex texi2dvi texi2pdf",
    "pip-sync pip-compile nbqa ptw cuda-gdb msfconsole osqueryi see run-mailcap",
)
"""Programs whose operands may be code, or whose second operand is a file that they write."""
WITH_SUBCOMMANDS = names(
    "git hg svn jj bzr fossil gh glab npm pnpm yarn bun deno corepack volta fnm nvm cargo",
    "rustup go zig swift dart flutter dotnet mix rebar3 stack cabal opam gem bundle bundler",
    "rails composer symfony artisan pip pipx uv poetry pipenv pdm hatch rye pixi tox nox",
    "pyenv rbenv asdf mise rtx conda mamba micromamba coverage ruff flask celery alembic",
    "docker docker-compose podman podman-compose nerdctl lxc incus machinectl crictl kubectl",
    "oc helm minikube kind skaffold istioctl distrobox toolbox flatpak snap vagrant adb aws",
    "doctl oci heroku flyctl fly vercel netlify firebase wrangler terraform tofu terragrunt",
    "pulumi packer vault nix nix-shell guix apptainer singularity limactl foreman honcho op",
    "brew port apt apt-get aptitude dnf yum zypper apk pacman systemctl bazel bazelisk buck",
    "pre-commit meson conan vcpkg hugo jekyll dvc playwright cypress manage.py lerna nx",
    "fastlane streamlit ansible-galaxy 7z 7za 7zr 7zz unrar rar ar buildah skopeo crane",
    "kustomize jupyter scrapy spack devbox devenv sops colima memray orbctl multipass",
    "devcontainer zellij gum asciinema repo lein boot moon dagger sam serverless sls puppet",
    "knife luarocks nimble shards esy scalar sl sapling pijul cvs p4 pod carthage husky",
    "quarto clickhouse pants buck2 teller infisical berglas expo ng vue react-native cordova",
    "xmake choco winget scoop netsh sc wp drush django django-admin fastapi textual marimo",
    "airflow dbt mlflow modal bentoml raco dub pkg tlmgr sdk openssl i3-msg swaymsg hyprctl",
    "bspc wezterm kitten thor spring astro nuxi shadcn karma dlv hardhat truffle forge nextflow",
    "shortcuts flet virsh",
)
"""Programs whose first operand decides what they do: `git *` would allow everything."""
EXAMPLES = {
    "git": "git status *",
    "npm": "npm test *",
    "docker": "docker ps *",
    "cargo": "cargo test *",
    "go": "go test *",
    "uv": "uv sync *",
    "pip": "pip list *",
    "kubectl": "kubectl get *",
    "7z": "7z l *",
}
OPAQUE_SUBCOMMANDS = names(
    "config configure alias plugin plugins extension extensions ext set credential shell",
    "console repl tinker eval runner ssh hook hooks explore recursive multi workspaces runpip",
)
"""Subcommands that configure what will be run, or run what follows in their own way."""
BRINGING = names(
    "install i ci add require get upgrade inject reinstall global tap download wheel pack",
    "link binstall create-project activate",
)
"""Subcommands that install something that may then be run: a package, a program."""
BRINGS_NOTHING = names(
    "git hg svn jj bzr fossil kubectl oc gh glab aws doctl heroku fly flyctl oci docker",
    "docker-compose podman podman-compose nerdctl vault dvc systemctl terraform tofu",
)
"""Programs whose subcommands with these names download nothing: `git add`, `kubectl get`."""
OPAQUE_OF = {
    "git submodule": names("add set-url"),
    "git remote": names("add set-url"),
    "git hook": names("run"),
    "cargo": names("watch generate"),
    "rails": names("r c"),
    "gem": names("build"),
    "brew": names("ruby sh irb prof bundle edit"),
    **dict.fromkeys(("apt", "apt-get", "aptitude"), names("satisfy source build-dep")),
    **dict.fromkeys(("dnf", "yum"), names("builddep swap localupdate")),
    "zypper": names("in si dup patch"),
    "swift package": names("experimental-install"),
    "bun pm": names("trust"),
    "pip": names("lock"),
    "conda env": names("create update"),
    **dict.fromkeys(("fastapi", "textual", "marimo", "modal"), names("dev edit serve")),
    **dict.fromkeys(("i3-msg", "swaymsg", "hyprctl"), names("dispatch exec_always")),
    "wezterm": names("start cli"),
    "kitten": names("@"),
    "repo": names("forall"),
    "gum": names("spin"),
    "puppet": names("apply"),
    "quarto": names("render preview"),
    "knife": names("exec ssh"),
    "clickhouse": names("local client"),
    "systemctl": names("enable reenable link edit set-environment"),
    "docker service": names("create update"),
    **dict.fromkeys(("docker", "podman"), names("runlabel unshare")),
    "npm audit": names("fix"),
    "nix": names("build bundle profile"),
    **dict.fromkeys(
        ("npm", "pnpm", "yarn", "bun"),
        names(
            "in ins inst insta isntall it cit up update set-script edit dedupe ddp a c ln ic sit",
            "udpate approve-builds publish set policies",
        ),
    ),
    "kubectl": names("krew"),
    "pre-commit": names("try-repo"),
    "corepack": names("use prepare up"),
    "mise": names("use"),
    "rtx": names("use"),
    "git": names(
        "difftool mergetool merge-index merge-one-file filter-branch send-email daemon instaweb",
        "maintenance for-each-repo web--browse upload-pack receive-pack upload-archive remote-ext",
        "cvsserver p4 submodule--helper rebase--interactive difftool--helper mergetool--lib",
        "request-pull cvsimport archimport imap-send http-push http-fetch remote-fd remote-http",
        "remote-https remote-ftp jump sh-setup",
    ),
    "bazel": names("run"),
}
"""Subcommands whose operands are run, or name a package, program or repository to install."""
ABBREVIATING = names("npm bundle bundler gem composer artisan symfony")
"""Programs that accept abbreviated subcommands: `npm expl` is `npm explore`."""
NAMED_NEXT = {
    "git": names(
        "push pull fetch clone ls-remote remote submodule bisect fetch-pack send-pack svn flow",
        "stash worktree notes reflog",
    ),
    "hg": names("push pull clone identify id incoming in outgoing out"),
    "bzr": names("push pull branch merge missing checkout"),
    "jj": names("util"),
    "hatch": names("env"),
    "docker": names("network volume system context manifest swarm stack service"),
    "kubectl": names("rollout create auth certificate"),
    "terraform": names("state workspace providers"),
    "helm": names("repo registry"),
    "npm": names("audit cache access org team owner token dist-tag"),
    "pip": names("cache"),
    "uv": names("python cache self"),
    "poetry": names("self env cache source"),
    "conda": names("env"),
    "dotnet": names("tool new add nuget workload"),
    "rustup": names("toolchain component target"),
    "dart": names("pub"),
    "flutter": names("pub"),
    "ansible-galaxy": names("role collection"),
    "go": names("mod work"),
    "swift": names("package sdk"),
    "bun": names("pm"),
    "nix": names("flake profile store"),
}
"""Subcommands before another word to spell out: a subcommand, or a remote whose hooks are run."""
TWO_LEVELS = names("gh glab aws doctl heroku fly flyctl oci")
"""Programs with subcommands at two levels: each first word has subcommands of its own."""
NESTED = {
    ("docker", "compose"): "docker-compose",
    ("podman", "compose"): "docker-compose",
    ("docker", "container"): "docker",
    ("podman", "container"): "docker",
    ("docker", "buildx"): "docker",
    ("docker", "image"): "docker",
    ("uv", "pip"): "pip",
    ("uv", "tool"): "uv",
    ("go", "tool"): "go",
    ("coverage", "run"): "python",
    ("deno", "run"): "sh",
    ("mix", "run"): "sh",
    ("bun", "run"): "yarn",
    ("dotnet", "watch"): "dotnet",
    ("git", "lfs"): "git",
    ("jj", "git"): "git",
    ("streamlit", "run"): "sh",
}
"""Subcommands that parse their arguments like another program."""
NESTED_ELSEWHERE = {("yarn", "workspace"): "yarn"}
"""Like `NESTED`, but the arguments follow the name of a place."""
RUNS_BY_NAME = names("yarn pnpm bun stack")
"""Programs that accept a program instead of a subcommand: `yarn node x.js`, `pnpm tsx x.ts`."""
LAUNCHING = names("run exec x dlx init create innit debug develop enter rsh")
"""Subcommands that run the program named next, on this machine."""
RUNNING = names(
    "run exec x dlx cmd foreach devenv script fsi runspider do enter rsh",
)
"""Subcommands that run something, for any program that isn't listed."""
RUNNING_ALWAYS = names("exec dlx eval run install")
"""Words that a `*` never matches directly after a program, listed or not. After a subcommand, `run`
and `install` may be names.
"""
RUNS_NOTHING = names(
    "cat ls echo printf grep egrep fgrep rg ag head tail wc cp mv rm mkdir rmdir touch diff",
    "sort cut stat file du tree ar 7z 7za 7zr 7zz unrar rar",
)
"""Programs for which words such as `run` are names or texts."""
LAUNCHES_HERE = names(
    "uv poetry pipenv pdm hatch rye pixi pipx pyenv rbenv npm pnpm yarn bun bundle bundler go",
    "gem composer corepack volta op tox opam stack cabal",
)
LAUNCHES_ELSEWHERE = names(
    "docker docker-compose podman podman-compose nerdctl lxc incus machinectl crictl kubectl",
    "oc distrobox toolbox flatpak vagrant buildah rustup asdf mise rtx fnm nvm conda mamba",
    "micromamba nix guix apptainer singularity limactl foreman honcho",
)
"""Programs that run it in a place named before it: a container, an environment."""
SCRIPTS_OF_PROJECT = names(
    "npm pnpm bun lerna nx cargo dotnet flutter swift pre-commit nox flask cypress vitest",
    "jest make gmake just task rake gradle gradlew ant turbo",
)
"""Programs whose `run` runs something that the project's own files define."""
RUN_SCRIPT = names("run run-script")
"""Subcommands of such programs that precede the name of a script."""
ARCHIVERS = names("tar gtar bsdtar")
"""Programs whose first operand is options, with or without a dash."""
SEARCHES = names("find gfind bfs fd fdfind")
"""Programs that only run others if an option says so."""
ON_OTHER_MACHINES = names(
    "tar gtar bsdtar star pax cpio mt rmt dump restore rsync scp rcp sftp ssh unison rclone",
    "lftp bbcp",
)
"""Programs that open `host:file` through a shell on another machine, even if such a file exists."""
WITH_TRANSPORTS = names("git hg jj")
"""Programs that may run the transport named before `::`, as in `git ls-remote 'ext::sh -c x'`."""
READS_REVISIONS = frozenset(
    f"git {reads}"
    for reads in (
        *("show", "log", "diff", "blame", "annotate", "cat-file", "ls-tree", "grep"),
        *("rev-parse", "rev-list", "merge-base", "describe"),
    )
)
"""Subcommands that only read, and for which `HEAD:src/a.py` is a file in a revision."""
NAMES_WITH_COLONS = frozenset(
    (
        *RUNS_NOTHING,
        *SCRIPTS_OF_PROJECT,
        *READS_REVISIONS,
        *("yarn", "bazel", "bazelisk", "go", "sbt", "rails"),
        *(f"git {changes}" for changes in ("checkout", "restore", "switch", "push", "commit")),
        *(
            f"{engine} {does}"
            for engine in ("docker", "podman", "nerdctl")
            for does in ("pull", "push", "tag", "images", "rmi", "inspect", "history", "save")
        ),
        *("curl", "wget", "wget2", "http", "https", "xh", "host", "dig", "ping", "nc"),
    )
)
"""Programs and subcommands for which words like `build:prod`, `HEAD:file` or `image:1.0` are names.

For all others it may be a file on another machine (`scp a host:b`), in a container (`docker cp
box:a b`), or something that git runs (`ext::sh`). The remote of a `git push` must be spelled out
anyway.
"""
DOWNLOADERS = names("curl wget wget2 http https xh")
"""Programs whose operands are URLs anyway, and that don't run what they download."""
_KNOWN = INTERPRETERS | TRANSPARENT | OPAQUE | WITH_SUBCOMMANDS
_VERSION = re.compile(r"(?<=[a-z])-?\d[\d.]*(?:[a-z]|-dbg)?$")


def program_name(word: str) -> str:
    """Return a program's name without folder and `.exe`, nor version unless a known name has it."""
    name = re.split(r"[/\\]", word)[-1].casefold().removesuffix(".exe") or word
    return name if name in _KNOWN or is_wrapper(name) else _VERSION.sub("", name)
