"""A deleted file and a similar new one are a renamed file."""

from acp_tui.edits.shown_changes import MOST_COMPARED, Renamed, join_renames
from acp_tui.protocol.content import ContentItem, Diff, TextContent, ToolCallContent

TEXT = "".join(f"line {number}\n" for number in range(10))
SAID = ContentItem(content=TextContent(text="between"))


def gone(path: str, text: str = TEXT) -> Diff:
    return Diff(path=path, old_text=text, new_text="")


def came(path: str, text: str = TEXT) -> Diff:
    return Diff(path=path, old_text=None, new_text=text)


def test_a_deleted_and_a_new_file_of_the_same_text_are_one_where_the_later_stood() -> None:
    items = join_renames([gone("/old"), SAID, came("/new")])
    assert items == [SAID, Renamed("/old", Diff(path="/new", old_text=TEXT, new_text=TEXT))]


def test_the_order_of_the_two_does_not_matter() -> None:
    items = join_renames([came("/new"), SAID, gone("/old")])
    assert items == [SAID, Renamed("/old", Diff(path="/new", old_text=TEXT, new_text=TEXT))]


def test_the_most_alike_of_several_new_files_is_taken() -> None:
    less, more = TEXT.replace("line 1\n", "").replace("line 2\n", ""), TEXT.replace("line 1\n", "")
    content: list[ToolCallContent] = [gone("/old"), came("/less", less), came("/more", more)]
    renamed = [item for item in join_renames(content) if isinstance(item, Renamed)]
    assert [one.diff.path for one in renamed] == ["/more"]
    content = [gone("/old"), came("/more", more), came("/less", less)]
    renamed = [item for item in join_renames(content) if isinstance(item, Renamed)]
    assert [one.diff.path for one in renamed] == ["/more"]


def test_files_that_share_too_little_stay_two() -> None:
    content = [gone("/old", "one\ntwo\n"), came("/new", "three\nfour\nfive\n")]
    assert join_renames(content) == content


def test_changed_files_are_never_renamed() -> None:
    content = [Diff(path="/a", old_text=TEXT, new_text=TEXT + "more\n"), came("/b")]
    assert join_renames(content) == content


def test_of_very_many_files_only_equal_ones_are_found() -> None:
    many = range(MOST_COMPARED)
    content = [
        *(gone(f"/old/{at}", f"{at}\n{TEXT}") for at in many),
        *(came(f"/new/{at}", f"{at}\n{TEXT}" + ("" if at else "more\n")) for at in many),
    ]
    items = join_renames(content)
    assert len([item for item in items if isinstance(item, Renamed)]) == MOST_COMPARED - 1
