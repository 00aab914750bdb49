"""Which commands bring along what they run: no pattern wider than their text allows them."""

import shlex

import pytest

from acp_tui.policy.shell import allows, pattern_of, read_line

CODE = [
    *("sed '1e rm x' f", "sed -e '1e rm x' f", "sed 's/a/rm x/e' f", "sed -n 's/a/b/w out' f"),
    *("sed --expression='1e rm x' f", "sed --expression '1e rm x' f", "sed -f script f", "sed -ne 'e rm'"),
    *("sed --exp='1e rm x' f", "sed 's/[/]/e rm x;p/' f", "sed -i '' '1e rm x' f", "sed p -e '1e rm x'"),
    *("awk 'BEGIN{system(\"rm x\")}'", "awk '{print | \"rm x\"}' f", "gawk '{\"rm x\" | getline}' f"),
    *("find . -exec rm {} +", "find . -execdir rm {} +", "find . -ok rm {} +", "find . -delete"),
    *("find . -fprint out", "fd -x rm", "fdfind . --exec rm", "xargs rm", "xargs -n 1 rm"),
    *("env -S 'rm x'", "env --split-string='rm x'", "env -vS'rm x'", "env PAGER='rm x' git log"),
    *("perl -e 'unlink 1'", "perl -ne 'print' f", "ruby -e 'x'", "python -c 'x'", "python3.11 -Ic 'x'"),
    *("node -e x", "node --eval=x", "nodejs -p x", "deno eval x", "bun -e x", "php -r x", "lua -e x"),
    *("vim -c '!rm x' f", "vim '+!rm x' f", "nvim --cmd x f", "view -es f", "less '+!rm x' f"),
    *("tar xf a --to-command='rm x'", "tar xf a --to-c='rm x'", "tar cf a --checkpoint-action=exec=rm ."),
    *("tar -I 'rm x' -xf a", "tar cIf 'rm x' a .", "rsync -e 'rm x' a b:", "rsync -ave 'rm x' a b:"),
    *("rsync --rsh='rm x' a b:", "ssh host rm x", "scp -o ProxyCommand='rm x' a b:", "su -c 'rm x'"),
    *("git -c alias.x='!rm y' x", "git -C /w -c core.pager='rm x' log", "git config alias.x '!rm y'"),
    *("git difftool -x 'rm x'", "git difftool --extcmd='rm x'", "git rebase -x 'rm x'", "git grep -O'rm x' a"),
    *("git clone --upload-pack='rm x' a", "git fetch -u 'rm x' a", "git clone ext::sh a"),
    *("git bisect run rm x", "git submodule foreach rm x", "git --exec-path=/w log", "git diff --ext-diff"),
    *("git --config-env=core.pager=X log", "make SHELL='rm x'", "make --eval='x'", "make -E x"),
    *("compgen -C 'rm x'", "compgen -W 'a' -C 'rm x' b", "complete -C 'rm x' b", "trap 'rm x' EXIT"),
    *("PROMPT_COMMAND='rm x' bash f", "PROMPT_COMMAND='rm x'", "LD_PRELOAD=./x ls", "enable -f ./x y"),
    *("GIT_SSH_COMMAND='rm x' git fetch", "A=b PAGER='rm x' git log", "BASH_ENV=./x bash f"),
    *("timeout 5 sed '1e rm x' f", "sudo find . -delete", "nice -n 5 env -S 'rm x'", "uv run python -c x"),
    *("/usr/bin/find . -delete", "sort --compress-program=rm a", "split --filter='rm x' a", "rg --pre rm a"),
    *("sh -c 'rm x' a", "bash -ic 'rm x'", "sudo sh -c 'rm x'", "psql '\\! rm x'", "sqlite3 f '.shell rm x'"),
    *("nc -e rm host 1", "man -P 'rm x' a", "apt-get -o Pre-Invoke=x update", "npx -c 'rm x'", "busybox rm x"),
    *("git diff --output=f a b", "git -C /w log -1 --outp f", "sort -o f a", "sort -uo f a", "less -of a"),
    *("printf -v PATH /w/evil", "export PATH=/w/evil", "declare -x LD_PRELOAD=./x", "readonly IFS=x"),
    *("go build -toolexec 'rm x'", "go test -exec=./x", "go vet -vettool ./x", "go build -ldflags=-extld=./x"),
    *("gcc -B/w/evil a.c", "gcc @f", "rustc -Clinker=./x a", "rustc -C linker=./x a", "pandoc -F ./x a"),
    *("ip netns exec a rm x", "gh alias set a '!rm x'", "bat --pager ./x a", "install --strip-prog=./x -s a b"),
]  # fmt: skip
TOOLS = [
    *("pytest -p evil", "pytest -pevil", "pytest -c /w/evil.ini", "pytest -c/w/evil.ini"),
    *("pytest --config-file=/w/e.ini", "pytest -o python_files=x", "pytest --override-ini=addopts=-pevil"),
    *("pytest --basetemp=/home", "pytest --pdbcls=evil:x", "python -m pytest -p evil"),
    *("uv run pytest -p evil", "python3 -m timeit 'import os'", "python -m coverage run --rcfile=/w/e x"),
    *("coverage run --rcfile=/w/e x", "mypy --config-file /w/e .", "mypy --python-executable=/w/e ."),
    *("mypy --install-types x", "pylint --load-plugins=evil x", "pylint --init-hook='import os' x"),
    *("pylint --rcfile=/w/e x", "flake8 --config=/w/e", "flake8 --append-config /w/e", "ruff check -o f"),
    *("pyright --pythonpath /w/evil", "pyright -p /w/x", "tox -c /w/tox.ini", "nox -f /w/n.py"),
    *("pre-commit run -c /w/x", "eslint -c /w/e.js .", "eslint --config=/w/e.js ."),
    *("eslint --rulesdir /w/e .", "eslint --plugin evil .", "eslint --parser /w/e ."),
    *("eslint -f /w/e.js .", "eslint --resolve-plugins-relative-to=/tmp .", "jest -c /w/e"),
    *("jest --config='{\"globalSetup\":\"/w/e\"}'", "jest --globalSetup=/w/e", "jest --setupFiles /w/e"),
    *("jest --setupFilesAfterEnv=/w/e", "jest --testRunner=/w/e", "jest --transform=x"),
    *("jest --reporters=/w/e", "jest --rootDir=/w/e", "npx jest --globalSetup=/w/e"),
    *("npm test -- --globalSetup=/w/e", "npm --prefix /w/evil test", "npm test --prefix=/w/evil"),
    *("npm --userconfig=/w/x test", "yarn --cwd /w/evil test", "pnpm -C /w/evil test"),
    *("pnpm --dir /w/evil test", "mocha -r /w/e.js", "mocha --require=/w/e", "mocha --reporter /w/e"),
    *("mocha --config /w/e", "vitest run --globalSetup=/w/e", "vitest --reporter=/w/e"),
    *("prettier --plugin=/w/e.js .", "prettier --config /w/e.js .", "stylelint --custom-syntax /w/e"),
    *("webpack -c /w/e", "webpack --config=/w/e", "rollup -p /w/e", "rollup -c /w/e"),
    *("babel --plugins /w/e x", "playwright test -c /w/e", "cypress run --config-file /w/e"),
    *("nyc -r /w/e x", "node --test-reporter=/w/e --test", "node --experimental-loader=/w/e x"),
    *("node --env-file=/w/e x", "bun --preload /w/e x", "make -f /w/evil.mk", "make -C /w/evil"),
    *("make --directory=/w/evil", "make --file=/w/evil.mk", "make --makefile /w/x", "make -I /w/x"),
    *("just -f /w/x", "just --justfile /w/x", "just --shell /w/x", "task -t /w/x", "rake -f /w/x"),
    *("rake -e 'system 1'", "rspec -r /w/x", "rspec -I /w/x", "rubocop -r /w/x", "rubocop -c /w/x"),
    *("bundle exec rspec -r /w/x", "phpunit --bootstrap /w/x", "phpunit -c /w/x", "phpstan -c /w/x"),
    *("phpstan analyse --autoload-file=/w/x", "composer -d /w/x install"),
    *("cargo --config 'build.rustc=\"x\"' build", "cargo test --manifest-path /w/x"),
    *("cargo rustc -- -C linker=/w/x", "cargo -Zunstable build", "cargo -C /w/x build"),
    *("go env -w GOFLAGS=-toolexec=x", "go env -w CC=/w/x", "go build -overlay /w/x ."),
    *("go test -modfile=/w/x .", "go -C /w/x test", "gradle -I /w/x build"),
    *("gradle --init-script /w/x build", "gradle -b /w/x build", "./gradlew -p /w/x build"),
    *("mvn -f /w/x test", "mvn -Dmaven.ext.class.path=/w/x test", "mvn -s /w/x test", "ant -f /w/x"),
    *("ant -buildfile /w/x", "dotnet test --settings /w/x", "dotnet test --test-adapter-path:/w/x"),
    *("dotnet build -p:PreBuildEvent=id", "bazel test --run_under=/w/x //..."),
    *("bazel --bazelrc=/w/x test", "cmake -DCMAKE_C_COMPILER=/w/x .", "cmake -C /w/x ."),
    *("cmake --toolchain /w/x .", "ctest -S /w/x", "ctest --build-makeprogram /w/x", "ninja -f /w/x"),
    *("ninja -C /w/x", "meson setup --native-file /w/x b", "kubectl get pods --kubeconfig=/w/x"),
    *("kubectl config set-credentials a --exec-command=/w/x", "helm list --kubeconfig /w/x"),
    *("terraform -chdir=/w/x plan", "terraform init -plugin-dir=/w/x"),
    *("aws configure set credential_process x", "ansible-playbook -i /w/x site.yml"),
    *("ansible-playbook --vault-password-file=/w/x site.yml", "docker --config /w/x ps"),
    *("curl -K /w/x url", "curl -o /w/x url", "curl -sSLo /w/x url", "curl --output /w/x url"),
    *("curl --engine /w/x.so url", "curl -O url", "wget -O /w/x url", "wget -P /tmp url", "shuf -o f a"),
    *("openssl version -engine /w/x", "openssl req -engine /w/x.so", "rpm --eval '%(id)'"),
    *("rpm -E '%(id)'", "pdflatex -shell-escape x", "exiftool -if 'system 1' f", "ctags --options=/w/x f"),
    *("clang-tidy --load=/w/x f", "clang -Xclang -load f", "clang --ld-path=/w/x f"),
    *("pip list --python /w/x", "pip --python=/w/x list", "gh config set editor /w/x"),
    *("gh repo clone a -- --config core.x=y", "git archive --remote='ext::sh -c id' HEAD"),
    *("git --git-dir=/w/x status", "psql -o '|id'", "psql -f x", "perl -d:Evil x", "php -c /w/x f"),
    *("awk -o/w/x 1 f", "awk -d/w/x 1 f", "awk -p/w/x 1 f", "uniq a b", "xxd -r a b"),
    *("sphinx-build -D x=y a b", "mkdocs build -f /w/x", "gunicorn -c /w/x app"),
    *("alembic -c /w/x upgrade", "python manage.py shell -c 'x'", "mix run -e 'x'", "swift -e x"),
    *("iconv -o x f", "tshark -X lua_script:x", "mongosh --eval x", "duckdb -c x", "duckdb -cmd x"),
]  # fmt: skip
"""Plugins, settings and places that programs for tests, builds and downloads take from an option."""
PLAIN = [
    *("sed -n 1,10p f", "sed 's/a/b/g' f", "sed -i 's|a|b|' f", "sed -ne '/x/,/y/p' f", "sed -E '$d' f"),
    *("sed -i.bak -e 's/a/b/' -e '1d' f", "sed '/x/{p;d}' f", "sed --quiet '$p' f", "sed -es/a/b/ f", "sed"),
    *("awk '{print $1}' f", "find . -name '*.py' -o -type d -print", "find . -depth", "fd x", "env"),
    *("python script.py", "python -m pytest -q", "node server.js --port 1", "perl script.pl", "php f.php"),
    *("vim f", "less f", "tar xzf a.tgz", "tar -tvf a", "rsync -a --delete a b", "make test", "make -j 4"),
    *("git status -s", "git diff --stat", "git commit -m 'system | !'", "git log --oneline -5", "git"),
    *("git -C /w log", "git bisect good", "git clone url", "git push origin main", "A=b pytest -x"),
    *("bash run.sh a", "sort -u a", "npm test", "npm run build", "cargo test", "curl -s url", "rg -n x"),
    *("git submodule update", "grep -rn exec .", "psql f", "sqlite3 f", "NODE_ENV=test jest -w"),
    *("printf '%s\n' a", "export NAME=value", "git show --stat --oneline", "sort -k2,2 -t:", "tree -L 2"),
    *("go build ./...", "go test -run X -v", "gcc -Wall -o a a.c", "rustc -C opt-level=3 a", "gh pr list"),
    *("pytest -q --co", "pytest --cov=acp_tui -x -vv -n 2 tests", "pytest -k \"a and b\" --tb=short --lf"),
    *("python -m pytest -q tests", "node --test", "mvn -B -ntp test -DskipTests", "mvn -Dtest=Foo test"),
    *("npm test", "npm run build", "jest --coverage --watch=false src", "vitest --run"),
    *("eslint --fix src", "prettier --check .", "tsc --noEmit", "ruff check --fix ."),
    *("mypy acp_tui --strict", "make -C sub test", "make -j4", "gradle test -x lint"),
    *("cargo test --release -p foo", "cargo clippy --all-targets", "go test ./... -run X -v"),
    *("go build -o bin/x .", "curl -fsSL url", "curl -s -XPOST -H 'a: b' -d '{}' url", "curl -Is url"),
    *("kubectl get pods -o yaml", "docker ps -a", "terraform plan -out=x", "rspec spec/a_spec.rb -f d"),
    *("rake test", "phpunit tests", "dotnet build -c Release", "dotnet test", "cmake --build build"),
    *("cmake -S . -B build -DFOO=ON", "ninja -C build", "awk -F: '{print $1}' f"),
    *("awk -F '\\t' -v x=1 '{print $1}' f", "uniq -c f", "xxd f", "pip list", "pip3 install -r req.txt"),
    *("black --check .", "aws s3 ls", "psql -l"),
]  # fmt: skip


def words(line: str) -> tuple[str, ...]:
    return tuple(shlex.split(line))


@pytest.mark.parametrize("line", CODE + TOOLS)
def test_a_command_with_code_is_allowed_by_its_own_text_alone(line: str) -> None:
    given = words(line)
    wider = [pattern_of(given[:at], open_end=True) for at in range(1, len(given) + 1)]
    assert not any(allows(pattern, given) for pattern in ("*", *wider))
    assert allows(pattern_of(given), given)


@pytest.mark.parametrize("line", PLAIN)
def test_a_command_without_code_is_allowed_by_how_it_begins(line: str) -> None:
    given = words(line)
    assert allows(pattern_of(given[:1], open_end=True), given)


@pytest.mark.parametrize(
    ("pattern", "line", "said"),
    [
        ("timeout *", "timeout 60 pytest", False),
        ("timeout 60 *", "timeout 60 pytest", False),
        ("timeout 60 pytest *", "timeout 60 pytest -q", True),
        ("timeout * pytest *", "timeout 60 pytest -q", False),
        ("env *", "env A=b", True),
        ("env A=b *", "env A=b pytest", False),
        ("sudo *", "sudo rm x", False),
        ("A=b *", "A=b sudo rm x", False),
        ("A=b sudo rm *", "A=b sudo rm x", True),
        ("uv *", "uv run rm x", False),
        ("uv *", "uv sync", True),
        ("uv run *", "uv run pytest -q", True),
        ("docker *", "docker exec box rm x", False),
        ("docker *", "docker ps", True),
        ("npm *", "npm run build", True),
        ("npm *", "npm exec x", False),
    ],
)
def test_what_another_program_runs_is_spelled_out(pattern: str, line: str, said: bool) -> None:
    assert allows(pattern, words(line)) is said


def test_a_text_that_is_still_expanded_is_no_text() -> None:
    (given,) = read_line("find *.py -delete").parts
    assert not allows("find *.py -delete", given)


def test_no_words_are_no_command() -> None:
    assert not allows("*", ())


def test_what_is_too_long_to_be_looked_at_counts_as_code() -> None:
    assert not allows("ls *", ("ls", *["x"] * 300))
    assert not allows("sed *", ("sed", "p;" * 2000))
