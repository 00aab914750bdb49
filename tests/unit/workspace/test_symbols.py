"""Functions, classes and headings are found by their lines, with the lines that they take."""

from pathlib import Path

import pytest

from acp_tui.workspace import symbols
from acp_tui.workspace.symbols import Symbol, read_symbols, search_symbols

FILES = {
    "tea.py": (
        'class Tea:\n    kind = "oolong"\n\n    async def pour(\n        self,\n    ) -> None:\n        pass\n\n'
        "\ndef drink() -> None:\n    pass\n",
        [("Tea", "class", 1, 7), ("pour", "function", 4, 7), ("drink", "function", 10, 11)],
    ),
    "tea.ts": (
        "export interface Tea {\n  kind: string\n}\nexport default async function pour() {\n  if (x) {\n  } else {\n"
        "  }\n}\nconst drink = async (cup: Cup) => {\n}\nconst cups = 3\n",
        [("Tea", "interface", 1, 3), ("pour", "function", 4, 8), ("drink", "function", 9, 10)],
    ),
    "tea.go": (
        "type Tea struct {\n}\n\nfunc (t *Tea) Pour() error {\n\treturn nil\n}\n",
        [("Tea", "type", 1, 2), ("Pour", "function", 4, 6)],
    ),
    "tea.rs": (
        'pub(crate) struct Tea;\nimpl Tea {\n    pub async fn pour(&self) {\n    }\n}\nextern "C" fn drink() {}\n',
        [("Tea", "struct", 1, 1), ("pour", "function", 3, 4), ("drink", "function", 6, 6)],
    ),
    "Tea.java": (
        "public final class Tea {\n  interface Cup {}\n}\n",
        [("Tea", "class", 1, 3), ("Cup", "interface", 2, 2)],
    ),
    "tea.kt": ("data class Tea(val x: Int)\nfun pour() {\n}\n",
               [("Tea", "class", 1, 1), ("pour", "function", 2, 3)]),
    "tea.c": (
        "static int pour(struct tea *t)\n{\n\treturn drink(t);\n}\nint drink(struct tea *t);\nstruct tea {\n};\n",
        [("pour", "function", 1, 4), ("tea", "struct", 6, 7)],
    ),
    "tea.rb": (
        "module Tea\n  def pour!\n  end\nend\n",
        [("Tea", "module", 1, 4), ("pour!", "function", 2, 3)],
    ),
    "tea.ex": ("defmodule Tea do\n  defp pour do\n  end\nend\n",
               [("Tea", "module", 1, 4), ("pour", "function", 2, 3)]),
    "tea.php": ("abstract class Tea {\n  public function pour() {\n  }\n}\n",
                [("Tea", "class", 1, 4), ("pour", "function", 2, 3)]),
    "tea.sh": ("pour() {\n  true\n}\nfunction drink {\n}\n",
               [("pour", "function", 1, 3), ("drink", "function", 4, 5)]),
    "tea.lua": ("local function pour()\nend\n", [("pour", "function", 1, 2)]),
    "tea.md": (
        "# Tea\n\n## Green\ntext\n## Black ##\n# Coffee\n",
        [("Tea", "heading", 1, 5), ("Green", "heading", 3, 4), ("Black", "heading", 5, 5),
         ("Coffee", "heading", 6, 7)],
    ),
    "tea.txt": ("def pour(): pass\n", []),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_what_a_file_defines_is_found_with_its_lines(tmp_path: Path, name: str) -> None:
    text, found = FILES[name]
    (tmp_path / name).write_text(text)
    assert read_symbols(str(tmp_path), [name]) == [
        Symbol(one, kind, name, first, last) for one, kind, first, last in found
    ]


def test_what_cannot_be_read_or_is_too_much_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "big.py").write_text("def big(): pass\n" * 40_000)
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "odd.py").write_bytes(b"\xff\xfe def x\ndef odd(): pass\n")
    (tmp_path / "late.py").write_text("def late(): pass\n")
    names = ["big.py", "folder.py", "gone.py", "odd.py", "late.py"]
    assert [one.name for one in read_symbols(str(tmp_path), names)] == ["odd", "late"]
    monkeypatch.setattr(symbols, "MOST_BYTES", 10)
    assert [one.name for one in read_symbols(str(tmp_path), names)] == ["odd"]
    assert read_symbols(str(tmp_path), names, stop=lambda: True) == []


def test_the_likeliest_comes_first_and_all_are_counted() -> None:
    names = ["reopen_all", "pen", "open_picker", "o_p_e_n", "open", "closed"]
    made = [Symbol(name, "function", "a.py", at, at) for at, name in enumerate(names)]
    found, count = search_symbols(made, "Open", limit=3)
    assert [one.name for one in found] == ["open", "open_picker", "reopen_all"]
    assert count == 4


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("a.c", "a" + "*&" * 190),
        ("a.c", "a " * 199),
        ("a.md", "# a" + " " * 300_000 + "b"),
        ("a.md", "#" * 6 + " a" * 190),
        ("a.ts", "const " * 60 + "x"),
        ("a.rs", "pub async " * 39),
        ("a.java", "public static " * 28),
        ("a.py", " " * 300_000 + "def"),
    ],
)
def test_no_line_takes_for_ever(tmp_path: Path, name: str, line: str) -> None:
    """A file of a stranger's: the thread that reads it could not be stopped."""
    (tmp_path / name).write_text(f"{line}\n" * 20)
    assert len(read_symbols(str(tmp_path), [name])) <= 20
