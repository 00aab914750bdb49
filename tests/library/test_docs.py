"""Each example of the documentation runs, and prints what stands below it."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs/library.md"
BLOCK = re.compile(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
EXAMPLES = BLOCK.findall(PAGE.read_text("utf-8"))


def test_no_example_goes_untested() -> None:
    assert PAGE.read_text("utf-8").count("```python\n") == len(EXAMPLES) > 5


@pytest.mark.parametrize(("code", "printed"), EXAMPLES, ids=range(len(EXAMPLES)))
def test_an_example(
    code: str,
    printed: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, str(PAGE), "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out == printed
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []
