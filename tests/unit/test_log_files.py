"""A recording that grows while it is read."""

from pathlib import Path

from acp_tui.log_files import open_log
from acp_tui.wire.recording import dump, header
from tests.unit.wire.scenes import Wire


def test_a_line_that_is_being_written_is_not_there_before_its_end(tmp_path: Path) -> None:
    first, second, *_ = Wire().prompted().records
    path, line = tmp_path / "r.jsonl", f"{dump(second)}\n"
    path.write_text(f"{header({})}\n{dump(first)}\n")
    growing = open_log(path).growing
    assert growing is not None
    with path.open("a", encoding="utf-8") as file:
        for part, known in ((line[:20], [first]), (line[20:], [first, second])):
            file.write(part)
            file.flush()
            growing.grow()
            assert list(growing) == known
    growing.close()
