"""The order of the files in a review, whatever they are compared with."""

from acp_tui.rewind.checkpoint import ChangeType, TreeChange
from acp_tui.state.changed_files import ChangedFile
from acp_tui.state.file_claims import DiskVerdict
from acp_tui.ui.review.scopes import Reviewed, list_order


def compared(path: str, verdict: DiskVerdict) -> Reviewed:
    change = TreeChange(path.encode(), ChangeType.CHANGED, "100644", "1" * 40)
    return Reviewed(ChangedFile(path, 0.0), change=change, verdict=verdict)


def test_warnings_come_first_then_what_was_compared_then_the_latest_report() -> None:
    files = [
        Reviewed(ChangedFile("earlier", 1.0)),
        compared("b", DiskVerdict.AS_ALLOWED),
        Reviewed(ChangedFile("later", 2.0)),
        compared("a", DiskVerdict.AS_ALLOWED),
        compared("c", DiskVerdict.REJECTED),
    ]
    found = [one.file.path for one in sorted(files, key=list_order)]
    assert found == ["c", "a", "b", "later", "earlier"]
