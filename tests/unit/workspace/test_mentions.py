"""`@path` in prompts, and what becomes of it."""

import base64
import os
from pathlib import Path

import pytest

from acp_tui.protocol.content import (
    AudioContent,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
)
from acp_tui.protocol.initialization import PromptCapabilities
from acp_tui.workspace.mentions import (
    AttachmentError,
    attach_file,
    escape_mentions,
    find_mentions,
    may_mention,
    media_content,
    mention_of,
    prepare_prompt,
)

ALL = PromptCapabilities(image=True, audio=True, embedded_context=True)
NONE = PromptCapabilities()
PNG = b"\x89PNG\r\n\x1a\n123"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("look at @src/app.py, please", [("src/app.py", None)]),
        ("@a.py:10-40.", [("a.py", (10, 40))]),
        ("(@a.py:7)", [("a.py", (7, 7))]),
        ('@"with space.txt":1-2 and @b', [("with space.txt", (1, 2)), ("b", None)]),
        ("me@example.org", []),
        ("a\n@b\t@c", [("b", None), ("c", None)]),
        ("@", []),
        ("is it @x.py?", [("x.py", None)]),
    ],
)
def test_mentions_are_found(text: str, found: list[tuple[str, tuple[int, int] | None]]) -> None:
    assert [(one.path, one.lines) for one in find_mentions(text)] == found
    for one in find_mentions(text):
        assert text[one.start : one.end].startswith("@")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("> @a\n@b", ["b"]),
        ("   > @a\n    > @b\nx > @c", ["b", "c"]),
        ("```\n@a\n```\n@b", ["b"]),
        ("````console\n$ @a\n```\n@b\n````  \n@c", ["c"]),
        ("~~~ @a\n@b\n```\n~~~~\n@c", ["c"]),
        ("```` `\n@a", ["a"]),
        ("```\n@a\n``` x\n@b", []),
        ("`a` @b\n```py\n@c", ["b"]),
    ],
)
def test_what_is_quoted_or_in_a_fence_mentions_nothing(text: str, found: list[str]) -> None:
    assert [one.path for one in find_mentions(text)] == found
    for one in find_mentions(text):
        assert text[one.start] == "@"


@pytest.mark.parametrize(
    ("before", "may"),
    [("", True), ("> ", False), ("> x\n", True), ("```\n", False), ("```\nx\n```\n", True)],
)
def test_nothing_is_completed_where_nothing_is_mentioned(before: str, may: bool) -> None:
    assert may_mention(f"{before}@") is may


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("a.py", "@a.py"),
        ("a b.py", '@"a b.py"'),
        ("it's", "@it's"),
        ("a@b", '@"a@b"'),
        ("log:10", '@"log:10"'),
        ("log:10-20", '@"log:10-20"'),
        ("end.", '@"end."'),
        ("a\\b", "@a\\b"),
        ("e\u0301.md", "@e\u0301.md"),
        ("caf\udce9.txt", "@caf\udce9.txt"),
        ('say "hi"', None),
        ("a\nb", None),
    ],
)
def test_a_mention_of_a_path_mentions_exactly_that(path: str, written: str | None) -> None:
    assert mention_of(path) == written
    assert written is None or [(one.path, one.lines) for one in find_mentions(written)] == [
        (path, None)
    ]


def test_words_of_others_mention_nothing() -> None:
    told = escape_mentions('@a, (@"b c":1) me@example.org\n> @d')
    assert told == '\\@a, (\\@"b c":1) me@example.org\n> @d'
    assert (find_mentions(told), escape_mentions(told)) == ([], told)
    assert escape_mentions("@a @b", is_exempt=lambda one: one.path == "a") == "@a \\@b"


def test_what_was_folded_mentions_nothing(folder: Path) -> None:
    prepared = prepare_prompt("See @a.py", str(folder), ALL, seen="See [pasted 1: 42 lines]")
    assert prepared.blocks == (TextContent(text="See @a.py"),)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("one\ntwo\x0cstill two\nthree\n")
    (tmp_path / "x.png").write_bytes(PNG)
    (tmp_path / "x.wav").write_bytes(b"RIFF")
    (tmp_path / "x.bin").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "nul").write_bytes(b"a\0b")
    (tmp_path / "big.txt").write_text("line\n" * 100_000)
    (tmp_path / "sub").mkdir()
    return tmp_path


def test_a_name_that_is_no_text_is_replaced_in_words_and_whole_in_its_address(
    folder: Path,
) -> None:
    name = os.fsdecode(b"caf\xe9.txt")
    (folder / name).write_text("tea\n")
    text, link = prepare_prompt(f"see @{name}", str(folder), PromptCapabilities()).blocks
    assert isinstance(text, TextContent)
    assert isinstance(link, ResourceLink)
    assert (text.text, link.name) == ("see @caf\ufffd.txt", "caf\ufffd.txt")
    assert link.uri.endswith("/caf%E9.txt")


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("@a.py:9", "a.py has no line 9: it ends at line 3"),
        ("@a.py:4-5", "a.py has no line 4: it ends at line 3"),
        ("@a.py:3-2", "a.py has no lines 3-2: they count from 1 upwards"),
        ("@a.py:0-2", "a.py has no lines 0-2: they count from 1 upwards"),
    ],
)
def test_lines_that_a_file_does_not_have_are_refused_in_words(
    folder: Path, written: str, why: str
) -> None:
    assert prepare_prompt(f"See {written}.", str(folder), ALL).problems == [why]


def test_the_last_lines_of_a_file_may_be_too_many(folder: Path) -> None:
    _, block = prepare_prompt("See @a.py:3-80", str(folder), ALL).blocks
    assert isinstance(block, EmbeddedResource)
    assert block.resource.text == "three"


def test_a_text_file_goes_with_the_prompt_where_that_is_taken(folder: Path) -> None:
    prepared = prepare_prompt("See @a.py and @a.py, not @missing", str(folder), ALL)
    text, block = prepared.blocks
    assert text == TextContent(text="See @a.py and @a.py, not @missing")
    assert isinstance(block, EmbeddedResource)
    assert block.resource.text == "one\ntwo\x0cstill two\nthree\n"
    assert block.resource.uri == (folder / "a.py").as_uri()
    assert block.resource.mime_type == "text/x-python"


def test_elsewhere_only_its_address_goes(folder: Path) -> None:
    _, block = prepare_prompt("@a.py:2-3", str(folder), NONE).blocks
    assert isinstance(block, ResourceLink)
    assert block.name == "a.py"
    assert block.uri == f"{(folder / 'a.py').as_uri()}#L2-3"


def test_lines_are_cut_out(folder: Path) -> None:
    block = attach_file("a.py", str(folder), ALL, (2, 3))
    assert isinstance(block, EmbeddedResource)
    assert block.resource.text == "two\x0cstill two\nthree"
    assert block.resource.uri.endswith("#L2-3")


@pytest.mark.parametrize("name", ["x.bin", "nul", "big.txt", "sub"])
def test_what_is_no_short_text_goes_as_an_address(folder: Path, name: str) -> None:
    block = attach_file(name, str(folder), ALL)
    assert isinstance(block, ResourceLink)
    assert block.uri == (folder / name).as_uri()


def test_images_and_sounds_go_where_they_are_taken(folder: Path) -> None:
    image, sound = (attach_file(name, str(folder), ALL) for name in ("x.png", "x.wav"))
    assert isinstance(image, ImageContent)
    assert base64.b64decode(image.data) == PNG
    assert image.mime_type == "image/png"
    assert isinstance(sound, AudioContent)
    assert sound.mime_type == "audio/wav"


def test_images_and_sounds_are_refused_elsewhere(folder: Path) -> None:
    prepared = prepare_prompt("@x.png @x.wav", str(folder), NONE)
    assert prepared.problems == [
        "x.png is an image, and the agent takes none",
        "x.wav is a sound, and the agent takes none",
    ]
    assert len(prepared.blocks) == 1


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBP", "image/webp"),
    ],
)
def test_the_clipboard_s_bytes_tell_what_they_are(data: bytes, kind: str) -> None:
    block = media_content(data, None, ALL)
    assert isinstance(block, ImageContent)
    assert block.mime_type == kind


def test_what_is_no_image_is_refused() -> None:
    with pytest.raises(AttachmentError, match="no image"):
        media_content(b"hello", None, ALL)


def test_what_can_t_be_read_is_told(folder: Path) -> None:
    with pytest.raises(AttachmentError, match="No such file"):
        attach_file("missing.txt", str(folder), ALL)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
def test_what_is_no_file_is_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "fifo")
    assert prepare_prompt("@fifo", str(folder), ALL).problems == ["fifo is not a regular file"]


@pytest.mark.parametrize("text", [f"@{'x' * 5000}", f"@a.txt:{'1' * 5000}", "@\0"])
def test_what_can_be_no_file_is_just_text(folder: Path, text: str) -> None:
    prepared = prepare_prompt(text, str(folder), ALL)
    assert (len(prepared.blocks), prepared.problems) == (1, [])


def test_a_name_in_the_folder_sends_nothing_of_elsewhere(folder: Path, tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "README.md").symlink_to(folder / "a.py")
    (inside / "own.md").symlink_to("tea.md")
    (inside / "tea.md").write_text("oolong")
    (tmp_path / "link").symlink_to(inside)
    for cwd in (inside, tmp_path / "link"):
        prepared = prepare_prompt("@README.md @own.md", str(cwd), ALL)
        assert len(prepared.blocks) == 2
        assert prepared.problems == [
            f"README.md leads out of the folder: mention {folder / 'a.py'} if you mean that"
        ]
        assert len(prepare_prompt(f"@{folder / 'a.py'} @../a.py", str(cwd), ALL).blocks) == 3


def test_too_large_an_image_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acp_tui.workspace.mentions.LARGEST_MEDIA", 5)
    with pytest.raises(AttachmentError, match="too large"):
        attach_file("x.png", str(folder), ALL)


def test_a_home_folder_is_known(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    _, block = prepare_prompt("@~/a.py", "/", NONE).blocks
    assert isinstance(block, ResourceLink)
    assert block.uri == (folder / "a.py").as_uri()
