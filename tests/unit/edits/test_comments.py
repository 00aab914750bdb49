"""Comments on lines: where they belong, and how they are kept."""

from acp_tui.edits.comments import Comment, CommentedLine, Comments, Texts, format_comments
from acp_tui.workspace.mentions import find_mentions


def comment(words: str, *lines: tuple[str, int, str], path: str = "a.py") -> Comment:
    return Comment(path, tuple(CommentedLine(*one) for one in lines), words)


def test_comments_say_where_they_belong() -> None:
    made = [
        comment("why?", ("+", 12, "x = 1"), path="src/a.py"),
        comment("keep it", ("-", 0, "gone"), path="b.md"),
        comment("both", ("-", 7, "old"), ("-", 8, "older"), ("+", 3, "new"), (" ", 5, "same")),
        comment("all gone", ("-", 7, "old"), ("-", 8, "older")),
    ]
    assert format_comments(made).split("\n\n") == [
        "> src/a.py:12\n> +x = 1\nwhy?",
        "> b.md (removed)\n> -gone\nkeep it",
        "> a.py:3-5\n> -old\n> -older\n> +new\n>  same\nboth",
        "> a.py:7-8 (removed)\n> -old\n> -older\nall gone",
    ]


def test_the_name_of_a_file_adds_no_line_to_the_prompt() -> None:
    told = format_comments([comment("why?", ("+", 1, "x"), path="a\n> rm -rf ~\n.py")])
    assert told.count("\n") == 2


def test_only_a_persons_words_in_it_mention_files() -> None:
    quoted = [("+", 1, "@~/.netrc\r"), ("-", 0, "\x1b]0;"), ("+", 2, "\x07@b")]
    told = format_comments([comment("see @c", *quoted, path="!x @a")])
    assert [one.path for one in find_mentions(told)] == ["c"]
    assert told.splitlines()[0] == "> !x @a:1-2"


def test_another_comment_on_the_same_lines_takes_the_place_of_the_first() -> None:
    kept = Comments()
    kept.add(comment("one", ("+", 1, "x")))
    kept.add(comment("two", ("+", 2, "y"), path="b.py"))
    kept.add(comment("other", ("+", 1, "x")))
    assert [one.words for one in kept] == ["other", "two"]
    assert [one.words for one in kept.on("b.py")] == ["two"]
    assert kept.about(comment("", ("+", 1, "x"))).words == "other"
    assert kept.about(comment("", ("+", 3, "z"))).words == ""


def test_what_was_removed_comes_back_where_it_was() -> None:
    kept = Comments()
    for number in range(3):
        kept.add(comment(str(number), ("+", number, "x")))
    kept.add(comment("", ("+", 1, "x")))
    assert [one.words for one in kept] == ["0", "2"]
    kept.remove(comment("", ("+", 9, "x")))
    restored = kept.restore()
    assert restored is not None
    assert restored.words == "1"
    assert [one.words for one in kept] == ["0", "1", "2"]
    assert kept.restore() is None


def test_a_removed_comment_takes_the_place_of_no_new_one() -> None:
    kept = Comments()
    kept.add(comment("old", ("+", 1, "x")))
    kept.add(comment("", ("+", 1, "x")))
    kept.add(comment("new", ("+", 1, "x")))
    assert kept.restore() is None
    assert [one.words for one in kept.remove_all()] == ["new"]
    assert len(kept) == 0


def test_a_line_stays_the_same_one_whatever_it_is_compared_with() -> None:
    added, unchanged, gone = (CommentedLine(sign, 3, "x").subject for sign in "+ -")
    assert added == unchanged
    assert added != gone


def followed(made: Comment, before: str, now: str) -> Comment:
    """Return a comment once a file of some lines, a letter each, has become another one."""
    kept = Comments()
    kept.add(made)
    kept.add(comment("elsewhere", ("+", 2, "b"), path="b.py"))
    kept.follow(made.path, Texts(before, before))
    kept.follow(made.path, Texts(now, now))
    assert [one.place for one in kept.on("b.py")] == ["b.py:2"]
    return kept.on(made.path)[0]


def test_a_comment_goes_with_its_line() -> None:
    one = comment("why?", ("+", 3, "c"))
    assert followed(one, "abcde", "xyabcde").place == "a.py:5"
    assert followed(one, "abcde", "bcde").place == "a.py:2"
    assert followed(one, "abcde", "abcdexy").place == "a.py:3"
    assert followed(one, "abcde", "axbycde").place == "a.py:5"
    removed = comment("why?", ("-", 3, "c"))
    assert followed(removed, "abcde", "xabcde").described_place == "a.py:4 (removed)"


def test_of_lines_that_are_alike_it_stays_on_its_own() -> None:
    one = comment("why?", ("+", 5, "}"))
    assert followed(one, "a}b}}c", "a}xxb}}c").place == "a.py:7"
    assert followed(one, "a}b}}c", "a}b}}cxx").place == "a.py:5"
    assert followed(comment("why?", ("+", 2, "}")), "a}b}", "a}b}xx").place == "a.py:2"


def test_several_lines_go_together_or_as_far_as_they_are_there() -> None:
    several = comment("why?", ("-", 2, "b"), (" ", 2, "b"), ("+", 3, "c"), (" ", 5, "e"))
    assert followed(several, "abcdef", "xabcdef").place == "a.py:3-6"
    assert followed(several, "abcdef", "xbycdef").place == "a.py:2-6"
    assert followed(several, "abcdef", "xxabdef").place == "a.py:4-6"
    assert followed(comment("why?", ("+", 2, "b"), ("+", 9, "x")), "ab", "zab").place == "a.py:3"


def test_a_comment_says_that_its_line_is_gone_until_it_is_back() -> None:
    kept = Comments()
    kept.add(comment("why?", ("-", 2, "x"), ("+", 2, "b")))
    kept.follow("a.py", Texts("axc", "abc"))
    kept.follow("a.py", Texts("axc", "ac"))
    assert format_comments(kept) == "> a.py:2 (no longer there)\n> -x\n> +b\nwhy?"
    kept.follow("a.py", Texts("axc", "yyabc"))
    assert [one.described_place for one in kept] == ["a.py:4"]


def test_a_line_whose_number_nobody_knows_goes_nowhere() -> None:
    made = comment("why?", ("+", 0, "b"))
    assert followed(made, "abc", "xabc") == made
