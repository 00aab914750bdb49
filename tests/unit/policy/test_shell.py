import pytest

from acp_tui.policy.allow_patterns import allows_command
from acp_tui.policy.shell import (
    may_match_command,
    pattern_of,
    pattern_problem,
    read_argv,
    read_shell_line,
)
from acp_tui.policy.shell_words import Expanded

Parts = list[tuple[str, ...]]


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("git status", [("git", "status")]),
        ("  git\tstatus  ", [("git", "status")]),
        ("a && b; c | d & e", [("a",), ("b",), ("c",), ("d",), ("e",)]),
        ("a||b|&c\nd", [("a",), ("b",), ("c",), ("d",)]),
        ("echo 'a && b' \"c; d\" e\\ f", [("echo", "a && b", "c; d", "e f")]),
        ("r\"m\" -r'f' \\y", [("rm", "-rf", "y")]),
        ('echo "a\\"b" "\\n" \'\'', [("echo", 'a"b', "\\n", "")]),
        ("make 2>&1 | tee", [("make",), ("tee",)]),
        ("make >/dev/null 2> /dev/null", [("make",)]),
        ("make &>/dev/null", [("make",)]),
        ("cat </dev/null; ls", [("cat",), ("ls",)]),
        ("git log \\\n  --oneline", [("git", "log", "--oneline")]),
        ("FOO=1 git status", [("FOO=1", "git", "status")]),
        ("ls *.py a[b] {c,d} ~", [("ls", "*.py", "a[b]", "{c,d}", "~")]),
        ("echo a#b", [("echo", "a#b")]),
        ("make &>/dev/null; ls", [("make",), ("ls",)]),
        ("make&>>/dev/null && ls", [("make",), ("ls",)]),
        ("bash -c 'ls -l && pwd'", [("ls", "-l"), ("pwd",)]),
        ('/bin/sh -lc "git status"', [("git", "status")]),
        ('grep "(a|b)$" f', [("grep", "(a|b)$", "f")]),
        ("[ -f a ] && cat a", [("[", "-f", "a", "]"), ("cat", "a")]),
    ],
)
def test_a_clear_line_is_cut_as_a_shell_does(line: str, parts: Parts) -> None:
    commands = read_shell_line(line)
    assert list(commands.parts) == parts
    assert commands.clear


@pytest.mark.parametrize(
    "line",
    [
        "",
        "  ;  ",
        "echo $(rm x)",
        "echo `rm x`",
        'echo "$(rm x)"',
        'echo "`rm x`"',
        "echo $HOME",
        "git$IFS''status",
        "git status > file",
        "git status >> file",
        "git status < file",
        "git status 2>&1file",
        "git status 12>&1",
        "git status &>/dev/null touch x",
        "git status &>>/dev/null touch x",
        "git status &>/dev/null &>/dev/null touch x",
        "git status &>log",
        "printf -v 'a[$(id)]' x",
        "builtin printf -v 'a[`id`]' x",
        "test -v 'a[$(id)]'",
        "hash -p ./x ls; ls",
        "enable -f ./x ls",
        "cat <<END\nrm x\nEND",
        "diff <(a) <(b)",
        "(cd x && ls)",
        "{ ls; }",
        "{rm,-rf,x}",
        "gi? status",
        "~/bin/x",
        "if a; then b; fi",
        "! git status",
        "[[ a ]]",
        "time ! ls",
        "ls &!pwd",
        "time -p { ls; }",
        'grep "a$\\\n(x)" f',
        "[ 'a[$(id)]' -eq 1 ]",
        "git status # && rm",
        "echo 'unclosed",
        'echo "unclosed',
        "echo \\",
        "echo \x00",
        "echo \x1b[2J",
        "git status\r\nrm x",
        "'' x",
        "bash -c 'echo $(x)'",
        "bash -c ''",
        "a " * 300,
        "a" * 20_000,
    ],
)
def test_what_is_not_for_sure_is_not_clear(line: str) -> None:
    assert not read_shell_line(line).clear


@pytest.mark.parametrize(
    "line",
    [
        "ls > x",
        "cat <x | sort >>y",
        "(cd x && ls)",
        "{ ls; }",
        "! ls",
        "ls # all",
        "if a; then b; fi",
        "make &> log",
        "make &>/dev/null",
        "printf '[%s]' x",
    ],
)
def test_what_only_redirects_or_groups_hides_nothing(line: str) -> None:
    assert not read_shell_line(line).hides


@pytest.mark.parametrize(
    "line", ["$X", 'echo "$(rm x)"', "echo `rm x`", "{rm,x}", "'ls", "ls \\", "sh -c '$X'", "a\x00"]
)
def test_what_may_run_something_else_is_said_to_hide_it(line: str) -> None:
    assert read_shell_line(line).hides


def test_a_variable_stays_in_its_word_as_it_is_written() -> None:
    assert list(read_shell_line("echo $HOME/a x$Y").parts) == [("echo", "$HOME/a", "x$Y")]


@pytest.mark.parametrize("hidden", ["$X", "`x`", "\x00", "a &>b c;"])
@pytest.mark.parametrize(
    "later", ["a\\ b", "'a'", '"a"', '"a\\"b"', "a;b", "a &>/dev/null", "<<E\na\nE\n", "a\\\nb"]
)
def test_nothing_that_follows_makes_up_for_what_is_hidden(hidden: str, later: str) -> None:
    commands = read_shell_line(f"git status {hidden} {later}")
    assert commands.hides
    assert not commands.clear


def test_shells_inside_of_shells_are_looked_into_only_so_far() -> None:
    line = "ls"
    for _ in range(8):
        line = f"sh -c {pattern_of((line,))}"
    assert not read_shell_line(line).clear


def test_words_are_what_they_are() -> None:
    assert read_argv(("echo", "a && b; $(c)")).parts == (("echo", "a && b; $(c)"),)
    assert read_argv(("echo", "a && b; $(c)")).clear
    assert read_argv(("bash", "-lc", "a && b")).parts == (("a",), ("b",))
    assert not read_argv(()).clear
    assert not read_argv(("",)).clear


@pytest.mark.parametrize(
    ("pattern", "line", "said"),
    [
        ("git status", "git status", True),
        ("git status", "git status -s", False),
        ("git status *", "git status", True),
        ("git status *", "git status -s x", False),
        ("git status -s *", "git status -s x", True),
        ("git status *", "git", False),
        ("git * -s", "git status -s", False),
        ("*", "anything at all", False),
        ("git status", "/usr/bin/git status", False),
        ("git status", "FOO=1 git status", False),
        ("git status", "sudo git status", False),
        ("FOO=1 git status", "FOO=1 git status", True),
        ("cat src/*", "cat src/a.py", True),
        ("cat src/*", "cat src/../x", False),
        ("cat src/*", "cat src/..", False),
        ("cat src/*", "cat src/a/b", False),
        ("pytest tests/?.py", "pytest tests/a.py", True),
        ("echo 'a b'", "echo 'a b'", True),
        ("echo 'a b'", "echo a b", False),
        ("echo [ab]", "echo b", True),
        ("echo [!ab]", "echo b", False),
        ("cat src/*/*", "cat src/a/b", True),
        ("cat src/*/*", "cat src/./b", False),
        ("cat src/*/*", "cat src//b", False),
        ("cat */b", "cat /b", False),
        ("cat ./*", "cat ./b", True),
        ("cat ./*", "cat ././b", False),
        ("cat /srv/*", "cat /srv/b", True),
        ("cat /srv/*", "cat /srv/", False),
        ("git diff *.py x", "git diff --output=b.py x", False),
        ("git diff --*.py x", "git diff --relative=b.py x", False),
        ("cat src/*/*", "cat src/{.,x}./README.md", False),
        ("cat src/*/*", "cat src/.?/README.md", False),
        ("cat src/*", "cat src/?", False),
        ("cat src/*", "cat 'src/?'", True),
        ("cat 'src/[?]'", "cat src/?", False),
        ("cat * x", "cat [a] x", False),
        ("cat * x", "cat ~ x", False),
        ("cat * x", "cat a=~root x", False),
        ("cat * x", "cat =ls x", False),
        ("cat * x", "cat HEAD~1 x", True),
        ("find . {} *", "find . {} x", True),
        ("cat src *", "cat src *", False),
        ("cat src *", "cat src ./*", False),
    ],
)
def test_an_allowing_pattern_means_this_command_and_no_other(
    pattern: str, line: str, said: bool
) -> None:
    (words,) = read_shell_line(line).parts
    assert allows_command(pattern, words) is said


REMOVING = [
    "rm x",
    "rm",
    "/bin/rm x",
    "FOO=1 BAR=2 rm x",
    "sudo -u root rm x",
    "env A=b /bin/rm x",
    "xargs rm",
    "find . -exec rm {} +",
    "! rm x",
    "then rm x",
    "bash -x -c 'ls; rm x'",
    "eval 'rm x'",
    "eval rm x",
    "timeout 5 sh -c 'rm x'",
    "echo $(true; rm x)",
    "echo `rm x`",
    "(rm x)",
    "\\rm x",
    'r"m" x',
    "su -c 'rm x'",
    "ssh host rm x",
    "trap 'rm x' EXIT",
    "taskset -c 0 rm x",
    "tini -- rm x",
    "ssh-agent rm x",
    "/lib64/ld-linux-x86-64.so.2 /bin/rm x",
    "apptainer exec image rm x",
    "fish -c 'ls; rm x'",
    "tcsh -c 'rm x'",
    "setpriv --reuid 0 rm x",
    "uv run rm x",
    "uv tool run rm x",
    "poetry run -- rm x",
    "docker exec -it box rm x",
    "docker exec box sh -c 'ls; rm x'",
    "kubectl exec pod -- rm x",
    "npx -c 'rm x'",
    "npm exec -- rm x",
    "git bisect run rm x",
    "git submodule foreach 'ls; rm x'",
    "git -c alias.x='!rm x' x",
    "git -c core.pager='rm x' log",
    "git -c core.pager='A=b rm x' log",
    "git config alias.x '!rm x'",
    "git rebase -x 'rm x' main",
    "git difftool --extcmd='rm x'",
    "git filter-branch --tree-filter 'rm x' HEAD",
    "tar --to-command='rm x' -xf a",
    "tar cf a b --checkpoint-action=exec='rm x'",
    "rsync --rsh 'rm x' a b:",
    "rm > log x",
    "rm>log x",
    "2>log rm x",
    "tmux new-session -d 'rm x'",
    "echo # '\nrm x # '",
    "cat <<E\nit's\nE\nrm x\ncat <<E\nit's\nE",
    "cat <<-'E' | b\n\tit's\n\tE\nrm x; echo 'a'",
    "ssh host <<E\nrm x\nE",
    "# ; rm x",
    "PAGER='rm x' git log",
    "PAGER=';' rm x",
    "export GIT_PAGER='rm x'",
    "env -S'rm x'",
    "su -c'rm x'",
    "rsync -e 'rm x' a b:",
    "git grep -O'rm x' y",
    "function f { rm x; }; f",
    "coproc NAME { rm x; }",
    "jobs -x rm x",
    "ls &!rm x",
    "1=2 rm x",
    "- rm x",
    "chronic rm x",
    "repeat 3 rm x",
    "RM x",
    "rm.exe x",
    "SUDO rm x",
    "bash.exe -c 'ls; rm x'",
    "echo a; and rm x",
    "not rm x",
    "begin; rm x; end",
    "emulate sh -c 'rm x'",
    "zargs -- a -- rm x",
    "cmd /c rm x",
    "cmd.exe /c 'rm x'",
    "Start-Process rm x",
    "Invoke-Expression 'ls; rm x'",
    "less '+!rm x' f",
    "vim -c ':silent !rm x' f",
    "vim '+!rm x' f",
    "nvim --cmd '!rm x'",
    "LESSOPEN='|rm x' less f",
    "hg --config alias.z='!rm x' z",
    "jj util exec -- rm x",
    "ssh -o 'ProxyCommand rm x' host",
    "scp -S 'rm x' a b:",
    "rsync --rsync-path='rm x' a b:",
    "rg --pre 'rm x' a",
    "rg --pre=rm a",
    "nc -e 'rm x' host 1",
    "tcpdump -z 'rm x'",
    "zip -T -TT 'rm x' a b",
    "cargo watch -s 'rm x'",
    "asciinema rec -c 'rm x'",
    "opam exec -- rm x",
    "multipass exec vm -- rm x",
    "repo forall -c 'rm x'",
    "gum spin -- rm x",
    "qemu-x86_64 /bin/rm x",
    "tsp rm x",
]


def test_a_rejecting_pattern_finds_the_command_behind_others() -> None:
    for line in REMOVING:
        parts = read_shell_line(line).parts
        assert any(may_match_command("rm *", words) for words in parts), line


@pytest.mark.parametrize(
    "line",
    [
        "echo 'rm x'",
        "git commit -m 'rm x'",
        "git -c a.b='x rm' log",
        "vim '+/rm x' f",
        "cargo test rm",
    ],
)
def test_it_does_not_find_a_name_in_a_text(line: str) -> None:
    assert not any(may_match_command("rm *", words) for words in read_shell_line(line).parts)


@pytest.mark.parametrize(
    "line",
    [
        *("rm \\x2drf a", "\\x72m a", "ls \\u002dx", "ls \\55x", "ls \\cJrm"),
        *("echo 'a\\' b '; rm x; echo '", "echo 'a\\\\\\' b"),
        *("ls a\u2003-x", "ls \u2028-x", "ls a\u3000-x", "ls a\\tb", "ls \\rm"),
        *("ls a&pytest", "ls 'a'&pytest -c x", "ls 2>&1&pytest"),
    ],
)
def test_what_fish_reads_otherwise_is_unclear(line: str) -> None:
    found = read_shell_line(line)
    assert found.hides
    assert not found.clear


@pytest.mark.parametrize(
    "line",
    [
        *("\\ls a\\ b", "echo 'a\\\\' 'b'", "grep 'a\\.b' f", "\\ls \\-a", "ls 'a\u3000b'"),
        *("ls a& ls", "ls a&", "ls&&ls", "ls 2>&1"),
    ],
)
def test_what_fish_reads_alike_is_clear(line: str) -> None:
    assert read_shell_line(line).clear


@pytest.mark.parametrize("line", ["git -C x push", "git --git-dir=x -c a=b push", "git push"])
def test_a_rejecting_pattern_finds_what_git_does_behind_its_options(line: str) -> None:
    assert any(may_match_command("git push *", words) for words in read_shell_line(line).parts)
    assert not any(may_match_command("git x *", words) for words in read_shell_line(line).parts)


@pytest.mark.parametrize(
    "line",
    [
        "sh",
        "sh < f",
        "echo rm x | sh",
        "bash -x",
        "bash -s x",
        "bash <<< 'rm x'",
        "bash -o pipefail",
        "echo rm x | bash /dev/stdin",
        "echo rm x | . /dev/stdin",
        "source <(echo rm x)",
        "alias g=rm; g x",
    ],
)
def test_a_shell_that_reads_its_input_may_run_anything(line: str) -> None:
    found = read_shell_line(line)
    assert found.hides
    assert not found.clear


@pytest.mark.parametrize(
    "line",
    [
        "bash -c '\"$@\"' _ git push",
        "bash -e -c 'X=rm; $X y'",
        "X=rm; eval '$X y'",
        "X=rm eval '$X y'",
        "trap '$X' EXIT",
        "sudo sh -c 'X=rm; $X y'",
        "echo rm x | sudo sh",
        "echo rm x | xargs -I{} sh -c {}",
        "at now <<< 'rm x'",
        "bash -c 'git '*",
        "sudo bash -c 'git '*",
        "cat <<E\n$(rm x)\nE",
        "cat <<E\nrm x",
        "cat <<E 'a\nb'\nE",
        "cat <<E a\\\nb\nE",
        "cat << $E\nE",
        "((1<<E))\nE",
    ],
)
def test_what_another_shell_may_run_is_hidden(line: str) -> None:
    assert read_shell_line(line).hides


@pytest.mark.parametrize(
    "line",
    [
        "echo # don't",
        "cat <<'E' >a\n$X don't `\nE",
        "cat <<E\nit's\nE\nls",
        "sudo bash -c 'ls | wc' x",
        "sudo ls 'a$b'",
        "find . -name '*.py'",
        "sudo bash x.sh",
        "eval ls -l",
        "env ls *.py",
        "git ls-files | xargs grep -l 'a$'",
    ],
)
def test_what_shows_all_that_it_runs_hides_nothing(line: str) -> None:
    assert not read_shell_line(line).hides


@pytest.mark.parametrize("line", ["bash -kc 'git diff PATH=.'", "bash -c 'git '*"])
def test_a_line_that_is_more_than_its_words_is_not_allowed_by_them(line: str) -> None:
    assert not all(allows_command("git diff *", words) for words in read_shell_line(line).parts)


def test_lines_inside_of_lines_are_looked_into_only_so_far() -> None:
    line = "ls x"
    for _ in range(4):
        line = f"eval {pattern_of((line,))}"
    assert not read_shell_line(line).hides
    for _ in range(4):
        line = f"eval {pattern_of((line,))}"
    assert read_shell_line(line).hides


@pytest.mark.parametrize("line", ["bash x.sh", "/bin/bash ./x -x"])
def test_a_shell_that_runs_a_file_is_a_program_like_others(line: str) -> None:
    assert read_shell_line(line).clear


@pytest.mark.parametrize(
    "line",
    [
        *("echo rm", "rmdir x", "A=b", "sh -c", "git rm x", "docker rm x", "npm rm x"),
        *("git add rm", "docker run", "ls > rm", "ls 2> 'rm x'", "git log --grep='rm x'"),
    ],
)
def test_a_rejecting_pattern_is_not_about_everything(line: str) -> None:
    assert not any(may_match_command("rm *", words) for words in read_shell_line(line).parts)


def test_nested_shells_are_read_in_no_time() -> None:
    line = "rm x"
    for _ in range(8):
        line = f"find bash {pattern_of((line,))} "
    assert not may_match_command("cp *", read_shell_line(line).parts[0])
    many = read_shell_line("find " * 2000).parts[0]
    assert not may_match_command("cp *", many)


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("git status && ls", "one command"),
        ("echo $HOME", "one command"),
        ("ls > x", "one command"),
        ("echo 'a", "no closing quotation"),
        ("   ", "is empty"),
        ("ls [z-a]", "bad character range"),
    ],
)
def test_what_is_wrong_with_a_pattern_is_told(pattern: str, words: str) -> None:
    assert words in (pattern_problem(pattern) or "")


@pytest.mark.parametrize("pattern", ["git status *", "ls '*.py'", "pytest -k 'a and b' tests/*"])
def test_a_good_pattern(pattern: str) -> None:
    assert pattern_problem(pattern) is None


@pytest.mark.parametrize("words", [("ls", "*.py"), ("echo", "a b", "[x]"), ("grep", "a$", "?")])
def test_a_pattern_is_made_for_exactly_one_command(words: tuple[str, ...]) -> None:
    pattern = pattern_of(words)
    assert pattern_problem(pattern) is None
    assert allows_command(pattern, words)
    assert not allows_command(pattern, (*words, "x"))
    assert not allows_command(pattern, (*words[:-1], "other"))


@pytest.mark.parametrize(
    ("line", "pattern"),
    [
        ("python -c 'import os; os.system(\"rm x\")'", "python* *"),
        ("python -c 'import os; os.system(\"rm x\")'", "python* -c *"),
        ("sudo -u me /usr/bin/python3.11 script.py", "python* *"),
        ("uv run python -c 'run(1)'", "python* -c *"),
        ("env A=b node -e 'run(1)'", "node *"),
        ("perl -e 'system(\"rm x\")'", "perl *"),
        ("awk 'BEGIN { system(\"rm x\") }'", "awk *"),
        ("make clean", "make *"),
    ],
)
def test_of_a_program_in_another_language_only_its_interpreter_is_found(
    line: str, pattern: str
) -> None:
    read = read_shell_line(line)
    assert any(may_match_command(pattern, words) for words in read.parts)
    assert not any(may_match_command("rm *", words) for words in read.parts)
    assert not read.hides
    assert not any(
        may_match_command("python*", words) for words in read_shell_line("python3 -c x").parts
    )


@pytest.mark.parametrize("word", ["=ls", "''=ls", '""=ls'])
def test_a_program_that_zsh_puts_in_place_of_its_name_is_not_known(word: str) -> None:
    ((_, found),) = read_shell_line(f"echo {word}").parts
    assert isinstance(found, Expanded)
